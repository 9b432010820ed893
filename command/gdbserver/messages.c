/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail gdbserver: the messages of gdbserver. Lines about the link name COMM
 * instead, and a warning about a thread of the agent is left out; every other
 * line is printed unchanged, at once.
 *
 * Invariant: bytes are held back only while they may be the start of a line
 * that is replaced: a prompt without a newline is seen at once.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/gdbserver/gdbserver.h"
#include "command/procfs/process.h"

/* Lines of gdbserver 13.1 that may be about the link. */
static const char listening[] = "Listening on port ";
static const char from_host[] = "Remote debugging from ";
static const char on_stdio[] = "Remote debugging using stdio";
static const char redirected[] = "stdin/stdout redirected";
/* gdbserver mistakes a thread that the C library does not know for the first
 * thread, and warns. */
static const char mismatch[] = "gdbserver: PID mismatch!  Expected ";
static const char *const ours[] = {
	listening, from_host, on_stdio, redirected, mismatch,
};

/* Writes all bytes to standard error, if that takes them. */
static void put_bytes(const char *p, size_t n)
{
	while (n) {
		ssize_t put = write(STDERR_FILENO, p, n);

		if (put < 0 && errno != EINTR)
			return;
		if (put > 0) {
			p += put;
			n -= put;
		}
	}
}

/* Prints a line in place of one of gdbserver's. */
static void put_text(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static void put_text(const char *format, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	put_bytes(text, strlen(text));
}

/* Prints the held bytes unchanged. */
static void flush_line(struct gdbserver *server)
{
	put_bytes(server->line, server->nline);
	server->nline = 0;
}

/* Notes, and says, that a gdb can connect. */
static void be_ready(struct gdbserver *server)
{
	server->ready = true;
	if (server->comm.kind == COMM_TCP)
		put_text("%s%s\n", listening, server->comm.port);
	else
		put_text("Remote debugging using %s\n", server->comm.name);
}

/*
 * Replaces a whole line, without the newline, or leaves it out. Returns false
 * for a line to print unchanged: a program may print such words, too, so a line
 * counts only with the number that the link has, or while no gdb was told of.
 */
static bool replace_line(struct gdbserver *server, const char *line)
{
	if (server->by_port && !strncmp(line, listening, strlen(listening)) &&
	    atoi(line + strlen(listening)) == server->port) {
		be_ready(server);
		return true;
	}
	if (server->by_port && !strncmp(line, from_host, strlen(from_host)) &&
	    server->comm.peer[0]) {
		put_text("%s%s\n", from_host, server->comm.peer);
		server->comm.peer[0] = '\0';
		return true;
	}
	if (!server->by_port && !server->ready && !strcmp(line, on_stdio)) {
		be_ready(server);
		return true;
	}
	if (!strncmp(line, mismatch, strlen(mismatch)) &&
	    process_named(atoi(line + strlen(mismatch)), 0, "taffrail"))
		return true;
	return !server->by_port && server->restores &&
	       !strcmp(line, redirected);
}

bool gdbserver_read_messages(struct gdbserver *server)
{
	char bytes[4096];
	ssize_t n = read(server->messages, bytes, sizeof(bytes));
	bool held = false;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	for (ssize_t i = 0; i < n; i++) {
		if (server->nline == sizeof(server->line))
			flush_line(server);
		server->line[server->nline++] = bytes[i];
		if (bytes[i] != '\n')
			continue;
		server->line[server->nline - 1] = '\0';
		if (replace_line(server, server->line)) {
			server->nline = 0;
			continue;
		}
		server->line[server->nline - 1] = '\n';
		flush_line(server);
	}
	/* bytes that may be the start of one of these lines stay */
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]) && n > 0; i++) {
		size_t same = strlen(ours[i]);

		if (same > server->nline)
			same = server->nline;
		held |= !memcmp(server->line, ours[i], same);
	}
	if (!held)
		flush_line(server);
	return n > 0;
}
