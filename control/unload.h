/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An agent that a command unloads: what the agent tells, and the command reads
 * in the process's memory before it has the dynamic linker unmap the library.
 */
#ifndef CONTROL_UNLOAD_H
#define CONTROL_UNLOAD_H

/* The agent's function. It gets a struct request, whose answer is a struct
 * unload_facts, and whose status becomes 1 as soon as the library ends. Changes
 * with the structure. */
#define UNLOAD_FUNCTION		"taffrail_unload_1"

/* The request's `over` where dlclose() was called and the library stays. */
#define UNLOAD_CLOSED		2

/* The thread that unloads the agent has this name, from the function on. */
#define UNLOAD_THREAD		"taffrail detach"

/* The stub (command/attach/stub.h): bytes of the code, which the block follows.
 * In the block: a word that is 1 while forks wait, the agent's handlers of
 * fork(3), and the thread pointer of a thread whose forks do not wait. */
#define UNLOAD_CODE_BYTES	4096
#define UNLOAD_GATE		8
#define UNLOAD_HANDLERS		144
#define UNLOAD_SELF		2232

#ifndef __ASSEMBLER__
#include <stdint.h>

struct unload_facts {
	uint64_t stub;		/* the code that holds forks meanwhile */
	/* Where a thread may be, or return to: the library's code, the room for
	 * stubs of USDT probes, and all memory that the agent has mapped. */
	uint64_t code, code_end;
	uint64_t stubs, stubs_end;
	uint64_t rows;		/* the address of struct mapping rows[] */
	uint64_t nrows;
};
#endif

#endif
