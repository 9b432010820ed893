/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail enable, disable: the rules of sessions in running processes, and in
 * later ones.
 *
 * Invariant: a rule that selects nothing is an error before
 * anything is changed.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/glob.h"
#include "command/agents/deferred.h"
#include "command/agents/handed.h"
#include "command/agents/layouts.h"
#include "command/agents/places.h"
#include "command/agents/rule.h"
#include "command/agents/targets.h"
#include "command/common/command.h"
#include "command/common/installed.h"
#include "command/common/nearest.h"
#include "command/elf/line-rules.h"
#include "command/load/libraries.h"
#include "command/procfs/process.h"
#include "tracepoints/conditions/rule-split.h"

struct rule_options {
	pid_t pid;
	const char *level;		/* or NULL; then the condition */
	const char *program;		/* enable: has the lines, or NULL */
	bool yes;
};

static const struct option_row enable_rows[] = {
	{ OPTION_PID(struct rule_options, pid), "pid", "PID",
	  "in this process only" },
	{ OPTION_TEXT(0, struct rule_options, level), "level", "LEVEL",
	  "markers of this level and more severe ones; =LEVEL: of this one" },
	{ OPTION_TEXT(0, struct rule_options, program), "program", "FILE",
	  "a rule for a source line is also for this program, which may begin "
	  "later" },
	{ OPTION_FLAG(0, struct rule_options, yes), "yes", NULL,
	  COMMAND_YES_HELP },
	{ 0 }
};
static const struct option_row disable_rows[] = {
	{ OPTION_PID(struct rule_options, pid), "pid", "PID",
	  "in this process only" },
	{ 0 }
};

/* Returns true when sessions/NAME has rules for later processes. */
static bool has_later(struct targets *targets, const char *name)
{
	char *text;
	bool has = !targets->named && targets->dir.fd >= 0 &&
		   !rundir_read_rules(&targets->dir, name, &text);

	if (has)
		free(text);
	return has;
}

/* Changes the rules for later processes, which sessions/NAME has. Returns 0; 1
 * when there is no file, or -p names a process; or a negative errno after
 * printing it. */
static int change_later(struct targets *targets, const char *name,
			const char *rule, enum rule_change change)
{
	char *text, *edited;
	int ret;

	if (targets->named || targets->dir.fd < 0 ||
	    rundir_read_rules(&targets->dir, name, &text))
		return 1;
	edited = inheritance_edit(text, rule, change);
	ret = edited ? rundir_write_rules(&targets->dir, name, edited) :
		       -ENOMEM;
	if (ret)
		cause_report(RULES_UNWRITTEN, .subject = name, .error = ret,
			     .path = targets->dir.path);
	free(edited);
	free(text);
	return ret;
}

/* What a change has come to. */
struct outcome {
	size_t changed, refused;	/* targets: refused for the rule */
	uint64_t matched;		/* markers of the others */
};

/*
 * Sends the rule to each target, also for programs that the process executes
 * later, and adds the places that are not switched, and to *outcome. A target
 * that has no such session any more, or has ended, is no failure. Returns an
 * exit status.
 */
static int change_living(struct targets *targets, enum rule_change change,
			 const char *name, const char *rule,
			 struct places *places, struct outcome *outcome)
{
	struct client_request request = { 0 };
	struct client_answer answer;
	int result = COMMAND_DONE;

	client_request_add(&request, "name", "%s", name);
	rule_request(&request, &rule, 1);
	for (size_t i = 0; i < targets->count; i++) {
		struct target *target = &targets->targets[i];
		int ret;

		inheritance_unblock(target->process, &request);
		ret = client_call(&target->client, change == RULE_ON ?
				  MESSAGE_ENABLE : MESSAGE_DISABLE, &request,
				  &answer);
		target->changed = !ret;
		outcome->changed += !ret;
		outcome->refused += ret == -EINVAL;
		outcome->matched += ret ? 0 : client_answer_number(&answer,
								   "matched");
		client_answer_release(&answer);
		if (!ret)
			inheritance_change(target->process, name, rule, change,
					   &result);
		if (!ret && change == RULE_ON)
			places_take_living(places, target->process, name, rule);
		if (ret && ret != -ENOENT && !target_ends(target))
			result = cause_tell(&target->client.cause);
	}
	client_request_release(&request);
	return result;
}

