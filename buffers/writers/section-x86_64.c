/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sections that are not on the fast path: the general event, the writer
 * record, the switch of sub-buffers, the count of losses. Each commits by one
 * store.
 *
 * Invariant: a section stores only values that depend on its own loads, and on
 * the caller's memory. The store to ts_limit, which follows a commit, is a
 * section too, and finds the ring again: a handler may have forked in between,
 * and the child has no mapping of the ring. A stale, lower ts_limit costs one
 * extended header.
 */
#include "buffers/ctf.h"
#include "buffers/writers/pieces-x86_64.h"
#include "buffers/writers/private.h"

/* When and where a section wrote a full timestamp. */
struct stamp {
	uint64_t clock;
	uint64_t ring;
};

/*
 * The general event. After the header:
 *	r11 start of the event	rdi where to copy to	r8 last byte usable
 *	r9  next part		r10 parts left		rcx ring
 */
#define GENERAL_BODY                                                   \
	"leaq 4096(%%rcx,%%r9), %%r11\n\t"                             \
	"leaq (%%r11,%%r8), %%r8\n\t"                                  \
	HEADER_STORE                                                   \
	"movq %[parts], %%r9\n\t"                                      \
	"movl %[nparts], %%r10d\n\t"                                   \
	"pxor %%xmm1, %%xmm1\n\t"                                      \
	"jmp 13f\n"                                                    \
	/* one part */                                                 \
	"11:\tmovq (%%r9), %%rsi\n\t"                                  \
	"movq 8(%%r9), %%rdx\n\t"                                      \
	"cmpq $-1, %%rdx\n\t"                                          \
	"je 5f\n\t"                                                    \
	/* bytes: 16 at a time, then 8, 4, 2, 1 */                     \
	"leaq (%%rdi,%%rdx), %%rax\n\t"                                \
	"cmpq %%r8, %%rax\n\t"                                         \
	"ja %l[full]\n\t"                                              \
	"subq $16, %%rdx\n\t"                                          \
	"jb 15f\n"                                                     \
	"14:\tmovups (%%rsi), %%xmm0\n\t"                              \
	"movups %%xmm0, (%%rdi)\n\t"                                   \
	"addq $16, %%rsi\n\t"                                          \
	"addq $16, %%rdi\n\t"                                          \
	"subq $16, %%rdx\n\t"                                          \
	"jae 14b\n"                                                    \
	"15:\ttestb $8, %%dl\n\t"                                      \
	"jz 16f\n\t"                                                   \
	"movq (%%rsi), %%rax\n\t"                                      \
	"movq %%rax, (%%rdi)\n\t"                                      \
	"addq $8, %%rsi\n\t"                                           \
	"addq $8, %%rdi\n"                                             \
	"16:\ttestb $4, %%dl\n\t"                                      \
	"jz 17f\n\t"                                                   \
	"movl (%%rsi), %%eax\n\t"                                      \
	"movl %%eax, (%%rdi)\n\t"                                      \
	"addq $4, %%rsi\n\t"                                           \
	"addq $4, %%rdi\n"                                             \
	"17:\ttestb $2, %%dl\n\t"                                      \
	"jz 18f\n\t"                                                   \
	"movzwl (%%rsi), %%eax\n\t"                                    \
	"movw %%ax, (%%rdi)\n\t"                                       \
	"addq $2, %%rsi\n\t"                                           \
	"addq $2, %%rdi\n"                                             \
	"18:\ttestb $1, %%dl\n\t"                                      \
	"jz 12f\n\t"                                                   \
	"movzbl (%%rsi), %%eax\n\t"                                    \
	"movb %%al, (%%rdi)\n\t"                                       \
	"incq %%rdi\n\t"                                               \
	"jmp 12f\n"                                                    \
	/* a string: 16 at a time where neither page nor room ends */  \
	"5:\tleaq 16(%%rdi), %%rax\n\t"                                \
	"cmpq %%r8, %%rax\n\t"                                         \
	"ja 6f\n\t"                                                    \
	"movl %%esi, %%eax\n\t"                                        \
	"andl $4095, %%eax\n\t"                                        \
	"cmpl $4080, %%eax\n\t"                                        \
	"ja 6f\n\t"                                                    \
	"movups (%%rsi), %%xmm0\n\t"                                   \
	"movups %%xmm0, (%%rdi)\n\t"                                   \
	"pcmpeqb %%xmm1, %%xmm0\n\t"                                   \
	"pmovmskb %%xmm0, %%eax\n\t"                                   \
	"testl %%eax, %%eax\n\t"                                       \
	"jnz 8f\n\t"                                                   \
	"addq $16, %%rsi\n\t"                                          \
	"addq $16, %%rdi\n\t"                                          \
	"jmp 5b\n"                                                     \
	"6:\tcmpq %%r8, %%rdi\n\t"                                     \
	"jae %l[full]\n\t"                                             \
	"movzbl (%%rsi), %%eax\n\t"                                    \
	"movb %%al, (%%rdi)\n\t"                                       \
	"incq %%rsi\n\t"                                               \
	"incq %%rdi\n\t"                                               \
	"testl %%eax, %%eax\n\t"                                       \
	"jnz 5b\n\t"                                                   \
	"jmp 12f\n"                                                    \
	"8:\tbsfl %%eax, %%eax\n\t"                                    \
	"leaq 1(%%rdi,%%rax), %%rdi\n"                                 \
	"12:\taddq $16, %%r9\n\t"                                      \
	"decl %%r10d\n"                                                \
	"13:\ttestl %%r10d, %%r10d\n\t"                                \
	"jnz 11b\n\t"                                                  \
	"subq %%r11, %%rdi\n\t"                                        \
	"movabsq $0x100000000, %%r10\n\t"                              \
	"addq %%rdi, %%r10\n\t"                                        \
	"addq (%%rcx), %%r10\n\t"

