/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions that a jump would harm, each in another way. "dangers CASE" prints a
 * sum of their results:
 *
 *	faults	  a handler of SIGSEGV knows an instruction by its address
 *	late	  the same; the handler comes after the function has run
 *	data	  bytes behind functions that look like padding
 *	frame	  a function whose frame is a signal's
 *	changed	  a function that the program has changed
 *
 * "dangers hits" calls one of them until input comes, and prints how often the
 * result was wrong.
 *
 * SECTION is a section of the file.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef SECTION
static const char section[] __attribute__((section(SECTION), used)) = "1";
#endif

long fetch(const long *p);
extern const char fetch_load[], fetch_failed[];
long before_data(long n), before_nops(long n), before_aligned(long n);
extern const unsigned char data_behind[8];
long bare_behind(long n);
long signal_framed(long n), changed(long n);

__asm__(".pushsection .text\n"
	".macro begin name\n"
	"	.globl \\name\n	.type \\name, @function\n\\name:\n"
	"	.cfi_startproc\n.endm\n"
	".macro end name\n"
	"	.cfi_endproc\n	.size \\name, . - \\name\n.endm\n"
	"	.balign 32\n"
	"begin fetch\n"
	".globl fetch_load, fetch_failed\n"
	"fetch_load: movq (%rdi), %rax\n"
	"	ret\n"
	"	.balign 16\n"
	"fetch_failed: movq $-1, %rax\n"
	"	ret\n"
	"end fetch\n"
	/* a table right behind */
	"	.balign 32\n"
	"begin before_data\n"
	"	movq %rdi, %rax\n"
	"	ret\n"
	"end before_data\n"
	".globl data_behind\n"
	"data_behind: .byte 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x0f, 0x0b\n"
	/* a function right behind that nothing describes */
	"	.balign 32\n"
	"	.skip 12, 0x90\n"
	"begin before_nops\n"
	"	leaq 1(%rdi), %rax\n"
	"	ret\n"
	"end before_nops\n"
	"	.balign 16\n"
	".globl bare_behind\n"
	"bare_behind: nop\n	nop\n	nop\n	nop\n	nop\n"
	"	leaq 2(%rdi), %rax\n"
	"	ret\n"
	/* padding up to a function */
	"	.balign 32\n"
	"begin before_aligned\n"
	"	leaq 3(%rdi), %rax\n"
	"	ret\n"
	"end before_aligned\n"
	"	.balign 32\n"
	"begin signal_framed\n"
	"	.cfi_signal_frame\n"
	"	leaq 4(%rdi), %rax\n"
	"	addq $1, %rax\n"
	"	ret\n"
	"end signal_framed\n"
	"	.balign 32\n"
	"begin changed\n"
	"	movl $5, %eax\n"
	"	addq %rdi, %rax\n"
	"	ret\n"
	"end changed\n"
	"	.popsection");

static void fault_handle(int signal, siginfo_t *info, void *context)
{
	greg_t *rip = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	(void)signal;
	(void)info;
	if (*rip != (greg_t)(uintptr_t)fetch_load)
		_exit(9);
	*rip = (greg_t)(uintptr_t)fetch_failed;
}

static void faults_handle(void)
{
	const struct sigaction action = { .sa_sigaction = fault_handle,
					  .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &action, NULL);
}

static int hits_count(void)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };
	const long known = before_data(5);
	long wrong = 0;
	int i;

	puts("ready");
	fflush(stdout);
	while (!poll(&input, 1, 0))
		for (i = 0; i < 1000; i++)
			wrong += before_data(5) != known;
	printf("%ld wrong\n", wrong);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const long value = 7;
	long sum = 0;
	int i;

	if (!strcmp(what, "hits"))
		return hits_count();
	if (!strcmp(what, "faults"))
		faults_handle();
	if (!strcmp(what, "changed")) {
		uint64_t page = (uint64_t)(uintptr_t)changed & ~4095ull;

		mprotect((void *)page, 4096,
			 PROT_READ | PROT_WRITE | PROT_EXEC);
		((unsigned char *)changed)[1] = 6;
		mprotect((void *)page, 4096, PROT_READ | PROT_EXEC);
	}
	puts("ready");
	fflush(stdout);
	getchar();
	for (i = 0; i < 10; i++) {
		sum += fetch(&value) + before_data(i) + before_nops(i) +
		       bare_behind(i) + before_aligned(i) + signal_framed(i) +
		       changed(i);
	}
	if (!strcmp(what, "late"))
		faults_handle();
	if (!strcmp(what, "late") || !strcmp(what, "faults"))
		sum += fetch((const long *)8);
	for (i = 0; i < 8; i++)
		sum = sum * 3 + data_behind[i];
	printf("%ld\n", sum);
	return 0;
}
