/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions: verifies a program and makes the steps. See ax.h.
 *
 * Four passes: code_scan() (opcodes and operands, counts), insns_decode() (to
 * steps, checked against layout and machine), link_jumps(), heights_check() (of
 * the stack, at every step that can be reached). Then steps_fuse(), which only
 * makes the program faster.
 *
 * Invariant: the code may be hostile. Every pass takes time linear in the
 * code's length and does not recurse; all memory is the caller's.
 */
#include "tracepoints/conditions/ax-insn.h"

#include <errno.h>

#include "base/base.h"

/* The part of an event or of the machine that a step needs. */
enum need {
	NEED_NOTHING, NEED_EVENT, NEED_READ, NEED_REGISTER, NEED_GETV,
	NEED_SETV, NEED_TRACEV, NEED_COLLECT, NEED_COLLECT_STRING, NEED_VTID,
	NEED_CPU, NEED_PROCNAME, NEED_VPID, NEED_PTHREAD, NEED_IP,
};

/* An opcode: bytes of the operand, without the text; how many values the opcode
 * takes from the stack and puts there; whether a text follows. */
struct row {
	uint8_t step;
	uint8_t operand;
	uint8_t pops;
	uint8_t pushes;
	uint8_t need;
	uint8_t text;
};

#define BINARY(STEP)	{ STEP, 0, 2, 1, 0, 0 }
#define UNARY(STEP)	{ STEP, 0, 1, 1, 0, 0 }

/* The agent's own opcodes stand right behind GDB's. */
#define OWN(opcode)	((opcode) - AX_FIELD + 0x40)

