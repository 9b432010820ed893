/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The records of threads that hit markers with callbacks.
 *
 * A thread does not say when it ends: no destructor of libc's runs late
 * enough. A record whose thread has gone is found when one is needed.
 */
#include "probes/private.h"

#include <errno.h>

#include "base/base.h"
#include "base/sys.h"

#define CHUNK_MAX	((65536 - 64) / sizeof(struct reader))

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

__thread struct reader *probe_reader;

static SIGSAFE int is_gone(uint32_t tid)
{
	return sys3(SYS_tgkill, sys_getpid(), tid, 0) == -ESRCH;
}

static SIGSAFE struct reader *claim(struct reader *reader, uint32_t from,
				    uint32_t tid)
{
	if (!__atomic_compare_exchange_n(&reader->tid, &from, tid, 0,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return NULL;
	reader->state = READER_OUT;
	reader->list = NULL;
	store_release(&reader->current, NULL);
	return reader;
}

/* Looks for a record that is free (by_gone 0), or whose thread has gone. */
static SIGSAFE struct reader *find(uint32_t tid, int by_gone)
{
	struct chunk *chunk = load_acquire(&chunks);
	struct reader *found;
	uint32_t i;

	for (; chunk; chunk = chunk->next) {
		for (i = 0; i < chunk->n; i++) {
			struct reader *reader = &chunk->readers[i];
			uint32_t is = load_relaxed(&reader->tid);

			if (by_gone ? is && is != tid && !is_gone(is) : !!is)
				continue;
			found = claim(reader, is, tid);
			if (found)
				return found;
		}
	}
	return NULL;
}

/* As many records again as there are, within a chunk's limit. */
static SIGSAFE struct reader *grow(uint32_t tid)
{
	uint32_t n = (uint32_t)min_u64(load_relaxed(&records), CHUNK_MAX);
	struct chunk *chunk = sys_map_anonymous(
		sizeof(*chunk) + n * sizeof(struct reader));

	if (!chunk)
		return NULL;
	chunk->n = n;
	chunk->readers[0].tid = tid;
	chunk->next = load_relaxed(&chunks);
	while (!__atomic_compare_exchange_n(&chunks, &chunk->next, chunk, 0,
					    __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
	__atomic_fetch_add(&records, n, __ATOMIC_RELAXED);
	return &chunk->readers[0];
}

SIGSAFE struct reader *reader_take(void)
{
	uint32_t tid = (uint32_t)sys_gettid();
	struct reader *reader = find(tid, 0);

	if (!reader)
		reader = find(tid, 1);
	if (!reader)
		reader = grow(tid);
	/* a handler that came meanwhile may have taken one: then that is the
	 * thread's, and this one stays until the thread has gone */
	if (!probe_reader && reader) {
		reader->error = &errno;
		probe_reader = reader;
	}
	return probe_reader;
}

int reader_each(int (*fn)(struct reader *reader, void *arg), void *arg)
{
	struct chunk *chunk = load_acquire(&chunks);
	uint32_t i;
	int ret = 0;

	for (; chunk && !ret; chunk = chunk->next) {
		for (i = 0; i < chunk->n && !ret; i++) {
			struct reader *reader = &chunk->readers[i];
			uint32_t tid = load_acquire(&reader->tid);

			if (tid)
				ret = fn(reader, arg);
			/* asked only where it matters: a system call */
			if (ret && is_gone(tid))
				ret = 0;
		}
	}
	return ret;
}

void reader_forked(void)
{
	if (probe_reader)
		store_release(&probe_reader->tid, (uint32_t)sys_gettid());
}
