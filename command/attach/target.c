/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks that the user may attach to a process, and that it can have an agent,
 * by /proc and by reading its memory: a refused process was not changed.
 *
 * The order: the checks whose causes tell most come first, as a process that
 * has ended or is traced fails the later ones, too.
 */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/attach/steps.h"
#include "command/common/command.h"
#include "command/procfs/process.h"
#include "command/sandbox/opener.h"

long attach_yama_scope(void)
{
	FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	long scope = 0;

	if (f && fscanf(f, "%ld", &scope) != 1)
		scope = 0;
	if (f)
		fclose(f);
	return scope;
}

/* Tells why the kernel does not let us read the process. Returns a negative
 * errno and the cause. */
static int target_refused(const struct attach_target *t, int error)
{
	long uid = process_status(t->pid, "Uid");
	long scope = attach_yama_scope();
	char path[32];
	struct stat st;

	if (error != -EPERM && error != -EACCES)
		return cause_set(t->cause, error, MEMORY_UNREADABLE,
				 .pid = t->pid, .error = error);
	if (geteuid() && uid >= 0 && (uid_t)uid != geteuid())
		return cause_set(t->cause, -EACCES, PROCESS_OF_USER,
				 .pid = t->pid, .n = uid);
	/* the directory /proc/PID itself always belongs to the user */
	snprintf(path, sizeof(path), "/proc/%d/stat", t->pid);
	if (geteuid() && !stat(path, &st) && st.st_uid != geteuid())
		return cause_set(t->cause, -EACCES, PROCESS_NOT_DUMPABLE,
				 .pid = t->pid);
	if (scope > 2)
		return cause_set(t->cause, -EACCES, PTRACE_SCOPE_LOCKED,
				 .pid = t->pid, .n = scope);
	if (scope > 0)
		return cause_set(t->cause, -EACCES, PTRACE_SCOPE, .pid = t->pid,
				 .n = scope);
	return cause_set(t->cause, -EACCES, PTRACE_REFUSED, .pid = t->pid,
			 .error = error);
}

/* Refuses a process with a thread that is traced, or has a seccomp filter:
 * another thread may get the same filter at any moment (TSYNC), and the agent
 * stays off there. Returns 0, or a negative errno and the cause. */
static int check_threads(const struct attach_target *t)
{
	char path[32];
	struct dirent *entry;
	int ret = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", t->pid);
	tasks = opendir(path);
	if (!tasks)
		return cause_set(t->cause, -ESRCH, PROCESS_ENDED,
				 .pid = t->pid);
	while (!ret && (entry = readdir(tasks))) {
		pid_t tid = atoi(entry->d_name);
		long tracer;

		if (tid <= 0)
			continue;
		tracer = process_status(tid, "TracerPid");
		if (tracer > 0)
			ret = cause_set(t->cause, -EBUSY, PROCESS_TRACED,
					.pid = t->pid, .n = tracer);
		else if (process_status(tid, "Seccomp") > 0)
			ret = cause_set(t->cause, -ENOTSUP, PROGRAM_FILTERED,
					.pid = t->pid);
	}
	closedir(tasks);
	return ret;
}

/* Refuses a process without a program, or with one of another machine. Returns
 * 0, or a negative errno and the cause. */
static int check_machine(const struct attach_target *t)
{
	struct opener_file file;
	Elf64_Ehdr header;
	char path[32];
	bool fits;
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/exe", t->pid);
	ret = opener_open(&file, path, 0);
	if (ret == -ENOENT)
		return cause_set(t->cause, -ENOTSUP, PROGRAM_OF_KERNEL,
				 .pid = t->pid);
	if (ret == -ETIMEDOUT)
		return cause_set(t->cause, ret, PROGRAM_SILENT, .pid = t->pid);
	if (ret)
		return target_refused(t, ret);
	fits = pread(file.fd, &header, sizeof(header), 0) == sizeof(header) &&
	       !memcmp(header.e_ident, ELFMAG, SELFMAG) &&
	       header.e_ident[EI_CLASS] == ELFCLASS64;
	opener_close(&file);
	return fits ? 0 : cause_set(t->cause, -ENOTSUP, PROGRAM_NOT_64_BITS,
				    .pid = t->pid);
}

/* Checks the first thread's state in /proc. Returns 0, or a negative errno and
 * the cause. */
static int check_state(const struct attach_target *t)
{
	char text[512], state;
	long group;

	if (process_text(t->pid, 0, "stat", text, sizeof(text)) <= 0) {
		process_missing(t->pid, t->cause);
		return -ESRCH;
	}
	state = *process_stat_field(text, 3);
	if (state == 'Z' && process_shown(t->pid) != t->pid)
		return cause_set(t->cause, -ENOTSUP, PROCESS_LEADERLESS,
				 .pid = t->pid);
	if (!state || state == 'Z' || state == 'X')
		return cause_set(t->cause, -ESRCH, PROCESS_ENDED,
				 .pid = t->pid);
	group = process_status(t->pid, "Tgid");
	if (group != t->pid)
		return cause_set(t->cause, -ESRCH, PROCESS_IS_THREAD,
				 .pid = t->pid, .n = group);
	return state == 'T' ? cause_set(t->cause, -EBUSY, PROCESS_STOPPED,
					.pid = t->pid) : 0;
}

int attach_target_open(struct attach_target *t, pid_t pid)
{
	Elf64_auxv_t aux[64];
	ssize_t n = 0;
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
		return target_refused(t, ret);
	n = process_text(pid, 0, "auxv", (char *)aux, sizeof(aux));
	if (n < 0)
		ret = target_refused(t, (int)n);
	for (ssize_t i = 0; !ret && i < n / (ssize_t)sizeof(*aux); i++) {
		if (aux[i].a_type == AT_PHDR)
			t->phdr = aux[i].a_un.a_val;
		else if (aux[i].a_type == AT_PHNUM)
			t->nphdr = aux[i].a_un.a_val;
		else if (aux[i].a_type == AT_SECURE && aux[i].a_un.a_val)
			ret = cause_set(t->cause, -ENOTSUP, PROGRAM_SECURE,
					.pid = pid);
	}
	if (!ret && !t->phdr)
		ret = cause_set(t->cause, -ENOTSUP, PROGRAM_HEADERLESS,
				.pid = pid);
	if (!ret) {
		ret = attach_read(t, t->phdr, &byte, 1);
		ret = ret ? target_refused(t, ret) : attach_modules_read(t);
	}
	/* then the facts come from two different programs */
	if (ret && ret != -ESRCH && !attach_image_same(t, t->phdr))
		return cause_set(t->cause, -ESTALE, PROCESS_EXECUTES_OR_ENDS,
				 .pid = pid);
	return ret;
}

void attach_target_close(struct attach_target *t)
{
	attach_image_close(t);
	free(t->modules);
	t->modules = NULL;
}
