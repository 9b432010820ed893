/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The outcome of a recording: every cause that the recorder has learned of, and
 * one exit status, by the table of causes (command/causes/texts.def).
 *
 * The code that knows a fact fills a cause: outcome_note() keeps it for the
 * end, outcome_tell() prints it at once. At the end causes are printed in the
 * order of their numbers, and those of one number as they were noted.
 *
 * Invariant: no cause is lost. Without memory to keep a cause, it is printed at
 * once.
 */
#ifndef COMMAND_CAUSES_OUTCOME_H
#define COMMAND_CAUSES_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

#include "command/causes/cause.h"

/* Empty: all zeros. */
struct outcome {
	struct cause *kept;	/* not printed yet */
	size_t nkept;
	uint64_t told[8];	/* a bit a number: it was told at once */
	int status;		/* of the causes so far */
};

/* Keeps a copy of a cause for outcome_print(). */
void outcome_keep(struct outcome *outcome, const struct cause *cause);

/* Prints a cause now, and takes the exit status of it. */
void outcome_say(struct outcome *outcome, const struct cause *cause);

/* Returns true if outcome_tell() has told a cause of that number. */
bool outcome_told(const struct outcome *outcome, enum cause_id id);

/* Takes the exit status of a function that has printed why itself. */
void outcome_take(struct outcome *outcome, int status);

/* Prints the kept causes with numbers below `end`. They are not kept any
 * longer. */
void outcome_print(struct outcome *outcome, enum cause_id end);

/* Behind the last number. */
#define OUTCOME_ALL	((enum cause_id)0x7fffffff)

/* Prints the rest, and frees all. Returns the exit status: that of the first
 * cause that is a failure, or `otherwise`. */
int outcome_end(struct outcome *outcome, int otherwise);

/*
 * Fill a cause, and keep it or print it:
 *
 *	outcome_tell(outcome, MEMBER_CUT_OFF, .pid = pid);
 */
#define outcome_note(outcome, name, ...) \
	outcome_fill((outcome), outcome_keep, CAUSE_##name, \
		     &(struct cause_slots){ __VA_ARGS__ })
#define outcome_tell(outcome, name, ...) \
	outcome_fill((outcome), outcome_say, CAUSE_##name, \
		     &(struct cause_slots){ __VA_ARGS__ })

/* Does as outcome_note() for a number of things, unless there are none. */
#define outcome_count(outcome, name, number, ...)                        \
	do {                                                             \
		if (number)                                              \
			outcome_note(outcome, name, .n = (int64_t)(number), \
				     ##__VA_ARGS__);                     \
	} while (0)

/* The function behind these macros: fills a cause, and gives it to `take`. */
static inline void outcome_fill(struct outcome *outcome,
				void (*take)(struct outcome *outcome,
					     const struct cause *cause),
				enum cause_id id,
				const struct cause_slots *slots)
{
	struct cause cause;

	cause_fill(&cause, 0, id, slots);
	take(outcome, &cause);
}

#endif
