/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Steps over the events of a packet: this tells how many there are, when the
 * last one happened, whose they are, and whether all of them make sense.
 *
 * Invariant: no load beyond `end`, whatever the bytes say.
 */
#include <errno.h>

#include "buffers/reader/step.h"

int packet_walk_writers(const struct packet_format *format, uint64_t begin,
			const void *events, size_t bytes,
			struct packet_walk *walk,
			void (*wrote)(uint32_t process, uint64_t events,
				      void *priv), void *priv)
{
	struct cursor c = { events, (const uint8_t *)events + bytes, begin, 0 };
	const uint8_t *fields;
	uint64_t told = 0;

	memset(walk, 0, sizeof(*walk));
	walk->last = begin;
	while (c.p < c.end) {
		int ret = cursor_header(&c, format->kind);

		if (ret)
			return ret;
		if (c.id >= format->nshapes || !format->shapes[c.id].known)
			return -EBADMSG;
		ret = cursor_skip(&c, format->context_bytes);
		fields = c.p;
		ret = ret ?: step_fields(&c, format->shapes[c.id].steps);
		if (ret)
			return ret;
		if (format->writers && c.id == cursor_writer_id(format->kind) &&
		    c.p - fields == sizeof(walk->writer)) {
			if (wrote && walk->count != told)
				wrote(walk->writer.process, walk->count - told,
				      priv);
			told = walk->count;
			memcpy(&walk->writer, fields, sizeof(walk->writer));
			walk->records++;
		} else {
			walk->count++;
			walk->nameless += !walk->records;
		}
		walk->bytes = (uint64_t)(c.p - (const uint8_t *)events);
		walk->last = c.clock;
	}
	if (wrote && walk->count != told)
		wrote(walk->writer.process, walk->count - told, priv);
	return 0;
}

int packet_walk(const struct packet_format *format, uint64_t begin,
		const void *events, size_t bytes, struct packet_walk *walk)
{
	return packet_walk_writers(format, begin, events, bytes, walk, NULL,
				   NULL);
}

int context_bytes(uint32_t contexts)
{
	return cursor_context_bytes(contexts);
}
