/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The numbers of causes, one for each row of causes.def.
 */
#ifndef CONTROL_CAUSES_H
#define CONTROL_CAUSES_H

enum cause_id {
	CAUSE_NONE = 0,
#define CAUSE(name, number, slots) CAUSE_##name = (number),
#include "control/causes.def"
#undef CAUSE
};

#endif
