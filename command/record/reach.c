/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How far back buffers reach. See reach.h.
 */
#include "command/record/reach.h"

#include <fcntl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffers/clock.h"
#include "command/causes/cause.h"
#include "command/common/command.h"
#include "command/common/counted.h"
#include "traces/trace.h"

#define REPLACEMENTS_MAX	32	/* of a ring */
#define NS_PER_S	1000000000ull

void reach_add(struct reach *reach, pid_t pid, const char *name,
	       const struct ring_reach *clock)
{
	struct reach_row *row;
	unsigned long number;

	reach->rows = command_need(reallocarray(reach->rows, reach->count + 1,
						sizeof(*row)));
	row = reach->rows + reach->count++;
	*row = (struct reach_row){ .pid = pid, .clock = *clock };
	snprintf(row->name, sizeof(row->name), "%s", name);
	number = strtoul(name, NULL, 10);
	/* each is at least twice as large as the one before, but a process may
	 * name files as it likes */
	if (*name == 'L' || number / RING_STRIDE > REPLACEMENTS_MAX)
		return;
	row->replacement = (uint32_t)(number / RING_STRIDE);
	snprintf(row->name, sizeof(row->name), "%lu", number % RING_STRIDE);
}

/* Returns the row of the ring that has this number among those of the same
 * buffer, or NULL. */
static struct reach_row *row_find(struct reach *reach, size_t from,
				  const struct reach_row *row, uint32_t number)
{
	for (size_t i = from; i < reach->count; i++)
		if (reach->rows[i].replacement == number &&
		    !strcmp(reach->rows[i].name, row->name))
			return &reach->rows[i];
	return NULL;
}

/* Joins the rings of each buffer to the newest one, as far as no event is
 * missing between them, and drops buffers without events. Rings below number
 * `end` were removed; another one that is not there was never made, as in a
 * forked child, which makes a CPU's ring for the first event on it. */
static void rows_merge(struct reach *reach, size_t from, uint64_t end)
{
	size_t count = from;

	for (size_t i = from; i < reach->count; i++) {
		struct reach_row *newest = &reach->rows[i], *older;
		struct reach_row row = *newest;

		if (row_find(reach, from, newest, row.replacement + 1))
			continue;
		while (row.clock.whole && row.replacement) {
			row.clock.whole = row.replacement-- > end;
			older = row_find(reach, from, newest, row.replacement);
			if (!row.clock.whole || !older)
				continue;
			row.clock.begin = older->clock.begin;
			row.clock.whole = older->clock.whole;
			row.clock.none &= older->clock.none;
			if (older->clock.end > row.clock.end)
				row.clock.end = older->clock.end;
		}
		reach->rows[i].clock = row.clock;
	}
	for (size_t i = from; i < reach->count; i++)
		if (!reach->rows[i].clock.none &&
		    !row_find(reach, from, &reach->rows[i],
			      reach->rows[i].replacement + 1))
			reach->rows[count++] = reach->rows[i];
	reach->count = count;
}

void reach_settle(struct reach *reach, size_t from,
		  const struct process_page *page,
		  const struct session_page *session, bool running)
{
	__extension__ unsigned __int128 ns;
	struct clock_anchor now = { 0 };
	struct rings_removed removed;
	uint64_t end = 0;

	rings_removed_read(session, &removed);
	rows_merge(reach, from, removed.end);
	reach->keep_ns = session->keep_ns;
	reach->keep_error = session->keep_error;
	if (page->clock_kind == CLOCK_KIND_ATOMIC || !page->clock_hz) {
		reach->count = from;
		return;
	}
	if (running) {
		clock_anchor_take_kind((int)page->clock_kind, &now);
		end = now.clock;
	}
	for (size_t i = from; i < reach->count; i++)
		if (reach->rows[i].clock.end > end)
			end = reach->rows[i].clock.end;
	for (size_t i = from; i < reach->count; i++) {
		struct reach_row *row = &reach->rows[i];

		/* a process may lie about its clock: such a time is wrong, but
		 * bounded */
		ns = row->clock.begin < end ? end - row->clock.begin : 0;
		ns = ns * NS_PER_S / page->clock_hz;
		row->ns = ns > INT64_MAX ? INT64_MAX : (uint64_t)ns;
		row->ended = !running;
		row->since_ns = running ? now.realtime_ns - row->ns :
			clock_to_realtime_ns(&page->start, page->clock_hz,
					     row->clock.begin);
	}
}

/* The `priv` of read_ring(). */
struct reading {
	struct reach *reach;
	int imagefd;
	uint32_t index;
	pid_t pid;
	const struct packet_format *format;	/* NULL: events are written */
};

/* Adds a buffer that has an event. Returns 0: the search goes on. */
static int read_ring(const char *name, void *priv)
{
	const struct reading *reading = priv;
	struct ring_reader ring;
	struct ring_reach clock;

	if (ring_open(&ring, reading->imagefd, reading->index, name, false))
		return 0;
	if (!ring_reach(&ring, reading->format, &clock))
		reach_add(reading->reach, reading->pid, name, &clock);
	ring_close(&ring);
	return 0;
}

/* Reads the buffers of a session that does not run: the newest event is found
 * by the descriptions of the events. */
