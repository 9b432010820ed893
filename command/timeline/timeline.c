/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail timeline: the events of traces as one page for a browser, which
 * needs nothing else.
 *
 * The events are read once. Each goes into the chunk, and to the pairs, whose
 * callbacks put pairs into the same chunk or keep them for the head. The page
 * shows all events at once up to `each` of them, a part of them up to `detail`,
 * and only a density beyond.
 *
 * Invariant: t->events is the number of the current event while the pairs are
 * fed, so the callbacks of pairs know it, and grows only behind that.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "command/common/counted.h"
#include "command/reading/progress.h"
#include "command/timeline/private.h"
#include "traces/array.h"

/* The number of an event and of the event's lane, in `priv` of a pair. */
#define LANE_BITS	24u
#define LANES_MAX	(1u << LANE_BITS)

enum key {
	KEY_PAIR = 256,
	KEY_EACH,
};

static const struct option_row rows[] = {
	{ 'o', "output", "FILE",
	  "write this file; default: NAME.html, where NAME is the last part "
	  "of DIR" },
	{ OPTION_FLAG(0, struct timeline, force), "force", NULL,
	  "if FILE is there, keep it as FILE.old" },
	LOOK_LIVE_ROWS,
	LOOK_ROWS,
	{ KEY_PAIR, "pair", "B,E[,KEY...]",
	  "slices from events B to events E (repeatable)" },
	LOOK_PAIR_BY_ROW,
	{ KEY_EACH, "each", "N",
	  "show each of up to N events at once (default 2000000)" },
	{ OPTION_FLAG(0, struct timeline, look.utc),
	  "utc", NULL, "show and read times as UTC" },
	{ 0 }
};

/* The number of the signal that came, or 0. */
static volatile sig_atomic_t stopped;

/* Safe in a signal; read_events() ends before the next event. */
SIGSAFE static void on_signal(int number)
{
	stopped = number;
}

/* Sets a handler for signals that a shell sends; nohup's stay ignored, so a
 * page goes on being made when the terminal has gone. */
static void handle_signals(void (*handler)(int))
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = handler }, old;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!sigaction(numbers[i], NULL, &old) &&
		    old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
}

/* Notes in an open pair the event and lane of the BEGIN. LANES_MAX bounds the
 * lanes, and reading 2^40 events takes more than a day. */
static void on_begun(struct pair *pair, const struct trace_event *event,
		     void *priv)
{
	const struct timeline *t = priv;

	pair->priv = t->events << LANE_BITS | t->lane->number;
}

/* Returns the pair as the page has it. Events are told by their number. The
 * begin and lane are in the pair's `priv`, where on_begun() put them. */
static struct page_pair pair_of(const struct timeline *t,
				const struct pair *pair)
{
	return (struct page_pair){
		.begin = pair->priv >> LANE_BITS, .end = t->events,
		.from = pair->begin, .to = pair->end,
		.lane = (uint32_t)(pair->priv & (LANES_MAX - 1)),
		.kind = pair->kind->number, .fate = pair->fate,
	};
}

/* Keeps a pair that began in an earlier chunk, or that has no end, for the
 * head. One that begins behind the events which are in the page one by one is
 * left out. */
static void keep_pair(struct timeline *t, const struct page_pair *pair)
{
	if (pair->begin >= t->detail &&
	    (pair->begin != pair->end || pair->from > t->chunk.to))
		return;
	if (array_grow(&t->long_pairs, t->nlong_pairs, sizeof(*pair)))
		t->long_pairs[t->nlong_pairs++] = *pair;
	else
		t->no_memory = true;
}

/* Puts a pair into the chunk if both ends are in it, else among the long ones;
 * and counts the pair of that kind. */
