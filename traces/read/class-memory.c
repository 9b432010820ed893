/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory of the classes and processes that metadata describes, and sizes of
 * fields.
 *
 * Invariant: memory is only added, and freed as a whole, so a pointer into it
 * is good as long as the trace or schema. No size goes beyond the end that a
 * caller gives, whatever the bytes say.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/array.h"
#include "traces/read/classes.h"

#define FIRST_BYTES	1024		/* is enough for many a trace */
#define BLOCK_BYTES	4096

/* A block of memory. The newest is the first of the list, and the only one that
 * may have room. */
struct class_memory {
	struct class_memory *next;
	size_t used;
	size_t room;
	_Alignas(16) char bytes[];
};

void *class_memory_take(struct class_memory **memory, size_t bytes)
{
	struct class_memory *block = *memory;
	size_t room = *memory ? BLOCK_BYTES : FIRST_BYTES;
	void *at;

	/* a large piece gets a block of its own size, so little is lost */
	room = bytes > room / 4 ? bytes : room;
	bytes = (bytes + 15) & ~(size_t)15;
	if (!block || block->room - block->used < bytes) {
		block = calloc(1, sizeof(*block) + room + 16);
		if (!block)
			return NULL;
		block->room = room + 16;
		block->next = *memory;
		*memory = block;
	}
	at = block->bytes + block->used;
	block->used += bytes;
	return at;
}

const char *class_memory_text(struct class_memory **memory, const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *copy = class_memory_take(memory, bytes);

	return copy ? memcpy(copy, text, bytes) : NULL;
}

const char *class_memory_id(struct class_memory **memory, const char *name)
{
	char *id = (char *)class_memory_text(memory, name);
	char *colon = id ? strchr(id, ':') : NULL;

	if (colon)
		*colon = '/';
	return id;
}

void class_memory_join(struct class_memory **to, struct class_memory **from)
{
	struct class_memory **end = to;

	while (*end)
		end = &(*end)->next;
	*end = *from;
	*from = NULL;
}

void class_memory_free(struct class_memory *memory)
{
	while (memory) {
		struct class_memory *next = memory->next;

		free(memory);
		memory = next;
	}
}

/* Returns the size of `count` elements, or of all members of a structure; -1:
 * they go beyond `end`. Numbers are not stepped over one by one: a false count
 * costs no time. */
static int64_t elements_bytes(const struct field_class *class, uint64_t count,
			      const uint8_t *at, const uint8_t *end)
{
	const struct field_class *element = class->members;
	const bool members = class->kind == FIELD_STRUCT;
	const uint8_t *start = at;

	if (!members && element->kind <= FIELD_ENUM)
		return count > (uint64_t)(end - at) / element->bytes ? -1 :
		       (int64_t)(count * element->bytes);
	for (; count; count--, element += members) {
		int64_t bytes = field_bytes(element, at, end);

		if (bytes < 0)
			return -1;
		at += bytes;
	}
	return at - start;
}

int64_t field_bytes(const struct field_class *class, const uint8_t *at,
		    const uint8_t *end)
{
	const uint8_t *nul;
	int64_t bytes, ahead;
	uint64_t count;

	switch (class->kind) {
	case FIELD_STRING:
		nul = memchr(at, 0, (size_t)(end - at));
		return nul ? nul + 1 - at : -1;
	case FIELD_TEXT:
		/* the length of a counted one stands before it, and was
		 * stepped over as a field */
		count = field_text_bytes(class, at);
		return count > (uint64_t)(end - at) ? -1 : (int64_t)count;
	case FIELD_ARRAY:
		return elements_bytes(class, class->count, at, end);
	case FIELD_SEQUENCE:
		return elements_bytes(class, field_length(at), at, end);
	case FIELD_STRUCT:
		return elements_bytes(class, class->nmembers, at, end);
	case FIELD_VARIANT:
		/* the index stands in front, unless that is counted; the
		 * option must fill the size that is stated for it */
		ahead = class->counted ? 0 : sizeof(uint32_t);
		bytes = class->counted ? field_length(at) : end - at - ahead;
		if (bytes < 0 || bytes > end - at)
			return -1;
		at += ahead;
		end = at + bytes;
		count = field_length(class->counted ? at - sizeof(uint32_t) :
						      at);
		bytes = count < class->nmembers ?
			field_bytes(&class->members[count], at, end) : -1;
		if (bytes < 0 || (class->counted && at + bytes != end))
			return -1;
		return bytes + ahead;
	case FIELD_LIST:
		if (end - at < (int64_t)sizeof(uint32_t))
			return -1;
		at += sizeof(uint32_t);
		bytes = elements_bytes(class, field_length(at), at, end);
		return bytes < 0 ? -1 : bytes + (int64_t)sizeof(uint32_t);
	default:
		return class->bytes > end - at ? -1 : class->bytes;
	}
}

int64_t field_always_bytes(const struct field_class *class)
{
	int64_t sum = 0;

	switch (class->kind) {
	case FIELD_STRING:
	case FIELD_SEQUENCE:
	case FIELD_LIST:
	case FIELD_VARIANT:
		return -1;
	case FIELD_TEXT:
		sum = class->counted ? -1 : 1;
		break;
	case FIELD_ARRAY:
		sum = field_always_bytes(&class->members[0]);
		break;
	case FIELD_STRUCT:
		for (size_t i = 0; i < class->nmembers; i++) {
			int64_t bytes = field_always_bytes(&class->members[i]);

			if (bytes < 0)
				return -1;
			sum += bytes;
		}
		return sum;
	default:
		return class->bytes;
	}
	/* elements; a larger field is stepped over in each event */
	if (sum < 0 || sum > UINT16_MAX || class->count > UINT16_MAX)
		return -1;
	return sum * (int64_t)(class->count);
}

/* Returns the first process whose number is not below one. */
static size_t member_place(const struct trace_class *trace, uint32_t number)
{
	size_t from = 0, to = trace->nmembers, at;

	while (from < to) {
		at = (from + to) / 2;
		if (trace->members[at].number < number)
			from = at + 1;
		else
			to = at;
	}
	return from;
}

struct trace_member *trace_member_add(struct trace_class *trace,
				      uint32_t number)
{
	size_t at = member_place(trace, number), n = trace->nmembers;

	if (at < n && trace->members[at].number == number)
		return &trace->members[at];
	if (!array_grow(&trace->members, n, sizeof(*trace->members)))
		return NULL;
	memmove(&trace->members[at + 1], &trace->members[at],
		(n - at) * sizeof(*trace->members));
	trace->members[at] = (struct trace_member){ .number = number };
	trace->nmembers++;
	return &trace->members[at];
}

bool trace_has_member(const struct trace_class *trace, uint32_t number)
{
	size_t at = member_place(trace, number);

	return at < trace->nmembers && trace->members[at].number == number;
}

size_t place_file_bytes(const char *place)
{
	const char *end = strrchr(place, '+');

	return end ? (size_t)(end - place) : strlen(place);
}

size_t place_module_bytes(const char *place)
{
	size_t n = strcspn(place, "/"), file = place_file_bytes(place);

	return n < file ? n : file;
}
