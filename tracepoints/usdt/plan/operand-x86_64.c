/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The grammar of operands, as gcc, clang and sys/sdt.h write them:
 *
 *	operands = operand { " " operand }
 *	operand  = [ [ "-" ] SIZE [ "f" ] "@" ] where
 *	where    = "$" number | "%" register | memory
 * memory = [ terms ] "(" [ "%" base ] [ "," "%" index [ "," scale ] ] ")"
 *		 | terms
 *	terms    = term { ( "+" | "-" ) term },  term = number | symbol
 *
 * A symbol with (%rip) is the symbol's address. A number with (%rip) would
 * count from an instruction that does not exist, and is not understood.
 *
 * Invariant: the text comes from a file and is not trusted. Nothing is read
 * after the NUL.
 */
#include "tracepoints/usdt/plan/operand.h"

#include "base/base.h"

#define REGISTER_RIP_BASE	16	/* while parsing only */

struct parse {
	const char *p;
	usdt_symbol *symbol;
	void *priv;
};

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '.' || c == '@' || is_digit(c);
}

/* Takes a character. Returns false when another one is there. */
static bool letter_take(struct parse *parse, char c)
{
	if (*parse->p != c)
		return false;
	parse->p++;
	return true;
}

/* Returns the value of a hexadecimal digit, or -1. */
static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Takes a number, decimal or 0x, modulo 2^64 as in the assembler. */
static bool number_take(struct parse *parse, uint64_t *value)
{
	const char *p = parse->p;
	int digit;

	if (!is_digit(*p))
		return false;
	*value = 0;
	if (p[0] == '0' && (p[1] | 0x20) == 'x' && hex_digit(p[2]) >= 0) {
		for (p += 2; (digit = hex_digit(*p)) >= 0; p++)
			*value = *value << 4 | (uint64_t)digit;
	} else {
		for (; is_digit(*p); p++)
			*value = *value * 10 + (uint64_t)(*p - '0');
	}
	parse->p = p;
	return true;
}

/* Returns the number of the legacy register whose name ends in these letters,
 * or -1. */
static int legacy_number(char a, char b)
{
	static const char names[8][3] = { "ax", "bx", "cx", "dx",
					  "si", "di", "bp", "sp" };

	for (int i = 0; i < 8; i++)
		if (names[i][0] == a && names[i][1] == b)
			return i;
	return -1;
}

/* Returns the number of r8 to r15, with or without b, w, d; or -1. */
static int numbered_register(const char *name, uint32_t n, uint32_t *bytes)
{
	int number = 0;
	uint32_t i;

	for (i = 1; i < n && is_digit(name[i]) && i < 3; i++)
		number = number * 10 + (name[i] - '0');
	if (name[0] != 'r' || i == 1 || number < 8 || number > 15 || n > i + 1)
		return -1;
	*bytes = 8;
	if (n == i)
		return number;
	*bytes = name[i] == 'b' ? 1 : name[i] == 'w' ? 2 : 4;
	return name[i] == 'b' || name[i] == 'w' || name[i] == 'd' ? number : -1;
}

/* Returns the number of a general register, or -1; stores the width. */
static int general_number(const char *name, uint32_t n, uint32_t *bytes,
			  uint8_t *shift)
{
	int number = -1;

	*shift = 0;
	if (n < 2)
		return -1;
	if (n == 3 && (name[0] == 'r' || name[0] == 'e')) {
		number = legacy_number(name[1], name[2]);
		*bytes = name[0] == 'r' ? 8 : 4;
	} else if (n == 2) {
		number = legacy_number(name[0], name[1]);
		*bytes = 2;
	}
	if (number < 0)
		number = numbered_register(name, n, bytes);
	if (number >= 0)
		return number;
	/* al to dh, sil to spl */
	*bytes = 1;
	if (n == 3 && name[2] == 'l')
		return legacy_number(name[0], name[1]);
	if (n != 2 || name[0] < 'a' || name[0] > 'd' ||
	    (name[1] != 'l' && name[1] != 'h'))
		return -1;
	*shift = name[1] == 'h' ? 8 : 0;
	return name[0] - 'a';
}

/* Returns the length of a register's name. */
static uint32_t name_length(const char *p)
{
	uint32_t n = 0;

	while ((p[n] >= 'a' && p[n] <= 'z') || is_digit(p[n]))
		n++;
	return n;
}

/* Takes a register after "%" that holds an address: 8 bytes wide. */
static bool address_register(struct parse *parse, uint8_t *number)
{
	uint32_t n = name_length(parse->p);
	uint32_t bytes;
	uint8_t shift;
	int found;

	if (n == 3 && parse->p[0] == 'r' && parse->p[1] == 'i' &&
	    parse->p[2] == 'p') {
		found = REGISTER_RIP_BASE;
	} else {
		found = general_number(parse->p, n, &bytes, &shift);
		if (found < 0 || bytes != 8)
			return false;
	}
	parse->p += n;
	*number = (uint8_t)found;
	return true;
}

/* Takes a register behind "%", general or xmm0 to xmm15, and stores its
 * width. Returns false when the name is of no such register. */
