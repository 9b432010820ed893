/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Why something was not done: a cause (control/causes.def) and what belongs to
 * it. The function that knows the fact fills a cause; its callers pass it up;
 * the sub-command prints it.
 *
 * Invariant: a cause is filled where the fact is known. Nothing looks
 * at the world again to find out why another function has failed.
 */
#ifndef COMMAND_CAUSES_CAUSE_H
#define COMMAND_CAUSES_CAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "control/causes.h"

#define CAUSE_PATH_BYTES	320
#define CAUSE_TEXT_BYTES	640	/* as an agent makes it */
#define CAUSE_SUBJECT_BYTES	640	/* a rule with its condition */
#define CAUSE_LIMITS_BYTES	160
/* Enough for a cause in words, with its remedy. */
#define CAUSE_LINE_BYTES	1536

struct cause {
	enum cause_id id; /* CAUSE_NONE: none yet */
	pid_t pid;	  /* 0: none */
	int error;	  /* an errno, above 0; or 0 */
	int64_t n;
	char path[CAUSE_PATH_BYTES];
	char text[CAUSE_TEXT_BYTES];
	char subject[CAUSE_SUBJECT_BYTES];
	char limits[CAUSE_LIMITS_BYTES];
};

/* The values that cause_fill() copies. */
struct cause_slots {
	pid_t pid;
	int error; /* an errno of either sign */
	int64_t n;
	const char *path, *text, *subject, *limits; /* NULL: "" */
};

/*
 * Fills a cause, in place of the one before, and returns `ret`: the value that
 * the caller returns. Texts that are too long are cut. `slots` may point into
 * the cause itself.
 *
 *	return cause_set(cause, -ESRCH, PROCESS_ENDED, .pid = pid);
 */
int cause_fill(struct cause *cause, int ret, enum cause_id id,
	       const struct cause_slots *slots);
#define cause_set(cause, ret, name, ...)         \
	cause_fill((cause), (ret), CAUSE_##name, \
		   &(struct cause_slots){ __VA_ARGS__ })

/* Returns true for the number of a cause. */
bool cause_known(uint64_t id);

/* Returns the name of a cause for scripts, as "process-ended", in `word`. */
#define CAUSE_WORD_BYTES	64
const char *cause_word(enum cause_id id, char word[CAUSE_WORD_BYTES]);

/* Returns true if a command that meets the cause fails for it. */
bool cause_fails(enum cause_id id);

/* Puts a cause in words, with the remedy if there is one. Returns `line`. */
char *cause_line(const struct cause *cause, char line[CAUSE_LINE_BYTES]);

/* Puts the remedy alone in words. Returns `line`: "" if there is none. */
char *cause_remedy(const struct cause *cause, char line[CAUSE_LINE_BYTES]);

/* Puts the fact in words, without the remedy. Returns `line`. */
char *cause_fact(const struct cause *cause, char line[CAUSE_LINE_BYTES]);

/*
 * Prints a cause on standard error: "taffrail: SUBCOMMAND: fact: remedy"; or an
 * object of JSON where --json was given. Returns the exit status of the cause:
 * COMMAND_DONE for one that only warns.
 */
int cause_tell(const struct cause *cause);

/*
 * Fills a cause and prints it. Returns its exit status.
 *
 *	return cause_report(START_FORK, .error = errno);
 */
int cause_fill_tell(enum cause_id id, const struct cause_slots *slots);
#define cause_report(name, ...) \
	cause_fill_tell(CAUSE_##name, &(struct cause_slots){ __VA_ARGS__ })

/* With --json, prints a text as the cause of a failure that has no row, and
 * returns true. For command_set_failure(). */
bool cause_tell_text(const char *text);

/* Returns the cause for an errno of execvpe(3), which stands for several
 * facts; looks at the program's file. */
enum cause_id cause_execute(const char *program, int error);

/*
 * For several causes with one remedy: cause_tell_fact() does as cause_tell(),
 * but leaves the remedy out where words are printed; cause_tell_remedy() prints
 * the remedy of an id, and nothing with --json.
 */
int cause_tell_fact(const struct cause *cause);
void cause_tell_remedy(enum cause_id id);

/* Returns COMMAND_DONE when /proc is mounted; else tells that it is not, and
 * returns COMMAND_FAILED. */
int cause_check_proc(void);

/* Returns COMMAND_DONE when so many more descriptors can be opened, at most
 * LIMITS_FILES; else tells how many are missing, and returns COMMAND_FAILED. */
int cause_check_files(int needed);

/* Why a marker cannot be placed, and the remedy. */
#define MARKER_MOVED	"the code was moved after linking, as llvm-bolt does"
#define MARKER_REMEDY	"compile it with -DTAFFRAIL_FLAG_SITES"
#define LEFT_OUT_REMEDY	"a session of LTTng's records such events " \
			"(lttng enable-event -u)"

/* The texts of a cause, with places: texts.def. */
struct cause_row {
	enum cause_id id;
	const char *word;  /* "PROCESS_ENDED" */
	const char *slots; /* of causes.def */
	int status;
	const char *doctor; /* or NULL */
	const char *fact;
	const char *remedy; /* or NULL */
};

/* Returns row I, in the order of the table; NULL behind the last. */
const struct cause_row *cause_row(size_t i);

#endif
