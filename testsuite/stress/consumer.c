/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The consumer of the stress test: a process of its own that reads all rings
 * while they are written, checks every byte, and keeps the ledger.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/base.h"
#include "buffers/clock.h"
#include "testsuite/stress/bed.h"
#include "testsuite/stress/stress.h"

#define ERRORS_SHOWN	8
/* how far the clocks of two CPUs may be apart */
#define CLOCK_SLACK	2000u

struct watch {
	struct watch *next;
	struct ring *ring;
	uint64_t bytes;
	uint32_t directory;
	uint32_t index;
	char name[32];
	struct event_seen seen;
	uint32_t position;		/* read below it */
	uint64_t packets;
	uint64_t decoded;
	uint64_t overwritten;
	uint64_t clock;			/* of the last event */
	uint64_t lost;
	int fresh;			/* nothing before to compare with */
	uint64_t numbers[STREAMS];	/* the next that may come */
};

static struct watch *watches;
/* of processes: found and lost, until they are counted */
static uint64_t found[DIRECTORIES];
static uint64_t lost[DIRECTORIES];
static uint32_t foreign[DIRECTORIES];
static char *copy;

static void wrong(const struct watch *watch, const char *what, uint64_t a,
		  uint64_t b)
{
	if (stress->errors++ < ERRORS_SHOWN)
		printf("# %u/%s: %s (%#llx, %#llx) at %#x\n", watch->directory,
		       watch->name, what, (unsigned long long)a,
		       (unsigned long long)b, watch->position);
}

static const char *order_check(struct watch *watch)
{
	struct event_seen *seen = &watch->seen;

	if (seen->stream >= stress->streams)
		return "an unknown stream";
	if (seen->number >= stress->begun[seen->stream])
		return "a number that was not reached";
	if (seen->number < watch->numbers[seen->stream])
		return "a number comes again";
	watch->numbers[seen->stream] = seen->number + 1;
	/* snapshots see an event many times */
	if (!options.overwrite &&
	    stress->directory[seen->stream] != watch->directory &&
	    ++foreign[watch->directory] > stress->foreign[watch->directory])
		return "an event of another process";
	return NULL;
}

static size_t event_one(const struct oracle_event *event, void *priv)
{
	struct watch *watch = priv;
	size_t bytes = event_check(event, &watch->seen);

	stress->extended += (uint64_t)event->extended;
	if (bytes != ORACLE_WRONG) {
		watch->seen.error = order_check(watch);
		if (watch->seen.error)
			bytes = ORACLE_WRONG;
	}
	return bytes;
}

/* A packet with `content` bytes; returns the number of its events. */
static uint64_t packet_decode(struct watch *watch, const void *packet,
			      uint32_t content, int open)
{
	const struct packet_head *head = packet;
	struct oracle oracle = {
		.open = open,
		.check = event_one,
		.priv = watch,
		/* a counter is the writers' own */
		.now = clock_kind() == CLOCK_KIND_ATOMIC ?
			       0 :
			       clock_read() + CLOCK_SLACK,
	};
	const char *error = oracle_head(head, watch->ring);

	if (error)
		wrong(watch, error, head->packet_seq_num, 0);
	if (!watch->fresh && head->timestamp_begin < watch->clock)
		wrong(watch, "a packet begins too early",
		      head->timestamp_begin, watch->clock);
	watch->seen.error = NULL;
	if (oracle_packet(&oracle, packet, content))
		wrong(watch,
		      watch->seen.error ? watch->seen.error : oracle.error,
		      oracle.error_offset, watch->seen.stream);
	stress->packets++;
	watch->clock = oracle.clock;
	watch->fresh = 0;
	return oracle.events;
}

static const void *packet_at(const struct watch *watch, uint32_t position)
{
	return (const char *)watch->ring + RING_DATA_OFFSET +
	       (position & (watch->ring->ring_bytes - 1));
}

