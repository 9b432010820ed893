/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The class Event: the result of taffrail.event().
 *
 *	Event(channel, name, names, types, checked)
 *
 * `names` and `types` are tuples of the fields; both are None when the first
 * call tells them. Invariant: `names` never changes once it is set;
 * the cached order of keywords is copied before an object's own code may run.
 */
#include <stddef.h>

#include "bindings/python/private.h"

/* An event, as Python sees it. Only the interpreter's lock guards it: a call
 * holds the lock from the first argument to the write. */
struct event {
	PyObject_HEAD
	PyObject *(*call)(PyObject *, PyObject *const *, size_t, PyObject *);
	struct declared declared;
	PyObject *channel, *name;	/* `declared` points into these */
	PyObject *names;		/* a tuple, or NULL */
	PyObject *keywords;		/* of the last call; NULL: none */
	int8_t order[TAFFRAIL_FIELDS_MAX]; /* the field of each */
	unsigned long long misfits;	/* calls that did not fit the fields */
};

/* Why a call does not fit the event: the first reason. */
struct fault {
	const char *words;		/* with %U and %S; NULL: it fits */
	PyObject *name;			/* of the field or keyword */
};

/* Returns a new reference to None. */
static PyObject *none_new(void)
{
	Py_INCREF(Py_None);
	return Py_None;
}

/* Keeps the first fault of a call. `words` is a format for channel, name and
 * `name`. */
static void fault_set(struct fault *fault, const char *words, PyObject *name)
{
	if (fault->words)
		return;
	fault->words = words;
	fault->name = name;
}

/* Returns 0; or -1 without an exception when the agent would not take the name
 * for a field's, a C identifier of at most 63 characters. The text of the name
 * lives as long as the object. */
static int field_set(struct taffrail_event_field *field, PyObject *name,
		     int type)
{
	Py_ssize_t n = 0;
	Py_ssize_t i;
	const char *p = PyUnicode_AsUTF8AndSize(name, &n);

	if (!p)
		PyErr_Clear();
	for (i = 0; p && i < n; i++)
		if (p[i] != '_' && (unsigned int)((p[i] | 32) - 'a') >= 26 &&
		    (!i || (unsigned int)(p[i] - '0') >= 10))
			p = NULL;
	field->name_ = n && n < 64 ? p : NULL;
	field->type_ = type;
	return field->name_ ? 0 : -1;
}

/* The values of a call, while it is converted. */
struct hit {
	union taffrail_value values[TAFFRAIL_FIELDS_MAX];
	struct owned owned;
	uint32_t given;			/* a bit a field */
};

/* Converts an object to the value of a field. A value that does not fit, or is
 * the second one for the field, is a fault, and is kept. Returns 0, or -1 with
 * an exception that must reach the program. */
static int hit_set(struct event *event, struct hit *hit, int field,
		   PyObject *object, struct fault *fault)
{
	int ret = value_from(&hit->values[field],
			     event->declared.fields[field].type_, object,
			     &hit->owned);

	if (UNLIKELY(ret > 0))
		fault_set(fault, "%U/%U(): the value of '%U' does not fit",
			  PyTuple_GetItem(event->names, field));
	if (UNLIKELY(hit->given & 1u << field))
		fault_set(fault, "%U/%U(): '%U' is there twice",
			  PyTuple_GetItem(event->names, field));
	hit->given |= 1u << field;
	return ret < 0 ? ret : 0;
}

/*
 * Sets the fields that keywords name. All calls from one place in a program
 * have the same tuple of keywords, so the field of each keyword is looked up
 * when the tuple is another one than at the last call; -1: no field. Names that
 * a program spells are one object, as a rule. Returns as hit_set().
 */
static int hit_keywords(struct event *event, struct hit *hit,
			PyObject *const *values, PyObject *keywords,
			struct fault *fault)
{
	Py_ssize_t n = PyTuple_Size(keywords);
	int nfields = event->declared.nfields;
	int8_t order[TAFFRAIL_FIELDS_MAX];
	PyObject *before = NULL;
	Py_ssize_t i;
	int field;

