/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * QTDP: tracepoints and their actions.
 *
 *	NUMBER:ADDRESS:E|D:STEP:PASS[:Fn][:S][:XLENGTH,CODE][-]
 *	-NUMBER:ADDRESS:[S]ACTIONS[-]
 *
 * A '-' at the end says that actions, or more actions, follow. Actions stand
 * one behind the other, with nothing between them:
 *
 *	RMASK			registers
 *	MBASE,OFFSET,LENGTH	memory; BASE is a register's number, or -1
 *	XLENGTH,CODE		an agent expression
 *	L			the static data of the marker
 *
 * Invariant: when a part of a tracepoint is refused, the whole tracepoint is
 * forgotten. So a complete tracepoint lacks nothing.
 */
#include "gdbstub/tracing/defined.h"

#include "base/text.h"
#include "gdbstub/tracing/run.h"
#include "gdbstub/wire/connection.h"

static const char no_room[] = "the tracepoints take too much memory";
static const char no_stepping[] =
	"while-stepping is not possible: nothing stops the program";

/* Takes a tracepoint that will never be complete out of the list. The memory
 * stays until QTinit, for a pointer that is still kept. */
static void point_drop(struct trace *t, struct trace_point *point)
{
	struct trace_point **link = &t->points;

	while (*link && *link != point)
		link = &(*link)->next;
	if (!*link)
		return;
	*link = point->next;
	point->complete = 0;
	t->npoints--;
}

/* Returns how many bytes a constant at an offset has, or 0: there is none. */
static uint32_t constant_bytes_at(const uint8_t *code, uint32_t bytes,
				  uint32_t at)
{
	uint32_t n;

	if (at >= bytes || code[at] < AX_CONST8 || code[at] > AX_CONST64)
		return 0;
	n = 1 + (1u << (code[at] - AX_CONST8));
	return at + n < bytes ? n : 0;
}

/*
 * Lets the address of a frame have 64 bits: gdb cuts a frame's base off at the
 * size of the variable where that base is a register (DW_OP_reg6, as clang
 * writes it). It is the code
 *
 *	reg 6|7; ext|zero_ext N; const; [ext]; add; ref|trace|const trace
 */
void frame_base_mend(uint8_t *code, uint32_t bytes)
{
	uint32_t at;

	for (uint32_t i = 0; i + 10 <= bytes; i++) {
		if (code[i] != AX_REG || code[i + 1] ||
		    (code[i + 2] | 1) != 7 ||
		    (code[i + 3] != AX_EXT && code[i + 3] != AX_ZERO_EXT) ||
		    !constant_bytes_at(code, bytes, i + 5))
			continue;
		at = i + 5 + constant_bytes_at(code, bytes, i + 5);
		if (code[at] == AX_EXT)
			at += 2;
		if (at + 1 >= bytes || code[at++] != AX_ADD)
			continue;
		at += constant_bytes_at(code, bytes, at);
		if ((code[at] >= AX_REF8 && code[at] <= AX_REF64) ||
		    code[at] == AX_TRACE || code[at] == AX_TRACENZ ||
		    code[at] == AX_TRACE_QUICK)
			code[i + 4] = 64;
	}
}

/* Reads "LENGTH,CODE", verifies the code and keeps it until QTinit. Returns
 * NULL, or the reason: the verifier's has the place in the code, and is in
 * t->why. */
static const char *code_read(struct trace *t, const char **p, int is_condition,
			     const uint8_t **code, uint32_t *bytes)
{
	struct ax_source source = { .want_result = (uint32_t)is_condition,
				    .machine = &collect_machine };
	struct ax_refusal refusal;
	struct text text;
	uint64_t length;
	uint8_t *kept;

	if (!packet_read_number(p, &length) || !packet_read_char(p, ','))
		return trace_malformed;
	if (length > TRACE_CODE_BYTES)
		return "an agent expression has at most 400 bytes";
	kept = trace_take(t, (uint32_t)length);
	if (!kept)
		return no_room;
	if (!packet_read_hex(p, kept, length))
		return trace_malformed;
	frame_base_mend(kept, (uint32_t)length);
	source.code = kept;
	source.bytes = (uint32_t)length;
	if (ax_verify(t->scratch, sizeof(t->scratch), &source, &refusal)) {
		text_open(&text, t->why, sizeof(t->why));
		text_add(&text, is_condition ? "condition" : "expression");
		text_add(&text, ": ");
		text_add(&text, refusal.fact);
		text_add(&text, " (byte ");
		text_add_unsigned(&text, refusal.offset);
		text_add_char(&text, ')');
		return t->why;
	}
	*code = kept;
	*bytes = source.bytes;
	return NULL;
}

