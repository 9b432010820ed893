/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Switching jumps of five bytes and more, many of them in few steps; see usdt.h.
 *
 * What must stay true: whatever is half done, who comes to an instruction that
 * is there no more or not yet comes to a cc. Those are written before all else
 * and taken out after it, and all threads have seen one step before the next
 * is done.
 */
#include "tracepoints/usdt-place.h"

#include <errno.h>
#include <linux/membarrier.h>

#include "buffers/base.h"
#include "buffers/sys.h"

#define JUMP		0xe9
#define TRAP		0xcc

/* Those that wait for usdt_place_flush(). */
static struct usdt_adopted *pending;

void usdt_switch_later(struct usdt_adopted *probe, int on)
{
	if (!probe->pending) {
		probe->next_pending = pending;
		pending = probe;
	}
	probe->pending = on ? 1 : -1;
}

void usdt_switch_gone(struct usdt_adopted *probe)
{
	struct usdt_adopted **link = &pending;

	while (*link && *link != probe)
		link = &(*link)->next_pending;
	if (*link)
		*link = probe->next_pending;
	probe->pending = 0;
}

static uint8_t *code_of(const struct usdt_adopted *probe)
{
	return (uint8_t *)probe->way->site;
}

/* Is the jump without its first byte? A uprobe that goes puts there what the
 * file has. */
static int headless(const struct way *way)
{
	const uint8_t *code = (const uint8_t *)way->site;

	return code[0] == way->off[0] &&
	       !__builtin_memcmp(code + 1, way->on + 1, way->n - 1);
}

/* Has it to be switched? Else `refused` says what has become of it. */
static int is_due(struct usdt_adopted *probe, const struct patcher *patcher)
{
	const struct way *way = probe->way;
	const uint8_t *code = code_of(probe);
	int on = probe->pending > 0;
	const uint8_t *from = on ? way->off : way->on;
	const uint8_t *to = on ? way->on : way->off;

	probe->refused = 0;
	if (!__builtin_memcmp(code, to, way->n))
		return 0;
	if (on && headless(way)) {
		probe->refused = patch_byte(patcher, code_of(probe), JUMP);
		return 0;
	}
	if (!__builtin_memcmp(code, from, way->n) || headless(way))
		return 1;
	probe->refused = -EBUSY;
	return 0;
}

static void fetch_anew(void)
{
	sys_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE);
}

enum step {
	STEP_CLOSE,		/* cc at the nop: for who comes by a join */
	STEP_GUARD,		/* cc wherever an instruction begins */
	STEP_BODY,		/* all else as it is to be */
	STEP_STARTS,		/* all but the nop as it is to be */
	STEP_OPEN,		/* all as it is to be */
};

/* One step of one probe: the bytes that it has afterwards are written. */
static int step_write(const struct way *way, enum step step, int on,
		      const struct patcher *patcher)
{
	const uint8_t *from = on ? way->off : way->on;
	const uint8_t *to = on ? way->on : way->off;
	uint8_t *code = (uint8_t *)way->site;
	uint8_t bytes[USDT_PATCH_MAX];
	uint32_t k;

	if (step == STEP_CLOSE)
		return on || !way->joins ? 0 : patch_byte(patcher, code, TRAP);
	if (step == STEP_OPEN)
		return patch_byte(patcher, code, to[0]);
	if (step == STEP_STARTS && on && !way->joins)
		return 0;
	bytes[0] = TRAP;
	for (k = 1; k < way->n; k++) {
		if (way->starts >> k & 1 && step != STEP_STARTS)
			bytes[k] = TRAP;
		else
			bytes[k] = step == STEP_GUARD ? from[k] : to[k];
	}
	return patch_write(patcher, code, bytes, way->n);
}

/* Does a step anything for it? */
static int step_matters(const struct usdt_adopted *probe, enum step step)
{
	int on = probe->pending > 0;

	if (step == STEP_CLOSE)
		return !on && probe->way->joins;
	return step != STEP_STARTS || !on || probe->way->joins;
}

/* Who cannot be written stays where it is: with cc where it had to be. */
static void step_all(struct usdt_adopted *list, enum step step,
		     const struct patcher *patcher)
{
	struct usdt_adopted *probe;
	int any = 0;

	for (probe = list; probe; probe = probe->next_pending) {
		if (probe->refused || !step_matters(probe, step))
			continue;
		probe->refused = step_write(probe->way, step,
					    probe->pending > 0, patcher);
		any = 1;
	}
	if (any)
		fetch_anew();
}

/* Takes out of the list what is not due. */
static struct usdt_adopted *sift(const struct patcher *patcher)
{
	struct usdt_adopted **link = &pending;
	struct usdt_adopted *list;

	while (*link) {
		struct usdt_adopted *probe = *link;

		if (is_due(probe, patcher)) {
			link = &probe->next_pending;
			continue;
		}
		*link = probe->next_pending;
		probe->pending = 0;
	}
	list = pending;
	pending = NULL;
	return list;
}

void usdt_place_flush(const struct patcher *patcher)
{
	struct usdt_adopted *list = pending ? sift(patcher) : NULL;
	struct usdt_adopted *probe;
	int ret = list ? usdt_traps_ready() : 0;
	int step;

	for (probe = list; probe; probe = probe->next_pending)
		probe->refused = ret;
	for (step = STEP_CLOSE; list && !ret && step <= STEP_OPEN; step++)
		step_all(list, (enum step)step, patcher);
	for (probe = list; probe; probe = probe->next_pending)
		probe->pending = 0;
}
