/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Operands of USDT probes (tracepoints/usdt/plan/operand.h): every form that
 * compilers and sys/sdt.h write, and forms that are refused.
 */
#include "testsuite/unit/unit.h"

#include <string.h>

#include "tracepoints/usdt/plan/operand.h"

#define NONE	USDT_NO_REGISTER

struct row {
	const char *text;
	struct usdt_operand want;
};

#define IMMEDIATE(v)		.place = USDT_IMMEDIATE, .value = (v), \
				.base = NONE, .index = NONE
#define REGISTER(n)		.place = USDT_REGISTER, .base = (n), \
				.index = NONE
#define MEMORY(v, b, i, s)	.place = USDT_MEMORY, .value = (v), \
				.base = (b), .index = (i), .scale = (s)
#define UNKNOWN			.place = USDT_UNKNOWN
#define SIZED(kind)		.type = TAFFRAIL_T_##kind, \
				.bytes = sizeof_##kind

enum {
	sizeof_S8 = 1, sizeof_U8 = 1, sizeof_S16 = 2, sizeof_U16 = 2,
	sizeof_S32 = 4, sizeof_U32 = 4, sizeof_S64 = 8, sizeof_U64 = 8,
	sizeof_F32 = 4, sizeof_F64 = 8,
};

/* `global` is at 0x1000, `a.b_1` at 0x2000 */
static int symbol(const char *name, uint32_t n, uint64_t *address, void *priv)
{
	(void)priv;
	if (n == 6 && !strncmp(name, "global", n))
		*address = 0x1000;
	else if (n == 5 && !strncmp(name, "a.b_1", n))
		*address = 0x2000;
	else
		return 0;
	return 1;
}

static const struct row rows[] = {
	{ "-4@$7", { IMMEDIATE(7), SIZED(S32) } },
	{ "8@$-1", { IMMEDIATE(-1), SIZED(U64) } },
	{ "-8@$0x7fffffffffffffff",
	  { IMMEDIATE(0x7fffffffffffffff), SIZED(S64) } },
	{ "8@$18446744073709551615", { IMMEDIATE(-1), SIZED(U64) } },
	{ "1@$0", { IMMEDIATE(0), SIZED(U8) } },
	{ "8@$global", { IMMEDIATE(0x1000), SIZED(U64) } },
	{ "8@$global+8", { IMMEDIATE(0x1008), SIZED(U64) } },
	{ "8@%rax", { REGISTER(0), SIZED(U64) } },
	{ "-4@%eax", { REGISTER(0), SIZED(S32) } },
	{ "2@%ax", { REGISTER(0), SIZED(U16) } },
	{ "-1@%al", { REGISTER(0), SIZED(S8) } },
	{ "1@%ah", { REGISTER(0), .shift = 8, SIZED(U8) } },
	{ "8@%rbx", { REGISTER(1), SIZED(U64) } },
	{ "1@%bh", { REGISTER(1), .shift = 8, SIZED(U8) } },
	{ "1@%cl", { REGISTER(2), SIZED(U8) } },
	{ "1@%dh", { REGISTER(3), .shift = 8, SIZED(U8) } },
	{ "8@%rdx", { REGISTER(3), SIZED(U64) } },
	{ "8@%rsi", { REGISTER(4), SIZED(U64) } },
	{ "1@%sil", { REGISTER(4), SIZED(U8) } },
	{ "1@%dil", { REGISTER(5), SIZED(U8) } },
	{ "-2@%bp", { REGISTER(6), SIZED(S16) } },
	{ "8@%rsp", { REGISTER(7), SIZED(U64) } },
	{ "1@%spl", { REGISTER(7), SIZED(U8) } },
	{ "8@%r8", { REGISTER(8), SIZED(U64) } },
	{ "-1@%r9b", { REGISTER(9), SIZED(S8) } },
	{ "2@%r10w", { REGISTER(10), SIZED(U16) } },
	{ "-4@%r11d", { REGISTER(11), SIZED(S32) } },
	{ "8@%r15", { REGISTER(15), SIZED(U64) } },
	{ "4@%rdi", { REGISTER(5), SIZED(U32) } },
	{ "%edi", { REGISTER(5), SIZED(U32) } },
	{ "%r12", { REGISTER(12), SIZED(U64) } },
	{ "8f@%xmm3", { .place = USDT_VECTOR, .base = 3, .index = NONE,
			SIZED(F64) } },
	{ "4f@%xmm15", { .place = USDT_VECTOR, .base = 15, .index = NONE,
			 SIZED(F32) } },
	{ "8@(%rbx)", { MEMORY(0, 1, NONE, 0), SIZED(U64) } },
	{ "-4@-8(%rbp)", { MEMORY(-8, 6, NONE, 0), SIZED(S32) } },
	{ "-4@0x10(%rsp)", { MEMORY(16, 7, NONE, 0), SIZED(S32) } },
	{ "8@-8+16(%rsp)", { MEMORY(8, 7, NONE, 0), SIZED(U64) } },
	{ "1@(%rax,%rcx)", { MEMORY(0, 0, 2, 0), SIZED(U8) } },
	{ "2@8(%rax,%r9,4)", { MEMORY(8, 0, 9, 2), SIZED(U16) } },
	{ "8@(,%rdx,8)", { MEMORY(0, NONE, 3, 3), SIZED(U64) } },
	{ "8@global(,%rdx,8)", { MEMORY(0x1000, NONE, 3, 3), SIZED(U64) } },
	{ "8@global(%rip)", { MEMORY(0x1000, NONE, NONE, 0), SIZED(U64) } },
	{ "-4@global+4(%rip)", { MEMORY(0x1004, NONE, NONE, 0), SIZED(S32) } },
	{ "-4@4+global(%rip)", { MEMORY(0x1004, NONE, NONE, 0), SIZED(S32) } },
	{ "-4@global-4(%rip)", { MEMORY(0xffc, NONE, NONE, 0), SIZED(S32) } },
	{ "8f@a.b_1(%rip)", { MEMORY(0x2000, NONE, NONE, 0), SIZED(F64) } },
	{ "-4@global", { MEMORY(0x1000, NONE, NONE, 0), SIZED(S32) } },
	{ "4f@4(%rdi)", { MEMORY(4, 5, NONE, 0), SIZED(F32) } },
	{ "-4@12(%rip)", { UNKNOWN, SIZED(S32) } },
	{ "-4@nowhere(%rip)", { UNKNOWN, SIZED(S32) } },
	{ "-4@global+global(%rip)", { UNKNOWN, SIZED(S32) } },
	{ "-4@-global(%rip)", { UNKNOWN, SIZED(S32) } },
	{ "-4@global(%rip,%rax)", { UNKNOWN, SIZED(S32) } },
	{ "-4@%fs:16", { UNKNOWN, SIZED(S32) } },
	{ "-4@8(%eax)", { UNKNOWN, SIZED(S32) } },
	{ "-4@(%rax,%rcx,3)", { UNKNOWN, SIZED(S32) } },
	{ "-4@(%rax,%rcx,16)", { UNKNOWN, SIZED(S32) } },
	{ "-4@(%rax", { UNKNOWN, SIZED(S32) } },
	{ "-4@()", { UNKNOWN, SIZED(S32) } },
	{ "-4@16", { UNKNOWN, SIZED(S32) } },
	{ "-4@", { UNKNOWN, SIZED(S32) } },
	{ "-4@%", { UNKNOWN, SIZED(S32) } },
	{ "-4@%r16", { UNKNOWN, SIZED(S32) } },
	{ "-4@%r8q", { UNKNOWN, SIZED(S32) } },
	{ "-4@%xmm16", { UNKNOWN, SIZED(S32) } },
	{ "-4@%eaxx", { UNKNOWN, SIZED(S32) } },
	{ "-4@%rax(%rbx)", { UNKNOWN, SIZED(S32) } },
	{ "3@%rax", { UNKNOWN, SIZED(U64) } },
	{ "16@%rax", { UNKNOWN, SIZED(U64) } },
	{ "0@%rax", { UNKNOWN, SIZED(U64) } },
	{ "2f@%ax", { UNKNOWN, .type = TAFFRAIL_T_F64, .bytes = 2 } },
};

