/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory that attach puts into the other process: a page of code, and after
 * it a block that the code and the command share. Both sides include this file.
 *
 *	code    one page                               stay after a first
 *	block   state, functions of libc's, texts      load: handlers of fork
 *	tls     the helper's thread-local storage      stays where malloc is not
 *	                                               libc's (`kept`)
 *	spare   its stack, the library's bytes         unmapped by the loader
 *
 * Invariant: the block lies ATTACH_CODE_BYTES behind the code's
 * first byte; the code has no address of this program's in it.
 */
#ifndef COMMAND_ATTACH_STUB_H
#define COMMAND_ATTACH_STUB_H

#include "control/request.h"
#include "control/unload.h"

#define ATTACH_CODE_BYTES	4096
#define ATTACH_BLOCK_BYTES	8192
#define ATTACH_TEXT_BYTES	1024

/* enum attach_state */
#define ATTACH_WAITS		0	/* for `go` */
#define ATTACH_LOADS		1
#define ATTACH_HOLDS		2	/* a thread that forks now waits */
#define ATTACH_OPENS		3
#define ATTACH_DONE		4	/* `text`: "", or why it is off */
#define ATTACH_NO_THREAD	5	/* `result` is the errno */
#define ATTACH_NO_FILE		6	/* `result` is the negative errno */
#define ATTACH_NO_LIBRARY	7	/* `text` is dlerror()'s */
#define ATTACH_NO_AGENT		8	/* the library has no such function */
#define ATTACH_NO_WORD		9	/* nothing was loaded */

/* `go`, the command's orders. The process's wait for an order has a
 * time-out. */
#define ATTACH_GO_LOAD		1
#define ATTACH_GO_OPEN		2
#define ATTACH_GO_END		3

/* The descriptor of the library where it comes without a path. */
#define ATTACH_FD		99

#define ATTACH_STATE		0
#define ATTACH_HELPER		4
#define ATTACH_GATE		8
#define ATTACH_RESULT		12
#define ATTACH_GO		16
#define ATTACH_FLAGS		20
#define ATTACH_RSEQ_BYTES	24
#define ATTACH_KEPT		28
#define ATTACH_PTHREAD		32
#define ATTACH_CREATE		40
#define ATTACH_DETACH		48
#define ATTACH_DLOPEN		56
#define ATTACH_DLSYM		64
#define ATTACH_DLERROR		72
#define ATTACH_ATFORK		80
#define ATTACH_ATTACH		88
#define ATTACH_RSEQ		96
#define ATTACH_IMAGE		104
#define ATTACH_IMAGE_BYTES	112
#define ATTACH_SPARE		120
#define ATTACH_SPARE_BYTES	128
#define ATTACH_LEAVE		136
#define ATTACH_FORKS		144
#define ATTACH_HELPER_MASK	168
#define ATTACH_PATH		176
#define ATTACH_TEXT		(176 + ATTACH_TEXT_BYTES)
#define ATTACH_ARGUMENT		(176 + 2 * ATTACH_TEXT_BYTES)
#define ATTACH_SELF		(184 + 2 * ATTACH_TEXT_BYTES)
#define ATTACH_AGAIN		(192 + 2 * ATTACH_TEXT_BYTES)
#define ATTACH_OVER		(196 + 2 * ATTACH_TEXT_BYTES)
#define ATTACH_ENTRY		(200 + 2 * ATTACH_TEXT_BYTES)
#define ATTACH_ENTRY_BYTES	64
#define ATTACH_REQUEST		(264 + 2 * ATTACH_TEXT_BYTES)
#define ATTACH_DLCLOSE		(288 + 6 * ATTACH_TEXT_BYTES)
#define ATTACH_HANDLE		(296 + 6 * ATTACH_TEXT_BYTES)
#define ATTACH_FINALIZE		(304 + 6 * ATTACH_TEXT_BYTES)
#define ATTACH_PAUSES		(312 + 6 * ATTACH_TEXT_BYTES)

/* How often the loader looks for an order, every 0.2 ms: some ten seconds; and
 * one while forks wait for a command that unloads the agent. */
