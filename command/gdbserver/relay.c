/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail gdbserver: relays bytes between gdb and gdbserver through the
 * filter.
 *
 * Invariant: buffers do not grow. While one side does not take bytes, the other
 * side is not read. When a side ends, the other side is ended after the bytes
 * on their way.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/common/command.h"
#include "command/common/monotonic.h"
#include "command/gdbserver/gdbserver.h"

#define READ_BYTES	16384
#define PIPE_WRITE	4096		/* room, by poll()'s promise */
#define LINGER_MS	10000		/* for a gdb that does not read */

/* One end of a connection. */
struct end {
	int in, out;
	bool ended;			/* no more bytes come */
	bool gone;			/* it takes no more bytes */
	size_t used, at;		/* bytes[at .. used): not taken yet */
	char bytes[READ_BYTES];
};

/*
 * The relay, and the present connection.
 *
 * Invariant: ends[] holds descriptors only while `connected`; the filter's
 * queues are empty when a connection begins (filter_connect()).
 */
struct relay {
	struct gdbserver *server;
	struct filter *filter;
	int signals;
	bool connected;
	bool shut;			/* the server was told that gdb ended */
	int64_t linger_until;		/* ms, when the server has ended */
	struct end ends[2];		/* by enum filter_side */
};

/* The descriptors that are watched; two for each end, for reads and writes. */
enum { WATCH_SIGNALS, WATCH_MESSAGES, WATCH_LISTENER, WATCH_ENDS };
#define WATCHES		(WATCH_ENDS + 4)

/* Begins a connection: of the gdb in server->comm, and of server->link. */
static void begin_relay(struct relay *r)
{
	struct gdbserver *server = r->server;
	int fds[2][2] = { { server->comm.in, server->comm.out },
			  { server->link, server->link } };

	for (int side = 0; side < 2; side++) {
		struct end *end = &r->ends[side];

		end->in = fds[side][0];
		end->out = fds[side][1];
		end->ended = end->gone = false;
		end->used = end->at = 0;
	}
	filter_connect(r->filter);
	r->shut = false;
	r->linger_until = 0;
	r->connected = true;
}

/* Accepts a gdb, and connects to gdbserver for it. A gdb that has gone, or that
 * gdbserver does not take, leaves the relay as it was. */
static void accept_gdb(struct relay *r)
{
	struct gdbserver *server = r->server;

	if (comm_accept(&server->comm))
		return;
	server->link = comm_connect(server->port);
	if (server->link < 0) {
		/* it may have ended: its exit is noticed by the signal */
		command_warn("cannot connect to gdbserver: %s",
			     strerror(-server->link));
		comm_close(&server->comm);
		return;
	}
	if (server->options.once) {
		close(server->comm.listener);
		server->comm.listener = -1;
	}
	begin_relay(r);
}

/* Returns true when a side has ended and all bytes were passed on: then the
 * other side can be told. */
static bool is_done(struct relay *r, enum filter_side from)
{
	enum filter_side to = from == FILTER_GDB ? FILTER_SERVER : FILTER_GDB;

	return r->ends[from].ended && !r->ends[from].used &&
	       !filter_queue(r->filter, to)->used;
}

/* Moves bytes that need no read or write, and handles the ends of sides; ends
 * the connection when all is passed on, or a side lingers too long. */
static void settle_ends(struct relay *r)
{
	struct end *gdb = &r->ends[FILTER_GDB];
	struct end *server = &r->ends[FILTER_SERVER];
	bool moved;
	size_t n;

	do {
		moved = false;
		for (int side = 0; side < 2; side++) {
			struct end *end = &r->ends[side];

			if (end->gone)
				filter_sent(r->filter, side,
					    filter_queue(r->filter,
							 side)->used);
			if (!end->used)
				continue;
			/* as far as there is room behind the filter */
			n = filter_take(r->filter, side, end->bytes + end->at,
					end->used - end->at);
			end->at += n;
			if (end->at == end->used)
				end->at = end->used = 0;
			moved |= n > 0;
		}
	} while (moved);
	/* this may take a moment, so gdb gets the answer first */
	if (!filter_queue(r->filter, FILTER_GDB)->used)
		gdbserver_agents_follow(r->server);
	/* who takes no bytes sends none that matter */
	if (gdb->gone)
		gdb->ended = true;
	if (server->ended && !r->linger_until)
		r->linger_until = monotonic_ms() + LINGER_MS;
	/* an ended server takes no more bytes; a stuck one may, later */
	if (server->ended)
		server->gone = true;
	if (!r->shut && is_done(r, FILTER_GDB)) {
		shutdown(server->out, SHUT_WR);
		r->shut = true;
	}
	if (is_done(r, FILTER_SERVER) ||
	    (r->linger_until && monotonic_ms() >= r->linger_until)) {
		comm_close(&r->server->comm);
		close(r->server->link);
		r->server->link = -1;
		r->connected = false;
		gdbserver_agents_check(r->server);
	}
}

