/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Jumps whose operand ends in bytes of the next instructions
 * (tracepoints/usdt/jumps/pun-x86_64.c), in code of which each instruction is
 * short and a branch leads there: each is hit as often as a thread comes there,
 * and the code computes the same while random ones are put, switched and
 * removed beside others, under threads and signals, and while breakpoints come
 * and go behind them.
 *
 *	puns [ROUNDS]: so many random steps, 400 by default
 */
#include "testsuite/unit/unit.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "tracepoints/program/patch.h"
#include "tracepoints/usdt/jumps/jumps.h"
#include "tracepoints/usdt/plan/calls.h"
#include "tracepoints/usdt/plan/image.h"

#define PLACES	27
#define THREADS	3

/* Enters the code at a place. What it computes depends on that. */
uint32_t puns_run(uint32_t place, uint32_t x);
extern const uint8_t puns_code[] __attribute__((visibility("hidden")));

#define GO(n)	" cmp $" #n ", %edi\n .byte 0x0f, 0x84\n" \
		" .4byte puns_" #n " - . - 4\n"
#define AT(n, code)	" puns_" #n ": " code "\n"
#define INC(n)	AT(n, ".byte 0xff, 0xc0")

__asm__(".pushsection .text\n .p2align 4\n .type puns_run, @function\n"
	"puns_run: .globl puns_run\n .cfi_startproc\n movl %esi, %eax\n"
	" movl %esi, %edx\n"
	GO(1) GO(2) GO(3) GO(4) GO(5) GO(6) GO(7) GO(8) GO(9) GO(10) GO(11)
	GO(12) GO(13) GO(14) GO(15) GO(16) GO(17) GO(18) GO(19) GO(20) GO(21)
	GO(22) GO(23) GO(24) GO(25) GO(26)
	"puns_code:\n"
	AT(0, "add $3, %eax") INC(1) AT(2, "xorl %edx, %eax") INC(3)
	AT(4, "leaq 5(%rax), %rax") INC(5) AT(6, "rol %eax") INC(7)
	AT(8, "cwtl") AT(9, "cltd") INC(10)
	AT(11, "xchg %eax, %edx") INC(12) AT(13, "test %edi, %edi")
	AT(14, ".byte 0x75, 0") AT(15, "lea 7(%rax), %eax") INC(16)
	AT(17, "imul %esi, %eax") INC(18) AT(19, "bswap %eax") INC(20)
	AT(21, ".byte 0xeb, 0") INC(22) AT(23, "add %edi, %eax") INC(24)
	AT(25, "xchg %eax, %edx") AT(26, "ret")
	".size puns_run, . - puns_run\n .cfi_endproc\n .p2align 4, 0xcc\n"
	".popsection\n");

/* What cannot be planned: code that leads behind a prefix, and a nop into which
 * the kernel may write a call; and the last instruction before padding. */
#define FUNCTION(name, code)						\
	__asm__(".pushsection .text\n .p2align 4\n .cfi_startproc\n"	\
		code "\n .cfi_endproc\n .p2align 4, 0xcc\n .popsection");\
	extern const uint8_t name[] __attribute__((visibility("hidden")))
FUNCTION(puns_locked, " .byte 0x74, puns_locked + 1 - . - 1\n"
	 "puns_locked: lock; incl (%rdi)\n incl %eax\n ret");
FUNCTION(puns_padded, "puns_padded: incl %eax\n"
	 " .byte 0x0f, 0x1f, 0x44, 0, 0\n ret");
FUNCTION(puns_system, "puns_system: incl %eax\n syscall\n nop\n ret");
FUNCTION(puns_stays, "incl %eax\n puns_stays: syscall\n nop\n ret");
FUNCTION(puns_last, "puns_last: ret");
/* with and without a cc behind it, it leads to places that overlap */
FUNCTION(puns_close, "puns_close: cltd\n .byte 0xc6, 0x05, 9, 0x7a, 3, 0, 1\n"
	 " .byte 0x74, puns_close - . - 1, 0x74, puns_close - . - 1\n ret");
/* to places apart, at the same offsets in two lines of 16 bytes */
FUNCTION(puns_apart, "puns_apart: cltd\n .byte 0x3d, 9, 0x7a, 3, 0\n"
	 " .byte 0x74, puns_apart - . - 1, 0x74, puns_apart - . - 1\n ret");

static struct usdt_spot spots[PLACES], *settled[PLACES];
static struct usdt_request requests[PLACES];
static uint64_t hits[PLACES], base;
static uint32_t expected[PLACES];
static struct usdt_file file;
static int stopped;
static uint32_t wrong, runs;

