/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The writers' slow paths: full rings, laps, wrapping numbers, clocks beyond a
 * short timestamp, rings and slots that come and go, contexts.
 */
#include "testsuite/unit/expect.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/host.h"
#include "base/sys.h"
#include "buffers/ctf.h"
#include "buffers/writers/pieces-x86_64.h"

/* Every size near the largest that fits, and sizes far above. */
static void test_oversize(void)
{
	static unsigned char text[RING_BYTES];
	uint64_t oversize = 0, *counts[CHANNELS_MAX] = { &oversize };
	struct write_shape shape = { .nvar = 1, .oversize = counts };
	struct write_var var = { text, 0 };
	unsigned char nothing[8] = "";
	struct write_slot slot;
	struct ring *ring = ring_here();
	uint32_t fits = ring->sub_bytes - PACKET_HEAD_BYTES - 1 - 4 -
			(channel->flags & BED_WIDE ? 6 : 4);
	bool good = true;
	uint32_t n;

	shape.var[0].element_bytes = 1;
	bed_slot(&slot, &shape);
	bed_slot_on(&slot, channel, 1);
	restart(ring);
	for (n = fits - 40; n <= fits + 40; n++) {
		uint64_t lost = ring->lost;

		var.n = n;
		if (n > fits) {
			hit(&slot, nothing, &var);
			good &= ring->lost == lost + 1 &&
				oversize == n - fits;
			continue;
		}
		put(&slot, nothing, &var);
		good &= verify();
	}
	var.n = 1ull << 40;
	hit(&slot, nothing, &var);
	good &= oversize == 41 && ring->lost == 41;
	ring->lost = 0;
	unit_check(good, "%s: the largest event, and larger ones", variant);
}

/* Holds all locked rings but `ring`, or releases them. */
static void others_hold(const struct ring *ring, int held)
{
	uint32_t k;

	for (k = 0; k < channel->locked_max; k++)
		if (channel->locked[k] != ring)
			channel->locks[k].holder = held ? *fork_mark : 0;
}

static void test_full(void)
{
	struct write_shape shape = { .fixed_bytes = 24 };
	struct write_slot slot;
	struct ring *ring = ring_here();
	unsigned char bytes[24];
	uint32_t kept = 0;
	uint64_t lost = 0;
	bool good = true;
	int i;

	others_hold(ring, 1);
	restart(ring);
	bed_slot(&slot, &shape);
	bed_slot_on(&slot, channel, 1);
	for (i = 0; i < 20000; i++) {
		fill(bytes, sizeof(bytes));
		expect(&slot, bytes, NULL);
		hit(&slot, bytes, NULL);
		if (ring->lost == lost) {
			kept++;
			continue;
		}
		/* a lost event leaves nothing */
		good &= ring->lost == ++lost;
		arena_used = expected[--nexpected].offset;
	}
	good &= lost > 10000 && kept == 20000 - lost;
	good &= walk(ring) && next == nexpected && next == kept;
	restart(ring);
	put(&slot, bytes, NULL);
	good &= ring->lost == lost;
	ring->lost = 0;
	good &= verify();
	others_hold(ring, 0);
	unit_check(good, "%s: full, then emptied", variant);
}

enum {
	NUMBERED_MAX = 400000,	/* more than all locked rings have room for */
	BEYOND = 5000,		/* events when no ring has room */
};

/* The numbers that were found in the rings. */
static unsigned char found[NUMBERED_MAX];

/* Notes the number of an event, which must be later than those before it in the
 * ring: `priv` is the least that it may be. */
static size_t note_number(const struct oracle_event *event, void *priv)
{
	uint32_t *least = priv;
	uint32_t n;

	if (event->end - event->payload < 8)
		return ORACLE_WRONG;
	memcpy(&n, event->payload, sizeof(n));
	if (n < *least || n >= NUMBERED_MAX || found[n])
		return ORACLE_WRONG;
	found[n] = 1;
	*least = n + 1;
	return (size_t)*(uint32_t *)(least + 1);
}

static uint64_t locked_lost(void)
{
	uint64_t lost = channel->page->lost_unplaced;
	uint32_t k;

	for (k = 0; k < channel->locked_max; k++)
		lost += channel->locked[k]->lost;
	return lost;
}

