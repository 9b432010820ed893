/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads rules for source lines. See line-rules.h.
 */
#include "command/elf/line-rules.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/lines.h"
#include "command/elf/call-types-private.h"
#include "command/elf/expression-text-private.h"
#include "command/elf/line-rule-private.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/fields/fields.h"

#define RULES_MAX	64
#define LINE_DIGITS	9

static struct line_rule rules[RULES_MAX];
static uint32_t nrules;

/* Returns a copy without blanks around it, and without any in it but between
 * words. */
static char *text_tidy(const char *p, size_t n)
{
	char *copy = calloc(1, n + 1), *to = copy;

	for (size_t i = 0; copy && i < n; i++)
		if (!isblank((unsigned char)p[i]))
			*to++ = p[i];
		else if (to > copy && is_word(to[-1]) && i + 1 < n &&
			 is_word(p[i + 1]))
			*to++ = ' ';
	return copy;
}

/* Adds an expression unless it is there. Returns its number, or -1. */
static int expression_add(struct line_rule *rule, char *expression)
{
	for (uint32_t i = 0; expression && i < rule->n; i++)
		if (!strcmp(rule->expressions[i], expression)) {
			free(expression);
			return (int)i;
		}
	if (!expression || rule->n == TAFFRAIL_FIELDS_MAX - 1) {
		free(expression);
		return -1;
	}
	rule->expressions[rule->n] = expression;
	return (int)rule->n++;
}

/* Takes the list of expressions at *p: each ends at a comma, a ')' or `if`
 * outside of brackets. Returns NULL or a fact. */
static const char *expressions_take(struct line_rule *rule, const char **p)
{
	const char *end, *next;
	int depth;

	for (;;) {
		depth = 0;
		*p = blanks_skip(*p);
		if (**p == '"')
			return "a text and the values behind it stand without "
			       "( ), as in FILE.c:LINE \"%d\", A";
		for (end = *p; *end; end++) {
			if (strchr("[(", *end) || (strchr("])", *end) && depth)) {
				depth += strchr("[(", *end) ? 1 : -1;
				continue;
			}
			next = blanks_skip(end);
			if (!depth && (*end == ',' || *end == ')' ||
				       (next > end && next[0] == 'i' &&
					next[1] == 'f' &&
					(isblank((unsigned char)next[2]) ||
					 next[2] == '('))))
				break;
		}
		if (rule->n == TAFFRAIL_FIELDS_MAX - 1)
			return "it has more than 15 values";
		if (end == *p)
			return rule->n ? "it has an empty value" :
					 "it has no value between ( and )";
		rule->expressions[rule->n++] =
			text_tidy(*p, (size_t)(end - *p));
		*p = end;
		if (*end != ',')
			return NULL;
		*p = end + 1;
	}
}

/* Adds the lengths of arrays that are values themselves. Returns NULL or a
 * fact. */
static const char *lengths_add(struct line_rule *rule)
{
	for (uint32_t i = 0, n = rule->n; i < n; i++) {
		const char *length = strchr(rule->expressions[i], COUNT);
		char *end;
		long count;

		if (!length++)
			continue;
		count = strtol(length, &end, 10);
		if (isdigit((unsigned char)*length) || *length == '-' ?
			    *end || count < 1 || count > UINT16_MAX :
			    !*length || strchr(length, COUNT))
			return "behind @ stands a variable, or a number from 1 "
			       "to 65535";
		if (*end && expression_add(rule, strdup(length)) < 0)
			return "it has more than 15 values, lengths included";
	}
	return NULL;
}

/* Compares the conversions of the text with the number of values. Returns NULL
 * or a fact. */
static const char *format_check(const struct line_rule *rule)
{
	static char fact[64];
	uint32_t n = 0;

	for (const char *f = rule->format; *f; f++) {
		if (*f != '%' || *++f == '%')
			continue;
		f += strspn(f, "#0- +0123456789.hlzjt");
		if (!*f)
			return "its text ends in a conversion: %% is a '%'";
		if (!strchr("diouxXcsfFeEgGaAp", *f)) {
			snprintf(fact, sizeof(fact),
				 "its text has '%%%c', which prints no value",
				 *f);
			return fact;
		}
		n++;
	}
	return n == rule->n ? NULL : "its text has not as many conversions as "
				     "there are values";
}

