/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of fields out of the text of a marker (tracepoints/fields/fields.c).
 */
#include <errno.h>
#include <stdlib.h>

#include "taffrail/site.h"
#include "testsuite/unit/unit.h"
#include "tracepoints/fields/fields.h"

struct row {
	const char *text;
	const char *names;	/* separated by a space */
};

static const struct row events[] = {
	{ "", "" },
	{ "status", "status" },
	{ "status, bytes, latency_ms", "status bytes latency_ms" },
	{ "req->id, req->url", "id url" },
	{ "req->id, res.id, id", "id id_2 id_3" },
	{ "id_2, id, id", "id_2 id id_3" },
	{ "v[3], m[i][j], m[i].x", "v m x" },
	{ "f(x), g(a, b), ns::h()", "f g h" },
	{ "now() - t0", "t0" },
	{ "*p, &q, -r, !s, ~t", "p q r s t" },
	{ "(int)x, (unsigned long)(a + b), (y)", "x b y" },
	{ "a ? b : c", "c" },
	{ "1, -1, 0x1f, 1.5e-3, 'c', \"text\"",
	  "arg1 arg2 arg3 arg4 arg5 arg6" },
	{ "(char)1, (size_t)5", "arg1 arg2" },
	{ "\"a, b\" , ',' , x", "arg1 arg2 x" },
	{ "\"quote \\\" , \", '\\'', y", "arg1 arg2 y" },
	{ "L\"wide\", u8\"x\", L'c'", "arg1 arg2 arg3" },
	{ "a, R\"(b\nc)\", d", "a arg2 d" },
	{ "a, R\"x(b\", c)\" \\, \"( d)x\", e", "a arg2 e" },
	{ "f(u8R\"(\")\"), LR\"(,)\", R\"-(a)-b)-\", c", "f arg2 arg3 c" },
	{ "R\"12345678901234567(\", b, R, x(R\"\")", "arg1 b R x" },
	{ "(*__errno_location ()), x->__errno_location", "errno errno_2" },
	{ "1'000'000, x", "arg1 x" },
	{ "long, struct , (int)x, unsigned y", "long struct x y" },
	{ "NULL, nullptr, true", "arg1 arg2 arg3" },
	{ "sizeof(x), sizeof y", "x y" },
	{ "this, this->x", "this x" },
	{ "(struct s){ 1, 2 }.a, ((int[]){1,2})[0]", "a arg2" },
	{ "f<a, b>(x)", "f" },
	{ "std::get<0>(t), std::max<int, long>(p, q)", "get max" },
	{ "s.c_str(), p->owner.get(), (text + 1).c_str(), v.data()",
	  "s owner text v" },
	{ "get(), a::get(), this->get(), s.get(1), b.getter()",
	  "get get_2 get_3 get_4 getter" },
	{ "a < b, c > d", "b d" },
	{ "static_cast<foo_t>(x), v.size()", "x size" },
	{ "[&]{ return 1, 2; }()", "arg1" },
	{ "TAFFRAIL_FIELD(ms, now() - t0), TAFFRAIL_STR(req->url)", "ms url" },
	{ "TAFFRAIL_BYTES(&hdr, sizeof(hdr)), TAFFRAIL_ARRAY(v, n)", "hdr v" },
	{ "TAFFRAIL_FIELD(raw, TAFFRAIL_BYTES(buf, n)), n", "raw n" },
	{ "((void)\"taffrail:\" \"ms\", now() - t0), x", "ms x" },
	{ "((void)\"taffrail:\" \"f(\\\"a\\\")->url\", ((struct s){ p }))",
	  "url" },
	{ "(((void)\"taffrail:\" \"id\", 5)), (void)\"taffrail:\"", "id arg2" },
	{ "\xc3\xa4 + b, \xc3\xa4", "b _u00e4" },
	{ "gr\xc3\xb6\xc3\x9f" "e, \xe6\xbc\xa2, \xf0\x9d\x92\x9c, a\xff",
	  "gr_u00f6_u00dfe _u6f22 _u1d49c a_u00ff" },
	{ "TAFFRAIL_FIELD(class, x), TAFFRAIL_FIELD(int, 5)", "class int" },
	{ "((void)\"taffrail:\" \"new\", 5), TAFFRAIL_STR(NULL)", "new arg2" },
	{ "class, new, s->int, s.class[1], p->default + 1",
	  "class new int class_2 default" },
	{ "new int, new (p) T, x.template get<int>(), (typename T::t)y",
	  "arg1 T get y" },
	{ "(TAFFRAIL_FIELD(p, 5)), ( (TAFFRAIL_STR(q) ) ), (x, y)", "p q y" },
	{ "a..., z", "a arg2 z" },
	{ "z, a...", "z a arg3" },
	{ "a..., TAFFRAIL_FIELD(zz, z)", "zz" },
	{ "x, a..., b..., z", "x arg2 arg3 arg4 arg5" },
	{ "x, a..., b...", "x arg2 arg3" },
	{ "TWO, z, y", "arg1 arg2 arg3 arg4" },
	{ "\1" "2:x, y\2" "a, p, b", "a p.x p.y b" },
	{ "\1" "02:at[0], at[1]\2" "\1" "01:x\2" "p, p",
	  "p.at.0 p.at.1 p_2.x" },
	{ "\1" "2:x, y\2" "p, p", "p.x p.y p_2" },
	{ "\1" "3:x, a.b.c\2" "p, a...", "p.x p.a.b.c a arg4" },
	{ "\1" "1:x, y\2" "a, TWO, b", "arg1 arg2.x arg2.y" },
	{ "\1" "1:x, y", "arg1.x arg1.y" },
	{ "\1" "9:x, y\2" "a, p, b", "arg1 arg2" },
	{ "\1\2\1" "1:\2" "a", "a." },
	{ "\1" "1:gr\xc3\xb6, p->x, f()\2" "p",
	  "p.gr\xc3\xb6 p.p.x p.f" },
};

