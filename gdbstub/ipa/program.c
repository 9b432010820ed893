/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Expressions of gdbserver's tracepoints, verified when they are first used.
 *
 * The table finds an expression by the address in gdbserver's heap, and
 * compares all bytes, because a later gdbserver uses the same heap from the
 * start. When the room is used up, all expressions are forgotten. That is safe:
 * the caller is the holder, and no other thread uses them.
 */
#include "gdbstub/ipa/ipa.h"

#include "base/base.h"
#include "base/sys.h"
#include "tracepoints/conditions/ax.h"
#include "tracepoints/frames/builder.h"

#define PROGRAMS_MAX	4096u		/* a power of two */
#define PROGRAMS_BYTES	(16u << 20)
#define LENGTH_MAX	4096

struct known {
	const struct ipa_expression *expression;
	const struct ax_program *program;	/* or NULL: refused */
	const uint8_t *code;
	uint32_t length;
	uint32_t want_result;
};

static struct known *known;
static uint8_t *memory;

/* Returns aligned room, or NULL when it is used up. */
static void *room_take(uint64_t bytes)
{
	void *p = memory + ipa->program_bytes;

	bytes = align_up(bytes, 8);
	if (bytes > PROGRAMS_BYTES - ipa->program_bytes)
		return NULL;
	ipa->program_bytes += (uint32_t)bytes;
	return p;
}

void ipa_program_forget(void)
{
	if (known)
		__builtin_memset(known, 0, PROGRAMS_MAX * sizeof(*known));
	ipa->nprograms = 0;
	ipa->program_bytes = 0;
}

/* Returns the place of an expression, or a free place for it. */
static struct known *place_of(const struct ipa_expression *expression,
			      uint32_t want_result)
{
	uint32_t i = (uint32_t)((uint64_t)expression >> 3) * 2654435761u;

	for (i >>= 8;; i++) {
		struct known *k = &known[i % PROGRAMS_MAX];

		if (!k->expression || (k->expression == expression &&
				       k->want_result == want_result))
			return k;
	}
}

/* Returns true when the bytes are the same, not only the address. */
static bool same_expression(const struct known *k,
			    const struct ipa_expression *expression)
{
	return k->expression && k->length == (uint32_t)expression->length &&
	       !__builtin_memcmp(k->code, expression->bytes, k->length);
}

/* Verifies an expression and keeps the result. A refused one is kept without a
 * program, so it is verified once. */
static void program_learn(struct known *k,
			  const struct ipa_expression *expression,
			  const struct ax_machine *machine,
			  uint32_t want_result)
{
	uint32_t length = (uint32_t)expression->length;
	struct ax_source source = { .bytes = length,
				    .want_result = want_result,
				    .machine = machine };
	struct ax_refusal refusal;
	uint8_t *code = room_take(length);
	uint64_t room = AX_PROGRAM_BYTES(length);
	uint32_t mark;
	void *program;

	if (!code)
		return;
	builder_copy(code, expression->bytes, length);
	source.code = code;
	mark = ipa->program_bytes;
	program = room_take(room);
	if (!program)
		return;
	if (ax_verify(program, room, &source, &refusal)) {
		ipa->program_bytes = mark;
		program = NULL;
	} else {
		ipa->program_bytes = mark + (uint32_t)align_up(
			((struct ax_program *)program)->bytes, 8);
	}
	if (!k->expression)
		ipa->nprograms++;
	*k = (struct known){ expression, program, code, length, want_result };
}

/* Maps the table at the first use. */
const struct ax_program *ipa_program(const struct ipa_expression *expression,
				     const struct ax_machine *machine,
				     int want_result, int *error)
{
	uint32_t want = (uint32_t)want_result;
	struct known *k;

	*error = IPA_EMPTY_EXPRESSION;
	if (expression->length <= 0)
		return NULL;
	*error = IPA_UNHANDLED_OPCODE;
	if (expression->length > LENGTH_MAX)
		return NULL;
	if (!known)
		known = sys_map_anonymous(PROGRAMS_MAX * sizeof(*known));
	if (!memory)
		memory = sys_map_anonymous(PROGRAMS_BYTES);
	if (!known || !memory)
		return NULL;
	k = place_of(expression, want);
	if (same_expression(k, expression))
		return k->program;
	if (ipa->nprograms > PROGRAMS_MAX / 2 ||
	    ipa->program_bytes > PROGRAMS_BYTES / 2)
		ipa_program_forget();
	k = place_of(expression, want);
	program_learn(k, expression, machine, want);
	return same_expression(k, expression) ? k->program : NULL;
}
