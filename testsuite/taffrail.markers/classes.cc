/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of enum classes that no list names: of all sizes, in all places. */
#include <atomic>
#include <taffrail/marker.h>

enum class state { idle, ready, running, last = 126, beyond = 127 };
enum class small : signed char { none = -1, zero, low = -2, most = 127 };
enum class bits : unsigned char { none, one, two, four = 4, all = 255 };
enum class wide : unsigned long long { no, yes, all = ~0ull };
enum class answer : bool { no, yes };
enum class twice { first = 3, again = 3, $odd_2 = 4 };
enum class far { here = 1000 };
enum class empty {};
enum class listed { A, B };
enum plain { P, Q };

TAFFRAIL_ENUM_NAMES(listed, listed::B);

namespace outer {
template <class A, class B> struct box {
	enum class kind : short { closed, open };
};
namespace {
enum class hidden { a, b };
}
}

struct pair {
	int n;
	state s;
};
TAFFRAIL_STRUCT_MEMBERS(pair, n, s);

int main()
{
	enum class local { one, two };
	std::atomic<state> now{ state::running };
	typedef outer::box<int, pair>::kind kind;
	pair p = { 5, state::ready };

	TAFFRAIL_EVENT(app, values, TAFFRAIL_FIELD(ready, state::ready),
		       TAFFRAIL_FIELD(last, state::last),
		       TAFFRAIL_FIELD(beyond, state::beyond),
		       TAFFRAIL_FIELD(none, small::none),
		       TAFFRAIL_FIELD(low, small::low),
		       TAFFRAIL_FIELD(most, small::most),
		       TAFFRAIL_FIELD(four, bits::four),
		       TAFFRAIL_FIELD(all, bits::all),
		       TAFFRAIL_FIELD(three, static_cast<bits>(3)),
		       TAFFRAIL_FIELD(wide, wide::all),
		       TAFFRAIL_FIELD(answer, answer::yes));
	TAFFRAIL_EVENT(app, places, TAFFRAIL_FIELD(twice, twice::again),
		       TAFFRAIL_FIELD(odd, twice::$odd_2),
		       TAFFRAIL_FIELD(inner, kind::open),
		       TAFFRAIL_FIELD(hidden, outer::hidden::b),
		       TAFFRAIL_FIELD(local, local::two),
		       TAFFRAIL_FIELD(atomic, now), TAFFRAIL_STRUCT(p, n, s));
	TAFFRAIL_EVENT(app, numbers, TAFFRAIL_FIELD(far, far::here),
		       TAFFRAIL_FIELD(empty, static_cast<empty>(2)),
		       TAFFRAIL_FIELD(a, listed::A), TAFFRAIL_FIELD(b, listed::B),
		       TAFFRAIL_FIELD(plain, Q),
		       TAFFRAIL_FIELD(hex, TAFFRAIL_HEX(state::ready)));
	return 0;
}
