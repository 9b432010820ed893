/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether a process lives. The kernel tells by a pidfd which process a pid
 * names; where it does not, the start time in /proc says so to a hundredth of a
 * second. A process whose pid is of a PID namespace that this command does not
 * see lives as long as it holds the lock on the page.
 *
 * Invariant: where nothing can be known, the process lives, for the files of a
 * living process must never be removed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "command/common/limits.h"
#include "command/procfs/process.h"
#include "command/procfs/threads.h"
#include "command/runtime/private.h"

/* Reads fields 3, 20 and 22 of the stat file of a process, or with `tid` of a
 * thread. Returns 0, -ESRCH, or -EMFILE or -ENFILE. */
static int read_stat(pid_t pid, pid_t tid, char *state, long *threads,
		     uint64_t *starttime)
{
	char text[1024];
	unsigned long long start;
	ssize_t n = process_text(pid, tid, "stat", text, sizeof(text));

	if (n == -EMFILE || n == -ENFILE)
		return (int)n;
	if (n <= 0 || sscanf(process_stat_field(text, 3),
			     "%c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u"
			     " %*u %*d %*d %*d %*d %ld %*d %llu",
			     state, threads, &start) != 3)
		return -ESRCH;
	*starttime = start;
	return 0;
}

int rundir_stat_living(pid_t pid, char *state, uint64_t *starttime)
{
	long threads;
	int ret = read_stat(pid, 0, state, &threads, starttime);

	if (!ret && (*state == 'X' || (*state == 'Z' && threads <= 1)))
		ret = -ESRCH;
	return ret;
}

int rundir_starttime(uint64_t *starttime, pid_t pid)
{
	char state;

	return rundir_stat_living(pid, &state, starttime);
}

/* Without /proc, or a descriptor to read there, a process with the pid counts
 * as the same one, because the files of a living process must never be
 * removed. */
bool rundir_alive(pid_t pid, uint64_t starttime)
{
	uint64_t now;
	int ret = rundir_starttime(&now, pid);

	if (!ret)
		return now == starttime;
	return (ret != -ESRCH || limits_blind()) &&
	       (!kill(pid, 0) || errno == EPERM);
}

int rundir_is(pid_t pid, uint64_t identity)
{
	struct pollfd end = { .events = POLLIN };
	struct statfs fs;
	struct stat st;
	int ret = -1;

	if (!identity)
		return -1;
	end.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (end.fd < 0)
		return errno == ESRCH ? 0 : -1;
	if (!fstatfs(end.fd, &fs) && fs.f_type == IDENTITY_FS_MAGIC &&
	    !fstat(end.fd, &st))
		ret = st.st_ino == identity && !poll(&end, 1, 0);
	close(end.fd);
	return ret;
}

bool rundir_locked(const struct rundir_process *process)
{
	struct process_page page;
	bool held;
	int fd;

	if (rundir_read_process(process, process->image, &page) ||
	    !page.locked)
		return false;
	fd = rundir_open_file(process, process->image, O_RDONLY, "process");
	if (fd < 0)
		return false;
	held = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	close(fd);
	return held;
}

bool rundir_unlocked(const struct rundir_process *process)
{
	struct process_page head;

	return !rundir_read_process(process, process->image, &head) &&
	       head.locked && !rundir_locked(process);
}

bool rundir_lives(const struct rundir_process *process)
{
	int ret;

	if (process->unseen)
		return rundir_locked(process);
	ret = rundir_is(process->pid, process->identity);
	return ret < 0 ? rundir_alive(process->pid, process->starttime) : ret;
}

pid_t rundir_living_thread(pid_t pid)
{
	DIR *list = threads_open(pid);
	uint64_t start;
	long threads;
	char state;
	pid_t tid;

	do
		tid = threads_next(list);
	while (tid && (read_stat(pid, tid, &state, &threads, &start) ||
		       state == 'Z' || state == 'X'));
	threads_close(list);
	return tid ? tid : pid;
}
