/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The options of a recording: from the command line, and as the request that
 * begins the session.
 */
#include "command/record/options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "buffers/rings/channel.h"
#include "command/agents/client.h"
#include "command/agents/rule.h"
#include "command/agents/visits.h"
#include "command/causes/cause.h"
#include "command/common/former.h"
#include "command/load/libraries.h"
#include "command/runtime/rundir.h"
#include "command/saved/saved.h"
#include "tracepoints/conditions/rule-split.h"

/* room for the descriptions of some processes and four smallest buffers */
#define MAX_SIZE_LEAST		(1u << 20)
#define MAX_SIZE_BUFFERS	4

enum {
	KEY_PROVIDER = 256, KEY_MAX_SIZE, KEY_PROBE, KEY_CONNECT, KEY_LEVEL,
	KEY_FUNCTIONS, KEY_DEPTH, KEY_MIN_TIME, KEY_GROUP
};

static const struct option_row rows[] = {
	{ 'o', "output", "DIR", "write the trace there (default: "
	  "taffrail-DATE-TIME)" },
	{ OPTION_FLAG(0, struct record_options, force),
	  "force", NULL, "if DIR is there, keep it as DIR.old" },
	{ 'e', "event", "RULE", "trace markers that match, a glob over "
	  "channel/name; repeatable (default: all)" },
#define RULES_OBJECT struct record_options
#include "command/common/rules-options.def"
	{ OPTION_TEXT(0, struct record_options, from),
	  "from", "FILE", "record as the session in FILE says, which "
	  "LTTng saved (lttng save)" },
	{ KEY_PROVIDER, "provider", "NAME", "load a provider of events: "
	  "pthread" },
	{ KEY_PROBE, "probe", "LIB", "load a probe library; repeatable" },
	{ KEY_CONNECT, "connect", "TEXT", "'RULE LIB:FUNCTION "
	  "[NAME=VALUE]...': have a callback called; repeatable" },
	{ OPTION_FLAG(0, struct record_options, overwrite),
	  "overwrite", NULL, "keep only the newest events" },
	{ OPTION_KEY(BUFFERS, enum buffers, 0, struct record_options, buffers),
	  "buffers", "OWNER", "shared: all processes have the same "
	  "buffers, and one trace (default); process: each has its own" },
	{ KEY_MAX_SIZE, "max-size", "SIZE", "limit the directory to SIZE "
	  "bytes: drop the oldest events" },
	{ OPTION_FLAG(0, struct record_options, fail_on_loss),
	  "fail-on-loss", NULL, "exit with 1 if events were lost, or "
	  "callbacks missed hits" },
	{ OPTION_FLAG(0, struct record_options, fail_if_none),
	  "fail-if-none", NULL, "exit with 1 if there is no event" },
	{ OPTION_FLAG(0, struct record_options, strict),
	  "strict", NULL, "end the program within a second if a "
	  "rule matches no marker so far" },
	{ OPTION_KEY(SECONDS, double, 0, struct record_options, seconds),
	  "for", "TIME", "stop recording after this time: 10 (seconds), "
	  "10s, 2.5ms, 5m" },
	{ OPTION_PIDS(struct record_options, pids),
	  "pid", "PID", "record this running process; repeatable" },
	{ 0 }
};

/* Adds a word to one of the lists. Returns COMMAND_DONE, or COMMAND_USAGE after
 * printing why. */
static int word_add(const char **words, int *count, int most, const char *word,
		    const char *noun)
{
	if (*count == most)
		return command_misused("more than %d %s", most, noun);
	words[(*count)++] = word;
	return COMMAND_DONE;
}

/* Returns the length of LIB:FUNCTION that the text begins with, or 0. */
static size_t function_at(const char *text)
{
	const char *p = text;
	int parts = 0;

	for (; parts < 2; parts++, p++) {
		const char *begin = p;

		while (isalnum((unsigned char)*p) || *p == '_')
			p++;
		if (p == begin || isdigit((unsigned char)*begin) ||
		    (!parts && *p != ':') ||
		    (parts && *p && !isblank((unsigned char)*p)))
			return 0;
	}
	return (size_t)(p - 1 - text);
}

