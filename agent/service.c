/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The service thread.
 */
#include "agent/service.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "agent/agent.h"
#include "agent/place.h"
#include "buffers/base.h"
#include "buffers/channel.h"
#include "buffers/sys.h"
#include "buffers/text.h"
#include "buffers/write.h"

#define CONNECTIONS_MAX	16
#define BACKLOG		16
#define PAUSE_NS	200000000

/* Paths longer than a socket address go through a descriptor of the
 * directory. */
static int address_make(struct sockaddr_un *address, int *directory)
{
	char path[280];
	struct text text;

	address->sun_family = AF_UNIX;
	*directory = -1;
	place_socket_path(path, sizeof(path));
	text_open(&text, address->sun_path, sizeof(address->sun_path));
	text_add(&text, path);
	if (!text.cut)
		return 0;
	*directory = (int)sys_open(place_process,
				   O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (*directory < 0)
		return *directory;
	/* of this thread's table, not of the process's first thread */
	text_open(&text, address->sun_path, sizeof(address->sun_path));
	text_add(&text, "/proc/thread-self/fd/");
	text_add_number(&text, *directory);
	text_add(&text, "/control.sock");
	return 0;
}

static int socket_open(void)
{
	struct sockaddr_un address = { 0 };
	char path[280];
	int directory;
	int fd;
	int ret;

	fd = (int)sys3(SYS_socket, AF_UNIX,
		       SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return fd;
	ret = address_make(&address, &directory);
	if (ret)
		goto close_socket;
	place_socket_path(path, sizeof(path));
	sys_unlink(path);
	ret = (int)sys3(SYS_bind, fd, &address, sizeof(address));
	if (directory >= 0)
		sys_close(directory);
	if (!ret)
		ret = (int)sys4(SYS_fchmodat, -100, path, 0600, 0);
	if (!ret)
		ret = (int)sys2(SYS_listen, fd, BACKLOG);
	if (!ret)
		return fd;
close_socket:
	sys_close(fd);
	return ret;
}

/* The program's limit of descriptors leaves us none (RLIMIT_NOFILE may be 0,
 * and counts for poll too). It may be raised again; nobody spins till then. */
static void service_pause(void)
{
	struct timespec pause = { .tv_nsec = PAUSE_NS };

	sys2(SYS_nanosleep, &pause, NULL);
}

static void connection_accept(int listener, struct pollfd *fds, int *n)
{
	int fd = (int)sys4(SYS_accept4, listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0) {
		if (fd != -EAGAIN && fd != -ECONNABORTED)
			service_pause();
		return;
	}
	if (*n == CONNECTIONS_MAX + 1 || !control_peer_allowed(fd)) {
		sys_close(fd);
		return;
	}
	fds[*n].fd = fd;
	fds[*n].events = POLLIN;
	fds[*n].revents = 0;
	(*n)++;
}

static void connections_serve(struct pollfd *fds, int *n)
{
	int i;

	for (i = *n - 1; i > 0; i--) {
		if (!fds[i].revents || !control_serve(fds[i].fd))
			continue;
		sys_close(fds[i].fd);
		fds[i] = fds[--*n];
	}
	if (fds[0].revents)
		connection_accept(fds[0].fd, fds, n);
}

int service_main(void *arg)
{
	struct pollfd fds[CONNECTIONS_MAX + 1];
	int n = 1;

	(void)arg;
	sys2(SYS_prctl, 15 /* PR_SET_NAME */, "taffrail");
	write_rseq_register(__builtin_thread_pointer());
	while (place_lock() == -EMFILE)
		service_pause();
	while ((fds[0].fd = socket_open()) == -EMFILE)
		service_pause();
	fds[0].events = POLLIN;
	if (fds[0].fd < 0) {
		log_fact(LOG_ERROR, "service", "no control socket", fds[0].fd);
		return fds[0].fd;
	}
	log_fact(LOG_INFO, "service", "listening", 0);
	for (;;) {
		long ready = sys3(SYS_poll, fds, n, -1);

		if (ready > 0)
			connections_serve(fds, &n);
		else if (ready != -EINTR)
			service_pause();
	}
}
