/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the agent of the process, which may be there at the start or come by
 * `taffrail attach`. The binding does not bring it: a program that is not
 * traced loads no library of Taffrail's.
 *
 * Invariant: without an agent, an event costs one load. It reads a
 * word that agents write into each marker that they find. So this file has one,
 * a guard, which no list shows and nothing waits for.
 */
#include <dlfcn.h>
#include <stdbool.h>

#include "bindings/python/private.h"
#include "include/taffrail/marker.h"

/*
 *	event made	   no agent: into the list `all`, one load a call
 *	agent comes	   the next call of any event declares all of them
 *	agent detached	   declared events stay, and are off
 *
 * The interpreter's lock guards all of this: an interpreter with a private lock
 * cannot import the module.
 */
static struct declared *all;
static __typeof__(taffrail_event_declare) *agent_declare;
__typeof__(taffrail_event_write) *agent_write;

__attribute__((noinline)) bool agent_came(void)
{
	/* in one copy: the agent's word is in a static object */
	__label__ taffrail_hit_;
	TAFFRAIL_QUIET_BEGIN_
	TAFFRAIL_OBJECT_(TAFFRAIL_KIND_GUARD,
			 "taffrail\0python\0\0" __FILE__, 0, 0, 0, (), (), 0)
	TAFFRAIL_SITE_(taffrail_object_, "", );
	if (0) {
taffrail_hit_:
		TAFFRAIL_COLD_LABEL_;
	}
	TAFFRAIL_QUIET_END_
	/* volatile: no code here writes it */
	return *(taffrail_hit_fn *volatile *)&taffrail_object_.site_.hit_ !=
	       NULL;
}

/* Returns true when the agent's functions are known. Looks for them once, and
 * again after an agent has come. Keeps the library, because `taffrail attach`
 * loads it with local names. */
static bool agent_known(void)
{
	static int looked;
	void *library;

	if (agent_declare || (looked && !agent_came()))
		return agent_declare != NULL;
	looked = 1;
	library = dlopen("libtaffrail.so", RTLD_LAZY | RTLD_NOLOAD);
	if (!library)
		library = RTLD_DEFAULT;
	*(void **)&agent_write = dlsym(library, "taffrail_event_write");
	*(void **)&agent_declare = dlsym(library, "taffrail_event_declare");
	if (!agent_write)
		agent_declare = NULL;
	return agent_declare != NULL;
}

/* An event that an agent refuses, because it does not work in this process or
 * has no memory, is not offered again: that would cost at each call. */
static void marker_make(struct declared *declared)
{
	if (declared->marker || declared->refused || declared->nfields < 0)
		return;
	declared->marker = agent_declare(declared->channel, declared->name,
					 declared->fields,
					 (uint32_t)declared->nfields);
	declared->refused = !declared->marker;
}

void declared_add(struct declared *declared)
{
	declared->link = &all;
	declared->next = all;
	if (all)
		all->link = &declared->next;
	all = declared;
	if (agent_known())
		marker_make(declared);
}

void declared_remove(struct declared *declared)
{
	if (declared->link)
		*declared->link = declared->next;
	if (declared->next)
		declared->next->link = declared->link;
}

struct taffrail_declared *declared_make(struct declared *declared)
{
	struct declared *each;

	if (!agent_came() || declared->refused || declared->nfields < 0)
		return NULL;
	/* all events of the process at once: lists and rules then have them,
	 * called or not */
	for (each = agent_known() ? all : NULL; each; each = each->next)
		marker_make(each);
	return declared->marker;
}
