/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Frames that the real writers wrote, from all CPUs, read back by the process
 * that wrote them; and the counts that the process may get while they write.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "testsuite/stress/bed.h"
#include "testsuite/unit/unit.h"
#include "tracepoints/frames/frames.h"

#define RING_BYTES	(256u << 10)
#define FRAME_ID	3
#define THREADS		3
#define EACH		40000u

static struct channel *channel = &channels[0];
static uint32_t channel_index;
static struct write_slot slot;
static char variant[64];

static const struct write_shape shape = {
	.fixed_bytes = 8,
	.nvar = 1,
	.var = { { .fixed_before = 8, .element_bytes = 1 } },
};

/* Writes a frame; its blocks' bytes follow from its address. */
static void frame_write(uint32_t tracepoint, uint32_t serial, uint64_t address)
{
	uint8_t blocks[8 + 64];
	uint64_t fixed = tracepoint | (uint64_t)serial << 32;
	struct write_var var = { blocks, 8 + address % 64 };

	memcpy(blocks, &address, 8);
	memset(blocks + 8, (int)address, 64);
	slot.hit(&slot, fixed, &var);
}

static bool frame_good(const struct frame *frame)
{
	uint32_t i;

	for (i = 0; i < frame->bytes; i++)
		if (frame->blocks[i] != (uint8_t)frame->address)
			return false;
	return frame->bytes == frame->address % 64;
}

static bool channel_open(uint32_t flags, uint32_t contexts)
{
	if (!unit_equal(bed_channel(channel, channel_index++, flags, contexts,
				    RING_BYTES),
			0, "%s: channel", variant))
		return false;
	bed_slot(&slot, &shape);
	bed_slot_on(&slot, channel, FRAME_ID);
	return true;
}

static struct frames *channel_index_open(void)
{
	bed_slot_off(&slot);
	channel_stop(channel);
	if (channel_grace(channel))
		abort();
	return frames_open(channel, FRAME_ID);
}

static void channel_close(struct frames *frames)
{
	frames_close(frames);
	unit_equal(bed_channel_end(channel), 0, "%s: channel ends", variant);
}

/* Moves this thread to the next CPU that it may use. */
static uint32_t cpu_next(const cpu_set_t *all, uint32_t cpu)
{
	cpu_set_t one;

	do
		cpu = (cpu + 1) % CPU_SETSIZE;
	while (!CPU_ISSET(cpu, all));
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	return cpu;
}

/* One thread goes from CPU to CPU: the frames' times are in the order of its
 * writes, and each ring holds its last frames without a gap. */
static void test_travel(uint32_t flags, uint32_t contexts, uint32_t n)
{
	static uint32_t serials[CPU_SETSIZE];
	static uint32_t last[CPU_SETSIZE];
	struct frames_tally tally;
	struct frames *frames;
	struct frame frame;
	uint64_t before = 0;
	uint32_t cpu = 0;
	cpu_set_t all;
	bool good = true;
	uint32_t i;

	sched_getaffinity(0, sizeof(all), &all);
	memset(serials, 0, sizeof(serials));
	memset(last, 0, sizeof(last));
	if (!channel_open(flags, contexts))
		return;
	for (i = 1; i <= n; i++) {
		if (i % 13 == 1)
			cpu = cpu_next(&all, cpu);
		frame_write(cpu, ++serials[cpu], i);
	}
	sched_setaffinity(0, sizeof(all), &all);
	frames = channel_index_open();
	frames_tally(channel, &tally);
	unit_equal(frames_count(frames), tally.held, "%s: tally", variant);
	unit_equal(tally.written, n, "%s: written", variant);
	for (i = 0; !frames_get(frames, i, &frame); i++) {
		uint32_t *serial = &last[frame.tracepoint % CPU_SETSIZE];

		good &= frame_good(&frame) && frame.address > before &&
			(!*serial || (uint32_t)frame.tid == *serial + 1);
		*serial = (uint32_t)frame.tid;
		before = frame.address;
	}
	unit_check(good, "%s: in order, as written", variant);
	unit_check(!memcmp(last, serials, sizeof(last)),
		   "%s: to the last of each CPU", variant);
	unit_check(flags & SESSION_OVERWRITE ? i < n : i == n,
		   "%s: as many as there is room for", variant);
	channel_close(frames);
}

