/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The end of a command's output.
 */
#include <errno.h>
#include <stdio.h>

#include "command/common/command.h"
#include "command/common/limits.h"

int command_finish(void)
{
	if (fflush(stdout) || ferror(stdout))
		return command_failed("cannot write the output: %s",
				      limits_raise(errno));
	return COMMAND_DONE;
}
