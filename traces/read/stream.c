/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes one event after the other out of the packets of a stream.
 *
 * Invariant: the cursor stands between two events of the packet s->head, or its
 * two ends are equal and the next packet is due. s->head is also the packet
 * that losses and gaps before the next one are told from.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/read/private.h"

/* Returns the time of day of a reading of the stream's clock, in nanoseconds.
 */
static int64_t stream_time(const struct read_stream *s, uint64_t reading)
{
	return clock_time(&s->trace->clock, s->base_ns, reading);
}

/* Tells a loss that ends at a reading. It begins where the stream's last packet
 * ends, or, without one, at TIME_MIN. */
static void loss_tell(const struct read_stream *s, struct trace_loss *loss,
		      uint64_t to)
{
	const struct reader_calls *calls = s->reader->calls;

	loss->trace = s->trace;
	loss->stream = s->name;
	loss->from = s->started ? stream_time(s, s->head.timestamp_end) :
				  TIME_MIN;
	loss->to = stream_time(s, to);
	if (calls->loss && !s->reader->quiet)
		calls->loss(loss, calls->priv);
}

/* Steps over fields that steps cannot describe. Returns 0; or -EBADMSG, if they
 * would end behind the packet. */
static int skip_fields(struct cursor *c, const struct event_class *class)
{
	int64_t bytes = field_bytes(class->fields, c->p, c->end);

	return bytes < 0 ? -EBADMSG : cursor_skip(c, (uint64_t)bytes);
}

/* Returns the trace of the process that a writer record names; the trace itself
 * if no process shares it, or without memory; NULL if the reader does not want
 * the process. */
static struct trace_class *process_trace(struct reader *reader,
					 struct trace_class *trace,
					 const struct writer_record *writer)
{
	struct trace_member *member;

	if (!trace->shared || !trace->writers || !writer->process)
		return trace;
	if (reader->follows && !trace_has_member(trace, writer->process))
		read_members_again(trace);
	/* the recorder has ended, and the metadata has all */
	if (reader->follows && !trace_has_member(trace, writer->process))
		read_trace_again(trace);
	member = trace_member_add(trace, writer->process);
	if (member && !member->pid)
		member->pid = writer->vpid;
	if (member && !member_wanted(reader, member))
		return NULL;
	if (member && !member->trace &&
	    reader_add_member(reader, trace, member))
		member = NULL;
	if (!member)
		reader_problem(reader, "memory", "there is none left");
	return member ? member->trace : trace;
}

/* Sets the writer of the events to come, and with it their process. */
static void set_writer(struct read_stream *s,
		       const struct writer_record *writer)
{
	bool same = writer->process && writer->process == s->writer.process;
	const struct trace_class *trace;

	s->writer = *writer;
	if (same)
		return;
	trace = process_trace(s->reader, s->trace, writer);
	s->hidden = !trace;
	s->event.trace = trace ?: s->trace;
}

/* Takes a writer record behind its header. Returns 0 or -EBADMSG. */
static int take_writer(struct read_stream *s, struct cursor *c)
{
	struct writer_record record;

	if (cursor_room(c) < sizeof(record))
		return -EBADMSG;
	memcpy(&record, c->p, sizeof(record));
	c->p += sizeof(record);
	set_writer(s, &record);
	return 0;
}

/* Moves to the packet's first event at or behind the reading s->begin, or to
 * the packet's last event. Stops before a damaged event: take_event() reports
 * it. */
static void skip_before(struct read_stream *s)
{
	const struct trace_class *trace = s->trace;
	const struct event_class *class;
	struct cursor c = s->cursor;
	uint64_t n = 0;

	while (c.p < c.end) {
		s->cursor = c;
		s->events = n;
		if (cursor_header(&c, trace->kind))
			break;
		if (trace->writers && c.id == cursor_writer_id(trace->kind)) {
			if (take_writer(s, &c))
				break;
			continue;
		}
		n++;
		if (c.id >= trace->nevents)
			break;
		class = trace->events[c.id];
		if (!class || cursor_skip(&c, trace->context_bytes) ||
		    (class->steps ? step_fields(&c, class->steps) :
				    skip_fields(&c, class)) ||
		    c.clock >= s->begin)
			break;
	}
}

/*
 * Tells of losses before a packet: events that were overwritten behind the
 * packet before this one, or packets that are not there between the two; then
 * events that were lost since the last packet. A recorder may have removed
 * packets (--max-size) before the follower came to them. Losses before the
 * first packet of a window may be older than the window. A gap of the trace
 * ends where the first event of the packet is.
 */
static void tell_before(const struct read_stream *s,
			const struct read_packet *packet)
{
	struct trace_class *trace = s->trace;
	const struct packet_head *head = &packet->head;
	bool forgets = packet->missed || reader_forgets(s->reader);
	struct trace_loss absent = {
		.events = packet->missed,
		.overwritten = forgets, .absent = !forgets,
	};
	struct trace_loss lost = { .events = 0 };
	struct cursor c = {
		.p = packet->events,
		.end = packet->events + packet->bytes,
		.clock = head->timestamp_begin,
	};
	int64_t from = INT64_MIN;
	uint64_t next = 0;
	uint64_t before;

	if (!packet->missed && s->started &&
	    head->packet_seq_num > s->head.packet_seq_num + 1)
		absent.packets = head->packet_seq_num -
				 s->head.packet_seq_num - 1;
	if (absent.events || absent.packets)
		loss_tell(s, &absent, head->timestamp_begin);
	before = s->started ? s->head.events_discarded : 0;
	lost.events = head->events_discarded - before;
	if (head->events_discarded > before && (s->started || !s->begin))
		loss_tell(s, &lost, head->timestamp_end);
	if (s->started || s->skipped) {
		next = 1 + (s->started ? s->head.packet_seq_num :
					 s->skipped_number);
		from = stream_time(s, s->started ? s->head.timestamp_end :
						   s->skipped_end);
	}
	if (!packet->missed && head->packet_seq_num <= next)
		return;
	if (c.p == c.end || cursor_header(&c, trace->kind))
		c.clock = head->timestamp_begin;
	gaps_add(&trace->gaps, from, stream_time(s, c.clock));
}

