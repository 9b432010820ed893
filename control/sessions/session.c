/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions: rules choose markers, which write to the sessions' channels.
 */
#include "control/sessions/private.h"

#include <errno.h>
#include <stdbool.h>

#include "base/base.h"
#include "base/glob.h"
#include "base/tunables.h"
#include "control/protocol.h"
#include "control/sessions/budget.h"
#include "control/sessions/inheritance.h"
#include "control/sessions/place.h"
#include "control/threads/log.h"
#include "control/threads/settings.h"
#include "tracepoints/conditions/expr.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/frames/collect.h"
#include "tracepoints/sites/lock.h"
#include "tracepoints/sites/registry.h"
#include "tracepoints/usdt/usdt.h"

static uint64_t begun;		/* sessions of this process so far */

/* The state of a pass over all objects. */
struct pass {
	struct session *session;
	struct patcher patcher;
	const char *glob;
	int named;		/* count the markers that `glob` names */
	bool placed;		/* functions had their pass: terms.c */
	uint32_t matched;
};

/* Returns whether an object writes to the session. */
static int is_wanted(struct object *object, void *arg)
{
	struct pass *pass = arg;

	return object->site->kind_ != TAFFRAIL_KIND_GUARD &&
	       session_wants(pass->session, object, NULL);
}

/* Returns true when the object is on for the session. */
static bool object_apply(struct session *session, struct object *object,
			 const struct patcher *patcher)
{
	struct object_use use = { .condition = NULL };
	bool wanted;

	if (session->client) {
		use.hit = session->client->hit;
		wanted = (!object->adopted ||
			  (object->adopted->placed != USDT_INT3 &&
			   !object->adopted->function)) &&
			 session->client->look(object);
	} else {
		wanted = !!session_wants(session, object, &use.condition);
	}
	return session_object_set(session, object, &use, wanted, 0, patcher);
}

static int apply_one(struct object *object, void *arg)
{
	struct pass *pass = arg;
	bool on;

	if ((pass->placed && session_has_term(object)) ||
	    (pass->glob && !session_glob_names(pass->glob, object)))
		return 0;
	on = object_apply(pass->session, object, &pass->patcher);
	if (object->site->kind_ != TAFFRAIL_KIND_GUARD && (on || pass->named))
		pass->matched++;
	return 0;
}

uint32_t session_rules_apply(struct session *session, const char *glob,
			     int named)
{
	struct pass pass = { .session = session, .glob = glob,
			     .named = named };

	patch_open(&pass.patcher);
	session_probes_adopt(&pass.patcher);
	pass.placed = session_terms_apply(session, glob, named, &pass.patcher,
					  &pass.matched);
	registry_each(apply_one, &pass);
	patch_close(&pass.patcher);
	session_untaken_write(session);
	return pass.matched;
}

static uint32_t rules_apply(struct session *session, const char *glob,
			    int named)
{
	uint32_t matched;

	registry_lock();
	matched = session_rules_apply(session, glob, named);
	registry_unlock();
	return matched;
}

/* Applies the rules of each session to the functions that are off for it. */
static void functions_came(const struct patcher *patcher)
{
	uint32_t matched;

	for (uint32_t i = 0; i < SESSIONS_MAX; i++)
		if (session_applies(i))
			session_terms_apply(&sessions[i], NULL, -1, patcher,
					    &matched);
}

/* Applies the rules to an object that functions_came() does not look at. */
static void object_came(struct object *object, const struct patcher *patcher)
{
	for (uint32_t i = 0; i < SESSIONS_MAX; i++)
		if (session_applies(i) &&
		    (sessions[i].client || !session_has_term(object)))
			object_apply(&sessions[i], object, patcher);
}

void session_module_came(struct object *object, const struct patcher *patcher)
{
	object_came(object, patcher);
	if (session_has_term(object))
		functions_came(patcher);
}

bool session_may_want(const struct object *found)
{
	const struct session *session;
	const struct object *object;

	for (uint32_t i = 0; i < SESSIONS_MAX; i++) {
		session = &sessions[i];
		if (!session_applies(i))
			continue;
		if (session->owned || (session->client &&
				       load_relaxed(session->client->attached)))
			return true;
		for (object = found; object; object = object->next_found)
			for (uint32_t k = 0; k < session->nrules; k++)
				if (session_rule_selects(&session->rules[k],
							 object))
					return true;
	}
	return false;
}

