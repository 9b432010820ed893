/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * USDT probes as an ELF file declares them: notes of owner "stapsdt" and type
 * 3 in sections (they belong to no segment). Each has three addresses, of the
 * probe, of .stapsdt.base when the file was linked, and of the semaphore or 0;
 * and the strings provider, name and operands. (SystemTap's
 * UserSpaceProbeImplementation; sys/sdt.h 4.8.)
 *
 * Invariant: the file is not trusted. Nothing outside it is read, and a damaged
 * note is left out and counted.
 */
#ifndef TRACEPOINTS_USDT_PLAN_NOTE_H
#define TRACEPOINTS_USDT_PLAN_NOTE_H

#include <stdbool.h>
#include <stdint.h>

/* Addresses are those of the file, after prelinking. */
struct usdt_probe {
	uint64_t address;
	uint64_t semaphore;		/* 0: none */
	const char *provider;		/* in the file */
	const char *name;
	const char *operands;
};

/* A 64-bit little-endian ELF file in memory. */
struct usdt_file {
	const uint8_t *bytes;
	uint64_t size;
	struct usdt_bounds *bounds;	/* usdt_bounds_open(); or
						 * NULL */
};

/* A result other than 0 stops the reading, which then returns it. */
typedef int usdt_probe_fn(const struct usdt_probe *probe, void *priv);

/*
 * Calls fn for each probe. Returns 0, the result of fn, or -ENOEXEC when the
 * file is no such ELF file or the section headers lie outside it. Stores in
 * *damaged, unless `damaged` is NULL, how many notes were left out. Allocates
 * nothing.
 */
int usdt_notes_read(const struct usdt_file *file, usdt_probe_fn *fn,
		    void *priv, uint32_t *damaged);

/*
 * Finds the address of a symbol of data or code, in .symtab, else in .dynsym.
 * Returns false when there is none. `name` has `length` bytes; no NUL is needed
 * after them.
 */
bool usdt_file_symbol(const struct usdt_file *file, const char *name,
		      uint32_t length, uint64_t *address);

#endif
