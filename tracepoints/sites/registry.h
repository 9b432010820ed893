/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The markers of this process. The registry finds them through PT_NOTE in every
 * loaded module, switches them on and off for channels, and forgets them when
 * their module is unloaded.
 *
 * All functions here need the registry's lock (tracepoints/sites/lock.h).
 *
 * Invariant: the structures that describe a module outlive it (arena); the code
 * and the sites of the module do not. So a thread touches code only while it
 * holds the lock, and a module is taken out under the lock before it is
 * unmapped.
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
struct expr_error;
struct patcher;
struct usdt_adopted;

/* A copy of a marker's code. */
struct code {
	struct code *next;
	uint8_t *address;		/* label 990 */
	uint8_t *stub;
	uint16_t *semaphore;		/* counts its users; or NULL */
	uint32_t number;		/* of its note in the module */
	uint16_t flags;			/* TAFFRAIL_SITE_FLAG_, CODE_ */
	int16_t refused;		/* result of the last patch; of a
					 * declared marker: why it has no
					 * events */
};

/* The code was moved behind the linker, and this is the old place (moved.c). */
#define CODE_MOVED	(1u << 15)
/* registry_settle() switches the marker (lock.h). */
#define CODE_SETTLED	(1u << 14)

/* The part of an object that belongs to a channel. */
struct channel_slot {
	struct write_slot slot;
	const struct ax_program *condition;	/* or NULL */
};

/*
 * A marker's object in a module, and the facts that the agent knows of it. The
 * shape comes last, with memory for the strings that it has: the site's slot
 * points to the shape, and so to the object (object_of()).
 */
struct object {
	struct object *next;
	struct module *module;
	struct taffrail_site *site;
	struct code *codes;
	const char *channel;		/* the four texts, in the site */
	const char *name;
	const char *format;
	const char *file;
	char *id;			/* "channel/name" */
	uint8_t types[TAFFRAIL_FIELDS_MAX]; /* of the fields as recorded */
	uint16_t on;			/* channels it writes to, a bit each */
	uint16_t special;		/* channels in either of the next two */
	uint16_t contexts;		/* channels that have contexts */
	uint16_t conditions;		/* channels that have a condition */
	uint64_t pair;			/* two not special: hit_pair() */
	/* what gdb's tracepoints do here; retired ones stay readable */
	const struct collect_list *collect;
	void *callbacks;		/* callbacks/list.c, or NULL */
	uint32_t snapshots;		/* enum object_user, a bit each */
	uint16_t left_off;		/* channels that had no room for it */
	uint8_t bound;			/* channel of the site's own slot + 1 */
	uint8_t slot_bit;		/* the channel of `slot` */
	struct usdt_adopted *adopted;	/* the program's USDT probe; or NULL */
	struct object *next_found;	/* of the modules that came last */
	struct object *before;		/* in its module, if it is declared */
	struct channel_slot *slot;	/* of the first channel it wrote to */
	/* of the others, by channel, NULL until it writes to them; or NULL */
	struct channel_slot **slots;
	struct code first;		/* most have one copy of the code */
	struct write_shape shape;
};

/* Returns the object to which a slot leads. SIGSAFE. */
static inline struct object *object_of(const struct write_shape *shape)
{
	return (struct object *)((char *)(uintptr_t)shape -
				 offsetof(struct object, shape));
}

/* Returns the slot of a channel that the object has written to. SIGSAFE. */
static inline struct channel_slot *object_slot(const struct object *object,
					       uint32_t bit)
{
	return object->slot_bit == bit ? object->slot : object->slots[bit];
}

/* The longest id, with its NUL: a longer one is cut. glob_match_cut() takes
 * OBJECT_ID_MOST, so a rule may have the whole id. Functions' have up to
 * FUNCTION_ID_BYTES. */
#define OBJECT_ID_BYTES		128
#define OBJECT_ID_MOST		(OBJECT_ID_BYTES - 1)

#define MODULE_PATH_BYTES	512
#define MODULE_NAMES_BYTES	192

