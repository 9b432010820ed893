/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files of this room. report.c takes options and events; count.c,
 * values.c, durations.c, cells.c and locks.c count an event; print.c,
 * sections.c, text.c and json.c print the counts.
 *
 * Invariant: memory is bounded by the numbers below, however long a trace is.
 */
#ifndef COMMAND_REPORT_PRIVATE_H
#define COMMAND_REPORT_PRIVATE_H

#include "base/index.h"
#include "command/reading/look.h"
#include "command/reading/progress.h"
#include "traces/pairs/histogram.h"
#include "traces/pairs/pairs.h"

#define FIELDS_MAX	8		/* --field */
#define KEYS_MAX	4		/* fields of --by */
#define KEYS_BYTES	512		/* names of these */
#define RULES_MAX	64		/* --pair */
#define GROUPS_MAX	1000		/* values of --by; others together */
#define CELLS_MAX	4000		/* rows of all tables by value */
#define VALUES_MAX	2048		/* of a field, told apart */
#define VALUE_BYTES	256		/* kept of one; all are in the hash */
#define SLOWEST_MAX	10000
#define OPEN_SHOWN	10		/* unfinished pairs that are listed */
#define LOCKS_MAX	8192		/* that were taken */
#define LOCKS_MADE_MAX	65536		/* with those that were only made */
#define HOLDERS_MAX	8u		/* of a lock that are told */
#define HOLDERS_KEPT	(1u << 20)	/* of all locks */

/* What a value is, so that values of several classes of fields can be
 * compared. */
enum value_form {
	VALUE_INTEGER,
	VALUE_NEGATIVE,
	VALUE_REAL,			/* kept as a double */
	VALUE_LABEL,			/* the name in an enumeration */
	VALUE_TEXT,
	VALUE_ELEMENTS,			/* numbers of one type */
	VALUE_RAW,
};

/* A value of a field. The bytes are those of the form, not of the event; a
 * value of more than VALUE_BYTES is cut, and the rest is in the hash alone. */
struct value {
	const struct field_class *class;	/* of the first event */
	uint8_t form;			/* enum value_form */
	uint64_t hash;
	uint64_t events;
	uint64_t bytes;
	struct cell *cells;		/* of --by */
	uint32_t length;		/* of kept[] */
	bool cut;
	uint8_t *kept;
};

/* The values that were met most. Once there are too many, those with the least
 * events are counted together; a value that comes later may have been among
 * them, `missed` times at most. */
struct values {
	struct value *list;
	uint32_t n;
	uint32_t max;
	struct index index;		/* of numbers in list[], + 1 */
	bool fixed;			/* those that came first stay */
	uint64_t other_events;
	uint64_t other_bytes;
	uint64_t missed;
};

/* The numbers for a value of --by: durations of a kind of pairs, or a field's
 * numbers. The value owns the list; there are at most CELLS_MAX in all. */
struct cell {
	struct cell *next;
	const void *of;			/* struct pair_kind or field_use */
	struct histogram numbers;
};

/* Durations of a kind. A pair that counts in `backwards` is not among them. */
struct durations {
	struct histogram ns;
	uint64_t cellless;		/* not told by value: no room */
	uint64_t backwards;		/* END is before BEGIN */
	uint64_t across;		/* events were lost in between */
	int64_t self;			/* ns; of functions: without those of
					 * calls in them */
	int64_t total;			/* ns; without those of calls inside
					 * another one of the function */
	bool mixed;			/* lanes are of several kinds */
	uint8_t lane_kind;
};

/* A pair that is told. The keys are a text with a NUL, cut where there is no
 * room; the pair itself is gone by then. */
struct long_pair {
	const struct pair_kind *kind;
	const struct trace_class *trace;
	int64_t begin;
	int64_t end;
	int64_t vtid;
	uint32_t cpu;
	uint8_t fate;
	bool across;			/* events were lost in between */
	char keys[64];
};

/* The longest pairs: a heap with the shortest first, once there are `max` of
 * them. */
struct longest {
	struct long_pair *list;
	uint32_t n;
	uint32_t max;
};

/* The numbers of --field, of one event's field or of a context, in all traces.
 * The texts are those of a class, or of the option. */
struct field_use {
	const char *name;		/* of the field */
	const char *event;		/* "app:reply", or NULL: a context */
	bool number;
	uint8_t unit;			/* of all of them, or 0 */
	struct histogram numbers;
	uint64_t cellless;		/* not told by value: no room */
	struct values values;
	struct field_use *next;
};

