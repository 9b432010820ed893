/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The module taffrail._taffrail: the class Event, and the numbers of the types
 * of fields. The package's other files are Python.
 */
#include "bindings/python/private.h"

/* Adds an object and takes the reference, which may be NULL. */
static int module_add(PyObject *module, const char *name, PyObject *object)
{
	int ret = object ? PyObject_SetAttrString(module, name, object) : -1;

	Py_XDECREF(object);
	return ret;
}

/* All interpreters of the process count together. */
static PyObject *next_span(PyObject *module, PyObject *none)
{
	static uint64_t spans;

	UNUSED(module);
	UNUSED(none);
	return PyLong_FromUnsignedLongLong(
		__atomic_add_fetch(&spans, 1, __ATOMIC_RELAXED));
}

static PyMethodDef functions[] = {
	{ "next_span", next_span, METH_NOARGS,
	  "Returns a number that it has not returned before in the process." },
	{ NULL, NULL, 0, NULL },
};

/* Adds the class, and TYPES: the numbers of the types by the words of Python.
 * Returns 0, or -1 with an exception. */
static int module_fill(PyObject *module)
{
	const struct value_type *type;
	PyObject *types;

	if (module_add(module, "Event", event_class()))
		return -1;
	types = PyDict_New();
	for (type = value_types; types && type->word; type++) {
		PyObject *number = PyLong_FromLong(type->type);

		if (!number || PyDict_SetItemString(types, type->word, number))
			Py_CLEAR(types);
		Py_XDECREF(number);
	}
	return module_add(module, "TYPES", types);
}

static PyModuleDef_Slot slots[] = {
	{ Py_mod_exec, module_fill },
	{ 0, NULL },
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "taffrail._taffrail",
	.m_methods = functions,
	.m_slots = slots,
};

PyMODINIT_FUNC PyInit__taffrail(void);
PyMODINIT_FUNC PyInit__taffrail(void)
{
	return PyModuleDef_Init(&definition);
}
