/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declarations that the files of the probe library `histogram` share.
 */
#ifndef PROBES_SHIPPED_HISTOGRAM_PRIVATE_H
#define PROBES_SHIPPED_HISTOGRAM_PRIVATE_H

#include <stdint.h>

#include <taffrail/probe-library.h>

#include "probes/shipped/pairs-private.h"
#include "probes/shipped/value-private.h"

#define KEYS		256
#define KEY_OTHERS	(KEYS - 1)	/* where no other is free */
#define LINEAR		100		/* buckets of equal width */
#define BUCKETS		(LINEAR + 2)
#define CPUS		1024
#define NAME_BYTES	64

enum key_state { KEY_FREE = 0, KEY_WRITTEN, KEY_WHOLE };

/* A value of the field `by`. */
struct key {
	uint32_t state;			/* enum key_state */
	char text[VALUE_BYTES];
};

/* The counters of one CPU. Powers of two: below 0, 0, 1, 2 to 3, 4 to 7 ...
 * Equal widths: below `least`, LINEAR buckets, above. */
struct counts {
	uint64_t buckets[KEYS][BUCKETS];
	uint64_t sums[KEYS];
};

struct histogram {
	struct histogram *next;
	char name[NAME_BYTES];
	char field[NAME_BYTES];
	char by[NAME_BYTES];
	int64_t step;			/* 0: powers of two */
	int64_t least;
	int uses;			/* connections */
	int times;			/* between begin and end, in ns */
	uint64_t unpaired;		/* ends without a begin, and begins
					 * for which there was no place */
	uint64_t lacking;		/* hits without the field, or memory */
	struct key keys[KEYS];
	struct counts *cpus[CPUS];
	struct pairs pairs;
};

/* Returns the histogram of that name, or NULL. For calls and connections. */
struct histogram *histogram_find(const char *name);
/* Returns the first (of NULL) or the next one, or NULL. */
struct histogram *histogram_next(const struct histogram *h);

#endif
