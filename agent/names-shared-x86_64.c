/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An agent that comes late: libc's names that this library replaces are already
 * bound to libc. The names are led here, and back, by two kinds of words:
 *
 *	libc's table of symbols		for names bound from now on: calls that
 *					were never made, libraries to come
 *	tables of addresses (GOT), and	for names already bound
 *	pointers in a module's data
 *
 * There is no list of the names: they are the weak functions that this library
 * exports, and all that a provider exports which a command has asked for
 * (taffrail_provider_1). A provider has the functions of libc's default
 * versions: older ones with another address stay libc's.
 *
 * Invariant: each word is aligned. It is written through
 * /proc/self/mem, and only while it holds the expected value. So protected
 * pages (RELRO) stay protected, and a module that has gone is not written to.
 * The functions here call libc's by pointers that constructors found before any
 * name was led.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>

#include "agent/attached-private.h"
#include "agent/private.h"
#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "control/threads/thread.h"
#include "tracepoints/program/modules.h"
#include "tracepoints/sites/lock.h"

#define NAMES_MAX	256
#define WORDS_MAX	16384
#define PROVIDERS_MAX	4
#define VERSION_HIDDEN	0x8000		/* not the default one */

struct table {
	uint64_t base;
	const Elf64_Sym *symbols;
	const char *strings;
	const uint32_t *hash;		/* GNU's */
	const uint16_t *versions;	/* of the symbols, or NULL */
	const Elf64_Rela *relocations[2];
	uint64_t bytes[2];
};

struct name {
	const char *name;
	uint64_t theirs;
	uint64_t ours;
};

struct word {
	uint64_t *at;
	uint64_t theirs;
	uint64_t ours;
};

/* Guarded by the registry's lock. */
static struct name names[NAMES_MAX];
static uint32_t nnames;
static struct word words[WORDS_MAX];
static uint32_t nwords;
static int32_t *providers[PROVIDERS_MAX];	/* their taffrail_provider_1 */
static uint32_t nproviders;

static const void *address_of(const struct table *t, const Elf64_Dyn *d)
{
	uint64_t value = d->d_un.d_ptr;

	/* the linker has added the base, unless the table is read-only */
	return (const void *)(value < t->base ? value + t->base : value);
}

static bool table_read(struct table *t, const struct dl_phdr_info *info)
{
	const Elf64_Dyn *d = NULL;
	int i;

	__builtin_memset(t, 0, sizeof(*t));
	t->base = info->dlpi_addr;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (const void *)(t->base +
					   info->dlpi_phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_SYMTAB)
			t->symbols = address_of(t, d);
		else if (d->d_tag == DT_STRTAB)
			t->strings = address_of(t, d);
		else if (d->d_tag == DT_GNU_HASH)
			t->hash = address_of(t, d);
		else if (d->d_tag == DT_VERSYM)
			t->versions = address_of(t, d);
		else if (d->d_tag == DT_RELA)
			t->relocations[0] = address_of(t, d);
		else if (d->d_tag == DT_RELASZ)
			t->bytes[0] = d->d_un.d_val;
		else if (d->d_tag == DT_JMPREL)
			t->relocations[1] = address_of(t, d);
		else if (d->d_tag == DT_PLTRELSZ)
			t->bytes[1] = d->d_un.d_val;
	}
	return t->symbols && t->strings;
}

/* Calls `call` for each symbol that the table defines; with a name, for each
 * symbol of that name, and perhaps for others. */
static void symbols_each(const struct table *t, const char *name,
			 void (*call)(const struct table *t,
				      const Elf64_Sym *symbol, const void *arg),
			 const void *arg)
{
	const uint32_t *hash = t->hash;
	const uint32_t *buckets = (const uint32_t *)((const uint64_t *)
						     (hash + 4) + hash[2]);
	const uint32_t *chains = buckets + hash[0] - hash[1];
	uint32_t h = 5381;
	uint32_t b;
	uint32_t i;

	for (; name && *name; name++)
		h = h * 33 + (uint8_t)*name;
	for (b = 0; b < hash[0]; b++) {
		i = buckets[b];
		if (!i || (name && h % hash[0] != b))
			continue;
		do
			call(t, &t->symbols[i], arg);
		while (!(chains[i++] & 1));
	}
}

