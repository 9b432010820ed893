/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions that the library exports to programs: include/taffrail/probe.h.
 *
 *	attach		the entry is in the list; the agent makes the lists of
 *			markers anew, and switches sites on
 *	detach		`dead` is set; the lists are made anew; a grace period
 *			ends; no record names the entry
 *	free		no list has the entry either: unlock_and_free()
 *
 * Invariants:
 *  - no lock is held while a thread waits for a grace period or a callback;
 *  - the library that has a callback is not unloaded while it is attached,
 *    unless TAFFRAIL_PROBE_UNPINNED says that the caller takes care of that.
 */
#define _LGPL_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <urcu-bp.h>

#include "base/base.h"
#include "base/sys.h"
#include "callbacks/private.h"
#include "control/request.h"
#include "include/taffrail/clock.h"
#include "tracepoints/fields/scalar.h"

#define PUBLIC		__attribute__((visibility("default")))
#define SETUP_PRIORITY	200	/* constructors without one come behind */
#define DETACH_MS	5000
#define LOOK_NS		200000
#define RETIRED_MANY	1000

#define FLAGS	(TAFFRAIL_PROBE_SIGNAL | TAFFRAIL_PROBE_UNPINNED)

/* For MESSAGE_STATUS, in the service thread. */
static void callbacks_describe(struct text *out)
{
	entries_describe(out);
	connections_describe(out);
}

static const struct session_client client = {
	.hit = callback_hit,
	.look = list_look,
	.gone = list_gone,
	.attached = &entry_count,
	.describe = callbacks_describe,
};

static const char *refused = "libtaffrail.so is of another build than "
			     "libtaffrail-probe.so: use two that belong "
			     "together";

/* Before the constructor of environment.c. */
__attribute__((constructor(SETUP_PRIORITY))) static void callback_setup(void)
{
	int ret = taffrail_probe_serve(CALLBACKS_VERSION, sizeof(struct object),
				       &client, &callback_host);

	if (!ret) {
		refused = NULL;
		*callback_host.handle = handler_run;
	}
	fork_setup();
	/* where the agent is off, as under a seccomp filter, no system call is
	 * made */
	if (taffrail_probe_unavailable())
		return;
	handlers_adopt();
}

PUBLIC const char *taffrail_probe_unavailable(void)
{
	return refused ? refused : *callback_host.off;
}

/* The texts are for users of the library and for `taffrail connect`. */
PUBLIC const char *taffrail_probe_strerror(int error)
{
	switch (error < 0 ? -error : error) {
	case EINVAL:
		return "no rule of the form GLOB or GLOB if EXPR, no callback, "
		       "or an unknown flag";
	case EEXIST:
		return "the callback is attached already";
	case ENOENT:
		return "the callback is not attached";
	case ENOSPC:
		return "64 different globs are attached";
	case EUSERS:
		return "sessions use all eight places of the process";
	case ENODEV:
		return taffrail_probe_unavailable() ?:
			       "the agent did not work when it was asked";
	case EDEADLK:
		return "called in a read-side critical section of liburcu-bp, "
		       "or in a signal handler";
	case ETIMEDOUT:
		return "a thread is still in the callback";
	case EPERM:
		return "the process may make no thread any more";
	case ENOMEM:
		return "no memory";
#define LEFT_OUT(error, words)	case error: return "no events: " words;
#include "tracepoints/lttng/left-out.def"
#undef LEFT_OUT
	default:
		return error < 0 ? "error" : "no error";
	}
}

/* A call of one of these functions. */
struct visit {
	struct reader *reader;
	uint32_t state;		/* before */
	int cancel;
	int error;
};

/* Begins a call. Until it ends, the thread's hits call nothing, and the thread
 * is not cancelled, because liburcu sleeps with locks held. Returns 0 or a
 * negative errno. */
