/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tells valgrind that code has changed. valgrind executes translations of code,
 * and looks for changes only in code that comes from no file: without this, it
 * would execute the old code of a translated site.
 *
 * This is a client request (valgrind's manual, "The Client Request mechanism";
 * the sequence and the numbers are those of valgrind.h 3.19): rotations that
 * leave rdi unchanged, and an instruction without effect. On a processor the
 * sequence does nothing; valgrind reads the request that rax points to.
 */
#ifndef TRACEPOINTS_PROGRAM_TRANSLATED_X86_64_H
#define TRACEPOINTS_PROGRAM_TRANSLATED_X86_64_H

#include <stdbool.h>
#include <stdint.h>

#define REQUEST_RUNNING_ON		0x1001
#define REQUEST_DISCARD_TRANSLATIONS	0x1002
#define REQUEST_WORDS			6

/* Makes a client request. Returns valgrind's answer, 0 on a processor. */
static inline uint64_t translated_request(const uint64_t request[REQUEST_WORDS])
{
	uint64_t result = 0;

	__asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "+d"(result)
			 : "a"(request)
			 : "cc", "memory");
	return result;
}

/* Returns true when valgrind runs the caller. SIGSAFE */
static inline bool translated_here(void)
{
	const uint64_t request[REQUEST_WORDS] = { REQUEST_RUNNING_ON };

	return translated_request(request) != 0;
}

/* Makes valgrind translate `n` bytes at `code` again. SIGSAFE */
static inline void translated_anew(const uint8_t *code, uint64_t n)
{
	const uint64_t request[REQUEST_WORDS] = {
		REQUEST_DISCARD_TRANSLATIONS, (uint64_t)code, n
	};

	translated_request(request);
}

#endif
