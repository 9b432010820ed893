/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail report: counts the events of traces, and measures pairs of them,
 * fields and locks.
 *
 * Invariant: the report is printed once all events were read, or after Ctrl-C
 * from those that were; nothing but warnings is printed before. A session of
 * the command's own is taken back before it is printed.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/agents/visits.h"
#include "command/common/counted.h"
#include "command/common/monotonic.h"
#include "command/report/private.h"
#include "traces/array.h"

/*
 * Checks for events and fields that the user asked for, and the traces do not
 * have.
 *
 * Invariant: a check prints at most one message, for the first that is missing,
 * and a field's message lists the fields that there are.
 */

/* Room for the fields that a message lists; of more, it says "...". */
#define FIELDS_BYTES	1024

/* The names of fields, each once, and whether the wanted one is there. A name
 * that has no room is left out, and sets `more`. */
struct names {
	const char *only;		/* of these events, or NULL */
	const char *wanted;		/* or NULL */
	bool found;			/* it is there */
	char text[FIELDS_BYTES];
	size_t n;
	bool more;
};

/* Adds a name to the text unless it is there. The text ends in a NUL, with ", "
 * between two names. */
static void add_name(struct names *names, const char *name)
{
	size_t bytes = strlen(name);

	names->found |= names->wanted && !strcmp(names->wanted, name);
	for (const char *at = names->text; bytes && (at = strstr(at, name));
	     at += bytes)
		if ((at == names->text || at[-1] == ' ') &&
		    (!at[bytes] || at[bytes] == ','))
			return;
	if (names->n + bytes + 8 > sizeof(names->text)) {
		names->more = true;
		return;
	}
	names->n += (size_t)sprintf(names->text + names->n, "%s%s",
				    names->n ? ", " : "", name);
}

/* Adds the members of a structure, but not the lengths of its sequences, for
 * which no option may ask. A class may be NULL. */
static void add_members(struct names *names, const struct field_class *class)
{
	for (size_t i = 0; class && i < class->nmembers; i++)
		if (class->members[i].name && !class->members[i].is_length)
			add_name(names, class->members[i].name);
}

/* Lists the fields, and those that all events have; returns whether the wanted
 * one is there. */
static bool list_fields(const struct report *r, struct names *names)
{
	struct look_walk walk = { 0 };
	struct field_at at;

	while (look_next_class(&r->look, &walk)) {
		if (names->only &&
		    !event_name_is(walk.class->name, names->only))
			continue;
		add_members(names, walk.class->fields);
		add_members(names, walk.trace->context);
		/* also a member of a structure */
		names->found |= names->wanted &&
				field_at_find(&at, walk.trace, walk.class,
					      names->wanted);
	}
	add_name(names, "cpu");
	add_name(names, "vpid");
	add_name(names, "procname");
	return names->found;
}

/* Checks that an event of any trace has the field of an option. Returns
 * COMMAND_DONE, or COMMAND_FAILED after it printed which fields there are. */
static int check_field(const struct report *r, const char *option,
		       const char *name)
{
	struct names names = { .wanted = name };

	if (list_fields(r, &names))
		return COMMAND_DONE;
	return command_failed("%s: no event has the field '%s'; there are: "
			      "%s%s", option, name, names.text,
			      names.more ? ", ..." : "");
}

/* Reports events and fields that were asked for and are missing. Returns
 * COMMAND_DONE, or another status after printing the first of them. */
static int check_asked(const struct report *r)
{
	int ret = COMMAND_DONE;

	for (unsigned int i = 0; i < r->nrules && ret == COMMAND_DONE; i++)
		ret = look_check_events(&r->look, r->rules[i]);
	for (unsigned int i = 0; i < r->nfields && ret == COMMAND_DONE; i++)
		ret = check_field(r, "--field", r->fields[i]);
	for (unsigned int i = 0; i < r->nkeys && ret == COMMAND_DONE; i++)
		ret = check_field(r, "--by", r->keys[i]);
	return ret;
}

