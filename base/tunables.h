/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers that a user or a port may tune, each with a unit and a reason.
 */
#ifndef BASE_TUNABLES_H
#define BASE_TUNABLES_H

/* Sub-buffers a ring. With eight, an overwritten packet loses an eighth of the
 * ring, while a packet is so large that the head adds next to nothing to an
 * event. */
#define RING_SUB_BUFFERS	8

/* Bytes of one CPU's ring when the session names no size: this total divided
 * by the number of CPUs, within these bounds. 4 MiB hold 4 ms of two threads
 * that write as fast as they can. */
#define RING_TOTAL_BYTES	(32u << 20)
#define RING_DEFAULT_MIN_BYTES	(256u << 10)
#define RING_DEFAULT_MAX_BYTES	(4u << 20)
#define RING_MIN_BYTES		(256u << 10)
/* gdb may ask for less: its frames are few, and it tells how many bytes they
 * may take in all. The smallest sub-buffer is a page. */
#define RING_LEAST_BYTES	(32u << 10)
#define RING_MAX_BYTES		(1u << 30)

/* CPUs that get a ring; the table of a channel is one page. Writers on higher
 * CPUs take the locked rings. */
#define CHANNEL_CPUS_MAX	496

/* Sessions a process takes part in at once; a site may have a slot for each. */
#define CHANNELS_MAX		8

/* For how long a session may keep events (--keep): from a second to a day. */
#define KEEP_MS_LEAST		1000
#define KEEP_MS_MOST		86400000
#define KEEP_MS_VALID(ms)	((ms) >= KEEP_MS_LEAST && (ms) <= KEEP_MS_MOST)

/* How often the service thread looks at such a session's rings: when writers at
 * this rate (bytes per second of a CPU) have filled a quarter of a ring, but
 * not more often than every 10 ms, which takes a thousandth of a CPU. */
#define KEEP_LOOK_RATE		(64u << 20)
#define KEEP_LOOK_MS_LEAST	10u
#define KEEP_LOOK_MS_MOST	1000u

/* The bytes that dead processes' rings may take in a runtime directory; the
 * oldest go first. It is a small part of a usual machine's /dev/shm, and holds
 * 40 processes with rings of the default size. */
#define KEEP_BYTES		(256ull << 20)

/* What a dead process without rings counts as there, at least. Each process
 * that starts at the limit looks at all dead ones, which takes some 30 us each:
 * there are 64 at most. They have no event, and go before those that have. */
#define KEEP_BARE_BYTES		(4ull << 20)

/* The part that rings leave free in the runtime directory's file system, for
 * other programs and for the small files of later processes: an eighth of it,
 * but not more than so many bytes and files. */
#define RESERVE_PART		8
#define RESERVE_BYTES		(8ull << 20)
#define RESERVE_FILES		64ull

/* The bytes that a session leaves free of a process's limit of address space
 * (ulimit -v), for the program itself: an eighth of the limit, and at least so
 * many bytes. */
#define RESERVE_SPACE_BYTES	(16ull << 20)

/* Locked rings beyond one a CPU. They serve when a handler interrupts a holder,
 * or a holder does not run, and replace rings that a holder left by siglongjmp.
 * Each takes this many bytes. An event that is too large for a spare ring goes
 * to a ring of the full size, if one is free. */
#define LOCKED_SPARE		6
#define LOCKED_SPARE_BYTES	(512u << 10)
#define LOCKED_MAX		64

/* Locked rings made ahead of need where each CPU has a ring, and locked rings
 * are hardly ever written: for a holder and the handler that interrupts it.
 * Every fork() pays for the mapping of each. */
#define LOCKED_AHEAD		2

/* Aborts of one write before it goes to a locked ring: under a debugger that
 * steps through a section, the section never ends. Preemption gives one
 * abort. */
#define SECTION_ABORTS_MAX	16

/* How long a thread without rseq uses the CPU's number again, ticks of the TSC:
 * one or two microseconds, the time in which the kernel moves a thread. So the
 * number is no older than that of a thread which is preempted between reading
 * it and the write. */
#define HOST_CPU_TICKS		4096

/* The bytes of files beside shared rings, at most, for a session of an average
 * number of event types; and the step by which room for types is
 * allocated. The part of the tables that core dumps have. */
#define SHARED_BESIDE_BYTES	(3u << 20)
#define SHARED_ROOM_STEP	(256u << 10)
#define SHARED_DUMP_BYTES	(1u << 20)

