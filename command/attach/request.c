/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests for libtaffrail-probe.so in another process, and an agent for
 * commands that need one there. A first helper loads the library while forks
 * wait. A second one runs the request, so a library that the request loads is
 * loaded under the first library's rules for forks.
 *
 * Invariant: a request is run once. It is tried again only after -EBUSY and
 * -ENXIO, with which nothing was run in the process.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "command/attach/attach.h"
#include "command/attach/steps.h"
#include "command/common/command.h"
#include "command/common/limits.h"
#include "command/runtime/rundir.h"

#define PROBE_LIBRARY	"libtaffrail-probe.so"
#define PROVIDER_FUNCTION	"taffrail_provide_1"
#define PROVIDER_WORD	"taffrail_provider_1"
#define PROVIDER_LEADS	2	/* the agent's, in the word */
#define BUSY_LOOKS	100
#define BESIDE_LOOKS	30	/* a debugger stays longer */
#define BUSY_PAUSE_NS	10000000
#define NS_PER_US	1000.0
#define KEEP_WAIT_MS	5000

/* Loads the library where it is not there, and has it run the request. */
static int request_once(pid_t pid, bool load, const char *request,
			struct attach_answer *answer,
			struct attach_report *report)
{
	struct attach_target target = {
		.loads = true, .cause = &report->cause,
	};
	char library[PATH_MAX];
	struct attach_plan loads = {
		.library = library, .entry = REQUEST_FUNCTION, .request = "",
	};
	struct attach_plan asks = {
		.library = PROBE_LIBRARY, .entry = REQUEST_FUNCTION,
		.request = request, .patient = true, .answer = answer,
	};
	int ret = attach_target_open(&target, pid);

	if (ret)
		goto close;
	if (!target.probes) {
		ret = load ? attach_library_find(&target, library,
						 PROBE_LIBRARY) :
			     attach_cause(&target, -ENOENT, PROBES_NONE);
		if (!ret)
			ret = attach_load(&target, &loads, report);
		if (ret)
			goto close;
		attach_target_close(&target);
		/* the library is in the list of modules now */
		target = (struct attach_target){ .cause = &report->cause };
		ret = attach_target_open(&target, pid);
		if (ret)
			goto close;
	}
	/* it may run for long */
	attach_turn_end(&target);
	asks.function = target.names.probe;
	ret = asks.function ? attach_load(&target, &asks, report) :
			      attach_cause(&target, -ENOEXEC,
					   PROBES_OTHER_VERSION);
close:
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

bool attach_keep(pid_t pid)
{
	struct rundir_process process;
	struct rundir dir = { .fd = -1 };
	struct cause cause;
	bool kept = false;
	int fd = -1;

	if (!rundir_find(&process, pid, &cause) &&
	    !rundir_open_around(&dir, &process))
		fd = rundir_visit_lock(&dir, process.name, false, KEEP_WAIT_MS);
	if (fd >= 0) {
		kept = rundir_visit_loaded(fd) && !rundir_visit_note(fd, false);
		close(fd);
	}
	rundir_close(&dir);
	rundir_process_close(&process);
	return kept;
}

/* Attaches, and waits while another command of ours has a thread stopped. */
static int attach_beside(pid_t pid, struct attach_report *report)
{
	const struct timespec pause = { .tv_nsec = BUSY_PAUSE_NS };
	int ret;

	for (int i = 0; i < BESIDE_LOOKS; i++) {
		*report = (struct attach_report){ 0 };
		ret = attach_process(pid, report);
		if (ret != -EBUSY)
			break;
		nanosleep(&pause, NULL);
	}
	return ret;
}

int attach_agent(pid_t pid, bool *loaded, struct cause *cause)
{
	struct attach_report report;
	int ret = attach_beside(pid, &report);

	if (loaded)
		*loaded = false;
	/* a command that looks may detach it just now */
	if (ret == -EEXIST && !loaded) {
		attach_keep(pid);
		ret = attach_beside(pid, &report);
	}
	if (ret == -EEXIST)
		return 0;
	if (ret) {
		*cause = report.cause;
		return ret;
	}
	if (loaded)
		*loaded = true;
	command_warn("process %d: agent loaded; one thread was stopped for "
		     "%.0f us", pid, (double)report.stall_ns / NS_PER_US);
	return 0;
}

int attach_provide(pid_t pid, bool *loaded)
{
	struct cause cause;

	if (loaded)
		*loaded = false;
	if (cause_check_files(LIMITS_FILES))
		return COMMAND_FAILED;
	return attach_agent(pid, loaded, &cause) ? cause_tell(&cause) :
						   COMMAND_DONE;
}

/* Returns true when libc's names lead to the provider already. */
static bool provider_leads(const struct attach_target *t, const char *library)
{
	uint64_t at = attach_name_find(t, library, PROVIDER_WORD);
	int32_t word = 0;

	return at && !attach_read(t, at, &word, sizeof(word)) &&
	       word == PROVIDER_LEADS;
}

/* Has a thread of the process call a function. Returns 0 or a negative errno,
 * and the cause; or -EALREADY, as no function need be called. */
static int provider_step(pid_t pid, const char *library, bool agent,
			 struct attach_report *report)
{
	struct attach_target target = {
		.loads = true, .cause = &report->cause,
	};
	char path[PATH_MAX];
	struct attach_plan plan = {
		.library = path,
		.entry = agent ? "taffrail_attach" : PROVIDER_FUNCTION,
		.request = agent ? NULL : "",
	};
	int ret = attach_target_open(&target, pid);

	if (!ret && !agent && provider_leads(&target, library))
		ret = -EALREADY;
	/* A library that is there stays the one: a copy that another path or
	 * file brings would lead names that lead to the first. */
	if (!ret)
		plan.function = agent ? target.names.agent :
				attach_name_find(&target, library,
						 PROVIDER_FUNCTION);
	if (!ret && !plan.function)
		ret = attach_library_find(&target, path, library);
	if (!ret && !target.names.agent)
		ret = attach_cause(&target, -ENOTSUP, PROVIDER_NOT,
				   .text = "its agent is linked into the "
					   "program, and leads no names");
	if (!ret)
		ret = attach_load(&target, &plan, report);
	/* the library says why it cannot serve, or the agent why no names
	 * lead there */
	if (ret && report->cause.id == CAUSE_AGENT_OFF)
		attach_cause(&target, ret, PROVIDER_NOT,
			     .text = report->cause.text);
	attach_target_close(&target);
	return ret;
}

int attach_provider(pid_t pid, const char *name, struct cause *cause)
{
	const struct timespec pause = { .tv_nsec = BUSY_PAUSE_NS };
	struct attach_report report = { 0 };
	char library[128];
	int ret = 0;

	snprintf(library, sizeof(library), "libtaffrail-%s.so", name);
	for (int step = 0; step < 2 && !ret; step++)
		for (int i = 0; i < BUSY_LOOKS; i++) {
			report.cause.id = CAUSE_NONE;
			ret = provider_step(pid, step ? "libtaffrail.so" :
							library, step, &report);
			if (ret != -EBUSY && ret != -ENXIO)
				break;
			nanosleep(&pause, NULL);
		}
	if (ret == -EALREADY)
		return 0;
	if (ret)
		*cause = report.cause;
	return ret;
}
