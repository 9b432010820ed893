/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fills and prints causes. See cause.h, and texts.def for the texts.
 *
 * Invariant: a text is written into memory of CAUSE_LINE_BYTES, and cut there,
 * also where another process has made the values.
 */
#include "command/causes/cause.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "buffers/layout.h"
#include "command/common/command.h"
#include "command/common/counted.h"
#include "command/common/json.h"
#include "command/common/limits.h"
#include "control/protocol.h"

/* The numbers that texts.def names, as parts of its strings. */
#define STRING_OF(x)  #x
#define STRING(x)     STRING_OF(x)
#define CAUSE_VERSION STRING(PROTOCOL_VERSION)
#define CAUSE_LAYOUT  STRING(LAYOUT_VERSION)

/* Of the rows of the runtime directory. */
#define DIRECTORY_MOST	"199"
#define DIRECTORY_REMEDY                                              \
	"set TAFFRAIL_DIR to a private directory (mode 0700) of yours, " \
	"on tmpfs"
#define DIRECTORY_DISPLACED                                            \
	"programs that begin now are not recorded, nor are children that " \
	"have no event yet"
#define ROOM_REMEDY                                             \
	"make room, set TAFFRAIL_DIR to a directory with more " \
	"room, or give a smaller --buffer-size"
#define DIRECTORY_KEEP "leave it as it is while a command works"

/* texts.def names this file. */
_Static_assert(sizeof(CALL_FILE) > 1, "the file of requests has a name");
_Static_assert(PROTOCOL_DIR_BYTES == 200, "texts.def names the longest path");

/* A noun in a text. */
#define NOUN_BYTES	64

/* The slots of each row, by number. A number that no row has is NULL: an agent
 * of a later version may send one (cause_known()). */
static const char *const slots_of[] = {
#define CAUSE(name, number, slots) [number] = #slots,
#include "control/causes.def"
#undef CAUSE
};

/* The texts, in the order of texts.def; row_find() looks for the id. */
static const struct cause_row rows[] = {
#define CAUSE_TEXT(name, status_, doctor_, fact_, remedy_) \
	{ .id = CAUSE_##name,                              \
	  .word = #name,                                   \
	  .status = (status_),                             \
	  .doctor = (doctor_),                             \
	  .fact = (fact_),                                 \
	  .remedy = (remedy_) },
#include "command/causes/texts.def"
#undef CAUSE_TEXT
};

/* The row is static, and lasts until the next call. */
const struct cause_row *cause_row(size_t i)
{
	static struct cause_row row;

	if (i >= ARRAY_SIZE(rows))
		return NULL;
	row = rows[i];
	row.slots = slots_of[row.id];
	return &row;
}

/* The words for an errno, in the order of errors.def. */
static const struct error_row {
	const char *groups; /* or NULL */
	int error;
	const char *why, *mend; /* or NULL */
} errors[] = {
#define ERROR_TEXT(groups, error, why, mend) { groups, error, why, mend },
#include "command/causes/errors.def"
#undef ERROR_TEXT
};

/* Returns the row of a cause, without the slots; NULL for CAUSE_NONE. */
static const struct cause_row *row_find(enum cause_id id)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].id == id)
			return &rows[i];
	return NULL;
}

/* Ask this of a number that an agent sends: one of a later release may have
 * more causes. */
bool cause_known(uint64_t id)
{
	return id < ARRAY_SIZE(slots_of) && slots_of[id];
}

const char *cause_word(enum cause_id id, char word[CAUSE_WORD_BYTES])
{
	const struct cause_row *row = row_find(id);

	snprintf(word, CAUSE_WORD_BYTES, "%s", row ? row->word : "");
	for (char *p = word; *p; p++)
		*p = *p == '_' ? '-' : (char)tolower((unsigned char)*p);
	return word;
}

bool cause_fails(enum cause_id id)
{
	const struct cause_row *row = row_find(id);

	return row && row->status;
}

/* Builds the cause aside, because slots may point into the one that it
 * replaces. */
int cause_fill(struct cause *cause, int ret, enum cause_id id,
	       const struct cause_slots *slots)
{
	struct cause new = {
		.id = id,
		.pid = slots->pid,
		.error = abs(slots->error),
		.n = slots->n,
	};

	/* of a long path, the end tells more than the beginning */
	if (slots->path && strlen(slots->path) >= sizeof(new.path))
		snprintf(new.path, sizeof(new.path), "...%s", slots->path +
			 strlen(slots->path) + 4 - sizeof(new.path));
	else
		snprintf(new.path, sizeof(new.path), "%s", slots->path ?: "");
	snprintf(new.text, sizeof(new.text), "%s", slots->text ?: "");
	snprintf(new.subject, sizeof(new.subject), "%s", slots->subject ?: "");
	snprintf(new.limits, sizeof(new.limits), "%s", slots->limits ?: "");
	*cause = new;
	return ret;
}

