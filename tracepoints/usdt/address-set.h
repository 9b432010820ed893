/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sets of addresses (base/index.h) of a module's markers. The registry's lock
 * is held.
 */
#ifndef TRACEPOINTS_USDT_ADDRESS_SET_H
#define TRACEPOINTS_USDT_ADDRESS_SET_H

#include "base/index.h"
#include "tracepoints/usdt/usdt.h"

/* Adds the sites of a module's markers, but those of lines: a marker in the
 * program's source declares the nop as a probe, too. Returns 0 or -ENOMEM. */
static inline int address_add_sites(struct index *set,
				    const struct module *module)
{
	const struct object *object;
	const struct code *code;
	int ret = 0;

	for (object = module->objects; object; object = object->next)
		for (code = object->codes;
		     code && !usdt_is_line(object->adopted) && !ret;
		     code = code->next)
			ret = address_add(set, (uint64_t)code->address);
	return ret;
}

#endif
