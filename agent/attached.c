/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An agent that comes late, sleeps, and is woken.
 *
 * A sleeping agent has no thread, file or ring, and no byte of the program's
 * code is changed. Only its own memory, its handlers of fork(3) and its names
 * stay.
 */
#include "agent/attached.h"

#include <linux/prctl.h>

#include "agent/agent.h"
#include "agent/fork.h"
#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "buffers/rings/channel.h"
#include "control/service/demand.h"
#include "control/sessions/place.h"
#include "control/sessions/session.h"
#include "control/threads/settings.h"
#include "control/threads/thread.h"
#include "gdbstub/ipa/ipa.h"
#include "gdbstub/tracing/run.h"
#include "tracepoints/sites/lock.h"

#define PUBLIC		__attribute__((visibility("default")))
#define PAUSE_NS	200000

static int hook_missing;
static int late;		/* `taffrail attach` has loaded the agent */

int attach_loads(void)
{
	char name[16] = "";

	sys5(SYS_prctl, PR_GET_NAME, name, 0, 0, 0);
	late = text_equal(name, "taffrail attach");
	hook_missing = late;
	return late;
}

static int hook_loader(void *arg)
{
	(void)arg;
	return loader_setup();
}

/*
 * Hooks the loader first, then scans the modules, so it never scans one that is
 * being unloaded. No thread reads the old page while the agent is off.
 */
static void wake(void)
{
	struct timespec pause = { .tv_nsec = PAUSE_NS };
	struct process_page *old = process.page;

	while (thread_service())
		sys2(SYS_nanosleep, &pause, NULL);
	thread_run_wait(hook_loader, NULL);
	if (modules_settle)
		modules_settle();
	agent_begin();
	if (process.page != old)
		sys_munmap(old, PROCESS_BYTES);
}

PUBLIC const char *taffrail_attach(void (*forks[3])(void))
{
	int slept = agent_off == agent_detached;

	if (hook_missing)
		fork_hook(forks);
	hook_missing = 0;
	if (!load_relaxed(fork_mark)) {
		if (slept)
			agent_off = NULL;
		if (!agent_off && fork_revive() && slept)
			thread_run_wait(hook_loader, NULL);
	} else if (slept) {
		wake();
	}
	/* finds modules that came while the loader was not hooked */
	if (!agent_off)
		loader_look();
	if (!agent_off && late && names_lead)
		names_lead();
	if (!agent_off)
		demand_make();
	return agent_off;
}

int attach_undo(void)
{
	int ret = ipa_undo();
	uint32_t i;

	if (!ret)
		run_forget();
	for (i = 0; !ret && i < SESSIONS_MAX; i++)
		if (session_at(i))
			ret = session_destroy(session_at(i));
	if (ret)
		return ret;
	/* with the lock, no thread is in the middle of a dlclose() */
	registry_lock();
	loader_undo();
	if (names_restore)
		names_restore();
	agent_off = agent_detached;
	registry_unlock();
	place_close(0);
	return 0;
}
