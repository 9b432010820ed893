/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading packets the slow and distrustful way.
 */
#include "testsuite/stress/oracle.h"

#include <string.h>

static uint64_t load(const unsigned char *p, unsigned int bytes)
{
	uint64_t value = 0;

	memcpy(&value, p, bytes);
	return value;
}

static const char *clock_whole(struct oracle *oracle,
			       struct oracle_event *event,
			       const unsigned char *p)
{
	event->id = (uint32_t)load(p, 4);
	event->clock = load(p + 4, 8);
	event->extended = 1;
	return event->clock < oracle->clock ? "a full clock goes back" : NULL;
}

/* A time that went back looks like one that is nearly a lap of the short clock
 * ahead: beyond the end of its packet, or the time at which it is read. */
static const char *clock_short(struct oracle *oracle,
			       struct oracle_event *event, uint64_t low,
			       unsigned int bits)
{
	uint64_t reach = 1ull << bits;
	uint64_t ahead = (low - oracle->clock) & (reach - 1);

	event->clock = oracle->clock + ahead;
	event->extended = 0;
	return event->clock > oracle->limit ? "a clock goes back" : NULL;
}

static const char *header_take(struct oracle *oracle,
			       struct oracle_event *event,
			       const unsigned char *p)
{
	uint32_t word;

	if (event->end - p < 4)
		return "a header is cut";
	word = (uint32_t)load(p, 4);
	event->id = word & 31;
	event->payload = p + 4;
	if (event->id == 30) {
		if (event->end - p < 6)
			return "a wide header is cut";
		event->id = (uint32_t)load(p + 4, 2);
		event->payload = p + 6;
		if (event->id < 30)
			return "a wide header for a compact id";
		return clock_short(oracle, event, word >> 5, 27);
	}
	if (event->id != 31)
		return clock_short(oracle, event, word >> 5, 27);
	if (word & 0xe0)
		return "rubbish in an extended header";
	if (event->end - p < 13)
		return "an extended header is cut";
	event->payload = p + 13;
	return clock_whole(oracle, event, p + 1);
}

int oracle_packet(struct oracle *oracle, const void *packet, uint32_t content)
{
	const struct packet_head *head = packet;
	const unsigned char *p = packet;
	const unsigned char *end = p + content;
	struct oracle_event event = { .end = end };
	size_t bytes;

	oracle->clock = head->timestamp_begin;
	/* a switch that was given up leaves an end in an open packet */
	oracle->limit = oracle->open ? oracle->now : head->timestamp_end;
	if (!oracle->limit)
		oracle->limit = UINT64_MAX;
	for (p += PACKET_HEAD_BYTES; p < end; p = event.payload + bytes) {
		const char *error = header_take(oracle, &event, p);

		bytes = error ? ORACLE_WRONG :
				oracle->check(&event, oracle->priv);
		if (!error && bytes == ORACLE_WRONG)
			error = "a payload is wrong";
		if (!error && bytes > (size_t)(end - event.payload))
			error = "a payload is cut";
		if (error) {
			oracle->error = error;
			oracle->error_offset =
				(uint64_t)(p - (const unsigned char *)packet);
			return -1;
		}
		oracle->clock = event.clock;
		oracle->events++;
	}
	return 0;
}

const char *oracle_head(const struct packet_head *head,
			const struct ring *ring)
{
	if (head->magic != 0xC1FC1FC1u)
		return "no magic in a packet";
	if (memcmp(head->uuid, ring->uuid, sizeof(head->uuid)))
		return "another uuid in a packet";
	if (head->stream_id)
		return "another stream class in a packet";
	if (head->stream_instance_id != ring->stream_instance_id)
		return "another stream in a packet";
	if (head->cpu_id != ring->cpu)
		return "another CPU in a packet";
	return NULL;
}

const char *oracle_tail(const struct packet_head *head, uint64_t clock,
			uint32_t sub_bytes)
{
	uint64_t content = head->content_size / 8 + PACKET_PRIVATE_BYTES;

	if (head->timestamp_end < clock)
		return "a packet ends before its last event";
	if (head->content_size % 8 || content < PACKET_HEAD_BYTES ||
	    content > sub_bytes)
		return "a content size is wrong";
	if (head->packet_size != head->content_size)
		return "a packet size is wrong";
	return NULL;
}
