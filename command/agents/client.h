/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command's end of the control protocol (control/protocol.h).
 *
 * Invariant: the peer is checked before a byte is sent (it is
 * the user's own process or root's, or we are root), an answer's size before
 * memory is allocated, and every wait has a time-out: a stopped process is an
 * error, not a hang.
 */
#ifndef COMMAND_AGENTS_CLIENT_H
#define COMMAND_AGENTS_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "command/causes/cause.h"
#include "command/runtime/rundir.h"
#include "control/protocol.h"

#define CLIENT_TIMEOUT_MS	10000
/* For a process that a tracer has stopped. */
#define CLIENT_STOPPED_MS	2000
/* For a process that lives but has no socket: it is starting or ending. */
#define CLIENT_START_MS		500
/* The age at which an agent is no longer taken for one that is starting. */
#define CLIENT_YOUNG_MS		3000
/* For an agent that hangs up before it answers, in a process that lives. */
#define CLIENT_AGAIN_MS		3000

struct client {
	int fd;		/* -1 when closed */
	bool answered;	/* the agent, on this connection */
	bool last;	/* no request is sent once more */
	bool called;	/* fd is of called-private.h */
	int timeout_ms; /* for every following call */
	const struct rundir_process *process; /* of client_connect() */
	struct cause cause;		      /* of a call that has failed */
};

/* A request's payload: lines "key=value". */
struct client_request {
	char *text;
	size_t bytes;
	int failed;			/* -ENOMEM, -EINVAL, or 0 */
};

/* An answer; `bytes` does not count the NUL after the payload. */
struct client_answer {
	char *payload;
	size_t bytes;
};

/*
 * Connects to a living process's agent. Returns 0, or a negative errno and
 * client->cause: -ESRCH process or agent gone, -EPERM not the expected peer,
 * -ETIMEDOUT.
 */
int client_connect(struct client *client, const struct rundir_process *process);

/* Closes the connection, if there is one. */
void client_close(struct client *client);

/*
 * Sends one request and receives one answer. `request` may be NULL. Returns the
 * agent's status (0, or a negative errno with the agent's text in
 * client->cause), or a negative errno of our own: -ETIMEDOUT, -EPROTO (another
 * version), -EBADMSG, -ECONNRESET. After an errno of our own the connection is
 * closed. `answer` may be NULL; otherwise the caller releases it, whatever the
 * result.
 */
int client_call(struct client *client, enum message_type type,
		const struct client_request *request,
		struct client_answer *answer);

/* Frees an answer's payload; the answer is empty then. */
void client_answer_release(struct client_answer *answer);

/*
 * Adds a line. A value with a newline or NUL makes the request invalid:
 * client_call() then returns -EINVAL. An error stays in the request, so the
 * caller need not check each line.
 */
void client_request_add(struct client_request *request, const char *key,
			const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Frees a request's text; the request is empty, and valid, then. */
void client_request_release(struct client_request *request);

/*
 * Walks the lines of an answer: *position starts as 0. Gives the key and value
 * (both NUL-terminated, in place) or returns false at the end. Skips a line
 * without '='.
 */
bool client_answer_next(struct client_answer *answer, size_t *position,
			const char **key, const char **value);

/*
 * Returns the value of the first line with that key as a number, 0 if there is
 * none. Call it before client_answer_next(), which changes the answer.
 */
uint64_t client_answer_number(const struct client_answer *answer,
			      const char *key);

#endif
