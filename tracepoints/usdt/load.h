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
 * Maps a shared object of ours or libZydis, whose only needs are what the agent
 * has for it. Returns 0 or a negative errno. By a thread that has descriptors
 * of its own; the registry's lock is held.
 */
int library_open(struct library *library, const char *path);

/* The address of what it exports, or NULL. */
void *library_symbol(const struct library *library, const char *name);

/* Learns where the agent's own file is. Once, at start; takes the loader's
 * lock. */
void usdt_load_learn(void);

#endif
