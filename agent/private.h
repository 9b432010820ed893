/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The agent: the code inside a traced program, apart from the writers.
 *
 * Invariant: it is a guest. It never exits, aborts, prints unasked,
 * changes errno or a signal mask for longer than a call, or leaves a
 * descriptor in the host's table. Only threads with a private descriptor table
 * (control/threads/thread.h) open files. The one exception is a look at a
 * program that is about to be executed.
 */
#ifndef AGENT_PRIVATE_H
#define AGENT_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

struct lacking_off;

/* loader-*.c: follows dlopen and dlclose from now on. `alone`: no other thread
 * is in the process. Returns 0, -EEXIST when another copy of the agent already
 * does, or another negative errno when it cannot. Call it in one of the agent's
 * threads. */
int loader_setup(bool alone);

/* The same for a process that puts off its files: they are made, and the linker
 * is followed, before it maps the next module. Returns false where only
 * loader_setup() will do. The process has one thread. */
bool loader_defer(void);

/* Restores the linker's function where one byte of the code was changed. Same
 * caller. */
void loader_undo(void);

/* Returns true when nothing in the dynamic linker leads here. */
bool loader_undone(void);

/* Looks for modules now, as after a dlopen. */
void loader_look(void);

/* Makes files, starts the sessions that are asked for, and begins to serve;
 * agent_off tells whether it could. Called at start, and when an agent is
 * woken. */
void agent_begin(void);

/* deferred.c. deferred_look() returns true where the files may be put off: the
 * program is known to need none, and a recorder allows it. deferred_start()
 * comes after that, in place of agent_begin(), and returns whether it has put
 * them off. */
bool deferred_look(void);
bool deferred_start(void);

/* Learns of the machine and its clock, as the session's file has them. */
void agent_learn(void);

/* The rest of the start of such a process; `thread`: in one of the agent's
 * threads. Returns why the agent is off, or NULL. */
const char *agent_begin_late(bool thread);

#define AGENT_FILES	16	/* more than are open at once */

/* The cause that goes with agent_off after agent_begin(). */
extern struct lacking_off agent_lacks;

/* The value of agent_off where another copy of the agent is in the program. */
extern const char agent_another_copy[];

/* 1 where writers may use restartable sequences. Set at start. */
extern int agent_rseq;

/* Finds libc's own dl_iterate_phdr(); in the shared library only. */
void modules_setup(void) __attribute__((weak));

/* Waits until no dlopen or dlclose is under way that had begun before; in the
 * shared library only. */
void modules_wait(void) __attribute__((weak));

/* Keeps the dynamic linker from unloading the library, where the program has
 * loaded it by dlopen(); in the shared library only. */
void library_pin(void) __attribute__((weak));

/* Finds libc's copies of CPUID (host_leaf); in the shared library only. */
void leaves_setup(void) __attribute__((weak));

/* Returns the calloc() that the program's names lead to; in the shared library
 * only. */
void *libc_calloc(void) __attribute__((weak));

/* Returns true when the program's libc is the one that the agent knows; in the
 * shared library only. */
bool libc_suits(void) __attribute__((weak));

#endif