	if (keywords != event->keywords) {
		before = event->keywords;
		Py_INCREF(keywords);
		event->keywords = keywords;
		for (i = 0; i < n && i < TAFFRAIL_FIELDS_MAX; i++) {
			PyObject *name = PyTuple_GetItem(keywords, i);

			for (field = 0; field < nfields; field++)
				if (PyTuple_GetItem(event->names, field) ==
				    name)
					break;
			if (field == nfields)
				for (field = 0; field < nfields; field++)
					if (!PyUnicode_Compare(PyTuple_GetItem(
						    event->names, field), name))
						break;
			event->order[i] =
				(int8_t)(field < nfields ? field : -1);
		}
	}
	__builtin_memcpy(order, event->order, sizeof(order));
	/* a name of the program's own class may call this event in __del__() */
	Py_XDECREF(before);
	for (i = 0; i < n; i++) {
		if (UNLIKELY(i >= TAFFRAIL_FIELDS_MAX || order[i] < 0)) {
			fault_set(fault, "%U/%U() has no field '%U'",
				  PyTuple_GetItem(keywords, i));
			continue;
		}
		if (UNLIKELY(hit_set(event, hit, order[i], values[i], fault)))
			return -1;
	}
	return 0;
}

/* Drops the objects that the conversion has made. Call it after the write: the
 * values point into them. */
static void hit_release(struct hit *hit)
{
	while (UNLIKELY(hit->owned.n))
		Py_DECREF(hit->owned.objects[--hit->owned.n]);
}

/* Converts the arguments of a call: first those by place, then those by name.
 * Fields that the call does not give get the value of nothing, and are a fault.
 * Returns 0, or -1 with an exception that must reach the program. */
static int hit_fill(struct event *event, struct hit *hit,
		    PyObject *const *args, Py_ssize_t nargs,
		    PyObject *keywords, struct fault *fault)
{
	uint32_t all = (1u << event->declared.nfields) - 1;
	Py_ssize_t i;

	hit->owned.n = 0;
	hit->given = 0;
	for (i = 0; i < nargs; i++) {
		if (i >= event->declared.nfields) {
			fault_set(fault, "%U/%U() has more values than fields", NULL);
			break;
		}
		if (hit_set(event, hit, (int)i, args[i], fault))
			return -1;
	}
	if (LIKELY(keywords) &&
	    UNLIKELY(hit_keywords(event, hit, args + nargs, keywords, fault)))
		return -1;
	for (i = 0; UNLIKELY(hit->given != all) && i < event->declared.nfields;
	     i++) {
		if (hit->given & 1u << i)
			continue;
		hit->given |= 1u << i;
		value_missing(&hit->values[i], event->declared.fields[i].type_);
		fault_set(fault, "%U/%U() needs the field '%U'",
			  PyTuple_GetItem(event->names, i));
	}
	return 0;
}

/* Writes the event, whose marker is on. Not inlined, so that a call of an event
 * that is off has no stack for the values. */
static __attribute__((noinline)) PyObject *
event_write(struct event *event, PyObject *const *args, Py_ssize_t nargs,
	    PyObject *keywords)
{
	struct fault fault = { NULL, NULL };
	struct hit hit;
	int ret = hit_fill(event, &hit, args, nargs, keywords, &fault);

	if (LIKELY(!ret))
		agent_write(event->declared.marker, hit.values);
	if (UNLIKELY(fault.words))
		event->misfits++;
	hit_release(&hit);
	if (UNLIKELY(ret))
		return NULL;
	return none_new();
}

/*
 * The event has no marker yet. Returns 1 when it has one now and it is on.
 *
 * The first call of an event without declared fields tells them: they are the
 * keywords. Keywords that the agent would refuse are left out, and so are those
 * behind the last one that has room. New objects may start a collection, in
 * which any code of the program runs, and calls this event: then that call was
 * the first one.
 */
static __attribute__((noinline)) int event_begin(struct event *event,
						 PyObject *const *values,
						 PyObject *keywords)
{
	struct taffrail_event_field fields[TAFFRAIL_FIELDS_MAX];
	Py_ssize_t count = keywords ? PyTuple_Size(keywords) : 0;
	PyObject *list, *names;
	Py_ssize_t i;
	int n = 0;

	if (event->declared.nfields >= 0)
		goto declare;
	list = PyList_New(0);
	for (i = 0; list && i < count && n < TAFFRAIL_FIELDS_MAX; i++) {
		PyObject *name = PyTuple_GetItem(keywords, i);

		if (field_set(&fields[n], name, value_type_of(values[i])))
			continue;
		n++;
		if (PyList_Append(list, name))
			Py_CLEAR(list);
	}
	names = list ? PyList_AsTuple(list) : NULL;
	Py_XDECREF(list);
	if (!names) {
		PyErr_Clear();
		return 0;
	}
	if (event->declared.nfields >= 0) {
		Py_DECREF(names);
		goto declare;
	}
	__builtin_memcpy(event->declared.fields, fields, sizeof(fields));
	event->names = names;
	event->declared.nfields = (int)PyTuple_Size(names);
declare:
	return taffrail_event_enabled(declared_make(&event->declared));
}

