/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A recording's options, its request, and what it says of lacks and losses
 * (command/record/); which processes may join it, by a made-up /proc.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <stdlib.h>

#include "base/tunables.h"
#include "command/load/libraries.h"
#include "command/record/joiners-private.h"
#include "command/record/private.h"
#include "command/record/report.h"
#include "testsuite/unit/command/proc.h"
#include "testsuite/unit/command/said.h"

#define WORDS_MAX	32

static char line[512];			/* of the words of the options */

/* Takes a command line, whose words a blank separates ("+" stands for one in a
 * word); what was printed is in *said. */
static int take(struct record_options *o, const char *text, const char **said)
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
		{ "--provider pthread -p 1", "a provider cannot be loaded into "
		  "a running process" },
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
		unit_equal(take(&o, rows[i].line, &said), COMMAND_USAGE,
			   "line '%s'", rows[i].line);
		unit_check(strstr(said, rows[i].why), "line '%s': why",
			   rows[i].line);
		free(o.connects);
	}
}

static void check_taken(void)
{
	static struct record record;
	struct record_options *o = &record.options;
	struct client_request request = { 0 };
	const char *said;

	unit_equal(take(o, "./x -o y", &said), COMMAND_DONE, "a program");
	unit_check(!o->output && o->bare && !strcmp(o->program[1], "-o"),
		   "its options are its own");
	strcpy(record.name, "record-1");
	record_request(&record, &request);
	unit_equal_string(request.text, "name=record-1\nmode=discard\n"
			  "consumed=1\n", "the least request");
	client_request_release(&request);
	unit_equal(take(o, "-o out -e app/* -e b/c+if+n --overwrite --int3 "
			"--context vtid,ip --buffer-size 300K --allow-group 7 "
			"--for 0.5 -- ./x", &said), COMMAND_DONE,
		   "many options");
	unit_check(!strcmp(o->output, "out") && o->seconds == 0.5 && !o->bare,
		   "their values");
	record_request(&record, &request);
	unit_equal_string(request.text, "name=record-1\nmode=overwrite\n"
			  "buffer=524288\ngroup=7\ncontext=vtid,ip\n"
			  "consumed=1\nint3=1\nrule=app/*\nrule=b/c if n\n",
			  "the request");
	client_request_release(&request);
	unit_equal(take(o, "-p 5 -p 6 -p 5", &said), COMMAND_DONE,
		   "processes");
	unit_equal(o->pids.count, 2, "each once");
	unit_equal(take(o, "--max-size 1M ./x", &said), COMMAND_DONE,
		   "the least directory");
	unit_equal((long long)o->buffer, 256 << 10, "its buffers");
	unit_equal(take(o, "--max-size 4M --buffer-size 1M ./x", &said),
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
		take(&o, rows[i].line, &said);
		said_begin(STDERR_FILENO);
		record_tell_stray(&o);
		unit_equal(*said_end() != '\0', rows[i].told,
			   "stray option '%s'", rows[i].line);
	}
}

static void check_sizes(void)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} rows[] = {
		{ 0, "0K" }, { 1, "1K" }, { 1024, "1K" }, { 1025, "2K" },
		{ 260 << 10, "260K" }, { 10239 << 10, "10239K" },
		{ (10239 << 10) + 1, "10M" }, { 10 << 20, "10M" },
		{ (10 << 20) + 1, "11M" }, { 4ull << 40, "4194304M" },
	};
	char text[SHORTAGE_SIZE_BYTES];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		unit_equal_string(shortage_size(text, rows[i].bytes),
				  rows[i].text, "size of %llu bytes",
				  (unsigned long long)rows[i].bytes);
	/* a ring for each CPU, and two spare ones, which are smaller */
	unit_equal((long long)(shortage_needed(2 << 20) -
			       shortage_needed(1 << 20)),
		   (long long)sysconf(_SC_NPROCESSORS_CONF) << 20,
		   "what larger buffers need");
	unit_equal((long long)(shortage_needed(512 << 10) -
			       shortage_needed(256 << 10)),
		   ((long long)sysconf(_SC_NPROCESSORS_CONF) + 2) << 18,
		   "what small ones need");
	unit_equal((long long)shortage_needed(0),
		   (long long)shortage_needed(RING_DEFAULT_MAX_BYTES),
		   "what the default needs");
}