static bool is_target(const struct targets *targets,
		      const struct rundir_process *process)
{
	for (size_t i = 0; i < targets->count; i++)
		if (!strcmp(targets->targets[i].process->name, process->name))
			return true;
	return false;
}

/* As change_living(), for the processes that have begun since the targets were
 * listed, or had not begun the session then: they may have read the file before
 * it was changed. */
static int change_begun(const struct targets *before, enum rule_change change,
			const char *name, const char *rule,
			struct places *places, struct outcome *outcome)
{
	struct targets targets;
	int result = COMMAND_DONE;
	size_t left = 0;

	deferred_settle();
	if (targets_open(&targets, 0))
		result = COMMAND_FAILED;
	for (size_t i = 0; i < targets.count; i++) {
		struct target target = targets.targets[i];

		/* our children have filters, and no use of the rule */
		if (!target.process->alive ||
		    is_target(before, target.process) ||
		    process_status(target.process->pid, "PPid") == getpid())
			continue;
		/* one that is at its start answers when it has the session */
		if (!target_connect(&target))
			targets.targets[left++] = target;
		else if (target_has(&target, name) && !target_ends(&target))
			result = cause_tell(&target.client.cause);
	}
	targets.count = left;
	if (change_living(&targets, change, name, rule, places, outcome))
		result = COMMAND_FAILED;
	targets_close(&targets);
	return result;
}

/* The files of a session before a change: that for later processes, and those
 * of the targets, for programs that they execute; or NULL. */
struct files {
	char *later;
	char **heirs;
};

static void files_read(struct files *files, struct targets *targets,
		       const char *name)
{
	files->later = NULL;
	files->heirs = calloc(targets->count + 1, sizeof(*files->heirs));
	if (!targets->named && targets->dir.fd >= 0 &&
	    rundir_read_rules(&targets->dir, name, &files->later))
		files->later = NULL;
	for (size_t i = 0; files->heirs && i < targets->count; i++)
		if (rundir_inheritance_read(targets->targets[i].process, name,
					    &files->heirs[i]))
			files->heirs[i] = NULL;
}

static void files_free(struct files *files, const struct targets *targets)
{
	for (size_t i = 0; files->heirs && i < targets->count; i++)
		free(files->heirs[i]);
	free(files->heirs);
	free(files->later);
}

/* Takes a rule back that enable has brought: the files are as before, and where
 * one had a rule with the same glob, so has the process. */
static void take_back(const struct files *files, struct targets *targets,
		      const char *name, const char *rule)
{
	char file[NAME_MAX + 1];

	if (files->later)
		rundir_write_rules(&targets->dir, name, files->later);
	for (size_t i = 0; i < targets->count; i++) {
		struct client_request request = { 0 };
		struct target *target = &targets->targets[i];
		const char *heirs = files->heirs ? files->heirs[i] : NULL;
		const char *text = heirs ?: files->later;
		enum rule_change change;

		if (!target->changed)
			continue;
		client_request_add(&request, "name", "%s", name);
		change = text ? inheritance_rule(text, rule, &request) :
				RULE_BACK;
		if (change == RULE_BACK) {
			client_request_add(&request, "rule", "%s", rule);
			client_request_add(&request, "back", "1");
		}
		client_call(&target->client, change == RULE_ON ?
			    MESSAGE_ENABLE : MESSAGE_DISABLE, &request, NULL);
		client_request_release(&request);
		if (heirs)
			rundir_inheritance_write(target->process, name, heirs,
						 file);
	}
}

#define OFF_MAX		64	/* as many as a session has rules */

/* Returns true when one of the rules in a file is this one, types and condition
 * aside; frees the text. */
static bool off_is_in(char *text, const char *rule)
{
	size_t bytes = strlen(rule);
	const char *p = text;

	while ((p = strstr(p, "rule=")) &&
	       (strncmp(p += 5, rule, bytes) || !strchr("\n (", p[bytes])))
		;
	free(text);
	return p;
}

/*
 * Finds the rules that disable means by rules[0], which was typed like `typed`:
 * those for lines that list prints so; "*" means functions and lines, too.
 * Returns COMMAND_DONE; or COMMAND_FAILED after saying that no marker has it,
 * or no function or line of a session.
 */
