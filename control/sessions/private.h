/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Between the files of this room.
 */
#ifndef CONTROL_SESSIONS_PRIVATE_H
#define CONTROL_SESSIONS_PRIVATE_H

#include <stdbool.h>

#include "control/sessions/session.h"
#include "control/threads/settings.h"
#include "tracepoints/sites/registry.h"
#include "tracepoints/usdt/usdt.h"

/* Slots that were never used cost no memory (see channels_used). */
extern struct session sessions[SESSIONS_MAX];

static inline enum session_phase session_phase(uint32_t number)
{
	return channel_used(number) ? sessions[number].phase : SESSION_FREE;
}

/* Returns true when a rule spells the provider. Only such rules want USDT
 * probes: by default, only markers are recorded. */
static inline bool session_rule_names(const struct session_rule *rule)
{
	return *rule->glob != '*' && *rule->glob != '?' && *rule->glob != '[';
}

/* Returns true when modules that come take part in the session. */
static inline bool session_applies(uint32_t number)
{
	enum session_phase phase = session_phase(number);

	return phase == SESSION_RUNS ||
	       (phase == SESSION_HELD && sessions[number].client);
}

/* As session_hold(), for a client (or NULL). Takes the registry's lock. */
struct session *session_hold_for(const char *name,
				 const struct session_client *client);

/* Joins the rings that the processes of a session share, and makes them where
 * the session may. Returns the session's flags: without SESSION_SHARED, this
 * process makes rings itself. In one of the agent's threads. */
uint32_t session_rings_join(struct session *session);

/* Tells whether a rule came with descriptions of lines, or of the values of
 * functions (session_lines_set()). */
bool session_rule_described(const struct session_rule *rule);

/* Globs of rules for functions that came without descriptions, the first one
 * first: functions keep what these gave them. A rule that is gone stays here.
 * Without memory, or behind so many, one is left out. */
struct undescribed {
	const struct undescribed *next;
	char glob[];
};
extern const struct undescribed *session_undescribed;

/* Adds a rule for functions that asks for the first time, if it has none. */
void session_rule_asked(const struct session_rule *rule);

/* Takes the session's channel from all objects. Takes the registry's lock. */
void session_objects_disable(struct session *session);

/* Applies the rules to the objects that `glob` names (NULL: to all). Returns
 * how many are on, or, with `named`, how many the glob names. The registry's
 * lock is held, by this thread of the agent or by the one that waits for it. */
uint32_t session_rules_apply(struct session *session, const char *glob,
			     int named);

/* Returns true when the glob of a rule names the object. A function is named
 * only by a glob that begins with "fn:", which names nothing else. */
bool session_glob_names(const char *glob, const struct object *object);

/*
 * Returns the rule by which a session wants a marker, or NULL. A rule whose
 * condition does not fit the marker leaves it to the others. With `condition`,
 * compiles the conditions of all rules that name the marker, so the mistakes in
 * overridden ones are known, too; without, takes all of them for fitting.
 */
const struct session_rule *session_wants(struct session *session,
					 const struct object *object,
					 const struct ax_program **condition);

/* Switches an object on for the session, as an event in this term (or 0), with
 * the condition or the client's function in `use`; or off. Returns true when it
 * is on: not where the session has no room for it. */
bool session_object_set(struct session *session, struct object *object,
			struct object_use *use, bool wanted, uint32_t term,
			const struct patcher *patcher);

/* terms.c: returns true for entries and exits of functions, in one of which
 * each event has a term. */
static inline bool session_has_term(const struct object *object)
{
	return object->adopted && (object->adopted->function == USDT_ENTRY ||
				   object->adopted->function == USDT_EXIT);
}

/*
 * Applies the rules to all entries and exits of functions that `glob` names, as
 * session_rules_apply() does for the rest, and adds to `matched`; with `named`
 * -1, to those that are off for the session. Returns true; or false, and has
 * done nothing: the session has no rules for functions. The registry's lock is
 * held.
 */
bool session_terms_apply(struct session *session, const char *glob, int named,
			 const struct patcher *patcher, uint32_t *matched);

