/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace of another tracer as a stream: a graph of libbabeltrace2 that reads
 * the trace's directories, and gives the events in order. A graph runs forward
 * only: to go back, another is made, which describes the same classes in the
 * same order.
 *
 * Invariant: an event's bytes are in f->bytes, and stay until the next event is
 * taken. Each message is put back once it was taken.
 */
#include "traces/foreign/foreign.h"

/*
 * Fields of other tracers' events in the packed form of classes.h.
 *
 * Invariant: the bytes are those that field_bytes() of the class finds, so no
 * reader of them can go beyond.
 */

#ifdef HAVE_BABELTRACE2
#include <stdlib.h>
#include <string.h>

#include "traces/foreign/library-private.h"

/* Appends bytes. Returns false without memory; those that are there stay. The
 * place may move, so an event points to it only when it is whole. */
static bool put_value(struct foreign_bytes *to, const void *bytes, size_t n)
{
	if (to->room - to->used < n) {
		size_t room = 2 * to->room + n + 256;
		uint8_t *more = realloc(to->at, room);

		if (!more)
			return false;
		to->at = more;
		to->room = room;
	}
	memcpy(to->at + to->used, bytes, n);
	to->used += n;
	return true;
}

/* Appends a number of four bytes. Returns false without memory. */
static bool put_u32(struct foreign_bytes *to, uint64_t value)
{
	uint32_t u32 = (uint32_t)value;

	return put_value(to, &u32, sizeof(u32));
}

/* Writes an integer in the bytes that the class has. Returns false without
 * memory. */
static bool put_integer(struct foreign_bytes *to,
			const struct field_class *class, const bt_field *field)
{
	uint64_t value = class->is_signed ?
			 (uint64_t)bt.field_integer_signed_get_value(field) :
			 bt.field_integer_unsigned_get_value(field);
	uint8_t u8 = (uint8_t)value;
	uint16_t u16 = (uint16_t)value;

	switch (class->bytes) {
	case 1:
		return put_value(to, &u8, sizeof(u8));
	case 2:
		return put_value(to, &u16, sizeof(u16));
	case 4:
		return put_u32(to, value);
	default:
		return put_value(to, &value, sizeof(value));
	}
}

/* Appends a field in the form of classes.h. Returns false without memory. */
static bool foreign_encode(struct foreign_bytes *to,
			   const struct field_class *class,
			   const bt_field *field)
{
	const char *text;
	uint64_t n;
	double f64;
	float f32;

	switch (class->kind) {
	case FIELD_INTEGER:
	case FIELD_ENUM:
		return put_integer(to, class, field);
	case FIELD_REAL:
		if (class->bytes == sizeof(f32)) {
			f32 = bt.field_real_single_precision_get_value(field);
			return put_value(to, &f32, sizeof(f32));
		}
		f64 = bt.field_real_double_precision_get_value(field);
		return put_value(to, &f64, sizeof(f64));
	case FIELD_STRING:
		/* before 2.0.5, the bytes of an empty string are those of an
		 * older one; the length is right */
		text = bt.field_string_get_value(field);
		n = strnlen(text, bt.field_string_get_length(field));
		return put_value(to, text, n) && put_value(to, "", 1);
	case FIELD_ARRAY:
	case FIELD_LIST:
		n = bt.field_array_get_length(field);
		if (class->kind == FIELD_LIST &&
		    (n > UINT32_MAX || !put_u32(to, n)))
			return false;
		for (uint64_t i = 0; i < n; i++)
			if (!foreign_encode(to, &class->members[0],
					    bt.field_element(field, i)))
				return false;
		return true;
	case FIELD_VARIANT:
		n = bt.field_variant_get_selected_option_index(field);
		return put_u32(to, n) &&
		       foreign_encode(to, &class->members[n],
				      bt.field_option(field));
	default:
		for (size_t i = 0; i < class->nmembers; i++)
			if (!foreign_encode(to, &class->members[i],
					    bt.field_member(field, i)))
				return false;
		return true;
	}
}
#endif

#ifdef HAVE_BABELTRACE2
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/text.h"
#include "traces/foreign/graph-private.h"
#include "traces/foreign/guard-private.h"

#define COMPARE_BYTES	16384

/* Returns the foreign trace that a stream is; it must be of foreign_source, but
 * for a look at `source`. */
static struct foreign *foreign_of(struct read_stream *stream)
{
	return (struct foreign *)stream;
}

