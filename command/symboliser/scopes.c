/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The scopes of addresses by a file's DWARF, and the variables in them: the
 * symboliser's child.
 *
 * A unit is walked once. Its ranges, sorted, give pieces of addresses which
 * have one innermost scope each, so a question takes a binary search.
 *
 * Invariant: pieces do not overlap, whatever ranges the file has: a range ends
 * where the one that it is in ends.
 */
#include "command/symboliser/dwarf-private.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/common/nearest.h"

#define DEPTH_MAX	64		/* in each other */
#define NONE		UINT32_MAX
#define IMPORTS_MAX	8		/* units, or types, in each other */

struct scope {
	Dwarf_Die die;
	uint32_t parent;		/* number, or NONE */
};

struct range {
	uint64_t start, end;
	uint32_t scope;
};

/* The addresses from here to the next piece. */
struct piece {
	uint64_t start;
	uint32_t scope;			/* or NONE */
};

/* A function that is in no other one, by the line that declares it. */
struct function {
	const char *file;
	int line;
	uint32_t scope;
};

struct unit {
	struct unit *next;
	struct function *functions;	/* sorted */
	size_t nfunctions;
	void *id;
	struct scope *scopes;		/* parents first */
	struct range *ranges;
	struct piece *pieces;
	size_t nscopes, nranges, npieces;
	size_t scopes_room, ranges_room;
};

static struct unit *units;

/* Makes room for one thing more. Returns false without memory. */
static bool room_make(void **things, size_t count, size_t *room, size_t bytes)
{
	void *more;

	if (count < *room)
		return true;
	more = reallocarray(*things, 2 * *room + 64, bytes);
	if (!more)
		return false;
	*things = more;
	*room = 2 * *room + 64;
	return true;
}

/* Tells whether code or other scopes may be in a DIE. */
static bool is_scope(int tag, bool *code)
{
	*code = tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
		tag == DW_TAG_inlined_subroutine || tag == DW_TAG_try_block ||
		tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt ||
		tag == DW_TAG_entry_point;
	return *code || tag == DW_TAG_namespace || tag == DW_TAG_module ||
	       tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_union_type;
}

bool symboliser_entry(Dwarf_Die *function, Dwarf_Addr *entry)
{
	Dwarf_Addr base, end;

	return !dw.entrypc(function, entry) ||
	       dw.ranges(function, 0, &base, entry, &end) > 0;
}

/* Adds a scope and those in it. */
static bool scope_walk(struct unit *unit, Dwarf_Die *die, uint32_t parent,
		       bool code, uint32_t depth)
{
	uint32_t number = (uint32_t)unit->nscopes;
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;
	Dwarf_Die child;

	if (!room_make((void **)&unit->scopes, unit->nscopes,
		       &unit->scopes_room, sizeof(*unit->scopes)))
		return false;
	unit->scopes[unit->nscopes++] = (struct scope){ *die, parent };
	while (code && (offset = dw.ranges(die, offset, &base, &start,
					   &end)) > 0) {
		if (start >= end)
			continue;
		if (!room_make((void **)&unit->ranges, unit->nranges,
			       &unit->ranges_room, sizeof(*unit->ranges)))
			return false;
		unit->ranges[unit->nranges++] =
			(struct range){ start, end, number };
	}
	if (depth == DEPTH_MAX || dw.child(die, &child))
		return true;
	do {
		if (is_scope(dw.tag(&child), &code) &&
		    !scope_walk(unit, &child, number, code, depth + 1))
			return false;
	} while (!dw.siblingof(&child, &child));
	return true;
}

/* Outer ranges come before those that begin with them. */
static int compare_ranges(const void *left, const void *right)
{
	const struct range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return a->scope < b->scope ? -1 : a->scope > b->scope;
}

static void piece_add(struct unit *unit, uint64_t start, uint32_t scope)
{
	/* nothing is between this one and the last */
	if (unit->npieces && unit->pieces[unit->npieces - 1].start == start)
		unit->npieces--;
	unit->pieces[unit->npieces++] = (struct piece){ start, scope };
}

