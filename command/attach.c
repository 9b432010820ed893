/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail attach, taffrail detach: loads the agent into running processes, and
 * has it undo its changes to them.
 *
 * Invariant: each process is worked on alone, in the order of the words; after
 * a failure the others still have their turn. Nothing is done unless all words
 * are numbers.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "command/agents/targets.h"
#include "command/attach/attach.h"
#include "command/common/command.h"
#include "command/common/limits.h"

#define NS_PER_US	1000.0

/* detach also where something is lost */
static struct detach_options {
	bool force;
} chosen;

/*
 * Has the agent undo its changes, and waits until the service thread has ended.
 * Tells events that the agent has dropped, or would drop, and sessions that it
 * stopped before it failed. Returns an exit status.
 */
static int detach_one(pid_t pid)
{
	struct client_answer answer = { 0 };
	const char *key, *value;
	struct cause cause;
	struct rundir_process process;
	struct targets targets;
	struct target *target;
	size_t position = 0;
	int ret = rundir_find(&process, pid, &cause);

	if (ret == -ENXIO)
		return command_failed("process %d has no agent at work: there "
				      "is nothing to take back", pid);
	rundir_process_close(&process);
	if (targets_open(&targets, pid))
		return COMMAND_FAILED;
	target = targets.targets;
	ret = target_detach(target, chosen.force, &answer);
	if (ret && ret != -ENOTEMPTY)
		cause_tell(&target->client.cause);
	while (answer.payload &&
	       client_answer_next(&answer, &position, &key, &value)) {
		if (!strcmp(key, "stopped"))
			command_failed("process %d: these sessions are stopped "
				       "now, and record nothing any more: %s",
				       pid, value);
		if (strcmp(key, "drops") || !*value)
			continue;
		if (!ret)
			command_warn("process %d: dropped %s", pid, value);
		else
			command_failed("process %d is not detached: it would "
				       "drop %s; save events first (taffrail "
				       "snapshot NAME -o DIR; in gdb: tsave, "
				       "detach), or add --force: callbacks "
				       "then sleep until taffrail attach",
				       pid, value);
	}
	client_answer_release(&answer);
	targets_close(&targets);
	return ret ? COMMAND_FAILED : COMMAND_DONE;
}

/*
 * Attaches to each process of the command line, or detaches, and prints how
 * long a thread was stopped. Returns an exit status: COMMAND_FAILED if one
 * failed.
 */
static int each_pid(struct options *options, bool attach)
{
	struct attach_report report;
	int status = COMMAND_DONE;
	pid_t pid;

	if (!options_take(options, &chosen, NULL))
		return options->status;
	if (options->index == options->argc)
		return command_misused("no process given: add PID");
	for (int i = options->index; i < options->argc; i++)
		if (command_parse_pid(&pid, options->argv[i]))
			return command_misused_pid(options->argv[i],
						   "give each as a word");
	for (int i = options->index; i < options->argc; i++) {
		command_parse_pid(&pid, options->argv[i]);
		report = (struct attach_report){ 0 };
		if (!attach) {
			status |= detach_one(pid);
		} else if (cause_check_files(LIMITS_FILES)) {
			status = COMMAND_FAILED;
		} else if (attach_keep(pid)) {
			printf("process %d: agent stays: a command that looks "
			       "had loaded it for its own time\n", pid);
		} else if (attach_process(pid, &report)) {
			if (cause_tell(&report.cause))
				status = COMMAND_FAILED;
		} else {
			printf("process %d: agent %s; one thread was stopped "
			       "for %.0f us\n", pid,
			       report.woken ? "woken" : "loaded",
			       (double)report.stall_ns / NS_PER_US);
		}
	}
	return command_finish() ? COMMAND_FAILED : status;
}

int attach_main(int argc, char **argv)
{
	static const struct option_row rows[] = { { 0 } };
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows, .shape = "PID...",
		.about = "Load the agent into running processes that do not "
			 "have it.",
	};

	return each_pid(&options, true);
}

int detach_main(int argc, char **argv)
{
	static const struct option_row rows[] = {
		{ OPTION_FLAG('f', struct detach_options, force), "force",
		  NULL, "also if events or a gdb are lost" },
		{ 0 }
	};
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows, .shape = "PID...",
		.about = "End all sessions in running processes and undo every "
			 "patch; an agent that\nattach has loaded is unloaded.",
	};

	return each_pid(&options, false);
}
