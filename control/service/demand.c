/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The service thread on demand.
 *
 *	command                         process without a service thread
 *	   | reads struct process_wake      |
 *	   | leads a thread to the code     |  that thread makes clone(2),
 *	   |   that makes it (ptrace), or   |  and goes on where it was
 *	   | sends a signal (activation.c)      |  the handler makes clone(2)
 *	   |                                v
 *	   |<------------ control.sock ---- service thread
 *	   | goes                           | a second without a peer: it ends
 *
 * A second thread changes a program: it may not unshare the user namespace, a
 * child that ends by the bare system call stays, sandboxes refuse to start. So
 * the program has a service thread only while a peer is served.
 *
 * Invariants (buffers/wake.h has the states):
 *  - a maker of the thread takes the offer, and then checks that the service
 *    thread before it has gone: both use the same stack;
 *  - a thread that makes an offer or takes one looks at `demand_withdrawn`
 *    afterwards; a thread that withdraws raises it first. So no offer outlives
 *    a withdrawal;
 *  - a command sets `request` to 1, then looks at the state, then sends the
 *    signal. A thread that executes another program withdraws the offer, and
 *    then waits while there is a request: the exec resets the handlers, so the
 *    signal would end the new program.
 *
 * The signal is one of the two that glibc keeps for itself: programs cannot
 * block it, or change the handler. glibc takes the signal at the first
 * pthread_cancel(3), and ignores it when it comes from another process; from
 * then on only ptrace(2) is left.
 */
#include "control/service/demand.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"
#include "base/sys.h"
#include "buffers/rings/channel.h"
#include "buffers/writers/pieces-x86_64.h"
#include "control/service/call.h"
#include "control/sessions/session.h"
#include "control/threads/filtered.h"
#include "control/threads/log.h"
#include "control/threads/settings.h"
#include "control/threads/thread.h"

#define SIGSET_BYTES	8
#define RESTORER_FLAG	0x04000000ul	/* SA_RESTORER */
#define PAUSE_NS	100000
#define LOOKS		10000			/* a second, at least */
#define HIDDEN		__attribute__((visibility("hidden")))

/* Input of the code at demand_entry; demand-*.S has the memory and offsets. */
struct demand_making {
	struct process_wake *wake;
	struct thread_making thread;
};
_Static_assert(sizeof(struct demand_making) == 40, "demand-*.S");

extern const char demand_entry[] HIDDEN;
extern const char call_stubs[] HIDDEN;
extern void demand_restore(void) HIDDEN;	/* a handler returns to it */
extern struct demand_making demand_making HIDDEN;
extern uint32_t demand_withdrawn HIDDEN;	/* withdrawals not given back */

/* written once, at start */
static struct kernel_action ours EARLY, before EARLY;
static uint32_t have_signal;		/* the signal's number, or 0 */
static uint32_t offered = WAKE_OFFERED;	/* the state of an offer */
static int (*service_run)(void *arg);
static bool (*debugger_awaited)(void);

static bool wake_change(struct process_wake *wake, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&wake->state, &from, to, 0,
					   SEQ_CST(WAKE_OFFER),
					   SEQ_CST(WAKE_OFFER));
}

static uint32_t withdrawal_count(void)
{
	return __atomic_load_n(&demand_withdrawn, SEQ_CST(WAKE_OFFER));
}

static void offer_set(struct process_wake *wake, uint32_t from, int error,
		      uint32_t denial)
{
	char *page = (char *)wake - offsetof(struct process_page, wake);

	store_relaxed(&((struct process_page *)page)->denial, denial);
	store_relaxed(&wake->error, error);
	if (wake_change(wake, from, offered) && withdrawal_count())
		wake_change(wake, offered, WAKE_NONE);
}

/* Does the same as the code at demand_entry. */
static void thread_make(struct process_wake *wake)
{
	int ret = -EBUSY;

	if (!wake_change(wake, WAKE_OFFERED, WAKE_TAKEN))
		return;
	if (withdrawal_count())
		ret = 0;
	else if (!thread_service() && !(ret = thread_serve(service_run)))
		return;
	offer_set(wake, WAKE_TAKEN, -ret, 0);
}

/* Runs in one of the program's threads, on the signal. One that no command has
 * sent goes on to the handler that was there before. */
