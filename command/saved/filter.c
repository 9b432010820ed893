/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Filters and patterns of LTTng as conditions and globs of rules.
 *
 *	LTTng				here
 *	url == "api*"			url ~ "api*"
 *	"a\*" == name			name == "a*"
 *	$ctx.vpid == 5			$vpid == 5
 *
 * Operators, numbers, names of fields and elements are the same. The rule is
 * checked afterwards: a condition takes less than a filter in few cases.
 */
#include "command/saved/saved.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/text.h"

#define TOKENS_MAX	512

enum word {
	WORD_OTHER,			/* a number, a parenthesis, blanks */
	WORD_NAME,
	WORD_TEXT,			/* in quotation marks */
	WORD_PATTERN,			/* such a text with a '*' */
	WORD_EQUAL,
	WORD_NOT_EQUAL,
};

struct token {
	enum word word;
	const char *start, *end;
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (c >= '0' && c <= '9') || c == '.' || c == '$';
}

/* Takes one token at `p`, which is no blank. Returns NULL or a fault. */
static const char *token_take(struct token *token, const char *p)
{
	static const char comparisons[] = "&&||<<>><=>=";
	bool star = false;

	token->start = p;
	token->word = WORD_OTHER;
	token->end = p + 1;
	if (*p == '"' || *p == '\'') {
		for (p++; *p && *p != *token->start; p++) {
			star |= *p == '*';
			if (*p == '\\' && p[1])
				p++;
		}
		if (!*p)
			return "a quotation mark is missing";
		token->end = p + 1;
		if (*token->start == '"')
			token->word = star ? WORD_PATTERN : WORD_TEXT;
	} else if (is_word(*p)) {
		while (is_word(*p) || *p == '[' || *p == ']')
			p++;
		token->end = p;
		token->word = *token->start < '0' || *token->start > '9' ?
				      WORD_NAME : WORD_OTHER;
	} else if (p[1] == '=' && (*p == '=' || *p == '!')) {
		token->word = *p == '=' ? WORD_EQUAL : WORD_NOT_EQUAL;
		token->end = p + 2;
	} else {
		for (size_t i = 0; comparisons[i]; i += 2)
			if (p[0] == comparisons[i] &&
			    p[1] == comparisons[i + 1])
				token->end = p + 2;
	}
	return NULL;
}

/* Adds the characters that a glob takes as they are. */
static void add_plain(struct text *out, char c)
{
	if (c == '?' || c == '[' || c == '*') {
		text_add_char(out, '[');
		text_add_char(out, c);
		text_add_char(out, ']');
	} else {
		text_add_char(out, c);
	}
}

/* Adds a text in quotation marks: as a pattern, or to be compared exactly. */
static void add_quoted(struct text *out, const struct token *token)
{
	bool pattern = token->word == WORD_PATTERN;

	for (const char *p = token->start; p < token->end; p++) {
		if (*p == '\\' && p + 2 < token->end &&
		    (p[1] == '*' || p[1] == '?')) {
			p++;
			if (pattern)
				add_plain(out, *p);
			else
				text_add_char(out, *p);
		} else if (*p == '\\' && p + 2 < token->end) {
			text_add_bytes(out, p++, 2);
		} else if (pattern && *p != '*') {
			add_plain(out, *p);
		} else {
			text_add_char(out, *p);
		}
	}
}

/* Adds a name. Returns NULL, or a fault. */
static const char *add_name(struct text *out, const struct token *token)
{
	static const char *const contexts[] = {
		"vpid", "vtid", "procname", "cpu_id", "pthread_id", "ip",
	};
	static char fault[80];
	const char *name = text_after(token->start, "$ctx.");
	size_t n = (size_t)(token->end - (name ? name : token->start));

	if (*token->start != '$') {
		text_add_bytes(out, token->start, n);
		return NULL;
	}
	for (size_t i = 0; name && i < ARRAY_SIZE(contexts); i++) {
		if (strlen(contexts[i]) != n || strncmp(contexts[i], name, n))
			continue;
		text_add_char(out, '$');
		text_add(out, contexts[i]);
		return NULL;
	}
	snprintf(fault, sizeof(fault), "a condition cannot use %.*s",
		 (int)(token->end - token->start < 40 ?
		       token->end - token->start : 40), token->start);
	return fault;
}

/* Adds a token, which compares with a pattern if the other side is one. */
static const char *add_token(struct text *out, const struct token *token,
			     bool pattern)
{
	switch (token->word) {
	case WORD_NAME:
		return add_name(out, token);
	case WORD_TEXT:
	case WORD_PATTERN:
		add_quoted(out, token);
		return NULL;
	case WORD_EQUAL:
		text_add(out, pattern ? "~" : "==");
		return NULL;
	case WORD_NOT_EQUAL:
		text_add(out, pattern ? "!~" : "!=");
		return NULL;
	default:
		text_add_bytes(out, token->start,
			       (size_t)(token->end - token->start));
		return NULL;
	}
}

const char *saved_condition(const char *filter, char *out, size_t room)
{
	static struct token tokens[TOKENS_MAX];
	struct token swapped;
	const char *fault = NULL, *p = filter;
	struct text text;
	size_t n = 0;

	text_open(&text, out, room);
	for (;; p = tokens[n++].end) {
		p += strspn(p, " \t\r\n");
		if (!*p)
			break;
		if (n == TOKENS_MAX)
			return "it is too long";
		fault = token_take(&tokens[n], p);
		if (fault)
			return fault;
	}
	for (size_t i = 0; i < n && !fault; i++) {
		/* "a*" == name: the pattern stands on the right here */
		if (tokens[i].word == WORD_PATTERN && i + 2 < n &&
		    (tokens[i + 1].word == WORD_EQUAL ||
		     tokens[i + 1].word == WORD_NOT_EQUAL) &&
		    tokens[i + 2].word == WORD_NAME) {
			swapped = tokens[i];
			tokens[i] = tokens[i + 2];
			tokens[i + 2] = swapped;
		}
		if (i)
			text_add_char(&text, ' ');
		fault = add_token(&text, &tokens[i],
				  i + 1 < n &&
				  tokens[i + 1].word == WORD_PATTERN);
	}
	return fault ? fault : text.cut ? "it is too long" : NULL;
}

bool saved_glob(const char *pattern, char *out, size_t room)
{
	struct text text;

	text_open(&text, out, room);
	for (const char *p = pattern; *p; p++) {
		if (*p == '*')
			text_add_char(&text, '*');
		else if (*p == '\\' && p[1])
			add_plain(&text, *++p);
		else
			add_plain(&text, *p);
	}
	return !text.cut;
}
