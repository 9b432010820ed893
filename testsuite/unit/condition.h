/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A condition for unit tests: its text is compiled and verified.
 */
#ifndef TAFFRAIL_TESTSUITE_UNIT_CONDITION_H
#define TAFFRAIL_TESTSUITE_UNIT_CONDITION_H

#include "unit.h"

#include <errno.h>

#include "tracepoints/conditions/ax.h"
#include "tracepoints/conditions/expr-private.h"

static _Alignas(8) char condition_buffer[AX_PROGRAM_BYTES(AX_CODE_MAX)];
static const struct ax_program *program = (const void *)condition_buffer;

/* Compiles and verifies a text, into `program`. `source` has what the verifier
 * must know. Returns 0, or the compiler's error. */
static inline int condition_make(const char *text,
				 const struct expr_fields *fields,
				 struct ax_source source,
				 struct expr_error *error)
{
	uint8_t code[AX_CODE_MAX];
	struct ax_refusal refusal;
	int ret = expr_compile(text, fields, code,
			       EXPR_CODE_BYTES(strlen(text)), error);

	if (ret < 0)
		return ret;
	source.code = code;
	source.bytes = (uint32_t)ret;
	source.want_result = 1;
	ret = ax_verify(condition_buffer, sizeof(condition_buffer), &source,
			&refusal);
	unit_check(ret == 0, "\"%s\" passes the verifier%s%s", text,
		   ret ? ": " : "", ret ? refusal.fact : "");
	return ret ? -EPROTO : 0;
}

#endif
