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
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "traces/checksum.h"
#include "traces/follow.h"
#include "traces/ledger.h"
#include "traces/unreadable.h"
#include "traces/read/private.h"

#define DEPTH_MAX	32
#define CHANGED		"metadata: its checksum is wrong: it was changed, " \
			"cut short or added to"

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
	*text = strndup(map.address, *right ? bytes : map.bytes);
	file_map_close(&map);
	return *text ? 0 : -ENOMEM;
}

int read_trace(struct trace_class *trace, struct trace_schemas *schemas,
	       const char *text, unsigned int *line)
{
	int ret = trace_class_parse(trace, schemas, text, line);
	struct trace_schema *schema = trace->schema;

	if (ret)
		return ret;
	for (size_t i = 0; i < schema->nevents && !schema->stepped; i++)
		if (schema->events[i] &&
		    steps_make(&schema->memory, schema->events[i]))
			return -ENOMEM;
	schema->stepped = true;
	return trace->context && !trace->context_fixed ? -ENOTSUP : 0;
}

static void tell(struct reader *reader, const char *path, int error,
		 unsigned int line)
{
	if (error == -EBADMSG && line)
		reader_problem(reader, path, "metadata: line %u makes no sense",
			       line);
	else
		reader_problem(reader, path, "metadata: cannot read it: %s",
			       trace_reason(error));
}

/* Finds a trace that is known already. */
static struct trace_class *find(const struct reader *reader, const char *path)
{
	for (size_t i = 0; i < reader->ntraces; i++)
		if (!strcmp(reader->traces[i]->path, path))
			return reader->traces[i];
	return NULL;
}

/* Takes the events of another reading of the metadata that are new. Returns
 * whether there are any. */
static bool add_events(struct trace_class *trace, struct trace_class *other)
{
	size_t n = max_u64(trace->nevents, other->nevents);
	struct event_class **events = class_memory_take(
		&trace->memory, (n + 1) * sizeof(struct event_class *));
	bool any = false;

	if (!events)
		return false;
	memcpy(events, trace->events, trace->nevents *
				      sizeof(struct event_class *));
	for (size_t i = 0; i < other->nevents; i++) {
		if (!other->events[i] || events[i])
			continue;
		events[i] = other->events[i];
		events[i]->shared = false;
		events[i]->number = trace->nclasses++;
		any = true;
	}
	trace->events = events;
	trace->nevents = n;
	class_memory_join(&trace->memory, &other->memory);
	class_memory_join(&trace->memory, &other->schema->memory);
	return any;
}

bool read_trace_more(struct trace_class *trace, const char *text)
{
	struct trace_class other = { 0 };
	unsigned int line;
	bool any = false;

	if (!read_trace(&other, NULL, text, &line) &&
	    other.large == trace->large &&
	    other.context_bytes == trace->context_bytes)
		any = add_events(trace, &other);
	trace_class_free(&other);
	return any;
}

bool read_trace_again(struct trace_class *trace)
{
	char *text = NULL;
	bool right, any = false;
	int fd = open(trace->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && !load(&text, fd, &right))
		any = read_trace_more(trace, text);
	free(text);
	if (fd >= 0)
		close(fd);
	return any;
}

/* Metadata with a checksum is Taffrail's; what is strange in it is damage. */
static int add_foreign(struct reader *reader, const char *path, int fd,
		       const char *text, bool right)
{
	if (!right && strstr(text, METADATA_CHECKSUM_BEFORE)) {
		reader_problem(reader, path, CHANGED);
		return 0;
	}
	/* so are files that no other tracer makes */
	if (!faccessat(fd, "index/ledger", F_OK, 0)) {
		reader_problem(reader, path, "metadata: it is damaged or cut "
					     "short");
		return 0;
	}
	if (reader->foreign)
		return reader->foreign->add(reader, path);
	reader_problem(reader, path, "another tracer wrote this trace");
	return 0;
}

static bool has_stream(const struct reader *reader,
		       const struct trace_class *trace, const char *name)
{
	for (size_t i = 0; i < reader->nstreams; i++)
		if (reader->streams[i]->event.trace == trace &&
		    !strcmp(reader->streams[i]->name, name))
			return true;
	return false;
}

void reader_tell_loss(const struct reader *reader,
		      const struct trace_class *trace, const char *stream,
		      uint64_t events)
{
	struct trace_loss loss = {
		.trace = trace, .stream = stream, .events = events,
		.from = TIME_MIN, .to = TIME_MIN,
	};

	if (events && reader->calls->loss && !reader->quiet)
		reader->calls->loss(&loss, reader->calls->priv);
}

/* Tells of a complete trace what its ledger counts and no file has: streams
 * that are not there, and losses of those that never got a packet. */
static void tell_missing(struct reader *reader, const struct trace_class *trace,
			 int fd)
{
	struct ledger ledger;
	struct ledger_row row;
	const char *at = NULL;

	ledger_open(&ledger, fd, "index/ledger");
	while (ledger_next(&ledger, &at, &row)) {
		if (!strcmp(row.name, "unplaced"))
			reader_tell_loss(reader, trace, NO_BUFFER,
					 row.n[0]);
		if (strncmp(row.name, "stream_", 7) ||
		    has_stream(reader, trace, row.name))
			continue;
		if (row.n[1])
			reader_problem(reader, trace->path, "%s is not there: "
				       "the ledger counts %llu of its events",
				       row.name, (unsigned long long)row.n[1]);
		else
			reader_tell_loss(reader, trace, row.name, row.n[3]);
	}
	ledger_close(&ledger);
}

