/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What signals do, at random: `dispositions SEED STEPS` prints what each step
 * shows. The same seed prints the same, with the agent and without it.
 *
 * A step installs a handler by one of libc's functions or the bare system call,
 * asks for it, sends a signal, or makes a child by one of the ways that libc
 * has. The child installs handlers of its own, and executes grep, which prints
 * what it has inherited. A handler prints its signal, what it got and the mask,
 * and may install another one, send a signal or jump out.
 *
 * "shell" behind the numbers has steps that call system() and popen(), too;
 * "short" has no signal 61 among them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define COUNT(array)	(sizeof(array) / sizeof(*(array)))
#define SERVICE		61

typedef void handler_fn(int number);
typedef void action_fn(int number, siginfo_t *info, void *context);

handler_fn *bsd_signal(int number, handler_fn *handler);
handler_fn *__sysv_signal(int number, handler_fn *handler);
int __sigaction(int number, const struct sigaction *set,
		struct sigaction *old);

static const int numbers[] = { SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, 40,
			       SERVICE };
static size_t usable = COUNT(numbers);
static char *plain[] = { "PATH=/usr/bin:/bin", NULL };
static volatile uint64_t state;
static volatile int depth;
static sigjmp_buf out;
static char stack[1 << 22] __attribute__((aligned(16)));
static int shells;
static int is_child;

static uint32_t some(uint32_t below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % below;
}

__attribute__((format(printf, 1, 2)))
static void say(const char *format, ...)
{
	char line[256];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	if (write(1, line, (size_t)n) != n)
		_exit(9);
}

static uint64_t bits(const sigset_t *set)
{
	return *(const uint64_t *)set;
}

static sigset_t set_of(uint64_t mask)
{
	sigset_t set;

	sigemptyset(&set);
	memcpy(&set, &mask, sizeof(mask));
	return set;
}

static int number_some(void)
{
	return numbers[some((uint32_t)usable)];
}

static void act(void);

/* What a handler does, whose name is one letter. */
static void handled(char name, int number, const siginfo_t *info)
{
	sigset_t now;
	char here;

	sigprocmask(SIG_BLOCK, NULL, &now);
	say("%*s%c: signal %d%s blocked %016lx\n", depth + 1, "", name, number,
	    &here >= stack && &here < stack + sizeof(stack) ?
		    " aside" : "", bits(&now));
	if (info)
		say("%*s   %d code %d value %d from %s\n", depth + 1, "",
		    info->si_signo, info->si_code, info->si_value.sival_int,
		    info->si_pid == getpid() ? "itself" : "another");
	if (depth >= 2)
		return;
	depth++;
	switch (some(8)) {
	case 0:
		if (is_child)
			break;
		depth--;
		siglongjmp(out, 1);
	case 1:
	case 2:
		act();
	}
	depth--;
}

