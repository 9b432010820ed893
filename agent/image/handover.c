/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that was recorded by root, has changed to another user, and
 * executes another program: the new image may not make files in root's runtime
 * directory. It makes them in the default directory of that user, and this
 * image, which has the sessions in memory, leaves the sessions there:
 *
 *	this image				the recorder
 *	/dev/shm/taffrail-UID/			reads LACKING_HANDED in the
 *	  sessions/NAME, .off.NAME		  page, opens the directory as
 *	note in its page			  user UID's, locks .off.NAME,
 *	TAFFRAIL_DIR, TAFFRAIL_JOIN		  removes both files at the end
 *	exec ---> the new image joins
 *
 * A program that is executed past libc's functions is handed nothing. The agent
 * of such a program stays off, and leaves a line in .off.NAME of the same
 * directory, where the recorder looks at the end.
 *
 * Invariant: this runs between fork and exec, and in children that
 * share their parent's memory. Signals are blocked while files are written, so
 * no descriptor stays where a handler leaves by longjmp(3). A directory that is
 * not the user's own and private is not used. The note comes before the exec,
 * so the recorder finds it before it takes the process for ended.
 */
#include "agent/image/handover.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/file.h"
#include "base/host.h"
#include "base/sys.h"
#include "base/text.h"
#include "control/protocol.h"
#include "control/sessions/place.h"
#include "control/sessions/session.h"
#include "control/threads/settings.h"

#define TEXT_BYTES	65536u		/* of a file in sessions/ */
#define FILE_OPEN	(O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
#define DIRECTORY_OPEN	(O_RDONLY | O_DIRECTORY | FILE_OPEN)
#define SEARCHED	011	/* a group was let in (place.c) */

#define DIRECTORY	"TAFFRAIL_DIR="
#define JOIN		PROTOCOL_JOIN_ENV "="

SIGSAFE static uint32_t user_now(void)
{
	return (uint32_t)sys0(SYS_geteuid);
}

/* Opens a directory that must be the user's own and private, and makes it if it
 * is not there. Returns a descriptor, or a negative errno and the reason. */
SIGSAFE static int directory_take(int at, const char *path,
				  enum lacking_why *why)
{
	long made = sys3(SYS_mkdirat, at, path, 0700);
	struct stat st;
	int fd = (int)sys4(SYS_openat, at, path, DIRECTORY_OPEN, 0);

	/* the umask may have taken rights of the owner */
	if (!made && fd >= 0 && !sys2(SYS_fstat, fd, &st) &&
	    (st.st_mode & 0700) != 0700)
		sys2(SYS_fchmod, fd, 0700);
	*why = LACKING_USER;
	if (fd == -ELOOP || fd == -ENOTDIR)
		*why = LACKING_LINKED;
	if (fd == -EACCES && !sys4(SYS_newfstatat, at, path, &st,
				   AT_SYMLINK_NOFOLLOW) &&
	    st.st_uid != user_now())
		*why = LACKING_OWNED;
	if (fd < 0)
		return fd;
	if (sys2(SYS_fstat, fd, &st))
		goto close;
	*why = st.st_uid != user_now()	     ? LACKING_OWNED :
	       st.st_mode & 077 & ~SEARCHED ? LACKING_OPENED : LACKING_NOT;
	if (!*why)
		return fd;
close:
	sys_close(fd);
	return -EPERM;
}

/* Makes a file that is not there. One that is there may be a recorder's. */
SIGSAFE static int file_add(int at, const char *name)
{
	int fd = (int)sys4(SYS_openat, at, name,
			   O_WRONLY | O_CREAT | O_EXCL | FILE_OPEN, 0600);

	if (fd >= 0)
		sys2(SYS_fchmod, fd, 0600);
	return fd;
}

/* Writes sessions/NAME as a whole or not at all. */
SIGSAFE static int text_write(int at, const char *name, const struct text *text)
{
	char temporary[PROTOCOL_JOIN_NAME_BYTES + 32];
	struct text path;
	int fd, ret;

	text_open(&path, temporary, sizeof(temporary));
	text_add_char(&path, '.');
	text_add(&path, name);
	text_add_char(&path, '.');
	text_add_number(&path, sys0(SYS_gettid));
	fd = file_add(at, temporary);
	if (fd < 0)
		return fd;
	ret = sys_pwrite(fd, text->start, text->used, 0) == (long)text->used ?
		      0 : -ENOSPC;
	sys_close(fd);
	if (!ret)
		ret = (int)sys4(SYS_renameat, at, temporary, at, name);
	if (ret)
		sys3(SYS_unlinkat, at, temporary, 0);
	return ret;
}

/* Makes the file by which agents know that the recording goes on. */
SIGSAFE static void off_add(int at, const char *name)
{
	char path[PROTOCOL_JOIN_NAME_BYTES + 16];
	struct text text;
	int fd;

	text_open(&text, path, sizeof(path));
	text_add(&text, PROTOCOL_OFF_PREFIX);
	text_add(&text, name);
	fd = file_add(at, path);
	if (fd >= 0)
		sys_close(fd);
}

