/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls that a signal ends. Each signal is sent only after its call has
 * begun, so the call ends, or goes on by SA_RESTART, whatever stops the thread
 * in between. Runs until there is input, for ROUNDS_MIN rounds at least, and
 * prints
 *
 *	rounds N lost N wrong N
 *
 * `lost` are signals whose call did not end within seconds, `wrong` are calls
 * that returned something else, or had another number of handlers run. The
 * handler uses more of the stack than a few pages.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOST_MS		5000
#define DEEP_BYTES	49152
#define DELAY_US	1500
#define ROUNDS_MIN	101

static struct shared {
	atomic_ulong asked, answered, seen;	/* rounds */
	atomic_ulong handled, lost;
	atomic_int over;
} *shared;
static int bytes[2], epoll;

static void handler(int number)
{
	char deep[DEEP_BYTES];

	memset(deep, number, sizeof(deep));
	__asm__ volatile("" : : "r"(deep) : "memory");
	shared->handled++;
}

static long by_pause(void)
{
	return pause();
}

static long by_nanosleep(void)
{
	const struct timespec pause = { .tv_sec = 1000 };

	return clock_nanosleep(CLOCK_REALTIME, 0, &pause, NULL) == EINTR ?
	       -1 : 0;
}

static long by_poll(void)
{
	struct pollfd fd = { .fd = bytes[0], .events = POLLIN };

	return poll(&fd, 1, -1);
}

static long by_poll_limited(void)
{
	struct pollfd fd = { .fd = bytes[0], .events = POLLIN };

	return poll(&fd, 1, 1000000);
}

static long by_epoll(void)
{
	struct epoll_event event;

	return epoll_wait(epoll, &event, 1, -1);
}

static long by_read(void)
{
	char byte;

	return read(bytes[0], &byte, 1);
}

static const struct call {
	long (*make)(void);
	long number;		/* of the system call */
	int flags;		/* of the handler */
} calls[] = {
	{ by_pause, SYS_pause, 0 },
	{ by_nanosleep, SYS_clock_nanosleep, 0 },
	{ by_poll, SYS_poll, 0 },
	{ by_poll_limited, SYS_poll, 0 },
	{ by_epoll, SYS_epoll_wait, 0 },
	{ by_read, SYS_read, 0 },
	{ by_read, SYS_read, SA_RESTART },
};
#define CALLS	(sizeof(calls) / sizeof(calls[0]))

static const struct call *call_of(unsigned long round)
{
	return &calls[round % CALLS];
}

static unsigned long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Returns the thread's system call; restart_syscall if it was begun again. */
static long number_now(pid_t pid)
{
	char path[64];
	long number = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	f = fopen(path, "re");
	if (!f)
		return -1;
	if (fscanf(f, "%ld", &number) != 1)
		number = -1;
	fclose(f);
	return number;
}

/* Waits until that many handlers have run or calls have returned: 0, or 1 when
 * that takes too long. */
static int wait_for(atomic_ulong *counter, unsigned long value)
{
	unsigned long end = now_us() + LOST_MS * 1000ul;

	while (*counter < value) {
		if (now_us() > end)
			return 1;
		usleep(20);
	}
	return 0;
}

static void send_one(pid_t pid, unsigned long round)
{
	const struct call *call = call_of(round);
	unsigned long until;
	long number;

	do
		number = number_now(pid);
	while (number != call->number && number != SYS_restart_syscall);
	until = now_us() + (unsigned long)random() % DELAY_US;
	while (now_us() < until)
		;
	kill(pid, SIGUSR1);
	if (call->flags) {
		shared->lost += wait_for(&shared->handled, round + 1);
		if (write(bytes[1], "", 1) != 1)
			_exit(1);
	}
	if (wait_for(&shared->answered, round + 1)) {
		shared->lost++;
		while (kill(pid, SIGUSR1),
		       wait_for(&shared->answered, round + 1))
			;
	}
}

static void send_signals(pid_t pid)
{
	struct pollfd input = { .events = POLLIN };
	unsigned long round = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!shared->over && getppid() == pid) {
		while (shared->asked <= round)
			usleep(20);
		send_one(pid, round);
		shared->over = round + 1 >= ROUNDS_MIN &&
			       poll(&input, 1, 0) == 1;
		shared->seen = ++round;
	}
	_exit(0);
}

int main(void)
{
	unsigned long round, wrong = 0, before;
	struct sigaction action = { .sa_handler = handler };
	struct epoll_event event = { .events = EPOLLIN };
	pid_t pid = getpid();

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	epoll = epoll_create1(0);
	if (shared == MAP_FAILED || pipe(bytes) ||
	    epoll_ctl(epoll, EPOLL_CTL_ADD, bytes[0], &event))
		return 2;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	if (!fork())
		send_signals(pid);
	puts("ready");
	fflush(stdout);
	for (round = 0; !shared->over; round++) {
		const struct call *call = call_of(round);
		long ret;

		action.sa_flags = call->flags;
		sigaction(SIGUSR1, &action, NULL);
		before = shared->handled;
		shared->asked = round + 1;
		ret = call->make();
		wrong += ret != (call->flags ? 1 : -1) ||
			 shared->handled != before + 1;
		shared->handled = round + 1;
		shared->answered = round + 1;
		while (shared->seen <= round)
			usleep(20);
	}
	wait(NULL);
	printf("rounds %lu lost %lu wrong %lu\n", round, shared->lost, wrong);
	return 0;
}
