/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which variable a name means at a place, by the scopes of C and C++: the
 * symboliser's child. Facts: C++17, 6.4, "Name lookup", and 10.3, "Namespaces";
 * DWARF 5, 3.2, "Module, Namespace and Importing Entries".
 *
 * Scopes are searched from the innermost on: blocks, the class of the function,
 * namespaces around it, the unit. Compilers leave out declarations that are not
 * used, and clang all of them, so variables of other units count, too.
 *
 * Invariant: no variable rather than another one. A name is refused that could
 * be of an outer scope, or of an inner one in another unit.
 */
#include "command/symboliser/dwarf-private.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#define AROUND_MAX	64		/* scopes in each other */
#define PARTS_MAX	8		/* names of "a::b::c" */
#define PATH_MAX_NAMES	(AROUND_MAX + PARTS_MAX)
#define USED_MAX	32		/* using directives */
#define NAME_BYTES	128

static const char several[] =
	"is a name of several variables there: as a::NAME or ::NAME, it means one";

/* The search for a variable by name. */
struct lookup {
	const char *name;
	char text[NAME_BYTES];		/* the names, each with a NUL */
	const char *parts[PARTS_MAX + 1];	/* namespaces and classes */
	bool global;			/* begins with "::" */
	bool elsewhere;			/* only external ones */
	Dwarf_Die around[AROUND_MAX];	/* the innermost first */
	int n;
	Dwarf_Die found;
	const void *space;		/* in which it is */
	const struct value_scope *scope;
	bool is_found, is_later, is_ambiguous;
	bool alone;			/* only in the unit of the line */
	bool entered;			/* there is a scope of the parts */
	/* namespaces of using directives; their names are those of the
	 * namespace around both, which has so many names */
	struct {
		Dwarf_Die space;
		int depth;
	} used[USED_MAX];
	int nused, depth;
};

static bool die_follow(Dwarf_Die *to, Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;

	return dw.attr(die, name, &attr) && dw.formref_die(&attr, to);
}

static bool is_class(Dwarf_Die *die)
{
	int tag = dw.tag(die);

	return tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_union_type;
}

static bool is_external(Dwarf_Die *variable)
{
	Dwarf_Attribute attr;

	return dw.attr_integrate(variable, DW_AT_external, &attr);
}

static bool has_place(Dwarf_Die *variable)
{
	return dw.hasattr(variable, DW_AT_location) ||
	       dw.hasattr(variable, DW_AT_const_value);
}

/* Makes the definition in a unit of a variable that is declared; with link-time
 * optimisation, that of a definition. Returns whether it has a place. */
static bool definition_find(Dwarf_Die *variable, Dwarf_Die *unit)
{
	Dwarf_Die child, of;

	if (has_place(variable))
		return true;
	if (dw.child(unit, &child))
		return false;
	do {
		/* clang has it in the namespace that it is written in */
		if (dw.tag(&child) == DW_TAG_namespace &&
		    definition_find(variable, &child))
			return true;
		if (dw.tag(&child) != DW_TAG_variable ||
		    (!die_follow(&of, &child, DW_AT_specification) &&
		     !die_follow(&of, &child, DW_AT_abstract_origin)) ||
		    of.addr != variable->addr)
			continue;
		*variable = child;
		return has_place(variable);
	} while (!dw.siblingof(&child, &child));
	return false;
}

/* Takes a variable of the name that is in a scope. */
static void variable_meet(struct lookup *l, Dwarf_Die *variable,
			  const void *space)
{
	if (l->elsewhere && !is_external(variable))
		return;
	if (l->is_found && l->space != space &&
	    l->found.addr != variable->addr) {
		l->is_ambiguous = true;
		return;
	}
	if (l->is_found && (has_place(&l->found) || !has_place(variable)))
		return;
	l->found = *variable;
	l->space = space;
	l->is_found = true;
}

/* Tells how many names of namespaces are before a DIE, and in how many of them
 * it is together with the scope that is searched. */
static int depth_shared(struct lookup *l, Dwarf_Die *die)
{
	Dwarf_Die other[AROUND_MAX];
	int n = symboliser_around(die, other, AROUND_MAX), i = n - 2;
	int k = l->n - 2, shared = 0;
	const char *a, *b;

	for (; i >= 0 && k >= 0; i--, k--) {
		a = dw.diename(&other[i]);
		b = dw.diename(&l->around[k]);
		if (!a || !b || strcmp(a, b) || is_class(&l->around[k]))
			break;
		shared++;
	}
	return shared < l->depth ? shared : l->depth;
}

static void scope_look(struct lookup *l, Dwarf_Die *parent,
		       const char *const *path, const void *space, int left);

