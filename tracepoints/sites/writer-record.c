/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The event record that describes writer records (docs/writers.md): the first
 * one of a session that has them.
 */
#include "tracepoints/sites/registry.h"

static const char writer_text[] = WRITER_CHANNEL "\0" WRITER_NAME "\0"
				  "vpid, vtid, process\0";
static const struct event_record writer_model = {
	.id = WRITER_ID,
	.kind = TAFFRAIL_KIND_EVENT,
	.nfields = 3,
	.types = { TAFFRAIL_T_S32, TAFFRAIL_T_S32, TAFFRAIL_T_U32 },
};

struct event_record *record_publish_writer(struct channel *channel)
{
	return channel_record_add(channel, &writer_model, writer_text,
				  sizeof(writer_text));
}

int record_share_writer(struct shared *shared)
{
	return shared_type_add(shared, 0, &writer_model, writer_text,
			       sizeof(writer_text));
}
