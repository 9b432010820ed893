/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where parameters are at a function's first instruction: the symboliser's
 * child. Facts: System V ABI, AMD64, 3.2.3, "Parameter Passing"; DWARF 5,
 * 5.7.1.1, "Structure, Union and Class Type Entries" (calling convention).
 *
 * Invariant: no place rather than a wrong one. Behind a parameter of which the
 * registers are not certain, nothing is known.
 */
#include "command/symboliser/dwarf-private.h"

#include <dwarf.h>
#include <string.h>

#include "base/base.h"
#include "base/demangle.h"

#define NESTED_MAX	8
#define NAME_BYTES	4096
#define GENERALS	6		/* registers of arguments */
#define VECTORS		8

/* How the calling convention passes a value. */
struct passing {
	bool known;
	bool in_memory;			/* on the stack */
	bool indirect;			/* the caller's copy, by the address */
	bool aligned;			/* to 16 bytes, on the stack; or perhaps
					 * so, of a structure */
	uint32_t generals, vectors;	/* registers that it takes, else */
	bool general[2];		/* which of them */
};

bool entry_is_framed(Dwarf_Die *variable, uint64_t address)
{
	/* that of the frame, or of one that is aligned: rsp, rbp, rbx, r10 */
	static const uint8_t frames[] = {
		DW_OP_fbreg, DW_OP_breg7, DW_OP_breg6, DW_OP_breg3, DW_OP_breg10
	};
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	return dw.attr_integrate(variable, DW_AT_location, &attr) &&
	       value_is_fixed(&attr) &&
	       dw.getlocation_addr(&attr, address, &ops, &n, 1) == 1 && n &&
	       memchr(frames, ops[0].atom, sizeof(frames));
}

/* Returns how many parameters stand in a text "(int, char)", or -1. */
static int parameters_count(const char *p)
{
	int depth = 0, n = 1;

	if (*p != '(' || p[1] == ')')
		return *p == '(' ? 0 : -1;
	for (; *p; p++) {
		depth += (*p == '(' || *p == '<' || *p == '[') -
			 (*p == ')' || *p == '>' || *p == ']');
		n += *p == ',' && depth == 1;
		n -= !strncmp(p, "...)", 4) && depth == 1;
		if (!depth)
			return n;
	}
	return -1;
}

/* Tells whether all parameters are described: clang leaves out those of C++
 * that have no name or, as copies that a caller makes, no use. */
static bool is_described(Dwarf_Die *unit, Dwarf_Die *function)
{
	static struct demangle names;
	char text[NAME_BYTES] = "";
	const char *linker, *producer;
	Dwarf_Attribute attr;
	Dwarf_Die child;
	size_t length;
	int n = 0;

	producer = dw.formstring(dw.attr(unit, DW_AT_producer, &attr));
	if (producer && !strncmp(producer, "GNU ", 4))
		return true;
	linker = dw.formstring(dw.attr_integrate(function, DW_AT_linkage_name,
						 &attr));
	length = linker ? demangle(&names, linker, strlen(linker), text,
				   sizeof(text)) : 0;
	if (!length || dw.child(function, &child))
		return false;
	do
		n += dw.tag(&child) == DW_TAG_formal_parameter &&
		     !dw.hasattr(&child, DW_AT_artificial);
	while (!dw.siblingof(&child, &child));
	return n == parameters_count(text + length);
}

/* Returns whether the calling convention is that of C, and all parameters are
 * described. */
static bool is_complete(const struct value_scope *scope, Dwarf_Die *function)
{
	Dwarf_Die *unit = &scope->scopes[scope->n - 1];
	static const uint8_t c[] = {
		DW_LANG_C89, DW_LANG_C, DW_LANG_C99, DW_LANG_C11,
		0x2c, 0x3e,		/* C17, C23: not in elfutils 0.188 */
	}, cxx[] = {
		DW_LANG_C_plus_plus, DW_LANG_C_plus_plus_03,
		DW_LANG_C_plus_plus_11, DW_LANG_C_plus_plus_14,
		0x2b, 0x2e, 0x3a,	/* C++17, C++20, C++23 */
	};
	Dwarf_Word language = 0;

	value_number(unit, DW_AT_language, &language);
	if (language > UINT8_MAX)
		return false;
	return memchr(c, (int)language, sizeof(c)) ||
	       (memchr(cxx, (int)language, sizeof(cxx)) &&
		is_described(unit, function));
}

/* Tells whether a class may have functions of its own that copy or end it. */
static bool has_copier(Dwarf_Die *type, Dwarf_Die *member)
{
	const char *own = dw.diename(type), *name = dw.diename(member);

	return dw.tag(member) == DW_TAG_subprogram &&
	       (!own || !name || *name == '~' ||
		!strncmp(name, own, strcspn(own, "<")));
}

/* Notes in which parts of eight bytes of a structure there are other members
 * than float and double, and as the third whether one is aligned. Returns false
 * for one that has none that are known, or that is not copied byte by byte. */
