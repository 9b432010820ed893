/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions of rules: from text to a program that stays.
 */
#include "tracepoints/condition.h"

#include <errno.h>

#include "buffers/sys.h"
#include "buffers/text.h"
#include "tracepoints/arena.h"

#define TEXT_MAX	1024
#define CODE_MAX	EXPR_CODE_BYTES(TEXT_MAX)

/* Programs that exist, whoever asked for them. */
struct kept {
	struct kept *next;
	uint64_t aligned[];		/* struct ax_program */
};

static struct kept *all_kept;

/* What making one takes; too much for the stack of a thread of ours. */
struct workshop {
	struct field_name names[TAFFRAIL_FIELDS_MAX];
	uint8_t code[CODE_MAX];
	uint64_t program[AX_PROGRAM_BYTES(CODE_MAX) / 8 + 1];
};

static const struct ax_program *keep(const struct ax_program *program)
{
	struct kept *kept;

	for (kept = all_kept; kept; kept = kept->next) {
		const struct ax_program *old = (const void *)kept->aligned;

		if (old->bytes == program->bytes &&
		    !__builtin_memcmp(old, program, program->bytes))
			return old;
	}
	kept = arena_keep(sizeof(*kept) + program->bytes);
	if (!kept)
		return NULL;
	__builtin_memcpy(kept->aligned, program, program->bytes);
	kept->next = all_kept;
	all_kept = kept;
	return (const struct ax_program *)kept->aligned;
}

static int make(struct workshop *shop, const struct object *object,
		const char *text, const struct ax_program **program,
		struct expr_error *error)
{
	struct expr_fields fields = { shop->names, object->types,
				      object->site->nfields };
	struct ax_layout layout = { &object->shape, object->types };
	struct ax_source source = { .code = shop->code, .want_result = 1,
				    .layout = &layout, .machine = &ax_host };
	struct ax_refusal refusal;
	int ret;

	ret = fields_parse(object->format, object->site->kind,
			   object->site->nfields, shop->names);
	if (ret)
		return ret;
	ret = expr_compile(text, &fields, shop->code, sizeof(shop->code),
			   error);
	if (ret < 0)
		return ret;
	source.bytes = (uint32_t)ret;
	ret = ax_verify(shop->program, sizeof(shop->program), &source,
			&refusal);
	if (ret) {
		error->column = 1;
		text_copy(error->fact, sizeof(error->fact), refusal.fact);
		return ret;
	}
	*program = keep((const struct ax_program *)shop->program);
	return *program ? 0 : -ENOMEM;
}

int condition_make(const struct object *object, const char *text,
		   const struct ax_program **program, struct expr_error *error)
{
	struct workshop *shop;
	int ret;

	error->column = 1;
	text_copy(error->fact, sizeof(error->fact), "too long");
	if (text_length(text) > TEXT_MAX)
		return -EINVAL;
	shop = sys_map_anonymous(sizeof(*shop));
	if (!shop)
		return -ENOMEM;
	ret = make(shop, object, text, program, error);
	sys_munmap(shop, sizeof(*shop));
	return ret;
}
