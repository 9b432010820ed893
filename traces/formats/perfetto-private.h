/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files that write Perfetto's traces: perfetto.c has events
 * and the tracks they are on, perfetto-value.c their fields, all
 * names, and the packets that these are written in.
 *
 * Facts, of perfetto.dev, protos/perfetto/trace/: trace_packet.proto,
 * clock_snapshot.proto, interned_data.proto, track_event.proto,
 * track_descriptor.proto, debug_annotation.proto, of 2026.
 */
#ifndef TRACES_FORMATS_PERFETTO_PRIVATE_H
#define TRACES_FORMATS_PERFETTO_PRIVATE_H

#include "base/index.h"
#include "traces/formats/private.h"
#include "traces/formats/protobuf-private.h"
#include "traces/formats/table-private.h"
#include "traces/pairs/pairs.h"

/* Numbers of fields; TRACK_EVENT_NAME is `name_iid` of TrackEvent. */
enum perfetto_field {
	TRACE_PACKET = 1, PACKET_CLOCK_SNAPSHOT = 6, PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10, PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12, PACKET_SEQUENCE_FLAGS = 13,
	PACKET_DEFAULTS = 59, PACKET_TRACK_DESCRIPTOR = 60, DEFAULTS_CLOCK = 58,
	SNAPSHOT_CLOCK = 1, SNAPSHOT_PRIMARY = 2, CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2, INTERNED_CATEGORY = 1, INTERNED_EVENT_NAME = 2,
	INTERNED_ANNOTATION_NAME = 3, NAME_IID = 1, NAME_TEXT = 2,
	TRACK_EVENT_CATEGORY = 3, TRACK_EVENT_ANNOTATION = 4,
	TRACK_EVENT_TYPE = 9, TRACK_EVENT_NAME = 10, TRACK_EVENT_TRACK = 11,
	TRACK_EVENT_FLOW = 47, TRACK_EVENT_FLOW_END = 48, TRACK_UUID = 1,
	TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5,
	PROCESS_PID = 1, PROCESS_NAME = 6, THREAD_PID = 1, THREAD_TID = 2,
	THREAD_NAME = 5, VALUE_NAME_IID = 1, VALUE_UNSIGNED = 3,
	VALUE_SIGNED = 4, VALUE_REAL = 5, VALUE_STRING = 6, VALUE_POINTER = 7,
	VALUE_NAME = 10, VALUE_MEMBER = 11, VALUE_ELEMENT = 12,
};

/* Types of TrackEvent. */
enum perfetto_type {
	TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3,
};

/* Clocks, the sequence, and flags of a packet. Names are kept from the first
 * packet on, as that one says FLAG_CLEARED. */
enum perfetto_constant {
	CLOCK_OF_DAY = 1,		/* BUILTIN_CLOCK_REALTIME */
	CLOCK_OF_BOOT = 6,		/* BUILTIN_CLOCK_BOOTTIME */
	SEQUENCE = 1,			/* the only one */
	FLAG_CLEARED = 1,
	FLAG_NEEDS_STATE = 2,
};

/* A track; or the tracks of a kind of pairs that are free (`uuid` is 0). */
struct track {
	struct track *all;		/* the next of all tracks */
	uint64_t a, b;			/* the track's purpose */
	uint64_t uuid;
	struct track *pool;		/* where it goes when it is free */
	struct track *free;		/* the next, or the first, free one */
};

/* The numbers of the names that events of a class have, and where the contexts
 * are that tell the thread. */
struct perfetto_class {
	struct table_class *table;
	uint64_t category;		/* interned names */
	uint64_t name;
	uint64_t *columns;		/* cpu_id, then those of columns; */
	uint64_t *ends;			/* in an event that ends a pair */
	int32_t vtid;			/* offsets in the context, or -1 */
	int32_t procname;
};

/* The export. A track or name once made lasts until it is closed. */
struct perfetto {
	struct out out;
	struct out packet;		/* that is being made */
	struct tables tables;
	struct index names;
	struct interned *interned;
	uint64_t last_iid;
	struct index tracks;
	struct track *all_tracks;
	uint64_t last_uuid;
	struct track *last_thread;	/* of the last event */
	int64_t moved_ns;		/* by so much, all times are later */
	int64_t last_ns;		/* of the last event; at first, of the
					 * first */
	struct pairs *pairs;
	struct pair_calls calls;
	const struct perfetto_class *class;	/* of the event */
	bool told;			/* the event was written */
	bool started;
};

/* Begins a packet in p->packet; one at a time. perfetto_packet_end() closes the
 * message `at` in it, and writes it. A failure shows in p->out.error. */
void perfetto_packet(struct perfetto *p);
void perfetto_packet_end(struct perfetto *p, size_t at);

/* Writes a text as a field, as UTF-8. */
void perfetto_text(struct out *out, uint32_t field, const char *text, size_t n);

/* Returns the number of a name in one of the spaces INTERNED_..., or 0 without
 * memory. The name is written before the number is used first, as a packet: so
 * none may be open. */
uint64_t perfetto_name(struct perfetto *p, enum perfetto_field space,
		       const char *name);
void perfetto_names_free(struct perfetto *p);

/* Returns the name of a kind of pairs: for a rule, that of the first event. */
const char *perfetto_kind(const struct pair_kind *kind);

/* Writes the annotations of an event into the open packet; `names` are
 * class->columns or ->ends, in the order cpu_id, columns. */
void perfetto_values(struct perfetto *p, const struct perfetto_class *class,
		     const uint64_t *names, const struct trace_event *event);

#endif
