/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A hit of a marker that has callbacks.
 *
 * A callback may leave by longjmp(), by pthread_exit() or by cancellation, and
 * so may a signal handler that interrupts this code anywhere. glibc then runs
 * the cleanup buffers of the frames that are left, also for longjmp(). So the
 * buffer comes before all else, and hit_left() is right at any point behind it.
 *
 * A callback runs with floating-point traps off. The floating-point state of
 * the program is restored whichever way the callback ends.
 */
#define _LGPL_SOURCE
#include <errno.h>
#include <urcu-bp.h>

#include "base/base.h"
#include "callbacks/floats-x86_64.h"
#include "callbacks/private.h"
#include "tracepoints/sites/registry.h"

/* The state of one hit while it walks the list. */
struct walk {
	struct reader *reader;
	const struct known *known;
	uint64_t fixed;
	const struct write_var *var;
	unsigned long nesting;	/* of liburcu's sections, before the hit */
	uint32_t handlers;	/* callback_handlers, at the hit */
	struct floats floats;	/* the program's, while a callback runs */
	struct taffrail_event event;
};

/* Returns how deep the thread, which liburcu knows, is in read-side sections.
 * The program may have opened some of them. */
static ALWAYS_INLINE unsigned long section_depth(void)
{
	return URCU_TLS(urcu_bp_reader)->ctr & URCU_BP_GP_CTR_NEST_MASK;
}

/* Leaves the read-side sections that were opened since a hit began. The
 * program's own sections stay open. */
static SIGSAFE void sections_close(unsigned long before)
{
	while (section_depth() > before)
		urcu_bp_read_unlock();
}

/* Ends a hit whose frames are left without a return. */
static SIGSAFE void hit_left(void *arg)
{
	const struct walk *walk = arg;
	struct reader *reader = walk->reader;
	uint32_t state = reader->state;

	/* a handler that interrupts this must find the record busy */
	store_relaxed(&reader->state, READER_BUSY);
	__atomic_signal_fence(SEQ_CST(READER_STATE));
	/* the callback leaves, not a handler that has interrupted it */
	if (state == READER_INSIDE && walk->handlers == callback_handlers)
		floats_end(&walk->floats);
	sections_close(walk->nesting);
	if (reader->current)
		race_release(reader->current);
	store_release(&reader->current, NULL, READER_CURRENT);
	store_release(&reader->list, NULL, READER_LIST);
	store_relaxed(&reader->state, READER_OUT);
}

/* The part of callback_take() for conditions and for hits in signal handlers.
 * Counts a hit that a handler makes and the callback does not allow. */
static SIGSAFE __attribute__((noinline)) bool
callback_take_slow(const struct walk *walk, const struct node *node,
		   int in_handler)
{
	struct ax_event event = { walk->fixed, walk->var };
	struct entry *entry = node->entry;

	if (node->condition && !callback_host.holds(node->condition, &event))
		return false;
	if (!in_handler || entry->flags & TAFFRAIL_PROBE_SIGNAL)
		return true;
	__atomic_fetch_add(&entry->signal, 1, __ATOMIC_RELAXED);
	if (entry->told)
		missed_note(MISSED_HANDLER);
	return false;
}

/* Names the callback (PROBE-NAMED), and tells whether to call it. */
static ALWAYS_INLINE bool callback_take(const struct walk *walk,
					const struct node *node, int in_handler)
{
	store_relaxed(&walk->reader->current, node->entry);
	__atomic_signal_fence(SEQ_CST(PROBE_NAMED));
	if (unlikely(load_relaxed(&node->entry->dead)))
		return false;
	return likely(!node->condition && !in_handler) ||
	       callback_take_slow(walk, node, in_handler);
}

/* Calls a callback outside of any read-side section. READER_INSIDE tells
 * hit_left() that the callback is left, and not this code. */
static ALWAYS_INLINE void callback_run(struct walk *walk,
				       const struct entry *entry)
{
	struct reader *reader = walk->reader;

	race_acquire(entry);
	floats_begin(&walk->floats);
	__atomic_signal_fence(SEQ_CST(READER_STATE));
	store_relaxed(&reader->state, READER_INSIDE);
	__atomic_signal_fence(SEQ_CST(READER_STATE));
	entry->callback(&walk->event, entry->priv);
	__atomic_signal_fence(SEQ_CST(READER_STATE));
	floats_end(&walk->floats);
	race_release(entry);
	store_release(&reader->current, NULL, READER_CURRENT);
}

/* While a callback runs, no section protects the list. So the record names a
 * list of several nodes, too. */