SIGSAFE static void on_signal(int number, siginfo_t *info, void *context)
{
	struct process_page *page = process.page;

	if (agent_off || !load_relaxed(fork_mark) || !page ||
	    page->pid != (uint32_t)sys_getpid() ||
	    (info->si_code == SI_TKILL && info->si_pid == (int)page->pid) ||
	    !load_relaxed(&page->wake.request)) {
		if ((uintptr_t)before.handler > 1)
			before.handler(number, info, context);
		return;
	}
	/* the thread that is made begins with it */
	host_unaligned();
	thread_make(&page->wake);
	store_release(&page->wake.request, 0, WAKE_REQUEST);
}

static bool service_never(void)
{
	return setting_is(settings.service, "off");
}

/* Returns true when the thread must stay, because a command could not make it
 * again: a debugger stops the threads that a command would use; the group's
 * members may neither trace nor signal the process; valgrind does not translate
 * a thread that a command makes. Or because it looks at rings (--keep). */
static bool thread_stays(void)
{
	return setting_is(settings.service, "thread") ||
	       setting_is(settings.gdb, "on") || channel_group ||
	       debugger_awaited() || thread_translated() || session_keeps();
}

void demand_setup(int (*run)(void *arg), bool (*awaited)(void),
		  int (*serve)(void *unused))
{
	service_run = run;
	debugger_awaited = awaited;
	if (agent_signal) {
		offered = WAKE_SIGNALLED;
		call_setup(serve, demand_restore, call_stubs);
		return;
	}
	ours = (struct kernel_action){
		.handler = on_signal,
		.flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | RESTORER_FLAG,
		.restorer = demand_restore,
		.mask = ~0ull,
	};
	if (have_signal || service_never() ||
	    setting_is(settings.service, "thread"))
		return;
	if (!sys4(SYS_rt_sigaction, WAKE_SIGNAL, &ours, &before, SIGSET_BYTES))
		have_signal = WAKE_SIGNAL;
}

static bool offer_prepare(struct process_page *page)
{
	struct process_wake *wake = &page->wake;

	if (agent_signal && !have_signal && !call_begin())
		have_signal = agent_signal;
	if (service_never() ||
	    thread_making(&demand_making.thread, service_run))
		return false;
	demand_making.wake = wake;
	wake->signal = have_signal;
	wake->rseq_offset = rseq_offset;
	wake->rseq_bytes = rseq_offset ? RSEQ_BYTES_MAX : 0;
	wake->filters = filtered_allowed();
	wake->entry = (uint64_t)demand_entry;
	wake->page = (uint64_t)page;
	return true;
}

bool demand_defer(struct process_page *page)
{
	if (agent_signal || thread_stays() || !offer_prepare(page))
		return false;
	offer_set(&page->wake, WAKE_NONE, 0, 0);
	return true;
}

SIGSAFE void demand_offer(int error, uint32_t denial)
{
	struct process_wake *wake = &process.page->wake;

	/* still TAKEN when the thread could not begin */
	if (offer_prepare(process.page)) {
		offer_set(wake, WAKE_TAKEN, error, denial);
		offer_set(wake, WAKE_NONE, error, denial);
	} else {
		wake_change(wake, WAKE_TAKEN, WAKE_NONE);
	}
}

/* The offer says why the try before it has failed, or 0. */
static void offer_begin(int error)
{
	struct process_wake *wake = &process.page->wake;

	/* Also while a thread is about to end: a maker that takes the offer
	 * checks that this thread has gone. */
	if (offer_prepare(process.page))
		offer_set(wake, WAKE_NONE, error, 0);
	/* for commands to say why nobody answers */
	if (service_never())
		store_relaxed(&wake->error, ENOTSUP);
	if (agent_signal || !thread_stays() || service_never() ||
	    thread_service())
		return;
	store_relaxed(&wake->error, 0);
	thread_make(wake);
	if (load_relaxed(&wake->error))
		log_fact(LOG_ERROR, "service", "cannot make the service thread",
			 -load_relaxed(&wake->error));
}

SIGSAFE void demand_begin(void)
{
	offer_begin(0);
}

void demand_make(void)
{
	thread_make(&process.page->wake);
}

/* Returns this process's, or in a child of vfork(2) the parent's; NULL when
 * there is none. Makes no system call. */
static struct process_wake *wake_near(void)
{
	return agent_off || thread_forbidden() || !load_relaxed(fork_mark) ||
	       !process.page || !demand_making.wake ? NULL :
						      &process.page->wake;
}

/* Waits while `word` has this value, for about a second; with `until_thread`
 * only until there is a service thread. */
