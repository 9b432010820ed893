/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Facts of types by an ELF file's DWARF: the symboliser's child. See DWARF 5,
 * chapter 5.
 */
#include "command/symboliser/dwarf-private.h"

#include <dwarf.h>
#include <string.h>

#define IMPORTS_MAX	8		/* units in units */

void value_type(struct value *v, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;

	v->rows = 0;
	v->has_type = dw.attr_integrate(die, DW_AT_type, &attr) &&
		      dw.formref_die(&attr, &type) &&
		      !dw.peel_type(&type, &v->type);
}

Dwarf_Word value_encoding(Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding = 0;

	dw.formudata(dw.attr_integrate(type, DW_AT_encoding, &attr), &encoding);
	return encoding;
}

bool value_number(Dwarf_Die *die, unsigned int name, Dwarf_Word *number)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (!dw.attr(die, name, &attr))
		return false;
	if (!dw.formudata(&attr, number))
		return true;
	/* DWARF 2 has an operation for the place of a member */
	if (name != DW_AT_data_member_location ||
	    dw.getlocation_addr(&attr, 0, &ops, &n, 1) != 1 || n != 1 ||
	    ops[0].atom != DW_OP_plus_uconst)
		return false;
	*number = ops[0].number;
	return true;
}

bool value_constant(Dwarf_Attribute *attr, Dwarf_Sword *number)
{
	/* gcc writes numbers of a fixed size without a sign */
	return !(attr->form == DW_FORM_sdata ||
		 attr->form == DW_FORM_implicit_const ?
			 dw.formsdata(attr, number) :
			 dw.formudata(attr, (Dwarf_Word *)number));
}

Dwarf_Word value_count(Dwarf_Die *type, uint32_t before, uint32_t *dimensions)
{
	Dwarf_Word count, first, all = 1;
	uint32_t n = 0;
	Dwarf_Die range;

	if (dimensions)
		*dimensions = 0;
	if (dw.tag(type) != DW_TAG_array_type || dw.child(type, &range))
		return 0;
	do {
		count = 0;
		if (!value_number(&range, DW_AT_count, &count) &&
		    value_number(&range, DW_AT_upper_bound, &count))
			count++;
		if (value_number(&range, DW_AT_lower_bound, &first) && first)
			count = 0;
		if (n++ >= before)
			all *= count;
	} while (!dw.siblingof(&range, &range));
	if (dimensions)
		*dimensions = n;
	return n > before ? all : 0;
}

Dwarf_Word value_bytes(Dwarf_Die *type)
{
	struct value element = { 0 };
	Dwarf_Word bytes = 0, count;

	if (!dw.aggregate_size(type, &bytes))
		return bytes;
	/* libdw knows no first index in units of dwz, which have no language */
	count = value_count(type, 0, NULL);
	if (count)
		value_type(&element, type);
	return !element.has_type || dw.aggregate_size(&element.type, &bytes) ?
		       0 : count * bytes;
}

Dwarf_Word value_stride(const struct value *v)
{
	Dwarf_Die type = v->type;
	struct value element = { 0 };

	if (!v->has_type || !v->rows)
		return v->has_type ? value_bytes(&type) : 0;
	value_type(&element, &type);
	return element.has_type ? value_count(&type, v->rows, NULL) *
					  value_bytes(&element.type) : 0;
}

bool value_is_fixed(Dwarf_Attribute *attr)
{
	return attr->form == DW_FORM_exprloc || attr->form == DW_FORM_block1;
}

/* Tells whether the tag is that of a type that a cast may name. */
static bool is_type(int tag)
{
	switch (tag) {
	case DW_TAG_base_type:
	case DW_TAG_typedef:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_enumeration_type:
		return true;
	default:
		return false;
	}
}

/* Returns what stands behind the name of a namespace or a class, and "::"; or
 * NULL, if that is another one. */
static const char *name_behind(Dwarf_Die *space, const char *name)
{
	int tag = dw.tag(space);
	const char *own = dw.diename(space);
	size_t n = own ? strlen(own) : 0;

	if (tag != DW_TAG_namespace &&
	    (!own || (tag != DW_TAG_structure_type &&
		      tag != DW_TAG_class_type)))
		return NULL;
	/* names in one without a name have none of it */
	return !own ? name :
	       !strncmp(own, name, n) && !strncmp(name + n, "::", 2) ?
		      name + n + 2 : NULL;
}

static bool type_find(Dwarf_Die *type, Dwarf_Die *unit, const char *name,
		      int wanted, int depth)
{
	Dwarf_Attribute attr;
	Dwarf_Die child, other;
	const char *own, *behind;
	int tag;

	if (depth == IMPORTS_MAX || dw.child(unit, &child))
		return false;
	do {
		tag = dw.tag(&child);
		if (tag == DW_TAG_imported_unit &&
		    dw.attr(&child, DW_AT_import, &attr) &&
		    dw.formref_die(&attr, &other) &&
		    type_find(type, &other, name, wanted, depth + 1))
			return true;
		behind = name_behind(&child, name);
		if (behind && type_find(type, &child, behind, wanted,
					depth + 1))
			return true;
		if (wanted ? tag != wanted : !is_type(tag))
			continue;
		own = dw.diename(&child);
		if (own && !strcmp(own, name))
			return !dw.peel_type(&child, type);
	} while (!dw.siblingof(&child, &child));
	return false;
}

bool value_type_find(Dwarf_Die *type, Dwarf_Die *unit, const char *name,
		     int tag)
{
	return type_find(type, unit, name, tag, 0);
}
