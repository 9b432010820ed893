/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of a running process: whether they leave the agent enough for a
 * command's call and for a session.
 */
#include <inttypes.h>
#include <stdint.h>

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

/* Judges the limit of descriptors. The agent's thread has a separate table, so
 * the program's descriptors do not matter. */
static void judge_descriptors(const struct doctor *d, struct finding *f)
{
	uint64_t limit = process_limit_left(d->pid, "-n");

	if (limit >= SERVICE_FILES)
		return;
	found_as(f, limit < SESSION_FILES ? DOCTOR_NO : DOCTOR_LIMITED,
		 "ulimit -n is %" PRIu64 ": %s", limit, limit < SESSION_FILES ?
		 "no session's files can be made" :
		 "it may be too few for another session");
	found_remedy(f, "raise it: prlimit --pid %d --nofile=1024", d->pid);
}

/* Judges the limit of a user's threads, of which the agent makes one for each
 * command. */
static void judge_threads(const struct doctor *d, struct finding *f)
{
	uint64_t limit = process_limit_left(d->pid, "-u");
	long uid = process_status(d->pid, "Uid");
	uint64_t used;

	if (uid <= 0 || limit == UINT64_MAX)
		return;
	used = threads_of((uid_t)uid);
	if (used < limit)
		return;
	found_as(f, DOCTOR_NO, "ulimit -u is %" PRIu64 ", and its user has %"
		 PRIu64 " threads: the agent cannot make one", limit, used);
	found_remedy(f, "raise it: prlimit --pid %d --nproc=1024", d->pid);
}

/* Judges a limit of memory that leaves less than a call, or a session, takes;
 * `smaller` is the need of a session with the smallest buffers. */
static void judge_memory(const struct doctor *d, struct finding *f,
			 const char *option, const char *resource,
			 uint64_t smaller, uint64_t wanted)
{
	uint64_t left = process_limit_left(d->pid, option);
	char is[SHORTAGE_SIZE_BYTES], each[SHORTAGE_SIZE_BYTES];

	if (left >= wanted)
		return;
	found_as(f, left < smaller ? DOCTOR_NO : DOCTOR_LIMITED,
		 "ulimit %s leaves it %s, and %s takes up to %s", option,
		 shortage_size(is, left), left < CALL_BYTES ?
		 "a command's call" : "a session",
		 shortage_size(each, left < CALL_BYTES ? CALL_BYTES : wanted));
	found_remedy(f, "raise it: prlimit --pid %d --%s=unlimited", d->pid,
		     resource);
}

static void judge_size(const struct doctor *d, struct finding *f)
{
	judge_file_size(f, process_limit_left(d->pid, "-f"));
}

static void judge_space(const struct doctor *d, struct finding *f)
{
	const uint64_t session = CALL_BYTES + RECORDS_MAX_BYTES +
				 RESERVE_SPACE_BYTES;

	judge_memory(d, f, "-v", "as", session,
		     session + shortage_needed(default_ring()));
}

static void judge_data(const struct doctor *d, struct finding *f)
{
	judge_memory(d, f, "-d", "data", CALL_BYTES, CALL_BYTES);
}

void look_its_limits(struct doctor *d, struct finding *f)
{
	static void (*const judges[])(const struct doctor *d,
				      struct finding *f) = {
		judge_size, judge_space, judge_data, judge_descriptors,
		judge_threads,
	};

	if (d->gone)
		return;
	found_as(f, DOCTOR_OK, "none that matters (ulimit -d, -f, -n, -u, -v)");
	for (size_t i = 0; i < ARRAY_SIZE(judges); i++) {
		struct finding one = { .state = DOCTOR_OK };

		judges[i](d, &one);
		if (one.state > f->state)
			*f = one;
	}
}
