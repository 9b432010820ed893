/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Texts of findings.
 *
 * Invariant: a finding does not say "see taffrail doctor": the user reads it.
 */
#include "command/doctor/private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "command/common/command.h"
#include "command/common/counted.h"
#include "traces/text/characters.h"

/* The text may hold names of files and programs, so bytes that a terminal obeys
 * are taken out here, for all checks. */
void found_as(struct finding *f, enum doctor_state state, const char *format,
	      ...)
{
	char *p, *rest;
	va_list ap;

	f->state = state;
	va_start(ap, format);
	vsnprintf(f->found, sizeof(f->found), format, ap);
	va_end(ap);
	while ((p = strstr(f->found, COMMAND_SEE_DOCTOR))) {
		rest = p + strlen(COMMAND_SEE_DOCTOR);
		/* the arguments end the message */
		if (!strncmp(rest, " -", 2))
			rest += strcspn(rest, ";");
		memmove(p, rest, strlen(rest) + 1);
	}
	printable(f->found);
}

/* A remedy that points to this command is left out: the finding stands in the
 * answer. */
void found_cause(struct finding *f, enum doctor_state state,
		 const struct cause *cause)
{
	char line[CAUSE_LINE_BYTES];

	found_as(f, state, "%s", cause_fact(cause, line));
	f->id = cause->id;
	if (*cause_remedy(cause, line) &&
	    strncmp(line, "see taffrail doctor", strlen("see taffrail doctor")))
		found_remedy(f, "%s", line);
}

void found_fill(struct finding *f, enum cause_id id,
		const struct cause_slots *slots)
{
	struct cause cause;

	cause_fill(&cause, 0, id, slots);
	found_cause(f, cause_fails(id) ? DOCTOR_NO : DOCTOR_LIMITED, &cause);
}

void found_more(struct finding *f, const char *format, ...)
{
	size_t used = strlen(f->found);
	va_list ap;

	va_start(ap, format);
	vsnprintf(f->found + used, sizeof(f->found) - used, format, ap);
	va_end(ap);
}

/* A remedy may name a path, too: the same bytes are taken out. */
void found_remedy(struct finding *f, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(f->remedy, sizeof(f->remedy), format, ap);
	va_end(ap);
	printable(f->remedy);
}

/* Files of /proc and /sys end a line with a newline; a longer line is cut. */
const char *first_line(char *line, size_t room, const char *path)
{
	FILE *f = fopen(path, "re");

	line[0] = '\0';
	if (f) {
		if (!fgets(line, (int)room, f))
			line[0] = '\0';
		fclose(f);
	}
	line[strcspn(line, "\n")] = '\0';
	return line;
}

/* "no" if one cannot be traced, "limited" without any: the program has nothing
 * to record. `list` has USDT probes, too, which do not count here. */
void found_markers(struct finding *f, const struct marker_list *list)
{
	const char *why = NULL;
	size_t n = 0, left_out = 0, unplaced;

	for (size_t i = 0; i < list->count; i++) {
		const struct marker *m = &list->markers[i];

		n += m->kind != MARKER_USDT;
		/* LTTng's own library has events of its sessions alone */
		if (!m->why || strncmp(m->why, MARKER_OFF,
				       strlen(MARKER_OFF)) ||
		    !strcmp(m->why, marker_refusal(-ENODATA)))
			continue;
		left_out++;
		why = m->why + strlen(MARKER_OFF);
	}
	unplaced = marker_list_unplaced(list, &why);
	if (unplaced) {
		found(f, MARKERS_UNPLACED, .n = (int64_t)unplaced,
		      .text = why, .subject = counted(n, "marker"));
	} else if (left_out) {
		found(f, EVENTS_LEFT_OUT, .n = (int64_t)left_out, .text = why,
		      .subject = counted(n, "marker"));
	} else if (n) {
		found_as(f, DOCTOR_OK, "%s", counted(n, "marker"));
	} else {
		found(f, NO_MARKER);
	}
}

/* At most "limited": a probe that cannot be placed does not keep the others
 * from being traced. */
void found_probes(const struct doctor *d, struct finding *f,
		  const struct marker_list *list)
{
	size_t all = 0, traps = 0, none = 0;
	char text[96];

	for (size_t i = 0; i < list->count; i++) {
		const struct marker *m = &list->markers[i];

		if (m->kind != MARKER_USDT)
			continue;
		all++;
		traps += m->placement == PLACED_INT3;
		none += m->placement == PLACED_NOT;
	}
	snprintf(text, sizeof(text), "%zu need a trap (--int3), and %zu cannot "
		 "be placed", traps, none);
	if (!all)
		found_as(f, DOCTOR_OK, "no USDT probe");
	else if (!traps && !none)
		found_as(f, DOCTOR_OK, "%s", counted(all, "USDT probe"));
	else
		found(f, PROBES_UNPLACED, .pid = d->pid, .n = (int64_t)all,
		      .text = text, .path = d->pid ? NULL : d->image);
}
