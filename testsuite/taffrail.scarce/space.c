/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes ten events, and ten in a forked child.
 */
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

static void emit(void)
{
	int n;

	for (n = 0; n < 10; n++)
		TAFFRAIL_EVENT(app, hit, n);
}

int main(void)
{
	emit();
	if (!fork()) {
		emit();
		_exit(0);
	}
	return wait(NULL) < 0;
}
