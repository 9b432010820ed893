/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events that belong together.
 *
 *	report pairs N	three threads and a child: nested calls, recursion,
 *			requests that other threads end, pairs without an end
 *			and ends without a begin; N rounds each
 *	report values N	fields of all sorts
 *	report locks N	four threads take locks of all kinds
 *	report holders N	N threads hold a lock once, and one N times
 *	report steps N	N events
 *	report open N	N requests that never end
 *	report infinite	numbers whose sum is none
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <time.h>
#include <unistd.h>

#define THREADS	3

static long rounds;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static int turn;

static uint32_t pick(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Takes a time that is now and then much longer. */
static void work(uint32_t *state)
{
	uint32_t n = pick(state) % 1000;

	n = n > 990 ? 200 * n : n;
	for (volatile uint32_t i = 0; i < n; i++)
		;
}

static void recurse(uint32_t *state, int depth)
{
	TAFFRAIL_EVENT(app, recurse_entry, depth);
	work(state);
	if (depth)
		recurse(state, depth - 1);
	/* some return past the caller */
	if (pick(state) % 50)
		TAFFRAIL_EVENT(app, recurse_exit, depth);
}

static void serve(uint32_t *state, long id, const char *url)
{
	TAFFRAIL_EVENT(app, request, id, url);
	TAFFRAIL_EVENT(app, begin);
	work(state);
	TAFFRAIL_EVENT(app, parse__entry);
	recurse(state, (int)(pick(state) % 4));
	TAFFRAIL_EVENT(app, parse__return);
	TAFFRAIL_EVENT(app, end);
}

static void *thread(void *arg)
{
	static const char *const urls[] = { "/", "/index", "/a b" };
	uint32_t state = (uint32_t)(uintptr_t)arg;
	long number = (long)(uintptr_t)arg;

	for (long i = 0; i < rounds; i++) {
		const char *url = urls[pick(&state) % 3];

		TAFFRAIL_EVENT(app, round_start, i);
		serve(&state, i * THREADS + number, url);
		/* a request that another thread began, perhaps */
		TAFFRAIL_EVENT(app, reply,
			       TAFFRAIL_FIELD(number,
					      (uint64_t)(i * THREADS +
							 (number + 1) %
							 THREADS)),
			       (int)(pick(&state) % 3));
		if (pick(&state) % 20)
			TAFFRAIL_EVENT(app, round_done, i);
		if (!(pick(&state) % 20))
			TAFFRAIL_EVENT(app, round_done, i);
	}
	return NULL;
}

static void run_threads(int n, void *(*function)(void *))
{
	pthread_t threads[8];

	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, function,
			       (void *)(uintptr_t)i);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static void pairs(void)
{
	pid_t child;

	TAFFRAIL_EVENT(app, fork_begin);
	child = fork();
	TAFFRAIL_EVENT(app, fork_end);
	run_threads(THREADS, thread);
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

static void hold_mutex(long ms)
{
	struct timespec time = { .tv_nsec = ms * 1000000 };

	pthread_mutex_lock(&mutex);
	nanosleep(&time, NULL);
	pthread_mutex_unlock(&mutex);
	sched_yield();
}

static volatile int held;

static void *wait_for_mutex(void *arg)
{
	while (!held) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		usleep(100);
	}
	return arg;
}

static void *hold_once(void *arg)
{
	hold_mutex(10);
	return arg;
}

static void *hold_often(void *arg)
{
	for (long i = 0; i < 10 * rounds; i++)
		hold_mutex(2);
	return arg;
}

static void holders(void)
{
	pthread_t waiter, thread;

	pthread_create(&waiter, NULL, wait_for_mutex, NULL);
	for (long i = 0; i <= rounds; i++) {
		pthread_create(&thread, NULL, i < rounds ? hold_once :
							   hold_often, NULL);
		pthread_join(thread, NULL);
	}
	held = 1;
	pthread_join(waiter, NULL);
}

enum fruit { APPLE = -1, PEAR = 3 };

static void values(void)
{
	char *huge = malloc(20000);
	uint32_t state = 1;
	char text[32];

	memset(huge, 'x', 19999);
	huge[19999] = '\0';
	for (long i = 0; i < rounds; i++) {
		uint32_t n = pick(&state);
		int error = (int)(n % 3);

		TAFFRAIL_EVENT(app, number, TAFFRAIL_FIELD(size, n % 100000),
			       TAFFRAIL_FIELD(change, (int)(n % 2001) - 1000),
			       TAFFRAIL_FIELD(ratio, n % 1000 / 8.0 - 20));
		snprintf(text, sizeof(text), "%s%u", n % 4 ? "" : "rare",
			 n % 4 ? n % 7 : n);
		TAFFRAIL_EVENT(app, text, TAFFRAIL_FIELD(size, (char *)text),
			       TAFFRAIL_ERRNO(error));
	}
	for (int i = 0; i < 3; i++) {
		huge[19998] = (char)('0' + i);
		TAFFRAIL_EVENT(app, huge, TAFFRAIL_FIELD(text, huge));
	}
	TAFFRAIL_EVENT(app, huge, TAFFRAIL_FIELD(text, "\033[31mred\n"));
	free(huge);
}

/* The same values in fields of other types, and other values of the same
 * bytes. */
static void types(void)
{
	TAFFRAIL_EVENT(app, ask, TAFFRAIL_FIELD(id, 0.0f),
		       TAFFRAIL_FIELD(size, 2.5f));
	TAFFRAIL_EVENT(app, answer, TAFFRAIL_FIELD(id, -0.0),
		       TAFFRAIL_FIELD(size, 2.5));
	TAFFRAIL_EVENT(app, small, TAFFRAIL_FIELD(size, (int16_t)-1));
	TAFFRAIL_EVENT(app, large, TAFFRAIL_FIELD(size, (int64_t)-1));
	TAFFRAIL_EVENT(app, most, TAFFRAIL_FIELD(size, UINT64_MAX));
	TAFFRAIL_EVENT(app, bits,
		       TAFFRAIL_FIELD(size, UINT64_C(0x4004000000000000)));
}

static void infinite(void)
{
	for (int i = 0; i < 2; i++)
		TAFFRAIL_EVENT(app, infinite, TAFFRAIL_FIELD(x, i ?
			       -__builtin_inf() : __builtin_inf()));
}

static void lists(void)
{
	int16_t list[] = { -1, 0, 7 };
	struct {
		double x;
		const char *name;
		char large[300];
	} ship = { 0.5, "a\"b", "" };

	memset(ship.large, 'x', sizeof(ship.large));
	for (int i = 0; i < 4; i++) {
		TAFFRAIL_EVENT(app, list,
			       TAFFRAIL_FIELD(list, TAFFRAIL_ARRAY(list, i)),
			       TAFFRAIL_FIELD(all, TAFFRAIL_ELEMENTS(list)));
		TAFFRAIL_EVENT(app, ship,
			       TAFFRAIL_FIELD(ship, TAFFRAIL_STRUCT(ship, x,
								    name)),
			       TAFFRAIL_FIELD(large, TAFFRAIL_STRUCT(ship, x,
								     large)));
	}
}

static void pause_us(long us)
{
	struct timespec ts = { 0, us * 1000 };

	nanosleep(&ts, NULL);
}

static void *lock_all(void *arg)
{
	uint32_t state = (uint32_t)(uintptr_t)arg;

	for (long i = 0; i < rounds; i++) {
		pthread_mutex_lock(&mutex);
		if (pick(&state) % 4 == 0)
			pause_us(pick(&state) % 300);
		pthread_mutex_unlock(&mutex);
		if (!pthread_mutex_trylock(&other)) {
			work(&state);
			pthread_mutex_unlock(&other);
		}
		if (pick(&state) % 5)
			pthread_rwlock_rdlock(&rwlock);
		else
			pthread_rwlock_wrlock(&rwlock);
		work(&state);
		pthread_rwlock_unlock(&rwlock);
		pthread_spin_lock(&spin);
		work(&state);
		pthread_spin_unlock(&spin);
	}
	/* each in its turn */
	pthread_mutex_lock(&other);
	while (turn != (int)(uintptr_t)arg)
		pthread_cond_wait(&cond, &other);
	turn++;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&other);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	rounds = argc > 2 ? atol(argv[2]) : 1;
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	if (!strcmp(what, "pairs"))
		pairs();
	else if (!strcmp(what, "values"))
		values();
	else if (!strcmp(what, "lists"))
		lists();
	else if (!strcmp(what, "types"))
		types();
	else if (!strcmp(what, "infinite"))
		infinite();
	else if (!strcmp(what, "holders"))
		holders();
	else if (!strcmp(what, "locks"))
		run_threads(4, lock_all);
	else
		for (long i = 0; i < rounds; i++)
			if (!strcmp(what, "open"))
				TAFFRAIL_EVENT(app, request, i);
			else
				TAFFRAIL_EVENT(app, step, i);
	return 0;
}
