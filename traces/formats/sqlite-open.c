/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The library for SQLite databases, the schema, and the tables beside those of
 * events.
 *
 * Invariant: names of programs reach SQL only in quotes. All is one
 * transaction: a database that is not finished has no table.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "traces/formats/sqlite-private.h"
#include "traces/text/characters.h"

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

int sqlite_failed(struct exporter *x, const struct sqlite *s)
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

int sqlite_prepare(struct exporter *x, struct sqlite *s)
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

void sqlite_end(struct sqlite *s)
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

int sqlite_make_table(struct exporter *x, struct sqlite *s,
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

int sqlite_begin(struct exporter *x, struct sqlite *s)
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

int sqlite_finish(struct exporter *x, struct sqlite *s)
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
