/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The modules of another process, from the dynamic linker's list, and the names
 * that libc exports there. Reads memory and no file: the libc that runs may be
 * gone from the disk, or come from a container.
 *
 * Invariant: the memory may hold anything, and may change during the read;
 * counts and lengths are bounded, and every address goes through the kernel.
 */
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "base/text.h"
#include "buffers/gnu-hash.h"
#include "command/attach/steps.h"
#include "command/common/monotonic.h"

#define DYNAMIC_MAX	256
#define HEADERS_MAX	64
#define SYMBOLS_MAX	65536u
#define WALKS_MAX	16
#define CHANGE_WAIT_MS	2000
#define CHANGE_PAUSE_NS	1000000
#define STRINGS_MAX	(4u << 20)

/* Values of a module's dynamic section. */
struct dynamic {
	uint64_t symbols, strings, string_bytes, hash, gnu_hash, soname, debug;
};

/* Reads the dynamic section at an address. Values that are addresses become the
 * process's, where the linker has left the file's. Returns 0 or a negative
 * errno. */
static int read_dynamic(const struct attach_target *t, uint64_t at,
			uint64_t base, struct dynamic *d)
{
	Elf64_Dyn entry;
	const struct {
		int64_t tag;
		uint64_t *to;
		int address;
	} rows[] = {
		{ DT_SYMTAB, &d->symbols, 1 }, { DT_STRTAB, &d->strings, 1 },
		{ DT_STRSZ, &d->string_bytes, 0 }, { DT_HASH, &d->hash, 1 },
		{ DT_GNU_HASH, &d->gnu_hash, 1 }, { DT_SONAME, &d->soname, 0 },
		{ DT_DEBUG, &d->debug, 0 },
	};

	memset(d, 0, sizeof(*d));
	for (int i = 0; i < DYNAMIC_MAX; i++, at += sizeof(entry)) {
		int ret = attach_read(t, at, &entry, sizeof(entry));

		if (ret)
			return ret;
		if (entry.d_tag == DT_NULL)
			return 0;
		for (size_t k = 0; k < ARRAY_SIZE(rows); k++)
			if (rows[k].tag == entry.d_tag)
				*rows[k].to = entry.d_un.d_val +
					(rows[k].address &&
					 entry.d_un.d_val < base ? base : 0);
	}
	return 0;
}

/* Reads a string of at most room - 1 characters. */
static void read_string(const struct attach_target *t, uint64_t at, char *to,
			size_t room)
{
	size_t n = 0;

	while (n < room - 1 && !attach_read(t, at + n, to + n, 1) && to[n])
		n++;
	to[n] = '\0';
}

/* A name to be found, and where its address goes; a row without one is the
 * last. */
struct wanted {
	const char *name;
	uint64_t *to;
	uint64_t *bytes;	/* the size of the symbol, or NULL */
	bool optional;
};

/*
 * Fills in the addresses of names that the module defines; an address that is
 * not 0 stays. The hash tables tell the number of symbols: DT_HASH has it, a
 * GNU hash table the end of the last chain. Returns 0, also where some were
 * not found; or a negative errno: -ENOENT there is no module (NULL), or it has
 * no symbols, -E2BIG it has too many.
 */
