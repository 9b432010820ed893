/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Planning jumps of five bytes; see usdt-plan.h.
 */
#include "tracepoints/usdt-plan.h"

#include <errno.h>

#include "buffers/base.h"
#include "buffers/sys.h"
#include "tracepoints/usdt-image.h"

#define NOP		0x90
#define SHORT_REACH	130	/* of a branch with a short operand */
#define INNER		0x1e	/* offsets 1 to 4 */
#define BLOCK_SHIFT	6
#define TABLE_MAX	4096	/* entries of a table of jumps */

/* Where to look for sites that an address is in: a bit for each block of code
 * that one is near. */
struct blocks {
	uint64_t low;
	uint64_t bytes;
	uint64_t *bits;
	uint64_t mapped;
};

struct planning {
	struct usdt_image image;
	const struct usdt_decoder *decoder;
	struct usdt_plan *plans;
	uint32_t count;
	struct blocks blocks;
};

static int blocks_make(struct planning *p)
{
	struct blocks *blocks = &p->blocks;
	uint64_t high = p->plans[p->count - 1].address + USDT_JUMP_BYTES;
	uint32_t i;

	blocks->low = p->plans[0].address & ~((1ull << BLOCK_SHIFT) - 1);
	blocks->bytes = high - blocks->low;
	blocks->mapped = align_up(((blocks->bytes >> BLOCK_SHIFT) + 64) / 8,
				  4096);
	blocks->bits = sys_map_anonymous(blocks->mapped);
	if (!blocks->bits)
		return -ENOMEM;
	for (i = 0; i < p->count; i++) {
		uint64_t first = p->plans[i].address - blocks->low + 1;
		uint64_t last = first + USDT_JUMP_BYTES - 2;

		first >>= BLOCK_SHIFT;
		last >>= BLOCK_SHIFT;
		blocks->bits[first / 64] |= 1ull << first % 64;
		blocks->bits[last / 64] |= 1ull << last % 64;
	}
	return 0;
}

static ALWAYS_INLINE int blocks_have(const struct blocks *blocks,
				     uint64_t address)
{
	uint64_t at = address - blocks->low;

	return at < blocks->bytes &&
	       blocks->bits[at >> (BLOCK_SHIFT + 6)] >>
			       (at >> BLOCK_SHIFT & 63) & 1;
}

/* The site that would have this address among its bytes 1 to 4; or NULL. Of
 * two that overlap either will do: neither can be. */
static struct usdt_plan *plan_at(const struct planning *p, uint64_t address)
{
	uint32_t low = 0;
	uint32_t high = p->count;

