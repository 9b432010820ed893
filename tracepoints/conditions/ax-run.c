/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions: the interpreter. See ax.h and ax-insn.h.
 *
 * Invariant: the interpreter runs in the program's threads and signal handlers:
 * no allocation, no libc, no system call, less than 1 KB of stack. It relies on
 * the verifier for the height of the stack and every operand.
 *
 * The top of the stack is in `top`; sp points past the values below it.
 */
#include "tracepoints/conditions/ax-insn.h"

#include "base/base.h"
#include "base/glob.h"
#include "include/taffrail/site.h"
#include "tracepoints/fields/ax-double.h"
#include "tracepoints/fields/scalar.h"

uint64_t (*ax_text_read)(void *to, uint64_t address, uint64_t n);

/* A text of which the event has a part, as it is in the program's memory. */
struct whole_text {
	uint64_t address;
	uint32_t most;			/* bytes that it may have */
	uint32_t reads;			/* that are allowed yet */
	bool unknown;			/* what was asked for */
	uint64_t start;			/* of the bytes here */
	uint64_t n;
	char bytes[128];
};

/* As glob_text. */
static SIGSAFE char whole_text_at(void *arg, uint64_t i)
{
	struct whole_text *whole = arg;

	if (i >= whole->most && whole->most <= WRITE_CUT_MOST)
		return '\0';
	if (i - whole->start >= whole->n) {
		whole->start = i;
		whole->n = 0;
		if (i < WRITE_CUT_MOST && whole->reads && whole->reads--)
			whole->n = ax_text_read(whole->bytes,
						whole->address + i,
						sizeof(whole->bytes));
		if (!whole->n) {
			whole->unknown = true;
			return '\0';
		}
	}
	return whole->bytes[i - whole->start];
}

#define STRING_UNKNOWN	2

/* Compares with the whole text, or finds that it must remain unknown. */
static SIGSAFE __attribute__((noinline)) uint64_t
whole_text_test(uint64_t cut, const struct ax_insn *insn, const char *text)
{
	struct whole_text whole;	/* the bytes are not cleared */
	uint64_t i = 0;
	bool holds;

	whole.address = WRITE_CUT_ADDRESS(cut);
	whole.most = WRITE_CUT_BYTES(cut);
	whole.reads = 4 * WRITE_CUT_MOST / sizeof(whole.bytes);
	whole.unknown = false;
	whole.start = whole.n = 0;
	if (insn->step == STEP_STRING_EQUAL) {
		while (text[i] && whole_text_at(&whole, i) == text[i])
			i++;
		holds = !text[i] && !whole_text_at(&whole, i);
	} else {
		holds = glob_match_read(text, whole_text_at, &whole);
	}
	return whole.unknown ? STRING_UNKNOWN : holds;
}

static SIGSAFE __attribute__((noinline)) uint64_t
string_test(const struct ax_program *program, const struct ax_event *event,
	    const struct ax_insn *insn)
{
	const char *text = (const char *)program + insn->at;
	const char *p = event->var[insn->var].p;
	uint32_t number = (uint32_t)insn->value;
	uint64_t limit = UINT64_MAX;
	int32_t said = -1;

	switch ((enum ax_extent)(insn->value >> 32)) {
	case AX_EXTENT_NUL:
		if (unlikely(WRITE_IS_CUT(event->var[insn->var].n)))
			return whole_text_test(event->var[insn->var].n, insn,
					       text);
		break;
	case AX_EXTENT_BOUND:
		limit = number;
		break;
	case AX_EXTENT_VALUE:
		said = (int32_t)(event->fixed >> number);
		break;
	case AX_EXTENT_BLOCK:
		__builtin_memcpy(&said, (const char *)event->fixed + number,
				 sizeof(said));
		break;
	case AX_EXTENT_COUNTED:
		limit = event->var[insn->var].n;
		break;
	}
	if (said >= 0)
		limit = (uint32_t)said;
	if (event->var[insn->var].n == WRITE_NULL)
		limit = UINT64_MAX;
	return (uint64_t)(insn->step == STEP_STRING_EQUAL ?
				  ax_text_equal(p, limit, text) :
				  glob_match_upto(text, p, limit));
}

