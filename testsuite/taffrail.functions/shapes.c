/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls the functions of shapes-code.S with random values in all registers, and
 * compares the values afterwards with those from before any site was on.
 *
 *	shapes [THREADS [signals] [forks] [blocks]]
 *
 * Each thread notes the results first, and calls until a line comes on standard
 * input; "ready" is printed when all have. With "signals" a handler on each
 * thread does the same 10,000 times a second; with "forks" children do so, too;
 * with "blocks" the last thread blocks all signals. Prints how many results were
 * wrong, and the first wrong ones. Never linked to the agent.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define VALUES		4	/* sets of them, for each function */
#define SHAPES_MAX	128
#define THREADS_MAX	16
#define FLAGS		0xcd5u	/* carry to direction and overflow */
#define WORDS		16

struct shapes_state {
	uint64_t general[16];
	uint64_t vectors[16][4];
	uint64_t flags;
	uint64_t mxcsr;
	uint64_t off;
};

struct shape {
	void (*function)(void);
	const char *name;
};

extern const struct shape shapes[], shapes_end[];
extern const uint64_t shapes_helper;
void shapes_call(void (*function)(void), const struct shapes_state *in,
		 struct shapes_state *out, int avx);

/* The registers and the memory after a call. */
struct result {
	struct shapes_state state;
	uint64_t memory[WORDS];
};

/* The same values for a thread, and again for its handler. */
struct caller {
	struct shapes_state in[VALUES];
	struct result known[SHAPES_MAX][VALUES];
	uint64_t memory[WORDS];
};

struct thread {
	pthread_t id;
	struct caller own, handler;
	uint32_t next;		/* function that the handler calls */
};

static struct thread threads[THREADS_MAX];
static __thread struct thread *self;
static pthread_barrier_t begin;
static atomic_int ends;
static int avx, signals, forks, blocks, nthreads;

/* Shared with children. */
struct counts {
	atomic_long wrong, rounds, handled, children;
};
static struct counts *counts;

static uint64_t random_next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return *seed ^ *seed >> 29;
}

static void caller_fill(struct caller *caller, uint64_t seed)
{
	for (int v = 0; v < VALUES; v++) {
		struct shapes_state *in = &caller->in[v];

		for (int i = 0; i < 16; i++)
			in->general[i] = random_next(&seed);
		for (int i = 0; i < 16; i++)
			for (int k = 0; k < 4; k++)
				in->vectors[i][k] = random_next(&seed);
		in->general[4] = (uint64_t)&caller->memory[WORDS / 2];
		in->general[5] = (uint64_t)&caller->memory[2];
		in->general[9] = (uint64_t)&shapes_helper;
		in->general[11] = shapes_helper;
		/* the direction stays, and nothing traps */
		in->flags = (random_next(&seed) & 0x8d5) | 0x202;
		in->mxcsr = 0x1f80 | (random_next(&seed) & 0x603f);
	}
}

static void shape_call(struct caller *caller, uint32_t shape, int v,
		       struct result *result)
{
	for (int i = 0; i < WORDS; i++)
		caller->memory[i] = (uint64_t)i * 0x0101010101010101;
	memset(result, 0, sizeof(*result));
	shapes_call(shapes[shape].function, &caller->in[v], &result->state,
		    avx);
	result->state.flags &= FLAGS;
	memcpy(result->memory, caller->memory, sizeof(result->memory));
}

/* Writes without stdio: a handler calls this, too. */
static void wrong_tell(uint32_t shape, const struct result *got,
		       const struct result *known)
{
	const uint64_t *a = (const uint64_t *)got, *b = (const uint64_t *)known;
	char line[200];
	uint32_t i;
	int n;

	if (counts->wrong++ >= 8)
		return;
	for (i = 0; a[i] == b[i]; i++)
		;
	n = snprintf(line, sizeof(line), "%s: word %u is %llx, not %llx\n",
		     shapes[shape].name, i, (unsigned long long)a[i],
		     (unsigned long long)b[i]);
	if (write(2, line, (size_t)n) != n)
		_exit(3);
}