/* A call, as request(id=7, url="/x"). Raises no exception because of the
 * arguments: a value that does not fit is counted in `misfits`. */
static PyObject *event_call(PyObject *self, PyObject *const *args,
			    size_t nargsf, PyObject *keywords)
{
	struct event *event = (struct event *)self;
	Py_ssize_t nargs = (Py_ssize_t)(nargsf & ~NARGS_OFFSET);

	if (LIKELY(event->declared.marker)) {
		if (LIKELY(!taffrail_event_enabled(event->declared.marker)))
			return none_new();
	} else if (!event_begin(event, args + nargs, keywords)) {
		return none_new();
	}
	return event_write(event, args, nargs, keywords);
}

/* In Python's development mode: the same, and a TypeError for arguments that do
 * not fit, on or off. */
static PyObject *event_call_checked(PyObject *self, PyObject *const *args,
				    size_t nargsf, PyObject *keywords)
{
	struct event *event = (struct event *)self;
	Py_ssize_t nargs = (Py_ssize_t)(nargsf & ~NARGS_OFFSET);
	struct fault fault = { NULL, NULL };
	struct hit hit;
	int ret;

	if (!event->declared.marker)
		event_begin(event, args + nargs, keywords);
	if (event->declared.nfields < 0)
		return PyErr_NoMemory();
	ret = hit_fill(event, &hit, args, nargs, keywords, &fault);
	if (!ret && fault.words) {
		event->misfits++;
		PyErr_Format(PyExc_TypeError, fault.words, event->channel,
			     event->name, fault.name);
		ret = -1;
	} else if (!ret && taffrail_event_enabled(event->declared.marker)) {
		agent_write(event->declared.marker, hit.values);
	}
	hit_release(&hit);
	if (ret)
		return NULL;
	return none_new();
}

/* Event(channel, name, names, types, checked). The strings of `declared` are in
 * `channel` and `name`, which live as long as the event. An exception names the
 * field which cannot be one. */
static PyObject *event_new(PyTypeObject *type, PyObject *args, PyObject *keys)
{
	allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	PyObject *channel, *name, *names, *types;
	struct event *event;
	Py_ssize_t n = -1;
	Py_ssize_t i;
	int checked;

	UNUSED(keys);
	if (!PyArg_ParseTuple(args, "UUOOp", &channel, &name, &names, &types,
			      &checked))
		return NULL;
	event = (struct event *)alloc(type, 0);
	if (!event)
		return NULL;
	Py_INCREF(channel);
	Py_INCREF(name);
	event->channel = channel;
	event->name = name;
	event->call = checked ? event_call_checked : event_call;
	event->declared.nfields = -1;
	event->declared.channel = PyUnicode_AsUTF8AndSize(channel, NULL);
	if (event->declared.channel)
		event->declared.name = PyUnicode_AsUTF8AndSize(name, NULL);
	if (!event->declared.name)
		goto failed;
	if (PyTuple_Check(names) && PyTuple_Check(types))
		n = PyTuple_Size(names);
	if (n >= 0 && (n > TAFFRAIL_FIELDS_MAX || PyTuple_Size(types) != n)) {
		PyErr_Format(PyExc_ValueError, "an event has at most %d fields",
			     TAFFRAIL_FIELDS_MAX);
		goto failed;
	}
	for (i = 0; i < n; i++) {
		PyObject *field = PyTuple_GetItem(names, i);
		long kind = PyLong_AsLong(PyTuple_GetItem(types, i));

		if (kind == -1 && PyErr_Occurred())
			goto failed;
		if (!PyUnicode_Check(field) ||
		    field_set(&event->declared.fields[i], field, (int)kind)) {
			PyErr_Format(PyExc_ValueError, "%R cannot be the name "
				     "of a field: a letter or _, then letters, "
				     "digits, _ of ASCII, 63 at most", field);
			goto failed;
		}
	}
	if (n >= 0) {
		Py_INCREF(names);
		event->names = names;
		event->declared.nfields = (int)n;
	}
	declared_add(&event->declared);
	return (PyObject *)event;
failed:
	Py_DECREF(event);
	return NULL;
}

/* Types made of a specification are objects that instances own (since Python
 * 3.9), so the collector must see the reference to the type, too. */
static int event_traverse(PyObject *self, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(self));
	Py_VISIT(((struct event *)self)->names);
	Py_VISIT(((struct event *)self)->keywords);
	return 0;
}

