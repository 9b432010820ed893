/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the command reads of ELF files and of agents' lists of markers
 * (command/elf/), from bytes that are made here.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "buffers/reader/reader.h"
#include "command/elf/elfnotes.h"
#include "command/elf/mapped-private.h"
#include "command/elf/named-private.h"
#include "command/symboliser/symboliser.h"
#include "testsuite/unit/command/elf-made.h"
#include "testsuite/unit/command/made.h"

static struct elf_made made;

static const char *put_file(void)
{
	return made_bytes("file", &made.file, elf_bytes(&made));
}

/* A segment of constants and one of code that begins in the same page of the
 * file, as lld and mold make them; and one of data. */
static void check_addresses(void)
{
	static const struct {
		uint64_t offset;
		uint64_t address;	/* 0: no code is there */
	} rows[] = {
		{ 0x2000, 0x403000 }, { 0x27ff, 0x4037ff },
		{ 0x2800, 0x403800 }, { 0x3000, 0x404000 },
		{ 0x37ff, 0x4047ff },
		{ 0x3800, 0 }, { 0x1fff, 0 }, { 0x1000, 0 }, { 0, 0 },
		{ UINT64_MAX, 0 },
	};
	struct symboliser_module module;
	uint64_t address;

	elf_begin_file(&made);
	*elf_segment(&made, PT_LOAD, 0, 0) = (Elf64_Phdr){
		.p_type = PT_LOAD, .p_flags = PF_R, .p_offset = 0,
		.p_vaddr = 0x400000, .p_filesz = 0x2800, .p_align = 0x1000,
	};
	*elf_segment(&made, PT_LOAD, 0, 0) = (Elf64_Phdr){
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = 0x2800,
		.p_vaddr = 0x403800, .p_filesz = 0x1000, .p_align = 0x200000,
	};
	*elf_segment(&made, PT_LOAD, 0, 0) = (Elf64_Phdr){
		.p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_offset = 0x3800,
		.p_vaddr = 0x405800, .p_filesz = 0x100, .p_align = 0x1000,
	};
	put_file();
	unit_equal(symboliser_read(&module, made_path("file")), 0,
		   "segments");
	if (sysconf(_SC_PAGESIZE) != 0x1000) {
		unit_skip("addresses of offsets", "pages are of another size");
		return;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int ret = symboliser_place(&address, &module, rows[i].offset);

		unit_equal(ret, rows[i].address ? 0 : -ENOENT,
			   "offset %#llx", (unsigned long long)rows[i].offset);
		if (!ret)
			unit_equal((long long)address,
				   (long long)rows[i].address,
				   "offset %#llx: address",
				   (unsigned long long)rows[i].offset);
	}
	unit_equal(symboliser_read(&module, "/nowhere"), -ENOENT, "no file");
	unit_equal(symboliser_place(&address, &module, 0), -ENOENT,
		   "nor an address in it");
}

/* `bytes` of a build ID, behind another note. */
static void put_build_id(uint32_t bytes, const char *owner, uint32_t type)
{
	uint8_t notes[256], id[64];
	size_t n;

	for (uint32_t i = 0; i < sizeof(id); i++)
		id[i] = (uint8_t)(i + 1);
	n = elf_note(notes, 5, "GNU", "property", 8);
	n += elf_note(notes + n, type, owner, id, bytes);
	elf_begin_file(&made);
	elf_segment(&made, PT_NOTE, elf_add(&made, notes, n), n)->p_align = 4;
	put_file();
}

