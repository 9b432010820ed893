/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail view: the events of traces as text, in the order of time.
 *
 * A line has the short form on a terminal, elsewhere the long one, and that of
 * babeltrace2 with --raw.
 *
 * Invariant: a file gets whole lines, so that a signal leaves no half one; and
 * a command that follows prints each event once, also where it waits for times
 * that only later events decide.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/agents/visits.h"
#include "command/common/command.h"
#include "command/common/limits.h"
#include "command/common/monotonic.h"
#include "command/reading/look.h"
#include "command/reading/progress.h"
#include "command/view/call-graph-private.h"
#include "traces/text/event-text.h"

#define FIELDS_MAX	128
#define LINE_ROOM_BYTES	(64 << 10)	/* a line has this, nearly always */

/* One command. Empty: all zeros. */
struct view {
	struct look look;
	struct event_text text;
	struct out out;
	uint64_t tail;			/* 0: all events */
	double seconds;			/* of --for; 0: until the end */
	const char *color;		/* the value of --color, or NULL */
	bool formed;			/* an option chose text.form */
	bool no_pager;
	bool graphed;			/* --graph */
	struct graph *graph;
	bool terminal;			/* standard output is one, or the
					 * pager's is */
	bool file;			/* it is a regular file */
	const char *fields[FIELDS_MAX];	/* names of --fields; text.nonly of
					 * them */
};

/* Keys of the options that only this command has. */
enum key {
	KEY_TAIL = 256, KEY_FOLLOW, KEY_FIELDS, KEY_RAW, KEY_LONG, KEY_SHORT,
};

static const struct option_row rows[] = {
	LOOK_LIVE_ROWS,
	LOOK_VISIT_ROWS,
	LOOK_ROWS,
	LOOK_NONE_ROW,
	{ KEY_TAIL, "tail", "N", "only the last N events" },
	{ KEY_FOLLOW, "follow", NULL,
	  "go on while the directory is being recorded, or the session is "
	  "there" },
	{ OPTION_FOR(struct view, seconds),
	  "for", "TIME", "with --follow: end after this time" },
	{ KEY_FIELDS, "fields", "LIST",
	  "only these fields and contexts: NAME,NAME,..." },
	{ OPTION_FLAG(0, struct view, text.messages), "messages", NULL,
	  "print the texts that markers have for people, not their fields" },
	{ OPTION_FLAG(0, struct view, graphed), "graph", NULL,
	  "calls of functions (fn: rules), indented, with their durations" },
	{ KEY_SHORT, "short", NULL,
	  "the form of a terminal: time, thread, name, fields" },
	{ KEY_LONG, "long", NULL,
	  "the form elsewhere: with the host, the process and the CPU" },
	{ KEY_RAW, "raw", NULL,
	  "what babeltrace2 prints, to the byte: no units, numbers with names" },
	{ OPTION_FLAG(0, struct view, text.delta), "delta", NULL,
	  "short: the time since the event before, not the time of day" },
	{ OPTION_FLAG(0, struct view, text.no_delta), "no-delta", NULL,
	  "long, raw: leave out the time since the event before" },
	{ OPTION_FLAG(0, struct view, text.dates),
	  "dates", NULL, "print the date, too" },
	{ OPTION_FLAG(0, struct view, look.utc),
	  "utc", NULL, "print and read times as UTC" },
	{ OPTION_TEXT(0, struct view, color), "color", "WHEN",
	  "always, never or auto: on a terminal (the default)" },
	{ OPTION_FLAG(0, struct view, no_pager),
	  "no-pager", NULL, "do not start a pager" },
	{ 0 }
};

/* Takes an option; `value` must live as long as the command. Returns
 * COMMAND_DONE, or another status after printing why. */
static int take_option(void *view, int key, const char *value)
{
	struct view *v = view;
	char *end, *name, *rest;

	switch (key) {
	case KEY_TAIL:
		errno = 0;
		v->tail = strtoull(value, &end, 10);
		if (errno || *end || *value < '0' || *value > '9' || !v->tail)
			return command_misused("'%s' is no number of events",
					       value);
		break;
	case KEY_FIELDS:
		/* the names stay until the end */
		rest = command_need(strdup(value));
		while ((name = strsep(&rest, ","))) {
			if (!*name)
				continue;
			if (v->text.nonly == FIELDS_MAX)
				return command_misused("--fields: at most %d "
						       "names", FIELDS_MAX);
			v->fields[v->text.nonly++] = name;
		}
		v->text.only = v->fields;
		if (!v->text.nonly)
			return command_misused("--fields: no name");
		break;
	case KEY_FOLLOW:
		v->look.follow = v->look.keep = true;
		break;
	case KEY_RAW:
	case KEY_LONG:
	case KEY_SHORT:
		v->look.calls.raw = key == KEY_RAW;
		v->text.form = key == KEY_RAW ? EVENT_RAW :
			       key == KEY_LONG ? EVENT_LONG : EVENT_SHORT;
		v->formed = true;
		break;
	default:
		return look_option(&v->look, key, value);
	}
	return COMMAND_DONE;
}