static void tell(const struct shortage *s, uint64_t lost, int want,
		 const char *part, const char *name)
{
	struct outcome outcome = { 0 };
	const char *said;
	int status;

	said_begin(STDERR_FILENO);
	shortage_note(s, "/run/x", lost, &outcome);
	status = outcome_end(&outcome, COMMAND_DONE);
	said = said_end();
	unit_equal(status, want, "%s", name);
	unit_check(*part ? !!strstr(said, part) : !*said, "%s: told", name);
}

static void check_shortage(void)
{
	struct shortage s = { .asked = 1 << 20, .least = 1 << 16 };

	tell(&s, 9, COMMAND_DONE, "", "no shortage");
	s.smaller = 1;
	s.error = ENOSPC;
	s.free = 5000;
	s.files = 1;
	tell(&s, 0, COMMAND_DONE, "1 process had smaller buffers: 64K instead "
	     "of 1024K\n", "smaller buffers");
	tell(&s, 0, COMMAND_DONE, "/run/x has 5K and 1 file free now",
	     "a full disk");
	s.smaller = 2;
	tell(&s, 0, COMMAND_DONE, "2 processes had smaller buffers: 64K "
	     "instead of 1024K in the worst case\n", "two of them");
	s.roomless = 1;
	tell(&s, 0, COMMAND_DONE, "1 process had no room for some buffers; no "
	     "event was lost\n", "no buffer");
	tell(&s, 1, COMMAND_FAILED, "1 process had no room for some buffers, "
	     "and counted the events as lost\n", "no buffer for events");
	s = (struct shortage){ .pageless = 3, .error = EMFILE };
	tell(&s, 0, COMMAND_FAILED, "3 programs had no room for any file",
	     "no file at all");
	s = (struct shortage){ .orphans = 1, .orphan_error = ENOSYS };
	tell(&s, 0, COMMAND_FAILED, "1 forked process could not make files, "
	     "and counted its events as lost: a seccomp filter", "an orphan");
}

static void check_taken_pages(void)
{
	static struct session_page page;
	struct shortage s = { 0 };

	page.ring_bytes = page.asked_bytes = 1 << 20;
	shortage_take(&s, &page, -1);
	unit_check(!s.smaller && !s.roomless && !s.asked, "a page with all");
	page.ring_bytes = 1 << 18;
	page.small_error = ENOSPC;
	shortage_take(&s, &page, -1);
	page.ring_bytes = 1 << 19;
	shortage_take(&s, &page, -1);
	unit_check(s.smaller == 2 && s.least == 1 << 18 &&
		   s.asked == 1 << 20 && s.error == ENOSPC,
		   "two pages with less");
	page.roomless = EDQUOT;
	page.orphans = 2;
	page.orphan_error = EAGAIN;
	shortage_take(&s, &page, -1);
	unit_check(s.roomless == 1 && s.smaller == 2 && s.error == EDQUOT &&
		   s.orphans == 2 && s.orphan_error == EAGAIN,
		   "a page without room");
}

static void check_reports(void)
{
	static struct trace_set set;
	struct outcome outcome = { 0 };
	int status;

	command_name("record");
	said_begin(STDERR_FILENO);
	report_left_off(&set, &outcome);
	report_unreadable(&set, 0, &outcome);
	report_losses(&set, &outcome);
	report_spoilt(&set, &outcome);
	status = outcome_end(&outcome, COMMAND_DONE);
	unit_equal_string(said_end(), "", "nothing to tell");
	unit_equal(status, COMMAND_DONE, "nothing to tell: status");
	set.lost = 2;
	set.left_off = 1;
	set.spoilt = 1;
	strcpy(set.path, "out");
	strcpy(set.spoilt_name, "x/stream_0");
	set.cut = 1;
	set.gone_rings = 2;
	set.gone_pid = 7;
	said_begin(STDERR_FILENO);
	report_losses(&set, &outcome);
	report_left_off(&set, &outcome);
	report_unreadable(&set, 4, &outcome);
	report_spoilt(&set, &outcome);
	status = outcome_end(&outcome, COMMAND_DONE);
	unit_equal_string(said_end(),
		"taffrail: record: 1 buffer was cut short by another program: "
		"the events there are missing, and not counted as lost\n"
		"taffrail: record: the files of 2 buffers are missing or cut "
		"short (process 7): their events are missing, and not counted "
		"as lost; the other files were kept\n"
		"taffrail: record: 1 buffer held invalid data and was left "
		"out\n"
		"taffrail: record: out/x/stream_0: another program removed or "
		"cut this file meanwhile; what was in it is lost (1 such "
		"file)\n"
		"taffrail: record: 1 marker was not enabled: no room for its "
		"description\n"
		"taffrail: record: 2 events were lost (--fail-on-loss): trace "
		"fewer markers, or give a larger --buffer-size\n",
		"all lacks");
	unit_equal(status, COMMAND_FAILED, "losses are a failure");
}

