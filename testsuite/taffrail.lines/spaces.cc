// SPDX-License-Identifier: LGPL-2.1-or-later
// Functions in namespaces, of templates, and lambdas.
#include <cstdio>

namespace shop {
template <class T> T twice(T value)
{
	T result = value * 2;
	return result;
}

static int price(int pears)
{
	auto each = [&](int cents) {
		int all = cents * pears;
		return all;
	};
	return each(30) + twice(pears);
}
} // namespace shop

int main()
{
	std::printf("%d %g\n", shop::price(3), shop::twice(1.5));
}
