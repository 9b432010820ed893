/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes what functions record: the fields of entries and exits, by types of
 * rules, by libc's prototypes, or by the calling convention; and the markers.
 */
#include <errno.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/text.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/sites/registry.h"
#include "tracepoints/usdt/place/private.h"
#include "tracepoints/usdt/plan/prototypes.h"

#define ARGUMENTS	3	/* that are recorded if the rule says nothing */

/* Registers of the arguments, by gdb's numbers. */
static const uint8_t registers[RULE_ARGUMENTS_MAX] = { 5, 4, 3, 2, 8, 9 };
#define RAX	0
#define RSP	7

/* Makes the field of an exit: the value, or where the jump leads. Nothing tells
 * that of a jump through a register or memory. */
static struct usdt_operand *value_set(struct usdt_operand *operand,
				      struct text *text,
				      const struct usdt_naming *naming,
				      const struct usdt_exit *exit,
				      const struct usdt_prototype *known)
{
	char result = known ? known->result[0] : 0;

	if (exit->leaving == USDT_JUMPS_THROUGH ||
	    (exit->leaving == USDT_RETURNS && result == '-'))
		return operand;
	operand->bytes = 8;
	operand->index = USDT_NO_REGISTER;
	if (exit->leaving == USDT_RETURNS) {
		text_add(text, "value, ");
		operand->place = USDT_REGISTER;
		operand->base = RAX;
		operand->type = usdt_prototype_type(result);
		operand->bytes = (uint8_t)scalar_bytes(operand->type);
	} else {
		text_add(text, "to, ");
		operand->place = USDT_IMMEDIATE;
		operand->value = (int64_t)(naming->module->base + exit->target);
		operand->type = TAFFRAIL_T_PTR;
	}
	return operand + 1;
}

/* Makes the fields of the arguments. */
static struct usdt_operand *arguments_set(struct usdt_adopted *probe,
					  struct text *text,
					  const struct rule_types *types,
					  uint32_t arguments,
					  const struct usdt_prototype *known)
{
	struct usdt_operand *operand = probe->operands;
	uint32_t i;

	for (i = 0; i < arguments; i++, operand++) {
		uint8_t type = types->strings >> i & 1 ? TAFFRAIL_T_STRING :
							 TAFFRAIL_T_S64;
		int string;

		if (known)
			type = usdt_prototype_type(known->arguments[i]);
		string = type == TAFFRAIL_T_STRING;
		if (!known) {
			text_add(text, "arg");
			text_add_unsigned(text, i + 1);
			text_add(text, ", ");
		}
		*operand = (struct usdt_operand){
			.place = USDT_REGISTER, .base = registers[i],
			.type = type, .index = USDT_NO_REGISTER,
			.bytes = string ? 8 : (uint8_t)scalar_bytes(type),
		};
		if (string && types->lengths[i] <= arguments)
			operand->length = types->lengths[i];
		probe->strings = (uint8_t)(probe->strings + string);
	}
	return operand;
}

/* Makes the fields: arguments, or those of an exit; and the address of the
 * frame (DWARF's CFA). */
static void fields_set(struct usdt_adopted *probe, struct text *text,
		       const struct usdt_naming *naming,
		       const struct usdt_wanted *wanted,
		       const struct usdt_exit *exit,
		       const struct rule_types *types, uint32_t arguments,
		       const struct usdt_prototype *known)
{
	struct usdt_operand *operand = probe->operands;
	uint32_t i;

	operand = exit ? value_set(operand, text, naming, exit, known) :
			 arguments_set(probe, text, types, arguments, known);
	text_add(text, !exit && known ? known->fields : "cfa");
	*operand = (struct usdt_operand){
		/* above the return address, and pushes before the jump */
		.place = USDT_SUM, .value = exit ? 8 : 8 + 8 * wanted->pushes,
		.base = RSP, .bytes = 8,
		.type = TAFFRAIL_T_PTR, .index = USDT_NO_REGISTER,
	};
	probe->count = (uint8_t)(operand + 1 - probe->operands);
	probe->site.nvar_ = probe->strings;
	probe->site.nfields_ = probe->count;
	for (i = 0; i < probe->count; i++) {
		probe->site.types_[i] = probe->operands[i].type;
		if (probe->operands[i].type != TAFFRAIL_T_STRING)
			probe->site.fixed_bytes_ = (uint16_t)(
				probe->site.fixed_bytes_ +
				probe->operands[i].bytes);
	}
}

