/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes the events of traces in the form of other programs. docs/looking.md,
 * "Export", describes each form.
 *
 * Invariant: written values can be read again exactly; where a form cannot hold
 * a value, docs/looking.md says how the form changes it.
 *
 * An export belongs to one thread. It uses the `priv` of events' classes.
 */
#ifndef TRACES_FORMATS_FORMATS_H
#define TRACES_FORMATS_FORMATS_H

#include <signal.h>

#include "traces/read/where.h"

/* Where a form can go. */
enum export_target {
	EXPORT_STREAM,			/* a file, or standard output */
	EXPORT_TABLES,			/* the same for one type; a directory */
	EXPORT_FILE,			/* a file, which must not exist */
};

struct exporter;
struct pairs;

/* A format. Functions that return int give 0, or a negative errno with the
 * reason kept; after that only close() and end() are called. */
struct export_format {
	const char *name;
	enum export_target target;
	bool binary;
	int (*open)(struct exporter *x);
	/* Makes the parts that all events of a class have, in `own`: zeroed
	 * memory of class_bytes. end() frees them, also after a failure and
	 * after close(). NULL: there are none. */
	size_t class_bytes;
	int (*begin)(struct exporter *x, const struct trace_event *event,
		     void *own);
	void (*end)(void *own);
	int (*put)(struct exporter *x, const struct trace_event *event,
		   void *own);
	int (*loss)(struct exporter *x, const struct trace_loss *loss);
	/* finishes the output if `keep`, and frees everything */
	int (*close)(struct exporter *x, bool keep);
};

/* An export. The caller owns all that it has set. */
struct exporter {
	/* set by the caller */
	const struct export_format *format;
	struct reader *reader;
	int fd;				/* EXPORT_STREAM; TABLES: or -1 */
	const char *path;		/* of the file or directory, or NULL */
	int directory;			/* the directory's descriptor, if fd is
					 * -1 */
	const struct where *where;	/* the reader's rules, or NULL */
	const char *const *pairs;	/* rules for perfetto (pairs_add()) */
	size_t npairs;
	bool by_cpu;			/* pairs_by_cpu() */
	const volatile sig_atomic_t *stop;	/* a signal sets it; or NULL */
	/* is given the pairs of a form that has some, at the end; or NULL */
	void (*paired)(const struct pairs *pairs, void *priv);
	void *priv;
	/* results */
	uint64_t events;		/* that were written */
	uint64_t threadless;		/* pairs_threadless(), once closed */
	const char *threadless_rule;	/* one of `pairs` that has some, or
					 * NULL */
	int moved_days;			/* by which all times are later: the
					 * form has none before 1970 */
	char why[300];			/* of the last call that failed */
	/* private */
	struct export_class *classes;
	void *own;			/* of the format */
};

/* Returns a format, or NULL for another word. */
const struct export_format *export_format_of(const char *word);

/* Return 0, or a negative errno and the reason in x->why. export_close() closes
 * all that export_open() has opened, also after a failure; without `keep` the
 * caller removes the output. */
int export_open(struct exporter *x);
int export_put(struct exporter *x, const struct trace_event *event);
int export_loss(struct exporter *x, const struct trace_loss *loss);
int export_close(struct exporter *x, bool keep);

/*
 * Calls `take` for each table that csv would write for x->reader and x->where,
 * with the id of the table's events. Tables with the same id come one after the
 * other. Returns how many there are, or -ENOMEM.
 */
int export_tables(const struct exporter *x,
		  void (*take)(const char *id, void *priv), void *priv);

#endif
