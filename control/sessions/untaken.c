/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tells which places a session's rules name and do not have: USDT probes
 * without a way, probes that need a trap in a session that allows none, code
 * that could not be switched, and markers that a tool has moved.
 *
 * The text in the session's page only grows, but for the marks that say which
 * lines still hold: a reader that has seen the length may read on.
 */
#include <errno.h>
#include <stdbool.h>

#include "base/base.h"
#include "base/glob.h"
#include "base/lines.h"
#include "base/sys.h"
#include "control/sessions/private.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/sites/lock.h"
#include "tracepoints/sites/registry.h"
#include "tracepoints/usdt/usdt.h"

#define LINE_BYTES	(FUNCTION_ID_BYTES + MODULE_NAMES_BYTES + 64)

/* The state of the current look, and the size of the lines that the page had
 * before. */
struct look {
	struct session *session;
	struct session_page *page;
	uint32_t before;		/* bytes of the page's lines */
	uint32_t more;			/* places without room for a line */
};

/* Adds "<tab>FIRST<tab>SECOND", behind the id. */
static void range_add(struct text *line, uint64_t first, uint64_t second)
{
	text_add_char(line, '\t');
	text_add_hex(line, first, 1);
	text_add_char(line, '\t');
	text_add_hex(line, second, 1);
}

/* Adds an address, and that in the file. */
static void place_add(struct text *line, uint64_t address,
		      const struct module *module)
{
	range_add(line, address, module->declared ? address :
						    address - module->base);
}

static char *row_next(char *p, const char *end)
{
	while (p < end && *p++ != '\n')
		;
	return p;
}

/* Gives the lines of a place the mark that says whether they still hold: only
 * that with the reason `why` does. Returns true if there is one. */
static bool lines_mark(struct session_page *page, const char *place, int why)
{
	char *p = page->untaken;
	const char *end = p + load_relaxed(&page->untaken_bytes);
	const char *rest;
	bool found = false;
	bool holds;
	int sign;

	for (; p < end; p = row_next(p, end)) {
		rest = text_after(p, place);
		if (!rest || (*rest != '\t' && *rest != SESSION_UNTAKEN_PAST))
			continue;
		sign = rest[1] == '-' ? -1 : 1;
		rest += 1 + (sign < 0);
		holds = sign * (int)text_number(&rest) == why;
		store_relaxed(p + text_length(place),
			      (char)(holds ? '\t' : SESSION_UNTAKEN_PAST));
		found |= holds;
	}
	return found;
}

/* Writes a line, unless the page has it; `module`: that of a place, whose names
 * are told of a function, or NULL. */
static void why_write(struct look *look, struct text *line,
		      const struct module *module, int why)
{
	struct session_page *page = look->page;
	uint32_t used = load_relaxed(&page->untaken_bytes);

	if (lines_mark(page, line->start, why) || !why)
		return;
	text_add_char(line, '\t');
	text_add_number(line, why);
	if (module && text_after(line->start, "fn/")) {
		text_add_char(line, '\t');
		text_add(line, module->names);
	}
	text_add_char(line, '\n');
	if (line->cut || used + line->used >= sizeof(page->untaken)) {
		look->more++;
		return;
	}
	__builtin_memcpy(page->untaken + used, line->start, line->used);
	/* SESSION-UNTAKEN: else a reader could see a part of the line */
	store_release(&page->untaken_bytes, (uint32_t)(used + line->used),
		      SESSION_UNTAKEN);
}

/* Returns true when the rules name a probe; the last one decides. Exits of a
 * function are told of only where a rule means them alone, or whole calls; a
 * list tells of the rest. */
static bool names_probe(const struct session *session,
			const struct module *module, const char *id)
{
	const char *function = text_after(id, "fn/");
	const char *line = text_after(id, "line/");
	bool exits = function && rule_names_returns(function);

	for (uint32_t i = session->nrules; i-- > 0;) {
		const struct session_rule *rule = &session->rules[i];

		if ((glob_match_cut(rule->glob, id, OBJECT_ID_MOST) ||
		     (line && text_equal(rule->glob, line)) ||
		     (function && rule_names_function(rule->glob, module->names,
						      function))) &&
		    (!rule->wanted || (session_rule_names(rule) &&
				       (!exits || rule->calls ||
					rule_names_returns(rule->glob)))))
			return rule->wanted;
	}
	return false;
}

