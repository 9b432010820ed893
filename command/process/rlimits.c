/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of another process. See rlimits.h.
 */
#include "command/process/rlimits.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "command/process/process.h"

/* What the agent may need for one more session. */
#define FILES_LOW	16
#define SIZE_LOW	(16u << 20)
#define MEMORY_LOW_K	(64u << 10)

/* Each limit, as in /proc/PID/limits. */
static const struct row {
	const char *name;
	const char *option;		/* of ulimit */
	const char *used;		/* of /proc/PID/status, in K; or NULL */
	uint64_t low;
	uint64_t unit;
	int error;			/* only after this one; 0: after all */
} rows[] = {
	{ "Max open files", "-n", NULL, FILES_LOW, 1, 0 },
	{ "Max file size", "-f", NULL, SIZE_LOW, 1024, 0 },
	{ "Max address space", "-v", "VmSize", MEMORY_LOW_K, 1024, 0 },
	{ "Max data size", "-d", "VmData", MEMORY_LOW_K, 1024, 0 },
	{ "Max locked memory", "-l", "VmLck", MEMORY_LOW_K, 1024, 0 },
	{ "Max processes", "-u", NULL, UINT64_MAX, 1, EAGAIN },
};

static void say(const struct row *row, pid_t pid, uint64_t limit, char *text,
		size_t room)
{
	size_t n = strlen(text);
	const char *join = n ? ", " : "its limits: ";
	uint64_t left = limit / row->unit;
	long used = row->used ? process_status(pid, row->used) : 0;

	/* most processes lock no memory, and have a low limit */
	if (row->used && used <= 0)
		return;
	left = left > (uint64_t)used ? left - (uint64_t)used : 0;
	if ((row->used ? left : limit) >= row->low)
		return;
	snprintf(text + n, room - n, "%sulimit %s %s %llu%s", join, row->option,
		 row->used ? "leaves" : "is", (unsigned long long)left,
		 row->unit > 1 ? "K" : "");
}

void process_limits(pid_t pid, int error, char *text, size_t room)
{
	char path[32], line[256];
	FILE *f;

	*text = '\0';
	snprintf(path, sizeof(path), "/proc/%d/limits", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			size_t n = strlen(rows[i].name);
			unsigned long long soft;

			if (!strncmp(line, rows[i].name, n) &&
			    (!rows[i].error || rows[i].error == error) &&
			    sscanf(line + n, "%llu", &soft) == 1)
				say(&rows[i], pid, soft, text, room);
		}
	}
	if (f)
		fclose(f);
}
