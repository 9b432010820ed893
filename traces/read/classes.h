/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The description of a trace's events by the metadata: their names, and the
 * types of their fields ("field classes" in the CTF specification 1.8.3).
 *
 * In memory an event's contexts and fields are packed bytes of the host's
 * order, one field after the other without padding; only elements may have
 * another order. Events of every source have this form:
 *
 *	FIELD_INTEGER, FIELD_REAL, FIELD_ENUM	`bytes` bytes
 *	FIELD_STRING	bytes and a NUL
 *	FIELD_TEXT	`count` bytes, a text that ends at its first NUL
 *	FIELD_ARRAY	`count` elements, of members[0]
 *	FIELD_SEQUENCE	elements of members[0]; the field before it, which is a
 *			u32, says how many
 *	FIELD_STRUCT	the members
 *	FIELD_LIST	a u32, which says how many, and elements of members[0]
 *	FIELD_VARIANT	a u32, the index of a member, and that member
 *
 * If a FIELD_VARIANT or FIELD_TEXT is `counted`, a u32 directly before it says
 * how many bytes it has; the index of a variant is the u32 before that one.
 *
 * Invariant: names and labels come from a file and can be anything but NUL.
 */
#ifndef TRACES_READ_CLASSES_H
#define TRACES_READ_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/metadata.h"
#include "traces/gaps/gaps.h"

/* The form of a field in memory. Numbers come first: code compares with
 * FIELD_ENUM, and FIELD_ARRAY is the first that has members. */
enum field_kind {
	FIELD_INTEGER, FIELD_REAL, FIELD_ENUM, FIELD_STRING, FIELD_TEXT,
	FIELD_ARRAY, FIELD_SEQUENCE, FIELD_STRUCT, FIELD_LIST, FIELD_VARIANT,
};

/* A name for the values `from` to `to`; compare them signed in a class that is
 * signed. */
struct field_label {
	const char *name;
	uint64_t from;
	uint64_t to;
};

/* The type of a field. It never changes once an event of it was read, but for
 * the order of labels. */
struct field_class {
	enum field_kind kind;
	uint8_t bytes;			/* of a number: 1, 2, 4, 8 */
	bool is_signed;
	uint8_t base;			/* to show it in: 2, 8, 10, 16 */
	uint8_t bits;			/* in the trace; 0: all of `bytes` */
	bool swapped;			/* of elements that are integers: not
					 * in the host's order */
	uint8_t unit;			/* TAFFRAIL_HOW_DURATION_NS and such,
					 * of an integer; or 0 */
	bool is_length;			/* of the sequence that follows */
	bool counted;			/* of so many bytes as is said before */
	const char *name;		/* as readers show it; of an option, the
					 * label; of elements, NULL */
	uint64_t count;
	const struct field_class *members;
	size_t nmembers;
	const struct field_label *labels;
	size_t nlabels;
	bool ordered;			/* the labels stand in the order of
					 * their values; none has two */
};

/* Brings the labels of a new class in order, if no value has two of them. */
void field_labels_order(struct field_class *class, struct field_label *labels);

/* Returns the label of a value that stands first behind `last` and has another
 * name, or first of all (NULL); or NULL: there is none. */
const struct field_label *field_label_next(const struct field_class *class,
					   const struct field_label *last,
					   uint64_t value);

struct trace_schema;
struct trace_schemas;

/* The type of an event. `verdict` and `priv` are filled in when the first event
 * is met; they are of one reader. */
struct event_class {
	struct event_class *next;	/* while metadata is parsed */
	uint64_t code;			/* in the events' headers */
	const char *name;		/* "CHANNEL:NAME"; of functions of C++
					 * the name in the source */
	const char *id;			/* "CHANNEL/NAME", as rules have it, and
					 * of a function the symbol */
	const char *place;		/* of a function: "MODULE+0xADDRESS", or
					 * "MODULE/FILE+0xADDRESS"; or NULL */
	const char *modules;		/* each name of the module, if rules
					 * know it by several; or NULL */
	uint32_t term;			/* of a function: TERM_NONE, or which
					 * entries and returns may belong
					 * together */
	bool some;			/* a condition chooses among the returns
					 * of the term */
	const char *ended;		/* of no event, but of terms that have
					 * ended: "PROCESS:CLOCK:ID,ID..." as
					 * buffers/layout.h has it; or NULL */
	const struct field_class *specific;	/* another context, or NULL */
	const struct field_class *fields;	/* a FIELD_STRUCT */
	int level;			/* shown.h, or LEVEL_NONE */
	const char *message;		/* for people; or NULL */
	const char *format;		/* printf's, of a mark; or NULL */
	bool bare;			/* the trace has no `fields` for it */
	bool shared;			/* by the traces of a schema */
	bool fixed;			/* the fields have always `bytes` */
	uint32_t bytes;
	const uint16_t *steps;		/* struct event_shape; or NULL */
	uint32_t number;		/* of the class, in the trace */
	struct where_verdict *verdict;	/* of where.c, or NULL */
	void *priv;			/* of the reader's caller */
};

