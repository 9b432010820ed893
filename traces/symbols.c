/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Addresses of a trace that are shown with their symbol. See symbols.h.
 *
 * Invariant: packets are of unknown origin, and may change while
 * they are read.
 */
#include "traces/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "buffers/reader/step.h"
#include "taffrail/site.h"
#include "tracepoints/fields/shown.h"
#include "traces/array.h"
#include "traces/tsdl/tsdl.h"

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

/* The use that index_find() looks for, among those of one address. */
struct use_key {
	struct symbol_use *uses;
	uint32_t epoch;
};

/* Returns whether a use is of an epoch. Callback of index_find(). */
static bool use_has_epoch(uint64_t value, const void *priv)
{
	const struct use_key *key = priv;

	return key->uses[value - 1].epoch == key->epoch;
}

/* Makes a use true at no time. Says that it is another, so that the next one of
 * the address follows. */
static bool use_spoil(uint64_t value, const void *priv)
{
	const struct use_key *key = priv;

	key->uses[value - 1].first = 0;
	key->uses[value - 1].last = UINT64_MAX;
	return 0;
}

/* Widens the times between which an address was met in an epoch, or adds a use.
 * Where there is no room for it, the address has no name at any time: a name
 * that is true only for a part would be wrong in the rest. */
static void use_note(struct trace_symbols *symbols, uint64_t address,
		     uint32_t epoch, uint64_t clock)
{
	struct use_key key = { symbols->uses, epoch };
	/* the product of an odd number and an address is the hash, and no
	 * other address has it */
	uint64_t hash = address * 0x9e3779b97f4a7c15ull;
	uint64_t at = index_find(&symbols->index, hash, use_has_epoch, &key);
	struct symbol_use *use = at ? &symbols->uses[at - 1] : NULL;
	size_t n = symbols->nuses;

	if (use) {
		use->first = min_u64(use->first, clock);
		use->last = max_u64(use->last, clock);
		return;
	}
	if (n < SYMBOLS_USES_MAX &&
	    array_grow(&symbols->uses, n, sizeof(*use))) {
		symbols->uses[n] = (struct symbol_use){ address, clock, clock,
							epoch };
		if (!index_add(&symbols->index, hash, n + 1)) {
			symbols->nuses++;
			return;
		}
	}
	key.uses = symbols->uses;	/* they may have moved */
	index_find(&symbols->index, hash, use_spoil, &key);
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
	bool shared = session_view_shared(session);
	const struct event_shape *shape;
	struct writer_record writer = packet->writer;
	uint64_t address;
	size_t epoch;

	while (c.p < c.end) {
		/* damage ends the walk: addresses behind it have no name */
		if (cursor_header(&c, format->kind) ||
		    c.id >= format->nshapes ||
		    cursor_skip(&c, format->context_bytes))
			return;
		shape = &format->shapes[c.id];
		if (shared && c.id == cursor_writer_id(format->kind) &&
		    cursor_room(&c) >= sizeof(writer))
			memcpy(&writer, c.p, sizeof(writer));
		for (const uint16_t *step = shape->steps; *step; step++) {
			if (step_one(&c, *step))
				return;
			if (*step != STEP_SYMBOL)
				continue;
			memcpy(&address, c.p - sizeof(address),
			       sizeof(address));
			/* modules that the session knows at that time */
			epoch = session->nmodules;
			while (epoch && session->modules[epoch - 1]->head.from >
					c.clock)
				epoch--;
			if (address)
				use_note(symbols, address, shared ?
					 writer.process : (uint32_t)epoch + 1,
					 c.clock);
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

static int by_process(const void *left, const void *right)
{
	const struct symbol_use *a = left, *b = right;

	return a->epoch < b->epoch ? -1 : a->epoch > b->epoch;
}

static int by_address(const void *left, const void *right)
{
	const struct symbol_name *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* Returns the first use of a process; they are in order then. */
static size_t uses_of(struct trace_symbols *symbols, uint32_t process)
{
	size_t from = 0, n = symbols->nuses;

	if (!symbols->sorted && n)
		qsort(symbols->uses, n, sizeof(*symbols->uses), by_process);
	symbols->sorted = true;
	while (n) {
		if (symbols->uses[from + n / 2].epoch < process) {
			from += n / 2 + 1;
			n -= n / 2 + 1;
		} else {
			n /= 2;
		}
	}
	return from;
}

void symbols_part(struct trace_symbols *part, struct trace_symbols *symbols,
		  uint32_t process)
{
	size_t i = uses_of(symbols, process);

	memset(part, 0, sizeof(*part));
	for (; i < symbols->nuses && symbols->uses[i].epoch == process &&
	       array_grow(&part->uses, part->nuses, sizeof(*part->uses)); i++)
		part->uses[part->nuses++] = symbols->uses[i];
}

/* Adds a name, or that there is none (NULL). The table has the text then. */
static void name_add(struct trace_symbols *symbols, uint64_t address,
		     char *name)
{
	if (array_grow(&symbols->names, symbols->nnames,
		       sizeof(*symbols->names)))
		symbols->names[symbols->nnames++] = (struct symbol_name){
			address, name
		};
	else
		free(name);
}

void symbols_join(struct trace_symbols *symbols, struct trace_symbols *part,
		  uint32_t process)
{
	struct symbol_name *names = part->names;
	size_t i = uses_of(symbols, process);

	for (; i < symbols->nuses && symbols->uses[i].epoch == process; i++) {
		const struct symbol_name key = { symbols->uses[i].address,
						NULL };
		struct symbol_name *found = !part->nnames ? NULL :
			bsearch(&key, names, part->nnames, sizeof(*names),
				by_address);

		name_add(symbols, key.address, found ? found->name : NULL);
		if (found)
			found->name = NULL;
		/* no process has it any more */
		symbols->uses[i].address = 0;
	}
	symbols_free(part);
}

void symbols_agree(struct trace_symbols *symbols)
{
	struct symbol_name *names = symbols->names;
	size_t n = symbols->nnames, next, kept = 0;

	/* of processes that are not known */
	for (size_t i = 0; i < symbols->nuses; i++)
		if (symbols->uses[i].address)
			name_add(symbols, symbols->uses[i].address, NULL);
	n = symbols->nnames;
	names = symbols->names;
	if (n)
		qsort(names, n, sizeof(*names), by_address);
	for (size_t i = 0; i < n; i = next) {
		struct symbol_name one = names[i];
		bool same = one.name;

		for (next = i + 1; next < n &&
		     names[next].address == one.address; next++) {
			same = same && names[next].name &&
			       !strcmp(names[next].name, one.name);
			free(names[next].name);
		}
		if (same && kept < SYMBOLS_NAMES_MAX)
			names[kept++] = one;
		else
			free(one.name);
	}
	symbols->nnames = kept;
	symbols_forget(symbols);
}

void symbols_forget(struct trace_symbols *symbols)
{
	free(symbols->uses);
	symbols->uses = NULL;
	symbols->nuses = 0;
	symbols->sorted = false;
	index_clear(&symbols->index);
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
