/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Types of the functions that a rule fn:GLOB names, by an ELF file's DWARF: the
 * symboliser's child. Facts: System V ABI, AMD64, 3.2.3.
 *
 * The answer is text, a line each:
 *
 *	call	ADDRESS TEXT		USDT_LINE_CALL (tracepoints/usdt/usdt.h)
 *	operand	TYPE OPERAND		of the last one, an argument
 *	names	FIELD BYTES		how one is shown, or the result
 *	lacks	SYMBOL RESULT ARGUMENTS	what of it has no field, "NAME WHY; "
 *	many				functions: nothing is told of any
 *
 * Invariant: no argument rather than a wrong one. One that is not where the
 * calling convention may pass one is left out.
 */
#include "command/symboliser/dwarf-private.h"

#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/usdt/plan/functions.h"
#include "tracepoints/usdt/plan/prototypes.h"
#include "tracepoints/usdt/usdt.h"

#define CALLS_MAX	256		/* of a rule */
#define NAME_BYTES	256
#define FIELDS_BYTES	156		/* of the names, in agents */
#define TEXT_BYTES	1100		/* of a line */

/* Addresses of the functions that a rule names. */
struct calls {
	const char *glob, *module;
	uint64_t addresses[CALLS_MAX];
	const char *names[CALLS_MAX];
	bool exported[CALLS_MAX];
	uint32_t n;
};

/* Notes a function that is wanted. Returns 1 when there are too many. */
static int function_seen(const struct usdt_symbol_found *found, void *priv)
{
	struct calls *c = priv;
	char name[2 * NAME_BYTES];
	bool wanted;

	wanted = rule_names_function(c->glob, c->module, found->name);
	if (!wanted && found->source &&
	    snprintf(name, sizeof(name), "%s:%s", found->source, found->name) <
		    (int)sizeof(name))
		wanted = rule_names_function(c->glob, c->module, name);
	for (uint32_t i = 0; wanted && i < c->n; i++)
		wanted = c->addresses[i] != found->address;
	if (!wanted || c->n == CALLS_MAX)
		return wanted;
	c->names[c->n] = found->name;
	/* copies that gcc makes have a '.' in their names */
	c->exported[c->n] = !found->source && !strchr(found->name, '.');
	c->addresses[c->n++] = found->address;
	return 0;
}

/* rdi, rsi, rdx, rcx, r8, r9 by DWARF's numbers; and by gdb's. */
static const char by_dwarf[VALUE_GENERAL] = {
	[5] = '0', [4] = '1', [1] = '2', [2] = '3', [8] = '4', [9] = '5',
}, by_gdb[VALUE_GENERAL] = {
	[5] = '0', [4] = '1', [3] = '2', [2] = '3', [8] = '4', [9] = '5',
};

/* The arguments of a function, as they are found. */
struct arguments {
	char letters[USDT_CALL_ARGUMENTS_MAX + 1];
	char places[USDT_CALL_ARGUMENTS_MAX + 1];
	struct text names, more, lacks, result;
	char names_bytes[FIELDS_BYTES];
	char more_bytes[2 * TEXT_BYTES];	/* lines about them */
	char lacks_bytes[TEXT_BYTES];	/* "NAME WHY; " */
	char result_bytes[120];		/* the same of the result */
	Dwarf_Die *function;
	const char *parameter;		/* the one that is looked at */
	uint32_t left;			/* those behind it, which need room */
	uint32_t n;
	uint32_t seen;
	bool exported;			/* other files may call the function, so
					 * all arguments are passed */
	bool may_drop;			/* results that no caller uses */
	bool clang;
};

