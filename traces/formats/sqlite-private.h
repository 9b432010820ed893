/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files that write an SQLite database: sqlite-open.c has the
 * library, the schema and all tables but those of events, sqlite.c the events.
 */
#ifndef TRACES_FORMATS_SQLITE_PRIVATE_H
#define TRACES_FORMATS_SQLITE_PRIVATE_H

#include "traces/formats/private.h"
#include "traces/formats/sqlite-abi-private.h"
#include "traces/formats/table-private.h"
#include "traces/text/out.h"

struct sqlite_class {
	struct table_class *table;
	struct sqlite3_stmt *insert;	/* of the table; borrowed */
};

struct sqlite {
	struct sqlite_abi abi;
	void *library;
	struct sqlite3 *db;
	struct sqlite3_stmt *loss;
	struct tables tables;
	struct out sql;			/* a statement that is being made */
	struct out scratch;
};

/* Loads the library, and makes an empty database in x->path. */
int sqlite_prepare(struct exporter *x, struct sqlite *s);
void sqlite_end(struct sqlite *s);

/* Keeps the library's reason. Returns -EIO. */
int sqlite_failed(struct exporter *x, const struct sqlite *s);

/* Run and prepare the statement in s->sql, and empty that. */
int sqlite_run(struct exporter *x, struct sqlite *s);
struct sqlite3_stmt *sqlite_statement(struct exporter *x, struct sqlite *s);

/* Makes a table and the statement that inserts into it: table->own. */
int sqlite_make_table(struct exporter *x, struct sqlite *s,
		      struct table *table);

/* Makes the tables beside those of events. */
int sqlite_begin(struct exporter *x, struct sqlite *s);
int sqlite_finish(struct exporter *x, struct sqlite *s);

#endif
