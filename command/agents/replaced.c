/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Says which files were replaced or removed. See replaced.h.
 */
#include "command/agents/replaced.h"

#include <stdbool.h>
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

/* Tells a file that was replaced or removed (`now` is ""). With a rule, only
 * one that has a USDT probe now which the rule selects. */
static void file_tell(const char *path, const char *now, void *arg)
{
	struct replaced *replaced = arg;
	const char *rule = replaced->rule;
	char error[ELFNOTES_ERROR_BYTES];
	struct marker_list list = { 0 };
	bool found = !rule;
	struct cause cause;

	/* only rules that name a provider select probes */
	if (rule && *now && rule[strcspn(rule, "*?[/:")] == '/') {
		elfnotes_read(&list, now, 0, error);
		for (size_t i = 0; i < list.count; i++)
			found |= list.markers[i].kind == MARKER_USDT &&
				 rule_matches(rule, list.markers[i].id, NULL);
		marker_list_free(&list);
	}
	if (!found)
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

int replaced_tell(pid_t pid, const char *rule)
{
	struct replaced replaced = { pid, rule, 0 };

	process_each_unread(pid, file_tell, &replaced);
	return replaced.told;
}
