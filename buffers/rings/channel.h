/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Channels: the rings of one session in one process, and where they live.
 *
 * The hot part (struct rings) is a page of its own in memory that fork wipes
 * (MADV_WIPEONFORK): in a child `nr` is 0, and that zero, the bounds check of
 * the CPU number, sends the first write of a child to the slow path. It is
 * also 0 while a channel is stopped.
 *
 * What must stay true: a page of `rings` stays mapped and of its type for
 * ever, used again by later channels; ring files are allocated in full before
 * they are mapped; entries of `tab` below `nr` always point to a ring, at
 * worst to one that is always full (ring_absent).
 */
#ifndef BUFFERS_RINGS_CHANNEL_H
#define BUFFERS_RINGS_CHANNEL_H

#include "base/base.h"
#include "base/tunables.h"
#include "buffers/layout.h"

/* Offsets are in machine code; see buffers/writers/pieces-x86_64.h. */
struct rings {
	uint64_t nr;			/* rings in tab; 0: off or forked */
	uint32_t sub_mask;		/* bytes of a sub-buffer - 1 */
	uint32_t pad0;
	uint32_t ring_mask;
	uint32_t pad1;
	uint64_t overwrite;
	uint64_t generation;		/* no two channels have the same */
	struct channel *channel;
	struct ring *tab[CHANNEL_CPUS_MAX];
};

_Static_assert(offsetof(struct rings, tab) == 48, "machine code");
_Static_assert(sizeof(struct rings) <= 4096, "one page");

/*
 * Who writes into a locked ring. It is in private memory that is never
 * unmapped: a thread may come to it when the ring is already gone.
 */
struct channel_lock {
	uint32_t holder;		/* *fork_mark of its process, or 0 */
	uint64_t clock;			/* of the ring's last event */
} __attribute__((aligned(64)));

struct channel {
	struct rings *rings;
	struct session_page *page;	/* shared; NULL while unused */
	struct session_page *area;	/* where `page` always is */
	uint64_t page_bytes;		/* of it, records included */
	uint32_t index;			/* the N of session.N */
	uint32_t flags;			/* enum session_flags */
	uint32_t contexts;		/* enum session_context */
	uint32_t sub_bytes;
	uint32_t ring_bytes;
	uint32_t cpus;			/* rings of its own: 0 without rseq */
	uint32_t active;		/* tested under a ring's lock */
	uint32_t locked_max;
	uint32_t locked_full;		/* so many are of ring_bytes, the rest
					 * of locked_spare_bytes */
	uint32_t locked_spare_bytes;
	uint32_t making;		/* taken while a ring is made */
	uint64_t quota;			/* see channel_admit */
	uint64_t barren;		/* no ring could be made, when:
					 * clock_read_time() */
	uint32_t counting;		/* threads in channel_count() */
	uint32_t crowded;		/* no locked ring was to be had */
	struct ring *locked[LOCKED_MAX];
	struct channel_lock locks[LOCKED_MAX];
	char directory[256];		/* of the image, absolute */
};

extern struct channel channels[CHANNELS_MAX];

/*
 * A bit for each that was ever taken. Pages of others are not looked at: each
 * that is there is copied by fork(), and each that a child reads costs a fault.
 */
extern uint32_t channels_used;

static inline int channel_used(uint32_t i)
{
	return load_acquire(&channels_used) >> i & 1;
}

/* Prepares a channel's table. The caller makes sure that no other thread takes
 * one meanwhile, as channel_create() does. */
struct channel *channel_take(uint32_t i);
extern const struct rings rings_off;
extern struct ring ring_absent;

/* A number that none of the process's ancestors has had, once the process (not
 * its parent) has set this up; fork makes it 0. */
extern uint32_t *fork_mark;

/*
 * The words of tracepoints/sites/lock.c. They are beside the mark, in memory
 * that fork() neither copies nor protects: a fork that takes the lock costs no
 * page fault in the parent, and the child finds it free.
 */
struct fork_lock {
	uint32_t word;		/* 0 free, 1 taken, 2 with waiters */
	uint32_t depth;		/* the holder's */
	uint64_t holder;	/* thread pointer; written by the holder */
};

extern struct fork_lock *fork_lock;

/*
 * How many tasks there are, or may be, that share this process's memory and
 * the thread pointer of the thread that made them (vfork(2), clone(2)), and
 * that the kernel knows no rseq area of: they would read that thread's CPU
 * number. Beside `fork_lock`; a forked child begins with none.
 *
 * Pair GUEST-SESSION: a guest is counted before its maker looks at
 * channels_used; a channel is marked there before it looks for guests. So
 * either the maker finds the channel and unregisters itself, or the channel
 * has locked rings only.
 */
extern uint32_t *fork_guests;

/* What a process is to its rings, set by process_open(). */
struct process {
	struct process_page *page;	/* shared */
	uint32_t pid;	/* as there, but a forked child has its parent's */
	char directory[256];		/* of the image, absolute */
};

extern struct process process;

/* A group that files are given to when they are made; 0: none. */
extern uint32_t channel_group;

/*
 * Maps the fork-wiped tables. Once a process, before anything else here.
 * Returns 0, -ENOMEM, or the error of a kernel that wipes nothing at fork
 * (-EINVAL before Linux 4.14).
 */
