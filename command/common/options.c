/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options and arguments that all sub-commands have in common; and which option
 * was meant by one that is wrong: the nearest word, other sub-commands with the
 * option, or the place where a value stands.
 *
 * Invariant: --help is printed from the rows that are parsed, so
 * both have the same options.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tunables.h"
#include "buffers/layout.h"
#include "command/common/command.h"
#include "command/common/duration.h"
#include "command/common/nearest.h"
#include "command/common/wrapped.h"
#include "traces/ledger.h"

#define KEY_HELP	0x7fff
#define HELP_COLUMN	30
#define USAGE_INDENT	7	/* of "Usage: " */

/* A third of a word's letters may differ, and no more than these. */
#define NEAR_DISTANCE	2
#define NAMES_BYTES	160
#define NAMES_SHOWN	4

#define NS_PER_S	1000000000ll
#define NS_PER_MS	1000000ll
#define FOR_SECONDS_MAX	1000000000ll	/* some 30 years */

/* Options that users expect; each sub-command stands between blanks. */
static const struct {
	const char *commands, *letter, *word, *hint;
} habits[] = {
	{ " export ", "", "json", "give --format json" },
	{ " export ", "", "csv", "give --format csv" },
	{ " export ", "", "perfetto", "give --format perfetto" },
	{ " export ", "", "sqlite", "give --format sqlite" },
	{ " view ", "", "json", "taffrail export --format json does that" },
	{ " view ", "", "format", "taffrail export has it" },
	{ " view report top ", "o", "output",
	  "it prints to standard output, which the shell leads into a file: "
	  "> FILE" },
	{ " export timeline ", "e", "event",
	  "give --where RULE" },
	{ " enable disable ", "e", "event",
	  "the rule stands behind the session's name" },
	{ " view ", "n", "lines", "give --tail N" },
	{ " view ", "f", "follow", "give --follow" },
	{ " stop flush destroy ", "", "all",
	  "without -p, it is done in all processes" },
	{ " status start enable disable stop flush destroy snapshot ", "s",
	  "session", "the session's name stands without an option" },
	{ " start ", "o", "output", "taffrail snapshot NAME -o DIR writes the "
	  "trace" },
	/* of the command lttng, as docs/from-lttng.md has them */
	{ " record start enable ", "", "filter", "give -e 'RULE if CONDITION'" },
	{ " record start enable ", "", "exclude",
	  "give -e 'RULE if $id !~ \"GLOB\"'" },
	{ " record start ", "", "loglevel", "give --level LEVEL" },
	{ " record start ", "", "loglevel-only", "give --level =LEVEL" },
	{ " record start ", "", "vpid", "give -p PID" },
	{ " record start ", "", "subbuf-size", "give --buffer-size SIZE" },
	{ " record start ", "", "num-subbuf", "give --buffer-size SIZE" },
	{ " record start ", "", "snapshot", "give --overwrite" },
	{ " record start ", "", "live", "taffrail view --follow -s NAME shows "
	  "events as they come" },
	{ " start ", "", "tracefile-size", "taffrail record --max-size SIZE "
	  "drops the oldest events" },
	{ " record ", "", "tracefile-size", "give --max-size SIZE" },
	{ " record start enable disable list ", "u", "userspace",
	  "leave it out: all markers are of programs" },
	{ NULL, NULL, NULL, NULL }
};

/* argv[0] of the walk that is under way */
static const char *walked;

/* The last word of the command line, if it is the value of an option. */
static const char *last_option, *last_value;
static bool json_given;

/* Gets the options in place of printed help; `take` is NULL without one. */
static struct {
	void (*take)(const struct options *options, void *priv);
	void *priv;
} listener;

int option_letter(const struct option_row *row)
{
	return row->key < 256 || row->key >> 24 ? row->key & 0xff : 0;
}

/* Prints a row of the help; a long one has the text on the line below. */
static void print_row(const struct option_row *row)
{
	char left[80];
	int n = 0;

	if (option_letter(row))
		n = snprintf(left, sizeof(left), "-%c", option_letter(row));
	if (row->word)
		n += snprintf(left + n, sizeof(left) - n, "%s--%s",
			      n ? ", " : "    ", row->word);
	if (row->argument)
		snprintf(left + n, sizeof(left) - n, " %s", row->argument);
	if (strlen(left) > HELP_COLUMN - 4)
		printf("  %s\n%*s", left, HELP_COLUMN, "");
	else
		printf("  %-*s", HELP_COLUMN - 2, left);
	wrapped_print(HELP_COLUMN, HELP_COLUMN, row->help);
	putchar('\n');
}

