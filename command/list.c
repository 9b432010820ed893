/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail list: the markers of running processes, and the markers, USDT probes
 * and events of LTTng-UST of files.
 *
 * Invariant: a list says of each marker whether it can be traced, and the exit
 * status is 1 if one cannot, unless it is an event of LTTng-UST that no marker
 * can say: the program has no fault then. Text from a program reaches the
 * terminal only through printable_print().
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "command/agents/faults.h"
#include "command/agents/places.h"
#include "command/agents/rule.h"
#include "command/agents/replaced.h"
#include "command/agents/targets.h"
#include "command/common/command.h"
#include "command/common/counted.h"
#include "command/common/json.h"
#include "command/common/printable.h"
#include "command/elf/elfnotes.h"
#include "command/elf/named-functions.h"
#include "command/elf/program-functions.h"
#include "command/elf/process-markers.h"
#include "command/list-lines-private.h"
#include "command/load/listed.h"
#include "command/procfs/process.h"
#include "command/sandbox/opener.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/fields/fields.h"
#include "tracepoints/usdt/usdt.h"

/*
 * The output, in one of two forms.
 *
 * Invariant: with JSON, standard output has one array and nothing else; reasons
 * go to standard error in both forms.
 */
struct output {
	struct json json;
	bool all;			/* with the C runtime's probes */
	bool functions;			/* instead of markers */
	const char *source;		/* the same: its lines; or NULL */
	pid_t pid;			/* 0: all processes, or files */
	char **rules;			/* that name them, or none: all */
	uint64_t met;			/* bits of those that name one */
	bool headings;			/* there is more than one list */
	bool behind;			/* this list is not the first */
	struct shown shown;		/* callbacks of this list's process */
	struct marker_list sites;	/* that its agent has */
	bool agent;			/* it has one */
};

/* Writes the type of a variant's option into `type`, and returns it: "nothing"
 * for an option without a value. */
static const char *option_word(char *type, size_t room,
			       const struct shown_name *option)
{
	struct text text;

	text_open(&text, type, room);
	if (option->value)
		field_type_add(&text, (uint8_t)option->value);
	else
		text_add(&text, "nothing");
	return type;
}

/* Returns whether a name has only characters of an enumerator's. */
static bool is_word(const struct shown_name *name)
{
	const char *p = name->start;

	while (p < name->end && (isalnum((unsigned char)*p) || *p == '_' ||
				 *p == ':'))
		p++;
	return p == name->end && p > name->start;
}

/* Prints a value that has a name. */
static void value_print(const char *before, const struct marker_field *field,
			int64_t value)
{
	if (field->is_signed)
		printf("%s%" PRId64, before, value);
	else
		printf("%s%" PRIu64, before, (uint64_t)value);
}

/* Prints the values of a name as JSON: a number, or the first and the last one.
 */
static void value_json(struct json *json, const char *name,
		       const struct marker_field *field,
		       const struct shown_name *value)
{
	bool range = value->to != value->value;

	if (range)
		json_open(json, name, '[');
	json_real(json, range ? NULL : name, field->is_signed ?
		  (long double)value->value :
		  (long double)(uint64_t)value->value);
	if (!range)
		return;
	json_real(json, NULL, field->is_signed ?
		  (long double)value->to : (long double)(uint64_t)value->to);
	json_close(json, ']');
}

/* Prints a field as JSON; `priv` is the output. Values of an enumeration are
 * numbers, or pairs of them; options of a variant are types. */
static void field_json(const struct marker_field *field, void *priv)
{
	struct shown_field shown = field->shown;
	struct json *json = priv;
	struct shown_name value;
	char text[256], type[32];

	json_open(json, NULL, '{');
	json_string(json, "name", field->name);
	json_string(json, "type", field->type);
	if (*field->how)
		json_string(json, "shown", field->how);
	if (field->unwritten)
		json_bool(json, "recorded", false);
	if (shown.count) {
		json_open(json, "values", '{');
		while (shown_next(&shown, &value)) {
			snprintf(text, sizeof(text), "%.*s",
				 (int)(value.end - value.start), value.start);
			if (shown.how == TAFFRAIL_HOW_VARIANT)
				json_string(json, text, option_word(
						type, sizeof(type), &value));
			else
				value_json(json, text, field, &value);
		}
		json_close(json, '}');
	}
	json_close(json, '}');
}

