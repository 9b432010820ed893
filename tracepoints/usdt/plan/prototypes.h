/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prototypes of well-known functions of libc, for events of functions whose
 * rule says no types.
 */
#ifndef TRACEPOINTS_USDT_PLAN_PROTOTYPES_H
#define TRACEPOINTS_USDT_PLAN_PROTOTYPES_H

#include <stdint.h>

#include "include/taffrail/site.h"

/* No pointers: the table needs no relocations. */
struct usdt_prototype {
	char name[24];
	char result[2];		/* a letter of prototypes.def, or "-" */
	char arguments[8];	/* a letter each */
	char fields[62];	/* "path, flags, cfa" */
	struct taffrail_shown shown[2];		/* field_ 0: there is none */
};

/* Finds the prototype of a function of libc's libraries, by a symbol: also by
 * "__libc_open64". Returns NULL if it is not known. */
const struct usdt_prototype *usdt_prototype_find(const char *symbol);

/* Return the type that a letter stands for (enum taffrail_type), else int64;
 * and the letter of a type, or 0. */
uint8_t usdt_prototype_type(char letter);
char usdt_prototype_letter(uint8_t type);

/* Returns how many descriptions `shown` has. */
uint32_t usdt_prototype_shown(const struct usdt_prototype *prototype);

#endif
