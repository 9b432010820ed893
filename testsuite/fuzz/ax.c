/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: verifier and interpreter of conditions.
 *
 * Programs of random instructions, mostly with the stack they need, and then
 * mutated. What the verifier lets pass is run beside an interpreter that
 * takes nothing for granted: same verdict, same result, and never a stack
 * that is too low or too high.
 */
#include "testsuite/fuzz/fuzz.h"

#include "base/glob.h"
#include "include/taffrail/site.h"
#include "tracepoints/conditions/ax-insn.h"
#include "tracepoints/fields/ax-double.h"
#include "tracepoints/fields/scalar.h"

#define FIELDS		7
#define CODE_BYTES	160

static const uint8_t types[2][TAFFRAIL_FIELDS_MAX] = {
	{ TAFFRAIL_T_S32, TAFFRAIL_T_STRING, TAFFRAIL_T_U16,
	  TAFFRAIL_T_STRING, TAFFRAIL_T_PTR, 0x40 | TAFFRAIL_T_U8,
	  TAFFRAIL_T_S8 },
	{ TAFFRAIL_T_S32, TAFFRAIL_T_STRING, TAFFRAIL_T_F64,
	  TAFFRAIL_T_STRING, TAFFRAIL_T_PTR, TAFFRAIL_T_F32, TAFFRAIL_T_U64 },
};
static const struct write_shape shapes[2] = {
	{ 7, 4, 0, NULL, { { 4, 0, WRITE_RULE_FIELD, 0 }, { 6, 0, 0, 0 },
			       { 6, 0, WRITE_RULE_ADDRESS, 0 },
			       { 6, 1, 0, 0 } } },
	{ 24, 3, 0, NULL, { { 4, 0, WRITE_RULE_FIELD, 0 },
				{ 12, 0, WRITE_RULE_BOUNDED, 3 },
				{ 12, 0, WRITE_RULE_ADDRESS, 0 } } },
};

static enum ax_verdict fuzz_read(void *hit, uint64_t address, void *to,
				 uint32_t bytes)
{
	(void)hit;
	memset(to, (int)address, bytes);
	return address & 0x80 ? AX_BAD_ADDRESS : AX_DONE;
}

static enum ax_verdict fuzz_get(void *hit, uint32_t number, uint64_t *value)
{
	(void)hit;
	*value = number * 0x0123456789abcdefull;
	return number & 0x100 ? AX_UNAVAILABLE : AX_DONE;
}

static enum ax_verdict fuzz_set(void *hit, uint32_t number, uint64_t value)
{
	(void)hit;
	(void)value;
	return number & 0x200 ? AX_UNAVAILABLE : AX_DONE;
}

static enum ax_verdict fuzz_collect_variable(void *hit, uint32_t number)
{
	return fuzz_set(hit, number, 0);
}

static enum ax_verdict fuzz_collect(void *hit, uint64_t address,
				    uint64_t bytes)
{
	(void)hit;
	return (address ^ bytes) & 0x400 ? AX_NO_ROOM : AX_DONE;
}

static uint32_t fuzz_context(void *hit)
{
	(void)hit;
	return 4000000000u;
}

static uint64_t fuzz_pthread(void *hit)
{
	(void)hit;
	return 4000000000u;
}

static void fuzz_procname(void *hit, char *name)
{
	(void)hit;
	memset(name, 'a', AX_NAME_BYTES);
}

static const struct ax_machine machine = {
	.read = fuzz_read,
	.reg = fuzz_get,
	.variable_get = fuzz_get,
	.variable_set = fuzz_set,
	.variable_collect = fuzz_collect_variable,
	.collect = fuzz_collect,
	.collect_string = fuzz_collect,
	.vtid = fuzz_context,
	.cpu = fuzz_context,
	.vpid = fuzz_context,
	.pthread = fuzz_pthread,
	.procname = fuzz_procname,
	.nregisters = 0x180,
};

