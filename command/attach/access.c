/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes the memory of another process, by the kernel's
 * process_vm_readv(2) and process_vm_writev(2); and tells whether the process
 * still executes the program of which addresses are known.
 *
 * Invariant: a part of a transfer is no success. The kernel stops at the first
 * page that is not there, and a caller would take old bytes for new ones.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "command/attach/steps.h"
#include "command/procfs/process.h"

/* Moves bytes between this command's memory and the process's, in the direction
 * of `move`. Returns 0, a negative errno, or -EFAULT: not all were moved. */
static int move_bytes(const struct attach_target *t,
		      __typeof__(process_vm_readv) *move, void *ours,
		      uint64_t theirs, size_t bytes)
{
	struct iovec here = { ours, bytes };
	struct iovec there = { (void *)(uintptr_t)theirs, bytes };
	/* the kernel reads no memory by a first thread that has exited */
	ssize_t n = move(t->shown ? t->shown : t->pid, &here, 1, &there, 1, 0);

	if (n < 0)
		return -errno;
	return (size_t)n == bytes ? 0 : -EFAULT;
}

int attach_read(const struct attach_target *t, uint64_t from, void *to,
		size_t bytes)
{
	return move_bytes(t, process_vm_readv, to, from, bytes);
}

int attach_write(const struct attach_target *t, uint64_t to, const void *from,
		 size_t bytes)
{
	return move_bytes(t, process_vm_writev, (void *)from, to, bytes);
}

int attach_image_open(struct attach_target *t)
{
	char path[32];

	t->shown = process_shown(t->pid);
	snprintf(path, sizeof(path), "/proc/%d/mem", t->shown);
	t->image = open(path, O_RDONLY | O_CLOEXEC);
	return t->image < 0 ? -errno : 0;
}

bool attach_image_same(const struct attach_target *t, uint64_t address)
{
	uint8_t byte;

	return t->image >= 0 && pread(t->image, &byte, 1, (off_t)address) == 1;
}

void attach_image_close(struct attach_target *t)
{
	if (t->image >= 0)
		close(t->image);
	t->image = -1;
}
