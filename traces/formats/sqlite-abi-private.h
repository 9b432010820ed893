/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions of libsqlite3 that are used. The library is loaded only for an
 * export to SQLite. Facts: sqlite.org/c3ref, version 3.40; the functions are
 * the same since 3.5, and stay so for all of version 3.
 */
#ifndef TRACES_FORMATS_SQLITE_ABI_PRIVATE_H
#define TRACES_FORMATS_SQLITE_ABI_PRIVATE_H

#include <stdint.h>

#define SQLITE_LIBRARY	"libsqlite3.so.0"

#define SQLITE_OK	0
#define SQLITE_DONE	101
#define SQLITE_OPEN_READWRITE	0x00000002
#define SQLITE_OPEN_NOMUTEX	0x00008000
#define SQLITE_OPEN_NOFOLLOW	0x01000000	/* ignored before 3.31 */

/* Whether text that is bound is copied. */
#define SQLITE_STATIC	((void (*)(void *))0)
#define SQLITE_TRANSIENT	((void (*)(void *))-1)

struct sqlite3;
struct sqlite3_stmt;

/* The functions, in the order of their names in sqlite.c. Each has the
 * type that the library declares. */
struct sqlite_abi {
	int (*open_v2)(const char *path, struct sqlite3 **db, int flags,
		       const char *vfs);
	int (*close)(struct sqlite3 *db);
	int (*exec)(struct sqlite3 *db, const char *sql,
		    int (*row)(void *, int, char **, char **), void *priv,
		    char **error);
	int (*prepare_v2)(struct sqlite3 *db, const char *sql, int bytes,
			  struct sqlite3_stmt **statement, const char **tail);
	int (*step)(struct sqlite3_stmt *statement);
	int (*reset)(struct sqlite3_stmt *statement);
	int (*finalize)(struct sqlite3_stmt *statement);
	int (*bind_int64)(struct sqlite3_stmt *statement, int i, int64_t value);
	int (*bind_double)(struct sqlite3_stmt *statement, int i, double value);
	int (*bind_text)(struct sqlite3_stmt *statement, int i,
			 const char *text, int bytes, void (*free)(void *));
	int (*bind_blob)(struct sqlite3_stmt *statement, int i,
			 const void *at, int bytes, void (*free)(void *));
	int (*bind_null)(struct sqlite3_stmt *statement, int i);
	const char *(*errmsg)(struct sqlite3 *db);
	void (*progress_handler)(struct sqlite3 *db, int steps,
				 int (*call)(void *), void *priv);
};

#endif
