/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds everything that may lead to a place after a nop; see scan-private.h.
 */
#include "tracepoints/usdt/plan/scan-private.h"

#include <emmintrin.h>
#include <errno.h>

#include "base/base.h"
#include "base/sys.h"
#include "tracepoints/usdt/plan/exits.h"
#include "tracepoints/usdt/plan/sort.h"

#define BLOCK_SHIFT	6
#define CLAIMS_MAX	32768u
#define CLAIMS_BYTES	(CLAIMS_MAX * sizeof(struct usdt_claim))
#define SHORT_REACH	130	/* of a branch with a short operand */
#define STEP		64	/* bytes scanned at a time */

#define LABELS_MAX	(1ull << 32)	/* bytes of code */

/* Returns how many bytes are mapped for n bits. */
static uint64_t labels_bytes(uint64_t n)
{
	return align_up((n + 64) / 8 + 8, 4096);
}

/* Marks the block of an address. */
static void blocks_mark(struct usdt_blocks *blocks, uint64_t address)
{
	uint64_t block = (address - blocks->low) >> BLOCK_SHIFT;

	blocks->bits[block / 64] |= 1ull << block % 64;
}

int usdt_scan_open(struct usdt_scan *scan, const struct usdt_image *image,
		   struct usdt_plan *plans, uint32_t n)
{
	struct usdt_blocks *blocks = &scan->blocks;
	uint64_t high = plans[n - 1].address + USDT_PATCH_MAX;

	*scan = (struct usdt_scan){ .image = image, .plans = plans,
				    .count = n };
	blocks->low = plans[0].address & ~((1ull << BLOCK_SHIFT) - 1);
	blocks->bytes = high - blocks->low;
	blocks->mapped = labels_bytes(blocks->bytes >> BLOCK_SHIFT);
	blocks->bits = sys_map_anonymous(blocks->mapped);
	if (!blocks->bits)
		return -ENOMEM;
	scan->claims = sys_map_anonymous(CLAIMS_BYTES);
	if (!scan->claims) {
		sys_munmap(blocks->bits, blocks->mapped);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		blocks_mark(blocks, plans[i].address + 1);
		blocks_mark(blocks, plans[i].address + USDT_PATCH_MAX - 1);
	}
	return 0;
}

void usdt_scan_close(struct usdt_scan *scan)
{
	sys_munmap(scan->claims, CLAIMS_BYTES);
	sys_munmap(scan->blocks.bits, scan->blocks.mapped);
}

/* Returns true when the address may be in a site. */
static ALWAYS_INLINE bool blocks_have(const struct usdt_blocks *blocks,
				      uint64_t address)
{
	uint64_t at = address - blocks->low;

	return at < blocks->bytes &&
	       blocks->bits[at >> (BLOCK_SHIFT + 6)] >>
			       (at >> BLOCK_SHIFT & 63) & 1;
}

void usdt_scan_led(struct usdt_scan *scan, uint64_t target)
{
	uint32_t at;

	if (!blocks_have(&scan->blocks, target))
		return;
	if (scan->labels) {
		target -= scan->blocks.low;
		scan->labels[target / 64] |= 1ull << target % 64;
		return;
	}
	at = usdt_plans_before(scan->plans, scan->count, target);
	while (at-- > 0) {
		uint64_t k = target - scan->plans[at].address;

		if (k >= USDT_PATCH_MAX)
			return;
		scan->plans[at].led |= (uint16_t)(1u << k);
	}
}

/* Adds a claim, if the target is shortly after a nop. */
static void claim_add(struct usdt_scan *scan, uint64_t end, uint64_t target)
{
	uint32_t at;

	if (!blocks_have(&scan->blocks, target))
		return;
	at = usdt_plans_before(scan->plans, scan->count, target);
	if (!at || target - scan->plans[at - 1].address >= USDT_PATCH_MAX)
		return;
	if (scan->nclaims == CLAIMS_MAX) {
		usdt_scan_led(scan, target);
		return;
	}
	scan->claims[scan->nclaims].end = end;
	scan->claims[scan->nclaims++].target = target;
}