/* Writes why, or how to mend it, for the errno of a cause in a group. Returns
 * false if there is none. */
static bool error_write(const struct cause *cause, bool mend,
			const char *group, size_t n, FILE *to)
{
	const struct error_row *row = errors;
	const char *text = NULL;

	while (row < errors + ARRAY_SIZE(errors) &&
	       (row->error != cause->error ||
		(row->groups &&
		 !memmem(row->groups, strlen(row->groups), group, n))))
		row++;
	if (row < errors + ARRAY_SIZE(errors))
		text = mend ? row->mend : row->why;
	if (!text && !mend && cause->error)
		text = limits_error(cause->error);
	return text && fputs(text, to) >= 0;
}

/*
 * Writes the value of a place. "{n THING}" is "1 THING" or "N THINGS",
 * "{ONE/MORE}" the one or the other, by the number. Returns false if the cause
 * has no value for it.
 */
static bool place_write(const struct cause *cause, const char *name, size_t n,
			FILE *to)
{
	const struct {
		const char *name, *text;
	} texts[] = {
		{ "path", cause->path },
		{ "text", cause->text },
		{ "subject", cause->subject },
		{ "limits", cause->limits },
		{ "error", cause->error ? strerror(cause->error) : "" },
		{ "limit", cause->error ? limits_raise(cause->error) : "" },
	};
	const char *slash = memchr(name, '/', n);
	char noun[NOUN_BYTES];
	size_t one;

	/* "{ONE/MORE}" */
	if (slash) {
		one = (size_t)(slash - name);
		if (cause->n == 1)
			fwrite(name, 1, one, to);
		else
			fwrite(slash + 1, 1, n - one - 1, to);
		return true;
	}
	if (n > 4 && !strncmp(name, "why ", 4))
		return error_write(cause, false, name + 4, n - 4, to);
	if (n > 5 && !strncmp(name, "mend ", 5))
		return error_write(cause, true, name + 5, n - 5, to);
	/* "{n THING}" */
	if (n >= 3 && !strncmp(name, "n ", 2)) {
		snprintf(noun, sizeof(noun), "%.*s", (int)(n - 2), name + 2);
		fputs(counted((uint64_t)cause->n, noun), to);
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (n == strlen(texts[i].name) &&
		    !strncmp(name, texts[i].name, n))
			return fputs(texts[i].text, to), *texts[i].text;
	if (n == strlen("pid") && !strncmp(name, "pid", n))
		return fprintf(to, "%d", cause->pid), cause->pid;
	if (n == strlen("mode") && !strncmp(name, "mode", n))
		return fprintf(to, "%04llo", (long long)cause->n), true;
	return fprintf(to, "%lld", (long long)cause->n), true;
}

/* Writes a text of the table up to `end`, with the values of the places.
 * Returns false if a place in it is empty. */
static bool text_write(const struct cause *cause, const char *text,
		       const char *end, FILE *to)
{
	bool whole = true;

	while (text < end) {
		if (*text == '{') {
			size_t n = strcspn(++text, "}");

			whole &= place_write(cause, text, n, to);
			text += n + 1;
		} else {
			fputc(*text++, to);
		}
	}
	return whole;
}

/*
 * Puts a text of the table, or NULL, in words. Of a part in brackets that has
 * an empty place, the words are taken back. Returns `line`.
 */
static char *line_put(const struct cause *cause, const char *text,
		      char line[CAUSE_LINE_BYTES])
{
	FILE *f = text ? fmemopen(line, CAUSE_LINE_BYTES, "w") : NULL;
	long start;
	size_t n;

	line[0] = '\0';
	while (f && *text) {
		n = strcspn(text, "[");
		text_write(cause, text, text + n, f);
		text += n;
		if (!*text)
			break;
		n = strcspn(++text, "]");
		start = ftell(f);
		if (!text_write(cause, text, text + n, f))
			fseek(f, start, SEEK_SET);
		text += n + 1;
	}
	if (!f)
		return line;
	/* a part that was taken back, or a text that fills the memory, has no
	 * end of its own */
	start = ftell(f);
	fclose(f);
	line[start < CAUSE_LINE_BYTES ? start : CAUSE_LINE_BYTES - 1] = '\0';
	return line;
}

char *cause_line(const struct cause *cause, char line[CAUSE_LINE_BYTES])
{
	char remedy[CAUSE_LINE_BYTES];
	size_t n = strlen(cause_fact(cause, line));

	if (*cause_remedy(cause, remedy))
		snprintf(line + n, CAUSE_LINE_BYTES - n, ": %s", remedy);
	return line;
}

char *cause_fact(const struct cause *cause, char line[CAUSE_LINE_BYTES])
{
	const struct cause_row *row = row_find(cause->id);

	return line_put(cause, row ? row->fact : NULL, line);
}

char *cause_remedy(const struct cause *cause, char line[CAUSE_LINE_BYTES])
{
	const struct cause_row *row = row_find(cause->id);

	return line_put(cause, row ? row->remedy : NULL, line);
}

/* Prints a cause, as an object of JSON or in words, then without the remedy
 * unless `whole`. Returns the exit status of the cause. */
static int cause_print(const struct cause *cause, bool whole)
{
	const struct cause_row *row = row_find(cause->id);
	char line[CAUSE_LINE_BYTES], word[CAUSE_WORD_BYTES], *text = NULL;
	struct json json = { 0 };
	size_t bytes = 0;

	if (!row)
		return command_failed("no cause was given");
	if (!command_json()) {
		command_warn("%s", whole ? cause_line(cause, line) :
			     cause_fact(cause, line));
		return row->status;
	}
	/* one call writes it: others may write to the same file */
	json.file = open_memstream(&text, &bytes);
	if (!json.file)
		return command_failed("out of memory");
	json_open(&json, NULL, '{');
	json_string(&json, "cause", cause_word(cause->id, word));
	json_string(&json, "text", cause_fact(cause, line));
	if (*cause_remedy(cause, line))
		json_string(&json, "remedy", line);
	json_number(&json, "status", (uint64_t)row->status);
	/* keys for the values that this cause has, and no others */
	if (cause->pid)
		json_number(&json, "pid", (uint64_t)cause->pid);
	if (cause->error)
		json_string(&json, "errno", strerrorname_np(cause->error));
	if (strchr(slots_of[cause->id], 'N'))
		json_real(&json, "number", cause->n);
	if (*cause->path)
		json_string(&json, "path", cause->path);
	if (*cause->subject)
		json_string(&json, "subject", cause->subject);
	json_close(&json, '}');
	json_end(&json);
	fclose(json.file);
	/* standard output may be the same file: its lines come first */
	fflush(stdout);
	fwrite(text, 1, bytes, stderr);
	free(text);
	return row->status;
}

int cause_tell(const struct cause *cause)
{
	return cause_print(cause, true);
}

int cause_tell_fact(const struct cause *cause)
{
	return cause_print(cause, false);
}

/* The cause has no values, so the remedy of such a row has no places. */
void cause_tell_remedy(enum cause_id id)
{
	const struct cause cause = { .id = id };
	char line[CAUSE_LINE_BYTES];

	if (!command_json())
		command_warn("%s", cause_remedy(&cause, line));
}

bool cause_tell_text(const char *text)
{
	return command_json() && cause_report(FAILURE, .text = text);
}

int cause_fill_tell(enum cause_id id, const struct cause_slots *slots)
{
	struct cause cause;

	cause_fill(&cause, 0, id, slots);
	return cause_tell(&cause);
}

int cause_check_proc(void)
{
	return limits_blind() ? cause_report(NO_PROC) : COMMAND_DONE;
}

/* Only a limit of descriptors is told; another error has another cause, and the
 * work that follows meets it. */
int cause_check_files(int needed)
{
	char text[CAUSE_TEXT_BYTES];
	int error, n = limits_count_files(needed, &error);

	if (error != EMFILE && error != ENFILE)
		return COMMAND_DONE;
	snprintf(text, sizeof(text), "%s: %d more can be opened, and %d are "
		 "needed", limits_error(error), n, needed);
	return cause_report(DESCRIPTORS_FEW, .error = error, .text = text);
}

enum cause_id cause_execute(const char *program, int error)
{
	bool path = strchr(program, '/');
	struct stat st;

	if (error == EACCES && path && !stat(program, &st) &&
	    S_ISDIR(st.st_mode))
		return CAUSE_EXECUTE_DIRECTORY;
	if (error != ENOENT)
		return CAUSE_EXECUTE_FAILED;
	return !*program ? CAUSE_EXECUTE_NAMELESS :
	       strchr(program, ' ') ? CAUSE_EXECUTE_QUOTED :
	       path ? (stat(program, &st) ? CAUSE_EXECUTE_NONE :
					    CAUSE_EXECUTE_INTERPRETER) :
	       *program == '-' ? CAUSE_EXECUTE_OPTION :
	       !access(program, X_OK) ? CAUSE_EXECUTE_HERE :
	       program[strspn(program, "0123456789")] ?
					CAUSE_EXECUTE_UNFOUND :
					CAUSE_EXECUTE_NUMBER;
}
