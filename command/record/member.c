/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The processes of a recording. The recorder holds a pidfd of each, which names
 * that process alone, until it has collected the process's last events.
 *
 * What must stay true here: when a process has ended and its directory is gone,
 * another one may make a directory of the same name.
 */
#include "command/processes/client.h"
#include "command/record/member-private.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STOP_TIMEOUT_MS	2000
#define DYING_MS	200

struct record_member *member_named(const struct record *record,
				   const struct rundir_process *process)
{
	size_t i = record->nmembers;

	while (i-- > 0)
		if (!strcmp(record->members[i]->name, process->name) &&
		    record->members[i]->uid == process->uid)
			return record->members[i];
	return NULL;
}

/* Finds the member that the process was as another user; it has executed
 * another program since. */
static void replace_before(struct record *record, struct record_member *member)
{
	for (size_t i = 0; i < record->nmembers; i++) {
		struct record_member *other = record->members[i];

		if (other == member || other->uid == member->uid ||
		    strcmp(other->name, member->name))
			continue;
		member->before = other;
		/* its image writes no more, and answers no more */
		if (!other->done)
			other->alive = false;
	}
}

struct record_member *member_add(struct record *record,
				 const struct rundir_process *process)
{
	struct record_member *member = calloc(1, sizeof(*member));
	struct record_member **more;

	more = reallocarray(record->members, record->nmembers + 1,
			    sizeof(*more));
	if (more)
		record->members = more;
	if (member)
		member->process = malloc(sizeof(*process));
	if (!member || !more || !member->process)
		goto free;
	*member->process = *process;
	member->process->fd = fcntl(process->fd, F_DUPFD_CLOEXEC, 3);
	if (member->process->fd < 0)
		goto free;
	memcpy(member->name, process->name, sizeof(member->name));
	member->uid = process->uid;
	member->pid = process->pid;
	member->pidfd = process->alive && !process->unseen ?
			(int)syscall(SYS_pidfd_open, process->pid, 0) : -1;
	/* another process may have the pid by now */
	member->alive = process->alive && rundir_lives(process);
	more[record->nmembers++] = member;
	replace_before(record, member);
	return member;
free:
	if (member)
		free(member->process);
	free(member);
	return NULL;
}

bool member_same_page(const struct consumer *consumer,
		      const struct rundir_process *process)
{
	struct process_page page;

	return rundir_read_process(process, consumer->image, &page) ||
	       !memcmp(page.uuid, consumer->uuid, sizeof(page.uuid));
}

bool member_has(const struct record_member *member,
		const struct rundir_process *process, uint32_t image)
{
	size_t i;

	for (i = 0; member && i < member->nimages; i++)
		if (member->images[i]->image == image)
			return !member->done || member->alive ||
			       member_same_page(member->images[i], process);
	return false;
}

bool member_ended(const struct record_member *member, int wait_ms)
{
	struct pollfd poll_pid = { .fd = member->pidfd, .events = POLLIN };

	if (member->pidfd >= 0)
		return poll(&poll_pid, 1, wait_ms) > 0;
	return !rundir_lives(member->process);
}

void member_let_go(struct record_member *member)
{
	if (member->pidfd >= 0)
		close(member->pidfd);
	member->pidfd = -1;
	if (member->process)
		rundir_process_close(member->process);
	free(member->process);
	member->process = NULL;
}

int record_ask(struct record *record, struct record_member *member,
	       enum message_type type)
{
	struct client_request request = { 0 };
	char line[CAUSE_LINE_BYTES];
	struct client client;
	int ret = client_connect(&client, member->process);

	if (!ret) {
		client.timeout_ms = STOP_TIMEOUT_MS;
		client_request_add(&request, "name", "%s", record->name);
		ret = client_call(&client, type, &request, NULL);
		client_request_release(&request);
	}
	/* no warning for a process that is just being killed */
	if (ret && type == MESSAGE_STOP && !member_ended(member, DYING_MS))
		outcome_tell(&record->outcome, MEMBER_UNSTOPPED,
			     .subject = record->name,
			     .text = cause_line(&client.cause, line));
	client_close(&client);
	return ret;
}
