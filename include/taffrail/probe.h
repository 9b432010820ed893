/* SPDX-License-Identifier: MIT */
/*
 * Callbacks: functions of the program that are called when a marker is hit,
 * beside sessions and gdb. Link with libtaffrail-probe (pkg-config --libs
 * taffrail-probe); libtaffrail comes with it. docs/callbacks.md describes how
 * to use them, taffrail_probe_attach(3) each function.
 *
 *	static void reply(const struct taffrail_event *event, void *priv)
 *	{
 *		int64_t ms;
 *
 *		if (taffrail_field_i64(event, 0, &ms) && ms > 100)
 *			count_slow(priv, ms);
 *	}
 *
 *	ret = taffrail_probe_attach("app/reply", reply, &slow);
 *	if (ret < 0)
 *		fprintf(stderr, "%s\n", taffrail_probe_strerror(ret));
 *	...
 *	taffrail_probe_detach("app/reply", reply, &slow);
 */
#ifndef TAFFRAIL_PROBE_H
#define TAFFRAIL_PROBE_H

#pragma GCC system_header

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <taffrail/site.h>

/* The layout is the library's, even where a program uses #pragma pack. */
#pragma pack(push, 8)

#ifdef __cplusplus
extern "C" {
#endif

/* Where a field lies. `at_` is a byte of the event's fixed part, or the number
 * of a variable (an address, a string, an array). */
struct taffrail_place {
	uint8_t type_;		/* enum taffrail_type, as recorded */
	uint8_t kind_;		/* enum taffrail_place_kind */
	uint8_t bytes_;		/* of a number: 1, 2, 4 or 8 */
	uint8_t unused_;
	uint16_t at_;
	uint16_t bound_;	/* of a string: 0: a NUL ends it; 1: it has
				 * limit_ characters at most; 2: the int at byte
				 * limit_ of the fixed part says how many */
	int32_t limit_;
};

enum taffrail_place_kind {
	TAFFRAIL_PLACE_NONE_ = 0,
	TAFFRAIL_PLACE_SIGNED_,
	TAFFRAIL_PLACE_UNSIGNED_,
	TAFFRAIL_PLACE_POINTER_,
	TAFFRAIL_PLACE_FLOAT_,
	TAFFRAIL_PLACE_DOUBLE_,
	TAFFRAIL_PLACE_ADDRESS_,	/* a variable's: %p of a string */
	TAFFRAIL_PLACE_STRING_,
	TAFFRAIL_PLACE_ARRAY_
};

/* A marker, as callbacks see it. It stays where it is while the module is
 * loaded, so the address tells markers apart. */
struct taffrail_marker {
	const char *channel_;
	const char *name_;
	const char *const *names_;	/* of the fields */
	const char *format_;		/* or the text of the arguments */
	const char *file_;
	uint32_t line_;
	uint32_t nfields_;
	struct taffrail_place places_[TAFFRAIL_FIELDS_MAX];
};

/* A hit of a marker. It is valid until the callback returns. */
struct taffrail_event {
	const struct taffrail_marker *marker_;
	const unsigned char *fixed_;
	const struct taffrail_var *var_;
	uint64_t time_;			/* 0: not read yet */
};

/*
 * A callback. `priv` is the value that was passed when it was attached.
 *
 * It runs in the thread that hit the marker, before the program goes on, and
 * may do anything that a function can do there: block, lock, allocate, fork,
 * leave by pthread_exit(), cancellation or (sig)longjmp(). errno is saved round
 * it. It must not throw a C++ exception. A marker that a callback hits calls no
 * callback; such hits are counted.
 */
typedef void taffrail_callback(const struct taffrail_event *event_,
			       void *priv_);

/* Flags of taffrail_probe_attach_with(). */
enum taffrail_probe_flags {
	/* The callback is async-signal-safe. Without this flag it is not
	 * called for hits in signal handlers; these are counted. */
	TAFFRAIL_PROBE_SIGNAL = 1,
	/* The library that has the callback may be unloaded: it detaches the
	 * callback before (in a destructor). Without this flag dlclose()
	 * leaves the library in memory while the callback is attached. */
	TAFFRAIL_PROBE_UNPINNED = 2,
};

/*
 * Attaches a callback to the markers that a rule names: "app/reply", a glob
 * ("app/" and a star), either followed by a condition ("app/reply if ms >
 * 10"), as taffrail-rule(7) describes. Markers of libraries that are loaded
 * later are included. Every hit after the return calls the callback.
 *
 * Callbacks of a marker are called in the order of their priorities, the
 * highest first; of equal ones, the one that was attached first.
 * taffrail_probe_attach() has priority 0 and no flags. The same callback with
 * another rule or `priv` is another attachment.
 *
 * Returns the number of markers that call it now (0: none is loaded yet, or
 * none has the fields of the condition); or -EINVAL: the rule cannot be parsed,
 * the callback is NULL, a flag is unknown; -EEXIST: attached already; -ENOSPC:
 * 64 different globs are attached; -EUSERS: sessions use all eight places of
 * the process; -ENOMEM; -ENODEV: the agent does not work in this process
 * (taffrail_probe_unavailable() says why); -EDEADLK: called in a read-side
 * critical section of liburcu-bp; -EPERM: the process may not make threads any
 * more. errno stays.
 *
 * Any thread, also in a callback, a constructor or a destructor. Not in a
 * signal handler.
 */
int taffrail_probe_attach(const char *rule_, taffrail_callback *callback_,
			  void *priv_);
int taffrail_probe_attach_with(const char *rule_, taffrail_callback *callback_,
			       void *priv_, int priority_, unsigned int flags_);

/*
 * Detaches a callback that was attached with the same arguments: no hit calls
 * it any more. Waits until no other thread is in it, 5 seconds at most, or
 * `milliseconds_`. When it returns 0, `priv` may be freed. A callback may
 * detach itself; then only the calling thread is still in it.
 *
 * Returns 0; -ENOENT: it is not attached; -ETIMEDOUT: a thread is still in it,
 * `thread_` (unless NULL) has the id of one, and `priv` must stay: the callback
 * is detached, and the same call again waits again; -EDEADLK, -ENODEV as above:
 * nothing has changed.
 *
 * Any thread, also in a callback, a constructor or a destructor. Not in a
 * signal handler. Two callbacks that detach each other wait in vain, and so
 * does a caller that holds a lock which the callback waits for.
 */
int taffrail_probe_detach(const char *rule_, taffrail_callback *callback_,
			  void *priv_);
int taffrail_probe_detach_within(const char *rule_,
				 taffrail_callback *callback_, void *priv_,
				 unsigned int milliseconds_, int *thread_);

/*
 * Stores for how many hits the callback was not called: because the thread was
 * in a callback, and because it was in a signal handler. Either pointer may be
 * NULL. Returns 0, or -ENOENT: it is not attached. Any thread; not in a signal
 * handler.
 */
int taffrail_probe_missed(const char *rule_, taffrail_callback *callback_,
			  void *priv_, uint64_t *nested_,
			  uint64_t *in_handler_);

/* Returns why the agent does not work in this process; NULL: it does. */
const char *taffrail_probe_unavailable(void);

/* Returns the text of an error that one of these functions has returned. */
const char *taffrail_probe_strerror(int error_);

/*
 * The values of an event. For use in a callback; async-signal-safe.
 */

/* When the marker was hit, on the clock of <taffrail/clock.h>: read at the
 * first call for the event, and the same for all callbacks of the event. */
uint64_t taffrail_event_time(const struct taffrail_event *event_);

TAFFRAIL_STATIC_ inline const char *
taffrail_event_channel(const struct taffrail_event *event_)
{
	return event_->marker_->channel_;
}

TAFFRAIL_STATIC_ inline const char *
taffrail_event_name(const struct taffrail_event *event_)
{
	return event_->marker_->name_;
}

/* The marker that was hit: the same address for each hit of the marker. */
TAFFRAIL_STATIC_ inline const struct taffrail_marker *
taffrail_event_marker(const struct taffrail_event *event_)
{
	return event_->marker_;
}

TAFFRAIL_STATIC_ inline int
taffrail_event_fields(const struct taffrail_event *event_)
{
	return (int)event_->marker_->nfields_;
}

/* Returns the number of the field with that name, or -1. Takes some ns a field:
 * keep the number with the marker's address. */
TAFFRAIL_STATIC_ inline int
taffrail_field(const struct taffrail_event *event_, const char *name_)
{
	uint32_t i_;

	for (i_ = 0; i_ < event_->marker_->nfields_; i_++)
		if (!strcmp(event_->marker_->names_[i_], name_))
			return (int)i_;
	return -1;
}

TAFFRAIL_STATIC_ inline const char *
taffrail_field_name(const struct taffrail_event *event_, int field_)
{
	return field_ >= 0 && (uint32_t)field_ < event_->marker_->nfields_ ?
		       event_->marker_->names_[field_] : (const char *)0;
}

/* Returns an enum taffrail_type; 0 when there is no such field. */
TAFFRAIL_STATIC_ inline int
taffrail_field_type(const struct taffrail_event *event_, int field_)
{
	return field_ >= 0 && (uint32_t)field_ < event_->marker_->nfields_ ?
		       event_->marker_->places_[field_].type_ : 0;
}

/*
 * The value of a field. Each returns 1 and stores the value; or 0, and stores
 * nothing: there is no such field, it has another type, or the value does not
 * fit. Only numbers are copied.
 */

/* Any integer or boolean from INT64_MIN to INT64_MAX. */
TAFFRAIL_STATIC_ inline int
taffrail_field_i64(const struct taffrail_event *event_, int field_,
		   int64_t *value_);
/* Any integer or boolean from 0 to UINT64_MAX, a pointer, a string that is
 * recorded as an address (%p). */
TAFFRAIL_STATIC_ inline int
taffrail_field_u64(const struct taffrail_event *event_, int field_,
		   uint64_t *value_);
/* A float, a double, any integer or boolean. */
TAFFRAIL_STATIC_ inline int
taffrail_field_double(const struct taffrail_event *event_, int field_,
		      double *value_);
/* A string, and how many characters it has (unless length_ is NULL). It ends
 * with NUL unless the conversion has a precision (%.8s, %.*s). */
int taffrail_field_string(const struct taffrail_event *event_, int field_,
			  const char **string_, size_t *length_);
/* The elements of an array, and how many bytes they have. */
int taffrail_field_bytes(const struct taffrail_event *event_, int field_,
			 const void **bytes_, size_t *length_);
/* The name of an integer's value: that of TAFFRAIL_ENUM or TAFFRAIL_ENUM_NAMES,
 * "false" or "true" of TAFFRAIL_BOOL, "ENOENT" or "-ENOENT" of TAFFRAIL_ERRNO.
 * It is the marker's or the library's own memory and has `length_` characters,
 * and no NUL behind them. */
int taffrail_field_name_of_value(const struct taffrail_event *event_,
				 int field_, const char **name_,
				 size_t *length_);

TAFFRAIL_STATIC_ inline uint8_t
taffrail_field_kind_(const struct taffrail_event *event_, int field_)
{
	return field_ >= 0 && (uint32_t)field_ < event_->marker_->nfields_ ?
		       event_->marker_->places_[field_].kind_ : 0;
}

/* Returns the bits of a number. A load is as wide as the program's store was: a
 * wider one would wait until the store is in the cache. */
TAFFRAIL_STATIC_ inline uint64_t
taffrail_field_unsigned_(const struct taffrail_event *event_, int field_)
{
	const struct taffrail_place *place_ =
		&event_->marker_->places_[field_];
	const unsigned char *from_ = event_->fixed_ + place_->at_;
	uint64_t u64_;
	uint32_t u32_;
	uint16_t u16_;

	switch (place_->bytes_) {
	case 8:
		memcpy(&u64_, from_, sizeof(u64_));
		return u64_;
	case 4:
		memcpy(&u32_, from_, sizeof(u32_));
		return u32_;
	case 2:
		memcpy(&u16_, from_, sizeof(u16_));
		return u16_;
	default:
		return *from_;
	}
}

TAFFRAIL_STATIC_ inline int64_t
taffrail_field_signed_(const struct taffrail_event *event_, int field_)
{
	int unused_ = 64 - 8 * event_->marker_->places_[field_].bytes_;

	return (int64_t)(taffrail_field_unsigned_(event_, field_)
			 << unused_) >> unused_;
}

TAFFRAIL_STATIC_ inline int
taffrail_field_i64(const struct taffrail_event *event_, int field_,
		   int64_t *value_)
{
	uint8_t kind_ = taffrail_field_kind_(event_, field_);
	int64_t number_;

	if (kind_ == TAFFRAIL_PLACE_SIGNED_) {
		*value_ = taffrail_field_signed_(event_, field_);
		return 1;
	}
	if (kind_ != TAFFRAIL_PLACE_UNSIGNED_)
		return 0;
	number_ = (int64_t)taffrail_field_unsigned_(event_, field_);
	if (number_ < 0)
		return 0;
	*value_ = number_;
	return 1;
}

TAFFRAIL_STATIC_ inline int
taffrail_field_u64(const struct taffrail_event *event_, int field_,
		   uint64_t *value_)
{
	uint8_t kind_ = taffrail_field_kind_(event_, field_);
	int64_t number_;

	if (kind_ == TAFFRAIL_PLACE_UNSIGNED_ ||
	    kind_ == TAFFRAIL_PLACE_POINTER_) {
		*value_ = taffrail_field_unsigned_(event_, field_);
		return 1;
	}
	if (kind_ == TAFFRAIL_PLACE_ADDRESS_) {
		*value_ = (uint64_t)(uintptr_t)
			event_->var_[event_->marker_->places_[field_].at_].p_;
		return 1;
	}
	if (kind_ != TAFFRAIL_PLACE_SIGNED_)
		return 0;
	number_ = taffrail_field_signed_(event_, field_);
	if (number_ < 0)
		return 0;
	*value_ = (uint64_t)number_;
	return 1;
}

TAFFRAIL_STATIC_ inline int
taffrail_field_double(const struct taffrail_event *event_, int field_,
		      double *value_)
{
	uint8_t kind_ = taffrail_field_kind_(event_, field_);
	uint64_t word_;
	uint32_t half_;
	float float_;

	if (kind_ == TAFFRAIL_PLACE_DOUBLE_) {
		word_ = taffrail_field_unsigned_(event_, field_);
		memcpy(value_, &word_, sizeof(*value_));
	} else if (kind_ == TAFFRAIL_PLACE_FLOAT_) {
		half_ = (uint32_t)taffrail_field_unsigned_(event_, field_);
		memcpy(&float_, &half_, sizeof(float_));
		*value_ = (double)float_;
	} else if (kind_ == TAFFRAIL_PLACE_SIGNED_) {
		*value_ = (double)taffrail_field_signed_(event_, field_);
	} else if (kind_ == TAFFRAIL_PLACE_UNSIGNED_) {
		*value_ = (double)taffrail_field_unsigned_(event_, field_);
	} else {
		return 0;
	}
	return 1;
}

#ifdef __cplusplus
}
#endif

#pragma pack(pop)

#endif
