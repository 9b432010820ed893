/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail status: sessions, the processes that have them, and their counts.
 * A living process is asked; for a dead one its files are counted.
 *
 * What must stay true here: written = kept + overwritten, for each process;
 * lost events never got into a ring.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "buffers/reader/reader.h"
#include "command/common/command.h"
#include "command/load/libraries.h"
#include "command/processes/faults.h"
#include "command/processes/later.h"
#include "command/processes/layouts.h"
#include "command/processes/others.h"
#include "command/processes/targets.h"
#include "command/rundir/rundir.h"
#include "command/status-private.h"

static void *grow(void *array, size_t count, size_t size)
{
	void *more = reallocarray(array, count + 1, size);

	if (!more) {
		command_failed("out of memory");
		exit(COMMAND_FAILED);
	}
	memset((char *)more + count * size, 0, size);
	return more;
}

/* Returns the session of that name, and makes it when it is new; NULL when the
 * user did not ask for it. */
static struct session *session_of(struct status *s, const char *name)
{
	if (!rundir_valid_name(name) || (s->only && strcmp(s->only, name)))
		return NULL;
	for (size_t i = 0; i < s->count; i++)
		if (!strcmp(s->sessions[i].name, name))
			return &s->sessions[i];
	s->sessions = grow(s->sessions, s->count, sizeof(*s->sessions));
	snprintf(s->sessions[s->count].name, SESSION_NAME_BYTES, "%s", name);
	return &s->sessions[s->count++];
}

static void add_rule(struct session *session, const char *rule)
{
	for (size_t i = 0; i < session->nrules; i++)
		if (!strcmp(session->rules[i], rule))
			return;
	session->rules = grow(session->rules, session->nrules, sizeof(char *));
	session->rules[session->nrules] = strdup(rule);
	if (session->rules[session->nrules])
		session->nrules++;
}

/* Drops a rule that was disabled word for word; a narrower `disable` leaves the
 * rule as it is. */
static void drop_rule(struct session *session, const char *rule)
{
	for (size_t i = 0; i < session->nrules; i++)
		if (!strcmp(session->rules[i], rule)) {
			free(session->rules[i]);
			session->rules[i] = session->rules[--session->nrules];
			return;
		}
}

/* Returns the entry of a process; its images share one. */
static struct member *member_of(struct session *session,
				const struct rundir_process *process,
				const char *procname)
{
	struct member *m;

	for (size_t i = 0; i < session->nmembers; i++)
		if (session->members[i].pid == process->pid &&
		    session->members[i].alive == process->alive)
			return &session->members[i];
	session->members = grow(session->members, session->nmembers,
				sizeof(*m));
	m = &session->members[session->nmembers++];
	m->pid = process->pid;
	m->alive = process->alive;
	snprintf(m->name, sizeof(m->name), "%s", procname);
	return m;
}

/* Takes what only the page tells. */
static void take_facts(struct member *m, const struct session_page *page)
{
	if (page->started.realtime_ns)
		m->started = page->started;
	if (page->changed.realtime_ns)
		m->changed = page->changed;
	m->buffer = page->ring_bytes;
	m->asked = page->asked_bytes;
	m->roomless = (int)page->roomless;
}

static void take_page(struct status *s, struct member *m,
		      const struct rundir_process *process, uint32_t index)
{
	struct session_page page;

	if (rundir_read_session(process, process->image, index, &page))
		return;
	take_facts(m, &page);
	places_take(&m->places, process->pid, &page, NULL);
}

