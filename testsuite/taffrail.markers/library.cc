/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Types of the C++ library as fields, in each standard that has them, and a
 * program's own types. The header of markers comes first: it must need none of
 * the library's.
 */
#include <taffrail/marker.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#if __cplusplus >= 201703L
#include <filesystem>
#include <optional>
#include <string_view>
#endif
#if __cplusplus >= 202002L
#include <span>
#endif

enum class colour : unsigned char { RED = 1, GREEN = 200 };

enum class door { OPEN, SHUT = 7 };
TAFFRAIL_ENUM_NAMES(door, door::OPEN, door::SHUT);

struct celsius { double degrees; };
struct room { door entrance; };
struct account { std::string owner; long number; };

template <> struct taffrail_as_field<celsius> {
	static double value_(const celsius &c) { return c.degrees; }
};
template <> struct taffrail_as_field<account> {
	static const std::string &value_(const account &a) { return a.owner; }
};

template <> struct taffrail_as_field<room> {
	static door value_(const room &r) { return r.entrance; }
};

struct abstract {
	virtual ~abstract() {}
	virtual const char *what() const = 0;
};
struct concrete : abstract {
	const char *what() const override { return "of the derived class"; }
};

/* It is neither copied nor moved. */
struct fixed_place {
	fixed_place() {}
	fixed_place(const fixed_place &) = delete;
	fixed_place &operator=(const fixed_place &) = delete;
	std::size_t size() const { return 2; }
	const short *data() const { return shorts; }
	short shorts[2] = { 5, -6 };
};

struct constants { static const int undefined = 77; };

static std::string made(const char *text) { return text; }

static void strings()
{
	std::string name("a string of 33 characters, alone"), none;
	const std::string cut("cut\0off", 7);
	volatile int v = 3;
	struct { unsigned low : 3; } bits = { 5 };

	TAFFRAIL_EVENT(app, strings, name, none, cut, made("temporary"));
	TAFFRAIL_EVENT(app, mixed, name, v, bits.low, constants::undefined,
		       "literal", name.empty(), colour::GREEN);
	TAFFRAIL_EVENT(app, text, TAFFRAIL_TEXT(name.data() + 2, 6),
		       TAFFRAIL_TEXT("cut\0off", 7), TAFFRAIL_TEXT("", 0),
		       TAFFRAIL_TEXT((const char *)0, 5));
	TAFFRAIL_EVENT(app, named, TAFFRAIL_FIELD(owner, name), name + "!");
	TAFFRAIL_MARK(app, marked, "name %s", name.c_str());
#if __cplusplus >= 201703L
	std::string_view view(name), part = view.substr(2, 6);
	char wall[4] = { 'w', 'a', 'l', 'l' };

	TAFFRAIL_EVENT(app, views, view, part, std::string_view(),
		       std::string_view(wall, 4), 9);
	TAFFRAIL_EVENT(app, path, std::filesystem::path("/usr") / "bin");
#endif
}

static void arrays()
{
	std::vector<int> v = { 1, -2, 3 }, none;
	std::array<double, 2> halves = {{ 0.5, 1.5 }};
	std::vector<colour> colours = { colour::RED, colour::GREEN };
	std::vector<char> bytes = { 'a', 'b' };
	fixed_place place;

	TAFFRAIL_EVENT(app, arrays, v, none, halves, colours, bytes, place);
#if __cplusplus >= 202002L
	TAFFRAIL_EVENT(app, span, std::span<const int>(v).subspan(1));
#endif
}

static void times()
{
	using namespace std::chrono;
	const system_clock::time_point when(seconds(1700000000));
	typedef duration<int, std::ratio<1, 3> > thirds;
	typedef duration<long, std::pico> picoseconds;

	typedef duration<unsigned long, std::nano> counted;

	TAFFRAIL_EVENT(app, times, milliseconds(1500), nanoseconds(-7),
		       hours(1), duration<double>(0.25),
		       thirds(2), picoseconds(2500), when);
	/* what does not fit in nanoseconds, as a program's "for ever" */
	TAFFRAIL_EVENT(app, longest, seconds::max(), seconds::min(),
		       hours(-3000000), duration<double>(1e300),
		       duration<double>(-1e300), counted(counted::max()));
	TAFFRAIL_EVENT(app, long, nanoseconds::max(), nanoseconds::min(),
		       seconds(9223372036), seconds(-9223372036));
}

static void others()
{
	std::unique_ptr<int> owned(new int(5)), empty;
	std::shared_ptr<const char> shared(new char('x'),
					   std::default_delete<char>());
	std::unique_ptr<void, void (*)(void *)> nothing_known(nullptr, nullptr);
	std::shared_ptr<void> unknown;
	std::atomic<int> atomic(12);
	std::atomic<door> swung(door::SHUT);
	volatile std::atomic<int> changes(-13);
	const volatile std::atomic<door> turned(door::SHUT);
	concrete derived;
	const abstract &base = derived;

	TAFFRAIL_EVENT(app, pointers, empty, std::shared_ptr<int>(),
		       TAFFRAIL_FIELD(same, owned.get() == &*owned));
	TAFFRAIL_EVENT(app, owned, owned, shared);
	TAFFRAIL_EVENT(app, void, nothing_known, unknown);
	TAFFRAIL_EVENT(app, shown, swung, (room{ door::OPEN }),
		       TAFFRAIL_HEX(door::SHUT));
	TAFFRAIL_EVENT(app, volatile, changes, turned, 'x');
	TAFFRAIL_EVENT(app, others, atomic, colour::RED, base);
	TAFFRAIL_EVENT(app, own, celsius{ 36.6 }, (account{ "Eve", 1 }));
	try {
		throw std::runtime_error("thrown");
	} catch (const std::exception &e) {
		TAFFRAIL_EVENT(app, caught, e);
	}
#if __cplusplus >= 201703L
	std::optional<int> nothing, five = 5;
	std::optional<std::string> no_text, text = "text";
	std::optional<std::chrono::seconds> time = std::chrono::seconds(2);

	TAFFRAIL_EVENT(app, optional, nothing, five, no_text, text, time);
#endif
}

/* TAFFRAIL_SDT_ARGS takes no pack */
template <class T, class U, class V>
static void pack(const T &a, const U &b, const V &c)
{
	TAFFRAIL_EVENT(app, pack, a, b, c);
}

#ifndef TAFFRAIL_SDT_ARGS
template <class... T> static void pack_of(const T &...t)
{
	auto f = [&] { TAFFRAIL_EVENT(app, pack, t..., sizeof...(t)); };

	f();
}
#endif

static void scope(bool leave)
{
	std::string what("work");

	TAFFRAIL_SCOPE(app, scope, what, leave);
	if (leave)
		throw 1;
	TAFFRAIL_SCOPE(app, inner);
	TAFFRAIL_EVENT(app, inside, what);
}

int main()
{
	strings();
	arrays();
	times();
	others();
	pack(std::string("in a template"), 2.5, std::vector<int>{ 4 });
#ifndef TAFFRAIL_SDT_ARGS
	pack_of(std::string("in a pack"), 2.5, std::vector<int>{ 4 });
#endif
	scope(false);
	try {
		scope(true);
	} catch (int) {
		TAFFRAIL_EVENT(app, behind);
	}
	return 0;
}