/* Takes the next packet, and tells losses before it. Returns false at the end
 * of the stream. A packet that another stream gives leaves no events here, and
 * counts as read. */
static bool packet_next(struct read_stream *s)
{
	struct read_packet packet = { .missed = 0 };

	s->trace->read += s->events;
	s->events = 0;
	set_writer(s, &(struct writer_record){ .process = 0 });
	if (!s->source->packet(s, s->begin, &packet))
		return false;
	if (packet.follows) {
		s->head = packet.before;
		s->started = true;
	}
	if (packet.given) {
		/* the other stream also tells the losses before it */
		s->head = packet.head;
		s->started = true;
		s->cursor.p = s->cursor.end = NULL;
		return true;
	}
	tell_before(s, &packet);
	s->head = packet.head;
	s->cut = packet.cut;
	set_writer(s, &packet.writer);
	s->started = true;
	s->cursor.p = packet.events;
	s->cursor.end = packet.events + packet.bytes;
	s->cursor.clock = packet.head.timestamp_begin;
	s->event.cpu = packet.head.cpu_id;
	s->event.instance = packet.head.stream_instance_id;
	if (s->cursor.clock < s->begin)
		skip_before(s);
	return true;
}

/* Finds the description of an event. The metadata describes an event before a
 * packet has one: a follower that does not know it reads the metadata again.
 * Returns NULL if there is none, and the rest of the packet cannot be read. */
COLD static const struct event_class *find_class(struct read_stream *s,
						 uint32_t id)
{
	struct trace_class *trace = (struct trace_class *)s->event.trace;
	struct trace_class *own = s->trace;
	struct event_class *class;

	if (id >= trace->nevents || !trace->events[id]) {
		if ((id >= own->nevents || !own->events[id]) &&
		    (!s->reader->follows || !read_trace_again(own)))
			return NULL;
		if ((trace->carrier && member_learn(trace)) ||
		    id >= trace->nevents)
			return NULL;
	}
	class = trace->events[id];
	if (class && unlikely(class->shared)) {
		class = schema_own_class(trace, id);
		if (!class)
			reader_problem(s->reader, "memory", "there is none "
							    "left");
	}
	return class;
}

/* Takes the event at the cursor. Returns 0, 1 if it is a writer record, or of a
 * process that is not wanted, or a negative errno; the event is then not
 * complete, and the cursor is where it was found to be damaged. */
static int take_event(struct read_stream *s)
{
	const struct trace_class *trace = s->trace;
	struct cursor *c = &s->cursor;
	const struct event_class *class;
	int ret;

	s->event.start = c->p;
	ret = cursor_header(c, trace->kind);
	if (ret)
		return -EBADMSG;
	class = c->id < s->event.trace->nevents ?
			s->event.trace->events[c->id] : NULL;
	if (unlikely(!class || class->shared)) {
		/* which no class has */
		if (trace->writers && c->id == cursor_writer_id(trace->kind))
			return take_writer(s, c) ?: 1;
		class = find_class(s, c->id);
	}
	s->event.context = c->p;
	if (!class || cursor_skip(c, trace->context_bytes))
		return -EBADMSG;
	s->event.class = class;
	s->event.fields = c->p;
	ret = class->fixed ? cursor_skip(c, class->bytes) :
	      class->steps ? step_fields(c, class->steps) :
			     skip_fields(c, class);
	s->event.end = c->p;
	s->event.clock = c->clock;
	s->event.ns = clock_time(&trace->clock, s->base_ns, c->clock);
	s->events++;
	if (!trace->writers)
		return ret;
	s->event.context = (uint8_t *)&s->writer.vtid;
	return ret ?: s->hidden;
}

bool stream_next(struct read_stream *s)
{
	int ret;

	if (s->source->next)
		return s->source->next(s);
	for (;;) {
		if (s->cursor.p == s->cursor.end) {
			if (!packet_next(s))
				return false;
			continue;
		}
		ret = take_event(s);
		/* some mapping was cut short: maybe that of this packet */
		if (unlikely(s->cuts != map_guard_cuts)) {
			s->cuts = map_guard_cuts;
			if (s->source->cut && s->source->cut(s)) {
				s->cursor.p = s->cursor.end = NULL;
				continue;
			}
		}
		if (!ret)
			return true;
		if (ret > 0)
			continue;
		if (!s->cut)
			reader_problem(s->reader, s->path ? s->path :
				       s->trace->path, "%s, packet %llu: "
				       "event %llu makes no sense; the rest of "
				       "the packet is left out", s->name,
				       (unsigned long long)
				       s->head.packet_seq_num,
				       (unsigned long long)s->events);
		s->cursor.p = s->cursor.end;
	}
}
