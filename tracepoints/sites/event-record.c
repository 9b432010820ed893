/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Event records, published before their site is switched on.
 */
#include "tracepoints/sites/registry.h"

#include <errno.h>

#include "base/index.h"
#include "base/text.h"
#include "buffers/clock.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/fields/shown.h"

/* Other processes add types at the same time: after so many tries, one of them
 * does nothing else. */
#define SHARED_TRIES	10000

/* Returns true when two descriptions of how fields are shown are equal. */
static bool same_shown(struct shown_bytes a, struct shown_bytes b)
{
	return a.end - a.p == b.end - b.p &&
	       !__builtin_memcmp(a.p, b.p, (size_t)(a.end - a.p));
}

/* The records of each channel, and of the table that processes share with it,
 * found by their texts. */
static struct records {
	struct index index;		/* values: place of a record + 1 */
	uint64_t generation;		/* of the indexed channel */
	uint64_t bytes;			/* of the records in the index */
	struct index shared;
	uint64_t shared_bytes;		/* 0: none is in the index */
	uint32_t shared_count;		/* of records before shared_bytes */
} all_records[CHANNELS_MAX];

/* So many bytes of shared records are looked at one by one: most programs need
 * no index, which would take pages of each process. */
#define SHARED_PLAIN_BYTES	8192

/* Hashes the first three texts: channel, name, format. */
static uint64_t texts_hash(const char *texts)
{
	const char *p = texts;

	for (int i = 0; i < 3; i++)
		p += text_length(p) + 1;
	return index_hash(INDEX_HASH, texts, (uint64_t)(p - texts));
}

struct key {
	const char *records;
	const struct object *object;	/* or NULL: no record is the same */
	const uint8_t *types;		/* with the term */
};

/* Returns true when a record of the channel describes the object's event. */
static bool same_event(uint64_t value, const void *arg)
{
	const struct key *key = arg;
	const struct object *object = key->object;
	const struct event_record *record =
		(const struct event_record *)(key->records + value - 1);
	const char *channel = record->text;
	const char *name = channel + text_length(channel) + 1;
	const char *format = name + text_length(name) + 1;
	const char *file = format + text_length(format) + 1;

	if (!object)
		return false;
	/* of functions of one name, these say which it is */
	if (object->adopted && (record->line != object->site->line_ ||
				!text_equal(file, object->file)))
		return false;
	return record->kind == object->site->kind_ &&
	       record->nfields == object->site->nfields_ &&
	       !__builtin_memcmp(record->types, key->types,
				 sizeof(record->types)) &&
	       text_equal(channel, object->channel) &&
	       text_equal(name, object->name) &&
	       text_equal(format, object->format) &&
	       same_shown(shown_behind(record->text, record->text_bytes),
			  shown_of_site(object->site));
}

/* Returns the id of a session's type number n, beside that of writer
 * records. */
static uint32_t type_id(uint32_t n)
{
	return n + (n >= WRITER_ID);
}

/* Finds the key's event among the first `end` bytes of shared records. Returns
 * 1 with its id; 0 with the id that the next record gets; or a negative
 * errno. */
static int shared_look(struct records *records, const struct key *key,
		       const char *texts, uint64_t end, uint32_t *id)
{
	const struct event_record *record;
	uint64_t found, at = 0;
	uint32_t n = 0;

	for (; at < end; at += record->bytes, n++) {
		/* behind what is in the index, if there is one */
		if (at >= SHARED_PLAIN_BYTES && at < records->shared_bytes) {
			n = records->shared_count;
			at = records->shared_bytes;
			if (at >= end)
				break;
		}
		record = (const void *)(key->records + at);
		/* another member may write there */
		if (record->bytes < sizeof(*record) || record->bytes > end - at)
			return -EBADMSG;
		*id = record->id;
		if (at < SHARED_PLAIN_BYTES) {
			if (same_event(at + 1, key))
				return 1;
			continue;
		}
		if (index_add(&records->shared, texts_hash(record->text),
			      at + 1))
			return -ENOMEM;
		records->shared_bytes = at + record->bytes;
		records->shared_count = n + 1;
	}
	found = index_find(&records->shared, texts_hash(texts), same_event,
			   key);
	/* the first one is that of writer records */
	*id = found ? ((const struct event_record *)
			       (key->records + found - 1))->id :
		      type_id(n - !!n);
	return !!found;
}

/* Finds the event among the types that the processes of the session share, or
 * adds it; model->id becomes the number. Returns 0 or a negative errno. */
