/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Channels: tables, rings and files of a session in this process.
 */
#include "buffers/rings/private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "base/base.h"
#include "base/host.h"
#include "base/mappings.h"
#include "base/sys.h"
#include "base/text.h"
#include "buffers/clock.h"

#define NS_PER_MS	1000000
#define MISSING_TRIES	8

struct channel channels[CHANNELS_MAX];
uint32_t channels_used;
struct process process;
int (*channel_run_aside)(int (*fn)(void *arg), void *arg);
int channel_grace_ms = GRACE_TIMEOUT_MS;
int (*channel_revive)(void);
int (*channel_admit)(const struct channel *channel, uint64_t bytes);
void (*channel_made)(int admitted);

/* Not 0 before channels_setup(): no fork concerns the agent then. */
static uint32_t fork_marks_unset[5] = { 1 };
uint32_t *fork_mark = fork_marks_unset;

static uint32_t guests_unset;
uint32_t *fork_guests = &guests_unset;

static struct fork_lock fork_lock_unset;
struct fork_lock *fork_lock = &fork_lock_unset;
struct fork_note fork_note;

static uint64_t generations;

/* Pages that fork() wipes, from pages_wipe() on: the first is for the mark, the
 * lock and the guests; then there is one for each channel's table. */
static char pages[4096 * (1 + CHANNELS_MAX)] __attribute__((aligned(4096)));
static uint32_t settled = 1;	/* 0: pages_wipe() is put off */

/* A ring without room: every write to it ends in "full", and a ts_limit of 0
 * tells the slow path that there is no ring. */
struct ring ring_absent = { .head = ~0ull, .tail = 1 };

/* It stays zero. It is not const, since .rodata would give these zeros 4 KiB of
 * the library's file. */
struct rings rings_off TABLE;

SIGSAFE static int pages_wipe(void)
{
	int ret = (int)sys_madvise(pages, sizeof(pages), MADV_WIPEONFORK);

	if (ret)
		return ret;
	/* on another cache line: writers read the mark */
	fork_lock = (struct fork_lock *)(pages + 64);
	fork_guests = (uint32_t *)(pages + 128);
	fork_mark = (uint32_t *)pages;
	store_release(&settled, 1, CHANNELS_SETTLED);
	return 0;
}

SIGSAFE int channels_settle(void)
{
	return likely(load_acquire(&settled, CHANNELS_SETTLED)) ?
		       0 : pages_wipe();
}

void channels_defer(void)
{
	store_relaxed(fork_marks_unset, 0);
	settled = 0;
}

int channels_setup(void)
{
	int ret;

	/* the caller may hold it */
	*(struct fork_lock *)(pages + 64) = fork_lock_unset;
	ret = pages_wipe();
	/* children count on from here and must not reach 0, also when a filter
	 * makes getpid() return any number */
	if (!ret)
		store_release(fork_mark,
			      ((uint32_t)sys_getpid() & INT32_MAX) | 1,
			      FORK_MARK);
	return ret;
}

struct channel *channel_take(uint32_t i)
{
	channels[i].rings = (struct rings *)(pages + (uint64_t)4096 * (1 + i));
	/* GUEST-SESSION: before guests are looked for */
	__atomic_fetch_or(&channels_used, 1u << i, SEQ_CST(GUEST_SESSION));
	return &channels[i];
}

uint32_t channel_ring_bytes(uint64_t wanted, uint32_t cpus)
{
	uint64_t bytes = wanted;
	uint64_t power = wanted ? RING_LEAST_BYTES : RING_MIN_BYTES;

	if (!bytes) {
		bytes = RING_TOTAL_BYTES / (cpus ? cpus : 1);
		if (bytes < RING_DEFAULT_MIN_BYTES)
			bytes = RING_DEFAULT_MIN_BYTES;
		if (bytes > RING_DEFAULT_MAX_BYTES)
			bytes = RING_DEFAULT_MAX_BYTES;
	}
	while (power < bytes && power < RING_MAX_BYTES)
		power *= 2;
	/* the default never exceeds the session's share of the total */
	if (!wanted && power > bytes && power > RING_MIN_BYTES)
		power /= 2;
	return (uint32_t)power;
}

