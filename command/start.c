/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail start: sessions in running processes, and in later ones.
 *
 * Invariant: a rule that selects nothing is an error before
 * anything is changed; `start --all` writes the rules for later processes
 * before it asks the living ones, so no process is missed.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/text.h"
#include "base/tunables.h"
#include "buffers/layout.h"
#include "command/agents/elsewhere.h"
#include "command/agents/forked.h"
#include "command/agents/places.h"
#include "command/agents/rule.h"
#include "command/agents/targets.h"
#include "command/agents/visits.h"
#include "command/attach/attach.h"
#include "command/common/command.h"
#include "command/common/counted.h"
#include "command/common/installed.h"
#include "command/elf/named-functions.h"
#include "command/load/libraries.h"
#include "command/saved/saved.h"

#define RULES_MAX	64	/* an agent's limit for a session */

/* The command line. The words are those of argv; 0 and NULL stand for an option
 * that was not given. */
struct start_arguments {
	const char *name;
	const char *from;		/* a file of LTTng's sessions */
	const char *context;
	const char *level;		/* a condition */
	const char *rules[RULES_MAX];
	int nrules;
	struct rule_calls calls;
	uint64_t buffer;
	uint64_t quota;
	uint64_t keep;			/* milliseconds */
	uint32_t group;
	const char *program;		/* that has the lines of rules */
	struct command_pids pids;
	bool all;
	bool overwrite;
	bool int3;
	enum buffers buffers;
	bool shared;			/* the buffers, by all processes */
	bool yes;
};

enum {
	KEY_QUOTA = 256, KEY_CHANNEL, KEY_LEVEL, KEY_FUNCTIONS, KEY_DEPTH,
	KEY_MIN_TIME, KEY_GROUP, KEY_PROGRAM
};

static const struct option_row start_rows[] = {
	{ OPTION_PIDS(struct start_arguments, pids),
	  "pid", "PID", "in this process; repeatable" },
	{ OPTION_FLAG(0, struct start_arguments, all),
	  "all", NULL, "in all your processes, also later ones" },
	{ 'e', "event", "RULE", "trace markers that match (default: all); "
	  "repeatable" },
	{ KEY_PROGRAM, "program", "FILE", "with --all: rules for source lines "
	  "are also for this program, which may begin later" },
#define RULES_OBJECT struct start_arguments
#include "command/common/rules-options.def"
	{ OPTION_TEXT(0, struct start_arguments, from),
	  "from", "FILE", "as LTTng saved it (lttng save): its session "
	  "NAME, or all of them" },
	{ OPTION_FLAG(0, struct start_arguments, overwrite),
	  "overwrite", NULL, "when a buffer is full, overwrite "
	  "its oldest events" },
	{ OPTION_KEY(BUFFERS, enum buffers, 0, struct start_arguments, buffers),
	  "buffers", "OWNER", "with --all: shared: all processes have "
	  "the same buffers (default); process: each has its own" },
	{ KEY_QUOTA, "quota", "N", "limit its buffers in all processes to N "
	  "bytes; count further events as lost" },
	{ KEY_CHANNEL, "channel", "NAME:OPTIONS", "not supported yet" },
	{ 0 }
};

/*
 * Takes one option. Returns COMMAND_DONE, or COMMAND_USAGE after printing why:
 * a wrong word is found before any process is asked.
 */
