/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The connection to gdb. See comm.h.
 *
 * Invariant: every descriptor closes at execve(2): gdbserver and the program
 * get none but their own.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "command/common/command.h"
#include "command/gdbserver/comm.h"

/* Switches an option of a socket on, if the kernel has it. */
static void set_option(int fd, int level, int option)
{
	int on = 1;

	setsockopt(fd, level, option, &on, sizeof(on));
}

/* Splits "[HOST]:PORT", perhaps after "tcp:", "tcp4:" or "tcp6:". `host`
 * becomes "" where there is none. Returns 0, or -EINVAL: there is no port. */
static int split_name(const char *name, char *host, size_t room,
		      const char **port, struct addrinfo *hints)
{
	static const struct {
		const char *word;
		int family;
	} prefixes[] = {
		{ "tcp:", AF_UNSPEC }, { "tcp4:", AF_INET },
		{ "tcp6:", AF_INET6 },
	};
	size_t n;

	for (size_t i = 0; i < 3; i++) {
		n = strlen(prefixes[i].word);
		if (strncmp(name, prefixes[i].word, n))
			continue;
		hints->ai_family = prefixes[i].family;
		name += n;
		break;
	}
	/* the last colon: an IPv6 address has some, too */
	*port = strrchr(name, ':');
	if (!*port)
		return -EINVAL;
	n = *port - name;
	(*port)++;
	if (n > 1 && *name == '[' && name[n - 1] == ']') {
		name++;
		n -= 2;
	}
	snprintf(host, room, "%.*s", (int)n, name);
	return 0;
}

/* Listens at a port. Returns COMMAND_DONE, or COMMAND_FAILED after printing
 * why. */
static int open_tcp(struct comm *comm)
{
	struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE,
	};
	struct sockaddr_storage address;
	socklen_t n = sizeof(address);
	struct addrinfo *found, *a;
	const char *port;
	char host[256];
	int fd, ret;

	if (split_name(comm->name, host, sizeof(host), &port, &hints))
		return command_failed("%s: no port", comm->name);
	if (!port[strspn(port, "0123456789")] && strtoul(port, NULL, 10) >
	    UINT16_MAX)
		return command_failed("%s: a port is at most %d", comm->name,
				      UINT16_MAX);
	/* without a host, all addresses of this machine, as in gdbserver */
	ret = getaddrinfo(host[0] ? host : NULL, port, &hints, &found);
	if (ret)
		return command_failed("%s: cannot resolve name: %s",
				      comm->name, gai_strerror(ret));
	/*
	 * A name may have an address that this machine lacks. But a port that
	 * is taken at one address is taken, as in gdbserver: at another one,
	 * gdb would reach the wrong program.
	 */
	for (a = found; a; a = a->ai_next) {
		fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd < 0)
			continue;
		set_option(fd, SOL_SOCKET, SO_REUSEADDR);
		if (!bind(fd, a->ai_addr, a->ai_addrlen) && !listen(fd, 1)) {
			comm->listener = fd;
			break;
		}
		close(fd);
		if (errno == EADDRINUSE)
			break;
	}
	ret = errno;
	freeaddrinfo(found);
	/* gdbserver's own text: scripts look for it */
	if (comm->listener < 0)
		return command_failed("Can't bind address: %s.", strerror(ret));
	/* the kernel chooses the port where 0 was asked for */
	if (!getsockname(comm->listener, (void *)&address, &n))
		getnameinfo((void *)&address, n, NULL, 0, comm->port,
			    sizeof(comm->port), NI_NUMERICSERV);
	return COMMAND_DONE;
}

/* A name with a colon is a port's, as in gdbserver; any other is a device's. */
int comm_open(struct comm *comm, const char *name)
{
	struct termios settings;
	struct stat st;
	int fd;

	*comm = (struct comm){ .name = name, .listener = -1, .in = -1,
			       .out = -1 };
	if (!strcmp(name, "-") || !strcmp(name, "stdio")) {
		comm->kind = COMM_STDIO;
		comm->in = STDIN_FILENO;
		comm->out = STDOUT_FILENO;
		return COMMAND_DONE;
	}
	if (strchr(name, ':')) {
		comm->kind = COMM_TCP;
		return open_tcp(comm);
	}
	/* O_NONBLOCK: a line without a carrier would be waited for */
	comm->kind = COMM_SERIAL;
	fd = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st))
		return command_failed("%s: %s%s", name, strerror(errno),
				      strspn(name, "0123456789") ==
				      strlen(name) ?
				      "; a port stands behind a colon, as in "
				      ":2345" : "");
	if (!S_ISCHR(st.st_mode)) {
		close(fd);
		return command_failed("%s: neither a serial device nor "
				      "HOST:PORT", name);
	}
	/* raw, as gdbserver sets it: 8 bits, nothing interpreted */
	if (!tcgetattr(fd, &settings)) {
		settings.c_iflag = 0;
		settings.c_oflag = 0;
		settings.c_lflag = 0;
		settings.c_cflag &= ~(CSIZE | PARENB);
		settings.c_cflag |= CLOCAL | CS8;
		settings.c_cc[VMIN] = 1;
		settings.c_cc[VTIME] = 0;
		tcsetattr(fd, TCSANOW, &settings);
	}
	comm->in = comm->out = fd;
	return COMMAND_DONE;
}

/* TCP_NODELAY: gdb's packets are small, and each awaits an answer. SO_KEEPALIVE
 * ends a connection whose other machine is gone. */
int comm_accept(struct comm *comm)
{
	struct sockaddr_storage address;
	socklen_t n = sizeof(address);
	char host[64] = "?", port[16] = "?";
	int fd = accept4(comm->listener, (void *)&address, &n, SOCK_CLOEXEC);

	if (fd < 0)
		return COMMAND_FAILED;
	set_option(fd, SOL_SOCKET, SO_KEEPALIVE);
	set_option(fd, IPPROTO_TCP, TCP_NODELAY);
	getnameinfo((void *)&address, n, host, sizeof(host), port,
		    sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(comm->peer, sizeof(comm->peer), "host %s, port %s", host,
		 port);
	comm->in = comm->out = fd;
	return COMMAND_DONE;
}

/* Standard input and output are two descriptors, the others are one. */
void comm_close(struct comm *comm)
{
	if (comm->in >= 0)
		close(comm->in);
	if (comm->out >= 0 && comm->out != comm->in)
		close(comm->out);
	comm->in = comm->out = -1;
}

/* Binds without listening: no other program gets the port, and gdbserver, which
 * sets SO_REUSEADDR, does. */
int comm_reserve(int *fd, uint16_t *port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr = { htonl(INADDR_LOOPBACK) },
	};
	socklen_t n = sizeof(address);

	*fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd < 0)
		return -errno;
	set_option(*fd, SOL_SOCKET, SO_REUSEADDR);
	if (bind(*fd, (void *)&address, n) ||
	    getsockname(*fd, (void *)&address, &n))
		return -errno;
	*port = ntohs(address.sin_port);
	return 0;
}

/* gdbserver listens already: its message about that has been read. */
int comm_connect(uint16_t port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr = { htonl(INADDR_LOOPBACK) },
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (connect(fd, (void *)&address, sizeof(address))) {
		close(fd);
		return -errno;
	}
	set_option(fd, IPPROTO_TCP, TCP_NODELAY);
	return fd;
}
