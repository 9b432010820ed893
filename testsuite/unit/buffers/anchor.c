/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Anchors of the clock: they are found without libc and taken without a system
 * call, and torn ones are refused. Readers use them, and survive false ones.
 */
#include "testsuite/unit/unit.h"

#include <elf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "buffers/clock.h"
#include "buffers/reader/reader.h"
#include "buffers/rings/anchor.h"
#include "buffers/rings/channel.h"
#include "buffers/vdso-private.h"
#include "traces/trace.h"

#define NS		1000000000ull
#define HZ		2100000000ull
#define UP_NS		(86400 * NS)		/* uptime at clock 0 */
#define EPOCH_NS	(1700000000 * NS)	/* real time then */
#define VDSO_BYTES	8192

static struct process_page page;

static void test_vdso(void)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	static char copy[VDSO_BYTES] __attribute__((aligned(4096)));
	const Elf64_Ehdr *header = (const void *)copy;
	const Elf64_Phdr *ph;
	const char *function;
	Elf64_Dyn *dynamic;
	int i;

	if (!image) {
		unit_skip("vdso", "no vDSO");
		return;
	}
	function = vdso_find(CLOCK_VDSO_GETTIME);
	unit_check(function > image, "vdso: found");
	unit_check(!vdso_find("no_such_function"), "vdso: not found");
	memcpy(copy, image, sizeof(copy));
	ph = (const void *)(copy + header->e_phoff);
	for (i = 0; i < header->e_phnum && ph[i].p_type != PT_DYNAMIC; i++)
		;
	dynamic = (void *)(copy + ph[i].p_offset);
	for (; dynamic->d_tag != DT_NULL; dynamic++)
		if (dynamic->d_tag == DT_HASH)
			dynamic->d_tag = DT_DEBUG;
	unit_equal((const char *)vdso_find_in(copy, CLOCK_VDSO_GETTIME) - copy,
		   function - image, "vdso: found without DT_HASH");
	unit_check(!vdso_find_in(copy, "no_such_function"),
		   "vdso: not found without DT_HASH");
}

/* Any mixture of two anchors, with the check of one of them. */
static void test_torn(void)
{
	struct clock_anchor all[1 + PROCESS_ANCHORS];
	uint64_t words[2][5] = { { 11, 12, 13, 14, 0 }, { 21, 22, 23, 24, 0 } };
	int believed = 0;
	int mix;
	int i;

	for (i = 0; i < 2; i++)
		words[i][4] = anchor_check((void *)words[i]);
	for (mix = 0; mix < 32; mix++) {
		memset(&page, 0, sizeof(page));
		for (i = 0; i < 5; i++)
			((uint64_t *)&page.anchors[1])[i] =
				words[mix >> i & 1][i];
		believed += process_anchors(&page, all) - 1;
	}
	unit_equal(believed, 2, "torn: only whole ones are believed");
	memset(&page, 0, sizeof(page));
	unit_equal(process_anchors(&page, all), 1, "torn: an unused slot");
	for (i = 0; i < 4; i++) {
		struct clock_anchor bad = { 1, 1, 1, 1 };

		((uint64_t *)&bad)[i] = ~0ull;
		page.anchors[i].anchor = bad;
		page.anchors[i].check = anchor_check(&bad);
	}
	page.start.uncertainty_ns = ~0ull;
	unit_equal(process_anchors(&page, all), 0, "torn: impossible values");
}

static int slots_used(void)
{
	struct clock_anchor all[1 + PROCESS_ANCHORS];

	return process_anchors(&page, all) - 1;
}

/* Ends by SIGSYS at the first system call that is not exit_group. (The strict
 * mode of seccomp takes the TSC away, too.) */
