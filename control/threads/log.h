/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The agent's log: one line a call, where TAFFRAIL_LOG asks for it.
 */
#ifndef CONTROL_THREADS_LOG_H
#define CONTROL_THREADS_LOG_H

#include <stddef.h>
#include <stdint.h>

enum log_level { LOG_ERROR = 1, LOG_WARNING, LOG_INFO, LOG_DEBUG };

/* Reads TAFFRAIL_LOG, or NULL. Call it once, at start. */
void log_setup(const char *spec);

/* Writes one line, if TAFFRAIL_LOG asks for this level. SIGSAFE. */
void log_fact(enum log_level level, const char *module, const char *fact,
	      int64_t number);

/* Writes a line, and takes the signal that the write may send to this thread: a
 * SIGPIPE of a pipe without a reader, a SIGXFSZ where the file would exceed the
 * process's limit (ulimit -f). A signal that was pending before is the
 * program's. Returns the result of the write, or a negative errno. SIGSAFE. */
long log_write(int fd, const char *line, size_t n);

#endif