/* Prints the help, or tells the listener. Returns an exit status. */
static int print_help(const struct options *options)
{
	static const struct option_row help = {
		'h', "help", NULL, "print this"
	};
	int n;

	if (listener.take) {
		listener.take(options, listener.priv);
		return COMMAND_DONE;
	}
	n = printf("Usage: taffrail %s [OPTIONS]", options->argv[0]);
	if (options->shape && *options->shape) {
		putchar(' ');
		wrapped_print(n + 1, USAGE_INDENT, options->shape);
	}
	putchar('\n');
	if (options->about) {
		wrapped_print(0, 0, options->about);
		putchar('\n');
	}
	printf("\nOptions:\n");
	for (const struct option_row *row = options->rows; row->key; row++)
		if (row->help)
			print_row(row);
	print_row(&help);
	return command_finish();
}

bool command_json(void)
{
	return json_given;
}

/* Sub-commands that have an option. */
struct owners {
	const char *letter;		/* "" or the option's letter */
	const char *word;		/* "" or the word */
	char names[NAMES_BYTES];
	int count;
};

/* Notes a sub-command that has the option. */
static void add_owner(const struct options *options, void *priv)
{
	struct owners *owners = priv;
	size_t n = strlen(owners->names);

	for (const struct option_row *row = options->rows; row->key; row++) {
		if ((!*owners->letter ||
		     option_letter(row) != *owners->letter) &&
		    !(row->word && !strcmp(row->word, owners->word)))
			continue;
		if (owners->count++ < NAMES_SHOWN)
			snprintf(owners->names + n, sizeof(owners->names) - n,
				 "%s%s", n ? ", " : "", options->argv[0]);
		return;
	}
}

/* Writes "; ..." about an option that this sub-command does not have. */
static void add_hint(const struct options *options, const char *letter,
		     const char *word, char *hint, size_t room)
{
	struct owners owners = { .letter = letter, .word = word };
	const char *name = options->argv[0];
	char between[32];

	snprintf(between, sizeof(between), " %s ", name);
	*hint = '\0';
	for (int i = 0; habits[i].hint; i++)
		if (strstr(habits[i].commands, between) &&
		    ((*letter && !strcmp(letter, habits[i].letter)) ||
		     !strcmp(word, habits[i].word))) {
			snprintf(hint, room, "; %s", habits[i].hint);
			return;
		}
	for (const struct command *c = command_rows(); c && c->word; c++)
		options_tell(c, add_owner, &owners);
	command_name(name);
	if (owners.count)
		snprintf(hint, room, "; sub-commands with it: %s%s",
			 owners.names,
			 owners.count > NAMES_SHOWN ? " and others" : "");
}

/*
 * Takes a word of the rows if it is nearer to the typed one. The nearest is one
 * of which the beginning is the other one, but for hyphens: "buffersize" and
 * "buffer-size", "events" and "event".
 */
static void take_near(const char *known, const char *typed, unsigned int *least,
		      const char **found)
{
	unsigned int distance = nearest_distance(typed, known);
	const char *k = known, *t = typed;

	while (*k && *t) {
		k += *k == '-';
		t += *t == '-';
		if (!*t || *k != *t)
			break;
		k++;
		t++;
	}
	if (!*k || !*t)
		distance = 0;
	if (distance < *least) {
		*least = distance;
		*found = known;
	}
}

/* Prints the fault of an option of more than one letter. Returns
 * COMMAND_USAGE. */
