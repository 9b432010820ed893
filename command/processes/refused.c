/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tells of markers that are not on everywhere. See refused.h.
 *
 * What must stay true: a page is input. Its text may lack its end, and has any
 * character.
 */
#include "command/processes/refused.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/common/command.h"
#include "command/common/counted.h"
#include "command/elf/markers.h"
#include "command/processes/rule.h"

#define MARK		"\tplaces "
#define NAMES_BYTES	400

const char *refused_why(int error)
{
	return error == ESTALE ? MARKER_MOVED :
	       error == EBUSY  ? MARKER_OTHER :
				 strerror(error);
}

int refused_next(const struct session_page *page, size_t *position,
		 char id[REFUSED_ID_BYTES])
{
	size_t end = page->fault_bytes < sizeof(page->faults) ?
			     page->fault_bytes : 0;

	while (*position < end) {
		const char *line = page->faults + *position;
		const char *next = memchr(line, '\n', end - *position);
		size_t n = next ? (size_t)(next - line) : end - *position;
		const char *mark = memmem(line, n, MARK, strlen(MARK));
		int error = mark ? atoi(mark + strlen(MARK)) : 0;

		*position += n + !!next;
		if (!next || error <= 0)
			continue;
		n = (size_t)(mark - line);
		if (n >= REFUSED_ID_BYTES)
			n = REFUSED_ID_BYTES - 1;
		for (size_t i = 0; i < n; i++)
			id[i] = iscntrl((unsigned char)line[i]) ? '?' : line[i];
		id[n] = '\0';
		return error;
	}
	return 0;
}

/* Returns whether the rule names the marker, or the one that a guard is for. */
static bool names(const char *rule, const char *id)
{
	char marker[REFUSED_ID_BYTES];

	snprintf(marker, sizeof(marker), "%.*s", (int)strcspn(id, " "), id);
	return rule_matches(rule, marker);
}

/* Prints the markers whose places have this error. Returns their number. */
static size_t tell_error(pid_t pid, const struct session_page *page,
			 const char *rule, int error, bool more)
{
	char id[REFUSED_ID_BYTES], list[NAMES_BYTES] = "";
	size_t position = 0, count = 0, used;
	int found;

	while ((found = refused_next(page, &position, id))) {
		if (found != error || (rule && !names(rule, id)))
			continue;
		used = strlen(list);
		if (used + strlen(id) + sizeof(", ...") < sizeof(list))
			sprintf(list + used, "%s%s", count ? ", " : "", id);
		else if (list[used - 1] != '.')
			strcpy(list + used, ", ...");
		count++;
	}
	if (count)
		command_failed("process %d: %s%s %s no events, or not all: "
			       "%s: %s%s%s", pid, more ? "at least " : "",
			       counted(count, "marker"),
			       agreed(count, "has", "have"),
			       refused_why(error), list,
			       error == ESTALE ? "; " : "",
			       error == ESTALE ? MARKER_REMEDY : "");
	return count;
}

bool refused_tell(pid_t pid, const struct session_page *page, const char *rule)
{
	char id[REFUSED_ID_BYTES];
	size_t position = 0, told = 0;
	int errors[16], count = 0, error;

	while ((error = refused_next(page, &position, id))) {
		int i = 0;

		while (i < count && errors[i] != error)
			i++;
		if (i < count || count == 16)
			continue;
		errors[count++] = error;
		told += tell_error(pid, page, rule, error, page->refused);
	}
	return told;
}
