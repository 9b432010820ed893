/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events of all types, with extreme values, and doubles of all sizes.
 *
 *	view types	two of each marker
 *	view doubles N	N doubles: random bits, and random decimal numbers
 *	view steps N	N events, each with its number
 *	view empty	strings of 0 to 19 bytes
 *	view wait N	prints "ready", and N events for a line of its input
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taffrail/marker.h>

enum color { RED = -1, GREEN = 1, BLUE = 7 };

static void types(void)
{
	static const int numbers[] = { 1, -2, INT_MIN };
	static const double reals[] = { 0.1, -1e300 };
	static const unsigned char raw[] = { 0, 127, 255 };
	char every[256];
	int i;

	for (i = 0; i < 255; i++)
		every[i] = (char)(i + 1);
	every[255] = '\0';
	TAFFRAIL_EVENT(app, signed, (int8_t)INT8_MIN, (int16_t)INT16_MIN,
		       INT32_MIN, INT64_MIN, INT64_MAX);
	TAFFRAIL_EVENT(app, unsigned, (uint8_t)UINT8_MAX, (uint16_t)UINT16_MAX,
		       UINT32_MAX, UINT64_MAX, (uint64_t)0);
	TAFFRAIL_EVENT(app, bases, TAFFRAIL_HEX((int8_t)-1),
		       TAFFRAIL_HEX(UINT64_MAX), TAFFRAIL_OCT((int16_t)-1),
		       TAFFRAIL_OCT(8), TAFFRAIL_HEX(0), (void *)0);
	TAFFRAIL_EVENT(app, named, TAFFRAIL_BOOL(1), TAFFRAIL_BOOL(0),
		       TAFFRAIL_CHAR('x'), TAFFRAIL_CHAR('\n'),
		       TAFFRAIL_ERRNO(ENOENT), TAFFRAIL_ERRNO(-EINTR),
		       TAFFRAIL_ERRNO(9999));
	TAFFRAIL_EVENT(app, sequences, TAFFRAIL_ARRAY(numbers, 3),
		       TAFFRAIL_ARRAY(reals, 2), TAFFRAIL_BYTES(raw, 3),
		       TAFFRAIL_BYTES(raw, 0), 5);
	TAFFRAIL_EVENT(app, text, every, "\xc3\xa9", "a\\b\"c'd?e");
	TAFFRAIL_EVENT(app, reals, 0.0, -0.0, 1.0f / 3, NAN, INFINITY,
		       -INFINITY);
	TAFFRAIL_EVENT(app, none);
}

static void doubles(long n)
{
	uint64_t state = 88172645463325252ull;
	char text[64];
	double value;

	while (n--) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		memcpy(&value, &state, sizeof(value));
		TAFFRAIL_EVENT(app, bits, value);
		/* seven digits, the last one a five: halves, all but exact */
		snprintf(text, sizeof(text), "%d.%06d5e%d",
			 (int)(state % 10), (int)(state >> 8) % 1000000,
			 (int)(state >> 40) % 30 - 15);
		TAFFRAIL_EVENT(app, decimal, strtod(text, NULL));
		TAFFRAIL_EVENT(app, half, (double)(state % 20000000) / 2);
		TAFFRAIL_EVENT(app, few, (double)(state % 100000) / 1000);
	}
}

static void steps(long n)
{
	for (long step = 0; step < n; step++)
		TAFFRAIL_EVENT(app, step, step, step & 1 ? "odd" : "even");
}

static void empty(void)
{
	static const char text[] = "abcdefghijklmnopqrs";

	for (int n = 0; n < 20; n++)
		TAFFRAIL_EVENT(app, text, text + 19 - n, text + n);
}

static void wait_for(long n)
{
	char line[16];

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		steps(n);
		puts("done");
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 2;

	if (argc > 1 && !strcmp(argv[1], "doubles"))
		doubles(n);
	else if (argc > 1 && !strcmp(argv[1], "steps"))
		steps(n);
	else if (argc > 1 && !strcmp(argv[1], "empty"))
		empty();
	else if (argc > 1 && !strcmp(argv[1], "wait"))
		wait_for(n);
	else
		while (n--)
			types();
	return 0;
}
