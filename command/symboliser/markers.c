/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers and USDT probes of an ELF file in memory, and how the agent would
 * place the probes, by the agent's own plans: the symboliser's child.
 *
 * Invariant: every offset is checked against the file before it is
 * followed. Texts stay in the file: nothing here copies them.
 */
#include "command/symboliser/serve-private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/common/counted.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/fields/shown.h"
#include "tracepoints/program/patch.h"
#include "tracepoints/sites/notes.h"
#include "tracepoints/usdt/plan/image.h"
#include "tracepoints/usdt/plan/note.h"
#include "tracepoints/usdt/plan/operand.h"
#include "tracepoints/usdt/plan/plan.h"

#define PAGE		4096ull
#define NOP		0x90
#define SITE_BYTES	6	/* nop, and test or jmp */

/* The reading of one file. */
struct reading {
	struct notes notes;		/* of the whole file */
	Elf64_Phdr *ph;			/* of the heap */
	struct usdt_file file;
	const struct usdt_file *debug;	/* or NULL */
	struct symboliser_markers *markers;
	size_t room;			/* for markers */
	size_t bytes;			/* of all texts */
	uint32_t damaged;		/* markers that are left out */
};

static int read_fact(struct reading *r, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Notes why there are no markers, or which were left out. Returns `error`. */
static int read_fact(struct reading *r, int error, const char *format, ...)
{
	char *text = r->markers->verdict.text;
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, SYMBOLISER_ERROR_BYTES, format, ap);
	va_end(ap);
	return error;
}

/* Adds a marker; the texts stay where they are. Returns 0, or a negative errno
 * and a fact. */
static int add_found(struct reading *r, const struct symboliser_found *found)
{
	struct symboliser_markers *markers = r->markers;
	struct symboliser_found *more;

	/* many notes can name one text */
	r->bytes += sizeof(*found) + found->shown_bytes;
	for (int i = 0; i < 4; i++)
		r->bytes += strlen(found->strings[i]) + 1;
	if (r->bytes > SYMBOLISER_STREAM_MAX)
		return read_fact(r, -E2BIG, "its markers have more text than "
				 "is read");
	if (markers->count == r->room) {
		more = reallocarray(markers->found, 2 * r->room + 64,
				    sizeof(*more));
		if (!more)
			return read_fact(r, -ENOMEM, "out of memory");
		markers->found = more;
		r->room = 2 * r->room + 64;
	}
	markers->found[markers->count++] = *found;
	return 0;
}

/* Adds the marker of a note. Returns 0, also for a damaged one or a note of
 * another kind; or a negative errno and a fact: no other can be read. */
static int add_site(uint32_t type, uint64_t address, const void *desc,
		    uint64_t bytes, void *priv)
{
	struct reading *r = priv;
	struct taffrail_site site;
	struct taffrail_note note;
	struct symboliser_found found = { 0 };
	struct symboliser_marker *m = &found.marker;
	const char *object, *text, *at;
	struct shown_bytes shown;
	const uint8_t *code;
	bool whole;

	if (type != TAFFRAIL_NOTE_TYPE || bytes < sizeof(note))
		return 0;
	memcpy(&note, desc, sizeof(note));
	m->address = address + note.code_;
	address += offsetof(struct taffrail_note, object_) + note.object_;
	object = notes_at(&r->notes, address, sizeof(site), PF_R);
	if (!object) {
		r->damaged++;
		return 0;
	}
	memcpy(&site, object, sizeof(site));
	if (site.version_ != TAFFRAIL_SITE_VERSION)
		return read_fact(r, -EPROTO, "its markers are of version %u, "
				 "this command knows version %d", site.version_,
				 TAFFRAIL_SITE_VERSION);
	if (site.kind_ == TAFFRAIL_KIND_GUARD)
		return 0;
	text = notes_at(&r->notes, address + sizeof(site), site.text_bytes_,
			PF_R);
	/* four strings end in the text */
	whole = site.nfields_ <= TAFFRAIL_FIELDS_MAX && text;
	at = text;
	for (int i = 0; i < 4 && whole; i++) {
		found.strings[i] = at;
		at = memchr(at, '\0', site.text_bytes_ - (size_t)(at - text));
		whole = at;
		at += whole;
	}
	if (!whole) {
		r->damaged++;
		return 0;
	}
	m->kind = site.kind_ == TAFFRAIL_KIND_EVENT ? MARKER_EVENT :
						      MARKER_MARK;
	m->tested = note.flags_ & TAFFRAIL_SITE_FLAG_TESTED ? 1 : 0;
	code = notes_at(&r->notes, m->address, SITE_BYTES, PF_R | PF_X);
	if (!m->tested &&
	    (!code || !patch_leads(code,
				   (int64_t)offsetof(struct taffrail_note,
						     stub_) +
				   note.stub_ - note.code_))) {
		m->placement = PLACED_NOT;
		m->why = WHY_OTHER;
	}
	m->line = site.line_;
	m->nfields = site.nfields_;
	for (int i = 0; i < TAFFRAIL_FIELDS_MAX; i++)
		m->types[i] = site.types_[i] == TAFFRAIL_T_TEXT ?
			TAFFRAIL_T_STRING : site.types_[i];
	shown = shown_behind(text, site.text_bytes_);
	found.shown = shown.p;
	found.shown_bytes = (size_t)(shown.end - shown.p);
	return add_found(r, &found);
}