static int find_names(const struct attach_target *t,
		      const struct attach_module *m,
		      const struct wanted *wanted)
{
	uint32_t head[GNU_HASH_HEAD], bucket, chain, n = 0;
	Elf64_Sym *symbols = NULL;
	uint64_t at, chains;
	char *strings = NULL;
	struct dynamic d;
	int ret = m ? read_dynamic(t, m->dynamic, m->base, &d) : -ENOENT;

	if (ret)
		return ret;
	if (!d.gnu_hash) {
		if (d.hash && !attach_read(t, d.hash, head, 8))
			n = head[1];
	} else if (attach_read(t, d.gnu_hash, head, sizeof(head)) ||
		   head[0] > SYMBOLS_MAX) {
		n = SYMBOLS_MAX + 1;
	} else {
		at = d.gnu_hash + 4 * gnu_hash_buckets(head);
		chains = at + 4ull * head[0];
		for (uint32_t i = 0; i < head[0]; i++)
			if (!attach_read(t, at + 4ull * i, &bucket, 4) &&
			    bucket > n)
				n = bucket;
		/* no bucket has a chain */
		if (n < head[1])
			n = head[1] - 1;
		else
			while (n < SYMBOLS_MAX &&
			       !attach_read(t, chains + 4ull * (n - head[1]),
					    &chain, 4) && !(chain & 1))
				n++;
		n++;
	}
	if (!n || !d.string_bytes)
		return -ENOENT;
	if (n > SYMBOLS_MAX || d.string_bytes > STRINGS_MAX)
		return -E2BIG;
	symbols = calloc(n, sizeof(*symbols));
	strings = calloc(1, d.string_bytes + 1);
	if (!symbols || !strings)
		ret = -ENOMEM;
	else if (attach_read(t, d.symbols, symbols, n * sizeof(*symbols)) ||
		 attach_read(t, d.strings, strings, d.string_bytes))
		ret = -EFAULT;
	for (uint32_t i = 0; !ret && i < n; i++) {
		if (!symbols[i].st_shndx || symbols[i].st_name >=
					    d.string_bytes)
			continue;
		for (const struct wanted *w = wanted; w->name; w++) {
			if (*w->to ||
			    strcmp(strings + symbols[i].st_name, w->name))
				continue;
			*w->to = m->base + symbols[i].st_value;
			if (w->bytes)
				*w->bytes = symbols[i].st_size;
		}
	}
	free(symbols);
	free(strings);
	return ret;
}

/* Takes the places of code, data and thread-local storage from the module's
 * program headers. Returns 0 or a negative errno. */
static int read_headers(const struct attach_target *t, struct attach_module *m,
			uint64_t at, uint64_t n)
{
	Elf64_Phdr ph;

	for (uint64_t i = 0; i < n && i < HEADERS_MAX; i++) {
		int ret = attach_read(t, at + i * sizeof(ph), &ph, sizeof(ph));
		uint64_t start;

		if (ret)
			return ret;
		start = m->base + ph.p_vaddr;
		if (ph.p_type == PT_TLS && ph.p_memsz) {
			m->tls_image = start;
			m->tls_image_bytes = ph.p_filesz;
			m->tls_bytes = ph.p_memsz;
		} else if (ph.p_type == PT_LOAD && (ph.p_flags & PF_X)) {
			m->code = m->code ? m->code : start;
			m->code_end = start + ph.p_memsz;
		} else if (ph.p_type == PT_LOAD && (ph.p_flags & PF_W)) {
			m->data = m->data ? m->data : start;
			m->data_end = start + ph.p_memsz;
		}
	}
	return 0;
}

/* Reads one module. The first in the list is the program, whose headers are
 * known from auxv. */
static int read_module(const struct attach_target *t, struct attach_module *m,
		       const struct link_map *map, bool first)
{
	char path[4096];
	struct dynamic d;
	Elf64_Ehdr header;
	int ret;

	m->base = map->l_addr;
	m->dynamic = (uintptr_t)map->l_ld;
	read_string(t, (uintptr_t)map->l_name, path, sizeof(path));
	m->fileless = text_after(path, ATTACH_FILELESS);
	if (read_dynamic(t, m->dynamic, m->base, &d))
		return -EFAULT;
	if (d.soname)
		read_string(t, d.strings + d.soname, path, sizeof(path));
	snprintf(m->name, sizeof(m->name), "%.*s", (int)sizeof(m->name) - 1,
		 text_file_name(path));
	if (first)
		return read_headers(t, m, t->phdr, t->nphdr);
	ret = attach_read(t, m->base, &header, sizeof(header));
	if (!ret && memcmp(header.e_ident, ELFMAG, SELFMAG))
		ret = -EFAULT;
	return ret ? ret : read_headers(t, m, m->base + header.e_phoff,
					header.e_phnum);
}

/* Reads the modules of the list. Returns 0, or a negative errno and the cause:
 * -EAGAIN the list has changed. */
static int walk_list(struct attach_target *t, const struct r_debug *debug)
{
	uint64_t at = (uintptr_t)debug->r_map;
	struct link_map map;

	t->nmodules = 0;
	t->linker = NULL;
	memset(t->modules, 0, ATTACH_MODULES_MAX * sizeof(*t->modules));
	for (; at; at = (uintptr_t)map.l_next) {
		struct attach_module *m = &t->modules[t->nmodules];

		if (t->nmodules == ATTACH_MODULES_MAX)
			return attach_cause(t, -ENOTSUP, PROGRAM_MODULES_MANY);
		if (attach_read(t, at, &map, sizeof(map)))
			return attach_cause(t, -EAGAIN, PROGRAM_LOADS);
		m->map = at;
		/* a module that cannot be read, as the vdso, has no TLS */
		if (!read_module(t, m, &map, !t->nmodules) ||
		    !t->nmodules)
			t->nmodules++;
		else
			memset(m, 0, sizeof(*m));
		if (t->nmodules && m->base == debug->r_ldbase)
			t->linker = m;
	}
	return 0;
}

