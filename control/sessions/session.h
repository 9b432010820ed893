/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions of this process: a name, rules, a channel.
 *
 * All functions run in one of the agent's threads, one at a time: the service
 * thread, or a worker while there is none. They take the registry's lock where
 * they touch markers.
 */
#ifndef CONTROL_SESSIONS_SESSION_H
#define CONTROL_SESSIONS_SESSION_H

#include "base/text.h"
#include "buffers/rings/channel.h"
#include "tracepoints/conditions/expr.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/sites/registry.h"

#define SESSION_RULES_MAX	64
#define SESSION_RULE_BYTES	160
#define SESSION_CONDITION_BYTES	352	/* with a glob, a line's value */

enum session_phase {
	SESSION_FREE = 0,
	SESSION_OPENING,	/* the rings are being made */
	SESSION_RUNS,
	SESSION_HALTED,
	SESSION_HELD,		/* by session_hold(): a channel without rings */
	SESSION_ASLEEP,		/* held, and the agent sleeps */
};

/* The last rule decides whose glob matches a marker and whose condition the
 * marker's fields allow; without one, the marker is not wanted. */
struct session_rule {
	int wanted;
	char glob[SESSION_RULE_BYTES];
	char condition[SESSION_CONDITION_BYTES]; /* empty: always */
	struct rule_types types;	/* of adopted probes' arguments */
	uint64_t lines;			/* of a source line: its set of
					 * descriptions (lines.c); else 0 */
	uint8_t fits;		/* for a marker that the glob matches the
				 * condition may hold */
	uint8_t misfits;	/* the fields of one do not allow it */
	uint8_t found;		/* of a source line: a module is of the build
				 * that the descriptions are for */
	uint8_t calls;		/* of functions: it names whole calls, as an
				 * event each */
	uint8_t replaced;	/* by a later one with the same glob: it
				 * selects nothing */
};

/*
 * Splits the text of a rule. Returns 0, or -EINVAL and the reason in `why`: the
 * rule is empty or too long, or the condition is not valid.
 */
int session_rule_parse(struct session_rule *rule, const char *string,
		       struct text *why);

/* Adds "condition 'EXPR', column N: FACT". */
void session_condition_fault(struct text *why, const char *condition,
			     const struct expr_error *error);

/*
 * Notes in the session's page that the fields of a marker which the rule's glob
 * matches do not allow the rule's condition, once for each rule. `before` is
 * the glob of an earlier rule that has decided the fields, or NULL. The caller
 * holds the registry's lock.
 */
void session_fault_note(struct session_page *page,
			const struct session_rule *rule,
			const struct expr_error *error, const char *before);

struct session;

/* Returns true when none of the markers that the glob matches allows the rule's
 * condition, and adds the reason in the session's page to `why`; else 0. */
bool session_rule_fault(const struct session_page *page,
			const struct session_rule *rule, struct text *why);

/* Keeps the descriptions of source lines in a text of "key=value" lines, which
 * rules name. In one of the agent's threads. */
void session_lines_take(const char *lines);

/* Returns the set of those before the first rule (session_rule's `lines`). */
uint64_t session_lines_set(const char *lines);

/* Adds a rule to a session that is not yet open. Returns as
 * session_rule_parse(); the reason may also be that there are too many. */
int session_rule_add(struct session *session, const char *string,
		     struct text *why);

/*
 * A client serves hits by a function instead of rings: libtaffrail-probe, with
 * the callbacks of the program. Threads of the agent call look(), with the
 * registry's lock held.
 */
struct session_client {
	write_fn *hit;
	/* Readies the client for hits of a marker. Returns 1 when it wants
	 * them. */
	int (*look)(struct object *object);
	/* Forgets the value that look() has stored in the object: the module is
	 * gone. */
	void (*gone)(void *probes);
	/* How many callbacks are attached. */
	const uint32_t *attached;
	/* Adds lines about them to the answer to MESSAGE_STATUS. */
	void (*describe)(struct text *out);
};

/*
 * Contexts of a session for which none were chosen. This alone decides it:
 * records of the thread, without which a reader cannot tell which events belong
 * together. They add nothing to an event.
 */
#define SESSION_CONTEXTS_DEFAULT	CONTEXT_WRITER

/*
 * Reads a list of contexts, such as "vtid,ip", or "none". Returns 0, or -EINVAL
 * for anything else; `contexts` is then unchanged.
 */
int session_contexts_parse(uint32_t *contexts, const char *list);

/* Adds a list that session_contexts_parse() reads. */
void session_contexts_add(struct text *out, uint32_t contexts);

