/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What every C unit test includes: one line of output a check, in the words
 * that DejaGnu counts.
 *
 *	int main(void)
 *	{
 *		unit_check(ring_create(&r) == 0, "create");
 *		unit_equal(r.cpu, 3, "cpu of ring %d", i);
 *		return unit_end();
 *	}
 *
 * What must stay true: a line is out before the next check begins, so that a
 * crash loses nothing; a failed check does not change the exit status, which
 * says only whether the program came to its end (taffrail.unit/unit.exp).
 * Names are the same in every run: no addresses, no times.
 */
#ifndef TESTSUITE_UNIT_H
#define TESTSUITE_UNIT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int unit_failures __attribute__((unused));

/* What a sanitizer's own system calls would spoil is skipped under one. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNIT_SANITIZED	1
#else
#define UNIT_SANITIZED	0
#endif

/* A forked child must not repeat what its parent had in the buffer. */
static __attribute__((constructor, unused)) void unit_start(void)
{
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
}

/*
 * Reports one check under the name that `format` makes. Returns `ok`, so that
 * a test can stop early: if (!unit_check(...)) return unit_end();
 */
static __attribute__((format(printf, 4, 5), unused))
bool unit_result(bool ok, const char *file, int line, const char *format, ...)
{
	char name[256];
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	if (!ok) {
		unit_failures++;
		printf("# %s:%d: the check below failed\n", file, line);
	}
	printf("%s: %s\n", ok ? "PASS" : "FAIL", name);
	return ok;
}

/* Says what was found when it is not what was wanted. Returns the verdict. */
static __attribute__((unused))
bool unit_same(long long got, long long want, const char *expression)
{
	if (got != want)
		printf("# %s is %lld (%#llx), not %lld (%#llx)\n", expression,
		       got, (unsigned long long)got,
		       want, (unsigned long long)want);
	return got == want;
}

/* The same for strings; NULL equals only NULL. */
static __attribute__((unused))
bool unit_same_string(const char *got, const char *want,
		      const char *expression)
{
	bool same = got && want ? strcmp(got, want) == 0 : got == want;

	if (!same)
		printf("# %s is \"%s\", not \"%s\"\n", expression,
		       got ? got : "(null)", want ? want : "(null)");
	return same;
}

/* The next of a row of numbers that is the same in every run (xorshift64). */
static __attribute__((unused)) uint64_t unit_random(void)
{
	static uint64_t state = 88172645463325252ull;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* A check that cannot be made here: `reason` says what is missing. */
static __attribute__((unused))
void unit_skip(const char *name, const char *reason)
{
	printf("UNSUPPORTED: %s: %s\n", name, reason);
}

/* The result of main(): 0, since FAIL lines already say what is wrong. */
static __attribute__((unused)) int unit_end(void)
{
	printf("# %d failed\n", unit_failures);
	return 0;
}

/* unit_check(condition, format, ...): true is a PASS */
#define unit_check(condition, ...) \
	unit_result((condition), __FILE__, __LINE__, __VA_ARGS__)

/* unit_equal(got, want, format, ...): integers; prints both on failure */
#define unit_equal(got, want, ...)					\
	unit_result(unit_same((long long)(got), (long long)(want), #got), \
		    __FILE__, __LINE__, __VA_ARGS__)

/* unit_equal_string(got, want, format, ...) */
#define unit_equal_string(got, want, ...)				\
	unit_result(unit_same_string((got), (want), #got),		\
		    __FILE__, __LINE__, __VA_ARGS__)

#endif
