/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls of which the program itself knows what their events must say. "whole
 * SEED CALLS THREADS": each thread makes some CALLS calls, by a tree that the
 * seed decides: recursion, tail calls, exceptions, longjmp(), coroutines, and
 * signals whose handlers call, on the thread's stack or another one. Half of
 * the threads end in the middle. Prints a line for each call that returned, in
 * the order of their ends:
 *
 *	VTID FUNCTION ARG1 ARG2 value|to VALUE DEPTH
 *
 * The depth is 0 where calls were left before, so nothing says when it is known
 * that they are over. "whole fork N": N times forks in a function; both return.
 * "whole storm CALLS": calls while a timer sends signals at 10 kHz. "whole
 * threads ENDED N": ENDED threads one after the other, half of which end in a
 * function, and then N threads that are in a function at the same time. "whole
 * wait": says "ready" in a function, and returns after a line.
 */
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

#define KEEP __attribute__((noinline, noclone))
#define OUTSIDE static __attribute__((always_inline)) inline

struct call {
	int function;
	long a, b;
	bool tail;
	long value;
	long depth;
};

#define COROUTINES	3
#define STACK_BYTES	65536

struct coroutine {
	ucontext_t context;
	char *stack;
	int steps;
};

/* What the program knows of a thread. */
struct known {
	pid_t tid;
	unsigned long random;
	long left;		/* calls to make */
	int level;
	bool crooked;		/* a call was left, or was in a coroutine */
	bool handled;
	bool single;		/* no coroutines */
	jmp_buf *jump;
	int catches;
	std::vector<call> open;
	std::vector<call> done;
	coroutine coroutines[COROUTINES];
	ucontext_t main;
	int inside;		/* the coroutine that runs + 1 */
};

static thread_local known *volatile self;

OUTSIDE unsigned int choose(unsigned int n)
{
	known *k = self;

	k->random = k->random * 6364136223846793005ul + 1442695040888963407ul;
	return (unsigned int)(k->random >> 33) % n;
}

OUTSIDE size_t begun(int function, long a, long b)
{
	known *k = self;

	k->left--;
	k->open.push_back({ function, a, b, false, 0, 0 });
	return k->open.size();
}

/* Notes the end of the innermost open call of a function with these
 * arguments. */
OUTSIDE void ended(int function, long a, long b, bool tail, long value)
{
	known *k = self;
	size_t i = k->open.size();

	while (i-- && !(k->open[i].function == function &&
			k->open[i].a == a && k->open[i].b == b))
		;
	call c = k->open[i];
	c.tail = tail;
	c.value = value;
	c.depth = k->crooked ? 0 : (long)i + 1;
	k->done.push_back(c);
	k->open.erase(k->open.begin() + (long)i);
}

#define FUNCTIONS	8
#define NAMES(X)	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

#define DECLARE(N) extern "C" KEEP long fn##N(long a, long b);
NAMES(DECLARE)

static long (*volatile const functions[])(long, long) = {
#define ADDRESS(N) fn##N,
	NAMES(ADDRESS)
};

static __attribute__((noinline)) long any(long b)
{
	static thread_local long serial;

	return functions[choose(FUNCTIONS)](++serial, b);
}

static __attribute__((noinline)) void coroutine_run(int number)
{
	for (;;) {
		any(number);
		self->coroutines[number].steps++;
		self->inside = 0;
		swapcontext(&self->coroutines[number].context, &self->main);
	}
}

static __attribute__((noinline)) long coroutine_go(int number)
{
	known *k = self;
	coroutine *c = &k->coroutines[number];

	if (k->inside || k->handled || k->single)
		return 1;
	k->crooked = true;
	if (!c->stack) {
		c->stack = (char *)malloc(STACK_BYTES);
		getcontext(&c->context);
		c->context.uc_stack.ss_sp = c->stack;
		c->context.uc_stack.ss_size = STACK_BYTES;
		makecontext(&c->context, (void (*)())coroutine_run, 1, number);
	}
	k->inside = number + 1;
	swapcontext(&k->main, &c->context);
	return c->steps;
}

/* Leaves a coroutine in the middle of its calls. */
static __attribute__((noinline)) void coroutine_yield(void)
{
	known *k = self;
	int inside = k->inside;

	if (!inside)
		return;
	k->inside = 0;
	swapcontext(&k->coroutines[inside - 1].context, &k->main);
}

