/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter: the server's answers and notifications, and the facts that the
 * filter keeps from them. See filter.h.
 *
 * Invariant: an answer that the filter does not understand passes as it came.
 * The data of a fast tracepoint that the filter has made is shown at its
 * marker.
 */
#include <string.h>

#include "base/base.h"
#include "base/text.h"
#include "gdbstub/filter/machine-x86_64.h"
#include "gdbstub/filter/private.h"

bool filter_answer_held(enum filter_kind kind)
{
	return kind == KIND_SUPPORTED || kind == KIND_UPLOAD ||
	       kind == KIND_REGISTERS || kind == KIND_PC ||
	       kind == KIND_BUFFER || kind == KIND_SYMBOL ||
	       kind == KIND_INTRODUCE || kind == KIND_RESTART ||
	       kind == KIND_STOP || kind == KIND_INSTALL ||
	       kind == KIND_WALK || kind == KIND_STATIC ||
	       kind == KIND_HOLDINGS || kind == KIND_STATUS ||
	       kind == KIND_KILL;
}

/* Adds static tracepoints to the features of a server: releases from 17 on do
 * not name them. */
static enum filter_verdict features_add(const char *p, struct packet *out)
{
	static const char *const ours[] = {
		"StaticTracepoints+", "qXfer:statictrace:read+",
	};
	enum filter_verdict verdict = VERDICT_PASS;

	if (!*p || text_after(p, "E"))
		return VERDICT_PASS;
	packet_add(out, p);
	for (uint32_t i = 0; i < ARRAY_SIZE(ours); i++) {
		if (strstr(p, ours[i]))
			continue;
		packet_add(out, ";");
		packet_add(out, ours[i]);
		verdict = VERDICT_CHANGED;
	}
	return verdict;
}

/*
 * Serves a line of an upload, with the address of the marker's site in place of
 * the server's. Letters that the filter does not know pass.
 *
 *	T N:ADDRESS:...		a tracepoint
 *	A N:ADDRESS:ACTION
 *	Z N:ADDRESS:at:START:LENGTH:TEXT
 *
 * Gives gdb a static tracepoint as a plain one at the marker, because gdb 13.1
 * dies of a static one. When this gdb defines it again, it means a static one.
 * The address replaces the text of a location: no gdb can read its own
 * "-qualified -m NAME".
 */
static enum filter_verdict line_upload(struct filter *f, const char *p,
				       struct packet *out)
{
	char letter = *p;
	const struct filter_point *point;
	const char *fast, *behind;
	char location[32];
	struct text text;
	uint64_t number, address, site, length;
	bool is_static;

	if (!*p || !strchr("TASZ", *p++) || !packet_read_number(&p, &number) ||
	    !packet_read_char(&p, ':') || !packet_read_number(&p, &address))
		return VERDICT_PASS;
	point = filter_point_behind(f, number, address);
	site = point ? point->site : address;
	is_static = letter == 'A' && *p == ':' &&
		    filter_static_is_action(p + 1);
	if (!point && !is_static)
		return VERDICT_PASS;
	packet_add_byte(out, (uint8_t)letter);
	packet_add_number(out, number);
	packet_add(out, ":");
	packet_add_number(out, site);
	fast = letter == 'T' ? strstr(p, ":F") : NULL;
	behind = fast ? fast + 2 : NULL;
	if (behind && packet_read_number(&behind, &length)) {
		packet_add_bytes(out, p, (size_t)(fast - p));
		packet_add(out, point->kind == POINT_FAST ? ":F1" : "");
		packet_add(out, behind);
	} else if (letter == 'Z' && text_after(p, ":at:")) {
		text_open(&text, location, sizeof(location));
		text_add(&text, "*0x");
		text_add_hex(&text, site, 1);
		packet_add(out, ":at:0:");
		packet_add_number(out, text.used);
		packet_add(out, ":");
		packet_add_hex(out, location, text.used);
	} else {
		packet_add(out, is_static ? ":L" : p);
	}
	if (letter == 'T' && point->kind == POINT_STATIC)
		filter_meant_add(f, site);
	return VERDICT_CHANGED;
}

enum filter_verdict filter_answer(struct filter *f, enum filter_kind kind,
				  const char *p, struct packet *out)
{
	switch (kind) {
	case KIND_SUPPORTED:
		return features_add(p, out);
	case KIND_UPLOAD:
		return line_upload(f, p, out);
	case KIND_BUFFER:
		return filter_buffer_answer(f, p, out);
	case KIND_REGISTERS:
		if (!filter_is_hex(*p) && *p != 'x')
			return VERDICT_PASS;
		f->buffer.registers = (uint32_t)strlen(p) / 2;
		return filter_frame_registers(f, p, FILTER_PC_OFFSET, out);
	case KIND_PC:
		return filter_frame_registers(f, p, 0, out);
	case KIND_STATIC:
		return filter_static_answer(f, p, out);
	case KIND_HOLDINGS:
		return filter_static_hide(p, out);
	case KIND_KILL:
		return filter_killed(f, out);
	case KIND_STATUS:
		filter_answer_note(f, kind, p);
		return filter_status_answer(f, p, out);
	case KIND_WALK:
		return filter_walk(f, p, out);
	case KIND_SYMBOL:
	case KIND_INTRODUCE:
	case KIND_RESTART:
	case KIND_INSTALL:
	case KIND_STOP:
		return filter_talk(f, kind, p, out);
	default:
		return VERDICT_PASS;
	}
}
