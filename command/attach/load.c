/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The order of an attach: look, build, stop one thread and make the helper, let
 * the thread go, order the load, wait, end. After the stop, the code in the
 * process runs by itself; its block of memory tells how far it is.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "command/attach/steps.h"
#include "command/common/inode.h"
#include "command/common/installed.h"
#include "command/common/monotonic.h"
#include "command/procfs/rlimits.h"
#include "command/runtime/rundir.h"
#include "command/sandbox/opener.h"
#include "control/protocol.h"

#define LOAD_WAIT_MS	30000
#define UNLOAD_WAIT_MS	3000
#define LEAVE_WAIT_MS	5000

static const struct timespec moment = { .tv_nsec = 200000 };

/* Writes the command's order into the block. A process that has gone is noticed
 * by the next read. */
static void order_loader(const struct attach_target *t, uint64_t base,
			 uint32_t go)
{
	attach_write(t, base + ATTACH_CODE_BYTES + ATTACH_GO, &go, sizeof(go));
}

/* Waits until the loader's state is after `state`; `patient`, without end.
 * Returns 0 and the block; or -ETIMEDOUT or -ESRCH, and the cause. */
static int wait_past(const struct attach_target *t, uint64_t base,
		     struct attach_block *block, uint32_t state, bool patient)
{
	uint64_t wait_ms = t->brief ? UNLOAD_WAIT_MS : LOAD_WAIT_MS;
	uint64_t end = monotonic_ns() + wait_ms * 1000000;

	while (!attach_read(t, base + ATTACH_CODE_BYTES, block,
			    sizeof(*block))) {
		if (block->state > state)
			return 0;
		if (!patient && monotonic_ns() > end)
			return attach_cause(t, -ETIMEDOUT, LOAD_WAITS);
		nanosleep(&moment, NULL);
	}
	return attach_cause(t, -ESRCH, PROCESS_ENDED);
}

/* Returns true when /proc is mounted for the process, by which it reaches a
 * library that has no path there. */
static bool has_proc(pid_t pid)
{
	char path[48];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/root/proc/version", pid);
	return !opener_stat(path, &st);
}

/* Returns 0 when the block says that the function was called and is content;
 * else a negative errno, and the cause by the state where the loader ended. */
static int judge_load(const struct attach_target *t,
		      const struct attach_plan *plan,
		      struct attach_block *block)
{
	const char *file = basename(plan->library);
	char directory[PATH_MAX], limits[160];
	struct cause_slots off = { 0 };
	unsigned int id = CAUSE_LACKS_OFF;
	int at = 0;

	block->text[sizeof(block->text) - 1] = '\0';
	switch (block->state) {
	case ATTACH_DONE:
		if (!block->text[0])
			return 0;
		/* a provider has words alone */
		sscanf(block->text, "%u %d %n", &id, &off.error, &at);
		if (id != CAUSE_LACKS_FILES)
			return attach_cause(t, -ENOTSUP, AGENT_OFF,
					    .text = block->text + at);
		if (rundir_chosen(directory, t->pid))
			snprintf(directory, sizeof(directory), "TAFFRAIL_DIR");
		return attach_cause(t, -ENOTSUP, AGENT_FILES_UNMADE,
				    .path = directory, .error = off.error);
	case ATTACH_NO_THREAD:
		return attach_threadless(t, -block->result);
	case ATTACH_NO_FILE:
		process_limits(t->pid, -block->result, limits, sizeof(limits));
		return attach_cause(t, -EIO, LOAD_NO_FILE, .path = file,
				    .error = block->result, .limits = limits);
	case ATTACH_NO_LIBRARY:
		if (!has_proc(t->pid) && strstr(block->text, "/proc/"))
			return attach_cause(t, -ENOENT, LOAD_NO_PROC);
		return strstr(block->text, "undefined symbol: taffrail_") ?
			       attach_cause(t, -ENOEXEC, LOAD_OTHER_BUILD,
					    .path = file, .text = block->text) :
			       attach_cause(t, -ENOEXEC, LOAD_FAILED,
					    .path = file, .text = block->text);
	case ATTACH_NO_WORD:
		return attach_cause(t, -ETIMEDOUT, LOAD_LATE);
	default:
		return attach_cause(t, -ENOEXEC, LOAD_OTHER_VERSION,
				    .path = file);
	}
}

/*
 * Does the rest once the helper is made, until nothing of the helper is left.
 *
 * The order: the load; where the loader holds forks, the opening of the library
 * once no thread is in fork(3); the answer; the end. After a time-out the
 * loader ends by itself, as each of its waits has one.
 */
