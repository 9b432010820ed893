/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plans the jumps of functions: one at the entry, and one at each exit, which
 * must not cover the same bytes.
 *
 *	usdt_calls_open(&calls, file, decoder);
 *	for (i = 0; i < n; i += k)
 *		k = usdt_calls_plan(&calls, wanted + i, n - i);
 *		of each of the k: usdt_calls_exits(), then usdt_calls_entry()
 *		and usdt_calls_exit()
 *	usdt_calls_close(&calls);
 *
 * Invariant: the file is not trusted. Nothing outside it is read.
 */
#ifndef TRACEPOINTS_USDT_PLAN_CALLS_H
#define TRACEPOINTS_USDT_PLAN_CALLS_H

#include "base/index.h"
#include "tracepoints/usdt/plan/exits.h"

#define USDT_EXITS_MAX	256u		/* of a function */

/* A function that is wanted: addresses in the file. */
struct usdt_wanted {
	uint64_t address;
	uint64_t site;			/* of the entry */
	const char *name;
	const char *source;		/* of "SOURCE:NAME"; or NULL */
	const char *file;		/* of a static function, if known */
	uint8_t skipped;		/* bytes of pushes before its jump */
	uint8_t pushes;
	uint8_t entry;			/* an event of it is wanted */
	uint8_t exits;			/* the same of them; both are planned,
					 * as the others may come later */
	uint8_t traps;			/* where there can be no jump */
	int nexits;			/* found; or a negative errno */
	uint32_t first;			/* number of the first of them */
};

struct usdt_calls {
	const struct usdt_file *file;
	const struct usdt_decoder *decoder;
	/* Returns why the caller cannot use a valid plan, or 0; or NULL. */
	int (*refused)(const struct usdt_plan *plan, void *arg);
	/* Tells whether a jump that is there has a gate for this exit; or
	 * NULL. */
	int (*made)(uint64_t address, void *arg);
	/* Tells whether a jump that is there could be made anew with a gate for
	 * an exit that can have no other; or NULL. */
	bool (*shared)(uint64_t address, void *arg);
	void *arg;
	struct usdt_image image;
	struct usdt_layout layout;
	uint8_t low;			/* as in a plan */
	struct usdt_plan *plans;	/* of the portion, sorted */
	uint32_t nplans;
	struct usdt_exit *found;	/* exits of the portion */
	uint32_t nfound;
};

/* Returns where the jump of the entry begins. */
static inline uint64_t usdt_wanted_at(const struct usdt_wanted *wanted)
{
	return wanted->site + wanted->skipped;
}

/* Opens a file that is loaded at a base. Maps memory until it is closed.
 * Returns 0, -ENOEXEC, or -ENOMEM, which leaves nothing to close. */
int usdt_calls_open(struct usdt_calls *calls, const struct usdt_file *file,
		    const struct usdt_decoder *decoder, uint64_t base);

void usdt_calls_close(struct usdt_calls *calls);

/* Returns how many bytes a push has that a jump of the entry may begin behind;
 * 0: none is at this address. */
uint32_t usdt_calls_push(const struct usdt_calls *calls, uint64_t address);

/* Plans the first of n functions, sorted by site: as many as one portion has
 * room for, and at least one. Returns how many. The plans of the portion before
 * are gone. */
uint32_t usdt_calls_plan(struct usdt_calls *calls, struct usdt_wanted *wanted,
			 uint32_t n);

/* Returns the plan of the entry. In *why, unless it is NULL: why it cannot be
 * used (enum usdt_reason, or a negative errno), or 0. */
struct usdt_plan *usdt_calls_entry(const struct usdt_calls *calls,
				   const struct usdt_wanted *wanted, int *why);

/*
 * Decides how the exits are had: those that the jump of the entry or of another
 * exit moves, by this jump. Returns 0, or why not all can be had, and the
 * address of one that cannot in *at.
 */
int usdt_calls_exits(struct usdt_calls *calls, const struct usdt_wanted *wanted,
		     uint64_t *at);

/* Sets of bytes: adds n bytes; tells whether it has any. The first returns 0 or
 * -ENOMEM. */
int usdt_bytes_take(struct index *taken, uint64_t address, uint32_t n);
bool usdt_bytes_taken(const struct index *taken, uint64_t address, uint32_t n);

/* Plans jumps that begin at instructions before an address and move that one,
 * too, the nearest last. Returns how many. */
#define USDT_EARLIER_MAX	4u
uint32_t usdt_plan_earlier(const struct usdt_image *image,
			   const struct usdt_decoder *decoder, bool low,
			   uint64_t address,
			   struct usdt_plan plans[static USDT_EARLIER_MAX]);

/* Plans a jump that has bytes of the next instructions in its operand
 * (`pun`), before the instruction at an address. Returns 0, or why there can
 * be none. The second one does so for the entry of a function that has no other
 * jump: only if it leaves the bytes of the next function, of exits, and of
 * jumps for these, which usdt_calls_exits() has chosen. */
int usdt_pun_plan(const struct usdt_image *image,
		  const struct usdt_decoder *decoder, bool low,
		  uint64_t address, struct usdt_plan *plan);
int usdt_calls_pun(const struct usdt_calls *calls,
		   const struct usdt_wanted *wanted, struct usdt_plan *plan);

/* Plans a trap before the instruction at an address, where no jump can be.
 * Returns 0, or why there can be none. The first looks at the file alone. */
int usdt_trap_plan(const struct usdt_image *image,
		   const struct usdt_decoder *decoder, uint64_t address,
		   bool leaves, struct usdt_plan *plan);
int usdt_calls_trap(const struct usdt_calls *calls, uint64_t address,
		    bool leaves, struct usdt_plan *plan);

/* Returns the plan that usdt_calls_exits() has chosen for an exit, or NULL: a
 * jump that is there has it or could, or each hit is a trap. */
struct usdt_plan *usdt_calls_exit(const struct usdt_calls *calls,
				  const struct usdt_exit *exit);

#endif
