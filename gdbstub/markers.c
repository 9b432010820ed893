/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program's markers as GDB's static tracepoint markers: each copy of a
 * marker's code is one, with the same id and the same extra text.
 */
#include "tracepoints/registry.h"

#include "buffers/base.h"
#include "buffers/text.h"
#include "gdbstub/connection.h"
#include "tracepoints/fields.h"
#include "tracepoints/lock.h"

#define EXTRA_BYTES	1024

/* What one looks for: the marker of that number, or at that address. */
struct wanted {
	struct packet *out;
	uint32_t left;
	uint64_t address;		/* 0: any */
};

static const char *const scalar_words[16] = {
	[TAFFRAIL_T_S8] = "int8",	[TAFFRAIL_T_U8] = "uint8",
	[TAFFRAIL_T_S16] = "int16",	[TAFFRAIL_T_U16] = "uint16",
	[TAFFRAIL_T_S32] = "int32",	[TAFFRAIL_T_U32] = "uint32",
	[TAFFRAIL_T_S64] = "int64",	[TAFFRAIL_T_U64] = "uint64",
	[TAFFRAIL_T_F32] = "float",	[TAFFRAIL_T_F64] = "double",
	[TAFFRAIL_T_PTR] = "pointer",	[TAFFRAIL_T_BOOL] = "bool",
};

static void type_add(struct text *out, uint8_t type)
{
	const char *scalar = scalar_words[type & TAFFRAIL_T_SCALAR_MASK];

	if (type == TAFFRAIL_T_STRING) {
		text_add(out, "string");
		return;
	}
	text_add(out, scalar ? scalar : "unknown");
	if (type & TAFFRAIL_T_SEQUENCE)
		text_add(out, "[]");
}

/* The format of a printf-like marker; "type name, type name" of another. */
static void extra_make(struct text *out, const struct object *object)
{
	struct field_name names[TAFFRAIL_FIELDS_MAX];
	int n = object->site->nfields;
	int i;

	if (object->site->kind == TAFFRAIL_KIND_MARK) {
		text_add(out, object->format);
		return;
	}
	if (n > TAFFRAIL_FIELDS_MAX ||
	    fields_parse(object->format, object->site->kind, n, names))
		return;
	for (i = 0; i < n; i++) {
		if (i)
			text_add(out, ", ");
		type_add(out, object->types[i]);
		text_add_char(out, ' ');
		text_add(out, names[i].name);
	}
}

/* m ADDRESS:ID:EXTRA, both texts in hex. */
static void marker_add(struct packet *out, const struct object *object,
		       uint64_t address)
{
	char extra[EXTRA_BYTES];
	struct text text;

	text_open(&text, extra, sizeof(extra));
	extra_make(&text, object);
	packet_add(out, "m");
	packet_add_number(out, address);
	packet_add(out, ":");
	packet_add_hex(out, object->id, text_length(object->id));
	packet_add(out, ":");
	packet_add_hex(out, extra, text.used);
}

static int marker_look(struct object *object, void *arg)
{
	struct wanted *wanted = arg;
	struct code *code;

	if (object->site->kind == TAFFRAIL_KIND_GUARD)
		return 0;
	for (code = object->codes; code; code = code->next) {
		if (wanted->address &&
		    wanted->address != (uint64_t)code->address)
			continue;
		if (wanted->left--)
			continue;
		marker_add(wanted->out, object, (uint64_t)code->address);
		return 1;
	}
	return 0;
}

static void marker_answer(struct connection *c, uint32_t number,
			  uint64_t address)
{
	struct wanted wanted = { &c->out, number, address };
	int found;

	registry_lock();
	found = registry_each(marker_look, &wanted);
	registry_unlock();
	if (!found)
		packet_add(&c->out, "l");
}

int serve_markers_first(struct connection *c, const char *p)
{
	(void)p;
	c->marker = 0;
	marker_answer(c, c->marker++, 0);
	return 0;
}

int serve_markers_next(struct connection *c, const char *p)
{
	(void)p;
	marker_answer(c, c->marker++, 0);
	return 0;
}

/*
 * Is there a marker? The truth is told only while gdb downloads tracepoints:
 * asked when `strace *ADDRESS` is typed, a yes makes gdb 13.1 to 18.1 assign
 * to a member that is not constructed yet, and crash.
 */
int serve_marker_at(struct connection *c, const char *p)
{
	uint64_t address;

	if (!c->downloading || !packet_read_number(&p, &address) || !address)
		packet_add(&c->out, "l");
	else
		marker_answer(c, 0, address);
	return 0;
}
