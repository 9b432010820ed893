/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cases for C and for C++: this file is compiled as either. Warnings are
 * errors here, in every language standard.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <string.h>

#include <taffrail/marker.h>
#include <ust/marker.h>

#include "harness.h"

#define NOINLINE __attribute__((noinline))

/* Channels and names are not macro-expanded, so these must have no effect. */
#define app	wrong
#define named	wrong

/* How often an argument is evaluated while its marker is off. */
#ifdef TAFFRAIL_SDT_ARGS
#define WHILE_OFF	1
#else
#define WHILE_OFF	0
#endif

/* A marker in an argument of another: in C++, decltype accepts none. */
#ifdef __cplusplus
#define NESTED		0
#else
#define NESTED		1
#endif

enum colour { RED, GREEN = 7 };

struct request {
	int id;
	const char *url;
	unsigned flags : 3;
	signed level : 3;
	int64_t wide : 40;
	signed tiny : 1;
};

static int calls;

static NOINLINE int count(int x)
{
	calls++;
	return x;
}

/* The runner reads the code of this one: no load, no store, one call. */
NOINLINE void hot_u64(uint64_t x)
{
	TAFFRAIL_EVENT(app, hot, x);
}

static void test_types(void)
{
	char c = -1;
	signed char sc = -2;
	unsigned char uc = 200;
	short s = -300;
	unsigned short us = 60000;
	const int i = -70000;
	unsigned int u = 4000000000u;
	long l = -5000000000;
	unsigned long ul = 0xfffffffffffffffful;
	long long ll = -6;
	volatile unsigned long long ull = 7;
	bool b = true;
	float f = 1.5f;
	double d = -2.25;
	long double ld = 3.5L;
	enum colour colour = GREEN;

#ifndef TAFFRAIL_SDT_ARGS
	TAFFRAIL_EVENT(app, all, c, sc, uc, s, us, i, u, l, ul, ll, ull, b, f,
		       colour, d, ld);
#endif
	TAFFRAIL_EVENT(app, types, c, sc, us, u, l, ul, ll, ull, b, f, d, ld);
	TAFFRAIL_EVENT(app, types2, uc, s, i, colour);
	TAFFRAIL_EVENT(app, small, uc, s, b, f);
	TAFFRAIL_EVENT(app, exact, f, i);
	TAFFRAIL_EVENT(app, over, l, c);
	TAFFRAIL_EVENT(app, one_f, f);
	TAFFRAIL_EVENT(app, one_ld, ld);
	TAFFRAIL_EVENT(app, nothing);
}

static void test_pointers(void)
{
	struct request request = { 5, "/x", 5, -2, -4000000000, -1 };
	struct request *req = &request;
	char array[8] = "array";
	const volatile char *cv = "cv";
	volatile char *v = array;
	char *const p = array;
	const char *none = NULL;
	int numbers[3] = { 1, -2, 3 };
	const uint16_t *no_numbers = NULL;
	float floats[2] = { 0.5f, -1 };
	void *const nil = NULL;
	unsigned char bytes[4] = { 0, 1, 2, 255 };
	const char *names[2] = { "a", NULL };

	TAFFRAIL_EVENT(app, strings, array, cv, v, p, none, "literal",
		       req->url);
	TAFFRAIL_EVENT(app, mixed, req->id, req->url, none, req);
	TAFFRAIL_EVENT(app, bits, req->flags, req->level, req->wide,
		       req->tiny);
	TAFFRAIL_EVENT(app, pointers, &numbers, numbers, nil, test_types,
		       bytes, (void *)array);
	TAFFRAIL_EVENT(app, sequences, TAFFRAIL_BYTES(bytes, 4),
		       TAFFRAIL_ARRAY(numbers, 3), TAFFRAIL_ARRAY(floats, 2),
		       TAFFRAIL_ARRAY(no_numbers, 9), TAFFRAIL_BYTES(NULL, 3),
		       TAFFRAIL_ARRAY(numbers, 0), TAFFRAIL_ARRAY(names, 2),
		       TAFFRAIL_STR(bytes + 4 - 4), req->id);
}

#ifndef __cplusplus
/* As headers of C99 have it. */
inline int plain_inline(int x)
{
	TAFFRAIL_EVENT(app, plain_inline, x);
	return TAFFRAIL_ENABLED(app, plain_inline) ? x + 1 : x;
}
extern int plain_inline(int x);

