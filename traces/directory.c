/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes and removes the directory of a trace, writes the ledger, and keeps the
 * first failure of a set.
 *
 * Invariant: a ledger is made in memory and written at once, into room that was
 * set aside for it, so a full disk leaves no half of one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/base.h"
#include "traces/checksum.h"
#include "traces/ledger.h"
#include "traces/private.h"

#define NAMES_TRIED_MAX	100000

void trace_set_failed(struct trace_set *set, int error)
{
	if (!set->error)
		set->error = error;
}

int trace_failed(struct trace *trace, int error)
{
	trace_set_failed(trace->set, error);
	return error;
}

/* Copies a name without blanks, slashes and control characters, which makes no
 * hidden directory. */
static void plain_name(char name[PROCESS_NAME_BYTES], const char *text)
{
	snprintf(name, PROCESS_NAME_BYTES, "%s", *text ? text : "unknown");
	for (size_t i = 0; name[i]; i++)
		if ((unsigned char)name[i] <= ' ' || name[i] == '/' ||
		    name[i] == 0x7f || (name[i] == '.' && !i))
			name[i] = '_';
}

int trace_make_directory(struct trace *trace)
{
	const struct process_page *process = trace->process;
	char proc[PROCESS_NAME_BYTES], host[PROCESS_NAME_BYTES];
	char base[NAME_MAX - 16];

	plain_name(proc, process->procname);
	plain_name(host, process->hostname);
	if (session_view_shared(trace->session))
		snprintf(base, sizeof(base), "%s@%s", trace->session->page.name,
			 host);
	else
		snprintf(base, sizeof(base), "%s-%u-%llu", proc, process->pid,
			 (unsigned long long)process->starttime);
	snprintf(trace->name, sizeof(trace->name), "%s", base);
	for (int n = 2; mkdirat(trace->set->fd, trace->name, 0777); n++) {
		if (errno != EEXIST || n > NAMES_TRIED_MAX)
			return -errno;
		snprintf(trace->name, sizeof(trace->name), "%s-%d", base, n);
	}
	trace->fd = openat(trace->set->fd, trace->name,
			   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* O_NOFOLLOW: another program may have put a link in the place */
	if (trace->fd < 0 || mkdirat(trace->fd, "index", 0777))
		return -errno;
	trace->ledger = openat(trace->fd, "index/ledger",
			       O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (trace->ledger < 0)
		return -errno;
	/* the ledger can then be written when the disk is full */
	fallocate(trace->ledger, FALLOC_FL_KEEP_SIZE, 0, LEDGER_ROOM_BYTES);
	return 0;
}

int trace_directory(const struct trace *trace)
{
	int fd = trace->fd >= 0 ? fcntl(trace->fd, F_DUPFD_CLOEXEC, 3) :
		 openat(trace->set->fd, trace->name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

DIR *trace_names(int fd)
{
	int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *names = again < 0 ? NULL : fdopendir(again);

	if (!names && again >= 0)
		close(again);
	return names;
}

void trace_remove_directory(struct trace *trace)
{
	if (trace->fd >= 0) {
		unlinkat(trace->fd, "metadata", 0);
		unlinkat(trace->fd, "index/session", 0);
		unlinkat(trace->fd, "index/ledger", 0);
		unlinkat(trace->fd, METADATA_MEMBERS, 0);
		unlinkat(trace->fd, "index", AT_REMOVEDIR);
		close(trace->fd);
	}
	if (trace->ledger >= 0)
		close(trace->ledger);
	trace->fd = -1;
	trace->ledger = -1;
	unlinkat(trace->set->fd, trace->name, AT_REMOVEDIR);
}

void trace_idx_name(const char *file, const char *suffix, char *name,
		    size_t room)
{
	snprintf(name, room, "index/%s.idx%s", file, suffix);
}

int trace_write_all(int fd, struct iovec *iov, int n, uint64_t offset)
{
	while (n) {
		ssize_t done = pwritev(fd, iov, n, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		/* no byte at all: the disk is full, and a loop would not end */
		if (done <= 0)
			return done ? -errno : -ENOSPC;
		offset += (uint64_t)done;
		while (n && (size_t)done >= iov->iov_len) {
			done -= (ssize_t)iov->iov_len;
			iov++;
			n--;
		}
		if (n) {
			iov->iov_base = (char *)iov->iov_base + done;
			iov->iov_len -= (size_t)done;
		}
	}
	return 0;
}

int trace_write_at(int fd, const void *data, size_t bytes, uint64_t offset)
{
	struct iovec iov = { (void *)data, bytes };

	return trace_write_all(fd, &iov, 1, offset);
}

int trace_write_file(int dirfd, const char *name, const char *text,
		     size_t bytes)
{
	int fd = openat(dirfd, name,
			O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
			0666);
	int ret = fd < 0 ? -errno : trace_write_at(fd, text, bytes, 0);

	if (fd >= 0 && close(fd) && !ret)
		ret = -errno;
	return ret;
}

/*
 * Writes the ledger: the rows of all streams, then the counts that belong to no
 * stream. Or, if there is an `old` one, that with the new number of events that
 * were lost before any ring. Returns 0 or -errno.
 */
static int ledger_write(struct trace *trace, const char *old)
{
	static const char unplaced[] = "\nunplaced ";
	const char *at = old ? strstr(old, unplaced) : NULL;
	const char *rest = at ? strchr(at + 1, '\n') : NULL;
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	int ret;

	if (!out)
		return -ENOMEM;
	if (rest) {
		fwrite(old, 1, (size_t)(at - old), out);
		fprintf(out, "%s%llu%s", unplaced,
			(unsigned long long)trace->unplaced, rest);
	}
	if (!old)
		fputs("# stream emitted kept overwritten lost\n", out);
	for (size_t i = 0; !old && i < trace->nstreams; i++) {
		const struct trace_stream *stream = trace->streams[i];

		fprintf(out, "%s %llu %llu %llu %llu", stream->name,
			(unsigned long long)stream->emitted,
			(unsigned long long)stream->kept,
			(unsigned long long)stream->overwritten,
			(unsigned long long)stream->lost);
		/* no packet says up to when events are missing */
		if (stream->dropped && !stream->kept)
			fprintf(out, " %llu", (unsigned long long)
				max_u64(stream->last.timestamp_end,
					stream->refused_end));
		putc('\n', out);
	}
	for (size_t i = 0; !old && i < trace->nlosses; i++)
		fprintf(out, LEDGER_PROCESS "%u %llu %u\n",
			trace->losses[i].number,
			(unsigned long long)trace->losses[i].lost,
			trace->losses[i].pid);
	if (!old)
		fprintf(out, "unplaced %llu\noversize %llu\nsession %llu\n",
			(unsigned long long)trace->unplaced,
			(unsigned long long)trace->oversize,
			(unsigned long long)trace->session_sum);
	if (!old && trace->lost_calls)
		fprintf(out, LEDGER_CALLS " %llu\n",
			(unsigned long long)trace->lost_calls);
	ret = fclose(out) ? -ENOMEM :
	      checksum_append(&text, &bytes, LEDGER_CHECKSUM, "");
	if (!ret)
		ret = trace_write_at(trace->ledger, text, bytes, 0);
	/* the room behind the text is given back; an old one may be longer */
	if (!ret && ftruncate(trace->ledger, (off_t)bytes))
		ret = -errno;
	free(text);
	return ret;
}

int trace_ledger_write(struct trace *trace)
{
	return ledger_write(trace, NULL);
}

int trace_ledger_raise(struct trace *trace)
{
	int directory = trace_directory(trace);
	struct ledger old;
	int ret = -EBADMSG;

	if (directory < 0)
		return directory;
	ledger_open(&old, directory, "index/ledger");
	trace->ledger = openat(directory, "index/ledger",
			       O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	if (trace->ledger < 0)
		ret = -errno;
	else if (old.text)
		ret = ledger_write(trace, old.text);
	if (trace->ledger >= 0)
		close(trace->ledger);
	trace->ledger = -1;
	ledger_close(&old);
	close(directory);
	return ret;
}

void trace_free_streams(struct trace *trace)
{
	for (size_t i = 0; i < trace->nstreams; i++)
		free(trace->streams[i]);
	free(trace->streams);
	trace->streams = NULL;
	trace->nstreams = 0;
}
