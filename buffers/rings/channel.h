/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Channels: the rings of one session in one process, and where they live.
 *
 * The hot part (struct rings) has a page in memory that fork wipes
 * (MADV_WIPEONFORK): in a child `nr` is 0. Writers check the CPU number against
 * `nr`, so the first write of a child goes to the slow path. `nr` is also 0
 * while a channel is stopped.
 *
 * Invariant: a page of `rings` stays mapped until the process ends,
 * and only later channels use it again; ring files are allocated in full before
 * they are mapped; entries of `tab` below `nr` always point to a ring, at
 * worst to one that is always full (ring_absent).
 */
#ifndef BUFFERS_RINGS_CHANNEL_H
#define BUFFERS_RINGS_CHANNEL_H

#include "base/base.h"
#include "base/host.h"
#include "base/tunables.h"
#include "buffers/layout.h"
#include "buffers/rings/shared.h"

/* Offsets are in machine code; see buffers/writers/pieces-x86_64.h. */
struct rings {
	uint64_t nr;			/* rings in tab; 0: off or forked */
	uint32_t sub_mask;		/* bytes of a sub-buffer - 1 */
	uint32_t pad0;
	uint32_t ring_mask;
	uint32_t pad1;
	uint64_t overwrite;
	uint64_t generation;		/* another for each channel created */
	struct channel *channel;
	uint64_t base;			/* of its threads' tokens */
	uint64_t writers;		/* all bits: it has writer records; or
					 * 0 (docs/writers.md) */
	struct ring *tab[CHANNEL_CPUS_MAX];
};

_Static_assert(offsetof(struct rings, base) == 48, "machine code");
_Static_assert(offsetof(struct rings, writers) == 56, "machine code");
_Static_assert(offsetof(struct rings, tab) == 64, "machine code");
_Static_assert(sizeof(struct rings) <= 4096, "one page");

/*
 * The holder of a locked ring. It is in private memory that is never unmapped:
 * a thread may look at it when the ring has already gone.
 */
struct channel_lock {
	uint32_t holder;		/* *fork_mark of the writer's process,
					 * or 0 */
	uint64_t clock;			/* of the ring's last event */
	uint64_t roomless;		/* clock_read_time() of the last loss
					 * for want of room in all rings */
} __attribute__((aligned(64)));

struct channel {
	struct rings *rings;
	struct session_page *page;	/* shared; NULL while unused */
	struct session_page *area;	/* the fixed address of `page` */
	uint64_t page_bytes;		/* of `page`, records included */
	uint32_t index;			/* the N of session.N */
	uint32_t flags;			/* enum session_flags */
	uint32_t contexts;		/* enum session_context */
	uint32_t sub_bytes;
	uint32_t ring_bytes;
	uint32_t cpus;			/* CPUs with a ring; 0 without rseq */
	uint32_t active;		/* tested under a ring's lock */
	uint32_t locked_max;
	uint32_t locked_full;		/* so many have ring_bytes, the rest
					 * locked_spare_bytes */
	uint32_t locked_spare_bytes;
	uint32_t making;		/* taken while a ring is made */
	uint64_t quota;			/* see channel_admit */
	uint64_t barren;		/* clock_read_time() when no ring could
					 * be made */
	uint32_t counting;		/* threads in channel_count() */
	uint32_t crowded;		/* no locked ring was free */
	uint32_t replacements;		/* of the rings of all CPUs, so far */
	/* makes the first rings, which channel_defer() has not; written under
	 * `making`; or NULL */
	void (*deferred)(struct channel *channel);
	struct replaced *replaced;	/* the latest, or NULL (replace.c) */
	struct ring *locked[LOCKED_MAX];
	struct channel_lock locks[LOCKED_MAX];
	char directory[256];		/* of the image, absolute */
	struct shared shared;		/* with SESSION_SHARED: rings of CPUs */
};

extern struct channel channels[CHANNELS_MAX];

/*
 * A bit for each channel that was ever taken. The memory of the others is not
 * touched: fork() copies each page that is there, and each page that a child
 * reads costs a fault.
 */
