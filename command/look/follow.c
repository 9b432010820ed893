/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Follows directories that are being recorded (traces/follow.h).
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/look/follow-private.h"
#include "command/look/rings-private.h"
#include "traces/follow.h"

bool look_follow(struct look *look, char **paths, int n)
{
	look->directories = calloc((size_t)n, sizeof(*look->directories));
	if (!look->directories)
		return false;
	for (int i = 0; i < n; i++) {
		int fd = open(paths[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd < 0)
			continue;
		look->directories[look->ndirectories++] = fd;
		/* where it fails, events come when buffers are full */
		follow_hold(fd, FOLLOW_READER);
	}
	return true;
}

void look_follow_end(struct look *look)
{
	while (look->ndirectories)
		close(look->directories[--look->ndirectories]);
	free(look->directories);
	look->directories = NULL;
}

int look_follow_whole(const struct look *look, char **paths)
{
	int ret = COMMAND_DONE;

	/* the list of traces is what a recorder writes last */
	for (int i = 0; i < look->ndirectories; i++)
		if (faccessat(look->directories[i], "traces", F_OK, 0))
			ret = command_failed("%s: no recorder has it now, and it "
					     "was not completed: its recorder "
					     "was killed, or it is not the "
					     "directory that was given to "
					     "record (-o)", paths[i]);
	return ret;
}

bool look_recorded(struct look *look, int64_t *until)
{
	bool on = false;
	int64_t told;

	if (look->rings)
		return look_rings_news(look, until);
	*until = TIME_MAX;
	for (int i = 0; i < look->ndirectories; i++) {
		int fd = look->directories[i];

		if (!follow_held(fd, FOLLOW_RECORDER))
			continue;
		on = true;
		if (!follow_read(fd, &told))
			told = TIME_MIN;
		if (told == FOLLOW_AT_END && !look->waits) {
			look->waits = true;
			command_warn("a recording with --overwrite: its events "
				     "are on disk, and printed, when it ends");
		}
		*until = told < *until ? told : *until;
	}
	return on;
}

static bool has_no_ledger(const struct trace_class *trace)
{
	char path[PATH_MAX];
	struct stat st;

	return !trace->foreign &&
	       (size_t)snprintf(path, sizeof(path), "%s/index/ledger",
				trace->path) < sizeof(path) &&
	       !stat(path, &st) && !st.st_size;
}

bool look_uncompleted(const struct look *look, const char *path, size_t from)
{
	struct trace_class *const *traces;
	size_t n = reader_traces(look->reader, &traces);
	bool recorded;
	int fd;

	while (from < n && !has_no_ledger(traces[from]))
		from++;
	if (from == n)
		return false;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	recorded = fd >= 0 && follow_held(fd, FOLLOW_RECORDER);
	if (fd >= 0)
		close(fd);
	if (recorded)
		command_warn("%s: it is being recorded: there is more to come",
			     path);
	else
		command_warn("%s: this recording was not completed: its "
			     "recorder was killed, or could not write; events "
			     "may be missing, and 'taffrail status' tells if "
			     "they are still in buffers", path);
	return !recorded;
}
