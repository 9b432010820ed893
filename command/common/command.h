/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by every sub-command of `taffrail`: the row in the dispatch table,
 * options as rows from which --help is printed, errors, and the exit status.
 *
 * Invariant: errors go to stderr as "taffrail: SUBCOMMAND: fact",
 * and output for scripts goes to stdout.
 */
#ifndef COMMAND_COMMON_COMMAND_H
#define COMMAND_COMMON_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum command_exit {
	COMMAND_DONE	= 0,
	COMMAND_FAILED	= 1,
	COMMAND_USAGE	= 2,
	/* record: the program could not be executed, as shells tell it */
	COMMAND_NOT_EXECUTABLE = 126,
	COMMAND_NOT_FOUND = 127,
};

/*
 * One sub-command. `run` gets argv[0] = word and returns an exit status
 * (record: the program's). The rows are in main.c, NULL word last; main()
 * passes them on, because `completion` needs every row.
 */
struct command {
	const char *word;
	int (*run)(int argc, char **argv);
	const char *help;		/* one line */
	const char *group;		/* the heading that it stands under */
};

/* Keeps the rows by reference; command_rows() returns them, NULL before. */
void command_set_rows(const struct command *rows);
const struct command *command_rows(void);

/* Each runs one sub-command, as `run` above does. */
int attach_main(int argc, char **argv);
int detach_main(int argc, char **argv);
int doctor_main(int argc, char **argv);
int completion_main(int argc, char **argv);
int list_main(int argc, char **argv);
int start_main(int argc, char **argv);
int enable_main(int argc, char **argv);
int disable_main(int argc, char **argv);
int env_main(int argc, char **argv);
int stop_main(int argc, char **argv);
int flush_main(int argc, char **argv);
int destroy_main(int argc, char **argv);
int status_main(int argc, char **argv);
int watch_main(int argc, char **argv);
int gdb_main(int argc, char **argv);
int gdbserver_main(int argc, char **argv);
int record_main(int argc, char **argv);
int snapshot_main(int argc, char **argv);
int verify_main(int argc, char **argv);
int report_main(int argc, char **argv);
int view_main(int argc, char **argv);
int top_main(int argc, char **argv);
int timeline_main(int argc, char **argv);
int export_main(int argc, char **argv);
int load_main(int argc, char **argv);
int unload_main(int argc, char **argv);
int connect_main(int argc, char **argv);
int disconnect_main(int argc, char **argv);
int call_main(int argc, char **argv);

/*
 * Options (options.c, option-members.c). A row has a letter or a word or both;
 * `key` is what options_next() returns for it: the letter where there is one, a
 * number above 255 else, or a member that options_take() sets. --help needs no
 * row. A zero key ends the rows.
 *
 *	31    24 23     8 7       0
 *	+-------+--------+---------+
 *	| kind  | offset | letter  |	of a member; letter: or 0
 *	+-------+--------+---------+
 */
struct option_row {
	int key;
	const char *word;		/* long option, or NULL */
	const char *argument;		/* the name in the help text, or NULL */
	const char *help;		/* one line, or NULL: not in --help */
};

enum option_kind {
	OPTION_ELSE,		/* no member: a number is the key */
	OPTION_NOTED, OPTION_TRUE, OPTION_VALUE, OPTION_PROCESS,
	OPTION_PROCESSES, OPTION_SECONDS, OPTION_BYTES, OPTION_MS,
	OPTION_BUFFERS, OPTION_CONTEXTS,
};

/* Keys: the member of the object takes the option as true, the value as it is,
 * or the value as command_take_...() below reads it. */
#define OPTION_FLAG(letter, object, member) \
	OPTION_KEY(TRUE, bool, letter, object, member)
#define OPTION_TEXT(letter, object, member) \
	OPTION_KEY(VALUE, const char *, letter, object, member)
#define OPTION_PID(object, member) \
	OPTION_KEY(PROCESS, pid_t, 'p', object, member)
#define OPTION_PIDS(object, member) \
	OPTION_KEY(PROCESSES, struct command_pids, 'p', object, member)
#define OPTION_FOR(object, member) \
	OPTION_KEY(SECONDS, double, 0, object, member)
