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
#include "command/record/members-private.h"

#define STRING_OF(x)	#x
#define STRING(x)	STRING_OF(x)
#define HANDED_MOST	STRING(MEMBERS_HANDOVERS_MAX)

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

static bool is_known(const struct members *members, const char *path)
{
	for (size_t i = 0; i < members->nhandovers; i++)
		if (!strcmp(members->handovers[i]->path, path))
			return true;
	return false;
}

/* Opens the directory, and locks the file by which its agents know that the
 * recorder is there. The process has made it. */
static void handover_open(struct members *members, struct handover *handed,
			uid_t uid)
{
	handed->off = -1;
	if (rundir_open_user(&handed->dir, handed->path, uid)) {
		outcome_tell(members->outcome, USER_REFUSED, .n = uid,
			     .text = handed->dir.error);
		return;
	}
	/* agents take the recording for ended while there is no such file */
	handed->off = rundir_open_off(&handed->dir, members->claim->name);
	if (handed->off < 0 || flock(handed->off, LOCK_SH | LOCK_NB)) {
		if (handed->off >= 0)
			close(handed->off);
		handed->off = rundir_create_off(&handed->dir,
						members->claim->name);
	}
}

static void take_path(struct members *members, const char *path)
{
	struct handover *handed;
	uid_t uid;

	if (!read_user(path, &uid) || is_known(members, path))
		return;
	if (members->nhandovers == MEMBERS_HANDOVERS_MAX) {
		if (!outcome_told(members->outcome, CAUSE_USERS_MANY))
			outcome_tell(members->outcome, USERS_MANY, .n = uid,
				     .text = HANDED_MOST);
		return;
	}
	handed = calloc(1, sizeof(*handed));
	if (!handed)
		return;
	snprintf(handed->path, sizeof(handed->path), "%s", path);
	members->handovers[members->nhandovers++] = handed;
	handover_open(members, handed, uid);
}

/* Only the directories of users that a process became are looked at: another
 * user could leave word of programs that there are not. */
static void take_user(struct members *members, uid_t uid)
{
	for (size_t i = 0; i < members->nusers; i++)
		if (members->users[i] == uid)
			return;
	if (uid && members->nusers < MEMBERS_USERS_MAX)
		members->users[members->nusers++] = uid;
}

static void look_page(struct members *members, const struct process_page *page)
{
	char path[LACKING_PATH_BYTES + 1];

	for (int i = 0; i < PROCESS_USERS; i++)
		take_user(members, page->users[i]);
	for (int i = 0; i < LACKING_NOTES; i++) {
		if (page->lacking[i].why != LACKING_HANDED)
			continue;
		snprintf(path, sizeof(path), "%.*s", LACKING_PATH_BYTES,
			 page->lacking[i].path);
		take_path(members, path);
	}
}

void handover_look(struct members *members)
{
	size_t known = members->nhandovers;
	struct process_page page;

	/* others cannot read what their processes make as another user */
	if (geteuid())
		return;
	for (size_t i = 0; i < members->n; i++) {
		const struct member *member = members->list[i];

		for (size_t j = 0; !member->done && j < member->nimages; j++)
			if (!rundir_read_process(member->process,
						 member->images[j]->image,
						 &page))
				look_page(members, &page);
	}
	for (; known < members->nhandovers; known++)
		if (members->handovers[known]->dir.fd >= 0)
			members_watch_at(members,
					 members->handovers[known]->dir.fd,
					 members->handovers[known]->path, ".");
}

int handover_each(struct members *members,
		       int (*call)(struct rundir_process *process, void *priv),
		       void *priv)
{
	int ret = 0;

	for (size_t i = 0; i < members->nhandovers; i++) {
		struct rundir *dir = &members->handovers[i]->dir;
		int failed = dir->fd < 0 ? 0 : rundir_each(dir, call, priv);

		ret = ret ? ret : failed;
	}
	return ret;
}

int handover_top(const struct members *members, const struct member *member)
{
	for (size_t i = 0; i < members->nhandovers; i++)
		if (members->handovers[i]->dir.fd >= 0 &&
		    members->handovers[i]->dir.uid == member->uid)
			return members->handovers[i]->dir.fd;
	return members->claim->dir.fd;
}

void handover_stop(struct members *members)
{
	for (size_t i = 0; i < members->nhandovers; i++)
		if (members->handovers[i]->dir.fd >= 0)
			rundir_remove_rules(&members->handovers[i]->dir,
					    members->claim->name);
}

/* Reads the word that a program has left there which was executed past libc:
 * its agent stays off. */
static void read_left(struct members *members, const char *prefix, uid_t uid)
{
	char path[LACKING_PATH_BYTES + 1];
	struct rundir dir;
	int off;

	snprintf(path, sizeof(path), "%s%u", prefix, (unsigned int)uid);
	if (is_known(members, path) || rundir_open_user(&dir, path, uid))
		return;
	off = rundir_open_off(&dir, members->claim->name);
	if (off >= 0) {
		lacking_read(&members->lacking, off);
		close(off);
		rundir_remove_rules(&dir, members->claim->name);
	}
	rundir_close(&dir);
}

void handover_read(struct members *members)
{
	for (size_t i = 0; i < members->nusers; i++) {
		read_left(members, PLACE_DEFAULT_SHM, members->users[i]);
		read_left(members, PLACE_DEFAULT_TMP, members->users[i]);
	}
	for (size_t i = 0; i < members->nhandovers; i++)
		if (members->handovers[i]->off >= 0)
			lacking_read(&members->lacking,
				     members->handovers[i]->off);
}

void handover_close(struct members *members)
{
	for (size_t i = 0; i < members->nhandovers; i++) {
		struct handover *handed = members->handovers[i];

		if (handed->off >= 0)
			close(handed->off);
		if (handed->dir.fd >= 0)
			rundir_remove_rules(&handed->dir, members->claim->name);
		rundir_close(&handed->dir);
		free(handed);
	}
	members->nhandovers = 0;
}
