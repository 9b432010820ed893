/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cases that only C++ has. Warnings are errors here, too.
 */
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <taffrail/marker.h>

#include "harness.h"
#include "shared.h"

#define NOINLINE __attribute__((noinline))

enum class narrow : unsigned char { A, B = 200 };
enum class wide : long long { A = -5000000000 };
enum class answer : bool { NO, YES };

namespace {

struct guard {
	explicit guard(int n_) : n(n_)
	{
		TAFFRAIL_EVENT(cxx, built, n);
	}
	~guard()
	{
		TAFFRAIL_EVENT(cxx, destroyed, n);
		TAFFRAIL_EVENT(cxx, destroyed, n, n);
	}
	guard(const guard &) = delete;
	guard &operator=(const guard &) = delete;
	int n;
};

NOINLINE void test_destructors()
{
	guard a(1);

	TAFFRAIL_EVENT(cxx, between, a.n);
	{
		guard b(2);

		TAFFRAIL_EVENT(cxx, between, b.n);
		TAFFRAIL_EVENT(cxx, between, a.n + b.n);
	}
	TAFFRAIL_MARK(cxx, between, "n %d", a.n);
}

NOINLINE void test_exception()
{
	try {
		guard a(3);

		TAFFRAIL_EVENT(cxx, between, 30);
		throw std::runtime_error("thrown");
	} catch (const std::exception &e) {
		TAFFRAIL_EVENT(cxx, caught, e.what());
	}
}

volatile int truth = 1;

NOINLINE int raise(int x)
{
	if (truth)
		throw x;
	return x;
}

/* An argument that throws ends the marker, nothing else. */
NOINLINE void test_throwing_argument()
{
	guard a(4);

	try {
		TAFFRAIL_EVENT(cxx, thrower, raise(1));
	} catch (int x) {
		TAFFRAIL_EVENT(cxx, caught, x);
	}
}

void test_types()
{
	std::string text = "str";
	std::vector<double> v = { 1, 2.5 };
	const auto &reference = v[1];
	bool flag = true;

	TAFFRAIL_EVENT(cxx, enums, narrow::B, wide::A, answer::YES);
	TAFFRAIL_EVENT(cxx, strings, text.c_str(), (text + "x").c_str(),
		       nullptr, reference, flag, 'c', L'w', u'u', U'U');
	TAFFRAIL_EVENT(cxx, arrays, TAFFRAIL_ARRAY(v.data(), v.size()),
		       TAFFRAIL_BYTES(text.data(), text.size()),
		       std::max<int>(1, 2));
	TAFFRAIL_EVENT(cxx, single, narrow::B);
	TAFFRAIL_EVENT(cxx, null, nullptr);
}

template <class T, int N>
struct box {
	T value;
	NOINLINE T get() const
	{
		TAFFRAIL_EVENT(cxx, box, value, N);
		if (TAFFRAIL_ENABLED(cxx, box))
			TAFFRAIL_EVENT(cxx, boxed, value);
		return value;
	}
};

/* Two arguments for the preprocessor, one for the compiler. */
template <class A, class B> A first(A a, B)
{
	return a;
}

void test_templates()
{
	box<int, 1> a = { 7 };
	box<const char *, 2> b = { "b" };

	a.get();
	b.get();
	#ifndef TAFFRAIL_SDT_ARGS
	TAFFRAIL_EVENT(cxx, commas, first<int, long>(1, 2), 3);
#else
	TAFFRAIL_EVENT(cxx, commas, (first<int, long>(1, 2)), 3);
#endif
	shared_marker(10);
	shared_template(11);
	shared_template("first");
}

void test_lambdas(int x)
{
	auto f = [&x](int y) {
		TAFFRAIL_EVENT(cxx, lambda, x, y);
		return [y] { TAFFRAIL_EVENT(cxx, inner, y); };
	};

	f(1)();
	f(2)();
}

struct initialised {
	initialised()
	{
		TAFFRAIL_EVENT(cxx, early, "static");
	}
};

initialised object;

/* A lambda in the expansion of a pack: each has the types of its own element */
template <class... A>
NOINLINE void each(A... a)
{
	int order[] = { ([&] { TAFFRAIL_EVENT(cxx, each, a); }(), 0)... };

	(void)order;
}

/* ... and one in the initialiser of a template's static member. */
template <class T> struct ready {
	static int value;
};
template <class T> int ready<T>::value = [] {
	TAFFRAIL_EVENT(cxx, ready, T(1));
	return 1;
}();
#if __cplusplus >= 201703
template <class T> struct prepared {
	static inline int value = [] {
		TAFFRAIL_EVENT(cxx, ready, T(1));
		return 1;
	}();
};
template struct prepared<int>;
template struct prepared<float>;
#endif

template <class T>
NOINLINE void packs(T t)
{
#if __cplusplus >= 201402 && !defined(TAFFRAIL_SDT_ARGS)
	auto pack = [&](auto... x) { TAFFRAIL_EVENT(cxx, pack, t, x...); };

	pack(1, 2.5, "s");
#endif
	TAFFRAIL_EVENT(cxx, statement, __extension__ ({ T copy = t; copy; }));
	each(1, 'x', 2.5, 1.5f);
	each("s", t, 2.5);
	(void)ready<T>::value;
}

void run_all()
{
	packs("t");
	packs(3);
	test_destructors();
	test_exception();
	test_throwing_argument();
	test_types();
	test_templates();
	test_lambdas(5);
	second_run(1);
}

void with(const char *name, const char *want)
{
	int sites = harness_switch(name, 1);

	run_all();
	harness_expect(name, want);
	harness_equal("sites", harness_switch(name, 0), sites);
}

}

