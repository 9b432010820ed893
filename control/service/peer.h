/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The peer of a socket, and whether the agent talks to it.
 */
#ifndef CONTROL_SERVICE_PEER_H
#define CONTROL_SERVICE_PEER_H

#include <sys/socket.h>

/* Reads the peer's ids (SO_PEERCRED). Returns 0 or a negative errno. */
int peer_learn(int fd, struct ucred *peer);

/* Returns 1 for a peer of the process's user, of root, or of the group that is
 * let in (SO_PEERGROUPS), else 0. */
int peer_allowed(int fd);

#endif