/* Chooses the form where no option has. Returns COMMAND_DONE, or COMMAND_USAGE
 * after printing which options have no meaning together. */
static int choose_form(struct view *v)
{
	if (v->graphed && (v->formed || v->text.delta || v->text.messages))
		return command_misused("--graph has a form of its own, without "
				       "--raw, --long, --short, --delta and "
				       "--messages");
	if (!v->formed)
		v->text.form = v->terminal || v->text.delta ? EVENT_SHORT :
							      EVENT_LONG;
	if (v->text.delta && v->text.form != EVENT_SHORT)
		return command_misused("--delta is of the short form; the "
				       "others have both times");
	if (v->text.delta && v->text.no_delta)
		return command_misused("--delta and --no-delta exclude each "
				       "other");
	return COMMAND_DONE;
}

/* Returns whether events can be of several processes, or of several programs of
 * one. Of those that come later, nothing is known. */
static bool has_several(const struct view *v)
{
	const struct trace_class *first = NULL;
	struct look_walk walk = { 0 };

	if (v->look.follow && !v->look.pid)
		return true;
	while (look_next_class(&v->look, &walk)) {
		if (walk.trace->shared)
			continue;
		if (!first)
			first = walk.trace;
		if (walk.trace->vpid != first->vpid ||
		    strcmp(walk.trace->procname, first->procname))
			return true;
	}
	return false;
}

/* Prints all events but the next *skip, and counts these down. Writes whole
 * lines to a file before the buffer is full, so a signal that ends the command
 * leaves no half line, unless one is very long. An error stays in v->out. */
static void print_events(struct view *v, uint64_t *skip)
{
	const struct trace_event *event;
	sigset_t ends, before;
	uint64_t n = 0;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	while ((event = reader_next(v->look.reader)) && !v->out.error) {
		if (!(++n % PROGRESS_EVENTS))
			progress_step(&v->look.progress, n, event->ns);
		if (*skip)
			--*skip;
		else if (v->graph)
			graph_put(v->graph, event);
		else
			event_text_put(&v->text, event);
		if (!v->file || v->out.end - v->out.p > LINE_ROOM_BYTES)
			continue;
		sigprocmask(SIG_BLOCK, &ends, &before);
		out_flush(&v->out);
		sigprocmask(SIG_SETMASK, &before, NULL);
	}
}

/*
 * Prints new events until every recorder, or the session, has ended. Returns
 * COMMAND_DONE, or COMMAND_FAILED after printing why; an error of the output
 * stays in v->out.
 *
 * Invariant: an event is printed only when all earlier ones are there: the
 * reader gives none from `until` on, and reader_refresh() comes after the look
 * that has told that time.
 */
static int follow_recording(struct view *v)
{
	uint64_t over = v->seconds > 0 ?
			monotonic_ns() + (uint64_t)(v->seconds * 1e9) :
			UINT64_MAX;
	int64_t until, end = TIME_MAX;
	bool on = true, begun = false, last = false;
	int ret = COMMAND_DONE;
	uint64_t skip = 0;

	reader_follow(v->look.reader, reader_end(v->look.reader));
	while (on && !v->out.error && !look_interrupted()) {
		/* what came before that time is printed */
		last = monotonic_ns() >= over;
		/* a recorder that ends now has written all */
		on = look_recorded(&v->look, &until);
		if (reader_refresh(v->look.reader))
			v->out.error = -ENOMEM;
		/* which events are printed may be known only later */
		if (!begun) {
			ret = look_date(&v->look, on, until);
			if (ret != COMMAND_DONE)
				break;
			begun = !v->look.undated &&
				(!v->tail || !on || until > LOOK_UNTOLD);
			if (begun && v->tail)
				skip = reader_tail(v->look.reader, v->tail);
			end = reader_end(v->look.reader);
		}
		if (begun) {
			reader_follow(v->look.reader,
				      until < end ? until : end);
			print_events(v, &skip);
			out_flush(&v->out);
		}
		if (!on || last || (begun && until >= end))
			break;
		look_pause(&v->look, UINT64_MAX);
	}
	return ret;
}

