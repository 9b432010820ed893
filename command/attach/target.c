/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks that the user may attach to a process, and that it can have an agent,
 * by /proc and by reading its memory: a refused process was not changed.
 *
 * The order: the checks whose causes tell most come first, as a process that
 * has ended or is traced fails the later ones, too.
 */
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
#include "command/procfs/threads.h"
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
		return attach_cause(t, error, MEMORY_UNREADABLE,
				    .error = error);
	if (geteuid() && uid >= 0 && (uid_t)uid != geteuid())
		return attach_cause(t, -EACCES, PROCESS_OF_USER, .n = uid);
	/* the directory /proc/PID itself always belongs to the user */
	snprintf(path, sizeof(path), "/proc/%d/stat", t->pid);
	if (geteuid() && !stat(path, &st) && st.st_uid != geteuid())
		return attach_cause(t, -EACCES, PROCESS_NOT_DUMPABLE);
	if (scope > 2)
		return attach_cause(t, -EACCES, PTRACE_SCOPE_LOCKED,
				    .n = scope);
	if (scope > 0)
		return attach_cause(t, -EACCES, PTRACE_SCOPE, .n = scope);
	return attach_cause(t, -EACCES, PTRACE_REFUSED, .error = error);
}

/* Refuses a process with a thread that is traced, or has a seccomp filter:
 * another thread may get the same filter at any moment (TSYNC), and the agent
 * stays off there. Returns 0, or a negative errno and the cause. */
static int check_threads(const struct attach_target *t)
{
	DIR *list = threads_open(t->pid);
	long tracer;
	pid_t tid;
	int ret = 0;

	if (!list)
		return attach_cause(t, -ESRCH, PROCESS_ENDED);
	while (!ret && (tid = threads_next(list))) {
		tracer = process_status(tid, "TracerPid");
		if (tracer > 0)
			ret = attach_cause(t, -EBUSY, PROCESS_TRACED,
					   .n = tracer);
		else if (process_status(tid, "Seccomp") > 0)
			ret = attach_cause(t, -ENOTSUP, PROGRAM_FILTERED);
	}
	threads_close(list);
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
		return attach_cause(t, -ENOTSUP, PROGRAM_OF_KERNEL);
	if (ret == -ETIMEDOUT)
		return attach_cause(t, ret, PROGRAM_SILENT);
	if (ret)
		return target_refused(t, ret);
	fits = pread(file.fd, &header, sizeof(header), 0) == sizeof(header) &&
	       !memcmp(header.e_ident, ELFMAG, SELFMAG) &&
	       header.e_ident[EI_CLASS] == ELFCLASS64;
	opener_close(&file);
	return fits ? 0 : attach_cause(t, -ENOTSUP, PROGRAM_NOT_64_BITS);
}

int attach_target_open(struct attach_target *t, pid_t pid)
{
	char text[512], state;
	Elf64_auxv_t aux[64];
	ssize_t n;
	uint8_t byte;
	int ret, unopened;

	t->pid = pid;
	t->image = -1;
	if (process_text(pid, 0, "stat", text, sizeof(text)) <= 0) {
		process_missing(pid, t->cause);
		return -ESRCH;
	}
	state = *process_stat_field(text, 3);
	if (state == 'Z' && process_shown(pid) != pid)
		return attach_cause(t, -ENOTSUP, PROCESS_LEADERLESS);
	if (!state || state == 'Z' || state == 'X')
		return attach_cause(t, -ESRCH, PROCESS_ENDED);
	if (process_status(pid, "Tgid") != pid)
		return attach_cause(t, -ESRCH, PROCESS_IS_THREAD,
				    .n = process_status(pid, "Tgid"));
	if (state == 'T')
		return attach_cause(t, -EBUSY, PROCESS_STOPPED);
	/* the other checks say more of a process that cannot be opened */
	unopened = attach_image_open(t);
	ret = unopened || !t->loads ? 0 : attach_turn(t, ATTACH_TURN_MS);
	if (!ret)
		ret = check_threads(t);
	if (!ret)
		ret = check_machine(t);
	if (ret)
		return ret;
	if (unopened)
		return target_refused(t, unopened);
	n = process_text(pid, 0, "auxv", (char *)aux, sizeof(aux));
	if (n < 0)
		ret = target_refused(t, (int)n);
	for (ssize_t i = 0; !ret && i < n / (ssize_t)sizeof(*aux); i++) {
		if (aux[i].a_type == AT_PHDR)
			t->phdr = aux[i].a_un.a_val;
		else if (aux[i].a_type == AT_PHNUM)
			t->nphdr = aux[i].a_un.a_val;
		else if (aux[i].a_type == AT_SECURE && aux[i].a_un.a_val)
			ret = attach_cause(t, -ENOTSUP, PROGRAM_SECURE);
	}
	if (!ret && !t->phdr)
		ret = attach_cause(t, -ENOTSUP, PROGRAM_HEADERLESS);
	if (!ret) {
		ret = attach_read(t, t->phdr, &byte, 1);
		ret = ret ? target_refused(t, ret) : attach_modules_read(t);
	}
	/* then the facts come from two different programs */
	if (ret && ret != -ESRCH && !attach_image_same(t, t->phdr))
		return attach_cause(t, -ESTALE, PROCESS_EXECUTES_OR_ENDS);
	return ret;
}

void attach_target_close(struct attach_target *t)
{
	attach_image_close(t);
	free(t->modules);
	t->modules = NULL;
}
