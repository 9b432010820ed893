/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recounts a directory that record or snapshot wrote.
 */
#ifndef TRACES_VERIFY_H
#define TRACES_VERIFY_H

#include <stddef.h>
#include <stdint.h>

/* A process that lost events in rings which it shared: emitted = kept + lost,
 * where nothing was overwritten. */
struct verify_process {
	uint32_t pid;
	char name[32];			/* "": not known */
	uint64_t kept;
	uint64_t lost;
};

/* The sums over all traces. emitted = kept + overwritten + lost, unless a
 * problem was reported. */
struct verify_result {
	uint64_t traces;
	uint64_t streams;
	uint64_t emitted;
	uint64_t kept;
	uint64_t overwritten;
	uint64_t lost;			/* including events without a ring */
	uint64_t lost_calls;		/* of these: no room until they end */
	uint64_t records;		/* of writers, beside the events */
	uint64_t problems;
	struct verify_process *processes; /* the caller frees them */
	size_t nprocesses;
};

/*
 * Recounts every stream of `path` (one trace, or a directory of traces).
 * Calls `report`, if there is one, for each problem: `where` names the trace
 * or stream. Returns the number of problems (at most INT_MAX), or a negative
 * errno; -ENOENT: there is no trace that Taffrail wrote.
 */
int verify_directory(struct verify_result *result, const char *path,
		     void (*report)(const char *where, const char *fact,
				    void *priv), void *priv);

#endif
