/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the places that tables of jumps lead to. A table has offsets from
 * itself, as compilers make for a switch, or from a label. The function that
 * takes the address of a table need not be the one that jumps, nor the one that
 * is led to: parts put apart take part in both. The length is not known: a
 * table ends at the first word that leads to no instruction, mostly as the next
 * table is there.
 *
 * Invariant: a word past the end of a table may add a place that nothing leads
 * to; a place to which a table leads is never left out if the instruction that
 * takes the table's address is in a function whose bounds are known.
 */
#include "tracepoints/usdt/plan/scan-private.h"

#include <emmintrin.h>
#include <errno.h>

#include "base/base.h"
#include "base/sys.h"
#include "tracepoints/usdt/plan/exits.h"

#define TABLE_MAX	65536u	/* words */
#define OFFSETS_BYTES	4096u	/* that are read of a table of a label */
#define LEA_BYTES	6u	/* without the prefix */
#define STARTS_BYTES	16384u	/* a bit for each byte of a function */

/* Words of a table: bytes of each, negative ones have no sign. */
static const int8_t widths[] = { 4, 8, 2, -2, 1, -1 };
#define OWN_WIDTHS	2	/* that compilers use without a label */

struct finding {
	const struct usdt_image *image;
	const struct usdt_decoder *decoder;
	struct usdt_places *places;
	struct usdt_function function;	/* that was looked at last */
	uint8_t *starts;		/* where instructions begin */
	uint64_t starting;		/* of the function that begins here */
	uint64_t label;			/* that was looked at last */
	bool fixed;			/* operands are addresses */
	int ret;
};

bool usdt_jumps_through(const uint8_t *bytes, uint64_t n)
{
	uint64_t at;

	for (at = 0; at + 1 < n; at++)
		if (bytes[at] == 0xff && (bytes[at + 1] & 0x38) == 0x20)
			return true;
	return false;
}

/* A table of jumps: words that are offsets from a base. */
struct table {
	uint64_t base;
	uint64_t at;		/* of the next word */
	uint64_t end;
	int32_t width;		/* as in `widths` */
	uint32_t read;		/* words */
};

/* Returns where in the code the next word leads, or 0: the table has ended. */
static uint64_t table_next(const struct usdt_image *image,
			   struct table *table)
{
	uint32_t bytes = (uint32_t)(table->width < 0 ? -table->width :
						       table->width);
	const uint8_t *word = usdt_image_at(image, table->at, bytes, PF_R,
					    NULL);
	uint64_t value = 0, sign = 1ull << (bytes * 8 - 1);

	if (!word || table->at >= table->end || table->read == TABLE_MAX)
		return 0;
	__builtin_memcpy(&value, word, bytes);
	if (table->width > 0)
		value = (value ^ sign) - sign;
	table->at += bytes;
	table->read++;
	value += table->base;
	return usdt_image_at(image, value, 1, PF_X, NULL) ? value : 0;
}

/* Adds a range. Sets `ret` where there is no memory. */
static void place_add(struct finding *f, uint64_t first, uint64_t end)
{
	struct usdt_places *places = f->places;
	uint32_t room = places->room ? places->room * 2 : 256;
	struct usdt_range *list = places->list;

	if (places->count == places->room) {
		list = sys_map_anonymous(room * sizeof(*list));
		if (!list) {
			f->ret = -ENOMEM;
			return;
		}
		if (places->count)
			__builtin_memcpy(list, places->list,
					 places->count * sizeof(*list));
		usdt_places_close(places);
		places->list = list;
		places->room = room;
	}
	list[places->count++] = (struct usdt_range){ first, end };
}

void usdt_places_close(struct usdt_places *places)
{
	if (places->list)
		sys_munmap(places->list,
			   places->room * sizeof(*places->list));
	places->list = NULL;
	places->known = false;
}

/* Tells whether an address is in the last function, or else finds the one that
 * it is in. */
static bool function_at(struct finding *f, uint64_t address)
{
	return (address >= f->function.start && address < f->function.end) ||
	       usdt_image_function(f->image, address, &f->function);
}

/* Tells whether an instruction of a function begins at an address, or that is
 * not known. */
static bool begins_at(struct finding *f, const struct usdt_function *function,
		      uint64_t address)
{
	uint64_t n = function->end - function->start, at;
	const uint8_t *bytes = usdt_image_at(f->image, function->start, n, PF_X,
					     NULL);
	struct usdt_decoded insn;

	if (!f->starts || !bytes || n >= STARTS_BYTES * 8)
		return true;
	if (f->starting != function->start) {
		f->starting = function->start;
		__builtin_memset(f->starts, 0, n / 8 + 1);
		for (at = 0; at < n; at += insn.length) {
			f->starts[at / 8] |= (uint8_t)(1u << at % 8);
			if (usdt_decode_plain(bytes + at, n - at,
					      function->start + at, &insn) ||
			    usdt_decode(f->decoder, bytes + at, n - at,
					function->start + at, &insn))
				continue;
			__builtin_memset(f->starts + at / 8, 0xff,
					 n / 8 + 1 - at / 8);
			break;
		}
	}
	at = address - function->start;
	return f->starts[at / 8] >> at % 8 & 1;
}

/* Adds the places that a table of a function leads to. Ends at a word that
 * leads to no instruction. Returns how many words there are. */
