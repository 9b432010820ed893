/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes fields of values: types, and operands as of struct usdt_line: the
 * symboliser's child. Facts: DWARF 5, 5.1, "Base Type Entries", and 7.8.
 */
#include "command/symboliser/dwarf-private.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/text.h"
#include "tracepoints/conditions/ax.h"
#include "tracepoints/fields/scalar.h"
#include "tracepoints/fields/shown.h"

/* By DWARF's numbers. */
static const char *const register_names[VALUE_GENERAL] = {
	"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
};

uint8_t value_number_type(Dwarf_Die *type, const char **why)
{
	Dwarf_Word bytes = value_bytes(type);
	Dwarf_Word encoding = value_encoding(type);
	Dwarf_Attribute attr;
	Dwarf_Die under;

	*why = "has a type that no field has";
	if (dw.tag(type) == DW_TAG_enumeration_type && !encoding) {
		encoding = DW_ATE_unsigned;
		if (dw.attr_integrate(type, DW_AT_type, &attr) &&
		    dw.formref_die(&attr, &under) &&
		    !dw.peel_type(&under, &under))
			encoding = value_encoding(&under);
	}
	switch (encoding) {
	case DW_ATE_boolean:
		return scalar_of_sort(bytes == 1 ? SCALAR_TRUTH :
						   SCALAR_UNSIGNED, bytes);
	case DW_ATE_float:
		return scalar_of_sort(SCALAR_REAL, bytes);
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		return scalar_of_sort(SCALAR_SIGNED, bytes);
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		return scalar_of_sort(SCALAR_UNSIGNED, bytes);
	default:
		return 0;
	}
}

static bool is_character(struct value *v)
{
	Dwarf_Word encoding;

	if (!v->has_type || dw.tag(&v->type) != DW_TAG_base_type ||
	    value_bytes(&v->type) != 1)
		return false;
	encoding = value_encoding(&v->type);
	return encoding == DW_ATE_signed_char ||
	       encoding == DW_ATE_unsigned_char || encoding == DW_ATE_UTF;
}

/* Tells whether a pointer or an array is of characters. */
static bool is_text(Dwarf_Die *type)
{
	struct value v = { 0 };

	value_type(&v, type);
	return is_character(&v);
}

/* Returns the type of a scalar's field; 0: it is none. */
static uint8_t scalar_type(const struct value *v, const char **why)
{
	Dwarf_Die type = v->type;

	switch (v->points ? DW_TAG_pointer_type :
		v->has_type ? dw.tag(&type) : 0) {
	case DW_TAG_pointer_type:
	case DW_TAG_ptr_to_member_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return TAFFRAIL_T_PTR;
	case DW_TAG_base_type:
	case DW_TAG_enumeration_type:
		return value_number_type(&type, why);
	default:
		return 0;
	}
}

/* Returns the type of an array's field with elements of this type, or 0. */
static uint8_t array_type(const struct value *element, const char **why)
{
	uint8_t type = scalar_type(element, why);

	return type ? type | TAFFRAIL_T_SEQUENCE : 0;
}

/* Writes the operand for a program. */
static void program_write(struct value_field *field, struct value *v,
			  uint32_t most)
{
	char *to = field->operand + sprintf(field->operand, "x%04x", most);

	code_op(v, AX_END);
	for (uint32_t i = 0; i < v->n; i++)
		to += sprintf(to, "%02x", v->code[i]);
	if (v->nlength)
		to += sprintf(to, ":");
	for (uint32_t i = 0; i < v->nlength; i++)
		to += sprintf(to, "%02x", v->length[i]);
	if (v->cut) {
		field->type = 0;
		field->why = "takes a longer program than there is room for";
	}
}

/* Makes a number of an address. Returns false if no number is so large. */
static bool number_load(struct value *v, Dwarf_Word bytes, bool is_signed)
{
	if (v->kind == VALUE_MEMORY) {
		code_address(v);
		if (!code_load(v, bytes))
			return false;
	}
	if (v->shift) {
		code_const(v, v->shift);
		code_op(v, AX_RSH_UNSIGNED);
	}
	if (v->bits) {
		code_op(v, is_signed ? AX_EXT : AX_ZERO_EXT);
		code_put(v, v->bits, 1);
	}
	return true;
}

/* Sets the type of a field, and in *most the elements of an array. Returns
 * false if there is no such field. */
