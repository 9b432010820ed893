/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The agent: what runs inside a traced program beside its writers.
 *
 * What must stay true: it is a guest. It never exits, aborts, prints unasked,
 * changes errno or a signal mask for longer than a call, or leaves a
 * descriptor in the host's table. Files are opened only by threads with a
 * descriptor table of their own (control/threads/thread.h), but for a look at a
 * program that is about to be executed.
 */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

/* loader-*.c: learns of dlopen and dlclose from now on. Returns 0, -EEXIST
 * when another copy of the agent does already, or another negative errno when
 * it cannot. In a thread of the agent's own. */
int loader_setup(void);

/* Takes that back, where it is one byte of code. Same caller. */
void loader_undo(void);

/* Looks for modules now, as after a dlopen. */
void loader_look(void);

/* Makes files, obeys sessions and starts to serve; agent_off tells whether it
 * could. At start, and when an agent is woken. */
void agent_begin(void);

/* The value of agent_off where another copy of the agent is in the program. */
extern const char agent_another_copy[];

/* 1 where writers may use restartable sequences. Set at start. */
extern int agent_rseq;

/* Finds libc's own way to the modules; in the shared library only. */
void modules_setup(void) __attribute__((weak));

/* Waits until no dlopen or dlclose is under way that had begun before; in the
 * shared library only. */
void modules_settle(void) __attribute__((weak));

/* Returns 1 when the program's libc is the one that the agent knows; in the
 * shared library only. */
int libc_suits(void) __attribute__((weak));

#endif