int record_take_connect(struct record_options *o, const char *word)
{
	char *text, *function = NULL, *rest, *end;
	struct load_wish *wish;
	const char *why;
	size_t n = 0;

	if (o->nconnects == RECORD_CONNECTS_MAX)
		return command_misused("more than %d connections",
				       RECORD_CONNECTS_MAX);
	if (!o->connects)
		o->connects = calloc(RECORD_CONNECTS_MAX, sizeof(*wish));
	text = strdup(word);
	if (!o->connects || !text)
		return cause_report(OUT_OF_MEMORY);
	wish = &o->connects[o->nconnects];
	/* it stands behind the rule, outside quotes and parentheses */
	for (const char *p = text; *p && !function; p = rule_step(p))
		if (isblank((unsigned char)*p) && function_at(p + 1))
			function = text + (p + 1 - text);
	if (!function)
		return command_misused("'%s' is not RULE LIB:FUNCTION "
				       "[NAME=VALUE]...", word);
	for (end = function; end > text && isblank((unsigned char)end[-1]);)
		*--end = '\0';
	if (rule_check(text, &why))
		return command_misused("rule '%s': %s", text, why);
	if (rule_kind(text) == RULE_FUNCTIONS)
		return command_misused("rule '%s': functions have no callbacks",
				       text);
	if (rule_kind(text) == RULE_LINE)
		return command_misused("rule '%s': lines have no callbacks",
				       text);
	rule_unify(text);
	rest = function + function_at(function);
	wish->words = calloc(strlen(rest) / 2 + 2, sizeof(*wish->words));
	if (!wish->words)
		return cause_report(OUT_OF_MEMORY);
	/* the first word is the end of the function's name */
	for (strsep(&rest, " \t"); (end = strsep(&rest, " \t"));)
		if (*end)
			wish->words[n++] = end;
	wish->rule = text;
	wish->function = function;
	wish->enable = true;
	o->nconnects++;
	return COMMAND_DONE;
}

int record_check_probes(struct record_options *o)
{
	for (int i = 0; i < o->nprobes; i++) {
		char own[PATH_MAX];
		const char *file = load_file_of(o->probes[i], own);

		if (load_check_file(file))
			return COMMAND_FAILED;
		o->probes[i] = realpath(file, NULL);
		if (!o->probes[i])
			return cause_report(LIBRARY_NOT_FOUND, .path = file,
					    .error = errno);
	}
	return COMMAND_DONE;
}

/* Takes an option. Returns COMMAND_DONE, or another status after printing
 * why. */
static int take_option(void *object, int key, const char *value)
{
	struct record_options *o = object;
	int status;

	switch (key) {
	case 'o':
		o->output = value;
		return former_check_directory(value);
	case 'e':
		status = rule_take(&value);
		return status ? status :
				word_add(o->rules, &o->nrules,
					 RECORD_RULES_MAX, value, "rules");
	case KEY_LEVEL:
		return rule_take_level(&o->level, value);
	case KEY_FUNCTIONS:
		return rule_take_functions(&o->calls, value, o->nrules);
	case KEY_DEPTH:
		return rule_take_depth(&o->calls, value);
	case KEY_MIN_TIME:
		return rule_take_min_time(&o->calls, value);
	case KEY_PROVIDER:
		if (!rundir_valid_name(value))
			return command_misused("'%s' is not a provider's name",
					       value);
		return word_add(o->providers, &o->nproviders,
				RECORD_PROVIDERS_MAX, value, "providers");
	case KEY_PROBE:
		return word_add(o->probes, &o->nprobes, RECORD_PROBES_MAX,
				value, "probe libraries");
	case KEY_CONNECT:
		return record_take_connect(o, value);
	case KEY_GROUP:
		return command_take_group(&o->group, value);
	default:
		if (command_parse_bytes(&o->max_size, value))
			return command_misused("size '%s' is not a number of "
					       "bytes, K, M or G", value);
		if (o->max_size < MAX_SIZE_LEAST)
			return command_misused("size '%s' is less than 1M",
					       value);
		return COMMAND_DONE;
	}
}

/* Takes the rules and settings of the session that LTTng saved. The rules live
 * until the command ends. Returns a status of enum command_exit, after printing
 * why it is not COMMAND_DONE. */
static int take_saved(struct record_options *o)
{
	struct saved saved;
	struct cause cause;
	int status = COMMAND_FAILED;

	if (o->nrules || o->level || o->calls.count)
		return command_misused("give either --from, or -e, --level and "
				       "--functions: the file has rules");
	if (saved_read(&saved, o->from, &cause)) {
		cause_tell(&cause);
	} else if (saved.nsessions != 1) {
		status = command_misused("'%s' has %zu sessions, and a "
					 "recording is one: 'lttng save NAME' "
					 "saves one", o->from, saved.nsessions);
	} else {
		o->nrules = saved_rules(saved.sessions, (char **)o->rules,
					RECORD_RULES_MAX, &o->less);
		saved_settings(saved.sessions, &o->overwrite, &o->buffer,
			       &o->context);
		status = o->nrules > 0 ? COMMAND_DONE : COMMAND_FAILED;
	}
	saved_release(&saved);
	return status;
}

