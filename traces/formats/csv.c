/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events as tables of comma-separated values, one a type of event. Facts: RFC
 * 4180, but lines end with a newline alone.
 *
 * Texts are always in quotes, numbers never. A column without a value is empty.
 *
 * Invariant: each row of a table has as many columns as the head. A file that
 * is there is never written to, so no export takes the place of another.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "traces/formats/json-value-private.h"
#include "traces/formats/private.h"
#include "traces/formats/table-private.h"
#include "traces/metadata.h"
#include "traces/text/characters.h"
#include "traces/text/number.h"

#define FILE_NAME_BYTES	236	/* file systems take 255, with ".2.csv" */
#define FILE_NAME_ROOM	(FILE_NAME_BYTES + sizeof(".4294967295.csv"))

static const char *const fixed[] = {
	"ns", "host", "process", "pid", "cpu_id", NULL
};

/* The parts of a row that all events of a class have, and where it goes. */
struct csv_class {
	struct table_class *table;
	struct out *to;
	char *head;			/* from `host` to `cpu_id` */
	size_t bytes;
};

/* The export. Each table has a struct out as its `own`, once it is open. */
struct csv {
	struct tables tables;
	struct out scratch;
};

/* Writes a text in quotes. A quote in it is written twice. */
static void put_quoted(struct out *out, const char *text, size_t n)
{
	utf8_put(out, text, n, '"');
}

/*
 * Creates the file of a table, which must not be there. Characters that a shell
 * or another file system would not take are written as %XX. A name that is cut
 * may be that of several tables: a number then tells their files apart. Returns
 * a descriptor or a negative errno.
 */
static int create_file(const struct exporter *x, const struct table *table)
{
	char name[FILE_NAME_ROOM];

	for (unsigned int number = 1;; number++) {
		const char *from = table->name;
		int n = 0, fd;

		for (; *from && n + 3 <= FILE_NAME_BYTES; from++) {
			uint8_t c = (uint8_t)*from;
			bool plain = c > ' ' && c < 127 &&
				     !strchr("/%\\\"'*?<>|", c) &&
				     !(c == '.' && !n);

			n += snprintf(name + n, 4, plain ? "%c" : "%%%02X", c);
		}
		if (*from && number > 1)
			n += sprintf(name + n, ".%u", number);
		strcpy(name + n, ".csv");
		fd = openat(x->directory, name,
			    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0)
			return fd;
		if (!*from || errno != EEXIST)
			return -errno;
	}
}

/* Opens the output of a table, and writes the names of the columns. Standard
 * output can have one table. Returns 0, or a negative errno with the reason
 * kept. */
static int open_table(struct exporter *x, struct table *table)
{
	struct out *out;
	int fd = x->fd;

	if (fd >= 0 && table != ((struct csv *)x->own)->tables.first)
		return export_failed(x, -EINVAL, "'%s' is a second table",
				     table->name);
	if (fd < 0)
		fd = create_file(x, table);
	if (fd < 0)
		return export_failed(x, fd, "%s: %s", table->name,
				     trace_words(-fd));
	out = malloc(sizeof(*out));
	if (!out || out_open(out, fd)) {
		free(out);
		if (fd != x->fd)
			close(fd);
		return export_failed(x, -ENOMEM, "out of memory");
	}
	table->own = out;
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
	return 0;
}

/* Makes the tables of all known events. With standard output the first one
 * opens now, as an empty table has a head as well; else each one opens with its
 * first event. */
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
	if (x->fd >= 0 && csv->tables.first)
		return open_table(x, csv->tables.first);
	return 0;
}

/* Finds the table of a class, which opens with the first event of any of its
 * classes, and makes the text from the host to the comma before the CPU. */
static int csv_begin(struct exporter *x, const struct trace_event *event,
		     void *own)
{
	const struct trace_class *trace = event->trace;
	struct csv *csv = x->own;
	struct csv_class *class = own;
	struct out *out = &csv->scratch;
	struct table *table;
	int ret = 0;

	class->table = table_class_new(&csv->tables, trace, event->class);
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
	class->head = out->error ? NULL : strdup(out->start);
	if (!class->table || !class->head)
		return export_failed(x, -ENOMEM, "out of memory");
	class->bytes = strlen(class->head);
	/* another class may have opened it */
	table = class->table->table;
	if (!table->own)
		ret = open_table(x, table);
	class->to = table->own;
	return ret;
}

/* Writes a row: the columns of the context come first, then those of the
 * fields. A number has room in the 64 bytes that are made for each column. */
static int csv_put(struct exporter *x, const struct trace_event *event,
		   void *own)
{
	const struct csv_class *class = own;
	const struct column *column = class->table->columns;
	const struct column *end = column + class->table->ncolumns;
	struct out *scratch = &((struct csv *)x->own)->scratch;
	const uint8_t *behind, *at = event->context;
	struct out *out = class->to;
	const char *label;
	size_t n;

	out_room(out, NUMBER_S64_BYTES);
	out->p = number_s64(out->p, event->ns);
	out_bytes(out, class->head, class->bytes);
	out_room(out, NUMBER_U64_BYTES);
	if (!event->trace->no_cpu)
		out->p = number_u64(out->p, event->cpu);
	for (; column < end; column++) {
		const struct field_class *field = column->class;

		at = (column->begins ? event->fields : at) + column->skip;
		behind = at + field->bytes;
		out_room(out, 64);
		*out->p++ = ',';
		switch (column->kind) {
		case COLUMN_SIGNED:
			out->p = number_s64(out->p, (int64_t)
					    field_integer(field, at));
			break;
		case COLUMN_UNSIGNED:
			out->p = number_u64(out->p, field_integer(field, at));
			break;
		case COLUMN_REAL:
			real_put(out, field_real(field, at), "");
			break;
		case COLUMN_STRING:
			behind = field_characters(field, at, &n);
			put_quoted(out, (const char *)at, n);
			break;
		case COLUMN_LABEL:
			label = label_of(field, field_integer(field, at));
			if (label)
				put_quoted(out, label, strlen(label));
			break;
		case COLUMN_BYTES:
		case COLUMN_JSON:
			out_rewind(scratch);
			behind = json_value(scratch, field, at);
			put_quoted(out, scratch->start,
				   (size_t)(scratch->p - scratch->start));
			break;
		}
		at = column->stays ? at : behind;
	}
	out_char(out, '\n');
	return export_unwritten(x, out->error);
}

/* Flushes and closes all outputs, also after an error of one of them. The first
 * error is told. */
static int csv_close(struct exporter *x, bool keep)
{
	struct csv *csv = x->own;
	int error, ret = 0;

	for (struct table *t = csv->tables.first; t; t = t->next) {
		struct out *out = t->own;

		if (!out)
			continue;
		error = out_close(out);
		if (out->fd != x->fd && close(out->fd) && !error)
			error = -errno;
		free(out);
		ret = ret ? ret : error;
	}
	tables_free(&csv->tables);
	out_close(&csv->scratch);
	free(csv);
	return export_unwritten(x, ret);
}

/* Frees the parts of a class. The table stays: others may have it. */
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
