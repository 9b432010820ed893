/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The operands of a USDT probe: the places of the arguments when a thread hits
 * the probe. The note has them as the assembler's text (sys/sdt.h 4.8; x86-64
 * AT&T syntax), which is compiled once; each hit fetches the arguments.
 */
#ifndef TRACEPOINTS_USDT_PLAN_OPERAND_H
#define TRACEPOINTS_USDT_PLAN_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

#include "tracepoints/fields/scalar.h"

struct rule_types;
struct usdt_probe;

enum usdt_place {
	USDT_UNKNOWN,		/* the text is not understood: no value */
	USDT_IMMEDIATE,		/* value */
	USDT_REGISTER,		/* base, from bit `shift` on */
	USDT_VECTOR,		/* %xmm base, its low bytes */
	USDT_MEMORY,		/* at value + base + index << scale */
	USDT_SUM,		/* that address itself */
	USDT_PROGRAM,		/* the result of the program at `value` */
	USDT_UNREAD,		/* which programs before it have failed */
	USDT_NAME,		/* a text of the agent's own, at value */
};

#define USDT_NO_REGISTER	0xff
#define USDT_LENGTH_BEHIND	0xff	/* a program behind the operand's own
					 * gives the length */

/* Registers by gdb's numbers: rax rbx rcx rdx rsi rdi rbp rsp r8..r15. */
struct usdt_operand {
	int64_t value;
	uint8_t place;		/* enum usdt_place */
	uint8_t type;		/* enum taffrail_type: a scalar, a string, or
				 * of lines a sequence */
	uint8_t bytes;		/* of the scalar: 1, 2, 4 or 8 */
	uint8_t base;
	uint8_t index;
	uint8_t scale;		/* of USDT_PROGRAM: scale << 8 | shift is the
				 * most bytes of a string, or elements of a
				 * sequence; 0: any */
	uint8_t shift;
	uint8_t length;		/* of a string or a sequence: the number of the
				 * operand that has its length, from 1 on; or
				 * 0 */
};

/*
 * Finds the address, in the running program, of a symbol that an operand names.
 * Returns 0 when there is none.
 */
typedef int usdt_symbol(const char *name, uint32_t length, uint64_t *address,
			void *priv);

/*
 * Compiles a note's operands. Returns how many there are, at most
 * TAFFRAIL_FIELDS_MAX. An operand whose text is damaged or not understood is
 * USDT_UNKNOWN and has the type of the given size. `symbol` may be NULL:
 * operands that name a symbol are then USDT_UNKNOWN.
 */
uint32_t usdt_operands_parse(const char *text,
			     struct usdt_operand operands[TAFFRAIL_FIELDS_MAX],
			     usdt_symbol *symbol, void *priv);

/* Return true when an operand can be the address of a string, or a length. */
static inline bool usdt_operand_points(const struct usdt_operand *operand)
{
	return operand->bytes == sizeof(void *) &&
	       operand->place != USDT_VECTOR && operand->place != USDT_UNKNOWN;
}

static inline bool usdt_operand_counts(const struct usdt_operand *operand)
{
	enum scalar_sort sort = scalar_sort(operand->type);

	return (sort == SCALAR_SIGNED || sort == SCALAR_UNSIGNED) &&
	       operand->place != USDT_VECTOR && operand->place != USDT_UNKNOWN;
}

/*
 * Adds to `types` the strings of one of the JVM's own probes, and the arguments
 * that have their lengths (hotspot.c). A length that `types` has already stays.
 * Other probes are left alone, and arguments that cannot be a string and a
 * length.
 */
void usdt_hotspot_types(const struct usdt_probe *probe,
			const struct usdt_operand *operands, uint32_t n,
			struct rule_types *types);

/* Returns the address of an operand in memory. `general` has 16 registers.
 * SIGSAFE. */
static inline uint64_t usdt_address(const struct usdt_operand *operand,
				    const uint64_t *general)
{
	uint64_t address = (uint64_t)operand->value;

	if (operand->base != USDT_NO_REGISTER)
		address += general[operand->base & 15];
	if (operand->index != USDT_NO_REGISTER)
		address += general[operand->index & 15] << operand->scale;
	return address;
}

#endif
