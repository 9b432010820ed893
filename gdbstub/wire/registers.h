/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The machine's registers as gdb numbers them: the target description, and the
 * answers about a snapshot.
 */
#ifndef GDBSTUB_WIRE_REGISTERS_H
#define GDBSTUB_WIRE_REGISTERS_H

#include "base/text.h"
#include "gdbstub/wire/packet.h"

#ifdef __x86_64__
#include "tracepoints/program/registers-x86_64.h"
#endif

/* Adds the target description (target.xml). */
void registers_describe(struct text *out);

/*
 * `known` of the two functions below: only the address is known (0), the
 * block, or all of struct registers.
 */
enum registers_known {
	REGISTERS_KNOWN_ADDRESS = 0, REGISTERS_KNOWN_BLOCK = 1,
	REGISTERS_KNOWN_MORE = 2,
};

/* Answers `g`: the registers of the block, one after the other, `x` for each
 * digit that is not known. */
void registers_add(struct packet *out, const struct registers *registers,
		   int known);

/* Answers `p`: one register. Returns false when no register has that number. */
bool registers_add_one(struct packet *out, const struct registers *registers,
		       int known, uint64_t number);

#endif
