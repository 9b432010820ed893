/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events as tables of an SQLite database, one a type of event, with an index on
 * the time.
 *
 * A value that a type of SQLite cannot hold is a BLOB with its text: NaN, and
 * unsigned integers above the largest that is signed. A string that is no UTF-8
 * is a BLOB with its bytes.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/formats/json-value-private.h"
#include "traces/formats/sqlite-private.h"
#include "traces/text/characters.h"
#include "traces/text/number.h"

static const char *const fixed[] = { "ns", "trace", "cpu_id", NULL };
static const char *const reserved[] = {
	"traces", "processes", "events", "losses", NULL
};

/* Numbers of the columns in front, as SQLite counts parameters. */
enum fixed_column {
	FIXED_NS = 1, FIXED_TRACE, FIXED_CPU, FIXED_END,
};

/* Makes the database, and all tables that are known. */
static int sqlite_open(struct exporter *x)
{
	struct sqlite *s = calloc(1, sizeof(*s));
	int ret;

	if (!s || out_open(&s->sql, -1) || out_open(&s->scratch, -1)) {
		if (s)
			free(s->sql.start);
		free(s);
		return export_failed(x, -ENOMEM, "out of memory");
	}
	x->own = s;
	s->tables.fixed = fixed;
	s->tables.reserved = reserved;
	ret = sqlite_prepare(x, s);
	if (!ret && tables_fill(&s->tables, x))
		ret = export_failed(x, -ENOMEM, "out of memory");
	return ret ? ret : sqlite_begin(x, s);
}

/* Finds the table of a class, and makes it in the database when its first event
 * comes. */
static int sqlite_class_begin(struct exporter *x,
			      const struct trace_event *event, void *own)
{
	struct sqlite *s = x->own;
	struct sqlite_class *class = own;
	struct table *table;
	int ret = 0;

	class->table = table_class_new(&s->tables, event->trace, event->class);
	if (!class->table)
		return export_failed(x, -ENOMEM, "out of memory");
	table = class->table->table;
	if (!table->own)
		ret = sqlite_make_table(x, s, table);
	class->insert = table->own;
	return ret;
}

/* Binds a text that stays until step(). One that is no UTF-8 becomes a BLOB. */
static void bind_text(struct sqlite *s, struct sqlite3_stmt *to, int i,
		      const char *text, size_t n)
{
	if (utf8_is_valid(text, n))
		s->abi.bind_text(to, i, text, (int)n, SQLITE_STATIC);
	else
		s->abi.bind_blob(to, i, text, (int)n, SQLITE_STATIC);
}

/* Binds a number. One above the largest that is signed becomes a BLOB with its
 * digits, which a comparison with numbers does not meet. */
static void bind_unsigned(struct sqlite *s, struct sqlite3_stmt *to, int i,
			  uint64_t value)
{
	char text[NUMBER_U64_BYTES];

	if (value <= INT64_MAX)
		s->abi.bind_int64(to, i, (int64_t)value);
	else
		s->abi.bind_blob(to, i, text,
				 (int)(number_u64(text, value) - text),
				 SQLITE_TRANSIENT);
}

/* Binds a value, of which the bytes stay until step(). Returns the value of the
 * next column. */
