/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that ignores signal 61 and spawns programs, in two threads, until
 * its input ends. Each must find the signal ignored.
 */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <taffrail/marker.h>

#define NUMBER	61

static volatile int ends;
static int wrong, spawned;

static void *spawns(void *path)
{
	char *argv[] = { path, "look", NULL };
	char *none[] = { NULL };
	int status;
	pid_t child;

	while (!ends) {
		if (posix_spawn(&child, path, NULL, NULL, argv, none))
			continue;
		while (waitpid(child, &status, 0) < 0)
			;
		__atomic_fetch_add(&wrong, !!status, __ATOMIC_RELAXED);
		__atomic_fetch_add(&spawned, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static int is_ignored(void)
{
	struct sigaction is;

	return !sigaction(NUMBER, NULL, &is) && is.sa_handler == SIG_IGN;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	char line[16];

	if (argc > 1)
		return !is_ignored();
	signal(NUMBER, SIG_IGN);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, spawns, "/proc/self/exe");
	TAFFRAIL_EVENT(app, hit, wrong);
	puts("ready");
	fflush(stdout);
	while (!fgets(line, sizeof(line), stdin) && !feof(stdin))
		clearerr(stdin);
	ends = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%s, wrong %d, ignored %d\n", spawned > 10 ? "many" : "few",
	       wrong, is_ignored());
	return 0;
}
