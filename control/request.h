/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A request for libtaffrail-probe.so in another process: to load a library, to
 * connect a callback, to call a function. A thread of libc's in the process
 * calls taffrail_probe_request() with it. The command writes the request and
 * reads the answer through the process's memory.
 */
#ifndef CONTROL_REQUEST_H
#define CONTROL_REQUEST_H

#define REQUEST_OVER		4	/* offset of `over` */
#define REQUEST_ANSWER		8	/* offset of `answer` */

#ifndef __ASSEMBLER__
#include <stdint.h>

#define REQUEST_BYTES_MAX	4096u
#define REQUEST_ANSWER_MAX	(1u << 20)

/*
 * `text` is lines "key=value":
 *
 * do=load	path= -> name= (the library's)
 *		print=FILE: when the program ends, what the library's function
 *		`print` prints is added to FILE, if it is there
 * do=print	path= -> what `print` prints, if the library has it; at the end
 *		of the program it is not called again
 * do=unload	path= -> stays=1: something else uses the library
 *		-EBUSY: a thread is in one of its callbacks
 * do=connect	rule=, function= (LIB:FUNCTION), word= (any number)
 *		enable=1 -> markers= ; -ECANCELED: the library refuses, and its
 *		text says why
 * do=disconnect rule=, function= -> count=
 * do=enable	rule= -> count= (connections), markers=
 * do=disable	rule= -> count=
 * do=call	function=, word= (any number)
 *
 * unload, disconnect and disable also answer missed= (hits that the callbacks
 * were not called for), unless it is 0.
 *
 * Failures answer "error=TEXT". What the library's own function has printed
 * comes last, behind REQUEST_TEXT_LINE, as the function printed it; "cut=1":
 * not all of it.
 */
#define REQUEST_TEXT_LINE	"text:\n"

/* A library that the process does not see is copied for it: the copy is
 * DIRECTORY/FILE, the directory's name begins so, and both are removed when it
 * is loaded. A path that ends in FILE then names the library. */
#define REQUEST_COPY_PREFIX	"taffrail-load."

/*
 * Requests for a program that begins: `taffrail record --probe` gives them to
 * the program in this variable, one after the other, each beginning with "do=".
 * A line "report=FILE" stands before those of a recorder. Each process that
 * takes them adds lines "probes:NUMBER<tab>STATE<tab>TEXT" to that file, which
 * is sessions/.off.NAME (control/protocol.h). NUMBER counts the requests of the
 * recorder from 0. A line that is there already is not added again.
 */
#define REQUEST_ENV		"TAFFRAIL_PROBES"
#define REQUEST_REPORT		"probes:"
#define REQUEST_FAILED		'-'	/* TEXT says in which program and why */
#define REQUEST_DONE		'0'	/* and no marker calls it yet */
#define REQUEST_CALLED		'1'

struct request {
	int32_t status;			/* 0, a negative errno, or the result of
					 * the library's function */
	uint32_t over;			/* 1: the answer may be freed */
	uint64_t answer;		/* the address */
	uint64_t answer_bytes;
	char text[REQUEST_BYTES_MAX];
};

_Static_assert(__builtin_offsetof(struct request, over) == REQUEST_OVER,
	       "the stub sets it");

/* Returns two bits of 64 for a connection: process_page.called. */
static inline uint64_t request_bits(const char *rule, const char *function)
{
	uint64_t hash = 14695981039346656037ull;
	const char *p = rule;

	/* FNV-1a */
	for (; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 1099511628211ull;
	for (p = function; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 1099511628211ull;
	return 1ull << (hash >> 58) | 1ull << (hash >> 52 & 63);
}

/* Changes with each change of the above: it is the function's name. */
#define REQUEST_FUNCTION	"taffrail_probe_request_1"
#endif

#endif