static void on_finished(const struct pair *pair,
			const struct trace_event *event, void *priv)
{
	struct timeline *t = priv;
	struct page_pair made = pair_of(t, pair);
	struct page_kind *own = pair->kind->priv;

	if (!own)
		own = pair->kind->priv = calloc(1, sizeof(*own));
	t->no_memory |= !own;
	if (!own || pair->end < pair->begin) {
		if (own)
			own->backwards++;
		made.fate = PAGE_BACKWARDS;
		keep_pair(t, &made);
		return;
	}
	t->no_memory |= histogram_add(&own->ns, (long double)pair->end -
						(long double)pair->begin);
	page_longest_add(t, &made);
	/* a whole call has no event where it began */
	if (t->events < t->detail && made.begin >= t->chunk.first &&
	    (!pair->whole || pair->begin >= t->chunk.from))
		chunk_pair(t, &made);
	else
		keep_pair(t, &made);
}

/* Keeps a pair without an end. Of one that was left out, an event is missing,
 * so nothing is known of it. */
static void on_unfinished(const struct pair *pair, void *priv)
{
	struct timeline *t = priv;
	struct page_pair made = pair_of(t, pair);

	if (pair->fate == PAIR_LEFT_OUT)
		return;
	page_longest_add(t, &made);
	keep_pair(t, &made);
}

/* Tells a problem on standard error, and in the page. */
static void on_problem(const char *where, const char *fact, void *priv)
{
	struct timeline *t = priv;

	progress_clear(&t->look.progress);
	command_warn("%s: %s", where, fact);
	bytes_text(&t->problems, where);
	bytes_text(&t->problems, fact);
	t->nproblems++;
}

/* Notes lost events for the page, which shows when they were lost. */
static void on_loss(const struct trace_loss *l, void *priv)
{
	struct timeline *t = priv;

	char text[192];

	if (l->calls) {
		snprintf(text, sizeof(text), "%s lost: there was no room to "
			 "keep %s until the end: " COMMAND_CALLS_REMEDY,
			 counted(l->events, "call"),
			 agreed(l->events, "it", "them"));
		on_problem(l->trace->path, text, priv);
		return;
	}
	t->look.losses += l->events;
	bytes_text(&t->losses, l->trace->path);
	bytes_text(&t->losses, l->stream);
	bytes_number(&t->losses, l->events);
	bytes_put(&t->losses, &l->from, sizeof(l->from));
	bytes_put(&t->losses, &l->to, sizeof(l->to));
	t->nlosses++;
}

/* Makes a name of the last part of a directory's path: "out/trace/" is
 * "trace.html". A file that is there is not replaced unasked. Returns a status;
 * t->made is the caller's to free. */
static int choose_file(struct timeline *t)
{
	const char *path = t->npaths ? t->paths[0] : t->look.session;
	size_t n = path ? strlen(path) : 0, from;

	while (n && path[n - 1] == '/')
		n--;
	for (from = n; from && path[from - 1] != '/'; from--)
		;
	if (n == from || path[from] == '.')
		return command_misused("give the file to write: -o FILE.html");
	if (asprintf(&t->made, "%.*s.html", (int)(n - from), path + from) < 0) {
		t->made = NULL;
		return command_failed("out of memory");
	}
	if (!t->force && !access(t->made, F_OK))
		return command_failed("%s is there already: give -o %s to "
				      "replace it, --force to keep it as "
				      "%s.old, or another file", t->made,
				      t->made, t->made);
	t->file = t->made;
	return COMMAND_DONE;
}

/* Notes a sentence of look_notes() for the page. */
static void take_note(const char *note, void *priv)
{
	struct timeline *t = priv;

	bytes_text(&t->notes, note);
	t->nnotes++;
}

/* Reads all events into chunks and pairs, until there are no more, a signal, or
 * too many threads. Returns a status after printing why it is not
 * COMMAND_DONE. */