/* Reads a tracepoint with the options behind PASS. Returns NULL, or the reason
 * for the refusal. */
static const char *point_read(struct trace *t, const char **p,
			      struct trace_point *point)
{
	const char *why = NULL;
	uint64_t number;
	uint64_t fast = 0;
	uint64_t step;

	if (!trace_read_name(p, &number, &point->address) ||
	    !packet_read_char(p, ':'))
		return trace_malformed;
	if (!number || number > TRACE_NUMBER_MAX)
		return "the number of a tracepoint is 1 to 65535";
	point->number = (uint32_t)number;
	point->enabled = (uint32_t)packet_read_char(p, 'E');
	if ((!point->enabled && !packet_read_char(p, 'D')) ||
	    !packet_read_char(p, ':') || !packet_read_number(p, &step) ||
	    !packet_read_char(p, ':') || !packet_read_number(p, &point->pass))
		return trace_malformed;
	if (step)
		return no_stepping;
	while (!why && packet_read_char(p, ':')) {
		if (packet_read_char(p, 'S'))
			point->is_static = 1;
		else if (packet_read_char(p, 'F'))
			why = packet_read_number(p, &fast) ? NULL :
							     trace_malformed;
		else if (packet_read_char(p, 'X') && !point->condition)
			why = code_read(t, p, 1, &point->condition,
					&point->condition_bytes);
		else
			why = trace_malformed;
	}
	point->fast = (uint32_t)fast;
	return why;
}

/*
 * Returns why a tracepoint cannot be added, or NULL. Whether code other than a
 * marker's can have one is known when the run starts.
 */
static const char *point_refusal(struct trace *t,
				 const struct trace_point *point,
				 const char *left_out)
{
	struct trace_point *same = trace_find(t, point->number, point->address);
	struct text text;

	text_open(&text, t->why, sizeof(t->why));
	if (left_out) {
		text_add(&text, "the marker has no frames: ");
		text_add(&text, left_out);
		return t->why;
	}
	if (same && same->complete)
		return "this tracepoint is defined already";
	if (same)
		point_drop(t, same);
	if (t->npoints == COLLECT_POINTS_MAX)
		return "too many tracepoints: there are 256 already";
	if (point->at_marker || point->aside || code_at(point->address))
		return NULL;
	text_add(&text, "no code of a module at 0x");
	text_add_hex(&text, point->address, 1);
	return t->why;
}

/* Ends the definition of a tracepoint: no more actions follow. */
static const char *point_complete(struct trace_point *point)
{
	point->complete = 1;
	return run_install(point);
}

/* QTDP:N:ADDRESS. The tracepoint goes to the end of the list, in memory that
 * lasts until QTinit. A refused one is dropped, so gdb can define it again. */
static const char *point_define(struct trace *t, const char *p)
{
	struct trace_point read = { 0 };
	struct trace_point *point = &read;
	struct trace_point **end = &t->points;
	const struct trace_point *other = t->points;
	const char *why = point_read(t, &p, point);
	const char *left_out;
	bool more = packet_read_char(&p, '-');

	if (!why && *p)
		why = trace_malformed;
	point->at_marker = marker_at(point->address, &left_out);
	/* gdb makes several locations of a line that the compiler has put in
	 * several places: first the marker, then the code that runs when the
	 * marker is on, which is no place of the user's */
	while (other && !(other->at_marker && other->number == point->number))
		other = other->next;
	point->aside = other && !point->at_marker;
	if (!why)
		why = point_refusal(t, point, left_out);
	if (why)
		return why;
	point = trace_take(t, sizeof(*point));
	if (!point)
		return no_room;
	*point = read;
	while (*end)
		end = &(*end)->next;
	*end = point;
	t->npoints++;
	if (!more)
		why = point_complete(point);
	if (why)
		point_drop(t, point);
	return why;
}

/*
 * Reads one action of any letter. Returns NULL, or the reason. The mask of R is
 * not used: the block of registers is always whole. An expression that only
 * collects the variable that means static data is the action of static data.
 */
static const char *action_read(struct trace *t, const char **p,
			       struct collect_action *action)
{
	/* gdb compiles a variable as getv N, tracev N, pop, end */
	const uint8_t data[] = { 0x2c, 0, (uint8_t)t->data,
				 0x2e, 0, (uint8_t)t->data, 0x29, 0x27 };
	const char *start, *why;
	uint64_t base;
	uint8_t byte;
	bool negative;