static void handler(int)
{
	known *k = self;
	bool before;

	if (!k || k->handled)
		return;
	before = k->handled;
	k->handled = true;
	any(-1);
	k->handled = before;
}

static __attribute__((noinline)) long caught(long b)
{
	size_t open = self->open.size();
	long value;

	self->catches++;
	try {
		value = any(b);
	} catch (int thrown) {
		self->open.resize(open);
		self->crooked = true;
		value = thrown;
	}
	self->catches--;
	return value;
}

static __attribute__((noinline)) long jumped(long b)
{
	jmp_buf here, *volatile before = self->jump;
	volatile size_t open = self->open.size();
	volatile int catches = self->catches, level = self->level;
	volatile long value = 7;

	if (!setjmp(here)) {
		self->jump = &here;
		/* an exception would leave this frame, too */
		self->catches = 0;
		value = any(b);
	} else {
		self->open.resize(open);
		self->level = level;
		self->crooked = true;
	}
	self->catches = catches;
	self->jump = before;
	return value;
}

/* The body of a function, which may leave it. */
static __attribute__((noinline)) long body(long a, long b)
{
	known *k = self;
	bool plain = k->inside || k->handled;
	long sum = a ^ b;

	if (k->level > 30 || k->left <= 0)
		return sum;
	switch (choose(12)) {
	case 0:
	case 1:
	case 2:
		for (unsigned int i = choose(3) + 1; i; i--)
			sum += any(a);
		break;
	case 3:
		sum += plain ? 1 : caught(a);
		break;
	case 4:
		sum += plain ? 2 : jumped(a);
		break;
	case 5:
		if (k->catches && !plain && !k->jump)
			throw (int)a;
		break;
	case 6:
		if (k->jump && !plain && !k->catches)
			longjmp(*k->jump, 1);
		break;
	case 7:
		if (!k->jump && !k->catches)
			sum += coroutine_go((int)choose(COROUTINES));
		break;
	case 8:
		coroutine_yield();
		break;
	case 9:
		raise(a & 1 ? SIGUSR1 : SIGUSR2);
		break;
	default:
		break;
	}
	return sum;
}

/* The level falls, also when an exception passes. */
struct level {
	level() { self->level++; }
	~level() { self->level--; }
};

static __attribute__((noinline)) long deeper(long a, long b)
{
	level here;

	return body(a, b);
}

#define DEFINE(N)							\
	extern "C" KEEP long fn##N(long a, long b)			\
	{								\
		begun(N, a, b);						\
		long value = deeper(a, b) + N;				\
									\
		if (N % 3 == 1 && value & 1) {				\
			ended(N, a, b, true, 0);			\
			return fn0(value, b);				\
		}							\
		ended(N, a, b, false, value);				\
		return value;						\
	}
NAMES(DEFINE)

/* Calls from no function that is recorded; longjmp() may lead here. */
static void from_outside(void)
{
	if (choose(3))
		any(0);
	else
		jumped(0);
}

struct job {
	pthread_t thread;
	unsigned long seed;
	long calls;
	bool leaves;
	struct known it;
};

/* In a function that is recorded, and does not return. */
extern "C" KEEP long fn_leaving(long a, long b)
{
	if (!a)
		return b;
	begun(FUNCTIONS, a, b);
	while (self->left > 0) {
		from_outside();
		self->crooked &= !self->single;
	}
	pthread_exit(NULL);
}

static void *run(void *arg)
{
	job *j = (job *)arg;
	char stack[STACK_BYTES];
	stack_t other = { stack, 0, sizeof(stack) };

	j->it.tid = gettid();
	j->it.random = j->seed;
	j->it.left = j->calls;
	self = &j->it;
	sigaltstack(&other, NULL);
	if (j->leaves)
		fn_leaving(1, 2);
	while (self->left > 0) {
		from_outside();
		/* what was left lay further in */
		self->crooked &= !self->single;
	}
	other.ss_flags = SS_DISABLE;
	sigaltstack(&other, NULL);
	return NULL;
}