static const struct row rows[] = {
	[AX_ADD]		= BINARY(STEP_ADD),
	[AX_SUB]		= BINARY(STEP_SUB),
	[AX_MUL]		= BINARY(STEP_MUL),
	[AX_DIV_SIGNED]		= BINARY(STEP_DIV_SIGNED),
	[AX_DIV_UNSIGNED]	= BINARY(STEP_DIV_UNSIGNED),
	[AX_REM_SIGNED]		= BINARY(STEP_REM_SIGNED),
	[AX_REM_UNSIGNED]	= BINARY(STEP_REM_UNSIGNED),
	[AX_LSH]		= BINARY(STEP_LSH),
	[AX_RSH_SIGNED]		= BINARY(STEP_RSH_SIGNED),
	[AX_RSH_UNSIGNED]	= BINARY(STEP_RSH_UNSIGNED),
	[AX_TRACE]	= { STEP_TRACE, 0, 2, 0, NEED_COLLECT, 0 },
	[AX_TRACE_QUICK] = { STEP_TRACE_KEEP, 1, 1, 1, NEED_COLLECT, 0 },
	[AX_LOG_NOT]		= UNARY(STEP_LOG_NOT),
	[AX_BIT_AND]		= BINARY(STEP_BIT_AND),
	[AX_BIT_OR]		= BINARY(STEP_BIT_OR),
	[AX_BIT_XOR]		= BINARY(STEP_BIT_XOR),
	[AX_BIT_NOT]		= UNARY(STEP_BIT_NOT),
	[AX_EQUAL]		= BINARY(STEP_EQUAL),
	[AX_LESS_SIGNED]	= BINARY(STEP_LESS_SIGNED),
	[AX_LESS_UNSIGNED]	= BINARY(STEP_LESS_UNSIGNED),
	[AX_EXT]	= { STEP_EXT, 1, 1, 1, 0, 0 },
	[AX_REF8]	= { STEP_REF, 0, 1, 1, NEED_READ, 0 },
	[AX_REF16]	= { STEP_REF, 0, 1, 1, NEED_READ, 0 },
	[AX_REF32]	= { STEP_REF, 0, 1, 1, NEED_READ, 0 },
	[AX_REF64]	= { STEP_REF, 0, 1, 1, NEED_READ, 0 },
	[AX_IF_GOTO]	= { STEP_IF_GOTO, 2, 1, 0, 0, 0 },
	[AX_GOTO]	= { STEP_GOTO, 2, 0, 0, 0, 0 },
	[AX_CONST8]	= { STEP_CONST, 1, 0, 1, 0, 0 },
	[AX_CONST16]	= { STEP_CONST, 2, 0, 1, 0, 0 },
	[AX_CONST32]	= { STEP_CONST, 4, 0, 1, 0, 0 },
	[AX_CONST64]	= { STEP_CONST, 8, 0, 1, 0, 0 },
	[AX_REG]	= { STEP_REG, 2, 0, 1, NEED_REGISTER, 0 },
	[AX_END]	= { STEP_END, 0, 0, 0, 0, 0 },
	[AX_DUP]	= { STEP_DUP, 0, 1, 2, 0, 0 },
	[AX_POP]	= { STEP_POP, 0, 1, 0, 0, 0 },
	[AX_ZERO_EXT]	= { STEP_ZERO_EXT, 1, 1, 1, 0, 0 },
	[AX_SWAP]	= { STEP_SWAP, 0, 2, 2, 0, 0 },
	[AX_GETV]	= { STEP_GETV, 2, 0, 1, NEED_GETV, 0 },
	[AX_SETV]	= { STEP_SETV, 2, 1, 1, NEED_SETV, 0 },
	[AX_TRACEV]	= { STEP_TRACEV, 2, 0, 0, NEED_TRACEV, 0 },
	[AX_TRACENZ]	= { STEP_TRACENZ, 0, 2, 0, NEED_COLLECT_STRING, 0 },
	[AX_TRACE16]	= { STEP_TRACE_KEEP, 2, 1, 1, NEED_COLLECT, 0 },
	[AX_PICK]	= { STEP_PICK, 1, 0, 1, 0, 0 }, /* see height_step() */
	[AX_ROT]	= { STEP_ROT, 0, 3, 3, 0, 0 },

	[OWN(AX_FIELD)] = { STEP_ADDRESS, 1, 0, 1, NEED_EVENT, 0 },
	[OWN(AX_FIELD_DOUBLE)] = { STEP_ADDRESS, 1, 0, 1, NEED_EVENT, 0 },
	[OWN(AX_FIELD_EQUAL)] = { STEP_STRING_EQUAL, 1, 0, 1, NEED_EVENT, 1 },
	[OWN(AX_FIELD_GLOB)] = { STEP_STRING_GLOB, 1, 0, 1, NEED_EVENT, 1 },
	[OWN(AX_VTID)] = { STEP_VTID, 0, 0, 1, NEED_VTID, 0 },
	[OWN(AX_CPU)] = { STEP_CPU, 0, 0, 1, NEED_CPU, 0 },
	[OWN(AX_VPID)] = { STEP_VPID, 0, 0, 1, NEED_VPID, 0 },
	[OWN(AX_PTHREAD)] = { STEP_PTHREAD, 0, 0, 1, NEED_PTHREAD, 0 },
	[OWN(AX_IP)] = { STEP_IP, 0, 0, 1, NEED_IP, 0 },
	[OWN(AX_PROCNAME_EQUAL)] = { STEP_NAME_EQUAL, 0, 0, 1, NEED_PROCNAME,
				     1 },
	[OWN(AX_PROCNAME_GLOB)] = { STEP_NAME_GLOB, 0, 0, 1, NEED_PROCNAME,
				    1 },
	[OWN(AX_EQUAL_MIXED)] = BINARY(STEP_EQUAL_MIXED),
	[OWN(AX_LESS_SIGNED_UNSIGNED)] = BINARY(STEP_LESS_SIGNED_UNSIGNED),
	[OWN(AX_LESS_UNSIGNED_SIGNED)] = BINARY(STEP_LESS_UNSIGNED_SIGNED),
	[OWN(AX_DOUBLE_SIGNED)] = UNARY(STEP_DOUBLE_SIGNED),
	[OWN(AX_DOUBLE_UNSIGNED)] = UNARY(STEP_DOUBLE_UNSIGNED),
	[OWN(AX_DOUBLE_ADD)] = BINARY(STEP_DOUBLE_ADD),
	[OWN(AX_DOUBLE_SUB)] = BINARY(STEP_DOUBLE_SUB),
	[OWN(AX_DOUBLE_MUL)] = BINARY(STEP_DOUBLE_MUL),
	[OWN(AX_DOUBLE_DIV)] = BINARY(STEP_DOUBLE_DIV),
	[OWN(AX_DOUBLE_NEGATE)] = UNARY(STEP_DOUBLE_NEGATE),
	[OWN(AX_DOUBLE_EQUAL)] = BINARY(STEP_DOUBLE_EQUAL),
	[OWN(AX_DOUBLE_LESS)] = BINARY(STEP_DOUBLE_LESS),
	[OWN(AX_DOUBLE_LESS_EQUAL)] = BINARY(STEP_DOUBLE_LESS_EQUAL),
	[OWN(AX_DOUBLE_FLOAT)] = UNARY(STEP_DOUBLE_FLOAT),
	[OWN(AX_FLOAT_DOUBLE)] = UNARY(STEP_FLOAT_DOUBLE),
	[OWN(AX_INTEGER_DOUBLE)] = UNARY(STEP_INTEGER_DOUBLE),
	[OWN(AX_PART)] = { STEP_PART, 4, 0, 1, NEED_EVENT, 0 },
	[OWN(AX_HAS_PART)] = { STEP_HAS_PART, 4, 0, 1, NEED_EVENT, 0 },
};

