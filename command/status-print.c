/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints sessions and their processes, for people or as JSON.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/tunables.h"
#include "command/common/counted.h"
#include "command/common/json.h"
#include "command/common/printable.h"
#include "command/processes/act.h"
#include "command/status-private.h"

static const char *state_word(const struct session *session)
{
	return session->active ? "active" : session->stopped ? "stopped" :
	       "ended";
}

static void json_act(struct json *json, const char *key,
		     const struct session_act *act)
{
	if (!act->realtime_ns)
		return;
	json_open(json, key, '{');
	json_number(json, "uid", act->uid);
	json_number(json, "pid", act->pid);
	json_number(json, "time_ns", act->realtime_ns);
	json_close(json, '}');
}

static void json_places(struct json *json, const struct places *places)
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

static void json_member(struct json *json, const struct member *m)
{
	json_open(json, NULL, '{');
	json_number(json, "pid", m->pid);
	json_string(json, "name", m->name);
	json_bool(json, "alive", m->alive);
	json_number(json, "written", m->written);
	json_number(json, "lost", m->lost);
	json_number(json, "overwritten", m->overwritten);
	json_number(json, "bytes", m->bytes);
	json_number(json, "left_off", m->left_off);
	json_number(json, "buffer", m->buffer);
	json_number(json, "asked", m->asked);
	json_bool(json, "roomless", m->roomless);
	json_places(json, &m->places);
	json_act(json, "started", &m->started);
	json_act(json, "changed", &m->changed);
	json_close(json, '}');
}

void status_print_json(const struct status *s)
{
	struct json json = { .file = stdout };

	json_open(&json, NULL, '{');
	json_open(&json, "sessions", '[');
	for (size_t i = 0; i < s->count; i++) {
		const struct session *session = &s->sessions[i];

		json_open(&json, NULL, '{');
		json_string(&json, "name", session->name);
		json_string(&json, "state", state_word(session));
		json_string(&json, "mode", session->overwrite ? "overwrite" :
			    "discard");
		json_open(&json, "rules", '[');
		for (size_t k = 0; k < session->nrules; k++)
			json_string(&json, NULL, session->rules[k]);
		json_close(&json, ']');
		json_open(&json, "processes", '[');
		for (size_t k = 0; k < session->nmembers; k++)
			json_member(&json, &session->members[k]);
		json_close(&json, ']');
		json_number(&json, "removed_processes",
			    session->removed_processes);
		json_number(&json, "removed_events", session->removed_events);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	shown_json(&s->shown, &json);
	json_places(&json, &s->places);
	json_close(&json, '}');
	json_end(&json);
}

/* Prints the first start of the session, and its last change, in any of its
 * processes. */
static void print_acts(const struct session *session)
{
	const struct session_act *first = NULL, *last = NULL;

	for (size_t i = 0; i < session->nmembers; i++) {
		const struct member *m = &session->members[i];

		if (m->started.realtime_ns &&
		    (!first || m->started.realtime_ns < first->realtime_ns))
			first = &m->started;
		if (m->changed.realtime_ns &&
		    (!last || m->changed.realtime_ns > last->realtime_ns))
			last = &m->changed;
	}
	if (first)
		act_print("  started", first);
	if (last)
		act_print(first ? "; changed" : "  changed", last);
	if (first || last)
		printf("\n");
}

static void print_member(const struct member *m)
{
	printable_print("%9d %-16s %12" PRIu64 " %10" PRIu64 " %12" PRIu64
			" %14" PRIu64 "%s\n", m->pid, m->name, m->written,
			m->lost, m->overwritten, m->bytes,
			m->alive ? "" : "  dead");
	if (m->left_off)
		printf("%9s %s %s not enabled: no room for %s\n", "",
		       counted(m->left_off, "marker"),
		       agreed(m->left_off, "is", "are"),
		       agreed(m->left_off, "its description",
			      "their descriptions"));
	if (m->roomless)
		printf("%9s no room for some buffers (%s): their events are "
		       "lost\n", "", strerror(m->roomless));
	else if (m->buffer < m->asked)
		printf("%9s no room for buffers of %uK: it has %uK\n", "",
		       m->asked / 1024, m->buffer / 1024);
}

void status_print_table(const struct status *s)
{
	if (!s->count && !s->shown.count)
		printf("No sessions.\n");
	for (size_t i = 0; i < s->count; i++) {
		const struct session *session = &s->sessions[i];

		printf("%s%s: %s, %s", i ? "\n" : "", session->name,
		       state_word(session), session->overwrite ? "overwrite" :
		       "discard");
		for (size_t k = 0; k < session->nrules; k++)
			printable_print("%s%s", k ? ", " : "; rules ",
					session->rules[k]);
		printf("\n");
		print_acts(session);
		if (session->nmembers)
			printf("%9s %-16s %12s %10s %12s %14s\n", "PID", "NAME",
			       "WRITTEN", "LOST", "OVERWRITTEN", "BYTES");
		for (size_t k = 0; k < session->nmembers; k++)
			print_member(&session->members[k]);
		if (session->removed_processes)
			printf("  %s with %s %s removed: ended processes' "
			       "buffers had more than %lluM\n",
			       counted(session->removed_processes,
				       "ended process"),
			       counted(session->removed_events, "event"),
			       agreed(session->removed_processes, "was",
				      "were"), KEEP_BYTES >> 20);
	}
	shown_print(&s->shown, s->count ? "\n" : "");
}
