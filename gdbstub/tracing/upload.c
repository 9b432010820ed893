/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Definitions for a gdb that connects, which makes tracepoints of them.
 *
 *	T NUMBER:ADDRESS:E|D:STEP:PASS[:FLENGTH][:XLENGTH,CODE]
 *	A NUMBER:ADDRESS:ACTION
 *	Z NUMBER:ADDRESS:at|cond|cmd:START:LENGTH:HEX
 *
 * Each answer has one of these, without blanks; those of one tracepoint follow
 * each other. The tracepoint that was defined last comes first: gdb makes
 * tracepoints from the last answer to the first, so they keep their numbers.
 * When gdb reads a file, it reverses the order once more, so for a file the
 * first tracepoint comes first. gdb wants them for a file, at tsave, when it
 * asks for them right after the variables.
 *
 * Invariant: definitions may change between two answers. A tracepoint's memory
 * stays until QTinit, which also ends an upload that has begun.
 */
#include "gdbstub/tracing/defined.h"

#include "base/text.h"
#include "gdbstub/wire/connection.h"

/* Begins an answer with the words that name the tracepoint. */
static void piece_begin(struct packet *out, char kind,
			const struct trace_point *point)
{
	packet_add_byte(out, (uint8_t)kind);
	packet_add_number(out, point->number);
	packet_add_byte(out, ':');
	packet_add_number(out, point->address);
	packet_add_byte(out, ':');
}

/* Returns true for a character that gdb takes for the end of a word. */
/* Finds the beginning and the end of the modifier in "collect/s80 a, b".
 * Returns 0 when there is no modifier. */
static bool modifier_find(const struct trace_source *source, uint32_t *start,
			  uint32_t *end)
{
	const char *text = source->text;
	uint32_t i = 0;

	while (i < source->length && is_blank(text[i]))
		i++;
	if (i == source->length || text[i] != 'c')
		return false;
	while (i < source->length && (text[i] | 32) >= 'a' &&
	       (text[i] | 32) <= 'z')
		i++;
	*start = *end = i;
	for (;;) {
		while (i < source->length && is_blank(text[i]))
			i++;
		if (i == source->length || text[i] != '/')
			return *end > *start;
		while (i < source->length && !is_blank(text[i]))
			i++;
		*end = i;
	}
}

/* Adds the source text that head and tail make together. */
static void source_bytes(struct packet *out, const char *kind, const char *head,
			 uint32_t head_bytes, const char *tail,
			 uint32_t tail_bytes)
{
	packet_add(out, kind);
	packet_add(out, ":0:");
	packet_add_number(out, (uint64_t)head_bytes + tail_bytes);
	packet_add_byte(out, ':');
	packet_add_hex(out, head, head_bytes);
	packet_add_hex(out, tail, tail_bytes);
}

/*
 * Adds a source text that gdb can read back. gdb cannot read
 * "-qualified -m NAME", from `strace -m`, and "-probe-stap NAME" ends gdb 13.1.
 * So an address replaces each location that begins with '-'. When gdb reads
 * the text from a file, it cannot read the /s of `collect`: for a file, that is
 * left out.
 */
static void source_upload(struct packet *out, const struct trace_point *point,
			  const struct trace_source *source, bool saving)
{
	const char *text = source->text;
	char address[24];
	struct text made;
	uint32_t start = source->length;
	uint32_t end = source->length;

	piece_begin(out, 'Z', point);
	if (text_equal(source->kind, "at") && source->length &&
	    text[0] == '-') {
		text_open(&made, address, sizeof(address));
		text_add(&made, "*0x");
		text_add_hex(&made, point->address, 1);
		source_bytes(out, source->kind, address, (uint32_t)made.used,
			     "", 0);
		return;
	}
	if (!saving || !text_equal(source->kind, "cmd") ||
	    !modifier_find(source, &start, &end))
		start = end = source->length;
	source_bytes(out, source->kind, text, start, text + end,
		     source->length - end);
}

/* Adds piece n of a tracepoint. Returns 0 when it has no such piece. The first
 * never has :S: gdb 13.1 would then look for the marker, and crash. */
static bool piece_upload(struct packet *out, const struct trace_point *point,
			 uint32_t n, bool saving)
{
	const struct trace_action *action = point->actions;
	const struct trace_source *source = point->sources;

	if (!n--) {
		piece_begin(out, 'T', point);
		packet_add(out, point->enabled ? "E:0:" : "D:0:");
		packet_add_number(out, point->pass);
		if (point->fast) {
			packet_add(out, ":F");
			packet_add_number(out, point->fast);
		}
		if (!point->condition)
			return true;
		packet_add(out, ":X");
		packet_add_number(out, point->condition_bytes);
		packet_add_byte(out, ',');
		packet_add_hex(out, point->condition, point->condition_bytes);
		return true;
	}
	for (; action && n; n--)
		action = action->next;
	if (action) {
		piece_begin(out, 'A', point);
		packet_add(out, action->wire);
		return true;
	}
	for (; source; source = source->next) {
		/* leave out a text whose last part never came */
		if (source->used < source->length || n--)
			continue;
		source_upload(out, point, source, saving);
		return true;
	}
	return false;
}

/* Returns the tracepoint before `point`, or the last one for NULL. */
static const struct trace_point *point_before(const struct trace *t,
					      const struct trace_point *point)
{
	const struct trace_point *before = t->points;

	while (before && before->next != point)
		before = before->next;
	return before;
}

int serve_points_first(struct connection *c, const char *p)
{
	struct trace *t = trace_get();

	c->saving = c->variables_told;
	c->point = !t ? NULL : c->saving ? t->points : point_before(t, NULL);
	c->piece = 0;
	c->generation = t ? t->generation : 0;
	return serve_points_next(c, p);
}

int serve_points_next(struct connection *c, const char *p)
{
	struct trace *t = trace_get();

	if (!t || t->generation != c->generation)
		c->point = NULL;
	while (c->point) {
		if (c->point->complete && !c->point->aside &&
		    piece_upload(&c->out, c->point, c->piece++, c->saving))
			return 0;
		c->point = c->saving ? c->point->next :
				       point_before(t, c->point);
		c->piece = 0;
	}
	packet_add(&c->out, "l");
	return 0;
}

int serve_variables_first(struct connection *c, const char *p)
{
	c->variable = 0;
	return serve_variables_next(c, p);
}

/* NUMBER:VALUE:BUILTIN:NAME. gdb is not told of a variable $_sdata that means
 * static data: the next gdb may have its own $_sdata, which that variable would
 * hide. */
int serve_variables_next(struct connection *c, const char *p)
{
	struct trace *t = trace_get();
	uint32_t *n = &c->variable;
	const struct trace_variable *variable = NULL;

	for (; t && *n < COLLECT_VARIABLES_MAX; (*n)++) {
		variable = &t->variables[*n];
		if (variable->defined &&
		    !(t->data && text_equal(variable->name, "_sdata")))
			break;
	}
	if (!t || *n == COLLECT_VARIABLES_MAX) {
		packet_add(&c->out, "l");
		return 0;
	}
	packet_add_number(&c->out, (*n)++);
	packet_add_byte(&c->out, ':');
	packet_add_number(&c->out, (uint64_t)variable->initial);
	packet_add(&c->out, variable->builtin ? ":1:" : ":0:");
	packet_add_hex(&c->out, variable->name, text_length(variable->name));
	return 0;
}
