/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes of an event's fields the steps that lead over them, so that an event is
 * stepped over without a look at each field.
 */
#include "traces/read/private.h"

/* Steps in the making. `step` belongs to the schema, and ends with the zero
 * that it was made with. */
struct steps {
	uint16_t *step;
	size_t n;
	size_t room;
	bool simple;			/* steps can say all of it */
};

/* Adds a step. Without room, which only an unusual event exceeds, the steps do
 * not describe the event: no error. */
static void step_add(struct steps *s, uint32_t step)
{
	if (s->n + 1 >= s->room)
		s->simple = false;
	else
		s->step[s->n++] = (uint16_t)step;
}

/* Adds bytes of a fixed number, to the last step where it has room. */
static void add_fixed(struct steps *s, uint64_t bytes)
{
	while (bytes && s->simple) {
		uint64_t part = bytes > STEP_FIXED_MAX ? STEP_FIXED_MAX : bytes;

		if (s->n && s->step[s->n - 1] + part <= STEP_FIXED_MAX)
			s->step[s->n - 1] += (uint16_t)part;
		else
			step_add(s, (uint32_t)part);
		bytes -= part;
	}
}

/* Adds a step over elements of so many bytes. The step has their length, which
 * is the end of the one before it and is taken away there. */
static void add_counted(struct steps *s, uint32_t bytes)
{
	if (!s->n || s->step[s->n - 1] > STEP_FIXED_MAX ||
	    s->step[s->n - 1] < sizeof(uint32_t)) {
		s->simple = false;
		return;
	}
	s->step[s->n - 1] -= sizeof(uint32_t);
	if (!s->step[s->n - 1])
		s->n--;
	step_add(s, STEP_SEQUENCE | bytes);
}

/*
 * Adds the steps of a field. Where steps cannot describe it, s->simple becomes
 * false, and the event is stepped over field by field.
 */
static void add_field(struct steps *s, const struct field_class *class)
{
	const struct field_class *element = class->members;

	switch (class->kind) {
	case FIELD_STRING:
		step_add(s, STEP_STRING);
		break;
	case FIELD_TEXT:
		if (class->counted)
			add_counted(s, 1);
		else
			add_fixed(s, class->count);
		break;
	case FIELD_VARIANT:
		s->simple = false;	/* each is looked at */
		break;
	case FIELD_SEQUENCE:
		if (element->kind > FIELD_ENUM)
			s->simple = false;
		else
			add_counted(s, element->bytes);
		break;
	case FIELD_ARRAY:
		if (element->kind > FIELD_ENUM)
			s->simple = false;
		else
			add_fixed(s, class->count * element->bytes);
		break;
	case FIELD_STRUCT:
		for (size_t i = 0; i < class->nmembers && s->simple; i++)
			add_field(s, &class->members[i]);
		break;
	default:
		add_fixed(s, class->bytes);
	}
}

int steps_make(struct class_memory **memory, struct event_class *event)
{
	struct steps s = { .room = 4 * event->fields->nmembers + 65,
			   .simple = true };

	s.step = class_memory_take(memory, s.room * sizeof(*s.step));
	if (!s.step)
		return -ENOMEM;
	add_field(&s, event->fields);
	if (s.simple)
		event->steps = s.step;
	return 0;
}
