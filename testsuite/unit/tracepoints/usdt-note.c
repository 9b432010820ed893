/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading USDT probes out of files (tracepoints/usdt/plan/note.h): this
 * program's file, and files made with features that real ones seldom have.
 */
#include "testsuite/unit/unit.h"
#include "testsuite/unit/usdt.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* As sys/sdt.h has it, without its header. */
__asm__(".pushsection .note.stapsdt, \"\", \"note\"\n"
	".balign 4\n"
	".4byte 992f-991f, 994f-993f, 3\n"
	"991: .asciz \"stapsdt\"\n"
	"992: .balign 4\n"
	"993: .8byte 0x1234, 0, 0x5678\n"
	".asciz \"unit\"\n"
	".asciz \"real\"\n"
	".asciz \"8@%rdi -4@$7\"\n"
	"994: .balign 4\n"
	".popsection\n");

int usdt_global __attribute__((used));

#define SEEN_MAX	8

static struct usdt_probe seen[SEEN_MAX];
static uint32_t nseen;

static int see(const struct usdt_probe *probe, void *priv)
{
	(void)priv;
	if (nseen < SEEN_MAX)
		seen[nseen] = *probe;
	nseen++;
	return 0;
}

static int see_one(const struct usdt_probe *probe, void *priv)
{
	see(probe, priv);
	return 7;
}

static int is_probe(uint32_t i, const char *provider, const char *name,
		    const char *operands)
{
	return i < nseen && !strcmp(seen[i].provider, provider) &&
	       !strcmp(seen[i].name, name) &&
	       !strcmp(seen[i].operands, operands);
}

static void check_real(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct stat st;
	struct usdt_file file = { 0 };
	uint64_t address = 0;
	uint32_t damaged = 9;

	if (fstat(fd, &st))
		return;
	file.size = (uint64_t)st.st_size;
	file.bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
	nseen = 0;
	unit_equal(usdt_notes_read(&file, see, NULL, &damaged), 0, "real");
	unit_equal(nseen, 1, "real: one probe");
	unit_equal(damaged, 0, "real: none is damaged");
	unit_check(is_probe(0, "unit", "real", "8@%rdi -4@$7"),
		   "real: its strings");
	unit_check(seen[0].address == 0x1234 && seen[0].semaphore == 0x5678,
		   "real: its addresses");
	unit_check(usdt_file_symbol(&file, "usdt_global+4", 11, &address) &&
			   address,
		   "real: a symbol");
	unit_check(!usdt_file_symbol(&file, "usdt_globa", 10, &address) &&
			   !usdt_file_symbol(&file, "usdt_globals", 12,
					     &address),
		   "real: the whole name counts");
	close(fd);
}

static uint8_t notes[1024];
static uint64_t notes_bytes;

static void add(const char *owner, uint32_t type, uint64_t address,
		uint64_t base, uint64_t semaphore, const char *strings,
		uint32_t bytes)
{
	uint64_t words[3] = { address, base, semaphore };

	notes_bytes += usdt_note(notes + notes_bytes, owner, type, words,
				 strings, bytes);
}

static int read_made(struct usdt_made *made, uint64_t size, usdt_probe_fn *fn,
		     uint32_t *damaged)
{
	struct usdt_file file = { .bytes = made->bytes, .size = size };

	nseen = 0;
	return usdt_notes_read(&file, fn, NULL, damaged);
}

#define STRINGS(s)	s, sizeof(s)

static void check_made(void)
{
	static struct usdt_made made;
	uint32_t damaged;

	add("stapsdt", 3, 0x10, USDT_BASE, 0, STRINGS("p\0one\0"));
	add("stapsdt", 3, 0x20, USDT_BASE - 0x100, 0x30,
	    STRINGS("p\0two\0" "8@%rax"));
	add("stapsdt", 3, 0x40, USDT_BASE - 0x100, 0, STRINGS("p\0three\0"));
	add("stapsdt", 4, 0, 0, 0, STRINGS("p\0another type\0"));
	add("stapsdT", 3, 0, 0, 0, STRINGS("p\0another owner\0"));
	add("stapsdt", 3, 0, 0, 0, "p\0no end", 8);
	add("stapsdt", 3, 0, 0, 0, STRINGS("\0no provider\0"));
	add("stapsdt", 3, 0, 0, 0, "", 0);
	add("stapsdt", 3, 0x50, 0, 0, STRINGS("p\0last\0"));
	usdt_make(&made, notes, notes_bytes);
	unit_equal(read_made(&made, made.used, see, &damaged), 0, "made");
	unit_equal(nseen, 4, "made: probes");
	unit_equal(damaged, 3, "made: damaged ones");
	unit_check(is_probe(1, "p", "two", "8@%rax") &&
			   is_probe(3, "p", "last", ""), "made: strings");
	unit_check(seen[0].address == 0x10 && seen[1].address == 0x120 &&
			   seen[1].semaphore == 0x130 &&
			   seen[2].address == 0x140 && !seen[2].semaphore &&
			   seen[3].address == 0x50,
		   "made: what prelink has moved, and what not");
	unit_equal(read_made(&made, made.used, see_one, NULL), 7, "stopped");
	unit_equal(nseen, 1, "stopped: at the first");
}

static void check_bad(void)
{
	static struct usdt_made made;
	Elf64_Ehdr *header = (Elf64_Ehdr *)made.bytes;
	struct usdt_file empty = { .bytes = made.bytes, .size = 0 };
	uint64_t address;

	usdt_make(&made, notes, notes_bytes);
	unit_equal(usdt_notes_read(&empty, see, NULL, NULL), -ENOEXEC,
		   "an empty file");
	unit_equal(read_made(&made, made.used - 8, see, NULL), -ENOEXEC,
		   "sections are cut");
	header->e_shoff = ~0ull - 7;
	unit_equal(read_made(&made, made.used, see, NULL), -ENOEXEC,
		   "sections lie nowhere");
	header->e_shnum = 0;
	header->e_shentsize = 0;
	unit_equal(read_made(&made, made.used, see, NULL), 0, "no sections");
	unit_equal(nseen, 0, "no sections: no probe");
	usdt_make(&made, notes, notes_bytes);
	header->e_ident[EI_CLASS] = ELFCLASS32;
	unit_equal(read_made(&made, made.used, see, NULL), -ENOEXEC,
		   "another class");
	unit_check(!usdt_file_symbol(&empty, "one", 3, &address),
		   "no symbol in an empty file");
}

static void check_symbols(void)
{
	static struct usdt_made made;
	struct usdt_file file = { .bytes = made.bytes, .size = 0 };
	uint64_t address = 0;

	usdt_make(&made, notes, notes_bytes);
	file.size = made.used;
	unit_check(usdt_file_symbol(&file, "two", 3, &address) &&
			   address == 0x2222, "a symbol");
	unit_check(!usdt_file_symbol(&file, "none", 4, &address),
		   "a symbol of another file");
	unit_check(!usdt_file_symbol(&file, "", 0, &address), "no name");
}

int main(void)
{
	check_real();
	check_made();
	check_bad();
	check_symbols();
	return unit_end();
}
