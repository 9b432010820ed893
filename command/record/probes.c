/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probe libraries of a recording: --probe and --connect.
 *
 * A program that is run gets the requests in its environment (REQUEST_ENV), and
 * libtaffrail-probe.so, which runs them before the program's own constructors
 * and tells in the recorder's file what became of them. A process that runs
 * already gets them as by `taffrail load` and `taffrail connect`, before the
 * session starts, and loses them at the end.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lines.h"
#include "command/causes/cause.h"
#include "command/load/libraries.h"
#include "command/process/process.h"
#include "command/processes/rule.h"
#include "command/record/private.h"
#include "control/protocol.h"
#include "control/request.h"

int record_take_probe(struct record_options *o, const char *word)
{
	if (o->nprobes == RECORD_PROBES_MAX)
		return command_misused("more than %d probe libraries",
				       RECORD_PROBES_MAX);
	o->probes[o->nprobes++] = word;
	return COMMAND_DONE;
}

/* Returns the length of LIB:FUNCTION that the text begins with, or 0. */
static size_t function_at(const char *text)
{
	const char *p = text;
	int parts = 0;

	for (; parts < 2; parts++, p++) {
		const char *begin = p;

		while (isalnum((unsigned char)*p) || *p == '_')
			p++;
		if (p == begin || isdigit((unsigned char)*begin) ||
		    (!parts && *p != ':') ||
		    (parts && *p && !isblank((unsigned char)*p)))
			return 0;
	}
	return (size_t)(p - 1 - text);
}

/* Finds LIB:FUNCTION, a word behind the rule and outside quotes. */
static char *function_find(char *text)
{
	bool quoted = false;
	char *p = text;

	for (; *p; p++) {
		if (*p == '\\' && quoted && p[1])
			p++;
		else if (*p == '"')
			quoted = !quoted;
		else if (!quoted && isblank((unsigned char)*p) &&
			 function_at(p + 1))
			return p + 1;
	}
	return NULL;
}

/* Divides the rest into words. Returns -ENOMEM for want of memory. */
static int words_take(struct load_wish *wish, char *rest)
{
	size_t n = 0;
	char *word;

	wish->words = calloc(strlen(rest) / 2 + 2, sizeof(*wish->words));
	if (!wish->words)
		return -ENOMEM;
	while ((word = strsep(&rest, " \t")))
		if (*word)
			wish->words[n++] = word;
	return 0;
}

int record_take_connect(struct record_options *o, const char *word)
{
	struct load_wish *wish;
	char *text, *function, *end;
	const char *why;

	if (o->nconnects == RECORD_CONNECTS_MAX)
		return command_misused("more than %d connections",
				       RECORD_CONNECTS_MAX);
	if (!o->connects)
		o->connects = calloc(RECORD_CONNECTS_MAX, sizeof(*wish));
	if (!o->connects)
		return command_failed("out of memory");
	wish = &o->connects[o->nconnects];
	text = strdup(word);
	wish->rule = text;
	if (!text)
		return command_failed("out of memory");
	function = function_find(text);
	if (!function)
		return command_misused("'%s' is not RULE LIB:FUNCTION "
				       "[NAME=VALUE]...", word);
	for (end = function; end > text && isblank((unsigned char)end[-1]);)
		*--end = '\0';
	if (rule_check(text, &why))
		return command_misused("rule '%s': %s", text, why);
	end = function + function_at(function);
	if (words_take(wish, *end ? end + 1 : end))
		return command_failed("out of memory");
	*end = '\0';
	wish->function = function;
	wish->enable = true;
	o->nconnects++;
	return COMMAND_DONE;
}

int record_check_probes(struct record_options *o)
{
	for (int i = 0; i < o->nprobes; i++) {
		char own[PATH_MAX];
		const char *file = load_file_of(o->probes[i], own);

		if (load_check_file(file))
			return COMMAND_FAILED;
		o->probes[i] = realpath(file, NULL);
		if (!o->probes[i])
			return command_failed("cannot find %s: %s", file,
					      strerror(errno));
	}
	return COMMAND_DONE;
}

/* Checks that a program which this command runs may load libraries. */
static int check_program(const struct record *record)
{
	const char *program = record->options.program[0];
	const char *load = getenv("TAFFRAIL_LOAD");
	char line[CAUSE_LINE_BYTES];

	if (record->first_lacks)
		return command_failed("cannot load a library into %s: %s",
				      program,
				      lacking_words(record->first_lacks,
						    line));
	if (load && !strcmp(load, "on"))
		return COMMAND_DONE;
	if (load && *load)
		return command_failed("%s would allow no libraries: "
				      "TAFFRAIL_LOAD is '%s' in its "
				      "environment", program, load);
	if (process_status(getpid(), "NoNewPrivs") == 1)
		return command_failed("%s would be in a sandbox "
				      "(no_new_privs), as this command is: set "
				      "TAFFRAIL_LOAD=on to allow libraries",
				      program);
	return COMMAND_DONE;
}

