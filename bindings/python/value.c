/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From a Python object to a field's value. docs/python.md has the table of
 * objects and their values; this file follows it.
 *
 * Each function takes an object whose reference the caller keeps, and answers
 * as value_from(): 0; 1 where another value stands for the object; -1 with an
 * exception. New objects that the value points into go to `owned`, because the
 * write comes later.
 *
 * Invariant: no exception of the class Exception leaves; others do, as
 * KeyboardInterrupt.
 * The code of an object's class (__str__, __index__, __float__, __bool__) runs
 * only for objects of other classes than Python's own. No object makes a value
 * of a field of bytes take more than COPIED_MOST bytes that it does not have
 * already.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "bindings/python/private.h"
#include "tracepoints/fields/scalar.h"

/* The most bytes that are copied out of an object, and the most items that are
 * asked for one by one: an object may give them without end. */
#define COPIED_MOST	(16 << 20)
#define ITEMS_MOST	65536

const struct value_type value_types[] = {
#define FIELD_SCALAR(name, number, sort, bytes, c, word, exp, base, python) \
	{ python, number },
#include "tracepoints/fields/fields.def"
	{ "str", TAFFRAIL_T_STRING },
	{ "bytes", TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_U8 },
	{ NULL, 0 },
};

const char *value_word(int type)
{
	const struct value_type *known = value_types;

	while (known->word && known->type != type)
		known++;
	return known->word;
}

/* Takes the reference. Returns false when the object is NULL, or has no room.
 */
static bool owned_keep(struct owned *owned, PyObject *object)
{
	if (!object)
		return false;
	if (UNLIKELY(owned->n == OWNED_MAX)) {
		Py_DECREF(object);
		return false;
	}
	owned->objects[owned->n++] = object;
	return true;
}

/* Drops the exception that is set. Returns 1; or -1 and leaves the exception,
 * if it is one that must reach the program, as KeyboardInterrupt. */
static int exception_swallow(void)
{
	if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception))
		return -1;
	PyErr_Clear();
	return 1;
}

void value_missing(union taffrail_value *value, int type)
{
	if (type == TAFFRAIL_T_STRING)
		*value = taffrail_value_string("");
	else if (type & TAFFRAIL_T_SEQUENCE)
		*value = taffrail_value_array(NULL, 0);
	else
		value->u64_ = 0;
}

int value_type_of(PyObject *object)
{
	if (PyBool_Check(object))
		return TAFFRAIL_T_BOOL;
	if (PyLong_Check(object))
		return TAFFRAIL_T_S64;
	if (PyFloat_Check(object))
		return TAFFRAIL_T_F64;
	if (PyBytes_Check(object) || PyByteArray_Check(object) ||
	    PyMemoryView_Check(object))
		return TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_U8;
	return TAFFRAIL_T_STRING;
}

/* The limits of the integers, by their type. */
struct range {
	int64_t least;
	uint64_t most;
};

