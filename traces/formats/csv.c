/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events as tables of comma-separated values, one a type of event. Facts: RFC
 * 4180, but lines end with a newline alone.
 *
 * Texts are always in quotes, numbers never. A column without a value is empty.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "traces/formats/json-value-private.h"
#include "traces/formats/private.h"
#include "traces/formats/table-private.h"
#include "traces/text/characters.h"
#include "traces/text/number.h"

#define FILE_NAME_BYTES	236	/* file systems take 255, with ".2.csv" */
#define FILE_NAME_ROOM	(FILE_NAME_BYTES + sizeof(".4294967295.csv"))

static const char *const fixed[] = {
	"ns", "host", "process", "pid", "cpu_id", NULL
};

struct csv_class {
	struct table_class *table;
	struct out *to;
	char *head;			/* from `host` to `cpu_id` */
	size_t bytes;
};

struct csv {
	struct tables tables;
	struct out scratch;
};

static void put_quoted(struct out *out, const char *text, size_t n)
{
	utf8_put(out, text, n, '"');
}

/* Writes a value, for which 64 bytes of room were made. Returns the value of
 * the next column. */
static const uint8_t *put_column(struct csv *csv, struct out *out,
				 const struct column *column, const uint8_t *at)
{
	const struct field_class *class = column->class;
	struct out *scratch = &csv->scratch;
	const uint8_t *behind;
	const char *label;
	size_t n;

	at += column->skip;
	switch (column->kind) {
	case COLUMN_SIGNED:
		out->p = number_s64(out->p, (int64_t)field_integer(class, at));
		break;
	case COLUMN_UNSIGNED:
		out->p = number_u64(out->p, field_integer(class, at));
		break;
	case COLUMN_REAL:
		real_put(out, field_real(class, at), "");
		break;
	case COLUMN_STRING:
		behind = field_characters(class, at, &n);
		put_quoted(out, (const char *)at, n);
		return behind;
	case COLUMN_LABEL:
		label = label_of(class, field_integer(class, at));
		if (label)
			put_quoted(out, label, strlen(label));
		break;
	case COLUMN_BYTES:
	case COLUMN_JSON:
		out_rewind(scratch);
		behind = json_value(scratch, class, at);
		put_quoted(out, scratch->start,
			   (size_t)(scratch->p - scratch->start));
		return behind;
	}
	return column->stays ? at : at + class->bytes;
}

/* Makes the name of a table's file. Returns 1 if it is cut: then there may be
 * others, and `number` tells them apart. */
static int file_name(char name[FILE_NAME_ROOM], const char *table,
		     unsigned int number)
{
	int n = 0;

	for (; *table && n + 3 <= FILE_NAME_BYTES; table++) {
		uint8_t c = (uint8_t)*table;
		bool plain = c > ' ' && c < 127 && !strchr("/%\\\"'*?<>|", c) &&
			     !(c == '.' && !n);

		n += snprintf(name + n, 4, plain ? "%c" : "%%%02X", c);
	}
	if (*table && number > 1)
		n += sprintf(name + n, ".%u", number);
	strcpy(name + n, ".csv");
	return *table != '\0';
}

