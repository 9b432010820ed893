/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command `taffrail`: one row a sub-command. The usage text is printed from
 * the rows, and a test holds taffrail(1) against it; the file or room with the
 * sub-command's name has its code.
 *
 * Invariant: the name for messages is set before anything of a sub-command
 * runs, so each message says which one failed.
 */
#include "base/base.h"
#include "command/common/command.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "buffers/words.h"
#include "command/agents/targets.h"
#include "command/agents/deferred.h"
#include "command/agents/visits.h"
#include "command/causes/cause.h"
#include "command/common/limits.h"
#include "command/common/nearest.h"
#include "traces/trace.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

/* The headings that sub-commands stand under in the usage text and in
 * taffrail(1). */
static const char recording[] = "Record a program, and look at what it did";
static const char subjects[] =
	"See what can be traced, and what is being traced";
static const char sessions[] = "Trace running programs in sessions";
static const char debugging[] = "Debug with gdb while the program runs on";
static const char probes[] = "Have markers call functions of a probe library";
static const char shells[] = "Set up the shell";

/* By heading, and in the order in which people need them; the usage text, the
 * completion and taffrail(1) keep it. */
static const struct command command_table[] = {
	{ "record", record_main, "run or follow a program, write a trace",
	  recording },
	{ "view", view_main, "print the events of a trace", recording },
	{ "report", report_main, "count events, measure pairs and locks",
	  recording },
	{ "timeline", timeline_main, "write a page that shows a trace",
	  recording },
	{ "export", export_main, "write events as JSON, CSV, SQLite, Perfetto",
	  recording },
	{ "verify", verify_main, "recount the events of a trace", recording },
	{ "list", list_main, "list markers and USDT probes", subjects },
	{ "doctor", doctor_main, "say what will work here, and what not",
	  subjects },
	{ "status", status_main, "show sessions, their processes and counts",
	  subjects },
	{ "top", top_main, "show what a session's buffers get, live",
	  subjects },
	{ "watch", watch_main, "print changes of processes and sessions",
	  subjects },
	{ "attach", attach_main, "load the agent into running processes",
	  sessions },
	{ "start", start_main, "start a tracing session in processes",
	  sessions },
	{ "enable", enable_main, "switch markers of a session on", sessions },
	{ "disable", disable_main, "switch markers of a session off",
	  sessions },
	{ "env", env_main, "print TAFFRAIL_ENABLE for lines of a program",
	  sessions },
	{ "flush", flush_main, "close the sub-buffers being written",
	  sessions },
	{ "snapshot", snapshot_main, "copy a session's events to a trace",
	  sessions },
	{ "stop", stop_main, "stop a session, keep its events", sessions },
	{ "destroy", destroy_main, "end a session and remove its events",
	  sessions },
	{ "detach", detach_main, "undo every patch, unload an attached agent",
	  sessions },
	{ "gdb", gdb_main, "start gdb on a program without stopping it",
	  debugging },
	{ "gdbserver", gdbserver_main, "start gdbserver for static tracepoints",
	  debugging },
	{ "load", load_main, "load a probe library into a process", probes },
	{ "unload", unload_main, "unload a probe library", probes },
	{ "connect", connect_main, "connect a library's callback to markers",
	  probes },
	{ "disconnect", disconnect_main, "take a callback from its markers",
	  probes },
	{ "call", call_main, "call a function of a probe library", probes },
	{ "completion", completion_main, "print a shell's completion script",
	  shells },
	{ NULL, NULL, NULL, NULL }
};

/* Words of other tracers, in small letters, and the sub-commands that do the
 * same. */
static const struct {
	const char *word, *hint;
} habits[] = {
	{ "run", "taffrail record" }, { "trace", "taffrail record" },
	{ "strace", "taffrail record" }, { "exec", "taffrail record" },
	{ "create", "taffrail start" }, { "script", "taffrail view" },
	{ "stats", "taffrail report" }, { "cat", "taffrail view" },
	{ "dump", "taffrail snapshot" },
	{ "save", "taffrail snapshot NAME -o DIR, which writes events; a "
		  "session is not saved" },
	{ "kill", "taffrail destroy" }, { "rm", "taffrail destroy" },
	{ "delete", "taffrail destroy" }, { "remove", "taffrail destroy" },
	{ "ps", "taffrail status" },
	{ "ls", "taffrail list" }, { "markers", "taffrail list" },
	{ "probes", "taffrail list" },
	{ "callbacks", "taffrail connect, enable callbacks, status" },
	{ "check", "taffrail doctor" },
	{ "man", "taffrail SUBCOMMAND --help, or man taffrail-SUBCOMMAND" },
	/* of the command lttng, as docs/from-lttng.md has them */
	{ "enable-event", "taffrail start NAME --all -e RULE; taffrail enable "
			  "NAME RULE in a session that runs" },
	{ "disable-event", "taffrail disable NAME RULE" },
	{ "enable-channel", "taffrail start or record --buffer-size SIZE" },
	{ "add-context", "taffrail start or record --context LIST" },
	{ "disable-channel", "taffrail disable NAME RULE, as a session has one "
			     "channel" },
	{ "track", "taffrail start NAME -p PID" },
	{ "untrack", "taffrail destroy NAME -p PID" },
	{ "clear", "nothing; taffrail destroy NAME and start begin a session "
		   "anew" },
	{ "add-trigger", "nothing; a callback acts at an event (taffrail "
			 "connect)" },
	{ "list-triggers", "nothing, as there are no triggers" },
	{ "remove-trigger", "nothing, as there are no triggers" },
	{ "rotate", "taffrail snapshot NAME -o DIR" },
	{ "enable-rotation", "taffrail record --max-size SIZE" },
	{ "set-session", "each sub-command names the session" },
	{ "regenerate", "nothing, as traces have all that describes them" },
	{ "babeltrace2", "taffrail view DIR" },
};

