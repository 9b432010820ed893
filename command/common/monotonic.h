/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CLOCK_MONOTONIC, for pauses and time-outs: no time that users see. Both
 * functions are SIGSAFE and thread-safe.
 */
#ifndef COMMAND_COMMON_MONOTONIC_H
#define COMMAND_COMMON_MONOTONIC_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since a moment that stays the same until the machine starts
 * again. */
static inline uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The same in milliseconds; signed, as deadlines are subtracted. */
static inline int64_t monotonic_ms(void)
{
	return (int64_t)(monotonic_ns() / 1000000);
}

#endif
