/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages of sub-commands on standard error, and their exit status.
 */
#include "command/common/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "buffers/words.h"
#include "command/common/limits.h"
#include "command/common/printable.h"

/* argv[0] of the running sub-command */
static const char *word = "";

static const struct command *known_rows;

void command_set_rows(const struct command *rows)
{
	known_rows = rows;
}

const struct command *command_rows(void)
{
	return known_rows;
}

void command_name(const char *name)
{
	word = name;
}

/* Prints a line on stderr, behind all that was printed on stdout so far, by one
 * call: other commands may print there. */
static void line_print(const char *format, va_list ap)
{
	char *text = printable_text(format, ap);

	fflush(stdout);
	fprintf(stderr, "taffrail: %s%s%s\n", word, *word ? ": " : "",
		text ? text : "(out of memory)");
	free(text);
}

static bool (*failure_tell)(const char *text);

void command_set_failure(bool (*tell)(const char *text))
{
	failure_tell = tell;
}

int command_failed(const char *format, ...)
{
	/* no object can be made of the failure to make one */
	static bool telling;
	char *text;
	va_list ap;
	bool told;

	va_start(ap, format);
	text = telling || !failure_tell ? NULL : printable_text(format, ap);
	va_end(ap);
	telling = true;
	told = text && failure_tell(text);
	telling = false;
	free(text);
	if (told)
		return COMMAND_FAILED;
	va_start(ap, format);
	line_print(format, ap);
	va_end(ap);
	return COMMAND_FAILED;
}

void *command_need(void *memory)
{
	if (!memory)
		exit(command_failed("out of memory"));
	return memory;
}

void command_warn(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	line_print(format, ap);
	va_end(ap);
}

static bool lacks;		/* less is done than was asked for */

void command_lack(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	line_print(format, ap);
	va_end(ap);
	lacks = true;
}

int command_status(int status)
{
	return status == COMMAND_DONE && lacks ? COMMAND_FAILED : status;
}

void command_warn_words(uint32_t variables, const char *where)
{
	for (int i = 0; i < WORDS_VARIABLES; i++)
		if (variables & 1u << i)
			command_warn("%s%s is none of %s; the default is used",
				     where, words_name(i), words_list(i));
}

int command_misused(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	line_print(format, ap);
	va_end(ap);
	fprintf(stderr, "Try 'taffrail %s%s--help'.\n", word, *word ? " " : "");
	return COMMAND_USAGE;
}

int command_finish(void)
{
	if (fflush(stdout) || ferror(stdout))
		return command_failed("cannot write the output: %s",
				      limits_raise(errno));
	return COMMAND_DONE;
}
