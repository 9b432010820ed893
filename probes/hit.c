/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A hit of a marker that has callbacks.
 *
 * A callback may leave by longjmp(), by pthread_exit() or by cancellation, and
 * so may a signal handler that interrupts this code anywhere. glibc then runs
 * the cleanup buffers of the frames that are left, also for longjmp(). So the
 * buffer comes before all else, and hit_left() is right at any point behind it.
 */
#define _LGPL_SOURCE
#include <errno.h>
#include <urcu-bp.h>

#include "base/base.h"
#include "probes/private.h"
#include "tracepoints/sites/registry.h"

/* Returns how deep the thread is in liburcu's read-side sections. */
static ALWAYS_INLINE int nesting(void)
{
	return urcu_bp_read_ongoing();
}

/* The frames of a hit are left, or the hit is over. */
static SIGSAFE void hit_left(void *arg)
{
	struct reader *reader = arg;

	/* busy for a handler that comes now */
	store_relaxed(&reader->state, READER_BUSY);
	while (nesting() > reader->nesting)
		urcu_bp_read_unlock();
	if (reader->current)
		race_release(reader->current);
	store_release(&reader->current, NULL);
	store_release(&reader->list, NULL);
	store_relaxed(&reader->state, READER_OUT);
}

/* A hit, on its way through the list. */
struct walk {
	struct reader *reader;
	struct taffrail_event event;
	uint64_t fixed;
	int in_handler;
};

static SIGSAFE __attribute__((noinline)) int
takes_slow(const struct walk *walk, const struct node *node)
{
	struct ax_event event = { walk->fixed, (const void *)walk->event.var_ };
	struct entry *entry = node->entry;

	if (node->condition && !probe_host.holds(node->condition, &event))
		return 0;
	if (!walk->in_handler || entry->flags & TAFFRAIL_PROBE_SIGNAL)
		return 1;
	__atomic_fetch_add(&entry->signal, 1, __ATOMIC_RELAXED);
	return 0;
}

static ALWAYS_INLINE int takes(const struct walk *walk,
			       const struct node *node)
{
	if (unlikely(load_relaxed(&node->entry->dead)))
		return 0;
	return likely(!node->condition && !walk->in_handler) ||
	       takes_slow(walk, node);
}

/*
 * Goes to the next callback from this node on, and names it (PROBE-NAMED).
 * Called and left in a read-side section.
 */
static ALWAYS_INLINE const struct node *next(const struct walk *walk,
					     const struct node *node)
{
	struct reader *reader = walk->reader;

	for (; node; node = node->next) {
		store_relaxed(&reader->current, node->entry);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		if (takes(walk, node))
			break;
	}
	return node;
}

static ALWAYS_INLINE void call(struct walk *walk, const struct entry *entry)
{
	struct reader *reader = walk->reader;

	race_acquire(entry);
	store_relaxed(&reader->state, READER_INSIDE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	entry->callback(&walk->event, entry->priv);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	store_relaxed(&reader->state, READER_BUSY);
	race_release(entry);
}

static void walk_list(struct walk *walk, const struct known *known)
{
	struct reader *reader = walk->reader;
	const struct node *node;

	urcu_bp_read_lock();
	node = rcu_dereference(known->first);
	store_relaxed(&reader->list, node);
	node = next(walk, node);
	while (node) {
		const struct node *after = node->next;

		urcu_bp_read_unlock();
		call(walk, node->entry);
		store_release(&reader->current, NULL);
		if (likely(!after))
			return;
		urcu_bp_read_lock();
		node = next(walk, after);
	}
	urcu_bp_read_unlock();
	store_release(&reader->current, NULL);
}

static void serve(struct reader *reader, const struct known *known,
		  uint64_t *fixed, const struct write_var *var, int block)
{
	struct cleanup buffer;
	struct walk walk = {
		.reader = reader,
		.event = { .marker_ = &known->marker,
			   .fixed_ = block ? (const void *)*fixed :
					     (const void *)fixed,
			   .var_ = (const struct taffrail_var *)var },
		.fixed = *fixed,
		.in_handler = probe_in_handler(),
	};
	int error = *reader->error;

	_pthread_cleanup_push(&buffer, hit_left, reader);
	/* the thread may be in a section of its own */
	store_relaxed(&reader->state, READER_BUSY);
	reader->nesting = nesting();
	walk_list(&walk, known);
	store_release(&reader->list, NULL);
	store_relaxed(&reader->state, READER_OUT);
	_pthread_cleanup_pop(&buffer, 0);
	*reader->error = error;
}

/* Counts a hit in a callback. */
static SIGSAFE COLD void count_nested(const struct reader *reader,
				      const struct known *known)
{
	const struct node *node;

	/* in the midst of this library, liburcu may be, too */
	if (reader->state != READER_INSIDE)
		return;
	urcu_bp_read_lock();
	for (node = rcu_dereference(known->first); node; node = node->next)
		__atomic_fetch_add(&node->entry->nested, 1, __ATOMIC_RELAXED);
	urcu_bp_read_unlock();
}

struct brought {
	struct reader *reader;
	const struct known *known;
	uint64_t fixed;
	const struct write_var *var;
	int block;
};

static int serve_brought(void *arg, void *unused)
{
	struct brought *brought = arg;

	(void)unused;
	serve(brought->reader, brought->known, &brought->fixed, brought->var,
	      brought->block);
	return 0;
}

void probe_hit(struct write_slot *slot, uint64_t fixed,
	       const struct write_var *var)
{
	const struct object *object = (const struct object *)slot->shape;
	const struct known *known = load_acquire(&object->probes);
	struct reader *reader = probe_reader;
	int block = slot->fixed_bytes > 8;

	if (unlikely(!reader))
		reader = reader_take();
	if (unlikely(!known || !reader))
		return;
	if (unlikely(reader->state != READER_OUT)) {
		count_nested(reader, known);
		return;
	}
	if (unlikely(known->kept)) {
		struct brought brought = { reader, known, fixed, var, block };

		probe_host.kept(serve_brought, &brought, NULL);
		return;
	}
	serve(reader, known, &fixed, var, block);
}
