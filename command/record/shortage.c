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
#include "command/common/command.h"
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

/* Returns what else may keep a forked child from making its files, or NULL. */
static const char *child_text(int error)
{
	switch (error) {
	case EAGAIN:
		return "it may start no thread: raise the limit (ulimit -u), "
		       "or that of its cgroup (pids.max)";
	case EBUSY:
		return "another thread of its parent was loading a library as "
		       "it was forked";
	case ECHILD:
		return "the agent's thread in it was killed";
	case EKEYREJECTED:
		return "a security module restricts it (Landlock, for "
		       "example): allow it to write in the runtime directory";
	case ENOSYS:
		return "a seccomp filter of its parent forbids it to make a "
		       "thread: fork before the filter is installed";
	default:
		return NULL;
	}
}

/* Writes what there is too little of, and what a process needs. */
static void reason_text(char *text, size_t room, const struct shortage *s,
			int error, const char *directory)
{
	char is[SHORTAGE_SIZE_BYTES], wanted[SHORTAGE_SIZE_BYTES];

	shortage_size(wanted, shortage_needed(s->asked));
	if (error == EDQUOT)
		snprintf(text, room, "a quota (TAFFRAIL_QUOTA, or the disk's) "
			 "leaves no more in %s, and a process needs %s; raise "
			 "it, give a smaller --buffer-size, or set "
			 "TAFFRAIL_DIR to another directory", directory,
			 wanted);
	else if (error == EFBIG)
		snprintf(text, room, "the limit of a file's size (ulimit -f) "
			 "forbids larger files in %s; raise it, or give a "
			 "smaller --buffer-size", directory);
	else if (error == ENOMEM)
		snprintf(text, room, "the limit of its address space (ulimit "
			 "-v) leaves no more, and a process needs %s; raise it, "
			 "or give a smaller --buffer-size", wanted);
	else if (error == EMFILE || error == ENFILE)
		snprintf(text, room, "too many open files in the process: "
			 "raise its limit (ulimit -n)");
	else if (child_text(error))
		snprintf(text, room, "%s", child_text(error));
	else if (error == EACCES || error == EPERM || error == ENOENT)
		snprintf(text, room, "it may make no files in %s any more: it "
			 "has changed its user or its root directory, or "
			 "restricted itself (Landlock)", directory);
	else
		snprintf(text, room, "%s has %s and %s free now, and a process "
			 "needs %s and %ld files; make room, give a smaller "
			 "--buffer-size, or set TAFFRAIL_DIR to a directory "
			 "with more room", directory,
			 shortage_size(is, s->free), counted(s->files, "file"),
			 wanted, shortage_files());
}

/* Says why forked children have no trace. Returns an exit status. */
static int tell_orphans(const struct shortage *s, const char *directory)
{
	char why[2 * 4096];

	if (!s->orphans)
		return COMMAND_DONE;
	reason_text(why, sizeof(why), s, s->orphan_error, directory);
	return command_failed("%s could not make files, and counted %s events "
			      "as lost: %s",
			      counted(s->orphans, "forked process"),
			      agreed(s->orphans, "its", "their"), why);
}

int shortage_tell(const struct shortage *s, const char *directory,
		  uint64_t lost)
{
	char least[SHORTAGE_SIZE_BYTES], asked[SHORTAGE_SIZE_BYTES];
	char why[2 * 4096];
	int status = tell_orphans(s, directory);

	if (!s->roomless && !s->smaller && !s->pageless)
		return status;
	reason_text(why, sizeof(why), s, s->error, directory);
	if (s->smaller)
		command_warn("%s had smaller buffers: %s instead of %s%s",
			     counted(s->smaller, "process"),
			     shortage_size(least, s->least),
			     shortage_size(asked, s->asked),
			     s->smaller > 1 ? " in the worst case" : "");
	if (s->roomless)
		command_warn("%s had no room for some buffers%s",
			     counted(s->roomless, "process"),
			     lost ? ", and counted the events as lost" :
			     "; no event was lost");
	if (s->pageless)
		command_warn("%s%s had no room for any file, and could not "
			     "count the events", s->uncounted ? "at least " : "",
			     counted(s->pageless, "program"));
	command_warn("%s", why);
	return (s->roomless && lost) || s->pageless ? COMMAND_FAILED :
						      status;
}
