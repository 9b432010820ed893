/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gdbserver's messages as taffrail prints them, and the names of the connection
 * to gdb (command/gdbserver/).
 */
#include "testsuite/unit/unit.h"

#include "command/common/command.h"
#include "command/gdbserver/gdbserver.h"
#include "testsuite/unit/command/proc.h"
#include "testsuite/unit/command/said.h"

static struct gdbserver server;

/* Gives the server's text in parts of some bytes; returns what was printed. */
static const char *pass(const char *text, size_t part)
{
	int ends[2];

	if (pipe(ends))
		abort();
	server.messages = ends[0];
	said_begin(STDERR_FILENO);
	for (size_t n = strlen(text); n; text += part) {
		part = part < n ? part : n;
		if (write(ends[1], text, part) != (ssize_t)part)
			abort();
		gdbserver_read_messages(&server);
		n -= part;
	}
	close(ends[1]);
	gdbserver_read_messages(&server);
	close(ends[0]);
	return said_end();
}

static void check_port(size_t part)
{
	server = (struct gdbserver){ .by_port = true, .port = 4321 };
	server.comm.kind = COMM_TCP;
	strcpy(server.comm.port, "2345");
	strcpy(server.comm.peer, "host 10.0.0.1, port 99");
	unit_equal_string(pass("Process x created; pid = 7\n"
			       "Listening on port 9999\n"
			       "Listening on port 4321\n"
			       "Remote debugging from host 127.0.0.1, port 1\n"
			       "Listening on port 4321x", part),
			  "Process x created; pid = 7\n"
			  "Listening on port 9999\n"
			  "Listening on port 2345\n"
			  "Remote debugging from host 10.0.0.1, port 99\n"
			  "Listening on port 4321x",
			  "messages by port, %zu bytes at a time", part);
	unit_check(server.ready, "ready, %zu bytes at a time", part);
}

static void check_stdio(void)
{
	server = (struct gdbserver){ .restores = true };
	server.comm = (struct comm){ .name = "/dev/ttyS0",
				     .kind = COMM_SERIAL };
	unit_equal_string(pass("stdin/stdout redirected\n"
			       "Remote debugging using stdio\n"
			       "Remote debugging using stdio\n", 7),
			  "Remote debugging using /dev/ttyS0\n"
			  "Remote debugging using stdio\n",
			  "messages of a serial line");
	server = (struct gdbserver){ .restores = false };
	unit_equal_string(pass("stdin/stdout redirected\n", 100),
			  "stdin/stdout redirected\n",
			  "a message that is right");
}

/* A warning about a thread of the agent is left out. */
static void check_threads(void)
{
	made_file("proc/42/comm", "taffrail\n");
	made_file("proc/43/comm", "taffrails\n");
	server = (struct gdbserver){ .by_port = true };
	unit_equal_string(pass("gdbserver: PID mismatch!  Expected 42, got 7\n"
			       "gdbserver: PID mismatch!  Expected 43, got 7\n"
			       "gdbserver: PID mismatch!  Expected 44, got 7\n",
			       5),
			  "gdbserver: PID mismatch!  Expected 43, got 7\n"
			  "gdbserver: PID mismatch!  Expected 44, got 7\n",
			  "warnings about threads");
}

/* A line longer than what is held is printed in parts. */
static void check_long(void)
{
	static char text[3 * sizeof(server.line)];

	memset(text, 'x', sizeof(text) - 2);
	text[sizeof(text) - 2] = '\n';
	server = (struct gdbserver){ .by_port = true };
	unit_equal_string(pass(text, 1000), text, "a long line");
}

static void check_names(void)
{
	static const struct {
		const char *name, *why;
	} rows[] = {
		{ "localhost:65536", "a port is at most 65535" },
		{ "tcp:65536", "no port" },
		{ "tcp:localhost:99999", "a port is at most 65535" },
		{ "2345", "a port stands behind a colon, as in :2345" },
		{ "/nowhere/tty", "No such file" },
	};
	struct comm comm;
	const char *said;
	int status;

	command_name("gdbserver");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		said_begin(STDERR_FILENO);
		status = comm_open(&comm, rows[i].name);
		said = said_end();
		unit_equal(status, COMMAND_FAILED, "name '%s'", rows[i].name);
		unit_check(strstr(said, rows[i].why), "name '%s': why",
			   rows[i].name);
	}
	unit_equal(comm_open(&comm, "-"), COMMAND_DONE, "standard input");
	unit_check(comm.kind == COMM_STDIO && comm.in == 0 && comm.out == 1,
		   "standard input: descriptors");
	said_begin(STDERR_FILENO);
	status = comm_open(&comm, made_file("file", ""));
	said = said_end();
	unit_equal(status, COMMAND_FAILED, "a file");
	unit_check(strstr(said, "neither a serial device nor HOST:PORT"),
		   "a file: why");
}

int main(void)
{
	made_open();
	check_port(1000);
	check_port(1);
	check_stdio();
	check_threads();
	check_long();
	check_names();
	made_close();
	return unit_end();
}