static void wait_while(const uint32_t *word, uint32_t value, int until_thread)
{
	struct timespec pause = { .tv_nsec = PAUSE_NS };
	int looks = LOOKS;

	while (__atomic_load_n(word, SEQ_CST(WAKE_REQUEST)) == value &&
	       looks-- && !(until_thread && thread_service()))
		sys2(SYS_nanosleep, &pause, NULL);
}

static bool offer_withdraw(struct process_wake *wake)
{
	__atomic_add_fetch(&demand_withdrawn, 1, SEQ_CST(WAKE_OFFER));
	if (!wake_change(wake, offered, WAKE_NONE))
		wait_while(&wake->state, WAKE_TAKEN, 1);
	/* another thread may be obeying a request */
	wait_while(&wake->request, CALL_SERVED, 0);
	wait_while(&wake->sending, 1, 0);
	return true;
}

SIGSAFE bool demand_withdraw(void)
{
	struct process_wake *wake = wake_near();

	return wake && process.page->pid == (uint32_t)sys_getpid() ?
		       offer_withdraw(wake) : false;
}

SIGSAFE void demand_give_back(bool withdrawn)
{
	/* a maker that came meanwhile was refused: the command tries again */
	if (withdrawn && !__atomic_sub_fetch(&demand_withdrawn, 1,
					     SEQ_CST(WAKE_OFFER)))
		offer_begin(EBUSY);
}

SIGSAFE void demand_refuse(int error)
{
	struct process_wake *wake = wake_near();

	if (wake)
		store_relaxed(&wake->error, error);
}

static int signal_change(const struct kernel_action *set,
			 struct kernel_action *old)
{
	return (int)sys4(SYS_rt_sigaction, have_signal, set, old, SIGSET_BYTES);
}

/* Returns true when a program that is executed must find the signal ignored,
 * because without the agent it would. */
static bool is_ignored(void)
{
	struct kernel_action now;

	if (!have_signal || thread_forbidden())
		return false;
	if (agent_signal)
		return call_ignores();
	return before.handler == (void *)SIG_IGN &&
	       !signal_change(NULL, &now) && now.handler == on_signal;
}

SIGSAFE void demand_exec(struct demand_leave *leave)
{
	const struct kernel_action ignored = {
		.handler = (void *)SIG_IGN,
	};
	struct process_wake *wake = wake_near();
	bool ignores = is_ignored();

	leave->withdrawn = leave->ignored = false;
	/* Only a system call can tell this process from a child that shares the
	 * memory, and a filter that the agent did not notice may kill for that
	 * call. */
	if (wake && !load_relaxed(fork_guests)) {
		leave->withdrawn = offer_withdraw(wake);
		wait_while(&wake->request, 1, 0);
		/* the command was stopped or killed before the signal */
		ignores |= have_signal &&
			   (__atomic_exchange_n(&wake->request, 0,
						SEQ_CST(WAKE_REQUEST)) ||
			    (agent_signal && call_left(wake)));
	}
	/* an exec resets handlers, but it keeps a signal ignored */
	if (ignores)
		leave->ignored = !signal_change(&ignored, &leave->before);
}

SIGSAFE void demand_exec_failed(const struct demand_leave *leave)
{
	struct kernel_action now;

	/* another thread may have installed a handler */
	if (leave->ignored && !signal_change(NULL, &now) &&
	    now.handler == (void *)SIG_IGN)
		signal_change(&leave->before, NULL);
	demand_give_back(leave->withdrawn);
}

SIGSAFE bool demand_spawn(void)
{
	/* glibc's posix_spawn() changes signal 32 itself */
	if (!agent_signal || !is_ignored())
		return false;
	call_spawn(true);
	return true;
}

SIGSAFE void demand_spawned(bool begun)
{
	if (begun)
		call_spawn(false);
}

void demand_forget(void)
{
	demand_withdrawn = 0;
	demand_making.wake = NULL;
}

void demand_sleep(void)
{
	if (!agent_signal)
		return;
	call_end();
	have_signal = 0;
}

/* Puts an action in the place of another one. */
static void action_swap(const struct kernel_action *from,
			const struct kernel_action *to)
{
	struct kernel_action now;

	if (have_signal && !signal_change(NULL, &now) &&
	    now.handler == from->handler)
		signal_change(to, NULL);
}

void demand_signal_give(void)
{
	action_swap(&ours, &before);
}

void demand_signal_take(void)
{
	action_swap(&before, &ours);
}

bool demand_may_end(void)
{
	return !thread_stays();
}
