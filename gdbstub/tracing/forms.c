/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeps the forms of a run's markers. See forms-private.h.
 */
#include "gdbstub/tracing/forms-private.h"

#include "base/arena.h"
#include "base/sys.h"
#include "base/text.h"
#include "buffers/clock.h"

#define NOTES_FIRST	256u

struct note {
	uint64_t address;
	uint64_t since;			/* by the clock */
	const struct form *form;
};

static struct arena_copy *copies;
static struct {
	struct note *notes;		/* in the order of the clock */
	uint32_t n;
	uint32_t room;
	uint64_t lost;			/* since then a note lacks; 0: none */
} noted;

/* Returns the last note at the address that is older than the clock, or
 * NULL. */
static const struct note *note_last(uint64_t address, uint64_t clock)
{
	for (uint32_t i = noted.n; i-- > 0;)
		if (noted.notes[i].address == address &&
		    noted.notes[i].since <= clock)
			return &noted.notes[i];
	return NULL;
}

/* Copies the part that a frame's reader needs. Returns NULL without memory. */
static const struct form *form_copy(const struct object *object)
{
	struct shown_bytes shown = shown_of_site(object->site);
	uint32_t format_bytes = (uint32_t)text_length(object->format) + 1;
	uint32_t shown_bytes = (uint32_t)(shown.end - shown.p);
	size_t bytes = sizeof(struct form) + format_bytes + shown_bytes;
	struct form *builder = sys_map_anonymous(bytes);
	const struct form *form;

	if (!builder)
		return NULL;
	text_copy(builder->id, sizeof(builder->id), object->id);
	builder->kind = object->site->kind_;
	builder->nfields = object->site->nfields_;
	__builtin_memcpy(builder->types, object->types, sizeof(builder->types));
	builder->format_bytes = format_bytes;
	builder->shown_bytes = shown_bytes;
	__builtin_memcpy(builder->texts, object->format, format_bytes);
	__builtin_memcpy(builder->texts + format_bytes, shown.p, shown_bytes);
	form = arena_copy(&copies, builder, bytes);
	sys_munmap(builder, bytes);
	return form;
}

/* The room for notes doubles. Without memory, the notes stay as they are, and
 * `lost` says since when one lacks. */
void forms_note(uint64_t address, const struct object *object)
{
	uint64_t now = clock_read();
	const struct note *last = note_last(address, now);
	const struct form *form = form_copy(object);
	uint32_t room = noted.room ? 2 * noted.room : NOTES_FIRST;
	struct note *notes = noted.notes;

	if (form && last && last->form == form)
		return;
	if (form && noted.n == noted.room)
		notes = sys_map_anonymous(room * sizeof(*notes));
	if (!form || !notes) {
		if (!noted.lost)
			noted.lost = now;
		return;
	}
	if (noted.n == noted.room) {
		if (noted.notes) {
			__builtin_memcpy(notes, noted.notes,
					 noted.n * sizeof(*notes));
			sys_munmap(noted.notes, noted.room * sizeof(*notes));
		}
		noted.notes = notes;
		noted.room = room;
	}
	noted.notes[noted.n++] = (struct note){ address, now, form };
}

const struct form *forms_find(const struct frame *frame)
{
	const struct note *note;

	if (noted.lost && frame->clock >= noted.lost)
		return NULL;
	note = note_last(frame->address, frame->clock);
	return note ? note->form : NULL;
}

void forms_forget(void)
{
	noted.n = 0;
	noted.lost = 0;
}

struct field_event form_event(const struct form *form)
{
	const char *shown = form->texts + form->format_bytes;

	return (struct field_event){ form->kind, form->nfields, form->types,
				     form->texts,
				     { shown, shown + form->shown_bytes } };
}
