/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter: gdb's requests. See filter.h.
 *
 * Invariant: no static tracepoint reaches the server, which would hang or abort
 * when it starts a trace with one.
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/text.h"
#include "gdbstub/filter/machine-x86_64.h"
#include "gdbstub/filter/private.h"

typedef enum filter_verdict request_fn(struct filter *f, const char *p,
				       struct packet *out);

/* A request: `word` is its first characters, or all of it where `whole` is set.
 */
struct row {
	const char *word;
	request_fn *fn;			/* gets the rest; NULL: it passes */
	uint8_t whole;
	uint8_t kind;			/* of the answer, unless fn sets it */
	uint8_t in_frame;		/* only in a frame of a static one */
};

/* Remembers the thread that gdb has chosen; the filter's own requests may
 * choose another. */
static enum filter_verdict thread_set(struct filter *f, const char *p,
				      struct packet *out)
{
	filter_read_thread(&p, &f->thread);
	return VERDICT_PASS;
}

/* Tells the host of a process that gdb attaches to. */
static enum filter_verdict attach_note(struct filter *f, const char *p,
				       struct packet *out)
{
	uint64_t pid;

	if (f->host.attach && packet_read_number(&p, &pid) && !*p)
		f->host.attach(f->host.arg, pid);
	return VERDICT_PASS;
}

/* Markers */

/* The features that gdb names here tell the version of gdb. */
static enum filter_verdict features_note(struct filter *f, const char *p,
					 struct packet *out)
{
	f->marker_room = marker_room(p);
	return VERDICT_PASS;
}

static void marker_tell(const struct filter *f,
			const struct filter_marker *marker, struct packet *out)
{
	marker_packet_add(out, marker->address, marker->id, marker->extra,
			  f->marker_room);
}

/* Answers with the next marker of the list that markers_first() read. */
static enum filter_verdict markers_next(struct filter *f, const char *p,
					struct packet *out)
{
	struct filter_marker marker;

	if (f->marker < f->nmarkers) {
		f->host.get(f->host.arg, f->marker++, &marker);
		marker_tell(f, &marker, out);
	} else {
		packet_add(out, "l");
	}
	return VERDICT_ANSWERED;
}

/* Reads the markers anew, and answers with the first. */
static enum filter_verdict markers_first(struct filter *f, const char *p,
					 struct packet *out)
{
	filter_markers_read(f);
	f->marker = 0;
	return markers_next(f, p, out);
}

/* Answers no, except while gdb downloads tracepoints: see serve_marker_at() of
 * gdbstub/tracing/markers.c. */
static enum filter_verdict marker_at(struct filter *f, const char *p,
				     struct packet *out)
{
	struct filter_marker marker;
	uint64_t address;

	if (f->downloading && packet_read_number(&p, &address) && address &&
	    filter_marker_find(f, address, &marker))
		marker_tell(f, &marker, out);
	else
		packet_add(out, "l");
	return VERDICT_ANSWERED;
}

/* QTaffrail:static:ADDRESS, from Taffrail's extension of gdb: plain tracepoints
 * there are meant as static ones. */
static enum filter_verdict marker_meant(struct filter *f, const char *p,
					struct packet *out)
{
	struct filter_marker marker;
	uint64_t site;

	if (!packet_read_number(&p, &site) || *p)
		return filter_refuse(out, "the packet has no address");
	if (!filter_marker_find(f, site, &marker))
		return filter_refuse(out, "no marker at this address");
	if (marker.unserved)
		return filter_unserved(f, &marker, out);
	if (!filter_meant_add(f, site))
		return filter_refuse(out, "too many static tracepoints");
	packet_add(out, "OK");
	return VERDICT_ANSWERED;
}

/* qTaffrail:moved:ADDRESS, from the same: 1 when a tool has moved the code of
 * the marker there, else 0. */
static enum filter_verdict marker_moved(struct filter *f, const char *p,
					struct packet *out)
{
	struct filter_marker marker;
	uint64_t site;

	if (!packet_read_number(&p, &site) || *p)
		return filter_refuse(out, "the packet has no address");
	packet_add(out, filter_marker_find(f, site, &marker) && marker.moved ?
				"1" : "0");
	return VERDICT_ANSWERED;
}

/* qTaffrail:extension: this gdb has Taffrail's extension. */
static enum filter_verdict extension_note(struct filter *f, const char *p,
					  struct packet *out)
{
	f->extension = 1;
	packet_add(out, "OK");
	return VERDICT_ANSWERED;
}

/* In non-stop mode gdb takes no text between an answer and the next. */
static enum filter_verdict non_stop(struct filter *f, const char *p,
				    struct packet *out)
{
	f->extension |= *p == '1';
	return VERDICT_PASS;
}

/* QTaffrail:data:NUMBER, from the same: actions that collect this trace state
 * variable mean static data, as for serve_trace_data() of the agent. */
