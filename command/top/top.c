/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail top: the events that a session's buffers get, once a second, without
 * a directory.
 *
 * Invariant: it takes nothing out of the buffers, so a recorder may empty them
 * at the same time.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "command/common/monotonic.h"
#include "command/top/private.h"

#define INTERVAL_MS	1000

static const struct option_row rows[] = {
	LOOK_LIVE_ROWS,
	LOOK_VISIT_ROWS,
	LOOK_WHERE_ROW,
	LOOK_PAIR_BY_ROW,
	{ OPTION_FOR(struct top, seconds),
	  "for", "TIME", "end after this time: 10 (seconds), 10s, 5m" },
	{ OPTION_JSON, "json", NULL, "print an object a second, one a line" },
	{ 0 }
};

/* Prints the intervals until a signal, --for, or the end of the session, which
 * ends it well. Returns a status of enum command_exit, after printing why it is
 * not COMMAND_DONE. The caller calls top_close() in any case. */
static int run_top(struct top *top)
{
	struct top_sample sample;
	double passed = 0, start = (double)monotonic_ns() / 1e9;
	int ret = top_take(top, &sample);

	top_sample_free(&sample);
	if (ret != COMMAND_DONE)
		return ret;
	while (!look_interrupted() && !ferror(stdout) &&
	       (!top->seconds || passed + 1e-3 < top->seconds)) {
		int ms = INTERVAL_MS;

		if (top->seconds && (top->seconds - passed) * 1000 < ms)
			ms = (int)((top->seconds - passed) * 1000);
		if (poll(NULL, 0, ms) < 0)
			break;
		passed = (double)monotonic_ns() / 1e9 - start;
		ret = top_take(top, &sample);
		if (ret == COMMAND_DONE && command_json())
			top_print_json(top, &sample);
		else if (ret == COMMAND_DONE)
			top_print(top, &sample);
		top_sample_free(&sample);
		/* with its last process, before the session is taken back */
		if (ret == COMMAND_DONE && top->look.within &&
		    top->ended)
			break;
		if (ret == COMMAND_DONE)
			continue;
		if (!top->gone)
			return ret;
		if (!top->look.within)
			command_warn("session '%s' has ended", top->session);
		break;
	}
	return look_finish();
}

/* Takes an option. Returns COMMAND_DONE, or COMMAND_USAGE after printing
 * why. */
static int take_option(void *object, int key, const char *value)
{
	struct top *top = object;

	if (key != LOOK_WHERE)
		return look_option(&top->look, key, value);
	if (top->nrules == TOP_RULES_MAX)
		return command_misused("--where: at most %d rules",
				       TOP_RULES_MAX);
	top->rules[top->nrules++] = value;
	return COMMAND_DONE;
}

int top_main(int argc, char **argv)
{
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows,
		.shape = "[-s NAME | -p PID [-e RULE]]",
		.about = "Print once a second which events a session's buffers "
			 "get, and how long pairs take.",
	};
	struct top top = {
		.screen = isatty(STDOUT_FILENO), .look.visits = true,
	};
	int ret;

	if (!options_take(&options, &top, take_option))
		return options.status;
	if (options.index < argc)
		return command_misused("unexpected argument '%s': a session "
				       "stands behind -s, a process behind -p; "
				       "for a trace: taffrail report %s",
				       argv[options.index],
				       argv[options.index]);
	ret = look_check_visit(&top.look);
	if (ret != COMMAND_DONE)
		return ret;
	signal(SIGPIPE, SIG_IGN);
	look_interrupt();
	ret = run_top(&top);
	top_close(&top);
	return ret == COMMAND_DONE && top.unread ? COMMAND_FAILED : ret;
}