#define HANDLER(name)                                                     \
	static void short_##name(int number)                              \
	{                                                                 \
		handled(#name[0], number, NULL);                          \
	}                                                                 \
	static void long_##name(int number, siginfo_t *info, void *to)    \
	{                                                                 \
		handled(#name[0] - 32, to ? number : -1, info);           \
	}

HANDLER(a)
HANDLER(b)
HANDLER(c)

static handler_fn *const shorts[] = { short_a, short_b, short_c };
static action_fn *const longs[] = { long_a, long_b, long_c };

static const char *name_of(const void *handler)
{
	static const char *const names[] = { "a", "b", "c", "A", "B", "C" };
	size_t i;

	for (i = 0; i < COUNT(shorts); i++) {
		if (handler == (void *)shorts[i])
			return names[i];
		if (handler == (void *)longs[i])
			return names[i + 3];
	}
	return handler == (void *)SIG_DFL ? "default" :
	       handler == (void *)SIG_IGN ? "ignored" :
	       handler == (void *)SIG_ERR ? "error" :
	       handler == (void *)SIG_HOLD ? "hold" : "another's";
}

/* One that the program ignores or does not handle, in 3 of 8. */
static handler_fn *handler_some(void)
{
	uint32_t which = some(8);

	return which < 5 ? shorts[which % 3] : which < 7 ? SIG_IGN : SIG_DFL;
}

static void show_action(const char *what, int number,
			const struct sigaction *is)
{
	say("%*s%s %d: %s flags %x mask %016lx\n", depth, "", what, number,
	    name_of((void *)is->sa_handler), is->sa_flags, bits(&is->sa_mask));
}

static struct sigaction action_some(void)
{
	static const int flags[] = { SA_RESTART, SA_NODEFER, (int)SA_RESETHAND,
				     SA_ONSTACK, SA_NOCLDSTOP, 0x400,
				     0x00100000, 0x20000000 };
	struct sigaction set = { .sa_handler = handler_some() };
	size_t i;

	for (i = 0; i < COUNT(flags); i++)
		if (!some(4))
			set.sa_flags |= flags[i];
	if (some(2) && set.sa_handler != SIG_IGN && set.sa_handler != SIG_DFL) {
		set.sa_sigaction = longs[some(3)];
		set.sa_flags |= SA_SIGINFO;
	}
	/* often the same ones */
	set.sa_mask = set_of(some(2) ? 0 :
			     (uint64_t)some(8) << 20 | some(3) << 9 |
			     (uint64_t)some(2) << (SERVICE - 1) | some(2) << 8);
	return set;
}

/* As the kernel has it. */
struct bare {
	void *handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

static void by_system_call(int number)
{
	struct sigaction theirs = action_some();
	struct sigaction with = { .sa_handler = shorts[0] };
	struct bare set, old;

	/* libc's restorer, from a handler that libc has installed */
	sigaction(SIGURG, &with, NULL);
	syscall(SYS_rt_sigaction, SIGURG, NULL, &set, 8);
	set.handler = (void *)theirs.sa_handler;
	set.flags = (unsigned int)theirs.sa_flags | 0x04000000;
	set.mask = bits(&theirs.sa_mask);
	syscall(SYS_rt_sigaction, number, &set, &old, 8);
	say("%*sbare %d\n", depth, "", number);
}

static void install(int number)
{
	static handler_fn *(*const functions[])(int, handler_fn *) = {
		signal, bsd_signal, ssignal, sysv_signal, __sysv_signal, sigset
	};
	struct sigaction set, old;
	handler_fn *was;
	uint32_t how = some(16);
	int ret;

	if (how < 6) {
		set = action_some();
		ret = how < 5 ? sigaction(number, &set, &old) :
				__sigaction(number, &set, &old);
		say("%*s%s\n", depth, "", ret ? strerror(errno) : "done");
		if (!ret)
			show_action("before", number, &old);
	} else if (how < 12) {
		errno = 0;
		was = functions[how - 6](number, some(16) ? handler_some() :
							    SIG_ERR);
		say("%*sfunction %u: %s error %d\n", depth, "", how - 6,
		    name_of((void *)was), errno);
	} else if (how == 12) {
		say("%*sheld: %s\n", depth, "",
		    name_of((void *)sigset(number, SIG_HOLD)));
	} else if (how == 13) {
		ret = (int)some(2);
		say("%*sinterrupt %d: %d\n", depth, "", ret,
		    siginterrupt(number, ret));
	} else if (how == 14) {
		say("%*signore: %d\n", depth, "", sigignore(number));
	} else if (number != SERVICE) {
		by_system_call(number);
	}
}

static void query(int number)
{
	struct sigaction is;
	sigset_t now;

	if (sigaction(number, NULL, &is))
		say("%*s%s\n", depth, "", strerror(errno));
	else
		show_action("is", number, &is);
	sigprocmask(SIG_BLOCK, NULL, &now);
	if (sigismember(&now, number))
		say("%*sblocked\n", depth, "");
}

static int is_deadly(int number)
{
	struct sigaction is;

	return sigaction(number, NULL, &is) || is.sa_handler == SIG_DFL ||
	       is.sa_handler == SIG_ERR;
}

static void ended(const char *what, pid_t child)
{
	int status = -1;

	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	say("%*s%s: %s %x\n", depth, "", what, child > 0 ? "child" : "none",
	    (unsigned int)status);
}

/* Sends the signal to this process; to a child, if the signal would end it. */
static void send(int number)
{
	const union sigval value = { .sival_int = 1234 };
	pid_t child;

	if (!is_deadly(number)) {
		sigqueue(getpid(), number, value);
		return;
	}
	child = fork();
	if (!child) {
		sigset_t none = set_of(0);

		is_child = 1;
		sigqueue(getpid(), number, value);
		sigprocmask(SIG_SETMASK, &none, NULL);
		_exit(0);
	}
	ended("sent", child);
}

static char *grep[] = { "grep", "-E", "Sig(Blk|Ign)", "/proc/self/status",
			NULL };

/* In a child that may share the memory: changes signals, then executes grep, or
 * fails to. */
static int child_main(void *seed)
{
	uint32_t chosen = (uint32_t)(uintptr_t)seed;
	struct sigaction set = { .sa_handler = SIG_DFL };
	size_t i;

	for (i = 0; i < usable; i++, chosen >>= 2) {
		set.sa_flags = chosen & 4 ? SA_RESTART : 0;
		set.sa_handler = SIG_IGN;
		if ((chosen & 3) == 1)
			sigaction(numbers[i], &set, NULL);
		set.sa_handler = shorts[i % 3];
		if ((chosen & 3) == 2)
			sigaction(numbers[i], &set, NULL);
		if ((chosen & 3) == 3)
			signal(numbers[i], SIG_DFL);
	}
	execve("/nonexistent", grep, plain);
	if (chosen & 1)
		execve("/bin/grep", grep, plain);
	_exit(3);
}

static void spawn(void)
{
	posix_spawnattr_t attributes;
	sigset_t defaults = set_of((uint64_t)some(2) << (SERVICE - 1) |
				   (uint64_t)some(2) << (SIGUSR1 - 1));
	pid_t child = -1;
	int ret;

	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, some(2) ? POSIX_SPAWN_SETSIGDEF :
							0);
	ret = some(2) ? posix_spawn(&child, "/bin/grep", NULL, &attributes,
				    grep, plain) :
			posix_spawnp(&child, some(4) ? "grep" : "nonexistent",
				     NULL, &attributes, grep, plain);
	posix_spawnattr_destroy(&attributes);
	ended("spawn", ret ? -ret : child);
}

static void shell(void)
{
	const char command[] = "env -i grep Sig[BI] /proc/self/status";
	char line[128];
	FILE *from;

	if (some(2)) {
		say("system %x\n", (unsigned int)system(command));
		return;
	}
	from = popen(command, "r");
	while (from && fgets(line, sizeof(line), from))
		say("%s", line);
	say("popen %x\n", from ? (unsigned int)pclose(from) : ~0u);
}

static void child_make(void)
{
	static char child_stack[1 << 16] __attribute__((aligned(16)));
	void *seed = (void *)(uintptr_t)some(1u << 14);
	volatile uint32_t how = some(5 + (uint32_t)shells);
	pid_t child = -1;

	if (how == 0) {
		child = fork();
		if (!child)
			child_main(seed);
	} else if (how == 1) {
		child = vfork();
		if (!child)
			child_main(seed);
	} else if (how == 2) {
		child = clone(child_main, child_stack + sizeof(child_stack),
			      CLONE_VM | CLONE_VFORK | SIGCHLD, seed);
	} else if (how == 3) {
		child = fork();
		if (!child) {
			is_child = 1;
			act();
			act();
			execve("/bin/grep", grep, plain);
		}
	} else if (how == 4) {
		spawn();
		return;
	} else {
		shell();
		return;
	}
	ended("child", child);
}

static void act(void)
{
	int number = number_some();

	switch (some(8)) {
	case 0:
		child_make();
		break;
	case 1:
	case 2:
	case 3:
		install(number);
		break;
	case 4:
		query(number);
		break;
	default:
		send(number);
	}
}

int main(int argc, char **argv)
{
	stack_t aside = { .ss_sp = stack, .ss_size = sizeof(stack) };
	volatile long steps;
	size_t i;

	if (argc < 3)
		return 2;
	state = strtoull(argv[1], NULL, 10);
	for (int n = 3; n < argc; n++) {
		shells |= !strcmp(argv[n], "shell");
		usable -= !strcmp(argv[n], "short");
	}
	sigaltstack(&aside, NULL);
	for (steps = atol(argv[2]); steps; steps--) {
		sigset_t none = set_of(some(4) ? 0 : 1ull << (SIGUSR1 - 1));

		if (!sigsetjmp(out, 1))
			act();
		depth = 0;
		for (i = 0; i < usable; i++)
			if (is_deadly(numbers[i]))
				none = set_of(bits(&none) |
					      1ull << (numbers[i] - 1));
		/* what is pending comes here, unless it would end us */
		if (!sigsetjmp(out, 0))
			sigprocmask(SIG_SETMASK, &none, NULL);
	}
	for (i = 0; i < usable; i++)
		query(numbers[i]);
	return 0;
}
