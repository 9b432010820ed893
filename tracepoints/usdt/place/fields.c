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

/* The types of a function: libc's, or as a command has read them (struct
 * usdt_line). */
struct known {
	char result;			/* a letter of prototypes.def, or '-' */
	struct usdt_operand operands[USDT_CALL_ARGUMENTS_MAX];
	uint32_t count;
	char fields[USDT_FIELDS_BYTES];		/* "path, flags, cfa" */
	const struct usdt_prototype *row;	/* of libc's, or NULL */
	const char *lines;			/* "=BYTES" among them; or "" */
};

/* Tells whether values of a type are in vector registers. */
static bool is_vector(uint8_t type)
{
	return scalar_sort(type) == SCALAR_REAL;
}

/* Makes the field of an exit: the value, or the function to which the jump
 * leads. Nothing tells that of a jump through a register or memory. */
static struct usdt_operand *value_set(struct usdt_adopted *probe,
				      struct text *text,
				      const struct usdt_naming *naming,
				      const struct usdt_exit *exit,
				      const struct known *known)
{
	struct usdt_operand *operand = probe->operands;
	char result = known ? known->result : 0;

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
		if (is_vector(operand->type))
			operand->place = USDT_VECTOR;
		operand->bytes = (uint8_t)scalar_bytes(operand->type);
	} else {
		text_add(text, "to, ");
		operand->place = USDT_NAME;
		operand->value = (int64_t)usdt_target_name(naming,
							   exit->target);
		operand->type = TAFFRAIL_T_STRING;
		probe->strings = 1;
	}
	return operand + 1;
}

/* Sets the operand of an argument in a register, by the order of the calling
 * convention. */
static void operand_set(struct usdt_operand *operand, uint8_t type, uint32_t at)
{
	*operand = (struct usdt_operand){
		.place = is_vector(type) ? USDT_VECTOR : USDT_REGISTER,
		.base = is_vector(type) ? (uint8_t)at : registers[at],
		.type = type, .index = USDT_NO_REGISTER,
		.bytes = type == TAFFRAIL_T_STRING ?
				 8 : (uint8_t)scalar_bytes(type),
	};
}