static bool field_type(struct value_field *field, struct value *v,
		       Dwarf_Word *most)
{
	int tag = v->has_type && !v->points ? dw.tag(&v->type) : 0;
	struct value element = { 0 };
	uint32_t dimensions;

	*most = 0;
	field->why = "has no type";
	field->type = scalar_type(v, &field->why);
	if (field->type == TAFFRAIL_T_PTR && v->number != TAFFRAIL_T_PTR &&
	    (v->points ? is_character(v) : is_text(&v->type)))
		field->type = TAFFRAIL_T_STRING;
	if (field->type || tag == DW_TAG_base_type ||
	    tag == DW_TAG_enumeration_type)
		return field->type;
	if (!tag) {
		field->type = v->number ? v->number : TAFFRAIL_T_PTR;
		return v->kind == VALUE_NUMBER;
	}
	if (tag != DW_TAG_array_type) {
		field->why = tag == DW_TAG_unspecified_type ?
				     "is nothing but a null pointer" :
			     dw.hasattr(&v->type, DW_AT_declaration) &&
					     !symboliser_type_define(&v->type) ?
				     "has a type that is not declared there" :
				     "is a structure: name a member";
		return false;
	}
	field->why = "is an array: name an element";
	value_type(&element, &v->type);
	*most = value_count(&v->type, v->rows, &dimensions);
	field->type = array_type(&element, &field->why);
	if (is_character(&element)) {
		field->type = dimensions > v->rows + 1 ? 0 : TAFFRAIL_T_STRING;
		field->why = "is an array: name an element";
	}
	*most = *most < UINT16_MAX ? *most : UINT16_MAX;
	return field->type && *most && v->kind == VALUE_MEMORY;
}

/* Sets the type of a value's field, and the bytes of a number, which it makes
 * one place; of an array the elements. Returns false if there is no such field.
 */
static bool field_begin(struct value_field *field, struct value *v,
			Dwarf_Word *bytes, Dwarf_Word *most)
{
	bool found;

	field->why = v->why;
	if (!v->kind)
		return false;
	found = field_type(field, v, most);
	*bytes = !v->has_type || field->type == TAFFRAIL_T_STRING ||
		 field->type == TAFFRAIL_T_PTR ? 8 : value_bytes(&v->type);
	if (found && v->kind == VALUE_PIECES &&
	    !place_part(v, (uint64_t)v->offset, *bytes)) {
		field->why = VALUE_OUT;
		found = false;
	}
	if (found && field->type == TAFFRAIL_T_BOOL && !v->bits &&
	    v->kind != VALUE_MEMORY &&
	    (v->kind != VALUE_REGISTER ||
	     code_register(v, (uint64_t)v->base))) {
		v->kind = VALUE_NUMBER;
		v->base = -1;
		v->bits = 1;
	}
	field->type = found ? field->type : 0;
	return found;
}

void value_field(struct value_field *field, const struct value *value)
{
	struct value v = *value;
	Dwarf_Word bytes, most;

	*field = (struct value_field){ .type = 0 };
	value_class_take(&v);
	if (v.nlength) {
		value_array(field, &v, 0);
		field->guarded = v.guarded;
		return;
	}
	field->guarded = v.guarded;
	if (!field_begin(field, &v, &bytes, &most))
		return;
	if (most) {
		code_address(&v);
		program_write(field, &v, (uint32_t)most);
	} else if (v.kind == VALUE_REGISTER && v.base >= VALUE_XMM) {
		sprintf(field->operand, "%uf@%%xmm%d", (unsigned int)bytes,
			v.base - VALUE_XMM);
	} else if (v.kind == VALUE_REGISTER) {
		sprintf(field->operand, "8@%%%s", register_names[v.base]);
	} else if (v.kind == VALUE_MEMORY && v.base >= 0 && !v.bits) {
		sprintf(field->operand, "%u@%lld(%%%s)", (unsigned int)bytes,
			(long long)v.offset, register_names[v.base]);
	} else if (!number_load(&v, bytes, scalar_sort(field->type) ==
						   SCALAR_SIGNED)) {
		field->type = 0;
		field->why = "has a type that no field has";
	} else {
		program_write(field, &v, 0);
	}
}

void code_extend(struct value *v, uint8_t type)
{
	if (scalar_bytes(type) % 8 == 0)
		return;
	code_op(v, scalar_sort(type) == SCALAR_SIGNED ? AX_EXT : AX_ZERO_EXT);
	code_put(v, scalar_bytes(type) * 8, 1);
}

