/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trace runs: the packets of tstart, tstop and tstatus.
 */
#include "base/text.h"
#include "gdbstub/tracing/defined.h"
#include "gdbstub/tracing/frame.h"
#include "gdbstub/tracing/run.h"
#include "gdbstub/wire/connection.h"
#include "tracepoints/frames/collect.h"

int serve_trace_start(struct connection *c, const char *p)
{
	const char *why;

	frame_leave(c);
	if (run_start(&why))
		connection_refuse(c, why);
	else
		packet_add(&c->out, "OK");
	return 0;
}

int serve_trace_stop(struct connection *c, const char *p)
{
	struct run_state state;

	run_look(&state);	/* the run may have ended by itself */
	run_stop(RUN_STOPPED);
	return serve_ok(c, p);
}

/* Adds WORD and a text in hex, as all texts of the answer are. */
static void add_text(struct connection *c, const char *word, const char *text)
{
	packet_add(&c->out, word);
	packet_add_hex(&c->out, text, text_length(text));
}

/* Adds ;NAME:NUMBER. */
static void add_field(struct connection *c, const char *name, uint64_t value)
{
	packet_add(&c->out, ";");
	packet_add(&c->out, name);
	packet_add(&c->out, ":");
	packet_add_number(&c->out, value);
}

/* Adds a fact with a count, unless the count is 0. */
static void say_count(struct text *text, const char *what, uint64_t count)
{
	if (!count)
		return;
	if (text->used > 1)
		text_add(text, "; ");
	text_add(text, what);
	text_add_unsigned(text, count);
}

/* Adds the losses of the frames to the user's notes: gdb has no words for that,
 * but shows the notes. The result is no longer than TRACE_NOTE_BYTES: see
 * defined.h. */
static void notes_make(char *notes, const struct run_state *state,
		       const struct frames_tally *tally)
{
	const struct trace *t = trace_get();
	char facts[TRACE_NOTE_BYTES - 2];	/* beside a blank, a NUL */
	const struct trace_point *point = t ? t->points : NULL;
	uint64_t gone = 0;
	struct text text;
	size_t used;

	text_open(&text, facts, sizeof(facts));
	text_add(&text, "(");
	if (state->reason == RUN_FULL && tally->nfull) {
		/* the buffer that was full first, and how many more */
		if (tally->full < CHANNEL_CPUS_MAX) {
			text_add(&text, "CPU ");
			text_add_unsigned(&text, tally->full);
			text_add(&text, "'s buffer");
		} else {
			text_add(&text, "a shared buffer");
		}
		if (tally->nfull > 1) {
			text_add(&text, " and ");
			text_add_unsigned(&text, tally->nfull - 1);
			text_add(&text, " more were full");
		} else {
			text_add(&text, " was full");
		}
	}
	say_count(&text, "frames lost: ", tally->lost);
	if (state->phase != RUN_NONE) {
		say_count(&text, "frames cut: ", load_relaxed(&collect_cut));
		say_count(&text, "conditions failed: ",
			  load_relaxed(&collect_undecided));
		/* one that comes back is elsewhere */
		for (; point; point = point->next)
			gone += point->slot && point->enabled &&
				!code_at(point->address);
		say_count(&text, "tracepoints in closed libraries: ", gone);
	}
	text_add(&text, ")");
	text_copy(notes, TRACE_NOTE_BYTES, t ? t->notes : "");
	if (text.used == 2)
		return;
	notes[TRACE_NOTE_BYTES - text.used - 2] = 0;
	used = text_length(notes);
	text_open(&text, notes + used, TRACE_NOTE_BYTES - used);
	text_add(&text, used ? " " : "");
	text_add(&text, facts);
}

/* The answer has no ';' at its end: gdb 13.1 would refuse to connect. The note
 * of tstop comes after the packet that stops the run, so it is read here, when
 * gdb asks. */
int serve_trace_status(struct connection *c, const char *p)
{
	const struct trace *t = trace_get();
	struct frames_tally tally;
	char notes[TRACE_NOTE_BYTES];
	struct run_state state;

	run_look(&state);
	run_tally(&tally);
	notes_make(notes, &state, &tally);
	if (state.phase == RUN_ON) {
		packet_add(&c->out, "T1;tunknown:0");
	} else if (state.phase == RUN_NONE) {
		packet_add(&c->out, "T0;tnotrun:0");
	} else if (state.reason == RUN_STOPPED) {
		add_text(c, "T0;tstop:", t ? t->stop_note : "");
		packet_add(&c->out, ":0");
	} else if (state.reason == RUN_PASSED) {
		packet_add(&c->out, "T0;tpasscount:");
		packet_add_number(&c->out, state.passed);
	} else {
		packet_add(&c->out, state.reason == RUN_FULL ?
			   "T0;tfull:0" : "T0;tdisconnected:0");
	}
	add_field(c, "tframes", tally.held);
	add_field(c, "tcreated", tally.written);
	add_field(c, "tfree", tally.bytes_room - tally.bytes_held);
	add_field(c, "tsize", tally.bytes_room);
	add_field(c, "circular", t ? t->circular : 0);
	add_field(c, "disconn", t ? t->disconnected : 0);
	add_field(c, "starttime", state.started);
	add_field(c, "stoptime", state.ended);
	add_text(c, ";username:", t ? t->user : "");
	add_text(c, ";notes:", notes);
	return 0;
}

/* NUMBER:ADDRESS: answers the hits, and the bytes in the buffer. After a tstart
 * that gdb gave up, gdb asks for tracepoints that it has not defined; an error
 * would end tstatus. */
int serve_point_status(struct connection *c, const char *p)
{
	const struct trace *t = trace_get();
	const struct trace_point *point;
	uint64_t number, address;
	uint64_t hits = 0;
	uint64_t bytes = 0;

	if (!t || !packet_read_number(&p, &number) ||
	    !packet_read_char(&p, ':') || !packet_read_number(&p, &address)) {
		connection_error(c, 1);
		return 0;
	}
	point = trace_find(t, number, address);
	if (point)
		run_counts(point, &hits, &bytes);
	packet_add(&c->out, "V");
	packet_add_number(&c->out, hits);
	packet_add(&c->out, ":");
	packet_add_number(&c->out, bytes);
	return 0;
}

/* Answers a trace state variable's value: the collected one while gdb looks at
 * a frame, else the present one. */
int serve_variable(struct connection *c, const char *p)
{
	uint64_t number;
	int64_t value;
	bool found;

	if (!packet_read_number(&p, &number)) {
		connection_error(c, 1);
		return 0;
	}
	if (c->in_frame)
		found = frame_variable(c, number, &value);
	else
		found = number < COLLECT_VARIABLES_MAX && trace_get() &&
			trace_get()->variables[number].defined &&
			trace_get()->data != number &&
			!collect_variable_get((uint32_t)number, &value);
	if (found) {
		packet_add(&c->out, "V");
		packet_add_number(&c->out, (uint64_t)value);
	} else {
		packet_add(&c->out, "U");
	}
	return 0;
}
