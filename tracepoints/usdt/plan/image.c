/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Segments and functions of a file; see image.h.
 */
#include "tracepoints/usdt/plan/image.h"

#include <errno.h>

#include "base/base.h"

/* Pointer encodings (DW_EH_PE_) as linkers write them. */
#define PE_ULEB128	0x01
#define PE_UDATA4	0x03
#define PE_SDATA4	0x0b
#define PE_PCREL	0x10
#define PE_DATAREL	0x30
#define PE_OMIT		0xff

#define AUGMENTATION_MAX	8
/* Other functions between two parts put apart: 188 is the most seen. */
#define PARTS_APART		512

int usdt_image_open(struct usdt_image *image, const struct usdt_file *file)
{
	Elf64_Ehdr header;
	Elf64_Phdr ph;

	__builtin_memset(image, 0, sizeof(*image));
	image->file = file;
	image->bounds = file->bounds;
	if (file->size < sizeof(header))
		return -ENOEXEC;
	__builtin_memcpy(&header, file->bytes, sizeof(header));
	if (header.e_phentsize != sizeof(ph) || header.e_phoff > file->size ||
	    header.e_phnum > (file->size - header.e_phoff) / sizeof(ph))
		return -ENOEXEC;
	for (uint32_t i = 0; i < header.e_phnum; i++) {
		__builtin_memcpy(&ph, file->bytes + header.e_phoff +
					      i * sizeof(ph), sizeof(ph));
		if (ph.p_type == PT_GNU_EH_FRAME)
			image->frames = ph.p_vaddr;
		if (ph.p_type == PT_DYNAMIC)
			image->dynamic = ph.p_vaddr;
		if (ph.p_type != PT_LOAD || !ph.p_filesz)
			continue;
		if (image->count == USDT_LOADS_MAX ||
		    ph.p_offset > file->size ||
		    ph.p_filesz > file->size - ph.p_offset ||
		    ph.p_vaddr + ph.p_filesz < ph.p_vaddr)
			return -ENOEXEC;
		image->loads[image->count++] = ph;
	}
	return 0;
}

const uint8_t *usdt_image_at(const struct usdt_image *image, uint64_t address,
			     uint64_t n, uint32_t flags, uint64_t *left)
{
	for (uint32_t i = 0; i < image->count; i++) {
		const Elf64_Phdr *ph = &image->loads[i];
		uint64_t at = address - ph->p_vaddr;

		if (address < ph->p_vaddr || at >= ph->p_filesz ||
		    n > ph->p_filesz - at || (ph->p_flags & flags) != flags)
			continue;
		if (left)
			*left = ph->p_filesz - at;
		return image->file->bytes + ph->p_offset + at;
	}
	return NULL;
}

/* Bytes of the file that are being read; `ok` becomes 0 when they end too
 * early. */
struct reading {
	const uint8_t *p;
	const uint8_t *end;
	uint64_t address;	/* of p */
	int ok;
};

/* Begins to read at an address. Returns false when the file has no byte for it.
 */
static bool reading_open(struct reading *r, const struct usdt_image *image,
			 uint64_t address)
{
	uint64_t left;

	r->p = usdt_image_at(image, address, 1, PF_R, &left);
	r->end = r->p + (r->p ? left : 0);
	r->address = address;
	r->ok = !!r->p;
	return r->ok;
}

/* Takes a number of 1 to 8 bytes, lowest first. Returns 0, and clears `ok`, at
 * the end. */
static uint64_t take_bytes(struct reading *r, uint32_t bytes)
{
	uint64_t value = 0;

	if (!r->ok || (uint64_t)(r->end - r->p) < bytes) {
		r->ok = 0;
		return 0;
	}
	__builtin_memcpy(&value, r->p, bytes);
	r->p += bytes;
	r->address += bytes;
	return value;
}

/* Takes four bytes, extended by the sign. */
static uint64_t take_signed4(struct reading *r)
{
	return (uint64_t)(int64_t)(int32_t)take_bytes(r, 4);
}

