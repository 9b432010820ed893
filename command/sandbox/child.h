/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Children of this command: each does one kind of work that may never end, or
 * that input may take over. The command sends a request, and waits for the
 * answer no longer than a limit.
 *
 * Invariant: a child holds no descriptor of the command: it may be a lock, or a
 * reader may await the close. Only SIGKILL ends a child. Nothing waits for the
 * end of a child that cannot end: a thread waits without end for a request that
 * a FUSE server has taken, also with a pending SIGKILL (request_wait_answer(),
 * Linux 6.1).
 */
#ifndef COMMAND_SANDBOX_CHILD_H
#define COMMAND_SANDBOX_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The work of a child, and its limits. */
struct child_spec {
	/* Opens libraries, before the child is sealed; or NULL. */
	void (*prepare)(void);
	/* Serves requests until CHILD_SOCKET is closed. */
	void (*serve)(void);
	uint32_t cpu_seconds;		/* for all requests */
	uint64_t file_bytes;		/* of a file that it writes */
	uint64_t memory_bytes;		/* beyond the command's; 0: any */
	uint64_t map_bytes;		/* of files, beyond that */
	bool sealed;			/* child_seal() */
	int (*open)(const char *path);	/* as child_seal() has it */
};

#define CHILD_SOCKET	0		/* the only descriptor */

/* One child; all zeros: there is none. */
struct child {
	pid_t pid;
	int socket;
};

/* Makes the child, if there is none. It is gone with the thread that made it.
 * Returns whether there is one. */
bool child_begin(struct child *child, const struct child_spec *spec);

/* Ends the child, if there is one; init waits for the end of one that cannot
 * end. The next one has the rights that the calling thread has then. */
void child_end(struct child *child);

/* Sends a message, and a copy of a descriptor (-1: none). Returns whether it
 * was sent: the other end is there, or was. */
bool child_send(int socket, const void *bytes, size_t n, int fd);

/*
 * Waits for a message, `ms` milliseconds (-1: without end). Gives the
 * descriptor that came with it, or -1: there is none, or the receiver has none
 * left; the caller closes it. Returns the message's bytes; -ETIMEDOUT; or
 * -EPIPE: the other end is gone, or the message has more than `room`.
 */
ssize_t child_receive(int socket, void *to, size_t room, int *fd, int ms);

/*
 * Refuses all system calls from now on but those of a process that computes and
 * answers: no path is opened, nothing is executed, no process is touched.
 * Where a library opens a path, `open` returns a descriptor that the process
 * has, or a negative errno; it runs in a signal handler. NULL: there is none.
 * Returns whether the kernel does that. Call it after PR_SET_NO_NEW_PRIVS.
 */
bool child_seal(int (*open)(const char *path));

/*
 * Starts another program. The child calls `become`, which executes the program
 * and returns only if that failed, with errno. If `bound`, the child gets
 * SIGTERM when this thread ends. Returns the child's PID once it is that
 * program; else, with *error set to an errno, 0: `become` failed, or -1: no
 * child can be made. The caller waits for the child: child_wait().
 */
pid_t child_execute(void (*become)(void *arg), void *arg, bool bound,
		    int *error);

/* Waits for the end of a child; returns the status of waitpid(2), or -1: there
 * is no child, as after a fork() that failed. */
int child_wait(pid_t pid);

#endif
