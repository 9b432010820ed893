/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A provider whose interface nobody knows yet: LTTng refuses it. */
#include <lttng/ust-events.h>

#undef LTTNG_UST_PROVIDER_MAJOR
#define LTTNG_UST_PROVIDER_MAJOR 99
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#include "every.h"
