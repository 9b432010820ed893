/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The fast writers of a sequence: TAFFRAIL_BYTES and TAFFRAIL_ARRAY, alone or
 * behind at most eight fixed bytes.
 *
 * Invariant, as in fast-x86_64.c: a writer stores only into [head,
 * end of sub-buffer), reads only the elements, and gives an event that it
 * cannot write to write_hard(). The count is the low 32 bits of n, and the
 * bytes are n elements modulo 2^64: if the bytes fit into a sub-buffer, the two
 * agree.
 */
#include "base/host.h"
#include "buffers/writers/pieces-x86_64.h"
#include "buffers/writers/private.h"
#include "buffers/writers/write.h"

/*
 * At most 8 fixed bytes, then one sequence: the count and the elements.
 *
 *	r8  bytes of the elements	rdx  from	r9  to
 *
 * The elements are copied from the front. The last move ends where they end,
 * and may copy some bytes again, so nothing behind the event is touched.
 */
/* SECTION_AHEAD for the next lines of the same event. */
#define AHEAD(o, d)	"prefetchw 2048+" #o "(" d ")\n\t"

#define MOVE32_SSE(o, s, d)                                            \
	"movups " #o "(" s "), %%xmm0\n\t"                             \
	"movups 16+" #o "(" s "), %%xmm1\n\t"                          \
	"movups %%xmm0, " #o "(" d ")\n\t"                             \
	"movups %%xmm1, 16+" #o "(" d ")\n\t"
#define MOVE64_SSE(o, s, d)                                            \
	MOVE32_SSE(o, s, d) MOVE32_SSE(32+o, s, d)
#define MOVE64_AVX(o, s, d)                                            \
	"vmovdqu " #o "(" s "), %%ymm0\n\t"                            \
	"vmovdqu 32+" #o "(" s "), %%ymm1\n\t"                         \
	"vmovdqu %%ymm0, " #o "(" d ")\n\t"                            \
	"vmovdqu %%ymm1, 32+" #o "(" d ")\n\t"

/* COPY_SMALL copies 0 to 15 bytes and goes to 9. */
#define COPY_TWICE(load, size, reg)                                    \
	load " (%%rdx), " reg "\n\t"                                   \
	load " " reg ", (%%r9)\n\t"                                    \
	load " -" #size "(%%rdx,%%r8), " reg "\n\t"                    \
	load " " reg ", -" #size "(%%r9,%%r8)\n\t"
#define COPY_SMALL                                                     \
	"cmpl $8, %%r8d\n\t"                                           \
	"jae 8f\n\t"                                                   \
	"cmpl $4, %%r8d\n\t"                                           \
	"jae 6f\n\t"                                                   \
	"testl %%r8d, %%r8d\n\t"                                       \
	"jz 9f\n\t"                                                    \
	"movzbl (%%rdx), %%eax\n\t"                                    \
	"movb %%al, (%%r9)\n\t"                                        \
	"movzbl -1(%%rdx,%%r8), %%eax\n\t"                             \
	"movb %%al, -1(%%r9,%%r8)\n\t"                                 \
	"shrl %%r8d\n\t"                                               \
	"movzbl (%%rdx,%%r8), %%eax\n\t"                               \
	"movb %%al, (%%r9,%%r8)\n\t"                                   \
	"jmp 9f\n"                                                     \
	"6:\t" COPY_TWICE("movl", 4, "%%eax")                          \
	"jmp 9f\n"                                                     \
	"8:\t" COPY_TWICE("movq", 8, "%%rax")                          \
	"jmp 9f\n"

#define COPY_LARGE(MOVE64)                                             \
	"cmpl $128, %%r8d\n\t"                                         \
	"ja 12f\n\t"                                                   \
	MOVE64(0, "%%rdx", "%%r9")                                     \
	MOVE64(-64, "%%rdx,%%r8", "%%r9,%%r8")                         \
	"jmp 14f\n"                                                    \
	"12:\tcmpl $256, %%r8d\n\t"                                   \
	"ja 15f\n\t"                                                  \
	AHEAD(64, "%%r9")                                              \
	AHEAD(128, "%%r9")                                             \
	AHEAD(192, "%%r9")                                             \
	MOVE64(0, "%%rdx", "%%r9")                                     \
	MOVE64(64, "%%rdx", "%%r9")                                    \
	MOVE64(-128, "%%rdx,%%r8", "%%r9,%%r8")                        \
	MOVE64(-64, "%%rdx,%%r8", "%%r9,%%r8")                         \
	"jmp 14f\n"                                                    \
	"15:\taddq %%r8, %%rdx\n\t"                                    \
	"addq %%r8, %%r9\n\t"                                          \
	"negq %%r8\n"                                                  \
	"13:\t"                                                        \
	AHEAD(64, "%%r9,%%r8")                                         \
	AHEAD(128, "%%r9,%%r8")                                        \
	MOVE64(0, "%%rdx,%%r8", "%%r9,%%r8")                           \
	MOVE64(64, "%%rdx,%%r8", "%%r9,%%r8")                          \
	"subq $-128, %%r8\n\t"                                         \
	"cmpq $-128, %%r8\n\t"                                         \
	"jl 13b\n\t"                                                   \
	AHEAD(-64, "%%r9")                                             \
	MOVE64(-128, "%%rdx", "%%r9")                                  \
	MOVE64(-64, "%%rdx", "%%r9")                                   \
	"14:\t"

