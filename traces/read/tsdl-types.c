/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The types of TSDL, as the text has them; tsdl.c makes the packed form
 * of those that Taffrail writes. Facts: CTF specification 1.8.3, sections 4 and
 * 7.3.
 *
 * Invariant: types nest no deeper than TSDL_DEPTH_MAX, which bounds the
 * recursion. A type is never changed once it has a name, as others may be of
 * it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "taffrail/site.h"
#include "tracepoints/fields/shown.h"
#include "traces/read/tsdl-private.h"

#define ALIGN_DEFAULT	0
#define COUNT_MAX	(1u << 20)

/* Makes a type that lives until the text is parsed. Returns NULL without
 * memory, which is noted. */
static struct tsdl_type *new_type(struct tsdl *t, enum field_kind kind)
{
	struct tsdl_type *type = tsdl_memory(t, &t->scratch, sizeof(*type));

	if (type)
		type->class.kind = kind;
	return type;
}

/* Takes a number, or a word that stands for one. Returns 0 after an error,
 * which is noted. */
static uint64_t attribute_number(struct tsdl *t)
{
	static const struct {
		const char *word;
		uint8_t value;
	} words[] = {
		{ "true", 1 }, { "TRUE", 1 }, { "false", 0 }, { "FALSE", 0 },
		{ "decimal", 10 }, { "dec", 10 }, { "d", 10 }, { "i", 10 },
		{ "u", 10 }, { "hexadecimal", 16 }, { "hex", 16 }, { "x", 16 },
		{ "X", 16 }, { "p", 16 }, { "octal", 8 }, { "oct", 8 },
		{ "o", 8 }, { "binary", 2 }, { "b", 2 },
	};
	uint64_t value = t->number;

	if (t->kind == TOKEN_NUMBER) {
		tsdl_next(t);
		return value;
	}
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (tsdl_take_word(t, words[i].word))
			return words[i].value;
	tsdl_fail(t, -EBADMSG);
	return 0;
}

/*
 * Takes "integer { ATTRIBUTES }" or "floating_point { ATTRIBUTES }". An
 * attribute that is unknown makes the trace -ENOTSUP, not damaged: a later
 * version may write it. Returns NULL after an error.
 */
static struct tsdl_type *parse_number(struct tsdl *t, enum field_kind kind)
{
	bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	struct tsdl_type *type = new_type(t, kind);
	struct field_class *class;

	if (!type || tsdl_need_sign(t, '{'))
		return NULL;
	class = &type->class;
	class->base = 10;
	while (!t->error && !tsdl_take_sign(t, '}')) {
		if (tsdl_take_word(t, "size")) {
			tsdl_need_sign(t, '=');
			type->bits = (unsigned int)attribute_number(t);
		} else if (tsdl_take_word(t, "align")) {
			tsdl_need_sign(t, '=');
			type->align = (unsigned int)attribute_number(t);
		} else if (tsdl_take_word(t, "signed")) {
			tsdl_need_sign(t, '=');
			class->is_signed = attribute_number(t);
		} else if (tsdl_take_word(t, "base")) {
			tsdl_need_sign(t, '=');
			class->base = (uint8_t)attribute_number(t);
		} else if (tsdl_take_word(t, "encoding")) {
			tsdl_need_sign(t, '=');
			type->text = !tsdl_is_word(t, "none");
			tsdl_next(t);
		} else if (tsdl_take_word(t, "byte_order")) {
			tsdl_need_sign(t, '=');
			/* metadata.c writes no other word */
			if (!tsdl_is_word(t, "be"))
				tsdl_fail(t, -ENOTSUP);
			class->swapped = little;
			tsdl_next(t);
		} else if (tsdl_take_word(t, "map")) {
			tsdl_need_sign(t, '=');
			type->clock = true;
			tsdl_skip_value(t);
		} else if (tsdl_take_word(t, "exp_dig") ||
			   tsdl_take_word(t, "mant_dig")) {
			tsdl_need_sign(t, '=');
			type->bits += (unsigned int)attribute_number(t);
		} else {
			/* words that later versions of CTF may add */
			tsdl_fail(t, t->kind == TOKEN_WORD ? -ENOTSUP :
							     -EBADMSG);
		}
		tsdl_need_sign(t, ';');
	}
	class->bytes = (uint8_t)(type->bits / 8);
	return t->error ? NULL : type;
}

