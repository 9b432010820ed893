/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Moves events from rings to traces. See drain.h.
 *
 * Invariant: an image is in `open` from drain_add() until drain_finish(), and
 * in `images` until drain_close(): the traces need the session at the end.
 */
#include "command/record/drain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "command/common/counted.h"
#include "command/common/limits.h"
#include "tracepoints/conditions/rule-split.h"
#include "traces/array.h"

#define OUTPUTS_MAX	1000
#define TURNS_TOLD	1000	/* events: fewer are small anyway */

int drain_tell_unopened(const char *path, int ret)
{
	mode_t mask = umask(0);

	umask(mask);
	if (ret == -ENOTEMPTY)
		return cause_report(OUTPUT_NOT_EMPTY, .path = path);
	if (ret == -EACCES && mask & 0700 && access(path, F_OK))
		return cause_report(OUTPUT_UMASK, .path = path, .n = mask);
	return cause_report(OUTPUT_FAILED, .path = path, .error = ret);
}

int drain_open(struct drain *drain, struct outcome *outcome, const char *path,
	       uint64_t limit)
{
	struct trace_set *set = &drain->set;
	time_t now = time(NULL);
	char name[64];
	struct tm tm;
	size_t used;
	int ret;

	localtime_r(&now, &tm);
	used = strftime(name, sizeof(name), "taffrail-%Y%m%d-%H%M%S", &tm);
	ret = trace_set_open(set, path ?: name);
	/* another recording may have begun in the same second: then a number is
	 * added */
	for (int n = 2; n < OUTPUTS_MAX && !path; n++) {
		if (ret ? ret != -ENOTEMPTY && ret != -ENOTDIR : set->made)
			break;
		if (!ret)
			trace_set_close(set);
		snprintf(name + used, sizeof(name) - used, "-%d", n);
		ret = trace_set_open(set, name);
	}
	drain->outcome = outcome;
	drain->places.ended = true;
	if (ret)
		return drain_tell_unopened(path ?: name, ret);
	drain->set.limit = limit;
	return COMMAND_DONE;
}

int drain_add(struct drain *drain, struct consumer **image,
	      const struct rundir_process *process, uint32_t number,
	      const char *session)
{
	/* a new process leaves the descriptors that streams need */
	int ret = limits_spare_files(CONSUME_FILES);

	if (ret)
		return ret;
	if (!array_grow(&drain->images, drain->nimages, sizeof(*image)) ||
	    !array_grow(&drain->open, drain->nopen, sizeof(*image)))
		return -ENOMEM;
	ret = consume_open(image, &drain->set, process, number, session, true);
	if (ret)
		return ret;
	/* room was made before, so nothing fails now that it is open */
	drain->images[drain->nimages++] = *image;
	drain->open[drain->nopen++] = *image;
	return 0;
}

void drain_add_shared(struct drain *drain, struct rundir *dir,
		      const char *session)
{
	struct rundir_process process;
	int ret = rundir_find_shared(dir, session, &process);

	if (!ret) {
		ret = drain_add(drain, &drain->shared, &process, 0, session);
		rundir_process_close(&process);
	}
	/* what this does not find, a later scan does, or counts */
	if (!ret)
		consume_scan(drain->shared);
	drain->missed = ret;
}

bool drain_joined(const struct drain *drain)
{
	return drain->shared && session_view_given(drain->shared->session);
}

size_t drain_processes(const struct drain *drain, size_t own)
{
	/* also where all wrote to locked rings, and none to the shared ones */
	if (drain->shared)
		own += consume_sharers(drain->shared);
	return own || !drain_joined(drain) ? own : 1;
}

/* The image is the last in both tables, and was not finished, so that no other
 * one has it. */
void drain_drop(struct drain *drain, struct consumer *image)
{
	drain->nopen--;
	drain->nimages--;
	consume_close(image);
}

int drain_scan(struct drain *drain)
{
	int ret = 0;

	for (size_t i = 0; i < drain->nopen; i++) {
		int error = consume_scan(drain->open[i]);

		ret = error ? error : ret;
	}
	return ret;
}

bool drain_poll(struct drain *drain, uint64_t end)
{
	bool busy = false;

	for (size_t i = 0; i < drain->nopen; i++)
		busy |= consume_poll(drain->open[i], end) > 0;
	return busy;
}

