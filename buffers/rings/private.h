/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the two halves of channels share: rings and tables (channel.c), session
 * pages (page.c). No other file includes this.
 */
#ifndef BUFFERS_RINGS_PRIVATE_H
#define BUFFERS_RINGS_PRIVATE_H

#include "base/text.h"
#include "buffers/rings/channel.h"

/*
 * Creates a file, allocates it in full, and maps it. A sparse file on a full
 * file system would cause a SIGBUS in the host. Returns 0 or a negative errno.
 */
int channel_file_map(const char *path, uint64_t bytes, void **out);

/* Writes a path in the channel's directory: WORD INDEX SUFFIX NUMBER, without
 * NUMBER when it is negative. `text` says whether the path was cut. */
void channel_path(const struct channel *channel, const char *word,
		  const char *suffix, int64_t number, struct text *text,
		  char *path, size_t size);

/* Puts anonymous memory in the place of a shared mapping, to free the file's
 * memory while a thread may still look there. */
void channel_retire(void *p, uint64_t bytes);

/* Makes the file session.N, and maps it at the fixed address of the channel's
 * page. */
int channel_page_make(struct channel *channel, const char *name);

#endif
