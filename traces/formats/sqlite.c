/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events as tables of an SQLite database, one a type of event, with an index on
 * the time.
 *
 * A value that a type of SQLite cannot hold is a BLOB with its text: NaN, and
 * unsigned integers above the largest that is signed. A string that is no UTF-8
 * is a BLOB with its bytes.
 */
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "traces/formats/json-value-private.h"
#include "traces/formats/private.h"
#include "traces/formats/sqlite-abi-private.h"
#include "traces/formats/table-private.h"
#include "traces/text/characters.h"
#include "traces/text/number.h"
#include "traces/text/out.h"

/* The columns of a class, and the statement of its table. */
struct sqlite_class {
	struct table_class *table;
	struct sqlite3_stmt *insert;	/* of the table; borrowed */
};

/* The export. All pointers are NULL until sqlite_prepare() has set them. */
struct sqlite {
	struct sqlite_abi abi;
	void *library;
	struct sqlite3 *db;
	struct sqlite3_stmt *loss;
	bool losses;			/* it was used */
	struct tables tables;
	struct out sql;			/* a statement that is being made */
	struct out scratch;
};

/*
 * The library for SQLite databases, the schema, and the tables beside those of
 * events.
 *
 * Invariant: names of programs reach SQL only in quotes. All is one
 * transaction: a database that is not finished has no table.
 */

/* Statements of the library's machine between two looks at a signal: an index
 * over millions of events takes seconds, in which nothing else looks. */
#define LOOK_STEPS	100000

/* The functions of struct sqlite_abi, in its order. */
static const char *const names[] = {
	"open_v2", "close", "exec", "prepare_v2", "step", "reset", "finalize",
	"bind_int64", "bind_double", "bind_text", "bind_blob", "bind_null",
	"errmsg", "progress_handler",
};

_Static_assert(sizeof(struct sqlite_abi) == ARRAY_SIZE(names) * sizeof(void *),
	       "a name for each function, in their order");

static const char *const types[] = {
	[COLUMN_SIGNED] = "INTEGER", [COLUMN_UNSIGNED] = "INTEGER",
	[COLUMN_REAL] = "REAL", [COLUMN_STRING] = "TEXT",
	[COLUMN_LABEL] = "TEXT", [COLUMN_BYTES] = "BLOB",
	[COLUMN_JSON] = "TEXT",
};

/* Keeps the library's reason. Returns -EIO. */
static int sqlite_failed(struct exporter *x, const struct sqlite *s)
{
	return export_failed(x, -EIO, "%s", s->db ? s->abi.errmsg(s->db) :
						    "out of memory");
}

/* Runs statements without results. Returns 0, or -EIO with the library's reason
 * kept. */
static int run_text(struct exporter *x, struct sqlite *s, const char *sql)
{
	return s->abi.exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 :
	       sqlite_failed(x, s);
}

/* Runs the statement in s->sql, and empties that. Returns 0, or -EIO or -ENOMEM
 * with the reason kept. */
static int sqlite_run(struct exporter *x, struct sqlite *s)
{
	out_char(&s->sql, '\0');
	out_rewind(&s->sql);
	return s->sql.error ? export_failed(x, -ENOMEM, "out of memory") :
			      run_text(x, s, s->sql.start);
}

/* Prepares the statement in s->sql, and empties that. Returns the statement,
 * which the caller finalizes; or NULL with the reason kept. */
static struct sqlite3_stmt *sqlite_statement(struct exporter *x,
					     struct sqlite *s)
{
	struct sqlite3_stmt *statement = NULL;

	out_char(&s->sql, '\0');
	out_rewind(&s->sql);
	if (s->sql.error) {
		export_failed(x, -ENOMEM, "out of memory");
		return NULL;
	}
	if (s->abi.prepare_v2(s->db, s->sql.start, -1, &statement, NULL) !=
	    SQLITE_OK)
		sqlite_failed(x, s);
	return statement;
}

/* Loads the library, and makes an empty database in x->path. Returns 0, or a
 * negative errno with the reason kept. */
static int sqlite_prepare(struct exporter *x, struct sqlite *s)
{
	void **function = (void **)&s->abi;
	char name[40];

	s->library = dlopen(SQLITE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!s->library)
		return export_failed(x, -ENOENT, "libsqlite3 is missing "
				     "(Debian: libsqlite3-0; Fedora: "
				     "sqlite-libs): %s", dlerror());
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(name, sizeof(name), "sqlite3_%s", names[i]);
		function[i] = dlsym(s->library, name);
		if (!function[i])
			return export_failed(x, -ENOENT, "%s has no %s",
					     SQLITE_LIBRARY, name);
	}
	if (s->abi.open_v2(x->path, &s->db, SQLITE_OPEN_READWRITE |
			   SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW,
			   NULL) != SQLITE_OK)
		return sqlite_failed(x, s);
	/* the file is removed if anything goes wrong */
	return run_text(x, s, "PRAGMA page_size=16384;"
			      "PRAGMA journal_mode=OFF;"
			      "PRAGMA synchronous=OFF;"
			      "PRAGMA locking_mode=EXCLUSIVE;"
			      "PRAGMA cache_size=-65536;"
			      "BEGIN");
}

/* Closes and frees all that there is. */
static void sqlite_end(struct sqlite *s)
{
	if (s->loss)
		s->abi.finalize(s->loss);
	if (s->db)
		s->abi.close(s->db);
	if (s->library)
		dlclose(s->library);
}

