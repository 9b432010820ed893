/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether a rule of the recording has selected a marker of some process.
 *
 * What must stay true: the answer does not depend on the order of the rules. A
 * marker has an event in the trace by any rule that names it. A rule with a
 * condition has selected it only if the marker's fields allow the condition.
 */
#include "command/processes/client.h"
#include "command/record/private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/processes/rule.h"
#include "taffrail/site.h"
#include "tracepoints/conditions/expr.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/fields/fields.h"

#define MET_ROOM	64		/* at first; a power of two */

/* Returns true when the fields of the event allow the condition. */
static bool allows(const struct event_view *event, const char *condition)
{
	struct field_name names[TAFFRAIL_FIELDS_MAX];
	struct expr_fields fields = { names, event->types, event->nfields,
				      { event->shown,
					event->shown + event->shown_bytes } };
	uint8_t code[EXPR_CODE_BYTES(RULE_CONDITION_MAX)];
	struct expr_error error;

	return event->nfields > TAFFRAIL_FIELDS_MAX ||
	       fields_parse(event->text, event->kind, event->nfields, names) ||
	       expr_compile(condition, &fields, code, sizeof(code),
			    &error) >= 0;
}

static bool selects(const char *rule, const struct event_view *event)
{
	char id[RULE_BYTES_MAX];
	const char *condition;
	size_t bytes;

	snprintf(id, sizeof(id), "%s/%s", event->channel, event->name);
	condition = rule_condition(rule, &bytes);
	return rule_matches(rule, id) &&
	       (!condition || allows(event, condition));
}

static bool met_in(const struct session_view *session, const char *rule)
{
	/* without one it is settled */
	for (size_t i = 0; session && i < session->nevents; i++)
		if (selects(rule, session->events[i]))
			return true;
	return false;
}

static bool same(const struct event_view *a, const struct event_view *b)
{
	return a->kind == b->kind && a->nfields == b->nfields &&
	       !memcmp(a->types, b->types, a->nfields) &&
	       a->shown_bytes == b->shown_bytes &&
	       (!a->shown_bytes ||
		!memcmp(a->shown, b->shown, a->shown_bytes)) &&
	       !strcmp(a->channel, b->channel) && !strcmp(a->name, b->name) &&
	       !strcmp(a->text, b->text);
}

static uint64_t mix(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	return hash;
}

/* Returns the place of an event in the table, or that of one like it. */
static size_t place_of(const struct record *record,
		       const struct event_view *event)
{
	uint64_t hash = mix(mix(1, event->channel), event->name);
	size_t i = (hash ^ hash >> 32) & (record->met_room - 1);

	while (record->met[i] && !same(record->met[i], event))
		i = (i + 1) & (record->met_room - 1);
	return i;
}

/* Makes the table twice as large when half of it is used. Returns false without
 * memory. */
static bool make_room(struct record *record)
{
	struct event_view **old = record->met;
	size_t room = record->met_room;

	if (2 * record->nmet < room)
		return true;
	record->met = calloc(room ? 2 * room : MET_ROOM, sizeof(*old));
	if (!record->met) {
		record->met = old;
		return false;
	}
	record->met_room = room ? 2 * room : MET_ROOM;
	for (size_t i = 0; i < room; i++)
		if (old[i])
			record->met[place_of(record, old[i])] = old[i];
	free(old);
	return true;
}

/* Takes an event from its session, unless one like it was taken. Returns false
 * without memory. */
static bool take_event(struct record *record, struct event_view **event)
{
	size_t i;

	if (!make_room(record))
		return false;
	i = place_of(record, *event);
	if (record->met[i])
		return true;
	record->met[i] = *event;
	record->nmet++;
	*event = NULL;
	return true;
}

void record_settle(struct record *record, struct consumer *consumer)
{
	struct session_view *session = consumer->session;
	const char *faults = session ? session->page.faults : "";

	if (*faults && (!record->faults || strcmp(faults, record->faults))) {
		record->faults = faults;
		return;
	}
	if (!consume_settled(consumer))
		return;
	for (size_t i = 0; i < session->nevents; i++)
		if (!take_event(record, &session->events[i]))
			record->failed = -ENOMEM;
	consume_settle(consumer);
}

bool record_met(const struct record *record, const char *rule)
{
	for (size_t i = 0; i < record->met_room; i++)
		if (record->met[i] && selects(rule, record->met[i]))
			return true;
	for (size_t i = 0; i < record->nmembers; i++) {
		const struct record_member *member = record->members[i];

		for (size_t j = 0; j < member->nimages; j++)
			if (met_in(member->images[j]->session, rule))
				return true;
	}
	return false;
}
