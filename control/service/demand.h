/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The service thread on demand: a process has one from a command's call until
 * a moment after the last peer has gone; see demand.c.
 */
#ifndef CONTROL_SERVICE_DEMAND_H
#define CONTROL_SERVICE_DEMAND_H

/*
 * Lets commands reach this process: by a service thread that a command makes
 * when it needs one, by one that starts now and stays (TAFFRAIL_SERVICE=thread,
 * TAFFRAIL_GDB=on, a debugger's child, a group that is let in), or not at all
 * (off). Called when the process has its page. SIGSAFE, as all here.
 */
void demand_begin(void);

/* Makes the thread at once, if it is on offer: a command is there. */
void demand_make(void);

/* Makes the offer. For the service thread that ends, with 0 or the error that
 * it could not begin for. */
void demand_offer(int error);

/*
 * No command can make the thread until demand_give_back() is called with what
 * this returned. A thread that is there stays; one that is being made is there
 * when this returns.
 */
int demand_withdraw(void);
void demand_give_back(int withdrawn);

/* The same before another program is executed: no signal of a command's is
 * under way when it returns, or it is ignored from then on. */
int demand_exec(void);
void demand_exec_failed(int withdrawn);

/* In a forked child: nothing is offered or withdrawn. */
void demand_forget(void);

/* May the service thread, which is the caller, end when it serves no peer? */
int demand_may_end(void);

/*
 * Takes the signal by which a command asks for the thread. `run` is what the
 * thread runs. `awaited` returns whether a debugger keeps the program's threads
 * from making a service thread, or may do so at any moment; any thread calls
 * it, and it is SIGSAFE. Once, at start.
 */
void demand_setup(int (*run)(void *arg), int (*awaited)(void));

#endif
