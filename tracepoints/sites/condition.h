/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions of rules, compiled for one marker.
 */
#ifndef TRACEPOINTS_SITES_CONDITION_H
#define TRACEPOINTS_SITES_CONDITION_H

#include "tracepoints/conditions/ax.h"
#include "tracepoints/conditions/expr.h"
#include "tracepoints/sites/registry.h"

/*
 * Compiles and verifies the text of a condition for a marker. Keeps one copy of
 * each program until the process exits: a thread may still be running a program
 * that no rule uses any more. Returns 0, with a program, or NULL where the
 * condition holds at each hit; 1: it never holds for this marker; -ENOENT or
 * -ESRCH: this marker has no such fields; -EINVAL: the text is no condition;
 * -ENOMEM. The reason is in *error. The registry's lock is held.
 */
int condition_make(const struct object *object, const char *text,
		   const struct ax_program **program,
		   struct expr_error *error);

#endif
