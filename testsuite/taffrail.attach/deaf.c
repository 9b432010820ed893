/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads that block all signals, as those of allocators and servers do. They
 * wait or compute while a command has them unblock SIGTRAP: no wait may end
 * early, and each mask lacks that signal afterwards, and no other. Prints
 * "ready" with its pid; when its input ends, lets the threads end, and prints
 * how many were wrong, and how many block SIGTRAP still.
 *
 *	deaf [N]	only those from number N on
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int event;		/* becomes readable at the end */
static int deaf, wrong;

/* Needs a trap to be switched: a jump replaces several instructions. */
__attribute__((noinline)) int compute(int x, int y)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3 + y;
}

static int ends(void)
{
	struct pollfd fd = { .fd = event, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

static int wait_epoll(int ms, int exact)
{
	const struct timespec time = { .tv_sec = ms / 1000 };
	struct epoll_event all = { .events = EPOLLIN };
	int fd = epoll_create1(0), n;

	epoll_ctl(fd, EPOLL_CTL_ADD, event, &all);
	do
		n = exact ? (int)syscall(441 /* epoll_pwait2 */, fd, &all, 1,
					 &time, NULL, 8) :
			    epoll_wait(fd, &all, 1, ms);
	while (!n);
	return n == 1;
}

static int in_epoll(void)
{
	return wait_epoll(-1, 0);
}

static int in_timed(void)
{
	return wait_epoll(1000, 0);
}

static int in_exact(void)
{
	return wait_epoll(1000, 1);
}

static int in_ppoll(void)
{
	struct pollfd fd = { .fd = event, .events = POLLIN };
	sigset_t none;

	sigemptyset(&none);
	return ppoll(&fd, 1, NULL, &none) == 1;
}

static int in_read(void)
{
	uint64_t value;

	return read(event, &value, sizeof(value)) == sizeof(value);
}

static int in_sigwait(void)
{
	sigset_t all;

	sigfillset(&all);
	return sigwaitinfo(&all, NULL) == SIGUSR1;
}

static int in_sleep(void)
{
	const struct timespec time = { .tv_nsec = 100000000 };
	int ret = 0;

	while (!ends() && !ret)
		ret = clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
	return !ret;
}

static int in_code(void)
{
	volatile int pause;

	for (int i = 0; !ends(); i = (i + 1) % 1000) {
		if (compute(i, i) != 4 * i)
			return 0;
		/* few events */
		for (pause = 0; pause < 100000; pause++)
			;
	}
	return 1;
}

static int (*const waits[])(void) = {
	in_epoll, in_timed, in_exact, in_ppoll, in_read, in_sigwait, in_sleep,
	in_code,
};
#define THREADS	(sizeof(waits) / sizeof(*waits))

static void *run(void *arg)
{
	int (*const *wait)(void) = arg;
	sigset_t now, all;

	if (!(*wait)()) {
		printf("wait %zu: %d\n", (size_t)(wait - waits), errno);
		__atomic_add_fetch(&wrong, 1, __ATOMIC_SEQ_CST);
	}
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	__atomic_add_fetch(&deaf, sigismember(&now, SIGTRAP), __ATOMIC_SEQ_CST);
	sigfillset(&all);
	for (int i = 1; i < NSIG; i++)
		if (i != SIGTRAP && i != SIGKILL && i != SIGSTOP &&
		    sigismember(&all, i) != sigismember(&now, i))
			__atomic_add_fetch(&wrong, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

int main(int argc, char **argv)
{
	size_t first = argc > 1 ? (size_t)atoi(argv[1]) : 0;
	pthread_t threads[THREADS];
	sigset_t all, before;

	event = eventfd(0, EFD_SEMAPHORE);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (size_t i = first; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)&waits[i]);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	printf("ready %d\n", getpid());
	fflush(stdout);
	while (getchar() != EOF)
		;
	/* one of them is read */
	if (write(event, &(uint64_t){ THREADS }, sizeof(uint64_t)) < 0)
		return 1;
	for (size_t i = first; i < THREADS; i++) {
		if (waits[i] == in_sigwait)
			pthread_kill(threads[i], SIGUSR1);
		pthread_join(threads[i], NULL);
	}
	printf("%d wrong, %d block it\n", wrong, deaf);
	return wrong;
}
