/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail gdbserver: starts stock gdbserver, which starts the program.
 *
 *	taffrail gdbserver ... PROG
 *	  gdbserver --wrapper taffrail gdbserver --start ... -- LINK PROG
 *	    sh -c exec taffrail gdbserver --start LIB 0=N,1=N,2=N PROG
 *	      PROG, with the agent preloaded
 *
 * The wrapper sets the environment as env(1) would, and gives the program back
 * the descriptors that gdbserver itself does not have.
 *
 * Invariant: the wrapper makes exactly one exec, and no child: gdbserver counts
 * the execs up to the program, and traces the wrapper.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/agents/vouch.h"
#include "command/common/command.h"
#include "command/common/installed.h"
#include "command/gdbserver/gdbserver.h"
#include "command/sandbox/child.h"
#include "command/sandbox/opener.h"
#include "command/symboliser/symboliser.h"

#define AGENT		"libtaffrail.so"
#define SAVED_FROM	10		/* lower ones may be the user's */
#define WRAPPER_WORDS	8

/* Arguments and descriptors of gdbserver. */
struct launch {
	const char **argv;
	int argc;
	char self[PATH_MAX];
	char agent[PATH_MAX];
	char quoted[2][4 * PATH_MAX + 3];	/* for the shell */
	char saved[64];			/* "0=10,1=11,2=12", or "-" */
	int keep[3];			/* these descriptors, or -1 */
	char link[64];
	int input;			/* for descriptors 0 and 1, or -1 */
	int messages;			/* for descriptor 2, or -1 */
};

/* Adds a word; make_command() has allocated as many as there can be. */
static void add_word(struct launch *launch, const char *word)
{
	launch->argv[launch->argc++] = word;
}

/* Quotes a word for a shell; `to` has room for four times the word, and 3
 * bytes. Returns `to`. */
static const char *quote_word(char *to, const char *word)
{
	char *start = to;

	*to++ = '\'';
	for (; *word; word++) {
		if (*word == '\'')
			to = stpcpy(to, "'\\'");
		*to++ = *word;
	}
	strcpy(to, "'");
	return start;
}

/* Makes the command line of gdbserver; launch->argv is allocated, and freed by
 * the caller, also after a failure. Returns COMMAND_DONE, or COMMAND_FAILED
 * after printing why. */
static int make_command(struct launch *launch, const struct gdbserver *server)
{
	const struct gdbserver_options *o = &server->options;
	ssize_t self;
	int n = 0;

	while (o->program[n])
		n++;
	launch->argv = command_need(calloc(o->noptions + n + WRAPPER_WORDS + 4,
					   sizeof(*launch->argv)));
	add_word(launch, "gdbserver");
	for (int i = 0; i < o->noptions; i++)
		add_word(launch, o->options[i]);
	/* a link that has ended does not come back, and gdbserver would
	 * poll it in a busy loop */
	if (!server->by_port && !o->once)
		add_word(launch, "--once");
	if (!o->wrapped && !o->no_shell && !o->attach) {
		self = readlink("/proc/self/exe", launch->self, PATH_MAX - 1);
		if (self < 0)
			return command_failed("cannot read /proc/self/exe: %s",
					      strerror(errno));
		launch->self[self] = '\0';
		if (installed_find(launch->agent, sizeof(launch->agent),
				   INSTALLED_LIB, AGENT))
			return command_failed("%s is not installed beside this "
					      "command", AGENT);
		filtered_vouch(launch->agent, "/tmp");
		add_word(launch, "--wrapper");
		add_word(launch, quote_word(launch->quoted[0], launch->self));
		add_word(launch, "gdbserver");
		add_word(launch, GDBSERVER_START);
		add_word(launch, quote_word(launch->quoted[1], launch->agent));
		add_word(launch, launch->saved);
		add_word(launch, "--");
	}
	snprintf(launch->link, sizeof(launch->link), "127.0.0.1:%u",
		 server->port);
	add_word(launch, server->by_port ? launch->link : "-");
	for (int i = 0; i < n; i++)
		add_word(launch, o->program[i]);
	return COMMAND_DONE;
}

/* Executes gdbserver, in the child; returns if that failed. Descriptors and
 * signals are as this command got them, but for the link. */
static void become_gdbserver(void *arg)
{
	const struct launch *launch = arg;
	sigset_t none;

	for (int fd = 0; fd < 3; fd++)
		if (launch->keep[fd] >= 0)
			fcntl(launch->keep[fd], F_SETFD, 0);
	if (launch->input >= 0) {
		dup2(launch->input, STDIN_FILENO);
		dup2(launch->input, STDOUT_FILENO);
	}
	if (launch->messages >= 0)
		dup2(launch->messages, STDERR_FILENO);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGTTOU, SIG_DFL);
	signal(SIGTTIN, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setenv("TAFFRAIL_IPA", "filter", 1);
	execvp("gdbserver", (char **)launch->argv);
}