static int quiet_child(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog filter = { ARRAY_SIZE(code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 2;
	anchor_keep();
	return slots_used() ? 0 : 1;
}

static void test_keep(void)
{
	struct clock_anchor all[1 + PROCESS_ANCHORS];
	uint64_t before = clock_read();
	uint64_t distance = clock_hz() / 1000 * ANCHOR_DISTANCE_MS;
	int status = -1;
	int most = 0;
	int i;
	pid_t child;

	if (!clock_is_quiet()) {
		unit_skip("keep", "the clock cannot be read quietly");
		return;
	}
	memset(&page, 0, sizeof(page));
	process.page = &page;
	child = fork();
	if (!child)
		_exit(quiet_child());
	waitpid(child, &status, 0);
	if (UNIT_SANITIZED)
		unit_skip("keep: no system call", "a sanitizer's own");
	else
		unit_equal(status, 0, "keep: no system call");
	anchor_keep();
	unit_equal(slots_used(), 1, "keep: the first");
	process_anchors(&page, all);
	unit_check(all[1].clock >= before && all[1].clock <= clock_read(),
		   "keep: the clock is now");
	before = clock_read();
	for (i = 0; i < 1000; i++)
		anchor_keep();
	most = 1 + (int)((clock_read() - before) / distance) + 1;
	unit_check(slots_used() <= most, "keep: seldom");
	while (slots_used() < PROCESS_ANCHORS)
		anchor_keep();
	unit_check(clock_read() - before >= distance * (PROCESS_ANCHORS - 2),
		   "keep: at a distance");
	process.page = NULL;
	anchor_keep();
	unit_check(1, "keep: without a page");
}

/* An anchor at `ms` of a clock of `hz` whose time is `late_ns` off. */
static struct clock_anchor anchor_at(int64_t ms, int64_t late_ns)
{
	struct clock_anchor anchor = {
		.clock = (uint64_t)ms * (HZ / 1000),
		.monotonic_ns = UP_NS + (uint64_t)(ms * 1000000 + late_ns),
		.uncertainty_ns = 100,
	};

	anchor.realtime_ns = EPOCH_NS + anchor.monotonic_ns - UP_NS;
	return anchor;
}

static void page_open(uint64_t hz, struct clock_anchor start)
{
	memset(&page, 0, sizeof(page));
	page.clock_kind = CLOCK_KIND_TSC;
	page.clock_hz = hz;
	page.start = start;
	memset(page.boot_id, 7, sizeof(page.boot_id));
}

static void page_slot(int i, struct clock_anchor anchor)
{
	page.anchors[i].anchor = anchor;
	page.anchors[i].check = anchor_check(&anchor);
}

/* Returns the error of the fit, ns, at `ms`. */
static double fit_error(const struct trace_set *set, int64_t ms)
{
	struct metadata_clock clock;
	double cycles;

	trace_set_clock(set, &page, &clock);
	cycles = (double)((uint64_t)ms * (HZ / 1000)) + (double)clock.offset;
	return ((double)clock.offset_s - (double)(EPOCH_NS / NS)) * 1e9 +
	       cycles * 1e9 / (double)clock.hz - (double)ms * 1e6;
}

static void check_error(const struct trace_set *set, int64_t ms, double most,
			const char *name)
{
	double error = fit_error(set, ms);

	if (!unit_check(fabs(error) <= most, "%s", name))
		printf("# %g ns off, at most %g\n", error, most);
}

/* The anchors are of another boot: only the process's own count. */
static void test_alone(void)
{
	struct trace_set set = { 0 };

	page_open(HZ + HZ / 100, anchor_at(1000, 0));
	trace_set_anchors(&set, &page);
	check_error(&set, 1000, 1000, "alone: the start");
	unit_check(fabs(fit_error(&set, 61000)) > 1e8,
		   "alone: without a second anchor by the estimate");
	page_slot(0, anchor_at(61000, 0));
	page_slot(1, anchor_at(60900, 0));
	trace_set_anchors(&set, &page);
	check_error(&set, 1000, 1000, "alone: start and last: the start");
	check_error(&set, 61000, 1000, "alone: start and last: the end");
	page_slot(2, anchor_at(70000, 5000000000));
	page_slot(3, anchor_at(60800, 0));
	trace_set_anchors(&set, &page);
	check_error(&set, 61000, 1000, "alone: one that nobody agrees with");
}

/* The own anchors are 2 ms apart, with 200 ns of doubt: the rate is known to
 * 1e-4. */
static void test_own(void)
{
	struct clock_anchor a = anchor_at(100000, 0);
	struct clock_anchor b = anchor_at(100002, 60);
	struct clock_anchor lie;
	struct trace_set set = { 0 };
	int i;

	memset(set.boot_id, 7, sizeof(set.boot_id));
	trace_set_own_anchor(&set, CLOCK_KIND_TSC, &a);
	trace_set_own_anchor(&set, CLOCK_KIND_TSC, &b);
	page_open(HZ * 2, anchor_at(100001, 0));
	trace_set_anchors(&set, &page);
	check_error(&set, 90000, 2e6, "own: an estimate that cannot be");
	page_open(HZ, anchor_at(40000, 0));
	page_slot(0, anchor_at(99000, 0));
	trace_set_anchors(&set, &page);
	check_error(&set, 40000, 1000, "own: others make it exact");
	/* a wrong slope over a long span, without doubt: a heavy anchor */
	for (i = 1; i < 4; i++) {
		lie = anchor_at(-1000000 * i + 200000 * i, 5000000);
		lie.clock = (uint64_t)i;
		lie.uncertainty_ns = 0;
		page_slot(i, lie);
	}
	trace_set_anchors(&set, &page);
	check_error(&set, 40000, 1000, "own: lies are not believed");
	/* beside false anchors only, the error is the own doubt */
	memset(&set.anchors, 0, sizeof(set.anchors));
	page_open(HZ * 2, lie);
	trace_set_anchors(&set, &page);
	check_error(&set, 90000, 2e6, "own: lies only");
	check_error(&set, 100001, 1000, "own: and the time that is ours");
	/* anchors of another boot are neither judged nor mixed in */
	memset(set.boot_id, 8, sizeof(set.boot_id));
	memset(&set.anchors, 0, sizeof(set.anchors));
	page_open(HZ, anchor_at(1000, 7000000000));
	page_slot(0, anchor_at(61000, 7000000000));
	trace_set_anchors(&set, &page);
	unit_check(fabs(fit_error(&set, 30000) - 7e9) < 1000,
		   "own: not those of another boot");
}

/* More anchors than there is room for: the first and the last stay. */
static void test_crowd(void)
{
	struct trace_set set = { 0 };
	int i;

	page_open(HZ + HZ / 100, anchor_at(1000, 0));
	trace_set_anchors(&set, &page);
	for (i = 0; i < 200; i++) {
		page_slot(i % 4, anchor_at(2000 + 10 * i, 0));
		trace_set_anchors(&set, &page);
	}
	unit_equal(set.anchors[0].n, TRACE_ANCHORS_MAX, "crowd: is bounded");
	check_error(&set, 1000, 1000, "crowd: the first");
	check_error(&set, 2000 + 10 * 199, 1000, "crowd: the last");
}

int main(void)
{
	clock_select(NULL);
	clock_settle(0);
	test_vdso();
	test_torn();
	test_keep();
	test_alone();
	test_own();
	test_crowd();
	return unit_end();
}
