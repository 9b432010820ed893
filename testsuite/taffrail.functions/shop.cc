/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions with names of C++: overloads, an operator, instances of a template.
 * Each is called ten times. */
#include <cstdio>
#include <vector>

#define KEEP __attribute__((noipa))

namespace shop {

struct Cart {
	int n;

	KEEP explicit Cart(int k) : n(k)
	{
	}

	KEEP int add(int k, const char *text)
	{
		return n += k + text[0];
	}

	KEEP int add(long k) const
	{
		return n + static_cast<int>(k);
	}

	KEEP int operator()(int k)
	{
		return k * n;
	}
};

template <class T> KEEP T sell(T t, const std::vector<int> &list)
{
	return t + static_cast<T>(list.size());
}

}

int main()
{
	std::vector<int> list(3);
	shop::Cart cart(3);
	double sum = 0;

	for (int i = 0; i < 10; i++) {
		sum += cart.add(i, "abc") + cart.add(long{ i }) + cart(i);
		sum += shop::sell<int>(i, list) + shop::sell<double>(i, list);
	}
	std::printf("%f\n", sum);
	return 0;
}