/* Returns the word for the kind of a marker. */
static const char *kind_word(const struct marker *m)
{
	return m->function ? "function" :
	       m->spot ? "line" : m->kind == MARKER_USDT ? "usdt" : "marker";
}

/* Writes "FILE:LINE", or "" for a marker that does not tell: a USDT probe has
 * no place in a source. */
static void source_text(const struct marker *m, char *text, size_t room)
{
	text[0] = '\0';
	if (m->file[0])
		snprintf(text, room, m->line ? "%s:%u" : "%s", m->file,
			 m->line);
}

/*
 * Prints a marker as JSON; `pid` is 0 for a marker of a file, and left out
 * then. So are "level", "callbacks", "placement" and "why" where there is none.
 */
static void put_json(struct output *out, const struct marker *m, pid_t pid)
{
	const struct shown_callback *callback;
	struct json *json = &out->json;
	const char *end = NULL;
	size_t position = 0;
	char text[4096];

	json_open(json, NULL, '{');
	json_string(json, "id", m->id);
	/* as text: readers of JSON take numbers for doubles */
	snprintf(text, sizeof(text), "0x%" PRIx64, m->address);
	json_string(json, "address", text);
	json_string(json, "kind", kind_word(m));
	json_bool(json, "enabled", m->enabled);
	source_text(m, text, sizeof(text));
	json_string(json, "source", text);
	/* the members of structures stand in front of the text */
	if (m->kind == MARKER_EVENT && *m->text == '\1')
		end = strrchr(m->text, '\2');
	json_string(json, "format", end ? end + 1 : m->text);
	if (*marker_level(m))
		json_string(json, "level", marker_level(m));
	json_open(json, "fields", '[');
	marker_each_field(m, field_json, json);
	json_close(json, ']');
	if (out->shown.count) {
		json_open(json, "callbacks", '[');
		while ((callback = shown_of(&out->shown, m->id, &position)))
			json_string(json, NULL, callback->name);
		json_close(json, ']');
	}
	if (m->placement)
		json_string(json, "placement", placement_text(m->placement));
	if (m->why)
		json_string(json, "why", m->why);
	if (pid)
		json_number(json, "pid", pid);
	json_close(json, '}');
}

/* Prints a field in words, as a declaration has it; `priv` points to a bool:
 * the field is not the first. */
static void field_text(const struct marker_field *field, void *priv)
{
	struct shown_field shown = field->shown;
	const char *lead = "{", *quote;
	struct shown_name value;
	bool *behind = priv;
	char type[32];

	printable_print("%s%s %s", *behind ? ", " : "", field->type,
			field->name);
	*behind = true;
	if (field->unwritten)
		printf("{not recorded}");
	else if (*field->how && !shown.count)
		printf("{%s}", field->how);
	for (; !field->unwritten && shown_next(&shown, &value); lead = ", ") {
		quote = is_word(&value) ? "" : "\"";
		printable_print("%s%s%.*s%s", lead, quote,
				(int)(value.end - value.start), value.start,
				quote);
		if (shown.how == TAFFRAIL_HOW_VARIANT)
			printf(": %s", option_word(type, sizeof(type), &value));
		else
			value_print("=", field, value.value);
		if (value.to != value.value)
			value_print("..", field, value.to);
	}
	printf("%s", *lead == ',' ? "}" : "");
}

/*
 * Prints a list, as JSON or in lines; sorts it. The heading stands above the
 * lines where there is more than one list. `pid` is 0 for the markers of a
 * file.
 */
static void put_list(struct output *out, struct marker_list *list,
		     const char *heading, pid_t pid)
{
	const struct shown_callback *callback;
	char source[4096];

	marker_list_sort(list);
	if (!command_json() && out->headings) {
		fputs(out->behind ? "\n" : "", stdout);
		printable_print("%s:\n", heading);
	}
	out->behind = true;
	for (size_t i = 0; i < list->count; i++) {
		const struct marker *m = &list->markers[i];
		size_t position = 0;
		bool behind = false;

		if (command_json()) {
			put_json(out, m, pid);
			continue;
		}
		source_text(m, source, sizeof(source));
		printable_print("%-28s 0x%-14" PRIx64 " %-6s %-3s ",
				marker_shown(m->id), m->address, kind_word(m),
				m->enabled ? "on" : "off");
		if (source[0])
			printable_print("%s ", source);
		printf("(");
		marker_each_field(m, field_text, &behind);
		printf(")");
		if (m->kind == MARKER_MARK)
			printable_print(" \"%s\"", m->text);
		if (*marker_level(m))
			printf(" level %s", marker_level(m));
		if (m->placement || m->why)
			printf(" [%s%s%s]", placement_text(m->placement),
			       m->placement && m->why ? ": " : "",
			       m->why ? m->why : "");
		while ((callback = shown_of(&out->shown, m->id, &position)))
			printable_print(" calls %s", callback->name);
		printf("\n");
	}
}