struct session {
	enum session_phase phase;
	char name[SESSION_NAME_BYTES];
	uint32_t flags;
	uint32_t contexts;
	uint64_t buffer;
	uint64_t quota;		/* bytes of rings in all processes; 0: any */
	uint32_t keep_ms;	/* how long events are kept; 0: any time */
	uint32_t group;		/* to let into the process; 0: none */
	int int3;		/* USDT_WANTED_INT3, or 0 */
	uint32_t symbols;	/* readers name addresses: modules.c */
	bool makes;		/* shared rings, where there are none: no
				 * command does */
	uint32_t owned;		/* gdb's: it has no rules, commands do not end
				 * it, forked children do not inherit it */
	struct channel *channel;
	const struct session_client *client;	/* or NULL: it has rings */
	uint32_t nrules;
	/* One more than the maximum, while one rule replaces another. Last,
	 * because most sessions use few and only these are copied. */
	struct session_rule rules[SESSION_RULES_MAX + 1];
};

/*
 * Reads the "key=value" lines of MESSAGE_START into a session that is not yet
 * open. Returns 0, or -EINVAL and the fault in `fault`.
 */
int session_parse(struct session *session, const char *lines,
		  struct text *fault);

/*
 * Opens a session: files, rings, then every marker that the rules want.
 * `matched` gets the number of markers. Returns the session's number, or a
 * negative errno: -EEXIST, -EUSERS when all channels are in use, -EPERM or
 * -EBUSY of the group (place_share()), or a system call's. A session without
 * room for rings starts: the session page says so (channel_start()). So does
 * one with rules that have faults.
 */
int session_start(const struct session *model, uint32_t *matched);

/*
 * Reserves a channel for markers that call a function instead of a writer.
 * Returns NULL when all channels are in use. The session is not listed, and
 * ends when the channel is given back, which no marker has then. In a forked
 * child the channel is free, and the markers do not call.
 */
struct channel *session_hold(const char *name);
void session_release(struct channel *channel);

/*
 * Adds a rule to the client's session, which begins with the first rule, or
 * takes it back; has the client look at each marker that the glob names.
 * Returns 0, -ENOSPC when there are too many rules, -EUSERS when all channels
 * are in use, or as thread_run_wait(). A thread of the program calls it.
 */
int session_client_rule(const struct session_client *client,
			const struct session_rule *rule, int wanted);

/* Takes the client's channel from all markers, while the agent sleeps: in one
 * of its threads. Gives it back: in a thread of the program. */
void session_client_sleep(void);
void session_client_wake(void);

/* Returns how many callbacks are attached. */
uint32_t session_client_attached(void);

/* Returns the session of that name, or NULL. */
struct session *session_find(const char *name);

/* Returns a session by number, for listing; NULL beyond the last or where there
 * is none. */
struct session *session_at(uint32_t number);
#define SESSIONS_MAX	CHANNELS_MAX

/*
 * Adds a rule and applies it. Returns 0 when no thread can still act on the old
 * state, or -ETIMEDOUT; `matched` counts the markers that the rule matches.
 * Returns -EINVAL, with the reason in `why`, when none of the markers that the
 * glob matches has the fields of the condition.
 */
int session_rule(struct session *session, const struct session_rule *rule,
		 uint32_t *matched, struct text *why);

/* Takes a rule away again, and applies the others to the markers that it
 * matches. Returns as session_rule(); 0 also without such a rule. */
int session_rule_withdraw(struct session *session, const char *glob);

/* Returns how many events are on for the session. Takes the registry's lock. */
uint32_t session_events_on(const struct session *session);

/* Ends a session. Returns 0 when no event can be written any more, or
 * -ETIMEDOUT when a thread is stopped in the middle of a write. */
int session_stop(struct session *session);

/* Closes the packets that writers have open, if these hold events; with `own`,
 * not those in rings that other processes share. Returns true when such rings
 * were looked at. Writers go on. */
bool session_flush(struct session *session, bool own);

/* Stops a session, removes the files and unmaps the memory. A reader that has
 * the files mapped can read on. */
int session_destroy(struct session *session);

/*
 * Opens the parent's running sessions in a forked child, with files of the
 * child. A worker calls it; the host's thread waits, and then lets writers in
 * with session_inherit_resume(), which opens nothing.
 */
int session_inherit(void);
void session_inherit_resume(void);

/* Finds where the sites of all modules are, if tools have moved them
 * (usdt_sites_look()). Agent threads only. */
void session_sites_look(void);

/* Makes markers of the probes that sessions name, and has the new ones write.
 * The caller holds the registry's lock and has a private descriptor table. */
void session_adopt(const struct patcher *patcher);

/* Switches off the USDT probes of LTTng tracepoints whose own markers came. The
 * caller holds the registry's lock. Agent threads only. */
void session_settled_came(const struct patcher *patcher);

/* Makes markers of all USDT probes of the program, also of modules to come.
 * They are off, and no more rules than before want them. Takes the registry's
 * lock; the caller has a private descriptor table. */
void session_adopt_all(void);

/* Makes markers at the addresses at which gdb has tracepoints, also in modules
 * that come later: the array, with the reasons, is kept until the next call.
 * The caller holds the registry's lock and has a private descriptor table. */