static bool is_function(const Elf64_Sym *symbol)
{
	return symbol->st_shndx && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
}

/* A name that this library or a provider exports, and the function. */
struct search {
	const char *name;
	uint64_t address;		/* ours */
	uint64_t *theirs;		/* of a provider: the one that is led */
};

/* Notes the address of a symbol, unless it is of an older version. */
static void symbol_default(const struct table *t, const Elf64_Sym *symbol,
			   const void *arg)
{
	const struct search *search = arg;

	if (symbol->st_shndx &&
	    !(t->versions && t->versions[symbol - t->symbols] &
			     VERSION_HIDDEN) &&
	    text_equal(t->strings + symbol->st_name, search->name))
		*search->theirs = t->base + symbol->st_value;
}

static void symbol_theirs(const struct table *libc, const Elf64_Sym *symbol,
			  const void *arg)
{
	const struct search *search = arg;
	uint64_t theirs = libc->base + symbol->st_value;

	if (!is_function(symbol) || nnames == NAMES_MAX ||
	    nwords == WORDS_MAX || theirs == search->address ||
	    (search->theirs && *search->theirs != theirs) ||
	    !text_equal(libc->strings + symbol->st_name, search->name))
		return;
	names[nnames++] = (struct name){ search->name, theirs,
					 search->address };
	words[nwords++] = (struct word){ (uint64_t *)&symbol->st_value,
					 symbol->st_value,
					 search->address - libc->base };
}

static void symbol_ours(const struct table *ours, const Elf64_Sym *symbol,
			const void *libc)
{
	struct search search = { ours->strings + symbol->st_name,
				 ours->base + symbol->st_value, NULL };

	if (is_function(symbol) &&
	    ELF64_ST_BIND(symbol->st_info) == STB_WEAK)
		symbols_each(libc, search.name, symbol_theirs, &search);
}

static void symbol_provided(const struct table *provider,
			    const Elf64_Sym *symbol, const void *libc)
{
	uint64_t theirs = 0;
	struct search search = { provider->strings + symbol->st_name,
				 provider->base + symbol->st_value, &theirs };

	if (!is_function(symbol))
		return;
	symbols_each(libc, search.name, symbol_default, &search);
	if (theirs)
		symbols_each(libc, search.name, symbol_theirs, &search);
}

/* This library and libc. */
struct pair {
	struct table ours;
	struct table libc;
	bool passed;		/* libc, in a walk over the modules */
};

/*
 * Leads the names of a module, if it is a provider that is asked for. The names
 * of a provider before libc (it was preloaded) lead there already. To lead
 * libc's as well would give the provider to a library that looks for the next
 * function after its own, and that the provider calls.
 */
static int provider_look(struct dl_phdr_info *info, size_t size, void *arg)
{
	uint64_t word = 0;
	struct search search = { "taffrail_provider_1", 0, &word };
	struct pair *pair = arg;
	struct table t;

	(void)size;
	pair->passed |= module_has(info, (void *)modules_each);
	if (nproviders == PROVIDERS_MAX || !table_read(&t, info) || !t.hash)
		return 0;
	symbols_each(&t, search.name, symbol_default, &search);
	if (!word || !load_relaxed((int32_t *)word))
		return 0;
	providers[nproviders++] = (int32_t *)word;
	if (pair->passed)
		symbols_each(&t, NULL, symbol_provided, &pair->libc);
	return 0;
}

static int pair_look(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct pair *pair = arg;
	struct table *t = NULL;

	(void)size;
	if (module_has(info, (void *)names_redirect))
		t = &pair->ours;
	else if (module_has(info, (void *)modules_each))
		t = &pair->libc;
	if (t && (!table_read(t, info) || !t->hash))
		t->symbols = NULL;
	return 0;
}

/*
 * Returns the name that a word of a module is bound to, or will be: a call that
 * was never made (`unbound`) leads into the module itself. The relocation's own
 * name decides where libc has two for one function (pthread_spin_init() and
 * pthread_spin_unlock()). An unbound word of a name that has several functions
 * in libc is left out: its version is not known here.
 */