/* Shared rings that take less than this part of the free room are allocated
 * when a process first needs them: other programs may take some of the room
 * until then. */
#define LATE_PART		4

/* Passes over the locked rings before an event is given up. */
#define LOCKED_PASSES		64

/* How long a writer that found no room in any locked ring loses events without
 * a look at the others, ticks of the TSC or nanoseconds: some 30 microseconds.
 * A look at 64 rings takes a tenth of that, and a reader makes room every few
 * milliseconds. */
#define ROOMLESS_TICKS		65536

/* A forked child makes a ring when it needs one. Other threads wait for the
 * maker: 32 MiB take about 10 ms, and the maker first waits for a CPU where
 * more threads want to run than there are CPUs. With 16 threads beside ten
 * other programs, 20 ms were not always enough. */
#define MAKING_WAITS		2000
#define MAKING_WAIT_NS		100000

/* After a ring could not be made, no thread tries again for this long, ms. A
 * try takes a thread and some system calls; without the pause each event
 * without room would be a try. */
#define BARREN_MS		100

/* Between two anchors of the clock that writers take on their slow paths, ms:
 * rare enough not to be noticed (some 0.3 us each), and often enough that a
 * killed program has one that is not much older than the last packet. */
#define ANCHOR_DISTANCE_MS	100

/* Commands that read a session's buffers as they fill, and commands that remove
 * buffers, ms. A follower begins a look at the buffers FOLLOW_PAUSE_MS after
 * the last one. Where looks take more than a tenth of this in processor time,
 * it pauses for longer, so that it takes a tenth of a processor, but never for
 * longer than FOLLOW_PAUSE_MAX_MS: a command that removes buffers does not wait
 * for it. `destroy`, and a recorder at the end, wait FOLLOW_STOPPED_MS between
 * the last event and the removal: a pause, and half as much for the look. A
 * recorder leaves the buffers of an ended process for FOLLOW_ENDED_MS: ten
 * pauses, and two of `top`, which looks once a second. */
#define FOLLOW_PAUSE_MS		100
#define FOLLOW_PAUSE_MAX_MS	200
#define FOLLOW_STOPPED_MS	300
#define FOLLOW_ENDED_MS		2500

/* Open calls that wait for their end (fn: rules with `duration`): threads of a
 * process that have some, calls of a thread, and of these the outermost ones
 * that have room for the characters of strings. Pages that no thread has
 * touched take no memory; all would take 20 MiB. A thread looks at some places
 * before it has none, and again after a pause, ticks of the TSC: each place of
 * another thread costs a system call. */
#define OPEN_THREADS		512u
#define OPEN_CALLS		256u
#define OPEN_STRINGS		64u
#define OPEN_STRINGS_BYTES	256u
#define OPEN_PLACES		8u
#define OPEN_PAUSE_TICKS	(10ull << 20)

/* Pages for the places of jumps whose operand has bytes of the program. Some
 * lead to such a page alone; a process has 65,530 mappings by default. */
#define PUN_PAGES		1024u

/* Stack of the service thread and of workers, bytes. */
#define SERVICE_STACK_BYTES	(64u << 10)

/* Bytes below the thread pointer of a service thread, beyond the agent's own
 * variables: zeros where libc would keep its thread-local variables. A stray
 * access reads zero. */
#define SERVICE_TLS_BYTES	8192u

/* Bytes of event records of a session: the first number is allocated when the
 * session is created, for some 220 events of average text. The second is the
 * most, for 120,000; so much address space is reserved for each session. Powers
 * of two. */
#define RECORDS_MIN_BYTES	(32u << 10)
#define RECORDS_MAX_BYTES	(16u << 20)

/* Of these, so many bytes may be taken before functions get no new descriptions
 * because they are switched off and on again. */
#define TERMS_RECORD_BYTES	(RECORDS_MAX_BYTES / 2)

/* How long `disable` and `stop` wait for a writer in a locked ring, ms. */
#define GRACE_TIMEOUT_MS	1000

/* How long setuid(), unshare() and similar calls wait for a busy service
 * thread, ms. It is told at once; except for a wait of GRACE_TIMEOUT_MS, no
 * work of that thread takes so long. */
#define WAKEUP_WAIT_MS		2000

/* How long the end of gdb's trace run waits for unfinished hits, ms: as long as
 * a busy machine keeps a thread from its CPU. */
#define COLLECT_SETTLE_MS	200

#endif