/*
 * Adds a probe, also one that is the site of a marker. The types are read out
 * of the operands, as "-4@%eax 8@-8(%rbp)": the number before '@' is size and
 * sign. Strings are known only of the JVM's probes.
 */
static int add_probe(const struct usdt_probe *probe, void *priv)
{
	struct symboliser_found found = {
		.marker = { .kind = MARKER_USDT, .address = probe->address },
		.strings = { probe->provider, probe->name, probe->operands,
			     "" } };
	struct symboliser_marker *m = &found.marker;
	struct usdt_operand operands[TAFFRAIL_FIELDS_MAX];
	struct rule_types types = { 0 };

	m->nfields = usdt_operands_parse(probe->operands, operands, NULL, NULL);
	usdt_hotspot_types(probe, operands, m->nfields, &types);
	for (int i = 0; i < m->nfields; i++)
		m->types[i] = types.strings >> i & 1 ? TAFFRAIL_T_STRING :
						       operands[i].type;
	return add_found(priv, &found);
}

static int add_event(const struct symboliser_found *found, void *priv)
{
	return add_found(priv, found);
}

static int place_order(const struct symboliser_found *a,
		       const struct symboliser_found *b)
{
	return a->marker.address < b->marker.address ? -1 :
	       a->marker.address > b->marker.address;
}

static int name_order(const struct symboliser_found *a,
		      const struct symboliser_found *b)
{
	int order = strcmp(a->strings[0], b->strings[0]);

	return order ? order : strcmp(a->strings[1], b->strings[1]);
}

/* In the file's order where all else is the same: the first is the right one.
 */
static int compare_places(const void *left, const void *right)
{
	struct symboliser_found *const *a = left, *const *b = right;
	int order = place_order(*a, *b);

	return order ? order : *a < *b ? -1 : 1;
}

static int compare_names(const void *left, const void *right)
{
	struct symboliser_found *const *a = left, *const *b = right;
	int order = name_order(*a, *b);

	return order ? order : *a < *b ? -1 : 1;
}

/* Returns how many of the sorted ones have the name of the first. */
static size_t same_name(struct symboliser_found **first,
			struct symboliser_found **end)
{
	size_t n = 0;

	while (first + n < end && !name_order(first[n], *first))
		n++;
	return n;
}

/* Collects and sorts the sites, or the probes, that match nothing so far.
 * Returns how many there are. */
static size_t lone_sort(struct symboliser_found **lone,
			const struct symboliser_markers *markers, bool probes,
			int (*compare)(const void *, const void *))
{
	size_t n = 0;

	for (size_t i = 0; i < markers->count; i++)
		if (!markers->found[i].matched &&
		    (markers->found[i].marker.kind == MARKER_USDT) == probes)
			lone[n++] = &markers->found[i];
	qsort(lone, n, sizeof(*lone), compare);
	return n;
}

/*
 * Drops the probes that are those of markers: first those at the address of a
 * site, then those of sites whose code was moved after linking, found as the
 * agent does (tracepoints/usdt/moved.c): by probes of the same name, at a nop,
 * that belong to no other site. In this order: a probe at a site's address
 * belongs to no other site. Returns 0, or -ENOMEM and a fact.
 */