/* Returns the prototype of a function, or NULL: it is none of libc's. */
static const struct usdt_prototype *known_function(const struct module *module,
						   const char *name)
{
	return rule_is_runtime(module->name) ? usdt_prototype_find(name) : NULL;
}

struct usdt_adopted *usdt_adopted_keep(const struct usdt_adopted *model,
				       const char *texts, uint32_t text_bytes)
{
	uint64_t before = usdt_adopted_bytes(text_bytes);
	uint64_t bytes = model->count * sizeof(*model->operands);
	struct usdt_adopted *probe = arena_keep(before + bytes);

	if (!probe)
		return NULL;
	*probe = *model;
	probe->operands = (struct usdt_operand *)((char *)probe + before);
	probe->site.text_bytes_ = text_bytes;
	__builtin_memcpy(probe->text, texts, text_bytes);
	__builtin_memcpy(probe->operands, model->operands, bytes);
	return probe;
}

struct usdt_adopted *usdt_function_make(const struct usdt_naming *naming,
					const struct usdt_wanted *wanted,
					const struct usdt_exit *exit)
{
	struct usdt_operand operands[RULE_ARGUMENTS_MAX + 2];
	struct usdt_adopted probe = { .operands = operands };
	char texts[USDT_TEXT_BYTES];
	const struct usdt_prototype *known;
	struct rule_types types;
	uint32_t arguments = 0, i;
	char name[USDT_NAME_BYTES];
	struct text text;

	usdt_name_wanted(naming, wanted, 0, !!exit, &types);
	/* an exit has no arguments that types could be of */
	known = types.count && !exit ?
			NULL : known_function(naming->module, wanted->name);
	if (!exit)
		arguments = types.count ? types.count :
			    known ? (uint32_t)text_length(known->arguments) :
				    ARGUMENTS;
	/* lengths are recorded, too */
	for (i = 0; i < types.count && !exit; i++)
		if (types.lengths[i] > arguments)
			arguments = types.lengths[i];
	if (arguments > RULE_ARGUMENTS_MAX)
		arguments = RULE_ARGUMENTS_MAX;
	probe.address = naming->module->base +
			(exit ? exit->address : usdt_wanted_at(wanted));
	probe.function = exit ? USDT_EXIT : USDT_ENTRY;
	probe.start = naming->module->base + wanted->address;
	probe.site.version_ = TAFFRAIL_SITE_VERSION;
	probe.site.kind_ = TAFFRAIL_KIND_EVENT;
	text_open(&text, texts, sizeof(texts));
	text_add_bytes(&text, USDT_CHANNEL, sizeof(USDT_CHANNEL));
	text_add(&text, usdt_name_make(name, wanted, !!exit));
	text_add_bytes(&text, "", 1);
	fields_set(&probe, &text, naming, wanted, exit, &types, arguments,
		   known);
	text_add_bytes(&text, "\0", 2);
	if (known && !exit)
		text_add_bytes(&text, (const char *)known->shown,
			       usdt_prototype_shown(known) *
				       sizeof(*known->shown));
	return text.cut ? NULL : usdt_adopted_keep(&probe, texts,
						   (uint32_t)text.used);
}

int usdt_marker_make(struct module *module, struct usdt_adopted *probe,
		     uint8_t *stub)
{
	struct code code = { .address = (uint8_t *)probe->address,
			     .stub = stub };
	const char *texts[4] = { probe->text };
	struct object *object;
	int i;

	for (i = 1; i < 4; i++)
		texts[i] = texts[i - 1] + text_length(texts[i - 1]) + 1;
	object = registry_add(module, &probe->site, texts, &code);
	if (!object)
		return -ENOMEM;
	object->shape.narrow = 1;
	object->adopted = probe;
	return 0;
}