static ALWAYS_INLINE void walk_list(struct walk *walk, int in_handler)
{
	struct reader *reader = walk->reader;
	const struct entry *entry;
	const struct node *after, *node;

	urcu_bp_read_lock();
	node = rcu_dereference(walk->known->first);
	if (likely(node) && unlikely(node->next))
		store_relaxed(&reader->list, node);
	for (; node; node = after) {
		after = node->next;
		entry = node->entry;
		if (!callback_take(walk, node, in_handler))
			continue;
		/* from here on, a node that is alone may be given back */
		urcu_bp_read_unlock();
		callback_run(walk, entry);
		if (likely(!after))
			return;
		store_relaxed(&reader->state, READER_BUSY);
		__atomic_signal_fence(SEQ_CST(READER_STATE));
		urcu_bp_read_lock();
	}
	urcu_bp_read_unlock();
	store_release(&reader->current, NULL, READER_CURRENT);
}

/* Serves a hit. The cleanup buffer is pushed before the record is busy, so that
 * the record is put back whichever way this frame is left. */
static ALWAYS_INLINE void walk_serve(struct walk *walk, int block,
				     int in_handler)
{
	struct reader *reader = walk->reader;
	struct cleanup buffer;
	int error = *reader->error;

	walk->event.marker_ = &walk->known->marker;
	walk->event.fixed_ = block ? (const void *)walk->fixed :
				     (const void *)&walk->fixed;
	walk->event.var_ = (const struct taffrail_var *)walk->var;
	walk->event.time_ = 0;
	walk->nesting = section_depth();
	walk->handlers = (uint32_t)in_handler;
	_pthread_cleanup_push(&buffer, hit_left, walk);
	store_relaxed(&reader->state, READER_BUSY);
	__atomic_signal_fence(SEQ_CST(READER_STATE));
	walk_list(walk, in_handler);
	if (unlikely(reader->list))
		store_release(&reader->list, NULL, READER_LIST);
	store_relaxed(&reader->state, READER_OUT);
	_pthread_cleanup_pop(&buffer, 0);
	*reader->error = error;
}

/* The cleanup of count_nested(). */
static SIGSAFE void count_left(void *before)
{
	sections_close((unsigned long)before);
}

/* Counts a hit whose callbacks cannot be looked at. */
static SIGSAFE void count_unserved(void)
{
	if (load_relaxed(&entries_told))
		missed_note(MISSED_BUSY);
}

/* Counts a hit in a callback. */
static SIGSAFE void count_nested(const struct reader *reader,
				 const struct known *known)
{
	const struct node *node;
	struct cleanup buffer;

	/* the hit has interrupted this library, and perhaps liburcu */
	if (reader->state != READER_INSIDE) {
		/* hits of this library's own work are not the program's */
		if (reader->state != READER_VISIT || callback_handlers)
			count_unserved();
		return;
	}
	_pthread_cleanup_push(&buffer, count_left, (void *)section_depth());
	urcu_bp_read_lock();
	for (node = rcu_dereference(known->first); node; node = node->next) {
		__atomic_fetch_add(&node->entry->nested, 1, __ATOMIC_RELAXED);
		if (node->entry->told)
			missed_note(MISSED_NESTED);
	}
	urcu_bp_read_unlock();
	_pthread_cleanup_pop(&buffer, 0);
}

/* For vectors_kept(): the hit of a USDT probe, between any two instructions of
 * the program, whose x87 registers may be in use. */
static int walk_serve_kept(void *walk, void *block)
{
	floats_empty();
	walk_serve(walk, *(int *)block, (int)callback_handlers);
	return 0;
}

/* Serves a hit in a signal handler or in a callback, a hit of a USDT probe, and
 * the first hit of a thread. */
static __attribute__((noinline)) void hit_slow(struct walk *walk, int block)
{
	if (!walk->known)
		return;
	if (!walk->reader || !URCU_TLS(urcu_bp_reader))
		walk->reader = reader_take();
	if (!walk->reader) {
		count_unserved();
		return;
	}
	if (walk->reader->state != READER_OUT)
		count_nested(walk->reader, walk->known);
	else if (walk->known->kept)
		callback_host.kept(walk_serve_kept, walk, &block);
	else
		walk_serve(walk, block, (int)callback_handlers);
}

void callback_hit(struct write_slot *slot, uint64_t fixed,
		  const struct write_var *var)
{
	const struct object *object = object_of(slot->shape);
	struct walk walk;	/* not cleared */
	bool block = slot->fixed_bytes > 8;

	walk.reader = callback_reader;
	walk.known = load_acquire(&object->callbacks, KNOWN_MARKER);
	walk.fixed = fixed;
	walk.var = var;
	if (likely(walk.reader && walk.known &&
		   URCU_TLS(urcu_bp_reader)) &&
	    likely(!(walk.reader->state | (uint32_t)walk.known->kept |
		     callback_handlers)))
		walk_serve(&walk, block, 0);
	else
		hit_slow(&walk, block);
}
