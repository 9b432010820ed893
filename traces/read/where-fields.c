/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fields of events as conditions want them.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "traces/read/schema.h"
#include "traces/read/where-fields-private.h"

/* Returns the type for conditions, or 0: they cannot use the field. */
static uint8_t type_of(const struct field_class *class)
{
	static const uint8_t types[2][9] = {
		{ [1] = TAFFRAIL_T_U8, [2] = TAFFRAIL_T_U16,
		  [4] = TAFFRAIL_T_U32, [8] = TAFFRAIL_T_U64 },
		{ [1] = TAFFRAIL_T_S8, [2] = TAFFRAIL_T_S16,
		  [4] = TAFFRAIL_T_S32, [8] = TAFFRAIL_T_S64 },
	};

	switch (class->kind) {
	case FIELD_INTEGER:
	case FIELD_ENUM:
		return types[class->is_signed][class->bytes];
	case FIELD_REAL:
		return class->bytes == 4 ? TAFFRAIL_T_F32 : TAFFRAIL_T_F64;
	case FIELD_STRING:
		return TAFFRAIL_T_STRING;
	case FIELD_TEXT:
		/* a character, or a text of fixed size */
		return class->count == 1 ? types[class->is_signed][1] :
					   TAFFRAIL_T_STRING;
	case FIELD_SEQUENCE:
		return TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_U8;
	default:
		return 0;
	}
}

/* Returns whether a word stands in the expression. */
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

/* Returns whether a label can be an enumerator in an expression. */
static bool is_enumerator(const struct field_label *label)
{
	const char *p = label->name;

	if (label->from != label->to || isdigit((unsigned char)*p))
		return false;
	while (isalnum((unsigned char)*p) || *p == '_' || *p == ':')
		p++;
	return !*p && p != label->name;
}

/* Adds what a marker would say of the field's names (struct taffrail_shown). */
static int add_shown(struct where_fields *f, const struct field_class *class)
{
	struct taffrail_shown head = { .field_ = (uint8_t)f->n,
				       .how_ = TAFFRAIL_HOW_ENUM };
	size_t names = 1, values = 0;
	size_t old = f->shown_bytes;
	char *more, *value, *name;

	for (size_t i = 0; i < class->nlabels; i++)
		if (is_enumerator(&class->labels[i]) && values < UINT16_MAX) {
			names += strlen(class->labels[i].name) + 2;
			values++;
		}
	if (!values)
		return 0;
	more = class_memory_take(f->memory, old + sizeof(head) +
				 values * sizeof(uint64_t) + names);
	if (!more)
		return -ENOMEM;
	if (old)
		memcpy(more, f->shown, old);
	f->shown = more;
	value = more + old + sizeof(head);
	name = value + values * sizeof(uint64_t);
	for (size_t i = 0; i < class->nlabels && head.count_ < values; i++) {
		if (!is_enumerator(&class->labels[i]))
			continue;
		memcpy(value, &class->labels[i].from, sizeof(uint64_t));
		value += sizeof(uint64_t);
		name = stpcpy(name, head.count_++ ? ", " : "");
		name = stpcpy(name, class->labels[i].name);
	}
	head.bytes_ = (uint32_t)(name - (more + old + sizeof(head)));
	memcpy(more + old, &head, sizeof(head));
	f->shown_bytes += sizeof(head) + head.bytes_;
	return 0;
}

/* Adds what a marker would say of the field's unit. */
static int add_unit(struct where_fields *f, uint8_t unit)
{
	struct taffrail_shown head = { .field_ = (uint8_t)f->n, .how_ = unit };
	char *more = class_memory_take(f->memory,
				       f->shown_bytes + sizeof(head));

	if (!more)
		return -ENOMEM;
	if (f->shown_bytes)
		memcpy(more, f->shown, f->shown_bytes);
	memcpy(more + f->shown_bytes, &head, sizeof(head));
	f->shown = more;
	f->shown_bytes += sizeof(head);
	return 0;
}

/* Adds what a marker would say of its level. */
static int add_level(struct where_fields *f, const struct event_class *class)
{
	const struct taffrail_shown head = { .how_ = TAFFRAIL_HOW_LEVEL,
					     .bytes_ = 1 };

	if (class->level < 0)
		return 0;
	f->shown = class_memory_take(f->memory, sizeof(head) + 1);
	if (!f->shown)
		return -ENOMEM;
	memcpy(f->shown, &head, sizeof(head));
	f->shown[sizeof(head)] = (char)class->level;
	f->shown_bytes = sizeof(head) + 1;
	return 0;
}

static int add_field(struct where_fields *f, const struct field_class *class,
		     struct where_step *step, const char *name,
		     const char *expression)
{
	uint8_t type = type_of(class);
	struct write_shape *shape = &f->shape;
	bool variable = type == TAFFRAIL_T_STRING ||
			(type & TAFFRAIL_T_SEQUENCE);

	step->class = class;
	if (!type || class->is_length || f->n == TAFFRAIL_FIELDS_MAX ||
	    (variable && shape->nvar == 16) ||
	    !is_used(class, name, expression))
		return 0;
	step->used = true;
	strncpy(f->names[f->n].name, name, FIELD_NAME_BYTES - 1);
	f->names[f->n].precision = FIELD_PRECISION_NONE;
	f->types[f->n++] = type;
	if (variable) {
		shape->var[shape->nvar].fixed_before = shape->fixed_bytes;
		shape->var[shape->nvar++].element_bytes =
			type & TAFFRAIL_T_SEQUENCE ? 1 : 0;
		return 0;
	}
	shape->fixed_bytes += class->kind == FIELD_TEXT ? 1 : class->bytes;
	if (class->unit)
		return add_unit(f, class->unit);
	return class->nlabels ? add_shown(f, class) : 0;
}

