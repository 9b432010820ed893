/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail export: the events of traces in the form of other programs.
 *
 * Invariant: the options are checked against the traces before the target is
 * made, and the target has its name only when it is complete (target.h): a
 * signal or an error leaves nothing behind.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/common/counted.h"
#include "command/export/target.h"
#include "command/reading/look.h"
#include "command/reading/progress.h"
#include "traces/pairs/pairs.h"

#define IDS_BYTES	600
#define PAIRS_MAX	64
#define FORMATS		"json, csv, perfetto, sqlite or folded"

/* One export. Empty: all zeros. The exporter and the look have pointers to it,
 * so it stays in one place. */
struct run {
	struct look look;		/* first: loss_export() */
	struct exporter x;
	struct target target;
	const char *output;
	bool force;			/* keep a former output */
	const char *pairs[PAIRS_MAX];
	bool failed;			/* of callbacks in reader_next() */
};

/* Keys of the options that only this command has. */
enum key {
	KEY_FORMAT = 256, KEY_PAIR,
};

static const struct option_row rows[] = {
	{ KEY_FORMAT, "format", "WORD", FORMATS },
	{ OPTION_TEXT('o', struct run, output), "output", "FILE",
	  "write there; csv: into a directory, a file a type of event" },
	{ OPTION_FLAG(0, struct run, force), "force", NULL,
	  "if FILE is there, keep it as FILE.old" },
	{ KEY_PAIR, "pair", "RULE",
	  "perfetto: BEGIN,END[,KEY...] are a slice (repeatable)" },
	LOOK_PAIR_BY_ROW,
	LOOK_LIVE_ROWS,
	LOOK_ROWS,
	{ OPTION_FLAG(0, struct run, look.utc),
	  "utc", NULL, "read times of --begin and --end as UTC" },
	{ 0 }
};

/* The signal that ends the export, or 0. The exporter looks at it, too. */
static volatile sig_atomic_t stopped;

static void stop_reading(int signal)
{
	stopped = signal;
}

/* Ids of events, for a message. Empty: all zeros. */
struct ids {
	char text[IDS_BYTES];
	size_t n;			/* bytes of the text */
	char last[IDS_BYTES];
	int different;			/* ids */
};

/* Adds the id of a table to a message, cut where there is no room for more. Ids
 * that are equal come one after the other: they are tables of one event that
 * has had other fields. */
static void id_add(const char *id, void *priv)
{
	struct ids *ids = priv;
	size_t room = sizeof(ids->text) - ids->n;
	int n;

	if (!strcmp(id, ids->last))
		return;
	snprintf(ids->last, sizeof(ids->last), "%s", id);
	n = snprintf(ids->text + ids->n, room, "%s%s",
		     ids->different++ ? ", " : "", id);
	if (n >= 0 && (size_t)n < room) {
		ids->n += (size_t)n;
		return;
	}
	memcpy(ids->text + sizeof(ids->text) - 4, "...", 4);
	ids->n = sizeof(ids->text) - 1;
}

static void loss_export(const struct trace_loss *l, struct look *look)
{
	struct run *run = (struct run *)look;

	run->failed |= export_loss(&run->x, l) != 0;
}

static void pairs_told(const struct pairs *pairs, void *priv)
{
	struct run *run = priv;

	progress_clear(&run->look.progress);
	look_warn_notes(&run->look, pairs);
}

/* Writes all events. Without an error the target gets its name; after one, or a
 * signal, it is removed. Returns a status of enum command_exit, after printing
 * why it is not COMMAND_DONE; a signal that was caught ends this process. */
static int write_all(struct run *run)
{
	const struct trace_event *event;
	char why[sizeof(run->x.why)];
	int ret = export_open(&run->x);
	uint64_t n = 0;
	int closed;

	if (!ret) {
		while (!ret && !stopped &&
		       (event = reader_next(run->look.reader))) {
			ret = run->failed ? -EIO : export_put(&run->x, event);
			if (!(++n % PROGRESS_EVENTS))
				progress_step(&run->look.progress, n,
					      event->ns);
		}
		/* a loss after the last event was not written */
		if (run->failed && !ret)
			ret = -EIO;
		/* the first reason is told, not that of closing */
		memcpy(why, run->x.why, sizeof(why));
		closed = export_close(&run->x, !ret && !stopped);
		if (ret)
			memcpy(run->x.why, why, sizeof(why));
		else
			ret = closed;
	}
	progress_clear(&run->look.progress);
	/* before errors: the signal may have made one */
	if (stopped) {
		command_warn("interrupted after %llu events%s",
			     (unsigned long long)run->x.events,
			     run->target.made ? "; nothing is written" : "");
		target_drop(&run->target);
		/* a shell that runs a loop of commands expects that end */
		signal(stopped, SIG_DFL);
		raise(stopped);
		return COMMAND_FAILED;
	}
	if (ret) {
		/* the reader of a pipe has read enough */
		ret = ret == -EPIPE ? COMMAND_DONE :
		      command_failed("cannot write%s%s: %s",
				     run->output ? " " : "",
				     run->output ? run->output : "",
				     run->x.why);
		target_drop(&run->target);
		return ret;
	}
	if (run->x.moved_days)
		command_warn("the first event is before 1970, for which %s "
			     "has no times: all times are %s later than they "
			     "were", run->x.format->name,
			     counted((uint64_t)run->x.moved_days, "day"));
	/* the output stays, also where pairs for want of a thread are told */
	ret = target_keep(&run->target);
	return ret | look_tell_threadless(run->x.threadless_rule,
					  run->x.threadless);
}

