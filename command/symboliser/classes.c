/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of classes of the libraries of C++ and Rust, by the names of their
 * members: the symboliser's child. Of two names, the first one is libstdc++'s,
 * the second one libc++'s.
 */
#include "command/symboliser/dwarf-private.h"

#include <dwarf.h>
#include <string.h>

#include "tracepoints/conditions/ax.h"

typedef const char *const paths[];

static paths pointers = { "_M_ptr", "_M_current",
			  "_M_t _M_t _Head_base<0 _M_head_impl",
			  "__ptr_ __value_", "__ptr_", "__i_", "__i", NULL };
static paths payloads = { "_M_payload _M_payload _M_value", "__val_", NULL };
static paths flags = { "_M_payload _M_engaged", "__engaged_", NULL };
static paths begins = { "_M_impl _M_start", "__begin_", NULL };
static paths ends = { "_M_impl _M_finish", "__end_", NULL };
static paths arrays = { "_M_elems", "__elems_", NULL };
/* strings, and numbers of elements */
static paths wholes = { "_M_dataplus _M_p", "_M_t _M_impl _M_node_count",
			"_M_h _M_element_count", "_M_impl _M_node _M_size",
			"__tree_ __pair3_ __value_", "__table_ __p2_ __value_",
			"__size_alloc_ __value_", NULL };
static paths slices = { "data_ptr", "buf inner ptr pointer pointer",
			"buf ptr pointer pointer", "_M_str", "_M_ptr",
			"__data_", "__data", NULL };
static paths lengths = { "length", "len", "_M_len", "_M_extent _M_extent_value",
			 "__size_", "__size", NULL };

/* Takes the first path that is there. Returns false, and leaves the value as it
 * is, if there is none. */
static bool paths_take(struct value *v, paths all)
{
	while (*all && !value_path(v, *all))
		all++;
	return *all;
}

/* Has an address lead nowhere unless a test is 1, a number of 0 or 1. */
static void class_guard(struct value *v, const struct value *test)
{
	code_address(v);
	code_append(v, test);
	code_const(v, 1);
	code_op(v, AX_SUB);
	code_op(v, AX_BIT_OR);
	v->follows = v->guarded = true;
}

bool value_smart(struct value *v)
{
	struct value flag = *v, payload = *v;

	if (!value_is_class(v))
		return false;
	if (paths_take(&payload, payloads) && paths_take(&flag, flags) &&
	    payload.kind == VALUE_MEMORY) {
		code_address(&flag);
		code_op(&flag, AX_REF8);
		class_guard(&payload, &flag);
		*v = payload;
		return true;
	}
	paths_take(v, pointers);
	return false;
}

/* Makes the characters of a std::string of libc++: behind the first byte of a
 * short one, whose lowest bit is 0; else elsewhere. Returns false if the class
 * is another one, or has another layout. */
static bool string_take(struct value *v)
{
	struct value begin = *v, data = *v, at = *v;

	at.kind = VALUE_MEMORY;
	at.base = 0;
	at.offset = 0;
	at.n = 0;
	if (v->kind != VALUE_MEMORY ||
	    !value_path(&at, "__r_ __value_ __s __data_") || at.offset != 1 ||
	    !value_path(&data, "__r_ __value_ __l __data_"))
		return false;
	/* begin + (data - begin) * is_long */
	value_path(&begin, "__r_ __value_ __s __data_");
	*v = data;
	value_type(v, &v->type);
	code_address(&begin);
	code_address(&data);
	v->kind = VALUE_NUMBER;
	v->points = true;
	v->base = -1;
	v->offset = v->n = 0;
	code_append(v, &begin);
	code_append(v, &data);
	code_op(v, AX_REF64);
	code_append(v, &begin);
	code_op(v, AX_SUB);
	code_append(v, &begin);
	code_add(v, -1);
	code_op(v, AX_REF8);
	code_const(v, 1);
	code_op(v, AX_BIT_AND);
	code_op(v, AX_MUL);
	code_append(v, &begin);
	code_op(v, AX_ADD);
	v->follows = true;
	return true;
}

