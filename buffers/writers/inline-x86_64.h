/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sections that write a word, and a word and a string: for the functions of
 * fast-x86_64.c, and inline for callers to which a call more is dear.
 *
 * Invariant, as in fast-x86_64.c: a section stores only into [head, end of
 * sub-buffer).
 */
#ifndef BUFFERS_WRITERS_INLINE_X86_64_H
#define BUFFERS_WRITERS_INLINE_X86_64_H

#include "buffers/writers/pieces-x86_64.h"
#include "buffers/writers/write.h"

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
	"movzwl 52(%[s]), %%edx\n\t"                                   \
	STRING_COPY(P)                                                 \
	"movq 40(%[s]), %%r10\n\t"                                     \
	"addq (%%rcx), %%r10\n\t"                                      \
	"addq %%r8, %%r10\n\t"                                         \
	SECTION_COMMIT SECTION_END

/* The writers of slots in channels with the compact header (fast-x86_64.c). */
extern write_fn write_word_compact __attribute__((visibility("hidden")));
extern write_fn write_string_compact __attribute__((visibility("hidden")));

/* What these do after a section that has written nothing. `words`: see
 * write_string_inline(). SIGSAFE. */
void write_word_hard(struct write_slot *slot, uint64_t fixed);
void write_string_hard(struct write_slot *slot, const uint64_t words[2]);

/* write_word_compact(), for a slot that has this writer. SIGSAFE. */
static ALWAYS_INLINE void write_word_inline(struct write_slot *s,
					    uint64_t fixed)
{
	__asm__ goto(WORD_SECTION("8", HEADER_COMPACT, 4)
		     :
		     : [s] "r"(s), [ro] "m"(rseq_offset), [v] "r"(fixed)
		     : SECTION_CLOBBERS
		     : none, full, late, other, again);
	return;
none:
full:
late:
other:
again:
	write_word_hard(s, fixed);
}

/*
 * write_string_compact(), for a slot that has this writer. The fixed part and
 * the string's address, which is not NULL, are two words in memory: two
 * registers then live across the section, and the caller saves none. SIGSAFE.
 */
static ALWAYS_INLINE void write_string_inline(struct write_slot *s,
					      const uint64_t words[2])
{
	__asm__ goto(STRING_SECTION("8(%[w])",
				    "movq (%[w]), %%rdx\n\t"
				    "movq %%rdx, (%%r9)\n\t",
				    "8", HEADER_COMPACT, 4)
		     :
		     : [s] "r"(s), [ro] "m"(rseq_offset), [w] "r"(words)
		     : SECTION_CLOBBERS, "xmm0", "xmm1"
		     : none, full, late, other, again);
	return;
none:
full:
late:
other:
again:
	write_string_hard(s, words);
}

#endif