int channel_room_admit(const struct channel *channel, uint64_t bytes)
{
	int ret = channel_space_admit(bytes);

	if (ret)
		return ret;
	return channel_admit ? channel_admit(channel, bytes) : CHANNEL_ADMITTED;
}

int channel_ring_make(const struct channel *channel, const char *suffix,
		      uint32_t number, uint32_t cpu, uint32_t bytes,
		      struct ring **out)
{
	/* locked rings have instances above those of CPUs */
	uint64_t instance = suffix[1] ? CHANNEL_CPUS_MAX + number : number;
	struct text text;
	char path[320];
	void *ring = NULL;
	int admitted, ret;

	channel_path(channel, "/ring.", suffix, number, &text, path,
		  sizeof(path));
	if (text.cut)
		return -ENAMETOOLONG;
	admitted = channel_room_admit(channel,
				      RING_DATA_OFFSET + (uint64_t)bytes);
	if (admitted < 0) {
		channel->page->roomless = (uint32_t)-admitted;
		return admitted;
	}
	ret = channel_file_map(path, UINT64_MAX,
			       RING_DATA_OFFSET + (uint64_t)bytes, &ring);
	if (channel_made)
		channel_made(admitted);
	if (ret) {
		channel->page->roomless = (uint32_t)-ret;
		return ret;
	}
	channel_ring_init(ring, channel->flags, process.page->uuid, cpu,
			  instance, bytes);
	/* SESSION-RINGS: after the ring's magic, else a reader that sees the
	 * number would miss a ring that is just being made */
	__atomic_fetch_add(&channel->page->rings, 1, RELEASE(SESSION_RINGS));
	*out = ring;
	return 0;
}

void channel_shared_use(struct channel *channel)
{
	if (!(channel->flags & SESSION_SHARED) ||
	    !shared_allocated(&channel->shared))
		return;
	for (uint32_t i = 0; i < channel->cpus; i++)
		store_release(&channel->rings->tab[i],
			      channel->shared.rings[i], CPU_RING);
}

int channel_cpu_ring_make(struct channel *channel, uint32_t cpu)
{
	struct ring *ring;
	int ret;

	if (channel->flags & SESSION_SHARED) {
		ret = shared_allocate(&channel->shared);
		channel->page->roomless = (uint32_t)-ret;
		channel_shared_use(channel);
		return ret;
	}
	ret = channel_ring_make(channel, ".",
				cpu + channel->replacements * RING_STRIDE, cpu,
				channel->ring_bytes, &ring);
	if (ret)
		return ret;
	/* a child must not write to the parent's ring */
	sys_madvise(ring, RING_DATA_OFFSET + (uint64_t)channel->ring_bytes,
		    MADV_DONTFORK);
	store_release(&channel->rings->tab[cpu], ring, CPU_RING);
	return 0;
}

uint32_t channel_locked_bytes(const struct channel *channel, uint32_t k)
{
	return k < channel->locked_full ? channel->ring_bytes :
					  channel->locked_spare_bytes;
}

int channel_locked_ring_make(struct channel *channel, uint32_t k)
{
	struct ring *ring;
	int ret = channel_ring_make(channel, ".L", k, k,
				    channel_locked_bytes(channel, k), &ring);

	if (ret)
		return ret;
	/* The waiting writer has read the clock already; with this reading, the
	 * event is not older than the packet. */
	channel->locks[k].clock = clock_read();
	store_release(&channel->locked[k], ring, LOCKED_RING);
	return 0;
}

/* Puts private memory in place of a shared mapping. The first `keep` bytes stay
 * the same: a writer in the middle of a write reads sizes there. */
