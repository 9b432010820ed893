/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sections that write a word, and a word and a string.
 *
 * Invariant, as in fast-x86_64.c: a section stores only into [head, end of
 * sub-buffer).
 */
#ifndef BUFFERS_WRITERS_INLINE_X86_64_H
#define BUFFERS_WRITERS_INLINE_X86_64_H

#include "buffers/writers/pieces-x86_64.h"

/* A fixed part of at most 8 bytes. All eight bytes are stored, however many
 * count; they may begin at the event's end. */
#define WORD_SECTION(TABLE, HEADER, HB)                                \
	SECTION_BEGIN SECTION_RING(TABLE)                              \
	SECTION_STEP SECTION_ROOM("8")                                 \
	SECTION_CLOCK_CHECK SECTION_OFFSET HEADER                      \
	"movq %[v], 4096+" #HB "(%%rcx,%%r9)\n\t"                      \
	SECTION_COMMIT SECTION_END

/*
 * Up to 8 fixed bytes, which V stores at r9, then the string whose address is
 * at P. Its length is found while it is copied, 16 bytes at a time and never
 * across a page. The first 16 are loaded and searched before the clock is read,
 * since they do not depend on it: r8 has a bit for each NUL. A string that
 * begins near the end of a page goes to the general writer.
 */
#define STRING_FIRST(P)                                                \
	"movq " P ", %%r9\n\t"                                         \
	"movl %%r9d, %%r8d\n\t"                                        \
	"andl $4095, %%r8d\n\t"                                        \
	"cmpl $4080, %%r8d\n\t"                                        \
	"ja %l[full]\n\t"                                              \
	"movups (%%r9), %%xmm0\n\t"                                    \
	"pxor %%xmm1, %%xmm1\n\t"                                      \
	"pcmpeqb %%xmm0, %%xmm1\n\t"                                   \
	"pmovmskb %%xmm1, %%r8d\n\t"

/* The bytes after the first 16: rdx from, r8 to; r10 is the last address to
 * which 16 bytes may be copied. */
#define STRING_ON(P)                                                   \
	"leaq 8(%%r9,%%r10), %%r10\n\t"                                \
	"leaq (%%r9,%%rdx), %%r8\n\t"                                  \
	"movq " P ", %%rdx\n\t"                                        \
	"pxor %%xmm1, %%xmm1\n"                                        \
	"3:\taddq $16, %%rdx\n\t"                                      \
	"addq $16, %%r8\n\t"                                           \
	"5:\tcmpq %%r10, %%r8\n\t"                                     \
	"ja %l[full]\n\t"                                              \
	"movl %%edx, %%eax\n\t"                                        \
	"andl $4095, %%eax\n\t"                                        \
	"cmpl $4080, %%eax\n\t"                                        \
	"ja 6f\n\t"                                                    \
	"movups (%%rdx), %%xmm0\n\t"                                   \
	"movups %%xmm0, (%%r8)\n\t"                                    \
	"pcmpeqb %%xmm1, %%xmm0\n\t"                                   \
	"pmovmskb %%xmm0, %%eax\n\t"                                   \
	"bsfl %%eax, %%eax\n\t"                                        \
	"jz 3b\n\t"                                                    \
	"leaq 1(%%r8,%%rax), %%r8\n\t"                                 \
	"jmp 8f\n"                                                     \
	"6:\tmovzbl (%%rdx), %%eax\n\t"                                \
	"movb %%al, (%%r8)\n\t"                                        \
	"incq %%rdx\n\t"                                               \
	"incq %%r8\n\t"                                                \
	"testl %%eax, %%eax\n\t"                                       \
	"jnz 5b\n"                                                     \
	"8:\tsubq %%r9, %%r8\n"

/* Copies to r9, behind rdx bytes of the fixed part. Sets r8 to all bytes. */
#define STRING_COPY(P)                                                 \
	"movups %%xmm0, (%%r9,%%rdx)\n\t"                              \
	"bsfl %%r8d, %%eax\n\t"                                        \
	"leaq 1(%%rdx,%%rax), %%r8\n\t"                                \
	"jnz 9f\n\t"                                                   \
	STRING_ON(P)                                                   \
	"9:\t"

#define STRING_SECTION(P, V, TABLE, HEADER, HB)                        \
	SECTION_BEGIN STRING_FIRST(P)                                  \
	SECTION_RING(TABLE)                                            \
	"movl %%r9d, %%r10d\n\t"                                       \
	"orl 8(%%r11), %%r10d\n\t"                                     \
	"subl %%r9d, %%r10d\n\t"                                       \
	"subl 40(%[s]), %%r10d\n\t"                                    \
	"subl $8+16, %%r10d\n\t"                                       \
	"jl %l[full]\n\t"                                              \
	SECTION_CLOCK_CHECK SECTION_OFFSET HEADER                      \
	"leaq 4096+" #HB "(%%rcx,%%r9), %%r9\n\t"                      \
	V                                                              \
	"movl 52(%[s]), %%edx\n\t"                                     \
	STRING_COPY(P)                                                 \
	"movq 40(%[s]), %%r10\n\t"                                     \
	"addq (%%rcx), %%r10\n\t"                                      \
	"addq %%r8, %%r10\n\t"                                         \
	SECTION_COMMIT SECTION_END

#endif
