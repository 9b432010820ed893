/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A mark's format with its values put in.
 *
 * Directives take fields as in fields.c: each '*' takes one, and each
 * conversion except %% and %m takes one, also if its letter is not known.
 */
#include "base/base.h"
#include "include/taffrail/site.h"
#include "tracepoints/fields/conversion-private.h"
#include "tracepoints/fields/field-value.h"
#include "tracepoints/fields/fields.h"

#define SCALAR_TEXT_BYTES	32

struct format {
	const struct field_value *values;
	uint32_t n;			/* values that are there */
	uint32_t nfields;		/* fields of the event */
	uint32_t next;
};

struct directive {
	struct conversion conversion;
	const char *start;		/* its '%' */
	const char *end;
	uint32_t place;			/* N of "%N$", from 1 on; or 0 */
	int dot;
	int unfit;			/* the field of a '*' is no integer */
};

static uint8_t flag_of(char c)
{
	switch (c) {
	case '-':
		return CONVERSION_MINUS;
	case '+':
		return CONVERSION_PLUS;
	case ' ':
		return CONVERSION_SPACE;
	case '#':
		return CONVERSION_ALT;
	default:
		return 0;
	}
}

/* Takes a number from the format, at most CONVERSION_MOST. */
static int32_t number_take(const char **p)
{
	int32_t number = 0;

	for (; is_digit(**p); (*p)++) {
		number = number * 10 + (**p - '0');
		if (number > CONVERSION_MOST)
			number = CONVERSION_MOST;
	}
	return number;
}

/* Returns field `place`, or the next one if that is 0; NULL if not there. */
static const struct field_value *field_take(struct format *f, uint32_t place)
{
	uint32_t i = place ? place - 1 : f->next;

	if (!place && f->next < f->nfields)
		f->next++;
	return i < f->n ? &f->values[i] : NULL;
}

static int32_t star_take(struct format *f, struct directive *d, const char **p)
{
	const char *end = *p;
	uint32_t place = (uint32_t)number_take(&end);
	const struct field_value *value;
	int64_t number;

	if (place && *end == '$')
		*p = end + 1;
	else
		place = 0;
	value = field_take(f, place);
	if (!value || !field_is_integer(value)) {
		d->unfit = 1;
		return 0;
	}
	number = (int32_t)field_integer(value);
	if (number > CONVERSION_MOST)
		return CONVERSION_MOST;
	return number < -CONVERSION_MOST ? -CONVERSION_MOST : (int32_t)number;
}

static bool is_one_of(char c, const char *set)
{
	while (*set && *set != c)
		set++;
	return *set && c;
}

/* Reads the directive at d->start: flags, sizes and lengths in any order. Takes
 * the fields of '*'. */
static void directive_read(struct format *f, struct directive *d)
{
	struct conversion *c = &d->conversion;
	const char *p = d->start + 1;
	int32_t number;

	c->bytes = 4;
	c->precision = CONVERSION_NONE;
	for (;;) {
		if (flag_of(*p)) {
			c->flags |= flag_of(*p++);
		} else if (*p == '.') {
			d->dot = 1;
			c->precision = 0;
			p++;
		} else if (*p == '0' && !d->dot) {
			c->flags |= CONVERSION_ZERO;
			p++;
		} else if (is_digit(*p) || *p == '*') {
			if (*p == '*') {
				p++;
				number = star_take(f, d, &p);
			} else {
				number = number_take(&p);
				if (*p == '$') {
					d->place = (uint32_t)number;
					p++;
					continue;
				}
			}
			if (d->dot) {
				c->precision = number < 0 ? CONVERSION_NONE :
							    number;
				continue;
			}
			if (number < 0)
				c->flags |= CONVERSION_MINUS;
			c->width = number < 0 ? -number : number;
		} else if (is_one_of(*p, "hlLqjzZt")) {
			/* hh 1, h 2, all others 8 */
			if (*p++ == 'h')
				c->bytes = c->bytes == 2 ? 1 : 2;
			else
				c->bytes = 8;
		} else if (*p == '\'' || *p == '$') {
			p++;
		} else {
			break;
		}
	}
	c->letter = *p;
	d->end = *p ? p + 1 : p;
}

