/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * deny ERROR PROGRAM ARGS...: runs the program once for each system call. In
 * that run, a filter makes the agent's calls of it fail with ERROR, and lets
 * other callers through. The filter looks at the caller's address; addresses
 * are not randomised, so a first run shows where the agent will be.
 *
 * Prints "runs N", and a line for each run that ends in another way, or prints
 * something else, than a run without the agent. A run may take 20 seconds.
 */
#include <errno.h>
#include <ftw.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SYSCALLS	470
#define SECONDS		20

static uint64_t agent_start, agent_end;

/* What a run prints on both outputs, and how it ends. */
struct outcome {
	int status;
	char text[8192];
};

static int filter_install(unsigned int call, int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 6),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, instruction_pointer) +
				 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
			 (uint32_t)(agent_start >> 32), 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, instruction_pointer)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)agent_start, 0,
			 2),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)agent_end, 1, 0),
		BPF_STMT(BPF_RET | BPF_K,
			 SECCOMP_RET_ERRNO | (uint32_t)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void child(char **argv, int out, int call, int error, int agent)
{
	/* whoever it forks belongs to it */
	setpgid(0, 0);
	alarm(0);
	dup2(out, 1);
	dup2(out, 2);
	close(out);
	personality(ADDR_NO_RANDOMIZE);
	if (!agent)
		unsetenv("LD_PRELOAD");
	/* or it would make none of the calls */
	setenv("TAFFRAIL_SECCOMP", "trust", 1);
	if (call >= 0 && filter_install((unsigned int)call, error))
		_exit(126);
	execv(argv[0], argv);
	_exit(127);
}

static void run(struct outcome *o, char **argv, int call, int error, int agent)
{
	struct timespec pause = { 0, 2000000 };
	FILE *file = tmpfile();
	int looks = SECONDS * 500;
	size_t n;
	pid_t pid;

	memset(o, 0, sizeof(*o));
	o->status = -1;
	pid = fork();
	if (!pid)
		child(argv, fileno(file), call, error, agent);
	while (!waitpid(pid, &o->status, WNOHANG) && looks--)
		nanosleep(&pause, NULL);
	if (looks < 0) {
		kill(-pid, SIGKILL);
		waitpid(pid, &o->status, 0);
		o->status = -1;
	}
	rewind(file);
	n = fread(o->text, 1, sizeof(o->text) - 1, file);
	o->text[n] = '\0';
	fclose(file);
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *at)
{
	(void)st;
	(void)type;
	return at->level ? remove(path) : 0;
}

/* Removes the files of a run: they are large, and not for the next run. */
static void clean(void)
{
	const char *directory = getenv("TAFFRAIL_DIR");

	if (directory)
		nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The program prints its map when it is asked to. */
static int agent_find(char **argv)
{
	char *where[] = { argv[0], "where", NULL };
	static struct outcome o;
	char *line;

	run(&o, where, -1, 0, 1);
	for (line = strtok(o.text, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned long long start, end;

		if (!strstr(line, "/libtaffrail.so") ||
		    sscanf(line, "%llx-%llx", &start, &end) != 2)
			continue;
		agent_start = agent_start ? agent_start : start;
		agent_end = end;
	}
	return agent_start && agent_start >> 32 == agent_end >> 32;
}

int main(int argc, char **argv)
{
	static struct outcome plain, o;
	int error = argc > 2 ? atoi(argv[1]) : 0;
	int runs = 0;
	int call;

	if (argc < 3 || !agent_find(argv + 2)) {
		puts("no agent");
		return 1;
	}
	run(&plain, argv + 2, -1, 0, 0);
	for (call = 0; call < SYSCALLS; call++) {
		/* the agent can do nothing if these fail, so they do not */
		if (call == SYS_exit || call == SYS_rt_sigreturn ||
		    call == SYS_exit_group || call == SYS_close)
			continue;
		run(&o, argv + 2, call, error, 1);
		clean();
		runs++;
		if (o.status != plain.status || strcmp(o.text, plain.text))
			printf("call %d: status %#x, not %#x; says \"%.200s\"\n",
			       call, o.status, plain.status, o.text);
		fflush(stdout);
	}
	printf("runs %d\n", runs);
	return 0;
}