static const uint8_t *bind_column(struct sqlite *s, struct sqlite3_stmt *to,
				  int i, const struct column *column,
				  const uint8_t *at)
{
	const struct field_class *class = column->class;
	const uint8_t *behind;
	const char *label;
	double real;
	size_t n;

	at += column->skip;
	switch (column->kind) {
	case COLUMN_SIGNED:
		s->abi.bind_int64(to, i, (int64_t)field_integer(class, at));
		break;
	case COLUMN_UNSIGNED:
		bind_unsigned(s, to, i, field_integer(class, at));
		break;
	case COLUMN_REAL:
		real = field_real(class, at);
		if (isnan(real))
			s->abi.bind_blob(to, i, "NaN", 3, SQLITE_STATIC);
		else
			s->abi.bind_double(to, i, real);
		break;
	case COLUMN_STRING:
		behind = field_characters(class, at, &n);
		bind_text(s, to, i, (const char *)at, n);
		return behind;
	case COLUMN_LABEL:
		/* labels may be joined in memory that is used again */
		label = label_of(class, field_integer(class, at));
		if (label)
			s->abi.bind_text(to, i, label, -1, SQLITE_TRANSIENT);
		else
			s->abi.bind_null(to, i);
		break;
	case COLUMN_BYTES:
		n = class->kind == FIELD_ARRAY ? class->count :
						 field_length(at);
		s->abi.bind_blob(to, i, at, (int)n, SQLITE_STATIC);
		return at + n;
	case COLUMN_JSON:
		out_rewind(&s->scratch);
		behind = json_value(&s->scratch, class, at);
		s->abi.bind_text(to, i, s->scratch.start,
				 (int)(s->scratch.p - s->scratch.start),
				 SQLITE_TRANSIENT);
		return behind;
	}
	return column->stays ? at : at + class->bytes;
}

/* Inserts an event. Values stay where they are until step() has copied them. */
static int sqlite_put(struct exporter *x, const struct trace_event *event,
		      void *own)
{
	struct sqlite *s = x->own;
	const struct sqlite_class *class = own;
	const struct column *column = class->table->columns;
	const struct column *end = column + class->table->ncolumns;
	struct sqlite3_stmt *to = class->insert;
	const uint8_t *at = event->context;
	int i = FIXED_END;

	s->abi.bind_int64(to, FIXED_NS, event->ns);
	s->abi.bind_int64(to, FIXED_TRACE, (int64_t)event->trace->number);
	if (event->trace->no_cpu)
		s->abi.bind_null(to, FIXED_CPU);
	else
		s->abi.bind_int64(to, FIXED_CPU, event->cpu);
	for (; column < end; column++)
		at = bind_column(s, to, i++, column,
				 column->begins ? event->fields : at);
	class->table->table->events++;
	if (s->abi.step(to) != SQLITE_DONE)
		return sqlite_failed(x, s);
	s->abi.reset(to);
	return s->scratch.error ? export_failed(x, -ENOMEM, "out of memory") :
				  0;
}

/* Inserts a loss. The begin is NULL where it is not known. Returns 0 or -EIO.
 */
static int sqlite_loss(struct exporter *x, const struct trace_loss *loss)
{
	struct sqlite *s = x->own;
	struct sqlite3_stmt *to = s->loss;

	s->abi.bind_int64(to, 1, (int64_t)loss->trace->number);
	bind_text(s, to, 2, loss->stream, strlen(loss->stream));
	bind_unsigned(s, to, 3, loss->events);
	s->abi.bind_int64(to, 4, loss->from);
	if (loss->from == TIME_MIN)
		s->abi.bind_null(to, 4);
	s->abi.bind_int64(to, 5, loss->to);
	if (s->abi.step(to) != SQLITE_DONE)
		return sqlite_failed(x, s);
	s->abi.reset(to);
	s->losses = true;
	return 0;
}

/* Frees the columns of a class. The table and the statement stay: other classes
 * may have them. */
static void sqlite_class_end(void *own)
{
	struct sqlite_class *class = own;

	table_class_free(class->table);
}

/* Finishes the database if `keep`. All statements are gone before the library
 * is: sqlite_end() comes behind them. */
static int sqlite_close(struct exporter *x, bool keep)
{
	struct sqlite *s = x->own;
	int ret = keep ? sqlite_finish(x, s) : 0;

	for (struct table *t = s->tables.first; t; t = t->next)
		if (t->own)
			s->abi.finalize(t->own);
	tables_free(&s->tables);
	sqlite_end(s);
	out_close(&s->sql);
	out_close(&s->scratch);
	free(s);
	return ret;
}

const struct export_format export_sqlite = {
	.name = "sqlite", .target = EXPORT_FILE, .open = sqlite_open,
	.class_bytes = sizeof(struct sqlite_class),
	.begin = sqlite_class_begin, .end = sqlite_class_end,
	.put = sqlite_put, .loss = sqlite_loss, .close = sqlite_close,
};
