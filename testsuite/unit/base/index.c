/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The hash table (base/index.c), with few values and with many, and moved.
 */
#include "testsuite/unit/unit.h"

#include "base/index.h"

/* Returns how many of the first n addresses the set has, and walks over it. */
static uint32_t has(const struct index *set, uint32_t n)
{
	uint32_t found = 0, walked = 0;

	for (uint32_t i = 0; i < index_room(set); i++)
		walked += index_slots(set)[i].value != 0;
	for (uint64_t i = 1; i <= n; i++)
		found += address_has(set, i);
	unit_equal(walked, set->used, "a walk over %u finds all", n);
	return found;
}

int main(void)
{
	struct index first = { 0 }, set;
	uint32_t n;

	unit_equal(has(&first, 3), 0, "an empty one has none");
	for (n = 0; n < 3; n++)
		unit_equal(address_add(&first, n + 1), 0, "value %u", n + 1);
	unit_equal(first.slots == NULL, true, "three need no memory");
	set = first;
	memset(&first, 0xff, sizeof(first));
	unit_equal(has(&set, 4), 3, "a moved one has them");
	while (n < 1000 && !address_add(&set, n + 1))
		n++;
	unit_equal(has(&set, 1001), 1000, "a thousand");
	index_empty(&set);
	unit_equal(has(&set, 1000), 0, "emptied");
	address_add(&set, 1);
	index_clear(&set);
	unit_equal(has(&set, 1000), 0, "cleared");
	address_add(&set, 1);
	index_empty(&set);
	unit_equal(has(&set, 1), 0, "few, emptied");
	return unit_end();
}
