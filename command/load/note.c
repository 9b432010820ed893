/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether a file is a probe library, in words.
 *
 * Invariant: the symboliser reads the file; nothing of it is executed.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command/common/command.h"
#include "command/common/installed.h"
#include "command/load/libraries.h"
#include "command/sandbox/opener.h"
#include "command/symboliser/symboliser.h"

/* Writes "; with Taffrail come A, B": the libraries that a bare word may name;
 * "" for a path. Names for which there is no room are left out or cut. */
static void shipped_text(char *text, size_t room, const char *word)
{
	char path[PATH_MAX];
	struct dirent **names = NULL;
	size_t used = 0;
	int n = -1;

	text[0] = '\0';
	if (!strchr(word, '/') &&
	    !installed_find(path, sizeof(path), INSTALLED_LIB, "taffrail"))
		n = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		const char *end = strstr(names[i]->d_name, ".so");

		if (end && !end[3] && used < room)
			used += (size_t)snprintf(text + used, room - used,
						 "%s%.*s", used ? ", " :
						 "; with Taffrail come ",
						 (int)(end - names[i]->d_name),
						 names[i]->d_name);
		free(names[i]);
	}
	free(names);
}

int load_check_file(const char *path)
{
	static const char *const reasons[UNFIT_END] = {
		[UNFIT_FORMAT] = "it is no ELF file",
		[UNFIT_MACHINE] = "it is built for another machine",
		[UNFIT_TYPE] = "it is no shared library: build it with -shared "
			       "-fPIC",
		[UNFIT_CUT] = "it is cut: the file ends before its segments do",
		[UNFIT_NOTE] = "it has no TAFFRAIL_PROBE_LIBRARY",
	};
	uint64_t unfit = UNFIT_FORMAT, ns = SYMBOLISER_NS;
	struct opener_file file;
	struct symboliser_file from;
	const char *why = NULL;
	char shipped[256];
	struct stat st;
	int ret = opener_open(&file, path, 0);

	if (!ret) {
		from = symboliser_opened(&file);
		ret = symboliser_library(&unfit, &from, &ns);
		opener_close(&file);
		why = ret && ret != -ENOEXEC ? symboliser_error(ret) :
					       reasons[unfit];
	} else if (ret == -EINVAL) {
		why = !opener_stat(path, &st) && S_ISDIR(st.st_mode) ?
			      "it is a directory" : reasons[UNFIT_FORMAT];
	} else {
		shipped_text(shipped, sizeof(shipped), path);
		command_failed("cannot read %s: %s%s", path, strerror(-ret),
			       shipped);
		return ret;
	}
	if (why)
		command_failed("%s is no probe library: %s", path, why);
	return why ? -ENOEXEC : 0;
}
