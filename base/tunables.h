/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers that a user or a port may tune, each with its unit and its reason.
 */
#ifndef BASE_TUNABLES_H
#define BASE_TUNABLES_H

/* Sub-buffers a ring. Eight bound what an overwritten packet loses to an
 * eighth of the ring, while a packet stays large enough for its head not to
 * show in the size of an event. */
#define RING_SUB_BUFFERS	8

/* Bytes of one CPU's ring when the session names no size: this total divided
 * by the number of CPUs, within these bounds. 4 MiB hold 4 ms of two threads
 * that write as fast as they can. */
#define RING_TOTAL_BYTES	(32u << 20)
#define RING_DEFAULT_MIN_BYTES	(256u << 10)
#define RING_DEFAULT_MAX_BYTES	(4u << 20)
#define RING_MIN_BYTES		(256u << 10)
/* gdb may ask for less: its frames are few, and it says how many bytes they
 * may take in all. A sub-buffer is then a page. */
#define RING_LEAST_BYTES	(32u << 10)
#define RING_MAX_BYTES		(1u << 30)

/* CPUs with a ring of their own; the table of a channel is one page. Writers
 * on higher CPUs take the locked rings. */
#define CHANNEL_CPUS_MAX	496

/* Sessions a process takes part in at once; each site holds one slot each. */
#define CHANNELS_MAX		8

/* Locked rings beyond one a CPU: they serve handlers that interrupt a holder,
 * holders that do not run, and replace rings whose holder was left by
 * siglongjmp. Each takes this much. An event that is too large for a spare one
 * is lost. */
#define LOCKED_SPARE		6
#define LOCKED_SPARE_BYTES	(512u << 10)
#define LOCKED_MAX		64

/* Locked rings made ahead of need where CPUs have rings of their own, and
 * hardly a locked one is ever written: for a holder and the handler that
 * interrupts it. Every fork() pays for each one's mapping. */
#define LOCKED_AHEAD		2

/* Aborts of one write before it goes to a locked ring: a debugger stepping
 * through a section would repeat it for ever. Real preemption gives one. */
#define SECTION_ABORTS_MAX	16

/* How long a thread without rseq takes the CPU's number for what it was, ticks
 * of the TSC: one or two microseconds, as long as the kernel takes to move a
 * thread, so that an event is no further from its CPU's ring than one that is
 * preempted between the question and the write. */
#define HOST_CPU_TICKS		4096

/* Passes over the locked rings before an event is given up. */
#define LOCKED_PASSES		64

/* A forked child makes a ring when it needs one. A thread that finds another
 * thread making one waits: 32 MiB take about 10 ms, and the maker waits for its
 * turn first where more threads want to run than there are CPUs. With 16
 * threads beside ten other programs, 20 ms were not always enough. */
#define MAKING_WAITS		2000
#define MAKING_WAIT_NS		100000

/* After a ring could not be made, no thread tries again for this long, ms. A
 * try takes a thread and some system calls; without the pause each event that
 * has no room would be a try. */
#define BARREN_MS		100

/* Between two anchors of the clock that writers take on their slow paths, ms:
 * rare enough not to be seen (some 0.3 us each), and often enough for a killed
 * program to have one that is not much older than its last packet. */
#define ANCHOR_DISTANCE_MS	100

/* Stack of the service thread and of workers, bytes. */
#define SERVICE_STACK_BYTES	(64u << 10)

/* Below the thread pointer of a service thread, beyond what the agent itself
 * uses there: zeros where libc would keep its thread-local variables, so that
 * a stray access reads zero. */
#define SERVICE_TLS_BYTES	8192u

/* Bytes of event records of a session: allocated when it is created, for some
 * 450 events of average text, and at the most, for 120,000: so much address
 * space is set aside for each session. Powers of two. */
#define RECORDS_MIN_BYTES	(64u << 10)
#define RECORDS_MAX_BYTES	(16u << 20)

/* How long `disable` and `stop` wait for a writer in a locked ring, ms. */
#define GRACE_TIMEOUT_MS	1000

/* How long a setuid(), unshare() and their like wait for a service thread
 * that is in the middle of something, ms. It is told at once; what it may do
 * meanwhile takes less, but for GRACE_TIMEOUT_MS. */
#define BELL_WAIT_MS		2000

/* How long the end of gdb's trace run waits for hits that are under way, ms:
 * as long as a busy machine keeps a thread from its CPU. */
#define COLLECT_SETTLE_MS	200

#endif
