/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two functions of one name: `trace check` has two locations. The argument of
 * the first has a name that is not known in the second.
 */
volatile int sink;

namespace one
{
__attribute__((noinline)) void check(int id)
{
	sink = id;
}
}

namespace two
{
__attribute__((noinline)) void check(int other)
{
	sink = other;
}
}

int main()
{
	one::check(1);
	two::check(2);
	return 0;
}
