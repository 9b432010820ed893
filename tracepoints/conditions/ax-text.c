/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions: compares strings with texts. See ax-insn.h; base/glob.h has the
 * globs.
 */
#include "tracepoints/conditions/ax-insn.h"

#include "base/base.h"

SIGSAFE bool ax_text_equal(const char *p, uint64_t limit, const char *text)
{
	for (; *text; p++, text++, limit--)
		if (!limit || *p != *text)
			return false;
	return !limit || !*p;
}
