/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Static data under gdbserver. Releases from 17 on do not know static data. So
 * the filter (gdbstub/filter/static.c) asks every gdbserver for memory at an
 * address that the agent reserves, and the agent (gdbstub/ipa/collect.c)
 * answers with a block of memory there:
 *
 *	action	M-1,7461666672000000,0		in place of L
 *	block	'M' u64 7461666672000000 | u16 n | n bytes:
 *		u64 time | u32 thread | u32 0 | text and its NUL
 *
 *	block	'M' u64 7461666672010000 | u16 n | n bytes: the marker's id
 *
 * The time is nanoseconds of the real-time clock, 0 if it is not known; the
 * thread is an id. Integers are little-endian. A marker of a library has its id
 * in the frame because another marker may be at its address when gdb looks at
 * the frame: libraries come and go.
 *
 * Invariant: no program can map the addresses (they are not canonical on
 * x86-64), and no block reaches into the other; the action names 0 bytes, so
 * gdbserver itself collects nothing; the blocks are the first of their frame,
 * so their elements are at the start of the list that gdb reads in pieces.
 */
#ifndef GDBSTUB_WIRE_STATIC_BLOCK_H
#define GDBSTUB_WIRE_STATIC_BLOCK_H

#define STATIC_BLOCK_ADDRESS	0x7461666672000000ull	/* "taffr" */
#define STATIC_NAME_ADDRESS	(STATIC_BLOCK_ADDRESS + 0x10000)
#define STATIC_STAMP_BYTES	16u			/* before the text */

#endif
