/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How fields are shown; see shown.h.
 *
 * Invariant: no load at or beyond the end of the bytes.
 */
#include "tracepoints/fields/shown.h"

#include "tracepoints/fields/fields.h"
#include "tracepoints/fields/scalar.h"

#define TEXTS		4	/* channel, name, text, file */

struct shown_bytes shown_behind(const char *texts, uint32_t bytes)
{
	struct shown_bytes shown = { texts, texts + bytes };

	for (int i = 0; i < TEXTS; i++)
		while (shown.p < shown.end && *shown.p++)
			;
	return shown;
}

struct shown_bytes shown_of_site(const struct taffrail_site *site)
{
	return shown_behind((const char *)(site + 1), site->text_bytes_);
}

bool shown_find(struct shown_field *field, const struct shown_bytes *shown,
		uint32_t number)
{
	struct taffrail_shown head;
	const char *p = shown->p;

	while ((uint64_t)(shown->end - p) >= sizeof(head)) {
		__builtin_memcpy(&head, p, sizeof(head));
		p += sizeof(head);
		if (head.bytes_ > shown->end - p ||
		    head.count_ * sizeof(int64_t) > head.bytes_)
			return false;
		field->how = head.how_;
		field->count = head.count_;
		field->values = p;
		field->names.p = p + head.count_ * sizeof(int64_t);
		p += head.bytes_;
		field->names.end = p;
		if (head.field_ == number + 1)
			return true;
	}
	return false;
}

bool shown_find_how(struct shown_field *field, const struct shown_bytes *shown,
		    uint32_t number, uint8_t how)
{
	struct shown_bytes rest = *shown;

	for (; shown_find(field, &rest, number); rest.p = field->names.end)
		if (field->how == how)
			return true;
	return false;
}

bool shown_says(const struct shown_bytes *shown, uint32_t number, uint8_t how)
{
	struct shown_field field;

	return shown_find_how(&field, shown, number, how);
}

uint8_t shown_base(const struct shown_bytes *shown, uint32_t number)
{
	return shown_says(shown, number, TAFFRAIL_HOW_HEX) ? 16 :
	       shown_says(shown, number, TAFFRAIL_HOW_OCT) ? 8 :
	       shown_says(shown, number, TAFFRAIL_HOW_BIN) ? 2 : 0;
}

bool shown_has(const struct shown_bytes *shown, uint8_t how)
{
	struct taffrail_shown head;
	const char *p = shown->p;

	while (shown->end - p >= (int64_t)sizeof(head)) {
		__builtin_memcpy(&head, p, sizeof(head));
		if (head.how_ == how)
			return true;
		p += sizeof(head) + head.bytes_;
	}
	return false;
}

int shown_level(const struct shown_bytes *shown)
{
	struct shown_bytes rest = *shown;
	struct shown_field field;
	int level = LEVEL_NONE;

	while (shown_find(&field, &rest, SHOWN_MARKER)) {
		if (field.how == TAFFRAIL_HOW_LEVEL &&
		    field.names.end > field.names.p)
			level = (uint8_t)*field.names.p;
		rest.p = field.names.end;
	}
	return level <= LEVEL_MAX ? level : LEVEL_NONE;
}

const char *level_word(int level)
{
	const char *word = "emerg\0" "alert\0" "crit\0" "err\0" "warning\0"
			   "notice\0" "info\0" "debug_system\0"
			   "debug_program\0" "debug_process\0"
			   "debug_module\0" "debug_unit\0"
			   "debug_function\0" "debug_line\0" "debug\0";

	while (level--)
		while (*word++)
			;
	return word;
}

uint32_t shown_count(const struct shown_bytes *shown, uint32_t number,
		     uint8_t type)
{
	uint32_t bytes = scalar_bytes(type);
	struct shown_field field;
	uint64_t count = 0;

	if (shown_find(&field, shown, number) &&
	    field.how == TAFFRAIL_HOW_COUNT && field.count)
		__builtin_memcpy(&count, field.values, sizeof(count));
	return bytes && count <= TAFFRAIL_ARRAY_BYTES_MAX / bytes ?
		       (uint32_t)count : 0;
}

uint32_t shown_unwritten(const struct shown_bytes *shown,
			 struct field_name *names, uint8_t *types, uint32_t n)
{
	struct shown_field field;
	uint64_t type;

	if (!shown_find_how(&field, shown, SHOWN_MARKER,
			    TAFFRAIL_HOW_UNWRITTEN))
		return n;
	for (; field.count && n < TAFFRAIL_FIELDS_MAX; field.count--, n++) {
		struct field_name *name = &names[n];
		uint32_t used = 0;

		__builtin_memcpy(&type, field.values, sizeof(type));
		field.values += sizeof(type);
		if (type > UINT8_MAX ||
		    (type != TAFFRAIL_T_STRING && !scalar_bytes((uint8_t)type)))
			break;
		types[n] = (uint8_t)type;
		*name = (struct field_name){
			.precision = FIELD_PRECISION_NONE,
		};
		for (; field.names.p < field.names.end && *field.names.p;
		     field.names.p++)
			if (used < FIELD_NAME_BYTES - 1)
				name->name[used++] = *field.names.p;
		field.names.p++;
	}
	return n;
}

const char *unit_word(uint8_t how)
{
	static const char words[4][3] = { "ns", "us", "ms", "s" };

	return how < TAFFRAIL_HOW_DURATION_NS || how > TAFFRAIL_HOW_TIME_S ?
		       "" : words[how & 3];
}

/* Takes the next value, if there is one. */
static bool take_value(struct shown_field *field, int64_t *value)
{
	if (!field->count)
		return false;
	field->count--;
	__builtin_memcpy(value, field->values, sizeof(*value));
	field->values += sizeof(*value);
	return true;
}

/* "first, scope::second": the part behind a colon counts; of ranges, all up to
 * the NUL. */
bool shown_next(struct shown_field *field, struct shown_name *name)
{
	const char *p = field->names.p;

	if (!take_value(field, &name->value))
		return false;
	name->to = name->value;
	if (field->how == TAFFRAIL_HOW_RANGES) {
		name->start = p;
		while (p < field->names.end && *p)
			p++;
		name->end = p;
		field->names.p = p + 1;
		return take_value(field, &name->to) && p < field->names.end;
	}
	while (p < field->names.end && (*p == ',' || *p == ' '))
		p++;
	name->start = p;
	for (; p < field->names.end && *p && *p != ','; p++)
		if (*p == ':')
			name->start = p + 1;
	name->end = p;
	field->names.p = p;
	return name->end > name->start;
}

size_t shown_begin(struct text *text, uint32_t number, uint8_t how,
		   uint16_t count)
{
	struct taffrail_shown head = { .field_ = (uint8_t)(number + 1),
				       .how_ = how, .count_ = count };
	size_t begin = text->used;

	text_add_bytes(text, (const char *)&head, sizeof(head));
	return begin;
}

void shown_end(struct text *text, size_t begin)
{
	struct taffrail_shown head;
	char *at = text->start + begin;

	if (text->cut)
		return;
	__builtin_memcpy(&head, at, sizeof(head));
	head.bytes_ = (uint32_t)(text->used - begin - sizeof(head));
	__builtin_memcpy(at, &head, sizeof(head));
}
