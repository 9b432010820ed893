/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A profiler at every instruction: the processor's trap flag calls it at each
 * instruction of some hits, and it unwinds the stack from there to main(). When
 * it interrupts a restartable sequence, it finds the way out of the sequence
 * and the code to which that leads.
 *	frames [traced]
 * Prints "KIND: N instructions, N lost" for each kind, and on stderr where the
 * unwinding was lost. With "traced" the program has a tracer, as under
 * gdbserver, and its registers are also stored at each hit.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <taffrail/marker.h>
#include <unistd.h>
#include <unwind.h>

#define EVERY_FRAME	64

#define TRAP_FLAG	0x100

int main(int argc, char **argv);

static uintptr_t main_at;	/* the stack pointer of main() when it called */
static volatile unsigned long steps, lost;
static volatile int stepping;

struct walk {
	uintptr_t at;		/* the same, as the unwinding found it */
	int left;
};

static _Unwind_Reason_Code see(struct _Unwind_Context *context, void *arg)
{
	struct walk *walk = arg;

	if (_Unwind_GetRegionStart(context) == (uintptr_t)main) {
		walk->at = _Unwind_GetCFA(context);
		return _URC_END_OF_STACK;
	}
	return --walk->left ? _URC_NO_REASON : _URC_END_OF_STACK;
}

__attribute__((noinline)) static uintptr_t main_find(void)
{
	struct walk walk = { 0, EVERY_FRAME };

	_Unwind_Backtrace(see, &walk);
	return walk.at;
}

static void on_trap(int number, siginfo_t *info, void *context)
{
	ucontext_t *user = context;
	Dl_info where;

	(void)number;
	user->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	if (!stepping)
		return;
	user->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
	steps++;
	if (main_find() == main_at)
		return;
	lost++;
	if (dladdr(info->si_addr, &where))
		fprintf(stderr, "lost at %s+%#lx\n", where.dli_fname,
			(unsigned long)((char *)info->si_addr -
					(char *)where.dli_fbase));
}

__attribute__((noinline)) static void word(int n)
{
	TAFFRAIL_EVENT(app, word, n);
}

__attribute__((noinline)) static void block(int n)
{
	long a = n, b = n + 1, c = n + 2, d = n + 3;

	TAFFRAIL_EVENT(app, block, a, b, c, d);
}

__attribute__((noinline)) static void string(int n)
{
	const char *text = &"a string of some length, and its end"[n];

	TAFFRAIL_EVENT(app, string, n, TAFFRAIL_STR(text));
}

__attribute__((noinline)) static void array(int n)
{
	short elements[40] = { (short)n };

	TAFFRAIL_EVENT(app, array, TAFFRAIL_ARRAY(elements, 40));
}

__attribute__((noinline)) static void general(int n)
{
	const char *first = "first", *second = "second";

	TAFFRAIL_EVENT(app, general, n, TAFFRAIL_STR(first),
		       TAFFRAIL_STR(second));
}

/* Often enough that sub-buffers of 32K are switched. */
__attribute__((noinline)) static void large(int n)
{
	static char bytes[8192];

	bytes[n] = 1;
	TAFFRAIL_EVENT(app, large, TAFFRAIL_BYTES(bytes, sizeof(bytes)));
}

static const struct kind {
	const char *name;
	void (*hit)(int n);
	int times;
} kinds[] = {
	{ "word", word, 3 },	 { "block", block, 3 },
	{ "string", string, 3 }, { "array", array, 3 },
	{ "general", general, 3 }, { "large", large, 10 },
};

static void ready(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_trap;
	action.sa_flags = SA_SIGINFO;
	sigaction(SIGTRAP, &action, NULL);
}

/* A tracer that lets everything pass. */
static int trace(char **argv)
{
	pid_t pid = fork();
	long number = 0;	/* the first stop is for execl() */
	int status;

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl("/proc/self/exe", argv[0], NULL);
		_exit(1);
	}
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		ptrace(PTRACE_CONT, pid, NULL, (void *)number);
		number = SIGTRAP;
	}
	return !WIFEXITED(status) || WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return trace(argv);
	ready();
	main_at = main_find();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct kind *kind = &kinds[i];

		/* what is done once is done */
		kind->hit(0);
		steps = 0;
		lost = 0;
		for (int n = 0; n < kind->times; n++) {
			stepping = 1;
			__asm__ volatile("int3" : : : "memory");
			kind->hit(n);
			stepping = 0;
		}
		printf("%s: %lu instructions, %lu lost\n", kind->name, steps,
		       lost);
	}
	return 0;
}
