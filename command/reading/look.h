/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parts of all commands that look at traces: the directories, the window of
 * time, files that could not be read, and the pager.
 *
 * Invariant: what could not be read is told when it is met, and once; the
 * command goes on, and look_close() makes the status.
 */
#ifndef COMMAND_READING_LOOK_H
#define COMMAND_READING_LOOK_H

#include "command/common/command.h"
#include "command/reading/progress.h"
#include "traces/follow.h"
#include "traces/pairs/pairs.h"
#include "traces/read/where.h"

/* Keys of the options that these commands share; use LOOK_ROWS in their rows,
 * and pass keys to look_option(). */
enum look_key {
	LOOK_BEGIN = 0x1000,
	LOOK_END, LOOK_WHERE, LOOK_PAIR_BY, LOOK_BUFFER, LOOK_YES, LOOK_NONE,
	LOOK_SESSION = 's',
	LOOK_PID = 'p',
	LOOK_RULE = 'e',
};

#define LOOK_WHERE_ROW							\
	{ LOOK_WHERE, "where", "RULE",					\
	  "only events that RULE means (repeatable): GLOB or 'GLOB if EXPR'" }

/* For commands that make pairs. */
#define LOOK_PAIR_BY_ROW						\
	{ LOOK_PAIR_BY, "pair-by", "WORD",				\
	  "thread: pairs are of one thread (default); cpu: where events "	\
	  "have no thread, of one CPU" }

#define LOOK_NONE_ROW							\
	{ LOOK_NONE, "fail-if-none", NULL,				\
	  "exit with 1 if there is no event" }

#define LOOK_ROWS							\
	{ LOOK_BEGIN, "begin", "TIME",					\
	  "leave out events before: 10:20:30, '2026-11-26 10:20:30', "	\
	  "+10s from the first, -2.5ms from the last event" },		\
	{ LOOK_END, "end", "TIME", "leave out events after" },		\
	LOOK_WHERE_ROW

/* For commands that look at rings, too. */
#define LOOK_LIVE_ROWS							\
	{ 's', "session", "NAME",					\
	  "what is in the buffers of this session now" },		\
	{ 'p', "pid", "PID", "only those of this process" }

/* For commands that make a session of their own: set look->visits. */
#define LOOK_VISIT_ROWS							\
	{ LOOK_RULE, "event", "RULE",					\
	  "with -p: make a session of its own for markers that match, load "	\
	  "the agent for it, and take both back; repeatable" },		\
	{ LOOK_BUFFER, "buffer-size", "N",				\
	  "with -e: bytes of one CPU's buffer (256K to 1G)" },		\
	{ LOOK_YES, "yes", NULL, COMMAND_YES_HELP }

#define LOOK_NOTES_MAX	8u
#define LOOK_RULES_BYTES	640	/* the text of a cause */

struct visit;

/* A directory that is followed. */
struct look_directory {
	const char *path;		/* the caller's */
	int fd;
	bool told;			/* by the recorder, once at least */
	uint64_t removed;		/* events that it had removed by then */
};

/* A look at traces, directories or rings. All zero but for the options before
 * look_open(); look_close() frees what hangs on it, but not the options'
 * texts. */