/* Returns whether the elements of an array are fields of their own. */
static bool is_small_array(const struct field_class *class)
{
	return class->kind == FIELD_ARRAY && class->count &&
	       class->count <= TAFFRAIL_FIELDS_MAX &&
	       class->members[0].kind <= FIELD_ENUM;
}

static size_t count_steps(const struct field_class *class)
{
	size_t n = 0;

	if (is_small_array(class))
		return class->count;
	if (class->kind != FIELD_STRUCT)
		return 1;
	for (size_t i = 0; i < class->nmembers; i++)
		n += count_steps(&class->members[i]);
	return n;
}

/* Adds a field, the members of a structure, NAME.MEMBER, or the elements of a
 * small array, NAME.0, at *step. */
static int add_fields(struct where_fields *f, const struct field_class *class,
		      struct where_step **step, const char *name,
		      const char *expression)
{
	bool array = is_small_array(class);
	size_t n = array ? class->count : class->nmembers;
	char inner[FIELD_NAME_BYTES];
	int ret = 0;

	if (!array && class->kind != FIELD_STRUCT)
		return add_field(f, class, (*step)++, name, expression);
	for (size_t i = 0; i < n && !ret; i++) {
		const struct field_class *member =
			&class->members[array ? 0 : i];

		if (array)
			snprintf(inner, sizeof(inner), "%s.%zu", name, i);
		else
			snprintf(inner, sizeof(inner), "%s%s%s", name,
				 *name ? "." : "",
				 member->name ? member->name : "");
		ret = add_fields(f, member, step, inner, expression);
	}
	return ret;
}

static int add_struct(struct where_fields *f, const struct field_class *class,
		      struct where_step **steps, const char *expression)
{
	struct where_step *step;

	step = class_memory_take(f->memory, (count_steps(class) + 1) *
					    sizeof(*step));
	*steps = step;
	return step ? add_fields(f, class, &step, "", expression) : -ENOMEM;
}

/* Finds out whether the program sees one number of the event's fields. */
static void find_alone(struct where_fields *f)
{
	const struct where_step *step = f->fields;
	uint32_t offset = 0;

	if (f->n != 1 || f->shape.nvar)
		return;
	for (; step->class; step++) {
		if (step->used) {
			f->alone = step->class->kind <= FIELD_ENUM;
			f->offset = offset;
			return;
		}
		if (step->class->kind > FIELD_ENUM)
			return;
		offset += step->class->bytes;
	}
}

int where_fields_make(struct where_fields *fields, struct trace_class *t,
		      const struct event_class *class, const char *expression)
{
	int ret;

	memset(fields, 0, sizeof(*fields));
	fields->memory = schema_memory(t, class);
	ret = add_level(fields, class);
	if (!ret)
		ret = add_struct(fields, class->fields, &fields->fields,
				 expression);
	if (!ret && t->context)
		ret = add_struct(fields, t->context, &fields->context,
				 expression);
	if (!ret)
		find_alone(fields);
	return ret;
}

/* Where the next values go. */
struct gather {
	struct where_values *values;
	char *fixed;
	uint32_t nvar;
};

static void take_text(struct gather *g, const uint8_t *at, size_t n)
{
	char *text = g->values->text[g->nvar];

	if (n >= WHERE_TEXT_BYTES)
		n = WHERE_TEXT_BYTES - 1;
	memcpy(text, at, n);
	text[n] = '\0';
	g->values->var[g->nvar].p = text;
}

static void take(struct gather *g, const struct field_class *class,
		 const uint8_t *at)
{
	struct write_var *var = &g->values->var[g->nvar];

	if (class->kind <= FIELD_ENUM) {
		memcpy(g->fixed, at, class->bytes);
		g->fixed += class->bytes;
	} else if (class->kind == FIELD_TEXT && class->count == 1) {
		*g->fixed++ = (char)*at;
	} else {
		var->n = WRITE_STRING;
		if (class->kind == FIELD_TEXT)
			take_text(g, at, class->count);
		else
			var->p = at;
		g->nvar++;
	}
}

static void take_struct(struct gather *g, const struct where_step *step,
			const uint8_t *at, const uint8_t *end)
{
	for (; step->class; step++) {
		int64_t bytes = field_bytes(step->class, at, end);

		if (bytes < 0)
			return;
		if (step->used)
			take(g, step->class, at);
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
			    event->fields);
	ax->var = values->var;
	ax->fixed = (uint64_t)(uintptr_t)values->fixed;
	if (fields->shape.fixed_bytes <= sizeof(ax->fixed)) {
		ax->fixed = 0;
		memcpy(&ax->fixed, values->fixed, fields->shape.fixed_bytes);
	}
}
