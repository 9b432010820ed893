/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fields of events as conditions want them.
 *
 * Invariant: a program sees the same bytes as it would in the process: numbers
 * one after the other in `fixed`, and a pointer and length for each text or
 * array. where_fields_gather() fills them in the order in which
 * where_fields_make() has added the names.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "tracepoints/fields/scalar.h"
#include "traces/read/schema.h"
#include "traces/read/visit.h"
#include "traces/read/where-fields-private.h"

/* Returns whether a field is one character, which conditions have as a number.
 */
static bool is_character(const struct field_class *class)
{
	return class->kind == FIELD_TEXT && !class->counted &&
	       class->count == 1;
}

/* Returns the type for conditions, or 0: they cannot use the field. The types
 * are those that a marker has for such a field. */
static uint8_t type_of(const struct field_class *class)
{
	const struct field_class *element = class->members;

	switch (class->kind) {
	case FIELD_STRING:
		return TAFFRAIL_T_STRING;
	case FIELD_TEXT:
		/* a character, or a text */
		return !is_character(class) ? TAFFRAIL_T_STRING :
		       class->is_signed	    ? TAFFRAIL_T_S8 : TAFFRAIL_T_U8;
	case FIELD_ARRAY:
	case FIELD_SEQUENCE:
	case FIELD_LIST:
		/* elements that are no numbers have no type */
		return TAFFRAIL_T_SEQUENCE | (element->kind <= FIELD_ENUM ?
					      field_scalar(element) : 0);
	case FIELD_VARIANT:
		return TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_U8;
	case FIELD_STRUCT:
		return 0;
	default:
		return field_scalar(class);
	}
}

/* Returns whether a word stands in the expression, as a whole. It may stand in
 * a text there: then a field is added that the program does not use. */
static bool has_word(const char *expression, const char *word)
{
	size_t n = strlen(word);
	const char *at = expression;

	while (n && (at = strstr(at, word))) {
		bool starts = at == expression ||
			      !(isalnum((unsigned char)at[-1]) ||
				at[-1] == '_');

		at += n;
		if (starts && !isalnum((unsigned char)*at) && *at != '_')
			return true;
	}
	return false;
}

/* Returns whether an expression may name a field, or a value of it. Without an
 * expression, each field with a name counts. */
static bool is_used(const struct field_class *class, const char *name,
		    const char *expression)
{
	if (!*name || !expression || has_word(expression, name))
		return *name;
	for (size_t i = 0; i < class->nlabels; i++)
		if (has_word(expression, class->labels[i].name))
			return true;
	return false;
}

/* Adds a statement with so many bytes behind the head. Returns the first of
 * these, with room for a NUL behind the last, or NULL without memory. All
 * statements are copied: memory of a class only grows, and few fields have one.
 */
static char *shown_append(struct where_fields *f, struct taffrail_shown head,
			  size_t bytes)
{
	size_t old = f->shown_bytes;
	char *more = class_memory_take(f->memory, old + sizeof(head) + bytes +
						  1);

	if (!more)
		return NULL;
	if (old)
		memcpy(more, f->shown, old);
	head.bytes_ = (uint32_t)bytes;
	memcpy(more + old, &head, sizeof(head));
	f->shown = more;
	f->shown_bytes = old + sizeof(head) + bytes;
	return more + old + sizeof(head);
}

/* Adds a statement of at most one byte: a unit has none, a level has one.
 * Returns 0 or -ENOMEM. */
static int add_word(struct where_fields *f, struct taffrail_shown head,
		    size_t bytes, int byte)
{
	char *at = shown_append(f, head, bytes);

	if (!at)
		return -ENOMEM;
	memset(at, byte, bytes);
	return 0;
}

/* Adds the names of the field's values, as a marker states them (struct
 * taffrail_shown): the first and the last value of each, then the names, with
 * NULs. Names behind the 32,767th are left out. Returns 0 or -ENOMEM. */
