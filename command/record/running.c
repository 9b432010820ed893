/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starts a recording in processes that run already (-p). See members-private.h.
 *
 * Invariants: each process is looked at before a session is started in any. A
 * process that has ended is left out, unless it is the last one: a list of
 * processes may be old when the command reads it.
 */
#include <errno.h>

#include "command/agents/client.h"
#include "command/agents/forked.h"
#include "command/agents/handed.h"
#include "command/agents/rule.h"
#include "command/agents/targets.h"
#include "command/attach/attach.h"
#include "command/common/limits.h"
#include "command/procfs/process.h"
#include "command/record/members-private.h"
#include "command/record/probes-private.h"
#include "command/record/program-private.h"

/* A recording that begins. */
struct beginning {
	struct members *members;
	struct record_options *options;
	struct targets targets;
	struct forked forked;
	struct cause cause;	/* CAUSE_NONE: it is printed, or there is
				 * none */
};

/*
 * Opens the targets: each process answers, each rule selects a marker, and the
 * group reaches the directories. Returns 0, or a negative errno and
 * begin->cause, unless that is printed. The caller closes the targets, whatever
 * the result.
 */
static int targets_look(struct beginning *begin)
{
	const struct record_options *o = begin->options;
	struct targets *t = &begin->targets;
	int ret = targets_open_each(t, o->pids.pids, (size_t)o->pids.count,
				    &begin->cause);

	for (size_t i = 0; !ret && i < t->count; i++) {
		ret = target_list(&t->targets[i]);
		if (ret)
			begin->cause = t->targets[i].client.cause;
	}
	/* a second later, record tells which rules have no marker yet */
	t->awaited = rules_await;
	for (int i = 0; !ret && i < o->nrules; i++)
		ret = targets_check_rule(t, o->rules[i]);
	for (size_t i = 0; !ret && !o->nrules && i < t->count; i++)
		if (!t->targets[i].markers.count)
			rules_learn(t->targets[i].process->pid);
	for (size_t i = 0; !ret && i < t->count; i++)
		ret = command_check_reach(t->targets[i].process->path,
					  o->group);
	return ret;
}

/* Does all that comes before a session: loads the agent and the providers, and
 * looks at the targets. Returns as targets_look(), with closed targets if that
 * fails. */
static int session_prepare(struct beginning *begin)
{
	const struct record_options *o = begin->options;
	struct members *members = begin->members;
	int ret = 0;

	begin->cause.id = CAUSE_NONE;
	if (cause_check_files(LIMITS_FILES))
		return -EMFILE;
	for (int i = 0; !ret && i < o->pids.count; i++)
		ret = attach_agent(o->pids.pids[i], NULL, &begin->cause);
	for (int i = 0; !ret && i < o->pids.count * o->nproviders; i++)
		ret = attach_provider(o->pids.pids[i / o->nproviders],
				      o->providers[i % o->nproviders],
				      &begin->cause);
	if (ret)
		return ret;
	program_prepare();
	if (probes_load(members->probes, drain_set(members->drain)))
		return -ECANCELED;
	forked_count(&begin->forked, &o->pids);
	ret = targets_look(begin);
	if (ret) {
		targets_close(&begin->targets);
		probes_unload(members->probes);
	}
	return ret;
}

/* Starts the session in each process. Returns COMMAND_DONE, or another status
 * after printing why: the processes before have the session then. */
static int session_start(struct beginning *begin)
{
	struct members *members = begin->members;
	const char *session = members->session;
	struct client_request request = { 0 };
	struct command_pids ended = { .count = 0 };
	int status = COMMAND_DONE;

	record_request(begin->options, session, &request);
	targets_allow_some(&begin->targets, begin->options->rules,
			   begin->options->nrules, &request);
	for (size_t i = 0; !status && i < begin->targets.count; i++) {
		struct target *target = &begin->targets.targets[i];
		struct rundir_process *process = target->process;
		int unhanded = COMMAND_DONE;
		int ret = inheritance_start(&target->client, &request, session,
					    NULL, &unhanded);

		outcome_take(members->outcome, unhanded);
		rule_add_nearest("*", &target->markers,
				 target->client.cause.text,
				 sizeof(target->client.cause.text));
		/* a process that has ended meanwhile may have written events */
		if (ret && rundir_lives(process) &&
		    !process_ending(process->pid))
			status = cause_tell(&target->client.cause);
		else if (ret && rundir_drop_begun(process, session))
			ended.pids[ended.count++] = process->pid;
		else if ((ret = members_join(members, process)))
			status = cause_report(MEMBER_UNREAD,
					      .pid = process->pid,
					      .error = ret);
	}
	client_request_release(&request);
	if (!status && !members->n)
		return cause_report(PROCESS_ENDED, .pid = ended.pids[0]);
	for (int i = 0; i < ended.count; i++)
		command_warn("process %d is left out: it has ended",
			     ended.pids[i]);
	return status;
}

int members_follow(struct members *members, struct record_options *o)
{
	struct beginning begin = { .members = members, .options = o };
	int status;

	targets_leave_ended(&o->pids);
	while (session_prepare(&begin)) {
		if (targets_leave_ended(&o->pids))
			continue;
		if (begin.cause.id)
			cause_tell(&begin.cause);
		return COMMAND_FAILED;
	}
	for (size_t i = 0; i < begin.targets.count; i++)
		claim_follow(members->claim, begin.targets.targets[i].process,
			     members->outcome);
	claim_take(members->claim);
	status = session_start(&begin);
	if (!status) {
		outcome_take(members->outcome,
			     targets_check_files(&begin.targets, o->rules,
						 o->nrules));
		targets_tell_types(&begin.targets, o->rules, o->nrules);
	}
	targets_close(&begin.targets);
	if (!status)
		forked_tell(&begin.forked, &o->pids);
	/* the processes before have the session */
	if (status) {
		members_stop(members);
		members_each_living(members, probes_leave, members->probes);
		probes_unload(members->probes);
	}
	return status;
}
