/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail top: the events that a session's buffers get, once a second, without
 * a directory.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "command/common/monotonic.h"
#include "command/top/private.h"

#define INTERVAL_MS	1000

enum key {
	KEY_FOR = 256,
};

static const struct option_row rows[] = {
	LOOK_LIVE_ROWS,
	LOOK_WHERE_ROW,
	LOOK_PAIR_BY_ROW,
	{ KEY_FOR, "for", "SEC", "end after this time" },
	{ 'j', "json", NULL, "print an object a second, one a line" },
	{ 0 }
};

static int take_option(struct top *top, int key, const char *value)
{
	switch (key) {
	case KEY_FOR:
		return command_take_seconds(&top->seconds, value);
	case 'j':
		top->json = true;
		return COMMAND_DONE;
	case LOOK_WHERE:
		if (top->nrules == TOP_RULES_MAX)
			return command_misused("--where: at most %d rules",
					       TOP_RULES_MAX);
		top->rules[top->nrules++] = value;
		return COMMAND_DONE;
	case LOOK_PAIR_BY:
		return look_option(&top->look, key, value);
	case LOOK_SESSION:
		return look_take_session(&top->session, value);
	default:
		return command_take_pid(&top->pid, value);
	}
}

/* Returns a status; also when the session has gone, which ends it well. */
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
		if (ret == COMMAND_DONE && top->json)
			top_print_json(top, &sample);
		else if (ret == COMMAND_DONE)
			top_print(top, &sample);
		top_sample_free(&sample);
		if (ret != COMMAND_DONE && !top->gone)
			return ret;
		if (ret != COMMAND_DONE) {
			command_warn("session '%s' has ended", top->session);
			break;
		}
	}
	return look_finish();
}

int top_main(int argc, char **argv)
{
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows,
		.shape = "[-s NAME | -p PID]",
		.about = "Print once a second which events a session's buffers "
			 "get, and how long pairs take.",
	};
	struct top top = { .screen = isatty(STDOUT_FILENO) };
	int key, ret;

	while ((key = options_next(&options)) != OPTIONS_END) {
		if (key == OPTIONS_STOP)
			return options.status;
		ret = take_option(&top, key, options.value);
		if (ret != COMMAND_DONE)
			return ret;
	}
	if (options.index < argc)
		return command_misused("unexpected argument '%s': a session "
				       "stands behind -s, a process behind -p; "
				       "for a trace: taffrail report %s",
				       argv[options.index],
				       argv[options.index]);
	signal(SIGPIPE, SIG_IGN);
	look_interrupt();
	ret = run_top(&top);
	top_close(&top);
	return ret == COMMAND_DONE && top.unread ? COMMAND_FAILED : ret;
}
