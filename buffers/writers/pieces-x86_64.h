/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pieces of a restartable sequence that writes an event, for x86-64.
 *
 * Registers inside a section, all of them clobbered:
 *
 *	rax, rdx  clock, then scratch	r9   head, then offset of the event
 *	rcx       ring			r10  rseq offset, then new head
 *	r8        scratch		r11  struct rings
 *
 * Operands: %[s] the slot, %[ro] the variable rseq_offset. Labels: none (no
 * ring for this CPU, or off), full, late (the header's clock bits do not
 * reach), other (the ring's last writer is another thread), again (aborted).
 *
 * The clock is read between the loads of ring and head. rdtsc waits for earlier
 * instructions, so before it stand only loads that nothing delays; the load
 * that depends on the last event's commit comes after it. On a CPU with a clock
 * read of 8 ns, rdtsc as the first instruction cost 1.6 ns more, behind the
 * load of head 1.3 ns, and behind a copied payload 4 ns. The place of the
 * reading does not change the order of events in the ring, because no other
 * thread can commit on this CPU between it and the commit.
 *
 * The kernel wants addresses in a section's rseq_cs. They are distances from
 * there until rseq_learn() adds the address: two relocations for each section
 * would take more bytes than the section.
 *
 * Facts: struct rseq and rseq_cs, <linux/rseq.h>; RSEQ_SIG is glibc's for
 * x86-64; cpu_id is at offset 4, rseq_cs at offset 8.
 */
#ifndef BUFFERS_WRITERS_PIECES_X86_64_H
#define BUFFERS_WRITERS_PIECES_X86_64_H

#include <stdbool.h>
#include <stdint.h>

#define SECTION_BEGIN                                                  \
	".pushsection taffrail_rseq_cs, \"aw\"\n\t"                       \
	".balign 32\n"                                                 \
	"7:\t.long 0, 0\n\t"                                           \
	".quad 1f - 7b, (2f - 1f), 4f - 7b\n\t"                         \
	".popsection\n\t"                                              \
	"movq %[ro], %%r10\n\t"                                        \
	"leaq 7b(%%rip), %%rax\n\t"                                    \
	"movq %%rax, %%fs:8(%%r10)\n"                                  \
	"1:\n\t"

/* A fast writer: each begins at a cache line, so the speed does not depend on
 * where the linker puts it. */
#define WRITE_ALIGNED	__attribute__((aligned(64), used))
#define WRITE_FUNCTION	static WRITE_ALIGNED void

/*
 * A table of functions by their distances from the entries: 4 bytes each, where
 * a pointer takes 8, and a relocation 24.
 */
#define NEAR_TABLE(table, dimensions, entries)                         \
	__asm__(".pushsection .rodata\n\t"                             \
		".balign 4\n"                                          \
		#table ":\n\t" entries ".popsection");                 \
	extern const int32_t table dimensions                          \
		__attribute__((visibility("hidden")))
#define NEAR(fn)	".long " fn " - .\n\t"

static inline uintptr_t near_address(const int32_t *entry)
{
	return (uintptr_t)entry + (uintptr_t)(intptr_t)*entry;
}

/*
 * The frame of the jump at label 4, for unwinders that run in the handler of a
 * signal which took a thread from a section. The frame has no bytes, and the
 * caller is where the jump leads. The jump's operand is read from the code, so
 * this description is the same for all sections, and the linker keeps one.
 *
 *	8 bytes from pc - 3; + 2^63, >> 32 -> the operand + 2^31
 *	+ pc + 5 - 2^31                    -> where it leads
 *
 * The four bytes before the operand are the signature. valgrind knows these
 * operators, and none that extends a sign.
 *
 * Facts: DWARF 5, 6.4 and 2.5; .eh_frame in the Linux Standard Base 5.0. "S",
 * as for frames of signals: the caller continues at exactly this instruction.
 */
#define SECTION_FRAME                                                  \
	".pushsection .eh_frame, \"a\", @progbits\n"                    \
	"20:\t.long 22f - 21f\n"                                        \
	"21:\t.long 0\n\t"                                              \
	".byte 1\n\t"                                                  \
	".asciz \"zRS\"\n\t"                                            \
	".byte 1, 0x78, 16, 1, 0x1b\n\t" /* pc: 4 bytes, from here */  \
	".byte 0x0c, 7, 0\n\t"	    /* def_cfa rsp + 0 */        \
	".byte 0x16, 16, 18\n\t"	    /* val_expression of rip */  \
	".byte 0x80, 0x7d, 0x06\n\t"	    /* breg16 - 3; deref */      \
	".byte 0x31, 0x08, 63, 0x24\n\t"   /* lit1; const1u 63; shl */  \
	".byte 0x22, 0x08, 32, 0x25\n\t"   /* plus; const1u 32; shr */  \
	".byte 0x80, 0x85, 0x80, 0x80, 0x80, 0x78\n\t" /* breg16 + 5 */ \
	".byte 0x22\n\t"		    /* - 2^31; plus */           \
	".balign 8\n"                                                  \
	"22:\t.long 24f - 23f\n"                                        \
	"23:\t.long 23b - 20b, 4b - ., 5\n\t"                          \
	".byte 0\n\t"                                                  \
	".balign 8\n"                                                  \
	"24:\t.popsection\n\t"

/* The commit is the last instruction before this. SECTION-RESTART: a thread
 * that is taken from a section before the commit continues at label 4, with
 * nothing committed. STORE-ORDER: other CPUs see the stores of this machine in
 * program order, so the commit needs no fence. Where it stores `head`,
 * order: RING_HEAD release */
#define SECTION_END                                                    \
	"2:\n\t"                                                       \
	".pushsection .text.rseq_abort, \"ax\"\n\t"                    \
	".byte 0x0f, 0xb9, 0x3d\n\t"                                   \
	".long 0x53053053\n"                                           \
	"4:\t.byte 0xe9\n\t"                                           \
	".long %l[again] - . - 4\n\t"                                  \
	".popsection\n\t"                                              \
	SECTION_FRAME

/* Loads clock, ring and head of this CPU; the table is at TABLE in the slot.
 * order: WRITE_SLOT acquire
 * order: RINGS_NR acquire
 * order: CPU_RING acquire */
#define SECTION_RING(TABLE)                                            \
	"movq " TABLE "(%[s]), %%r11\n\t"                              \
	"movl %%fs:4(%%r10), %%ecx\n\t"                                \
	"cmpq (%%r11), %%rcx\n\t"                                      \
	"jae %l[none]\n\t"                                             \
	"movq 64(%%r11,%%rcx,8), %%rcx\n\t"                            \
	"rdtsc\n\t"                                                    \
	"movq (%%rcx), %%r9\n\t"

/* Goes to "full" unless the new head + REACH, which the copy may touch, is in
 * the sub-buffer. After SECTION_STEP. */
#define SECTION_ROOM(REACH)                                            \
	"leal " REACH "(%%r10), %%r8d\n\t"                             \
	"xorl %%r9d, %%r8d\n\t"                                        \
	"cmpl 8(%%r11), %%r8d\n\t"                                     \
	"ja %l[full]\n\t"

#define SECTION_STEP                                                   \
	"movq 40(%[s]), %%r10\n\t"                                     \
	"addq %%r9, %%r10\n\t"

/* Makes the calling thread's token, or 0 where the channel has no records. The
 * process's half lies in the page that fork wipes. */
#define SECTION_TOKEN(reg, low)                                        \
	"movq writer_number@gottpoff(%%rip), " reg "\n\t"              \
	"movl %%fs:(" reg "), " low "\n\t"                             \
	"addq 48(%%r11), " reg "\n\t"                                  \
	"andq 56(%%r11), " reg "\n\t"

/* RING-WRITER: an event only while the ring's last record is the thread's.
 * order: RING_WRITER acquire */
#define SECTION_WRITER(reg, low)                                       \
	SECTION_TOKEN(reg, low)                                        \
	"cmpq " reg ", 24(%%rcx)\n\t"                                  \
	"jne %l[other]\n\t"

#define SECTION_CLOCK_CHECK                                            \
	"shlq $32, %%rdx\n\t"                                          \
	"orq %%rax, %%rdx\n\t"                                         \
	"cmpq 8(%%rcx), %%rdx\n\t"                                     \
	"jae %l[late]\n\t"                                             \
	SECTION_WRITER("%%rdx", "%%edx")

#define SECTION_OFFSET	"andl 16(%%r11), %%r9d\n\t"

/* Store event headers at the event's offset, r9; see buffers/ctf.h. */
#define HEADER_COMPACT                                                 \
	"shll $5, %%eax\n\t"                                           \
	"orl 24(%[s]), %%eax\n\t"                                      \
	"movl %%eax, 4096(%%rcx,%%r9)\n\t"

#define HEADER_WIDE                                                    \
	"shll $5, %%eax\n\t"                                           \
	"orl $30, %%eax\n\t"                                           \
	"movl %%eax, 4096(%%rcx,%%r9)\n\t"                             \
	"movl 24(%[s]), %%eax\n\t"                                     \
	"movw %%ax, 4096+4(%%rcx,%%r9)\n\t"

/*
 * Prefetches the ring's line some events ahead of `to`. A store that waits for
 * a cache line delays the stores of the next event, and every load of the bytes
 * that they stored. Never faults.
 */
#define SECTION_AHEAD(to)	"prefetchw 2048(" to ")\n\t"

#define SECTION_COMMIT	"movq %%r10, (%%rcx)\n"

#define SECTION_CLOBBERS                                               \
	"rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "memory", "cc"

/* Of rseq(2): glibc's signature, the length that every kernel takes, and the
 * largest length that is tried here. */
#define RSEQ_SIGNATURE	0x53053053u
#define RSEQ_BYTES	32u
#define RSEQ_BYTES_MAX	256u
#define RSEQ_UNREGISTER	1

/* Offset of glibc's struct rseq from the thread pointer, and the length with
 * which glibc registered it: the kernel demands the same to unregister it. */
extern long rseq_offset __attribute__((visibility("hidden")));
extern uint32_t rseq_bytes __attribute__((visibility("hidden")));

/* Sets both. Returns false if libc has registered nothing, or with a length
 * that is not tried here. */
bool rseq_learn(void);

#endif
