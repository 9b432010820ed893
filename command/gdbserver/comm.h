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
	COMM_STDIO,
	COMM_SERIAL,
	COMM_TCP,
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

/* Return COMMAND_DONE, or COMMAND_FAILED after printing the error. */
int comm_open(struct comm *comm, const char *name);
int comm_accept(struct comm *comm);	/* COMM_TCP: sets in, out, peer */
void comm_close(struct comm *comm);	/* the connected gdb */

/* Reserves a port of the loopback interface until `fd` is closed; gdbserver can
 * listen on it meanwhile. Returns 0 or a negative errno. */
int comm_reserve(int *fd, uint16_t *port);
/* Connects to such a port. Returns a descriptor or a negative errno. */
int comm_connect(uint16_t port);

#endif
