/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loads libdw, and opens the DWARF of a file, which may lie in several: the
 * symboliser's child. Facts: DWARF 5, 3.1.2, "Skeleton Compilation Unit
 * Entries".
 *
 * libdw is loaded by a child that is asked for lines, so no other start of the
 * command waits for the dynamic linker to load it (0.2 ms). A libdw that lacks
 * one of the functions is none: no pointer of `dw` is called unless all are
 * there.
 */
#include "command/symboliser/dwarf-private.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define LIBRARY		"libdw.so.1"
#define PATH_MAX_NAMES	8		/* namespaces in each other */
#define DEPTH_MAX	32		/* types in each other */

#define FIND(name) \
	symbol = dlsym(library, "dwarf_" #name); \
	memcpy(&dw.name, &symbol, sizeof(symbol)); \
	complete &= symbol != NULL;

struct symboliser_dw dw;

bool symboliser_lines_loaded;

static struct symboliser_dwarf *opened;

void symboliser_load_lines(void)
{
	void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL), *symbol;
	bool complete = library;

	if (!library)
		return;
	EACH_FUNCTION(FIND)
	symboliser_lines_loaded = complete;
}

static Elf *image_open(const struct symboliser_image *image)
{
	return image->bytes ? elf_memory(image->bytes, image->size) : NULL;
}

/* Finds the sections that are read without libdw, which has decompressed them.
 */
static void sections_find(struct symboliser_dwarf *d, Elf *elf)
{
	size_t names;
	Elf_Scn *section = NULL;
	GElf_Shdr head;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &head) ?
				   elf_strptr(elf, names, head.sh_name) : NULL;
		Elf_Data **data = !name ? NULL :
				  !strcmp(name, ".debug_line") ? &d->lines :
				  !strcmp(name, ".debug_str") ? &d->texts :
				  !strcmp(name, ".debug_line_str") ?
					&d->line_texts : NULL;

		if (data && !(head.sh_flags & SHF_COMPRESSED))
			*data = elf_getdata(section, NULL);
	}
}

/* Tells whether a file's line tables may name a source; sets *tables if there
 * are some. */
static bool source_named(Elf *elf, const char *name, bool *tables)
{
	bool is_lines;
	Elf_Scn *section = NULL;
	GElf_Shdr head;
	Elf_Data *data;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return true;
	while ((section = elf_nextscn(elf, section))) {
		const char *title = gelf_getshdr(section, &head) ?
				    elf_strptr(elf, names, head.sh_name) : NULL;

		is_lines = title && !strcmp(title, ".debug_line");
		if (!is_lines && (!title || (strcmp(title, ".debug_line_str") &&
					     strcmp(title, ".debug_str"))))
			continue;
		if (head.sh_flags & SHF_COMPRESSED &&
		    elf_compress(section, 0, 0) < 0)
			return true;
		data = elf_getdata(section, NULL);
		if (!data || (data->d_buf && memmem(data->d_buf, data->d_size,
						    name, strlen(name) + 1)))
			return true;
		*tables |= is_lines;
	}
	return false;
}

bool symboliser_source_may(const struct symboliser_dwarf *d, const char *name)
{
	bool tables = false;

	return !d->own || !d->debug || d->alternate ||
	       source_named(d->own, name, &tables) ||
	       source_named(d->debug, name, &tables) || !tables;
}

bool symboliser_dwarf_map(struct symboliser_dwarf *d,
			  const struct symboliser_images *images)
{
	memset(d, 0, sizeof(*d));
	if (!symboliser_lines_loaded)
		return false;
	d->own = image_open(&images->of[FILE_OWN]);
	d->debug = image_open(&images->of[FILE_DEBUG]);
	d->alternate = image_open(&images->of[FILE_ALTERNATE]);
	return true;
}

bool symboliser_dwarf_begin(struct symboliser_dwarf *d)
{
	Dwarf_CU *cu;
	uint8_t type;

	d->dwarf = d->own ? dw.begin_elf(d->own, DWARF_C_READ, NULL) : NULL;
	if (d->dwarf && d->debug &&
	    dw.get_units(d->dwarf, NULL, &cu, NULL, &type, NULL, NULL)) {
		dw.end(d->dwarf);
		d->dwarf = NULL;
	}
	if (!d->dwarf && d->debug)
		d->dwarf = dw.begin_elf(d->debug, DWARF_C_READ, NULL);
	if (!d->dwarf) {
		symboliser_dwarf_close(d);
		return false;
	}
	if (d->alternate)
		d->shared = dw.begin_elf(d->alternate, DWARF_C_READ, NULL);
	if (d->shared)
		dw.setalt(d->dwarf, d->shared);
	d->cfi = dw.getcfi_elf(d->own);
	sections_find(d, dw.getelf(d->dwarf));
	opened = d;
	return true;
}