	if (!blocks_have(&p->blocks, address))
		return NULL;
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (p->plans[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - p->plans[low - 1].address >= USDT_JUMP_BYTES)
		return NULL;
	return &p->plans[low - 1];
}

/* Something leads to an address. */
static void led(struct planning *p, uint64_t address)
{
	struct usdt_plan *plan = plan_at(p, address);

	if (plan)
		plan->led |= (uint8_t)(1 << (address - plan->address));
}

/* Takes in an instruction that is covered. Returns why it cannot move. */
static enum usdt_reason cover(struct usdt_plan *plan, uint32_t at,
			      const struct usdt_decoded *insn)
{
	struct usdt_moved *moved = &plan->moved[plan->count];
	uint32_t end = at + insn->length;

	if (insn->move == USDT_STAYS)
		return USDT_FIXED;
	/* it would come back to what is covered */
	if (insn->move == USDT_CALL && end < USDT_JUMP_BYTES)
		return USDT_FIXED;
	plan->count++;
	plan->starts |= (uint8_t)(1 << at);
	plan->covered = (uint8_t)end;
	moved->target = insn->target;
	moved->at = (uint8_t)at;
	moved->length = insn->length;
	moved->move = insn->move;
	moved->field = insn->field;
	moved->code = insn->code;
	return USDT_FINE;
}

/* A table of offsets from itself, as compilers make for a switch. */
static void table_read(struct planning *p, uint64_t table)
{
	uint64_t left;
	const uint8_t *entry = usdt_image_at(&p->image, table, 4, PF_R, &left);
	uint32_t i;

	for (i = 0; entry && i < TABLE_MAX && left >= 4; i++) {
		int32_t offset;
		uint64_t target;

		__builtin_memcpy(&offset, entry, 4);
		target = table + (uint64_t)(int64_t)offset;
		if (!usdt_image_at(&p->image, target, 1, PF_X, NULL))
			return;
		led(p, target);
		entry += 4;
		left -= 4;
	}
}

/* A function ends too early, but nobody comes to its end, and there is padding
 * behind it. */
static enum usdt_reason padding_cover(const struct planning *p,
				      struct usdt_plan *plan, uint64_t at,
				      int ends)
{
	uint64_t end = plan->address + USDT_JUMP_BYTES;
	struct usdt_function next;
	struct usdt_decoded insn;
	const uint8_t *bytes;
	uint64_t left;

	while (ends && at < end) {
		bytes = usdt_image_at(&p->image, at, end - at, PF_R | PF_X,
				      &left);
		if (!bytes || usdt_image_function(&p->image, at, &next) ||
		    !usdt_decode(p->decoder, bytes, left, at, &insn) ||
		    !insn.padding)
			return USDT_ENDS;
		at += insn.length;
	}
	/* a padding's last byte may be a function's first by mistake */
	if (!ends || usdt_image_function(&p->image, end - 1, &next))
		return USDT_ENDS;
	plan->covered = USDT_JUMP_BYTES;
	return USDT_FINE;
}

/*
 * Goes over a function. With a plan: takes in what it covers, and the tables of
 * jumps that it uses. Without: only what its branches lead to. Returns
 * USDT_FINE, or why that cannot be done.
 */
static enum usdt_reason function_walk(struct planning *p,
				      const struct usdt_function *function,
				      struct usdt_plan *plan)
{
	uint64_t n = function->end - function->start;
	const uint8_t *bytes = usdt_image_at(&p->image, function->start, n,
					     PF_R | PF_X, NULL);
	enum usdt_reason reason = USDT_FINE;
	struct usdt_decoded insn;
	uint64_t at;
	int seen = 0;

	if (!bytes)
		return USDT_NO_FUNCTION;
	for (at = 0; at < n; at += insn.length) {
		uint64_t address = function->start + at;

		if (!usdt_decode(p->decoder, bytes + at, n - at, address,
				 &insn))
			return USDT_UNDECODED;
		if (insn.leads)
			led(p, insn.target);
		if (!plan)
			continue;
		if (insn.leads && insn.field)
			table_read(p, insn.target);
		seen |= address == plan->address;
		if (seen && !reason && address > plan->address &&
		    address < plan->address + USDT_JUMP_BYTES)
			reason = cover(plan,
				       (uint32_t)(address - plan->address),
				       &insn);
	}
	if (plan && !seen)
		return USDT_UNDECODED;
	if (!reason && plan && plan->covered < USDT_JUMP_BYTES)
		return padding_cover(p, plan, function->end, insn.ends);
	return reason;
}

/* Branches with short operands come from nearby, maybe out of a neighbour. */
static enum usdt_reason neighbours_walk(struct planning *p, uint64_t site,
					const struct usdt_function *own)
{
	struct usdt_function other;
	uint64_t at = site - SHORT_REACH;

	while (at < site + USDT_JUMP_BYTES + SHORT_REACH) {
		if (at >= own->start && at < own->end) {
			at = own->end;
		} else if (!usdt_image_function(&p->image, at, &other)) {
			at++;		/* padding */
		} else if (function_walk(p, &other, NULL) == USDT_FINE) {
			at = other.end;
		} else {
			return USDT_UNDECODED;
		}
	}
	return USDT_FINE;
}

static enum usdt_reason site_walk(struct planning *p, struct usdt_plan *plan)
{
	struct usdt_function function;
	enum usdt_reason reason;
	const uint8_t *bytes;

