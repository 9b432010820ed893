/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How attach judges the threads of a process (command/attach/): by a made-up
 * /proc, and by stacks in this process.
 */
#include "testsuite/unit/unit.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "command/attach/steps.h"
#include "testsuite/unit/command/proc.h"

#define PID	4711

/* Makes a thread; `call` is its line in /proc/PID/task/TID/syscall. */
static void put_thread(int tid, const char *name, char state, const char *call)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "proc/4711/task/%d/stat", tid);
	snprintf(text, sizeof(text), "%d (%s) %c 1 1 1 0 -1\n", tid, name,
		 state);
	made_file(path, text);
	snprintf(path, sizeof(path), "proc/4711/task/%d/comm", tid);
	snprintf(text, sizeof(text), "%s\n", name);
	made_file(path, text);
	snprintf(path, sizeof(path), "proc/4711/task/%d/syscall", tid);
	made_file(path, call);
}

static const char *call_line(long number)
{
	static char line[128];

	snprintf(line, sizeof(line), "%ld 0x1 0x2 0x3 0x4 0x5 0x6 "
		 "0x7ffc0000 0x7f001234\n", number);
	return line;
}

static void check_threads(void)
{
	pid_t tids[ATTACH_THREADS_MAX];

	unit_equal(attach_threads_list(PID, tids), 0, "no process");
	put_thread(11, "disk", 'D', "");
	unit_equal(attach_threads_list(PID, tids), 1, "a thread at a disk");
	unit_check(attach_threads_blocked(PID), "all are blocked");
	put_thread(12, "zombie", 'Z', call_line(SYS_futex));
	put_thread(13, "dead", 'X', call_line(SYS_futex));
	unit_equal(attach_threads_list(PID, tids), 1, "ended threads");
	put_thread(14, "a) Z 1 (b", 'S', call_line(SYS_sendfile));
	unit_equal(attach_threads_list(PID, tids), 1, "one in another call");
	unit_equal(tids[0], 14, "is better than the one at the disk");
	unit_check(!attach_threads_blocked(PID), "not all are blocked");
	put_thread(15, "runs", 'R', "running\n");
	unit_equal(attach_threads_list(PID, tids), 2, "one that runs");
	unit_equal(tids[0], 15, "is better");
	put_thread(16, "waits\nhere", 'S', call_line(SYS_futex));
	unit_equal(attach_threads_list(PID, tids), 3, "one that waits");
	unit_equal(tids[0], 16, "is best");
	unit_equal(tids[2], 14, "the other call is the last");
	unit_check(attach_thread_named(PID, "runs"), "a thread by its name");
	unit_check(!attach_thread_named(PID, "run"), "none of a part of it");
}

/* Threads of the kernel in a process: io_uring's and vhost's. */
static void check_workers(void)
{
	static const char all[] = "SigBlk:\tfffffffffffbfeff\n";
	const char *stat = "proc/4711/task/18/stat";
	pid_t tids[ATTACH_THREADS_MAX];

	put_thread(18, "iou-sqp-1", 'R', "running\n");
	made_file("proc/4711/task/18/status", all);
	unit_equal(attach_threads_list(PID, tids), 4, "a thread that blocks "
		   "all signals");
	unit_check(!attach_thread_worker(PID, 18), "is none of the kernel's");
	made_file(stat, "18 (iou-sqp-1) R 1 1 1 0 -1 4210768 0 0\n");
	unit_equal(attach_threads_list(PID, tids), 3, "io_uring's is left out");
	unit_check(attach_thread_worker(PID, 18), "it is the kernel's");
	made_file(stat, "18 (vhost) 1) R 1 1 1 0 -1 4210752 0 0\n");
	unit_equal(attach_threads_list(PID, tids), 3, "so is vhost's");
	/* PF_VCPU of older kernels has the same value */
	made_file("proc/4711/task/18/status", "SigBlk:\t0000000000000000\n");
	made_file(stat, "18 (kvm) R 1 1 1 0 -1 16 0 0\n");
	unit_equal(attach_threads_list(PID, tids), 4, "one that takes signals "
		   "is the program's");
	made_file(stat, "18 (x) Z 1 1 1 0 -1 4 0 0\n");
	unit_check(!attach_thread_worker(PID, 99), "no thread");
}

