/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds plans by address, among plans that are sorted.
 */
#include "tracepoints/usdt/plan/plan.h"

#include <stddef.h>

uint32_t usdt_plans_before(const struct usdt_plan *plans, uint32_t n,
			   uint64_t address)
{
	uint32_t low = 0;
	uint32_t high = n;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (plans[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct usdt_plan *usdt_plan_for(struct usdt_plan *plans, uint32_t n,
				uint64_t address)
{
	struct usdt_plan *own = NULL;
	uint32_t i = usdt_plans_before(plans, n, address);

	if (i < n && plans[i].address == address && !plans[i].reason &&
	    !(plans[i].second && plans[i].beside))
		own = &plans[i];
	while (i-- > 0 && address - plans[i].address < USDT_PATCH_MAX)
		if (!plans[i].reason && !plans[i].second &&
		    plans[i].beside == address - plans[i].address)
			return &plans[i];
	return own;
}
