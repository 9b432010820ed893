// SPDX-License-Identifier: LGPL-2.1-or-later
// Classes of the C++ library. It prints what two rules at the line of the
// second printf() must record.
#include <array>
#include <cstdio>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct part {
	int x;
	const char *name;
};

struct held {
	std::unique_ptr<part> own;
	std::unique_ptr<part[]> many;
	std::shared_ptr<part> shared;
	std::optional<int> number;
	std::optional<part> maybe;
	std::string_view view;
	std::array<int, 3> three;
	std::map<int, int> map;
	std::unordered_map<int, int> hash;
	std::set<int> set;
	std::list<int> list;
	std::vector<short> sizes;
	std::string name;
};

__attribute__((noinline)) static int look(held *h, int i)
{
	const char *none = "(unreadable)";
	char number[16];

	std::snprintf(number, sizeof(number), "%d", h->number.value_or(0));
	std::printf("%d %d %d %s %s %d [%.*s]\n", h->own->x, h->many[i].x, h->shared->x, h->number ? number : none, h->maybe ? h->maybe->name : none, h->three[i], (int)h->view.size(), h->view.data());
	std::printf("%d %d %zu %zu %zu %zu %zu %d\n", h->three[1], h->own->x, h->map.size(), h->hash.size(), h->set.size(), h->list.size(), h->sizes.size(), h->sizes[i]);
	return i;
}

int main()
{
	held h;

	h.own.reset(new part{ 5, "five" });
	h.many.reset(new part[2]{ { 1, "one" }, { 2, "two" } });
	h.shared = std::make_shared<part>(part{ 9, "nine" });
	h.number = 7;
	h.maybe = part{ 3, "three" };
	h.view = std::string_view("a view").substr(2);
	h.three = { 4, 5, 6 };
	h.map = { { 1, 2 }, { 3, 4 } };
	h.hash = { { 1, 2 } };
	h.set = { 1, 2, 3 };
	h.list = { 8 };
	h.sizes = { 10, 11 };
	look(&h, 1);
	h.number.reset();
	h.maybe.reset();
	h.map.clear();
	h.sizes.push_back(12);
	return look(&h, 0);
}