/* Return how long the module is in a function's place, and how long it is with
 * the file: up to the address. */
size_t place_module_bytes(const char *place);
size_t place_file_bytes(const char *place);

struct trace_class;

/* A process of a trace that several share. */
struct trace_member {
	uint32_t number;		/* as writer records have it */
	uint32_t pid;
	uint64_t starttime;
	char name[MEMBER_NAME_BYTES];	/* may lack a NUL */
	struct trace_class *trace;	/* as readers see it; NULL: not yet */
};

/* One trace: the common part of all streams. A trace of another tracer is one
 * for each class of its streams. A trace of which processes share the streams
 * is one for each process, and one that has the streams: the carrier. */
struct trace_class {
	size_t number;			/* of the trace, in the reader */
	const char *path;		/* of the directory, as given */
	const char *hostname;		/* of the environment; or "" */
	const char *procname;
	const char *domain;
	const char *session;
	int64_t vpid;			/* -1 if not there */
	uint64_t starttime;
	uint8_t uuid[16];
	struct metadata_clock clock;
	uint64_t read;			/* events of finished packets */
	struct gaps gaps;		/* of the streams, as far as they were
					 * read */
	bool in_rings;			/* `path` is no directory */
	bool foreign;			/* another tracer wrote it */
	bool no_clock;			/* all events have the time 0 */
	bool no_cpu;			/* all events have the cpu 0 */
	const char *prefix;		/* of the events' text; NULL: hostname,
					 * procname and vpid make it */
	const struct field_class *packet;	/* of packets, or NULL */
	const struct field_class *context;	/* FIELD_STRUCT or NULL */
	bool context_fixed;
	uint32_t context_bytes;
	enum cursor_kind kind;		/* of the events' headers */
	bool writers;			/* events of WRITER_ID are records, and
					 * make `context` (reader.c) */
	bool shared;			/* a carrier: records tell the process,
					 * and so event->trace, of an event */
	struct trace_member *members;	/* these, in the order of numbers */
	size_t nmembers;
	int64_t members_read;		/* bytes of METADATA_MEMBERS */
	const struct trace_class *carrier;	/* of a process that shares one;
						 * or NULL */
	struct event_class **events;	/* by code, NULL where there is none */
	size_t nevents;			/* of events[] */
	uint32_t nclasses;		/* events that are not NULL */
	struct trace_schema *schema;	/* shared with other traces, or NULL */
	struct class_memory *memory;
};

/* Returns where events of a trace are missing. */
static inline const struct gaps *trace_gaps(const struct trace_class *trace)
{
	return trace->carrier ? &trace->carrier->gaps : &trace->gaps;
}

/* Memory that lives as long as the trace, or a schema: class_memory_take()
 * returns zeroed bytes, class_memory_text() a copy, or NULL; class_memory_id()
 * a copy of an event's "CHANNEL:NAME" as rules have it, "CHANNEL/NAME";
 * class_memory_join() moves all of another trace's. */
void *class_memory_take(struct class_memory **memory, size_t bytes);
const char *class_memory_text(struct class_memory **memory, const char *text);
const char *class_memory_id(struct class_memory **memory, const char *name);
void class_memory_join(struct class_memory **to, struct class_memory **from);
void class_memory_free(struct class_memory *memory);

/*
 * Reads TSDL, the text of metadata. Returns 0; -ENOTSUP: the text is valid so
 * far, and describes types that Taffrail does not write; -EBADMSG: line *line
 * makes no sense; -ENOMEM. The caller gives a zeroed trace, and calls
 * trace_class_free() in any case. Descriptions in the same words as those of
 * another trace of `schemas` are taken from there; NULL: the trace shares
 * nothing.
 */
int trace_class_parse(struct trace_class *trace, struct trace_schemas *schemas,
		      const char *text, unsigned int *line);
void trace_class_free(struct trace_class *trace);

/* Returns the process with a number, which is added if it is new; NULL without
 * memory. It moves when another is added. */