static bool members_look(Dwarf_Die *type, Dwarf_Word at, bool general[3],
			 int depth)
{
	Dwarf_Word before, bytes, bits, first = 0;
	Dwarf_Word count = value_count(type, 0, NULL);
	struct value v = { 0 };
	Dwarf_Die member;

	switch (depth == NESTED_MAX ? 0 : dw.tag(type)) {
	case DW_TAG_base_type:
		/* one that is not aligned has the structure in memory */
		bytes = value_bytes(type);
		if (!bytes || bytes > 8 || at % bytes)
			return false;
		general[at / 8 & 1] |= value_encoding(type) != DW_ATE_float;
		return value_encoding(type) != DW_ATE_complex_float;
	case DW_TAG_pointer_type:
	case DW_TAG_enumeration_type:
		general[at / 8 & 1] = true;
		bytes = dw.tag(type) == DW_TAG_pointer_type ? 8 :
							value_bytes(type);
		return bytes && at % bytes == 0;
	case DW_TAG_array_type:
		value_type(&v, type);
		bytes = v.has_type ? value_bytes(&v.type) : 0;
		for (Dwarf_Word i = 0; bytes && i < count && i < 16; i++)
			if (!members_look(&v.type, at + i * bytes, general,
					  depth + 1))
				return false;
		return v.has_type && count;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		break;
	default:
		return false;
	}
	if (dw.child(type, &member))
		return false;
	do {
		if (dw.tag(&member) == DW_TAG_inheritance ||
		    has_copier(type, &member))
			return false;
		if (dw.tag(&member) != DW_TAG_member ||
		    dw.hasattr(&member, DW_AT_external))
			continue;
		general[2] |= dw.hasattr(&member, DW_AT_alignment);
		before = 0;
		value_number(&member, DW_AT_data_member_location, &before);
		if (value_number(&member, DW_AT_bit_size, &bits)) {
			value_number(&member, DW_AT_data_bit_offset, &first);
			first = 8 * (at + before) + first;
			general[first / 64 & 1] = true;
			general[(first + bits - 1) / 64 & 1] = true;
			first = 0;
			continue;
		}
		value_type(&v, &member);
		if (!v.has_type || !members_look(&v.type, at + before, general,
						 depth + 1))
			return false;
	} while (!dw.siblingof(&member, &member));
	return true;
}

/* Tells how a structure is passed, or returned. */
static struct passing structure_pass(Dwarf_Die *type)
{
	Dwarf_Word bytes = value_bytes(type), convention = 0;
	bool general[3] = { false };
	struct passing p = { .known = false };

	if (value_number(type, DW_AT_calling_convention, &convention) &&
	    convention == DW_CC_pass_by_reference)
		return (struct passing){ .known = true, .indirect = true,
					 .generals = 1, .general = { true } };
	p.known = members_look(type, 0, general, 0) && bytes;
	p.aligned = bytes % 16 == 0 &&
		    (!p.known || general[2] ||
		     dw.hasattr(type, DW_AT_alignment));
	if (bytes > 16) {
		p.known |= convention == DW_CC_pass_by_value;
		p.in_memory = true;
		return p;
	}
	for (Dwarf_Word i = 0; i < (bytes + 7) / 8; i++) {
		p.generals += general[i];
		p.vectors += !general[i];
	}
	memcpy(p.general, general, sizeof(p.general));
	return p;
}

/* Tells how a value of a type is passed. */
static struct passing value_pass(const struct value *v)
{
	Dwarf_Die type = v->type;
	Dwarf_Word bytes;

	switch (v->has_type ? dw.tag(&type) : 0) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_enumeration_type:
		return (struct passing){ .known = true, .generals = 1,
					 .general = { true } };
	case DW_TAG_base_type:
		bytes = value_bytes(&type);
		if (value_encoding(&type) != DW_ATE_float)
			return (struct passing){
				.known = bytes <= 16 &&
					 value_encoding(&type) !=
						 DW_ATE_complex_float,
				.aligned = bytes > 8, .general = { true, true },
				.generals = bytes > 8 ? 2 : 1 };
		return (struct passing){ .known = bytes <= 8 || bytes == 16,
					 .in_memory = bytes == 16,
					 .aligned = bytes == 16,
					 .vectors = 1 };
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return structure_pass(&type);
	default:
		return (struct passing){ .known = false };
	}
}

/* Sets the place of an argument that takes one register, or two. */
static void registers_take(struct value *v, int first, int second,
			   const struct value_scope *scope)
{
	/* of each pair: they live as long as the file is open */
	static Dwarf_Op pairs[VALUE_XMM + VECTORS][VALUE_XMM + VECTORS][4];
	Dwarf_Op *ops = pairs[first][second < 0 ? 0 : second];

	v->kind = VALUE_REGISTER;
	v->base = first;
	if (second < 0)
		return;
	for (int i = 0; i < 4; i++)
		ops[i] = (Dwarf_Op){
			.atom = i % 2 ? DW_OP_piece : DW_OP_regx,
			.number = i % 2 ? 8 : (Dwarf_Word)(i ? second : first),
		};
	v->kind = VALUE_PIECES;
	v->base = -1;
	v->ops = ops;
	v->nops = 4;
	v->scope = scope;
}

