/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The records of threads that hit markers with callbacks.
 *
 * A thread cannot free the record when it ends, because it may hit markers
 * after every destructor that libc runs. A thread that needs a record looks for
 * one whose thread has gone.
 *
 *	free (tid 0) -> claimed by a compare-and-swap of `tid` -> the thread's
 *	     ^                                                       |
 *	     +---- another thread finds that the thread has gone ----+
 *
 * Invariants:
 *  - only the thread whose id is in a record writes the other fields;
 *  - everything up to reader_take() is SIGSAFE: the first hit of a thread may
 *    be in a signal handler.
 */
#define _LGPL_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <urcu-bp.h>

#include "callbacks/private.h"

#include "base/base.h"
#include "base/sys.h"

#define CHUNK_MAX	((65536 - 64) / sizeof(struct reader))

/* Records in one mapping. Chunks are added, and never freed. */
struct chunk {
	struct chunk *next;
	uint32_t n;
	struct reader readers[] __attribute__((aligned(64)));
};

/* The first 63 records need no memory. */
static union {
	struct chunk chunk;
	char bytes[sizeof(struct chunk) + 63 * sizeof(struct reader)];
} first = { .chunk.n = 63 };

static struct chunk *chunks = &first.chunk;
static uint32_t records = 63;

__thread struct reader *callback_reader;

/* Returns true when the record's thread has gone. In a child that libc does not
 * report (_Fork(), clone(2)), all records have the parent's pid, also that of
 * the child's own thread: none of them counts as gone. */
static SIGSAFE bool is_gone(const struct reader *reader, uint32_t tid)
{
	uint32_t pid = (uint32_t)sys_getpid();

	return load_relaxed(&reader->pid) == pid &&
	       sys3(SYS_tgkill, pid, tid, 0) == -ESRCH;
}

/* Takes the record from thread `from` (0: it is free). Returns NULL when
 * another thread was faster. The record's fields are cleared after the id is
 * exchanged, so only the new owner writes them. */
static SIGSAFE struct reader *reader_claim(struct reader *reader, uint32_t from,
					   uint32_t tid)
{
	if (!__atomic_compare_exchange_n(&reader->tid, &from, tid, 0,
					 ACQ_REL(READER_THREAD),
					 __ATOMIC_RELAXED))
		return NULL;
	reader->pid = (uint32_t)sys_getpid();
	reader->state = READER_OUT;
	reader->list = NULL;
	store_release(&reader->current, NULL, READER_CURRENT);
	return reader;
}

/* Looks for a record that is free or was left by a thread of the same number
 * (by_gone 0), or whose thread has gone. */
static SIGSAFE struct reader *reader_find(uint32_t tid, int by_gone)
{
	struct chunk *chunk = load_acquire(&chunks, READER_CHUNKS);
	struct reader *found;

	for (; chunk; chunk = chunk->next) {
		for (uint32_t i = 0; i < chunk->n; i++) {
			struct reader *reader = &chunk->readers[i];
			uint32_t is = load_relaxed(&reader->tid);

			if (by_gone ? is && !is_gone(reader, is) :
				      is && is != tid)
				continue;
			found = reader_claim(reader, is, tid);
			if (found)
				return found;
		}
	}
	return NULL;
}

/* Adds as many records as there are, CHUNK_MAX at most. */
static SIGSAFE struct reader *readers_grow(uint32_t tid)
{
	uint32_t n = (uint32_t)min_u64(load_relaxed(&records), CHUNK_MAX);
	struct chunk *chunk = sys_map_anonymous(
		sizeof(*chunk) + n * sizeof(struct reader));

	if (!chunk)
		return NULL;
	chunk->n = n;
	chunk->readers[0].pid = (uint32_t)sys_getpid();
	chunk->readers[0].tid = tid;
	chunk->next = load_relaxed(&chunks);
	while (!__atomic_compare_exchange_n(&chunks, &chunk->next, chunk, 0,
					    RELEASE(READER_CHUNKS),
					    __ATOMIC_RELAXED))
		;
	__atomic_fetch_add(&records, n, __ATOMIC_RELAXED);
	return &chunk->readers[0];
}

/* The cleanup of urcu_know(): liburcu was left by a longjmp() out of a
 * handler. */
static SIGSAFE void reader_out(void *reader)
{
	store_relaxed(&((struct reader *)reader)->state, READER_OUT);
}

/* Makes the thread known to liburcu, whose functions may hit markers. */
static SIGSAFE void urcu_know(struct reader *reader)
{
	struct cleanup buffer;

	if (URCU_TLS(urcu_bp_reader) || reader->state != READER_OUT)
		return;
	_pthread_cleanup_push(&buffer, reader_out, reader);
	store_relaxed(&reader->state, READER_BUSY);
	__atomic_signal_fence(SEQ_CST(READER_STATE));
	(void)urcu_bp_read_ongoing();	/* registers */
	store_relaxed(&reader->state, READER_OUT);
	_pthread_cleanup_pop(&buffer, 0);
}

SIGSAFE struct reader *reader_take(void)
{
	uint32_t tid = (uint32_t)sys_gettid();
	struct reader *reader = callback_reader;

	if (!reader)
		reader = reader_find(tid, 0);
	if (!reader)
		reader = reader_find(tid, 1);
	if (!reader)
		reader = readers_grow(tid);
	if (!reader)
		return NULL;
	/* a handler that came meanwhile may have taken another record: the
	 * thread keeps that, and this one is free when the thread has gone */
	if (!callback_reader) {
		reader->error = &errno;
		__atomic_signal_fence(SEQ_CST(READER_STATE));
		callback_reader = reader;
	}
	urcu_know(callback_reader);
	return callback_reader;
}

int reader_each(int (*fn)(struct reader *reader, void *arg), void *arg)
{
	struct chunk *chunk = load_acquire(&chunks, READER_CHUNKS);
	int ret = 0;

	for (; chunk && !ret; chunk = chunk->next) {
		for (uint32_t i = 0; i < chunk->n && !ret; i++) {
			struct reader *reader = &chunk->readers[i];
			uint32_t tid =
				load_acquire(&reader->tid, READER_THREAD);

			if (tid)
				ret = fn(reader, arg);
			/* asked last, because it is a system call */
			if (ret && is_gone(reader, tid))
				ret = 0;
		}
	}
	return ret;
}

/* For reader_each(): frees the records of threads that a forked child does not
 * have. */
static int reader_forget(struct reader *reader, void *unused)
{
	if (reader != callback_reader) {
		store_release(&reader->current, NULL, READER_CURRENT);
		store_release(&reader->list, NULL, READER_LIST);
		store_release(&reader->tid, 0, READER_THREAD);
	}
	return 0;
}

void reader_forked(void)
{
	reader_each(reader_forget, NULL);
	if (!callback_reader)
		return;
	store_relaxed(&callback_reader->pid, (uint32_t)sys_getpid());
	store_release(&callback_reader->tid, (uint32_t)sys_gettid(),
		      READER_THREAD);
}
