/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The addresses of a module, and their symbols.
 */
#ifndef COMMAND_ELF_NAMED_PRIVATE_H
#define COMMAND_ELF_NAMED_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapped;

/* A segment that is loaded, by the process's addresses. */
struct named_segment {
	uint64_t start;
	uint64_t bytes;
	bool code;
};

struct named_module {
	struct named_segment *segments;
	size_t nsegments;
	uint64_t shift;			/* from the file's addresses to the
					 * process's */
	const char *name;		/* of the file; the mapping's */
};

struct named_address {
	uint64_t address;
	char *name;			/* NULL, or of the heap */
};

/* Reads the segments of a file, which is mapped so. The module has none if the
 * file makes no sense. */
void named_read_segments(struct named_module *module, int fd,
			 const struct mapped *mapped);
void named_free(struct named_module *module);

/* Returns whether the module has the address, or has code there. */
bool named_has(const struct named_module *module, uint64_t address, bool code);

/* Names addresses of the module, which are in order, each once. Takes its work
 * from `steps`: when none are left, no address gets a name. */
void named_find(const struct named_module *module, int fd,
		struct named_address *addresses, size_t n, uint32_t *steps);

#endif
