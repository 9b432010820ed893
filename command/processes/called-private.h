/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests to a process that serves them in a signal handler
 * (TAFFRAIL_SERVICE=signal, buffers/wake.h).
 */
#ifndef COMMAND_PROCESSES_CALLED_PRIVATE_H
#define COMMAND_PROCESSES_CALLED_PRIVATE_H

#include <stdint.h>

#include "command/processes/client.h"
#include "command/rundir/rundir.h"
#include "control/protocol.h"

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
