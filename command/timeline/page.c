/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The file: the frame of the page, and in it the blocks of data, each packed
 * (deflate, RFC 1951) and as base64 in a <script> of a type that no browser
 * runs.
 *
 * Invariants:
 *  - bytes of a traced program are in the file as base64 only;
 *  - the user's file is replaced when the page is complete, and not before.
 */
#include "command/timeline/page-private.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "command/common/command.h"
#include "command/common/limits.h"

#define DATA_MARK	"@DATA@"
#define BASE64_PIECE	(3u * (OUT_PIECE_BYTES / 4))
#define PACK_LEVEL	6
#define RAW_DEFLATE	(-15)

int page_open(struct page *page, const char *file, bool force)
{
	static const struct export_format form = { .target = EXPORT_STREAM };
	const char *data = strstr(page_text, DATA_MARK);
	int ret;

	page->file = file;
	ret = target_open(&page->target, &form, file, force);
	if (ret != COMMAND_DONE)
		return ret;
	if (out_open(&page->out, page->target.fd))
		return command_failed("out of memory");
	/* page_close() writes the part of the frame behind the mark */
	out_bytes(&page->out, page_text, (size_t)(data - page_text));
	return COMMAND_DONE;
}

/* Packs the raw block into page->packed, which grows to the largest block.
 * Returns how many bytes it made, or 0 without memory. A block in which memory
 * was lacking is not packed: the page would be wrong. */
static size_t pack_bytes(struct page *page, const struct bytes *raw)
{
	z_stream z = { 0 };
	size_t room;

	if (raw->failed || deflateInit2(&z, PACK_LEVEL, Z_DEFLATED, RAW_DEFLATE,
					MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY))
		return 0;
	room = deflateBound(&z, raw->n);
	if (room > page->packed_room) {
		free(page->packed);
		page->packed = malloc(room);
		page->packed_room = page->packed ? room : 0;
	}
	z.next_in = raw->p;
	z.avail_in = (uInt)raw->n;
	z.next_out = page->packed;
	z.avail_out = (uInt)room;
	if (raw->n > UINT_MAX || !page->packed ||
	    deflate(&z, Z_FINISH) != Z_STREAM_END)
		z.total_out = 0;
	deflateEnd(&z);
	return z.total_out;
}

bool page_block(struct page *page, const struct bytes *raw, const char *class)
{
	/* base64 (RFC 4648), padded */
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	struct out *out = &page->out;
	size_t n = pack_bytes(page, raw);
	const uint8_t *p = page->packed;

	if (!n)
		return false;
	out_text(out, "<script type=\"application/octet-stream\" class=\"");
	out_text(out, class);
	out_text(out, "\">");
	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)p[i] << 16;

		if (i + 1 < n)
			v |= (uint32_t)p[i + 1] << 8;
		if (i + 2 < n)
			v |= p[i + 2];
		out_room(out, 4);
		out->p[0] = digits[v >> 18];
		out->p[1] = digits[v >> 12 & 63];
		out->p[2] = i + 1 < n ? digits[v >> 6 & 63] : '=';
		out->p[3] = i + 2 < n ? digits[v & 63] : '=';
		out->p += 4;
	}
	out_text(out, "</script>\n");
	return true;
}

int page_close(struct page *page, bool complete)
{
	const char *rest = strstr(page_text, DATA_MARK) + strlen(DATA_MARK);
	int ret = complete ? COMMAND_DONE : COMMAND_FAILED, error = 0;

	if (page->out.start) {
		out_bytes(&page->out, rest,
			  page_text_bytes - (size_t)(rest - page_text));
		error = -out_close(&page->out);
	}
	/* the file is whole only if the last bytes were written as well */
	if (complete && error)
		ret = command_failed("cannot write %s: %s", page->file,
				     limits_raise(error));
	if (ret == COMMAND_DONE)
		ret = target_keep(&page->target);
	else
		target_drop(&page->target);
	free(page->packed);
	return ret;
}
