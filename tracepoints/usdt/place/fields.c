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

/* Operands, and the names of the fields behind them. */
struct fields {
	struct usdt_operand operands[RULE_ARGUMENTS_MAX + 2];
	char names[USDT_FIELDS_BYTES];
};

#define KEPT	251	/* of which copies are found, by their hash */

_Static_assert(sizeof(((struct usdt_prototype *)0)->fields) <=
	       USDT_FIELDS_BYTES, "prototypes.h");

struct usdt_operand *usdt_fields_keep(const struct usdt_operand *operands,
				      uint32_t count, const char *names)
{
	static struct usdt_operand *kept[KEPT];
	static uint64_t kept_bytes[KEPT];
	uint64_t bytes = count * sizeof(*operands);
	uint64_t all = bytes + text_length(names) + 1;
	char made[sizeof(struct fields)];
	uint32_t which;

	__builtin_memcpy(made, operands, bytes);
	__builtin_memcpy(made + bytes, names, all - bytes);
	which = (uint32_t)(index_hash(INDEX_HASH, made, all) % KEPT);
	if (kept_bytes[which] == all &&
	    !__builtin_memcmp(kept[which], made, all))
		return kept[which];
	kept[which] = arena_pack(all);
	kept_bytes[which] = kept[which] ? all : 0;
	if (kept[which])
		__builtin_memcpy(kept[which], made, all);
	return kept[which];
}

struct usdt_adopted *usdt_adopted_keep(const struct usdt_adopted *model,
				       const struct text *texts)
{
	struct usdt_adopted *probe =
		texts->cut ? NULL : arena_pack(sizeof(*probe) + texts->used);

	if (!probe)
		return NULL;
	*probe = *model;
	probe->site.text_bytes_ = (uint32_t)texts->used;
	__builtin_memcpy(probe->text, texts->start, texts->used);
	return probe;
}

void usdt_texts_open(struct text *text, char texts[USDT_TEXT_BYTES],
		     const char *name)
{
	text_open(text, texts, USDT_TEXT_BYTES);
	text_add_bytes(text, USDT_CHANNEL, sizeof(USDT_CHANNEL));
	text_add_bytes(text, name, text_length(name) + 1);
}

void usdt_frame_set(struct usdt_operand *frame,
		    const struct usdt_adopted *first, const char *name)
{
	size_t n = text_length(name);

	if (first->function == USDT_EXIT)
		n -= sizeof(RULE_RETURN) - 1;
	*frame = first->operands[first->count - 1];
	frame->value += (int64_t)(index_hash(INDEX_HASH, name, n) % 7 + 1);
}

struct usdt_adopted *usdt_function_make(const struct usdt_naming *naming,
					const struct usdt_wanted *wanted,
					const struct usdt_exit *exit,
					const struct usdt_adopted *first)
{
	struct usdt_operand operands[RULE_ARGUMENTS_MAX + 2] = { 0 };
	struct usdt_adopted probe = { .operands = operands };
	char names[USDT_FIELDS_BYTES], texts[USDT_TEXT_BYTES];
	const struct usdt_prototype *known;
	struct rule_types types;
	uint32_t arguments = 0, shown, i;
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
	probe.spot.address = naming->module->base +
			     (exit ? exit->address : usdt_wanted_at(wanted));
	probe.spot.leaves = !!exit;
	probe.function = exit ? USDT_EXIT : USDT_ENTRY;
	probe.start = (int32_t)(naming->module->base + wanted->address -
				probe.spot.address);
	probe.site.version_ = TAFFRAIL_SITE_VERSION;
	probe.site.kind_ = TAFFRAIL_KIND_EVENT;
	text_open(&text, names, sizeof(names));
	fields_set(&probe, &text, naming, wanted, exit, &types, arguments,
		   known);
	usdt_name_make(name, wanted, !!exit);
	if (first)
		usdt_frame_set(&operands[probe.count - 1], first, name);
	probe.operands = usdt_fields_keep(operands, probe.count, names);
	if (!probe.operands)
		return NULL;
	text_open(&text, texts, sizeof(texts));
	shown = known && !exit ? usdt_prototype_shown(known) : 0;
	if (shown) {
		usdt_texts_open(&text, texts, name);
		text_add_bytes(&text, names, text_length(names) + 1);
		text_add_bytes(&text, "", 1);
		text_add_bytes(&text, (const char *)known->shown,
			       shown * sizeof(*known->shown));
	}
	return usdt_adopted_keep(&probe, &text);
}

const char *usdt_texts_rest(const struct usdt_adopted *probe, uint32_t n)
{
	const char *p = probe->text;

	while (n--)
		p += text_length(p) + 1;
	return p;
}

int usdt_marker_make(struct module *module, struct usdt_adopted *probe,
		     const char *name, uint8_t *stub)
{
	struct code code = { .address = (uint8_t *)probe->spot.address,
			     .stub = stub };
	const char *texts[4] = { USDT_CHANNEL, name, usdt_fields_names(probe),
				 "" };
	struct object *object;
	uint32_t i;

	for (i = 0; i < 4 && probe->site.text_bytes_; i++)
		texts[i] = usdt_texts_rest(probe, i);
	object = registry_add(module, &probe->site, texts, &code);
	if (!object)
		return -ENOMEM;
	object->shape.narrow = 1;
	object->adopted = probe;
	return 0;
}
