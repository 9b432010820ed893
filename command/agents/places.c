/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tells which places are not switched. See places.h.
 *
 * Invariant: a page is not trusted; a line that makes no sense is left out.
 */
#include "command/agents/places.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/agents/rule.h"
#include "command/common/command.h"
#include "command/common/counted.h"
#include "command/elf/process-markers.h"
#include "tracepoints/usdt/plan/plan.h"

/* Those of one page have room there. */

#define UNREAD		"the program cannot read its file"

/* Tells whether a rule names the place: the marker's, or the marker's that a
 * guard is for. */
static bool place_named(const struct place *place, const char *rule)
{
	char id[sizeof(place->id)];
	char *guard;

	strcpy(id, place->id);
	guard = strstr(id, SESSION_UNTAKEN_GUARD);
	if (guard)
		*guard = '\0';
	return rule_matches(rule, id, *place->module ? place->module : NULL);
}

/* Adds a place. A line that does not hold any more tells nothing new of one
 * that is there. */
static void place_add(struct places *places, const struct place *place,
		      bool holds)
{
	struct place *more;

	for (size_t i = 0; i < places->count; i++) {
		struct place *old = &places->places[i];

		if (strcmp(old->id, place->id) ||
		    (places->ended ? old->in_file != place->in_file :
				     old->pid != place->pid ||
				     old->address != place->address))
			continue;
		if (holds && (place->why || !places->ended))
			old->why = place->why;
		return;
	}
	if (!place->why)
		return;
	more = reallocarray(places->places, places->count + 1, sizeof(*more));
	if (!more) {
		places->more++;
		return;
	}
	places->places = more;
	more[places->count++] = *place;
}

/* Adds the probes of a module whose file the agent cannot read, as this command
 * finds them there; `file` is the module's line. */
static void file_add(struct places *places, const struct place *file,
		     const char *rule)
{
	struct marker_list probes = { 0 };
	struct place place = *file;
	char glob[sizeof(file->id)];

	strcpy(glob, file->id);
	*strstr(glob, SESSION_UNTAKEN_FILE) = '\0';
	process_probes_read(&probes, file->pid);
	for (size_t i = 0; i < probes.count; i++) {
		const struct marker *m = &probes.markers[i];

		if (m->address < file->address || m->address >= file->in_file ||
		    !rule_matches(glob, m->id, NULL) ||
		    (rule && !rule_matches(rule, m->id, NULL)))
			continue;
		snprintf(place.id, sizeof(place.id), "%s", m->id);
		place.address = m->address;
		place.in_file = m->address - file->address;
		place.unread = true;
		place_add(places, &place, true);
	}
	marker_list_free(&probes);
}

void places_join(struct places *places, const struct places *others)
{
	/* that one session has switched it does not help another */
	for (size_t i = 0; i < others->count; i++)
		if (others->places[i].why)
			place_add(places, &others->places[i], true);
	places->more += others->more;
}

void places_take(struct places *places, pid_t pid,
		 const struct session_page *page, const char *rule)
{
	size_t n, bytes = page->untaken_bytes < sizeof(page->untaken) ?
				  page->untaken_bytes : 0;
	struct places own = { .more = page->untaken_more,
			      .ended = places->ended };
	struct place place = { .pid = pid };
	char text[SESSION_UNTAKEN_BYTES + 1], *p, *line;
	bool holds;

	memcpy(text, page->untaken, bytes);
	text[bytes] = '\0';
	for (line = text; *line; line += strcspn(line, "\n"),
				 line += *line == '\n') {
		n = strcspn(line, "\t");
		if (!n || n >= sizeof(place.id) || line[n] != '\t')
			continue;
		memcpy(place.id, line, n);
		place.id[n] = '\0';
		place.address = strtoull(line + n + 1, &p, 16);
		if (*p != '\t')
			continue;
		place.in_file = strtoull(p + 1, &p, 16);
		holds = *p == '\t';
		if (!holds && (*p != SESSION_UNTAKEN_PAST || !own.ended))
			continue;
		place.why = (int)strtol(p + 1, &p, 10);
		n = *p == '\t' ? strcspn(++p, "\n") : 0;
		snprintf(place.module, sizeof(place.module), "%.*s", (int)n, p);
		if (p[n] != '\n')
			continue;
		if (strstr(place.id, SESSION_UNTAKEN_FILE))
			file_add(&own, &place, rule);
		else if (!rule || place_named(&place, rule))
			place_add(&own, &place, holds);
	}
	places_join(places, &own);
	places_free(&own);
}

void places_take_living(struct places *places,
			const struct rundir_process *process,
			const char *name, const char *rule)
{
	struct session_page page;
	struct process_page head;

	if (name) {
		if (!rundir_find_session(process, process->image, name, &page))
			places_take(places, process->pid, &page, rule);
		return;
	}
	if (rundir_read_process(process, process->image, &head))
		return;
	for (uint32_t i = 0; i < head.sessions; i++)
		if (!rundir_read_session(process, process->image, i, &page) &&
		    page.state == SESSION_ACTIVE)
			places_take(places, process->pid, &page, rule);
}