#define MOST(sort, bytes)						\
	(UINT64_MAX >> (64 - 8 * (bytes) + (SCALAR_##sort == SCALAR_SIGNED)))

static const struct range ranges[] = {
#define FIELD_SCALAR(name, number, sort, bytes, ...)			\
	[number] = { SCALAR_##sort != SCALAR_SIGNED ? 0 :		\
		     -1 - (int64_t)MOST(SIGNED, bytes), MOST(sort, bytes) },
#include "tracepoints/fields/fields.def"
};

/* An integer beyond a field's limits becomes the limit. */
static int from_long(union taffrail_value *value, int type, PyObject *number)
{
	const struct range *range = &ranges[type];
	int overflow;
	int64_t x = PyLong_AsLongLongAndOverflow(number, &overflow);

	value->i64_ = x;
	if (LIKELY(!overflow)) {
		if (x < range->least)
			value->i64_ = range->least;
		else if (x > 0 && (uint64_t)x > range->most)
			value->u64_ = range->most;
		return value->i64_ != x;
	}
	if (overflow < 0) {
		value->i64_ = range->least;
		return 1;
	}
	value->u64_ = range->most;
	if (range->most < UINT64_MAX)
		return 1;
	value->u64_ = PyLong_AsUnsignedLongLong(number);
	return PyErr_Occurred() ? exception_swallow() : 0;
}

/* A string as it is, which lives as long as the object. A text that has no
 * UTF-8, or a NUL, at which readers would stop, is in Python's notation:
 * \udc80, \x00. */
static int from_text(union taffrail_value *value, PyObject *text,
		     struct owned *owned)
{
	Py_ssize_t n = 0;
	const char *p = PyUnicode_AsUTF8AndSize(text, &n);
	PyObject *raw, *bytes;

	if (UNLIKELY(!p || memchr(p, 0, (size_t)n))) {
		if (!p)
			PyErr_Clear();
		raw = p ? PyBytes_FromStringAndSize(p, n) :
			  PyUnicode_AsEncodedString(text, "utf-8",
						    "backslashreplace");
		bytes = raw ? PyObject_CallMethod(raw, "replace", "y#y#", "", 1,
						  "\\x00", 4) : NULL;
		Py_XDECREF(raw);
		if (!owned_keep(owned, bytes)) {
			*value = taffrail_value_string("");
			return exception_swallow();
		}
		p = PyBytes_AsString(bytes);
	}
	*value = taffrail_value_string(p);
	return 0;
}

/* The str() of an object, or "<CLASS without text>" and 1 where __str__ has
 * raised an exception. */
static int from_any(union taffrail_value *value, PyObject *object,
		    struct owned *owned)
{
	PyObject *text;
	PyObject *type;
	int failed = 0;
	int ret;

	if (PyBytes_Check(object))
		text = PyUnicode_FromEncodedObject(object, "utf-8",
						   "backslashreplace");
	else
		text = PyObject_Str(object);
	*value = taffrail_value_string("");
	if (!text) {
		failed = exception_swallow();
		if (failed < 0)
			return failed;
		type = PyObject_GetAttrString((PyObject *)Py_TYPE(object),
					      "__name__");
		if (type)
			text = PyUnicode_FromFormat("<%U without text>", type);
		Py_XDECREF(type);
		if (!text)
			PyErr_Clear();
	}
	if (!owned_keep(owned, text))
		return exception_swallow();
	ret = from_text(value, text, owned);
	return ret ? ret : failed;
}

/* Returns the bytes that an object iterates over; NULL, perhaps without an
 * exception, when it has others or too many. */
static PyObject *bytes_of_items(PyObject *object, Py_ssize_t most)
{
	PyObject *iterator = PyObject_GetIter(object);
	unsigned char *p = iterator ? PyMem_Malloc((size_t)most + 1) : NULL;
	PyObject *bytes = NULL;
	Py_ssize_t n = 0;
	bool whole = false;

	while (p && n <= most) {
		PyObject *item = PyIter_Next(iterator);
		PyObject *number = item ? PyNumber_Index(item) : NULL;
		int overflow = 0;
		long x = number ? PyLong_AsLongAndOverflow(number, &overflow) :
				  -1;

		whole = !item && !PyErr_Occurred();
		Py_XDECREF(number);
		Py_XDECREF(item);
		if (overflow || x < 0 || x > UINT8_MAX)
			break;
		p[n++] = (unsigned char)x;
	}
	if (whole)
		bytes = PyBytes_FromStringAndSize((const char *)p, n);
	PyMem_Free(p);
	Py_XDECREF(iterator);
	return bytes;
}

/*
 * The bytes of an object: a string in UTF-8, a buffer as it is, or the numbers
 * that the object iterates over, but not of an iterator, which would be at its
 * end then, a file too. Returns 0, 1 where it has none or too many, or -1, as
 * value_from().
 */
static int from_bytes(union taffrail_value *value, PyObject *object,
		      struct owned *owned)
{
	char *p = NULL;
	Py_ssize_t n = 0;
	PyObject *bytes = NULL;
	PyObject *view, *number;
	size_t has;

	*value = taffrail_value_array(NULL, 0);
	if (PyBytes_Check(object)) {
		Py_INCREF(object);
		bytes = object;
	} else if (PyUnicode_Check(object)) {
		bytes = PyUnicode_AsEncodedString(object, "utf-8",
						  "backslashreplace");
	} else if (PyList_CheckExact(object) || PyTuple_CheckExact(object)) {
		n = PySequence_Size(object);
		if (n <= COPIED_MOST)
			bytes = bytes_of_items(object, n);
	} else if (!PyIter_Check(object)) {
		view = PyMemoryView_FromObject(object);
		if (!view) {
			PyErr_Clear();
			bytes = bytes_of_items(object, ITEMS_MOST);
			goto keep;
		}
		/* a view may be larger than the memory behind it, and than any
		 * memory */
		number = PyObject_GetAttrString(view, "nbytes");
		has = number ? PyLong_AsSize_t(number) : 0;
		Py_XDECREF(number);
		if (!PyErr_Occurred() && has <= COPIED_MOST)
			bytes = PyBytes_FromObject(view);
		Py_DECREF(view);
	}
keep:
	if (!owned_keep(owned, bytes) || PyBytes_AsStringAndSize(bytes, &p, &n))
		return exception_swallow();
	*value = taffrail_value_array(p, (size_t)n);
	return 0;
}

int value_from(union taffrail_value *value, int type, PyObject *object,
	       struct owned *owned)
{
	double x;

	PyObject *number;
	int truth, ret;

	if (type == TAFFRAIL_T_STRING) {
		if (LIKELY(Py_TYPE(object) == &PyUnicode_Type))
			return from_text(value, object, owned);
		return from_any(value, object, owned);
	}
	switch (scalar_sort((uint8_t)type)) {
	case SCALAR_NONE:
		return from_bytes(value, object, owned);
	case SCALAR_REAL:
		/* An integer beyond the range of a double becomes an
		 * infinity, and an object without __float__ the value NaN;
		 * both do not fit. */
		x = PyFloat_AsDouble(object);
		value->f64_ = x;
		if (x != -1.0 || !PyErr_Occurred())
			return 0;
		value->f64_ = NAN;
		if (PyLong_Check(object)) {
			PyObject *zero = PyLong_FromLong(0);

			PyErr_Clear();
			value->f64_ = HUGE_VAL;
			if (zero &&
			    PyObject_RichCompareBool(object, zero, Py_LT) == 1)
				value->f64_ = -HUGE_VAL;
			Py_XDECREF(zero);
		}
		return exception_swallow();
	case SCALAR_TRUTH:
		truth = PyObject_IsTrue(object);
		value->u64_ = truth > 0;
		return truth < 0 ? exception_swallow() : 0;
	default:
		if (LIKELY(PyLong_Check(object)))
			return from_long(value, type, object);
		/* A float loses the digits behind the point. Other classes give
		 * an integer by __index__, as numpy's do. */
		value->u64_ = 0;
		number = PyFloat_Check(object) ?
				 PyLong_FromDouble(PyFloat_AsDouble(object)) :
				 PyNumber_Index(object);
		if (!number)
			return exception_swallow();
		ret = from_long(value, type, number);
		Py_DECREF(number);
		return ret;
	}
}
