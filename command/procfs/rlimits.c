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

#define LIMITS_BYTES	4096	/* of /proc/PID/limits: 17 lines of 80 */

/* Each limit, in the order of /proc/PID/limits, which is that of messages. */
static const struct row {
	const char *name;
	const char *option;		/* of ulimit */
	const char *used;		/* of /proc/PID/status, in K; or NULL */
	uint64_t low;
	uint64_t unit;
	int errors[2];			/* that the kernel gives for it */
} rows[] = {
	{ "Max file size", "-f", NULL, SIZE_LOW, 1024, { EFBIG } },
	{ "Max data size", "-d", "VmData", MEMORY_LOW_K, 1024,
	  { ENOMEM, EAGAIN } },
	{ "Max processes", "-u", NULL, UINT64_MAX, 1, { EAGAIN } },
	{ "Max open files", "-n", NULL, FILES_LOW, 1, { EMFILE } },
	{ "Max locked memory", "-l", "VmLck", MEMORY_LOW_K, 1024,
	  { ENOMEM, EAGAIN } },
	{ "Max address space", "-v", "VmSize", MEMORY_LOW_K, 1024,
	  { ENOMEM, EAGAIN } },
};

/* Reads the soft limit of a row, in bytes or as a number, and in units of the
 * row the rest that the process does not use. Returns false when there is no
 * limit, or when it cannot be read. */
static bool read_limit(const struct row *row, pid_t pid,
		       unsigned long long *soft, uint64_t *left)
{
	long used = row->used ? process_status(pid, row->used) : 0;
	char text[LIMITS_BYTES];
	const char *line;

	process_text(pid, 0, "limits", text, sizeof(text));
	line = strstr(text, row->name);
	if (!line || sscanf(line + strlen(row->name), "%llu", soft) != 1)
		return false;
	*left = *soft / row->unit;
	if (used >= 0)
		*left -= *left < (uint64_t)used ? *left : (uint64_t)used;
	return true;
}

void process_limits(pid_t pid, int error, char *text, size_t room)
{
	unsigned long long soft;
	uint64_t left;

	*text = '\0';
	for (size_t i = 0; error && i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		size_t n = strlen(text);

		if ((row->errors[0] != error && row->errors[1] != error) ||
		    !read_limit(row, pid, &soft, &left))
			continue;
		/* most processes lock no memory, and have a low limit */
		if (row->used && process_status(pid, row->used) <= 0)
			continue;
		if ((row->used ? left : soft) >= row->low)
			continue;
		snprintf(text + n, room - n, "%sulimit %s %s %llu%s",
			 n ? ", " : "its limits: ", row->option,
			 row->used ? "leaves" : "is", (unsigned long long)left,
			 row->unit > 1 ? "K" : "");
	}
}

uint64_t process_limit_left(pid_t pid, const char *option)
{
	unsigned long long soft;
	uint64_t left;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].option, option) &&
		    read_limit(&rows[i], pid, &soft, &left))
			return left * rows[i].unit;
	return UINT64_MAX;
}
