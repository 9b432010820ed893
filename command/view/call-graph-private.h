/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls of functions as an indented text.
 */
#ifndef COMMAND_VIEW_CALL_GRAPH_PRIVATE_H
#define COMMAND_VIEW_CALL_GRAPH_PRIVATE_H

#include "traces/read/where.h"
#include "traces/text/event-text.h"

struct graph;

/* Returns a graph of the reader's events, or NULL without memory. `out` is the
 * caller's; an error of the graph is noted there. */
struct graph *graph_open(struct out *out, const struct reader *reader);

/* Takes an event. Events come in the order of time. */
void graph_put(struct graph *graph, const struct trace_event *event);

/* Writes the ends of calls that are open, and frees it. It may be NULL. */
void graph_close(struct graph *graph);

#endif