extern uint32_t channels_used;

static inline int channel_used(uint32_t i)
{
	return load_acquire(&channels_used, GUEST_SESSION) >> i & 1;
}

/* Prepares a channel's table. One caller at a time, as for channel_create(). */
struct channel *channel_take(uint32_t i);
extern struct rings rings_off __attribute__((visibility("hidden")));
extern struct ring ring_absent;

/* 0 in a forked child that has no files yet; else a number that none of the
 * process's ancestors has had. Three words of agent/fork.c follow it. */
extern uint32_t *fork_mark;

/* 1 once the process has forked by a function of libc's: children without files
 * of their own count what they lose in the process's pages. */
#define FORK_MADE	(fork_mark + 4)

/*
 * The words of tracepoints/sites/lock.c. They lie beside the mark, in memory
 * that fork() neither copies nor protects: a fork that takes the lock costs no
 * page fault in the parent, and the child finds the lock free.
 */
struct fork_lock {
	uint32_t word;		/* 0 free, 1 taken, 2 with waiters */
	uint32_t depth;		/* the holder's */
	uint64_t holder;	/* thread pointer; written by the holder */
};

extern struct fork_lock *fork_lock;

/*
 * The number of guests (control/threads/guest.h) that live, or may: tasks that
 * share this process's memory and the thread pointer of the thread that made
 * them (vfork(2), clone(2)), without a registered rseq area. They would read
 * that thread's CPU number. It lies beside `fork_lock`; a forked child begins
 * with 0.
 *
 * Pair GUEST-SESSION: a guest is counted before the maker looks at
 * channels_used; a channel is marked there before it looks for guests. So
 * either the maker finds the channel and unregisters itself, or the channel has
 * locked rings only.
 */
extern uint32_t *fork_guests;

/* The process that rings are made for, set by place_open(). */
struct process {
	struct process_page *page;	/* shared */
	uint32_t pid;	/* the page's; fork copies it, too */
	char directory[256];		/* of the image, absolute */
};

extern struct process process;

/* A group that files are given to when they are made; 0: none. */
extern uint32_t channel_group;

/*
 * Prepares the tables that fork wipes. Call it once a process, before anything
 * else here. Returns 0, -ENOMEM, or the error of a kernel that wipes nothing at
 * fork (-EINVAL before Linux 4.14).
 *
 * A process that puts off its files calls channels_defer() in place of it: no
 * system call, no page, and *fork_mark is 0. Then channels_settle() comes
 * before each store to the mark, the lock or the guests. The first call has the
 * kernel wipe their page, and fails as channels_setup() does; later ones do
 * nothing. SIGSAFE.
 */
int channels_setup(void);
void channels_defer(void);
int channels_settle(void);

/* Returns whether a session runs in this process or, in a forked child that has
 * not written yet, in the parent. SIGSAFE. */
bool channels_run(void);

/*
 * Creates session.N and the table of a channel, stopped. A channel that still
 * has a page (in a forked child: the parent's) keeps the event records. `name`,
 * `flags`, `contexts`, `ring_bytes` (0: default) describe it; `cpus` is how
 * many CPUs get a ring each. The files go to process.directory. With
 * SESSION_SHARED, the channel has joined (shared_join(), or in the parent), and
 * the rings of CPUs are those; where CPUs get none, the flag goes. Returns 0 or
 * a negative errno; not SIGSAFE; one caller at a time.
 */
int channel_create(struct channel *channel, uint32_t index, const char *name,
		   uint32_t flags, uint32_t contexts, uint64_t ring_bytes,
		   uint32_t cpus);

/*
 * Calls channel_create() with the next number that is free, and counts in
 * `begun`. Numbers are used again only after all others, because a command that
 * has ended a session may still remove its files. The number of a session that
 * lives, or of files that could not be removed, is skipped.
 */
int channel_create_next(struct channel *channel, uint64_t *begun,
			const char *name, uint32_t flags, uint32_t contexts,
			uint64_t ring_bytes, uint32_t cpus);