static const struct name *name_bound(const char *symbol, uint64_t is,
				     bool unbound)
{
	const struct name *found = NULL;
	const struct name *name;

	for (name = names; name < names + nnames; name++) {
		if (!unbound && name->theirs != is)
			continue;
		if (text_equal(name->name, symbol)) {
			if (!unbound)
				return name;
			if (found && found->theirs != name->theirs)
				return NULL;
			found = name;
		} else if (!unbound && !found) {
			found = name;
		}
	}
	return found;
}

static void relocations_look(const struct table *t,
			     const struct dl_phdr_info *info,
			     const Elf64_Rela *r, uint64_t bytes)
{
	const Elf64_Rela *end = r + bytes / sizeof(*r);

	for (; r < end && nwords < WORDS_MAX; r++) {
		uint64_t *at = (uint64_t *)(t->base + r->r_offset);
		uint32_t type = ELF64_R_TYPE(r->r_info);
		const Elf64_Sym *symbol = &t->symbols[ELF64_R_SYM(r->r_info)];
		const struct name *name;
		bool unbound;

		if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT &&
		     (type != R_X86_64_64 || r->r_addend)) || (uint64_t)at & 7)
			continue;
		unbound = type == R_X86_64_JUMP_SLOT &&
			  module_has(info, (void *)load_relaxed(at));
		name = name_bound(t->strings + symbol->st_name,
				  load_relaxed(at), unbound);
		if (name)
			words[nwords++] = (struct word){ at, name->theirs,
							 name->ours };
	}
}

static int module_look(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct table t;
	uint32_t i;

	(void)size;
	(void)arg;
	/* a provider's own addresses are of the functions that it wraps */
	for (i = 0; i < nproviders; i++)
		if (module_has(info, providers[i]))
			return 0;
	if (module_has(info, (void *)names_redirect) ||
	    module_has(info, (void *)modules_each) || !table_read(&t, info))
		return 0;
	relocations_look(&t, info, t.relocations[0], t.bytes[0]);
	relocations_look(&t, info, t.relocations[1], t.bytes[1]);
	return 0;
}

/* Runs in a thread with a private descriptor table. Returns 0, or the errno of
 * the first word that could not be written. */
static int words_write(bool ours)
{
	int mem = (int)sys_open("/proc/thread-self/mem", O_RDWR | O_CLOEXEC, 0);
	int ret = mem < 0 ? mem : 0;
	uint32_t i;

	for (i = 0; mem >= 0 && i < nwords; i++) {
		const struct word *w = &words[i];
		uint64_t from = ours ? w->theirs : w->ours;
		uint64_t to = ours ? w->ours : w->theirs;
		uint64_t is = 0;
		long n;

		if (sys4(SYS_pread64, mem, &is, sizeof(is), w->at) !=
			    sizeof(is) || is != from)
			continue;
		n = sys4(SYS_pwrite64, mem, &to, sizeof(to), w->at);
		if (n != sizeof(to) && !ret)
			ret = n < 0 ? (int)n : -EIO;
	}
	if (mem >= 0)
		sys_close(mem);
	return ret;
}

static int words_redirect(void *arg)
{
	(void)arg;
	return words_write(true);
}

const char *names_redirect(bool late)
{
	struct pair pair = { 0 };
	uint32_t i;
	int ret = 0;

	/* modules that are being loaded are bound afterwards */
	modules_wait();
	registry_lock();
	/* words that were led before stay: they have our addresses now */
	nproviders = 0;
	modules_each(pair_look, &pair);
	if (pair.ours.symbols && pair.libc.symbols) {
		if (late)
			symbols_each(&pair.ours, NULL, symbol_ours, &pair.libc);
		modules_each(provider_look, &pair);
		modules_each(module_look, NULL);
		ret = thread_run_wait(words_redirect, NULL);
	}
	if (!ret && (nnames == NAMES_MAX || nwords == WORDS_MAX))
		ret = -E2BIG;
	for (i = 0; i < nproviders; i++)
		store_relaxed(providers[i], ret ? 0 : 2);
	registry_unlock();
	if (!ret || !nproviders)
		return NULL;
	return ret == -E2BIG ? "it has too many libraries" :
			       "its tables of functions cannot be written";
}

void names_restore(void)
{
	words_write(false);
	nwords = 0;
	nnames = 0;
	/* a later attach leads a provider only if it is asked for again */
	while (nproviders)
		store_relaxed(providers[--nproviders], 0);
}