void places_page_add(struct session_page *page, const char *key,
		     const char *value)
{
	size_t room = sizeof(page->untaken) - page->untaken_bytes;

	if (!strcmp(key, "untaken_more"))
		page->untaken_more = (uint32_t)strtoul(value, NULL, 10);
	else if (!strcmp(key, "untaken") && strlen(value) + 2 < room)
		page->untaken_bytes += (uint32_t)sprintf(
			page->untaken + page->untaken_bytes, "%s\n", value);
}

bool places_named(const struct places *places, const char *rule)
{
	for (size_t i = 0; i < places->count; i++)
		if (places->places[i].why &&
		    place_named(&places->places[i], rule))
			return true;
	return false;
}

/* Returns true for an event of LTTng-UST that no marker can say. */
static bool is_left_out(int why)
{
#define LEFT_OUT(error, words)	why == -(error) ||
	return
#include "tracepoints/lttng/left-out.def"
		false;
#undef LEFT_OUT
}

bool places_leave_out(const struct places *places, const char *id)
{
	for (size_t i = 0; i < places->count; i++)
		if (is_left_out(places->places[i].why) &&
		    !strcmp(places->places[i].id, id))
			return true;
	return false;
}

/* Tells whether it is a place in a function, not a probe. */
static bool is_function(const struct place *place)
{
	return !strncmp(place->id, "fn/", 3) || !strncmp(place->id, "line/", 5);
}

/* Tells whether a trap could be there. */
static bool needs_trap(const struct place *place)
{
	return place->why > 0 &&
	       (!is_function(place) || place->why & USDT_TRAPS);
}

/* Returns the cause for which a place is not switched. */
static enum cause_id place_cause(const struct place *place)
{
	int why = place->why;

	if (is_function(place) && !needs_trap(place) &&
	    why != USDT_NO_DECODER &&
	    (why > 0 || why == -EFAULT || why == -ERANGE ||
	     why == -EADDRINUSE))
		return CAUSE_FUNCTION_NO_JUMP;
	return place->unread	      ? CAUSE_PLACE_OFF :
	       is_left_out(why)	      ? CAUSE_EVENT_LEFT_OUT :
	       why == USDT_NO_DECODER ? CAUSE_PLACE_UNDECODED :
	       why > 0		      ? CAUSE_PLACE_NEEDS_TRAP :
	       why == -EBUSY	      ? CAUSE_PLACE_IS_CHANGED :
	       why == -EAGAIN || why == -EPERM ? CAUSE_PLACE_TRAP_BLOCKED :
	       why == -EFAULT	      ? CAUSE_PLACE_MAY_FAULT :
	       why == -ECANCELED      ? CAUSE_PLACE_CONFINED : CAUSE_PLACE_OFF;
}

/* Returns the reason of a place's number in words. */
static const char *place_reason(int why)
{
	if (why > 0)
		why &= ~USDT_TRAPS;
	return why > 0 && why < USDT_REASONS ?
		       usdt_reason_text((enum usdt_reason)why) :
	       why > 0		? "no jump can be there" :
	       why == -ESTALE	? MARKER_MOVED :
	       why == -ERANGE	? MARKER_REACH :
	       why == -ELIBACC	? "the agent has no libtaffrail-usdt.so" :
	       why == -EBUSY || why == -EADDRINUSE || why == -EAGAIN ||
			       why == -EPERM || why == -EFAULT ||
			       why == -ECANCELED || is_left_out(why) ?
				  marker_refusal(why) + strlen(MARKER_OFF) :
				  strerror(-why);
}

/* Returns the reason in words, which are valid until the next call. */
static const char *places_why(const struct place *place)
{
	static char text[160];

	snprintf(text, sizeof(text), "%s%s", place->unread ? UNREAD ": " :
		 needs_trap(place) ? "it needs a trap for each hit: " : "",
		 place->unread ? strerror(-place->why) :
				 place_reason(place->why));
	return text;
}

void places_mark(struct places *places, struct marker_list *markers)
{
	for (size_t i = 0; i < places->count; i++) {
		struct place *place = &places->places[i];

		for (size_t k = 0; k < markers->count; k++) {
			struct marker *m = &markers->markers[k];

			if (m->address != place->address)
				continue;
			if (place->why == -ESTALE && m->kind != MARKER_USDT) {
				m->placement = PLACED_NOT;
				m->why = MARKER_MOVED;
				place->why = 0;
			}
			if (!place->why || m->enabled || m->kind != MARKER_USDT)
				continue;
			if (needs_trap(place))
				m->placement = PLACED_INT3;
			m->why = place->unread ? UNREAD :
				 place->why > 0 || place->why == -ELIBACC ?
					 place_reason(place->why) :
					 marker_refusal(place->why);
		}
	}
}

