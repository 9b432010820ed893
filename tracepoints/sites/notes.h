/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The notes of markers (include/taffrail/site.h) in an ELF file, or in a module
 * that is loaded. They are found through PT_NOTE: no symbol and no section
 * header is needed.
 *
 * Invariant: nothing is trusted. The object that a note names is read only when
 * it lies in a PT_LOAD segment.
 */
#ifndef TRACEPOINTS_SITES_NOTES_H
#define TRACEPOINTS_SITES_NOTES_H

#include <elf.h>
#include <stdint.h>

/* All addresses are those of the file, without the base of a loaded module. */
struct notes {
	const Elf64_Phdr *ph;
	uint32_t nph;
	const char *base;	/* of the file's bytes, or of the module */
	uint64_t bytes;		/* of the file; 0: a module that is loaded */
};

/*
 * Returns the n bytes that a program has at an address, or NULL when no segment
 * with these flags (PF_) has them. Memory between segments cannot be read, and
 * of a file's segment only the part in the file.
 */
void *notes_at(const struct notes *notes, uint64_t address, uint64_t n,
	       uint32_t flags);

/* `address` is where the linker put the descriptor `desc`, of n bytes. Editors
 * of ELF files may have moved it since. A result other than 0 stops. */
typedef int notes_fn(uint32_t type, uint64_t address, const void *desc,
		     uint64_t n, void *arg);

/* Calls `take` for each note of owner "taffrail". Returns 0 or the result of
 * `take`. */
int notes_each(const struct notes *notes, notes_fn *take, void *arg);

#endif
