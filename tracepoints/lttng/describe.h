/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The marker that stands for an LTTng-UST event, and the steps that lead from
 * the event's fields, as a notifier gets them (ust.h), to the values that the
 * marker's writer takes.
 *
 * Pure functions without allocation and without libc.
 */
#ifndef TRACEPOINTS_LTTNG_DESCRIBE_H
#define TRACEPOINTS_LTTNG_DESCRIBE_H

#include "base/text.h"
#include "buffers/writers/write.h"
#include "include/taffrail/event.h"
#include "tracepoints/fields/ax-double.h"
#include "tracepoints/lttng/ust.h"

/* Fields on the stack, those included that are for filters alone (nowrite): an
 * event does not have these, but conditions on it do. */
#define DESCRIBE_STEPS_MAX	47

/* Room for texts that end before their array does. The end of it is for arrays
 * of a fixed length, which an event has whole. */
#define DESCRIBE_PAD_BYTES	1024u
#define DESCRIBE_TEXT_BYTES	512u

/* Room for how fields are shown, names of enumerations above all: beside the
 * texts it fits into the 16 bits that a marker has for both. */
#define DESCRIBE_SHOWN_BYTES	64000u

/* How the next field on the stack is taken. */
enum describe_op {
	DESCRIBE_END = 0,
	DESCRIBE_WORD,		/* the low bytes of a word: a number */
	DESCRIBE_FLOAT,		/* a word, a double: four bytes of it */
	DESCRIBE_STRING,	/* a word: an address */
	DESCRIBE_ELEMENTS,	/* two words: how many, and the address */
	DESCRIBE_ARRAY,		/* as those: always as many; zeros for NULL */
	DESCRIBE_CHARS,		/* as elements: a text up to its NUL, if any */
	DESCRIBE_TEXT,		/* as an array: a text and zeros */
	DESCRIBE_SKIP,		/* a word that is not written */
};

struct describe_step {
	uint8_t op;
	uint8_t bytes;		/* of DESCRIBE_WORD and DESCRIBE_FLOAT */
};

/* A marker, for agent/declare.c. The names are the provider's own; the
 * caller opens `shown`. */
struct describe_model {
	/* n that are written, then those that conditions alone have */
	struct taffrail_event_field fields[TAFFRAIL_FIELDS_MAX];
	uint32_t n;
	uint32_t unwritten;
	const char *level;		/* or NULL */
	struct text shown;
	uint64_t texts;			/* bytes of all DESCRIBE_TEXT */
	struct describe_step steps[DESCRIBE_STEPS_MAX + 1];
	struct describe_step unwritten_steps[DESCRIBE_STEPS_MAX + 1];
};

/* Returns true for the description of a provider that this interface knows.
 * Its events may still be malformed. */
bool describe_knows(const struct ust_provider *provider);

/*
 * Makes the marker of an event. Returns 0, or why the event is left out:
 * -E2BIG, it has too many fields; -EMSGSIZE, a field, its name or the
 * description is too long; -ENAMETOOLONG; -EOPNOTSUPP, a type that a marker
 * does not have; -ENODATA, only LTTng's sessions have it; -EBADMSG, the
 * description is malformed (left-out.def). Follows the
 * description's pointers.
 */
int describe_event(struct describe_model *model,
		   const struct ust_provider *provider,
		   const struct ust_event *event);

/* The arguments of a writer. `first` has the first 8 bytes of the block: a
 * processor would wait if it loaded a word whose bytes were just stored one by
 * one. */
struct describe_values {
	uint64_t first;
	uint32_t bytes;			/* of the block that are used */
	uint32_t n;			/* of vars */
	char *pad, *texts;		/* the next place in each part */
	char *pad_end, *texts_end;
	bool cut;			/* a text is shorter than it should be:
					 * the pad has no room */
	uint64_t block[TAFFRAIL_FIELDS_MAX];
	struct write_var vars[TAFFRAIL_FIELDS_MAX];
};

/*
 * Begins an event. The pad has `bytes`, at least DESCRIBE_PAD_BYTES; it is NULL
 * where no step is DESCRIBE_CHARS or DESCRIBE_TEXT. SIGSAFE.
 */
static inline void describe_begin(struct describe_values *values, char *pad,
				  uint32_t bytes)
{
	values->first = 0;
	values->bytes = 0;
	values->n = 0;
	values->cut = false;
	values->pad = pad;
	values->texts = values->pad_end =
		pad ? pad + bytes - DESCRIBE_TEXT_BYTES : NULL;
	values->texts_end = pad ? pad + bytes : NULL;
}

/*
 * Takes values of an event from the stack, behind those that were taken. A
 * sequence of more than `limit` characters, which no ring has room for, is
 * taken for an empty one: such a length is mostly negative, and says nothing.
 * SIGSAFE.
 */
void describe_take(struct describe_values *values,
		   const struct describe_step *step, const char *stack,
		   uint64_t limit);

#endif
