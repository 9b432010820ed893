/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions that another room of the agent has called where the agent comes
 * into a running program, and when it goes to sleep there.
 */
#ifndef AGENT_LATE_H
#define AGENT_LATE_H

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
 * not be bound yet. NULL while nothing is needed. */
extern void (*late_mapped)(void);

#endif
