/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unions by tag and std::variant as fields, in C and C++. With an argument, the
 * program prints "ready" and hits its markers until its input ends.
 */
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <taffrail/marker.h>

#if defined(__cplusplus) && __cplusplus >= 201703L
#include <chrono>
#include <string>
#include <string_view>
#include <variant>
#endif

/* TSDL has the word "string" for itself. */
enum kind { INT = 1, REAL, string, NAME, FLAG = -7, FAR, SHORT };

union content {
	int i;
	double d;
	const char *s;
	char name[5];
	bool b;
	const void *far;
	short h;
};
struct value {
	enum kind kind;
	union content u;
};
#define OPTIONS	(INT, i), (REAL, d), (string, s), (NAME, name), (FLAG, b), \
		(FAR, far)
TAFFRAIL_UNION_OPTIONS(union content, OPTIONS);

/* without a name of its own */
struct item {
	char tag;
	__extension__ union {
		long n;
		float f;
	};
};
#define ITEM	('n', n), ('f', f)
TAFFRAIL_UNION_OPTIONS(struct item, ITEM);

#define LOG(...)	TAFFRAIL_EVENT(app, wrapped, __VA_ARGS__)

static int evaluated;

static struct value *once(struct value *v)
{
	evaluated++;
	return v;
}

static void hit_one(struct value *v, int i)
{
	TAFFRAIL_EVENT(app, one, TAFFRAIL_MESSAGE("{i}: {u._string}, {u.NAME}"),
		       i, TAFFRAIL_UNION(once(v)->u, once(v)->kind, OPTIONS),
		       "behind");
}

static void hit(void)
{
	struct value v[9];
	struct item item;
	int i;

	memset(v, 0, sizeof(v));
	memset(&item, 0, sizeof(item));
	v[0].kind = INT;
	v[0].u.i = -5;
	v[1].kind = REAL;
	v[1].u.d = 2.5;
	v[2].kind = string;
	v[2].u.s = "hello";
	v[3].kind = string;
	v[4].kind = NAME;
	memcpy(v[4].u.name, "abcde", 5);
	v[5].kind = FLAG;
	v[5].u.b = true;
	v[6].kind = FAR;
	v[7].kind = SHORT;
	v[8].kind = string;
	v[8].u.s = "";
	for (i = 0; i < 9; i++)
		hit_one(&v[i], i);
	item.tag = 'f';
	item.f = 1.5f;
	v[0].u.i = TAFFRAIL_T_S32;	/* what it is, too */
	LOG(TAFFRAIL_FIELD(which, TAFFRAIL_UNION(item, item.tag, ITEM)),
	    TAFFRAIL_UNION(v[0].u, v[0].kind, OPTIONS));
}

#if defined(__cplusplus) && __cplusplus >= 201703L
enum class state { on, off };
typedef std::variant<std::monostate, int, double, std::string, const char *,
		     int, bool, state, std::string_view,
		     std::chrono::milliseconds> any;

static void hit_any(const any &v)
{
	TAFFRAIL_EVENT(app, any, v, 7);
}

static void hit_variants()
{
	hit_any(any(std::in_place_index<0>));
	hit_any(any(std::in_place_index<1>, 5));
	hit_any(any(std::in_place_index<2>, 2.5));
	hit_any(any(std::in_place_index<3>, "a string that has its own memory"));
	hit_any(any(std::in_place_index<4>, nullptr));
	hit_any(any(std::in_place_index<5>, 9));
	hit_any(any(std::in_place_index<6>, true));
	hit_any(any(std::in_place_index<7>, state::off));
	hit_any(any(std::in_place_index<8>, "abcdef", 3));
	hit_any(any(std::in_place_index<9>, 3));
}
#else
#define hit_variants()	(void)0
#endif

int main(int argc, char **argv)
{
	struct pollfd input = { 0, POLLIN, 0 };

	(void)argv;
	hit();
	hit_variants();
	printf("%d\n", evaluated);
	if (argc > 1) {
		printf("ready\n");
		fflush(stdout);
		while (!poll(&input, 1, 1))
			hit();
	}
	return 0;
}