/* Does so for keys; needs the traces in r->pairs. */
static int check_keys(const struct report *r)
{
	struct pair_kind *const *kinds;
	size_t n = pairs_kinds(r->pairs, &kinds);

	/* the keys of the begin, and then of the end, of each rule */
	for (size_t i = 0; i < 2 * n && kinds[i / 2]->given; i++) {
		const struct pair_kind *kind = kinds[i / 2];
		const char *event = i % 2 ? kind->end : kind->begin;

		for (unsigned int k = 0; event && k < kind->nkeys; k++) {
			const char *key = i % 2 ? kind->end_keys[k] :
						  kind->begin_keys[k];
			struct names names = { .only = event, .wanted = key };

			if (!list_fields(r, &names))
				return command_failed("--pair '%s': %s has no "
						      "field '%s'; it has: %s",
						      kind->name, event, key,
						      names.text);
		}
	}
	return COMMAND_DONE;
}

#define ROWS_SHOWN	20u
#define LAST_PAUSE_MS	50		/* an event is in the buffers by then */
#define EXIT_INTERRUPTED	(128 + SIGINT)

enum key {
	KEY_PAIR = 256, KEY_BY, KEY_FIELD, KEY_SORT, KEY_SLOWEST, KEY_ROWS,
};

static const struct option_row rows[] = {
	{ KEY_PAIR, "pair", "RULE",
	  "measure BEGIN,END[,KEY...]: from event BEGIN to END, with the same "
	  "values of fields KEY (repeatable)" },
	LOOK_PAIR_BY_ROW,
	{ KEY_BY, "by", "FIELD",
	  "tell events, pairs and numbers of --field by this field's value; "
	  "of several fields with commas, by all of their values" },
	{ KEY_FIELD, "field", "NAME",
	  "tell the values of a field (repeatable)" },
	{ KEY_SORT, "sort", "WORD",
	  "sort tables of pairs and by value: count, sum, min, mean, p50, p90, "
	  "p99, p99.9 or max, the greatest first" },
	{ OPTION_FLAG(0, struct report, histogram), "histogram", NULL,
	  "with --by: print a histogram for each value" },
	{ KEY_SLOWEST, "slowest", "N", "list the N longest pairs" },
	{ OPTION_FLAG(0, struct report, locks_only),
	  "locks", NULL, "print the table of locks alone" },
	{ OPTION_FLAG(0, struct report, functions_only), "functions", NULL,
	  "print the table of functions alone (fn: rules)" },
	{ KEY_ROWS, "rows", "N",
	  "print at most N rows of a table; 0: all (default 20)" },
	{ OPTION_JSON, "json", NULL, "print JSON" },
	LOOK_LIVE_ROWS,
	LOOK_VISIT_ROWS,
	{ OPTION_FOR(struct report, seconds), "for", "TIME",
	  "with -e: count for this time (default: until Ctrl-C)" },
	LOOK_ROWS,
	LOOK_NONE_ROW,
	{ OPTION_FLAG(0, struct report, look.utc),
	  "utc", NULL, "print and read times as UTC" },
	{ OPTION_FLAG(0, struct report, no_pager),
	  "no-pager", NULL, "do not start a pager" },
	{ 0 }
};

/* Set by stop_reading() alone. */
static volatile sig_atomic_t stopped;

/* The handler of SIGINT, which is safe in a signal. The second SIGINT ends the
 * command. */
static void stop_reading(int number)
{
	stopped = 1;
}

/* Parses a number from 0 to `most`; a sign or a blank is none. Returns
 * COMMAND_DONE, or COMMAND_USAGE after it printed why. */
static int take_number(uint32_t *to, const char *value, uint32_t most,
		       const char *what)
{
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(value, &end, 10);
	if (errno || *end || *value < '0' || *value > '9' || number > most)
		return command_misused("'%s' is no number of %s up to %u",
				       value, what, most);
	*to = (uint32_t)number;
	return COMMAND_DONE;
}

/* Of the reader, which tells a loss before the events behind it. */
static void loss_count(const struct trace_loss *loss, struct look *look)
{
	count_loss((struct report *)look, loss);
}

