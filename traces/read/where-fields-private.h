/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The fields of an event's class as conditions want them: types, names, and how
 * they are gathered from an event's bytes.
 */
#ifndef TRACES_READ_WHERE_FIELDS_PRIVATE_H
#define TRACES_READ_WHERE_FIELDS_PRIVATE_H

#include "tracepoints/conditions/ax.h"
#include "traces/read/where.h"

/* One step over an event's bytes: past a field, or into the event that the
 * program sees. */
struct where_step {
	const struct field_class *class;
	bool used;
};

/* The fields of a class that a condition can name, and the steps that lead to
 * their bytes. */
struct where_fields {
	struct class_memory **memory;	/* of the class: nothing is freed */
	struct field_name names[TAFFRAIL_FIELDS_MAX];
	uint8_t types[TAFFRAIL_FIELDS_MAX];
	uint8_t numbers[TAFFRAIL_FIELDS_MAX];	/* in the event */
	uint32_t n;
	uint8_t seen;			/* fields of the event so far */
	uint8_t unread;			/* the field that has a bit for each one
					 * before it that could not be read; or
					 * 0 */
	struct write_shape shape;
	struct where_step *context;	/* one for each number or string; the
					 * last one has no class */
	struct where_step *fields;
	bool process;			/* the last number is the process's */
	bool procname;			/* the last string, its name */
	char *shown;			/* struct taffrail_shown, one a field */
	size_t shown_bytes;
	bool alone;			/* only one number is used, and stands
					 * at an offset that is always the same
					 */
	uint32_t offset;		/* of that number in the fields */
};

/* The values of an event, as a program sees them. */
struct where_values {
	char fixed[TAFFRAIL_FIELDS_MAX * 8];
	struct write_var var[16];
};

/*
 * Lists the fields and contexts whose names or enumerators may be in the
 * expression; without an expression, all. Returns 0 or -ENOMEM.
 */
int where_fields_make(struct where_fields *fields, struct trace_class *t,
		      const struct event_class *class, const char *expression);

/* Gathers the values of an event. */
void where_fields_gather(const struct where_fields *fields,
			 const struct trace_event *event,
			 struct where_values *values, struct ax_event *ax);

#endif
