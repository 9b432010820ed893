/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of a running process: whether they leave the agent enough for a
 * command's call and for a session.
 *
 * Invariant: of several limits that are too low, the finding tells the worst,
 * and of equal ones the first.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include "base/base.h"
#include "base/tunables.h"
#include "command/doctor/private.h"
#include "command/procfs/process.h"
#include "command/procfs/rlimits.h"
#include "command/record/shortage.h"
#include "control/protocol.h"

/* Descriptors of a service thread: with sessions, and for one session. */
#define SERVICE_FILES	16
#define SESSION_FILES	4

/* Memory for a request and the answer, and for a session's rules. */
#define CALL_BYTES	(PROTOCOL_PAYLOAD_MAX + (128u << 10))

/* Judges a limit of memory that leaves less than a call, or a session, takes;
 * `smaller` is the need of a session with the smallest buffers. */
static void judge_memory(const struct doctor *d, struct finding *f,
			 const char *option, const char *resource,
			 uint64_t smaller, uint64_t wanted)
{
	uint64_t left = process_limit_left(d->pid, option);
	char is[SHORTAGE_SIZE_BYTES], each[SHORTAGE_SIZE_BYTES], text[96];

	if (left >= wanted)
		return;
	snprintf(text, sizeof(text), "ulimit %s leaves it %s, and %s takes up "
		 "to %s", option, shortage_size(is, left),
		 left < CALL_BYTES ? "a command's call" : "a session",
		 shortage_size(each, left < CALL_BYTES ? CALL_BYTES : wanted));
	found(f, LIMIT_OF_MEMORY, .pid = d->pid, .text = text,
	      .subject = resource);
	if (left < smaller)
		f->state = DOCTOR_NO;
}

void look_its_limits(struct doctor *d, struct finding *f)
{
	const uint64_t session = CALL_BYTES + RECORDS_MAX_BYTES +
				 RESERVE_SPACE_BYTES;
	struct finding met[6] = { 0 };
	char text[24];
	uint64_t files, threads, used;

	if (d->gone)
		return;
	judge_file_size(&met[0], process_limit_left(d->pid, "-f"));
	judge_memory(d, &met[1], "-v", "as", session,
		     session + shortage_needed(default_ring()));
	judge_memory(d, &met[2], "-d", "data", CALL_BYTES, CALL_BYTES);
	/* the agent's thread has a separate table of descriptors, so those of
	 * the program do not matter */
	files = process_limit_left(d->pid, "-n");
	if (files < SESSION_FILES)
		found(&met[3], LIMIT_OF_FILES, .pid = d->pid,
		      .n = (int64_t)files);
	else if (files < SERVICE_FILES)
		found(&met[3], LIMIT_OF_FILES_NEAR, .pid = d->pid,
		      .n = (int64_t)files);
	/* the agent makes a thread for each command */
	if (process_threads_limited(d->pid, &threads, &used)) {
		snprintf(text, sizeof(text), "%" PRIu64, threads);
		found(&met[4], LIMIT_OF_THREADS, .pid = d->pid, .text = text,
		      .n = (int64_t)used);
	}
	if (process_group_limited(d->pid, &threads))
		found(&met[5], LIMIT_OF_GROUP, .pid = d->pid,
		      .n = (int64_t)threads);
	found_as(f, DOCTOR_OK, "none that matters (ulimit -d, -f, -n, -u, -v)");
	for (size_t i = 0; i < ARRAY_SIZE(met); i++)
		if (met[i].state > f->state)
			*f = met[i];
}