static int equal(const struct usdt_operand *got,
		 const struct usdt_operand *want)
{
	if (got->place != want->place || got->type != want->type ||
	    got->bytes != want->bytes)
		return 0;
	return want->place == USDT_UNKNOWN ||
	       (got->value == want->value && got->base == want->base &&
		got->index == want->index && got->scale == want->scale &&
		got->shift == want->shift);
}

static void check_rows(void)
{
	struct usdt_operand got[TAFFRAIL_FIELDS_MAX];
	uint32_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		unit_check(usdt_operands_parse(rows[i].text, got, symbol,
					       NULL) == 1 &&
				   equal(&got[0], &rows[i].want),
			   "%s", rows[i].text);
}

static void check_lists(void)
{
	struct usdt_operand got[TAFFRAIL_FIELDS_MAX];
	const char *many = "1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al "
			   "1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al "
			   "1@%al";

	unit_equal(usdt_operands_parse("", got, NULL, NULL), 0, "none");
	unit_equal(usdt_operands_parse("  ", got, NULL, NULL), 0, "blanks");
	unit_equal(usdt_operands_parse("8@%rdi  -4@nonsense! 2@$3", got, NULL,
				       NULL), 3, "three");
	unit_check(got[0].place == USDT_REGISTER && got[0].base == 5 &&
			   got[1].place == USDT_UNKNOWN &&
			   got[2].place == USDT_IMMEDIATE && got[2].value == 3,
		   "one that is not understood leaves the others alone");
	unit_equal(usdt_operands_parse("8@global(%rip)", got, NULL, NULL), 1,
		   "without symbols: one");
	unit_check(got[0].place == USDT_UNKNOWN, "without symbols: unknown");
	unit_equal(usdt_operands_parse(many, got, NULL, NULL),
		   TAFFRAIL_FIELDS_MAX, "no more than fields");
}

static void check_addresses(void)
{
	struct usdt_operand got[TAFFRAIL_FIELDS_MAX];
	uint64_t general[16];
	int i;

	for (i = 0; i < 16; i++)
		general[i] = 0x10000ull * (uint64_t)(i + 1);
	usdt_operands_parse("8@-8(%rbp) 8@4(%rax,%r9,4) 8@(,%rcx,8) 8@global",
			    got, symbol, NULL);
	unit_equal(usdt_address(&got[0], general), 0x70000 - 8, "base");
	unit_equal(usdt_address(&got[1], general), 0x10000 + 0xa0000 * 4 + 4,
		   "base, index, scale");
	unit_equal(usdt_address(&got[2], general), 0x30000 * 8, "index");
	unit_equal(usdt_address(&got[3], general), 0x1000, "symbol");
}

int main(void)
{
	check_rows();
	check_lists();
	check_addresses();
	return unit_end();
}
