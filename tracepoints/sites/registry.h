/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The markers of this process: found through PT_NOTE in every loaded module,
 * switched on and off for channels, forgotten when their module goes.
 *
 * All functions here need the registry's lock (tracepoints/sites/lock.h).
 *
 * What must stay true: structures of a module outlive it (arena), its code
 * and its sites do not: whoever touches code holds the lock, and a module is
 * taken out under the lock before it is unmapped.
 */
#ifndef TRACEPOINTS_SITES_REGISTRY_H
#define TRACEPOINTS_SITES_REGISTRY_H

#include "base/index.h"
#include "buffers/writers/write.h"
#include "include/taffrail/site.h"
#include "tracepoints/conditions/ax.h"
#include "tracepoints/program/patch.h"

struct module;
struct collect_list;
struct patcher;
struct usdt_adopted;

/* A copy of a marker's code. */
struct code {
	struct code *next;
	uint8_t *address;		/* label 990 */
	uint8_t *stub;
	uint16_t *semaphore;		/* counts those who want it; or NULL */
	uint32_t flags;
};

/*
 * A marker's object in some module, and what the agent knows of it. The shape
 * comes first: the slot in the site points to it.
 */
struct object {
	struct write_shape shape;
	struct object *next;
	struct module *module;
	struct taffrail_site *site;
	struct code *codes;
	const char *channel;		/* the four texts, in the site */
	const char *name;
	const char *format;
	const char *file;
	char id[128];			/* "channel/name" */
	uint8_t types[TAFFRAIL_FIELDS_MAX]; /* of the fields as recorded */
	uint32_t on;			/* channels it writes to, a bit each */
	uint32_t special;		/* those of the next two */
	uint32_t contexts;		/* those that have contexts */
	uint32_t conditions;		/* those that have a condition */
	uint64_t pair;			/* two without either: hit_pair() */
	const struct ax_program *condition[CHANNELS_MAX];
	/* what gdb's tracepoints do here; retired ones stay readable */
	const struct collect_list *collect;
	uint32_t snapshots;		/* of registers are taken: for whom */
	uint32_t bound;			/* channel of the site's own slot + 1 */
	uint32_t left_off;		/* channels that had no room for it */
	struct usdt_adopted *adopted;	/* a probe of the program's; or NULL */
	struct object *next_found;	/* of the modules that came last */
	struct write_slot slots[CHANNELS_MAX];
};

#define MODULE_PATH_BYTES	512

struct module {
	struct module *next;
	char path[MODULE_PATH_BYTES];	/* "" when it is not known */
	int usdt_none;			/* its file has no probe */
	uint32_t usdt_askings;		/* what it was asked for; session.c */
	struct index usdt_refused;	/* probes that no plan is for */
	uint64_t base;
	uint64_t start;
	uint64_t end;
	uint32_t seen;			/* scan in which it was there */
	struct object *objects;
};

/*
 * What switches the probes that are markers (usdt.h); NULL until one is. The
 * registry's lock is held.
 */
struct adopted_functions {
	/* Switches a probe; returns 0 or a negative errno. */
	int (*switch_to)(const struct patcher *patcher,
			 struct usdt_adopted *probe, int on);
	/* Returns what became of the last switch, which may end later than
	 * switch_to(): when the patcher is closed. */
	int (*refused)(const struct usdt_adopted *probe);
	/* The probe's module is gone. */
	void (*gone)(struct usdt_adopted *probe);
};

extern const struct adopted_functions *registry_adopted;

/* What other layers want to know; set before the first scan, may be NULL. */
extern void (*registry_object_found)(struct object *object);
extern void (*registry_changed)(void);

/*
 * Looks at the loaded modules: takes out those that are gone, takes in new
 * ones. The caller may take the loader's lock: a host thread at start, or one
 * that is in dlopen or dlclose; never the service thread. Returns 1 when
 * modules came.
 */
int registry_scan(void);

/* The same for every module. */
int registry_each_module(int (*fn)(struct module *module, void *arg),
			 void *arg);

/*
 * Adds a marker that is in no note: a site that is never freed, with its four
 * texts, and one copy of its code. NULL: it is malformed, or there is no
 * memory.
 */
struct object *registry_add(struct module *module, struct taffrail_site *site,
			    const char *const texts[static 4],
			    const struct code *code);

/* Calls fn for every object; stops when it returns non-zero and returns it. */
int registry_each(int (*fn)(struct object *object, void *arg), void *arg);

/* How an object writes to a channel. */
struct object_use {
	struct channel *channel;
	uint32_t id;			/* of its event there */
	uint64_t *oversize;		/* counts events larger than a
					 * sub-buffer */
	const struct ax_program *condition; /* or NULL: always */
	write_fn *hit;			/* instead of a writer; or NULL */
};

/* Once, before the first object is on. */
void object_setup(void);

/*
 * Lets an object write to a channel, and switches its code on; or changes the
 * condition under which it does, which every thread obeys after the caller's
 * patch_grace(). Returns 0, or the first error of a patch (other copies are
 * on).
 */
int object_enable(struct object *object, const struct object_use *use,
		  const struct patcher *patcher);

/*
 * Takes a channel from an object. After the caller's patch_grace() no thread
 * writes there any more.
 */
void object_disable(struct object *object, struct channel *channel,
		    const struct patcher *patcher);

/*
 * Has the registers stored at each hit (snapshot_find()) for a user, or no
 * longer. Returns 0, or the first error of a copy; -ENOTSUP where a copy has no
 * code for it. A user that is the only one gives snapshots back.
 */
enum object_user { OBJECT_COLLECT = 1, OBJECT_IPA = 2 };

int object_snapshots(struct object *object, enum object_user user, int on,
		     const struct patcher *patcher);

/* The index of a channel in `on`. */
uint32_t channel_bit(const struct channel *channel);

#endif
