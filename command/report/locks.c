/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locks, from the events of taffrail-pthread(7): how long threads waited for
 * each, how long they held it, and who held it meanwhile.
 *
 *	_init_entry	names a lock that is no variable of the program
 *	_lock_entry	waits
 *	_lock_exit	holds, if it returned 0
 *	_unlock_entry	holds no more; each thread that waits has waited for
 *			this holder since both began
 *
 * A call that fails has waited for the threads that hold the lock then. A wait
 * or a hold that is open at the process's last event counts until that event.
 *
 * A condition variable gives the mutex at cond_wait_entry and takes it again at
 * cond_wait_exit; that is no wait for the mutex.
 *
 * Invariant: a lock's list of threads has those alone that wait for it or hold
 * it, or gave it while they wait for a condition. It is short, however many
 * threads a program makes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/report/private.h"
#include "traces/array.h"

/* All locks, at most LOCKS_MADE_MAX: the first ones stay. */
struct locks {
	struct lock **list;
	size_t n;
	size_t nused;			/* at most LOCKS_MAX */
	struct index index;
	uint64_t nholders;		/* of all locks */
};

/* Returns whether the text is PREFIX, and something of `list`, and SUFFIX. NULL
 * ends the list. */
static bool is_one_of(const char *text, const char *prefix,
		      const char *const *list, const char *suffix)
{
	size_t n = strlen(prefix);

	if (strncmp(text, prefix, n))
		return false;
	for (; *list; list++) {
		size_t m = strlen(*list);

		if (!strncmp(text + n, *list, m) &&
		    !strcmp(text + n + m, suffix))
			return true;
	}
	return false;
}

/* The functions that take a lock, make it, give it, and wait for a condition,
 * as their events are named. NULL is the end. */
static const char *const take[] = {
	"lock", "trylock", "timedlock", "clocklock", "wrlock", "trywrlock",
	"timedwrlock", "clockwrlock", "rdlock", "tryrdlock", "timedrdlock",
	"clockrdlock", NULL,
};

static const char *const make[] = { "init", NULL };
static const char *const unlock[] = { "unlock", NULL };
static const char *const waits[] = { "wait", "timedwait", "clockwait", NULL };

/* Kinds of locks: the begin of their events' names, the field with the lock's
 * address, and the kind as the report tells it. A condition's events are of its
 * mutex. */
static const struct lock_kind {
	const char *prefix;
	const char *field;
	const char *kind;
} kinds[] = {
	{ "mutex_", "mutex", "mutex" },
	{ "rwlock_", "rwlock", "rwlock" },
	{ "spin_", "lock", "spin" },
	{ "cond_", "mutex", "mutex" },
};

#define NKINDS	(sizeof(kinds) / sizeof(kinds[0]))

/* Finds a field that has an integer; class: NULL if there is none. */
static void find_integer(struct field_at *at, const struct trace_class *trace,
			 const struct event_class *event, const char *name)
{
	if (!field_at_find(at, trace, event, name) ||
	    (at->class->kind != FIELD_INTEGER && at->class->kind != FIELD_ENUM))
		at->class = NULL;
}

void locks_class(struct lock_use *use, const struct trace_class *trace,
		 const struct event_class *event)
{
	const char *name = event->name;

	if (strncmp(name, "pthread:", 8))
		return;
	name += 8;
	for (size_t i = 0; i < NKINDS; i++) {
		const char *prefix = kinds[i].prefix;
		bool cond = !strcmp(prefix, "cond_");
		enum lock_step step = LOCK_NONE;

		if (is_one_of(name, prefix, cond ? waits : unlock, "_entry"))
			step = cond ? LOCK_SLEEP : LOCK_GIVE;
		else if (!cond && is_one_of(name, prefix, make, "_entry"))
			step = LOCK_MAKE;
		else if (cond && is_one_of(name, prefix, waits, "_exit"))
			step = LOCK_RETAKE;
		else if (!cond && is_one_of(name, prefix, take, "_entry"))
			step = LOCK_WAIT;
		else if (!cond && is_one_of(name, prefix, take, "_exit"))
			step = LOCK_TAKE;
		if (step == LOCK_NONE)
			continue;
		find_integer(&use->at, trace, event, kinds[i].field);
		if (!use->at.class)
			return;
		find_integer(&use->ret, trace, event, "ret");
		find_integer(&use->caller, trace, event, "caller");
		use->step = step;
		use->kind = kinds[i].kind;
		return;
	}
}