static int misused_word(const struct options *options, const char *typed)
{
	int n = (int)strcspn(typed + 2, "=");
	int like = !strncmp("help", typed + 2, n);
	bool whole = n == 4 && like;
	char word[64], hint[NAMES_BYTES + 64];
	const char *found = NULL;
	unsigned int least;

	for (const struct option_row *row = options->rows; row->key; row++)
		if (row->word && !strncmp(row->word, typed + 2, n)) {
			like++;
			whole |= !row->word[n];
		}
	snprintf(word, sizeof(word), "%.*s", n, typed + 2);
	if (like == 1 || (like && whole))
		return command_misused("option '--%s' takes no argument", word);
	if (like)
		return command_misused("option '--%s' is ambiguous: %d options "
				       "begin so", word, like);
	add_hint(options, "", word, hint, sizeof(hint));
	least = strlen(word) / 3;
	least = least < NEAR_DISTANCE ? least : NEAR_DISTANCE;
	if (*hint || !least++)
		return command_misused("unknown option '--%s'%s", word, hint);
	for (const struct option_row *row = options->rows; row->key; row++)
		if (row->word)
			take_near(row->word, word, &least, &found);
	take_near("help", word, &least, &found);
	return found ? command_misused("unknown option '--%s'; the nearest: "
				       "--%s", word, found) :
		       command_misused("unknown option '--%s'", word);
}

/* Prints the fault of the option that getopt has just answered with KEY,
 * '?' or ':', at options->index; LETTER is optopt. Returns COMMAND_USAGE. */
static int option_misused(const struct options *options, int key, int letter)
{
	const char *typed = options->argv[options->index - 1];
	const char letters[] = { (char)letter, '\0' };
	const char short_form[] = { '-', (char)letter, '\0' };
	const char *shape = options->shape, *refused = typed;
	char hint[NAMES_BYTES + 64];
	size_t needed;

	if (key == ':')
		return command_misused("option '%s' needs an argument", typed);
	if ((letter == 'p' || !strcmp(typed, "--pid")) && shape &&
	    !strncmp(shape, "PID", 3)) {
		/* the operands that are needed: "PID LIB" of
		 * "PID LIB [WORD]..." */
		needed = strcspn(shape, ".[");
		needed -= shape[needed - 1] == ' ';
		return command_misused("there is no option -p: give PID alone, "
				       "as in: taffrail %s %.*s",
				       options->argv[0], (int)needed, shape);
	}
	if (options->behind) {
		/* letters of the word are left where getopt is still at it */
		if (strncmp(typed, "--", 2) && strcmp(typed, short_form) &&
		    options->index < options->argc)
			refused = options->argv[options->index];
		return command_misused("unknown option '%s'; %s's options go "
				       "behind --, as in: taffrail %s -p PID "
				       "-- %s", refused, options->behind,
				       options->argv[0], refused);
	}
	if (!letter || letter >= 256 || !strncmp(typed, "--", 2))
		return misused_word(options, typed);
	add_hint(options, letters, "", hint, sizeof(hint));
	return command_misused("unknown option '-%s'%s", letters, hint);
}

/*
 * Returns the row of a word that getopt reads next, at options->index, if the
 * word is a long option with one dash: getopt would take "-pid" as -p with the
 * value "id". NULL if it is not.
 */
static const struct option_row *dashed_word(struct options *options)
{
	int i = optind ? optind : 1;
	const char *word;
	size_t n;

	/* getopt goes over operands */
	while (!options->stop_early && i < options->argc &&
	       (options->argv[i][0] != '-' || !options->argv[i][1]))
		i++;
	if (i >= options->argc || options->argv[i][0] != '-')
		return NULL;
	word = options->argv[i] + 1;
	n = strcspn(word, "=");
	for (const struct option_row *row = options->rows; n > 1 && row->key;
	     row++)
		if (row->word && strlen(row->word) == n &&
		    !strncmp(row->word, word, n)) {
			options->index = i;
			return row;
		}
	return NULL;
}

/* The last option whose value is a rule, and the value. */
static const char *rule_option, *rule_value;

/* Notes the value of an option, for faults of later words. Returns
 * COMMAND_DONE, or COMMAND_USAGE after printing what is wrong with it. */
static int value_note(const struct options *options, int key)
{
	const char *typed = options->argv[optind - 1];

	if (optind == options->argc && optarg == typed) {
		last_option = options->argv[optind - 2];
		last_value = optarg;
	}
	for (const struct option_row *row = options->rows; row->key; row++)
		if (row->key == key && row->word &&
		    (!strcmp(row->word, "event") ||
		     !strcmp(row->word, "where"))) {
			rule_option = option_letter(row) ? "-e" : "--where";
			rule_value = optarg;
		}
	if (optarg == typed && !strcmp(optarg, "--"))
		return command_misused("option '%s' needs an argument before "
				       "'--'", options->argv[optind - 2]);
	/* "-o=x" would be taken for "-o" with "=x" */
	if (key < 256 && *optarg == '=' && optarg == typed + 2)
		return command_misused("option '%s': its value stands behind a "
				       "blank, without =, as in: -%c %s", typed,
				       key, optarg + 1);
	return COMMAND_DONE;
}

