/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notes of markers. See notes.h.
 *
 * Linkers and editors of ELF files treat notes in different ways:
 *  - GNU ld, gold and lld make a segment for each alignment. mold makes one
 *    for all notes, with the greatest alignment, and fills up between them
 *    with zeros.
 *  - An editor that needs room for a longer table or path (patchelf) moves
 *    notes elsewhere, and leaves their words as they are. These are relative to
 *    where the notes were. As code and data stay, the shift is found by a site
 *    that fits the first note.
 */
#include "tracepoints/sites/notes.h"

#include "base/base.h"
#include "base/text.h"
#include "include/taffrail/site.h"
#include "tracepoints/program/patch.h"

#define OWNER		"taffrail"
#define SITE_ALIGN	64u
#define LINES_MAX	(1u << 20)	/* of data that are searched for one */
#define DATA		(PF_R | PF_W)
#define OBJECT_WORD	offsetof(struct taffrail_note, object_)

/* How many bytes of the segment can be read. */
static uint64_t segment_extent(const struct notes *notes, const Elf64_Phdr *ph)
{
	if (!notes->bytes)
		return ph->p_memsz;
	if (ph->p_offset > notes->bytes ||
	    ph->p_filesz > notes->bytes - ph->p_offset)
		return 0;
	return ph->p_filesz;
}

/* Returns where a segment begins, in the file's bytes or in memory. */
static const char *segment_start(const struct notes *notes,
				 const Elf64_Phdr *ph)
{
	/* the sum may be outside: extent() is 0 then */
	return (const char *)((uintptr_t)notes->base +
			      (notes->bytes ? ph->p_offset : ph->p_vaddr));
}

void *notes_at(const struct notes *notes, uint64_t address, uint64_t n,
	       uint32_t flags)
{
	for (uint32_t i = 0; i < notes->nph; i++) {
		const Elf64_Phdr *ph = &notes->ph[i];
		uint64_t at = address - ph->p_vaddr;
		uint64_t room = segment_extent(notes, ph);

		if (ph->p_type == PT_LOAD && (ph->p_flags & flags) == flags &&
		    at < room && n <= room - at)
			return (char *)segment_start(notes, ph) + at;
	}
	return NULL;
}

/* Returns true when the bytes can be a site of this version. */
static bool is_site(const struct taffrail_site *site)
{
	return site && !((uint64_t)site % sizeof(uint64_t)) &&
	       site->version_ == TAFFRAIL_SITE_VERSION &&
	       site->kind_ >= TAFFRAIL_KIND_EVENT &&
	       site->kind_ <= TAFFRAIL_KIND_GUARD;
}

/* Returns true when a note whose descriptor was at this address names a site.
 */
static bool note_fits(const struct notes *notes, uint64_t address,
		      const struct taffrail_note *note)
{
	const uint8_t *code = notes_at(notes, address + note->code_, 6,
				       PF_R | PF_X);
	int64_t stub = (int64_t)offsetof(struct taffrail_note, stub_) +
		       note->stub_ - note->code_;

	return code && (note->flags_ & TAFFRAIL_SITE_FLAG_TESTED ||
			patch_leads(code, stub));
}

/* Returns where a descriptor was before it was moved, or where it is now when
 * no site tells. */
static COLD uint64_t moved_from(const struct notes *notes, uint64_t address,
				const struct taffrail_note *note)
{
	uint64_t back = OBJECT_WORD + (uint64_t)note->object_;
	uint64_t left = LINES_MAX;

	for (uint32_t i = 0; i < notes->nph; i++) {
		const Elf64_Phdr *ph = &notes->ph[i];
		uint64_t room =
			min_u64(segment_extent(notes, ph), ph->p_filesz);
		uint64_t at = -ph->p_vaddr % SITE_ALIGN;

		if (ph->p_type != PT_LOAD || (ph->p_flags & DATA) != DATA)
			continue;
		for (; left && at + sizeof(struct taffrail_site) <= room;
		     left--, at += SITE_ALIGN)
			if (is_site((const void *)(segment_start(notes, ph) +
						   at)) &&
			    note_fits(notes, ph->p_vaddr + at - back, note))
				return ph->p_vaddr + at - back;
	}
	return address;
}

/*
 * Takes the notes of one segment. A note is three words, the owner and the
 * descriptor, each 4-aligned. Words without an owner fill up to the alignment
 * of the next section.
 */
static int segment_walk(const struct notes *notes, const Elf64_Phdr *ph,
			notes_fn *take, void *arg)
{
	const char *first = segment_start(notes, ph);
	const char *end = first + segment_extent(notes, ph);
	const char *p = first;
	struct taffrail_note marker;
	uint64_t shift = 0;
	bool known = false;
	int ret = 0;

	while (!ret && (uint64_t)(end - p) >= sizeof(Elf64_Nhdr)) {
		const char *owner = p + sizeof(Elf64_Nhdr);
		uint64_t left = (uint64_t)(end - owner);
		uint64_t skip, bytes, address;
		Elf64_Nhdr note;

		__builtin_memcpy(&note, p, sizeof(note));
		p += sizeof(note.n_namesz);
		if (!note.n_namesz)
			continue;
		skip = align_up((uint64_t)note.n_namesz, 4);
		bytes = align_up((uint64_t)note.n_descsz, 4);
		if (skip > left || bytes > left - skip)
			break;
		p = owner + skip + bytes;
		if (note.n_namesz != sizeof(OWNER) || !text_equal(owner, OWNER))
			continue;
		address = ph->p_vaddr + (uint64_t)(owner + skip - first);
		if (!known && note.n_type == TAFFRAIL_NOTE_TYPE &&
		    note.n_descsz >= sizeof(struct taffrail_note)) {
			/* one note tells how far all were moved */
			known = true;
			__builtin_memcpy(&marker, owner + skip, sizeof(marker));
			if (!is_site(notes_at(notes, address + OBJECT_WORD +
						     marker.object_,
					      sizeof(struct taffrail_site),
					      DATA)))
				shift = address - moved_from(notes, address,
							     &marker);
		}
		ret = take(note.n_type, address - shift, owner + skip,
			   note.n_descsz, arg);
	}
	return ret;
}

int notes_each(const struct notes *notes, notes_fn *take, void *arg)
{
	int ret = 0;

	for (uint32_t i = 0; i < notes->nph && !ret; i++) {
		const Elf64_Phdr *ph = &notes->ph[i];

		if (ph->p_type == PT_NOTE &&
		    (notes->bytes || notes_at(notes, ph->p_vaddr, ph->p_memsz,
					      PF_R)))
			ret = segment_walk(notes, ph, take, arg);
	}
	return ret;
}
