/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program of one thread that does what its input's lines say, and answers
 * each with a line. It counts what its own handler for signal 61 takes, and
 * looks whether a command's signal ever comes to it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <taffrail/marker.h>
#include <taffrail/signal.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"	/* sigset */

#define NUMBER	61

static volatile sig_atomic_t taken, strange, blocked;
static int events;

/* Counts a signal; a value other than 7 is none of this program's. */
static void on_info(int number, siginfo_t *info, void *context)
{
	sigset_t now;

	(void)context;
	taken++;
	if (number != NUMBER || (info->si_code == SI_QUEUE &&
				 info->si_value.sival_int != 7))
		strange++;
	sigprocmask(SIG_BLOCK, NULL, &now);
	blocked = sigismember(&now, SIGUSR1) | sigismember(&now, NUMBER) << 1 |
		  sigismember(&now, SIGUSR2) << 2;
}

static void on_number(int number)
{
	taken++;
	if (number != NUMBER)
		strange++;
}

static void on_chain(int number, siginfo_t *info, void *context)
{
	if (!taffrail_signal_chain ||
	    !taffrail_signal_chain(number, info, context))
		on_info(number, info, context);
}

/* The kernel's struct sigaction, as the bare system call takes it. */
static void by_system_call(void (*handler)(int, siginfo_t *, void *))
{
	struct {
		void *handler;
		unsigned long flags;
		void *restorer;
		unsigned long mask;
	} action = { 0 };

	/* libc's restorer, from a handler that libc has installed */
	sigaction(SIGUSR2, &(struct sigaction){ .sa_handler = on_number },
		  NULL);
	syscall(SYS_rt_sigaction, SIGUSR2, NULL, &action, 8);
	action.handler = (void *)handler;
	action.flags |= SA_SIGINFO | SA_RESTART;
	syscall(SYS_rt_sigaction, NUMBER, &action, NULL, 8);
}

static void handler(const char *how)
{
	struct sigaction action = { .sa_sigaction = on_info,
				    .sa_flags = SA_SIGINFO | SA_RESTART };

	sigaddset(&action.sa_mask, SIGUSR1);
	if (!strcmp(how, "signal"))
		signal(NUMBER, on_number);
	else if (!strcmp(how, "sigset"))
		sigset(NUMBER, on_number);
	else if (!strcmp(how, "chain"))
		by_system_call(on_chain);
	else if (!strcmp(how, "default"))
		signal(NUMBER, SIG_DFL);
	else if (!strcmp(how, "ignore"))
		signal(NUMBER, SIG_IGN);
	else if (!strcmp(how, "once"))
		action.sa_flags |= SA_RESETHAND;
	else if (!strcmp(how, "interrupts"))
		action.sa_flags &= ~SA_RESTART;
	if (strstr("sigaction once interrupts", how))
		sigaction(NUMBER, &action, NULL);
	puts("installed");
}

static void query(void)
{
	struct sigaction old;

	sigaction(NUMBER, NULL, &old);
	puts(old.sa_handler == SIG_DFL ? "is default" :
	     old.sa_handler == SIG_IGN ? "is ignored" :
	     old.sa_sigaction == on_info ? "is on_info" :
	     old.sa_handler == on_number ? "is on_number" : "is another's");
}

static void raised(void)
{
	sigqueue(getpid(), NUMBER, (union sigval){ .sival_int = 7 });
	printf("took %d strange %d blocked %d\n", (int)taken, (int)strange,
	       (int)blocked);
}

static void mask(int how)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(how, &all, NULL);
	puts(how == SIG_BLOCK ? "blocked" : "unblocked");
}

/* Waits for the signal by sigwait, up to the next one that the program's test
 * sends with the value 7. */
static void await(void)
{
	siginfo_t info;
	sigset_t set;
	int others = -1;

	sigemptyset(&set);
	sigaddset(&set, NUMBER);
	sigprocmask(SIG_BLOCK, &set, NULL);
	puts("waits");
	fflush(stdout);
	do
		others++;
	while (sigwaitinfo(&set, &info) != NUMBER || info.si_code != SI_USER);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	printf("others %d\n", others);
}

