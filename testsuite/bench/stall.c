/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long a program stands still: threads that do nothing but hit a marker,
 * and look at the clock each time.
 *
 *	stall [THREADS]
 *
 * Several threads sleep between, a millisecond of each. Prints "ready" and
 * obeys lines of its input:
 *
 *	begin		the threads begin to spin
 *	end NAME	they end; their largest gap is one of NAME's
 *
 * At the end of the input it prints, for each NAME,
 *
 *	us stall.NAME MEDIAN
 *	us stall.NAME.least LEAST
 *
 * in microseconds. A gap is the time between two looks at the clock, less what
 * the thread waited for a processor in it (the second number of schedstat) and
 * what it meant to sleep: what other programs take is not a stall.
 *
 * What must stay true: between a look at schedstat and the clock that belongs
 * to it lies less than QUIET_NS, else both are looked at again.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <taffrail/marker.h>
#include <time.h>
#include <unistd.h>

#define QUIET_NS	5000
#define WORK_NS		100000
#define NAP_NS		1000000
#define THREADS_MAX	64
#define SERIES		8
#define GAPS_MAX	256

struct look {
	uint64_t ns;
	uint64_t waited;
};

static struct series {
	char name[32];
	double us[GAPS_MAX];
	unsigned n;
} series[SERIES];

static int spinning;
static int nthreads = 1;
static uint64_t largest;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct look look(int schedstat)
{
	unsigned long long waited = 0;
	struct look look;
	uint64_t begin;
	char text[96];
	ssize_t n;

	do {
		begin = now_ns();
		n = pread(schedstat, text, sizeof(text) - 1, 0);
		look.ns = now_ns();
	} while (look.ns - begin > QUIET_NS);
	text[n > 0 ? n : 0] = 0;
	sscanf(text, "%*u %llu", &waited);
	look.waited = waited;
	return look;
}

static void gap_seen(uint64_t gap)
{
	uint64_t seen = __atomic_load_n(&largest, __ATOMIC_RELAXED);

	while (gap > seen &&
	       !__atomic_compare_exchange_n(&largest, &seen, gap, 0,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void *spin(void *arg)
{
	int schedstat = open("/proc/thread-self/schedstat", O_RDONLY);
	const struct timespec nap = { .tv_nsec = NAP_NS };
	struct look last = look(schedstat);
	uint64_t then = last.ns;
	uint64_t rested = then;

	(void)arg;
	while (__atomic_load_n(&spinning, __ATOMIC_RELAXED)) {
		uint64_t meant = 0;	/* of what passes now */
		uint64_t now;

		if (nthreads > 1 && then - rested > WORK_NS) {
			nanosleep(&nap, NULL);
			meant = NAP_NS;
		}
		now = now_ns();
		TAFFRAIL_EVENT(bench, spin, now);
		if (now - then > QUIET_NS) {
			struct look next = look(schedstat);
			uint64_t gap = next.ns - then;

			meant += next.waited - last.waited;
			if (gap > meant)
				gap_seen(gap - meant);
			last = next;
			now = next.ns;
		}
		if (meant)
			rested = now;
		then = now;
	}
	close(schedstat);
	return NULL;
}

static struct series *series_of(const char *name)
{
	unsigned i;

	for (i = 0; i < SERIES - 1 && series[i].n; i++)
		if (!strcmp(series[i].name, name))
			break;
	snprintf(series[i].name, sizeof(series[i].name), "%s", name);
	return &series[i];
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static void series_print(struct series *s)
{
	qsort(s->us, s->n, sizeof(s->us[0]), compare);
	printf("us stall.%s %.1f\nus stall.%s.least %.1f\n", s->name,
	       s->us[s->n / 2], s->name, s->us[0]);
}

static void obey(const char *line, pthread_t *threads)
{
	char name[32];
	int i;

	if (!strcmp(line, "begin\n") && !spinning) {
		largest = 0;
		spinning = 1;
		for (i = 0; i < nthreads; i++)
			if (pthread_create(&threads[i], NULL, spin, NULL))
				exit(1);
	} else if (sscanf(line, "end %31s", name) == 1 && spinning) {
		struct series *s = series_of(name);

		__atomic_store_n(&spinning, 0, __ATOMIC_RELAXED);
		for (i = 0; i < nthreads; i++)
			pthread_join(threads[i], NULL);
		if (s->n < GAPS_MAX)
			s->us[s->n++] = (double)largest / 1000;
	}
	puts("obeyed");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	char line[64];
	unsigned i;

	if (argc > 1)
		nthreads = atoi(argv[1]);
	if (nthreads < 1 || nthreads > THREADS_MAX)
		return 2;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		obey(line, threads);
	for (i = 0; i < SERIES; i++)
		if (series[i].n)
			series_print(&series[i]);
	return 0;
}