/* Types that depend on n, which only C has; types that only gcc has. */
static NOINLINE int test_variable(int n, int (*p)[n], int (*begin)[n])
{
	TAFFRAIL_EVENT(app, variable, p++);
	TAFFRAIL_EVENT(app, variable, p[0], (int (*)[n])(uintptr_t)count(0),
		       TAFFRAIL_ARRAY(p[0], n));
	return (int)(p[0] - begin[0]) / n;
}

static NOINLINE void test_floats(long double l)
{
#if !defined(__clang__) && __GNUC__ >= 7
	__extension__ _Float32 f[2] = { 0.5, 1 };
	__extension__ _Float64 d = 2.5;
	__extension__ _Float32x x = 3.5;

	TAFFRAIL_EVENT(app, floats, f[0], d, x, l, TAFFRAIL_ARRAY(f, 2));
#else
	float f[2] = { 0.5, 1 };

	TAFFRAIL_EVENT(app, floats, f[0], 2.5, 3.5, l, TAFFRAIL_ARRAY(f, 2));
#endif
}

static void run_variable(void)
{
	int a[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };

	calls = 0;
	harness_equal("variable type, off", test_variable(3, a, a), WHILE_OFF);
	harness_equal("its calls, off", calls, WHILE_OFF);
	harness_switch("variable", 1);
	harness_equal("variable type, on", test_variable(3, a, a), 1);
	harness_equal("its calls, on", calls, 1 + WHILE_OFF);
	harness_expect("variable", "variable ptr\nvariable ptr nil [4,5,6]\n");
	harness_switch("variable", 0);
	harness_equal("inline, off", plain_inline(1), 1);
	harness_switch("plain_inline", 1);
	harness_equal("inline, on", plain_inline(1), 2);
	harness_expect("inline", "plain_inline 1\n");
	harness_switch("plain_inline", 0);
	harness_switch("floats", 1);
	test_floats(4.5L);
	harness_expect("floats", "floats 0.5f 2.5 3.5 4.5 [0.5f,1f]\n");
	harness_switch("floats", 0);
}
#endif

static int order[4], norder;

static int note(int x)
{
	order[norder++ & 3] = x;
	return x;
}

#define WRAPPED(name, ...)	TAFFRAIL_EVENT(wrapped, name, __VA_ARGS__)
#define TWICE(a)		((a) * 2)
#define VALUE_WITH_MARKER(x)						\
	__extension__ ({ TAFFRAIL_EVENT(app, inner, x); (x) + 1; })

static void test_macros(void)
{
	volatile int a = 1, b = 2;
	unsigned char buf[2] = { 8, 9 };

	TAFFRAIL_EVENT(app, named, TAFFRAIL_FIELD(sum, a + b), TWICE(b));
	WRAPPED(outer, TAFFRAIL_FIELD(sum, a + b), TAFFRAIL_BYTES(buf, 2), a);
	TAFFRAIL_EVENT(app, left, a); TAFFRAIL_EVENT(app, right, b);
	if (a)
		TAFFRAIL_EVENT(app, then, a);
	else
		TAFFRAIL_EVENT(app, otherwise, b);
}

static void test_nested(void)
{
#if NESTED
	TAFFRAIL_EVENT(app, nest, count(VALUE_WITH_MARKER(20)));
#endif
}

static void test_order(void)
{
	TAFFRAIL_EVENT(app, order, note(1), note(2), note(3), note(4));
}

static void test_side_effect(int *i, int *k)
{
	TAFFRAIL_EVENT(app, effect, (*i)++, TAFFRAIL_FIELD(second, ++*k));
}

static void test_marks(const char *url)
{
	int id = 12;
	unsigned char byte = 3;

	TAFFRAIL_MARK(app, request, "id %d url %s", id, url);
	TAFFRAIL_MARK(app, plain, "no arguments");
	TAFFRAIL_MARK(app, chars, "c %c b %hhu l %lld f %5.2f p %p", 'x', byte,
		      -1LL, 0.5, (void *)&id);
	trace_mark(ust, bar, "str %s", url);
	trace_mark(ust, bar2, "number1 %d number2 %d", 53, 9800);
	_trace_mark(ust, bar3, MARK_NOARGS);
	ust_marker(bar4, "n %d", count(4));
}

