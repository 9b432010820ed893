/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes app:hit and other:tick once itself, and once in a child.
 */
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

static void hit(int n)
{
	TAFFRAIL_EVENT(app, hit, n);
	TAFFRAIL_EVENT(other, tick, n);
}

int main(void)
{
	pid_t pid;

	hit(1);
	pid = fork();
	if (!pid) {
		hit(2);
		_exit(0);
	}
	return waitpid(pid, NULL, 0) != pid;
}
