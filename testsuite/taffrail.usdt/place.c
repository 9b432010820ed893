/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probes that need more than a jump: the instructions behind them must move
 * (place-kinds.S), or two probes are side by side. Never linked to the agent.
 *
 *	place all N | threads [block | slow] | ignore | fork N | trap | unwind
 *
 * Prints "right", or what is wrong. `threads` prints "ready" and goes on until
 * its input ends; with `block` the threads block SIGTRAP until there is some
 * input, and then the program prints "open"; with `slow` they rest between two
 * rounds, so that others have the CPUs. `ignore` is like `threads`, but
 * ignores SIGTRAP. `trap` has a handler for SIGTRAP, and makes traps itself.
 * `unwind` gets signals in the middle of hits, and the handler looks for the
 * callers; except after an aborted restartable sequence, whose stack cannot be
 * described.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sdt.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define THREADS	2

typedef uint64_t kind(uint64_t a, uint64_t b);
kind kind_one, kind_two, kind_three, kind_split, kind_data, kind_condition,
	kind_jump, kind_call, kind_joined, kind_twice, kind_inner, kind_pair,
	kind_skipped, kind_near, kind_apart, kind_handles, kind_system,
	kind_row;

/* Two probes side by side, as a compiler puts them. */
static __attribute__((noinline)) uint64_t kind_sdt(uint64_t a, uint64_t b)
{
	DTRACE_PROBE2(beside, sdt_first, a, b);
	DTRACE_PROBE2(beside, sdt_second, a, b);
	return a + b;
}

static const struct {
	const char *name;
	kind *call;
} kinds[] = {
	{ "one", kind_one },		{ "two", kind_two },
	{ "three", kind_three },	{ "split", kind_split },
	{ "data", kind_data },		{ "condition", kind_condition },
	{ "jump", kind_jump },		{ "call", kind_call },
	{ "joined", kind_joined },	{ "twice", kind_twice },
	{ "inner", kind_inner },	{ "pair", kind_pair },
	{ "skipped", kind_skipped },	{ "near", kind_near },
	{ "apart", kind_apart },	{ "sdt", kind_sdt },
	{ "handles", kind_handles },	{ "system", kind_system },
	{ "row", kind_row },
};

#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

/* Signals arrive at the end of a system call. In a loop with a system call,
 * nearly all arrive there, because an interrupt takes longer than the loop. */
static kind *left_out;

static int all(uint64_t n)
{
	size_t i;

	for (i = 0; i < KINDS; i++)
		if (kinds[i].call != left_out &&
		    kinds[i].call(n & 63, 64) != (n & 63) + 64 +
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
static int unblock;
static int slow;
static int blocking;		/* threads */
static int unblocked;		/* threads */

static void *thread(void *arg)
{
	uint64_t n = 0;
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGTRAP);
	if (arg)
		pthread_sigmask(SIG_BLOCK, &mask, NULL);
	__atomic_fetch_add(&blocking, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED) && !all(n)) {
		n++;
		if (slow)
			usleep(200);
		if (arg && __atomic_load_n(&unblock, __ATOMIC_RELAXED)) {
			arg = NULL;
			pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
			__atomic_fetch_add(&unblocked, 1, __ATOMIC_RELEASE);
		}
	}
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
	while (__atomic_load_n(&blocking, __ATOMIC_ACQUIRE) < THREADS)
		sched_yield();
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF) {
		__atomic_store_n(&unblock, 1, __ATOMIC_RELAXED);
		while (block && __atomic_load_n(&unblocked,
						__ATOMIC_ACQUIRE) < THREADS)
			sched_yield();
		puts("open");
		fflush(stdout);
	}
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

/* One handler is set before the first switch, and another one after it. */
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

#define INSIDE	200	/* hits that are looked into */
#define SIGNALS	200000	/* at most, for that */

static void *hammer_caller;	/* where the thread that hits returns to */
static int handled;		/* signals */
static int inside;		/* of those: the signal came in the agent */
static int lost;		/* of those: no caller was found */

static void unwind(int signal, siginfo_t *info, void *context)
{
	ucontext_t *user = context;
	const char *pc = (const char *)user->uc_mcontext.gregs[REG_RIP];
	void *frames[64];
	Dl_info where;
	int found = 0;
	int n;

	(void)signal;
	(void)info;
	if (dladdr(pc, &where) && strstr(where.dli_fname, "libtaffrail") &&
	    memcmp(pc - 4, "\x53\x30\x05\x53", 4)) {
		for (n = backtrace(frames, 64); n-- > 0;)
			found |= frames[n] == hammer_caller;
		inside++;
		lost += !found;
	}
	__atomic_store_n(&handled, handled + 1, __ATOMIC_RELEASE);
}

static void *hammer(void *arg)
{
	hammer_caller = __builtin_return_address(0);
	return thread(arg);
}

static int do_unwind(void)
{
	struct sigaction action = { .sa_sigaction = unwind,
				    .sa_flags = SA_SIGINFO };
	pthread_t other;
	void *frame;
	int i;

	left_out = kind_system;
	backtrace(&frame, 1);	/* loads what it needs */
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&other, NULL, hammer, NULL);
	for (i = 1; i <= SIGNALS && inside < INSIDE; i++) {
		pthread_kill(other, SIGUSR1);
		while (__atomic_load_n(&handled, __ATOMIC_ACQUIRE) != i)
			sched_yield();
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(other, NULL);
	if (inside < INSIDE || lost)
		printf("wrong: %d of %d\n", lost, inside);
	return wrong || inside < INSIDE || lost;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int ret = 2;

	slow = argc > 2 && !strcmp(argv[2], "slow");
	if (!strcmp(what, "all") && argc > 2)
		ret = do_all(strtoull(argv[2], NULL, 0));
	else if (!strcmp(what, "threads"))
		ret = do_threads(argc > 2 && !slow ? argv[2] : NULL);
	else if (!strcmp(what, "ignore") &&
		 signal(SIGTRAP, SIG_IGN) != SIG_ERR)
		ret = do_threads(NULL);
	else if (!strcmp(what, "fork") && argc > 2)
		ret = do_fork(atoi(argv[2]));
	else if (!strcmp(what, "trap"))
		ret = do_trap();
	else if (!strcmp(what, "unwind"))
		ret = do_unwind();
	if (!ret)
		puts("right");
	return ret;
}