/* The marker stays declared: another event of that name gets it again. */
static void event_free(PyObject *self)
{
	struct event *event = (struct event *)self;
	PyTypeObject *type = Py_TYPE(self);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

	PyObject_GC_UnTrack(self);
	declared_remove(&event->declared);
	Py_XDECREF(event->channel);
	Py_XDECREF(event->name);
	Py_XDECREF(event->names);
	Py_XDECREF(event->keywords);
	release(self);
	Py_DECREF(type);
}

/* event.id */
static PyObject *event_id(PyObject *self, void *closure)
{
	struct event *event = (struct event *)self;

	UNUSED(closure);
	return PyUnicode_FromFormat("%U/%U", event->channel, event->name);
}

/* An event that has no fields yet is on: its first call tells them. */
static PyObject *event_enabled(PyObject *self, void *closure)
{
	struct event *event = (struct event *)self;

	UNUSED(closure);
	if (event->declared.nfields < 0)
		return PyBool_FromLong(agent_came());
	if (!event->declared.marker)
		declared_make(&event->declared);
	return PyBool_FromLong(taffrail_event_enabled(event->declared.marker));
}

/* Returns {name: type}, or None before the first call. */
static PyObject *event_fields(PyObject *self, void *closure)
{
	struct event *event = (struct event *)self;
	PyObject *fields;

	UNUSED(closure);
	if (event->declared.nfields < 0)
		return none_new();
	fields = PyDict_New();
	for (int i = 0; fields && i < event->declared.nfields; i++) {
		PyObject *word = PyUnicode_FromString(
			value_word(event->declared.fields[i].type_));

		if (!word ||
		    PyDict_SetItem(fields, PyTuple_GetItem(event->names, i),
				   word))
			Py_CLEAR(fields);
		Py_XDECREF(word);
	}
	return fields;
}

/* repr(event): the id, and the fields as event.fields has them. */
static PyObject *event_repr(PyObject *self)
{
	PyObject *fields = event_fields(self, NULL);
	struct event *event = (struct event *)self;
	PyObject *text;

	if (!fields)
		return NULL;
	text = PyUnicode_FromFormat("<taffrail event %U/%U, fields %S>",
				    event->channel, event->name, fields);
	Py_DECREF(fields);
	return text;
}

/* A copy is the event of that name, also in another process that unpickles it.
 */
static PyObject *event_reduce(PyObject *self, PyObject *args)
{
	PyObject *module = PyImport_ImportModule("taffrail._event");
	PyObject *again = module ? PyObject_GetAttrString(module, "again") :
				   NULL;
	PyObject *fields = again ? event_fields(self, NULL) : NULL;
	struct event *event = (struct event *)self;
	PyObject *ret = NULL;

	UNUSED(args);
	if (fields)
		ret = Py_BuildValue("(O(OOO))", again, event->channel,
				    event->name, fields);
	Py_XDECREF(fields);
	Py_XDECREF(again);
	Py_XDECREF(module);
	return ret;
}

static PyMethodDef event_methods[] = {
	{ "__reduce__", event_reduce, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyMemberDef event_members[] = {
	{ "__vectorcalloffset__", T_PYSSIZET, offsetof(struct event, call),
	  READONLY, NULL },
	{ "misfits", T_ULONGLONG, offsetof(struct event, misfits), READONLY,
	  "How many calls had something that did not fit the fields." },
	{ NULL, 0, 0, 0, NULL },
};

static PyGetSetDef event_properties[] = {
	{ "id", event_id, NULL, "CHANNEL/NAME, as rules name it.", NULL },
	{ "enabled", event_enabled, NULL,
	  "True when a session, gdb or a callback wants the event.", NULL },
	{ "fields", event_fields, NULL,
	  "{name: type}; None until the first call tells it.", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static char event_doc[] =
	"An event: taffrail.event() makes it; a call writes it.";

static PyType_Slot event_slots[] = {
	{ Py_tp_doc, event_doc },
	{ Py_tp_new, event_new },
	{ Py_tp_dealloc, event_free },
	{ Py_tp_traverse, event_traverse },
	{ Py_tp_call, PyVectorcall_Call },
	{ Py_tp_repr, event_repr },
	{ Py_tp_methods, event_methods },
	{ Py_tp_members, event_members },
	{ Py_tp_getset, event_properties },
	{ 0, NULL },
};

static PyType_Spec event_spec = {
	"taffrail._taffrail.Event", sizeof(struct event), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
	event_slots
};

PyObject *event_class(void)
{
	return PyType_FromSpec(&event_spec);
}
