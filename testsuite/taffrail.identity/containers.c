/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hits in a process, its three children and their children.
 *
 *	containers		in this PID namespace: 100
 *	containers unshare	hits; the first process of a new PID namespace
 *				does the above; hits again: 120
 */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

static void hit(void)
{
	for (int i = 0; i < 10; i++)
		TAFFRAIL_EVENT(app, hit, i);
}

static void wait_all(void)
{
	while (wait(NULL) > 0)
		;
}

static void child(void)
{
	hit();
	if (!fork()) {
		hit();
		_exit(0);
	}
	wait_all();
	hit();
	_exit(0);
}

static void family(void)
{
	hit();
	for (int i = 0; i < 3; i++)
		if (!fork())
			child();
	wait_all();
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc == 1) {
		family();
		return 0;
	}
	hit();
	if (unshare(CLONE_NEWPID))
		return 77;
	if (!fork()) {
		family();
		_exit(0);
	}
	wait_all();
	hit();
	return 0;
}
