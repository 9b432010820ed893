/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the symbols that a module's file lacks: in a file of debug information
 * (GDB manual, "Debugging Information in Separate Files"), or in the file's own
 * .gnu_debugdata.
 *
 * Invariant: a file is used only if it has the module's build id.
 */
#include <sys/syscall.h>

#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "tracepoints/usdt/place/private.h"
#include "tracepoints/usdt/plan/debug.h"

/* Maps a file of debug information. Returns false if it is of another build. */
static bool debug_map(struct usdt_file *debug, const struct text *path,
		      const struct usdt_file *file)
{
	if (path->cut || usdt_file_map(debug, path->start))
		return false;
	if (usdt_same_build(debug, file))
		return true;
	sys_munmap(debug->bytes, debug->size);
	return false;
}

/* Maps the file that .gnu_debuglink names, where gdb looks for it. */
static bool linked_map(struct usdt_file *debug, const struct usdt_file *file,
		       const struct module *module)
{
	static const char *const before[] = { "", "", "/usr/lib/debug" };
	static const char *const after[] = { "", ".debug/", "" };
	char own[MODULE_PATH_BYTES], path[MODULE_PATH_BYTES + 64];
	const char *of = module->path, *name;
	uint64_t bytes, folder, i;
	struct text text;
	bool found = false;

	name = (const char *)usdt_section(file, ".gnu_debuglink", &bytes);
	for (i = 0; name && i < bytes && name[i] && name[i] != '/'; i++)
		;
	if (!name || i == bytes || name[i] || !i)
		return false;
	/* the program's own file */
	if (*of != '/' || text_after(of, "/proc/")) {
		long n = sys3(SYS_readlink, "/proc/self/exe", own,
			      sizeof(own) - 1);

		own[n > 0 ? n : 0] = '\0';
		of = own;
	}
	for (folder = text_length(of); folder && of[folder - 1] != '/';)
		folder--;
	for (i = 0; folder && i < ARRAY_SIZE(before) && !found; i++) {
		text_open(&text, path, sizeof(path));
		text_add(&text, before[i]);
		text_add_bytes(&text, of, folder);
		text_add(&text, after[i]);
		text_add(&text, name);
		found = debug_map(debug, &text, file);
	}
	return found;
}

bool usdt_more_map(struct usdt_file *more, const struct usdt_file *file,
		   const struct module *module)
{
	char path[64 + 2 * USDT_BUILD_ID_MAX];
	uint32_t bytes;
	const uint8_t *id;
	struct text text;

	if (usdt_has_symbols(file))
		return false;
	text_open(&text, path, sizeof(path));
	text_add(&text, "/usr/lib/debug/.build-id/");
	id = usdt_build_id(file, &bytes);
	for (uint32_t i = 0; id && i < bytes; i++) {
		text_add_hex(&text, id[i], 2);
		text_add(&text, i ? "" : "/");
	}
	text_add(&text, ".debug");
	return (id && (debug_map(more, &text, file) ||
		       linked_map(more, file, module))) ||
	       usdt_mini_open(more, file);
}
