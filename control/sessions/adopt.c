/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * USDT probes that sessions name become markers.
 */
#include <stdbool.h>

#include "base/glob.h"
#include "base/index.h"
#include "control/sessions/private.h"
#include "tracepoints/sites/lock.h"
#include "tracepoints/sites/registry.h"
#include "tracepoints/usdt/usdt.h"

/* 1: all probes of the program are made markers, because gdb listed them. */
static int all_probes;

/* Returns true when the session's rules may make markers of probes. */
static bool session_asks(uint32_t number)
{
	return session_phase(number) == SESSION_OPENING ||
	       session_applies(number);
}

static bool asks_for_probes(const struct session_rule *rule)
{
	return rule->wanted && session_rule_names(rule);
}

/* Returns how a USDT probe is wanted as a marker; 0: it is not wanted. */
static int probe_wanted(const char *id, struct rule_types *types, void *arg)
{
	int how = 0;
	uint32_t k;

	*types = (struct rule_types){ 0 };
	for (uint32_t i = 0; i < SESSIONS_MAX; i++) {
		const struct session *session = &sessions[i];

		for (k = 0; session_asks(i) && k < session->nrules; k++) {
			const struct session_rule *rule = &session->rules[k];

			if (!asks_for_probes(rule) ||
			    !glob_match_cut(rule->glob, id, OBJECT_ID_MOST))
				continue;
			if (!how)
				*types = rule->types;
			how |= USDT_WANTED | session->int3;
		}
	}
	return how ? how : all_probes;
}

/* Returns which of n names of a function a rule means, or n: none. */
static uint32_t name_meant(const struct session_rule *rule,
			   const struct module *module,
			   const char *const *names, uint32_t n)
{
	uint32_t i = 0;

	while (i < n && !rule_names_function(rule->glob, module->names,
					     names[i]))
		i++;
	return i;
}

/* Returns how a function is wanted as a marker, by the last of n names; 0: it
 * is not wanted. The last rule says the types. */
static int function_wanted(const struct module *module,
			   const char *const *names, uint32_t n,
			   struct rule_types *types, void *arg)
{
	int how = 0;
	uint32_t k;

	*types = (struct rule_types){ 0 };
	for (uint32_t i = 0; i < SESSIONS_MAX; i++) {
		const struct session *session = &sessions[i];

		for (k = 0; session_asks(i) && k < session->nrules; k++) {
			const struct session_rule *rule = &session->rules[k];

			if (!rule->wanted ||
			    name_meant(rule, module, names, n) != n - 1)
				continue;
			if (rule->types.count)
				*types = rule->types;
			how |= USDT_WANTED | session->int3;
			if (rule->calls)
				how |= USDT_WANTED_CALL;
		}
	}
	return how;
}

/* Returns how sessions want a source line; 0: none has a rule for it. */
static int line_wanted(const struct usdt_line *line, const char *name)
{
	int how = 0;
	uint32_t k;

	for (uint32_t i = 0; i < SESSIONS_MAX; i++)
		for (k = 0; session_asks(i) && k < sessions[i].nrules; k++) {
			struct session_rule *rule = &sessions[i].rules[k];

			if (!rule->wanted || rule->lines != line->set ||
			    !text_equal(rule->glob, name))
				continue;
			rule->found = 1;
			how |= USDT_WANTED | sessions[i].int3;
		}
	return how;
}

/* The globs that rules have ever asked for, with traps or without, or for whole
 * calls, and their number. Adopted probes stay adopted, so a module is searched
 * again only when the number has grown. */
static struct index rules_asked;
static uint32_t askings;

/* The rules that ask now, as a question to known.c: their sum, in whatever
 * order they are. */
static uint64_t question;

static bool same_hash(uint64_t value, const void *hash)
{
	return value == *(const uint64_t *)hash;
}

/* Returns true if nothing has asked so before. */
static bool ask_for(const char *glob, int how)
{
	uint64_t hash = index_hash(INDEX_HASH ^ (uint32_t)how, glob,
				   text_length(glob)) | 1;

	question += hash;
	if (index_find(&rules_asked, hash, same_hash, &hash))
		return false;
	index_add(&rules_asked, hash, hash);
	askings++;
	return true;
}

/* The descriptions of lines that modules were asked for; the sum of the rules
 * for lines; and whether some have come or gone, so lines are given back. */
static uint32_t lines_asked;
static uint64_t lines_sum;
static bool lines_changed;

/* Whether a rule has ever asked for functions: only then are symbols read. */
static bool functions_asked;

/* A module was looked at: other processes had not told the answer. */
static bool unsettled;

void session_sites_moved(struct module *module)
{
	if (module->sites_seen || module->declared || !module->ncodes)
		return;
	if (known_module(module, KNOWN_UNMOVED)) {
		module->sites_seen = 1;
		return;
	}
	unsettled = true;
	if (usdt_sites_look(module))
		known_add(module, KNOWN_UNMOVED);
}

static bool has_lines(const struct module *module)
{
	const struct object *object = module->objects;

	while (object && (!object->adopted ||
			  object->adopted->function != USDT_LINE))
		object = object->next;
	return object;
}

