/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines of source, and functions that were inlined, by an ELF file's DWARF: the
 * symboliser's child. Facts: DWARF 5, 3.3.8, "Inlinable and Inlined
 * Subprograms".
 *
 * symboliser_find_lines() reads one file: parts that lie elsewhere
 * (.gnu_debugaltlink) have no lines.
 */
#include "command/symboliser/dwarf-private.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* Copies text, the beginning or the end of it where there is no room; "" for
 * NULL. The rest of the room is zeros, as answers leave the child whole. */
static void copy_text(char *to, size_t room, const char *text, bool end)
{
	size_t n = text ? strlen(text) : 0;

	if (n >= room && end)
		text += n - (room - 1);
	strncpy(to, text ? text : "", room - 1);
	to[room - 1] = '\0';
}

/*
 * Gives the frames of an address: the line in the innermost function, and for
 * each function around it the place where that one was inlined.
 *
 * Invariant: the place in `frame` is always that of the function which is named
 * next.
 */
static void take_frames(struct symboliser_frame *frame, Dwarf_Die *unit,
			uint64_t address,
			void (*take)(const struct symboliser_frame *frame,
				     void *priv), void *priv)
{
	static const unsigned int kinds[] = { DW_AT_linkage_name,
					      DW_AT_MIPS_linkage_name,
					      DW_AT_name };
	Dwarf_Die *scopes, *scope;
	int n = symboliser_scopes(unit, address, &scopes), number, tag;
	Dwarf_Line *at = dw.getsrc_die(unit, address);
	uint32_t frames = 0;
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	size_t nfiles;

	if (at && !dw.lineno(at, &number)) {
		frame->line = number > 0 ? (uint32_t)number : 0;
		copy_text(frame->file, sizeof(frame->file),
			  dw.linesrc(at, NULL, NULL), true);
	}
	for (int i = 0; i < n && frames < SYMBOLISER_FRAMES_MAX; i++) {
		const char *name = NULL;
		Dwarf_Word file = 0, line = 0;

		scope = &scopes[i];
		tag = dw.tag(scope);
		if (tag != DW_TAG_inlined_subroutine &&
		    tag != DW_TAG_subprogram)
			continue;
		for (size_t k = 0; !name && k < ARRAY_SIZE(kinds); k++)
			name = dw.formstring(
				dw.attr_integrate(scope, kinds[k], &attr));
		copy_text(frame->function, sizeof(frame->function), name,
			  false);
		take(frame, priv);
		frames++;
		if (tag == DW_TAG_subprogram)
			break;
		frame->line = 0;
		frame->file[0] = '\0';
		dw.formudata(dw.attr(scope, DW_AT_call_line, &attr), &line);
		if (dw.formudata(dw.attr(scope, DW_AT_call_file, &attr), &file))
			continue;
		frame->line = (uint32_t)line;
		if (!dw.getsrcfiles(unit, &files, &nfiles) && file < nfiles)
			copy_text(frame->file, sizeof(frame->file),
				  dw.filesrc(files, file, NULL, NULL), true);
	}
	if (!frames && frame->line)
		take(frame, priv);
	free(scopes);
}

bool symboliser_unit_find(Dwarf *dwarf, uint64_t address, Dwarf_Die *unit)
{
	Dwarf_CU *cu = NULL;
	bool found = false;
	uint8_t type;

	while (!found &&
	       !dw.get_units(dwarf, cu, &cu, NULL, &type, unit, NULL))
		found = dw.haspc(unit, address) > 0;
	return found;
}

void symboliser_find_lines(const uint64_t *addresses, uint32_t n, Elf *elf,
			   void (*take)(const struct symboliser_frame *frame,
					void *priv), void *priv)
{
	Dwarf *dwarf = elf && symboliser_lines_loaded ?
			       dw.begin_elf(elf, DWARF_C_READ, NULL) : NULL;

	for (uint32_t i = 0; dwarf && i < n; i++) {
		struct symboliser_frame frame = { .address = i };
		Dwarf_Die unit;

		if (dw.addrdie(dwarf, addresses[i], &unit) ||
		    symboliser_unit_find(dwarf, addresses[i], &unit))
			take_frames(&frame, &unit, addresses[i], take, priv);
	}
	symboliser_scopes_forget();
	if (dwarf)
		dw.end(dwarf);
}
