/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions of LTTng, as `lttng save` writes them, and the rules that mean the
 * same here.
 *
 * Invariant: a file is hostile until it is read. It is read in memory bounded
 * by SAVED_FILE_BYTES; a file that declares a document type, and so entities,
 * is refused.
 */
#ifndef COMMAND_SAVED_SAVED_H
#define COMMAND_SAVED_SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command/causes/cause.h"

#define SAVED_FILE_BYTES	(1u << 20)
#define SAVED_DEPTH_MAX		32
#define SAVED_SESSIONS_MAX	64
#define SAVED_EVENTS_MAX	1024	/* of a session */
#define SAVED_EXCLUSIONS_MAX	64	/* of an event */

enum saved_levels {
	SAVED_LEVELS_ALL,
	SAVED_LEVELS_FROM,		/* this one and more severe ones */
	SAVED_LEVELS_ONE,
};

struct saved_event {
	char *name;			/* PROVIDER:NAME with '*' */
	char *filter;			/* or NULL */
	char *exclusions[SAVED_EXCLUSIONS_MAX];
	int nexclusions;
	bool disabled;
	char *type;			/* as LTTng has it; NULL: tracepoint */
	enum saved_levels levels;
	int level;
};

/* Parts of LTTng's sessions that ours do not have. */
enum saved_left {
	SAVED_KERNEL	= 1u << 0,	/* events of the kernel */
	SAVED_AGENTS	= 1u << 1,	/* of JUL, log4j or Python */
	SAVED_TRACKED	= 1u << 2,	/* some processes or users only */
	SAVED_ROTATED	= 1u << 3,	/* rotates at times or sizes */
	SAVED_SENT	= 1u << 4,	/* to another machine, or live */
	SAVED_FILES	= 1u << 5,	/* limits for the trace's files */
	SAVED_BLOCKS	= 1u << 6,	/* the program waits for room */
	SAVED_CHANNELS	= 1u << 7,	/* channels that differ */
	SAVED_SIZES	= 1u << 8,	/* of buffers, that none can have */
};

struct saved_session {
	char *name;
	struct saved_event *events;
	size_t nevents;
	int channels;			/* of user space, that are enabled */
	uint64_t buffer;		/* bytes of a CPU, of the largest one;
					 * 0: not known */
	bool overwrite;			/* all of them do */
	uint32_t contexts;		/* enum session_context, of all */
	char contexts_left[160];	/* LTTng's words, with ", " between */
	uint32_t left;			/* enum saved_left */
};

struct saved {
	struct saved_session *sessions;
	size_t nsessions;
};

/* Reads a file. Returns 0, or a negative errno with *cause filled. The caller
 * releases `saved`, in both cases. */
int saved_read(struct saved *saved, const char *path, struct cause *cause);
void saved_release(struct saved *saved);

/*
 * Makes the rules of a session: at most `most`, which the caller frees. Tells
 * each thing that is left out, or differs, on standard error. Returns their
 * number, or a negative errno after telling it: -ENOENT: nothing is left to
 * record. *failed is set when less is recorded than LTTng would record.
 */
int saved_rules(const struct saved_session *session, char **rules, int most,
		bool *failed);

/* Sets the mode, the bytes of a buffer, and the contexts, as the session has
 * them. A size and contexts that are there stay. Of contexts, a new string. */
void saved_settings(const struct saved_session *session, bool *overwrite,
		    uint64_t *buffer, const char **contexts);

/*
 * Writes the condition that means the same as a filter of LTTng. Returns NULL,
 * or why no condition says the same, valid until the next call.
 */
const char *saved_condition(const char *filter, char *out, size_t room);

/* Writes the glob that means the same as a pattern of LTTng, where only '*' is
 * special, and '\' before a character takes its meaning away. Returns false
 * when there is no room. */
bool saved_glob(const char *pattern, char *out, size_t room);

#endif