static void take_line(struct session *session, struct member *m,
		      const char *key, const char *value)
{
	uint64_t number = strtoull(value, NULL, 10);

	if (!strcmp(key, "state") && !strcmp(value, "active"))
		session->active = true;
	else if (!strcmp(key, "state"))
		session->stopped = true;
	else if (!strcmp(key, "mode"))
		session->overwrite |= !strcmp(value, "overwrite");
	else if (!strcmp(key, "rule"))
		add_rule(session, value);
	else if (!strcmp(key, "unrule"))
		drop_rule(session, value);
	else if (!strcmp(key, "written"))
		m->written += number;
	else if (!strcmp(key, "lost"))
		m->lost += number;
	else if (!strcmp(key, "overwritten"))
		m->overwritten += number;
	else if (!strcmp(key, "bytes"))
		m->bytes += number;
	else if (!strcmp(key, "left_off"))
		m->left_off = number;
}

/* Asks the agent of a living process. Returns 0 when it answered. */
static int ask_living(struct status *s, struct target *target,
		      const char *procname)
{
	struct session *session = NULL;
	struct session_page page = { 0 };
	struct client_answer answer;
	const char *key, *value;
	size_t position = 0;
	int ret = target_connect_briefly(target);

	if (ret)
		return ret;
	ret = client_call(&target->client, MESSAGE_STATUS, NULL, &answer);
	while (!ret && client_answer_next(&answer, &position, &key, &value)) {
		places_page_add(&page, key, value);
		if (!strcmp(key, "callback") &&
		    (!s->only || !strcmp(s->only, LOAD_SESSION)))
			shown_take(&s->shown, target->process->pid, value);
		if (!strcmp(key, "session"))
			session = session_of(s, value);
		else if (session && !strcmp(key, "index"))
			take_page(s, member_of(session, target->process,
					       procname), target->process,
				  (uint32_t)strtoul(value, NULL, 10));
		else if (session)
			take_line(session, member_of(session, target->process,
						     procname), key, value);
		if (session && !strcmp(key, "session"))
			member_of(session, target->process, procname);
	}
	if (!s->only || !strcmp(s->only, LOAD_SESSION))
		places_take(&s->places, target->process->pid, &page, NULL);
	client_answer_release(&answer);
	return ret;
}

/* A count of the files of one session. */
struct counting {
	int imagefd;
	uint32_t index;
	struct member *member;
	uint32_t found;
};

static int count_ring(const char *name, void *priv)
{
	struct counting *c = priv;
	struct ring_reader ring;
	struct ring_count count;
	uint64_t overwritten;

	if (ring_open(&ring, c->imagefd, c->index, name, false))
		return 0;
	c->found++;
	if (!ring_count_all(&ring, &count, &overwritten)) {
		c->member->written += count.committed;
		c->member->lost += count.lost;
		c->member->overwritten += overwritten;
		c->member->bytes +=
			count.current * ring.view.sub_bytes + count.used;
	}
	ring_close(&ring);
	return 0;
}

/* How often a session with missing files is looked at again, at least, and at
 * most while a process removes files of ended ones. */
#define LOOKS		5
#define LOOKS_LOCKED	200
#define LOOK_PAUSE_NS	10000000

/* Returns true when a session of an ended process was just being removed: by
 * another command, or by a process that keeps the limit of ended processes,
 * which locks the runtime directory meanwhile (control/sessions/budget.c). */
static bool removed_meanwhile(const struct status *s,
			      const struct rundir_process *process,
			      uint32_t image, uint32_t index)
{
	const struct timespec pause = { .tv_nsec = LOOK_PAUSE_NS };
	struct session_page page;

	for (int i = 0; i < LOOKS_LOCKED; i++) {
		bool locked = flock(s->dir->fd, LOCK_SH | LOCK_NB) &&
			      errno == EWOULDBLOCK;

		if (!locked)
			flock(s->dir->fd, LOCK_UN);
		if (rundir_read_session(process, image, index, &page))
			return true;
		if (!locked && i >= LOOKS)
			break;
		nanosleep(&pause, NULL);
	}
	return false;
}

static void add_counts(struct member *m, const struct member *more)
{
	m->written += more->written;
	m->lost += more->lost;
	m->overwritten += more->overwritten;
	m->bytes += more->bytes;
}