/*
 * Says which sub-command the word may stand for: by words of other tracers, as
 * a path of a program, or by likeness. Returns COMMAND_USAGE.
 */
static int misused_word(const char *word)
{
	char names[NEAREST_IDS * (NEAREST_LENGTH_MAX + 8)];
	char small[NEAREST_LENGTH_MAX + 1];
	struct nearest nearest = { .rule = small };
	size_t n = 0;

	/* a longer word is like none, and is cut */
	for (; n < NEAREST_LENGTH_MAX && word[n]; n++)
		small[n] = (char)tolower((unsigned char)word[n]);
	small[n] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(habits); i++)
		if (!strcmp(small, habits[i].word))
			return command_misused("no such sub-command: '%s'; "
					       "what does that here: %s", word,
					       habits[i].hint);
	if (strchr(word, '/'))
		return command_misused("no such sub-command: '%s'; to run a "
				       "program: taffrail record %s", word,
				       word);
	for (const struct command *c = command_table; c->word; c++)
		nearest_add(&nearest, c->word);
	nearest_text(&nearest, names, sizeof(names));
	return command_misused("no such sub-command: '%s'; the nearest: %s",
			       word, names);
}

/*
 * Unknown variables of the environment are told before any work: a misspelt one
 * would be without effect.
 */
int main(int argc, char **argv)
{
	static char help[] = "--help";
	const char *word, *group = NULL;

	command_set_rows(command_table);
	command_set_failure(cause_tell_text);
	if (argc < 2)
		return command_misused("no sub-command given");
	/* "help WORD" is "WORD --help" */
	if (argc == 3 && !strcmp(argv[1], "help")) {
		argv[1] = argv[2];
		argv[2] = help;
	}
	word = argv[1];
	if (!strcmp(word, "--help") || !strcmp(word, "-h") ||
	    !strcmp(word, "help")) {
		printf("Usage: taffrail SUBCOMMAND [OPTIONS] [ARGUMENTS]\n"
		       "Trace programs through their static markers.\n");
		for (const struct command *c = command_table; c->word; c++) {
			if (c->group != group)
				printf("\n%s:\n", c->group);
			group = c->group;
			printf("  %-12s%s\n", c->word, c->help);
		}
		printf("\nOptions:\n"
		       "  -h, --help     print this\n"
		       "  -V, --version  print the version\n"
		       "\n'taffrail SUBCOMMAND --help' prints the options of a "
		       "sub-command, and\n'man taffrail-SUBCOMMAND' says more. "
		       "To begin: taffrail record -- PROG\n");
		return command_finish();
	}
	if (!strcmp(word, "--version") || !strcmp(word, "-V") ||
	    !strcmp(word, "version")) {
		printf("taffrail %s\n", PACKAGE_VERSION);
		return command_finish();
	}
	for (const struct command *c = command_table; c->word; c++) {
		if (strcmp(c->word, word))
			continue;
		command_name(word);
		command_warn_words(words_unknown(environ), "");
		limits_prepare();
		trace_set_words(limits_raise);
		/* a program that is executed gets the limits as they are */
		if (c->run != record_main && c->run != gdb_main &&
		    c->run != gdbserver_main)
			limits_raise_files();
		visits_clean_user();
		if (c->run != record_main)
			deferred_settle();
		targets_clean = visits_clean_around;
		return command_status(c->run(argc - 1, argv + 1));
	}
	if (*word != '-')
		return misused_word(word);
	if (argc > 2)
		return command_misused("'%s' stands before the sub-command: "
				       "options follow it", word);
	return command_misused("unknown option '%s', and no sub-command", word);
}
