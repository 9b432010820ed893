/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail view: the events of traces as text, in the order of time.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/tunables.h"
#include "command/common/command.h"
#include "command/common/limits.h"
#include "command/reading/look.h"
#include "command/reading/progress.h"
#include "traces/text/event-text.h"

#define FIELDS_MAX	128
#define LINE_ROOM_BYTES	(64 << 10)	/* a line has this, nearly always */

enum key {
	KEY_TAIL = 256,
	KEY_FOLLOW,
	KEY_NO_DELTA,
	KEY_DATES,
	KEY_UTC,
	KEY_FIELDS,
	KEY_MESSAGES,
	KEY_COLOR,
	KEY_NO_PAGER,
};

static const struct option_row rows[] = {
	LOOK_LIVE_ROWS,
	LOOK_ROWS,
	{ KEY_TAIL, "tail", "N", "only the last N events" },
	{ KEY_FOLLOW, "follow", NULL,
	  "go on while the directory is being recorded, or the session is "
	  "there" },
	{ KEY_FIELDS, "fields", "LIST",
	  "only these fields and contexts: NAME,NAME,..." },
	{ KEY_MESSAGES, "messages", NULL,
	  "print the texts that markers have for people, not their fields" },
	{ KEY_NO_DELTA, "no-delta", NULL,
	  "leave out the time since the event before" },
	{ KEY_DATES, "dates", NULL, "print the date, too" },
	{ KEY_UTC, "utc", NULL, "print and read times as UTC" },
	{ KEY_COLOR, "color", "WHEN",
	  "always, never or auto: on a terminal (the default)" },
	{ KEY_NO_PAGER, "no-pager", NULL, "do not start a pager" },
	{ 0 }
};

struct view {
	struct look look;
	struct event_text text;
	struct out out;
	struct progress progress;
	struct reader_calls calls;	/* of look */
	uint64_t tail;
	const char *color;
	bool no_pager;
	bool terminal;			/* standard output is one, or the
					 * pager's is */
	bool file;			/* it is a regular file */
	const char *fields[FIELDS_MAX];
};

static int take_fields(struct view *v, const char *list)
{
	char *copy = strdup(list), *rest = NULL;

	if (!copy)
		return command_failed("out of memory");
	for (char *name = strtok_r(copy, ",", &rest); name;
	     name = strtok_r(NULL, ",", &rest)) {
		if (v->text.nonly == FIELDS_MAX)
			return command_misused("--fields: at most %d names",
					       FIELDS_MAX);
		v->fields[v->text.nonly++] = name;
	}
	v->text.only = v->fields;
	if (!v->text.nonly)
		return command_misused("--fields: no name");
	return COMMAND_DONE;
}

static int take_option(struct view *v, int key, const char *value)
{
	char *end;

	switch (key) {
	case KEY_TAIL:
		errno = 0;
		v->tail = strtoull(value, &end, 10);
		if (errno || *end || *value < '0' || *value > '9' || !v->tail)
			return command_misused("'%s' is no number of events",
					       value);
		break;
	case KEY_FIELDS:
		return take_fields(v, value);
	case KEY_FOLLOW:
		v->look.follow = v->look.keep = true;
		break;
	case KEY_MESSAGES:
		v->text.messages = true;
		break;
	case KEY_NO_DELTA:
		v->text.no_delta = true;
		break;
	case KEY_DATES:
		v->text.dates = true;
		break;
	case KEY_UTC:
		v->text.utc = true;
		v->look.utc = true;
		break;
	case KEY_COLOR:
		v->color = value;
		break;
	case KEY_NO_PAGER:
		v->no_pager = true;
		break;
	default:
		return look_option(&v->look, key, value);
	}
	return COMMAND_DONE;
}

/* Events that come later may have any field. */
static int check_fields(const struct view *v)
{
	char nearest[512];

	for (size_t i = 0; i < v->text.nonly && !v->look.follow; i++) {
		const char *name = v->fields[i];

		if (!strcmp(name, "cpu_id") || look_has(&v->look, NULL, name))
			continue;
		look_nearest_fields(&v->look, name, nearest, sizeof(nearest));
		return command_failed("--fields: no event has the field or "
				      "context '%s'%s", name, nearest);
	}
	return COMMAND_DONE;
}

static void problem_met(const char *where, const char *fact, void *priv)
{
	struct view *v = priv;

	progress_clear(&v->progress);
	v->calls.problem(where, fact, &v->look);
}

static void loss_met(const struct trace_loss *l, void *priv)
{
	struct view *v = priv;

	progress_clear(&v->progress);
	v->calls.loss(l, &v->look);
}

/* Text that goes into a file shows nothing by itself. */
static void open_progress(struct view *v)
{
	struct stat out;

	v->file = !fstat(STDOUT_FILENO, &out) && S_ISREG(out.st_mode);
	if (v->look.follow || !v->file)
		return;
	v->calls = v->look.calls;
	v->look.calls = (struct reader_calls){ problem_met, loss_met, v };
	progress_open(&v->progress, v->look.reader);
}

/* Writes whole lines to a file before the buffer is full, so a signal that ends
 * the command leaves no half line, unless one is very long. */
