/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The forms of a rule, the two ways to write an id, and rules in a list
 * (tracepoints/conditions/rule-split.h).
 */
#include "testsuite/unit/unit.h"

#include "tracepoints/conditions/rule-split.h"

static void check_kinds(void)
{
	static const struct {
		const char *rule;
		enum rule_kind kind;
	} rows[] = {
		{ "app/request", RULE_MARKERS },
		{ "app:request", RULE_MARKERS },
		{ "*", RULE_MARKERS },
		{ "", RULE_MARKERS },
		{ "fn", RULE_MARKERS },
		{ "fn/x", RULE_MARKERS },
		{ "fnord:x", RULE_MARKERS },
		{ "f?:x", RULE_MARKERS },
		{ "fn:", RULE_FUNCTIONS },
		{ "fn:malloc", RULE_FUNCTIONS },
		{ "fn:libc/mal*%return", RULE_FUNCTIONS },
		{ "fn:a.c:12", RULE_FUNCTIONS },
		{ "fn:f<int, g>*(str,int)", RULE_FUNCTIONS },
		{ "fn:'f(int, char)'(,str)", RULE_FUNCTIONS },
		{ "fn:f[a,b]", RULE_FUNCTIONS },
		{ "a.c:12", RULE_LINE },
		{ "a.c:12(x, y)", RULE_LINE },
		{ "a.c:12 \"n %d\", n", RULE_LINE },
		{ "src/a.c++:1 if x", RULE_LINE },
		{ "*.rs:7", RULE_LINE },
		{ "a.b.cc:7", RULE_LINE },
		{ "f:+7", RULE_LINE },
		{ "f:+x", RULE_MARKERS },
		{ "a.c:x12", RULE_MARKERS },
		{ "a.c:", RULE_MARKERS },
		{ "a.c", RULE_MARKERS },
		{ ".c:12", RULE_MARKERS },
		{ "src/.c:12", RULE_MARKERS },
		{ "ac:12", RULE_MARKERS },
		{ "a.:12", RULE_MARKERS },
		{ "a.1:12", RULE_MARKERS },
		{ "a.c/12", RULE_MARKERS },
		{ "a.c[:]12", RULE_MARKERS },
		{ "app/x(str:4)", RULE_MARKERS },
		{ "app/x if s == \"a.c:12\"", RULE_MARKERS },
		{ "app/x if s == \"fn:y\"", RULE_MARKERS },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unit_equal(rule_kind(rows[i].rule), rows[i].kind, "kind of %s",
			   rows[i].rule);
		unit_check(!rule_unknown(rows[i].rule), "known: %s",
			   rows[i].rule);
	}
}

static void check_unified(void)
{
	static const struct {
		const char *rule, *unified;	/* NULL: the same */
	} rows[] = {
		{ "app:request", "app/request" },
		{ "app:*", "app/*" },
		{ "*:request if s == \"a:b\"", "*/request if s == \"a:b\"" },
		{ "app:x:y", "app/x:y" },
		{ "app:x(str,,str:2) if n ? 1 : 2",
		  "app/x(str,,str:2) if n ? 1 : 2" },
		{ "[a:z]pp:x", "[a:z]pp/x" },
		{ "[]:]:x", "[]:]/x" },
		{ "[a:x", "[a/x" },
		{ "[a:x if v[0] == 1", "[a/x if v[0] == 1" },
		{ "fn/x:y", NULL },
		{ "app/x:y", NULL },
		{ "a:b/c", NULL },
		{ "app[:/]x", NULL },
		{ "app/x(str:2)", NULL },
		{ "app(str:2)", NULL },
		{ "* if n ? 1 : 2", NULL },
		{ "fn:x", NULL },
		{ "a.c:12", NULL },
		{ "", NULL },
	};
	char text[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		strcpy(text, rows[i].rule);
		rule_unify(text);
		unit_equal_string(text, rows[i].unified ?: rows[i].rule,
				  "%s in one form", rows[i].rule);
		rule_unify(text);
		unit_equal_string(text, rows[i].unified ?: rows[i].rule,
				  "%s, once more", rows[i].rule);
	}
}

