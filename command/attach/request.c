/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests for libtaffrail-probe.so in another process, and an agent for
 * commands that need one there. A first helper loads the library while forks
 * wait. A second one runs the request, so a library that the request loads is
 * loaded under the first library's rules for forks.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include "command/attach/attach.h"
#include "command/attach/steps.h"
#include "command/common/command.h"
#include "command/common/installed.h"
#include "command/common/limits.h"

#define BUSY_LOOKS	100
#define BUSY_PAUSE_NS	10000000
#define NS_PER_US	1000.0

static int probe_load(struct attach_target *t, struct attach_report *report)
{
	char library[PATH_MAX];
	struct attach_plan plan = {
		.library = library, .entry = REQUEST_FUNCTION, .request = "",
	};
	int ret = installed_find(library, sizeof(library), INSTALLED_LIB,
				 "libtaffrail-probe.so");

	if (ret)
		return cause_set(t->cause, ret, LIBRARY_NOT_FOUND,
				 .path = "libtaffrail-probe.so", .error = ret);
	plan.foreign = !attach_same_file(t->pid, library);
	ret = attach_load(t, &plan, report);
	if (ret == -ENOEXEC && !plan.foreign) {
		plan.foreign = true;
		ret = attach_load(t, &plan, report);
	}
	return ret;
}

/* Runs the request in the library, which is there. */
static int probe_ask(struct attach_target *t, const char *request,
		     struct attach_answer *answer,
		     struct attach_report *report)
{
	struct attach_plan plan = {
		.library = "libtaffrail-probe.so", .entry = REQUEST_FUNCTION,
		.function = t->names.probe, .request = request,
		.patient = true, .answer = answer,
	};

	if (!plan.function)
		return cause_set(t->cause, -ENOEXEC, PROBES_OTHER_VERSION,
				 .pid = t->pid);
	return attach_load(t, &plan, report);
}

static int request_once(pid_t pid, bool load, const char *request,
			struct attach_answer *answer,
			struct attach_report *report)
{
	struct attach_target target = { .cause = &report->cause };
	int ret = attach_target_open(&target, pid);

	if (!ret && !target.probes && !load)
		ret = cause_set(target.cause, -ENOENT, PROBES_NONE, .pid = pid);
	if (!ret && !target.probes) {
		ret = probe_load(&target, report);
		attach_target_close(&target);
		if (ret)
			return ret;
		target = (struct attach_target){ .cause = &report->cause };
		ret = attach_target_open(&target, pid);
	}
	if (!ret)
		ret = probe_ask(&target, request, answer, report);
	attach_target_close(&target);
	return ret;
}

/* The process may be traced for the moment that another command of ours needs,
 * or have no thread for now but that command's. */
int attach_request(pid_t pid, bool load, const char *request,
		   struct attach_answer *answer, struct attach_report *report)
{
	const struct timespec pause = { .tv_nsec = BUSY_PAUSE_NS };
	int ret;

	answer->text = NULL;
	for (int i = 0; i < BUSY_LOOKS; i++) {
		report->cause.id = CAUSE_NONE;
		ret = request_once(pid, load, request, answer, report);
		if (ret != -EBUSY && ret != -ENXIO)
			break;
		nanosleep(&pause, NULL);
	}
	return ret;
}

int attach_provide(pid_t pid)
{
	struct attach_report report = { 0 };
	int ret;

	if (cause_check_files(LIMITS_FILES))
		return COMMAND_FAILED;
	ret = attach_process(pid, &report);
	if (ret == -EEXIST)
		return COMMAND_DONE;
	if (ret)
		return cause_tell(&report.cause);
	command_warn("process %d: agent loaded; one thread was stopped for "
		     "%.0f us", pid, (double)report.stall_ns / NS_PER_US);
	return COMMAND_DONE;
}