static int add_shown(struct where_fields *f, const struct field_class *class)
{
	struct taffrail_shown head = { .field_ = (uint8_t)f->n,
				       .how_ = TAFFRAIL_HOW_RANGES };
	size_t n = min_u64(class->nlabels, UINT16_MAX / 2), names = 0;
	char *value, *name;

	for (size_t i = 0; i < n; i++)
		names += strlen(class->labels[i].name) + 1;
	head.count_ = (uint16_t)(2 * n);
	value = shown_append(f, head, 2 * n * sizeof(uint64_t) + names);
	if (!value)
		return -ENOMEM;
	name = value + 2 * n * sizeof(uint64_t);
	for (size_t i = 0; i < n; i++) {
		const struct field_label *label = &class->labels[i];

		memcpy(value, &label->from, sizeof(uint64_t));
		memcpy(value + sizeof(uint64_t), &label->to, sizeof(uint64_t));
		value += 2 * sizeof(uint64_t);
		name = stpcpy(name, label->name) + 1;
	}
	return 0;
}

/* Adds the options of the last field, as a marker states them: the type of
 * each, then the names. Returns 0 or -ENOMEM. */
static int add_options(struct where_fields *f, const struct field_class *class)
{
	size_t n = class->nmembers, names = 0;
	struct taffrail_shown head = {
		.field_ = (uint8_t)f->n, .how_ = TAFFRAIL_HOW_VARIANT,
		.count_ = (uint16_t)n,
	};
	char *at, *name;

	for (size_t i = 0; i < n; i++)
		names += strlen(class->members[i].name) + (i ? 2 : 0);
	at = shown_append(f, head, n * sizeof(int64_t) + names);
	if (!at)
		return -ENOMEM;
	name = at + n * sizeof(int64_t);
	for (size_t i = 0; i < n; i++) {
		const struct field_class *option = &class->members[i];
		/* 0: conditions have no such type */
		int64_t type = option->kind == FIELD_STRING ||
			       option->kind == FIELD_TEXT ? TAFFRAIL_T_STRING :
			       option->kind <= FIELD_ENUM ?
			       field_scalar(option) : 0;

		memcpy(at + i * sizeof(type), &type, sizeof(type));
		name = stpcpy(stpcpy(name, i ? ", " : ""), option->name);
	}
	return 0;
}

/* Adds a name to those that the program knows. The caller has room for it. */
static void add_name(struct where_fields *f, const char *name, uint8_t type)
{
	snprintf(f->names[f->n].name, FIELD_NAME_BYTES, "%s", name);
	f->names[f->n].precision = FIELD_PRECISION_NONE;
	f->types[f->n++] = type;
}

/* Adds a field whose size is not fixed: the program finds it by a pointer and a
 * length. A string ends with a NUL, or behind as many characters as that says.
 */
static void add_variable(struct where_fields *f, const char *name,
			 uint8_t type)
{
	struct write_shape *shape = &f->shape;

	add_name(f, name, type);
	if (type == TAFFRAIL_T_STRING)
		shape->var[shape->nvar].rule = WRITE_RULE_COUNTED;
	shape->var[shape->nvar].fixed_before = shape->fixed_bytes;
	shape->var[shape->nvar++].element_bytes =
		type & TAFFRAIL_T_SEQUENCE ? (uint8_t)scalar_bytes(type) : 0;
}

/* Adds a field to the fields of the program, if the expression may name it. The
 * field gets a step in any case, because a reader must step over it. Returns 0
 * or -ENOMEM. Where there is no room, the expression finds no such name. */
