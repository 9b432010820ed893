/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter: what gdb asks. See filter.h.
 *
 * What must stay true here: no static tracepoint reaches the server, which
 * would hang or abort when it starts a trace with one.
 */
#include <string.h>

#include "buffers/base.h"
#include "buffers/text.h"
#include "gdbstub/filter-private.h"
#include "gdbstub/filter-x86_64.h"
#include "gdbstub/marker-text.h"

typedef enum filter_verdict request_fn(struct filter *f, const char *p,
				       struct packet *out);

/* A request: its first characters, or all of it where `whole` says so. */
struct row {
	const char *word;
	request_fn *fn;			/* gets what follows the word */
	uint8_t whole;
	uint8_t kind;			/* of the answer, unless fn says */
	uint8_t in_frame;		/* only in a static one's trace frame */
};

static int is_idle(const struct filter *f, const struct row *row)
{
	/* how many bytes all registers have is wanted once */
	if (row->kind == KIND_REGISTERS && !f->buffer.registers)
		return 0;
	return row->in_frame && !f->frame_point;
}

static enum filter_verdict pass(struct filter *f, const char *p,
				struct packet *out)
{
	(void)f;
	(void)p;
	(void)out;
	return VERDICT_PASS;
}

static enum filter_verdict refuse(struct packet *out, const char *why)
{
	packet_add(out, "E.");
	packet_add(out, why);
	return VERDICT_ANSWERED;
}

int filter_read_thread(const char **p, struct filter_thread *thread)
{
	struct filter_thread found = { 0, 0 };

	if (packet_read_char(p, 'p')) {
		if (!packet_read_number(p, &found.pid))
			return 0;
		if (packet_read_char(p, '.'))
			packet_read_number(p, &found.tid);
	} else if (!packet_read_number(p, &found.tid)) {
		return 0;
	}
	if (!found.pid && !found.tid)
		return 0;
	*thread = found;
	return 1;
}

static enum filter_verdict thread_set(struct filter *f, const char *p,
				      struct packet *out)
{
	(void)out;
	filter_read_thread(&p, &f->thread);
	return VERDICT_PASS;
}

static enum filter_verdict attach(struct filter *f, const char *p,
				  struct packet *out)
{
	uint64_t pid;

	(void)out;
	if (f->host.attach && packet_read_number(&p, &pid) && !*p)
		f->host.attach(f->host.arg, pid);
	return VERDICT_PASS;
}

/* Markers */

static void tell(struct packet *out, const struct filter_marker *marker)
{
	marker_packet_add(out, marker->address, marker->id, marker->extra);
}

static enum filter_verdict markers_next(struct filter *f, const char *p,
					struct packet *out)
{
	struct filter_marker marker;

	(void)p;
	if (f->marker < f->nmarkers) {
		f->host.get(f->host.arg, f->marker++, &marker);
		tell(out, &marker);
	} else {
		packet_add(out, "l");
	}
	return VERDICT_ANSWERED;
}

static enum filter_verdict markers_first(struct filter *f, const char *p,
					 struct packet *out)
{
	filter_markers_read(f);
	f->marker = 0;
	return markers_next(f, p, out);
}

/* As serve_marker_at() of gdbstub/markers.c, and for its reason: the truth is
 * told only while gdb downloads tracepoints. */
static enum filter_verdict marker_at(struct filter *f, const char *p,
				     struct packet *out)
{
	struct filter_marker marker;
	uint64_t address;

	if (f->downloading && packet_read_number(&p, &address) && address &&
	    filter_marker_find(f, address, &marker))
		tell(out, &marker);
	else
		packet_add(out, "l");
	return VERDICT_ANSWERED;
}

/* QTaffrail:static:ADDRESS, by our extension of gdb: plain tracepoints there
 * are meant as static ones. */
static enum filter_verdict marker_meant(struct filter *f, const char *p,
					struct packet *out)
{
	struct filter_marker marker;
	uint64_t site;

	if (!packet_read_number(&p, &site) || *p)
		return refuse(out, "an address is wanted");
	if (!filter_marker_find(f, site, &marker))
		return refuse(out, "no marker is there");
	if (!filter_meant_add(f, site))
		return refuse(out, "too many static tracepoints");
	packet_add(out, "OK");
	return VERDICT_ANSWERED;
}

/* Tracepoints */

static const char no_agent[] = "gdbserver knows the agent of the program "
			       "before. Start it anew to trace this one";

/* Has the process become a program in which the server must not look for the
 * agent that it knows? It would write into what is there. */