static int test_guard(void)
{
	if (TAFFRAIL_ENABLED(app, guarded))
		TAFFRAIL_EVENT(app, guarded, count(1));
	return TAFFRAIL_ENABLED(app, guarded) ? 1 : 0;
}

/* Copies of one marker: inlined in several places, and unrolled. */
static inline __attribute__((always_inline)) void inlined(int x)
{
	TAFFRAIL_EVENT(app, inlined, x);
}

static NOINLINE void test_copies(void)
{
	int i;

	inlined(1);
	inlined(2);
#if defined(__OPTIMIZE__) && !defined(__clang__)
#pragma GCC unroll 4
#endif
	for (i = 0; i < 8; i++)
		TAFFRAIL_EVENT(app, unrolled, i);
	inlined(3);
}

static NOINLINE int test_jumps(int x)
{
	switch (x) {
	case 0:
		TAFFRAIL_EVENT(app, jump, x);
		break;
	case 7: {
		int y = count(x);

		TAFFRAIL_EVENT(app, jump, y);
		if (TAFFRAIL_ENABLED(app, jump))
			TAFFRAIL_EVENT(app, jump, y + 1);
		break;
	}
	case 1:
		TAFFRAIL_EVENT(app, jump, x + 10);
		goto out;
	default:
		while (x--) {
			if (x == 2)
				continue;
			TAFFRAIL_EVENT(app, jump, x);
		}
	}
	x++;
out:
	TAFFRAIL_EVENT(app, jump, x);
	return x;
}

#if !defined(__cplusplus) && \
	(!defined(__clang__) || defined(TAFFRAIL_FLAG_SITES))
#define HAVE_CLEANUP
static void clean(int *x)
{
	TAFFRAIL_EVENT(app, clean, *x);
}

static NOINLINE void test_cleanup(int x)
{
	int y __attribute__((cleanup(clean))) = x;

	TAFFRAIL_EVENT(app, clean, y + 1);
	TAFFRAIL_EVENT(app, clean, y + 2);
}
#endif

static __attribute__((constructor(102))) void before_main(void)
{
	TAFFRAIL_EVENT(app, early, 1, "two");
}

/* Runs everything while every site is off, then while `name` is on. */
static void run_all(void)
{
	int i = 0, k = 0;

	test_types();
	test_pointers();
	test_macros();
	test_nested();
	test_order();
	test_side_effect(&i, &k);
	test_marks("/u");
	test_guard();
	test_copies();
	test_jumps(0);
	hot_u64(1);
	second_run(1);
}

static void with(const char *name, const char *want)
{
	int sites = harness_switch(name, 1);

	run_all();
	harness_expect(name, want);
	harness_equal("sites", harness_switch(name, 0), sites);
}

static void run_types(void)
{
#ifndef TAFFRAIL_SDT_ARGS
	with("all", "all -1 -2 200u -300 60000u -70000 4000000000u "
	     "-5000000000 18446744073709551615u -6 7u true 1.5f 7u -2.25 "
	     "3.5\n");
#endif
	with("types", "types -1 -2 60000u 4000000000u -5000000000 "
	     "18446744073709551615u -6 7u true 1.5f -2.25 3.5\n");
	with("types2", "types2 200u -300 -70000 7u\n");
	with("small", "small 200u -300 true 1.5f\n");
	with("exact", "exact 1.5f -70000\n");
	with("over", "over -5000000000 -1\n");
	with("one_f", "one_f 1.5f\n");
	with("one_ld", "one_ld 3.5\n");
	with("nothing", "nothing\n");
	with("hot", "hot 1u\n");
	harness_text("nothing", "");
	harness_text("exact", "f, i");
}

static void run_pointers(void)
{
	with("strings", "strings \"array\" \"cv\" \"array\" \"array\" "
	     "\"(null)\" \"literal\" \"/x\"\n");
	with("mixed", "mixed 5 \"/x\" \"(null)\" ptr\n");
#if defined(__cplusplus) || defined(__clang__)
	with("bits", "bits 5u -2 -4000000000 -1\n");
#endif
	with("pointers", "pointers ptr ptr nil ptr ptr ptr\n");
	with("sequences", "sequences [0u,1u,2u,255u] [1,-2,3] [0.5f,-1f] [] "
	     "[] [] [ptr,nil] \"\" 5\n");
	harness_text("mixed", "req->id, req->url, none, req");
}

#define TEXT(...)	#__VA_ARGS__
#define EXPANDED(...)	TEXT(__VA_ARGS__)

