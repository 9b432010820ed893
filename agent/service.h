/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The service thread: sleeps in poll(2) until somebody calls at the control
 * socket.
 */
#ifndef AGENT_SERVICE_H
#define AGENT_SERVICE_H

/* What the service thread runs. */
int service_main(void *arg);

/*
 * Serves one connection for one request. Returns 0, or a negative errno when
 * the connection is to be closed. Service thread only.
 */
int control_serve(int fd);

/* May this peer talk to us (SO_PEERCRED)? */
int control_peer_allowed(int fd);

#endif
