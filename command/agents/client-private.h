/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How a client reaches an agent that does not listen: activation.c makes the
 * service thread of a process that has none (control/service/demand.c);
 * called.c makes requests to a process that serves them in a signal handler
 * (TAFFRAIL_SERVICE=signal, buffers/wake.h).
 */
#ifndef COMMAND_AGENTS_CLIENT_PRIVATE_H
#define COMMAND_AGENTS_CLIENT_PRIVATE_H

#include "command/agents/client.h"

/*
 * Makes the process start the service thread, if the process offers that.
 * Returns 1 when the thread is there, 0 when nothing is needed or another
 * command does it; or a negative errno, and the cause.
 */
int activation_run(const struct rundir_process *process, struct cause *cause);

/*
 * Returns a thread that does not block the signal, if possible one that the
 * signal does not disturb; 0: none. Skips threads with more than `filters`
 * seccomp filters, which may end the program, and threads in sigtimedwait(2),
 * where no handler runs; with `first`, all but the first thread, unless that
 * has ended. With TAFFRAIL_SERVICE=signal, where the thread does the work, also
 * skips a thread whose system calls are dispatched to a handler of the program,
 * and sets *dispatched.
 */
pid_t activation_thread(pid_t pid, int number, uint32_t filters, bool first,
			bool *dispatched);

/* Does as attach_owner_check(), for the process that the directory names. */
int activation_check(const struct rundir_process *process);

/* Returns how the process has changed since the agent made files, where the
 * agent has told that it may make no more for this reason; else NULL. */
const char *activation_given_up(const struct rundir_process *process);

/* Returns true when a thread is in sigtimedwait(2), which may take the
 * signal. */
bool activation_waits(pid_t pid, int number);

/* Returns the errno for which the last service thread ended at once, as it
 * could make no socket; 0: it could, or is not there yet. */
int activation_failed(const struct rundir_process *process);

/* Returns the errno that keeps the service thread from working now, or 0. */
int activation_error(const struct rundir_process *process);

/* Returns why the process serves no command: ENOTSUP (TAFFRAIL_SERVICE=off),
 * ENOSYS (its system calls are dispatched), or 0. */
int activation_refused(const struct rundir_process *process);

/* Opens the file for requests, if the process serves them so now. Returns a
 * descriptor, -ENOENT if it does not, -ESTALE if it executes another program,
 * or another negative errno. */
int called_open(const struct rundir_process *process);

/*
 * Makes one request to client->process; waits for `ms`. Returns 0, the answer
 * and its header, or a negative errno and client->cause: -ETIMEDOUT, -ESRCH,
 * -EPERM ... -EAGAIN: connect again.
 */
int called_exchange(struct client *client, struct message *head,
		    const struct client_request *request,
		    struct client_answer *answer, int64_t ms);

#endif