static int visit_begin(struct visit *visit)
{
	struct reader *reader;

	visit->error = errno;
	reader = reader_take();
	errno = visit->error;
	if (!reader)
		return -ENOMEM;
	if (reader->state == READER_BUSY || reader->state == READER_VISIT ||
	    urcu_bp_read_ongoing())
		return -EDEADLK;
	visit->reader = reader;
	visit->state = reader->state;
	store_relaxed(&reader->state, READER_VISIT);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &visit->cancel);
	return 0;
}

/* Ends a call of visit_begin(). errno stays as the program had it. Returns
 * `ret`. */
static int visit_end(const struct visit *visit, int ret)
{
	pthread_setcancelstate(visit->cancel, NULL);
	store_relaxed(&visit->reader->state, visit->state);
	errno = visit->error;
	return ret;
}

/* Fills in the model from the caller's arguments. Returns 0 or a negative
 * errno. */
static int model_make(struct entry *model, const char *rule,
		      taffrail_callback *callback, void *priv)
{
	if (refused)
		return -ENODEV;
	*model = (struct entry){ .callback = callback, .priv = priv };
	return rule && callback ? callback_host.parse(&model->rule, rule) :
				  -EINVAL;
}

/* Tells where the callback is, "FILE:FUNCTION" or "FILE+0xOFFSET". */
static void name_find(struct entry *entry)
{
	struct text name;
	const char *file;
	Dl_info info;

	text_open(&name, entry->name, sizeof(entry->name));
	if (!dladdr((void *)entry->callback, &info))
		info = (Dl_info){ .dli_fname = "" };
	file = strrchr(info.dli_fname, '/');
	text_add(&name, file ? file + 1 : info.dli_fname);
	if (info.dli_sname && info.dli_saddr == (void *)entry->callback) {
		text_add_char(&name, ':');
		text_add(&name, info.dli_sname);
	} else {
		text_add(&name, "+0x");
		text_add_hex(&name, (uint64_t)((char *)entry->callback -
					       (char *)info.dli_fbase), 1);
	}
}

/* Takes a reference to the library that has the callback. */
static void *library_keep(taffrail_callback *callback)
{
	struct link_map *map = NULL;
	Dl_info info;

	if (!dladdr1((void *)callback, &info, (void **)&map,
		     RTLD_DL_LINKMAP) ||
	    !map || !map->l_name || !*map->l_name)
		return NULL;
	return dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
}

/* Unlocks, and frees the attachments that nothing leads to any more. */
static void unlock_and_free(void)
{
	struct entry *spare = NULL;
	struct entry *entry;

	while ((entry = entry_spare())) {
		entry->left = spare;
		spare = entry;
	}
	callback_unlock();
	callback_host.settle();
	while ((entry = spare)) {
		spare = entry->left;
		if (entry->library)
			dlclose(entry->library);
		free(entry);
	}
}

/* Waits for a grace period: each read-side section that runs now has ended when
 * it returns. No lock is held, because a section may wait for one. */
static void period_wait(void)
{
	uint64_t period = list_period_begin();

	urcu_bp_synchronize_rcu();
	list_period_end(period);
}

/* A clock that no change of the time of day moves: deadlines use it. */
static uint64_t clock_ms(void)
{
	return (uint64_t)sys_clock_ns(CLOCK_MONOTONIC) / 1000000;
}

/* Waits until no other thread is in a callback that is detached; then the entry
 * may be reused. Returns 0; or -ETIMEDOUT, and the id of a thread that is in
 * it. */
static int detach_wait(struct entry *entry, unsigned int milliseconds,
		       int *thread)
{
	struct timespec pause = { .tv_nsec = LOOK_NS };
	void *library = NULL;
	uint64_t end;
	int unused;
	int ret = 0;

	period_wait();
	end = clock_ms() + milliseconds;
	while (!ret && entry_is_used(entry, thread ? thread : &unused)) {
		ret = clock_ms() >= end ? -ETIMEDOUT : 0;
		if (!ret)
			nanosleep(&pause, NULL);
	}
	callback_lock();
	entry->waited--;
	if (!ret) {
		race_acquire(entry);
		/* the caller may be in the callback: then the library stays
		 * until the attachment is freed */
		if (load_relaxed(&callback_reader->current) != entry) {
			library = entry->library;
			entry->library = NULL;
		}
		entry->done = 1;
	}
	unlock_and_free();
	if (library)
		dlclose(library);
	return ret;
}

