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
#include "command/common/inode.h"
#include "command/common/monotonic.h"
#include "command/record/members-private.h"
#include "command/procfs/process.h"
#include "command/record/probes-private.h"

/* Returns true when a command follows the session and files of the member may
 * stay for it: the directory is where members_remove_left() looks for it, and
 * half of the file system is free. */
static bool files_may_stay(const struct members *members,
			   const struct member *member)
{
	const struct rundir_process *process = member->process;
	struct stat here, there;
	struct statvfs room;

	return rundir_followed(process, members->session) &&
	       members->dir->fd >= 0 && !fstat(process->fd, &here) &&
	       !fstatat(members->dir->fd, process->name, &there,
			AT_SYMLINK_NOFOLLOW) &&
	       inode_same(&here, &there) && !fstatvfs(process->fd, &room) &&
	       room.f_bavail > room.f_blocks / 2;
}

void members_remove_left(struct members *members, uint64_t until_ns)
{
	int top = members->dir->fd;
	size_t n = 0;

	/* the oldest come first */
	for (; n < members->nleft && members->left[n].due_ns <= until_ns; n++) {
		const struct member_left *left = &members->left[n];
		struct rundir_process process = { .uid = left->uid };

		snprintf(process.name, sizeof(process.name), "%s",
			 left->process);
		process.fd = openat(top, process.name, O_RDONLY | O_DIRECTORY |
				    O_NOFOLLOW | O_CLOEXEC);
		if (process.fd < 0)
			continue;
		/* another process may have a directory of this name now */
		if (consume_same_page(left->image, &process, true))
			consume_remove(left->image, &process, top);
		close(process.fd);
	}
	members->nleft -= n;
	memmove(members->left, members->left + n,
		members->nleft * sizeof(*members->left));
}

void member_finish_image(struct members *members, struct member *member,
			 struct consumer *image)
{
	struct process_page page;
	struct member_left *left;

	if (drain_finish(members->drain, image, member->process->fd)) {
		if (!rundir_read_process(member->process, consume_number(image),
					 &page)) {
			agentless_take(&members->agentless, &page,
				       consume_page(image));
			members->words_unknown |= page.words_unknown;
			probes_take(members->probes, member->pid, &page);
			if (page.clockless)
				outcome_tell(members->outcome,
					     MEMBER_CLOCKLESS,
					     .pid = member->pid);
		}
		/* last: it may free the session */
		drain_settle(members->drain, image);
	}
	/* events that could not be written have left the rings all the same */
	if (member->alive || !drain_collected(members->drain, image))
		return;
	for (size_t i = 0; i < members->nleft; i++)
		if (members->left[i].image == image)
			return;
	if (!files_may_stay(members, member)) {
		consume_remove(image, member->process,
			       handover_top(members, member));
		return;
	}
	/* the table is bounded: the oldest files go early */
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

void member_finish(struct members *members, struct member *member)
{
	int number;

	for (size_t i = 0; i < member->nimages; i++)
		member_finish_image(members, member, member->images[i]);
	member->done = true;
	if (member->alive)
		return;
	number = member->asked && member->pidfd >= 0 ?
			 process_end_signal(member->pid, member->pidfd) : 0;
	if (number)
		command_warn("signal %d killed process %d: %s", number,
			     member->pid, strsignal(number));
	member_release(member);
}

void member_finish_replaced(struct members *members, struct member *member)
{
	const uint32_t newest = consume_number(member_newest(member));
	bool looked = false;

	for (size_t i = 0; i < member->nimages; i++)
		if (consume_number(member->images[i]) != newest)
			member_finish_image(members, member, member->images[i]);
	/* A process may execute one program after the other for days, so the
	 * buffers do not wait for the end of the process, except for
	 * followers. */
	for (size_t i = 0; i < member->nimages; i++) {
		struct consumer *image = member->images[i];

		if (consume_number(image) == newest ||
		    consume_released(image) ||
		    !drain_collected(members->drain, image))
			continue;
		if (!looked && files_may_stay(members, member))
			return;
		looked = true;
		consume_release(image, member->process);
	}
}

/* Returns true when events of the member are still in buffers, for want of
 * descriptors: then the session is not ended. */
static bool has_missed(const struct member *member)
{
	for (size_t i = 0; i < member->nimages; i++)
		if (consume_missed(member->images[i]))
			return true;
	return false;
}

void members_finish(struct members *members)
{
	const char *session = members->session;
	const struct member *first = NULL;
	struct session_page page;

	for (size_t i = 0; i < members->n; i++) {
		struct member *member = members->list[i];

		for (size_t j = 0; !member->done && j < member->nimages; j++)
			member_finish_image(members, member, member->images[j]);
		if (!first && !member->done && member->process)
			first = member;
	}
	/* one follows the sessions of all processes of a directory */
	if (first ? rundir_followed(first->process, session) : members->nleft)
		poll(NULL, 0, FOLLOW_STOPPED_MS);
	for (size_t i = 0; i < members->n; i++) {
		struct member *member = members->list[i];
		bool ends = member->alive && !has_missed(member);

		if (member->done)
			continue;
		/* followers learn how many events are in the rings */
		for (size_t j = 0; ends && j < member->nimages; j++)
			if (!rundir_find_session(member->process,
						 consume_number(
							 member->images[j]),
						 session, &page))
				rundir_tell_followers(
					member->process,
					consume_number(member->images[j]),
					&page);
		/* the files of an agent that does not answer are in use */
		ends = ends && !member_ask(members, member, MESSAGE_DESTROY);
		for (size_t j = 0; ends && j < member->nimages; j++)
			consume_release(member->images[j], member->process);
		member_finish(members, member);
	}
	members_remove_left(members, UINT64_MAX);
}

void members_tidy(struct members *members)
{
	if (!drain_whole(members->drain))
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
