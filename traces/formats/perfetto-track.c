/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tracks: of processes, threads, CPUs, and of pairs that may overlap.
 *
 * Invariant: a track's descriptor is written before the first event on it, and
 * its uuid is 0 until then.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "traces/formats/perfetto-private.h"

/* The purpose of a track: `a` is the number of a trace or kind, and this. */
enum track_for {
	FOR_PROCESS, FOR_THREAD, FOR_CPU, FOR_KIND,
	FOR_KINDS,			/* how many these are */
};

/* Returns whether a track has a purpose. Callback of index_find(). */
static bool is_track(uint64_t value, const void *key)
{
	const struct track *track = (void *)(uintptr_t)value;
	const struct track *wanted = key;

	return track->a == wanted->a && track->b == wanted->b;
}

/* Makes a track without a number, which lives until tracks_free(). Returns NULL
 * without memory. */
static struct track *track_new(struct perfetto *p, uint64_t a, uint64_t b)
{
	struct track *track = calloc(1, sizeof(*track));

	if (!track)
		return NULL;
	track->a = a;
	track->b = b;
	track->all = p->all_tracks;
	p->all_tracks = track;
	return track;
}

/* Returns the track for (a, b), and whether it was made now; or NULL without
 * memory. */
static struct track *track_find(struct perfetto *p, uint64_t a, uint64_t b,
				bool *made)
{
	struct track wanted = { .a = a, .b = b };
	uint64_t hash = (a * 0x9e3779b97f4a7c15ull ^ b) * 0xc2b2ae3d27d4eb4full;
	struct track *track = (void *)(uintptr_t)
		index_find(&p->tracks, hash, is_track, &wanted);

	*made = !track;
	if (track)
		return track;
	track = track_new(p, a, b);
	if (!track || index_add(&p->tracks, hash, (uint64_t)(uintptr_t)track))
		return NULL;
	return track;
}

/* Begins a packet that describes a track, which gets its number. Returns the
 * place for perfetto_packet_end(). No other packet may begin before that. */
static size_t begin_descriptor(struct perfetto *p, struct track *track,
			       const struct track *parent)
{
	size_t at;

	perfetto_packet(p);
	at = protobuf_open(&p->packet, PACKET_TRACK_DESCRIPTOR);
	track->uuid = ++p->last_uuid;
	protobuf_u64(&p->packet, TRACK_UUID, track->uuid);
	if (parent)
		protobuf_u64(&p->packet, TRACK_PARENT, parent->uuid);
	return at;
}

struct track *track_of_process(struct perfetto *p,
			       const struct trace_class *trace)
{
	bool made;
	struct track *track = track_find(p, trace->number * FOR_KINDS +
					 FOR_PROCESS, 0, &made);
	const char *name = *trace->procname ? trace->procname : trace->path;
	struct out *out = &p->packet;
	size_t at, inner;

	if (!track || !made)
		return track;
	at = begin_descriptor(p, track, NULL);
	if (trace->vpid >= 0) {
		inner = protobuf_open(out, TRACK_PROCESS);
		protobuf_u64(out, PROCESS_PID, (uint64_t)trace->vpid);
		perfetto_text(out, PROCESS_NAME, name, strlen(name));
		protobuf_close(out, inner);
	} else {
		perfetto_text(out, TRACK_NAME, name, strlen(name));
	}
	perfetto_packet_end(p, at);
	return track;
}

struct track *track_of_thread(struct perfetto *p,
			      const struct perfetto_class *class,
			      const struct trace_event *event)
{
	bool known = class->vtid >= 0, made;
	uint64_t a = event->trace->number * FOR_KINDS +
		     (known ? FOR_THREAD : FOR_CPU);
	struct track *track = p->last_thread, *process;
	int32_t vtid = (int32_t)event->cpu;
	struct out *out = &p->packet;
	const char *procname;
	char cpu[24];
	size_t at, inner;
	int n;

	if (known)
		memcpy(&vtid, event->context + class->vtid, sizeof(vtid));
	/* most events are of the thread of the last one */
	if (track && track->a == a && track->b == (uint32_t)vtid)
		return track;
	track = track_find(p, a, (uint32_t)vtid, &made);
	if (!track || !made)
		goto found;
	/* a packet may be written for the track above: so it comes before this
	 * one begins */
	process = track_of_process(p, event->trace);
	if (!process)
		return NULL;
	at = begin_descriptor(p, track, process);
	if (!known) {
		n = snprintf(cpu, sizeof(cpu), "CPU %u", event->cpu);
		perfetto_text(out, TRACK_NAME, cpu, (size_t)n);
		perfetto_packet_end(p, at);
		goto found;
	}
	inner = protobuf_open(out, TRACK_THREAD);
	if (event->trace->vpid >= 0)
		protobuf_u64(out, THREAD_PID, (uint64_t)event->trace->vpid);
	protobuf_u64(out, THREAD_TID, (uint64_t)(int64_t)vtid);
	if (class->procname >= 0) {
		procname = (const char *)event->context + class->procname;
		perfetto_text(out, THREAD_NAME, procname,
			      strnlen(procname, 16));
	}
	protobuf_close(out, inner);
	perfetto_packet_end(p, at);
found:
	if (!track || !track->uuid)
		return NULL;
	p->last_thread = track;
	return track;
}

struct track *track_take(struct perfetto *p, const struct pair_kind *kind,
			 const struct track *parent)
{
	bool made;
	struct track *pool = track_find(p, (uint64_t)kind->number * FOR_KINDS +
					FOR_KIND, parent->uuid, &made);
	struct track *track = pool ? pool->free : NULL;
	const char *name = perfetto_kind(kind);
	size_t at;

	if (!pool)
		return NULL;
	/* used again, so there are as many tracks as pairs overlap */
	if (track) {
		pool->free = track->free;
		return track;
	}
	track = track_new(p, 0, 0);
	if (!track)
		return NULL;
	track->pool = pool;
	at = begin_descriptor(p, track, parent);
	perfetto_text(&p->packet, TRACK_NAME, name, strlen(name));
	perfetto_packet_end(p, at);
	return track;
}

void track_give(struct track *track)
{
	track->free = track->pool->free;
	track->pool->free = track;
}

void tracks_free(struct perfetto *p)
{
	index_clear(&p->tracks);
	while (p->all_tracks) {
		struct track *next = p->all_tracks->all;

		free(p->all_tracks);
		p->all_tracks = next;
	}
}