bool drain_idle(const struct drain *drain)
{
	for (size_t i = 0; i < drain->nopen; i++)
		if (!consume_idle(drain->open[i]))
			return false;
	return true;
}

/* Takes counters that children have changed since the image was finished. After
 * this the page is unmapped. NULL is an empty slot of the table. */
static void late_look(struct drain *drain, struct consumer *image)
{
	uint32_t orphans;
	uint64_t lost;
	int32_t error;

	if (!image)
		return;
	orphans = consume_late(image, &lost, &error);
	shortage_orphans(&drain->shortage, orphans, lost, error);
}

/* Takes the markers of an image, before the session is freed. Without memory,
 * events are missing in the answers about rules: that is a failure. */
static void take_rules(struct drain *drain, struct consumer *image)
{
	if (rules_take(&drain->rules, image->pid, image->session))
		drain->failed = -ENOMEM;
}

bool drain_finish(struct drain *drain, struct consumer *image, int fd)
{
	struct consumer **slot;
	int ret;

	if (image->finished)
		return false;
	/* a recording without an event is an empty trace */
	image->wanted = drain->nopen == 1 && !drain->set.ntraces;
	ret = consume_finish(image);
	reach_settle(&image->reach, 0, image->page, &image->session->page,
		     false);
	for (size_t i = 0; i < drain->nopen; i++)
		if (drain->open[i] == image)
			drain->open[i] = drain->open[--drain->nopen];
	/* The oldest makes room. Addresses there get names now, so that the
	 * modules need no memory any more. */
	slot = &drain->late[drain->nlate++ % DRAIN_LATE_MAX];
	late_look(drain, *slot);
	if (*slot)
		consume_names(*slot, drain->images, drain->nimages);
	*slot = image;
	places_take(&drain->places, image->pid, &image->session->page, NULL);
	/* that the shared ones are smaller was told when they were made */
	if (image != drain->shared)
		shortage_take(&drain->shortage, &image->session->page, fd);
	drain->unreadable += image->unreadable;
	drain->missed = image->missed ?: drain->missed;
	if (ret && !drain->set.error && !image->missed)
		drain->failed = ret;
	return true;
}

void drain_settle(struct drain *drain, struct consumer *image)
{
	/* names of addresses take modules, and the time to read files */
	if (!image->finished || !image->session || image->missed ||
	    image->format.symbols ||
	    (image->trace && !trace_settle(image->trace)))
		return;
	take_rules(drain, image);
	consume_settle(image);
}

bool drain_collected(const struct drain *drain, const struct consumer *image)
{
	return !image->unreadable && !image->missed && !drain->failed;
}

void drain_tell_unwritten(struct drain *drain)
{
	struct outcome *outcome = drain->outcome;
	const char *path = drain->set.path;
	int error = -drain->set.error;

	if (!error || drain->told)
		return;
	drain->told = true;
	/* a directory that was there at the start is gone */
	if (error == ENOENT)
		outcome_tell(outcome, OUTPUT_REMOVED, .path = path);
	else if (error == EILSEQ)
		outcome_tell(outcome, OUTPUT_CHANGED, .path = path);
	else if (error == ENOSPC || error == EDQUOT)
		outcome_tell(outcome, OUTPUT_FULL, .path = path,
			     .error = error);
	else
		outcome_tell(outcome, OUTPUT_UNWRITTEN, .path = path,
			     .error = error);
}

/* Returns true when a rule has selected no marker of an image, as far as they
 * were read, and names none of the places. */
static bool rule_unmet(const struct drain *drain, const struct places *places,
		       const char *rule)
{
	if (rules_met(&drain->rules, rule) || places_named(places, rule))
		return false;
	for (size_t i = 0; i < drain->nimages; i++)
		if (drain->images[i]->session &&
		    rules_met_in(drain->images[i]->session, rule))
			return false;
	return true;
}

/* Tells why the condition of such a rule can hold for none of the markers that
 * it names. Returns false if no process says so. */
