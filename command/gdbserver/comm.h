/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The connection to a gdb that does not use an agent's socket: standard input
 * and output, a serial line, or a port.
 */
#ifndef COMMAND_GDBSERVER_COMM_H
#define COMMAND_GDBSERVER_COMM_H

#include <stdint.h>

#define COMM_PEER_BYTES	128

enum comm_kind {
	COMM_STDIO, COMM_SERIAL, COMM_TCP,
};

/* COMM of gdbserver's command line, and the gdb that is connected. */
struct comm {
	const char *name;
	enum comm_kind kind;
	int listener;			/* COMM_TCP; else -1 */
	char port[32];			/* in numbers */
	char peer[COMM_PEER_BYTES];	/* "host H, port P" */
	int in, out;			/* of the connected gdb, or -1 */
};

/* Opens COMM by its name ("-", "stdio", HOST:PORT or a serial line), which the
 * caller keeps: a port listens, the others are connected. Returns COMMAND_DONE,
 * or COMMAND_FAILED after printing why. */
int comm_open(struct comm *comm, const char *name);

/* Accepts a gdb at a port, and sets in, out and peer. Returns COMMAND_DONE;
 * COMMAND_FAILED: it has gone again. */
int comm_accept(struct comm *comm);

/* Closes the connection, if there is one; the listener stays. */
void comm_close(struct comm *comm);

/* Reserves a port of the loopback interface until `fd` is closed; gdbserver can
 * listen on it meanwhile. Returns 0 or a negative errno; the caller closes `fd`
 * unless it is -1. */
int comm_reserve(int *fd, uint16_t *port);

/* Connects to such a port. Returns a descriptor, which the caller closes, or a
 * negative errno. */
int comm_connect(uint16_t port);

#endif
