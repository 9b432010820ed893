/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Facts of x86-64 for the filter: the place of the instruction of a site that
 * gdbserver may replace by a jump (taffrail/site-x86_64.h), and the place of
 * the program counter among gdb's registers (64bit-core.xml of GDB 13.1).
 */
#ifndef GDBSTUB_FILTER_MACHINE_X86_64_H
#define GDBSTUB_FILTER_MACHINE_X86_64_H

#define FILTER_FAST_OFFSET	1u	/* behind the nop */
#define FILTER_FAST_LENGTH	5u
#define FILTER_PC_NUMBER	16u
#define FILTER_PC_OFFSET	128u	/* in the answer to g */
#define FILTER_PC_BYTES		8u	/* the lowest first */

#endif
