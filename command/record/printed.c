/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What probe libraries have counted: a file beside the traces, to which the
 * processes add it when they end (control/request.h), and this command for
 * processes that outlive the recording. It is printed at the very end.
 *
 * What must stay true here: another user may own the directory around the
 * trace, and exchange what is there. This command reads and writes the file
 * that it has made, and follows no path to it.
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

	if (!directory ||
	    asprintf(&record->printed, "%s/" FILE_NAME, directory) < 0)
		record->printed = NULL;
	free(directory);
	if (!record->printed)
		return command_failed("out of memory");
	record->printed_fd = openat(record->set.fd, FILE_NAME, O_RDWR |
				    O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW |
				    O_CLOEXEC, 0600);
	if (record->printed_fd >= 0)
		return COMMAND_DONE;
	command_failed("%s: %s", record->printed, strerror(errno));
	free(record->printed);
	record->printed = NULL;
	return COMMAND_FAILED;
}

static void add(const struct record *record, pid_t pid, const char *library,
		const char *text)
{
	const char *name = strrchr(library, '/');
	char path[64], process[64] = "?";
	FILE *comm;

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
	dprintf(record->printed_fd, "process %d (%s), %.*s:\n%s", (int)pid,
		process, (int)strcspn(name, "."), name, text);
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
	char part[4096];
	off_t all = 0;
	ssize_t n;

	if (!record->printed)
		return;
	while ((n = pread(record->printed_fd, part, sizeof(part), all)) > 0) {
		fwrite(part, 1, (size_t)n, stderr);
		all += n;
	}
	if (!all)
		unlinkat(record->set.fd, FILE_NAME, 0);
	close(record->printed_fd);
	free(record->printed);
	record->printed = NULL;
}