static void count_session(struct status *s,
			  const struct rundir_process *process, uint32_t image,
			  int imagefd, const struct session_page *page,
			  const char *procname)
{
	struct member rings = { 0 };
	struct counting c = { .imagefd = imagefd, .index = page->index,
			      .member = &rings };
	struct session *session;
	struct member *m;
	uint32_t missing;

	if (s->only && strcmp(s->only, page->name))
		return;
	/* the rings' lost counts include events that were too large */
	rings_each(imagefd, page->index, count_ring, &c);
	missing = rings_missing(page, c.found);
	/* then its events were removed, too */
	if (missing && removed_meanwhile(s, process, image, page->index))
		return;
	session = session_of(s, page->name);
	if (!session)
		return;
	session->overwrite |= !!(page->flags & SESSION_OVERWRITE);
	if (process->alive && page->state == SESSION_ACTIVE)
		session->active = true;
	else if (process->alive)
		session->stopped = true;
	m = member_of(session, process, procname);
	add_counts(m, &rings);
	m->lost += page->lost_unplaced;
	m->left_off = page->left_off;
	take_facts(m, page);
	places_take(&m->places, process->pid, page, NULL);
	if (!missing)
		return;
	command_warn("process %d: the files of %u of the %u buffers of session "
		     "'%s' are missing or cut short: their events are not "
		     "counted", process->pid, missing, page->rings, page->name);
	s->result = COMMAND_FAILED;
}

static void count_image(struct status *s,
			const struct rundir_process *process, uint32_t image)
{
	struct process_page head;
	struct session_page page;
	int fd, ret = rundir_read_process(process, image, &head);

	if (ret)
		return;
	fd = rundir_open_image(process, image);
	if (fd < 0)
		return;
	for (uint32_t i = 0; i < head.sessions; i++)
		if (!rundir_read_session(process, image, i, &page) &&
		    page.state != SESSION_DESTROYED)
			count_session(s, process, image, fd, &page,
				      head.procname);
	close(fd);
}

static void warn_words(const struct process_page *head)
{
	char where[PROCESS_NAME_BYTES + 32];

	snprintf(where, sizeof(where), "process %u: ", head->pid);
	command_warn_words(head->words_unknown, where);
}

static void count_process(struct status *s, struct target *target)
{
	const struct rundir_process *process = target->process;
	uint32_t images[RUNDIR_IMAGES_MAX];
	int n = rundir_images(process, images, RUNDIR_IMAGES_MAX);
	struct process_page head = { 0 };
	bool answered = false;

	if (process->alive) {
		if (!rundir_read_process(process, process->image, &head)) {
			warn_words(&head);
			faults_tell(process->pid, &head);
		}
		answered = !ask_living(s, target, head.procname);
		if (!answered && rundir_lives(process)) {
			s->result = cause_tell(&target->client.cause);
		}
	}
	for (int i = 0; i < n; i++) {
		if (!answered || images[i] != process->image)
			count_image(s, process, images[i]);
		agentless_look(&s->agentless, process, images[i], s->only);
	}
}

/* Adds a session that waits for later processes. */
static int take_rules(const char *name, void *priv)
{
	struct status *s = priv;
	struct session *session = session_of(s, name);
	struct client_answer answer = { 0 };
	const char *key, *value;
	size_t position = 0;

	if (!session || rundir_read_rules(s->dir, name, &answer.payload))
		return 0;
	session->active = true;
	answer.bytes = strlen(answer.payload);
	while (client_answer_next(&answer, &position, &key, &value)) {
		if (!strcmp(key, "rule"))
			add_rule(session, value);
		else if (!strcmp(key, "mode"))
			session->overwrite |= !strcmp(value, "overwrite");
	}
	client_answer_release(&answer);
	return 0;
}

static void take_removed(const struct keep_row *row, void *priv)
{
	struct session *session = session_of(priv, row->session);

	if (!session)
		return;
	session->removed_processes = row->processes;
	session->removed_events = row->events;
}

