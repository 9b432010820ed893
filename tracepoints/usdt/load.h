/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared objects that the agent loads by itself; see load-x86_64.c.
 */
#ifndef TRACEPOINTS_USDT_LOAD_H
#define TRACEPOINTS_USDT_LOAD_H

#include <elf.h>
#include <stdint.h>

struct library {
	uint64_t base;
	const Elf64_Sym *symbols;
	const char *strings;
};

/*
 * Maps a shared object of ours or libZydis, which needs only functions that the
 * agent names. Returns 0 or a negative errno. The calling thread has private
 * descriptors; the registry's lock is held.
 */
int library_open(struct library *library, const char *path);

/* Returns the address of an exported symbol, or NULL. */
void *library_symbol(const struct library *library, const char *name);

/* Learns where the agent's own file is. Called once, at start; takes the
 * loader's lock. */
void usdt_load_learn(void);

#endif
