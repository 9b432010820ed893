/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions of this process: a name, rules, a channel.
 *
 * All functions run in a thread of the agent's own, one at a time: the
 * service thread, or a worker while there is none. They take the registry's
 * lock where they touch markers.
 */
#ifndef CONTROL_SESSIONS_SESSION_H
#define CONTROL_SESSIONS_SESSION_H

#include <stdint.h>

#include "base/text.h"
#include "buffers/rings/channel.h"
#include "tracepoints/conditions/expr.h"
#include "tracepoints/sites/registry.h"

#define SESSION_RULES_MAX	64
#define SESSION_RULE_BYTES	160
#define SESSION_CONDITION_BYTES	352	/* with a glob, a line's value */

enum session_phase {
	SESSION_FREE = 0,
	SESSION_OPENING,	/* its rings are being made */
	SESSION_RUNS,
	SESSION_HALTED,
	SESSION_HELD,		/* its channel is somebody's, without rings */
};

/* The last rule that matches a marker decides; none: it is not wanted. */
struct session_rule {
	int wanted;
	char glob[SESSION_RULE_BYTES];
	char condition[SESSION_CONDITION_BYTES]; /* empty: always */
	uint32_t strings;	/* arguments of adopted probes, from bit 0 */
};

/*
 * Splits the text of a rule. Returns 0, or -EINVAL and why in `why`: it is
 * empty, too long, or its condition is none.
 */
int session_rule_parse(struct session_rule *rule, const char *string,
		       struct text *why);

/* "condition 'EXPR', column N: FACT" */
void session_condition_fault(struct text *why, const char *condition,
			     const struct expr_error *error);

struct session {
	enum session_phase phase;
	char name[SESSION_NAME_BYTES];
	uint32_t flags;
	uint32_t contexts;
	uint64_t buffer;
	uint64_t quota;		/* bytes of rings in all processes; 0: any */
	uint32_t group;		/* is let into the process; 0: none */
	int int3;		/* USDT_WANTED_INT3, or 0 */
	uint32_t owned;		/* a gdb's: without rules, not for others to
				 * end, and not a forked child's */
	struct channel *channel;
	uint32_t nrules;
	/* one more while a rule takes the place of another; last, since most
	 * have a few */
	struct session_rule rules[SESSION_RULES_MAX + 1];
};

/*
 * Reads "key=value" lines as of MESSAGE_START into a session that is not yet
 * open. Returns 0, or -EINVAL and the fault in `fault`.
 */
int session_parse(struct session *session, const char *lines,
		  struct text *fault);

/*
 * Opens a session: files, rings, then every marker that its rules want.
 * `matched` gets the number of markers. Returns its number, or -EEXIST,
 * -ENOSPC, -EPERM or -EBUSY of its group (place_share()), or what a system call
 * said. `why` says it when markers that a
 * rule's glob matches lack what its condition asks for.
 */
int session_start(const struct session *model, uint32_t *matched,
		  struct text *why);

/*
 * Takes a channel out of use, for markers that are to call a function instead
 * of a writer. NULL when all are in use. Not seen by others, never given back;
 * a forked child has it free, and its markers no longer call.
 */
struct channel *session_hold(const char *name);

/* The session of that name, or NULL. */
struct session *session_find(const char *name);

/* By number, for listing; NULL beyond the last or where there is none. */
struct session *session_at(uint32_t number);
#define SESSIONS_MAX	CHANNELS_MAX

/*
 * Adds a rule and applies it. Returns when no thread can still act on the old
 * state, or -ETIMEDOUT; `matched` counts markers that it matches. -EINVAL,
 * with the reason in `why`: of the markers that the glob matches none has
 * what the condition asks for.
 */
int session_rule(struct session *session, const struct session_rule *rule,
		 uint32_t *matched, struct text *why);

/* Ends it; nothing is written after it returns 0. -ETIMEDOUT: a thread is
 * stopped in the middle of a write. */
int session_stop(struct session *session);

/* Closes the packets that writers have open, as far as they hold events.
 * Returns 0; writers go on. */
int session_flush(struct session *session);

/* Stops it, removes its files, lets go of its memory; who has them mapped
 * reads on. */
int session_destroy(struct session *session);

/*
 * In the child of a fork: the parent's open sessions, in files of the
 * child's. A worker calls it; the host's thread waits, and then lets writers
 * in with session_inherit_resume(), which opens nothing.
 */
int session_inherit(void);
void session_inherit_resume(void);

/* Makes markers of the probes that sessions name, and what is new of them
 * writes. The registry's lock is held, by a thread that has descriptors of its
 * own. */
void session_adopt(const struct patcher *patcher);

/* Makes markers of all probes of the program's own, also of modules to come.
 * They are off, and wanted by no more rules than before. Takes the registry's
 * lock; in a thread that has descriptors of its own. */
void session_adopt_all(void);

/* A marker of a module that has just been loaded; the lock is held. */
void session_module_came(struct object *object,
			 const struct patcher *patcher);

/* Sessions that the environment and the runtime directory ask for. */
void session_obey(void);

/* Is there anything that somebody may want to collect? What is gdb's goes with
 * the process. */
int session_any(void);

/* Is there anything of gdb's or gdbserver's that new modules take part in? */
int session_any_owned(void);

/* Removes the files of a gdb's session: at the end of the process. */
void session_remove_owned(void);

/* Lines "key=value" for MESSAGE_STATUS. */
void session_describe(struct session *session, struct text *out);

#endif
