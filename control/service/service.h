/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The service thread: sleeps in poll(2) until somebody calls, at the control
 * socket or at a descriptor that another part of the agent has registered.
 */
#ifndef CONTROL_SERVICE_SERVICE_H
#define CONTROL_SERVICE_SERVICE_H

#include <stdint.h>

/* What the service thread runs. Returns the status of the first thread, which
 * the process has if this thread is its last. */
int service_main(void *arg);

/*
 * Is called when the descriptor can be read or is at its end. Returns 0, or
 * something else when it is to be closed and forgotten. It does not wait.
 */
typedef int service_fn(int fd, void *arg);

/*
 * Serves a descriptor of the service thread's from now on. Returns 0, or
 * -ENOSPC when there are too many; the caller keeps it then. Service thread
 * only, as all below.
 */
int service_watch(int fd, service_fn *ready, void *arg);

/*
 * Waits for a descriptor in the middle of a request, at most `ms`, and does
 * what the program's threads order meanwhile. Returns 0 when it is worth
 * trying (there may still be nothing), -ETIMEDOUT, or another negative errno:
 * the thread is to end.
 */
int service_wait(int fd, short events, int64_t ms);

/* How many descriptors a function serves. */
int service_watches(service_fn *ready);

/* A listening socket NAME in the process's directory, for its user and who
 * else is let in. Returns the descriptor or a negative errno. */
int service_listen(const char *name);

/* Accepts a peer that may talk to us. Returns the descriptor, or a negative
 * errno: there is none, or none for us. */
int service_accept(int listener);

/*
 * What the layers above give to the service thread. Start-up sets the table
 * before there is a thread. All are called in the service thread.
 */
struct service_hooks {
	/* Serves one connection at the control socket for one request. Returns
	 * 0, or a negative errno when the connection must be closed. */
	int (*serve)(int fd);
	/* A service thread begins: its control socket is open. */
	void (*begin)(void);
	/* How many descriptors those layers have registered that do not keep
	 * the thread, or -1: they need it. */
	int (*resting)(void);
};

extern const struct service_hooks *service_hooks;

#endif
