/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the traces below a directory, and opens them.
 *
 * Invariant: damage is reported and never ends the search, so one bad trace
 * hides no other one. A directory is opened once, by whatever path it is found:
 * its streams would give each event twice.
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
#include "traces/array.h"
#include "traces/checksum.h"
#include "traces/follow.h"
#include "traces/ledger.h"
#include "traces/read/private.h"

#define DEPTH_MAX	32
#define CHANGED		"metadata: its checksum is wrong: it was changed, " \
			"cut short or added to"

/* Reads the metadata without its checksum; *right tells whether the checksum
 * agrees, *whole how long the file is. Metadata with a wrong one, or with none,
 * is given whole: another tracer may have written it. The caller frees the
 * text. Returns 0 or a negative errno. */
static int metadata_read(char **text, int fd, bool *right, uint64_t *whole)
{
	struct file_map map;
	size_t bytes;
	int ret = file_map_open(&map, fd, "metadata", 1, 0);

	if (ret)
		return ret;
	*whole = bytes = map.bytes;
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
	/* once for all traces that share the schema */
	schema->stepped = true;
	return trace->context && !trace->context_fixed ? -ENOTSUP : 0;
}

/* Reports why a trace cannot be read. Line 0: the error is not in the text. */
static void trace_unread(struct reader *reader, const char *path, int error,
		 unsigned int line)
{
	if (error == -EBADMSG && line)
		reader_problem(reader, path, "metadata: line %u makes no sense",
			       line);
	else
		reader_problem(reader, path, "metadata: cannot read it: %s",
			       trace_reason(error));
}

/* Returns whether a path leads to a file now. */
static bool leads_to(const char *path, const struct stat *st)
{
	struct stat there;

	return !stat(path, &there) && there.st_dev == st->st_dev &&
	       there.st_ino == st->st_ino;
}

/* Adds a directory. The path is copied, and lives as long as the reader.
 * Returns NULL without memory. The place moves when another is added. */
static struct read_place *add_place(struct reader *reader, const char *path,
				    int fd)
{
	struct read_place *place;
	struct stat st = { 0 };

	if (!array_grow(&reader->places, reader->nplaces, sizeof(*place)))
		return NULL;
	place = &reader->places[reader->nplaces];
	*place = (struct read_place){ .path = strdup(path) };
	if (!place->path)
		return NULL;
	if (!fstat(fd, &st)) {
		place->dev = st.st_dev;
		place->ino = st.st_ino;
	}
	reader->nplaces++;
	return place;
}

/*
 * Finds the trace of which another directory has a part, or a copy. Chunks of
 * one recording have one uuid, as copies have. Snapshots of one session are
 * parts of a trace, unless a later session had the name: they have the first
 * half of the process's uuid (command/record/consumer.c). No event of two parts
 * has other words in the other one. Returns NULL if there is none.
 */
static struct trace_class *find_same(struct reader *reader,
				     const struct read_place *place, int fd)
{
	const struct trace_class *trace = place->trace;

	for (size_t i = 0; i < reader->nplaces; i++) {
		struct trace_class *other = reader->places[i].trace;
		size_t n, k;

		if (!other || other->kind != trace->kind ||
		    other->context_bytes != trace->context_bytes)
			continue;
		n = min_u64(other->nevents, trace->nevents);
		for (k = 0; k < n; k++) {
			const struct event_class *a = other->events[k];
			const struct event_class *b = trace->events[k];

			if (a && b && (strcmp(a->name, b->name) ||
				       a->fields->nmembers !=
					       b->fields->nmembers))
				break;
		}
		if (k < n)
			continue;
		if (!memcmp(other->uuid, trace->uuid, 16) ||
		    (!memcmp(other->uuid, trace->uuid, 8) &&
		     other->vpid == trace->vpid &&
		     other->starttime == trace->starttime && *other->session &&
		     !strcmp(other->session, trace->session) &&
		     !strcmp(other->hostname, trace->hostname) &&
		     read_files_agree(reader, place, other, fd)))
			return other;
	}
	return NULL;
}

/* Lets a process that shares the trace know all classes. */
static void members_learn(struct trace_class *trace, unsigned long number)
{
	for (size_t i = 0; i < trace->nmembers; i++)
		if (trace->members[i].number == number &&
		    trace->members[i].trace)
			member_learn(trace->members[i].trace);
}

