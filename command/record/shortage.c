/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Says what a lack of room in the runtime directory has cost. See shortage.h.
 */
#include "command/record/shortage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/base.h"
#include "base/tunables.h"
#include "command/common/counted.h"

const char *shortage_size(char text[SHORTAGE_SIZE_BYTES], uint64_t bytes)
{
	uint64_t k = (bytes + 1023) / 1024;

	if (k >= 10240)
		snprintf(text, SHORTAGE_SIZE_BYTES, "%" PRIu64 "M",
			 (k + 1023) / 1024);
	else
		snprintf(text, SHORTAGE_SIZE_BYTES, "%" PRIu64 "K", k);
	return text;
}

void shortage_look(struct shortage *shortage, int fd)
{
	bool first = !shortage->free && !shortage->files;
	struct statvfs fs;
	uint64_t bytes;

	if (fstatvfs(fd, &fs))
		return;
	bytes = fs.f_bavail * (uint64_t)fs.f_frsize;
	if (first || bytes < shortage->free)
		shortage->free = bytes;
	if (first || fs.f_favail < shortage->files)
		shortage->files = fs.f_favail;
}

void shortage_orphans(struct shortage *shortage, uint32_t orphans, int error)
{
	shortage->orphans += orphans;
	if (orphans)
		shortage->orphan_error = error;
}

void shortage_take(struct shortage *shortage, const struct session_page *page,
		   int fd)
{
	bool smaller = page->ring_bytes < page->asked_bytes;

	shortage_orphans(shortage, page->orphans, page->orphan_error);
	if (page->roomless) {
		shortage->roomless++;
		shortage->error = (int)page->roomless;
	} else if (smaller) {
		shortage->smaller++;
		shortage->error = page->small_error;
	}
	if (!page->roomless && !smaller)
		return;
	if (shortage->asked < page->asked_bytes)
		shortage->asked = page->asked_bytes;
	if (!shortage->least || shortage->least > page->ring_bytes)
		shortage->least = page->ring_bytes;
	shortage_look(shortage, fd);
}

uint64_t shortage_needed(uint64_t buffer)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t spare;

	if (!buffer)
		buffer = RING_DEFAULT_MAX_BYTES;
	spare = min_u64(buffer, LOCKED_SPARE_BYTES);
	return (uint64_t)(cpus > 0 ? cpus : 1) * (buffer + RING_DATA_OFFSET) +
	       LOCKED_AHEAD * (spare + RING_DATA_OFFSET) + RECORDS_MIN_BYTES +
	       EVENT_RECORDS_OFFSET + sizeof(struct process_page);
}

long shortage_files(void)
{
	return sysconf(_SC_NPROCESSORS_CONF) + LOCKED_AHEAD + 5;
}

/* Fills in what there is too little of, and what a process needs; of a forked
 * child what else may keep it from making its files. */
static void reason_fill(struct cause *cause, const struct shortage *s,
			int error, const char *directory)
{
	char is[SHORTAGE_SIZE_BYTES], wanted[SHORTAGE_SIZE_BYTES], text[256];

	shortage_size(wanted, shortage_needed(s->asked));
	switch (error) {
	case EDQUOT:
		cause_set(cause, 0, ROOM_QUOTA, .path = directory,
			  .text = wanted);
		break;
	case EFBIG:
		cause_set(cause, 0, ROOM_FILE_SIZE, .path = directory);
		break;
	case ENOMEM:
		cause_set(cause, 0, ROOM_ADDRESSES, .text = wanted);
		break;
	case EMFILE:
	case ENFILE:
		cause_set(cause, 0, ROOM_DESCRIPTORS);
		break;
	case EAGAIN:
		cause_set(cause, 0, CHILD_THREAD_LIMIT);
		break;
	case EBUSY:
		cause_set(cause, 0, CHILD_LOADING);
		break;
	case ECHILD:
		cause_set(cause, 0, CHILD_THREAD_KILLED);
		break;
	case EKEYREJECTED:
		cause_set(cause, 0, CHILD_RESTRICTED);
		break;
	case ENOSYS:
		cause_set(cause, 0, CHILD_FILTERED);
		break;
	case EACCES:
	case EPERM:
	case ENOENT:
		cause_set(cause, 0, ROOM_FORBIDDEN, .path = directory);
		break;
	default:
		snprintf(text, sizeof(text), "%s and %s free now, and a "
			 "process needs %s and %ld files",
			 shortage_size(is, s->free), counted(s->files, "file"),
			 wanted, shortage_files());
		cause_set(cause, 0, ROOM_DISK, .path = directory,
			  .text = text);
	}
}

void shortage_note(const struct shortage *s, const char *directory,
		   uint64_t lost, struct outcome *outcome)
{
	char least[SHORTAGE_SIZE_BYTES], asked[SHORTAGE_SIZE_BYTES];
	char text[128], line[CAUSE_LINE_BYTES];
	struct cause cause;

	if (s->orphans) {
		reason_fill(&cause, s, s->orphan_error, directory);
		outcome_note(outcome, CHILDREN_FILELESS,
			     .n = (int64_t)s->orphans,
			     .text = cause_line(&cause, line));
	}
	if (s->smaller) {
		snprintf(text, sizeof(text), "%s instead of %s%s",
			 shortage_size(least, s->least),
			 shortage_size(asked, s->asked),
			 s->smaller > 1 ? " in the worst case" : "");
		outcome_note(outcome, BUFFERS_SMALLER,
			     .n = (int64_t)s->smaller, .text = text);
	}
	if (s->roomless && lost)
		outcome_note(outcome, BUFFERS_MISSING_LOST,
			     .n = (int64_t)s->roomless);
	else if (s->roomless)
		outcome_note(outcome, BUFFERS_MISSING,
			     .n = (int64_t)s->roomless);
	if (s->pageless)
		outcome_note(outcome, FILES_MISSING,
			     .n = (int64_t)s->pageless,
			     .text = s->uncounted ? "at least" : "");
	if (!s->roomless && !s->smaller && !s->pageless)
		return;
	reason_fill(&cause, s, s->error, directory);
	outcome_keep(outcome, &cause);
}