struct module {
	struct module *next;
	char path[MODULE_PATH_BYTES];	/* "" when it is not known */
	char name[64];			/* last part of the path by which it was
					 * loaded; of the program's file, once a
					 * rule has asked for functions */
	char names[MODULE_NAMES_BYTES];	/* the name, and once a rule has asked,
					 * others (rule_names_function()) */
	bool named;			/* a rule has asked */
	const void *headers;		/* of the program, in its memory */
	uint32_t nheaders;
	uint32_t ncodes;		/* sites that its notes have */
	int sites_seen;			/* usdt_sites_look() has looked */
	int usdt_none;			/* its file has no probe */
	int unread;			/* why its file cannot be read: a
					 * negative errno */
	uint32_t usdt_askings;		/* what it was asked for; session.c */
	struct index usdt_refused;	/* probes that have no plan; functions
					 * whose exits cannot be had */
	struct untaken *untaken;	/* probes that have no way */
	struct untaken **untaken_end;	/* the last one's `next`; or NULL */
	struct index untaken_at;	/* the same by address */
	uint64_t base;
	uint64_t start;
	uint64_t end;
	uint32_t seen;			/* the last scan that found it */
	int declared;			/* its markers are in no module */
	bool elsewhere;			/* in another namespace of the dynamic
					 * linker, by dlmopen(3) */
	bool beside_seen;		/* agent/beside has looked at it */
	struct object *objects;
};

/* A place in a module where a rule wants a USDT probe, and the agent could not
 * place one. It exists as long as the module. */
struct untaken {
	struct untaken *next;
	uint64_t address;
	int why;		/* enum usdt_reason: only a trap could be there;
				 * or a negative errno; 0: there is a way now */
	char id[];		/* "provider/name" */
};

/*
 * Notes why a probe has no way, or, with `why` 0, that it needs no trap.
 * UNTAKEN_AS_BEFORE leaves a reason that is known as it is, and UNTAKEN_BESIDE
 * takes that of another name at the address. The registry's lock is held.
 */
#define UNTAKEN_AS_BEFORE	127
#define UNTAKEN_BESIDE		126

void untaken_note(struct module *module, const char *id, uint64_t address,
		  int why);

/*
 * Functions that switch the probes that are markers (usdt.h). The registry's
 * lock is held in each.
 */
struct adopted_functions {
	/* Switches a probe; returns 0 or a negative errno. */
	int (*switch_to)(const struct patcher *patcher,
			 struct usdt_adopted *probe, int on);
	/* Returns the result of the last switch, which may end later than
	 * switch_to(): when the patcher is closed. */
	int (*refused)(const struct usdt_adopted *probe);
	/* Forgets the probe: the module is gone. */
	void (*gone)(struct usdt_adopted *probe);
};

/* NULL until a probe is a marker. */
extern const struct adopted_functions *registry_adopted;

/* Called for other layers; set before the first scan, may be NULL. */
extern void (*registry_object_found)(struct object *object);
extern void (*registry_changed)(void);

/* Called for an object's `probes` when the module is gone; may be NULL. */
extern void (*registry_callbacks_gone)(void *callbacks);

/*
 * Looks at the loaded modules: takes out modules that are gone, takes in new
 * ones. The caller may take the loader's lock: a host thread at start, or one
 * that is in dlopen or dlclose; never the service thread. Returns true when
 * modules came.
 */
bool registry_scan(void);

/* Calls fn for every module; stops when it returns non-zero and returns it. */
int registry_each_module(int (*fn)(struct module *module, void *arg),
			 void *arg);

/*
 * Adds a marker that is in no note: a site that is never freed, with four
 * texts, and one copy of the code. Where the site says that no texts are behind
 * it (text_bytes_), the second one, the name, is copied. Returns NULL when the
 * site is malformed, or there is no memory.
 */
struct object *registry_add(struct module *module, struct taffrail_site *site,
			    const char *const texts[static 4],
			    const struct code *code);

/* Adds a marker, as above, that the program declares: to a private module,
 * which no scan finds or forgets. */
struct object *registry_declare(struct module *module,
				struct taffrail_site *site,
				const char *const texts[static 4],
				const struct code *code);

/* Takes out a declared marker, which is off. */
void registry_undeclare(struct object *object);

/* Makes the slot of a channel, unless the object has it. Returns false without
 * memory. */
bool registry_slot(struct object *object, uint32_t bit);

/* Calls fn for every object; stops when it returns non-zero and returns it. */
int registry_each(int (*fn)(struct object *object, void *arg), void *arg);

/*
 * Leads all sites to a function that outlives the agent, for threads on their
 * way there; NULL: to the agent's own again. No object is on. A thread that is
 * in a writer still reads the site. registry_sites_leave() gives the sites to
 * the next agent, once there is no such thread. Sites of a module that has gone
 * are left alone. The registry's lock is held.
 */
void registry_sites_lead(taffrail_hit_fn *function);
void registry_sites_leave(void);

/* How an object must write to a channel. */
struct object_use {
	struct channel *channel;
	uint32_t id;			/* of its event in the channel */
	uint64_t *oversize;		/* counts events larger than a
					 * sub-buffer */
	const struct ax_program *condition; /* or NULL: always */
	write_fn *hit;			/* instead of a writer; or NULL */
};

