/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The binding for Python: declarations that the files of taffrail._taffrail
 * share.
 *
 *	request(id=7, url="/x")
 *	  |  event.c	off: one load, returns None
 *	  |  value.c	on: each object becomes a field's value
 *	  v  agent.c	taffrail_event_write(), if the process has an agent
 *
 * The limited API of Python 3.9: one binary for that release and all later
 * ones. Invariant: a call of an event never raises because of its
 * arguments, whether the event is on or off, except in Python's development
 * mode.
 */
#ifndef BINDINGS_PYTHON_PRIVATE_H
#define BINDINGS_PYTHON_PRIVATE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API	0x03090000
#include <Python.h>
#include <stdbool.h>
#include <structmember.h>

#include "include/taffrail/event.h"

/* The limited API has these since 3.12, and each 3.9 and later has them. */
#ifndef Py_TPFLAGS_HAVE_VECTORCALL
#define Py_TPFLAGS_HAVE_VECTORCALL	(1UL << 11)
#endif
#define NARGS_OFFSET	((size_t)1 << (8 * sizeof(size_t) - 1))
PyObject *PyVectorcall_Call(PyObject *callable, PyObject *tuple,
			    PyObject *dict);
/* the same since 3.10 */
const char *PyUnicode_AsUTF8AndSize(PyObject *unicode, Py_ssize_t *size);

#define UNUSED(x)	((void)(x))
#define LIKELY(x)	__builtin_expect(!!(x), 1)
#define UNLIKELY(x)	__builtin_expect(!!(x), 0)

/* The arguments of a declaration. */
struct declared {
	struct taffrail_declared *marker;	/* NULL: none yet */
	struct declared *next, **link;		/* of all in the process */
	const char *channel;
	const char *name;
	struct taffrail_event_field fields[TAFFRAIL_FIELDS_MAX];
	int nfields;			/* < 0: the first call will tell */
	int refused;			/* the agent made no marker */
};

/* Enters an event into the list of those that are declared when an agent comes,
 * or takes it out. The marker stays. */
void declared_add(struct declared *declared);
void declared_remove(struct declared *declared);

/* Declares the marker, if the process has an agent and the fields are known.
 * Before that, one load. Returns the marker or NULL. */
struct taffrail_declared *declared_make(struct declared *declared);

/* Returns 1 when the process has an agent, which may be off. */
bool agent_came(void);

/* As taffrail_event_write(), for a marker of declared_make(). */
extern __typeof__(taffrail_event_write) *agent_write;

/* Objects that a hit made and drops behind the write. A value makes two at
 * most. A field may be given twice, by place and by name. */
#define OWNED_MAX	(2 * 2 * TAFFRAIL_FIELDS_MAX)

struct owned {
	PyObject *objects[OWNED_MAX];
	int n;
};

/* The types of fields, and their words in Python. The last word is NULL. */
struct value_type {
	const char *word;
	int type;
};
extern const struct value_type value_types[];

/* Returns the word of a type, or NULL. */
const char *value_word(int type);

/* Sets a field's value to the one that stands for "no value". */
void value_missing(union taffrail_value *value, int type);

/*
 * Converts an object to a field of that type. Returns 0; 1 when the object does
 * not fit, and another value stands for it; or -1 with an exception that is no
 * Exception (KeyboardInterrupt), from code of the object's class.
 */
int value_from(union taffrail_value *value, int type, PyObject *object,
	       struct owned *owned);

/* Returns the type of a field for an object, from an event's first call. */
int value_type_of(PyObject *object);

/* Makes the class Event. Returns NULL with an exception. */
PyObject *event_class(void);

#endif
