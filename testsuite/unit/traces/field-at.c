/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fields of events by their names (traces/read/field-at.c): of structures,
 * arrays and unions, behind fields of other sizes in each event.
 */
#include "testsuite/unit/unit.h"

#include "base/base.h"
#include "traces/read/field-at.h"

#define INTEGER(n, word)	{ .kind = FIELD_INTEGER, .bytes = (n), \
				  .base = 10, .name = (word) }

static const struct field_class pair[] = { INTEGER(1, "x"), INTEGER(4, "y") };
static const struct field_class element = INTEGER(2, NULL);
static const struct field_class two[] = { INTEGER(1, "p"), INTEGER(1, "q") };
static const struct field_class options[] = {
	{ .kind = FIELD_STRUCT, .members = two, .nmembers = 2, .name = "A" },
	INTEGER(4, "AB"),
};
static const struct field_class parts[] = {
	INTEGER(1, "n"),
	{ .kind = FIELD_VARIANT, .members = options, .nmembers = 2,
	  .name = "value" },
};
static const struct field_class others[] = {
	INTEGER(1, "one"), INTEGER(2, "o"),
};
static const struct field_class members[] = {
	INTEGER(2, "a"),
	{ .kind = FIELD_STRING, .name = "text" },
	{ .kind = FIELD_STRUCT, .members = pair, .nmembers = 2, .name = "at" },
	{ .kind = FIELD_ARRAY, .count = 3, .members = &element, .nmembers = 1,
	  .name = "v" },
	{ .kind = FIELD_STRUCT, .members = parts, .nmembers = 2, .name = "u" },
	{ .kind = FIELD_VARIANT, .members = others, .nmembers = 2,
	  .name = "w" },
	{ .kind = FIELD_INTEGER, .bytes = 1, .is_length = true,
	  .name = "length" },
	INTEGER(1, "vtid"),
};
static const struct field_class fields = {
	.kind = FIELD_STRUCT, .members = members,
	.nmembers = ARRAY_SIZE(members),
};
static const struct field_class context_members[] = {
	INTEGER(4, "vtid"), INTEGER(4, "ip"),
};
static const struct field_class context = {
	.kind = FIELD_STRUCT, .members = context_members, .nmembers = 2,
};
static const struct event_class class = { .name = "app:e", .fields = &fields };
static struct trace_class trace = {
	.context = &context, .vpid = 4242, .procname = "prog",
};
static const uint8_t bytes[] = {
	99, 0, 0, 0, 98, 0, 0, 0,		/* the context */
	2, 1, 'h', 'i', 0, 5, 6, 0, 0, 0,	/* a, text, at */
	7, 0, 8, 0, 9, 0,			/* v */
	10, 0, 0, 0, 0, 11, 12,			/* u, which holds A */
	1, 0, 0, 0, 13, 0,			/* w, which holds o */
	77, 14,					/* length, vtid */
};
static const struct trace_event event = {
	.trace = &trace, .class = &class, .cpu = 3, .context = bytes,
	.fields = bytes + 8, .end = bytes + sizeof(bytes),
};

