/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Says which files were replaced or removed. See replaced.h.
 */
#include "command/agents/replaced.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "command/agents/rule.h"
#include "command/causes/cause.h"
#include "command/elf/elfnotes.h"
#include "command/elf/process-markers.h"

struct replaced {
	pid_t pid;
	const char *rule;	/* or NULL */
	int told;
};

/* Returns true when a file has a USDT probe that the rule selects. Only rules
 * that name a provider select probes. */
static bool has_probe(const char *file, const char *rule)
{
	char error[ELFNOTES_ERROR_BYTES];
	struct marker_list list = { 0 };
	bool found = false;

	if (!*file || rule[strcspn(rule, "*?[/:")] != '/')
		return false;
	elfnotes_read(&list, file, 0, error);
	for (size_t i = 0; i < list.count; i++)
		found |= list.markers[i].kind == MARKER_USDT &&
			 rule_matches(rule, list.markers[i].id);
	marker_list_free(&list);
	return found;
}

static void file_tell(const char *path, const char *now, void *arg)
{
	struct replaced *replaced = arg;
	struct cause cause;

	if (replaced->rule && !has_probe(now, replaced->rule))
		return;
	replaced->told++;
	if (*now)
		cause_set(&cause, 0, FILE_REPLACED, .pid = replaced->pid,
			  .path = path);
	else
		cause_set(&cause, 0, FILE_REMOVED, .pid = replaced->pid,
			  .path = path);
	cause_tell(&cause);
}

int replaced_tell(pid_t pid)
{
	struct replaced replaced = { pid, NULL, 0 };

	process_each_unread(pid, file_tell, &replaced);
	return replaced.told;
}

int replaced_tell_rule(pid_t pid, const char *rule)
{
	struct replaced replaced = { pid, rule, 0 };

	process_each_unread(pid, file_tell, &replaced);
	return replaced.told;
}