static int open_trace(struct reader *reader, const char *path, int fd)
{
	struct trace_class *trace = calloc(1, sizeof(*trace));
	unsigned int line = 0;
	bool right = true;
	char *text = NULL;
	int ret = trace ? load(&text, fd, &right) : -ENOMEM;

	if (!ret)
		ret = read_trace(trace, &reader->schemas, text, &line);
	if (!ret)
		ret = read_name(trace, path);
	if (!ret && !right)
		reader_problem(reader, path, CHANGED);
	if (!ret)
		ret = reader_add_trace(reader, trace);
	if (ret) {
		if (ret != -ENOTSUP)
			tell(reader, path, ret, line);
		if (trace)
			trace_class_free(trace);
		free(trace);
	} else {
		ret = read_files_open(reader, trace, false, fd);
		if (ret < 0)
			tell(reader, path, ret, 0);
		else
			tell_missing(reader, trace, fd);
	}
	if (ret == -ENOTSUP)
		ret = add_foreign(reader, path, fd, text, right);
	free(text);
	return ret;
}

static int is_entry(const struct dirent *entry)
{
	return entry->d_name[0] != '.' &&
	       (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN ||
		entry->d_type == DT_LNK);
}

/* A directory, and the one that it was found in. */
struct above {
	const struct above *above;
	dev_t dev;
	ino_t ino;
	int depth;
};

/* Returns whether a directory is too deep, or one of those that it was found
 * in: a symlink leads there. */
static bool is_again(int fd, struct above *here)
{
	const struct above *above = here->above;
	struct stat st;

	if (fstat(fd, &st))
		return true;
	here->dev = st.st_dev;
	here->ino = st.st_ino;
	here->depth = above ? above->depth + 1 : 0;
	for (; above; above = above->above)
		if (above->dev == st.st_dev && above->ino == st.st_ino)
			return true;
	return here->depth > DEPTH_MAX;
}

/* Opens the trace in a directory, or those below it. Returns how many there
 * are, of any tracer, or a negative errno. */
static int add_below(struct reader *reader, const char *path,
		     const struct above *above)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct above here = { .above = above };
	struct dirent **list = NULL;
	char below[PATH_MAX];
	int sum = 0;
	int n, i;

	if (fd < 0)
		return -errno;
	if (!faccessat(fd, "metadata", F_OK, 0)) {
		struct trace_class *known = find(reader, path);

		if (known && !known->foreign)
			read_files_open(reader, known, true, fd);
		else if (!known)
			open_trace(reader, path, fd);
		close(fd);
		return 1;
	}
	n = is_again(fd, &here) ? 0 : scandirat(fd, ".", &list, is_entry,
						versionsort);
	close(fd);
	for (i = 0; i < n; i++) {
		size_t bytes = (size_t)snprintf(below, sizeof(below), "%s/%s",
						path, list[i]->d_name);
		int ret = bytes < sizeof(below) ?
			  add_below(reader, below, &here) : 0;

		if (ret < 0 && ret != -ENOTDIR && ret != -ENOENT)
			reader_problem(reader, below, "cannot open it: %s",
				       strerror(-ret));
		sum += ret > 0 ? ret : 0;
		free(list[i]);
	}
	free(list);
	return sum;
}

/* Tells of traces that the list of a complete directory names, and that are not
 * there, or only in part. */
static void tell_gone(struct reader *reader, const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct ledger list = { 0 };
	char metadata[PATH_MAX];
	char *line, *rest;

	if (fd < 0)
		return;
	ledger_open(&list, fd, TRACE_LIST);
	rest = list.text;
	while (rest && (line = strsep(&rest, "\n"))) {
		if (strncmp(line, "trace ", 6))
			continue;
	reader->recorded = reader->recorded || follow_recorded_at(fd);
		snprintf(metadata, sizeof(metadata), "%s/metadata", line + 6);
		if (faccessat(fd, line + 6, F_OK, 0))
			reader_problem(reader, path, "the trace %s is not "
				       "there", line + 6);
		else if (faccessat(fd, metadata, F_OK, 0))
			reader_problem(reader, path, "the trace %s has no "
				       "metadata", line + 6);
	}
	ledger_close(&list);
	close(fd);
}

int reader_add_directory(struct reader *reader, const char *path)
{
	char **more = reallocarray(reader->paths, reader->npaths + 1,
				   sizeof(*more));
	int n;

	if (!more)
		return -ENOMEM;
	reader->paths = more;
	more[reader->npaths] = strdup(path);
	if (!more[reader->npaths])
		return -ENOMEM;
	reader->npaths++;
	reader->recorded |= follow_recorded(path);
	n = add_below(reader, path, NULL);
	if (n >= 0)
		tell_gone(reader, path);
	if (reader->foreign && reader->foreign->open(reader))
		return -ENOMEM;
	return n ? n : -ENODATA;
}

int reader_find(struct reader *reader)
{
	int ret = 0;

	for (size_t i = 0; i < reader->npaths && ret >= 0; i++)
		ret = add_below(reader, reader->paths[i], NULL);
	return ret == -ENOMEM ? ret : 0;
}