/* Says on standard error why a list is empty. JSON is for scripts, to which an
 * empty array says all. */
static void tell_none(const struct output *out, const char *what)
{
	if (!command_json())
		command_warn("%s has neither markers nor USDT probes (those of "
			     "its libraries are in their files): 'taffrail "
			     "record --provider pthread -- PROGRAM' adds "
			     "markers of threads and locks, taffrail_marker(3) "
			     "says how a program gets its own", what);
}

/* Says which markers cannot be traced, all in one line, with the first reason.
 * Returns an exit status: COMMAND_FAILED if there is one. */
static int tell_unplaced(const struct marker_list *list, const char *what)
{
	const char *why = NULL;
	size_t n = marker_list_unplaced(list, &why);

	return !n ? COMMAND_DONE :
		    command_failed("%s: %s cannot be traced: %s; %s", what,
				   counted(n, "marker"), why, MARKER_REMEDY);
}

/* Adds a marker of another list, whose id this cuts. */
static void marker_move(struct marker_list *to, struct marker *m)
{
	char *name = strchr(m->id, '/');

	/* PROVIDER/NAME: marker_list_add() joins them again */
	if (name) {
		*name++ = '\0';
		marker_list_add(to, m, m->id, name, m->text, "");
	}
}

/*
 * Takes from the files of a process which markers have no place, and adds the
 * USDT probes that no rule has named yet: the agent does not list them. Returns
 * COMMAND_FAILED after saying that markers or probes cannot be read.
 */
static int add_probes(struct target *target)
{
	struct marker_list *markers = &target->markers;
	pid_t pid = target->process->pid;
	struct marker_list of_files = { 0 }, probes = { 0 };
	char fault[MARKERS_FAULT_BYTES];
	int ret, result = COMMAND_DONE;
	size_t k;

	process_markers_read(&of_files, pid, SYMBOLISER_LTTNG, fault);
	if (*fault)
		result = command_failed("process %d: %s", pid, fault);
	for (size_t i = 0; i < of_files.count; i++) {
		struct marker *m = &of_files.markers[i];

		/* of a file that has LTTng in itself, the agent has none */
		if (m->why && !strcmp(m->why, MARKER_OWN))
			marker_move(markers, m);
		for (k = 0; m->why && k < markers->count; k++) {
			struct marker *to = &markers->markers[k];

			if (to->address == m->address &&
			    to->kind != MARKER_USDT) {
				to->placement = m->placement;
				to->why = m->why;
			}
		}
	}
	marker_list_free(&of_files);
	ret = process_probes_read(&probes, pid);
	placement_settle(&probes, pid);
	for (size_t i = 0; i < probes.count; i++) {
		struct marker *m = &probes.markers[i];

		/* a rule has named it: then the agent has it, as a marker */
		for (k = 0; k < markers->count; k++)
			if (markers->markers[k].address == m->address)
				break;
		if (k == markers->count)
			marker_move(markers, m);
	}
	marker_list_free(&probes);
	/* a file that was replaced cannot be read by the mapped name */
	if (!ret && replaced_tell(pid, NULL))
		result = COMMAND_FAILED;
	if (ret == -EACCES || ret == -EPERM)
		result = command_failed("process %d: its USDT probes cannot be "
					"read: %s; root can list them, and "
					"rules take them", pid,
					process_closed(pid));
	return result;
}

/* Returns true for a call site whose provider another file of the list has. */
static bool is_provided(const struct marker_list *list, const struct marker *m)
{
	if (!m->why || strcmp(m->why, MARKER_ELSEWHERE))
		return false;
	for (size_t i = 0; i < list->count; i++)
		if (&list->markers[i] != m &&
		    !strcmp(list->markers[i].id, m->id))
			return true;
	return false;
}

/* Lists the markers and LTTng's events in the files of a process that has no
 * agent. */
