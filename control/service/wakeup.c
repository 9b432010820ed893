/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Orders to the service thread, from threads that may own no descriptor.
 *
 * The service thread sleeps in poll(2). A signal that is sent to this thread
 * alone wakes it. The signal stays blocked there like all others: a signalfd in
 * the thread's private table becomes readable. libc keeps this signal for
 * setuid(), so no program sends it, blocks it or waits for it.
 *
 *	       wakeup_rights()         wakeup_answer()
 *	IDLE ----------------> RIGHTS ---------------> APPLYING ----> IDLE
 *	  |                      | time-out                 | not to be had
 *	  +----------> END <-----+--------------------------+
 *	   wakeup_end()
 *
 * Invariants:
 *  - `rights` is written only in IDLE, by the thread that holds `taken`;
 *  - an order names the service thread that it is for. A later service thread
 *    reads it as IDLE.
 */
#include "control/service/wakeup.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/signalfd.h>

#include "base/base.h"
#include "base/host.h"
#include "base/sys.h"
#include "base/tunables.h"
#include "buffers/rings/channel.h"
#include "control/threads/log.h"
#include "control/threads/rights.h"
#include "control/threads/settings.h"
#include "control/threads/thread.h"

#define WAKEUP_SIGNAL	33
#define SIGSET_BYTES	8
#define NS_PER_MS	1000000ll
#define PAUSE_NS	20000

enum { WAKEUP_IDLE, WAKEUP_RIGHTS, WAKEUP_APPLYING, WAKEUP_END };

static uint32_t taken;		/* by one of the program's threads */
static uint32_t order;		/* KIND | thread's id << 2; WAKEUP-ORDER */
static struct rights rights;	/* in RIGHTS and APPLYING: to be adopted */

/* Makes no system call when there is no service thread: a seccomp filter may be
 * the reason that there is none. */
SIGSAFE bool wakeup_here(void)
{
	return !agent_off && !thread_forbidden() && thread_service() &&
	       load_relaxed(fork_mark) && process.page &&
	       process.page->pid == (uint32_t)sys_getpid();
}

SIGSAFE void wakeup_forget(void)
{
	taken = 0;
	order = WAKEUP_IDLE;
}

static void pause_shortly(void)
{
	struct timespec pause = { .tv_nsec = PAUSE_NS };

	sys2(SYS_nanosleep, &pause, NULL);
}

/* Blocks all signals: a handler that came here would wait for the thread that
 * it interrupted. */
static void wakeup_take(uint64_t *mask)
{
	host_signals_block(mask);
	while (__atomic_exchange_n(&taken, 1, ACQUIRE(WAKEUP_LOCK)))
		pause_shortly();
}

static void wakeup_release(const uint64_t *mask)
{
	store_release(&taken, 0, WAKEUP_LOCK);
	host_signals_restore(mask);
}

static uint32_t kind_of(uint32_t seen, uint32_t tid)
{
	return seen >> 2 == tid ? seen & 3 : WAKEUP_IDLE;
}

static uint32_t kind_now(uint32_t tid)
{
	/* WAKEUP-ORDER: once IDLE is read, the order's work is complete */
	return kind_of(load_acquire(&order, WAKEUP_ORDER), tid);
}

static bool order_change(uint32_t tid, uint32_t from, uint32_t to)
{
	uint32_t seen = load_acquire(&order, WAKEUP_ORDER);

	/* WAKEUP-ORDER: `rights` is complete when the order is seen */
	return kind_of(seen, tid) == from &&
	       __atomic_compare_exchange_n(&order, &seen, to | tid << 2, 0,
					   ACQ_REL(WAKEUP_ORDER),
					   __ATOMIC_RELAXED);
}

static void thread_signal(uint32_t tid)
{
	sys3(SYS_tgkill, sys_getpid(), tid, WAKEUP_SIGNAL);
}

