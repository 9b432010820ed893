/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The service thread on demand: a process has one from a command's call until
 * a second after the last peer has gone; see demand.c.
 */
#ifndef CONTROL_SERVICE_DEMAND_H
#define CONTROL_SERVICE_DEMAND_H

#include <stdbool.h>

#include "control/service/action.h"

/*
 * Lets commands reach this process: through a service thread that a command
 * makes when it needs one; through one that starts now and stays
 * (TAFFRAIL_SERVICE=thread, TAFFRAIL_GDB=on, a debugger's child, a group that
 * is let in); through a signal that the program's threads take
 * (TAFFRAIL_SERVICE=signal); or not at all (TAFFRAIL_SERVICE=off). Call it when
 * the process has a page. SIGSAFE, as all functions here.
 */
void demand_begin(void);

/* Has a process without files offer to make the thread, by a page of which only
 * `wake` counts. The thread then makes the files (service_hooks->files).
 * Returns false where no command could make it. */
struct process_page;
bool demand_defer(struct process_page *page);

/* Makes the thread at once, if it is on offer, because a command waits. */
void demand_make(void);

/* Makes the offer. The ending service thread calls it, with 0 or the error that
 * kept it from beginning, and the cause of that (place_denial()), or 0. */
void demand_offer(int error, uint32_t denial);

/*
 * Withdraws the offer: no command can make the thread until demand_give_back()
 * is called with the value returned. A thread that is there stays; if one is
 * being made, the function waits until it is there.
 */
bool demand_withdraw(void);
void demand_give_back(bool withdrawn);

/* Tells commands, after demand_withdraw(), why there is no offer: an errno.
 * ENOSYS: a thread's system calls are dispatched. */
void demand_refuse(int error);

/* The changes that demand_exec() has made. */
struct demand_leave {
	bool withdrawn;
	bool ignored;
	struct kernel_action before;	/* if `ignored` */
};

/* Does the same before another program is executed. When it returns, no
 * command's signal is under way, or the process ignores the signal. It ignores
 * it also where the program does: in a child that shares this memory and in a
 * forked one, too. */
void demand_exec(struct demand_leave *leave);
void demand_exec_failed(const struct demand_leave *leave);

/* Has the kernel ignore the signal while a function of libc's makes a child
 * that executes a program, if the program ignores it. A command whose signal is
 * lost so sends it again. Returns the argument of demand_spawned(). SIGSAFE. */
bool demand_spawn(void);
void demand_spawned(bool begun);

/* Forgets the parent's offer and withdrawals, in a forked child. */
void demand_forget(void);

/* Gives the signal back to the program (TAFFRAIL_SERVICE=signal), when the
 * agent is detached. demand_begin() takes it again. */
void demand_sleep(void);

/* Give the signal back for good, when a detached agent is unloaded, and take it
 * again. A handler that the program or libc has put in the place of ours
 * stays. */
void demand_signal_give(void);
void demand_signal_take(void);

/* Returns true when the calling service thread may end once it serves no peer.
 */
bool demand_may_end(void);

/*
 * Installs the handler of the signal by which a command asks for the thread.
 * The thread runs `run`. `awaited` returns whether a debugger keeps the
 * program's threads from making a service thread, or may do so at any moment;
 * any thread calls it, so it must be SIGSAFE. Where there is no service thread
 * (agent_signal), installs the handler that calls `serve` instead (call.h).
 * Call it once, at start.
 */
void demand_setup(int (*run)(void *arg), bool (*awaited)(void),
		  int (*serve)(void *unused));

#endif