static int finish_load(struct attach_target *t,
		       const struct attach_memory *memory, uint64_t base,
		       const struct attach_plan *plan)
{
	struct attach_block block = { .state = ATTACH_WAITS };
	int ret = attach_memory_image(memory, t, base, plan->library);
	struct cause cause;
	uint64_t end;
	size_t n;

	if (ret) {
		attach_cause(t, ret, LOAD_WRITTEN_NOT, .error = ret);
	} else {
		order_loader(t, base, ATTACH_GO_LOAD);
		ret = wait_past(t, base, &block, ATTACH_LOADS, plan->patient);
	}
	if (!ret && block.state == ATTACH_HOLDS) {
		ret = plan->unloads ?
			      plan->prove(t, block.request.answer, base,
					  memory->size) :
			      attach_forks_wait(t, base);
		if (!ret) {
			order_loader(t, base, ATTACH_GO_OPEN);
			ret = wait_past(t, base, &block, ATTACH_OPENS,
					plan->patient);
		}
	}
	if (!ret)
		ret = judge_load(t, plan, &block);
	if (!ret && plan->unloads && !block.request.status)
		ret = -EBUSY;
	if (!ret && plan->answer) {
		/* the order to end has the process free this memory */
		n = block.request.answer_bytes;
		n = n < REQUEST_ANSWER_MAX ? n : REQUEST_ANSWER_MAX;
		plan->answer->status = block.request.status;
		plan->answer->text = calloc(1, n + 1);
		if (!plan->answer->text)
			ret = -ENOMEM;
		else if (n)
			ret = attach_read(t, block.request.answer,
					  plan->answer->text, n);
		if (ret)
			attach_cause(t, ret, ANSWER_UNREAD, .error = ret);
	}
	order_loader(t, base, ATTACH_GO_END);
	if (ret == -ETIMEDOUT)
		return ret;
	if (block.state == ATTACH_NO_THREAD) {
		cause = *t->cause;
		if (!memory->block->kept)
			attach_stop_unmap(t, base, memory->size);
		*t->cause = cause;
		return ret;
	}
	/* the helper unmaps the memory that would show the end */
	end = monotonic_ns() + LEAVE_WAIT_MS * 1000000ull;
	while ((attach_thread_named(t->pid, "taffrail attach") ||
		attach_thread_named(t->pid, UNLOAD_THREAD)) &&
	       monotonic_ns() < end)
		nanosleep(&moment, NULL);
	return ret;
}

/* Has one thread execute the plan, once. */
static int load_once(struct attach_target *t, const struct attach_plan *plan,
		     struct attach_report *report)
{
	struct attach_memory memory;
	struct attach_stop stop = { 0 };
	int ret = attach_memory_build(&memory, t, plan);

	if (ret) {
		attach_cause(t, ret, LOAD_PREPARED_NOT, .error = ret);
	} else {
		ret = attach_stop_run(&stop, t, &memory);
		report->stall_ns = stop.stall_ns;
	}
	if (!ret)
		ret = finish_load(t, &memory, stop.base, plan);
	attach_memory_release(&memory);
	return ret;
}

/* Returns true when the path names the same file for the process and for
 * us. */
static bool same_file(pid_t pid, const char *path)
{
	char there[PATH_MAX + 32];
	struct stat ours, theirs;

	snprintf(there, sizeof(there), "/proc/%d/root%s", pid, path);
	return !stat(path, &ours) && !opener_stat(there, &theirs) &&
	       inode_same(&ours, &theirs);
}

int attach_load(struct attach_target *t, struct attach_plan *plan,
		struct attach_report *report)
{
	int ret;

	plan->foreign = !plan->function && !same_file(t->pid, plan->library);
	ret = load_once(t, plan, report);
	/* a directory that the process's user may not enter */
	if (ret == -ENOEXEC && !plan->function && !plan->foreign) {
		plan->foreign = true;
		ret = load_once(t, plan, report);
	}
	return ret;
}

int attach_library_find(const struct attach_target *t, char path[PATH_MAX],
			const char *name)
{
	int ret = installed_find(path, PATH_MAX, INSTALLED_LIB, name);

	return ret ? cause_set(t->cause, ret, LIBRARY_NOT_FOUND, .path = name,
			       .error = ret) : 0;
}

/* Looks for an agent at work: it publishes a directory. Returns 0: there is
 * none, or it sleeps; or a negative errno and the cause. */
static int check_agent(pid_t pid, struct cause *cause)
{
	struct rundir_process process;
	int ret = rundir_find(&process, pid, cause);

	if (!ret) {
		rundir_process_close(&process);
		return cause_set(cause, -EEXIST, AGENT_AT_WORK, .pid = pid);
	}
	return ret == -ESRCH || ret == -ENOTCONN || ret == -ENOSYS ? ret : 0;
}

/* Finds the agent's library. Refuses a process that could not load it. */
static int check_library(const struct attach_target *t, char library[PATH_MAX])
{
	int ret = attach_library_find(t, library, "libtaffrail.so");

	return ret || t->names.agent || same_file(t->pid, library) ||
	       has_proc(t->pid) ? ret : attach_cause(t, -ENOENT, LOAD_NO_PROC);
}

int attach_check(pid_t pid, struct cause *cause)
{
	struct attach_target target = { .cause = cause };
	char library[PATH_MAX];
	int ret = check_agent(pid, cause);

	if (ret)
		return ret;
	ret = attach_target_open(&target, pid);
	if (!ret)
		ret = check_library(&target, library);
	attach_target_close(&target);
	return ret;
}

int attach_process(pid_t pid, struct attach_report *report)
{
	struct attach_target target = {
		.loads = true, .cause = &report->cause,
	};
	uint64_t began = monotonic_ns();
	char library[PATH_MAX], path[PATH_MAX];
	struct attach_plan plan = {
		.library = library, .entry = "taffrail_attach",
	};
	const char *why;
	int ret, fd;

	ret = check_agent(pid, &report->cause);
	if (ret)
		return ret;
	ret = attach_target_open(&target, pid);
	/* another command may have had the turn before */
	if (!ret)
		ret = check_agent(pid, &report->cause);
	if (!ret)
		ret = check_library(&target, library);
	if (ret)
		goto close;
	/* an agent that could make no files would stay off, and no command
	 * could reach it */
	fd = rundir_chosen_open(pid, path, &why);
	if (fd >= 0)
		close(fd);
	if (why) {
		ret = attach_cause(&target, -ENOTSUP, PLACE_UNFIT, .path = path,
				   .text = why);
		goto close;
	}
	report->woken = target.names.agent;
	plan.function = target.names.agent;
	ret = attach_load(&target, &plan, report);
	report->took_ns = monotonic_ns() - began;
close:
	attach_target_close(&target);
	return ret;
}
