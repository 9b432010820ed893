/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options as all sub-commands take them (command/common/options.c,
 * misused.c): what a command line means, what is wrong with it, and the values
 * that several sub-commands have.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <stdlib.h>

#include "command/common/command.h"
#include "testsuite/unit/command/said.h"

#define WORDS_MAX	16

static const struct option_row view_rows[] = {
	{ 's', "session", "NAME", "what is in the buffers" },
	{ 'p', "pid", "PID", "only those of this process" },
	{ 'j', NULL, NULL, "a letter alone" },
	{ 300, "begin", "TIME", "leave out events before" },
	{ 301, "buffer-size", "SIZE", "a row that is too long for its "
	  "column" },
	{ 302, "no-delta", NULL, "leave out the time since" },
	{ 303, "no-pager", NULL, NULL },
	{ 0, NULL, NULL, NULL }
};

/* Takes the options of a command line, whose words a blank separates, and
 * writes them: "p=42 no-delta", then the operands behind a "|". */
static int walk(struct options *options, const char *line, char *text)
{
	/* what options.c keeps of a walk is valid until the next one, which
	 * has another argv[0] */
	static char *words, *name;
	char *old_words = words, *old_name = name, *argv[WORDS_MAX + 1];
	size_t n = 0;
	int key;

	words = strdup(line);
	name = strdup("view");
	free(old_words);
	free(old_name);
	options->rows = view_rows;
	options->argc = 1;
	argv[0] = name;
	for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
		argv[options->argc++] = strcmp(w, "''") ? w : w + 2;
	argv[options->argc] = NULL;
	options->argv = argv;
	*text = '\0';
	while ((key = options_next(options)) > 0) {
		const struct option_row *row = view_rows;

		while (row->key != key)
			row++;
		n += sprintf(text + n, "%s%s", n ? " " : "",
			     row->word ? row->word : "j");
		if (row->argument)
			n += sprintf(text + n, "=%s", options->value);
	}
	for (int i = options->index; key == OPTIONS_END && i < options->argc;
	     i++)
		n += sprintf(text + n, "|%s", argv[i]);
	return key;
}

