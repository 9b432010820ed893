/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fields as text: those of an event with their names, those of a mark in the
 * format.
 *
 * Invariant: a loop whose length depends on the bytes stops when the text is
 * full.
 */
#include "tracepoints/fields/field-value.h"

#include "include/taffrail/site.h"
#include "tracepoints/fields/errors.h"
#include "tracepoints/fields/fields.h"
#include "tracepoints/fields/scalar.h"

/* Adds a character of a string, escaped if it must be. */
static void add_escaped(struct text *text, uint8_t c)
{
	static const char letters[] = "abtnvfr";	/* from 7 on */

	if (c == '\\' || c == '"' || c == '\'' || c == '?') {
		text_add_char(text, '\\');
		text_add_char(text, (char)c);
	} else if (c >= 7 && c < 7 + sizeof(letters) - 1) {
		text_add_char(text, '\\');
		text_add_char(text, letters[c - 7]);
	} else if (c == 27) {
		text_add(text, "\\e");
	} else if (c < 32 || c == 127) {
		text_add(text, "\\x");
		text_add_hex(text, c, 2);
	} else {
		text_add_char(text, (char)c);
	}
}

/* Adds the characters of a string, escaped, without quotes. */
static void characters_show(struct text *text, const struct field_value *value)
{
	for (uint32_t i = 0; i < value->n && !text->cut; i++)
		add_escaped(text, value->p[i]);
}

/* Adds the value in a base of 2^bits, without a sign. */
static void base_show(struct text *text, const struct field_value *value,
		      uint32_t bits)
{
	uint32_t all = scalar_bytes(value->type) * 8;
	uint64_t rest = field_integer(value) << (64 - all) >> (64 - all);
	uint32_t n = bits;

	text_add(text, bits == 4 ? "0x" : bits == 3 ? "0" : "0b");
	while (n < all && rest >> n)
		n += bits;
	for (; n; n -= bits)
		text_add_char(text, "0123456789abcdef"[rest >> (n - bits) &
						       ((1u << bits) - 1)]);
}

/* Adds the elements of an array in a base, if one was said. Returns whether it
 * has. */
static bool elements_show(struct text *text, const struct field_value *array,
			  uint8_t base)
{
	struct field_value element;

	if (!base || !array->whole || !(array->type & TAFFRAIL_T_SEQUENCE) ||
	    scalar_sort(array->type & TAFFRAIL_T_SCALAR_MASK) == SCALAR_REAL)
		return false;
	text_add_char(text, '{');
	for (uint32_t i = 0; i < array->n && !text->cut; i++) {
		if (i)
			text_add(text, ", ");
		element = field_element(array, i);
		base_show(text, &element, base == 16 ? 4 : base == 8 ? 3 : 1);
	}
	text_add_char(text, '}');
	return true;
}

/* Adds the value in the way that was said. Returns whether it has. */
static bool how_show(struct text *text, const struct field_value *value,
		     uint8_t how)
{
	uint64_t number = field_integer(value);
	bool negative = (int64_t)number < 0;
	const char *error = error_word(negative ? 0 - number : number);

	if (how == TAFFRAIL_HOW_HEX || how == TAFFRAIL_HOW_OCT ||
	    how == TAFFRAIL_HOW_BIN) {
		base_show(text, value, how == TAFFRAIL_HOW_HEX ? 4 :
				       how == TAFFRAIL_HOW_OCT ? 3 : 1);
	} else if (how == TAFFRAIL_HOW_BOOL && number < 2) {
		text_add(text, number ? "true" : "false");
	} else if (how == TAFFRAIL_HOW_CHAR) {
		text_add_char(text, '\'');
		add_escaped(text, (uint8_t)number);
		text_add_char(text, '\'');
	} else if (how == TAFFRAIL_HOW_ERRNO && *error) {
		text_add(text, negative ? "-E" : "E");
		text_add(text, error);
	} else if (*unit_word(how)) {
		field_show(text, value);
		text_add_char(text, ' ');
		text_add(text, unit_word(how));
	} else {
		return false;
	}
	return true;
}

/* Adds a name; one that has other characters than an enumerator's, in quotes,
 * as a string. */
static void label_show(struct text *text, const struct shown_name *name)
{
	const char *p = name->start;
	bool quoted;

	while (p < name->end && (*p == '_' || *p == ':' ||
				 (uint32_t)(*p - '0') < 10 ||
				 (uint32_t)((*p | 32) - 'a') < 26))
		p++;
	quoted = p < name->end || p == name->start;
	if (quoted)
		text_add_char(text, '"');
	for (p = name->start; p < name->end && !text->cut; p++)
		add_escaped(text, (uint8_t)*p);
	if (quoted)
		text_add_char(text, '"');
}