/*
 * Reads the list when the linker says that it does not change: then each module
 * in it is relocated, and a call of libc does not end the program. Reads it
 * again if modules came meanwhile. Returns 0, or a negative errno and the
 * cause.
 */
static int read_list(struct attach_target *t)
{
	const struct timespec pause = { .tv_nsec = CHANGE_PAUSE_NS };
	uint64_t base = 0, at = 0, end;
	struct r_debug before, after;
	struct dynamic d = { 0 };
	Elf64_Phdr ph;
	int ret = 0;

	t->modules = calloc(ATTACH_MODULES_MAX, sizeof(*t->modules));
	if (!t->modules)
		return cause_set(t->cause, -ENOMEM, OUT_OF_MEMORY);
	for (uint64_t i = 0; !ret && i < t->nphdr && i < HEADERS_MAX; i++) {
		ret = attach_read(t, t->phdr + i * sizeof(ph), &ph, sizeof(ph));
		if (ret)
			at = 0;
		else if (ph.p_type == PT_PHDR)
			base = t->phdr - ph.p_vaddr;
		else if (ph.p_type == PT_DYNAMIC)
			at = ph.p_vaddr;
	}
	if (!at || read_dynamic(t, base + at, base, &d))
		d.debug = 0;
	for (int i = 0; i < WALKS_MAX; i++) {
		end = monotonic_ns() + CHANGE_WAIT_MS * 1000000ull;
		for (;; nanosleep(&pause, NULL)) {
			if (attach_read(t, d.debug, &before, sizeof(before)) ||
			    !before.r_map)
				return attach_cause(t, -ENOTSUP,
						    PROGRAM_STATIC);
			if (before.r_state == RT_CONSISTENT)
				break;
			if (monotonic_ns() > end)
				return attach_cause(t, -EAGAIN, PROGRAM_LOADS);
		}
		ret = walk_list(t, &before);
		if (ret && ret != -EAGAIN)
			return ret;
		if (!ret && !attach_read(t, d.debug, &after, sizeof(after)) &&
		    after.r_state == RT_CONSISTENT)
			return 0;
	}
	return attach_cause(t, -EAGAIN, PROGRAM_LOADS);
}

static const struct attach_module *module_named(const struct attach_target *t,
						const char *name)
{
	for (size_t i = 0; i < t->nmodules; i++)
		if (!strcmp(t->modules[i].name, name))
			return &t->modules[i];
	return NULL;
}

uint64_t attach_name_find(const struct attach_target *t, const char *module,
			  const char *name)
{
	uint64_t address = 0;
	const struct wanted wanted[] = {
		{ name, &address, NULL, true },
		{ NULL, NULL, NULL, true },
	};

	find_names(t, module_named(t, module), wanted);
	return address;
}

/* Fills in t->names from libc, the linker and our libraries, and from those
 * that older versions of libc have besides. Returns 0, or -ENOTSUP and the
 * cause. */
