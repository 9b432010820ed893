/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The graph of libbabeltrace2 that reads one trace, and the classes for the
 * library's objects.
 */
#ifndef TRACES_FOREIGN_GRAPH_PRIVATE_H
#define TRACES_FOREIGN_GRAPH_PRIVATE_H

#include "base/index.h"
#include "traces/foreign/library-private.h"

/* The trace made of a class of streams. */
struct foreign_trace {
	struct trace_class *trace;	/* or NULL: it has no form here */
	int64_t cpu;			/* the packets' member, or -1 */
};

/* The classes for an object of the library, which is a class of events, or a
 * class of streams with a NULL `event`. */
struct foreign_slot {
	const void *object;
	struct event_class *event;
	struct foreign_trace *of;
};

/* A trace of another tracer. Directories of one group share it. */
struct foreign {
	struct read_stream stream;
	char *group;			/* of the directories, or NULL */
	char **paths;
	size_t npaths;
	bool stale;			/* directories were added */
	bt_graph *graph;		/* or NULL */
	const bt_component_source *source;	/* of it, or NULL */
	bt_graph_run_once_status status;	/* of the graph's last step */
	const bt_trace *from;		/* the last one that was met */
	bt_message_array_const batch;
	uint64_t at;			/* the next of `n` messages */
	uint64_t n;
	bool ended;
	bool fresh;			/* nothing was taken but classes */
	bool told;			/* that the trace cannot be read on */
	bool ran;			/* `last` is known */
	int64_t last;
	struct foreign_trace *traces;	/* in the order in which they come */
	size_t ntraces;
	size_t met;			/* of them, in this graph */
	struct foreign_slot *slots;
	size_t nslots;
	struct index index;		/* of numbers in slots[], + 1 */
	struct foreign_bytes bytes;	/* of the current event */
};

/* Returns a text that all directories of one trace have in common, or NULL. The
 * caller frees it. */
char *foreign_group(const char *path);

/* Makes a graph, and describes the trace's classes. Returns 0, or a negative
 * errno after telling why; then there are no events. */
int foreign_graph_open(struct foreign *f);
void foreign_graph_close(struct foreign *f);

/* Makes sure that there is a message at f->at. Returns false at the end, also
 * where the library cannot go on, which is told. The caller puts the message
 * back. */
bool foreign_fill(struct foreign *f);

/* Describes the trace of a stream that begins. Returns 0 or -ENOMEM. */
int foreign_meet(struct foreign *f, const bt_message *beginning);

/* Returns the classes for an object, or NULL. */
const struct foreign_slot *foreign_find(const struct foreign *f,
					const void *object);

/* Reports the library's error, once, as "text: reason". */
void foreign_failed(struct foreign *f, const char *what);

#endif
