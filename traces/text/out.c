/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Buffered output.
 *
 * Invariant: the first error stays in `error`, and no byte is written behind
 * it. A part of an output is whole up to some place, and never has a gap.
 */
#include "traces/text/out.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

int out_open(struct out *out, int fd)
{
	memset(out, 0, sizeof(*out));
	out->start = malloc(OUT_BYTES);
	if (!out->start)
		return -ENOMEM;
	out->p = out->start;
	out->end = out->start + OUT_BYTES;
	out->fd = fd;
	return 0;
}

/* Writes to the descriptor, and keeps the first error. A signal does not end a
 * write. A write of no bytes counts as a disk that is full. */
static void write_all(struct out *out, const char *at, size_t n)
{
	while (n && !out->error) {
		ssize_t done = write(out->fd, at, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			out->error = done ? -errno : -ENOSPC;
			return;
		}
		at += done;
		n -= (size_t)done;
		out->written += (uint64_t)done;
	}
}

/* Makes room for n bytes more. Without memory the bytes so far are dropped, so
 * that a cursor which moves on stays in the buffer. */
static void out_grow(struct out *out, size_t n)
{
	size_t used = (size_t)(out->p - out->start);
	size_t room = 2 * (size_t)(out->end - out->start) + n;
	char *start = out->error ? NULL : malloc(room);

	if (!start) {
		out->error = -ENOMEM;
		out->p = out->start;
		return;
	}
	memcpy(start, out->start, used);
	free(out->start);
	out->start = start;
	out->p = start + used;
	out->end = start + room;
}

int out_flush(struct out *out)
{
	if (out->fd < 0) {
		out_grow(out, 0);
		return out->error;
	}
	write_all(out, out->start, (size_t)(out->p - out->start));
	out->p = out->start;
	return out->error;
}

int out_close(struct out *out)
{
	if (out->fd >= 0)
		out_flush(out);
	free(out->start);
	out->start = out->p = out->end = NULL;
	return out->error;
}

void out_bytes(struct out *out, const void *bytes, size_t n)
{
	if (out->fd < 0 && (size_t)(out->end - out->p) < n)
		out_grow(out, n);
	else if ((size_t)(out->end - out->p) < n)
		out_flush(out);
	if ((size_t)(out->end - out->p) < n) {
		if (out->fd < 0)
			return;
		write_all(out, bytes, n);
		return;
	}
	memcpy(out->p, bytes, n);
	out->p += n;
}
