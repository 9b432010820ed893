/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program whose thread stays between a trap and the agent's handler: another
 * handler of SIGTRAP comes first, and reads a line before it calls the agent's.
 *
 * It prints "ready" with the addresses. Commands: "wrap" sets that handler;
 * "call N" calls spot(), and answers with N + 7; "inside N" calls the second
 * instruction of spot(), as a thread comes there that was between both when
 * they were switched. At each trap it prints "trapped". "block" and "unblock"
 * are about SIGTRAP.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INSIDE	2	/* where the second instruction begins */

long spot(long n), other(long n);

#define FUNCTION(name)					\
	".globl " #name "\n"				\
	".type " #name ", @function\n"			\
	#name ":\n"					\
	".cfi_startproc\n"				\
	"xorl %ecx, %ecx\n"				\
	"leaq 7(%rdi), %rax\n"				\
	"ret\n"						\
	".cfi_endproc\n"				\
	".size " #name ", . - " #name "\n"

__asm__(".text\n" FUNCTION(spot) FUNCTION(other));

static char text[2000];		/* a long string */
static struct sigaction before;
static volatile long inside = INSIDE;	/* no constant: the agent reads code */

static void trapped(int signal, siginfo_t *info, void *context)
{
	char byte = 0;

	if (write(1, "trapped\n", 8) != 8)
		_exit(2);
	while (byte != '\n')
		if (read(0, &byte, 1) != 1)
			_exit(3);
	before.sa_sigaction(signal, info, context);
}

static void handler_wrap(void)
{
	struct sigaction action = { .sa_sigaction = trapped,
				    .sa_flags = SA_SIGINFO | SA_NODEFER };

	sigaction(SIGTRAP, &action, &before);
	puts("wrapped");
}

static void trap_block(int how)
{
	sigset_t trap;

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	sigprocmask(how, &trap, NULL);
	puts("done");
}

int main(void)
{
	char line[64];

	setvbuf(stdin, NULL, _IONBF, 0);
	setvbuf(stdout, NULL, _IOLBF, 0);
	memset(text, 'p', sizeof(text) - 1);
	printf("ready spot=%p other=%p text=%p\n", (void *)spot, (void *)other,
	       (void *)text);
	while (fgets(line, sizeof(line), stdin)) {
		long (*into)(long) = (long (*)(long))((char *)spot + inside);

		if (!strcmp(line, "wrap\n"))
			handler_wrap();
		else if (!strcmp(line, "block\n"))
			trap_block(SIG_BLOCK);
		else if (!strcmp(line, "unblock\n"))
			trap_block(SIG_UNBLOCK);
		else if (!strncmp(line, "call", 4))
			printf("%ld\n", spot(atol(line + strlen("call "))));
		else
			printf("%ld\n", into(atol(line + strlen("inside "))));
	}
	return (int)(spot(1) - other(1));
}