static void hit_numbered(struct write_slot *slot, uint32_t n)
{
	unsigned char bytes[24] = "";

	memcpy(bytes, &n, sizeof(n));
	hit(slot, bytes, NULL);
}

/* Counts the events in the locked rings, and checks their order. */
static uint32_t walk_locked(uint32_t bytes, bool *good)
{
	uint32_t count = 0;
	uint32_t k;
	uint32_t n;

	memset(found, 0, sizeof(found));
	for (k = 0; k < channel->locked_max; k++) {
		uint32_t least[2] = { 0, bytes };

		*good &= walk_by(channel->locked[k], note_number, least);
	}
	for (n = 0; n < NUMBERED_MAX; n++)
		count += found[n];
	return count;
}

/*
 * A writer whose ring has no room uses each other ring that is not held. Then
 * each event is lost and counted once, and when the reader has emptied any
 * ring, the writer finds it.
 */
static void test_elsewhere(uint32_t bytes)
{
	struct write_shape shape = { .fixed_bytes = (uint16_t)bytes };
	uint32_t held = channel->locked_max - 1;
	struct write_slot slot;
	uint32_t kept;
	uint64_t lost;
	uint32_t n = 0;
	uint32_t at;
	uint32_t k;
	bool good = true;
	bool full = true;

	channel_close();
	channel_open(channel->flags, 0);
	bed_slot(&slot, &shape);
	bed_slot_on(&slot, channel, 1);
	lost = locked_lost();
	if (channel->locked[held] == ring_here())
		held--;
	channel->locks[held].holder = *fork_mark;
	while (n < NUMBERED_MAX - BEYOND && locked_lost() == lost)
		hit_numbered(&slot, n++);
	for (k = 0; k < channel->locked_max; k++) {
		struct ring *ring = channel->locked[k];
		uint32_t packet = RING_POSITION(ring->head) / ring->sub_bytes;

		full &= packet == (k == held ? 0 : RING_SUB_BUFFERS - 1);
	}
	unit_check(full, "%s: %u bytes: all rings are full", variant, bytes);
	kept = n - 1;
	for (k = 0; k < BEYOND; k++)
		hit_numbered(&slot, n++);
	unit_equal(locked_lost() - lost, 1 + BEYOND,
		   "%s: %u bytes: each loss is counted once", variant, bytes);
	unit_check(walk_locked(bytes, &good) == kept && good && found[kept - 1],
		   "%s: %u bytes: each event before, in order", variant,
		   bytes);
	/* full again; then one that is not the writer's own is emptied */
	lost = locked_lost();
	while (n < NUMBERED_MAX - 1 && locked_lost() == lost)
		hit_numbered(&slot, n++);
	at = held ? held - 1 : 1;
	if (channel->locked[at] == ring_here())
		at = at ? at - 1 : 2;
	channel->locked[at]->tail = RING_POSITION(channel->locked[at]->head) &
				    ~(channel->locked[at]->sub_bytes - 1);
	usleep(1000);
	lost = locked_lost();
	kept = RING_EVENTS(channel->locked[at]->head);
	hit_numbered(&slot, n++);
	unit_check(RING_EVENTS(channel->locked[at]->head) == kept + 1 &&
			   locked_lost() == lost,
		   "%s: %u bytes: the ring that was emptied", variant, bytes);
	for (k = 0; k < channel->locked_max; k++) {
		channel->locks[k].holder = 0;
		channel->locked[k]->lost = 0;
	}
}

/* An event that only a ring of the full size can take is written there, while
 * the spare ring that its writer finds first is too small. */
