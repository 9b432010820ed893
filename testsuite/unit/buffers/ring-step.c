/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writers under a debugger: a child that is stepped through a write, one
 * instruction at a time, and a child that is moved to another CPU at the worst
 * moment, which a hardware watchpoint finds.
 */
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testsuite/stress/bed.h"
#include "testsuite/unit/unit.h"

#define STEPS_MAX	2000000

/* A child's report to the test. */
static struct report {
	volatile uint64_t cpu_events;
	volatile uint64_t locked_events;
	volatile uint64_t limit;	/* of a ring it never wrote to */
	volatile int done;
} *report;

static struct write_shape shape = { .fixed_bytes = 8 };
static struct write_slot slot;

static void pin(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(pid, sizeof(set), &set);
}

static uint64_t events(struct ring *const *rings, uint32_t n)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < n; i++)
		sum += rings[i] ? RING_EVENTS(rings[i]->head) : 0;
	return sum;
}

static void child_open(void)
{
	if (bed_open(NULL, 1) ||
	    bed_channel(&channels[0], 0, 0, 0, 256u << 10))
		_exit(1);
	bed_slot(&slot, &shape);
	bed_slot_on(&slot, &channels[0], 1);
}

static void child_close(void)
{
	report->cpu_events = events(channels[0].rings->tab, bed.cpus);
	report->locked_events = events(channels[0].locked, LOCKED_MAX);
	report->done = 1;
	bed_close();
	_exit(0);
}

/* Stops before its writes and after them. */
static void stepped_child(void)
{
	child_open();
	if (!bed.cpus)
		child_close();
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	slot.hit(&slot, 1, NULL);
	raise(SIGSTOP);
	slot.hit(&slot, 2, NULL);
	slot.hit(&slot, 3, NULL);
	raise(SIGSTOP);
	slot.hit(&slot, 4, NULL);
	child_close();
}

static void test_step(void)
{
	pid_t pid = fork();
	int stops = 0;
	int steps = 0;
	int status;

	if (!pid)
		stepped_child();
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) &&
	       steps++ < STEPS_MAX) {
		stops += WSTOPSIG(status) == SIGSTOP;
		ptrace(stops == 1 ? PTRACE_SINGLESTEP : PTRACE_CONT, pid, NULL,
		       NULL);
	}
	if (!WIFEXITED(status)) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	if (report->done && !stops) {
		unit_skip("a write stepped by instruction", "no rseq");
		return;
	}
	unit_check(report->done && steps > 100,
		   "a write stepped by instruction ends");
	unit_equal(report->cpu_events + report->locked_events, 4,
		   "no event of a stepped write is lost");
	unit_equal(report->locked_events, 2,
		   "what is stepped goes to a locked ring");
}

/* Reports its ring's address, then writes one event with a full timestamp. */
static void moved_child(struct ring *volatile *where)
{
	pin(0, 0);
	child_open();
	if (!bed.cpus || bed.cpus < 2)
		child_close();
	*where = channels[0].rings->tab[0];
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	slot.hit(&slot, 1, NULL);
	report->limit = channels[0].rings->tab[1]->ts_limit;
	child_close();
}

static int watch(pid_t pid, void *address)
{
	/* 8 bytes, on stores, in this thread */
	unsigned long control = 1 | 1 << 16 | 2 << 18;
	size_t registers = offsetof(struct user, u_debugreg);

	return ptrace(PTRACE_POKEUSER, pid, registers, address) ||
	       ptrace(PTRACE_POKEUSER, pid, registers + 7 * sizeof(long),
		      address ? control : 0);
}

static void test_move(void)
{
	struct ring *volatile *where = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const char *name = "a limit is raised in its own ring only";
	int moved = 0;
	int status;
	pid_t pid;

	memset(report, 0, sizeof(*report));
	pid = fork();
	if (!pid)
		moved_child(where);
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		if (WSTOPSIG(status) == SIGSTOP) {
			if (watch(pid, *where))
				break;
		} else if (WSTOPSIG(status) == SIGTRAP) {
			/* committed: leave before the limit is raised */
			watch(pid, NULL);
			pin(pid, 1);
			moved++;
		}
		ptrace(PTRACE_CONT, pid, NULL, NULL);
	}
	if (!WIFEXITED(status)) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	if (!moved)
		unit_skip(name, "no rseq, one CPU, or no watchpoints");
	else
		unit_equal(report->limit, 1, "%s", name);
}

int main(void)
{
	report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	test_step();
	test_move();
	return unit_end();
}
