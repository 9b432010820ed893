/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What gdb comes through, when it does not come to an agent: standard input
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

/* What gdb comes through. */
struct comm {
	const char *name;
	enum comm_kind kind;
	int listener;			/* COMM_TCP; else -1 */
	char port[32];			/* in numbers */
	char peer[COMM_PEER_BYTES];	/* "host H, port P" */
	int in, out;			/* of the gdb that is there, or -1 */
};

/* Each prints its error and returns COMMAND_DONE or COMMAND_FAILED. */
int comm_open(struct comm *comm, const char *name);
int comm_accept(struct comm *comm);	/* COMM_TCP: sets in, out, peer */
void comm_close(struct comm *comm);	/* the gdb that is there */

/* A port of the loopback interface that stays ours until `fd` is closed, and
 * that gdbserver can listen on meanwhile. 0, or a negative errno. */
int comm_reserve(int *fd, uint16_t *port);
/* Connect to it: a descriptor, or a negative errno. */
int comm_connect(uint16_t port);

#endif
