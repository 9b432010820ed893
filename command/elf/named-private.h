/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The addresses of a module, and how they are named.
 */
#ifndef COMMAND_ELF_NAMED_PRIVATE_H
#define COMMAND_ELF_NAMED_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapped;
struct symboliser_file;
struct symboliser_module;
struct symboliser_segment;
struct work_share;

struct named_module {
	struct symboliser_segment *segments;	/* by the file's addresses */
	size_t nsegments;
	uint64_t shift;			/* from the file's addresses to the
					 * process's */
	const char *name;		/* of the file; the mapping's */
};

/* Finds the segments of a file, which is mapped so. The module has none if the
 * two do not go together. */
void named_read_segments(struct named_module *module,
			 const struct mapped *mapped,
			 const struct symboliser_module *from);
/* Frees the segments, once: the module has no address after that. */
void named_free(struct named_module *module);

/* Returns whether the module has the address, or has code there. */
bool named_has(const struct named_module *module, uint64_t address, bool code);

/* Names addresses of the module, which are in order, each once: text of the
 * heap, or NULL. When no time is left, no address gets a name. `debug`: a file
 * that has more symbols of the same build, or NULL. */
void named_find(const struct named_module *module,
		const struct symboliser_file *file,
		const struct symboliser_file *debug, const uint64_t *addresses,
		char **names, size_t n, struct work_share *share);

#endif
