/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plugin that calls a function of LTTng's, and is no provider. */
#include <lttng/ust-thread.h>

void plug(void)
{
	lttng_ust_init_thread();
}
