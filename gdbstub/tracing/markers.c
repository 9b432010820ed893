/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program's markers as GDB's static tracepoint markers. Each copy of a
 * marker's code is one of GDB's markers; all copies have the same id and the
 * same extra text. Probes of the C library and of the dynamic linker are
 * listed only on request, or while they are on. A tracepoint can be at any
 * marker or probe.
 */
#include "tracepoints/sites/registry.h"

#include <errno.h>

#include "base/text.h"
#include "control/sessions/session.h"
#include "gdbstub/wire/connection.h"
#include "tracepoints/fields/fields.h"
#include "tracepoints/frames/collect.h"
#include "tracepoints/sites/lock.h"
#include "tracepoints/usdt/usdt.h"

/* The marker to find: the one of that number, or at that address. */
struct wanted {
	struct packet *out;		/* for its text, or NULL */
	uint32_t room;			/* see packet.h */
	uint32_t left;
	uint64_t address;		/* 0: any */
	uint32_t flags;			/* that its code has */
	int own;			/* leave out the runtime's probes */
	const struct code *found;
};

/* Returns why a marker without code never has a hit, or NULL. */
static const char *left_out_why(const struct code *code)
{
#define LEFT_OUT(error, words)	case -error: return words;
	switch (code->stub ? 0 : code->refused) {
#include "tracepoints/lttng/left-out.def"
	}
#undef LEFT_OUT
	return NULL;
}

/* Adds the names and types of the fields. */
static void extra_add(struct text *text, const struct object *object,
		      const struct code *code)
{
	const char *why = left_out_why(code);

	if (why) {
		text_add(text, "has no frames: ");
		text_add(text, why);
		return;
	}
	fields_signature_add(text, object->format, object->site->kind_,
			     object->site->nfields_, object->types);
}

/* Stops the walk at the wanted marker, and adds it with the names and types of
 * the fields in the EXTRA. Guards and whole calls are no markers for gdb. Nor
 * is a line that is off: its place may have been given back, so that it has no
 * hit until run.c asks for the place. A probe of the C library or the loader
 * that is off need not be listed. */
static int marker_look(struct object *object, void *arg)
{
	struct wanted *wanted = arg;
	char extra[MARKER_EXTRA_BYTES], id[OBJECT_ID_BYTES];
	struct text text;
	struct code *code;

	if (object->site->kind_ == TAFFRAIL_KIND_GUARD ||
	    usdt_is_call(object->adopted) ||
	    (usdt_is_point(object->adopted) && wanted->address) ||
	    (usdt_is_line(object->adopted) && !object->on) ||
	    (wanted->own && object->adopted && !object->on &&
	     usdt_is_runtime(object->id)))
		return 0;
	for (code = object->codes; code; code = code->next) {
		if (wanted->address &&
		    wanted->address != (uint64_t)code->address)
			continue;
		if ((code->flags & wanted->flags) != wanted->flags)
			continue;
		if (wanted->left--)
			continue;
		wanted->found = code;
		if (!wanted->out)
			return 1;
		text_open(&text, extra, sizeof(extra));
		extra_add(&text, object, code);
		/* a packet has no room for the longest of functions */
		text_copy(id, sizeof(id), object->id);
		marker_packet_add(wanted->out, (uint64_t)code->address, id,
				  extra, wanted->room);
		return 1;
	}
	return 0;
}

/* Looks through all modules. Returns 1 when the marker was found. */
static int marker_find(struct wanted wanted)
{
	int found;

	registry_lock();
	found = registry_each(marker_look, &wanted);
	registry_unlock();
	return found;
}

/* Answers with the marker, or with the end of the list. */
static void marker_answer(struct connection *c, struct wanted wanted)
{
	wanted.out = &c->out;
	wanted.room = c->marker_room;
	if (!marker_find(wanted))
		packet_add(&c->out, "l");
}

bool marker_at(uint64_t address, const char **why)
{
	struct wanted wanted = { .address = address };
	bool found;

	*why = NULL;
	registry_lock();
	found = address && registry_each(marker_look, &wanted);
	if (found)
		*why = left_out_why(wanted.found);
	registry_unlock();
	return found;
}

/* Answers with nothing where no marker is at an address; 0, it has registers
 * and fields; 1, it has fields alone; or, in hex, why it has no frames. */
int serve_marker_kind(struct connection *c, const char *p)
{
	struct wanted wanted = { 0 };
	const char *why;

	if (!packet_read_number(&p, &wanted.address) || !wanted.address || *p)
		return 0;
	registry_lock();
	if (registry_each(marker_look, &wanted)) {
		why = left_out_why(wanted.found);
		if (why)
			packet_add_hex(&c->out, why, text_length(why));
		else
			packet_add(&c->out, wanted.found->stub ? "0" : "1");
	}
	registry_unlock();
	return 0;
}

static int module_holds(struct module *module, void *address)
{
	uint64_t at = *(const uint64_t *)address;

	return !module->declared && at >= module->start && at < module->end;
}

int code_at(uint64_t address)
{
	int found;

	registry_lock();
	found = registry_each_module(module_holds, &address);
	registry_unlock();
	return found;
}

/* Answers 1 when a tool has moved the code of the marker at an address, else
 * 0. */
int serve_marker_moved(struct connection *c, const char *p)
{
	uint64_t address;
	struct wanted wanted = { .flags = CODE_MOVED };

	if (!packet_read_number(&p, &address) || !address || *p)
		return 0;
	wanted.address = address;
	packet_add(&c->out, marker_find(wanted) ? "1" : "0");
	return 0;
}

int serve_markers_next(struct connection *c, const char *p)
{
	marker_answer(c, (struct wanted){ .left = c->marker++,
					  .own = !c->all_markers });
	return 0;
}

int serve_markers_first(struct connection *c, const char *p)
{
	session_adopt_all();
	c->marker = 0;
	c->all_markers = 0;
	return serve_markers_next(c, p);
}

int serve_markers_all(struct connection *c, const char *p)
{
	session_adopt_all();
	c->marker = 0;
	c->all_markers = 1;
	return serve_markers_next(c, p);
}

/*
 * Answers whether a marker is at an address; only while gdb downloads
 * tracepoints: all of them for tstart, or one while a trace runs, which begins
 * with qTStatus. gdb also asks when the user types `strace *ADDRESS`. A yes
 * would then make gdb 13.1 to 18.1 assign to a member that is not constructed
 * yet, and crash. So the answer is no.
 */
int serve_marker_at(struct connection *c, const char *p)
{
	uint64_t address;
	struct text text;
	const char *why;
	char id[24];

	if (!c->downloading || !packet_read_number(&p, &address) || !address) {
		packet_add(&c->out, "l");
	} else if (!marker_at(address, &why) && code_at(address)) {
		/* strace, at code that has no marker */
		text_open(&text, id, sizeof(id));
		text_add(&text, COLLECT_CHANNEL "/0x");
		text_add_hex(&text, address, 1);
		marker_packet_add(&c->out, address, id, "", c->marker_room);
	} else {
		marker_answer(c, (struct wanted){ .address = address });
	}
	return 0;
}