static COLD void mapping_own(void *p, uint64_t keep, uint64_t bytes)
{
	void *own = sys_map_anonymous(bytes);

	if (!own)
		return;
	__builtin_memcpy(own, p, keep);
	if (sys5(SYS_mremap, own, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
		 p) == (long)p)
		mapping_forget((uint64_t)own, bytes);
}

/* Calls mapping_own() for the rings that a writer held, and for the session's
 * page if a writer was counting there. */
static void channel_forked(struct channel *channel)
{
	struct session_page *page = channel->page;

	for (uint32_t k = 0; k < channel->locked_max; k++) {
		uint64_t bytes = channel_locked_bytes(channel, k);

		if (channel->locked[k] && channel->locks[k].holder)
			mapping_own(channel->locked[k], RING_DATA_OFFSET,
				    RING_DATA_OFFSET + bytes);
	}
	if (channel->counting)
		mapping_own(page, min_u64(EVENT_RECORDS_OFFSET +
						  page->record_bytes,
					  channel->page_bytes),
			    channel->page_bytes);
}

static bool channel_held(const struct channel *channel)
{
	for (uint32_t k = 0; k < channel->locked_max; k++)
		if (load_relaxed(&channel->locked[k]) &&
		    load_relaxed(&channel->locks[k].holder))
			return true;
	return !!load_relaxed(&channel->counting);
}

/* Only rings that the forking thread holds matter, but a ring does not tell
 * which thread holds it. The note stays set: this saves the parent another
 * page fault. */
SIGSAFE void channels_forking(void)
{
	channels_settle();
	store_relaxed(FORK_MADE, 1);
	for (uint32_t i = 0; i < CHANNELS_MAX && !fork_note.held; i++)
		if (channel_used(i) && channels[i].page &&
		    channel_held(&channels[i]))
			fork_note.held = 1;
}

SIGSAFE void channels_forked_held(void)
{
	for (uint32_t i = 0; i < CHANNELS_MAX; i++)
		if (channel_used(i) && channels[i].page)
			channel_forked(&channels[i]);
	fork_note.held = 0;
}

SIGSAFE bool channel_count(struct channel *channel, uint64_t generation,
			   uint64_t *count)
{
	bool ours;

	/* before the generation is read: see channels_forked() */
	__atomic_fetch_add(&channel->counting, 1, SEQ_CST(CHANNEL_COUNTING));
	ours = load_acquire(&channel->rings->generation, RINGS_GENERATION) ==
	       generation;
	if (ours)
		__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	__atomic_fetch_sub(&channel->counting, 1, SEQ_CST(CHANNEL_COUNTING));
	return ours;
}

void channel_size_set(struct channel *channel, uint32_t ring_bytes)
{
	channel->ring_bytes = ring_bytes;
	channel->sub_bytes = ring_bytes / RING_SUB_BUFFERS;
	channel->rings->sub_mask = channel->sub_bytes - 1;
	channel->rings->ring_mask = ring_bytes - 1;
}