/* Takes the text in quotes at *p. Returns NULL or a fact. */
static const char *format_take(struct line_rule *rule, const char **p)
{
	char *to = calloc(1, strlen(*p) + 1);
	const char *from = *p + 1;

	rule->format = to;
	for (; to && *from && *from != '"'; from++) {
		if (*from == '\\' && (from[1] == 'n' || from[1] == 't')) {
			from++;
			/* events are lines of their own */
			if (from[0] != 'n' || from[1] != '"')
				*to++ = ' ';
			continue;
		}
		from += *from == '\\' && from[1];
		*to++ = *from;
	}
	*p = from + (*from == '"');
	return *from == '"' ? NULL : "its text has no end";
}

bool line_rule_names(const struct line_rule *rule,
		       struct field_name names[TAFFRAIL_FIELDS_MAX])
{
	char text[LINE_VALUE_BYTES] = "";
	size_t used = 0;

	if (rule->format)
		return !fields_parse(rule->format, TAFFRAIL_KIND_MARK,
				     (int)rule->wanted, names);
	for (uint32_t i = 0; i < rule->n && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%.*s", i ? ", " : "",
					 (int)strcspn(rule->expressions[i],
						      "@"),
					 rule->expressions[i]);
	return used < sizeof(text) &&
	       !fields_parse(text, TAFFRAIL_KIND_EVENT, (int)rule->n, names);
}

/* Returns the number that a word stands for, and its end; or -1. */
static int constant_take(const char *p, const char **end)
{
	static const char words[][6] = { "NULL", "true", "false" };
	size_t n;

	for (int i = 0; i < 3; i++) {
		n = strlen(words[i]);
		if (strncmp(p, words[i], n) || is_word(p[n]))
			continue;
		*end = p + n;
		return i == 1;
	}
	return -1;
}

/* Tells whether the word of a text before one value is another value of it. */
static bool word_doubled(const struct line_rule *rule,
			 const struct field_name *names, uint32_t number)
{
	uint32_t i = 0;

	while (i < rule->wanted &&
	       (strcmp(names[i].name, rule->expressions[number]) ||
		!strcmp(rule->expressions[i], rule->expressions[number])))
		i++;
	return i < rule->wanted;
}

/* Writes the condition with the names of fields in place of expressions, which
 * are added to the rule's. Returns NULL or a fact. */
static const char *condition_write(struct line_rule *rule, const char *p,
				   char *to, size_t room)
{
	struct field_name names[TAFFRAIL_FIELDS_MAX];
	const char *end;
	size_t used = 0;
	bool simple = false, behind = false;	/* a value */
	int number;

	for (; *p; p = end) {
		size_t first = used;
		int bytes = 1;
		const char *word = p, *expression = behind && !is_word(*p) ? p :
						    expression_end(p, &simple);
		bool ends = is_word(*p) || strchr("\"'$)", *p);

		end = p + 1 + (p[0] == '&' && p[1] == '&');
		behind = ends || (behind && isblank((unsigned char)*p));
		if (*p == '"' || *p == '\'') {
			while (*end && *end != *p)
				end += *end == '\\' && end[1] ? 2 : 1;
			end += !!*end;
		} else if (isdigit((unsigned char)*p) || *p == '$') {
			while (isalnum((unsigned char)*end) || *end == '_' ||
			       *end == '.')
				end++;
		} else if ((number = constant_take(p, &end)) >= 0) {
			word = number ? "1" : "0";
			behind = true;
		} else if (expression > p) {
			end = expression;
			behind = true;
			number = expression_add(rule, text_tidy(p,
							(size_t)(end - p)));
			if (number < 0)
				return "its condition names too many variables";
			if (rule->format && (uint32_t)number >= rule->wanted) {
				rule->n--;
				free(rule->expressions[rule->n]);
				if (!simple)
					return "with a text, its condition can "
					       "only name values of the text";
			} else if (!line_rule_names(rule, names)) {
				return "its values have no names";
			} else if (rule->format && word_doubled(rule, names,
							(uint32_t)number)) {
				return "a name in its condition is a value of "
				       "the text, and the word before another "
				       "one: write another word there";
			} else {
				word = names[number].name;
				bytes = (int)strlen(word);
			}
		}
		if (word == p)
			bytes = (int)(end - p);
		used += (size_t)snprintf(to + used, room - used, "%.*s", bytes,
					 word);
		if (used >= room || used >= ARRAY_SIZE(rule->columns))
			return "its condition is too long";
		for (size_t i = first; i <= used; i++)
			rule->columns[i] = (uint16_t)(p - rule->typed +
				(i == used ? end - p : word == p ?
				 (long)(i - first) : 0));
	}
	return NULL;
}

