/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the pairs of traces leave out, as sentences.
 */
#include "command/look/look.h"

#include <stdio.h>
#include <string.h>

#include "command/common/counted.h"
#include "traces/text/event-text.h"

#define NOTE_BYTES	512

bool look_partial(const struct look *look, const struct trace_class *trace,
		  int64_t *from)
{
	return gaps_end(&trace->gaps, reader_begin(look->reader),
			reader_end(look->reader), from);
}

static void note_process(const struct look *look, const struct pairs *pairs,
			 const struct trace_class *trace, int64_t ns,
			 char *note)
{
	struct event_text text = { .utc = look->utc, .dates = true };
	struct pairs_out out = pairs_left_out(pairs, trace);
	char from[64], pid[24] = "", left[128] = "";
	char *blank;

	event_text_open(&text);
	event_text_time(&text, ns, from);
	blank = strchr(from, ' ');
	if (blank)
		*blank = 'T';
	if (trace->vpid >= 0)
		snprintf(pid, sizeof(pid), " (%lld)", (long long)trace->vpid);
	if (out.begins || out.ends)
		snprintf(left, sizeof(left), "; before that, %s and %s of "
			 "pairs are left out", counted(out.begins, "begin"),
			 counted(out.ends, "end"));
	snprintf(note, NOTE_BYTES, "%.256s%s: events are complete from %s on%s",
		 *trace->procname ? trace->procname : trace->path, pid, from,
		 left);
}

void look_notes(const struct look *look, const struct pairs *pairs, size_t most,
		void (*take)(const char *note, void *priv), void *priv)
{
	struct trace_class *const *traces;
	size_t n = reader_traces(look->reader, &traces), told = 0;
	uint64_t given_up = pairs_given_up(pairs);
	char note[NOTE_BYTES];
	int64_t from;

	for (size_t i = 0; i < n; i++) {
		if (!look_partial(look, traces[i], &from) || ++told > most)
			continue;
		note_process(look, pairs, traces[i], from, note);
		take(note, priv);
	}
	if (told > most) {
		snprintf(note, sizeof(note), "events of %s are not complete "
			 "from the beginning on, either",
			 counted(told - most, "more process"));
		take(note, priv);
	}
	if (!given_up)
		return;
	snprintf(note, sizeof(note), "%s given up, because more than %u were "
		 "open at a time; an end of one counts as without a begin",
		 counted(given_up, "pair"), PAIRS_OPEN_MAX);
	take(note, priv);
}

static void warn_note(const char *note, void *priv)
{
	(void)priv;
	command_warn("%s", note);
}

void look_warn_notes(const struct look *look, const struct pairs *pairs)
{
	look_notes(look, pairs, LOOK_NOTES_MAX, warn_note, NULL);
}
