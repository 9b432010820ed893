/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who may look at this process by gdb, and when.
 *
 * Who is connected reads all of the process's memory, as with ptrace(2), but
 * past the kernel's checks. So the socket is opened only when the user asks,
 * by the control socket or by TAFFRAIL_GDB=on, and never in a process whose
 * memory the kernel would not show to its user. Under AT_SECURE the agent
 * does not get here.
 */
#include "gdbstub/stub/open.h"

#include <errno.h>

#include "base/sys.h"
#include "control/protocol.h"
#include "control/service/service.h"
#include "control/sessions/place.h"
#include "control/threads/log.h"
#include "control/threads/settings.h"
#include "gdbstub/stub/connect.h"

static int kept;	/* the socket stays for as many as come */

int gdb_open(const char **why)
{
	int fd;
	int ret;

	*why = "the program's environment forbids gdb (TAFFRAIL_GDB=off)";
	if (setting_is(settings.gdb, "off"))
		return -EPERM;
	*why = "the program is not dumpable: its memory may not be read";
	if (!gdb_allowed())
		return -EPERM;
	gdb_await();
	if (service_watches(gdb_connect))
		return 0;
	*why = "the agent cannot make gdb.sock";
	fd = service_listen(GDB_SOCKET);
	if (fd < 0)
		return fd;
	ret = service_watch(fd, gdb_connect, NULL);
	if (ret)
		sys_close(fd);
	return ret;
}

void gdb_keep(void)
{
	kept = 1;
}

int gdb_resting(void)
{
	int n = service_watches(gdb_connect);

	return !n || (!kept && gdb_idle()) ? n : -1;
}

void gdb_start(void)
{
	char path[PLACE_SOCKET_BYTES];
	const char *why;
	int ret;

	/* what the image before execve(2) left, nobody serves any more */
	place_socket_path(path, sizeof(path), GDB_SOCKET);
	sys_unlink(path);
	/* a forked child's is not its parent's */
	kept = 0;
	if (!setting_is(settings.gdb, "on"))
		return;
	ret = gdb_open(&why);
	if (ret)
		log_fact(LOG_ERROR, "gdb", why, ret);
}