/* Sets an event's time, and that alone. Returns false if it is none, after the
 * report; an event of a trace without a clock has the time 0. */
static bool take_time(struct foreign *f, const struct foreign_trace *of_event,
		      const bt_message *message)
{
	struct trace_event *event = &f->stream.event;
	const bt_clock_snapshot *clock;

	event->ns = 0;
	event->clock = 0;
	if (of_event->trace->no_clock)
		return true;
	clock = bt.event_time(message);
	event->clock = bt.clock_snapshot_get_value(clock);
	if (!bt.clock_snapshot_get_ns_from_origin(clock, &event->ns))
		return true;
	foreign_failed(f, "an event is left out: its time");
	return false;
}

/* Makes the event's bytes. Returns false without memory. */
static bool event_encode(struct foreign *f, const struct foreign_trace *t,
			 const struct event_class *class, const bt_event *from)
{
	struct trace_event *event = &f->stream.event;
	const bt_packet *packet = bt.event_borrow_packet_const(from);
	const bt_field *said = packet && t->trace->packet ?
			       bt.packet_borrow_context_field_const(packet) :
			       NULL;
	const struct field_class *const classes[] = {
		t->trace->packet, class->specific, t->trace->context,
		class->fields,
	};
	const bt_field *const scopes[] = {
		said, bt.event_borrow_specific_context_field_const(from),
		bt.event_borrow_common_context_field_const(from),
		bt.event_borrow_payload_field_const(from),
	};
	size_t ends[ARRAY_SIZE(scopes)];

	f->bytes.used = 0;
	for (size_t i = 0; i < ARRAY_SIZE(scopes); i++) {
		if (classes[i] && scopes[i] &&
		    !foreign_encode(&f->bytes, classes[i], scopes[i]))
			return false;
		ends[i] = f->bytes.used;
	}
	/* behind the last call: the bytes may have moved */
	event->start = event->packet = f->bytes.at;
	event->specific = f->bytes.at + ends[0];
	event->context = f->bytes.at + ends[1];
	event->fields = f->bytes.at + ends[2];
	event->end = f->bytes.at + ends[3];
	event->cpu = 0;
	if (said && t->cpu >= 0)
		event->cpu = (uint32_t)bt.field_integer_unsigned_get_value(
			bt.field_member(said, (uint64_t)t->cpu));
	return true;
}

/* Takes an event from a message. Returns false if it is left out: it is before
 * the window, of a class that has no form here, or has no time. */
static bool take_event(struct foreign *f, const bt_message *message)
{
	struct trace_event *event = &f->stream.event;
	const bt_event *from = bt.message_event_borrow_event_const(message);
	const struct foreign_slot *slot =
		foreign_find(f, bt.event_borrow_class_const(from));

	if (!slot || !slot->event || !take_time(f, slot->of, message))
		return false;
	if (f->stream.begin && event->ns < (int64_t)f->stream.begin)
		return false;
	event->trace = slot->of->trace;
	event->class = slot->event;
	event->instance = (uint64_t)bt.stream_get_id(
		bt.event_borrow_stream_const(from));
	if (event_encode(f, slot->of, slot->event, from))
		return true;
	reader_problem(f->stream.reader, f->paths[0], "there is no memory for "
		       "an event");
	return false;
}

/* Tells events or packets that the library reports as lost, with the times
 * between which they were, where it knows these. */
static void tell_loss(struct foreign *f, const bt_message *m, bool packets)
{
	const bt_stream *stream = packets ? bt.lost_packets_stream(m) :
					    bt.lost_events_stream(m);
	const bt_stream_class *class = bt.stream_borrow_class_const(stream);
	const struct reader_calls *calls = f->stream.reader->calls;
	const struct foreign_slot *slot = foreign_find(f, class);
	const bt_clock_snapshot *from = NULL, *to = NULL;
	const char *name = bt.stream_get_name(stream);
	struct trace_loss loss = { .from = TIME_MIN, .to = TIME_MIN };
	uint64_t n;

	if (packets) {
		loss.packets = bt.lost_packets_count(m, &n) ==
			       BT_PROPERTY_AVAILABILITY_AVAILABLE ? n : 1;
		if (bt.lost_packets_have_times(class)) {
			from = bt.lost_packets_begin(m);
			to = bt.lost_packets_end(m);
		}
	} else {
		loss.events = bt.lost_events_count(m, &n) ==
			      BT_PROPERTY_AVAILABILITY_AVAILABLE ? n : 0;
		if (bt.lost_events_have_times(class)) {
			from = bt.lost_events_begin(m);
			to = bt.lost_events_end(m);
		}
	}
	if (from)
		bt.clock_snapshot_get_ns_from_origin(from, &loss.from);
	if (to)
		bt.clock_snapshot_get_ns_from_origin(to, &loss.to);
	if (!slot || (f->stream.begin && loss.to < (int64_t)f->stream.begin))
		return;
	loss.trace = slot->of->trace;
	loss.stream = name ? text_file_name(name) : "a stream";
	if (calls->loss && !f->stream.reader->quiet)
		calls->loss(&loss, calls->priv);
}

