/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions of a program at a fixed address, by where the instructions at their
 * entries begin. Each adds its three arguments.
 */
#include <stdio.h>

#define SUM	"leaq (%rdi,%rsi), %rax\n addq %rdx, %rax\n"
#define FUNCTION(name, entry, leave) \
	long name(long a, long b, long c); \
	__asm__(".text\n .p2align 4\n .globl " #name "\n" \
		".type " #name ", @function\n" #name ":\n" \
		".cfi_startproc\n" entry SUM leave "ret\n" \
		".cfi_endproc\n .size " #name ", . - " #name "\n" \
		".skip 16, 0x90\n")
#define PUSH(r)	"push %" r "\n .cfi_adjust_cfa_offset 8\n"
#define POP(r)	"pop %" r "\n .cfi_adjust_cfa_offset -8\n"

/* 0 5 */
FUNCTION(low_plain, "movl $1, %eax\n", "");
/* 0 2 4 6 */
FUNCTION(low_prefix, PUSH("r15") PUSH("r14") PUSH("r13"),
	 POP("r13") POP("r14") POP("r15"));
/* 0 4 5 */
FUNCTION(low_prefixes, "leaq 8(%rsi), %rax\n" PUSH("rbx"),
	 POP("rbx"));
/* 0 1 4 8 */
FUNCTION(low_push, PUSH("rbx") "movq %rdi, %rbx\n" "leaq 8(%rsi), %rax\n",
	 POP("rbx"));
/* 0 1 2 3 4 5 9 */
FUNCTION(low_pushes, PUSH("rbx") PUSH("rbp") PUSH("rbx") PUSH("rbp") PUSH("rax")
		     "leaq 8(%rsi), %rax\n",
	 POP("rax") "leaq (%rdi,%rsi), %rax\n addq %rdx, %rax\n"
	 POP("rbp") POP("rbx") POP("rbp") POP("rbx"));
/* 0 1 2 3 4 5 6: without a push */
FUNCTION(low_none, "cld\n cld\n cld\n cld\n cld\n cld\n", "");
/* 0 1 4: a branch leads behind the push */
FUNCTION(low_looped, PUSH("rbx") "1: movq %rdi, %rbx\n"
		     "cmpq $0, %rdi\n jl 1b\n", POP("rbx"));

static long (*const functions[])(long a, long b, long c) = {
	low_plain, low_prefix, low_prefixes, low_push, low_pushes, low_none,
	low_looped,
};

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 50; i++)
		for (unsigned long k = 0;
		     k < sizeof(functions) / sizeof(functions[0]); k++)
			sum += functions[k](7, 8, 9) * (long)(k + 1);
	printf("%ld\n", sum);
	return 0;
}
