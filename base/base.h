/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Words used everywhere: attributes, arithmetic, ordered accesses.
 */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COLD		__attribute__((cold, noinline))
/* Marks code that runs in each forked child, even if the child never writes an
 * event. This code lies together, because each further page of the library
 * costs the child a page fault. */
#define FORK_TEXT	__attribute__((section(".text.hot.fork")))
#define ALWAYS_INLINE	inline __attribute__((always_inline))
/* Marks a large table of which most programs touch little. The linker sorts by
 * alignment: such tables are not between the words that all programs write. */
#define TABLE		__attribute__((aligned(64)))
/* Marks variables that each start writes. Without it the compiler aligns a
 * larger object to 32 bytes, so it would be between tables, or leave a gap
 * (agent/beside/start.ld): each page that is written costs 2 us. */
#define EARLY		__attribute__((aligned(8)))
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

/* Marks a function that may run in a signal handler, and between fork and exec.
 * Lint, which walks the calls, puts these functions into a section. */
#ifndef SIGSAFE
#define SIGSAFE
#endif

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/*
 * Each ordered access names its pair's tag, a row of base/order.def. A tag is a
 * constant 0, so it costs nothing; a tag without a row does not compile.
 * ACQUIRE(TAG) and the others are the orders of __atomic_ functions that have
 * no name here: exchanges, additions, fences.
 */
enum {
#define ORDER(tag, word, release, acquire, without, models) ORDER_##tag = 0,
#include "base/order.def"
#undef ORDER
};

#define ACQUIRE(tag)	(__ATOMIC_ACQUIRE + ORDER_##tag)
#define RELEASE(tag)	(__ATOMIC_RELEASE + ORDER_##tag)
#define ACQ_REL(tag)	(__ATOMIC_ACQ_REL + ORDER_##tag)
#define SEQ_CST(tag)	(__ATOMIC_SEQ_CST + ORDER_##tag)

#define load_acquire(p, tag)                                                   \
	__atomic_load_n((p), __ATOMIC_ACQUIRE + ORDER_##tag)
#define load_relaxed(p)		__atomic_load_n((p), __ATOMIC_RELAXED)
#define store_release(p, v, tag)                                               \
	__atomic_store_n((p), (v), __ATOMIC_RELEASE + ORDER_##tag)
#define store_relaxed(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELAXED)

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t align_up(uint64_t value, uint64_t power_of_two)
{
	return (value + power_of_two - 1) & ~(power_of_two - 1);
}

static inline bool is_power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

#endif