static void read_ended(struct reading *reading)
{
	struct packet_format format;
	struct session_view session;
	struct event_shape *shapes;
	char name[24];

	snprintf(name, sizeof(name), "session.%u", reading->index);
	if (session_view_open(&session, reading->imagefd, name))
		return;
	if (!metadata_format(&format, &shapes, &session)) {
		reading->format = &format;
		rings_each(reading->imagefd, reading->index, read_ring,
			   reading);
		free(shapes);
	}
	session_view_close(&session);
}

void reach_read(struct reach *reach, const struct rundir_process *process,
		const struct session_page *session)
{
	struct reading reading = {
		.reach = reach, .index = session->index, .pid = process->pid,
	};
	bool running = process->alive && session->state == SESSION_ACTIVE;
	struct session_page latest;
	size_t from = reach->count;
	struct process_page page;

	if (!(session->flags & SESSION_OVERWRITE) ||
	    rundir_read_process(process, process->image, &page))
		return;
	reading.imagefd = rundir_open_image(process, process->image);
	if (reading.imagefd < 0)
		return;
	if (running)
		rings_each(reading.imagefd, reading.index, read_ring, &reading);
	else
		read_ended(&reading);
	close(reading.imagefd);
	/* after the look at the rings: it tells which were removed by then */
	if (!rundir_read_session(process, process->image, session->index,
				 &latest))
		session = &latest;
	reach_settle(reach, from, &page, session, running);
}

void reach_join(struct reach *reach, const struct reach *other)
{
	for (size_t i = 0; i < other->count; i++) {
		const struct reach_row *row = &other->rows[i];

		reach_add(reach, row->pid, row->name, &row->clock);
		reach->rows[reach->count - 1] = *row;
	}
	if (other->keep_ns > reach->keep_ns)
		reach->keep_ns = other->keep_ns;
	if (other->keep_error)
		reach->keep_error = other->keep_error;
}

/* Finds the buffer from which events were overwritten last, or NULL; and the
 * one that reaches back longest. */
static const struct reach_row *reach_bounds(const struct reach *reach,
					    const struct reach_row **longest)
{
	const struct reach_row *shortest = NULL;

	*longest = NULL;
	for (size_t i = 0; i < reach->count; i++) {
		const struct reach_row *row = &reach->rows[i];

		if (!row->clock.whole && (!shortest || row->ns < shortest->ns))
			shortest = row;
		if (!*longest || row->ns > (*longest)->ns)
			*longest = row;
	}
	return shortest;
}

/* Appends "2.41 s (CPU 1)", or "(buffer L0)" for one that is no CPU's; with the
 * process, if there are several. */
static void row_append(const struct reach *reach, const struct reach_row *row,
		       char *text)
{
	size_t at = strlen(text);
	char ns[32], process[32] = "";

	for (size_t i = 0; i < reach->count; i++)
		if (reach->rows[i].pid != row->pid)
			snprintf(process, sizeof(process), " of process %d",
				 row->pid);
	counted_duration(ns, sizeof(ns), row->ns);
	snprintf(text + at, REACH_TEXT_BYTES - at, "%s (%s %s%s)", ns,
		 *row->name == 'L' ? "buffer" : "CPU", row->name, process);
}

bool reach_text(const struct reach *reach, char text[static REACH_TEXT_BYTES])
{
	const struct reach_row *longest;
	const struct reach_row *shortest = reach_bounds(reach, &longest);
	char ns[32];

	*text = '\0';
	if (shortest) {
		row_append(reach, shortest, text);
		if (longest != shortest) {
			strcat(text, " to ");
			row_append(reach, longest, text);
		}
	} else if (longest) {
		counted_duration(ns, sizeof(ns), longest->ns);
		snprintf(text, REACH_TEXT_BYTES, "%s, to the start", ns);
	}
	if (longest && longest->ended)
		strcat(text, ", from the last event");
	if (shortest && shortest->ns < reach->keep_ns) {
		char line[CAUSE_LINE_BYTES];
		struct cause less;
		size_t at = strlen(text);

		counted_duration(ns, sizeof(ns), reach->keep_ns);
		cause_set(&less, 0, BUFFERS_LESS, .text = ns,
			  .error = reach->keep_error ?: EAGAIN);
		snprintf(text + at, REACH_TEXT_BYTES - at, ", %s",
			 cause_line(&less, line));
	}
	return shortest;
}

void reach_json(const struct reach *reach, struct json *json)
{
	const struct reach_row *longest;
	const struct reach_row *shortest = reach_bounds(reach, &longest);

	if (!shortest)
		shortest = longest;
	json_number(json, "keep_ns", reach->keep_ns);
	json_number(json, "keep_error", (uint64_t)reach->keep_error);
	json_number(json, "reach_ns", shortest ? shortest->ns : 0);
	json_open(json, "reach", '[');
	for (size_t i = 0; i < reach->count; i++) {
		const struct reach_row *row = &reach->rows[i];

		json_open(json, NULL, '{');
		json_string(json, "buffer", row->name);
		json_number(json, "ns", row->ns);
		json_number(json, "since_ns", row->since_ns);
		json_bool(json, "whole", row->clock.whole);
		json_close(json, '}');
	}
	json_close(json, ']');
}

void reach_free(struct reach *reach)
{
	free(reach->rows);
	*reach = (struct reach){ 0 };
}