/* Looks at an import of a scope: a namespace, or a name. */
static void import_look(struct lookup *l, Dwarf_Die *import,
			const char *const *path, const void *space, int left)
{
	const char *name = dw.diename(import);
	Dwarf_Die other;

	if (!die_follow(&other, import, DW_AT_import))
		return;
	name = name ? name : dw.diename(&other);
	if (dw.tag(import) == DW_TAG_imported_declaration) {
		if (!name || strcmp(name, *path ? *path : l->name))
			return;
		if (*path)
			scope_look(l, &other, path + 1, space, left - 1);
		else if (dw.tag(&other) == DW_TAG_variable)
			variable_meet(l, &other, other.addr);
		return;
	}
	for (int i = 0; i < l->nused; i++)
		if (l->used[i].space.addr == other.addr)
			return;
	if (l->nused == USED_MAX) {
		l->is_ambiguous = true;
		return;
	}
	l->used[l->nused].depth = depth_shared(l, &other);
	l->used[l->nused++].space = other;
}

/* Looks in a scope, or in one below it that has a path. */
static void scope_look(struct lookup *l, Dwarf_Die *parent,
		       const char *const *path, const void *space, int left)
{
	bool class = is_class(parent);
	const char *name;
	Dwarf_Die child, other;
	int tag;

	if (!left || dw.child(parent, &child))
		return;
	l->entered |= !*path;
	do {
		tag = dw.tag(&child);
		name = dw.diename(&child);
		if (tag == DW_TAG_imported_unit &&
		    die_follow(&other, &child, DW_AT_import)) {
			scope_look(l, &other, path, space, left - 1);
		} else if ((tag == DW_TAG_imported_module && !*path) ||
			   tag == DW_TAG_imported_declaration) {
			import_look(l, &child, path, space, left);
		} else if (tag == DW_TAG_namespace || is_class(&child)) {
			if (tag == DW_TAG_namespace &&
			    (!name || dw.hasattr(&child, DW_AT_export_symbols)))
				scope_look(l, &child, path,
					   name ? space : child.addr, left - 1);
			if (*path && name && !strcmp(name, *path))
				scope_look(l, &child, path + 1, space,
					   left - 1);
		} else if ((tag == DW_TAG_variable ||
			    (class && tag == DW_TAG_member)) &&
			   !*path && name && !strcmp(name, l->name) &&
			   !dw.hasattr(&child, DW_AT_specification) &&
			   !dw.hasattr(&child, DW_AT_abstract_origin) &&
			   (!class || dw.hasattr(&child, DW_AT_external))) {
			variable_meet(l, &child, space);
		}
	} while (!dw.siblingof(&child, &child));
	/* base classes, which the class's own members hide */
	if (!class || *path || l->is_found || dw.child(parent, &child))
		return;
	do {
		struct value base = { 0 };

		if (dw.tag(&child) != DW_TAG_inheritance)
			continue;
		value_type(&base, &child);
		if (base.has_type)
			scope_look(l, &base.type, path, base.type.addr,
				   left - 1);
	} while (!dw.siblingof(&child, &child));
}

/* Looks below so many names. Names that are used there are known as if
 * they were in a namespace that has `depth` names. */
static void space_look(struct lookup *l, Dwarf_Die *unit,
		       const char *const *names, int n, int depth,
		       const void *space)
{
	const char *path[PATH_MAX_NAMES + 1];
	int all = 0;

	for (; all < n; all++)
		path[all] = names[all];
	for (int i = 0; l->parts[i]; i++)
		path[all++] = l->parts[i];
	path[all] = NULL;
	l->depth = depth;
	scope_look(l, unit, path, space, AROUND_MAX);
}

/* Looks in the namespaces that are used, and in those that they use, as if
 * their names were in the one with so many names around it. */
static void used_look(struct lookup *l, Dwarf_Die *unit, int depth)
{
	const char *names[AROUND_MAX];
	Dwarf_Die around[AROUND_MAX];
	int n, k;

	for (int i = 0; i < l->nused; i++) {
		if (l->used[i].depth != depth)
			continue;
		n = symboliser_around(&l->used[i].space, around, AROUND_MAX);
		for (k = 0; k < n - 1; k++)
			names[k] = dw.diename(&around[n - 2 - k]);
		names[k] = dw.diename(&l->used[i].space);
		/* one without a name was looked in */
		for (n = 0; n <= k && names[n]; n++)
			;
		if (n > k)
			space_look(l, unit, names, n, depth,
				   l->used[i].space.addr);
	}
}

/* Looks for a static variable of a function around the one of the line: others
 * are in that one's frame. */
static void function_look(struct lookup *l, Dwarf_Die *function)
{
	Dwarf_Attribute attr;
	const char *name;
	Dwarf_Die child;

	if (dw.child(function, &child))
		return;
	do {
		name = dw.diename(&child);
		if ((dw.tag(&child) != DW_TAG_variable &&
		     dw.tag(&child) != DW_TAG_formal_parameter) ||
		    !name || strcmp(name, l->name))
			continue;
		variable_meet(l, &child, function->addr);
		l->is_ambiguous |= !dw.attr(&child, DW_AT_location, &attr) ||
				   !value_is_static(&child, l->scope->address);
	} while (!dw.siblingof(&child, &child));
}

