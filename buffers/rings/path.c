/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Paths of a channel's files: of workers, which make the files, and of threads
 * of the program, which remove them at the end. So this has .eh_frame, and
 * page.c has none.
 */
#include "buffers/rings/private.h"

void channel_path(const struct channel *channel, const char *word,
		  const char *suffix, int64_t number, struct text *text,
		  char *path, size_t size)
{
	text_open(text, path, size);
	text_add(text, channel->directory);
	text_add(text, word);
	text_add_unsigned(text, channel->index);
	text_add(text, suffix);
	if (number >= 0)
		text_add_number(text, number);
}
