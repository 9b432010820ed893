/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An agent that comes late, sleeps, and is woken.
 *
 * A sleeping agent has no thread, file or ring, and no byte of the program's
 * code is changed. Only the memory, the handlers of fork(3) and the names of
 * the agent stay.
 */
#include "agent/attached-private.h"

#include <errno.h>
#include <linux/prctl.h>
#include <stdbool.h>

#include "agent/fork-private.h"
#include "agent/image/lacking.h"
#include "agent/late.h"
#include "agent/private.h"
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
#include "gdbstub/stub/open.h"
#include "gdbstub/tracing/defined.h"
#include "gdbstub/tracing/run.h"
#include "tracepoints/program/memory.h"
#include "tracepoints/sites/lock.h"

#define PUBLIC		__attribute__((visibility("default")))
#define PAUSE_NS	200000
#define OFF_ROW_BYTES	256u

const struct late_hooks *late_hooks;
void (**attach_handlers)(void);
uint32_t attach_pid;

static int hook_missing;
static int late;		/* `taffrail attach` has loaded the agent */

/* The number of the process in which a thread is in taffrail_attach(), or 0.
 * Several commands may attach at once. A child that was forked meanwhile has
 * its parent's number here, which means 0 in the child. */
static uint32_t attaching;

bool attach_loads(void)
{
	static bool asked;
	char name[16] = "";

	/* several constructors do */
	if (asked)
		return late;
	sys5(SYS_prctl, PR_GET_NAME, name, 0, 0, 0);
	late = text_equal(name, "taffrail attach");
	hook_missing = late;
	asked = true;
	return late;
}

/* The texts that are read of the environment, with NULs: longer values are not
 * taken. */
#define ENVIRONMENT_BYTES	65536u
#define ENVIRONMENT_VALUE_BYTES	16384u
#define ENVIRONMENT_VARIABLES	64u

char **attach_environment(char **environment)
{
	static char *copy[ENVIRONMENT_VARIABLES + 1];
	const struct memory_stack none = { 0 };
	char *room = sys_map_anonymous(ENVIRONMENT_BYTES);
	uint64_t left = ENVIRONMENT_BYTES;
	uint32_t n = 0;
	uint64_t at;

	while (room && n < ENVIRONMENT_VARIABLES &&
	       left >= ENVIRONMENT_VALUE_BYTES &&
	       memory_copy(&at, (uint64_t)environment, sizeof(at), &none) ==
		       sizeof(at) && at) {
		uint64_t bytes = memory_copy_string(room, at,
						    ENVIRONMENT_VALUE_BYTES,
						    &none);

		environment++;
		/* only variables that the agent reads are kept */
		if (!bytes || room[bytes - 1] ||
		    (!text_after(room, "TAFFRAIL_") &&
		     !text_after(room, "XDG_RUNTIME_DIR=") &&
		     !text_after(room, "LD_PRELOAD=")))
			continue;
		copy[n++] = room;
		room += bytes;
		left -= bytes;
	}
	return copy;
}

static int hook_loader(void *arg)
{
	return loader_setup(false);
}

/*
 * Hooks the loader first, then scans the modules, so it never scans one that is
 * being unloaded. No thread reads the old page while the agent is off.
 */
static void agent_wake(void)
{
	struct timespec pause = { .tv_nsec = PAUSE_NS };
	struct process_page *old = process.page;

	while (thread_service())
		sys2(SYS_nanosleep, &pause, NULL);
	thread_run_wait(hook_loader, NULL);
	if (modules_wait)
		modules_wait();
	agent_begin();
	if (process.page != old)
		sys_munmap(old, PROCESS_BYTES);
}

void attaching_begin(void)
{
	struct timespec pause = { .tv_nsec = PAUSE_NS };
	uint32_t self = (uint32_t)sys_getpid(), seen = 0;

	while (!__atomic_compare_exchange_n(&attaching, &seen, self, 0,
					    ACQUIRE(ATTACH_TURN),
					    __ATOMIC_RELAXED)) {
		if (seen != self)
			continue;
		sys2(SYS_nanosleep, &pause, NULL);
		seen = 0;
	}
}

void attaching_end(void)
{
	store_release(&attaching, 0, ATTACH_TURN);
}

/* Has other rooms find the libraries that are there, and learn of others. */
static void providers_look(void)
{
	registry_lock();
	late_hooks->lead();
	registry_unlock();
	if (modules_wait)
		modules_wait();
	late_hooks->find();
}

