/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The part of the agent's start that is done again when a sleeping agent wakes:
 * modules, files, sessions. Code that opens files runs aside.
 */
#include <errno.h>
#include <fcntl.h>

#include "agent/image/lacking.h"
#include "agent/late.h"
#include "agent/private.h"
#include "base/host.h"
#include "base/sys.h"
#include "base/text.h"
#include "buffers/clock.h"
#include "control/protocol.h"
#include "control/service/demand.h"
#include "control/sessions/budget.h"
#include "control/sessions/place.h"
#include "control/sessions/session.h"
#include "control/threads/filtered.h"
#include "control/threads/log.h"
#include "control/threads/settings.h"
#include "control/threads/thread.h"
#include "gdbstub/ipa/ipa.h"
#include "tracepoints/sites/lock.h"

const char agent_another_copy[] = "the program has another copy of the agent";
struct lacking_off agent_lacks = { .id = CAUSE_LACKS_OFF };
int agent_rseq;
/* The number of CPUs, where the file of the first session has it; else 0. Set
 * at start. */
static uint32_t cpus_told;

static const char *start_failure;	/* NULL: no thread was made */

/* Tells a recorder why a process that it has started does not take part. Errors
 * that are not of files, as session_failure() has them, have words of their
 * own. */
static void not_joined(const char *recording, int error)
{
	const struct lacking_off off = {
		error == -EUSERS  ? CAUSE_LACKS_SESSIONS :
		error == -ENOTSUP ? CAUSE_LACKS_GROUP :
		error == -EPERM	  ? CAUSE_LACKS_GROUP_DENIED :
		error == -ENOMSG  ? CAUSE_LACKS_KEEP :
		error == -EINVAL || error == -EBUSY || error == -EACCES ?
				    CAUSE_LACKS_START :
				    CAUSE_LACKS_FILES,
		-error
	};

	lacking_tell(off, "", recording);
}

void agent_learn(void)
{
	cpus_told = session_machine_learn();
	clock_select(settings.clock);
}

/* Returns why loader_setup() failed. */
static const char *loader_failed(int error)
{
	return error == -ERANGE ?
		       "cannot follow dlopen and dlclose: there is no room for "
		       "a jump near the dynamic linker" :
	       error == -EBUSY ?
		       "cannot follow dlopen and dlclose: the dynamic linker's "
		       "code is not as it should be" :
		       "cannot follow dlopen and dlclose: the dynamic linker's "
		       "code cannot be written";
}

/* The part of the start that needs files: in a thread of the agent, whose
 * descriptors the program does not see. */
static int start_aside(void *arg)
{
	static int prepared;
	bool filtered, traced;
	int loader, ret;

	agent_cpus_online = cpus_told ? cpus_told : host_cpus_possible();
	if (agent_rseq && clock_kind() == CLOCK_KIND_TSC)
		agent_cpus = agent_cpus_online < CHANNEL_CPUS_MAX ?
				     agent_cpus_online : CHANNEL_CPUS_MAX;
	/* before the directory: two copies of the agent would take it from
	 * each other */
	loader = loader_setup(agent_begins_alone());
	if (loader == -EEXIST) {
		start_failure = agent_another_copy;
		return loader;
	}
	/* Modules that were loaded after the start can be unloaded. While
	 * libc's constructors have not run, no other code has, and there are no
	 * such modules. */
	if (loader && !agent_begins_alone()) {
		start_failure = loader_failed(loader);
		log_fact(LOG_ERROR, "start", start_failure, loader);
		return loader;
	}
	ret = place_open();
	if (ret) {
		log_fact(LOG_ERROR, "start", "cannot make the runtime directory",
			 ret);
		if (place_failure) {
			start_failure = place_failure;
		} else if (place_forbidden(ret)) {
			start_failure = "cannot make its files: a security "
					"module restricts it (Landlock, for "
					"example): allow it to write in the "
					"runtime directory";
			agent_lacks.id = CAUSE_LACKS_RIGHT;
		} else {
			start_failure = "cannot make its files";
			agent_lacks.id = CAUSE_LACKS_FILES;
			agent_lacks.error = -ret;
		}
		return ret;
	}
	if (loader)
		log_fact(LOG_WARNING, "start",
			 "modules loaded later will not be seen", loader);
	budget_keep();
	if (!session_obey(not_joined))
		lacking_tell((struct lacking_off){ 0 }, "", NULL);
	if (prepared++)
		return 0;
	/* Prepares for gdbserver when the setting asks for it, or, without a
	 * setting, when the program starts under a debugger, which may be a
	 * gdbserver. `taffrail gdbserver` asks for the socket, too. */
	filtered = setting_is(settings.ipa, "filter");
	traced = (filtered_tracer() < 0 ? ipa_traced(NULL) :
					  filtered_tracer()) == 1;
	ret = ipa_setup();
	if (!ret && (filtered || (settings.ipa ?
				  setting_is(settings.ipa, "on") : traced)))
		ret = ipa_prepare();
	if (!ret && filtered && traced)
		ret = ipa_socket_offer();
	if (ret)
		log_fact(LOG_ERROR, "start", "not ready for gdbserver", ret);
	return 0;
}

/* Returns why the agent has no thread (thread_run()). */
static const char *threadless(int error)
{
	switch (error) {
	case -EAGAIN:
		return "it cannot make a thread: raise the limit that is met, "
		       "of its user (ulimit -u) or of its cgroup (pids.max)";
	case -EINVAL:
		return "no thread can be made: clone(2) is refused, as under "
		       "an emulator of a processor";
	default:
		return "it cannot make a thread: TAFFRAIL_LOG=error tells why";
	}
}

/* An agent that is woken fails for another reason. */
static void failure_forget(void)
{
	start_failure = NULL;
	agent_lacks = (struct lacking_off){ .id = CAUSE_LACKS_OFF };
}

/* Returns why the agent is off, or NULL. */
static const char *begin_failed(int error)
{
	if (error && !start_failure) {
		start_failure = threadless(error);
		agent_lacks.id = CAUSE_LACKS_RIGHT;
		log_fact(LOG_ERROR, "start", start_failure, error);
	}
	return error ? start_failure : NULL;
}

static int begin_files(void *unused)
{
	int ret;

	failure_forget();
	agent_learn();
	ret = start_aside(unused);
	if (!ret)
		lacking_notes_move();
	else if (start_failure != agent_another_copy)
		lacking_tell(agent_lacks, begin_failed(ret), NULL);
	return ret;
}

const char *agent_begin_late(bool thread)
{
	/* a child of vfork(2) may have loaded modules */
	if (!thread && load_relaxed(&start_noted)) {
		registry_lock();
		registry_scan();
		registry_unlock();
	}
	return begin_failed(thread ? begin_files(NULL) :
				     thread_run_sure(begin_files, NULL));
}

void agent_begin(void)
{
	int ret;

	registry_lock();
	registry_scan();
	registry_unlock();
	failure_forget();
	/* A thread takes 60 us, and on a busy machine a turn of the scheduler.
	 * Where files may be short, a thread has a table of its own. */
	ret = agent_begins_alone() && !thread_translated() &&
			      filtered_alone(AGENT_FILES) ?
		      thread_run_alone(start_aside, NULL) :
		      thread_run(start_aside, NULL);
	agent_off = begin_failed(ret);
	if (ret)
		return;
	registry_changed = place_markers_changed;
	demand_begin();
}
