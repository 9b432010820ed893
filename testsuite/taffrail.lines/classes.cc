// SPDX-License-Identifier: LGPL-2.1-or-later
// A class of which rules record members, with classes of the C++ library, and
// variables that another unit defines. It prints what a rule at the line of the
// first printf() must record.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct hidden;
extern int elsewhere;
extern struct hidden *far;
int far_length();

struct point {
	int x, y;
	const char *label;
	double w;
};

namespace shop
{
namespace inner
{
static int total = 3;

struct cart {
	long n;
	std::string owner;
	std::vector<short> sizes;
	point at;

	__attribute__((noinline)) long add(int k, point p, const point *q,
					   const std::string &name,
					   std::shared_ptr<point> shared)
	{
		n += k * far_length();
		std::printf("%ld %s %zu %d %d %d %s %d %d 77 deep %d\n", n, owner.c_str(), sizes.size(), sizes[1], p.x, q->y, name.c_str(), shared->x, elsewhere + !far, total);
		total++;
		return n + k + p.x + q->y + (long)name.size();
	}
};
} // namespace inner

struct other {
	__attribute__((noinline)) static int one(int k)
	{
		return std::fprintf(stderr, "%d\n", k) + k;
	}
};
} // namespace shop

int main()
{
	shop::inner::cart cart = { -40, "pat", { 4, 5, 6 }, { 1, 2, "", 0.5 } };
	point q = { 7, 8, "q", 1.5 };

	for (int i = 0; i < 3; i++)
		cart.add(i, { 9 + i, 10, "p", 0.25 }, &q,
			 "a name that is beyond the small buffer",
			 std::shared_ptr<point>(new point{ i, 2, "s", 3 }));
	return shop::other::one(7) == 0;
}