/* Looks in the scopes from the innermost on: as many as `end`, and of another
 * unit only in namespaces. Returns the number of the one where it stopped. */
static int scopes_look(struct lookup *l, Dwarf_Die *unit, int end)
{
	const char *names[AROUND_MAX];
	int depth = 0, i;

	for (i = l->n - 2; i >= 0; i--)
		if (dw.tag(&l->around[i]) == DW_TAG_namespace &&
		    dw.diename(&l->around[i]))
			names[depth++] = dw.diename(&l->around[i]);
	for (i = 0; i < end; i++) {
		Dwarf_Die *scope = &l->around[i];
		bool last = i == l->n - 1;
		bool space = dw.tag(scope) == DW_TAG_namespace;
		bool named = space && dw.diename(scope);

		if (l->global && !last)
			continue;
		depth = last ? 0 : depth;
		l->depth = depth;
		if (last || named) {
			space_look(l, unit, names, depth, depth, unit->addr);
			used_look(l, unit, depth);
		} else if (!l->elsewhere && (space || is_class(scope))) {
			scope_look(l, scope, l->parts, scope->addr, AROUND_MAX);
		} else if (!l->elsewhere && !l->parts[0]) {
			function_look(l, scope);
		}
		if (l->is_found || l->is_ambiguous ||
		    (l->parts[0] && l->entered))
			break;
		depth -= named;
	}
	return i;
}

/* Looks in the other units of the file for a definition. Returns the number of
 * the scope that has it, or -1. */
static int units_look(struct lookup *l, Dwarf_Die *own, int end)
{
	Dwarf_Die unit, linked = l->scope->scopes[l->scope->n - 1];
	struct lookup other;
	Dwarf_CU *cu = NULL;
	int first = -1, at;

	while (end && !l->alone && symboliser_symbol_may(l->name) &&
	       symboliser_unit_next(&cu, &unit)) {
		other = *l;
		other.is_found = other.entered = false;
		other.nused = 0;
		other.elsewhere = true;
		at = unit.addr == own->addr ? end :
					     scopes_look(&other, &unit, end);
		l->is_ambiguous |= other.is_ambiguous;
		if (!other.is_found ||
		    (!definition_find(&other.found, &unit) &&
		     !definition_find(&other.found, &linked)))
			continue;
		/* those of one scope in several units are the same */
		l->is_ambiguous |= first >= 0 && at != first;
		first = at;
		l->found = other.found;
		l->is_found = true;
	}
	return first;
}

/* Tells whether the linker's symbol says where a variable is. `plain`: it is in
 * no namespace, so the name may be the symbol's. */
static bool is_linked(Dwarf_Die *variable, bool plain)
{
	struct symboliser_global global;
	Dwarf_Attribute attr;
	const char *name = dw.formstring(
		dw.attr_integrate(variable, DW_AT_linkage_name, &attr));

	name = name ? name : plain ? dw.diename(variable) : NULL;
	return name && !symboliser_global(&global, name);
}

/* Finds a variable that no block of the function declares, but may import. */
static void outer_find(struct lookup *l, const struct value_scope *scope)
{
	Dwarf_Die own = scope->scopes[scope->n - 1], unit, child;
	Dwarf_Die function = scope->owner;
	int at, end, inner;
	bool was_found;

	for (int i = 0; i < scope->n && !function.addr; i++)
		if (value_is_function(&scope->scopes[i]))
			function = scope->scopes[i];
	l->n = function.addr ?
		       symboliser_around(&function, l->around, AROUND_MAX) : 0;
	if (!l->n)
		l->around[l->n++] = own;
	/* dwz moves declarations to units that others import */
	if (dw.tag(&l->around[l->n - 1]) == DW_TAG_partial_unit)
		l->around[l->n - 1] = own;
	unit = l->around[l->n - 1];
	l->depth = AROUND_MAX;
	for (int i = 0; i < scope->n && !scope->elsewhere && !l->global; i++) {
		if (!dw.child(&scope->scopes[i], &child))
			do {
				if (dw.tag(&child) == DW_TAG_imported_module ||
				    dw.tag(&child) ==
					    DW_TAG_imported_declaration)
					import_look(l, &child, l->parts,
						    child.addr, AROUND_MAX);
			} while (!dw.siblingof(&child, &child));
		if (value_is_function(&scope->scopes[i]))
			break;
	}
	at = l->is_found ? 0 : scopes_look(l, &unit, l->n);
	was_found = l->is_found;
	if (l->is_ambiguous)
		return;
	end = at;
	if (!was_found || (!definition_find(&l->found, &unit) &&
			   !definition_find(&l->found, &own) &&
			   !is_linked(&l->found, at == l->n - 1)))
		end++;
	inner = units_look(l, &unit, end < l->n ? end : l->n);
	l->is_ambiguous |= was_found && inner >= 0 && inner < at;
}