static int take_option(void *object, int key, const char *value)
{
	struct start_arguments *a = object;
	int status;

	switch (key) {
	case 'e':
		if (a->nrules == RULES_MAX)
			return command_misused("more than %d rules", RULES_MAX);
		status = rule_take(&value);
		a->rules[a->nrules++] = value;
		return status;
	case KEY_QUOTA:
		if (command_parse_bytes(&a->quota, value))
			return command_misused("quota '%s' is not a number of "
					       "bytes, K, M or G", value);
		if (!a->quota)
			return command_misused("a quota of 0 leaves no room for "
					       "buffers; without --quota there "
					       "is no limit");
		return COMMAND_DONE;
	case KEY_PROGRAM:
		if (a->program)
			return command_misused("--program '%s' and '%s': give "
					       "one, and the others' rules by "
					       "enable --program", a->program,
					       value);
		a->program = value;
		return COMMAND_DONE;
	case KEY_GROUP:
		return command_take_group(&a->group, value);
	case KEY_LEVEL:
		return rule_take_level(&a->level, value);
	case KEY_FUNCTIONS:
		return rule_take_functions(&a->calls, value, a->nrules);
	case KEY_DEPTH:
		return rule_take_depth(&a->calls, value);
	case KEY_MIN_TIME:
		return rule_take_min_time(&a->calls, value);
	default:
		return command_misused("--channel is not supported yet");
	}
}

/*
 * Makes the request, which is the text of sessions/NAME, too; the caller
 * releases it. A key is left out where the option was: the agent, perhaps of a
 * later release, has the default.
 */
static void fill_request(struct client_request *request,
			 const struct start_arguments *a)
{
	client_request_add(request, "name", "%s", a->name);
	client_request_add(request, "mode", a->overwrite ? "overwrite" :
			   "discard");
	if (a->buffer)
		client_request_add(request, "buffer", "%llu",
				   (unsigned long long)a->buffer);
	if (a->quota)
		client_request_add(request, "quota", "%llu",
				   (unsigned long long)a->quota);
	if (a->keep)
		client_request_add(request, "keep", "%llums",
				   (unsigned long long)a->keep);
	if (a->group)
		client_request_add(request, "group", "%u", a->group);
	if (a->context)
		client_request_add(request, "context", "%s", a->context);
	if (a->shared)
		client_request_add(request, "buffers", "shared");
	if (a->int3)
		client_request_add(request, "int3", "1");
	rule_request(request, a->rules, a->nrules);
}

/*
 * Tells, and notes for later snapshots, that buffers will not outlive their
 * process. The note is in the user's runtime directory, which is made for it.
 */
static void tell_away(struct targets *targets, const char *name,
		      const struct rundir_process *process)
{
	if (!rundir_away(process))
		return;
	cause_report(BUFFERS_AWAY, .pid = process->pid);
	/* with -p there may be no directory yet */
	if (targets->dir.fd < 0)
		rundir_open(&targets->dir, true);
	if (rundir_note_away(&targets->dir, name, process))
		cause_report(AWAY_UNNOTED, .path = targets->dir.path);
}

/* The places that are not switched in the processes in which the session has
 * begun; start_main() tells them. */
static struct places places;

/*
 * Ends the session again in the first `count` targets, and takes back the rules
 * for programs that they would execute. Warns of a living one that does not
 * answer: the session stays there.
 */
static void take_back(struct targets *targets, const char *name, size_t count)
{
	struct client_request request = { 0 };
	char line[CAUSE_LINE_BYTES];

	client_request_add(&request, "name", "%s", name);
	for (size_t i = 0; i < count; i++) {
		struct target *target = &targets->targets[i];

		if (client_call(&target->client, MESSAGE_DESTROY, &request,
				NULL) && target->process->alive)
			command_warn("the session stays: %s",
				     cause_line(&target->client.cause, line));
		rundir_inheritance_remove(target->process, name);
	}
	client_request_release(&request);
}

/*
 * Starts a session in the processes that -p names: in each, or in none. So all
 * that can be checked beforehand is: the markers, the rules, the reach of a
 * group. After a failure the session is taken back where it has begun. Returns
 * an exit status.
 */
static int start_each(struct targets *targets, const struct start_arguments *a,
		      struct client_request *request)
{
	const struct rundir_process *process;
	int result = COMMAND_DONE;

