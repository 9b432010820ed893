/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One process of a recording: whether it lives, requests to the agent, and
 * descriptors. See members-private.h.
 */
#include "command/record/members-private.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "command/agents/client.h"
#include "traces/array.h"

#define STOP_TIMEOUT_MS	2000
#define DYING_MS	200

static uint64_t name_hash(const char *name)
{
	return index_hash(INDEX_HASH, name, strlen(name));
}

static bool name_same(uint64_t value, const void *name)
{
	return !strcmp(((const struct member *)value)->name, name);
}

struct member *members_named(const struct members *members, const char *name)
{
	return (void *)index_find(&members->names, name_hash(name), name_same,
				  name);
}

bool member_list(struct members *members, struct member *member)
{
	struct member *first = members_named(members, member->name);

	if (!array_grow(&members->list, members->n, sizeof(member)) ||
	    !array_grow(&members->open, members->nopen, sizeof(member)) ||
	    (!first && index_add(&members->names, name_hash(member->name),
				 (uint64_t)member)))
		return false;
	first = first ? first : member;
	member->older = first->latest;
	first->latest = member;
	members->list[members->n++] = member;
	members->open[members->nopen++] = member;
	return true;
}

struct consumer *member_newest(const struct member *member)
{
	struct consumer *newest = NULL;

	for (size_t i = 0; i < member->nimages; i++)
		if (!newest || consume_number(member->images[i]) >
			       consume_number(newest))
			newest = member->images[i];
	return newest;
}

bool member_ended(const struct member *member, int wait_ms)
{
	struct pollfd poll_pid = { .fd = member->pidfd, .events = POLLIN };

	if (member->pidfd >= 0)
		return poll(&poll_pid, 1, wait_ms) > 0;
	return !rundir_lives(member->process);
}

int member_ask(struct members *members, struct member *member,
	       enum message_type type)
{
	const char *session = members->session;
	struct client_request request = { 0 };
	struct client_answer answer = { 0 };
	char line[CAUSE_LINE_BYTES];
	struct client client;
	int ret = client_connect(&client, member->process);

	if (!ret) {
		client.timeout_ms = STOP_TIMEOUT_MS;
		client_request_add(&request, "name", "%s", session);
		if (type == MESSAGE_FLUSH && members->flushed)
			client_request_add(&request, "own", "1");
		ret = client_call(&client, type, &request, &answer);
		if (!ret && client_answer_number(&answer, "shared"))
			members->flushed = true;
		client_answer_release(&answer);
		client_request_release(&request);
	}
	/* no word of a process that is just being killed */
	if (ret && type == MESSAGE_STOP && !member_ended(member, DYING_MS))
		outcome_tell(members->outcome, MEMBER_UNSTOPPED,
			     .subject = session,
			     .text = cause_line(&client.cause, line));
	client_close(&client);
	return ret;
}

void members_watch_at(struct members *members, int fd, const char *at,
		      const char *below)
{
	const uint32_t events = IN_CREATE | IN_MOVED_TO | IN_ONLYDIR;
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", fd, below);
	if (inotify_add_watch(members->inotify, path, events) >= 0 ||
	    errno != ENOENT)
		return;
	snprintf(path, sizeof(path), "%s/%s", at, below);
	inotify_add_watch(members->inotify, path, events);
}

void member_release(struct member *member)
{
	if (member->pidfd >= 0)
		close(member->pidfd);
	member->pidfd = -1;
	if (member->process)
		rundir_process_close(member->process);
	free(member->process);
	member->process = NULL;
}
