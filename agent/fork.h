/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions that other rooms of the agent have called around fork(3), and at
 * the program's end.
 */
#ifndef AGENT_FORK_H
#define AGENT_FORK_H

/* Called before fork(3), and then in the parent or in the child, without the
 * registry's lock. */
struct fork_hooks {
	void (*before)(void);
	void (*parent)(void);
	void (*child)(void);
	/* Called by the library's destructor, in the thread that exits. */
	void (*end)(void);
};

/* NULL while nothing is needed. */
extern const struct fork_hooks *fork_hooks;

/* Makes the files that were put off (deferred.c), if any, before the program
 * does something that the agent must see. SIGSAFE. */
void fork_need_files(void);

/* Waits while another thread makes them: a child would have half of them.
 * SIGSAFE. */
void fork_wait(void);

#endif
