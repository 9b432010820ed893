/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Packs as arguments in generic lambdas of templates, of which compilers make
 * the types in two steps: captured, nested, forwarded, of members, counted,
 * next to each other, returned.
 */
#include <taffrail/marker.h>

template <class T> struct member {
	T t;

	void hit()
	{
		auto f = [this](auto... x) {
			TAFFRAIL_EVENT(app, member, t, x...);
		};

		f(1, "one");
		f(2.5);
	}
};

template <class T> static void nested(T t)
{
	auto f = [&](auto... x) {
		auto g = [&](auto &&...y) {
			TAFFRAIL_EVENT(app, nested, t, y..., x...);
			TAFFRAIL_EVENT(app, second, sizeof...(x), x...,
				       static_cast<decltype(y) &&>(y)...);
		};

		g(1);
		g("g", 3.5);
		g();
	};

	f("f");
	f(4, 5.5f);
}

template <class... T> static void outer(T... t)
{
	auto f = [=](auto x, auto... y) {
		for (int i = 0; i < 2; i++)
			TAFFRAIL_EVENT(app, outer, x, (t + i)..., y...);
		return TAFFRAIL_ENABLED(app, outer) ? x : 0;
	};

	(void)f(7, "y");
	(void)f(8);
}

template <class T> static auto returned(T t)
{
	return [=](auto... y) {
		int order[] = { ([&] {
			TAFFRAIL_EVENT(app, returned, t, y);
		}(), 0)... };

		return order[0];
	};
}

int main()
{
	member<int>{ 3 }.hit();
	member<const char *>{ "m" }.hit();
	nested('n');
	nested("n");
	outer(10, 20.5);
	outer(30);
	(void)returned(6)("r", 9);
	return 0;
}
