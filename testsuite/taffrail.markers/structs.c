/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Structures as fields, in C and C++. With an argument, the program prints
 * "ready" and hits its markers until its input ends.
 */
#include <poll.h>
#include <stdio.h>
#include <taffrail/marker.h>

#ifdef __cplusplus
#include <string>
#include <vector>
#endif

struct point {
	short x;
	char kind;
	double y;
};
#define POINT x, kind, y
TAFFRAIL_STRUCT_MEMBERS(struct point, POINT);

struct ship {
	struct point at;
	unsigned int decks : 3;
	int v[3];
	struct {
		float f[2];
	} deep;
	const void *none;
};
#define SHIP at.x, at.y, decks, v[0], v[1], v[2], deep.f[0], deep.f[1], none
TAFFRAIL_STRUCT_MEMBERS(struct ship, SHIP);

struct person {
	int id;
	char name[4];
	const char *street;
	double x;
};
#define PERSON id, name, street, x
TAFFRAIL_STRUCT_MEMBERS(struct person, PERSON);

struct tiny {
	unsigned char r, g, b;
};
#define TINY r, g, b
TAFFRAIL_STRUCT_MEMBERS(struct tiny, TINY);

/* arrays that are recorded whole */
struct cargo {
	short v[3];
	double w[2];
	unsigned char bytes[4];
	const int *to[1];
	struct {
		long long n[2];
	} in;
	volatile int live[2];
	unsigned int b : 3;
	char name[2];
};
#define CARGO v, w, bytes, to, in.n, live, b, name, v[2]
TAFFRAIL_STRUCT_MEMBERS(struct cargo, CARGO);

#define LOG(...)	TAFFRAIL_EVENT(app, wrapped, __VA_ARGS__)

static int evaluated;

static struct ship *once(struct ship *ship)
{
	evaluated++;
	return ship;
}

static struct point moved(struct point p)
{
	evaluated++;
	p.x++;
	return p;
}

static struct person *person(struct person *person)
{
	evaluated++;
	return person;
}

static void hit_strings(int i)
{
	struct person ada = { 1, { 'A', 'd', 'a', '\0' }, "St. James's", 2.5 };
	const struct person eve = { 2, { 'E', 'v', 'e', '!' }, 0, 1.5 };

	TAFFRAIL_EVENT(app, strings, i, TAFFRAIL_STRUCT(*person(&ada), PERSON),
		       "text", TAFFRAIL_STRUCT(eve, PERSON));
}

static struct cargo loaded(void)
{
	struct cargo cargo = { { 1, -2, 3 }, { .5, 1.5 }, { 9, 8, 7, 255 },
			       { 0 }, { { -1, 1LL << 40 } }, { 4, 5 }, 5,
			       { 'a', 'b' } };

	return cargo;
}

static void hit_whole(void)
{
	struct cargo cargo = loaded();
	const struct cargo *other = &cargo;

	TAFFRAIL_EVENT(app, whole, TAFFRAIL_STRUCT(loaded(), CARGO), 7);
	TAFFRAIL_EVENT(app, other, TAFFRAIL_FIELD(o, TAFFRAIL_STRUCT(*other,
		       CARGO)), "text");
}

static void hit(struct ship *ship)
{
	const struct point p = { 1, 'a', 2.5 };
	volatile struct tiny dark = { 0, 0, 0 };
	struct tiny colour = { 1, 2, 3 };
	int i = 5;

	TAFFRAIL_EVENT(app, point, i, TAFFRAIL_STRUCT(p, POINT), "text",
		       TAFFRAIL_HEX(i), TAFFRAIL_STRUCT(ship->at, POINT),
		       TAFFRAIL_OCT(i));
	TAFFRAIL_EVENT(app, ship, TAFFRAIL_STRUCT(*once(ship), SHIP), i);
	TAFFRAIL_EVENT(app, tiny, TAFFRAIL_STRUCT(colour, TINY));
	TAFFRAIL_EVENT(app, small, TAFFRAIL_STRUCT(colour, TINY), 7,
		       dark.r);
	TAFFRAIL_EVENT(app, twice, TAFFRAIL_STRUCT(p, POINT), i,
		       TAFFRAIL_STRUCT(p, POINT), TAFFRAIL_FIELD(p, 8));
	TAFFRAIL_EVENT(app, named,
		       TAFFRAIL_FIELD(where, TAFFRAIL_STRUCT(moved(p), POINT)),
		       TAFFRAIL_STRUCT(TAFFRAIL_FIELD(inside, p), POINT));
	LOG(i, TAFFRAIL_STRUCT(ship->at, POINT), ship->at.x);
	TAFFRAIL_EVENT(app, told, TAFFRAIL_MESSAGE("turn to {i}"),
		       TAFFRAIL_STRUCT(colour, TINY), i);
	hit_strings(i);
	hit_whole();
}

#ifdef __cplusplus
enum class state { idle, running };
TAFFRAIL_ENUM_NAMES(state, state::idle, state::running);

namespace fleet {
template <class T> struct pair {
	T first;
	state second;
	T sum() const { return first + 1; }
};
}
TAFFRAIL_STRUCT_MEMBERS(fleet::pair<long>, first, second, sum());

struct crew {
	std::string name;
	std::vector<short> v;
	int n;
	const std::string &again() const { return name; }
};
TAFFRAIL_STRUCT_MEMBERS(crew, name, v, n, again());

template <class... T> static void pack(const T &...t)
{
	TAFFRAIL_EVENT(app, pack, 1, t...);
}

static void hit_objects(const struct ship &ship)
{
	fleet::pair<long> pair = { 7, state::running };
	const fleet::pair<long> *pointer = &pair;

	struct crew crew = { "a name that has its own memory", { 1, 2 }, 3 };

	TAFFRAIL_EVENT(app, crew, crew, 1);
	TAFFRAIL_EVENT(app, objects, ship.at, pair, state::idle, *pointer);
#ifndef TAFFRAIL_SDT_ARGS
	pack(ship.at, 2, pair);
#endif
}
#endif

int main(int argc, char **argv)
{
	struct pollfd input = { 0, POLLIN, 0 };
	struct ship ship = { { -3, 'b', 4.5 }, 6, { 7, 8, 9 },
			     { { 0.5f, 1.5f } }, 0 };

	(void)argv;
	hit(&ship);
#ifdef __cplusplus
	hit_objects(ship);
#endif
	printf("%d\n", evaluated);
	if (argc > 1) {
		printf("ready\n");
		fflush(stdout);
		while (!poll(&input, 1, 1))
			hit(&ship);
	}
	return 0;
}