static void check_taken(void)
{
	static const struct {
		const char *line, *taken;
		bool stop_early;
	} rows[] = {
		{ "", "", false },
		{ "a b", "|a|b", false },
		{ "-p 42 a", "pid=42|a", false },
		{ "a -p 42 b", "pid=42|a|b", false },
		{ "a -p 42 b", "|a|-p|42|b", true },
		{ "-p42", "pid=42", false },
		{ "-jp42 -j", "j pid=42 j", false },
		{ "--pid=42 --pid 43", "pid=42 pid=43", false },
		{ "--pi 42 --no-d", "pid=42 no-delta", false },
		{ "--no-pager", "no-pager", false },
		{ "-- -p 42", "|-p|42", false },
		{ "-j -- --", "j|--", false },
		{ "-", "|-", false },
		{ "-p -j", "pid=-j", false },
		{ "-s ''", "session=", false },
		{ "--session=", "session=", false },
		{ "--begin -10", "begin=-10", false },
		{ "--begin -pid", "begin=-pid", false },
		{ "a -pid", "|a|-pid", true },
		{ "-j -- -pid", "j|-pid", false },
		{ "- -p 1", "pid=1|-", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct options o = { .stop_early = rows[i].stop_early };
		char text[256];

		unit_equal(walk(&o, rows[i].line, text), OPTIONS_END,
			   "line '%s' (%zu)", rows[i].line, i);
		unit_equal_string(text, rows[i].taken, "line '%s' (%zu): taken",
				  rows[i].line, i);
	}
}

/* Sub-commands whose options hints name. */
static int other_main(int argc, char **argv)
{
	static const struct option_row rows[] = {
		{ 'z', "zeal", NULL, "an option of others" },
		{ 0, NULL, NULL, NULL }
	};
	struct options o = { .argc = argc, .argv = argv, .rows = rows };

	return options_next(&o) == OPTIONS_STOP ? o.status : COMMAND_FAILED;
}

static const struct command two_owners[] = {
	{ "first", other_main, "", "" },
	{ "second", other_main, "", "" },
	{ NULL, NULL, NULL, NULL }
};
static const struct command five_owners[] = {
	{ "first", other_main, "", "" },
	{ "second", other_main, "", "" },
	{ "third", other_main, "", "" },
	{ "fourth", other_main, "", "" },
	{ "fifth", other_main, "", "" },
	{ NULL, NULL, NULL, NULL }
};

#define TRY	"\nTry 'taffrail view --help'.\n"

static void check_mistakes(void)
{
	static const struct {
		const char *line, *said;
		const struct command *commands;
	} rows[] = {
		{ "-p", "option '-p' needs an argument", two_owners },
		{ "--pid", "option '--pid' needs an argument", two_owners },
		{ "-x", "unknown option '-x'", two_owners },
		{ "-z", "unknown option '-z'; sub-commands with it: first, "
		  "second", two_owners },
		{ "--zeal", "unknown option '--zeal'; sub-commands with it: "
		  "first, second", two_owners },
		{ "--zeal=1", "unknown option '--zeal'; sub-commands with it: "
		  "first, second", two_owners },
		{ "--zeal", "unknown option '--zeal'; sub-commands with it: "
		  "first, second, third, fourth and others", five_owners },
		{ "--json", "unknown option '--json'; taffrail export --format "
		  "json does that", two_owners },
		{ "-o x", "unknown option '-o'; it prints to standard output, "
		  "which the shell leads into a file: > FILE", two_owners },
		{ "--beginn 1", "unknown option '--beginn'; the nearest: "
		  "--begin", two_owners },
		{ "--buffersize 1M", "unknown option '--buffersize'; the "
		  "nearest: --buffer-size", two_owners },
		{ "--no-dleta", "unknown option '--no-dleta'; the nearest: "
		  "--no-delta", two_owners },
		{ "--hepl", "unknown option '--hepl'; the nearest: --help",
		  two_owners },
		/* a third of the letters may differ */
		{ "--pit", "unknown option '--pit'; the nearest: --pid",
		  two_owners },
		{ "--xy", "unknown option '--xy'", two_owners },
		{ "--sezzzon", "unknown option '--sezzzon'", two_owners },
		{ "--no", "option '--no' is ambiguous: 2 options begin so",
		  two_owners },
		{ "--no-delta=1", "option '--no-delta' takes no argument",
		  two_owners },
		{ "--no-d=1", "option '--no-d' takes no argument",
		  two_owners },
		{ "--help=1", "option '--help' takes no argument",
		  two_owners },
		{ "-jx", "unknown option '-x'", two_owners },
		{ "a -x b", "unknown option '-x'", two_owners },
		{ "-pid 42", "unknown option '-pid': with two dashes, --pid",
		  two_owners },
		{ "a -j b -begin=1 c", "unknown option '-begin=1': with two "
		  "dashes, --begin", two_owners },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct options o = { .status = 77 };
		char text[256], want[512];
		int key;

		command_set_rows(rows[i].commands);
		said_begin(STDERR_FILENO);
		key = walk(&o, rows[i].line, text);
		snprintf(want, sizeof(want), "taffrail: view: %s" TRY,
			 rows[i].said);
		unit_equal_string(said_end(), want, "mistake '%s' (%zu)",
				  rows[i].line, i);
		unit_equal(key, OPTIONS_STOP, "mistake '%s' (%zu): stops",
			   rows[i].line, i);
		unit_equal(o.status, COMMAND_USAGE,
			   "mistake '%s' (%zu): status", rows[i].line, i);
	}
}

/* Commands that take PID, or another program's options. */
static void check_shapes(void)
{
	static const struct option_row rows[] = {
		{ 'j', "json", NULL, "json" }, { 0, NULL, NULL, NULL }
	};
	static const struct {
		const char *word, *shape, *behind, *said;
	} shapes[] = {
		{ "-p", "PID LIB [WORD]...", NULL,
		  "there is no option -p: give PID alone, as in: taffrail gone "
		  "PID LIB" },
		{ "--pid", "PID", NULL, "there is no option -p: give PID "
		  "alone, as in: taffrail gone PID" },
		{ "-p", "[PID]...", NULL, "unknown option '-p'" },
		{ "-batch", NULL, "gdb", "unknown option '-batch'; gdb's "
		  "options go behind --, as in: taffrail gone -p PID -- "
		  "-batch" },
		{ "--nx", NULL, "gdb", "unknown option '--nx'; gdb's options "
		  "go behind --, as in: taffrail gone -p PID -- --nx" },
	};

	command_set_rows(NULL);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		char name[] = "gone", word[32], want[256];
		char *argv[] = { name, word, NULL };
		struct options o = {
			.argc = 2, .argv = argv, .rows = rows,
			.shape = shapes[i].shape, .behind = shapes[i].behind,
		};

		strcpy(word, shapes[i].word);
		said_begin(STDERR_FILENO);
		options_next(&o);
		snprintf(want, sizeof(want), "taffrail: gone: %s\nTry "
			 "'taffrail gone --help'.\n", shapes[i].said);
		unit_equal_string(said_end(), want, "shape %zu", i);
		/* the next walk has another name */
		walk(&(struct options){ 0 }, "", want);
	}
}

