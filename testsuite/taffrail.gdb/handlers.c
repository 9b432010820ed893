/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program whose signal handlers hit markers in the middle of its threads'
 * hits. At each hit r12 holds what the marker's field `value` holds, r13 is the
 * address of a cell on the stack with the same, and `bytes` is a block of it.
 *
 * It prints "ready". At a line "MODE N" on its input each thread hits app/loop
 * N times in that mode. The answer is "done", the numbers of hits of app/loop
 * and of app/tick, and how many hits siglongjmp() left.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <taffrail/marker.h>
#include <time.h>
#include <unistd.h>

/* TICKS_MAX: a slow machine may do little but handle signals, and the frames of
 * a round must fit into gdb's buffer. */
enum { THREADS = 3, BLOCK = 96, PERIOD_NS = 100000, TICKS_MAX = 20000 };

static pthread_barrier_t begin, end;
static volatile long rounds;
static volatile char mode;
static long looped, ticked, left, errno_lost;
static __thread sigjmp_buf way_out;
static __thread volatile sig_atomic_t may_leave;
static __thread long serial;

/* A hit with known registers. */
#define HIT(name, number) do {						\
	volatile long cell = (number);					\
	char bytes[BLOCK];						\
	register long value __asm__("r12") = cell;			\
	register volatile long *where __asm__("r13") = &cell;		\
									\
	memset(bytes, (int)value, sizeof(bytes));			\
	__asm__ volatile("" : "+r"(value), "+r"(where) :: "memory");	\
	TAFFRAIL_EVENT(app, name, value, where,				\
		       TAFFRAIL_BYTES(bytes, BLOCK));			\
	__asm__ volatile("" :: "r"(value), "r"(where), "m"(bytes));	\
} while (0)

static __attribute__((noinline)) void hit_loop(long number)
{
	HIT(loop, number);
}

static __attribute__((noinline)) void hit_tick(long number)
{
	HIT(tick, number);
}

/* SIGUSR1 is raised in the handler of SIGALRM: nested, each with hits. */
static void tick(int signal)
{
	int before = errno;

	errno = 77;
	hit_tick(0x7100000000000000 + ++serial);
	__atomic_fetch_add(&ticked, 1, __ATOMIC_RELAXED);
	if (errno != 77)
		__atomic_fetch_add(&errno_lost, 1, __ATOMIC_RELAXED);
	errno = before;
	if (signal != SIGUSR1)
		syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1);
	else if (mode == 'j' && may_leave) {
		__atomic_fetch_add(&left, 1, __ATOMIC_RELAXED);
		siglongjmp(way_out, 1);
	}
}

static void timer_open(timer_t *timer)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
				  .sigev_signo = SIGALRM };
	struct itimerspec each = { .it_value.tv_nsec = PERIOD_NS,
				   .it_interval.tv_nsec = PERIOD_NS };

	event._sigev_un._tid = gettid();
	if (timer_create(CLOCK_MONOTONIC, &event, timer) ||
	    timer_settime(*timer, 0, &each, NULL))
		abort();
}

static void loop(void)
{
	volatile long i = 0;

	if (sigsetjmp(way_out, 1))
		may_leave = 0;
	while (i < rounds &&
	       __atomic_load_n(&ticked, __ATOMIC_RELAXED) < TICKS_MAX) {
		i++;
		may_leave = 1;
		hit_loop(((long)gettid() << 32) + i);
		may_leave = 0;
		__atomic_fetch_add(&looped, 1, __ATOMIC_RELAXED);
	}
}

static void *work(void *arg)
{
	stack_t aside = { .ss_sp = malloc(32768), .ss_size = 32768 };
	timer_t timer;

	sigaltstack(&aside, NULL);
	for (;;) {
		pthread_barrier_wait(&begin);
		if (rounds < 0)
			return arg;
		timer_open(&timer);
		loop();
		timer_delete(timer);
		pthread_barrier_wait(&end);
	}
}

static void handlers_set(void)
{
	struct sigaction action = { .sa_handler = tick,
				    .sa_flags = SA_NODEFER };

	if (mode == 'a')
		action.sa_flags |= SA_ONSTACK;
	action.sa_flags |= SA_RESTART;
	sigaction(SIGUSR1, &action, NULL);
	sigaddset(&action.sa_mask, SIGALRM);
	sigaction(SIGALRM, &action, NULL);
}

int main(void)
{
	pthread_t threads[THREADS];
	char line[64];
	long i;

	pthread_barrier_init(&begin, NULL, THREADS + 1);
	pthread_barrier_init(&end, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		mode = line[0];
		rounds = atol(line + 2);
		looped = ticked = left = 0;
		handlers_set();
		pthread_barrier_wait(&begin);
		pthread_barrier_wait(&end);
		printf("done loop=%ld tick=%ld left=%ld errno=%ld\n", looped,
		       ticked, left, errno_lost);
		fflush(stdout);
	}
	rounds = -1;
	pthread_barrier_wait(&begin);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