	bytes = usdt_image_at(&p->image, plan->address, USDT_JUMP_BYTES,
			      PF_R | PF_X, NULL);
	if (!bytes || bytes[0] != NOP)
		return USDT_NO_NOP;
	if (!usdt_image_function(&p->image, plan->address, &function))
		return USDT_NO_FUNCTION;
	if (function.handlers)
		return USDT_HANDLERS;
	reason = function_walk(p, &function, plan);
	if (reason)
		return reason;
	bytes = usdt_image_at(&p->image, plan->address, plan->covered,
			      PF_R | PF_X, NULL);
	if (!bytes)
		return USDT_ENDS;
	__builtin_memcpy(plan->bytes, bytes, plan->covered);
	return neighbours_walk(p, plan->address, &function);
}

/*
 * Is there an instruction with this operand, which ends at `end`? What cannot
 * be told is taken for one: all between functions that is not padding.
 */
static int leads(const struct planning *p, uint64_t end, uint64_t target)
{
	struct usdt_function function;
	struct usdt_decoded insn;
	const uint8_t *bytes;
	uint64_t at;
	uint64_t left;
	int within = usdt_image_function(&p->image, end - 1, &function);

	at = within ? function.start : function.end;
	bytes = at < end ? usdt_image_at(&p->image, at, end - at, PF_R | PF_X,
					 &left) : NULL;
	if (!bytes)
		return 1;
	for (; at < end; at += insn.length) {
		if (!usdt_decode(p->decoder, bytes, left, at, &insn) ||
		    (!within && !insn.padding) || insn.length > left)
			return 1;
		if (at + insn.length == end)
			return insn.leads && insn.target == target;
		bytes += insn.length;
		left -= insn.length;
	}
	return 0;
}

/* All that may be an operand in code: relative to what follows it, or, in a
 * program with a fixed address, an address. */
static void code_scan(struct planning *p, const Elf64_Phdr *ph, int fixed)
{
	const uint8_t *bytes = p->image.file->bytes + ph->p_offset;
	uint64_t at;

	for (at = 0; at + 4 <= ph->p_filesz; at++) {
		uint64_t end = ph->p_vaddr + at + 4;
		uint64_t target;
		int32_t operand;

		__builtin_memcpy(&operand, bytes + at, 4);
		target = end + (uint64_t)(int64_t)operand;
		if (unlikely(blocks_have(&p->blocks, target)) &&
		    plan_at(p, target) && leads(p, end, target))
			led(p, target);
		if (unlikely(fixed))
			led(p, (uint32_t)operand);
	}
}

/* Words that may be addresses. */
static void words_scan(struct planning *p, uint64_t address, uint64_t n)
{
	const uint8_t *bytes;
	uint64_t at = -address & 7;
	uint64_t word;

	bytes = n ? usdt_image_at(&p->image, address, n, 0, NULL) : NULL;
	for (; bytes && at + 8 <= n; at += 8) {
		__builtin_memcpy(&word, bytes + at, 8);
		led(p, word);
	}
}

enum { RELA, RELA_BYTES, PLT, PLT_BYTES, SYMBOLS, STRINGS, PACKED, TABLES };

/* Where the dynamic section says that its tables are; 0 where it does not. */
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
	uint32_t i;

	__builtin_memset(tables, 0, TABLES * sizeof(*tables));
	entry = usdt_image_at(image, image->dynamic, sizeof(dyn), PF_R, &left);
	for (; entry && left >= sizeof(dyn); left -= sizeof(dyn)) {
		__builtin_memcpy(&dyn, entry, sizeof(dyn));
		entry += sizeof(dyn);
		if (dyn.d_tag == DT_NULL)
			return;
		for (i = 0; i < TABLES; i++)
			if (dyn.d_tag == tags[i])
				tables[i] = dyn.d_un.d_val;
	}
}

/*
 * Addresses that the file has. In one that is loaded anywhere they are where
 * relocations and symbols are, or, where relocations are packed, in data that
 * can be written; else they may be in any data.
 */