static bool has_part(const struct ax_event *event, const struct ax_insn *insn)
{
	return event->var[insn->var].n >= insn->value >> 8;
}

static SIGSAFE __attribute__((noinline)) uint64_t
part_load(const struct ax_event *event, const struct ax_insn *insn)
{
	const uint8_t *p = (const uint8_t *)event->var[insn->var].p + insn->at;
	uint8_t type = insn->value & TAFFRAIL_T_SCALAR_MASK;
	uint32_t last = scalar_bytes(type) - 1;
	/* of the numbers of the bytes, from the lowest on */
	uint32_t turn = insn->value & AX_PART_BIG_ENDIAN ? 0 : last;
	uint64_t value = 0;

	if (!has_part(event, insn))
		return 0;
	for (uint32_t i = 0; i <= last; i++)
		value = value << 8 | p[turn ? turn - i : i];
	return type == TAFFRAIL_T_F32 ? double_of_float((uint32_t)value) :
					scalar_extend(type, value);
}

static SIGSAFE __attribute__((noinline)) uint64_t
name_test(const struct ax_program *program, void *hit,
	  const struct ax_insn *insn)
{
	const char *text = (const char *)program + insn->at;
	char name[AX_NAME_BYTES];

	program->machine->procname(hit, name);
	return (uint64_t)(insn->step == STEP_NAME_EQUAL ?
				  ax_text_equal(name, sizeof(name), text) :
				  glob_match_upto(text, name, sizeof(name)));
}

static SIGSAFE enum ax_verdict memory_read(const struct ax_machine *machine,
					   void *hit, uint64_t *value,
					   uint32_t bytes)
{
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
	} word;
	enum ax_verdict verdict;

	verdict = machine->read(hit, *value, &word, bytes);
	if (verdict != AX_DONE)
		return verdict;
	*value = bytes == 1 ? word.u8 :
		 bytes == 2 ? word.u16 : bytes == 4 ? word.u32 : word.u64;
	return AX_DONE;
}

/* Does the steps that use the machine. A step that pushes stores the value in
 * *top; one that pops two finds the second there and the first in `under`. */
static SIGSAFE __attribute__((noinline)) enum ax_verdict
machine_step(const struct ax_machine *machine, void *hit,
	     const struct ax_insn *insn, uint64_t under, uint64_t *top)
{
	switch (insn->step) {
	case STEP_REF:
		return memory_read(machine, hit, top, insn->at);
	case STEP_REG:
		return machine->reg(hit, insn->at, top);
	case STEP_GETV:
		return machine->variable_get(hit, insn->at, top);
	case STEP_SETV:
		return machine->variable_set(hit, insn->at, *top);
	case STEP_TRACEV:
		return machine->variable_collect(hit, insn->at);
	case STEP_TRACE:
		return machine->collect(hit, under, *top);
	case STEP_TRACE_KEEP:
		return machine->collect(hit, *top, insn->at);
	default:
		return machine->collect_string(hit, under, *top);
	}
}

/* Signed a / b and a % b: the smallest number divided by -1 wraps. */
static uint64_t divide_signed(uint64_t a, uint64_t b)
{
	return b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t remainder_signed(uint64_t a, uint64_t b)
{
	return b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
}

static uint64_t shift_right(uint64_t a, uint64_t b)
{
	return (uint64_t)((int64_t)a >> (b > 63 ? 63 : b));
}

/*
 * The steps. Each ends with a private jump to the next step: the CPU predicts
 * these jumps better than one jump that all steps share.
 */
#define NEXT(n)								\
	do {								\
		insn += (n);						\
		goto *(&&label_END + labels[insn->step]);		\
	} while (0)
#define STEP(name)	label_##name:
#define UNARY(name, result)						\
	label_##name:							\
		top = (uint64_t)(result);				\
		NEXT(1);
#define BINARY(name, result)						\
	label_##name: {							\
		uint64_t a = *--sp, b = top;				\
									\
		top = (uint64_t)(result);				\
		NEXT(1);						\
	}
