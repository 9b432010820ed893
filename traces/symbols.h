/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Addresses that are shown with their symbol (TAFFRAIL_SYMBOL): which ones a
 * trace has, and when; and their names, once they are known.
 *
 * In the metadata such a field has the type SYMBOLS_TYPE, an enumeration of all
 * addresses of the trace that have a name. Events describe themselves in the
 * same way whether names are known or not.
 */
#ifndef TRACES_SYMBOLS_H
#define TRACES_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/index.h"
#include "traces/metadata.h"

#define SYMBOLS_TYPE		"symbol"
#define SYMBOLS_USES_MAX	65536u
#define SYMBOLS_NAMES_MAX	4096u

/* An address among the events that happened while modules did not change. */
struct symbol_use {
	uint64_t address;
	uint64_t first;			/* clock of the first event */
	uint64_t last;			/* and of the last one */
	uint32_t epoch;			/* counts changes of modules, from 1;
					 * where processes share a trace: the
					 * process */
};

/* A name of an address. The text is of the heap, and the table's own. */
struct symbol_name {
	uint64_t address;
	char *name;
};

/* The symbols of one trace. Uses go once they are named; names stay until the
 * metadata is final. */
struct trace_symbols {
	struct symbol_use *uses;
	size_t nuses;
	struct index index;		/* of numbers in uses[], + 1 */
	struct symbol_name *names;	/* in the order of addresses */
	size_t nnames;
	bool sorted;			/* the uses are in order of `epoch` */
};

/* Returns whether field i of an event is such an address; whether the event has
 * one; whether any event of the session has one. Until a session ends, events
 * are only added. */
bool symbols_has(const struct event_view *event, int i);
bool symbols_in(const struct event_view *event);
bool symbols_needed(const struct session_view *session);

/*
 * Notes the addresses in a packet. An address for which there is no room gets
 * no name: each use of it that was noted is then made true at no time.
 */
void symbols_note(struct trace_symbols *symbols,
		  const struct packet_format *format,
		  const struct session_view *session,
		  const struct packet *packet);

/* Writes the type, if the session needs it: an enumeration of the names, or an
 * address where there is none. `symbols` may be NULL. */
void symbols_put(FILE *out, const struct session_view *session,
		 const struct trace_symbols *symbols);

/*
 * Name the addresses of a trace that processes share: symbols_part() copies the
 * uses of one of them, and symbols_join() takes the names that these have got,
 * and frees `part`. An address gets a name if it has that
 * one in all processes that use it, once all are joined and symbols_agree() is
 * called.
 */
void symbols_part(struct trace_symbols *part, struct trace_symbols *symbols,
		  uint32_t process);
void symbols_join(struct trace_symbols *symbols, struct trace_symbols *part,
		  uint32_t process);
void symbols_agree(struct trace_symbols *symbols);

/* Free the table of uses, once they are named; all. The struct is then as if it
 * were new, but symbols_forget() leaves the names. */
void symbols_forget(struct trace_symbols *symbols);
void symbols_free(struct trace_symbols *symbols);

#endif
