/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Floating-point state: callbacks run with traps off, and leave the program's
 * traps, flags and rounding as they were; so does the rest of a hit.
 *
 *	floats		checks callbacks of its own
 *	floats N	N hits of app/hit, with all traps on, for a library
 *			and conditions; checks the flags behind each
 *	floats wait	77 hits for each line that it reads
 */
#include <fenv.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>

#include <taffrail/event.h>
#include <taffrail/marker.h>
#include <taffrail/probe.h>

#include "../shared/adopt.h"
#include "../shared/results.h"

struct state {
	uint32_t mxcsr;
	uint16_t control;
	uint16_t status;
};

static volatile double one = 1, three = 3, huge = 1e300;
static volatile long double long_one = 1;
static int called;
static int wrong;
static int mode;
static jmp_buf back;
static sigjmp_buf handler_back;

enum { PLAIN, CHANGES, LEAVES };

static struct state state_read(void)
{
	struct state state = { 0, 0, 0 };

	__asm__ volatile("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2"
			 : "=m"(state.mxcsr), "=m"(state.control),
			   "=m"(state.status));
	state.status &= 0xff;
	return state;
}

/* All that may go wrong with a number, in SSE and in x87. */
static void compute(void)
{
	volatile double x = huge * huge;
	volatile float f = (float)huge;
	volatile long double y;

	wrong += one / three != 0x1.5555555555555p-2;
	x = one / (x - x);
	x = 1 / huge * 1e-300;
	y = long_one / 3;
	wrong += (double)(y * 3) != 1;
	y = long_one / (y - y);
	(void)f;
}

static void counted(const struct taffrail_event *event, void *priv)
{
	double value = 0;

	(void)priv;
	called++;
	wrong += fegetround() != FE_TONEAREST || fegetexcept();
	wrong += !taffrail_field_double(event, 1, &value);
	compute();
	if (mode == CHANGES) {
		fesetround(FE_UPWARD);
		feenableexcept(FE_DIVBYZERO);
	}
	if (mode == LEAVES)
		longjmp(back, 1);
}

static void hit(int i)
{
	TAFFRAIL_EVENT(app, hit, TAFFRAIL_FIELD(i, i),
		       TAFFRAIL_FIELD(d, huge), TAFFRAIL_FIELD(f, (float)1.1f));
}

/* Returns 1 when a hit changes the state. */
static int changes(void)
{
	struct state before = state_read();
	struct state after;

	if (!setjmp(back))
		hit(1);
	after = state_read();
	return memcmp(&before, &after, sizeof(before)) != 0;
}

static void start(int traps, int round, int flags)
{
	fesetenv(FE_DFL_ENV);
	fesetround(round);
	feraiseexcept(flags);
	feenableexcept(traps);
}

static const struct {
	const char *name;
	int traps, round, flags;
} states[] = {
	{ "as at the start", 0, FE_TONEAREST, 0 },
	{ "flags", 0, FE_TONEAREST, FE_INEXACT | FE_DIVBYZERO },
	{ "rounding", 0, FE_TOWARDZERO, FE_OVERFLOW },
	{ "some traps", FE_ALL_EXCEPT & ~FE_INEXACT, FE_TONEAREST, FE_INEXACT },
	{ "all traps", FE_ALL_EXCEPT, FE_UPWARD, 0 },
};

static void check_callbacks(const char *what)
{
	char name[128];
	unsigned int i;
	int changed;

	for (i = 0; i < sizeof(states) / sizeof(*states); i++)
		for (mode = PLAIN; mode <= LEAVES; mode++) {
			called = wrong = 0;
			start(states[i].traps, states[i].round,
			      states[i].flags);
			changed = changes() + changes();
			fesetenv(FE_DFL_ENV);
			snprintf(name, sizeof(name), "%s, %s, %s", what,
				 states[i].name, mode == PLAIN ? "returns" :
				 mode == CHANGES ? "changes the state" :
				 "leaves");
			check(name, !changed && !wrong && called >= 2);
		}
	mode = PLAIN;
}

static void handler(int number)
{
	(void)number;
	hit(1);
	fesetround(FE_UPWARD);
	siglongjmp(handler_back, 1);
}

/* A handler begins with the state of the process's start, and what leaves it
 * keeps the handler's state, with callbacks and without. */
static void check_handlers(void)
{
	signal(SIGUSR1, handler);
	start(FE_ALL_EXCEPT, FE_DOWNWARD, 0);
	if (!sigsetjmp(handler_back, 1))
		raise(SIGUSR1);
	check_equal("a handler that leaves: its rounding", fegetround(),
		    FE_UPWARD);
	check_equal("a handler that leaves: its traps", fegetexcept(), 0);
	fesetenv(FE_DFL_ENV);
}