struct look {
	struct reader *reader;
	struct reader_calls calls;	/* the caller's own, or zero; with
					 * `priv` this */
	const char *session;		/* whose rings, or NULL */
	pid_t pid;			/* the same, or 0 */
	bool any_session;		/* without both: the only one */
	bool visits;			/* the command takes -e */
	struct visit *visit;		/* of its options, or NULL */
	struct rundir *within;		/* where the visit's processes are, or
					 * NULL */
	bool peek;			/* also events that a recorder took */
	bool keep;			/* for look_recorded() */
	struct look_rings *rings;	/* then */
	bool again;			/* not the first time: it is no error
					 * if the session has gone */
	bool gone;			/* as look_recorded() saw: it has */
	bool failed;			/* it could not look, which was told */
	bool shares;			/* the process of -p shares buffers:
					 * totals.written is of its own */
	bool unread;			/* a process could not be read, which
					 * was told */
	size_t processes;		/* images that have the session */
	size_t ended;			/* of them, of processes that have
					 * ended */
	size_t stopped;			/* of the others, where the session is
					 * stopped */
	struct ring_totals totals;	/* of all */
	const char *begin;		/* values of the options, or NULL */
	const char *end;
	struct where *where;		/* rules, or NULL */
	char rules[LOOK_RULES_BYTES];	/* of -e and --where, for a message */
	bool utc;			/* times of the options */
	bool by_cpu;			/* --pair-by cpu */
	bool fail_if_none;
	bool undated;			/* events decide these times */
	bool undated_told;		/* the last one does, as was told */
	struct look_directory *directories;	/* followed; of look_open() */
	int ndirectories;
	uint64_t losses;		/* events that buffers lost */
	uint64_t overwritten;		/* of them, before they were read */
	uint64_t lost_calls;		/* of them: trace_loss.calls */
	bool follow;			/* traces may come later */
	bool waits;			/* and come at the end, as was told */
	struct progress progress;	/* goes before a problem, or a loss, is
					 * told */
	/* takes a loss, beside look_open()'s own call; or NULL */
	void (*lost)(const struct trace_loss *l, struct look *look);
	bool quiet_losses;		/* they are only counted */
	bool full_told;			/* the remedy for them was told */
	bool calls_told;		/* and that for lost calls */
	bool quiet_problems;		/* they were told before */
	int64_t cost_ms;		/* processor time of the last
					 * look_recorded() */
};

/* Takes an option of LOOK_ROWS. Returns COMMAND_DONE, or COMMAND_USAGE after
 * printing why. */
int look_option(struct look *look, int key, const char *value);

/* Checks -e, and what goes with it, for a command that sets look->visits.
 * Returns COMMAND_DONE, or COMMAND_USAGE after printing why. */
int look_check_visit(struct look *look);

/*
 * Checks that there are directories, or -s and -p, and not both. Without any of
 * these, takes the newest recording in the current directory, says which one,
 * and sets *paths and *n to it. Returns COMMAND_DONE, or COMMAND_USAGE after
 * printing why.
 */
int look_check_sources(const struct look *look, char ***paths, int *n);

/* Returns the name of the newest recording in the current directory, after
 * saying so on standard error; or NULL, and *why says why there is none. The
 * caller may free the name. */
char *look_newest(const char **why);

/* Does so for another directory, without a word. With `session`, only
 * recordings of a session of that name count. */
char *look_newest_in(const char *directory, const char *session,
		     const char **why);

/*
 * Opens all traces below the directories, or the rings of look->session and
 * look->pid, and sets the rules and the window of time. Returns COMMAND_DONE,
 * or another status after printing why. The caller calls look_close() in any
 * case.
 */
int look_open(struct look *look, char **paths, int n);

/* Returns COMMAND_DONE; or, after saying so, COMMAND_FAILED where LOOK_NONE was
 * given and there was no event. Call it when all events were read. */
int look_check_none(const struct look *look);

/* Frees everything. Returns COMMAND_FAILED if something could not be read,
 * which has been told by then. */
int look_close(struct look *look);

/* A place among the classes of events that the traces describe; zero: before
 * the first. */
struct look_walk {
	size_t traces;			/* that were begun */
	size_t events;			/* of the last of them */
	const struct trace_class *trace;
	const struct event_class *class;
};

/* Goes to the next class of events, and sets it with its trace. Returns false
 * at the end. No event may be read meanwhile. */
bool look_next_class(const struct look *look, struct look_walk *walk);

/* Returns whether the traces describe an event of this name, as rules of pairs
 * name it, with this field or context; NULL: any. */
bool look_has(const struct look *look, const char *event, const char *field);

/* Check a rule of --pair: that there are events of both names; and that they
 * have the keys. Return COMMAND_DONE, or COMMAND_FAILED after printing which
 * are missing. */
int look_check_events(const struct look *look, const char *rule);
int look_check_pair(const struct look *look, const char *rule);

