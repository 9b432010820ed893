/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes a known number of events, from a known number of threads:
 *
 *	flood THREADS EVENTS		each thread as fast as it can
 *	flood THREADS EVENTS RATE	RATE events a second and thread
 *
 * The events are bench/flood with one u64: the thread's number in the upper
 * byte, a sequence from 0 on in the rest. Prints how many there were and what
 * one cost a thread: the median over batches, and the mean.
 *
 *	flood emitted EVENTS
 *	flood ns MEDIAN MEAN
 *	flood seconds WALL
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <taffrail/marker.h>

#define BATCH		1000	/* events between two looks at the clock */
#define THREADS_MAX	16
#define NS_PER_S	1000000000ull

struct writer {
	pthread_t thread;
	uint64_t number;
	uint64_t events;
	uint64_t rate;
	float *batch_ns;		/* an event, by batch */
	uint64_t batches;
	double ns;			/* in batches, altogether */
};

static pthread_barrier_t start;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / NS_PER_S),
			      .tv_nsec = (long)(ns % NS_PER_S) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) ==
	       EINTR)
		;
}

static __attribute__((noinline)) void batch_write(uint64_t first,
						  uint64_t count)
{
	uint64_t v;

	for (v = first; v < first + count; v++)
		TAFFRAIL_EVENT(bench, flood, v);
}

static void *writer_main(void *arg)
{
	struct writer *writer = arg;
	uint64_t done = 0;
	uint64_t begin;

	pthread_barrier_wait(&start);
	begin = now_ns();
	while (done < writer->events) {
		uint64_t left = writer->events - done;
		uint64_t count = left < BATCH ? left : BATCH;
		uint64_t t = now_ns();

		batch_write(writer->number << 56 | done, count);
		t = now_ns() - t;
		done += count;
		writer->ns += (double)t;
		writer->batch_ns[writer->batches++] =
			(float)t / (float)count;
		if (writer->rate)
			sleep_until(begin + (uint64_t)((double)done * NS_PER_S /
						       (double)writer->rate));
	}
	return NULL;
}

static int writers_run(struct writer *writers, unsigned count)
{
	unsigned i;

	pthread_barrier_init(&start, NULL, count);
	for (i = 0; i < count; i++) {
		writers[i].batch_ns = calloc(writers[i].events / BATCH + 1,
					     sizeof(float));
		if (!writers[i].batch_ns ||
		    pthread_create(&writers[i].thread, NULL, writer_main,
				   &writers[i]))
			return -1;
	}
	for (i = 0; i < count; i++)
		pthread_join(writers[i].thread, NULL);
	return 0;
}

static int compare(const void *a, const void *b)
{
	float x = *(const float *)a;
	float y = *(const float *)b;

	return (x > y) - (x < y);
}

/* The median over all batches of all writers. */
static double median(const struct writer *writers, unsigned count)
{
	uint64_t n = 0;
	uint64_t k;
	unsigned i;
	float *all;
	double result;

	for (i = 0; i < count; i++)
		n += writers[i].batches;
	all = malloc((n + 1) * sizeof(*all));
	if (!all)
		return 0;
	n = 0;
	for (i = 0; i < count; i++)
		for (k = 0; k < writers[i].batches; k++)
			all[n++] = writers[i].batch_ns[k];
	qsort(all, n, sizeof(*all), compare);
	result = n ? all[n / 2] : 0;
	free(all);
	return result;
}

int main(int argc, char **argv)
{
	struct writer writers[THREADS_MAX] = { 0 };
	uint64_t emitted = 0;
	uint64_t begin;
	double ns = 0;
	unsigned count;
	unsigned i;

	if (argc < 3 || atoi(argv[1]) < 1 || atoi(argv[1]) > THREADS_MAX)
		return 2;
	count = (unsigned)atoi(argv[1]);
	for (i = 0; i < count; i++) {
		writers[i].number = i;
		writers[i].events = strtoull(argv[2], NULL, 0);
		writers[i].rate = argc > 3 ? strtoull(argv[3], NULL, 0) : 0;
	}
	begin = now_ns();
	if (writers_run(writers, count))
		return 1;
	begin = now_ns() - begin;
	for (i = 0; i < count; i++) {
		emitted += writers[i].events;
		ns += writers[i].ns;
	}
	fprintf(stderr, "flood emitted %llu\nflood ns %.2f %.2f\n"
		"flood seconds %.3f\n", (unsigned long long)emitted,
		median(writers, count), ns / (double)emitted,
		(double)begin / NS_PER_S);
	return 0;
}
