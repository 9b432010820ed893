/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unloads the agent that a command has loaded, after it was detached.
 *
 *	turn	no other command attaches (turns.c)
 *	1	a helper calls the agent: it gives all back that leads to it,
 *		and holds forks (agent/unload-shared.c)
 *	2	all threads stop: none uses the agent (proof.c); else again
 *	3	the helper calls dlclose(), and takes the fork handlers out
 *	4	all threads stop: none is in those handlers; their pages go
 *
 * Invariant: if one step fails, the agent and the pages stay as they were.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "command/attach/proof-private.h"
#include "command/attach/steps.h"
#include "command/common/monotonic.h"
#include "command/procfs/process.h"

#define PROVE_MS	600	/* less than the helper waits */
#define PROVE_PAUSE_NS	5000000	/* after the first try, then twice as long */
#define MEMORY_MAX_KB	65536	/* PAGES_MAX of proof.c */
#define CODE_AND_BLOCK	(ATTACH_CODE_BYTES + ATTACH_BLOCK_BYTES)

/* Tries a proof until nothing is found, or the time is over. */
static int prove_soon(struct attach_target *t, struct attach_proof *proof)
{
	struct timespec pause = { .tv_nsec = PROVE_PAUSE_NS };
	uint64_t began = monotonic_ns();
	int ret;

	for (;; nanosleep(&pause, NULL), pause.tv_nsec *= 2) {
		attach_proof_begin(proof);
		ret = attach_stop_prove(t, proof);
		proof->tried_ms = (monotonic_ns() - began) / 1000000;
		if (ret != -EAGAIN || proof->tried_ms > PROVE_MS)
			return ret;
	}
}

static int unload_prove(struct attach_target *t, uint64_t facts, uint64_t base,
			size_t bytes)
{
	struct attach_proof proof;
	int ret = attach_proof_open(&proof, t, facts);

	if (!ret) {
		attach_proof_except(&proof, base, bytes);
		proof.asker = base;
		ret = prove_soon(t, &proof);
	}
	t->stub = proof.facts.stub;
	attach_proof_close(&proof);
	return ret ? attach_cause(t, ret, LOAD_LATE) : 0;
}

/* Unmaps the pages of the handlers of fork(3), which libc does not call any
 * more. */
static int stub_unmap(struct attach_target *t)
{
	struct attach_proof proof;
	int ret;

	attach_proof_open_range(&proof, t, t->stub, CODE_AND_BLOCK);
	ret = prove_soon(t, &proof);
	attach_proof_close(&proof);
	return ret ? ret : attach_stop_unmap(t, t->stub, CODE_AND_BLOCK);
}

int attach_unload(pid_t pid)
{
	struct cause cause = { 0 };
	struct attach_report report = { 0 };
	struct attach_target target = { .cause = &cause, .loads = true,
					.brief = true };
	struct attach_plan plan = {
		.library = "libtaffrail.so", .entry = UNLOAD_FUNCTION,
		.request = "", .prove = unload_prove,
	};
	int ret = attach_target_open(&target, pid);

	plan.function = target.names.unload;
	plan.unloads = target.names.library;
	if (!ret && !plan.function)
		ret = -ENOENT;
	if (!ret && process_status(pid, "RssAnon") > MEMORY_MAX_KB)
		ret = -E2BIG;
	for (size_t i = 0; !ret && i < target.nmodules; i++)
		if (!strncmp(target.modules[i].name, "libtaffrail-", 12))
			ret = -EBUSY;
	if (!ret)
		ret = attach_load(&target, &plan, &report);
	if (!ret && target.stub)
		ret = stub_unmap(&target);
	attach_target_close(&target);
	return ret;
}
