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
#include "command/common/installed.h"
#include "command/common/monotonic.h"
#include "command/common/reason.h"
#include "command/procfs/rlimits.h"
#include "command/runtime/rundir.h"
#include "command/sandbox/opener.h"

#define LOAD_WAIT_MS	30000
#define LEAVE_WAIT_MS	5000
#define PAUSE_NS	200000

static void pause_shortly(void)
{
	struct timespec pause = { .tv_nsec = PAUSE_NS };

	nanosleep(&pause, NULL);
}

bool attach_same_file(pid_t pid, const char *path)
{
	char there[PATH_MAX + 32];
	struct stat ours, theirs;

	snprintf(there, sizeof(there), "/proc/%d/root%s", pid, path);
	return !stat(path, &ours) && !opener_stat(there, &theirs) &&
	       ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

static uint64_t block_at(uint64_t base, size_t member)
{
	return base + ATTACH_CODE_BYTES + member;
}

static void order_loader(const struct attach_target *t, uint64_t base,
			 uint32_t go)
{
	attach_write(t, block_at(base, ATTACH_GO), &go, sizeof(go));
}

/* Waits until the loader's state is after `state`; `patient`, without end. */
static int wait_past(const struct attach_target *t, uint64_t base,
		     struct attach_block *block, uint32_t state, bool patient)
{
	uint64_t end = monotonic_ns() + LOAD_WAIT_MS * 1000000ull;
	int ret;

	while (!(ret = attach_read(t, block_at(base, 0), block,
				   sizeof(*block)))) {
		if (block->state > state)
			return 0;
		if (!patient && monotonic_ns() > end)
			return cause_set(t->cause, -ETIMEDOUT, LOAD_WAITS,
					 .pid = t->pid);
		pause_shortly();
	}
	return cause_set(t->cause, -ESRCH, PROCESS_ENDED, .pid = t->pid);
}

/* Waits until the helper's thread is gone: that thread unmaps the memory that
 * would show the end. */
static void wait_left(const struct attach_target *t)
{
	uint64_t end = monotonic_ns() + LEAVE_WAIT_MS * 1000000ull;

	while (attach_thread_named(t->pid, "taffrail attach") &&
	       monotonic_ns() < end)
		pause_shortly();
}

static bool has_proc(pid_t pid)
{
	char path[48];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/root/proc/version", pid);
	return !opener_stat(path, &st);
}

static int no_proc(const struct attach_target *t)
{
	return cause_set(t->cause, -ENOENT, LOAD_NO_PROC, .pid = t->pid);
}

static int judge_load(const struct attach_target *t,
		      const struct attach_plan *plan,
		      struct attach_block *block)
{
	const char *file = basename(plan->library);
	char directory[PATH_MAX], limits[160];

	block->text[sizeof(block->text) - 1] = '\0';
	if (rundir_chosen(directory, t->pid))
		snprintf(directory, sizeof(directory), "TAFFRAIL_DIR");
	switch (block->state) {
	case ATTACH_DONE:
		return block->text[0] ?
			       cause_set(t->cause, -ENOTSUP, AGENT_OFF,
					 .pid = t->pid,
					 .text = reason_of_agent(block->text,
								 directory)) :
			       0;
	case ATTACH_NO_THREAD:
		return attach_threadless(t, -block->result);
	case ATTACH_NO_FILE:
		process_limits(t->pid, -block->result, limits, sizeof(limits));
		return cause_set(t->cause, -EIO, LOAD_NO_FILE, .pid = t->pid,
				 .path = file, .error = block->result,
				 .limits = limits);
	case ATTACH_NO_LIBRARY:
		if (!has_proc(t->pid) && strstr(block->text, "/proc/"))
			return no_proc(t);
		return strstr(block->text, "undefined symbol: taffrail_") ?
			       cause_set(t->cause, -ENOEXEC, LOAD_OTHER_BUILD,
					 .pid = t->pid, .path = file,
					 .text = block->text) :
			       cause_set(t->cause, -ENOEXEC, LOAD_FAILED,
					 .pid = t->pid, .path = file,
					 .text = block->text);
	case ATTACH_NO_WORD:
		return cause_set(t->cause, -ETIMEDOUT, LOAD_LATE,
				 .pid = t->pid);
	default:
		return cause_set(t->cause, -ENOEXEC, LOAD_OTHER_VERSION,
				 .pid = t->pid, .path = file);
	}
}

/* Orders the load, and then, when no thread is in fork(3), the opening of the
 * library. */
static int order_rest(struct attach_target *t, uint64_t base,
		      const struct attach_plan *plan,
		      struct attach_block *block)
{
	int ret;

	order_loader(t, base, ATTACH_GO_LOAD);
	ret = wait_past(t, base, block, ATTACH_LOADS, plan->patient);
	if (!ret && block->state == ATTACH_HOLDS) {
		ret = attach_forks_wait(t, base);
		if (ret)
			return ret;
		order_loader(t, base, ATTACH_GO_OPEN);
		ret = wait_past(t, base, block, ATTACH_OPENS, plan->patient);
	}
	return ret ? ret : judge_load(t, plan, block);
}

/* Reads the function's answer before the memory is freed. */
static int answer_read(const struct attach_target *t,
		       const struct attach_block *block,
		       struct attach_answer *answer)
{
	const struct request *request = &block->request;
	size_t n = request->answer_bytes;
	int ret = 0;

	if (n > REQUEST_ANSWER_MAX)
		n = REQUEST_ANSWER_MAX;
	answer->status = request->status;
	answer->text = calloc(1, n + 1);
	if (!answer->text)
		ret = -ENOMEM;
	else if (n)
		ret = attach_read(t, request->answer, answer->text, n);
	if (ret)
		cause_set(t->cause, ret, ANSWER_UNREAD, .pid = t->pid,
			  .error = ret);
	return ret;
}

/* Does the rest once the helper is made, until nothing of the helper is
 * left. */
static int finish_load(struct attach_target *t,
		       const struct attach_memory *memory,
		       const struct attach_stop *stop,
		       const struct attach_plan *plan)
{
	struct attach_block block = { .state = ATTACH_WAITS };
	uint64_t base = stop->base;
	int ret = attach_memory_image(memory, t, base, plan->library);

	if (ret)
		cause_set(t->cause, ret, LOAD_WRITTEN_NOT, .pid = t->pid,
			  .error = ret);
	else
		ret = order_rest(t, base, plan, &block);
	if (!ret && plan->answer)
		ret = answer_read(t, &block, plan->answer);
	order_loader(t, base, ATTACH_GO_END);
	if (ret == -ETIMEDOUT)
		return ret;
	if (block.state == ATTACH_NO_THREAD) {
		struct cause cause = *t->cause;

		if (!memory->block->kept)
			attach_stop_unmap(t, base, memory->size);
		*t->cause = cause;
	} else {
		wait_left(t);
	}
	return ret;
}

int attach_load(struct attach_target *t, const struct attach_plan *plan,
		struct attach_report *report)
{
	struct attach_memory memory;
	struct attach_stop stop = { 0 };
	int ret = attach_memory_build(&memory, t, plan);

	if (ret)
		cause_set(t->cause, ret, LOAD_PREPARED_NOT, .pid = t->pid,
			  .error = ret);
	if (!ret) {
		ret = attach_stop_run(&stop, t, &memory);
		report->stall_ns = stop.stall_ns;
	}
	if (!ret)
		ret = finish_load(t, &memory, &stop, plan);
	attach_memory_release(&memory);
	return ret;
}

/* Looks for an agent at work: it publishes a directory. */
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

/* Refuses a process in which the agent could make no files: it would stay off,
 * and no command could reach it. */
static int check_place(const struct attach_target *t)
{
	char path[PATH_MAX];
	const char *why;
	int fd = rundir_chosen_open(t->pid, path, &why);

	if (fd >= 0)
		close(fd);
	return why ? cause_set(t->cause, -ENOTSUP, PLACE_UNFIT, .pid = t->pid,
			       .path = path, .text = why) :
		     0;
}

/* Finds the agent's library. Refuses a process that could not load it. */
static int check_library(const struct attach_target *t, char *library)
{
	int ret = installed_find(library, PATH_MAX, INSTALLED_LIB,
				 "libtaffrail.so");

	if (ret)
		return cause_set(t->cause, ret, LIBRARY_NOT_FOUND,
				 .path = "libtaffrail.so", .error = ret);
	return t->names.agent || attach_same_file(t->pid, library) ||
	       has_proc(t->pid) ? 0 : no_proc(t);
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
	struct attach_target target = { .cause = &report->cause };
	uint64_t began = monotonic_ns();
	char library[PATH_MAX];
	struct attach_plan plan = {
		.library = library, .entry = "taffrail_attach",
	};
	int ret;

	ret = check_agent(pid, &report->cause);
	if (ret)
		return ret;
	ret = attach_target_open(&target, pid);
	if (!ret)
		ret = check_library(&target, library);
	if (!ret)
		ret = check_place(&target);
	if (ret)
		goto close;
	report->woken = target.names.agent;
	plan.function = target.names.agent;
	plan.foreign = !attach_same_file(pid, library);
	ret = attach_load(&target, &plan, report);
	/* a directory that the process's user may not enter */
	if (ret == -ENOEXEC && !plan.foreign) {
		plan.foreign = true;
		ret = attach_load(&target, &plan, report);
	}
	report->took_ns = monotonic_ns() - began;
close:
	attach_target_close(&target);
	return ret;
}