bool symboliser_dwarf_open(struct symboliser_dwarf *d,
			   const struct symboliser_images *images)
{
	return symboliser_dwarf_map(d, images) && symboliser_dwarf_begin(d);
}

void symboliser_dwarf_close(struct symboliser_dwarf *d)
{
	opened = NULL;
	if (d->cfi)
		dw.cfi_end(d->cfi);
	if (d->dwarf)
		dw.end(d->dwarf);
	if (d->shared)
		dw.end(d->shared);
	elf_end(d->alternate);
	elf_end(d->debug);
	elf_end(d->own);
}

void symboliser_files(Elf **own, Elf **debug)
{
	*own = opened ? opened->own : NULL;
	*debug = opened ? opened->debug : NULL;
}

bool symboliser_symbol(uint64_t *address, const char *name)
{
	return opened &&
	       (!symboliser_find_address(address, name, opened->own) ||
		(opened->debug &&
		 !symboliser_find_address(address, name, opened->debug)));
}

bool symboliser_symbol_shared(const char *name)
{
	return opened && (symboliser_find_shared(name, opened->own) ||
			  symboliser_find_shared(name, opened->debug));
}

const char *symboliser_symbol_at(uint64_t address)
{
	static struct symboliser_symbol found;
	Elf *files[] = { opened->own, opened->debug };

	for (int i = 0; i < 2; i++) {
		memset(&found, 0, sizeof(found));
		if (files[i])
			symboliser_find_names(&found, &address, 1, files[i]);
		if (found.rank && !found.before)
			return found.name;
	}
	return NULL;
}

bool symboliser_placed(uint64_t address)
{
	Elf_Scn *section = NULL;
	bool any = false;
	GElf_Shdr head;

	while (opened && (section = elf_nextscn(opened->own, section))) {
		if (!gelf_getshdr(section, &head) ||
		    !(head.sh_flags & SHF_ALLOC) || head.sh_flags & SHF_TLS)
			continue;
		any = true;
		if (address >= head.sh_addr &&
		    address - head.sh_addr < head.sh_size)
			return true;
	}
	return !any && address;
}

bool symboliser_unit_next(Dwarf_CU **cu, Dwarf_Die *unit)
{
	uint8_t kind = DW_UT_skeleton;

	/* all split files would be needed */
	while (kind == DW_UT_skeleton)
		if (!opened || dw.get_units(opened->dwarf, *cu, cu, NULL, &kind,
					    unit, NULL))
			return false;
	return true;
}

/* The search for the definition of a type. */
struct defining {
	const char *name;
	int tag;
	Dwarf_Die found;
	uint32_t n;			/* that differ */
};

/* Makes the next child that says something of a layout. `first`: *child is a
 * type, of which it is the first one. */
static bool layout_next(Dwarf_Die *child, bool first)
{
	int tag;

	if (first ? dw.child(child, child) : dw.siblingof(child, child))
		return false;
	tag = dw.tag(child);
	return tag == DW_TAG_member || tag == DW_TAG_inheritance ||
	       tag == DW_TAG_enumerator || tag == DW_TAG_subrange_type ||
	       tag == DW_TAG_variant_part || layout_next(child, false);
}

/* Tells whether two places are said by the same operations. */
static bool operations_same(Dwarf_Attribute *a, Dwarf_Attribute *b)
{
	Dwarf_Op *x, *y;
	size_t n, m;

	if (dw.getlocation_addr(a, 0, &x, &n, 1) != 1 ||
	    dw.getlocation_addr(b, 0, &y, &m, 1) != 1 || n != m)
		return false;
	while (n-- > 0)
		if (x[n].atom != y[n].atom || x[n].number != y[n].number)
			return false;
	return true;
}

/* Tells whether two types, or members, are alike: names, sizes, places, and
 * that of all members. Of a pointer's target, the name alone counts. */