/* Returns the recorded value as C passes it for the conversion. */
static uint64_t integer_for(const struct conversion *c,
			    const struct field_value *value)
{
	uint64_t bits = field_integer(value);
	uint32_t bytes = c->bytes;
	int unsign;

	if (bytes == 4)
		bytes = field_integer_bytes(value);
	unsign = 64 - 8 * (int)bytes;
	bits <<= unsign;
	return c->letter == 'd' || c->letter == 'i' ?
		       (uint64_t)((int64_t)bits >> unsign) : bits >> unsign;
}

static void character(struct text *text, const struct conversion *c,
		      const struct field_value *value)
{
	uint32_t code = (uint32_t)field_integer(value);
	char bytes[4];
	size_t n = 1;

	if (c->bytes == 8)
		n = code > 0x10ffff ? 0 : utf8_encode(bytes, code);
	else
		bytes[0] = (char)code;
	/* a text cannot hold a NUL */
	conversion_string(text, c, bytes, n && bytes[0] ? n : 0);
}

/* Adds a value of a type that the conversion does not take: as in an event,
 * padded. */
static void foreign(struct text *text, const struct conversion *c,
		    const struct field_value *value)
{
	struct conversion plain = { .letter = 's',
				    .flags = c->flags,
				    .width = c->width,
				    .precision = CONVERSION_NONE };
	char buffer[SCALAR_TEXT_BYTES];
	struct text scalar;

	if (!field_is_integer(value) && !field_is_double(value)) {
		field_show(text, value);
		return;
	}
	text_open(&scalar, buffer, sizeof(buffer));
	field_show(&scalar, value);
	conversion_string(text, &plain, buffer, scalar.used);
}

static void value_convert(struct text *text, const struct conversion *c,
			  const struct field_value *value)
{
	if (is_one_of(c->letter, "diouxXp") && field_is_integer(value))
		conversion_integer(text, c, integer_for(c, value));
	else if (is_one_of(c->letter, "aAeEfFgG") && field_is_double(value))
		conversion_double(text, c, field_double(value));
	else if (c->letter == 'c' && field_is_integer(value))
		character(text, c, value);
	else if (c->letter == 's' && value->type == TAFFRAIL_T_STRING)
		conversion_string(text, c, (const char *)value->p, value->n);
	else if (c->letter != 'n')
		foreign(text, c, value);
}

static void directive_copy(struct text *text, const struct directive *d)
{
	text_add_bytes(text, d->start, (size_t)(d->end - d->start));
}

void field_format(struct text *text, const char *format,
		  const struct field_value *values, uint32_t n,
		  uint32_t nfields)
{
	struct format f = { values, n, nfields, 0 };
	const struct field_value *value;
	uint64_t unread = 0;
	uint32_t i;

	/* fields of which the memory could not be read */
	if (nfields && n == nfields && field_is_integer(&values[n - 1]) &&
	    format_tells_unread(format))
		unread = field_integer(&values[n - 1]);
	while (*format && !text->cut) {
		struct directive d = { .start = format };

		if (*format != '%') {
			text_add_char(text, *format++);
			continue;
		}
		directive_read(&f, &d);
		format = d.end;
		if (d.conversion.letter == '%') {
			text_add_char(text, '%');
			continue;
		}
		/* takes no field, or one that the event does not have */
		i = d.place ? d.place - 1 : f.next;
		if (!d.conversion.letter || d.conversion.letter == 'm' ||
		    i >= nfields) {
			directive_copy(text, &d);
			continue;
		}
		value = field_take(&f, d.place);
		if (unread && value == &values[n - 1])
			continue;
		if (value && unread >> (value - values) & 1 &&
		    value->type != TAFFRAIL_T_STRING)
			text_add(text, "(unreadable)");
		else if (value && d.unfit)
			directive_copy(text, &d);
		else if (value && value->whole)
			value_convert(text, &d.conversion, value);
		else if (value)
			field_show(text, value);
		/* the bytes end before the field, or in it */
		if (!value || !value->whole) {
			text_add(text, "...");
			return;
		}
	}
}