/* A piece of the file's code. */
struct span {
	const uint8_t *bytes;
	uint64_t n;
	uint64_t address;
};

/*
 * Returns a bit for each byte from p on that may be the last one before an
 * operand relative to the end: call, jmp; jcc after 0f; a lea's second byte
 * after 8d; xbegin's after c7.
 */
static ALWAYS_INLINE uint64_t openings_find(const uint8_t *p)
{
	const __m128i here = _mm_loadu_si128((const __m128i *)p);
	const __m128i before = _mm_loadu_si128((const __m128i *)(p - 1));
#define ALL(value)		_mm_set1_epi8((char)(value))
#define IS(what, value)		_mm_cmpeq_epi8(what, ALL(value))
#define MASKED(mask, value)	IS(_mm_and_si128(here, ALL(mask)), value)
	__m128i found = MASKED(0xfe, 0xe8);

	found = _mm_or_si128(found, _mm_and_si128(MASKED(0xf0, 0x80),
						  IS(before, 0x0f)));
	found = _mm_or_si128(found, _mm_and_si128(MASKED(0xc7, 0x05),
						  IS(before, 0x8d)));
	found = _mm_or_si128(found, _mm_and_si128(IS(here, 0xf8),
						  IS(before, 0xc7)));
	return (uint32_t)_mm_movemask_epi8(found);
}

/* Adds a claim for each of STEP bytes whose operand leads near a site. */
static ALWAYS_INLINE void step_scan(struct usdt_scan *scan, const uint8_t *p,
				    uint64_t address)
{
	const struct usdt_blocks blocks = scan->blocks;
	uint64_t found = openings_find(p) | openings_find(p + 16) << 16 |
			 openings_find(p + 32) << 32 |
			 openings_find(p + 48) << 48;

	for (; found; found &= found - 1) {
		uint32_t k = (uint32_t)__builtin_ctzll(found) + 1;
		uint64_t end = address + k + 4;
		int32_t operand;

		__builtin_memcpy(&operand, p + k, 4);
		if (unlikely(blocks_have(&blocks,
					 end + (uint64_t)(int64_t)operand)))
			claim_add(scan, end, end + (uint64_t)(int64_t)operand);
	}
}

/* Does the same for the first and the last bytes of a span. An operand that
 * would go on past the end is filled with zeros. */
static void edge_scan(struct usdt_scan *scan, const struct span *span,
		      uint64_t at)
{
	uint8_t bytes[1 + STEP + 4] = { 0 };
	uint64_t n = span->n - at < STEP + 4 ? span->n - at : STEP + 4;

	if (at)
		bytes[0] = span->bytes[at - 1];
	__builtin_memcpy(bytes + 1, span->bytes + at, n);
	step_scan(scan, bytes + 1, span->address + at);
}

/* Adds the claims of a span of code. */
static void span_scan(struct usdt_scan *scan, const struct span *span,
		      int fixed)
{
	const struct usdt_blocks blocks = scan->blocks;
	uint32_t operand;

	for (uint64_t at = 0; at < span->n; at += STEP) {
		if (unlikely(!at || span->n - at < STEP + 4))
			edge_scan(scan, span, at);
		else
			step_scan(scan, span->bytes + at, span->address + at);
	}
	/* in a program with a fixed address, four bytes may be an address,
	 * too */
	for (uint64_t at = 0; fixed && at + 4 <= span->n; at++) {
		__builtin_memcpy(&operand, span->bytes + at, 4);
		if (unlikely(blocks_have(&blocks, operand)))
			usdt_scan_led(scan, operand);
	}
}

/* Opens code between two addresses. Returns false when the file does not have
 * it. */
static bool span_open(struct span *span, const struct usdt_image *image,
		      uint64_t start, uint64_t end)
{
	span->address = start;
	span->n = end - start;
	span->bytes = usdt_image_at(image, start, span->n, PF_R | PF_X, NULL);
	return !!span->bytes;
}

