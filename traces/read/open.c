/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the traces below a directory, and opens them.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/checksum.h"
#include "traces/read/private.h"

#define DEPTH_MAX	32

/* Reads the metadata without its checksum; *right tells whether that agrees. */
static int load(char **text, int fd, bool *right)
{
	struct file_map map;
	size_t bytes;
	int ret = file_map_open(&map, fd, "metadata", 1, 0);

	if (ret)
		return ret;
	bytes = map.bytes;
	*right = checksum_right(map.address, &bytes, METADATA_CHECKSUM_BEFORE,
				METADATA_CHECKSUM_AFTER);
	*text = strndup(map.address, bytes);
	file_map_close(&map);
	return *text ? 0 : -ENOMEM;
}

int read_trace(struct trace_class *trace, const char *text, unsigned int *line)
{
	int ret = trace_class_parse(trace, text, line);

	if (ret)
		return ret;
	for (size_t i = 0; i < trace->nevents; i++)
		if (trace->events[i] && steps_make(trace, trace->events[i]))
			return -ENOMEM;
	return trace->context && !trace->context_fixed ? -ENOTSUP : 0;
}

static void tell(struct reader *reader, const char *path, int error,
		 unsigned int line)
{
	if (error == -ENOTSUP && !line)
		reader_problem(reader, path, "another tracer wrote this trace; "
			       "babeltrace2 shows it");
	else if (error == -ENOTSUP)
		reader_problem(reader, path, "metadata, line %u: Taffrail does "
			       "not write this; babeltrace2 may show it", line);
	else if (error == -EBADMSG)
		reader_problem(reader, path, "metadata: line %u makes no sense",
			       line);
	else
		reader_problem(reader, path, "cannot read it: %s",
			       strerror(-error));
}

static int open_trace(struct reader *reader, const char *path, int fd)
{
	struct trace_class *trace = calloc(1, sizeof(*trace));
	unsigned int line = 0;
	bool right = true;
	char *text = NULL;
	int ret = trace ? load(&text, fd, &right) : -ENOMEM;

	if (!ret)
		ret = read_trace(trace, text, &line);
	if (!ret)
		ret = (trace->path = strdup(path)) ? 0 : -ENOMEM;
	if (!ret && !right)
		reader_problem(reader, path, "metadata: its checksum is wrong: "
			       "it was changed, cut short or added to");
	if (!ret)
		ret = reader_add_trace(reader, trace);
	if (ret) {
		tell(reader, path, ret, line);
		if (trace)
			trace_class_free(trace);
		free(trace);
	} else {
		ret = read_files_open(reader, trace, fd);
		if (ret < 0)
			tell(reader, path, ret, 0);
	}
	free(text);
	return ret;
}

static int is_entry(const struct dirent *entry)
{
	return entry->d_name[0] != '.' &&
	       (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN ||
		entry->d_type == DT_LNK);
}

/* Opens the trace in a directory, or those below it. Returns how many there
 * are, of any tracer, or a negative errno. */
static int add_below(struct reader *reader, const char *path, int depth)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent **list = NULL;
	char below[PATH_MAX];
	int sum = 0;
	int n, i;

	if (fd < 0)
		return -errno;
	if (!faccessat(fd, "metadata", F_OK, 0)) {
		open_trace(reader, path, fd);
		close(fd);
		return 1;
	}
	n = depth ? scandirat(fd, ".", &list, is_entry, versionsort) : 0;
	close(fd);
	for (i = 0; i < n; i++) {
		size_t bytes = (size_t)snprintf(below, sizeof(below), "%s/%s",
						path, list[i]->d_name);
		int ret = bytes < sizeof(below) ?
			  add_below(reader, below, depth - 1) : 0;

		if (ret < 0 && ret != -ENOTDIR && ret != -ENOENT)
			reader_problem(reader, below, "cannot open it: %s",
				       strerror(-ret));
		sum += ret > 0 ? ret : 0;
		free(list[i]);
	}
	free(list);
	return sum;
}

int reader_add_directory(struct reader *reader, const char *path)
{
	int n = add_below(reader, path, DEPTH_MAX);

	return n ? n : -ENODATA;
}