static void check_help(void)
{
	static const char want[] =
		"Usage: taffrail view [OPTIONS] DIR...\n"
		"Print events.\n"
		"\n"
		"Options:\n"
		"  -s, --session NAME          what is in the buffers\n"
		"  -p, --pid PID               only those of this process\n"
		"  -j                          a letter alone\n"
		"      --begin TIME            leave out events before\n"
		"      --buffer-size SIZE      a row that is too long for its "
		"column\n"
		"      --no-delta              leave out the time since\n"
		"  -h, --help                  print this\n";
	struct options o = { .shape = "DIR...", .about = "Print events." };
	char text[256];
	int key;

	for (int i = 0; i < 2; i++) {
		said_begin(STDOUT_FILENO);
		key = walk(&o, i ? "--he" : "-h", text);
		unit_equal_string(said_end(), want, "help %d", i);
		unit_equal(key, OPTIONS_STOP, "help %d: stops", i);
		unit_equal(o.status, COMMAND_DONE, "help %d: status", i);
	}
}

static void check_last(void)
{
	struct options o = { 0 };
	char text[256];

	walk(&o, "-s rec", text);
	unit_equal_string(options_last(text, sizeof(text)),
			  "; 'rec' is the value of -s", "last value");
	options_last(text, 10);
	unit_equal_string(text, "; 'rec' i", "last value, in little room");
}

/* Members that rows name. */
struct chosen {
	char before[300];		/* an offset of more than 8 bits */
	bool all, none;
	const char *name;
	pid_t pid;
	struct command_pids pids;
	double seconds;
	uint64_t size;
	int others;			/* options without a member */
};

static int take_other(void *object, int key, const char *value)
{
	struct chosen *chosen = object;

	unit_equal(key, 310, "the key of another option");
	chosen->others++;
	return strcmp(value, "bad") ? COMMAND_DONE : COMMAND_FAILED;
}