void cases_run_cxx()
{
	run_all();
	harness_expect("all off", "");
	with("built", "built 1\nbuilt 2\nbuilt 3\nbuilt 4\n");
	with("destroyed", "destroyed 2\ndestroyed 2 2\n"
	     "destroyed 1\ndestroyed 1 1\n"
	     "destroyed 3\ndestroyed 3 3\n"
	     "destroyed 4\ndestroyed 4 4\n");
	with("between", "between 1\nbetween 2\nbetween 3\nbetween 1\n"
	     "between 30\n");
#ifndef TAFFRAIL_SDT_ARGS
	with("caught", "caught \"thrown\"\n");
#endif
	harness_switch("caught", 1);
	with("thrower", "caught \"thrown\"\ncaught 1\n");
	harness_switch("caught", 0);
	with("enums", "enums 200u -5000000000 true\n");
	with("single", "single 200u\n");
	with("null", "null nil\n");
	with("strings", "strings \"str\" \"strx\" nil 2.5 true 99 119 117u "
	     "85u\n");
	with("arrays", "arrays [1,2.5] [115u,116u,114u] 2\n");
	with("box", "box 7 1\nbox \"b\" 2\n");
	with("commas", "commas 1 3\n");
	with("lambda", "lambda 5 1\nlambda 5 2\n");
	with("statement", "statement \"t\"\nstatement 3\n");
	with("each", "each 1\neach 120\neach 2.5\neach 1.5f\n"
	     "each \"s\"\neach \"t\"\neach 2.5\n"
	     "each 1\neach 120\neach 2.5\neach 1.5f\n"
	     "each \"s\"\neach 3\neach 2.5\n");
#if __cplusplus >= 201402 && !defined(TAFFRAIL_SDT_ARGS)
	with("pack", "pack \"t\" 1 2.5 \"s\"\npack 3 1 2.5 \"s\"\n");
#endif
	with("inner", "inner 1\ninner 2\n");
	with("shared", "shared 10\nshared 1\nshared 2\n");
	with("shared_template", "shared_template 11\n"
	     "shared_template \"first\"\nshared_template 1\n"
	     "shared_template \"second\"\n");
	harness_switch("boxed", 1);
	with("box", "box 7 1\nboxed 7\nbox \"b\" 2\nboxed \"b\"\n");
	harness_switch("boxed", 0);
#ifndef TAFFRAIL_SDT_ARGS
	harness_text("commas", "first<int, long>(1, 2), 3");
#endif
}
