/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The objects of a session: which of them rules choose, and how one is switched
 * on.
 */
#include <errno.h>

#include "base/base.h"
#include "base/glob.h"
#include "control/sessions/private.h"
#include "control/threads/log.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/sites/lock.h"
#include "tracepoints/usdt/usdt.h"

/* Begins the names of LTTng-UST's own providers, and rules that mean them. */
#define LTTNG_OWN	"lttng_ust_"
#define LTTNG_MEANT	"lttng_ust"

/* Returns true for markers that a program does not make by itself, unless the
 * rule begins with their name: USDT probes, and the events of LTTng-UST's own
 * providers, such as those for each library that is loaded. */
static bool needs_name(const struct session_rule *rule,
		       const struct object *object)
{
	return (object->adopted && !session_rule_names(rule)) ||
	       (text_after(object->id, LTTNG_OWN) &&
		!text_after(rule->glob, LTTNG_MEANT));
}

/* Returns true when a glob means a place in a function by this name: it names
 * none that it would prefer. */
static bool names_place(const char *glob, const struct object *object)
{
	const struct usdt_adopted *own = object->adopted, *other;
	const char *module = object->module->names;

	if (!rule_names_function(glob, module, object->name))
		return false;
	for (other = usdt_first(own); other; other = other->alias)
		if (other != own &&
		    rule_prefers(usdt_place_name(other), object->name) &&
		    rule_names_function(glob, module, usdt_place_name(other)))
			return false;
	return true;
}

bool session_glob_names(const char *glob, const struct object *object)
{
	if (object->adopted && object->adopted->function == USDT_LINE)
		return text_equal(glob, object->name);
	return object->adopted && object->adopted->function ?
		       names_place(glob, object) :
		       glob_match_cut(glob, object->id, OBJECT_ID_MOST);
}

bool session_rule_selects(const struct session_rule *rule,
			 const struct object *object)
{
	return !rule->replaced && session_glob_names(rule->glob, object) &&
	       (!rule->wanted || !needs_name(rule, object));
}

/* Returns the glob of the rule that gave a function the fields, if that rule
 * had no descriptions and this one has some; else NULL. */
static const char *rule_before(const struct session_rule *rule,
				const struct object *object)
{
	const struct undescribed *u = session_undescribed;

	if (!session_rule_described(rule) || !object->adopted ||
	    object->adopted->function == USDT_LINE ||
	    !object->adopted->function || !glob_match("*arg1*", object->format))
		return NULL;
	while (u && !session_glob_names(u->glob, object))
		u = u->next;
	return u ? u->glob : NULL;
}

/* Compiles the rule's condition. Returns true; or false when it never holds for
 * the marker, or the marker lacks a field that it reads, and notes that. */
static bool rule_fits(const struct session *session, struct session_rule *rule,
		      const struct object *object,
		      const struct ax_program **program)
{
	struct expr_error error;
	int ret;

	*program = NULL;
	if (!rule->condition[0] || object->site->kind_ == TAFFRAIL_KIND_GUARD)
		return true;
	ret = condition_make(object, rule->condition, program, &error);
	if (ret >= 0) {
		rule->fits |= !ret;
		return !ret;
	}
	rule->misfits = 1;
	/* the mistake is told of the function's calls */
	if (object->adopted && object->adopted->function == USDT_EXIT &&
	    !rule_names_returns(rule->glob))
		return false;
	if (!text_equal(rule->glob, object->id))
		expr_error_whose(&error, object->id);
	session_fault_note(session->channel->page, rule, &error,
			   rule_before(rule, object));
	return false;
}

static int settled_find(struct object *object, void *id)
{
	return object->codes && object->codes->flags & CODE_SETTLED &&
	       text_equal(object->id, id);
}

bool session_probe_is_twin(const struct object *object)
{
	return object->adopted && registry_settle &&
	       registry_each(settled_find, (void *)object->id);
}

const struct session_rule *session_wants(struct session *session,
					 const struct object *object,
					 const struct ax_program **condition)
{
	const struct session_rule *wanted = NULL;
	const struct ax_program *program = NULL;
	uint32_t function = object->adopted ? object->adopted->function : 0;
	bool decided = false;

	if (object->adopted && object->adopted->placed == USDT_INT3 &&
	    !session->int3)
		return NULL;
	if (session_probe_is_twin(object))
		return NULL;
	for (uint32_t i = session->nrules; i-- > 0;) {
		struct session_rule *rule = &session->rules[i];
		/* of a rule for whole calls, entry and exit have no event; of
		 * one for a line, the descriptions of another one */
		bool other = rule->wanted && function &&
			     (rule->calls != (function == USDT_WHOLE) ||
			      (function == USDT_LINE &&
			       object->adopted->line->set != rule->lines));

		if ((decided && !(condition && rule->condition[0])) ||
		    !session_rule_selects(rule, object) ||
		    (condition && rule->wanted && !other &&
		     !rule_fits(session, rule, object, &program)) || decided)
			continue;
		decided = true;
		if (!rule->wanted || other)
			continue;
		wanted = rule;
		if (condition)
			*condition = program;
	}
	return wanted;
}

/* Fills in the use of an object for a session. Returns 0, or -ENOSPC when there
 * is no room for an event record. */
static int object_prepare(struct session *session, struct object *object,
			  uint32_t term, struct object_use *use)
{
	uint32_t bit = 1u << channel_bit(session->channel);
	struct event_record *record;

	if (object->site->kind_ == TAFFRAIL_KIND_GUARD)
		return 0;
	record = record_publish(session->channel, object, term);
	if (!record) {
		/* counted once, though rules are applied again */
		if (!(object->left_off & bit) &&
		    !session->channel->page->left_off++)
			log_fact(LOG_WARNING, "session",
				 "no room for the description of an event", 0);
		object->left_off |= (uint16_t)bit;
		return -ENOSPC;
	}
	session_symbols_need(session, object);
	use->id = record->id;
	use->oversize = &record->oversize;
	return 0;
}

bool session_object_set(struct session *session, struct object *object,
			struct object_use *use, bool wanted, uint32_t term,
			const struct patcher *patcher)
{
	struct session_page *page = session->channel->page;
	int ret;

	use->channel = session->channel;
	/* rings that processes share have the descriptions, too */
	if (wanted && !session->client)
		channel_rings_make(session->channel);
	if (!wanted || (!session->client &&
			object_prepare(session, object, term, use))) {
		object_disable(object, session->channel, patcher);
		return false;
	}
	if (usdt_is_call(object->adopted)) {
		store_relaxed(&page->call_threads, OPEN_THREADS);
		store_relaxed(&page->call_depth, OPEN_CALLS);
	}
	session_sites_moved(object->module);
	ret = object_enable(object, use, patcher);
	if (ret)	/* untaken.c tells the place */
		log_fact(LOG_WARNING, "session",
			 "a site has other code, and is not switched on", ret);
	return true;
}