	for (size_t i = 0; i < targets->count; i++)
		if (target_list(&targets->targets[i]))
			return cause_tell(&targets->targets[i].client.cause);
	/* LTTng takes rules for events that may come later */
	for (int i = 0; i < a->nrules && !a->from; i++)
		if (targets_check_rule(targets, a->rules[i]))
			return COMMAND_FAILED;
	targets_allow_some(targets, a->rules, a->nrules, request);
	for (size_t i = 0; i < targets->count; i++)
		if (command_check_reach(targets->targets[i].process->path,
					a->group))
			return COMMAND_FAILED;
	for (size_t i = 0; i < targets->count; i++) {
		struct target *target = &targets->targets[i];
		int ret = target_start(target, a->name, request, &places,
				       &result);

		if (!ret) {
			tell_away(targets, a->name, target->process);
			continue;
		}
		take_back(targets, a->name, i);
		process = target->process;
		if (ret == -EEXIST)
			return cause_report(SESSION_EXISTS, .pid = process->pid,
					    .subject = a->name);
		if (rundir_lives(process))
			return cause_tell(&target->client.cause);
		cause_report(PROCESS_ENDED, .pid = process->pid);
		/* it may have made files for the session, and even events */
		if (!rundir_drop_begun(process, a->name))
			cause_report(EVENTS_BEFORE, .pid = process->pid,
				     .subject = a->name);
		return COMMAND_FAILED;
	}
	/* rules that could not be checked before */
	if (!a->from && targets_check_begun(targets, a->rules, a->nrules,
					     &places)) {
		take_back(targets, a->name, targets->count);
		return COMMAND_FAILED;
	}
	if (targets_check_files(targets, a->rules, a->nrules))
		result = COMMAND_FAILED;
	return result;
}

/* Living processes in which `start --all` has not begun the session; "..."
 * stands for those that have no room in `pids`. */
struct missed {
	char pids[256];			/* the first ones */
	pid_t first;
	size_t count;
};

/*
 * Starts a session in the living processes, for `start --all`. One that fails
 * does not keep others from starting; one that has ended is not counted. Tells
 * where the session has not begun, and how to get the rest, in one line at the
 * end. Returns an exit status.
 */
static int start_living(struct targets *targets, const char *name,
			const struct client_request *request)
{
	struct missed missed = { 0 }, lost = { 0 };
	char number[16], where[64], later[128] = "";
	int result = COMMAND_DONE;
	struct missed *to;
	size_t n, begun = 0;

	for (size_t i = 0; i < targets->count; i++) {
		struct target *target = &targets->targets[i];
		int ret;

		if (!target->process->alive)
			continue;
		ret = target_connect(target);
		if (ret && !target->process->alive)
			continue;
		if (!ret)
			ret = target_start(target, name, request, &places,
					   &result);
		if (ret && !rundir_lives(target->process)) {
			rundir_drop_begun(target->process, name);
			continue;
		}
		/* -EEXIST: it has just read our file, and started the
		 * session */
		if (!ret || ret == -EEXIST) {
			tell_away(targets, name, target->process);
			begun++;
			continue;
		}
		result = cause_tell(&target->client.cause);
		/* never, when it has given up a right that the start needs, its
		 * user or its root directory, or has a filter */
		to = ret == -EACCES || ret == -EPERM || ret == -ENOENT ||
		     ret == -EINVAL ? &lost : &missed;
		n = strlen(to->pids);
		snprintf(number, sizeof(number), "%s%d", n ? ", " : "",
			 target->process->pid);
		if (!to->count++)
			to->first = target->process->pid;
		if (n + strlen(number) + strlen(", ...") < sizeof(to->pids))
			strcat(to->pids, number);
		else if (n && to->pids[n - 1] != '.')
			strcat(to->pids, ", ...");
	}
	if (!missed.count && !lost.count)
		return result;
	snprintf(where, sizeof(where), "%s", begun ?
		 counted(begun, "other process") : "no process");
	if (missed.count)
		snprintf(later, sizeof(later), "when that is mended, 'taffrail "
			 "start %s -p %d' with the same options adds it; ",
			 name, missed.first);
	command_warn("session '%s' has begun in %s, and begins in later ones, "
		     "but %s%s%s%s%s%s: %s'taffrail destroy %s' ends it "
		     "everywhere", name, where, missed.count ? "not in " : "",
		     missed.count ? agreed(missed.count, "process ",
					   "processes ") : "",
		     missed.pids, missed.count && lost.count ? ", and " : "",
		     lost.count ? agreed(lost.count, "cannot in process ",
					 "cannot in processes ") : "",
		     lost.pids, later, name);
	return result;
}