/* Adds the name of the value, or the value in the way that the field asks for.
 * Returns whether one of the two exists. */
static bool name_show(struct text *text, const struct field_event *event,
		      const struct field_value *value, uint32_t i)
{
	uint64_t number;
	bool is_signed;
	struct shown_field field;
	struct shown_name name;
	uint8_t how;

	if (!field_is_integer(value))
		return elements_show(text, value, shown_base(&event->shown, i));
	if (!shown_find(&field, &event->shown, i))
		return false;
	how = field.how;
	if (how == TAFFRAIL_HOW_VARIANT)	/* its names are the options' */
		return false;
	number = field_integer(value);
	is_signed = scalar_sort(value->type) == SCALAR_SIGNED;
	while (shown_next(&field, &name)) {
		if (!shown_covers(&name, number, is_signed))
			continue;
		label_show(text, &name);
		return true;
	}
	return how_show(text, value, how);
}

/* Makes of the bytes of a variant the value that they are: the field before
 * says which. */
static void option_take(const struct field_event *event,
			struct field_value *values, uint32_t i)
{
	struct field_value *value = &values[i];
	struct shown_field field;
	struct shown_name name = { .value = 0 };
	uint64_t left;

	if (!i || !value->whole || !field_is_integer(value - 1) ||
	    value->type != (TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_U8) ||
	    !shown_find(&field, &event->shown, i) ||
	    field.how != TAFFRAIL_HOW_VARIANT)
		return;
	left = field_integer(value - 1) + 1;
	while (left && shown_next(&field, &name))
		left--;
	if (!left && (name.value == TAFFRAIL_T_STRING ||
		      (name.value > 0 && name.value < TAFFRAIL_T_STRING &&
		       value->n &&
		       scalar_bytes((uint8_t)name.value) == value->n)))
		value->type = (uint8_t)name.value;
}

/* Of an event, adds NAME = VALUE for each value that is there, and "..." when
 * the event has more. */
void field_text(struct text *text, const struct field_event *event,
		const void *bytes, uint32_t n)
{
	struct field_value values[TAFFRAIL_FIELDS_MAX];
	struct field_name names[TAFFRAIL_FIELDS_MAX];
	uint32_t count = field_values_take(values, event, bytes, n);

	if (event->kind == TAFFRAIL_KIND_MARK) {
		field_format(text, event->format, values, count,
			     event->nfields);
		return;
	}
	if (fields_parse(event->format, TAFFRAIL_KIND_EVENT, event->nfields,
			 names))
		return;
	for (uint32_t i = 0; i < count; i++) {
		if (i)
			text_add(text, ", ");
		text_add(text, names[i].name);
		text_add(text, " = ");
		option_take(event, values, i);
		if (values[i].type == TAFFRAIL_T_STRING) {
			text_add_char(text, '"');
			characters_show(text, &values[i]);
			if (values[i].whole)
				text_add_char(text, '"');
		} else if (!name_show(text, event, &values[i], i)) {
			field_show(text, &values[i]);
		}
	}
	if (count && count < event->nfields && values[count - 1].whole)
		text_add(text, ", ");
	if (count < event->nfields || (count && !values[count - 1].whole))
		text_add(text, "...");
}

void field_lines(struct text *text, const struct field_event *event,
		 const void *bytes, uint32_t n)
{
	struct field_value values[TAFFRAIL_FIELDS_MAX];
	struct field_name names[TAFFRAIL_FIELDS_MAX];
	uint32_t count = field_values_take(values, event, bytes, n);
	char room[FIELD_NAME_BYTES];
	struct text shown;

	if (fields_parse(event->format, event->kind, event->nfields, names))
		return;
	for (uint32_t i = 0; i < count && values[i].whole; i++) {
		text_add(text, "field ");
		text_add(text, names[i].name);
		text_add_char(text, '=');
		option_take(event, values, i);
		field_type_add(text, values[i].type);
		text_add_char(text, ':');
		if (values[i].type == TAFFRAIL_T_STRING)
			characters_show(text, &values[i]);
		else
			field_show(text, &values[i]);
		text_add_char(text, '\n');
		/* the text that people see in place of a number */
		text_open(&shown, room, sizeof(room));
		if (!name_show(&shown, event, &values[i], i))
			continue;
		text_add(text, "shown ");
		text_add(text, names[i].name);
		text_add_char(text, '=');
		text_add(text, room);
		text_add_char(text, '\n');
	}
}
