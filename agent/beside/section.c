/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LTTng's read-side section, in fewer instructions. A call site begins and ends
 * it around each event by two functions, which it finds by name in a
 * constructor. Each of LTTng's calls the dynamic linker twice to find a
 * variable of the thread.
 *
 * The functions here change LTTng's variables as code compiled with
 * _LGPL_SOURCE does inline, which is a part of LTTng's ABI. So LTTng's grace
 * periods, forks and sessions see no difference, and a section may begin in a
 * function of one kind and end in one of the other.
 *
 * Invariant: the variable has the same place in each thread, and stays. LTTng's
 * library was there before any constructor ran, so it is never unloaded; and
 * its variables are in static TLS: the linker tells where they are before any
 * code has used them. With LD_AUDIT they are not, and LTTng's functions stay.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <unistd.h>

#include "agent/beside/private.h"
#include "agent/late.h"
#include "base/base.h"
#include "base/text.h"
#include "control/threads/log.h"
#include "control/threads/settings.h"
#include "tracepoints/program/modules.h"
#include "tracepoints/program/patch.h"

#define NEST_MASK	0xffffffffu
#define BLOCKS_MAX	64u

/* Constant once a name leads here. */
static struct {
	int64_t place;			/* behind the thread pointer: of the
					 * reader, whose first word counts */
	const uint64_t *period;		/* the word in a section */
	const int32_t *membarrier;	/* 0: readers need a fence */
	void (*begin)(void);		/* stock's functions */
	void (*end)(void);
} section;

/* Static TLS of this thread, a block a module. */
struct blocks {
	uint64_t start[BLOCKS_MAX];
	uint64_t bytes[BLOCKS_MAX];
	uint32_t n;
};

static ALWAYS_INLINE uint64_t *reader_here(void)
{
	const char *thread = __builtin_thread_pointer();

	return *(uint64_t *const *)(thread + section.place);
}

/* A thread has no reader before the first section. */
static SIGSAFE __attribute__((aligned(64))) void section_begin(void)
{
	uint64_t *reader = reader_here();
	uint64_t word;

	if (unlikely(!reader || !load_relaxed(section.membarrier))) {
		section.begin();
		return;
	}
	word = load_relaxed(reader);
	store_relaxed(reader, word & NEST_MASK ? word + 1 :
						 load_relaxed(section.period));
}

static SIGSAFE __attribute__((aligned(64))) void section_end(void)
{
	uint64_t *reader = reader_here();

	if (unlikely(!load_relaxed(section.membarrier))) {
		section.end();
		return;
	}
	store_relaxed(reader, load_relaxed(reader) - 1);
}

/* Keeps the block of a module. Dynamic TLS has none before it is used. */
static int block_keep(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct blocks *blocks = arg;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_TLS ||
		    !info->dlpi_tls_data || blocks->n == BLOCKS_MAX)
			continue;
		blocks->start[blocks->n] = (uint64_t)info->dlpi_tls_data;
		blocks->bytes[blocks->n++] = info->dlpi_phdr[i].p_memsz;
	}
	return 0;
}

static bool is_static(const struct blocks *blocks, const char *variable)
{
	uint32_t i = 0;

	while (i < blocks->n &&
	       (uint64_t)variable - blocks->start[i] >= blocks->bytes[i])
		i++;
	return i < blocks->n;
}

/* Finds the variables. Returns false if one is not there, or may have another
 * place in other threads. */
static bool variables_find(void)
{
	struct blocks blocks = { .n = 0 };
	const char *reader;

	/* before dlsym(), which uses the variable */
	modules_each(block_keep, &blocks);
	reader = dlsym(RTLD_DEFAULT, "lttng_ust_urcu_reader");
	section.period = dlsym(RTLD_DEFAULT, "lttng_ust_urcu_gp");
	section.membarrier = dlsym(RTLD_DEFAULT,
				   "lttng_ust_urcu_has_sys_membarrier");
	section.place = reader - (const char *)__builtin_thread_pointer();
	dlerror();
	return reader && section.period && section.membarrier &&
	       is_static(&blocks, reader);
}

/* Leads a name of the module to `ours`. */
static int name_lead(const struct patcher *patcher, uint64_t base, uint64_t *at,
		     void (*ours)(void))
{
	uint64_t to = (uint64_t)ours - base;

	return patch_write(patcher, (uint8_t *)at, (const uint8_t *)&to,
			   sizeof(to));
}

static int module_lead(struct dl_phdr_info *info, size_t size, void *unused)
{
	uint64_t base = info->dlpi_addr;
	uint64_t *begin, *end;
	struct patcher patcher;
	int ret;

	if (!text_after(text_file_name(info->dlpi_name),
			UST_TRACEPOINT_LIBRARY))
		return 0;
	begin = module_symbol(info, "lttng_ust_tp_rcu_read_lock");
	end = module_symbol(info, "lttng_ust_tp_rcu_read_unlock");
	if (!begin || !end || !variables_find())
		return 1;
	section.begin = (void (*)(void))(base + *begin);
	section.end = (void (*)(void))(base + *end);
	patch_open(&patcher);
	ret = name_lead(&patcher, base, begin, section_begin);
	if (!ret)
		ret = name_lead(&patcher, base, end, section_end);
	patch_close(&patcher);
	if (ret)
		log_fact(LOG_WARNING, "lttng", "a read-side section is LTTng's",
			 ret);
	return 1;
}

/* Before a constructor of the program looks for the names. */
__attribute__((constructor(103))) static void section_start(void)
{
	/* no constructor but the agent's has run: libc's stores the environment
	 * and the program's name */
	if (!agent_off && !attach_loads() && !environ &&
	    !*program_invocation_short_name)
		modules_each(module_lead, NULL);
}
