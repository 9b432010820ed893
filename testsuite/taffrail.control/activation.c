/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands call this program while it does something that they could disturb.
 * The first argument says what:
 *
 *	steady		threads check that registers, flags and the memory below
 *			the stack pointer stay the same, and threads in calls
 *			with a time-out count EINTR; until its input ends:
 *			"rounds N interrupted N wrong N"
 *	signals		waits for a child's signals by sigsuspend and
 *			epoll_pwait in turn, answers each, until its input has
 *			ended and 1,000 have come: "rounds N interrupted 0 wrong
 *			0"; after a signal that does not end the wait it waits
 *			for ever
 *	exec N		executes itself, N times in all
 *	unshare		does what only one thread may, until its input ends:
 *			"rounds N interrupted 0 wrong N"
 *	vfork MS	makes children by vfork that sleep MS, one after the
 *			other, until its input ends: "rounds N interrupted 0
 *			wrong 0"
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_MS	3
#define STEPS		100000
#define SIGNALS_MIN	1000

static atomic_ulong rounds, interrupted, wrong;
static atomic_int over;

/* Vector registers, the carry flag, and what a leaf function may keep below its
 * stack pointer. */
static void *compute(void *arg)
{
	uint64_t word, back;
	uint32_t lanes[4];

	(void)arg;
	while (!over) {
		int carried = 1;

		__asm__ volatile("pxor %%xmm5, %%xmm5\n\t"
				 "pcmpeqd %%xmm6, %%xmm6\n\t" ::: "xmm5",
				 "xmm6");
		for (word = 0; word < STEPS; word++) {
			uint8_t carry;

			__asm__ volatile("psubd %%xmm6, %%xmm5\n\t"
					 "movq %[word], -120(%%rsp)\n\t"
					 "stc\n\t"
					 "movq -120(%%rsp), %[back]\n\t"
					 "setc %[carry]\n\t"
					 : [back] "=r"(back),
					   [carry] "=q"(carry)
					 : [word] "r"(word)
					 : "xmm5", "xmm6", "memory", "cc");
			carried &= carry && back == word;
		}
		__asm__ volatile("movdqu %%xmm5, %0" : "=m"(lanes));
		wrong += !carried || lanes[0] != STEPS || lanes[3] != STEPS;
		rounds++;
	}
	return NULL;
}

static int by_nanosleep(void)
{
	struct timespec pause = { 0, PAUSE_MS * 1000000 };

	return nanosleep(&pause, NULL);
}

static int by_poll(void)
{
	return poll(NULL, 0, PAUSE_MS);
}

static int by_epoll(void)
{
	static int fd;
	struct epoll_event event;

	if (!fd)
		fd = epoll_create1(0);
	return epoll_wait(fd, &event, 1, PAUSE_MS);
}

static void *sleeper(void *arg)
{
	int (*const *wait)(void) = arg;

	while (!over) {
		if ((*wait)()) {
			interrupted += errno == EINTR;
			wrong += errno != EINTR;
		}
		rounds++;
	}
	return NULL;
}

static void nothing(int number)
{
	(void)number;
}

static int input_ended(void);

/* The signal is blocked but for the waits, so none can come too early. */
static void answer_signals(void)
{
	struct sigaction action = { .sa_handler = nothing };
	struct epoll_event event;
	int answers[2], fd = epoll_create1(0);
	sigset_t blocked, none;
	pid_t child, parent = getpid();
	char byte = 0;

	sigemptyset(&none);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	sigaction(SIGUSR1, &action, NULL);
	if (pipe(answers))
		return;
	child = fork();
	if (!child) {
		do
			usleep(100);
		while (!kill(parent, SIGUSR1) &&
		       read(answers[0], &byte, 1) > 0);
		_exit(0);
	}
	while (!input_ended() || rounds < SIGNALS_MIN) {
		if (rounds++ % 2)
			epoll_pwait(fd, &event, 1, -1, &none);
		else
			sigsuspend(&none);
		wrong += write(answers[1], &byte, 1) != 1;
	}
	kill(child, SIGKILL);
}

static int run_again(char **argv)
{
	struct timespec pause = { 0, 10 * PAUSE_MS * 1000000 };
	char number[16];

	snprintf(number, sizeof(number), "%d", atoi(argv[2]) - 1);
	if (!strcmp(argv[2], "0"))
		return 7;
	while (nanosleep(&pause, &pause) && errno == EINTR)
		;
	execv("/nonexistent/program", argv);
	argv[2] = number;
	execv(argv[0], argv);
	return 1;
}

static int input_ended(void)
{
	struct pollfd input = { .events = POLLIN };
	char byte;

	return poll(&input, 1, 0) == 1 && read(0, &byte, 1) <= 0;
}

static void children_by_vfork(int ms)
{
	int status;

	while (!input_ended()) {
		pid_t child = vfork();

		if (!child) {
			usleep(ms * 1000);
			_exit(0);
		}
		wrong += waitpid(child, &status, 0) != child || status;
		rounds++;
	}
}

int main(int argc, char **argv)
{
	static int (*const waits[])(void) = { by_nanosleep, by_poll, by_epoll };
	pthread_t threads[4];
	int n = 0;

	if (argc == 3 && strcmp(argv[1], "vfork"))
		return run_again(argv);
	if (argc == 2 && !strcmp(argv[1], "steady")) {
		pthread_create(&threads[n++], NULL, compute, NULL);
		for (int i = 0; i < 3; i++)
			pthread_create(&threads[n++], NULL, sleeper,
				       (void *)&waits[i]);
	}
	puts("ready");
	fflush(stdout);
	if (argc == 3) {
		children_by_vfork(atoi(argv[2]));
	} else if (argc == 2 && !strcmp(argv[1], "unshare")) {
		while (!input_ended()) {
			struct timespec left = { 0, PAUSE_MS * 1000000 };

			wrong += unshare(CLONE_VM) != 0;
			rounds++;
			/* a signal's handler does not shorten the wait */
			while (nanosleep(&left, &left) && errno == EINTR)
				;
		}
	} else if (argc == 2 && !strcmp(argv[1], "signals")) {
		answer_signals();
	} else {
		while (!input_ended())
			usleep(PAUSE_MS * 1000);
	}
	over = 1;
	while (n)
		pthread_join(threads[--n], NULL);
	printf("rounds %lu interrupted %lu wrong %lu\n", rounds, interrupted,
	       wrong);
	return 0;
}