/* Returns the row of an opcode; if it has none, one without a step. */
static const struct row *opcode_row(uint8_t opcode)
{
	uint32_t i = opcode < AX_FIELD ? opcode : OWN((uint32_t)opcode);

	return &rows[i < ARRAY_SIZE(rows) && (opcode >> 6) % 3 == 0 ? i : 0];
}

#define NO_INSN		0xffff
#define NO_HEIGHT	0xff

_Static_assert(AX_CODE_MAX < NO_INSN && AX_STACK_MAX < NO_HEIGHT, "");

/* A verification; the arrays lie after the program in the caller's memory. */
struct verifier {
	const struct ax_source *source;
	struct ax_program *program;
	struct ax_refusal *refusal;
	uint32_t ninsns;
	uint32_t text_bytes;
	uint16_t *insn_at;	/* by offset in the code */
	uint16_t *offset;	/* by instruction, as the next two */
	uint16_t *pending;	/* list of instructions with a new height */
	uint8_t *height;
	uint16_t first_pending;
};

/* Stores the reason, and the offset in the code. Returns -EINVAL. */
static COLD int program_refuse(struct verifier *v, uint32_t offset,
			       const char *fact)
{
	v->refusal->offset = offset;
	v->refusal->fact = fact;
	return -EINVAL;
}

/* Returns an operand, highest byte first. */
static uint64_t operand_read(const uint8_t *p, uint32_t bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *p++;
	return value;
}

/* Finds instructions and their operands. */
static int code_scan(struct verifier *v)
{
	const struct ax_source *source = v->source;
	uint32_t offset = 0;

	while (offset < source->bytes) {
		uint8_t opcode = source->code[offset];
		const struct row *row = opcode_row(opcode);
		uint32_t bytes, i;
		int real = opcode == AX_FLOAT ||
			   (opcode >= AX_REF_FLOAT && opcode <= AX_D_TO_L);
		uint32_t next = offset + 1;

		if (!row->step)
			return program_refuse(
				v, offset,
				opcode == AX_PRINTF ? "printf calls functions" :
				real ? "no floating point here" :
				       "unknown opcode");
		if (row->operand > source->bytes - next)
			return program_refuse(v, offset, "an operand is cut off");
		next += row->operand;
		v->ninsns++;
		offset = next;
		if (!row->text)
			continue;
		/* a text: the bytes, then so many, of which the last is 0 */
		if (source->bytes - offset < 2)
			return program_refuse(v, offset, "an operand is cut off");
		bytes = (uint32_t)operand_read(source->code + offset, 2);
		offset += 2;
		if (!bytes || bytes > source->bytes - offset)
			return program_refuse(v, offset, "an operand is cut off");
		for (i = 0; i < bytes; i++)
			if (!source->code[offset + i] != (i == bytes - 1))
				return program_refuse(v, offset,
						      "a text has no end");
		offset += bytes;
		v->text_bytes += bytes;
	}
	return 0;
}