/* The slow interpreter: its stack, its place, and what it found wrong. */
struct slow {
	const uint8_t *code;
	uint32_t bytes;
	uint32_t at;
	uint64_t stack[AX_STACK_MAX];
	uint32_t height;
	const char *wrong;
	const struct ax_layout *layout;
	const struct ax_event *event;
};

static uint64_t pop(struct slow *s)
{
	if (!s->height) {
		s->wrong = "the stack was too low";
		return 0;
	}
	return s->stack[--s->height];
}

static void push(struct slow *s, uint64_t value)
{
	if (s->height == AX_STACK_MAX)
		s->wrong = "the stack was too high";
	else
		s->stack[s->height++] = value;
}

static uint64_t operand(struct slow *s, uint32_t bytes)
{
	uint64_t value = 0;

	while (bytes--) {
		if (s->at >= s->bytes) {
			s->wrong = "an operand was cut off";
			return 0;
		}
		value = value << 8 | s->code[s->at++];
	}
	return value;
}

static int slow_divides(uint8_t opcode)
{
	return opcode >= AX_DIV_SIGNED && opcode <= AX_REM_UNSIGNED;
}

static uint64_t slow_binary(uint8_t opcode, uint64_t a, uint64_t b)
{
	__int128 sa = (int64_t)a, sb = (int64_t)b;

	switch (opcode) {
	case AX_ADD: return a + b;
	case AX_SUB: return a - b;
	case AX_MUL: return a * b;
	case AX_DIV_SIGNED: return (uint64_t)(sa / sb);
	case AX_DIV_UNSIGNED: return a / b;
	case AX_REM_SIGNED: return (uint64_t)(sa % sb);
	case AX_REM_UNSIGNED: return a % b;
	case AX_LSH: return b > 63 ? 0 : a << b;
	case AX_RSH_SIGNED: return (uint64_t)(sa >> (b > 63 ? 63 : b));
	case AX_RSH_UNSIGNED: return b > 63 ? 0 : a >> b;
	case AX_BIT_AND: return a & b;
	case AX_BIT_OR: return a | b;
	case AX_BIT_XOR: return a ^ b;
	case AX_EQUAL: return a == b;
	case AX_LESS_SIGNED: return sa < sb;
	case AX_LESS_UNSIGNED: return a < b;
	case AX_EQUAL_MIXED: return sa == (__int128)b;
	case AX_LESS_SIGNED_UNSIGNED: return sa < (__int128)b;
	case AX_LESS_UNSIGNED_SIGNED: return (__int128)a < sb;
	case AX_DOUBLE_ADD: return double_add(a, b);
	case AX_DOUBLE_SUB: return double_sub(a, b);
	case AX_DOUBLE_MUL: return double_mul(a, b);
	case AX_DOUBLE_DIV: return double_div(a, b);
	case AX_DOUBLE_EQUAL: return (uint64_t)double_equal(a, b);
	case AX_DOUBLE_LESS: return (uint64_t)double_less(a, b);
	default: return (uint64_t)double_less_equal(a, b);
	}
}

static uint64_t slow_unary(struct slow *s, uint8_t opcode, uint64_t a)
{
	uint64_t n;

	switch (opcode) {
	case AX_LOG_NOT: return !a;
	case AX_BIT_NOT: return ~a;
	case AX_DOUBLE_SIGNED: return double_of_signed(a);
	case AX_DOUBLE_UNSIGNED: return double_of_unsigned(a);
	case AX_DOUBLE_NEGATE: return a ^ DOUBLE_SIGN;
	case AX_DOUBLE_FLOAT: return double_of_float((uint32_t)a);
	case AX_FLOAT_DOUBLE: return float_of_double(a);
	case AX_INTEGER_DOUBLE: return integer_of_double(a);
	default: break;
	}
	n = operand(s, 1);
	if (!n)
		s->wrong = "no bits were extended";
	if (n >= 64 || !n)
		return a;
	a &= (1ull << n) - 1;
	return opcode == AX_EXT && a >> (n - 1) ? a | ~0ull << n : a;
}