static void flush_lines(struct view *v)
{
	sigset_t ends, before;

	if (!v->file || v->out.end - v->out.p > LINE_ROOM_BYTES)
		return;
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, &before);
	out_flush(&v->out);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* Prints all events but the next *skip, and counts these down. */
static void print_events(struct view *v, uint64_t *skip)
{
	const struct trace_event *event;
	uint64_t n = 0;

	while ((event = reader_next(v->look.reader)) && !v->out.error) {
		if (!(++n % PROGRESS_EVENTS))
			progress_step(&v->progress, n, event->ns);
		if (*skip)
			--*skip;
		else
			event_text_put(&v->text, event);
		flush_lines(v);
	}
}

/* Returns the processor time of this command. */
static int64_t spent_ms(void)
{
	struct timespec spent;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
	return (int64_t)spent.tv_sec * 1000 + spent.tv_nsec / 1000000;
}

/* Decides which events are printed, once that is known. Returns whether it is
 * known, or cannot be. */
static bool follow_begin(struct view *v, bool on, int64_t until, int *ret,
			 uint64_t *skip)
{
	*ret = look_date(&v->look, on, until);
	if (*ret != COMMAND_DONE)
		return true;
	if (v->look.undated || (v->tail && on && until <= LOOK_UNTOLD))
		return false;
	if (v->tail)
		*skip = reader_tail(v->look.reader, v->tail);
	return true;
}

/* Prints new events until every recorder, or the session, has ended. */
static int follow_recording(struct view *v)
{
	int64_t until, end = TIME_MAX;
	bool on = true, begun = false;
	int ret = COMMAND_DONE;
	uint64_t skip = 0;

	reader_follow(v->look.reader, reader_end(v->look.reader));
	while (on && !v->out.error && !look_interrupted()) {
		int64_t cost = -spent_ms();

		/* a recorder that ends now has written all */
		on = look_recorded(&v->look, &until);
		cost += spent_ms();
		if (reader_refresh(v->look.reader))
			v->out.error = -ENOMEM;
		if (!begun) {
			begun = follow_begin(v, on, until, &ret, &skip);
			end = reader_end(v->look.reader);
		}
		if (ret != COMMAND_DONE)
			break;
		if (begun) {
			reader_follow(v->look.reader,
				      until < end ? until : end);
			print_events(v, &skip);
			out_flush(&v->out);
		}
		if (!on || (begun && until >= end))
			break;
		/* looks take a tenth of the time, at most */
		cost *= 10;
		if (cost < FOLLOW_PAUSE_MS)
			cost = FOLLOW_PAUSE_MS;
		if (cost > FOLLOW_PAUSE_MAX_MS)
			cost = FOLLOW_PAUSE_MAX_MS;
		poll(NULL, 0, (int)cost);
	}
	return ret;
}

/* Prints the events, or the last --tail of them, or follows. */
static int run_view(struct view *v)
{
	int ret = out_open(&v->out, STDOUT_FILENO), status = COMMAND_DONE;
	uint64_t skip = 0;

	if (ret)
		return command_failed("out of memory");
	v->out.terminal = v->terminal;
	v->text.out = &v->out;
	event_text_open(&v->text);
	open_progress(v);
	if (v->tail && !v->look.follow)
		skip = reader_tail(v->look.reader, v->tail);
	if (v->look.follow)
		status = follow_recording(v);
	else
		print_events(v, &skip);
	progress_clear(&v->progress);
	ret = out_close(&v->out);
	event_text_free(&v->text);
	if (ret && ret != -EPIPE)
		return command_failed("cannot write: %s", limits_raise(-ret));
	return status;
}

int view_main(int argc, char **argv)
{
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows, .shape = "DIR... | -s NAME | -p PID",
		.about = "Print the events of traces that record or snapshot "
			 "wrote, or of a session's\nbuffers, in the order of "
			 "time.",
	};
	struct view v = { 0 };
	int key, ret;

	while ((key = options_next(&options)) != OPTIONS_END) {
		if (key == OPTIONS_STOP)
			return options.status;
		ret = take_option(&v, key, options.value);
		if (ret != COMMAND_DONE)
			return ret;
	}
	ret = look_check_sources(&v.look, argc - options.index);
	if (ret != COMMAND_DONE)
		return ret;
	if (!color_when(v.color, &v.text.color))
		return command_misused("--color: '%s' is none of always, "
				       "never, auto", v.color);
	v.terminal = isatty(STDOUT_FILENO);
	signal(SIGPIPE, SIG_IGN);
	if (v.look.follow)
		look_interrupt();
	ret = look_open(&v.look, argv + options.index, argc - options.index);
	if (ret == COMMAND_DONE)
		ret = check_fields(&v);
	if (ret == COMMAND_DONE) {
		if (!v.no_pager && !v.look.follow)
			pager_begin(&v.look);
		ret = run_view(&v);
		ret |= pager_end();
		if (v.look.follow && !look_interrupted())
			ret |= look_follow_whole(&v.look);
	}
	key = look_close(&v.look);
	return ret == COMMAND_DONE ? key : ret;
}