/* A full ring keeps the first frames, and counts the others. */
static void test_full(void)
{
	struct frames_tally tally;
	struct frames *frames;
	struct frame frame;
	bool good = true;
	uint32_t i;

	if (!channel_open(0, 0))
		return;
	for (i = 1; i <= EACH; i++)
		frame_write(1, i, i);
	frames = channel_index_open();
	frames_tally(channel, &tally);
	unit_check(tally.held == frames_count(frames) &&
			   tally.written == tally.held && tally.lost &&
			   tally.written + tally.lost == EACH,
		   "%s: full", variant);
	unit_check(tally.nfull && (tally.full >= CHANNEL_CPUS_MAX) == !bed.cpus,
		   "%s: full, which ring", variant);
	for (i = 0; !frames_get(frames, i, &frame); i++)
		good &= frame_good(&frame);
	unit_check(good && i == tally.held, "%s: full, as written", variant);
	unit_check(tally.bytes_held <= tally.bytes_room, "%s: full, bytes",
		   variant);
	channel_close(frames);
}

static uint32_t running;

static void *writer(void *arg)
{
	uint32_t number = (uint32_t)(uintptr_t)arg;
	uint32_t i;

	for (i = 1; i <= EACH; i++)
		frame_write(number, i, (uint64_t)number << 32 | i);
	__atomic_sub_fetch(&running, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* Asks again and again while threads write. */
static bool tally_while_running(void)
{
	struct frames_tally before = { 0 };
	bool good = true;

	while (__atomic_load_n(&running, __ATOMIC_ACQUIRE)) {
		struct frames_tally tally;

		frames_tally(channel, &tally);
		if (tally.written < before.written ||
		    tally.lost < before.lost || tally.held > tally.written ||
		    tally.written > THREADS * EACH ||
		    tally.bytes_held > tally.bytes_room ||
		    tally.held > tally.bytes_held / 24) {
			printf("# held %llu, written %llu, then %llu\n",
			       (unsigned long long)tally.held,
			       (unsigned long long)before.written,
			       (unsigned long long)tally.written);
			good = false;
		}
		before = tally;
	}
	return good;
}

static void test_threads(uint32_t flags)
{
	static uint32_t last[THREADS];
	pthread_t threads[THREADS];
	struct frames_tally tally;
	struct frames *frames;
	struct frame frame;
	uint64_t clock = 0;
	bool good = true;
	uint32_t i;

	if (!channel_open(flags, 0))
		return;
	running = THREADS;
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, writer,
			       (void *)(uintptr_t)i);
	unit_check(tally_while_running(), "%s: tally while threads write",
		   variant);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	frames = channel_index_open();
	frames_tally(channel, &tally);
	unit_check(tally.held == frames_count(frames) &&
			   tally.written + tally.lost == THREADS * EACH,
		   "%s: every frame is held, overwritten or lost", variant);
	memset(last, 0, sizeof(last));
	for (i = 0; !frames_get(frames, i, &frame); i++) {
		good &= frame_good(&frame) && frame.tracepoint < THREADS &&
			frame.clock >= clock;
		clock = frame.clock;
	}
	unit_check(good, "%s: frames of threads, in order", variant);
	channel_close(frames);
}

static void test_all(const char *kind)
{
	uint32_t large = SESSION_LARGE_HEADER;

	snprintf(variant, sizeof(variant), "%s, compact", kind);
	test_travel(0, 0, 3000);
	snprintf(variant, sizeof(variant), "%s, large, contexts", kind);
	test_travel(large, CONTEXT_VTID | CONTEXT_CPU, 3000);
	snprintf(variant, sizeof(variant), "%s, wrapped", kind);
	test_travel(SESSION_OVERWRITE, 0, 200000);
	test_threads(SESSION_OVERWRITE);
	snprintf(variant, sizeof(variant), "%s, discard", kind);
	test_full();
	test_threads(large);
}

int main(void)
{
	if (!unit_equal(bed_open(NULL, 1), 0, "set up"))
		return unit_end();
	if (bed.cpus)
		test_all("rseq");
	else
		unit_skip("rseq", "no rseq, or no usable TSC");
	bed.cpus = 0;
	test_all("locked");
	bed_close();
	return unit_end();
}