/* Makes the two ends of the link, and of the pipe for gdbserver's messages; an
 * end that is not needed is -1. The caller closes them, also after a failure.
 * Returns COMMAND_DONE, or COMMAND_FAILED after printing why. */
static int make_link(struct launch *launch, struct gdbserver *server)
{
	int ends[2], ret;

	launch->input = launch->messages = -1;
	server->link = server->messages = server->reserved = -1;
	if (server->by_port) {
		ret = comm_reserve(&server->reserved, &server->port);
		if (ret)
			return command_failed("cannot reserve a port of the "
					      "loopback interface: %s",
					      strerror(-ret));
	} else {
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
			return command_failed("cannot make a socket pair: %s",
					      strerror(errno));
		server->link = ends[0];
		launch->input = ends[1];
	}
	if (server->comm.kind == COMM_STDIO)
		return COMMAND_DONE;
	if (pipe2(ends, O_CLOEXEC))
		return command_failed("cannot make a pipe: %s",
				      strerror(errno));
	server->messages = ends[0];
	launch->messages = ends[1];
	return COMMAND_DONE;
}

/* A child is enough: a container or a filter forbids the call, not the
 * process. */
int gdbserver_try_tracing(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) ? errno : 0);
	status = child_wait(pid);
	if (status < 0)
		return 0;
	/* a filter may kill for it */
	return WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
}

/* All that the child needs is made before the fork: it may only execute. */
int gdbserver_start(struct gdbserver *server)
{
	static struct launch launch;
	int error = gdbserver_try_tracing(), ret;
	size_t used = 0;

	/* else gdbserver would print a message about a test of ptrace(2), and
	 * never return */
	if (error)
		return command_failed("gdbserver cannot use ptrace(2): %s; "
				      "kernel.yama.ptrace_scope or a container "
				      "forbids it; taffrail gdb does not need "
				      "it", strerror(error));
	/* the wrapper gives these descriptors back to the program; by a port,
	 * gdbserver passes on 0 and 1 itself */
	strcpy(launch.saved, "-");
	for (int fd = 0; fd < 3; fd++) {
		launch.keep[fd] = -1;
		if (server->restores && (fd == 2 || !server->by_port))
			launch.keep[fd] = fcntl(fd, F_DUPFD_CLOEXEC,
						SAVED_FROM);
		if (launch.keep[fd] >= 0)
			used += snprintf(launch.saved + used,
					 sizeof(launch.saved) - used,
					 "%s%d=%d", used ? "," : "", fd,
					 launch.keep[fd]);
	}
	ret = make_link(&launch, server);
	if (!ret)
		ret = make_command(&launch, server);
	if (!ret) {
		/* scripts know gdbserver as the command's first child */
		opener_end();
		symboliser_end();
		server->pid = child_execute(become_gdbserver, &launch, true,
					    &error);
		if (error)
			ret = command_failed("cannot start gdbserver: %s"
					     COMMAND_SEE_DOCTOR,
					     strerror(error));
	}
	for (int fd = 0; fd < 3; fd++)
		if (launch.keep[fd] > 2)
			close(launch.keep[fd]);
	if (launch.input >= 0)
		close(launch.input);
	if (launch.messages >= 0)
		close(launch.messages);
	free(launch.argv);
	return ret;
}

/* Runs in the process that becomes the program, traced by gdbserver: it changes
 * the environment and descriptors, then makes the one exec. */
int gdbserver_start_program(int argc, char **argv)
{
	const char *others = getenv("LD_PRELOAD");
	const char *saved;
	int fd, from, n;
	char *all;

	/* --start AGENT SAVED PROGRAM ARGUMENTS..., SAVED as "0=10,1=11" */
	saved = argc < 4 ? "too few" : argv[2];
	while (sscanf(saved, "%1d=%d%n", &fd, &from, &n) == 2) {
		if (dup2(from, fd) < 0)
			break;
		close(from);
		saved += n;
		saved += *saved == ',';
	}
	if (*saved && strcmp(saved, "-"))
		return command_failed("%s is for gdbserver only",
				      GDBSERVER_START);
	/* takes the terminal, as gdbserver does when standard error is one */
	if (strcmp(argv[2], "-")) {
		signal(SIGTTOU, SIG_IGN);
		tcsetpgrp(STDERR_FILENO, getpgrp());
		signal(SIGTTOU, SIG_DFL);
	}
	if (!others || !*others) {
		setenv("LD_PRELOAD", argv[1], 1);
	} else if (asprintf(&all, "%s:%s", argv[1], others) > 0) {
		setenv("LD_PRELOAD", all, 1);
		free(all);
	}
	execvp(argv[3], argv + 3);
	command_failed("cannot start %s: %s", argv[3], strerror(errno));
	_exit(127);
}
