/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds where variables, and parts of them, are at a place in code, by an ELF
 * file's DWARF: the symboliser's child. Facts: DWARF 5, 2.6 and 5.7; System V
 * ABI, AMD64, 3.2.3.
 *
 * Invariant: no value rather than a wrong one. A place that is not certain
 * gives none.
 */
#include "command/symboliser/dwarf-private.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "tracepoints/conditions/ax.h"

#define NESTED_MAX	8		/* anonymous structures */
#define NAME_BYTES	128

const char VALUE_UNKNOWN[] = "is no variable there";
const char VALUE_NO_MEMBER[] = "has no such member";

/* Finds a variable that another unit defines, by the symbol. */
static void global_find(struct value *v, Dwarf_Die *variable)
{
	struct symboliser_global global;
	const char *name = NULL;
	Dwarf_Attribute attr;

	if (!dw.hasattr(variable, DW_AT_declaration) ||
	    !dw.hasattr(variable, DW_AT_external))
		return;
	name = dw.formstring(dw.attr_integrate(variable, DW_AT_linkage_name,
					       &attr));
	name = name ? name : dw.diename(variable);
	v->why = name ? symboliser_global(&global, name) : VALUE_OUT;
	if (v->why)
		return;
	if (!code_global(v, &global)) {
		v->why = SYMBOLISER_THREAD;
		return;
	}
	v->kind = VALUE_MEMORY;
	reference_follow(v);
}

/* Tells why it is not known which file's variable one with a place is, or NULL.
 */
static const char *bound_why(Dwarf_Die *variable, Dwarf_Attribute *place,
			     const Dwarf_Op *ops, size_t n)
{
	struct symboliser_global global;
	Dwarf_Attribute attr;
	Dwarf_Addr address;
	const char *name;

	if (n != 1)
		return NULL;
	address = ops[0].number;
	if (ops[0].atom != DW_OP_addr &&
	    ((ops[0].atom != DW_OP_addrx &&
	      ops[0].atom != DW_OP_GNU_addr_index) ||
	     dw.getlocation_attr(place, ops, &attr) ||
	     dw.formaddr(&attr, &address)))
		return NULL;
	name = dw.formstring(dw.attr_integrate(variable, DW_AT_linkage_name,
					       &attr));
	return symboliser_bound(&global, address,
				name ? name : dw.diename(variable));
}

/* Tells whether a place is a constant whose range borders on that of another
 * constant. clang describes the counter of an unrolled loop so, with ranges
 * that begin too early or end too late. */
static bool is_between_rounds(Dwarf_Attribute *attr,
			      const struct value_scope *scope)
{
	Dwarf_Addr base, start, end, last = 0;
	Dwarf_Word number, before = 0;
	bool constant, ours, was_constant = false, was_ours = false;
	const char *producer = NULL;
	Dwarf_Attribute by;
	ptrdiff_t offset = 0;
	Dwarf_Op *ops;
	size_t n;

	if (scope->n)
		producer = dw.formstring(
			dw.attr_integrate(&scope->scopes[scope->n - 1],
					  DW_AT_producer, &by));
	if (!producer || !strstr(producer, "clang") || value_is_fixed(attr))
		return false;
	while ((offset = dw.getlocations(attr, offset, &base, &start, &end,
					 &ops, &n)) > 0) {
		ours = start <= scope->address && scope->address < end;
		constant = n == 2 && ops[1].atom == DW_OP_stack_value &&
			   ops[0].atom >= DW_OP_const1u &&
			   ops[0].atom <= DW_OP_consts;
		number = constant ? ops[0].number : 0;
		if (n == 2 && ops[1].atom == DW_OP_stack_value &&
		    ops[0].atom >= DW_OP_lit0 && ops[0].atom <= DW_OP_lit31) {
			constant = true;
			number = ops[0].atom - DW_OP_lit0;
		}
		if (constant && was_constant && (ours || was_ours) &&
		    start == last && number != before)
			return true;
		was_constant = constant;
		was_ours = ours;
		before = number;
		last = end;
	}
	return false;
}

bool value_is_static(Dwarf_Die *variable, uint64_t address)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (dw.attr_integrate(variable, DW_AT_const_value, &attr) ||
	    !dw.attr_integrate(variable, DW_AT_location, &attr))
		return dw.hasattr(variable, DW_AT_external);
	return value_is_fixed(&attr) &&
	       dw.getlocation_addr(&attr, address, &ops, &n, 1) == 1 && n &&
	       ((ops[0].atom >= DW_OP_const1u && ops[0].atom <= DW_OP_consts) ||
		ops[0].atom == DW_OP_addr || ops[0].atom == DW_OP_addrx ||
		ops[0].atom == DW_OP_GNU_addr_index);
}