/* Takes the attachment out of all lists, and keeps it until the caller has
 * waited. The caller holds callback_lock(). */
static void detach_begin(struct entry *entry)
{
	entry_unlink(entry);
	callback_host.rule(&entry->rule, entry_shares(entry));
	entry->period = list_period();
	entry->waited++;
}

/* Makes an attachment. The caller holds callback_lock(). If `*failed` is set,
 * the caller must wait until no thread is in it. */
static int entry_attach(const struct entry *model, struct entry **failed,
			char *fault)
{
	struct entry *entry;
	int ret;

	if (entry_find(model))
		return -EEXIST;
	entry = malloc(sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	*entry = *model;
	race_release(entry);
	entry_link(entry);
	ret = callback_host.rule(&entry->rule, 1);
	if (!ret && !load_relaxed(&entry->markers))
		ret = entry->left_out;
	if (!ret && fault && !load_relaxed(&entry->markers))
		text_copy(fault, ENTRY_FAULT_BYTES, entry->fault);
	if (!ret)
		return (int)load_relaxed(&entry->markers);
	/* a marker of a library that came meanwhile may have called it */
	detach_begin(entry);
	*failed = entry;
	return ret;
}

int callback_attach(const char *name, const char *rule,
		    taffrail_callback *callback, void *priv, int priority,
		    unsigned int flags, char fault[ENTRY_FAULT_BYTES])
{
	struct entry *failed = NULL;
	struct visit visit;
	struct entry model;
	bool many;
	int ret = model_make(&model, rule, callback, priv);

	if (!ret && flags & ~(unsigned int)FLAGS)
		ret = -EINVAL;
	if (!ret && *callback_host.off)
		ret = -ENODEV;
	if (!ret)
		ret = visit_begin(&visit);
	if (ret)
		return ret;
	/* before the lock: the loader may wait for a thread that detaches */
	if (!(flags & TAFFRAIL_PROBE_UNPINNED))
		model.library = library_keep(callback);
	if (name && *name)
		model.told = request_bits(rule, name);
	if (name)
		text_copy(model.name, sizeof(model.name), name);
	else
		name_find(&model);
	model.priority = priority;
	model.flags = flags;
	fork_look();
	callback_lock();
	ret = entry_attach(&model, &failed, fault);
	many = list_retired > RETIRED_MANY;
	unlock_and_free();
	if (failed)
		detach_wait(failed, DETACH_MS, NULL);
	else if (ret < 0 && model.library)
		dlclose(model.library);
	if (many)
		period_wait();
	return visit_end(&visit, ret);
}

PUBLIC int taffrail_probe_attach_with(const char *rule,
				      taffrail_callback *callback, void *priv,
				      int priority, unsigned int flags)
{
	return callback_attach(NULL, rule, callback, priv, priority, flags,
			       NULL);
}

PUBLIC int taffrail_probe_attach(const char *rule, taffrail_callback *callback,
				 void *priv)
{
	return callback_attach(NULL, rule, callback, priv, 0, 0, NULL);
}

/* Detaches the living attachment and returns it. If there is none, returns one
 * that is detached but still has a thread in it, or NULL. */
static struct entry *detach_next(const struct entry *model, int living)
{
	struct entry *entry;

	callback_lock();
	entry = living ? entry_find(model) : NULL;
	if (entry) {
		detach_begin(entry);
	} else {
		entry = entry_find_leaving(model);
		if (entry)
			entry->waited++;
	}
	callback_unlock();
	callback_host.settle();
	return entry;
}

/* Also waits for attachments of the same `priv` that were detached before, and
 * whose threads did not leave in time. */
PUBLIC int taffrail_probe_detach_within(const char *rule,
					taffrail_callback *callback,
					void *priv, unsigned int milliseconds,
					int *thread)
{
	struct visit visit;
	struct entry *entry, model;
	bool living = true;
	int ret = model_make(&model, rule, callback, priv);

	if (!ret)
		ret = visit_begin(&visit);
	if (ret)
		return ret == -EINVAL ? -ENOENT : ret;
	ret = -ENOENT;
	while ((entry = detach_next(&model, living))) {
		living = false;
		ret = detach_wait(entry, milliseconds, thread);
		if (ret)
			break;
	}
	return visit_end(&visit, ret);
}

PUBLIC int taffrail_probe_detach(const char *rule, taffrail_callback *callback,
				 void *priv)
{
	return taffrail_probe_detach_within(rule, callback, priv, DETACH_MS,
					    NULL);
}

/* Reads the counts of one attachment; 0 for one that counts nothing. */
PUBLIC int taffrail_probe_missed(const char *rule, taffrail_callback *callback,
				 void *priv, uint64_t *nested,
				 uint64_t *in_handler)
{
	const struct entry *entry;
	struct visit visit;
	struct entry model;
	int ret = model_make(&model, rule, callback, priv);

	if (!ret)
		ret = visit_begin(&visit);
	if (ret)
		return ret == -EINVAL ? -ENOENT : ret;
	callback_lock();
	entry = entry_find(&model);
	if (entry && nested)
		*nested = load_relaxed(&entry->nested);
	if (entry && in_handler)
		*in_handler = load_relaxed(&entry->signal);
	callback_unlock();
	return visit_end(&visit, entry ? 0 : -ENOENT);
}

PUBLIC uint64_t taffrail_event_time(const struct taffrail_event *event)
{
	/* it lies on the stack of the hit */
	struct taffrail_event *mine = (struct taffrail_event *)event;

	if (!mine->time_)
		mine->time_ = taffrail_clock_read();
	return mine->time_;
}

/* Returns the place of a field of that kind, or NULL. */
static const struct taffrail_place *
place_of(const struct taffrail_event *event, int field, uint8_t kind)
{
	return taffrail_field_kind_(event, field) == kind ?
		       &event->marker_->places_[field] : NULL;
}

/* Without `length`, the string is not measured: a callback may only look at the
 * begin. */
PUBLIC int taffrail_field_string(const struct taffrail_event *event, int field,
				 const char **string, size_t *length)
{
	const struct taffrail_place *place = place_of(event, field,
						      TAFFRAIL_PLACE_STRING_);
	int32_t limit;
	uint64_t n;

	if (!place)
		return 0;
	*string = event->var_[place->at_].p_;
	if (!length)
		return 1;
	n = event->var_[place->at_].n_;
	if (place->bound_ == 3 && n != TAFFRAIL_VAR_NULL) {
		*length = strnlen(*string, n);
		return 1;
	}
	limit = place->bound_ ? place->limit_ : -1;
	/* "(null)" is not cut */
	if (n == TAFFRAIL_VAR_NULL)
		limit = -1;
	else if (place->bound_ == 2)
		memcpy(&limit, event->fixed_ + place->limit_, sizeof(limit));
	*length = limit < 0 ? strlen(*string) : strnlen(*string, (size_t)limit);
	return 1;
}

/* The product of count and size may be too large where a program passes a wrong
 * count; then there is no field. */
PUBLIC int taffrail_field_bytes(const struct taffrail_event *event, int field,
				const void **bytes, size_t *length)
{
	const struct taffrail_place *place = place_of(event, field,
						      TAFFRAIL_PLACE_ARRAY_);
	size_t n;

	if (!place ||
	    __builtin_mul_overflow(event->var_[place->at_].n_,
				   (size_t)scalar_bytes(place->type_), &n))
		return 0;
	*bytes = event->var_[place->at_].p_;
	*length = n;
	return 1;
}
