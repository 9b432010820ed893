/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail verify DIR: recounts a trace.
 *
 * Invariant: nothing is written, and a file that another program cuts short
 * meanwhile is a problem of the trace, not a crash (map_guard()).
 */
#include "traces/verify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffers/reader/reader.h"
#include "command/causes/cause.h"
#include "command/common/command.h"
#include "command/common/counted.h"
#include "command/reading/look.h"
#include "traces/follow.h"

/* The trace, a process's part, its index, and a file. */
#define FILES_NEEDED	5

/* So many processes are named. */
#define PROCESSES_SHOWN	10

static const struct option_row rows[] = { { 0 } };

/* Prints a problem when verify_directory() finds it: a long recount shows the
 * first ones early. */
static void trace_report(const char *where, const char *fact, void *priv)
{
	command_warn("%s: %s", where, fact);
}

/* The processes that lost most come first. */
static int process_compare(const void *left, const void *right)
{
	const struct verify_process *a = left, *b = right;

	if (a->lost != b->lost)
		return a->lost < b->lost ? 1 : -1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

/* Prints the losses of processes in buffers that they shared. Where events were
 * overwritten, nothing tells whose they were. */
static void print_processes(struct verify_result *result)
{
	const char *least = result->overwritten ? "at least " : "";
	uint64_t rest = result->lost;
	struct verify_process *p;
	size_t i;

	qsort(result->processes, result->nprocesses, sizeof(*p),
	      process_compare);
	for (i = 0; i < result->nprocesses && i < PROCESSES_SHOWN; i++) {
		p = &result->processes[i];
		rest -= p->lost < rest ? p->lost : rest;
		printf("process %u%s%s%s: %s%llu emitted = %llu kept + %llu "
		       "lost\n", p->pid, *p->name ? " (" : "", p->name,
		       *p->name ? ")" : "", least,
		       (unsigned long long)(p->kept + p->lost),
		       (unsigned long long)p->kept,
		       (unsigned long long)p->lost);
	}
	if (i && rest)
		printf("other processes, or not known which: %llu lost\n",
		       (unsigned long long)rest);
}

int verify_main(int argc, char **argv)
{
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows, .shape = "[DIR]",
		.about = "Recount the events of every stream of a trace that "
			 "record or snapshot wrote.",
	};
	struct verify_result result;
	const char *path, *why;
	int ret;

	if (options_next(&options) != OPTIONS_END)
		return options.status;
	path = argc == options.index ? look_newest(&why) : argv[options.index];
	if (!path)
		return command_misused("give a directory that record or "
				       "snapshot wrote; %s", why);
	if (argc - options.index > 1)
		return command_misused("give one directory");
	if (!*path)
		return command_misused("the directory's name is empty");
	if (cause_check_files(FILES_NEEDED))
		return COMMAND_FAILED;
	/* a recording may be cut short while it is read */
	map_guard();
	ret = verify_directory(&result, path, trace_report, NULL);
	if (ret == -ENOENT)
		return command_failed(access(path, F_OK) ?
				      "%s: there is no such directory" :
				      follow_recorded(path) ?
				      "%s: it is being recorded, and nothing "
				      "is on disk yet" :
				      "%s: no trace in this directory", path);
	if (ret == -ENOTDIR)
		return command_failed("%s: it is a file: give the directory "
				      "that record or snapshot wrote (-o)",
				      path);
	if (ret < 0)
		return command_failed("%s: %s", path, strerror(-ret));
	if (result.nprocesses)
		print_processes(&result);
	free(result.processes);
	printf("%llu emitted = %llu kept + %llu overwritten + %llu lost, "
	       "in %s of %s",
	       (unsigned long long)result.emitted,
	       (unsigned long long)result.kept,
	       (unsigned long long)result.overwritten,
	       (unsigned long long)result.lost,
	       counted(result.streams, "stream"),
	       counted(result.traces, "trace"));
	if (result.records)
		printf(", with %s", counted(result.records, "writer record"));
	putchar('\n');
	if (result.lost_calls)
		printf("of those lost, %s had no room until %s ended: %s\n",
		       counted(result.lost_calls, "call"),
		       agreed(result.lost_calls, "it", "they"),
		       COMMAND_CALLS_REMEDY);
	if (ret)
		return command_failed("%s: %s", path,
				      counted((uint64_t)ret, "problem"));
	return command_finish();
}