static int add_field(struct where_fields *f, const struct field_class *class,
		     struct where_step *step, const char *name,
		     const char *expression)
{
	uint8_t type = type_of(class), number = f->seen;
	struct write_shape *shape = &f->shape;
	bool variable = type == TAFFRAIL_T_STRING ||
			(type & TAFFRAIL_T_SEQUENCE);

	step->class = class;
	f->seen += !class->is_length && f->seen < UINT8_MAX;
	if (class->kind == FIELD_VARIANT) {
		char value[FIELD_NAME_BYTES];
		const char *dot = strrchr(name, '.');
		size_t n = dot && !strcmp(dot, ".value") ?
				   (size_t)(dot - name) :
				   strlen(name);

		/* as a marker has it: a number without a name, and bytes. U
		 * names the options: U.value, as a marker calls the variant,
		 * or U */
		snprintf(value, sizeof(value), "%.*s", (int)n, name);
		if (f->n + 2 > TAFFRAIL_FIELDS_MAX || f->shape.nvar == 16 ||
		    class->nmembers > UINT16_MAX ||
		    !is_used(class, value, expression))
			return 0;
		step->used = true;
		add_name(f, "", TAFFRAIL_T_U32);
		f->shape.fixed_bytes += sizeof(uint32_t);
		snprintf(value, sizeof(value), "%.*s.value", (int)n, name);
		add_variable(f, value, TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_U8);
		return add_options(f, class);
	}
	if (variable && class->kind != FIELD_STRING &&
	    class->kind != FIELD_TEXT)
		class = &class->members[0];	/* it may have labels */
	if (!type || step->class->is_length || f->n == TAFFRAIL_FIELDS_MAX ||
	    (variable && shape->nvar == 16) ||
	    !is_used(class, name, expression))
		return 0;
	step->used = true;
	if (variable) {
		add_variable(f, name, type);
	} else {
		add_name(f, name, type);
		shape->fixed_bytes += class->kind == FIELD_TEXT ? 1 :
								  class->bytes;
	}
	f->numbers[f->n - 1] = number;
	if (!strcmp(name, "unread") && type == TAFFRAIL_T_U16 &&
	    class->base == 16)
		f->unread = (uint8_t)(f->n - 1);
	if (class->swapped)
		return add_word(f, (struct taffrail_shown){
				.field_ = (uint8_t)(f->n),
				.how_ = TAFFRAIL_HOW_BIG_ENDIAN }, 0, 0);
	if (class->unit)
		return add_word(f, (struct taffrail_shown){
				.field_ = (uint8_t)(f->n),
				.how_ = class->unit }, 0, 0);
	return class->nlabels ? add_shown(f, class) : 0;
}

/* Returns how many steps a field needs: one, or those of the members. */
static size_t count_steps(const struct field_class *class)
{
	size_t n = 0;

	if (class->kind != FIELD_STRUCT)
		return 1;
	for (size_t i = 0; i < class->nmembers; i++)
		n += count_steps(&class->members[i]);
	return n;
}

/* Adds a field, or the members of a structure, NAME.MEMBER, at *step. Returns 0
 * or -ENOMEM. */
static int add_fields(struct where_fields *f, const struct field_class *class,
		      struct where_step **step, const char *name,
		      const char *expression)
{
	char inner[FIELD_NAME_BYTES];
	int ret = 0;

	/* conditions look there without naming it */
	if (class->kind != FIELD_STRUCT)
		return add_field(f, class, (*step)++, name,
				 strcmp(name, "unread") ? expression : NULL);
	for (size_t i = 0; i < class->nmembers && !ret; i++) {
		const struct field_class *member = &class->members[i];

		snprintf(inner, sizeof(inner), "%s%s%s", name,
			 *name ? "." : "", member->name ? member->name : "");
		ret = add_fields(f, member, step, inner, expression);
	}
	return ret;
}

/* Makes the steps over a structure, which live as long as the class. Returns 0
 * or -ENOMEM. */
static int add_struct(struct where_fields *f, const struct field_class *class,
		      struct where_step **steps, const char *expression)
{
	struct where_step *step;

	step = class_memory_take(f->memory, (count_steps(class) + 1) *
					    sizeof(*step));
	*steps = step;
	return step ? add_fields(f, class, &step, "", expression) : -ENOMEM;
}

/* Returns whether the expression may name a field that the class lacks, for
 * which there is room. */
static bool lacks_field(const struct where_fields *f, const char *name,
			const char *expression)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (!strcmp(f->names[i].name, name))
			return false;
	return f->n < TAFFRAIL_FIELDS_MAX &&
	       (!expression || has_word(expression, name));
}