/* Finds a parameter by the calling convention. `framed`: only where each one of
 * the function will be in memory at the frame. */
static void argument_find(struct value *v, Dwarf_Die *variable,
			  const struct value_scope *scope, bool framed)
{
	static const int registers[GENERALS] = { 5, 4, 1, 2, 8, 9 };
	uint32_t generals = 0, vectors = 0, stack = 0, n;
	Dwarf_Die *function = NULL, child;
	struct value other = { 0 };
	struct passing p;
	int places[2];

	for (int i = 0; i < scope->n && !function; i++)
		if (dw.tag(&scope->scopes[i]) == DW_TAG_subprogram)
			function = &scope->scopes[i];
	v->why = "has no place yet where the function begins";
	if (dw.tag(variable) != DW_TAG_formal_parameter || !function ||
	    !is_complete(scope, function) || dw.child(function, &child))
		return;
	value_type(&other, function);
	/* the caller's memory for a result takes a register */
	if (other.has_type) {
		p = value_pass(&other);
		if (!p.known)
			return;
		generals = p.indirect ||
			   (p.in_memory &&
			    dw.tag(&other.type) != DW_TAG_base_type);
	}
	do {
		if (dw.tag(&child) != DW_TAG_formal_parameter)
			continue;
		value_type(&other, &child);
		p = value_pass(&other);
		/* optimised functions leave out arguments */
		if (!p.known ||
		    (framed && !entry_is_framed(&child, scope->address)))
			return;
		/* one that does not fit is on the stack as a whole */
		if (p.in_memory || generals + p.generals > GENERALS ||
		    vectors + p.vectors > VECTORS) {
			/* whether it is aligned, and how, may be unknown */
			if (p.aligned && stack &&
			    dw.tag(&other.type) != DW_TAG_base_type)
				return;
			stack += p.aligned ? stack & 8 : 0;
			if (child.addr == variable->addr) {
				if (p.indirect || !place_frame(v, stack, scope))
					v->kind = VALUE_NONE;
				return;
			}
			stack += p.indirect ? 8 :
				 ((uint32_t)value_bytes(&other.type) + 7) & ~7u;
			continue;
		}
		if (child.addr == variable->addr) {
			for (n = 0; n < p.generals + p.vectors; n++)
				places[n] = p.general[n] ?
						    registers[generals++] :
						    VALUE_XMM + (int)vectors++;
			registers_take(v, places[0], n > 1 ? places[1] : -1,
				       scope);
			if (p.indirect)
				v->kind = VALUE_MEMORY;
			return;
		}
		generals += p.generals;
		vectors += p.vectors;
	} while (!dw.siblingof(&child, &child));
}

void entry_argument(struct value *v, Dwarf_Die *variable,
		    const struct value_scope *scope)
{
	*v = (struct value){ .base = -1, .type = v->type,
			     .has_type = v->has_type };
	argument_find(v, variable, scope, false);
}

/* Sets the place of a variable that is always above the return address, where
 * the caller has put it. */
static bool slot_take(struct value *v, Dwarf_Die *variable,
		      const struct value_scope *scope)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	int64_t offset = -1;
	size_t n;

	if (dw.attr_integrate(variable, DW_AT_location, &attr) &&
	    dw.getlocation_addr(&attr, scope->address, &ops, &n, 1) == 1 &&
	    n == 1 && ops[0].atom == DW_OP_fbreg)
		offset = (int64_t)ops[0].number;
	for (int i = 0; i < scope->n && offset >= 0; i++)
		if (dw.tag(&scope->scopes[i]) == DW_TAG_subprogram)
			return dw.attr(&scope->scopes[i], DW_AT_frame_base,
				       &attr) &&
			       dw.getlocation_addr(&attr, scope->address, &ops,
						   &n, 1) == 1 && n == 1 &&
			       ops[0].atom == DW_OP_call_frame_cfa &&
			       place_frame(v, offset, scope);
	return false;
}

void entry_find(struct value *v, Dwarf_Die *variable,
		const struct value_scope *scope)
{
	if (!slot_take(v, variable, scope))
		argument_find(v, variable, scope, true);
}

bool entry_keeps(Dwarf_Die *variable, Dwarf_Attribute *attr,
		 const struct value_scope *scope)
{
	struct value argument = { .base = -1 };
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;
	Dwarf_Op *ops;
	int ranges = 0;
	size_t n;

	if (!scope->entry)
		return false;
	argument_find(&argument, variable, scope, false);
	while (argument.kind == VALUE_REGISTER &&
	       (offset = dw.getlocations(attr, offset, &base, &start, &end,
					 &ops, &n)) > 0) {
		if (start != scope->address)
			continue;
		if (ranges++ || n != 1 ||
		    ops[0].atom != DW_OP_reg0 + argument.base)
			return false;
	}
	return ranges == 1;
}