/* Makes the number of elements of a std::vector. */
static void vector_count(struct value *v)
{
	struct value start = *v, end = *v;
	Dwarf_Word bytes;

	if (!paths_take(&start, begins) || !paths_take(&end, ends))
		return;
	if (!value_word(&end) || !value_word(&start))
		return;
	code_append(&end, &start);
	code_op(&end, AX_SUB);
	value_type(&start, &start.type);
	bytes = start.has_type ? value_bytes(&start.type) : 0;
	if (!bytes || end.cut)
		return;
	code_const(&end, (int64_t)bytes);
	code_op(&end, AX_DIV_SIGNED);
	end.kind = VALUE_NUMBER;
	end.has_type = false;
	end.number = TAFFRAIL_T_U64;
	end.follows = true;
	*v = end;
}

/* Makes the number of elements of a span whose type has it. */
static bool extent_take(struct value *v)
{
	const char *name = dw.diename(&v->type);
	Dwarf_Attribute attr;
	Dwarf_Sword number;
	Dwarf_Die child;

	if (!name || strncmp(name, "span<", 5) || dw.child(&v->type, &child))
		return false;
	do {
		if (dw.tag(&child) != DW_TAG_template_value_parameter ||
		    !dw.attr(&child, DW_AT_const_value, &attr) ||
		    !value_constant(&attr, &number) || number < 0)
			continue;
		*v = (struct value){ .kind = VALUE_NUMBER, .base = -1,
				     .number = TAFFRAIL_T_U64 };
		code_const(v, number);
		return true;
	} while (!dw.siblingof(&child, &child));
	return false;
}

/* Makes the elements of a view or a span, or of a slice, a Vec or a String of
 * Rust 1.63 to 1.95. */
static void slice_take(struct value *v)
{
	const char *name = dw.diename(&v->type);
	struct value copy = *v, count = *v;
	Dwarf_Die of, child;

	copy.text = name && (!strcmp(name, "&str") || !strcmp(name, "&mut str") ||
			     !strcmp(name, "String"));
	if (value_path(&copy, "vec"))
		count = copy;
	of = copy.type;
	if ((!paths_take(&count, lengths) && !extent_take(&count)) ||
	    !paths_take(&copy, slices) ||
	    !copy.has_type || dw.tag(&copy.type) != DW_TAG_pointer_type)
		return;
	value_follow(&copy);
	/* a Vec has a pointer to bytes */
	if (!dw.child(&of, &child))
		do
			if (dw.tag(&child) == DW_TAG_template_type_parameter) {
				value_type(&copy, &child);
				break;
			}
		while (!dw.siblingof(&child, &child));
	if (!value_word(&count))
		return;
	code_op(&count, AX_END);
	if (count.cut || copy.cut)
		return;
	*v = copy;
	v->nlength = count.n;
	memcpy(v->length, count.code, count.n);
}

uint32_t class_variants(struct class_variant all[VARIANTS_MAX], uint32_t *other,
			Dwarf_Die *told, Dwarf_Die *type)
{
	uint32_t n = 0, others = 0;
	Dwarf_Die part, variant;
	Dwarf_Attribute attr;

	if (dw.child(type, &part))
		return 0;
	while (dw.tag(&part) != DW_TAG_variant_part)
		if (dw.siblingof(&part, &part))
			return 0;
	if (!dw.attr(&part, DW_AT_discr, &attr) ||
	    !dw.formref_die(&attr, told) || dw.child(&part, &variant))
		return 0;
	do {
		if (dw.tag(&variant) != DW_TAG_variant)
			continue;
		if (n == VARIANTS_MAX ||
		    dw.hasattr(&variant, DW_AT_discr_list) ||
		    dw.child(&variant, &all[n].member))
			return 0;
		all[n].name = dw.diename(&all[n].member);
		if (!value_number(&variant, DW_AT_discr_value,
				  &all[n].number)) {
			*other = n;
			others++;
		}
		if (!all[n++].name)
			return 0;
	} while (!dw.siblingof(&variant, &variant));
	for (uint32_t i = 0; i < n; i++)
		all[i].shown = others ? i : all[i].number;
	*other = others ? *other : n;
	return others > 1 ? 0 : n;
}

