/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail connect, taffrail disconnect; taffrail enable and disable of
 * callbacks.
 *
 * Invariant: a rule that selects no marker of the process is refused before
 * anything is changed there.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command/agents/places.h"
#include "command/agents/rule.h"
#include "command/agents/targets.h"
#include "command/attach/attach.h"
#include "command/common/command.h"
#include "command/common/counted.h"
#include "command/load/libraries.h"
#include "tracepoints/conditions/rule-split.h"

/* Reads options and operands; the only option is --enable. The words of the
 * wish are those of the command line. Returns a status of enum command_exit;
 * after --help, wish->pid is 0. */
static int take_words(struct options *options, struct load_wish *wish)
{
	char **operands;

	if (!options_take(options, wish, NULL))
		return options->status;
	operands = options->argv + options->index;
	if (options->argc - options->index < 3)
		return command_misused("give a process id, a rule and "
				       "LIB:FUNCTION; a rule with blanks "
				       "stands in quotes");
	wish->rule = operands[1];
	if (rule_take(&wish->rule))
		return COMMAND_USAGE;
	if (rule_kind(wish->rule) == RULE_FUNCTIONS)
		return command_misused("rule '%s': functions have no callbacks",
				       wish->rule);
	if (rule_kind(wish->rule) == RULE_LINE)
		return command_misused("rule '%s': lines have no callbacks",
				       wish->rule);
	if (!strchr(operands[2], ':'))
		return command_misused("'%s' is not LIB:FUNCTION", operands[2]);
	wish->function = operands[2];
	wish->words = operands + 3;
	if (command_parse_pid(&wish->pid, operands[0])) {
		wish->pid = 0;
		return command_misused_pid(operands[0], "give one of them");
	}
	return COMMAND_DONE;
}

/* Adds the lines that connect and disconnect have in common. */
static void wish_add(struct client_request *request,
		     const struct load_wish *wish, const char *what)
{
	client_request_add(request, "do", "%s", what);
	client_request_add(request, "rule", "%s", wish->rule);
	client_request_add(request, "function", "%s", wish->function);
}

void load_add_connect(struct client_request *request,
		      const struct load_wish *wish)
{
	wish_add(request, wish, "connect");
	for (char **word = wish->words; *word; word++)
		client_request_add(request, "word", "%s", *word);
	if (wish->enable)
		client_request_add(request, "enable", "1");
}

int load_connect(const struct load_wish *wish, uint64_t *markers)
{
	struct client_request request = { 0 };
	struct load_answer answer;
	struct targets targets;
	int ret = targets_open(&targets, wish->pid);

	if (!ret) {
		ret = target_list(targets.targets);
		if (ret)
			cause_tell(&targets.targets->client.cause);
		else
			ret = targets_check_rule(&targets, wish->rule);
	}
	targets_close(&targets);
	if (ret)
		return COMMAND_FAILED;
	load_add_connect(&request, wish);
	if (load_ask(wish->pid, false, &request, &answer))
		return COMMAND_FAILED;
	if (answer.status == -ECANCELED)
		ret = command_failed("%s does not connect: %.*s",
				     wish->function,
				     (int)strcspn(answer.text, "\n"),
				     answer.text);
	*markers = (uint64_t)load_number(&answer, "markers");
	load_answer_free(&answer);
	return ret;
}

/* Tells which places that the rule names call nothing, and why. Returns
 * COMMAND_DONE, or COMMAND_FAILED if there are some. */
static int tell_places(pid_t pid, const char *rule)
{
	struct client_answer answer = { 0 };
	struct session_page page = { 0 };
	struct places places = { 0 };
	const char *key, *value;
	struct targets targets;
	size_t position = 0;
	int ret = targets_open(&targets, pid);

	if (!ret)
		ret = target_connect(targets.targets);
	if (!ret)
		ret = client_call(&targets.targets->client, MESSAGE_STATUS,
				  NULL, &answer);
	/* one that has ended meanwhile has no places */
	while (!ret && client_answer_next(&answer, &position, &key, &value))
		places_page_add(&page, key, value);
	places_take(&places, pid, &page, rule);
	client_answer_release(&answer);
	targets_close(&targets);
	return places_tell(&places);
}

/* Fails also when the callback is connected, and places that the rule names do
 * not call it. */
