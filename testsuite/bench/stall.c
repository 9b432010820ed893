/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long a program stands still: a thread that does nothing but hit a
 * marker, and looks at the clock each time.
 *
 *	stall
 *
 * Prints "ready" and obeys lines of its input:
 *
 *	begin		the thread begins to spin
 *	end NAME	it ends; its largest gap is one of NAME's
 *
 * At the end of the input it prints, for each NAME,
 *
 *	us stall.NAME MEDIAN
 *	us stall.NAME.least LEAST
 *
 * in microseconds. A gap is the time between two looks at the clock, less what
 * the thread waited for a processor in it (the second number of schedstat):
 * what other programs take is not a stall.
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

static void *spin(void *arg)
{
	int schedstat = open("/proc/thread-self/schedstat", O_RDONLY);
	struct look last = look(schedstat);
	uint64_t then = last.ns;

	(void)arg;
	while (__atomic_load_n(&spinning, __ATOMIC_RELAXED)) {
		uint64_t now = now_ns();

		TAFFRAIL_EVENT(bench, spin, now);
		if (now - then > QUIET_NS) {
			struct look next = look(schedstat);
			uint64_t gap = next.ns - then;
			uint64_t waited = next.waited - last.waited;

			if (gap > waited && gap - waited > largest)
				largest = gap - waited;
			last = next;
			now = next.ns;
		}
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

static void obey(const char *line, pthread_t *thread)
{
	char name[32];

	if (!strcmp(line, "begin\n") && !spinning) {
		largest = 0;
		spinning = 1;
		if (pthread_create(thread, NULL, spin, NULL))
			exit(1);
	} else if (sscanf(line, "end %31s", name) == 1 && spinning) {
		struct series *s = series_of(name);

		__atomic_store_n(&spinning, 0, __ATOMIC_RELAXED);
		pthread_join(*thread, NULL);
		if (s->n < GAPS_MAX)
			s->us[s->n++] = (double)largest / 1000;
	}
	puts("obeyed");
	fflush(stdout);
}

int main(void)
{
	pthread_t thread;
	char line[64];
	unsigned i;

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		obey(line, &thread);
	for (i = 0; i < SERIES; i++)
		if (series[i].n)
			series_print(&series[i]);
	return 0;
}
