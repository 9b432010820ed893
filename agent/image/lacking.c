/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Programs without an agent. A program that the library is not loaded into
 * cannot report it, so the image before notes it in the process page, where
 * `taffrail record` finds it. A program whose agent stays off has no page: it
 * adds a line to a file that the recorder has made.
 *
 * Invariant: the counts are exact, except that programs which may be
 * linked with an agent count only if there is a note. The notes name only the
 * first programs, one note for each path and reason.
 */
#include "agent/image/lacking.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "agent/image/handover.h"
#include "base/base.h"
#include "base/file.h"
#include "base/host.h"
#include "base/sys.h"
#include "base/text.h"
#include "buffers/rings/channel.h"
#include "control/protocol.h"
#include "control/sessions/place.h"
#include "control/threads/log.h"
#include "control/threads/settings.h"
#include "control/threads/thread.h"

#define NEW	0x100u	/* in a mark: the note was made by this exec */

SIGSAFE static void execs_count(struct process_page *page, enum lacking_why why,
				uint32_t n)
{
	if (why == LACKING_HANDED)
		return;
	__atomic_fetch_add(why == LACKING_FILTER ? &page->filtered_execs :
						   &page->lacking_execs,
			   n, __ATOMIC_RELAXED);
	if (lacking_is_away(why))
		__atomic_fetch_add(&page->away_execs, n, __ATOMIC_RELAXED);
}

struct process_page lacking_rest EARLY;

SIGSAFE struct process_page *lacking_page(void)
{
	if (process.page || !start_deferred || load_relaxed(fork_mark))
		return process.page;
	store_relaxed(&start_noted, 1);
	return &lacking_rest;
}

void lacking_notes_move(void)
{
	struct process_page *page = process.page;
	const struct process_page *rest = &lacking_rest;

	if (!load_relaxed(&start_noted))
		return;
	page->filtered_execs = rest->filtered_execs;
	page->lacking_execs = rest->lacking_execs;
	page->away_execs = rest->away_execs;
	__builtin_memcpy(page->users, rest->users, sizeof(page->users));
	__builtin_memcpy(page->lacking, rest->lacking, sizeof(page->lacking));
	store_relaxed(&start_noted, 0);
}

