/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An agent that comes into a running program: functions that another room has
 * called then, and when the agent goes to sleep there; or with the program.
 */
#ifndef AGENT_LATE_H
#define AGENT_LATE_H

#include <errno.h>
#include <stdbool.h>

/* Returns true when `taffrail attach` loads the agent in the calling thread.
 * Then taffrail_attach() does the work that needs a lock which forks hold. */
bool attach_loads(void);

/* Returns true while libc's constructors have not run: the process has one
 * thread, and no other code has run in it. */
static inline bool agent_begins_alone(void)
{
	return program_invocation_short_name && !*program_invocation_short_name;
}

struct late_hooks {
	/* Names lead here from now on. With the registry's lock, in a thread of
	 * the program's. */
	void (*lead)(void);
	/* Then no dlopen() is under way that had begun before. Same thread,
	 * without the lock. */
	void (*find)(void);
	/* The names lead back. With the registry's lock, in the service thread.
	 */
	void (*back)(void);
};

/* NULL where nothing is needed. */
extern const struct late_hooks *late_hooks;

/* Called, with the registry's lock, when modules were mapped: their names may
 * not be bound yet. NULL where nothing is needed. */
extern void (*late_mapped)(void);

#endif
