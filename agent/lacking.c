/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Programs without an agent. A program that the library is not loaded into
 * cannot report it, so the image before notes it in its page, where `taffrail
 * record` finds it. A program whose agent stays off has no page: it adds a line
 * to a file that the recorder has made.
 *
 * What must stay true: the counts are exact. The notes name only the first
 * programs, one note for each path and reason.
 */
#include "agent/lacking.h"

#include <fcntl.h>

#include "base/base.h"
#include "base/file.h"
#include "base/sys.h"
#include "base/text.h"
#include "buffers/rings/channel.h"
#include "control/protocol.h"
#include "control/threads/settings.h"
#include "control/threads/thread.h"

#define NEW	0x100u	/* in a mark: the note was made by this exec */

SIGSAFE static uint32_t *count_of(struct process_page *page,
				  enum lacking_why why)
{
	return why == LACKING_FILTER ? &page->filtered_execs :
				       &page->lacking_execs;
}

/* Returns the end of a path that is too long: it tells more than the
 * beginning. */
SIGSAFE static const char *path_end(const char *path)
{
	size_t n = text_length(path);

	return n < LACKING_PATH_BYTES ? path :
					path + n - (LACKING_PATH_BYTES - 1);
}

/* Takes a free note for the caller to write. Returns its index, or -1. */
SIGSAFE static int note_take(struct process_page *page)
{
	uint32_t expected;
	int i;

	for (i = 0; i < LACKING_NOTES; i++) {
		expected = LACKING_NOT;
		if (__atomic_compare_exchange_n(&page->lacking[i].why,
						&expected, LACKING_NOTING, 0,
						__ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return i;
	}
	return -1;
}

SIGSAFE uint32_t lacking_note(enum lacking_why why, const char *path)
{
	struct process_page *page = process.page;
	struct lacking_note *note;
	int i;

	if (agent_off || !page)
		return 0;
	path = path_end(path);
	__atomic_fetch_add(count_of(page, why), 1, __ATOMIC_RELAXED);
	for (i = 0; i < LACKING_NOTES; i++) {
		note = &page->lacking[i];
		/* LACKING-NOTE: the path is complete once the reason is seen */
		if (load_acquire(&note->why) == (uint32_t)why &&
		    text_equal(note->path, path)) {
			__atomic_fetch_add(&note->times, 1, __ATOMIC_RELAXED);
			return (uint32_t)i + 1;
		}
	}
	i = note_take(page);
	if (i < 0)
		return 0;
	note = &page->lacking[i];
	text_copy(note->path, sizeof(note->path), path);
	store_relaxed(&note->times, 1);
	/* LACKING-NOTE: else a reader could see the reason with an earlier
	 * program's path */
	store_release(&note->why, (uint32_t)why);
	return ((uint32_t)i + 1) | NEW;
}

SIGSAFE void lacking_failed(enum lacking_why why, uint32_t mark)
{
	struct process_page *page = process.page;
	struct lacking_note *note;

	if (agent_off || !page)
		return;
	__atomic_fetch_sub(count_of(page, why), 1, __ATOMIC_RELAXED);
	if (!mark)
		return;
	note = &page->lacking[(mark & ~NEW) - 1];
	if (!__atomic_sub_fetch(&note->times, 1, __ATOMIC_RELAXED) &&
	    (mark & NEW))
		store_release(&note->why, LACKING_NOT);
}

/* Adds the path of the program's file, without control characters. */
static void line_add_program(struct text *line)
{
	char path[LACKING_PATH_BYTES];
	long n = sys3(SYS_readlink, "/proc/self/exe", path, sizeof(path) - 1);
	long i;

	for (i = 0; i < n; i++)
		text_add_char(line, (unsigned char)path[i] < ' ' ? '?' :
								   path[i]);
}

void lacking_tell(const char *why)
{
	const char *join = settings.join;
	char path[320];
	char bytes[2 * LACKING_PATH_BYTES];
	struct text text;
	int fd;

	if (thread_forbidden() || !join || !file_name_plain(join) ||
	    !settings.directory)
		return;
	text_open(&text, path, sizeof(path));
	text_add(&text, settings.directory);
	text_add(&text, "/" PROTOCOL_SESSIONS_DIR "/" PROTOCOL_OFF_PREFIX);
	text_add(&text, join);
	if (text.cut)
		return;
	file_owner = (uint32_t)sys0(SYS_geteuid);
	fd = file_open(AT_FDCWD, path, O_WRONLY | O_APPEND, 0,
		       PROTOCOL_OFF_BYTES_MAX);
	if (fd < 0)
		return;
	text_open(&text, bytes, sizeof(bytes) - 1);
	text_add(&text, why);
	text_add_char(&text, '\t');
	line_add_program(&text);
	bytes[text.used++] = '\n';
	sys_write(fd, bytes, text.used);
	sys_close(fd);
}
