/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads a ledger, index/ledger of a trace or DIR/ledger of a directory.
 */
#ifndef TRACES_LEDGER_H
#define TRACES_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The word before the number in the last line. */
#define LEDGER_CHECKSUM		"checksum "

/* Begins the row of a process that shared rings and lost events there: behind
 * its number, how many, and the pid. */
#define LEDGER_PROCESS		"process_"

/* The row of the calls among the events of "unplaced" (struct session_page,
 * lost_calls). Without it there is none. */
#define LEDGER_CALLS		"calls"

#define LEDGER_DAMAGED		"it is damaged: its checksum is wrong"
/* In DIR: a line "trace NAME" for each trace that is there, "ledger N" if
 * DIR/ledger counts N that are not, and a checksum. */
#define TRACE_LIST		"traces"
#define TRACE_LIST_LEDGER	"ledger"

/* A ledger in memory. It has no rows unless the checksum was right. */
struct ledger {
	char *text;			/* NULL: none, or it is damaged */
	bool damaged;
	bool empty;
};

/* A line: a word, and up to five numbers. */
struct ledger_row {
	char name[64];
	unsigned long long n[5];
};

/* Reads a file. An empty ledger is as good as none: the command that made it
 * was killed. Nothing fails: without memory it is as if there were none.
 * ledger_close() frees the text, and may be called twice. */
void ledger_open(struct ledger *ledger, int dirfd, const char *name);
void ledger_close(struct ledger *ledger);

/* Finds the row of a stream, or "unplaced". Without one, returns false, and
 * *row is all zero. */
bool ledger_find(const struct ledger *ledger, const char *name,
		 struct ledger_row *row);

/* Reads the next row. `at` is NULL at first. Returns false at the end. */
bool ledger_next(const struct ledger *ledger, const char **at,
		 struct ledger_row *row);

/* Returns true when a directory has something of a trace. */
bool trace_there(int fd);

/* Returns true when a directory is a recording: it has a trace that Taffrail
 * wrote directly below it, or a recorder writes into it now. With `session`,
 * only traces of a session of that name count. */
bool trace_set_there(int fd, const char *session);

/*
 * Calls `differs` for each trace that the list in the directory `top` names and
 * that is not there, and for each one that was added: it is there, and not
 * named. Without a list it does nothing. Returns 0, or -EBADMSG if the list is
 * damaged.
 */
int trace_list_check(int top,
		     void (*differs)(const char *name, bool added, void *priv),
		     void *priv);

#endif
