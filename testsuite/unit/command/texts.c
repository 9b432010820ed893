/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Texts that all sub-commands share (command/common/): counts, words for a
 * shell, printable text, JSON, and reasons with their remedies.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <math.h>
#include <sys/resource.h>

#include "command/causes/cause.h"
#include "command/common/command.h"
#include "command/common/counted.h"
#include "command/common/json.h"
#include "command/common/limits.h"
#include "command/common/printable.h"
#include "command/common/shell.h"
#include "testsuite/unit/command/said.h"

static void check_counted(void)
{
	static const struct {
		uint64_t count;
		const char *noun, *text;
	} rows[] = {
		{ 0, "event", "0 events" },
		{ 1, "event", "1 event" },
		{ 2, "event", "2 events" },
		{ 1, "process", "1 process" },
		{ 2, "process", "2 processes" },
		{ 2, "suffix", "2 suffixes" },
		{ 2, "directory", "2 directories" },
		{ 0, "directory", "0 directories" },
		{ 2, "day", "2 days" },
		{ UINT64_MAX, "hit", "18446744073709551615 hits" },
	};
	const char *kept = counted(3, "hit");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		unit_equal_string(counted(rows[i].count, rows[i].noun),
				  rows[i].text, "%llu times '%s'",
				  (unsigned long long)rows[i].count,
				  rows[i].noun);
	kept = counted(3, "hit");
	for (int i = 0; i < 7; i++)
		counted(4, "hit");
	unit_equal_string(kept, "3 hits", "eight texts are kept");
}

static void check_shell(void)
{
	static const struct {
		const char *name, *word;	/* NULL: refused */
	} rows[] = {
		{ "trace", "trace" },
		{ "/tmp/a-1_2.b+c,d=e:f@g%h", "/tmp/a-1_2.b+c,d=e:f@g%h" },
		{ "a b", "'a b'" },
		{ "it's", "'it'\\''s'" },
		{ "'", "''\\'''" },
		{ "", "''" },
		{ "$HOME", "'$HOME'" },
		{ "~", "'~'" },
		{ "a;b", "'a;b'" },
		{ "=a", "'=a'" },
		{ "-o", "./-o" },
		{ "- ", "./'- '" },
		{ "caf\303\251", "'caf\303\251'" },
		{ "a\nb", NULL },
		{ "a\033[1m", NULL },
		{ "a\xff", NULL },
	};
	char text[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool fits = shell_word(text, sizeof(text), rows[i].name);

		unit_equal(fits, rows[i].word != NULL, "shell word %zu", i);
		unit_equal_string(fits ? text : NULL, rows[i].word,
				  "shell word %zu: text", i);
	}
	unit_check(shell_word(text, 6, "trace"), "a word that just fits");
	unit_check(!shell_word(text, 5, "trace"), "a word with no room");
	unit_check(!shell_word(text, 4, "it's"), "a quoted one with no room");
}

static void check_printable(void)
{
	said_begin(STDOUT_FILENO);
	printable_print("%s and %s\n", "a\tb\nc", "\033[1m\xff");
	unit_check(!strpbrk(said_end(), "\033\t\xff"),
		   "nothing that a terminal obeys");
	said_begin(STDOUT_FILENO);
	printable_print("%d\n", 7);
	printable_print("%s", "caf\303\251");
	unit_equal_string(said_end(), "7\ncaf\303\251", "printable text");
	said_begin(STDOUT_FILENO);
	printable_print("%s", "");
	unit_equal_string(said_end(), "", "no text");
}

static void put_string(const char *text)
{
	struct json json = { .file = stdout };

	said_begin(STDOUT_FILENO);
	json_string(&json, NULL, text);
}

