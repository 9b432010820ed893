/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Between the two halves of channels: rings and tables (channel.c), session
 * pages (page.c). No other file includes this.
 */
#ifndef BUFFERS_RINGS_PRIVATE_H
#define BUFFERS_RINGS_PRIVATE_H

#include "base/text.h"
#include "buffers/rings/channel.h"

/*
 * Creates a file, allocates it in full (a sparse one on a full file system
 * would be a SIGBUS in the host), maps it. Returns 0 or a negative errno.
 */
int channel_file_map(const char *path, uint64_t bytes, void **out);

/* A path in the channel's directory: WORD INDEX SUFFIX NUMBER, the last one
 * unless it is negative. `text` says whether it was cut. */
void channel_path(const struct channel *channel, const char *word,
		  const char *suffix, int64_t number, struct text *text,
		  char *path, size_t size);

/* Puts anonymous memory where a shared mapping was: a thread may still look
 * there, and the file's memory is to be freed. */
void channel_retire(void *p, uint64_t bytes);

/* Makes the file session.N, and maps it where the channel's page always is. */
int channel_page_make(struct channel *channel, const char *name);

#endif