static void check_names(void)
{
	enum { NONE = -1, ANOTHER = -2 };
	static const struct {
		const char *name;
		int value, bytes;
	} rows[] = {
		{ "a", 0x102, 2 }, { "text", 'h' | 'i' << 8, 3 },
		{ "at", 5 | 6 << 8, 5 }, { "at.x", 5, 1 }, { "at.y", 6, 4 },
		{ "at.z", NONE, 0 }, { "at.", NONE, 0 }, { "a.x", NONE, 0 },
		{ "at.xy", NONE, 0 }, { "at.x.y", NONE, 0 },
		{ "v.0", 7, 2 }, { "v.1", 8, 2 }, { "v.2", 9, 2 },
		{ "v.3", NONE, 0 }, { "v.x", NONE, 0 }, { "v.01", NONE, 0 },
		{ "u.n", 10, 1 }, { "u.A", 11 | 12 << 8, 2 },
		{ "u.A.p", 11, 1 }, { "u.A.q", 12, 1 },
		{ "u.value.A.q", 12, 1 }, { "u.A.r", NONE, 0 },
		{ "u.AB", ANOTHER, 0 }, { "u.AC", NONE, 0 },
		{ "u.B", NONE, 0 }, { "w.o", 13, 2 }, { "w.one", ANOTHER, 0 },
		{ "w.on", NONE, 0 }, { "length", NONE, 0 },
		/* the event's own comes before the context */
		{ "vtid", 14, 1 }, { "ip", 98, 4 }, { "cpu", 3, 4 },
		{ "cpu_id", 3, 4 }, { "vpid", 4242, 8 },
		{ "procname", 'p' | 'r' << 8 | 'o' << 16 | 'g' << 24, 5 },
		{ "", NONE, 0 }, { "tex", NONE, 0 }, { "texts", NONE, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *name = rows[i].name;
		const uint8_t *p = NULL;
		struct field_at at;
		size_t n = 0;
		int value = 0;
		bool found = field_at_find(&at, &trace, &class, name);

		unit_equal(found, rows[i].value != NONE, "'%s'", name);
		if (!found)
			continue;
		p = field_at_bytes(&at, &event, &n);
		unit_equal(!p, rows[i].value == ANOTHER, "'%s': held", name);
		if (!p)
			continue;
		unit_equal((long long)n, rows[i].bytes, "'%s': bytes", name);
		memcpy(&value, p, n < sizeof(value) ? n : sizeof(value));
		unit_equal(value, rows[i].value, "'%s': value", name);
	}
	trace.no_cpu = true;
	trace.vpid = -1;
	trace.procname = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct field_at at;

		if (rows[i].value == 3 || rows[i].bytes == 8 ||
		    !strcmp(rows[i].name, "procname"))
			unit_check(!field_at_find(&at, &trace, &class,
						  rows[i].name),
				   "'%s': the trace does not say",
				   rows[i].name);
	}
}

/* An event that ends before its fields do. */
static void check_damaged(void)
{
	static const char *const names[] = { "vtid", "w.o", "u.A.q", "v.2" };
	static const uint8_t left[] = { 1, 3, 9, 16 };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct trace_event cut = event;
		struct field_at at;
		size_t n;

		field_at_find(&at, &trace, &class, names[i]);
		unit_check(field_at_bytes(&at, &event, &n), "%s is there",
			   names[i]);
		cut.end -= left[i];
		unit_check(!field_at_bytes(&at, &cut, &n), "%s is cut off",
			   names[i]);
	}
}

static void check_held(void)
{
	size_t n = 7;
	const uint8_t *at = bytes + 24;

	unit_check(field_held(&members[4], &at, &n) == &options[0],
		   "the option of a structure's value");
	unit_check(at == bytes + 29 && n == 2, "its bytes");
	at = bytes + 31;
	n = 6;
	unit_check(field_held(&members[5], &at, &n) == &others[1],
		   "the option of a union");
	unit_check(at == bytes + 35 && n == 2, "its bytes");
	at = bytes + 8;
	n = 2;
	unit_check(field_held(&members[0], &at, &n) == &members[0] &&
		   at == bytes + 8 && n == 2, "no union");
}

static void check_events(void)
{
	static const struct {
		const char *name, *written;
		bool is;
	} rows[] = {
		{ "app:e", "app:e", true }, { "app:e", "app/e", true },
		{ "app:e", "e", true }, { "app:e", "app", false },
		{ "app:e", "ap/e", false }, { "app:e", "app/f", false },
		{ "app:e", "app:f", false }, { "e", "e", true },
		{ "e", "app/e", false }, { "a:b:c", "b:c", true },
		{ "a:b:c", "a/b:c", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		unit_equal(event_name_is(rows[i].name, rows[i].written),
			   rows[i].is, "%s as %s", rows[i].name,
			   rows[i].written);
}

int main(void)
{
	check_names();
	trace.vpid = 4242;
	check_damaged();
	check_held();
	check_events();
	return unit_end();
}