static int match_all(struct reading *r)
{
	struct symboliser_markers *markers = r->markers;
	size_t room = markers->count + 1;
	struct symboliser_found **sites = calloc(room, sizeof(*sites));
	struct symboliser_found **probes = calloc(room, sizeof(*probes));
	size_t nsites, nprobes, kept = 0, at = 0, n, same;

	if (!sites || !probes) {
		free(sites);
		free(probes);
		return read_fact(r, -ENOMEM, "out of memory");
	}
	nsites = lone_sort(sites, markers, false, compare_places);
	nprobes = lone_sort(probes, markers, true, compare_places);
	for (size_t i = 0; i < nprobes; i++) {
		while (at < nsites && place_order(sites[at], probes[i]) < 0)
			at++;
		if (at < nsites && !place_order(sites[at], probes[i]))
			sites[at]->matched = probes[i]->matched = true;
	}
	nsites = lone_sort(sites, markers, false, compare_names);
	n = lone_sort(probes, markers, true, compare_names);
	nprobes = 0;
	for (size_t i = 0; i < n; i++) {
		const uint8_t *code = notes_at(&r->notes,
			probes[i]->marker.address, 1, PF_X);

		if (code && *code == NOP)
			probes[nprobes++] = probes[i];
	}
	at = 0;
	for (size_t i = 0; i < nsites; i += n) {
		n = same_name(&sites[i], sites + nsites);
		while (at < nprobes && name_order(probes[at], sites[i]) < 0)
			at++;
		same = at < nprobes && !name_order(probes[at], sites[i]) ?
			       same_name(&probes[at], probes + nprobes) : 0;
		for (size_t k = 0; k < n && same; k++) {
			struct symboliser_marker *m = &sites[i + k]->marker;

			/* a site that tests a flag works where it is */
			if (m->tested && n == same) {
				m->address = probes[at + k]->marker.address;
				probes[at + k]->matched = true;
			} else if (!m->tested) {
				m->placement = PLACED_NOT;
				m->why = WHY_MOVED;
			}
		}
	}
	free(sites);
	free(probes);
	for (size_t i = 0; i < markers->count; i++)
		if (markers->found[i].marker.kind != MARKER_USDT ||
		    !markers->found[i].matched)
			markers->found[kept++] = markers->found[i];
	markers->count = kept;
	return 0;
}

/*
 * Plans the probes as the agent would. A probe without a plan gets a trap, or
 * perhaps one byte: not when another probe lies in the bytes of the operand.
 * `handles`: no instruction that may fault is moved. Without memory, the
 * placements stay unsaid.
 */
static void plan_probes(struct reading *r, bool handles)
{
	struct symboliser_markers *markers = r->markers;
	struct usdt_plan *plans = calloc(markers->count + 1, sizeof(*plans));
	struct usdt_image image;
	uint32_t n = 0;

	if (!plans || usdt_image_open(&image, &r->file)) {
		free(plans);
		return;
	}
	for (size_t i = 0; i < markers->count; i++)
		if (markers->found[i].marker.kind == MARKER_USDT)
			plans[n++].address = markers->found[i].marker.address;
	qsort(plans, n, sizeof(*plans), symboliser_plans_compare);
	usdt_plan(&r->file, usdt_zydis(), plans, n);
	for (uint32_t i = 0; handles && i < n; i++)
		if (plans[i].faults && !plans[i].reason)
			plans[i].reason = USDT_FAULTS;
	for (size_t i = 0; i < markers->count; i++) {
		struct symboliser_marker *m = &markers->found[i].marker;
		const struct usdt_plan *own, *next, *plan;
		const uint8_t *code;

		if (m->kind != MARKER_USDT)
			continue;
		own = &plans[usdt_plans_before(plans, n, m->address)];
		plan = usdt_plan_for(plans, n, m->address);
		code = usdt_image_at(&image, m->address, USDT_JUMP_BYTES, PF_X,
				     NULL);
		for (next = own; next < plans + n &&
		     next->address == own->address; next++)
			;
		if (plan)
			m->placement = plan->beside ? PLACED_MERGED :
						      PLACED_EITHER;
		else if (!code || own->reason == USDT_NO_NOP)
			m->placement = PLACED_NOT;
		else
			m->placement = next < plans + n &&
				next->address - own->address <
					USDT_JUMP_BYTES ?
				PLACED_INT3 : PLACED_BYTE_OR_INT3;
		if (!plan)
			m->why = WHY_USDT + (own->reason ? own->reason :
							   USDT_OVERLAPS);
		if (code)
			memcpy(&m->operand, code + 1, sizeof(m->operand));
	}
	free(plans);
}

/* Reads functions. Returns 0, or a negative errno and a fact. */
static int read_functions(struct reading *r, uint32_t how)
{
	int ret = symboliser_read_functions(&r->file, r->debug, how,
					    add_event, r);

	return !ret || r->markers->verdict.text[0] ? ret :
	       read_fact(r, ret, ret == -EOPNOTSUPP ?
			 "its functions are not traced: it is of Go, or has "
			 "restartable sequences" :
			 "its functions cannot be read: %s", strerror(-ret));
}