bool read_trace_more(struct trace_class *trace, const char *text)
{
	struct trace_class other = { 0 };
	struct event_class **events;
	unsigned int line;
	bool any = false;
	size_t n;

	if (read_trace(&other, NULL, text, &line) ||
	    other.kind != trace->kind ||
	    other.context_bytes != trace->context_bytes)
		goto free;
	n = max_u64(trace->nevents, other.nevents);
	events = class_memory_take(&trace->memory, (n + 1) * sizeof(*events));
	if (!events)
		goto free;
	memcpy(events, trace->events, trace->nevents * sizeof(*events));
	for (size_t i = 0; i < other.nevents; i++) {
		if (!other.events[i] || events[i] ||
		    (trace->writers && i == cursor_writer_id(trace->kind)))
			continue;
		events[i] = other.events[i];
		events[i]->shared = false;
		events[i]->number = trace->nclasses++;
		any = true;
	}
	trace->events = events;
	trace->nevents = n;
	/* no event of such a class comes, and makes it known */
	for (size_t i = 0; i < other.nevents; i++)
		if (other.events[i] && other.events[i] == events[i] &&
		    events[i]->ended)
			members_learn(trace, strtoul(events[i]->ended, NULL,
						     10));
	for (size_t i = 0; i < other.nmembers; i++) {
		struct trace_member *known =
			trace_member_add(trace, other.members[i].number);

		if (known && !known->trace)
			*known = other.members[i];
	}
	/* the events stay where they are */
	class_memory_join(&trace->memory, &other.memory);
	class_memory_join(&trace->memory, &other.schema->memory);
free:
	trace_class_free(&other);
	return any;
}

bool read_trace_again(struct trace_class *trace)
{
	char *text = NULL;
	bool right, any = false;
	uint64_t bytes;
	int fd = open(trace->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && !metadata_read(&text, fd, &right, &bytes))
		any = read_trace_more(trace, text);
	free(text);
	if (fd >= 0)
		close(fd);
	return any;
}

void read_members_again(struct trace_class *trace)
{
	char path[PATH_MAX], *row = NULL;
	struct trace_member *member;
	size_t room = 0;
	ssize_t bytes;
	FILE *in;
	int skip;

	snprintf(path, sizeof(path), "%s/" METADATA_MEMBERS, trace->path);
	in = fopen(path, "re");
	if (!in)
		return;
	fseek(in, trace->members_read, SEEK_SET);
	/* the recorder may be writing the last one */
	while ((bytes = getdelim(&row, &room, '\0', in)) > 0 &&
	       !row[bytes - 1]) {
		skip = 0;
		trace->members_read += bytes;
		sscanf(row, "%*u %n", &skip);
		member = trace_member_add(trace, (uint32_t)strtoul(row, NULL,
								   10));
		if (member && !member->trace && skip)
			trace_member_take(member, row + skip);
	}
	free(row);
	fclose(in);
}

/* Gives a trace that has no meaning here to the reader of other tracers'
 * traces. Metadata with a checksum is Taffrail's, and a word in it that
 * Taffrail does not write is damage, unless the checksum is right. Returns 0 or
 * -ENOMEM; all else is reported. */
static int add_foreign(struct reader *reader, const char *path, int fd,
		       const char *text, bool right)
{
	if (!right && strstr(text, METADATA_CHECKSUM_BEFORE)) {
		reader_problem(reader, path, CHANGED);
		return 0;
	}
	/* so are files that no other tracer makes; but a later Taffrail may
	 * have written metadata that is as it was */
	if (!right && !faccessat(fd, "index/ledger", F_OK, 0)) {
		reader_problem(reader, path, "metadata: it is damaged or cut "
					     "short");
		return 0;
	}
	if (reader->foreign)
		return add_place(reader, path, fd) ?
		       reader->foreign->add(reader, path) : -ENOMEM;
	reader_problem(reader, path, "another tracer wrote this trace");
	return 0;
}

/* Tells a loss. */
static void loss_tell(const struct reader *reader,
		      const struct trace_class *trace, const char *stream,
		      uint64_t events, bool calls)
{
	struct trace_loss loss = {
		.trace = trace, .stream = stream, .events = events,
		.calls = calls, .from = TIME_MIN, .to = TIME_MIN,
	};

	if (events && reader->calls->loss && !reader->quiet)
		reader->calls->loss(&loss, reader->calls->priv);
}

