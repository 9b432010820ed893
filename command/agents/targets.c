/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The processes that a sub-command works on. See targets.h.
 */
#include "command/agents/targets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "command/agents/elsewhere.h"
#include "command/agents/replaced.h"
#include "command/agents/rule.h"
#include "command/common/command.h"
#include "command/common/limits.h"
#include "command/common/nearest.h"
#include "command/elf/process-markers.h"

#define CALLED_BRIEF_MS	500	/* for a signal that may stay blocked */
#define NAMES_MAX	64	/* of sessions, for a message */
#define REPLACED_LOOKS	100	/* for all processes, 5 ms each */

int targets_check_name(const char *name)
{
	if (!rundir_valid_name(name))
		return command_misused("'%s' is not a session's name: give up "
				       "to 63 letters, digits, '.', '_', '-'",
				       name);
	return COMMAND_DONE;
}

static int targets_find(struct targets *t, const pid_t *pids, size_t count)
{
	struct cause cause;
	int ret;

	t->list.processes = calloc(count, sizeof(*t->list.processes));
	if (!t->list.processes) {
		command_failed("out of memory");
		return -ENOMEM;
	}
	while (t->list.count < count) {
		ret = rundir_find(&t->list.processes[t->list.count],
				  pids[t->list.count], &cause);
		if (ret) {
			cause_tell(&cause);
			return ret;
		}
		t->list.count++;
	}
	return 0;
}

/* Leaves out this command, which has an agent where `taffrail record` runs a
 * shell: it cannot answer itself. */
static void self_drop(struct rundir_list *list)
{
	size_t i, kept = 0;

	for (i = 0; i < list->count; i++) {
		struct rundir_process *process = &list->processes[i];

		/* one that is not seen has its number from elsewhere */
		if (process->alive && !process->unseen &&
		    process->pid == getpid())
			rundir_process_close(process);
		else
			list->processes[kept++] = *process;
	}
	list->count = kept;
}

/* Returns true when the program that has these files is over, and the process
 * executes one whose agent does not use this directory: it has none, or another
 * user's. */
static bool program_replaced(const struct rundir_process *process)
{
	struct cause cause;
	struct rundir_process now;
	struct stat here, there;
	bool same;

	if (rundir_find(&now, process->pid, &cause))
		return true;
	same = !fstat(process->fd, &here) && !fstat(now.fd, &there) &&
	       here.st_ino == there.st_ino && here.st_dev == there.st_dev;
	rundir_process_close(&now);
	return !same;
}

/* Counts processes as ended whose last program with an agent has ended by an
 * execve(2): they can be asked nothing. Between two programs with agents this
 * is so for some milliseconds. */
static void end_replaced(struct rundir_list *list)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	int looks = REPLACED_LOOKS;
	struct process_page head;

	for (size_t i = 0; i < list->count; i++) {
		struct rundir_process *process = &list->processes[i];
		bool over = process->alive && !process->unseen &&
			    !rundir_read_process(process, process->image,
						 &head) &&
			    head.locked && !rundir_locked(process);

		while (over && (over = program_replaced(process)) &&
		       looks-- > 0)
			nanosleep(&pause, NULL);
		process->alive = process->alive && !over;
	}
}

static int targets_scan(struct targets *t)
{
	int ret;

	if (t->dir.fd < 0 && t->dir.cause.id) {
		cause_tell(&t->dir.cause);
		return -EPERM;
	}
	ret = rundir_scan_user(&t->dir, &t->list);
	if (ret) {
		cause_tell(&t->dir.cause);
		return ret;
	}
	self_drop(&t->list);
	end_replaced(&t->list);
	return 0;
}

int targets_open(struct targets *t, pid_t pid)
{
	return targets_open_each(t, &pid, !!pid);
}