/* Discard mode: takes what is closed. */
static void drain(struct watch *watch)
{
	struct ring *ring = watch->ring;
	uint32_t head = RING_POSITION(load_acquire(&ring->head, RING_HEAD));

	while ((head & ~(ring->sub_bytes - 1)) != watch->position) {
		const struct packet_head *packet =
			packet_at(watch, watch->position);
		uint64_t content = packet->content_size / 8 +
				   PACKET_PRIVATE_BYTES;
		const char *error;

		if (packet->packet_seq_num != watch->packets++)
			wrong(watch, "packet number", packet->packet_seq_num,
			      watch->packets - 1);
		if (packet->events_before != watch->decoded)
			wrong(watch, "events before a packet",
			      packet->events_before, watch->decoded);
		if (packet->events_discarded < watch->lost)
			wrong(watch, "losses shrink", packet->events_discarded,
			      watch->lost);
		watch->lost = packet->events_discarded;
		watch->decoded += packet_decode(watch, packet,
						(uint32_t)content, 0);
		error = oracle_tail(packet, watch->clock, ring->sub_bytes);
		if (error)
			wrong(watch, error, content, packet->timestamp_end);
		watch->clock = packet->timestamp_end;
		watch->position += ring->sub_bytes;
		store_release(&ring->tail, watch->position, RING_TAIL);
	}
}

/* Nothing of what was read before is comparable with what comes. */
static void begin_anew(struct watch *watch)
{
	watch->fresh = 1;
	memset(watch->numbers, 0, stress->streams * sizeof(*watch->numbers));
}

/* Overwrite mode: copies what is there; drops what is lapped meanwhile. */
static void snapshot(struct watch *watch)
{
	struct ring *ring = watch->ring;
	uint32_t sub = ring->sub_bytes;
	uint64_t head = load_acquire(&ring->head, RING_HEAD);
	uint32_t last = RING_POSITION(head) & ~(sub - 1);
	uint64_t expected = 0;
	uint32_t at;

	if (last >= ring->ring_bytes)
		at = last - (ring->ring_bytes - 2 * sub);
	else
		at = 0;
	begin_anew(watch);
	watch->overwritten = ~0ull;
	for (; at != last + sub; at += sub) {
		struct packet_head *packet = (struct packet_head *)copy;
		uint64_t events;
		uint32_t now;

		watch->position = at;
		memcpy(copy, packet_at(watch, at), sub);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		now = RING_POSITION(load_acquire(&ring->head, RING_HEAD)) &
		      ~(sub - 1);
		if (now - at >= ring->ring_bytes - sub) {
			stress->lapped++;
			begin_anew(watch);
			continue;
		}
		if (!watch->fresh && packet->events_before != expected)
			wrong(watch, "events before a packet",
			      packet->events_before, expected);
		if (watch->overwritten == ~0ull)
			watch->overwritten = packet->events_before;
		events = packet_decode(
			watch, copy,
			at == last ? RING_POSITION(head) - last :
				     (uint32_t)packet->content_size / 8 +
					     PACKET_PRIVATE_BYTES,
			at == last);
		expected = packet->events_before + events;
	}
	watch->decoded = expected - watch->overwritten;
}

/* The last look, when nobody writes any more. */
static void watch_end(struct watch *watch)
{
	struct ring *ring = watch->ring;
	uint64_t events;

	if (ring->flags & SESSION_OVERWRITE) {
		snapshot(watch);
	} else {
		drain(watch);
		watch->decoded += packet_decode(
			watch, packet_at(watch, watch->position),
			RING_POSITION(ring->head) - watch->position, 1);
	}
	events = watch->decoded + watch->overwritten;
	if ((uint32_t)events != RING_EVENTS(ring->head))
		wrong(watch, "head counts other events", events,
		      RING_EVENTS(ring->head));
	found[watch->directory] += events;
	lost[watch->directory] += ring->lost;
	stress->decoded += watch->decoded;
	stress->overwritten += watch->overwritten;
	stress->lost += ring->lost;
	munmap(ring, watch->bytes);
}

static int watched(uint32_t directory, const char *name)
{
	const struct watch *watch;

	for (watch = watches; watch; watch = watch->next)
		if (watch->directory == directory &&
		    !strcmp(watch->name, name))
			return 1;
	return 0;
}

