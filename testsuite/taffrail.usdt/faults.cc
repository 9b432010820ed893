/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A probe whose jump moves a load that may fault, and one whose jump does not.
 *	faults HOW [ready]
 * A load of 5 works, and then one of address 8 faults. The handler of SIGSEGV
 * compares the instruction's address with the program's own and goes on behind
 * it ("compare"), or throws ("throw"); "sysv" is "compare", installed by another
 * function of libc, "threadless" when the process can make no thread, "filter"
 * under a filter, and "dispatch" when system calls are dispatched. It is installed
 * behind two hits of both probes; with "ready" it is installed first, then there is
 * "ready", and the program waits for a byte of input. Both probes have 4 hits in
 * all. Prints "5 7".
 */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

/* A note for the nop at label 990. */
#define NOTE(name)							\
	".pushsection .note.stapsdt, \"\", \"note\"\n"			\
	".balign	4\n"						\
	".4byte	992f - 991f, 994f - 993f, 3\n"				\
	"991:	.asciz	\"stapsdt\"\n"					\
	"992:	.balign	4\n"						\
	"993:	.8byte	990b, 0, 0\n"					\
	".asciz	\"fault\"\n"						\
	".asciz	\"" name "\"\n"						\
	".asciz	\"8@%rdi\"\n"						\
	"994:	.balign	4\n"						\
	".popsection\n"

/* As the operand of a jump, the bytes behind each nop lead below address 0. */
__asm__(".text\n"
	".p2align	4, 0xcc\n"
	".globl	load\n"
	".type	load, @function\n"
	"load:\n"
	".cfi_startproc\n"
	"	movl	%esi, %eax\n"
	"990:	nop\n"
	"load_fault:\n"
	"	movl	(%rdi), %eax\n"
	"load_behind:\n"
	"	ret\n"
	".cfi_endproc\n"
	".size	load, . - load\n"
	".p2align	4, 0xcc\n"
	NOTE("load")
	".globl	safe\n"
	".type	safe, @function\n"
	"safe:\n"
	".cfi_startproc\n"
	"990:	nop\n"
	"	movl	%edi, %eax\n"
	"	ret\n"
	".cfi_endproc\n"
	".size	safe, . - safe\n"
	".p2align	4, 0xcc\n"
	NOTE("safe"));

extern "C" {
int load(const int *p, int otherwise);
int safe(int n);
extern const char load_fault[] __attribute__((visibility("hidden")));
extern const char load_behind[] __attribute__((visibility("hidden")));
}

static const char *how;

static void handle(int, siginfo_t *, void *context)
{
	greg_t *rip = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	if (!strcmp(how, "throw"))
		throw 7;
	if (*rip != (greg_t)load_fault) {
		if (write(2, "unknown fault\n", 14) != 14)
			_exit(8);
		_exit(9);
	}
	*rip = (greg_t)load_behind;
}

/* The third argument that the kernel gives every handler is there, too. */
static void handle_plain(int signal)
{
	void *context;

	__asm__("movq %%rdx, %0" : "=r"(context));
	handle(signal, nullptr, context);
}

static void install()
{
	struct sigaction action = {};

	if (!strcmp(how, "sysv")) {
		sysv_signal(SIGSEGV, handle_plain);
		return;
	}
	action.sa_sigaction = handle;
	action.sa_flags = SA_SIGINFO | SA_NODEFER;
	sigaction(SIGSEGV, &action, nullptr);
}

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH	59	/* Linux 5.11 */
#endif

/* A filter that allows all calls, or a handler of system calls that is off. */
static int confine()
{
	static char off;
	struct sock_filter allow[] = {
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { 1, allow };

	if (!strcmp(how, "dispatch"))
		return prctl(PR_SET_SYSCALL_USER_DISPATCH, 1L, 0L, 0L, &off);
	return prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) ||
	       prctl(PR_SET_SECCOMP, (long)SECCOMP_MODE_FILTER, &filter);
}

/* Root has no limit on threads. */
static int threads_forbid()
{
	const struct rlimit none = {};

	return geteuid() ? setrlimit(RLIMIT_NPROC, &none) :
			   unshare(CLONE_NEWPID);
}

static int load_or_throw(const int *p)
{
	try {
		return load(p, 7);
	} catch (int thrown) {
		return thrown;
	}
}

int main(int argc, char **argv)
{
	int five = 5;
	int seven;
	char c;

	how = argc > 1 ? argv[1] : "compare";
	if (argc > 2) {
		install();
		puts("ready");
		fflush(stdout);
		if (read(0, &c, 1) < 0)
			return 1;
	}
	for (int i = 0; i < 2; i++)
		if (load(&five, 7) != 5 || safe(i) != i)
			return 1;
	if (!strcmp(how, "threadless") && threads_forbid())
		return 1;
	if ((!strcmp(how, "filter") || !strcmp(how, "dispatch")) && confine())
		return 1;
	if (argc <= 2)
		install();
	five = load_or_throw(&five);
	seven = load_or_throw((const int *)8);
	safe(1);
	safe(2);
	printf("%d %d\n", five, seven);
	return 0;
}