void __wrap_usdt_hit(struct usdt_spot *spot, const struct usdt_state *state);
int __real_usdt_puns_add(const struct way *way);
int __wrap_usdt_puns_add(const struct way *way);

static bool scarce;		/* the list has no memory */
static uint64_t added;		/* where a jump leads that was listed, or not */

int __wrap_usdt_puns_add(const struct way *way)
{
	uint64_t targets[USDT_PUNS_MAX];

	usdt_pun_targets(usdt_way_part(way, WAY_ON), way->site, way->puns,
			 targets);
	added = targets[0];
	return scarce ? -ENOMEM : __real_usdt_puns_add(way);
}

/* Counts a hit, as the stubs call it. */
void __wrap_usdt_hit(struct usdt_spot *spot, const struct usdt_state *state)
{
	(void)state;
	__atomic_fetch_add(&hits[spot - spots], 1, __ATOMIC_RELAXED);
}

/* Enters the code at each place. Returns how many results were others. */
static uint32_t code_run(void)
{
	uint32_t others = 0;

	for (uint32_t i = 0; i < PLACES; i++)
		others += puns_run(i, 3000017 * i + 5) != expected[i];
	return others;
}

static void *thread_work(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&stopped, __ATOMIC_RELAXED)) {
		__atomic_fetch_add(&wrong, code_run(), __ATOMIC_RELAXED);
		__atomic_fetch_add(&runs, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void alarm_handle(int signal)
{
	(void)signal;
	__atomic_fetch_add(&wrong, code_run(), __ATOMIC_RELAXED);
}

/* Tells whether an instruction is `inc %eax`. */
static bool is_inc(uint32_t i)
{
	static const uint8_t off[] = { 1, 3, 5, 7, 10, 12, 16, 18, 20, 22, 24 };

	return !!memchr(off, (int)i, sizeof(off));
}

/* Does what a debugger does at a breakpoint: the instruction there. */
static void trap_handle(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint64_t at = (uint64_t)registers[REG_RIP] - 1;

	(void)info;
	for (uint32_t i = 0; i < PLACES; i++) {
		if (!is_inc(i) || spots[i].address != at)
			continue;
		registers[REG_RAX] = (uint32_t)registers[REG_RAX] + 1;
		registers[REG_RIP] += 1;
		return;
	}
	abort();
}

/* Sets and removes breakpoints, as a debugger writes them. */
static void *thread_break(void *arg)
{
	int memory = open("/proc/self/mem", O_RDWR);
	static const uint8_t bytes[] = { 0xff, 0xcc };
	uint32_t round = 0, seed = 1;

	(void)arg;
	for (; !__atomic_load_n(&stopped, __ATOMIC_RELAXED); round++) {
		uint32_t i;

		seed = seed * 1103515245 + 12345;
		i = (seed >> 16) % PLACES;
		if (is_inc(i) &&
		    pwrite(memory, &bytes[seed >> 30 & 1], 1,
			   (off_t)spots[i].address) != 1)
			abort();
	}
	for (uint32_t i = 0; i < PLACES; i++)
		if (is_inc(i) &&
		    pwrite(memory, bytes, 1, (off_t)spots[i].address) != 1)
			abort();
	close(memory);
	return NULL;
}

static int base_find(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	base = info->dlpi_addr;
	return 1;
}

/* Fills in where the instructions are. Returns how many. */
static uint32_t places_read(void)
{
	uint64_t at = (uint64_t)puns_code;
	struct usdt_decoded insn;
	uint32_t n = 0;

	for (; n < PLACES; n++, at += insn.length) {
		spots[n].address = at;
		if (!usdt_decode(usdt_place_decoder(), (const uint8_t *)at, 16,
				 at, &insn))
			return 0;
	}
	return n;
}

/* Places a spot, and switches it on or not. Returns false if that fails. */
static bool spot_come(uint32_t i, bool on)
{
	struct patcher patcher;

	requests[i] = (struct usdt_request){
		.spot = &spots[i], .target.offset = spots[i].address - base,
	};
	patch_open(&patcher);
	usdt_spots_place(&file, base, &requests[i], 1, NULL, &patcher);
	if (spots[i].way && on)
		usdt_place_switch(&patcher, &spots[i], 1);
	patch_close(&patcher);
	return !spots[i].way || !spots[i].refused;
}

static bool spot_switch(uint32_t i, bool give, bool on)
{
	struct patcher patcher;

	patch_open(&patcher);
	if (give)
		usdt_spot_give(&patcher, &spots[i]);
	else
		usdt_place_switch(&patcher, &spots[i], on);
	patch_close(&patcher);
	return !spots[i].refused;
}

/* Removes a spot so that it comes as a new one. */
static void spot_drop(uint32_t i)
{
	if (!spots[i].way)
		return;
	unit_check(spot_switch(i, true, false), "removed");
	usdt_spot_forget(&spots[i]);
}

/* Tells whether a spot has such a jump, and that each place to which
 * breakpoints make it lead has the same code. */
static bool is_pun(const struct usdt_spot *spot)
{
	const struct way *way = spot->way;
	uint64_t targets[USDT_PUNS_MAX];
	uint32_t n, others = 0;

	if (!way || !way->puns)
		return false;
	n = usdt_pun_targets(usdt_way_part(way, WAY_ON), way->site, way->puns,
			     targets);
	for (uint32_t i = 1; i < n; i++)
		others += !!memcmp((const void *)targets[i],
				   (const void *)targets[0],
				   USDT_TRAMPOLINE_BYTES);
	__atomic_fetch_add(&wrong, others, __ATOMIC_RELAXED);
	return true;
}

static void plan_check(const char *name, const uint8_t *at, bool low, int why,
		       uint32_t starts)
{
	struct usdt_image image;
	struct usdt_plan plan;

	unit_equal(usdt_image_open(&image, &file), 0, "%s: the file", name);
	unit_equal(usdt_pun_plan(&image, usdt_place_decoder(), low,
				 (uint64_t)at - base, &plan),
		   why, "%s: verdict", name);
	if (why)
		return;
	unit_equal(plan.starts, starts, "%s: instructions", name);
	unit_equal(plan.count, 1, "%s: one moves", name);
	unit_equal(plan.covered, USDT_JUMP_BYTES, "%s: bytes", name);
}

static void plans_check(void)
{
	plan_check("three bytes", puns_code, false, 0, 0x9);
	plan_check("at a low address", puns_code, true, USDT_REACH, 0);
	plan_check("behind a prefix", puns_locked, false, USDT_LED_TO, 0);
	plan_check("before a nop of five", puns_padded, false, USDT_FIXED, 0);
	plan_check("before a system call", puns_system, false, 0, 0x15);
	plan_check("a system call", puns_stays, false, USDT_FIXED, 0);
	plan_check("the last one", puns_last, false, 0, 0x1f);
	plan_check("places that overlap", puns_close, false, USDT_REACH, 0);
	plan_check("places apart", puns_apart, false, 0, 0x3);
}

/* Each place alone. */
static void alone_check(void)
{
	uint32_t placed = 0, punned = 0, failed = 0;

	for (uint32_t i = 0; i < PLACES; i++) {
		memset(hits, 0, sizeof(hits));
		failed += !spot_come(i, true) || code_run();
		if (!spots[i].way) {
			printf("# place %u: %d\n", i, requests[i].why);
			continue;
		}
		placed++;
		punned += is_pun(&spots[i]);
		failed += hits[i] != i + 1 || !spot_switch(i, false, false) ||
			  code_run() || hits[i] != i + 1;
		failed += !spot_switch(i, true, false);
		usdt_spot_forget(&spots[i]);
	}
	printf("# %u of %u places, %u by such jumps\n", placed, PLACES, punned);
	unit_equal(failed, 0, "each alone: hits and results");
	unit_check(punned > PLACES / 2, "such jumps are made");
}

static void threads_start(pthread_t *threads, uint32_t n,
			  void *(*more)(void *arg))
{
	stopped = 0;
	runs = wrong = 0;
	for (uint32_t i = 0; i < n; i++)
		pthread_create(&threads[i], NULL,
			       i == THREADS ? more : thread_work, NULL);
}

static void threads_stop(const pthread_t *threads, uint32_t n)
{
	__atomic_store_n(&stopped, 1, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

/* Without memory nothing is kept: the next one has the same. */
static void scarce_check(void)
{
	const struct stub *stubs = usdt_stubs_take(0);
	uint64_t first = 0;
	uint32_t i = 0;

	scarce = true;
	while (i < PLACES && !added && !spots[i].way)
		spot_come(i++, true);
	unit_equal(requests[--i].why, -ENOMEM, "without memory: why not");
	unit_check(!spots[i].way && added, "without memory: no place");
	unit_check(usdt_stubs_take(0) == stubs,
		   "without memory: stubs are given back");
	first = added;
	spot_come(i, true);
	unit_check(added == first, "without memory: so is where it leads");
	scarce = false;
	spot_come(i, true);
	unit_check(is_pun(&spots[i]) && added == first, "then there is memory");
	unit_equal(code_run(), 0, "and it is right");
	spot_drop(i);
}

/* Random ones come and go, in any order, beside others that are on. */
static void crowd_check(uint32_t rounds)
{
	const struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = {
		{ 0, 0 }, { 0, 0 },
	};
	uint32_t failed = 0, placed = 0, punned = 0, busy = 0, on = 0;
	pthread_t threads[THREADS];

	threads_start(threads, THREADS, NULL);
	signal(SIGPROF, alarm_handle);
	setitimer(ITIMER_PROF, &often, NULL);
	for (uint32_t round = 0; round < rounds; round++) {
		uint32_t i = (uint32_t)random() % PLACES;

		if (spots[i].way && spots[i].given &&
		    usdt_spot_regain(&spots[i]))
			usdt_spot_forget(&spots[i]);
		if (!spots[i].way) {
			failed += !spot_come(i, random() % 4);
			placed += !!spots[i].way;
			punned += is_pun(&spots[i]);
			busy += !spots[i].way && requests[i].why == -EBUSY;
		} else {
			failed += !spot_switch(i, random() % 2, random() % 4);
		}
	}
	setitimer(ITIMER_PROF, &never, NULL);
	threads_stop(threads, THREADS);
	printf("# %u times placed, %u by such jumps, %u later, %u runs\n",
	       placed, punned, busy, runs);
	unit_equal(failed, 0, "random: switched");
	unit_equal(wrong, 0, "random: the same results");
	unit_check(punned > 0 && runs > 0, "random: such jumps are made");
	memset(hits, 0, sizeof(hits));
	unit_equal(code_run(), 0, "random: at the end");
	for (uint32_t i = 0; i < PLACES; i++) {
		if (!spots[i].way || spots[i].given)
			continue;
		on += hits[i] == i + 1;
		failed += hits[i] && hits[i] != i + 1;
	}
	unit_check(on > 0 && !failed, "random: hits at the end");
	for (uint32_t i = 0; i < PLACES; i++)
		if (spots[i].way && !spots[i].given)
			failed += !spot_switch(i, true, false);
	for (uint32_t i = 0; i < PLACES; i++)
		if (spots[i].way)
			usdt_spot_forget(&spots[i]);
	unit_check(!failed && !code_run(), "random: removed");
}

/* What would lead a jump astray behind its back is refused. */
static void refused_check(void)
{
	uint8_t byte = 0x90, old;
	struct way *way;
	int memory = open("/proc/self/mem", O_RDWR);
	uint32_t i = 0, k;

	for (; i < PLACES; i++) {
		spot_come(i, false);
		if (is_pun(&spots[i]))
			break;
		spot_drop(i);
	}
	way = spots[i].way;
	unit_check(!!way, "one such jump");
	k = way->n;
	old = *(const uint8_t *)(way->site + k);
	unit_equal(pwrite(memory, &byte, 1, (off_t)(way->site + k)), 1,
		   "others change its operand");
	unit_check(!spot_switch(i, false, true), "it is not switched on");
	unit_equal(spots[i].refused, -EBUSY, "why not");
	unit_equal(pwrite(memory, &old, 1, (off_t)(way->site + k)), 1,
		   "they change it back");
	unit_check(spot_switch(i, false, true), "it is switched on");
	/* given back, and on: a debugger's byte at the site keeps it so */
	byte = 0xcc;
	unit_equal(pwrite(memory, &byte, 1, (off_t)way->site), 1,
		   "a breakpoint on it");
	unit_check(!spot_switch(i, true, false), "it cannot be switched off");
	unit_check(usdt_puns_on(way->site + k, way->site + k + 1, false),
		   "so it keeps the bytes");
	requests[i + 1].why = 0;
	spot_come(i + 1, true);
	unit_check(!spots[i + 1].way && requests[i + 1].why == -EBUSY,
		   "the next instruction is for later");
	byte = 0xe9;
	unit_equal(pwrite(memory, &byte, 1, (off_t)way->site), 1,
		   "the breakpoint goes");
	unit_check(spot_switch(i, true, false), "it is switched off");
	usdt_spot_forget(&spots[i]);
	spot_come(i + 1, true);
	unit_check(spots[i + 1].way || requests[i + 1].why == USDT_LED_TO,
		   "the next instruction is not for later");
	memset(hits, 0, sizeof(hits));
	unit_check(!code_run() && hits[i + 1] == (spots[i + 1].way ? i + 2 : 0),
		   "and hit");
	spot_drop(i + 1);
	close(memory);
}

/* Breakpoints come and go behind jumps that are switched. */
static void breaks_check(uint32_t rounds)
{
	struct sigaction action = { .sa_sigaction = trap_handle,
				    .sa_flags = SA_SIGINFO | SA_NODEFER };
	uint32_t failed = 0, n = 0, on = 0;
	pthread_t threads[THREADS + 1];

	for (uint32_t i = 0; i < PLACES; i++) {
		if (is_inc(i))
			continue;
		failed += !spot_come(i, false);
		if (is_pun(&spots[i]))
			settled[n++] = &spots[i];
		else
			spot_drop(i);
	}
	unit_check(n > 3, "breakpoints: some such jumps");
	sigaction(SIGTRAP, &action, NULL);
	threads_start(threads, THREADS + 1, thread_break);
	for (uint32_t round = 0; round < rounds; round++)
		failed += !spot_switch((uint32_t)(settled[random() % n] -
						  spots), false, random() % 4);
	for (uint32_t i = 0; i < n; i++)
		failed += !spot_switch((uint32_t)(settled[i] - spots), false,
				       true);
	memset(hits, 0, sizeof(hits));
	failed += code_run();
	for (uint32_t i = 0; i < n; i++)
		on += hits[settled[i] - spots] >
		      (uint64_t)(settled[i] - spots);
	threads_stop(threads, THREADS + 1);
	unit_equal(failed, 0, "breakpoints: switched");
	unit_equal(on, n, "breakpoints: no hit is missing");
	unit_equal(wrong, 0, "breakpoints: the same results");
	for (uint32_t i = 0; i < n; i++)
		spot_drop((uint32_t)(settled[i] - spots));
	unit_equal(code_run(), 0, "breakpoints: removed");
}

/* No more memory than a process may have is taken, and what cannot be had is
 * not kept. */
static void pages_check(void)
{
	uint8_t on[USDT_JUMP_BYTES] = { 0xe9, 0, 0, 0, 0xcc };
	uint64_t site = 0x20000000, targets[USDT_PUNS_MAX];
	uint32_t n = 0, left = 0;
	uint64_t other = 0;
	int ret = 0;

	/* a page that others have made, and left */
	for (uint32_t to = 1u << 28; !other && to < 6u << 28; to += 1u << 24)
		other = usdt_near_trampoline((uint64_t)puns_code, 0xffff0000,
					     to, USDT_TRAMPOLINE_BYTES);
	usdt_near_give(other, USDT_TRAMPOLINE_BYTES);
	unit_equal(usdt_near_exact(other, USDT_TRAMPOLINE_BYTES, &left), 0,
		   "a place in others' page");
	usdt_near_undo(other, USDT_TRAMPOLINE_BYTES, &left);
	unit_equal(left, 0, "others' page does not count");
	unit_equal(usdt_pun_take(on, site, 4, 1u << 4), -ERANGE,
		   "places below address 0");
	/* far from everything: one window, of which each place is alone */
	site = 0x100000000000;
	for (on[4] = 0x10; !ret && n < 65536; n++) {
		on[1] = on[2] = 0;
		on[3] = (uint8_t)(n >> 8);
		on[2] = (uint8_t)n;
		ret = usdt_pun_take(on, site + (uint64_t)n * 0x10000000, 1,
				    1u << 1);
	}
	unit_equal(ret, -ENOSPC, "the pages are used up");
	unit_check(n > 500 && n < 2100, "after as many as there may be");
	on[1] = on[2] = on[3] = 0;
	unit_equal(usdt_pun_targets(on, site, 0x1e, targets), 16,
		   "all combinations of breakpoints");
	on[4] = 0xcc;
	unit_equal(usdt_pun_targets(on, site, 0x1e, targets), 8,
		   "not of a cc that is there");
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 400;
	struct stat st;
	int fd;

	if (UNIT_SANITIZED || !usdt_place_decoder()) {
		puts("UNSUPPORTED: puns: a build without libzydis-dev, or with a sanitizer");
		return unit_end();
	}
	dl_iterate_phdr(base_find, NULL);
	fd = open("/proc/self/exe", O_RDONLY);
	fstat(fd, &st);
	file.size = (uint64_t)st.st_size;
	file.bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
	patch_setup();
	patch_flush = usdt_place_flush;
	unit_equal(places_read(), PLACES, "the code is decoded");
	for (uint32_t i = 0; i < PLACES; i++)
		expected[i] = puns_run(i, 3000017 * i + 5);
	plans_check();
	scarce_check();
	alone_check();
	crowd_check((uint32_t)rounds);
	refused_check();
	breaks_check((uint32_t)rounds);
	pages_check();
	return unit_end();
}
