/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints how many page faults FORKS children that exit at once take, and their
 * parent: "child 2100, parent 200". Its one marker is hit before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <taffrail/marker.h>

enum { FORKS = 100, WARM = 3 };

static long faults(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return usage.ru_minflt;
}

static int fork_once(void)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		exit(0);
	return pid < 0 || waitpid(pid, &status, 0) != pid || status;
}

int main(void)
{
	long child, parent;
	int i;

	TAFFRAIL_EVENT(app, hit, 1);
	for (i = 0; i < WARM; i++)
		if (fork_once())
			return 1;
	child = faults(RUSAGE_CHILDREN);
	parent = faults(RUSAGE_SELF);
	for (i = 0; i < FORKS; i++)
		if (fork_once())
			return 1;
	printf("child %ld, parent %ld\n", faults(RUSAGE_CHILDREN) - child,
	       faults(RUSAGE_SELF) - parent);
	return 0;
}
