/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Addresses of a trace that are shown with their symbol. See symbols.h.
 *
 * What must stay true here: packets are of unknown origin, and may change while
 * they are read.
 */
#include "traces/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "buffers/reader/step.h"
#include "taffrail/site.h"
#include "tracepoints/fields/shown.h"
#include "traces/tsdl/enumeration.h"
#include "traces/tsdl/scalar-type.h"

#define ROOM_LEAST	16u

bool symbols_has(const struct event_view *event, int i)
{
	const struct shown_bytes shown = { event->shown,
				     event->shown + event->shown_bytes };
	struct shown_field field;

	return event->types[i] == TAFFRAIL_T_PTR &&
	       shown_find(&field, &shown, (uint32_t)i) &&
	       field.how == TAFFRAIL_HOW_SYMBOL;
}

bool symbols_in(const struct event_view *event)
{
	for (int i = 0; i < event->nfields; i++)
		if (symbols_has(event, i))
			return true;
	return false;
}

bool symbols_needed(const struct session_view *session)
{
	for (size_t i = 0; i < session->nevents; i++)
		if (symbols_in(session->events[i]))
			return true;
	return false;
}

static size_t slot_of(const struct trace_symbols *symbols, uint64_t address)
{
	return (size_t)(address * 0x9e3779b97f4a7c15ull >> 32) &
	       (symbols->room - 1);
}

/* Returns the use of an address in an epoch, or a free place. */
static struct symbol_use *find(const struct trace_symbols *symbols,
			       uint64_t address, uint32_t epoch)
{
	size_t i = slot_of(symbols, address);

	while (symbols->uses[i].epoch && (symbols->uses[i].epoch != epoch ||
					  symbols->uses[i].address != address))
		i = (i + 1) & (symbols->room - 1);
	return &symbols->uses[i];
}

/* Makes room for one more; false: there is none. */
static bool make_room(struct trace_symbols *symbols)
{
	struct trace_symbols more = *symbols;

	if (symbols->nuses >= SYMBOLS_USES_MAX)
		return false;
	if (symbols->nuses * 2 < symbols->room)
		return true;
	more.room = symbols->room ? symbols->room * 2 : ROOM_LEAST;
	more.uses = calloc(more.room, sizeof(*more.uses));
	if (!more.uses)
		return false;
	for (size_t i = 0; i < symbols->room; i++)
		if (symbols->uses[i].epoch)
			*find(&more, symbols->uses[i].address,
			      symbols->uses[i].epoch) = symbols->uses[i];
	free(symbols->uses);
	*symbols = more;
	return true;
}

/* Makes what was noted of an address true at no time. */
static void spoil(struct trace_symbols *symbols, uint64_t address)
{
	if (!symbols->room)
		return;
	for (size_t i = slot_of(symbols, address); symbols->uses[i].epoch;
	     i = (i + 1) & (symbols->room - 1)) {
		if (symbols->uses[i].address != address)
			continue;
		symbols->uses[i].first = 0;
		symbols->uses[i].last = UINT64_MAX;
	}
}

static void note(struct trace_symbols *symbols, uint64_t address,
		 uint32_t epoch, uint64_t clock)
{
	struct symbol_use *use = symbols->room ? find(symbols, address, epoch) :
						 NULL;

	if (!use || !use->epoch) {
		if (!make_room(symbols)) {
			spoil(symbols, address);
			return;
		}
		use = find(symbols, address, epoch);
		*use = (struct symbol_use){ address, clock, clock, epoch };
		symbols->nuses++;
	}
	if (clock < use->first)
		use->first = clock;
	if (clock > use->last)
		use->last = clock;
}

/* Returns how many changes of modules the session tells up to a time, and 1. */
static uint32_t epoch_at(const struct session_view *session, uint64_t clock)
{
	size_t n = session->nmodules;

	while (n && session->modules[n - 1]->head.from > clock)
		n--;
	return (uint32_t)n + 1;
}

void symbols_note(struct trace_symbols *symbols,
		  const struct packet_format *format,
		  const struct session_view *session,
		  const struct packet *packet)
{
	struct cursor c = { packet->events,
			    (const uint8_t *)packet->events +
				    packet->event_bytes,
			    packet->head.timestamp_begin, 0 };
	const struct event_shape *shape;
	uint64_t address;

	while (c.p < c.end) {
		if (cursor_header(&c, format->large) ||
		    c.id >= format->nshapes ||
		    cursor_skip(&c, format->context_bytes))
			return;
		shape = &format->shapes[c.id];
		for (const uint16_t *step = shape->steps; *step; step++) {
			if (step_one(&c, *step))
				return;
			if (*step != STEP_SYMBOL)
				continue;
			memcpy(&address, c.p - sizeof(address),
			       sizeof(address));
			if (address)
				note(symbols, address,
				     epoch_at(session, c.clock), c.clock);
		}
	}
}

void symbols_put(FILE *out, const struct session_view *session,
		 const struct trace_symbols *symbols)
{
	size_t n = symbols ? symbols->nnames : 0;

	if (!symbols_needed(session))
		return;
	fputs("\ntypealias ", out);
	if (n)
		fputs("enum : ", out);
	scalar_put_type(out, scalar_of(TAFFRAIL_T_PTR), 0);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? ",\n\t\"" : " {\n\t\"", out);
		metadata_escape(out, symbols->names[i].name);
		fprintf(out, "\" = 0x%llx",
			(unsigned long long)symbols->names[i].address);
	}
	fprintf(out, "%s := " SYMBOLS_TYPE ";\n", n ? "\n}" : "");
}

void symbols_forget(struct trace_symbols *symbols)
{
	free(symbols->uses);
	symbols->uses = NULL;
	symbols->room = 0;
	symbols->nuses = 0;
}

void symbols_free(struct trace_symbols *symbols)
{
	symbols_forget(symbols);
	for (size_t i = 0; i < symbols->nnames; i++)
		free(symbols->names[i].name);
	free(symbols->names);
	symbols->names = NULL;
	symbols->nnames = 0;
}
