/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the heads of the descriptions that commands make of lines and functions
 * (struct usdt_line).
 *
 * Invariant: a description is text of unknown origin.
 */
#include "base/text.h"
#include "tracepoints/usdt/place/private.h"
#include "tracepoints/usdt/plan/debug.h"

/* Returns the value of a hexadecimal digit, or -1. */
static int hex_value(char c)
{
	return c >= '0' && c <= '9' ? c - '0' :
	       c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int usdt_hex_byte(const char **p)
{
	int high = hex_value(**p), low = high < 0 ? -1 : hex_value((*p)[1]);

	if (low < 0)
		return -1;
	*p += 2;
	return high << 4 | low;
}

static uint64_t hex_number(const char **p)
{
	uint64_t value = 0;

	for (; hex_value(**p) >= 0; (*p)++)
		value = value << 4 | (uint64_t)hex_value(**p);
	return value;
}

const char *usdt_line_after(const char *p)
{
	while (*p && *p++ != '\n')
		;
	return p;
}

bool usdt_head_read(struct usdt_head *head, const char *p,
		    const struct usdt_file *file)
{
	uint32_t i = 0;
	int byte;

	while (i < sizeof(head->build_id) && (byte = usdt_hex_byte(&p)) >= 0)
		head->build_id[i++] = (uint8_t)byte;
	head->target = (struct usdt_target){ head->build_id, i, 0 };
	if (!i || *p++ != ' ' || !usdt_target_in(&head->target, file))
		return false;
	head->target.build_id = usdt_build_id(file, &i);
	head->target.offset = hex_number(&p);
	if (*p++ != ' ')
		return false;
	head->kind = hex_number(&p);
	if (*p++ != ' ')
		return false;
	for (i = 0; *p && *p != '\t' && *p != '\n'; p++)
		if (i + 1 < sizeof(head->name))
			head->name[i++] = *p;
	head->name[i] = '\0';
	head->text = p + (*p == '\t');
	head->fields = usdt_line_after(p);
	return *p == '\t' && i + 1 < sizeof(head->name) &&
	       head->target.offset <= INT32_MAX;
}

const char *usdt_lines_call(const struct usdt_naming *naming, uint64_t address)
{
	const struct usdt_line *line;
	struct usdt_head head;

	for (line = naming->asking->lines; line; line = line->next)
		if (usdt_head_read(&head, line->text, naming->file) &&
		    head.kind == USDT_LINE_CALL &&
		    head.target.offset == address)
			return head.text;
	return NULL;
}