static void addresses_scan(struct planning *p, int fixed)
{
	uint64_t tables[TABLES];
	uint32_t i;

	tables_find(&p->image, tables);
	for (i = 0; i < p->image.count; i++) {
		const Elf64_Phdr *ph = &p->image.loads[i];

		if (fixed || (tables[PACKED] && ph->p_flags & PF_W))
			words_scan(p, ph->p_vaddr, ph->p_filesz);
	}
	if (fixed)
		return;
	words_scan(p, tables[RELA], tables[RELA_BYTES]);
	words_scan(p, tables[PLT], tables[PLT_BYTES]);
	/* linkers put the symbols' names behind them */
	if (tables[STRINGS] > tables[SYMBOLS])
		words_scan(p, tables[SYMBOLS],
			   tables[STRINGS] - tables[SYMBOLS]);
}

static void file_scan(struct planning *p)
{
	uint16_t type;
	uint32_t i;

	__builtin_memcpy(&type, p->image.file->bytes +
					offsetof(Elf64_Ehdr, e_type),
			 sizeof(type));
	for (i = 0; i < p->image.count; i++)
		if (p->image.loads[i].p_flags & PF_X)
			code_scan(p, &p->image.loads[i], type == ET_EXEC);
	addresses_scan(p, type == ET_EXEC);
}

/* Another probe's nop changes by itself. */
static int probe_seen(const struct usdt_probe *probe, void *arg)
{
	struct planning *p = arg;
	struct usdt_plan *plan = plan_at(p, probe->address);

	if (plan && plan->address != probe->address)
		plan->reason = USDT_OVERLAPS;
	return 0;
}

static int planning_run(struct planning *p)
{
	uint32_t fine = 0;
	uint32_t i;

	if (blocks_make(p))
		return USDT_NO_MEMORY;
	for (i = 0; i < p->count; i++) {
		struct usdt_plan *plan = &p->plans[i];

		plan->reason = i && plan[-1].address == plan->address ?
				       USDT_OVERLAPS :
				       (uint8_t)site_walk(p, plan);
		fine += !plan->reason;
	}
	if (fine)
		file_scan(p);
	usdt_notes_read(p->image.file, probe_seen, p, NULL);
	sys_munmap(p->blocks.bits, p->blocks.mapped);
	for (i = 0; i < p->count; i++)
		if (!p->plans[i].reason && p->plans[i].led & INNER)
			p->plans[i].reason = USDT_LED_TO;
	return USDT_FINE;
}

void usdt_plan(const struct usdt_file *file, const struct usdt_decoder *decoder,
	       struct usdt_plan *plans, uint32_t n)
{
	struct planning p = { .decoder = decoder, .plans = plans, .count = n };
	uint64_t address;
	uint32_t i;
	int reason = USDT_NO_DECODER;

	for (i = 0; i < n; i++) {
		address = plans[i].address;
		__builtin_memset(&plans[i], 0, sizeof(plans[i]));
		plans[i].address = address;
	}
	if (n && decoder)
		reason = usdt_image_open(&p.image, file) ? USDT_NO_FUNCTION :
							   planning_run(&p);
	for (i = 0; i < n && reason; i++)
		plans[i].reason = (uint8_t)reason;
}

const char *usdt_reason_text(enum usdt_reason reason)
{
	static const char *const texts[USDT_REASONS] = {
		[USDT_FINE] = "it can be moved",
		[USDT_NO_DECODER] = "no libZydis to decode instructions with",
		[USDT_NO_MEMORY] = "no memory",
		[USDT_NO_NOP] = "no nop is there",
		[USDT_NO_FUNCTION] = "its function's bounds are not known",
		[USDT_UNDECODED] = "its function cannot be decoded",
		[USDT_ENDS] = "its code ends within five bytes",
		[USDT_OVERLAPS] = "another probe is within five bytes",
		[USDT_LED_TO] = "something jumps behind the nop",
		[USDT_FIXED] = "an instruction behind it cannot be moved",
		[USDT_HANDLERS] = "its function handles exceptions",
	};

	return (uint32_t)reason < USDT_REASONS ? texts[reason] : "unknown";
}
