/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Programs of a recording that had no agent at work. A process notes in the
 * process page which programs it executes, and an agent that stays off writes
 * to a file of the recording (agent/image/lacking.c).
 *
 * What must stay true: the output has one line a program and no control
 * character, whatever a page holds.
 */
#include "command/record/agentless.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/text.h"
#include "command/common/command.h"
#include "control/protocol.h"
#include "control/request.h"

#define OFF_PAGE_BYTES	4096	/* of tmpfs */

_Static_assert(AGENTLESS_CAUSE(LACKING_UNFIT) == CAUSE_LACKS_UNFIT &&
	       AGENTLESS_CAUSE(LACKING_UNLINKED) == CAUSE_LACKS_UNLINKED &&
	       AGENTLESS_CAUSE(LACKING_AWAY) == CAUSE_LACKS_AWAY,
	       "causes are numbered as the reasons");

/* Puts the reason of a row, and the remedy, in words. Returns `line`. */
static char *row_words(const struct agentless_row *row,
		       char line[CAUSE_LINE_BYTES])
{
	struct cause cause;

	cause_fill(&cause, 0, cause_known(row->reason) ? row->reason :
		   CAUSE_LACKS_REASON, &(struct cause_slots){
		   .error = row->error, .text = row->text });
	return cause_line(&cause, line);
}

char *agentless_words(enum lacking_why why, char line[CAUSE_LINE_BYTES])
{
	return row_words(&(struct agentless_row){
			 .reason = AGENTLESS_CAUSE(why) }, line);
}

/* Copies a text of a page or a file, which is not trusted: a control character
 * would make a second line, or change the terminal. */
static void copy_printable(char to[AGENTLESS_TEXT_BYTES], const char *from)
{
	snprintf(to, AGENTLESS_TEXT_BYTES, "%s", from);
	for (; *to; to++)
		if ((unsigned char)*to < ' ' || *to == 127)
			*to = '?';
}

/* Adds a program to a table, each path with each reason once; slots->n are the
 * times. Returns the row, or NULL when there is no room. */
static struct agentless_row *row_add(struct agentless_row *rows, int *nrows,
				     int room, enum cause_id reason,
				     const struct cause_slots *slots)
{
	struct agentless_row new = { .reason = reason, .error = slots->error };
	struct agentless_row *row = rows;

	copy_printable(new.path, slots->path);
	copy_printable(new.text, slots->text ?: "");
	while (row < rows + *nrows &&
	       (row->reason != reason || row->error != new.error ||
		strcmp(row->path, new.path) || strcmp(row->text, new.text)))
		row++;
	if (row == rows + room)
		return NULL;
	if (row == rows + *nrows) {
		*row = new;
		++*nrows;
	}
	row->times += (uint64_t)slots->n;
	return row;
}

/* Names a program; the caller raises the count. Returns the row, or NULL. */
static struct agentless_row *name_add(struct agentless *a,
				      enum cause_id reason,
				      const struct cause_slots *slots)
{
	struct agentless_row *row = row_add(a->rows, &a->nrows, AGENTLESS_ROWS,
					    reason, slots);

	a->named += row ? (uint64_t)slots->n : 0;
	return row;
}

/* Returns how much a counter has grown. An exec that failed takes back the one
 * that it had counted, so a counter may also shrink. */
static uint32_t count_since(uint32_t count, uint32_t before)
{
	return count > before ? count - before : 0;
}

/* Returns true when the agent of a program of that name began a session by
 * itself. The kernel cuts names of processes to AGENTLESS_COMM. */
static bool has_joined(const struct agentless *a, const char *name)
{
	for (int i = 0; i < a->njoined; i++)
		if (!strncmp(a->joined[i], name, AGENTLESS_COMM - 1))
			return true;
	return false;
}

void agentless_join(struct agentless *a, const char *name)
{
	if (!has_joined(a, name) && a->njoined < AGENTLESS_NAMES)
		snprintf(a->joined[a->njoined++], AGENTLESS_COMM, "%.*s",
			 AGENTLESS_COMM - 1, name);
}