int record_take_arguments(struct record_options *o, int argc, char **argv)
{
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows, .stop_early = 1,
		.shape = "(-p PID | -- PROG [ARGS...])",
		.about = "Record the events of a program and of its children "
			 "as a CTF trace.",
	};
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t most;
	int status;

	/* --help also ends the options, with status 0 */
	if (!options_take(&options, o, take_option))
		return options.status ? options.status : -1;
	if (options.index < argc)
		o->program = argv + options.index;
	o->bare = options.index == 1;
	if (!o->pids.count == !o->program)
		return command_misused("give either -p PID or a program");
	status = o->from ? take_saved(o) : COMMAND_DONE;
	if (status)
		return status;
	if (o->keep && !o->overwrite)
		return command_misused("--keep is for --overwrite");
	if (o->buffers == BUFFERS_SHARED && o->pids.count)
		return command_misused("--buffers shared is for a program that "
				       "record starts, and not for -p");
	status = o->program ? command_choose_buffers(&o->shared, o->buffers,
						     o->context, o->keep,
						     o->group) : COMMAND_DONE;
	if (status)
		return status;
	if (o->nconnects && !o->nprobes)
		return command_misused("--connect needs --probe LIB; taffrail "
				       "connect is for a library that is "
				       "loaded");
	status = o->level ? rule_limit(o->rules, &o->nrules, "level", o->level)
			  : COMMAND_DONE;
	if (!status)
		status = rule_add_calls(&o->calls, o->rules, &o->nrules,
					RECORD_RULES_MAX);
	if (status)
		return status;
	if (o->nrules > VISIT_RULES_MAX)
		return command_misused("more than %d rules", VISIT_RULES_MAX);
	/* a sub-buffer is written as a whole, and several must fit */
	most = o->max_size / MAX_SIZE_BUFFERS;
	if (!o->max_size || (o->buffer && o->buffer <= most))
		return COMMAND_DONE;
	if (o->buffer)
		return command_misused("--max-size must be %d times "
				       "--buffer-size or more",
				       MAX_SIZE_BUFFERS);
	o->buffer = channel_ring_bytes(0, (uint32_t)cpus);
	while (o->buffer > most)
		o->buffer /= 2;
	return COMMAND_DONE;
}

void record_tell_stray(const struct record_options *o)
{
	const char *word = o->bare ? o->program[1] : NULL;
	const char *value = word ? o->program[2] : NULL;
	const char *name = word ? text_after(word, "--") : NULL;
	const char *rest, *slash, *why;
	bool stray = false;

	/* --NAME or --NAME=VALUE */
	for (const struct option_row *row = rows; name && row->key; row++) {
		rest = text_after(name, row->word);
		stray |= rest && (!*rest || *rest == '=');
	}
	/* -o with a file that is not there */
	if (value && !strcmp(word, "-o"))
		stray = access(value, F_OK);
	/* -e with a rule, and hardly anything else: one slash, in the middle */
	if (value && !strcmp(word, "-e")) {
		slash = strchr(value, '/');
		stray = slash && slash > value && slash[1] &&
			!strchr(slash + 1, '/') && !rule_check(value, &why);
	}
	if (stray)
		command_warn("%s got the option '%s': those of record stand "
			     "before the program, as in: taffrail record "
			     "%s%s%s -- %s", o->program[0], word, word,
			     value ? " " : "", value ?: "", o->program[0]);
}

void record_request(const struct record_options *o, const char *name,
		    struct client_request *request)
{
	client_request_add(request, "name", "%s", name);
	client_request_add(request, "mode", o->overwrite ? "overwrite"
							 : "discard");
	if (o->buffer)
		client_request_add(request, "buffer", "%llu",
				   (unsigned long long)o->buffer);
	if (o->keep)
		client_request_add(request, "keep", "%llums",
				   (unsigned long long)o->keep);
	if (o->group)
		client_request_add(request, "group", "%u", o->group);
	if (o->context)
		client_request_add(request, "context", "%s", o->context);
	client_request_add(request, "consumed", "1");
	if (o->shared)
		client_request_add(request, "buffers", "shared");
	if (o->int3)
		client_request_add(request, "int3", "1");
	rule_request(request, o->rules, o->nrules);
}