static void test_too_large(uint32_t flags)
{
	static unsigned char text[100 << 10];
	uint64_t oversize = 0, *counts[CHANNELS_MAX] = { &oversize };
	struct write_shape shape = { .nvar = 1, .oversize = counts };
	struct write_var var = { text, sizeof(text) };
	unsigned char nothing[8] = "";
	struct write_slot slot;
	cpu_set_t before;
	cpu_set_t last;
	uint32_t k;

	channel_close();
	if (bed_channel(channel, channel_index++, flags, 0, 1 << 20))
		abort();
	shape.var[0].element_bytes = 1;
	bed_slot(&slot, &shape);
	bed_slot_on(&slot, channel, 1);
	/* behind the last CPU's ring are the spare ones, and then the others */
	CPU_ZERO(&last);
	CPU_SET(channel->locked_full - 1, &last);
	sched_getaffinity(0, sizeof(before), &before);
	if (channel->locked_full < 2 ||
	    sched_setaffinity(0, sizeof(last), &last)) {
		unit_skip("spare rings of another size", "one CPU");
		return;
	}
	for (k = 0; k < channel->locked_max; k++)
		channel->locks[k].holder = *fork_mark;
	channel->locks[channel->locked_full].holder = 0;
	channel->locks[0].holder = 0;
	hit(&slot, nothing, &var);
	unit_check(RING_EVENTS(channel->locked[0]->head) == 1 &&
			   !locked_lost() && !oversize,
		   "%s: too large for a spare ring", variant);
	channel->locks[0].holder = *fork_mark;
	hit(&slot, nothing, &var);
	unit_check(locked_lost() == 1 && !oversize,
		   "%s: too large for all rings that are free", variant);
	for (k = 0; k < channel->locked_max; k++)
		channel->locks[k].holder = 0;
	sched_setaffinity(0, sizeof(before), &before);
}

/* Gives the ring numbers that are about to wrap. */
static void test_wrap(void)
{
	struct write_shape shape = { .fixed_bytes = 100 };
	struct write_slot slot;
	struct ring *ring = ring_here();
	struct packet_head *packet;
	unsigned char bytes[100];
	bool good = true;
	int i;

	ring->tail = (uint32_t)-ring->sub_bytes;
	packet = (void *)(data(ring) + ring->ring_bytes - ring->sub_bytes);
	memcpy(packet, data(ring), sizeof(*packet));
	packet->magic = CTF_PACKET_MAGIC;
	memcpy(packet->uuid, ring->uuid, 16);
	packet->stream_id = 0;
	packet->stream_instance_id = ring->stream_instance_id;
	packet->cpu_id = ring->cpu;
	packet->events_before = 0x5fffffff0ull;
	ring->head = 0xfffffff0ull << 32;
	restart(ring);
	bed_slot(&slot, &shape);
	bed_slot_on(&slot, channel, 1);
	for (i = 0; i < 1000; i++) {
		fill(bytes, sizeof(bytes));
		put(&slot, bytes, NULL);
	}
	good &= RING_POSITION(ring->head) < ring->ring_bytes &&
		RING_EVENTS(ring->head) == 1000 - 16;
	packet = (void *)(data(ring) +
			  (RING_POSITION(ring->head) & ~(ring->sub_bytes - 1) &
			   (ring->ring_bytes - 1)));
	good &= packet->events_before > 0x600000000ull &&
		packet->events_before < 0x600000400ull;
	good &= verify();
	unit_check(good, "%s: position and count wrap", variant);
}

/* A full timestamp only when the short one does not suffice. */
static void test_clock(void)
{
	uint64_t reach = 1ull << 27;
	uint32_t head_bytes = 13;
	struct write_shape shape = { .fixed_bytes = 8 };
	struct write_slot slot;
	struct ring *ring = ring_here();
	unsigned char bytes[8] = "1234567";
	uint64_t before;
	uint64_t start;
	bool good;

	bed_slot(&slot, &shape);
	bed_slot_on(&slot, channel, 1);
	before = ring->head;
	start = clock_read();
	ring->ts_limit = start;
	put(&slot, bytes, NULL);
	good = ring->head - before == (1ull << 32) + head_bytes + 8;
	good &= ring->ts_limit >= start + reach &&
		ring->ts_limit < clock_read() + reach;
	before = ring->head;
	put(&slot, bytes, NULL);
	good &= ring->head - before ==
		(1ull << 32) + (channel->flags & BED_WIDE ? 6 : 4) + 8;
	if (clock_kind() != CLOCK_KIND_ATOMIC) {
		while (clock_read() < ring->ts_limit)
			usleep(1000);
		before = ring->head;
		put(&slot, bytes, NULL);
		good &= ring->head - before ==
			(1ull << 32) + head_bytes + 8;
	}
	good &= verify();
	unit_check(good, "%s: full timestamps", variant);
}

