/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file's bytes by the addresses that the file gives, and the bounds of
 * functions from .eh_frame (Linux Standard Base 5.0, "Exception Frames"), or
 * from symbols.
 *
 * Invariant: the file is not trusted. Nothing outside it is read.
 */
#ifndef TRACEPOINTS_USDT_PLAN_IMAGE_H
#define TRACEPOINTS_USDT_PLAN_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracepoints/usdt/plan/note.h"

#define USDT_LOADS_MAX	16

struct usdt_image {
	const struct usdt_file *file;
	uint32_t count;
	Elf64_Phdr loads[USDT_LOADS_MAX];	/* with bytes in the file */
	uint64_t frames;	/* .eh_frame_hdr, or 0 */
	uint64_t dynamic;	/* the dynamic section, or 0 */
	const struct usdt_bounds *bounds;	/* of the file */
};

/* Returns 0, or -ENOEXEC when the headers are damaged or too many. */
int usdt_image_open(struct usdt_image *image, const struct usdt_file *file);

/* Returns the file's bytes for an address; NULL if there are fewer than n. In
 * *left, unless `left` is NULL: how many there are up to the segment's end.
 * `flags`: PF_ that the segment must have. */
const uint8_t *usdt_image_at(const struct usdt_image *image, uint64_t address,
			     uint64_t n, uint32_t flags, uint64_t *left);

struct usdt_function {
	uint64_t start;
	uint64_t end;
	uint64_t handlers;	/* address of its exception table, or 0 */
	int part;		/* of another function: begins with its frame */
	int signal;		/* a signal's handler returns to it */
	uint64_t frame;		/* address of the FDE's instructions; 0: a
				 * symbol has told the bounds */
	uint64_t frame_bytes;
};

/* Reads the record of .eh_frame at an address. Returns false when it is damaged
 * or of an unknown form. */
bool usdt_image_frame(const struct usdt_image *image, uint64_t address,
		      struct usdt_function *function);

/* The bounds of a function. */
struct usdt_bound {
	uint64_t start;
	uint64_t end;
	uint64_t frame;		/* of a record of .eh_frame; 0: a symbol's */
	uint8_t part;		/* as above */
	uint8_t signal;		/* as above */
	uint8_t unclear;	/* symbols overlap: no function is known */
};

/* Places that tables of jumps lead to; see scan-private.h. */
struct usdt_places {
	struct usdt_range {
		uint64_t first;		/* to sort by */
		uint64_t end;
	} *list;
	uint32_t count;
	uint32_t room;
	bool known;		/* they were found */
};

/* Those that .eh_frame_hdr does not have, sorted. */
struct usdt_bounds {
	struct usdt_bound *list;
	uint32_t count;
	uint32_t room;
	struct usdt_places places;	/* when the first plan has found them */
};

/*
 * Finds them: by .eh_frame in files without .eh_frame_hdr, and by symbols in
 * files most of whose functions have no frame. The caller sets `bounds` of the
 * file. Maps memory if there are any. Returns 0, -ENOEXEC or -ENOMEM.
 */
int usdt_bounds_open(struct usdt_bounds *bounds, const struct usdt_file *file);
void usdt_bounds_close(struct usdt_bounds *bounds);
void usdt_places_close(struct usdt_places *places);

/*
 * Finds the function that an address is in. Returns false when none is known;
 * *function is then the last one before the address, or `end` is 0.
 */
bool usdt_image_function(const struct usdt_image *image, uint64_t address,
			 struct usdt_function *function);

/*
 * Tells whether the stack has nothing of the function but the return address
 * before the instruction at an address, as where a function may be left.
 * Returns 1 or 0 as the function's FDE says, or -1 when it cannot be read.
 */
int usdt_image_bare(const struct usdt_image *image,
		    const struct usdt_function *function, uint64_t address);

/*
 * Calls `led` for each place that an exception in the function leads to, by the
 * table of call sites that compilers write (.gcc_except_table). Returns false
 * when the table has another form.
 */
bool usdt_image_handlers(const struct usdt_image *image,
			 const struct usdt_function *function,
			 void (*led)(void *arg, uint64_t target), void *arg);

/*
 * Finds the rarely run parts of functions that compilers put apart. Linkers put
 * these parts together, before all other code or before code that has none.
 * Returns false when there are none, or .eh_frame_hdr does not tell.
 */
bool usdt_image_parts(const struct usdt_image *image, uint64_t *start,
		      uint64_t *end);

#endif