/* Called once, before the first object is on. */
void object_setup(void);

/*
 * Lets an object write to a channel, and switches the code on. If it writes
 * there already, by this id, changes the condition: every thread obeys the new
 * one after the caller's patch_grace(). Returns 0, or the first error of a
 * patch (other copies are on); -ESTALE for a copy that was moved (CODE_MOVED).
 */
int object_enable(struct object *object, const struct object_use *use,
		  const struct patcher *patcher);

/* Lets an object write nothing more to a channel until object_enable() comes:
 * after the caller's patch_grace(), at the earliest. */
void object_pause(struct object *object, const struct channel *channel);

/*
 * Takes a channel from an object. After the caller's patch_grace() no thread
 * writes the object's events to the channel.
 */
void object_disable(struct object *object, struct channel *channel,
		    const struct patcher *patcher);

/*
 * Starts or stops storing the registers at each hit (snapshot_find()) for a
 * user. Returns 0, or the first error of a copy; -ENOTSUP where a copy has no
 * code for snapshots. They stop when the last user stops them.
 */
enum object_user { OBJECT_COLLECT = 1, OBJECT_IPA = 2, OBJECT_PRINT = 4 };

int object_snapshots(struct object *object, enum object_user user, int on,
		     const struct patcher *patcher);

/*
 * Writes an event of a marker without code, hit at `ip`, to the channels that
 * it is on for: where a channel has contexts. SIGSAFE.
 */
void object_hit_at(struct taffrail_site *site, uint64_t fixed,
		   const struct write_var *var, uint64_t ip);

/* Does so for a marker that has fields for conditions alone: `event` has these
 * behind the others. SIGSAFE. */
void object_hit_as(struct taffrail_site *site, uint64_t fixed,
		   const struct write_var *var, uint64_t ip,
		   const struct ax_event *event);

/* Writes an event to one of the object's channels, if its condition holds.
 * SIGSAFE. */
void object_hit_channel(struct object *object, uint32_t bit, uint64_t fixed,
			const struct write_var *var);

/* Counts the changes of channels of all objects, behind each. */
extern uint32_t objects_turn;

/* Returns the bit number of a channel in `on`. */
uint32_t channel_bit(const struct channel *channel);

/* Conditions of rules, compiled for one marker: condition.c. */

/*
 * Compiles and verifies the text of a condition for a marker. Keeps one copy of
 * each program until the process exits: a thread may still be running a program
 * that no rule uses any more. Returns 0, with a program, or NULL where the
 * condition holds at each hit; 1: it never holds for this marker; -ENOENT or
 * -ESRCH: this marker has no such fields; -EINVAL: the text is no condition;
 * -ENOMEM. The reason is in *error. The registry's lock is held.
 */
int condition_make(const struct object *object, const char *text,
		   const struct ax_program **program,
		   struct expr_error *error);

/* Does so for a caller of ax_holds() that has neither the fields that
 * conditions alone have nor the address of the hit. */
int condition_make_bare(const struct object *object, const char *text,
			const struct ax_program **program,
			struct expr_error *error);

/* A marker's event record in a channel's page, by which readers decode events:
 * event-record.c. */

/*
 * Returns the record of an object's event in a channel, in a term of a function
 * (or 0): the existing one, or a new one with the next free id. NULL when the
 * page is full. The registry's lock is held.
 */
struct event_record *record_publish(struct channel *channel,
				    const struct object *object,
				    uint32_t term);

/* Publishes that the terms with these entries have no more returns from now on
 * (TERM_NAME), as far as there is room. The registry's lock is held. */
void record_publish_ended(struct channel *channel, const uint32_t *ids,
			  uint32_t n);

/* Publishes the description of writer records, as the first one of a channel
 * that has them. Results as record_publish(). */
struct event_record *record_publish_writer(struct channel *channel);

/* Does so in the table of types that processes will share. Returns 0 or a
 * negative errno. */
int record_share_writer(struct shared *shared);

/* For the registry alone: shape.c. */

/*
 * Makes the shape of a site's events. `format` is the site's third text: a
 * mark's format says which strings are recorded as addresses (%p) and which may
 * have no terminating NUL (%.*s). Returns 0, or -EINVAL when the description
 * contradicts itself.
 */
int shape_make(struct write_shape *shape, const struct taffrail_site *site,
	       const char *format);

/* Adds a field that no format describes. Returns 0, or -EINVAL: the type is
 * none. */
int shape_add(struct write_shape *shape, uint8_t type);

/* Stores the types of the fields as they are recorded. */
void shape_types(uint8_t *types, const struct taffrail_site *site,
		 const struct write_shape *shape);

#endif