#define DIVISION(name, result)						\
	label_##name: {							\
		uint64_t a = *--sp, b = top;				\
									\
		if (unlikely(!b))					\
			return AX_DIVIDED_BY_ZERO;			\
		top = (uint64_t)(result);				\
		NEXT(1);						\
	}
#define PUSH(name, result)						\
	label_##name:							\
		*sp++ = top;						\
		top = (uint64_t)(result);				\
		NEXT(1);
#define COMPARE(name, test)						\
	label_##name: {							\
		uint64_t a = *--sp, b = top;				\
									\
		top = (uint64_t)(test) ^ insn->var;			\
		NEXT(insn->at);						\
	}								\
	label_##name##_CONST: {						\
		uint64_t a = top, b = insn->value;			\
									\
		top = (uint64_t)(test) ^ insn->var;			\
		NEXT(insn->at);						\
	}
/* Passes a copy of `top` to the machine: `top` itself stays in a register. */
#define ASK(under)							\
	do {								\
		uint64_t value = top;					\
		enum ax_verdict verdict = machine_step(program->machine, \
					hit, insn, under, &value);	\
		if (unlikely(verdict != AX_DONE))			\
			return verdict;					\
		top = value;						\
	} while (0)
/* Loads a value of a type from the fixed part; it need not be aligned. */
#define BLOCK(type)							\
	({ type value_;							\
	   __builtin_memcpy(&value_, (const char *)event->fixed + insn->at, \
			    sizeof(value_));				\
	   value_; })
#define LABEL(name)	[STEP_##name] = &&label_##name - &&label_END,