/* Returns the next place from number i on whose marker a tool has moved, in
 * this process, or in any that has ended; NULL if there is none. */
static struct place *moved_next(const struct places *places, size_t i,
				pid_t pid)
{
	for (; i < places->count; i++)
		if (places->places[i].why == -ESTALE &&
		    (places->ended || places->places[i].pid == pid))
			return &places->places[i];
	return NULL;
}

/* Prints the markers that a tool has moved in this process, or in all that have
 * ended, and takes them out of the list. A name stands there once, though it
 * may be that of places of several files. */
static void moved_tell(struct places *places, pid_t pid)
{
	char names[CAUSE_TEXT_BYTES] = "", subject[CAUSE_SUBJECT_BYTES];
	struct place *place, *other;
	struct cause cause;
	size_t used, n = 0;

	for (size_t i = 0; (place = moved_next(places, i, pid));
	     i = place + 1 - places->places) {
		other = moved_next(places, 0, pid);
		while (strcmp(other->id, place->id))
			other = moved_next(places, other + 1 - places->places,
					   pid);
		if (other != place)
			continue;
		n++;
		used = strlen(names);
		if (used + strlen(place->id) + sizeof(", , ...") < sizeof(names))
			sprintf(names + used, "%s%s", used ? ", " : "",
				place->id);
		else if (names[used - 1] != '.')
			strcpy(names + used, ", ...");
	}
	while ((place = moved_next(places, 0, pid)))
		place->why = 0;
	snprintf(subject, sizeof(subject), "%s%s %s",
		 places->more ? "at least " : "", counted(n, "marker"),
		 agreed(n, "has", "have"));
	cause_set(&cause, 0, MARKERS_MOVED, .pid = places->ended ? 0 : pid,
		  .text = names, .subject = subject);
	cause_tell(&cause);
}

void places_json(const struct places *places, struct json *json)
{
	char address[24];

	json_open(json, "untaken", '[');
	for (size_t i = 0; i < places->count; i++) {
		const struct place *place = &places->places[i];

		snprintf(address, sizeof(address), "0x%" PRIx64,
			 place->address);
		json_open(json, NULL, '{');
		json_string(json, "id", place->id);
		json_string(json, "address", address);
		json_string(json, "why", places_why(place));
		json_close(json, '}');
	}
	json_close(json, ']');
	json_number(json, "untaken_more", places->more);
}

int places_tell(struct places *places)
{
	int status = places->more ? COMMAND_FAILED : COMMAND_DONE;
	uint64_t told = 0; /* causes, from the first one on */
	char text[CAUSE_TEXT_BYTES], where[48];
	struct cause cause;

	for (size_t i = 0; i < places->count; i++) {
		struct place *place = &places->places[i], *other = place;
		bool guard = strstr(place->id, SESSION_UNTAKEN_GUARD);
		size_t n = 1;

		if (!place->why)
			continue;
		if (!places->lenient || !is_left_out(place->why))
			status = COMMAND_FAILED;
		if (place->why == -ESTALE) {
			moved_tell(places, place->pid);
			continue;
		}
		/* the same place of other processes */
		while (++other < places->places + places->count)
			if (other->why == place->why &&
			    other->in_file == place->in_file &&
			    other->unread == place->unread &&
			    other->pid != place->pid &&
			    !strcmp(other->id, place->id)) {
				other->why = 0;
				n++;
			}
		snprintf(where, sizeof(where), n > 1 ? " in %zu processes" : "",
			 n);
		snprintf(text, sizeof(text), "%s at 0x%" PRIx64 " %s%s: %s",
			 marker_shown(place->id), n > 1 || places->ended ?
			 place->in_file : place->address,
			 guard ? "stays off" : "is not traced", where,
			 places_why(place));
		cause_fill(&cause, 0, place_cause(place),
			   &(struct cause_slots){
				   .pid = n > 1 || places->ended ? 0 :
					  place->pid,
				   .text = text });
		cause_tell_fact(&cause);
		/* others have no remedy */
		if (cause.id <= CAUSE_EVENT_LEFT_OUT)
			told |= 1ull << (cause.id - CAUSE_PLACE_NEEDS_TRAP);
	}
	if (places->more)
		command_failed("%s %s not traced", counted(places->more,
							   "more place"),
			       agreed(places->more, "is", "are"));
	for (int id = CAUSE_PLACE_NEEDS_TRAP; id <= CAUSE_EVENT_LEFT_OUT; id++)
		if (told >> (id - CAUSE_PLACE_NEEDS_TRAP) & 1)
			cause_tell_remedy((enum cause_id)id);
	places_free(places);
	return status;
}

void places_free(struct places *places)
{
	free(places->places);
	*places = (struct places){ .ended = places->ended };
}
