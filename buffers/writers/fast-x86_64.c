/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The fast writers: one function for each shape and header kind, with one
 * section each.
 *
 * Invariant: a fast writer stores only into [head, end of
 * sub-buffer). Behind the end may be a packet that the reader has not read.
 *
 * An event that a section cannot write goes to write_hard(). So does an event
 * for a channel that needs the general writer: a thread may have taken the
 * function before the slot changed to such a channel, and then finds a step
 * that never fits (WRITE_STEP_NONE).
 */
#include "base/host.h"
#include "buffers/writers/inline-x86_64.h"
#include "buffers/writers/private.h"
#include "buffers/writers/write.h"

/* A fixed part of at most 8 bytes, and nothing variable: the value is in a
 * register. */
#define WORD_WRITER(name, TABLE, HEADER, HB, kind)                     \
WRITE_ALIGNED void name(struct write_slot *s, uint64_t fixed,          \
		 const struct write_var *none_)                        \
{                                                                      \
	(void)none_;                                                   \
	__asm__ goto(WORD_SECTION(TABLE, HEADER, HB)                   \
		     :                                                 \
		     : [s] "r"(s), [ro] "m"(rseq_offset),              \
		       [v] "r"(fixed)                                  \
		     : SECTION_CLOBBERS                                \
		     : none, full, late, other, again);                \
	return;                                                        \
none:                                                                  \
full:                                                                  \
late:                                                                  \
other:                                                                 \
again:                                                                 \
	write_hard(s, fixed, NULL, kind);                               \
}

WORD_WRITER(write_word_compact, "8", HEADER_COMPACT, 4, WRITE_COMPACT)
static write_fn write_word_wide;
WORD_WRITER(write_word_wide, "16", HEADER_WIDE, 6, WRITE_WIDE)

/* A block of up to 256 bytes: whole vectors from the front, then a vector that
 * ends where the block ends, and may copy some bytes again. */
#define SSE(o)                                                         \
	"movups " #o "(%[p]), %%xmm0\n\t"                              \
	"movups %%xmm0, " #o "(%%r8)\n\t"
#define AVX(o)                                                         \
	"vmovdqu " #o "(%[p]), %%ymm0\n\t"                             \
	"vmovdqu %%ymm0, " #o "(%%r8)\n\t"
#define LAST_QUAD                                                      \
	"movq (%[p]), %%rdx\n\t"                                       \
	"movq %%rdx, (%%r8)\n\t"                                       \
	"movzwl 52(%[s]), %%eax\n\t"                                   \
	"movq -8(%[p],%%rax), %%rdx\n\t"                               \
	"movq %%rdx, -8(%%r8,%%rax)\n\t"
#define LAST_SSE                                                       \
	"movzwl 52(%[s]), %%eax\n\t"                                   \
	"movups -16(%[p],%%rax), %%xmm0\n\t"                           \
	"movups %%xmm0, -16(%%r8,%%rax)\n\t"
#define LAST_AVX                                                       \
	"movzwl 52(%[s]), %%eax\n\t"                                   \
	"vmovdqu -32(%[p],%%rax), %%ymm0\n\t"                          \
	"vmovdqu %%ymm0, -32(%%r8,%%rax)\n\t"
#define NO_END
#define AVX_END	__asm__ volatile("vzeroupper" : : : "memory")

#define BLOCK_WRITER(name, TABLE, HEADER, HB, kind, COPY, END)         \
WRITE_FUNCTION name(struct write_slot *s, uint64_t fixed,              \
		 const struct write_var *none_)                        \
{                                                                      \
	(void)none_;                                                   \
	__asm__ goto(SECTION_BEGIN SECTION_RING(TABLE)                 \
		     SECTION_STEP                                      \
		     "movl %%r10d, %%r8d\n\t"                          \
		     "xorl %%r9d, %%r8d\n\t"                           \
		     "cmpl 8(%%r11), %%r8d\n\t"                        \
		     "ja %l[full]\n\t"                                 \
		     SECTION_CLOCK_CHECK SECTION_OFFSET HEADER         \
		     "leaq 4096+" #HB "(%%rcx,%%r9), %%r8\n\t"         \
		     SECTION_AHEAD("%%r8")                             \
		     COPY SECTION_COMMIT SECTION_END                   \
		     :                                                 \
		     : [s] "r"(s), [ro] "m"(rseq_offset),              \
		       [p] "r"(fixed)                                  \
		     : SECTION_CLOBBERS, "xmm0"                        \
		     : none, full, late, other, again);                \
	END;                                                           \
	return;                                                        \
none:                                                                  \
full:                                                                  \
late:                                                                  \
other:                                                                 \
again:                                                                 \
	write_hard(s, fixed, NULL, kind);                               \
}

#define BLOCK_WRITERS(n, COPY, END)                                    \
	BLOCK_WRITER(write_##n##_compact, "8", HEADER_COMPACT, 4,      \
		     WRITE_COMPACT, COPY, END)                         \
	BLOCK_WRITER(write_##n##_wide, "16", HEADER_WIDE, 6,         \
		     WRITE_WIDE, COPY, END)

#define SSE1	SSE(0)
#define SSE2	SSE1 SSE(16)
#define SSE3	SSE2 SSE(32)
#define SSE4	SSE3 SSE(48)
#define SSE5	SSE4 SSE(64)
#define SSE6	SSE5 SSE(80)
#define SSE7	SSE6 SSE(96)
#define SSE8	SSE7 SSE(112)
#define SSE9	SSE8 SSE(128)
#define SSE10	SSE9 SSE(144)
#define SSE11	SSE10 SSE(160)
#define SSE12	SSE11 SSE(176)
#define SSE13	SSE12 SSE(192)
#define SSE14	SSE13 SSE(208)
#define SSE15	SSE14 SSE(224)
#define AVX2	AVX(0) AVX(32)
#define AVX3	AVX2 AVX(64)
#define AVX4	AVX3 AVX(96)
#define AVX5	AVX4 AVX(128)
#define AVX6	AVX5 AVX(160)
#define AVX7	AVX6 AVX(192)