static void check_lists(void)
{
	static const struct {
		const char *list, *parts;	/* with '|' between them */
	} rows[] = {
		{ "a;b", "a|b" },
		{ "a", "a" },
		{ ";a;;b;", "|a||b|" },
		{ "a if s == \";\";b", "a if s == \";\"|b" },
		{ "a if c == ';';b", "a if c == ';'|b" },
		{ "a if s == \"\\\";\";b", "a if s == \"\\\";\"|b" },
		{ "a if s == \"\\\\\";b", "a if s == \"\\\\\"|b" },
		{ "a if s == \"'\";b if s == \"'\"",
		  "a if s == \"'\"|b if s == \"'\"" },
		{ "f.c:1(a;b);c", "f.c:1(a;b)|c" },
		{ "f.c:1(a(1;2);\")\";b);c", "f.c:1(a(1;2);\")\";b)|c" },
		{ "f.c:1 \"x; %d\", n;c", "f.c:1 \"x; %d\", n|c" },
		{ "a if s == \"x;b", "a if s == \"x|b" },
		{ "a if (n > 3;b", "a if (n > 3|b" },
		{ "a if ((n > 3);b", "a if ((n > 3)|b" },
		{ "a if n > 3);b", "a if n > 3)|b" },
		{ "a if s == \"x\\", "a if s == \"x\\" },
		{ "\";\"", "\";\"" },
		{ "(;)", "(;)" },
		{ "(", "(" },
	};
	char text[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		strcpy(text, rows[i].list);
		for (const char *p = text; *p;) {
			const char *next = rule_step(p);

			if (*p == ';')
				text[p - text] = '|';
			p = next;
		}
		unit_equal_string(text, rows[i].parts, "parts of %s",
				  rows[i].list);
	}
}

/* Each is preferred to those behind it. */
static void check_preferred(void)
{
	static const char *const names[] = {
		"open", "read", "open64", "_open", "__open", "__open64",
		"a.c:open", "b.c:open", "a.c:openat",
	};
	const size_t n = sizeof(names) / sizeof(names[0]);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			unit_equal(rule_prefers(names[i], names[k]), i < k,
				   "%s to %s", names[i], names[k]);
}

/* Rules, modules and functions. */
struct named_row {
	const char *rule, *module, *name;
	bool names;
};

static void check_named(const struct named_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		unit_equal(rule_names_function(rows[i].rule, rows[i].module,
					       rows[i].name),
			   rows[i].names, "%s: %s of %s", rows[i].rule,
			   rows[i].name, rows[i].module ?: "any module");
}

static void check_functions(void)
{
	static const struct named_row rows[] = {
		{ "fn:work", "app", "work", true },
		{ "fn:work", "app", "works", false },
		{ "fn:w*k", NULL, "work", true },
		{ "fn:*", "libfoo.so.3", "work", true },
		{ "fn:*", "libc.so.6", "open", false },
		{ "fn:*", "ld-linux-x86-64.so.2", "open", false },
		{ "fn:*", "libcrypto.so.3", "open", true },
		{ "fn:*", "libc", "open", true },
		{ "fn:libc/open*", "libc.so.6", "open64", true },
		{ "fn:libc/open*", "libcap.so.2", "open64", false },
		{ "fn:libc.so.6/open", "libc.so.6", "open", true },
		{ "fn:lib*/open", "libz.so.1", "open", true },
		{ "fn:app/open", "app", "open", true },
		{ "fn:app/open", "apple", "open", false },
		{ "fn:app/open", NULL, "open", true },
		{ "fn:[a/]pp/open", "app", "open", true },
		{ "fn:work", "app", "work%return", true },
		{ "fn:work%entry", "app", "work", true },
		{ "fn:work%entry", "app", "work%return", false },
		{ "fn:work%return", "app", "work", false },
		{ "fn:work%return", "app", "work%return", true },
		{ "fn:app/w*%return", "app", "work%return", true },
		{ "fn:w*t", "app", "work%return", false },
		{ "fn:", "app", "work", false },
		/* several names of a module */
		{ "fn:app/w*", "appd|app", "work", true },
		{ "fn:appd/w*", "appd|app", "work", true },
		{ "fn:app|*/w*", "appd|app", "work", false },
		{ "fn:appd|app/w*", "appd|app", "work", false },
		{ "fn:libn/w*", "app|libn.so.1|libn.so.1.2", "work", true },
		{ "fn:libn.so.1/w*", "app|libn.so.1|libn.so.1.2", "work",
		  true },
		{ "fn:app|libn/w*", "app|libn.so.1", "work", false },
		{ "fn:work", "libc.so.6|libc-2.31.so", "work", false },
		/* static functions by their files */
		{ "fn:a.c:work", "app", "a.c:work", true },
		{ "fn:app/a.c:work", "app", "a.c:work%return", true },
		{ "fn:app/a.c:*", "app", "a.c:work", true },
		{ "fn:a.c:work", "app", "b.c:work", false },
		{ "fn:a.c:work", "app", "work", false },
		{ "fn:a*", "app", "a.c:work", false },
		{ "fn:a*k", "app", "a.c:work%return", false },
		{ "fn:*k", "app", "a.c:work", true },
		{ "fn:a.*", "app", "a.c:work", true },
		{ "fn:a*", "app", "a.cc:shop::work", false },
		{ "fn:*::work", "app", "a.cc:shop::work", true },
		{ "work", "app", "work", false },
		{ "fn/work", "app", "work", false },
	};

	check_named(rows, sizeof(rows) / sizeof(rows[0]));
}