/* Counts the events of traces, until there are no more, or Ctrl-C. */
static void count_recorded(struct report *r)
{
	struct sigaction action = { .sa_handler = stop_reading,
				    .sa_flags = (int)SA_RESETHAND };
	const struct trace_event *event;
	uint64_t events = 0;

	sigaction(SIGINT, &action, NULL);
	progress_open(&r->look.progress, r->look.reader);
	while ((event = reader_next(r->look.reader))) {
		count_event(r, event);
		if (++events % PROGRESS_EVENTS)
			continue;
		progress_step(&r->look.progress, events, event->ns);
		if (stopped || r->failed)
			break;
	}
	progress_clear(&r->look.progress);
	r->stopped = stopped;
}

/* Counts the events of the command's own session until --for, Ctrl-C, or the
 * end of the processes, and takes the session back. An event counts when all
 * earlier ones are there: see look_recorded(). */
static void count_living(struct report *r)
{
	struct look *look = &r->look;
	uint64_t over = r->seconds > 0 ?
			monotonic_ns() + (uint64_t)(r->seconds * 1e9) :
			UINT64_MAX;
	const struct trace_event *event;
	bool on = true, last = false;
	int64_t until;

	if (over == UINT64_MAX && isatty(STDERR_FILENO))
		command_warn("counting events; Ctrl-C ends this, and prints the "
			     "report");
	while (on && !last && !r->failed) {
		uint64_t now = monotonic_ns();

		last = look_interrupted() || now >= over;
		if (last)
			poll(NULL, 0, LAST_PAUSE_MS);
		else
			look_pause(look, over - now);
		on = look_recorded(look, &until);
		r->failed |= reader_refresh(look->reader) != 0;
		reader_follow(look->reader, until);
		while (!r->failed && (event = reader_next(look->reader)))
			count_event(r, event);
	}
	look_leave(look);
}

/*
 * Counts all events, until there are no more, memory is out, or Ctrl-C, and
 * prints the report. Returns a status after it printed why. What is asked for
 * is checked in two steps: events and fields before anything is counted, and
 * keys of rules once the kinds of pairs are known.
 */
static int run_report(struct report *r)
{
	struct pair_kind *const *kinds;
	size_t n;
	int ret = check_asked(r);

	if (ret != COMMAND_DONE)
		return ret;
	r->look.quiet_losses = true;
	if (count_open(r))
		return command_failed("out of memory");
	ret = check_keys(r);
	if (ret != COMMAND_DONE)
		return ret;
	if (r->look.follow)
		count_living(r);
	else
		count_recorded(r);
	pairs_finish(r->pairs);
	locks_finish(r);
	if (r->failed || pairs_error(r->pairs) || count_finish(r))
		return command_failed("out of memory");
	if (!command_json() && !r->no_pager)
		pager_begin(&r->look);
	if (command_json())
		report_json(r);
	else
		report_print(r);
	ret = look_finish();
	ret |= pager_end();
	n = pairs_kinds(r->pairs, &kinds);
	for (size_t i = 0; i < n && kinds[i]->given; i++)
		ret |= look_tell_threadless(kinds[i]->name,
					    kinds[i]->threadless);
	if (r->look.follow && r->look.overwritten)
		command_warn("%s overwritten before they could be counted: a "
			     "larger --buffer-size loses fewer",
			     counted(r->look.overwritten, "event"));
	else if (r->look.follow && !r->events && !r->look.fail_if_none &&
		 r->look.where && r->look.totals.written)
		command_warn("the rules had %s meanwhile, and --where chose "
			     "none", counted(r->look.totals.written, "event"));
	else if (r->look.follow && !r->events && !r->look.fail_if_none)
		command_warn("the rules had no event meanwhile");
	if (r->stopped && ret == COMMAND_DONE) {
		command_warn("interrupted: the rest was not read");
		return EXIT_INTERRUPTED;
	}
	return ret;
}

/* Takes an option. Returns COMMAND_DONE, or COMMAND_USAGE after it printed
 * why. */