static int is_foreign(struct filter *f)
{
	if (!f->introduced || !f->replaced || !f->host.known)
		return 0;
	f->replaced = !f->host.known(f->host.arg, &f->thread);
	return f->replaced;
}

static enum filter_verdict init(struct filter *f, const char *p,
				struct packet *out)
{
	(void)p;
	if (is_foreign(f))
		return refuse(out, no_agent);
	f->npoints = 0;
	f->known = 0;
	f->frame_point = 0;
	f->started = 0;
	f->wants_agent = 0;
	f->elsewhere = 0;
	return VERDICT_PASS;
}

static enum filter_verdict start(struct filter *f, const char *p,
				 struct packet *out)
{
	(void)p;
	if (is_foreign(f))
		return refuse(out, no_agent);
	f->started = 1;
	return VERDICT_PASS;
}

/* A gdbserver that knows an agent aborts before there is a process. */
static enum filter_verdict run(struct filter *f, const char *p,
			       struct packet *out)
{
	(void)p;
	if (f->introduced)
		return refuse(out, no_agent);
	return VERDICT_PASS;
}

static enum filter_verdict stop(struct filter *f, const char *p,
				struct packet *out)
{
	(void)p;
	(void)out;
	f->resumes = 0;
	return VERDICT_PASS;
}

/* How the program goes on. */
static enum filter_verdict go(struct filter *f, const char *p,
			      struct packet *out)
{
	(void)p;
	(void)out;
	f->child = 0;
	if (f->resumes)
		f->kind = KIND_STOP;
	return VERDICT_PASS;
}

/* A definition that the server has: when a library comes while a trace runs,
 * gdb defines again, and could not go on when the server refused that. */
static int is_repeated(struct filter *f, const char *p)
{
	uint64_t number, site;

	return f->started && packet_read_number(&p, &number) &&
	       packet_read_char(&p, ':') && packet_read_number(&p, &site) &&
	       filter_point_at(f, number, site);
}

/* WORD N:ADDRESS... of a static tracepoint, with the server's address. */
static enum filter_verdict refer(struct filter *f, const char *word,
				 const char *p, struct packet *out)
{
	uint64_t number, site;

	if (!packet_read_number(&p, &number) || !packet_read_char(&p, ':') ||
	    !packet_read_number(&p, &site) ||
	    !filter_point_at(f, number, site))
		return VERDICT_PASS;
	packet_add(out, word);
	packet_add_number(out, number);
	packet_add(out, ":");
	packet_add_number(out, site + FILTER_FAST_OFFSET);
	packet_add(out, p);
	return VERDICT_CHANGED;
}

static enum filter_verdict source(struct filter *f, const char *p,
				  struct packet *out)
{
	return refer(f, "QTDPsrc:", p, out);
}

static enum filter_verdict enable(struct filter *f, const char *p,
				  struct packet *out)
{
	return refer(f, "QTEnable:", p, out);
}

static enum filter_verdict disable(struct filter *f, const char *p,
				   struct packet *out)
{
	return refer(f, "QTDisable:", p, out);
}

static enum filter_verdict status(struct filter *f, const char *p,
				  struct packet *out)
{
	return refer(f, "qTP:", p, out);
}

/* N:ADDRESS:E|D:STEP:PASS of a definition. */
struct definition {
	uint64_t number;
	uint64_t site;
	const char *middle;		/* from the ':' behind ADDRESS on */
	const char *end;		/* of these */
};

static int definition_read(struct definition *d, const char *p)
{
	uint64_t any;

	if (!packet_read_number(&p, &d->number) || !packet_read_char(&p, ':') ||
	    !packet_read_number(&p, &d->site))
		return 0;
	d->middle = p;
	if (!packet_read_char(&p, ':') ||
	    !(packet_read_char(&p, 'E') || packet_read_char(&p, 'D')) ||
	    !packet_read_char(&p, ':') || !packet_read_number(&p, &any) ||
	    !packet_read_char(&p, ':') || !packet_read_number(&p, &any))
		return 0;
	d->end = p;
	return 1;
}

