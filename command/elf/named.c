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

/*
 * Returns text of the heap: "main in FILE", "main+0x4 in FILE", or, without a
 * symbol, "FILE+0x1139". Names of C++ are as people write them, but for a name
 * that may be cut: the rest can be the name of another function, with fewer
 * arguments.
 */
static char *put_name(const struct named_module *module, uint64_t address,
		      const struct symboliser_symbol *symbol,
		      struct work_share *share)
{
	const size_t most = SYMBOLISER_NAME_BYTES - sizeof(SYMBOLISER_CUT);
	char file[NAME_MAX + 1], name[WRITTEN_BYTES], *text, *cxx = NULL;
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
	n = symbol->before ?
		    asprintf(&text, "%s+0x%llx in %s", name,
			     (unsigned long long)symbol->before, file) :
		    asprintf(&text, "%s in %s", name, file);
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
	uint64_t spare, before;
	bool more = false;

	for (size_t i = 0; own && i < n; i++)
		own[i] = addresses[i] - module->shift;
	if (!own || !symbols || !others ||
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
	for (size_t i = 0; i < n; i++)
		names[i] = put_name(module, addresses[i], &symbols[i], share);
end:
	free(others);
	free(symbols);
	free(own);
}