static void list_agentless(struct output *out, pid_t pid)
{
	struct marker_list list = { 0 }, kept = { 0 };
	char heading[32];

	process_markers_read(&list, pid, SYMBOLISER_LTTNG, NULL);
	kept.markers = calloc(list.count + 1, sizeof(*kept.markers));
	for (size_t i = 0; kept.markers && i < list.count; i++)
		if (!is_provided(&list, &list.markers[i]))
			kept.markers[kept.count++] = list.markers[i];
	snprintf(heading, sizeof(heading), "%d", pid);
	if (kept.count)
		put_list(out, &kept, heading, pid);
	free(kept.markers);
	marker_list_free(&list);
}

/*
 * Lists a process, or all of the user's. Returns an exit status: COMMAND_FAILED
 * if one does not answer, and still lives; or if a marker or a place of one
 * cannot be switched. Adds to the agent's list before the places are marked,
 * and drops probes after it: a probe of the C library may be switched on.
 */
static int list_processes(struct output *out, pid_t pid)
{
	struct process_page page;
	struct targets targets;
	int result = COMMAND_DONE;
	char heading[PROCESS_NAME_BYTES + 32];
	struct places places = { 0 };
	size_t kept;

	if (targets_open(&targets, pid)) {
		targets_close(&targets);
		if (pid)
			list_agentless(out, pid);
		return COMMAND_FAILED;
	}
	out->headings = !pid;
	for (size_t i = 0; i < targets.count; i++) {
		struct target *target = &targets.targets[i];

		if (!target->process->alive)
			continue;
		if (target_list(target)) {
			if (pid || rundir_lives(target->process))
				result = cause_tell(&target->client.cause);
			continue;
		}
		if (add_probes(target))
			result = COMMAND_FAILED;
		places_take_living(&places, target->process, NULL, NULL);
		places_mark(&places, &target->markers);
		/* without probes of the C library and of the dynamic linker
		 * that are off */
		kept = 0;
		for (size_t k = 0; k < target->markers.count; k++) {
			struct marker *m = &target->markers.markers[k];

			if (out->all || m->kind != MARKER_USDT || m->enabled ||
			    !usdt_is_runtime(m->id))
				target->markers.markers[kept++] = *m;
			else
				marker_free(m);
		}
		target->markers.count = kept;
		if (rundir_read_process(target->process,
					target->process->image, &page))
			page.procname[0] = '\0';
		else
			faults_tell(target->process->pid, &page);
		snprintf(heading, sizeof(heading), "%d %s",
			 target->process->pid, page.procname);
		/* the callbacks of this process alone */
		shown_ask(&out->shown, target);
		put_list(out, &target->markers, heading, target->process->pid);
		shown_free(&out->shown);
		snprintf(heading, sizeof(heading), "process %d",
			 target->process->pid);
		/* of many processes, one without markers is no surprise */
		if (pid && !target->markers.count)
			tell_none(out, heading);
		if (tell_unplaced(&target->markers, heading))
			result = COMMAND_FAILED;
		if (places_tell(&places))
			result = COMMAND_FAILED;
	}
	/* an error has been told: then "none" may be wrong */
	if (!pid && !out->behind && !command_json() &&
	    result == COMMAND_DONE)
		command_warn("none of your processes has an agent: 'taffrail "
			     "attach PID' loads it, 'taffrail record' starts a "
			     "program with it");
	targets_close(&targets);
	return result;
}

/* Adds the function among n of one address that a rule means, by the name that
 * it gives. Returns false if it means none. */
static bool add_meant(struct marker_list *kept, const char *rule,
		      const char *module, const struct marker *m, size_t n)
{
	char best[FUNCTION_NAME_BYTES] = "", name[FUNCTION_NAME_BYTES];
	size_t before = kept->count;

	for (size_t i = 0; i < n; i++)
		for (int k = 0; function_name(name, &m[i], k); k++)
			if (rule_names_function(rule, module, name) &&
			    (!*best || rule_prefers(name, best)))
				strcpy(best, name);
	while (before-- && kept->markers[before].address == m->address)
		if (!strcmp(kept->markers[before].id + strlen("fn/"), best))
			return true;
	if (*best)
		marker_list_add(kept, m, "fn", best, m->text, m->file);
	return *best;
}

/* Keeps of a list of functions those that rules name, by these names; without a
 * rule all, but those of libc and the like. `names`: the module's, or NULL. */