/*
 * Says how many events make no pair for want of a thread; nothing, if there are
 * none. Returns COMMAND_FAILED if they are of --pair's `rule`; COMMAND_DONE if
 * names made the kinds (NULL).
 */
int look_tell_threadless(const char *rule, uint64_t events);

/* Returns whether events of a process that are looked at may be missing, and
 * sets *from to the time from which on all are there. */
bool look_partial(const struct look *look, const struct trace_class *trace,
		  int64_t *from);

struct json;

/*
 * Gives sentences about events that the pairs of all traces left out, once all
 * events were fed: from when on the events of a process are complete, of `most`
 * processes, and how many pairs were given up. look_warn_notes() prints them on
 * standard error, of LOOK_NOTES_MAX processes.
 */
void look_notes(const struct look *look, const struct pairs *pairs, size_t most,
		void (*take)(const char *note, void *priv), void *priv);

/* Writes "without_durations", an array of the functions of which rules chose
 * entries and returns apart: the same sentences. */
void look_apart_json(struct json *json, const struct pairs *pairs);
void look_warn_notes(const struct look *look, const struct pairs *pairs);

/* Writes "; nearest: a, b or c", the names of fields and contexts that are like
 * this one; or "". */
void look_nearest_fields(const struct look *look, const char *field,
			 char *text, size_t room);

/* Does as command_finish(), but a pipe whose reader has gone, such as head or
 * the pager, is no failure: the reader needs no more. */
int look_finish(void);

#define LOOK_UNTOLD	FOLLOW_AT_END

/*
 * For a look that goes on: at recordings (look->follow) or rings (look->keep).
 * look_recorded() looks again, says whether something may still come, and sets
 * *until: all events before that time are there for reader_refresh();
 * LOOK_UNTOLD or less: no recorder has told such a time.
 * look_follow_whole() returns COMMAND_FAILED after printing which directories
 * have gone, or no recorder has completed. look_interrupt() takes SIGINT,
 * SIGTERM and SIGHUP; look_interrupted() says whether one came.
 */
bool look_recorded(struct look *look, int64_t *until);

/* Waits until the next look_recorded(), at most `most_ns`, or until a
 * signal. */
void look_pause(const struct look *look, uint64_t most_ns);

/* Takes back the session of look->visit, once nothing is looked at any more.
 * The events that were read stay. */
void look_leave(struct look *look);

/*
 * Sets the window of --begin and --end as soon as it is known: some times count
 * from the first event of all, or from the last. Call it when reader_refresh()
 * has returned and reader_next() was not called; `on` and `until` are those of
 * look_recorded(). look->undated tells whether the window is still not known.
 * Returns COMMAND_DONE, or COMMAND_FAILED after printing why.
 */
int look_date(struct look *look, bool on, int64_t until);

int look_follow_whole(const struct look *look);
void look_interrupt(void);
bool look_interrupted(void);

/* Parses a time of --begin or --end. `first` and `last` are the times of the
 * first and last event. Returns 0 or -EINVAL. */
int look_time(int64_t *ns, const char *text, bool utc, int64_t first,
	      int64_t last);

/* Writes a time as look_time() takes it, at most 48 bytes with a NUL: a time of
 * day, or with `dates` a date and a time of day. */
void look_time_text(int64_t ns, bool utc, bool dates, char *p);

/* Returns whether a value of --begin or --end is a time, whatever the trace. */
bool look_time_valid(const char *text);

/* Returns whether a problem was told, so that the command's status is 1. May be
 * called in a signal handler. */
bool look_problems(const struct look *look);

/*
 * Starts the user's pager if standard output is a terminal (PAGER, else less
 * with -FRX if it is installed), and makes it standard output; returns whether
 * there is one. When the user leaves it, the command ends: with 1 if a problem
 * of `look` was told, else with 0. pager_end() waits for it, and returns
 * COMMAND_FAILED after printing why if it could not be run.
 */
bool pager_begin(const struct look *look);
int pager_end(void);

/* Parses WHEN of --color, and decides. Returns false for another word. */
bool color_when(const char *when, bool *color);

#endif
