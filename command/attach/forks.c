/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Forks that are under way when an attach begins. If such a fork comes to its
 * clone(2) while the loader is in dlopen, the child's dynamic linker stays in
 * the middle of its work until the child exits.
 *
 *	fork(3)   lock | handlers | lock stays: stdio, malloc, clone | unlock
 *
 * The loader registers its handler under that lock. So at that moment no thread
 * is past the handlers, and a thread that comes to them later waits in ours.
 * But libc from 2.36 releases the lock while it calls a handler, and a thread
 * that is in another handler then calls only the handlers that were there when
 * it began. So if there are handlers besides ours, the command looks at each
 * thread until it has seen the thread outside of fork(3) or in our handler.
 * Once is enough: the thread cannot enter fork(3) again without coming to our
 * handler.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "command/attach/steps.h"
#include "command/common/monotonic.h"
#include "command/procfs/process.h"
#include "command/procfs/threads.h"

#define HANDLER_WAIT_MS	3000	/* less than the loader waits for `go` */
#define MAYBE_WAIT_MS	300
#define RUNNING_LOOKS	5
#define PAUSE_NS	1000000
#define DATA_MAX	(4u << 20)

/* An element of libc's list, from glibc 2.36 on. The list's head is in libc's
 * data: used, allocated, array; at first the array follows the head. */
#define HANDLER_WORDS	5u
#define HANDLERS_STATIC	48u
#define HANDLER_OBJECT	3u

/*
 * Returns true when another library has a prepare handler, or when that is not
 * known.
 *
 * Our element is found by the handler and the object that we registered; the
 * list's head, by words that fit to the elements between: the address of the
 * first, and a count that is above their number.
 */
static bool others_prepare(const struct attach_target *t, uint64_t base)
{
	uint64_t prepare = base + (uint64_t)(attach_stub_prepare -
					     attach_stub_start);
	uint64_t data = (t->libc->data + 7) & ~7ull;
	size_t n = (t->libc->data_end - data) / 8, mine = 0, first;
	uint64_t *words;
	bool others = true;

	if (t->libc->data_end - data > DATA_MAX)
		return true;
	words = calloc(n + 1, sizeof(*words));
	if (!words || attach_read(t, data, words, n * 8))
		goto end;
	while (mine + HANDLER_WORDS <= n &&
	       (words[mine] != prepare || words[mine + HANDLER_OBJECT] !=
					  base + ATTACH_CODE_BYTES))
		mine++;
	if (mine + HANDLER_WORDS > n)
		goto end;
	first = mine;
	for (unsigned int i = 0; i < HANDLERS_STATIC && first >= 3; i++) {
		if (words[first - 1] == data + first * 8 &&
		    words[first - 3] > i) {
			others = false;
			for (; first < mine; first += HANDLER_WORDS)
				others |= words[first] != 0;
			break;
		}
		if (first < HANDLER_WORDS + 3)
			break;
		first -= HANDLER_WORDS;
	}
end:
	free(words);
	return others;
}

/* Waits until the thread was seen outside of fork(3) or in our handler. Returns
 * 0, also for a thread that has exited; or -EAGAIN and the cause: it stays in
 * fork(3) for HANDLER_WAIT_MS. */
static int wait_thread(struct attach_target *t, pid_t tid, uint64_t base)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	uint64_t began = monotonic_ns();
	uint64_t sp, pc, ms;

	for (unsigned int looks = 0;; looks++) {
		int ret = attach_thread_waits(t->pid, tid, &sp, &pc);

		ms = (monotonic_ns() - began) / 1000000;
		if (ret == -EAGAIN && looks >= RUNNING_LOOKS)
			ret = attach_stop_look(t, tid, &sp, &pc);
		if (ret == -ESRCH)
			return 0;
		if (!ret && pc - base < ATTACH_CODE_BYTES)
			return 0;	/* it waits in our handler */
		if (!ret) {
			enum attach_forking at = attach_forking_at(t, sp, pc);

			if (at == FORKING_NO ||
			    (at == FORKING_MAYBE && ms > MAYBE_WAIT_MS))
				return 0;
		}
		if (ms > HANDLER_WAIT_MS)
			return attach_cause(t, -EAGAIN, THREAD_IN_FORK,
					    .n = tid);
		nanosleep(&pause, NULL);
	}
}

int attach_forks_wait(struct attach_target *t, uint64_t base)
{
	int ret = 0;
	DIR *list;
	pid_t tid;

	if (!others_prepare(t, base))
		return 0;
	/* a directory that changes while it is read may omit a thread once */
	for (int round = 0; round < 2 && !ret; round++) {
		list = threads_open(t->pid);
		while (!ret && (tid = threads_next(list)))
			if (!attach_thread_worker(t->pid, tid) &&
			    !process_named(t->pid, tid, "taffrail attach"))
				ret = wait_thread(t, tid, base);
		threads_close(list);
	}
	return ret;
}