static void test_off(void)
{
	struct write_shape shape = { .fixed_bytes = 8 };
	struct write_slot slot;
	struct ring *ring = ring_here();
	uint64_t head = ring->head;
	unsigned char bytes[8] = "1234567";
	write_fn *stale;
	bool good;

	bed_slot(&slot, &shape);
	hit(&slot, bytes, NULL);
	bed_slot_on(&slot, channel, 1);
	stale = slot.hit;
	bed_slot_off(&slot);
	stale(&slot, 1, NULL);
	write_at(&slot, 1, NULL, 0);
	good = ring->head == head;
	bed_slot_on(&slot, channel, 1);
	channel_stop(channel);
	good &= !channel_grace(channel);
	hit(&slot, bytes, NULL);
	good &= ring->head == head && !ring->lost;
	channel_resume(channel);
	put(&slot, bytes, NULL);
	good &= verify();
	unit_check(good, "%s: slot off, channel stopped", variant);
}

/* A ring is made when it is first needed. */
static void test_absent(void)
{
	struct write_shape shape = { .fixed_bytes = 8 };
	struct write_slot slot;
	unsigned char bytes[8] = "1234567";
	bool good;

	channel_close();
	if (channel_create(channel, channel_index++, "stress", 0, 0,
			   RING_BYTES, bed.cpus))
		abort();
	channel_expect(channel, bed.first_locked);
	channel_resume(channel);
	bed_slot(&slot, &shape);
	bed_slot_on(&slot, channel, 1);
	put(&slot, bytes, NULL);
	put(&slot, bytes, NULL);
	good = ring_here() && ring_here() != &ring_absent && verify();
	unit_check(good, "%s: rings made on demand", variant);
}

/* A thread has chosen the fast writer, and then the slot goes to a channel that
 * needs the general writer. */
static void test_stale(void)
{
	struct write_shape shape = { .fixed_bytes = 8 };
	struct write_slot slot;
	struct ring *ring;
	write_fn *stale;
	bool good;

	channel_close();
	channel_open(0, 0);
	ring = ring_here();
	bed_slot(&slot, &shape);
	bed_slot_on(&slot, channel, 40);
	stale = slot.hit;
	restart(ring);
	bed_slot_off(&slot);
	bed_slot_on(&slot, channel, 70000);
	stale(&slot, 1, NULL);
	good = ring->head == (1ull << 32 | (PACKET_HEAD_BYTES + 13 + 8));
	unit_check(good, "%s: stale writer, extended id", variant);
	channel_close();
	channel_open(0, CONTEXT_CPU | CONTEXT_VTID);
	ring = ring_here();
	bed_slot_off(&slot);
	bed_slot_on(&slot, channel, 40);
	restart(ring);
	stale(&slot, 1, NULL);
	good = ring->head == (1ull << 32 | (PACKET_HEAD_BYTES + 6 + 8 + 8));
	unit_check(good, "%s: stale writer, contexts", variant);
}

static void contexts_put(struct write_slot *slot, uint32_t contexts)
{
	struct expected *e = &expected[nexpected++];
	uint32_t words[2] = { (uint32_t)gettid(), (uint32_t)getpid() };
	uint32_t cpu = (uint32_t)sched_getcpu();
	uint64_t ip = 0x123456789abcull;
	char name[16] = "";

	e->id = (uint32_t)slot->id;
	e->offset = arena_used;
	if (contexts & CONTEXT_VTID)
		expect_bytes(&words[0], 4);
	if (contexts & CONTEXT_VPID)
		expect_bytes(&words[1], 4);
	if (contexts & CONTEXT_PROCNAME) {
		snprintf(name, sizeof(name), "ring-paths");
		expect_bytes(name, 16);
	}
	if (contexts & CONTEXT_CPU)
		expect_bytes(&cpu, 4);
	if (contexts & CONTEXT_IP)
		expect_bytes(&ip, 8);
	expect_bytes("12345678", 8);
	e->bytes = arena_used - e->offset;
	write_at(slot, 0x3837363534333231ull, NULL, ip);
}