/* command_json() tells it. */
#define OPTION_JSON		(OPTION_NOTED << 24 | 'j')
#define OPTION_KEY(kind, type, letter, object, member)                  \
	(OPTION_##kind << 24 | (letter) |                               \
	 (int)(offsetof(object, member) +                               \
	       0 * sizeof((type *)0 == &((object *)0)->member) +        \
	       0 * sizeof(char[offsetof(object, member) >> 16 ? -1 : 1])) << 8)

enum {
	OPTIONS_END	= 0,	/* operands begin at argv[options.index] */
	OPTIONS_STOP	= -1,	/* return options.status: help or an error */
	OPTIONS_ROWS_MAX = 32,
};

struct options {
	int argc;
	char **argv;
	const struct option_row *rows;
	const char *shape;	/* "NAME RULE": after the word in the usage */
	const char *about;	/* text of the help, or NULL */
	const char *behind;	/* the program whose options follow "--", or NULL */
	int stop_early;		/* the first operand ends the options */
	/* results */
	int index;		/* of the first operand (OPTIONS_END) */
	const char *value;	/* argument of the option just returned */
	int status;		/* exit status (OPTIONS_STOP) */
};

/*
 * Returns the next option's key, OPTIONS_END or OPTIONS_STOP (after printing
 * the help text or the error). Moves operands behind the options unless
 * stop_early. "--" ends the options and is skipped. One walk at a time.
 */
int options_next(struct options *options);

/* Takes all options: those with members set them in `object`, and `take` gets
 * the others. Returns false when the command must end with options->status:
 * after --help, or after a message, of `take` also. */
bool options_take(struct options *options, void *object,
		  int (*take)(void *object, int key, const char *value));

/* Returns the letter of an option, or 0. */
int option_letter(const struct option_row *row);

/* Returns true when options_next() has returned --json. */
bool command_json(void);

/*
 * For a message that an operand is missing: writes "; 'WORD' is the value of
 * OPTION" if the command line ended with that, else "". Returns text.
 */
const char *options_last(char *text, size_t room);

/* Returns whether that is so, and WORD is a directory to read: not one that -o
 * shall write, unless it is a recording. */
bool options_last_directory(void);

/*
 * Runs a sub-command as with --help, but calls `take` with the options that it
 * passes to options_next(), and prints no help.
 */
void options_tell(const struct command *command,
		  void (*take)(const struct options *options, void *priv),
		  void *priv);

/*
 * Does the whole loop for a command whose only own option is -p PID. Returns
 * false when the command must end with options->status.
 */
bool options_pid(struct options *options, pid_t *pid);

/*
 * Print "taffrail: SUBCOMMAND: fact" on stderr. command_failed() returns
 * COMMAND_FAILED; command_misused() adds a hint to --help and returns
 * COMMAND_USAGE.
 */
