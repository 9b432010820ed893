/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory of ways, and the code that they consist of: stubs and trampolines;
 * see usdt.h.
 *
 * Pages of stubs and trampolines are never unmapped. They are written like any
 * code, and are not writable while they are executable, unless /proc/self/mem
 * is denied.
 */
#include "tracepoints/usdt/jumps/jumps.h"

#include <errno.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/index.h"
#include "base/sys.h"

#define STUBS_BYTES	(16 * 4096ull)

/* jmp *0(%rip), and its target */
struct trampoline {
	uint8_t jump[6];
	uint64_t to;
} __attribute__((packed));

/* The offsets in `code` are counted from each instruction's end. */
struct stub {
	uint8_t code[32];
	uint64_t entry;
	uint64_t resume;
	struct usdt_spot *spot;
	uint64_t behind;	/* the spot + 1: for unwinders */
};

_Static_assert(sizeof(struct stub) == USDT_STUB_BYTES, "tracepoints/usdt/entry-x86_64.S");
_Static_assert(offsetof(struct stub, behind) == 56, "tracepoints/usdt/entry-x86_64.S");
_Static_assert(sizeof(struct trampoline) == USDT_TRAMPOLINE_BYTES, "its bytes");
_Static_assert(offsetof(struct stub, spot) == 48, "tracepoints/usdt/entry-x86_64.S");

#define WAY_STEP	16u
#define WAY_BYTES(n, ngates)	(sizeof(struct way) + 3 * (n) + 2 * (ngates))

static struct arena_type way_types[
	WAY_BYTES(USDT_PATCH_MAX, USDT_GATES_MAX) / WAY_STEP + 1];
static struct stub *stubs;	/* free ones, up to stubs_end */
static struct stub *stubs_end;

/* Returns the type of ways with so many bytes and gates. */
static struct arena_type *way_type(uint32_t n, uint32_t ngates)
{
	uint64_t bytes = WAY_BYTES(n > USDT_JUMP_BYTES ? n : USDT_JUMP_BYTES,
				   ngates);
	struct arena_type *type = &way_types[(bytes - 1) / WAY_STEP];

	type->bytes = align_up(bytes, WAY_STEP);
	type->packed = true;
	return type;
}

struct way *usdt_way_new(uint32_t n, uint32_t ngates)
{
	struct way *way = arena_take(way_type(n, ngates));

	if (way) {
		way->n = (uint8_t)n;
		way->ngates = (uint8_t)ngates;
	}
	return way;
}

void usdt_way_drop(struct way *way)
{
	arena_give(way_type(way->n, way->ngates), way);
}

struct stub *usdt_stubs_take(uint32_t n)
{
	struct stub *taken;

	/* the library's room, which no one may execute yet */
	if (!stubs && sys_mmap(usdt_stubs, usdt_stubs_end - usdt_stubs,
			       PROT_READ | PROT_EXEC,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			       0) == (long)usdt_stubs) {
		stubs = (struct stub *)usdt_stubs;
		stubs_end = (struct stub *)usdt_stubs_end;
	}
	if ((uint32_t)(stubs_end - stubs) < n) {
		/* more than any known program needs; unwinders do not know
		 * these stubs */
		long got = sys_mmap(0, STUBS_BYTES, PROT_READ | PROT_EXEC,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (got < 0 && got > -4096)
			return NULL;
		stubs = (struct stub *)got;
		stubs_end = stubs + STUBS_BYTES / sizeof(*stubs);
	}
	taken = stubs;
	stubs += n;
	return taken;
}

void usdt_stubs_give(struct stub *taken)
{
	stubs = taken;
}

int usdt_stub_write(struct stub *at, struct usdt_spot *spot,
		    uint64_t resume, const struct patcher *patcher)
{
	const struct stub stub = {
		.code = {
			0x48, 0x8d, 0x64, 0x24, 0x80,	/* lea -128(%rsp) */
			0xff, 0x15, 21, 0, 0, 0,	/* call *entry */
			0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0,
			0xff, 0x25, 15, 0, 0, 0,	/* jmp *resume */
			0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
		},
		.entry = (uint64_t)usdt_entry,
		.resume = resume,
		.spot = spot,
		.behind = spot->address + 1,
	};

	return usdt_write(patcher, (uint64_t)at, &stub, sizeof(stub));
}

int usdt_trampoline_write(uint64_t trampoline, uint64_t to,
			  const struct patcher *patcher)
{
	const struct trampoline code = {
		.jump = { 0xff, 0x25, 0, 0, 0, 0 },
		.to = to,
	};

	return usdt_write(patcher, trampoline, &code, sizeof(code));
}

bool usdt_ways_code(uint64_t at, const uint8_t *file, uint32_t n)
{
	uint8_t bytes[USDT_COVERED_MAX];
	const struct way *way;

	__builtin_memcpy(bytes, file, n);
	for (way = usdt_ways; way; way = way->next) {
		uint64_t k = way->site - at;

		if (way->n >= USDT_JUMP_BYTES && k < n && way->n <= n - k &&
		    (!way->free || way->replaced) &&
		    !__builtin_memcmp((const void *)way->site,
				      usdt_way_part(way, WAY_ON), way->n))
			__builtin_memcpy(bytes + k, usdt_way_part(way, WAY_ON),
					 way->n);
	}
	return !__builtin_memcmp((const void *)at, bytes, n);
}