static int adopted_came(struct object *object, void *arg)
{
	if (object->adopted && !object->on)
		object_came(object, arg);
	return 0;
}

void session_adopt(const struct patcher *patcher)
{
	session_probes_adopt(patcher);
	registry_each(adopted_came, (void *)patcher);
	functions_came(patcher);
}

static int twin_look(struct object *object, void *arg)
{
	if (object->on && session_probe_is_twin(object))
		session_module_came(object, arg);
	return 0;
}

void session_settled_came(const struct patcher *patcher)
{
	registry_each(twin_look, (void *)patcher);
}

/* Takes a free session and the channel. Returns NULL with -EEXIST in *ret when
 * one has the name, -EUSERS when none is free. The caller holds the registry's
 * lock. */
static struct session *session_reserve(const struct session *model, int *ret)
{
	*ret = -EEXIST;
	if (session_find(model->name))
		return NULL;
	*ret = -EUSERS;
	for (uint32_t i = 0; i < SESSIONS_MAX; i++) {
		if (session_phase(i) != SESSION_FREE)
			continue;
		/* leaves the memory of unused rules untouched */
		__builtin_memcpy(&sessions[i], model,
				 offsetof(struct session, rules) +
					 model->nrules * sizeof(*model->rules));
		sessions[i].phase = SESSION_OPENING;
		sessions[i].channel = channel_take(i);
		return &sessions[i];
	}
	return NULL;
}

struct session *session_hold_for(const char *name,
				 const struct session_client *client)
{
	/* the caller's stack may be small; the registry's lock guards it */
	static struct session model TABLE;
	struct session *session;
	int ret;

	registry_lock();
	model.owned = 1;
	model.client = client;
	text_copy(model.name, sizeof(model.name), name);
	session = session_reserve(&model, &ret);
	if (session) {
		session->phase = SESSION_HELD;
		session->channel->flags = 0;
		session->channel->contexts = 0;
	}
	registry_unlock();
	return session;
}

struct channel *session_hold(const char *name)
{
	struct session *session;

	place_clock_settle(0);
	session = session_hold_for(name, NULL);
	return session ? session->channel : NULL;
}

void session_release(struct channel *channel)
{
	registry_lock();
	channel_grace(channel);
	sessions[channel_bit(channel)].phase = SESSION_FREE;
	registry_unlock();
}

int session_start(const struct session *model, uint32_t *matched)
{
	struct session *session;
	struct pass pass = { 0 };
	uint32_t flags = 0;
	int wanted = 0, ret;

	place_clock_settle(0);
	registry_lock();	/* a host's thread may hold one */
	session = session_reserve(model, &ret);
	registry_unlock();
	if (!session)
		return ret;
	/* it needs the service thread */
	ret = -ENOMSG;
	if (session->keep_ms && session_keep_forbidden())
		goto release;
	flags = session_rings_join(session);
	pass.session = session;
	registry_lock();
	patch_open(&pass.patcher);
	session_probes_adopt(&pass.patcher);
	patch_close(&pass.patcher);
	if (!(flags & SESSION_SHARED))
		wanted = registry_each(is_wanted, &pass);
	registry_unlock();
	ret = session->group ? place_share(session->group) : 0;
	if (ret)
		goto release;
	ret = channel_create_next(session->channel, &begun, session->name,
				  flags, session->contexts, session->buffer,
				  agent_cpus);
	if (ret)
		goto release;
	if (session->contexts & CONTEXT_WRITER)
		record_publish_writer(session->channel);
	session->channel->quota = session->quota;
	session_keep_begin(session);
	/* Most programs of a recording have no site that writes to it, and
	 * rings are most of the cost of a start. Sessions of gdb's, and those
	 * sized by time, need them at once. */
	if (wanted || session->owned || session->keep_ms)
		channel_start(session->channel, agent_cpus_online);
	else
		channel_defer(session->channel, agent_cpus_online);
	session->phase = SESSION_RUNS;
	*matched = rules_apply(session, NULL, 0);
	return (int)(session - sessions);
release:
	if (flags & SESSION_SHARED)
		shared_leave(&session->channel->shared);
	session->phase = SESSION_FREE;
	return ret;
}