#define ATTACH_PAUSES_LOAD	40000
#define ATTACH_PAUSES_UNLOAD	4000

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

struct attach_block {
	uint32_t state;		/* the loader's */
	uint32_t helper;	/* 1 while it lives; the kernel clears it */
	uint32_t gate;		/* 1: a thread that forks waits */
	int32_t result;
	uint32_t go;		/* the command's */
	uint32_t flags;		/* of dlopen() */
	uint32_t rseq_bytes;
	uint32_t kept;		/* bytes between block and spare */
	uint64_t pthread;
	uint64_t create;	/* functions of libc's, by their names */
	uint64_t detach;
	uint64_t dlopen;
	uint64_t dlsym;
	uint64_t dlerror;
	uint64_t atfork;
	uint64_t attach;	/* the function, if it is loaded already */
	uint64_t rseq;		/* the helper's area, or 0: libc has none */
	uint64_t image;		/* the library's bytes, or 0: it has a path */
	uint64_t image_bytes;
	uint64_t spare;
	uint64_t spare_bytes;
	uint64_t leave;		/* munmap() for code and block, or 0 */
	uint64_t forks[3];	/* the agent's handlers of fork(3), or 0 */
	uint64_t helper_mask;	/* of signals */
	char path[ATTACH_TEXT_BYTES];
	char text[ATTACH_TEXT_BYTES];
	uint64_t argument;	/* of the function: an address */
	uint64_t self;		/* the loader's thread pointer */
	uint32_t again;		/* call it once more at the end */
	uint32_t over;		/* 1: the loader looks here no more */
	char entry[ATTACH_ENTRY_BYTES];	/* the function's name */
	struct request request;
	uint64_t dlclose;	/* 0: nothing is unloaded */
	uint64_t handle;	/* of the library to unload */
	uint64_t finalize;	/* __cxa_finalize() */
	uint32_t pauses;	/* the most looks for an order */
};

#define ATTACH_AT(member, offset)                                       \
	_Static_assert(offsetof(struct attach_block, member) == offset, \
		       #member)
ATTACH_AT(rseq_bytes, ATTACH_RSEQ_BYTES);
ATTACH_AT(kept, ATTACH_KEPT);
ATTACH_AT(pthread, ATTACH_PTHREAD);
ATTACH_AT(attach, ATTACH_ATTACH);
ATTACH_AT(spare_bytes, ATTACH_SPARE_BYTES);
ATTACH_AT(forks, ATTACH_FORKS);
ATTACH_AT(helper_mask, ATTACH_HELPER_MASK);
ATTACH_AT(path, ATTACH_PATH);
ATTACH_AT(text, ATTACH_TEXT);
ATTACH_AT(argument, ATTACH_ARGUMENT);
ATTACH_AT(self, ATTACH_SELF);
ATTACH_AT(again, ATTACH_AGAIN);
ATTACH_AT(over, ATTACH_OVER);
ATTACH_AT(entry, ATTACH_ENTRY);
ATTACH_AT(request, ATTACH_REQUEST);
ATTACH_AT(request.over, ATTACH_REQUEST + REQUEST_OVER);
ATTACH_AT(request.answer, ATTACH_REQUEST + REQUEST_ANSWER);
ATTACH_AT(dlclose, ATTACH_DLCLOSE);
ATTACH_AT(finalize, ATTACH_FINALIZE);
ATTACH_AT(pauses, ATTACH_PAUSES);
_Static_assert(ATTACH_CODE_BYTES == UNLOAD_CODE_BYTES &&
	       ATTACH_GATE == UNLOAD_GATE && ATTACH_SELF == UNLOAD_SELF &&
	       ATTACH_FORKS == UNLOAD_HANDLERS, "the agent knows them");
_Static_assert(sizeof(struct attach_block) <= ATTACH_BLOCK_BYTES, "room");

/* The code; it begins with the system call by which the stopped thread makes
 * the helper. */
extern const uint8_t attach_stub_start[];
extern const uint8_t attach_stub_prepare[];	/* the gate, for fork(3) */
extern const uint8_t attach_stub_end[];
#endif

#endif