static void check_joiners(void)
{
	static const struct {
		const char *environ;	/* with blanks for NULs */
		bool joins;
	} rows[] = {
		{ "A=b TAFFRAIL_JOIN=record-1 C=d", true },
		{ "TAFFRAIL_JOIN=record-1", true },
		{ "TAFFRAIL_JOIN=other:record-1", true },
		{ "TAFFRAIL_JOIN=record-1:other", true },
		{ "TAFFRAIL_JOIN=record-1@5.6", true },
		{ "TAFFRAIL_JOIN=record-11", false },
		{ "TAFFRAIL_JOIN=record-", false },
		{ "TAFFRAIL_JOIN=xrecord-1", false },
		{ "TAFFRAIL_JOIN=", false },
		{ "XTAFFRAIL_JOIN=record-1", false },
		{ "A=record-1", false },
		{ "", false },
	};
	char text[128];

	unit_check(!joiner(4711, "record-1"), "no process");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n = strlen(rows[i].environ) + 1;

		memcpy(text, rows[i].environ, n);
		for (char *p = text; (p = strchr(p, ' '));)
			*p++ = '\0';
		made_bytes("proc/4711/environ", text, n);
		unit_equal(joiner(4711, "record-1"), rows[i].joins,
			   "environment '%s'", rows[i].environ);
	}
}

/* A process that was forked maps the page of a member. */
static void check_forked(void)
{
	static struct record record;
	struct record_member member = { .name = "42.99", .pid = 42 };
	struct record_member *members[] = { &member };
	static const struct {
		const char *maps;
		bool joins;
	} rows[] = {
		{ "1-2 rw-s 0 00:1 7 /run/x/42.99/0/session.3\n", true },
		{ "3-4 r-xp 0 00:1 8 /a\n"
		  "1-2 rw-s 0 00:1 7 /run/x/42.99/12/session.0\n", true },
		{ "1-2 r--s 0 00:1 7 /run/x/42.99/0/session.3\n", false },
		{ "1-2 rw-s 0 00:1 7 /run/x/42.998/0/session.3\n", false },
		{ "1-2 rw-s 0 00:1 7 /run/x/142.99/0/session.3\n", false },
		{ "1-2 rw-s 0 00:1 7 /run/x/42.99/0/process\n", false },
		{ "", false },
	};

	record.members = members;
	record.nmembers = 1;
	strcpy(record.name, "record-1");
	strcpy(record.dir.path, "/run/x");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		made_file("proc/4711/maps", rows[i].maps);
		unit_equal(joiners_exist(&record), rows[i].joins,
			   "mappings %zu", i);
	}
	made_file("proc/4711/environ", "TAFFRAIL_JOIN=record-1");
	made_file("proc/4711/maps", "1-2 r-xp 0 00:1 7 /lib/libc.so.6\n");
	unit_check(!joiners_exist(&record), "without an agent");
	made_file("proc/4711/maps", "1-2 r-xp 0 00:1 7 /lib/libtaffrail.so\n");
	unit_check(joiners_exist(&record), "with an agent");
}

int main(void)
{
	made_open();
	check_refused();
	check_taken();
	check_connects();
	check_stray();
	check_sizes();
	check_shortage();
	check_taken_pages();
	check_reports();
	check_joiners();
	check_forked();
	made_close();
	return unit_end();
}
