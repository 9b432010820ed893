/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Jumps of five bytes, and more where something leads behind the nop: how they
 * are made of a plan; see usdt.h and usdt-plan.h.
 */
#include "tracepoints/usdt-place.h"

#include <errno.h>

#include "buffers/base.h"

#define JUMP		0xe9
#define TRAP		0xcc
#define MOVED_MAX	160
#define JUMPS_MAX	(USDT_PATCH_MAX - USDT_JUMP_BYTES + 1)
#define TRIES		8	/* of where the first of several jumps leads */

/* The jumps of a way while they are made: where they begin and lead, and which
 * bytes are decided. */
struct making {
	uint64_t site;
	uint32_t count;
	uint32_t starts[JUMPS_MAX];
	uint64_t leads[JUMPS_MAX];
	uint8_t bytes[USDT_PATCH_MAX];
	uint8_t given[USDT_PATCH_MAX];
};

static void making_open(struct making *m, const struct usdt_plan *plan,
			uint64_t site)
{
	uint32_t k;

	*m = (struct making){ .site = site };
	for (k = 0; k < plan->switched; k++) {
		int jumps = !k || plan->joins >> k & 1;

		if (jumps)
			m->starts[m->count++] = k;
		m->given[k] = jumps || plan->starts >> k & 1;
		m->bytes[k] = jumps ? JUMP : m->given[k] ? TRAP : 0;
	}
}

/* Finds a place for what a jump leads to, by those of its operand's bytes that
 * are given; then all are. */
static int lead_find(struct making *m, uint32_t i)
{
	uint8_t *operand = m->bytes + m->starts[i] + 1;
	uint64_t from = m->site + m->starts[i];
	uint32_t mask = 0xff;
	uint32_t want;
	uint32_t k;

	for (k = 1; k < 4; k++)
		if (m->given[m->starts[i] + 1 + k])
			mask |= 0xffu << 8 * k;
	__builtin_memcpy(&want, operand, 4);
	m->leads[i] = usdt_near_lead(from, mask, want & mask, USDT_LEAD_BYTES);
	if (!m->leads[i])
		return -ERANGE;
	want = (uint32_t)(m->leads[i] - from - USDT_JUMP_BYTES);
	__builtin_memcpy(operand, &want, 4);
	__builtin_memset(m->given + m->starts[i] + 1, 1, 4);
	return 0;
}

/*
 * Finds places for all. What the first takes leaves the others little choice:
 * the first is tried at some, which are kept until another is found.
 */
static int leads_find(struct making *m)
{
	struct making first = *m;
	uint64_t failed[TRIES];
	uint32_t tries = 0;
	uint32_t i;
	int ret;

	do {
		*m = first;
		ret = lead_find(m, 0);
		if (ret)
			break;
		for (i = 1; i < m->count && !ret; i++)
			ret = lead_find(m, i);
		if (!ret)
			break;
		for (i--; i-- > 1;)
			usdt_near_give(m->leads[i], USDT_LEAD_BYTES);
		failed[tries++] = m->leads[0];
	} while (tries < TRIES);
	while (tries--)
		usdt_near_give(failed[tries], USDT_LEAD_BYTES);
	return ret;
}

static int any_free;	/* ways, or some were */

/* A way that a module has left, and that leads here as well as there: the
 * module is back where it was. */
static struct way *way_again(uint64_t site, const struct usdt_plan *plan)
{
	struct way *way = any_free ? usdt_ways : NULL;

	while (way && (!way->free || way->site != site ||
		       way->starts != plan->starts ||
		       way->joins != plan->joins || way->n != plan->switched ||
		       (way->joins && __builtin_memcmp(way->off, plan->bytes,
						       way->n))))
		way = way->next;
	return way;
}

/* How much room what is covered takes elsewhere: the same anywhere near. */
static uint32_t moved_bytes(const struct usdt_plan *plan, uint64_t base)
{
	uint8_t offsets[USDT_PATCH_MAX];
	uint8_t code[MOVED_MAX];
	int n = usdt_move(code, sizeof(code), base + plan->address, plan, base,
			  offsets);

	return n > 0 ? (uint32_t)n : MOVED_MAX;
}

/* What does not change when the way is used again. */
static int way_make(struct way *way, const struct usdt_plan *plan,
		    uint64_t base, const struct patcher *patcher)
{
	uint64_t site = base + plan->address;
	struct making m;
	int ret;

	way->moved_bytes = moved_bytes(plan, base);
	making_open(&m, plan, site);
	ret = leads_find(&m);
	if (ret)
		return ret;
	ret = -ERANGE;
	way->moved = usdt_near_take(site, way->moved_bytes);
	if (!way->moved)
		goto give_leads;
	ret = -ENOMEM;
	way->stub = usdt_stub_take();
	if (way->stub)
		ret = usdt_lead_write(m.leads[0], (uint64_t)way->stub,
				      patcher);
	if (ret)
		goto give_moved;
	way->lead = m.leads[0];
	way->site = site;
	way->n = plan->switched;
	way->starts = plan->starts;
	way->joins = plan->joins;
	__builtin_memcpy(way->on, m.bytes, sizeof(way->on));
	__builtin_memcpy(way->off, plan->bytes, sizeof(way->off));
	return 0;
give_moved:
	usdt_near_give(way->moved, way->moved_bytes);
give_leads:
	while (m.count--)
		usdt_near_give(m.leads[m.count], USDT_LEAD_BYTES);
	return ret;
}

/* The other jumps lead to what moved. */
static int joins_write(const struct way *way, const struct patcher *patcher)
{
	int ret = 0;
	uint32_t k;

	for (k = 1; k < way->n && !ret; k++) {
		uint64_t end = way->site + k + USDT_JUMP_BYTES;
		int32_t operand;

		if (!(way->joins >> k & 1))
			continue;
		__builtin_memcpy(&operand, way->on + k + 1, 4);
		ret = usdt_lead_write(end + (uint64_t)(int64_t)operand,
				      way->moved + way->offsets[k], patcher);
	}
	return ret;
}

static int way_fill(struct way *way, struct usdt_adopted *probe,
		    const struct usdt_plan *plan, uint64_t base,
		    const struct patcher *patcher)
{
	uint8_t code[MOVED_MAX];
	int n = usdt_move(code, way->moved_bytes, way->moved, plan, base,
			  way->offsets);

	if (n < 0)
		return n;
	__builtin_memcpy(way->off, plan->bytes, sizeof(way->off));
	return usdt_write(patcher, way->moved, code, (uint32_t)n) ?:
		       joins_write(way, patcher) ?:
		       usdt_stub_write(way->stub, probe, way->moved, patcher);
}

int usdt_place_jump(struct usdt_adopted *probe, const struct usdt_plan *plan,
		    uint64_t base, const struct patcher *patcher)
{
	struct way *way;
	int ret;

	if (__builtin_memcmp((const void *)probe->address, plan->bytes,
			     plan->covered))
		return -EBUSY;
	way = way_again(probe->address, plan);
	if (!way) {
		way = usdt_way_new();
		if (!way)
			return -ENOMEM;
		way->free = 1;
		ret = way_make(way, plan, base, patcher);
		if (ret) {
			usdt_way_drop(way);
			return ret;
		}
		usdt_way_add(way);
	}
	ret = way_fill(way, probe, plan, base, patcher);
	/* USDT-WAY: last */
	if (!ret)
		store_release(&way->free, 0);
	else
		any_free = 1;
	probe->way = way;
	probe->jumps = 1;
	return ret;
}

void usdt_jump_gone(void)
{
	any_free = 1;
}