int channels_setup(void);

/*
 * Creates session.N and the table of a channel, stopped. A channel that still
 * has a page (in a forked child: its parent's) keeps its event records. `name`,
 * `flags`, `contexts`, `ring_bytes` (0: default) describe it; `cpus` is how
 * many CPUs get rings of their own. The files go to process.directory.
 * Returns 0 or a negative errno; not SIGSAFE; one caller at a time.
 */
int channel_create(struct channel *channel, uint32_t index, const char *name,
		   uint32_t flags, uint32_t contexts, uint64_t ring_bytes,
		   uint32_t cpus);

/*
 * Makes the rings and lets writers in: no writer makes one, or waits, but for
 * the spare ones behind LOCKED_AHEAD where CPUs have rings of their own. Same
 * caller rules. Without (cpus 0) there are `full` locked ones of the same size;
 * then there are the spare ones.
 */
int channel_start(struct channel *channel, uint32_t full);

/* The same for a forked child, but that its rings are made when they are first
 * needed: the writer waits. After channel_expect(). */
void channel_resume(struct channel *channel);

/* How many locked rings there will be; as channel_start(). */
void channel_expect(struct channel *channel, uint32_t full);

/*
 * What a child learns from its parent about the moment of the fork, in one
 * place: each page that a child looks at may cost it a fault.
 */
struct fork_note {
	uint32_t held;	/* a write is under way in some thread; or was once */
	uint32_t depth;	/* of the registry's lock in the thread that forks */
};

extern struct fork_note fork_note;

/* Before a fork, in the thread that forks. SIGSAFE. */
void channels_forking(void);

void channels_forked_held(void);

/*
 * In a child, at once after the fork: puts private memory in place of what the
 * forking thread may have been writing to when its signal handler forked. No
 * reader sees what the thread goes on to write there. Costs nothing if no write
 * is under way. SIGSAFE; errno may change.
 */
static inline void channels_forked(void)
{
	if (unlikely(fork_note.held))
		channels_forked_held();
}

/*
 * Adds one to a count in the session's page, for an event that was made while
 * the channel had that generation. Returns 0 and counts nothing when the
 * generation has changed, or when the page belongs to another process, such as
 * the parent. SIGSAFE.
 */
int channel_count(struct channel *channel, uint64_t generation,
		  uint64_t *count);

/*
 * Sends all writers to the locked rings, for good: in a process that may not
 * make a system call, and has a guest (fork_guests). No session starts or
 * stops there any more. SIGSAFE.
 */
void channels_close_cpus(void);

/* Lets no writer in any more; the caller then waits (channel_grace). */
void channel_stop(struct channel *channel);

/*
 * Returns 0 when no thread can still write into a stopped channel, or
 * -ETIMEDOUT when a thread has kept a locked ring for GRACE_TIMEOUT_MS.
 */
int channel_grace(struct channel *channel);

/* Lets go of rings and session page; the files stay. After channel_grace(). */
void channel_destroy(struct channel *channel);

/* Removes the files of a channel that could not be opened. */
void channel_remove_files(const struct channel *channel);

/* Bytes of locked ring k. */
uint32_t channel_locked_bytes(const struct channel *channel, uint32_t k);

/* Reserves the next event record and publishes it. Returns the new record,
 * or NULL when there is no room. One caller at a time, in a thread that may
 * open files: the page may have to grow. */
struct event_record *channel_record_add(struct channel *channel,
					const struct event_record *model,
					const char *text, uint32_t text_bytes);

/*
 * A ring for a writer that found none, which only forked children do: has it
 * made in another thread, and waits. SIGSAFE. Returns 1 when there is one now.
 */
int channel_need_cpu_ring(struct channel *channel, uint32_t cpu);
int channel_need_locked_ring(struct channel *channel, uint32_t k);

/*
 * Makes all rings of CPUs and the first `locked` ones that are missing, for a
 * process that will soon not be able to, as far as there is room. SIGSAFE.
 */
void channel_need_all(struct channel *channel, uint32_t locked);

/*
 * Counts an event of a forked child that could not get files of its own. It
 * is lost to its parent's session, whose page the child still maps: there it
 * is seen. SIGSAFE.
 */
void channel_orphan_lose(const struct rings *rings);

/*
 * How the functions above get out of the host's thread: runs fn(arg) in a
 * thread with descriptors of its own, returns its result or a negative errno.
 * Set by the agent; SIGSAFE.
 */
extern int (*channel_run_aside)(int (*fn)(void *arg), void *arg);

/*
 * Asked before the file of a ring is made, in the thread that makes it, when
 * set: may it take so many bytes more? A negative errno if not; else a number
 * that channel_made gets when the file is there, or cannot be made.
 */
#define CHANNEL_ADMITTED	INT32_MAX
extern int (*channel_admit)(const struct channel *channel, uint64_t bytes);
extern void (*channel_made)(int admitted);

/*
 * Called by the first write of a forked child (*fork_mark is 0): gives the
 * child its own files. Returns 1 when writing may be tried again. Set by the
 * agent; SIGSAFE.
 */
extern int (*channel_revive)(void);

/* The size a ring gets: `wanted` or the default, rounded and bounded. */
uint32_t channel_ring_bytes(uint64_t wanted, uint32_t cpus);

#endif