/* A tracepoint at a marker, as a fast one behind the marker's address. */
static enum filter_verdict define_behind(struct filter *f,
					 const struct definition *d, int fast,
					 const char *rest, struct packet *out)
{
	struct filter_point *point = filter_point_add(f, d->number, d->site);

	if (!point)
		return refuse(out, "too many static tracepoints");
	point->fast = (uint8_t)fast;
	f->wants_agent = 1;
	if (f->started)
		f->kind = KIND_INSTALL;
	packet_add(out, "QTDP:");
	packet_add_number(out, d->number);
	packet_add(out, ":");
	packet_add_number(out, d->site + FILTER_FAST_OFFSET);
	packet_add_bytes(out, d->middle, (size_t)(d->end - d->middle));
	packet_add(out, ":F");
	packet_add_number(out, FILTER_FAST_LENGTH);
	packet_add(out, rest);
	return VERDICT_CHANGED;
}

static enum filter_verdict define_static(struct filter *f,
					 const struct definition *d,
					 const char *rest, struct packet *out)
{
	struct filter_marker marker;

	if (!filter_marker_find(f, d->site, &marker))
		return refuse(out, "no marker is there");
	return define_behind(f, d, 0, rest, out);
}

/* The ":S" among options that begin at p, or NULL; the first letter of each
 * says what it is. */
static const char *find_static(const char *p)
{
	for (; p && *p == ':'; p = strchr(p + 1, ':'))
		if (p[1] == 'S')
			return p;
	return NULL;
}

static enum filter_verdict define_plain(struct filter *f,
					const struct definition *d)
{
	struct filter_point *point = filter_point_at(f, d->number, d->site);

	if (point)
		filter_point_remove(f, point);
	return VERDICT_PASS;
}

/* :FLENGTH of the instruction. gdb has been told that any length will do; the
 * server takes a short one and then leaves it out without a word. */
static enum filter_verdict define_fast(struct filter *f,
				       const struct definition *d,
				       struct packet *out)
{
	struct filter_marker marker;
	const char *p = d->end + 2;
	uint64_t length;

	if (!packet_read_number(&p, &length) || length >= FILTER_FAST_LENGTH) {
		f->wants_agent = 1;
		f->elsewhere = 1;
		return define_plain(f, d);
	}
	if (!filter_marker_find(f, d->site, &marker))
		return refuse(out, "the instruction is too short for a fast "
			      "tracepoint");
	return define_behind(f, d, 1, p, out);
}

static enum filter_verdict define(struct filter *f, const char *p,
				  struct packet *out)
{
	struct definition d;
	const char *s;

	if (*p != '-')
		f->repeated = (uint8_t)is_repeated(f, p);
	if (f->repeated && is_repeated(f, p + (*p == '-'))) {
		packet_add(out, "OK");
		return VERDICT_ANSWERED;
	}
	if (*p == '-')
		return refer(f, "QTDP:-", p + 1, out);
	if (!definition_read(&d, p))
		return find_static(strchr(p, ':')) ?
		       refuse(out, "malformed tracepoint") : VERDICT_PASS;
	s = find_static(d.end);
	if (s)
		return define_static(f, &d, s + 2, out);
	if (d.end[0] == ':' && d.end[1] == 'F')
		return define_fast(f, &d, out);
	if (filter_meant(f, d.site))
		return define_static(f, &d, d.end, out);
	return define_plain(f, &d);
}

/*
 * How long an instruction has to be for a fast tracepoint: gdb refuses others
 * before it sends them, and a marker's address is that of a nop. gdb must not
 * get another answer later: it aborts.
 */
static enum filter_verdict shortest(struct filter *f, const char *p,
				    struct packet *out)
{
	(void)p;
	if (!f->any_length && !filter_marker_any(f))
		return VERDICT_PASS;
	f->any_length = 1;
	packet_add(out, "1");
	return VERDICT_ANSWERED;
}

/* Trace frames: for the server, those of a static tracepoint at SITE are at
 * the address behind it. */

static enum filter_verdict frame_pc(struct filter *f, const char *p,
				    struct packet *out)
{
	uint64_t site;

	f->kind = KIND_FRAME;
	if (!packet_read_number(&p, &site) || *p || !filter_point_any(f, site))
		return VERDICT_PASS;
	packet_add(out, "QTFrame:range:");
	packet_add_number(out, site);
	packet_add(out, ":");
	packet_add_number(out, site + FILTER_FAST_OFFSET);
	return VERDICT_CHANGED;
}

static enum filter_verdict frame_range(struct filter *f, const char *word,
				       const char *p, struct packet *out)
{
	uint64_t first, last;

	f->kind = KIND_FRAME;
	if (!packet_read_number(&p, &first) || !packet_read_char(&p, ':') ||
	    !packet_read_number(&p, &last) || *p)
		return VERDICT_PASS;
	if (filter_point_any(f, first - FILTER_FAST_OFFSET))
		first++;
	if (filter_point_any(f, last))
		last += FILTER_FAST_OFFSET;
	packet_add(out, word);
	packet_add_number(out, first);
	packet_add(out, ":");
	packet_add_number(out, last);
	return VERDICT_CHANGED;
}

