/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Handles SIGTRAP from a cc that the agent wrote: the thread continues where
 * the instruction that was there is now.
 *
 * The handler takes only traps of the agent's cc. Any other SIGTRAP has the
 * effect that it would have without the handler. A debugger sees the signal
 * first; the kernel handles a uprobe's cc before it makes a signal.
 *
 * gdb 13 takes a cc that a thread executes while gdb attaches for a breakpoint.
 * It leaves the program counter at the cc, not behind it; before it knows the
 * program, only the lower half of that (docs/gdb-defects.md). Behind an
 * instruction of one byte that has a cc, too, a whole address does not tell
 * which cc it was; it is taken for the first, as without a debugger.
 *
 * A way may be given back, and be free, while a thread is between a cc of it
 * and the handler. The program's instruction is there again then, and the
 * thread executes it.
 *
 * A cc that stays (USDT_INT3) costs each hit a signal. While it is there the
 * program must not block, ignore or catch SIGTRAP, which cannot be known in
 * advance. So it is used only where a session allows it.
 *
 * A cc would kill a thread that blocks SIGTRAP, so nothing is switched while a
 * thread does. A thread that also blocks the signals which libc keeps for
 * itself does not count: it is in a function of libc or of the agent.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <ucontext.h>

#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "tracepoints/usdt/jumps/jumps.h"

#define SIGSET_BYTES	8
#define RESTORER	0x04000000	/* SA_RESTORER */
#define LIBCS		(3ull << 31)	/* signals 32 and 33 */
#define PAGE		4096ull
#define TRAP		0xcc
#define BIT(signal)	(1ull << ((signal) - 1))

/* As rt_sigaction(2) takes it. */
struct action {
	void (*handler)(int signal, siginfo_t *info, void *context);
	uint64_t flags;
	void (*restorer)(void);
	uint64_t mask;
};

static struct action before;

void usdt_restorer(void) __attribute__((visibility("hidden")));
__asm__(".pushsection .text\n\t"
	".globl usdt_restorer\n\t"
	".hidden usdt_restorer\n"
	"usdt_restorer:\tmovl $15, %eax\n\t"
	"syscall\n\t"
	".popsection");

/* Returns where a thread continues that has executed the cc at an offset. */
static SIGSAFE uint64_t way_continues(const struct way *way, uint64_t k)
{
	if (!k && (way->n > 1 || way->puns))
		return usdt_jump_target(usdt_way_part(way, WAY_ON), way->site,
					way->prefixes);
	if (!k && way->direct)
		return (uint64_t)way->stubs;
	return usdt_way_moved(way) + usdt_way_part(way, WAY_OFFSETS)[k];
}

/* Tells whether the byte before an address may be a cc of the program's: no way
 * has it within an instruction, as the last byte of a jump. */
static SIGSAFE bool cc_is_before(uint64_t address)
{
	struct usdt_lookup lookup = usdt_lookup_open(address - 1, ~0ull);
	const struct way *way;
	uint64_t k;

	if (address % PAGE == 0 || ((const uint8_t *)address)[-1] != TRAP)
		return false;
	while ((way = usdt_lookup_next(&lookup))) {
		k = address - 1 - way->site;
		/* USDT-WAY: one that is free has no code there */
		if (k && k < way->n && !(way->starts >> k & 1) &&
		    !load_acquire(&way->free, USDT_WAY))
			return false;
	}
	return true;
}

SIGSAFE uint64_t usdt_trap_target(uint64_t address, uint64_t mask, bool moved)
{
	struct usdt_lookup lookup = usdt_lookup_open(address, mask);
	const struct way *found[2] = { NULL, NULL };	/* in use, replaced */
	const struct way *way;

	while ((way = usdt_lookup_next(&lookup))) {
		uint64_t k = (address - way->site) & mask;
		/* USDT-WAY. A way that another one replaces meanwhile may be
		 * the only one that this thread finds. The code of it stays. */
		bool free = load_acquire(&way->free, USDT_WAY);

		if (k >= way->n || (free && !way->replaced))
			continue;
		/* the program's own cc before the agent's */
		if (moved && address == way->site + k && cc_is_before(address))
			continue;
		if (k && !(way->starts >> k & 1))
			continue;
		/* the newest */
		if (!found[free] || lookup.table)
			found[free] = way;
	}
	way = found[0] ? found[0] : found[1];
	return way ? way_continues(way, (address - way->site) & mask) : 0;
}

/* Returns where a thread continues that has executed a cc at the address, for
 * which usdt_trap_target() has found no way: at the address if the cc is gone;
 * or as a way wants it that came meanwhile; 0: the cc is not the agent's. */
static SIGSAFE uint64_t trap_undone(uint64_t address)
{
	struct usdt_lookup lookup = usdt_lookup_open(address, ~0ull);
	const struct way *way;

	do {
		way = usdt_lookup_next(&lookup);
	} while (way && (address - way->site >= way->n ||
			 !((way->starts | 1u) >> (address - way->site) & 1)));
	if (!way)
		return 0;
	return *(const volatile uint8_t *)address != TRAP ?
		       address : usdt_trap_target(address, ~0ull, false);
}

