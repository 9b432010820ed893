/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Packets, of which a trace of Perfetto consists.
 */
#include "traces/formats/perfetto-private.h"

void perfetto_packet(struct perfetto *p)
{
	out_rewind(&p->packet);
}

void perfetto_packet_end(struct perfetto *p)
{
	struct out *packet = &p->packet;
	size_t n;

	protobuf_u64(packet, PACKET_SEQUENCE, SEQUENCE);
	protobuf_u64(packet, PACKET_SEQUENCE_FLAGS, p->started ?
		     FLAG_NEEDS_STATE : FLAG_CLEARED);
	p->started = true;
	n = (size_t)(packet->p - packet->start);
	out_room(&p->out, PROTOBUF_ROOM);
	p->out.p = protobuf_varint(protobuf_tag(p->out.p, TRACE_PACKET,
						PROTOBUF_BYTES), n);
	out_bytes(&p->out, packet->start, n);
	if (packet->error && !p->out.error)
		p->out.error = packet->error;
}

const char *perfetto_kind(const struct pair_kind *kind)
{
	return kind->given && kind->begin ? kind->begin : kind->name;
}
