/* SPDX-License-Identifier: MIT */
/*
 * Markers that are declared while the program runs: for interpreters and for
 * bindings of other languages. Needs the agent (libtaffrail) at link time, or
 * found by dlsym().
 *
 *	static const struct taffrail_event_field fields[] = {
 *		{ "status", TAFFRAIL_T_S32 },
 *		{ "url", TAFFRAIL_T_STRING },
 *	};
 *	struct taffrail_declared *reply =
 *		taffrail_event_declare("app", "reply", fields, 2);
 *
 *	if (taffrail_event_enabled(reply)) {
 *		union taffrail_value values[2];
 *
 *		values[0] = taffrail_value_i64(200);
 *		values[1] = taffrail_value_string(url);
 *		taffrail_event_write(reply, values);
 *	}
 *
 * taffrail_event_declare(3) describes each function.
 */
#ifndef TAFFRAIL_EVENT_H
#define TAFFRAIL_EVENT_H

#pragma GCC system_header

#include <stddef.h>
#include <stdint.h>

#include <taffrail/site.h>

/* The layout is the library's, even where a program uses #pragma pack. */
#pragma pack(push, 8)

#ifdef __cplusplus
extern "C" {
#endif

/* A field: the name, a C identifier, and an enum taffrail_type. The type of an
 * array is TAFFRAIL_T_SEQUENCE | the type of the elements. */
struct taffrail_event_field {
	const char *name_;
	int type_;
} __attribute__((__aligned__(8)));

/* A declared marker. */
struct taffrail_declared;

/* The value of a field. Small integers are taken from the low bytes of `u64_`,
 * floats and doubles from `f64_`; `p_` of a string may be NULL. */
union taffrail_value {
	uint64_t u64_;
	int64_t i64_;
	double f64_;
	struct taffrail_var var_;
};

/*
 * Declares a marker of n fields, 16 at most. Sessions, gdb and callbacks find
 * it like any other marker, by the id "channel/name". Everything that the
 * arguments point to is copied. Declaring the same again returns the same
 * marker.
 *
 * Returns NULL on failure, with errno EINVAL: a name is empty or too long (id:
 * 127 characters, field: 63), the name of a field is no identifier, or a type
 * is unknown; ENOMEM; ENODEV: the agent does not work in this process. The
 * other functions take NULL for a marker that is off.
 *
 * Any thread; not in a signal handler.
 */
struct taffrail_declared *
taffrail_event_declare(const char *channel_, const char *name_,
		       const struct taffrail_event_field *fields_,
		       unsigned int n_);

/*
 * The same with a level and a message for readers; each may be NULL. The level
 * is a name of TAFFRAIL_LEVEL, "warning"; in the message, {NAME} stands for the
 * value of a field and {{ for a brace. EINVAL also: the level is unknown, or
 * the message is too long (1,000 characters; a quotation mark and a backslash
 * count two) or has a control character.
 */
struct taffrail_declared *
taffrail_event_declare_with(const char *channel_, const char *name_,
			    const struct taffrail_event_field *fields_,
			    unsigned int n_, const char *level_,
			    const char *message_);

/* Forgets a marker: until it is declared again, it is off and no list shows it.
 * Events that were written stay. The marker's memory is kept for the next
 * declaration. Any thread; not in a signal handler. */
void taffrail_event_undeclare(struct taffrail_declared *event_);

/* Returns 1 when a session, gdb or a callback wants events of the marker. One
 * load; any thread, any signal handler. */
TAFFRAIL_STATIC_ inline int
taffrail_event_enabled(const struct taffrail_declared *event_)
{
	return event_ && ((const struct taffrail_site *)event_)->enabled_;
}

/*
 * Writes an event: one value a field, in their order. Does nothing while the
 * marker is off. Any thread, any signal handler; makes no system call; errno
 * stays.
 */
void taffrail_event_write(struct taffrail_declared *event_,
			  const union taffrail_value *values_);

TAFFRAIL_STATIC_ inline union taffrail_value
taffrail_value_i64(int64_t number_)
{
	union taffrail_value value_;

	value_.i64_ = number_;
	return value_;
}

TAFFRAIL_STATIC_ inline union taffrail_value
taffrail_value_u64(uint64_t number_)
{
	union taffrail_value value_;

	value_.u64_ = number_;
	return value_;
}

TAFFRAIL_STATIC_ inline union taffrail_value
taffrail_value_double(double number_)
{
	union taffrail_value value_;

	value_.f64_ = number_;
	return value_;
}

TAFFRAIL_STATIC_ inline union taffrail_value
taffrail_value_string(const char *string_)
{
	union taffrail_value value_;

	value_.var_.p_ = string_;
	value_.var_.n_ = TAFFRAIL_VAR_STRING;
	return value_;
}

/* n elements at p; none if p is NULL. */
TAFFRAIL_STATIC_ inline union taffrail_value
taffrail_value_array(const void *p_, size_t n_)
{
	union taffrail_value value_;

	value_.var_.p_ = p_;
	value_.var_.n_ = p_ ? n_ : 0;
	return value_;
}

#ifdef __cplusplus
}
#endif

#pragma pack(pop)

#endif
