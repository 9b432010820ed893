/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What probe libraries have counted: a file beside the traces, to which the
 * processes add it when they end (control/request.h), and this command for
 * processes that outlive the recording. It is printed at the very end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/load/libraries.h"
#include "command/record/private.h"

#define FILE_NAME	"probes.txt"

int record_printed_open(struct record *record)
{
	char *directory = realpath(record->set.path, NULL);
	int fd;

	if (!directory ||
	    asprintf(&record->printed, "%s/" FILE_NAME, directory) < 0)
		record->printed = NULL;
	free(directory);
	if (!record->printed)
		return command_failed("out of memory");
	fd = open(record->printed, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		  0600);
	if (fd < 0)
		return command_failed("%s: %s", record->printed,
				      strerror(errno));
	close(fd);
	return COMMAND_DONE;
}

static void add(const struct record *record, pid_t pid, const char *library,
		const char *text)
{
	FILE *file = fopen(record->printed, "ae");
	const char *name = strrchr(library, '/');
	char path[64], process[64] = "?";
	FILE *comm;

	if (!file)
		return;
	name = name ? name + 1 : library;
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	comm = fopen(path, "re");
	if (comm && fgets(process, sizeof(process), comm))
		process[strcspn(process, "\n")] = '\0';
	for (char *p = process; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 127)
			*p = '?';
	if (comm)
		fclose(comm);
	fprintf(file, "process %d (%s), %.*s:\n%s", (int)pid, process,
		(int)strcspn(name, "."), name, text);
	fclose(file);
}

void record_printed_ask(const struct record *record, pid_t pid)
{
	const struct record_options *o = &record->options;

	for (int i = 0; record->printed && i < o->nprobes; i++) {
		const char *file = strrchr(o->probes[i], '/');
		char *text = NULL;

		if (load_has_file(pid, file) &&
		    !load_print(pid, o->probes[i], &text) && text)
			add(record, pid, file, text);
		free(text);
	}
}

void record_printed_tell(struct record *record)
{
	FILE *file = record->printed ? fopen(record->printed, "re") : NULL;
	char part[4096];
	size_t n, all = 0;

	while (file && (n = fread(part, 1, sizeof(part), file))) {
		fwrite(part, 1, n, stderr);
		all += n;
	}
	if (file)
		fclose(file);
	if (record->printed && !all)
		unlink(record->printed);
	free(record->printed);
	record->printed = NULL;
}