/* Divides the caller's memory: program, texts, then the verifier's arrays. */
static int memory_divide(struct verifier *v, void *buffer, size_t size)
{
	size_t texts = sizeof(struct ax_program) +
		       v->ninsns * sizeof(struct ax_insn);
	size_t end = align_up(texts + v->text_bytes, 8);
	uint8_t *scratch = (uint8_t *)buffer + end;

	if (size < AX_PROGRAM_BYTES(v->source->bytes))
		return -ENOSPC;
	v->program = buffer;
	v->program->bytes = (uint32_t)end;
	v->program->ninsns = v->ninsns;
	v->program->machine = v->source->machine;
	v->insn_at = (uint16_t *)scratch;
	v->offset = v->insn_at + v->source->bytes;
	v->pending = v->offset + v->ninsns;
	v->height = (uint8_t *)(v->pending + v->ninsns);
	v->first_pending = NO_INSN;
	for (uint32_t i = 0; i < v->source->bytes; i++)
		v->insn_at[i] = NO_INSN;
	for (uint32_t i = 0; i < v->ninsns; i++)
		v->height[i] = NO_HEIGHT;
	return 0;
}

/* Returns true when the source has the event, or the machine the function, that
 * a step needs. */
static bool machine_can(const struct ax_source *source, enum need need)
{
#define FUNCTION(name)	offsetof(struct ax_machine, name)
	static const uint8_t functions[] = {
		[NEED_READ] = FUNCTION(read),
		[NEED_REGISTER] = FUNCTION(reg),
		[NEED_GETV] = FUNCTION(variable_get),
		[NEED_SETV] = FUNCTION(variable_set),
		[NEED_TRACEV] = FUNCTION(variable_collect),
		[NEED_COLLECT] = FUNCTION(collect),
		[NEED_COLLECT_STRING] = FUNCTION(collect_string),
		[NEED_VTID] = FUNCTION(vtid),
		[NEED_CPU] = FUNCTION(cpu),
		[NEED_PROCNAME] = FUNCTION(procname),
		[NEED_VPID] = FUNCTION(vpid),
		[NEED_PTHREAD] = FUNCTION(pthread),
		[NEED_IP] = FUNCTION(ip),
	};
#undef FUNCTION
	uintptr_t function;

	if (need == NEED_NOTHING)
		return true;
	if (need == NEED_EVENT)
		return source->layout != NULL;
	if (!source->machine)
		return false;
	__builtin_memcpy(&function,
			 (const char *)source->machine + functions[need],
			 sizeof(function));
	return function != 0;
}

/* Sets the step's members from the operand. */
static int decode_operand(struct verifier *v, struct ax_insn *insn,
			  uint32_t offset, uint64_t operand)
{
	const uint8_t *p = v->source->code + offset;
	const char *fact;

	insn->at = (uint32_t)operand;
	switch (*p) {
	case AX_CONST8:
	case AX_CONST16:
	case AX_CONST32:
	case AX_CONST64:
		insn->value = operand;
		insn->at = 1;
		return 0;
	case AX_EXT:
	case AX_ZERO_EXT:
		if (!operand)
			return program_refuse(v, offset, "no bits to extend from");
		insn->at = operand > 64 ? 0 : 64 - (uint32_t)operand;
		return 0;
	case AX_REF8:
	case AX_REF16:
	case AX_REF32:
	case AX_REF64:
		insn->at = 1u << (*p - AX_REF8);
		return 0;
	case AX_REG:
		if (operand >= v->source->machine->nregisters)
			return program_refuse(v, offset, "no such register");
		return 0;
	case AX_EQUAL:
	case AX_LESS_SIGNED:
	case AX_LESS_UNSIGNED:
		insn->at = 1;
		return 0;
	case AX_FIELD:
	case AX_FIELD_DOUBLE:
	case AX_FIELD_EQUAL:
	case AX_FIELD_GLOB:
	case AX_PART:
	case AX_HAS_PART:
		fact = ax_field_decode(insn, v->source->layout, p);
		return fact ? program_refuse(v, offset, fact) : 0;
	default:
		return 0;
	}
}

