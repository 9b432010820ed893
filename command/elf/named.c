/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names addresses of a module by the symbols that the symboliser reads. See
 * named-private.h.
 *
 * Invariant: a name is printable text without quotes, whatever the file has.
 */
#include "command/elf/named-private.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "command/elf/mapped-private.h"
#include "command/elf/work-private.h"
#include "command/symboliser/symboliser.h"

/* Of a name as people write it, with the NUL. A short C++ name can stand for
 * megabytes, as each byte can double the rest. */
#define WRITTEN_BYTES	256

/* Addresses whose lines are asked for together. */
#define LINES_AT_ONCE	256u

/* Copies a name; '?' stands for characters that a text in quotes should not
 * have. */
static void copy_name(char *to, size_t room, const char *name)
{
	size_t n = 0;

	for (; *name && n < room - 1; name++) {
		char c = *name;

		to[n++] = c < 0x20 || c > 0x7e || c == '"' || c == '\\' ? '?' :
									   c;
	}
	to[n] = '\0';
}

void named_read_segments(struct named_module *module,
			 const struct mapped *mapped,
			 const struct symboliser_module *from)
{
	const struct symboliser_segment *s = from->segments;
	uint32_t i = 0;

	*module = (struct named_module){
		.name = strrchr(mapped->path, '/') + 1 };
	/* the mapping begins with the first page of a segment of code, or in
	 * it */
	while (i < from->nsegments &&
	       (!s[i].code ||
		mapped->offset + (s[i].align > 1 ? s[i].align : 1) <=
			s[i].offset ||
		mapped->offset >= s[i].offset + s[i].file_bytes))
		i++;
	if (i == from->nsegments)
		return;
	module->shift = mapped->start - s[i].address -
			(mapped->offset - s[i].offset);
	module->segments = calloc(from->nsegments, sizeof(*s));
	if (!module->segments)
		return;
	module->nsegments = from->nsegments;
	memcpy(module->segments, s, from->nsegments * sizeof(*s));
}

void named_free(struct named_module *module)
{
	free(module->segments);
}

bool named_has(const struct named_module *module, uint64_t address, bool code)
{
	address -= module->shift;
	for (size_t i = 0; i < module->nsegments; i++)
		if (address - module->segments[i].address <
		    module->segments[i].bytes &&
		    (!code || module->segments[i].code))
			return true;
	return false;
}

/* A line of source; "" for the file where it is not known. */
struct named_line {
	char file[NAME_MAX + 1];	/* without its directory */
	uint32_t line;
};

/* Copies a frame's file and line. Returns whether it has both. */
static bool copy_line(struct named_line *line,
		      const struct symboliser_frame *frame)
{
	const char *slash = strrchr(frame->file, '/');

	if (!frame->line || !*frame->file)
		return false;
	copy_name(line->file, sizeof(line->file),
		  slash ? slash + 1 : frame->file);
	line->line = frame->line;
	return true;
}

/*
 * Gives the lines of addresses, by the file's own addresses: of a function's
 * first instruction, and of the call behind which any other address lies, as
 * programs keep these two. Returns whether there is any.
 *
 * Lines may take half of the time that is left, so that they cost no name.
 */
static bool find_lines(struct named_line *lines,
		       const struct symboliser_symbol *symbols,
		       const uint64_t *own, size_t n,
		       const struct symboliser_file *file,
		       struct work_share *share)
{
	const size_t room = LINES_AT_ONCE * SYMBOLISER_FRAMES_MAX;
	struct symboliser_frame *frames = calloc(room, sizeof(*frames));
	uint64_t spare = share->ns / 2, before = spare;
	uint64_t asked[LINES_AT_ONCE], address;
	size_t next, count, found;
	bool any = false;
	int ret = 0;

