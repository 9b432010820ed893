/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * filtered kill|ERROR NUMBER HOW PROGRAM ARGS...: installs a filter with which
 * the system call NUMBER kills, or fails with that error, and executes the
 * program: by itself (exec, execveat, fexecve), or in a child of fork(), of
 * vfork() or of clone() that installs the filter. Ends with the program's
 * status, 128 + a signal's number, or 127. "wait": prints its process number
 * and waits for a line.
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

static unsigned int action, number;
static const char *how;

static int install(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int become(void *arg)
{
	char **argv = arg;

	if (install())
		_exit(127);
	execv("/nowhere", argv);
	execveat(AT_FDCWD, "/nowhere", argv, environ, 0);
	if (!strcmp(how, "execveat"))
		execveat(open("/", O_PATH), argv[0] + 1, argv, environ, 0);
	else if (!strcmp(how, "fexecve"))
		fexecve(open(argv[0], O_RDONLY | O_CLOEXEC), argv, environ);
	else
		execvp(argv[0], argv);
	_exit(127);
}

static int status_of(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) :
				   128 + WTERMSIG(status);
}

static int run(char **argv)
{
	static char stack[65536] __attribute__((aligned(16)));
	volatile pid_t pid = -1;

	if (!strcmp(how, "fork")) {
		pid = fork();
		if (!pid)
			become(argv);
	} else if (!strcmp(how, "vfork")) {
		pid = vfork();
		if (!pid)
			become(argv);
	} else if (!strcmp(how, "clone")) {
		pid = clone(become, stack + sizeof(stack), SIGCHLD, argv);
	} else {
		become(argv);
	}
	return status_of(pid);
}

int main(int argc, char **argv)
{
	int n;

	for (n = 0; n < 10; n++)
		TAFFRAIL_EVENT(app, before, n);
	if (argc > 1 && !strcmp(argv[1], "wait")) {
		printf("%d\n", (int)getpid());
		fflush(stdout);
		return getchar() == '\n' ? 7 : 1;
	}
	if (argc < 5)
		return 2;
	action = !strcmp(argv[1], "kill") ?
			 SECCOMP_RET_KILL_PROCESS :
			 SECCOMP_RET_ERRNO | (unsigned int)atoi(argv[1]);
	number = (unsigned int)atoi(argv[2]);
	how = argv[3];
	n = run(argv + 4);
	for (number = 0; number < 5; number++)
		TAFFRAIL_EVENT(app, after, number);
	return n;
}
