/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where files of debug information are; see debug-path-private.h.
 */
#include "command/elf/debug-path-private.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "command/sandbox/opener.h"

#define DEBUG_PLACE	"/usr/lib/debug"

bool debug_path(char path[DEBUG_PATH_BYTES], const char *module,
		const struct symboliser_module *of, int i)
{
	static const char *const places[] = {
		"%.*s%s", "%.*s.debug/%s", DEBUG_PLACE "%.*s%s"
	};
	int n, folder = (int)(text_file_name(module) - module);

	if (of->id_bytes < 2 || i > 3)
		return false;
	if (!i) {
		n = snprintf(path, DEBUG_PATH_BYTES,
			     DEBUG_PLACE "/.build-id/%02x/", of->id[0]);
		for (uint32_t k = 1; k < of->id_bytes; k++)
			n += sprintf(path + n, "%02x", of->id[k]);
		strcpy(path + n, ".debug");
		return true;
	}
	if (!*of->debug_file || strchr(of->debug_file, '/'))
		return false;
	snprintf(path, DEBUG_PATH_BYTES, places[i - 1], folder, module,
		 of->debug_file);
	return true;
}

bool debug_same_build(const struct symboliser_module *one,
		      const struct symboliser_module *other)
{
	return one->id_bytes == other->id_bytes &&
	       !memcmp(one->id, other->id, other->id_bytes);
}

bool debug_build_open(struct opener_file *file, const char *path,
		      const struct symboliser_module *of)
{
	static struct symboliser_module found;

	if (opener_open(file, path, 0))
		return false;
	if (!symboliser_read_open(&found, file) && debug_same_build(&found, of))
		return true;
	opener_close(file);
	return false;
}

bool debug_file_open(struct opener_file *file, char place[DEBUG_PATH_BYTES],
		     const char *path, const struct symboliser_module *module,
		     bool fetch)
{
	char next[DEBUG_PATH_BYTES];
	bool found = false;

	for (int i = 0; !found && debug_path(next, path, module, i); i++)
		found = debug_build_open(file, next, module);
	if (!found && fetch && debug_fetch(next, module))
		found = debug_build_open(file, next, module);
	if (found)
		strcpy(place, next);
	return found;
}