/* Writes a name of a table or column in quotes. */
static void put_name(struct out *sql, const char *name)
{
	utf8_put(sql, name, strlen(name), '"');
}

/* Makes a table and the statement that inserts into it: table->own. Returns 0,
 * or a negative errno with the reason kept. */
static int sqlite_make_table(struct exporter *x, struct sqlite *s,
		      struct table *table)
{
	struct out *sql = &s->sql;
	int ret;

	out_text(sql, "CREATE TABLE ");
	put_name(sql, table->name);
	out_text(sql, "(ns INTEGER, trace INTEGER, cpu_id INTEGER");
	for (size_t i = 0; i < table->ncolumns; i++) {
		const struct column *column = &table->columns[i];

		out_char(sql, ',');
		put_name(sql, column->name);
		out_char(sql, ' ');
		out_text(sql, types[column->kind]);
	}
	out_char(sql, ')');
	ret = sqlite_run(x, s);
	if (ret)
		return ret;
	out_text(sql, "INSERT INTO ");
	put_name(sql, table->name);
	out_text(sql, " VALUES(?,?,?");
	for (size_t i = 0; i < table->ncolumns; i++)
		out_text(sql, ",?");
	out_char(sql, ')');
	table->own = sqlite_statement(x, s);
	return table->own ? 0 : -EIO;
}

/* Writes up to 299 characters: numbers and words of this file, no text of a
 * program. */
static void put_format(struct out *sql, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void put_format(struct out *sql, const char *format, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	out_text(sql, text);
}

/* Writes a text as a value in quotes. */
static void put_value(struct out *sql, const char *text)
{
	utf8_put(sql, text, strlen(text), '\'');
}

/* Makes the tables of traces and losses. Returns 0, or a negative errno with
 * the reason kept. */
static int sqlite_begin(struct exporter *x, struct sqlite *s)
{
	int ret = run_text(x, s,
		"CREATE TABLE traces(id INTEGER PRIMARY KEY, path TEXT, "
		"host TEXT, process TEXT, pid INTEGER, starttime INTEGER, "
		"domain TEXT, uuid TEXT);"
		"CREATE TABLE events(\"table\" TEXT, event TEXT, "
		"count INTEGER);"
		"CREATE TABLE losses(trace INTEGER, stream TEXT, "
		"events INTEGER, \"from\" INTEGER, \"to\" INTEGER);"
		"CREATE VIEW processes AS SELECT host, pid, starttime, "
		"group_concat(process, ' ') AS process, "
		"count(*) AS traces FROM traces "
		"GROUP BY host, pid, starttime;");

	if (ret)
		return ret;
	out_text(&s->sql, "INSERT INTO losses VALUES(?,?,?,?,?)");
	s->loss = sqlite_statement(x, s);
	return s->loss ? 0 : -EIO;
}

/* Writes a row for each trace, which events name by its number. */
static int put_traces(struct exporter *x, struct sqlite *s)
{
	struct trace_class *const *traces;
	size_t n = reader_traces(x->reader, &traces);
	struct out *sql = &s->sql;
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++) {
		const struct trace_class *trace = traces[i];

		/* shared buffers have losses alone */
		if (trace->shared && !s->losses)
			continue;
		put_format(sql, "INSERT INTO traces VALUES(%zu,",
			   trace->number);
		put_value(sql, trace->path);
		out_char(sql, ',');
		put_value(sql, trace->hostname);
		out_char(sql, ',');
		put_value(sql, trace->procname);
		if (trace->vpid >= 0)
			put_format(sql, ",%lld,%lld,", (long long)trace->vpid,
				   (long long)trace->starttime);
		else
			out_text(sql, ",NULL,NULL,");
		put_value(sql, trace->domain);
		out_text(sql, ",'");
		for (int k = 0; k < 16; k++)
			put_format(sql, "%02x%s", trace->uuid[k],
				   k == 3 || k == 5 || k == 7 || k == 9 ?
				   "-" : "");
		out_text(sql, "')");
		ret = sqlite_run(x, s);
	}
	return ret;
}

/* Returns whether a signal has come: the library then ends the statement with
 * an error. */
static int is_stopped(void *priv)
{
	const struct exporter *x = priv;

	return x->stop && *x->stop;
}

/* Fills the table of events and ends the transaction. Returns 0, or a negative
 * errno with the reason kept. */
static int sqlite_finish(struct exporter *x, struct sqlite *s)
{
	struct out *sql = &s->sql;
	char *name;
	int ret = put_traces(x, s);

	s->abi.progress_handler(s->db, LOOK_STEPS, is_stopped, x);
	for (const struct table *t = s->tables.first; t && !ret; t = t->next) {
		if (!t->own)
			continue;
		out_text(sql, "INSERT INTO events VALUES(");
		put_value(sql, t->name);
		out_char(sql, ',');
		put_value(sql, t->event->name);
		put_format(sql, ",%llu)", (unsigned long long)t->events);
		ret = sqlite_run(x, s);
		if (ret)
			return ret;
		/* cheaper behind the last event than with each */
		if (asprintf(&name, "ns of %s", t->name) < 0)
			return export_failed(x, -ENOMEM, "out of memory");
		out_text(sql, "CREATE INDEX ");
		put_name(sql, name);
		out_text(sql, " ON ");
		put_name(sql, t->name);
		out_text(sql, "(ns)");
		ret = sqlite_run(x, s);
		free(name);
	}
	return ret ? ret : run_text(x, s, "COMMIT");
}

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
