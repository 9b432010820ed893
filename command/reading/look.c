/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens the traces that a command looks at: directories or rings, the rules,
 * and the window of time.
 *
 * Invariant: rules and the window are given to the reader before the first
 * event is read, unless a look that follows does not know the window yet.
 */
#include "command/reading/private.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffers/reader/reader.h"
#include "command/agents/rule.h"
#include "command/agents/visits.h"
#include "command/causes/cause.h"
#include "command/common/counted.h"
#include "command/common/limits.h"
#include "command/common/nearest.h"
#include "command/common/shell.h"
#include "tracepoints/conditions/rule-split.h"
#include "traces/follow.h"
#include "traces/foreign/foreign.h"
#include "traces/read/field-at.h"
#include "traces/text/event-text.h"

/* A time that is the same with a last event so much later, or in the year 2100,
 * is one that the last event does not decide. */
#define TWO_DAYS_NS	(2 * 86400ll * 1000000000)
#define FAR_NS		4102444800000000000ll	/* of the year 2100 */

bool look_next_class(const struct look *look, struct look_walk *walk)
{
	struct trace_class *const *traces;
	size_t n = reader_traces(look->reader, &traces);

	for (;;) {
		while (walk->trace && walk->events < walk->trace->nevents) {
			walk->class = walk->trace->events[walk->events++];
			if (walk->class)
				return true;
		}
		if (walk->traces == n)
			return false;
		walk->trace = traces[walk->traces++];
		walk->events = 0;
	}
}

/* The callbacks of a command that has none of its own: they print on standard
 * error, each problem and each loss when it is met. */
static void problem_tell(const char *where, const char *fact, void *priv)
{
	struct look *look = priv;

	progress_clear(&look->progress);
	if (!look->quiet_problems)
		command_warn("%s: %s", where, fact);
}

/* Tells, once, how fewer events are lost. */
static void remedy_tell(struct look *look, const struct trace_loss *l)
{
	if (l->calls && !look->calls_told)
		command_warn(COMMAND_CALLS_REMEDY);
	look->calls_told |= l->calls;
	if (look->full_told || l->absent || l->calls)
		return;
	look->full_told = true;
	command_warn("%s", l->overwritten ? "a larger --buffer-size loses fewer "
					    "events" : COMMAND_FULL_REMEDY);
}

/* Tells lost events, and counts them also where they are not told. The times
 * are those of the packets around the loss; TIME_MIN: there is none. */
static void loss_tell(const struct trace_loss *l, void *priv)
{
	struct event_text text = { 0 };
	struct look *look = priv;
	char from[64], to[64], what[64];
	const char *why = l->overwritten ? "they were overwritten before they "
					   "could be read" :
			  l->absent ? "they are not in the trace" :
				      "the buffers were full";

	look->losses += l->events;
	if (l->overwritten)
		look->overwritten += l->events;
	if (l->calls)
		look->lost_calls += l->events;
	if (look->lost)
		look->lost(l, look);
	if (look->quiet_losses)
		return;
	progress_clear(&look->progress);
	if (l->packets)
		snprintf(what, sizeof(what), "%s of events",
			 counted(l->packets, "packet"));
	else
		snprintf(what, sizeof(what), "%s", l->events ?
			 counted(l->events, "event") : "perhaps events");
	if (l->calls) {
		command_warn("%s: %s lost: there was no room to keep %s until "
			     "the end", l->trace->path,
			     counted(l->events, "call"),
			     agreed(l->events, "it", "them"));
		remedy_tell(look, l);
		return;
	}
	if (l->to == TIME_MIN) {
		command_warn("%s, %s: %s lost: the buffers were full",
			     l->trace->path, l->stream, what);
		remedy_tell(look, l);
		return;
	}
	text.utc = look->utc;
	event_text_open(&text);
	event_text_time(&text, l->to, to);
	if (l->from == TIME_MIN) {
		command_warn("%s, %s: %s lost before [%s]: %s",
			     l->trace->path, l->stream, what, to, why);
		remedy_tell(look, l);
		return;
	}
	event_text_time(&text, l->from, from);
	command_warn("%s, %s: %s lost between [%s] and [%s]: %s",
		     l->trace->path, l->stream, what, from, to, why);
	remedy_tell(look, l);
}

/* Adds the names of a structure's members that a rule may have. */
static void add_members(struct nearest *nearest,
			const struct field_class *class)
{
	for (size_t i = 0; class && i < class->nmembers; i++)
		if (class->members[i].name && !class->members[i].is_length)
			nearest_add(nearest, class->members[i].name);
}