/* Watches a descriptor, unless there are no events to wait for. */
static void watch_fd(struct pollfd *p, int fd, short events)
{
	*p = (struct pollfd){ .fd = events ? fd : -1, .events = events };
}

/* Notes that gdbserver has ended, if it has; only its status, not that of other
 * children, which child_wait() takes. */
static void reap_gdbserver(struct gdbserver *server)
{
	if (waitpid(server->pid, &server->status, WNOHANG) == server->pid)
		server->exited = true;
}

/* Handles the events that poll() found, one read or write for each. */
static void serve_events(struct relay *r, const struct pollfd *p)
{
	struct gdbserver *server = r->server;
	struct pollfd last = { .events = POLLIN };
	const struct filter_queue *q;
	struct signalfd_siginfo info;
	struct end *end;
	ssize_t n;

	/* gdbserver gets a signal from the terminal itself */
	if (p[WATCH_SIGNALS].revents &&
	    read(r->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			reap_gdbserver(server);
		else if (info.ssi_code <= 0 && !server->exited)
			kill(server->pid, (int)info.ssi_signo);
	}
	if (p[WATCH_MESSAGES].revents && !gdbserver_read_messages(server)) {
		close(server->messages);
		server->messages = -1;
	}
	if (p[WATCH_LISTENER].revents)
		accept_gdb(r);
	else if (r->connected)
		for (int side = 0; side < 2; side++) {
			end = &r->ends[side];
			if (p[WATCH_ENDS + 2 * side].revents) {
				n = read(end->in, end->bytes,
					 sizeof(end->bytes));
				if (n > 0)
					end->used = n;
				else if (!n ||
					 (errno != EINTR && errno != EAGAIN))
					end->ended = true;
			}
			if (!p[WATCH_ENDS + 2 * side + 1].revents)
				continue;
			q = filter_queue(r->filter, side);
			n = send(end->out, q->bytes, q->used,
				 MSG_DONTWAIT | MSG_NOSIGNAL);
			/* to a pipe no more than poll() has promised: this
			 * never blocks */
			if (n < 0 && errno == ENOTSOCK)
				n = write(end->out, q->bytes,
					  q->used < PIPE_WRITE ? q->used :
								 PIPE_WRITE);
			if (n > 0)
				filter_sent(r->filter, side, n);
			else if (n < 0 && errno != EINTR && errno != EAGAIN)
				end->gone = true;
		}
	/* after gdbserver's exit the stream ends once it has no more bytes: a
	 * process that gdbserver left may hold the socket open */
	end = &r->ends[FILTER_SERVER];
	last.fd = end->in;
	if (server->exited && r->connected && !end->ended && !end->used &&
	    poll(&last, 1, 0) <= 0)
		end->ended = true;
	if (r->connected)
		settle_ends(r);
}

int gdbserver_relay(struct gdbserver *server)
{
	static const int numbers[] = {
		SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT,
	};
	static struct relay r;
	const struct filter_queue *q;
	struct pollfd p[WATCHES];
	struct end *end;
	sigset_t set;
	int64_t wait;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&set, numbers[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	/* the program has the terminal while it runs */
	signal(SIGTTOU, SIG_IGN);
	signal(SIGTTIN, SIG_IGN);
	r.server = server;
	r.filter = &server->filter;
	r.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (r.signals < 0)
		return command_failed("signalfd: %s", strerror(errno));
	/* gdbserver may have ended already */
	reap_gdbserver(server);
	if (server->comm.kind != COMM_TCP)
		begin_relay(&r);
	while (!server->exited || r.connected) {
		/* only events that can be handled: otherwise poll() returns at
		 * once */
		watch_fd(&p[WATCH_SIGNALS], r.signals, POLLIN);
		watch_fd(&p[WATCH_MESSAGES], server->messages, POLLIN);
		watch_fd(&p[WATCH_LISTENER], server->comm.listener,
			 server->ready && !r.connected && !server->exited ?
				 POLLIN : 0);
		for (int side = 0; side < 2; side++) {
			end = &r.ends[side];
			q = filter_queue(r.filter, side);
			watch_fd(&p[WATCH_ENDS + 2 * side], end->in,
				 r.connected && !end->ended && !end->used ?
					 POLLIN : 0);
			watch_fd(&p[WATCH_ENDS + 2 * side + 1], end->out,
				 r.connected && !end->gone && q->used ?
					 POLLOUT : 0);
		}
		wait = -1;
		if (r.connected && r.linger_until) {
			wait = r.linger_until - monotonic_ms();
			wait = wait > 0 ? wait : 0;
		}
		if (poll(p, WATCHES, (int)wait) < 0 && errno != EINTR)
			return command_failed("poll: %s", strerror(errno));
		serve_events(&r, p);
	}
	gdbserver_agents_check(server);
	/* gdbserver's last messages; a process that it left may hold the pipe
	 */
	p[0] = (struct pollfd){ .fd = server->messages, .events = POLLIN };
	while (server->messages >= 0 && poll(p, 1, 0) > 0 &&
	       gdbserver_read_messages(server))
		;
	return COMMAND_DONE;
}
