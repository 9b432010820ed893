/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Collects the last events of images, and removes their files. If a command
 * follows the session, the files of a process that has ended stay for a moment:
 * it can read them.
 *
 * What must stay true here: files are removed only when their events are on
 * disk, and not before their followers have looked or the moment is over.
 *
 * A forked child that cannot make its files counts its events as lost in the
 * session's page of its parent. It may do so after the recorder has collected
 * the parent, and removed the file: the recorder keeps the page mapped, and
 * looks again at the end. The number of such pages is bounded, as the guards of
 * mappings are (buffers/reader/map.c). The oldest gets its last look early.
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
#include "command/processes/places.h"
#include "command/record/handed-private.h"
#include "command/record/member-private.h"

/* Returns true when the process's directory is where record_remove_left() looks
 * for it, and its file system has room. */
static bool may_stay(const struct record *record,
		     const struct rundir_process *process)
{
	struct stat here, there;
	struct statvfs room;

	return record->dir.fd >= 0 && !fstat(process->fd, &here) &&
	       !fstatat(record->dir.fd, process->name, &there,
			AT_SYMLINK_NOFOLLOW) &&
	       here.st_ino == there.st_ino && here.st_dev == there.st_dev &&
	       !fstatvfs(process->fd, &room) &&
	       room.f_bavail > room.f_blocks / 2;
}