static void check_build_ids(void)
{
	struct symboliser_module module;
	const char *path = made_path("file");

	put_build_id(20, "GNU", NT_GNU_BUILD_ID);
	unit_equal(symboliser_read(&module, path), 0, "build ID");
	unit_check(module.id_bytes == 20 && module.id[0] == 1 &&
		   module.id[19] == 20, "build ID: bytes");
	put_build_id(8, "GNU", NT_GNU_BUILD_ID);
	symboliser_read(&module, path);
	unit_equal(module.id_bytes, 8, "a short build ID");
	unit_check(module.id[7] == 8 && !module.id[8] && !module.id[19],
		   "zeros behind");
	put_build_id(32, "GNU", NT_GNU_BUILD_ID);
	symboliser_read(&module, path);
	unit_equal(module.id_bytes, 20, "a long build ID");
	unit_check(module.id[19] == 20, "its first bytes");
	put_build_id(20, "GNX", NT_GNU_BUILD_ID);
	symboliser_read(&module, path);
	unit_equal(module.id_bytes, 0, "a note of another owner");
	unit_check(!module.id[0], "no bytes then");
	put_build_id(20, "GNU", NT_GNU_BUILD_ID + 1);
	symboliser_read(&module, path);
	unit_equal(module.id_bytes, 0, "a note of another type");
}

static const char strings[] = "\0libone.so.1\0libtwo.so\0ld-linux.so.2\0"
			      "one\0two";
enum { ONE = 1, TWO = 13, LD = 23, SYMBOL_ONE = 37, SYMBOL_TWO = 41 };

/* A shared object that needs two others, with these last entries. */
static void put_dynamic(uint16_t type, const Elf64_Dyn *last, size_t nlast,
			const char *interpreter)
{
	Elf64_Dyn entries[8] = {
		{ .d_tag = DT_NEEDED, .d_un.d_val = ONE },
		{ .d_tag = DT_NEEDED, .d_un.d_val = TWO },
	};
	const Elf64_Sym symbols[] = {
		{ 0 },
		{ .st_name = SYMBOL_ONE, .st_shndx = SHN_UNDEF,
		  .st_value = 0x11 },
		{ .st_name = SYMBOL_ONE, .st_shndx = 1, .st_value = 0x1111 },
		{ .st_name = SYMBOL_TWO, .st_shndx = 1, .st_value = 0x2222 },
	};
	size_t n = interpreter ? strlen(interpreter) + 1 : 0;
	uint64_t at;

	memcpy(&entries[2], last, nlast * sizeof(*last));
	elf_begin_file(&made);
	made.file.header.e_type = type;
	at = elf_add(&made, strings, sizeof(strings));
	elf_section(&made, SHT_STRTAB, at, sizeof(strings), 0);
	at = elf_add(&made, entries, sizeof(entries));
	elf_segment(&made, PT_DYNAMIC, at, sizeof(entries));
	elf_section(&made, SHT_DYNAMIC, at, sizeof(entries),
		    sizeof(entries[0]))->sh_link = 1;
	at = elf_add(&made, symbols, sizeof(symbols));
	elf_section(&made, SHT_DYNSYM, at, sizeof(symbols),
		    sizeof(symbols[0]))->sh_link = 1;
	if (interpreter)
		elf_segment(&made, PT_INTERP, elf_add(&made, interpreter, n),
			    n);
	put_file();
}

/* Reads the file, which is sought by its path. */
static const struct symboliser_module *read_again(void)
{
	static struct symboliser_module module;

	symboliser_read(&module, made_path("file"));
	return &module;
}

static int find_symbol(uint64_t *address, const char *name)
{
	struct symboliser_file file = { .fd = open(made_path("file"),
						   O_RDONLY | O_CLOEXEC),
					.bytes = elf_bytes(&made) };
	uint64_t ns = SYMBOLISER_NS;
	int ret = symboliser_address(address, name, &file, &ns);

	close(file.fd);
	return ret;
}