/* A field of a class of events, and the use that counts it. */
struct field_ref {
	struct field_at at;
	struct field_use *use;
};

/* Counts of an event's name, in all traces. Made by count_finish(). */
struct event_row {
	const char *name;
	uint64_t events;
	uint64_t bytes;
};

/* What an event means for a lock; of each, an example. */
enum lock_step {
	LOCK_NONE,
	LOCK_MAKE,			/* mutex_init_entry */
	LOCK_WAIT,			/* mutex_lock_entry */
	LOCK_TAKE,			/* mutex_lock_exit */
	LOCK_GIVE,			/* mutex_unlock_entry */
	LOCK_SLEEP,			/* cond_wait_entry */
	LOCK_RETAKE,			/* cond_wait_exit */
};

/* The same, and the fields of the class of events that tell of a lock. */
struct lock_use {
	enum lock_step step;
	struct field_at at;		/* address of the lock */
	struct field_at ret;		/* class: NULL without this field */
	struct field_at caller;		/* the same */
	const char *kind;
};

/* A class of events in one trace. The list has room for all names of --field,
 * of which `nfields` are in the class, and behind them for those of --by. */
struct report_class {
	uint64_t events;
	uint64_t bytes;
	bool watched;			/* there is more than to count */
	bool grouped;			/* it has all fields of --by */
	uint8_t nfields;
	struct lock_use lock;
	struct field_ref fields[];
};

/* A trace, and the counts of the trace's classes. */
struct report_trace {
	const struct trace_class *trace;
	struct report_class **classes;	/* by number */
	uint32_t nclasses;
	struct field_at vtid;		/* class: NULL without this context */
	uint64_t lost;
	int64_t lost_until;		/* the last time of these, if it is */
	bool dated;			/* known */
	int64_t last;			/* the time of the last event */
	uint64_t events;		/* set by count_finish() */
	uint64_t bytes;
};

/* The options and all counts. It is all zero at first, but for the options, and
 * count_free(), durations_free() and locks_free() free what hangs on it. */
struct report {
	struct look look;		/* first: loss_count() */
	const char *by;			/* as given */
	char key_text[KEYS_BYTES];	/* its names, each with a NUL */
	const char *keys[KEYS_MAX];
	unsigned int nkeys;
	const char *fields[FIELDS_MAX];
	unsigned int nfields;
	const char *rules[RULES_MAX];
	unsigned int nrules;
	uint32_t rows;			/* of a table; 0: all */
	double seconds;			/* of --for; 0: until Ctrl-C */
	char **paths;			/* of directories */
	int npaths;
	bool sorted;			/* --sort */
	enum histogram_figure sort;
	bool histogram;			/* for each value of --by */
	bool locks_only;		/* as text */
	bool functions_only;		/* the same */
	bool no_pager;
	bool stopped;			/* Ctrl-C: tells the events so far */

	struct schema_marks schemas;	/* with fields that are known */
	struct report_trace *traces;	/* by number */
	size_t ntraces;
	uint64_t events;
	uint64_t bytes;
	int64_t first;
	int64_t last;
	bool failed;			/* without memory */
	bool lockless;			/* lock events have no vtid */
	uint64_t locks_out;		/* events of locks that were left out */
	uint64_t locks_more;		/* events of more than these */

	struct event_row *names;	/* set by count_finish() */
	size_t nnames;
	struct pairs *pairs;
	struct pair_calls pair_calls;
	struct durations *durations;	/* by kind */
	size_t ndurations;
	uint32_t ncells;
	struct longest slowest;
	struct longest open;
	struct values groups;
	struct field_use *uses;
	struct locks *locks;
};

/*
 * count.c: counts events by class. count_open() makes the classes known that
 * the traces describe so far. count_event() counts an event, and what hangs on
 * it: pairs, locks, values; a failure sets r->failed, and the report is not
 * printed. count_finish() sums up by trace and name, and sorts the values; call
 * it once, after the last event. Return 0 or -ENOMEM. count_free() may be
 * called without count_open(). group_take() returns the value of --by in an
 * event of this class, as values_take() does; `found` is whether it has one.
 * count_loss() adds a loss of a trace, and notes until when the trace has lost
 * events: pairs open then may be of others.
 */
int count_open(struct report *r);
void count_event(struct report *r, const struct trace_event *event);
struct value *group_take(struct report *r, const struct report_class *class,
			 const struct trace_event *event, bool *found);
