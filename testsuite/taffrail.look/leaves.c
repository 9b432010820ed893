/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * leaves SECONDS GAP: an event a millisecond, on CPU 1 until GAP seconds before
 * the time SECONDS of the epoch, then on CPU 0 for a second and a half.
 */
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <taffrail/marker.h>

static double real_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* A machine with one CPU has the events there. */
static void write_until(int cpu, double end)
{
	static int number;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	for (; real_seconds() < end; number++) {
		TAFFRAIL_EVENT(app, tick, number);
		usleep(1000);
	}
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 0;

	write_until(1, seconds - (argc > 2 ? atof(argv[2]) : 0));
	write_until(0, seconds + 1.5);
	return 0;
}
