/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The options of a recording, and the request that begins its session
 * (command/record/options.c).
 */
#include "testsuite/unit/unit.h"

#include <stdlib.h>

#include "command/agents/client.h"
#include "command/load/libraries.h"
#include "command/record/options.h"
#include "testsuite/unit/command/said.h"

#define WORDS_MAX	32

static char line[512];			/* of the words of the options */

/* Takes a command line, whose words a blank separates ("+" stands for one in a
 * word); what was printed is in *said. */
static int line_take(struct record_options *o, const char *text,
		     const char **said)
{
	/* another argv[0] than that of the walk before */
	static char names[2][8] = { "record", "record" };
	static char *argv[WORDS_MAX + 1];
	static unsigned int walks;
	int argc = 1, status;

	snprintf(line, sizeof(line), "%s", text);
	memset(o, 0, sizeof(*o));
	argv[0] = names[walks++ % 2];
	for (char *w = strtok(line, " "); w; w = strtok(NULL, " ")) {
		for (char *p = w; (p = strchr(p, '+'));)
			*p = ' ';
		argv[argc++] = w;
	}
	argv[argc] = NULL;
	said_begin(STDERR_FILENO);
	status = record_take_arguments(o, argc, argv);
	*said = said_end();
	return status;
}

static void check_refused(void)
{
	static const struct {
		const char *line, *why;
	} rows[] = {
		{ "", "give either -p PID or a program" },
		{ "-p 1 -- ./x", "give either -p PID or a program" },
		{ "-o", "option '-o' needs an argument" },
		{ "-e app/x+if ./x", "rule 'app/x if': column 9: a value is "
		  "missing here" },
		{ "--provider a/b ./x", "'a/b' is not a provider's name" },
		{ "--connect app/x+a:f -- ./x", "--connect needs --probe LIB" },
		{ "--max-size 1023K ./x", "size '1023K' is less than 1M" },
		{ "--max-size 1T ./x", "size '1T' is not a number of bytes" },
		{ "--max-size 1M --buffer-size 512K ./x",
		  "--max-size must be 4 times --buffer-size or more" },
		{ "--buffer-size 255K ./x", "buffer size '255K' is not between "
		  "256K and 1G" },
		{ "--context vtid,x ./x", "unknown context 'x'" },
		{ "--for 0 ./x", "--for '0'" },
	};
	struct record_options o;
	const char *said;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unit_equal(line_take(&o, rows[i].line, &said), COMMAND_USAGE,
			   "line '%s'", rows[i].line);
		unit_check(strstr(said, rows[i].why), "line '%s': why",
			   rows[i].line);
		free(o.connects);
	}
}

static void check_taken(void)
{
	static struct record_options options, *o = &options;
	struct client_request request = { 0 };
	const char *said;

	unit_equal(line_take(o, "./x -o y", &said), COMMAND_DONE, "a program");
	unit_check(!o->output && o->bare && !strcmp(o->program[1], "-o"),
		   "its options are its own");
	record_request(o, "record-1", &request);
	unit_equal_string(request.text, "name=record-1\nmode=discard\n"
			  "consumed=1\nbuffers=shared\n",
			  "the least request");
	client_request_release(&request);
	unit_equal(line_take(o, "-o out -e app/* -e b/c+if+n --overwrite --int3 "
			"--context vtid,ip --buffer-size 300K --allow-group 7 "
			"--for 0.5 -- ./x", &said), COMMAND_DONE,
		   "many options");
	unit_check(!strcmp(o->output, "out") && o->seconds == 0.5 && !o->bare,
		   "their values");
	record_request(o, "record-1", &request);
	unit_equal_string(request.text, "name=record-1\nmode=overwrite\n"
			  "buffer=524288\ngroup=7\ncontext=vtid,ip\n"
			  "consumed=1\nint3=1\nrule=app/*\nrule=b/c if n\n",
			  "the request");
	client_request_release(&request);
	unit_equal(line_take(o, "-p 5 -p 6 -p 5", &said), COMMAND_DONE,
		   "processes");
	unit_equal(o->pids.count, 2, "each once");
	unit_equal(line_take(o, "--max-size 1M ./x", &said), COMMAND_DONE,
		   "the least directory");
	unit_equal((long long)o->buffer, 256 << 10, "its buffers");
	unit_equal(line_take(o, "--max-size 4M --buffer-size 1M ./x", &said),
		   COMMAND_DONE, "four buffers");
}

/* RULE LIB:FUNCTION [NAME=VALUE]... */
static void check_connects(void)
{
	static const struct {
		const char *text;
		const char *rule;	/* NULL: refused */
		const char *function, *first, *second;
	} rows[] = {
		{ "app/x lib:f", "app/x", "lib:f", NULL, NULL },
		{ "app/x  if n == 1  lib:f a=1  b=2", "app/x  if n == 1",
		  "lib:f", "a=1", "b=2" },
		{ "app/x if s == \"a:b c\" lib:f", "app/x if s == \"a:b c\"",
		  "lib:f", NULL, NULL },
		{ "app/x if s == \"a\\\" l:m\" lib:f",
		  "app/x if s == \"a\\\" l:m\"", "lib:f", NULL, NULL },
		{ "app/x lib_1:f_2", "app/x", "lib_1:f_2", NULL, NULL },
		{ "app/x", NULL, NULL, NULL, NULL },
		{ "lib:f", NULL, NULL, NULL, NULL },
		{ "app/x 1lib:f", NULL, NULL, NULL, NULL },
		{ "app/x lib:", NULL, NULL, NULL, NULL },
		{ "app/x lib:f:g", NULL, NULL, NULL, NULL },
		{ "app/x if lib:f", NULL, NULL, NULL, NULL },
		{ "", NULL, NULL, NULL, NULL },
	};
	static struct record_options o;
	int status;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct load_wish *wish;

		o.nconnects = 0;
		said_begin(STDERR_FILENO);
		status = record_take_connect(&o, rows[i].text);
		said_end();
		unit_equal(status, rows[i].rule ? COMMAND_DONE : COMMAND_USAGE,
			   "connection %zu", i);
		if (status)
			continue;
		wish = &o.connects[0];
		unit_equal_string(wish->rule, rows[i].rule,
				  "connection %zu: rule", i);
		unit_equal_string(wish->function, rows[i].function,
				  "connection %zu: function", i);
		unit_equal_string(wish->words[0], rows[i].first,
				  "connection %zu: first word", i);
		if (rows[i].first)
			unit_equal_string(wish->words[1], rows[i].second,
					  "connection %zu: second word", i);
		unit_check(wish->enable, "connection %zu: enabled", i);
	}
}

/* Options of record behind the program. */
static void check_stray(void)
{
	static const struct {
		const char *line;
		bool told;
	} rows[] = {
		{ "./x --event app/x", true },
		{ "./x --event=app/x", true },
		{ "./x --events", false },
		{ "./x -e app/x", true },
		{ "./x -e /app/x", false },
		{ "./x -e x", false },
		{ "./x -o /nowhere/new", true },
		{ "./x -o /", false },
		{ "./x -j", false },
		{ "./x", false },
		{ "-- ./x --event app/x", false },
	};
	struct record_options o;
	const char *said;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		line_take(&o, rows[i].line, &said);
		said_begin(STDERR_FILENO);
		record_tell_stray(&o);
		unit_equal(*said_end() != '\0', rows[i].told,
			   "stray option '%s'", rows[i].line);
	}
}

int main(void)
{
	check_refused();
	check_taken();
	check_connects();
	check_stray();
	return unit_end();
}
