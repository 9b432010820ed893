/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail stop, flush, destroy: requests that need only a session's name, to
 * every process that has the session.
 *
 * Invariant: the file for later processes changes first, so none
 * starts the session again meanwhile; files of a living process belong to its
 * agent, and this command does not remove them.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/tunables.h"
#include "command/agents/faults.h"
#include "command/agents/layouts.h"
#include "command/agents/targets.h"
#include "command/common/command.h"
#include "command/runtime/rundir.h"

/* How often the processes are listed again while children make files. */
#define CHILDREN_TRIES	16

static const struct option_row rows[] = {
	{ 'p', "pid", "PID", "in this process only" },
	{ 0 }
};

/*
 * Counts, and with `remove` removes, the sessions of that name which earlier
 * images of a process left; of a dead process also the last image's. Returns
 * the count, or -1 after printing that one could not be removed.
 */
static int visit_left(struct target *target, const char *name, bool remove)
{
	const struct rundir_process *p = target->process;
	uint32_t images[RUNDIR_IMAGES_MAX];
	struct session_page page;
	int n = rundir_images(p, images, RUNDIR_IMAGES_MAX);
	int ret, found = 0;

	for (int i = 0; i < n; i++) {
		if (p->alive && images[i] == p->image)
			continue;
		while (!rundir_find_session(p, images[i], name, &page)) {
			found++;
			if (!remove)
				break;
			ret = rundir_destroy_session(p, images[i], page.index);
			if (!ret)
				continue;
			cause_report(SESSION_UNREMOVED, .subject = name,
				     .path = p->path, .error = ret);
			return -1;
		}
	}
	return found;
}

/*
 * Sends the request to a process, and again if it executes another program
 * meanwhile. Once a process has closed the rings that all share, the request
 * leaves them out. Returns 0 or a negative errno.
 */
static int tell_one(struct target *target, enum message_type type,
		    struct client_request *request)
{
	struct client_answer answer = { 0 };
	int ret;

	for (int tries = EXECUTED_TRIES;; tries--) {
		ret = target_connect(target);
		if (!ret)
			ret = client_call(&target->client, type, request,
					  &answer);
		if (!ret && client_answer_number(&answer, "shared"))
			client_request_add(request, "own", "1");
		client_answer_release(&answer);
		if (!ret || ret == -ENOENT || !tries)
			return ret;
		/* has another program an agent now? Then that one is asked */
		if (!target_executes(target))
			return ret;
	}
}

/* Sends the request to the targets that have the session, and counts these.
 * Returns false after printing that a process failed. */
static bool tell_targets(struct targets *targets, enum message_type type,
			 const char *name, struct client_request *request,
			 int *found)
{
	bool done = true;
	int ret;

	for (size_t i = 0; i < targets->count; i++) {
		struct target *target = &targets->targets[i];
		struct rundir_process *process = target->process;

		if (!process->alive || !target_has(target, name))
			goto left;
		if (type != MESSAGE_FLUSH)
			rundir_inheritance_remove(process, name);
		ret = tell_one(target, type, request);
		*found += ret != -ENOENT;
		if (!ret || ret == -ENOENT)
			goto left;
		if (target_ends(target)) {
			process->alive = false;
		} else {
			cause_tell(&target->client.cause);
			done = false;
		}
left:
		ret = visit_left(target, name, type == MESSAGE_DESTROY);
		*found += ret != 0;
		done &= ret >= 0;
	}
	return done;
}

/* Returns true when the session goes on in a child that made its files when the
 * processes had been listed; or with `any`, when a process has it, or has left
 * its files. */
static bool session_goes_on(const struct targets *targets, const char *name,
			    bool any)
{
	const struct rundir_process *p;
	struct session_page page;

	for (size_t i = 0; i < targets->count; i++) {
		p = targets->targets[i].process;
		if (rundir_find_session(p, p->image, name, &page))
			continue;
		/* a child that makes its files is not active yet */
		if (any || (p->alive && (page.state == SESSION_ACTIVE ||
					 page.making)))
			return true;
	}
	return false;
}

/* Lists the processes again. */
static bool targets_again(struct targets *targets)
{
	targets_close(targets);
	return !targets_open(targets, 0);
}

/*
 * Sends the request to all processes that have the session; with `later`
 * changes the file for later ones first, and lists the processes again. A
 * process that has ended needs no request. Returns an exit status:
 * COMMAND_FAILED if a process failed, or none has the session.
 */
