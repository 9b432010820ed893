/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions of rules, made ready for one marker.
 */
#ifndef TRACEPOINTS_SITES_CONDITION_H
#define TRACEPOINTS_SITES_CONDITION_H

#include "tracepoints/conditions/ax.h"
#include "tracepoints/conditions/expr.h"
#include "tracepoints/sites/registry.h"

/*
 * Compiles and verifies the text of a condition for a marker. The program is
 * kept for ever, once: a thread may be running one that nobody asks for any
 * more. Returns 0; -ENOENT or -ESRCH: this marker has no such fields; -EINVAL:
 * no condition at all; -ENOMEM. The reason is in *error. The registry's lock
 * is held.
 */
int condition_make(const struct object *object, const char *text,
		   const struct ax_program **program,
		   struct expr_error *error);

#endif
