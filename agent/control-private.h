/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Answers to the control socket; see control.c.
 */
#ifndef AGENT_CONTROL_PRIVATE_H
#define AGENT_CONTROL_PRIVATE_H

#include <sys/socket.h>

#include "control/protocol.h"

/* A request through a file (called.c) has fewer bytes behind the header; the
 * memory for one by the socket is a multiple of these. */
#define CONTROL_REQUEST_BYTES	65536u

/* Serves one connection for one request. Returns 0, or a negative errno when
 * the connection must be closed. Service thread only. */
int control_serve(int fd);

/*
 * Obeys the request of `peer`: the message and the payload, which ends with a
 * NUL. Writes the answer's payload to `answer`, which has PROTOCOL_PAYLOAD_MAX
 * bytes, and makes `message` the answer's header.
 */
void control_obey(struct message *message, const struct ucred *peer,
		  const char *payload, char *answer);

/* Obeys the request in CALL_FILE and writes the answer there: for call_setup().
 * Returns 0 when it is there, or a negative errno. */
int control_called(void *unused);

#endif
