/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * USDT probes as an ELF file declares them: notes of owner "stapsdt" and type
 * 3 in sections (they belong to no segment), each with the probe's address,
 * that of .stapsdt.base when it was linked, its semaphore's or 0, and the
 * strings provider, name and operands. (SystemTap's
 * UserSpaceProbeImplementation; sys/sdt.h 4.8.)
 *
 * What must stay true: the file is input. Nothing outside it is read, and a
 * note that is damaged is left out and counted.
 */
#ifndef TRACEPOINTS_USDT_PLAN_NOTE_H
#define TRACEPOINTS_USDT_PLAN_NOTE_H

#include <stdint.h>

/* Addresses are those that the file itself gives, after prelinking. */
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
};

/* Not 0: stop, and return that. */
typedef int usdt_probe_fn(const struct usdt_probe *probe, void *priv);

/*
 * Calls fn for each probe. Returns 0, what fn returned, or -ENOEXEC when this
 * is no such file or its section headers lie outside it. `damaged` is the
 * number of notes that were left out, and may be NULL. Allocates nothing.
 */
int usdt_notes_read(const struct usdt_file *file, usdt_probe_fn *fn,
		    void *priv, uint32_t *damaged);

/*
 * The address of a symbol of data or code, in .symtab, else in .dynsym. False
 * when there is none. `name` has `length` bytes and need not end there.
 */
int usdt_file_symbol(const struct usdt_file *file, const char *name,
		     uint32_t length, uint64_t *address);

#endif
