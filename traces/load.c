/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the metadata of a trace on disk, and says why a file of a trace cannot
 * be read.
 *
 * Invariant: a text with a wrong checksum is never given to a caller here.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "traces/checksum.h"
#include "traces/ledger.h"
#include "traces/metadata.h"
#include "traces/trace.h"

#define METADATA_MAX	(64u << 20)
#define CTF_LINE	"/* CTF 1.8 */"
#define TRACER		"tracer_name = \"taffrail\""

/* Returns whether a text stands in a file. */
static bool map_has(const struct file_map *map, const char *text)
{
	return memmem(map->address, map->bytes, text, strlen(text));
}

int metadata_load(char **text, int fd)
{
	const size_t n = strlen(CTF_LINE);
	struct file_map map, ledger;
	size_t bytes;
	int ret = file_map_open(&map, fd, "metadata", 1, 0);

	if (ret)
		return ret;
	bytes = map.bytes;
	if (bytes > METADATA_MAX || bytes < n ||
	    strncmp(map.address, CTF_LINE, n))
		ret = -ENODATA;
	else if (checksum_right(map.address, &bytes, METADATA_CHECKSUM_BEFORE,
				METADATA_CHECKSUM_AFTER))
		*text = strndup(map.address, bytes);
	else
		ret = -EILSEQ;
	/* neither the metadata nor the ledger was ever given a checksum */
	if (ret == -EILSEQ && !map_has(&map, METADATA_CHECKSUM_BEFORE)) {
		if (!file_map_open(&ledger, fd, "index/ledger", 1, 0)) {
			if (!map_has(&ledger, LEDGER_CHECKSUM))
				ret = -EPROTO;
			file_map_close(&ledger);
		} else if (!map_has(&map, TRACER) &&
			   faccessat(fd, "index/session", F_OK, 0)) {
			/* another tracer's */
			ret = -ENODATA;
		}
	}
	file_map_close(&map);
	return ret ? ret : *text ? 0 : -ENOMEM;
}

const char *trace_reason(int error)
{
	switch (error) {
	case -EBADMSG:
		return "it is damaged or cut short";
	case -EPROTO:
		return "it was written by another version of Taffrail";
	case -EINVAL:
	case -ELOOP:
		return "it is not a regular file";
	default:
		return trace_words(-error);
	}
}

static const char *(*words_of)(int error);

void trace_set_words(const char *(*words)(int error))
{
	words_of = words;
}

const char *trace_words(int error)
{
	return words_of ? words_of(error) : strerror(error);
}
