/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probes that jumps may replace (tracepoints/usdt/plan/plan.h): this program's
 * file has a function for each case, and its sites are planned.
 */
#include "testsuite/unit/unit.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "tracepoints/usdt/plan/plan.h"


#define FUNCTION(name, code)					\
	__asm__(".pushsection .text\n"				\
		".p2align 4\n"					\
		"case_" name ": .cfi_startproc\n"		\
		code						\
		".cfi_endproc\n"				\
		".p2align 4, 0xcc\n"				\
		".popsection\n")

/* Defines a function with a site. */
#define CASE(name, code)					\
	FUNCTION(#name, code);					\
	extern const uint8_t site_##name[]			\
		__attribute__((visibility("hidden")))

#define SITE(name)	"site_" name ": nop\n"

#define PROBE(name)						\
	__asm__(".pushsection .note.stapsdt, \"\", \"note\"\n"	\
		".balign 4\n"					\
		".4byte 8, 29, 3\n"				\
		".asciz \"stapsdt\"\n"				\
		".8byte site_" name ", 0, 0\n"			\
		".asciz \"u\"\n.asciz \"p\"\n.asciz \"\"\n"	\
		".balign 4\n"					\
		".popsection\n")

/* Jumps of two bytes: clang 14 makes others longer at -O0. */
#define JE(to)	" .byte 0x74, " to " - . - 1\n"
#define JMP(to)	" .byte 0xeb, " to " - . - 1\n"

int plan_data __attribute__((used, visibility("hidden")));
extern const uint8_t __ehdr_start[] __attribute__((visibility("hidden")));

/* Keeps functions away from code without frames, such as libc's start: the
 * planner assumes that such code leads to all places that it can reach. */
#define APART()	\
	__asm__(".pushsection .text\n .skip 512, 0xcc\n .popsection\n")

APART();
CASE(one, SITE("one") "leaq 8(%rdi), %rax\n ret\n");
CASE(several, SITE("several") "movq %rdi, %rax\n addq $1, %rax\n ret\n");
CASE(four, SITE("four")
     "pushq %rbx\n pushq %rbp\n popq %rbp\n popq %rbx\n ret\n");
CASE(data, SITE("data") "movl plan_data(%rip), %eax\n ret\n");
CASE(lea, SITE("lea") "leaq plan_data(%rip), %rax\n ret\n");
CASE(jump, SITE("jump") ".byte 0xe9\n .4byte site_one - . - 4\n");
CASE(condition, SITE("condition")
     ".byte 0x0f, 0x84\n .4byte site_one - . - 4\n ret\n");
CASE(short, SITE("short") JE("1f") "movq %rdi, %rax\n 1: ret\n");
CASE(call, SITE("call") ".byte 0xe8\n .4byte site_one - . - 4\n ret\n");
CASE(back, "xorl %eax, %eax\n" SITE("back")
     "incq %rax\n decq %rdi\n jne site_back\n ret\n");
CASE(imitation, SITE("imitation")
     "leaq 8(%rdi), %rax\n movl $(site_imitation + 1 - 1f), %eax\n 1: ret\n");
CASE(last, "xorl %eax, %eax\n" SITE("last") "addl $300, %eax\n ret\n");

CASE(returns, SITE("returns") "ret\n addl $300, %eax\n ret\n");
CASE(leaves, SITE("leaves") JMP("1f") "addl $300, %eax\n 1: ret\n");
CASE(ends, SITE("ends") "ret\n");
CASE(falls, SITE("falls") "incq %rax\n");
__asm__(".pushsection .text\n .p2align 4\n case_packed: .cfi_startproc\n"
	"site_packed: nop\n ret\n .cfi_endproc\n .cfi_startproc\n"
	"leaq 8(%rdi), %rax\n ret\n .cfi_endproc\n .p2align 4, 0xcc\n"
	".popsection\n");
extern const uint8_t site_packed[] __attribute__((visibility("hidden")));
CASE(through, SITE("through") "call *%rax\n addl $300, %eax\n ret\n");
CASE(stacked, SITE("stacked") "call *8(%rsp)\n addl $300, %eax\n ret\n");
CASE(system, SITE("system") "syscall\n addl $300, %eax\n ret\n");
CASE(trap, SITE("trap") "int3\n addl $300, %eax\n ret\n");
CASE(marked, SITE("marked") "endbr64\n addl $300, %eax\n ret\n");
CASE(narrow, SITE("narrow") ".byte 0x67, 0x8b, 0x05, 1, 2, 3, 4\n ret\n");
CASE(counted, SITE("counted") "1: jrcxz 1f\n addl $300, %eax\n 1: ret\n");
CASE(loop, SITE("loop") "1: decq %rdi\n testl %eax, %eax\n jne 1b\n ret\n");
CASE(second, SITE("second") "movq %rdi, %rax\n 1: addq $1, %rax\n"
     "cmpq $9, %rax\n jne 1b\n ret\n");
CASE(locked, "je 1f + 1\n" SITE("locked")
     "1: lock; addl $300, (%rdi)\n ret\n");
CASE(entered, SITE("entered") "plan_inside: leaq 8(%rdi), %rax\n ret\n");
/* a rarely run part of that function, as its frame says */
FUNCTION("enters", ".cfi_def_cfa_offset 16\n"
	 ".byte 0xe9\n .4byte plan_inside - . - 4\n");
/* and the other way round: a site in such a part */
CASE(apart, ".cfi_def_cfa_offset 16\n"
     SITE("apart") "plan_apart: leaq 8(%rdi), %rax\n ret\n");
FUNCTION("goes_apart", ".byte 0xe9\n .4byte plan_apart - . - 4\n");
CASE(taken, SITE("taken") "1: leaq 8(%rdi), %rax\n ret\n"
     "leaq 1b(%rip), %rax\n ret\n");
CASE(cased, "leaq plan_table(%rip), %rdx\n movslq (%rdx,%rdi,4), %rax\n"
     "addq %rdx, %rax\n jmp *%rax\n" SITE("cased")
     "plan_case: leaq 8(%rdi), %rax\n ret\n");
__asm__(".pushsection .rodata\n .balign 4\n"
	"plan_table: .4byte site_one - plan_table, plan_case - plan_table\n"
	".popsection\n");
CASE(long_table, "leaq plan_long(%rip), %rdx\n movslq (%rdx,%rdi,4), %rax\n"
     "addq %rdx, %rax\n jmp *%rax\n" SITE("long_table")
     "plan_long_case: leaq 8(%rdi), %rax\n ret\n");
__asm__(".pushsection .rodata\n .balign 4\n plan_long:\n .rept 20000\n"
	".4byte case_long_table - plan_long\n .endr\n"
	".4byte plan_long_case - plan_long\n .popsection\n");
CASE(wide_table, "leaq plan_wide(%rip), %rdx\n addq (%rdx,%rdi,8), %rdx\n"
     "jmp *%rdx\n" SITE("wide_table")
     "plan_wide_case: leaq 8(%rdi), %rax\n ret\n");
__asm__(".pushsection .rodata\n .balign 8\n plan_wide:\n"
	".8byte case_wide_table - plan_wide, plan_wide_case - plan_wide\n"
	".popsection\n");
/* a table of a part put apart, whose words lead to another function; behind
 * them is one that leads into the middle of an instruction there */
CASE(crossed, SITE("crossed") "incq %rdi\n"
     "plan_crossed: leaq 8(%rdi), %rax\n ret\n");
FUNCTION("crosses", ".cfi_def_cfa_offset 16\n"
	 "plan_crosses: leaq plan_crossing(%rip), %rdx\n"
	 "movslq (%rdx,%rdi,4), %rax\n addq %rdx, %rax\n jmp *%rax\n");
__asm__(".pushsection .rodata\n .balign 4\n"
	"plan_crossing: .4byte plan_crosses - plan_crossing\n"
	".4byte plan_crossed - plan_crossing\n"
	".4byte plan_crossed + 1 - plan_crossing\n"
	".4byte plan_kept - plan_crossing\n .popsection\n");
/* and one that the function itself does not jump through, as its part does */
CASE(hoisted, "leaq plan_hoists(%rip), %rdx\n" SITE("hoisted") "incq %rdi\n"
     "plan_hoisted: leaq 8(%rdi), %rax\n ret\n");
__asm__(".pushsection .rodata\n .balign 4\n"
	"plan_hoists: .4byte plan_hoisted - plan_hoists\n .popsection\n");
/* offsets from a label: words of four, two and one byte, and ones that are
 * computed, so that any instruction may be meant. Words past the end lead to
 * no function */
#define LABELLED(name, load, word)					\
	APART();							\
	CASE(name, "leaq plan_base_" #name "(%rip), %rcx\n"		\
	     "leaq plan_offsets_" #name "(%rip), %rdx\n" load		\
	     "addq %rcx, %rax\n jmp *%rax\n" SITE(#name)		\
	     "plan_base_" #name ": incq %rdi\n"			\
	     "plan_to_" #name ": leaq 8(%rdi), %rax\n ret\n");	\
	__asm__(".pushsection .rodata\n plan_offsets_" #name ":"	\
		word " 0, plan_to_" #name " - plan_base_" #name "\n"	\
		word " 0\n .4byte 0x7fffffff\n .popsection\n")
LABELLED(offsets, "movslq (%rdx,%rdi,4), %rax\n", ".4byte");
LABELLED(halves, "movswq (%rdx,%rdi,2), %rax\n", ".2byte");
LABELLED(singles, "movsbq (%rdx,%rdi), %rax\n", ".byte");
APART();
CASE(computed, "leaq plan_base(%rip), %rcx\n leaq (%rcx,%rdi,4), %rcx\n"
     "jmp *%rcx\n" SITE("computed") "incq %rdi\n leaq 8(%rdi), %rax\n"
     "plan_base: addl $300, %eax\n ret\n");
/* what is behind a table, read as entries, leads into another function */
CASE(kept, SITE("kept") "leaq 8(%rdi), %rax\n plan_kept: ret\n");
CASE(table_ends, "leaq plan_short(%rip), %rdx\n movslq (%rdx,%rdi,4), %rax\n"
     "addq %rdx, %rax\n jmp *%rax\n" SITE("table_ends")
     "plan_end_case: leaq 8(%rdi), %rax\n ret\n");
__asm__(".pushsection .rodata\n .balign 4\n"
	"plan_short: .4byte site_one - plan_short\n"
	".4byte plan_end_case - plan_short, site_kept + 2 - plan_short\n"
	".popsection\n");
/* or into the middle of an instruction: the table was over */
CASE(table_next, "leaq plan_first(%rip), %rdx\n movslq (%rdx,%rdi,4), %rax\n"
     "addq %rdx, %rax\n jmp *%rax\n" SITE("table_next")
     "leaq 8(%rdi), %rax\n plan_next: ret\n");
__asm__(".pushsection .rodata\n .balign 4\n"
	"plan_first: .4byte plan_next - plan_first\n"
	".4byte site_table_next + 3 - plan_first\n"
	".4byte site_table_next + 1 - plan_first\n"
	".popsection\n");
/* what may fault where it moves to, and what does not */
CASE(loads, SITE("loads") "movq 8(%rdi), %rax\n ret\n");
CASE(stores, SITE("stores") "movl %eax, (%rsi,%rdi,4)\n ret\n nop\n");
CASE(behind_four, SITE("behind_four") "leaq 8(%rdi), %rax\n"
     "movq (%rdi), %rax\n ret\n");
CASE(strings, SITE("strings") "rep movsb\n incq %rax\n ret\n");
CASE(stack, SITE("stack") "movq 8(%rsp), %rax\n ret\n");
CASE(indexed, SITE("indexed") "movq 8(%rsp,%rax), %rax\n ret\n");
CASE(like_stack, SITE("like_stack") "movq 8(%r12), %rax\n ret\n");
CASE(avx, SITE("avx") "vmovdqu 8(%rsp), %xmm0\n ret\n");
CASE(like_avx, SITE("like_avx") "vmovdqu 8(%r12), %xmm0\n ret\n");
CASE(thread, SITE("thread") "movq %fs:40, %rax\n ret\n");
CASE(absolute, SITE("absolute") "movq 40, %rax\n ret\n");
CASE(of_thread, SITE("of_thread") "movq %fs:(%rax), %rax\n ret\n");
CASE(pads, SITE("pads") "nopl 8(%rax,%rax)\n ret\n");
CASE(prefetches, SITE("prefetches") "prefetcht0 8(%rdi)\n ret\n");
CASE(framed, "pushq %rbp\n movq %rsp, %rbp\n" SITE("framed")
     "movq -8(%rbp), %rax\n popq %rbp\n ret\n");
CASE(in_frame, "endbr64\n pushq %rbp\n movq %rsp, %rbp\n" SITE("in_frame")
     "movq -8(%rbp,%rax), %rax\n popq %rbp\n ret\n");
CASE(like_frame, "pushq %rbp\n movq %rsp, %rbp\n" SITE("like_frame")
     "movq -8(%r13), %rax\n popq %rbp\n ret\n");
CASE(frameless_rbp, SITE("frameless_rbp") "movq -8(%rbp), %rax\n ret\n");
CASE(pops, SITE("pops") "popq (%rdi)\n popq %rbx\n popq %rbp\n ret\n");
CASE(named, "cmpl $9, %edi\n je 1f\n jmp *%rax\n" SITE("named")
     "plan_label: leaq 8(%rdi), %rax\n ret\n 1: ret\n");
__asm__(".pushsection .data.rel.ro.plan, \"aw\"\n .balign 8\n"
	".8byte plan_label\n .popsection\n");
CASE(inside, SITE("inside") "leaq 8(%rdi), %rax\n ret\n"
     ".byte 0xeb, site_inside + 3 - . - 1\n");
CASE(returns_to, SITE("returns_to") "pushq %rbx\n call *8(%rdi)\n"
     "movq %rbx, %rax\n popq %rbx\n ret\n");
CASE(tight, "1: decq %rdi\n" JE("2f") JMP("3f") SITE("tight")
     "2:" JMP("1b") "3: leaq 8(%rdi), %rax\n ret\n");
CASE(far, SITE("far") "incq %rax\n 1: incq %rcx\n 2: incq %rdx\n"
     "3: incq %rsi\n decq %rdi\n je 1b\n js 2b\n jg 3b\n ret\n");
APART();
CASE(damaged, "testl %eax, %eax\n je 1f\n .byte 6\n 1:" SITE("damaged")
     "leaq 8(%rdi), %rax\n ret\n");
CASE(behind, SITE("behind") "leaq 8(%rdi), %rax\n ret\n .byte 6\n");
CASE(beyond, SITE("beyond") "leaq 8(%rdi), %rax\n jmp *%rax\n .byte 6\n");
CASE(shifted, ".byte 0xb8\n" SITE("shifted") "addl $300, %eax\n ret\n");
APART();
CASE(other, "nop\n site_other: movl $1, %eax\n ret\n");
CASE(handles, ".cfi_lsda 0x1b, plan_data\n" SITE("handles")
     "leaq 8(%rdi), %rax\n ret\n");
/* tables of where exceptions lead: elsewhere, behind the nop, into an
 * instruction; and a table that does not end */
#define LSDA(name, bytes)						  \
	__asm__(".pushsection .gcc_except_table, \"a\"\n"		  \
		"lsda_" #name ": " bytes "\n .popsection\n")
#define SITES(name, to)							  \
	".byte 0xff, 0xff, 3, 2f - 1f\n"				  \
	"1: .4byte 0, 1, 0\n .byte 0\n"				  \
	".4byte 2, 4, " to " - case_" #name "\n .byte 0\n 2:"
#define HANDLES(name, text)						  \
	CASE(name, ".cfi_lsda 0x1b, lsda_" #name "\n" SITE(#name) text)
HANDLES(catches, "leaq 8(%rdi), %rax\n ret\n landing: nop\n ret\n");
LSDA(catches, SITES(catches, "landing"));
HANDLES(lands, "leaq 8(%rdi), %rax\n movl $300, %eax\n ret\n");
LSDA(lands, SITES(lands, "(site_lands + 1)"));
HANDLES(lands_in, "leaq 8(%rdi), %rax\n movl $300, %eax\n ret\n");
LSDA(lands_in, SITES(lands_in, "(site_lands_in + 3)"));
HANDLES(unending, "leaq 8(%rdi), %rax\n ret\n");
LSDA(unending, ".byte 0xff, 0xff, 1, 2, 0xff, 0xff, 0xff, 0xff");
HANDLES(indirect, "leaq 8(%rdi), %rax\n ret\n");
LSDA(indirect, ".byte 0x9b, 0, 0, 0, 0, 0xff, 1, 0");
CASE(twin, SITE("twin") SITE("twins") "leaq 8(%rdi), %rax\n ret\n");
CASE(pair, "testl %edi, %edi\n je site_paired\n" SITE("pair")
     "xorl %eax, %eax\n" SITE("paired") "leaq 8(%rdi), %rax\n ret\n");
CASE(row, SITE("row") SITE("rows") SITE("rowed")
     "leaq 8(%rdi), %rax\n ret\n");
CASE(chain, SITE("chain") "incq %rax\n" SITE("chained") "incq %rax\n"
     SITE("chains") "leaq 8(%rdi), %rax\n ret\n");
CASE(own, SITE("own") SITE("owned") "testl $300, %eax\n ret\n");
CASE(split, SITE("split") ".byte 0xb8\n" SITE("splits") ".byte 1, 2, 3\n"
     "ret\n");
#define MORE(name)						\
	extern const uint8_t site_##name[]			\
		__attribute__((visibility("hidden")))
MORE(twins);
MORE(paired);
MORE(rows);
MORE(rowed);
MORE(chained);
MORE(chains);
MORE(owned);
PROBE("one");
PROBE("twin");
PROBE("twins");
PROBE("pair");
PROBE("paired");
PROBE("row");
PROBE("rows");
PROBE("rowed");
PROBE("chain");
PROBE("chained");
PROBE("chains");
PROBE("own");
PROBE("owned");
PROBE("split");
PROBE("splits");

__asm__(".pushsection .text\n .p2align 4\n .nops 16\n"
	"site_frameless: nop\n leaq 8(%rdi), %rax\n ret\n"
	".p2align 4\n .popsection\n");
extern const uint8_t site_frameless[] __attribute__((visibility("hidden")));

/* The planner assumes that code leads to each address in data, so these tables
 * have none of the sites' addresses. */
#define AWAY(site)	((site) - 0x10000000)
#define BACK(site)	((uint64_t)(site) + 0x10000000)

static const struct {
	const char *name;
	const uint8_t *site;
	uint16_t joins;
	enum usdt_reason reason;
	uint8_t covered;
	uint16_t starts;
	uint8_t moves[USDT_MOVED_MAX];
} rows[] = {
#define JOINS(name, joins, ...)	{ #name, AWAY(site_##name), joins, __VA_ARGS__ }
#define ROW(name, ...)		JOINS(name, 0, __VA_ARGS__)
	ROW(one, USDT_FINE, 5, 0x02, { USDT_COPY }),
	ROW(several, USDT_FINE, 8, 0x12, { USDT_COPY, USDT_COPY }),
	ROW(four, USDT_FINE, 5, 0x1e, { USDT_COPY }),
	ROW(data, USDT_FINE, 7, 0x02, { USDT_DATA }),
	ROW(lea, USDT_FINE, 8, 0x02, { USDT_DATA }),
	ROW(jump, USDT_FINE, 6, 0x02, { USDT_BRANCH }),
	ROW(condition, USDT_FINE, 7, 0x02, { USDT_CONDITION }),
	ROW(short, USDT_FINE, 6, 0x0a, { USDT_CONDITION, USDT_COPY }),
	ROW(call, USDT_FINE, 6, 0x02, { USDT_CALL }),
	ROW(back, USDT_FINE, 7, 0x12, { USDT_COPY, USDT_COPY }),
	ROW(imitation, USDT_FINE, 5, 0x02, { USDT_COPY }),
	ROW(last, USDT_FINE, 6, 0x02, { USDT_COPY }),
	ROW(returns, USDT_FINE, 7, 0x06, { USDT_COPY, USDT_COPY }),
	ROW(leaves, USDT_FINE, 8, 0x0a, { USDT_BRANCH, USDT_COPY }),
	ROW(ends, USDT_FINE, 5, 0x02, { USDT_COPY }),
	ROW(falls, USDT_ENDS, 0, 0, { 0 }),
	ROW(packed, USDT_ENDS, 0, 0, { 0 }),
	JOINS(through, 0x08, USDT_FINE, 8, 0x0a,
	    { USDT_CALL_THROUGH, USDT_COPY }),
	ROW(stacked, USDT_FIXED, 0, 0, { 0 }),
	ROW(system, USDT_FIXED, 0, 0, { 0 }),
	ROW(trap, USDT_FIXED, 0, 0, { 0 }),
	ROW(marked, USDT_FIXED, 0, 0, { 0 }),
	ROW(narrow, USDT_FIXED, 0, 0, { 0 }),
	ROW(counted, USDT_FIXED, 0, 0, { 0 }),
	JOINS(loop, 0x02, USDT_FINE, 6, 0x12, { USDT_COPY, USDT_COPY }),
	JOINS(second, 0x10, USDT_FINE, 12, 0x112,
	    { USDT_COPY, USDT_COPY, USDT_COPY }),
	ROW(locked, USDT_LED_TO, 0, 0, { 0 }),
	JOINS(entered, 0x02, USDT_FINE, 6, 0x22, { USDT_COPY, USDT_COPY }),
	JOINS(apart, 0x02, USDT_FINE, 6, 0x22, { USDT_COPY, USDT_COPY }),
	JOINS(taken, 0x02, USDT_FINE, 6, 0x22, { USDT_COPY, USDT_COPY }),
	JOINS(long_table, 0x02, USDT_FINE, 6, 0x22, { USDT_COPY, USDT_COPY }),
	JOINS(cased, 0x02, USDT_FINE, 6, 0x22, { USDT_COPY, USDT_COPY }),
	JOINS(wide_table, 0x02, USDT_FINE, 6, 0x22, { USDT_COPY, USDT_COPY }),
	JOINS(crossed, 0x10, USDT_FINE, 9, 0x112,
	    { USDT_COPY, USDT_COPY, USDT_COPY }),
	JOINS(hoisted, 0x10, USDT_FINE, 9, 0x112,
	    { USDT_COPY, USDT_COPY, USDT_COPY }),
	JOINS(offsets, 0x12, USDT_FINE, 9, 0x112,
	    { USDT_COPY, USDT_COPY, USDT_COPY }),
	JOINS(halves, 0x12, USDT_FINE, 9, 0x112,
	    { USDT_COPY, USDT_COPY, USDT_COPY }),
	JOINS(singles, 0x12, USDT_FINE, 9, 0x112,
	    { USDT_COPY, USDT_COPY, USDT_COPY }),
	ROW(computed, USDT_LED_TO, 0, 0, { 0 }),
	ROW(kept, USDT_FINE, 5, 0x02, { USDT_COPY }),
	JOINS(table_ends, 0x02, USDT_FINE, 6, 0x22, { USDT_COPY, USDT_COPY }),
	ROW(table_next, USDT_FINE, 5, 0x02, { USDT_COPY }),
	JOINS(named, 0x02, USDT_FINE, 6, 0x22, { USDT_COPY, USDT_COPY }),
	ROW(inside, USDT_LED_TO, 0, 0, { 0 }),
	JOINS(tight, 0x0a, USDT_FINE, 8, 0x8a,
	    { USDT_BRANCH, USDT_COPY, USDT_COPY }),
	ROW(far, USDT_LED_TO, 0, 0, { 0 }),
	ROW(returns_to, USDT_FINE, 5, 0x06, { USDT_COPY, USDT_CALL_THROUGH }),
	ROW(damaged, USDT_UNDECODED, 0, 0, { 0 }),
	ROW(behind, USDT_FINE, 5, 0x02, { USDT_COPY }),
	ROW(beyond, USDT_UNDECODED, 0, 0, { 0 }),
	ROW(shifted, USDT_UNDECODED, 0, 0, { 0 }),
	ROW(other, USDT_NO_NOP, 0, 0, { 0 }),
	ROW(handles, USDT_HANDLERS, 0, 0, { 0 }),
	ROW(catches, USDT_FINE, 5, 0x02, { USDT_COPY }),
	JOINS(lands, 0x02, USDT_FINE, 10, 0x22, { USDT_COPY, USDT_COPY }),
	ROW(lands_in, USDT_LED_TO, 0, 0, { 0 }),
	ROW(unending, USDT_HANDLERS, 0, 0, { 0 }),
	ROW(indirect, USDT_HANDLERS, 0, 0, { 0 }),
	ROW(twin, USDT_FINE, 6, 0x06, { USDT_COPY, USDT_COPY }),
	ROW(twins, USDT_FINE, 5, 0x02, { USDT_COPY }),
	JOINS(pair, 0x08, USDT_FINE, 8, 0x1a,
	    { USDT_COPY, USDT_COPY, USDT_COPY }),
	ROW(paired, USDT_FINE, 5, 0x02, { USDT_COPY }),
	ROW(row, USDT_OVERLAPS, 0, 0, { 0 }),
	ROW(rows, USDT_FINE, 6, 0x06, { USDT_COPY, USDT_COPY }),
	ROW(rowed, USDT_FINE, 5, 0x02, { USDT_COPY }),
	ROW(chain, USDT_FINE, 5, 0x12, { USDT_COPY, USDT_COPY }),
	ROW(chained, USDT_FINE, 5, 0x12, { USDT_COPY, USDT_COPY }),
	ROW(chains, USDT_FINE, 5, 0x02, { USDT_COPY }),
	ROW(own, USDT_OVERLAPS, 0, 0, { 0 }),
	ROW(owned, USDT_FINE, 6, 0x02, { USDT_COPY }),
	ROW(split, USDT_OVERLAPS, 0, 0, { 0 }),
	ROW(frameless, USDT_NO_FUNCTION, 0, 0, { 0 }),
};

/* Plans that move an instruction which may fault. */
static const struct {
	const char *name;
	const uint8_t *site;
	uint8_t faults;
} faulting[] = {
#define FAULTS(name, faults)	{ #name, AWAY(site_##name), faults }
	FAULTS(one, 0),
	FAULTS(data, 0),
	FAULTS(call, 0),
	FAULTS(loads, 1),
	FAULTS(stores, 1),
	FAULTS(behind_four, 0),
	FAULTS(strings, 1),
	FAULTS(stack, 0),
	FAULTS(indexed, 1),
	FAULTS(like_stack, 1),
	FAULTS(avx, 0),
	FAULTS(like_avx, 1),
	FAULTS(thread, 0),
	FAULTS(absolute, 1),
	FAULTS(of_thread, 1),
	FAULTS(pads, 0),
	FAULTS(prefetches, 0),
	FAULTS(framed, 0),
	FAULTS(in_frame, 1),
	FAULTS(like_frame, 1),
	FAULTS(frameless_rbp, 1),
	FAULTS(pops, 1),
};

#define FAULTING	(sizeof(faulting) / sizeof(faulting[0]))

#define ROWS	(sizeof(rows) / sizeof(rows[0]))

static int compare(const void *a, const void *b)
{
	const struct usdt_plan *left = a;
	const struct usdt_plan *right = b;

	return left->address < right->address ? -1 :
						left->address > right->address;
}

/* Returns the distance of this program from the addresses of its file. */
static uint64_t shift(const struct usdt_file *file)
{
	Elf64_Ehdr header;
	Elf64_Phdr ph;

	memcpy(&header, file->bytes, sizeof(header));
	for (int i = 0; i < header.e_phnum; i++) {
		memcpy(&ph, file->bytes + header.e_phoff + i * sizeof(ph),
		       sizeof(ph));
		if (ph.p_type == PT_LOAD && !ph.p_offset)
			return (uint64_t)__ehdr_start - ph.p_vaddr;
	}
	return 0;
}

static void plans_fill(struct usdt_plan *plans, const struct usdt_file *file)
{
	for (size_t i = 0; i < ROWS; i++)
		plans[i].address = BACK(rows[i].site) - shift(file);
	qsort(plans, ROWS, sizeof(*plans), compare);
}

static void check_row(size_t i, const struct usdt_plan *plan,
		      const struct usdt_file *file)
{
	uint64_t data = (uint64_t)&plan_data - shift(file);
	uint64_t one = (uint64_t)site_one - shift(file);

	if (!unit_equal_string(usdt_reason_text(plan->reason),
			       usdt_reason_text(rows[i].reason), "%s: verdict",
			       rows[i].name) || plan->reason)
		return;
	unit_equal(plan->covered, rows[i].covered, "%s: covered",
		   rows[i].name);
	unit_equal(plan->starts, rows[i].starts, "%s: instructions",
		   rows[i].name);
	unit_equal(plan->joins, rows[i].joins, "%s: joins", rows[i].name);
	unit_check(!memcmp(plan->bytes, (void *)BACK(rows[i].site),
			   plan->covered),
		   "%s: bytes", rows[i].name);
	for (int k = 0; k < plan->count; k++) {
		const struct usdt_moved *moved = &plan->moved[k];

		unit_equal(moved->move, rows[i].moves[k], "%s: %d moves",
			   rows[i].name, k);
		if (moved->move == USDT_DATA)
			unit_equal(moved->target, data, "%s: target",
				   rows[i].name);
		else if (moved->move != USDT_COPY && moved->length >= 5)
			unit_equal(moved->target, one, "%s: target",
				   rows[i].name);
	}
}

/* Probes side by side: the site whose jump serves each, and how far behind that
 * site the other probe is. */
static const struct {
	const char *name;
	const uint8_t *site;
	const uint8_t *whose;
	uint8_t beside;
} pairs[] = {
	{ "one alone", AWAY(site_one), AWAY(site_one), 0 },
	{ "two: the first", AWAY(site_twin), AWAY(site_twin), 1 },
	{ "two: the second", AWAY(site_twins), AWAY(site_twin), 1 },
	{ "a little apart: the first", AWAY(site_pair), AWAY(site_pair), 3 },
	{ "a little apart: the second", AWAY(site_paired), AWAY(site_pair), 3 },
	{ "three: the first", AWAY(site_row), NULL, 0 },
	{ "three: the second", AWAY(site_rows), AWAY(site_rows), 1 },
	{ "three: the third", AWAY(site_rowed), AWAY(site_rows), 1 },
	{ "a chain: the first", AWAY(site_chain), AWAY(site_chain), 4 },
	{ "a chain: the second", AWAY(site_chained), AWAY(site_chain), 4 },
	{ "a chain: the third", AWAY(site_chains), AWAY(site_chains), 0 },
	{ "before a marker of ours", AWAY(site_own), NULL, 0 },
	{ "a marker of ours", AWAY(site_owned), AWAY(site_owned), 0 },
	{ "before one in an instruction", AWAY(site_split), NULL, 0 },
};

static void check_pairs(struct usdt_plan *plans, const struct usdt_file *file)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const struct usdt_plan *plan = usdt_plan_for(
			plans, ROWS, BACK(pairs[i].site) - shift(file));

		if (!pairs[i].whose) {
			unit_check(!plan, "%s: none", pairs[i].name);
			continue;
		}
		unit_check(plan && plan->address + shift(file) ==
					   BACK(pairs[i].whose),
			   "%s: whose", pairs[i].name);
		unit_equal(plan ? plan->beside : 99, pairs[i].beside,
			   "%s: how far", pairs[i].name);
	}
}

static void check_faults(const struct usdt_file *file)
{
	struct usdt_plan plans[FAULTING] = { { 0 } };

	for (size_t i = 0; i < FAULTING; i++)
		plans[i].address = BACK(faulting[i].site) - shift(file);
	qsort(plans, FAULTING, sizeof(*plans), compare);
	usdt_plan(file, usdt_zydis(), plans, FAULTING);
	for (size_t i = 0; i < FAULTING; i++)
		for (size_t k = 0; k < FAULTING; k++)
			if (plans[k].address ==
			    BACK(faulting[i].site) - shift(file))
				unit_check(!plans[k].reason &&
						   plans[k].faults ==
							   faulting[i].faults,
					   "%s: may fault: %d",
					   faulting[i].name,
					   faulting[i].faults);
}

static void check_cases(const struct usdt_file *file)
{
	static struct usdt_plan plans[ROWS];

	plans_fill(plans, file);
	usdt_plan(file, usdt_zydis(), plans, ROWS);
	for (size_t i = 0; i < ROWS; i++)
		for (size_t k = 0; k < ROWS; k++)
			if (plans[k].address ==
			    BACK(rows[i].site) - shift(file))
				check_row(i, &plans[k], file);
	check_pairs(plans, file);
}

static void check_none(const struct usdt_file *file)
{
	struct usdt_plan plans[2] = { { .address = 1 }, { .address = 1 } };

	usdt_plan(file, NULL, plans, 1);
	unit_equal(plans[0].reason, USDT_NO_DECODER, "without a decoder");
	usdt_plan(file, usdt_zydis(), plans, 2);
	unit_check(plans[0].reason == USDT_NO_NOP &&
			   plans[1].reason == USDT_OVERLAPS,
		   "twice the same, where no code is");
	usdt_plan(file, usdt_zydis(), plans, 0);
}

/* Damages the file's headers and frames here and there. The planner reads only
 * the file, which a sanitizer checks, and comes to an end. */
static void check_damaged(const struct usdt_file *file, uint8_t *copy)
{
	static struct usdt_plan plans[ROWS];
	struct usdt_file damaged = { .bytes = copy, .size = file->size };
	uint32_t seed = 1;
	uint32_t fine = 0;

	for (int round = 0; round < 60; round++) {
		memcpy(copy, file->bytes, file->size);
		for (int i = 0; i < 8; i++) {
			seed = seed * 1103515245 + 12345;
			copy[64 + (seed >> 8) % 728] ^= 1 << (seed >> 28) % 8;
		}
		for (int i = 0; i < 400; i++) {
			seed = seed * 1103515245 + 12345;
			copy[(seed >> 4) % file->size] = (uint8_t)seed;
		}
		damaged.size = file->size - (round % 3 ? 0 : seed >> 16);
		plans_fill(plans, file);
		usdt_plan(&damaged, usdt_zydis(), plans, ROWS);
		for (size_t i = 0; i < ROWS; i++)
			fine += !plans[i].reason;
	}
	unit_check(fine < 60 * ROWS, "damaged files");
}

int main(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct usdt_file file = { 0 };
	struct stat st;
	uint8_t *copy;

	if (!usdt_zydis()) {
		unit_skip("plans", "built without libzydis-dev");
		return unit_end();
	}
	if (fstat(fd, &st))
		return 1;
	file.size = (uint64_t)st.st_size;
	file.bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
	check_cases(&file);
	check_faults(&file);
	check_none(&file);
	copy = malloc(file.size);
	check_damaged(&file, copy);
	free(copy);
	return unit_end();
}
