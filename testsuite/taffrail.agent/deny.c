/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * deny PROGRAM ARGS...: runs the program once for each system call that the
 * agent makes, and for each of two errors. In that run, a filter makes the
 * agent's calls of it fail, and lets other callers through. The filter looks at
 * the caller's address; addresses are not randomised, so a first run shows
 * where the agent will be. The calls are those of a list, and those that the
 * kernel tells of in further runs. All other calls, which the agent does not
 * make, fail together in one run.
 *
 * Prints a result a run: it must end, and print, like a run without the agent.
 * A run may take 20 seconds; some are made at a time.
 */
#include <errno.h>
#include <ftw.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SYSCALLS	470
#define SECONDS		20
#define BESIDE		8
/* A call that depends on the moment is seen in one of so many runs. */
#define WATCHED		4
#define ROWS_MAX	(SYSCALLS + 1)
#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *name;
	int number;
} errors[] = { { "EPERM", EPERM }, { "ENOMEM", ENOMEM } };

/* Calls that the agent makes in each run, or in some. */
static const struct {
	const char *name;
	int call;
} known[] = {
#define CALL(name) { #name, SYS_##name }
	CALL(clone), CALL(close_range), CALL(fallocate), CALL(flock),
	CALL(fstat), CALL(fstatfs), CALL(futex), CALL(getdents64),
	CALL(geteuid), CALL(getpid), CALL(getppid), CALL(getrandom),
	CALL(gettid), CALL(lseek), CALL(madvise), CALL(membarrier),
	CALL(mkdirat), CALL(mmap), CALL(mprotect), CALL(mremap),
	CALL(munmap), CALL(newfstatat), CALL(openat), CALL(pidfd_open),
	CALL(prctl), CALL(pread64), CALL(pwrite64), CALL(read),
	CALL(rseq), CALL(rt_sigaction), CALL(rt_sigprocmask), CALL(statfs),
	CALL(uname), CALL(unlinkat),
};

static uint64_t agent_start, agent_end;
static char used[SYSCALLS];

/* What a run prints on both outputs, and how it ends. */
struct outcome {
	int status;
	char text[8192];
};

/* A run: what the filter does with the calls that it is for. */
struct trial {
	char refused[SYSCALLS];
	uint32_t verdict;
	int with_agent;
};

struct row {
	struct trial trial;
	char name[64];
	struct outcome outcome;
};

/* The filter's code: a pair of instructions for each call, between a check of
 * the caller and what happens to others. */
static int filter_install(const struct trial *t, unsigned int flags)
{
	static struct sock_filter code[2 * SYSCALLS + 8];
	const struct sock_filter head[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, instruction_pointer) +
				 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
			 (uint32_t)(agent_start >> 32), 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, instruction_pointer)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)agent_start, 0,
			 1),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)agent_end, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
	};
	size_t n = sizeof(head) / sizeof(head[0]);
	struct sock_fprog program = { 0, code };

	memcpy(code, head, sizeof(head));
	for (unsigned int call = 0; call < SYSCALLS; call++) {
		if (!t->refused[call])
			continue;
		code[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
							 t->verdict);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
						 SECCOMP_RET_ALLOW);
	program.len = (unsigned short)n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags,
			    &program);
}

/* Becomes the program. The parent gets the descriptor that tells of calls. */
static void child(char **argv, int out, const struct trial *t, int tell)
{
	int watched = t->verdict == SECCOMP_RET_USER_NOTIF;
	int listener;

	/* whoever it forks belongs to it */
	setpgid(0, 0);
	alarm(0);
	dup2(out, 1);
	dup2(out, 2);
	close(out);
	personality(ADDR_NO_RANDOMIZE);
	if (!t->with_agent)
		unsetenv("LD_PRELOAD");
	/* or it would make none of the calls */
	setenv("TAFFRAIL_SECCOMP", "trust", 1);
	if (t->verdict) {
		listener = filter_install(
			t, watched ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0);
		if (listener < 0)
			_exit(126);
		/* the program has no descriptor more than without the filter */
		if (watched && (write(tell, &listener, sizeof(listener)) < 0 ||
				read(tell, &listener, 1) < 0))
			_exit(126);
		if (watched)
			close(listener);
	}
	close(tell);
	execv(argv[0], argv);
	_exit(127);
}

/* Takes the child's descriptor of calls; the child goes on without it. */
static int listener_take(pid_t pid, int tell)
{
	int number, listener = -1;
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (read(tell, &number, sizeof(number)) == sizeof(number))
		listener = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);
	close(pidfd);
	if (write(tell, "", 1) != 1)
		return -1;
	return listener;
}

/* Notes each call that waits to be told of, and lets it through. */
static void calls_note(int listener)
{
	struct pollfd told = { listener, POLLIN, 0 };
	struct seccomp_notif call;
	struct seccomp_notif_resp answer;

	while (poll(&told, 1, 2) > 0 && told.revents & POLLIN) {
		memset(&call, 0, sizeof(call));
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call))
			continue;
		used[call.data.nr] = 1;
		memset(&answer, 0, sizeof(answer));
		answer.id = call.id;
		answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
}

