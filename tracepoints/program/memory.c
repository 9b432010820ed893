/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading the program's memory. See memory.h.
 */
#include "tracepoints/program/memory.h"

#include <link.h>

#include "base/base.h"
#include "base/host.h"
#include "base/sys.h"
#include "buffers/rings/channel.h"
#include "tracepoints/program/memory-x86_64.h"
#include "tracepoints/program/modules.h"

#define PAGE		4096ull
#define RANGES_MAX	64
#define STRING_STEP	256ull
/* The kernel maps nothing else so close below the first thread's stack, however
 * small the stack's limit is (stack_guard_gap). */
#define STACK_REACH	(1ull << 20)

/* Of threads that the C library makes; programs give them more, or few KiB. */
#define THREAD_STACK_REACH	(64ull << 10)

static struct {
	uint64_t start;
	uint64_t end;		/* = start when it is no longer certain */
} ranges[RANGES_MAX] EARLY;
static uint32_t nranges;
static int stack_has_holes;
int memory_has_holes;

/* The end of the first thread's stack, as the dynamic linker or a static
 * program's start code found it. */
extern void *__libc_stack_end __attribute__((weak));

/* Modules come in the order in which they were loaded. */
struct order {
	int ours;		/* the agent's module has come */
	int together;		/* libc's came too, not before the agent's */
};

/* Notes whether the agent's module came before libc's: only then were both
 * loaded at the program's start. */
static int order_look(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct order *order = arg;

	order->ours |= module_has(info, ranges);
	if (order->ours && module_has(info, (void *)modules_each))
		order->together = 1;
	return order->together;
}

/* Adds the pages of a module's readable segments to the certain ranges; joins
 * neighbours. Beyond RANGES_MAX memory is read by the slower ways. */
static int module_add(struct dl_phdr_info *info, size_t size, void *arg)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + ph->p_vaddr;
		uint64_t end = align_up(start + ph->p_memsz, PAGE);

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_R))
			continue;
		start &= ~(PAGE - 1);
		if (nranges && ranges[nranges - 1].end == start) {
			ranges[nranges - 1].end = end;
		} else if (nranges < RANGES_MAX) {
			ranges[nranges].start = start;
			ranges[nranges].end = end;
			nranges++;
		}
	}
	return 0;
}

void memory_learn(void)
{
	struct order order = { 0 };

	modules_each(order_look, &order);
	if (order.together)
		modules_each(module_add, NULL);
}

void memory_unlearn(void)
{
	nranges = 0;
	memory_has_holes = 1;
}

/* Returns the end of the first thread's stack; 0 when it is not known. */
static uint64_t stack_top(void)
{
	void **volatile end = &__libc_stack_end;

	return end ? (uint64_t)*end : 0;
}

SIGSAFE void memory_forget(uint64_t address, uint64_t n)
{
	uint64_t last = address + n - 1;
	uint64_t top = stack_top();

	for (uint32_t i = 0; n && i < nranges; i++)
		if (address < ranges[i].end && last >= ranges[i].start) {
			store_relaxed(&memory_has_holes, 1);
			store_relaxed(&ranges[i].end, ranges[i].start);
		}
	if (n && address < top && last >= top - STACK_REACH)
		store_relaxed(&stack_has_holes, 1);
}

SIGSAFE void memory_stack_here(struct memory_stack *stack, uint64_t sp)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0);
	uint64_t top = stack_top();

	stack->low = here;
	stack->high = align_up((sp > here ? sp : here) + 1, PAGE);
	if (here < top && top - here < STACK_REACH &&
	    !load_relaxed(&stack_has_holes))
		stack->high = top;
}

SIGSAFE bool memory_stack_is_own(uint64_t here)
{
	uint64_t end = (uint64_t)__builtin_thread_pointer();
	const struct process_page *page = load_relaxed(&process.page);

	if (stack_top() - here < STACK_REACH)
		return true;
	/* The C library keeps a thread's data at the end of its stack, but not
	 * those of the first thread. */
	return end - here < THREAD_STACK_REACH && page &&
	       host_tid() != load_relaxed(&page->pid);
}

SIGSAFE bool memory_stack_stays(uint64_t here)
{
	/* near the end of another thread's stack there may be coroutines' */
	return stack_top() - here < STACK_REACH &&
	       !load_relaxed(&stack_has_holes);
}