/* Makes the pieces of the ranges. Returns false without memory. */
static bool pieces_make(struct unit *unit)
{
	struct range *open[DEPTH_MAX + 2], *range;
	uint32_t depth = 0;

	unit->pieces = calloc(2 * unit->nranges + 1, sizeof(*unit->pieces));
	if (!unit->pieces)
		return false;
	if (unit->nranges)
		qsort(unit->ranges, unit->nranges, sizeof(*unit->ranges),
		      compare_ranges);
	for (size_t i = 0; i <= unit->nranges; i++) {
		range = i < unit->nranges ? &unit->ranges[i] : NULL;
		while (depth && (!range ||
				 open[depth - 1]->end <= range->start)) {
			depth--;
			piece_add(unit, open[depth]->end,
				  depth ? open[depth - 1]->scope : NONE);
		}
		if (!range || depth == DEPTH_MAX + 2)
			continue;
		if (depth && range->end > open[depth - 1]->end)
			range->end = open[depth - 1]->end;
		piece_add(unit, range->start, range->scope);
		open[depth++] = range;
	}
	free(unit->ranges);
	unit->ranges = NULL;
	return true;
}

/* Returns the unit, walked, or NULL without memory. */
static struct unit *unit_get(Dwarf_Die *die)
{
	struct unit *unit = units;

	while (unit && unit->id != die->addr)
		unit = unit->next;
	if (unit)
		return unit;
	unit = calloc(1, sizeof(*unit));
	if (!unit)
		return NULL;
	unit->id = die->addr;
	unit->next = units;
	units = unit;
	/* without memory it has no scopes */
	if (!scope_walk(unit, die, NONE, false, 0) || !pieces_make(unit))
		unit->npieces = 0;
	return unit;
}