static void trial_run(struct outcome *o, char **argv, const struct trial *t)
{
	struct timespec pause = { 0, 2000000 };
	struct timespec begin, now;
	FILE *file = tmpfile();
	int listener = -1, late = 0;
	int tell[2];
	pid_t pid;

	memset(o, 0, sizeof(*o));
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, tell))
		exit(1);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		close(tell[0]);
		child(argv, fileno(file), t, tell[1]);
	}
	close(tell[1]);
	if (t->verdict == SECCOMP_RET_USER_NOTIF)
		listener = listener_take(pid, tell[0]);
	close(tell[0]);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	while (!waitpid(pid, &o->status, WNOHANG) && !late) {
		if (listener >= 0)
			calls_note(listener);
		nanosleep(&pause, NULL);
		clock_gettime(CLOCK_MONOTONIC, &now);
		late = now.tv_sec - begin.tv_sec > SECONDS;
	}
	if (late) {
		kill(-pid, SIGKILL);
		waitpid(pid, &o->status, 0);
		o->status = -1;
	}
	if (listener >= 0)
		close(listener);
	rewind(file);
	o->text[fread(o->text, 1, sizeof(o->text) - 1, file)] = '\0';
	fclose(file);
}

static int file_remove(const char *path, const struct stat *st, int type,
		       struct FTW *at)
{
	(void)st;
	(void)type;
	return at->level ? remove(path) : 0;
}

/* The program prints its map when it is asked to. */
static int agent_find(char **argv)
{
	char *where[] = { argv[0], "where", NULL };
	static const struct trial t = { .with_agent = 1 };
	static struct outcome o;
	char *line;

	trial_run(&o, where, &t);
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

/* Makes the rows whose number is `mine`, with a TAFFRAIL_DIR of its own. */
static void rows_run(struct row *rows, int n, int mine, char **argv)
{
	char directory[4096];

	snprintf(directory, sizeof(directory), "%s/%d", getenv("TAFFRAIL_DIR"),
		 mine);
	mkdir(directory, 0700);
	setenv("TAFFRAIL_DIR", directory, 1);
	for (int i = mine; i < n; i += BESIDE) {
		trial_run(&rows[i].outcome, argv, &rows[i].trial);
		/* the files are large, and not for the next run */
		nftw(directory, file_remove, 16, FTW_DEPTH | FTW_PHYS);
	}
	_exit(0);
}

/* Lists a row for each call that the agent makes, and one for the others. */
static int rows_list(struct row *rows, int error)
{
	struct row *rest = rows, *end = rows + 1;

	strcpy(rest->name, "all other calls");
	memset(rest->trial.refused, 1, sizeof(rest->trial.refused));
	/* the agent can do nothing if these fail */
	rest->trial.refused[SYS_exit] = 0;
	rest->trial.refused[SYS_exit_group] = 0;
	rest->trial.refused[SYS_rt_sigreturn] = 0;
	rest->trial.refused[SYS_close] = 0;
	for (size_t i = 0; i < COUNT(known); i++) {
		strcpy(end->name, known[i].name);
		end++->trial.refused[known[i].call] = 1;
		rest->trial.refused[known[i].call] = 0;
	}
	for (int call = 0; call < SYSCALLS; call++) {
		if (!used[call] || !rest->trial.refused[call])
			continue;
		snprintf(end->name, sizeof(end->name), "call %d", call);
		end++->trial.refused[call] = 1;
		rest->trial.refused[call] = 0;
	}
	for (struct row *row = rows; row < end; row++) {
		row->trial.verdict = SECCOMP_RET_ERRNO | (uint32_t)error;
		row->trial.with_agent = 1;
	}
	return (int)(end - rows);
}

static void row_report(const struct row *row, const char *error,
		       const struct outcome *plain)
{
	const struct outcome *o = &row->outcome;
	int same = o->status == plain->status && !strcmp(o->text, plain->text);

	printf("%s: %s: %s\n", same ? "PASS" : "FAIL", error, row->name);
	if (!same)
		printf("\tstatus %#x, not %#x; says \"%.200s\"\n", o->status,
		       plain->status, o->text);
}

int main(int argc, char **argv)
{
	static struct trial t;
	static struct outcome plain, o;
	struct row *rows = mmap(NULL, ROWS_MAX * sizeof(*rows),
				PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int i, n;

	if (argc < 2 || rows == MAP_FAILED || !agent_find(argv + 1)) {
		puts("FAIL: no agent");
		return 1;
	}
	trial_run(&plain, argv + 1, &t);
	memset(t.refused, 1, sizeof(t.refused));
	t.verdict = SECCOMP_RET_USER_NOTIF;
	t.with_agent = 1;
	for (i = 0; i < WATCHED; i++)
		trial_run(&o, argv + 1, &t);
	for (size_t e = 0; e < COUNT(errors); e++) {
		memset(rows, 0, ROWS_MAX * sizeof(*rows));
		n = rows_list(rows, errors[e].number);
		fflush(stdout);
		for (i = 0; i < BESIDE; i++)
			if (!fork())
				rows_run(rows, n, i, argv + 1);
		while (wait(NULL) > 0)
			;
		for (i = 0; i < n; i++)
			row_report(&rows[i], errors[e].name, &plain);
	}
	return 0;
}
