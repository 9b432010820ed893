/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Types of functions. See call-types-private.h.
 *
 * Invariant: the answers of the symboliser's child are text of unknown origin;
 * a description has the build id of the file that was asked.
 */
#include "command/elf/call-types-private.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/lines.h"
#include "base/text.h"
#include "command/common/command.h"
#include "command/common/installed.h"
#include "command/elf/debug-files.h"
#include "command/elf/named-functions.h"
#include "command/elf/process-markers.h"
#include "command/elf/program-functions.h"
#include "command/sandbox/opener.h"
#include "command/symboliser/symboliser.h"
#include "tracepoints/conditions/rule-split.h"

#define RULES_MAX	64
#define FILES_MAX	512
#define TEXT_BYTES	24576		/* of all rules: a session's file has
					 * 64 KiB for all that it says */

/* A rule with the descriptions. */
struct typed_rule {
	char *rule;
	char whole[LINE_VALUE_BYTES / 2];	/* without the condition */
	char glob[LINE_VALUE_BYTES / 2];
	char *text;			/* or NULL: none, or too many */
	size_t bytes;
	bool many;
	bool taken;			/* the last description */
	char lacks[480];		/* of the first function that lacks
					 * fields: "FUNCTION: NAME WHY, ..." */
	uint32_t nlacks;		/* such functions */
	char twice[16];			/* an argument that is called as a field
					 * of whole calls in the condition */
};

static struct typed_rule typed[RULES_MAX];
static uint32_t ntyped;
static size_t all_bytes;

/* The files that were read. */
struct reading {
	uint64_t inodes[FILES_MAX];
	size_t n;
};

static void text_drop(struct typed_rule *rule)
{
	all_bytes -= rule->bytes;
	free(rule->text);
	rule->text = NULL;
	rule->bytes = 0;
}

/* Adds n bytes of a line to the text of a rule. Returns false if there is no
 * room. */
static bool text_append(struct typed_rule *rule, const char *text, int n)
{
	char *more;

	rule->many |= all_bytes + (size_t)n > TEXT_BYTES;
	more = rule->many || n >= LINE_VALUE_BYTES ? NULL :
		realloc(rule->text, rule->bytes + (size_t)n + 1);
	if (!more)
		return false;
	memcpy(more + rule->bytes, text, (size_t)n + 1);
	rule->text = more;
	rule->bytes += (size_t)n;
	all_bytes += (size_t)n;
	return true;
}

/* Notes values without a field, of the places that the rule means. */
static void lacks_take(struct typed_rule *rule, char *words)
{
	const char *symbol = strsep(&words, "\t");
	const char *result = strsep(&words, "\t");
	bool returns = rule_names_returns(rule->whole);
	bool entries = !strstr(rule->whole, "%entry");
	int n;

	if (!words || !(*(returns ? "" : words) || *(entries ? result : "")) ||
	    rule->nlacks++)
		return;
	n = snprintf(rule->lacks, sizeof(rule->lacks), "%.100s: %s%s", symbol,
		     returns ? "" : words, entries ? result : "");
	n = n < (int)sizeof(rule->lacks) ? n : (int)sizeof(rule->lacks) - 1;
	rule->lacks[n - 2] = '\0';
}

/* Notes an argument that has the name of a field of whole calls in the rule's
 * condition. */
static void twice_take(struct typed_rule *rule, const char *fields)
{
	static const char *const own[] = { " value,", " duration,", " depth," };
	char word[16];
	size_t bytes;
	const char *condition = rule_condition(rule->rule, &bytes);

	/* "\t-": there is no result */
	for (size_t i = fields[1] == '-'; i < ARRAY_SIZE(own); i++) {
		sscanf(own[i], " %15[a-z]", word);
		if (condition_is_whole(condition) && strstr(fields, own[i]) &&
		    expr_names(condition, word))
			strcpy(rule->twice, word);
	}
}

/* Takes a line of the answer about a file with this build id. */
static void answer_take(struct typed_rule *rule, char *line, const char *id)
{
	char text[LINE_VALUE_BYTES + 8];
	char *words = line, *word = strsep(&words, "\t"), *end;
	unsigned long long number;

	rule->many |= !strcmp(word, "many");
	if (!words)
		return;
	number = strtoull(words, &end, strcmp(word, "call") ? 10 : 16);
	if (!strcmp(word, "lacks"))
		lacks_take(rule, words);
	else if (*end != '\t')
		return;
	else if (!strcmp(word, "call")) {
		rule->taken = text_append(
			rule, text,
			snprintf(text, sizeof(text), "spot=%s %llx f %s%s\n",
				 id, number, rule->glob, end));
		twice_take(rule, end);
	} else if (!strcmp(word, "operand") && rule->taken)
		text_append(rule, text,
			    snprintf(text, sizeof(text), "field=%02llu %s\n",
				     number, end + 1));
	/* names may be left out */
	else if (!strcmp(word, "names") && rule->taken &&
		 all_bytes < TEXT_BYTES / 2)
		text_append(rule, text,
			    snprintf(text, sizeof(text), "field==%s\n",
				     end + 1));
}

