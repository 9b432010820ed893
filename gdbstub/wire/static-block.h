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
 * The time is nanoseconds of the real-time clock, 0 if it is not known; the
 * thread is its id. Integers are little-endian.
 *
 * What must stay true: no program can map the address (it is not canonical on
 * x86-64); the action names 0 bytes, so gdbserver itself collects nothing; the
 * block is the first of its frame, so its element is at the start of the list
 * that gdb reads in pieces.
 */
#ifndef GDBSTUB_WIRE_STATIC_BLOCK_H
#define GDBSTUB_WIRE_STATIC_BLOCK_H

#define STATIC_BLOCK_ADDRESS	0x7461666672000000ull	/* "taffr" */
#define STATIC_STAMP_BYTES	16u			/* before the text */

#endif