/* r8 = bytes from head to the last one of the sub-buffer; HB must fit. */
#define GENERAL_ROOM(HB)                                               \
	"movl %%r9d, %%r8d\n\t"                                        \
	"orl 8(%%r11), %%r8d\n\t"                                      \
	"subl %%r9d, %%r8d\n\t"                                        \
	"cmpl $" #HB ", %%r8d\n\t"                                     \
	"jb %l[full]\n\t"

#define SHORT_COMPACT                                                  \
	"movl 24(%[s]), %%edx\n\t"                                     \
	"cmpl $30, %%edx\n\t"                                          \
	"jae %l[late]\n\t"                                             \
	"shll $5, %%eax\n\t"                                           \
	"orl %%edx, %%eax\n\t"                                         \
	"movl %%eax, (%%r11)\n\t"                                      \
	"leaq 4(%%r11), %%rdi\n\t"
#define SHORT_WIDE                                                     \
	"movl 24(%[s]), %%edx\n\t"                                     \
	"cmpl $65536, %%edx\n\t"                                       \
	"jae %l[late]\n\t"                                             \
	"shll $5, %%eax\n\t"                                           \
	"orl $30, %%eax\n\t"                                           \
	"movl %%eax, (%%r11)\n\t"                                      \
	"movw %%dx, 4(%%r11)\n\t"                                      \
	"leaq 6(%%r11), %%rdi\n\t"
#define LONG_HEADER                                                    \
	"movb $31, (%%r11)\n\t"                                        \
	"movl 24(%[s]), %%eax\n\t"                                        \
	"movl %%eax, 1(%%r11)\n\t"                                     \
	"movq %%rdx, 5(%%r11)\n\t"                                     \
	"leaq 13(%%r11), %%rdi\n\t"
#define CLOCK_WHOLE                                                    \
	"shlq $32, %%rdx\n\t"                                          \
	"orq %%rax, %%rdx\n\t"                                         \
	"movq %%rdx, %[stamp]\n\t"                                     \
	"movq %%rcx, %[place]\n\t"                                     \
	SECTION_WRITER("%%rdi", "%%edi")

#define GENERAL_SECTION(name, TABLE, HB, CLOCK)                        \
static enum write_verdict name(const struct write_slot *s,             \
			       const struct write_event *event,        \
			       struct stamp *stamp)                    \
{                                                                      \
	__asm__ goto(SECTION_BEGIN SECTION_RING(TABLE)                 \
		     "cmpq %[generation], 32(%%r11)\n\t"               \
		     "jne %l[again]\n\t"                               \
		     GENERAL_ROOM(HB) CLOCK SECTION_OFFSET             \
		     GENERAL_BODY SECTION_COMMIT SECTION_END           \
		     :                                                 \
		     : [s] "r"(s), [ro] "m"(rseq_offset),              \
		       [parts] "r"(event->parts),                      \
		       [nparts] "m"(event->nparts),                    \
		       [generation] "r"(event->generation),            \
		       [stamp] "m"(stamp->clock),                      \
		       [place] "m"(stamp->ring)                        \
		     : SECTION_CLOBBERS, "rsi", "rdi", "xmm0", "xmm1"  \
		     : none, full, late, other, again);                \
	return WRITE_DONE;                                             \
none:                                                                  \
	return WRITE_NONE;                                             \
full:                                                                  \
	return WRITE_FULL;                                             \
late:                                                                  \
	return WRITE_LATE;                                             \
other:                                                                 \
	return WRITE_OTHER;                                            \
again:                                                                 \
	return WRITE_AGAIN;                                            \
}