static bool tell_fault(struct drain *drain, const char *rule)
{
	char text[CAUSE_TEXT_BYTES];
	bool found = false;
	pid_t pid = 0;

	for (size_t i = 0; i < drain->nimages && !found; i++) {
		const struct consumer *image = drain->images[i];

		pid = image->pid;
		found = image->session &&
			rules_fault(image->session->page.faults, rule, text,
				    sizeof(text));
	}
	if (found || rules_fault_taken(&drain->rules, rule, &pid, text))
		outcome_tell(drain->outcome, RULE_IMPOSSIBLE_YET, .pid = pid,
			     .text = text);
	else
		return false;
	return true;
}

/* Tells which rules have selected no marker of an image so far, or why their
 * conditions fit none. Returns true if there is one. */
static bool unmet_tell(struct drain *drain, const struct record_options *o)
{
	struct outcome *outcome = drain->outcome;
	char text[CAUSE_TEXT_BYTES], glob[RULE_BYTES_MAX + 1];
	struct places places = { 0 };
	bool unmet = false;

	for (size_t i = 0; i < drain->nopen; i++) {
		struct consumer *image = drain->open[i];

		consume_look(image);
		places_take(&places, image->pid, &image->session->page, NULL);
	}
	for (int i = 0; i < o->nrules; i++) {
		const char *rule = o->rules[i];

		if (!rule_unmet(drain, &places, rule))
			continue;
		unmet = true;
		if (tell_fault(drain, rule))
			continue;
		if (rules_never(o, rule, glob, text)) {
			outcome_tell(outcome, RULE_NEVER_YET, .subject = glob,
				     .text = text);
			continue;
		}
		rules_nearest(o, rule, text, sizeof(text));
		if (rule_kind(rule) == RULE_FUNCTIONS)
			outcome_tell(outcome, FUNCTIONS_UNNAMED_YET,
				     .subject = rule, .text = text);
		else
			outcome_tell(outcome, RULE_UNMET_YET, .subject = rule,
				     .text = text);
	}
	places_free(&places);
	return unmet;
}

bool drain_tell_early(struct drain *drain, const struct record_options *o,
		      int crowded, uint64_t now_ns)
{
	if (!drain->early_ns)
		drain->early_ns = now_ns + DRAIN_EARLY_NS;
	if (now_ns < drain->early_ns)
		return false;
	drain->early_ns = UINT64_MAX;
	return !crowded && unmet_tell(drain, o);
}

void drain_tell_rules(struct drain *drain, const struct record_options *o,
		      bool rules, bool some)
{
	if (rules)
		rules_note(&drain->rules, o, &drain->places, some,
			   drain->outcome);
	outcome_print(drain->outcome, CAUSE_PROBE_FAILED);
	/* each rule has other markers, which are recorded */
	drain->places.lenient = rules_all_served(&drain->rules, o,
						 &drain->places);
	outcome_take(drain->outcome, places_tell(&drain->places));
}

void drain_end(struct drain *drain)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < DRAIN_LATE_MAX; i++)
		late_look(drain, drain->late[i]);
	/* the shared trace is finished: these losses go to the ledger */
	for (size_t i = 0; i < drain->nimages; i++)
		lost += drain->images[i]->late_unplaced;
	if (lost && drain->shared && drain->shared->trace)
		trace_lose_late(drain->shared->trace, lost);
	else
		drain->set.lost += lost;
	/* this reads the programs' files: now nothing waits for the recorder */
	for (size_t i = 0; i < drain->nimages; i++)
		consume_names(drain->images[i], drain->images, drain->nimages);
	trace_set_finish(&drain->set);
	/* the traces do not need the events any more */
	for (size_t i = 0; i < drain->nimages; i++)
		if (drain->images[i]->session)
			take_rules(drain, drain->images[i]);
}

void drain_note_set(const struct trace_set *set, uint64_t unreadable,
		    bool fail_on_loss, struct outcome *outcome)
{
	uint64_t known = set->cut + set->gone_rings;
	char path[PATH_MAX + sizeof(set->spoilt_name)];

	outcome_count(outcome, RINGS_CUT, set->cut);
	outcome_count(outcome, RINGS_GONE, set->gone_rings,
		      .pid = (pid_t)set->gone_pid);
	outcome_count(outcome, RINGS_INVALID,
		      unreadable > known ? unreadable - known : 0);
	snprintf(path, sizeof(path), "%s/%s", set->path, set->spoilt_name);
	outcome_count(outcome, TRACE_SPOILT, set->spoilt, .path = path);
	outcome_count(outcome, MARKERS_LEFT_OFF, set->left_off);
	outcome_count(outcome, CALLS_LOST, set->lost_calls);
	outcome_count(outcome, HITS_UNDECIDED, set->undecided);
	outcome_count(outcome, EVENTS_LOST, fail_on_loss ? set->lost : 0);
}

