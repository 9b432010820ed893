/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of another process. See rlimits.h.
 */
#include "command/procfs/rlimits.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
	{ "Max data size", "-d", "VmData", MEMORY_LOW_K, 1024, { ENOMEM } },
	{ "Max processes", "-u", NULL, 0, 1, { 0 } },
	{ "Max open files", "-n", NULL, FILES_LOW, 1, { EMFILE } },
	{ "Max locked memory", "-l", "VmLck", MEMORY_LOW_K, 1024,
	  { ENOMEM, EAGAIN } },
	{ "Max address space", "-v", "VmSize", MEMORY_LOW_K, 1024, { ENOMEM } },
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

/* The limit counts threads of a user, so a process counts for the owner of
 * /proc/PID; one that ends meanwhile counts for nothing. */
uint64_t process_user_threads(uid_t uid)
{
	DIR *stream = opendir("/proc");
	struct dirent *entry;
	uint64_t n = 0;

	while (stream && (entry = readdir(stream))) {
		pid_t pid = atoi(entry->d_name);
		struct stat st;

		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    fstatat(dirfd(stream), entry->d_name, &st, 0) ||
		    st.st_uid != uid)
			continue;
		n += process_status(pid, "Threads") > 0 ?
			     (uint64_t)process_status(pid, "Threads") : 0;
	}
	if (stream)
		closedir(stream);
	return n;
}

bool process_threads_limited(pid_t pid, uint64_t *limit, uint64_t *used)
{
	long uid = process_status(pid, "Uid");

	*limit = process_limit_left(pid, "-u");
	/* the kernel lets root, and these capabilities, make more */
	if (uid <= 0 || *limit == UINT64_MAX ||
	    process_capable(pid, CAP_SYS_RESOURCE) ||
	    process_capable(pid, CAP_SYS_ADMIN))
		return false;
	*used = process_user_threads((uid_t)uid);
	return *used >= *limit;
}

/* Reads a number of a file of a cgroup. Returns false without one ("max"). */
static bool group_number(const char *group, const char *name, uint64_t *number)
{
	char path[PATH_MAX];
	FILE *file = (size_t)snprintf(path, sizeof(path), "%s/%s", group,
				      name) < sizeof(path) ?
			     fopen(path, "re") : NULL;
	bool ret = file && fscanf(file, "%" SCNu64, number) == 1;

	if (file)
		fclose(file);
	return ret;
}

bool process_group_limited(pid_t pid, uint64_t *limit)
{
	char text[LIMITS_BYTES], group[LIMITS_BYTES + 32], *end;
	const char *line = text, *names, *path;
	uint64_t used;
	int root;

	process_text(pid, 0, "cgroup", text, sizeof(text));
	/* ID:CONTROLLERS:PATH; without controllers it is version 2 */
	for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		names = line + strcspn(line, ":\n");
		path = names + (*names == ':');
		path += strcspn(path, ":\n");
		if (*path != ':' || (strncmp(names, ":pids:", 6) &&
				     strncmp(names, "::", 2)))
			continue;
		root = snprintf(group, sizeof(group), "/sys/fs/cgroup%s",
				names[1] == 'p' ? "/pids" : "");
		snprintf(group + root, sizeof(group) - (size_t)root, "%.*s",
			 (int)strcspn(path + 1, "\n"), path + 1);
		/* each group above it limits it, too */
		while ((end = strrchr(group, '/')) && end >= group + root) {
			if (group_number(group, "pids.max", limit) &&
			    group_number(group, "pids.current", &used) &&
			    used >= *limit)
				return true;
			*end = '\0';
		}
	}
	return false;
}

/* A text of several limits. */
struct line {
	char *text;
	size_t room;
};

__attribute__((format(printf, 2, 3)))
static void line_add(const struct line *line, const char *format, ...)
{
	size_t n = strlen(line->text);
	va_list ap;

	n += (size_t)snprintf(line->text + n, line->room - n, "%s",
			      n ? ", " : "its limits: ");
	if (n >= line->room)
		return;
	va_start(ap, format);
	vsnprintf(line->text + n, line->room - n, format, ap);
	va_end(ap);
}

/* Adds why the kernel lets the process make no thread. */
static void thread_limits(pid_t pid, const struct line *line)
{
	uint64_t limit, used;

	if (process_threads_limited(pid, &limit, &used))
		line_add(line, "ulimit -u is %" PRIu64, limit);
	if (process_group_limited(pid, &limit))
		line_add(line, "pids.max of its cgroup is %" PRIu64, limit);
}

void process_limits(pid_t pid, int error, char *text, size_t room)
{
	struct line line = { text, room };
	unsigned long long soft;
	uint64_t left;

	*text = '\0';
	for (size_t i = 0; error && i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];

		if ((row->errors[0] != error && row->errors[1] != error) ||
		    !read_limit(row, pid, &soft, &left))
			continue;
		/* most processes lock no memory, and have a low limit */
		if (row->used && process_status(pid, row->used) <= 0)
			continue;
		if ((row->used ? left : soft) >= row->low)
			continue;
		line_add(&line, "ulimit %s %s %" PRIu64 "%s", row->option,
			 row->used ? "leaves" : "is", left,
			 row->unit > 1 ? "K" : "");
	}
	if (error == EAGAIN)
		thread_limits(pid, &line);
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
