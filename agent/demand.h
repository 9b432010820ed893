/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The service thread on demand: a process has one from a command's call until
 * a moment after the last peer has gone; see demand.c.
 */
#ifndef AGENT_DEMAND_H
#define AGENT_DEMAND_H

/*
 * Lets commands reach this process: by a service thread that starts now and
 * stays (TAFFRAIL_SERVICE=thread, TAFFRAIL_GDB=on, a debugger's child), by one
 * that a command makes when it needs one, or not at all (off). Called when the
 * process has its page. SIGSAFE, as all here.
 */
void demand_begin(void);

/* The second of these. For the service thread that ends. */
void demand_offer(void);

/* No command can make the thread until demand_begin() is called again. Returns
 * 1 when one could before. A thread that is there stays. */
int demand_withdraw(void);

/* May the service thread, which is the caller, end when it serves no peer? */
int demand_may_end(void);

/* Takes the signal by which a command asks for the thread. Once, at start. */
void demand_setup(void);

#endif