/* Moves to the next event. Losses and streams between are taken as they come.
 */
static bool foreign_next(struct read_stream *stream)
{
	struct foreign *f = foreign_of(stream);
	bool taken = false;

	f->fresh = false;
	while (!taken && foreign_fill(f)) {
		const bt_message *message = f->batch[f->at++];

		switch (bt.message_get_type(message)) {
		case BT_MESSAGE_TYPE_EVENT:
			taken = take_event(f, message);
			break;
		case BT_MESSAGE_TYPE_STREAM_BEGINNING:
			foreign_meet(f, message);
			break;
		case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
			tell_loss(f, message, false);
			break;
		case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
			tell_loss(f, message, true);
			break;
		default:
			break;
		}
		bt.message_put_ref(message);
	}
	return taken;
}

/* Makes another graph, unless nothing was taken from this one. */
static void foreign_rewind(struct read_stream *stream)
{
	struct foreign *f = foreign_of(stream);

	if (!f->fresh)
		foreign_graph_open(f);
}

/* Finds the last event by running through, and then it is known. An event
 * before 1970 counts as one at the begin of 1970: only readings are given. */
static bool foreign_last(struct read_stream *stream, uint64_t *reading)
{
	struct foreign *f = foreign_of(stream);

	if (!f->ran) {
		f->ran = true;
		f->stream.begin = 0;
		foreign_rewind(stream);
		f->last = TIME_MIN;
		while (foreign_fill(f)) {
			const bt_message *m = f->batch[f->at++];
			const struct foreign_slot *slot = NULL;

			f->fresh = false;
			if (bt.message_get_type(m) == BT_MESSAGE_TYPE_EVENT)
				slot = foreign_find(f,
					bt.event_borrow_class_const(
					bt.message_event_borrow_event_const(
						m)));
			if (slot && take_time(f, slot->of, m))
				f->last = stream->event.ns;
			bt.message_put_ref(m);
		}
	}
	*reading = f->last > 0 ? (uint64_t)f->last : 0;
	return f->last != TIME_MIN;
}

/* Frees the stream. The classes stay, as the reader owns the traces. */
static void foreign_close(struct read_stream *stream)
{
	struct foreign *f = foreign_of(stream);

	foreign_graph_close(f);
	while (f->npaths)
		free(f->paths[--f->npaths]);
	free(f->paths);
	free(f->group);
	free(f->traces);
	free(f->slots);
	index_clear(&f->index);
	free(f->bytes.at);
	free(f);
}

static const struct read_source foreign_source = {
	.last = foreign_last, .rewind = foreign_rewind, .next = foreign_next,
	.close = foreign_close,
};

/* Until a trace is known. */
static const struct trace_class no_trace = { .clock = { .hz = 1000000000 } };

/* Finds the trace that a directory is a part of, or the directory; NULL: there
 * is none. `path` or `group` may be NULL. */
static struct foreign *group_find(const struct reader *reader, const char *path,
			    const char *group)
{
	for (size_t i = 0; i < reader->nstreams; i++) {
		struct foreign *f = foreign_of(reader->streams[i]);

		if (f->stream.source != &foreign_source)
			continue;
		if (group && f->group && !strcmp(group, f->group))
			return f;
		for (size_t k = 0; path && k < f->npaths; k++)
			if (!strcmp(path, f->paths[k]))
				return f;
	}
	return NULL;
}