/* Prints the events, or the last --tail of them, or follows. Returns
 * COMMAND_DONE, or COMMAND_FAILED after printing why. */
static int run_view(struct view *v)
{
	int ret, status = COMMAND_DONE;
	uint64_t skip = 0;
	struct stat out;

	if (out_open(&v->out, STDOUT_FILENO))
		return command_failed("out of memory");
	v->out.terminal = v->terminal;
	v->text.out = &v->out;
	event_text_open(&v->text);
	if (v->graphed)
		v->graph = graph_open(&v->out, v->look.reader);
	if (v->graphed && !v->graph)
		v->out.error = -ENOMEM;
	v->file = !fstat(STDOUT_FILENO, &out) && S_ISREG(out.st_mode);
	if (v->look.follow) {
		status = follow_recording(v);
	} else {
		/* text that goes into a file shows nothing by itself */
		if (v->file)
			progress_open(&v->look.progress, v->look.reader);
		if (v->tail)
			skip = reader_tail(v->look.reader, v->tail);
		print_events(v, &skip);
	}
	progress_clear(&v->look.progress);
	graph_close(v->graph);
	ret = out_close(&v->out);
	event_text_free(&v->text);
	/* the reader of a pipe has read enough */
	if (ret && ret != -EPIPE)
		return command_failed("cannot write: %s", limits_raise(-ret));
	return status;
}

int view_main(int argc, char **argv)
{
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows,
		.shape = "[DIR... | -s NAME | -p PID [-e RULE]]",
		.about = "Print the events of traces that record or snapshot "
			 "wrote, or of a session's\nbuffers, in the order of "
			 "time.",
	};
	struct view v = { .look.visits = true };
	char nearest[512], **paths;
	int ret, closed, npaths;

	if (!options_take(&options, &v, take_option))
		return options.status;
	v.text.utc = v.look.utc;
	paths = argv + options.index;
	npaths = argc - options.index;
	ret = look_check_visit(&v.look);
	if (ret == COMMAND_DONE && !v.look.follow && v.look.visit &&
	    v.look.visit->nrules)
		ret = command_misused("-e makes a session, whose events are to "
				      "come: add --follow");
	if (ret == COMMAND_DONE && !v.look.follow && v.seconds > 0)
		ret = command_misused("--for ends what --follow begins: add "
				      "--follow");
	if (ret == COMMAND_DONE)
		ret = look_check_sources(&v.look, &paths, &npaths);
	if (ret != COMMAND_DONE)
		return ret;
	if (!color_when(v.color, &v.text.color))
		return command_misused("--color: '%s' is none of always, "
				       "never, auto", v.color);
	/* before the pager becomes standard output */
	v.terminal = isatty(STDOUT_FILENO);
	ret = choose_form(&v);
	if (ret != COMMAND_DONE)
		return ret;
	/* a reader that has gone is an error of write(2), and no failure */
	signal(SIGPIPE, SIG_IGN);
	if (v.look.follow)
		look_interrupt();
	ret = look_open(&v.look, paths, npaths);
	/* events that come later may have any field */
	for (size_t i = 0; ret == COMMAND_DONE && i < v.text.nonly &&
	     !v.look.follow; i++) {
		const char *name = v.fields[i];

		if (!strcmp(name, "cpu_id") || look_has(&v.look, NULL, name))
			continue;
		look_nearest_fields(&v.look, name, nearest, sizeof(nearest));
		ret = command_failed("--fields: no event has the field or "
				     "context '%s'%s", name, nearest);
	}
	/* the pager comes when nothing is left to refuse */
	if (ret == COMMAND_DONE) {
		v.text.named = has_several(&v);
		if (!v.no_pager && !v.look.follow)
			pager_begin(&v.look);
		ret = run_view(&v);
		if (ret == COMMAND_DONE)
			ret = look_check_none(&v.look);
		ret |= pager_end();
		if (v.look.follow && !look_interrupted())
			ret |= look_follow_whole(&v.look);
	}
	closed = look_close(&v.look);
	return ret == COMMAND_DONE ? closed : ret;
}
