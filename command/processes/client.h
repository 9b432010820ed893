/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command's end of the control protocol (control/protocol.h).
 *
 * What must stay true here: the peer is checked before a byte is sent (it is
 * the user's own process or root's, or we are root), an answer's size before
 * memory is allocated, and nothing waits without a time-out: a stopped
 * process is an error, not a hang.
 */
#ifndef COMMAND_PROCESSES_CLIENT_H
#define COMMAND_PROCESSES_CLIENT_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

#include "command/rundir/rundir.h"
#include "control/protocol.h"

#define CLIENT_TIMEOUT_MS	10000
/* For a process that lives but has no socket: it starts, or it ends. */
#define CLIENT_START_MS		500
/* For an agent that hangs up before it answers, and yet lives. */
#define CLIENT_AGAIN_MS		3000

struct client {
	int fd;				/* -1 when closed */
	bool answered;			/* a call, on this connection */
	int timeout_ms;			/* for every following call */
	const struct rundir_process *process;	/* of client_connect() */
	char error[RUNDIR_ERROR_BYTES];	/* the fact, when a call failed */
};

/* A request's payload: lines "key=value". */
struct client_request {
	char *text;
	size_t bytes;
	int failed;			/* -ENOMEM, -EINVAL, or 0 */
};

/* An answer: payload ends in a NUL that `bytes` does not count. */
struct client_answer {
	char *payload;
	size_t bytes;
};

/*
 * Connect to a living process's agent. Negative errno and client->error:
 * -ESRCH process or agent gone, -EPERM not the peer it should be, -ETIMEDOUT.
 */
int client_connect(struct client *client, const struct rundir_process *process);
void client_close(struct client *client);

/*
 * One request, one answer. `request` may be NULL. Returns the agent's status
 * (0 or a negative errno, client->error then tells what the agent said), or
 * a negative errno of our own: -ETIMEDOUT, -EPROTO (another version),
 * -EBADMSG, -ECONNRESET. After one of our own the connection is closed.
 * `answer` may be NULL; otherwise release it, whatever the result.
 */
int client_call(struct client *client, enum message_type type,
		const struct client_request *request,
		struct client_answer *answer);
void client_answer_release(struct client_answer *answer);

/*
 * Add a line. A value with a newline or NUL makes the request invalid:
 * client_call() then returns -EINVAL. Errors stick; no need to check each.
 */
void client_request_add(struct client_request *request, const char *key,
			const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void client_request_release(struct client_request *request);

/*
 * Walk the lines of an answer: *position starts as 0. Gives the key and value
 * (both NUL-terminated, in place) or returns false at the end. A line without
 * '=' is skipped.
 */
bool client_answer_next(struct client_answer *answer, size_t *position,
			const char **key, const char **value);

/*
 * The value of the first line with that key as a number, 0 if there is none.
 * Does not change the answer, so it goes before client_answer_next().
 */
uint64_t client_answer_number(const struct client_answer *answer,
			      const char *key);

#endif
