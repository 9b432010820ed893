/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail gdbserver: taffrail_ipa_limits (gdbstub/ipa/abi.h) in the program. A
 * program without the agent, or with an older one, does not have it: then no
 * limits are set or read.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "command/common/command.h"
#include "command/elf/process-markers.h"
#include "command/gdbserver/gdbserver.h"
#include "gdbstub/ipa/abi.h"

#define LIMITS	"taffrail_ipa_limits"

/* Opens the memory of a thread's process and finds the limits in it. Returns
 * the descriptor, which the caller closes; -1: the program has none. */
static int limits_open(const struct gdbserver *server,
		       const struct filter_thread *thread, uint64_t *address)
{
	pid_t pid = gdbserver_process(server, thread);

	if (!pid || process_symbol(pid, "libtaffrail", LIMITS, address))
		return -1;
	return gdbserver_memory(pid);
}

void gdbserver_begin(void *arg, const struct filter_thread *thread,
		     uint64_t bytes, int circular)
{
	struct ipa_limits limits = { .bytes = bytes,
				     .circular = (uint32_t)circular };
	uint64_t address;
	int fd = limits_open(arg, thread, &address);

	if (fd < 0)
		return;
	/* else the agent has the limits of the trace before */
	if (pwrite(fd, &limits, sizeof(limits), (off_t)address) < 0)
		command_warn("cannot set the agent's limits: %s",
			     strerror(errno));
	close(fd);
}

/* Leaves `said` as it is where there are no limits: zeros, for "nothing was
 * said". */
void gdbserver_said(void *arg, const struct filter_thread *thread,
		    struct filter_said *said)
{
	struct ipa_limits limits;
	uint64_t address;
	int fd = limits_open(arg, thread, &address);

	if (fd < 0)
		return;
	if (pread(fd, &limits, sizeof(limits), (off_t)address) ==
	    (ssize_t)sizeof(limits))
		*said = (struct filter_said){
			.full = limits.reason == IPA_END_FULL,
			.exec = limits.reason == IPA_END_EXEC,
			.exit = limits.reason == IPA_END_EXIT,
			.left = limits.reason == IPA_END_LEFT,
			.used = limits.used,
			.cut = limits.cut,
			.failed = limits.failed,
			.dropped = limits.dropped,
		};
	close(fd);
}