int command_failed(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
int command_misused(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* Has command_failed() give each text to `tell`, and print those for which that
 * returns false. */
void command_set_failure(bool (*tell)(const char *text));

/* Returns memory that was just allocated; without any, tells so and ends the
 * command: where nothing has to be taken back. */
void *command_need(void *memory);

/* Ends a message whose cause `taffrail doctor` would find. `doctor` takes this
 * out of messages that it cites. */
#define COMMAND_SEE_DOCTOR	"; see taffrail doctor"

/* The remedy for events that full buffers lost, in a session that discards. */
#define COMMAND_FULL_REMEDY						\
	"a larger --buffer-size loses fewer events; with --overwrite, full "	\
	"buffers lose the oldest, and go on"

/* The remedy for calls that had no room until they ended. */
#define COMMAND_CALLS_REMEDY	\
	"512 threads have room, for 256 calls each: name fewer functions, " \
	"or give a smaller --depth"

/* Sets SUBCOMMAND, for a sub-command that has not called options_next(). */
void command_name(const char *name);

/* Prints a line of the same form; the sub-command goes on. */
void command_warn(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* The same, where the sub-command does less than it was asked for. Then
 * command_status() makes COMMAND_FAILED of COMMAND_DONE. */
void command_lack(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
int command_status(int status);

/* Warns of each of these variables (base/words.h): "WHERE: ...". */
void command_warn_words(uint32_t variables, const char *where);

/* Flushes stdout. Returns COMMAND_DONE, or COMMAND_FAILED if output was
 * lost. */
int command_finish(void);

/* Parses a process id. Returns 0 or -EINVAL. */
int command_parse_pid(pid_t *pid, const char *text);

/* Processes that -p names: in their order, each once. */
#define COMMAND_PIDS_MAX	64

/* The help of --yes (functions_consent()). */
#define COMMAND_YES_HELP "trace functions without asking, also more than 1,000"

struct command_pids {
	pid_t pids[COMMAND_PIDS_MAX];
	int count;
};

/* Says that a word is no process id, and which command tells one; `each`
 * says how several are given. Returns COMMAND_USAGE. */
int command_misused_pid(const char *text, const char *each);

/* Adds the value of a repeatable -p: a number, or a list of them as pgrep(1)
 * and pidof(1) print it, with commas, blanks or line ends between. Returns
 * COMMAND_DONE, or COMMAND_USAGE after printing why. */
int command_take_pids(struct command_pids *pids, const char *list);

/* Takes the value of a -p that names one process; `pid` is 0 before the first.
 * Returns COMMAND_DONE, or COMMAND_USAGE after printing why. */
int command_take_pid(pid_t *pid, const char *text);

/* Parses "N[K|M|G]" bytes. Returns 0; -EINVAL: no number; -ERANGE: too
 * large. */
int command_parse_bytes(uint64_t *bytes, const char *text);

/*
 * Parses "N[K|M|G]", the size of one CPU's ring, and rounds it up to a power of
 * two. Returns 0; -EINVAL: no number; -ERANGE: outside RING_MIN_BYTES ..
 * RING_MAX_BYTES.
 */
int command_parse_size(uint64_t *bytes, const char *text);

/* Does the same for the value of --buffer-size. Returns COMMAND_DONE, or
 * COMMAND_USAGE after printing why. */
int command_take_size(uint64_t *bytes, const char *text);

/* Parses the value of --for, a time as duration_parse() takes it. Returns
 * COMMAND_DONE, or COMMAND_USAGE after printing why. */
int command_take_seconds(double *seconds, const char *text);

/* Reads the time of --keep, 1s to 24h (duration.h), in milliseconds. Returns as
 * command_take_seconds(). */
int command_take_keep(uint64_t *ms, const char *text);

/* The value of --buffers. */
enum buffers { BUFFERS_UNSAID, BUFFERS_PROCESS, BUFFERS_SHARED };

/* Reads the value of --buffers: 'process' or 'shared'. Returns as
 * command_take_seconds(). */
int command_take_buffers(enum buffers *buffers, const char *text);

/* Chooses whether processes share buffers, by the other options of the session
 * where --buffers says nothing: --context, or NULL, --keep and --allow-group,
 * or 0. Returns as command_take_seconds(): these may be wrong then. */
int command_choose_buffers(bool *shared, enum buffers buffers,
			   const char *contexts, uint64_t keep, uint32_t group);

/*
 * Parses "vtid,ip,...", or "none", into a mask of enum session_context. Returns
 * 0; -EINVAL, and `bad` points to the word in text that is no context; or
 * -EMLINK: "writer" is not alone.
 */
int command_parse_contexts(uint32_t *mask, const char *text, const char **bad);

/* Returns the contexts of a mask as --context and agents take them, or NULL
 * without memory. */
char *command_write_contexts(uint32_t mask);

/* Returns the word of context I, or NULL after the last. */
const char *command_context(int i);

/* Parses the value of --allow-group, a name or a number. Returns COMMAND_DONE,
 * or COMMAND_USAGE after printing why. */
int command_take_group(uint32_t *group, const char *text);

/* Checks that the group can search each directory above the last component of a
 * path. Returns COMMAND_DONE (also without a group), or COMMAND_FAILED after
 * printing which directory it cannot search. */
int command_check_reach(const char *path, uint32_t group);

/* Checks the value of --context. Returns COMMAND_DONE, and the text as agents
 * take it, which lives until the command ends; or another status after printing
 * why. */
int command_take_contexts(const char **to, const char *text);

#endif