/* Makes the fields of the arguments. */
static struct usdt_operand *arguments_set(struct usdt_adopted *probe,
					  struct text *text,
					  const struct rule_types *types,
					  uint32_t arguments,
					  const struct known *known)
{
	struct usdt_operand *operand = probe->operands;

	for (uint32_t i = 0; i < arguments; i++, operand++) {
		bool string = types->strings >> i & 1;

		if (known) {
			*operand = known->operands[i];
			string = operand->type == TAFFRAIL_T_STRING;
			probe->in_memory |= operand->place == USDT_MEMORY ||
					    operand->place == USDT_PROGRAM;
		} else {
			text_add(text, "arg");
			text_add_unsigned(text, i + 1);
			text_add(text, ", ");
			operand_set(operand, string ? TAFFRAIL_T_STRING :
						      TAFFRAIL_T_S64, i);
			if (string && types->lengths[i] <= arguments)
				operand->length = types->lengths[i];
		}
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
		       const struct known *known)
{
	struct usdt_operand *operand = probe->operands;

	operand = exit ? value_set(probe, text, naming, exit, known) :
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
	for (uint32_t i = 0; i < probe->count; i++) {
		probe->site.types_[i] = probe->operands[i].type;
		if (probe->operands[i].type != TAFFRAIL_T_STRING)
			probe->site.fixed_bytes_ = (uint16_t)(
				probe->site.fixed_bytes_ +
				probe->operands[i].bytes);
	}
}

/* Copies a text up to a sign. Returns the text behind that, or NULL: there is
 * no room. */
static const char *part_take(char *to, uint32_t room, const char *p, char end)
{
	uint32_t i;

	for (i = 0; p && *p && *p != '\n' && *p != end; p++)
		if (i + 1 < room)
			to[i++] = *p;
		else
			return NULL;
	to[i] = '\0';
	return p && *p == end ? p + 1 : p;
}

/* Reads where an argument is (struct usdt_line), and goes on in *lines. Returns
 * false if that makes no sense. */
static bool argument_read(struct usdt_operand *operand, char letter, char where,
			  const char **lines, int64_t pushed)
{
	uint8_t type = usdt_prototype_type(letter);

	if (where == '*') {
		while (**lines == '=')
			*lines = usdt_line_after(*lines);
		if (!usdt_field_read(operand, *lines) ||
		    operand->type > TAFFRAIL_T_STRING ||
		    (operand->length &&
		     operand->length != USDT_LENGTH_BEHIND) ||
		    operand->place == USDT_UNREAD)
			return false;
		*lines = usdt_line_after(*lines);
		if (operand->place == USDT_MEMORY && operand->base == RSP)
			operand->value += pushed;
		return true;
	}
	if (where >= 'a' && where <= 'z') {
		operand_set(operand, type, 0);
		operand->place = USDT_MEMORY;
		operand->base = RSP;
		operand->value = 8 + pushed + 8 * (where - 'a');
		return true;
	}
	if (where < '0' || where > (is_vector(type) ? '7' : '5'))
		return false;
	operand_set(operand, type, (uint32_t)(where - '0'));
	return true;
}

/* Finds the types of a function. Returns false if they are not known. */
static bool known_find(struct known *known, const struct usdt_naming *naming,
		       const struct usdt_wanted *wanted)
{
	char letters[USDT_CALL_ARGUMENTS_MAX + 2] = "", places[sizeof(letters)];
	const char *p = usdt_lines_call(naming, wanted->address), *lines;

	*known = (struct known){ .lines = "" };
	if (!p && rule_is_runtime(naming->module->name))
		known->row = usdt_prototype_find(wanted->name);
	if (known->row) {
		known->result = known->row->result[0];
		text_copy(letters, sizeof(letters), known->row->arguments);
		text_copy(places, sizeof(places), "012345");
		text_copy(known->fields, sizeof(known->fields),
			  known->row->fields);
	} else if (p) {
		known->lines = usdt_line_after(p);
		known->result = *p++;
		p = part_take(letters, sizeof(letters) - 1, p, ' ');
		p = part_take(places, sizeof(places) - 1, p, ' ');
		p = part_take(known->fields, sizeof(known->fields), p, '\n');
		if (!p || text_length(letters) != text_length(places))
			return false;
	} else {
		return false;
	}
	lines = known->lines;
	for (; letters[known->count]; known->count++)
		if (!argument_read(&known->operands[known->count],
				   letters[known->count], places[known->count],
				   &lines, 8 * wanted->pushes))
			return false;
	return true;
}

/* Adds how the fields of an entry, or of an exit, are shown. Returns false if
 * that is not said, or makes no sense. */
static bool known_shown(struct text *text, const struct known *known, bool exit)
{
	struct taffrail_shown shown;
	struct text one;
	int byte;

	if (known->row && !exit)
		text_add_bytes(text, (const char *)known->row->shown,
			       usdt_prototype_shown(known->row) *
				       sizeof(*known->row->shown));
	for (const char *p = known->lines; *p; p = usdt_line_after(p)) {
		if (*p++ != '=')
			continue;
		text_open(&one, text->start + text->used,
			  text->size - text->used);
		while ((byte = usdt_hex_byte(&p)) >= 0)
			text_add_bytes(&one, &(char){ (char)byte }, 1);
		__builtin_memcpy(&shown, one.start, sizeof(shown));
		if (one.cut || one.used < sizeof(shown) ||
		    one.used - sizeof(shown) != shown.bytes_)
			return false;
		if ((shown.field_ == USDT_LINE_RESULT) != exit)
			continue;
		if (exit)
			*one.start = 1;
		text->used += one.used;
	}
	return text->used && !text->cut;
}

/* Operands, and the names of the fields behind them. */
struct fields {
	struct usdt_operand operands[USDT_CALL_ARGUMENTS_MAX + 2];
	char names[USDT_FIELDS_BYTES];
};

#define KEPT	251	/* of which copies are found, by their hash */

_Static_assert(sizeof(((struct usdt_prototype *)0)->fields) <=
	       USDT_FIELDS_BYTES, "prototypes.h");
_Static_assert(sizeof(((struct usdt_prototype *)0)->arguments) <=
	       USDT_CALL_ARGUMENTS_MAX, "prototypes.h");

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

void usdt_texts_open(struct text *text, char texts[USDT_TEXTS_BYTES],
		     const char *name)
{
	text_open(text, texts, USDT_TEXTS_BYTES);
	text_add_bytes(text, USDT_CHANNEL, sizeof(USDT_CHANNEL));
	text_add_bytes(text, name, text_length(name) + 1);
}

void usdt_texts_file(struct text *texts, const char *file, size_t more)
{
	size_t n = text_length(file) + 1;

	if (texts->used + n + more > USDT_TEXTS_BYTES)
		file = "";
	text_add_bytes(texts, file, text_length(file) + 1);
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
	struct usdt_operand operands[USDT_CALL_ARGUMENTS_MAX + 2] = { 0 };
	struct usdt_adopted probe = { .operands = operands };
	char names[USDT_FIELDS_BYTES], texts[USDT_TEXTS_BYTES];
	char behind[USDT_TEXTS_BYTES];
	struct known found, *known = NULL;
	struct rule_types types;
	uint32_t arguments = 0, i;
	char name[USDT_NAME_BYTES];
	struct text text, shown;

	usdt_name_wanted(naming, wanted, 0, !!exit, &types);
	/* an exit has no arguments that types could be of */
	if ((exit || !types.count) && known_find(&found, naming, wanted))
		known = &found;
	if (!exit)
		arguments = types.count ? types.count :
			    known ? known->count : ARGUMENTS;
	/* lengths are recorded, too */
	for (i = 0; i < types.count && !exit; i++)
		if (types.lengths[i] > arguments)
			arguments = types.lengths[i];
	if (arguments > RULE_ARGUMENTS_MAX && !known)
		arguments = RULE_ARGUMENTS_MAX;
	probe.spot.address = naming->module->base +
			     (exit ? exit->address : usdt_wanted_at(wanted));
	probe.spot.leaves = !!exit;
	probe.function = exit ? USDT_EXIT : USDT_ENTRY;
	probe.start = (int32_t)(naming->module->base + wanted->address -
				probe.spot.address);
	probe.site.version_ = TAFFRAIL_SITE_VERSION;
	probe.site.kind_ = TAFFRAIL_KIND_EVENT;
	probe.site.line_ = (uint32_t)wanted->address;
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
	text_open(&shown, behind,
		  sizeof(behind) - sizeof(struct taffrail_shown));
	if (known && known_shown(&shown, known, !!exit)) {
		usdt_texts_open(&text, texts, name);
		text_add_bytes(&text, names, text_length(names) + 1);
		usdt_texts_file(&text, usdt_function_file(naming->module,
							  wanted),
				USDT_NAME_BYTES + shown.used);
		text_add_bytes(&text, behind, shown.used);
		/* another name may be longer */
		if (text.used + USDT_NAME_BYTES > USDT_TEXTS_BYTES)
			text_open(&text, texts, sizeof(texts));
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

const char *usdt_function_file(const struct module *module,
			       const struct usdt_wanted *wanted)
{
	static char *last;		/* those of a file follow each other */
	char file[USDT_TEXTS_BYTES], *kept;
	struct text text;

	if (!wanted->file)
		return module->names;
	text_open(&text, file, sizeof(file));
	text_add(&text, module->names);
	text_add_char(&text, '/');
	text_add(&text, wanted->file);
	if (last && text_equal(last, file))
		return last;
	kept = text.cut ? NULL : arena_pack(text.used + 1);
	if (!kept)
		return module->names;
	__builtin_memcpy(kept, file, text.used + 1);
	return last = kept;
}

int usdt_marker_make(struct module *module, struct usdt_adopted *probe,
		     const char *name, const char *file, uint8_t *stub)
{
	struct code code = { .address = (uint8_t *)probe->spot.address,
			     .stub = stub };
	const char *texts[4] = { USDT_CHANNEL, name, usdt_fields_names(probe),
				 file };
	struct object *object;

	for (uint32_t i = 0; i < 4 && probe->site.text_bytes_; i++)
		texts[i] = usdt_texts_rest(probe, i);
	object = registry_add(module, &probe->site, texts, &code);
	if (!object)
		return -ENOMEM;
	object->shape.narrow = 1;
	object->adopted = probe;
	return 0;
}