static void run_macros(void)
{
	with("named", "named 3 4\n");
	with("outer", "outer 3 [8u,9u] 1\n");
	with("left", "left 1\n");
	with("right", "right 2\n");
	with("then", "then 1\n");
	with("otherwise", "");
	harness_text("named", "TAFFRAIL_FIELD(sum, a + b), TWICE(b)");
	harness_text("outer", EXPANDED(TAFFRAIL_FIELD(sum, a + b),
				       TAFFRAIL_BYTES(buf, 2), a));
	/* the agent finds the name there */
	if (strncmp(EXPANDED(TAFFRAIL_FIELD(sum, a + b)),
		    "((void)\"taffrail:\" \"sum\", ", 26))
		harness_text("outer", "a name at the beginning");
#if NESTED
	with("inner", WHILE_OFF ? "inner 20\n" : "");
	with("nest", "nest 21\n");
	harness_switch("nest", 1);
	with("inner", "inner 20\nnest 21\n");
	harness_switch("nest", 0);
#endif
}

static void run_evaluation(void)
{
	int i = 0, k = 0;

	calls = 0;
	norder = 0;
	run_all();
	test_side_effect(&i, &k);
	harness_expect("all off", "");
	harness_equal("calls while off", calls + norder + i + k,
		      (7 + NESTED) * WHILE_OFF);
	i = 0;
	k = 0;
	norder = 0;
	with("order", "order 1 2 3 4\n");
	harness_equal("evaluated once", norder, 4);
	harness_equal("in order", order[0] * 1000 + order[1] * 100 +
		      order[2] * 10 + order[3], 1234);
	harness_switch("effect", 1);
	test_side_effect(&i, &k);
	harness_expect("effect", "effect 0 1\n");
	harness_equal("side effects", i + 10 * k, 11);
	harness_switch("effect", 0);
}

static void run_marks(void)
{
	with("request", "request 12 \"/u\"\n");
	with("plain", "plain\n");
	with("chars", "chars 120 3u -1 0.5 ptr\n");
	with("bar", "bar \"/u\"\n");
	with("bar2", "bar2 53 9800\n");
	with("bar3", "bar3\n");
	calls = 0;
	with("bar4", "bar4 4\n");
	harness_equal("call in a mark", calls, 1 + NESTED * WHILE_OFF);
	harness_text("request", "id %d url %s");
	harness_text("bar2", "number1 %d number2 %d");
	harness_text("bar3", " ");
	harness_switch("bar", 1);
	test_marks(NULL);
	harness_expect("NULL", "bar \"(null)\"\n");
	harness_switch("bar", 0);
}

static void run_copies(void)
{
	int sites;

	calls = 0;
	harness_equal("guard off", test_guard(), 0);
	harness_equal("guarded calls while off", calls, 0);
	harness_switch("guarded", 1);
	harness_equal("guard on", test_guard(), 1);
	harness_expect("guarded", "guarded 1\n");
	harness_switch("guarded", 0);
	with("inlined", "inlined 1\ninlined 2\ninlined 3\n");
	with("unrolled", "unrolled 0\nunrolled 1\nunrolled 2\nunrolled 3\n"
	     "unrolled 4\nunrolled 5\nunrolled 6\nunrolled 7\n");
	sites = harness_switch("inlined", 0);
	harness_equal("inlined sites", sites >= 3, 1);
	harness_switch("jump", 1);
	test_jumps(0);
	test_jumps(1);
	test_jumps(4);
	test_jumps(7);
	harness_expect("jumps", "jump 0\njump 1\njump 11\njump 1\njump 3\n"
		       "jump 1\njump 0\njump 0\njump 7\njump 8\njump 8\n");
	harness_switch("jump", 0);
	with("shared", "shared 1\nshared 2\n");
#ifdef HAVE_CLEANUP
	harness_switch("clean", 1);
	test_cleanup(5);
	harness_expect("cleanup", "clean 6\nclean 7\nclean 5\n");
	harness_switch("clean", 0);
#endif
}

void cases_run(void)
{
#ifdef __cplusplus
	harness_expect("constructors", "early 1 \"two\"\nearly \"static\"\n");
#else
	harness_expect("constructor", "early 1 \"two\"\n");
#endif
	run_types();
	run_pointers();
	run_macros();
	run_evaluation();
	run_marks();
	run_copies();
#ifndef __cplusplus
	run_variable();
#endif
}