void reader_tell_loss(const struct reader *reader,
		      const struct trace_class *trace, const char *stream,
		      uint64_t events)
{
	loss_tell(reader, trace, stream, events, false);
}

void reader_tell_unplaced(const struct reader *reader,
			  const struct trace_class *trace, uint64_t events,
			  uint64_t calls)
{
	calls = min_u64(calls, events);
	loss_tell(reader, trace, NO_BUFFER, events - calls, false);
	loss_tell(reader, trace, NO_BUFFER, calls, true);
}

/*
 * Reports, of a complete directory, events that the ledger counts and no file
 * has: streams that are missing, losses of streams that never got a packet, and
 * events without a buffer that no earlier directory of the trace has reported,
 * as a later snapshot counts the events of an earlier one again.
 */
static void tell_missing(struct reader *reader, struct read_place *place,
			 int fd)
{
	struct trace_class *trace = place->trace;
	const struct read_place *end = reader->places + reader->nplaces;
	const struct read_place *p;
	struct ledger ledger;
	struct ledger_row row, calls;
	uint64_t told, told_calls;
	const char *at = NULL;
	size_t i;

	ledger_open(&ledger, fd, "index/ledger");
	if (ledger.text)
		place->ledger = checksum_bytes(1, ledger.text,
					       strlen(ledger.text));
	/* a copy says nothing new */
	for (p = reader->places; p < end && ledger.text; p++)
		if (p != place && p->trace == trace &&
		    p->ledger == place->ledger)
			ledger_close(&ledger);
	while (ledger.text && ledger_next(&ledger, &at, &row)) {
		if (!strcmp(row.name, "unplaced")) {
			ledger_find(&ledger, LEDGER_CALLS, &calls);
			told = told_calls = 0;
			for (p = reader->places; p < end; p++) {
				if (p->trace != trace)
					continue;
				told = max_u64(told, p->unplaced);
				told_calls = max_u64(told_calls, p->calls);
			}
			place->unplaced = row.n[0];
			place->calls = calls.n[0];
			if (row.n[0] > told)
				reader_tell_unplaced(reader, trace,
						     row.n[0] - told,
						     calls.n[0] - min_u64(
							     told_calls,
							     calls.n[0]));
		}
		for (i = 0; i < reader->nstreams; i++)
			if (reader->streams[i]->trace == trace &&
			    !strcmp(reader->streams[i]->name, row.name))
				break;
		if (strncmp(row.name, "stream_", 7) || i < reader->nstreams)
			continue;
		if (row.n[1])
			reader_problem(reader, trace->path, "%s is not there: "
				       "the ledger counts %llu of its events",
				       row.name, row.n[1]);
		else
			reader_tell_loss(reader, trace, row.name, row.n[3]);
		/* --max-size has removed the stream as a whole */
		if (!row.n[1] && row.n[2] && row.n[4])
			gaps_add(&trace->gaps, INT64_MIN,
				 clock_time(&trace->clock,
					    clock_base(&trace->clock),
					    row.n[4]) + 1);
	}
	ledger_close(&ledger);
}

/*
 * Opens a trace and its streams; or, of a trace that is known by another
 * directory, the streams of this part. Damage is reported, not returned: other
 * traces of the directory are read. Returns 0 or a negative errno.
 */
static int open_trace(struct reader *reader, const char *path, int fd)
{
	struct trace_class *trace = calloc(1, sizeof(*trace)), *same = NULL;
	struct read_place here = { .path = (char *)path, .trace = trace };
	struct read_place *place;
	unsigned int line = 0;
	char *text = NULL;
	bool right = true;
	uint64_t bytes = 0;
	int ret = trace ? metadata_read(&text, fd, &right, &bytes) : -ENOMEM;

	if (!ret)
		ret = read_trace(trace, &reader->schemas, text, &line);
	if (!ret && !right)
		reader_problem(reader, path, CHANGED);
	reader->recorded = reader->recorded || follow_recorded_at(fd);
	if (!ret) {
		memcpy(here.uuid, trace->uuid, sizeof(here.uuid));
		same = find_same(reader, &here, fd);
		place = add_place(reader, path, fd);
		if (!place || (!same && (read_name(trace, path) ||
					 reader_add_trace(reader, trace))))
			ret = -ENOMEM;
	}
	if (ret) {
		if (ret != -ENOTSUP)
			trace_unread(reader, path, ret, line);
		if (trace)
			trace_class_free(trace);
		free(trace);
	} else {
		place->trace = same ? same : trace;
		memcpy(place->uuid, here.uuid, sizeof(place->uuid));
		place->metadata_bytes = bytes;
		if (same) {
			read_trace_more(same, text);
			trace_class_free(trace);
			free(trace);
		}
		ret = read_files_open(reader, place, same, fd);
		if (ret < 0)
			trace_unread(reader, path, ret, 0);
		else
			tell_missing(reader, place, fd);
		/* of a recorder that was killed, or is at work */
		if (place->trace->shared)
			read_members_again(place->trace);
	}
	if (ret == -ENOTSUP)
		ret = add_foreign(reader, path, fd, text, right);
	free(text);
	return ret;
}

