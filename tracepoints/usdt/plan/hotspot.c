/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The arguments of the JVM's own probes that are strings (HotSpot's
 * src/hotspot/os/posix/dtrace/hotspot.d, JDK 8 to 25). Most have no NUL at
 * their end: the next argument has their length.
 *
 * The probes of provider hotspot_jni get strings of C, if any, whose length no
 * argument has: they are not in the table.
 */
#include "tracepoints/usdt/plan/operand.h"

#include "base/base.h"
#include "base/text.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/usdt/plan/note.h"

#define ARG(n)	(1u << ((n) - 1))

static const struct {
	const char *begin;		/* of the probe's name */
	uint32_t strings;
} probes[] = {
	{ "class__", ARG(1) },
	{ "compiled__method__", ARG(1) | ARG(3) | ARG(5) },
	{ "mem__pool__gc__", ARG(1) | ARG(3) },
	{ "method__compile__", ARG(1) | ARG(3) | ARG(5) | ARG(7) },
	{ "method__entry", ARG(2) | ARG(4) | ARG(6) },
	{ "method__return", ARG(2) | ARG(4) | ARG(6) },
	{ "monitor__", ARG(3) },
	{ "object__alloc", ARG(2) },
	{ "thread__start", ARG(1) },
	{ "thread__stop", ARG(1) },
	{ "vmops__", ARG(1) },
};

void usdt_hotspot_types(const struct usdt_probe *probe,
			const struct usdt_operand *operands, uint32_t n,
			struct rule_types *types)
{
	uint32_t row = 0;

	if (!text_equal(probe->provider, "hotspot"))
		return;
	while (row < ARRAY_SIZE(probes) &&
	       !text_after(probe->name, probes[row].begin))
		row++;
	for (uint32_t i = 0; row < ARRAY_SIZE(probes) && i + 1 < n; i++) {
		if (!(probes[row].strings >> i & 1) || types->lengths[i] ||
		    !usdt_operand_points(&operands[i]) ||
		    !usdt_operand_counts(&operands[i + 1]))
			continue;
		types->strings |= 1u << i;
		types->lengths[i] = (uint8_t)(i + 2);
	}
}
