/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes the memory of another process.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "command/attach/steps.h"
#include "command/procfs/process.h"

/* The kernel reads no memory by a first thread that has exited. */
static pid_t memory_of(const struct attach_target *t)
{
	return t->shown ? t->shown : t->pid;
}

int attach_read(const struct attach_target *t, uint64_t from, void *to,
		size_t bytes)
{
	struct iovec here = { to, bytes };
	struct iovec there = { (void *)(uintptr_t)from, bytes };
	ssize_t n = process_vm_readv(memory_of(t), &here, 1, &there, 1, 0);

	if (n < 0)
		return -errno;
	return (size_t)n == bytes ? 0 : -EFAULT;
}

int attach_write(const struct attach_target *t, uint64_t to, const void *from,
		 size_t bytes)
{
	struct iovec here = { (void *)(uintptr_t)from, bytes };
	struct iovec there = { (void *)(uintptr_t)to, bytes };
	ssize_t n = process_vm_writev(memory_of(t), &here, 1, &there, 1, 0);

	if (n < 0)
		return -errno;
	return (size_t)n == bytes ? 0 : -EFAULT;
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

	return t->image >= 0 &&
	       pread(t->image, &byte, 1, (off_t)address) == 1;
}

void attach_image_close(struct attach_target *t)
{
	if (t->image >= 0)
		close(t->image);
	t->image = -1;
}
