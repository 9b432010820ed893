/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes the shape of a marker's events from the description.
 */
#include "tracepoints/sites/registry.h"

#include <errno.h>

#include "tracepoints/fields/fields.h"
#include "tracepoints/fields/scalar.h"

/* Returns true for a type of the fixed part of an event: a scalar. */
static bool is_fixed(uint8_t type)
{
	return !(type & ~TAFFRAIL_T_SCALAR_MASK) && scalar_bytes(type);
}

/* Sets the rule of string field i, the last one of the shape, as the format
 * says. */
static void string_rule(struct write_shape *shape,
			const struct taffrail_site *site, uint32_t i,
			const struct field_name *field)
{
	uint8_t before = i ? site->types_[i - 1] : 0;
	uint32_t nvar = shape->nvar - 1u;

	if (field->pointer) {
		shape->var[nvar].rule = WRITE_RULE_ADDRESS;
	} else if (field->precision >= 0) {
		shape->var[nvar].rule = WRITE_RULE_BOUNDED;
		shape->var[nvar].limit = field->precision;
	} else if (field->precision == FIELD_PRECISION_FIELD &&
		   (before == TAFFRAIL_T_S32 || before == TAFFRAIL_T_U32)) {
		shape->var[nvar].rule = WRITE_RULE_FIELD;
		shape->var[nvar].limit = (int32_t)shape->fixed_bytes - 4;
	}
}

int shape_add(struct write_shape *shape, uint8_t type)
{
	uint32_t nvar = shape->nvar;

	if (is_fixed(type)) {
		shape->fixed_bytes += (uint16_t)scalar_bytes(type);
		return 0;
	}
	shape->var[nvar].fixed_before = shape->fixed_bytes;
	if (type == TAFFRAIL_T_TEXT) {
		shape->var[nvar].rule = WRITE_RULE_COUNTED;
	} else if ((type >> 6 == 1 || type >> 4 == 8) && scalar_bytes(type)) {
		shape->var[nvar].element_bytes = (uint8_t)scalar_bytes(type);
		if (type & TAFFRAIL_T_ARRAY)
			shape->var[nvar].rule = WRITE_RULE_BARE;
	} else if (type != TAFFRAIL_T_STRING) {
		return -EINVAL;
	}
	shape->nvar++;
	return 0;
}

int shape_make(struct write_shape *shape, const struct taffrail_site *site,
	       const char *format)
{
	struct field_name fields[TAFFRAIL_FIELDS_MAX];
	bool mark = site->kind_ == TAFFRAIL_KIND_MARK;

	if (site->nfields_ > TAFFRAIL_FIELDS_MAX ||
	    (mark && fields_parse(format, site->kind_, site->nfields_, fields)))
		return -EINVAL;
	shape->fixed_bytes = 0;
	shape->nvar = 0;
	for (uint32_t i = 0; i < site->nfields_; i++) {
		uint8_t type = site->types_[i];

		if (shape_add(shape, type))
			return -EINVAL;
		if (mark && type == TAFFRAIL_T_STRING)
			string_rule(shape, site, i, &fields[i]);
	}
	return shape->fixed_bytes == site->fixed_bytes_ &&
	       shape->nvar == site->nvar_ ? 0 : -EINVAL;
}

void shape_types(uint8_t *types, const struct taffrail_site *site,
		 const struct write_shape *shape)
{
	uint32_t nvar = 0;

	for (uint32_t i = 0; i < TAFFRAIL_FIELDS_MAX; i++) {
		types[i] = i < site->nfields_ ? site->types_[i] : 0;
		if (i >= site->nfields_ || is_fixed(types[i]))
			continue;
		if (shape->var[nvar].rule == WRITE_RULE_ADDRESS)
			types[i] = TAFFRAIL_T_PTR;
		if (types[i] == TAFFRAIL_T_TEXT)
			types[i] = TAFFRAIL_T_STRING;
		nvar++;
	}
}
