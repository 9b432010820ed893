/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Addresses of events, for debuggers: that of the provider's probe function, so
 * gdb finds file and line. Events of one class share this function, and so may
 * equal functions that a linker has folded. gdb tells tracepoints apart by the
 * address alone, so the second event gets the second byte of the function, and
 * so on. No code is written there.
 *
 * The registry's lock is held.
 */
#include "agent/beside/private.h"

#include "base/arena.h"
#include "base/index.h"

#define BYTES_MAX	64	/* of a function, which has more */

struct function {
	uint64_t start;
	uint64_t taken;			/* a bit a byte */
};

static struct index functions;

static bool is_function(uint64_t value, const void *start)
{
	return ((const struct function *)value)->start ==
	       *(const uint64_t *)start;
}

/* Returns NULL for a function of which no event has had an address. */
static struct function *function_find(uint64_t start)
{
	return (void *)index_find(&functions,
				  index_hash(INDEX_HASH, &start, sizeof(start)),
				  is_function, &start);
}

static struct function *function_make(uint64_t start)
{
	struct function *function = arena_keep(sizeof(*function));

	if (!function ||
	    index_add(&functions, index_hash(INDEX_HASH, &start, sizeof(start)),
		      (uint64_t)function))
		return NULL;
	function->start = start;
	return function;
}

uint8_t *address_take(void (*probe)(void))
{
	uint64_t start = (uint64_t)probe;
	struct function *function = start ? function_find(start) : NULL;
	int byte;

	if (start && !function)
		function = function_make(start);
	if (!function || !~function->taken)
		return NULL;
	byte = __builtin_ctzll(~function->taken);
	function->taken |= 1ull << byte;
	return (uint8_t *)start + byte;
}

void address_give(const uint8_t *address)
{
	struct function *function;

	for (uint64_t byte = 0; byte < BYTES_MAX; byte++) {
		function = function_find((uint64_t)address - byte);
		if (!function || !(function->taken & 1ull << byte))
			continue;
		function->taken &= ~(1ull << byte);
		return;
	}
}