/*
 * Makes the rings and lets writers in. Where each CPU has a ring, locked rings
 * behind the first LOCKED_AHEAD are made when a writer needs them; no writer
 * makes, or waits for, any other ring. Without rings of CPUs (cpus 0) it makes
 * `full` locked rings of the full size, and the spare ones. Without room it
 * makes smaller rings, and without room for the smallest, those for which there
 * is room; the session's page says so. Writers try to make the others. Same
 * caller rules as channel_create().
 */
void channel_start(struct channel *channel, uint32_t full);

/*
 * Opens the channel as channel_start() does, but without rings, for a session
 * that no site writes to yet. channel_rings_make() makes them: call it before
 * such a site is switched on, in one of the agent's threads; later calls do
 * nothing. Until then the page says that rings are being made
 * (session_page.making). A thread that needs a ring earlier, or calls
 * channel_need_all(), has all of the first ones made.
 */
void channel_defer(struct channel *channel, uint32_t full);
void channel_rings_make(struct channel *channel);

/* Has writers use the rings that processes share, if a process has allocated
 * them; so does a flush. In one of the agent's threads. */
void channel_shared_use(struct channel *channel);

/*
 * Makes larger rings for all CPUs, beside those that the writers use, and has
 * the writers go on in them (replace.c). Returns 0, or a negative errno: the
 * writers go on in the old ones. In one of the agent's threads.
 */
int channel_replace(struct channel *channel, uint32_t ring_bytes);

/*
 * Removes rings that were replaced so many clock_read_time() units ago, or
 * before; with 0, all of them. Their events count as overwritten. Same caller.
 */
void channel_replaced_remove(struct channel *channel, uint64_t age);

/* The events of rings that were replaced and are not removed yet. */
struct replaced_sums {
	uint64_t written;
	uint64_t held;
	uint64_t lost;
	uint64_t bytes;
};

void channel_replaced_count(const struct channel *channel,
			    struct replaced_sums *sums);

/* Chooses smaller rings where there is no room for the rings of all CPUs, in a
 * forked child, between channel_create() and channel_expect(). */
void channel_fit(struct channel *channel);

/* Lets writers in, in a forked child or where channel_start() had no room: the
 * rings are made when a writer first needs them, and the writer waits. Call it
 * after channel_expect() or channel_start(). */
void channel_resume(struct channel *channel);

/* Sets how many locked rings there will be; `full` as for channel_start(). */
void channel_expect(struct channel *channel, uint32_t full);

/*
 * The facts that a child learns from the parent about the moment of the fork,
 * in one place: each page that a child reads may cost it a fault.
 */
struct fork_note {
	uint32_t held;	/* some thread is, or once was, in a write */
	uint32_t depth;	/* of the registry's lock in the thread that forks */
};

extern struct fork_note fork_note;

/* Prepares a fork, in the thread that forks. SIGSAFE. */
void channels_forking(void);

void channels_forked_held(void);

/*
 * Runs in a child, at once after the fork: puts private memory in the place of
 * mappings that the forking thread may have been writing to when a signal
 * handler forked. So no reader sees the rest of that write. Costs nothing if no
 * write is under way. Also lets the child make system calls that only the
 * parent may not make. SIGSAFE; errno may change.
 */
static inline void channels_forked(void)
{
	if (unlikely(fork_note.held))
		channels_forked_held();
	/* clone(2): the child's system calls are not dispatched */
	if (unlikely(host_confined == HOST_DISPATCHED))
		host_confined = 0;
}

/*
 * Adds one to a count in the session's page, for an event that was made while
 * the channel had that generation. Returns false and counts nothing when the
 * generation has changed, or when the page belongs to another process, such as
 * the parent. SIGSAFE.
 */
bool channel_count(struct channel *channel, uint64_t generation,
		   uint64_t *count);

/*
 * Sends all writers to the locked rings from now on, in a process that may not
 * make a system call and has a guest (fork_guests). No session starts or stops
 * there any more. SIGSAFE.
 */
