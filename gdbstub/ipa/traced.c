/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Asks the kernel whether the program is debugged now.
 */
#include "gdbstub/ipa/ipa.h"

#include <errno.h>
#include <fcntl.h>

#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"

COLD int ipa_traced(void *unused)
{
	int fd = (int)sys_open("/proc/self/status", O_RDONLY | O_CLOEXEC, 0);
	char text[4096];
	long got;

	if (fd < 0)
		return fd;
	got = sys_read(fd, text, sizeof(text) - 1);
	sys_close(fd);
	text[got > 0 ? got : 0] = 0;
	for (long i = 0; i < got; i++) {
		const char *rest = text_after(text + i, "TracerPid:\t");

		if (rest)
			return *rest != '0';
	}
	return -ENOENT;
}
