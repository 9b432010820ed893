/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Collects the last events of images, and removes their files. If a command
 * follows the session, the files of an ended process stay for a moment, so that
 * the command can read them.
 *
 * Invariant: files are removed only when their events are on disk, and not
 * before their followers have looked or the moment is over.
 */
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/tunables.h"
#include "command/common/command.h"
#include "command/common/monotonic.h"
#include "command/record/members-private.h"
#include "command/record/probes-private.h"

/* Returns true when files of the process may stay for followers: the directory
 * is where members_remove_left() looks for it, and half of the file system is
 * free. */
static bool may_stay(const struct members *members,
		     const struct rundir_process *process)
{
	struct stat here, there;
	struct statvfs room;

	return members->claim->dir.fd >= 0 && !fstat(process->fd, &here) &&
	       !fstatat(members->claim->dir.fd, process->name, &there,
			AT_SYMLINK_NOFOLLOW) &&
	       here.st_ino == there.st_ino && here.st_dev == there.st_dev &&
	       !fstatvfs(process->fd, &room) &&
	       room.f_bavail > room.f_blocks / 2;
}

/* Removes files that have stayed long enough. */
static void left_remove(struct members *members, const struct member_left *left)
{
	struct rundir_process process = { .uid = left->uid };

	snprintf(process.name, sizeof(process.name), "%s", left->process);
	process.fd = openat(members->claim->dir.fd, process.name, O_RDONLY |
			    O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (process.fd < 0)
		return;
	/* another process may have a directory of this name now */
	if (member_same_page(left->image, &process))
		consume_remove(left->image, &process, members->claim->dir.fd);
	close(process.fd);
}

void members_remove_left(struct members *members, uint64_t until_ns)
{
	size_t n = 0;

	/* the oldest come first */
	while (n < members->nleft && members->left[n].due_ns <= until_ns)
		left_remove(members, &members->left[n++]);
	members->nleft -= n;
	memmove(members->left, members->left + n,
		members->nleft * sizeof(*members->left));
}

/* Removes the files of an image of an ended process, or lets them stay for
 * followers. The table is bounded: the oldest files go early. */
static void remove_or_leave(struct members *members, struct member *member,
			    struct consumer *image)
{
	struct member_left *left;

	for (size_t i = 0; i < members->nleft; i++)
		if (members->left[i].image == image)
			return;
	if (!rundir_followed(member->process, members->claim->name) ||
	    !may_stay(members, member->process)) {
		consume_remove(image, member->process,
			       handover_top(members, member));
		return;
	}
	if (members->nleft == MEMBERS_LEFT_MAX)
		members_remove_left(members, members->left[0].due_ns);
	left = &members->left[members->nleft++];
	*left = (struct member_left){
		.uid = member->process->uid,
		.image = image,
		.due_ns = monotonic_ns() + FOLLOW_ENDED_MS * 1000000ull,
	};
	memcpy(left->process, member->name, sizeof(left->process));
}

void member_finish_image(struct members *members, struct member *member,
			 struct consumer *image)
{
	struct process_page page;

	if (!image->finished) {
		drain_finish(members->drain, image, member->process->fd);
		if (!rundir_read_process(member->process, image->image,
					 &page)) {
			agentless_take(&members->agentless, &page,
				     &image->session->page);
			members->words_unknown |= page.words_unknown;
			probes_take(members->probes, member->pid, &page);
			if (page.clockless)
				outcome_tell(members->outcome,
					     MEMBER_CLOCKLESS,
					     .pid = member->pid);
		}
		drain_settle(members->drain, image);
	}
	/* events that could not be written have left the rings all the same */
	if (!member->alive && drain_collected(members->drain, image))
		remove_or_leave(members, member, image);
}

void member_finish(struct members *members, struct member *member)
{
	for (size_t i = 0; i < member->nimages; i++)
		member_finish_image(members, member, member->images[i]);
	member->done = true;
	if (!member->alive)
		member_release(member);
}

/* Removes buffers of replaced images, except for followers. A process may
 * execute one program after the other for days, so they do not wait for the end
 * of the process. */
static void release_replaced(struct members *members, struct member *member,
			     uint32_t newest)
{
	bool looked = false;

	for (size_t i = 0; i < member->nimages; i++) {
		struct consumer *image = member->images[i];

		if (image->image == newest || image->released ||
		    !drain_collected(members->drain, image))
			continue;
		if (!looked &&
		    rundir_followed(member->process, members->claim->name) &&
		    may_stay(members, member->process))
			return;
		looked = true;
		consume_release(image, member->process);
	}
}

void member_finish_replaced(struct members *members, struct member *member)
{
	uint32_t newest = 0;

	for (size_t i = 0; i < member->nimages; i++)
		if (newest < member->images[i]->image)
			newest = member->images[i]->image;
	for (size_t i = 0; i < member->nimages; i++)
		if (member->images[i]->image != newest)
			member_finish_image(members, member, member->images[i]);
	release_replaced(members, member, newest);
}

/* Returns true when events of the member are still in buffers. */
static bool has_missed(const struct member *member)
{
	for (size_t i = 0; i < member->nimages; i++)
		if (member->images[i]->missed)
			return true;
	return false;
}

/* Ends the session of a living process that has stopped, and removes the files.
 * Before that, followers learn how many events are in the rings. */
static void session_destroy(struct members *members, struct member *member)
{
	const char *session = members->claim->name;
	const struct rundir_process *process = member->process;
	struct session_page page;

	for (size_t i = 0; i < member->nimages; i++)
		if (!rundir_find_session(process, member->images[i]->image,
					 session, &page))
			rundir_tell_followers(process, member->images[i]->image,
					      &page);
	if (member_ask(members, member, MESSAGE_DESTROY))
		return;
	for (size_t i = 0; i < member->nimages; i++)
		rundir_destroy_session(process, member->images[i]->image,
				       member->images[i]->index);
}

void members_finish(struct members *members)
{
	const struct member *first = NULL;

	for (size_t i = 0; i < members->n; i++) {
		struct member *member = members->list[i];

		for (size_t j = 0; !member->done && j < member->nimages; j++)
			member_finish_image(members, member, member->images[j]);
		if (!first && !member->done && member->process)
			first = member;
	}
	/* one follows the sessions of all processes of a directory */
	if (first ? rundir_followed(first->process, members->claim->name) :
		    members->nleft)
		poll(NULL, 0, FOLLOW_STOPPED_MS);
	for (size_t i = 0; i < members->n; i++) {
		struct member *member = members->list[i];

		if (member->done)
			continue;
		if (member->alive && !has_missed(member))
			session_destroy(members, member);
		member_finish(members, member);
	}
	members_remove_left(members, UINT64_MAX);
}

void members_tidy(struct members *members)
{
	if (members->drain->failed || members->drain->unreadable)
		return;
	for (size_t i = 0; i < members->n; i++) {
		struct member *member = members->list[i];

		if (!member->alive || has_missed(member) ||
		    !member_ended(member, 0))
			continue;
		for (size_t j = 0; j < member->nimages; j++)
			consume_remove(member->images[j], member->process,
				       handover_top(members, member));
	}
}
