/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which arguments of the JVM's own probes are strings (HotSpot's
 * src/hotspot/os/posix/dtrace/hotspot.d, JDK 8 to 25). They have no NUL at
 * their end, in most cases: the next argument has their length.
 */
#ifndef TRACEPOINTS_USDT_PLAN_HOTSPOT_H
#define TRACEPOINTS_USDT_PLAN_HOTSPOT_H

#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/usdt/plan/note.h"
#include "tracepoints/usdt/plan/operand.h"

/*
 * Adds to `types` the strings of one of the JVM's probes, and where their
 * lengths are. A length that `types` has already stays. Leaves other probes
 * alone, and those whose arguments cannot be a string and its length.
 */
void usdt_hotspot_types(const struct usdt_probe *probe,
			const struct usdt_operand *operands, uint32_t n,
			struct rule_types *types);

#endif
