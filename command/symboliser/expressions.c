/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the expressions of rules for lines, and gives their values: the
 * symboliser's child.
 */
#include "command/symboliser/dwarf-private.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define NAME_BYTES	128

/* The search for a variable by name. */
struct naming {
	const char *name;
	const struct value_scope *scope;
	Dwarf_Die found;
	bool is_found, is_later;
	bool is_declared;		/* the definition may follow */
};

static void variable_look(Dwarf_Die *variable, bool parameter, void *priv)
{
	struct naming *naming = priv;
	const char *name = dw.diename(variable);
	bool declared = dw.hasattr(variable, DW_AT_declaration);

	if ((naming->is_found && (declared || !naming->is_declared)) || !name ||
	    strcmp(name, naming->name))
		return;
	if (value_is_later(variable, naming->scope)) {
		naming->is_later = true;
		return;
	}
	naming->found = *variable;
	naming->is_found = true;
	naming->is_declared = declared;
}

/* Takes a member of `this` by the name. Returns false if there is none. */
static bool own_member(struct value *v, const char *name,
		       const struct value_scope *scope)
{
	struct naming naming = { .name = "this", .scope = scope };
	struct value own;

	value_each(scope, variable_look, &naming);
	if (!naming.is_found)
		return false;
	value_find(&own, &naming.found, scope);
	value_member_take(&own, name, true);
	if (!own.kind && own.why == VALUE_NO_MEMBER)
		return false;
	*v = own;
	return true;
}

/* Copies a name and returns the text behind it; NULL: there is no name. */
static const char *name_take(char name[NAME_BYTES], const char *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)*p) || *p == '_') {
		if (n + 1 == NAME_BYTES)
			return NULL;
		name[n++] = *p++;
	}
	name[n] = '\0';
	return n && !isdigit((unsigned char)*name) ? p : NULL;
}

static const char *blanks_skip(const char *p)
{
	return p + strspn(p, " \t");
}

/* Takes the members and elements behind a variable's name. Returns the rest;
 * NULL: the text makes no sense. */
static const char *parts_take(struct value *v, const char *p)
{
	char name[NAME_BYTES], *end;
	long number;
	bool arrow;

	for (;;) {
		p = blanks_skip(p);
		arrow = p[0] == '-' && p[1] == '>';
		if (*p == '[') {
			number = strtol(p + 1, &end, 0);
			end = (char *)blanks_skip(end);
			if (end == p + 1 || *end != ']')
				return NULL;
			class_element(v, number);
			p = end + 1;
		} else if (arrow || *p == '.') {
			p = name_take(name, blanks_skip(p + 1 + arrow));
			if (!p)
				return NULL;
			if (arrow)
				value_smart(v);
			value_member_take(v, name, arrow);
		} else {
			return p;
		}
	}
}

/* Takes a variable by name, or a member of `this`. */
static void variable_take(struct value *v, const char *name,
			  const struct value_scope *scope)
{
	struct naming naming = { .name = name, .scope = scope };

	value_each(scope, variable_look, &naming);
	if ((!naming.is_found || dw.hasattr(&naming.found, DW_AT_external)) &&
	    own_member(v, name, scope))
		return;
	if (naming.is_found || (!naming.is_later &&
				symboliser_variable(&naming.found, name))) {
		value_find(v, &naming.found, scope);
		return;
	}
	v->why = naming.is_later ? VALUE_LATER : VALUE_UNKNOWN;
	value_miss(name, NULL, scope);
}

/* A type that a cast names: of "struct client *", the name is "client". */
struct cast {
	char name[NAME_BYTES];		/* words with a blank between them */
	int tag;			/* of struct, class or union; else 0 */
	bool pointer;			/* there is a star */
};

/* Takes "(TYPE *)" or "(TYPE)" before an operand. Returns the rest; NULL: it
 * is no cast. */
