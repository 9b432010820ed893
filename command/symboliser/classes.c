/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of classes of the libraries of C++ and Rust, by the names of their
 * members: the symboliser's child.
 */
#include "command/symboliser/dwarf-private.h"

#include <dwarf.h>
#include <string.h>

#include "base/base.h"
#include "tracepoints/conditions/ax.h"

void value_smart(struct value *v)
{
	if (value_is_class(v) && !value_path(v, "_M_ptr"))
		value_path(v, "_M_current");
}

/* Makes the number of elements of a std::vector, as libstdc++ has it. */
static void vector_count(struct value *v)
{
	struct value start = *v, end = *v;
	Dwarf_Word bytes;

	if (!value_is_class(v) || !value_path(&start, "_M_impl _M_start") ||
	    !value_path(&end, "_M_impl _M_finish"))
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

/* Makes the elements of a slice, a Vec or a String, as Rust 1.63 to 1.95 has
 * them. */
static void rust_take(struct value *v)
{
	static const char *const places[] = {
		"data_ptr", "buf inner ptr pointer pointer",
		"buf ptr pointer pointer",
	};
	const char *name = dw.diename(&v->type);
	struct value copy = *v, count = *v;
	Dwarf_Die of, child;
	size_t i = 0;

	copy.text = name && (!strcmp(name, "&str") || !strcmp(name, "&mut str") ||
			     !strcmp(name, "String"));
	if (value_path(&copy, "vec"))
		count = copy;
	of = copy.type;
	if (!value_path(&count, "length") && !value_path(&count, "len"))
		return;
	while (i < ARRAY_SIZE(places) && !value_path(&copy, places[i]))
		i++;
	if (i == ARRAY_SIZE(places) || !copy.has_type ||
	    dw.tag(&copy.type) != DW_TAG_pointer_type)
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
	if (value_is_class(v))
		rust_take(v);
	if (v->nlength)
		return;
	/* libstdc++ ends a string with a NUL */
	if (value_is_class(v) && !value_path(v, "_M_dataplus _M_p"))
		vector_count(v);
}

void class_element(struct value *v, int64_t number)
{
	if (value_is_class(v))
		value_path(v, "_M_impl _M_start");
	value_element(v, number);
}
