/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Programs of a recording that had no agent at work: how many, which, and why.
 * A process notes in its page what it executes, and an agent that stays off
 * writes to a file of the recording (agent/image/lacking.c).
 *
 * What must stay true: the output has one line a program and no control
 * character, whatever a page holds.
 */
#include "command/record/agentless.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/text.h"
#include "command/common/command.h"
#include "control/protocol.h"
#include "control/request.h"

/* The causes of the reasons that a page gives. */
static const enum cause_id reasons[LACKING_END] = {
	[LACKING_FILTER] = CAUSE_LACKS_FILTER,
	[LACKING_MACHINE] = CAUSE_LACKS_MACHINE,
	[LACKING_UNSEEN] = CAUSE_LACKS_UNSEEN,
	[LACKING_STATIC] = CAUSE_LACKS_STATIC,
	[LACKING_SECURE] = CAUSE_LACKS_SECURE,
	[LACKING_UNSET] = CAUSE_LACKS_UNSET,
	[LACKING_USER] = CAUSE_LACKS_USER,
	[LACKING_ELSEWHERE] = CAUSE_LACKS_ELSEWHERE,
	[LACKING_AWAY] = CAUSE_LACKS_AWAY,
	[LACKING_FORBIDDEN] = CAUSE_LACKS_FORBIDDEN,
	[LACKING_LINKED] = CAUSE_LACKS_LINKED,
	[LACKING_OWNED] = CAUSE_LACKS_OWNED,
	[LACKING_OPENED] = CAUSE_LACKS_OPENED,
	[LACKING_UNFIT] = CAUSE_LACKS_UNFIT,
	[LACKING_UNLINKED] = CAUSE_LACKS_UNLINKED,
};

static char *id_line(enum cause_id id, char line[CAUSE_LINE_BYTES])
{
	struct cause cause;

	cause_fill(&cause, 0, id, &(struct cause_slots){ 0 });
	return cause_line(&cause, line);
}

enum cause_id lacking_cause(enum lacking_why why)
{
	return (unsigned)why < LACKING_END && reasons[why] ?
		       reasons[why] : CAUSE_LACKS_REASON;
}