#define COPY_SEQUENCE(MOVE64, CLEAR)                                   \
	SECTION_AHEAD("%%r9")                                          \
	"cmpl $64, %%r8d\n\t"                                          \
	"jbe 11f\n\t"                                                  \
	COPY_LARGE(MOVE64) CLEAR                                       \
	"jmp 9f\n"                                                     \
	"5:\t" COPY_SMALL                                              \
	"11:\tcmpl $16, %%r8d\n\t"                                     \
	"jb 5b\n\t"                                                    \
	"cmpl $32, %%r8d\n\t"                                          \
	"jbe 3f\n\t"                                                   \
	"movups 16(%%rdx), %%xmm0\n\t"                                 \
	"movups -32(%%rdx,%%r8), %%xmm1\n\t"                           \
	"movups %%xmm0, 16(%%r9)\n\t"                                  \
	"movups %%xmm1, -32(%%r9,%%r8)\n"                              \
	"3:\tmovups (%%rdx), %%xmm0\n\t"                              \
	"movups -16(%%rdx,%%r8), %%xmm1\n\t"                           \
	"movups %%xmm0, (%%r9)\n\t"                                    \
	"movups %%xmm1, -16(%%r9,%%r8)\n"                              \
	"9:\t"

/* SIZE: r8 = bytes of the elements; too many for r8 are left to write_hard().
 * WORDS: stores the bytes before them. */
#define SIZE_BYTES                                                     \
	"movq 8(%[var]), %%r8\n\t"
#define SIZE_SHIFTED(shift)                                            \
	"imulq $1 << " #shift ", 8(%[var]), %%r8\n\t"                  \
	"jo %l[full]\n\t"
#define SIZE_ELEMENTS                                                  \
	"movq 32(%[s]), %%r8\n\t"                                      \
	"movzbl %c[element](%%r8), %%r8d\n\t"                          \
	"imulq 8(%[var]), %%r8\n\t"                                     \
	"jo %l[full]\n\t"
#define WORDS_BYTES(HB)                                                \
	"movl %%r8d, 4096+" #HB "(%%rcx,%%r9)\n\t"                     \
	"leaq 4096+4+" #HB "(%%rcx,%%r9), %%r9\n\t"
#define WORDS_COUNT(HB)                                                \
	"movl 8(%[var]), %%eax\n\t"                                    \
	"movl %%eax, 4096+" #HB "(%%rcx,%%r9)\n\t"                     \
	"leaq 4096+4+" #HB "(%%rcx,%%r9), %%r9\n\t"
#define WORDS_ELEMENTS(HB)                                             \
	"leaq 4096+" #HB "(%%rcx,%%r9), %%r9\n\t"                      \
	"movq %[v], (%%r9)\n\t"                                        \
	"movzwl 52(%[s]), %%eax\n\t"                                   \
	"movl 8(%[var]), %%edx\n\t"                                    \
	"movl %%edx, (%%r9,%%rax)\n\t"                                 \
	"leaq 4(%%r9,%%rax), %%r9\n\t"

#define SEQUENCE_WRITER(name, TABLE, HEADER, HB, kind, SIZE, WORDS,    \
			SLACK, MOVE64, CLEAR, VALUE)                   \
WRITE_FUNCTION name(struct write_slot *s, uint64_t fixed,              \
		 const struct write_var *var)                          \
{                                                                      \
	(void)fixed;                                                   \
	__asm__ goto(SECTION_BEGIN SECTION_RING(TABLE)                 \
		     SECTION_CLOCK_CHECK                               \
		     SIZE                                              \
		     "movq 40(%[s]), %%r10\n\t"                        \
		     "movl %%r9d, %%edx\n\t"                           \
		     "orl 8(%%r11), %%edx\n\t"                         \
		     "subl %%r9d, %%edx\n\t"                           \
		     "subl %%r10d, %%edx\n\t"                          \
		     "jb %l[full]\n\t"                                 \
		     SLACK                                             \
		     "cmpq %%rdx, %%r8\n\t"                            \
		     "ja %l[full]\n\t"                                 \
		     "addq %%r9, %%r10\n\t"                            \
		     "addq %%r8, %%r10\n\t"                            \
		     SECTION_OFFSET HEADER                             \
		     WORDS(HB)                                         \
		     "movq (%[var]), %%rdx\n\t"                        \
		     COPY_SEQUENCE(MOVE64, CLEAR)                      \
		     SECTION_COMMIT SECTION_END                        \
		     :                                                 \
		     : [s] "r"(s), [ro] "m"(rseq_offset),              \
		       [v] "ri"(VALUE), [var] "r"(var),                \
		       [element] "i"(offsetof(struct write_shape,      \
					      var[0].element_bytes))   \
		     : SECTION_CLOBBERS, "xmm0", "xmm1"                \
		     : none, full, late, other, again);                \
	return;                                                        \
none:                                                                  \
full:                                                                  \
late:                                                                  \
other:                                                                 \
again:                                                                 \
	write_hard(s, VALUE, var, kind);                               \
}

