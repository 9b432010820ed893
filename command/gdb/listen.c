/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail gdb --listen: a port for gdb, and bytes between it and gdb.sock.
 *
 *	gdb --- 127.0.0.1:PORT ---> this ---> gdb.sock of the agent
 *
 * The agent knows nothing of the port: no socket of the program listens on the
 * network, none is inherited, and the agent's conditions for a gdb (dumpable,
 * one at a time) also hold for a gdb at the port.
 *
 * Invariant: the command listens only on the loopback interface. A connection
 * that begins with another byte than gdb's, or that is not the user's, does not
 * reach the agent. Buffers do not grow: while one side does not take bytes, the
 * other side is not read.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "command/common/command.h"
#include "command/gdb/gdb.h"
#include "command/gdbserver/comm.h"
#include "gdbstub/wire/rsp.h"

#define PAIRS		8	/* one is served, the others are refused */
#define RELAY_BYTES	16384
#define LINGER_MS	10000	/* for a gdb that does not close */
#define LOOK_MS		1000	/* without pidfd_open(2) */

/* One socket, and the bytes from it that the other side has not taken. */
struct side {
	int fd;				/* -1: not there (yet) */
	bool ended;			/* no more bytes come */
	bool shut;			/* it was told that the other ended */
	size_t used, at;
	char bytes[RELAY_BYTES];
};

/* A gdb and the agent's end for it; gdb.fd is -1 in a free pair. */
struct pair {
	struct side gdb, agent;
};

/*
 * The port, and the connections to it.
 *
 * Invariant: npairs counts the pairs whose gdb.fd is not -1; the port is not
 * accepted at while all are in use, so gdbs wait in the kernel's queue.
 */
struct listener {
	pid_t pid;
	int pidfd;			/* -1: the kernel has none */
	bool ended;			/* the process */
	int npairs;			/* with a gdb */
	struct comm comm;
	struct pair pairs[PAIRS];
};

/* The descriptors that are watched; two for each pair. */
enum { WATCH_PROCESS, WATCH_LISTENER, WATCH_PAIRS };
#define WATCHES	(WATCH_PAIRS + 2 * PAIRS)

/*
 * Turns "PORT", ":PORT", "HOST:PORT" or "[HOST]:PORT" into "[HOST]:PORT" in
 * numbers. Returns 0; -EINVAL: there is no port; -ERANGE: it is too high; or
 * -EADDRNOTAVAIL for any host but the loopback interface. Accepts no name but
 * localhost: the address of another name may change.
 */
static int parse_address(char *name, size_t room, const char *text)
{
	const char *colon = strrchr(text, ':');
	const char *port = colon ? colon + 1 : text;
	size_t n = colon ? (size_t)(colon - text) : 0;
	char host[INET6_ADDRSTRLEN + 2] = "";
	struct in6_addr v6;
	struct in_addr v4;
	char *end;

	if (n >= sizeof(host))
		return -EADDRNOTAVAIL;
	memcpy(host, text, n);
	if (!*port || port[strspn(port, "0123456789")])
		return -EINVAL;
	if (strlen(port) > 5 || strtoul(port, &end, 10) > UINT16_MAX)
		return -ERANGE;
	if (!n || !strcmp(host, "localhost"))
		strcpy(host, "127.0.0.1");
	if (inet_pton(AF_INET, host, &v4) == 1) {
		if (ntohl(v4.s_addr) >> 24 != IN_LOOPBACKNET)
			return -EADDRNOTAVAIL;
		snprintf(name, room, "%s:%s", host, port);
		return 0;
	}
	if (n > 2 && host[0] == '[' && host[n - 1] == ']') {
		host[n - 1] = '\0';
		memmove(host, host + 1, n - 1);
	}
	if (inet_pton(AF_INET6, host, &v6) != 1 || !IN6_IS_ADDR_LOOPBACK(&v6))
		return -EADDRNOTAVAIL;
	snprintf(name, room, "[%s]:%s", host, port);
	return 0;
}

/* Begins with a socket; -1: it comes later. */
static void open_side(struct side *side, int fd)
{
	side->fd = fd;
	side->ended = side->shut = false;
	side->used = side->at = 0;
}

/* Reads from a side whose bytes are all taken. Returns false when the
 * connection is over. */
static bool read_side(struct side *side)
{
	ssize_t n = recv(side->fd, side->bytes, sizeof(side->bytes),
			 MSG_DONTWAIT);

	if (n > 0)
		side->used = n;
	else if (!n)
		side->ended = true;
	else
		return errno == EINTR || errno == EAGAIN;
	return true;
}

/* Writes the bytes of a side to the other one, as far as that takes them.
 * Returns false when the connection is over. */