/*
 * Starts a session in all processes, also later ones. The rules are written
 * before the processes are listed again, so each process either reads the file
 * or is in the list; one that does both answers -EEXIST. The
 * request is filled in when lines have been looked up. Returns an exit status.
 */
static int start_all(struct targets *targets, const struct start_arguments *a,
		     struct client_request *request)
{
	struct rundir_rings rings = {
		.flags = a->overwrite ? SESSION_OVERWRITE : 0,
		.bytes = a->buffer, .quota = a->quota,
	};
	struct client_request word = { 0 };
	char names[CHANNELS_MAX * SESSION_NAME_BYTES + 64];
	char *text = NULL;
	bool taken = targets->dir.fd >= 0 &&
		     !rundir_read_rules(&targets->dir, a->name, &text);
	int ret, lock = -ENOTSUP;

	if (taken)
		free(text);
	for (size_t i = 0; i < targets->count && !taken; i++)
		taken = targets->targets[i].process->alive &&
			target_has(&targets->targets[i], a->name);
	if (taken)
		return cause_report(SESSION_EXISTS, .subject = a->name);
	if (targets->dir.fd < 0 && rundir_open(&targets->dir, true))
		return cause_tell(&targets->dir.cause);
	if (command_check_reach(targets->dir.path, a->group) ||
	    targets_consent(targets, a->rules, a->nrules, a->program, a->yes))
		return COMMAND_FAILED;
	fill_request(request, a);
	/* later processes could not take part in one more */
	if (later_sessions(&targets->dir, names, sizeof(names)) >=
	    CHANNELS_MAX)
		return cause_report(SESSIONS_MANY, .n = CHANNELS_MAX,
				    .text = names);
	if (a->shared)
		lock = rundir_make_shared(&targets->dir, a->name, &rings);
	if (a->shared && targets->dir.cause.id &&
	    (a->buffers == BUFFERS_SHARED || lock != -ENOTSUP))
		cause_tell(&targets->dir.cause);
	if (lock == -EEXIST)
		return COMMAND_FAILED;
	/* else each process makes buffers */
	ret = lock < 0 && lock != -ENOTSUP ? lock : 0;
	fill_request(&word, a);
	client_request_add(&word, "all", "1");
	if (!ret)
		ret = word.failed ? word.failed :
		      rundir_write_rules(&targets->dir, a->name, word.text);
	client_request_release(&word);
	if (lock >= 0)
		close(lock);
	if (ret && lock >= 0)
		rundir_remove_shared(&targets->dir, a->name);
	if (ret)
		return cause_report(RULES_UNWRITTEN, .subject = a->name,
				    .error = ret, .path = targets->dir.path);
	/* a process in which one rule is wrong takes the others */
	client_request_add(request, "all", "1");
	/* list again: a process that began before the file was written is now
	 * in the list */
	targets_close(targets);
	if (targets_open(targets, 0))
		return COMMAND_FAILED;
	ret = start_living(targets, a->name, request);
	if (!a->from)
		targets_tell_unmet(targets, a->rules, a->nrules, &places);
	return targets_check_files(targets, a->rules, a->nrules) ?
		       COMMAND_FAILED : ret;
}

/* Loads the agent into the processes that have none, as record does. Returns
 * COMMAND_DONE, or another status after printing why. */
static int agents_provide(const struct command_pids *pids)
{
	struct rundir_process process;
	struct cause cause;
	int status = COMMAND_DONE;

	for (int i = 0; i < pids->count && status == COMMAND_DONE; i++) {
		int ret = rundir_find(&process, pids->pids[i], &cause);

		rundir_process_close(&process);
		/* targets_open_each() tells the other causes */
		if (!ret || cause.id == CAUSE_AGENT_NONE ||
		    cause.id == CAUSE_AGENT_ASLEEP ||
		    cause.id == CAUSE_AGENT_UNSTARTED ||
		    cause.id == CAUSE_AGENT_FORKED)
			status = attach_provide(pids->pids[i], NULL);
	}
	return status;
}

