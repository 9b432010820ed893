/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter: requests of gdb that define tracepoints or name one. See
 * filter.h.
 *
 * Invariant: no static tracepoint reaches the server, which would hang or abort
 * when it starts a trace with one. A tracepoint that the server has refused is
 * not in the table.
 */
#include <stdio.h>
#include <string.h>

#include "gdbstub/filter/machine-x86_64.h"
#include "gdbstub/filter/private.h"

/* Reads N:ADDRESS and moves *p behind it. */
static bool name_read(const char **p, struct filter_name *name)
{
	return packet_read_number(p, &name->number) &&
	       packet_read_char(p, ':') && packet_read_number(p, &name->site);
}

/* Adds WORD, and the name of a tracepoint. */
static void name_add(struct packet *out, const char *word, uint64_t number,
		     uint64_t address)
{
	packet_add(out, word);
	packet_add_number(out, number);
	packet_add(out, ":");
	packet_add_number(out, address);
}

/* Returns true when gdb defines a tracepoint again that the server has. gdb
 * does so when a library comes while a trace runs, and cannot go on if that is
 * refused. */
static bool is_repeated(struct filter *f, const char *p)
{
	struct filter_name name;

	return f->started && name_read(&p, &name) &&
	       filter_point_at(f, name.number, name.site);
}

/* WORD N:ADDRESS... Puts in the server's address, if the tracepoint is at a
 * marker. */
static enum filter_verdict point_refer(struct filter *f, const char *word,
				       const char *p, struct packet *out)
{
	const struct filter_point *point;
	struct filter_name name;

	if (!name_read(&p, &name))
		return VERDICT_PASS;
	point = filter_point_at(f, name.number, name.site);
	if (!point || point->kind == POINT_PLAIN)
		return VERDICT_PASS;
	name_add(out, word, name.number, point->place);
	packet_add(out, p);
	return VERDICT_CHANGED;
}

/* -N:ADDRESS:ACTIONS */
static enum filter_verdict define_actions(struct filter *f, const char *p,
					  struct packet *out)
{
	const struct filter_point *point;
	struct filter_name name;
	const char *rest = p;

	if (!name_read(&rest, &name) || *rest != ':')
		return VERDICT_PASS;
	if (!filter_static_wanted(rest + 1))
		return point_refer(f, "QTDP:-", p, out);
	point = filter_point_at(f, name.number, name.site);
	name_add(out, "QTDP:-", name.number, point ? point->place : name.site);
	packet_add(out, ":");
	filter_static_want(out, rest + 1);
	return VERDICT_CHANGED;
}

enum filter_verdict filter_source(struct filter *f, const char *p,
				  struct packet *out)
{
	if (!f->repeated || !is_repeated(f, p))
		return point_refer(f, "QTDPsrc:", p, out);
	packet_add(out, "OK");
	return VERDICT_ANSWERED;
}

enum filter_verdict filter_enable(struct filter *f, const char *p,
				  struct packet *out)
{
	return point_refer(f, "QTEnable:", p, out);
}

enum filter_verdict filter_disable(struct filter *f, const char *p,
				   struct packet *out)
{
	return point_refer(f, "QTDisable:", p, out);
}

enum filter_verdict filter_status(struct filter *f, const char *p,
				  struct packet *out)
{
	const struct filter_point *point;
	struct filter_name name;
	const char *at = p;

	point = name_read(&at, &name) ?
			filter_point_at(f, name.number, name.site) : NULL;
	/* the server has not set its counters: they may have any value */
	if (point && point->late) {
		packet_add(out, "V0:0");
		return VERDICT_ANSWERED;
	}
	return point_refer(f, "qTP:", p, out);
}

/* A definition, N:ADDRESS:E|D:STEP:PASS and options. */
struct definition {
	struct filter_name name;
	uint64_t step;			/* of while-stepping; 0: none */
	const char *middle;		/* from the ':' behind ADDRESS on */
	const char *end;		/* behind PASS */
};

/* Defines a tracepoint at a marker as a fast one at another place: the site's
 * cell, or behind the site's nop. Refuses while-stepping: the server would
 * accept it of a fast tracepoint, and make no step. */
static enum filter_verdict define_behind(struct filter *f,
					 const struct definition *d,
					 enum filter_point_kind kind,
					 const char *rest, struct packet *out)
{
	struct filter_point *point;
	uint64_t site = d->name.site;
	uint64_t cell;
	char why[112];

	if (d->step) {
		snprintf(why, sizeof(why),
			 "tracepoint %llu: no while-stepping at a marker with "
			 "a static tracepoint: use trace elsewhere",
			 (unsigned long long)d->name.number);
		return filter_refuse(out, why);
	}
	point = filter_point_add(f, &d->name);
	if (!point)
		return filter_refuse(out, "too many static tracepoints");
	point->kind = (uint8_t)kind;
	cell = f->host.cell ? f->host.cell(f->host.arg, &f->thread, site) : 0;
	point->place = cell ? cell : site + FILTER_FAST_OFFSET;
	f->wants_agent = 1;
	if (f->started)
		f->kind = KIND_INSTALL;
	name_add(out, "QTDP:", d->name.number, point->place);
	packet_add_bytes(out, d->middle, (size_t)(d->end - d->middle));
	packet_add(out, ":F");
	packet_add_number(out, FILTER_FAST_LENGTH);
	packet_add(out, rest);
	return VERDICT_CHANGED;
}