int targets_open_each(struct targets *t, const pid_t *pids, size_t count)
{
	int ret;

	t->list = (struct rundir_list){ 0 };
	t->targets = NULL;
	t->count = 0;
	t->named = count;
	t->unread = false;
	t->dir.fd = -1;
	if (cause_check_proc())
		return -ENOSYS;
	if (cause_check_files(LIMITS_FILES))
		return -EMFILE;
	if (rundir_open(&t->dir, false) == -ENOENT)
		t->dir.cause.id = CAUSE_NONE;
	ret = count ? targets_find(t, pids, count) : targets_scan(t);
	/* each process of the list has a descriptor */
	if (!ret && cause_check_files(LIMITS_FILES))
		ret = -EMFILE;
	if (ret)
		return ret;
	t->targets = calloc(t->list.count + 1, sizeof(*t->targets));
	if (!t->targets) {
		command_failed("out of memory");
		return -ENOMEM;
	}
	t->count = t->list.count;
	for (size_t i = 0; i < t->count; i++) {
		t->targets[i].process = &t->list.processes[i];
		t->targets[i].client.fd = -1;
	}
	return 0;
}

void targets_close(struct targets *t)
{
	for (size_t i = 0; i < t->count; i++) {
		client_close(&t->targets[i].client);
		marker_list_free(&t->targets[i].markers);
	}
	free(t->targets);
	rundir_list_free(&t->list);
	rundir_close(&t->dir);
}

bool target_has(const struct target *target, const char *session)
{
	struct session_page page;

	return !rundir_find_session(target->process, target->process->image,
				    session, &page);
}

int target_connect(struct target *target)
{
	int ret;

	if (target->client.fd >= 0)
		return 0;
	ret = client_connect(&target->client, target->process);
	if (ret == -ESRCH)
		target->process->alive = rundir_lives(target->process);
	return ret;
}

int target_connect_briefly(struct target *target)
{
	int ret = target_connect(target);

	if (!ret && target->client.called)
		target->client.timeout_ms = CALLED_BRIEF_MS;
	return ret;
}

/* Asks for the list in pieces, until one is empty. A marker that goes meanwhile
 * may hide another one. */
static int list_pieces(struct target *target)
{
	size_t had = target->markers.count, before;
	struct client_answer answer;
	int ret;

	do {
		struct client_request request = { 0 };

		before = target->markers.count;
		client_request_add(&request, "from", "%zu", before - had);
		ret = client_call(&target->client, MESSAGE_LIST, &request,
				  &answer);
		if (!ret)
			ret = marker_list_parse(&target->markers,
						answer.payload, answer.bytes);
		client_answer_release(&answer);
		client_request_release(&request);
	} while (!ret && target->markers.count > before);
	return ret;
}

int target_list(struct target *target)
{
	struct client_answer answer;
	int ret = target_connect(target);

	if (ret)
		return ret;
	ret = client_call(&target->client, MESSAGE_LIST, NULL, &answer);
	if (!ret)
		ret = marker_list_parse(&target->markers,
					answer.payload, answer.bytes);
	client_answer_release(&answer);
	return ret == -E2BIG ? list_pieces(target) : ret;
}

/* Returns true when the rule matches a marker of the list. Gives the markers
 * that it does not match to `nearest`. */
static bool list_matches(const struct marker_list *list, const char *rule,
			 struct nearest *nearest)
{
	for (size_t k = 0; k < list->count; k++) {
		if (rule_matches(rule, list->markers[k].id))
			return true;
		nearest_add(nearest, list->markers[k].id);
	}
	return false;
}

/* The same for the targets' markers. */
static bool markers_match(const struct targets *t, const char *rule,
			  struct nearest *nearest)
{
	for (size_t i = 0; i < t->count; i++)
		if (list_matches(&t->targets[i].markers, rule, nearest))
			return true;
	return false;
}

/* The same for USDT probes. A probe becomes a marker when a rule names it, and
 * the agent does not list it before that. */
static bool probes_match(struct targets *t, const char *rule,
			 struct nearest *nearest, struct marker_list *probes)
{
	int ret;

	for (size_t i = 0; i < t->count; i++) {
		ret = process_probes_read(probes, t->targets[i].process->pid);
		t->unread |= ret == -EACCES || ret == -EPERM;
	}
	return list_matches(probes, rule, nearest);
}

