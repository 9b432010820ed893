/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tells the cost of a lack of room in the runtime directory. See shortage.h.
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

/* Looks how much room there is now. */
static void shortage_look(struct shortage *shortage, int fd)
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

void shortage_programs(struct shortage *shortage, uint64_t count,
		       bool uncounted, int error, int fd)
{
	if (error)
		shortage->error = error;
	if (count)
		shortage_look(shortage, fd);
	shortage->pageless = count;
	shortage->uncounted = uncounted;
}

void shortage_orphans(struct shortage *shortage, uint32_t orphans,
		      uint64_t lost, int error)
{
	if (!orphans)
		return;
	shortage->orphans += orphans;
	shortage->orphan_lost += lost;
	shortage->orphan_error = error;
}

int shortage_orphan_why(const struct session_page *page)
{
	uint32_t cause = load_relaxed(&page->orphan_cause);

	return cause ? (int)cause : load_relaxed(&page->orphan_error);
}

void shortage_take(struct shortage *shortage, const struct session_page *page,
		   int fd)
{
	shortage_orphans(shortage, page->orphans,
			 page->lost_unplaced -
			 min_u64(page->lost_calls, page->lost_unplaced),
			 shortage_orphan_why(page));
	if (page->roomless) {
		shortage->roomless++;
		shortage->error = (int)page->roomless;
	} else if (page->ring_bytes < page->asked_bytes) {
		shortage->smaller++;
		shortage->error = page->small_error;
	} else {
		return;
	}
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

/* Fills the cause for the errno of a buffer, with the need of a process; or for
 * that of a forked child that could not make files (shortage_orphan_why()). */
static void reason_fill(struct cause *cause, const struct shortage *s,
			int error, const char *directory)
{
	static const struct {
		int error;
		enum cause_id id;
	} rows[] = {
		{ EDQUOT, CAUSE_ROOM_QUOTA },
		{ EFBIG, CAUSE_ROOM_FILE_SIZE },
		{ ENOMEM, CAUSE_ROOM_ADDRESSES },
		{ EMFILE, CAUSE_ROOM_DESCRIPTORS },
		{ ENFILE, CAUSE_ROOM_DESCRIPTORS },
		{ EAGAIN, CAUSE_CHILD_THREAD_LIMIT },
		{ EBUSY, CAUSE_CHILD_LOADING },
		{ ECHILD, CAUSE_CHILD_THREAD_KILLED },
		{ EKEYREJECTED, CAUSE_CHILD_RESTRICTED },
		{ ENOSYS, CAUSE_CHILD_FILTERED },
		{ CAUSE_SESSION_LANDLOCKED, CAUSE_CHILD_RESTRICTED },
		{ CAUSE_SESSION_RESTRICTED, CAUSE_CHILD_RESTRICTED },
		{ CAUSE_SESSION_USER_CHANGED, CAUSE_CHILD_USER_CHANGED },
		{ CAUSE_SESSION_ROOT_CHANGED, CAUSE_CHILD_ROOT_CHANGED },
		{ ENOSPC, CAUSE_ROOM_DISK },
		{ 0, CAUSE_ROOM_DISK },
	};
	char is[SHORTAGE_SIZE_BYTES], wanted[SHORTAGE_SIZE_BYTES], text[256];
	enum cause_id id = CAUSE_ROOM_FAILED;
	struct statvfs fs;
	uint64_t free = s->free, files = s->files;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].error == error)
			id = rows[i].id;
	shortage_size(wanted, shortage_needed(s->asked));
	/* a forked child notes an errno, and not how much room there was */
	if (id == CAUSE_ROOM_DISK && !free && !files &&
	    !statvfs(directory, &fs)) {
		free = fs.f_bavail * (uint64_t)fs.f_frsize;
		files = fs.f_favail;
	}
	if (id == CAUSE_ROOM_DISK)
		snprintf(text, sizeof(text), "%s and %s free now, and a "
			 "process needs %s and %ld files",
			 shortage_size(is, free), counted(files, "file"),
			 wanted, shortage_files());
	cause_fill(cause, 0, id,
		   &(struct cause_slots){ .path = directory, .error = error,
					  .text = id == CAUSE_ROOM_DISK ?
						  text : wanted });
}

void shortage_note(const struct shortage *s, const char *directory,
		   uint64_t lost, struct outcome *outcome)
{
	char least[SHORTAGE_SIZE_BYTES], asked[SHORTAGE_SIZE_BYTES];
	char text[128], line[CAUSE_LINE_BYTES];
	struct cause cause;

	reason_fill(&cause, s, s->orphan_error, directory);
	outcome_count(outcome, CHILDREN_FILELESS, s->orphans,
		      .text = cause_line(&cause, line));
	snprintf(text, sizeof(text), "%s instead of %s%s",
		 shortage_size(least, s->least), shortage_size(asked, s->asked),
		 s->smaller > 1 ? " in the worst case" : "");
	outcome_count(outcome, BUFFERS_SMALLER, s->smaller, .text = text);
	if (lost)
		outcome_count(outcome, BUFFERS_MISSING_LOST, s->roomless);
	else
		outcome_count(outcome, BUFFERS_MISSING, s->roomless);
	outcome_count(outcome, FILES_MISSING, s->pageless,
		      .text = s->uncounted ? "at least" : "");
	if (!s->roomless && !s->smaller && !s->pageless)
		return;
	reason_fill(&cause, s, s->error, directory);
	outcome_keep(outcome, &cause);
}

void shortage_note_program(uint64_t asked, int error, int fd,
			   const char *directory, struct outcome *outcome)
{
	struct shortage shortage = { .asked = asked };

	shortage_programs(&shortage, 1, false, error, fd);
	shortage_note(&shortage, directory, 0, outcome);
}