/* Makes the steps, and copies the texts behind them. The scan has found the
 * same instructions, so there is room for all. */
static int insns_decode(struct verifier *v)
{
	const struct ax_source *source = v->source;
	uint32_t texts = (uint32_t)(sizeof(struct ax_program) +
				    v->ninsns * sizeof(struct ax_insn));
	uint32_t offset = 0;

	for (uint32_t i = 0; i < v->ninsns; i++) {
		struct ax_insn *insn = &v->program->insns[i];
		const uint8_t *p = source->code + offset;
		const struct row *row = opcode_row(*p);
		int ret;

		*insn = (struct ax_insn){ .step = row->step };
		if (!machine_can(source, row->need))
			return program_refuse(v, offset,
					      "the opcode has no meaning here");
		ret = decode_operand(v, insn, offset,
				     operand_read(p + 1, row->operand));
		if (ret)
			return ret;
		v->insn_at[offset] = (uint16_t)i;
		v->offset[i] = (uint16_t)offset;
		offset += 1u + row->operand;
		if (row->text) {
			uint32_t bytes = (uint32_t)operand_read(
				source->code + offset, 2);

			/* to the end of the program */
			__builtin_memcpy((uint8_t *)v->program + texts,
					 source->code + offset + 2, bytes);
			insn->at = texts;
			texts += bytes;
			offset += 2 + bytes;
		}
	}
	return 0;
}

/* Turns offsets of jumps into numbers of instructions. Afterwards a backward
 * jump is another step: only such a jump is counted. */
static int link_jumps(struct verifier *v)
{
	for (uint32_t i = 0; i < v->ninsns; i++) {
		struct ax_insn *insn = &v->program->insns[i];

		if (insn->step != STEP_GOTO && insn->step != STEP_IF_GOTO)
			continue;
		if (insn->at >= v->source->bytes ||
		    v->insn_at[insn->at] == NO_INSN)
			return program_refuse(v, v->offset[i],
					      "a jump to no instruction");
		insn->at = v->insn_at[insn->at];
		if (insn->at <= i)
			insn->step += STEP_GOTO_BACK - STEP_GOTO;
	}
	return 0;
}

/* Notes that `from` leads to step `to` with that height. */
static int step_reach(struct verifier *v, uint32_t from, uint32_t to,
		      uint32_t height)
{
	if (to >= v->ninsns)
		return program_refuse(v, v->ninsns ? v->offset[from] : 0,
				      "it has no end");
	if (v->height[to] == NO_HEIGHT) {
		v->height[to] = (uint8_t)height;
		v->pending[to] = v->first_pending;
		v->first_pending = (uint16_t)to;
	} else if (v->height[to] != height) {
		return program_refuse(v, v->offset[to],
				      "the stack has two heights here");
	}
	return 0;
}

/* Finds the height of the stack after a step, for every step that may
 * follow. */