/*
 * Exports all events that look_open() has opened. Returns a status of enum
 * command_exit, after printing why it is not COMMAND_DONE.
 *
 * Misuse is told before the target is made. The calls of the look are replaced
 * before the first event is read: a loss is told and exported then.
 */
static int run_export(struct run *run)
{
	/* a second signal ends this command at once */
	struct sigaction action = { .sa_handler = stop_reading,
				    .sa_flags = (int)SA_RESETHAND };
	const struct export_format *format = run->x.format;
	struct ids ids = { .n = 0 };
	int ret = COMMAND_DONE;

	/* both names of a rule need events, with the rule's keys */
	for (size_t i = 0; i < run->x.npairs && ret == COMMAND_DONE; i++)
		ret = look_check_pair(&run->look, run->pairs[i]);
	if (ret != COMMAND_DONE)
		return ret;
	if (!run->output && format->target == EXPORT_FILE)
		return command_misused("give -o FILE: %s cannot be written to "
				       "standard output", format->name);
	if (!run->output && format->target == EXPORT_TABLES &&
	    export_tables(&run->x, id_add, &ids) > 1)
		return ids.different == 1 ?
		       command_misused("events %s have different fields, so "
				       "they are several tables: give -o DIR",
				       ids.text) :
		       command_misused("each type of event is a table of its "
				       "own: give -o DIR, or --where and one "
				       "of: %s", ids.text);
	if (!run->output && format->binary && isatty(STDOUT_FILENO))
		return command_misused("give -o FILE: standard output is a "
				       "terminal");
	ret = target_open(&run->target, format, run->output, run->force);
	if (ret != COMMAND_DONE) {
		target_drop(&run->target);
		return ret;
	}
	run->x.fd = run->target.fd;
	run->x.path = run->target.made;
	run->x.directory = run->target.folder;
	run->x.stop = &stopped;
	run->x.paired = pairs_told;
	run->x.priv = run;
	run->x.pairs = run->pairs;
	run->x.by_cpu = run->look.by_cpu;
	run->look.lost = loss_export;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	progress_open(&run->look.progress, run->look.reader);
	return write_all(run);
}

/* Takes an option. Returns COMMAND_DONE, or another status after printing
 * why. */
static int take_option(void *object, int key, const char *value)
{
	struct run *run = object;

	if (key == KEY_PAIR) {
		static const struct pair_calls none;
		struct pairs *pairs = pairs_new(&none);
		const char *wrong = "";
		int ret = pairs ? pairs_add(pairs, value, &wrong) : -ENOMEM;

		/* checked at once: a false rule is misuse, not a failure
		 * after minutes */
		if (pairs)
			pairs_free(pairs);
		if (ret == -EINVAL)
			return command_misused("--pair '%s': %s", value, wrong);
		if (ret)
			return command_failed("out of memory");
		if (run->x.npairs == PAIRS_MAX)
			return command_misused("--pair: at most %d rules",
					       PAIRS_MAX);
		run->pairs[run->x.npairs++] = value;
		return COMMAND_DONE;
	}
	if (key != KEY_FORMAT)
		return look_option(&run->look, key, value);
	run->x.format = export_format_of(value);
	return run->x.format ? COMMAND_DONE :
	       command_misused("--format: '%s' is none of " FORMATS, value);
}

int export_main(int argc, char **argv)
{
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows,
		.shape = "[DIR... | -s NAME | -p PID]",
		.about = "Write the events of traces, or of a session's "
			 "buffers, in the form of\nother programs.",
	};
	struct run run = { 0 };
	int ret, closed, npaths;
	char **paths;

	if (!options_take(&options, &run, take_option))
		return options.status;
	if (!run.x.format)
		return command_misused("give --format and one of " FORMATS);
	if (run.x.npairs && !run.x.format->binary)
		return command_misused("--pair is for --format perfetto");
	if (run.look.by_cpu && !run.x.format->binary)
		return command_misused("--pair-by is for --format perfetto");
	paths = argv + options.index;
	npaths = argc - options.index;
	ret = look_check_sources(&run.look, &paths, &npaths);
	if (ret != COMMAND_DONE)
		return ret;
	/* a reader that has gone is an error of write(2), and no failure */
	signal(SIGPIPE, SIG_IGN);
	ret = look_open(&run.look, paths, npaths);
	run.x.reader = run.look.reader;
	run.x.where = run.look.where;
	if (ret == COMMAND_DONE)
		ret = run_export(&run);
	closed = look_close(&run.look);
	return ret == COMMAND_DONE ? closed : ret;
}
