/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The list of mappings (base/mappings.h) after parts of one are unmapped.
 */
#include "testsuite/unit/unit.h"

#include <sys/mman.h>

#include "base/mappings.h"
#include "base/sys.h"

#define PAGE_BYTES	4096
#define PAGES(n)	((uint64_t)(n) * PAGE_BYTES)

static uint64_t start;

/* Returns "FROM+PAGES" of each row, from the mapping of eight pages on. */
static const char *rows_told(void)
{
	static char text[256];

	*text = '\0';
	for (uint32_t i = 0; i < MAPPINGS_MAX; i++)
		if (mappings[i].start)
			sprintf(text + strlen(text), "%lld+%llu ",
				(long long)(mappings[i].start - start) /
					(long long)PAGE_BYTES,
				(unsigned long long)(mappings[i].bytes /
						     PAGE_BYTES));
	return text;
}

int main(void)
{
	start = (uint64_t)mapping_map(0, PAGES(8) - 1, PROT_NONE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unit_equal_string(rows_told(), "0+8 ", "whole pages");
	mapping_forget(start + PAGES(8), PAGES(1));
	unit_equal_string(rows_told(), "0+8 ", "what lies behind");
	mapping_forget(start - PAGES(1), PAGES(1));
	unit_equal_string(rows_told(), "0+8 ", "what lies before");
	mapping_unmap((long)(start + PAGES(6)), PAGES(2));
	unit_equal_string(rows_told(), "0+6 ", "the end");
	mapping_unmap((long)start, PAGES(1));
	unit_equal_string(rows_told(), "1+5 ", "the beginning");
	mapping_map((long)(start + PAGES(2)), PAGES(2), PROT_READ,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	unit_equal_string(rows_told(), "1+5 ", "one inside another");
	unit_check(!mappings_lost, "none is lost");
	mapping_unmap((long)(start + PAGES(3)), PAGES(1));
	unit_check(mappings_lost, "a part in the middle is lost");
	mapping_unmap((long)(start + PAGES(1)), PAGES(5));
	unit_equal_string(rows_told(), "", "all of it");
	return unit_end();
}
