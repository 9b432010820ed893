/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of a pass over a module: probes and functions.
 */
#ifndef TRACEPOINTS_USDT_PLACE_PRIVATE_H
#define TRACEPOINTS_USDT_PLACE_PRIVATE_H

#include "tracepoints/usdt/jumps/jumps.h"

/*
 * Makes markers of the wanted functions of a module. `codes` are the addresses
 * of the sites that the module has. Returns 1 when a later call may place more.
 */
int usdt_functions_adopt(struct module *module,
			 const struct usdt_asking *asking,
			 const struct patcher *patcher,
			 const struct usdt_file *file, struct index *codes);

#endif
