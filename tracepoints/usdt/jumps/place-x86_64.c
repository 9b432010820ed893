/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ways that switch one byte, and the functions that ways of all kinds share;
 * see usdt.h.
 *
 * A way whose module was unloaded is used again by a probe at the same address.
 */
#include "tracepoints/usdt/jumps/jumps.h"

#include <errno.h>

#include "base/base.h"
#include "base/index.h"
#include "base/text.h"
#include "tracepoints/sites/registry.h"
#include "tracepoints/usdt/load.h"

#define PAGE		4096ull
#define NOP		0x90
#define JUMP		0xe9
#define TRAP		0xcc

static struct index pages;	/* with trampolines of ways of one byte */
static struct index trampolines; /* ways of one byte, by their trampolines */
static int unwritten;		/* some code could not be written */

/* Makes sure that a page of the agent's code is there. Returns -EADDRINUSE also
 * where no program may have a page. */
static int page_have(uint64_t address)
{
	int ret;

	if (address_has(&pages, address))
		return 0;
	ret = usdt_page_take(address);
	return ret ? ret : address_add(&pages, address);
}

#define TRAMPOLINE_BLOCK 16	/* bytes; a trampoline is in one or two */

/* Returns where a way of one byte leads. */
static uint64_t way_leads(const struct way *way)
{
	return usdt_jump_target(usdt_way_part(way, WAY_ON), way->site, 0);
}

/* Returns true when the way's trampoline overlaps this one. */
static bool same_trampoline(uint64_t value, const void *trampoline)
{
	uint64_t here = way_leads((const struct way *)value);
	uint64_t there = *(const uint64_t *)trampoline;

	return (here > there ? here - there : there - here) <
	       USDT_TRAMPOLINE_BYTES;
}

/* Makes the trampoline and the stub of a new way. Returns 0 or a negative
 * errno. */
static int way_make(struct way *way, uint64_t trampoline,
		    const struct patcher *patcher)
{
	uint64_t last = (trampoline + USDT_TRAMPOLINE_BYTES - 1) & ~(PAGE - 1);
	uint64_t block = trampoline / TRAMPOLINE_BLOCK;
	int ret = page_have(trampoline & ~(PAGE - 1));

	if (!ret)
		ret = page_have(last);
	if (ret)
		return ret;
	way->stubs = usdt_stubs_take(1);
	if (!way->stubs)
		return -ENOMEM;
	ret = usdt_trampoline_write(trampoline, (uint64_t)way->stubs, patcher);
	/* last: a way that could not be made is given back */
	if (!ret)
		ret = index_add(&trampolines, address_hash(block),
				(uint64_t)way);
	if (ret)
		usdt_stubs_give(way->stubs);
	return ret;
}

/* Gives the only gate of a way to a spot. Returns 0 or a negative errno. */
static int way_give(struct way *way, struct usdt_spot *spot,
		    const struct patcher *patcher)
{
	int ret = usdt_stub_write(way->stubs, spot, spot->address + 1, patcher);

	way->site = spot->address;
	way->spots = spot;
	spot->next = NULL;
	spot->gate = 0;
	spot->way = way;
	/* USDT-WAY: last */
	store_release(&way->free, (uint8_t)!!ret, USDT_WAY);
	return ret;
}

int usdt_place_byte(struct usdt_spot *spot, const struct patcher *patcher)
{
	const uint8_t *code = (const uint8_t *)spot->address;
	struct way *way = NULL;
	struct way *other;
	int32_t distance;
	uint64_t trampoline, block;
	int ret;

	if (code[0] != NOP)
		return -EBUSY;
	__builtin_memcpy(&distance, code + 1, sizeof(distance));
	trampoline = spot->address + USDT_JUMP_BYTES +
		     (uint64_t)(int64_t)distance;
	block = trampoline / TRAMPOLINE_BLOCK;
	for (uint64_t k = block - 1; k <= block + 1; k++) {
		other = (struct way *)index_find(&trampolines, address_hash(k),
						 same_trampoline, &trampoline);
		/* that trampoline is in use, or overlaps this one */
		if (other && (way_leads(other) != trampoline || !other->free))
			return -EADDRINUSE;
		if (other)
			way = other;
	}
	if (!way) {
		way = usdt_way_new(0, 1);
		if (!way)
			return -ENOMEM;
		ret = way_make(way, trampoline, patcher);
		if (ret) {
			usdt_way_drop(way);
			return ret;
		}
		usdt_way_add(way);
	}
	/* the way is free: the jump is gone with the module, so no thread comes
	 * here */
	__builtin_memcpy(usdt_way_part(way, WAY_ON), code, USDT_JUMP_BYTES);
	return way_give(way, spot, patcher);
}