/* A new rule with the same glob replaces the old one: the new one decides
 * wherever the old one would. */
struct session_rule *session_rule_find(struct session *session,
				       const char *glob)
{
	for (uint32_t i = 0; i < session->nrules; i++)
		if (text_equal(session->rules[i].glob, glob))
			return &session->rules[i];
	return NULL;
}

void session_rule_drop(struct session *session, struct session_rule *rule)
{
	struct session_rule *last = &session->rules[session->nrules - 1];

	registry_lock();
	for (; rule < last; rule++)
		*rule = rule[1];
	session->nrules--;
	registry_unlock();
}

int session_rule(struct session *session, const struct session_rule *rule,
		 uint32_t *matched, struct text *why)
{
	struct session_rule *old;

	old = session_rule_find(session, rule->glob);
	if (session->nrules == SESSION_RULES_MAX && !old) {
		text_add(why, "too many rules");
		return -ENOSPC;
	}
	registry_lock();
	session->rules[session->nrules++] = *rule;
	/* else it would still have what the new condition does not fit */
	if (old)
		old->replaced = 1;
	registry_unlock();
	if (session->phase != SESSION_RUNS) {
		if (old)
			session_rule_drop(session, old);
		return 0;
	}
	*matched = rules_apply(session, rule->glob, !rule->wanted);
	if (session_rule_fault(session->channel->page,
			       &session->rules[session->nrules - 1], why)) {
		/* takes the rule and the effects of the rule back */
		registry_lock();
		session->nrules--;
		if (old)
			old->replaced = 0;
		registry_unlock();
		rules_apply(session, rule->glob, 0);
		return -EINVAL;
	}
	if (old)
		session_rule_drop(session, old);
	return channel_grace(session->channel);
}

int session_rule_withdraw(struct session *session, const char *glob)
{
	struct session_rule *rule = session_rule_find(session, glob);

	if (!rule)
		return 0;
	session_rule_drop(session, rule);
	if (session->phase != SESSION_RUNS)
		return 0;
	rules_apply(session, glob, 0);
	return channel_grace(session->channel);
}

static int disable_one(struct object *object, void *arg)
{
	struct pass *pass = arg;

	if (pass->session->owned && object->collect)
		collect_set(object, pass->session->channel,
			    &(struct collect_wish){ .n = 0 }, &pass->patcher);
	object_disable(object, pass->session->channel, &pass->patcher);
	session_terms_forget(pass->session, object);
	object->left_off &= (uint16_t)~(
		1u << channel_bit(pass->session->channel));
	return 0;
}

/* A count of the events that are on for a channel. */
struct count_on {
	uint32_t bit;			/* of the channel */
	uint32_t events;
};

static int count_on(struct object *object, void *arg)
{
	struct count_on *count = arg;

	count->events += object->site->kind_ != TAFFRAIL_KIND_GUARD &&
			 object->on & count->bit;
	return 0;
}

uint32_t session_events_on(const struct session *session)
{
	struct count_on on = { .bit = 1u << channel_bit(session->channel) };

	registry_lock();
	registry_each(count_on, &on);
	registry_unlock();
	return on.events;
}

void session_objects_disable(struct session *session)
{
	struct pass pass = { .session = session };

	registry_lock();
	session->phase = SESSION_HALTED;
	patch_open(&pass.patcher);
	registry_each(disable_one, &pass);
	patch_close(&pass.patcher);
	registry_unlock();
}

int session_stop(struct session *session)
{
	/* again: a thread was in the middle of a write */
	if (session->phase == SESSION_HALTED)
		return channel_grace(session->channel);
	if (session->phase != SESSION_RUNS)
		return 0;
	inheritance_end(session->name);
	session_objects_disable(session);
	channel_stop(session->channel);
	return channel_grace(session->channel);
}

bool session_flush(struct session *session, bool own)
{
	bool shared = session->channel->flags & SESSION_SHARED;

	if (session->phase != SESSION_RUNS)
		return false;
	/* also of processes that have ended */
	if (!own)
		channel_shared_use(session->channel);
	write_flush(session->channel, own && shared);
	return shared && !own;
}

