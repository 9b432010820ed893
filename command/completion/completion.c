/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail completion SHELL. The scripts, and tests, use options that the help
 * text leaves out.
 */
#include "command/completion/private.h"

#include <stdio.h>

#include "command/common/command.h"

enum { KEY_WORDS = 256, KEY_SESSIONS, KEY_PIDS, KEY_MARKERS };

static const struct option_row rows[] = {
	{ KEY_WORDS, "words", NULL, NULL },
	{ KEY_SESSIONS, "sessions", NULL, NULL },
	{ KEY_PIDS, "pids", NULL, NULL },
	{ KEY_MARKERS, "markers", NULL, NULL },
	{ 0 }
};

static int print_script(const char *shell)
{
	const char *script = completion_script(shell);

	if (!script)
		return command_misused("unknown shell '%s': give bash, zsh or "
				       "fish", shell);
	fputs(script, stdout);
	return command_finish();
}

/* Prints one list, or the proposals for the operands. */
static int answer_words(int key, int count, char **words)
{
	static const struct proposal all = { .prefix = "", .before = "" };

	switch (key) {
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
		complete_words(count, words);
	}
	return command_finish();
}

int completion_main(int argc, char **argv)
{
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows, .shape = "SHELL",
		.about = "Print the script that completes taffrail's command "
			 "line in SHELL: bash, zsh or fish.",
	};
	int key, asked = 0;

	while ((key = options_next(&options)) != OPTIONS_END) {
		if (key == OPTIONS_STOP)
			return options.status;
		asked = key;
	}
	if (asked)
		return answer_words(asked, argc - options.index,
				    argv + options.index);
	if (argc - options.index != 1)
		return command_misused("give one shell: bash, zsh or fish");
	return print_script(argv[options.index]);
}