int channel_create(struct channel *channel, uint32_t index, const char *name,
		   uint32_t flags, uint32_t contexts, uint64_t ring_bytes,
		   uint32_t cpus)
{
	struct rings *rings =
		channel_take((uint32_t)(channel - channels))->rings;
	int ret;

	if (cpus > CHANNEL_CPUS_MAX)
		cpus = CHANNEL_CPUS_MAX;
	/* GUEST-SESSION: a guest that comes later finds the channel taken */
	if (__atomic_load_n(fork_guests, SEQ_CST(GUEST_SESSION)))
		cpus = 0;
	channel->index = index;
	if (flags & SESSION_SHARED) {
		cpus = (uint32_t)min_u64(cpus, channel->shared.cpus);
		ring_bytes = channel->shared.ring_bytes;
		if (!cpus)
			shared_leave(&channel->shared);
		flags &= cpus ? ~0u : ~(uint32_t)SESSION_SHARED;
	}
	channel->flags = flags | SESSION_WIDE;
	if (contexts & CONTEXT_WRITER)
		channel->flags |= SESSION_WRITERS;
	channel->contexts = contexts;
	channel_size_set(channel, channel_ring_bytes(ring_bytes, cpus));
	channel->cpus = cpus;
	channel->active = 0;
	channel->making = 0;
	channel->deferred = NULL;
	channel->barren = 0;
	channel->counting = 0;
	channel->crowded = 0;
	channel->replacements = 0;
	/* a forked child has the parent's, whose rings it does not map */
	channel->replaced = NULL;
	text_copy(channel->directory, sizeof(channel->directory),
		  process.directory);
	ret = channel_page_make(channel, name, process.page);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < LOCKED_MAX; i++)
		channel->locked[i] = NULL;
	for (uint32_t i = 0; i < CHANNEL_CPUS_MAX; i++)
		rings->tab[i] = &ring_absent;
	channel_shared_use(channel);
	rings->overwrite = !!(flags & SESSION_OVERWRITE);
	/* a child goes on counting, and has no token of its parent's; never 0,
	 * or a thread without a number would have the token 0 */
	if (flags & SESSION_SHARED)
		channel->page->member = shared_enter(&channel->shared,
						     process.page);
	rings->base = (flags & SESSION_SHARED ? channel->page->member :
						generations + 1) << 32;
	rings->writers = contexts & CONTEXT_WRITER ? ~0ull : 0;
	store_release(&rings->generation, ++generations, RINGS_GENERATION);
	/* a thread of a forked child that sees the channel uses all of it */
	store_release(&rings->channel, channel, RINGS_CHANNEL);
	if (process.page->sessions <= index)
		store_release(&process.page->sessions, index + 1,
			      PROCESS_SESSIONS);
	return 0;
}

void channel_resume(struct channel *channel)
{
	store_release(&channel->page->state, SESSION_ACTIVE, SESSION_STATE);
	/* SESSION-MAKING: a reader that sees 0 finds the files that stay, and
	 * that the session is active, unless it was stopped since */
	if (!channel->deferred)
		store_release(&channel->page->making, 0, SESSION_MAKING);
	store_release(&channel->active, 1, CHANNEL_ACTIVE);
	/* WRITE-SLOT: everything else of the table is set */
	store_release(&channel->rings->nr, channel->cpus, RINGS_NR);
}

SIGSAFE void channels_close_cpus(void)
{
	for (uint32_t i = 0; i < CHANNELS_MAX; i++)
		if (channel_used(i))
			store_release(&channels[i].rings->nr, 0, RINGS_NR);
}

/* Of channels that channels_halt() has stopped: `nr` of their rings, + 1. */
static uint32_t halted[CHANNELS_MAX];

SIGSAFE void channels_halt(void)
{
	for (uint32_t i = 0; i < CHANNELS_MAX; i++) {
		struct channel *channel = &channels[i];

		if (!channel_used(i) ||
		    !load_acquire(&channel->active, CHANNEL_ACTIVE))
			continue;
		halted[i] = load_relaxed(&channel->rings->nr) + 1;
		channel_stop(channel);
	}
}

SIGSAFE void channels_go_on(void)
{
	for (uint32_t i = 0; i < CHANNELS_MAX; i++) {
		struct channel *channel = &channels[i];

		if (!halted[i])
			continue;
		store_release(&channel->page->state, SESSION_ACTIVE,
			      SESSION_STATE);
		store_release(&channel->active, 1, CHANNEL_ACTIVE);
		/* as in channel_resume() */
		store_release(&channel->rings->nr, halted[i] - 1, RINGS_NR);
		halted[i] = 0;
	}
}