static void keep_named(struct output *out, struct marker_list *list,
		       const char *names)
{
	static char every[] = "fn:*";
	static char *all[] = { every, NULL };
	char **rules = *out->rules ? out->rules : all;
	struct marker_list kept = { 0 };

	for (size_t i = 0, n; i < list->count; i += n) {
		const struct marker *m = &list->markers[i];

		for (n = 1; i + n < list->count &&
			    m[n].address == m->address; n++)
			;
		for (int r = 0; rules[r]; r++)
			if (add_meant(&kept, rules[r], names, m, n))
				out->met |= 1ull << r % 64;
	}
	marker_list_free(list);
	*list = kept;
}

/* Notes the functions that are on; and those that the agent refuses: where the
 * process has changed the code, unless that was the agent, for one of the sites
 * that it lists. */
static void note_changed(struct marker_list *list,
			 const struct marker_list *sites, bool agent)
{
	int why;

	for (size_t i = 0; i < list->count; i++) {
		struct marker *m = &list->markers[i];
		bool ours = false;

		for (size_t k = 0; m->changed && k < sites->count; k++) {
			const struct marker *site = &sites->markers[k];

			ours |= site->address - m->address <
				(uint64_t)m->operand;
			m->enabled |= site->address == m->address &&
				      site->enabled;
		}
		if (!m->changed || ours)
			continue;
		m->placement = PLACED_NOT;
		/* the agent hears of libraries there (agent/loader-x86_64.c) */
		why = agent && !strcmp(m->id, "fn/_dl_debug_state") ?
			      -EADDRINUSE : -EBUSY;
		m->why = marker_refusal(why) + strlen(MARKER_OFF);
	}
}

/* Lists the functions of a process's module. */
static int list_module(const char *path, const char *names,
		       struct marker_list *list, void *arg)
{
	struct output *out = arg;

	keep_named(out, list, names);
	note_changed(list, &out->sites, out->agent);
	out->headings = true;
	if (list->count)
		put_list(out, list, path, 0);
	return 0;
}

/* Says that a file or process has no function that a rule names, and which are
 * near. Returns COMMAND_FAILED. */
static int tell_unnamed(const char *where, const char *rule,
			const struct named_in *in)
{
	char near[CAUSE_TEXT_BYTES];

	functions_nearest(rule, in, near, sizeof(near));
	return command_failed("%sno function matches '%s'%s%s", where, rule,
			      *near ? "; nearest: " : "", near);
}

/* Lists the functions of a process, module by module. Returns an exit
 * status. */
static int list_functions(struct output *out, pid_t pid)
{
	struct named_in in = { .pids = &pid, .npids = 1 };
	struct targets targets;
	char where[32];
	struct cause cause;
	int error = targets_open_each(&targets, &pid, 1, &cause), ret;

	/* without an agent, it has none */
	out->agent = !error && !target_list(&targets.targets[0]);
	if (out->agent)
		out->sites = targets.targets[0].markers;
	ret = functions_of_process(pid, SYMBOLISER_PLAN, NULL, list_module,
				   out);
	targets_close(&targets);
	if (error && ret == -ENOENT)
		return cause_tell(&cause);
	if (ret < 0)
		return command_failed("process %d: its functions cannot be "
				      "read: %s", pid, strerror(-ret));
	if (out->behind || command_json())
		return COMMAND_DONE;
	if (!*out->rules)
		return command_failed("process %d has no such function", pid);
	snprintf(where, sizeof(where), "process %d: ", pid);
	for (char **rule = out->rules; *rule; rule++)
		tell_unnamed(where, *rule, &in);
	return COMMAND_FAILED;
}

/*
 * Lists the files; one that cannot be read does not keep others from being
 * listed. Returns an exit status. A file is looked at before it is read, to say
 * why it is none in the user's words.
 */
