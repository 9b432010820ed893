/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fetches files of debug information from the servers that the user has named
 * in DEBUGINFOD_URLS. Facts: debuginfod_find_debuginfo(3). The library keeps
 * files in the user's cache, and waits for a server as DEBUGINFOD_TIMEOUT says.
 *
 * A child asks: the library, and libcurl below it, make threads and handle
 * bytes of the network.
 */
#include "command/elf/debug-path-private.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/sandbox/child.h"

#define LIBRARY		"libdebuginfod.so.1"
#define CPU_SECONDS	600
#define FILE_BYTES	(16ull << 30)	/* of one that is fetched */

/* In the child: finds the file of each build ID that comes. */
static void serve_all(void)
{
	void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL), *symbols[2];
	void *(*begin)(void);
	int (*find)(void *client, const unsigned char *id, int bytes,
		    char **path);
	uint8_t id[SYMBOLISER_ID_BYTES];
	char *path;
	void *client;
	ssize_t n;
	int fd;

	symbols[0] = library ? dlsym(library, "debuginfod_begin") : NULL;
	symbols[1] = library ? dlsym(library, "debuginfod_find_debuginfo") :
			       NULL;
	memcpy(&begin, &symbols[0], sizeof(begin));
	memcpy(&find, &symbols[1], sizeof(find));
	client = begin && find ? begin() : NULL;
	while (client && (n = child_receive(CHILD_SOCKET, id, sizeof(id), &fd,
					    -1)) > 0) {
		path = NULL;
		if (find(client, id, (int)n, &path) < 0 || !path)
			path = strdup("");
		if (!path || !child_send(CHILD_SOCKET, path, strlen(path) + 1,
					 -1))
			return;
	}
}

bool debug_fetch(char path[DEBUG_PATH_BYTES],
		 const struct symboliser_module *of)
{
	static const struct child_spec spec = {
		.serve = serve_all,
		.cpu_seconds = CPU_SECONDS,
		.file_bytes = FILE_BYTES,
	};
	const char *servers = getenv("DEBUGINFOD_URLS");
	struct child child = { 0 };
	ssize_t n = -1;
	int fd = -1;

	if (!servers || !*servers || !of->id_bytes ||
	    !child_begin(&child, &spec))
		return false;
	if (child_send(child.socket, of->id, of->id_bytes, -1))
		n = child_receive(child.socket, path, DEBUG_PATH_BYTES, &fd,
				  -1);
	if (fd >= 0)
		close(fd);
	child_end(&child);
	return n > 1 && !path[n - 1];
}