static int read_events(struct timeline *t)
{
	const struct trace_event *event;

	/* a page is whole or not there: after a signal, the rest of the events
	 * is of no use */
	while (!stopped && !t->page.out.error && !t->no_memory &&
	       (event = reader_next(t->look.reader))) {
		if (!t->events)
			t->first = t->last = event->ns;
		chunk_add(t, event);
		if (t->nlanes >= LANES_MAX)
			return command_failed("more than %u threads",
					      LANES_MAX);
		if (t->no_memory)
			break;
		/* the callbacks of pairs take the number for this event's */
		pairs_feed(t->pairs, event);
		t->events++;
		if (t->chunk.n == CHUNK_EVENTS)
			chunk_flush(t);
		if (!(t->events % PROGRESS_EVENTS))
			progress_step(&t->look.progress, t->events, event->ns);
	}
	chunk_flush(t);
	pairs_finish(t->pairs);
	look_notes(&t->look, t->pairs, PAGE_NOTES_MAX, take_note, t);
	progress_clear(&t->look.progress);
	if (t->no_memory || pairs_error(t->pairs))
		return command_failed("out of memory");
	if (stopped)
		return command_failed("interrupted: %s is not written",
				      t->page.file);
	if (!t->events && !t->page.out.error)
		return command_failed("%s: no event%s", t->page.file,
				      t->look.begin || t->look.end ?
				      " in this time" : "");
	return COMMAND_DONE;
}

/* Reads the traces and writes the page, and tells which of the events it lacks,
 * and which rules of --pair made no slice for want of events, keys or threads.
 */
static int run_timeline(struct timeline *t)
{
	struct pair_kind *const *kinds;
	uint64_t given = 0;
	size_t n;
	int ret;

	handle_signals(on_signal);
	ret = page_open(&t->page, t->file, t->force);
	if (ret != COMMAND_DONE) {
		page_close(&t->page, false);
		return ret;
	}
	/* a pipe may block, and nothing of it is to be removed */
	if (!t->page.target.made)
		handle_signals(SIG_DFL);
	progress_open(&t->look.progress, t->look.reader);
	ret = read_events(t);
	if (ret == COMMAND_DONE)
		head_write(t);
	if (ret == COMMAND_DONE && t->no_memory)
		ret = command_failed("out of memory");
	ret = page_close(&t->page, ret == COMMAND_DONE);
	if (ret != COMMAND_DONE)
		return ret;
	/* the page is there: but for rules of --pair, nothing is a failure */
	command_warn("%s in %s, %.1f MB, in %s: open it in a browser",
		     counted(t->events, "event"), counted(t->nlanes, "lane"),
		     (double)t->page.out.written / 1e6, t->page.file);
	look_warn_notes(&t->look, t->pairs);
	if (t->look.losses)
		command_warn("%s lost, because buffers were full: the page "
			     "says when; " COMMAND_FULL_REMEDY,
			     counted(t->look.losses, "event"));
	if (t->events > t->each)
		command_warn("above %s the page shows their density first, and "
			     "each of them where you zoom in",
			     counted(t->each, "event"));
	if (t->events > t->detail)
		command_warn("events behind the first %s are there as density "
			     "only: --begin and --end make a page of a part",
			     counted(t->detail, "event"));
	n = pairs_kinds(t->pairs, &kinds);
	for (size_t i = 0; i < n && kinds[i]->given; i++) {
		const struct pair_kind *kind = kinds[i];

		if (!kind->begin || !kind->end)
			ret = command_failed("--pair '%s': the traces have no "
					     "event of the %s name", kind->name,
					     kind->begin ? "second" : "first");
		else if (kind->keyless)
			ret = command_failed("--pair '%s': %s without its key",
					     kind->name,
					     counted(kind->keyless, "event"));
		ret |= look_tell_threadless(kind->name, kind->threadless);
		given += kind->threadless;
	}
	look_tell_threadless(NULL, pairs_threadless(t->pairs) - given);
	return ret;
}

/*
 * Opens the traces with the pairs of the rules, and makes the page of them.
 * Returns a status after printing why it is not COMMAND_DONE. The traces are
 * closed in any case, for look_close() knows whether something could not be
 * read.
 */
