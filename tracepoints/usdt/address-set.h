/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sets of addresses, and the hash of whatever is found by a number: indexes
 * (base/index.h) of the rooms of USDT probes. The registry's lock is held.
 */
#ifndef TRACEPOINTS_USDT_ADDRESS_SET_H
#define TRACEPOINTS_USDT_ADDRESS_SET_H

#include "base/index.h"
#include "tracepoints/usdt/usdt.h"

/* Returns the hash of an address, or of another number. */
static inline uint64_t address_hash(uint64_t address)
{
	return index_hash(INDEX_HASH, &address, sizeof(address));
}

/* As index_find() asks, in a set: the value is the address. */
static inline bool address_same(uint64_t value, const void *address)
{
	return value == *(const uint64_t *)address;
}

/* Returns true when the set has the address. */
static inline bool address_has(const struct index *set, uint64_t address)
{
	return !!index_find(set, address_hash(address), address_same, &address);
}

/* Adds an address; leaves 0 out, which is none. Returns 0 or -ENOMEM. */
static inline int address_add(struct index *set, uint64_t address)
{
	return address ? index_add(set, address_hash(address), address) : 0;
}

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