static const struct row formats[] = {
	{ "no arguments", "" },
	{ " ", "" },
	{ "id %d url %s", "id url" },
	{ "number1 %d number2 %d", "number1 number2" },
	{ "str %s", "str" },
	{ "%d %s", "arg1 arg2" },
	{ "x=%d, y=%d", "x y" },
	{ "bytes read: %zu of %llu", "read of" },
	{ "100%% of %-5.2f", "of" },
	{ "addr 0x%lx", "addr" },
	{ "a %d a %d a %d", "a a_2 a_3" },
	{ "text #tracefmt%s", "text" },
	{ "s %.*s t %d", "arg1 s t" },
	{ "error %m code %d", "code" },
	{ "%d%%%d", "arg1 arg2" },
	{ "9lives %d", "arg1" },
	{ "end %", "end" },
	{ "a %2$s b %1$d", "b a" },
	{ "a %2$s b %1$d c %2$s d %9$d %", "b a" },
	{ "n %1$d text %3$.*2$s", "n arg2 text" },
};

/* Count the words of `names`, then compare one by one. */
static void check_row(const struct row *row, int kind)
{
	struct field_name out[TAFFRAIL_FIELDS_MAX];
	char got[TAFFRAIL_FIELDS_MAX * FIELD_NAME_BYTES] = "";
	int i, n = 0;
	const char *p;

	for (p = row->names; *p; p++)
		n += p == row->names || p[-1] == ' ';
	if (fields_parse(row->text, kind, n, out)) {
		unit_check(false, "parse %s", row->text);
		return;
	}
	for (i = 0; i < n; i++) {
		strcat(got, i ? " " : "");
		strcat(got, out[i].name);
	}
	if (!unit_check(!strcmp(got, row->names), "names of: %s", row->text))
		printf("# %s, not %s\n", got, row->names);
}

static void test_bases(void)
{
	struct field_name out[6];

	fields_parse("a %d b %#lx c %o d %p e %.*s", TAFFRAIL_KIND_MARK, 6,
		     out);
	unit_equal(out[0].base, 10, "base of %%d");
	unit_equal(out[1].base, 16, "base of %%lx");
	unit_equal(out[2].base, 8, "base of %%o");
	unit_equal(out[3].base, 16, "base of %%p");
	unit_check(out[3].pointer && !out[1].pointer, "%%p is a pointer");
	unit_check(out[5].precision == FIELD_PRECISION_FIELD &&
			   out[3].precision == FIELD_PRECISION_NONE,
		   "%%.*s is bounded by the field before");
}

static void test_limits(void)
{
	struct field_name out[TAFFRAIL_FIELDS_MAX];
	char text[400];

	unit_equal(fields_parse("a", 0, 1, out), -EINVAL, "no such kind");
	unit_equal(fields_parse("a", TAFFRAIL_KIND_EVENT, 17, out), -EINVAL,
		   "too many fields");
	unit_equal(fields_parse("a", TAFFRAIL_KIND_EVENT, -1, out), -EINVAL,
		   "negative number of fields");
	memset(text, 'x', sizeof(text));
	text[200] = ',';
	text[399] = '\0';
	unit_equal(fields_parse(text, TAFFRAIL_KIND_EVENT, 2, out), 0,
		   "long names");
	unit_check(strlen(out[0].name) < FIELD_NAME_BYTES &&
		   strlen(out[1].name) < FIELD_NAME_BYTES &&
		   strcmp(out[0].name, out[1].name), "long names cut, unique");
	unit_equal(fields_parse("a", TAFFRAIL_KIND_EVENT, 3, out), 0,
		   "fewer arguments than fields");
	unit_check(!strcmp(out[2].name, "arg3"), "the rest is numbered");
}

static bool is_identifier(const char *s)
{
	size_t n = strnlen(s, FIELD_NAME_BYTES);

	return n && n < FIELD_NAME_BYTES && !(*s >= '0' && *s <= '9') &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		      "_0123456789") == n;
}

/* Random text in the alphabet of the parsers: identifiers, unique, always. */
static void test_random(int kind, const char *name)
{
	static const char alphabet[] =
		"ab_(((){}[]<>,,,\"\"''\\\\%%%%*.dsxp#0 -&:\xe4"
		"TAFFRAIL_FIELD(";
	struct field_name out[TAFFRAIL_FIELDS_MAX];
	bool ok = true;
	int round, i, k;

	srandom(1);
	for (round = 0; round < 20000 && ok; round++) {
		size_t n = (size_t)random() % 200;
		char *text = malloc(n + 1);

		for (i = 0; i < (int)n; i++)
			text[i] = alphabet[(size_t)random() %
					   (sizeof(alphabet) - 1)];
		text[n] = '\0';
		fields_parse(text, kind, TAFFRAIL_FIELDS_MAX, out);
		for (i = 0; i < TAFFRAIL_FIELDS_MAX; i++) {
			ok &= is_identifier(out[i].name);
			for (k = 0; k < i; k++)
				ok &= strcmp(out[i].name, out[k].name) != 0;
		}
		free(text);
	}
	unit_check(ok, "random text as %s", name);
}

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		check_row(&events[i], TAFFRAIL_KIND_EVENT);
	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		check_row(&formats[i], TAFFRAIL_KIND_MARK);
	test_bases();
	test_limits();
	test_random(TAFFRAIL_KIND_EVENT, "arguments");
	test_random(TAFFRAIL_KIND_MARK, "a format");
	return unit_end();
}