static void probed(const struct taffrail_event *event, void *priv)
{
	(void)event;
	(void)priv;
	called++;
	compute();
}

/* A probe where all registers of x87 are in use. */
static void check_probe(void)
{
	double values[8] = { 0 };
	int i, good = 1;

	called = wrong = 0;
	start(FE_ALL_EXCEPT, FE_TONEAREST, 0);
	__asm__ volatile("fld1\n\tfldz\n\tfld1\n\tfldz\n\tfld1\n\tfldz\n\tfld1\n\t"
			 "fldz\n\t"
			 ADOPT_NOP("shop", "deep", "0", "8@%%rdi")
			 "fstpl (%0)\n\tfstpl 8(%0)\n\tfstpl 16(%0)\n\t"
			 "fstpl 24(%0)\n\tfstpl 32(%0)\n\tfstpl 40(%0)\n\t"
			 "fstpl 48(%0)\n\tfstpl 56(%0)"
			 : : "D"(values) : "rax", "memory", "st", "st(1)",
			   "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)");
	for (i = 0; i < 8; i++)
		good &= values[i] == (i & 1);
	check_equal("a probe: traps stay", fegetexcept(), FE_ALL_EXCEPT);
	check_equal("a probe: no flags", fetestexcept(FE_ALL_EXCEPT), 0);
	fesetenv(FE_DFL_ENV);
	check_equal("a probe: called", called, 1);
	check_equal("a probe: numbers of the callback", wrong, 0);
	check("a probe: registers of x87 stay", good);
}

static void declared(const struct taffrail_event *event, void *priv)
{
	double value = 0;

	called += taffrail_field_double(event, 0, &value);
	*(double *)priv = value;
}

static void check_declared(void)
{
	const struct taffrail_event_field field = { "f", TAFFRAIL_T_F32 };
	struct taffrail_declared *event =
		taffrail_event_declare("app", "float", &field, 1);
	double values[] = { 0.1, -1e300, 1e-320, 1.5 };
	double wants[] = { 0.1f, -__builtin_inf(), 0, 1.5 };
	union taffrail_value value;
	double got = 0;
	int i, flags;

	called = 0;
	taffrail_probe_attach("app/float", declared, &got);
	for (i = 0; i < 4; i++) {
		start(FE_ALL_EXCEPT, FE_UPWARD, 0);
		value = taffrail_value_double(values[i]);
		taffrail_event_write(event, &value);
		flags = fetestexcept(FE_ALL_EXCEPT);
		fesetenv(FE_DFL_ENV);
		check("a float of a declared event", got == wants[i] && !flags);
	}
	check_equal("declared: called", called, 4);
	taffrail_probe_detach("app/float", declared, &got);
}

static int hits(int n)
{
	static volatile double values[] = { 1.1, 1e300, 4e-320,
		__builtin_nan(""), __builtin_inf(), -3.7, 0, 1e19 };
	volatile double value;
	int i, bad = 0;

	start(FE_ALL_EXCEPT, FE_TONEAREST, 0);
	for (i = 0; i < n; i++) {
		value = values[i % 8];
		TAFFRAIL_EVENT(app, hit, TAFFRAIL_FIELD(i, i),
			       TAFFRAIL_FIELD(d, value));
		bad += fetestexcept(FE_ALL_EXCEPT) != 0;
	}
	printf("flags %d traps %d\n", bad, fegetexcept() == FE_ALL_EXCEPT);
	return bad;
}

static int wait_lines(void)
{
	char line[64];
	int bad = 0;

	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	start(FE_ALL_EXCEPT, FE_TONEAREST, 0);
	puts("ready");
	while (fgets(line, sizeof(line), stdin) && strcmp(line, "end\n"))
		bad += hits(77);
	puts(bad ? "wrong" : "right");
	return bad;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "wait"))
		return wait_lines();
	if (argc > 1)
		return hits(atoi(argv[1]));
	check_equal("attach", taffrail_probe_attach("app/hit", counted, NULL),
		    2);
	check_callbacks("a callback");
	check_equal("attach another", taffrail_probe_attach_with(
		    "app/*", counted, &called, 1, TAFFRAIL_PROBE_SIGNAL), 2);
	check_callbacks("two callbacks");
	check_handlers();
	taffrail_probe_detach("app/hit", counted, NULL);
	taffrail_probe_detach("app/*", counted, &called);
	check_equal("attach to a probe",
		    taffrail_probe_attach("shop/deep", probed, NULL), 1);
	check_probe();
	check_declared();
	return 0;
}
