/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter: the status of a trace that gdb gets (qTStatus).
 *
 *	T1;REASON;tframes:..;..;starttime:..;stoptime:..;username:..:;notes:..:
 *
 * The server does not know four facts, or reports them wrongly:
 * - why the agent or a child process has ended a trace: it reports a tstop;
 * - when a trace began that the filter has started again;
 * - that a trace which runs has no end yet;
 * - which frames or parts of frames are missing.
 *
 * Invariant: the answer keeps its fields and their order.
 */
#include <string.h>

#include "base/text.h"
#include "gdbstub/filter/private.h"

#define DEFAULT_BYTES	5242880u	/* of the server's buffer */
#define NOTES_BYTES	1024u

static const char exec_ended[] = "the program called execve";
static const char exit_ended[] = "the program exits";
static const char hit_left[] = "a thread left a hit, as by siglongjmp() in a "
			       "signal handler";
static const char fork_ended[] = "gdb let go of a child process";
static const char vfork_waits[] = "the trace waits for a child of vfork";

/* An answer that the filter rewrites. */
struct status {
	const struct filter *f;
	struct filter_said said;	/* the agent's report, or zeros */
	int runs;
	uint64_t bytes;			/* of the server's buffer */
	uint64_t left;			/* free bytes of it */
};

enum filter_verdict filter_buffer_size(struct filter *f, const char *p,
				       struct packet *out)
{
	uint64_t bytes;

	if (!strcmp(p, "-1"))
		f->status.bytes = DEFAULT_BYTES;
	else if (packet_read_number(&p, &bytes))
		f->status.bytes = bytes ? bytes : 1;	/* 0: unknown */
	return VERDICT_PASS;
}

enum filter_verdict filter_buffer_circular(struct filter *f, const char *p,
					   struct packet *out)
{
	uint64_t circular;

	if (packet_read_number(&p, &circular))
		f->status.circular = circular != 0;
	return VERDICT_PASS;
}

void filter_status_begin(struct filter *f)
{
	struct filter_status *status = &f->status;

	status->stopped = 0;
	status->end = FILTER_END_UNKNOWN;
	status->started = 0;
	for (uint32_t i = 0; i < f->npoints; i++)
		f->points[i].late = 0;
	if (!status->bytes)
		status->bytes = DEFAULT_BYTES;
	if (f->host.begin)
		f->host.begin(f->host.arg, &f->thread, status->bytes,
			      status->circular);
}

/* Notes that gdb stops the trace, unless it had ended before: gdb may not know
 * that. */
void filter_status_stop(struct filter *f)
{
	struct filter_said said = { 0 };

	if (f->host.said && !filter_gone(f))
		f->host.said(f->host.arg, &f->thread, &said);
	if (!said.full && !said.exec && !said.exit && !said.left &&
	    f->status.end == FILTER_END_UNKNOWN)
		f->status.stopped = 1;
}

/* Returns the number of an answer's field "NAME:", or 0 without the field. */
static uint64_t field_number(const char *p, const char *name)
{
	uint64_t value = 0;

	for (p = strchr(p, ';'); p; p = strchr(p + 1, ';')) {
		const char *at = text_after(p + 1, name);

		if (at)
			return packet_read_number(&at, &value) ? value : 0;
	}
	return 0;
}

void filter_status_restart(struct filter *f, const char *p)
{
	if (text_after(p, "T1") && !f->status.started)
		f->status.started = field_number(p, "starttime:");
}

/* Adds the reason for the end as gdb shows a text. */
static void error_add(struct packet *out, const char *why)
{
	packet_add(out, "terror:");
	packet_add_hex(out, why, strlen(why));
	packet_add(out, ":0");
}

/* Adds why a trace ended that the server reports as stopped. Returns false when
 * the server is right. */
static bool reason_add(const struct status *status, struct packet *out)
{
	const struct filter *f = status->f;

	if (f->status.stopped)
		return false;
	if (f->resumes)
		error_add(out, vfork_waits);
	else if (f->status.end == FILTER_END_EXEC || status->said.exec)
		error_add(out, exec_ended);
	else if (status->said.exit)
		error_add(out, exit_ended);
	else if (status->said.left)
		error_add(out, hit_left);
	else if (status->said.full)
		packet_add(out, "tfull:0");
	else if (f->status.end == FILTER_END_FORK)
		error_add(out, fork_ended);
	else
		return false;
	return true;
}

/* Adds a fact with a count in brackets, unless the count is 0. */
static void count_add(struct text *text, const char *what, uint64_t n)
{
	if (!n)
		return;
	text_add(text, text->used ? " " : "");
	text_add(text, what);
	text_add_unsigned(text, n);
	text_add(text, ")");
}

/* Adds a field of n bytes, rewritten where it is one of the four facts. The
 * losses of the frames stand behind the user's notes, which are in hex. */
static void field_add(const struct status *status, const char *p, size_t n,
		      struct packet *out)
{
	const char *notes = text_after(p, "notes:");
	uint64_t held = status->bytes - status->left;
	char facts[NOTES_BYTES];
	struct text text;
	size_t used;

	if (!status->runs && text_after(p, "tstop:") &&
	    reason_add(status, out))
		return;
	if (status->runs && text_after(p, "stoptime:")) {
		packet_add(out, "stoptime:0");
	} else if (status->f->status.started && text_after(p, "starttime:")) {
		packet_add(out, "starttime:");
		packet_add_number(out, status->f->status.started);
	} else if (notes) {
		n -= (size_t)(notes - p);
		used = n && notes[n - 1] == ':' ? n - 1 : n;
		text_open(&text, facts, sizeof(facts));
		count_add(&text, "(hits lost: ", status->said.dropped);
		count_add(&text, "(frames cut: ", status->said.cut);
		count_add(&text, "(conditions failed: ", status->said.failed);
		if (!status->f->status.circular && status->said.used > held) {
			text_add(&text, text.used ? " " : "");
			text_add(&text, "(frames without data: the buffer is "
					"full)");
		}
		packet_add(out, "notes:");
		packet_add_bytes(out, notes, used);
		if (text.used && used)
			packet_add_hex(out, " ", 1);
		packet_add_hex(out, facts, text.used);
		packet_add_bytes(out, notes + used, n - used);
	} else {
		packet_add_bytes(out, p, n);
	}
}

enum filter_verdict filter_status_answer(struct filter *f, const char *p,
					 struct packet *out)
{
	struct status status = { .f = f, .runs = p[0] == 'T' && p[1] == '1' };

	if (p[0] != 'T' || !strchr(p, ';'))
		return VERDICT_PASS;
	status.bytes = field_number(p, "tsize:");
	status.left = field_number(p, "tfree:");
	if (status.bytes)
		f->status.bytes = status.bytes;
	if (f->started && f->host.said)
		f->host.said(f->host.arg, &f->thread, &status.said);
	while (*p) {
		size_t n = strcspn(p, ";");

		field_add(&status, p, n, out);
		p += n;
		if (*p)
			packet_add_byte(out, (uint8_t)*p++);
	}
	return VERDICT_CHANGED;
}
