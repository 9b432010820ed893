/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Source lines, by all files of debug information. See debug-files.h.
 *
 *	file --.gnu_debuglink, build id--> debug file --.gnu_debugaltlink--> dwz
 *	  |                                     |
 *	  +-------------- skeletons ------------+--> split files, .dwo, or a
 *						     package of them, .dwp
 *
 * Invariant: a file is taken by its build id, not by its name. A split file has
 * a number, which libdw compares.
 */
#include "command/elf/debug-files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "command/elf/debug-path-private.h"
#include "command/sandbox/opener.h"

#define BLANK_MORE_BYTES 4096	/* heads of a split file */

/* The files of one request. */
struct asked {
	struct symboliser_file list[SYMBOLISER_FILES_MAX];
	struct opener_file opened[SYMBOLISER_FILES_MAX];
	uint32_t n;
};

/* Takes the last of `opened`. */
static void file_take(struct asked *a, uint32_t kind, const char *name)
{
	a->list[a->n] = symboliser_opened(&a->opened[a->n]);
	a->list[a->n].kind = kind;
	a->list[a->n].name = name;
	a->n++;
}

/* Opens the file of the parts that dwz has moved out of one with this path. */
static bool alternate_open(struct opener_file *file, const char *path,
			   const struct symboliser_module *module)
{
	struct symboliser_module of = { .id_bytes = module->alternate_bytes };
	char place[DEBUG_PATH_BYTES];

	if (!*module->alternate || of.id_bytes < 2)
		return false;
	memcpy(of.id, module->alternate_id, of.id_bytes);
	snprintf(place, sizeof(place), "%.*s%s", *module->alternate == '/' ? 0 :
		 (int)(text_file_name(path) - path), path, module->alternate);
	return debug_build_open(file, place, &of) ||
	       debug_file_open(file, place, path, &of, true);
}

/* Opens the split files that an answer says to be missing, by their own paths
 * or beside the module, or in the package. Returns whether there is one. */
static bool splits_open(struct asked *a, const char *answer, const char *path,
			const char *debug)
{
	static const char word[] = "split\t";
	const char *p = answer;
	uint32_t before = a->n;
	char place[DEBUG_PATH_BYTES + 8], *name;
	off_t package = 0;		/* bytes; memory for a unit has room for
					 * all */

	for (int i = 0; i < 2 && !package && strstr(answer, word); i++) {
		struct opener_file *file = &a->opened[a->n];

		snprintf(place, sizeof(place), "%s.dwp", i ? debug : path);
		if (opener_open(file, place, 0))
			continue;
		package = file->st.st_size + BLANK_MORE_BYTES;
		file_take(a, FILE_PACKAGE, NULL);
		before++;
	}

	while ((p = strstr(p, word)) && a->n < SYMBOLISER_FILES_MAX) {
		struct opener_file *file = &a->opened[a->n];
		bool begins = p == answer || p[-1] == '\n';

		p += strlen(word);
		name = begins ? strndup(p, strcspn(p, "\n")) : NULL;
		if (!name)
			continue;
		snprintf(place, sizeof(place), "%.*s%s",
			 (int)(text_file_name(path) - path), path,
			 text_file_name(name));
		if (!opener_open(file, name, 0) ||
		    !opener_open(file, place, 0)) {
			file_take(a, FILE_SPLIT, name);
			continue;
		}
		*file = (struct opener_file){ .st.st_size = package };
		file->fd = package ? memfd_create("dwo", MFD_CLOEXEC) : -1;
		if (file->fd >= 0 && !ftruncate(file->fd, package)) {
			file_take(a, FILE_BLANK, name);
			continue;
		}
		if (file->fd >= 0)
			close(file->fd);
		free(name);
	}
	return a->n > before;
}

int debug_spots(char **text, const char *words, size_t bytes, const char *path,
		const struct opener_file *file,
		const struct symboliser_module *module, bool fetch,
		uint64_t *ns)
{
	static struct symboliser_module debug;
	static struct asked a;
	const struct symboliser_module *of = module;
	char place[DEBUG_PATH_BYTES];
	int ret;

	a.n = 1;
	a.list[0] = symboliser_opened(file);
	snprintf(place, sizeof(place), "%s", path);
	if (!module->has_lines &&
	    debug_file_open(&a.opened[1], place, path, module, fetch)) {
		file_take(&a, FILE_DEBUG, NULL);
		if (!symboliser_read_open(&debug, &a.opened[1]))
			of = &debug;
	}
	if (!module->has_lines && a.n == 1) {
		*text = strdup("");
		return *text ? 0 : -ENOMEM;
	}
	if (alternate_open(&a.opened[a.n], place, of))
		file_take(&a, FILE_ALTERNATE, NULL);
	/* without it, names and types are missing anywhere */
	else if (*of->alternate) {
		ret = asprintf(text, "split\t%s\n", of->alternate);
		ret = ret < 0 ? -ENOMEM : 0;
		goto close;
	}
	ret = symboliser_spots(text, words, bytes, a.list, a.n, ns);
	if (!ret && splits_open(&a, *text, path, place)) {
		free(*text);
		ret = symboliser_spots(text, words, bytes, a.list, a.n, ns);
	}
close:
	while (a.n > 1) {
		opener_close(&a.opened[--a.n]);
		free((char *)a.list[a.n].name);
	}
	return ret;
}

void debug_missing(char *text, size_t room, const char *path,
		   const struct symboliser_module *module)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	char place[DEBUG_PATH_BYTES] = "";
	bool named = debug_path(place, path, module, 0);

	snprintf(text, room, "%s has none%s%s; %s", path,
		 named ? ", and there is no " : "", place,
		 servers && *servers ?
			 "no server of DEBUGINFOD_URLS has given it" :
			 "a package of debug symbols (-dbgsym) may have it, or "
			 "a server that DEBUGINFOD_URLS names");
}