/* Has the effect of the trap without the handler. */
static SIGSAFE void pass_on(int signal, siginfo_t *info, void *context)
{
	struct action action = { 0 };
	uint64_t mask = before.mask;
	uint64_t was;

	/* a process can ignore a signal that was sent, but not a trap */
	if (before.handler == (void *)SIG_IGN && info->si_code <= 0)
		return;
	if (before.handler == (void *)SIG_DFL ||
	    before.handler == (void *)SIG_IGN) {
		mask = BIT(signal);
		sys4(SYS_rt_sigaction, signal, &action, NULL, SIGSET_BYTES);
		sys4(SYS_rt_sigprocmask, SIG_UNBLOCK, &mask, NULL,
		     SIGSET_BYTES);
		sys3(SYS_tgkill, sys_getpid(), sys_gettid(), signal);
		return;
	}
	if (!(before.flags & SA_NODEFER))
		mask |= BIT(signal);
	sys4(SYS_rt_sigprocmask, SIG_BLOCK, &mask, &was, SIGSET_BYTES);
	before.handler(signal, info, context);
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &was, NULL, SIGSET_BYTES);
}

/* Leads a thread on from a cc of the agent's; passes any other trap on. */
static SIGSAFE void trap_handle(int signal, siginfo_t *info, void *context)
{
	ucontext_t *user = context;
	greg_t *rip = &user->uc_mcontext.gregs[REG_RIP];
	uint64_t pc = (uint64_t)*rip;
	uint64_t on = 0;

	if (info->si_code > 0)
		on = usdt_trap_target(pc - 1, ~0ull, false);
	/* not after a single step */
	if (!on && info->si_code == SI_KERNEL)
		on = usdt_trap_target(pc, pc > UINT32_MAX ? ~0ull : UINT32_MAX,
				      true);
	if (!on && info->si_code == SI_KERNEL)
		on = trap_undone(pc - 1);
	if (on)
		*rip = (greg_t)on;
	else
		pass_on(signal, info, context);
}

/* Returns a thread's blocked signals, "SigBlk:\t0123456789abcdef" in its
 * status; ~0 if the thread is gone. Before it stands "TracerPid:\t0": any
 * other number sets `traced`. */
static uint64_t blocked_read(const char *tid, bool *traced)
{
	static const char word[] = "SigBlk:\t";
	static const char tracer[] = "TracerPid:\t";
	char buffer[2048];
	struct text path;
	uint64_t blocked = 0;
	const char *p = buffer;
	long n;
	int fd;

	text_open(&path, buffer, sizeof(buffer));
	text_add(&path, "/proc/self/task/");
	text_add(&path, tid);
	text_add(&path, "/status");
	fd = (int)sys_open(buffer, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return ~0ull;
	n = sys_read(fd, buffer, sizeof(buffer) - 1);
	sys_close(fd);
	if (n <= 0)
		return ~0ull;
	buffer[n] = 0;
	for (; *p && !text_after(p, word); p++)
		if (text_after(p, tracer) && p[sizeof(tracer) - 1] != '0')
			*traced = true;
	if (!*p)
		return BIT(SIGTRAP);
	for (p += sizeof(word) - 1; *p > ' '; p++)
		blocked = blocked << 4 |
			  (uint64_t)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
	return blocked;
}

/* Tells whether a thread blocks SIGTRAP, or this cannot be read. Sets `traced`
 * when a debugger has one of the threads that were looked at. */
static bool threads_block(bool *traced)
{
	int fd = (int)sys_open("/proc/self/task",
			       O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	uint8_t buffer[1024] __attribute__((aligned(8)));
	int blocks = fd < 0;
	uint64_t blocked;
	long n = 0;

	while (!blocks && (n = sys3(SYS_getdents64, fd, buffer,
				    sizeof(buffer))) > 0) {
		for (long at = 0; at < n && !blocks;) {
			const struct dirent64 *entry =
				(const struct dirent64 *)(buffer + at);

			at += entry->d_reclen;
			if (entry->d_name[0] == '.')
				continue;
			/* see the head of this file for the signals of libc */
			blocked = blocked_read(entry->d_name, traced);
			blocks = blocked & BIT(SIGTRAP) &&
				 (blocked & LIBCS) != LIBCS;
		}
	}
	if (fd >= 0)
		sys_close(fd);
	return blocks || n < 0;
}

bool usdt_traps_ignored(void)
{
	struct action now;

	if (sys4(SYS_rt_sigaction, SIGTRAP, NULL, &now, SIGSET_BYTES))
		return true;
	if (now.handler == trap_handle)
		now = before;
	return now.handler == (void *)SIG_IGN;
}

bool usdt_faults_handled(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS };
	struct action now;

	/* see agent/faulting.c */
	if (__atomic_load_n(&usdt_faults.handled, SEQ_CST(USDT_FAULTS)) ||
	    __atomic_load_n(&usdt_faults.confined, SEQ_CST(USDT_FAULTS)))
		return true;
	for (uint32_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (!sys4(SYS_rt_sigaction, signals[i], NULL, &now,
			  SIGSET_BYTES) &&
		    now.handler != (void *)SIG_DFL &&
		    now.handler != (void *)SIG_IGN)
			return true;
	return false;
}

/* Installs the handler, unless it is there, and keeps the one before it. */
int usdt_traps_ready(bool *traced)
{
	const struct action ours = {
		.handler = trap_handle,
		.flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | RESTORER,
		.restorer = usdt_restorer,
	};
	struct action now;
	long ret = sys4(SYS_rt_sigaction, SIGTRAP, NULL, &now, SIGSET_BYTES);

	if (!ret && now.handler != trap_handle) {
		before = now;
		ret = sys4(SYS_rt_sigaction, SIGTRAP, &ours, NULL,
			   SIGSET_BYTES);
	}
	return ret ? (int)ret : threads_block(traced) ? -EAGAIN : 0;
}
