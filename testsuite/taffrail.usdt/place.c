/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probes that a jump alone does not do for: what follows them has to move
 * (place-kinds.S). Never linked to the agent.
 *
 *	place all N | threads [block] | fork N | trap
 *
 * Prints "right", or what is wrong. `threads` prints "ready" and goes on until
 * its input ends; with `block` the threads block SIGTRAP. `trap` has a handler
 * for that signal, and traps of its own.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS	2

typedef uint64_t kind(uint64_t a, uint64_t b);
kind kind_one, kind_two, kind_three, kind_split, kind_data, kind_condition,
	kind_jump, kind_call, kind_joined, kind_twice, kind_inner;

static const struct {
	const char *name;
	kind *call;
} kinds[] = {
	{ "one", kind_one },		{ "two", kind_two },
	{ "three", kind_three },	{ "split", kind_split },
	{ "data", kind_data },		{ "condition", kind_condition },
	{ "jump", kind_jump },		{ "call", kind_call },
	{ "joined", kind_joined },	{ "twice", kind_twice },
	{ "inner", kind_inner },
};

#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

static int all(uint64_t n)
{
	size_t i;

	for (i = 0; i < KINDS; i++)
		if (kinds[i].call(n & 63, 64) != (n & 63) + 64 +
		    (!(n & 63) && kinds[i].call == kind_condition)) {
			printf("wrong: %s\n", kinds[i].name);
			return 1;
		}
	return 0;
}

static int do_all(uint64_t n)
{
	int ret = 0;

	while (n-- && !ret)
		ret = all(n);
	return ret;
}

static int stop;
static int wrong;

static void *thread(void *arg)
{
	uint64_t n = 0;
	sigset_t mask;

	if (arg) {
		sigemptyset(&mask);
		sigaddset(&mask, SIGTRAP);
		pthread_sigmask(SIG_BLOCK, &mask, NULL);
	}
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED) && !all(n))
		n++;
	if (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		__atomic_store_n(&wrong, 1, __ATOMIC_RELAXED);
	return NULL;
}

static int do_threads(void *block)
{
	pthread_t threads[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread, block);
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return wrong;
}

static int do_fork(int n)
{
	int status = 0;

	while (n-- && !status) {
		pid_t pid = fork();

		if (!pid)
			_exit(do_all(2));
		if (do_all(2))
			return 1;
		waitpid(pid, &status, 0);
	}
	if (status)
		printf("wrong: a child, %x\n", status);
	return !!status;
}

static volatile int traps;

static void trapped(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	traps += info->si_code > 0 ? 1 : 100;
}

/* The handler is there before, and another one after, the first switch. */
static int do_trap(void)
{
	struct sigaction action = { .sa_sigaction = trapped,
				    .sa_flags = SA_SIGINFO };
	int ret;

	sigaction(SIGTRAP, &action, NULL);
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		ret = do_all(10);
	__asm__ volatile("int3");
	raise(SIGTRAP);
	ret = do_all(10);
	if (traps != 101)
		printf("wrong: %d\n", traps);
	return ret || traps != 101;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int ret = 2;

	if (!strcmp(what, "all") && argc > 2)
		ret = do_all(strtoull(argv[2], NULL, 0));
	else if (!strcmp(what, "threads"))
		ret = do_threads(argc > 2 ? argv[2] : NULL);
	else if (!strcmp(what, "fork") && argc > 2)
		ret = do_fork(atoi(argv[2]));
	else if (!strcmp(what, "trap"))
		ret = do_trap();
	if (!ret)
		puts("right");
	return ret;
}
