/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For constant.exp: markers in constexpr functions, in the part that only runs
 * at run time. What the compiler evaluates writes no event.
 */
#include <string_view>
#include <type_traits>

#include <taffrail/marker.h>

template <class T> constexpr T same(T x)
{
	if (!std::is_constant_evaluated()) {
		TAFFRAIL_EVENT(app, same, x, "text");
		TAFFRAIL_MARK(app, mark, "x %d", (int)x);
		if (TAFFRAIL_ENABLED(app, same))
			TAFFRAIL_EVENT(app, asked);
	}
	return x;
}

constexpr int length(std::string_view s)
{
	if (std::is_constant_evaluated())
		return (int)s.size();
	TAFFRAIL_EVENT(app, length, s);
	return 0;
}

struct literal {
	int n;
	constexpr literal(int n) : n(n)
	{
		if (!std::is_constant_evaluated())
			TAFFRAIL_EVENT(app, made, n);
	}
	constexpr ~literal()
	{
		if (!std::is_constant_evaluated())
			TAFFRAIL_EVENT(app, gone, n);
	}
};

static_assert(same(3) == 3 && same(2.5) == 2.5 && length("abc") == 3);

consteval int immediate()
{
	literal two(2);

	return same(two.n) + length("x");
}

int main()
{
	constexpr int three = immediate();
	literal four(three + 1);

	return same(four.n) - 4 + length("run") + (int)same(0.5);
}