static char *requests_text(const struct record *record)
{
	const struct record_options *o = &record->options;
	const char *outer = getenv(REQUEST_ENV);
	struct client_request request = { 0 };

	if (record->off >= 0)
		client_request_add(&request, "report", "%s/%s/%s%s",
				   record->dir.path, PROTOCOL_SESSIONS_DIR,
				   PROTOCOL_OFF_PREFIX, record->name);
	else
		client_request_add(&request, "report", "%s", "");
	for (int i = 0; i < o->nprobes; i++) {
		client_request_add(&request, "do", "load");
		client_request_add(&request, "path", "%s", o->probes[i]);
		client_request_add(&request, "print", "%s", record->printed);
	}
	for (int i = 0; i < o->nconnects; i++)
		load_add_connect(&request, &o->connects[i]);
	if (!request.failed && outer && *outer) {
		char *both;

		if (asprintf(&both, "%s%s", outer, request.text) < 0)
			both = NULL;
		free(request.text);
		return both;
	}
	return request.failed ? NULL : request.text;
}

int record_probes_run(struct record *record)
{
	if (!record->options.nprobes)
		return COMMAND_DONE;
	if (check_program(record) || record_printed_open(record))
		return COMMAND_FAILED;
	record->requests = requests_text(record);
	return record->requests ? COMMAND_DONE :
		       command_failed("a word with a newline cannot be sent");
}

/* Returns whether a process has noted that a marker had the callback. */
static bool has_called(const struct record *record, const char *rule,
		       const char *function)
{
	uint64_t bits = request_bits(rule, function);

	return (record->called & bits) == bits;
}

/* Tells what the lines say of a request. */
static void tell_request(struct record *record, char *text, int number,
			 const char *what)
{
	const char *rule = number < record->options.nprobes ? NULL :
		record->options.connects[number - record->options.nprobes].rule;
	bool called = !rule || has_called(record, rule, what);
	struct outcome *outcome = &record->outcome;
	bool done = false, failed = false;
	char *line, *next = text;
	int n, at;
	char state;

	while ((line = next)) {
		next = strchr(line, '\n');
		next = next ? next + 1 : NULL;
		if (sscanf(line, REQUEST_REPORT "%d\t%c\t%n", &n, &state,
			   &at) != 2 || n != number)
			continue;
		done = true;
		called |= state == REQUEST_CALLED;
		failed |= state == REQUEST_FAILED;
		if (state == REQUEST_FAILED) {
			char why[CAUSE_TEXT_BYTES];

			snprintf(why, sizeof(why), "%.*s",
				 (int)strcspn(line + at, "\n"), line + at);
			outcome_note(outcome, PROBE_FAILED, .subject = what,
				     .text = why);
		}
	}
	if (!done)
		outcome_note(outcome, PROBE_UNLOADED, .subject = what);
	else if (!failed && !called && !record_met(record, rule))
		record_tell_rule(record, rule);
	else if (!failed && !called)
		outcome_note(outcome, PROBE_UNCALLED, .subject = what);
}

void record_probes_tell(struct record *record)
{
	const struct record_options *o = &record->options;
	static char text[PROTOCOL_OFF_BYTES_MAX + 1024];
	ssize_t n;

	/* a program without an agent was told */
	if (!record->requests || record->off < 0 || !record->nmembers)
		return;
	n = pread(record->off, text, sizeof(text) - 1, 0);
	text[n < 0 ? 0 : n] = '\0';
	for (int i = 0; i < o->nprobes + o->nconnects; i++)
		tell_request(record, text, i,
			     i < o->nprobes ? o->probes[i] :
			     o->connects[i - o->nprobes].function);
}

/* Unloads the first `count` libraries. */
static int unload(struct record *record, pid_t pid, int count)
{
	int status = COMMAND_DONE;

	while (count--) {
		const char *path = record->options.probes[count];
		/* that of a copy has another directory */
		const char *file = strrchr(path, '/');

		/* it may have ended, or have executed another program */
		if (load_has_file(pid, file) && load_unload(pid, path, false) &&
		    load_has_file(pid, file))
			status = COMMAND_FAILED;
	}
	return status;
}

/* Notes what the callbacks of a process have missed so far; one that has no
 * agent yet has missed nothing. */
