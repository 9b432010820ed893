/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The CTF 1.8 metadata (TSDL text) of one trace: one session of one program
 * image, from the records that its agent published.
 *
 * What must stay true here: for any texts of a program the result is valid
 * TSDL, and describes the bytes that the writers write.
 */
#ifndef TRACES_METADATA_H
#define TRACES_METADATA_H

#include <stdint.h>
#include <stdio.h>

#include "buffers/reader/reader.h"

/* realtime = offset_s + (offset + reading) / hz */
struct metadata_clock {
	uint64_t hz;
	int64_t offset_s;
	uint64_t offset;		/* < hz */
};

struct metadata {
	const struct process_page *process;
	const struct session_view *session;
	const uint8_t *uuid;		/* 16 bytes; of this trace */
	struct metadata_clock clock;
	uint64_t created_s;		/* realtime at which it was made */
};

/*
 * Writes the text. Returns 0; -EIO: writing to `out` failed (see ferror());
 * -EBADMSG: an event has an unknown type, and nothing was written.
 */
int metadata_write(FILE *out, const struct metadata *metadata);

/*
 * Fills in what packet_walk() needs to know of a session. The caller frees
 * *shapes. Returns 0; -EBADMSG: an unknown type; -ENOMEM.
 */
int metadata_format(struct packet_format *format, struct event_shape **shapes,
		    const struct session_view *session);

#endif
