/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Provides an agent to commands that need one in a running process.
 */
#include <errno.h>

#include "command/attach/attach.h"
#include "command/common/command.h"
#include "command/common/limits.h"

#define NS_PER_US	1000.0

int attach_provide(pid_t pid)
{
	struct attach_report report = { 0 };
	int ret;

	if (limits_check_files())
		return COMMAND_FAILED;
	ret = attach_process(pid, &report);
	if (ret == -EEXIST)
		return COMMAND_DONE;
	if (ret)
		return cause_tell(&report.cause);
	command_warn("process %d: agent loaded; one thread was stopped for "
		     "%.0f us", pid, (double)report.stall_ns / NS_PER_US);
	return COMMAND_DONE;
}