void channels_close_cpus(void);

/*
 * Stops all channels in a process that may not make a system call, and lets
 * those go on that it has stopped. Writers that are in a ring finish there.
 * SIGSAFE.
 */
void channels_halt(void);
void channels_go_on(void);

/* Marks the page for children that have no files yet: a command has ended the
 * session (channel_create returns -ECANCELED there). */
void channel_page_end(struct channel *channel);

/* Lets no writer in any more; the caller then waits (channel_grace). */
void channel_stop(struct channel *channel);

/*
 * Returns 0 when no thread can still write into a stopped channel, or
 * -ETIMEDOUT when a thread has kept a locked ring for channel_grace_ms:
 * GRACE_TIMEOUT_MS, unless the agent says less at the start.
 */
extern int channel_grace_ms;
int channel_grace(struct channel *channel);

/* Unmaps rings and session page; the files stay. After channel_grace() and
 * channel_replaced_remove(). */
void channel_destroy(struct channel *channel);

/* Removes a channel's files. */
void channel_remove_files(const struct channel *channel);

/* Returns the bytes of locked ring k. */
uint32_t channel_locked_bytes(const struct channel *channel, uint32_t k);

/* Reserves the next event record and publishes it. Returns the new record,
 * or NULL when there is no room. One caller at a time, in a thread that may
 * open files: the page may have to grow. */
struct event_record *channel_record_add(struct channel *channel,
					const struct event_record *model,
					const char *text, uint32_t text_bytes);

/*
 * Has a ring made in another thread, for a writer that found none, and waits.
 * Returns true when the ring is there now. SIGSAFE.
 */
bool channel_need_cpu_ring(struct channel *channel, uint32_t cpu);
bool channel_need_locked_ring(struct channel *channel, uint32_t k);

/*
 * Makes the missing rings of CPUs and of the first `locked` locked rings, as
 * far as there is room, for a process that will soon be unable to. SIGSAFE.
 */
void channel_need_all(struct channel *channel, uint32_t locked);

/*
 * Counts an event of a forked child that could not get files, as lost in the
 * parent's session, and with the first one the child: it still maps the
 * parent's page, and readers see the counts there. SIGSAFE.
 */
void channel_orphan_lose(const struct rings *rings);

/*
 * Notes why this forked child cannot make files: an errno, or 0 if it can, and
 * the number of the cause of that errno, or 0 if none is known. Call it before
 * the child's first event. A session counts the child with the first event that
 * it loses there, and not before: many children are given a seccomp filter or
 * another root directory, for which the agent makes their files, and never hit
 * a marker. SIGSAFE.
 */
void channels_orphan(int error, uint32_t cause);

/*
 * Runs fn(arg) in a thread with a private descriptor table, for the functions
 * above. Returns fn's result or a negative errno. Set by the agent; SIGSAFE.
 */
extern int (*channel_run_aside)(int (*fn)(void *arg), void *arg);

/*
 * channel_admit decides, before the file of a ring is made, whether it may take
 * so many bytes more; the thread that makes the file calls it, if it is set. It
 * returns a negative errno if not; else a number that is passed to channel_made
 * when the file is there, or cannot be made.
 */
#define CHANNEL_ADMITTED	INT32_MAX
extern int (*channel_admit)(const struct channel *channel, uint64_t bytes);
extern void (*channel_made)(int admitted);

/* Returns 0 when so many more bytes may be mapped: the process's limit of
 * address space, if any, then still leaves the reserve to the program. Else
 * returns -ENOMEM. */
int channel_space_admit(uint64_t bytes);

/*
 * Gives a forked child private files, in the first write (*fork_mark is 0).
 * Returns 1 when the write may be tried again. Set by the agent; SIGSAFE.
 */
extern int (*channel_revive)(void);

/* Returns the size of a ring: `wanted` or the default, rounded and bounded. */
uint32_t channel_ring_bytes(uint64_t wanted, uint32_t cpus);

#endif