/* Lets terms begin anew if no other channel has had the object. */
void session_terms_forget(const struct session *session, struct object *object);

/* objects.c: returns true when the rule names the marker, whether the condition
 * holds or not. */
bool session_rule_selects(const struct session_rule *rule,
			  const struct object *object);

/* Returns true for the USDT probe of an LTTng tracepoint whose events are
 * recorded by a marker of the same id: a hit is one event, not two. Without
 * LTTng nothing is searched. */
bool session_probe_is_twin(const struct object *object);

/* Returns the rule with this glob, or NULL; drops a rule. */
struct session_rule *session_rule_find(struct session *session,
				       const char *glob);
void session_rule_drop(struct session *session, struct session_rule *rule);

/* Returns true where one session is on, which a recorder reads; rings are
 * shared, and it wants nothing of any module, nor functions or lines of those
 * that come. There is no file of another session. */
bool session_quiet(void);

/* Returns true where that session is the only one, and other processes had
 * answered all that was asked of modules (known_module()). */
bool session_settled(void);

/* quiet.c: the answers to these questions for all modules of a program, which
 * is known there as others are, under another number. quiet_settled() returns
 * true when a process of it has found that they are no, and that there is no
 * other session: `at` is the directory sessions/, unchanged since.
 * quiet_settle() adds that, where it holds, and ends the start: both are for
 * the modules that the program begins with. */
bool quiet_settled(int at);
void quiet_settle(int at);

/* modules.c: tells where the modules are, if the object is the session's first
 * one with a field that readers name; or in a forked child. The caller may open
 * files. */
void session_symbols_need(struct session *session, const struct object *object);
void session_modules_inherit(struct session *session);

/* Notes in the session's page that modules are not known from now on. */
void session_modules_end(struct session *session);

/*
 * Writes into the session's page the places that the rules name and that are
 * not switched. Call it after the patcher is closed: only then it is known for
 * all. The registry's lock is held, by this thread of the agent or by the one
 * that waits for it.
 */
void session_untaken_write(struct session *session);

/* Makes markers of the probes that sessions name. The caller holds the
 * registry's lock and has a private descriptor table. */
void session_probes_adopt(const struct patcher *patcher);

/* Looks whether a module's sites were moved (usdt_sites_look()), once. The
 * caller may open files. */
void session_sites_moved(struct module *module);

/*
 * known.c: facts about a module's file, from other processes. known_module()
 * returns true when the answer to a question is known to be no; known_add()
 * tells others that it is. A question is KNOWN_UNMOVED, or KNOWN_UNASKED and a
 * sum of hashes of rules. known_open() and known_close() are around several of
 * these calls. known_settle(true) says that the answer to each question is no,
 * until known_settle(false). The registry's lock is held, and the caller may
 * open files.
 */
#define KNOWN_UNMOVED	INDEX_HASH
#define KNOWN_UNASKED	(INDEX_HASH + 1)

/* Returns the hash of a module and a question, or 0. known_hash_loaded() looks
 * at memory only, which the build ID is in. */
uint64_t known_hash(const struct module *module, uint64_t question);
uint64_t known_hash_loaded(const struct module *module, uint64_t question);

/* Ask for a hash, which is not 0, and add one, in a table that begins at `from`
 * in a file. */
bool known_has(int fd, uint64_t from, uint64_t hash);
void known_put(int fd, uint64_t from, uint64_t hash);

bool known_module(const struct module *module, uint64_t question);
void known_add(const struct module *module, uint64_t question);
void known_settle(bool all);
void known_open(void);
void known_close(void);

/* lines.c: the descriptions of source lines, and how many there are. */
struct usdt_line;
extern const struct usdt_line *session_lines;
extern uint32_t session_nlines;

/* Adds, as lines of a session's text, those that a rule records. */
void session_lines_write(const struct session_rule *rule, struct text *out);

/* Notes in the session's page, which is new, for how long events are kept. */
void session_keep_begin(const struct session *session);

/* Returns true where no service thread may be, which such a session needs. */
static inline bool session_keep_forbidden(void)
{
	return agent_signal || setting_is(settings.service, "off");
}

#endif
