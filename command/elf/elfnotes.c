/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads markers and USDT probes of an ELF file. See elfnotes.h.
 *
 * What must stay true here: the file is input. Every offset is checked
 * against the file before it is followed.
 */
#include "command/common/counted.h"
#include "command/elf/elfnotes.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/elf/sites-private.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/fields/shown.h"
#include "tracepoints/program/patch.h"
#include "tracepoints/sites/notes.h"
#include "tracepoints/usdt/plan/note.h"
#include "tracepoints/usdt/plan/operand.h"

#define NOP		0x90
#define SITE_BYTES	6	/* nop, and test or jmp */

struct reading {
	Elf *elf;
	struct notes notes;		/* of the whole file */
	struct marker_list *list;
	size_t before;			/* markers of other files */
	char *error;
};

static int fact(struct reading *r, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int fact(struct reading *r, int error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(r->error, ELFNOTES_ERROR_BYTES, format, ap);
	va_end(ap);
	return error;
}

/* Splits `bytes` into four strings; false when one does not end in them. */
static bool split_text(const char *text, size_t bytes, const char *strings[4])
{
	for (int i = 0; i < 4; i++) {
		size_t n = strnlen(text, bytes);

		if (n == bytes)
			return false;
		strings[i] = text;
		text += n + 1;
		bytes -= n + 1;
	}
	return true;
}

/* Returns whether the code at a site is that of a marker. */
static bool leads(const struct reading *r, const struct taffrail_note *note,
		  uint64_t address)
{
	int64_t distance = (int64_t)offsetof(struct taffrail_note, stub_) +
			   note->stub_ - note->code_;
	const uint8_t *code = notes_at(&r->notes, address, SITE_BYTES,
				       PF_R | PF_X);

	return code && patch_leads(code, distance);
}

static int add_site(uint32_t type, uint64_t address, const void *desc,
		    size_t bytes, void *priv)
{
	struct reading *r = priv;
	struct taffrail_site site;
	struct taffrail_note note;
	struct marker m = { 0 };
	const char *object, *text, *strings[4] = { NULL };
	struct shown_bytes shown;

	if (type != TAFFRAIL_NOTE_TYPE || bytes < sizeof(note))
		return 0;
	memcpy(&note, desc, sizeof(note));
	m.address = address + note.code_;
	address += offsetof(struct taffrail_note, object_) + note.object_;
	object = notes_at(&r->notes, address, sizeof(site), PF_R);
	if (!object)
		return fact(r, -EBADMSG, "a marker's note has an invalid "
			    "address");
	memcpy(&site, object, sizeof(site));
	if (site.version_ != TAFFRAIL_SITE_VERSION)
		return fact(r, -EPROTO, "its markers are of version %u, this "
			    "command knows version %d", site.version_,
			    TAFFRAIL_SITE_VERSION);
	if (site.kind_ == TAFFRAIL_KIND_GUARD)
		return 0;
	text = notes_at(&r->notes, address + sizeof(site), site.text_bytes_,
			PF_R);
	if (site.nfields_ > TAFFRAIL_FIELDS_MAX || !text ||
	    !split_text(text, site.text_bytes_, strings))
		return fact(r, -EBADMSG, "a marker is malformed");
	m.kind = site.kind_ == TAFFRAIL_KIND_EVENT ? MARKER_EVENT : MARKER_MARK;
	m.tested = note.flags_ & TAFFRAIL_SITE_FLAG_TESTED;
	if (!m.tested && !leads(r, &note, m.address)) {
		m.placement = PLACED_NOT;
		m.why = MARKER_OTHER;
	}
	m.line = site.line_;
	m.nfields = site.nfields_;
	for (int i = 0; i < TAFFRAIL_FIELDS_MAX; i++)
		m.types[i] = site.types_[i] == TAFFRAIL_T_TEXT ?
			TAFFRAIL_T_STRING : site.types_[i];
	shown = shown_behind(text, site.text_bytes_);
	m.shown = (char *)shown.p;
	m.shown_bytes = (size_t)(shown.end - shown.p);
	return marker_list_add(r->list, &m, strings[0], strings[1], strings[2],
			       strings[3]);
}

int elfnotes_add_sites(struct marker_list *list, const struct notes *notes)
{
	char error[ELFNOTES_ERROR_BYTES];
	struct reading r = { .notes = *notes, .list = list, .error = error };

	return notes_each(&r.notes, add_site, &r);
}

/* Returns whether a marker's site is at a probe's address, and notes that. */
static bool is_marker(struct reading *r, uint64_t address)
{
	for (size_t i = r->before; i < r->list->count; i++) {
		struct marker *m = &r->list->markers[i];

		if (m->address != address || m->kind == MARKER_USDT)
			continue;
		m->matched = true;
		return true;
	}
	return false;
}

/* Reads the types out of operands, as "-4@%eax 8@-8(%rbp)": the number before
 * '@' is size and sign. Strings are known only of the JVM's probes. */
static void operand_types(struct marker *m, const struct usdt_probe *probe)
{
	struct usdt_operand operands[TAFFRAIL_FIELDS_MAX];

	struct rule_types types = { 0 };

	m->nfields = usdt_operands_parse(probe->operands, operands, NULL, NULL);
	usdt_hotspot_types(probe, operands, m->nfields, &types);
	for (int i = 0; i < m->nfields; i++)
		m->types[i] = types.strings >> i & 1 ? TAFFRAIL_T_STRING :
						       operands[i].type;
}

static int add_probe(const struct usdt_probe *probe, void *priv)
{
	struct marker m = { .kind = MARKER_USDT, .address = probe->address };
	struct reading *r = priv;

	if (is_marker(r, m.address))
		return 0;
	operand_types(&m, probe);
	return marker_list_add(r->list, &m, probe->provider, probe->name,
			       probe->operands, "");
}

/* A site or a probe, by its name. */
struct lone {
	struct marker *marker;
	size_t number;
};

static int compare_lone(const void *left, const void *right)
{
	const struct lone *a = left, *b = right;
	int order = strcmp(a->marker->id, b->marker->id);

	return order ? order : a->number < b->number ? -1 : 1;
}

/* Returns the sites (or the probes) of the file that match nothing, sorted by
 * their names and then in their order; NULL without memory. */
static struct lone *lone_sorted(const struct reading *r, bool probes, size_t *n)
{
	struct lone *lone = calloc(r->list->count - r->before + 1,
				   sizeof(*lone));

	*n = 0;
	for (size_t i = r->before; lone && i < r->list->count; i++) {
		struct marker *m = &r->list->markers[i];
		const uint8_t *code = probes ?
			notes_at(&r->notes, m->address, 1, PF_X) : NULL;

		if ((m->kind == MARKER_USDT) == probes && !m->matched &&
		    (!probes || (code && *code == NOP)))
			lone[(*n)++] = (struct lone){ m, i };
	}
	if (lone)
		qsort(lone, *n, sizeof(*lone), compare_lone);
	return lone;
}

/* Returns how many of the sorted ones have the name of the first. */
static size_t same_name(const struct lone *lone, const struct lone *end)
{
	size_t n = 0;

	while (lone + n < end && !strcmp(lone[n].marker->id, lone->marker->id))
		n++;
	return n;
}

/* Settles the sites of one name: those that test a flag work where they are. */
static void settle(struct lone *sites, size_t nsites, struct lone *probes,
		   size_t nprobes)
{
	for (size_t i = 0; i < nsites && nprobes; i++) {
		struct marker *m = sites[i].marker;

		if (m->tested && nsites == nprobes) {
			m->address = probes[i].marker->address;
			probes[i].marker->matched = true;
		} else if (!m->tested) {
			m->placement = PLACED_NOT;
			m->why = MARKER_MOVED;
		}
	}
}

/* Drops the probes that are those of markers. */
static void drop_matched(struct reading *r)
{
	size_t kept = r->before;

	for (size_t i = r->before; i < r->list->count; i++) {
		struct marker *m = &r->list->markers[i];

		if (m->kind == MARKER_USDT && m->matched)
			marker_free(m);
		else
			r->list->markers[kept++] = *m;
	}
	r->list->count = kept;
}

/* Finds sites whose code was moved after linking, as the agent does
 * (tracepoints/usdt/moved.c). */
static void match_all(struct reading *r)
{
	size_t nsites, nprobes, at = 0, n, same;
	struct lone *sites = lone_sorted(r, false, &nsites);
	struct lone *probes = lone_sorted(r, true, &nprobes);

	for (size_t i = 0; sites && probes && i < nsites; i += n) {
		const char *id = sites[i].marker->id;

		n = same_name(&sites[i], sites + nsites);
		while (at < nprobes && strcmp(probes[at].marker->id, id) < 0)
			at++;
		same = at < nprobes && !strcmp(probes[at].marker->id, id) ?
			       same_name(&probes[at], probes + nprobes) : 0;
		settle(&sites[i], n, &probes[at], same);
	}
	free(sites);
	free(probes);
	drop_matched(r);
}

static int add_probes(struct reading *r)
{
	struct usdt_file file = { (const uint8_t *)r->notes.base,
				  r->notes.bytes };
	uint32_t damaged = 0;
	int ret = usdt_notes_read(&file, add_probe, r, &damaged);

	if (ret == -ENOEXEC)
		return fact(r, ret, "its section headers are damaged");
	if (!ret)
		match_all(r);
	return damaged && !ret ? fact(r, 0, "left out %s",
				      counted(damaged, "damaged USDT note")) :
				 ret;
}

static int read_elf(struct reading *r)
{
	GElf_Ehdr header;
	size_t n;
	int ret;

	if (elf_kind(r->elf) != ELF_K_ELF || !gelf_getehdr(r->elf, &header))
		return fact(r, -ENOEXEC, "not an ELF file");
	if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB)
		return fact(r, -ENOEXEC, "not a 64-bit little-endian ELF file");
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return fact(r, -ENOEXEC, "neither a program nor a shared "
			    "object; link it first");
	r->notes.base = elf_rawfile(r->elf, &r->notes.bytes);
	if (!r->notes.base)
		return fact(r, -EIO, "%s", elf_errmsg(-1));
	r->notes.ph = elf64_getphdr(r->elf);
	if (r->notes.ph && !elf_getphdrnum(r->elf, &n))
		r->notes.nph = (uint32_t)n;
	ret = notes_each(&r->notes, add_site, r);
	return ret ? ret : add_probes(r);
}

int elfnotes_read(struct marker_list *list, const char *path,
		  char error[ELFNOTES_ERROR_BYTES])
{
	struct reading r = { .list = list, .before = list->count,
			     .error = error };
	int ret, fd;

	error[0] = '\0';
	elf_version(EV_CURRENT);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return fact(&r, -errno, "%s", strerror(errno));
	r.elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	ret = r.elf ? read_elf(&r) : fact(&r, -EIO, "%s", elf_errmsg(-1));
	if (ret == -ENOMEM && !error[0])
		fact(&r, ret, "out of memory");
	elf_end(r.elf);
	close(fd);
	return ret;
}