static uint32_t table_follow(struct finding *f, struct table table,
			     const struct usdt_function *function)
{
	struct usdt_function other = *function;
	uint64_t target, last = 0;
	uint32_t n;

	for (n = 0; (target = table_next(f->image, &table)); n++) {
		if ((target < other.start || target >= other.end) &&
		    !usdt_image_function(f->image, target, &other))
			break;
		if (!begins_at(f, &other, target))
			break;
		/* no jump goes on into the next function */
		if (target != other.start && target != last)
			place_add(f, target, target + 1);
		last = target;
	}
	return n;
}

/* Tells whether the bytes of an opcode and the next one begin a lea relative to
 * the next instruction. */
static bool is_relative(const uint8_t *p)
{
	return p[0] == 0x8d && (p[1] & 0xc7) == 5;
}

/* Returns the address that is the operand at p + 2 of such a lea; or, in a
 * program with a fixed address, of an instruction that adds it to a register
 * (`label`: add, lea), or that loads from it or sets a register to it; or 0. */
static uint64_t operand_at(const struct finding *f, const uint8_t *p,
			   uint64_t address, bool label)
{
	int32_t operand;

	__builtin_memcpy(&operand, p + 2, 4);
	if (is_relative(p))
		return address + LEA_BYTES + (uint64_t)(int64_t)operand;
	if (!f->fixed)
		return 0;
	if (label ? (p[0] == 0x81 && (p[1] & 0xf8) == 0xc0) ||
		    (p[0] == 0x48 && p[1] == 0x05) ||
		    (p[0] == 0x8d && (p[1] & 0xc0) == 0x80) :
		    ((p[0] & 0xc7) == 4 && (p[1] & 0xc7) == 5) ||
		    (p[1] & 0xc0) == 0x80 || (p[1] & 0xf8) == 0xb8)
		return (uint32_t)operand;
	return 0;
}

/* Tells whether an address is in a function. */
static bool is_code(const struct finding *f, uint64_t address,
		    struct usdt_function *function)
{
	return usdt_image_at(f->image, address, 1, PF_X, NULL) &&
	       usdt_image_function(f->image, address, function);
}

/*
 * Adds the places that a function may jump to by offsets from a label: those of
 * any table whose address the function takes. If there is no such table, the
 * offsets are computed, or come from elsewhere: each place in the function may
 * be meant.
 */
static void label_follow(struct finding *f, uint64_t label)
{
	struct usdt_function function = f->function;
	uint64_t n = function.end - function.start, at, k, table;
	const uint8_t *bytes = usdt_image_at(f->image, function.start, n, PF_X,
					     NULL);
	struct usdt_function other;
	uint32_t most = 0, words;

	if (label == f->label || !bytes || !usdt_jumps_through(bytes, n))
		return;
	f->label = label;
	/* where instructions begin is not known of large functions */
	for (at = 0; at + LEA_BYTES <= n && n < STARTS_BYTES * 8; at++) {
		table = operand_at(f, bytes + at, function.start + at, false);
		if (!table || is_code(f, table, &other))
			continue;
		for (k = 0; k < ARRAY_SIZE(widths); k++) {
			words = table_follow(f, (struct table){
				.base = label, .at = table,
				.end = table + OFFSETS_BYTES,
				.width = widths[k] }, &function);
			most = words > most ? words : most;
		}
	}
	if (most < 2)
		place_add(f, function.start + 1, function.end);
}

/* Looks at an instruction that may take the address of a label or a table. */
static void operand_look(struct finding *f, const uint8_t *p, uint64_t from,
			 uint64_t to)
{
	struct table table, copy;
	struct usdt_function other;
	uint32_t k;

	if (is_code(f, to, &other)) {
		if (to != other.start && !other.signal &&
		    !usdt_is_linkage(f->image, to) && function_at(f, from) &&
		    (is_relative(p) || other.start == f->function.start))
			label_follow(f, to);
		return;
	}
	for (k = 0; is_relative(p) && k < OWN_WIDTHS; k++) {
		table = copy = (struct table){ .base = to, .at = to,
						    .end = UINT64_MAX,
						    .width = widths[k] };
		/* most are no tables */
		if (table_next(f->image, &copy) && function_at(f, from))
			table_follow(f, table, &f->function);
	}
}

/* Looks at the operands of a segment's code. */
static void segment_look(struct finding *f, const Elf64_Phdr *ph)
{
	const uint8_t *p = f->image->file->bytes + ph->p_offset;
	const __m128i lea = _mm_set1_epi8((char)0x8d);
	uint64_t at = 0, to;
	uint32_t found;

	for (; at + LEA_BYTES <= ph->p_filesz; at += 16) {
		found = 0xffff;
		if (!f->fixed && at + 16 <= ph->p_filesz)
			found = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(
				_mm_loadu_si128((const __m128i *)(p + at)),
				lea));
		for (; found; found &= found - 1) {
			uint64_t k = at + (uint32_t)__builtin_ctz(found);

			if (k + LEA_BYTES > ph->p_filesz)
				return;
			to = operand_at(f, p + k, ph->p_vaddr + k, true);
			if (to)
				operand_look(f, p + k, ph->p_vaddr + k, to);
		}
	}
}

int usdt_places_find(struct usdt_places *places, const struct usdt_image *image,
		     const struct usdt_decoder *decoder)
{
	struct finding f = { .image = image, .decoder = decoder,
			     .places = places,
			     .fixed = usdt_is_fixed(image) };
	uint32_t i;

	if (places->known)
		return 0;
	f.starts = sys_map_anonymous(STARTS_BYTES);
	for (i = 0; i < image->count; i++)
		if (image->loads[i].p_flags & PF_X)
			segment_look(&f, &image->loads[i]);
	if (f.starts)
		sys_munmap(f.starts, STARTS_BYTES);
	places->known = !f.ret;
	return f.ret;
}
