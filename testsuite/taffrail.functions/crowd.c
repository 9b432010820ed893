/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions whose jumps lead to few places. The instructions of edge() begin at
 * its bytes 0, 1, 2 and 4, and a byte of the operand that is free decides on
 * which side of a page's end the place is. A jump behind the first push of
 * across() would lead across a page's end, and one behind the second does not.
 * The instructions of crowd000() to crowd199(), side by side, begin at bytes 0,
 * 1, 3 and 4: one byte is free. Each returns its argument and 1.
 */
#include <stdio.h>

#define PUSH(r)	"push %" r "\n .cfi_adjust_cfa_offset 8\n"
#define POP(r)	"pop %" r "\n .cfi_adjust_cfa_offset -8\n"
#define FUNCTION(name, entry, leave) \
	long name(long n); \
	__asm__(".globl " #name "\n .type " #name ", @function\n" \
		#name ":\n .cfi_startproc\n" entry \
		"leaq 1(%rdi), %rax\n" POP("rbx") POP("rbp") leave "ret\n" \
		".cfi_endproc\n .size " #name ", . - " #name "\n" \
		".p2align 5, 0x90\n")

__asm__(".text\n .p2align 12\n .skip 0x3f0, 0x90\n");
FUNCTION(edge, PUSH("rbp") PUSH("rbx") "movl %edi, %ebx\n leaq 8(%rsi), %rax\n",
	 "");

__asm__(".p2align 12\n .skip 0x320, 0x90\n");
FUNCTION(across, PUSH("r12") PUSH("rbp") PUSH("rbx") "movq %rdi, %rbx\n"
		 "leaq 8(%rsi), %rax\n", POP("r12"));

#define F(a, b, c) \
	FUNCTION(crowd##a##b##c, PUSH("rbp") "movl %edi, %ebp\n" PUSH("rbx") \
				 "movl $1, %eax\n", "");
#define CALL(a, b, c)	sum += crowd##a##b##c(0);
#define EACH10(f, a, b)	f(a, b, 0) f(a, b, 1) f(a, b, 2) f(a, b, 3) \
	f(a, b, 4) f(a, b, 5) f(a, b, 6) f(a, b, 7) f(a, b, 8) f(a, b, 9)
#define EACH100(f, a) \
	EACH10(f, a, 0) EACH10(f, a, 1) EACH10(f, a, 2) EACH10(f, a, 3) \
	EACH10(f, a, 4) EACH10(f, a, 5) EACH10(f, a, 6) EACH10(f, a, 7) \
	EACH10(f, a, 8) EACH10(f, a, 9)

EACH100(F, 0)
EACH100(F, 1)

int main(void)
{
	long sum = edge(0) + across(-1);

	EACH100(CALL, 0)
	EACH100(CALL, 1)
	printf("%ld\n", sum);
	return 0;
}
