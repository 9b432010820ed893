/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The service thread: it sleeps in poll(2) until the control socket is called,
 * or a descriptor that another part of the agent has registered is ready.
 */
#ifndef CONTROL_SERVICE_SERVICE_H
#define CONTROL_SERVICE_SERVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* The service thread's function. Returns the status of the first thread, which
 * the process has if this thread is the last. */
int service_main(void *arg);

/*
 * Handles a descriptor that can be read or is at the end. Returns 0, or another
 * value to have the descriptor closed and forgotten. Must not wait.
 */
typedef int service_fn(int fd, void *arg);

/*
 * Serves one of the service thread's descriptors from now on. Returns 0, or
 * -ENOSPC when there are too many; then the caller still owns the descriptor.
 * Service thread only, as all functions below.
 */
int service_watch(int fd, service_fn *ready, void *arg);

/*
 * Waits for a descriptor in the middle of a request, at most `ms`, and carries
 * out orders of the program's threads meanwhile. Returns 0 when the caller
 * should try the descriptor (it may still not be ready), -ETIMEDOUT, or another
 * negative errno when the thread must end.
 */
int service_wait(int fd, short events, int64_t ms);

/* Returns how many descriptors a function serves. */
int service_watches(service_fn *ready);

/* Makes a listening socket NAME in the process's directory, for the process's
 * user and the group that is let in. Returns the descriptor or a negative
 * errno. */
int service_listen(const char *name);

/* Accepts a peer that may talk to the agent. Returns the descriptor, or a
 * negative errno when no peer is there or the peer is refused. */
int service_accept(int listener);

/* Reads the peer's ids (SO_PEERCRED). Returns 0 or a negative errno. */
int peer_learn(int fd, struct ucred *peer);

/*
 * Functions of the layers above, for the service thread to call. Start-up sets
 * the table before there is a thread.
 */
struct service_hooks {
	/* Serves one connection at the control socket for one request. Returns
	 * 0, or a negative errno when the connection must be closed. */
	int (*serve)(int fd);
	/* Is told that a service thread begins: the control socket is open. */
	void (*begin)(void);
	/* Returns -1 when those layers need the thread, else how many
	 * descriptors they have registered: these do not keep the thread. */
	int (*resting)(void);
	/* Makes the files of a process that has put them off. */
	void (*files)(void);
	/* Is called in each round. Returns the milliseconds until it must be
	 * called again, or -1: any time. */
	int64_t (*look)(void);
};

extern const struct service_hooks *service_hooks;

#endif
