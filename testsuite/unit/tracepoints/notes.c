/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notes of markers (tracepoints/sites/notes.h) in a file that has one segment
 * of notes, one of code and one of data: joined with other notes, moved, and
 * damaged.
 */
#include "testsuite/unit/unit.h"

#include <stdint.h>

#include "include/taffrail/site.h"
#include "tracepoints/sites/notes.h"

#define NOTES		0u	/* offsets, and addresses of the linker */
#define CODE		0x1000u
#define DATA		0x2000u
#define MOVED		0x7000u	/* where an editor puts the notes */
#define SITES		3u
#define LEAVE_OUT	3u	/* sites that no note names come first */

static struct {
	_Alignas(64) uint8_t notes[CODE];
	uint8_t code[DATA - CODE];
	struct {
		_Alignas(64) struct taffrail_site site;
	} sites[LEAVE_OUT + SITES];
} file;

static Elf64_Phdr ph[3];
static struct notes notes = { ph, 3, (const char *)&file, sizeof(file) };
static uint64_t addresses[8];
static uint32_t found, others;

static int see(uint32_t type, uint64_t address, const void *desc, uint64_t n,
	       void *arg)
{
	(void)desc;
	(void)n;
	(void)arg;
	if (type != TAFFRAIL_NOTE_TYPE)
		others++;
	else if (found < 8)
		addresses[found++] = address;
	return 0;
}

static int see_one(uint32_t type, uint64_t address, const void *desc,
		   uint64_t n, void *arg)
{
	see(type, address, desc, n, arg);
	return 5;
}

static int walk(void)
{
	found = 0;
	others = 0;
	return notes_each(&notes, see, NULL);
}

static uint8_t *put(uint8_t *p, uint32_t type, const char *owner,
		    const void *desc, uint32_t n)
{
	uint32_t bytes = (uint32_t)strlen(owner) + 1;
	uint32_t words[3] = { bytes, n, type };

	memcpy(p, words, sizeof(words));
	p += sizeof(words);
	memcpy(p, owner, bytes);
	p += (bytes + 3) & ~3u;
	memcpy(p, desc, n);
	return p + ((n + 3) & ~3u);
}

/* Puts a note with its site and code. `nop; test $rel32, %eax` is the code. */
static uint8_t *put_site(uint8_t *p, uint32_t i)
{
	uint32_t desc = (uint32_t)(p - file.notes) + 12 + 12;
	uint32_t code = CODE + 100 * i, stub = CODE + 0x800 + 32 * i;
	struct taffrail_note note = {
		.code_ = (int32_t)(code - desc),
		.object_ = (int32_t)((uint64_t)&file.sites[LEAVE_OUT + i] -
				     (uint64_t)&file - desc - 4),
		.stub_ = (int32_t)(stub - desc - 8),
	};
	int32_t operand = (int32_t)(stub - code - 6);

	file.code[100 * i] = 0x90;
	file.code[100 * i + 1] = 0xa9;
	memcpy(&file.code[100 * i + 2], &operand, 4);
	return put(p, TAFFRAIL_NOTE_TYPE, "taffrail", &note, sizeof(note));
}

static void make(uint32_t padding)
{
	uint8_t *p = file.notes;
	uint32_t i;

	memset(&file, 0, sizeof(file));
	for (i = 0; i < LEAVE_OUT + SITES; i++) {
		file.sites[i].site.version_ = TAFFRAIL_SITE_VERSION;
		file.sites[i].site.kind_ = TAFFRAIL_KIND_EVENT;
	}
	p = put(p, 5, "GNU", "0123456789abcdef", 16);
	p += padding;
	for (i = 0; i < SITES; i++) {
		p = put_site(p, i);
		p = put(p, 9, "taffrail", "word", 4);
		p += padding;
	}
	p = put(p, 3, "taffrailx", "another", 8);
	ph[0] = (Elf64_Phdr){ .p_type = PT_NOTE, .p_offset = NOTES,
			      .p_vaddr = NOTES, .p_align = padding ? 8 : 4 };
	ph[0].p_filesz = ph[0].p_memsz = (uint64_t)(p - file.notes);
	ph[1] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X,
			      .p_offset = CODE, .p_vaddr = CODE,
			      .p_filesz = sizeof(file.code),
			      .p_memsz = sizeof(file.code) };
	ph[2] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_W,
			      .p_offset = DATA, .p_vaddr = DATA,
			      .p_filesz = sizeof(file.sites),
			      .p_memsz = sizeof(file.sites) };
}

static void check_all(const char *what)
{
	uint64_t first[SITES] = { 0 };
	uint32_t i;

	unit_equal(walk(), 0, "%s: all are read", what);
	unit_equal(found, SITES, "%s: notes of markers", what);
	unit_equal(others, SITES, "%s: other notes of ours", what);
	memcpy(first, addresses, sizeof(first));
	ph[0].p_vaddr = MOVED + 4;
	walk();
	for (i = 0; i < SITES; i++)
		unit_equal(addresses[i], first[i], "%s: moved, note %u", what,
			   i);
	ph[0].p_vaddr = NOTES;
}

static void check_foreign(void)
{
	make(0);
	ph[0].p_vaddr = MOVED;
	file.code[1] = 0xcc;
	walk();
	unit_equal(addresses[0], MOVED + 32 + 24,
		   "a moved note whose code is another's stays where it is");
	make(0);
	memset(file.sites, 0, sizeof(file.sites));
	ph[0].p_vaddr = MOVED;
	walk();
	unit_equal(addresses[0], MOVED + 32 + 24,
		   "a moved note without a site stays where it is");
}

static void check_damaged(void)
{
	uint64_t bytes;
	uint32_t i, wrong = 0;

	make(0);
	found = 0;
	unit_equal(notes_each(&notes, see_one, NULL), 5, "a result stops");
	unit_equal(found, 1, "a result stops at once");
	bytes = ph[0].p_filesz;
	for (i = 0; i < bytes; i++) {
		ph[0].p_filesz = i;
		wrong += walk() || found > SITES;
	}
	unit_equal(wrong, 0, "a segment that is cut anywhere");
	ph[0].p_filesz = bytes;
	for (i = 0; i < bytes; i += 4) {
		make(0);
		memset(file.notes + i, 0xff, 4);
		wrong += walk() || found > SITES;
	}
	unit_equal(wrong, 0, "a word that is damaged anywhere");
	make(0);
	ph[0].p_vaddr = MOVED;
	ph[2].p_filesz = ~0ull - 64;
	walk();
	unit_equal(found, SITES, "a segment that the file does not have");
	unit_check(!notes_at(&notes, DATA, 1, PF_R | PF_W), "nor its bytes");
	unit_check(!notes_at(&notes, CODE, 1, PF_W), "bytes without the right");
	unit_check(!notes_at(&notes, CODE, DATA - CODE + 1, PF_R),
		   "more bytes than there are");
}

int main(void)
{
	make(0);
	check_all("alone");
	make(4);
	check_all("joined");
	check_foreign();
	check_damaged();
	return unit_end();
}
