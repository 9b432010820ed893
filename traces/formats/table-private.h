/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Types of events as tables: a name, and a column a field. If events of one
 * name have different columns, as in two builds of a program, each set of
 * columns has a table: NAME, NAME.2 and so on.
 */
#ifndef TRACES_FORMATS_TABLE_PRIVATE_H
#define TRACES_FORMATS_TABLE_PRIVATE_H

#include "traces/formats/formats.h"

/* The form of the values in a column. */
enum column_kind {
	COLUMN_SIGNED, COLUMN_UNSIGNED, COLUMN_REAL, COLUMN_STRING,
	COLUMN_LABEL,		/* the name of an enumeration's value */
	COLUMN_BYTES,		/* an array of unsigned bytes */
	COLUMN_JSON,		/* other arrays, structures */
};

/* A column. Of an enumeration there are two, of one value: the first one stays,
 * the second one moves on. */
struct column {
	char *name;
	enum column_kind kind;
	bool begins;			/* the first of the fields: those before
					 * are in the context */
	uint32_t skip;			/* bytes in front of the value */
	bool stays;			/* the next column has the same value */
	const struct field_class *class;
};

/* A table. It lasts until tables_free(). */
struct table {
	struct table *next;
	char *name;
	const struct event_class *event;	/* the first class */
	struct column *columns;
	size_t ncolumns;
	uint64_t events;
	void *own;			/* of the format */
};

/* All tables of an export, in the order in which they were made. */
struct tables {
	struct table *first;
	const char *const *fixed;	/* columns in front; ends with NULL */
	const char *const *reserved;	/* names of other tables; or NULL */
};

/* The columns of a class, and the table that has these. */
struct table_class {
	struct table *table;
	struct column *columns;
	size_t ncolumns;
};

/* Returns the columns and the table of a class; or NULL without memory. NULL
 * may be freed. */
struct table_class *table_class_new(struct tables *tables,
				    const struct trace_class *trace,
				    const struct event_class *class);
void table_class_free(struct table_class *class);

/* Adds the tables of all events that are known, so their names do not depend on
 * the order of events. Returns 0 or -ENOMEM. */
int tables_fill(struct tables *tables, const struct exporter *x);

/* Frees all tables; the format has freed each `own`. */
void tables_free(struct tables *tables);

#endif