/* Cuts the name of an inheritance file to the name of the session. */
SIGSAFE static void name_cut(char *name)
{
	while (*name && *name != PROTOCOL_INHERITANCE)
		name++;
	*name = '\0';
}

/* Copies the next name of the list whose session runs here. */
SIGSAFE static const struct session *session_next(const char **list, char *name)
{
	struct session *session;

	while (settings_join_next(list, name, PROTOCOL_JOIN_NAME_BYTES)) {
		name_cut(name);
		session = session_find(name);
		if (session && session->phase == SESSION_RUNS)
			return session;
	}
	return NULL;
}

/* Returns how many sessions were written, or a negative errno. */
SIGSAFE static int sessions_write(int at, char *buffer)
{
	const char *list = load_acquire(&settings.join, JOIN_LIST);
	char name[PROTOCOL_JOIN_NAME_BYTES];
	const struct session *session;
	struct text text;
	int written = 0;
	int ret = 0;

	while (!ret && (session = session_next(&list, name))) {
		text_open(&text, buffer, TEXT_BYTES);
		session_write(session, &text);
		off_add(at, name);
		ret = text.cut ? -EFBIG : text_write(at, name, &text);
		written++;
	}
	return ret ? ret : written;
}

SIGSAFE static void path_write(struct text *text, char *path)
{
	text_open(text, path, HANDOVER_PATH_BYTES);
	place_default(text, user_now());
}

SIGSAFE enum lacking_why handover_make(char path[HANDOVER_PATH_BYTES])
{
	const char *list = load_acquire(&settings.join, JOIN_LIST);
	char name[PROTOCOL_JOIN_NAME_BYTES];
	enum lacking_why why;
	struct text text;
	uint64_t before;
	int fd, below = -1;
	char *buffer;

	if (!session_next(&list, name))
		return LACKING_USER;
	path_write(&text, path);
	host_signals_block(&before);
	why = LACKING_USER;
	buffer = sys_map_anonymous(TEXT_BYTES);
	fd = buffer ? directory_take(AT_FDCWD, path, &why) : -1;
	if (fd >= 0)
		below = directory_take(fd, PROTOCOL_SESSIONS_DIR, &why);
	if (below >= 0) {
		if (sessions_write(below, buffer) <= 0)
			why = LACKING_USER;
		sys_close(below);
	}
	if (fd >= 0)
		sys_close(fd);
	if (buffer)
		sys_munmap(buffer, TEXT_BYTES);
	host_signals_restore(&before);
	return why ? why : LACKING_HANDED;
}

int handover_off(const char *name)
{
	const char *pid = text_after(name, PROTOCOL_RECORDER);
	char session[PROTOCOL_JOIN_NAME_BYTES], path[HANDOVER_PATH_BYTES];
	enum lacking_why why;
	struct text text;
	int fd, below;

	/* the session is named after the recorder, which must live */
	if (!pid || sys2(SYS_kill, text_number(&pid), 0) == -ESRCH)
		return -ESRCH;
	text_copy(session, sizeof(session), name);
	name_cut(session);
	path_write(&text, path);
	fd = directory_take(AT_FDCWD, path, &why);
	if (fd < 0)
		return fd;
	below = directory_take(fd, PROTOCOL_SESSIONS_DIR, &why);
	sys_close(fd);
	if (below < 0)
		return below;
	off_add(below, session);
	text_open(&text, path, sizeof(path));
	text_add(&text, PROTOCOL_OFF_PREFIX);
	text_add(&text, session);
	fd = file_open(below, path, O_WRONLY | O_APPEND, 0,
		       PROTOCOL_OFF_BYTES_MAX);
	sys_close(below);
	return fd;
}

#define ROOM	(sizeof(DIRECTORY) + HANDOVER_PATH_BYTES + sizeof(JOIN) + \
		 PROTOCOL_JOIN_BYTES)

SIGSAFE size_t handover_room(char *const *environment)
{
	size_t n = 3;

	for (; environment && *environment; environment++)
		n++;
	return n * sizeof(*environment) + ROOM;
}

SIGSAFE char **handover_environment(char *const *environment, void *room)
{
	char **next = room;
	const char *list = load_acquire(&settings.join, JOIN_LIST);
	char name[PROTOCOL_JOIN_NAME_BYTES];
	char *strings = (char *)room + handover_room(environment) - ROOM;
	struct text text;
	int names = 0;

	for (; environment && *environment; environment++)
		if (!text_after(*environment, DIRECTORY) &&
		    !text_after(*environment, JOIN))
			*next++ = *environment;
	text_open(&text, strings, sizeof(DIRECTORY) + HANDOVER_PATH_BYTES);
	text_add(&text, DIRECTORY);
	place_default(&text, user_now());
	*next++ = text.start;
	text_open(&text, strings + sizeof(DIRECTORY) + HANDOVER_PATH_BYTES,
		  sizeof(JOIN) + PROTOCOL_JOIN_BYTES);
	text_add(&text, JOIN);
	while (session_next(&list, name)) {
		if (names++)
			text_add_char(&text, PROTOCOL_JOIN_SEPARATOR);
		text_add(&text, name);
	}
	*next++ = text.start;
	*next = NULL;
	return room;
}
