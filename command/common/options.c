/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options and arguments that all sub-commands have in common.
 *
 * What must stay true here: --help is printed from the rows that are parsed, so
 * both have the same options.
 */
#include "command/common/options-private.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tunables.h"
#include "buffers/layout.h"

#define KEY_HELP	0x7fff
#define HELP_COLUMN	30

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

static void print_row(const struct option_row *row)
{
	char left[80];
	int n = 0;

	if (row->key < 256)
		n = snprintf(left, sizeof(left), "-%c", row->key);
	if (row->word)
		n += snprintf(left + n, sizeof(left) - n, "%s--%s",
			      n ? ", " : "    ", row->word);
	if (row->argument)
		snprintf(left + n, sizeof(left) - n, " %s", row->argument);
	if (strlen(left) > HELP_COLUMN - 4)
		printf("  %s\n%*s%s\n", left, HELP_COLUMN, "", row->help);
	else
		printf("  %-*s%s\n", HELP_COLUMN - 2, left, row->help);
}

static int print_help(const struct options *options)
{
	static const struct option_row help = {
		'h', "help", NULL, "print this"
	};

	if (listener.take) {
		listener.take(options, listener.priv);
		return COMMAND_DONE;
	}
	printf("Usage: taffrail %s [OPTIONS]%s%s\n", options->argv[0],
	       options->shape && *options->shape ? " " : "",
	       options->shape ? options->shape : "");
	if (options->about)
		printf("%s\n", options->about);
	printf("\nOptions:\n");
	for (const struct option_row *row = options->rows; row->key; row++)
		if (row->help)
			print_row(row);
	print_row(&help);
	return command_finish();
}

/* Makes getopt's two descriptions of the rows. */
static void describe(const struct options *options, char *letters,
		     struct option *words)
{
	if (options->stop_early)
		*letters++ = '+';
	*letters++ = ':';
	*letters++ = 'h';
	*words++ = (struct option){ "help", no_argument, NULL, KEY_HELP };
	for (const struct option_row *row = options->rows; row->key; row++) {
		if (row->key < 256) {
			*letters++ = row->key;
			if (row->argument)
				*letters++ = ':';
		}
		if (row->word)
			*words++ = (struct option){
				row->word, row->argument ? required_argument :
				no_argument, NULL, row->key
			};
	}
	*letters = '\0';
	memset(words, 0, sizeof(*words));
}

bool command_json(void)
{
	return json_given;
}

/* Notes that an option was --json. */
static void option_note(const struct options *options, int key)
{
	for (const struct option_row *row = options->rows; row->key; row++)
		if (row->key == key && row->word && !strcmp(row->word, "json"))
			json_given = true;
}

int options_next(struct options *options)
{
	char letters[3 + 2 * OPTIONS_ROWS_MAX];
	struct option words[2 + OPTIONS_ROWS_MAX];
	int key;

	if (walked != options->argv[0]) {
		walked = options->argv[0];
		json_given = false;
		command_name(walked);
		optind = 0;
	}
	opterr = 0;
	describe(options, letters, words);
	key = getopt_long(options->argc, options->argv, letters, words, NULL);
	options->value = optarg;
	options->index = optind;
	if (optarg && optind == options->argc &&
	    optarg == options->argv[optind - 1]) {
		last_option = options->argv[optind - 2];
		last_value = optarg;
	}
	switch (key) {
	case -1:
		return OPTIONS_END;
	case 'h':
	case KEY_HELP:
		options->status = print_help(options);
		return OPTIONS_STOP;
	case '?':
	case ':':
		options->status = options_misused(options, key, optopt,
						  options_tell);
		return OPTIONS_STOP;
	default:
		option_note(options, key);
		return key;
	}
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

	if (digits && *behind && strchr(" ,\t\n", *behind) &&
	    isdigit((unsigned char)behind[strspn(behind, " ,\t\n")]))
		return command_misused("'%s' is not a process id; %s", text,
				       each);
	if (isalpha((unsigned char)*text) || strchr(text, '/'))
		return command_misused("'%s' is not a process id; pidof(1) "
				       "tells that of a program", text);
	return command_misused("'%s' is not a process id", text);
}

int command_take_pids(struct command_pids *pids, const char *text)
{
	pid_t pid;

	if (command_parse_pid(&pid, text))
		return command_misused_pid(text, "give each its own -p");
	for (int i = 0; i < pids->count; i++)
		if (pids->pids[i] == pid)
			return COMMAND_DONE;
	if (pids->count == COMMAND_PIDS_MAX)
		return command_misused("more than %d processes",
				       COMMAND_PIDS_MAX);
	pids->pids[pids->count++] = pid;
	return COMMAND_DONE;
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
	char *end;

	*seconds = strtod(text, &end);
	if (end == text || *end || !isfinite(*seconds) || *seconds <= 0 ||
	    *seconds > 1e9)
		return command_misused("--for '%s': give seconds, more than 0, "
				       "as in 0.5 or 10", text);
	return COMMAND_DONE;
}

static const struct {
	const char *word;
	uint32_t bit;
} contexts[] = {
	{ "vtid", CONTEXT_VTID },
	{ "vpid", CONTEXT_VPID },
	{ "procname", CONTEXT_PROCNAME },
	{ "cpu", CONTEXT_CPU },
	{ "ip", CONTEXT_IP },
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
		if (!text[n])
			return 0;
	}
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

	if (command_parse_contexts(&mask, text, &bad))
		return command_misused("unknown context '%.*s': give none, or "
				       "vtid, vpid, procname, cpu, ip",
				       (int)strcspn(bad, ","), bad);
	*to = text;
	return COMMAND_DONE;
}