/* Adds the names of all fields and contexts of all traces, of which the nearest
 * are kept. */
static void add_fields(const struct look *look, struct nearest *nearest)
{
	struct trace_class *const *traces;
	size_t n = reader_traces(look->reader, &traces);

	for (size_t i = 0; i < n; i++) {
		add_members(nearest, traces[i]->context);
		for (size_t k = 0; k < traces[i]->nevents; k++)
			if (traces[i]->events[k])
				add_members(nearest,
					    traces[i]->events[k]->fields);
	}
}

/* Says what is wrong with a rule, with a hint if the condition has a name that
 * is no field of an event: a text without quotes, another word for it, or a
 * field of another event. Returns COMMAND_FAILED. */
static int wrong_rule(const struct look *look, const char *rule,
		      const struct expr_error *error)
{
	struct nearest nearest = { 0 };
	size_t bytes, at;
	size_t column = (size_t)(rule_condition(rule, &bytes) - rule) +
			error->column;
	const char *own = strchr(error->fact, ';'), *id;
	char more[128] = "", name[64];

	if (sscanf(error->fact, "no field \"%63[^\"]\"", name) != 1)
		goto tell;
	/* behind == or != */
	for (at = column - 1; at && rule[at - 1] == ' '; at--)
		;
	if (at > 1 && rule[at - 1] == '=' && strchr("=!", rule[at - 2]) &&
	    !strstr(error->fact, "; levels ")) {
		strcpy(more, "; a text stands in double quotes");
		goto tell;
	}
	if (!strcmp(name, "cpu_id") || !strcmp(name, "pid")) {
		snprintf(more, sizeof(more), "; in a rule, %s is %s", name,
			 *name == 'c' ? "cpu" : "vpid");
		goto tell;
	}
	nearest.rule = name;
	add_fields(look, &nearest);
	id = nearest.ids[0];
	if (id && 2 * nearest.distances[0] <= strlen(name) &&
	    !(own && strstr(own, id)))
		snprintf(more, sizeof(more), "; another event has %s", id);
tell:
	return command_failed("rule '%s': column %zu: %s%s", rule, column,
			      error->fact, more);
}

/* Gives the rules to the reader. Returns COMMAND_DONE, or COMMAND_FAILED after
 * it printed why: a rule is wrong, or no event can match it. While traces or
 * programs may still come, a rule may be without an event; of processes that -p
 * names, the events are known, as for top. */
static int set_rules(struct look *look)
{
	char names[NEAREST_IDS * (NEAREST_LENGTH_MAX + 8)];
	struct nearest nearest = { 0 };
	struct look_walk walk = { 0 };
	struct trace_class *const *traces;
	size_t n = reader_traces(look->reader, &traces);
	struct expr_error error = { 0 };
	const char *rule = "";
	int ret;

	if (!look->where)
		return COMMAND_DONE;
	ret = where_prepare(look->where, traces, n, &rule, &error);
	if (ret == -ENOMEM)
		return command_failed("out of memory");
	if (ret && ret != -ENOENT)
		return wrong_rule(look, rule, &error);
	if (ret && (!look->follow || look->pid || look->visit) &&
	    !look->again) {
		nearest.rule = rule;
		while (look_next_class(look, &walk))
			nearest_add(&nearest, walk.class->id);
		nearest_text(&nearest, names, sizeof(names));
		if (*names)
			return command_failed("no event matches '%s'; nearest: "
					      "%s", rule, names);
		/* else the program with the markers has not begun */
		if (!look->keep)
			return command_failed("no event matches '%s': the "
					      "trace describes none", rule);
	}
	reader_filter(look->reader, look->where);
	return COMMAND_DONE;
}

/* Takes an option that a session of the command's own may have. Returns as
 * look_option(). */
static int visit_option(struct look *look, int key, const char *value)
{
	struct visit *visit = look->visit;
	int ret;

	if (!visit)
		visit = look->visit = command_need(calloc(1, sizeof(*visit)));
	if (key == LOOK_PID)
		return command_take_pids(&visit->pids, value);
	visit->yes |= key == LOOK_YES;
	if (key == LOOK_YES)
		return COMMAND_DONE;
	if (key == LOOK_BUFFER)
		return command_take_size(&visit->buffer, value);
	if (visit->nrules == VISIT_RULES_MAX)
		return command_misused("more than %d rules", VISIT_RULES_MAX);
	ret = rule_take(&value);
	visit->rules[visit->nrules++] = value;
	rule_list(look->rules, sizeof(look->rules), value);
	return ret;
}