static bool write_side(int fd, struct side *from)
{
	ssize_t n = send(fd, from->bytes + from->at, from->used - from->at,
			 MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	from->at += n;
	if (from->at == from->used)
		from->at = from->used = 0;
	return true;
}

/* Passes the end of one side to the other, after the last byte. The other side
 * may still send: the end of a refusal is not cut off. */
static void pass_end(struct side *from, struct side *to)
{
	if (!from->ended || from->used || to->shut)
		return;
	shutdown(to->fd, SHUT_WR);
	to->shut = true;
}

/* Moves bytes of a pair. `p` has the events of both sides. Returns false when
 * the connection is over. */
static bool serve_pair(struct listener *l, struct pair *pair,
		       const struct pollfd *p)
{
	struct side *gdb = &pair->gdb, *agent = &pair->agent;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char first, path[GDB_PATH_BYTES];
	bool good = true;

	if (p[0].revents && !gdb->ended && !gdb->used)
		good = read_side(gdb);
	if (good && agent->fd < 0) {
		if (!gdb->used)
			return !gdb->ended;
		/* a browser, or a scanner of ports, begins with another byte */
		first = gdb->bytes[0];
		if (first != RSP_ACK && first != RSP_NAK &&
		    first != RSP_BEGIN) {
			command_warn("refused a connection: it does not speak "
				     "gdb's protocol");
			return false;
		}
		/* each time: execve(2) may have removed the socket */
		if (gdb_open_socket(path, l->pid, false))
			return false;
		memcpy(address.sun_path, path, strlen(path) + 1);
		agent->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (agent->fd >= 0 &&
		    !connect(agent->fd, (void *)&address, sizeof(address)))
			return true;
		command_warn("%s: %s", path, strerror(errno));
		return false;
	}
	if (good && p[1].revents && !agent->ended && !agent->used)
		good = read_side(agent);
	if (good && gdb->used)
		good = write_side(agent->fd, gdb);
	if (good && agent->used)
		good = write_side(gdb->fd, agent);
	if (!good)
		return false;
	pass_end(gdb, agent);
	pass_end(agent, gdb);
	return !gdb->shut || !agent->shut;
}

/* Watches only for events that can be handled: otherwise poll() returns at
 * once. */
static void watch_side(struct pollfd *p, const struct side *side,
		       const struct side *other)
{
	short events = (!side->ended && !side->used ? POLLIN : 0) |
		       (other->used ? POLLOUT : 0);

	*p = (struct pollfd){ .fd = events ? side->fd : -1, .events = events };
}

/* Serves until the process has ended and no gdb is left, or a gdb lingers.
 * Returns COMMAND_DONE, or COMMAND_FAILED after printing why. */
static int serve_pairs(struct listener *l)
{
	struct pollfd p[WATCHES];
	const char *why;
	int n;

	while (!l->ended || l->npairs) {
		p[WATCH_PROCESS] = (struct pollfd){
			.fd = l->ended ? -1 : l->pidfd, .events = POLLIN };
		p[WATCH_LISTENER] = (struct pollfd){
			.fd = l->ended || l->npairs == PAIRS ?
				      -1 : l->comm.listener,
			.events = POLLIN };
		for (int i = 0; i < PAIRS; i++) {
			struct pair *pair = &l->pairs[i];

			n = WATCH_PAIRS + 2 * i;
			watch_side(&p[n], &pair->gdb, &pair->agent);
			watch_side(&p[n + 1], &pair->agent, &pair->gdb);
		}
		n = poll(p, WATCHES, l->ended ? LINGER_MS :
				     l->pidfd < 0 ? LOOK_MS : -1);
		if (n < 0 && errno != EINTR)
			return command_failed("poll: %s", strerror(errno));
		if (n < 0)
			continue;
		if (!n && l->ended)
			break;
		if (p[WATCH_LISTENER].revents && !comm_accept(&l->comm) &&
		    gdb_check_peer(l->comm.in, &why)) {
			command_warn("refused a connection from %s: %s",
				     l->comm.peer, why);
			comm_close(&l->comm);
		}
		for (int i = 0; i < PAIRS; i++) {
			struct pair *pair = &l->pairs[i];

			if (l->comm.in >= 0 && pair->gdb.fd < 0) {
				open_side(&pair->gdb, l->comm.in);
				open_side(&pair->agent, -1);
				l->comm.in = l->comm.out = -1;
				l->npairs++;
			}
			if (pair->gdb.fd < 0 ||
			    serve_pair(l, pair, &p[WATCH_PAIRS + 2 * i]))
				continue;
			close(pair->gdb.fd);
			if (pair->agent.fd >= 0)
				close(pair->agent.fd);
			pair->gdb.fd = pair->agent.fd = -1;
			l->npairs--;
		}
		l->ended |= l->pidfd < 0 ? kill(l->pid, 0) && errno == ESRCH :
					   !!p[WATCH_PROCESS].revents;
	}
	return COMMAND_DONE;
}

int gdb_listen(const char *text, pid_t pid)
{
	static struct listener l;
	char name[INET6_ADDRSTRLEN + 16], path[GDB_PATH_BYTES];
	int ret = parse_address(name, sizeof(name), text);

	if (ret == -EADDRNOTAVAIL)
		return command_misused("'%s' is not of the loopback interface, "
				       "so other machines could read the "
				       "process's memory: give PORT, or "
				       "localhost:PORT", text);
	if (ret == -ERANGE)
		return command_misused("'%s': a port is at most %d", text,
				       UINT16_MAX);
	if (ret)
		return command_misused("'%s' has no port: give [HOST:]PORT",
				       text);
	/* before the port is open: the agent may refuse any gdb */
	ret = gdb_open_socket(path, pid, false);
	if (!ret)
		ret = comm_open(&l.comm, name);
	if (ret)
		return ret;
	for (int i = 0; i < PAIRS; i++)
		l.pairs[i].gdb.fd = l.pairs[i].agent.fd = -1;
	l.pid = pid;
	/* tells the end of the process; a PID may be another's by then */
	l.pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	printf("target extended-remote %.*s:%s\n",
	       (int)(strrchr(name, ':') - name), name, l.comm.port);
	ret = command_finish();
	return ret ? ret : serve_pairs(&l);
}