/* Returns why the agent is off: "CAUSE ERRNO TEXT", of which agent_lacks has the
 * first two. */
static const char *off_row(void)
{
	static char row[OFF_ROW_BYTES];
	struct text text;

	text_open(&text, row, sizeof(row));
	text_add_number(&text, agent_lacks.id);
	text_add_char(&text, ' ');
	text_add_number(&text, agent_lacks.error);
	text_add_char(&text, ' ');
	text_add(&text, agent_off);
	return row;
}

PUBLIC const char *taffrail_attach(void (*forks[3])(void))
{
	const char *why = NULL;
	int slept, awake;

	attaching_begin();
	slept = agent_off == agent_detached;
	/* another thread has done this meanwhile; a provider may be new */
	awake = !hook_missing && !slept && load_relaxed(fork_mark);
	if (awake)
		goto redirect;
	if (hook_missing) {
		fork_hook(forks);
		attach_handlers = forks;
		attach_pid = (uint32_t)sys_getpid();
	}
	hook_missing = 0;
	if (!load_relaxed(fork_mark)) {
		if (slept)
			agent_off = NULL;
		if (!agent_off && fork_revive() && slept)
			thread_run_wait(hook_loader, NULL);
	} else if (slept) {
		agent_wake();
	}
	if (slept && !agent_off)
		session_client_wake();
	/* finds modules that came while the loader was not hooked */
	if (!agent_off)
		loader_look();
redirect:
	if (!agent_off && names_redirect)
		why = names_redirect(late);
	if (!agent_off && late && !awake && late_hooks)
		providers_look();
	if (!agent_off && !awake)
		demand_make();
	why = agent_off ? off_row() : why;
	attaching_end();
	return why;
}

static void drop_add(struct text *drops, uint64_t count, const char *noun)
{
	if (drops->used)
		text_add(drops, ", ");
	text_add_unsigned(drops, count);
	text_add_char(drops, ' ');
	text_add(drops, noun);
	if (count != 1)
		text_add_char(drops, 's');
}

/* Lists the things that end with the agent: events in no trace, frames, a gdb.
 */
static void drops_list(struct text *drops)
{
	struct frames_tally tally;
	struct session *session;
	uint64_t events;

	for (uint32_t i = 0; i < SESSIONS_MAX; i++) {
		session = session_at(i);
		events = session && !session->owned ?
				 session_unsaved(session) : 0;
		if (!events)
			continue;
		drop_add(drops, events, "event");
		text_add(drops, " of session '");
		text_add(drops, session->name);
		text_add(drops, "' that no snapshot has");
	}
	run_tally(&tally);
	if (run_exists() && tally.held)
		drop_add(drops, tally.held, "trace frame");
	if (session_client_attached())
		drop_add(drops, session_client_attached(), "callback");
	if (gdb_connected())
		text_add(drops, drops->used ? ", a connected gdb" :
					      "a connected gdb");
}

int attach_undo(int force, struct text *drops, struct text *stopped)
{
	struct session *session;
	int ret;

	drops_list(drops);
	if (drops->used && !force)
		return -ENOTEMPTY;
	ret = ipa_undo();
	if (ret)
		return ret;
	/* until no event or frame can be written any more */
	run_stop(RUN_STOPPED);
	for (uint32_t i = 0; !ret && i < SESSIONS_MAX; i++) {
		session = session_at(i);
		if (!session || session->owned)
			continue;
		if (session->phase == SESSION_RUNS) {
			text_add(stopped, stopped->used ? ", " : "");
			text_add(stopped, session->name);
		}
		ret = session_stop(session);
	}
	if (ret)
		return ret;
	/* again: an event may have come in between */
	text_open(drops, drops->start, drops->size);
	drops_list(drops);
	if (drops->used && !force)
		return -ENOTEMPTY;
	run_forget();
	if (trace_get())
		trace_forget(trace_get());
	prints_forget();
	session_client_sleep();
	for (uint32_t i = 0; !ret && i < SESSIONS_MAX; i++)
		if (session_at(i))
			ret = session_destroy(session_at(i));
	if (ret)
		return ret;
	/* with the lock, no thread is in the middle of a dlclose() */
	registry_lock();
	loader_undo();
	if (names_restore)
		names_restore();
	if (late_hooks)
		late_hooks->back();
	demand_sleep();
	agent_off = agent_detached;
	registry_unlock();
	place_close(0);
	return 0;
}
