/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directories of other users. A process of root's recording that has changed
 * the user hands the recording on to the program that it executes: it leaves
 * the session in the default directory of the new user, and a note in the
 * process page (agent/image/handover.c). The recorder opens that directory as
 * the user's, and takes the processes in it.
 *
 * Invariant: a page is not trusted. Only a default directory is opened, and
 * only if it is that user's own, private and no symlink.
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
#define HANDOVERS_MAX	256

/* Reads the user's number behind the prefix of a default directory. Returns
 * false for any other path, so that no process can name one. */
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

/* Returns the directory of that path, which may have been refused, or NULL. */
static struct handover *handover_find(const struct members *members,
				      const char *path)
{
	struct handover *h = members->handovers;

	while (h && strcmp(h->path, path))
		h = h->next;
	return h;
}

/*
 * Takes the users and the directories that the page of an image names: opens
 * and watches a directory, which the process has made, and locks the file that
 * tells agents there that the recorder is at work. Only the directories of
 * users that a process became are looked at later: another user could leave
 * word of programs that there are not.
 */
static void image_look(struct members *members, const struct member *member,
		       uint32_t image)
{
	char path[LACKING_PATH_BYTES + 1], line[CAUSE_LINE_BYTES];
	const char *session = members->session;
	struct process_page page;
	struct handover **last, *h;
	uid_t uid;
	size_t n;

	if (rundir_read_process(member->process, image, &page))
		return;
	for (int i = 0; i < PROCESS_USERS; i++) {
		uid = page.users[i];
		for (n = 0; n < members->nusers && members->users[n] != uid;)
			n++;
		if (uid && n == members->nusers && n < MEMBERS_USERS_MAX)
			members->users[members->nusers++] = uid;
	}
	for (int i = 0; i < LACKING_NOTES; i++) {
		if (page.lacking[i].why != LACKING_HANDED)
			continue;
		snprintf(path, sizeof(path), "%.*s", LACKING_PATH_BYTES,
			 page.lacking[i].path);
		if (!read_user(path, &uid) || handover_find(members, path))
			continue;
		last = &members->handovers;
		for (n = 0; *last; last = &(*last)->next)
			n++;
		if (n == HANDOVERS_MAX) {
			if (!outcome_told(members->outcome, CAUSE_USERS_MANY))
				outcome_tell(members->outcome, USERS_MANY,
					     .n = uid,
					     .text = STRING(HANDOVERS_MAX));
			continue;
		}
		*last = h = calloc(1, sizeof(*h));
		if (!h)
			return;
		snprintf(h->path, sizeof(h->path), "%s", path);
		h->off = -1;
		if (rundir_open_user(&h->dir, path, uid)) {
			outcome_tell(members->outcome, USER_REFUSED, .n = uid,
				     .text = cause_line(&h->dir.cause, line));
			continue;
		}
		members_watch_at(members, h->dir.fd, path, ".");
		/* agents take the recording for ended while there is no such
		 * file */
		h->off = rundir_open_off(&h->dir, session);
		if (h->off < 0 || flock(h->off, LOCK_SH | LOCK_NB)) {
			if (h->off >= 0)
				close(h->off);
			h->off = rundir_create_off(&h->dir, session);
		}
	}
}

void handover_look(struct members *members)
{
	/* only root can read files of another user's processes */
	for (size_t i = 0; i < members->nopen && !geteuid(); i++) {
		const struct member *member = members->open[i];

		for (size_t j = 0; !member->done && j < member->nimages; j++)
			image_look(members, member,
				   consume_number(member->images[j]));
	}
}

int handover_top(const struct members *members, const struct member *member)
{
	for (struct handover *h = members->handovers; h; h = h->next)
		if (h->dir.fd >= 0 && h->dir.uid == member->uid)
			return h->dir.fd;
	return members->dir->fd;
}

void handover_stop(struct members *members)
{
	for (struct handover *h = members->handovers; h; h = h->next)
		if (h->dir.fd >= 0)
			rundir_remove_rules(&h->dir, members->session);
}

/* Reads the reason of an agent that stays off, in a default directory that no
 * page names: the program was executed past libc. */
static void left_read(struct members *members, const char *prefix, uid_t uid)
{
	char path[LACKING_PATH_BYTES + 1];
	struct rundir dir;
	int off;

	snprintf(path, sizeof(path), "%s%u", prefix, (unsigned int)uid);
	if (handover_find(members, path) || rundir_open_user(&dir, path, uid))
		return;
	off = rundir_open_off(&dir, members->session);
	if (off >= 0) {
		agentless_read(&members->agentless, off);
		close(off);
		rundir_remove_rules(&dir, members->session);
	}
	rundir_close(&dir);
}

void handover_read(struct members *members)
{
	for (size_t i = 0; i < members->nusers; i++) {
		left_read(members, PLACE_DEFAULT_SHM, members->users[i]);
		left_read(members, PLACE_DEFAULT_TMP, members->users[i]);
	}
	for (struct handover *h = members->handovers; h; h = h->next)
		if (h->off >= 0)
			agentless_read(&members->agentless, h->off);
}

void handover_close(struct members *members)
{
	struct handover *h;

	while ((h = members->handovers)) {
		members->handovers = h->next;
		if (h->off >= 0)
			close(h->off);
		if (h->dir.fd >= 0)
			rundir_remove_rules(&h->dir, members->session);
		rundir_close(&h->dir);
		free(h);
	}
}