/* Says how two rules in one are typed, with a ',' between them. */
static const char *rules_refuse(const char *typed, const char *comma)
{
	static char fact[LINE_VALUE_BYTES];

	snprintf(fact, sizeof(fact), "each rule has an -e of its own: "
		 "-e '%.*s' -e '%s'", (int)(comma - typed), typed,
		 blanks_skip(comma + 1));
	return fact;
}

/* Splits a rule. Returns NULL, or a fact. */
static const char *rule_read(struct line_rule *rule)
{
	const char *p, *why = NULL, *f;
	char condition[LINE_VALUE_BYTES] = "";
	size_t n;

	rule_condition(rule->typed, &n);
	p = rule->typed + n;
	f = memchr(rule->typed, ',', n);
	if (f && rule_kind(f + 1) == RULE_LINE) {
		rule->where = strndup(rule->typed, (size_t)(f - rule->typed));
		if (rule->where && rule_kind(rule->where) == RULE_LINE)
			return rules_refuse(rule->typed, f);
	}
	if (n >= WHERE_BYTES)
		return "it is too long";
	rule->where = strndup(rule->typed, n);
	f = rule->where ? strrchr(rule->where, ':') + 1 : "1";
	n = strspn(f + (*f == '+'), "0123456789");
	if (f[n + (*f == '+')] || n > LINE_DIGITS || !(*f == '+' || atoi(f)))
		return "lines are counted from 1 to 999999999, and a rule "
		       "names one";
	rule->parameters = true;
	p = blanks_skip(p);
	if (*p == '(') {
		rule->parameters = false;
		p++;
		why = expressions_take(rule, &p);
		if (!why && *p++ != ')')
			why = "it has no ')'";
	} else if (*p == '"') {
		rule->parameters = false;
		why = format_take(rule, &p);
		p = blanks_skip(p);
		if (!why && *p == ',') {
			p++;
			why = expressions_take(rule, &p);
		}
		why = why ? why : format_check(rule);
	}
	why = why ? why : lengths_add(rule);
	rule->wanted = rule->n;
	if (why)
		return why;
	p = blanks_skip(p);
	if (*p == ',' && rule_kind(blanks_skip(p + 1)) == RULE_LINE)
		return rules_refuse(rule->typed, p);
	if (*p && (p[0] != 'i' || p[1] != 'f' ||
		   (!isblank((unsigned char)p[2]) && p[2] != '(')))
		return "behind a line stand values, as in (A, B), or a text "
		       "and values, as in \"%d\", A, or 'if' and a condition";
	if (*p)
		why = condition_write(rule, blanks_skip(p + 2), condition,
				      sizeof(condition));
	if (!why && asprintf(&rule->made, "%s%s%s", rule->where,
			     *p ? " if " : "", condition) < 0)
		why = "there is no memory";
	return why;
}

const char *line_rule_take(const char **rule)
{
	struct line_rule *new = &rules[nrules];
	const char *why;

	for (uint32_t i = 0; i < nrules; i++)
		if (!strcmp(*rule, rules[i].typed)) {
			*rule = rules[i].made;
			return NULL;
		}
	if (nrules == RULES_MAX)
		return "it is one too many";
	*new = (struct line_rule){ .typed = strdup(*rule) };
	why = rule_read(new);
	if (why)
		return why;
	for (uint32_t i = 0; i < nrules; i++)
		if (!strcmp(rules[i].where, new->where))
			return "another rule names the line";
	nrules++;
	*rule = new->made;
	return NULL;
}

bool line_rule_made(const char *text)
{
	uint32_t i = 0;

	while (i < nrules && strcmp(text, rules[i].made))
		i++;
	return i < nrules;
}

struct line_rule *line_rule_find(const char *rule)
{
	size_t bytes;

	rule_condition(rule, &bytes);
	for (uint32_t i = 0; i < nrules; i++)
		if (strlen(rules[i].where) == bytes &&
		    !strncmp(rules[i].where, rule, bytes))
			return &rules[i];
	return NULL;
}

size_t line_rule_column(const char *rule, size_t column)
{
	const struct line_rule *taken = line_rule_find(rule);
	size_t bytes;
	const char *condition = rule_condition(rule, &bytes);
	size_t before = condition ? (size_t)(condition - rule) : column;

	return taken && !strcmp(taken->made, rule) && column > before &&
			       column - before < ARRAY_SIZE(taken->columns) ?
		       taken->columns[column - before - 1] + 1u : column;
}

const char *line_rule_text(const char *rule)
{
	const struct line_rule *found = line_rule_find(rule);

	return found && found->text ? found->text : call_types_text(rule);
}

const char *line_rule_library(const char *rule)
{
	const struct line_rule *found = line_rule_find(rule);

	return found ? found->library : "";
}