static int off_find(struct targets *targets, const char *name,
		    const char *typed, const char *rules[OFF_MAX + 2],
		    int *count)
{
	bool markers = rule_kind(rules[0]) == RULE_MARKERS, meant = false;
	bool prefix = !strncmp(typed, "line/", 5) || !strncmp(typed, "line:", 5);
	bool all = !strcmp(typed, "*"), functions = false;
	bool glob = prefix || all || strchr(typed, ':'), marked = false;
	struct nearest nearest = { .rule = typed += prefix ? 5 : 0 };
	const char *rule = rules[0];
	char near[CAUSE_TEXT_BYTES], *text;
	int n = 0, i;

	for (size_t k = 0; k < targets->count; k++) {
		const struct target *target = &targets->targets[k];

		if (!rundir_inheritance_read(target->process, name, &text))
			meant |= off_is_in(text, rule);
		for (size_t j = 0; j < target->markers.count; j++) {
			const struct marker *m = &target->markers.markers[j];
			const char *id = strchr(m->id, '/') + 1;

			nearest_add(&nearest, m->id);
			if (!m->spot && !m->function)
				marked |= rule_matches(markers ? rule : typed,
						       m->id, NULL);
			else if (!markers)
				meant |= rule_matches(rule, m->id, m->module);
			functions |= all && m->function;
			for (i = 0; i < n && strcmp(rules[i], id); i++)
				;
			if (m->spot && i == n && n < OFF_MAX && glob &&
			    glob_match(typed, id))
				rules[n++] = id;
		}
	}
	if (targets->dir.fd >= 0 &&
	    !rundir_read_rules(&targets->dir, name, &text))
		meant |= off_is_in(text, rule);
	meant |= !targets->count;
	meant |= marked || n || functions;
	if (functions)
		rules[n++] = "fn:*/*";
	if (!n || (marked && !all))
		rules[n = 0, n++] = rule;
	/* "fn/NAME" may also be a marker */
	if (marked && rules[0] != typed && (all || !markers))
		rules[n++] = typed;
	*count = n;
	if (meant)
		return COMMAND_DONE;
	if (markers)
		return targets_check_rule(targets, rule);
	nearest_text(&nearest, near, sizeof(near));
	return cause_report(RULE_NOT_ON, .subject = typed, .text = near);
}

/*
 * Changes a rule in the living processes that have the session, and in the file
 * for later ones. The order: all agents answer, the rule is checked against
 * their markers, then the file, then the processes, also new ones. A rule that
 * could not be checked before, and selects nothing now, is taken back. Returns
 * an exit status.
 */
static int change_rule(struct targets *targets, enum message_type type,
		       const char *name, const char *typed, const char *rule,
		       const struct rule_options *o)
{
	enum rule_change change = type == MESSAGE_ENABLE ? RULE_ON : RULE_OFF;
	const char *rules[OFF_MAX + 2] = { rule };
	struct places places = { 0 };
	int count = 1, result = COMMAND_DONE;
	bool exists = false;
	struct outcome outcome = { 0 };
	struct files files;
	size_t left = 0;
	int later, ret;

	/* keeps the targets that live and have the session */
	for (size_t i = 0; i < targets->count; i++) {
		struct target target = targets->targets[i];

		if (!target_has(&target, name))
			continue;
		exists = true;
		if (!target.process->alive)
			continue;
		ret = target_list(&target);
		if (!ret) {
			targets->targets[left++] = target;
			continue;
		}
		if (!target_ends(&target))
			result = cause_tell(&target.client.cause);
		client_close(&target.client);
		marker_list_free(&target.markers);
	}
	targets->count = left;
	if (layouts_tell(&targets->list, name, "not changed"))
		result = COMMAND_FAILED;
	/* else its rule would be at fault */
	if (!targets->count && !result && !has_later(targets, name))
		return exists ? command_failed("no living process has session "
					       "'%s'", name) :
				targets_no_session(targets, name);
	if (type == MESSAGE_DISABLE ?
	    off_find(targets, name, typed, rules, &count) :
	    (targets->count && targets_check_rule(targets, rule)) ||
	    targets_consent(targets, &rule, 1, o->program, o->yes))
		return COMMAND_FAILED;
	files_read(&files, targets, name);
	for (int i = 0; i < count; i++) {
		rule = rules[i];
		later = change_later(targets, name, rule, change);
		if (later < 0)
			result = COMMAND_FAILED;
		if (!targets->count && later == 1 && !result) {
			files_free(&files, targets);
			return targets_no_session(targets, name);
		}
		if (change_living(targets, change, name, rule, &places,
				  &outcome))
			result = COMMAND_FAILED;
		if (!targets->named && !later &&
		    change_begun(targets, change, name, rule, &places,
				 &outcome))
			result = COMMAND_FAILED;
	}
	if (type == MESSAGE_ENABLE && targets_check_files(targets, &rule, 1))
		result = COMMAND_FAILED;
	/* where those have refused it that have such markers, they have told
	 * why */
	if (type == MESSAGE_ENABLE &&
	    ((outcome.refused && !outcome.matched) ||
	     (outcome.changed ?
		      targets_check_begun(targets, &rule, 1, &places) :
		      targets->unread && result))) {
		take_back(&files, targets, name, rule);
		result = COMMAND_FAILED;
	}
	files_free(&files, targets);
	if (places_tell(&places))
		result = COMMAND_FAILED;
	return result;
}