static void test_contexts(void)
{
	struct write_shape shape = { .fixed_bytes = 8 };
	struct write_slot slot;
	bool good = true;
	uint32_t contexts;
	int i;

	for (contexts = 1; contexts < 32; contexts++) {
		channel_close();
		channel_open(0, contexts);
		bed_slot(&slot, &shape);
		bed_slot_on(&slot, channel, 5);
		for (i = 0; i < 100; i++)
			contexts_put(&slot, contexts);
		good &= verify();
	}
	unit_check(good, "%s: contexts", variant);
}

/* Laps: the remaining packets have the right numbers and counts. */
static void test_overwrite(void)
{
	struct write_shape shape = { .fixed_bytes = 64 };
	struct write_slot slot;
	struct ring *ring = ring_here();
	unsigned char bytes[64];
	struct packet_head *packet;
	uint32_t head;
	bool good;
	int i;

	bed_slot(&slot, &shape);
	bed_slot_on(&slot, channel, 1);
	for (i = 0; i < 20000; i++) {
		fill(bytes, sizeof(bytes));
		put(&slot, bytes, NULL);
	}
	head = RING_POSITION(ring->head);
	ring->tail = (head & ~(ring->sub_bytes - 1)) - 6 * ring->sub_bytes;
	packet = (void *)(data(ring) + (ring->tail & (ring->ring_bytes - 1)));
	next = (uint32_t)packet->events_before;
	good = packet->packet_seq_num == ring->tail / ring->sub_bytes;
	good &= walk(ring) && next == 20000 && !ring->lost;
	unit_check(good, "%s: overwrite laps", variant);
}

static volatile sig_atomic_t calls;

static void on_call(int signal)
{
	(void)signal;
	calls++;
}

/* Counts every system call of this thread in place of making it, except the
 * last ones of a handler and of a thread. */