static int find_all_names(struct attach_target *t)
{
	struct attach_names *n = &t->names;
	const struct wanted wanted[] = {
		{ "pthread_create", &n->create, NULL, false },
		{ "pthread_detach", &n->detach, NULL, false },
		{ "dlopen", &n->dlopen, NULL, false },
		{ "dlsym", &n->dlsym, NULL, false },
		{ "dlerror", &n->dlerror, NULL, false },
		{ "dlclose", &n->dlclose, NULL, false },
		{ "__cxa_finalize", &n->finalize, NULL, false },
		{ "__register_atfork", &n->atfork, NULL, false },
		{ "munmap", &n->munmap, NULL, false },
		{ "fork", &n->fork, &n->fork_bytes, false },
		{ "_Fork", &n->fork_alone, &n->fork_alone_bytes, true },
		{ "__libc_single_threaded", &n->single, NULL, true },
		{ "_thread_db_link_map_l_tls_offset", &n->tls_offset, NULL,
		  false },
		{ "_thread_db_pthread_tid", &n->tid, NULL, false },
		{ NULL, NULL, NULL, true },
	};
	const struct wanted linkers[] = {
		{ "__rseq_offset", &n->rseq_offset, NULL, true },
		{ "__rseq_size", &n->rseq_size, NULL, true },
		{ NULL, NULL, NULL, true },
	};
	const struct wanted ours[] = {
		{ "taffrail_attach", &n->agent, NULL, true },
		{ UNLOAD_FUNCTION, &n->unload, NULL, true },
		{ REQUEST_FUNCTION, &n->probe, NULL, true },
		{ NULL, NULL, NULL, true },
	};
	static const char *const older[] = { "libpthread.so.0", "libdl.so.2" };
	const struct attach_module *m;

	if (find_names(t, t->libc, wanted))
		return attach_cause(t, -ENOTSUP, LIBC_UNREADABLE);
	m = module_named(t, "libtaffrail.so");
	n->library = m ? m->map : 0;
	find_names(t, m, ours);
	m = module_named(t, "libtaffrail-probe.so");
	t->probes = m;
	find_names(t, m, ours);
	find_names(t, t->linker, linkers);
	for (size_t i = 0; i < ARRAY_SIZE(older); i++)
		find_names(t, module_named(t, older[i]), wanted);
	for (const struct wanted *w = wanted; w->name; w++)
		if (!*w->to && !w->optional)
			return attach_cause(t, -ENOTSUP, LIBC_LACKS,
					    .text = w->name);
	return 0;
}

/* Reads the offset out of a descriptor of libthread_db: size in bits, count,
 * offset. */
static int read_offset(const struct attach_target *t, uint64_t at,
		       uint32_t bits, uint32_t *offset)
{
	uint32_t field[3];

	if (attach_read(t, at, field, sizeof(field)) || field[0] != bits ||
	    field[2] > 4096)
		return -ENOTSUP;
	*offset = field[2];
	return 0;
}

int attach_modules_read(struct attach_target *t)
{
	uint64_t malloc_there = 0, sanitizer = 0;
	const struct wanted allocators[] = {
		{ "malloc", &malloc_there, NULL, true },
		{ "calloc", &malloc_there, NULL, true },
		{ "__tsan_init", &sanitizer, NULL, true },
		{ "__msan_init", &sanitizer, NULL, true },
		{ NULL, NULL, NULL, true },
	};
	struct attach_names *n = &t->names;
	uint8_t code[4096];
	int ret = read_list(t);

	if (ret)
		return ret;
	t->libc = module_named(t, "libc.so.6");
	if (!t->libc)
		return attach_cause(t, -ENOTSUP, LIBC_OTHER);
	ret = find_all_names(t);
	if (ret)
		return ret;
	/* a module before libc in the list may have a malloc; and so may one
	 * with names that cannot be read */
	for (const struct attach_module *m = t->modules; m < t->libc; m++) {
		ret = find_names(t, m, allocators);
		n->foreign_malloc |= (ret && ret != -ENOENT) || malloc_there;
	}
	/* the malloc of these has state in every thread, which the helper does
	 * not have */
	if (sanitizer)
		return attach_cause(t, -ENOTSUP, PROGRAM_SANITIZER);
	/* a `syscall` in libc's code, also one on the edge of two pieces */
	for (uint64_t at = t->libc->code; at < t->libc->code_end && !t->syscall;
	     at += sizeof(code) - 1) {
		if (attach_read(t, at, code, sizeof(code)))
			break;
		for (size_t i = 0; i + 1 < sizeof(code) && !t->syscall; i++)
			if (code[i] == 0x0f && code[i + 1] == 0x05)
				t->syscall = at + i;
	}
	if (read_offset(t, n->tls_offset, 64, &t->at_tls_offset) ||
	    read_offset(t, n->tid, 32, &t->at_tid) || !t->syscall)
		return attach_cause(t, -ENOTSUP, LIBC_UNKNOWN);
	if (n->rseq_offset && n->rseq_size &&
	    (attach_read(t, n->rseq_offset, &t->rseq_offset, 8) ||
	     attach_read(t, n->rseq_size, &t->rseq_bytes, 4)))
		t->rseq_bytes = 0;
	return 0;
}