/* Checks that a name is not one of Taffrail's own sessions. Returns
 * COMMAND_DONE, or COMMAND_USAGE after printing why. */
static int name_free(const char *name)
{
	/* sessions that gdb, gdbserver, TAFFRAIL_ENABLE and callbacks make */
	static const char *const ours[] = { "gdb", "gdbserver", "env",
					    LOAD_SESSION };
	static const char record[] = "record-";
	const char *number;

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		if (!strcmp(name, ours[i]))
			return command_misused("Taffrail itself makes sessions "
					       "'%s': give another name", name);
	number = strncmp(name, record, strlen(record)) ?
			 "" : name + strlen(record);
	if (*number && !number[strspn(number, "0123456789.")])
		return command_misused("taffrail record makes sessions '%s': "
				       "give another name", name);
	if (visit_named(name))
		return command_misused("view, top and report make sessions "
				       "'%s': give another name", name);
	return COMMAND_DONE;
}

/* Starts one session. Returns an exit status. */
static int session_begin(struct start_arguments *a)
{
	struct client_request request = { 0 };
	struct forked forked;
	struct targets targets;
	struct named_in in = { .pids = a->pids.pids,
			       .npids = (size_t)a->pids.count, .given = true };
	char file[PATH_MAX];
	int ret = 0;
	int status = COMMAND_DONE;

	if (a->buffers == BUFFERS_SHARED && !a->all)
		return command_misused("--buffers shared is for --all");
	if (a->program && !a->all)
		return command_misused("--program is for --all");
	if (a->program)
		ret = installed_program(file, sizeof(file), a->program);
	if (a->program && !ret && access(file, R_OK))
		ret = -errno;
	if (ret)
		return command_failed("%s: %s", a->program, strerror(-ret));
	if (a->all)
		status = command_choose_buffers(&a->shared, a->buffers,
						a->context, a->keep, a->group);
	else
		status = functions_consent(a->rules, a->nrules, &in, a->yes) ?:
			 agents_provide(&a->pids);
	if (status)
		return status;
	forked_count(&forked, &a->pids);
	if (!a->all)
		fill_request(&request, a);
	/* a process in which one rule is wrong takes the others */
	if (a->from && !a->all)
		client_request_add(&request, "all", "1");
	if (targets_open_each(&targets, a->pids.pids, (size_t)a->pids.count,
			      NULL))
		status = COMMAND_FAILED;
	else
		status = a->all ? start_all(&targets, a, &request) :
			 start_each(&targets, a, &request);
	if (status == COMMAND_DONE)
		forked_tell(&forked, &a->pids);
	if (places_tell(&places))
		status = COMMAND_FAILED;
	targets_close(&targets);
	client_request_release(&request);
	return status;
}

/* Starts a session as LTTng has it; an option that was given goes before the
 * file. Returns an exit status, which may be a failure of a session that has
 * begun: a part of it is left out. */
static int saved_begin(struct start_arguments a,
		       const struct saved_session *session, bool *begun)
{
	char *rules[RULES_MAX];
	bool failed = false;
	int status = name_free(session->name) ?:
		     targets_check_name(session->name);
	int n;

	if (status)
		return status;
	n = saved_rules(session, rules, RULES_MAX, &failed);
	if (n < 0)
		return COMMAND_FAILED;
	for (a.nrules = 0; a.nrules < n; a.nrules++)
		a.rules[a.nrules] = rules[a.nrules];
	a.name = session->name;
	saved_settings(session, &a.overwrite, &a.buffer, &a.context);
	if (a.keep && !a.overwrite)
		status = command_misused("--keep is for sessions with "
					 "--overwrite, and '%s' has none",
					 a.name);
	else
		status = session_begin(&a);
	*begun = !status;
	while (n--)
		free(rules[n]);
	return status ? status : failed ? COMMAND_FAILED : COMMAND_DONE;
}

