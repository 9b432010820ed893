/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions of a process, or of a program and its libraries: how many a
 * rule fn:* can have, and why not the others.
 *
 * Invariant: the plans are those by which the agent places sites. The agent may
 * refuse more: where a program will handle faults, or has changed code.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/text.h"
#include "command/common/counted.h"
#include "command/doctor/private.h"
#include "command/elf/elfnotes.h"
#include "command/elf/program-functions.h"
#include "command/procfs/process.h"
#include "tracepoints/conditions/rule-split.h"

#define REASONS_MAX	32

/* Functions that a rule fn:* names, each once. */
struct tally {
	size_t files, all;
	size_t calls;			/* can be recorded, */
	size_t returns;			/* and the returns, too */
	struct {
		const char *why;	/* of the text of a reason */
		size_t n;
	} reasons[REASONS_MAX];
};

/* Counts a reason; the most frequent ones stand first. */
static void reason_count(struct tally *tally, const char *why)
{
	size_t i = 0, n;

	while (i < REASONS_MAX - 1 && tally->reasons[i].n &&
	       tally->reasons[i].why != why)
		i++;
	n = tally->reasons[i].n + 1;
	for (; i && tally->reasons[i - 1].n < n; i--)
		tally->reasons[i] = tally->reasons[i - 1];
	tally->reasons[i].why = why;
	tally->reasons[i].n = n;
}

/* Counts the functions of a file. */
static int count_file(const char *path, const char *names,
		      struct marker_list *functions, void *arg)
{
	struct tally *tally = arg;
	const struct marker *m, *last = NULL;
	size_t before = tally->all;

	if (rule_is_runtime(names))
		return 0;
	for (size_t i = 0; i < functions->count; i++, last = m) {
		m = &functions->markers[i];
		if (last && last->address == m->address)
			continue;
		tally->all++;
		tally->calls += m->placement != PLACED_NOT;
		tally->returns += !m->why;
		if (m->why)
			reason_count(tally, m->why);
	}
	tally->files += tally->all > before;
	return 0;
}

/* Says why a file has no functions that could be recorded. */
static void found_none(struct finding *f, const char *path)
{
	char error[ELFNOTES_ERROR_BYTES];
	struct marker_list list = { 0 };

	elfnotes_read(&list, path, SYMBOLISER_FUNCTIONS, error);
	marker_list_free(&list);
	found(f, FUNCTIONS_NONE, .text = *error ? error :
	      "neither the program nor a library of it has symbols of "
	      "functions");
}

void look_functions(struct doctor *d, struct finding *f)
{
	struct tally tally = { 0 };
	char exe[32], text[CAUSE_TEXT_BYTES];
	int ret = 0, n;

	if (d->gone || (!d->pid && !*d->image))
		return;
	snprintf(exe, sizeof(exe), "/proc/%d/exe", d->pid);
	if (d->pid)
		ret = functions_of_process(d->pid, SYMBOLISER_PLAN, NULL,
					   count_file, &tally);
	else
		functions_of_program(d->image, SYMBOLISER_PLAN, NULL,
				     count_file, &tally);
	/* an earlier check has said that the process cannot be read */
	if (ret)
		return;
	if (!tally.all) {
		found_none(f, d->pid ? exe : d->image);
		return;
	}
	/* per mille are rounded down: 100.0 % are all */
	n = snprintf(text, sizeof(text), "%s: calls of %zu (%zu.%zu %%) can "
		     "be recorded, with returns of %zu (%zu.%zu %%)",
		     counted(tally.files, "file"), tally.calls,
		     tally.calls * 100 / tally.all,
		     tally.calls * 1000 / tally.all % 10, tally.returns,
		     tally.returns * 100 / tally.all,
		     tally.returns * 1000 / tally.all % 10);
	if (tally.returns == tally.all) {
		found_as(f, DOCTOR_OK, "%s of %s", counted(tally.all, "function"),
			 text);
		return;
	}
	for (size_t i = 0; i < REASONS_MAX && tally.reasons[i].n &&
			   n < (int)sizeof(text); i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%zu: %s",
			      i ? "; " : "; not ", tally.reasons[i].n,
			      tally.reasons[i].why);
	found(f, FUNCTIONS_UNPLACED, .pid = d->pid, .n = (int64_t)tally.all,
	      .text = text, .path = d->pid ? NULL : d->image);
}