/* Tells which places are not switched: once, if several sessions lack one.
 * Returns an exit status. */
static int tell_places(const struct status *s)
{
	struct places all = { 0 };

	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; k < s->sessions[i].nmembers; k++)
			places_join(&all, &s->sessions[i].members[k].places);
	places_join(&all, &s->places);
	return places_tell(&all);
}

static void release(struct status *s)
{
	for (size_t i = 0; i < s->count; i++) {
		for (size_t k = 0; k < s->sessions[i].nrules; k++)
			free(s->sessions[i].rules[k]);
		for (size_t k = 0; k < s->sessions[i].nmembers; k++)
			places_free(&s->sessions[i].members[k].places);
		free(s->sessions[i].rules);
		free(s->sessions[i].members);
	}
	free(s->sessions);
	shown_free(&s->shown);
	places_free(&s->places);
}

static int show(struct status *s, pid_t pid, bool as_json)
{
	char nearest[TARGETS_NEAREST_BYTES] = "";
	bool asked = pid;
	struct targets targets;

	if (targets_open(&targets, pid)) {
		targets_close(&targets);
		return COMMAND_FAILED;
	}
	s->dir = &targets.dir;
	map_guard();
	for (size_t i = 0; i < targets.count; i++)
		count_process(s, &targets.targets[i]);
	if (layouts_tell(&targets.list, s->only, "not counted"))
		s->result = COMMAND_FAILED;
	if (!pid && targets.dir.fd >= 0) {
		rundir_each_rules(&targets.dir, take_rules, s);
		rundir_each_removed(&targets.dir, NULL, take_removed, s);
		faults_tell_last(&targets.dir, false);
	}
	if (s->only && !pid &&
	    later_tell_elsewhere(&targets.dir, &targets.list, s->only))
		s->result = COMMAND_FAILED;
	if (s->only)
		targets_nearest(&targets.list, s->only, nearest,
				sizeof(nearest));
	targets_close(&targets);
	/* a process that did not answer may have it */
	if (s->only && !s->count && s->result)
		return s->result;
	if (s->only && !strcmp(s->only, LOAD_SESSION) && !s->shown.count)
		return command_failed("no callback is connected: see taffrail "
				      "connect");
	if (s->only && !s->count && strcmp(s->only, LOAD_SESSION)) {
		command_failed("no session '%s'%s", s->only,
			       command_parse_pid(&pid, s->only) ? nearest :
			       "; for a process, put -p before its number");
		if (!asked)
			others_tell(s->only);
		return COMMAND_FAILED;
	}
	if (agentless_tell(&s->agentless))
		s->result = COMMAND_FAILED;
	if (as_json)
		status_print_json(s);
	else
		status_print_table(s);
	if (tell_places(s))
		s->result = COMMAND_FAILED;
	return command_finish() ? COMMAND_FAILED : s->result;
}

int status_main(int argc, char **argv)
{
	static const struct option_row rows[] = {
		{ 'p', "pid", "PID", "of this process only" },
		{ 'j', "json", NULL, "print JSON" },
		{ 0 }
	};
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows, .shape = "[NAME]",
		.about = "Show sessions (or session NAME), their processes, "
			 "and how many events\nwere written, lost and "
			 "overwritten.",
	};
	struct status s = { 0 };
	bool as_json = false;
	pid_t pid = 0;
	int key, status;

	while ((key = options_next(&options)) != OPTIONS_END) {
		if (key == OPTIONS_STOP)
			return options.status;
		if (key == 'j')
			as_json = true;
		else if (command_take_pid(&pid, options.value))
			return COMMAND_USAGE;
	}
	if (argc - options.index > 1)
		return command_misused("give at most one session's name");
	s.only = argv[options.index];
	if (s.only && targets_check_name(s.only))
		return COMMAND_USAGE;
	status = show(&s, pid, as_json);
	release(&s);
	return status;
}