BLOCK_WRITERS(quad, LAST_QUAD, NO_END)
BLOCK_WRITERS(sse1, SSE1 LAST_SSE, NO_END)
BLOCK_WRITERS(sse2, SSE2 LAST_SSE, NO_END)
BLOCK_WRITERS(sse3, SSE3 LAST_SSE, NO_END)
BLOCK_WRITERS(sse4, SSE4 LAST_SSE, NO_END)
BLOCK_WRITERS(sse5, SSE5 LAST_SSE, NO_END)
BLOCK_WRITERS(sse6, SSE6 LAST_SSE, NO_END)
BLOCK_WRITERS(sse7, SSE7 LAST_SSE, NO_END)
BLOCK_WRITERS(sse8, SSE8 LAST_SSE, NO_END)
BLOCK_WRITERS(sse9, SSE9 LAST_SSE, NO_END)
BLOCK_WRITERS(sse10, SSE10 LAST_SSE, NO_END)
BLOCK_WRITERS(sse11, SSE11 LAST_SSE, NO_END)
BLOCK_WRITERS(sse12, SSE12 LAST_SSE, NO_END)
BLOCK_WRITERS(sse13, SSE13 LAST_SSE, NO_END)
BLOCK_WRITERS(sse14, SSE14 LAST_SSE, NO_END)
BLOCK_WRITERS(sse15, SSE15 LAST_SSE, NO_END)
BLOCK_WRITERS(avx2, AVX2 LAST_AVX, AVX_END)
BLOCK_WRITERS(avx3, AVX3 LAST_AVX, AVX_END)
BLOCK_WRITERS(avx4, AVX4 LAST_AVX, AVX_END)
BLOCK_WRITERS(avx5, AVX5 LAST_AVX, AVX_END)
BLOCK_WRITERS(avx6, AVX6 LAST_AVX, AVX_END)
BLOCK_WRITERS(avx7, AVX7 LAST_AVX, AVX_END)

/* Up to 8 fixed bytes, then one string. */
#define STRING_WRITER(name, TABLE, HEADER, HB, kind)                   \
WRITE_ALIGNED void name(struct write_slot *s, uint64_t fixed,          \
		 const struct write_var *var)                          \
{                                                                      \
	__asm__ goto(STRING_SECTION("(%[var])",                        \
				    "movq %[v], (%%r9)\n\t",           \
				    TABLE, HEADER, HB)                 \
		     :                                                 \
		     : [s] "r"(s), [ro] "m"(rseq_offset),              \
		       [v] "r"(fixed), [var] "r"(var)                  \
		     : SECTION_CLOBBERS, "xmm0", "xmm1"                \
		     : none, full, late, other, again);                \
	return;                                                        \
none:                                                                  \
full:                                                                  \
late:                                                                  \
other:                                                                 \
again:                                                                 \
	write_hard(s, fixed, var, kind);                               \
}

/* The step is one event and the header; the writer adds the copied bytes. */
STRING_WRITER(write_string_compact, "8", HEADER_COMPACT, 4, WRITE_COMPACT)
static write_fn write_string_wide;
STRING_WRITER(write_string_wide, "16", HEADER_WIDE, 6, WRITE_WIDE)

COLD SIGSAFE void write_word_hard(struct write_slot *slot, uint64_t fixed)
{
	write_hard(slot, fixed, NULL, WRITE_COMPACT);
}

COLD SIGSAFE void write_string_hard(struct write_slot *slot,
				    const uint64_t words[2])
{
	const struct write_var var = { (const void *)words[1], WRITE_STRING };

	write_hard(slot, words[0], &var, WRITE_COMPACT);
}

#define PAIR(n)	NEAR("write_" #n "_compact") NEAR("write_" #n "_wide")

NEAR_TABLE(words, [2], PAIR(word));
NEAR_TABLE(strings, [2], PAIR(string));

/* By (bytes - 1) / 16 of a block; the first row is for 9 to 16 bytes. */
NEAR_TABLE(blocks_sse, [16][2],
	   PAIR(quad) PAIR(sse1) PAIR(sse2) PAIR(sse3) PAIR(sse4)
	   PAIR(sse5) PAIR(sse6) PAIR(sse7) PAIR(sse8) PAIR(sse9)
	   PAIR(sse10) PAIR(sse11) PAIR(sse12) PAIR(sse13) PAIR(sse14)
	   PAIR(sse15));

/* By (bytes - 1) / 32, from 2 on. */
NEAR_TABLE(blocks_avx, [6][2],
	   PAIR(avx2) PAIR(avx3) PAIR(avx4) PAIR(avx5) PAIR(avx6) PAIR(avx7));

write_fn *write_fast_word(int header)
{
	return (write_fn *)near_address(&words[header]);
}

write_fn *write_fast_string(int header)
{
	return (write_fn *)near_address(&strings[header]);
}

write_fn *write_fast_block(const struct write_shape *shape, int header)
{
	uint32_t bytes = shape->fixed_bytes;
	const int32_t *entry;

	if (bytes > 64 && !shape->narrow && host_avx2())
		entry = &blocks_avx[(bytes - 1) / 32 - 2][header];
	else
		entry = &blocks_sse[(bytes - 1) / 16][header];
	return (write_fn *)near_address(entry);
}