int symboliser_scopes(Dwarf_Die *unit, uint64_t address, Dwarf_Die **scopes)
{
	const struct unit *u = unit_get(unit);
	size_t low = 0, high = u ? u->npieces : 0, middle;
	uint32_t found, scope;
	int n = 0;

	*scopes = NULL;
	while (low < high) {
		middle = (low + high) / 2;
		if (u->pieces[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	found = low ? u->pieces[low - 1].scope : NONE;
	for (scope = found; scope != NONE; scope = u->scopes[scope].parent)
		n++;
	if (n)
		*scopes = calloc((size_t)n, sizeof(**scopes));
	if (!*scopes)
		return 0;
	for (n = 0, scope = found; scope != NONE;
	     scope = u->scopes[scope].parent)
		(*scopes)[n++] = u->scopes[scope].die;
	return n;
}

void symboliser_scopes_forget(void)
{
	struct unit *unit;

	while ((unit = units)) {
		units = unit->next;
		free(unit->scopes);
		free(unit->ranges);
		free(unit->pieces);
		free(unit->functions);
		free(unit);
	}
}

/* dwarf_decl_file() of libdw 0.188 ends the process for a split unit, and does
 * not know the first file. */
const char *symboliser_declared(Dwarf_Die *die, const Dwarf_Die *skeleton)
{
	Dwarf_Die unit = *skeleton;
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word number;
	size_t n;

	if (dw.formudata(dw.attr_integrate(die, DW_AT_decl_file, &attr),
			 &number) ||
	    (!unit.addr && dw.cu_info(attr.cu, NULL, NULL, &unit, NULL, NULL,
				      NULL, NULL)) ||
	    dw.getsrcfiles(&unit, &files, &n) || number >= n)
		return NULL;
	return dw.filesrc(files, number, NULL, NULL);
}

bool value_is_function(Dwarf_Die *scope)
{
	int tag = dw.tag(scope);

	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

static bool origin_follow(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	if (!dw.attr(die, name, &attr) || !dw.formref_die(&attr, &origin))
		return false;
	*die = origin;
	return true;
}

/* Scopes are in the order of their DIEs. */
static int compare_scopes(const void *left, const void *right)
{
	const struct scope *a = left, *b = right;

	return a->die.addr < b->die.addr ? -1 : a->die.addr > b->die.addr;
}

int symboliser_around(Dwarf_Die *die, Dwarf_Die *around, int room)
{
	const struct scope *found = NULL;
	Dwarf_Die of = *die, root;
	const struct unit *u;
	int n = 0;

	origin_follow(&of, DW_AT_abstract_origin);
	origin_follow(&of, DW_AT_specification);
	u = dw.cu_info(of.cu, NULL, NULL, &root, NULL, NULL, NULL, NULL) ?
		    NULL : unit_get(&root);
	if (u && u->nscopes)
		found = bsearch(&(struct scope){ of, 0 }, u->scopes,
				u->nscopes, sizeof(*found), compare_scopes);
	for (uint32_t scope = found ? found->parent : NONE;
	     scope != NONE && n < room; scope = u->scopes[scope].parent)
		around[n++] = u->scopes[scope].die;
	return n;
}

/* Tells whether a function is in another one, as lambdas and functions of local
 * classes are; or, if that counts, is a constructor, which has lines of
 * members, too. */
static bool is_nested(Dwarf_Die *function, bool constructors)
{
	Dwarf_Die around[DEPTH_MAX + 1];
	int n = symboliser_around(function, around, DEPTH_MAX + 1);
	const char *name = dw.diename(function);
	const char *class = n ? dw.diename(&around[0]) : NULL;

	if (constructors && name && class &&
	    strlen(name) == strcspn(class, "<") &&
	    !strncmp(name, class, strlen(name)))
		return true;
	for (int i = 0; i < n; i++)
		if (dw.tag(&around[i]) == DW_TAG_subprogram)
			return true;
	return false;
}

static int compare_functions(const void *left, const void *right)
{
	const struct function *a = left, *b = right;
	int order = a->file == b->file ? 0 : strcmp(a->file, b->file);

	return order ? order : (a->line > b->line) - (a->line < b->line);
}

/* Finds the functions of a unit that are in no other one. */
static void functions_make(struct unit *u, const Dwarf_Die *skeleton)
{
	struct function *f;

	u->functions = calloc(u->nscopes + 1, sizeof(*f));
	for (uint32_t i = 0; u->functions && i < u->nscopes; i++) {
		Dwarf_Die *die = &u->scopes[i].die;

		f = &u->functions[u->nfunctions];
		f->scope = i;
		u->nfunctions += value_is_function(die) &&
				 !dw.hasattr(die, DW_AT_declaration) &&
				 !dw.decl_line(die, &f->line) &&
				 (f->file = symboliser_declared(die,
								skeleton)) &&
				 !is_nested(die, false);
	}
	if (u->nfunctions)
		qsort(u->functions, u->nfunctions, sizeof(*f),
		      compare_functions);
}

void value_scope_own(struct value_scope *scope, Dwarf_Die *unit,
		     const Dwarf_Die *skeleton)
{
	struct unit *u = unit_get(unit);
	struct function f, line = { scope->source, scope->line, 0 }, *own;
	size_t low = 0, high, middle;
	int taken = 0;
	Dwarf_Word language;

	/* functions of Rust have others in namespaces of their names */
	if (!u || (value_number(unit, DW_AT_language, &language) &&
		   language == DW_LANG_Rust))
		return;
	if (unit->addr != skeleton->addr)
		scope->skeleton = *skeleton;
	if (!u->functions)
		functions_make(u, &scope->skeleton);
	for (high = u->nfunctions; low < high;) {
		middle = (low + high) / 2;
		if (compare_functions(&u->functions[middle], &line) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	own = low && !strcmp(u->functions[low - 1].file, scope->source) ?
		      &u->functions[low - 1] : NULL;
	for (int i = 0; i < scope->n; i++) {
		Dwarf_Die *die = &scope->scopes[i];

		if (!value_is_function(die))
			continue;
		f.file = symboliser_declared(die, &scope->skeleton);
		if (!f.file || dw.decl_line(die, &f.line) ||
		    (!taken && is_nested(die, true)))
			return;
		if (own ? !compare_functions(own, &f) :
			  strcmp(f.file, scope->source) != 0) {
			scope->owner = *die;
			scope->scopes += taken;
			scope->n -= taken;
			return;
		}
		taken = i + 1;
	}
	scope->elsewhere = true;
	if (!own)
		return;
	scope->owner = u->scopes[own->scope].die;
	origin_follow(&scope->owner, DW_AT_abstract_origin);
}

/* Calls `take` for the variables below a DIE, and for those of units that it
 * imports: dwz moves declarations there. */
static void variables_each(Dwarf_Die *parent, value_variable *take, void *priv,
			   int depth)
{
	Dwarf_Attribute attr;
	Dwarf_Die child, unit;
	int tag;

	if (depth == IMPORTS_MAX || dw.child(parent, &child))
		return;
	do {
		tag = dw.tag(&child);
		if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
			take(&child, tag == DW_TAG_formal_parameter, priv);
		else if (tag == DW_TAG_imported_unit &&
			 dw.attr(&child, DW_AT_import, &attr) &&
			 dw.formref_die(&attr, &unit))
			variables_each(&unit, take, priv, depth + 1);
	} while (!dw.siblingof(&child, &child));
}

/* Does so for all of a function, with its blocks. */
static void blocks_each(Dwarf_Die parent, value_variable *take, void *priv,
			int depth)
{
	Dwarf_Die child;

	variables_each(&parent, take, priv, 0);
	if (depth == DEPTH_MAX || dw.child(&parent, &child))
		return;
	do
		if (dw.tag(&child) == DW_TAG_lexical_block)
			blocks_each(child, take, priv, depth + 1);
	while (!dw.siblingof(&child, &child));
}

void value_each(const struct value_scope *scope, value_variable *take,
		void *priv)
{
	bool left = scope->elsewhere;	/* the function; the source of one that
					 * was inlined is not where its code is
					 */
	Dwarf_Die origin;

	if (left && scope->owner.addr)
		blocks_each(scope->owner, take, priv, 0);

	for (int i = 0; i < scope->n; i++) {
		int tag = dw.tag(&scope->scopes[i]);
		bool function = value_is_function(&scope->scopes[i]);

		if (left && (function || tag == DW_TAG_lexical_block))
			continue;
		left |= function;
		variables_each(&scope->scopes[i], take, priv, 0);
		/* a copy lacks static variables, and some that have no place */
		origin = scope->scopes[i];
		if (origin_follow(&origin, DW_AT_abstract_origin))
			variables_each(&origin, take, priv, 0);
	}
}

static bool has_child(Dwarf_Die *parent, const Dwarf_Die *wanted)
{
	Dwarf_Die child;

	if (dw.child(parent, &child))
		return false;
	while (child.addr != wanted->addr)
		if (dw.siblingof(&child, &child))
			return false;
	return true;
}

bool value_is_later(Dwarf_Die *variable, const struct value_scope *scope)
{
	Dwarf_Attribute attr;
	const char *file;
	int line = 0;

	if (dw.tag(variable) == DW_TAG_formal_parameter ||
	    dw.hasattr(variable, DW_AT_external) ||
	    dw.decl_line(variable, &line))
		return false;
	/* another function's, or a global one */
	for (int i = 0; i < scope->n; i++) {
		int tag = dw.tag(&scope->scopes[i]);
		Dwarf_Die origin = scope->scopes[i];

		if (tag == DW_TAG_compile_unit || tag == DW_TAG_namespace ||
		    (!has_child(&scope->scopes[i], variable) &&
		     !(origin_follow(&origin, DW_AT_abstract_origin) &&
		       has_child(&origin, variable))))
			continue;
		/* lines of a source that is included are others */
		file = symboliser_declared(variable, &scope->skeleton);
		if (file && strcmp(file, scope->source) != 0)
			return false;
		return dw.attr_integrate(variable, DW_AT_location, &attr) &&
				       value_is_fixed(&attr) ?
			       line >= scope->line : line > scope->line;
	}
	return false;
}

/* The last name that was missed: of a member of the type, or, with a scope, of
 * a variable. */
static struct {
	char name[NEAREST_LENGTH_MAX];
	Dwarf_Die type;
	const struct value_scope *scope;
} missed;

void value_miss(const char *name, const Dwarf_Die *type,
		const struct value_scope *scope)
{
	snprintf(missed.name, sizeof(missed.name), "%s", name);
	if (type)
		missed.type = *type;
	missed.scope = scope;
}

/* Considers the names of members, also of anonymous ones and base classes. */
static void members_consider(struct nearest *nearest, Dwarf_Die *type,
			     int depth)
{
	struct value v = { 0 };
	Dwarf_Die member;
	const char *name;

	if (depth == IMPORTS_MAX || dw.child(type, &member))
		return;
	do {
		int tag = dw.tag(&member);

		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		name = dw.diename(&member);
		value_type(&v, &member);
		if (name)
			nearest_add(nearest, name);
		else if (v.has_type)
			members_consider(nearest, &v.type, depth + 1);
	} while (!dw.siblingof(&member, &member));
}

static void variable_consider(Dwarf_Die *variable, bool parameter, void *priv)
{
	const char *name = dw.diename(variable);
	struct value v = { 0 };

	(void)parameter;
	/* one of a class or a namespace would need that before it */
	if (name && !dw.hasattr(variable, DW_AT_specification))
		nearest_add(priv, name);
	if (!name || strcmp(name, "this"))
		return;
	value_type(&v, variable);
	if (v.has_type)
		value_type(&v, &v.type);
	if (v.has_type)
		members_consider(priv, &v.type, 0);
}

void value_nearest(char *text, size_t room)
{
	struct nearest nearest = { .rule = missed.name };

	if (missed.scope)
		value_each(missed.scope, variable_consider, &nearest);
	else
		members_consider(&nearest, &missed.type, 0);
	nearest_text(&nearest, text, room);
}
