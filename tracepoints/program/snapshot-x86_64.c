/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Snapshots of the registers at a site, for x86-64: finds them, and opens the
 * stub's way to snapshot_entry (snapshot-entry-x86_64.S).
 */
#include "tracepoints/program/snapshot.h"

#include <errno.h>

#define OPCODE_PAST	0xa8	/* test $imm8, %al: goes past the call */
#define OPCODE_ROUND	0xeb	/* jmp rel8: goes to the call */
#define STUB_OPERAND	5

_Static_assert(offsetof(struct snapshot, behind) == 128, "machine code");
_Static_assert(offsetof(struct snapshot, site) == 136, "machine code");
_Static_assert(offsetof(struct snapshot, flags) == 144, "machine code");
_Static_assert(offsetof(struct snapshot, number) == 148, "machine code");
_Static_assert(sizeof(struct snapshot) == 152, "machine code");
_Static_assert(SNAPSHOTS == 8, "machine code");
_Static_assert(sizeof(struct snapshot_area) == 8 * 152 + 8, "machine code");
_Static_assert(offsetof(struct taffrail_site, snapshot_) == 88, "machine code");

void snapshot_entry(void) __attribute__((visibility("hidden")));

void (*snapshot_way)(void);

SIGSAFE struct snapshot *snapshot_search(const struct taffrail_site *site)
{
	struct snapshot_area *area = &snapshot_area;
	uint32_t next = load_relaxed(&area->next);

	for (uint32_t n = next - 1; n != next - 1 - SNAPSHOTS; n--) {
		struct snapshot *snapshot = &area->places[n % SNAPSHOTS];

		if (snapshot->site == site && snapshot->number == n)
			return snapshot;
	}
	return NULL;
}

/* Returns the address of the site as snapshot_put() marks it: odd, so no stub's
 * snapshot is equal. */
static const struct taffrail_site *put_mark(const struct taffrail_site *site)
{
	return (const struct taffrail_site *)((const char *)site + 1);
}

SIGSAFE void snapshot_put(const struct taffrail_site *site,
			  const uint64_t *general, uint32_t flags,
			  uint64_t address)
{
	struct snapshot_area *area = &snapshot_area;
	struct snapshot *snapshot;
	uint32_t number = 1;

	/* one instruction, as in snapshot_entry; no other thread writes it */
	__asm__ volatile("xaddl %0, %1"
			 : "+r"(number), "+m"(area->next)
			 :
			 : "memory");
	snapshot = &area->places[number % SNAPSHOTS];
	snapshot->number = number;
	__builtin_memcpy(snapshot->general, general, sizeof(snapshot->general));
	snapshot->flags = flags;
	snapshot->behind = (const uint8_t *)address;
	snapshot->site = put_mark(site);
}

SIGSAFE struct snapshot *
snapshot_find_put(const struct taffrail_site *site)
{
	return snapshot_find(put_mark(site));
}

static void put_u64(uint8_t *to, uint64_t value)
{
	__builtin_memcpy(to, &value, sizeof(value));
}

static void put_u32(uint8_t *to, uint32_t value)
{
	__builtin_memcpy(to, &value, sizeof(value));
}

/* Copies word by word, as the words were stored just before: a wider load would
 * wait for those stores. */
SIGSAFE void snapshot_block(const struct snapshot *snapshot, uint8_t *to)
{
	uint32_t cs, ss;

	for (uint32_t i = 0; i < 16; i++)
		put_u64(to + 8 * i, load_relaxed(&snapshot->general[i]));
	/* the same in all threads of a process */
	__asm__("movl %%cs, %0" : "=r"(cs));
	__asm__("movl %%ss, %0" : "=r"(ss));
	put_u64(to + offsetof(struct registers, rip),
		snapshot_address(snapshot));
	put_u32(to + offsetof(struct registers, flags), snapshot->flags);
	to += offsetof(struct registers, segments);
	put_u32(to, cs);
	put_u32(to + 4, ss);
	put_u64(to + 8, 0);
	put_u64(to + 16, 0);
}

_Static_assert(offsetof(struct registers, segments) + 24 ==
	       REGISTERS_BLOCK_BYTES, "all of it is written");

int snapshot_switch(const struct patcher *patcher, struct taffrail_site *site,
		    uint8_t *stub, int on)
{
	uint8_t wanted = on ? OPCODE_ROUND : OPCODE_PAST;

	if ((stub[0] != OPCODE_ROUND && stub[0] != OPCODE_PAST) ||
	    stub[1] != STUB_OPERAND)
		return -EBUSY;
	if (on)
		store_release(&site->snapshot_,
			      snapshot_way ? snapshot_way : snapshot_entry,
			      SITE_SNAPSHOT);
	if (stub[0] == wanted)
		return 0;
	return patch_byte(patcher, stub, wanted);
}