bool value_load(struct value *v)
{
	struct value_field field = { .type = 0 };
	Dwarf_Word bytes, most;
	bool is_signed, ok;

	value_class_take(v);
	ok = !v->nlength && field_begin(&field, v, &bytes, &most) && !most;
	if (!ok) {
		value_refuse(v, field.type || v->nlength ? "is an array" :
							   field.why);
		return false;
	}
	is_signed = scalar_sort(field.type) == SCALAR_SIGNED;
	ok = (v->kind != VALUE_REGISTER ||
	      code_register(v, (uint64_t)v->base)) &&
	     number_load(v, bytes, is_signed);
	v->number = field.type == TAFFRAIL_T_STRING ? TAFFRAIL_T_PTR :
						      field.type;
	if (!v->bits && (is_signed || v->kind != VALUE_MEMORY))
		code_extend(v, v->number);
	/* C's int has all numbers of such a bit-field */
	if (v->bits && v->bits < 32u + is_signed &&
	    field.type != TAFFRAIL_T_BOOL)
		v->number = TAFFRAIL_T_S32;
	v->kind = VALUE_NUMBER;
	v->base = -1;
	v->bits = v->shift = 0;
	if (!ok)
		value_refuse(v, "has a type that no field has");
	return ok;
}

void value_array(struct value_field *field, const struct value *first,
		 uint16_t count)
{
	struct value v = *first;

	*field = (struct value_field){ .why = v.why };
	if (!v.kind)
		return;
	field->why = "is not in memory";
	if (v.kind != VALUE_MEMORY || v.bits)
		return;
	field->why = "is an array: name an element";
	field->type = array_type(&v, &field->why);
	if ((is_character(&v) && !v.points) || v.text)
		field->type = TAFFRAIL_T_STRING;
	code_address(&v);
	if (field->type)
		program_write(field, &v, count);
}

/* Names of an enumeration's values, and the numbers. */
struct naming {
	int64_t numbers[TAFFRAIL_FIELDS_MAX * 2];
	char names[VALUE_NAMES_BYTES / 6];
	struct text list;
	uint16_t n;
};

/* Adds a name. Returns false if there is no room. */
static bool naming_add(struct naming *naming, const char *name, int64_t number)
{
	if (naming->n == ARRAY_SIZE(naming->numbers) ||
	    naming->list.used + strlen(name) + 3 > sizeof(naming->names))
		return false;
	text_add(&naming->list, naming->n ? ", " : "");
	text_add(&naming->list, name);
	naming->numbers[naming->n++] = number;
	return true;
}

bool value_names(char hex[VALUE_NAMES_BYTES], const struct value *value,
		 uint32_t field)
{
	char bytes[VALUE_NAMES_BYTES / 2];
	struct class_variant all[VARIANTS_MAX];
	Dwarf_Die type = value->type, child;
	struct naming naming = { .n = 0 };
	Dwarf_Attribute attr;
	struct text text;
	int64_t number;
	uint32_t n, i;
	size_t begin;

	if (!value->has_type || value->points)
		return false;
	text_open(&naming.list, naming.names, sizeof(naming.names));
	n = class_variants(all, &i, &child, &type);
	for (i = 0; i < n && naming_add(&naming, all[i].name,
					(int64_t)all[i].shown); i++)
		;
	if (!n && (dw.tag(&type) != DW_TAG_enumeration_type ||
		   dw.child(&type, &child)))
		return false;
	do {
		const char *name = dw.diename(&child);

		if (n || dw.tag(&child) != DW_TAG_enumerator || !name ||
		    !dw.attr(&child, DW_AT_const_value, &attr) ||
		    !value_constant(&attr, &number))
			continue;
		if (!naming_add(&naming, name, number))
			break;
	} while (!n && !dw.siblingof(&child, &child));
	text_open(&text, bytes, sizeof(bytes));
	begin = shown_begin(&text, field, TAFFRAIL_HOW_ENUM, naming.n);
	text_add_bytes(&text, (const char *)naming.numbers,
		       naming.n * sizeof(*naming.numbers));
	text_add_bytes(&text, naming.names, naming.list.used);
	shown_end(&text, begin);
	if (!naming.n || text.cut)
		return false;
	for (i = 0; i < text.used; i++)
		sprintf(hex + 2 * i, "%02x", (unsigned char)bytes[i]);
	return true;
}
