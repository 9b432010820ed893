/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * becomes UID WAY: a program that starts as root, has 3 events, becomes another
 * user, and executes itself in some way. The new image has 5 events.
 *	exec	execv()
 *	chain	the new image executes itself again, which has 5 events, too
 *	fork	a child of 2 events does it; the first process goes on
 *	quiet	the same, by a child without events before
 *	vfork	a child that shares its memory does it
 *	spawn	posix_spawn()
 *	system	system()
 *	two	the new image becomes UID + 1 and executes itself as a third
 *	bare	the bare system call
 *	full N	execv() with arguments that leave room for N bytes more
 *	fails	execv() of a file that is not there; then as exec
 *	raised	only the effective user changes
 *	forks	the new image forks a child of 5 events
 *	waits	the new image says "waits" and ends when its input ends
 *	users N	N children do it at once, which become UID, UID + 1 and so on
 */
#define _GNU_SOURCE
#include <grp.h>
#include <linux/capability.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <taffrail/marker.h>

#define ARGUMENT_BYTES	100000
#define MOST		100

int capset(cap_user_header_t head, const cap_user_data_t data);

extern char **environ;

static char self[4096];

static void hit(int count)
{
	for (int i = 0; i < count; i++)
		TAFFRAIL_EVENT(app, hit, i);
}

/* Keeps the capabilities of changing users for "two". */
static int become(unsigned id, int keep)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	const unsigned caps = 1u << CAP_SETUID | 1u << CAP_SETGID;
	struct __user_cap_data_struct data[2] = {
		{ .effective = caps, .permitted = caps, .inheritable = caps },
	};

	if (keep && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0))
		return -1;
	if (setgroups(0, NULL) || setresgid(id, id, id) ||
	    setresuid(id, id, id))
		return -1;
	if (keep && (capset(&head, data) ||
		     prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SETUID, 0,
			   0) ||
		     prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SETGID, 0,
			   0)))
		return -1;
	return 0;
}

static int finish(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) <= 0 || status;
}

/* Returns 1 when a program takes these arguments. The agent is no part of that,
 * but the environment has as many bytes. */
static int fits(char **argv)
{
	pid_t pid = fork();
	char **p;

	if (!pid) {
		for (p = environ; *p; p++)
			if (!strncmp(*p, "LD_PRELOAD", 10))
				**p = 'X';
		syscall(SYS_execve, "/bin/true", argv, environ);
		_exit(1);
	}
	return !finish(pid);
}

/* Executes itself with arguments that leave room for `left` bytes. */
static int execute_full(char *id, size_t left)
{
	char *argv[MOST + 2] = { self, id, (char *)"end" };
	size_t low = 0, high = ARGUMENT_BYTES, n;
	int i;

	for (i = 3; i < MOST; i++) {
		argv[i] = malloc(ARGUMENT_BYTES + 1);
		memset(argv[i], 'x', ARGUMENT_BYTES);
		argv[i][ARGUMENT_BYTES] = '\0';
		if (!fits(argv))
			break;
	}
	/* the longest last argument that fits */
	while (low + 1 < high) {
		n = (low + high) / 2;
		argv[i][n] = '\0';
		if (fits(argv))
			low = n;
		else
			high = n;
		argv[i][n] = 'x';
	}
	/* the paths of the two programs differ in length, and stand there
	 * as well */
	n = low + strlen("/bin/true") - strlen(self) - left;
	if (i == MOST || n >= ARGUMENT_BYTES)
		return 1;
	argv[i][n] = '\0';
	execv(self, argv);
	return 1;
}

static int execute(unsigned id, const char *way, char **more)
{
	char number[16];
	char *argv[] = { self, number, (char *)"end", NULL };
	char line[5000];
	pid_t pid;

	snprintf(number, sizeof(number), "%u", id);
	if (!strcmp(way, "chain"))
		argv[2] = (char *)"exec";
	if (!strcmp(way, "two"))
		argv[2] = (char *)"third";
	if (!strcmp(way, "forks") || !strcmp(way, "waits"))
		argv[2] = (char *)way;
	if (!strcmp(way, "full"))
		return execute_full(number, strtoul(more[0], NULL, 0));
	if (!strcmp(way, "fails")) {
		execv("/nonexistent", argv);
		hit(1);
	}
	if (!strcmp(way, "spawn"))
		return posix_spawn(&pid, self, NULL, NULL, argv, environ) ||
		       finish(pid);
	if (!strcmp(way, "system")) {
		snprintf(line, sizeof(line), "'%s' %u end", self, id);
		return system(line);
	}
	if (!strcmp(way, "bare"))
		syscall(SYS_execve, self, argv, environ);
	else
		execv(self, argv);
	return 1;
}

/* The new image is another user. */
static int continued(unsigned id, char **argv)
{
	const char *way = argv[2];
	char line[16];
	pid_t pid;

	hit(5);
	if (!strcmp(way, "exec"))
		return execute(id, "end", NULL);
	if (!strcmp(way, "third"))
		return become(id + 1, 0) || execute(id + 1, "end", NULL);
	if (!strcmp(way, "forks")) {
		pid = fork();
		if (!pid) {
			hit(5);
			_exit(0);
		}
		return finish(pid);
	}
	if (!strcmp(way, "waits")) {
		puts("waits");
		fflush(stdout);
		while (fgets(line, sizeof(line), stdin))
			hit(1);
	}
	return 0;
}

static int become_many(unsigned id, unsigned count)
{
	int failed = 0;

	for (unsigned i = 0; i < count; i++)
		if (!fork())
			_exit(become(id + i, 0) ||
			      execute(id + i, "exec", NULL));
	for (unsigned i = 0; i < count; i++)
		failed |= finish(-1);
	return failed;
}

int main(int argc, char **argv)
{
	unsigned id = argc > 2 ? (unsigned)strtoul(argv[1], NULL, 0) : 0;
	const char *way = argc > 2 ? argv[2] : "";
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	pid_t pid;

	if (!id || n <= 0)
		return 2;
	if (geteuid())
		return continued(id, argv);
	hit(3);
	if (!strcmp(way, "users") && argc > 3)
		return become_many(id, (unsigned)strtoul(argv[3], NULL, 0));
	if (!strcmp(way, "raised"))
		return seteuid(id) || execute(id, "end", NULL);
	if (!strcmp(way, "fork") || !strcmp(way, "quiet")) {
		pid = fork();
		if (pid) {
			n = finish(pid);
			hit(3);
			return n;
		}
		hit(!strcmp(way, "fork") ? 2 : 0);
	} else if (!strcmp(way, "vfork")) {
		pid = vfork();
		if (!pid) {
			syscall(SYS_setresgid, id, id, id);
			syscall(SYS_setresuid, id, id, id);
			_exit(execute(id, "end", NULL));
		}
		return finish(pid);
	}
	return become(id, !strcmp(way, "two")) || execute(id, way, argv + 3);
}
