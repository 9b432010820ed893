/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names addresses of a module by the symbols that the symboliser reads. See
 * named-private.h.
 */
#include "command/elf/named-private.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/elf/mapped-private.h"
#include "command/elf/work-private.h"
#include "command/symboliser/symboliser.h"

/* Of a name as people write it, with the NUL. A short C++ name can stand for
 * megabytes, as each byte can double the rest. */
#define WRITTEN_BYTES	256

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

/* Returns whether the mapping begins with the first page of the segment, or in
 * it. */
static bool maps_segment(const struct mapped *mapped,
			 const struct symboliser_segment *segment)
{
	uint64_t page = segment->align > 1 ? segment->align : 1;

	return segment->code && mapped->offset + page > segment->offset &&
	       mapped->offset < segment->offset + segment->file_bytes;
}

/* Finds out how far the module was moved, by the segment that is mapped. */
static bool find_shift(struct named_module *module,
		       const struct symboliser_module *from,
		       const struct mapped *mapped)
{
	for (uint32_t i = 0; i < from->nsegments; i++) {
		const struct symboliser_segment *s = &from->segments[i];

		if (!maps_segment(mapped, s))
			continue;
		module->shift = mapped->start - s->address -
				(mapped->offset - s->offset);
		return true;
	}
	return false;
}

void named_read_segments(struct named_module *module,
			 const struct mapped *mapped,
			 const struct symboliser_module *from)
{
	*module = (struct named_module){
		.name = strrchr(mapped->path, '/') + 1 };
	if (!find_shift(module, from, mapped))
		return;
	module->segments = calloc(from->nsegments, sizeof(*module->segments));
	for (uint32_t i = 0; module->segments && i < from->nsegments; i++)
		module->segments[module->nsegments++] = (struct named_segment){
			from->segments[i].address + module->shift,
			from->segments[i].bytes, from->segments[i].code };
}

void named_free(struct named_module *module)
{
	free(module->segments);
	module->segments = NULL;
	module->nsegments = 0;
}

bool named_has(const struct named_module *module, uint64_t address, bool code)
{
	for (size_t i = 0; i < module->nsegments; i++)
		if (address - module->segments[i].start <
		    module->segments[i].bytes &&
		    (!code || module->segments[i].code))
			return true;
	return false;
}

/* Returns whether a symbol's name may be cut. The rest of a C++ name can be the
 * name of another function, with fewer arguments. */
static bool may_be_cut(const char *name)
{
	size_t most = SYMBOLISER_NAME_BYTES - sizeof(SYMBOLISER_CUT);

	return strlen(name) == SYMBOLISER_NAME_BYTES - 1 &&
	       !strcmp(name + most, SYMBOLISER_CUT);
}

/* Writes a symbol's name as people write it. */
static void write_name(const char *name, char written[static WRITTEN_BYTES],
		       struct work_share *share)
{
	size_t length = 0;
	char *cxx = may_be_cut(name) ? NULL :
				symboliser_cxx(name, &length, &share->ns);

	copy_name(written, WRITTEN_BYTES, cxx ? cxx : name);
	if (length >= WRITTEN_BYTES)
		strcpy(written + WRITTEN_BYTES - sizeof(SYMBOLISER_CUT),
		       SYMBOLISER_CUT);
	free(cxx);
}

/* Returns text of the heap: "main in FILE", "main+0x4 in FILE", or, without a
 * symbol, "FILE+0x1139". */
static char *put_name(const struct named_module *module, uint64_t address,
		      const struct symboliser_symbol *symbol,
		      struct work_share *share)
{
	char file[NAME_MAX + 1], name[WRITTEN_BYTES], *text;
	int n;

	copy_name(file, sizeof(file), module->name);
	if (symbol->rank)
		write_name(symbol->name, name, share);
	if (!symbol->rank)
		n = asprintf(&text, "%s+0x%llx", file,
			     (unsigned long long)(address - module->shift));
	else if (!symbol->before)
		n = asprintf(&text, "%s in %s", name, file);
	else
		n = asprintf(&text, "%s+0x%llx in %s", name,
			     (unsigned long long)symbol->before, file);
	return n < 0 ? NULL : text;
}

/* Takes the symbols of another file where they are nearer, or better. */
static void take_better(struct symboliser_symbol *symbols,
			const struct symboliser_symbol *others, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (others[i].rank &&
		    (!symbols[i].rank ||
		     others[i].before < symbols[i].before ||
		     (others[i].before == symbols[i].before &&
		      others[i].rank > symbols[i].rank)))
			symbols[i] = others[i];
}

void named_find(const struct named_module *module,
		const struct symboliser_file *file,
		const struct symboliser_file *debug, const uint64_t *addresses,
		char **names, size_t n, struct work_share *share)
{
	uint64_t *own = calloc(n, sizeof(*own));
	struct symboliser_symbol *symbols = calloc(n, sizeof(*symbols));
	struct symboliser_symbol *others = calloc(n, sizeof(*others));
	uint64_t spare, before;

	for (size_t i = 0; own && i < n; i++)
		own[i] = addresses[i] - module->shift;
	if (own && symbols && others &&
	    !symboliser_names(symbols, own, n, file, &share->ns)) {
		/* a bad debug file costs no name that is here */
		spare = before = share->ns / 2;
		if (debug && !symboliser_names(others, own, n, debug, &spare))
			take_better(symbols, others, n);
		if (debug)
			share->ns -= before - spare;
		for (size_t i = 0; i < n; i++)
			names[i] = put_name(module, addresses[i], &symbols[i],
					    share);
	}
	free(others);
	free(symbols);
	free(own);
}
