/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declarations that the parts of channels share: rings and tables (channel.c),
 * session pages (page.c), a channel's first rings (room.c), larger ones
 * (replace.c). No other file includes this.
 */
#ifndef BUFFERS_RINGS_PRIVATE_H
#define BUFFERS_RINGS_PRIVATE_H

#include <stdbool.h>

#include "base/text.h"
#include "buffers/rings/channel.h"

/* Address space of a session's page and event records. */
#define CHANNEL_AREA_BYTES	(EVENT_RECORDS_OFFSET + \
				 (uint64_t)RECORDS_MAX_BYTES)

/*
 * Creates a file, allocates the first `ahead` bytes, and maps it. A write
 * behind them would cause a SIGBUS in the host where the file system is full.
 * Returns 0 or a negative errno.
 */
int channel_file_map(const char *path, uint64_t ahead, uint64_t bytes,
		     void **out);

/* Maps a whole file of so many bytes, shared. Returns the address, or a
 * negative errno. A ring of more than the default size lies at least 4 GiB
 * below the program's libraries, where such room is found. */
long channel_map(uint64_t bytes, int fd, bool ring);

/* Writes a path in the channel's directory: WORD INDEX SUFFIX NUMBER, without
 * NUMBER when it is negative. `text` says whether the path was cut. */
void channel_path(const struct channel *channel, const char *word,
		  const char *suffix, int64_t number, struct text *text,
		  char *path, size_t size);

/* Puts anonymous memory in the place of a shared mapping, to free the file's
 * memory while a thread may still look there. */
void channel_retire(void *p, uint64_t bytes);

/* Makes the file session.N, and maps it at the fixed address of the channel's
 * page. `now` is the page of the process, or NULL. */
int channel_page_make(struct channel *channel, const char *name,
		      const struct process_page *now);

/* Asks for that, and channel_admit. Returns the result of channel_admit, or
 * -ENOMEM. */
int channel_room_admit(const struct channel *channel, uint64_t bytes);

/* Fills in the head of a ring whose file is new. */
void channel_ring_init(struct ring *ring, uint32_t flags, const uint8_t *uuid,
		       uint32_t cpu, uint64_t instance, uint32_t bytes);

/* Makes one ring: a CPU's (suffix "."), or a locked one (".L"); `cpu` goes into
 * its packet heads. Returns 0 or a negative errno, which the session's page
 * notes as well. */
int channel_ring_make(const struct channel *channel, const char *suffix,
		      uint32_t number, uint32_t cpu, uint32_t bytes,
		      struct ring **out);

/* Make one ring. Return 0 or a negative errno, which the session's page notes
 * as well. */
int channel_cpu_ring_make(struct channel *channel, uint32_t cpu);
int channel_locked_ring_make(struct channel *channel, uint32_t k);

/* Takes `making`, which excludes threads that make a ring. Returns 0, or
 * -EBUSY: such a thread does not go on, or the channel is stopped. */
int channel_making_take(struct channel *channel);

/* Unmaps the rings. No writer may be in them, except in a locked ring. */
void channel_rings_unmap(struct channel *channel);

/* Remove the file of one ring of a CPU, and those of all rings that writers
 * use. */
void channel_ring_remove(const struct channel *channel, uint32_t number);
void channel_rings_remove(const struct channel *channel);

/* Sets the size of the rings to be made. Writers must not be let in yet. */
void channel_size_set(struct channel *channel, uint32_t ring_bytes);

#endif
