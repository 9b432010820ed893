/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A function whose jump leads to few places. The instructions of edge() begin
 * at its bytes 0, 1, 2 and 4, and a byte of the operand that is free decides on
 * which side of a page's end the place is. It returns its argument and 1.
 */
#include <stdio.h>

#define PUSH(r)	"push %" r "\n .cfi_adjust_cfa_offset 8\n"
#define POP(r)	"pop %" r "\n .cfi_adjust_cfa_offset -8\n"
#define FUNCTION(name, entry) \
	long name(long n); \
	__asm__(".globl " #name "\n .type " #name ", @function\n" \
		#name ":\n .cfi_startproc\n" entry \
		"leaq 1(%rdi), %rax\n" POP("rbx") POP("rbp") "ret\n" \
		".cfi_endproc\n .size " #name ", . - " #name "\n" \
		".p2align 5, 0x90\n")

__asm__(".text\n .p2align 12\n .skip 0x3f0, 0x90\n");
FUNCTION(edge, PUSH("rbp") PUSH("rbx") "movl %edi, %ebx\n leaq 8(%rsi), %rax\n");

int main(void)
{
	printf("%ld\n", edge(0));
	return 0;
}
