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
	v->follows = true;
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
	if (!paths_take(&count, lengths) || !paths_take(&copy, slices) ||
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

void value_class_take(struct value *v)
{
	if (!value_is_class(v))
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