#define HEADER_STORE SHORT_COMPACT
GENERAL_SECTION(section_compact, "8", 4, SECTION_CLOCK_CHECK)
#undef HEADER_STORE
#define HEADER_STORE SHORT_WIDE
GENERAL_SECTION(section_wide, "16", 6, SECTION_CLOCK_CHECK)
#undef HEADER_STORE
#define HEADER_STORE LONG_HEADER
GENERAL_SECTION(section_compact_ext, "8", 13, CLOCK_WHOLE)
GENERAL_SECTION(section_wide_ext, "16", 13, CLOCK_WHOLE)

/* The table of a slot by header kind, as an index register. SECTION-RING: each
 * section finds the ring anew, since the thread may have been moved. */
#define SECTION_TABLE                                                  \
	"movq 8(%[s],%[header],8), %%r11\n\t"                          \
	"movl %%fs:4(%%r10), %%ecx\n\t"                                \
	"cmpq (%%r11), %%rcx\n\t"                                      \
	"jae %l[none]\n\t"                                             \
	"movq 64(%%r11,%%rcx,8), %%rcx\n\t"

/* ring_absent has a ts_limit of 0, and nothing but it has. */
#define SECTION_PRESENT                                                \
	"cmpq $0, 8(%%rcx)\n\t"                                        \
	"je %l[none]\n\t"

/*
 * After a full timestamp, short headers reach 2^bits further in that ring. In
 * another ring the last event may be older. A store that comes late writes a
 * lower value, which does no harm.
 */
static void limit_raise(const struct write_slot *s, uint64_t header,
			const struct stamp *stamp)
{
	__asm__ goto(SECTION_BEGIN SECTION_TABLE SECTION_PRESENT
		     "cmpq %[ring], %%rcx\n\t"
		     "jne %l[none]\n\t"
		     "movq %[limit], 8(%%rcx)\n" SECTION_END
		     :
		     : [s] "r"(s), [ro] "m"(rseq_offset),
		       [header] "r"(header), [ring] "r"(stamp->ring),
		       [limit] "r"(stamp->clock +
				   (1ull << CTF_COMPACT_CLOCK_BITS))
		     : SECTION_CLOBBERS
		     : none, again);
none:
again:
	return;
}

enum write_verdict section_write(const struct write_slot *slot, int header,
				 int extended, const struct write_event *event)
{
	enum write_verdict verdict;
	struct stamp stamp = { 0 };

	if (!extended)
		return header == WRITE_WIDE ?
			       section_wide(slot, event, &stamp) :
			       section_compact(slot, event, &stamp);
	verdict = header == WRITE_WIDE ?
			  section_wide_ext(slot, event, &stamp) :
			  section_compact_ext(slot, event, &stamp);
	if (verdict == WRITE_DONE)
		limit_raise(slot, (uint64_t)header, &stamp);
	return verdict;
}

/* Makes rsi the number of writer records below head, as ring_records() does. */
#define RECORDS_BELOW                                                  \
	"movq 32(%%rcx), %%rsi\n\t"                                    \
	"movl %%esi, %%edx\n\t"                                        \
	"subl (%%rcx), %%edx\n\t"                                      \
	"shrq $32, %%rsi\n\t"                                          \
	"cmpl $1, %%edx\n\t"                                           \
	"setge %%dl\n\t"                                               \
	"movzbl %%dl, %%edx\n\t"                                       \
	"subl %%edx, %%esi\n\t"

/*
 * A writer record (docs/writers.md). Its header is short if the clock allows
 * that: the flags are of the comparison with ts_limit.
 *
 *	rax clock	r8 token	r9  head, then scratch
 *	rdi record	rsi records	r10 new head
 */