/* Both sub-commands: `type` tells which. The name "callbacks" stands for the
 * connected callbacks, which are in no session. */
static int rule_main(int argc, char **argv, enum message_type type)
{
	struct targets targets;
	struct options options = {
		.argc = argc, .argv = argv,
		.rows = type == MESSAGE_ENABLE ? enable_rows : disable_rows,
		.shape = "NAME RULE",
		.about = type == MESSAGE_ENABLE ?
			 "Switch on the markers that RULE selects in session "
			 "NAME. With 'callbacks'\nas NAME: call the callbacks "
			 "that are connected to RULE." :
			 "Switch off the markers that RULE selects in session "
			 "NAME. With 'callbacks'\nas NAME: do not call the "
			 "callbacks that are connected to RULE.\n"
			 "Returns when no thread is in one of them any more.",
	};
	struct rule_options o = { 0 };
	const char *rule, *typed, *end;
	int count = 1, status;
	char *function, file[PATH_MAX];
	bool callbacks;
	size_t bytes;

	if (!options_take(&options, &o, NULL))
		return options.status;
	status = o.level ? rule_take_level(&o.level, o.level) : COMMAND_DONE;
	if (status)
		return status;
	if (o.program && o.pid)
		return command_misused("--program is for later processes, and "
				       "-p names one");
	if (o.program && (installed_program(file, sizeof(file), o.program) ||
			  access(file, R_OK)))
		return command_failed("%s: %s", o.program, strerror(errno));
	if (argc - options.index != 2)
		return command_misused("give a session's name (or callbacks) "
				       "and one rule; a rule with blanks "
				       "stands in quotes");
	rule = typed = argv[options.index + 1];
	callbacks = !strcmp(argv[options.index], LOAD_SESSION);
	/* a function, as list prints it: of any module */
	if (type == MESSAGE_DISABLE && !callbacks && !strncmp(rule, "fn/", 3)) {
		end = strstr(rule, RULE_RETURN) ?: rule + strlen(rule);
		if (asprintf(&function, "fn:*/'%.*s'%s", (int)(end - rule) - 3,
			     rule + 3, end) < 0)
			return cause_report(OUT_OF_MEMORY);
		rule = function;
	}
	status = targets_check_name(argv[options.index]);
	if (!status)
		status = rule_take(&rule);
	if (!status && o.level)
		status = rule_limit(&rule, &count, "level", o.level);
	if (!status && type == MESSAGE_DISABLE && !callbacks &&
	    rule_condition(rule, &bytes))
		status = command_failed("disable takes a rule without a "
					"condition: a marker is on or off");
	if (status)
		return status;
	if (callbacks)
		return load_enable(o.pid, rule, type == MESSAGE_ENABLE);
	if (targets_open(&targets, o.pid))
		status = COMMAND_FAILED;
	else
		status = change_rule(&targets, type, argv[options.index],
				     typed, rule, &o);
	targets_close(&targets);
	return status;
}

int enable_main(int argc, char **argv)
{
	return rule_main(argc, argv, MESSAGE_ENABLE);
}

int disable_main(int argc, char **argv)
{
	return rule_main(argc, argv, MESSAGE_DISABLE);
}
