/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * At the end of the program, the counts of a library are added to a recorder's
 * file (control/request.h). The library calls this before the objects of the
 * library are destroyed (TAFFRAIL_PROBE_LIBRARY).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "callbacks/floats-x86_64.h"
#include "callbacks/private.h"

#define PUBLIC		__attribute__((visibility("default")))
#define HEAD_BYTES	512

/* The file is the recorder's: it is not made here. One write, so that those of
 * several processes do not mix. */
static void file_append(const char *file, const char *name,
			const struct taffrail_call *call)
{
	char *text = malloc(HEAD_BYTES + call->used);
	int fd = text ? open(file, O_WRONLY | O_APPEND | O_NOFOLLOW |
				   O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	struct rlimit limit;
	struct stat st;
	int n;

	if (fd >= 0) {
		n = snprintf(text, HEAD_BYTES, "process %d (%.200s), %.200s:\n",
			     (int)getpid(), program_invocation_short_name,
			     name);
		for (int i = 0; i < n - 1; i++)
			if ((unsigned char)text[i] < ' ' || text[i] == 127)
				text[i] = '?';
		memcpy(text + n, call->text, call->used);
		/* beyond the limit of file sizes, write() raises SIGXFSZ */
		if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
		    !getrlimit(RLIMIT_FSIZE, &limit) &&
		    (limit.rlim_cur == RLIM_INFINITY ||
		     (uint64_t)st.st_size + (size_t)n + call->used <
			     limit.rlim_cur))
			n = (int)write(fd, text, (size_t)n + call->used);
		close(fd);
	}
	free(text);
}

/* Waits for no other request: a request that does not end must not keep the
 * program from ending. */
PUBLIC void
taffrail_probe_library_end_1(const struct taffrail_probe_library_ *about)
{
	struct taffrail_call call = { .nwords = 0 };
	struct library *library;
	struct floats floats;
	char *file;

	/* a seccomp filter may kill the program for opening a file */
	if (taffrail_probe_unavailable() ||
	    load_relaxed(callback_host.confined) || timed_lock_take(0))
		return;
	library = library_of(about);
	file = library ? library->print : NULL;
	if (file) {
		library->print = NULL;
		floats_begin(&floats);
		library_print(&call, library);
		floats_end(&floats);
		if (call.used)
			file_append(file, about->name_, &call);
		free(call.text);
		free(file);
	}
	timed_lock_release();
}
