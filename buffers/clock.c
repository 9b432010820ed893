/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The trace clock: TSC, CLOCK_MONOTONIC, or a counter.
 *
 * The TSC is chosen only where it is invariant (CPUID 80000007H EDX bit 8) and
 * the kernel keeps time with it: a kernel that finds the TSC unsynchronised
 * uses another clock source.
 */
#include "buffers/clock.h"

#include <fcntl.h>
#include <stdbool.h>
#include <time.h>

#include "base/sys.h"
#include "base/text.h"
#include "buffers/vdso-private.h"

#define NS_PER_S		1000000000ull
#define ANCHOR_TRIES		8
#define ANCHOR_TRIES_QUICK	2
#define CALIBRATE_NS		200000ull
#define TSC_LEAST_HZ		10000000ull
#define CLOCKSOURCE_FILE                                               \
	"/sys/devices/system/clocksource/clocksource0/current_clocksource"

int clock_chosen = CLOCK_KIND_TSC;
static uint64_t hz;		/* 0: not known yet */
static bool settled;
static uint64_t counter;
static int quiet;
static int left;		/* clock_leave(): the choice, + 1 */

/* Bypasses libc: a sanitizer may have replaced libc's clock_gettime() by one
 * that only libc's threads can call. */
static int gettime_call(clockid_t id, struct timespec *ts)
{
	return (int)sys2(SYS_clock_gettime, id, ts);
}

/* The vDSO's function, once it is found. */
static int (*gettime)(clockid_t id, struct timespec *ts) = gettime_call;