/* Returns the type of a name, or NULL. */
static struct tsdl_type *find_alias(const struct tsdl *t, const char *name)
{
	for (const struct tsdl_alias *a = t->aliases; a; a = a->next)
		if (!strcmp(a->name, name))
			return a->type;
	return NULL;
}

/* Gives a type a name. A later alias of the same name hides an earlier one.
 * Returns 0 or the error that was noted. */
static int add_alias(struct tsdl *t, const char *name, struct tsdl_type *type)
{
	struct tsdl_alias *alias = tsdl_memory(t, &t->scratch, sizeof(*alias));

	if (!alias || !name || !type)
		return t->error;
	alias->name = name;
	alias->type = type;
	alias->next = t->aliases;
	t->aliases = alias;
	return 0;
}

/* Takes the labels of an enumeration, behind the brace, and puts them in order.
 * They live as long as the schema. */
static void parse_labels(struct tsdl *t, struct field_class *class)
{
	struct field_label *labels = NULL;
	size_t room = 0, n = 0;
	uint64_t next = 0;

	while (!t->error && !tsdl_take_sign(t, '}')) {
		if (n == room) {
			struct field_label *more;

			room = room * 2 + 8;
			more = tsdl_memory(t, t->memory, room * sizeof(*more));
			if (!more)
				return;
			if (n)
				memcpy(more, labels, n * sizeof(*more));
			labels = more;
		}
		/* LABEL = A ... B; without a value, one more than the last */
		labels[n].name = tsdl_take_text(t);
		labels[n].from = tsdl_take_sign(t, '=') ? attribute_number(t) :
							  next;
		labels[n].to = tsdl_take_sign(t, SIGN_RANGE) ?
			       attribute_number(t) : labels[n].from;
		next = labels[n++].to + 1;
		if (!tsdl_is_sign(t, '}'))
			tsdl_need_sign(t, ',');
	}
	/* the last one may have no name */
	if (t->error)
		return;
	class->labels = labels;
	class->nlabels = n;
	field_labels_order(class, labels);
}

/* Takes "enum NAME : TYPE { LABELS }", or the name of an enum that was
 * described. Returns NULL after an error. */
static struct tsdl_type *parse_enum(struct tsdl *t)
{
	const char *name = NULL;
	struct tsdl_type *type, *container;

	if (t->kind == TOKEN_WORD)
		name = tsdl_take_text(t);
	if (name && !tsdl_is_sign(t, '{') && !tsdl_is_sign(t, ':'))
		return find_alias(t, name) ? find_alias(t, name) :
		       (tsdl_fail(t, -EBADMSG), NULL);
	if (tsdl_need_sign(t, ':'))
		return NULL;
	container = tsdl_parse_type(t);
	type = new_type(t, FIELD_ENUM);
	if (!type || !container || tsdl_need_sign(t, '{'))
		return NULL;
	/* size, base and sign are those of the integer below */
	*type = *container;
	type->class.kind = FIELD_ENUM;
	if (container->class.kind != FIELD_INTEGER)
		tsdl_fail(t, -EBADMSG);
	parse_labels(t, &type->class);
	if (name)
		add_alias(t, name, type);
	return t->error ? NULL : type;
}

/* Makes an array or a sequence of the type in front of the brackets; behind the
 * first one. Returns NULL after an error. */
static struct tsdl_type *parse_brackets(struct tsdl *t,
					struct tsdl_type *element)
{
	struct tsdl_type *type = new_type(t, FIELD_ARRAY);
	struct tsdl_type **members =
		tsdl_memory(t, &t->scratch, sizeof(*members));

	if (!type || !members || !element)
		return NULL;
	members[0] = element;
	type->members = members;
	type->n = 1;
	if (t->kind == TOKEN_NUMBER) {
		type->class.count = attribute_number(t);
	} else {
		type->class.kind = FIELD_SEQUENCE;
		type->length = tsdl_take_text(t);
	}
	/* sizes of arrays are multiplied, and must not overflow */
	if (type->class.count > COUNT_MAX)
		tsdl_fail(t, -ENOTSUP);
	return tsdl_need_sign(t, ']') ? NULL : type;
}

/* Takes the members of a struct or variant, behind the brace. Without room the
 * arrays are made anew; the old ones stay until the text is parsed. */