static void check_members(void)
{
	static const struct option_row chosen_rows[] = {
		{ OPTION_FLAG('a', struct chosen, all), "all", NULL, "" },
		{ OPTION_FLAG(0, struct chosen, none), "none", NULL, "" },
		{ OPTION_TEXT('n', struct chosen, name), "name", "NAME", "" },
		{ OPTION_PID(struct chosen, pid), "pid", "PID", "" },
		{ OPTION_FOR(struct chosen, seconds), "for", "TIME", "" },
		{ OPTION_KEY(BYTES, uint64_t, 0, struct chosen, size), "size",
		  "N", "" },
		{ OPTION_JSON, "json", NULL, "" },
		{ 310, "other", "WORD", "" },
		{ 0 }
	};
	static const struct {
		const char *line, *want;
	} rows[] = {
		{ "", "- 0 0 0 0 0 0 0: 1 0" },
		{ "-a -n x w", "x 1 0 0 0 0 0 0: 1 0" },
		{ "--none --name=y --name z", "z 0 1 0 0 0 0 0: 1 0" },
		{ "-p 7 --for 2s --size 1M", "- 0 0 7 2 1048576 0 0: 1 0" },
		{ "-j --other good", "- 0 0 0 0 0 1 1: 1 0" },
		{ "--json", "- 0 0 0 0 0 1 0: 1 0" },
		{ "--other bad -a", "- 0 0 0 0 0 0 1: 0 1" },
		{ "-p x -a", "- 0 0 0 0 0 0 0: 0 2" },
		{ "-a --help --none", "- 1 0 0 0 0 0 0: 0 0" },
		{ "--size 3 -a", "- 0 0 0 0 0 0 0: 0 2" },
	};
	static char names[sizeof(rows) / sizeof(rows[0])][8];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct options options = { .rows = chosen_rows, .argc = 1 };
		char words[64], *argv[WORDS_MAX + 1];
		struct chosen chosen = { .name = "-" };
		char got[96];
		bool went;

		/* another argv[0] is another walk */
		argv[0] = strcpy(names[i], "chosen");
		strcpy(words, rows[i].line);
		for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
			argv[options.argc++] = w;
		argv[options.argc] = NULL;
		options.argv = argv;
		said_begin(strstr(rows[i].line, "--help") ? STDOUT_FILENO :
			   STDERR_FILENO);
		went = options_take(&options, &chosen, take_other);
		said_end();
		snprintf(got, sizeof(got), "%s %d %d %d %.0f %llu %d %d: %d %d",
			 chosen.name, chosen.all, chosen.none, chosen.pid,
			 chosen.seconds, (unsigned long long)chosen.size,
			 command_json(), chosen.others, went,
			 went ? 0 : options.status);
		unit_equal_string(got, rows[i].want, "'%s'", rows[i].line);
	}
}

static void check_bytes(void)
{
	static const struct {
		const char *text;
		int ret;
		uint64_t bytes;
	} rows[] = {
		{ "0", 0, 0 },
		{ "1", 0, 1 },
		{ "1k", 0, 1 << 10 },
		{ "1K", 0, 1 << 10 },
		{ "3M", 0, 3 << 20 },
		{ "2G", 0, 2ull << 30 },
		{ "007", 0, 7 },
		{ "9223372036854775807", 0, INT64_MAX },
		{ "9223372036854775808", -ERANGE, 0 },
		{ "9007199254740991K", 0, 9007199254740991ull << 10 },
		{ "9007199254740992K", -ERANGE, 0 },
		{ "8589934591G", 0, 8589934591ull << 30 },
		{ "8589934592G", -ERANGE, 0 },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "K", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "1m", -EINVAL, 0 },
		{ "1KB", -EINVAL, 0 },
		{ "1 K", -EINVAL, 0 },
		{ "1.5M", -EINVAL, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t bytes = 0;

		unit_equal(command_parse_bytes(&bytes, rows[i].text),
			   rows[i].ret, "bytes '%s'", rows[i].text);
		unit_equal(bytes, rows[i].bytes, "bytes '%s': number",
			   rows[i].text);
	}
}

static void check_seconds(void)
{
	static const struct {
		const char *text;
		double seconds;		/* 0: refused */
	} rows[] = {
		{ "0.5", 0.5 }, { "10", 10 }, { ".25", 0.25 },
		{ "1000000000", 1e9 }, { "1s", 1 }, { "10s", 10 },
		{ "2.5ms", 0.0025 }, { "1.5m", 90 }, { "2min", 120 },
		{ "1h", 3600 }, { "250us", 0.00025 }, { "1ns", 1e-9 },
		{ ".5h", 1800 }, { "0", 0 }, { "0s", 0 }, { "0.1ns", 0 },
		{ "-1", 0 }, { "+1", 0 }, { "1000000001", 0 }, { "", 0 },
		{ "s", 0 }, { ".", 0 }, { ".s", 0 }, { "1.", 0 },
		{ "1..5s", 0 }, { "1.5.5s", 0 }, { "1S", 0 }, { "1 s", 0 },
		{ "1ss", 0 }, { "nan", 0 }, { "inf", 0 }, { "1e3", 0 },
		{ "0x10", 0 }, { "1 ", 0 }, { "99999999999999999999", 0 },
		{ "300000h", 0 }, { "3000000h", 0 },
	};

	command_name("top");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double seconds;
		char want[256] = "";
		int status;

		if (rows[i].seconds == 0)
			snprintf(want, sizeof(want), "taffrail: top: --for "
				 "'%s': give a time of more than 0, in seconds "
				 "or with a unit, as in 0.5, 10s or 5m\n"
				 "Try 'taffrail top --help'.\n",
				 rows[i].text);
		said_begin(STDERR_FILENO);
		status = command_take_seconds(&seconds, rows[i].text);
		unit_equal_string(said_end(), want, "seconds '%s'",
				  rows[i].text);
		unit_equal(status, *want ? COMMAND_USAGE : COMMAND_DONE,
			   "seconds '%s': status", rows[i].text);
		unit_check(*want || seconds == rows[i].seconds,
			   "seconds '%s': number", rows[i].text);
	}
}