int look_check_visit(struct look *look)
{
	const struct visit *visit = look->visit;

	if (!visit)
		return COMMAND_DONE;
	if (visit->nrules && !visit->pids.count)
		return command_misused("-e makes a session in a process: add "
				       "-p PID; --where chooses among the "
				       "events that are there");
	if (visit->nrules && look->session)
		return command_misused("-s means a session that is there, -e "
				       "one of the command's own: give one of "
				       "them");
	if (visit->buffer && !visit->nrules)
		return command_misused("--buffer-size is for a session of the "
				       "command's own: add -e RULE");
	if (!visit->nrules && visit->pids.count > 1)
		return command_misused("processes %d and %d: give one -p, or "
				       "-e RULE, which makes a session in "
				       "both", visit->pids.pids[0],
				       visit->pids.pids[1]);
	if (!visit->nrules)
		look->pid = visit->pids.pids[0];
	return COMMAND_DONE;
}

int look_option(struct look *look, int key, const char *value)
{
	const char **to = key == LOOK_BEGIN ? &look->begin : &look->end;
	int ret;
	const char **session;

	switch (key) {
	case LOOK_WHERE:
		/* a wrong rule is told before any trace is opened */
		ret = rule_take_where(&value);
		if (ret == COMMAND_DONE && !look->where)
			look->where = command_need(where_new());
		if (ret == COMMAND_DONE && where_add(look->where, value))
			ret = command_failed("out of memory");
		rule_list(look->rules, sizeof(look->rules), value);
		return ret;
	case LOOK_PAIR_BY:
		look->by_cpu = !strcmp(value, "cpu");
		if (!look->by_cpu && strcmp(value, "thread"))
			return command_misused("--pair-by '%s': give thread or "
					       "cpu",
					       value);
		return COMMAND_DONE;
	case LOOK_NONE:
		look->fail_if_none = true;
		return COMMAND_DONE;
	case LOOK_SESSION:
		session = &look->session;
		if (*session && strcmp(*session, value))
			return command_misused(
				"sessions '%s' and '%s': give one -s", *session,
				value);
		*session = value;
		return COMMAND_DONE;
	case LOOK_RULE:
	case LOOK_BUFFER:
	case LOOK_YES:
		return visit_option(look, key, value);
	case LOOK_PID:
		return look->visits ? visit_option(look, key, value) :
				      command_take_pid(&look->pid, value);
	}
	if (!look_time_valid(value))
		return command_misused("'%s' is no time: give HH:MM:SS[.NS], "
				       "'YYYY-MM-DD HH:MM:SS[.NS]', +SECONDS "
				       "or +5ms from the first event, "
				       "-SECONDS from the last, or, since "
				       "1970, SECONDS.NS or NUMBERns", value);
	*to = value;
	return COMMAND_DONE;
}

/*
 * Opens the traces below a directory. Returns a status after printing why it is
 * not COMMAND_DONE. A recorder writes a buffer into the directory when the
 * buffer is full, or when a command follows the recording; before that, there
 * is no trace, and there never is one if the recorder was killed by then. A
 * recording that was not completed is read, and told as a problem.
 */
static int open_directory(struct look *look, const char *path)
{
	struct trace_class *const *traces;
	size_t known = reader_traces(look->reader, &traces);
	char name[SESSION_NAME_BYTES], text[CAUSE_TEXT_BYTES], word[PATH_MAX];
	int ret;

	if (!*path)
		return command_misused("the directory's name is empty");
	ret = reader_add_directory(look->reader, path);
	if (ret == -ENODATA && look->follow)
		return COMMAND_DONE;
	if (ret == -ENODATA && !follow_recorded(path))
		return rundir_abandoned(name, text, sizeof(text)) ?
		       cause_report(RECORDER_KILLED, .path = path,
				    .subject = name, .text = text) :
		       command_failed("%s: no trace in this directory", path);
	if (ret == -ENODATA) {
		if (!shell_word(word, sizeof(word), path))
			strcpy(word, "DIR");
		return command_failed("%s: it is being recorded, and nothing "
				      "is on disk yet: 'taffrail view "
				      "--follow %s' prints what comes; "
				      "'taffrail status' names the session, "
				      "whose buffers -s reads", path, word);
	}
	if (ret == -ENOENT)
		return command_failed("%s: there is no such directory%s", path,
				      strchr(path, '/') ? "" :
				      path[strspn(path, "0123456789")] ?
				      "; for a session's buffers, put -s "
				      "before its name" :
				      "; for a process, put -p before its "
				      "number");
	if (ret == -ENOTDIR)
		return command_failed("%s: it is a file: give the directory "
				      "that record or snapshot wrote (-o)",
				      path);
	if (ret < 0)
		return command_failed("%s: %s", path, limits_raise(-ret));
	if (!look->follow && look_uncompleted(look, path, known))
		look->unread = true;
	return COMMAND_DONE;
}

