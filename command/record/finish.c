/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Collects the last events of images, and removes their files.
 *
 * What must stay true here: files are removed only when their events are on
 * disk.
 */
#include "command/common/command.h"
#include "command/record/member-private.h"

void record_finish_image(struct record *record, struct record_member *member,
			 struct consumer *consumer)
{
	struct process_page page;
	int ret = 0;

	if (!consumer->finished) {
		ret = consume_finish(consumer);
		record_late_add(record, consumer);
		if (!rundir_read_process(&member->process, consumer->image,
					 &page)) {
			lacking_take(&record->lacking, &page,
				     &consumer->session.page);
			record->words_unknown |= page.words_unknown;
			if (page.clockless)
				command_warn("process %d gave up the time "
					     "stamp counter: later events are "
					     "not recorded",
					     member->process.pid);
		}
		shortage_take(&record->shortage, &consumer->session.page,
			      member->process.fd);
		record->unreadable += consumer->unreadable;
		record->missed = consumer->missed ?: record->missed;
	}
	if (ret && !record->set.error && !consumer->missed)
		record->failed = ret;
	/* events that could not be written have left the rings all the same */
	if (!member->alive && !consumer->unreadable && !consumer->missed &&
	    !record->failed)
		consume_remove(consumer, &member->process, record->dir.fd);
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

void record_finish_replaced(struct record *record,
			    struct record_member *member)
{
	size_t i, j;

	for (i = 0; i < member->nimages; i++)
		for (j = 0; j < member->nimages; j++)
			if (member->images[i]->image < member->images[j]->image)
				record_finish_image(record, member,
						    member->images[i]);
}

/* Removes the files of a session that its living process has destroyed. */
static void remove_files(const struct record_member *member)
{
	size_t i;

	for (i = 0; i < member->nimages; i++)
		rundir_destroy_session(&member->process,
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

void record_finish_all(struct record *record)
{
	for (size_t i = 0; i < record->nmembers; i++) {
		struct record_member *member = record->members[i];

		for (size_t j = 0; !member->done && j < member->nimages; j++)
			record_finish_image(record, member, member->images[j]);
	}
	for (size_t i = 0; i < record->nmembers; i++) {
		struct record_member *member = record->members[i];

		if (member->done)
			continue;
		if (member->alive && !has_missed(member) &&
		    !record_ask(record, member, MESSAGE_DESTROY))
			remove_files(member);
		record_finish_member(record, member);
	}
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
			consume_remove(member->images[j], &member->process,
				       record->dir.fd);
	}
}