/* Asks about a file, for each rule. */
static int file_take(const char *path, const char *called,
		     const struct opener_file *file, void *priv)
{
	char words[LINE_VALUE_BYTES + 256], id[2 * SYMBOLISER_ID_BYTES + 1];
	static struct symboliser_module module;
	char names[FILE_NAMES_BYTES];
	uint64_t ns = SYMBOLISER_MARKERS_NS;
	struct reading *reading = priv;
	char *text, *rest, *line;

	for (size_t i = 0; i < reading->n; i++)
		if (reading->inodes[i] == file->st.st_ino)
			return 0;
	/* libc's functions have a table */
	if (reading->n == FILES_MAX || rule_is_runtime(text_file_name(path)) ||
	    symboliser_read_open(&module, file) || !module.id_bytes)
		return 0;
	module_names(names, path, called, module.soname);
	reading->inodes[reading->n++] = file->st.st_ino;
	for (uint32_t i = 0; i < module.id_bytes; i++)
		sprintf(id + 2 * i, "%02x", module.id[i]);
	for (uint32_t i = 0; i < ntyped; i++) {
		size_t bytes = (size_t)snprintf(words, sizeof(words), "%s%c%s",
						typed[i].glob, '\0', names) +
			       1;

		if (typed[i].many || bytes > sizeof(words) ||
		    debug_spots(&text, words, bytes, path, file, &module, false,
				&ns))
			continue;
		for (rest = text; (line = strsep(&rest, "\n"));)
			answer_take(&typed[i], line, id);
		free(text);
	}
	return 0;
}

/* Reads the programs that the words of an argument name, as those of a shell's
 * command or the argument of `timeout`. */
static void words_take(const char *argument, struct reading *reading)
{
	char *words = strdup(argument), *rest = words, *word, path[PATH_MAX];
	struct stat st;

	while ((word = words ? strsep(&rest, " \t\n;&|()'\"`") : NULL))
		if (*word && *word != '-' &&
		    !installed_program(path, sizeof(path), word) &&
		    !stat(path, &st) && S_ISREG(st.st_mode) &&
		    !access(path, X_OK))
			files_of_program(path, file_take, reading);
	free(words);
}

/* Tells whether a condition names the registers of arguments. */
static bool names_registers(const char *condition)
{
	const char *p = condition;

	while (p && (p = strstr(p, "arg"))) {
		if (isdigit((unsigned char)p[3]) &&
		    !isalnum((unsigned char)p[-1]) && p[-1] != '_')
			return true;
		p += 3;
	}
	return false;
}

/* Notes a rule for functions. One that says types needs those of results. */
static void rule_note(const char *rule)
{
	struct typed_rule *new = &typed[ntyped];
	size_t bytes;
	const char *condition = rule_condition(rule, &bytes);

	if (rule_kind(rule) != RULE_FUNCTIONS || ntyped == RULES_MAX ||
	    bytes >= sizeof(new->glob) || names_registers(condition))
		return;
	*new = (struct typed_rule){ .rule = strdup(rule) };
	memcpy(new->glob, rule, bytes);
	memcpy(new->whole, rule, bytes);
	/* the types are those of the function */
	if (rule_names_returns(new->glob))
		new->glob[bytes - strlen(RULE_RETURN)] = '\0';
	ntyped += !!new->rule;
}

void call_types_compile(const char *const *rules, int count,
			const struct named_in *in)
{
	static struct reading reading;

	reading.n = 0;
	while (ntyped) {
		text_drop(&typed[--ntyped]);
		free(typed[ntyped].rule);
	}
	for (int i = 0; i < count; i++)
		rule_note(rules[i]);
	for (size_t i = 0; ntyped && i < in->npids; i++)
		process_each_file(in->pids[i], file_take, &reading);
	if (ntyped && in->program)
		files_of_program(in->program, file_take, &reading);
	for (int i = 0; ntyped && in->arguments && in->arguments[i]; i++)
		words_take(in->arguments[i], &reading);
	for (uint32_t i = 0; i < ntyped; i++) {
		char others[64] = "";

		if (typed[i].nlacks > 1)
			snprintf(others, sizeof(others),
				 "; and %u other functions have some",
				 typed[i].nlacks - 1);
		if (typed[i].many)
			text_drop(&typed[i]);
		else if (typed[i].nlacks)
			command_warn("rule '%s': limits of %s%s",
				     typed[i].rule, typed[i].lacks, others);
		if (typed[i].twice[0])
			command_warn("rule '%s': %s is the call's; an argument "
				     "of that name is %s_2", typed[i].rule,
				     typed[i].twice, typed[i].twice);
	}
}

const char *call_types_text(const char *rule)
{
	for (uint32_t i = 0; i < ntyped; i++)
		if (!strcmp(typed[i].rule, rule) && typed[i].text)
			return typed[i].text;
	return "";
}