struct usdt_point;
void session_points_adopt(struct usdt_point *points, uint32_t n,
			  const struct patcher *patcher);

/* 1 when a session tells readers where modules are, so they can name addresses
 * (RECORD_MODULES). */
extern int session_symbols;

/* Notes in the pages of these sessions that modules may change from now on. Not
 * in a forked child without files. */
void session_modules_change(void);

/* Tells again where modules are, now that they have changed. The caller is a
 * thread of the agent, and holds the registry's lock. */
void session_modules_tell(void);

/* Places lines anew whose jumps are off, as the program handles faults now. In
 * a thread of the agent; the registry's lock is held, and the jumps are out. */
void session_lines_anew(const struct patcher *patcher);

/* Writes into the pages of all sessions which places are not switched, after
 * modules have come, and the patcher is closed. The registry's lock is held. */
void session_untaken_look(void);

/* Adds a line "untaken=..." for each place of callbacks, which have no page,
 * that is not switched; as in a session's page. Takes the registry's lock. */
void session_untaken_tell(struct text *out);

/* Returns true when a rule of a session names one of the markers in a list by
 * `next_found`, or gdb or callbacks may want one. The caller holds the
 * registry's lock. */
bool session_may_want(const struct object *found);

/* Applies the rules to a marker of a module that has just been loaded. The
 * caller holds the registry's lock. */
void session_module_came(struct object *object, const struct patcher *patcher);

/* Learns of the machine by the line "machine=" in the file of the first session
 * that the process was started for: the clock's source (clock_source_tell()),
 * and the number of CPUs, which it returns; 0: the line is not there, or was
 * written before the machine began again. The caller may open files. */
uint32_t session_machine_learn(void);

/*
 * Quiet programs (quiet.c). quiet_allowed() returns true where the process was
 * started under a recorder, and no setting asks for more. quiet_open() then
 * opens the recorder's file, to read and write, with more flags: it returns a
 * descriptor, or a negative errno where the recorder allows no process of this
 * PID namespace to put off files. quiet_known() returns true when this program
 * is known there, and quiet_stays() later that no session has come, gone or
 * changed since (`at` is the directory sessions/, or -1 before quiet_close());
 * quiet_close() comes last. Else quiet_end() adds the program at the exit, if
 * it was quiet, and quiet_exec() when it executes another one. The caller may
 * open files, except in the last two, which are SIGSAFE.
 */
bool quiet_allowed(void);
int quiet_open(int flags);
bool quiet_known(int fd);
bool quiet_stays(int at);
void quiet_close(int fd);
void quiet_end(void);
void quiet_exec(void);

/* Starts the sessions that the environment and the runtime directory ask for.
 * Calls `failed` with a negative errno for each recording that the process was
 * started for, and cannot take part in; with NULL for all of them. Returns true
 * when the files of all these recordings are in the runtime directory. */
bool session_obey(void (*failed)(const char *recording, int error));

/*
 * Starts session `env`, of the rules in TAFFRAIL_ENABLE, with the memory of
 * `session`. The faults of rules are told in the process page and in
 * sessions/.fault.env (environment.c).
 */
void session_obey_environment(struct session *session);

/* Notes in sessions/.fault.env why a program with TAFFRAIL_ENABLE has no agent,
 * and so no session. Call it once, at start, where system calls are allowed. */
void session_environment_off(const char *why);

/* Returns true when there are events that a command may want to collect, or a
 * session is being started. gdb's sessions do not count: they end with the
 * process. */
bool session_any(void);

/* Returns true when gdb or gdbserver has a session that new modules take part
 * in. */
bool session_any_owned(void);

/* Removes, at the end of the process, the files of gdb's sessions, and of those
 * of which only rings that processes share have something. Returns true when
 * other sessions stay. */
bool session_remove_spent(void);

/* Returns how many events of the session neither a snapshot has nor a recorder
 * will take. Call it in one of the agent's threads. */
uint64_t session_unsaved(struct session *session);

/* Returns the cause (enum cause_id) for which session_start() has failed with
 * this errno. */
int session_failure(int error);

/*
 * Sessions that keep events for a time (keep.c). session_keeps() returns true
 * if there is one that runs: then the service thread stays. The service thread
 * calls session_keep_look() in each round. It looks at the rings, and makes
 * larger ones; it returns the milliseconds until it must be called again, or
 * -1 without such a session.
 */
bool session_keeps(void);
int64_t session_keep_look(void);

/* Notes in the pages of these sessions that the service thread has gone. */
void session_keep_end(void);

/* Writes which sessions use all channels: "a, b, and gdb's or callbacks". */
void session_holders(struct text *out);

/* Writes a session in the form of a file of sessions/, which programs obey that
 * TAFFRAIL_JOIN tells of it; without the group. SIGSAFE. */
void session_write(const struct session *session, struct text *out);

/* Writes the lines "key=value" of MESSAGE_STATUS. */
void session_describe(struct session *session, struct text *out);

#endif