void agentless_settle(struct agentless *a)
{
	for (int i = 0; i < a->nunlinked; i++) {
		const struct agentless_row *row = &a->unlinked[i];

		/* it may be one of those for which there was no room */
		if (a->njoined == AGENTLESS_NAMES ||
		    has_joined(a, text_file_name(row->path)))
			continue;
		a->others += row->times;
		a->away = true;
		name_add(a, row->reason,
			 &(struct cause_slots){ .path = row->path,
						.n = (int64_t)row->times });
	}
	a->nunlinked = 0;
}

void agentless_take(struct agentless *a, const struct process_page *page,
		    const struct session_page *session)
{
	const struct lacking_counts *before = &session->before;
	char path[LACKING_PATH_BYTES + 1];

	a->filtered += count_since(page->filtered_execs, before->filtered);
	a->others += count_since(page->lacking_execs, before->lacking);
	a->away |= count_since(page->away_execs, before->away);
	for (int i = 0; i < LACKING_NOTES; i++) {
		const struct lacking_note *note = &page->lacking[i];
		uint32_t times = count_since(note->times, before->times[i]);
		enum cause_id reason = AGENTLESS_CAUSE(note->why);
		const struct cause_slots slots = { .path = path, .n = times };

		if (note->why <= LACKING_NOTING || note->why >= LACKING_END ||
		    note->why == LACKING_HANDED || !times)
			continue;
		snprintf(path, sizeof(path), "%.*s", LACKING_PATH_BYTES,
			 note->path);
		a->away |= !!lacking_is_away(note->why);
		if (note->why != LACKING_UNLINKED) {
			name_add(a, reason, &slots);
			continue;
		}
		/* The process cannot know whether a program without LD_PRELOAD
		 * is linked with an agent: such a program counts when all
		 * members are known, and it is none of them. */
		a->others -= min_u64(a->others, times);
		a->uncounted |= !row_add(a->unlinked, &a->nunlinked,
					 AGENTLESS_NAMES, reason, &slots);
	}
	/* a program that a process executed, not one that a command found */
	if (!session->started.realtime_ns)
		agentless_join(a, page->procname);
}

void agentless_look(struct agentless *a, const struct rundir_process *process,
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
		agentless_take(a, &head, &page);
		return;
	}
}

/* Returns true when the program before has noted this one, which now tells of
 * itself, for this reason. The path may be another one; the name is not. Each
 * noted execution is used up once, or two failures would count as three. */
static bool was_noted(struct agentless *a, enum lacking_why noted,
		      const char *path)
{
	for (struct agentless_row *row = a->rows; row < a->rows + a->nrows;
	     row++)
		if (row->reason == AGENTLESS_CAUSE(noted) &&
		    row->told < row->times &&
		    !strcmp(text_file_name(row->path), text_file_name(path))) {
			row->told++;
			return true;
		}
	return false;
}

void agentless_read(struct agentless *a, int fd)
{
	/* the last writer may have found the file one byte short of full */
	char text[PROTOCOL_OFF_BYTES_MAX + 3 * AGENTLESS_TEXT_BYTES];
	ssize_t n = pread(fd, text, sizeof(text) - AGENTLESS_TEXT_BYTES, 0);
	char *why, *path, *rest;
	struct agentless_row *row;
	struct stat st;

	text[n < 0 ? 0 : n] = '\0';
	/* Agents add nothing to a larger file. Without room they fill the last
	 * page, and add nothing later: then the file has whole pages. */
	a->uncounted |= n > (ssize_t)PROTOCOL_OFF_BYTES_MAX ||
			(n > 0 && n % OFF_PAGE_BYTES == 0);
	path = strrchr(text, '\n');
	rest = path ? path + 1 : text;
	*rest = '\0';
	/* a program without a name: the mode was all that it could leave */
	if (!fstat(fd, &st) && st.st_mode & PROTOCOL_OFF_CUT & ~0777) {
		a->uncounted = true;
		sprintf(rest, "%d %d \t\n", CAUSE_LACKS_FILES, EFBIG);
	}
	rest = text;
	/* a line of an agent that stays off: the cause, and the program */
	while ((why = strsep(&rest, "\n"))) {
		unsigned int id = CAUSE_LACKS_OFF;
		struct cause_slots slots = { .n = 1 };
		int at = 0;
		bool room;

		path = strchr(why, '\t');
		if (!path || text_after(why, REQUEST_REPORT))
			continue;
		*path++ = '\0';
		/* an agent of another version has words alone */
		sscanf(why, "%u %d %n", &id, &slots.error, &at);
		slots.path = path;
		slots.text = why + at;
		agentless_join(a, text_file_name(path));
		if (id == CAUSE_LACKS_SESSIONS) {
			a->full++;
			name_add(a, id, &slots);
			continue;
		}
		/* in another runtime directory an agent works, or has a reason
		 * that the recorder's directory would not give it */
		if (was_noted(a, LACKING_AWAY, path) ||
		    (id == CAUSE_LACKS_OTHERS &&
		     (was_noted(a, LACKING_UNFIT, path) ||
		      was_noted(a, LACKING_USER, path))))
			continue;
		a->others++;
		room = id == CAUSE_LACKS_FILES &&
		       (slots.error == ENOSPC || slots.error == EDQUOT ||
			slots.error == EFBIG);
		a->roomless += room;
		a->limited |= room && slots.error == EFBIG;
		/* such an agent would work with more rights, or elsewhere */
		a->away |= !room && cause_fails(id);
		row = name_add(a, id, &slots);
		if (row)
			row->told += id == CAUSE_LACKS_AWAY;
	}
}

