/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * USDT probes of shipped programs as markers.
 *
 * A probe is a nop that nobody made for us. It becomes a marker with a site of
 * the agent's own, and a jump to a stub that saves what the program has in its
 * registers; the arguments are fetched from there.
 *
 * Where the four bytes behind the nop lead where nothing is mapped, the nop's
 * byte becomes that of a jump:
 *
 *	probe	e9 xx xx xx xx		xx.. as the program has them
 *	           |
 *	           +--> jmp *stub	where they lead
 *	                 |
 *	                 +--> stub: usdt_entry -> usdt_hit; jmp probe + 1
 *
 * One byte differs, as at a marker: switching is safe under any number of
 * running threads.
 *
 * Where that cannot be, and a plan says that what is covered may move
 * (tracepoints/usdt/plan/plan.h), the jump has bytes of our choice; cc (int3)
 * wherever an instruction began:
 *
 *	probe	e9 cc xx cc xx		from the nop to the fifth byte
 *	           |
 *	           +--> jmp *stub
 *	                 |
 *	                 +--> stub: usdt_entry -> usdt_hit; jmp moved
 *	                                                      |
 *	                        moved: what is covered; jmp behind it
 *
 * Who was between the nop and what follows when it was switched, comes to a cc
 * sooner or later, and is led to the same instruction in `moved` by a handler
 * of SIGTRAP. So is who comes to the nop meanwhile
 * (tracepoints/usdt/place/trap-x86_64.c).
 *
 * Where another probe's nop is among what is covered, one jump does for both,
 * and what moves has gates, which one byte opens, to their stubs:
 *
 *	probe	e9 cc xx xx xx		the other's nop was behind the first
 *	           |
 *	           +--> gate: jmp *stub, or past it
 *	moved:		gate: jmp *stub of the other, or past it
 *			what is covered; jmp behind it
 *
 * Where none of these can be, and a session says that it may, the nop's byte
 * becomes cc, and the handler leads each hit to the stub:
 *
 *	probe	cc
 *	           +--> SIGTRAP --> stub: usdt_entry -> usdt_hit; jmp probe + 1
 *
 * What must stay true: an adopted probe is never freed, and its stub neither:
 * a thread may be in it.
 *
 * All but the stubs' code and usdt_hit() is in libtaffrail-usdt.so, which is
 * loaded when a rule names a provider (load-x86_64.c).
 */
#ifndef TRACEPOINTS_USDT_USDT_H
#define TRACEPOINTS_USDT_USDT_H

#include <stdint.h>

#include "base/text.h"
#include "tracepoints/program/patch.h"
#include "tracepoints/sites/registry.h"
#include "tracepoints/usdt/plan/operand.h"

#define USDT_TEXT_BYTES	256

/* Does this id belong to a probe of the C library or of the dynamic linker?
 * Lists leave such probes out, so that a user finds the program's own. */
static inline int usdt_is_runtime(const char *id)
{
	return text_after(id, "libc/") || text_after(id, "rtld/");
}

struct way;

/* What is switched. */
enum usdt_placed {
	USDT_BYTE,		/* one byte */
	USDT_JUMP,		/* five bytes or more */
	USDT_MERGED,		/* the same, for two probes side by side */
	USDT_INT3,		/* one byte, by a trap for each hit */
};

/* The site comes first: a slot points to it. */
struct usdt_adopted {
	struct taffrail_site site;
	char text[USDT_TEXT_BYTES];	/* channel, name, arguments, file */
	uint64_t address;
	struct way *way;		/* to its stub */
	uint32_t count;
	uint32_t in_memory;		/* arguments that are */
	uint32_t placed;		/* enum usdt_placed */
	int32_t refused;		/* what became of the last switch */
	uint32_t strings;		/* arguments that point to some */
	struct usdt_operand operands[TAFFRAIL_FIELDS_MAX];
} __attribute__((aligned(64)));

/* What the stub has of the program; order as in entry-x86_64.S. */
struct usdt_state {
	uint64_t general[16];		/* as struct registers has them */
	uint64_t flags;
	uint64_t vectors[16][2];	/* xmm0 to xmm15 */
};

/* Is a probe of this id to be adopted? Non-zero; USDT_WANTED_INT3 among it:
 * also where that takes a trap for each hit. `strings`: bit I when its argument
 * I + 1 is to be a string. */
#define USDT_WANTED		1
#define USDT_WANTED_INT3	2
typedef int usdt_wanted(const char *id, uint32_t *strings, void *arg);

/*
 * Adopts the wanted probes of a module, once each. Reads the module's file;
 * for threads that have descriptors of their own. The registry's lock is held.
 * Returns 1 when some that could not be may come if asked for again, else 0.
 */
int usdt_adopt(struct module *module, usdt_wanted *wanted, void *arg,
		    const struct patcher *patcher);

/*
 * What libtaffrail-usdt.so has, and what it must agree on with the agent.
 * `switch_to` switches a probe: nop or jump; one of five bytes by the time the
 * patcher is closed. Returns 0; -EBUSY when another program's code is there; or
 * another negative errno; so does `refused` later, or -EAGAIN when a thread
 * blocks SIGTRAP, and could not be led on, or -EPERM where the program ignores
 * it. `gone`: the probe's module is gone, another may use its way. The
 * registry's lock is held.
 */
#define USDT_VERSION	6

struct usdt_functions {
	uint64_t version;
	uint64_t adopted_bytes;
	uint64_t object_bytes;
	int (*adopt)(struct module *module, usdt_wanted *wanted, void *arg,
		     const struct patcher *patcher);
	void (*gone)(struct usdt_adopted *probe);
	int (*switch_to)(const struct patcher *patcher,
			 struct usdt_adopted *probe, int on);
	void (*flush)(const struct patcher *patcher);
};

/* The stubs' code, and room for stubs. */
void usdt_entry(void);
extern uint8_t usdt_stubs[];
extern uint8_t usdt_stubs_end[];

/* The end of the first thread's stack, or 0 when it is not known. */
uint64_t usdt_stack_end(void);

/* From the stub: called at each hit. SIGSAFE. */
void usdt_hit(struct usdt_adopted *probe, const struct usdt_state *state);

#endif