static void remove_left(struct record *record, const struct record_left *left)
{
	struct rundir_process process = { .uid = left->uid };

	snprintf(process.name, sizeof(process.name), "%s", left->process);
	process.fd = openat(record->dir.fd, process.name, O_RDONLY |
			    O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (process.fd < 0)
		return;
	/* another process may have its name now */
	if (member_same_page(left->consumer, &process))
		consume_remove(left->consumer, &process, record->dir.fd);
	close(process.fd);
}

void record_remove_left(struct record *record, uint64_t until_ns)
{
	size_t n = 0;

	/* the oldest come first */
	while (n < record->nleft && record->left_files[n].due_ns <= until_ns)
		remove_left(record, &record->left_files[n++]);
	record->nleft -= n;
	memmove(record->left_files, record->left_files + n,
		record->nleft * sizeof(*record->left_files));
}

static void remove_or_leave(struct record *record, struct record_member *member,
			    struct consumer *consumer)
{
	struct record_left *left;

	for (size_t i = 0; i < record->nleft; i++)
		if (record->left_files[i].consumer == consumer)
			return;
	if (!rundir_followed(member->process, record->name) ||
	    !may_stay(record, member->process)) {
		consume_remove(consumer, member->process,
			       record_top(record, member));
		return;
	}
	if (record->nleft == RECORD_LEFT_MAX)
		record_remove_left(record, record->left_files[0].due_ns);
	left = &record->left_files[record->nleft++];
	*left = (struct record_left){
		.uid = member->process->uid,
		.consumer = consumer,
		.due_ns = monotonic_ns() + FOLLOW_ENDED_MS * 1000000ull,
	};
	memcpy(left->process, member->name, sizeof(left->process));
}

static void late_look(struct record *record, struct consumer *consumer)
{
	uint32_t orphans;
	int32_t error;

	if (!consumer)
		return;
	orphans = consume_late(consumer, &error);
	shortage_orphans(&record->shortage, orphans, error);
}

void record_late_add(struct record *record, struct consumer *consumer)
{
	struct consumer **slot =
		&record->late[record->nlate++ % RECORD_LATE_MAX];

	late_look(record, *slot);
	/* what it knows of modules takes memory until then */
	if (*slot)
		consume_names(*slot);
	*slot = consumer;
}

void record_late_end(struct record *record)
{
	for (size_t i = 0; i < RECORD_LATE_MAX; i++) {
		late_look(record, record->late[i]);
		record->late[i] = NULL;
	}
}

/* Returns true when no event of a finished image is left in its buffers. */
static bool is_collected(const struct record *record,
			 const struct consumer *consumer)
{
	return !consumer->unreadable && !consumer->missed && !record->failed;
}

void record_finish_image(struct record *record, struct record_member *member,
			 struct consumer *consumer)
{
	struct process_page page;
	int ret = 0;

	if (!consumer->finished) {
		ret = consume_finish(consumer);
		record_late_add(record, consumer);
		if (!rundir_read_process(member->process, consumer->image,
					 &page)) {
			lacking_take(&record->lacking, &page,
				     &consumer->session->page);
			record->words_unknown |= page.words_unknown;
			record_probes_take(record, member->pid, &page);
			if (page.clockless)
				outcome_tell(&record->outcome,
					     MEMBER_CLOCKLESS,
					     .pid = member->pid);
		}
		places_take(record->places, member->pid,
			    &consumer->session->page, NULL);
		shortage_take(&record->shortage, &consumer->session->page,
			      member->process->fd);
		record->unreadable += consumer->unreadable;
		record->missed = consumer->missed ?: record->missed;
		record_settle(record, consumer);
	}
	if (ret && !record->set.error && !consumer->missed)
		record->failed = ret;
	/* events that could not be written have left the rings all the same */
	if (!member->alive && is_collected(record, consumer))
		remove_or_leave(record, member, consumer);
}

void record_finish_member(struct record *record, struct record_member *member)
{
	size_t i;

	for (i = 0; i < member->nimages; i++)
		record_finish_image(record, member, member->images[i]);
	member->done = true;
	if (!member->alive)
		member_let_go(member);
}

/* A process may execute one program after the other for days, so the buffers of
 * replaced images do not wait for its end, except for followers. */
static void release_replaced(struct record *record,
			     struct record_member *member, uint32_t newest)
{
	bool looked = false;
	size_t i;

	for (i = 0; i < member->nimages; i++) {
		struct consumer *consumer = member->images[i];

		if (consumer->image == newest || consumer->released ||
		    !is_collected(record, consumer))
			continue;
		if (!looked && rundir_followed(member->process, record->name) &&
		    may_stay(record, member->process))
			return;
		looked = true;
		consume_release(consumer, member->process);
	}
}

void record_finish_replaced(struct record *record,
			    struct record_member *member)
{
	uint32_t newest = 0;
	size_t i;

	for (i = 0; i < member->nimages; i++)
		if (newest < member->images[i]->image)
			newest = member->images[i]->image;
	for (i = 0; i < member->nimages; i++)
		if (member->images[i]->image != newest)
			record_finish_image(record, member, member->images[i]);
	release_replaced(record, member, newest);
}

/* Removes the files of a session that its living process has destroyed. */
static void remove_files(const struct record_member *member)
{
	size_t i;

	for (i = 0; i < member->nimages; i++)
		rundir_destroy_session(member->process,
				       member->images[i]->image,
				       member->images[i]->index);
}

/* Returns true when events of the member are still in its buffers. */
static bool has_missed(const struct record_member *member)
{
	for (size_t i = 0; i < member->nimages; i++)
		if (member->images[i]->missed)
			return true;
	return false;
}

/* Returns true when a command follows the session. */
static bool is_followed(const struct record *record)
{
	for (size_t i = 0; i < record->nmembers; i++)
		if (!record->members[i]->done && record->members[i]->process)
			return rundir_followed(record->members[i]->process,
					       record->name);
	return record->nleft;
}

/* Tells followers what is in rings that the process itself removes. */
static void tell_followers(const struct record *record,
			   const struct record_member *member)
{
	struct session_page page;

	for (size_t i = 0; i < member->nimages; i++)
		if (!rundir_find_session(member->process,
					 member->images[i]->image,
					 record->name, &page))
			rundir_tell_followers(member->process,
					      member->images[i]->image, &page);
}

void record_finish_all(struct record *record)
{
	for (size_t i = 0; i < record->nmembers; i++) {
		struct record_member *member = record->members[i];

		for (size_t j = 0; !member->done && j < member->nimages; j++)
			record_finish_image(record, member, member->images[j]);
	}
	if (is_followed(record))
		poll(NULL, 0, FOLLOW_STOPPED_MS);
	for (size_t i = 0; i < record->nmembers; i++) {
		struct record_member *member = record->members[i];

		if (member->done)
			continue;
		if (member->alive && !has_missed(member)) {
			tell_followers(record, member);
			if (!record_ask(record, member, MESSAGE_DESTROY))
				remove_files(member);
		}
		record_finish_member(record, member);
	}
	record_remove_left(record, UINT64_MAX);
}

void record_tidy(struct record *record)
{
	size_t i;
	size_t j;

	if (record->failed || record->unreadable)
		return;
	for (i = 0; i < record->nmembers; i++) {
		struct record_member *member = record->members[i];

		if (!member->alive || has_missed(member) ||
		    !member_ended(member, 0))
			continue;
		for (j = 0; j < member->nimages; j++)
			consume_remove(member->images[j], member->process,
				       record_top(record, member));
	}
}