SIGSAFE bool memory_is_fixed(uint64_t address, uint64_t n)
{
	for (uint32_t i = 0; i < nranges; i++) {
		uint64_t end = load_relaxed(&ranges[i].end);

		if (address >= ranges[i].start && address < end)
			return n <= end - address;
	}
	return false;
}

/* Returns true when a load of the n bytes cannot fault. */
static bool is_certain(uint64_t address, uint64_t n,
		       const struct memory_stack *stack)
{
	if (address >= stack->low && address < stack->high)
		return n <= stack->high - address;
	return memory_is_fixed(address, n);
}

/* Copies up to the first byte that cannot be read. Returns how many; 0 in a
 * thread that may not make system calls. */
static COLD uint64_t copy_by_kernel(void *to, uint64_t address, uint64_t n)
{
	const struct process_page *page = load_relaxed(&process.page);
	long pid, got;

	if (host_confined)
		return 0;
	/* A forked child has its parent's process page until its first event is
	 * done; until then *fork_mark is 0. A child that shares our memory may
	 * use our pid: it reads the same memory. */
	pid = page && load_relaxed(fork_mark) ? (long)page->pid : sys_getpid();
	got = sys_read_memory(pid, to, address, n);
	return got < 0 ? 0 : (uint64_t)got;
}

/* Copies n bytes that are certain to be mapped. */
static void copy_by_loads(uint8_t *to, const uint8_t *from, uint64_t n)
{
	uint64_t word;

	if (n == 4) {
		__builtin_memcpy(to, from, 4);
		return;
	}
	if (n < 8) {
		for (; n; n--)
			*to++ = *from++;
		return;
	}
	/* The last 8 bytes first; the loop may copy some of them again. The
	 * barrier keeps gcc -O3 from making vectors of so few bytes, and from
	 * warning of them. */
	__builtin_memcpy(&word, from + n - 8, 8);
	__builtin_memcpy(to + n - 8, &word, 8);
	for (; n > 8; n -= 8, to += 8, from += 8) {
		__builtin_memcpy(&word, from, 8);
		__builtin_memcpy(to, &word, 8);
		__asm__("" : "+r"(n));
	}
}

/* Returns false when the kernel must read instead. */
static bool copy_by_transaction(void *to, uint64_t address, uint64_t n)
{
	if (!host_transactions || n > TRANSACTION_BYTES || !transaction_begin())
		return false;
	copy_by_loads(to, (const uint8_t *)address, n);
	transaction_end();
	return true;
}

SIGSAFE uint64_t memory_copy(void *to, uint64_t address, uint64_t n,
			     const struct memory_stack *stack)
{
	if (unlikely(!is_certain(address, n, stack))) {
		if (copy_by_transaction(to, address, n))
			return n;
		return n ? copy_by_kernel(to, address, n) : 0;
	}
	copy_by_loads(to, (const uint8_t *)address, n);
	return n;
}

SIGSAFE uint64_t memory_value(uint64_t address, uint64_t n,
			      const struct memory_stack *stack,
			      struct memory_line *line)
{
	uint64_t at = address - line->start;
	uint64_t room = min_u64(MEMORY_LINE_BYTES, PAGE - address % PAGE);
	uint64_t value = 0;

	if (likely(is_certain(address, n, stack))) {
		copy_by_loads((uint8_t *)&value, (const uint8_t *)address, n);
		return value;
	}
	if (copy_by_transaction(&value, address, n))
		return value;
	if (at >= line->n || n > line->n - at) {
		at = 0;
		line->start = address;
		line->n = copy_by_kernel(line->bytes, address,
					 room < n ? n : room);
	}
	copy_by_loads((uint8_t *)&value, line->bytes + at,
		      min_u64(n, line->n - at));
	return value;
}

SIGSAFE uint64_t memory_copy_string(char *to, uint64_t address, uint64_t n,
				    const struct memory_stack *stack)
{
	uint64_t done = 0;

	while (done < n) {
		uint64_t wanted = min_u64(n - done, STRING_STEP);
		uint64_t got = memory_copy(to + done, address + done, wanted,
					   stack);
		uint64_t i;

		for (i = 0; i < got; i++)
			if (!to[done + i])
				return done + i + 1;
		done += got;
		if (got < wanted)
			break;
	}
	return done;
}