/* Takes a variable of a block, or a parameter. */
static void local_look(Dwarf_Die *variable, bool parameter, void *priv)
{
	struct lookup *l = priv;
	const char *name = dw.diename(variable);

	(void)parameter;
	if (l->is_found || !name || strcmp(name, l->name))
		return;
	if (value_is_later(variable, l->scope)) {
		l->is_later = true;
		return;
	}
	l->found = *variable;
	l->is_found = true;
}

/* Finds a variable of the function's blocks. */
static bool local_find(struct lookup *l, const char *name,
		       const struct value_scope *scope)
{
	struct value_scope own = *scope;
	int n = 0;

	while (n < scope->n && !value_is_function(&scope->scopes[n]))
		n++;
	own.n = scope->elsewhere || n == scope->n ? 0 : n + 1;
	*l = (struct lookup){ .name = name, .scope = scope };
	value_each(&own, local_look, l);
	return l->is_found;
}

/* Takes a member of `this` by the name. Returns false if there is none. */
static bool own_member(struct value *v, const char *name,
		       const struct value_scope *scope)
{
	struct value own, member;
	struct lookup l;

	if (!local_find(&l, "this", scope))
		return false;
	value_find(&own, &l.found, scope);
	member = own;
	/* the type tells it where the pointer is not known, too */
	member.kind = own.kind ? own.kind : VALUE_NUMBER;
	value_member_take(&member, name, true);
	if (!member.kind && member.why == VALUE_NO_MEMBER)
		return false;
	*v = own.kind ? member : own;
	return true;
}

/* Cuts "a::b::c" to names. Returns false for one that has too many. */
static bool parts_cut(struct lookup *l, const char *name)
{
	char *p = l->text;
	int n = 0;

	snprintf(l->text, sizeof(l->text), "%s", name);
	l->global = !strncmp(p, "::", 2);
	l->name = p += 2 * l->global;
	while ((p = strstr(p, "::"))) {
		*p = '\0';
		if (n == PARTS_MAX)
			return false;
		l->parts[n++] = l->name;
		l->name = p += 2;
	}
	return true;
}

void value_variable_take(struct value *v, const char *name,
			 const struct value_scope *scope)
{
	struct lookup l, local;
	bool block = local_find(&local, name, scope);

	/* one that a block declares may be defined outside */
	if (block && (has_place(&local.found) ||
		      !dw.hasattr(&local.found, DW_AT_declaration) ||
		      is_linked(&local.found, true))) {
		value_find(v, &local.found, scope);
		return;
	}
	if (!block && own_member(v, name, scope))
		return;
	/* else one that is not there yet would be another unit's */
	l = (struct lookup){ .scope = scope, .alone = local.is_later };
	v->why = VALUE_UNKNOWN;
	if (scope->n && parts_cut(&l, name))
		outer_find(&l, scope);
	if (l.is_ambiguous) {
		value_refuse(v, several);
		return;
	}
	if (l.is_found || block) {
		value_find(v, l.is_found ? &l.found : &local.found, scope);
		return;
	}
	v->why = local.is_later ? VALUE_LATER : VALUE_UNKNOWN;
	value_miss(name, NULL, scope);
	if (local.is_later || (strcmp(name, "NULL") && strcmp(name, "true") &&
			       strcmp(name, "false")))
		return;
	v->kind = VALUE_NUMBER;
	v->number = TAFFRAIL_T_S32;
	code_const(v, *name == 't');
}

bool value_type_known(Dwarf_Die *type, const char *name, int tag,
		      const struct value_scope *scope)
{
	Dwarf_Die around[AROUND_MAX], function = scope->owner, of;
	int n = 0, line;

	for (int i = 0; i < scope->n && !scope->elsewhere; i++) {
		of = scope->scopes[i];
		die_follow(&of, &of, DW_AT_abstract_origin);
		if (value_type_find(type, &scope->scopes[i], name, tag) ||
		    value_type_find(type, &of, name, tag))
			/* behind the line, it is not known yet */
			return dw.decl_line(type, &line) ||
			       line <= scope->line;
		if (value_is_function(&scope->scopes[i])) {
			function = scope->scopes[i];
			break;
		}
	}
	if (function.addr)
		n = symboliser_around(&function, around, AROUND_MAX);
	for (int i = 0; i < n; i++)
		if (value_type_find(type, &around[i], name, tag))
			return true;
	return scope->n && value_type_find(type, &scope->scopes[scope->n - 1],
					   name, tag);
}
