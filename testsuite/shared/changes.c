/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Handlers that change while the signal comes: `changes NUMBER ROUNDS` checks
 * that each handler runs with its own flags, mask and information; that what
 * sigaction() returns is what was there, also if several threads call it at
 * once; and that children change their own signals only.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "results.h"

#define FEW		100
#define SECONDS		60
#define THREADS		4
#define EXCHANGES	50000

static int number;
static long rounds;
static volatile long ran[2], wrong[2], stop;
static char aside[1 << 16];
static pid_t changer;

static int is_blocked(int which)
{
	sigset_t now;

	pthread_sigmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, which);
}

static int is_aside(const void *here)
{
	return (const char *)here >= aside &&
	       (const char *)here < aside + sizeof(aside);
}

/* Not SA_ONSTACK, nothing in its mask. */
static void on_number(int got)
{
	ran[0]++;
	wrong[0] += got != number || is_aside(&got) || !is_blocked(number) ||
		    is_blocked(SIGUSR2);
}

/* SA_SIGINFO and SA_ONSTACK, SIGUSR2 in its mask. */
static void on_info(int got, siginfo_t *info, void *context)
{
	ran[1]++;
	wrong[1] += got != number || !context || info->si_signo != number ||
		    info->si_code != SI_TKILL || info->si_pid != getpid() ||
		    !is_aside(&got) || !is_blocked(number) ||
		    !is_blocked(SIGUSR2);
}

static void *storm(void *unused)
{
	while (!stop) {
		syscall(SYS_tgkill, getpid(), changer, number);
		/* signals of a high number queue */
		for (int i = 0; number > 31 && i < 500; i++)
			__asm__ volatile("pause");
	}
	return unused;
}

static double since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - then->tv_sec) +
	       (double)(now.tv_nsec - then->tv_nsec) / 1e9;
}

static void changed(void)
{
	struct sigaction one = { .sa_handler = on_number };
	struct sigaction other = { .sa_sigaction = on_info,
				   .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t stack = { .ss_sp = aside, .ss_size = sizeof(aside) };
	struct sigaction old;
	struct timespec begun;
	long others = 0;
	pthread_t thread;

	changer = (pid_t)syscall(SYS_gettid);
	stop = 0;
	sigaltstack(&stack, NULL);
	sigaddset(&other.sa_mask, SIGUSR2);
	sigaction(number, &one, NULL);
	pthread_create(&thread, NULL, storm, NULL);
	clock_gettime(CLOCK_MONOTONIC, &begun);
	for (long i = 0; (i < rounds || ran[0] < FEW || ran[1] < FEW) &&
			 since(&begun) < SECONDS; i++) {
		sigaction(number, &other, &old);
		others += old.sa_handler != on_number || old.sa_flags &
			  SA_SIGINFO || sigismember(&old.sa_mask, SIGUSR2);
		sigaction(number, &one, &old);
		others += old.sa_sigaction != on_info ||
			  !(old.sa_flags & SA_ONSTACK) ||
			  !sigismember(&old.sa_mask, SIGUSR2);
	}
	stop = 1;
	pthread_join(thread, NULL);
	check("both handlers ran", ran[0] >= FEW && ran[1] >= FEW);
	check_equal("a handler without flags has none", wrong[0], 0);
	check_equal("a handler with flags has its own", wrong[1], 0);
	check_equal("what was there is returned", others, 0);
}

/* Handlers of which each thread installs its own. */
#define OF(n)	static void of_##n(int got) { wrong[0] += got != number; }
OF(0) OF(1) OF(2) OF(3)

static void (*const ofs[THREADS])(int) = { of_0, of_1, of_2, of_3 };
static long returned[THREADS][THREADS];
static long strangers;

static int index_of(const struct sigaction *is)
{
	for (int i = 0; i < THREADS; i++)
		if (is->sa_handler == ofs[i])
			return i;
	return -1;
}

static void *exchanges(void *arg)
{
	int mine = (int)(long)arg;
	struct sigaction own = { .sa_handler = ofs[mine],
				 .sa_flags = mine & 1 ? SA_RESTART : 0 };
	struct sigaction old;
	int i;

	for (int n = 0; n < EXCHANGES; n++) {
		sigaction(number, &own, &old);
		i = index_of(&old);
		if (i < 0 || !!(old.sa_flags & SA_RESTART) != (i & 1))
			__atomic_fetch_add(&strangers, 1, __ATOMIC_RELAXED);
		else
			returned[mine][i]++;
	}
	return NULL;
}

/* Each handler that a call installs is returned once, or is there at the end.
 */
static void exchanged(void)
{
	struct sigaction is = { .sa_handler = ofs[0] };
	pthread_t threads[THREADS];
	long counts[THREADS] = { 0 };
	int i, j;

	sigaction(number, &is, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, exchanges, (void *)(long)i);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	sigaction(number, NULL, &is);
	if (index_of(&is) >= 0)
		counts[index_of(&is)]++;
	counts[0]--;
	for (i = 0; i < THREADS; i++)
		for (j = 0; j < THREADS; j++)
			counts[j] += returned[i][j];
	for (i = j = 0; i < THREADS; i++)
		j += counts[i] != EXCHANGES;
	check_equal("threads exchange handlers", j, 0);
	check_equal("and see no flags of another", strangers, 0);
}

static void *changes(void *unused)
{
	struct sigaction one = { .sa_handler = of_0 };
	struct sigaction two = { .sa_handler = of_1 };

	while (!stop) {
		sigaction(number, &one, NULL);
		sigaction(number, &two, NULL);
	}
	return unused;
}

static volatile int of_parent, of_child;

static void on_parent(int got)
{
	of_parent += got == number;
}

static void on_child(int got)
{
	of_child += got == number;
}

/* A fork while a thread changes the handler. */
static void forked(void)
{
	struct sigaction mine = { .sa_handler = on_child };
	pthread_t thread;
	int status = 0;
	pid_t child;

	stop = 0;
	pthread_create(&thread, NULL, changes, NULL);
	for (int i = 0; i < 1000 && !status; i++) {
		child = fork();
		if (!child) {
			alarm(20);
			of_child = 0;
			sigaction(number, &mine, NULL);
			raise(number);
			_exit(of_child != 1);
		}
		waitpid(child, &status, 0);
	}
	stop = 1;
	pthread_join(thread, NULL);
	check_equal("forked children change theirs", status, 0);
}

/* A child that shares the memory. */
static void shared(void)
{
	struct sigaction mine = { .sa_handler = on_parent };
	struct sigaction is, own = { .sa_handler = on_child };
	int status = -1;
	pid_t child;

	sigaction(number, &mine, NULL);
	of_child = of_parent = 0;
	child = vfork();
	if (!child) {
		sigaction(number, &own, NULL);
		raise(number);
		signal(number, SIG_DFL);
		_exit(7);
	}
	waitpid(child, &status, 0);
	check("a child that shares the memory ends",
	      WIFEXITED(status) && WEXITSTATUS(status) == 7);
	check_equal("it ran its own handler", of_child, 1);
	sigaction(number, NULL, &is);
	check("the parent's handler stays", is.sa_handler == on_parent);
	raise(number);
	check("and runs", of_parent == 1 && of_child == 1);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	number = atoi(argv[1]);
	rounds = atol(argv[2]);
	shared();
	exchanged();
	forked();
	changed();
	return 0;
}
