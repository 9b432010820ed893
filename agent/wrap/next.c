/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the functions that the wrappers here call: the next one of a name
 * behind the agent, which is libc's, or that of a library in between.
 *
 * dlsym(RTLD_NEXT) does that, too, but takes a lock, so a signal handler and a
 * child of fork(2) may not call it; and to find all functions at the start
 * takes a short program half a microsecond for each. So where the agent came
 * with the program each function is looked up when it is first called, without
 * a lock. An agent that comes later finds all at its start.
 */
#include <dlfcn.h>
#include <stdbool.h>

#include "agent/late.h"
#include "agent/wrap/private.h"
#include "base/base.h"
#include "tracepoints/program/linked.h"

void next_setup(void **function, const char *name)
{
	if (!linked_learn(agent_begins_alone()))
		store_relaxed(function, dlsym(RTLD_NEXT, name));
}

SIGSAFE void *next_found(void **function, const char *name)
{
	void *found = load_relaxed(function) ? NULL : linked_behind(name);

	if (found)
		store_relaxed(function, found);
	return load_relaxed(function);
}

void *next_function(void **function, const char *name)
{
	if (!next_found(function, name))
		next_setup(function, name);
	return load_relaxed(function);
}

bool next_is_first(void *function, const char *name)
{
	return (linked_learn(agent_begins_alone()) ?
			linked_first(name) : dlsym(RTLD_DEFAULT, name)) ==
	       function;
}
