/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Answers to the control socket; see control.c.
 */
#ifndef AGENT_CONTROL_PRIVATE_H
#define AGENT_CONTROL_PRIVATE_H

/* Serves one connection for one request. Returns 0, or a negative errno when
 * the connection must be closed. Service thread only. */
int control_serve(int fd);

#endif