/* Returns whether a lock is the same as another, which has no state. */
static bool is_lock(uint64_t value, const void *priv)
{
	const struct lock *lock = (void *)(uintptr_t)value, *like = priv;

	return lock->address == like->address && lock->trace == like->trace &&
	       lock->kind == like->kind;
}

/* Adds a lock. Returns NULL where there are too many, or without memory. */
static struct lock *add_lock(struct locks *l, const struct lock *new,
			     uint64_t hash)
{
	struct lock *lock;

	if (l->n == LOCKS_MADE_MAX || !array_grow(&l->list, l->n, sizeof(lock)))
		return NULL;
	lock = malloc(sizeof(*lock));
	if (!lock)
		return NULL;
	*lock = *new;
	l->list[l->n++] = lock;
	/* a lock that the table misses would be counted twice */
	return index_add(&l->index, hash, (uint64_t)(uintptr_t)lock) ? NULL :
								       lock;
}

/* Returns the lock of an event, made if it is not there. Returns NULL where
 * there are too many, or without memory; then the event counts as left out. */
static struct lock *find_lock(struct report *r, const struct report_class *c,
			      const struct trace_event *event)
{
	struct lock new = { .trace = event->trace, .kind = c->lock.kind,
			    .class = c->lock.at.class, .seen = INT64_MAX };
	uint64_t hash;
	size_t bytes;
	const uint8_t *at = field_at_bytes(&c->lock.at, event, &bytes);
	struct locks *l;
	struct lock *lock;

	if (!r->locks)
		r->locks = calloc(1, sizeof(*r->locks));
	l = r->locks;
	if (!at || !l)
		return NULL;
	new.address = field_integer(c->lock.at.class, at);
	hash = (new.address ^ (uint64_t)event->trace->number << 48) *
	       0x9e3779b97f4a7c15ull;
	lock = (void *)(uintptr_t)index_find(&l->index, hash, is_lock, &new);
	if (!lock && (c->lock.step == LOCK_MAKE || l->nused < LOCKS_MAX))
		lock = add_lock(l, &new, hash);
	if (c->lock.step == LOCK_MAKE)
		return lock;
	if (lock && !lock->used && l->nused == LOCKS_MAX)
		lock = NULL;
	if (lock && !lock->used) {
		lock->used = true;
		l->nused++;
	}
	r->locks_more += !lock;
	return lock;
}

/* Returns the place that an event was called from. */
static struct lock_place caller_of(const struct report_class *c,
				   const struct trace_event *event)
{
	const struct field_class *class = c->lock.caller.class;
	size_t bytes;
	const uint8_t *at = class ? field_at_bytes(&c->lock.caller, event,
						   &bytes) : NULL;

	return at ? (struct lock_place){ field_integer(class, at), class } :
		    (struct lock_place){ 0, NULL };
}

const char *lock_place_name(const struct lock_place *place)
{
	const struct field_label *label =
		place->class ? field_label_next(place->class, NULL,
						place->address) : NULL;

	return label ? label->name : NULL;
}

/* Frees the threads. The lock counts as free, and nobody as waiting. */
static void forget_threads(struct lock *lock)
{
	while (lock->threads) {
		struct lock_thread *next = lock->threads->next;

		free(lock->threads);
		lock->threads = next;
	}
}

/*
 * Returns the thread's row, made if it is not there. Where there is no room for
 * more, it takes the row of the holder for whom others waited least, if that is
 * less than `ns`; or returns NULL. The row is valid until the next call.
 * Without memory, it sets r->failed and returns NULL.
 */
static struct lock_holder *holder_of(struct report *r, struct lock *lock,
				     uint32_t vtid, uint64_t ns)
{
	struct lock_holder *more = lock->holders, *least = NULL;
	uint32_t n = lock->nholders;

	for (uint32_t i = 0; i < n; i++) {
		if (more[i].vtid == vtid)
			return &more[i];
		if (!least || more[i].ns < least->ns)
			least = &more[i];
	}
	if (r->locks->nholders < HOLDERS_KEPT || !n) {
		if (!array_grow(&lock->holders, n, sizeof(*least))) {
			r->failed = true;
			return NULL;
		}
		r->locks->nholders++;
		least = &lock->holders[lock->nholders++];
	} else if (!least || ns <= least->ns) {
		return NULL;
	}
	*least = (struct lock_holder){ .vtid = vtid };
	return least;
}

/* Counts for a holder how long another thread has waited for it by now: since
 * both the hold and the wait began. */
