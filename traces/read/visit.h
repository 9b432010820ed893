/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The walk over a value: a field's bytes, part by part. The visitor knows how a
 * value without parts looks, and which text stands around and between parts.
 * Values without parts are found here: their type, their characters.
 *
 * Invariant: the bytes of the value are all there; field_bytes() has checked
 * that.
 */
#ifndef TRACES_READ_VISIT_H
#define TRACES_READ_VISIT_H

#include <string.h>

#include "tracepoints/fields/scalar.h"
#include "traces/read/classes.h"

#define FIELD_KINDS	(FIELD_VARIANT + 1)
#define FIELD_PARTS	FIELD_ARRAY ... FIELD_VARIANT	/* those with parts */

/* Writes a value, and returns the byte behind it. */
typedef const uint8_t *field_put(void *to, const struct field_class *class,
				 const uint8_t *at);

/*
 * All functions get the caller's `to`. Of a value with parts, `whole`, the walk
 * calls
 *
 *	begin, (member or element, the part's field_put, part_end)..., end
 *
 * The option of a variant is the only part, and has neither member nor part_end
 * around it. All but put[] may be NULL.
 */
struct field_visitor {
	/* By the value's kind. That of FIELD_PARTS calls field_visit() with
	 * this visitor. */
	field_put *put[FIELD_KINDS];
	void (*begin)(void *to, const struct field_class *whole);
	/* Come before member or element i. They return a mark for part_end. */
	size_t (*member)(void *to, const struct field_class *class, uint64_t i);
	size_t (*element)(void *to, uint64_t i);
	void (*part_end)(void *to, size_t mark);
	void (*end)(void *to, const struct field_class *whole);
	bool lengths;			/* those of sequences are members */
};

/* Returns the type of a number, of a kind up to FIELD_ENUM; 0: no marker has
 * one of that size. */
static inline uint8_t field_scalar(const struct field_class *class)
{
	enum scalar_sort sort = class->kind == FIELD_REAL ? SCALAR_REAL :
				class->is_signed ? SCALAR_SIGNED :
						   SCALAR_UNSIGNED;

	return scalar_of_sort(sort, class->bytes);
}

/* Finds the characters of a FIELD_STRING or FIELD_TEXT, and sets *n to their
 * number. Returns the byte behind the value. */
static inline const uint8_t *field_characters(const struct field_class *class,
					      const uint8_t *at, size_t *n)
{
	const char *text = (const char *)at;

	if (class->kind == FIELD_TEXT) {
		size_t bytes = field_text_bytes(class, at);

		*n = strnlen(text, bytes);
		return at + bytes;
	}
	*n = strlen(text);
	return at + *n + 1;
}

/* Walks over the members of a structure. Lengths of sequences are stepped over,
 * unless the visitor wants them. */
static inline const uint8_t *
field_visit_members(const struct field_visitor *visitor, void *to,
		    const struct field_class *whole, const uint8_t *at)
{
	const struct field_class *member = whole->members;
	const struct field_class *end = member + whole->nmembers;
	size_t mark = 0;

	for (uint64_t i = 0; member < end; member++) {
		if (member->is_length && !visitor->lengths) {
			at += member->bytes;
			continue;
		}
		if (visitor->member)
			mark = visitor->member(to, member, i++);
		at = visitor->put[member->kind](to, member, at);
		if (visitor->part_end)
			visitor->part_end(to, mark);
	}
	return at;
}

/* Walks over n elements of one class. */
static inline const uint8_t *
field_visit_elements(const struct field_visitor *visitor, void *to,
		     const struct field_class *element, uint64_t n,
		     const uint8_t *at)
{
	field_put *put = visitor->put[element->kind];
	size_t mark = 0;

	for (uint64_t i = 0; i < n; i++) {
		if (visitor->element)
			mark = visitor->element(to, i);
		at = put(to, element, at);
		if (visitor->part_end)
			visitor->part_end(to, mark);
	}
	return at;
}

/*
 * Walks over a value with parts, at `at`. Returns the byte behind it.
 *
 * Inline, for a visitor that is constant: the compiler makes one function of
 * the walk and the visitor's calls around parts.
 */
static inline __attribute__((always_inline)) const uint8_t *
field_visit(const struct field_visitor *visitor, void *to,
	    const struct field_class *whole, const uint8_t *at)
{
	const struct field_class *inner = whole->members;

	if (visitor->begin)
		visitor->begin(to, whole);
	switch (whole->kind) {
	case FIELD_ARRAY:
		at = field_visit_elements(visitor, to, inner, whole->count, at);
		break;
	case FIELD_LIST:
		at += sizeof(uint32_t);
		/* fall through */
	case FIELD_SEQUENCE:
		at = field_visit_elements(visitor, to, inner, field_length(at),
					  at);
		break;
	case FIELD_VARIANT:
		inner = field_option(whole, &at);
		at = visitor->put[inner->kind](to, inner, at);
		break;
	default:
		at = field_visit_members(visitor, to, whole, at);
	}
	if (visitor->end)
		visitor->end(to, whole);
	return at;
}

#endif
