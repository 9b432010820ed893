/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * See handed.h; command/runtime/sessions.c knows the files.
 *
 * Invariant: the file is there before the session begins, so no program is
 * missed; a group that is let into the process is not let into its programs.
 */
#include "command/agents/handed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/agents/rule.h"
#include "command/attach/attach.h"
#include "command/common/command.h"
#include "command/elf/line-rules.h"
#include "command/elf/process-markers.h"
#include "tracepoints/conditions/rule-split.h"

/* Returns a copy of the text without lines of groups, or NULL if there is no
 * memory. */
static char *groups_left_out(const char *text)
{
	char *copy = calloc(1, strlen(text) + 1);
	const char *line;
	size_t n;

	for (line = text; copy && *line; line += n) {
		n = strcspn(line, "\n");
		n += line[n] == '\n';
		if (strncmp(line, "group=", 6) != 0)
			strncat(copy, line, n);
	}
	return copy;
}

/* Returns true for a line that describes the places of the rule behind it. */
static bool is_description(const char *line)
{
	return !strncmp(line, "spot=", 5) || !strncmp(line, "field=", 6);
}

/* Returns true when a line of the file is a rule with this glob, which has so
 * many bytes. */
static bool has_glob(const char *line, const char *glob, size_t bytes)
{
	line += strncmp(line, "unrule=", 7) ? 0 : 2;
	return !strncmp(line, "rule=", 5) &&
	       !strncmp(line + 5, glob, bytes) &&
	       strchr("\n (", line[5 + bytes]);
}

/* Returns a copy of the text, without the rules that have the glob of this one,
 * which replaces them in a process, too, and without the descriptions in front
 * of them. Returns NULL if there is no memory. */
static char *rules_left_out(const char *text, const char *rule)
{
	char *copy = calloc(1, strlen(text) + 1);
	const char *kept = text, *line, *next;
	size_t bytes;

	rule_condition(rule, &bytes);
	for (line = text; copy && *line; line = next) {
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		if (*next && is_description(line))
			continue;
		if (!has_glob(line, rule, bytes))
			strncat(copy, kept, (size_t)(next - kept));
		kept = next;
	}
	return copy;
}

/* A member of a group that was let in may not write there: that is no failure
 * of the process's session. */
static void inheritance_tell(const struct rundir_process *process,
			     const char *what, int error, int *result)
{
	struct cause cause;

	cause_set(&cause, 0, HEIRS_UNWRITTEN, .pid = process->pid,
		  .error = error, .path = process->path, .text = what);
	cause_tell(&cause);
	if (error != -EACCES)
		*result = COMMAND_FAILED;
}

void inheritance_unblock(const struct rundir_process *process,
			 const struct client_request *request)
{
	struct marker_list probes = { 0 };
	char rule[RULE_BYTES_MAX + RULE_CONDITION_MAX + 1];
	bool switches = false, read = false;
	const char *line;
	int changed;
	size_t n;

	if (request->failed || !attach_traps_blocked(process->pid))
		return;
	for (line = request->text; *line && !switches;
	     line += n + (line[n] == '\n')) {
		n = strcspn(line, "\n");
		if (strncmp(line, "rule=", 5) || n - 5 >= sizeof(rule))
			continue;
		snprintf(rule, sizeof(rule), "%.*s", (int)n - 5, line + 5);
		switches = rule_kind(rule) != RULE_MARKERS;
		if (!switches && !read)
			process_probes_read(&probes, process->pid);
		read |= !switches;
		for (size_t i = 0; i < probes.count && !switches; i++)
			switches = rule_matches(rule, probes.markers[i].id,
						NULL);
	}
	marker_list_free(&probes);
	changed = switches ? attach_unblock_traps(process->pid) : 0;
	if (changed > 0)
		cause_report(TRAPS_UNBLOCKED, .pid = process->pid,
			     .n = changed);
}

int inheritance_start(struct client *client,
		      const struct client_request *request, const char *name,
		      struct client_answer *answer, int *result)
{
	const struct rundir_process *process = client->process;
	struct client_request with = { 0 };
	char file[NAME_MAX + 1] = "", *text;
	int ret, unwritten;

	inheritance_unblock(process, request);
	/* a session of `start --all` begins in each program by itself */
	if (request->failed || strstr(request->text, "\nall=1\n"))
		return client_call(client, MESSAGE_START, request, answer);
	text = groups_left_out(request->text);
	unwritten = text ? rundir_inheritance_write(process, name, text, file) :
			   -ENOMEM;
	free(text);
	with.text = strdup(request->text);
	with.bytes = request->bytes;
	with.failed = with.text ? 0 : -ENOMEM;
	if (!unwritten)
		client_request_add(&with, "heirs", "%s", file);
	ret = client_call(client, MESSAGE_START, &with, answer);
	client_request_release(&with);
	if (ret && !unwritten)
		rundir_inheritance_remove(process, name);
	if (!ret && unwritten)
		inheritance_tell(process, "will not take part", unwritten,
				 result);
	return ret;
}

char *inheritance_edit(const char *text, const char *rule,
		       enum rule_change change)
{
	char *kept, *all = NULL;
	size_t bytes;

	/* without a rule, the session has that of all markers */
	kept = rules_left_out(text, rule);
	/* somebody may have left out the last newline */
	bytes = kept ? strlen(kept) : 0;
	if (kept && asprintf(&all, "%s%s%s%s%s%s%s", kept,
			     bytes && kept[bytes - 1] != '\n' ? "\n" : "",
			     strstr(text, "rule=") ? "" : "rule=*\n",
			     change == RULE_ON ? line_rule_text(rule) : "",
			     change == RULE_ON	? "rule=" :
			     change == RULE_OFF ? "unrule=" : "",
			     change == RULE_BACK ? "" : rule,
			     change == RULE_BACK ? "" : "\n") < 0)
		all = NULL;
	free(kept);
	return all;
}

enum rule_change inheritance_rule(const char *text, const char *rule,
				  struct client_request *request)
{
	const char *begin = text, *from = NULL, *to = NULL;
	const char *line, *next, *value;
	enum rule_change change = RULE_BACK;
	size_t bytes;

	rule_condition(rule, &bytes);
	for (line = text; *line; line = next) {
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		if (is_description(line))
			continue;
		if (has_glob(line, rule, bytes)) {
			from = begin;
			to = next;
			change = *line == 'u' ? RULE_OFF : RULE_ON;
		}
		begin = next;
	}
	for (line = from; line < to; line += strcspn(line, "\n") + 1) {
		value = line + strcspn(line, "=") + 1;
		client_request_add(request, *line == 's' ? "spot" :
				   *line == 'f' ? "field" : "rule", "%.*s",
				   (int)strcspn(value, "\n"), value);
	}
	return change;
}

void inheritance_change(const struct rundir_process *process, const char *name,
			const char *rule, enum rule_change change, int *result)
{
	char file[NAME_MAX + 1], *text = NULL, *all = NULL;
	int ret = rundir_inheritance_read(process, name, &text);

	if (ret == -ENOENT)
		return;
	if (!ret)
		all = inheritance_edit(text, rule, change);
	if (!ret)
		ret = all ? rundir_inheritance_write(process, name, all, file) :
			    -ENOMEM;
	free(all);
	free(text);
	if (ret)
		inheritance_tell(process, "keep the rules of before", ret,
				 result);
}
