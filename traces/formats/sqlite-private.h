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

/* Loads the library, and makes an empty database in x->path. Returns 0, or a
 * negative errno with the reason kept. sqlite_end() closes and frees what there
 * is, in any case. */
int sqlite_prepare(struct exporter *x, struct sqlite *s);
void sqlite_end(struct sqlite *s);

/* Keeps the library's reason. Returns -EIO. */
int sqlite_failed(struct exporter *x, const struct sqlite *s);

/* Makes a table and the statement that inserts into it: table->own. Returns 0,
 * or a negative errno with the reason kept. */
int sqlite_make_table(struct exporter *x, struct sqlite *s,
		      struct table *table);

/* Make the tables beside those of events: sqlite_begin() makes traces and
 * losses, sqlite_finish() fills events and ends the transaction. Return 0, or a
 * negative errno with the reason kept. */
int sqlite_begin(struct exporter *x, struct sqlite *s);
int sqlite_finish(struct exporter *x, struct sqlite *s);

#endif
