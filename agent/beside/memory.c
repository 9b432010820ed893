/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory and locks for stock's calls in the agent's threads.
 *
 * libc does not know the agent's threads: malloc(3) has no cache there, and in
 * a process of one thread takes no lock. But stock allocates where it connects
 * an event, and a session may be started, changed and stopped by the agent's
 * service thread. So, before that thread calls stock for the first time, the
 * entries for calloc and free in the table of addresses (GOT) of stock's one
 * library that connects events lead here. In other threads the functions here
 * call the program's.
 *
 * Where the program's functions for mutexes are not libc's, but a wrapper's,
 * the entries for these lead here, too: a wrapper has variables of each thread,
 * which the agent's threads lack.
 *
 * Invariants:
 *  - one thread at a time takes from the pool, with this room's lock; any
 *    thread gives back, without a lock, so a fork cannot leave one behind;
 *  - a block is given back in the way in which it was taken: the address tells.
 *    A block of the program's that stock frees in a thread of the agent waits
 *    for stock's next call in another thread.
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/beside/private.h"
#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "control/threads/thread.h"
#include "tracepoints/program/modules.h"
#include "tracepoints/program/patch.h"

#define POOL_BYTES	(8u << 20)	/* of addresses: pages come when used */
#define BLOCK_LEAST	64u
#define RANKS		7u		/* up to 4096 bytes */
#define HEAD_BYTES	16u

struct block {
	uint64_t rank;
	struct block *next;		/* of those that are free */
};

static char *pool;
static uint64_t pool_used;
static struct block *pool_free[RANKS];

/* Blocks of the program's that wait to be freed. Their first word leads to the
 * next one. */
static void *waiting;

static void *(*real_calloc)(size_t n, size_t bytes);
static void (*real_free)(void *p);
/* Stock tells what it does, by functions that read the thread's locale. */
static bool tells;

/* The program's, and libc's. */
static struct mutex_calls {
	int (*lock)(pthread_mutex_t *mutex);
	int (*unlock)(pthread_mutex_t *mutex);
} real, libc;

static void *stock_calloc(size_t n, size_t bytes);
static void stock_free(void *p);
static int stock_mutex_lock(pthread_mutex_t *mutex);
static int stock_mutex_unlock(pthread_mutex_t *mutex);

/* The entries of the table. */
static struct {
	const char *name;
	void *function;
	uint64_t *at;
	bool needed;
} entries[] = {
	{ "calloc", (void *)stock_calloc, NULL, false },
	{ "free", (void *)stock_free, NULL, false },
	{ "pthread_mutex_lock", (void *)stock_mutex_lock, NULL, false },
	{ "pthread_mutex_unlock", (void *)stock_mutex_unlock, NULL, false },
};

static void *pool_take(uint64_t bytes)
{
	uint64_t rank = 0;
	struct block *block;
	uint64_t all;

	while (rank < RANKS && BLOCK_LEAST << rank < bytes + HEAD_BYTES)
		rank++;
	if (rank == RANKS)
		return NULL;
	all = BLOCK_LEAST << rank;
	block = load_acquire(&pool_free[rank], LTTNG_FREE);
	/* others only add */
	while (block && !__atomic_compare_exchange_n(&pool_free[rank], &block,
						     block->next, 0,
						     ACQUIRE(LTTNG_FREE),
						     ACQUIRE(LTTNG_FREE)))
		;
	if (!block) {
		if (pool_used + all > POOL_BYTES)
			return NULL;
		block = (struct block *)(pool + pool_used);
		pool_used += all;
	}
	__builtin_memset(block, 0, all);
	block->rank = rank;
	return (char *)block + HEAD_BYTES;
}

/* Puts an object, whose word at `link` leads to the next one, into a list. */
static void list_add(void *list, void *object, void *link)
{
	void *first = load_relaxed((void **)list);

	do
		*(void **)link = first;
	while (!__atomic_compare_exchange_n((void **)list, &first, object, 0,
					    RELEASE(LTTNG_FREE),
					    __ATOMIC_RELAXED));
}