/* Returns COMMAND_DONE; or COMMAND_USAGE after printing that a rule has lost
 * its quotes, where the operands begin with its condition, or have it. */
static int operands_check(const struct options *options)
{
	const char *rule = rule_value;
	int last = options->stop_early && optind < options->argc ?
		   optind + 1 : options->argc;

	if (optind && !strcmp(options->argv[optind - 1], "--"))
		return COMMAND_DONE;
	for (int i = optind; i < last; i++) {
		if (rule && !strcmp(options->argv[i], "if"))
			return command_misused("a rule with a condition stands "
					       "in quotes: %s%s'%s if ...'",
					       rule_value ? rule_option : "",
					       rule_value ? " " : "", rule);
		/* of NAME RULE, or PID RULE */
		if (!rule_value && i > optind && options->shape &&
		    *options->shape != '[' && strstr(options->shape, " RULE"))
			rule = options->argv[i];
	}
	return COMMAND_DONE;
}

int options_next(struct options *options)
{
	char letters[3 + 2 * OPTIONS_ROWS_MAX], *to = letters;
	struct option words[2 + OPTIONS_ROWS_MAX] = { 0 }, *w = words;
	const struct option_row *row;
	int key;

	if (walked != options->argv[0]) {
		walked = options->argv[0];
		json_given = false;
		rule_value = NULL;
		command_name(walked);
		optind = 0;
	}
	row = dashed_word(options);
	if (row) {
		options->status = command_misused("unknown option '%s': with "
						  "two dashes, --%s",
						  options->argv[options->index],
						  row->word);
		return OPTIONS_STOP;
	}
	opterr = 0;
	/* getopt's two descriptions of the rows */
	to += sprintf(to, "%s:h", options->stop_early ? "+" : "");
	*w++ = (struct option){ "help", no_argument, NULL, KEY_HELP };
	for (row = options->rows; row->key; row++) {
		if (option_letter(row))
			to += sprintf(to, "%c%s", option_letter(row),
				      row->argument ? ":" : "");
		if (row->word)
			*w++ = (struct option){
				row->word, row->argument ? required_argument :
				no_argument, NULL, row->key
			};
	}
	key = getopt_long(options->argc, options->argv, letters, words, NULL);
	options->value = optarg;
	options->index = optind;
	if (optarg && key != '?' && key != ':') {
		options->status = value_note(options, key);
		if (options->status)
			return OPTIONS_STOP;
	}
	switch (key) {
	case -1:
		options->status = operands_check(options);
		return options->status ? OPTIONS_STOP : OPTIONS_END;
	case 'h':
	case KEY_HELP:
		options->status = print_help(options);
		return OPTIONS_STOP;
	case '?':
	case ':':
		options->status = option_misused(options, key, optopt);
		return OPTIONS_STOP;
	}
	for (row = options->rows; row->key != key && option_letter(row) != key;)
		row++;
	json_given |= row->word && !strcmp(row->word, "json");
	return row->key;
}

const char *options_last(char *text, size_t room)
{
	if (last_value)
		snprintf(text, room, "; '%s' is the value of %s", last_value,
			 last_option);
	else
		*text = '\0';
	return text;
}

/* A directory behind -o that is no recording is the one to write. */
bool options_last_directory(void)
{
	int fd = !last_value ? -1 :
		 open(last_value, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool found = fd >= 0 &&
		     ((strcmp(last_option, "-o") &&
		       strcmp(last_option, "--output")) || trace_set_there(fd, NULL));

	if (fd >= 0)
		close(fd);
	return found;
}

void options_tell(const struct command *command,
		  void (*take)(const struct options *options, void *priv),
		  void *priv)
{
	static char help[] = "--help";
	char *argv[] = { (char *)command->word, help, NULL };

	listener.take = take;
	listener.priv = priv;
	command->run(2, argv);
	listener.take = NULL;
}

int command_parse_pid(pid_t *pid, const char *text)
{
	char *end;
	long value;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || *end || value <= 0 || value > INT_MAX)
		return -EINVAL;
	*pid = value;
	return 0;
}