/* Filter of scandirat(): directories, and entries that may be ones. A hidden
 * directory is no part of a recording. */
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
 * in: a symlink leads there. Sets *here to the directory. */
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

/* Looks for new streams of a trace, and reads metadata that has grown: no event
 * tells that terms have ended. */
static void open_again(struct reader *reader, struct read_place *place, int fd)
{
	uint64_t bytes = place->metadata_bytes;
	char *text = NULL;
	struct stat st;
	bool right;

	if (!fstatat(fd, "metadata", &st, 0) && (uint64_t)st.st_size != bytes &&
	    !metadata_read(&text, fd, &right, &place->metadata_bytes))
		read_trace_more(place->trace, text);
	free(text);
	read_files_open(reader, place, true, fd);
}

/* Opens the trace in a directory, or those below it. Returns how many there
 * are, of any tracer, or a negative errno. Of a trace that is known by this
 * path, it looks for new streams; one that is known by another path is left.
 * The inode number alone is no proof for that: the number of a removed
 * directory may be used again. A directory below that goes away meanwhile is no
 * problem. */
static int add_below(struct reader *reader, const char *path,
		     const struct above *above)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct above here = { .above = above };
	struct dirent **list = NULL;
	struct read_place *known, *end;
	char below[PATH_MAX];
	struct stat st;
	int sum = 0;
	int n;
	bool any;

	if (fd < 0)
		return -errno;
	if (!faccessat(fd, "metadata", F_OK, 0)) {
		any = !fstat(fd, &st);
		end = reader->places + reader->nplaces;
		for (known = reader->places; known < end; known++)
			if (!strcmp(known->path, path) ||
			    (any && known->dev == st.st_dev &&
			     known->ino == st.st_ino &&
			     leads_to(known->path, &st)))
				break;
		if (known == end)
			open_trace(reader, path, fd);
		else if (known->trace && !strcmp(known->path, path))
			open_again(reader, known, fd);
		close(fd);
		return 1;
	}
	n = is_again(fd, &here) ? 0 : scandirat(fd, ".", &list, is_entry,
						versionsort);
	close(fd);
	for (int i = 0; i < n; i++) {
		size_t bytes = (size_t)snprintf(below, sizeof(below), "%s/%s",
						path, list[i]->d_name);
		int ret = bytes < sizeof(below) ?
			  add_below(reader, below, &here) : 0;

		if (ret < 0 && ret != -ENOTDIR && ret != -ENOENT)
			reader_problem(reader, below, "cannot open it: %s",
				       trace_words(-ret));
		sum += ret > 0 ? ret : 0;
		free(list[i]);
	}
	free(list);
	return sum;
}

/* Tells of traces that the list of a complete directory names, and that are not
 * there, or only in part. Without a list, as while it is recorded, it tells
 * nothing. */
static void tell_gone(struct reader *reader, const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct ledger list = { 0 };
	char metadata[PATH_MAX], *line, *rest;

	if (fd < 0)
		return;
	ledger_open(&list, fd, TRACE_LIST);
	rest = list.text;
	while (rest && (line = strsep(&rest, "\n"))) {
		if (strncmp(line, "trace ", 6))
			continue;
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
	char *copy = strdup(path);
	bool again = false;
	struct stat st;
	int n;

	/* by this path or another */
	for (size_t i = 0; i < reader->npaths && !stat(path, &st); i++)
		again |= leads_to(reader->paths[i], &st);
	if (!copy || !array_grow(&reader->paths, reader->npaths,
				 sizeof(copy))) {
		free(copy);
		return -ENOMEM;
	}
	reader->paths[reader->npaths++] = copy;
	reader->recorded |= follow_recorded(path);
	n = add_below(reader, path, NULL);
	if (n >= 0 && !again)
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
