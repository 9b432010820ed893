/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library that begin.c loads when its main() runs.
 */
#include <taffrail/marker.h>

void plugin_hit(void);

void plugin_hit(void)
{
	for (int i = 0; i < 3; i++)
		TAFFRAIL_EVENT(plugin, hit, i);
}
