/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The way from a probe's nop to its stub, see usdt.h.
 *
 * The pages that jumps lead to and those of the stubs are never unmapped; they
 * are written as code is, and are never writable while they can be executed,
 * unless /proc/self/mem is denied. A way whose module is gone is used again by
 * a probe that comes to the same place.
 */
#include "tracepoints/usdt.h"

#include <errno.h>
#include <sys/mman.h>

#include "buffers/base.h"
#include "buffers/sys.h"
#include "tracepoints/arena.h"

#define PAGE		4096ull
#define JUMP_BYTES	5
#define NOP		0x90
#define JUMP		0xe9
#define STUBS_BYTES	(16 * PAGE)
/* What the first thread's stack and the heap may still grow into. */
#define GROWTH		(256ull << 20)

/* jmp *0(%rip), and where to */
struct lead {
	uint8_t jump[6];
	uint64_t stub;
} __attribute__((packed));

/* The offsets in `code` are counted from each instruction's end. */
struct stub {
	uint8_t code[32];
	uint64_t entry;
	uint64_t resume;
	struct usdt_adopted *probe;
	uint64_t unused;
};

_Static_assert(sizeof(struct stub) == 64, "stub");
_Static_assert(offsetof(struct stub, probe) == 48, "usdt-entry-x86_64.S");

struct way {
	struct way *next;
	uint64_t lead;
	struct stub *stub;
	int free;
};

struct page {
	struct page *next;
	uint64_t address;
};

static struct arena_type way_type = ARENA_TYPE(struct way);
static struct arena_type page_type = ARENA_TYPE(struct page);
static struct way *ways;
static struct page *pages;
static struct stub *stubs;	/* free ones, up to stubs_end */
static struct stub *stubs_end;

extern void *__libc_stack_end __attribute__((weak));
void usdt_entry(void) __attribute__((visibility("hidden")));

static int grows_into(uint64_t address)
{
	void **volatile end = &__libc_stack_end;
	uint64_t top = end ? (uint64_t)*end : 0;
	uint64_t heap = (uint64_t)sys1(SYS_brk, 0);

	return (address <= top && top - address < GROWTH) ||
	       (address >= heap && address - heap < GROWTH);
}

static int page_ours(uint64_t address)
{
	const struct page *page = pages;

	while (page && page->address != address)
		page = page->next;
	return !!page;
}

/* Has a page of code there, nothing else's. (ENOMEM is also the answer where
 * no program may have a page.) */
static int page_have(uint64_t address)
{
	struct page *page;
	long got;

	if (page_ours(address))
		return 0;
	if (grows_into(address))
		return -EADDRINUSE;
	page = arena_take(&page_type);
	if (!page)
		return -ENOMEM;
	got = sys_mmap(address, PAGE, PROT_READ | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		       0);
	if (got == (long)address) {
		page->address = address;
		page->next = pages;
		pages = page;
		return 0;
	}
	/* a kernel that takes the address for a hint */
	if (got > 0)
		sys_munmap(got, PAGE);
	arena_give(&page_type, page);
	return -EADDRINUSE;
}

static struct stub *stub_take(void)
{
	if (stubs == stubs_end) {
		long got = sys_mmap(0, STUBS_BYTES, PROT_READ | PROT_EXEC,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (got < 0 && got > -4096)
			return NULL;
		stubs = (struct stub *)got;
		stubs_end = stubs + STUBS_BYTES / sizeof(*stubs);
	}
	return stubs++;
}

static int stub_write(struct stub *at, struct usdt_adopted *probe,
		      const struct patcher *patcher)
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
		.resume = probe->address + 1,
		.probe = probe,
	};

	return patch_bytes(patcher, (uint8_t *)at, (const uint8_t *)&stub,
			   sizeof(stub));
}

/* The way that begins there; NULL when there is none. -EADDRINUSE: it, or a
 * part of another, is in use. */
static int way_find(uint64_t lead, struct way **found)
{
	struct way *way;

	*found = NULL;
	for (way = ways; way; way = way->next) {
		uint64_t apart = way->lead > lead ? way->lead - lead :
						    lead - way->lead;

		if (apart >= sizeof(struct lead))
			continue;
		if (apart || !way->free)
			return -EADDRINUSE;
		*found = way;
	}
	return 0;
}

static int lead_write(uint64_t lead, const struct stub *stub,
		      const struct patcher *patcher)
{
	const struct lead code = {
		.jump = { 0xff, 0x25, 0, 0, 0, 0 },
		.stub = (uint64_t)stub,
	};

	return patch_bytes(patcher, (uint8_t *)lead, (const uint8_t *)&code,
			   sizeof(code));
}

static int way_make(struct way *way, uint64_t lead,
		    const struct patcher *patcher)
{
	uint64_t last = (lead + sizeof(struct lead) - 1) & ~(PAGE - 1);
	int ret = page_have(lead & ~(PAGE - 1));

	if (!ret)
		ret = page_have(last);
	if (ret)
		return ret;
	way->lead = lead;
	way->stub = stub_take();
	return way->stub ? lead_write(lead, way->stub, patcher) : -ENOMEM;
}

int usdt_place(struct usdt_adopted *probe, uint8_t **stub,
	       const struct patcher *patcher)
{
	const uint8_t *code = (const uint8_t *)probe->address;
	struct way *way;
	int32_t distance;
	uint64_t lead;
	int ret;

	if (code[0] != NOP)
		return -EBUSY;
	__builtin_memcpy(&distance, code + 1, sizeof(distance));
	lead = probe->address + JUMP_BYTES + (uint64_t)(int64_t)distance;
	ret = way_find(lead, &way);
	if (ret)
		return ret;
	if (!way) {
		way = arena_take(&way_type);
		if (!way)
			return -ENOMEM;
		ret = way_make(way, lead, patcher);
		if (ret) {
			arena_give(&way_type, way);
			return ret;
		}
		way->next = ways;
		ways = way;
	}
	/* free: its jump is gone with its module, nobody comes here */
	ret = stub_write(way->stub, probe, patcher);
	way->free = !!ret;
	probe->way = way;
	*stub = (uint8_t *)way->stub;
	return ret;
}

void usdt_gone(struct usdt_adopted *probe)
{
	probe->way->free = 1;
}

int usdt_switch(const struct patcher *patcher, uint8_t *code, int on)
{
	uint8_t wanted = on ? JUMP : NOP;

	if (code[0] == wanted)
		return 0;
	if (code[0] != (on ? NOP : JUMP))
		return -EBUSY;
	return patch_byte(patcher, code, wanted);
}
