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
#include "base/text.h"
#include "command/elf/mapped-private.h"
#include "command/elf/work-private.h"
#include "command/symboliser/symboliser.h"

/* Of a name as people write it, with the NUL. A short C++ name can stand for
 * megabytes, as each byte can double the rest. */
#define WRITTEN_BYTES	256

/* Of the places of one address: the functions that the compiler has inlined
 * there may be many. */
#define PLACES_BYTES	512

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

/* Writes a symbol's name. Those of C++ are as people write them, but for a name
 * that may be cut: the rest can be the name of another function, with fewer
 * arguments. */
static void write_name(char name[WRITTEN_BYTES], const char *symbol,
		       uint64_t *ns)
{
	const size_t most = SYMBOLISER_NAME_BYTES - sizeof(SYMBOLISER_CUT);
	char *cxx = NULL;
	size_t length = 0;

	if (strlen(symbol) < SYMBOLISER_NAME_BYTES - 1 ||
	    strcmp(symbol + most, SYMBOLISER_CUT))
		cxx = symboliser_cxx(symbol, &length, ns);
	copy_name(name, WRITTEN_BYTES, cxx ? cxx : symbol);
	if (length >= WRITTEN_BYTES)
		strcpy(name + WRITTEN_BYTES - sizeof(SYMBOLISER_CUT),
		       SYMBOLISER_CUT);
	free(cxx);
}

/*
 * Returns the places of an address, text of the heap: "main.c:12"; or, where
 * functions were inlined, with their names and the innermost first, "add at
 * list.h:30, inlined by main at main.c:12". NULL: the first place is not known.
 * A frame whose file or line is missing is left out.
 */
static char *put_places(const struct symboliser_frame *frames, size_t n,
			uint64_t *ns)
{
	char name[WRITTEN_BYTES], file[NAME_MAX + 1], text[PLACES_BYTES] = "";
	size_t used = 0;
	int length;

	if (!n || !frames->line || !*frames->file)
		return NULL;
	for (const struct symboliser_frame *f = frames; f < frames + n; f++) {
		if (!f->line || !*f->file)
			continue;
		copy_name(file, sizeof(file), text_file_name(f->file));
		*name = '\0';
		if (n > 1 && *f->function)
			write_name(name, f->function, ns);
		length = snprintf(text + used, sizeof(text) - used,
				  "%s%s%s%s:%u", f == frames ? "" :
				  ", inlined by ", name, *name ? " at " : "",
				  file, f->line);
		if (length >= (int)(sizeof(text) - used)) {
			text[used] = '\0';
			break;
		}
		used += (size_t)length;
	}
	return used ? strdup(text) : NULL;
}

/*
 * Gives the places of addresses, by the file's own addresses: of a function's
 * first instruction, and of the call behind which any other address lies, as
 * programs keep these two. Returns whether there is any.
 *
 * Lines may take half of the time that is left, so that they cost no name.
 */
static bool find_lines(char **lines,
		       const struct symboliser_symbol *symbols,
		       const uint64_t *own, size_t n,
		       const struct symboliser_file *file,
		       struct work_share *share)
{
	const size_t room = LINES_AT_ONCE * SYMBOLISER_FRAMES_MAX;
	struct symboliser_frame *frames = calloc(room, sizeof(*frames));
	uint64_t spare = share->ns / 2, before = spare;
	uint64_t asked[LINES_AT_ONCE], address;
	size_t next, count, found, end;
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
			for (end = f; end < found &&
			     asked[frames[end].address] == address; end++)
				;
			lines[i] = put_places(&frames[f], end - f, &spare);
			any |= !!lines[i];
		}
	}
	share->ns -= before - spare;
	free(frames);
	return any;
}

/*
 * Returns text of the heap: "main in FILE", "main+0x4 in FILE", or, without a
 * symbol, "FILE+0x1139"; " (main.c:12)" behind it where the line is known.
 */
static char *put_name(const struct named_module *module, uint64_t address,
		      const struct symboliser_symbol *symbol,
		      const char *line, struct work_share *share)
{
	char file[NAME_MAX + 1], name[WRITTEN_BYTES], offset[24] = "", *text;
	int n;

	copy_name(file, sizeof(file), module->name);
	if (!symbol->rank) {
		n = asprintf(&text, "%s+0x%llx", file,
			     (unsigned long long)(address - module->shift));
		return n < 0 ? NULL : text;
	}
	write_name(name, symbol->name, &share->ns);
	if (symbol->before)
		snprintf(offset, sizeof(offset), "+0x%llx",
			 (unsigned long long)symbol->before);
	n = asprintf(&text, "%s%s in %s%s%s%s", name, offset, file,
		     line ? " (" : "", line ?: "", line ? ")" : "");
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
	char **lines = calloc(n, sizeof(*lines));
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
				    lines[i], share);
end:
	for (size_t i = 0; lines && i < n; i++)
		free(lines[i]);
	free(lines);
	free(others);
	free(symbols);
	free(own);
}