void count_loss(struct report *r, const struct trace_loss *loss);
int count_finish(struct report *r);
void count_free(struct report *r);

/* A field in an event. */
struct value_at {
	const struct field_class *class;
	const uint8_t *at;
	size_t bytes;
};

/*
 * values.c: values_take() returns the value, or NULL: it counts as another. It
 * is valid until the next call. `at` and `bytes` are of the event, whose class
 * must live as long as the values. values_take_keys() does the same for fields
 * that are one value together. values_count() counts an event of so many bytes
 * for a value. values_fix() lets the first `max` values stay. values_sort()
 * sorts by events, after which no value may be taken. value_text() writes a
 * text that ends in a NUL, and in "..." where it was cut; `room` is 5 or more.
 */
struct value *values_take(struct values *v, const struct field_class *class,
			  const uint8_t *at, size_t bytes);
struct value *values_take_keys(struct values *v, const struct value_at *keys,
			       unsigned int n);
void values_fix(struct values *v, uint32_t max);
void values_count(struct values *v, struct value *value, uint64_t bytes);
void values_sort(struct values *v);
void values_free(struct values *v);
void value_text(const struct value *value, char *text, size_t room);

/*
 * durations.c: durations_open() makes the pairs of the rules and returns a
 * status, after printing why it is not COMMAND_DONE. durations_free() frees all
 * that it made, and may be called without it. durations_of() returns NULL
 * without memory, and is valid until the next call for a new kind.
 * longest_sort() sorts the longest pair first, after which no pair may be
 * added.
 */
int durations_open(struct report *r);
void durations_free(struct report *r);
struct durations *durations_of(struct report *r, const struct pair_kind *kind);
void longest_sort(struct longest *l);

/* A row of a table by value, and the number by which rows are sorted. */
struct cell_row {
	const struct value *value;
	struct cell *cell;
	long double key;
};

/*
 * cells.c: cell_add() adds a number to those of a kind or field for a value, or
 * returns false if there is no room for one more cell, or `value` is NULL. It
 * sets r->failed without memory. cells_sorted() makes a list of a kind's or
 * field's cells, the greatest figure of --sort first; the caller frees it. It
 * returns their number, or 0 without memory. sort_key() returns the figure of a
 * distribution, or -infinity for one that has none.
 */
bool cell_add(struct report *r, struct value *value, const void *of,
	      long double number);
size_t cells_sorted(const struct report *r, const void *of,
		    struct cell_row **rows);
long double sort_key(struct histogram *h, enum histogram_figure figure);

/* An address in the program; the names that its class has are those of the
 * trace. The class is NULL where no address is known. */
struct lock_place {
	uint64_t address;
	const struct field_class *class;
};

/* A thread that held a lock. */
struct lock_holder {
	uint32_t vtid;
	uint64_t ns;			/* that others waited for it */
	uint64_t most;			/* of these: in one hold, which began */
	struct lock_place caller;	/* with this call */
};

/* A thread that waits for a lock, holds it, or sleeps without it. It is freed
 * when it does none of these, and when events of the process are missing. */
struct lock_thread {
	struct lock_thread *next;	/* which came later */
	uint32_t vtid;
	uint32_t depth;			/* how often it took the lock */
	int64_t held_since;
	struct lock_place caller;	/* of the call that took the lock */
	bool waits;
	bool sleeps;			/* in cond_wait() */
	bool blocked;			/* another held it at first */
	int64_t waits_since;
	struct lock_place waits_by;	/* of the call that waits */
};

/* A lock; it is known by the first three. Times are nanoseconds. */
struct lock {
	uint64_t address;
	const struct trace_class *trace;
	const char *kind;		/* "mutex" */
	const struct field_class *class;	/* of the address */
	struct lock_place init;		/* the first call that made it */
	struct lock_place first;	/* and the first that wanted it */
	bool several;			/* other calls made locks here, too */
	bool used;			/* more than made */
	uint64_t taken;
	uint64_t waited;		/* of these: while another held it */
	uint64_t failed;		/* trylock and timeouts */
	uint64_t wait_ns;
	uint64_t wait_max;
	uint64_t hold_ns;
	uint64_t hold_max;
	uint64_t blamed_ns;
	struct lock_holder *holders;	/* sorted by locks_sorted() */
	uint32_t nholders;
	struct lock_thread *threads;	/* after locks_finish(): that wait or
					 * hold at the process's last event, or
					 * do nothing */
	/* private */
	int64_t seen;			/* of the last event */
};