/* A static tracepoint becomes a fast one behind the site. */
static enum filter_verdict define_static(struct filter *f,
					 const struct definition *d,
					 const char *rest, struct packet *out)
{
	struct filter_marker marker;

	if (!filter_marker_find(f, d->name.site, &marker))
		return filter_refuse(out, "no marker at this address");
	if (marker.unserved)
		return filter_unserved(f, &marker, out);
	return define_behind(f, d, POINT_STATIC, rest, out);
}

/* Returns the ":S" among the options at p, or NULL. The first letter of an
 * option is the kind. */
static const char *find_static(const char *p)
{
	for (; p && *p == ':'; p = strchr(p + 1, ':'))
		if (p[1] == 'S')
			return p;
	return NULL;
}

/* A plain tracepoint passes; the filter only remembers it. */
static enum filter_verdict define_plain(struct filter *f,
					const struct definition *d)
{
	struct filter_point *point = filter_point_add(f, &d->name);

	/* without room, the filter will not know it when gdb repeats it */
	if (point) {
		point->kind = POINT_PLAIN;
		point->place = d->name.site;
	}
	return VERDICT_PASS;
}

/*
 * :FLENGTH of the instruction. gdb has been told that any length is enough. The
 * server would accept a short one and then leave it out, without an error.
 *
 * The server's code for a fast tracepoint saves registers right below the stack
 * pointer. A function that calls no other may keep variables there (128 bytes,
 * the red zone), and would go on with wrong values. A tracepoint at a marker
 * does not run that code.
 */
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
		if (!f->warned && f->host.warn) {
			f->warned = 1;
			f->host.warn(f->host.arg,
				     "ftrace away from a marker: gdbserver "
				     "overwrites the 128 bytes below the stack "
				     "pointer, where a function that calls "
				     "none may have variables. Use trace or a "
				     "marker, or compile with -mno-red-zone");
		}
		return define_plain(f, d);
	}
	if (!filter_marker_find(f, d->name.site, &marker) || marker.unserved)
		return filter_refuse(out, "the instruction is too short for a "
				     "fast tracepoint");
	return define_behind(f, d, POINT_FAST, p, out);
}

/* Returns the actions, with 'L' in place of an action that collects the
 * variable for static data (see define-point.c). The result is good until the
 * next call. */
static const char *actions_meant(const struct filter *f, const char *p)
{
	static char changed[FILTER_WORK_BYTES];
	char words[48];
	const char *at;
	size_t n, all = strlen(p);

	n = (size_t)snprintf(words, sizeof(words), "X00000008,2c%04x2e%04x2927",
			     f->data, f->data);
	at = f->data && all < sizeof(changed) ? strstr(p, words) : NULL;
	if (!at)
		return p;
	snprintf(changed, sizeof(changed), "%.*sL%s", (int)(at - p), p, at + n);
	return changed;
}

enum filter_verdict filter_define(struct filter *f, const char *p,
				  struct packet *out)
{
	bool more = *p == '-';
	struct definition d;
	const char *s;
	uint64_t pass;

	if (more)
		p = actions_meant(f, p);
	else
		f->repeated = (uint8_t)is_repeated(f, p);
	s = p + more;
	if (f->repeated && is_repeated(f, s)) {
		packet_add(out, "OK");
		return VERDICT_ANSWERED;
	}
	f->defines = (uint8_t)name_read(&s, &f->defined);
	if (more)
		return define_actions(f, p + 1, out);
	d.name = f->defined;
	d.middle = s;
	if (!f->defines || !packet_read_char(&s, ':') ||
	    !(packet_read_char(&s, 'E') || packet_read_char(&s, 'D')) ||
	    !packet_read_char(&s, ':') || !packet_read_number(&s, &d.step) ||
	    !packet_read_char(&s, ':') || !packet_read_number(&s, &pass))
		return find_static(strchr(p, ':')) ?
		       filter_refuse(out, "malformed tracepoint") :
		       VERDICT_PASS;
	d.end = s;
	s = find_static(d.end);
	if (s)
		return define_static(f, &d, s + 2, out);
	if (d.end[0] == ':' && d.end[1] == 'F')
		return define_fast(f, &d, out);
	if (filter_meant(f, d.name.site))
		return define_static(f, &d, d.end, out);
	return define_plain(f, &d);
}

void filter_defined(struct filter *f, const char *answer)
{
	struct filter_point *point;

	if (*answer == 'E')
		f->downloading = 0;
	if (!f->defines || *answer != 'E')
		return;
	point = filter_point_at(f, f->defined.number, f->defined.site);
	if (point)
		filter_point_remove(f, point);
}