static void blame_holder(struct report *r, struct lock *lock,
			 const struct lock_thread *thread,
			 const struct lock_thread *waiter, int64_t now)
{
	int64_t from = waiter->waits_since > thread->held_since ?
		       waiter->waits_since : thread->held_since;
	struct lock_holder *holder;
	uint64_t ns;

	if (waiter == thread || !waiter->waits || now <= from)
		return;
	ns = (uint64_t)(now - from);
	holder = holder_of(r, lock, thread->vtid, ns);
	lock->blamed_ns += ns;
	if (!holder)
		return;
	holder->ns += ns;
	if (ns > holder->most) {
		holder->most = ns;
		holder->caller = thread->caller;
	}
}

/* Counts a wait that lasts until now. */
static void count_wait(struct lock *lock, const struct lock_thread *thread,
		       int64_t now)
{
	uint64_t ns;

	if (!thread->waits || now < thread->waits_since)
		return;
	ns = (uint64_t)(now - thread->waits_since);
	lock->wait_ns += ns;
	lock->wait_max = ns > lock->wait_max ? ns : lock->wait_max;
}

/* Counts a hold that lasts until now. All others that wait have waited for this
 * thread. */
static void count_hold(struct report *r, struct lock *lock,
		       const struct lock_thread *thread, int64_t now)
{
	uint64_t ns;

	if (now < thread->held_since)
		return;
	ns = (uint64_t)(now - thread->held_since);
	lock->hold_ns += ns;
	lock->hold_max = ns > lock->hold_max ? ns : lock->hold_max;
	for (struct lock_thread *t = lock->threads; t; t = t->next)
		blame_holder(r, lock, thread, t, now);
}

/* Ends a wait, and begins to hold the lock if it was taken: the function
 * returned 0, or took the lock of a thread that had ended. An event without the
 * field `ret` is of a function that cannot fail. */
static void take_lock(struct report *r, struct lock *lock,
		      struct lock_thread *thread, const struct report_class *c,
		      const struct trace_event *event)
{
	uint64_t ret;
	size_t bytes;
	const uint8_t *at = c->lock.ret.class ?
			    field_at_bytes(&c->lock.ret, event, &bytes) : NULL;

	count_wait(lock, thread, event->ns);
	ret = at ? field_integer(c->lock.ret.class, at) : 0;
	if (!ret || ret == EOWNERDEAD) {
		lock->taken++;
		lock->waited += thread->waits && thread->blocked;
		if (!thread->depth++)
			thread->held_since = event->ns;
	} else {
		lock->failed++;
		for (struct lock_thread *t = lock->threads; t; t = t->next)
			if (t->depth)
				blame_holder(r, lock, t, thread, event->ns);
	}
	thread->waits = false;
}

/* Does what an event means for its thread. A lock that is taken again by its
 * holder is still held by the first call. */
static void thread_step(struct report *r, struct lock *lock,
			struct lock_thread *thread,
			const struct report_class *c, struct lock_place caller,
			const struct trace_event *event)
{
	switch (c->lock.step) {
	case LOCK_WAIT:
		thread->waits = true;
		thread->waits_since = event->ns;
		thread->waits_by = caller;
		thread->blocked = false;
		for (struct lock_thread *t = lock->threads; t; t = t->next)
			thread->blocked |= t != thread && t->depth;
		break;
	case LOCK_TAKE:
		take_lock(r, lock, thread, c, event);
		break;
	case LOCK_GIVE:
	case LOCK_SLEEP:
		/* it is held until it was given as often as taken */
		if (thread->depth && !--thread->depth)
			count_hold(r, lock, thread, event->ns);
		thread->sleeps = c->lock.step == LOCK_SLEEP;
		break;
	default:
		thread->sleeps = false;
		if (!thread->depth++)
			thread->held_since = event->ns;
	}
	if (!thread->depth && (thread->waits || thread->sleeps) &&
	    caller.class)
		thread->caller = caller;
}