static int calls_count(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigprocmask, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { ARRAY_SIZE(code), code };

	signal(SIGSYS, on_call);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

enum { HELD_EVENTS = 100 };

/* Returns the number of system calls, or -1 when they cannot be counted. */
static void *held_writer(void *arg)
{
	struct write_slot *slot = arg;
	unsigned char bytes[8] = "1234567";
	int counting = !UNIT_SANITIZED && !calls_count();
	long made;
	int i;

	for (i = 0; i < HELD_EVENTS; i++)
		hit(slot, bytes, NULL);
	made = calls;
	if (counting)
		sys_gettid();
	return (void *)(counting && calls == made + 1 ? made : -1);
}

/* Every locked ring is held: events are lost at once, and counted. */
static void test_held(void)
{
	struct write_shape shape = { .fixed_bytes = 8 };
	struct ring *last = channel->locked[channel->locked_max - 1];
	uint64_t lost = channel->page->lost_unplaced;
	unsigned char bytes[8] = "1234567";
	struct write_slot slot;
	pthread_t thread;
	void *made;
	uint32_t k;

	bed_slot(&slot, &shape);
	bed_slot_on(&slot, channel, 1);
	for (k = 0; k < channel->locked_max; k++)
		channel->locks[k].holder = *fork_mark;
	calls = 0;
	pthread_create(&thread, NULL, held_writer, &slot);
	pthread_join(thread, &made);
	unit_equal(channel->page->lost_unplaced, lost + HELD_EVENTS,
		   "%s: lost while all rings are held", variant);
	if ((long)made < 0)
		unit_skip("a write without a system call",
			  "no seccomp, or a sanitizer's calls");
	else
		unit_equal((long)made, 0, "%s: without a system call", variant);
	channel->locks[channel->locked_max - 1].holder = 0;
	hit(&slot, bytes, NULL);
	unit_check(channel->page->lost_unplaced == lost + HELD_EVENTS &&
			   RING_EVENTS(last->head) == 1,
		   "%s: the last ring that is free", variant);
	for (k = 0; k < channel->locked_max; k++)
		channel->locks[k].holder = 0;
}

/* A handler forks while a thread holds a ring, and a thread counts a loss: the
 * child finds the same state, and its stores do not reach its parent. */
static void test_forked(void)
{
	struct ring *ring = channel->locked[0];
	struct ring before = *ring;
	uint64_t lost = channel->page->lost_unplaced;
	int status = 1;
	pid_t child;

	channel->locks[0].holder = *fork_mark;
	channel->counting = 1;
	channels_forking();
	child = fork();
	if (!child) {
		bool same;

		channels_forked();
		same = !memcmp(&before, ring, sizeof(before)) &&
		       channel->page->lost_unplaced == lost &&
		       channel->page->magic == SESSION_MAGIC;
		memset(data(ring), 0x55, ring->ring_bytes);
		ring->head = ring->lost = 77;
		channel->page->lost_unplaced += 5;
		_exit(!same);
	}
	unit_check(child > 0 && waitpid(child, &status, 0) == child && !status,
		   "%s: a handler's child has what it goes on with", variant);
	unit_check(!memcmp(&before, ring, sizeof(before)) &&
			   *data(ring) != 0x55 &&
			   channel->page->lost_unplaced == lost,
		   "%s: a handler's child writes to nobody", variant);
	channel->locks[0].holder = 0;
	channel->counting = 0;
}

/* Writes events until one is lost, in a thread that has left rseq. Returns how
 * many. */
static void *unregistered_writer(void *arg)
{
	uint32_t n = 0;

	if (sys4(SYS_rseq, (char *)__builtin_thread_pointer() + rseq_offset,
		 rseq_bytes, RSEQ_UNREGISTER, RSEQ_SIGNATURE))
		return NULL;
	while (n < NUMBERED_MAX && !channel->page->lost_unplaced &&
	       !channel->locked[0]->lost && !channel->locked[1]->lost)
		hit_numbered(arg, n++);
	return (void *)(long)n;
}

/* Beside rseq, a thread without it gets more spare rings when those that exist
 * are full; but not while a task may be under a filter of its own. */
static void test_made(int confined)
{
	uint32_t rings = confined ? LOCKED_AHEAD : LOCKED_SPARE;
	uint64_t lost;
	struct write_shape shape = { .fixed_bytes = 8 };
	struct write_slot slot;
	pthread_t thread;
	uint32_t count = 0;
	bool good = true;
	void *written;
	uint32_t k;

	channel_close();
	channel_open(channel->flags, 0);
	bed_slot(&slot, &shape);
	bed_slot_on(&slot, channel, 1);
	unit_check(!channel->locked[LOCKED_AHEAD],
		   "%s: two rings are made ahead", variant);
	host_guest_confined = (uint32_t)confined;
	pthread_create(&thread, NULL, unregistered_writer, &slot);
	pthread_join(thread, &written);
	host_guest_confined = 0;
	if (!written) {
		unit_skip("a thread without rseq", "it cannot leave");
		return;
	}
	for (k = 0; k < channel->locked_max && channel->locked[k]; k++) {
		count += RING_EVENTS(channel->locked[k]->head);
		good &= RING_POSITION(channel->locked[k]->head) >
			RING_BYTES - channel->locked[k]->sub_bytes;
	}
	lost = channel->locked[0]->lost + channel->locked[1]->lost;
	unit_check(good && k == rings && lost == 1 &&
			   count + 1 == (uint32_t)(long)written,
		   "%s: %u spare rings are there and full", variant, rings);
	channel->locked[0]->lost = channel->locked[1]->lost = 0;
}

static void run_paths(uint32_t flags)
{
	channel_open(flags, 0);
	if (!bed.cpus)
		test_held();
	test_forked();
	test_oversize();
	test_full();
	test_clock();
	test_off();
	test_wrap();
	if (bed.cpus) {
		test_made(0);
		test_made(1);
	} else {
		test_elsewhere(8);
		test_elsewhere(24);
		test_too_large(flags);
		test_too_large(flags | SESSION_OVERWRITE);
	}
	channel_close();
}

static void run_all(const char *compact, const char *wide)
{
	variant = wide;
	run_paths(BED_WIDE);
	variant = compact;
	run_paths(0);
	channel_open(SESSION_OVERWRITE, 0);
	test_overwrite();
	test_absent();
	test_stale();
	test_contexts();
	channel_close();
}

int main(void)
{
	return expect_run(run_all);
}