#define RECORD_HEADER                                                  \
	"jae 3f\n\t"                                                   \
	"addq $6+12, %%r10\n\t"                                        \
	"shll $5, %%eax\n\t"                                           \
	"orl $30, %%eax\n\t"                                           \
	"movl %%eax, (%%rdi)\n\t"                                      \
	"movw $30, 4(%%rdi)\n\t"                                       \
	"addq $6, %%rdi\n\t"                                           \
	"jmp 5f\n"                                                     \
	"3:\taddq $13+12, %%r10\n\t"                                   \
	"movb $31, (%%rdi)\n\t"                                        \
	"movl $30, 1(%%rdi)\n\t"                                       \
	"movq %%rax, 5(%%rdi)\n\t"                                     \
	"addq $13, %%rdi\n\t"

_Static_assert(CTF_COMPACT_ID_WIDE == 30 && WRITER_ID == 30, "asm");
_Static_assert(sizeof(struct writer_record) == 12, "asm");
_Static_assert(WRITER_BYTES_MAX == CTF_COMPACT_EXT_BYTES + 12, "asm");

/* The room is compared as in SWITCH_BODY, with the event behind the record. */
static enum write_verdict record_write(const struct write_slot *s,
				       const struct writer *writer,
				       uint64_t header, uint32_t need,
				       struct stamp *stamp)
{
	__asm__ goto(SECTION_BEGIN SECTION_TABLE SECTION_PRESENT
		     "movq %[generation], %%rax\n\t"
		     "cmpq %%rax, 32(%%r11)\n\t"
		     "jne %l[again]\n\t"
		     /* the content is of this thread and process */
		     SECTION_TOKEN("%%r8", "%%r8d")
		     "cmpq %[token], %%r8\n\t"
		     "jne %l[again]\n\t"
		     "cmpq %%r8, 24(%%rcx)\n\t"
		     "je %l[mine]\n\t"
		     "rdtsc\n\t"
		     "shlq $32, %%rdx\n\t"
		     "orq %%rdx, %%rax\n\t"
		     "movq (%%rcx), %%r9\n\t"
		     "movl %[need], %%edx\n\t"
		     "addl %%r9d, %%edx\n\t"
		     "xorl %%r9d, %%edx\n\t"
		     "cmpl 8(%%r11), %%edx\n\t"
		     "ja %l[full]\n\t"
		     "movq %%r9, %%r10\n\t"
		     SECTION_OFFSET
		     "leaq 4096(%%rcx,%%r9), %%rdi\n\t"
		     /* RING-WRITER, 1: the word is cleared */
		     "movq $0, 24(%%rcx)\n\t"
		     "xorl %%edx, %%edx\n\t"
		     "cmpq 8(%%rcx), %%rax\n\t"
		     "cmovaeq %%rax, %%rdx\n\t"
		     "movq %%rdx, %[stamp]\n\t"
		     "movq %%rcx, %[place]\n\t"
		     RECORD_HEADER
		     "5:\tmovq %[vpid], %%rdx\n\t"
		     "movq %%rdx, (%%rdi)\n\t"
		     "movl %[process], %%edx\n\t"
		     "movl %%edx, 8(%%rdi)\n\t"
		     RECORDS_BELOW
		     "incl %%esi\n\t"
		     "shlq $32, %%rsi\n\t"
		     "movl %%r10d, %%edx\n\t"
		     "orq %%rdx, %%rsi\n\t"
		     "movq %%rsi, 32(%%rcx)\n\t"
		     /* 3: head moves over the record, 4: the word;
		      * order: RING_HEAD release
		      * order: RING_WRITER release */
		     "movq %%r10, (%%rcx)\n\t"
		     "movq %%r8, 24(%%rcx)\n" SECTION_END
		     :
		     : [s] "r"(s), [ro] "m"(rseq_offset),
		       [header] "r"(header), [need] "m"(need),
		       [generation] "m"(writer->generation),
		       [token] "m"(writer->token),
		       [vpid] "m"(writer->record.vpid),
		       [process] "m"(writer->record.process),
		       [stamp] "m"(stamp->clock),
		       [place] "m"(stamp->ring)
		     : SECTION_CLOBBERS, "rsi", "rdi"
		     : none, full, mine, again);
mine:
	return WRITE_FITS;
none:
	return WRITE_NONE;
full:
	return WRITE_FULL;
again:
	return WRITE_AGAIN;
}

enum write_verdict section_writer(const struct write_slot *slot, int header,
				  const struct writer *writer, uint32_t need)
{
	uint64_t index = (uint64_t)header;
	struct stamp stamp = { 0 };
	enum write_verdict verdict = record_write(slot, writer, index, need,
						  &stamp);

	if (verdict == WRITE_FITS && stamp.clock)
		limit_raise(slot, index, &stamp);
	return verdict;
}

