/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Three programs, of which the first starts the others: alpha makes threads and
 * forks; its children execute beta and gamma, which fork, too. Each waits for
 * what it has started, and all are on one CPU, so all events are in one order.
 *
 * alpha DIR [READY GO]: beta and gamma are in DIR. Before it begins and before
 * it ends, it writes to READY and reads from GO, which are FIFOs.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <taffrail/marker.h>

/* Another address in each program, and the same in two that are not PIE. */
void __attribute__((noinline)) NAME(void)
{
	__asm__("" ::: "memory");
}

static void work_write(int of, int times)
{
	for (int i = 0; i < times; i++) {
		TAFFRAIL_EVENT(work, begin, i, TAFFRAIL_FIELD(by, of));
		TAFFRAIL_EVENT(work, step, TAFFRAIL_STR("half"));
		TAFFRAIL_EVENT(work, end, i);
	}
	TAFFRAIL_EVENT(app, at, TAFFRAIL_SYMBOL(NAME));
}

static void *thread_work(void *priv)
{
	work_write((int)(long)priv, 3);
	return NULL;
}

static void child_execute(const char *program, const char *directory)
{
	char path[512];
	pid_t pid = fork();

	if (!pid) {
		work_write(10, 2);
		if (program) {
			snprintf(path, sizeof(path), "%s/%s", directory,
				 program);
			execl(path, program, directory, NULL);
		}
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

#ifdef ALPHA
static void wait_for(char **argv)
{
	char c;
	int go;

	if (!argv[2])
		return;
	go = open(argv[2], O_WRONLY);
	write(go, "\n", 1);
	close(go);
	go = open(argv[3], O_RDONLY);
	while (read(go, &c, 1) == 1 && c != '\n')
		;
	close(go);
}
#endif

int main(int argc, char **argv)
{
	pthread_t id;
#ifdef ALPHA
	cpu_set_t one;

	/* the first one that is allowed */
	sched_getaffinity(0, sizeof(one), &one);
	for (int i = 0, any = 0; i < CPU_SETSIZE; i++) {
		if (any)
			CPU_CLR(i, &one);
		any |= CPU_ISSET(i, &one);
	}
	sched_setaffinity(0, sizeof(one), &one);
	wait_for(argv);
	work_write(1, 4);
	TAFFRAIL_EVENT(alpha, text, TAFFRAIL_STR("first"), argc);
	for (long i = 0; i < 2; i++) {
		pthread_create(&id, NULL, thread_work, (void *)(20 + i));
		pthread_join(id, NULL);
	}
	child_execute("beta", argv[1]);
	child_execute("gamma", argv[1]);
#elif defined(BETA)
	work_write(1, 4);
	TAFFRAIL_EVENT(beta, number, argc / 2.0);
	child_execute(NULL, argv[1]);
#else
	work_write(1, 4);
	TAFFRAIL_EVENT(gamma, last, argc);
	pthread_create(&id, NULL, thread_work, (void *)30l);
	pthread_join(id, NULL);
	child_execute(NULL, argv[1]);
#endif
	(void)thread_work;
	(void)id;
	work_write(2, 1);
#ifdef ALPHA
	wait_for(argv);
#endif
	return 0;
}