char *lacking_words(enum lacking_why why, char line[CAUSE_LINE_BYTES])
{
	return id_line(lacking_cause(why), line);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void copy_printable(char *to, size_t room, const char *from)
{
	size_t i;

	for (i = 0; i + 1 < room && from[i]; i++)
		to[i] = (unsigned char)from[i] < ' ' || from[i] == 127 ?
				'?' : from[i];
	to[i] = '\0';
}

/* Adds a program to a table. Returns false when there is no room. */
static bool row_add(struct lacking_row *rows, int *nrows, int room,
		    enum cause_id id, const char *path, const char *why,
		    uint64_t times)
{
	struct lacking_row row = { .id = id, .times = times };
	int i;

	copy_printable(row.path, sizeof(row.path), path);
	copy_printable(row.why, sizeof(row.why), why);
	for (i = 0; i < *nrows; i++)
		if (!strcmp(rows[i].path, row.path) &&
		    !strcmp(rows[i].why, row.why))
			break;
	if (i == room)
		return false;
	row.times += i < *nrows ? rows[i].times : 0;
	row.told = i < *nrows ? rows[i].told : 0;
	rows[i] = row;
	*nrows += i == *nrows;
	return true;
}

/* Adds one program; the caller raises the count. */
static void lacking_add(struct lacking *lacking, enum cause_id id,
			const char *path, const char *why, uint64_t times)
{
	if (row_add(lacking->rows, &lacking->nrows, LACKING_ROWS, id, path,
		    why, times))
		lacking->named += times;
}

void lacking_count(struct lacking *lacking, const char *path,
		   enum lacking_why why)
{
	char line[CAUSE_LINE_BYTES];

	lacking->others++;
	lacking_add(lacking, CAUSE_AGENTLESS, path, lacking_words(why, line),
		    1);
}

/* An exec that failed takes its count back. */
static uint32_t since(uint32_t count, uint32_t before)
{
	return count > before ? count - before : 0;
}

/* Takes the name of a program whose agent began a session by itself. */
static void add_joined(struct lacking *lacking, const char *name)
{
	for (int i = 0; i < lacking->njoined; i++)
		if (!strncmp(lacking->joined[i], name, LACKING_COMM - 1))
			return;
	if (lacking->njoined < LACKING_NAMES)
		snprintf(lacking->joined[lacking->njoined++], LACKING_COMM,
			 "%.*s", LACKING_COMM - 1, name);
}

static bool has_joined(const struct lacking *lacking, const char *path)
{
	const char *name = base_name(path);

	for (int i = 0; i < lacking->njoined; i++)
		if (!strncmp(lacking->joined[i], name, LACKING_COMM - 1))
			return true;
	/* it may be one of those for which there was no room */
	return lacking->njoined == LACKING_NAMES;
}

void lacking_settle(struct lacking *lacking)
{
	for (int i = 0; i < lacking->nunlinked; i++) {
		const struct lacking_row *row = &lacking->unlinked[i];

		if (has_joined(lacking, row->path))
			continue;
		lacking->others += row->times;
		lacking->away = true;
		lacking_add(lacking, CAUSE_AGENTLESS, row->path, row->why,
			    row->times);
	}
	lacking->nunlinked = 0;
}

static void take_note(struct lacking *lacking, const struct lacking_note *note,
		      uint32_t times)
{
	char path[LACKING_PATH_BYTES + 1], line[CAUSE_LINE_BYTES];
	const char *why = lacking_words(note->why, line);

	snprintf(path, sizeof(path), "%.*s", LACKING_PATH_BYTES, note->path);
	if (note->why == LACKING_HANDED)
		return;
	lacking->away |= !!lacking_is_away(note->why);
	if (note->why != LACKING_UNLINKED) {
		lacking_add(lacking, CAUSE_AGENTLESS, path, why, times);
		return;
	}
	/* counted when it is known that it did not join */
	lacking->others -= min_u64(lacking->others, times);
	if (!row_add(lacking->unlinked, &lacking->nunlinked, LACKING_NAMES,
		     CAUSE_AGENTLESS, path, why, times))
		lacking->uncounted = true;
}

void lacking_take(struct lacking *lacking, const struct process_page *page,
		  const struct session_page *session)
{
	const struct lacking_counts *before = &session->before;

	lacking->filtered += since(page->filtered_execs, before->filtered);
	lacking->others += since(page->lacking_execs, before->lacking);
	lacking->away |= since(page->away_execs, before->away);
	for (int i = 0; i < LACKING_NOTES; i++) {
		const struct lacking_note *note = &page->lacking[i];
		uint32_t times = since(note->times, before->times[i]);

		if (note->why > LACKING_NOTING && note->why < LACKING_END &&
		    times)
			take_note(lacking, note, times);
	}
	/* a program that a process executed, not one that a command found */
	if (!session->started.realtime_ns)
		add_joined(lacking, page->procname);
}

void lacking_look(struct lacking *lacking, const struct rundir_process *process,
		  uint32_t image, const char *session)
{
	struct process_page head;
	struct session_page page;

	if (rundir_read_process(process, image, &head))
		return;
	for (uint32_t i = 0; i < head.sessions; i++) {
		if (rundir_read_session(process, image, i, &page) ||
		    page.state == SESSION_DESTROYED ||
		    (session && strcmp(session, page.name)))
			continue;
		lacking_take(lacking, &head, &page);
		return;
	}
}

/* Returns true for a program that tells of itself, and that the program before
 * has noted for this reason, by another path perhaps. */
static bool take_noted(struct lacking *lacking, enum lacking_why noted,
		       const char *path)
{
	char line[CAUSE_LINE_BYTES];
	const char *why = lacking_words(noted, line);

	for (int i = 0; i < lacking->nrows; i++) {
		struct lacking_row *row = &lacking->rows[i];

		if (!strcmp(row->why, why) && row->told < row->times &&
		    !strcmp(base_name(row->path), base_name(path))) {
			row->told++;
			return true;
		}
	}
	return false;
}

/* Adds a program whose agent works elsewhere, and has told so itself. */
static void add_away(struct lacking *lacking, const char *path)
{
	char line[CAUSE_LINE_BYTES];
	const char *why = lacking_words(LACKING_AWAY, line);

	if (take_noted(lacking, LACKING_AWAY, path))
		return;
	lacking_count(lacking, path, LACKING_AWAY);
	lacking->away = true;
	for (int i = 0; i < lacking->nrows; i++)
		lacking->rows[i].told += !strcmp(lacking->rows[i].why, why) &&
					 !strcmp(lacking->rows[i].path, path);
}

/* Returns true for the reason of an agent that would work, and has not what it
 * needs here (agent/begin.c). */
static bool is_unable(const char *why)
{
	static const char *const begins[] = {
		"it has no memory", "it cannot ", "cannot make its files",
	};

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(why, begins[i], strlen(begins[i])))
			return true;
	return false;
}

