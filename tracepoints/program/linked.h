/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions of the modules that came with the program, looked up without a lock
 * or memory: signal handlers and children of vfork(2) may do so, and it takes a
 * tenth of what dlsym(3) takes. In the shared library only.
 */
#ifndef TRACEPOINTS_PROGRAM_LINKED_H
#define TRACEPOINTS_PROGRAM_LINKED_H

#include <stdbool.h>

/* Learns where to look, at the first call with `alone`: libc's constructors
 * have not run. Returns false where the agent came later, or a module has no
 * hash table of GNU's: dlsym() looks then. */
bool linked_learn(bool alone);

/* Returns the next function of a name behind the agent; or the one that names
 * of the program lead to; or NULL, also before linked_learn(). SIGSAFE. */
void *linked_behind(const char *name);
void *linked_first(const char *name);

#endif