	for (size_t at = 0; frames && at < n && !ret; at = next) {
		count = found = 0;
		/* a function's first two bytes are asked for once */
		for (next = at; next < n && count < LINES_AT_ONCE; next++) {
			address = own[next] - !!symbols[next].before;
			if (!count || asked[count - 1] != address)
				asked[count++] = address;
		}
		ret = symboliser_lines(frames, room, &found, asked, count, file,
				       &spare);
		found = ret ? 0 : found;
		for (size_t i = at, f = 0; i < next && f < found; i++) {
			address = own[i] - !!symbols[i].before;
			/* the innermost function comes first */
			while (f < found && asked[frames[f].address] < address)
				f++;
			if (f < found && asked[frames[f].address] == address)
				any |= copy_line(&lines[i], &frames[f]);
		}
	}
	share->ns -= before - spare;
	free(frames);
	return any;
}

/*
 * Returns text of the heap: "main in FILE", "main+0x4 in FILE", or, without a
 * symbol, "FILE+0x1139"; " (main.c:12)" behind it where the line is known.
 * Names of C++ are as people write them, but for a name that may be cut: the
 * rest can be the name of another function, with fewer arguments.
 */
static char *put_name(const struct named_module *module, uint64_t address,
		      const struct symboliser_symbol *symbol,
		      const struct named_line *line, struct work_share *share)
{
	const size_t most = SYMBOLISER_NAME_BYTES - sizeof(SYMBOLISER_CUT);
	char file[NAME_MAX + 1], name[WRITTEN_BYTES], *text, *cxx = NULL;
	char offset[24] = "", source[sizeof(line->file) + 16] = "";
	size_t length = 0;
	int n;

	copy_name(file, sizeof(file), module->name);
	if (!symbol->rank) {
		n = asprintf(&text, "%s+0x%llx", file,
			     (unsigned long long)(address - module->shift));
		return n < 0 ? NULL : text;
	}
	if (strlen(symbol->name) < SYMBOLISER_NAME_BYTES - 1 ||
	    strcmp(symbol->name + most, SYMBOLISER_CUT))
		cxx = symboliser_cxx(symbol->name, &length, &share->ns);
	copy_name(name, sizeof(name), cxx ? cxx : symbol->name);
	if (length >= sizeof(name))
		strcpy(name + sizeof(name) - sizeof(SYMBOLISER_CUT),
		       SYMBOLISER_CUT);
	free(cxx);
	if (symbol->before)
		snprintf(offset, sizeof(offset), "+0x%llx",
			 (unsigned long long)symbol->before);
	if (*line->file)
		snprintf(source, sizeof(source), " (%s:%u)", line->file,
			 line->line);
	n = asprintf(&text, "%s%s in %s%s", name, offset, file, source);
	return n < 0 ? NULL : text;
}

void named_find(const struct named_module *module,
		const struct symboliser_file *file,
		const struct symboliser_file *debug, const uint64_t *addresses,
		char **names, size_t n, struct work_share *share)
{
	uint64_t *own = calloc(n, sizeof(*own));
	struct symboliser_symbol *symbols = calloc(n, sizeof(*symbols));
	struct symboliser_symbol *others = calloc(n, sizeof(*others));
	struct named_line *lines = calloc(n, sizeof(*lines));
	uint64_t spare, before;
	bool more = false;

	for (size_t i = 0; own && i < n; i++)
		own[i] = addresses[i] - module->shift;
	if (!own || !symbols || !others || !lines ||
	    symboliser_names(symbols, own, n, file, &share->ns))
		goto end;
	if (debug) {
		/* a bad debug file costs no name that is here */
		spare = before = share->ns / 2;
		more = !symboliser_names(others, own, n, debug, &spare);
		share->ns -= before - spare;
	}
	/* the symbols of the other file where they are nearer, or better */
	for (size_t i = 0; more && i < n; i++)
		if (others[i].rank &&
		    (!symbols[i].rank ||
		     others[i].before < symbols[i].before ||
		     (others[i].before == symbols[i].before &&
		      others[i].rank > symbols[i].rank)))
			symbols[i] = others[i];
	if (!find_lines(lines, symbols, own, n, file, share) && debug)
		find_lines(lines, symbols, own, n, debug, share);
	for (size_t i = 0; i < n; i++)
		names[i] = put_name(module, addresses[i], &symbols[i],
				    &lines[i], share);
end:
	free(lines);
	free(others);
	free(symbols);
	free(own);
}