static void by_descriptor(void)
{
	struct signalfd_siginfo info;
	sigset_t set;
	int others = -1;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, NUMBER);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	puts("waits");
	fflush(stdout);
	do
		others++;
	while (read(fd, &info, sizeof(info)) != sizeof(info) ||
	       info.ssi_code != SI_USER);
	close(fd);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	printf("others %d\n", others);
}

static void forked(void)
{
	pid_t child = fork();

	if (!child) {
		TAFFRAIL_EVENT(app, child, events);
		/* until the parent has gone */
		while (getppid() != 1 && poll(NULL, 0, 50) <= 0)
			;
		_exit(0);
	}
	printf("child %d\n", child);
}

static void unshared(void)
{
	printf("unshare %s\n", unshare(CLONE_NEWUSER) ? strerror(errno) : "0");
}

/* Takes all descriptors that the limit leaves, or gives them back. */
static void descriptors(int take)
{
	static int first;

	if (take) {
		first = dup(1);
		while (dup(1) >= 0)
			;
		printf("full %d\n", first);
	} else {
		close_range(first, ~0u, 0);
		puts("free");
	}
}

static void nap(void)
{
	struct timespec wanted = { .tv_sec = 3 };

	puts("sleeps");
	fflush(stdout);
	puts(nanosleep(&wanted, NULL) ? "interrupted" : "slept");
}

static volatile sig_atomic_t rang;

static void on_alarm(int number)
{
	(void)number;
	rang = 1;
}

/* Computes for a second while the processor refuses unaligned accesses (the
 * flag AC). */
static void unaligned(void)
{
	unsigned long long flags = __builtin_ia32_readeflags_u64();

	signal(SIGALRM, on_alarm);
	puts("computes");
	fflush(stdout);
	alarm(1);
	__builtin_ia32_writeeflags_u64(flags | 1u << 18);
	while (!rang)
		;
	__builtin_ia32_writeeflags_u64(flags);
	puts("computed");
}

static void obey(char *line, char **argv)
{
	if (!strcmp(line, "event")) {
		TAFFRAIL_EVENT(app, hit, events);
		printf("event %d\n", events++);
	} else if (!strncmp(line, "handler ", 8)) {
		handler(line + 8);
	} else if (!strcmp(line, "query")) {
		query();
	} else if (!strcmp(line, "raise")) {
		raised();
	} else if (!strcmp(line, "block")) {
		mask(SIG_BLOCK);
	} else if (!strcmp(line, "unblock")) {
		mask(SIG_UNBLOCK);
	} else if (!strcmp(line, "sigwait")) {
		await();
	} else if (!strcmp(line, "signalfd")) {
		by_descriptor();
	} else if (!strcmp(line, "fork")) {
		forked();
	} else if (!strcmp(line, "unshare")) {
		unshared();
	} else if (!strcmp(line, "full")) {
		descriptors(1);
	} else if (!strcmp(line, "free")) {
		descriptors(0);
	} else if (!strcmp(line, "unaligned")) {
		unaligned();
	} else if (!strcmp(line, "sleep")) {
		nap();
	} else if (!strcmp(line, "user")) {
		printf("user %d\n", setuid(65534));
	} else if (!strcmp(line, "strict")) {
		printf("strict %d\n",
		       prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT));
	} else if (!strcmp(line, "exec")) {
		execv("/proc/self/exe", argv);
	} else {
		printf("no command: %s\n", line);
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char line[64];

	(void)argc;
	puts("ready");
	fflush(stdout);
	for (;;) {
		if (fgets(line, sizeof(line), stdin)) {
			line[strcspn(line, "\n")] = '\0';
			if (!strcmp(line, "quit"))
				return 0;
			obey(line, argv);
		} else if (feof(stdin)) {
			return 0;
		} else {
			clearerr(stdin);
		}
	}
}