/* Opens the whole segment of code that an address is in. */
static bool span_widen(struct span *span, const struct usdt_image *image,
		       uint64_t address)
{
	for (uint32_t i = 0; i < image->count; i++) {
		const Elf64_Phdr *ph = &image->loads[i];

		if (address - ph->p_vaddr < ph->p_filesz)
			return span_open(span, image, ph->p_vaddr,
					 ph->p_vaddr + ph->p_filesz);
	}
	return false;
}

/* Adds claims for branches with short operands: jcc, jmp, loop and jrcxz. */
static void near_scan(struct usdt_scan *scan, const struct span *span,
		      uint64_t site)
{
	uint64_t at = site - span->address;
	uint64_t end = at + USDT_PATCH_MAX + SHORT_REACH;

	at = at > SHORT_REACH ? at - SHORT_REACH : 0;
	for (; at < end && at + 2 <= span->n; at++) {
		const uint8_t *p = span->bytes + at;
		uint64_t target = span->address + at + 2 +
				  (uint64_t)(int64_t)(int8_t)p[1];

		if (target - site - 1 < USDT_PATCH_MAX - 1 &&
		    ((p[0] & 0xf0) == 0x70 || p[0] == 0xeb ||
		     (p[0] & 0xfc) == 0xe0))
			claim_add(scan, span->address + at + 2, target);
	}
}

/* Scans words that may be addresses: one every `step` bytes. */
static void words_scan(struct usdt_scan *scan, uint64_t address, uint64_t n,
		       uint32_t first, uint32_t step)
{
	const struct usdt_blocks blocks = scan->blocks;
	const uint8_t *bytes;
	uint64_t at = (-address & 7) + first;
	uint64_t word;

	bytes = n ? usdt_image_at(scan->image, address, n, 0, NULL) : NULL;
	for (; bytes && at + 8 <= n; at += step) {
		__builtin_memcpy(&word, bytes + at, 8);
		if (unlikely(blocks_have(&blocks, word)))
			usdt_scan_led(scan, word);
	}
}

enum { RELA, RELA_BYTES, PLT, PLT_BYTES, SYMBOLS, STRINGS, PACKED, TABLES };

/* Finds the tables that the dynamic section names; 0 for one that it does
 * not. */
static void tables_find(const struct usdt_image *image,
			uint64_t tables[static TABLES])
{
	static const int64_t tags[TABLES] = {
		DT_RELA, DT_RELASZ, DT_JMPREL, DT_PLTRELSZ, DT_SYMTAB,
		DT_STRTAB, 36 /* DT_RELR */,
	};
	const uint8_t *entry;
	uint64_t left = 0;
	Elf64_Dyn dyn;

	__builtin_memset(tables, 0, TABLES * sizeof(*tables));
	entry = usdt_image_at(image, image->dynamic, sizeof(dyn), PF_R, &left);
	for (; entry && left >= sizeof(dyn); left -= sizeof(dyn)) {
		__builtin_memcpy(&dyn, entry, sizeof(dyn));
		entry += sizeof(dyn);
		if (dyn.d_tag == DT_NULL)
			return;
		for (uint32_t i = 0; i < TABLES; i++)
			if (dyn.d_tag == tags[i])
				tables[i] = dyn.d_un.d_val;
	}
}

bool usdt_is_fixed(const struct usdt_image *image)
{
	uint16_t type;

	__builtin_memcpy(&type, image->file->bytes +
					offsetof(Elf64_Ehdr, e_type),
			 sizeof(type));
	return type == ET_EXEC;
}

/*
 * In a file that can be loaded at any address, addresses are in relocations and
 * symbols; if relocations are packed, also in writable data. In other files
 * they may be in any data.
 */