/*
 * Closes a packet, opens the next; commit = the store of head.
 *
 *	r9  head, then old packet	r10d next position
 *	rax clock			r8   next packet
 *	rsi new number of events before, then scratch
 */
#define SWITCH_BODY                                                    \
	"movq (%%rcx), %%r9\n\t"                                       \
	/* it may fit by now */                                        \
	"movl %[need], %%r8d\n\t"                                      \
	"addl %%r9d, %%r8d\n\t"                                        \
	"xorl %%r9d, %%r8d\n\t"                                        \
	"cmpl 8(%%r11), %%r8d\n\t"                                     \
	"jbe %l[fits]\n\t"                                             \
	"movl %%r9d, %%r10d\n\t"                                       \
	"orl 8(%%r11), %%r10d\n\t"                                     \
	"incl %%r10d\n\t"                                              \
	"cmpq $0, 24(%%r11)\n\t"                                       \
	"jne 6f\n\t"                                                   \
	/* RING-TAIL: discard mode keeps unread events;                \
	 * order: RING_TAIL acquire */                                 \
	"movl %%r10d, %%r8d\n\t"                                       \
	"subl 128(%%rcx), %%r8d\n\t"                                   \
	"cmpl 16(%%r11), %%r8d\n\t"                                    \
	"ja %l[full]\n"                                                \
	"6:\trdtsc\n\t"                                                \
	"shlq $32, %%rdx\n\t"                                          \
	"orq %%rdx, %%rax\n\t"                                         \
	"movq %%rax, %[stamp]\n\t"                                     \
	"movq %%rcx, %[place]\n\t"                                     \
	/* new packet */                                               \
	"movl %%r10d, %%r8d\n\t"                                       \
	"andl 16(%%r11), %%r8d\n\t"                                    \
	"leaq 4096(%%rcx,%%r8), %%r8\n\t"                              \
	/* old packet: r9 start, rdi content */                        \
	"movq %%r9, %%rsi\n\t"                                         \
	"shrq $32, %%rsi\n\t"                                          \
	"movl 8(%%r11), %%edi\n\t"                                     \
	"andl %%r9d, %%edi\n\t"                                        \
	"subl %%edi, %%r9d\n\t"                                        \
	"andl 16(%%r11), %%r9d\n\t"                                    \
	"leaq 4096(%%rcx,%%r9), %%r9\n\t"                              \
	/* PACKET-NUMBER: the first store to the new packet; a reader  \
	 * sees by it that the packet which was there is gone;         \
	 * order: PACKET_NUMBER release */                             \
	"movq 84(%%r9), %%rdx\n\t"                                     \
	"incq %%rdx\n\t"                                               \
	"movq %%rdx, 84(%%r8)\n\t"      /* packet_seq_num */           \
	"leaq -20(%%rdi), %%rdi\n\t"                                   \
	"shlq $3, %%rdi\n\t"                                           \
	"movq %%rax, 60(%%r9)\n\t"        /* timestamp_end */          \
	"movq %%rdi, 68(%%r9)\n\t"        /* content_size */           \
	"movq %%rdi, 76(%%r9)\n\t"        /* packet_size */            \
	"movq 16(%%rcx), %%rdx\n\t"                                    \
	"movq %%rdx, 92(%%r9)\n\t"        /* events_discarded */       \
	/* events before the new packet, widened */                    \
	"movq (%%r9), %%rdx\n\t"                                       \
	"subl %%edx, %%esi\n\t"                                        \
	"addq %%rdx, %%rsi\n\t"                                        \
	"movq %%rsi, (%%r8)\n\t"                                       \
	"movl $0xC1FC1FC1, 20(%%r8)\n\t"                               \
	"movups 96(%%rcx), %%xmm0\n\t"    /* uuid */                   \
	"movups %%xmm0, 24(%%r8)\n\t"                                  \
	"movl $0, 40(%%r8)\n\t"           /* stream_id */              \
	"movq 88(%%rcx), %%rdx\n\t"                                    \
	"movq %%rdx, 44(%%r8)\n\t"        /* stream_instance_id */     \
	"movq %%rax, 52(%%r8)\n\t"        /* timestamp_begin */        \
	"xorl %%edx, %%edx\n\t"                                        \
	"movq %%rdx, 60(%%r8)\n\t"                                     \
	"movq %%rdx, 68(%%r8)\n\t"                                     \
	"movq %%rdx, 76(%%r8)\n\t"                                     \
	"movq %%rdx, 92(%%r8)\n\t"                                     \
	"movl 72(%%rcx), %%edx\n\t"                                    \
	"movl %%edx, 100(%%r8)\n\t"       /* cpu_id */                 \
	/* RING-WRITER: the packet has no record; `records` is anew */ \
	"movq $0, 24(%%rcx)\n\t"                                       \
	RECORDS_BELOW                                                  \
	"movq %%rsi, %%rax\n\t"                                        \
	"shlq $32, %%rax\n\t"                                          \
	"movl (%%rcx), %%edx\n\t"                                      \
	"orq %%rdx, %%rax\n\t"                                         \
	"movq %%rax, 32(%%rcx)\n\t"                                    \
	/* records before the new packet, widened */                   \
	"movq 8(%%r9), %%rdx\n\t"                                      \
	"subl %%edx, %%esi\n\t"                                        \
	"addq %%rdx, %%rsi\n\t"                                        \
	"movq %%rsi, 8(%%r8)\n\t"                                      \
	/* head: same count, position behind the new packet's head */  \
	"movl 4(%%rcx), %%edx\n\t"                                     \
	"shlq $32, %%rdx\n\t"                                          \
	"addl $104, %%r10d\n\t"                                        \
	"orq %%rdx, %%r10\n\t"

