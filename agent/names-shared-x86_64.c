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
static struct name names[NAMES_MAX] TABLE;
static uint32_t nnames;
static struct word words[WORDS_MAX] TABLE;
static uint32_t nwords;
static int32_t *providers[PROVIDERS_MAX];	/* their taffrail_provider_1 */
static uint32_t nproviders;

static const void *address_of(const struct table *t, uint64_t value)
{
	/* the linker has added the base, unless the table is read-only */
	return (const void *)(value && value < t->base ? value + t->base :
							 value);
}

static bool table_read(struct table *t, const struct dl_phdr_info *info)
{
	uint64_t values[DT_JMPREL + 1] = { 0 };
	const Elf64_Dyn *d = NULL;

	__builtin_memset(t, 0, sizeof(*t));
	t->base = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (const void *)(t->base +
					   info->dlpi_phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++) {
		if ((uint64_t)d->d_tag <= DT_JMPREL)
			values[d->d_tag] = d->d_un.d_val;
		else if (d->d_tag == DT_GNU_HASH)
			t->hash = address_of(t, d->d_un.d_ptr);
		else if (d->d_tag == DT_VERSYM)
			t->versions = address_of(t, d->d_un.d_ptr);
	}
	t->symbols = address_of(t, values[DT_SYMTAB]);
	t->strings = address_of(t, values[DT_STRTAB]);
	t->relocations[0] = address_of(t, values[DT_RELA]);
	t->bytes[0] = values[DT_RELASZ];
	t->relocations[1] = address_of(t, values[DT_JMPREL]);
	t->bytes[1] = values[DT_PLTRELSZ];
	return t->symbols && t->strings;
}

/* Calls `call` for each symbol that the module defines; with a name, for each
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
	uint32_t i;

	for (; name && *name; name++)
		h = h * 33 + (uint8_t)*name;
	for (uint32_t b = 0; b < hash[0]; b++) {
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
	return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
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

	if (!(t->versions && t->versions[symbol - t->symbols] &
			     VERSION_HIDDEN) &&
	    text_equal(t->strings + symbol->st_name, search->name))
		*search->theirs = t->base + symbol->st_value;
}

static void word_add(uint64_t *at, uint64_t theirs, uint64_t ours)
{
	if (nwords < WORDS_MAX)
		words[nwords++] = (struct word){ at, theirs, ours };
}

static void symbol_theirs(const struct table *libc, const Elf64_Sym *symbol,
			  const void *arg)
{
	const struct search *search = arg;
	uint64_t theirs = libc->base + symbol->st_value;

	if (!is_function(symbol) || nnames == NAMES_MAX ||
	    theirs == search->address ||
	    (search->theirs && *search->theirs != theirs) ||
	    !text_equal(libc->strings + symbol->st_name, search->name))
		return;
	names[nnames++] = (struct name){ search->name, theirs,
					 search->address };
	word_add((uint64_t *)&symbol->st_value, symbol->st_value,
		 search->address - libc->base);
}

/* A walk over the modules. The first one finds this library and libc, the
 * second one providers, the third one words that are bound. */
struct walk {
	struct table ours;
	struct table libc;
	int number;		/* from 0 */
	bool passed;		/* libc, in the second walk */
};

/* Leads the name of a function that this library, or a provider, exports. */
static void symbol_lead(const struct table *t, const Elf64_Sym *symbol,
			const void *arg)
{
	const struct walk *walk = arg;
	uint64_t theirs = 0;
	struct search search = { t->strings + symbol->st_name,
				 t->base + symbol->st_value,
				 t == &walk->ours ? NULL : &theirs };

	if (!is_function(symbol))
		return;
	if (search.theirs)
		symbols_each(&walk->libc, search.name, symbol_default, &search);
	else if (ELF64_ST_BIND(symbol->st_info) != STB_WEAK)
		return;
	symbols_each(&walk->libc, search.name, symbol_theirs, &search);
}

/*
 * Returns the name that a word of a module is bound to. The relocation's own
 * name decides where libc has two for one function (pthread_spin_init() and
 * pthread_spin_unlock()). A word for calls counts by the name alone: it may be
 * bound later, and names_restore() then finds it. Not if libc has several
 * functions of the name, since the version is not known here.
 */
static const struct name *name_bound(const char *symbol, uint64_t is,
				     bool called)
{
	const struct name *found = NULL;
	const struct name *name;
	int fits, best = 0;

	for (name = names; name < names + nnames; name++) {
		fits = name->theirs == is ? 2 : 0;
		if (fits || called)
			fits += text_equal(name->name, symbol);
		if (fits == 1 && best == 1 && found->theirs != name->theirs)
			return NULL;
		if (fits > best) {
			best = fits;
			found = name;
		}
	}
	return found;
}

