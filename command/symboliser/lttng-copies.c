/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For both readers of LTTng-UST's descriptions: pointers and texts of the file,
 * copies that the markers own, and the events that are told.
 */
#include "command/symboliser/lttng-private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracepoints/fields/fields.h"
#include "tracepoints/fields/shown.h"
#include "tracepoints/sites/notes.h"

#define SITES_MAX	4096u
#define WORD_BYTES	4096u
#define COPY_BYTES	65536u
#define COPIES_MAX	1024u
#define ALIGN		8u

struct symboliser_copies {
	struct symboliser_copies *next;
	size_t used, size;
	char bytes[];
};

void *lttng_copy(struct reader *r, size_t n)
{
	struct symboliser_copies *copies = r->markers->copies;
	size_t size;
	void *copy;

	n = (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (!copies || n > copies->size - copies->used) {
		size = n > COPY_BYTES ? n : COPY_BYTES;
		copies = r->ncopies++ < COPIES_MAX ?
				 calloc(1, sizeof(*copies) + size) : NULL;
		if (!copies) {
			r->error = -ENOMEM;
			return NULL;
		}
		copies->size = size;
		copies->next = r->markers->copies;
		r->markers->copies = copies;
	}
	copy = copies->bytes + copies->used;
	copies->used += n;
	return copy;
}

int lttng_compare_words(const void *left, const void *right)
{
	const struct word *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

uint64_t lttng_pointer(const struct reader *r, uint64_t address)
{
	const struct word key = { address, 0 };
	const struct word *word = r->nwords ?
		bsearch(&key, r->words, r->nwords, sizeof(key),
			lttng_compare_words) : NULL;
	const void *at = notes_at(r->notes, address, sizeof(uint64_t), PF_R);
	uint64_t value = 0;

	if (word)
		return word->value;
	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

const char *lttng_text(const struct reader *r, uint64_t address)
{
	uint64_t from = lttng_pointer(r, address);
	const char *start = NULL, *p = NULL;
	uint64_t n;

	for (uint64_t done = 0; from && done < WORD_BYTES; done += n) {
		for (n = WORD_BYTES; n; n /= 2) {
			p = notes_at(r->notes, from + done, n, PF_R);
			if (p)
				break;
		}
		start = start ? start : p;
		if (!n || p != start + done)
			return NULL;
		if (memchr(p, '\0', n))
			return start;
	}
	return NULL;
}

const int **lttng_level(struct reader *r, uint64_t address)
{
	uint64_t level = address ? lttng_pointer(r, address) : 0;
	const int **copy;

	if (!level || level % sizeof(int) ||
	    !notes_at(r->notes, level, sizeof(int), PF_R))
		return NULL;
	copy = lttng_copy(r, sizeof(*copy));
	if (copy)
		*copy = notes_at(r->notes, level, sizeof(int), PF_R);
	return copy;
}

const char **lttng_uri(struct reader *r, uint64_t address)
{
	const char *uri = address ? lttng_text(r, address) : NULL;
	const char **copy = uri ? lttng_copy(r, sizeof(*copy)) : NULL;

	if (copy)
		*copy = uri;
	return copy;
}

/* Returns the field names as the text of a declared marker has them. */
static const char *fields_text(struct reader *r,
			       const struct describe_model *model)
{
	size_t n = 1;
	char *text;

	for (uint32_t i = 0; i < model->n; i++)
		n += strlen(model->fields[i].name_) + 2;
	text = lttng_copy(r, n);
	for (uint32_t i = 0; text && i < model->n; i++) {
		strcat(text, i ? ", " : "");
		strcat(text, model->fields[i].name_);
	}
	return text;
}

/* Adds the marker's level in front of the bytes that describe_event() made, as
 * a declaration has it. Returns the bytes, or NULL. */
static char *shown_copy(struct reader *r, const struct describe_model *model,
			size_t *n)
{
	static const struct taffrail_shown head = {
		.how_ = TAFFRAIL_HOW_LEVEL,
		.bytes_ = 2,
	};
	char *to = lttng_copy(r, sizeof(head) + 2 + model->shown.used);
	char level = 0;

	*n = 0;
	if (to && model->level) {
		while (level <= LEVEL_MAX &&
		       strcmp(model->level, level_word(level)))
			level++;
		memcpy(to, &head, sizeof(head));
		to[sizeof(head)] = level;
		*n = sizeof(head) + 2;
	}
	if (to)
		memcpy(to + *n, model->shown.start, model->shown.used);
	*n += model->shown.used;
	return to;
}

static uint8_t why_left_out(int error)
{
	return error == -E2BIG	      ? WHY_FIELDS :
	       error == -EMSGSIZE     ? WHY_LONG :
	       error == -ENAMETOOLONG ? WHY_NAME :
	       error == -ENODATA      ? WHY_STATE :
	       error == -EOPNOTSUPP   ? WHY_TYPE : WHY_MALFORMED;
}

/* Returns true for names that were not noted before, and notes them. */
static bool id_note(struct reader *r, const char *provider, const char *event)
{
	struct event_id *ids;

	for (size_t i = 0; i < r->nids; i++)
		if (!strcmp(r->ids[i].event, event) &&
		    !strcmp(r->ids[i].provider, provider))
			return false;
	if (r->nids == r->ids_room) {
		r->ids_room = r->ids_room * 2 + 64;
		ids = reallocarray(r->ids, r->ids_room, sizeof(*ids));
		if (!ids) {
			r->error = -ENOMEM;
			return false;
		}
		r->ids = ids;
	}
	r->ids[r->nids++] = (struct event_id){ provider, event };
	return true;
}

int lttng_tell(struct reader *r, const struct ust_provider *provider,
	       const struct ust_event *event, uint64_t probe)
{
	static char shown_room[DESCRIBE_SHOWN_BYTES];
	struct describe_model model;
	struct symboliser_found found = { .marker.kind = MARKER_EVENT,
					  .marker.address = probe };
	int ret;

	/* of a file with so many, call sites are not told */
	if (r->nids == SITES_MAX)
		r->has_sites = false;
	else if (!r->error && event->name)
		id_note(r, provider->name, event->name);
	if (r->error || !event->name)
		return r->error;
	text_open(&model.shown, shown_room, sizeof(shown_room));
	ret = describe_event(&model, provider, event);
	found.strings[0] = provider->name;
	found.strings[1] = event->name;
	found.strings[2] = found.strings[3] = "";
	if (ret || r->why) {
		found.marker.why = r->why ? (uint8_t)r->why : why_left_out(ret);
		return r->take(&found, r->priv);
	}
	found.strings[2] = fields_text(r, &model);
	found.shown = shown_copy(r, &model, &found.shown_bytes);
	if (r->error)
		return r->error;
	found.marker.nfields = (uint8_t)model.n;
	for (uint32_t i = 0; i < model.n; i++)
		found.marker.types[i] = (uint8_t)model.fields[i].type_;
	return r->take(&found, r->priv);
}

int lttng_tell_site(struct reader *r, const char *provider, const char *event,
		    uint64_t address)
{
	struct symboliser_found found;

	if (!marker_name_valid(provider) || !marker_name_valid(event) ||
	    r->nids == SITES_MAX || !id_note(r, provider, event))
		return r->error;
	found = (struct symboliser_found){
		.marker = { .kind = MARKER_EVENT,
			    .address = address,
			    .why = (uint8_t)WHY_ELSEWHERE },
		.strings = { provider, event, "", "" },
	};
	return r->take(&found, r->priv);
}

void symboliser_free_copies(struct symboliser_copies *copies)
{
	while (copies) {
		struct symboliser_copies *next = copies->next;

		free(copies);
		copies = next;
	}
}
