/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers and USDT probes as the command lists them, from an agent's answer or
 * from an ELF file.
 *
 * Invariant: all strings end in NUL and belong to the list.
 */
#ifndef COMMAND_ELF_MARKERS_H
#define COMMAND_ELF_MARKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command/symboliser/symboliser.h"
#include "tracepoints/fields/shown.h"

struct marker {
	char *id;		/* "channel/name" */
	char *text;
	char *file;		/* source, "" when unknown */
	char *module;		/* of a function in a process: the file's name;
				 * or NULL */
	uint64_t address;
	uint32_t line;
	uint8_t kind;		/* enum marker_kind */
	uint8_t nfields;
	bool enabled;
	bool tested;		/* the site tests a flag */
	bool function;		/* of a program that was not prepared */
	bool exported;		/* a function of a file that names no others
				 * than it exports */
	bool former;		/* of a file: its name is also that of an IFUNC,
				 * which programs call in its place */
	bool spot;		/* a line of a source, by a rule */
	uint8_t placement;	/* enum marker_placement */
	int32_t operand;	/* USDT: the bytes after the nop's first; a
				 * function: how many bytes end with the jump */
	bool changed;		/* a process's function has other ones there
				 * than the file has */
	const char *why;	/* why it is not placed, or off; or NULL */
	uint8_t types[TAFFRAIL_FIELDS_MAX];
	char *shown;		/* struct taffrail_shown; or NULL */
	size_t shown_bytes;
};

/* Why a marker is PLACED_NOT, beside MARKER_MOVED. */
#define MARKER_OTHER	"other code is at its place"
/* Why an event of LTTng-UST has no fields here. */
#define MARKER_ELSEWHERE "its provider is in another file"
#define MARKER_OWN	"off: LTTng-UST is a part of its file"
#define MARKER_EXITS	"its exits cannot all be had"
#define MARKER_SYMBOL	"its symbol has more than 1012 characters"
#define MARKER_REACH	"its code has no room within a jump's reach"

struct marker_list {
	struct marker *markers;
	size_t count;
};

/*
 * Adds a copy of `model` with these strings; `channel` and `name` make the id.
 * Returns 0 or -ENOMEM.
 */
int marker_list_add(struct marker_list *list, const struct marker *model,
		    const char *channel, const char *name, const char *text,
		    const char *file);
void marker_free(struct marker *marker);	/* its strings */
void marker_list_free(struct marker_list *list);

/* Returns an id as it is shown: functions of C++ have the name that is in the
 * source, "fn/f(int)" for "fn/_Z1fi". The text is valid until the next call. */
const char *marker_shown(const char *id);

/* Sorts by id, then by address. */
void marker_list_sort(struct marker_list *list);

/* Adds the markers of an answer to MESSAGE_LIST: `bytes`, followed by a NUL.
 * Returns 0, -EBADMSG or -ENOMEM. */
int marker_list_parse(struct marker_list *list, const char *answer,
		      size_t bytes);

/* A field: the type in words ("int32", "string", "uint8[]"); how the field is
 * shown ("": as the type says), "hex, big-endian"; and the names of values or
 * options, if it has any. */
struct marker_field {
	const char *name;
	const char *type;
	const char *how;
	bool is_signed;			/* values that have names */
	bool unwritten;			/* conditions have it, events do not */
	struct shown_field shown;
};

/* Returns why a marker that is wanted is off, in words: "off: WHY". */
#define MARKER_OFF	"off: "
const char *marker_refusal(int error);

/* Returns how many markers, not probes, have no place where they work; the
 * reason of the first in *why. */
size_t marker_list_unplaced(const struct marker_list *list, const char **why);

/* Calls `call` for each field, which is valid during the call. */
void marker_each_field(const struct marker *marker,
		       void (*call)(const struct marker_field *field,
				    void *priv), void *priv);

/* Returns the placement of a probe in words: "byte", "jump", "not". */
const char *placement_text(enum marker_placement placement);

/* Returns the name of a marker's level, or "": it does not say one. */
const char *marker_level(const struct marker *marker);

#endif