static void check_many(void)
{
	pid_t tids[ATTACH_THREADS_MAX];

	for (int tid = 1000; tid < 1000 + 2 * ATTACH_THREADS_MAX; tid++)
		put_thread(tid, "many", 'S', call_line(SYS_poll));
	unit_equal(attach_threads_list(PID, tids), ATTACH_THREADS_MAX,
		   "at most so many threads");
}

static void check_waits(void)
{
	uint64_t sp = 0, pc = 0;

	unit_equal(attach_thread_waits(PID, 99, &sp, &pc), -ESRCH,
		   "no thread");
	unit_equal(attach_thread_waits(PID, 15, &sp, &pc), -EAGAIN,
		   "a thread that runs");
	unit_equal(attach_thread_waits(PID, 16, &sp, &pc), 0,
		   "a thread that waits");
	unit_equal((long long)sp, 0x7ffc0000, "its stack");
	unit_equal((long long)pc, 0x7f001234, "its place");
	put_thread(17, "x", 'S', "-1 0xffff 0x1234\n");
	unit_equal(attach_thread_waits(PID, 17, &sp, &pc), 0,
		   "a thread that waits outside of a call");
	unit_equal((long long)sp, 0xffff, "its stack, too");
	put_thread(17, "x", 'S', "");
	unit_equal(attach_thread_waits(PID, 17, &sp, &pc), -ESRCH,
		   "a thread that has just ended");
}

static void check_signals(void)
{
	made_file("proc/4711/task/11/status", "SigQ:\t0/1\n"
		  "SigBlk:\t8000000000004001\nSigCgt:\t0000000000000010\n");
	unit_check(attach_signal_in(PID, 11, "SigBlk", 1), "signal 1");
	unit_check(attach_signal_in(PID, 11, "SigBlk", 15), "signal 15");
	unit_check(attach_signal_in(PID, 11, "SigBlk", 64), "signal 64");
	unit_check(!attach_signal_in(PID, 11, "SigBlk", 14), "no signal 14");
	unit_check(!attach_signal_in(PID, 11, "SigBlk", 16), "no signal 16");
	unit_check(attach_signal_in(PID, 11, "SigCgt", 5), "one in a handler");
	unit_check(!attach_signal_in(PID, 11, "SigB", 1), "no such set");
	unit_check(!attach_signal_in(PID, 99, "SigBlk", 1), "no such thread");
}

/* A stack whose words are in this process. fork(3) is at 0x10000 to 0x10100,
 * and calls handlers from near 0x20000. */
static void check_forking(void)
{
	static uint64_t stack[1 << 15];
	struct attach_target t = {
		.pid = getpid(),
		.names = { .fork = 0x10000, .fork_bytes = 0x100,
			   .fork_alone = 0x11000, .fork_alone_bytes = 0x10,
			   .atfork = 0x20000 },
	};
	uint64_t sp = (uint64_t)(uintptr_t)stack;

	unit_equal(attach_forking_at(&t, sp, 0x10000), FORKING_INSIDE,
		   "the first byte of fork");
	unit_equal(attach_forking_at(&t, sp, 0x100ff), FORKING_INSIDE,
		   "the last byte of fork");
	unit_equal(attach_forking_at(&t, sp, 0x10100), FORKING_NO,
		   "the byte behind fork");
	unit_equal(attach_forking_at(&t, sp, 0x1100f), FORKING_INSIDE,
		   "_Fork");
	unit_equal(attach_forking_at(&t, sp, 0x11010), FORKING_NO,
		   "behind _Fork");
	stack[100] = 0x10050;
	unit_equal(attach_forking_at(&t, sp, 1), FORKING_MAYBE,
		   "an address of fork on the stack");
	unit_equal(attach_forking_at(&t, sp + 100 * 8 + 7, 1), FORKING_MAYBE,
		   "at the stack pointer");
	unit_equal(attach_forking_at(&t, sp + 101 * 8, 1), FORKING_NO,
		   "below the stack pointer");
	stack[90] = 0x20010;
	unit_equal(attach_forking_at(&t, sp, 1), FORKING_HANDLER,
		   "behind a caller of handlers");
	stack[90] = 0x20fff;
	unit_equal(attach_forking_at(&t, sp, 1), FORKING_HANDLER,
		   "behind the last byte of such callers");
	stack[90] = 0x21000;
	unit_equal(attach_forking_at(&t, sp, 1), FORKING_MAYBE,
		   "behind other code");
	stack[90] = 0;
	stack[60] = 0x20010;
	unit_equal(attach_forking_at(&t, sp, 1), FORKING_MAYBE,
		   "a caller too far away");
}

