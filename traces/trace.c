/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes one CTF trace for each process image. trace.h has the tree and the
 * invariants; stream.c has the streams.
 *
 * Order: the session file is replaced before the metadata, and both before a
 * packet with a new event, so that every reader finds the description of an
 * event that it meets.
 */
#include "traces/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/text.h"
#include "buffers/clock.h"
#include "traces/array.h"
#include "traces/checksum.h"
#include "traces/follow.h"
#include "traces/private.h"

#define FILE_NAME_BYTES	64

void trace_set_anchor_now(struct trace_set *set)
{
	struct clock_anchor anchor;

	clock_anchor_take_kind(CLOCK_KIND_TSC, &anchor);
	trace_set_own_anchor(set, CLOCK_KIND_TSC, &anchor);
	clock_anchor_take_kind(CLOCK_KIND_MONOTONIC, &anchor);
	trace_set_own_anchor(set, CLOCK_KIND_MONOTONIC, &anchor);
}

int trace_set_open(struct trace_set *set, const char *path)
{
	static const char digits[] = "0123456789abcdef";
	struct dirent *entry;
	int c, n = 0, ret = 0;
	const char *digit;
	DIR *names;
	FILE *in;

	memset(set, 0, sizeof(*set));
	set->created_s = (uint64_t)time(NULL);
	if (snprintf(set->path, sizeof(set->path), "%s", path) >=
	    (int)sizeof(set->path))
		return -ENAMETOOLONG;
	set->made = !mkdir(path, 0777);
	if (!set->made && errno != EEXIST)
		return -errno;
	set->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	names = set->fd < 0 ? NULL : trace_names(set->fd);
	if (!names)
		ret = -errno;
	while (!ret && (entry = readdir(names)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			ret = -ENOTEMPTY;
	if (names)
		closedir(names);
	if (!ret && faccessat(set->fd, ".", W_OK | X_OK, AT_EACCESS))
		ret = -errno;
	if (ret) {
		if (set->fd >= 0)
			close(set->fd);
		/* the umask may have taken its owner's rights */
		if (set->made)
			rmdir(path);
		return ret;
	}
	/* without the lock no reader can follow; all else works */
	follow_hold(set->fd, FOLLOW_RECORDER);
	/* sixteen bytes in hexadecimal, with hyphens; else they stay zero */
	in = fopen("/proc/sys/kernel/random/boot_id", "re");
	while (in && n < 32 && (c = getc(in)) != EOF) {
		digit = c ? strchr(digits, c) : NULL;
		if (!digit)
			continue;
		set->boot_id[n / 2] = (uint8_t)(set->boot_id[n / 2] << 4 |
						(digit - digits));
		n++;
	}
	if (in)
		fclose(in);
	trace_set_anchor_now(set);
	return 0;
}

/* Writes the metadata, and notes the clock in it. Until the set is final, each
 * call takes an anchor first, so the clock is the best that is known. Returns 0
 * or a negative errno. */
static int fill_metadata(FILE *out, struct trace *trace)
{
	struct metadata metadata = {
		.process = trace->process,
		.session = trace->session,
		.uuid = trace->uuid,
		.created_s = trace->set->created_s,
		.symbols = &trace->symbols,
	};

	if (!trace->set->final)
		trace_set_anchor_now(trace->set);
	trace_set_clock(trace->set, trace->process, &metadata.clock);
	trace->filled = metadata.clock;
	return metadata_write(out, &metadata);
}

/* Copies the metadata of a settled trace, with another clock. Returns 0 or a
 * negative errno; -EILSEQ: another program has changed it. */
static int fill_clock(FILE *out, struct trace *trace)
{
	const uint8_t *boot_id = trace_process(trace)->boot_id;
	char *text = NULL, *before = NULL, *at;
	size_t bytes;
	FILE *part;
	int ret = metadata_load(&text, trace->fd);

	if (ret == -ENODATA || ret == -EPROTO || ret == -EBADMSG)
		ret = -EILSEQ;
	if (ret)
		return ret;
	trace_set_clock(trace->set, trace_process(trace), &trace->filled);
	ret = -ENOMEM;
	part = open_memstream(&before, &bytes);
	if (!part)
		goto free;
	metadata_put_clock(part, trace->clock_kind, boot_id, &trace->written);
	if (fclose(part))
		goto free;
	ret = -EILSEQ;
	at = strstr(text, before);
	if (!at)
		goto free;
	fwrite(text, 1, (size_t)(at - text), out);
	metadata_put_clock(out, trace->clock_kind, boot_id, &trace->filled);
	fputs(at + strlen(before), out);
	ret = fflush(out) || ferror(out) ? -EIO : 0;
free:
	free(before);
	free(text);
	return ret;
}

/* Copies the agent's session file, as far as the metadata describes it. Returns
 * 0; -EBADMSG: the file is shorter than it was; -EIO. */
static int fill_session(FILE *out, struct trace *trace)
{
	const struct session_view *session = trace->session;
	char page[EVENT_RECORDS_OFFSET] = "";
	uint64_t at = 0;
	ssize_t n = 1;

	memcpy(page, &session->page, sizeof(session->page));
	fwrite(page, sizeof(page), 1, out);
	for (; at < session->parsed && n > 0; at += (uint64_t)n) {
		n = pread(session->map.fd, page,
			  min_u64(sizeof(page), session->parsed - at),
			  (off_t)(EVENT_RECORDS_OFFSET + at));
		if (n > 0)
			fwrite(page, (size_t)n, 1, out);
	}
	if (n <= 0)
		return -EBADMSG;
	return fflush(out) || ferror(out) ? -EIO : 0;
}

/* Replaces a file as a whole, or leaves the old one. `fill` makes the new file
 * in memory, so that room is made for its size before it is written. It is
 * written under another name first, and a reader sees the old text or the new
 * one. `size` is the old size, and becomes the new one. Returns 0 or a negative
 * errno. */
static int replace_file(struct trace *trace, const char *name,
			int (*fill)(FILE *out, struct trace *trace),
			uint64_t *size)
{
	char temporary[FILE_NAME_BYTES];
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	int ret;

	if (!out)
		return -ENOMEM;
	ret = fill(out, trace);
	if (fclose(out) && !ret)
		ret = -ENOMEM;
	if (!ret && fill != fill_session)
		ret = checksum_append(&text, &bytes, METADATA_CHECKSUM_BEFORE,
				      METADATA_CHECKSUM_AFTER);
	if (ret)
		goto free;
	if (fill == fill_session)
		trace->session_sum = checksum_bytes(0, text, bytes);
	trace_limit_room(trace->set, bytes);
	/* not beside the streams: a reader would take it for one */
	snprintf(temporary, sizeof(temporary), "index/%s.new",
		 text_file_name(name));
	ret = trace_write_file(trace->fd, temporary, text, bytes);
	if (!ret && renameat(trace->fd, temporary, trace->fd, name))
		ret = -errno;
	if (ret) {
		unlinkat(trace->fd, temporary, 0);
		goto free;
	}
	trace_limit_replaced(trace->set, *size, bytes);
	*size = bytes;
	if (fill != fill_session)
		trace->written = trace->filled;
free:
	free(text);
	return ret;
}

/*
 * Appends the processes that have joined since to METADATA_MEMBERS, so a reader
 * knows the name of each process whose events it meets, and the metadata need
 * not be written again for each. The final metadata has those that have
 * written. Returns 0 or a negative errno.
 */
static int members_name(struct trace *trace)
{
	uint64_t given = min_u64(session_view_given(trace->session),
				 SHARED_MEMBERS);
	struct member_view member = { .number = trace->named_all };
	char row[96];
	int fd, n, ret = 0;

	if (trace->named_all >= given)
		return 0;
	if (!trace->named)
		trace->named = calloc(1, SHARED_MEMBERS / 8 + 1);
	if (!trace->named)
		return -ENOMEM;
	fd = openat(trace->fd, METADATA_MEMBERS,
		    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	while (!ret && session_view_member(trace->session, &member)) {
		uint8_t *byte = &trace->named[member.number / 8];

		if (*byte & 1 << member.number % 8)
			continue;
		n = snprintf(row, sizeof(row), "%u %u %llu %s", member.number,
			     member.pid, (unsigned long long)member.starttime,
			     member.name) + 1;
		trace_limit_room(trace->set, (uint64_t)n);
		if (write(fd, row, (size_t)n) != n)
			ret = -EIO;
		trace_limit_replaced(trace->set, trace->named_bytes,
				     trace->named_bytes + (uint64_t)n);
		trace->named_bytes += (uint64_t)n;
		*byte |= (uint8_t)(1 << member.number % 8);
	}
	/* one that was killed while it joined stays without a name */
	while (trace->named_all < given &&
	       trace->named[(trace->named_all + 1) / 8] &
		       1 << (trace->named_all + 1) % 8)
		trace->named_all++;
	close(fd);
	return ret;
}

int trace_update(struct trace *trace)
{
	int ret = members_name(trace);

	if (ret)
		return trace_failed(trace, ret);
	if (trace->described == trace->session->parsed)
		return 0;
	ret = replace_file(trace, "index/session", fill_session,
			   &trace->session_bytes);
	if (!ret)
		ret = replace_file(trace, "metadata", fill_metadata,
				   &trace->metadata_bytes);
	if (ret)
		return trace_failed(trace, ret);
	trace->described = trace->session->parsed;
	return 0;
}

int trace_open(struct trace **result, struct trace_set *set,
	       const struct process_page *process,
	       struct session_view *session, const uint8_t *uuid)
{
	struct trace *trace = calloc(1, sizeof(*trace));
	int ret = -ENOMEM;

	if (!trace)
		return ret;
	trace->set = set;
	trace->fd = -1;
	trace->ledger = -1;
	trace->process = malloc(sizeof(*process));
	if (!trace->process) {
		free(trace);
		return ret;
	}
	*trace->process = *process;
	trace->clock_kind = process->clock_kind;
	trace->session = session;
	/* no number of bytes: trace_update() writes both files at first */
	trace->described = ~0ull;
	memcpy(trace->uuid, uuid, sizeof(trace->uuid));
	/* first the anchors, as they are part of the fit */
	trace_set_anchors(set, process);
	trace_set_clock(set, process, &trace->clock);
	trace_limit_room(set, 3 * TRACE_BLOCK_BYTES + LEDGER_ROOM_BYTES);
	ret = trace_make_directory(trace);
	if (!ret)
		ret = trace_update(trace);
	if (!ret && !array_grow(&set->traces, set->ntraces, sizeof(trace)))
		ret = -ENOMEM;
	if (ret) {
		/* the room that its files took is given back as well */
		trace_set_failed(set, ret);
		trace_remove_directory(trace);
		trace_limit_replaced(set, trace->session_bytes, 0);
		trace_limit_replaced(set, trace->metadata_bytes, 0);
		free(trace->process);
		free(trace->named);
		free(trace);
		return ret;
	}
	set->traces[set->ntraces++] = trace;
	/* the directories and the ledger, which trace_go() of limit.c frees */
	set->used += 2 * TRACE_BLOCK_BYTES + LEDGER_ROOM_BYTES;
	*result = trace;
	return 0;
}

bool trace_settle(struct trace *trace)
{
	struct trace_set *set = trace->set;
	uint32_t row = trace->clock_kind - 1;

	if (trace->fd >= 0 || !trace->process || row >= TRACE_KINDS ||
	    memcmp(trace->process->boot_id, set->boot_id, 16))
		return !trace->process;
	/* the first page of a kind stays: it stands for all of that clock */
	if (set->typical[row])
		free(trace->process);
	else
		set->typical[row] = trace->process;
	trace->process = NULL;
	trace->session = NULL;
	return true;
}

int trace_set_finish(struct trace_set *set)
{
	struct trace *trace;
	int ret;

	/* once, so all traces get the same clock */
	trace_set_anchor_now(set);
	set->final = true;
	for (size_t i = 0; i < set->ntraces; i++) {
		trace = set->traces[i];
		if (trace->gone)
			continue;
		/* only the metadata changes: the trace stays readable if this
		 * fails */
		trace->fd = trace_directory(trace);
		if (trace->fd < 0) {
			trace_set_failed(set, trace->fd);
			continue;
		}
		ret = replace_file(trace, "metadata",
				   trace->process ? fill_metadata : fill_clock,
				   &trace->metadata_bytes);
		if (!ret && !unlinkat(trace->fd, METADATA_MEMBERS, 0))
			trace_limit_replaced(set, trace->named_bytes, 0);
		close(trace->fd);
		trace->fd = -1;
		trace_set_failed(set, ret);
	}
	/* for the list; may remove traces, which the ledger then counts */
	trace_limit_room(set, set->ntraces * NAME_MAX);
	trace_set_failed(set, trace_limit_tell(set));
	trace_list_write(set);
	follow_end(set->fd);
	return set->error;
}

void trace_set_close(struct trace_set *set)
{
	for (size_t i = 0; i < set->ntraces; i++) {
		/* after an error the recorder may not have come to it */
		if (set->traces[i]->fd >= 0)
			trace_finish(set->traces[i], false);
		trace_free_streams(set->traces[i]);
		symbols_free(&set->traces[i]->symbols);
		free(set->traces[i]->losses);
		free(set->traces[i]->named);
		free(set->traces[i]->process);
		free(set->traces[i]);
	}
	for (size_t i = 0; i < TRACE_KINDS; i++)
		free(set->typical[i]);
	trace_limit_free(set);
	free(set->traces);
	set->traces = NULL;
	set->ntraces = 0;
	close(set->fd);
	if (set->made)
		rmdir(set->path);	/* fails unless it is empty */
}

const char *trace_lost_least(const struct trace_set *set)
{
	return set->cut || set->gone_rings ? "at least " : "";
}
