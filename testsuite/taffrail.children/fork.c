/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Families of processes; the first argument says which.
 *	writes	a child that writes, its child, and that child's children
 *	silent	children that write nothing
 *	many	100 children one after the other, then 16 at once
 *	closed	a child that closes every descriptor before it writes
 *	bare	_Fork(), which calls no handlers
 *	daemon	daemon(3), which outlives main
 *	threads	forks while another thread writes all the time
 *	crowds	children whose first events are those of four threads at once
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

static void hit(const char *who, int count)
{
	int n;

	for (n = 0; n < count; n++)
		TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
}

static int await(pid_t child)
{
	int status;

	return child < 0 || waitpid(child, &status, 0) != child || status;
}

static int run_writes(void)
{
	static const char *const names[] = { "main", "child", "grandchild",
					     "great-grandchild" };
	pid_t child = 0;
	int i;

	for (i = 0; i < 4; i++) {
		hit(names[i], 100);
		child = i < 3 ? fork() : -1;
		if (child)
			break;
	}
	if (child > 0 && await(child))
		return 1;
	TAFFRAIL_EVENT(app, end, i);
	return 0;
}

static int run_silent(void)
{
	pid_t child;
	int i;

	hit("main", 10);
	for (i = 0; i < 10; i++) {
		child = fork();
		if (!child)
			return i & 1 ? 0 : (_exit(0), 0);
		if (await(child))
			return 1;
	}
	TAFFRAIL_EVENT(app, end, i);
	return 0;
}

static int run_many(void)
{
	char who[16];
	pid_t child;
	int i;

	for (i = 0; i < 116; i++) {
		snprintf(who, sizeof(who), "child%d", i);
		child = fork();
		if (!child) {
			hit(who, i);
			_exit(0);
		}
		if (child < 0 || (i < 100 && await(child)))
			return 1;
	}
	while (wait(NULL) > 0)
		;
	TAFFRAIL_EVENT(app, end, i);
	return 0;
}

/* If libc has it; otherwise by its other name. */
#if !__GLIBC_PREREQ(2, 34)
#define _Fork fork
#endif

static int run_bare(void)
{
	pid_t child;

	hit("main", 100);
	child = _Fork();
	if (!child) {
		hit("child", 100);
		_exit(0);
	}
	hit("main after", 100);
	return await(child);
}

static int run_closed(void)
{
	pid_t child = fork();

	if (!child) {
		syscall(SYS_close_range, 0, ~0u, 0);
		hit("child", 100);
		child = fork();
		if (!child)
			hit("grandchild", 100);
		else if (await(child))
			return 1;
		return 0;
	}
	if (await(child))
		return 1;
	syscall(SYS_close_range, 0, ~0u, 0);
	hit("main", 100);
	return 0;
}

static int run_daemon(void)
{
	hit("before", 10);
	if (daemon(0, 0))
		return 1;
	hit("daemon", 100);
	usleep(100000);		/* main has long gone by now */
	hit("later", 100);
	return 0;
}

static volatile int over;
static long written;

static void *write_on(void *arg)
{
	const char *who = arg;

	for (; !over; written++) {
		int n = (int)written;

		TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
		if (written >= 1000)
			usleep(50);
	}
	return arg;
}

static int run_threads(void)
{
	pthread_t thread;
	char who[16];
	pid_t child;
	int i;

	if (pthread_create(&thread, NULL, write_on, "thread"))
		return 1;
	for (i = 0; i < 50; i++) {
		snprintf(who, sizeof(who), "child%d", i);
		child = fork();
		if (!child) {
			hit(who, 20);
			exit(0);
		}
		if (await(child))
			return 1;
	}
	over = 1;
	pthread_join(thread, NULL);
	printf("thread %ld\n", written);
	return 0;
}

static pthread_barrier_t together;

static void *write_first(void *arg)
{
	pthread_barrier_wait(&together);
	hit(arg, 10);
	return arg;
}

static int run_crowds(void)
{
	pthread_t threads[4];
	char who[4][16];
	pid_t child;
	int i, k;

	for (i = 0; i < 20; i++) {
		child = fork();
		if (child) {
			if (await(child))
				return 1;
			continue;
		}
		pthread_barrier_init(&together, NULL, 4);
		for (k = 0; k < 4; k++) {
			snprintf(who[k], sizeof(who[k]), "crowd%d.%d", i, k);
			if (pthread_create(&threads[k], NULL, write_first,
					   who[k]))
				_exit(1);
		}
		for (k = 0; k < 4; k++)
			pthread_join(threads[k], NULL);
		exit(0);
	}
	return 0;
}

static const struct {
	const char *name;
	int (*run)(void);
} families[] = {
	{ "writes", run_writes },
	{ "silent", run_silent },
	{ "many", run_many },
	{ "closed", run_closed },
	{ "bare", run_bare },
	{ "daemon", run_daemon },
	{ "threads", run_threads },
	{ "crowds", run_crowds },
};

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc == 2 && i < sizeof(families) / sizeof(*families); i++)
		if (!strcmp(families[i].name, argv[1]))
			return families[i].run();
	return 2;
}
