/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loads the libraries that only USDT probes need, when a rule first names one:
 * the agent's own libtaffrail-usdt.so, and libZydis for that.
 *
 * Not by dlopen(): only a thread that libc made may call it, it takes locks
 * that a forked child may find taken, and the program would see the library. A
 * library that is loaded here calls only the functions named below. No
 * constructor runs, no variable is thread-local, no library is ever unmapped.
 *
 * Invariant: the registry's lock is held.
 */
#include "tracepoints/usdt/load.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "tracepoints/conditions/ax.h"
#include "tracepoints/program/mapped.h"
#include "tracepoints/program/modules.h"
#include "tracepoints/sites/notes.h"
#include "tracepoints/usdt/whole-private.h"
#include "tracepoints/usdt/usdt.h"

#define PAGE		4096ull
#define HEADERS_BYTES	1024
#define SPAN_MAX	(16ull << 20)
#define NAME		"libtaffrail-usdt.so"
#define DIRECTORY_BYTES	512

#ifndef TAFFRAIL_LIBDIR
#define TAFFRAIL_LIBDIR	"/usr/lib"
#endif

extern void *__libc_stack_end __attribute__((weak, visibility("default")));

uint64_t usdt_stack_end(void)
{
	void **volatile end = &__libc_stack_end;

	return end ? (uint64_t)*end : 0;
}

/* Stands for functions that end a program: the library has no libc to tell
 * why. */
static void trap_here(void)
{
	__builtin_trap();
}

/* The functions and data that a library may use beside its own symbols. */
static const struct {
	const char *name;
	void *address;
} names[] = {
	{ "arena_give", arena_give },
	{ "arena_keep", arena_keep },
	{ "arena_pack", arena_pack },
	{ "arena_take", arena_take },
	{ "ax_verify", ax_verify },
	{ "getauxval", getauxval },
	{ "library_open", library_open },
	{ "library_symbol", library_symbol },
	{ "mapped_each", mapped_each },
	{ "mapped_find", mapped_find },
	{ "mapping_map", mapping_map },
	{ "mapping_unmap", mapping_unmap },
	{ "memcmp", memcmp },
	/* clang calls it for a memcmp() of which only equality counts */
	{ "bcmp", memcmp },
	{ "memcpy", memcpy },
	{ "memmove", memmove },
	{ "memset", memset },
	{ "modules_debug", modules_debug },
	{ "notes_at", notes_at },
	{ "patch_byte", patch_byte },
	{ "patch_sync", patch_sync },
	{ "patch_word", patch_word },
	{ "patch_write", patch_write },
	{ "registry_add", registry_add },
	{ "rule_is_runtime", rule_is_runtime },
	{ "rule_prefers", rule_prefers },
	{ "rule_shown_name", rule_shown_name },
	{ "strlen", text_length },
	{ "usdt_entry", usdt_entry },
	{ "usdt_faults", &usdt_faults },
	{ "usdt_line_machine", (void *)&usdt_line_machine },
	{ "usdt_stack_end", usdt_stack_end },
	{ "usdt_stubs", usdt_stubs },
	{ "usdt_stubs_end", usdt_stubs_end },
	{ "__assert_fail", trap_here },
	{ "__stack_chk_fail", trap_here },
};

/* Returns the address of a function or object that a library may use, or 0. */
static uint64_t name_find(const char *name)
{
	for (uint32_t i = 0; i < ARRAY_SIZE(names); i++)
		if (text_equal(names[i].name, name))
			return (uint64_t)names[i].address;
	return 0;
}

/* Maps a segment over the reserved range, and zeroes the end beyond the
 * file. */