uint64_t agentless_roomless(const struct agentless *a, bool *uncounted,
			    int *error)
{
	*uncounted = a->uncounted;
	*error = a->limited ? EFBIG : 0;
	return a->roomless;
}

void agentless_note_program(struct agentless *a, const char *program,
			    enum lacking_why why, bool members, bool early,
			    struct outcome *outcome)
{
	char line[CAUSE_LINE_BYTES];

	if (members && why) {
		a->others++;
		name_add(a, AGENTLESS_CAUSE(why),
			 &(struct cause_slots){ .path = program, .n = 1 });
	}
	if (members)
		return;
	if (!why && !a->nrows) {
		if (early)
			outcome_note(outcome, PROGRAM_UNAWAITED,
				     .subject = program);
		else
			outcome_note(outcome, PROGRAM_UNKNOWN,
				     .subject = program);
		return;
	}
	outcome_fill(outcome, outcome_keep, a->full ? CAUSE_PROGRAM_FULL :
		     CAUSE_PROGRAM_AGENTLESS,
		     &(struct cause_slots){ .subject = program, .text = why ?
					    agentless_words(why, line) :
					    row_words(a->rows, line) });
}

void agentless_note(const struct agentless *a, struct outcome *outcome)
{
	uint64_t all = a->filtered + a->others + a->full;
	uint64_t more = a->nrows ? all - min_u64(all, a->named) : 0;
	uint64_t full = a->full;
	const char *least = a->uncounted ? "at least" : "";
	bool lacks_sessions;

	outcome_count(outcome, EXECUTED_FILTERED, a->filtered);
	if (a->away) {
		outcome_count(outcome, EXECUTED_AWAY, a->others, .text = least);
		/* also where one that failed to execute hides it in the
		 * number */
		outcome_take(outcome, COMMAND_FAILED);
	} else {
		outcome_count(outcome, EXECUTED_AGENTLESS, a->others,
			      .text = least);
	}
	for (int i = 0; i < a->nrows; i++) {
		const struct agentless_row *row = &a->rows[i];
		const char *path = *row->path ? row->path : "a program";
		char why[CAUSE_LINE_BYTES];
		size_t n = strlen(row_words(row, why));

		if (row->times > 1)
			snprintf(why + n, sizeof(why) - n,
				 " (%" PRIu64 " times)", row->times);
		lacks_sessions = row->reason == CAUSE_LACKS_SESSIONS;
		full -= lacks_sessions ? row->times : 0;
		outcome_fill(outcome, outcome_keep, lacks_sessions ?
			     CAUSE_AGENTLESS_FULL : CAUSE_AGENTLESS,
			     &(struct cause_slots){ .subject = path,
						    .text = why });
	}
	if (more)
		outcome_fill(outcome, outcome_keep, full ?
			     CAUSE_AGENTLESS_MORE_FULL : CAUSE_AGENTLESS_MORE,
			     &(struct cause_slots){ .n = (int64_t)more });
}

int agentless_tell(const struct agentless *a)
{
	struct outcome outcome = { 0 };

	agentless_note(a, &outcome);
	return outcome_end(&outcome, COMMAND_DONE);
}