int where_fields_make(struct where_fields *fields, struct trace_class *t,
		      const struct event_class *class, const char *expression)
{
	const struct where_step *step;
	uint32_t offset = 0;
	int ret = 0;

	memset(fields, 0, sizeof(*fields));
	fields->memory = schema_memory(t, class);
	if (class->level >= 0)
		ret = add_word(fields, (struct taffrail_shown){
			       .how_ = TAFFRAIL_HOW_LEVEL }, 1, class->level);
	if (!ret)
		ret = add_struct(fields, class->fields, &fields->fields,
				 expression);
	if (!ret && t->context)
		ret = add_struct(fields, t->context, &fields->context,
				 expression);
	if (ret)
		return ret;
	/* number and name of the process, as contexts would be */
	if ((t->vpid >= 0 || t->shared) &&
	    lacks_field(fields, "vpid", expression)) {
		add_name(fields, "vpid", TAFFRAIL_T_S64);
		fields->shape.fixed_bytes += sizeof(t->vpid);
		fields->process = true;
	}
	if ((*t->procname || t->shared) && fields->shape.nvar < 16 &&
	    lacks_field(fields, "procname", expression)) {
		add_variable(fields, "procname", TAFFRAIL_T_STRING);
		fields->procname = true;
	}
	if (fields->n != 1 || fields->shape.nvar)
		return 0;
	/* the program may see only one number of the event's fields */
	for (step = fields->fields; step->class && !step->used; step++) {
		if (step->class->kind > FIELD_ENUM)
			return 0;
		offset += step->class->bytes;
	}
	if (step->class) {
		fields->alone = step->class->kind <= FIELD_ENUM;
		fields->offset = offset;
	}
	return 0;
}

/* Where the next values go. */
struct gather {
	struct where_values *values;
	char *fixed;
	uint32_t nvar;
};

/*
 * Takes a value to the place where the program looks for it: a number to
 * `fixed`, the rest as a pointer to its bytes; of a variant, the number of the
 * option and the option's bytes.
 */
static void take_field(struct gather *g, const struct field_class *class,
		       const uint8_t *at, const uint8_t *end)
{
	struct write_var *var = &g->values->var[g->nvar];
	uint32_t number;

	if (class->kind <= FIELD_ENUM) {
		memcpy(g->fixed, at, class->bytes);
		g->fixed += class->bytes;
		return;
	}
	if (is_character(class)) {
		*g->fixed++ = (char)*at;
		return;
	}
	g->nvar++;
	var->p = at;
	switch (class->kind) {
	case FIELD_STRING:
	case FIELD_TEXT:
		var->n = (uint64_t)(end - at);
		break;
	case FIELD_VARIANT:
		number = (uint32_t)(field_option(class, &at) - class->members);
		memcpy(g->fixed, &number, sizeof(number));
		g->fixed += sizeof(number);
		var->p = at;
		var->n = (uint64_t)(end - at);
		break;
	case FIELD_LIST:
		var->p = at + sizeof(number);
		var->n = field_length(at + sizeof(number));
		break;
	case FIELD_ARRAY:
		var->n = class->count;
		break;
	default:
		var->n = field_length(at);
	}
}

/* Steps over the fields of a structure, and takes the fields of the program.
 * Ends at damage. */
static void take_struct(struct gather *g, const struct where_step *step,
			const uint8_t *at, const uint8_t *end)
{
	for (; step->class; step++) {
		int64_t bytes = field_bytes(step->class, at, end);

		if (bytes < 0)
			return;
		if (step->used)
			take_field(g, step->class, at, at + bytes);
		at += bytes;
	}
}

void where_fields_gather(const struct where_fields *fields,
			 const struct trace_event *event,
			 struct where_values *values, struct ax_event *ax)
{
	struct gather g = { .values = values, .fixed = values->fixed };

	if (fields->alone) {
		ax->var = NULL;
		ax->fixed = 0;
		memcpy(&ax->fixed, event->fields + fields->offset,
		       fields->shape.fixed_bytes);
		return;
	}
	take_struct(&g, fields->fields, event->fields, event->end);
	if (fields->context)
		take_struct(&g, fields->context, event->context,
			    event_context_end(event));
	if (fields->process)
		memcpy(values->fixed + fields->shape.fixed_bytes -
		       sizeof(event->trace->vpid), &event->trace->vpid,
		       sizeof(event->trace->vpid));
	if (fields->procname)
		values->var[g.nvar++] = (struct write_var){
			.p = event->trace->procname,
			.n = strlen(event->trace->procname) + 1,
		};
	ax->var = values->var;
	ax->fixed = (uint64_t)(uintptr_t)values->fixed;
	if (fields->shape.fixed_bytes <= sizeof(ax->fixed)) {
		ax->fixed = 0;
		memcpy(&ax->fixed, values->fixed, fields->shape.fixed_bytes);
	}
}