static long segment_map(uint64_t base, const Elf64_Phdr *ph, int fd)
{
	int prot = (ph->p_flags & PF_R ? PROT_READ : 0) |
		   (ph->p_flags & PF_W ? PROT_WRITE : 0) |
		   (ph->p_flags & PF_X ? PROT_EXEC : 0);
	uint64_t start = (base + ph->p_vaddr) & ~(PAGE - 1);
	uint64_t file = base + ph->p_vaddr + ph->p_filesz;
	uint64_t end = align_up(base + ph->p_vaddr + ph->p_memsz, PAGE);
	uint64_t after = align_up(file, PAGE);
	long ret = sys_mmap(start, after - start, prot,
			    MAP_PRIVATE | MAP_FIXED, fd,
			    ph->p_offset & ~(PAGE - 1));

	if (ret < 0 && ret > -4096)
		return ret;
	if (ph->p_flags & PF_W && after > file)
		__builtin_memset((void *)file, 0, after - file);
	if (end <= after)
		return 0;
	ret = sys_mmap(after, end - after, prot,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	return ret < 0 && ret > -4096 ? ret : 0;
}

/* Reserves a range of addresses for an ELF file of this machine, and maps the
 * segments there. Stores the offset of the dynamic section. Returns 0; or a
 * negative errno, and nothing is mapped. */
static long file_load(struct library *library, int fd, uint64_t *dynamic)
{
	uint8_t bytes[HEADERS_BYTES] __attribute__((aligned(8)));
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
	const Elf64_Phdr *ph = (const Elf64_Phdr *)(bytes + sizeof(*header));
	uint64_t span = 0;
	uint32_t i;
	long ret;

	if (sys_read(fd, bytes, sizeof(bytes)) != sizeof(bytes) ||
	    __builtin_memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_type != ET_DYN || header->e_machine != EM_X86_64 ||
	    header->e_phoff != sizeof(*header) ||
	    sizeof(*header) + header->e_phnum * sizeof(*ph) > sizeof(bytes))
		return -ENOEXEC;
	for (i = 0; i < header->e_phnum; i++) {
		if (ph[i].p_type == PT_DYNAMIC)
			*dynamic = ph[i].p_vaddr;
		if (ph[i].p_type == PT_LOAD &&
		    ph[i].p_vaddr + ph[i].p_memsz > span)
			span = ph[i].p_vaddr + ph[i].p_memsz;
	}
	if (!*dynamic || !span || span > SPAN_MAX)
		return -ENOEXEC;
	ret = sys_mmap(0, align_up(span, PAGE), PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ret < 0 && ret > -4096)
		return ret;
	library->base = (uint64_t)ret;
	for (i = 0, ret = 0; i < header->e_phnum && !ret; i++)
		if (ph[i].p_type == PT_LOAD)
			ret = segment_map(library->base, &ph[i], fd);
	if (ret)
		sys_munmap(library->base, align_up(span, PAGE));
	return ret;
}

/* Applies relocations. Returns -ENOENT when a name is not known, -ENOEXEC for a
 * type that our libraries do not have. */
static int library_relocate(const struct library *library,
			    const Elf64_Rela *rela, uint64_t bytes)
{
	const Elf64_Rela *end = rela + bytes / sizeof(*rela);

	for (; rela < end; rela++) {
		uint64_t *to = (uint64_t *)(library->base + rela->r_offset);
		const Elf64_Sym *symbol =
			&library->symbols[ELF64_R_SYM(rela->r_info)];

		switch (ELF64_R_TYPE(rela->r_info)) {
		case R_X86_64_RELATIVE:
			*to = library->base + (uint64_t)rela->r_addend;
			continue;
		case R_X86_64_64:
		case R_X86_64_GLOB_DAT:
		case R_X86_64_JUMP_SLOT:
			*to = symbol->st_shndx != SHN_UNDEF ?
				      library->base + symbol->st_value :
				      name_find(library->strings +
						symbol->st_name);
			if (!*to && ELF64_ST_BIND(symbol->st_info) != STB_WEAK)
				return -ENOENT;
			*to += (uint64_t)rela->r_addend;
			continue;
		default:
			return -ENOEXEC;
		}
	}
	return 0;
}

/* Reads the dynamic section at `address`, and applies all relocations. The
 * table of symbols must lie before the names. */
static int library_link(struct library *library, uint64_t address)
{
	const Elf64_Dyn *dyn = (const Elf64_Dyn *)(library->base + address);
	uint64_t rela = 0;
	uint64_t rela_bytes = 0;
	uint64_t plt = 0;
	uint64_t plt_bytes = 0;
	int ret;

	for (; dyn->d_tag != DT_NULL; dyn++) {
		uint64_t at = library->base + dyn->d_un.d_ptr;

		if (dyn->d_tag == DT_SYMTAB)
			library->symbols = (const Elf64_Sym *)at;
		else if (dyn->d_tag == DT_STRTAB)
			library->strings = (const char *)at;
		else if (dyn->d_tag == DT_RELA)
			rela = at;
		else if (dyn->d_tag == DT_RELASZ)
			rela_bytes = dyn->d_un.d_val;
		else if (dyn->d_tag == DT_JMPREL)
			plt = at;
		else if (dyn->d_tag == DT_PLTRELSZ)
			plt_bytes = dyn->d_un.d_val;
	}
	if ((const char *)library->symbols >= library->strings)
		return -ENOEXEC;
	ret = library_relocate(library, (const Elf64_Rela *)rela, rela_bytes);
	return ret ? ret : library_relocate(library, (const Elf64_Rela *)plt,
					    plt_bytes);
}

int library_open(struct library *library, const char *path)
{
	int fd = (int)sys_open(path, O_RDONLY | O_CLOEXEC, 0);
	uint64_t dynamic = 0;
	long ret;

	if (fd < 0)
		return fd;
	ret = file_load(library, fd, &dynamic);
	sys_close(fd);
	/* a library that cannot be linked stays mapped: unmapping is not worth
	 * the code */
	return ret ? (int)ret : library_link(library, dynamic);
}

/* Searches all symbols: the table ends where the names begin. */
void *library_symbol(const struct library *library, const char *name)
{
	const Elf64_Sym *symbol = library->symbols;

	for (; (const char *)(symbol + 1) <= library->strings; symbol++)
		if (symbol->st_shndx != SHN_UNDEF &&
		    text_equal(library->strings + symbol->st_name, name))
			return (void *)(library->base + symbol->st_value);
	return NULL;
}

/* The dynamic linker's name of the agent's file, which stays as long as the
 * agent; or "". */
static const char *own_name = "";

/* Learns the name of the agent's own file. There is none when the agent is
 * part of the program: library_load() then finds the installed library. */
static int own_path(struct dl_phdr_info *info, size_t size, void *arg)
{
	if (!module_has(info, &own_name))
		return 0;
	own_name = info->dlpi_name ? info->dlpi_name : "";
	return 1;
}

void usdt_load_learn(void)
{
	modules_each(own_path, NULL);
}

const struct usdt_functions *usdt_functions;
struct usdt_faults usdt_faults;

/* Loads the library from the directory of a file, or from "DIRECTORY/". Returns
 * 0 or a negative errno. */
static int load_beside(struct library *library, const char *name)
{
	char file[DIRECTORY_BYTES + sizeof(NAME)];
	uint64_t n = text_length(name);
	struct text path;

	while (n && name[n - 1] != '/')
		n--;
	if (n < 2 || *name != '/')
		return -ENOENT;
	if (n > DIRECTORY_BYTES)
		return -ENAMETOOLONG;
	text_open(&path, file, sizeof(file));
	text_add_bytes(&path, name, n);
	text_add(&path, NAME);
	return library_open(library, file);
}

/* Switches a probe, and keeps the result for probe_refused(). */
static int probe_switch(const struct patcher *patcher,
			struct usdt_adopted *probe, int on)
{
	int32_t *refused = &probe->spot.refused;

	if (probe->function == USDT_WHOLE && on && whole_pool_make())
		return *refused = -ENOMEM;
	return *refused = usdt_functions->switch_to(patcher, probe, on);
}

static void probe_gone(struct usdt_adopted *probe)
{
	usdt_functions->gone(probe);
}

static int probe_refused(const struct usdt_adopted *probe)
{
	return usdt_refused(probe);
}

static const struct adopted_functions adopted_functions = {
	.switch_to = probe_switch,
	.refused = probe_refused,
	.gone = probe_gone,
};

/* Loads libtaffrail-usdt.so. Tries again later only if no file was there. */
static void library_load(void)
{
	static struct library library;
	static struct mapped mapped TABLE;
	static int tried;
	const struct usdt_functions *found;
	int ret;

	if (tried)
		return;
	/* the calling thread may open files, so the kernel can be asked */
	if (*own_name && *own_name != '/' &&
	    !mapped_find(&mapped, (uint64_t)own_path))
		own_name = mapped.path;
	ret = load_beside(&library, own_name);
	if (ret)
		ret = load_beside(&library, TAFFRAIL_LIBDIR "/");
	/* a file that is missing may come */
	tried = ret != -ENOENT && ret != -ENOTDIR && ret != -EACCES;
	if (ret)
		return;
	found = library_symbol(&library, "usdt_functions_here");
	if (found && found->version == USDT_VERSION &&
	    found->adopted_bytes == sizeof(struct usdt_adopted) &&
	    found->object_bytes == sizeof(struct object)) {
		ax_text_read = usdt_text_read;
		usdt_functions = found;
		registry_adopted = &adopted_functions;
		patch_flush = found->flush;
	}
}

int usdt_adopt(struct module *module, const struct usdt_asking *asking,
	       const struct patcher *patcher)
{
	if (!usdt_functions)
		library_load();
	return usdt_functions ?
		       usdt_functions->adopt(module, asking, patcher) :
		       usdt_absent_tell(module, asking);
}