static void shape_check(struct caller *caller, uint32_t shape)
{
	struct result got;

	for (int v = 0; v < VALUES; v++) {
		shape_call(caller, shape, v, &got);
		if (memcmp(&got, &caller->known[shape][v], sizeof(got)))
			wrong_tell(shape, &got, &caller->known[shape][v]);
	}
}

static void caller_learn(struct caller *caller, uint64_t seed)
{
	caller_fill(caller, seed);
	for (uint32_t i = 0; i < shapes_end - shapes; i++)
		for (int v = 0; v < VALUES; v++)
			shape_call(caller, i, v, &caller->known[i][v]);
}

static void all_check(struct caller *caller)
{
	for (uint32_t i = 0; i < shapes_end - shapes; i++)
		shape_check(caller, i);
}

static void signal_handle(int signal)
{
	(void)signal;
	if (!self)
		return;
	shape_check(&self->handler, self->next);
	self->next = (self->next + 1) % (uint32_t)(shapes_end - shapes);
	counts->handled++;
}

static void timer_begin(void)
{
	const struct itimerspec each = { { 0, 100000 }, { 0, 100000 } };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
				  .sigev_signo = SIGUSR1 };
	timer_t timer;

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &each, NULL))
		abort();
}

static void *thread_run(void *arg)
{
	struct thread *thread = arg;

	caller_learn(&thread->own, 2 * (uint64_t)(thread - threads) + 1);
	caller_learn(&thread->handler, 2 * (uint64_t)(thread - threads) + 2);
	self = thread;
	if (blocks && thread == &threads[nthreads - 1]) {
		sigset_t all;

		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, NULL);
	}
	pthread_barrier_wait(&begin);
	if (signals)
		timer_begin();
	while (!ends) {
		all_check(&thread->own);
		counts->rounds++;
	}
	return NULL;
}

/* Each child calls all functions once. */
static void children_make(void)
{
	static struct caller caller;

	caller_learn(&caller, 99);
	pthread_barrier_wait(&begin);
	while (!ends) {
		pid_t child = fork();
		int status;

		if (!child) {
			all_check(&caller);
			_exit(0);
		}
		if (child < 0 || waitpid(child, &status, 0) != child || status)
			counts->wrong++;
		counts->children++;
	}
}

static void *children_run(void *unused)
{
	children_make();
	return unused;
}

int main(int argc, char **argv)
{
	int n = nthreads = argc > 1 ? atoi(argv[1]) : 0;
	const struct sigaction action = { .sa_handler = signal_handle,
					  .sa_flags = SA_RESTART };
	pthread_t maker;
	char line[16];

	for (int i = 2; i < argc; i++) {
		signals |= !strcmp(argv[i], "signals");
		forks |= !strcmp(argv[i], "forks");
		blocks |= !strcmp(argv[i], "blocks");
	}
	avx = __builtin_cpu_supports("avx");
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED || n > THREADS_MAX ||
	    shapes_end - shapes > SHAPES_MAX)
		return 2;
	sigaction(SIGUSR1, &action, NULL);
	pthread_barrier_init(&begin, NULL, (unsigned int)(n + 1 + forks));
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i].id, NULL, thread_run, &threads[i]);
	if (forks)
		pthread_create(&maker, NULL, children_run, NULL);
	pthread_barrier_wait(&begin);
	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		line[0] = '\0';
	ends = 1;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i].id, NULL);
	if (forks)
		pthread_join(maker, NULL);
	printf("%ld wrong, %s round, %s signal, %s child\n", counts->wrong,
	       counts->rounds ? "a" : "no", counts->handled ? "a" : "no",
	       counts->children ? "a" : "no");
	return counts->wrong != 0;
}
