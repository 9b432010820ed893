/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes back the agent's offer of a service thread when it is told to, and ends
 * the thread that is there; each line of its input is one order:
 *
 *	unshare		for the time of an unshare(2): "unshared"
 *	block		blocks all signals, as the agent does for moments:
 *	unblock		"blocked", "unblocked"
 *	exec FILE	for a second: a program that calls execve(2) waits as
 *			long for a command that is about to send a signal. FILE
 *			is the process's page, where the order pretends such a
 *			command. "withdrawn", and when the exec has failed,
 *			"offered"
 *
 * With arguments it is the test's tool, and ends with its input:
 *
 *	hold TID	stops this thread, and no other one: "held"
 *	ask SOCKET	connects to an agent: "connected". After a line of input
 *			it asks for the markers: "asked", and "answered" or
 *			"hung up"
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffers/layout.h"
#include "control/protocol.h"

static volatile struct process_wake *wake;

static void say(const char *word)
{
	puts(word);
	fflush(stdout);
}

static void *watch(void *arg)
{
	while (wake->state != WAKE_NONE)
		usleep(100);
	say("withdrawn");
	return arg;
}

static int exec_fails(const char *file)
{
	char *args[] = { "program", NULL };
	struct process_page *page;
	pthread_t watcher;
	int fd = open(file, O_RDWR);

	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    0);
	if (page == MAP_FAILED)
		return 1;
	wake = &page->wake;
	pthread_create(&watcher, NULL, watch, NULL);
	wake->request = 1;
	execv("/nonexistent/program", args);
	pthread_join(watcher, NULL);
	say("offered");
	return 0;
}

static int hold(pid_t tid)
{
	if (ptrace(PTRACE_SEIZE, tid, 0, 0) ||
	    ptrace(PTRACE_INTERRUPT, tid, 0, 0) ||
	    waitpid(tid, NULL, __WALL) != tid)
		return 1;
	say("held");
	getchar();
	return ptrace(PTRACE_DETACH, tid, 0, 0) != 0;
}

static int ask(const char *path)
{
	struct message message = {
		.magic = PROTOCOL_MAGIC,
		.version = PROTOCOL_VERSION,
		.type = MESSAGE_LIST,
	};
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return 1;
	say("connected");
	getchar();
	if (write(fd, &message, sizeof(message)) != sizeof(message))
		return 1;
	say("asked");
	say(read(fd, &message, sizeof(message)) == sizeof(message) ?
	    "answered" : "hung up");
	getchar();
	return 0;
}

int main(int argc, char **argv)
{
	char line[1024];

	if (argc == 3 && !strcmp(argv[1], "hold"))
		return hold(atoi(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "ask"))
		return ask(argv[2]);
	say("ready");
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "exec ", 5) && exec_fails(line + 5))
			return 1;
		if (!strcmp(line, "block") || !strcmp(line, "unblock")) {
			uint64_t mask = *line == 'b' ? ~0ull : 0;

			/* libc's function leaves out its own signals */
			syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL,
				sizeof(mask));
			say(mask ? "blocked" : "unblocked");
		}
		if (!strcmp(line, "unshare")) {
			if (unshare(CLONE_FS))
				return 1;
			say("unshared");
		}
	}
	return 0;
}
