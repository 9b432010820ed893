/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loads the agent into a running process, see docs/attach.md.
 */
#ifndef COMMAND_ATTACH_ATTACH_H
#define COMMAND_ATTACH_ATTACH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "command/causes/cause.h"

/* The outcome of an attach; the caller sets it to zeros before. */
struct attach_report {
	uint64_t stall_ns;  /* of the one thread that was stopped */
	uint64_t took_ns;   /* from the first look to the end */
	bool woken;	    /* the agent was there, detached */
	struct cause cause; /* of a failure */
};

/*
 * Loads the agent into a process, or wakes an agent that was detached or that a
 * fork left asleep. Returns 0 once the agent serves; or a negative errno and
 * report->cause, and the process is then as before: -EEXIST it has an agent at
 * work, -ENOTSUP it cannot have one, -EACCES or -EPERM the user may not,
 * -ESRCH, -EBUSY it is stopped or traced, -ETIMEDOUT. Blocks all signals while
 * a thread is stopped. Not thread-safe.
 */
int attach_process(pid_t pid, struct attach_report *report);

/*
 * Ends what the load of a command that was killed still does in a process: an
 * agent is then at work or not loaded. Returns 0, or a negative errno: that
 * cannot be known now.
 */
int attach_finish(pid_t pid);

/*
 * Unloads a detached agent that attach_process() has loaded, if nothing in the
 * process can use it any more. All threads of the process are stopped for a
 * moment. Returns 0; or a negative errno, and the agent sleeps there as before.
 */
int attach_unload(pid_t pid);

/*
 * Checks whether attach_process() would load or wake an agent, as far as that
 * is known before a thread is stopped. Changes nothing in the process. Returns
 * 0, or a negative errno and the cause, as attach_process() does.
 */
int attach_check(pid_t pid, struct cause *cause);

/* The answer to a request, as libtaffrail-probe.so gave it. */
struct attach_answer {
	int status;		/* struct request */
	char *text;		/* ends with NUL; free() it */
};

/*
 * Has a thread of the process run a request (control/request.h) in
 * libtaffrail-probe.so. With `load` it loads that first where it is not there;
 * else a process without it has no library, which is -ENOENT. The process has
 * an agent at work. Returns 0 and the answer, or a negative errno and
 * report->cause. Blocks all signals while a thread is stopped. Not thread-safe.
 */
int attach_request(pid_t pid, bool load, const char *request,
		   struct attach_answer *answer, struct attach_report *report);

/*
 * Loads the library of a provider into a process that has an agent at work, and
 * has the agent lead libc's names there. Returns 0, or a negative errno and the
 * cause.
 */
int attach_provider(pid_t pid, const char *name, struct cause *cause);

/* Returns true when a thread of the process may block SIGTRAP, other than in a
 * function of libc. */
bool attach_traps_blocked(pid_t pid);

/*
 * Takes SIGTRAP out of the signals that threads of the process block: the agent
 * switches no code by traps while one blocks it. Each is stopped for a moment;
 * it may block the signal again at any time. Returns how many threads blocked
 * it; if none was changed, 0, or a negative errno if a thread could not be
 * stopped: -EPERM, -EALREADY it has a tracer.
 */
int attach_unblock_traps(pid_t pid);

/* Returns kernel.yama.ptrace_scope; 0 for a kernel without Yama. */
long attach_yama_scope(void);

/* Returns true when the process can make no thread for a command: each is
 * SCHED_DEADLINE, and none is the agent's. */
bool attach_deadline_alone(pid_t pid);

/* Says that the agent of a process stays, if a command that looks has loaded it
 * for its own time. Returns whether it did. */
bool attach_keep(pid_t pid);

/* Gives a process an agent unless it has one at work, and prints that; sets
 * `loaded` to whether it did; if that is NULL, the agent stays, see
 * attach_keep(). Returns 0, or a negative errno and the cause. */
int attach_agent(pid_t pid, bool *loaded, struct cause *cause);

/* The same, where descriptors suffice. Returns COMMAND_DONE; or after printing
 * why not, the exit status of the cause. */
int attach_provide(pid_t pid, bool *loaded);

#endif