SIGSAFE uint64_t clock_read_kernel(clockid_t id)
{
	struct timespec ts;

	if (unlikely(load_relaxed(&left)))
		return 0;
	gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static char source_told[CLOCK_SOURCE_BYTES];

void clock_source_tell(const char *name)
{
	text_copy(source_told, sizeof(source_told), name);
}

void clock_source_read(char name[static CLOCK_SOURCE_BYTES])
{
	int fd = sys_open(CLOCKSOURCE_FILE, O_RDONLY | O_CLOEXEC, 0);
	long n;

	name[0] = '\0';
	if (fd < 0)
		return;
	n = sys_read(fd, name, CLOCK_SOURCE_BYTES - 1);
	sys_close(fd);
	while (n > 0 && name[n - 1] == '\n')
		n--;
	name[n > 0 ? n : 0] = '\0';
}

/* Returns true when the kernel keeps time with the TSC, or when that is not
 * known: without /sys the invariant bit decides alone. "kvm-clock" and
 * "hyperv_clocksource_tsc" are the TSC, too, scaled by the hypervisor. */
static bool kernel_trusts_tsc(const char *source)
{
	const char *p;

	if (!*source || text_after(source, "kvm"))
		return true;
	for (p = source; *p; p++)
		if (text_after(p, "tsc"))
			return true;
	return false;
}

/* Measures the TSC for a moment. Returns 0 when it goes back. */
static uint64_t measure_hz(void)
{
	struct clock_anchor a, b;
	uint64_t last;

	clock_anchor_take_kind(CLOCK_KIND_TSC, &a);
	last = a.clock;
	do {
		uint64_t now = clock_read_tsc();

		if (now < last)
			return 0;
		last = now;
	} while (clock_read_kernel(CLOCK_MONOTONIC) - a.monotonic_ns <
		 CALIBRATE_NS);
	clock_anchor_take_kind(CLOCK_KIND_TSC, &b);
	return (uint64_t)((unsigned __int128)(b.clock - a.clock) * NS_PER_S /
			  (b.monotonic_ns - a.monotonic_ns));
}

int clock_settle(uint64_t told)
{
	uint64_t measured = told;

	if (settled || left)
		return clock_chosen;
	settled = true;
	if (clock_chosen != CLOCK_KIND_TSC)
		return clock_chosen;
	if (!told)
		measured = measure_hz();
	if (measured < TSC_LEAST_HZ) {
		clock_chosen = CLOCK_KIND_MONOTONIC;
		hz = NS_PER_S;
		quiet = 0;
		return clock_chosen;
	}
	hz = told ? told : clock_tsc_nominal_hz();
	if (hz < measured - measured / 100 || hz > measured + measured / 100)
		hz = measured;
	return clock_chosen;
}

static bool word_is(const char *a, const char *b)
{
	if (!a)
		return false;
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

int clock_select(const char *wanted)
{
	void *function = vdso_find(CLOCK_VDSO_GETTIME);
	char source[CLOCK_SOURCE_BYTES];

	if (function)
		*(void **)&gettime = function;
	text_copy(source, sizeof(source), source_told);
	if (!*source)
		clock_source_read(source);
	if (word_is(wanted, "atomic"))
		clock_chosen = CLOCK_KIND_ATOMIC;
	else if (word_is(wanted, "monotonic") || !clock_tsc_invariant() ||
		 !kernel_trusts_tsc(source))
		clock_chosen = CLOCK_KIND_MONOTONIC;
	else
		clock_chosen = CLOCK_KIND_TSC;
	if (clock_chosen != CLOCK_KIND_TSC)
		hz = NS_PER_S;
	/* the vDSO certainly makes no system call; with "kvm-clock" that
	 * depends on the host */
	quiet = function && clock_chosen == CLOCK_KIND_TSC &&
		(text_equal(source, "tsc") ||
		 text_equal(source, "hyperv_clocksource_tsc_page"));
	return clock_chosen;
}

SIGSAFE int clock_is_quiet(void)
{
	return quiet;
}

int clock_kind(void)
{
	return clock_chosen;
}

SIGSAFE void clock_leave(void)
{
	if (load_relaxed(&left))
		return;
	store_relaxed(&left, clock_chosen + 1);
	store_relaxed(&clock_chosen, CLOCK_KIND_ATOMIC);
}

SIGSAFE void clock_return(void)
{
	if (!load_relaxed(&left))
		return;
	store_relaxed(&clock_chosen, left - 1);
	store_relaxed(&left, 0);
}

uint64_t clock_hz_known(void)
{
	return hz;
}

uint64_t clock_hz(void)
{
	if (!hz)
		hz = measure_hz();
	return hz;
}

static uint64_t read_kind(int which)
{
	switch (which) {
	case CLOCK_KIND_MONOTONIC:
		return clock_read_kernel(CLOCK_MONOTONIC);
	case CLOCK_KIND_ATOMIC:
		return __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED);
	default:
		return clock_read_tsc();
	}
}

SIGSAFE uint64_t clock_read(void)
{
	return read_kind(clock_chosen);
}

SIGSAFE uint64_t clock_read_time(void)
{
	return clock_chosen == CLOCK_KIND_ATOMIC ?
		       clock_read_kernel(CLOCK_MONOTONIC) : clock_read();
}

/* Takes the best anchor of some tries: a try may be interrupted. */
static void anchor_take(int which, int tries, struct clock_anchor *anchor)
{
	*anchor = (struct clock_anchor){ .uncertainty_ns = ~0ull };
	for (int i = 0; i < tries; i++) {
		uint64_t before = clock_read_kernel(CLOCK_MONOTONIC);
		uint64_t first = read_kind(which);
		uint64_t real = clock_read_kernel(CLOCK_REALTIME);
		uint64_t second = read_kind(which);
		uint64_t after = clock_read_kernel(CLOCK_MONOTONIC);

		if (after - before >= anchor->uncertainty_ns)
			continue;
		anchor->clock = first + (second - first) / 2;
		anchor->monotonic_ns = before + (after - before) / 2;
		anchor->realtime_ns = real;
		anchor->uncertainty_ns = after - before;
	}
}

SIGSAFE void clock_anchor_take_kind(int which, struct clock_anchor *anchor)
{
	anchor_take(which, ANCHOR_TRIES, anchor);
}

SIGSAFE void clock_anchor_take(struct clock_anchor *anchor)
{
	anchor_take(clock_chosen, ANCHOR_TRIES, anchor);
}

SIGSAFE void clock_anchor_take_quick(struct clock_anchor *anchor)
{
	anchor_take(clock_chosen, ANCHOR_TRIES_QUICK, anchor);
}

uint64_t clock_to_realtime_ns(const struct clock_anchor *anchor, uint64_t rate,
			      uint64_t clock)
{
	__int128 delta = (__int128)clock - (__int128)anchor->clock;

	if (!rate)
		return anchor->realtime_ns;
	return anchor->realtime_ns +
	       (uint64_t)(int64_t)(delta * NS_PER_S / rate);
}