int usdt_place_trap(struct usdt_spot *spot, const struct patcher *patcher)
{
	struct way *way = usdt_ways;

	if (*(const uint8_t *)spot->address != NOP)
		return -EBUSY;
	/* the way of the same probe in a module that was unloaded and is loaded
	 * again at the same address; or a new way */
	while (way && (!way->free || !usdt_is_trap(way) ||
		       way->site != spot->address))
		way = way->next;
	if (!way) {
		way = usdt_way_new(1, 1);
		if (!way)
			return -ENOMEM;
		way->stubs = usdt_stubs_take(1);
		if (!way->stubs) {
			usdt_way_drop(way);
			return -ENOMEM;
		}
		way->free = 1;
		way->site = spot->address;
		way->starts = 1;
		way->direct = 1;
		usdt_way_part(way, WAY_ON)[0] = TRAP;
		usdt_way_part(way, WAY_OFF)[0] = NOP;
		usdt_way_add(way);
	}
	way->there = 0;
	way->wanted = 0;
	return way_give(way, spot, patcher);
}

int usdt_place_write(const struct patcher *patcher)
{
	int ret = usdt_write_all(patcher);

	unwritten |= ret;
	return ret;
}

void usdt_place_done(const struct patcher *patcher)
{
	usdt_maps_forget();
	usdt_place_write(patcher);
}

uint8_t *usdt_place_stub(const struct usdt_spot *spot)
{
	return (uint8_t *)usdt_stub_at(spot->way->stubs, spot->gate);
}

void usdt_place_gone(struct usdt_spot *spot)
{
	struct way *way = spot->way;
	struct usdt_spot **link = &way->spots;

	while (*link && *link != spot)
		link = &(*link)->next;
	if (*link)
		*link = spot->next;
	if (way->spots)
		return;
	usdt_jump_gone(way);
	usdt_switch_gone(way);
	store_release(&way->free, 1, USDT_WAY);
}

int usdt_place_switch(const struct patcher *patcher, struct usdt_spot *spot,
		      int on)
{
	uint8_t *code = (uint8_t *)spot->address;

	if (unwritten && on)
		return -EIO;
	/* other jumps have the bytes, or a jump would move one that faults */
	if (!spot->way || (spot->given && on)) {
		spot->refused = !on ? 0 : spot->refused == -EFAULT ? -EFAULT :
				USDT_OVERLAPS;
		return 0;
	}
	if (spot->way->starts)
		return usdt_switch_later(patcher, spot, on);
	if (code[0] == (on ? JUMP : NOP))
		return 0;
	if (code[0] != (on ? NOP : JUMP))
		return -EBUSY;
	return patch_byte(patcher, code, on ? JUMP : NOP);
}

const struct usdt_decoder *usdt_place_decoder(void)
{
	static const char *const directories[] = {
		"/usr/lib/x86_64-linux-gnu/", "/usr/local/lib/",
		"/usr/lib64/", "/usr/lib/",
	};
	static struct usdt_decoder decoder;
	static struct library library;
	static int tried;
	struct text path;
	char file[64];

	for (uint32_t i = 0; !tried && i < ARRAY_SIZE(directories); i++) {
		text_open(&path, file, sizeof(file));
		text_add(&path, directories[i]);
		text_add(&path, usdt_decoder_file());
		if (library_open(&library, file))
			continue;
		decoder.init = library_symbol(&library, "ZydisDecoderInit");
		decoder.decode = library_symbol(
			&library, "ZydisDecoderDecodeInstruction");
		tried = 1;
		if (usdt_decoder_open(&decoder))
			decoder.decode = NULL;
	}
	tried = 1;
	return decoder.decode ? &decoder : NULL;
}
