/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail list --lines FILE.c[:LINE]: the lines of a source file that rules
 * can have, with the variables that have a value there.
 *
 * Invariant: the answers of the symboliser's child are text of unknown origin,
 * which reaches the terminal only through printable_print().
 */
#include "command/list-lines-private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "command/common/command.h"
#include "command/common/nearest.h"
#include "command/common/printable.h"
#include "command/elf/debug-files.h"
#include "command/elf/markers.h"
#include "command/elf/process-markers.h"
#include "command/procfs/process.h"
#include "command/sandbox/opener.h"
#include "command/symboliser/symboliser.h"
#include "tracepoints/fields/fields.h"
#include "tracepoints/usdt/plan/plan.h"

#define ROW_BYTES	4096
#define FILE_BYTES	512
#define TYPE_BYTES	32

/* A place of a line, in the order in which it is printed. */
struct row {
	unsigned long line;
	char function[128];
	char fields[ROW_BYTES];		/* "TYPE NAME, ..." */
	char without[ROW_BYTES];	/* "NAME, ..." */
	char addresses[ROW_BYTES];	/* in the file, "0x..., ..." */
	int why;			/* it has no jump; as in an answer */
	unsigned int places;		/* that are alike */
};

struct listing {
	const char *source;
	unsigned long line;		/* that is printed; 0: all are */
	unsigned long before, next;	/* those around it with code; or 0 */
	char bare[FILE_BYTES];		/* about the first file, if it has no
					 * debug information; or "" */
	bool seen;			/* the first file was */
	struct json *json;		/* or NULL */
	bool handles;			/* the process handles faults */
	struct row row;
	struct nearest sources;		/* if none has the name */
	bool any;
	int status;
};

/* Adds a word to a list, if there is room. */
static void word_add(char list[ROW_BYTES], const char *type, const char *name)
{
	size_t used = strlen(list);

	snprintf(list + used, ROW_BYTES - used, "%s%s%s%s", used ? ", " : "",
		 type, *type ? " " : "", name);
}

/* Prints a list as an array. */
static void list_json(struct json *json, const char *key, char *list)
{
	char *word;

	json_open(json, key, '[');
	while ((word = strsep(&list, ",")))
		if (*word)
			json_string(json, NULL, word + (*word == ' '));
	json_close(json, ']');
}

/* Returns how a place is had. */
static enum marker_placement row_placement(const struct row *row)
{
	return !row->why		? PLACED_JUMP :
	       row->why == USDT_PUNS ? PLACED_PUNNED :
	       row->why & USDT_TRAPS ? PLACED_INT3 : PLACED_NOT;
}

static const char *row_why(const struct row *row)
{
	return !row->why || row->why == USDT_PUNS ? "" :
	       usdt_reason_text((enum usdt_reason)(row->why & ~USDT_TRAPS));
}

/* Takes a place: prints the last one, unless this is like it. */
static void row_take(struct listing *l, const struct row *next)
{
	struct row *row = &l->row;
	char where[FILE_BYTES];

	if (l->line && next->line && next->line != l->line) {
		if (next->line < l->line && next->line > l->before)
			l->before = next->line;
		if (next->line > l->line &&
		    (!l->next || next->line < l->next))
			l->next = next->line;
		return;
	}
	if (row->line && row->line == next->line && row->why == next->why &&
	    !strcmp(row->function, next->function) &&
	    !strcmp(row->fields, next->fields) &&
	    !strcmp(row->without, next->without)) {
		row->places++;
		word_add(row->addresses, "", next->addresses);
		return;
	}
	if (!row->line) {
		*row = *next;
		return;
	}
	l->any = true;
	snprintf(where, sizeof(where), "%s:%lu", l->source, row->line);
	if (l->json) {
		json_open(l->json, NULL, '{');
		json_string(l->json, "rule", where);
		json_string(l->json, "function", row->function);
		json_number(l->json, "places", row->places);
		list_json(l->json, "addresses", row->addresses);
		json_string(l->json, "placement",
			    placement_text(row_placement(row)));
		if (*row_why(row))
			json_string(l->json, "why", row_why(row));
		list_json(l->json, "fields", row->fields);
		list_json(l->json, "without", row->without);
		json_close(l->json, '}');
		*row = *next;
		return;
	}
	printable_print("%-20s %s(%s)", where, row->function, row->fields);
	if (*row->without)
		printable_print(" without %s", row->without);
	if (row->places > 1)
		printf(" [%u places]", row->places);
	if (row->why)
		printf(" [%s%s%s]", placement_text(row_placement(row)),
		       *row_why(row) ? ": " : "", row_why(row));
	printf("\n");
	*row = *next;
}