/* Waits while there is an order other than END, or until `deadline`. */
static void order_wait(uint32_t tid, int64_t deadline)
{
	uint32_t seen, kind;
	int64_t left;

	/* WAKEUP-ORDER: once IDLE is read, the service thread's rights have
	 * changed */
	while ((kind = kind_of(seen = load_acquire(&order, WAKEUP_ORDER),
			       tid)) != WAKEUP_IDLE &&
	       kind != WAKEUP_END && thread_service() == tid &&
	       (left = deadline - sys_clock_ns(CLOCK_MONOTONIC)) > 0) {
		struct timespec rest = { .tv_sec = left / 1000000000,
					 .tv_nsec = left % 1000000000 };

		sys_futex_wait(&order, seen, &rest);
	}
}

SIGSAFE void wakeup_rights(void)
{
	uint32_t tid = thread_service();
	int64_t deadline;
	uint64_t mask;

	if (!tid || !wakeup_here())
		return;
	deadline = sys_clock_ns(CLOCK_MONOTONIC) + WAKEUP_WAIT_MS * NS_PER_MS;
	wakeup_take(&mask);
	if (kind_now(tid) == WAKEUP_APPLYING)
		order_wait(tid, deadline);
	if (kind_now(tid) == WAKEUP_IDLE) {
		order_change(tid, WAKEUP_IDLE,
			     rights_read(&rights) ? WAKEUP_END : WAKEUP_RIGHTS);
		thread_signal(tid);
		order_wait(tid, deadline);
		if (thread_service() == tid &&
		    order_change(tid, WAKEUP_RIGHTS, WAKEUP_END))
			log_fact(LOG_WARNING, "service",
				 "was busy while the program's rights changed: "
				 "the service thread ends", 0);
	}
	wakeup_release(&mask);
}

/* The kernel clears the thread's id first; the thread has gone when no task has
 * the id any more. */
static bool service_gone(uint32_t tid, int64_t deadline)
{
	while (sys_clock_ns(CLOCK_MONOTONIC) < deadline) {
		if (!thread_service() &&
		    sys3(SYS_tgkill, sys_getpid(), tid, 0) == -ESRCH)
			return true;
		pause_shortly();
	}
	return false;
}

SIGSAFE bool wakeup_end(void)
{
	uint32_t tid = thread_service();
	int64_t deadline;
	uint64_t mask;
	bool ret;

	if (!tid || !wakeup_here())
		return false;
	deadline = sys_clock_ns(CLOCK_MONOTONIC) + WAKEUP_WAIT_MS * NS_PER_MS;
	wakeup_take(&mask);
	if (kind_now(tid) == WAKEUP_APPLYING)
		order_wait(tid, deadline);
	order_change(tid, WAKEUP_IDLE, WAKEUP_END);
	thread_signal(tid);
	ret = service_gone(tid, deadline);
	if (!ret)
		log_fact(LOG_WARNING, "service",
			 "is busy: the service thread ends later", 0);
	wakeup_release(&mask);
	return ret;
}

int wakeup_open(void)
{
	uint64_t mask = 1ull << (WAKEUP_SIGNAL - 1);

	return (int)sys4(SYS_signalfd4, -1, &mask, SIGSET_BYTES,
			 SFD_CLOEXEC | SFD_NONBLOCK);
}

void wakeup_clear(int fd)
{
	struct signalfd_siginfo info;

	while (sys_read(fd, &info, sizeof(info)) > 0)
		;
}

int wakeup_answer(void)
{
	uint32_t tid = thread_service();
	int ret;

	if (order_change(tid, WAKEUP_RIGHTS, WAKEUP_APPLYING)) {
		ret = rights_adopt(&rights);
		/* WAKEUP-ORDER: the rights are adopted before the order ends:
		 * after that, `rights` may be written again */
		store_release(&order,
			      (ret ? WAKEUP_END : WAKEUP_IDLE) | tid << 2,
			      WAKEUP_ORDER);
		sys_futex_wake(&order, 1);
		if (ret)
			log_fact(LOG_ERROR, "service",
				 "the service thread ends: it cannot get the "
				 "program's rights",
				 ret);
		return ret;
	}
	return kind_now(tid) == WAKEUP_END ? -ECANCELED : 0;
}
