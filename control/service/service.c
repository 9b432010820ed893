/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The service thread.
 *
 * Invariant: it serves no peer with rights that the program does not
 * have, or no longer has. It is told when the rights change (wakeup.c), and
 * compares them whenever a peer calls.
 */
#include "control/service/service.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "buffers/rings/channel.h"
#include "buffers/writers/write.h"
#include "control/protocol.h"
#include "control/service/demand.h"
#include "control/service/wakeup.h"
#include "control/sessions/place.h"
#include "control/sessions/session.h"
#include "control/threads/log.h"
#include "control/threads/rights.h"
#include "control/threads/settings.h"
#include "tracepoints/sites/lock.h"

#define CONNECTIONS_MAX	16
#define SOURCES_MAX	(CONNECTIONS_MAX + 8)
#define BACKLOG		16
#define PAUSE_NS	200000000
/* Without a call, before the thread looks whether it must end; also
 * TAFFRAIL_IDLE. */
#define IDLE_MS		1000
#define IDLE_MS_LEAST	10
#define IDLE_MS_MOST	60000

/* fds[i] belongs to sources[i]. Only the service thread uses them, so they need
 * no lock; the service thread of a forked child begins with none. */
struct source {
	service_fn *ready;
	void *arg;
};

static struct pollfd fds[SOURCES_MAX];
static struct source sources[SOURCES_MAX];
const struct service_hooks *service_hooks;
static int nsources;
static int connections;		/* at the control socket */
static int wakeup_fd = -1;	/* always fds[0] */

#define PEER_GROUPS_MAX		1024

int peer_learn(int fd, struct ucred *peer)
{
	uint32_t bytes = sizeof(*peer);

	return (int)sys5(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, peer,
			 &bytes);
}

/* Returns true for a peer of the process's user, of root, or of the group that
 * is let in (SO_PEERGROUPS). */
static bool peer_allowed(int fd)
{
	gid_t groups[PEER_GROUPS_MAX];
	uint32_t bytes = sizeof(groups);
	struct ucred peer;

	if (peer_learn(fd, &peer))
		return false;
	if (peer.uid == 0 || peer.uid == (uid_t)sys0(SYS_geteuid))
		return true;
	/* the kernel says whether the peer is in the group that is let in */
	if (!channel_group || peer.gid == channel_group)
		return !!channel_group;
	if (sys5(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERGROUPS, groups,
		 &bytes))
		return false;
	for (uint32_t i = 0; i < bytes / sizeof(*groups); i++)
		if (groups[i] == channel_group)
			return true;
	return false;
}

/*
 * A process whose program may have ended without the service thread.
 *
 * exit(3) ends every thread. The bare system call exit(2) ends the caller only:
 * so does a child of glibc's clone(3) that returns from the function. When such
 * a thread is the first and the last of the program, the process stays a zombie
 * leader with the service thread beside it, and the parent waits. So a service
 * thread that stays looks once a second, and ends with the program. Nothing in
 * the kernel could wake it: since Linux 6.15 a pidfd with PIDFD_THREAD tells of
 * the first thread's end only when the other threads have ended, too.
 *
 * The process has the exit status of the thread that ends last (since Linux
 * 5.17). So the service thread ends with the status of the first thread.
 */

#define FIELD_STATE	3
/* Fields of proc_pid_stat(5), counted from the state. */
#define FIELD_THREADS	17
#define FIELD_STATUS	49

/* Returns the field when the first thread has ended, else -1. */
static int64_t ended_field(int field)
{
	char text[PLACE_STAT_BYTES];
	const char *p = place_stat(0, FIELD_STATE, text);

	if (!p || *p != 'Z')
		return -1;
	for (; field && *p; p++)
		field -= *p == ' ';
	return text_number(&p);
}

int service_watch(int fd, service_fn *ready, void *arg)
{
	if (nsources == SOURCES_MAX)
		return -ENOSPC;
	fds[nsources].fd = fd;
	fds[nsources].events = POLLIN;
	fds[nsources].revents = 0;
	sources[nsources].ready = ready;
	sources[nsources].arg = arg;
	nsources++;
	return 0;
}

int service_watches(service_fn *ready)
{
	int n = 0;

	for (int i = 0; i < nsources; i++)
		n += sources[i].ready == ready;
	return n;
}

/* A path that is too long for a socket address goes through a descriptor of the
 * directory. */