static const char *cast_take(struct cast *cast, const char *p)
{
	static const struct {
		const char *word;
		int tag;		/* 0: it is left out */
	} rows[] = {
		{ "const", 0 }, { "volatile", 0 },
		{ "struct", DW_TAG_structure_type },
		{ "class", DW_TAG_class_type },
		{ "union", DW_TAG_union_type },
	};
	char word[NAME_BYTES];
	size_t i, used = 0;

	*cast = (struct cast){ .tag = 0 };
	for (p = blanks_skip(p + 1); isalpha((unsigned char)*p) || *p == '_';
	     p = blanks_skip(p)) {
		p = name_take(word, p);
		if (!p)
			return NULL;
		for (i = 0; i < ARRAY_SIZE(rows) &&
			    strcmp(word, rows[i].word) != 0; i++)
			;
		if (i < ARRAY_SIZE(rows))
			cast->tag = rows[i].tag ? rows[i].tag : cast->tag;
		else if (used + strlen(word) + 2 < sizeof(cast->name))
			used += (size_t)snprintf(cast->name + used,
						 sizeof(cast->name) - used,
						 "%s%s", used ? " " : "", word);
	}
	cast->pointer = *p == '*';
	p = blanks_skip(p + cast->pointer);
	if (*p != ')' || !used)
		return NULL;
	p = blanks_skip(p + 1);
	return isalpha((unsigned char)*p) || *p == '_' || *p == '(' ||
			       *p == '*' ? p : NULL;
}

/* Makes an address a pointer of another type. */
static void value_cast(struct value *v, const struct cast *cast,
		       const struct value_scope *scope)
{
	int tag = v->has_type ? dw.tag(&v->type) : 0;

	if (!v->kind)
		return;
	if (v->bits || v->kind == VALUE_PIECES ||
	    (!value_is_pointer(v) &&
	     (tag != DW_TAG_base_type || value_bytes(&v->type) != 8 ||
	      value_encoding(&v->type) == DW_ATE_float))) {
		value_refuse(v, "is no address");
		return;
	}
	v->points = cast->pointer;
	v->has_type = true;
	if (!scope->n ||
	    !value_type_find(&v->type, &scope->scopes[scope->n - 1], cast->name,
			     cast->tag) ||
	    !value_is_pointer(v))
		value_refuse(v, "is cast to a type that is no pointer there");
}

/* Takes an expression without '&'. Returns the rest; NULL: the text makes no
 * sense. */
static const char *unary_take(struct value *v, const char *p,
			      const struct value_scope *scope)
{
	char name[NAME_BYTES];
	struct cast cast;
	const char *next;

	p = blanks_skip(p);
	if (*p == '*') {
		p = unary_take(v, p + 1, scope);
		if (!p || !v->kind)
			return p;
		value_smart(v);
		if (value_is_pointer(v))
			value_follow(v);
		else
			value_refuse(v, "is no pointer");
		return p;
	}
	if (*p == '(') {
		next = cast_take(&cast, p);
		p = unary_take(v, next ? next : p + 1, scope);
		if (p && next) {
			value_cast(v, &cast, scope);
			return p;
		}
		return p && *p == ')' ? parts_take(v, p + 1) : NULL;
	}
	p = name_take(name, p);
	if (!p)
		return NULL;
	variable_take(v, name, scope);
	return parts_take(v, p);
}

void value_parse(struct value *v, const char *expression,
		 const struct value_scope *scope)
{
	const char *p = blanks_skip(expression);
	bool address = *p == '&';

	*v = (struct value){ .base = -1 };
	p = unary_take(v, p + address, scope);
	if (!p || *blanks_skip(p)) {
		value_refuse(v, "is no variable with members: a rule neither "
			       "calculates nor calls functions");
		return;
	}
	if (!address || !v->kind)
		return;
	if (v->kind != VALUE_MEMORY || v->bits) {
		value_refuse(v, "is not in memory");
		return;
	}
	code_address(v);
	v->kind = VALUE_NUMBER;
	v->has_type = false;
}