static void waiting_free(void)
{
	void *p = load_relaxed(&waiting);

	if (!p)
		return;
	for (p = __atomic_exchange_n(&waiting, NULL, ACQUIRE(LTTNG_FREE)); p;) {
		void *next = *(void **)p;

		real_free(p);
		p = next;
	}
}

static void *stock_calloc(size_t n, size_t bytes)
{
	if (!thread_is_ours()) {
		waiting_free();
		return real_calloc(n, bytes);
	}
	return n && bytes > POOL_BYTES / n ? NULL : pool_take(n * bytes);
}

static void stock_free(void *p)
{
	struct block *block = (void *)((char *)p - HEAD_BYTES);

	if (!p)
		return;
	if (pool && (uint64_t)((const char *)p - pool) < POOL_BYTES) {
		list_add(&pool_free[block->rank], block, &block->next);
	} else if (thread_is_ours()) {
		list_add(&waiting, p, p);
	} else {
		waiting_free();
		real_free(p);
	}
}

static int stock_mutex_lock(pthread_mutex_t *mutex)
{
	return (thread_is_ours() ? libc.lock : real.lock)(mutex);
}

static int stock_mutex_unlock(pthread_mutex_t *mutex)
{
	return (thread_is_ours() ? libc.unlock : real.unlock)(mutex);
}

static bool has_wrapper(void)
{
	return real.lock != libc.lock || real.unlock != libc.unlock;
}

static void entry_look(uint64_t *at, const char *name, void *unused)
{
	for (uint32_t i = 0; i < ARRAY_SIZE(entries); i++)
		if (text_equal(name, entries[i].name))
			entries[i].at = at;
}

/* Looks at the library that has stock's function. */
static int library_look(struct dl_phdr_info *info, size_t size, void *function)
{
	if (!module_has(info, function))
		return 0;
	module_entries(info, entry_look, NULL);
	return 1;
}

static void mutex_calls_find(struct mutex_calls *calls, void *library)
{
	*(void **)&calls->lock = dlsym(library, "pthread_mutex_lock");
	*(void **)&calls->unlock = dlsym(library, "pthread_mutex_unlock");
}

void memory_find(void *function)
{
	static void *found;
	void *library;
	char **word;

	/* the agent's threads may use what was found */
	if (function == found)
		return;
	found = function;
	for (uint32_t i = 0; i < ARRAY_SIZE(entries); i++)
		entries[i].at = NULL;
	*(void **)&real_calloc = dlsym(RTLD_DEFAULT, "calloc");
	*(void **)&real_free = dlsym(RTLD_DEFAULT, "free");
	mutex_calls_find(&real, RTLD_DEFAULT);
	library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	mutex_calls_find(&libc, library);
	if (library)
		dlclose(library);
	for (uint32_t i = 0; i < ARRAY_SIZE(entries); i++)
		entries[i].needed = i < 2 || has_wrapper();
	/* LTTng has read this when it started */
	word = environ;
	while (word && *word && !text_after(*word, "LTTNG_UST_DEBUG="))
		word++;
	tells = word && *word;
	modules_each(library_look, function);
}

bool memory_may_wait(void)
{
	return !thread_is_ours() || !has_wrapper();
}

bool memory_ready(void)
{
	struct patcher patcher;
	long p;

	if (tells || !real_calloc || !real_free || !libc.lock || !libc.unlock)
		return false;
	if (!pool) {
		p = sys_mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			     0);
		if (p < 0 && p > -4096)
			return false;
		pool = (char *)p;
	}
	for (uint32_t i = 0; i < ARRAY_SIZE(entries); i++) {
		uint64_t to = (uint64_t)entries[i].function;

		if (!entries[i].needed)
			continue;
		if (!entries[i].at)
			return false;
		if (load_relaxed(entries[i].at) == to)
			continue;
		patch_open(&patcher);
		if (patch_memory(&patcher) >= 0)
			patch_write(&patcher, (uint8_t *)entries[i].at,
				    (const uint8_t *)&to, sizeof(to));
		patch_close(&patcher);
		if (load_relaxed(entries[i].at) != to)
			return false;
	}
	return true;
}