/* Writes the names of a file's sessions, as far as there is room. */
static void saved_names(const struct saved *saved, char *out, size_t room)
{
	struct text text;

	text_open(&text, out, room);
	for (size_t i = 0; i < saved->nsessions; i++) {
		text_add(&text, i ? ", " : "");
		text_add(&text, saved->sessions[i].name);
	}
}

/* Starts the sessions of a file, or the one of that name. Returns an exit
 * status: that of the last one that failed. */
static int start_saved(const struct start_arguments *a)
{
	char names[CAUSE_TEXT_BYTES], others[CAUSE_TEXT_BYTES];
	struct saved saved;
	struct cause cause;
	int status = COMMAND_DONE, ret;
	struct text begun, rest, *to;
	bool found = false, begins;

	text_open(&begun, names, sizeof(names));
	text_open(&rest, others, sizeof(others));
	if (saved_read(&saved, a->from, &cause)) {
		saved_release(&saved);
		return cause_tell(&cause);
	}
	for (size_t i = 0; i < saved.nsessions; i++) {
		if (a->name && strcmp(a->name, saved.sessions[i].name))
			continue;
		found = true;
		begins = false;
		ret = saved_begin(*a, &saved.sessions[i], &begins);
		status = ret ? ret : status;
		to = begins ? &begun : &rest;
		text_add(to, to->used ? ", '" : "'");
		text_add(to, saved.sessions[i].name);
		text_add(to, "'");
	}
	if (begun.used && rest.used)
		command_warn("%s: session %s has begun; not, or not in every "
			     "process: %s", a->from, names, others);
	if (!found) {
		saved_names(&saved, names, sizeof(names));
		status = cause_report(SAVED_NONE, .path = a->from,
				      .subject = a->name, .text = names);
	}
	saved_release(&saved);
	return status;
}

int start_main(int argc, char **argv)
{
	struct start_arguments a = { 0 };
	struct options options = {
		.argc = argc, .argv = argv, .rows = start_rows,
		.shape = "(NAME | --from FILE [NAME]) (-p PID | --all)",
		.about = "Start a tracing session called NAME.",
	};
	int status;
	pid_t pid;

	if (!options_take(&options, &a, take_option))
		return options.status;
	/* a hint for a word that is neither a name nor an option */
	for (int i = options.index + !a.from; i < argc; i++) {
		if (!command_parse_pid(&pid, argv[i]))
			return command_misused("'%s': for a process, put -p "
					       "before its number", argv[i]);
		if (*argv[i] == '.' || *argv[i] == '/')
			return command_misused("'%s': start works on processes "
					       "that run (-p PID, --all); "
					       "taffrail record starts a "
					       "program", argv[i]);
	}
	if (argc - options.index > 1 || (argc == options.index && !a.from))
		return command_misused("give the session one name; rules "
				       "follow -e");
	a.name = argc > options.index ? argv[options.index] : NULL;
	status = a.from ? COMMAND_DONE : name_free(a.name);
	if (status)
		return status;
	if (a.from && (a.nrules || a.level || a.calls.count))
		return command_misused("give either --from, or -e, --level and "
				       "--functions: the file has rules");
	if (!a.all == !a.pids.count)
		return command_misused("give either -p PID or --all");
	if (a.keep && !a.overwrite && !a.from)
		return command_misused("--keep is for sessions with "
				       "--overwrite");
	if (a.from)
		return start_saved(&a);
	if (a.level)
		status = rule_limit(a.rules, &a.nrules, "level", a.level);
	if (!status)
		status = rule_add_calls(&a.calls, a.rules, &a.nrules,
					RULES_MAX);
	if (status)
		return status;
	/* last, so the hints above are for names that are wrong, too */
	status = targets_check_name(a.name);
	return status ? status : session_begin(&a);
}
