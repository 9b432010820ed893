/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Causes: each row has its texts, which use what comes with it and no more, and
 * is printed once. With --table prints the table of docs/scarce.md.
 */
#include "testsuite/unit/unit.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "command/causes/cause.h"
#include "command/common/command.h"
#include "command/doctor/private.h"

static const struct place {
	const char *name;
	char slot; /* of control/causes.def */
} places[] = {
	{ "{pid}", 'P' },    { "{error}", 'E' }, { "{limit}", 'E' },
	{ "{n}", 'N' },	     { "{path}", 'F' },	 { "{text}", 'T' },
	{ "{limits}", 'L' }, { "{subject}", 'S' },
	{ "{n ", 'N' }, /* "{n THING}" */
	{ "{mode}", 'N' },
	{ "{why ", 'E' },    { "{mend ", 'E' }, /* "{why GROUP}" */
};

#define PLACES (sizeof(places) / sizeof(places[0]))

/* The cause of a row, with something in each slot. */
static struct cause cause_filled(const struct cause_row *row)
{
	struct cause cause;

	cause_fill(&cause, 0, row->id,
		   &(struct cause_slots){
			   .pid = 4711,
			   .error = EACCES,
			   .n = 815,
			   .path = "/a/path",
			   .text = "a text",
			   .limits = "some limits",
			   .subject = "a subject",
		   });
	return cause;
}

static bool text_has(const struct cause_row *row, const char *place)
{
	return strstr(row->fact, place) ||
	       (row->remedy && strstr(row->remedy, place));
}

/* Returns true when a text of the row says what is in a slot. */
static bool slot_said(const struct cause_row *row, char slot)
{
	for (size_t i = 0; i < PLACES; i++)
		if (places[i].slot == slot && text_has(row, places[i].name))
			return true;
	return false;
}

/* Counts the braces: a place that is not known would be printed as a number. */
static size_t braces_count(const char *text)
{
	size_t n = 0;

	for (; text && *text; text++)
		n += *text == '{';
	return n;
}

static size_t places_known(const char *text)
{
	size_t n = 0;

	for (size_t i = 0; text && i < PLACES; i++)
		for (const char *p = text; (p = strstr(p, places[i].name)); p++)
			n++;
	/* "{ONE/MORE}" */
	for (const char *p = text; p && (p = strchr(p, '{')); p++)
		n += p[strcspn(p, "/}")] == '/';
	return n;
}

/* Each "{why GROUP}" has rows of its own in errors.def. */
static bool groups_known(const char *text)
{
	static const char *const groups[] = {
		"any",
#define ERROR_TEXT(groups, error, why, mend) groups,
#include "command/causes/errors.def"
#undef ERROR_TEXT
	};
	bool known = true;

	for (; text && (text = strpbrk(text, "{[")); text++) {
		const char *group = text + strcspn(text, " ") + 1;
		size_t n, i = 0;

		if (strncmp(text, "{why ", 5) && strncmp(text, "{mend ", 6))
			continue;
		n = strcspn(group, "}");
		while (i < sizeof(groups) / sizeof(groups[0]) &&
		       !(groups[i] && memmem(groups[i], strlen(groups[i]),
					     group, n)))
			i++;
		known &= i < sizeof(groups) / sizeof(groups[0]);
	}
	return known;
}

static bool doctor_has(const char *subject)
{
	for (const struct check *c = doctor_checks; c->subject; c++)
		if (!strcmp(c->subject, subject))
			return true;
	return false;
}

static void row_check(const struct cause_row *row)
{
	struct cause cause = cause_filled(row);
	char line[CAUSE_LINE_BYTES], remedy[CAUSE_LINE_BYTES];
	bool used = true;

	for (size_t i = 0; i < PLACES; i++)
		used &= !text_has(row, places[i].name) ||
			strchr(row->slots, places[i].slot);
	unit_check(used, "%s: it uses its own slots", row->word);
	/* a process and an errno are for --json, too */
	for (const char *slot = "NFTLS"; *slot; slot++)
		used &= !strchr(row->slots, *slot) || slot_said(row, *slot);
	unit_check(used, "%s: it says each of them", row->word);
	used = braces_count(row->fact) == places_known(row->fact) &&
	       braces_count(row->remedy) == places_known(row->remedy);
	unit_check(used, "%s: its places are known", row->word);
	unit_check(!row->doctor || doctor_has(row->doctor),
		   "%s: doctor has its line", row->word);
	cause_line(&cause, line);
	cause_remedy(&cause, remedy);
	unit_check(*line && !strpbrk(line, "{}[]\n"), "%s: it is printed",
		   row->word);
	/* an errno may have none */
	used = !row->remedy || !strncmp(row->remedy, "{mend ", 6) || *remedy;
	unit_check(used && (!*remedy || (row->remedy && strstr(line, remedy))),
		   "%s: its remedy", row->word);
	unit_check(groups_known(row->fact) && groups_known(row->remedy),
		   "%s: words for its errno", row->word);
}

