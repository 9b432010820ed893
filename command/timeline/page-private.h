/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The file: the frame of the page, with blocks of data in it.
 */
#ifndef COMMAND_TIMELINE_PAGE_PRIVATE_H
#define COMMAND_TIMELINE_PAGE_PRIVATE_H

#include "command/export/target.h"
#include "command/timeline/bytes-private.h"
#include "traces/pairs/pairs.h"
#include "traces/text/event-text.h"

/* A page that is being written. All zero before page_open(). */
struct page {
	struct out out;
	const char *file;		/* as the user gave it */
	struct target target;
	uint8_t *packed;		/* a block that is packed */
	size_t packed_room;
};

/* Opens the file; with `force`, a former one is kept. Returns COMMAND_DONE, or
 * another status after printing why. The caller calls page_close() in any
 * case. */
int page_open(struct page *page, const char *file, bool force);

/* Packs a block and writes it. Returns false without memory. */
bool page_block(struct page *page, const struct bytes *raw, const char *class);

/* Gives the page its name if it is `complete`, else removes it. Returns
 * COMMAND_DONE, or COMMAND_FAILED after printing the reason, if the reason is
 * new. */
int page_close(struct page *page, bool complete);

/* page-text.c, which embed.sh makes of the files in page/ */
extern const char page_text[];
extern const unsigned int page_text_bytes;

#endif
