/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The report as text: totals, processes, events, and then the other sections.
 *
 * A section begins with an empty line and a heading. Without any event there
 * are only the totals; with --locks or --functions, the totals and that table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/common/counted.h"
#include "command/common/wrapped.h"
#include "command/report/private.h"

/* Prints a sentence of look_notes() below the table of processes, which lacks
 * the events that the sentence is about. */
static void print_note(const char *note, void *priv)
{
	printf("  ");
	wrapped_text(2, 4, note);
}

void report_print(struct report *r)
{
	char first[64], last[64], pid[24], lost[24], line[256];
	uint64_t span = report_span(r);
	size_t n, processes, hosts = 0;
	const struct report_trace **list = report_processes(r, &n);
	int columns;

	for (size_t i = 0; i < n && list; i++)
		hosts += list[i]->trace->shared;
	/* an empty trace is that of a process, whoever had the buffers */
	processes = n == hosts && r->ntraces ? 1 : n - hosts;
	printf("%s (%llu bytes) of %s, %llu lost\n",
	       counted(r->events, "event"), (unsigned long long)r->bytes,
	       counted(processes, "process"),
	       (unsigned long long)r->look.losses);
	if (!r->events)
		goto out;
	report_time(r, r->first, first);
	report_time(r, r->last, last);
	columns = snprintf(line, sizeof(line), "%s to %s, %llu.%09llu s",
			   first, last,
			   (unsigned long long)(span / 1000000000),
			   (unsigned long long)(span % 1000000000));
	if (span)
		snprintf(line + columns, sizeof(line) - (size_t)columns,
			 ", %.1f events a second", report_rate(r, r->events));
	wrapped_text(0, 2, line);
	if (r->locks_only || r->functions_only) {
		if (r->functions_only)
			report_functions(r);
		if (r->locks_only)
			report_locks(r);
		goto out;
	}
	if (list)
		printf("\nProcesses\n"
		       "      events       %%         bytes        lost      "
		       "pid  process\n");
	for (size_t i = 0; list && i < rows_shown(r, n); i++) {
		const struct report_trace *p = list[i];
		const struct trace_class *trace = p->trace;

		strcpy(pid, "-");
		if (trace->vpid >= 0)
			snprintf(pid, sizeof(pid), "%lld",
				 (long long)trace->vpid);
		/* those that share a trace lose events together */
		strcpy(lost, "-");
		if (!trace->carrier || !report_losses(r, trace)->lost)
			snprintf(lost, sizeof(lost), "%llu",
				 (unsigned long long)p->lost);
		columns = printf("%12llu  %5.1f%%  %12llu  %10s  %7s",
				 (unsigned long long)p->events,
				 share_of(p->events, r->events),
				 (unsigned long long)p->bytes, lost, pid);
		wrapped_name(columns, *trace->procname ? trace->procname :
							 trace->path);
	}
	report_more(r, n, "process");
	if (list)
		look_notes(&r->look, r->pairs, rows_shown(r, n), print_note,
			   NULL);
	printf("\nEvents\n");
	report_columns("event");
	for (size_t i = 0; i < rows_shown(r, r->nnames); i++)
		report_row(r, r->names[i].events, r->names[i].bytes,
			   r->names[i].name);
	report_more(r, r->nnames, "event");
	report_groups(r);
	report_pairs(r);
	report_fields(r);
	report_locks(r);
out:
	free(list);
}
