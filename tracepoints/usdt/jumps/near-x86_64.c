/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds places for code within a jump's reach of a module; see private.h.
 *
 * Invariant: no mapping of the program is replaced, and heap and stack keep
 * room to grow.
 */
#include "tracepoints/usdt/jumps/jumps.h"

#include <errno.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/sys.h"

#define PAGE		4096ull
#define UNIT		16u	/* bytes */
#define UNITS		(PAGE / UNIT)
#define REACH		0x70000000ull	/* leaves room for the module */
#define STEP		(4ull << 20)

/* A page of the agent's code, and the units that are in use. */
struct near {
	struct near *next;
	uint64_t address;
	uint32_t behind;	/* where usdt_near_take() continues */
	uint16_t lone;		/* few jumps can lead to it */
	uint16_t counted;	/* down, by usdt_near_exact() */
	uint64_t used[UNITS / 64];
};

static struct arena_type near_type = ARENA_TYPE(struct near);
static struct near *nears;

/* Returns true when a jump from anywhere in the site's module reaches the
 * address. */
static bool is_near(uint64_t site, uint64_t address)
{
	return (address > site ? address - site : site - address) < REACH;
}

/* Tells whether the units of n bytes at an offset are free. */
static bool units_free(const struct near *near, uint32_t offset, uint32_t n)
{
	uint32_t unit = offset / UNIT;

	if (offset + n > PAGE)
		return false;
	for (; unit <= (offset + n - 1) / UNIT; unit++)
		if (near->used[unit / 64] >> unit % 64 & 1)
			return false;
	return true;
}

/* Marks n bytes as used or free. Returns their address. */
static uint64_t units_set(struct near *near, uint32_t offset, uint32_t n,
			  int use)
{
	uint32_t unit = offset / UNIT;

	for (; unit <= (offset + n - 1) / UNIT; unit++) {
		near->used[unit / 64] &= ~(1ull << unit % 64);
		near->used[unit / 64] |= (uint64_t)use << unit % 64;
	}
	return near->address + offset;
}

/* Maps a page where nothing is mapped. Returns NULL if it cannot. */
static struct near *near_make(uint64_t address)
{
	struct near *near = arena_take(&near_type);

	if (!near)
		return NULL;
	if (usdt_page_take(address)) {
		arena_give(&near_type, near);
		return NULL;
	}
	near->address = address;
	near->next = nears;
	nears = near;
	return near;
}

/* Takes n bytes behind those taken last. Returns 0 when the page has none, or
 * is too far away. */
static uint64_t units_fit(uint64_t site, struct near *near, uint32_t n)
{
	while (is_near(site, near->address) && near->behind + n <= PAGE) {
		uint32_t offset = near->behind;

		if (units_free(near, offset, n)) {
			near->behind += (uint32_t)align_up(n, UNIT);
			return units_set(near, offset, n, 1);
		}
		near->behind += UNIT;
	}
	return 0;
}

uint64_t usdt_near_take(uint64_t site, uint32_t n)
{
	uint64_t page = site & ~(PAGE - 1);
	struct near *near;
	uint64_t found = 0;

	/* the other pages are kept for trampolines, as long as possible */
	for (uint32_t lone = 2; lone-- > 0 && !found;)
		for (near = nears; near && !found; near = near->next)
			if (near->lone == lone)
				found = units_fit(site, near, n);
	if (found)
		return found;
	for (uint64_t step = STEP; step < REACH; step += STEP) {
		near = page > step ? near_make(page - step) : NULL;
		if (!near)
			near = near_make(page + step);
		if (near)
			return units_fit(site, near, n);
	}
	return 0;
}

void usdt_near_give(uint64_t address, uint32_t n)
{
	struct near *near = nears;

	while (near && near->address != (address & ~(PAGE - 1)))
		near = near->next;
	if (near)
		units_set(near, address & (PAGE - 1), n, 0);
}

/* Does what usdt_near_exact() does; a new page is counted, or not. */
static int units_take(uint64_t address, uint32_t n, uint32_t *left,
		      uint16_t counted)
{
	uint64_t page = address & ~(PAGE - 1);
	struct near *near = nears;

	while (near && near->address != page)
		near = near->next;
	if (!near && *left) {
		near = near_make(page);
		*left -= !!near;
		if (near)
			near->counted = counted;
	}
	if (!near)
		return -ERANGE;
	if (!units_free(near, (uint32_t)(address - page), n))
		return -EADDRINUSE;
	units_set(near, (uint32_t)(address - page), n, 1);
	return 0;
}

int usdt_near_exact(uint64_t address, uint32_t n, uint32_t *left)
{
	return units_take(address, n, left, 1);
}