/* Names of C++: all overloads, or one. */
static void check_cxx(void)
{
	static const struct named_row rows[] = {
		{ "fn:shop::sell", "app", "_ZN4shop4sellEi", true },
		{ "fn:shop::sell", "app", "_ZN4shop4sellEi%return", true },
		{ "fn:shop::sell%return", "app", "_ZN4shop4sellEi", false },
		{ "fn:shop::sel", "app", "_ZN4shop4sellEi", false },
		{ "fn:shop::*", "app", "_ZN4shop4sellEi", true },
		{ "fn:app/*::sell", "app", "_ZN4shop4sellEi", true },
		{ "fn:'shop::sell(int)'", "app", "_ZN4shop4sellEi", true },
		{ "fn:\"shop::sell(int)\"", "app", "_ZN4shop4sellEi", true },
		{ "fn:'shop::sell(long)'", "app", "_ZN4shop4sellEi", false },
		{ "fn:app/'shop::sell(int)'%entry", "app", "_ZN4shop4sellEi",
		  true },
		{ "fn:'A::operator()'", "app", "_ZN1AclEi", true },
		{ "fn:'A::operator()'", NULL, "A::operator()(int) const", true },
		{ "fn:'A::operator/(int)'", "app", "_ZN1AdvEi", true },
		{ "fn:'f(char*)'", "app", "_Z1fPc", true },
		{ "fn:_ZN4shop*", "app", "_ZN4shop4sellEi", true },
		{ "fn:deep", NULL, "deep(long)%return", true },
		/* tags of the ABI are in no source */
		{ "fn:Cart::name", "app", "_ZNK4Cart4nameB5cxx11Ev", true },
		{ "fn:'Cart::name() const'", "app", "_ZNK4Cart4nameB5cxx11Ev",
		  true },
		{ "fn:'Cart::name() const'%return", "app",
		  "_ZNK4Cart4nameB5cxx11Ev%return", true },
		{ "fn:'Cart::name\\[abi:cxx11]'", "app",
		  "_ZNK4Cart4nameB5cxx11Ev", true },
		{ "fn:Cart::names", "app", "_ZNK4Cart4nameB5cxx11Ev", false },
		{ "fn:'f(A*)'", "app", "_Z1fB1aP1AB1b", true },
		/* nor are anonymous namespaces */
		{ "fn:shop::hidden", "app", "_ZN4shop12_GLOBAL__N_16hiddenEi",
		  true },
		{ "fn:'shop::hidden(int)'", "app",
		  "_ZN4shop12_GLOBAL__N_16hiddenEi%return", true },
		{ "fn:'shop::(anonymous namespace)::hidden'", "app",
		  "_ZN4shop12_GLOBAL__N_16hiddenEi", true },
		{ "fn:hidden", "app", "_ZN4shop12_GLOBAL__N_16hiddenEi",
		  false },
		/* types that are not read: the name alone */
		{ "fn:'f<*'", "app", "_Z1fIiEDTfp_ET_", true },
	};

	check_named(rows, sizeof(rows) / sizeof(rows[0]));
}

/* Rules without a module name no function of libc, which is not read then. */
static void check_modules(void)
{
	static const struct {
		const char *rule;
		bool has;
	} rows[] = {
		{ "fn:work", false },
		{ "fn:*", false },
		{ "fn:libc/work", true },
		{ "fn:lib*/work", true },
		{ "fn:[a/]work", false },
		{ "fn:'A::operator/(int)'", false },
		{ "fn:app/'A::operator/(int)'", true },
		{ "lib/work", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		unit_equal(rule_has_module(rows[i].rule), rows[i].has,
			   "%s: a module", rows[i].rule);
}

int main(void)
{
	check_kinds();
	check_preferred();
	check_functions();
	check_cxx();
	check_modules();
	check_unified();
	check_lists();
	return unit_end();
}
