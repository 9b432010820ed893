/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Has processes make the files that they have put off. See deferred.h, and
 * agent/deferred.c for the part of the process.
 *
 * A process is found by its row in sessions/.deferred.NAME. It offers to make a
 * service thread, as processes with files do, and that thread makes them.
 *
 * Invariant: a row is of a process that may have ended since, or execute
 * another program. So nothing is done to a process that has not, at the address
 * in the row, the bytes of the row. They are compared again in the stop.
 */
#include "command/agents/deferred.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "command/attach/steps.h"
#include "command/common/command.h"
#include "command/common/monotonic.h"
#include "command/procfs/process.h"
#include "control/protocol.h"
#include "traces/array.h"

#define AGE_NS		500000000ull	/* most programs are over by then */
#define PAUSE_NS	20000000ull
#define READ_ROWS	64
#define SETTLE_NS	500000000ull
#define SETTLE_ALL_NS	(10 * SETTLE_NS)
#define SETTLE_PAUSE_NS	1000000
#define STOP_LOOKS	100	/* a pause behind each */

struct deferred_process {
	struct deferred_row row;
	uint64_t at;		/* in the file */
	uint64_t seen_ns;
	bool told;		/* why it makes no files */
	bool stopped;		/* at one of the tries */
};

void deferred_open(struct deferred *d, struct rundir *dir, const char *name)
{
	/* Yama lets only ancestors trace: a daemon has others than us */
	if (attach_yama_scope() && geteuid())
		return;
	d->fd = rundir_create_deferred(dir, name);
	d->at = PROTOCOL_DEFERRED_ROWS;
}

/* Frees the memory of rows that the recorder is done with. Commands read the
 * others. */
static void rows_free(struct deferred *d)
{
	uint64_t end = d->at & ~4095ull, from = PROTOCOL_DEFERRED_ROWS, to;

	if (end == d->freed)
		return;
	d->freed = end;
	for (size_t i = 0; i <= d->n; i++) {
		to = i < d->n ? d->rows[i].at & ~4095ull : end;
		if (to > from)
			fallocate(d->fd,
				  FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				  (off_t)from, (off_t)(to - from));
		if (i < d->n)
			from = (d->rows[i].at + sizeof(d->rows[i].row) +
				4095) & ~4095ull;
	}
}

/* Adds the rows that have come. */
static void rows_read(struct deferred *d, uint64_t now_ns)
{
	struct deferred_row rows[READ_ROWS];
	ssize_t n = sizeof(rows);

	while (d->fd >= 0 && n == sizeof(rows) &&
	       (n = pread(d->fd, rows, sizeof(rows), (off_t)d->at)) >=
		       (ssize_t)sizeof(*rows)) {
		for (size_t i = 0; i < (size_t)n / sizeof(*rows); i++) {
			d->at += sizeof(*rows);
			/* the recorder has freed those before */
			if (!rows[i].pid)
				continue;
			/* without memory, the process makes them itself */
			if (!array_grow(&d->rows, d->n, sizeof(*d->rows)))
				return;
			d->rows[d->n++] = (struct deferred_process){
				.row = rows[i], .seen_ns = now_ns,
				.at = d->at - sizeof(*rows),
			};
		}
	}
}

/* Returns WAKE_OFFERED while the process has no files, WAKE_TAKEN while a
 * thread makes them, 0 when it has them, or is another one; or -EPERM. */
static int still_deferred(const struct attach_target *t,
			  const struct deferred_row *row)
{
	struct process_page page;
	int ret = attach_read(t, row->page + offsetof(struct process_page,
						      uuid),
			      page.uuid, sizeof(page.uuid));

	if (!ret && !memcmp(page.uuid, row->uuid, sizeof(row->uuid)))
		ret = attach_read(t, row->page +
				  offsetof(struct process_page, wake),
				  &page.wake, sizeof(page.wake)) ?:
		      (int)page.wake.state;
	else if (!ret)
		ret = -ESRCH;
	return ret < 0 && ret != -EPERM ? 0 : ret;
}

/* Returns true when a stop may disturb the first thread: the kernel ends some
 * calls with EINTR, such as those with a time limit. A socket may have one for
 * any call (SO_RCVTIMEO). */
