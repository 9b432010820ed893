/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The CTF 1.8 metadata (TSDL text) of one trace: one session of one program
 * image, from the records that the agent published.
 *
 * Invariant: for any texts of a program the result is valid TSDL, and describes
 * the bytes that the writers write.
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

struct trace_symbols;

/* All that the metadata of one trace says. The writer changes none of it. */
struct metadata {
	const struct process_page *process;
	const struct session_view *session;
	const uint8_t *uuid;		/* 16 bytes; of this trace */
	struct metadata_clock clock;
	const struct trace_symbols *symbols;	/* or NULL: none is known */
	uint64_t created_s;		/* realtime at which it was made */
};

/* Begins the keys of processes that share a trace: put_members(). */
#define METADATA_PROCESS	"process_"
/* Begins the comment of the environment that has them. Other readers skip it:
 * babeltrace2 searches the environment for each event. */
#define METADATA_ROWS		"/* processes"
/* Begins the URI of a function's events: struct event_class has the rest. */
#define METADATA_FUNCTION	"fn:"
/* Begins the term behind it, a number; none: TERM_NONE. Without it, it is 0. */
#define METADATA_TERM		"#"
#define METADATA_SOME		"?"	/* behind it: TERM_SOME */
/* Begins the URI of TERM_NAME, whose rest is as in buffers/layout.h. */
#define METADATA_ENDED		"term:"

/* In the directory of a trace that grows: all processes that have joined, as
 * "NUMBER PID STARTTIME NAME" and a NUL. */
#define METADATA_MEMBERS	"index/processes"

/* The words around the checksum that ends the file. */
#define METADATA_CHECKSUM_BEFORE	"/* checksum "
#define METADATA_CHECKSUM_AFTER		" */"

/*
 * Writes the text, without its checksum. Returns 0; -EIO: writing to `out`
 * failed (see ferror()); -EBADMSG: an event has an unknown type, and nothing
 * was written.
 */
int metadata_write(FILE *out, const struct metadata *metadata);

/* Writes the part of it that tells the clock. */
void metadata_put_clock(FILE *out, uint32_t kind, const uint8_t *boot_id,
			const struct metadata_clock *clock);

/*
 * Fills in the facts about a session that packet_walk() needs. The caller frees
 * *shapes. Returns 0; -EBADMSG: an unknown type; -ENOMEM.
 */
int metadata_format(struct packet_format *format, struct event_shape **shapes,
		    const struct session_view *session);

/*
 * Compares a text with the session that it should describe. Either may have
 * events that the other does not have yet. Returns 0, and the number of events
 * that both have; -EBADMSG: the two do not belong together; -ENOMEM.
 */
int metadata_compare(const char *text, const struct session_view *session,
		     size_t *described);

/* Returns whether the text names a trace of this uuid. */
bool metadata_has_uuid(const char *text, const uint8_t *uuid);

/*
 * Reads the metadata of the trace that `fd` is open on, without the checksum.
 * The caller frees the text. Returns 0; -ENODATA: Taffrail did not write it;
 * -EILSEQ: the checksum is wrong; -EPROTO: a build without checksums wrote it;
 * or another negative errno.
 */
int metadata_load(char **text, int fd);

/* Returns why a file of a trace cannot be read, in words, for a negative errno
 * of file_map_open() and the like. The text is valid until the next call. */
const char *trace_reason(int error);

/* Returns words for an errno above 0: those of trace_set_words(), or of
 * strerror(3). The text is valid until the next call. */
const char *trace_words(int error);

#endif
