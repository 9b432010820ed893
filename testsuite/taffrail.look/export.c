/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events whose values export.py knows.
 *
 *	export values	extreme values of all types
 *	export texts N	N strings of random bytes
 *	export reals N	N doubles: random bits, and random decimal numbers
 *	export steps N	N events, each with its number
 *			(with -DOTHER other fields)
 *	export calls	pairs: nested calls in two threads, a request with a
 *			key; and a start whose end no marker tells
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taffrail/marker.h>

static uint64_t state = 88172645463325252ull;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static void values(void)
{
	static const int32_t numbers[] = { 1, -2, INT32_MIN };
	static const uint64_t large[] = { 0, UINT64_MAX };
	static const double reals[] = { 0.1, -0.0, NAN, INFINITY };
	static const unsigned char raw[] = { 0, 127, 255 };
	int64_t ns = -1;

	TAFFRAIL_EVENT(app, signed, (int8_t)INT8_MIN, (int16_t)INT16_MIN,
		       INT32_MIN, INT64_MIN, INT64_MAX);
	TAFFRAIL_EVENT(app, unsigned, (uint8_t)UINT8_MAX, (uint16_t)UINT16_MAX,
		       UINT32_MAX, UINT64_MAX, (uint64_t)INT64_MAX + 1,
		       (uint64_t)INT64_MAX);
	TAFFRAIL_EVENT(app, shown, TAFFRAIL_HEX((int8_t)-1),
		       TAFFRAIL_OCT((int16_t)-8), (void *)0x1000);
	TAFFRAIL_EVENT(app, named, TAFFRAIL_BOOL(1), TAFFRAIL_CHAR('\n'),
		       TAFFRAIL_ERRNO(ENOENT), TAFFRAIL_ERRNO(-EINTR),
		       TAFFRAIL_ERRNO(9999));
	TAFFRAIL_EVENT(app, arrays, TAFFRAIL_ARRAY(numbers, 3),
		       TAFFRAIL_ARRAY(large, 2), TAFFRAIL_ARRAY(reals, 4),
		       TAFFRAIL_BYTES(raw, 3), TAFFRAIL_BYTES(raw, 0), 5);
	TAFFRAIL_EVENT(app, reals, 0.1, -0.0, 1.0f / 3, NAN, INFINITY,
		       -INFINITY, DBL_MAX, DBL_TRUE_MIN, 1e22,
		       9007199254740993.0, 5.0);
	TAFFRAIL_EVENT(app, texts, "", "a\"b,c;'d'\\e\n\tf", "\xc3\xa9\xe2\x82\xac",
		       "caf\xe9", "\xed\xa0\x80", "\xee\xbe\x80x", "\xf0\x9f\x98",
		       "\x01\x7f", "x\r\ny");
	TAFFRAIL_EVENT(app, taken, ns, (int)1, TAFFRAIL_FIELD(cpu_id, 2),
		       TAFFRAIL_FIELD(NS, 3), TAFFRAIL_FIELD(vtid, 4));
	TAFFRAIL_EVENT(app, none);
}

static void texts(long n)
{
	char text[64];

	while (n--) {
		size_t length = next_random() % (sizeof(text) - 1);
		size_t i;

		/* bytes that often make a character of UTF-8 */
		for (i = 0; i < length; i++) {
			static const unsigned char often[] = {
				0xc2, 0xe2, 0xee, 0xed, 0xf0, 0xf4, 0x80, 0x9f,
				0xbf, 0xbe, 0x90, '"', '\\', '\n', 'a', 0xef,
			};
			uint64_t random = next_random();

			text[i] = (char)(random & 1 ? often[random >> 8 & 15] :
						      (random >> 8) % 255 + 1);
		}
		text[length] = '\0';
		TAFFRAIL_EVENT(app, text, TAFFRAIL_FIELD(text, text),
			       TAFFRAIL_BYTES(text, (uint32_t)length));
	}
}

static void reals(long n)
{
	char text[64];
	double value;

	while (n--) {
		uint64_t random = next_random();

		memcpy(&value, &random, sizeof(value));
		TAFFRAIL_EVENT(app, real, value, random);
		snprintf(text, sizeof(text), "%d.%0*de%d", (int)(random % 10),
			 1 + (int)(random >> 50 & 7),
			 (int)(random >> 8) % 1000000,
			 (int)(random >> 40) % 24 - 12);
		value = strtod(text, NULL);
		memcpy(&random, &value, sizeof(random));
		TAFFRAIL_EVENT(app, real, value, random);
	}
}

static void steps(long n)
{
	for (long step = 0; step < n; step++)
#ifdef OTHER
		TAFFRAIL_EVENT(app, step, TAFFRAIL_FIELD(step, "text"),
			       TAFFRAIL_FIELD(more, step));
#else
		TAFFRAIL_EVENT(app, step, step, step & 1 ? "odd" : "even");
#endif
}

static void *call(void *depth)
{
	long n = (long)depth;

	TAFFRAIL_EVENT(app, call_entry, n);
	if (n)
		call((void *)(n - 1));
	else
		TAFFRAIL_EVENT(app, leaf);
	TAFFRAIL_EVENT(app, call_exit, n);
	return NULL;
}

static void calls(void)
{
	pthread_t thread;
	cpu_set_t set;

	/* without threads, what belongs together must be on one CPU */
	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
	TAFFRAIL_EVENT(app, process_start);
	TAFFRAIL_EVENT(app, request_start, TAFFRAIL_FIELD(id, 7));
	call((void *)3);
	pthread_create(&thread, NULL, call, (void *)2);
	pthread_join(thread, NULL);
	TAFFRAIL_EVENT(app, request_done, TAFFRAIL_FIELD(id, 7));
	TAFFRAIL_EVENT(app, request_start, TAFFRAIL_FIELD(id, 8));
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "values";
	long n = argc > 2 ? atol(argv[2]) : 1;

	if (!strcmp(word, "texts"))
		texts(n);
	else if (!strcmp(word, "reals"))
		reals(n);
	else if (!strcmp(word, "steps"))
		steps(n);
	else if (!strcmp(word, "calls"))
		calls();
	else
		values();
	return 0;
}
