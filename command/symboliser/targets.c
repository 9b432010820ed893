/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions of an ELF file by their names in the source, and the lines that
 * they have there: the symboliser's child.
 */
#include "command/symboliser/dwarf-private.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX	32		/* of namespaces */

/* Tells whether a function has a name, "add", or "shop::Cart::add" or the end
 * of that. */
static bool is_named(Dwarf_Die *function, const char *name)
{
	const char *own = dw.diename(function), *end = name + strlen(name);
	Dwarf_Die declared = *function, *scopes = NULL;
	Dwarf_Attribute attr;
	size_t bytes;
	int n = 1, i = 0;

	/* most have another one */
	bytes = own ? strlen(own) : 0;
	if (!bytes || (size_t)(end - name) < bytes ||
	    strcmp(end - bytes, own) != 0)
		return false;
	if ((size_t)(end - name) > bytes) {
		if (dw.attr(function, DW_AT_specification, &attr))
			dw.formref_die(&attr, &declared);
		n = dw.getscopes_die(&declared, &scopes);
	}
	for (; end > name && i < n; i++) {
		own = i ? dw.diename(&scopes[i]) : own;
		bytes = own ? strlen(own) : 0;
		if (!bytes || (size_t)(end - name) < bytes ||
		    memcmp(end - bytes, own, bytes) != 0)
			break;
		end -= bytes;
		if (end - name > 2 && end[-1] == ':' && end[-2] == ':')
			end -= 2;
		else if (end > name)
			break;
	}
	free(scopes);
	return end == name;
}

/* The search for a function by name. */
struct function_search {
	const char *name;
	struct symboliser_target *target;
	Dwarf_Die skeleton;		/* of the unit, if it is split */
};

/* Returns the path of a function's source. dwarf_decl_file() of libdw 0.188
 * ends the process for a split unit, and does not know the first file. */
static const char *function_file(const struct function_search *f,
				 Dwarf_Die *function)
{
	Dwarf_Die unit = f->skeleton;
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word number;
	size_t n;

	if (dw.formudata(dw.attr_integrate(function, DW_AT_decl_file, &attr),
			 &number) ||
	    (!unit.addr && dw.cu_info(attr.cu, NULL, NULL, &unit, NULL, NULL,
				      NULL, NULL)) ||
	    dw.getsrcfiles(&unit, &files, &n) || number >= n)
		return NULL;
	return dw.filesrc(files, number, NULL, NULL);
}

/* Looks at functions below a DIE, also of namespaces and classes: finds the
 * function, or where it ends. */
static bool function_look(struct function_search *f, Dwarf_Die *parent,
			  int depth)
{
	const bool ends = f->target->file, is_class = dw.tag(parent) !=
					      DW_TAG_namespace && depth;
	const char *name;
	Dwarf_Die child;
	int line;

	if (depth == DEPTH_MAX || dw.child(parent, &child))
		return false;
	do {
		switch (dw.tag(&child)) {
		case DW_TAG_subprogram:
			/* a class declares what it defines */
			if (dw.hasattr(&child, DW_AT_declaration) &&
			    !(ends && is_class))
				break;
			name = dw.diename(&child);
			/* a closure of Rust is in a function; that of C++ has
			 * the line of another DIE */
			if (ends && name && *name != '{' &&
			    dw.hasattr(&child, DW_AT_decl_line) &&
			    !dw.decl_line(&child, &line) && line > f->target->begin &&
			    (!f->target->end || line < f->target->end) &&
			    function_file(f, &child) == f->target->file)
				f->target->end = line;
			if (!ends && is_named(&child, f->name) &&
			    !dw.decl_line(&child, &f->target->begin))
				f->target->file = function_file(f, &child);
			break;
		case DW_TAG_namespace:
			/* of items in a function of Rust */
			if (ends && is_named(&child, f->name))
				break;
			/* fall through */
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
			function_look(f, &child, depth + 1);
		}
		if (f->target->file && !ends)
			return true;
	} while (!dw.siblingof(&child, &child));
	return false;
}

/* Looks for a function in the units that have the address, or in all units;
 * split ones are read if they have it, or there is none. */
static void units_look(struct function_search *f, Dwarf *dwarf,
		       const uint64_t *address, bool all)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, none = { 0 };
	bool here;
	uint8_t type;

	while (!f->target->file && !dw.get_units(dwarf, cu, &cu, NULL, &type,
					 &unit, NULL)) {
		here = address && dw.haspc(&unit, *address) > 0;
		f->skeleton = type == DW_UT_skeleton ? unit : none;
		if (type == DW_UT_skeleton ?
			    (here || !address) && symboliser_unit_whole(&unit) :
			    here || all)
			if (function_look(f, &unit, 0))
				function_look(f, &unit, 0);
	}
}

void symboliser_target_find(struct symboliser_target *target, const char *name,
			    const struct symboliser_dwarf *d)
{
	struct function_search f = { .name = name, .target = target };
	uint64_t address;
	/* a symbol tells the unit, so not all are read */
	bool known = symboliser_symbol(&address, name);

	if (known)
		units_look(&f, d->dwarf, &address, false);
	if (!target->file)
		units_look(&f, d->dwarf, known ? &address : NULL, true);
}