static bool is_touchy(pid_t pid)
{
	static const long calls[] = {
		SYS_wait4, SYS_waitid, SYS_futex, SYS_flock, SYS_nanosleep,
		SYS_clock_nanosleep, SYS_poll, SYS_ppoll, SYS_select,
		SYS_pselect6, SYS_pause, SYS_rt_sigsuspend,
	};
	unsigned long file = 0;
	char text[256], path[64], name[16] = "";
	long number = -1;

	process_text(pid, pid, "syscall", text, sizeof(text));
	if (sscanf(text, "%ld %lx", &number, &file) < 1 || number < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/fd/%lu", (int)pid, file);
	if (number == SYS_read || number == SYS_readv || number == SYS_write)
		return readlink(path, name, sizeof(name)) > 0 &&
		       !strncmp(name, "socket:", 7);
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (number == calls[i])
			return false;
	return true;
}

/* Has the process make the files. Returns 0 where nothing is left to do,
 * -EAGAIN: later; -EINTR: a stop would disturb it; or another negative errno
 * and the cause. */
static int files_make(const struct deferred_process *p, bool all,
		      struct cause *cause)
{
	const struct deferred_row *row = &p->row;
	struct attach_target target = {
		.pid = (pid_t)row->pid,
		.cause = cause,
		.rseq_offset = row->rseq_offset,
		.rseq_bytes = row->rseq_bytes,
	};
	struct attach_wake where = {
		.owner = { .uid = geteuid(), .page = row->page },
		.entry = row->entry,
		.most = row->filters,
	};
	int ret;

	if (kill(target.pid, 0) && errno == ESRCH)
		return 0;
	ret = attach_image_open(&target);
	if (!ret)
		ret = still_deferred(&target, row);
	else if (ret == -ENOENT || ret == -ESRCH)
		ret = 0;
	memcpy(where.uuid, row->uuid, sizeof(where.uuid));
	if (ret == WAKE_TAKEN)
		ret = -EAGAIN;
	else if (ret > 0 && !all && is_touchy(target.pid))
		ret = -EINTR;
	else if (ret > 0 && process_executes(target.pid, row->entry))
		/* the thread comes, and says so in the page; else again */
		ret = attach_stop_wake(&target, &where) ?: -EAGAIN;
	else if (ret > 0)
		ret = -EAGAIN;
	else if (ret == -EPERM || ret == -EACCES)
		ret = cause_set(cause, ret, PTRACE_REFUSED,
				.pid = target.pid, .error = ret);
	attach_image_close(&target);
	return ret == -ESTALE || ret == -ESRCH ? 0 : ret;
}

int deferred_poll(struct deferred *d, bool all, struct cause *cause)
{
	uint64_t now = monotonic_ns();
	size_t kept = 0, i;
	int failed = 0;

	rows_read(d, now);
	if (now < d->next_ns && !all)
		return 0;
	for (i = 0; i < d->n && !failed; i++) {
		struct deferred_process *p = &d->rows[i];
		struct cause why = { 0 };
		int ret = all || now - p->seen_ns >= AGE_NS ?
				  files_make(p, all, &why) : -EAGAIN;

		if (!ret)
			continue;
		/* one that another command wakes runs until it stops again */
		p->stopped |= ret == -EBUSY && why.id == CAUSE_PROCESS_STOPPED;
		/* it may be so for long: after another AGE_NS */
		if (ret == -EINTR)
			p->seen_ns = now;
		/* one that is stopped, or traced, may do so later */
		if (ret != -EAGAIN && !p->told &&
		    (all || ret == -EPERM || ret == -EACCES)) {
			uint64_t never;
			off_t at;

			p->told = true;
			*cause = why;
			failed = ret;
			/* no further program may put off files */
			never = PROTOCOL_DEFERRED_NEVER;
			at = offsetof(struct deferred_row, page);
			if (d->fd >= 0 &&
			    pwrite(d->fd, &never, sizeof(never), at) < 0)
				ftruncate(d->fd, 0);
		}
		d->rows[kept++] = *p;
	}
	memmove(&d->rows[kept], &d->rows[i], (d->n - i) * sizeof(*d->rows));
	d->n = kept + d->n - i;
	if (!failed)
		d->next_ns = now + PAUSE_NS;
	if (!all)
		rows_free(d);
	return failed;
}

void deferred_signal(struct deferred *d, pid_t except, int number)
{
	rows_read(d, monotonic_ns());
	for (size_t i = 0; i < d->n; i++) {
		struct attach_target t = { .pid = (pid_t)d->rows[i].row.pid };

		if (t.pid != except && !attach_image_open(&t) &&
		    still_deferred(&t, &d->rows[i].row))
			kill(t.pid, number);
		attach_image_close(&t);
	}
}

/* Of rundir_each_deferred(). */
static void file_settle(int fd)
{
	const struct timespec pause = { .tv_nsec = SETTLE_PAUSE_NS };
	struct deferred d = { .fd = fd, .at = PROTOCOL_DEFERRED_ROWS };
	uint64_t now = monotonic_ns(), end = now + SETTLE_ALL_NS;
	uint64_t next = now + SETTLE_NS;
	struct cause cause;
	size_t left = 0;

	do {
		/* those that cannot, the recorder tells */
		while (deferred_poll(&d, true, &cause))
			;
		now = monotonic_ns();
		/* some have made their files: others may need their turn */
		if (d.n < left)
			next = now + SETTLE_NS;
		left = d.n;
	} while (d.n && now < next && now < end && !nanosleep(&pause, NULL));
	for (size_t i = 0; i < d.n; i++) {
		const pid_t pid = (pid_t)d.rows[i].row.pid;

		/* after a try, also another command's, the process runs until
		 * it stops again */
		for (int n = 0; n < STOP_LOOKS && !d.rows[i].stopped; n++)
			if (!(d.rows[i].stopped = process_stopped(pid)))
				nanosleep(&pause, NULL);
		if (d.rows[i].stopped)
			command_warn("process %d of a recording is stopped, "
				     "and has made no files yet: it is not "
				     "seen here; continue it first (kill "
				     "-CONT %d)", pid, pid);
	}
	deferred_close(&d);
}

void deferred_settle(void)
{
	struct rundir dir;

	if (!rundir_open(&dir, false))
		rundir_each_deferred(&dir, file_settle);
	rundir_close(&dir);
}

void deferred_close(struct deferred *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
	free(d->rows);
	d->rows = NULL;
	d->n = 0;
}
