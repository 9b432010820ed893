/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which columns a type of event has.
 *
 * Invariant: no two columns of a table have names that differ in case alone,
 * and no two tables either; databases take those for the same. A table stands
 * behind all that were made before it, so names do not change later.
 */
#include "traces/formats/table-private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Columns in the making. There is room for two a field. */
struct columns {
	struct column *column;
	size_t n;
	const char *const *fixed;
};

/* Returns whether a column in front or before has this name. */
static bool is_taken(const struct columns *columns, const char *name)
{
	for (size_t i = 0; columns->fixed[i]; i++)
		if (!strcasecmp(columns->fixed[i], name))
			return true;
	for (size_t i = 0; i < columns->n; i++)
		if (!strcasecmp(columns->column[i].name, name))
			return true;
	return false;
}

/* Returns the kind of column that holds the values of a field. Whatever has no
 * own form in a table is JSON, so no field is left out. */
static enum column_kind kind_of(const struct field_class *class)
{
	switch (class->kind) {
	case FIELD_INTEGER:
	case FIELD_ENUM:
		return class->is_signed ? COLUMN_SIGNED : COLUMN_UNSIGNED;
	case FIELD_REAL:
		return COLUMN_REAL;
	case FIELD_STRING:
	case FIELD_TEXT:
		return COLUMN_STRING;
	case FIELD_ARRAY:
	case FIELD_SEQUENCE:
		if (class->members[0].kind == FIELD_INTEGER &&
		    class->members[0].bytes == 1 &&
		    !class->members[0].is_signed)
			return COLUMN_BYTES;
		return COLUMN_JSON;
	default:
		return COLUMN_JSON;
	}
}

/* Adds a column, "NAME", or "NAME_2" and so on if that is taken. Returns false
 * without memory for the name. The class is that of the trace, and outlives the
 * columns. */
static bool add_column(struct columns *columns, const struct field_class *field,
		       const char *tail, enum column_kind kind, uint32_t skip)
{
	struct column *column = &columns->column[columns->n];
	char *name = NULL;
	int copy = 1;

	if (asprintf(&name, "%s%s", field->name, tail) < 0)
		return false;
	while (is_taken(columns, name)) {
		free(name);
		if (asprintf(&name, "%s%s_%d", field->name, tail, ++copy) < 0)
			return false;
	}
	column->name = name;
	column->kind = kind;
	column->class = field;
	column->skip = skip;
	columns->n++;
	return true;
}

/* Adds a column for each member; an enumeration has a second one, for the name.
 * The bytes of lengths are skipped with the field behind them. Returns false
 * without memory; the columns so far stay. */
static bool add_members(struct columns *columns,
			const struct field_class *class)
{
	uint32_t skip = 0;

	for (size_t i = 0; i < class->nmembers; i++) {
		const struct field_class *field = &class->members[i];

		if (field->is_length) {
			skip += field->bytes;
			continue;
		}
		if (!add_column(columns, field, "", kind_of(field), skip))
			return false;
		skip = 0;
		if (field->kind != FIELD_ENUM)
			continue;
		columns->column[columns->n - 1].stays = true;
		if (!add_column(columns, field, "_name", COLUMN_LABEL, 0))
			return false;
	}
	return true;
}

/* Returns whether a table has this name, of events or of any other kind. */
static bool name_taken(const struct tables *tables, const char *name)
{
	for (const struct table *t = tables->first; t; t = t->next)
		if (!strcasecmp(t->name, name))
			return true;
	for (size_t i = 0; tables->reserved && tables->reserved[i]; i++)
		if (!strcasecmp(tables->reserved[i], name))
			return true;
	return false;
}

/* Frees columns, with their names. */
static void free_columns(struct column *columns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(columns[i].name);
	free(columns);
}

/* Finds the table of an event's name with the same columns, or makes one behind
 * the others: with the event's name, or NAME.2 and so on if another table has
 * it. Classes of columns live as long as the traces. Returns NULL without
 * memory. */