static bool layout_same(Dwarf_Die *left, Dwarf_Die *right, int depth)
{
	static const unsigned int facts[] = {
		DW_AT_byte_size, DW_AT_bit_size, DW_AT_data_bit_offset,
		DW_AT_bit_offset, DW_AT_data_member_location, DW_AT_encoding,
		DW_AT_upper_bound, DW_AT_count, DW_AT_const_value,
	};
	Dwarf_Die a = *left, b = *right, of_a, of_b;
	const char *name = dw.diename(&a), *other = dw.diename(&b);
	int tag = dw.tag(&a);
	Dwarf_Attribute x, y;

	if (a.addr == b.addr)
		return true;
	if (!depth || tag != dw.tag(&b) ||
	    strcmp(name ? name : "", other ? other : ""))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		Dwarf_Word m = 0, n = 0;
		bool has = dw.attr(&a, facts[i], &x);

		if (has != !!dw.attr(&b, facts[i], &y))
			return false;
		if (has && (dw.formudata(&x, &m) || dw.formudata(&y, &n) ?
				    !operations_same(&x, &y) : m != n))
			return false;
	}
	if (tag != DW_TAG_subrange_type &&
	    dw.attr(&a, DW_AT_type, &x) && dw.attr(&b, DW_AT_type, &y) &&
	    dw.formref_die(&x, &of_a) && dw.formref_die(&y, &of_b)) {
		/* those that they lead to may lead back */
		bool leads = tag == DW_TAG_pointer_type ||
			     tag == DW_TAG_reference_type ||
			     tag == DW_TAG_rvalue_reference_type;

		name = dw.diename(&of_a);
		other = dw.diename(&of_b);
		if (leads ? strcmp(name ? name : "", other ? other : "") != 0 :
			    !layout_same(&of_a, &of_b, depth - 1))
			return false;
	}
	for (bool first = true;; first = false) {
		bool more = layout_next(&a, first);

		if (more != layout_next(&b, first))
			return false;
		if (!more)
			return true;
		if (!layout_same(&a, &b, depth - 1))
			return false;
	}
}

/* Looks below a DIE; `path` are the namespaces that are left. */
static void type_look(struct defining *d, Dwarf_Die *parent,
		      const char *const *path)
{
	Dwarf_Die child;
	const char *name;
	int tag;

	if (dw.child(parent, &child))
		return;
	do {
		tag = dw.tag(&child);
		if (tag != (*path ? DW_TAG_namespace : d->tag))
			continue;
		name = dw.diename(&child);
		if (!name || strcmp(name, *path ? *path : d->name))
			continue;
		if (*path) {
			type_look(d, &child, path + 1);
			continue;
		}
		if (dw.hasattr(&child, DW_AT_declaration))
			continue;
		d->n += !d->n || !layout_same(&d->found, &child, DEPTH_MAX);
		d->found = child;
	} while (!dw.siblingof(&child, &child));
}

bool symboliser_type_define(Dwarf_Die *type)
{
	const char *path[PATH_MAX_NAMES + 1] = { NULL };
	struct defining d = { .name = dw.diename(type), .tag = dw.tag(type) };
	Dwarf_Die unit, *scopes = NULL;
	Dwarf_CU *cu = NULL;
	int n, depth = 0;

	if (!dw.hasattr(type, DW_AT_declaration))
		return true;
	n = d.name && opened ? dw.getscopes_die(type, &scopes) : 0;
	/* the outermost namespace first; a class is none */
	for (int i = n - 2; i > 0 && depth < PATH_MAX_NAMES; i--)
		path[depth++] = dw.tag(&scopes[i]) == DW_TAG_namespace ?
					dw.diename(&scopes[i]) : "";
	free(scopes);
	while (n > 0 && symboliser_unit_next(&cu, &unit))
		type_look(&d, &unit, path);
	if (d.n != 1)
		return false;
	*type = d.found;
	return true;
}

bool symboliser_unit_whole(Dwarf_Die *unit)
{
	Dwarf_Die whole;
	uint8_t type;

	dw.cu_info(unit->cu, NULL, NULL, NULL, NULL, &symboliser_split_id, NULL,
		   NULL);
	symboliser_split_noting = true;
	if (dw.cu_info(unit->cu, NULL, &type, NULL, &whole, NULL, NULL, NULL))
		type = DW_UT_skeleton;
	symboliser_split_noting = false;
	if (type != DW_UT_skeleton)
		return true;
	*unit = whole;
	return whole.addr;
}