static int take_option(void *report, int key, const char *value)
{
	struct report *r = report;
	char *rest, *name;

	switch (key) {
	case KEY_PAIR:
		if (r->nrules == RULES_MAX)
			return command_misused("--pair: at most %d rules",
					       RULES_MAX);
		r->rules[r->nrules++] = value;
		return COMMAND_DONE;
	case KEY_BY:
		if (r->by && strcmp(r->by, value))
			return command_misused("--by '%s' and '%s': give one, "
					       "or both as %s,%s", r->by,
					       value, r->by, value);
		r->by = value;
		snprintf(r->key_text, sizeof(r->key_text), "%s", value);
		rest = r->key_text;
		for (r->nkeys = 0; rest; r->nkeys++) {
			name = strsep(&rest, ",");
			if (!*name || r->nkeys == KEYS_MAX ||
			    strlen(value) >= sizeof(r->key_text))
				return command_misused("--by '%s': give up to "
						       "%d fields with commas "
						       "between them", value,
						       KEYS_MAX);
			r->keys[r->nkeys] = name;
		}
		return COMMAND_DONE;
	case KEY_FIELD:
		if (r->nfields == FIELDS_MAX)
			return command_misused("--field: at most %d names",
					       FIELDS_MAX);
		r->fields[r->nfields++] = value;
		return COMMAND_DONE;
	case KEY_SORT:
		r->sorted = true;
		for (r->sort = 0; histogram_word(r->sort); r->sort++)
			if (!strcmp(histogram_word(r->sort), value))
				return COMMAND_DONE;
		return command_misused("--sort '%s': give count, sum, min, "
				       "mean, p50, p90, p99, p99.9 or max",
				       value);
	case KEY_SLOWEST:
		return take_number(&r->slowest.max, value, SLOWEST_MAX,
				   "pairs");
	case KEY_ROWS:
		return take_number(&r->rows, value, INT32_MAX, "rows");
	default:
		return look_option(&r->look, key, value);
	}
}

/* Checks what goes with -e. Returns COMMAND_DONE, or COMMAND_USAGE after it
 * printed why. */
static int check_living(struct report *r)
{
	struct look *look = &r->look;
	int ret = look_check_visit(look);

	look->follow = look->keep = look->visit && look->visit->nrules;
	if (ret != COMMAND_DONE)
		return ret;
	if (r->seconds > 0 && !look->follow)
		return command_misused("--for is the time of a session of the "
				       "command's own: add -p PID -e RULE");
	if (look->follow && (look->begin || look->end))
		return command_misused("--begin and --end choose among events "
				       "that are there; with -e, --for ends "
				       "the time");
	return COMMAND_DONE;
}

int report_main(int argc, char **argv)
{
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows,
		.shape = "[DIR... | -s NAME | -p PID [-e RULE]]",
		.about = "Count the events of traces, or of a session's "
			 "buffers, and measure durations\nof pairs of them, "
			 "fields, and locks.",
	};
	struct report r = { .rows = ROWS_SHOWN, .look.visits = true };
	int ret, closed;

	if (!options_take(&options, &r, take_option))
		return options.status;
	if (r.histogram && !r.by)
		return command_misused("--histogram: give --by FIELD; kinds of "
				       "pairs and fields have theirs without "
				       "it");
	if ((r.locks_only || r.functions_only) && !command_json() &&
	    (r.by || r.nfields || r.nrules || r.slowest.max))
		return command_misused("%s prints one table: --pair, --by, "
				       "--field and --slowest have no place in "
				       "it%s", r.locks_only ? "--locks" :
				       "--functions", r.locks_only || !r.by ?
				       "" : ": without it, 'report --by FIELD' "
				       "has a table of each function's calls");
	ret = check_living(&r);
	if (ret != COMMAND_DONE)
		return ret;
	r.paths = argv + options.index;
	r.npaths = argc - options.index;
	ret = look_check_sources(&r.look, &r.paths, &r.npaths);
	if (ret != COMMAND_DONE)
		return ret;
	/* a write fails in place of it, and look_finish() knows why */
	signal(SIGPIPE, SIG_IGN);
	if (r.look.follow)
		look_interrupt();
	r.look.lost = loss_count;
	/* before an agent is loaded for rules that cannot be measured */
	ret = durations_open(&r);
	if (ret == COMMAND_DONE)
		ret = look_open(&r.look, r.paths, r.npaths);
	if (ret == COMMAND_DONE)
		ret = run_report(&r);
	if (ret == COMMAND_DONE)
		ret = look_check_none(&r.look);
	/* the counts point to classes of the reader, which goes last */
	locks_free(&r);
	count_free(&r);
	durations_free(&r);
	closed = look_close(&r.look);
	return ret == COMMAND_DONE ? closed : ret;
}
