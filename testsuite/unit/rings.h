/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A slow, simple agent for tests of readers: writes a process page, a session
 * with events, and rings, exactly as layout.h says, without rseq or threads.
 */
#ifndef TESTSUITE_RINGS_H
#define TESTSUITE_RINGS_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffers/ctf.h"
#include "buffers/cursor.h"
#include "buffers/layout.h"
#include "taffrail/site.h"

struct fake {
	char path[256];			/* a new directory below /tmp */
	int fd;				/* PID.STARTTIME/ */
	int image;			/* PID.STARTTIME/0/ */
	struct process_page *process;
	struct session_page *session;
};

struct fake_ring {
	struct ring *ring;
	char *data;
	size_t bytes;
	uint64_t now;			/* clock of the last event */
	uint64_t previous;		/* what the header is relative to */
	uint64_t number;		/* of the open packet */
	uint64_t committed;
	uint64_t lapped;		/* events of packets overwritten */
	uint64_t counts[64];		/* events of a slot's packet */
	enum cursor_kind kind;
};

static inline void *fake_file(int dirfd, const char *name, size_t bytes)
{
	int fd = openat(dirfd, name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	void *p;

	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		abort();
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		abort();
	return p;
}

/* A process with one session, named "test". */
static inline void fake_open(struct fake *fake, uint32_t flags,
			     uint32_t contexts)
{
	char name[32];
	int i;

	memset(fake, 0, sizeof(*fake));
	snprintf(fake->path, sizeof(fake->path), "/tmp/taffrail-unit-XXXXXX");
	if (!mkdtemp(fake->path))
		abort();
	fake->fd = open(fake->path, O_RDONLY | O_DIRECTORY);
	mkdirat(fake->fd, "0", 0700);
	fake->image = openat(fake->fd, "0", O_RDONLY | O_DIRECTORY);
	fake->process = fake_file(fake->image, "process",
				  sizeof(*fake->process));
	fake->process->version = LAYOUT_VERSION;
	fake->process->pid = 4242;
	fake->process->ppid = 1;
	fake->process->starttime = 777;
	fake->process->state = PROCESS_RUNNING;
	fake->process->clock_kind = CLOCK_KIND_MONOTONIC;
	fake->process->sessions = 1;
	fake->process->clock_hz = 1000000000;
	fake->process->start.clock = 1000;
	fake->process->start.monotonic_ns = 1000;
	fake->process->start.realtime_ns = 1700000000ull * 1000000000ull;
	for (i = 0; i < 16; i++) {
		fake->process->boot_id[i] = (uint8_t)(0xb0 + i);
		fake->process->uuid[i] = (uint8_t)(0x10 + i);
	}
	strcpy(fake->process->procname, "fake");
	strcpy(fake->process->hostname, "host");
	strcpy(fake->process->agent_version, "0.1");
	fake->process->magic = PROCESS_MAGIC;
	snprintf(name, sizeof(name), "session.0");
	fake->session = fake_file(fake->image, name,
				  EVENT_RECORDS_OFFSET + (1u << 20));
	fake->session->version = LAYOUT_VERSION;
	fake->session->state = SESSION_ACTIVE;
	fake->session->flags = flags;
	fake->session->contexts = contexts;
	strcpy(fake->session->name, "test");
	fake->session->magic = SESSION_MAGIC;
}

static inline void fake_close(struct fake *fake)
{
	char command[300];

	close(fake->fd);
	close(fake->image);
	munmap(fake->process, sizeof(*fake->process));
	munmap(fake->session, EVENT_RECORDS_OFFSET + (1u << 20));
	snprintf(command, sizeof(command), "rm -rf %s", fake->path);
	if (system(command))
		abort();
}

/* `text` holds four strings; `types` ends with 0. Returns the record. */
static inline struct event_record *fake_event(struct fake *fake, uint32_t id,
					      int kind, const char *text,
					      size_t text_bytes,
					      const uint8_t *types)
{
	struct event_record *record =
		(void *)((char *)fake->session + EVENT_RECORDS_OFFSET +
			 fake->session->record_bytes);

	record->bytes = (uint32_t)((sizeof(*record) + text_bytes + 7) & ~7ul);
	record->id = id;
	record->line = 10 + id;
	record->text_bytes = (uint16_t)text_bytes;
	record->kind = (uint8_t)kind;
	for (record->nfields = 0; types[record->nfields]; record->nfields++)
		record->types[record->nfields] = types[record->nfields];
	memcpy(record->text, text, text_bytes);
	fake->session->record_bytes += record->bytes;
	return record;
}

static inline char *fake_slot(const struct fake_ring *r, uint64_t number)
{
	return r->data + (number * r->ring->sub_bytes) %
				 r->ring->ring_bytes;
}

static inline void fake_begin(struct fake_ring *r)
{
	struct packet_head *head = (void *)fake_slot(r, r->number);

	memset(head, 0, sizeof(*head));
	head->events_before = r->committed;
	head->magic = CTF_PACKET_MAGIC;
	memcpy(head->uuid, r->ring->uuid, 16);
	head->stream_instance_id = r->ring->stream_instance_id;
	head->timestamp_begin = r->now;
	head->packet_seq_num = r->number;
	head->cpu_id = r->ring->cpu;
	r->previous = r->now;
	r->ring->head = r->committed << 32 |
			(uint32_t)(r->number * r->ring->sub_bytes +
				   PACKET_HEAD_BYTES);
}

/* A ring whose first packet has the number `first`. */
static inline void fake_ring_open(struct fake_ring *r, struct fake *fake,
				  const char *name, uint32_t cpu,
				  uint32_t sub_bytes, uint32_t nsub,
				  uint64_t first)
{
	char file[48];

	memset(r, 0, sizeof(*r));
	r->bytes = RING_DATA_OFFSET + (size_t)sub_bytes * nsub;
	snprintf(file, sizeof(file), "ring.0.%s", name);
	r->ring = fake_file(fake->image, file, r->bytes);
	r->data = (char *)r->ring + RING_DATA_OFFSET;
	r->ring->version = LAYOUT_VERSION;
	r->ring->cpu = cpu;
	r->ring->flags = fake->session->flags;
	r->ring->sub_bytes = sub_bytes;
	r->ring->ring_bytes = sub_bytes * nsub;
	r->ring->stream_instance_id = cpu;
	memcpy(r->ring->uuid, fake->process->uuid, 16);
	r->ring->tail = first * sub_bytes;
	r->kind = cursor_kind(fake->session->flags);
	r->now = 2000;
	r->number = first;
	fake_begin(r);
	r->ring->magic = RING_MAGIC;
}

static inline void fake_ring_close(struct fake_ring *r)
{
	munmap(r->ring, r->bytes);
}

/* Closes the open packet and begins the next; 0: the ring is full. */
static inline int fake_switch(struct fake_ring *r)
{
	struct ring *ring = r->ring;
	struct packet_head *head = (void *)fake_slot(r, r->number);
	uint32_t used = RING_POSITION(ring->head) & (ring->sub_bytes - 1);
	uint32_t next = (uint32_t)((r->number + 1) * ring->sub_bytes);
	uint64_t nsub = ring->ring_bytes / ring->sub_bytes;

	if (!(ring->flags & SESSION_OVERWRITE) &&
	    next - (uint32_t)ring->tail >= ring->ring_bytes)
		return 0;
	if (!used)
		used = ring->sub_bytes;
	head->timestamp_end = r->now;
	head->content_size = (used - PACKET_PRIVATE_BYTES) * 8;
	head->packet_size = head->content_size;
	head->events_discarded = ring->lost;
	r->number++;
	r->lapped += r->counts[r->number % nsub];
	r->counts[r->number % nsub] = 0;
	fake_begin(r);
	return 1;
}

static inline uint32_t fake_header(struct fake_ring *r, char *to, uint32_t id)
{
	bool large = r->kind == CURSOR_LARGE, wide = r->kind == CURSOR_WIDE;
	unsigned int bits = large ? CTF_LARGE_CLOCK_BITS :
				    CTF_COMPACT_CLOCK_BITS;
	uint32_t ids = large ? CTF_LARGE_ID_EXTENDED :
		       wide ? CTF_WIDE_IDS : CTF_COMPACT_ID_EXTENDED;
	bool extended = id >= ids || r->now - r->previous >= 1ull << bits;
	uint64_t low = r->now & ((1ull << bits) - 1);
	bool behind = wide && id >= CTF_COMPACT_ID_WIDE;
	uint16_t id16 = extended ? CTF_LARGE_ID_EXTENDED : (uint16_t)id;
	uint32_t word = (uint32_t)(low << CTF_COMPACT_ID_BITS |
				   (behind ? CTF_COMPACT_ID_WIDE : id));
	uint32_t low32 = (uint32_t)low;
	uint32_t n = large ? 2 : 1;

	r->previous = r->now;
	if (!extended && !large) {
		memcpy(to, &word, 4);
		memcpy(to + 4, &id16, behind ? 2 : 0);
		return behind ? 6 : 4;
	}
	if (large)
		memcpy(to, &id16, 2);
	else
		*to = CTF_COMPACT_ID_EXTENDED;
	if (!extended) {
		memcpy(to + 2, &low32, 4);
		return 6;
	}
	memcpy(to + n, &id, 4);
	memcpy(to + n + 4, &r->now, 8);
	return n + 12;
}

/* An event `later` ticks after the last. Returns 0 when it was lost. */
static inline int fake_write(struct fake_ring *r, uint32_t id, uint64_t later,
			     const void *payload, uint32_t bytes)
{
	struct ring *ring = r->ring;
	uint32_t offset = RING_POSITION(ring->head) & (ring->sub_bytes - 1);
	char *slot;

	r->now += later;
	if (offset + bytes + 14 >= ring->sub_bytes) {
		if (!fake_switch(r)) {
			ring->lost++;
			return 0;
		}
		offset = PACKET_HEAD_BYTES;
	}
	slot = fake_slot(r, r->number);
	offset += fake_header(r, slot + offset, id);
	if (bytes)
		memcpy(slot + offset, payload, bytes);
	offset += bytes;
	r->committed++;
	r->counts[r->number % (ring->ring_bytes / ring->sub_bytes)]++;
	ring->head = r->committed << 32 |
		     (uint32_t)(r->number * ring->sub_bytes + offset);
	return 1;
}

#endif
