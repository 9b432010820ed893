/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names of source files in the heads of line tables, and functions by their
 * names, with the lines that they have there: the symboliser's child. Facts:
 * DWARF 5, 6.2.4, "The Line Number Program Header"; DWARF 4, the same.
 *
 * libdw decodes a whole table before it tells a name (up to 0.190). The tables
 * of a large program have millions of rows, of which a rule needs those of one
 * unit.
 *
 * Invariant: parameters are those that the demangler writes, as in rules for
 * functions. A static function that gcc has inlined everywhere has none here.
 */
#include "command/symboliser/dwarf-private.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tracepoints/conditions/rule-split.h"

#define DEPTH_MAX	32		/* of namespaces */

/* The bytes that are left. */
struct cursor {
	const uint8_t *p, *end;
	uint32_t offset_bytes;		/* of an offset: 4 or 8 */
	bool bad;			/* they make no sense */
};

static uint64_t number_take(struct cursor *c, uint32_t bytes)
{
	uint64_t number = 0;

	if (c->bad || (size_t)(c->end - c->p) < bytes) {
		c->bad = true;
		return 0;
	}
	memcpy(&number, c->p, bytes < 8 ? bytes : 8);
	c->p += bytes;
	return number;
}

static uint64_t leb_take(struct cursor *c)
{
	uint64_t number = 0;
	uint8_t byte;
	uint32_t shift = 0;

	do {
		byte = (uint8_t)number_take(c, 1);
		number |= shift < 64 ? (uint64_t)(byte & 127) << shift : 0;
		shift += 7;
	} while (byte & 128);
	return number;
}

static const char *text_take(struct cursor *c)
{
	const char *text = (const char *)c->p;
	const uint8_t *end = c->bad ? NULL :
			     memchr(c->p, 0, (size_t)(c->end - c->p));

	c->bad = !end;
	c->p = end ? end + 1 : c->p;
	return end ? text : "";
}

/* Returns the text at an offset in a section. */
static const char *section_text(struct cursor *c, const Elf_Data *data)
{
	struct cursor at = { .bad = !data || !data->d_buf };
	uint64_t offset = number_take(c, c->offset_bytes);

	if (c->bad || at.bad || offset >= data->d_size) {
		c->bad = true;
		return "";
	}
	at.p = (const uint8_t *)data->d_buf + offset;
	at.end = (const uint8_t *)data->d_buf + data->d_size;
	return text_take(&at);
}

/* Takes a value of an entry; returns its text, if it is one, or "". */
static const char *form_take(struct cursor *c, uint64_t form,
			     const struct symboliser_dwarf *d)
{
	switch (form) {
	case DW_FORM_string:
		return text_take(c);
	case DW_FORM_line_strp:
		return section_text(c, d->line_texts);
	case DW_FORM_strp:
		return section_text(c, d->texts);
	case DW_FORM_udata:
		leb_take(c);
		break;
	case DW_FORM_block:
		number_take(c, (uint32_t)leb_take(c));
		break;
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
		number_take(c, form == DW_FORM_data1 ? 1 :
			       form == DW_FORM_data2 ? 2 :
			       form == DW_FORM_data4 ? 4 : 8);
		break;
	case DW_FORM_data16:
		number_take(c, 16);
		break;
	default:
		c->bad = true;
	}
	return "";
}

/* Reads folders, or files, of DWARF 5. */
static bool entries_read(struct cursor *c, const struct symboliser_dwarf *d,
			 symboliser_source *is_wanted, const void *priv)
{
	uint64_t formats[2 * UINT8_MAX], count;
	uint32_t n = 2 * (uint32_t)number_take(c, 1);
	const char *text;

	for (uint32_t i = 0; i < n; i++)
		formats[i] = leb_take(c);
	count = leb_take(c);
	for (uint64_t i = 0; n && i < count && !c->bad; i++)
		for (uint32_t k = 0; k < n; k += 2) {
			text = form_take(c, formats[k + 1], d);
			if (is_wanted && formats[k] == DW_LNCT_path &&
			    is_wanted(text, priv))
				return true;
		}
	return c->bad;
}

