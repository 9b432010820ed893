/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tells which places are not switched. See untaken.h.
 *
 * What must stay true: a page is not trusted; a line of it that makes no sense
 * is left out.
 */
#include "command/processes/untaken.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/common/command.h"
#include "command/common/counted.h"
#include "command/processes/rule.h"
#include "tracepoints/usdt/plan/plan.h"

/* Reads a line of a page, which ends in a newline. */
static bool line_read(struct untaken_place *place, const char *line)
{
	size_t n = strcspn(line, "\t");
	char *end;

	if (!n || n >= sizeof(place->id) || line[n] != '\t')
		return false;
	memcpy(place->id, line, n);
	place->id[n] = '\0';
	place->address = strtoull(line + n + 1, &end, 16);
	if (*end != '\t')
		return false;
	place->in_file = strtoull(end + 1, &end, 16);
	if (*end != '\t')
		return false;
	place->why = (int)strtol(end + 1, &end, 10);
	return *end == '\n';
}

static bool is_same(const struct untaken_list *list,
		    const struct untaken_place *a,
		    const struct untaken_place *b)
{
	return !strcmp(a->id, b->id) &&
	       (list->ended ? a->in_file == b->in_file :
			      a->pid == b->pid && a->address == b->address);
}

static void place_add(struct untaken_list *list,
		      const struct untaken_place *place)
{
	struct untaken_place *more;

	for (size_t i = 0; i < list->count; i++) {
		if (!is_same(list, &list->places[i], place))
			continue;
		if (place->why || !list->ended)
			list->places[i].why = place->why;
		return;
	}
	if (!place->why)
		return;
	more = reallocarray(list->places, list->count + 1, sizeof(*more));
	if (!more) {
		list->more++;
		return;
	}
	list->places = more;
	more[list->count++] = *place;
}

size_t untaken_take(struct untaken_list *list, pid_t pid,
		    const struct session_page *page, const char *rule)
{
	size_t bytes = page->untaken_bytes < sizeof(page->untaken) ?
			       page->untaken_bytes : 0;
	struct untaken_list own = { .ended = list->ended };
	struct untaken_place place;
	char text[SESSION_UNTAKEN_BYTES + 1];
	size_t n = 0;

	memcpy(text, page->untaken, bytes);
	text[bytes] = '\0';
	for (char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		place.pid = pid;
		if (line_read(&place, p) &&
		    (!rule || rule_matches(rule, place.id)))
			place_add(&own, &place);
	}
	for (size_t i = 0; i < own.count; i++) {
		place_add(list, &own.places[i]);
		n += !!own.places[i].why;
	}
	free(own.places);
	list->more += page->untaken_more;
	return n + page->untaken_more;
}

void untaken_take_living(struct untaken_list *list,
			 const struct rundir_process *process,
			 const char *name, const char *rule)
{
	struct session_page page;
	struct process_page head;

	if (name) {
		if (!rundir_find_session(process, process->image, name, &page))
			untaken_take(list, process->pid, &page, rule);
		return;
	}
	if (rundir_read_process(process, process->image, &head))
		return;
	for (uint32_t i = 0; i < head.sessions; i++)
		if (!rundir_read_session(process, process->image, i, &page) &&
		    page.state == SESSION_ACTIVE)
			untaken_take(list, process->pid, &page, rule);
}

bool untaken_named(const struct untaken_list *list, const char *rule)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->places[i].why &&
		    rule_matches(rule, list->places[i].id))
			return true;
	return false;
}

/* What helps. */
enum help { HELP_TRAP, HELP_DECODER, HELP_CODE, HELP_SIGNAL, HELP_OTHER };

static const char *const helps[] = {
	[HELP_TRAP] = "places that need a trap are traced with --int3 (record, "
		"start) or TAFFRAIL_INT3=on (TAFFRAIL_ENABLE)",
	[HELP_DECODER] = "install libZydis (libzydis4.0), or allow traps by "
		"--int3 (record, start) or TAFFRAIL_INT3=on (TAFFRAIL_ENABLE)",
	[HELP_CODE] = "when the breakpoint or uprobe there is gone, give the "
		"rule again (taffrail enable)",
	[HELP_SIGNAL] = "when no thread blocks SIGTRAP, and the program does "
		"not ignore it, give the rule again (taffrail enable)",
	[HELP_OTHER] = "when that is mended, give the rule again (taffrail "
		"enable)",
};

static enum help help_for(int why)
{
	return why == USDT_NO_DECODER ? HELP_DECODER :
	       why > 0		      ? HELP_TRAP :
	       why == -EBUSY	      ? HELP_CODE :
	       why == -EAGAIN || why == -EPERM ? HELP_SIGNAL : HELP_OTHER;
}

static const char *reason(int why)
{
	return why > 0 && why < USDT_REASONS ?
		       usdt_reason_text((enum usdt_reason)why) :
	       why > 0		? "no jump can be there" :
	       why == -EBUSY	? "another program's code is there" :
	       why == -EAGAIN	? "a thread blocks SIGTRAP" :
	       why == -EPERM	? "the program ignores SIGTRAP" :
				  strerror(-why);
}

void untaken_mark(const struct untaken_list *list, struct marker_list *markers)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct untaken_place *place = &list->places[i];

		for (size_t k = 0; place->why && k < markers->count; k++) {
			struct marker *m = &markers->markers[k];

			if (m->address != place->address || m->enabled ||
			    m->kind != MARKER_USDT)
				continue;
			if (place->why > 0)
				m->placement = PLACED_INT3;
			if (place->why > 0 || !m->why)
				m->why = reason(place->why);
		}
	}
}

static void place_tell(const struct untaken_list *list,
		       const struct untaken_place *place)
{
	char where[32] = "";

	if (!list->ended)
		snprintf(where, sizeof(where), "process %d: ", place->pid);
	command_failed("%s%s at 0x%" PRIx64 " is not traced: %s%s", where,
		       place->id, list->ended ? place->in_file : place->address,
		       place->why > 0 ? "it needs a trap for each hit: " : "",
		       reason(place->why));
}

int untaken_tell(struct untaken_list *list)
{
	int status = list->more ? COMMAND_FAILED : COMMAND_DONE;
	unsigned int needed = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (!list->places[i].why)
			continue;
		place_tell(list, &list->places[i]);
		needed |= 1u << help_for(list->places[i].why);
		status = COMMAND_FAILED;
	}
	if (list->more)
		command_failed("%s %s not traced", counted(list->more,
							   "more place"),
			       agreed(list->more, "is", "are"));
	for (int i = 0; i <= HELP_OTHER; i++)
		if (needed >> i & 1)
			command_warn("%s", helps[i]);
	free(list->places);
	*list = (struct untaken_list){ .ended = list->ended };
	return status;
}