static int address_make(struct sockaddr_un *address, int *directory,
			const char *name)
{
	char path[PLACE_SOCKET_BYTES];
	struct text text;

	address->sun_family = AF_UNIX;
	*directory = -1;
	place_socket_path(path, sizeof(path), name);
	text_open(&text, address->sun_path, sizeof(address->sun_path));
	text_add(&text, path);
	if (!text.cut)
		return 0;
	*directory = (int)sys_open(place_process,
				   O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (*directory < 0)
		return *directory;
	/* thread-self: the descriptor is in this thread's table, not in that of
	 * the process's first thread */
	text_open(&text, address->sun_path, sizeof(address->sun_path));
	text_add(&text, "/proc/thread-self/fd/");
	text_add_number(&text, *directory);
	text_add_char(&text, '/');
	text_add(&text, name);
	return 0;
}

int service_listen(const char *name)
{
	struct sockaddr_un address = { 0 };
	char path[PLACE_SOCKET_BYTES];
	int directory, fd, ret;

	fd = (int)sys3(SYS_socket, AF_UNIX,
		       SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return fd;
	ret = address_make(&address, &directory, name);
	if (ret)
		goto close_socket;
	place_socket_path(path, sizeof(path), name);
	ret = -ECANCELED;
	/* at the end the program removes the files under this lock, and no file
	 * may be made afterwards */
	registry_lock_look();
	if (process.page->state != PROCESS_EXITED) {
		sys_unlink(path);
		ret = (int)sys3(SYS_bind, fd, &address, sizeof(address));
	}
	registry_unlock();
	if (directory >= 0)
		sys_close(directory);
	if (!ret)
		ret = place_share_socket(path);
	if (!ret)
		ret = (int)sys2(SYS_listen, fd, BACKLOG);
	if (!ret)
		return fd;
close_socket:
	sys_close(fd);
	return ret;
}

/* Keeps the thread from spinning where the program's limit of descriptors
 * leaves it none (RLIMIT_NOFILE may be 0, and limits poll, too), until the
 * program raises the limit. A command that waits in vain meanwhile finds the
 * errno in the page; what demand_refuse() wrote there stays. */
static void service_pause(void)
{
	struct process_wake *wake = &process.page->wake;
	struct timespec pause = { .tv_nsec = PAUSE_NS };
	bool tell = !load_relaxed(&wake->error);

	if (tell)
		store_relaxed(&wake->error, EMFILE);
	sys2(SYS_nanosleep, &pause, NULL);
	if (tell && load_relaxed(&wake->error) == EMFILE)
		store_relaxed(&wake->error, 0);
}

static int wakeup_ready(int fd, void *arg)
{
	wakeup_clear(fd);
	return 0;
}

int service_wait(int fd, short events, int64_t ms)
{
	struct pollfd wait[2] = {
		{ .fd = fd, .events = events },
		{ .fd = wakeup_fd, .events = POLLIN },
	};
	long n = sys3(SYS_poll, wait, 2, ms);

	if (n <= 0)
		return n ? (int)n : -ETIMEDOUT;
	if (wait[1].revents)
		wakeup_clear(wakeup_fd);
	return wait[1].revents ? wakeup_answer() : 0;
}

int service_accept(int listener)
{
	int fd = (int)sys4(SYS_accept4, listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0) {
		if (fd != -EAGAIN && fd != -ECONNABORTED)
			service_pause();
		return fd;
	}
	if (peer_allowed(fd))
		return fd;
	sys_close(fd);
	return -EPERM;
}

static int control_ready(int fd, void *arg)
{
	int ret = service_hooks->serve(fd);

	if (ret)
		connections--;
	return ret;
}

static int control_listener_ready(int listener, void *arg)
{
	int fd = service_accept(listener);

	if (fd < 0)
		return 0;
	if (connections == CONNECTIONS_MAX ||
	    service_watch(fd, control_ready, NULL)) {
		sys_close(fd);
		return 0;
	}
	connections++;
	return 0;
}

/* Returns 0, or a negative errno: -ECANCELED when the thread is told to end
 * meanwhile, or why there is no socket. */
static int service_open(void)
{
	int listener;

	nsources = 0;
	connections = 0;
	while ((wakeup_fd = wakeup_open()) == -EMFILE && !wakeup_answer())
		service_pause();
	if (wakeup_fd < 0)
		return wakeup_fd;
	service_watch(wakeup_fd, wakeup_ready, NULL);
	while (place_lock() == -EMFILE && !wakeup_answer())
		service_pause();
	while ((listener = service_listen(CONTROL_SOCKET)) == -EMFILE &&
	       !wakeup_answer())
		service_pause();
	/* the command that waits for this finds the socket, or service_leave()
	 * says why not */
	store_release(&process.page->wake.came, process.page->wake.came + 1,
		      WAKE_CAME);
	store_release(&process.page->wake.state, WAKE_NONE, WAKE_OFFER);
	if (listener < 0)
		return listener;
	service_watch(listener, control_listener_ready, NULL);
	service_hooks->begin();
	return 0;
}

/*
 * Serves the peers that call. Returns 0, or why the thread must end. Goes from
 * the youngest to the oldest: a peer that has gone is removed before the
 * listener lets the next one in. A new descriptor is served in the next round.
 */
static int service_serve(void)
{
	int ret = rights_follow();

	if (ret) {
		log_fact(LOG_ERROR, "service",
			 "the service thread ends: the program has other rights",
			 ret);
		return ret;
	}
	for (int i = nsources - 1; i >= 0; i--) {
		if (!fds[i].revents ||
		    !sources[i].ready(fds[i].fd, sources[i].arg))
			continue;
		sys_close(fds[i].fd);
		nsources--;
		for (int k = i; k < nsources; k++) {
			fds[k] = fds[k + 1];
			sources[k] = sources[k + 1];
		}
	}
	return 0;
}

/* Removes the sockets and makes the offer again. A command that still connects
 * is hung up on, and calls again. */
static void service_leave(int error)
{
	static const char *const names[] = { CONTROL_SOCKET, GDB_SOCKET };
	char path[PLACE_SOCKET_BYTES];

	registry_lock_look();
	for (uint32_t i = 0; i < ARRAY_SIZE(names); i++) {
		place_socket_path(path, sizeof(path), names[i]);
		sys_unlink(path);
	}
	if (process.page->state != PROCESS_EXITED)
		demand_offer(error, place_denial(-error));
	registry_unlock();
}

/* Waits for a peer or an order and serves it. Returns 0, or a negative errno
 * when the thread must end: -ETIME when no peer is left. */
static int service_round(void)
{
	const char *text = settings.idle;
	int64_t ms = text ? text_number(&text) : -1;
	int64_t look = session_keep_look(), other = service_hooks->look();
	static int64_t quiet;	/* ms without a peer, looks at rings aside */
	int resting;
	long ready;

	if (other >= 0 && (look < 0 || other < look))
		look = other;
	if (ms < IDLE_MS_LEAST || ms > IDLE_MS_MOST || *text)
		ms = IDLE_MS;
	if (look >= 0 && look < ms - quiet) {
		ready = sys3(SYS_poll, fds, nsources, look);
		quiet += ready ? -quiet : look;
		if (!ready)
			return 0;
	} else {
		ms = ms > quiet ? ms - quiet : 0;
		ready = sys3(SYS_poll, fds, nsources, ms);
		quiet = 0;
	}
	if (!ready) {
		/* 2 descriptors are the wakeup and the control socket; the
		 * first thread counts until the parent has waited for it, so 2
		 * threads are that one and this */
		resting = service_hooks->resting();
		return (resting >= 0 && nsources <= 2 + resting &&
			demand_may_end()) ||
		       ended_field(FIELD_THREADS) == 2 ? -ETIME : 0;
	}
	if (ready == 1 && fds[0].revents)
		wakeup_clear(wakeup_fd);
	else if (ready > 0)
		return wakeup_answer() ?: service_serve();
	else if (ready != -EINTR)
		service_pause();
	return 0;
}

static void service_run(void)
{
	int ret = service_open();
	int rounds = 2;

	if (ret) {
		log_fact(LOG_ERROR, "service", "cannot make control.sock", ret);
		service_leave(-ret);
		return;
	}
	log_fact(LOG_INFO, "service", "listening", 0);
	do
		ret = wakeup_answer() ?: service_round();
	while (!ret && agent_off != agent_detached);
	session_keep_end();
	if (ret == -ETIME)
		log_fact(LOG_INFO, "service",
			 "the service thread ends: no peer is connected", 0);
	/* peers that have already called are answered: one round lets a peer
	 * in, the next one serves it; the wakeup stays readable, and a peer
	 * that keeps the thread waiting is left */
	if (ret == -ECANCELED)
		fds[0].fd = -1;
	while (ret == -ECANCELED && rounds-- &&
	       sys3(SYS_poll, fds, nsources, 0) > 0 && !service_serve())
		;
	if (ret == -ETIME || ret == -ECANCELED)
		service_leave(0);
}

int service_main(void *arg)
{
	const bool deferred = start_deferred;
	int ret = (int)(long)arg;
	int64_t status;

	sys2(SYS_prctl, 15 /* PR_SET_NAME */, "taffrail");
	write_rseq_register(__builtin_thread_pointer());
	if (!ret || deferred) {
		if (!deferred)
			service_run();
		else if (!ret)
			service_hooks->files();
		/* the first thread's status, as wait(2) tells it; 0 while that
		 * thread lives */
		status = ended_field(FIELD_STATUS);
		return status > 0 ? (int)(status >> 8) & 0xff : 0;
	}
	log_fact(LOG_ERROR, "service",
		 "cannot make a table of descriptors of its own", ret);
	demand_offer(-ret, 0);
	return 0;
}