void usdt_near_undo(uint64_t address, uint32_t n, uint32_t *left)
{
	struct near **link = &nears, *near;
	uint64_t used = 0;

	usdt_near_give(address, n);
	while (*link && (*link)->address != (address & ~(PAGE - 1)))
		link = &(*link)->next;
	near = *link;
	for (uint32_t i = 0; near && i < UNITS / 64; i++)
		used |= near->used[i];
	if (!near || used || near->behind)
		return;
	*link = near->next;
	*left += near->counted;
	sys_munmap(near->address, PAGE);
	arena_give(&near_type, near);
}

int usdt_near_at(uint64_t site, uint64_t address, uint32_t n)
{
	uint32_t left = is_near(site, address & ~(PAGE - 1));

	return units_take(address, n, &left, 0) ? -ERANGE : 0;
}

/* Returns where a jump at the site leads with this operand. */
static uint64_t jump_target(uint64_t site, uint32_t operand)
{
	return site + USDT_JUMP_BYTES + (uint64_t)(int64_t)(int32_t)operand;
}

/* Takes a trampoline in a page that is there. If the operand's low byte is not
 * given, it begins with a unit. */
static uint64_t trampoline_fit(struct near *near, uint64_t site, uint32_t mask,
			       uint32_t want, uint32_t n)
{
	uint32_t step = mask & 0xff ? 0x100 : UNIT;
	uint32_t offset = mask & 0xff ? (uint32_t)(jump_target(site, want) -
						   near->address) & 0xff : 0;

	for (; offset + n <= PAGE; offset += step) {
		uint64_t distance = near->address + offset - site -
				    USDT_JUMP_BYTES;

		if ((uint64_t)(int64_t)(int32_t)distance == distance &&
		    ((uint32_t)distance & mask) == want &&
		    units_free(near, offset, n))
			return units_set(near, offset, n, 1);
	}
	return 0;
}

/* Takes a trampoline in a new page, chosen by the operand's upper three bytes;
 * the lowest of these may be given. */
static uint64_t trampoline_at(uint64_t site, uint32_t upper, uint32_t mask,
			      uint32_t want, uint32_t n)
{
	uint32_t third = mask & 0xff00 ? want & 0xff00 : (upper & 0xff) << 8;
	/* where the low byte is free, the page of the middle has room */
	uint32_t low = mask & 0xff ? want & 0xff : 0x80;
	uint64_t to = jump_target(site, upper >> 8 << 16 | third | low);
	struct near *near = is_near(site, to) ? near_make(to & ~(PAGE - 1)) :
						NULL;

	if (!near)
		return 0;
	near->lone = !!(mask & 0xff0000);
	return trampoline_fit(near, site, mask, want, n);
}

/*
 * Without room in a page that is there, takes a trampoline in a new page. Tries
 * the values of the operand's highest byte and of the next one, unless they are
 * given; where both are, those of the third one. Bytes that are not given are
 * first in the middle, so that jumps at addresses around reach the page, too,
 * and then chosen in the page found so.
 * The search begins where it found room the last time; at first some way off,
 * because libraries lie together.
 */
uint64_t usdt_near_trampoline(uint64_t site, uint32_t mask, uint32_t want,
			      uint32_t n)
{
	static uint32_t last = 8;
	uint32_t high = mask & 0xffff0000;
	uint32_t step = 8;
	struct near *near;
	uint64_t found = 0;

	for (near = nears; near && !found; near = near->next) {
		uint32_t first = (uint32_t)(near->address - site -
					    USDT_JUMP_BYTES);

		/* operands that lead to the page can have the upper two
		 * bytes */
		if (!((first ^ want) & high) ||
		    !(((first + PAGE - 1) ^ want) & high))
			found = trampoline_fit(near, site, mask, want, n);
	}
	if (found)
		return found;
	/* the trampoline would cross into the next page at any address */
	if ((mask & 0xffff) == 0xffff &&
	    (jump_target(site, want) & (PAGE - 1)) + n > PAGE)
		return 0;
	if (mask & 0xff0000)	/* the highest byte leads to many pages */
		step = high >> 24 && !(mask & 0xff00) ? PAGE >> 8 : 256;
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t try = (last + i) & 0xff;
		uint32_t top = try & 1 ? ~(try >> 1) : try >> 1;

		if (mask >> 24 && (top & 0xff) != want >> 24)
			continue;
		for (uint32_t k = 0; k < 256 && !found; k += step) {
			uint32_t byte = k ^ 0x80;
			uint32_t next = mask & 0xff0000 ?
						(want >> 8 & 0xff00) | byte :
						byte << 8 | 0x80;

			found = trampoline_at(site, top << 16 | next, mask,
					      want, n);
		}
		if (!found)
			continue;
		if (!(mask >> 24))
			last = try;
		return found;
	}
	return 0;
}
