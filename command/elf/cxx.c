/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * C++ names as people write them. See cxx-private.h. Facts: Itanium C++ ABI,
 * 3.4, "Demangler API", and 5.1, "External Names".
 *
 * libstdc++ reads the names. Where it is not, no C++ program runs; the command
 * does not need it otherwise.
 *
 * What must stay true here: names are input. libstdc++ of gcc 12 reads
 * `_Z1fIXsrU` without end. So a child reads them, which the kernel ends after a
 * second of processor time.
 */
#include "command/elf/cxx-private.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range	436
#endif
#define LIBRARY	"libstdc++.so.6"
#define SECONDS	1		/* of processor time that a child has */
#define BAD_MAX	4		/* names that end children; then none is read */
#define NAME_ROOM	256
#define WRITTEN_ROOM	512

typedef char *demangle(const char *name, char *buffer, size_t *bytes,
		       int *status);

struct answer {
	uint64_t length;		/* of all of it; 0: no C++ name */
	char written[WRITTEN_ROOM];
};

static struct {
	demangle *read;
	pid_t pid;			/* 0: there is none */
	int socket;
	unsigned int bad;
	bool looked;
} child;

static demangle *find_demangle(void)
{
	void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
	demangle *found = NULL;
	void *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;

	memcpy(&found, &symbol, sizeof(found));
	return found;
}

static void limit(int what, rlim_t to)
{
	const struct rlimit limits = { to, to };

	setrlimit(what, &limits);
}

/* In the child: answers until the socket is closed. It keeps no descriptor of
 * the command, which may hold a lock. */
static void answer_all(int socket, pid_t parent)
{
	char name[NAME_ROOM];
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, SECONDS);
	if (getppid() != parent || dup2(socket, 0) < 0)
		_exit(1);
	syscall(SYS_close_range, 1u, ~0u, 0u);
	while ((n = recv(0, name, sizeof(name) - 1, 0)) > 0) {
		struct answer answer = { 0 };
		char *written;
		int status;

		name[n] = '\0';
		written = child.read(name, NULL, NULL, &status);
		if (written) {
			answer.length = strlen(written);
			strncpy(answer.written, written, WRITTEN_ROOM - 1);
		}
		free(written);
		if (send(0, &answer, sizeof(answer), MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(0);
}

/* No signal ends the child but SIGKILL. */
static bool begin(void)
{
	pid_t parent = getpid();
	sigset_t all, before;
	int sockets[2];

	if (child.pid)
		return true;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return false;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	child.pid = fork();
	if (!child.pid)
		answer_all(sockets[1], parent);
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(sockets[1]);
	child.socket = sockets[0];
	if (child.pid > 0)
		return true;
	close(child.socket);
	child.pid = 0;
	return false;
}

static void end(void)
{
	kill(child.pid, SIGKILL);
	while (waitpid(child.pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(child.socket);
	child.pid = 0;
}

/* Returns whether the child has answered; else it is gone. */
static bool ask(const char *name, struct answer *answer)
{
	ssize_t n;

	if (!begin())
		return false;
	n = send(child.socket, name, strlen(name), MSG_NOSIGNAL);
	while (n > 0 && (n = recv(child.socket, answer, sizeof(*answer), 0)) <
				0 && errno == EINTR)
		n = 1;
	if (n == sizeof(*answer))
		return true;
	end();
	return false;
}

char *cxx_name(const char *name, size_t *length)
{
	struct answer answer;

	*length = 0;
	if (strncmp(name, "_Z", 2) || strlen(name) >= NAME_ROOM)
		return NULL;
	if (!child.looked)
		child.read = find_demangle();
	child.looked = true;
	if (!child.read || child.bad == BAD_MAX)
		return NULL;
	/* the first child may have used its time for other names */
	if (!ask(name, &answer) && !ask(name, &answer)) {
		child.bad++;
		return NULL;
	}
	*length = answer.length;
	return answer.length ? strdup(answer.written) : NULL;
}

void cxx_end(void)
{
	if (child.pid)
		end();
}
