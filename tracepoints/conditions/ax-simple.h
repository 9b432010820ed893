/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions: recognises the programs that GDB makes of `id > 1000` and of
 * `collect id`. Hits then need no interpreter for them.
 */
#ifndef TRACEPOINTS_CONDITIONS_AX_SIMPLE_H
#define TRACEPOINTS_CONDITIONS_AX_SIMPLE_H

#include "tracepoints/conditions/ax.h"

#define AX_SIMPLE_NO_REGISTER	255

/*
 * A value that is compared with a constant. The value is the sum of a register,
 * if there is one, and an offset; or, if `bytes` is not 0, so many bytes of
 * memory at that address, in host order and zero extended. The condition holds
 * when the value, shifted left, lies no more than `span` above `low`, modulo
 * 2^64.
 */
struct ax_simple {
	uint8_t is;			/* the other members are valid */
	uint8_t reg;			/* number, or AX_SIMPLE_NO_REGISTER */
	uint8_t bytes;			/* of memory: 1, 2, 4, 8; 0: none */
	uint8_t shift;
	uint32_t reserved;
	uint64_t offset;
	uint64_t low;
	uint64_t span;
};

/* Sets *test from a verified program; `is` is 0 if the program is no such
 * condition. SIGSAFE. */
void ax_simple_test(struct ax_simple *test, const struct ax_program *program);

/* Memory that a program collects, if it does nothing else. */
struct ax_simple_memory {
	uint32_t reg;			/* or AX_SIMPLE_NO_REGISTER */
	uint64_t offset;		/* from the register, or from 0 */
	uint64_t bytes;
};

/* Returns true; or false when a verified program does more, or less, than
 * collect one such memory. SIGSAFE. */
bool ax_simple_collect(struct ax_simple_memory *memory,
		       const struct ax_program *program);

#endif
