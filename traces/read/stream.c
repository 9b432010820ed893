/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes one event after the other out of the packets of a stream.
 */
#include "traces/read/private.h"

static int64_t stream_time(const struct read_stream *s, uint64_t reading)
{
	return clock_time(&s->event.trace->clock, s->base_ns, reading);
}

/* Tells a loss that ends at a reading. It begins where the stream's last packet
 * ends, or, without one, at TIME_MIN. */
static void loss_tell(const struct read_stream *s, struct trace_loss *loss,
		      uint64_t to)
{
	const struct reader_calls *calls = s->reader->calls;

	loss->trace = s->event.trace;
	loss->stream = s->name;
	loss->from = s->started ? stream_time(s, s->head.timestamp_end) :
				  TIME_MIN;
	loss->to = stream_time(s, to);
	if (calls->loss && !s->reader->quiet)
		calls->loss(loss, calls->priv);
}

/* Tells of events that were lost since the last packet. Losses before the first
 * packet of a window may be older than the window. */
static void note_loss(struct read_stream *s, const struct packet_head *head)
{
	uint64_t before = s->started ? s->head.events_discarded : 0;
	struct trace_loss loss = { .events = head->events_discarded - before };

	if (head->events_discarded > before && (s->started || !s->begin))
		loss_tell(s, &loss, head->timestamp_end);
}

/* Steps over fields that steps cannot describe. */
static int skip_fields(struct cursor *c, const struct event_class *class)
{
	int64_t bytes = field_bytes(class->fields, c->p, c->end);

	return bytes < 0 ? -EBADMSG : cursor_skip(c, (uint64_t)bytes);
}

/* Steps over an event of a known class. */
static int skip_event(struct cursor *c, const struct trace_class *trace)
{
	const struct event_class *class;

	if (cursor_header(c, trace->large) || c->id >= trace->nevents)
		return -EBADMSG;
	class = trace->events[c->id];
	if (!class || cursor_skip(c, trace->context_bytes))
		return -EBADMSG;
	return class->steps ? step_fields(c, class->steps) :
			      skip_fields(c, class);
}

/* Moves to the packet's first event at or behind the reading s->begin, or to
 * the packet's last event. Stops before a damaged event: take_event() reports
 * it. */
static void skip_before(struct read_stream *s)
{
	struct cursor c = s->cursor;
	uint64_t n = 0;

	while (c.p < c.end) {
		s->cursor = c;
		s->events = n++;
		if (skip_event(&c, s->event.trace) || c.clock >= s->begin)
			break;
	}
}

/* Tells of events that were overwritten behind the packet before this one, or
 * of packets that are not there between the two. A recorder may have removed
 * them (--max-size) before the follower came to them. */
static void note_missed(struct read_stream *s, const struct read_packet *packet)
{
	const struct packet_head *head = &packet->head;
	bool forgets = packet->missed || reader_forgets(s->reader);
	struct trace_loss loss = {
		.events = packet->missed,
		.overwritten = forgets, .absent = !forgets,
	};

	if (!packet->missed && s->started &&
	    head->packet_seq_num > s->head.packet_seq_num + 1)
		loss.packets = head->packet_seq_num -
			       s->head.packet_seq_num - 1;
	if (loss.events || loss.packets)
		loss_tell(s, &loss, head->timestamp_begin);
}

/* Returns the time of a packet's first event. */
static int64_t packet_time(const struct read_stream *s,
			   const struct read_packet *packet)
{
	const struct trace_class *trace = s->event.trace;
	struct cursor c = {
		.p = packet->events,
		.end = packet->events + packet->bytes,
		.clock = packet->head.timestamp_begin,
	};

	if (c.p == c.end || cursor_header(&c, trace->large))
		c.clock = packet->head.timestamp_begin;
	return stream_time(s, c.clock);
}

/* Notes that events before the packet are not there: they were overwritten,
 * taken by a recorder, or removed. */
static void note_gap_before(const struct read_stream *s,
			    const struct read_packet *packet)
{
	struct trace_class *trace = (struct trace_class *)s->event.trace;
	int64_t from = INT64_MIN;
	uint64_t next = 0;

	if (s->started || s->skipped) {
		next = 1 + (s->started ? s->head.packet_seq_num :
					 s->skipped_number);
		from = stream_time(s, s->started ? s->head.timestamp_end :
						   s->skipped_end);
	}
	if (packet->missed || packet->head.packet_seq_num > next)
		gaps_add(&trace->gaps, from, packet_time(s, packet));
}

/* Takes the next packet, and tells what was lost before it. Returns false at
 * the end of the stream. */
static bool packet_next(struct read_stream *s)
{
	struct read_packet packet = { .missed = 0 };

	((struct trace_class *)s->event.trace)->read += s->events;
	s->events = 0;
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
	note_missed(s, &packet);
	note_loss(s, &packet.head);
	note_gap_before(s, &packet);
	s->head = packet.head;
	s->cut = packet.cut;
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

/* The metadata describes an event before a packet has one. */
static const struct event_class *find_class(struct read_stream *s, uint32_t id)
{
	struct trace_class *trace = (struct trace_class *)s->event.trace;
	struct event_class *class;

	if (id >= trace->nevents || !trace->events[id]) {
		if (!s->reader->follows || !read_trace_again(trace) ||
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

/* Takes the event at the cursor. Returns 0 or a negative errno; the event is
 * then not complete. */
static int take_event(struct read_stream *s)
{
	const struct trace_class *trace = s->event.trace;
	struct cursor *c = &s->cursor;
	const struct event_class *class;
	int ret;

	s->event.start = c->p;
	ret = cursor_header(c, trace->large);
	if (ret)
		return -EBADMSG;
	class = find_class(s, c->id);
	s->event.context = c->p;
	if (!class || cursor_skip(c, trace->context_bytes))
		return -EBADMSG;
	s->event.class = class;
	s->event.fields = c->p;
	ret = class->steps ? step_fields(c, class->steps) :
			     skip_fields(c, class);
	s->event.end = c->p;
	s->event.clock = c->clock;
	s->event.ns = clock_time(&trace->clock, s->base_ns, c->clock);
	s->events++;
	return ret;
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
		if (!s->cut)
			reader_problem(s->reader, s->path ? s->path :
				       s->event.trace->path, "%s, packet %llu: event %llu makes no "
				       "sense; the rest of the packet is left "
				       "out", s->name,
				       (unsigned long long)
				       s->head.packet_seq_num,
				       (unsigned long long)s->events);
		s->cursor.p = s->cursor.end;
	}
}
