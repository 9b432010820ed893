/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events of LTTng-UST's own providers. */
#include <lttng/tracef.h>
#include <lttng/tracelog.h>

int main(void)
{
	lttng_ust_tracef("formatted %d %s", 3, "x");
	lttng_ust_tracelog(LTTNG_UST_TRACEPOINT_LOGLEVEL_WARNING, "log %d", 4);
	return 0;
}