/* Finds the program headers, and where address 0 of a module in memory would
 * be. Returns 0, or a negative errno and the fact. */
static int read_headers(struct reading *r, const Elf64_Ehdr *header,
			uint32_t how)
{
	const struct usdt_file *file = &r->file;
	uint64_t low = UINT64_MAX, bytes = header->e_phnum * sizeof(*r->ph);

	/* the program headers go to where they are aligned; where they make no
	 * sense, there are none */
	if (header->e_phentsize == sizeof(*r->ph) &&
	    header->e_phoff <= file->size &&
	    bytes <= file->size - header->e_phoff) {
		r->ph = malloc(bytes + 1);
		if (!r->ph)
			return read_fact(r, -ENOMEM, "out of memory");
		memcpy(r->ph, file->bytes + header->e_phoff, bytes);
		r->notes.ph = r->ph;
		r->notes.nph = header->e_phnum;
	}
	if (!(how & SYMBOLISER_LOADED))
		return 0;
	for (uint32_t i = 0; i < r->notes.nph; i++)
		if (r->ph[i].p_type == PT_LOAD && r->ph[i].p_vaddr < low)
			low = r->ph[i].p_vaddr & ~(PAGE - 1);
	for (uint32_t i = 0; i < r->notes.nph; i++)
		if (r->ph[i].p_type == PT_LOAD &&
		    (r->ph[i].p_vaddr - low > file->size ||
		     r->ph[i].p_memsz > file->size - (r->ph[i].p_vaddr - low)))
			return read_fact(r, -ENOEXEC, "its program headers are "
					 "damaged");
	r->notes.base = (const char *)((uintptr_t)file->bytes - low);
	r->notes.bytes = 0;
	return 0;
}

/* Reads all that is asked for. Returns 0, or a negative errno and a fact. */
static int read_elf(struct reading *r, uint32_t how)
{
	const struct usdt_file *file = &r->file;
	uint32_t damaged = 0;
	Elf64_Ehdr header;
	int ret;

	if (file->size < sizeof(header) || memcmp(file->bytes, ELFMAG, SELFMAG))
		return read_fact(r, -ENOEXEC, "not an ELF file");
	memcpy(&header, file->bytes, sizeof(header));
	if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB)
		return read_fact(r, -ENOEXEC,
				 "not a 64-bit little-endian ELF file");
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return read_fact(r, -ENOEXEC, "neither a program nor a shared "
				 "object; link it first");
	ret = read_headers(r, &header, how);
	if (ret)
		return ret;
	if (how & SYMBOLISER_FUNCTIONS)
		return read_functions(r, how);
	ret = notes_each(&r->notes, add_site, r);
	if (!ret && !(how & SYMBOLISER_LOADED)) {
		ret = usdt_notes_read(file, add_probe, r, &damaged);
		if (ret == -ENOEXEC)
			read_fact(r, ret, "its section headers are damaged");
		if (!ret)
			ret = match_all(r);
	}
	if (!ret && how & SYMBOLISER_LTTNG) {
		ret = symboliser_read_lttng(r->markers, &r->notes,
					    how & SYMBOLISER_APART, add_event,
					    r);
		if (ret && !r->markers->verdict.text[0])
			read_fact(r, ret, "its events of LTTng-UST cannot be "
				  "read: %s", strerror(-ret));
	}
	if (ret)
		return ret;
	if (r->damaged || damaged)
		read_fact(r, 0, "left out %s%s%s", r->damaged ?
			  counted(r->damaged, "damaged marker") : "",
			  r->damaged && damaged ? ", " : "", damaged ?
			  counted(damaged, "damaged USDT note") : "");
	if (how & SYMBOLISER_PLAN)
		plan_probes(r, how & SYMBOLISER_HANDLES);
	return 0;
}

void symboliser_read_markers(struct symboliser_markers *markers,
			     const void *image, size_t bytes,
			     const struct usdt_file *debug, uint32_t how)
{
	struct reading r = {
		.notes = { .base = image, .bytes = bytes },
		.file = { image, bytes },
		.debug = debug,
		.markers = markers,
	};

	*markers = (struct symboliser_markers){ 0 };
	markers->verdict.error = read_elf(&r, how);
	free(r.ph);
}

void symboliser_free_markers(struct symboliser_markers *markers)
{
	free(markers->found);
	symboliser_free_copies(markers->copies);
}