bool symboliser_unit_has(const struct symboliser_dwarf *d, Dwarf_Die *unit,
			 symboliser_source *is_wanted, const void *priv)
{
	Dwarf_Attribute attr;
	struct cursor c = { .offset_bytes = 4 };
	Dwarf_Word offset;
	uint64_t version;

	if (!d->lines || !d->lines->d_buf ||
	    dw.formudata(dw.attr(unit, DW_AT_stmt_list, &attr), &offset) ||
	    offset >= d->lines->d_size)
		return true;
	c.p = (const uint8_t *)d->lines->d_buf + offset;
	c.end = (const uint8_t *)d->lines->d_buf + d->lines->d_size;
	if (number_take(&c, 4) == UINT32_MAX) {
		c.offset_bytes = 8;
		number_take(&c, 8);
	}
	version = number_take(&c, 2);
	if (version < 2 || version > 5)
		return true;
	/* sizes of addresses and segments, and of the head */
	number_take(&c, (version == 5 ? 2 : 0) + c.offset_bytes);
	/* lengths of instructions, operations, is_stmt, base, range */
	number_take(&c, version >= 4 ? 5 : 4);
	number_take(&c, (uint32_t)number_take(&c, 1) - 1);
	if (version == 5)
		return entries_read(&c, d, NULL, NULL) ||
		       entries_read(&c, d, is_wanted, priv);
	while (*text_take(&c))
		continue;
	for (const char *name; !c.bad && *(name = text_take(&c));) {
		if (is_wanted(name, priv))
			return true;
		for (int i = 0; i < 3; i++)
			leb_take(&c);
	}
	return c.bad;
}

char *symboliser_path_tidy(char *path)
{
	char *to = path, *end;

	for (char *p = path; *p; p = end + !!*end) {
		size_t n = strcspn(p, "/");
		bool up = n == 2 && !memcmp(p, "..", 2) && *path == '/' &&
			  to - path > 1;

		end = p + n;
		if ((!n && p > path) || (n == 1 && *p == '.'))
			continue;
		if (up) {
			for (to--; to > path && to[-1] != '/'; to--)
				;
			continue;
		}
		memmove(to, p, n + !!*end);
		to += n + !!*end;
	}
	*to = '\0';
	return path;
}

/*
 * Functions of an ELF file by their names in the source, and the lines that
 * they have there: the symboliser's child.
 *
 * Invariant: parameters are those that the demangler writes, as in rules for
 * functions, or as the source has them, with typedefs and without inline
 * namespaces. A static function that gcc has inlined everywhere has none here.
 */

/* Returns the name of a function with the namespaces and the parameters, or
 * NULL: valid until the next one is asked for. */
static const char *function_shown(Dwarf_Die *function)
{
	Dwarf_Attribute attr;
	const char *symbol = dw.formstring(
		dw.attr_integrate(function, DW_AT_linkage_name, &attr) ?:
		dw.attr_integrate(function, DW_AT_MIPS_linkage_name, &attr));
	const char *shown;
	Dwarf_Addr entry;

	/* gcc leaves it out of static functions */
	if (!symbol && symboliser_entry(function, &entry))
		symbol = symboliser_symbol_at(entry);
	shown = symbol ? rule_shown_name(symbol) : NULL;
	return shown && strchr(shown, '(') ? shown : NULL;
}

/* Tells whether a name ends with another one, but for blanks. A method that is
 * const, or for one kind of objects, has that behind the parameters: the other
 * name need not. */
static bool name_ends(const char *name, const char *end)
{
	const char *p = name + strlen(name), *q = end + strlen(end);

	if (q > end && q[-1] == ')')
		p = strrchr(name, ')') + 1;

	for (; q > end; p--, q--) {
		while (p > name && p[-1] == ' ')
			p--;
		while (q > end && q[-1] == ' ')
			q--;
		if (q > end && (p == name || p[-1] != q[-1]))
			return false;
	}
	return p <= name || p[-1] == ':' || p[-1] == ' ';
}

/* Writes a name with each `const` of a parameter behind the type before which
 * it stands, where the demangler has it. Returns false without room. */
static bool const_move(char *to, size_t room, const char *name)
{
	bool begins = false;		/* a type */
	size_t used = 0, n;
	int depth;

	if (strlen(name) >= room)
		return false;
	while (*name) {
		if (begins && !strncmp(name, "const ", 6)) {
			name += 6;
			for (n = 0, depth = 0; name[n] && (depth ||
					!strchr("*&,)>", name[n])); n++)
				depth += (name[n] == '<') - (name[n] == '>');
			used += (size_t)sprintf(to + used, "%.*s const",
						(int)n, name);
			name += n;
		}
		begins = *name && (strchr("(,<", *name) ||
				   (begins && *name == ' '));
		if (*name)
			to[used++] = *name++;
	}
	to[used] = '\0';
	return true;
}

/* Returns how many bytes before `end` are a DIE's own name, or that without the
 * arguments of a template; 0: it has another one. */
static size_t own_bytes(const char *name, const char *end, const char *own)
{
	size_t n = own ? strlen(own) : 0, room = (size_t)(end - name);

	if (n && n <= room && !memcmp(end - n, own, n))
		return n;
	n = n && own[n - 1] == '>' && strncmp(own, "operator", 8) ?
		    strcspn(own, "<") : 0;
	return n <= room && !memcmp(end - n, own, n) ? n : 0;
}