static int shared_find(struct records *records, struct shared *shared,
		       const struct object *object, struct event_record *model,
		       const char *texts, uint32_t bytes)
{
	struct key key = { (const char *)shared->types + EVENT_RECORDS_OFFSET,
			   object, model->types };
	uint64_t end;
	int tries = SHARED_TRIES;
	int ret;

	do {
		end = shared_types_end(shared);
		ret = shared_look(records, &key, texts, end, &model->id);
		if (ret)
			return ret < 0 ? ret : 0;
		ret = shared_type_add(shared, end, model, texts, bytes);
	} while (ret == -EAGAIN && --tries);
	return ret;
}

#define TEXTS_BYTES	(FUNCTION_ID_BYTES + 512) /* of a site without texts */

/* Returns the four texts of an object, one behind the other: those behind the
 * site, or the same in `made`. */
static const char *texts_find(const struct object *object,
			      char made[static TEXTS_BYTES], uint32_t *bytes)
{
	const char *const texts[] = { object->channel, object->name,
				      object->format, object->file };
	struct text text;

	*bytes = object->site->text_bytes_;
	if (*bytes)
		return (const char *)(object->site + 1);
	text_open(&text, made, TEXTS_BYTES);
	for (uint32_t i = 0; i < ARRAY_SIZE(texts); i++)
		text_add_bytes(&text, texts[i], text_length(texts[i]) + 1);
	*bytes = (uint32_t)text.used;
	return made;
}

/* Finds the record of an event in a channel, or adds it. Returns it or NULL. */
static struct event_record *record_take(struct channel *channel,
					const struct object *object,
					struct event_record *model,
					const char *texts, uint32_t bytes)
{
	struct records *records = &all_records[channel - channels];
	struct key key = { (const char *)channel->page + EVENT_RECORDS_OFFSET,
			   object, model->types };
	const struct event_record *record;
	uint64_t found;

	/* adds new records to the index; in a forked child, all records */
	if (records->generation != channel->rings->generation) {
		index_clear(&records->index);
		index_clear(&records->shared);
		records->generation = channel->rings->generation;
		records->bytes = 0;
		records->shared_bytes = 0;
	}
	for (; records->bytes < channel->page->record_bytes;
	     records->bytes += record->bytes) {
		record = (const void *)(key.records + records->bytes);
		/* nor is the one of writer records a marker's */
		if (record->kind != RECORD_MODULES &&
		    (record->id != WRITER_ID ||
		     !(channel->contexts & CONTEXT_WRITER)) &&
		    index_add(&records->index, texts_hash(record->text),
			      records->bytes + 1))
			return NULL;
	}
	found = index_find(&records->index, texts_hash(texts), same_event,
			   &key);
	if (found)
		return (struct event_record *)(key.records + found - 1);
	model->id = channel->contexts & CONTEXT_WRITER ?
			    type_id(records->index.used) : records->index.used;
	if (channel->flags & SESSION_SHARED &&
	    shared_find(records, &channel->shared, object, model, texts,
			bytes))
		return NULL;
	return channel_record_add(channel, model, texts, bytes);
}

struct event_record *record_publish(struct channel *channel,
				    const struct object *object, uint32_t term)
{
	char made[TEXTS_BYTES];
	uint32_t bytes;
	const char *texts = texts_find(object, made, &bytes);
	struct event_record model = { .line = object->site->line_,
				      .kind = object->site->kind_,
				      .nfields = object->site->nfields_ };

	__builtin_memcpy(model.types, object->types, sizeof(model.types));
	if (term)
		__builtin_memcpy(model.types + TERM_AT, &term, sizeof(term));
	return record_take(channel, object, &model, texts, bytes);
}

void record_publish_ended(struct channel *channel, const uint32_t *ids,
			  uint32_t n)
{
	static const char names[] = TERM_CHANNEL "\0" TERM_NAME "\0";
	struct event_record model = { .kind = TAFFRAIL_KIND_EVENT };
	uint64_t clock = clock_read();
	char made[TEXTS_BYTES];
	struct text text;

	while (n) {
		text_open(&text, made, sizeof(made));
		text_add_bytes(&text, names, sizeof(names));
		text_add_unsigned(&text, channel->flags & SESSION_SHARED ?
						 channel->shared.number : 0);
		text_add_char(&text, ':');
		text_add_unsigned(&text, clock);
		text_add_char(&text, ':');
		text_add_unsigned(&text, ids[--n]);
		while (n && text.used < sizeof(made) - 16) {
			text_add_char(&text, ',');
			text_add_unsigned(&text, ids[--n]);
		}
		if (!record_take(channel, NULL, &model, made,
				 (uint32_t)text.used + 1))
			return;
	}
}