static void check_dynamic(void)
{
	static const Elf64_Dyn pie = { .d_tag = DT_FLAGS_1,
				       .d_un.d_val = DF_1_PIE | DF_1_NOW };
	static const Elf64_Dyn now = { .d_tag = DT_FLAGS_1,
				       .d_un.d_val = DF_1_NOW };
	static const Elf64_Dyn linker = { .d_tag = DT_SONAME,
					  .d_un.d_val = LD };
	const struct symboliser_module *m;
	uint64_t address;

	put_dynamic(ET_DYN, &now, 1, NULL);
	m = read_again();
	unit_check(m->library, "a library");
	unit_check(symboliser_needs(m, "libone.so"), "it needs one");
	unit_check(symboliser_needs(m, "libtwo.so"), "it needs another one");
	unit_check(!symboliser_needs(m, "libtwo.so.1"), "it needs no third");
	unit_check(!symboliser_needs(m, "ibone"), "nor one by its middle");
	unit_equal(find_symbol(&address, "one"), 0, "a symbol");
	unit_equal((long long)address, 0x1111, "where it is defined");
	unit_equal(find_symbol(&address, "two"), 0, "the last symbol");
	unit_equal((long long)address, 0x2222, "where that is defined");
	unit_equal(find_symbol(&address, "on"), -ENOENT, "no symbol");
	unit_equal_string(m->interpreter, "", "no dynamic linker");
	put_dynamic(ET_DYN, &pie, 1, NULL);
	unit_check(!read_again()->library, "a static program");
	put_dynamic(ET_DYN, &linker, 1, NULL);
	unit_check(!read_again()->library, "the dynamic linker");
	put_dynamic(ET_EXEC, &now, 1, NULL);
	unit_check(!read_again()->library, "a program");
	put_dynamic(ET_DYN, &now, 1, "/lib/ld.so");
	m = read_again();
	unit_equal_string(m->interpreter, "/lib/ld.so", "a dynamic linker");
	unit_check(!m->library, "a program that names it");
	made_file("file", "#!/bin/sh\n");
	m = read_again();
	unit_check(!m->library, "a script");
	unit_check(!symboliser_needs(m, "lib"), "a script needs none");
}

static void read_file(int want, const char *why, const char *name)
{
	struct marker_list list = { 0 };
	char error[ELFNOTES_ERROR_BYTES];

	unit_equal(elfnotes_read(&list, made_path("file"), 0, error), want, "%s",
		   name);
	unit_equal_string(error, why, "%s: why", name);
	marker_list_free(&list);
}

#define CUT_BYTES	(8u << 20)
#define CUT_LOOKS	2000		/* at most: the first ones do */

static struct {
	char *bytes;
	int fd;
	bool stop;
} cut;

/* Cuts the file, and puts back what it lacks, again and again. */
static void *cut_file(void *unused)
{
	(void)unused;
	while (!__atomic_load_n(&cut.stop, __ATOMIC_ACQUIRE))
		if (ftruncate(cut.fd, 4096) ||
		    pwrite(cut.fd, cut.bytes, CUT_BYTES, 0) != CUT_BYTES)
			abort();
	return NULL;
}

/* Most of a library are notes of other kinds, which are walked through while
 * another thread cuts the file: the reader is gone then, and nothing else. */
