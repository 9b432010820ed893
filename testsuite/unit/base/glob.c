/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The globs of rules (base/glob.h), against a table, and against a
 * plain recursive matcher on all short patterns and texts.
 */
#include "testsuite/unit/unit.h"

#include <stdlib.h>
#include <time.h>

#include "base/glob.h"

static const struct {
	const char *pattern;
	const char *text;
	bool match;
} rows[] = {
	{ "", "", true },
	{ "", "a", false },
	{ "a", "", false },
	{ "*", "", true },
	{ "*", "app/request", true },
	{ "**", "x", true },
	{ "app/*", "app/request", true },
	{ "app/*", "app/", true },
	{ "app/*", "application/request", false },
	{ "*/request", "app/request", true },
	{ "*/request", "app/request2", false },
	{ "a*b*c", "aXbXbc", true },
	{ "a*b*c", "aXbXbcd", false },
	{ "?", "", false },
	{ "?", "a", true },
	{ "a?c", "abc", true },
	{ "a?c", "ac", false },
	{ "*?", "a", true },
	{ "*?", "", false },
	{ "[abc]", "b", true },
	{ "[abc]", "d", false },
	{ "[a-c]x", "bx", true },
	{ "[c-a]", "b", false },
	{ "[!a-c]", "d", true },
	{ "[!a-c]", "b", false },
	{ "[^a]", "b", true },
	{ "[^a]", "a", false },
	{ "[]]", "]", true },
	{ "[]a]", "a", true },
	{ "[!]]", "]", false },
	{ "[a-]", "-", true },
	{ "[-a]", "-", true },
	{ "[a", "[a", true },
	{ "[a", "a", false },
	{ "[", "[", true },
	{ "[]", "[]", true },
	{ "[!", "[!", true },
	{ "[a-", "[a-", true },
	{ "[*]", "*", true },
	{ "[*]", "a", false },
	{ "*[0-9]", "a/b7", true },
	{ "*[0-9]", "a/b", false },
	{ "[\x80-\xff]", "\xc3", true },
	{ "[\x80-\xff]", "a", false },
	{ "a.c", "abc", false },
	{ "\\a", "a", false },
};

/* A plain matcher by the same rules, without classes. */
static bool slow(const char *p, const char *t)
{
	if (!*p)
		return !*t;
	if (*p == '*')
		return slow(p + 1, t) || (*t && slow(p, t + 1));
	return *t && (*p == '?' || *p == *t) && slow(p + 1, t + 1);
}

/* Writes a number's digits, in the base of the alphabet, as a string. */
static void spell(char *text, const char *alphabet, unsigned int number)
{
	size_t base = strlen(alphabet);

	while (number) {
		*text++ = alphabet[(number - 1) % base];
		number = (number - 1) / base;
	}
	*text = '\0';
}

static void compare_all(void)
{
	char pattern[16], text[16];
	unsigned int wrong = 0;

	/* patterns up to 5 of "ab*?", texts up to 6 of "ab" */
	for (unsigned int p = 0; p < 1365; p++)
		for (unsigned int t = 0; t < 127; t++) {
			spell(pattern, "ab*?", p);
			spell(text, "ab", t);
			wrong += glob_match(pattern, text) !=
				 slow(pattern, text);
		}
	unit_equal(wrong, 0, "all short patterns and texts");
}

/* An exponential matcher would not end on these. */
static void hostile(void)
{
	static char pattern[4001], text[4001];

	for (int i = 0; i < 4000; i += 2) {
		pattern[i] = '*';
		pattern[i + 1] = 'a';
	}
	memset(text, 'a', 4000);
	text[3999] = 'b';
	unit_check(!glob_match(pattern, text), "many stars, no match");
	memset(pattern, '[', 4000);
	unit_check(!glob_match(pattern, text), "many open brackets");
}

/* Texts that may have been cut to four bytes. */
static void check_cut(void)
{
	static const struct {
		const char *pattern, *text;
		bool match;
	} rows[] = {
		{ "abcdef", "abcd", true },
		{ "abcd", "abcd", true },
		{ "abcd*", "abcd", true },
		{ "abcdef*", "abcd", true },
		{ "a*", "abcd", true },
		{ "abxdef", "abcd", false },
		{ "abcdef", "abc", false },
		{ "abc", "abcd", false },
		{ "", "", true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		unit_check(glob_match_cut(rows[i].pattern, rows[i].text, 4) ==
			   rows[i].match, "cut: '%s' and '%s'",
			   rows[i].pattern, rows[i].text);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		unit_check(glob_match(rows[i].pattern, rows[i].text) ==
			   rows[i].match, "row %zu: '%s' %s '%s'", i,
			   rows[i].pattern[0] & 0x80 || strchr(rows[i].pattern,
			   '\x80') ? "(bytes)" : rows[i].pattern,
			   rows[i].match ? "matches" : "does not match",
			   rows[i].text[0] & 0x80 ? "(byte)" : rows[i].text);
	compare_all();
	hostile();
	check_cut();
	return unit_end();
}
