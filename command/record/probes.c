/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probe libraries of a recording. See probes-private.h.
 *
 * Invariant: a library that the recorder has loaded into a process that ran
 * already is unloaded at the end, also after a failure.
 */
#include "command/record/probes-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lines.h"
#include "command/agents/client.h"
#include "command/load/libraries.h"
#include "command/procfs/process.h"
#include "command/record/agentless.h"
#include "control/protocol.h"
#include "control/request.h"
#include "traces/array.h"
#include "traces/trace.h"

#define FILE_NAME	"probes.txt"

/* Makes the file of the counters. Returns COMMAND_DONE, or COMMAND_FAILED after
 * printing why. */
static int printed_open(struct probes *probes, const struct trace_set *set)
{
	char *directory = realpath(set->path, NULL);
	char *path = NULL;

	if (!directory || asprintf(&path, "%s/" FILE_NAME, directory) < 0)
		path = NULL;
	free(directory);
	if (!path)
		return cause_report(OUT_OF_MEMORY);
	probes->printed_fd = openat(set->fd, FILE_NAME, O_RDWR |
				    O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW |
				    O_CLOEXEC, 0600);
	if (probes->printed_fd < 0) {
		cause_report(OUTPUT_UNMADE, .path = path, .error = errno);
		free(path);
		return COMMAND_FAILED;
	}
	probes->printed = path;
	return COMMAND_DONE;
}

int probes_run(struct probes *probes, struct claim *claim,
	       const struct trace_set *set, enum lacking_why lacks,
	       const char **requests)
{
	const struct record_options *o = probes->options;
	const char *load = getenv("TAFFRAIL_LOAD");
	const char *outer = getenv(REQUEST_ENV);
	struct client_request request = { 0 };
	char line[CAUSE_LINE_BYTES];

	if (!o->nprobes)
		return COMMAND_DONE;
	if (lacks)
		return cause_report(PROBES_AGENTLESS, .subject = *o->program,
				    .text = agentless_words(lacks, line));
	if (load && *load && strcmp(load, "on"))
		return cause_report(PROBES_FORBIDDEN, .subject = *o->program,
				    .text = load);
	/* a sandbox allows libraries only where the environment says so */
	if ((!load || !*load) && process_status(getpid(), "NoNewPrivs") == 1)
		return cause_report(PROBES_SANDBOXED, .subject = *o->program);
	if (printed_open(probes, set))
		return COMMAND_FAILED;
	if (claim_off(claim) >= 0)
		client_request_add(&request, "report", "%s/%s/%s%s",
				   claim_dir(claim)->path,
				   PROTOCOL_SESSIONS_DIR, PROTOCOL_OFF_PREFIX,
				   claim_name(claim));
	else
		client_request_add(&request, "report", "%s", "");
	for (int i = 0; i < o->nprobes; i++) {
		client_request_add(&request, "do", "load");
		client_request_add(&request, "path", "%s", o->probes[i]);
		client_request_add(&request, "print", "%s", probes->printed);
	}
	for (int i = 0; i < o->nconnects; i++)
		load_add_connect(&request, &o->connects[i]);
	/* behind those of a recorder that this one runs under */
	if (!request.failed && asprintf(&probes->requests, "%s%s", outer ?: "",
					request.text) < 0)
		probes->requests = NULL;
	client_request_release(&request);
	*requests = probes->requests;
	/* there is no memory, or a word has a newline */
	return probes->requests ? COMMAND_DONE : cause_report(PROBES_NEWLINE);
}

