/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * quiet WHAT HOW [NUMBER...]: does one ordinary action (WHAT). Before that it
 * installs a filter that kills it for every system call but the NUMBERs. HOW
 * says by which call: prctl(), syscall(), a bare system call (raw), which the
 * agent does not notice, or none. Ends with status 7, or 1 if something went
 * wrong, such as a killed child.
 *
 * MARK, a call that no kernel has, begins what quiet-calls records.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

#define MARK		5000
#define NUMBERS_MAX	200
#define EVENTS		100
#define STACK_BYTES	65536

static char **arguments;
static int ends_raw;

static void hit(void)
{
	int n;

	for (n = 0; n < EVENTS; n++)
		TAFFRAIL_EVENT(app, hit, n);
}

static void hit_once(int number)
{
	TAFFRAIL_EVENT(app, signal, number);
}

/* Returns whether the child ends as it should. */
static int reap(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, __WALL) != pid)
		return 1;
	return !WIFEXITED(status) || WEXITSTATUS(status) != 3;
}

static int do_nothing(void)
{
	return 0;
}

static int do_hit(void)
{
	hit();
	return 0;
}

/* Children that end by _exit() and by exit(), and a grandchild. */
static int do_fork(void)
{
	pid_t pid = fork();
	int bad;

	if (!pid) {
		hit();
		_exit(3);
	}
	bad = reap(pid);
	pid = fork();
	if (!pid) {
		pid = fork();
		if (!pid)
			exit(3);
		exit(reap(pid) ? 4 : 3);
	}
	return bad | reap(pid);
}

static int do_vfork(void)
{
	volatile pid_t pid = vfork();

	if (!pid) {
		hit();
		_exit(3);
	}
	hit();
	return reap(pid);
}

static int in_clone(void *arg)
{
	hit();
	return arg ? 3 : 0;
}

/* Like a fork, like a vfork, and like a thread without a thread pointer. */
static int do_clone(void)
{
	static const int flags[] = { SIGCHLD, CLONE_VM | CLONE_VFORK | SIGCHLD,
				     CLONE_VM | SIGCHLD };
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int bad = 0;
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		bad |= reap(clone(in_clone, stack + STACK_BYTES, flags[i],
				  stack));
	hit();
	return bad;
}

static char *leaf[] = { NULL, "leaf", "none", NULL };

static int do_spawn(void)
{
	pid_t pid;

	leaf[0] = arguments[0];
	if (posix_spawn(&pid, arguments[0], NULL, NULL, leaf, environ))
		return 1;
	return reap(pid);
}

static int do_exec(void)
{
	pid_t pid = fork();
	int bad;

	leaf[0] = arguments[0];
	if (!pid) {
		execv(arguments[0], leaf);
		_exit(1);
	}
	bad = reap(pid);
	pid = vfork();
	if (!pid) {
		execve("/nowhere", leaf, environ);
		execve(arguments[0], leaf, environ);
		_exit(1);
	}
	return bad | reap(pid);
}

static int do_load(void)
{
	int bad = 0;
	int i;

	for (i = 0; i < 3; i++) {
		void *library = dlopen(getenv("QUIET_LIBRARY"), RTLD_NOW);
		int (*fn)(int) = library ? (int (*)(int))dlsym(library,
							       "quiet_hit") :
					   NULL;

		bad |= !fn || fn(5) != 5 || dlclose(library);
	}
	return bad;
}

static void *in_thread(void *arg)
{
	hit();
	return arg;
}

static int do_threads(void)
{
	pthread_t threads[4];
	int word = 0;
	int i;

	/* whether a thread waits depends on which one is faster */
	syscall(SYS_futex, &word, 1 /* FUTEX_WAKE */, 1, NULL, NULL, 0);
	for (i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, in_thread, NULL))
			return 1;
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int do_signals(void)
{
	struct sigaction action = { .sa_handler = hit_once };
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	return sigaction(SIGUSR1, &action, NULL) || raise(SIGUSR1) ||
	       sigprocmask(SIG_BLOCK, &mask, NULL) || raise(SIGUSR1) ||
	       sigprocmask(SIG_UNBLOCK, &mask, NULL) ||
	       signal(SIGUSR1, SIG_IGN) == SIG_ERR;
}

/* Calls that the agent wraps. */
static int do_rights(void)
{
	if (setuid(getuid()) || setgid(getgid()) || unshare(0) ||
	    prctl(PR_SET_NAME, "quiet"))
		return 1;
	return 0;
}

static const struct {
	const char *word;
	int (*fn)(void);
	int status;
} rows[] = {
	{ "nothing", do_nothing, 7 }, { "hit", do_hit, 7 },
	{ "fork", do_fork, 7 }, { "vfork", do_vfork, 7 },
	{ "clone", do_clone, 7 }, { "spawn", do_spawn, 7 },
	{ "exec", do_exec, 7 }, { "load", do_load, 7 },
	{ "threads", do_threads, 7 }, { "signals", do_signals, 7 },
	{ "rights", do_rights, 7 }, { "leaf", do_hit, 3 },
};

static long bare_prctl(long option, long a, long b, long c)
{
	register long r10 __asm__("r10") = c;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(SYS_prctl), "D"(option), "S"(a), "d"(b),
			   "r"(r10)
			 : "rcx", "r11", "memory");
	return ret;
}

/* Two instructions for each number that is let through. */
static int filter_install(const char *how, char **numbers)
{
	static struct sock_filter code[2 * NUMBERS_MAX + 2];
	struct sock_fprog program = { .filter = code };
	struct sock_filter *p = code;

	*p++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					    offsetof(struct seccomp_data, nr));
	for (; *numbers && p < code + 2 * NUMBERS_MAX; numbers++) {
		*p++ = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K,
			(unsigned int)atoi(*numbers), 0, 1);
		*p++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
						    SECCOMP_RET_ALLOW);
	}
	*p++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
					    SECCOMP_RET_KILL_PROCESS);
	program.len = (unsigned short)(p - code);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return 1;
	if (!strcmp(how, "prctl"))
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	if (!strcmp(how, "syscall"))
		return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0,
				    &program);
	ends_raw = 1;
	return (int)bare_prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
			       (long)&program, 0);
}

static int run(const char *what)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].word, what))
			return rows[i].fn() ? 1 : rows[i].status;
	return 2;
}

int main(int argc, char **argv)
{
	int status;

	if (argc < 3)
		return 2;
	arguments = argv;
	/* what a later piece of memory would take from the kernel */
	free(malloc(60000));
	hit();
	if (strcmp(argv[2], "none")) {
		if (filter_install(argv[2], argv + 3))
			return 2;
	} else if (strcmp(argv[1], "leaf")) {
		syscall(MARK);
	}
	status = run(argv[1]);
	/* at an orderly end the agent removes its files, where nothing has told
	 * it of a filter */
	if (ends_raw)
		_exit(status);
	return status;
}
