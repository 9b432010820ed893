/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of this command, which a program that it starts inherits
 * (getrlimit(2)). record raises soft limits of descriptors itself, so of these
 * the hard limit counts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/tunables.h"
#include "buffers/layout.h"
#include "command/common/counted.h"
#include "command/common/limits.h"
#include "command/doctor/private.h"
#include "command/procfs/rlimits.h"
#include "command/record/shortage.h"

/* Descriptors of record: a fixed number, and for each process that lives at
 * once, with the files of two streams. */
#define RECORD_DESCRIPTORS	12
#define PROCESS_DESCRIPTORS	8
#define FEW_PROCESSES		16

/* Processes that record starts: the program, and a thread of the agent, for a
 * moment. */
#define THREADS_MADE		2

/* A small program, with libc and the agent. */
#define PROGRAM_BYTES		(4ull << 20)

/* Returns a limit; without one, or where it cannot be read, RLIM_INFINITY. */
static struct rlimit limits_of(int resource)
{
	struct rlimit limit;

	if (getrlimit((__rlimit_resource_t)resource, &limit))
		limit.rlim_cur = limit.rlim_max = RLIM_INFINITY;
	return limit;
}

/* "no" where this command itself may have failed for want of descriptors: then
 * other findings may be wrong, too. */
void look_descriptors(struct doctor *d, struct finding *f)
{
	uint64_t hard = limits_of(RLIMIT_NOFILE).rlim_max;
	uint64_t most = hard > RECORD_DESCRIPTORS ?
			(hard - RECORD_DESCRIPTORS) / PROCESS_DESCRIPTORS : 0;
	char text[CAUSE_TEXT_BYTES];
	int error, files;

	files = limits_count_files(LIMITS_FILES, &error);
	if (files < LIMITS_FILES) {
		snprintf(text, sizeof(text), "%s: a command needs %d more than "
			 "this one can open, and what follows may be wrong",
			 limits_error(error), LIMITS_FILES - files);
		found(f, DESCRIPTORS_FEW, .error = error, .text = text);
		return;
	}
	snprintf(text, sizeof(text), "%s%s", most ? "some " : "",
		 most ? counted(most, "process") : "no process");
	if (most < FEW_PROCESSES)
		found(f, DESCRIPTORS_HARD, .n = (int64_t)hard, .text = text);
	else
		found_as(f, DOCTOR_OK, "ulimit -Hn is %" PRIu64 ": record "
			 "follows %s at once", hard, text);
}

/* No limit holds for root of the machine, but it does for root of a user
 * namespace (CAP_SYS_RESOURCE counts in the first one only). */
void look_processes(struct doctor *d, struct finding *f)
{
	uint64_t limit = limits_of(RLIMIT_NPROC).rlim_cur;
	uint64_t used;

	if (limit == RLIM_INFINITY || (!getuid() && !own_user_namespace())) {
		found_as(f, DOCTOR_OK, "no limit (ulimit -u)");
		return;
	}
	used = process_user_threads(getuid());
	found_as(f, DOCTOR_OK, "ulimit -u is %" PRIu64 ", and this user has %"
		 PRIu64 " threads", limit, used);
	if (used + THREADS_MADE > limit)
		found(f, THREADS_LIMITED, .text = f->found);
}

/* The kernel compares the limit with the file's end, so the ring's header
 * counts, too. */
void judge_file_size(struct finding *f, uint64_t limit)
{
	char is[SHORTAGE_SIZE_BYTES];

	if (limit >= default_ring() + RING_DATA_OFFSET) {
		found_as(f, DOCTOR_OK, "no limit that matters (ulimit -f)");
		return;
	}
	shortage_size(is, limit);
	if (limit >= RING_LEAST_BYTES + RING_DATA_OFFSET)
		found(f, FILE_SIZE_SMALL, .text = is);
	else
		found(f, FILE_SIZE_LACKING, .text = is);
}

/* A session maps the buffers of all CPUs. "ok" up to an eighth of the limit:
 * the program needs the rest. */
void look_memory_size(struct doctor *d, struct finding *f)
{
	uint64_t limit = limits_of(RLIMIT_AS).rlim_cur;
	uint64_t wanted = RECORDS_MAX_BYTES + shortage_needed(0);
	char is[SHORTAGE_SIZE_BYTES], each[SHORTAGE_SIZE_BYTES];

	if (limit == RLIM_INFINITY) {
		found_as(f, DOCTOR_OK, "no limit (ulimit -v)");
		return;
	}
	found_as(f, DOCTOR_OK, "ulimit -v is %s, and a session takes up to %s "
		 "of it", shortage_size(is, limit),
		 shortage_size(each, wanted));
	if (limit < RECORDS_MAX_BYTES + PROGRAM_BYTES + RESERVE_SPACE_BYTES)
		found(f, SPACE_LACKING, .text = f->found);
	else if (limit / 8 <= wanted)
		found(f, SPACE_SMALL, .text = f->found);
}

/* The rings are files, so a limit for files makes them smaller. */
void look_files(struct doctor *d, struct finding *f)
{
	judge_file_size(f, limits_of(RLIMIT_FSIZE).rlim_cur);
}