static enum filter_verdict frame_inside(struct filter *f, const char *p,
					struct packet *out)
{
	return frame_range(f, "QTFrame:range:", p, out);
}

static enum filter_verdict frame_outside(struct filter *f, const char *p,
					 struct packet *out)
{
	return frame_range(f, "QTFrame:outside:", p, out);
}

static enum filter_verdict one_register(struct filter *f, const char *p,
					struct packet *out)
{
	uint64_t number;

	(void)out;
	if (packet_read_number(&p, &number) && number == FILTER_PC_NUMBER)
		f->kind = KIND_PC;
	return VERDICT_PASS;
}

static const struct row rows[] = {
	{ "qSupported", pass, 0, KIND_SUPPORTED, 0 },
	{ "QStartNoAckMode", pass, 1, KIND_NO_ACK, 0 },
	{ "Hg", thread_set, 0, KIND_PLAIN, 0 },
	{ "qTfSTM", markers_first, 1, KIND_PLAIN, 0 },
	{ "qTsSTM", markers_next, 1, KIND_PLAIN, 0 },
	{ "qTSTMat:", marker_at, 0, KIND_PLAIN, 0 },
	{ "qTMinFTPILen", shortest, 1, KIND_PLAIN, 0 },
	{ "vAttach;", attach, 0, KIND_PLAIN, 0 },
	{ "qSymbol:", pass, 0, KIND_SYMBOL, 0 },
	{ "vCont;", go, 0, KIND_PLAIN, 0 },
	{ "vRun;", run, 0, KIND_PLAIN, 0 },
	{ "D", filter_detach, 0, KIND_END, 0 },
	{ "vKill;", pass, 0, KIND_END, 0 },
	{ "QTaffrail:static:", marker_meant, 0, KIND_PLAIN, 0 },
	{ "qTStatus", pass, 1, KIND_PLAIN, 0 },
	{ "QTinit", init, 1, KIND_PLAIN, 0 },
	{ "QTStart", start, 1, KIND_INSTALL, 0 },
	{ "QTStop", stop, 1, KIND_PLAIN, 0 },
	{ "QTDP:", define, 0, KIND_PLAIN, 0 },
	{ "QTDPsrc:", source, 0, KIND_PLAIN, 0 },
	{ "QTEnable:", enable, 0, KIND_PLAIN, 0 },
	{ "QTDisable:", disable, 0, KIND_PLAIN, 0 },
	{ "qTP:", status, 0, KIND_PLAIN, 0 },
	{ "qTfP", pass, 1, KIND_UPLOAD, 0 },
	{ "qTsP", pass, 1, KIND_UPLOAD, 0 },
	{ "qTBuffer:", filter_buffer_request, 0, KIND_PLAIN, 0 },
	{ "QTFrame:pc:", frame_pc, 0, KIND_FRAME, 0 },
	{ "QTFrame:range:", frame_inside, 0, KIND_FRAME, 0 },
	{ "QTFrame:outside:", frame_outside, 0, KIND_FRAME, 0 },
	{ "QTFrame:", pass, 0, KIND_FRAME, 0 },
	{ "g", pass, 1, KIND_REGISTERS, 1 },
	{ "p", one_register, 0, KIND_PLAIN, 1 },
};

int filter_request_matters(const struct filter *f, const char *p, uint32_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		size_t length = strlen(row->word);

		if (is_idle(f, row))
			continue;
		if (row->whole && n > length)
			continue;
		if (!memcmp(row->word, p, n < length ? n : length))
			return 1;
	}
	return 0;
}

/* Packets of a download of tracepoints; gdb asks qTSTMat among them. */
static int is_download(const char *p)
{
	return text_after(p, "QTinit") || text_after(p, "QTDP") ||
	       text_after(p, "qTStatus");
}

enum filter_verdict filter_request(struct filter *f, const char *p,
				   struct packet *out)
{
	enum filter_verdict verdict = VERDICT_PASS;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		const char *rest = text_after(p, row->word);

		if (!rest || (row->whole && *rest) || is_idle(f, row))
			continue;
		f->kind = row->kind;
		verdict = filter_introduce(f, p, row->fn(f, rest, out), out);
		break;
	}
	f->downloading = (uint8_t)is_download(p);
	return verdict;
}
