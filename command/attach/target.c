/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks that the user may attach to a process, and that it can have an agent,
 * by /proc and by reading its memory: a refused process was not changed.
 */
#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/attach/steps.h"
#include "command/common/command.h"
#include "command/process/opener.h"
#include "command/process/process.h"

long attach_yama_scope(void)
{
	FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	long scope = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%ld", &scope) != 1)
		scope = 0;
	fclose(f);
	return scope;
}

/* Tells why the kernel does not let us read the process. */
static int refused(const struct attach_target *t, int error)
{
	long uid = process_status(t->pid, "Uid");
	char path[32];
	struct stat st;

	if (error != -EPERM && error != -EACCES)
		return attach_fact(t, error, "cannot read the memory of "
				   "process %d: %s", t->pid, strerror(-error));
	if (geteuid() && uid >= 0 && (uid_t)uid != geteuid())
		return attach_fact(t, -EACCES, "no permission: process %d "
				   "belongs to another user (uid %ld)", t->pid,
				   uid);
	/* the directory /proc/PID itself always belongs to the user */
	snprintf(path, sizeof(path), "/proc/%d/stat", t->pid);
	if (geteuid() && !stat(path, &st) && st.st_uid != geteuid())
		return attach_fact(t, -EACCES, "no permission: process %d is "
				   "not dumpable (set-user-ID, capabilities, "
				   "or PR_SET_DUMPABLE)", t->pid);
	if (attach_yama_scope() > 2)
		return attach_fact(t, -EACCES, "no permission to trace process "
				   "%d: kernel.yama.ptrace_scope is %ld, also "
				   "for root and until the next boot; start "
				   "the program with taffrail record", t->pid,
				   attach_yama_scope());
	if (attach_yama_scope() > 0)
		return attach_fact(t, -EACCES, "no permission to trace process "
				   "%d: kernel.yama.ptrace_scope is %ld; run "
				   "as root, set it to 0, or start the program "
				   "with taffrail record", t->pid,
				   attach_yama_scope());
	return attach_fact(t, -EACCES, "no permission to trace process %d "
			   "(%s); a container or a security module may forbid "
			   "it" COMMAND_SEE_DOCTOR, t->pid, strerror(-error));
}

static int check_state(const struct attach_target *t)
{
	char path[32], text[512], *p;
	int fd;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", t->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0) {
		process_missing(t->pid, t->error, ATTACH_ERROR_BYTES);
		return -ESRCH;
	}
	text[n] = '\0';
	p = strrchr(text, ')');
	if (!p || p[1] != ' ' || p[2] == 'Z' || p[2] == 'X')
		return attach_fact(t, -ESRCH, "process %d has ended", t->pid);
	if (process_status(t->pid, "Tgid") != t->pid)
		return attach_fact(t, -ESRCH, "no such process: %d is a thread "
				   "of process %ld", t->pid,
				   process_status(t->pid, "Tgid"));
	if (p[2] == 'T')
		return attach_fact(t, -EBUSY, "process %d is stopped: continue "
				   "it first (kill -CONT %d)", t->pid, t->pid);
	return 0;
}

/* Refuses a process in which a thread has a seccomp filter: another thread may
 * get the same filter at any moment (TSYNC), and the agent stays off there. */
static int check_threads(const struct attach_target *t)
{
	char path[64 + NAME_MAX];
	struct dirent *entry;
	int ret = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", t->pid);
	tasks = opendir(path);
	if (!tasks)
		return attach_fact(t, -ESRCH, "process %d has ended", t->pid);
	while (!ret && (entry = readdir(tasks))) {
		pid_t tid = atoi(entry->d_name);

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		if (process_status(tid, "TracerPid") > 0)
			ret = attach_fact(t, -EBUSY, "process %d is traced by "
					  "process %ld", t->pid,
					  process_status(tid, "TracerPid"));
		else if (process_status(tid, "Seccomp") > 0)
			ret = attach_fact(t, -ENOTSUP, "process %d has a "
					  "seccomp filter, which may kill it "
					  "for a system call of the agent",
					  t->pid);
	}
	closedir(tasks);
	return ret;
}

static int check_machine(const struct attach_target *t)
{
	struct opener_file file;
	Elf64_Ehdr header;
	char path[32];
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/exe", t->pid);
	ret = opener_open(&file, path, 0);
	if (ret == -ENOENT)
		return attach_fact(t, -ENOTSUP, "process %d is a kernel thread",
				   t->pid);
	if (ret == -ETIMEDOUT)
		return attach_fact(t, ret, "the file of process %d's program "
				   "does not answer", t->pid);
	if (ret)
		return refused(t, ret);
	ret = pread(file.fd, &header, sizeof(header), 0) == sizeof(header) &&
	      !memcmp(header.e_ident, ELFMAG, SELFMAG) &&
	      header.e_ident[EI_CLASS] == ELFCLASS64 ?
	      0 : -ENOTSUP;
	opener_close(&file);
	return ret ? attach_fact(t, ret, "process %d is not a 64-bit program",
				 t->pid) : 0;
}

static int read_auxv(struct attach_target *t)
{
	Elf64_auxv_t aux[64];
	char path[32];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/auxv", t->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -errno : read(fd, aux, sizeof(aux));
	if (fd >= 0)
		close(fd);
	if (n < 0)
		return refused(t, (int)n);
	n /= (ssize_t)sizeof(*aux);
	for (ssize_t i = 0; i < n; i++) {
		if (aux[i].a_type == AT_PHDR)
			t->phdr = aux[i].a_un.a_val;
		else if (aux[i].a_type == AT_PHNUM)
			t->nphdr = aux[i].a_un.a_val;
		else if (aux[i].a_type == AT_SECURE && aux[i].a_un.a_val)
			return attach_fact(t, -ENOTSUP, "process %d is "
					   "set-user-ID, set-group-ID or has "
					   "capabilities (AT_SECURE): the "
					   "agent stays off there", t->pid);
	}
	return t->phdr ? 0 : attach_fact(t, -ENOTSUP, "cannot find the "
					 "program headers of process %d",
					 t->pid);
}

int attach_target_open(struct attach_target *t, pid_t pid)
{
	uint8_t byte;
	int ret;

	t->pid = pid;
	t->image = -1;
	ret = check_state(t);
	if (!ret)
		ret = check_threads(t);
	if (!ret)
		ret = check_machine(t);
	if (ret)
		return ret;
	ret = attach_image_open(t);
	if (ret)
		return refused(t, ret);
	ret = read_auxv(t);
	if (!ret) {
		ret = attach_read(t, t->phdr, &byte, 1);
		ret = ret ? refused(t, ret) : attach_modules_read(t);
	}
	/* then the facts come from two different programs */
	if (ret && ret != -ESRCH && !attach_image_same(t, t->phdr))
		return attach_fact(t, -ESTALE, "process %d is executing "
				   "another program, or ends: try again",
				   t->pid);
	return ret;
}

void attach_target_close(struct attach_target *t)
{
	attach_image_close(t);
	free(t->modules);
	t->modules = NULL;
}