int command_misused_pid(const char *text, const char *each)
{
	size_t digits = strspn(text, "0123456789");
	const char *behind = text + digits;

	if (*each && digits && *behind && strchr(" ,\t\n", *behind) &&
	    isdigit((unsigned char)behind[strspn(behind, " ,\t\n")]))
		return command_misused("'%s' is not a process id; %s", text,
				       each);
	if (isalpha((unsigned char)*text) || strchr(text, '/'))
		return command_misused("'%s' is not a process id; pidof(1) "
				       "tells that of a program", text);
	return command_misused("'%s' is not a process id", text);
}

/* Adds a process, unless it is there. Returns COMMAND_DONE, or COMMAND_USAGE
 * after printing why. */
static int pids_add(struct command_pids *pids, pid_t pid)
{
	for (int i = 0; i < pids->count; i++)
		if (pids->pids[i] == pid)
			return COMMAND_DONE;
	if (pids->count == COMMAND_PIDS_MAX)
		return command_misused("more than %d processes",
				       COMMAND_PIDS_MAX);
	pids->pids[pids->count++] = pid;
	return COMMAND_DONE;
}

int command_take_pids(struct command_pids *pids, const char *list)
{
	static const char blanks[] = " \t\n", separators[] = ", \t\n";
	const char *text = list;
	int status = COMMAND_DONE;
	char word[256];
	size_t n;
	pid_t pid;

	do {
		n = strcspn(text, separators);
		snprintf(word, sizeof(word), "%.*s", (int)n, text);
		if (command_parse_pid(&pid, word))
			return command_misused_pid(n ? word : list, "");
		status = pids_add(pids, pid);
		text += n;
		n = strspn(text, blanks);
		/* one comma; the number behind it is checked next */
		n += text[n] == ',';
		n += strspn(text + n, blanks);
		text += n;
	} while (n && status == COMMAND_DONE);
	return status;
}

int command_take_pid(pid_t *pid, const char *text)
{
	pid_t before = *pid;

	if (command_parse_pid(pid, text))
		return command_misused_pid(text, "give one of them");
	if (before && before != *pid)
		return command_misused("processes %d and %d: give one -p",
				       before, *pid);
	return COMMAND_DONE;
}

int command_parse_bytes(uint64_t *bytes, const char *text)
{
	static const char units[] = "kKMG";
	static const int shifts[] = { 10, 10, 20, 30 };
	unsigned long long value;
	const char *unit;
	int shift = 0;
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno)
		return -ERANGE;
	if (*end) {
		unit = strchr(units, *end);
		if (!unit || end[1])
			return -EINVAL;
		shift = shifts[unit - units];
	}
	if (value > (uint64_t)INT64_MAX >> shift)
		return -ERANGE;
	*bytes = value << shift;
	return 0;
}

int command_parse_size(uint64_t *bytes, const char *text)
{
	uint64_t rounded = RING_MIN_BYTES;
	uint64_t value;
	int ret = command_parse_bytes(&value, text);

	if (ret)
		return ret;
	if (value > RING_MAX_BYTES || value < RING_MIN_BYTES)
		return -ERANGE;
	while (rounded < value)
		rounded *= 2;
	*bytes = rounded;
	return 0;
}

int command_take_size(uint64_t *bytes, const char *text)
{
	switch (command_parse_size(bytes, text)) {
	case 0:
		return COMMAND_DONE;
	case -ERANGE:
		return command_misused("buffer size '%s' is not between 256K "
				       "and 1G", text);
	default:
		return command_misused("buffer size '%s' is not a number of "
				       "bytes, K, M or G", text);
	}
}

int command_take_seconds(double *seconds, const char *text)
{
	int64_t ns;

	if (duration_parse(&ns, text) || ns <= 0 ||
	    ns > FOR_SECONDS_MAX * NS_PER_S)
		return command_misused("--for '%s': give a time of more than 0, "
				       "in seconds or with a unit, as in 0.5, "
				       "10s or 5m", text);
	*seconds = (double)ns / NS_PER_S;
	return COMMAND_DONE;
}

