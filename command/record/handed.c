/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directories of other users. A process of root's recording that has changed
 * its user hands the recording on to the program that it executes: it leaves
 * the session in the default directory of its new user, and a note in its
 * page (agent/image/handover.c). The recorder opens that directory as the
 * user's, and takes the processes in it.
 *
 * What must stay true: a page is not trusted. Only a default directory is
 * opened, and only if it is that user's own, private and no symlink.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/base.h"
#include "base/text.h"
#include "command/common/command.h"
#include "command/record/handed-private.h"
#include "control/protocol.h"

#define STRING_OF(x)	#x
#define STRING(x)	STRING_OF(x)
#define HANDED_MOST	STRING(RECORD_HANDED_MAX)

/* Reads the user's number behind the prefix of a default directory. */
static bool read_user(const char *path, uid_t *uid)
{
	static const char *const prefixes[] = {
		PLACE_DEFAULT_SHM, PLACE_DEFAULT_TMP,
	};
	char *end;

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		const char *number = text_after(path, prefixes[i]);
		unsigned long value;

		if (!number || *number < '0' || *number > '9' ||
		    (*number == '0' && number[1]))
			continue;
		errno = 0;
		value = strtoul(number, &end, 10);
		*uid = (uid_t)value;
		return !*end && !errno && value == *uid;
	}
	return false;
}

static bool is_known(const struct record *record, const char *path)
{
	for (size_t i = 0; i < record->nhanded; i++)
		if (!strcmp(record->handed[i]->path, path))
			return true;
	return false;
}

/* Opens the directory, and locks the file by which its agents know that the
 * recorder is there. The process has made it. */
static void open_handed(struct record *record, struct record_handed *handed,
			uid_t uid)
{
	handed->off = -1;
	if (rundir_open_user(&handed->dir, handed->path, uid)) {
		outcome_tell(&record->outcome, USER_REFUSED, .n = uid,
			     .text = handed->dir.error);
		return;
	}
	/* agents take the recording for ended while there is no such file */
	handed->off = rundir_open_off(&handed->dir, record->name);
	if (handed->off < 0 || flock(handed->off, LOCK_SH | LOCK_NB)) {
		if (handed->off >= 0)
			close(handed->off);
		handed->off = rundir_create_off(&handed->dir, record->name);
	}
}

static void take_path(struct record *record, const char *path)
{
	struct record_handed *handed;
	uid_t uid;

	if (!read_user(path, &uid) || is_known(record, path))
		return;
	if (record->nhanded == RECORD_HANDED_MAX) {
		if (!outcome_told(&record->outcome, CAUSE_USERS_MANY))
			outcome_tell(&record->outcome, USERS_MANY, .n = uid,
				     .text = HANDED_MOST);
		return;
	}
	handed = calloc(1, sizeof(*handed));
	if (!handed)
		return;
	snprintf(handed->path, sizeof(handed->path), "%s", path);
	record->handed[record->nhanded++] = handed;
	open_handed(record, handed, uid);
}

/* Only the directories of users that a process became are looked at: another
 * user could leave word of programs that there are not. */
static void take_user(struct record *record, uid_t uid)
{
	for (size_t i = 0; i < record->nusers; i++)
		if (record->users[i] == uid)
			return;
	if (uid && record->nusers < RECORD_USERS_MAX)
		record->users[record->nusers++] = uid;
}

static void look_page(struct record *record, const struct process_page *page)
{
	char path[LACKING_PATH_BYTES + 1];

	for (int i = 0; i < PROCESS_USERS; i++)
		take_user(record, page->users[i]);
	for (int i = 0; i < LACKING_NOTES; i++) {
		if (page->lacking[i].why != LACKING_HANDED)
			continue;
		snprintf(path, sizeof(path), "%.*s", LACKING_PATH_BYTES,
			 page->lacking[i].path);
		take_path(record, path);
	}
}

void record_handed_look(struct record *record,
			void (*watch)(struct record *record, int fd,
				      const char *at, const char *below))
{
	size_t known = record->nhanded;
	struct process_page page;

	/* others cannot read what their processes make as another user */
	if (geteuid())
		return;
	for (size_t i = 0; i < record->nmembers; i++) {
		const struct record_member *member = record->members[i];

		for (size_t j = 0; !member->done && j < member->nimages; j++)
			if (!rundir_read_process(member->process,
						 member->images[j]->image,
						 &page))
				look_page(record, &page);
	}
	for (; known < record->nhanded; known++)
		if (record->handed[known]->dir.fd >= 0)
			watch(record, record->handed[known]->dir.fd,
			      record->handed[known]->path, ".");
}

int record_handed_each(struct record *record,
		       int (*call)(struct rundir_process *process, void *priv),
		       void *priv)
{
	int ret = 0;

	for (size_t i = 0; i < record->nhanded; i++) {
		struct rundir *dir = &record->handed[i]->dir;
		int failed = dir->fd < 0 ? 0 : rundir_each(dir, call, priv);

		ret = ret ? ret : failed;
	}
	return ret;
}

int record_top(const struct record *record, const struct record_member *member)
{
	for (size_t i = 0; i < record->nhanded; i++)
		if (record->handed[i]->dir.fd >= 0 &&
		    record->handed[i]->dir.uid == member->uid)
			return record->handed[i]->dir.fd;
	return record->dir.fd;
}

void record_handed_stop(struct record *record)
{
	for (size_t i = 0; i < record->nhanded; i++)
		if (record->handed[i]->dir.fd >= 0)
			rundir_remove_rules(&record->handed[i]->dir,
					    record->name);
}

/* Reads the word that a program has left there which was executed past libc:
 * its agent stays off. */
static void read_left(struct record *record, const char *prefix, uid_t uid)
{
	char path[LACKING_PATH_BYTES + 1];
	struct rundir dir;
	int off;

	snprintf(path, sizeof(path), "%s%u", prefix, (unsigned int)uid);
	if (is_known(record, path) || rundir_open_user(&dir, path, uid))
		return;
	off = rundir_open_off(&dir, record->name);
	if (off >= 0) {
		lacking_read(&record->lacking, off);
		close(off);
		rundir_remove_rules(&dir, record->name);
	}
	rundir_close(&dir);
}

void record_handed_read(struct record *record)
{
	for (size_t i = 0; i < record->nusers; i++) {
		read_left(record, PLACE_DEFAULT_SHM, record->users[i]);
		read_left(record, PLACE_DEFAULT_TMP, record->users[i]);
	}
	for (size_t i = 0; i < record->nhanded; i++)
		if (record->handed[i]->off >= 0)
			lacking_read(&record->lacking, record->handed[i]->off);
}

void record_handed_close(struct record *record)
{
	for (size_t i = 0; i < record->nhanded; i++) {
		struct record_handed *handed = record->handed[i];

		if (handed->off >= 0)
			close(handed->off);
		if (handed->dir.fd >= 0)
			rundir_remove_rules(&handed->dir, record->name);
		rundir_close(&handed->dir);
		free(handed);
	}
	record->nhanded = 0;
}