static void check_pids(void)
{
	static const struct {
		const char *text, *said;
	} rows[] = {
		{ "4x", "'4x' is not a process id" },
		{ "", "'' is not a process id" },
		{ "2147483648", "'2147483648' is not a process id" },
		{ "1,", "'1,' is not a process id" },
		{ "1,,2", "'1,,2' is not a process id" },
		{ "1, ,2", "'1, ,2' is not a process id" },
		{ "1 2x", "'2x' is not a process id" },
		{ "1,bash", "'bash' is not a process id; pidof(1) tells that "
		  "of a program" },
		{ "bash", "'bash' is not a process id; pidof(1) tells that of "
		  "a program" },
		{ "./x", "'./x' is not a process id; pidof(1) tells that of a "
		  "program" },
	};
	struct command_pids pids = { .count = 0 };
	char number[16], want[160];
	int status = COMMAND_DONE;
	pid_t pid = 0;

	command_name("list");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(want, sizeof(want), "taffrail: list: %s\nTry "
			 "'taffrail list --help'.\n", rows[i].said);
		said_begin(STDERR_FILENO);
		status = command_take_pids(&pids, rows[i].text);
		unit_equal_string(said_end(), want, "pid '%s'", rows[i].text);
		unit_equal(status, COMMAND_USAGE, "pid '%s': status",
			   rows[i].text);
	}
	pids.count = 0;
	unit_equal(command_take_pids(&pids, "5,6\n7  8, 5"), COMMAND_DONE,
		   "a list");
	unit_equal(pids.count, 4, "a list: each once");
	for (int i = 0; i < 4; i++)
		unit_equal(pids.pids[i], 5 + i, "a list: number %d", i);
	pids.count = 0;
	unit_equal(command_take_pids(&pids, "2147483647"), COMMAND_DONE,
		   "largest pid");
	unit_equal(pids.pids[0], 2147483647, "largest pid: number");
	unit_equal(command_take_pids(&pids, "2147483647"), COMMAND_DONE,
		   "same pid");
	unit_equal(pids.count, 1, "same pid: once");
	for (int i = 1; i < COMMAND_PIDS_MAX; i++) {
		sprintf(number, "%d", i);
		status |= command_take_pids(&pids, number);
	}
	unit_equal(pids.count, COMMAND_PIDS_MAX, "most pids");
	said_begin(STDERR_FILENO);
	status = command_take_pids(&pids, "99");
	unit_equal_string(said_end(), "taffrail: list: more than 64 processes\n"
			  "Try 'taffrail list --help'.\n", "one pid more");
	unit_equal(status, COMMAND_USAGE, "one pid more: status");
	unit_equal(command_take_pid(&pid, "7"), COMMAND_DONE, "one pid");
	unit_equal(command_take_pid(&pid, "7"), COMMAND_DONE, "one pid again");
	said_begin(STDERR_FILENO);
	status = command_take_pid(&pid, "8");
	unit_equal_string(said_end(), "taffrail: list: processes 7 and 8: give "
			  "one -p\nTry 'taffrail list --help'.\n",
			  "another pid");
	unit_equal(status, COMMAND_USAGE, "another pid: status");
}

int main(void)
{
	check_taken();
	check_mistakes();
	check_shapes();
	check_help();
	check_last();
	check_members();
	check_bytes();
	check_seconds();
	check_pids();
	return unit_end();
}