/* Takes a line of an answer into the row. */
static void answer_take(struct listing *l, struct row *row, char *words)
{
	char *word = strsep(&words, "\t"), *name, *address, type[TYPE_BYTES];
	struct text text;

	if (!words)
		return;
	if (!strcmp(word, "spot")) {
		row_take(l, row);
		address = strsep(&words, "\t");
		word = strsep(&words, "\t");
		*row = (struct row){ .line = word ? strtoul(word, NULL, 10) : 0,
				     .places = 1 };
		snprintf(row->function, sizeof(row->function), "%s",
			 words ? words : "");
		snprintf(row->addresses, sizeof(row->addresses), "0x%s",
			 address);
	} else if (!strcmp(word, "split")) {
		l->status = command_failed("the file with the debug "
					   "information is missing: %s", words);
	} else if (!strcmp(word, "near")) {
		nearest_add(&l->sources, strdup(words));
	} else if (!strcmp(word, "plan")) {
		row->why = atoi(words) & (2 * USDT_PUNS - 1);
	} else if (!strcmp(word, "field")) {
		text_open(&text, type, sizeof(type));
		field_type_add(&text, (uint8_t)atoi(words));
		strsep(&words, "\t");
		strsep(&words, "\t");
		name = strsep(&words, "\t");
		if (name)
			word_add(row->fields, type, name);
	} else if (!strcmp(word, "none")) {
		name = strsep(&words, "\t");
		if (!words)
			return;
		/* a part of it may be had */
		if (strstr(words, "is a structure"))
			word_add(row->fields, "struct", name);
		else if (strstr(words, "is an array"))
			word_add(row->fields, "array", name);
		else
			word_add(row->without, "", name);
	}
}

/* Lists the lines that a file has. */
static int file_list(const char *path, const char *called,
		     const struct opener_file *file, void *priv)
{
	static struct symboliser_module module;
	static const struct row none;
	static struct row row;
	uint64_t ns = SYMBOLISER_MARKERS_NS;
	struct listing *l = priv;
	char words[FILE_BYTES], *text, *rest, *line;
	size_t n = strlen(l->source) + 1;
	int ret;

	if (n + 3 > sizeof(words))
		return 0;
	/* with the parameters */
	memcpy(words, l->source, n);
	memcpy(words + n, "\0!", 3);
	ret = symboliser_read_open(&module, file);
	if (!ret)
		ret = debug_spots(&text, words, n + (l->handles ? 3 : 1), path,
				  file, &module, true, &ns);
	if (ret) {
		l->status = command_failed("%s: %s", path,
					   symboliser_error(ret));
		return 0;
	}
	if (!*text && !l->seen)
		debug_missing(l->bare, sizeof(l->bare), path, &module);
	l->seen = true;
	row = none;
	for (rest = text; (line = strsep(&rest, "\n"));)
		answer_take(l, &row, line);
	row_take(l, &row);
	row_take(l, &none);
	free(text);
	return 0;
}

int list_lines(const char *source, pid_t pid, char **paths, int n,
	       struct json *json)
{
	struct listing listing = {
		.source = source, .json = json,
		.handles = pid && process_handles_faults(pid),
		.sources = { .rule = source },
	};
	char names[FILE_BYTES], *end = strrchr(source, ':');
	int ret = 0;

	if (end && end[1] && !end[1 + strspn(end + 1, "0123456789")] &&
	    (listing.line = strtoul(end + 1, NULL, 10)))
		listing.source = strndup(source, (size_t)(end - source));
	if (!listing.source || strpbrk(listing.source, ":\t\n"))
		return command_misused("--lines '%s': give the name of a "
				       "source file, as FILE.c or FILE.c:LINE",
				       source);
	if (pid)
		ret = process_each_file(pid, file_list, &listing);
	for (int i = 0; i < n; i++) {
		struct opener_file file;

		ret = opener_open(&file, paths[i], 0);
		if (ret) {
			listing.status = command_failed("%s: %s", paths[i],
							strerror(-ret));
			continue;
		}
		file_list(paths[i], NULL, &file, &listing);
		opener_close(&file);
	}
	if (pid && (ret == -ENOENT || ret == -ESRCH))
		return command_failed("no such process: %d", pid);
	if (pid && ret < 0)
		return command_failed("process %d: its files cannot be read: "
				      "%s", pid, strerror(-ret));
	if (listing.any || listing.status)
		return listing.status;
	if (listing.next)
		return command_failed("%s: there is no code at that line; the "
				      "next one with code is %lu", source,
				      listing.next);
	if (listing.before)
		return command_failed("%s: the last line with code is %lu",
				      source, listing.before);
	listing.sources.rule = listing.source;
	nearest_text(&listing.sources, names, sizeof(names));
	return *names && !*listing.bare ?
			command_failed("no source with code is called %s; "
				       "nearest: %s", listing.source, names) :
			command_failed("no file has debug information for lines "
				       "of %s, as -g makes it%s%s",
				       listing.source, *listing.bare ? ": " : "",
				       listing.bare);
}