/* A field as its type says: packed in order, those of variable length out. */
static uint64_t slow_field(struct slow *s, uint32_t field)
{
	static const uint8_t sizes[] = { 0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8 };
	const struct write_shape *shape = s->layout->shape;
	const uint8_t *p = shape->fixed_bytes > 8 ?
				   (const uint8_t *)s->event->fixed :
				   (const uint8_t *)&s->event->fixed;
	uint64_t value = 0;
	uint32_t i, size;

	if (field == 4)		/* the string that is an address */
		return (uintptr_t)s->event->var[2].p;
	for (i = 0; i < field; i++)
		p += i != 4 && s->layout->types[i] < 0x10 ?
			     sizes[s->layout->types[i]] : 0;
	size = sizes[s->layout->types[field]];
	memcpy(&value, p, size);
	if (s->layout->types[field] == TAFFRAIL_T_F32)
		return double_of_float((uint32_t)value);
	if (s->layout->types[field] <= TAFFRAIL_T_S64 &&
	    s->layout->types[field] & 1 && value >> (8 * size - 1))
		value |= size == 8 ? 0 : ~0ull << 8 * size;
	return value;
}

static uint64_t slow_string(struct slow *s, uint8_t opcode)
{
	int is_name = opcode == AX_PROCNAME_EQUAL || opcode == AX_PROCNAME_GLOB;
	uint32_t field = is_name ? 0 : (uint32_t)operand(s, 1);
	uint32_t bytes = (uint32_t)operand(s, 2);
	const char *text = (const char *)s->code + s->at;
	const char *p = "aaaaaaaaaaaaaaaa";
	uint64_t limit = UINT64_MAX;
	int32_t said;

	s->at += bytes;
	if (!is_name)
		p = s->event->var[field == 1 ? 0 : 1].p;
	if (!is_name && field == 1) {
		said = (int32_t)slow_field(s, 0);
		limit = said < 0 ? limit : (uint64_t)said;
	} else if (!is_name && field == 5) {
		p = s->event->var[3].p;
		limit = s->event->var[3].n;
	} else if (!is_name && s->layout->shape->fixed_bytes > 8) {
		limit = 3;
	}
	if (opcode == AX_FIELD_EQUAL || opcode == AX_PROCNAME_EQUAL)
		return (uint64_t)ax_text_equal(p, limit, text);
	return (uint64_t)glob_match_upto(text, p, limit);
}

/* Returns a part of field 5, the only array. */
static uint64_t slow_part(struct slow *s, uint8_t opcode)
{
	uint32_t field = (uint32_t)operand(s, 1);
	uint8_t type = (uint8_t)operand(s, 1);
	uint64_t number = operand(s, 2);
	uint32_t bytes = scalar_bytes(type);
	const char *p = (const char *)s->event->var[3].p + number * bytes;
	int8_t s8;
	int16_t s16;
	uint16_t u16;

	if (field != 5)
		s->wrong = "a part of what is no array";
	if (opcode == AX_HAS_PART || (number + 1) * bytes > 3)
		return opcode == AX_HAS_PART && (number + 1) * bytes <= 3;
	memcpy(&s8, p, 1);
	memcpy(&s16, p, bytes < 2 ? 1 : 2);
	memcpy(&u16, p, bytes < 2 ? 1 : 2);
	switch (type) {
	case TAFFRAIL_T_S8:
		return (uint64_t)s8;
	case TAFFRAIL_T_S16:
		return (uint64_t)s16;
	case TAFFRAIL_T_U16:
		return u16;
	default:
		return (uint8_t)s8;
	}
}

/* Opcodes of the stack's order. Returns 0 for another. */
static int slow_order(struct slow *s, uint8_t opcode)
{
	uint64_t a, b, c;

	switch (opcode) {
	case AX_DUP:
		a = pop(s), push(s, a), push(s, a);
		break;
	case AX_POP:
		pop(s);
		break;
	case AX_SWAP:
		b = pop(s), a = pop(s), push(s, b), push(s, a);
		break;
	case AX_ROT:
		c = pop(s), b = pop(s), a = pop(s);
		push(s, c), push(s, a), push(s, b);
		break;
	case AX_PICK:
		a = operand(s, 1);
		if (a >= s->height)
			s->wrong = "pick was too deep";
		else
			push(s, s->stack[s->height - 1 - a]);
		break;
	default:
		return 0;
	}
	return 1;
}

