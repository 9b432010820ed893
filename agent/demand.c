/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The service thread on demand.
 *
 *	command                         process without a service thread
 *	   | reads struct process_wake      |
 *	   | sets `request`, sends a signal |  the handler makes clone(2)
 *	   |   or, where that would disturb each thread (summon.c):
 *	   | stops one thread (ptrace), has it make clone(2), lets it go
 *	   |                                v
 *	   |<------------ control.sock ---- service thread
 *	   | goes                           | a second without a peer: it ends
 *
 * A program is not what it was with a second thread: it may not unshare its
 * user namespace, a child that ends by the bare system call stays, sandboxes
 * refuse to start. So it has one only while a peer is served.
 *
 * What must stay true: `at` is 0 while there is a service thread, and from
 * before one is made here. A command looks at `at` and at the thread's id, and
 * holds the lock of the process's directory from then until the thread is
 * there.
 *
 * The signal is one of the two that glibc keeps for itself: programs cannot
 * block it, or change what it does. glibc takes it at the first
 * pthread_cancel(3), and ignores it when it comes from another process; from
 * then on only ptrace(2) is left.
 */
#include "agent/demand.h"

#include <errno.h>
#include <signal.h>

#include "agent/agent.h"
#include "agent/ipa.h"
#include "agent/service.h"
#include "agent/thread.h"
#include "buffers/base.h"
#include "buffers/channel.h"
#include "buffers/sys.h"
#include "buffers/text.h"

#define SIGSET_BYTES	8
#define RESTORER_FLAG	0x04000000ul	/* SA_RESTORER */

typedef void handler_fn(int number, siginfo_t *info, void *context);

/* The kernel's struct sigaction. */
struct action {
	handler_fn *handler;
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static struct action before;	/* written once, at start */
static int have_signal;

/* In a program's thread, by the signal. Returns 1 when it was a command's. */
static int asked(const siginfo_t *info)
{
	struct process_page *page = process.page;

	if (agent_off || !load_relaxed(fork_mark) || !page ||
	    page->pid != (uint32_t)sys_getpid() ||
	    (info->si_code == SI_TKILL && info->si_pid == (int)page->pid) ||
	    !__atomic_exchange_n(&page->wake.request, 0, __ATOMIC_ACQ_REL))
		return 0;
	if (load_relaxed(&page->wake.at) && !thread_service()) {
		store_relaxed(&page->wake.at, 0);
		if (thread_serve(service_main))
			store_relaxed(&page->wake.at, thread_wake_at());
	}
	return 1;
}

SIGSAFE static void on_signal(int number, siginfo_t *info, void *context)
{
	if (!asked(info) && before.handler > (handler_fn *)1)
		before.handler(number, info, context);
}

/* demand-*.S: what a handler returns to. */
extern void demand_restore(void) __attribute__((visibility("hidden")));

static int setting_is(const char *setting, const char *word)
{
	return setting && text_equal(setting, word);
}

void demand_setup(void)
{
	struct action action = {
		.handler = on_signal,
		.flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | RESTORER_FLAG,
		.restorer = demand_restore,
	};

	if (have_signal || !setting_is(settings.service, "demand"))
		return;
	have_signal = !sys4(SYS_rt_sigaction, PROCESS_WAKE_SIGNAL, &action,
			    &before, SIGSET_BYTES);
}

/* Does it stay, once it is there? A debugger stops what a command would use;
 * the group's members may neither trace nor signal the process. */
static int stays(void)
{
	return !setting_is(settings.service, "demand") ||
	       setting_is(settings.gdb, "on") || channel_group || ipa_awaits();
}

SIGSAFE void demand_offer(void)
{
	struct process_wake *wake = &process.page->wake;

	thread_offer(wake, service_main);
	wake->signal = have_signal ? PROCESS_WAKE_SIGNAL : 0;
	/* the rest is there when `at` is: a command reads it first */
	store_release(&wake->at, thread_wake_at());
}

SIGSAFE void demand_begin(void)
{
	int ret;

	if (setting_is(settings.service, "off") || thread_service())
		return;
	if (stays()) {
		ret = thread_serve(service_main);
		if (ret)
			log_fact(LOG_ERROR, "service", "no service thread",
				 ret);
	} else {
		demand_offer();
	}
}

SIGSAFE int demand_withdraw(void)
{
	struct process_page *page = process.page;

	/* a child of vfork(2) has its parent's page */
	if (agent_off || !load_relaxed(fork_mark) || !page ||
	    !load_relaxed(&page->wake.at) ||
	    page->pid != (uint32_t)sys_getpid())
		return 0;
	store_relaxed(&page->wake.at, 0);
	return 1;
}

int demand_may_end(void)
{
	return !stays();
}