/* Returns a descriptor or a negative errno. */
static int create_file(const struct exporter *x, const struct table *table)
{
	char name[FILE_NAME_ROOM];

	for (unsigned int number = 1;; number++) {
		int cut = file_name(name, table->name, number);
		int fd = openat(x->directory, name,
				O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

		if (fd >= 0)
			return fd;
		if (!cut || errno != EEXIST)
			return -errno;
	}
}

/* Returns the descriptor of a table's output, or a negative errno. Standard
 * output can have one table. */
static int open_output(struct exporter *x, const struct table *table)
{
	int fd;

	if (x->fd >= 0 && table != ((struct csv *)x->own)->tables.first)
		return export_failed(x, -EINVAL, "'%s' is a second table",
				     table->name);
	if (x->fd >= 0)
		return x->fd;
	fd = create_file(x, table);
	return fd < 0 ? export_failed(x, fd, "%s: %s", table->name,
				      strerror(-fd)) : fd;
}

static void put_head(struct out *out, const struct table *table)
{
	for (size_t i = 0; fixed[i]; i++) {
		if (i)
			out_char(out, ',');
		out_text(out, fixed[i]);
	}
	for (size_t i = 0; i < table->ncolumns; i++) {
		const char *name = table->columns[i].name;

		out_char(out, ',');
		if (*name && !strpbrk(name, "\",\r\n ") &&
		    strlen(name) < OUT_PIECE_BYTES)
			out_text(out, name);
		else
			put_quoted(out, name, strlen(name));
	}
	out_char(out, '\n');
}

/* Opens the output of a table, and writes the names of the columns. */
static int open_table(struct exporter *x, struct table *table)
{
	int fd = open_output(x, table);
	struct out *out;

	if (fd < 0)
		return fd;
	out = malloc(sizeof(*out));
	if (!out || out_open(out, fd)) {
		free(out);
		if (fd != x->fd)
			close(fd);
		return export_failed(x, -ENOMEM, "out of memory");
	}
	put_head(out, table);
	table->own = out;
	return 0;
}

static int csv_open(struct exporter *x)
{
	struct csv *csv = calloc(1, sizeof(*csv));

	if (!csv || out_open(&csv->scratch, -1)) {
		free(csv);
		return export_failed(x, -ENOMEM, "out of memory");
	}
	csv->tables.fixed = fixed;
	x->own = csv;
	if (tables_fill(&csv->tables, x))
		return export_failed(x, -ENOMEM, "out of memory");
	/* an empty table has a head as well */
	if (x->fd >= 0 && csv->tables.first)
		return open_table(x, csv->tables.first);
	return 0;
}

/* Makes the text from the host to the comma before the CPU. Returns NULL
 * without memory. */
static char *make_head(struct out *out, const struct trace_class *trace)
{
	out_rewind(out);
	out_char(out, ',');
	put_quoted(out, trace->hostname, strlen(trace->hostname));
	out_char(out, ',');
	put_quoted(out, trace->procname, strlen(trace->procname));
	out_char(out, ',');
	out_room(out, NUMBER_S64_BYTES);
	if (trace->vpid >= 0)
		out->p = number_s64(out->p, trace->vpid);
	out_char(out, ',');
	out_char(out, '\0');
	return out->error ? NULL : strdup(out->start);
}

/* Finds the table of a class, which opens with the first event of any of its
 * classes. */
static int csv_begin(struct exporter *x, const struct trace_event *event,
		     void *own)
{
	struct csv *csv = x->own;
	struct csv_class *class = own;
	struct table *table;
	int ret = 0;

	class->table = table_class_new(&csv->tables, event->trace,
				       event->class);
	class->head = make_head(&csv->scratch, event->trace);
	if (!class->table || !class->head)
		return export_failed(x, -ENOMEM, "out of memory");
	class->bytes = strlen(class->head);
	table = class->table->table;
	if (!table->own)
		ret = open_table(x, table);
	class->to = table->own;
	return ret;
}

/* Writes a row: the columns of the context come first, then those of the
 * fields. */
static int csv_put(struct exporter *x, const struct trace_event *event,
		   void *own)
{
	const struct csv_class *class = own;
	const struct column *column = class->table->columns;
	const uint8_t *at = event->context;
	struct out *out = class->to;
	size_t i;

	out_room(out, NUMBER_S64_BYTES);
	out->p = number_s64(out->p, event->ns);
	out_bytes(out, class->head, class->bytes);
	out_room(out, NUMBER_U64_BYTES);
	if (!event->trace->no_cpu)
		out->p = number_u64(out->p, event->cpu);
	for (i = 0; i < class->table->ncolumns && !column->in_fields;
	     i++, column++) {
		out_room(out, 64);
		*out->p++ = ',';
		at = put_column(x->own, out, column, at);
	}
	for (at = event->fields; i < class->table->ncolumns; i++, column++) {
		out_room(out, 64);
		*out->p++ = ',';
		at = put_column(x->own, out, column, at);
	}
	out_char(out, '\n');
	return out->error ? export_unwritten(x, out->error) : 0;
}

/* Flushes and closes a table's output. Returns 0 or the first error of it. */
static int close_table(struct exporter *x, struct table *table)
{
	struct out *out = table->own;
	int ret = 0;

	if (out) {
		ret = out_close(out);
		if (out->fd != x->fd && close(out->fd) && !ret)
			ret = -errno;
	}
	free(out);
	return ret;
}

static int csv_close(struct exporter *x, bool keep)
{
	struct csv *csv = x->own;
	int ret = 0;

	for (struct table *t = csv->tables.first; t; t = t->next) {
		int closed = close_table(x, t);

		ret = ret ? ret : closed;
	}
	tables_free(&csv->tables);
	out_close(&csv->scratch);
	free(csv);
	return export_unwritten(x, ret);
}

static void csv_end(void *own)
{
	struct csv_class *class = own;

	table_class_free(class->table);
	free(class->head);
}

const struct export_format export_csv = {
	.name = "csv", .target = EXPORT_TABLES, .open = csv_open,
	.class_bytes = sizeof(struct csv_class), .begin = csv_begin,
	.end = csv_end, .put = csv_put, .close = csv_close,
};