	if (packet_read_char(p, 'R')) {
		action->kind = COLLECT_REGISTERS;
		start = *p;
		while (packet_read_hex(p, &byte, 1))
			;
		return *p == start ? trace_malformed : NULL;
	}
	if (packet_read_char(p, 'M')) {
		negative = packet_read_char(p, '-');
		action->kind = COLLECT_MEMORY;
		if (!packet_read_number(p, &base) ||
		    !packet_read_char(p, ',') ||
		    !packet_read_number(p, &action->offset) ||
		    !packet_read_char(p, ',') ||
		    !packet_read_number(p, &action->bytes))
			return trace_malformed;
		if (negative ? base != 1 :
			       base != COLLECT_ABSOLUTE &&
				       base >= collect_machine.nregisters)
			return "memory: no such register";
		if (action->bytes > TRACE_MEMORY_BYTES)
			return "memory: at most 65535 bytes in one piece";
		action->base = negative ? COLLECT_ABSOLUTE : (uint32_t)base;
		return NULL;
	}
	if (packet_read_char(p, 'S'))
		return no_stepping;
	if (packet_read_char(p, 'X')) {
		action->kind = COLLECT_EXPRESSION;
		why = code_read(t, p, 0, &action->code, &action->code_bytes);
		if (!why && t->data && action->code_bytes == sizeof(data) &&
		    !__builtin_memcmp(action->code, data, sizeof(data)))
			action->kind = COLLECT_STATIC;
		return why;
	}
	action->kind = COLLECT_STATIC;
	return packet_read_char(p, 'L') ? NULL : trace_malformed;
}

/* Reads one action and adds it, with the text, to the point's list. */
static const char *action_add(struct trace *t, struct trace_point *point,
			      const char **p)
{
	struct trace_action **end = &point->actions;
	struct trace_action *action;
	struct collect_action read = { 0 };
	const char *start = *p;
	const char *why = action_read(t, p, &read);
	uint32_t length = (uint32_t)(*p - start);

	if (why)
		return why;
	if (length > TRACE_WIRE_BYTES)
		return trace_malformed;
	if (point->nactions == COLLECT_ACTIONS_MAX)
		return "too many actions";
	action = trace_take(t, (uint32_t)sizeof(*action) + length + 1);
	if (!action)
		return no_room;
	__builtin_memcpy(action + 1, start, length);
	action->wire = (const char *)(action + 1);
	action->collect = read;
	while (*end)
		end = &(*end)->next;
	*end = action;
	point->nactions++;
	return NULL;
}

/* QTDP:-N:ADDRESS. The tracepoint is complete when no '-' says that more
 * actions follow. */
static const char *actions_define(struct trace *t, const char *p)
{
	struct trace_point *point;
	const char *why = NULL;
	uint64_t number, address;
	bool more = false;

	if (!trace_read_name(&p, &number, &address) ||
	    !packet_read_char(&p, ':'))
		return trace_malformed;
	point = trace_find(t, number, address);
	if (!point || point->complete)
		return "no tracepoint waits for actions there";
	while (!why && *p && !more) {
		more = p[0] == '-' && !p[1];
		if (!more)
			why = action_add(t, point, &p);
	}
	if (!why && !more)
		why = point_complete(point);
	if (why)
		point_drop(t, point);
	return why;
}

_Static_assert(COLLECT_POINTS_MAX == 256, "the text of point_refusal()");

/* A refusal names the tracepoint, because gdb shows nothing else of the
 * packet. */
int serve_define_point(struct connection *c, const char *p)
{
	struct trace *t = trace_get();
	char named[32 + sizeof(t->why)];
	struct text text;
	const char *why;
	uint64_t number;

	if (!t)
		return trace_answer(c, trace_no_memory);
	why = packet_read_char(&p, '-') ? actions_define(t, p) :
					  point_define(t, p);
	if (!why || !packet_read_number(&p, &number))
		return trace_answer(c, why);
	text_open(&text, named, sizeof(named));
	text_add(&text, "tracepoint ");
	text_add_unsigned(&text, number);
	text_add(&text, ": ");
	text_add(&text, why);
	return trace_answer(c, named);
}

/* A jump also moves the instructions behind a short one, so the length of the
 * one at the address does not matter. */
int serve_fast_length(struct connection *c, const char *p)
{
	packet_add(&c->out, "1");
	return 0;
}