static void check_memory(void)
{
	struct attach_target t = { .pid = getpid() };
	char here[] = "there", copy[sizeof(here)] = "";
	uint64_t address = (uint64_t)(uintptr_t)here;

	unit_equal(attach_read(&t, address, copy, sizeof(copy)), 0, "read");
	unit_equal_string(copy, "there", "read: bytes");
	unit_equal(attach_write(&t, address, "where", 6), 0, "write");
	unit_equal_string(here, "where", "write: bytes");
	unit_equal(attach_read(&t, 8, copy, 1), -EFAULT, "no memory");
}

/* A module in this process, by one hash table or the other, with the symbols
 * none, first, middle, last. */
static void check_names(void)
{
	static char strings[] = "\0first\0middle\0last\0other";
	static Elf64_Sym symbols[] = {
		{ .st_name = 0 },
		{ .st_name = 1, .st_shndx = 1, .st_value = 0x10 },
		{ .st_name = 7, .st_shndx = 1, .st_value = 0x20 },
		{ .st_name = 14, .st_shndx = 1, .st_value = 0x30 },
		/* no table counts it */
		{ .st_name = 19, .st_shndx = 1, .st_value = 0x40 },
	};
	static uint32_t hash[] = { 1, 4 };
	/* a bucket, the first symbol, a word of the filter, its shift; the
	 * filter; the bucket; the chain, of which an odd number is the last */
	static uint32_t gnu[] = { 1, 1, 1, 0, 0, 0, 1, 2, 4, 7 };
	static Elf64_Dyn dynamic[] = {
		{ .d_tag = DT_SYMTAB }, { .d_tag = DT_STRTAB },
		{ .d_tag = DT_STRSZ, .d_un.d_val = sizeof(strings) },
		{ .d_tag = DT_HASH }, { .d_tag = DT_NULL },
	};
	struct attach_module module = {
		.name = "made.so", .dynamic = (uintptr_t)dynamic,
	};
	struct attach_target t = {
		.pid = getpid(), .modules = &module, .nmodules = 1,
	};

	dynamic[0].d_un.d_ptr = (uintptr_t)symbols;
	dynamic[1].d_un.d_ptr = (uintptr_t)strings;
	for (int i = 0; i < 2; i++) {
		const char *name = i ? "GNU hash" : "hash";

		dynamic[3].d_tag = i ? DT_GNU_HASH : DT_HASH;
		dynamic[3].d_un.d_ptr = i ? (uintptr_t)gnu : (uintptr_t)hash;
		unit_equal((long long)attach_name_find(&t, "made.so", "first"),
			   0x10, "%s: the first symbol", name);
		unit_equal((long long)attach_name_find(&t, "made.so", "last"),
			   0x30, "%s: the last symbol", name);
		unit_equal((long long)attach_name_find(&t, "made.so", "other"),
			   0, "%s: no symbol behind it", name);
		unit_equal((long long)attach_name_find(&t, "none.so", "last"),
			   0, "%s: no such module", name);
	}
}

int main(void)
{
	made_open();
	check_names();
	check_threads();
	check_workers();
	check_waits();
	check_signals();
	check_many();
	check_forking();
	check_memory();
	made_close();
	return unit_end();
}