static void relocations_look(const struct table *t, const Elf64_Rela *r,
			     uint64_t bytes)
{
	const Elf64_Rela *end = r + bytes / sizeof(*r);

	for (; r < end; r++) {
		uint64_t *at = (uint64_t *)(t->base + r->r_offset);
		uint32_t type = ELF64_R_TYPE(r->r_info);
		const Elf64_Sym *symbol = &t->symbols[ELF64_R_SYM(r->r_info)];
		const struct name *name;

		if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT &&
		     (type != R_X86_64_64 || r->r_addend)) || (uint64_t)at & 7)
			continue;
		name = name_bound(t->strings + symbol->st_name,
				  load_relaxed(at), type == R_X86_64_JUMP_SLOT);
		if (name)
			word_add(at, name->theirs, name->ours);
	}
}

/*
 * Leads the names of a module, if it is a provider that is asked for. The names
 * of a provider before libc (it was preloaded) lead there already. To lead
 * libc's as well would give the provider to a library that looks for the next
 * function after its own, and that the provider calls.
 */
static void provider_look(const struct table *t, const struct walk *walk)
{
	uint64_t word = 0;
	struct search search = { "taffrail_provider_1", 0, &word };

	if (nproviders == PROVIDERS_MAX || !t->hash)
		return;
	symbols_each(t, search.name, symbol_default, &search);
	if (!word || !load_relaxed((int32_t *)word))
		return;
	providers[nproviders++] = (int32_t *)word;
	if (walk->passed)
		symbols_each(t, NULL, symbol_lead, walk);
}

static int module_look(struct dl_phdr_info *info, size_t size, void *arg)
{
	bool ours = module_has(info, (void *)names_redirect);
	bool libc = module_has(info, (void *)modules_each);
	struct walk *walk = arg;
	struct table t;

	if (!table_read(&t, info))
		return 0;
	if (!walk->number) {
		if (ours)
			walk->ours = t;
		if (libc)
			walk->libc = t;
		return 0;
	}
	if (walk->number == 1) {
		walk->passed |= libc;
		provider_look(&t, walk);
		return 0;
	}
	/* a provider's own addresses are of the functions that it wraps */
	for (uint32_t i = 0; i < nproviders; i++)
		ours |= module_has(info, providers[i]);
	if (!ours && !libc) {
		relocations_look(&t, t.relocations[0], t.bytes[0]);
		relocations_look(&t, t.relocations[1], t.bytes[1]);
	}
	return 0;
}

/* Runs in a thread with a private descriptor table. Returns 0, or the errno of
 * the first word that could not be written. */
static int words_write(bool ours)
{
	int mem = (int)sys_open("/proc/thread-self/mem", O_RDWR | O_CLOEXEC, 0);
	int ret = mem < 0 ? mem : 0;

	for (uint32_t i = 0; mem >= 0 && i < nwords; i++) {
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
	return words_write(true);
}

const char *names_redirect(bool late)
{
	struct walk walk = { 0 };
	int ret = 0;

	/* modules that are being loaded are bound afterwards */
	modules_wait();
	registry_lock();
	/* words that were led before stay: they have our addresses now */
	nproviders = 0;
	modules_each(module_look, &walk);
	if (walk.ours.hash && walk.libc.hash) {
		if (late)
			symbols_each(&walk.ours, NULL, symbol_lead, &walk);
		walk.number = 1;
		modules_each(module_look, &walk);
		walk.number = 2;
		modules_each(module_look, &walk);
		ret = thread_run_wait(words_redirect, NULL);
	}
	/* some names or words may not have fitted */
	if (nnames == NAMES_MAX || nwords == WORDS_MAX)
		ret = -E2BIG;
	for (uint32_t i = 0; i < nproviders; i++)
		store_relaxed(providers[i], ret ? 0 : 2);
	registry_unlock();
	return ret && nproviders ? "its tables of functions cannot be written" :
				   NULL;
}

void names_recall(void)
{
	struct walk walk = { 0 };
	struct name *name;
	uint64_t theirs;

	registry_lock();
	modules_each(module_look, &walk);
	if (walk.ours.hash && walk.libc.hash) {
		symbols_each(&walk.ours, NULL, symbol_lead, &walk);
		/* the other way round */
		for (name = names; name < names + nnames; name++) {
			theirs = name->theirs;
			name->theirs = name->ours;
			name->ours = theirs;
		}
		nwords = 0;
		walk.number = 2;
		modules_each(module_look, &walk);
		words_write(true);
	}
	nwords = nnames = 0;
	registry_unlock();
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