/* Opcodes of the machine and the event. */
static enum ax_verdict slow_ask(struct slow *s, uint8_t opcode)
{
	enum ax_verdict verdict = AX_DONE;
	uint64_t a, b;

	switch (opcode) {
	case AX_REF8:
	case AX_REF16:
	case AX_REF32:
	case AX_REF64:
		a = pop(s);
		b = 0;
		verdict = fuzz_read(NULL, a, &b, 1u << (opcode - AX_REF8));
		push(s, b);
		break;
	case AX_REG:
	case AX_GETV:
		verdict = fuzz_get(NULL, (uint32_t)operand(s, 2), &a);
		push(s, a);
		break;
	case AX_SETV:
		verdict = fuzz_set(NULL, (uint32_t)operand(s, 2), 0);
		a = pop(s), push(s, a);
		break;
	case AX_TRACEV:
		verdict = fuzz_set(NULL, (uint32_t)operand(s, 2), 0);
		break;
	case AX_TRACE:
	case AX_TRACENZ:
		b = pop(s), a = pop(s);
		verdict = fuzz_collect(NULL, a, b);
		break;
	case AX_TRACE_QUICK:
	case AX_TRACE16:
		a = pop(s), push(s, a);
		verdict = fuzz_collect(NULL, a, operand(s, opcode == AX_TRACE16
							   ? 2 : 1));
		break;
	case AX_FIELD:
	case AX_FIELD_DOUBLE:
		push(s, slow_field(s, (uint32_t)operand(s, 1)));
		break;
	case AX_FIELD_EQUAL:
	case AX_FIELD_GLOB:
	case AX_PROCNAME_EQUAL:
	case AX_PROCNAME_GLOB:
		push(s, slow_string(s, opcode));
		break;
	case AX_PART:
	case AX_HAS_PART:
		push(s, slow_part(s, opcode));
		break;
	case AX_VTID:
	case AX_CPU:
	case AX_VPID:
	case AX_PTHREAD:
	case AX_IP:
		push(s, fuzz_context(NULL));
		break;
	default:
		s->wrong = "an opcode is unknown";
	}
	return verdict;
}

static int slow_is_unary(uint8_t opcode)
{
	return opcode == AX_LOG_NOT || opcode == AX_BIT_NOT ||
	       opcode == AX_EXT || opcode == AX_ZERO_EXT ||
	       opcode == AX_DOUBLE_SIGNED || opcode == AX_DOUBLE_UNSIGNED ||
	       opcode == AX_DOUBLE_NEGATE ||
	       (opcode >= AX_DOUBLE_FLOAT && opcode <= AX_INTEGER_DOUBLE);
}

static int slow_is_binary(uint8_t opcode)
{
	return (opcode >= AX_ADD && opcode <= AX_RSH_UNSIGNED) ||
	       (opcode >= AX_BIT_AND && opcode <= AX_BIT_XOR) ||
	       (opcode >= AX_EQUAL && opcode <= AX_LESS_UNSIGNED) ||
	       (opcode >= AX_EQUAL_MIXED &&
		opcode <= AX_LESS_UNSIGNED_SIGNED) ||
	       (opcode >= AX_DOUBLE_ADD && opcode <= AX_DOUBLE_DIV) ||
	       (opcode >= AX_DOUBLE_EQUAL && opcode <= AX_DOUBLE_LESS_EQUAL);
}

static enum ax_verdict slow_run(struct slow *s, uint64_t *result)
{
	uint32_t steps = 0;