void locks_event(struct report *r, const struct report_class *c,
		 const struct report_trace *trace,
		 const struct trace_event *event)
{
	const struct lock_place caller = caller_of(c, event);
	struct lock_thread *thread, **place;
	struct lock *lock;
	uint32_t vtid = 0;
	size_t bytes;
	const uint8_t *at;

	if (c->lock.step == LOCK_MAKE) {
		lock = find_lock(r, c, event);
		/* memory is used again, so others may have made a lock at this
		 * address before */
		if (lock && !lock->init.class)
			lock->init = caller;
		else if (lock && lock->init.address != caller.address)
			lock->several = true;
		return;
	}
	at = trace->vtid.class ? field_at_bytes(&trace->vtid, event, &bytes) :
				 NULL;
	if (at)
		vtid = (uint32_t)field_integer(trace->vtid.class, at);
	if (!vtid) {
		r->lockless = true;
		return;
	}
	if (gaps_meet(trace_gaps(event->trace), event->ns, event->ns)) {
		r->locks_out++;
		return;
	}
	lock = find_lock(r, c, event);
	if (!lock)
		return;
	/* the lock's state in a gap is not known */
	if (gaps_meet(trace_gaps(event->trace), lock->seen, event->ns))
		forget_threads(lock);
	lock->seen = event->ns;
	if (!lock->first.class)
		lock->first = caller;
	for (place = &lock->threads; *place && (*place)->vtid != vtid;)
		place = &(*place)->next;
	thread = *place;
	if (!thread) {
		thread = calloc(1, sizeof(*thread));
		if (!thread) {
			r->failed = true;
			return;
		}
		thread->vtid = vtid;
		*place = thread;
	}
	thread_step(r, lock, thread, c, caller, event);
	if (!thread->waits && !thread->sleeps && !thread->depth) {
		*place = thread->next;
		free(thread);
	}
}

/* Returns whether the trace describes the event that ends a hold. Without it, a
 * thread that took the lock may have given it. */
static bool is_given(const struct lock *lock)
{
	char name[64];

	snprintf(name, sizeof(name), "pthread:%s_unlock_entry", lock->kind);
	for (size_t i = 0; i < lock->trace->nevents; i++)
		if (lock->trace->events[i] &&
		    !strcmp(lock->trace->events[i]->name, name))
			return true;
	return false;
}

/* Counts open waits and holds until the process's last event. Whether they are
 * open is not known if events were lost since they began. */
static void finish_lock(struct report *r, struct lock *lock)
{
	const struct report_trace *trace = report_losses(r, lock->trace);
	/* events of shared buffers are the process's */
	int64_t last = r->traces[lock->trace->number].last;
	int64_t lost = !trace->lost ? INT64_MIN :
		       trace->dated ? trace->lost_until : INT64_MAX;

	if (r->look.where ||
	    gaps_meet(trace_gaps(lock->trace), lock->seen, last) ||
	    !is_given(lock))
		forget_threads(lock);
	for (struct lock_thread *t = lock->threads; t; t = t->next) {
		t->waits = t->waits && t->waits_since > lost;
		if (t->held_since <= lost)
			t->depth = 0;
		count_wait(lock, t, last);
	}
	for (struct lock_thread *t = lock->threads; t; t = t->next)
		if (t->depth)
			count_hold(r, lock, t, last);
}

void locks_finish(struct report *r)
{
	for (size_t i = 0; r->locks && i < r->locks->n; i++)
		if (r->locks->list[i]->threads)
			finish_lock(r, r->locks->list[i]);
}

/* Sorts the locks, those that were used first, the one for which threads waited
 * most, then the one that they held longest, then the lower address, so that
 * two reports are equal. */
static int by_wait(const void *a, const void *b)
{
	const struct lock *left = *(struct lock *const *)a;
	const struct lock *right = *(struct lock *const *)b;

	if (left->used != right->used)
		return left->used ? -1 : 1;
	if (left->wait_ns != right->wait_ns)
		return left->wait_ns > right->wait_ns ? -1 : 1;
	if (left->hold_ns != right->hold_ns)
		return left->hold_ns > right->hold_ns ? -1 : 1;
	return (left->address > right->address) -
	       (left->address < right->address);
}

/* Sorts the holders of a lock, the one first for whom others waited most. */
static int by_blame(const void *a, const void *b)
{
	const struct lock_holder *left = a, *right = b;

	return (left->ns < right->ns) - (left->ns > right->ns);
}

size_t locks_sorted(struct report *r, struct lock *const **sorted)
{
	struct locks *l = r->locks;

	*sorted = NULL;
	if (!l || !l->nused)
		return 0;
	for (size_t i = 0; i < l->n; i++)
		if (l->list[i]->nholders)
			qsort(l->list[i]->holders, l->list[i]->nholders,
			      sizeof(struct lock_holder), by_blame);
	qsort(l->list, l->n, sizeof(struct lock *), by_wait);
	*sorted = l->list;
	return l->nused;
}

void locks_free(struct report *r)
{
	struct locks *l = r->locks;

	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++) {
		forget_threads(l->list[i]);
		free(l->list[i]->holders);
		free(l->list[i]);
	}
	free(l->list);
	index_clear(&l->index);
	free(l);
}
