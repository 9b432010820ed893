/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options that the commands share that look at traces (command/reading/), and
 * what they say of a trace that is made here.
 */
#include "testsuite/unit/unit.h"

#include <stdlib.h>

#include "command/reading/look.h"
#include "testsuite/unit/command/made.h"
#include "testsuite/unit/command/said.h"

static void take(struct look *look, int key, const char *value, int want,
		 const char *said, const char *name)
{
	const char *text;
	int status;

	command_name("view");
	said_begin(STDERR_FILENO);
	status = look_option(look, key, value);
	text = said_end();
	unit_equal(status, want, "%s", name);
	unit_check(*said ? !!strstr(text, said) : !*text, "%s: said", name);
}

static void check_options(void)
{
	struct look look = { 0 };

	take(&look, LOOK_BEGIN, "+5ms", COMMAND_DONE, "", "begin");
	take(&look, LOOK_END, "-1", COMMAND_DONE, "", "end");
	unit_check(!strcmp(look.begin, "+5ms") && !strcmp(look.end, "-1"),
		   "begin and end are two");
	take(&look, LOOK_BEGIN, "soon", COMMAND_USAGE, "'soon' is no time",
	     "no time");
	unit_equal_string(look.begin, "+5ms", "the time before stays");
	take(&look, LOOK_SESSION, "rec", COMMAND_DONE, "", "session");
	take(&look, LOOK_SESSION, "rec", COMMAND_DONE, "", "session again");
	take(&look, LOOK_SESSION, "other", COMMAND_USAGE, "sessions 'rec' and "
	     "'other': give one -s", "two sessions");
	take(&look, LOOK_PID, "7", COMMAND_DONE, "", "process");
	take(&look, LOOK_PID, "8", COMMAND_USAGE, "processes 7 and 8",
	     "two processes");
	take(&look, LOOK_PAIR_BY, "cpu", COMMAND_DONE, "", "pairs of a CPU");
	unit_check(look.by_cpu, "pairs of a CPU: set");
	take(&look, LOOK_PAIR_BY, "thread", COMMAND_DONE, "",
	     "pairs of a thread");
	unit_check(!look.by_cpu, "pairs of a thread: set");
	take(&look, LOOK_PAIR_BY, "CPU", COMMAND_USAGE, "give thread or cpu",
	     "pairs of something else");
	take(&look, LOOK_WHERE, "app/x if n >", COMMAND_USAGE,
	     "rule 'app/x if n >': column 13: a value is missing here",
	     "a rule that is cut");
	take(&look, LOOK_WHERE, "app/* if n > 1", COMMAND_DONE, "", "a rule");
	unit_check(look.where, "a rule: set");
	if (look.where)
		where_free(look.where);
}

static int sources(struct look look, int directories)
{
	char **none = NULL;
	int status;

	said_begin(STDERR_FILENO);
	status = look_check_sources(&look, &none, &directories);
	said_end();
	return status;
}

static void check_sources(void)
{
	struct look session = { .session = "rec" }, process = { .pid = 7 };
	struct look none = { 0 };

	unit_equal(sources(none, 0), COMMAND_USAGE, "no source");
	unit_equal(sources(none, 1), COMMAND_DONE, "a directory");
	unit_equal(sources(session, 0), COMMAND_DONE, "a session");
	unit_equal(sources(process, 0), COMMAND_DONE, "a process");
	unit_equal(sources(session, 1), COMMAND_USAGE, "both");
	unit_equal(sources(process, 1), COMMAND_USAGE, "both, of a process");
}

/* --color WHEN where standard output is no terminal. */
static void check_colors(void)
{
	bool color = true;

	said_begin(STDOUT_FILENO);
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	color_when(NULL, &color);
	said_end();
	unit_check(!color, "no colour in a file");
	unit_check(color_when("always", &color) && color, "always");
	unit_check(color_when("never", &color) && !color, "never");
	said_begin(STDOUT_FILENO);
	color = !color_when("auto", &color) || color;
	said_end();
	unit_check(!color, "auto in a file");
	unit_check(!color_when("Always", &color), "another word");
	unit_check(!color_when("", &color), "no word");
}

static void check_threadless(void)
{
	int status;

	command_name("report");
	said_begin(STDERR_FILENO);
	status = look_tell_threadless("a,b", 0);
	unit_equal_string(said_end(), "", "no event without a thread");
	unit_equal(status, COMMAND_DONE, "no event without a thread: status");
	said_begin(STDERR_FILENO);
	status = look_tell_threadless(NULL, 1);
	unit_equal_string(said_end(), "taffrail: report: 1 event not paired: "
			  "without a thread (the context vtid); --pair-by cpu "
			  "pairs by CPU\n", "an event without a thread");
	unit_equal(status, COMMAND_DONE, "an event without a thread: status");
	said_begin(STDERR_FILENO);
	status = look_tell_threadless("a,b", 2);
	unit_equal_string(said_end(), "taffrail: report: --pair 'a,b': 2 "
			  "events without a thread (the context vtid), which "
			  "no pair is made of: a KEY in the rule pairs by "
			  "value, --pair-by cpu by CPU\n", "two for a rule");
	unit_equal(status, COMMAND_FAILED, "two for a rule: status");
}

static void open_fails(const char *name, const char *said)
{
	char path[PATH_MAX], *paths[] = { path };
	struct look look = { 0 };
	const char *text;
	int status;

	strcpy(path, made_path(name));
	said_begin(STDERR_FILENO);
	status = look_open(&look, paths, 1);
	status |= look_close(&look);
	text = said_end();
	unit_equal(status, COMMAND_FAILED, "directory %s", name);
	unit_check(strstr(text, said), "directory %s: said", name);
}

static void check_directories(void)
{
	made_above("empty/x");
	made_file("file", "text\n");
	open_fails("none", "there is no such directory");
	open_fails("empty", "no trace in this directory");
	made_file("damaged/metadata", "/* CTF 1.8 */\ntrace {\n");
	open_fails("damaged", "damaged");
}

int main(void)
{
	made_open();
	check_options();
	check_sources();
	check_colors();
	check_threadless();
	check_directories();
	made_close();
	return unit_end();
}