static void watch_add(uint32_t directory, const char *name)
{
	char path[64];
	uint64_t bytes;
	struct ring *ring;
	struct watch *watch;

	snprintf(path, sizeof(path), "%u/%.31s", directory, name);
	ring = bed_map(path, &bytes);
	if (!ring)
		return;
	if (load_acquire(&ring->magic, RING_CONSTANTS) != RING_MAGIC ||
	    bytes != RING_DATA_OFFSET + (uint64_t)ring->ring_bytes) {
		munmap(ring, bytes);
		return;
	}
	watch = calloc(1, sizeof(*watch));
	watch->ring = ring;
	watch->bytes = bytes;
	watch->directory = directory;
	watch->index = (uint32_t)atoi(name + 5);
	snprintf(watch->name, sizeof(watch->name), "%.31s", name);
	watch->seen.contexts = stress->contexts[watch->index];
	watch->next = watches;
	watches = watch;
}

static void directory_scan(uint32_t directory)
{
	char path[BED_PATH_BYTES + 16];
	struct dirent *entry;
	DIR *stream;

	snprintf(path, sizeof(path), "%s/%u", bed.base, directory);
	stream = opendir(path);
	if (!stream)
		return;
	while ((entry = readdir(stream)))
		if (!strncmp(entry->d_name, "ring.", 5) &&
		    (directory ||
		     stress->index_state[atoi(entry->d_name + 5)] == LIVE) &&
		    !watched(directory, entry->d_name))
			watch_add(directory, entry->d_name);
	closedir(stream);
}

/* Ends the watches of a directory, or of one channel in it. */
static void end_all(uint32_t directory, int index)
{
	struct watch **link = &watches;
	struct session_page *page;
	struct watch *watch;
	uint64_t bytes;
	char path[64];
	uint32_t i;

	while ((watch = *link)) {
		if (watch->directory != directory ||
		    (index >= 0 && watch->index != (uint32_t)index)) {
			link = &watch->next;
			continue;
		}
		watch_end(watch);
		*link = watch->next;
		free(watch);
	}
	for (i = 0; i < stress->indexes; i++) {
		if (index >= 0 && i != (uint32_t)index)
			continue;
		snprintf(path, sizeof(path), "%u/session.%u", directory, i);
		page = bed_map(path, &bytes);
		if (!page)
			continue;
		lost[directory] += page->lost_unplaced;
		stress->lost += page->lost_unplaced;
		munmap(page, bytes);
	}
}

static void ledger(uint32_t directory)
{
	uint64_t sum = found[directory] + lost[directory];
	uint64_t least = 0;
	uint64_t most = stress->foreign[directory];
	uint32_t i;

	for (i = 0; i < stress->streams; i++) {
		if (stress->directory[i] != directory)
			continue;
		least += stress->finished[i];
		most += stress->begun[i];
	}
	if (sum >= least && sum <= most)
		return;
	if (stress->errors++ >= ERRORS_SHOWN)
		return;
	printf("# process %u: finished %llu, begun %llu, found %llu, "
	       "lost %llu\n", directory, (unsigned long long)least,
	       (unsigned long long)most,
	       (unsigned long long)found[directory],
	       (unsigned long long)lost[directory]);
}

static void look(void)
{
	struct watch *watch;
	uint32_t i;

	for (i = 0; i < stress->directories; i++)
		if (stress->state[i] == LIVE)
			directory_scan(i);
	for (watch = watches; watch; watch = watch->next) {
		if (watch->ring->flags & SESSION_OVERWRITE)
			snapshot(watch);
		else
			drain(watch);
	}
	for (i = 0; i < stress->indexes; i++)
		if (stress->index_state[i] == ENDED) {
			/* all its rings are made: no writer is left */
			stress->index_state[i] = LIVE;
			directory_scan(0);
			end_all(0, (int)i);
			stress->index_state[i] = COUNTED;
		}
	for (i = 1; i < stress->directories; i++)
		if (stress->state[i] == ENDED) {
			directory_scan(i);
			end_all(i, -1);
			ledger(i);
			bed_remove(i);
			stress->state[i] = COUNTED;
		}
}

void consume(void)
{
	/* a run that is killed leaves no reader behind */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGALRM, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	copy = malloc(options.ring_bytes);
	while (!stress->over) {
		look();
		usleep(options.overwrite ? 2000 : 500);
	}
	look();
	directory_scan(0);
	end_all(0, -1);
	ledger(0);
}