static int rule_unmatched(const struct targets *t, const char *rule,
			  const struct nearest *nearest)
{
	char text[NEAREST_IDS * (NEAREST_LENGTH_MAX + 8)];

	nearest_text(nearest, text, sizeof(text));
	if (text[0])
		command_failed("no marker matches '%s'; the nearest: %s%s",
			       rule, text, rule_hint(rule));
	else
		command_failed("no marker matches '%s': %s no markers", rule,
			       t->count == 1 ? "the process has" :
			       "these processes have");
	for (size_t i = 0; i < t->count; i++)
		replaced_tell(t->targets[i].process->pid);
	return -ENOENT;
}

int targets_check_files(const struct targets *t, const char *const *rules,
			int count)
{
	int status = COMMAND_DONE;

	for (int i = 0; i < count; i++)
		for (size_t k = 0; k < t->count; k++)
			if (t->targets[k].process->alive &&
			    !t->targets[k].process->unseen &&
			    replaced_tell_rule(t->targets[k].process->pid,
					       rules[i]))
				status = COMMAND_FAILED;
	return status;
}

int targets_check_rule(struct targets *t, const char *rule)
{
	struct nearest nearest = { .rule = rule };
	struct marker_list probes = { 0 };
	int ret = 0;

	if (markers_match(t, rule, &nearest))
		return 0;
	if (!probes_match(t, rule, &nearest, &probes) && !t->unread)
		ret = rule_unmatched(t, rule, &nearest);
	marker_list_free(&probes);
	return ret;
}

int targets_check_begun(struct targets *t, const char *const *rules, int count)
{
	int ret;

	for (size_t i = 0; t->unread && i < t->count; i++) {
		marker_list_free(&t->targets[i].markers);
		ret = target_list(&t->targets[i]);
		if (ret) {
			cause_tell(&t->targets[i].client.cause);
			return ret;
		}
	}
	for (int i = 0; t->unread && i < count; i++) {
		struct nearest nearest = { .rule = rules[i] };
		struct marker_list probes = { 0 };
		bool found = markers_match(t, rules[i], &nearest) ||
			     probes_match(t, rules[i], &nearest, &probes);

		marker_list_free(&probes);
		if (!found)
			return rule_unmatched(t, rules[i], &nearest);
	}
	return 0;
}

/* Gives the names of a process's sessions to `nearest`, and keeps them. */
static size_t names_of(const struct rundir_process *process,
		       struct nearest *nearest,
		       char (*names)[SESSION_NAME_BYTES], size_t room)
{
	struct session_page page;
	struct process_page head;
	size_t n = 0;

	if (rundir_read_process(process, process->image, &head))
		return 0;
	for (uint32_t i = 0; i < head.sessions && n < room; i++) {
		if (rundir_read_session(process, process->image, i, &page) ||
		    page.state == SESSION_DESTROYED)
			continue;
		memcpy(names[n], page.name, SESSION_NAME_BYTES);
		nearest_add(nearest, names[n++]);
	}
	return n;
}

void targets_nearest(const struct rundir_list *list, const char *name,
		     char *text, size_t room)
{
	static char names[NAMES_MAX][SESSION_NAME_BYTES];
	static const char before[] = "; the nearest: ";
	struct nearest nearest = { .rule = name };
	size_t n = 0;

	for (size_t i = 0; i < list->count; i++)
		n += names_of(&list->processes[i], &nearest, names + n,
			      NAMES_MAX - n);
	snprintf(text, room, "%s", n ? before : "");
	if (n)
		nearest_text(&nearest, text + strlen(before),
			     room - strlen(before));
}

int targets_no_session(const struct targets *t, const char *name)
{
	char text[TARGETS_NEAREST_BYTES];
	pid_t pid;

	if (!command_parse_pid(&pid, name))
		return command_failed("no session '%s': a session's name "
				      "stands here, -p before the number of a "
				      "process", name);
	targets_nearest(&t->list, name, text, sizeof(text));
	command_failed("no session '%s'%s", name, text);
	if (!t->named)
		others_tell(name);
	return COMMAND_FAILED;
}
