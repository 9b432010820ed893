/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Code is written, and other CPUs learn that it has changed
 * (tracepoints/program/patch.h), by each way that a kernel may offer. Each way
 * is tried in a child, under a seccomp filter.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracepoints/program/patch.h"

/* Makes calls of both numbers fail from here on. */
static int refuse(uint32_t first, uint32_t second)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Returns patch_sync()'s error without these calls, as a positive errno. */
static int sync_without(uint32_t first, uint32_t second)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit(refuse(first, second) ? 255 : -patch_sync());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Makes each mprotect() with this protection fail from here on. */
static int refuse_protection(uint32_t protection)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, protection, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

enum written { WRITTEN = 1, REFUSED = 2 };

/* Writes a word and a byte by mprotect(), which fails for this protection.
 * Returns the results and the effects of both. */
static int write_without(uint32_t protection)
{
	static const struct patcher patcher = { .mem = -1 };
	uint64_t *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status = -1, word, byte;
	pid_t pid = fork();

	if (!pid) {
		if (refuse_protection(protection))
			_exit(255);
		word = patch_word(&page[1], 0, 7);
		byte = patch_byte(&patcher, (uint8_t *)page, 9);
		_exit((word ? REFUSED : 0) | (page[1] == 7 ? WRITTEN : 0) |
		      (byte ? REFUSED << 2 : 0) |
		      ((uint8_t)page[0] == 9 ? WRITTEN << 2 : 0));
	}
	waitpid(pid, &status, 0);
	munmap(page, 4096);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Returns the lowest free descriptor. */
static int lowest_free(void)
{
	int fd = dup(2);

	close(fd);
	return fd;
}

/* The memory is opened by the first write alone, and closed. */
static void check_opened(void)
{
	uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct patcher patcher;
	int before = lowest_free();

	patch_open(&patcher);
	unit_equal(lowest_free(), before, "nothing is opened");
	unit_equal(patch_byte(&patcher, page, 9), 0, "a byte");
	unit_equal(page[0], 9, "it is written");
	unit_equal(lowest_free(), before + 1, "the memory is open");
	unit_equal(patch_memory(&patcher), before, "that descriptor");
	patch_close(&patcher);
	unit_equal(lowest_free(), before, "it is closed");
	unit_equal(patch_word((uint64_t *)page + 1, 1, 7), -EBUSY,
		   "a word that others have changed");
	unit_equal(page[8], 0, "it stays");
	unit_equal(patch_word((uint64_t *)page + 1, 0, 7), 0, "one that is");
	unit_equal(page[8], 7, "it is replaced");
	munmap(page, 4096);
}

int main(void)
{
	check_opened();
	unit_equal(write_without(~0u), WRITTEN | WRITTEN << 2, "by mprotect");
	unit_equal(write_without(PROT_READ | PROT_WRITE | PROT_EXEC),
		   REFUSED | REFUSED << 2, "no page can be written: it says so");
	unit_equal(write_without(PROT_READ | PROT_EXEC),
		   WRITTEN | WRITTEN << 2,
		   "a page that stays writable: it is written");
	patch_setup();
	unit_equal(patch_sync(), 0, "with membarrier");
	unit_equal(sync_without(SYS_membarrier, SYS_membarrier), 0,
		   "without");
	unit_equal(sync_without(SYS_membarrier, SYS_mmap), ENOSYS,
		   "without memory, too: it says so");
	unit_equal(sync_without(SYS_membarrier, SYS_munmap), ENOSYS,
		   "memory that does not go: it says so");
	return unit_end();
}
