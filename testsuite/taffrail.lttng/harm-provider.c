/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The provider of harm.h: a part of a program, or a library. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#include "harm.h"