int command_take_keep(uint64_t *ms, const char *text)
{
	int64_t ns;

	if (duration_parse(&ns, text) || !KEEP_MS_VALID(ns / NS_PER_MS))
		return command_misused("--keep '%s': give a time from 1s to "
				       "24h, as in 10s, 2.5s or 5min", text);
	*ms = (uint64_t)(ns / NS_PER_MS);
	return COMMAND_DONE;
}

int command_take_buffers(enum buffers *buffers, const char *text)
{
	*buffers = !strcmp(text, "shared") ? BUFFERS_SHARED : BUFFERS_PROCESS;
	return *buffers == BUFFERS_SHARED || !strcmp(text, "process") ?
		COMMAND_DONE :
		command_misused("buffers '%s' are neither 'process' nor "
				"'shared'", text);
}

int command_choose_buffers(bool *shared, enum buffers buffers,
			   const char *contexts, uint64_t keep, uint32_t group)
{
	bool other = contexts && strcmp(contexts, "writer");

	*shared = buffers == BUFFERS_SHARED ||
		  (buffers == BUFFERS_UNSAID && !other && !keep && !group);
	if (!*shared)
		return COMMAND_DONE;
	if (keep)
		return command_misused("--keep is for --buffers process");
	if (group)
		return command_misused("--allow-group is for --buffers "
				       "process");
	if (other)
		return command_misused("--buffers shared has the context "
				       "'writer', and no other");
	return COMMAND_DONE;
}

/* The values of --context; an empty row is the last. */
static const struct {
	const char *word;
	uint32_t bit;
} contexts[] = {
	{ "vtid", CONTEXT_VTID },
	{ "vpid", CONTEXT_VPID },
	{ "procname", CONTEXT_PROCNAME },
	{ "cpu", CONTEXT_CPU },
	{ "ip", CONTEXT_IP },
	{ "cpu_id", CONTEXT_CPU },	/* as LTTng has it */
	{ "pthread_id", CONTEXT_PTHREAD },
	{ "writer", CONTEXT_WRITER },
	{ NULL, 0 }
};

const char *command_context(int i)
{
	return contexts[i].word;
}

int command_parse_contexts(uint32_t *mask, const char *text, const char **bad)
{
	size_t n;
	int i;

	*mask = 0;
	if (!strcmp(text, "none"))
		return 0;
	for (;; text += n + 1) {
		n = strcspn(text, ",");
		for (i = 0; contexts[i].word; i++)
			if (strlen(contexts[i].word) == n &&
			    !strncmp(contexts[i].word, text, n))
				break;
		*bad = text;
		if (!contexts[i].word)
			return -EINVAL;
		*mask |= contexts[i].bit;
		if (text[n])
			continue;
		/* a record would need the fields, too */
		return *mask & CONTEXT_WRITER && *mask != CONTEXT_WRITER ?
			       -EMLINK : 0;
	}
}

char *command_write_contexts(uint32_t mask)
{
	size_t room = 1;
	char *text;

	if (!mask)
		return strdup("none");
	for (int i = 0; contexts[i].word; i++)
		room += strlen(contexts[i].word) + 1;
	text = calloc(1, room);
	/* the first word of a bit is the agents' */
	for (int i = 0; text && contexts[i].word; i++) {
		if (!(mask & contexts[i].bit))
			continue;
		if (*text)
			strcat(text, ",");
		strcat(text, contexts[i].word);
		mask &= ~contexts[i].bit;
	}
	return text;
}

bool options_pid(struct options *options, pid_t *pid)
{
	int key;

	while ((key = options_next(options)) != OPTIONS_END) {
		if (key == OPTIONS_STOP)
			return false;
		options->status = command_take_pid(pid, options->value);
		if (options->status)
			return false;
	}
	return true;
}

int command_take_contexts(const char **to, const char *text)
{
	const char *bad;
	uint32_t mask;
	int ret = command_parse_contexts(&mask, text, &bad);

	if (ret == -EMLINK)
		return command_misused("--context '%s': writer stands alone: "
				       "its records already tell the thread",
				       text);
	if (ret)
		return command_misused("unknown context '%.*s': give none, or "
				       "vtid, vpid, procname, cpu, ip, "
				       "pthread_id; or writer",
				       (int)strcspn(bad, ","), bad);
	*to = command_write_contexts(mask);
	return *to ? COMMAND_DONE : command_failed("out of memory");
}
