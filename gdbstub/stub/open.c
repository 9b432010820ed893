/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The conditions on which gdb may look at this process.
 *
 * A connected gdb reads all of the process's memory, as with ptrace(2), but
 * without the kernel's checks. So the socket is opened only when the user asks,
 * through the control socket or with TAFFRAIL_GDB=on, and never in a process
 * whose memory the kernel would not show to the user. Under AT_SECURE the agent
 * does not run this code.
 */
#include "gdbstub/stub/open.h"

#include <errno.h>

#include "base/sys.h"
#include "control/protocol.h"
#include "control/service/service.h"
#include "control/sessions/place.h"
#include "control/threads/log.h"
#include "control/threads/settings.h"

static int kept;	/* the socket stays, however many gdbs come */

int gdb_open(enum cause_id *cause)
{
	int fd, ret;

	*cause = CAUSE_GDB_OFF;
	if (setting_is(settings.gdb, "off"))
		return -EPERM;
	*cause = CAUSE_GDB_SIGNAL;
	if (agent_signal)
		return -ENOTSUP;
	*cause = CAUSE_GDB_NOT_DUMPABLE;
	if (!gdb_allowed())
		return -EPERM;
	gdb_await();
	if (service_watches(gdb_connect))
		return 0;
	*cause = CAUSE_GDB_SOCKET_UNMADE;
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
	enum cause_id cause;
	int ret;

	/* the image before execve(2) may have left a socket: it is dead */
	place_socket_path(path, sizeof(path), GDB_SOCKET);
	sys_unlink(path);
	/* a forked child has copied its parent's choice */
	kept = 0;
	if (!setting_is(settings.gdb, "on"))
		return;
	ret = gdb_open(&cause);
	if (ret)
		log_fact(LOG_ERROR, "gdb", cause == CAUSE_GDB_NOT_DUMPABLE ?
			 "no gdb.sock: the program is not dumpable" :
			 "gdb.sock cannot be made", ret);
}