void usdt_scan_addresses(struct usdt_scan *scan)
{
	bool fixed = usdt_is_fixed(scan->image);
	uint64_t tables[TABLES];

	tables_find(scan->image, tables);
	for (uint32_t i = 0; i < scan->image->count; i++) {
		const Elf64_Phdr *ph = &scan->image->loads[i];

		if (fixed || (tables[PACKED] && ph->p_flags & PF_W))
			words_scan(scan, ph->p_vaddr, ph->p_filesz, 0, 8);
	}
	if (fixed)
		return;
	words_scan(scan, tables[RELA], tables[RELA_BYTES],
		   offsetof(Elf64_Rela, r_addend), sizeof(Elf64_Rela));
	words_scan(scan, tables[PLT], tables[PLT_BYTES],
		   offsetof(Elf64_Rela, r_addend), sizeof(Elf64_Rela));
	/* linkers put the names after the symbols */
	if (tables[STRINGS] > tables[SYMBOLS])
		words_scan(scan, tables[SYMBOLS],
			   tables[STRINGS] - tables[SYMBOLS],
			   offsetof(Elf64_Sym, st_value), sizeof(Elf64_Sym));
}

void usdt_layout_open(struct usdt_layout *layout,
		      const struct usdt_image *image)
{
	struct usdt_scan scan = { .image = image };
	struct usdt_blocks *blocks = &scan.blocks;
	uint64_t high = 0;

	*layout = (struct usdt_layout){ .low = UINT64_MAX };
	if (!usdt_image_parts(image, &layout->area, &layout->area_end))
		layout->area = layout->area_end = 0;
	for (uint32_t i = 0; i < image->count; i++) {
		const Elf64_Phdr *ph = &image->loads[i];

		if (!(ph->p_flags & PF_X))
			continue;
		if (ph->p_vaddr < layout->low)
			layout->low = ph->p_vaddr & ~63ull;
		if (ph->p_vaddr + ph->p_filesz > high)
			high = ph->p_vaddr + ph->p_filesz;
	}
	layout->bytes = high > layout->low ? high - layout->low : 0;
	if (!layout->bytes || layout->bytes > LABELS_MAX)
		return;
	blocks->low = layout->low;
	blocks->bytes = layout->bytes;
	blocks->mapped = labels_bytes(blocks->bytes >> BLOCK_SHIFT);
	blocks->bits = sys_map_anonymous(blocks->mapped);
	if (!blocks->bits)
		return;
	__builtin_memset(blocks->bits, 0xff, blocks->mapped);
	layout->labels = sys_map_anonymous(labels_bytes(layout->bytes));
	scan.labels = layout->labels;
	if (scan.labels)
		usdt_scan_addresses(&scan);
	sys_munmap(blocks->bits, blocks->mapped);
}

void usdt_layout_close(struct usdt_layout *layout)
{
	if (layout->labels)
		sys_munmap(layout->labels, labels_bytes(layout->bytes));
	layout->labels = NULL;
}

void usdt_scan_code(struct usdt_scan *scan)
{
	bool fixed = usdt_is_fixed(scan->image);
	struct span span = { 0 };
	const struct usdt_plan *apart = NULL;
	struct usdt_claim room;
	bool wide = false;
	uint64_t start, end;

	for (uint32_t i = 0; i < scan->count; i++) {
		const struct usdt_plan *plan = &scan->plans[i];

		if (plan->reason)
			continue;
		if (plan->apart)
			apart = plan;
		/* plans of one function follow each other */
		if (plan->address - span.address >= span.n ||
		    (plan->bare && !wide)) {
			wide = plan->bare;
			if (!(plan->bare ? span_widen(&span, scan->image,
						      plan->address) :
					   span_open(&span, scan->image,
						     plan->start, plan->end))) {
				span.n = 0;
				continue;
			}
			span_scan(scan, &span, fixed);
		}
		near_scan(scan, &span, plan->address);
	}
	/* sections do not reach others with short operands */
	if (apart && !wide && span_widen(&span, scan->image, apart->address))
		span_scan(scan, &span, 0);
	if (usdt_image_parts(scan->image, &start, &end) &&
	    span_open(&span, scan->image, start, end))
		span_scan(scan, &span, fixed);
	/* of one span the claims come nearly sorted */
	sort_things(scan->claims, scan->nclaims, sizeof(room), &room,
		    sort_number);
}
