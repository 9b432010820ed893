/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An ordinary program: markers, threads, a child, a handler, files. It prints
 * its results, and ends with status 7. "where": prints its map.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static void on_signal(int number)
{
	TAFFRAIL_EVENT(app, handler, number);
	handled++;
}

static void *work(void *arg)
{
	for (long n = 0; n < 300; n++)
		TAFFRAIL_EVENT(app, work, n, TAFFRAIL_STR((char *)arg));
	return NULL;
}

static int map_print(void)
{
	char line[4096];
	FILE *map = fopen("/proc/self/maps", "r");

	while (map && fgets(line, sizeof(line), map))
		fputs(line, stdout);
	return 0;
}

static void descriptors_print(void)
{
	int fd;

	for (fd = 0; fd < 64; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf("descriptor %d\n", fd);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	sigset_t mask;
	int status = 0;
	pid_t pid;

	if (argc > 1 && !strcmp(argv[1], "where"))
		return map_print();
	signal(SIGUSR1, on_signal);
	pthread_create(&thread, NULL, work, "thread");
	errno = 4711;
	work("main");
	raise(SIGUSR1);
	printf("errno %d handled %d\n", errno, (int)handled);
	pthread_join(thread, NULL);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		work("child");
		_exit(3);
	}
	waitpid(pid, &status, 0);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	printf("child %d mask %d\n", WEXITSTATUS(status),
	       sigismember(&mask, SIGTERM));
	descriptors_print();
	return 7;
}