static void table_check(void)
{
	static const enum cause_id ids[] = {
#define CAUSE(name, number, slots) CAUSE_##name,
#include "control/causes.def"
#undef CAUSE
	};
	size_t n = sizeof(ids) / sizeof(ids[0]);
	const struct cause_row *row;
	size_t i;

	for (i = 0; (row = cause_row(i)) && i < n; i++) {
		unit_check(row->id == ids[i], "%s: row %zu of both tables",
			   row->word, i);
		unit_check(!i || ids[i] > ids[i - 1], "%s: its number is new",
			   row->word);
		unit_check(row->status == COMMAND_DONE ||
				   row->status == COMMAND_FAILED ||
				   row->status == COMMAND_USAGE ||
				   row->status == COMMAND_NOT_FOUND ||
				   row->status == COMMAND_NOT_EXECUTABLE,
			   "%s: its status", row->word);
		row_check(row);
	}
	unit_check(i == n && !cause_row(i), "each cause has its texts");
}

static void parts_check(void)
{
	struct cause cause, other;
	char line[CAUSE_LINE_BYTES], path[2 * CAUSE_PATH_BYTES];

	unit_equal(cause_set(&cause, -EPERM, SERVICE_DENIED, .pid = 5), -EPERM,
		   "what the caller returns");
	cause_line(&cause, line);
	unit_check(!strcmp(line + strlen(line) - strlen("SERVICE=thread"),
			   "SERVICE=thread"),
		   "an empty part is left out");
	cause_set(&cause, 0, SERVICE_DENIED, .pid = 5, .text = "why");
	cause_line(&cause, line);
	unit_check(strstr(line, "=thread; why"), "a part is there");
	cause_set(&other, 0, SERVICE_FAILED, .pid = 5, .error = -ENOENT,
		  .text = cause_line(&cause, line));
	unit_check(strstr(other.text, "=thread; why") && other.error == ENOENT,
		   "a cause in a cause");
	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	cause_set(&cause, 0, SOCKET_STRANGE, .pid = 5, .path = path);
	cause_line(&cause, line);
	unit_check(strlen(cause.path) == CAUSE_PATH_BYTES - 1 &&
			   strstr(line, "xx/control.sock"),
		   "a long path is cut");
	cause_set(&cause, 0, RINGS_CUT, .n = 1);
	unit_check(strstr(cause_line(&cause, line), "1 buffer was cut"),
		   "one thing");
	cause_set(&cause, 0, RINGS_CUT, .n = 2);
	unit_check(strstr(cause_line(&cause, line), "2 buffers were cut"),
		   "two things");
	unit_equal(cause_tell(&cause), COMMAND_FAILED, "a row that fails");
	cause_set(&cause, 0, BUFFERS_SMALLER, .n = 2, .text = "1K");
	unit_equal(cause_tell(&cause), COMMAND_DONE, "a row that warns");
	/* braces in a path are no places */
	cause_set(&cause, 0, SOCKET_STRANGE, .pid = 5, .path = "/{pid}[x]");
	cause_line(&cause, line);
	unit_check(strstr(line, "/{pid}[x]/control.sock"),
		   "a path stands as it is");
	/* of a long path, the file's name stays */
	memset(path, 'd', sizeof(path) - 6);
	strcpy(path + sizeof(path) - 6, "/file");
	cause_set(&cause, 0, OUTPUT_NOT_EMPTY, .path = path);
	unit_check(strstr(cause_line(&cause, line), "d/file exists") &&
		   !strncmp(line, "...d", 4), "a long path keeps its end");
	path[CAUSE_PATH_BYTES - 1] = '\0';
	cause_set(&cause, 0, OUTPUT_NOT_EMPTY, .path = path);
	unit_equal_string(cause.path, path, "a path that just fits");
	cause = (struct cause){ 0 };
	unit_check(!*cause_line(&cause, line), "no cause says nothing");
	unit_equal(cause_tell(&cause), COMMAND_FAILED, "and is a failure");
}

static void table_print(void)
{
	const struct cause_row *row;

	for (size_t i = 0; (row = cause_row(i)); i++) {
		printf("| `");
		for (const char *p = row->word; *p; p++)
			putchar(*p == '_' ? '-' : tolower(*p));
		printf("` | %s | %s | %s |\n", row->fact, row->remedy ?: "-",
		       row->doctor ?: "-");
	}
}

/* A line is written by one call: those of commands that run at the same time
 * are not mixed. */
static void lines_check(void)
{
	struct cause cause = { .id = CAUSE_PROCESS_ENDED, .pid = 4711 };
	char text[2][256] = { "", "" };
	int ends[2], kept = dup(STDERR_FILENO);

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) ||
	    dup2(ends[1], STDERR_FILENO) < 0)
		abort();
	cause_tell(&cause);
	command_warn("%s", "a fact");
	dup2(kept, STDERR_FILENO);
	close(kept);
	for (int i = 0; i < 2; i++)
		if (recv(ends[0], text[i], sizeof(*text) - 1, MSG_DONTWAIT) < 0)
			perror("recv");
	unit_check(strstr(text[0], "taffrail: ") == text[0] &&
		   strchr(text[0], '\n'), "one call writes a cause");
	unit_equal_string(text[1], "taffrail: a fact\n",
			  "one call writes a warning");
	close(ends[0]);
	close(ends[1]);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--table")) {
		table_print();
		return EXIT_SUCCESS;
	}
	table_check();
	parts_check();
	lines_check();
	return unit_end();
}
