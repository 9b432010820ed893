/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LTTng-UST's binary interface of liblttng-ust.so.0, series 2.7 to 2.12,
 * x86-64. Declarations of our own, made from the documented interface. There
 * are no size fields: structures have padding, and are the same in all these
 * series.
 */
#ifndef TRACEPOINTS_LTTNG_OLDER_H
#define TRACEPOINTS_LTTNG_OLDER_H

#include <stddef.h>

#include "tracepoints/lttng/ust.h"

#define OLDER_LIBRARY		"liblttng-ust.so.0"
#define OLDER_TRACEPOINT_LIBRARY "liblttng-ust-tracepoint.so.0"

enum older_kind {
	OLDER_INTEGER = 0, OLDER_ENUM, OLDER_ARRAY, OLDER_SEQUENCE,
	OLDER_STRING, OLDER_FLOAT,
};

struct older_integer {
	uint32_t bits;
	uint16_t align;
	uint16_t is_signed : 1;
	uint16_t swapped : 1;
	uint32_t base;
	int32_t encoding;
	char padding[24];
};

struct older_float {
	uint32_t exponent_bits;
	uint32_t mantissa_bits;
	uint16_t align;
	uint16_t swapped : 1;
};

/* Since 2.8. */
struct older_enum_entry {
	struct ust_enum_value from;
	struct ust_enum_value to;
	const char *label;
	uint32_t options;		/* since 2.9 */
	char padding[12];
};

struct older_enum_names {
	const char *name;
	const struct older_enum_entry *entries;
	uint32_t n;
};

struct older_basic {
	int32_t kind;			/* enum older_kind */
	union {
		struct older_integer integer;
		struct {
			const struct older_enum_names *names;
			struct older_integer container;
		} enumeration;
		struct older_float real;
		int32_t encoding;	/* of a string */
		char padding[128];
	};
};

struct older_field {
	const char *name;
	int32_t kind;
	union {
		char basic[sizeof(struct older_basic) - 8];
		struct {
			struct older_basic element;
			uint32_t n;
		} array;
		struct {
			struct older_basic length;
			struct older_basic element;
		} sequence;
	};
	uint32_t nowrite;
	char padding[28];
};

struct older_event {
	const char *name;		/* "PROVIDER:EVENT" */
	void (*probe)(void);
	const void *context;
	const struct older_field *fields;
	uint32_t n;
	const int **level;
	const char *signature;
	const char **uri;
	char padding[32];
};

struct older_provider {
	const char *name;
	const struct older_event *const *events;
	uint32_t n;
	void *lists[4];			/* LTTng's */
	int32_t lazy;
	uint32_t major;
	uint32_t minor;
};

#define OLDER_MAJOR	1

/* A call site. */
struct older_tracepoint {
	const char *name;		/* "PROVIDER:EVENT" */
	int32_t state;			/* it is on */
	const void *probes;
	const int32_t *reference;
	const char *signature;
	char padding[16];
};

/* A call site's probe function gets and reads these. It calls the functions of
 * the list of filters with all fields laid out, as a notifier gets them, and
 * returns if none of them lets the event be recorded. */
struct older_session {
	int32_t active;
};

struct older_channel {
	void *channel;
	int32_t enabled;
	void *context;
	const struct older_session *session;
};

struct older_list {
	struct older_list *next, *before;
};

struct older_filter {
	void *bytecode;
	uint64_t (*call)(void *filter, const char *stack);
	int32_t failed;
	struct older_list list;
};

struct older_hit {
	uint32_t id;
	const struct older_channel *channel;
	int32_t enabled;
	void *others[10];
	struct older_list filters;
	int32_t unfiltered;		/* recorded whatever filters say */
	void *more[6];
};

_Static_assert(sizeof(struct older_integer) == 40 &&
	       sizeof(struct older_basic) == 136 &&
	       sizeof(struct older_enum_entry) == 56 &&
	       offsetof(struct older_field, array) == 16 &&
	       sizeof(struct older_field) == 320 &&
	       offsetof(struct older_field, nowrite) == 288 &&
	       sizeof(struct older_event) == 96 &&
	       offsetof(struct older_provider, major) == 60 &&
	       sizeof(struct older_tracepoint) == 56, "descriptions");
_Static_assert(offsetof(struct older_channel, enabled) == 8 &&
	       offsetof(struct older_channel, session) == 24 &&
	       offsetof(struct older_filter, call) == 8 &&
	       offsetof(struct older_filter, list) == 24 &&
	       offsetof(struct older_hit, channel) == 8 &&
	       offsetof(struct older_hit, enabled) == 16 &&
	       offsetof(struct older_hit, filters) == 104 &&
	       offsetof(struct older_hit, unfiltered) == 120, "hits");

/* Returns the bytes that older_translate() needs for an event; 0: there are too
 * many fields or names. */
size_t older_bytes(const struct older_event *event);

/*
 * Makes a description of liblttng-ust.so.1 in memory of older_bytes(), which is
 * zeroed and aligned to 8. The names are the event's. The provider has the name
 * that the event's begins with. Pure; follows the description's pointers.
 */
const struct ust_event *older_translate(void *room,
					const struct older_event *event,
					const struct ust_provider *provider);

#endif
