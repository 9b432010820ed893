/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An agent that `taffrail attach` has loaded, and that a command unloads after
 * it was detached.
 *
 *	thread of the command's            command
 *	  taffrail_unload_1(): all words of the program that lead here lead
 *	  elsewhere, forks wait
 *	    |  facts --------------------->  stops all threads: none is here,
 *	    |                                no word of the program leads here
 *	  dlclose() <----------------------  go
 *	    destructor: unmaps the memory
 *
 * Where the command finds a thread here, or does not come back, the function is
 * called again, and the agent sleeps as before. So it is where dlclose() has
 * not ended the library, because another one needs it, or the program has
 * loaded it, too; then the library must stay when those go, and pins itself.
 *
 * Invariant: after the first call, the agent itself lets no thread come in. A
 * thread that is in the cold part of a marker reads the site's function only
 * when it has the arguments: it then finds the empty function that the dynamic
 * linker calls for debuggers.
 */
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <linux/prctl.h>
#include <stdbool.h>

#include "agent/attached-private.h"
#include "agent/fork-private.h"
#include "agent/fork.h"
#include "agent/private.h"
#include "base/base.h"
#include "base/mappings.h"
#include "base/sys.h"
#include "control/request.h"
#include "control/service/demand.h"
#include "control/threads/settings.h"
#include "control/threads/thread.h"
#include "control/unload.h"
#include "tracepoints/program/modules.h"
#include "tracepoints/sites/lock.h"
#include "tracepoints/sites/registry.h"
#include "tracepoints/usdt/usdt.h"

#define PUBLIC		__attribute__((visibility("default")))
#define HIDDEN		__attribute__((visibility("hidden")))
#define SIGNALS		64

extern const char etext[] HIDDEN;

static struct unload_facts facts = { .nrows = MAPPINGS_MAX };
static struct request *asked;		/* while the agent gives all back */
static uint32_t asking;			/* the thread that asks */
static bool pinned;			/* another library needs this one */

bool unload_offered(void)
{
	return attach_handlers && names_recall && !pinned &&
	       attach_pid == (uint32_t)sys_getpid() && !agent_signal &&
	       !mappings_lost && loader_undone() && !fork_hooks &&
	       !usdt_faults.left;
}

/* Returns the first byte behind the tables that the dynamic linker reads: the
 * linker's own memory has pointers to those. */
static uint64_t tables_end(const struct dl_phdr_info *info)
{
	const Elf64_Dyn *d;
	uint64_t end = 0;
	uint64_t at = 0;
	uint64_t start;

	for (d = _DYNAMIC; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_RELA || d->d_tag == DT_JMPREL ||
		    d->d_tag == DT_SYMTAB)
			at = d->d_un.d_ptr;
		start = at < info->dlpi_addr ? at + info->dlpi_addr : at;
		if (d->d_tag == DT_RELASZ || d->d_tag == DT_PLTRELSZ)
			start += d->d_un.d_val;
		end = max_u64(end, start);
	}
	return end;
}

static int library_find(struct dl_phdr_info *info, size_t size, void *arg)
{
	if (!module_has(info, &facts))
		return 0;
	facts.code = tables_end(info);
	facts.code_end = (uint64_t)etext;
	facts.stubs = (uint64_t)usdt_stubs;
	facts.stubs_end = (uint64_t)usdt_stubs_end;
	facts.rows = (uint64_t)mappings;
	return 1;
}

static bool is_here(uint64_t address)
{
	return address - facts.code < facts.code_end - facts.code ||
	       address - facts.stubs < facts.stubs_end - facts.stubs;
}

/* Returns true when a handler of a signal is the agent's. */
static bool handles_signals(void)
{
	struct kernel_action now;

	for (int i = 1; i <= SIGNALS; i++)
		if (!sys4(SYS_rt_sigaction, i, NULL, &now, sizeof(now.mask)) &&
		    (is_here((uint64_t)now.handler) ||
		     is_here((uint64_t)now.restorer)))
			return true;
	return false;
}

/* Lets forks go on; or, with `held`, has them wait before they come to the
 * agent's handlers. */
static void forks_hold(uint32_t held)
{
	char *block = (char *)attach_handlers - UNLOAD_HANDLERS;

	/* that of the attach's thread, which another thread may have now */
	*(uint64_t *)(block + UNLOAD_SELF) = 0;
	store_relaxed((uint32_t *)(block + UNLOAD_GATE), held);
}

/* Has the agent sleep as before. */
static void all_take(void)
{
	registry_lock();
	registry_sites_lead(NULL);
	registry_unlock();
	demand_signal_take();
	fork_hook(attach_handlers);
	forks_hold(0);
	asked = NULL;
	attaching_end();
}

/*
 * Gives everything back that leads here.
 *
 * With the registry's lock, no fork is between the agent's handlers, as these
 * hold it; and none begins, as it waits at the stub's gate. So each fork has
 * all of the handlers, or none.
 */
static void all_give(void)
{
	forks_hold(1);
	registry_lock();
	attach_handlers[0] = attach_handlers[1] = attach_handlers[2] = NULL;
	registry_sites_lead((taffrail_hit_fn *)modules_debug()->r_brk);
	registry_unlock();
	names_recall();
	demand_signal_give();
}

PUBLIC const char *taffrail_unload_1(struct request *request)
{
	if (request->over) {
		if (request->over == UNLOAD_CLOSED) {
			pinned = true;
			library_pin();
		}
		if (asked == request)
			all_take();
		return NULL;
	}
	request->status = 0;
	request->answer = (uint64_t)&facts;
	/* not while forks wait: another thread may be in dlopen() for long */
	modules_wait();
	attaching_begin();
	if (agent_off != agent_detached || !unload_offered() ||
	    !modules_each(library_find, NULL)) {
		attaching_end();
		return "it cannot be unloaded";
	}
	sys5(SYS_prctl, PR_SET_NAME, UNLOAD_THREAD, 0, 0, 0);
	facts.stub = (uint64_t)attach_handlers - UNLOAD_HANDLERS -
		     UNLOAD_CODE_BYTES;
	asked = request;
	asking = (uint32_t)sys_gettid();
	all_give();
	if (!handles_signals())
		return NULL;
	all_take();
	return "a handler of its is in use";
}

/* The destructor: dlclose() unmaps the library next, and the thread that calls
 * it is the one that has asked. */
void unload_end(void)
{
	struct request *request = asked;
	struct mapping row;

	if (!request || asking != (uint32_t)sys_gettid())
		return;
	asked = NULL;
	registry_sites_leave();
	for (uint32_t i = 0; i < MAPPINGS_MAX; i++) {
		row = mappings[i];
		if (row.bytes)
			sys2(SYS_munmap, row.start, row.bytes);
	}
	request->status = 1;
}
