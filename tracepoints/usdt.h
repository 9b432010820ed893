/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * USDT probes of shipped programs as markers.
 *
 * A probe is a nop that nobody made for us. It becomes a marker with a site of
 * the agent's own: the nop's byte is switched to that of a jump, the four
 * bytes behind it stay as they are, and where they then lead a page is mapped
 * that leads on to the probe's stub. The stub saves what the program has in
 * its registers, and the arguments are fetched from there.
 *
 *	probe	e9 xx xx xx xx		xx.. as the program has them
 *	           |
 *	           +--> jmp *stub	where they lead
 *	                 |
 *	                 +--> stub: usdt_entry -> usdt_hit; jmp probe + 1
 *
 * One byte differs, as at a marker: switching is safe under any number of
 * running threads. A probe whose bytes lead where something is mapped already
 * is left alone.
 *
 * What must stay true: an adopted probe is never freed, and its stub neither:
 * a thread may be in it.
 */
#ifndef TRACEPOINTS_USDT_H
#define TRACEPOINTS_USDT_H

#include <stdint.h>

#include "tracepoints/patch.h"
#include "tracepoints/registry.h"
#include "tracepoints/usdt-operand.h"

#define USDT_TEXT_BYTES	256

struct way;

/* The site comes first: a slot points to it. */
struct usdt_adopted {
	struct taffrail_site site;
	char text[USDT_TEXT_BYTES];	/* channel, name, arguments, file */
	uint64_t address;
	struct way *way;		/* to its stub */
	uint32_t count;
	uint32_t in_memory;		/* arguments that are */
	struct usdt_operand operands[TAFFRAIL_FIELDS_MAX];
} __attribute__((aligned(64)));

/* What the stub has of the program; order as in usdt-entry-x86_64.S. */
struct usdt_state {
	uint64_t general[16];		/* as struct registers has them */
	uint64_t flags;
	uint64_t vectors[16][2];	/* xmm0 to xmm15 */
};

/* Is a probe of this id to be adopted? */
typedef int usdt_wanted(const char *id, void *arg);

/*
 * Adopts the wanted probes of a module, once each. Reads the module's file;
 * for threads that have descriptors of their own. The registry's lock is held.
 * Returns how many came.
 */
uint32_t usdt_adopt(struct module *module, usdt_wanted *wanted, void *arg,
		    const struct patcher *patcher);

/*
 * Makes the way from a probe to usdt_hit(). Returns 0 and the stub;
 * -EBUSY when there is no nop; -EADDRINUSE when its bytes lead where something
 * is; -ENOMEM. The registry's lock is held.
 */
int usdt_place(struct usdt_adopted *probe, uint8_t **stub,
	       const struct patcher *patcher);

/* Its module is gone: another may use its way. */
void usdt_gone(struct usdt_adopted *probe);

/* Switches a probe: nop or jump. Returns 0, -EBUSY when somebody else's code is
 * there, or another negative errno. */
int usdt_switch(const struct patcher *patcher, uint8_t *code, int on);

/* From the stub: called at each hit. SIGSAFE. */
void usdt_hit(struct usdt_adopted *probe, const struct usdt_state *state);

#endif
