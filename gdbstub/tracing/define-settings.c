/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Settings of trace runs: they hold for all later runs, until gdb sets them
 * again, or goes and leaves no run.
 */
#include "gdbstub/tracing/defined.h"

#include "base/text.h"
#include "gdbstub/wire/connection.h"

/* Reads "0" or "1", which ends the packet. */
static const char *switch_read(const char *p, uint32_t *on)
{
	if ((*p != '0' && *p != '1') || p[1])
		return trace_malformed;
	*on = *p == '1';
	return NULL;
}

int serve_trace_disconnected(struct connection *c, const char *p)
{
	struct trace *t = trace_get();

	return trace_answer(c, t ? switch_read(p, &t->disconnected) :
				   trace_no_memory);
}

/* size:-1 is the default size. 0 means the smallest buffer, as does any number
 * that is too small. It is not refused: gdb repeats the packet before each
 * run. */
int serve_trace_buffer(struct connection *c, const char *p)
{
	struct trace *t = trace_get();
	const char *circular = text_after(p, "circular:");
	const char *size = text_after(p, "size:");
	uint64_t number = 0;

	if (!t)
		return trace_answer(c, trace_no_memory);
	if (circular)
		return trace_answer(c, switch_read(circular, &t->circular));
	if (!size)
		return trace_answer(c, trace_malformed);
	if (!text_equal(size, "-1")) {
		if (!packet_read_number(&size, &number) || *size)
			return trace_answer(c, trace_malformed);
		number = number ? number : 1;
	}
	t->size = number;
	return trace_answer(c, NULL);
}

/* KEY:HEX; once for each note. A packet may have only some of the notes. A text
 * that is longer than its room is cut. */
int serve_trace_notes(struct connection *c, const char *p)
{
	struct trace *t = trace_get();

	if (!t)
		return trace_answer(c, trace_no_memory);
	while (*p) {
		const char *user = text_after(p, "user:");
		const char *notes = text_after(p, "notes:");
		const char *stop = text_after(p, "tstop:");
		char *note = user ? t->user : notes ? t->notes : t->stop_note;
		uint32_t used = 0;
		uint8_t byte;

		p = user ? user : notes ? notes : stop;
		if (!p)
			return trace_answer(c, trace_malformed);
		while (packet_read_hex(&p, &byte, 1))
			if (used < TRACE_NOTE_BYTES - 1)
				note[used++] = (char)byte;
		note[used] = 0;
		if (*p && !packet_read_char(&p, ';'))
			return trace_answer(c, trace_malformed);
	}
	return trace_answer(c, NULL);
}

/*
 * NUMBER: an action that collects this trace state variable means static data.
 * In a gdb without $_sdata, Taffrail's extension of gdb makes a variable of
 * that name, which gdb can collect. 0: no variable means static data.
 */
int serve_trace_data(struct connection *c, const char *p)
{
	struct trace *t = trace_get();
	uint64_t number;

	if (!t)
		return trace_answer(c, trace_no_memory);
	if (!packet_read_number(&p, &number) || *p ||
	    number >= COLLECT_VARIABLES_MAX || number == COLLECT_TIMESTAMP)
		return trace_answer(c, trace_malformed);
	t->data = (uint32_t)number;
	return trace_answer(c, NULL);
}

int serve_trace_save(struct connection *c, const char *p)
{
	return trace_answer(c, "the program writes no trace file; tsave "
			       "without -r writes one where gdb runs");
}