static void check_json_strings(void)
{
	static const struct {
		const char *text, *json;
	} rows[] = {
		{ "", "\"\"" },
		{ "plain", "\"plain\"" },
		{ "a\"b\\c/", "\"a\\\"b\\\\c/\"" },
		{ "a\nb\tc", "\"a\\nb\\tc\"" },
		{ "\001\r\033\177", "\"\\u0001\\r\\u001b\\u007f\"" },
		{ "caf\303\251 \360\237\230\200",
		  "\"caf\303\251 \360\237\230\200\"" },
		/* bytes that are no part of UTF-8 */
		{ "caf\xe9", "\"caf\\uefe9\"" },
		{ "\x80\xff", "\"\\uef80\\uefff\"" },
		{ "\xc3", "\"\\uefc3\"" },
		{ "\xc0\x80", "\"\\uefc0\\uef80\"" },
		{ "\xed\xa0\x80", "\"\\uefed\\uefa0\\uef80\"" },
		{ "\xf4\x90\x80\x80", "\"\\ueff4\\uef90\\uef80\\uef80\"" },
		{ "\xe2\x82", "\"\\uefe2\\uef82\"" },
		/* the characters U+EF80 to U+EFFF, and those beside them */
		{ "\xee\xbe\x80", "\"\\uefee\\uefbe\\uef80\"" },
		{ "\xee\xbf\xbf", "\"\\uefee\\uefbf\\uefbf\"" },
		{ "\xee\xbd\xbf", "\"\xee\xbd\xbf\"" },
		{ "\xef\x80\x80", "\"\xef\x80\x80\"" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put_string(rows[i].text);
		unit_equal_string(said_end(), rows[i].json, "JSON string %zu",
				  i);
	}
}

static void check_json_reals(void)
{
	static const struct {
		long double value;
		const char *json;
	} rows[] = {
		{ 0, "0" },
		{ -1, "-1" },
		{ 1000000, "1000000" },
		{ 0.5, "0.5" },
		{ -2.25, "-2.25" },
		{ 1e300L, "1.0000000000000001e+300" },
		{ 9223372036854775807.0L, "9223372036854775807" },
		{ -9223372036854775808.0L, "-9223372036854775808" },
		{ 18446744073709551615.0L, "18446744073709551615" },
		{ NAN, "\"NaN\"" },
		{ INFINITY, "\"Infinity\"" },
		{ -INFINITY, "\"-Infinity\"" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct json json = { .file = stdout };
		long double value = i == 5 ? (long double)1e300 :
					     rows[i].value;

		said_begin(STDOUT_FILENO);
		json_real(&json, NULL, value);
		unit_equal_string(said_end(), rows[i].json, "JSON real %zu", i);
	}
}

static void check_json_document(void)
{
	struct json json = { .file = stdout };

	said_begin(STDOUT_FILENO);
	json_open(&json, NULL, '{');
	json_number(&json, "n", UINT64_MAX);
	json_open(&json, "list", '[');
	json_close(&json, ']');
	json_open(&json, "a\"b", '[');
	json_bool(&json, NULL, true);
	json_bool(&json, NULL, false);
	json_open(&json, NULL, '{');
	json_close(&json, '}');
	json_close(&json, ']');
	json_wide(&json, "wide", -((__int128)UINT64_MAX + 1));
	json_string(&json, "s", "t");
	json_close(&json, '}');
	json_end(&json);
	json_open(&json, NULL, '[');
	json_close(&json, ']');
	json_end(&json);
	unit_equal_string(said_end(),
			  "{\"n\":18446744073709551615,\"list\":[],"
			  "\"a\\\"b\":[true,false,{}],"
			  "\"wide\":-18446744073709551616,\"s\":\"t\"}\n[]\n",
			  "JSON document");
}

/* Has `error` beside the limit that may be meant. */
static void check_limits(void)
{
	struct rlimit limit = { .rlim_cur = 64, .rlim_max = 128 }, was;
	struct rlimit size = { RLIM_INFINITY, RLIM_INFINITY };
	char want[256];

	getrlimit(RLIMIT_NOFILE, &was);
	setrlimit(RLIMIT_NOFILE, &limit);
	unit_equal_string(limits_error(EMFILE),
			  "Too many open files (ulimit -n is 64)",
			  "too many files");
	unit_equal_string(limits_raise(EMFILE),
			  "Too many open files (ulimit -n is 64): raise it",
			  "too many files: remedy");
	unit_equal_string(limits_error(ENOENT), strerror(ENOENT),
			  "no limit's error");
	unit_equal_string(limits_raise(ENOENT), strerror(ENOENT),
			  "no limit's error: no remedy");
	limits_raise_files();
	getrlimit(RLIMIT_NOFILE, &limit);
	unit_equal((long long)limit.rlim_cur, 128, "limit of files raised");
	if (getrlimit(RLIMIT_FSIZE, &size) ||
	    size.rlim_max != RLIM_INFINITY)
		return;
	size.rlim_cur = 3 << 20;
	setrlimit(RLIMIT_FSIZE, &size);
	snprintf(want, sizeof(want), "%s (ulimit -f is 3072K)",
		 strerror(EFBIG));
	unit_equal_string(limits_error(EFBIG), want, "too large a file");
	size.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &size);
	unit_equal_string(limits_error(EFBIG), strerror(EFBIG),
			  "a limit that is none");
}

/* With files up to `most`, some of which are open. */
static void check_files(void)
{
	struct rlimit limit;
	int fds[2], error, status;

	getrlimit(RLIMIT_NOFILE, &limit);
	fds[0] = dup(0);
	limit.rlim_cur = (rlim_t)fds[0] + 1 + 5;
	setrlimit(RLIMIT_NOFILE, &limit);
	unit_equal(limits_count_files(3, &error), 3, "three more files");
	unit_equal(error, 0, "three more files: no error");
	unit_equal(limits_count_files(5, &error), 5, "five more files");
	unit_equal(limits_count_files(6, &error), 5, "six more files");
	unit_equal(error, EMFILE, "six more files: error");
	unit_equal(limits_spare_files(5), 0, "five to spare");
	unit_equal(limits_spare_files(6), -EMFILE, "six to spare");
	unit_equal(cause_check_files(5), COMMAND_DONE, "five are enough");
	limit.rlim_cur = (rlim_t)fds[0] + 1 + 10;
	setrlimit(RLIMIT_NOFILE, &limit);
	unit_equal(limits_count_files(9, &error), LIMITS_FILES,
		   "at most so many are looked for");
	unit_equal(cause_check_files(LIMITS_FILES), COMMAND_DONE, "enough files");
	/* said_begin() takes two */
	limit.rlim_cur = (rlim_t)fds[0] + 1 + 2 + 4;
	setrlimit(RLIMIT_NOFILE, &limit);
	command_name("");
	said_begin(STDERR_FILENO);
	status = cause_check_files(6);
	unit_check(strstr(said_end(), "): 4 more can be opened, and 6 are "
			  "needed: raise it\n"), "too few files: text");
	unit_equal(status, COMMAND_FAILED, "too few files");
	close(fds[0]);
}

#define HAS(text, part)							\
	unit_check(strstr((text), (part)), "%s: %s", #text, part)

/* Has the words for an errno of a cause. */
static void check_error(enum cause_id id, int error, const char *part)
{
	struct cause cause;
	char line[CAUSE_LINE_BYTES];

	cause_fill(&cause, 0, id, &(struct cause_slots){ .error = error });
	unit_check(strstr(cause_line(&cause, line), part), "%s: %s", line,
		   part);
}

static void check_errors(void)
{
	static const struct {
		enum cause_id id;
		int error;
		const char *part;
	} rows[] = {
		{ CAUSE_OUTPUT_FAILED, ENOSPC, "the disk is full: make room" },
		{ CAUSE_OUTPUT_FAILED, EFBIG, "--max-size" },
		{ CAUSE_OUTPUT_FAILED, EACCES, "may not write" },
		{ CAUSE_OUTPUT_FAILED, -EEXIST, "is a file" },
		{ CAUSE_OUTPUT_FAILED, EMFILE, "Too many open" },
		{ CAUSE_OUTPUT_FAILED, EMFILE, ": raise it" },
		{ CAUSE_OUTPUT_FAILED, ENFILE, "fs.file-max" },
		{ CAUSE_MEMBER_UNREAD, EACCES, "another user" },
		{ CAUSE_MEMBER_UNREAD, ENOMEM, "(ulimit -v)" },
		{ CAUSE_BUFFERS_NONE, ENOSPC, "smaller --buffer-size" },
		{ CAUSE_BUFFERS_NONE, EROFS, "TAFFRAIL_DIR" },
		{ CAUSE_BUFFERS_CUT, EMFILE, "(ulimit -n)" },
		{ CAUSE_AGENT_FILES_UNMADE, ENOSPC, "df -i" },
		{ CAUSE_AGENT_FILES_UNMADE, EPERM, "chown" },
		{ CAUSE_SNAPSHOT_UNFINISHED, EDQUOT,
		  "(-o), and take another snapshot" },
		{ CAUSE_SNAPSHOT_UNFINISHED, EBADMSG,
		  "another version: take another snapshot" },
		{ CAUSE_EXECUTE_FAILED, EACCES, "chmod +x" },
		{ CAUSE_EXECUTE_FAILED, ENOMEM, "out of memory" },
	};
	struct cause cause;
	char line[CAUSE_LINE_BYTES];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_error(rows[i].id, rows[i].error, rows[i].part);
	cause_set(&cause, 0, OUTPUT_FAILED, .path = "x", .error = EINTR);
	unit_equal_string(cause_line(&cause, line),
			  "x: Interrupted system call", "no words of ours");
	cause_set(&cause, 0, BUFFERS_CUT, .pid = 5, .path = "x", .text = "1K");
	unit_equal_string(cause_line(&cause, line),
			  "process 5: buffers of 1K in x", "no errno");
}

static void check_messages(void)
{
	int status;

	command_name("");
	said_begin(STDERR_FILENO);
	status = command_failed("no %s", "a\nb");
	unit_check(!strncmp(said_end(), "taffrail: no a", 14),
		   "failure before the sub-command is known");
	unit_equal(status, COMMAND_FAILED, "failure: status");
	command_name("view");
	said_begin(STDERR_FILENO);
	status = command_misused("fact");
	unit_equal_string(said_end(), "taffrail: view: fact\nTry 'taffrail "
			  "view --help'.\n", "misuse");
	unit_equal(status, COMMAND_USAGE, "misuse: status");
	command_name("");
	said_begin(STDERR_FILENO);
	command_misused("fact");
	unit_equal_string(said_end(), "taffrail: fact\nTry 'taffrail "
			  "--help'.\n", "misuse without a sub-command");
}

int main(void)
{
	check_counted();
	check_shell();
	check_printable();
	check_json_strings();
	check_json_reals();
	check_json_document();
	check_limits();
	check_files();
	check_errors();
	check_messages();
	return unit_end();
}