/* Parses a time that is valid. The last event is looked for only if the time
 * depends on it: that takes a while in a large trace. */
static int64_t find_time(struct look *look, const char *text, int64_t first)
{
	int64_t ns, late, last;

	look_time(&ns, text, look->utc, first, first);
	look_time(&late, text, look->utc, first, first + TWO_DAYS_NS);
	if (ns != late && reader_span(look->reader, NULL, &last))
		look_time(&ns, text, look->utc, first, last);
	return ns;
}

/* Gives the window to the reader; from now on it does not change. Returns
 * COMMAND_DONE, or COMMAND_FAILED after printing why. Times that are equal are
 * a window, of all events of that time. */
static int set_window(struct look *look, const int64_t times[2])
{
	look->undated = false;
	if (times[0] > times[1])
		return command_failed("--begin '%s' is behind --end '%s'",
				      look->begin, look->end);
	reader_window(look->reader, times[0], times[1]);
	return COMMAND_DONE;
}

/* Sets the window of times that count from events which are all there. If no
 * event is in it, says which times there are; but the last event of another
 * tracer's trace is found only by reading all of it. */
static int find_window(struct look *look)
{
	struct event_text text = { .utc = look->utc, .dates = true };
	int64_t times[2] = { TIME_MIN, TIME_MAX }, first, last;
	struct trace_class *const *traces;
	char from[64], to[64];
	size_t n;
	int ret;

	if ((!look->begin && !look->end) ||
	    !reader_span(look->reader, &first, NULL))
		return COMMAND_DONE;
	/* a clock that makes no sense */
	if (first > TIME_MAX - TWO_DAYS_NS)
		first = TIME_MAX - TWO_DAYS_NS;
	if (look->begin)
		times[0] = find_time(look, look->begin, first);
	if (look->end)
		times[1] = find_time(look, look->end, first);
	ret = set_window(look, times);
	/* now: a look for the first event may have added traces */
	n = reader_traces(look->reader, &traces);
	while (n && !traces[n - 1]->foreign)
		n--;
	if (ret != COMMAND_DONE || n || look->follow ||
	    (times[0] <= first && times[1] >= first) ||
	    !reader_span(look->reader, NULL, &last) ||
	    (times[0] <= last && times[1] >= first))
		return ret;
	event_text_open(&text);
	event_text_time(&text, first, from);
	event_text_time(&text, last, to);
	command_warn("no event in this time: the first is of [%s], the last of "
		     "[%s]", from, to);
	return ret;
}

/* Parses a time while the last event, or even the first, is to come; `first` is
 * TIME_MAX without the first. Returns whether no later event decides it: it is
 * the same for all traces that begin like this one. */
static bool is_settled(struct look *look, const char *text, int64_t first,
		       int64_t *ns)
{
	int64_t other;

	if (first == TIME_MAX) {
		look_time(ns, text, look->utc, 0, 0);
		look_time(&other, text, look->utc, FAR_NS, FAR_NS);
		return *ns == other;
	}
	if (*text == '-')
		return false;
	other = find_time(look, text, first);
	look_time(ns, text, look->utc, first, first + TWO_DAYS_NS);
	return other == *ns;
}

int look_date(struct look *look, bool on, int64_t until)
{
	const char *const texts[2] = { look->begin, look->end };
	int64_t times[2] = { TIME_MIN, TIME_MAX }, first = TIME_MAX;
	bool begun, known = true;

	if (!look->undated)
		return COMMAND_DONE;
	begun = reader_span(look->reader, &first, NULL);
	/* a later event is not before the first one */
	if (!on || (look->rings && begun && first < until))
		return find_window(look);
	begun = begun && first < until && first < TIME_MAX - TWO_DAYS_NS;
	for (int i = 0; i < 2; i++) {
		if (!texts[i] ||
		    is_settled(look, texts[i], begun ? first : TIME_MAX,
			       &times[i]))
			continue;
		known = false;
		if (begun && !look->undated_told)
			command_warn("%s '%s': the last event decides which "
				     "time this is, so events are printed when "
				     "the recording ends",
				     i ? "--end" : "--begin", texts[i]);
		look->undated_told |= begun;
	}
	return known ? set_window(look, times) : COMMAND_DONE;
}

