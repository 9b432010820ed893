/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LTTng-UST's binary interface of liblttng-ust.so.1, between a provider of
 * events, a call site and a tracer: series 2.13 to 2.16, x86-64. Declarations
 * of our own, made from the documented interface; the test
 * unit/tracepoints/ust compares them with the installed headers.
 *
 * A later series may add members behind those that are here, so `bytes`, the
 * first word of a structure (the second of a type), may be larger than the
 * structure is here. A smaller one is not of this interface.
 */
#ifndef TRACEPOINTS_LTTNG_UST_H
#define TRACEPOINTS_LTTNG_UST_H

#include <stdint.h>

#define UST_LIBRARY		"liblttng-ust.so.1"
#define UST_TRACEPOINT_LIBRARY	"liblttng-ust-tracepoint.so.1"
#define UST_COMMON_LIBRARY	"liblttng-ust-common.so.1"

/* Of a provider's description. 2.13 to 2.15 have 3, 2.16 has 4; a change that
 * is not by size fields would raise it. */
#define UST_MAJOR_LEAST		3
#define UST_MAJOR_MOST		4

enum ust_kind {
	UST_INTEGER = 0, UST_STRING, UST_FLOAT, UST_DYNAMIC, UST_ENUM,
	UST_ARRAY, UST_SEQUENCE, UST_STRUCT,
	UST_BLOB,		/* of a fixed length; since 2.16 */
	UST_BLOB_SEQUENCE,
};

enum ust_encoding { UST_ENCODING_NONE = 0, UST_UTF8 = 1, UST_ASCII = 2 };

/* All types begin so. */
struct ust_type {
	int32_t kind;		/* enum ust_kind */
	uint32_t bytes;
};

struct ust_integer {
	int32_t kind;
	uint32_t bytes;
	uint32_t bits;
	uint16_t align;
	uint16_t is_signed : 1;
	uint16_t swapped : 1;	/* not in the byte order of the machine */
	uint32_t base;		/* to show it in */
};

struct ust_float {
	int32_t kind;
	uint32_t bytes;
	uint32_t exponent_bits;
	uint32_t mantissa_bits;
	uint16_t align;
	uint16_t swapped : 1;
};

struct ust_string {
	int32_t kind;
	uint32_t bytes;
	int32_t encoding;
};

struct ust_provider;

struct ust_enum_value {
	uint64_t value;
	uint32_t is_signed : 1;
};

#define UST_ENTRY_AUTOMATIC	1	/* in `options` */

struct ust_enum_entry {
	uint32_t bytes;
	struct ust_enum_value from;	/* both are part of the range */
	struct ust_enum_value to;
	const char *label;
	uint32_t options;
};

struct ust_enum_names {
	uint32_t bytes;
	const char *name;
	const struct ust_enum_entry *const *entries;
	uint32_t n;
	const struct ust_provider *provider;
};

struct ust_enum {
	int32_t kind;
	uint32_t bytes;
	const struct ust_enum_names *names;
	const struct ust_integer *container;
};

struct ust_array {
	int32_t kind;
	uint32_t bytes;
	const struct ust_integer *element;
	uint32_t n;
	uint32_t align;
	int32_t encoding;
};

struct ust_sequence {
	int32_t kind;
	uint32_t bytes;
	const char *length_name;	/* NULL: the field before it */
	const struct ust_integer *element;
	uint32_t align;
	int32_t encoding;
};

struct ust_blob {
	int32_t kind;
	uint32_t bytes;
	uint64_t n;
	const char *media_type;
};

struct ust_blob_sequence {
	int32_t kind;
	uint32_t bytes;
	const char *length_name;
	const char *media_type;
};

struct ust_field {
	uint32_t bytes;
	const char *name;
	const struct ust_type *type;
	uint32_t nowrite : 1;		/* for filters alone */
	uint32_t nofilter : 1;		/* not for filters: not on the stack */
};

struct ust_class {
	uint32_t bytes;
	const struct ust_field *const *fields;
	uint64_t n;
	void (*probe)(void);		/* a call site calls it */
	const char *signature;
	const struct ust_provider *provider;
};

struct ust_event {
	uint32_t bytes;
	const char *name;
	const struct ust_provider *provider;
	const struct ust_class *class;
	const int **level;		/* weak: NULL, or leads to NULL */
	const char **uri;
};

struct ust_provider {
	uint32_t bytes;
	const char *name;
	const struct ust_event *const *events;
	uint32_t n;
	uint32_t major;
	uint32_t minor;
};

/* A call site. */
struct ust_tracepoint {
	uint32_t bytes;
	const char *provider;
	const char *event;
	int32_t state;			/* it is on */
	const void *probes;		/* functions and their data, up to one
					 * without a function */
	const int32_t *reference;
	const char *signature;
};

/* A tracer gives this to a call site, and an event's probe function reads it: a
 * probe with a notifier lays out all fields on its stack and calls send(). */
#define UST_NOTIFIER	1

struct ust_probe {
	uint32_t bytes;
	void *ip;			/* in the code of the call site */
};

struct ust_hit {
	uint32_t bytes;
	void *priv;
	int32_t kind;			/* UST_NOTIFIER */
	void *child;			/* its struct ust_notifier */
	int32_t enabled;
	int32_t eval_filter;
	int (*filter)(const struct ust_hit *hit, const char *stack,
		      struct ust_probe *probe, void *context);
};

struct ust_notifier;

typedef void ust_send(const struct ust_notifier *notifier, const char *stack,
		      struct ust_probe *probe, void *context);

struct ust_notifier {
	uint32_t bytes;
	struct ust_hit *parent;
	void *priv;
	int32_t eval_capture;		/* the fields are laid out */
	ust_send *send;
};

#endif
