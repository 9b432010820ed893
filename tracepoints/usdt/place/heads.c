/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the heads and fields of the descriptions that commands make of lines
 * and functions (struct usdt_line).
 *
 * Invariant: a description is text of unknown origin.
 */
#include "base/arena.h"
#include "base/text.h"
#include "tracepoints/conditions/ax.h"
#include "tracepoints/usdt/place/private.h"
#include "tracepoints/usdt/plan/debug.h"

#define PROGRAM_BYTES	128u		/* of a field's code */

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

/* Verifies a program, and that of a length if there is one, and keeps both.
 * Returns false if one is refused. */
static bool program_take(struct usdt_operand *operand, const char *p)
{
	static char buffers[2][AX_PROGRAM_BYTES(PROGRAM_BYTES)]
		__attribute__((aligned(8)));
	struct ax_program *programs[2], *kept;
	int high = usdt_hex_byte(&p), low = usdt_hex_byte(&p), byte, n = 0;
	uint8_t code[PROGRAM_BYTES];
	struct ax_refusal refusal;

	do {
		struct ax_source source = {
			.code = code, .want_result = 1,
			.machine = &usdt_line_machine,
		};

		while (source.bytes < sizeof(code) &&
		       (byte = usdt_hex_byte(&p)) >= 0)
			code[source.bytes++] = (uint8_t)byte;
		if (ax_verify(buffers[n], sizeof(buffers[n]), &source,
			      &refusal))
			return false;
		programs[n] = (struct ax_program *)buffers[n];
	} while (++n < 2 && *p == ':' && p++);
	if (high < 0 || low < 0 || (*p && *p != '\n'))
		return false;
	kept = arena_pack(usdt_program_bytes(programs[0]) +
			  (n == 2 ? programs[1]->bytes : 0));
	if (!kept)
		return false;
	__builtin_memcpy(kept, programs[0], programs[0]->bytes);
	if (n == 2) {
		operand->length = USDT_LENGTH_BEHIND;
		__builtin_memcpy((char *)kept + usdt_program_bytes(kept),
				 programs[1], programs[1]->bytes);
	}
	operand->place = USDT_PROGRAM;
	operand->scale = (uint8_t)high;
	operand->shift = (uint8_t)low;
	operand->value = (int64_t)(uint64_t)kept;
	return true;
}

/* Reads the operand of a field. Returns false if it makes no sense. */
static bool operand_take(struct usdt_operand *operand, const char *p)
{
	struct usdt_operand parsed[TAFFRAIL_FIELDS_MAX];
	uint8_t type = operand->type;
	int high, low;
	char text[64];
	uint32_t n = 0;

	if (*p == 'x')
		return program_take(operand, p + 1);
	if (*p == 'u') {
		p++;
		high = usdt_hex_byte(&p);
		low = usdt_hex_byte(&p);
		operand->value = low < 0 ? 0 : high << 8 | low;
		operand->place = USDT_UNREAD;
		return true;
	}
	if (*p == 'l') {
		p++;
		operand->length = (uint8_t)usdt_hex_byte(&p);
		return operand->length <= TAFFRAIL_FIELDS_MAX && *p == 'x' &&
		       program_take(operand, p + 1);
	}
	for (; *p && *p != '\n' && n + 1 < sizeof(text); p++)
		text[n++] = *p;
	text[n] = '\0';
	if (usdt_operands_parse(text, parsed, NULL, NULL) != 1 ||
	    parsed[0].place == USDT_UNKNOWN)
		return false;
	*operand = parsed[0];
	operand->type = type;
	return true;
}

bool usdt_field_read(struct usdt_operand *operand, const char *p)
{
	int64_t type = text_number(&p);

	if (*p++ != ' ' || type <= 0 || type >= TAFFRAIL_T_ARRAY ||
	    (type != TAFFRAIL_T_STRING &&
	     ((type & ~TAFFRAIL_T_SEQUENCE) > TAFFRAIL_T_SCALAR_MASK ||
	      !scalar_bytes((uint8_t)type))))
		return false;
	*operand = (struct usdt_operand){ .type = (uint8_t)type };
	if (!operand_take(operand, p))
		return false;
	operand->bytes = type >= TAFFRAIL_T_STRING ?
				 8 : (uint8_t)scalar_bytes((uint8_t)type);
	/* nothing says how many elements a sequence has */
	return type <= TAFFRAIL_T_STRING || operand->length ||
	       operand->scale || operand->shift;
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
