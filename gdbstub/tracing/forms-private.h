/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The forms of a run's markers: all that is needed to read a frame when the
 * marker's library has been unloaded, and perhaps another one is in the same
 * place.
 *
 * A tracepoint is at an address, and markers come and go there:
 *
 *	app/first		app/second
 *	|---- hits, frames ----| |---- hits, frames ...
 *	noted			 noted			(by the clock)
 *
 * Invariant: a form is noted before the marker has the run's tracepoints. So
 * the form of a frame is the last one that was noted at the frame's address
 * before the frame's time.
 */
#ifndef GDBSTUB_TRACING_FORMS_PRIVATE_H
#define GDBSTUB_TRACING_FORMS_PRIVATE_H

#include "tracepoints/fields/field-text.h"
#include "tracepoints/frames/frames.h"
#include "tracepoints/sites/registry.h"

/* A copy of the description in the marker's module. It exists until the process
 * exits. */
struct form {
	char id[128];			/* "channel/name" */
	uint8_t kind;
	uint8_t nfields;
	uint8_t types[TAFFRAIL_FIELDS_MAX];
	uint32_t format_bytes;		/* with its NUL */
	uint32_t shown_bytes;
	char texts[];			/* the format, then how fields are
					 * shown */
};

/* Notes that hits at an address are this marker's from now on. Without memory,
 * no form is found for frames from now on. The registry's lock is held. */
void forms_note(uint64_t address, const struct object *object);

/* Returns the form of a frame's marker, or NULL: it is not known. The
 * registry's lock is held. */
const struct form *forms_find(const struct frame *frame);

/* Forgets all that was noted: there are no frames any more. The registry's lock
 * is held. */
void forms_forget(void);

/* Returns the description of the marker's events. */
struct field_event form_event(const struct form *form);

#endif