/* Adds a directory, which the next graph reads. Returns 0 or -ENOMEM. */
static int add_path(struct foreign *f, const char *path)
{
	char **more = reallocarray(f->paths, f->npaths + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	f->paths = more;
	more[f->npaths] = strdup(path);
	f->stale = true;
	return more[f->npaths] ? (f->npaths++, 0) : -ENOMEM;
}

/* Filter of scandirat(): all that the library reads events from. */
static int is_stream(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strcmp(entry->d_name, "metadata") &&
	       strcmp(entry->d_name, "index");
}

/* Returns whether two directories have the same regular file of a name, byte by
 * byte. */
static bool same_file(int first, int second, const char *name)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
	int a = openat(first, name, flags), b = openat(second, name, flags);
	char one[COMPARE_BYTES], other[COMPARE_BYTES];
	struct stat left, right;
	bool same = a >= 0 && b >= 0 && !fstat(a, &left) &&
		    !fstat(b, &right) && S_ISREG(left.st_mode) &&
		    S_ISREG(right.st_mode) && left.st_size == right.st_size;
	ssize_t n;

	for (off_t at = 0; same && at < left.st_size; at += n) {
		n = pread(a, one, sizeof(one), at);
		same = n > 0 && pread(b, other, sizeof(other), at) == n &&
		       !memcmp(one, other, (size_t)n);
	}
	if (a >= 0)
		close(a);
	if (b >= 0)
		close(b);
	return same;
}

/* Returns whether a directory has the streams of another one, byte by byte. Of
 * chunks, which have one uuid and the same names, packets differ. A directory
 * that cannot be read is no copy. */
static bool is_copy(const char *path, const char *other)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	int a = open(path, flags), b = open(other, flags);
	struct dirent **left = NULL, **right = NULL;
	int n = a < 0 ? -1 : scandirat(a, ".", &left, is_stream, alphasort);
	int m = b < 0 ? -1 : scandirat(b, ".", &right, is_stream, alphasort);
	bool same = n >= 0 && n == m;

	for (int i = 0; i < n && same; i++)
		same = !strcmp(left[i]->d_name, right[i]->d_name) &&
		       same_file(a, b, left[i]->d_name);
	while (n > 0)
		free(left[--n]);
	while (m > 0)
		free(right[--m]);
	free(left);
	free(right);
	if (a >= 0)
		close(a);
	if (b >= 0)
		close(b);
	return same;
}

/* Remembers a directory with others of its group, which the library reads as
 * one trace. A copy of a directory is left out. */
static int foreign_add(struct reader *reader, const char *path)
{
	const char *why = foreign_load();
	struct foreign *f;
	char *group;

	if (why) {
		reader_problem(reader, path, "another tracer wrote this trace; "
			       "%s", why);
		return 0;
	}
	if (!guard_metadata(path)) {
		reader_problem(reader, path, "metadata: it is damaged or cut "
			       "short");
		return 0;
	}
	/* directories that come while events are read are not followed: a
	 * graph takes no new ones */
	if (reader->started || group_find(reader, path, NULL))
		return 0;
	group = foreign_group(path);
	f = group_find(reader, NULL, group);
	if (f) {
		free(group);
		/* packets without a number are read twice by the library */
		for (size_t i = 0; i < f->npaths; i++)
			if (is_copy(path, f->paths[i]))
				return 0;
		return add_path(f, path);
	}
	f = calloc(1, sizeof(*f));
	if (!f) {
		free(group);
		return -ENOMEM;
	}
	f->group = group;
	f->stream.source = &foreign_source;
	f->stream.event.trace = &no_trace;
	if (!add_path(f, path) && !reader_add_stream(reader, &f->stream))
		return 0;
	foreign_close(&f->stream);
	return -ENOMEM;
}

/* Opens the graphs of all traces to which directories were added. */
static int open_all(struct reader *reader)
{
	for (size_t i = 0; i < reader->nstreams; i++) {
		struct foreign *f = foreign_of(reader->streams[i]);

		if (f->stream.source != &foreign_source || !f->stale)
			continue;
		f->stale = false;
		if (foreign_graph_open(f) == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

#else
#include "traces/read/source.h"

static int foreign_add(struct reader *reader, const char *path)
{
	reader_problem(reader, path, "another tracer wrote this trace; this "
		       "taffrail was built without libbabeltrace2 (Debian: "
		       "libbabeltrace2-dev; Fedora: libbabeltrace2-devel)");
	return 0;
}

static int open_all(struct reader *reader)
{
	return 0;
}
#endif

static const struct read_foreign foreign = { foreign_add, open_all };

void reader_read_foreign(struct reader *reader)
{
	reader->foreign = &foreign;
}
