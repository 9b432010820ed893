/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The text for people that a marker carries: a TAFFRAIL_MESSAGE before the
 * arguments, as the program's author wrote it or as another macro expanded it,
 * (WORDS, , SAID, "TEXT"). A TAFFRAIL_MARK carries its format.
 *
 * Invariant: no load beyond the NUL of the arguments' text.
 */
#include "traces/tsdl/tsdl.h"

#include <string.h>

#include "taffrail/site.h"

#define MESSAGE_BYTES	1024		/* of a message, with the NUL; cut */

/* Returns the first character that is no blank; at the latest the NUL. */
static const char *skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t' || *p == '\n')
		p++;
	return p;
}

/* Reads an escape, behind the backslash; there is a character. Returns the one
 * that it stands for. */
static char take_escape(const char **p)
{
	static const char from[] = "abefnrtv", to[] = "\a\b\033\f\n\r\t\v";
	const char *found = **p ? strchr(from, **p) : NULL;
	unsigned int value = 0;
	int n;

	for (n = 0; n < 3 && **p >= '0' && **p <= '7'; n++)
		value = value * 8 + (unsigned int)(*(*p)++ - '0');
	if (n)
		return (char)value;
	value = (unsigned char)*(*p)++;
	return found ? to[found - from] : (char)value;
}

/* Adds the text of the literals that stand at p. Returns the new length. */
static size_t take_literals(const char *p, char *text, size_t n, size_t room)
{
	for (p = skip_blanks(p); *p == '"'; p = skip_blanks(p)) {
		for (p++; *p && *p != '"';) {
			char c = *p++;

			if (c == '\\' && *p)
				c = take_escape(&p);
			if (n + 1 < room && c)
				text[n++] = c;
		}
		p += *p == '"';
	}
	return n;
}

/* Returns the end of the argument at p, and where the last part of the argument
 * begins: behind the last comma, or the first parenthesis. */
static const char *skip_argument(const char *p, const char **last)
{
	int depth = 0;

	while (*p && (depth || *p != ',')) {
		depth += (*p == '(') - (*p == ')');
		if ((*p == '(' || *p == ',') && depth == 1)
			*last = p + 1;
		if (*p++ != '"')
			continue;
		/* a literal, in which no comma counts */
		for (; *p && *p != '"'; p++)
			if (*p == '\\' && p[1])
				p++;
		p += *p == '"';
	}
	return p;
}

/* Returns whether a word stands at p. */
static bool text_begins(const char *p, const char *word)
{
	return !strncmp(p, word, strlen(word));
}

/* Returns whether the expansion of another macro begins here: a list with an
 * empty second item. */
static bool is_expanded(const char *p)
{
	const char *last;

	if (*p != '(')
		return false;
	p = skip_argument(p + 1, &last);
	return *p == ',' && *skip_blanks(p + 1) == ',';
}

/* Finds the message in the text of a marker's arguments, and copies as much as
 * there is room for. Returns whether there is one. */
static bool message_find(const char *arguments, char *text, size_t room)
{
	const char *p = skip_blanks(arguments), *last = p, *at;
	size_t n = 0;

	while (text_begins(p, "TAFFRAIL_LEVEL") ||
	       text_begins(p, "TAFFRAIL_MESSAGE") ||
	       is_expanded(p)) {
		at = p;
		p = skip_argument(p, &last);
		if (!text_begins(at, "TAFFRAIL_LEVEL"))
			n = take_literals(last, text, n, room);
		p = skip_blanks(*p ? p + 1 : p);
	}
	text[n] = '\0';
	return n;
}

void message_put(FILE *out, const struct event_view *event)
{
	const char *text = strrchr(event->text, '\2');	/* behind members */
	bool format = event->kind == TAFFRAIL_KIND_MARK && *event->text;
	char message[MESSAGE_BYTES];

	text = text ? text + 1 : event->text;
	if (!format && (event->kind != TAFFRAIL_KIND_EVENT ||
			!message_find(text, message, sizeof(message))))
		return;
	fprintf(out, "env {\n\t%s_%u = \"", format ? "format" : "message",
		event->id);
	metadata_escape(out, format ? event->text : message);
	fputs("\";\n};\n", out);
}