static void check_cut(void)
{
	const uint32_t word = 0;
	struct marker_list list = { 0 };
	char error[ELFNOTES_ERROR_BYTES];
	unsigned int cuts = 0, wholes = 0, others = 0;
	pthread_t thread;
	size_t n;

	cut.bytes = calloc(1, CUT_BYTES);
	elf_begin_file(&made);
	elf_segment(&made, PT_NOTE, ELF_BYTES, CUT_BYTES - ELF_BYTES);
	memcpy(cut.bytes, &made.file, sizeof(made.file) - ELF_BYTES);
	for (size_t at = ELF_BYTES; at + 64 < CUT_BYTES; at += n)
		n = elf_note((uint8_t *)cut.bytes + at, TAFFRAIL_NOTE_TYPE + 1,
			     "taffrail", &word, sizeof(word));
	made_bytes("cut", cut.bytes, CUT_BYTES);
	cut.fd = open(made_path("cut"), O_WRONLY | O_CLOEXEC);
	if (pthread_create(&thread, NULL, cut_file, NULL))
		abort();
	for (int i = 0; i < CUT_LOOKS && !(cuts && wholes); i++) {
		int ret = elfnotes_read(&list, made_path("cut"), 0, error);

		cuts += ret == -EPIPE;
		wholes += !ret;
		others += ret && ret != -EPIPE && ret != -ENOEXEC &&
			  ret != -ESTALE;
	}
	__atomic_store_n(&cut.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	unit_check(cuts, "a file that is cut while it is read");
	unit_check(wholes, "the file as a whole, by another reader");
	unit_equal(others, 0, "other results");
	unit_equal(elfnotes_read(&list, made_path("cut"), 0, error), 0,
		   "the file at rest");
	unit_equal_string(error, "", "no fault then");
	unit_equal((long long)list.count, 0, "its notes are no markers");
	close(cut.fd);
	free(cut.bytes);
}

static void check_refused(void)
{
	elf_begin_file(&made);
	put_file();
	read_file(0, "", "no marker");
	made.file.header.e_ident[EI_DATA] = ELFDATA2MSB;
	put_file();
	read_file(-ENOEXEC, "not a 64-bit little-endian ELF file",
		  "bytes in the other order");
	elf_begin_file(&made);
	made.file.header.e_type = ET_REL;
	put_file();
	read_file(-ENOEXEC, "neither a program nor a shared object; link it "
		  "first", "an object file");
	made.file.header.e_type = ET_CORE;
	put_file();
	read_file(-ENOEXEC, "neither a program nor a shared object; link it "
		  "first", "a core file");
	made_file("file", "text\n");
	read_file(-ENOEXEC, "not an ELF file", "a text");
	made_file("file", "");
	read_file(-ENOEXEC, "not an ELF file", "an empty file");
	unlink(made_path("file"));
	read_file(-ENOENT, strerror(ENOENT), "no file");
}

/* Records of an agent's answer; its strings end in a blank here. */
static int parse(struct marker_list *list, const char *text, size_t less)
{
	char *answer = strdup(text);
	size_t n = strlen(answer);
	int ret;

	for (size_t i = 0; i < n; i++)
		if (answer[i] == ' ')
			answer[i] = '\0';
	ret = marker_list_parse(list, answer, n - less);
	free(answer);
	return ret;
}

static void take_field(const struct marker_field *field, void *priv)
{
	sprintf((char *)priv + strlen(priv), "%s:%s%s%s ", field->name,
		field->type, *field->how ? "/" : "", field->how);
}

static void check_markers(void)
{
	struct marker_list list = { 0 };
	char text[256] = "";
	struct marker *m;

	unit_equal(parse(&list, "", 0), 0, "an empty answer");
	unit_equal(parse(&list, "7f00001234 event 1 4294967295 :0a app b n "
			 "src.c ffffffffffffffff usdt-int3 -16 7 00 app a x "
			 " 10 mark 0 7 : app a x  ", 0), 0, "three markers");
	unit_equal((long long)list.count, 3, "three markers: count");
	marker_list_sort(&list);
	m = list.markers;
	unit_check(!strcmp(m[0].id, "app/a") && m[0].address == 0x10 &&
		   m[1].address == UINT64_MAX && !strcmp(m[2].id, "app/b"),
		   "sorted by id and address");
	unit_check(m[0].kind == MARKER_MARK && m[1].kind == MARKER_USDT &&
		   m[2].kind == MARKER_EVENT, "kinds");
	unit_check(!m[0].enabled && !m[1].enabled && m[2].enabled, "enabled");
	unit_equal(m[1].placement, PLACED_INT3, "placement");
	unit_equal_string(m[1].why, "off: another program's code is there",
			  "why it is off");
	unit_check(m[2].line == UINT32_MAX && m[0].line == 7, "lines");
	unit_equal_string(m[2].file, "src.c", "file");
	unit_equal(m[1].nfields, 1, "fields");
	unit_equal((long long)m[2].shown_bytes, 1, "what is shown");
	marker_each_field(&m[1], take_field, text);
	unit_check(!strncmp(text, "arg1:", 5), "a probe's field");
	marker_list_free(&list);
}

static void check_damaged(void)
{
	static const struct {
		const char *text;
		size_t less;
	} rows[] = {
		{ "1 event 1 7 : app b n ", 0 },	/* a string is missing */
		{ "1 event 1 7 0 app b n  ", 0 },	/* half a byte */
		{ "1 event 1 7 0G app b n  ", 0 },
		{ "1 event 1 7 :0 app b n  ", 0 },
		{ "1 event 1 7 00000000000000000000000000000000000000000000000"
		  "0000000000000000000000000000000000000000000000000000000000"
		  "app b n  ", 0 },
	};
	struct marker_list list = { 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		unit_equal(parse(&list, rows[i].text, rows[i].less), -EBADMSG,
			   "damaged answer %zu", i);
	marker_list_free(&list);
}

static void check_unplaced(void)
{
	struct marker markers[] = {
		{ .kind = MARKER_EVENT, .placement = PLACED_NOT, .why = "a" },
		{ .kind = MARKER_USDT, .placement = PLACED_NOT, .why = "b" },
		{ .kind = MARKER_MARK },
		{ .kind = MARKER_MARK, .placement = PLACED_NOT, .why = "c" },
	};
	struct marker_list list = { markers, 4 };
	const char *why = NULL;

	unit_equal((long long)marker_list_unplaced(&list, &why), 2,
		   "markers without a place");
	unit_equal_string(why, "a", "why the first has none");
	unit_equal_string(placement_text(PLACED_EITHER), "byte or jump",
			  "a placement in words");
	unit_equal_string(placement_text(PLACED_NOT), "not",
			  "the last placement");
}

/* How fields are shown, in words: one way, an unknown one, several. */
static void check_shown(void)
{
	static struct taffrail_shown shown[] = {
		{ 1, TAFFRAIL_HOW_DURATION_MS, 0, 0 },
		{ 2, 200, 0, 0 },
		{ 3, TAFFRAIL_HOW_BIG_ENDIAN, 0, 0 },
		{ 3, 25, 0, 0 },
		{ 3, TAFFRAIL_HOW_OCT, 0, 0 },
	};
	struct marker m = {
		.kind = MARKER_EVENT, .text = (char *)"a, b, c, d",
		.nfields = 4, .shown = (char *)shown,
		.shown_bytes = sizeof(shown),
		.types = { TAFFRAIL_T_S32, TAFFRAIL_T_U8,
			   TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_U16,
			   TAFFRAIL_T_STRING },
	};
	char text[256] = "";

	marker_each_field(&m, take_field, text);
	unit_equal_string(text, "a:int32/ms b:uint8 "
				"c:uint16[]/big-endian, oct d:string ",
			  "how fields are shown");
}

/* Two times in which a module was there: [10, 20) and [30, 40). */
static void check_mapped(void)
{
	static const struct {
		uint64_t first, last;
		bool there;
	} rows[] = {
		{ 10, 10, true }, { 10, 19, true }, { 10, 20, false },
		{ 9, 10, false }, { 19, 30, false }, { 30, 39, true },
		{ 20, 29, false }, { 39, 40, false },
	};
	struct mapped_time old = { .begin = 10, .end = 20 };
	struct mapped_time new = { .before = &old, .begin = 30, .end = 40 };
	struct mapped m = { .times = &new };
	struct symboliser_segment segments[] = {
		{ .address = 0x1000, .bytes = 0x100, .code = true },
		{ .address = 0x3000, .bytes = 0x10 },
	};
	struct named_module module = { segments, 2, 0, "x" };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		unit_equal(mapped_during(&m, rows[i].first, rows[i].last),
			   rows[i].there, "mapped from %llu to %llu",
			   (unsigned long long)rows[i].first,
			   (unsigned long long)rows[i].last);
	unit_check(named_has(&module, 0x1000, true) &&
		   named_has(&module, 0x10ff, true), "code");
	unit_check(!named_has(&module, 0xfff, true) &&
		   !named_has(&module, 0x1100, true), "beside code");
	unit_check(named_has(&module, 0x300f, false) &&
		   !named_has(&module, 0x300f, true), "data");
}

int main(void)
{
	made_open();
	check_addresses();
	check_build_ids();
	check_dynamic();
	check_refused();
	check_cut();
	check_markers();
	check_damaged();
	check_unplaced();
	check_shown();
	check_mapped();
	made_close();
	return unit_end();
}