void value_find(struct value *v, Dwarf_Die *variable,
		const struct value_scope *scope)
{
	Dwarf_Attribute attr;
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;
	Dwarf_Sword number;
	const char *why;
	Dwarf_Op *ops;
	size_t n;
	int tag;

	*v = (struct value){ .base = -1, .why = VALUE_OUT };
	value_type(v, variable);
	if (scope->elsewhere && !value_is_static(variable, scope->address))
		return;
	if (dw.attr_integrate(variable, DW_AT_const_value, &attr)) {
		if (!value_constant(&attr, &number))
			return;
		v->kind = VALUE_NUMBER;
		code_const(v, number);
		return;
	}
	if (!dw.attr_integrate(variable, DW_AT_location, &attr)) {
		global_find(v, variable);
		return;
	}
	if (scope->entry && entry_is_framed(variable, scope->address)) {
		entry_find(v, variable, scope);
		if (v->kind)
			reference_follow(v);
		return;
	}
	/* of a location that begins here, it cannot be known which of the lines
	 * that begin here, too, it is for */
	while (scope->passed && !value_is_fixed(&attr) &&
	       !entry_keeps(variable, &attr, scope) &&
	       (offset = dw.getlocations(&attr, offset, &base, &start, &end,
					 &ops, &n)) > 0) {
		if (start != scope->address)
			continue;
		v->why = "changes at the same instruction";
		return;
	}
	if (dw.getlocation_addr(&attr, scope->address, &ops, &n, 1) != 1 || !n)
		return;
	if (is_between_rounds(&attr, scope)) {
		v->why = "may be of another round of a loop";
		return;
	}
	why = bound_why(variable, &attr, ops, n);
	if (why) {
		v->why = why;
		return;
	}
	tag = v->has_type ? dw.tag(&v->type) : 0;
	if ((tag == DW_TAG_base_type || tag == DW_TAG_enumeration_type) &&
	    place_is_slip(ops, n)) {
		v->why = "is said to be an address of the stack";
		return;
	}
	if (!place_take(v, &attr, ops, n, scope) || v->cut) {
		*v = (struct value){ .base = -1, .type = v->type,
				     .has_type = v->has_type,
				     .why = place_fact(ops, n) };
		return;
	}
	reference_follow(v);
}

bool value_word(struct value *v)
{
	int base = v->base;

	if (v->kind == VALUE_MEMORY) {
		code_address(v);
		code_op(v, AX_REF64);
	}
	v->base = -1;
	return v->kind == VALUE_REGISTER ? code_register(v, (uint64_t)base) :
	       v->kind == VALUE_MEMORY || v->kind == VALUE_NUMBER;
}

bool value_is_pointer(const struct value *v)
{
	Dwarf_Die type = v->type;

	return v->points ||
	       (v->has_type && dw.tag(&type) == DW_TAG_pointer_type);
}

void value_follow(struct value *v)
{
	Dwarf_Die pointer = v->type;

	if (!value_word(v)) {
		v->kind = VALUE_NONE;
		v->why = "is no address";
		return;
	}
	v->kind = VALUE_MEMORY;
	v->follows = true;
	if (!v->points)
		value_type(v, &pointer);
	v->points = false;
}

void reference_follow(struct value *v)
{
	int tag = v->has_type ? dw.tag(&v->type) : 0;

	if (tag == DW_TAG_reference_type ||
	    tag == DW_TAG_rvalue_reference_type)
		value_follow(v);
}

/* Takes the next member, or base class, that has a place which is known, and
 * the bytes before it. The search begins at the first child of a type, which
 * *member is. Returns false if there is no more. */
static bool member_next(Dwarf_Die *member, bool first, Dwarf_Word *before)
{
	int tag;

	while (first || !dw.siblingof(member, member)) {
		first = false;
		tag = dw.tag(member);
		*before = 0;
		if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
		    (!dw.hasattr(member, DW_AT_data_member_location) ||
		     value_number(member, DW_AT_data_member_location, before)))
			return true;
	}
	return false;
}

/* Finds a member, also of anonymous members and base classes, which the type's
 * own members hide. *offset gets the bytes before it. */