struct trace_member *trace_member_add(struct trace_class *trace,
				      uint32_t number);

/* Returns whether a process with a number is there. */
bool trace_has_member(const struct trace_class *trace, uint32_t number);

/* Takes a row "PID STARTTIME NAME" of a process. */
void trace_member_take(struct trace_member *member, const char *row);

/* Which schemas were met; all zero: none. */
struct schema_marks {
	uint8_t *met;			/* by their numbers */
	size_t n;
};

/* Notes a trace's schema. Returns whether it was noted before: then nothing
 * that a `shared` class of the trace says is new. Without memory it is not. */
bool schema_met(struct schema_marks *marks, const struct trace_class *trace);
void schema_marks_free(struct schema_marks *marks);

/* Returns the size that all values of a class have; -1: they differ, or are
 * large. */
int64_t field_always_bytes(const struct field_class *class);

/* Returns how many bytes the field at `at` has, or -1 if it goes beyond `end`.
 * The length of a sequence stands directly before `at`. */
int64_t field_bytes(const struct field_class *class, const uint8_t *at,
		    const uint8_t *end);

/* Reads the integer of a FIELD_INTEGER or FIELD_ENUM, extended to 64 bits. */
static inline uint64_t field_integer(const struct field_class *class,
				     const uint8_t *at)
{
	union {
		uint64_t u64;
		uint32_t u32;
		uint16_t u16;
	} v;

	switch (class->bytes) {
	case 1:
		return class->is_signed ? (uint64_t)(int8_t)*at : *at;
	case 2:
		__builtin_memcpy(&v.u16, at, 2);
		if (class->swapped)
			v.u16 = __builtin_bswap16(v.u16);
		return class->is_signed ? (uint64_t)(int16_t)v.u16 : v.u16;
	case 4:
		__builtin_memcpy(&v.u32, at, 4);
		if (class->swapped)
			v.u32 = __builtin_bswap32(v.u32);
		return class->is_signed ? (uint64_t)(int32_t)v.u32 : v.u32;
	default:
		__builtin_memcpy(&v.u64, at, 8);
		return class->swapped ? __builtin_bswap64(v.u64) : v.u64;
	}
}

/* Reads the number of a FIELD_REAL. */
static inline double field_real(const struct field_class *class,
				const uint8_t *at)
{
	union {
		double f64;
		float f32;
	} v;

	if (class->bytes == 4) {
		__builtin_memcpy(&v.f32, at, 4);
		return (double)v.f32;
	}
	__builtin_memcpy(&v.f64, at, 8);
	return v.f64;
}

/* Returns the number of elements of a sequence whose elements begin at `at`. */
static inline uint32_t field_length(const uint8_t *at)
{
	uint32_t n;

	__builtin_memcpy(&n, at - sizeof(n), sizeof(n));
	return n;
}

/* Returns how many bytes a FIELD_TEXT has, with the NUL and all that follows
 * the NUL. */
static inline uint64_t field_text_bytes(const struct field_class *class,
					const uint8_t *at)
{
	return class->counted ? field_length(at) : class->count;
}

/* Returns which member a FIELD_VARIANT is, and moves *at there. It checks
 * nothing: field_bytes() has. */
static inline const struct field_class *
field_option(const struct field_class *class, const uint8_t **at)
{
	if (!class->counted)
		*at += sizeof(uint32_t);
	return &class->members[field_length(*at - (class->counted ?
						   sizeof(uint32_t) : 0))];
}

/* Returns the time of a reading, in nanoseconds since 1970, as babeltrace2
 * computes it. */
static inline int64_t clock_time(const struct metadata_clock *clock,
				 int64_t base_ns, uint64_t reading)
{
	uint64_t ns = reading;
	double exact;

	if (clock->hz != 1000000000) {
		/* processors convert signed numbers faster */
		exact = 1e9 * (likely(reading <= INT64_MAX) ?
				       (double)(int64_t)reading :
				       (double)reading) / (double)clock->hz;
		/* a false reading; no clock gets that far */
		ns = likely(exact < 0x1p62) ? (uint64_t)(int64_t)exact :
					      1ull << 62;
	}
	return (int64_t)((uint64_t)base_ns + ns);
}

/* Returns the time of the reading 0. */
static inline int64_t clock_base(const struct metadata_clock *clock)
{
	int64_t base_ns = (int64_t)((uint64_t)clock->offset_s * 1000000000ull);

	return clock_time(clock, base_ns, clock->offset);
}

#endif