void probes_note(const struct probes *probes, const struct claim *claim,
		 const struct rules *rules, bool some)
{
	static char text[PROTOCOL_OFF_BYTES_MAX + 1024];
	const struct record_options *o = probes->options;
	struct outcome *outcome = probes->outcome;
	char why[CAUSE_TEXT_BYTES], state;
	int n, at;

	if (!probes->requests || claim_off(claim) < 0)
		return;
	n = (int)pread(claim_off(claim), text, sizeof(text) - 1, 0);
	text[n < 0 ? 0 : n] = '\0';
	for (int i = 0; i < o->nprobes + o->nconnects; i++) {
		const struct load_wish *wish = i < o->nprobes ? NULL :
					       &o->connects[i - o->nprobes];
		const char *subject = wish ? wish->function : o->probes[i];
		uint64_t bits = wish ? request_bits(wish->rule, subject) : 0;
		/* a process has noted that a marker had the callback */
		bool called = (probes->called & bits) == bits;
		bool done = false, failed = false;

		for (char *line = text, *next; line; line = next) {
			next = strchr(line, '\n');
			next = next ? next + 1 : NULL;
			if (sscanf(line, REQUEST_REPORT "%d\t%c\t%n", &n,
				   &state, &at) != 2 || n != i)
				continue;
			done = true;
			called |= state == REQUEST_CALLED;
			if (state != REQUEST_FAILED)
				continue;
			failed = true;
			snprintf(why, sizeof(why), "%.*s",
				 (int)strcspn(line + at, "\n"), line + at);
			outcome_note(outcome, PROBE_FAILED, .subject = subject,
				     .text = why);
		}
		if (!done)
			outcome_note(outcome, PROBE_UNLOADED,
				     .subject = subject);
		else if (!failed && !called && !rules_met(rules, wish->rule))
			rules_note_one(o, wish->rule, some, outcome);
		else if (!failed && !called)
			outcome_note(outcome, PROBE_UNCALLED,
				     .subject = subject);
	}
}

/* Unloads the first `count` libraries. Failures are printed. */
static void libraries_unload(struct probes *probes, pid_t pid, int count)
{
	while (count--) {
		const char *path = probes->options->probes[count];
		/* that of a copy has another directory */
		const char *file = strrchr(path, '/');

		/* it may have ended, or have executed another program */
		if (load_has_file(pid, file) && load_unload(pid, path, false) &&
		    load_has_file(pid, file))
			outcome_take(probes->outcome, COMMAND_FAILED);
	}
}

void probes_take(struct probes *probes, pid_t pid,
		 const struct process_page *page)
{
	const struct probes_before *before = NULL;

	if (!probes->options->nprobes)
		return;
	probes->called |= page->called;
	for (size_t i = 0; i < probes->nbefore; i++)
		if (probes->before[i].pid == pid &&
		    probes->before[i].image == page->image)
			before = &probes->before[i];
	for (int i = 0; i < MISSED_END; i++)
		probes->missed[i] +=
			page->missed[i] - (before ? before->missed[i] : 0);
}

uint64_t probes_missed(const struct probes *probes)
{
	uint64_t sum = 0;

	for (int i = 0; i < MISSED_END; i++)
		sum += probes->missed[i];
	return sum;
}

void probes_note_missed(const struct probes *probes)
{
	static const char *const where[MISSED_END] = {
		[MISSED_NESTED] = "in callbacks",
		[MISSED_HANDLER] = ("in signal handlers (a callback with "
				    "TAFFRAIL_PROBE_SIGNAL has them)"),
		[MISSED_BUSY] = "in the middle of another hit",
	};

	for (int i = 0; i < MISSED_END; i++)
		outcome_count(probes->outcome, HITS_MISSED, probes->missed[i],
			      .text = where[i]);
	if (probes->options->fail_on_loss)
		outcome_count(probes->outcome, HITS_MISSED_FATAL,
			      probes_missed(probes));
}

/* Loads and connects all libraries in a process, and notes how many hits
 * callbacks have missed before: without an agent, none. After a failure it
 * unloads the libraries that it has loaded. Returns COMMAND_DONE, or a failure
 * after printing why. */
