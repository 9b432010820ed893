/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions: what GDB makes of `id > 1000` and of `collect id`, seen through,
 * so that hits need no interpreter for them.
 */
#ifndef TRACEPOINTS_CONDITIONS_AX_SIMPLE_H
#define TRACEPOINTS_CONDITIONS_AX_SIMPLE_H

#include "tracepoints/conditions/ax.h"

#define AX_SIMPLE_NO_REGISTER	255

/*
 * A value that is compared with a constant: that of a register, if there is
 * one, plus an offset; or the memory there, as many bytes, in host order and
 * zero extended. The condition holds when the value, shifted left, lies no
 * more than `span` above `low`, modulo 2^64.
 */
struct ax_simple {
	uint8_t is;			/* all of it is valid */
	uint8_t reg;			/* number, or AX_SIMPLE_NO_REGISTER */
	uint8_t bytes;			/* of memory: 1, 2, 4, 8; 0: none */
	uint8_t shift;
	uint32_t reserved;
	uint64_t offset;
	uint64_t low;
	uint64_t span;
};

/* Is a verified program such a condition? If not, `is` is 0. SIGSAFE. */
void ax_simple_test(struct ax_simple *test, const struct ax_program *program);

/* Memory that a program collects, if it does nothing else. */
struct ax_simple_memory {
	uint32_t reg;			/* or AX_SIMPLE_NO_REGISTER */
	uint64_t offset;		/* from its value, or from 0 */
	uint64_t bytes;
};

/* Returns 1, or 0 when a verified program is no such one. SIGSAFE. */
int ax_simple_collect(struct ax_simple_memory *memory,
		      const struct ax_program *program);

#endif
