/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions that keep events for a time: rings that would overwrite younger
 * events are replaced by larger ones (buffers/rings/replace.c).
 *
 *	 |<------------- ring, oldest packet first ------------->|
 *	 |<-- ahead -->|                                         |
 *	 +-------------+-----------------------------------------+
 *	               ^ if this packet is younger than the time when the
 *	                 service thread looks, the rings are replaced
 *
 * `ahead` is what the writers may overwrite before the next look: a quarter of
 * the ring, or twice what they have written since the last look. So the thread
 * looks the more often, the smaller the rings are. No writer wakes it: a write
 * makes no system call for that.
 *
 * The new size is for the rate at which the ring was filled behind that packet.
 * After a jump of the rate it may be too small, and then the rings are replaced
 * again. The rings before are read as long as their events are younger than the
 * time.
 *
 * Invariant: only the service thread replaces rings, and uses `seen`. Where the
 * quota, the file system or the limit of address space leaves no room for such
 * rings, smaller ones are tried, and the page says why.
 */
#include "control/sessions/private.h"

#include <errno.h>
#include <stdbool.h>

#include "base/base.h"
#include "buffers/clock.h"
#include "buffers/ring-view.h"
#include "control/threads/log.h"

#define NS_PER_MS	1000000u
#define STEP_MAX	4		/* how much larger new rings are: larger
					 * ones take longer to make than the old
					 * ones hold out */
#define RETRY_MS	10000		/* after a lack of room */

/* What the last look saw. */
struct seen {
	uint64_t retry;			/* no new rings before this, ms */
	uint32_t looks;
	uint32_t replacements;		/* of the channel, then */
	uint64_t positions[CHANNEL_CPUS_MAX];	/* bytes written in each ring */
};

static struct seen seen[SESSIONS_MAX] TABLE;
static uint64_t next_look;		/* ms of CLOCK_MONOTONIC */

void session_keep_begin(const struct session *session)
{
	struct session_page *page = session->channel->page;

	if (!session->keep_ms)
		return;
	page->keep_ns = (uint64_t)session->keep_ms * NS_PER_MS;
	/* without rseq there are no rings of CPUs; ESRCH: until the thread
	 * looks */
	page->keep_error = session->channel->cpus ? ESRCH : ENOTSUP;
	seen[session - sessions].looks = 0;
	next_look = 0;
}

static bool is_keeping(uint32_t i)
{
	return session_phase(i) == SESSION_RUNS && sessions[i].keep_ms;
}

bool session_keeps(void)
{
	for (uint32_t i = 0; i < SESSIONS_MAX; i++)
		if (is_keeping(i))
			return true;
	return false;
}

void session_keep_end(void)
{
	for (uint32_t i = 0; i < SESSIONS_MAX; i++)
		if (is_keeping(i))
			session_keep_begin(&sessions[i]);
}

/* Returns how many bytes of rings a CPU needs, if the ring is about to
 * overwrite events that are younger than the time; else 0. */
static uint64_t ring_need(const struct channel *channel, uint32_t cpu,
			  struct seen *state, uint64_t keep_ms)
{
	const struct ring *ring = load_acquire(&channel->rings->tab[cpu],
					       CPU_RING);
	const struct ring_view view = {
		.ring = ring, .nsub = RING_SUB_BUFFERS,
		.sub_bytes = channel->sub_bytes,
		.instance = cpu + channel->replacements * RING_STRIDE,
	};
	struct packet_head head __attribute__((aligned(8)));
	uint64_t before = state->positions[cpu];
	uint64_t position, ahead, number, clock, age_ms;
	struct ring_count count;

