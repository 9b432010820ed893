/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Thread and process facts for contexts.
 */
#include "base/host.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>

#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"

/* TracerPid stands in the first lines of /proc/PID/status. */
#define STATUS_BYTES	320

const struct host_leaf *(*host_leaf)(unsigned int number);
int host_cpu_fast;
int host_transactions;
int host_confined;
uint32_t host_landlock;
uint32_t host_guest_confined;
char host_program[16];
__thread struct host_cpu_told host_cpu_told;

static int tid_in_libc;

/* Zero in a new thread. A fork keeps it, as the kernel keeps the name. */
static __thread struct {
	uint32_t known;
	char name[16];
} thread;

uint32_t host_cpus_possible(void)
{
	char buffer[256] = "";
	const char *p = buffer;
	int fd = (int)sys_open("/sys/devices/system/cpu/possible",
			       O_RDONLY | O_CLOEXEC, 0);
	int64_t last = 0;
	uint8_t mask[1024];
	long n;

	if (fd >= 0) {
		sys_read(fd, buffer, sizeof(buffer) - 1);
		sys_close(fd);
		while (*p) {
			int64_t number = text_number(&p);

			if (number > last)
				last = number;
			if (*p)
				p++;
		}
		return (uint32_t)last + 1;
	}
	n = sys3(SYS_sched_getaffinity, 0, sizeof(mask), mask);
	while (n > 1 && !mask[n - 1])
		n--;
	return n > 0 ? (uint32_t)n * 8 : 1;
}

SIGSAFE bool host_may_ask(void)
{
	return sys2(SYS_arch_prctl, HOST_GET_CPUID, 0) != 0;
}

bool host_avx2(void)
{
	static uint32_t answer;		/* 0: not asked yet */

	if (!load_relaxed(&answer))
		store_relaxed(&answer,
			      host_may_ask() && host_avx2_read() ? 2 : 1);
	return load_relaxed(&answer) == 2;
}

SIGSAFE void host_setup(void)
{
	host_features_read(&host_cpu_fast, &host_transactions);
	host_forked();
}

SIGSAFE void host_forked(void)
{
	tid_in_libc = host_tid_libc() == (uint32_t)sys_gettid();
}

SIGSAFE uint32_t host_tid(void)
{
	uint32_t tid = likely(tid_in_libc) ? host_tid_libc() : 0;

	/* a thread that a runtime has made may have none in libc */
	if (likely(tid))
		return tid;
	return host_confined ? 0 : (uint32_t)sys_gettid();
}

SIGSAFE bool host_tid_certain(uint32_t tid)
{
	return tid && host_tid_libc() == tid;
}

/* SIGKILL's, which no mask has: the trap flag was set. SIGSTOP's: the kernel
 * has not told the mask, and it is as it was. */
#define MASK_TRAPPED	(1ull << (SIGKILL - 1))
#define MASK_UNKNOWN	(1ull << (SIGSTOP - 1))

/* Returns whether a debugger has the calling thread, also where that cannot be
 * read. */
static COLD __attribute__((noinline)) bool host_traced(void)
{
	static const char word[] = "TracerPid:\t";
	char text[STATUS_BYTES];
	int fd = (int)sys_open("/proc/thread-self/status",
			       O_RDONLY | O_CLOEXEC, 0);
	long n = fd < 0 ? 0 : sys_read(fd, text, sizeof(text) - 1);
	const char *p = text, *value = NULL;

	if (fd >= 0)
		sys_close(fd);
	text[n > 0 ? n : 0] = '\0';
	while (*p && !value) {
		value = text_after(p, word);
		while (*p && *p++ != '\n')
			;
	}
	return !value || *value != '0';
}

SIGSAFE int host_signals_block(uint64_t *before)
{
	bool trapped = host_trap_seen() && !host_traced();
	uint64_t all = ~0ull;
	int ret;

	if (trapped)
		host_trap_clear();
	ret = (int)sys4(SYS_rt_sigprocmask, SIG_SETMASK, &all, before,
			sizeof(all));
	if (ret)
		*before = MASK_UNKNOWN;
	if (ret && trapped)
		host_trap_set();
	else if (trapped)
		*before |= MASK_TRAPPED;
	return ret;
}

SIGSAFE void host_signals_restore(const uint64_t *before)
{
	if (*before & MASK_UNKNOWN)
		return;
	/* the kernel leaves out SIGKILL */
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, before, NULL, sizeof(*before));
	if (*before & MASK_TRAPPED)
		host_trap_set();
}

SIGSAFE void host_thread_name(char *out16)
{
	if (!thread.known && host_confined) {
		__builtin_memcpy(out16, host_program, sizeof(host_program));
		return;
	}
	if (!thread.known) {
		sys5(SYS_prctl, PR_GET_NAME, thread.name, 0, 0, 0);
		thread.known = 1;
	}
	__builtin_memcpy(out16, thread.name, sizeof(thread.name));
}