SIGSAFE void channel_stop(struct channel *channel)
{
	store_release(&channel->rings->nr, 0, RINGS_NR);
	/* LOCKED-OWNER: before the owners are looked at */
	__atomic_store_n(&channel->active, 0, SEQ_CST(LOCKED_OWNER));
	if (!channel->page)
		return;
	if (channel->page->state == SESSION_ACTIVE)
		store_release(&channel->page->state, SESSION_STOPPED,
			      SESSION_STATE);
	/* SESSION-MAKING: the first rings will not be made any more */
	store_release(&channel->page->making, 0, SESSION_MAKING);
}

/* Waits while *word is `busy`, a millisecond a look, `*looks` in all. */
static int word_wait(const uint32_t *word, uint32_t busy, int *looks)
{
	struct timespec pause = { .tv_nsec = NS_PER_MS };

	while (__atomic_load_n(word, SEQ_CST(LOCKED_OWNER)) == busy) {
		if ((*looks)-- <= 0)
			return -ETIMEDOUT;
		sys2(SYS_nanosleep, &pause, NULL);
	}
	return 0;
}

int channel_grace(struct channel *channel)
{
	uint32_t mark = load_relaxed(fork_mark);
	int looks = channel_grace_ms;
	int ret;

	ret = (int)sys_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ);
	if (ret && channel->cpus)
		return ret;
	/* a thread that still makes a ring would give it to the next session */
	ret = word_wait(&channel->making, 1, &looks);
	/* LOCKED-OWNER: after `active` was cleared */
	for (uint32_t i = 0; mark && !ret && i < channel->locked_max; i++)
		ret = word_wait(&channel->locks[i].holder, mark, &looks);
	return ret;
}

void channel_rings_unmap(struct channel *channel)
{
	uint64_t bytes = RING_DATA_OFFSET + (uint64_t)channel->ring_bytes;

	for (uint32_t i = 0; i < channel->cpus; i++) {
		struct ring *ring = channel->rings->tab[i];

		channel->rings->tab[i] = &ring_absent;
		if (ring != &ring_absent && !(channel->flags & SESSION_SHARED))
			sys_munmap(ring, bytes);
	}
	for (uint32_t i = 0; i < LOCKED_MAX; i++) {
		struct ring *ring = channel->locked[i];

		bytes = RING_DATA_OFFSET +
			(uint64_t)channel_locked_bytes(channel, i);
		channel->locked[i] = NULL;
		/* a writer that still holds it goes on in private memory */
		if (ring &&
		    load_acquire(&channel->locks[i].holder, LOCKED_OWNER))
			channel_retire(ring, bytes);
		else if (ring)
			sys_munmap(ring, bytes);
	}
}

void channel_destroy(struct channel *channel)
{
	channel_rings_unmap(channel);
	if (channel->flags & SESSION_SHARED)
		shared_leave(&channel->shared);
	if (channel->page)
		channel_retire(channel->page, channel->page_bytes);
	channel->page = NULL;
}

void channel_ring_remove(const struct channel *channel, uint32_t number)
{
	struct text text;
	char path[320];

	channel_path(channel, "/ring.", ".", number, &text, path, sizeof(path));
	sys_unlink(path);
}

void channel_rings_remove(const struct channel *channel)
{
	struct text text;
	char path[320];

	for (uint32_t i = 0; i < channel->cpus; i++)
		channel_ring_remove(channel,
				    i + channel->replacements * RING_STRIDE);
	for (uint32_t i = 0; i < LOCKED_MAX; i++) {
		channel_path(channel, "/ring.", ".L", i, &text, path,
			  sizeof(path));
		sys_unlink(path);
	}
}

void channel_remove_files(const struct channel *channel)
{
	struct text text;
	char path[320];

	channel_path(channel, "/session.", "", -1, &text, path, sizeof(path));
	sys_unlink(path);
	/* most processes that share rings have made none */
	if (!(channel->flags & SESSION_SHARED) || !channel->page ||
	    load_relaxed(&channel->page->rings))
		channel_rings_remove(channel);
}