/* Takes a LEB128, of at most 63 bits */
static uint64_t take_leb(struct reading *r)
{
	uint64_t value = 0;

	for (uint32_t shift = 0; shift < 63; shift += 7) {
		uint64_t byte = take_bytes(r, 1);

		value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	r->ok = 0;
	return 0;
}

/* The part of a CIE that an FDE needs: the encodings of pointers. */
struct common {
	uint8_t code;
	uint8_t handlers;	/* PE_OMIT: it has none */
	uint8_t signal;		/* a frame that the kernel makes */
};

/* Returns how many bytes a pointer of an encoding has. */
static uint32_t encoded_bytes(uint64_t encoding)
{
	switch (encoding & 7) {
	case 2:
		return 2;
	case 3:
		return 4;
	default:
		return 8;
	}
}

/* Takes a pointer that is not indirect; 0 stays 0. */
static uint64_t take_encoded(struct reading *r, uint64_t encoding)
{
	uint64_t at = r->address;
	uint64_t value = (encoding & 0xf) == PE_SDATA4 ?
				 take_signed4(r) :
				 take_bytes(r, encoded_bytes(encoding));

	if (encoding & ~(uint64_t)(PE_PCREL | 0xf))
		r->ok = 0;
	return value && encoding & PE_PCREL ? at + value : value;
}

/* Reads a CIE. Returns false for a form that linkers do not write for C and
 * C++. */
static bool common_read(const struct usdt_image *image, uint64_t address,
			struct common *common)
{
	char letters[AUGMENTATION_MAX + 1] = "";
	struct reading r;
	uint32_t i = 0;

	if (!reading_open(&r, image, address))
		return false;
	take_bytes(&r, 4);			/* length */
	if (take_bytes(&r, 4) || take_bytes(&r, 1) != 1)
		return false;		/* no CIE of version 1 */
	while (r.ok && i < AUGMENTATION_MAX &&
	       (letters[i] = (char)take_bytes(&r, 1)))
		i++;
	if (!r.ok || i == AUGMENTATION_MAX || letters[0] != 'z')
		return false;
	take_leb(&r);			/* alignments, the return address */
	take_leb(&r);
	take_leb(&r);
	take_leb(&r);			/* bytes of what follows */
	common->code = 0;
	common->handlers = PE_OMIT;
	common->signal = 0;
	/* the data that the letters announce */
	for (i = 1; letters[i] && r.ok; i++) {
		switch (letters[i]) {
		case 'R':
			common->code = (uint8_t)take_bytes(&r, 1);
			break;
		case 'L':
			common->handlers = (uint8_t)take_bytes(&r, 1);
			break;
		case 'P':
			take_bytes(&r, encoded_bytes(take_bytes(&r, 1)));
			break;
		case 'S':
			common->signal = 1;
			break;
		default:
			r.ok = 0;
		}
	}
	return r.ok && common->code == (PE_PCREL | PE_SDATA4);
}

bool usdt_image_frame(const struct usdt_image *image, uint64_t address,
		      struct usdt_function *function)
{
	const uint8_t *end;
	struct common common;
	struct reading r;
	uint64_t length, first, at;

	if (!reading_open(&r, image, address))
		return false;
	length = take_bytes(&r, 4);
	end = length < (uint64_t)(r.end - r.p) ? r.p + length : r.end;
	at = r.address;
	at -= take_bytes(&r, 4);		/* of the CIE */
	if (!r.ok || !common_read(image, at, &common))
		return false;
	at = r.address;
	function->start = at + take_signed4(&r);
	function->end = function->start + take_bytes(&r, 4);
	function->signal = common.signal;
	length = take_leb(&r);		/* bytes of what follows */
	at = r.address + length;
	function->handlers = common.handlers == PE_OMIT ?
				     0 : take_encoded(&r, common.handlers);
	/* a part of another function begins with the frame of that one: the FDE
	 * changes the frame before the first advance (DW_CFA_) */
	function->frame = at;
	function->frame_bytes = r.p < end ? (uint64_t)(end - r.p) : 0;
	first = r.ok && r.address == at && r.p < end ? take_bytes(&r, 1) : 0;
	function->part = first > 4 && (first < 0x40 || first >= 0x80);
	if (!r.ok)
		function->end = 0;
	return function->start < function->end;
}

/* The rule of an FDE for the frame's address (DWARF's CFA): a register and an
 * offset. */
struct rule {
	uint64_t base;		/* NO_BASE: another form */
	uint64_t offset;
};

#define NO_BASE		UINT64_MAX
#define RULES_MAX	8	/* that are remembered */

/* Operands of instructions (DW_CFA_). l: LEB128; b: LEB128 and as many bytes;
 * -: no more. An instruction without a row is not known. */
static const char operands[][3] = {
	[0x00] = "-",  [0x05] = "ll", [0x06] = "l-", [0x07] = "l-",
	[0x08] = "l-", [0x09] = "ll", [0x0a] = "-",  [0x0b] = "-",
	[0x0c] = "ll", [0x0d] = "l-", [0x0e] = "l-", [0x0f] = "b-",
	[0x10] = "lb", [0x11] = "ll", [0x14] = "ll", [0x15] = "ll",
	[0x16] = "lb", [0x2e] = "l-",
};

/* Takes the operands of an instruction. */
static void take_operands(struct reading *r, uint64_t insn, uint64_t taken[2])
{
	if (insn >= ARRAY_SIZE(operands) || !operands[insn][0])
		r->ok = 0;
	for (uint32_t i = 0; i < 2 && r->ok && operands[insn][i] != '-'; i++) {
		taken[i] = take_leb(r);
		if (operands[insn][i] != 'b')
			continue;
		if (taken[i] > (uint64_t)(r->end - r->p))
			r->ok = 0;
		else
			r->p += taken[i];
	}
}

int usdt_image_bare(const struct usdt_image *image,
		    const struct usdt_function *function, uint64_t address)
{
	/* as the CIEs of this machine begin */
	struct rule rule = { 7, 8 }, kept[RULES_MAX];
	uint64_t at = function->start;
	uint64_t insn, taken[2];
	uint32_t nkept = 0;
	struct reading r;

	if (!reading_open(&r, image, function->frame) ||
	    function->frame_bytes > (uint64_t)(r.end - r.p))
		return -1;
	r.end = r.p + function->frame_bytes;
	while (r.p < r.end && at <= address) {
		insn = take_bytes(&r, 1);
		if (insn >> 6 == 1) {
			at += insn & 0x3f;
		} else if (insn >> 6) {
			if (insn >> 6 == 2)
				take_leb(&r);
		} else if (insn >= 2 && insn <= 4) {
			at += take_bytes(&r, 1u << (insn - 2));
		} else {
			take_operands(&r, insn, taken);
		}
		if (!r.ok)
			return -1;
		if (at > address)
			break;
		switch (insn) {
		case 0x0a:
			if (nkept == RULES_MAX)
				return -1;
			kept[nkept++] = rule;
			break;
		case 0x0b:
			if (!nkept)
				return -1;
			rule = kept[--nkept];
			break;
		case 0x0c:
			rule = (struct rule){ taken[0], taken[1] };
			break;
		case 0x0d:
			rule.base = taken[0];
			break;
		case 0x0e:
			rule.offset = taken[0];
			break;
		case 0x0f:
			rule.base = NO_BASE;
			break;
		}
	}
	return rule.base == 7 && rule.offset == 8;
}

bool usdt_image_handlers(const struct usdt_image *image,
			 const struct usdt_function *function,
			 void (*led)(void *arg, uint64_t target), void *arg)
{
	uint64_t start = function->start;
	uint64_t encoding, field[3];
	struct reading r;
	uint64_t bytes;

	if (!reading_open(&r, image, function->handlers))
		return false;
	/* the head of the table */
	encoding = take_bytes(&r, 1);
	if (encoding != PE_OMIT)
		start = take_encoded(&r, encoding);
	if (take_bytes(&r, 1) != PE_OMIT)
		take_leb(&r);		/* where the types are */
	encoding = take_bytes(&r, 1);
	bytes = take_leb(&r);
	if (encoding != PE_ULEB128 && encoding != PE_UDATA4)
		return false;
	if (!r.ok || bytes > (uint64_t)(r.end - r.p))
		return false;
	r.end = r.p + bytes;
	while (r.ok && r.p < r.end) {
		/* a site's start, its length, and where it leads */
		for (uint32_t i = 0; i < ARRAY_SIZE(field); i++)
			field[i] = encoding == PE_ULEB128 ? take_leb(&r) :
							    take_bytes(&r, 4);
		take_leb(&r);		/* the action */
		if (r.ok && field[2])
			led(arg, start + field[2]);
	}
	return r.ok;
}

/* The table of .eh_frame_hdr: pairs of a function's start and its frame's
 * address, relative to the header, sorted. */
struct table {
	const uint8_t *pairs;
	uint64_t n;
	uint64_t base;
};

/* Opens the table of .eh_frame_hdr. Returns false when there is none, or it is
 * damaged. */
static bool table_open(struct table *table, const struct usdt_image *image)
{
	struct reading r;
	uint64_t encodings;

	if (!image->frames || !reading_open(&r, image, image->frames))
		return false;
	encodings = take_bytes(&r, 4);
	take_bytes(&r, 4);			/* where .eh_frame is */
	table->n = take_bytes(&r, 4);
	table->pairs = r.p;
	table->base = image->frames;
	return r.ok && encodings >> 16 == ((PE_DATAREL | PE_SDATA4) << 8 |
					   PE_UDATA4) &&
	       (encodings & 0xff) == 1 && encoded_bytes(encodings >> 8) == 4 &&
	       table->n <= (uint64_t)(r.end - r.p) / 8;
}

/* Returns the first (0) or the second (1) of a pair. */
static uint64_t table_at(const struct table *table, uint64_t i, uint32_t which)
{
	int32_t offset;

	__builtin_memcpy(&offset, table->pairs + i * 8 + which * 4, 4);
	return table->base + (uint64_t)(int64_t)offset;
}

/* Finds the function by the bounds that the table does not have. */
static bool bound_find(const struct usdt_image *image, uint64_t address,
		       struct usdt_function *function)
{
	const struct usdt_bounds *bounds = image->bounds;
	const struct usdt_bound *bound;
	uint32_t low = 0;

	for (uint32_t high = bounds ? bounds->count : 0; low < high;) {
		uint32_t middle = low + (high - low) / 2;

		if (bounds->list[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	bound = &bounds->list[low - 1];
	if (address >= bound->end || bound->unclear)
		return false;
	if (bound->frame)
		return usdt_image_frame(image, bound->frame, function);
	*function = (struct usdt_function){
		.start = bound->start, .end = bound->end, .part = bound->part,
		.signal = bound->signal,
	};
	return true;
}

bool usdt_image_parts(const struct usdt_image *image, uint64_t *start,
		      uint64_t *end)
{
	const struct usdt_bounds *bounds = image->bounds;
	struct usdt_function function;
	struct table table;
	bool described = table_open(&table, image);
	uint64_t n = described ? table.n : bounds ? bounds->count : 0;
	uint64_t last = 0;

	*start = *end = 0;
	for (uint64_t i = 0; i < n && i - last < PARTS_APART; i++) {
		uint64_t first = described ? table_at(&table, i, 0) :
					     bounds->list[i].start;

		if (!i)
			*start = first;
		if (described ? !usdt_image_frame(image,
						  table_at(&table, i, 1),
						  &function) :
				!bound_find(image, first, &function))
			continue;
		if (!function.part)
			continue;
		last = i;
		*end = function.end;
	}
	return *start < *end;
}

/* Finds the function by the table. */
static bool table_find(const struct usdt_image *image, uint64_t address,
		       struct usdt_function *function)
{
	struct table table;
	uint64_t low = 0;
	uint64_t frame;

	if (!table_open(&table, image))
		return false;
	/* the last function that begins at the address or before it */
	for (uint64_t high = table.n; low < high;) {
		uint64_t middle = (low + high) / 2;

		if (table_at(&table, middle, 0) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	frame = low ? table_at(&table, low - 1, 1) : 0;
	return frame && usdt_image_frame(image, frame, function) &&
	       address >= function->start && address < function->end;
}

bool usdt_image_function(const struct usdt_image *image, uint64_t address,
			 struct usdt_function *function)
{
	function->end = 0;
	return table_find(image, address, function) ||
	       bound_find(image, address, function);
}
