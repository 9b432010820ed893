/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The decoder that a tool is linked with.
 */
#ifndef TRACEPOINTS_USDT_PLAN_ZYDIS_H
#define TRACEPOINTS_USDT_PLAN_ZYDIS_H

#include "tracepoints/usdt/plan/plan.h"

/* Returns the decoder, or NULL in a build without Zydis. Thread-safe. */
const struct usdt_decoder *usdt_zydis(void);

#endif
