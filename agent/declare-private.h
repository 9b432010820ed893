/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers that the program declares while it runs.
 */
#ifndef AGENT_DECLARE_PRIVATE_H
#define AGENT_DECLARE_PRIVATE_H

#pragma GCC visibility push(default)
#include "include/taffrail/event.h"
#pragma GCC visibility pop

/* A site and the texts of the site, as a compiler lays them out. */
struct taffrail_declared {
	struct taffrail_site site;
	char text[];			/* channel, name, fields, file */
};

static inline int declared_is_variable(int type)
{
	return !!(type & ~TAFFRAIL_T_SCALAR_MASK);
}

#endif