_Static_assert(offsetof(struct packet_head, records_before) == 8, "asm");
_Static_assert(offsetof(struct packet_head, timestamp_end) == 60, "asm");
_Static_assert(offsetof(struct packet_head, packet_seq_num) == 84, "asm");
_Static_assert(offsetof(struct packet_head, cpu_id) == 100, "asm");
_Static_assert(offsetof(struct ring, cpu) == 72, "asm");
_Static_assert(offsetof(struct ring, stream_instance_id) == 88, "asm");
_Static_assert(offsetof(struct ring, uuid) == 96, "asm");
_Static_assert(offsetof(struct rings, ring_mask) == 16, "asm");
_Static_assert(offsetof(struct rings, overwrite) == 24, "asm");
_Static_assert(offsetof(struct rings, generation) == 32, "asm");
_Static_assert(offsetof(struct write_slot, step) == 40, "asm");
_Static_assert(offsetof(struct write_slot, fixed_bytes) == 52, "asm");
_Static_assert(RING_DATA_OFFSET == 4096, "asm");
_Static_assert(sizeof(struct write_part) == 16, "asm");

enum write_verdict section_switch(const struct write_slot *slot, int header,
				  uint32_t need)
{
	uint64_t index = (uint64_t)header;
	struct stamp stamp;

	__asm__ goto(SECTION_BEGIN SECTION_TABLE SECTION_PRESENT SWITCH_BODY
		     SECTION_COMMIT SECTION_END
		     :
		     : [s] "r"(slot), [ro] "m"(rseq_offset),
		       [header] "r"(index), [need] "m"(need),
		       [stamp] "m"(stamp.clock),
		       [place] "m"(stamp.ring)
		     : SECTION_CLOBBERS, "rsi", "rdi", "xmm0"
		     : none, full, fits, again);
	limit_raise(slot, index, &stamp);
fits:
	return WRITE_FITS;
none:
	return WRITE_NONE;
full:
	return WRITE_FULL;
again:
	return WRITE_AGAIN;
}

/* RING-LOST: the addition is the last instruction of the section, so it happens
 * once or not at all. */
enum write_verdict section_lose(const struct write_slot *slot, int header)
{
	uint64_t index = (uint64_t)header;

	__asm__ goto(SECTION_BEGIN SECTION_TABLE SECTION_PRESENT
		     "incq 16(%%rcx)\n" SECTION_END
		     :
		     : [s] "r"(slot), [ro] "m"(rseq_offset),
		       [header] "r"(index)
		     : SECTION_CLOBBERS
		     : none, again);
	return WRITE_DONE;
none:
	return WRITE_NONE;
again:
	return WRITE_AGAIN;
}

/* Runs a section on a table without rings, where it must end in "none". */
bool write_rseq_test(void)
{
	/* all that the section reads of a table without CPUs; rings_off is on a
	 * page that a start need not read */
	static uint64_t cpus EARLY;
	const struct write_slot nowhere = {
		.rings = { (struct rings *)&cpus },
	};

	if (!rseq_learn())
		return false;
	for (int i = 0; i < SECTION_ABORTS_MAX; i++)
		if (section_lose(&nowhere, WRITE_COMPACT) == WRITE_NONE)
			return true;
	return false;
}
