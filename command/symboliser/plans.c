/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether source lines can be placed, as the agent plans each that is alone
 * (tracepoints/usdt/jumps/spots.c): the symboliser's child.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command/symboliser/dwarf-private.h"
#include "tracepoints/usdt/plan/calls.h"

int symboliser_plans_compare(const void *left, const void *right)
{
	const struct usdt_plan *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

bool symboliser_plans_make(struct symboliser_plans *p, Elf *elf,
			   const uint64_t *addresses, size_t n, bool handles)
{
	uint32_t kept = 0;
	GElf_Ehdr header;

	memset(p, 0, sizeof(*p));
	p->handles = handles;
	p->file.bytes = (const uint8_t *)elf_rawfile(elf, &p->file.size);
	if (p->file.bytes && usdt_bounds_open(&p->bounds, &p->file) != -ENOMEM)
		p->file.bounds = &p->bounds;
	if (!p->file.bytes || usdt_image_open(&p->image, &p->file) ||
	    !p->image.count || !gelf_getehdr(elf, &header) || n > UINT32_MAX)
		return false;
	p->plans = calloc(n + 1, sizeof(*p->plans));
	if (!p->plans)
		return false;
	/* others are loaded far above */
	p->low = usdt_is_low(header.e_type == ET_EXEC ?
				     p->image.loads[0].p_vaddr : UINT32_MAX);
	for (size_t i = 0; i < n; i++)
		p->plans[i] = (struct usdt_plan){
			.address = addresses[i], .whole = 1, .low = p->low };
	qsort(p->plans, n, sizeof(*p->plans), symboliser_plans_compare);
	for (size_t i = 0; i < n; i++)
		if (!kept || p->plans[kept - 1].address != p->plans[i].address)
			p->plans[kept++] = p->plans[i];
	p->n = kept;
	for (uint32_t i = 0; i < kept; i += USDT_TOGETHER)
		usdt_plan(&p->file, usdt_zydis(), p->plans + i,
			  kept - i < USDT_TOGETHER ? kept - i : USDT_TOGETHER);
	return true;
}

/* Returns why a plan cannot be used, or 0. */
static int plan_refused(const struct symboliser_plans *p,
			const struct usdt_plan *plan)
{
	return plan->reason ? plan->reason :
	       p->handles && plan->faults ? USDT_FAULTS :
	       !usdt_plan_leads(plan) ? USDT_REACH : 0;
}

int symboliser_plans_why(const struct symboliser_plans *p, uint64_t address)
{
	struct usdt_plan earlier[USDT_EARLIER_MAX], other;
	uint32_t at = usdt_plans_before(p->plans, p->n, address), n;
	int why;

	if (at == p->n || p->plans[at].address != address)
		return USDT_NO_FUNCTION;
	why = plan_refused(p, &p->plans[at]);
	if (!why)
		return 0;
	n = usdt_plan_earlier(&p->image, usdt_zydis(), p->low, address,
			      earlier);
	while (n-- > 0)
		if (!plan_refused(p, &earlier[n]) &&
		    usdt_plan_moves(&earlier[n], address - earlier[n].address))
			return 0;
	if (!usdt_pun_plan(&p->image, usdt_zydis(), p->low, address, &other) &&
	    !plan_refused(p, &other))
		return USDT_PUNS;
	return usdt_trap_plan(&p->image, usdt_zydis(), address, false,
			      &other) || plan_refused(p, &other) ?
		       why : why | USDT_TRAPS;
}

void symboliser_plans_free(struct symboliser_plans *p)
{
	usdt_bounds_close(&p->bounds);
	free(p->plans);
}
