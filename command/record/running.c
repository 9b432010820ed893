/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starts a recording in processes that run already (-p). See members-private.h.
 *
 * Invariant: each process is looked at before a session is started in any.
 */
#include "command/agents/client.h"
#include "command/agents/forked.h"
#include "command/agents/handed.h"
#include "command/agents/targets.h"
#include "command/attach/attach.h"
#include "command/record/members-private.h"
#include "command/record/probes-private.h"
#include "command/record/program-private.h"

int members_follow(struct members *members, const struct record_options *o)
{
	const char *session = members->claim->name;
	struct client_request request = { 0 };
	struct forked forked;
	struct targets targets;
	int ret, status = COMMAND_DONE;

	for (int i = 0; i < o->pids.count; i++)
		if (attach_provide(o->pids.pids[i], NULL))
			return COMMAND_FAILED;
	for (int i = 0; i < o->pids.count * o->nproviders; i++)
		if (attach_provider(o->pids.pids[i / o->nproviders],
				    o->providers[i % o->nproviders]))
			return COMMAND_FAILED;
	program_prepare();
	if (probes_load(members->probes, &members->drain->set))
		return COMMAND_FAILED;
	forked_count(&forked, &o->pids);
	/* each process answers, each rule selects a marker, and the group
	 * reaches the directories */
	ret = targets_open_each(&targets, o->pids.pids, (size_t)o->pids.count);
	for (size_t i = 0; !ret && i < targets.count; i++) {
		ret = target_list(&targets.targets[i]);
		if (ret)
			cause_tell(&targets.targets[i].client.cause);
	}
	for (int i = 0; !ret && i < o->nrules; i++)
		ret = targets_check_rule(&targets, o->rules[i]);
	for (size_t i = 0; !ret && i < targets.count; i++)
		ret = command_check_reach(targets.targets[i].process->path,
					  o->group);
	if (ret) {
		targets_close(&targets);
		probes_unload(members->probes);
		return COMMAND_FAILED;
	}
	for (size_t i = 0; i < targets.count; i++)
		claim_follow(members->claim, targets.targets[i].process,
			     members->outcome);
	claim_take(members->claim);
	record_request(o, session, &request);
	for (size_t i = 0; !status && i < targets.count; i++) {
		struct target *target = &targets.targets[i];
		struct rundir_process *process = target->process;
		int unhanded = COMMAND_DONE;

		ret = heirs_start(&target->client, &request, session, NULL,
				  &unhanded);
		outcome_take(members->outcome, unhanded);
		/* a process that has ended meanwhile may have written events */
		if (ret && rundir_lives(process))
			status = cause_tell(&target->client.cause);
		else if (ret && rundir_drop_begun(process, session))
			status = cause_report(PROCESS_ENDED,
					      .pid = process->pid);
		else if ((ret = members_join(members, process)))
			status = cause_report(MEMBER_UNREAD,
					      .pid = process->pid,
					      .error = ret);
	}
	client_request_release(&request);
	if (!status)
		outcome_take(members->outcome,
			     targets_check_files(&targets, o->rules,
						 o->nrules));
	targets_close(&targets);
	if (!status)
		forked_tell(&forked, &o->pids);
	/* the processes before have the session */
	if (status) {
		members_stop(members);
		members_each_living(members, probes_leave, members->probes);
		probes_unload(members->probes);
	}
	return status;
}