static int list_files(struct output *out, char **paths, int n)
{
	char error[ELFNOTES_ERROR_BYTES], where[PATH_MAX];
	char names[FILE_NAMES_BYTES];
	int ret, result = COMMAND_DONE;
	const char *why;
	struct stat st;
	size_t known, r;
	pid_t pid;

	out->headings = n > 1;
	for (; n-- > 0; paths++) {
		struct marker_list list = { 0 };

		why = NULL;
		ret = opener_stat(*paths, &st);
		if (!**paths)
			why = "the file's name is empty";
		else if (ret == -ENOENT)
			why = command_parse_pid(&pid, *paths) ?
				      "there is no such file: give programs or "
				      "libraries, or -p PID" :
				      "there is no such file; for a process, "
				      "put -p before its number";
		else if (!ret && S_ISDIR(st.st_mode))
			why = "it is a directory: give programs or libraries";
		else if (!ret && !S_ISREG(st.st_mode))
			why = "it is not a regular file";
		if (why) {
			result = command_failed("%s: %s", *paths, why);
			continue;
		}
		if (!elfnotes_read(&list, *paths, SYMBOLISER_PLAN |
				   (out->functions ? SYMBOLISER_FUNCTIONS :
				    SYMBOLISER_LTTNG), error)) {
			known = list.count;
			if (out->functions && *out->rules)
				file_names(names, *paths);
			if (out->functions)
				keep_named(out, &list,
					   *out->rules ? names : NULL);
			put_list(out, &list, *paths, 0);
			snprintf(where, sizeof(where), "%s: ", *paths);
			for (r = 0; known && !list.count && out->functions &&
				    out->rules[r]; r++)
				result = tell_unnamed(where, out->rules[r],
						      &(struct named_in){
						.files = paths, .nfiles = 1 });
			if (!known && out->functions)
				result = command_failed("%sit has no symbols "
							"of functions", where);
			else if (!list.count && !out->functions)
				tell_none(out, *paths);
			if (tell_unplaced(&list, *paths))
				result = COMMAND_FAILED;
		}
		if (error[0])
			result = command_failed("%s: %s", *paths, error);
		marker_list_free(&list);
	}
	return result;
}

int list_main(int argc, char **argv)
{
	static const struct option_row rows[] = {
		{ OPTION_PID(struct output, pid),
		  "pid", "PID", "list the markers of this process" },
		{ OPTION_FLAG('a', struct output, all),
		  "all", NULL, "also list probes of the C library" },
		{ OPTION_FLAG(0, struct output, functions), "functions", NULL,
		  "list functions that rules fn:GLOB can have, and why not "
		  "others" },
		{ OPTION_TEXT(0, struct output, source), "lines", "FILE.c",
		  "list lines of this source that rules FILE.c:LINE can have, "
		  "or FILE.c:LINE alone, with their variables" },
		{ OPTION_JSON, "json", NULL, "print JSON" },
		{ 0 }
	};
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows,
		.shape = "[-p PID | FILE...] [fn:GLOB...]",
		.about = "List the markers of a running process, of programs "
			 "and libraries (with their\nUSDT probes), or of all "
			 "your processes that have an agent.",
	};
	struct output out = { .json = { .file = stdout } };
	struct named_in in;
	int status, rules;

	if (!options_take(&options, &out, NULL))
		return options.status;
	/* a file's markers have addresses in the file, a process's in memory */
	for (rules = argc; out.functions && rules > options.index &&
			   !strncmp(argv[rules - 1], "fn:", 3);)
		rules--;
	out.rules = argv + rules;
	for (int i = rules; i < argc; i++) {
		const char *rule = argv[i];

		status = rule_take(&rule);
		if (status)
			return status;
	}
	if (out.pid && options.index < rules)
		return command_misused("give either -p PID or files");
	if ((out.functions || out.source) && !out.pid && options.index == rules)
		return command_misused("--%s: give programs or libraries, or "
				       "-p PID", out.source ? "lines" :
						   "functions");
	/* the array is whole also after an error */
	if (command_json())
		json_open(&out.json, NULL, '[');
	if (out.source)
		status = list_lines(out.source, out.pid, argv + options.index,
				    rules - options.index,
				    command_json() ? &out.json : NULL);
	else if (options.index < rules)
		status = list_files(&out, argv + options.index,
				    rules - options.index);
	else if (out.functions)
		status = list_functions(&out, out.pid);
	else
		status = list_processes(&out, out.pid);
	in = (struct named_in){ .pids = &out.pid, .npids = !!out.pid,
				.files = argv + options.index,
				.nfiles = (size_t)(rules - options.index) };
	for (int i = 0; *out.rules && out.met && out.rules[i]; i++)
		if (!(out.met >> i % 64 & 1))
			status = tell_unnamed("", out.rules[i], &in);
	if (command_json()) {
		json_close(&out.json, ']');
		json_end(&out.json);
	}
	return command_finish() ? COMMAND_FAILED : status;
}