/* The step is one event, the header, the fixed part and the count. All eight
 * fixed bytes are stored, however many count; they may begin at the event's
 * end. */
#define SLACK_ELEMENTS                                                 \
	"subl $8, %%edx\n\t"                                           \
	"jb %l[full]\n\t"

#define SEQUENCE_WRITERS(n, MOVE64, CLEAR)                             \
	SEQUENCE_WRITER(write_bytes_##n##_compact, "8", HEADER_COMPACT, 4, \
			WRITE_COMPACT, SIZE_BYTES, WORDS_BYTES, "",    \
			MOVE64, CLEAR, 0ul)                            \
	SEQUENCE_WRITER(write_bytes_##n##_wide, "16", HEADER_WIDE, 6, \
			WRITE_WIDE, SIZE_BYTES, WORDS_BYTES, "",      \
			MOVE64, CLEAR, 0ul)                            \
	SEQUENCE_WRITER(write_array_##n##_compact, "8", HEADER_COMPACT, 4, \
			WRITE_COMPACT, SIZE_ELEMENTS, WORDS_ELEMENTS,  \
			SLACK_ELEMENTS, MOVE64, CLEAR, fixed)          \
	SEQUENCE_WRITER(write_array_##n##_wide, "16", HEADER_WIDE, 6, \
			WRITE_WIDE, SIZE_ELEMENTS, WORDS_ELEMENTS,    \
			SLACK_ELEMENTS, MOVE64, CLEAR, fixed)

/* Only a sequence, of 2, 4 or 8 bytes an element. */
#define SHIFTED_WRITERS(n, shift, MOVE64, CLEAR)                       \
	SEQUENCE_WRITER(write_shift##shift##_##n##_compact, "8",       \
			HEADER_COMPACT, 4, WRITE_COMPACT,              \
			SIZE_SHIFTED(shift), WORDS_COUNT, "", MOVE64,  \
			CLEAR, 0ul)                                    \
	SEQUENCE_WRITER(write_shift##shift##_##n##_wide, "16",        \
			HEADER_WIDE, 6, WRITE_WIDE,                  \
			SIZE_SHIFTED(shift), WORDS_COUNT, "", MOVE64,  \
			CLEAR, 0ul)

#define AVX_CLEAR	"vzeroupper\n\t"

SEQUENCE_WRITERS(sse, MOVE64_SSE, "")
SEQUENCE_WRITERS(avx, MOVE64_AVX, AVX_CLEAR)
SHIFTED_WRITERS(sse, 1, MOVE64_SSE, "")
SHIFTED_WRITERS(sse, 2, MOVE64_SSE, "")
SHIFTED_WRITERS(sse, 3, MOVE64_SSE, "")
SHIFTED_WRITERS(avx, 1, MOVE64_AVX, AVX_CLEAR)
SHIFTED_WRITERS(avx, 2, MOVE64_AVX, AVX_CLEAR)
SHIFTED_WRITERS(avx, 3, MOVE64_AVX, AVX_CLEAR)

enum sequence { BYTES, SHIFT1, SHIFT2, SHIFT3, ARRAY, SEQUENCES };

#define PAIR(n)	NEAR("write_" #n "_compact") NEAR("write_" #n "_wide")
#define SEQUENCE_ROWS(n)                                               \
	PAIR(bytes_##n) PAIR(shift1_##n) PAIR(shift2_##n)               \
	PAIR(shift3_##n) PAIR(array_##n)

/* By AVX2, the bytes so far, and the header. */
NEAR_TABLE(sequences, [2][SEQUENCES][2], SEQUENCE_ROWS(sse) SEQUENCE_ROWS(avx));

/* An element has 1, 2, 4 or 8 bytes. */
static enum sequence sequence_kind(const struct write_shape *shape)
{
	if (shape->fixed_bytes)
		return ARRAY;
	return BYTES + (enum sequence)__builtin_ctz(
			       shape->var[0].element_bytes);
}

write_fn *write_fast_sequence(const struct write_shape *shape, int header)
{
	int avx = host_avx2();
	enum sequence kind = sequence_kind(shape);

	return (write_fn *)near_address(&sequences[avx][kind][header]);
}
