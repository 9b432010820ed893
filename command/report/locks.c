/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locks, from the events of taffrail-pthread(7): how long threads waited for
 * each, how long they held it, and who held it meanwhile.
 *
 *	_lock_entry	waits
 *	_lock_exit	holds, if it returned 0
 *	_unlock_entry	holds no more; each thread that waits has waited for
 *			this holder since both began
 *
 * A condition variable gives the mutex at cond_wait_entry and takes it again at
 * cond_wait_exit; that is no wait for the mutex.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command/report/private.h"
#include "traces/array.h"

/* A thread that waits for a lock or holds it. */
struct lock_thread {
	struct lock_thread *next;
	uint32_t vtid;
	uint32_t depth;			/* how often it took the lock */
	int64_t held_since;
	bool waits;
	bool blocked;			/* another held it at first */
	int64_t waits_since;
};

struct locks {
	struct lock **list;
	size_t n;
	struct index index;
	uint64_t left_out;		/* events of more locks */
	uint64_t nholders;		/* of all locks */
};

/* Returns whether the text is PREFIX, and something of `list`, and SUFFIX. */
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

static const char *const take[] = {
	"lock", "trylock", "timedlock", "clocklock", "wrlock", "trywrlock",
	"timedwrlock", "clockwrlock", "rdlock", "tryrdlock", "timedrdlock",
	"clockrdlock", NULL,
};

static const char *const unlock[] = { "unlock", NULL };
static const char *const waits[] = { "wait", "timedwait", "clockwait", NULL };

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

static enum lock_step step_of(const char *name, const char *prefix)
{
	if (!strcmp(prefix, "cond_"))
		return is_one_of(name, prefix, waits, "_entry") ? LOCK_GIVE :
		       is_one_of(name, prefix, waits, "_exit") ? LOCK_RETAKE :
								 LOCK_NONE;
	return is_one_of(name, prefix, take, "_entry") ? LOCK_WAIT :
	       is_one_of(name, prefix, take, "_exit") ? LOCK_TAKE :
	       is_one_of(name, prefix, unlock, "_entry") ? LOCK_GIVE :
							   LOCK_NONE;
}

void locks_class(struct report_class *class, const struct trace_class *trace,
		 const struct event_class *event)
{
	const char *name = event->name;

	if (strncmp(name, "pthread:", 8))
		return;
	name += 8;
	for (size_t i = 0; i < NKINDS; i++) {
		enum lock_step step = step_of(name, kinds[i].prefix);

		if (step == LOCK_NONE)
			continue;
		if (!field_at_find(&class->lock_at, trace, event,
				   kinds[i].field) ||
		    class->lock_at.class->kind != FIELD_INTEGER)
			return;
		if (!field_at_find(&class->lock_ret, trace, event, "ret") ||
		    class->lock_ret.class->kind > FIELD_ENUM)
			class->lock_ret.class = NULL;
		class->lock = (uint8_t)step;
		class->lock_kind = kinds[i].kind;
		return;
	}
}

struct lock_key {
	uint64_t address;
	const struct trace_class *trace;
	const char *kind;
};

static int is_lock(uint64_t value, const void *priv)
{
	const struct lock *lock = (void *)(uintptr_t)value;
	const struct lock_key *key = priv;

	return lock->address == key->address && lock->trace == key->trace &&
	       lock->kind == key->kind;
}

/* Adds a lock. Returns NULL where there are too many, or without memory. */
static struct lock *add_lock(struct locks *l, const struct lock_key *key,
			     uint64_t hash)
{
	struct lock *lock;

	if (!l->list)
		l->list = calloc(LOCKS_MAX, sizeof(struct lock *));
	if (!l->list || l->n == LOCKS_MAX)
		return NULL;
	lock = calloc(1, sizeof(*lock));
	if (!lock)
		return NULL;
	lock->address = key->address;
	lock->trace = key->trace;
	lock->kind = key->kind;
	lock->seen = INT64_MAX;
	l->list[l->n++] = lock;
	/* a lock that the table misses would be counted twice */
	return index_add(&l->index, hash, (uint64_t)(uintptr_t)lock) ? NULL :
								       lock;
}

/* Returns the lock of an event, made if it is not there; or NULL, and the event
 * counts as left out. */
static struct lock *find_lock(struct report *r, const struct report_class *c,
			      const struct trace_event *event)
{
	struct lock_key key = { .trace = event->trace, .kind = c->lock_kind };
	uint64_t hash;
	size_t bytes;
	const uint8_t *at = field_at_bytes(&c->lock_at, event, &bytes);
	struct lock *lock;

	if (!r->locks)
		r->locks = calloc(1, sizeof(*r->locks));
	if (!at || !r->locks)
		return NULL;
	key.address = field_integer(c->lock_at.class, at);
	hash = (key.address ^ (uint64_t)event->trace->number << 48) *
	       0x9e3779b97f4a7c15ull;
	lock = (void *)(uintptr_t)index_find(&r->locks->index, hash, is_lock,
					     &key);
	if (!lock)
		lock = add_lock(r->locks, &key, hash);
	if (!lock)
		r->locks->left_out++;
	return lock;
}

/* Returns the thread, made if it is not there. */
static struct lock_thread *thread_of(struct lock *lock, uint32_t vtid)
{
	struct lock_thread *t;

	for (t = lock->threads; t; t = t->next)
		if (t->vtid == vtid)
			return t;
	t = calloc(1, sizeof(*t));
	if (t) {
		t->vtid = vtid;
		t->next = lock->threads;
		lock->threads = t;
	}
	return t;
}