SIGSAFE uint32_t lacking_note(enum lacking_why why, const char *path)
{
	struct process_page *page = lacking_page();
	size_t length = text_length(path);
	struct lacking_note *note;
	uint32_t expected;
	int i;

	if (agent_off || !page)
		return 0;
	/* the end of a long path tells more than the beginning */
	if (length >= LACKING_PATH_BYTES)
		path += length - (LACKING_PATH_BYTES - 1);
	execs_count(page, why, 1);
	for (i = 0; i < LACKING_NOTES; i++) {
		note = &page->lacking[i];
		/* LACKING-NOTE: the path is complete once the reason is seen */
		if (load_acquire(&note->why, LACKING_NOTE) == (uint32_t)why &&
		    text_equal(note->path, path)) {
			__atomic_fetch_add(&note->times, 1, __ATOMIC_RELAXED);
			return (uint32_t)i + 1;
		}
	}
	/* takes a free note */
	for (i = 0; i < LACKING_NOTES; i++) {
		expected = LACKING_NOT;
		if (__atomic_compare_exchange_n(&page->lacking[i].why,
						&expected, LACKING_NOTING, 0,
						__ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			break;
	}
	if (i == LACKING_NOTES) {
		/* the reader could not tell whether these programs have an
		 * agent */
		if (why == LACKING_UNLINKED)
			execs_count(page, why, -1u);
		return 0;
	}
	note = &page->lacking[i];
	text_copy(note->path, sizeof(note->path), path);
	store_relaxed(&note->times, 1);
	/* LACKING-NOTE: else a reader could see the reason with an earlier
	 * program's path */
	store_release(&note->why, (uint32_t)why, LACKING_NOTE);
	return ((uint32_t)i + 1) | NEW;
}

SIGSAFE void lacking_failed(enum lacking_why why, uint32_t mark)
{
	struct process_page *page = lacking_page();
	struct lacking_note *note;

	if (agent_off || !page)
		return;
	if (mark || why != LACKING_UNLINKED)
		execs_count(page, why, -1u);
	if (!mark)
		return;
	note = &page->lacking[(mark & ~NEW) - 1];
	if (!__atomic_sub_fetch(&note->times, 1, __ATOMIC_RELAXED) &&
	    (mark & NEW))
		store_release(&note->why, LACKING_NOT, LACKING_NOTE);
}

/* Returns the value of the last such variable, as settings_read() does. */
SIGSAFE static const char *variable_in(char *const *environment,
				       const char *variable)
{
	const char *found = NULL;
	const char *value;

	for (; *environment; environment++) {
		value = text_after(*environment, variable);
		if (value)
			found = value;
	}
	return found;
}

/* Returns true for two spellings of a path: a slash counts once, and not at the
 * end. A variable that is not set is as one that is empty. */
SIGSAFE static bool same_path(const char *a, const char *b)
{
	a = a ? a : "";
	b = b ? b : "";
	for (;; a++, b++) {
		const int slashes = (*a == '/') + (*b == '/');

		while (*a == '/')
			a++;
		while (*b == '/')
			b++;
		if (!*a && !*b)
			return true;
		if (*a != *b || slashes == 1)
			return false;
	}
}

/* Returns true when the agent would make files in the same directory, and join
 * the same recordings. An inner recorder adds a name to the others. Inheritance
 * files are handed on (settings.h). */
SIGSAFE static bool same_recording(char *const *environment)
{
	const char *directory = variable_in(environment, "TAFFRAIL_DIR=");
	const char *join = variable_in(environment, PROTOCOL_JOIN_ENV "=");
	const char *list = load_acquire(&settings.join, JOIN_LIST);
	char name[PROTOCOL_JOIN_NAME_BYTES];

	if (!same_path(directory, settings.directory) ||
	    (same_path(directory, NULL) &&
	     !same_path(variable_in(environment, "XDG_RUNTIME_DIR="),
			settings.runtime)))
		return false;
	while (settings_join_next(&list, name, sizeof(name)))
		if (!settings_inheritance(name) && !settings_joins(join, name))
			return false;
	return true;
}

/* Returns why this process cannot make files where it has made them before, or
 * LACKING_NOT. */
SIGSAFE static enum lacking_why place_look(void)
{
	struct stat st;
	int ret = (int)sys4(SYS_newfstatat, AT_FDCWD, place_runtime, &st, 0);

	if (ret)
		return ret == -EACCES ? LACKING_USER :
		       ret == -ENOENT ? LACKING_AWAY : LACKING_NOT;
	return !S_ISDIR(st.st_mode)		     ? LACKING_NOT :
	       PROTOCOL_PLACE_ID(&st) != place_id   ? LACKING_AWAY :
	       st.st_uid != (uid_t)sys0(SYS_geteuid) ? LACKING_USER :
	       process.page && place_shut()	     ? LACKING_FORBIDDEN :
						       LACKING_NOT;
}

SIGSAFE enum lacking_why lacking_place(char *const *environment)
{
	if ((settings.join || channels_run()) &&
	    !same_recording(environment))
		return LACKING_ELSEWHERE;
	return place_look();
}

bool lacking_note_child(void)
{
	if (place_look() != LACKING_AWAY)
		return false;
	lacking_note(LACKING_AWAY, host_program);
	return true;
}

/* Opens the file of the recording `name` to which lines are added: in the
 * runtime directory, or in `theirs`, the one that the recorder sees at that
 * path. */
static int off_open(const char *name, int theirs)
{
	const char *pid = text_after(name, PROTOCOL_RECORDER);
	char path[352];
	struct text text;

	text_open(&text, path, sizeof(path));
	if (theirs) {
		if (!pid)
			return -ENOENT;
		text_add(&text, "/proc/");
		text_add_number(&text, text_number(&pid));
		text_add(&text, "/root");
	}
	text_add(&text, place_runtime);
	text_add(&text, "/" PROTOCOL_SESSIONS_DIR "/" PROTOCOL_OFF_PREFIX);
	/* an inheritance file has the session's name, too */
	while (*name && *name != PROTOCOL_INHERITANCE)
		text_add_char(&text, *name++);
	if (text.cut)
		return -ENAMETOOLONG;
	return file_open(AT_FDCWD, path, O_WRONLY | O_APPEND, 0,
			 PROTOCOL_OFF_BYTES_MAX);
}

/* Adds a line to the file of a recording. Without a cause, only where that file
 * is not in this process's runtime directory. */
static void off_tell(const char *name, struct lacking_off off, const char *why)
{
	int fd = off_open(name, 0);
	char bytes[2 * LACKING_PATH_BYTES], path[LACKING_PATH_BYTES];
	struct text text;
	long n;

	if (fd == -ENOENT) {
		/* the file is found by the recorder's root directory */
		off.id = off.id ? off.id : CAUSE_LACKS_AWAY;
		fd = off_open(name, 1);
	} else if (fd == -EACCES && off.id) {
		/* the directory is another user's: the line goes into that of
		 * the program's user */
		off = (struct lacking_off){ CAUSE_LACKS_OTHERS, 0 };
		why = "";
		fd = handover_off(name);
	}
	if (fd < 0)
		return;
	if (off.id) {
		text_open(&text, bytes, sizeof(bytes) - 1);
		text_add_number(&text, off.id);
		text_add_char(&text, ' ');
		text_add_number(&text, off.error);
		text_add_char(&text, ' ');
		text_add(&text, why);
		text_add_char(&text, '\t');
		n = sys3(SYS_readlink, "/proc/self/exe", path,
			 sizeof(path) - 1);
		for (long i = 0; i < n; i++)
			text_add_char(&text, (unsigned char)path[i] < ' ' ?
						     '?' : path[i]);
		bytes[text.used++] = '\n';
		n = log_write(fd, bytes, text.used);
		/* the limit of a file's size leaves the mode alone */
		if (n == -EFBIG || (n >= 0 && (size_t)n < text.used))
			sys2(SYS_fchmod, fd, PROTOCOL_OFF_CUT);
	}
	sys_close(fd);
}

void lacking_tell(struct lacking_off off, const char *text, const char *only)
{
	const char *list = settings.join;
	char name[PROTOCOL_JOIN_NAME_BYTES];

	if (thread_forbidden() || !settings.join)
		return;
	if (!place_runtime[0] && place_choose())
		return;
	file_owner = (uint32_t)sys0(SYS_geteuid);
	while (settings_join_next(&list, name, sizeof(name)))
		if (!only || text_equal(name, only))
			off_tell(name, off, text);
}