/* A writer's request, for a thread that may open files. */
enum ring_kind { RING_CPU, RING_LOCKED, RING_MISSING };

struct ring_wanted {
	struct channel *channel;
	uint32_t number;
	enum ring_kind kind;
};

/* Finds the first missing ring of the CPUs, or of the first `locked` locked
 * rings. Returns false when none is missing. */
static bool ring_missing(const struct channel *channel, uint32_t locked,
			 struct ring_wanted *wanted)
{
	for (uint32_t i = 0; i < channel->cpus; i++) {
		wanted->number = i;
		wanted->kind = RING_CPU;
		if (load_acquire(&channel->rings->tab[i], CPU_RING) ==
		    &ring_absent)
			return true;
	}
	for (uint32_t i = 0; i < locked && i < channel->locked_max; i++) {
		wanted->number = i;
		wanted->kind = RING_LOCKED;
		if (!load_acquire(&channel->locked[i], LOCKED_RING))
			return true;
	}
	return false;
}

/* Returns true when another thread has made the ring meanwhile. */
static bool ring_made(const struct ring_wanted *wanted)
{
	const struct channel *channel = wanted->channel;

	if (wanted->kind == RING_CPU)
		return load_acquire(&channel->rings->tab[wanted->number],
				    CPU_RING) != &ring_absent;
	return wanted->kind == RING_LOCKED &&
	       load_acquire(&channel->locked[wanted->number], LOCKED_RING);
}

static int ring_maker(void *arg)
{
	struct ring_wanted *wanted = arg;
	struct ring_wanted one = { .channel = wanted->channel };
	int ret = 0;

	if (wanted->channel->deferred) {
		wanted->channel->deferred(wanted->channel);
		if (ring_made(wanted))
			return 0;
	}
	switch (wanted->kind) {
	case RING_MISSING:
		while (!ret &&
		       ring_missing(wanted->channel, wanted->number, &one))
			ret = ring_maker(&one);
		return ret;
	case RING_LOCKED:
		return channel_locked_ring_make(wanted->channel,
						wanted->number);
	default:
		return channel_cpu_ring_make(wanted->channel, wanted->number);
	}
}

/* Waits for another thread that makes a ring. Returns true after a time-out:
 * that thread does not run. */
static SIGSAFE bool making_wait(const struct channel *channel)
{
	struct timespec pause = { .tv_nsec = MAKING_WAIT_NS };
	int i;

	for (i = 0;
	     i < MAKING_WAITS && load_acquire(&channel->making, RING_MAKING);
	     i++)
		sys2(SYS_nanosleep, &pause, NULL);
	return i == MAKING_WAITS;
}

int channel_making_take(struct channel *channel)
{
	if (making_wait(channel) ||
	    __atomic_exchange_n(&channel->making, 1, SEQ_CST(LOCKED_OWNER)))
		return -EBUSY;
	/* LOCKED-OWNER: `making`, then `active`, as in ring_want() */
	if (__atomic_load_n(&channel->active, SEQ_CST(LOCKED_OWNER)))
		return 0;
	store_release(&channel->making, 0, RING_MAKING);
	return -EBUSY;
}

/*
 * One thread makes a ring at a time; others wait for it, up to a limit. No
 * signal handler may run here: it would wait for the thread that it
 * interrupted, or leave by siglongjmp with the ring half made.
 */
static COLD void ring_want(struct channel *channel, uint32_t number,
			   enum ring_kind kind)
{
	struct ring_wanted wanted = { channel, number, kind };
	uint64_t since = load_relaxed(&channel->barren);
	struct timespec pause = { .tv_nsec = MAKING_WAIT_NS };
	uint64_t before;
	int waits = 0;
	int ret = 0;

