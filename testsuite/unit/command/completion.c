/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Words that completion proposes (command/completion/words.c), for sub-commands
 * that are made here.
 */
#include "testsuite/unit/unit.h"

#include "command/common/command.h"
#include "command/completion/private.h"
#include "testsuite/unit/command/said.h"

#define WORDS_MAX	16

static const struct option_row rows[] = {
	{ 'o', "output", "DIR", "write there" },
	{ 'c', "context", "LIST", "contexts" },
	{ 'v', "verbose", NULL, "say more" },
	{ 300, "file", "FILE", "names it" },
	{ 301, "hidden", NULL, NULL },
	{ 302, "provider", "NAME", "load it" },
	{ 0, NULL, NULL, NULL }
};

static int tell(int argc, char **argv, const char *shape, int stop_early)
{
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows, .shape = shape,
		.stop_early = stop_early,
	};

	while (options_next(&options) > 0)
		;
	return options.status;
}

static int made_main(int argc, char **argv)
{
	return tell(argc, argv, "FILE SHELL [DIR...]", 0);
}

static int run_main(int argc, char **argv)
{
	return tell(argc, argv, "(-o DIR | -- PROG [ARGS...])", 1);
}

/* A walk through options begins anew with another word, by its address. */
static const char words_made[2][8] = { "made", "made" };
static const char words_run[2][8] = { "run", "run" };

static void set_commands(size_t walk)
{
	static struct command commands[3];

	commands[0] = (struct command){ words_made[walk % 2], made_main,
					"makes it", "" };
	commands[1] = (struct command){ words_run[walk % 2], run_main,
					"executes it", "" };
	command_set_rows(commands);
}

#define CONTEXTS(before)						\
	before "vtid\n" before "vpid\n" before "procname\n" before "cpu\n" \
	before "ip\n" before "cpu_id\n" before "pthread_id\n"
#define OPTIONS								\
	"-o\twrite there\n--output\twrite there\n-c\tcontexts\n"	\
	"--context\tcontexts\n-v\tsay more\n--verbose\tsay more\n"	\
	"--file\tnames it\n--provider\tload it\n--help\tprint this\n"

/* Words stand between bars, because one may be empty. */
static const struct {
	const char *line, *proposals;
} lines[] = {
	{ "", "made\tmakes it\nrun\texecutes it\n--help\tprint the sub-commands\n"
	  "--version\tprint the version\n" },
	{ "m", "made\tmakes it\n" },
	{ "--v", "--version\tprint the version\n" },
	{ "x", "" },
	{ "x|", "" },
	{ "made|-", OPTIONS },
	{ "made|--", "--output\twrite there\n--context\tcontexts\n"
	  "--verbose\tsay more\n--file\tnames it\n--provider\tload it\n"
	  "--help\tprint this\n" },
	{ "made|--co", "--context\tcontexts\n" },
	{ "made|", ":files\n" },
	{ "made|x|", "bash\nzsh\nfish\n" },
	{ "made|x|z", "zsh\n" },
	{ "made|x|bash|", ":directories\n" },
	{ "made|x|bash|y|", ":directories\n" },
	{ "made|-v|x|f", "fish\n" },
	{ "made|-o|", ":directories\n" },
	{ "made|-oy|", ":files\n" },
	{ "made|--output=y|", ":files\n" },
	{ "made|--output|y|", ":files\n" },
	{ "made|--file=", ":files\n" },
	/* bash makes three words of it */
	{ "made|--output|=|y|", ":files\n" },
	{ "made|--file|=", ":files\n" },
	{ "made|--context=", CONTEXTS("--context=") "--context=writer\n"
	  "--context=none\n" },
	{ "made|-c|", CONTEXTS("") "writer\nnone\n" },
	{ "made|-c|v", "vtid\nvpid\n" },
	{ "made|-c|vtid,", CONTEXTS("vtid,") },
	{ "made|-c|vtid,ip,c", "vtid,ip,cpu\nvtid,ip,cpu_id\n" },
	{ "made|--provider|", "pthread\n" },
	{ "made|--|-", ":files\n" },
	{ "made|--|x|-", "" },
	{ "run|", ":programs\n" },
	{ "run|-v|", ":programs\n" },
	{ "run|--|", ":programs\n" },
	{ "run|x|", ":files\n" },
	{ "run|x|-", ":files\n" },
	{ "run|x|-o|", ":files\n" },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char *words[WORDS_MAX], text[128], *rest = text;
		int n = 0;

		snprintf(text, sizeof(text), "%s", lines[i].line);
		while (rest)
			words[n++] = strsep(&rest, "|");
		set_commands(i);
		said_begin(STDOUT_FILENO);
		complete_words(n, words, NULL);
		unit_equal_string(said_end(), lines[i].proposals,
				  "line '%s'", lines[i].line);
	}
	return unit_end();
}
