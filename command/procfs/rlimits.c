/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of another process. See rlimits.h.
 */
#include "command/procfs/rlimits.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "command/procfs/process.h"

/* The agent's need for one more session. */
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
	int errors[2];			/* that the kernel gives for it */
} rows[] = {
	{ "Max open files", "-n", NULL, FILES_LOW, 1, { EMFILE } },
	{ "Max file size", "-f", NULL, SIZE_LOW, 1024, { EFBIG } },
	{ "Max address space", "-v", "VmSize", MEMORY_LOW_K, 1024,
	  { ENOMEM, EAGAIN } },
	{ "Max data size", "-d", "VmData", MEMORY_LOW_K, 1024,
	  { ENOMEM, EAGAIN } },
	{ "Max locked memory", "-l", "VmLck", MEMORY_LOW_K, 1024,
	  { ENOMEM, EAGAIN } },
	{ "Max processes", "-u", NULL, UINT64_MAX, 1, { EAGAIN } },
};

/* Reads a limit from a line of /proc/PID/limits. Returns true when the line is
 * of that row, and there is a limit. */
static bool read_limit(const struct row *row, const char *line,
		       unsigned long long *soft)
{
	size_t n = strlen(row->name);

	return !strncmp(line, row->name, n) && sscanf(line + n, "%llu", soft);
}

/* Returns the rest of a limit, in units of the row. */
static uint64_t left_of(const struct row *row, pid_t pid, uint64_t limit)
{
	long used = row->used ? process_status(pid, row->used) : 0;

	limit /= row->unit;
	return used < 0 ? limit :
	       limit > (uint64_t)used ? limit - (uint64_t)used : 0;
}

static void say_limit(const struct row *row, pid_t pid, uint64_t limit,
		      char *text, size_t room)
{
	size_t n = strlen(text);
	const char *join = n ? ", " : "its limits: ";
	uint64_t left = left_of(row, pid, limit);

	/* most processes lock no memory, and have a low limit */
	if (row->used && process_status(pid, row->used) <= 0)
		return;
	if ((row->used ? left : limit) >= row->low)
		return;
	snprintf(text + n, room - n, "%sulimit %s %s %llu%s", join, row->option,
		 row->used ? "leaves" : "is", (unsigned long long)left,
		 row->unit > 1 ? "K" : "");
}

static bool limit_meant(const struct row *row, int error)
{
	return error && (row->errors[0] == error || row->errors[1] == error);
}

void process_limits(pid_t pid, int error, char *text, size_t room)
{
	char path[32], line[256];
	unsigned long long soft;
	FILE *f;

	*text = '\0';
	snprintf(path, sizeof(path), "/proc/%d/limits", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
			if (limit_meant(&rows[i], error) &&
			    read_limit(&rows[i], line, &soft))
				say_limit(&rows[i], pid, soft, text, room);
	if (f)
		fclose(f);
}

uint64_t process_limit_left(pid_t pid, const char *option)
{
	uint64_t left = UINT64_MAX;
	char path[32], line[256];
	unsigned long long soft;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/limits", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
			if (!strcmp(rows[i].option, option) &&
			    read_limit(&rows[i], line, &soft))
				left = left_of(&rows[i], pid, soft) *
				       rows[i].unit;
	if (f)
		fclose(f);
	return left;
}
