/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail attach, taffrail detach: loads the agent into running processes, and
 * has it undo its changes to them.
 */
#include "command/attach/attach.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "command/attach/private.h"
#include "command/common/command.h"
#include "command/processes/targets.h"

#define NS_PER_US	1000.0
#define END_PAUSE_NS	1000000
#define END_LOOKS	5000

/* attach and detach have no options of their own. */
static const struct option_row rows[] = {
	{ 0 }
};

/* Fails for an agent that cannot be called, because its files were removed. */
static int check_files(pid_t pid)
{
	char error[RUNDIR_ERROR_BYTES];
	struct rundir_process process;
	int ret = rundir_find(&process, pid, error);

	if (!ret)
		rundir_process_close(&process);
	if (ret == -ESRCH)
		return command_failed("%s", error);
	if (ret)
		return command_failed("process %d has an agent that no command "
				      "can reach: its files in the runtime "
				      "directory were removed; only a new start "
				      "of the program makes them again", pid);
	return COMMAND_DONE;
}

static int attach_one(pid_t pid)
{
	struct attach_report report = { 0 };

	if (attach_process(pid, &report))
		return command_failed("%s", report.error);
	if (check_files(pid))
		return COMMAND_FAILED;
	printf("process %d: agent %s; one thread was stopped for %.0f us\n",
	       pid, report.woken ? "woken" : "loaded",
	       (double)report.stall_ns / NS_PER_US);
	return COMMAND_DONE;
}

static int detach_one(pid_t pid)
{
	struct targets targets;
	const struct timespec pause = { .tv_nsec = END_PAUSE_NS };
	int ret = targets_open(&targets, pid);

	if (ret)
		return COMMAND_FAILED;
	ret = target_connect(targets.targets);
	if (!ret)
		ret = client_call(&targets.targets->client, MESSAGE_DETACH,
				  NULL, NULL);
	if (ret)
		command_failed("%s", targets.targets->client.error);
	/* the service thread ends after its answer */
	for (int i = 0; !ret && i < END_LOOKS &&
	     attach_thread_named(pid, "taffrail"); i++)
		nanosleep(&pause, NULL);
	targets_close(&targets);
	return ret ? COMMAND_FAILED : COMMAND_DONE;
}

static int each_pid(int argc, char **argv, const char *about,
		    int (*call)(pid_t pid))
{
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows, .shape = "PID...",
		.about = about,
	};
	int status = COMMAND_DONE;
	pid_t pid;

	if (options_next(&options) != OPTIONS_END)
		return options.status;
	if (options.index == argc)
		return command_misused("no process given: add PID");
	for (int i = options.index; i < argc; i++)
		if (command_parse_pid(&pid, argv[i]))
			return command_misused("'%s' is not a process id",
					       argv[i]);
	for (int i = options.index; i < argc; i++) {
		command_parse_pid(&pid, argv[i]);
		if (call(pid))
			status = COMMAND_FAILED;
	}
	return command_finish() ? COMMAND_FAILED : status;
}

int attach_main(int argc, char **argv)
{
	return each_pid(argc, argv, "Load the agent into running processes "
			"that do not have it.", attach_one);
}

int detach_main(int argc, char **argv)
{
	return each_pid(argc, argv, "End all sessions in running processes and "
			"undo every patch; the agent stays\nthere, asleep.",
			detach_one);
}