static void print(const known &k)
{
	for (const call &c : k.done)
		printf("%d fn%d %ld %ld %s %ld %ld\n", (int)k.tid, c.function,
		       c.a, c.b, c.tail ? "to" : "value", c.value, c.depth);
}

extern "C" KEEP long forks(long, long m)
{
	pid_t child = fork();

	__asm__ volatile("" ::: "memory");
	return child ? child : -m;
}

extern "C" KEEP long stormy(long n, long m)
{
	long value = n > 0 ? stormy(n - 1, m) : m - 1;

	__asm__ volatile("" : "+r"(value));
	return value + 1;
}

static volatile long stormed;

extern "C" KEEP long in_storm(long n, long m)
{
	__asm__ volatile("");
	return n + m;
}

static void on_storm(int)
{
	stormed += in_storm(stormed, 1) - stormed;
}

static int storm(long left)
{
	struct itimerspec often = { { 0, 100000 }, { 0, 100000 } };
	struct sigaction action = {};
	long calls = 0, wrong = 0;
	timer_t timer;

	action.sa_handler = on_storm;
	action.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &action, NULL);
	timer_create(CLOCK_MONOTONIC, NULL, &timer);
	timer_settime(timer, 0, &often, NULL);
	for (; calls < left; calls++)
		wrong += stormy(20, calls) != calls + 20;
	timer_delete(timer);
	printf("%ld %ld %ld\n", calls, (long)stormed, wrong);
	return wrong != 0;
}

static sem_t inside, out;

extern "C" KEEP long waits(long n, long)
{
	sem_post(&inside);
	sem_wait(&out);
	return n;
}

extern "C" KEEP long ends(long n, long)
{
	if (n & 1)
		pthread_exit(NULL);
	return n;
}

static void *wait_run(void *n)
{
	return (void *)waits((long)n, 0);
}

static void *end_run(void *n)
{
	return (void *)ends((long)n, 0);
}

static int many(long ended, long n)
{
	std::vector<pthread_t> threads((size_t)n);
	pthread_attr_t small;
	pthread_t one;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 128 << 10);
	for (long i = 0; i < ended; i++) {
		pthread_create(&one, &small, end_run, (void *)i);
		pthread_join(one, NULL);
	}
	for (long i = 0; i < n; i++)
		pthread_create(&threads[(size_t)i], &small, wait_run, (void *)i);
	for (long i = 0; i < n; i++)
		sem_wait(&inside);
	for (long i = 0; i < n; i++)
		sem_post(&out);
	for (long i = 0; i < n; i++)
		pthread_join(threads[(size_t)i], NULL);
	return 0;
}

extern "C" KEEP long lines(const char *said, long n)
{
	char line[8];

	puts(said);
	fflush(stdout);
	return fgets(line, sizeof(line), stdin) ? n : -n;
}

int main(int argc, char **argv)
{
	struct sigaction action = {};
	int threads;

	if (argc > 2 && !strcmp(argv[1], "fork")) {
		for (int i = atoi(argv[2]); i; i--) {
			long child = forks(i, i * 10);

			if (child < 0)
				_exit(0);
			waitpid((pid_t)child, NULL, 0);
		}
		return 0;
	}
	if (argc > 3 && !strcmp(argv[1], "threads"))
		return many(atol(argv[2]), atol(argv[3]));
	if (!strcmp(argv[1], "wait"))
		return !lines("ready", lines("first", 1) + 1);
	if (argc > 2 && !strcmp(argv[1], "storm"))
		return storm(atol(argv[2]));
	action.sa_handler = handler;
	action.sa_flags = SA_NODEFER;
	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags |= SA_ONSTACK;
	sigaction(SIGUSR2, &action, NULL);
	threads = atoi(argv[3]);
	std::vector<job> jobs((size_t)threads);
	for (job &j : jobs) {
		j.seed = strtoul(argv[1], NULL, 10) * 1000 +
			 (unsigned long)(&j - jobs.data());
		j.calls = atol(argv[2]);
		j.leaves = (&j - jobs.data()) & 1;
		j.it.single = (&j - jobs.data()) & 2;
		pthread_create(&j.thread, NULL, run, &j);
	}
	for (job &j : jobs)
		pthread_join(j.thread, NULL);
	for (job &j : jobs)
		print(j.it);
	return 0;
}