SIGSAFE enum ax_verdict ax_run(const struct ax_program *program,
			       const struct ax_event *event, void *hit,
			       uint64_t *result)
{
	/* Pointers would take a relocation each. A step that only calls a cold
	 * function would lie in another section, and have no distance. */
	static const int labels[] = { AX_STEPS(LABEL) };
	const struct ax_insn *insn = program->insns;
	uint64_t stack[AX_STACK_MAX + 1];
	uint64_t *sp = stack;
	uint64_t top = 0;
	uint32_t steps = AX_STEPS_MAX;

	NEXT(0);
	STEP(NONE)	/* never runs */
	STEP(END)
		*result = top;
		return AX_DONE;
	STEP(CONST)
		*sp++ = top;
		top = insn->value;
		NEXT(insn->at);
	COMPARE(EQUAL, a == b)
	COMPARE(LESS_SIGNED, (int64_t)a < (int64_t)b)
	COMPARE(LESS_UNSIGNED, a < b)
	COMPARE(GREATER_SIGNED, (int64_t)a > (int64_t)b)
	COMPARE(GREATER_UNSIGNED, a > b)

	BINARY(ADD, a + b)
	BINARY(SUB, a - b)
	BINARY(MUL, a * b)
	DIVISION(DIV_SIGNED, divide_signed(a, b))
	DIVISION(DIV_UNSIGNED, a / b)
	DIVISION(REM_SIGNED, remainder_signed(a, b))
	DIVISION(REM_UNSIGNED, a % b)
	BINARY(LSH, b > 63 ? 0 : a << b)
	BINARY(RSH_SIGNED, shift_right(a, b))
	BINARY(RSH_UNSIGNED, b > 63 ? 0 : a >> b)
	UNARY(LOG_NOT, !top)
	BINARY(BIT_AND, a & b)
	BINARY(BIT_OR, a | b)
	BINARY(BIT_XOR, a ^ b)
	UNARY(BIT_NOT, ~top)
	UNARY(EXT, (int64_t)(top << insn->at) >> insn->at)
	UNARY(ZERO_EXT, top << insn->at >> insn->at)

	PUSH(DUP, top)
	STEP(POP)
		top = *--sp;
		NEXT(1);
	STEP(SWAP) {
		uint64_t a = sp[-1];

		sp[-1] = top;
		top = a;
		NEXT(1);
	}
	PUSH(PICK, *(sp - 1 - insn->at))
	STEP(ROT) {
		uint64_t b = sp[-1];

		sp[-1] = sp[-2];
		sp[-2] = top;
		top = b;
		NEXT(1);
	}

	STEP(IF_GOTO) {
		uint64_t a = top;

		top = *--sp;
		if (!a)
			NEXT(1);
	}
	STEP(GOTO)
		insn = program->insns + insn->at;
		NEXT(0);
	STEP(IF_GOTO_BACK) {
		uint64_t a = top;

		top = *--sp;
		if (!a)
			NEXT(1);
	}
	STEP(GOTO_BACK) {
		uint32_t repeat = (uint32_t)(insn - program->insns) -
				  insn->at + 1;

		if (unlikely(repeat > steps))
			return AX_TOO_LONG;
		steps -= repeat;
		insn -= repeat - 1;
		NEXT(0);
	}

	STEP(REG)
	STEP(GETV)
		*sp++ = top;
	STEP(REF)
	STEP(SETV)
	STEP(TRACEV)
	STEP(TRACE_KEEP)
		ASK(0);
		NEXT(1);
	STEP(TRACE)
	STEP(TRACENZ)
		ASK(sp[-1]);
		sp -= 2;
		top = *sp;
		NEXT(1);

	PUSH(VALUE_SIGNED,
	     (int64_t)(event->fixed << insn->at) >> insn->var)
	PUSH(VALUE_UNSIGNED,
	     event->fixed << insn->at >> insn->var)
	PUSH(VALUE_FLOAT,
	     double_of_float((uint32_t)(event->fixed >> insn->var)))
	PUSH(BLOCK_S8, BLOCK(int8_t))
	PUSH(BLOCK_U8, BLOCK(uint8_t))
	PUSH(BLOCK_S16, BLOCK(int16_t))
	PUSH(BLOCK_U16, BLOCK(uint16_t))
	PUSH(BLOCK_S32, BLOCK(int32_t))
	PUSH(BLOCK_U32, BLOCK(uint32_t))
	PUSH(BLOCK_64, BLOCK(uint64_t))
	PUSH(BLOCK_FLOAT, double_of_float(BLOCK(uint32_t)))
	PUSH(ADDRESS, event->var[insn->var].n == WRITE_NULL ? 0 :
			(uintptr_t)event->var[insn->var].p)
	STEP(STRING_EQUAL)
	STEP(STRING_GLOB)
		*sp++ = top;
		top = string_test(program, event, insn);
		if (unlikely(top == STRING_UNKNOWN))
			return AX_BAD_ADDRESS;
		NEXT(1);
	PUSH(VTID, program->machine->vtid(hit))
	PUSH(CPU, program->machine->cpu(hit))
	PUSH(VPID, program->machine->vpid(hit))
	PUSH(PTHREAD, program->machine->pthread(hit))
	PUSH(IP, program->machine->ip(hit))
	PUSH(NAME_EQUAL, name_test(program, hit, insn))
	PUSH(NAME_GLOB, name_test(program, hit, insn))

	PUSH(PART, part_load(event, insn))
	PUSH(HAS_PART, has_part(event, insn))

	BINARY(EQUAL_MIXED, a == b && (int64_t)a >= 0)
	BINARY(LESS_SIGNED_UNSIGNED, (int64_t)a < 0 || a < b)
	BINARY(LESS_UNSIGNED_SIGNED, (int64_t)b >= 0 && a < b)
	UNARY(DOUBLE_SIGNED, double_of_signed(top))
	UNARY(DOUBLE_UNSIGNED, double_of_unsigned(top))
	UNARY(DOUBLE_FLOAT, double_of_float((uint32_t)top))
	UNARY(FLOAT_DOUBLE, float_of_double(top))
	UNARY(INTEGER_DOUBLE, integer_of_double(top))
	BINARY(DOUBLE_ADD, double_add(a, b))
	BINARY(DOUBLE_SUB, double_sub(a, b))
	BINARY(DOUBLE_MUL, double_mul(a, b))
	BINARY(DOUBLE_DIV, double_div(a, b))
	UNARY(DOUBLE_NEGATE, top ^ DOUBLE_SIGN)
	BINARY(DOUBLE_EQUAL, double_equal(a, b))
	BINARY(DOUBLE_LESS, double_less(a, b))
	BINARY(DOUBLE_LESS_EQUAL, double_less_equal(a, b))
}
