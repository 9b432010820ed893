/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes that write at the same time, some of which are killed.
 *
 * shared PROCESSES EVENTS KILLED: each process forks a child, and both write
 * EVENTS events, with their own number, process and thread id; the first KILLED
 * processes are killed while they write more. Every second process executes
 * this program anew first. Prints a line for each writer: the number, how many
 * events it has written, and whether it was killed.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <taffrail/marker.h>

#define WRITERS_MAX	256
#define MORE_EVENTS	3000

/* How many events each has written. */
static volatile unsigned int *done;
static unsigned int events, killed;

static void write_all(unsigned int writer)
{
	bool dies = writer / 2 < killed;
	/* all fit in the buffers, even if the recorder does not run */
	unsigned int last = dies ? MORE_EVENTS : events;
	unsigned int i;

	for (i = 0; i < last; i++) {
		int me = (int)syscall(SYS_gettid), own = getpid();

		if (i % 3)
			TAFFRAIL_EVENT(shared, step, writer, i, me, own);
		else
			TAFFRAIL_EVENT(shared, text, writer, i, me, own,
				       TAFFRAIL_FIELD(of, TAFFRAIL_STR("all")));
		done[writer] = i + 1;
		if (i % 100 == 99)
			usleep(dies ? 1000 : 100);
	}
	while (dies)
		pause();
}

static void run_rounds(unsigned int number)
{
	pid_t child = fork();

	write_all(2 * number + !child);
	if (child)
		waitpid(child, NULL, 0);
	_exit(0);
}

int main(int argc, char **argv)
{
	unsigned int n = (unsigned int)atoi(argv[1]), i;
	pid_t pids[WRITERS_MAX / 2];
	char number[16], fd[16];
	int memory;

	events = (unsigned int)atoi(argv[2]);
	killed = (unsigned int)atoi(argv[3]);
	memory = argc > 5 ? atoi(argv[5]) : memfd_create("done", 0);
	if (argc <= 5 && ftruncate(memory, WRITERS_MAX * sizeof(*done)))
		return 1;
	done = mmap(NULL, WRITERS_MAX * sizeof(*done), PROT_READ | PROT_WRITE,
		    MAP_SHARED, memory, 0);
	if (done == MAP_FAILED)
		return 1;
	if (argc > 5)
		run_rounds((unsigned int)atoi(argv[4]));
	snprintf(fd, sizeof(fd), "%d", memory);
	for (i = 0; i < n; i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		/* a group: it is killed with the child */
		setpgid(0, 0);
		snprintf(number, sizeof(number), "%u", i);
		if (i % 2)
			execl("/proc/self/exe", "again", argv[1], argv[2],
			      argv[3], number, fd, NULL);
		run_rounds(i);
	}
	/* a different moment for each */
	for (i = 0; i < killed; i++) {
		while (done[2 * i] < 37 * (i + 1) ||
		       done[2 * i + 1] < 11 * (i + 1))
			usleep(100);
		kill(-pids[i], SIGKILL);
	}
	for (i = 0; i < n; i++)
		waitpid(pids[i], NULL, 0);
	for (i = 0; i < 2 * n; i++)
		printf("%u %u %d\n", i, done[i], i / 2 < killed);
	return 0;
}
