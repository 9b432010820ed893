/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Buffered output of text, for writers of millions of lines: a cursor that a
 * writer moves on itself, after out_room(). Without a descriptor the buffer
 * grows, and the bytes are at `start`.
 *
 * Invariants:
 *  - p never passes `end`: a writer asks for room before it writes;
 *  - after an error the cursor still moves, and the bytes go nowhere, so a
 *    writer looks at `error` when it likes, and once is enough.
 */
#ifndef TRACES_TEXT_OUT_H
#define TRACES_TEXT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define OUT_BYTES	(256u << 10)
#define OUT_PIECE_BYTES	4096u		/* the most that out_room() gives */

struct out {
	char *p;			/* the next byte goes here */
	char *end;
	char *start;
	int fd;				/* -1: the buffer grows */
	bool terminal;			/* a terminal shows it: strings have no
					 * control characters */
	int error;			/* of the first write that failed */
	uint64_t written;		/* bytes, without those in the buffer */
};

/* Makes the buffer, for a descriptor that stays the caller's, or for -1.
 * Returns 0 or -ENOMEM; then the output is all zero. */
int out_open(struct out *out, int fd);

/* Empties a buffer that grows. */
static inline void out_rewind(struct out *out)
{
	out->p = out->start;
}

/* Writes the buffered bytes, or makes more room. Returns 0 or the error. After
 * an error all later bytes are dropped. */
int out_flush(struct out *out);

/* Flushes, and frees the buffer; does not close the descriptor. Returns 0 or
 * the error. */
int out_close(struct out *out);

/* Writes any number of bytes. */
void out_bytes(struct out *out, const void *bytes, size_t n);

/* Makes room for n bytes, at most OUT_PIECE_BYTES. */
static inline void out_room(struct out *out, size_t n)
{
	if ((size_t)(out->end - out->p) < n)
		out_flush(out);
}

/* Writes a text without the NUL. */
static inline void out_text(struct out *out, const char *text)
{
	out_bytes(out, text, strlen(text));
}

/* Writes a byte. */
static inline void out_char(struct out *out, char c)
{
	out_room(out, 1);
	*out->p++ = c;
}

#endif