static struct usdt_point *points;	/* of gdb's run */
static uint32_t npoints;

/* Returns what modules are asked for: a relocation of the agent would be
 * longer. */
static struct usdt_asking asking_now(void)
{
	return (struct usdt_asking){
		.wanted = probe_wanted,
		.function_wanted = functions_asked ? function_wanted : NULL,
		.untaken = untaken_note,
		.lines = session_lines,
		.line_wanted = line_wanted,
		.points = points,
		.npoints = npoints,
	};
}

static int module_adopt(struct module *module, void *arg)
{
	bool ask = !functions_asked && !session_nlines && !npoints &&
		   !module->declared;
	const struct usdt_asking asking = asking_now();
	const struct object *object;

	if (module->usdt_askings == askings &&
	    !(lines_changed && has_lines(module)))
		return 0;
	module->usdt_askings = askings;
	session_sites_moved(module);
	if (ask && known_module(module, question))
		return 0;
	unsettled = true;
	if (usdt_adopt(module, &asking, arg))
		module->usdt_askings = 0;
	for (object = module->objects; object && !object->adopted;
	     object = object->next)
		;
	if (ask && !object && !module->untaken && !module->unread &&
	    module->usdt_askings)
		known_add(module, question);
	return 0;
}

void session_probes_adopt(const struct patcher *patcher)
{
	uint64_t lines = 0;
	uint32_t k;

	question = KNOWN_UNASKED;
	if (all_probes)
		ask_for("", 0);
	for (uint32_t i = 0; i < SESSIONS_MAX; i++)
		for (k = 0; session_asks(i) && k < sessions[i].nrules; k++) {
			const struct session_rule *rule = &sessions[i].rules[k];

			if (!asks_for_probes(rule))
				continue;
			functions_asked |= rule_kind(rule->glob) ==
					   RULE_FUNCTIONS;
			if (rule_kind(rule->glob) == RULE_LINE)
				lines += index_hash(rule->lines, rule->glob,
						    text_length(rule->glob));
			if (ask_for(rule->glob, sessions[i].int3 |
						rule->calls << 8) &&
			    rule_kind(rule->glob) == RULE_FUNCTIONS)
				session_rule_asked(rule);
		}
	if (!askings)
		return;
	/* one rule may have other descriptions than in the session before */
	askings += session_nlines - lines_asked;
	lines_asked = session_nlines;
	lines_changed = lines != lines_sum;
	lines_sum = lines;
	known_open();
	registry_each_module(module_adopt, (void *)patcher);
	known_close();
}

SIGSAFE static int module_loud(struct module *module, void *unused)
{
	return module->objects || module->untaken || module->unread;
}

/* See session_quiet(): the modules may want more. */
SIGSAFE static bool session_plain(void)
{
	const struct session *one = NULL;
	uint32_t i, n = 0;

	for (i = 0; i < SESSIONS_MAX; i++)
		if (session_phase(i) != SESSION_FREE) {
			one = &sessions[i];
			n++;
		}
	return n == 1 && one->phase == SESSION_RUNS && !one->client &&
	       (one->flags & SESSION_SHARED) &&
	       (one->flags & SESSION_CONSUMED) && !one->keep_ms &&
	       !one->group && text_equal(one->name, settings.join) &&
	       !start_others && !functions_asked && !session_nlines &&
	       !npoints && !all_probes;
}

SIGSAFE bool session_quiet(void)
{
	return session_plain() && !registry_each_module(module_loud, NULL);
}

bool session_settled(void)
{
	return session_plain() && !unsettled;
}

/* Asks the modules in which gdb has points. */
static int points_adopt(struct module *module, void *patcher)
{
	const struct usdt_asking asking = asking_now();

	for (uint32_t i = 0; i < npoints; i++)
		if (points[i].address >= module->start &&
		    points[i].address < module->end) {
			session_sites_moved(module);
			if (usdt_adopt(module, &asking, patcher))
				module->usdt_askings = 0;
			break;
		}
	return 0;
}

void session_points_adopt(struct usdt_point *of, uint32_t n,
			  const struct patcher *patcher)
{
	points = of;
	npoints = n;
	if (!n)
		return;
	/* modules that come later are asked */
	askings += !askings;
	registry_each_module(points_adopt, (void *)patcher);
}

void session_lines_anew(const struct patcher *patcher)
{
	if (!session_nlines)
		return;
	askings++;
	session_probes_adopt(patcher);
}

static int module_look(struct module *module, void *unused)
{
	session_sites_moved(module);
	return 0;
}

void session_sites_look(void)
{
	registry_lock();
	known_open();
	registry_each_module(module_look, NULL);
	known_close();
	registry_unlock();
}

void session_adopt_all(void)
{
	struct patcher patcher;

	if (all_probes)
		return;
	all_probes = 1;
	registry_lock();
	patch_open(&patcher);
	session_probes_adopt(&patcher);
	patch_close(&patcher);
	registry_unlock();
}