int look_check_sources(const struct look *look, char ***paths, int *n)
{
	bool rings = look->session || look->pid || look->visit;
	static char *newest[2];
	const char *value, *why = "";
	char last[PATH_MAX];

	if (rings && *n)
		return command_misused("give directories, or -s and -p, which "
				       "look at buffers, but not both");
	if (rings || *n)
		return COMMAND_DONE;
	/* a directory that an option took is the one that was meant */
	value = options_last(last, sizeof(last));
	if (!options_last_directory())
		newest[0] = look_newest(&why);
	if (!newest[0])
		return command_misused("give a directory that record or "
				       "snapshot wrote, or -s NAME%s%s",
				       *value ? value : "; ",
				       *value ? "" : why);
	*paths = newest;
	*n = 1;
	return COMMAND_DONE;
}

int look_open(struct look *look, char **paths, int n)
{
	int ret = COMMAND_DONE;

	if (!look->calls.problem) {
		look->calls.problem = problem_tell;
		look->calls.loss = loss_tell;
	}
	look->calls.priv = look;
	if (look->visit && look->visit->nrules) {
		ret = visit_begin(look->visit);
		look->session = look->visit->session;
		look->within = &look->visit->dir;
	}
	if (ret != COMMAND_DONE)
		return ret;
	map_guard();
	look->reader = command_need(reader_new(&look->calls));
	reader_read_foreign(look->reader);
	if (n && look->follow && !look_follow(look, paths, n))
		return command_failed("out of memory");
	/* recorders were told first, so that they write what is in buffers */
	for (int i = 0; i < n && ret == COMMAND_DONE; i++)
		ret = open_directory(look, paths[i]);
	if (look->session || look->pid || look->any_session)
		ret = look_open_rings(look);
	if (ret == COMMAND_DONE)
		ret = set_rules(look);
	if (ret != COMMAND_DONE)
		return ret;
	if (!look->follow)
		return find_window(look);
	look->undated = look->begin || look->end;
	return look_date(look, true, TIME_MIN);
}

/* Returns whether a structure, which may be NULL, has a member of this name. */
static bool has_member(const struct field_class *class, const char *name)
{
	for (size_t i = 0; class && i < class->nmembers; i++)
		if (class->members[i].name &&
		    !strcmp(class->members[i].name, name))
			return true;
	return false;
}

bool look_has(const struct look *look, const char *event, const char *field)
{
	struct look_walk walk = { 0 };

	while (look_next_class(look, &walk))
		/* other tracers have more contexts */
		if ((!event || event_name_is(walk.class->name, event)) &&
		    (!field || walk.trace->foreign ||
		     has_member(walk.class->fields, field) ||
		     has_member(walk.trace->context, field)))
			return true;
	return false;
}

void look_nearest_fields(const struct look *look, const char *field,
			 char *text, size_t room)
{
	char names[NEAREST_IDS * (NEAREST_LENGTH_MAX + 8)];
	struct nearest nearest = { .rule = field };

	add_fields(look, &nearest);
	nearest_text(&nearest, names, sizeof(names));
	snprintf(text, room, "%s%s", *names ? "; nearest: " : "", names);
}

int look_finish(void)
{
	if ((fflush(stdout) || ferror(stdout)) && errno == EPIPE)
		return COMMAND_DONE;
	return command_finish();
}

bool look_problems(const struct look *look)
{
	return look->unread || (look->reader && reader_problems(look->reader));
}

int look_check_none(const struct look *look)
{
	if (!look->fail_if_none || reader_given(look->reader))
		return COMMAND_DONE;
	return cause_report(EVENTS_NONE, .text = look->rules);
}

void look_leave(struct look *look)
{
	/* first: rings that are closed may tell of missing events */
	look_rings_close(look);
	if (look->visit && visit_end(look->visit))
		look->unread = true;
	free(look->visit);
	look->visit = NULL;
	look->session = NULL;
	look->within = NULL;
}

int look_close(struct look *look)
{
	bool problems;

	look_leave(look);
	problems = look_problems(look);
	if (look->reader)
		reader_free(look->reader);
	look_follow_end(look);
	if (look->where)
		where_free(look->where);
	return problems || look->unread ? COMMAND_FAILED : COMMAND_DONE;
}
