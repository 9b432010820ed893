/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events in the handlers of signals that come all the time, while main and a
 * second thread write, too.
 *	storm MILLISECONDS PAUSE JUMP: PAUSE loops between two events; with JUMP
 *	some handlers leave by siglongjmp
 *
 * Timers send SIGALRM and SIGPROF 10,000 times a second, and a third thread
 * sends SIGUSR1 as often as it can. Some handlers raise another signal, whose
 * handler raises the next: four deep. All handlers run on alternate stacks. The
 * program checks errno, masks and stacks: exit status 3 if one has changed.
 *
 * Prints "WHO LEAST MOST" for each thread and for each signal in it, followed
 * by "gaps" if handlers leave by a jump: the event that a handler left may be
 * there or not.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <taffrail/marker.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2, LEVELS = 4, TIMERS = 3, SIGNALS = TIMERS + LEVELS - 1,
       INTERVAL_US = 100, STACK_BYTES = 1 << 16, LOOKS = 512 };

/* The first ones come from outside, each of the others from the one before. */
static int numbers[SIGNALS];

struct stream {
	char name[16];
	volatile int64_t begun;
	volatile int64_t done;
};

struct writer {
	pthread_t thread;
	struct stream own;
	struct stream of[SIGNALS];
	sigset_t mask;
	stack_t stack;
	sigjmp_buf back;
	volatile int may_jump;
	uint64_t seed;
};

static struct writer writers[THREADS];
static __thread struct writer *self;
static volatile int over;
static volatile int wrong;
static int pause_loops;
static int jump;

static void hit(struct stream *stream)
{
	const char *who = stream->name;
	int64_t n = stream->begun++;

	errno = (int)n & 0xff;
	TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
	if (errno != ((int)n & 0xff))
		wrong = 1;
	stream->done++;
}

static int signal_index(int number)
{
	int i = 0;

	while (numbers[i] != number)
		i++;
	return i;
}

/* Returns whether this is the alternate stack, with the mask of sigaction(). */
static void look_inside(void)
{
	stack_t now;

	if (sigaltstack(NULL, &now) || !(now.ss_flags & SS_ONSTACK) ||
	    now.ss_sp != self->stack.ss_sp)
		wrong = 1;
}

static void on_signal(int number)
{
	struct stream *stream = &self->of[signal_index(number)];
	int level = signal_index(number) < TIMERS ?
			    0 :
			    signal_index(number) - TIMERS + 1;
	int before = errno;

	hit(stream);
	if (level < LEVELS - 1 && stream->begun % 4 == 0)
		raise(numbers[TIMERS + level]);
	if (stream->begun % LOOKS == 0)
		look_inside();
	errno = before;
	if (jump && self->may_jump && stream->begun % 64 == 1) {
		self->may_jump = 0;
		siglongjmp(self->back, 1);
	}
}

/* The kernel fills the words of its own signals, a sigset_t has more. */
static int same_mask(const sigset_t *a, const sigset_t *b)
{
	int i;

	for (i = 1; i <= SIGRTMAX; i++)
		if (sigismember(a, i) != sigismember(b, i))
			return 0;
	return 1;
}

static void look(struct writer *writer)
{
	sigset_t mask;
	stack_t stack;

	if (pthread_sigmask(SIG_SETMASK, NULL, &mask) ||
	    !same_mask(&mask, &writer->mask) ||
	    sigaltstack(NULL, &stack) ||
	    memcmp(&stack, &writer->stack, sizeof(stack)))
		wrong = 1;
}

static void *write_all(void *arg)
{
	struct writer *writer = arg;
	stack_t stack = { .ss_size = STACK_BYTES };
	sigset_t none;
	volatile int i;

	self = writer;
	stack.ss_sp = malloc(STACK_BYTES);
	if (!stack.ss_sp || sigaltstack(&stack, NULL))
		exit(1);
	sigaltstack(NULL, &writer->stack);
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &writer->mask);
	sigsetjmp(writer->back, 1);
	while (!over) {
		writer->may_jump = 1;
		hit(&writer->own);
		writer->may_jump = 0;
		for (i = 0; i < pause_loops; i++)
			;
		if (writer->own.begun % LOOKS == 0)
			look(writer);
	}
	return NULL;
}

static void *send_all(void *arg)
{
	struct timespec pause = { 0, INTERVAL_US * 1000 };
	unsigned int n;

	for (n = 0; !over; n++) {
		if (writers[n % THREADS].own.begun)
			pthread_kill(writers[n % THREADS].thread, SIGUSR1);
		nanosleep(&pause, NULL);
	}
	return arg;
}

static void block_all(void)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
}

static int start(pthread_t *sender)
{
	struct itimerval often = { { 0, INTERVAL_US }, { 0, INTERVAL_US } };
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = SA_RESTART | SA_ONSTACK };
	int i, k;

	numbers[0] = SIGALRM;
	numbers[1] = SIGPROF;
	numbers[2] = SIGUSR1;
	for (i = 0; i < SIGNALS; i++) {
		if (i >= TIMERS)
			numbers[i] = SIGRTMIN + i;
		sigaction(numbers[i], &action, NULL);
	}
	block_all();
	for (i = 0; i < THREADS; i++) {
		struct writer *writer = &writers[i];

		sprintf(writer->own.name, "thread%d", i);
		for (k = 0; k < SIGNALS; k++)
			sprintf(writer->of[k].name, "thread%d.%d", i,
				numbers[k]);
		if (pthread_create(&writer->thread, NULL, write_all, writer))
			return 1;
	}
	setitimer(ITIMER_REAL, &often, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
	return pthread_create(sender, NULL, send_all, NULL);
}

static void print(const struct stream *stream)
{
	if (stream->begun)
		printf("%s %lld %lld%s\n", stream->name,
		       (long long)stream->done, (long long)stream->begun,
		       stream->done < stream->begun ? " gaps" : "");
}

int main(int argc, char **argv)
{
	struct itimerval never = { { 0, 0 }, { 0, 0 } };
	pthread_t sender;
	int i, k;

	if (argc != 4)
		return 2;
	pause_loops = atoi(argv[2]);
	jump = atoi(argv[3]);
	if (start(&sender))
		return 1;
	usleep((useconds_t)atoi(argv[1]) * 1000);
	over = 1;
	pthread_join(sender, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(writers[i].thread, NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	setitimer(ITIMER_PROF, &never, NULL);
	for (i = 0; i < THREADS; i++) {
		print(&writers[i].own);
		for (k = 0; k < SIGNALS; k++)
			print(&writers[i].of[k]);
	}
	return wrong ? 3 : 0;
}