	if (!channel_run_aside || host_confined ||
	    load_relaxed(&host_guest_confined))
		return;
	/* no ring could be made a moment ago */
	if (since && clock_read_time() - since < clock_hz() / 1000 * BARREN_MS)
		return;
	if (host_signals_block(&before))
		return;
	/* making, then `active`; channel_stop() and channel_grace() do the
	 * reverse. In any other order both could see the old word, and the ring
	 * would be made for a channel that has gone. */
	while (!__atomic_exchange_n(&channel->making, 1,
				    SEQ_CST(LOCKED_OWNER))) {
		ret = __atomic_load_n(&channel->active,
				      SEQ_CST(LOCKED_OWNER)) &&
				      !ring_made(&wanted) ?
				      channel_run_aside(ring_maker, &wanted) :
				      0;
		store_release(&channel->making, 0, RING_MAKING);
		/* another thread's dlopen has the worker, and may wait for
		 * `making` itself */
		if (ret != -EBUSY || waits++ == MAKING_WAITS)
			goto done;
		sys2(SYS_nanosleep, &pause, NULL);
	}
	ret = making_wait(channel);
done:
	/* no thread waits again for BARREN_MS */
	if (ret)
		store_relaxed(&channel->barren, clock_read_time());
	host_signals_restore(&before);
}

SIGSAFE bool channel_need_cpu_ring(struct channel *channel, uint32_t cpu)
{
	if (cpu >= channel->cpus)
		return false;
	if (load_acquire(&channel->rings->tab[cpu], CPU_RING) != &ring_absent)
		return true;
	ring_want(channel, cpu, RING_CPU);
	return load_acquire(&channel->rings->tab[cpu], CPU_RING) !=
	       &ring_absent;
}

SIGSAFE bool channel_need_locked_ring(struct channel *channel, uint32_t k)
{
	if (k < channel->locked_max)
		ring_want(channel, k, RING_LOCKED);
	return k < channel->locked_max &&
	       load_acquire(&channel->locked[k], LOCKED_RING);
}

SIGSAFE void channel_need_all(struct channel *channel, uint32_t locked)
{
	struct ring_wanted one;

	/* tries again where another thread was making another ring */
	for (int i = 0; i < MISSING_TRIES &&
		    load_acquire(&channel->active, CHANNEL_ACTIVE) &&
		    ring_missing(channel, locked, &one);
	     i++)
		ring_want(channel, locked, RING_MISSING);
}

/* Why this process, a forked child, has no files: an errno, or 0, and a cause.
 * A bit of `orphan_told` is a channel whose session counts the child. */
static int orphan_error;
static uint32_t orphan_cause;
static uint32_t orphan_told;

_Static_assert(CHANNELS_MAX <= 32, "a bit of orphan_told is a channel");

SIGSAFE void channel_orphan_lose(const struct rings *rings)
{
	int error = load_relaxed(&orphan_error);
	struct session_page *area;

	for (uint32_t i = 0; i < CHANNELS_MAX; i++) {
		area = channels[i].area;
		if (!channel_used(i) || channels[i].rings != rings || !area)
			continue;
		__atomic_fetch_add(&area->lost_unplaced, 1, __ATOMIC_RELAXED);
		if (!error || __atomic_fetch_or(&orphan_told, 1u << i,
						__ATOMIC_RELAXED) >> i & 1)
			continue;
		store_relaxed(&area->orphan_cause, load_relaxed(&orphan_cause));
		store_relaxed(&area->orphan_error, error);
		__atomic_fetch_add(&area->orphans, 1, __ATOMIC_RELAXED);
	}
}

SIGSAFE void channels_orphan(int error, uint32_t cause)
{
	store_relaxed(&orphan_told, 0);
	store_relaxed(&orphan_cause, cause);
	store_relaxed(&orphan_error, error);
}

SIGSAFE bool channels_run(void)
{
	for (uint32_t i = 0; i < CHANNELS_MAX; i++)
		if (channel_used(i) && load_relaxed(&channels[i].active))
			return true;
	return false;
}
