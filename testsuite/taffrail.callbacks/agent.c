/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Callbacks while commands take the agent away and bring it back; and in a
 * program that itself tells liburcu-bp of forks.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <taffrail/marker.h>
#include <taffrail/probe.h>
#include <urcu-bp.h>

#include "../shared/results.h"

static int called;

static void hit(void)
{
	TAFFRAIL_EVENT(app, hit, called);
}

static void count(const struct taffrail_event *event, void *priv)
{
	(void)event;
	++*(int *)priv;
}

/* Runs `taffrail WHAT PID`; returns its exit status. */
static int command(const char *taffrail, const char *what)
{
	char line[512];
	int status;

	snprintf(line, sizeof(line), "%s %s %d", taffrail, what, getpid());
	status = system(line);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int main(int argc, char **argv)
{
	int other = 0;
	pid_t pid;
	int status;

	if (argc != 2)
		return 2;
	pthread_atfork(urcu_bp_before_fork, urcu_bp_after_fork_parent,
		       urcu_bp_after_fork_child);
	alarm(60);
	pid = fork();
	if (!pid)
		_exit(0);
	waitpid(pid, &status, 0);
	check_equal("a fork before anything is attached", status, 0);
	check_equal("attach", taffrail_probe_attach("app/hit", count, &called),
		    1);
	taffrail_probe_attach("app/hit", count, &other);
	pid = fork();
	if (!pid) {
		hit();
		_exit(called != 1 || taffrail_probe_detach("app/hit", count,
							   &called));
	}
	waitpid(pid, &status, 0);
	check_equal("a fork that the program tells liburcu-bp of", status, 0);

	check_equal("detach is refused", command(argv[1], "detach"), 1);
	hit();
	check_equal("the callback stays", called, 1);
	check_equal("detach by force", command(argv[1], "detach --force"), 0);
	hit();
	check_equal("it sleeps", called, 1);
	check("and so does the agent", !!taffrail_probe_unavailable());
	check_equal("nothing can be attached",
		    taffrail_probe_attach("app/*", count, &other), -ENODEV);
	check_equal("but detached",
		    taffrail_probe_detach("app/hit", count, &other), 0);
	other = 0;
	check_equal("the agent comes back", command(argv[1], "attach"), 0);
	hit();
	check_equal("with the callback", called, 2);
	check_equal("and without the one that was detached", other, 0);
	check_equal("it can be detached",
		    taffrail_probe_detach("app/hit", count, &called), 0);
	hit();
	check_equal("and is", called, 2);
	return 0;
}