static int make_page(struct timeline *t)
{
	int ret = look_check_sources(&t->look, &t->paths, &t->npaths), closed;

	/* name and rules come first, as it takes a while to open traces */
	if (ret == COMMAND_DONE && !t->file)
		ret = choose_file(t);
	if (ret != COMMAND_DONE)
		return ret;
	t->calls = (struct pair_calls){
		.begun = on_begun, .finished = on_finished,
		.unfinished = on_unfinished, .priv = t,
	};
	t->pairs = command_need(pairs_new(&t->calls));
	if (t->look.by_cpu)
		pairs_by_cpu(t->pairs);
	for (size_t i = 0; i < t->nrules; i++) {
		const char *wrong = NULL;

		if (pairs_add(t->pairs, t->rules[i], &wrong))
			return wrong ? command_misused("--pair '%s': %s",
						       t->rules[i], wrong) :
				       command_failed("out of memory");
	}
	t->detail = DETAIL_TIMES * t->each;
	signal(SIGPIPE, SIG_IGN);
	/* messages on standard error are in the page as well */
	t->look.calls.problem = on_problem;
	t->look.calls.loss = on_loss;
	ret = look_open(&t->look, t->paths, t->npaths);
	for (size_t i = 0; i < t->nrules && ret == COMMAND_DONE; i++)
		ret = look_check_pair(&t->look, t->rules[i]);
	if (ret == COMMAND_DONE)
		ret = run_timeline(t);
	closed = look_close(&t->look);
	return ret == COMMAND_DONE ? closed : ret;
}

/* Takes an option. Returns COMMAND_DONE, or COMMAND_USAGE after printing why.
 */
static int take_option(void *timeline, int key, const char *value)
{
	struct timeline *t = timeline;
	char *end;

	switch (key) {
	case 'o':
		t->file = value;
		if (!*value)
			return command_misused("the file's name is empty");
		break;
	case KEY_PAIR:
		if (t->nrules == PAIR_RULES_MAX)
			return command_misused("--pair: at most %d of them",
					       PAIR_RULES_MAX);
		t->rules[t->nrules++] = value;
		break;
	case KEY_EACH:
		errno = 0;
		t->each = strtoull(value, &end, 10);
		if (errno || *end || *value < '0' || *value > '9')
			return command_misused("'%s' is no number of events",
					       value);
		if (t->each < EACH_EVENTS_MIN || t->each > EACH_EVENTS_MAX)
			return command_misused("--each: give %u to %u",
					       EACH_EVENTS_MIN,
					       EACH_EVENTS_MAX);
		break;
	default:
		return look_option(&t->look, key, value);
	}
	return COMMAND_DONE;
}

int timeline_main(int argc, char **argv)
{
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows,
		.shape = "[DIR... | -s NAME | -p PID]",
		.about = "Write a page that shows the events of traces in a "
			 "browser, by process and thread.",
	};
	struct timeline *t = command_need(calloc(1, sizeof(*t)));
	struct pair_kind *const *kinds;
	size_t n;
	int ret;

	t->each = EACH_EVENTS;
	ret = !options_take(&options, t, take_option);
	if (!ret) {
		t->paths = argv + options.index;
		t->npaths = argc - options.index;
		options.status = make_page(t);
	}
	n = t->pairs ? pairs_kinds(t->pairs, &kinds) : 0;
	for (size_t i = 0; i < n; i++) {
		struct page_kind *own = kinds[i]->priv;

		if (own)
			histogram_clear(&own->ns);
		free(own);
	}
	if (t->pairs)
		pairs_free(t->pairs);
	page_names_free(t);
	chunk_free(t);
	bytes_free(&t->raw);
	bytes_free(&t->blocks);
	bytes_free(&t->losses);
	bytes_free(&t->problems);
	bytes_free(&t->notes);
	free(t->density.bins);
	free(t->long_pairs);
	free(t->longest);
	free(t->made);
	free(t);
	/* the file is removed by now: the signal may end the process, and the
	 * shell sees that it did */
	if (stopped) {
		signal(stopped, SIG_DFL);
		raise(stopped);
	}
	return options.status;
}
