/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Types of the functions that a rule fn:GLOB names, by an ELF file's DWARF: the
 * symboliser's child. Facts: System V ABI, AMD64, 3.2.3.
 *
 * The answer is text, a line each:
 *
 *	call	ADDRESS TEXT		USDT_LINE_CALL (tracepoints/usdt/usdt.h)
 *	many				functions: nothing is told of any
 *
 * Invariant: no argument rather than a wrong one. One that is not where the
 * calling convention may pass one is left out.
 */
#include "command/symboliser/dwarf-private.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/usdt/plan/functions.h"
#include "tracepoints/usdt/plan/prototypes.h"

#define CALLS_MAX	256		/* of a rule */
#define NAME_BYTES	256
#define FIELDS_BYTES	76		/* of the names, in agents */

/* Addresses of the functions that a rule names. */
struct calls {
	const char *glob, *module;
	uint64_t addresses[CALLS_MAX];
	const char *names[CALLS_MAX];
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
	if (wanted && c->n < CALLS_MAX)
		c->names[c->n] = found->name;
	if (wanted && c->n < CALLS_MAX)
		c->addresses[c->n++] = found->address;
	else if (wanted)
		return 1;
	return 0;
}

/* Returns the digit of the register that a value is in, in the order of the
 * calling convention, and sets the letter of the type; else 0. */
static char argument_take(const struct value *v, char *letter)
{
	/* rdi, rsi, rdx, rcx, r8, r9 by DWARF's numbers */
	static const char general[VALUE_GENERAL] = {
		[5] = '0', [4] = '1', [1] = '2', [2] = '3', [8] = '4',
		[9] = '5',
	}, by_gdb[VALUE_GENERAL] = {
		[5] = '0', [4] = '1', [3] = '2', [2] = '3', [8] = '4',
		[9] = '5',
	};
	struct value_field field;
	bool real;

	/* a reference, as its address */
	if (v->kind == VALUE_MEMORY && v->base < 0 && v->n == 3 &&
	    v->code[0] == AX_REG && v->code[2] < VALUE_GENERAL) {
		*letter = 'p';
		return by_gdb[v->code[2]];
	}
	if (v->kind != VALUE_REGISTER || v->bits)
		return 0;
	value_field(&field, v);
	*letter = field.type ? usdt_prototype_letter(field.type) : 0;
	if (!*letter)
		return 0;
	real = *letter == 'f' || *letter == 'F';
	if (v->base >= VALUE_XMM)
		return real && v->base < VALUE_XMM + 8 ?
			       (char)('0' + v->base - VALUE_XMM) : 0;
	return real ? 0 : general[v->base];
}

/* Returns the letter of a function's result. Copies that gcc makes may have
 * none. */
static char result_letter(Dwarf_Die *function, const char *symbol)
{
	struct value v = { .kind = VALUE_REGISTER };
	Dwarf_Word convention = 0;
	struct value_field field;
	char letter;

	value_number(function, DW_AT_calling_convention, &convention);
	value_type(&v, function);
	if (!v.has_type || convention == DW_CC_nocall ||
	    strstr(symbol, ".isra."))
		return '-';
	value_field(&field, &v);
	letter = field.type ? usdt_prototype_letter(field.type) : 0;
	/* a string is shown as its address */
	return letter == 's' ? 'p' : letter ? letter : '-';
}

/* The arguments of a function, as they are found. */
struct arguments {
	char letters[RULE_ARGUMENTS_MAX + 1];
	char registers[RULE_ARGUMENTS_MAX + 1];
	struct text names;
	char bytes[FIELDS_BYTES];
	uint32_t n;
	uint32_t seen;
};

static void argument_add(struct arguments *a, Dwarf_Die *parameter,
			 const struct value_scope *scope)
{
	const char *name = dw.diename(parameter);
	char unnamed[16];
	struct value v;
	char letter, digit;

	sprintf(unnamed, "arg%u", ++a->seen);
	name = name ? name : unnamed;
	value_find(&v, parameter, scope);
	digit = argument_take(&v, &letter);
	if (!digit || a->n == RULE_ARGUMENTS_MAX ||
	    a->names.used + strlen(name) + sizeof(", cfa") > FIELDS_BYTES)
		return;
	a->letters[a->n] = letter;
	a->registers[a->n++] = digit;
	text_add(&a->names, name);
	text_add(&a->names, ", ");
}

/* Puts the types of the function that begins at an address. */
static void call_put(const struct symboliser_dwarf *d, uint64_t address,
		     const char *symbol, symboliser_put *put)
{
	/* registers without types are better than none */
	static const char plain[] = "lll 012 arg1, arg2, arg3, ";

	struct value_scope scope = { .cfi = d->cfi, .address = address,
				     .entry = true };
	struct arguments a = { .n = 0 };
	Dwarf_Die unit, child;
	Dwarf_Addr entry;
	char line[256];
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
		text_open(&a.names, a.bytes, sizeof(a.bytes));
		if (!dw.child(&scope.scopes[i], &child))
			do
				if (dw.tag(&child) == DW_TAG_formal_parameter)
					argument_add(&a, &child, &scope);
			while (!dw.siblingof(&child, &child));
		n = snprintf(line, sizeof(line),
			     "call\t%llx\t%c%s%s%s%s%scfa\n",
			     (unsigned long long)address,
			     result_letter(&scope.scopes[i], symbol), a.letters,
			     a.n || !a.seen ? " " : plain, a.registers,
			     a.n || !a.seen ? " " : "", a.bytes);
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
		call_put(&d, c.addresses[i], c.names[i], put);
	symboliser_missing_put(put);
	symboliser_scopes_forget();
	symboliser_dwarf_close(&d);
}