void drain_note(struct drain *drain, const char *session,
		const char *directory, int crowded, bool fail_on_loss)
{
	struct outcome *outcome = drain->outcome;
	int error = crowded ? crowded : drain->missed;

	if (!drain->set.error && drain->failed)
		outcome_note(outcome, OUTPUT_FAILED, .path = drain->set.path,
			     .error = drain->failed);
	if (error)
		outcome_note(outcome, TRACE_INCOMPLETE, .subject = session,
			     .error = error);
	shortage_note(&drain->shortage, directory, drain->set.lost, outcome);
	drain_note_set(&drain->set, drain->unreadable, fail_on_loss, outcome);
}

/* Tells how far back the buffers reached that were overwritten. */
static void tell_reach(const struct drain *drain)
{
	char text[REACH_TEXT_BYTES];
	struct reach reach = { 0 };

	for (size_t i = 0; i < drain->nimages; i++)
		reach_join(&reach, &drain->images[i]->reach);
	if (reach_text(&reach, text))
		command_warn("the buffers reach back %s", text);
	reach_free(&reach);
}

void drain_summary(const struct drain *drain, size_t processes, uint64_t missed,
		   bool remedy)
{
	const struct trace_set *set = &drain->set;
	/* processes that share the buffers may have written nothing */
	bool traced = processes || set->ntraces;
	char text[64] = "";

	if (missed)
		snprintf(text, sizeof(text), "%s missed by callbacks",
			 counted(missed, "hit"));
	if (!traced && set->lost)
		command_warn("0 events (%llu lost, all%s%s), so there is no "
			     "trace", (unsigned long long)set->lost,
			     *text ? ", " : "", text);
	else if (!traced)
		command_warn("0 events%s%s%s, so there is no trace",
			     *text ? " (" : "", text, *text ? ")" : "");
	else
		command_warn("%s (%s%llu lost, %s%s%.1f bytes per event%s%s) of "
			     "%s in %s", counted(set->kept, "event"),
			     trace_lost_least(set),
			     (unsigned long long)set->lost, text,
			     *text ? ", " : "", set->kept ?
			     (double)set->bytes / (double)set->kept : 0.0,
			     set->records ? ", " : "", set->records ?
			     counted(set->records, "writer record") : "",
			     counted(processes, "process"), set->path);
	if (traced && set->overwritten)
		command_warn("%s %s %s",
			     counted(set->overwritten, "older event"),
			     agreed(set->overwritten, "was", "were"),
			     set->limit ? "dropped" : "overwritten");
	if (traced)
		tell_reach(drain);
	/* that option is for buffers of each process */
	if (processes && !drain->shared) {
		uint64_t records = set->records * WRITER_BYTES_LEAST;
		uint64_t fields = set->kept * sizeof(uint32_t);

		/* threads that take turns have a record before most events,
		 * and a field of each event would be smaller: told if it is
		 * so even where all records are as small as they can be */
		if (set->kept >= TURNS_TOLD && set->bytes > records &&
		    records > fields)
			command_warn(
				"the threads take turns: --context vtid would make "
				"it %.1f bytes per event",
				(double)(set->bytes - records + fields) /
					(double)set->kept);
	}
	/* the outcome has the remedy for buffers that found no room, for
	 * children without files, and for a trace that is not written */
	if (remedy && !drain->told &&
	    shortage_spares(&drain->shortage, set->lost -
			    min_u64(set->lost_calls, set->lost)))
		command_warn(COMMAND_FULL_REMEDY);
}

void drain_close(struct drain *drain)
{
	trace_set_close(&drain->set);
	for (size_t i = 0; i < drain->nimages; i++)
		consume_close(drain->images[i]);
	free(drain->images);
	free(drain->open);
	places_free(&drain->places);
	rules_free(&drain->rules);
}
