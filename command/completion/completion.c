/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail completion SHELL. The scripts, and tests, use options that the help
 * text leaves out: each prints one list, or the proposals for the operands.
 */
#include "command/completion/private.h"

#include <stdio.h>

#include "command/common/command.h"

/* Above every letter, so these have long names only. */
enum { KEY_WORDS = 256, KEY_PROGRAM, KEY_SESSIONS, KEY_PIDS, KEY_MARKERS };

static const struct option_row rows[] = {
	{ KEY_WORDS, "words", NULL, NULL },
	{ KEY_PROGRAM, "program", "PROG", NULL },
	{ KEY_SESSIONS, "sessions", NULL, NULL },
	{ KEY_PIDS, "pids", NULL, NULL },
	{ KEY_MARKERS, "markers", NULL, NULL },
	{ 0 }
};

int completion_main(int argc, char **argv)
{
	/* the shell chooses among all of a list */
	static const struct proposal all = { .prefix = "", .before = "" };
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows, .shape = "SHELL",
		.about = "Print the script that completes taffrail's command "
			 "line in SHELL: bash, zsh or fish.",
	};
	const char *script, *program = NULL;
	int key, asked = 0;

	while ((key = options_next(&options)) != OPTIONS_END) {
		if (key == OPTIONS_STOP)
			return options.status;
		if (key == KEY_PROGRAM)
			program = options.value;
		else
			asked = key;
	}
	argc -= options.index;
	argv += options.index;
	/* the lists take no operand, the words any number */
	if (!asked && argc != 1)
		return command_misused("give one shell: bash, zsh or fish");
	switch (asked) {
	case KEY_WORDS:
		complete_words(argc, argv, program);
		break;
	case KEY_SESSIONS:
		propose_sessions(&all);
		break;
	case KEY_PIDS:
		propose_agents(&all);
		break;
	case KEY_MARKERS:
		propose_markers(&all);
		break;
	default:
		script = completion_script(argv[0]);
		if (!script)
			return command_misused("unknown shell '%s': give bash, "
					       "zsh or fish", argv[0]);
		fputs(script, stdout);
	}
	return command_finish();
}