static bool member_find(Dwarf_Die *type, const char *name, Dwarf_Die *member,
			Dwarf_Word *offset, int depth)
{
	Dwarf_Word before, inner;
	struct value v = { 0 };
	Dwarf_Die found;
	const char *own;

	for (int inside = 0; inside < 2 && depth < NESTED_MAX; inside++) {
		if (dw.child(type, member))
			return false;
		for (bool first = true; member_next(member, first, &before);
		     first = false) {
			value_type(&v, member);
			own = dw.tag(member) == DW_TAG_member ?
				      dw.diename(member) : NULL;
			if (!own && inside && v.has_type &&
			    member_find(&v.type, name, &found, &inner,
					depth + 1)) {
				*member = found;
				*offset = before + inner;
				return true;
			}
			/* a base class of a template */
			if (!own && v.has_type && strchr(name, '<'))
				own = dw.diename(&v.type);
			if (!own || (strchr(name, '<') ?
					     strncmp(own, name, strlen(name)) :
					     strcmp(own, name)) != 0)
				continue;
			*offset = before;
			/* static: it is elsewhere */
			return !dw.hasattr(member, DW_AT_external);
		}
	}
	return false;
}

/* Notes where the bits of a member are. Returns false if no number of the type
 * has them all. */
static bool bits_take(struct value *v, Dwarf_Die *member, Dwarf_Word *offset)
{
	Dwarf_Word bits, at = 0, before, unit = 0;

	if (!value_number(member, DW_AT_bit_size, &bits))
		return true;
	value_type(v, member);
	unit = v->has_type ? value_bytes(&v->type) : 0;
	if (!unit || unit > 8 || !bits || bits > unit * 8)
		return false;
	if (value_number(member, DW_AT_data_bit_offset, &at)) {
		*offset += at / (unit * 8) * unit;
		at %= unit * 8;
	} else if (value_number(member, DW_AT_bit_offset, &before) &&
		   before + bits <= unit * 8) {
		/* from the highest bit on */
		at = unit * 8 - before - bits;
	} else {
		return false;
	}
	v->bits = (uint32_t)bits;
	v->shift = (uint32_t)at;
	return at + bits <= unit * 8;
}

void value_refuse(struct value *v, const char *why)
{
	v->kind = VALUE_NONE;
	v->why = why;
}

/* Adds to an address. */
static void address_add(struct value *v, int64_t offset)
{
	if (v->base >= 0 || v->kind == VALUE_PIECES)
		v->offset += offset;
	else
		code_add(v, offset);
}

void value_part(struct value *v, Dwarf_Die *member, Dwarf_Word offset)
{
	Dwarf_Word bytes;
	int tag;

	if (!bits_take(v, member, &offset)) {
		value_refuse(v, "is a bit-field that no number holds");
		return;
	}
	value_type(v, member);
	tag = v->has_type ? dw.tag(&v->type) : 0;
	bytes = v->has_type ? value_bytes(&v->type) : 0;
	if (v->bits && v->kind != VALUE_MEMORY) {
		/* a piece may have no more than the bits */
		offset += v->shift / 8;
		v->shift %= 8;
		bytes = (v->shift + v->bits + 7) / 8;
	}
	if (v->kind == VALUE_MEMORY || v->kind == VALUE_PIECES)
		address_add(v, (int64_t)offset);
	if (v->kind == VALUE_PIECES ?
		    tag != DW_TAG_structure_type && tag != DW_TAG_class_type &&
			    tag != DW_TAG_union_type &&
			    !place_part(v, (uint64_t)v->offset, bytes) :
	    v->kind != VALUE_MEMORY && !place_part(v, offset, bytes)) {
		value_refuse(v, VALUE_OUT);
		return;
	}
	if (!v->bits)
		reference_follow(v);
	else if (v->kind == VALUE_REGISTER && value_word(v))
		v->kind = VALUE_NUMBER;
}

/* Takes a member of a virtual base class, also of one of another base. Returns
 * false if there is none. */
static bool virtual_take(struct value *v, Dwarf_Die *type, const char *name,
			 int depth)
{
	struct value copy;
	Dwarf_Word offset;
	Dwarf_Die base, member;

	if (depth == NESTED_MAX || dw.child(type, &base))
		return false;
	do {
		copy = *v;
		if (dw.tag(&base) != DW_TAG_inheritance)
			continue;
		if (value_number(&base, DW_AT_data_member_location, &offset))
			value_part(&copy, &base, offset);
		else if (!place_base(&copy, &base))
			continue;
		if (!copy.kind || !copy.has_type)
			continue;
		*type = copy.type;
		if (member_find(type, name, &member, &offset, 0))
			value_part(&copy, &member, offset);
		else if (!virtual_take(&copy, type, name, depth + 1))
			continue;
		*v = copy;
		return true;
	} while (!dw.siblingof(&base, &base));
	return false;
}