/* Makes the number of the variant that there is. */
static void variant_take(struct value *v, const struct class_variant *all,
			 uint32_t n, uint32_t other, Dwarf_Die *told)
{
	Dwarf_Word at = 0, bytes;

	value_number(told, DW_AT_data_member_location, &at);
	value_part(v, told, at);
	bytes = v->kind && v->has_type ? value_bytes(&v->type) : 0;
	if (!bytes || bytes > 8 ||
	    (v->kind == VALUE_REGISTER &&
	     !code_register(v, (uint64_t)v->base))) {
		value_refuse(v, VALUE_OUT);
		return;
	}
	if (v->kind == VALUE_MEMORY) {
		code_address(v);
		code_load(v, bytes);
	}
	code_op(v, AX_ZERO_EXT);
	code_put(v, bytes * 8, 1);
	v->kind = VALUE_NUMBER;
	v->number = TAFFRAIL_T_U64;
	v->has_type = false;
	v->base = -1;
	if (other == n)
		return;
	code_const(v, other);
	/* adds the difference of the one that there is; 0 for `other` */
	for (uint32_t i = 0; i < n; i++) {
		if (i == other)
			continue;
		code_op(v, AX_PICK);
		code_put(v, 1, 1);
		code_const(v, (int64_t)all[i].number);
		code_op(v, AX_EQUAL);
		code_const(v, (int64_t)i - other);
		code_op(v, AX_MUL);
		code_op(v, AX_ADD);
	}
	code_op(v, AX_SWAP);
	code_op(v, AX_POP);
}

bool class_variant(struct value *v, const char *name)
{
	struct class_variant all[VARIANTS_MAX];
	struct value test = *v;
	Dwarf_Word at = 0;
	uint32_t n, other, i = 0;
	Dwarf_Die told;

	if (v->kind && value_is_pointer(v))
		value_follow(&test);
	n = value_is_class(&test) ? class_variants(all, &other, &told,
						    &test.type) : 0;
	while (i < n && strcmp(all[i].name, name) != 0)
		i++;
	if (i == n)
		return false;
	*v = test;
	variant_take(&test, all, n, other, &told);
	code_const(&test, (int64_t)all[i].shown);
	code_op(&test, AX_EQUAL);
	value_number(&all[i].member, DW_AT_data_member_location, &at);
	value_part(v, &all[i].member, at);
	if (v->kind == VALUE_MEMORY && test.kind)
		class_guard(v, &test);
	else
		value_refuse(v, "is not in memory");
	return true;
}

void value_class_take(struct value *v)
{
	struct class_variant all[VARIANTS_MAX];
	uint32_t n, other;
	Dwarf_Die told;

	if (!value_is_class(v))
		return;
	n = class_variants(all, &other, &told, &v->type);
	if (n) {
		variant_take(v, all, n, other, &told);
		return;
	}
	if (string_take(v))
		return;
	slice_take(v);
	if (v->nlength || paths_take(v, wholes) || paths_take(v, arrays))
		return;
	vector_count(v);
	if (value_smart(v))
		value_class_take(v);
}

void class_element(struct value *v, int64_t number)
{
	if (value_is_class(v) && !paths_take(v, begins) &&
	    !paths_take(v, arrays)) {
		slice_take(v);
		if (!v->nlength) {
			value_smart(v);
		} else {
			v->nlength = 0;
			code_address(v);
			code_add(v, number * (int64_t)value_bytes(&v->type));
			return;
		}
	}
	value_element(v, number);
}
