/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pager, and whether text has colours.
 *
 * Invariant: there is one pager in a process, and standard output is a pipe to
 * it from pager_begin() to pager_end().
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/common/wrapped.h"
#include "command/reading/look.h"
#include "command/sandbox/child.h"

static pid_t pager;
static int ends[2];		/* of the pipe, in pager_begin() */
static const struct look *shown;

/* Ends the command when the user has left the pager: the rest has no reader,
 * and the command may not notice for long, as it writes nothing. It is the
 * handler of SIGCHLD, and calls only functions that are safe in a signal. */
static void pager_left(int number)
{
	int saved = errno;
	siginfo_t ended = { 0 };

	if (!waitid(P_PID, (id_t)pager, &ended, WEXITED | WNOHANG | WNOWAIT) &&
	    ended.si_pid == pager && ended.si_code == CLD_EXITED &&
	    !ended.si_status)
		_exit(look_problems(shown) ? EXIT_FAILURE : EXIT_SUCCESS);
	errno = saved;
}

/* In the child: executes the shell, which runs the pager. */
static void become_pager(void *command)
{
	dup2(ends[0], STDIN_FILENO);
	/* less: quit if it fits on the screen, show colours, leave the text */
	setenv("LESS", "FRX", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
}

bool pager_begin(const struct look *look)
{
	const char *command = getenv("TAFFRAIL_PAGER");
	int error;

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = isatty(STDOUT_FILENO) &&
				  !system("command -v less >/dev/null 2>&1") ?
			  "less" : "";
	/* those of the terminal, not of the pipe */
	wrapped_columns();
	if (!isatty(STDOUT_FILENO) || !*command || !strcmp(command, "cat") ||
	    pipe2(ends, O_CLOEXEC))
		return false;
	pager = child_execute(become_pager, (void *)command, false, &error);
	close(ends[0]);
	if (pager > 0) {
		shown = look;
		/* the terminal's Ctrl-C is for the pager */
		signal(SIGINT, SIG_IGN);
		signal(SIGCHLD, pager_left);
		dup2(ends[1], STDOUT_FILENO);
	}
	close(ends[1]);
	return pager > 0;
}

int pager_end(void)
{
	int status;

	if (pager <= 0)
		return COMMAND_DONE;
	signal(SIGCHLD, SIG_DFL);
	/* the end of the pager's input; the user still reads */
	close(STDOUT_FILENO);
	status = child_wait(pager);
	pager = 0;
	/* the shell ends so if it cannot run the command */
	if (status >= 0 && WIFEXITED(status) && (WEXITSTATUS(status) == 126 ||
				  WEXITSTATUS(status) == 127))
		return command_failed("the pager cannot be run: set PAGER or "
				      "TAFFRAIL_PAGER, or give --no-pager");
	return COMMAND_DONE;
}

bool color_when(const char *when, bool *color)
{
	const char *term = getenv("TERM"), *none = getenv("NO_COLOR");

	*color = isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") &&
		 !(none && *none);
	if (!when || !strcmp(when, "auto"))
		return true;
	*color = !strcmp(when, "always");
	return *color || !strcmp(when, "never");
}