int session_destroy(struct session *session)
{
	int ret = session_stop(session);

	if (ret)
		return ret;
	store_release(&session->channel->page->state, SESSION_DESTROYED,
		      SESSION_STATE);
	channel_replaced_remove(session->channel, 0);
	channel_remove_files(session->channel);
	channel_destroy(session->channel);
	session->phase = SESSION_FREE;
	return 0;
}

/* In a forked child: it takes no part in the session. */
static void session_leave(struct session *session, struct channel *channel)
{
	if (session->phase == SESSION_RUNS || session->owned)
		session_objects_disable(session);
	session->phase = SESSION_FREE;
	/* a later session must not copy the parent's records */
	channel->page = NULL;
}

/* In a forked child the markers are on already, and lead to channels whose
 * tables are wiped. Event ids stay, because the records are copied. Rings are
 * made when they are needed. */
int session_inherit(void)
{
	begun = 0;
	for (uint32_t i = 0; i < SESSIONS_MAX; i++) {
		struct session *session = &sessions[i];
		struct channel *channel = &channels[i];
		int ret;

		/* callbacks need no files: they go on */
		if (!channel_used(i) || session->client)
			continue;
		/* gdb's, or of a recording that is over */
		if (session->phase != SESSION_RUNS || session->owned ||
		    (session->flags & SESSION_CONSUMED &&
		     budget_ended(session->name))) {
			session_leave(session, channel);
			continue;
		}
		ret = channel_create(channel, (uint32_t)begun++,
				     session->name, channel->flags,
				     session->contexts, session->keep_ms ?
				     session->buffer : channel->ring_bytes,
				     channel->cpus);
		if (ret == -ECANCELED) {
			begun--;
			session_leave(session, channel);
			continue;
		}
		if (ret) {
			session->phase = SESSION_HALTED;
			return ret;
		}
		session_keep_begin(session);
		session_modules_inherit(session);
		session_untaken_write(session);
		channel_fit(channel);
		channel_expect(channel, agent_cpus_online);
	}
	return 0;
}

void session_inherit_resume(void)
{
	for (uint32_t i = 0; i < SESSIONS_MAX; i++)
		if (session_phase(i) == SESSION_RUNS)
			channel_resume(sessions[i].channel);
}

/* Returns true where a recorder finds no more in the pages of this process,
 * which shares rings, than in the shared files: it then needs no pages. */
static bool recorder_spared(const struct session *session)
{
	const struct session_page *page = session->channel->page;
	const struct process_page *own = process.page;
	uint64_t told = own->called;

	for (uint32_t i = 0; i < MISSED_END; i++)
		told |= own->missed[i];
	return !told && !session->symbols && !page->untaken_bytes &&
	       !page->untaken_more && own->filtered_execs ==
					      page->before.filtered &&
	       own->lacking_execs == page->before.lacking &&
	       !own->words_unknown && !own->clockless && !own->landlock &&
	       !own->users[0] && !load_relaxed(FORK_MADE) &&
	       !load_relaxed(fork_guests);
}

bool session_remove_spent(void)
{
	const struct session_page *page;
	bool stay = false, spent;

	for (uint32_t i = 0; i < SESSIONS_MAX; i++) {
		const struct session *session = &sessions[i];

		if (!session_at(i))
			continue;
		page = session->channel->page;
		/* rings that processes share have all */
		spent = page && session->channel->flags & SESSION_SHARED &&
			!page->rings && !page->lost_unplaced &&
			!page->orphans && !page->left_off &&
			!page->undecided &&
			!page->faults[0] &&
			(!(session->flags & SESSION_CONSUMED) ||
			 recorder_spared(session));
		if (!session->owned && !spent)
			stay = true;
		else if (session->phase == SESSION_RUNS ||
			 session->phase == SESSION_HALTED)
			channel_remove_files(session->channel);
	}
	return stay;
}

bool session_any_owned(void)
{
	for (uint32_t i = 0; i < SESSIONS_MAX; i++)
		if ((session_phase(i) == SESSION_RUNS ||
		     session_phase(i) == SESSION_HELD) && sessions[i].owned)
			return true;
	return false;
}

bool session_any(void)
{
	for (uint32_t i = 0; i < SESSIONS_MAX; i++)
		if (session_at(i) && !sessions[i].owned)
			return true;
	return false;
}