	while (!s->wrong && ++steps < 100000) {
		uint8_t opcode = (uint8_t)operand(s, 1);
		enum ax_verdict verdict = AX_DONE;
		uint32_t to;
		uint64_t b;

		if (opcode == AX_END) {
			*result = s->height ? s->stack[s->height - 1] : 0;
			return AX_DONE;
		}
		if (slow_is_unary(opcode)) {
			push(s, slow_unary(s, opcode, pop(s)));
		} else if (slow_is_binary(opcode)) {
			b = pop(s);
			if (slow_divides(opcode) && !b)
				return AX_DIVIDED_BY_ZERO;
			push(s, slow_binary(opcode, pop(s), b));
		} else if (opcode >= AX_CONST8 && opcode <= AX_CONST64) {
			push(s, operand(s, 1u << (opcode - AX_CONST8)));
		} else if (opcode == AX_GOTO || opcode == AX_IF_GOTO) {
			to = (uint32_t)operand(s, 2);
			if (opcode == AX_GOTO || pop(s))
				s->at = to;
		} else if (!slow_order(s, opcode)) {
			verdict = slow_ask(s, opcode);
		}
		if (verdict != AX_DONE)
			return verdict;
	}
	return AX_TOO_LONG;
}

/* Random instructions; jumps lead to where one began, mostly. */
static uint32_t generate(struct fuzz *fuzz, uint8_t *code)
{
	static const uint8_t plain[] = {
		0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b,
		0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x13, 0x14,
		0x17, 0x18, 0x19, 0x1a, 0x28, 0x29, 0x2b, 0x2b, 0x33, 0xc4,
		0xc8, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf, 0xd0, 0xd1,
		0xd2, 0xd3, 0xd4, 0x0c, 0x2f, 0xda, 0xdb, 0xdc,
	};
	static const uint8_t with_byte[] = { 0x0d, 0x16, 0x2a, 0x32, 0xc0,
					     0xc1 };
	static const uint8_t with_two[] = { 0x26, 0x2c, 0x2d, 0x2e, 0x30 };
	uint8_t starts[CODE_BYTES];
	uint32_t count = 2 + (uint32_t)fuzz_less(fuzz, 24);
	uint32_t n = 0, i;

	for (i = 0; i < count && n < CODE_BYTES - 32; i++) {
		uint64_t number = fuzz_number(fuzz);
		uint64_t kind = fuzz_less(fuzz, 16);
		uint32_t bytes, to;

		starts[i] = (uint8_t)n;
		if (kind < 5 || i < 2) {
			bytes = 1u << fuzz_less(fuzz, 4);
			code[n++] = (uint8_t)(AX_CONST8 +
					      __builtin_ctz(bytes));
			while (bytes--)
				code[n++] = (uint8_t)(number >> 8 * bytes);
		} else if (kind < 12) {
			code[n++] = plain[fuzz_less(fuzz, sizeof(plain))];
		} else if (kind == 12) {
			code[n++] = with_byte[fuzz_less(fuzz, 6)];
			code[n++] = (uint8_t)fuzz_less(fuzz, 8);
		} else if (kind == 13) {
			code[n++] = with_two[fuzz_less(fuzz, 5)];
			code[n++] = (uint8_t)fuzz_less(fuzz, 3);
			code[n++] = (uint8_t)number;
		} else if (kind == 14) {
			code[n++] = fuzz_less(fuzz, 3) ? AX_IF_GOTO : AX_GOTO;
			code[n++] = 0;
			to = (uint32_t)(n + 1 + fuzz_less(fuzz, 9));
			code[n++] = fuzz_less(fuzz, 3) ?
					    (uint8_t)to :
					    starts[fuzz_less(fuzz, i + 1)];
		} else if (fuzz_less(fuzz, 2)) {
			code[n++] = (uint8_t)(AX_PART + fuzz_less(fuzz, 2));
			code[n++] = 5;
			code[n++] = (uint8_t)(1 + fuzz_less(fuzz, 12));
			code[n++] = fuzz_less(fuzz, 8) ? 0 : (uint8_t)number;
			code[n++] = (uint8_t)fuzz_less(fuzz, 4);
		} else {
			code[n++] = (uint8_t)(AX_FIELD_EQUAL +
					      fuzz_less(fuzz, 2));
			code[n++] = (uint8_t)(1 + 2 * fuzz_less(fuzz, 2));
			memcpy(code + n, "\0\4a*b", 6);
			n += 6;
		}
	}
	code[n++] = AX_END;
	return n;
}

