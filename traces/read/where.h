/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules for the events of traces: `GLOB` or `GLOB if EXPR`, as rules for
 * markers have them (tracepoints/conditions/expr.h). An event that one of the
 * rules means is wanted. Without a rule, all are.
 *
 * Names in EXPR are fields, enumerators, contexts that the trace has, and
 * `cpu`.
 */
#ifndef TRACES_READ_WHERE_H
#define TRACES_READ_WHERE_H

#include "tracepoints/conditions/expr.h"
#include "traces/read/merge.h"

struct where;

struct where *where_new(void);
void where_free(struct where *where);

/* Adds a rule with a form that was checked. The rule lives as long as `where`.
 * Returns 0 or -ENOMEM. */
int where_add(struct where *where, const char *rule);

/*
 * Prepares the rules for these traces, once. For a class that comes later, the
 * rules are prepared when the first event of the class comes. Returns 0; or,
 * with *rule set, -ENOENT: no event has such a name; -EINVAL: events have the
 * name, but those whose level or id does not decide the condition have no such
 * field, or one whose type does not allow the comparison: *error says so of one
 * of them; -ENOMEM.
 */
int where_prepare(struct where *where, struct trace_class *const *traces,
		  size_t n, const char **rule, struct expr_error *error);

/* Returns whether a rule means the event. */
bool where_holds(const struct where *where, const struct trace_event *event);

/* Returns whether a rule can mean an event of a class, by name and fields;
 * behind where_prepare() with the class. */
bool where_names(const struct event_class *class);

/* Returns whether the rules mean some events of a function's class and not
 * others, by what an entry and the return of the same call do not share; behind
 * where_prepare(), or where_holds() of the first event. */
bool where_divides(const struct event_class *class);

/* Tells whether rules choose some of the events of a class. */
bool where_tests(const struct event_class *class);

/* Lets the reader give only events that a rule means. */
void reader_filter(struct reader *reader, const struct where *where);

#endif