static enum filter_verdict data_meant(struct filter *f, const char *p,
				      struct packet *out)
{
	uint64_t number;

	if (!packet_read_number(&p, &number) || *p || number > UINT16_MAX)
		return filter_refuse(out, "the packet has no variable's number");
	f->data = (uint32_t)number;
	packet_add(out, "OK");
	return VERDICT_ANSWERED;
}

/* Answers that the variable for static data has no value. */
static enum filter_verdict variable_answer(struct filter *f, const char *p,
					   struct packet *out)
{
	uint64_t number;

	if (!f->data || !packet_read_number(&p, &number) || number != f->data)
		return VERDICT_PASS;
	packet_add(out, "U");
	return VERDICT_ANSWERED;
}

/* Tracepoints */

static const char no_agent[] = "gdbserver knows the agent of the program "
			       "before. Start it anew to trace this one";

/* Returns 1 when the process runs another program now, which does not have the
 * agent that the server knows: the server would write over the program's
 * data. */
static int is_foreign(struct filter *f)
{
	if (!f->introduced || !f->replaced || !f->host.known)
		return 0;
	f->replaced = !f->host.known(f->host.arg, &f->thread);
	return f->replaced;
}

/* QTinit: gdb defines all anew. The filter knows nothing from here on. */
static enum filter_verdict trace_init(struct filter *f, const char *p,
				      struct packet *out)
{
	if (is_foreign(f) || filter_gone(f))
		return filter_refuse(out, no_agent);
	f->npoints = 0;
	f->known = 0;
	f->frame_point = 0;
	f->frames = 0;
	f->started = 0;
	f->wants_agent = 0;
	f->elsewhere = 0;
	return VERDICT_PASS;
}

/* QTStart, refused when the process cannot collect. */
static enum filter_verdict trace_start(struct filter *f, const char *p,
				       struct packet *out)
{
	if (is_foreign(f) || filter_gone(f))
		return filter_refuse(out, no_agent);
	f->started = 1;
	filter_status_begin(f);
	return VERDICT_PASS;
}

/* Refuses vRun to a server that knows an agent: it would abort before there is
 * a process. */
static enum filter_verdict run_refuse(struct filter *f, const char *p,
				      struct packet *out)
{
	if (!f->introduced)
		return VERDICT_PASS;
	/* gdb would say only that vRun failed */
	if (f->host.warn)
		f->host.warn(f->host.arg, no_agent);
	return filter_refuse(out, no_agent);
}

/* QTStop. A process that is gone has stopped already. */
static enum filter_verdict trace_stop(struct filter *f, const char *p,
				      struct packet *out)
{
	f->resumes = 0;
	filter_status_stop(f);
	if (!filter_gone(f))
		return VERDICT_PASS;
	packet_add(out, "OK");
	return VERDICT_ANSWERED;
}

/* vCont: the program goes on. */
static enum filter_verdict resume_note(struct filter *f, const char *p,
				       struct packet *out)
{
	static const char lacks[] =
		"this gdb lacks Taffrail's extension: its own 'strace -m' may "
		"crash it, and trace frames show no times. Load "
		"share/taffrail/taffrail-gdb.py of an installation "
		"('source FILE') before you connect";

	f->child = 0;
	f->hint = f->extension ? NULL : lacks;
	f->extension = 1;
	if (f->resumes)
		f->kind = KIND_STOP;
	return VERDICT_PASS;
}

/*
 * Answers the least length of an instruction for a fast tracepoint. gdb refuses
 * shorter ones itself, and a marker's address is that of a nop: so the answer
 * is 1. gdb aborts if a later answer differs.
 */
static enum filter_verdict shortest_answer(struct filter *f, const char *p,
					   struct packet *out)
{
	if (!f->any_length && !filter_marker_any(f))
		return VERDICT_PASS;
	f->any_length = 1;
	packet_add(out, "1");
	return VERDICT_ANSWERED;
}

/* The program counter is the one register that the filter changes. */
static enum filter_verdict one_register(struct filter *f, const char *p,
					struct packet *out)
{
	uint64_t number;

	if (packet_read_number(&p, &number) && number == FILTER_PC_NUMBER)
		f->kind = KIND_PC;
	return VERDICT_PASS;
}