static void run_both(struct fuzz *fuzz, const struct ax_program *program,
		     const struct ax_layout *layout, const uint8_t *code,
		     uint32_t bytes)
{
	uint32_t fixed = layout->shape->fixed_bytes;
	uint8_t *block = fuzz_copy("0123456789012345678901234567", fixed);
	char *open = fuzz_copy("aab", 3), *closed = fuzz_copy("ab\0", 3);
	struct write_var var[4] = { { open, WRITE_STRING },
				    { closed, WRITE_STRING },
				    { block, WRITE_STRING }, { block, 3 } };
	struct ax_event event = { 0, var };
	struct slow slow = { .code = code, .bytes = bytes, .layout = layout,
			     .event = &event };
	uint64_t want = 0, got = 0;
	enum ax_verdict verdict, slow_verdict;
	uint32_t i;

	for (i = 4; i < fixed; i++)
		block[i] = (uint8_t)fuzz_less(fuzz, 256);
	memset(block, 0, 4);
	block[0] = (uint8_t)fuzz_less(fuzz, 4);
	if (fixed > 8)
		event.fixed = (uintptr_t)block;
	else
		memcpy(&event.fixed, block, fixed);
	verdict = ax_run(program, &event, NULL, &got);
	slow_verdict = slow_run(&slow, &want);
	if (slow.wrong)
		fuzz_fail(fuzz, slow.wrong, code, bytes);
	else if (verdict != AX_TOO_LONG && verdict != slow_verdict)
		fuzz_fail(fuzz, "another verdict", code, bytes);
	else if (verdict == AX_DONE && got != want)
		fuzz_fail(fuzz, "another result", code, bytes);
	else if (ax_holds(program, &event, NULL) !=
		 (verdict == AX_DONE && got != 0))
		fuzz_fail(fuzz, "the quick way differs", code, bytes);
	free(block);
	free(open);
	free(closed);
}

static void try(struct fuzz *fuzz, const uint8_t *input, uint32_t bytes)
{
	uint32_t kind = (uint32_t)fuzz_less(fuzz, 2);
	struct ax_layout layout = { &shapes[kind], types[kind] };
	uint8_t *code = fuzz_copy(input, bytes);
	struct ax_source source = { code, bytes, 0, &layout, &machine };
	struct ax_program *program;
	struct ax_refusal refusal;
	void *buffer = malloc(AX_PROGRAM_BYTES(bytes));

	if (!buffer)
		abort();
	if (ax_verify(buffer, AX_PROGRAM_BYTES(bytes), &source, &refusal)) {
		if (refusal.offset > bytes || !refusal.fact)
			fuzz_fail(fuzz, "a bad refusal", code, bytes);
	} else {
		program = fuzz_copy(buffer,
				    ((struct ax_program *)buffer)->bytes);
		fuzz->accepted++;
		run_both(fuzz, program, &layout, code, bytes);
		free(program);
	}
	free(buffer);
	free(code);
}

int main(int argc, char **argv)
{
	uint8_t code[CODE_BYTES];
	struct fuzz fuzz;

	fuzz_open(&fuzz, "ax", argc, argv);
	for (; fuzz.done < fuzz.inputs; fuzz.done++) {
		uint32_t bytes = generate(&fuzz, code);

		if (fuzz_less(&fuzz, 4) == 0)
			fuzz_mutate(&fuzz, code, bytes);
		if (fuzz_less(&fuzz, 16) == 0)
			bytes = (uint32_t)fuzz_less(&fuzz, bytes + 1);
		try(&fuzz, code, bytes);
	}
	return fuzz_end(&fuzz, 30);
}