int connect_main(int argc, char **argv)
{
	static const struct option_row rows[] = {
		{ OPTION_FLAG('e', struct load_wish, enable),
		  "enable", NULL, "have it called from now on" },
		{ 0 }
	};
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows,
		.shape = "PID RULE LIB:FUNCTION [NAME=VALUE]...",
		.about = "Connect a callback of a probe library to the markers "
			 "that RULE selects. It is\ncalled once it is enabled: "
			 "taffrail enable callbacks RULE -p PID.",
	};
	struct load_wish wish = { 0 };
	uint64_t markers;
	int ret = take_words(&options, &wish);

	if (ret || !wish.pid)
		return ret;
	/* a forked child may have an agent that is asleep */
	if (load_check_process(wish.pid) || attach_provide(wish.pid, NULL) ||
	    load_connect(&wish, &markers))
		return COMMAND_FAILED;
	if (wish.enable)
		printf("process %d: %s enabled on %s\n", wish.pid,
		       wish.function, counted(markers, "marker"));
	else
		printf("process %d: %s connected\n", wish.pid, wish.function);
	if (wish.enable && tell_places(wish.pid, wish.rule))
		ret = COMMAND_FAILED;
	return command_finish() ? COMMAND_FAILED : ret;
}

int disconnect_main(int argc, char **argv)
{
	static const struct option_row rows[] = { { 0 } };
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows,
		.shape = "PID RULE LIB:FUNCTION",
		.about = "Take a callback of a probe library from the markers "
			 "that it is connected to.\nReturns when no thread is "
			 "in it.",
	};
	struct client_request request = { 0 };
	struct load_answer answer;
	struct load_wish wish = { 0 };
	int ret = take_words(&options, &wish);

	if (ret || !wish.pid)
		return ret;
	if (*wish.words)
		return command_misused("one function at a time: '%s' is too "
				       "many", *wish.words);
	wish_add(&request, &wish, "disconnect");
	if (load_ask(wish.pid, false, &request, &answer))
		return COMMAND_FAILED;
	load_tell_missed(wish.pid, &answer);
	load_answer_free(&answer);
	return COMMAND_DONE;
}

/* Returns 1 when the process has callbacks, 0 when it has none or has ended; or
 * -1 after printing why it does not tell. A process without callbacks gets no
 * request. */
static int has_callbacks(struct target *target)
{
	struct client_answer answer = { 0 };
	const char *key, *value;
	size_t position = 0;
	int found = 0;

	if (!target->process->alive)
		return 0;
	if (target_connect(target) ||
	    client_call(&target->client, MESSAGE_STATUS, NULL, &answer)) {
		if (!rundir_lives(target->process))
			return 0;
		cause_tell(&target->client.cause);
		return -1;
	}
	while (client_answer_next(&answer, &position, &key, &value))
		found |= !strcmp(key, "callback");
	client_answer_release(&answer);
	client_close(&target->client);
	return found;
}

int load_enable(pid_t pid, const char *rule, bool enable)
{
	struct targets targets;
	int result = COMMAND_DONE;
	long total = 0;

	if (targets_open(&targets, pid))
		result = COMMAND_FAILED;
	for (size_t i = 0; i < targets.count; i++) {
		struct client_request request = { 0 };
		pid_t target = targets.targets[i].process->pid;
		int has = has_callbacks(&targets.targets[i]);
		struct load_answer answer;
		long count;

		if (has < 0)
			result = COMMAND_FAILED;
		if (has <= 0)
			continue;
		client_request_add(&request, "do",
				   enable ? "enable" : "disable");
		client_request_add(&request, "rule", "%s", rule);
		if (load_ask(target, false, &request, &answer)) {
			result = COMMAND_FAILED;
			continue;
		}
		count = load_number(&answer, "count");
		load_tell_missed(target, &answer);
		load_answer_free(&answer);
		if (count < 0 ||
		    (count > 0 && enable && tell_places(target, rule)))
			result = COMMAND_FAILED;
		if (count > 0)
			total += count;
	}
	targets_close(&targets);
	if (!result && !total)
		return command_failed("nothing is connected to '%s'%s: give the "
				      "rule of a connection, as taffrail "
				      "status lists them, or connect a "
				      "callback with taffrail connect", rule,
				      pid ? " in this process" : "");
	return result;
}