/* Tells whether a scope's name may be left out. */
static bool is_inline(Dwarf_Die *scope)
{
	return dw.tag(scope) == DW_TAG_namespace &&
	       dw.hasattr(scope, DW_AT_export_symbols);
}

/* Adds the type of a DIE as C++ spells it, without blanks and without inline
 * namespaces; `peeled`: the type behind a typedef. Returns false for one that
 * stands around a name, as an array. */
static bool type_write(struct text *text, Dwarf_Die *of, bool peeled)
{
	static const struct {
		int tag;
		const char *text;
	} behind[] = {
		{ DW_TAG_const_type, "const" },
		{ DW_TAG_volatile_type, "volatile" },
		{ DW_TAG_pointer_type, "*" },
		{ DW_TAG_reference_type, "&" },
		{ DW_TAG_rvalue_reference_type, "&&" },
	};
	Dwarf_Die type, *scopes = NULL;
	Dwarf_Attribute attr;
	const char *name;
	int n;

	if (!dw.attr_integrate(of, DW_AT_type, &attr)) {
		text_add(text, "void");
		return true;
	}
	if (!dw.formref_die(&attr, &type))
		return false;
	for (uint32_t i = 0; i < ARRAY_SIZE(behind); i++)
		if (dw.tag(&type) == behind[i].tag) {
			if (!type_write(text, &type, peeled))
				return false;
			text_add(text, behind[i].text);
			return true;
		}
	if (dw.tag(&type) == DW_TAG_typedef && peeled)
		return type_write(text, &type, peeled);
	name = dw.diename(&type);
	if (!name)
		return false;
	for (n = dw.getscopes_die(&type, &scopes); n-- > 1;)
		if (dw.diename(&scopes[n]) && !is_inline(&scopes[n]) &&
		    dw.tag(&scopes[n]) != DW_TAG_compile_unit) {
			text_add(text, dw.diename(&scopes[n]));
			text_add(text, "::");
		}
	free(scopes);
	for (; *name; name++)
		text_add_bytes(text, name, *name != ' ');
	return true;
}

/* Takes a parameter of "(int, B<a, b>)" from behind the "(" or a comma: copies
 * it without blanks. Returns the rest behind it, NULL without room. */
static const char *parameter_take(char *to, size_t room, const char *p)
{
	int depth = 0;

	for (; *p && (depth || (*p != ',' && *p != ')')); p++) {
		depth += !!strchr("<([", *p) - !!strchr(">)]", *p);
		if (!--room)
			return NULL;
		if (*p != ' ')
			*to++ = *p;
	}
	*to = '\0';
	return p;
}

/* Tells whether the source declares a function with these parameters, "(...)":
 * by the names of typedefs, or by the types behind them. */
static bool has_parameters(Dwarf_Die *function, const char *p)
{
	char wanted[512], bytes[sizeof(wanted)];
	Dwarf_Attribute attr;
	Dwarf_Die child;
	struct text text;
	bool same = true, more = !dw.child(function, &child);

	for (; more && same; more = !dw.siblingof(&child, &child)) {
		if (dw.tag(&child) != DW_TAG_formal_parameter ||
		    dw.attr_integrate(&child, DW_AT_artificial, &attr))
			continue;
		p = *p && *p != ')' ? parameter_take(wanted, sizeof(wanted),
						    p + 1) : NULL;
		if (!p)
			return false;
		same = false;
		for (int peeled = 0; peeled < 2 && !same; peeled++) {
			text_open(&text, bytes, sizeof(bytes));
			same = type_write(&text, &child, peeled) && !text.cut &&
			       !strcmp(bytes, wanted);
		}
	}
	return same && (*p == ')' || (*p == '(' && p[1] == ')'));
}

/* Tells whether a function has a name with parameters as its source spells
 * them. */
static bool is_spelled(Dwarf_Die *function, const char *name)
{
	const char *at = strrchr(name, '(');
	size_t n = (size_t)(at - name);
	char before[512];

	/* a type of a function, and operator() */
	if (n >= sizeof(before) || strchr(name, '(') != at)
		return false;
	while (n && name[n - 1] == ' ')
		n--;
	memcpy(before, name, n);
	before[n] = '\0';
	return symboliser_is_named(function, before) &&
	       has_parameters(function, at);
}