static bool register_take(struct parse *parse, struct usdt_operand *operand,
			  uint32_t *width)
{
	const char *name = parse->p;
	uint32_t n = name_length(name);
	int number = -1;
	uint32_t i;

	if ((n == 4 || n == 5) && name[0] == 'x' && name[1] == 'm' &&
	    name[2] == 'm') {
		number = 0;
		for (i = 3; i < n && is_digit(name[i]); i++)
			number = number * 10 + (name[i] - '0');
		if (i < n || number > 15)
			number = -1;
	}
	operand->place = USDT_VECTOR;
	*width = 8;
	if (number < 0) {
		operand->place = USDT_REGISTER;
		number = general_number(name, n, width, &operand->shift);
	}
	if (number < 0)
		return false;
	operand->base = (uint8_t)number;
	parse->p += n;
	return true;
}

/* Takes numbers and symbols with + and - between them; counts the symbols. */
static bool terms_take(struct parse *parse, uint64_t *sum, uint32_t *symbols)
{
	int minus = letter_take(parse, '-');

	*sum = 0;
	do {
		const char *name = parse->p;
		uint64_t value;

		if (!number_take(parse, &value)) {
			while (is_name(*parse->p))
				parse->p++;
			if (parse->p == name || minus || !parse->symbol ||
			    !parse->symbol(name, (uint32_t)(parse->p - name),
					   &value, parse->priv))
				return false;
			(*symbols)++;
		}
		*sum += minus ? -value : value;
		minus = *parse->p == '-';
	} while (letter_take(parse, minus ? '-' : '+'));
	return true;
}

/* Takes an operand in memory. Returns false when the text is of another form.
 */
static bool memory_take(struct parse *parse, struct usdt_operand *operand)
{
	uint32_t symbols = 0;
	uint64_t scale;
	uint64_t sum = 0;

	operand->place = USDT_MEMORY;
	if (*parse->p != '(' && !terms_take(parse, &sum, &symbols))
		return false;
	operand->value = (int64_t)sum;
	if (!letter_take(parse, '('))
		return symbols == 1;
	if (letter_take(parse, '%') ? !address_register(parse, &operand->base) :
			       *parse->p != ',')
		return false;
	if (letter_take(parse, ',')) {
		if (!letter_take(parse, '%') ||
		    !address_register(parse, &operand->index) ||
		    operand->index == REGISTER_RIP_BASE)
			return false;
		if (letter_take(parse, ',')) {
			if (!number_take(parse, &scale) || !scale ||
			    scale > 8 || scale & (scale - 1))
				return false;
			operand->scale = (uint8_t)__builtin_ctzll(scale);
		}
	}
	if (!letter_take(parse, ')') || symbols > 1)
		return false;
	if (operand->base != REGISTER_RIP_BASE)
		return true;
	operand->base = USDT_NO_REGISTER;
	return symbols == 1 && operand->index == USDT_NO_REGISTER;
}

/* Takes the place of an operand: immediate, register or memory. */
static bool where_take(struct parse *parse, struct usdt_operand *operand,
		       uint32_t *width)
{
	uint32_t symbols = 0;
	uint64_t value;

	*width = 8;
	if (letter_take(parse, '%'))
		return register_take(parse, operand, width);
	if (!letter_take(parse, '$'))
		return memory_take(parse, operand);
	operand->place = USDT_IMMEDIATE;
	if (!terms_take(parse, &value, &symbols))
		return false;
	operand->value = (int64_t)value;
	return symbols <= 1;
}

/*
 * Parses one operand, and goes on to the blank behind it also when it is not
 * understood. A size that no scalar has makes it USDT_UNKNOWN, with a type of 8
 * bytes.
 */
static void operand_parse(struct parse *parse, struct usdt_operand *operand)
{
	struct parse ahead = *parse;
	int is_signed = letter_take(&ahead, '-');
	int is_float = 0;
	uint64_t bytes = 0;
	uint32_t width;
	int sized = 0;
	int good;

	operand->base = USDT_NO_REGISTER;
	operand->index = USDT_NO_REGISTER;
	/* a size: "-4@", "8f@" */
	if (number_take(&ahead, &bytes)) {
		is_float = letter_take(&ahead, 'f');
		sized = letter_take(&ahead, '@');
	}
	if (sized)
		parse->p = ahead.p;
	good = where_take(parse, operand, &width) &&
	       (!*parse->p || *parse->p == ' ');
	/* old notes have no sizes: the register's width is used */
	if (!sized)
		bytes = width;
	if (!bytes || bytes > 8 || bytes & (bytes - 1)) {
		good = 0;
		bytes = 8;
	}
	operand->bytes = (uint8_t)bytes;
	operand->type = scalar_of_sort(is_signed ? SCALAR_SIGNED :
						   SCALAR_UNSIGNED, bytes);
	if (is_float) {
		operand->type = bytes == 4 ? TAFFRAIL_T_F32 : TAFFRAIL_T_F64;
		good &= bytes >= 4;
	}
	if (!good)
		operand->place = USDT_UNKNOWN;
	while (*parse->p && *parse->p != ' ')
		parse->p++;
}

uint32_t usdt_operands_parse(const char *text,
			     struct usdt_operand operands[TAFFRAIL_FIELDS_MAX],
			     usdt_symbol *symbol, void *priv)
{
	struct parse parse = { text, symbol, priv };
	uint32_t n = 0;

	while (n < TAFFRAIL_FIELDS_MAX) {
		while (letter_take(&parse, ' '))
			;
		if (!*parse.p)
			break;
		operands[n] = (struct usdt_operand){ 0 };
		operand_parse(&parse, &operands[n++]);
	}
	return n;
}
