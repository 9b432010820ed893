/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A bed for the rings: what the agent does to set up channels and slots, done
 * by hand, so that the writers can be tested alone.
 *
 * Directories: BASE/0 belongs to the first process, BASE/1, ... to children
 * that were revived. BASE is below /dev/shm and goes with bed_close().
 */
#ifndef STRESS_BED_H
#define STRESS_BED_H

#include "buffers/writers/write.h"

#define BED_PATH_BYTES	224

struct bed {
	char base[BED_PATH_BYTES];
	uint32_t cpus;			/* rings of a CPU's own; 0: none */
	uint32_t first_locked;
};

extern struct bed bed;

/*
 * Sets up everything before the first channel. `clock` as clock_select().
 * Rings a CPU are had with `rseq`, when rseq works and the clock is the TSC.
 * Returns 0 or a negative errno.
 */
int bed_open(const char *clock, int rseq);

/* Makes BASE/number the process's own, with a page of its own. */
int bed_enter(uint32_t number);

/* channel_create() and channel_start(). */
int bed_channel(struct channel *channel, uint32_t index, uint32_t flags,
		uint32_t contexts, uint64_t ring_bytes);

/* Stops a channel, waits, unmaps, removes its files. */
int bed_channel_end(struct channel *channel);

/* Makes a slot that is off. */
void bed_slot(struct write_slot *slot, const struct write_shape *shape);

/* A flag of a channel for which bed_slot_on() adds BED_WIDE_ID to ids, so that
 * all have wide headers. */
#define BED_WIDE	(1u << 31)
#define BED_WIDE_ID	100u

/* Changes a slot in the order that write.h demands (WRITE-SLOT). */
void bed_slot_on(struct write_slot *slot, struct channel *channel,
		 uint32_t id);
void bed_slot_off(struct write_slot *slot);

/* Maps a file of BASE: NULL when it is not there (yet). */
void *bed_map(const char *name, uint64_t *bytes);

/* Removes a folder with all that is in it, if it is there: tests do so some
 * hundred times, and a shell would take longer than what they test. */
void bed_clear(const char *path);

/* Removes BASE/number with its files; all of BASE. */
void bed_remove(uint32_t number);
void bed_close(void);

#endif
