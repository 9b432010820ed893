/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The way from a probe's nop to its stub and back, see usdt.h.
 *
 * The pages that jumps lead to and those of the stubs are never unmapped; they
 * are written as code is, and are never writable while they can be executed,
 * unless /proc/self/mem is denied. A way whose module is gone is used again by
 * a probe that comes to the same place.
 */
#include "tracepoints/usdt-place.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/mman.h>

#include "buffers/base.h"
#include "buffers/sys.h"
#include "buffers/text.h"
#include "tracepoints/arena.h"
#include "tracepoints/usdt-load.h"

#define PAGE		4096ull
#define NOP		0x90
#define JUMP		0xe9
#define TRAP		0xcc
#define MOVED_BYTES	64
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

struct page {
	struct page *next;
	uint64_t address;
};

static struct arena_type way_type = ARENA_TYPE(struct way);
static struct arena_type page_type = ARENA_TYPE(struct page);
struct way *usdt_ways;
static struct page *pages;
static struct stub *stubs;	/* free ones, up to stubs_end */
static struct stub *stubs_end;

static int grows_into(uint64_t address)
{
	uint64_t top = usdt_stack_end();
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

int usdt_page_take(uint64_t address)
{
	long got;

	if (grows_into(address))
		return -EADDRINUSE;
	got = sys_mmap(address, PAGE, PROT_READ | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		       0);
	if (got == (long)address)
		return 0;
	/* a kernel that takes the address for a hint */
	if (got > 0)
		sys_munmap(got, PAGE);
	return -EADDRINUSE;
}

/* Has a page of code there, nothing else's. (ENOMEM is also the answer where
 * no program may have a page.) */
static int page_have(uint64_t address)
{
	struct page *page;
	int ret;

	if (page_ours(address))
		return 0;
	page = arena_take(&page_type);
	if (!page)
		return -ENOMEM;
	ret = usdt_page_take(address);
	if (ret) {
		arena_give(&page_type, page);
		return ret;
	}
	page->address = address;
	page->next = pages;
	pages = page;
	return 0;
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
	for (way = usdt_ways; way; way = way->next) {
		uint64_t apart = way->lead > lead ? way->lead - lead :
						    lead - way->lead;

		if (apart >= sizeof(struct lead))
			continue;
		if (apart || !way->free || way->starts)
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

static void way_add(struct way *way)
{
	way->next = usdt_ways;
	/* USDT-WAY: the handler that finds it finds all of it */
	store_release(&usdt_ways, way);
}

int usdt_place_byte(struct usdt_adopted *probe, const struct patcher *patcher)
{
	const uint8_t *code = (const uint8_t *)probe->address;
	struct way *way;
	int32_t distance;
	uint64_t lead;
	int ret;

	if (code[0] != NOP)
		return -EBUSY;
	__builtin_memcpy(&distance, code + 1, sizeof(distance));
	lead = probe->address + USDT_JUMP_BYTES + (uint64_t)(int64_t)distance;
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
		way_add(way);
	}
	/* free: its jump is gone with its module, nobody comes here */
	ret = stub_write(way->stub, probe, probe->address + 1, patcher);
	way->site = probe->address;
	store_release(&way->free, (uint32_t)!!ret);
	probe->way = way;
	return ret;
}

/* A way that a module has left, and that leads here as well as there: the
 * module is back where it was. */
static struct way *way_again(uint64_t site, uint32_t starts)
{
	struct way *way = usdt_ways;

	while (way && (!way->free || way->site != site ||
		       way->starts != starts))
		way = way->next;
	return way;
}

/* All of a way but what it does. */
static int way_lead(struct way *way, uint64_t site, uint32_t starts,
		    const struct patcher *patcher)
{
	int ret = -ERANGE;

	way->lead = usdt_near_lead(site, starts, sizeof(struct lead));
	if (!way->lead)
		return ret;
	way->moved = usdt_near_take(site, MOVED_BYTES);
	if (!way->moved)
		goto give_lead;
	ret = -ENOMEM;
	way->stub = stub_take();
	if (way->stub)
		ret = lead_write(way->lead, way->stub, patcher);
	if (!ret)
		return 0;
	usdt_near_give(way->moved, MOVED_BYTES);
give_lead:
	usdt_near_give(way->lead, sizeof(struct lead));
	return ret;
}

/* The bytes of the jump, and what it covers somewhere else. */
static int way_fill(struct way *way, struct usdt_adopted *probe,
		    const struct usdt_plan *plan, uint64_t base,
		    const struct patcher *patcher)
{
	int32_t distance = (int32_t)(way->lead - probe->address -
				     USDT_JUMP_BYTES);
	uint8_t code[MOVED_BYTES];
	int n;

	__builtin_memset(code, TRAP, sizeof(code));
	n = usdt_move(code, sizeof(code), way->moved, plan, base,
		      way->offsets);
	if (n < 0)
		return n;
	way->site = probe->address;
	way->starts = plan->starts;
	way->on[0] = JUMP;
	__builtin_memcpy(way->on + 1, &distance, sizeof(distance));
	__builtin_memcpy(way->off, plan->bytes, sizeof(way->off));
	return patch_bytes(patcher, (uint8_t *)way->moved, code,
			   sizeof(code)) ?:
	       stub_write(way->stub, probe, way->moved, patcher);
}

int usdt_place_jump(struct usdt_adopted *probe, const struct usdt_plan *plan,
		    uint64_t base, const struct patcher *patcher)
{
	struct way *way;
	int ret;

	if (__builtin_memcmp((const void *)probe->address, plan->bytes,
			     plan->covered))
		return -EBUSY;
	way = way_again(probe->address, plan->starts);
	if (!way) {
		way = arena_take(&way_type);
		if (!way)
			return -ENOMEM;
		way->free = 1;
		ret = way_lead(way, probe->address, plan->starts, patcher);
		if (ret) {
			arena_give(&way_type, way);
			return ret;
		}
		way->site = probe->address;
		way->starts = plan->starts;
		way_add(way);
	}
	ret = way_fill(way, probe, plan, base, patcher);
	/* USDT-WAY: last */
	if (!ret)
		store_release(&way->free, 0);
	probe->way = way;
	probe->jumps = 1;
	return ret;
}

uint8_t *usdt_place_stub(const struct usdt_adopted *probe)
{
	return (uint8_t *)probe->way->stub;
}

void usdt_place_gone(struct usdt_adopted *probe)
{
	store_release(&probe->way->free, 1);
}

static int byte_switch(const struct patcher *patcher, uint8_t *code, int on)
{
	uint8_t wanted = on ? JUMP : NOP;

	if (code[0] == wanted)
		return 0;
	if (code[0] != (on ? NOP : JUMP))
		return -EBUSY;
	return patch_byte(patcher, code, wanted);
}

static void fetch_anew(void)
{
	sys_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE);
}

/* Writes those bytes of `from` at which an instruction begins, or does not. */
static int bytes_write(const struct way *way, const struct patcher *patcher,
		       const uint8_t *from, int begins)
{
	int ret = 0;
	uint32_t k;

	for (k = USDT_JUMP_BYTES - 1; k > 0 && !ret; k--)
		if ((way->starts >> k & 1) == begins)
			ret = patch_byte(patcher, (uint8_t *)way->site + k,
					 from[k]);
	return ret;
}

/* Is the jump without its first byte? A uprobe that goes puts there what the
 * file has. */
static int headless(const struct way *way)
{
	const uint8_t *code = (const uint8_t *)way->site;

	return code[0] == way->off[0] &&
	       !__builtin_memcmp(code + 1, way->on + 1, USDT_JUMP_BYTES - 1);
}

/*
 * Whatever is half done, who comes to an instruction that is there no more or
 * not yet comes to a cc: those are written before all else, and taken out
 * after it. All threads have seen one step before the next is done.
 */
static int jump_switch(const struct way *way, const struct patcher *patcher,
		       int on)
{
	const uint8_t *from = on ? way->off : way->on;
	const uint8_t *to = on ? way->on : way->off;
	uint8_t *code = (uint8_t *)way->site;
	int ret;

	if (!__builtin_memcmp(code, to, USDT_JUMP_BYTES))
		return 0;
	if (__builtin_memcmp(code, from, USDT_JUMP_BYTES) && !headless(way))
		return -EBUSY;
	ret = usdt_traps_ready();
	if (ret)
		return ret;
	if (headless(way) && on)
		return patch_byte(patcher, code, JUMP);
	ret = patch_byte(patcher, code, TRAP);
	if (!ret && on)
		ret = bytes_write(way, patcher, to, 1);
	fetch_anew();
	if (!ret)
		ret = bytes_write(way, patcher, to, 0);
	fetch_anew();
	if (!ret && !on)
		ret = bytes_write(way, patcher, to, 1);
	if (!on)
		fetch_anew();
	return ret ? ret : patch_byte(patcher, code, to[0]);
}

int usdt_place_switch(const struct patcher *patcher,
		      struct usdt_adopted *probe, int on)
{
	if (!probe->way->starts)
		return byte_switch(patcher, (uint8_t *)probe->address, on);
	return jump_switch(probe->way, patcher, on);
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
	uint32_t i;

	for (i = 0; !tried && i < ARRAY_SIZE(directories); i++) {
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