#define OFF_PAGE_BYTES	4096	/* of tmpfs */

void lacking_read(struct lacking *lacking, int fd)
{
	/* the last writer may have found the file one byte short of full */
	char text[PROTOCOL_OFF_BYTES_MAX + 2 * LACKING_TEXT_BYTES];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	char *line, *path, *rest = text, words[CAUSE_LINE_BYTES];

	text[n < 0 ? 0 : n] = '\0';
	/* agents add nothing to a file that is larger; without room, they add
	 * what the last page takes, and nothing later */
	lacking->uncounted |= n > (ssize_t)PROTOCOL_OFF_BYTES_MAX ||
			      (n > 0 && n % OFF_PAGE_BYTES == 0);
	line = strrchr(text, '\n');
	text[line ? line + 1 - text : 0] = '\0';
	while ((line = strsep(&rest, "\n"))) {
		path = strchr(line, '\t');
		if (!path || text_after(line, REQUEST_REPORT))
			continue;
		*path++ = '\0';
		add_joined(lacking, base_name(path));
		if (!strcmp(line, PROTOCOL_NO_SESSION)) {
			lacking->full++;
			lacking_add(lacking, CAUSE_AGENTLESS_FULL, path,
				    id_line(CAUSE_LACKS_SESSIONS, words), 1);
			continue;
		}
		if (!strcmp(line, PROTOCOL_AWAY)) {
			add_away(lacking, path);
			continue;
		}
		if (!strcmp(line, PROTOCOL_OTHERS) &&
		    (take_noted(lacking, LACKING_UNFIT, path) ||
		     take_noted(lacking, LACKING_USER, path)))
			continue;
		lacking->others++;
		lacking->away |= is_unable(line);
		lacking->roomless += !strncmp(line, PROTOCOL_NO_ROOM,
					      strlen(PROTOCOL_NO_ROOM));
		lacking->limited |= !strcmp(line, PROTOCOL_NO_SIZE);
		lacking_add(lacking, CAUSE_AGENTLESS, path, line, 1);
	}
}

void lacking_note(const struct lacking *lacking, struct outcome *outcome)
{
	uint64_t all = lacking->filtered + lacking->others + lacking->full;
	uint64_t full = lacking->full;
	const char *least = lacking->uncounted ? "at least" : "";

	if (lacking->filtered)
		outcome_note(outcome, EXECUTED_FILTERED,
			     .n = (int64_t)lacking->filtered);
	if (lacking->others)
		outcome_fill(outcome, outcome_keep, lacking->away ?
			     CAUSE_EXECUTED_AWAY : CAUSE_EXECUTED_AGENTLESS,
			     &(struct cause_slots){
				     .n = (int64_t)lacking->others,
				     .text = least });
	for (int i = 0; i < lacking->nrows; i++) {
		const struct lacking_row *row = &lacking->rows[i];
		char why[LACKING_TEXT_BYTES + 40];

		if (row->times > 1)
			snprintf(why, sizeof(why), "%s (%" PRIu64 " times)",
				 row->why, row->times);
		outcome_fill(outcome, outcome_keep, row->id,
			     &(struct cause_slots){
				     .subject = *row->path ? row->path :
							     "a program",
				     .text = row->times > 1 ? why : row->why });
		full -= row->id == CAUSE_AGENTLESS_FULL ? row->times : 0;
	}
	if (all > lacking->named && lacking->nrows)
		outcome_fill(outcome, outcome_keep, full ?
			     CAUSE_AGENTLESS_MORE_FULL : CAUSE_AGENTLESS_MORE,
			     &(struct cause_slots){
				     .n = (int64_t)(all - lacking->named) });
}

int lacking_tell(const struct lacking *lacking)
{
	struct outcome outcome = { 0 };

	lacking_note(lacking, &outcome);
	return outcome_end(&outcome, COMMAND_DONE);
}
