/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starts a recording in processes that run already (-p). See members-private.h.
 *
 * Invariant: each process is looked at before a session is
 * started in any.
 */
#include "command/agents/client.h"
#include "command/agents/handed.h"
#include "command/agents/targets.h"
#include "command/attach/attach.h"
#include "command/common/reason.h"
#include "command/record/members-private.h"
#include "command/record/probes-private.h"
#include "command/record/program-private.h"

/* Starts the session in one process, and joins it. */
static int follow_one(struct members *members, struct target *target,
		      const struct client_request *request)
{
	struct rundir_process *process = target->process;
	const char *session = members->claim->name;
	int unhanded = COMMAND_DONE;
	int ret = heirs_start(&target->client, request, session, NULL,
			      &unhanded);

	outcome_take(members->outcome, unhanded);
	/* a process that has ended meanwhile may have written events */
	if (ret && !rundir_lives(process) &&
	    rundir_drop_begun(process, session))
		return cause_report(PROCESS_ENDED, .pid = process->pid);
	if (ret && rundir_lives(process))
		return cause_tell(&target->client.cause);
	ret = members_join(members, process);
	return !ret ? COMMAND_DONE :
	       cause_report(MEMBER_UNREAD, .pid = process->pid,
			    .text = reason_of_files(ret));
}

/* Checks that each process answers, that each rule selects a marker, and that
 * the group reaches the directories. Returns COMMAND_DONE, or COMMAND_FAILED
 * after printing why not. */
static int check_targets(const struct record_options *o,
			 struct targets *targets)
{
	for (size_t i = 0; i < targets->count; i++)
		if (target_list(&targets->targets[i]))
			return cause_tell(&targets->targets[i].client.cause);
	for (int i = 0; i < o->nrules; i++)
		if (targets_check_rule(targets, o->rules[i]))
			return COMMAND_FAILED;
	for (size_t i = 0; i < targets->count; i++)
		if (command_check_reach(targets->targets[i].process->path,
					o->group))
			return COMMAND_FAILED;
	return COMMAND_DONE;
}

int members_follow(struct members *members, const struct record_options *o)
{
	struct client_request request = { 0 };
	struct targets targets;
	int status = COMMAND_DONE;

	for (int i = 0; i < o->pids.count; i++)
		if (attach_provide(o->pids.pids[i]))
			return COMMAND_FAILED;
	program_prepare();
	if (probes_load(members->probes, &members->drain->set))
		return COMMAND_FAILED;
	if (targets_open_each(&targets, o->pids.pids, (size_t)o->pids.count) ||
	    check_targets(o, &targets)) {
		targets_close(&targets);
		probes_unload(members->probes);
		return COMMAND_FAILED;
	}
	for (size_t i = 0; i < targets.count; i++)
		claim_follow(members->claim, targets.targets[i].process,
			     members->outcome);
	claim_take(members->claim);
	record_request(o, members->claim->name, &request);
	for (size_t i = 0; !status && i < targets.count; i++)
		status = follow_one(members, &targets.targets[i], &request);
	client_request_release(&request);
	if (!status)
		outcome_take(members->outcome,
			     targets_check_files(&targets, o->rules,
						 o->nrules));
	targets_close(&targets);
	/* the processes before have the session */
	if (status) {
		members_stop(members);
		members_each_living(members, probes_leave, members->probes);
		probes_unload(members->probes);
	}
	return status;
}
