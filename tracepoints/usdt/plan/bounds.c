/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bounds of functions where .eh_frame_hdr has none; see image.h.
 *
 * Symbols tell them only in files that were made without frames: in others, a
 * function without a frame is hand-written code, of which little is certain.
 * The symbols must be all: without those of the parts that compilers put apart,
 * the code that leads from there into functions would not be known.
 */
#include "tracepoints/usdt/plan/image.h"

#include <errno.h>

#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "tracepoints/usdt/plan/functions.h"
#include "tracepoints/usdt/plan/sections-private.h"
#include "tracepoints/usdt/plan/sort.h"

#define BOUNDS_MAX	(1u << 20)
#define RECORD_BYTES	16u		/* a frame has more */

/* As the kernel returns to it from a signal: mov $15,%eax; syscall, in both
 * forms. */
static bool is_restorer(const struct usdt_image *image, uint64_t address)
{
	static const uint8_t forms[][7] = {
		{ 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0 },
		{ 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 },
	};
	const uint8_t *p = usdt_image_at(image, address, sizeof(forms[0]), PF_X,
					 NULL);

	return p && (!__builtin_memcmp(p, forms[0], sizeof(forms[0])) ||
		     !__builtin_memcmp(p, forms[1], sizeof(forms[1])));
}

/* Finds a section. Returns false if there is none, or it is damaged. */
static bool section_find(const struct usdt_file *file, const char *name,
			 uint32_t type, Elf64_Shdr *section)
{
	Elf64_Shdr strings;
	Elf64_Ehdr header;
	const char *names;

	if (!header_read(file, &header) ||
	    !section_read(file, &header, header.e_shstrndx, &strings))
		return false;
	names = (const char *)file_at(file, strings.sh_offset, strings.sh_size);
	if (!names || !strings.sh_size || names[strings.sh_size - 1])
		return false;
	for (uint32_t i = 0; section_read(file, &header, i, section); i++)
		if (section->sh_type == type &&
		    section->sh_name < strings.sh_size &&
		    text_equal(names + section->sh_name, name))
			return file_at(file, section->sh_offset,
				       section->sh_size);
	return false;
}

/* Adds the functions that the records of .eh_frame describe. */
static void frames_add(struct usdt_bounds *bounds,
		       const struct usdt_image *image,
		       const Elf64_Shdr *section)
{
	uint64_t at = section->sh_addr, end = at + section->sh_size;
	struct usdt_function function;
	const uint8_t *p;
	uint32_t head[2];

	while (end - at > sizeof(head) &&
	       (p = usdt_image_at(image, at, sizeof(head), PF_R, NULL))) {
		__builtin_memcpy(head, p, sizeof(head));
		if (!head[0] || head[0] >= end - at - 4)
			return;
		/* others are common parts of records */
		if (head[1] && bounds->count < bounds->room &&
		    usdt_image_frame(image, at, &function))
			bounds->list[bounds->count++] = (struct usdt_bound){
				.start = function.start, .end = function.end,
				.frame = at,
			};
		at += head[0] + 4;
	}
}

/* Adds the functions of a table of symbols that have no frame. Returns false if
 * most have one, or symbols may be missing. */
static bool symbols_add(struct usdt_bounds *bounds,
			const struct usdt_image *image,
			const Elf64_Shdr *section)
{
	const uint8_t *p = image->file->bytes + section->sh_offset;
	uint64_t count = section->sh_size / sizeof(Elf64_Sym), i;
	struct usdt_function function;
	uint32_t framed = 0, bare = 0;
	bool whole = false;
	Elf64_Shdr names;
	Elf64_Ehdr header;
	const char *name;
	Elf64_Sym symbol;

	if (!header_read(image->file, &header) ||
	    !section_read(image->file, &header, section->sh_link, &names))
		return false;
	name = (const char *)file_at(image->file, names.sh_offset,
				     names.sh_size);
	if (!name || !names.sh_size || name[names.sh_size - 1])
		return false;
	for (i = 0; i < count; i++) {
		__builtin_memcpy(&symbol, p + i * sizeof(symbol),
				 sizeof(symbol));
		/* tools that leave symbols out leave these out first */
		whole |= ELF64_ST_TYPE(symbol.st_info) == STT_FILE;
		if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC ||
		    symbol.st_shndx == SHN_UNDEF || !symbol.st_size ||
		    symbol.st_name >= names.sh_size ||
		    !usdt_image_at(image, symbol.st_value, symbol.st_size, PF_X,
				   NULL))
			continue;
		if (usdt_image_function(image, symbol.st_value, &function)) {
			framed++;
			continue;
		}
		bare++;
		if (bounds->count == bounds->room)
			return false;
		bounds->list[bounds->count++] = (struct usdt_bound){
			.start = symbol.st_value,
			.end = symbol.st_value + symbol.st_size,
			.part = (uint8_t)usdt_function_is_part(name +
							       symbol.st_name),
			.signal = is_restorer(image, symbol.st_value),
		};
	}
	return whole && bare > framed;
}

/* Sorts the list. Of names of one place the longest counts; places that overlap
 * otherwise are not known. */
static void bounds_sort(struct usdt_bounds *bounds)
{
	struct usdt_bound room, *last = NULL;
	uint32_t i, kept = 0;

	sort_things(bounds->list, bounds->count, sizeof(room), &room,
		    sort_number);
	for (i = 0; i < bounds->count; i++) {
		struct usdt_bound *bound = &bounds->list[i];

		if (last && bound->start < last->end) {
			if (bound->start != last->start)
				last->unclear = 1;
			if (bound->end > last->end)
				last->end = bound->end;
			continue;
		}
		last = &bounds->list[kept++];
		*last = *bound;
	}
	bounds->count = kept;
}

int usdt_bounds_open(struct usdt_bounds *bounds, const struct usdt_file *file)
{
	struct usdt_image image;
	Elf64_Shdr frames, symbols;
	bool have;
	uint64_t n;

	*bounds = (struct usdt_bounds){ 0 };
	if (usdt_image_open(&image, file))
		return -ENOEXEC;
	have = !image.frames &&
	       section_find(file, ".eh_frame", SHT_PROGBITS, &frames);
	if (!section_find(file, ".symtab", SHT_SYMTAB, &symbols))
		symbols.sh_size = 0;
	n = (have ? frames.sh_size / RECORD_BYTES : 0) +
	    symbols.sh_size / sizeof(Elf64_Sym);
	if (!n || n > BOUNDS_MAX)
		return 0;
	bounds->room = (uint32_t)n;
	bounds->list = sys_map_anonymous(n * sizeof(*bounds->list));
	if (!bounds->list)
		return -ENOMEM;
	if (have)
		frames_add(bounds, &image, &frames);
	bounds_sort(bounds);
	image.bounds = bounds;
	n = bounds->count;
	if (symbols.sh_size && symbols_add(bounds, &image, &symbols))
		bounds_sort(bounds);
	else
		bounds->count = (uint32_t)n;
	if (!bounds->count)
		usdt_bounds_close(bounds);
	return 0;
}

void usdt_bounds_close(struct usdt_bounds *bounds)
{
	if (bounds->list)
		sys_munmap(bounds->list, bounds->room * sizeof(*bounds->list));
	bounds->list = NULL;
	bounds->count = 0;
	usdt_places_close(&bounds->places);
}
