/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two threads of a forked child have their first events at the same time. gdb
 * says when the second one goes on (revive.exp).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

volatile int go;

__attribute__((noinline)) void second_done(void)
{
	__asm__ volatile("");
}

static void hit(const char *who)
{
	int n = 0;

	TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
}

static void *second(void *arg)
{
	while (!go)
		;
	hit("second");
	second_done();
	return arg;
}

int main(void)
{
	pthread_t thread;
	int status;
	pid_t child = fork();

	if (child)
		return child < 0 || waitpid(child, &status, 0) != child ||
		       status;
	if (pthread_create(&thread, NULL, second, NULL))
		return 1;
	pthread_setname_np(thread, "second");
	hit("first");
	go = 1;
	pthread_join(thread, NULL);
	exit(0);
}