__attribute__((format(printf, 2, 3)))
static void text_print(struct text *text, const char *format, ...)
{
	char line[TEXT_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	/* whole lines alone */
	if (text->used + strlen(line) < text->size)
		text_add(text, line);
}

/* Tells whether a register passes arguments. */
static bool is_passing(int base)
{
	return base >= VALUE_XMM ? base < VALUE_XMM + 8 :
				   base >= 0 && base < VALUE_GENERAL &&
				   by_dwarf[base];
}

/* Tells whether a value is a constant. */
static bool is_constant(const struct value *v)
{
	uint32_t bytes = v->n && v->code[0] >= AX_CONST8 &&
			 v->code[0] <= AX_CONST64 ?
				 1u << (v->code[0] - AX_CONST8) : 0;

	return v->kind == VALUE_NUMBER && bytes &&
	       (v->n == 1 + bytes || (v->n == 3 + bytes &&
				      v->code[1 + bytes] == AX_EXT));
}

/* Tells whether a value is where the calling convention passes arguments, as a
 * whole. */
static bool is_passed(const struct value *v)
{
	const Dwarf_Op *op = v->ops;

	if (v->kind == VALUE_REGISTER)
		return is_passing(v->base);
	/* above the return address; or the caller's copy, by the address */
	if (v->kind == VALUE_MEMORY)
		return (v->base == 7 && v->offset >= 8) ||
		       (is_passing(v->base) && !v->offset &&
			value_is_class(v));
	for (size_t i = 0; v->kind == VALUE_PIECES && i < v->nops; i++, op++)
		if (op->atom != DW_OP_piece &&
		    !(op->atom == DW_OP_regx && is_passing((int)op->number)) &&
		    !(op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31 &&
		      is_passing(op->atom - DW_OP_reg0)))
			return false;
	return v->kind == VALUE_PIECES;
}

/* Returns the sign of the place that a value is in (struct usdt_line), and sets
 * the letter of the type; else 0. */
static char argument_take(const struct value *v, char *letter)
{
	struct value_field field;
	int64_t slot = v->offset - 8;
	bool real;

	/* a reference, as its address */
	if (v->kind == VALUE_MEMORY && v->base < 0 && v->n == 3 &&
	    v->code[0] == AX_REG && v->code[2] < VALUE_GENERAL) {
		*letter = 'p';
		return by_gdb[v->code[2]];
	}
	if (v->bits || !is_passed(v))
		return 0;
	value_field(&field, v);
	*letter = field.type ? usdt_prototype_letter(field.type) : 0;
	if (!*letter)
		return 0;
	if (v->kind == VALUE_MEMORY && v->base != 7)
		return 0;
	if (v->kind == VALUE_MEMORY)
		return slot % 8 || slot / 8 > 'z' - 'a' ?
			       0 : (char)('a' + slot / 8);
	real = *letter == 'f' || *letter == 'F';
	if (v->kind != VALUE_REGISTER || real != (v->base >= VALUE_XMM))
		return 0;
	return real ? (char)('0' + v->base - VALUE_XMM) : by_dwarf[v->base];
}

/* Adds the names of an enumeration. */
static void names_add(struct arguments *a, const struct value *v,
		      uint32_t field)
{
	char hex[VALUE_NAMES_BYTES];

	if (value_names(hex, v, field - 1))
		text_print(&a->more, "names\t%u\t%s\n", field, hex);
}

/* Tells whether a class that is like a number or a pointer is returned in one
 * register: others are in memory, of which that has the address. */
static bool is_returned(Dwarf_Die *type)
{
	Dwarf_Word convention = 0;

	return value_bytes(type) <= 8 &&
	       value_number(type, DW_AT_calling_convention, &convention) &&
	       convention == DW_CC_pass_by_value;
}

/* Returns the letter of a function's result. Copies that gcc makes may have
 * none. */
static char result_letter(struct arguments *a, Dwarf_Die *function,
			  const char *symbol)
{
	struct value v = { .kind = VALUE_REGISTER };
	Dwarf_Word convention = 0;
	struct value_field field;
	char letter;

	value_number(function, DW_AT_calling_convention, &convention);
	value_type(&v, function);
	if (!v.has_type)
		return '-';
	if (convention == DW_CC_nocall || strstr(symbol, ".isra.")) {
		text_print(&a->result, "value may not be returned; ");
		return '-';
	}
	value_field(&field, &v);
	letter = field.type ? usdt_prototype_letter(field.type) : 0;
	if (value_is_class(&v) && (!letter || !is_returned(&v.type))) {
		text_print(&a->result, "value is a structure; ");
		return '-';
	}
	if (!letter)
		text_print(&a->result, "value %.60s; ", field.why);
	else
		names_add(a, &v, USDT_LINE_RESULT);
	if (letter && a->may_drop)
		text_print(&a->result, "value may be left over: clang's static "
				       "functions may return nothing; ");
	/* a string is shown as its address */
	return letter == 's' ? 'p' : letter ? letter : '-';
}

/* Adds a field. Returns false if there is no room for it. */
static bool field_add(struct arguments *a, const struct value *v,
		      const char *name, char letter, char place)
{
	if (a->n == USDT_CALL_ARGUMENTS_MAX ||
	    a->names.used + strlen(name) + sizeof(", cfa") > FIELDS_BYTES)
		return false;
	a->letters[a->n] = letter;
	a->places[a->n++] = place;
	text_add(&a->names, name);
	text_add(&a->names, ", ");
	names_add(a, v, a->n);
	return true;
}

static void argument_lack(struct arguments *a, const char *name,
			  const char *why)
{
	if (!name)
		text_print(&a->lacks, "%.60s %.80s; ", a->parameter, why);
	else
		text_print(&a->lacks, "%.60s.%.60s %.80s; ", a->parameter, name,
			   why);
}

/* Tells whether a field has a name, or a parameter other than this one. */
static bool is_taken(const struct arguments *a, const char *name)
{
	size_t n = strlen(name);
	const char *p = a->names.start, *own;
	Dwarf_Die child;

	if (!dw.child(a->function, &child))
		do {
			own = dw.tag(&child) == DW_TAG_formal_parameter ?
				      dw.diename(&child) : NULL;
			if (own && !strcmp(own, name) &&
			    strcmp(own, a->parameter) != 0)
				return true;
		} while (!dw.siblingof(&child, &child));
	while (*p && (strncmp(p, name, n) != 0 || p[n] != ','))
		p += strcspn(p, " ") + 1;
	return *p;
}

/* Adds a member of a structure that is passed, or, without a name, the whole
 * argument. */
static void member_add(const struct value *member, const char *name, void *priv)
{
	char whole[NAME_BYTES];
	Dwarf_Die type = member->type;
	struct arguments *a = priv;
	struct value_field field;
	const char *why = NULL;

	value_field(&field, member);
	snprintf(whole, sizeof(whole), "%.60s", name ? name : a->parameter);
	for (int k = 2; name && is_taken(a, whole); k++)
		snprintf(whole, sizeof(whole), "%.60s_%d", name, k);
	/* a program's rsp is that of the site, which may be behind a push */
	if (!field.type)
		why = member->has_type &&
				      dw.tag(&type) == DW_TAG_array_type ?
			      "is an array" : field.why;
	else if (field.type > TAFFRAIL_T_STRING ||
		 (*field.operand == 'x' && member->base == 7))
		why = "is an array or a bit-field on the stack";
	else if (a->n + a->left >= USDT_CALL_ARGUMENTS_MAX ||
		 !field_add(a, member, whole, '-', '*'))
		why = "has no room";
	if (why)
		argument_lack(a, name, why);
	else
		text_print(&a->more, "operand\t%u\t%s\n", field.type,
			   field.operand);
}

/* Tells whether pieces name each register that an argument takes. */
static bool is_used(const struct value *v, const struct value *pieces)
{
	bool used = true;
	size_t n = v->kind == VALUE_PIECES ? v->nops : 1, at;

	for (size_t i = 0; i < n && used; i += 2) {
		uint64_t base = v->kind == VALUE_PIECES ? v->ops[i].number :
							  (uint64_t)v->base;

		for (at = 0; at < pieces->nops; at++)
			if (pieces->ops[at].atom == DW_OP_reg0 + base ||
			    pieces->ops[at].atom == DW_OP_breg0 + base)
				break;
		used = at < pieces->nops || v->kind == VALUE_MEMORY;
	}
	return used;
}

static void argument_add(struct arguments *a, Dwarf_Die *parameter,
			 const struct value_scope *scope)
{
	const char *name = dw.diename(parameter);
	struct value_field field;
	Dwarf_Attribute attr;
	struct value v, known;
	char unnamed[16], letter, place;
	uint32_t lacks = (uint32_t)a->lacks.used, n = a->n;

	sprintf(unnamed, "arg%u", ++a->seen);
	a->parameter = name ? name : unnamed;
	value_find(&v, parameter, scope);
	place = argument_take(&v, &letter);
	/* by clang, callers in the same file do not set a register that the
	 * function does not use */
	if (!place && a->exported && !is_passed(&v) &&
	    !(a->clang &&
	      !dw.attr_integrate(parameter, DW_AT_location, &attr))) {
		known = v;
		value_type(&v, parameter);
		entry_argument(&v, parameter, scope);
		if (a->clang && known.kind == VALUE_PIECES &&
		    !is_used(&v, &known))
			v = known;
		if (v.kind)
			reference_follow(&v);
		place = argument_take(&v, &letter);
	}
	if (place && field_add(a, &v, a->parameter, letter, place))
		return;
	value_field(&field, &v);
	if (!place && (is_constant(&v) || (field.type && is_passed(&v))))
		member_add(&v, NULL, a);
	else if (!place && value_is_class(&v) && is_passed(&v))
		value_members(&v, member_add, a);
	if (a->n > n || a->lacks.used > lacks || !name)
		return;
	argument_lack(a, NULL, place ? "has no room" :
			       !v.kind ? v.why :
			       !field.type && field.why &&
					       !value_is_class(&v) ?
				field.why :
				"is where no argument is passed");
}

/* Tells whether a function is one without optimisation: the first parameter is
 * in memory of the frame, or a register is that of the frame. */
static bool is_framed(Dwarf_Die *function, uint64_t address)
{
	Dwarf_Attribute attr;
	Dwarf_Die child;
	Dwarf_Op *ops;
	size_t n;

	if (!dw.child(function, &child))
		do
			if (dw.tag(&child) == DW_TAG_formal_parameter)
				return entry_is_framed(&child, address);
		while (!dw.siblingof(&child, &child));
	return dw.attr(function, DW_AT_frame_base, &attr) &&
	       dw.getlocation_addr(&attr, address, &ops, &n, 1) == 1 && n &&
	       ops[0].atom == DW_OP_reg6;
}

/* Puts the types of the function that begins at an address. */
static void call_put(const struct symboliser_dwarf *d, uint64_t address,
		     const char *symbol, bool exported, symboliser_put *put)
{
	/* registers without types are better than none */
	static const char plain[] = "lll 012 arg1, arg2, arg3, ";

	struct value_scope scope = { .cfi = d->cfi, .address = address,
				     .entry = true };
	struct arguments a = { .n = 0 };
	Dwarf_Die unit, child;
	Dwarf_Die *function;
	const char *producer, *name;
	Dwarf_Attribute attr;
	bool more;
	Dwarf_Addr entry;
	char line[TEXT_BYTES];
	int n, i = 0;

	if ((!dw.addrdie(d->dwarf, address, &unit) &&
	     !symboliser_unit_find(d->dwarf, address, &unit)) ||
	    !symboliser_unit_whole(&unit))
		return;
	scope.n = symboliser_scopes(&unit, address, &scope.scopes);
	while (i < scope.n && dw.tag(&scope.scopes[i]) != DW_TAG_subprogram)
		i++;
	if (i < scope.n && symboliser_entry(&scope.scopes[i], &entry) &&
	    entry == address) {
		function = &scope.scopes[i];
		a.exported = exported &&
			     dw.attr_integrate(function, DW_AT_external, &attr);
		producer = dw.formstring(dw.attr_integrate(
			&scope.scopes[scope.n - 1], DW_AT_producer, &attr));
		a.clang = producer && strstr(producer, "clang");
		a.may_drop = !exported && a.clang &&
			     !is_framed(function, address);
		text_open(&a.names, a.names_bytes, sizeof(a.names_bytes));
		text_open(&a.more, a.more_bytes, sizeof(a.more_bytes));
		text_open(&a.lacks, a.lacks_bytes, sizeof(a.lacks_bytes) / 2);
		text_open(&a.result, a.result_bytes, sizeof(a.result_bytes));
		a.function = function;
		if (!dw.child(function, &child))
			do
				a.left += dw.tag(&child) ==
					  DW_TAG_formal_parameter;
			while (!dw.siblingof(&child, &child));
		for (more = a.left && !dw.child(function, &child); more;
		     more = !dw.siblingof(&child, &child)) {
			if (dw.tag(&child) != DW_TAG_formal_parameter)
				continue;
			a.left--;
			argument_add(&a, &child, &scope);
		}
		n = snprintf(line, sizeof(line),
			     "call\t%llx\t%c%s%s%s%s%scfa\n",
			     (unsigned long long)address,
			     result_letter(&a, function, symbol),
			     a.letters, a.n || !a.seen ? " " : plain, a.places,
			     a.n || !a.seen ? " " : "", a.names_bytes);
		put(line, (size_t)n);
		put(a.more.start, a.more.used);
		name = dw.diename(function);
		n = snprintf(line, sizeof(line), "lacks\t%.100s\t%s\t%s\n",
			     name ? name : symbol, a.result.start,
			     a.lacks.start);
		if (a.lacks.used + a.result.used)
			put(line, (size_t)n);
	}
	free(scope.scopes);
}

void symboliser_read_calls(const char *words, size_t bytes,
			   const struct symboliser_images *images,
			   symboliser_put *put)
{
	size_t n = strlen(words) + 1;
	const struct symboliser_image *own = &images->of[FILE_OWN];
	const struct symboliser_image *more = &images->of[FILE_DEBUG];
	const struct usdt_file file = { .bytes = own->bytes,
					 .size = own->size };
	const struct usdt_file debug = { .bytes = more->bytes,
					  .size = more->size };
	struct calls c = { .glob = words, .module = n < bytes ? words + n : "" };
	struct symboliser_dwarf d;

	if (usdt_functions_read(&file, more->bytes ? &debug : NULL,
				function_seen, &c) > 0) {
		put("many\n", 5);
		return;
	}
	if (!c.n || !symboliser_dwarf_open(&d, images))
		return;
	for (uint32_t i = 0; i < c.n; i++)
		call_put(&d, c.addresses[i], c.names[i], c.exported[i], put);
	symboliser_missing_put(put);
	symboliser_scopes_forget();
	symboliser_dwarf_close(&d);
}