/*
 * locks.c: locks_class() looks up what the class of events means for a lock,
 * whose step stays LOCK_NONE if it means nothing. locks_event() counts an event
 * of such a class. locks_finish() counts, once and after the last event, the
 * waits and holds that are open; with --where, and where events are missing,
 * they are not known. locks_sorted() sets a list of the locks with the longest
 * wait first, which is valid until the next event, and returns their number.
 */
void locks_class(struct lock_use *use, const struct trace_class *trace,
		 const struct event_class *event);
void locks_event(struct report *r, const struct report_class *class,
		 const struct report_trace *trace,
		 const struct trace_event *event);
void locks_finish(struct report *r);
size_t locks_sorted(struct report *r, struct lock *const **sorted);
void locks_free(struct report *r);

/* Returns the name of a place, "on_reply+0x4 in server", or NULL. */
const char *lock_place_name(const struct lock_place *place);

/* A kind that is told, and the number by which the kinds are sorted. */
struct kind_row {
	const struct pair_kind *kind;
	long double key;
};

/* Makes a list of them, which the caller frees: the longest sum first, or the
 * greatest figure of --sort. Returns their number. */
size_t kinds_sorted(struct report *r, struct kind_row **rows);

/* Writes a number as a text that ends in a NUL; it is cut where there is no
 * room. */
typedef void print_number(char *text, size_t room, long double value);

/*
 * text.c: report_number() writes six digits of a number, report_rounded() three
 * in at most nine columns, and report_whole() all digits of an integer of 64
 * bits. counted_duration() is a print_number, too.
 */
print_number report_number;
print_number report_rounded;
print_number report_whole;

/* How the numbers of a distribution are written: each times `one`. */
struct number_form {
	print_number *number;
	long double one;
};

/* Returns the form of a field's numbers: a duration, if the field has such a
 * unit. */
struct number_form field_form(const struct field_use *use);

/* Writes a figure as a text of at most CELL_BYTES; "-" without numbers. The
 * sum of integers has all digits. */
#define CELL_BYTES	48
void report_figure(char *text, struct histogram *h, enum histogram_figure f,
		   const struct number_form *form);

/* Writes a time as --begin takes it, at most 64 bytes. */
void report_time(const struct report *r, int64_t ns, char *p);
/* The same as view's --begin and --end take it for all of the traces. */
void report_view_time(const struct report *r, int64_t ns, char *p);
/* Does so for the times between which view shows a pair. */
void report_view_pair(const struct report *r, const struct long_pair *pair,
		      char *begin, char *end);

/* Returns the nanoseconds from the first to the last event. */
uint64_t report_span(const struct report *r);

/* Returns events a second; 0: that cannot be told. */
double report_rate(const struct report *r, uint64_t events);

/* Print the heading and a row of a table of events; the last column is `name`.
 */
void report_columns(const char *name);
void report_row(const struct report *r, uint64_t events, uint64_t bytes,
		const char *name);

/* Says how many rows of n are not printed. */
void report_more(const struct report *r, size_t n, const char *what);

/* Prints a histogram; each number is printed times `one`. */
void report_rows(struct histogram *h, print_number *number, long double one);

/* print.c, sections.c: print a section of the report each, or nothing if there
 * is nothing to tell. They sort the lists that they print. */
void report_groups(struct report *r);
void report_pairs(struct report *r);
void report_fields(struct report *r);
void report_locks(struct report *r);
void report_functions(struct report *r);

/* print.c, json.c: print the whole report on standard output. A failure to
 * write is left to look_finish(). */
void report_print(struct report *r);
void report_json(struct report *r);

/* Returns an event's share in percent. */
static inline double share_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Returns whether a trace has a row in the table of processes. */
bool report_has_process(const struct report_trace *t);

/* Returns the rows of that table, the one with the most events first; NULL
 * without memory. The caller frees them. Shared buffers have one, too. */
const struct report_trace **report_processes(const struct report *r, size_t *n);

/* Returns what is counted of the trace that has the losses of this one. */
static inline const struct report_trace *
report_losses(const struct report *r, const struct trace_class *trace)
{
	return &r->traces[(trace->carrier ? trace->carrier : trace)->number];
}

/* Returns how many rows of a table are printed. */
static inline size_t rows_shown(const struct report *r, size_t n)
{
	return r->rows && r->rows < n ? r->rows : n;
}

#endif