static void drop_idle(struct lock *lock, const struct lock_thread *idle)
{
	struct lock_thread **t = &lock->threads;

	if (idle->waits || idle->depth)
		return;
	while (*t != idle)
		t = &(*t)->next;
	*t = idle->next;
	free((void *)idle);
}

static void forget_threads(struct lock *lock)
{
	while (lock->threads) {
		struct lock_thread *next = lock->threads->next;

		free(lock->threads);
		lock->threads = next;
	}
}

/* Returns the thread's row, made if it is not there. Where there is no room for
 * more, it takes the row of the holder for whom others waited least, if that is
 * less than `ns`; or returns NULL. */
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

/* Ends a wait, and begins to hold the lock if it was taken. */
static void take_lock(struct lock *lock, struct lock_thread *thread,
		      int64_t now, bool taken)
{
	uint64_t ns;

	if (thread->waits && now >= thread->waits_since) {
		ns = (uint64_t)(now - thread->waits_since);
		lock->wait_ns += ns;
		lock->wait_max = ns > lock->wait_max ? ns : lock->wait_max;
	}
	if (taken) {
		lock->taken++;
		lock->waited += thread->waits && thread->blocked;
		if (!thread->depth++)
			thread->held_since = now;
	} else {
		lock->failed++;
	}
	thread->waits = false;
}

/* Ends a hold. The time for which others have waited meanwhile is this
 * thread's. */
static void give_lock(struct report *r, struct lock *lock,
		      struct lock_thread *thread,
		      int64_t now)
{
	uint64_t ns;

	if (!thread->depth || --thread->depth || now < thread->held_since)
		return;
	ns = (uint64_t)(now - thread->held_since);
	lock->hold_ns += ns;
	lock->hold_max = ns > lock->hold_max ? ns : lock->hold_max;
	/* all others that wait have waited for this thread */
	for (struct lock_thread *t = lock->threads; t; t = t->next) {
		int64_t from = t->waits_since > thread->held_since ?
			       t->waits_since : thread->held_since;
		struct lock_holder *holder;

		if (t == thread || !t->waits || now <= from)
			continue;
		ns = (uint64_t)(now - from);
		holder = holder_of(r, lock, thread->vtid, ns);
		lock->blamed_ns += ns;
		if (holder)
			holder->ns += ns;
	}
}

/* Returns whether the function returned 0, or took the lock of a thread that
 * had ended. */
static bool call_succeeded(const struct report_class *c,
		      const struct trace_event *event)
{
	size_t bytes;
	const uint8_t *at;
	uint64_t ret;

	if (!c->lock_ret.class)
		return true;
	at = field_at_bytes(&c->lock_ret, event, &bytes);
	ret = at ? field_integer(c->lock_ret.class, at) : 0;
	return !ret || ret == EOWNERDEAD;
}

void locks_event(struct report *r, const struct report_class *c,
		 const struct report_trace *trace,
		 const struct trace_event *event)
{
	struct lock_thread *thread;
	struct lock *lock;
	uint32_t vtid = 0;
	size_t bytes;
	const uint8_t *at;

	at = trace->vtid.class ? field_at_bytes(&trace->vtid, event, &bytes) :
				 NULL;
	if (at)
		vtid = (uint32_t)field_integer(trace->vtid.class, at);
	if (!vtid) {
		r->lockless = true;
		return;
	}
	if (gaps_meet(&event->trace->gaps, event->ns, event->ns)) {
		r->locks_out++;
		return;
	}
	lock = find_lock(r, c, event);
	if (!lock)
		return;
	/* the lock's state in a gap is not known */
	if (gaps_meet(&event->trace->gaps, lock->seen, event->ns))
		forget_threads(lock);
	lock->seen = event->ns;
	thread = thread_of(lock, vtid);
	if (!thread) {
		r->failed = true;
		return;
	}
	if (c->lock == LOCK_WAIT) {
		thread->waits = true;
		thread->waits_since = event->ns;
		thread->blocked = false;
		for (struct lock_thread *t = lock->threads; t; t = t->next)
			thread->blocked |= t != thread && t->depth;
	} else if (c->lock == LOCK_TAKE) {
		take_lock(lock, thread, event->ns, call_succeeded(c, event));
	} else if (c->lock == LOCK_GIVE) {
		give_lock(r, lock, thread, event->ns);
	} else if (!thread->depth++) {
		thread->held_since = event->ns;
	}
	drop_idle(lock, thread);
}

static int by_wait(const void *a, const void *b)
{
	const struct lock *left = *(struct lock *const *)a;
	const struct lock *right = *(struct lock *const *)b;

	if (left->wait_ns != right->wait_ns)
		return left->wait_ns > right->wait_ns ? -1 : 1;
	if (left->hold_ns != right->hold_ns)
		return left->hold_ns > right->hold_ns ? -1 : 1;
	return (left->address > right->address) -
	       (left->address < right->address);
}

static int by_blame(const void *a, const void *b)
{
	const struct lock_holder *left = a, *right = b;

	return (left->ns < right->ns) - (left->ns > right->ns);
}

size_t locks_sorted(struct report *r, struct lock *const **sorted)
{
	struct locks *l = r->locks;

	*sorted = NULL;
	if (!l || !l->n)
		return 0;
	for (size_t i = 0; i < l->n; i++)
		if (l->list[i]->nholders)
			qsort(l->list[i]->holders, l->list[i]->nholders,
			      sizeof(struct lock_holder), by_blame);
	qsort(l->list, l->n, sizeof(struct lock *), by_wait);
	*sorted = l->list;
	return l->n;
}

uint64_t locks_left_out(const struct report *r)
{
	return r->locks ? r->locks->left_out : 0;
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
