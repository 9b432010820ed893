/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Places of USDT probes that a rule names and at which the agent could not
 * place a probe.
 */
#ifndef TRACEPOINTS_SITES_UNTAKEN_H
#define TRACEPOINTS_SITES_UNTAKEN_H

#include <stdint.h>

struct module;

/* A place of a module; they end with the module. */
struct untaken {
	struct untaken *next;
	uint64_t address;
	int why;		/* enum usdt_reason: only a trap could be there;
				 * or a negative errno */
	char id[128];		/* "provider/name" */
};

/*
 * Notes why a probe has no way, or, with `why` 0, that it needs no trap.
 * UNTAKEN_AS_BEFORE leaves a reason that is known as it is. The registry's lock
 * is held.
 */
#define UNTAKEN_AS_BEFORE	127

void untaken_note(struct module *module, const char *id, uint64_t address,
		  int why);

/* Forgets the places of a module that is gone. */
void untaken_forget(struct module *module);

#endif
