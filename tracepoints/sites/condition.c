/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions of rules: compiles a text to a program that is never freed.
 */
#include "tracepoints/sites/registry.h"

#include <errno.h>

#include "base/arena.h"
#include "base/sys.h"
#include "base/text.h"
#include "tracepoints/conditions/expr.h"

#define TEXT_MAX	1024
#define CODE_MAX	AX_CODE_MAX

/* Every program made so far, each once. */
static struct arena_copy *programs;

/* Memory to make a program in: too large for the stack of an agent thread. */
struct workshop {
	struct field_name names[TAFFRAIL_FIELDS_MAX];
	uint8_t types[TAFFRAIL_FIELDS_MAX];
	struct write_shape shape;
	uint8_t code[CODE_MAX];
	uint64_t program[AX_PROGRAM_BYTES(CODE_MAX) / 8 + 1];
};

/* Makes the program of a condition in the workshop. Returns as
 * condition_make(). */
static int program_make(struct workshop *shop, const struct object *object,
			bool whole, const char *text,
			const struct ax_program **program,
			struct expr_error *error)
{
	struct expr_fields fields = { shop->names, shop->types,
				      object->site->nfields_,
				      shown_of_site(object->site), object->id,
				      false, NULL, 0 };
	struct ax_layout layout = { &shop->shape, shop->types };
	struct ax_source source = { .code = shop->code, .want_result = 1,
				    .layout = &layout,
				    .machine = whole ? &ax_host : &ax_bare };
	struct ax_refusal refusal;
	int ret;

	ret = fields_parse(object->format, object->site->kind_,
			   object->site->nfields_, shop->names);
	if (ret)
		return ret;
	/* the object has no memory behind the strings that it has */
	__builtin_memcpy(&shop->shape, &object->shape,
			 offsetof(struct write_shape,
				  var[object->shape.nvar]));
	__builtin_memcpy(shop->types, object->types, sizeof(shop->types));
	/* the fields that conditions alone have */
	if (whole)
		fields.n = shown_unwritten(&fields.shown, shop->names,
					   shop->types, fields.n);
	for (uint32_t i = object->site->nfields_; i < fields.n; i++)
		if (shape_add(&shop->shape, shop->types[i]))
			fields.n = i;
	ret = expr_compile(text, &fields, shop->code, sizeof(shop->code),
			   error);
	if (ret < 0)
		return ret;
	/* a constant that a byte holds needs no program */
	if (ret == 3 && shop->code[0] == AX_CONST8 && shop->code[2] == AX_END)
		return !shop->code[1];
	source.bytes = (uint32_t)ret;
	ret = ax_verify(shop->program, sizeof(shop->program), &source,
			&refusal);
	if (ret) {
		error->column = 1;
		text_copy(error->fact, sizeof(error->fact), refusal.fact);
		return ret;
	}
	*program = arena_copy(&programs, shop->program,
			      ((struct ax_program *)shop->program)->bytes);
	return *program ? 0 : -ENOMEM;
}

static int condition_compile(const struct object *object, bool whole,
			     const char *text,
			     const struct ax_program **program,
			     struct expr_error *error)
{
	struct workshop *shop;
	int ret;

	*program = NULL;
	error->column = 1;
	text_copy(error->fact, sizeof(error->fact), "too long");
	if (text_length(text) > TEXT_MAX)
		return -EINVAL;
	shop = sys_map_anonymous(sizeof(*shop));
	if (!shop)
		return -ENOMEM;
	ret = program_make(shop, object, whole, text, program, error);
	sys_munmap(shop, sizeof(*shop));
	return ret;
}

int condition_make(const struct object *object, const char *text,
		   const struct ax_program **program, struct expr_error *error)
{
	return condition_compile(object, true, text, program, error);
}

int condition_make_bare(const struct object *object, const char *text,
			const struct ax_program **program,
			struct expr_error *error)
{
	return condition_compile(object, false, text, program, error);
}