	/* EAGAIN: the writer came round meanwhile */
	if (ring == &ring_absent || ring_look(&view, &count))
		return 0;
	position = count.current * view.sub_bytes + count.used;
	state->positions[cpu] = position;
	/* the first look does not know what is new */
	if (!state->looks)
		return 0;
	ahead = max_u64(2 * (position - before), channel->ring_bytes / 4);
	if (position == before || position + ahead < channel->ring_bytes)
		return 0;
	/* the oldest packet after so many bytes */
	number = (position + ahead) / view.sub_bytes + 1 - view.nsub;
	if (number >= count.current)
		return UINT64_MAX;
	ring_head_read(&view, number, &head);
	clock = clock_read();
	/* a packet that is not there any more was overwritten meanwhile */
	if (!ring_head_belongs(&view, &head, number) ||
	    clock <= head.timestamp_begin)
		return UINT64_MAX;
	age_ms = (clock - head.timestamp_begin) / (clock_hz() / 1000);
	if (age_ms >= keep_ms)
		return 0;
	/* a quarter is `ahead`, an eighth is lost at once, and no rate is even:
	 * with less, rings would soon be replaced again */
	return (position - number * view.sub_bytes) * keep_ms / (age_ms + 1) /
	       4 * 7 + 1;
}

/* Replaces the rings by rings of so many bytes, or by the largest for which
 * there is room. */
static void rings_enlarge(struct channel *channel, uint64_t need,
			  struct seen *state, uint64_t now)
{
	uint64_t bytes = 2 * (uint64_t)channel->ring_bytes;
	uint64_t most = STEP_MAX * (uint64_t)channel->ring_bytes;
	int ret = -ERANGE, why = 0;

	while (bytes < need && bytes < most)
		bytes *= 2;
	while (bytes > RING_MAX_BYTES)
		bytes /= 2;
	for (; ret && bytes > channel->ring_bytes; bytes /= 2) {
		ret = channel_replace(channel, (uint32_t)bytes);
		if (ret == -EBUSY)
			return;
		if (ret)
			why = -ret;
	}
	if (ret == -ERANGE)
		why = ERANGE;
	if (ret && why != channel->page->keep_error)
		log_fact(LOG_WARNING, "session",
			 "buffers are smaller than the time needs", -why);
	channel->page->keep_error = why;
	state->retry = ret ? now + RETRY_MS : 0;
}

static void channel_look(uint32_t i, uint64_t now)
{
	struct channel *channel = sessions[i].channel;
	uint64_t keep_ms = sessions[i].keep_ms;
	struct seen *state = &seen[i];
	uint64_t need = 0;

	if (!state->looks) {
		state->retry = 0;
		if (channel->page->keep_error == ESRCH)
			channel->page->keep_error = 0;
	}
	channel_replaced_remove(channel, keep_ms * (clock_hz() / 1000));
	for (uint32_t cpu = 0; cpu < channel->cpus; cpu++) {
		/* new rings are empty */
		if (state->replacements != channel->replacements)
			state->positions[cpu] = 0;
		need = max_u64(need, ring_need(channel, cpu, state, keep_ms));
	}
	state->replacements = channel->replacements;
	state->looks = 1;
	if (need && now >= state->retry)
		rings_enlarge(channel, need, state, now);
}

static uint64_t now_ms(void)
{
	return clock_read_kernel(CLOCK_MONOTONIC) / NS_PER_MS;
}

int64_t session_keep_look(void)
{
	uint64_t now, pause, least = KEEP_LOOK_MS_MOST;

	if (!session_keeps())
		return -1;
	now = now_ms();
	if (now >= next_look) {
		for (uint32_t i = 0; i < SESSIONS_MAX; i++) {
			if (!is_keeping(i) || !sessions[i].channel->cpus)
				continue;
			channel_look(i, now);
			/* the time in which writers at KEEP_LOOK_RATE fill a
			 * quarter of a ring */
			pause = sessions[i].channel->ring_bytes / 4 /
				(KEEP_LOOK_RATE / 1000);
			least = min_u64(least, max_u64(pause,
						       KEEP_LOOK_MS_LEAST));
		}
		next_look = now + least;
		now = now_ms();
	}
	return now < next_look ? (int64_t)(next_look - now) : 0;
}
