/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Event records, published before their site is switched on.
 */
#include "tracepoints/record.h"

#include "buffers/text.h"

int record_same_event(const struct object *a, const struct object *b)
{
	return a->site->kind == b->site->kind &&
	       a->site->nfields == b->site->nfields &&
	       !__builtin_memcmp(a->types, b->types, sizeof(a->types)) &&
	       text_equal(a->channel, b->channel) &&
	       text_equal(a->name, b->name) && text_equal(a->format, b->format);
}

static int record_matches(const struct event_record *record,
			  const struct object *object)
{
	const char *channel = record->text;
	const char *name = channel + text_length(channel) + 1;
	const char *format = name + text_length(name) + 1;

	return record->kind == object->site->kind &&
	       record->nfields == object->site->nfields &&
	       !__builtin_memcmp(record->types, object->types,
				 sizeof(record->types)) &&
	       text_equal(channel, object->channel) &&
	       text_equal(name, object->name) &&
	       text_equal(format, object->format);
}

struct event_record *record_publish(struct channel *channel,
				    const struct object *object)
{
	char *records = (char *)channel->page + EVENT_RECORDS_OFFSET;
	uint64_t bytes = channel->page->record_bytes;
	struct event_record model = { .line = object->site->line,
				      .kind = object->site->kind,
				      .nfields = object->site->nfields };
	uint64_t at = 0;

	while (at < bytes) {
		struct event_record *record =
			(struct event_record *)(records + at);

		if (record_matches(record, object))
			return record;
		at += record->bytes;
		model.id++;
	}
	__builtin_memcpy(model.types, object->types, sizeof(model.types));
	return channel_record_add(channel, &model,
				  (const char *)(object->site + 1),
				  object->site->text_bytes);
}