static struct table *find_table(struct tables *tables,
				const struct event_class *event,
				const struct table_class *class)
{
	struct table **at = &tables->first;
	struct table *table;
	int copy = 1;
	size_t i;

	for (; *at; at = &(*at)->next) {
		table = *at;
		if (strcmp(table->event->name, event->name) ||
		    table->ncolumns != class->ncolumns)
			continue;
		/* the sizes in memory may differ: each class has columns of
		 * its own to read by */
		for (i = 0; i < class->ncolumns; i++)
			if (strcmp(table->columns[i].name,
				   class->columns[i].name) ||
			    table->columns[i].kind != class->columns[i].kind)
				break;
		if (i == class->ncolumns)
			return table;
	}
	table = calloc(1, sizeof(*table));
	if (!table)
		return NULL;
	table->event = event;
	table->name = strdup(event->name);
	while (table->name && name_taken(tables, table->name)) {
		free(table->name);
		if (asprintf(&table->name, "%s.%d", event->name, ++copy) < 0)
			table->name = NULL;
	}
	table->columns = calloc(class->ncolumns + 1, sizeof(struct column));
	if (!table->name || !table->columns)
		goto free;
	for (i = 0; i < class->ncolumns; i++) {
		table->columns[i] = class->columns[i];
		table->columns[i].name = strdup(class->columns[i].name);
		if (!table->columns[i].name)
			goto free;
		table->ncolumns++;
	}
	*at = table;
	return table;
free:
	free_columns(table->columns, table->ncolumns);
	free(table->name);
	free(table);
	return NULL;
}

struct table_class *table_class_new(struct tables *tables,
				    const struct trace_class *trace,
				    const struct event_class *event)
{
	struct table_class *class = calloc(1, sizeof(*class));
	struct columns columns = { .fixed = tables->fixed };
	size_t n = event->fields->nmembers + 1;
	bool made = true;

	if (!class)
		return NULL;
	if (trace->context)
		n += trace->context->nmembers;
	columns.column = calloc(2 * n, sizeof(struct column));
	if (!columns.column) {
		free(class);
		return NULL;
	}
	/* the contexts first, then the fields */
	if (trace->context)
		made = add_members(&columns, trace->context);
	n = columns.n;
	made = made && add_members(&columns, event->fields);
	columns.column[n].begins = true;
	class->columns = columns.column;
	class->ncolumns = columns.n;
	if (made)
		class->table = find_table(tables, event, class);
	if (class->table)
		return class;
	table_class_free(class);
	return NULL;
}

void table_class_free(struct table_class *class)
{
	if (!class)
		return;
	free_columns(class->columns, class->ncolumns);
	free(class);
}

void tables_free(struct tables *tables)
{
	while (tables->first) {
		struct table *next = tables->first->next;

		free_columns(tables->first->columns, tables->first->ncolumns);
		free(tables->first->name);
		free(tables->first);
		tables->first = next;
	}
}

int tables_fill(struct tables *tables, const struct exporter *x)
{
	struct trace_class *const *traces;
	size_t n = reader_traces(x->reader, &traces);

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < traces[i]->nevents; k++) {
			const struct event_class *event = traces[i]->events[k];
			struct table_class *class;

			if (!event || event->ended ||
			    (x->where && !where_names(event)))
				continue;
			class = table_class_new(tables, traces[i], event);
			if (!class)
				return -ENOMEM;
			table_class_free(class);
		}
	}
	return 0;
}

int export_tables(const struct exporter *x,
		  void (*take)(const char *id, void *priv), void *priv)
{
	static const char *const none[] = { NULL };
	struct tables tables = { .fixed = none };
	int ret = tables_fill(&tables, x);

	for (struct table *t = tables.first; t && ret >= 0; t = t->next) {
		const char *id = t->event->id;
		const struct table *same = tables.first;

		ret++;
		while (strcmp(same->event->id, id))
			same = same->next;
		/* the first table of an id tells of all others */
		if (same != t)
			continue;
		for (; same; same = same->next)
			if (!strcmp(same->event->id, id))
				take(id, priv);
	}
	tables_free(&tables);
	return ret;
}
