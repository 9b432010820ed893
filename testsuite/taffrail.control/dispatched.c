/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Has the system calls of a thread dispatched to a handler, except those that
 * libc makes: those of the agent are left. The handler prints the number of
 * each, and answers ENOSYS. Obeys lines of its input, and answers each:
 *
 *	on HOW		begins that, by prctl(), syscall() or the bare system
 *			call (raw)
 *	off HOW		ends it
 *	second HOW	begins it in another thread, which stays
 *	stay		makes a thread that stays, without that
 *	hit N		hits the marker app:hit
 *	fork, thread	do so in a child of fork(), in a new thread
 *	inside		begins and ends it in a child of fork(), with a hit
 *	spawn FILE	executes it, by posix_spawn()
 *	end		returns from main()
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH	59
#endif

static volatile char selector;
static unsigned long libc_begin, libc_bytes;

/* libc's functions are not dispatched, write() and the return from here among
 * them. */
static void caught(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	char text[] = "caught 000\n";
	int call = info->si_syscall;
	int i;

	(void)number;
	for (i = 9; i > 6; i--, call /= 10)
		text[i] = (char)('0' + call % 10);
	if (write(1, text, sizeof(text) - 1) < 0)
		_exit(3);
	registers[REG_RAX] = -ENOSYS;
}

/* Finds the code of the library in which `arg` lies. */
static int code_find(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	int i;

	(void)bytes;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		unsigned long begin = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD &&
		    (unsigned long)arg - begin < p->p_memsz) {
			libc_begin = begin;
			libc_bytes = p->p_memsz;
			return 1;
		}
	}
	return 0;
}

static long bare_prctl(long option, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = c;
	register long r8 __asm__("r8") = d;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(SYS_prctl), "D"(option), "S"(a), "d"(b),
			   "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	return ret;
}

/* The call that begins it is not dispatched; the one that ends it would be. */
static void dispatch(int on, const char *how)
{
	unsigned long begin = on ? libc_begin : 0;
	unsigned long bytes = on ? libc_bytes : 0;
	volatile char *to = on ? &selector : NULL;
	long ret;

	selector = 0;
	if (!strcmp(how, "prctl"))
		ret = prctl(PR_SET_SYSCALL_USER_DISPATCH, on, begin, bytes, to);
	else if (!strcmp(how, "syscall"))
		ret = syscall(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, on,
			      begin, bytes, to);
	else
		ret = bare_prctl(PR_SET_SYSCALL_USER_DISPATCH, on, (long)begin,
				 (long)bytes, (long)to);
	if (ret)
		exit(4);
	selector = (char)on;
}

static void *hit(void *times)
{
	long n;

	for (n = 0; n < (long)times; n++)
		TAFFRAIL_EVENT(app, hit, n);
	return NULL;
}

static void *stay(void *how)
{
	if (how)
		dispatch(1, how);
	printf("stays\n");
	for (;;)
		pause();
	return NULL;
}

static void child_hit(int inside)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (inside)
			dispatch(1, "prctl");
		hit((void *)5);
		if (inside)
			dispatch(0, "prctl");
		hit((void *)5);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		exit(5);
}

static void spawn(char *file)
{
	char *argv[] = { file, "none", NULL };
	int status;
	pid_t pid;

	if (posix_spawn(&pid, file, NULL, NULL, argv, environ) ||
	    waitpid(pid, &status, 0) != pid || status)
		exit(6);
}

static int obey(const char *word, char *rest)
{
	pthread_t thread;

	if (!strcmp(word, "end"))
		return 0;
	if (!strcmp(word, "on") || !strcmp(word, "off"))
		dispatch(word[1] == 'n', rest);
	else if (!strcmp(word, "second") || !strcmp(word, "stay"))
		return !pthread_create(&thread, NULL, stay,
				       *rest ? strdup(rest) : NULL);
	else if (!strcmp(word, "hit"))
		hit((void *)atol(rest));
	else if (!strcmp(word, "fork") || !strcmp(word, "inside"))
		child_hit(word[0] == 'i');
	else if (!strcmp(word, "thread")) {
		if (pthread_create(&thread, NULL, hit, (void *)5))
			return 0;
		pthread_join(thread, NULL);
	} else if (!strcmp(word, "spawn"))
		spawn(rest);
	printf("did %s\n", word);
	return 1;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = caught,
				    .sa_flags = SA_SIGINFO };
	char line[200], rest[200];
	char word[20];

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1) {
		hit((void *)7);
		return strcmp(argv[1], "none") != 0;
	}
	dl_iterate_phdr(code_find, dlsym(RTLD_DEFAULT, "wait4"));
	if (!libc_bytes || sigaction(SIGSYS, &action, NULL))
		return 2;
	printf("ready\n");
	do {
		word[0] = rest[0] = '\0';
		if (!fgets(line, sizeof(line), stdin))
			break;
		sscanf(line, "%19s %199s", word, rest);
	} while (obey(word, rest));
	printf("right\n");
	return 0;
}
