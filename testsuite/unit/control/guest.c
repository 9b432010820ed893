/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Children of vfork(2) of a process that has put off its files
 * (control/threads/guest.c): while another thread makes the files, such a child
 * must not read its parent's CPU number.
 */
#include "testsuite/unit/unit.h"

#include <linux/rseq.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "buffers/rings/channel.h"
#include "buffers/writers/pieces-x86_64.h"
#include "buffers/writers/write.h"
#include "control/threads/guest.h"
#include "control/threads/settings.h"

static bool will_stay(void)
{
	return true;
}

static int cpu_told(void)
{
	const char *self = __builtin_thread_pointer();

	return (int)((const volatile struct rseq *)(self + rseq_offset))
			->cpu_id;
}

/* Returns how many guests a child of fork(2) has. */
static int child_guests(void)
{
	int status = -1;
	long pid = syscall(SYS_fork);

	if (!pid)
		_exit((int)load_relaxed(fork_guests));
	waitpid((pid_t)pid, &status, 0);
	return status;
}

int main(void)
{
	long begun;

	unit_equal(channels_settle(), 0, "an agent that stays off");
	unit_equal(load_relaxed(fork_mark), 1, "has the kernel wipe nothing");
	channels_defer();
	unit_equal(load_relaxed(fork_mark), 0, "files are put off");
	if (!write_rseq_test()) {
		unit_skip("guests", "no restartable sequences");
		return unit_end();
	}
	agent_off = NULL;
	guest_plain = will_stay;
	start_deferred = (uint32_t)getpid();

	begun = guest_vfork();
	unit_equal(load_relaxed(fork_guests), 1, "without a session: counted");
	unit_equal(child_guests(), 0, "and a forked child has none");
	unit_check(cpu_told() >= 0, "and the parent has its CPU number");
	guest_end(begun);

	/* as another thread that makes files has left them, before it sets the
	 * mark: it has found no guest */
	agent_cpus = 1;
	channel_take(0);
	begun = guest_vfork();
	unit_equal(load_relaxed(fork_guests), 1, "beside a session: counted");
	unit_equal(cpu_told(), -1, "and without a CPU number");
	guest_end(begun);
	unit_equal(load_relaxed(fork_guests), 0, "gone");
	unit_check(cpu_told() >= 0, "the parent has its CPU number again");
	return unit_end();
}
