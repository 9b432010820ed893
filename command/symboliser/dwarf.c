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
#include <string.h>

#define LIBRARY		"libdw.so.1"

#define FIND(name) \
	symbol = dlsym(library, "dwarf_" #name); \
	memcpy(&dw.name, &symbol, sizeof(symbol)); \
	complete &= symbol != NULL;

struct symboliser_dw dw;

bool symboliser_lines_loaded;

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

bool symboliser_dwarf_open(struct symboliser_dwarf *d,
			   const struct symboliser_images *images)
{
	Dwarf_CU *cu;
	uint8_t type;

	memset(d, 0, sizeof(*d));
	if (!symboliser_lines_loaded)
		return false;
	d->own = image_open(&images->of[FILE_OWN]);
	d->debug = image_open(&images->of[FILE_DEBUG]);
	d->alternate = image_open(&images->of[FILE_ALTERNATE]);
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
	return true;
}

void symboliser_dwarf_close(struct symboliser_dwarf *d)
{
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

bool symboliser_unit_whole(Dwarf_Die *unit)
{
	Dwarf_Die whole;
	uint8_t type;

	symboliser_split_noting = true;
	if (dw.cu_info(unit->cu, NULL, &type, NULL, &whole, NULL, NULL, NULL))
		type = DW_UT_skeleton;
	symboliser_split_noting = false;
	if (type != DW_UT_skeleton)
		return true;
	*unit = whole;
	return whole.addr;
}