static int libraries_load(struct probes *probes, pid_t pid)
{
	const struct record_options *o = probes->options;
	struct rundir_process process;
	struct probes_before *before;
	struct process_page page;
	struct cause cause;
	char name[LINE_VALUE_BYTES];
	uint64_t markers;
	int status = load_check_process(pid);
	int loaded = 0;

	if (status)
		return status;
	if (!rundir_find(&process, pid, &cause)) {
		if (!rundir_read_process(&process, process.image, &page) &&
		    array_grow(&probes->before, probes->nbefore,
			       sizeof(*before))) {
			before = &probes->before[probes->nbefore++];
			before->pid = pid;
			before->image = page.image;
			memcpy(before->missed, page.missed,
			       sizeof(page.missed));
		}
		rundir_process_close(&process);
	}
	while (!status && loaded < o->nprobes) {
		status = load_library(pid, o->probes[loaded], probes->printed,
				      name, sizeof(name));
		loaded += !status;
	}
	for (int i = 0; !status && i < o->nconnects; i++) {
		o->connects[i].pid = pid;
		status = load_connect(&o->connects[i], &markers);
	}
	if (status)
		libraries_unload(probes, pid, loaded);
	return status;
}

int probes_load(struct probes *probes, const struct trace_set *set)
{
	const struct command_pids *pids = &probes->options->pids;

	if (!probes->options->nprobes)
		return COMMAND_DONE;
	/* it is there when the recorder begins anew with fewer processes */
	if (!probes->printed && printed_open(probes, set))
		return COMMAND_FAILED;
	for (; probes->nloaded < pids->count; probes->nloaded++)
		if (libraries_load(probes, pids->pids[probes->nloaded])) {
			probes_unload(probes);
			return COMMAND_FAILED;
		}
	return COMMAND_DONE;
}

void probes_image(struct probes *probes, const struct rundir_process *process)
{
	const struct record_options *o = probes->options;
	int has = 0;

	if (!o->pids.count || !process->alive)
		return;
	while (has < o->nprobes &&
	       load_has_file(process->pid, strrchr(o->probes[has], '/')))
		has++;
	/* a forked child has them */
	if (has < o->nprobes && libraries_load(probes, process->pid) &&
	    rundir_lives(process))
		/* libraries_load() has printed why */
		outcome_take(probes->outcome, COMMAND_FAILED);
}

void probes_leave(pid_t pid, void *priv)
{
	struct probes *probes = priv;

	if (probes->nloaded)
		libraries_unload(probes, pid, probes->options->nprobes);
}

void probes_unload(struct probes *probes)
{
	const struct record_options *o = probes->options;

	while (probes->nloaded)
		libraries_unload(probes, o->pids.pids[--probes->nloaded],
				 o->nprobes);
}

/* An answer goes below a line that names the process and the library. The name
 * of a process is not trusted. */
void probes_ask(pid_t pid, void *priv)
{
	const struct probes *probes = priv;
	const struct record_options *o = probes->options;
	char process[64];

	for (int i = 0; probes->printed && i < o->nprobes; i++) {
		const char *file = strrchr(o->probes[i], '/');
		char *text = NULL;

		if (!load_has_file(pid, file) ||
		    load_print(pid, o->probes[i], &text) || !text)
			continue;
		if (process_text(pid, 0, "comm", process, sizeof(process)) <= 0)
			strcpy(process, "?");
		process[strcspn(process, "\n")] = '\0';
		for (char *p = process; *p; p++)
			if ((unsigned char)*p < ' ' || *p == 127)
				*p = '?';
		dprintf(probes->printed_fd, "process %d (%s), %.*s:\n%s",
			(int)pid, process, (int)strcspn(file + 1, "."),
			file + 1, text);
		free(text);
	}
}

void probes_close(struct probes *probes, int fd)
{
	char part[4096];
	off_t all = 0;
	ssize_t n;

	free(probes->requests);
	free(probes->before);
	if (!probes->printed)
		return;
	while ((n = pread(probes->printed_fd, part, sizeof(part), all)) > 0) {
		fwrite(part, 1, (size_t)n, stderr);
		all += n;
	}
	if (!all)
		unlinkat(fd, FILE_NAME, 0);
	close(probes->printed_fd);
	free(probes->printed);
}
