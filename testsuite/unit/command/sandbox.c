/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Children of the command (command/sandbox/child.h): such as answer, die, do
 * not answer, and try what a sealed one may not do.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/sandbox/child.h"

#define WAIT_MS		20000
#define LESS_MS		50

/* Answers a letter by the same, and its descriptor. */
static void serve_same(void)
{
	char letter[4];
	ssize_t n;
	int fd;

	while ((n = child_receive(CHILD_SOCKET, letter, sizeof(letter), &fd,
				  -1)) > 0) {
		child_send(CHILD_SOCKET, letter, (size_t)n, fd);
		if (fd >= 0)
			close(fd);
	}
}

static void serve_dead(void)
{
	char letter[4];
	int fd;

	child_receive(CHILD_SOCKET, letter, sizeof(letter), &fd, -1);
	abort();
}

static void serve_silent(void)
{
	for (;;)
		pause();
}

/* Computes without end. */
static void serve_busy(void)
{
	for (volatile uint64_t i = 0;; i++)
		;
}

static int given_open(const char *path)
{
	return strcmp(path, "/given") ? -ENOENT : CHILD_SOCKET;
}

/* Tells what it could do, a bit each. */
static void serve_tries(void)
{
	struct stat st = { 0 };
	char letter[4];
	int fd, can = 0;

	child_receive(CHILD_SOCKET, letter, sizeof(letter), &fd, -1);
	if (fcntl(3, F_GETFD) >= 0)
		can |= 16;
	if (open("/", O_RDONLY) >= 0)
		can |= 1;
	if (fork() >= 0)
		can |= 2;
	if (!kill(getppid(), 0))
		can |= 4;
	if (pipe((int[2]){ 0 }) == 0)
		can |= 8;
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		can |= 32;
	if (mmap(NULL, 64ul << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		 0) != MAP_FAILED)
		can |= 64;
	if (open("/given", O_RDONLY) == CHILD_SOCKET &&
	    !fstat(CHILD_SOCKET, &st) && S_ISSOCK(st.st_mode) &&
	    stat("/", &st) < 0 && errno == EPERM)
		can |= 128;
	free(malloc(1 << 20));
	child_send(CHILD_SOCKET, &can, sizeof(can), -1);
}

static int child_tries(bool sealed, uint64_t memory)
{
	const struct child_spec spec = { .serve = serve_tries,
		.cpu_seconds = 10, .memory_bytes = memory, .sealed = sealed,
		.open = given_open };
	struct child child = { 0 };
	int can = -1, fd;

	child_begin(&child, &spec);
	child_send(child.socket, "x", 1, -1);
	if (child_receive(child.socket, &can, sizeof(can), &fd, WAIT_MS) !=
	    sizeof(can))
		can = -1;
	child_end(&child);
	return can;
}

static void check_answers(void)
{
	static const struct child_spec spec = { .serve = serve_same,
						.cpu_seconds = 10 };
	struct child child = { 0 };
	struct stat sent, got;
	char text[4] = "";
	int fd, here = open("/", O_RDONLY | O_CLOEXEC);
	pid_t pid;

	unit_check(child_begin(&child, &spec), "a child");
	pid = child.pid;
	unit_check(child_begin(&child, &spec) && child.pid == pid,
		   "there is one child");
	unit_check(child_send(child.socket, "ab", 2, -1), "a message is sent");
	unit_equal(child_receive(child.socket, text, sizeof(text), &fd,
				 WAIT_MS), 2, "its answer");
	unit_equal_string(text, "ab", "the answer's bytes");
	unit_equal(fd, -1, "no descriptor");
	child_send(child.socket, "c", 1, here);
	unit_equal(child_receive(child.socket, text, sizeof(text), &fd,
				 WAIT_MS), 1, "an answer with a descriptor");
	unit_check(fd >= 0 && !fstat(here, &sent) && !fstat(fd, &got) &&
		   sent.st_ino == got.st_ino, "the descriptor");
	close(fd);
	child_send(child.socket, "defg", 4, -1);
	unit_equal(child_receive(child.socket, text, 3, &fd, WAIT_MS), -EPIPE,
		   "an answer that is too long");
	unit_equal(child_receive(child.socket, text, sizeof(text), &fd,
				 LESS_MS), -ETIMEDOUT, "no answer is left");
	child_end(&child);
	unit_equal(child.pid, 0, "no child is left");
	child_end(&child);
	close(here);
}

static void check_lost(const char *what, void (*serve)(void), int ms, int want)
{
	const struct child_spec spec = { .serve = serve, .cpu_seconds = 1 };
	struct child child = { 0 };
	char text[4];
	int fd;

	unit_check(child_begin(&child, &spec), "%s: it begins", what);
	child_send(child.socket, "x", 1, -1);
	unit_equal(child_receive(child.socket, text, sizeof(text), &fd, ms),
		   want, "%s", what);
	child_end(&child);
	unit_equal(child.pid, 0, "%s: it is left", what);
}

static void run_path(void *path)
{
	execl(path, path, "-c", "exit 3", (char *)NULL);
}

static void check_programs(void)
{
	int error = -1, status;
	pid_t pid = child_execute(run_path, (void *)"/bin/sh", true, &error);

	status = child_wait(pid);
	unit_check(pid > 0 && !error, "a program");
	unit_check(WIFEXITED(status) && WEXITSTATUS(status) == 3, "its status");
	unit_equal(child_execute(run_path, (void *)"/none", false, &error), 0,
		   "no program");
	unit_equal(error, ENOENT, "why");
	unit_equal(waitpid(-1, NULL, WNOHANG), -1, "nothing is left");
	unit_equal(child_wait(0), -1, "nothing to wait for");
}

int main(void)
{
	check_programs();
	check_answers();
	check_lost("a child that dies", serve_dead, WAIT_MS, -EPIPE);
	check_lost("a child that does not answer", serve_silent, LESS_MS,
		   -ETIMEDOUT);
	check_lost("a child that takes more time than it has", serve_busy,
		   WAIT_MS, -EPIPE);
	unit_equal(child_tries(false, 0), 1 + 2 + 4 + 8 + 32 + 64,
		   "a child has the rights, but no descriptors");
	if (UNIT_SANITIZED) {
		unit_skip("a sealed child", "the sanitizer's own calls");
		return unit_end();
	}
	unit_equal(child_tries(true, 1ull << 30), 64 + 128,
		   "a sealed child has none, but the files that it is given");
	unit_equal(child_tries(true, 32ull << 20), 128,
		   "a sealed child with less memory");
	return unit_end();
}