/* Returns why the session does not have the place of a marker, or 0. */
static int why_now(const struct session *session, const struct object *object,
		   const struct code *code)
{
	if (!(object->on & 1u << channel_bit(session->channel)))
		return 0;
	if (object->adopted)
		return usdt_refused(object->adopted);
	if (code->flags & CODE_MOVED)
		return -ESTALE;
	return code->refused;
}

static void object_look(struct look *look, const struct object *object)
{
	bool guard = object->site->kind_ == TAFFRAIL_KIND_GUARD;
	char bytes[LINE_BYTES];
	const struct code *code;
	struct text line;
	int moved = 0;

	for (code = object->codes; code; code = code->next) {
		int why = why_now(look->session, object, code);

		/* a line for each marker: a tool moves them all */
		if (why == -ESTALE && moved++)
			why = 0;
		/* most have none, and the page has no line */
		if (!why && !look->before)
			continue;
		/* a probe that this session has no trap for: untaken_look() */
		if (!why && object->adopted && !look->session->int3 &&
		    object->adopted->placed == USDT_INT3)
			continue;
		text_open(&line, bytes, sizeof(bytes));
		text_add(&line, object->id);
		if (guard)
			text_add(&line, SESSION_UNTAKEN_GUARD);
		place_add(&line, (uint64_t)code->address, object->module);
		why_write(look, &line, object->module, why);
	}
}

static void untaken_look(struct look *look, const struct module *module,
			 const struct untaken *place)
{
	const struct object *object = module->objects;
	bool named = names_probe(look->session, module, place->id);
	char bytes[LINE_BYTES];
	struct text line;

	/* the marker that was made of the probe, if any */
	if (look->session->int3 && named) {
		for (; object; object = object->next)
			if (object->adopted && object->adopted->spot.address ==
						       place->address)
				break;
		/* the trap is there, and the session allows it:
		 * object_look() */
		if (object)
			return;
	}
	text_open(&line, bytes, sizeof(bytes));
	text_add(&line, place->id);
	place_add(&line, place->address, module);
	why_write(look, &line, module, named ? place->why : 0);
}

/* Writes the lines of a module's markers and probes. */
static int module_look(struct module *module, void *arg)
{
	/* a file that was replaced is known to the command */
	int unread = module->unread == -ESTALE ? 0 : module->unread;
	struct look *look = arg;
	const struct session *session = look->session;
	const struct object *object;
	const struct untaken *place;
	char bytes[LINE_BYTES];
	struct text line;
	uint32_t i;

	/* each rule that may name a probe in a file that cannot be read */
	for (i = 0; (unread || look->before) && i < session->nrules; i++) {
		if (!session_rule_names(&session->rules[i]))
			continue;
		text_open(&line, bytes, sizeof(bytes));
		text_add(&line, session->rules[i].glob);
		text_add(&line, SESSION_UNTAKEN_FILE);
		range_add(&line, module->start, module->end);
		why_write(look, &line, NULL,
			  session->rules[i].wanted ? unread : 0);
	}
	for (object = module->objects; object; object = object->next)
		object_look(arg, object);
	for (place = module->untaken; place; place = place->next)
		untaken_look(arg, module, place);
	return 0;
}

void session_untaken_write(struct session *session)
{
	struct look look = { .session = session,
			     .page = session->channel->page };

	if (session->client || session->owned || !look.page)
		return;
	look.before = load_relaxed(&look.page->untaken_bytes);
	registry_each_module(module_look, &look);
	store_relaxed(&look.page->untaken_more, look.more);
}

void session_untaken_tell(struct text *out)
{
	struct look look = { .page = sys_map_anonymous(sizeof(*look.page)) };
	char *p, *next, *end;

	if (!look.page)
		return;
	registry_lock_look();
	for (uint32_t i = 0; i < SESSIONS_MAX; i++) {
		look.session = &sessions[i];
		if (session_phase(i) == SESSION_HELD && look.session->client)
			registry_each_module(module_look, &look);
	}
	registry_unlock();
	p = look.page->untaken;
	end = p + look.page->untaken_bytes;
	for (; p < end; p = next) {
		next = row_next(p, end);
		text_add(out, "untaken=");
		text_add_bytes(out, p, (size_t)(next - p));
	}
	if (look.more)
		line_add_unsigned(out, "untaken_more", look.more);
	sys_munmap(look.page, sizeof(*look.page));
}

void session_untaken_look(void)
{
	for (uint32_t i = 0; i < SESSIONS_MAX; i++)
		if (session_phase(i) == SESSION_RUNS)
			session_untaken_write(&sessions[i]);
}