static void parse_members(struct tsdl *t, struct tsdl_type *type)
{
	struct tsdl_type *member, **members;
	const char **names;
	size_t room = 0;

	while (!t->error && !tsdl_take_sign(t, '}')) {
		if (tsdl_take_word(t, "typealias")) {
			tsdl_parse_alias(t);
			continue;
		}
		member = tsdl_parse_type(t);
		if (!member)
			return;
		if (type->n == room) {
			room = room * 2 + 8;
			members = tsdl_memory(t, &t->scratch,
					      room * sizeof(*members));
			names = tsdl_memory(t, &t->scratch,
					    room * sizeof(*names));
			if (!members || !names)
				return;
			for (size_t i = 0; i < type->n; i++) {
				members[i] = type->members[i];
				names[i] = type->names[i];
			}
			type->members = members;
			type->names = names;
		}
		/* the name stands before the brackets that are part of the
		 * type */
		type->names[type->n] = tsdl_take_text(t);
		while (tsdl_take_sign(t, '['))
			member = parse_brackets(t, member);
		type->members[type->n++] = member;
		tsdl_need_sign(t, ';');
	}
}

/* Takes a struct or a variant, or the name of one that was described. Returns
 * NULL after an error. */
static struct tsdl_type *parse_struct(struct tsdl *t, bool variant)
{
	struct tsdl_type *type = new_type(t, FIELD_STRUCT);
	const char *name = NULL;

	if (!type)
		return NULL;
	type->variant = variant;
	if (t->kind == TOKEN_WORD)
		name = tsdl_take_text(t);
	if (variant && tsdl_take_sign(t, '<')) {
		if (t->kind == TOKEN_WORD)
			type->length = tsdl_take_text(t);
		while (!tsdl_is_sign(t, '>') && t->kind != TOKEN_END &&
		       !t->error)
			tsdl_next(t);
		tsdl_need_sign(t, '>');
	}
	if (!tsdl_take_sign(t, '{')) {
		type = name ? find_alias(t, name) : NULL;
		if (!type)
			tsdl_fail(t, -EBADMSG);
		return type;
	}
	parse_members(t, type);
	if (tsdl_take_word(t, "align") && !tsdl_need_sign(t, '(')) {
		type->align = (unsigned int)attribute_number(t);
		tsdl_need_sign(t, ')');
	}
	if (name)
		add_alias(t, name, type);
	return t->error ? NULL : type;
}

struct tsdl_type *tsdl_parse_type(struct tsdl *t)
{
	struct tsdl_type *type = NULL;

	if (++t->depth > TSDL_DEPTH_MAX) {
		tsdl_fail(t, -ENOTSUP);
	} else if (tsdl_take_word(t, "integer")) {
		type = parse_number(t, FIELD_INTEGER);
	} else if (tsdl_take_word(t, "floating_point")) {
		type = parse_number(t, FIELD_REAL);
	} else if (tsdl_take_word(t, "string")) {
		type = new_type(t, FIELD_STRING);
		if (type && tsdl_take_sign(t, '{')) {
			tsdl_skip_value(t);
			tsdl_take_sign(t, ';');
			tsdl_need_sign(t, '}');
		}
	} else if (tsdl_take_word(t, "enum")) {
		type = parse_enum(t);
	} else if (tsdl_take_word(t, "struct")) {
		type = parse_struct(t, false);
	} else if (tsdl_take_word(t, "variant")) {
		type = parse_struct(t, true);
	} else if (t->kind == TOKEN_WORD) {
		type = find_alias(t, t->text);
		if (!type)
			tsdl_fail(t, -ENOTSUP);
		tsdl_next(t);
	} else {
		tsdl_fail(t, -EBADMSG);
	}
	t->depth--;
	return t->error ? NULL : type;
}

int tsdl_parse_alias(struct tsdl *t)
{
	struct tsdl_type *type = tsdl_parse_type(t);
	const char *name;
	char start[32];
	uint8_t how;

	if (!type || tsdl_need_sign(t, SIGN_ASSIGN))
		return t->error;
	name = tsdl_take_text(t);
	/* metadata.c names a unit so: "duration_ns_of_NAME" */
	for (how = TAFFRAIL_HOW_DURATION_NS; name && *unit_word(how); how++) {
		snprintf(start, sizeof(start), "%s_%s_of_",
			 how < TAFFRAIL_HOW_TIME_NS ? "duration" : "time",
			 unit_word(how));
		if (!strncmp(name, start, strlen(start)))
			break;
	}
	if (name && type->class.kind == FIELD_INTEGER)
		type->class.unit = *unit_word(how) ? how : 0;
	add_alias(t, name, type);
	return tsdl_need_sign(t, ';');
}