static int height_step(struct verifier *v, uint32_t i)
{
	const struct ax_insn *insn = &v->program->insns[i];
	uint8_t opcode = v->source->code[v->offset[i]];
	const struct row *row = opcode_row(opcode);
	uint32_t pops = opcode == AX_PICK ? insn->at + 1 : row->pops;
	uint32_t pushes = opcode == AX_PICK ? insn->at + 2 : row->pushes;
	uint32_t height = v->height[i];
	int ret;

	if (opcode == AX_END)
		return v->source->want_result && !height ?
			       program_refuse(v, v->offset[i], "it has no result") :
			       0;
	if (height < pops)
		return program_refuse(v, v->offset[i], "the stack is too low");
	height = height - pops + pushes;
	if (height > AX_STACK_MAX)
		return program_refuse(v, v->offset[i], "the stack is too high");
	if (opcode == AX_GOTO || opcode == AX_IF_GOTO) {
		ret = step_reach(v, i, insn->at, height);
		if (ret || opcode == AX_GOTO)
			return ret;
	}
	return step_reach(v, i, i + 1, height);
}

/* Visits each step that can be reached, once: a second way to it must have the
 * same height. */
static int heights_check(struct verifier *v)
{
	int ret = step_reach(v, 0, 0, 0);

	while (!ret && v->first_pending != NO_INSN) {
		uint32_t i = v->first_pending;

		v->first_pending = v->pending[i];
		ret = height_step(v, i);
	}
	return ret;
}

/* Returns true for one of the five comparisons without a constant. */
static bool is_comparison(const struct ax_insn *insn)
{
	return insn->step >= STEP_EQUAL && insn->step <= STEP_GREATER_UNSIGNED;
}

/* Replaces a step by one that also does the next, if such a step exists. `left`
 * is how many instructions follow. */
static void fuse_step(struct ax_insn *insn, uint32_t left)
{
	const struct ax_insn *next = insn + 1;

	if (!left)
		return;
	if (is_comparison(insn) && next->step == STEP_LOG_NOT) {
		insn->var = 1;
		insn->at = 2;
	} else if (insn->step == STEP_SWAP && is_comparison(next)) {
		uint16_t step = next->step;

		*insn = *next;
		insn->at++;
		if (step == STEP_LESS_SIGNED || step == STEP_LESS_UNSIGNED)
			insn->step += STEP_GREATER_SIGNED - STEP_LESS_SIGNED;
		else if (step != STEP_EQUAL)
			insn->step -= STEP_GREATER_SIGNED - STEP_LESS_SIGNED;
	} else if (insn->step == STEP_CONST && next->step == STEP_EXT) {
		insn->value = (uint64_t)((int64_t)(insn->value << next->at) >>
					 next->at);
		insn->at = 2;
	}
}

/* Goes from the last step to the first: a fused step may be part of the one
 * before. */
static void steps_fuse(struct verifier *v)
{
	struct ax_insn *insns = v->program->insns;

	for (uint32_t i = v->ninsns; i-- > 0;) {
		struct ax_insn *insn = &insns[i];
		const struct ax_insn *next;

		fuse_step(insn, v->ninsns - 1 - i);
		if (insn->step != STEP_CONST || i + insn->at >= v->ninsns)
			continue;
		next = insn + insn->at;
		if (!is_comparison(next))
			continue;
		insn->step = (uint16_t)(next->step + STEP_WITH_CONST);
		insn->var = next->var;
		insn->at += next->at;
	}
}

SIGSAFE int ax_verify(void *buffer, size_t size,
		      const struct ax_source *source,
		      struct ax_refusal *refusal)
{
	struct verifier v = { .source = source, .refusal = refusal };
	int ret;

	refusal->offset = 0;
	refusal->fact = "no room for the program";
	if (source->bytes > AX_CODE_MAX)
		return program_refuse(&v, AX_CODE_MAX, "the program is too long");
	ret = code_scan(&v);
	if (!ret)
		ret = memory_divide(&v, buffer, size);
	if (!ret)
		ret = insns_decode(&v);
	if (!ret)
		ret = link_jumps(&v);
	if (!ret)
		ret = heights_check(&v);
	if (ret)
		return ret;
	steps_fuse(&v);
	ax_quick_find(v.program);
	refusal->fact = NULL;
	return 0;
}