static void note_before(struct record *record, pid_t pid)
{
	struct rundir_process process;
	struct cause cause;
	struct record_before *more, *before;
	struct process_page page;

	more = reallocarray(record->before, (size_t)record->nbefore + 1,
			    sizeof(*more));
	if (!more)
		return;
	record->before = more;
	if (rundir_find(&process, pid, &cause))
		return;
	if (!rundir_read_process(&process, process.image, &page)) {
		before = &more[record->nbefore++];
		*before = (struct record_before){ .pid = pid,
						  .image = page.image };
		memcpy(before->missed, page.missed, sizeof(page.missed));
	}
	rundir_process_close(&process);
}

void record_probes_take(struct record *record, pid_t pid,
			const struct process_page *page)
{
	const struct record_before *before = NULL;

	if (!record->options.nprobes)
		return;
	record->called |= page->called;
	for (int i = 0; i < record->nbefore; i++)
		if (record->before[i].pid == pid &&
		    record->before[i].image == page->image)
			before = &record->before[i];
	for (int i = 0; i < MISSED_END; i++)
		record->missed_hits[i] +=
			page->missed[i] - (before ? before->missed[i] : 0);
}

uint64_t record_probes_missed(const struct record *record)
{
	uint64_t sum = 0;

	for (int i = 0; i < MISSED_END; i++)
		sum += record->missed_hits[i];
	return sum;
}

void record_probes_missed_tell(struct record *record)
{
	static const char *const where[MISSED_END] = {
		[MISSED_NESTED] = "in callbacks",
		[MISSED_HANDLER] = ("in signal handlers (a callback with "
				    "TAFFRAIL_PROBE_SIGNAL has them)"),
		[MISSED_BUSY] = "in the middle of another hit",
	};

	for (int i = 0; i < MISSED_END; i++)
		if (record->missed_hits[i])
			outcome_note(&record->outcome, HITS_MISSED,
				     .n = (int64_t)record->missed_hits[i],
				     .text = where[i]);
	if (record_probes_missed(record) && record->options.fail_on_loss)
		outcome_note(&record->outcome, HITS_MISSED_FATAL,
			     .n = (int64_t)record_probes_missed(record));
}

static int load_one(struct record *record, pid_t pid)
{
	struct record_options *o = &record->options;
	char name[LINE_VALUE_BYTES];
	uint64_t markers;
	int status = load_check_process(pid);
	int loaded = 0;

	if (!status)
		note_before(record, pid);
	for (; !status && loaded < o->nprobes; loaded++) {
		status = load_library(pid, o->probes[loaded], record->printed,
				      name, sizeof(name));
		if (status)
			break;
	}
	for (int i = 0; !status && i < o->nconnects; i++) {
		o->connects[i].pid = pid;
		status = load_connect(&o->connects[i], &markers);
	}
	if (status)
		unload(record, pid, loaded);
	return status;
}

int record_probes_load(struct record *record)
{
	const struct command_pids *pids = &record->options.pids;

	if (!record->options.nprobes)
		return COMMAND_DONE;
	if (record_printed_open(record))
		return COMMAND_FAILED;
	for (; record->nloaded < pids->count; record->nloaded++)
		if (load_one(record, pids->pids[record->nloaded])) {
			record_probes_unload(record);
			return COMMAND_FAILED;
		}
	return COMMAND_DONE;
}

void record_probes_image(struct record *record,
			 const struct rundir_process *process)
{
	const struct record_options *o = &record->options;
	int has = 0;

	if (!o->pids.count || !process->alive)
		return;
	while (has < o->nprobes &&
	       load_has_file(process->pid, strrchr(o->probes[has], '/')))
		has++;
	/* a forked child has them */
	if (has < o->nprobes && load_one(record, process->pid) &&
	    rundir_lives(process))
		/* load_one() has printed why */
		outcome_take(&record->outcome, COMMAND_FAILED);
}

/* Unloads them from the programs that the processes have executed, and from
 * children. */
static int unload_members(struct record *record)
{
	int status = COMMAND_DONE;

	for (size_t i = 0; i < record->nmembers; i++)
		if (record->members[i]->alive &&
		    unload(record, record->members[i]->pid,
			   record->options.nprobes))
			status = COMMAND_FAILED;
	return status;
}

int record_probes_unload(struct record *record)
{
	const struct command_pids *pids = &record->options.pids;
	int status = record->nloaded ? unload_members(record) : COMMAND_DONE;

	while (record->nloaded)
		if (unload(record, pids->pids[--record->nloaded],
			   record->options.nprobes))
			status = COMMAND_FAILED;
	return status;
}