static int tell_all(struct targets *targets, enum message_type type,
		    const char *name, bool later)
{
	const bool ends = later && type != MESSAGE_FLUSH;
	struct client_request request = { 0 };
	int found = 0, told = 0, tries = CHILDREN_TRIES, ret;
	bool failed = false;
	char *text = NULL;

	client_request_add(&request, "name", "%s", name);
	if (later && targets->dir.fd >= 0) {
		/* a flush changes nothing for later processes */
		ret = ends ? rundir_remove_rules(&targets->dir, name) :
			     rundir_read_rules(&targets->dir, name, &text);
		if (!ret)
			free(text);
		found += ret != -ENOENT;
		if (ret && ret != -ENOENT)
			failed = cause_report(SESSION_UNREMOVED,
					      .subject = name, .error = ret,
					      .path = targets->dir.path);
		/* a process that read the rules before is now in the list */
		else if (!ret && ends && !targets_again(targets))
			goto out;
	}
	do {
		told = 0;
		if (!tell_targets(targets, type, name, &request, &told))
			failed = true;
		found += told;
		if (!told || !ends || failed)
			break;
		if (!targets_again(targets))
			goto out;
	} while (session_goes_on(targets, name, type == MESSAGE_DESTROY) &&
		 --tries);
	client_request_release(&request);
	if (type == MESSAGE_STOP && later && targets->dir.fd >= 0)
		rundir_stop_shared(&targets->dir, name);
	/* a recorder at work removes them itself */
	if (type == MESSAGE_DESTROY && later && targets->dir.fd >= 0 &&
	    rundir_recorder(&targets->dir, name) <= 0)
		found += rundir_remove_shared(&targets->dir, name);
	if (layouts_tell(&targets->list, name, "not changed") || failed)
		return COMMAND_FAILED;
	return found ? COMMAND_DONE : targets_no_session(targets, name);
out:
	client_request_release(&request);
	return COMMAND_FAILED;
}

/*
 * All three sub-commands: `type` tells which. `destroy` also removes the notes
 * that a session leaves: of removed events, of processes elsewhere, of faults.
 */
static int tell_main(int argc, char **argv, enum message_type type,
		     const char *about)
{
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows, .shape = "NAME",
		.about = about,
	};
	const struct rundir_process *p;
	struct session_page page;
	struct targets targets;
	bool followed = false;
	const char *name;
	pid_t pid = 0;
	int status = COMMAND_FAILED;

	if (!options_pid(&options, &pid))
		return options.status;
	if (argc - options.index != 1)
		return command_misused("give one session's name");
	name = argv[options.index];
	if (targets_check_name(name))
		return COMMAND_USAGE;
	if (targets_open(&targets, pid))
		goto out;
	/* if a command follows the session, stops the session, and waits: the
	 * follower reads the events before they go */
	for (size_t i = 0; type == MESSAGE_DESTROY && i < targets.count; i++) {
		p = targets.targets[i].process;
		if (rundir_find_session(p, p->image, name, &page))
			continue;
		followed = rundir_followed(p, name);
		break;
	}
	if (followed && !tell_all(&targets, MESSAGE_STOP, name, !pid)) {
		poll(NULL, 0, FOLLOW_STOPPED_MS);
		/* of the living images, whose rings the agents remove */
		for (size_t i = 0; i < targets.count; i++) {
			p = targets.targets[i].process;
			if (p->alive &&
			    !rundir_find_session(p, p->image, name, &page))
				rundir_tell_followers(p, p->image, &page);
		}
	}
	status = tell_all(&targets, type, name, !pid);
out:
	if (type == MESSAGE_DESTROY && targets.dir.fd >= 0)
		rundir_sweep(&targets.dir);
	if (type == MESSAGE_DESTROY && targets.dir.fd >= 0 && !pid) {
		rundir_each_removed(&targets.dir, name, NULL, NULL);
		rundir_forget_away(&targets.dir, name, true, NULL);
		if (!strcmp(name, FAULTS_SESSION))
			faults_forget(&targets.dir);
	}
	targets_close(&targets);
	return status;
}

int stop_main(int argc, char **argv)
{
	return tell_main(argc, argv, MESSAGE_STOP,
			 "Stop session NAME in every process that has it; its "
			 "events stay for snapshot.");
}

int flush_main(int argc, char **argv)
{
	return tell_main(argc, argv, MESSAGE_FLUSH,
			 "Close the sub-buffers that session NAME is writing "
			 "to.");
}

int destroy_main(int argc, char **argv)
{
	return tell_main(argc, argv, MESSAGE_DESTROY,
			 "End session NAME and remove its events, also those "
			 "that dead processes left.");
}
