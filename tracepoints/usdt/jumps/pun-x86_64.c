/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Places for jumps of which less than five bytes are switched: the operand ends
 * in bytes of the next instructions, which stay as they are (plan/plan.h).
 *
 *	site	8b 07 74 05 48		the operand is xx 74 05 48: a window of
 *		e9 xx			256 bytes
 *
 * A debugger or a uprobe may write cc where an instruction begins, and take it
 * out at any time, so the jump must be right with and without: a trampoline is
 * at each address to which some of these cc lead, and all lead to the same
 * code, which goes on behind the site and finds the cc.
 *
 * Invariant: while such a jump is on, no site has bytes of the operand, and
 * where the operand has other bytes it is not switched on.
 */
#include "tracepoints/usdt/jumps/jumps.h"

#include <errno.h>

#include "base/base.h"
#include "base/index.h"
#include "base/tunables.h"

#define TRAP		0xcc
#define PAGE		4096ull
#define UNIT		16u	/* of usdt_near_exact() */
#define REGIONS		16u	/* of a window: a page of each is tried */

static uint32_t pages_left = PUN_PAGES;
static struct index puns;	/* ways, by site */

uint32_t usdt_pun_targets(const uint8_t *on, uint64_t site, uint32_t starts,
			  uint64_t targets[static USDT_PUNS_MAX])
{
	uint8_t bytes[USDT_JUMP_BYTES];
	uint32_t n = 0, some;

	/* a cc that the program has makes no difference */
	for (uint32_t k = 1; k < USDT_JUMP_BYTES; k++)
		if (on[k] == TRAP)
			starts &= ~(1u << k);
	some = starts;
	do {
		for (uint32_t k = 0; k < USDT_JUMP_BYTES; k++)
			bytes[k] = some >> k & 1 ? TRAP : on[k];
		targets[n++] = usdt_jump_target(bytes, site, 0);
		some = (some - 1) & starts;
	} while (some != starts);
	return n;
}

/* Gives n of the places back. */
static void targets_undo(const uint64_t targets[static USDT_PUNS_MAX],
			 uint32_t n)
{
	while (n-- > 0)
		usdt_near_undo(targets[n], USDT_TRAMPOLINE_BYTES, &pages_left);
}

void usdt_pun_give(const uint8_t *on, uint64_t site, uint32_t starts)
{
	uint64_t targets[USDT_PUNS_MAX];

	targets_undo(targets, usdt_pun_targets(on, site, starts, targets));
}

/* Takes all places, or none. Returns as usdt_near_exact(). */
static int targets_take(const uint8_t *on, uint64_t site, uint32_t starts)
{
	uint64_t targets[USDT_PUNS_MAX];
	uint32_t n = usdt_pun_targets(on, site, starts, targets), i;
	int ret = 0;

	for (i = 0; i < n && !ret; i++)
		ret = usdt_near_exact(targets[i], USDT_TRAMPOLINE_BYTES,
				      &pages_left);
	if (ret)
		targets_undo(targets, i - 1);
	return ret;
}

int usdt_pun_take(uint8_t *on, uint64_t site, uint32_t n, uint32_t starts)
{
	/* with few pages for many sites: those of a region share one */
	uint64_t size = 1ull << 8 * (n - 1), region = size / REGIONS, low;
	int ret = -ERANGE;

	region = region < PAGE ? PAGE : region;
	__builtin_memset(on + 1, 0, n - 1);
	low = usdt_jump_target(on, site, 0);
	for (uint64_t page = low & ~(region - 1); page < low + size;
	     page += region) {
		uint64_t to = page < low ? low : page;

		/* where the lowest byte is free, the place is a unit */
		to = n > 1 ? align_up(to, UNIT) : to;
		for (ret = -EADDRINUSE; ret == -EADDRINUSE && to < low + size &&
					to < page + PAGE; to += UNIT) {
			uint32_t operand = (uint32_t)(to - site -
						      USDT_JUMP_BYTES);

			__builtin_memcpy(on + 1, &operand, n - 1);
			ret = targets_take(on, site, starts);
			if (!ret)
				return 0;
		}
	}
	return pages_left ? -ERANGE : -ENOSPC;
}

bool usdt_pun_holds(const struct way *way)
{
	const uint8_t *code = (const uint8_t *)way->site;
	const uint8_t *off = usdt_way_part(way, WAY_OFF);

	for (uint32_t k = way->n; way->puns && k < USDT_JUMP_BYTES; k++)
		if (code[k] != off[k] &&
		    !(code[k] == TRAP && way->puns >> k & 1))
			return false;
	return true;
}

int usdt_puns_add(const struct way *way)
{
	return index_add(&puns, address_hash(way->site), (uint64_t)way);
}

struct asked {
	uint64_t site;
	bool lent;
};

/* As index_find() asks. */
static bool on_at(uint64_t value, const void *arg)
{
	const struct way *way = (const struct way *)value;
	const struct asked *asked = arg;

	return way->site == asked->site && usdt_pun_is_on(way) &&
	       !(asked->lent && usdt_way_lives(way));
}

bool usdt_puns_on(uint64_t start, uint64_t end, bool lent)
{
	struct asked asked = { start - USDT_JUMP_BYTES + 1, lent };

	for (; asked.site < end; asked.site++)
		if (index_find(&puns, address_hash(asked.site), on_at, &asked))
			return true;
	return false;
}