void value_member_take(struct value *v, const char *name, bool arrow)
{
	Dwarf_Die type = v->type, member;
	Dwarf_Word offset = 0;
	int tag = v->has_type ? dw.tag(&type) : 0;

	if (!v->kind)
		return;
	/* `.` follows a pointer, as in gdb and Rust */
	if (arrow || value_is_pointer(v)) {
		if (!value_is_pointer(v)) {
			value_refuse(v, "is no pointer");
			return;
		}
		value_follow(v);
		type = v->type;
		tag = v->has_type ? dw.tag(&type) : 0;
	}
	if (tag != DW_TAG_structure_type && tag != DW_TAG_class_type &&
	    tag != DW_TAG_union_type) {
		value_refuse(v, "is no structure");
		return;
	}
	if (!symboliser_type_define(&type)) {
		value_refuse(v, "has a type that is not declared there");
		return;
	}
	if (!member_find(&type, name, &member, &offset, 0)) {
		member = type;
		if (virtual_take(v, &member, name, 0))
			return;
		value_refuse(v, VALUE_NO_MEMBER);
		value_miss(name, &type, NULL);
		return;
	}
	value_part(v, &member, offset);
}

bool value_path(struct value *v, const char *path)
{
	struct value copy = *v;
	char name[NAME_BYTES];
	size_t n;

	for (; copy.kind && *path; path += n + (path[n] == ' ')) {
		n = strcspn(path, " ");
		snprintf(name, sizeof(name), "%.*s", (int)n, path);
		value_member_take(&copy, name, false);
	}
	if (!copy.kind)
		return false;
	*v = copy;
	return true;
}

bool value_is_class(const struct value *v)
{
	Dwarf_Die type = v->type;
	int tag = v->kind && v->has_type && !v->points ? dw.tag(&type) : 0;

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

/* The virtual base classes of a value that were taken: an object has each only
 * one time. */
static const void *virtual[NESTED_MAX];
static uint32_t nvirtual;

/* Calls `take` for the members of a type that begins so many bytes behind the
 * value's begin. */
static void members_each(const struct value *value, Dwarf_Die *type,
			 Dwarf_Word at, int depth, value_member *take,
			 void *priv)
{
	struct value copy = { 0 };
	Dwarf_Die member;
	Dwarf_Word before;
	const char *name;
	uint32_t i;

	if (depth == NESTED_MAX || !symboliser_type_define(type) ||
	    dw.child(type, &member))
		return;
	for (bool first = true; member_next(&member, first, &before);
	     first = false) {
		name = dw.tag(&member) == DW_TAG_member ?
			       dw.diename(&member) : NULL;
		if (dw.hasattr(&member, DW_AT_external) ||
		    dw.hasattr(&member, DW_AT_artificial))
			continue;
		if (name) {
			copy = *value;
			value_part(&copy, &member, at + before);
			take(&copy, name, priv);
			continue;
		}
		value_type(&copy, &member);
		if (copy.has_type)
			members_each(value, &copy.type, at + before, depth + 1,
				     take, priv);
	}
	if (value->kind != VALUE_MEMORY || dw.child(type, &member))
		return;
	do {
		copy = *value;
		address_add(&copy, (int64_t)at);
		if (dw.tag(&member) != DW_TAG_inheritance ||
		    !place_base(&copy, &member))
			continue;
		for (i = 0; i < nvirtual && virtual[i] != copy.type.addr; i++)
			;
		if (i < nvirtual || i == NESTED_MAX)
			continue;
		virtual[nvirtual++] = copy.type.addr;
		members_each(&copy, &copy.type, 0, depth + 1, take, priv);
	} while (!dw.siblingof(&member, &member));
}

void value_members(const struct value *value, value_member *take, void *priv)
{
	Dwarf_Die type = value->type;

	nvirtual = 0;
	if (value_is_class(value))
		members_each(value, &type, 0, 0, take, priv);
}

void value_element(struct value *v, int64_t number)
{
	Dwarf_Die type = v->type;
	int tag = v->has_type ? dw.tag(&type) : 0;
	uint32_t dimensions;
	Dwarf_Word bytes;

	if (!v->kind)
		return;
	if (value_is_pointer(v)) {
		value_follow(v);
	} else if (tag == DW_TAG_array_type && v->kind == VALUE_MEMORY) {
		value_count(&type, 0, &dimensions);
		if (++v->rows >= dimensions)
			value_type(v, &type);
	} else {
		value_refuse(v, "is no array in memory");
		return;
	}
	bytes = value_stride(v);
	if (!bytes || number < -(1 << 20) || number > 1 << 20)
		value_refuse(v, "has no elements of a known size");
	else
		address_add(v, number * (int64_t)bytes);
}