bool symboliser_is_named(Dwarf_Die *function, const char *name)
{
	const char *own = dw.diename(function), *end = name + strlen(name);
	Dwarf_Die declared = *function, *scopes = NULL;
	Dwarf_Attribute attr;
	char moved[512];
	size_t bytes;
	int n = 1, i = 0;

	if (end > name && strchr(name, '(')) {
		bytes = own ? strcspn(own, "<(") : 0;
		if (!bytes || !memmem(name, strlen(name), own, bytes) ||
		    !const_move(moved, sizeof(moved), name))
			return false;
		own = function_shown(function);
		return (own && (name_ends(own, name) ||
				name_ends(own, moved))) ||
		       is_spelled(function, moved);
	}
	/* most have another one */
	bytes = own_bytes(name, end, own);
	if (!bytes)
		return false;
	if ((size_t)(end - name) > bytes) {
		while (dw.attr(&declared, DW_AT_abstract_origin, &attr) &&
		       dw.formref_die(&attr, &declared))
			;
		if (dw.attr(&declared, DW_AT_specification, &attr))
			dw.formref_die(&attr, &declared);
		n = dw.getscopes_die(&declared, &scopes);
	}
	for (; end > name && i < n; i++) {
		bytes = own_bytes(name, end, i ? dw.diename(&scopes[i]) : own);
		if (!bytes && i && is_inline(&scopes[i]))
			continue;
		if (!bytes)
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

/* The search for functions by name. */
struct function_search {
	const char *name;
	struct symboliser_target *targets;
	uint32_t n;			/* of them */
	struct symboliser_target *of;	/* whose end is looked for, or NULL */
	Dwarf_Die skeleton;		/* of the unit, if it is split */
};

/* Looks at functions below a DIE, also of namespaces and classes: finds those
 * with the name, or where one ends. */
static void function_look(struct function_search *f, Dwarf_Die *parent,
			  int depth)
{
	struct symboliser_target *of = f->of, t = { .end = 0 };
	const bool is_class = dw.tag(parent) != DW_TAG_namespace && depth;
	const char *name;
	Dwarf_Die child;
	uint32_t known;
	int line;

	if (depth == DEPTH_MAX || dw.child(parent, &child))
		return;
	do {
		switch (dw.tag(&child)) {
		case DW_TAG_subprogram:
			/* a class declares what it defines */
			if (dw.hasattr(&child, DW_AT_declaration) &&
			    !(of && is_class))
				break;
			name = dw.diename(&child);
			/* a closure of Rust is in a function; that of C++ has
			 * the line of another DIE */
			if (of && name && *name != '{' &&
			    dw.hasattr(&child, DW_AT_decl_line) &&
			    !dw.decl_line(&child, &line) && line > of->begin &&
			    (!of->end || line < of->end) &&
			    symboliser_declared(&child, &f->skeleton) ==
				    of->file)
				of->end = line;
			if (of || f->n == SYMBOLISER_TARGETS_MAX ||
			    !symboliser_is_named(&child, f->name) ||
			    dw.decl_line(&child, &t.begin) ||
			    !(t.file = symboliser_declared(&child,
							  &f->skeleton)))
				break;
			/* instances of a template begin at one line, and units
			 * have copies of functions */
			for (known = 0; known < f->n; known++)
				if (f->targets[known].begin == t.begin &&
				    !strcmp(f->targets[known].file, t.file))
					break;
			if (known < f->n)
				break;
			name = function_shown(&child);
			t.shown = name ? strdup(name) : NULL;
			f->targets[f->n++] = t;
			break;
		case DW_TAG_namespace:
			/* of items in a function of Rust */
			if (of && symboliser_is_named(&child, f->name))
				break;
			/* fall through */
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
			function_look(f, &child, depth + 1);
		}
	} while (!dw.siblingof(&child, &child));
}

/* Looks for functions in the units that have the address, or in all units; of
 * split ones, in the first that has it, or has the function unless several may.
 */
static void units_look(struct function_search *f, Dwarf *dwarf,
		       const uint64_t *address, bool all, bool several)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, none = { 0 };
	bool here, split;
	uint8_t type;

	while (!dw.get_units(dwarf, cu, &cu, NULL, &type, &unit, NULL)) {
		uint32_t n = f->n;

		here = address && dw.haspc(&unit, *address) > 0;
		split = type == DW_UT_skeleton;
		if (n && (address || (split && !several)))
			return;
		f->skeleton = split ? unit : none;
		if (split ? (address && !here) ||
				    !symboliser_unit_whole(&unit) :
			    !here && !all)
			continue;
		f->of = NULL;
		function_look(f, &unit, 0);
		for (; n < f->n; n++) {
			f->of = &f->targets[n];
			function_look(f, &unit, 0);
		}
	}
}

uint32_t symboliser_targets_find(
	struct symboliser_target targets[SYMBOLISER_TARGETS_MAX],
	const char *name, const struct symboliser_dwarf *d)
{
	struct function_search f = { .name = name, .targets = targets };
	uint64_t address;
	/* a symbol of all units tells the one, so not all are read */
	bool shared = symboliser_symbol_shared(name);
	bool known = !shared && symboliser_symbol(&address, name);

	if (known)
		units_look(&f, d->dwarf, &address, false, false);
	if (!f.n)
		units_look(&f, d->dwarf, known ? &address : NULL, true, shared);
	return f.n;
}