static const struct row rows[] = {
	{ "qSupported", features_note, 0, KIND_SUPPORTED, 0 },
	{ "QStartNoAckMode", NULL, 1, KIND_NO_ACK, 0 },
	{ "Hg", thread_set, 0, KIND_PLAIN, 0 },
	{ "qTfSTM", markers_first, 1, KIND_PLAIN, 0 },
	{ "qTsSTM", markers_next, 1, KIND_PLAIN, 0 },
	{ "qTSTMat:", marker_at, 0, KIND_PLAIN, 0 },
	{ "qTMinFTPILen", shortest_answer, 1, KIND_PLAIN, 0 },
	{ "vAttach;", attach_note, 0, KIND_PLAIN, 0 },
	{ "qSymbol:", NULL, 0, KIND_SYMBOL, 0 },
	{ "vCont;", resume_note, 0, KIND_PLAIN, 0 },
	{ "vRun;", run_refuse, 0, KIND_PLAIN, 0 },
	{ "D", filter_detach, 0, KIND_END, 0 },
	{ "vKill;", filter_kill, 0, KIND_END, 0 },
	{ "QNonStop:", non_stop, 0, KIND_PLAIN, 0 },
	{ "qTaffrail:extension", extension_note, 1, KIND_PLAIN, 0 },
	{ "QTaffrail:static:", marker_meant, 0, KIND_PLAIN, 0 },
	{ "QTaffrail:data:", data_meant, 0, KIND_PLAIN, 0 },
	{ "qTaffrail:moved:", marker_moved, 0, KIND_PLAIN, 0 },
	{ "qTaffrail:stamp", filter_static_stamp, 1, KIND_PLAIN, 0 },
	{ "qTaffrail:name", filter_static_name, 1, KIND_PLAIN, 0 },
	{ "qTV:", variable_answer, 0, KIND_PLAIN, 0 },
	{ "qTStatus", filter_ask_status, 1, KIND_STATUS, 0 },
	{ "QTBuffer:size:", filter_buffer_size, 0, KIND_PLAIN, 0 },
	{ "QTBuffer:circular:", filter_buffer_circular, 0, KIND_PLAIN, 0 },
	{ "QTinit", trace_init, 1, KIND_PLAIN, 0 },
	{ "QTStart", trace_start, 1, KIND_INSTALL, 0 },
	{ "QTStop", trace_stop, 1, KIND_PLAIN, 0 },
	{ "QTDP:", filter_define, 0, KIND_DEFINE, 0 },
	{ "QTDPsrc:", filter_source, 0, KIND_PLAIN, 0 },
	{ "QTEnable:", filter_enable, 0, KIND_PLAIN, 0 },
	{ "QTDisable:", filter_disable, 0, KIND_PLAIN, 0 },
	{ "qTP:", filter_status, 0, KIND_PLAIN, 0 },
	{ "qTfP", NULL, 1, KIND_UPLOAD, 0 },
	{ "qTsP", NULL, 1, KIND_UPLOAD, 0 },
	{ "qTBuffer:", filter_buffer_request, 0, KIND_PLAIN, 0 },
	{ "qXfer:statictrace:read:", filter_static_request, 0, KIND_PLAIN, 0 },
	{ "qXfer:traceframe-info:read:", filter_static_list, 0, KIND_HOLDINGS,
	  0 },
	{ "QTFrame:pc:", filter_frame_pc, 0, KIND_FRAME, 0 },
	{ "QTFrame:range:", filter_frame_inside, 0, KIND_FRAME, 0 },
	{ "QTFrame:outside:", filter_frame_outside, 0, KIND_FRAME, 0 },
	{ "QTFrame:", NULL, 0, KIND_FRAME, 0 },
	{ "g", NULL, 1, KIND_REGISTERS, 1 },
	{ "p", one_register, 0, KIND_PLAIN, 1 },
};

/* Returns the row of a request. The n bytes are all of the request if `all`,
 * else its first ones. */
static const struct row *row_find(const struct filter *f, const char *p,
				  size_t n, int all)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		size_t length = strlen(row->word);

		/* one answer is needed to learn the size of all registers */
		int needed = row->kind == KIND_REGISTERS &&
			     !f->buffer.registers;

		if ((row->in_frame && !f->frame_point && !needed) ||
		    (row->whole && n > length) || (all && n < length))
			continue;
		if (!memcmp(row->word, p, n < length ? n : length))
			return row;
	}
	return NULL;
}

bool filter_request_matters(const struct filter *f, const char *p, uint32_t n)
{
	return row_find(f, p, n, 0) != NULL;
}

enum filter_verdict filter_request(struct filter *f, const char *p,
				   struct packet *out)
{
	const struct row *row = row_find(f, p, strlen(p), 1);
	enum filter_verdict verdict = VERDICT_PASS;

	f->defines = 0;
	if (row) {
		f->kind = row->kind;
		if (row->fn)
			verdict = row->fn(f, p + strlen(row->word), out);
		verdict = filter_introduce(f, p, verdict, out);
	}
	/* Of a download of tracepoints for tstart; gdb asks qTSTMat among them.
	 * While a trace runs, a download begins with qTStatus: see
	 * filter_answer_note(). There QTDP does not count: it may be gdb's last
	 * packet before the user types `strace'. */
	f->downloading = text_after(p, "QTinit") ||
			 (text_after(p, "QTDP") && !f->started);
	return verdict;
}
