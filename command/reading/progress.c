/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How far a command is, and whether Ctrl-C ends it.
 *
 * Invariant: the line is the last on standard error. Code that prints
 * another line there calls progress_clear() first.
 */
#include "command/reading/progress.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "command/common/monotonic.h"
#include "command/reading/look.h"

#define STEP_NS		200000000ull

void progress_open(struct progress *progress, struct reader *reader)
{
	bool shown = isatty(STDERR_FILENO);

	*progress = (struct progress){
		.shown = shown, .first = INT64_MAX,
		.last = shown ? reader_near_end(reader) : TIME_MIN,
		.next_ns = monotonic_ns() + STEP_NS,
	};
}

void progress_step(struct progress *progress, uint64_t events, int64_t ns)
{
	double part = 0;

	if (!progress->shown)
		return;
	if (progress->first == INT64_MAX)
		progress->first = ns;
	if (monotonic_ns() < progress->next_ns)
		return;
	progress->next_ns = monotonic_ns() + STEP_NS;
	progress->dirty = true;
	if (progress->last > progress->first)
		part = (double)(ns - progress->first) /
		       (double)(progress->last - progress->first);
	part = part < 1 ? part : 1;
	fprintf(stderr, "\r%.1f million events, %.0f %% of the time\033[K",
		(double)events / 1e6, 100 * part);
	fflush(stderr);
}

void progress_clear(struct progress *progress)
{
	if (progress->dirty)
		fputs("\r\033[K", stderr);
	progress->dirty = false;
}

static volatile sig_atomic_t interrupted;

/* Safe in a signal. The command ends at the next look at look_interrupted(). */
static void on_signal(int number)
{
	interrupted = number;
}

void look_interrupt(void)
{
	struct sigaction action = { .sa_handler = on_signal }, before;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* a terminal that is closed; nohup(1) ignores it */
	if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
}

bool look_interrupted(void)
{
	return interrupted;
}
