/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 100 events of each kind for LTTng-UST. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng.h"

int main(void)
{
	for (int i = 0; i < 100; i++) {
		int pair[2] = { i, -i };

		lttng_ust_tracepoint(foreign, types, i, "ab\"\n", pair);
		lttng_ust_tracepoint(foreign, step, i);
	}
	return 0;
}
