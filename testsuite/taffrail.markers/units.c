/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Durations and times with their units, in C and C++. With an argument, the
 * program prints "ready" and hits its markers until its input ends.
 */
#include <poll.h>
#include <stdio.h>
#include <taffrail/marker.h>

#ifdef __cplusplus
#include <chrono>
#endif

struct wait {
	long ns;
	int ms;
};

#define LOG(...)	TAFFRAIL_EVENT(app, wrapped, __VA_ARGS__)

static void hit(const struct wait *wait)
{
	unsigned char few = 250;
	long long then = 1700000000123456789LL;
	long long first = -9223372036854775807LL - 1;

	TAFFRAIL_EVENT(app, done, TAFFRAIL_MESSAGE("{ns}, {few}, {ms}, {s}"),
		       TAFFRAIL_DURATION(wait->ns, ns),
		       TAFFRAIL_DURATION(few, us),
		       TAFFRAIL_DURATION(wait->ms, ms),
		       TAFFRAIL_FIELD(s, TAFFRAIL_DURATION(3600, s)), 7);
	TAFFRAIL_EVENT(app, at, TAFFRAIL_MESSAGE("{then} {us} {ms} {s}"),
		       TAFFRAIL_TIME(then, ns),
		       TAFFRAIL_TIME(TAFFRAIL_FIELD(us, -1L), us),
		       TAFFRAIL_TIME(TAFFRAIL_FIELD(ms, 1500), ms),
		       TAFFRAIL_TIME(TAFFRAIL_FIELD(s, 1700000000u), s));
	TAFFRAIL_EVENT(app, far, TAFFRAIL_MESSAGE("{a} {b} {c} {d}"),
		       TAFFRAIL_TIME(TAFFRAIL_FIELD(a, first), ns),
		       TAFFRAIL_TIME(TAFFRAIL_FIELD(b, -(first + 1)), ns),
		       TAFFRAIL_TIME(TAFFRAIL_FIELD(c, first), us),
		       TAFFRAIL_TIME(TAFFRAIL_FIELD(d, 253402300800LL), s));
	LOG(TAFFRAIL_DURATION(wait->ns, ns), TAFFRAIL_FIELD(ns, 5),
	    TAFFRAIL_DURATION(wait->ns, ns));
}

#ifdef __cplusplus
static void hit_objects()
{
	using namespace std::chrono;
	milliseconds waited(1500);
	system_clock::time_point then(seconds(1700000000));
	steady_clock::time_point since(seconds(5));

	TAFFRAIL_EVENT(app, chrono, TAFFRAIL_MESSAGE("{waited} {then} {since}"),
		       waited, then, since);
}
#else
#define hit_objects()	(void)0
#endif

int main(int argc, char **argv)
{
	struct pollfd input = { 0, POLLIN, 0 };
	const struct wait wait = { -1234567, 90 };

	(void)argv;
	hit(&wait);
	hit_objects();
	if (argc > 1) {
		printf("ready\n");
		fflush(stdout);
		while (!poll(&input, 1, 1))
			hit(&wait);
	}
	return 0;
}
