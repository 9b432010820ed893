/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The report as text: processes, events, and then the other sections.
 */
#include <stdio.h>
#include <stdlib.h>

#include "command/common/counted.h"
#include "command/common/printable.h"
#include "command/report/private.h"

static int by_events(const void *a, const void *b)
{
	const struct report_trace *left = *(struct report_trace *const *)a;
	const struct report_trace *right = *(struct report_trace *const *)b;

	if (left->events != right->events)
		return left->events > right->events ? -1 : 1;
	return left->trace->number < right->trace->number ? -1 : 1;
}

static void print_note(const char *note, void *priv)
{
	(void)priv;
	printable_print("  %s\n", note);
}

static void print_processes(struct report *r)
{
	struct report_trace **list = calloc(r->ntraces + 1, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; list && i < r->ntraces; i++)
		if (r->traces[i].trace)
			list[n++] = &r->traces[i];
	if (!list)
		return;
	qsort(list, n, sizeof(*list), by_events);
	report_heading("Processes");
	printf("      events       %%         bytes        lost      pid  "
	       "process\n");
	for (size_t i = 0; i < rows_shown(r, n); i++) {
		const struct trace_class *trace = list[i]->trace;
		char pid[24] = "-";

		if (trace->vpid >= 0)
			snprintf(pid, sizeof(pid), "%lld",
				 (long long)trace->vpid);
		printable_print("%12llu  %5.1f%%  %12llu  %10llu  %7s  %s\n",
				(unsigned long long)list[i]->events,
				share_of(list[i]->events, r->events),
				(unsigned long long)list[i]->bytes,
				(unsigned long long)list[i]->lost, pid,
				*trace->procname ? trace->procname :
						   trace->path);
	}
	report_more(r, n, "process");
	free(list);
	look_notes(&r->look, r->pairs, rows_shown(r, n), print_note, NULL);
}

static void print_events(const struct report *r)
{
	report_heading("Events");
	printf("      events       %%    a second         bytes       %%  "
	       "event\n");
	for (size_t i = 0; i < rows_shown(r, r->nnames); i++) {
		const struct event_row *row = &r->names[i];

		printable_print("%12llu  %5.1f%%  %10.1f  %12llu  %5.1f%%  "
				"%s\n", (unsigned long long)row->events,
				share_of(row->events, r->events),
				report_rate(r, row->events),
				(unsigned long long)row->bytes,
				share_of(row->bytes, r->bytes), row->name);
	}
	report_more(r, r->nnames, "event");
}

/* Writes the totals, and the time from the first event to the last. */
static void print_head(const struct report *r)
{
	char first[64], last[64];
	uint64_t span = report_span(r);
	size_t processes = 0;

	for (size_t i = 0; i < r->ntraces; i++)
		processes += r->traces[i].trace != NULL;
	printf("%s (%llu bytes) of %s, %llu lost\n",
	       counted(r->events, "event"), (unsigned long long)r->bytes,
	       counted(processes, "process"),
	       (unsigned long long)r->look.losses);
	if (!r->events)
		return;
	report_time(r, r->first, first);
	report_time(r, r->last, last);
	printf("%s to %s, %llu.%09llu s", first, last,
	       (unsigned long long)(span / 1000000000),
	       (unsigned long long)(span % 1000000000));
	if (span)
		printf(", %.1f events a second",
		       report_rate(r, r->events));
	putchar('\n');
}

void report_print(struct report *r)
{
	print_head(r);
	if (!r->events)
		return;
	print_processes(r);
	print_events(r);
	report_groups(r);
	report_pairs(r);
	report_fields(r);
	report_locks(r);
}
