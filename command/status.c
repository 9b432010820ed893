/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail status: finds sessions, the processes that have them, and their
 * counts, and prints them for people or as JSON. A living process is asked; for
 * a dead one the files are counted.
 *
 * Invariant: written = kept + overwritten, for each process; lost events never
 * got into a ring. Nothing is changed: a status during a recording does not
 * disturb it.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/tunables.h"
#include "buffers/reader/reader.h"
#include "command/agents/elsewhere.h"
#include "command/agents/faults.h"
#include "command/agents/layouts.h"
#include "command/agents/places.h"
#include "command/agents/targets.h"
#include "command/common/command.h"
#include "command/common/counted.h"
#include "command/common/json.h"
#include "command/common/printable.h"
#include "command/load/libraries.h"
#include "command/load/listed.h"
#include "command/record/agentless.h"
#include "command/record/reach.h"
#include "command/runtime/rundir.h"

/* How often a session with missing files is looked at again, at least, and at
 * most while a process removes files of ended ones. */
#define LOOKS		5
#define LOOKS_LOCKED	200
#define LOOK_PAUSE_NS	10000000

/*
 * A process of a session, with the counts of all images of it.
 *
 * Invariant: counts only grow while members are filled: each image is counted
 * once, by the agent's answer or by the files.
 */
struct member {
	pid_t pid;
	char name[PROCESS_NAME_BYTES];
	bool alive, shared;		/* the buffers that processes share */
	uint64_t written;
	uint64_t lost;
	uint64_t lost_shared;		/* they count in the row of these */
	uint64_t overwritten;
	uint64_t bytes;
	uint64_t left_off;
	uint64_t on;			/* events, as the agent has told */
	bool on_told;
	struct places places;		/* that are not switched */
	uint32_t buffer;		/* bytes of one of the buffers */
	uint32_t asked;			/* the same, as asked for */
	int roomless;			/* errno: no room for some buffer */
	uint64_t lost_calls, undecided;	/* these: as in the page */
	uint32_t call_threads, call_depth;
	struct session_act started, changed;
	struct reach reach;		/* of the newest image's buffers */
};

/* A rule, or one that `disable` switches off: in so many processes. */
struct session_rule {
	char *text;
	bool off;
	uint32_t processes;
};

/* A session, as all processes tell of it. The arrays, the rules and the places
 * of the members are this structure's; status_main() frees them. */
struct session {
	char name[SESSION_NAME_BYTES];
	bool active;			/* in a living or a later process */
	bool stopped;			/* in a living process */
	bool overwrite;
	struct session_rule *rules;
	size_t nrules;
	struct member *members;
	size_t nmembers;
	uint64_t removed_processes;	/* dead ones, by the limit of rings */
	uint64_t removed_events;
};

/* The question, and everything that is printed for it. */
struct status {
	const char *only;		/* a name, or NULL */
	pid_t pid;			/* 0: all processes */
	struct session *sessions;
	size_t count;
	int result;			/* enum command_exit */
	struct rundir *dir;
	struct shown shown;		/* callbacks */
	struct places places;		/* of callbacks, not switched */
	struct agentless agentless;		/* programs without an agent */
};

/* Makes room for one more entry, all zeros, or ends the command. */
static void *array_grow(void *array, size_t count, size_t size)
{
	void *more = command_need(reallocarray(array, count + 1, size));

	memset((char *)more + count * size, 0, size);
	return more;
}

/*
 * Returns the session of that name, and makes it when it is new; NULL when the
 * user did not ask for it, or the name is none: it comes from files that
 * another program may have written. The pointer lasts until the next new
 * session.
 */
static struct session *session_of(struct status *s, const char *name)
{
	if (!rundir_valid_name(name) || (s->only && strcmp(s->only, name)))
		return NULL;
	for (size_t i = 0; i < s->count; i++)
		if (!strcmp(s->sessions[i].name, name))
			return &s->sessions[i];
	s->sessions = array_grow(s->sessions, s->count, sizeof(*s->sessions));
	snprintf(s->sessions[s->count].name, SESSION_NAME_BYTES, "%s", name);
	return &s->sessions[s->count++];
}

/* Adds a copy of a rule: each process tells the rules. Without memory the rule
 * is left out. */
static void add_rule(struct session *session, const char *text, bool off)
{
	struct session_rule *rule;
	size_t i = 0;

	while (i < session->nrules && (session->rules[i].off != off ||
				       strcmp(session->rules[i].text, text)))
		i++;
	if (i == session->nrules) {
		session->rules = array_grow(session->rules, i, sizeof(*rule));
		session->rules[i].text = strdup(text);
		session->nrules += !!session->rules[i].text;
	}
	session->rules[i].off = off;
	session->rules[i].processes++;
}

/* Returns the entry of a process, and makes it when it is new; all images share
 * one. A dead process may have had the PID of a living one. The pointer lasts
 * until the next new member. */
static struct member *member_of(struct session *session,
				const struct rundir_process *process,
				const char *procname)
{
	bool shared = rundir_is_shared(process);
	struct member *m = session->members;

	for (size_t i = 0; i < session->nmembers; i++, m++)
		if (m->pid == process->pid && m->alive == process->alive &&
		    m->shared == shared)
			return m;
	session->members = array_grow(session->members, session->nmembers,
				      sizeof(*m));
	m = &session->members[session->nmembers++];
	m->pid = process->pid;
	m->alive = process->alive;
	m->shared = shared;
	snprintf(m->name, sizeof(m->name), "%s", procname);
	return m;
}

/* Takes the facts that only the page tells: an agent's answer has counts alone.
 * The last image's facts stay. */
static void take_facts(struct member *m, const struct session_page *page)
{
	if (page->started.realtime_ns)
		m->started = page->started;
	if (page->changed.realtime_ns)
		m->changed = page->changed;
	m->buffer = page->ring_bytes;
	m->asked = page->asked_bytes;
	m->roomless = (int)page->roomless;
	m->lost_calls = page->lost_calls;
	m->undecided = page->undecided;
	m->call_threads = page->call_threads;
	m->call_depth = page->call_depth;
}

/*
 * Asks the agent of a living process, and takes the lines of the answer: a line
 * "session" begins the lines of one session. Returns 0, or a negative errno:
 * then nothing was taken.
 */
static int ask_living(struct status *s, struct target *target,
		      const char *procname)
{
	const struct rundir_process *process = target->process;
	struct session *session = NULL;
	struct session_page page = { 0 }, own;
	struct member *m;
	struct client_answer answer;
	const char *key, *value;
	size_t position = 0;
	uint64_t number;
	int ret = target_connect_briefly(target);

	if (ret)
		return ret;
	ret = client_call(&target->client, MESSAGE_STATUS, NULL, &answer);
	while (!ret && client_answer_next(&answer, &position, &key, &value)) {
		/* places of callbacks are in the answer, those of a session in
		 * the page */
		places_page_add(&page, key, value);
		if (!strcmp(key, "callback") &&
		    (!s->only || !strcmp(s->only, LOAD_SESSION)))
			shown_take(&s->shown, process->pid, value);
		if (!strcmp(key, "session"))
			session = session_of(s, value);
		if (!session)
			continue;
		m = member_of(session, process, procname);
		number = strtoull(value, NULL, 10);
		if (!strcmp(key, "state") && !strcmp(value, "active")) {
			session->active = true;
		} else if (!strcmp(key, "state")) {
			session->stopped = true;
		} else if (!strcmp(key, "mode")) {
			session->overwrite |= !strcmp(value, "overwrite");
		} else if (!strcmp(key, "rule") || !strcmp(key, "unrule")) {
			add_rule(session, value, *key == 'u');
		} else if (!strcmp(key, "on")) {
			m->on = number;
			m->on_told = true;
		} else if (!strcmp(key, "written")) {
			m->written += number;
		} else if (!strcmp(key, "lost")) {
			m->lost += number;
		} else if (!strcmp(key, "overwritten")) {
			m->overwritten += number;
		} else if (!strcmp(key, "bytes")) {
			m->bytes += number;
		} else if (!strcmp(key, "left_off")) {
			m->left_off = number;
		} else if (!strcmp(key, "index") &&
			   !rundir_read_session(process, process->image,
						(uint32_t)number, &own)) {
			take_facts(m, &own);
			reach_read(&m->reach, process, &own);
			places_take(&m->places, process->pid, &own, NULL);
		}
	}
	/* once for the process, not for each session */
	if (!s->only || !strcmp(s->only, LOAD_SESSION))
		places_take(&s->places, process->pid, &page, NULL);
	client_answer_release(&answer);
	return ret;
}

/* A count of the files of one session; `found` are the rings that were read. */
struct counting {
	int imagefd;
	uint32_t index;
	struct member *member;
	struct rings_removed removed;
	uint32_t found;
};

/* Counts a ring; one that cannot be read counts as missing. Returns 0: the
 * search goes on. */
static int count_ring(const char *name, void *priv)
{
	struct counting *c = priv;
	struct ring_reader ring;
	struct ring_count count;
	uint64_t overwritten;

	if (rings_removed_has(&c->removed, name) ||
	    ring_open(&ring, c->imagefd, c->index, name, false))
		return 0;
	c->found++;
	if (!ring_count_all(&ring, &count, &overwritten)) {
		c->member->written += count.committed;
		c->member->lost += count.lost;
		c->member->overwritten += overwritten;
		/* whole sub-buffers, and the used part of one */
		c->member->bytes +=
			count.current * ring.view.sub_bytes + count.used;
	}
	ring_close(&ring);
	return 0;
}

/*
 * Returns true when a session of an ended process, some of whose files are
 * missing, is just being removed. Another command may do that, or a process
 * that keeps the limit of ended processes, which locks the runtime directory
 * meanwhile (control/sessions/budget.c). Then the events are removed, too.
 */
static bool session_goes(const struct status *s,
			 const struct rundir_process *process, uint32_t image,
			 uint32_t index)
{
	const struct timespec pause = { .tv_nsec = LOOK_PAUSE_NS };
	struct session_page again;
	bool locked;

	for (int i = 0; i < LOOKS_LOCKED; i++) {
		locked = flock(s->dir->fd, LOCK_SH | LOCK_NB) &&
			 errno == EWOULDBLOCK;
		if (!locked)
			flock(s->dir->fd, LOCK_UN);
		if (rundir_read_session(process, image, index, &again))
			return true;
		if (!locked && i >= LOOKS)
			break;
		nanosleep(&pause, NULL);
	}
	return false;
}

/*
 * Counts the files of a session of one image. Says when files are missing, and
 * makes the command fail then: the counts are too small. The rings are counted
 * aside first, because the session may be gone when they are read.
 */
static void count_session(struct status *s,
			  const struct rundir_process *process, uint32_t image,
			  int imagefd, const struct session_page *page,
			  const char *procname)
{
	struct member rings = { 0 };
	struct counting c = { .imagefd = imagefd, .index = page->index,
			      .member = &rings };
	struct session_page again, latest;
	struct session *session;
	struct member *m;
	uint32_t missing;
	char of[16];

	if (s->only && strcmp(s->only, page->name))
		return;
	for (int i = 0; i < LOOKS; i++) {
		rings = (struct member){ 0 };
		c.found = 0;
		rings_removed_read(page, &c.removed);
		/* the rings' lost counts include events that were too large */
		rings_each(imagefd, page->index, count_ring, &c);
		/* rings that were replaced may have been removed meanwhile */
		if (rundir_read_session(process, image, page->index, &again) ||
		    again.removals == page->removals)
			break;
		latest = again;
		page = &latest;
	}
	missing = rings_missing(page, c.found);
	if (missing && session_goes(s, process, image, page->index))
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
	m->written += rings.written + c.removed.events;
	m->lost += rings.lost + page->lost_unplaced + c.removed.lost;
	m->overwritten += rings.overwritten + c.removed.events;
	m->bytes += rings.bytes + c.removed.bytes;
	m->left_off = page->left_off;
	take_facts(m, page);
	if (image == process->image)
		reach_read(&m->reach, process, page);
	places_take(&m->places, process->pid, page, NULL);
	if (!missing)
		return;
	snprintf(of, sizeof(of), "%u", page->rings);
	s->result = cause_report(RINGS_UNCOUNTED, .pid = process->pid,
				 .n = missing, .text = of,
				 .subject = page->name);
}

/*
 * Takes the sessions of a process: of a living one as the agent tells, of
 * earlier images, and of one whose agent does not answer, by the files. A
 * process that ends meanwhile is not a failure.
 */
static void count_process(struct status *s, struct target *target)
{
	const struct rundir_process *process = target->process;
	uint32_t images[RUNDIR_IMAGES_MAX];
	int n = rundir_images(process, images, RUNDIR_IMAGES_MAX);
	struct process_page head = { 0 };
	struct session_page page;
	char where[32];
	bool answered = false;
	int fd;

	if (process->alive) {
		if (!rundir_read_process(process, process->image, &head)) {
			snprintf(where, sizeof(where), "process %u: ",
				 head.pid);
			/* variables that the program's environment misspells */
			command_warn_words(head.words_unknown, where);
			faults_tell(process->pid, &head);
		}
		answered = !ask_living(s, target, head.procname);
		if (!answered && rundir_lives(process))
			s->result = cause_tell(&target->client.cause);
	}
	for (int i = 0; i < n; i++) {
		agentless_look(&s->agentless, process, images[i], s->only);
		if ((answered && images[i] == process->image) ||
		    rundir_read_process(process, images[i], &head))
			continue;
		fd = rundir_open_image(process, images[i]);
		if (fd < 0)
			continue;
		for (uint32_t k = 0; k < head.sessions; k++)
			if (!rundir_read_session(process, images[i], k,
						 &page) &&
			    page.state != SESSION_DESTROYED)
				count_session(s, process, images[i], fd, &page,
					      head.procname);
		close(fd);
	}
}

/* Adds the losses of a session's processes in buffers that they share. */
static void count_losses(struct status *s, const char *name, int imagefd)
{
	struct session *session = session_of(s, name);
	struct member_view found = { .number = 0 };
	struct session_view view;

	if (!session || session_view_open(&view, imagefd, "session.0"))
		return;
	while (session_view_member(&view, &found))
		for (size_t i = 0; found.lost && i < session->nmembers; i++)
			if (session->members[i].pid == (pid_t)found.pid &&
			    !session->members[i].shared)
				session->members[i].lost_shared += found.lost;
	session_view_close(&view);
}

/* Counts the rings that processes share, in a row of their own. */
static void count_shared(struct status *s)
{
	struct rundir_list list = { 0 };
	struct process_page head;
	struct session_page page;

	rundir_append_shared(s->dir, &list);
	for (size_t i = 0; i < list.count; i++) {
		const struct rundir_process *shared = &list.processes[i];
		int fd = rundir_open_image(shared, 0);

		if (fd < 0)
			continue;
		if (!rundir_read_process(shared, 0, &head) &&
		    !rundir_read_session(shared, 0, 0, &page)) {
			count_session(s, shared, 0, fd, &page, head.procname);
			count_losses(s, page.name, fd);
		}
		close(fd);
	}
	rundir_list_free(&list);
}

/* Adds a session that waits for later processes: such a session is active, even
 * if no process has it. Returns 0: the search goes on. */
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
	/* the file has lines as an answer has */
	answer.bytes = strlen(answer.payload);
	while (client_answer_next(&answer, &position, &key, &value)) {
		if (!strcmp(key, "rule") || !strcmp(key, "unrule"))
			add_rule(session, value, *key == 'u');
		else if (!strcmp(key, "mode"))
			session->overwrite |= !strcmp(value, "overwrite");
	}
	client_answer_release(&answer);
	return 0;
}

/* Takes the counts of events that the limit of dead processes' rings has
 * removed; they are in no other count. */
static void take_removed(const struct keep_row *row, void *priv)
{
	struct session *session = session_of(priv, row->session);

	if (!session)
		return;
	session->removed_processes = row->processes;
	session->removed_events = row->events;
}

/* Prints "started by ada, process 4711, 2026-11-23 09:12:03", in local time. A
 * user without a name has a number. */
static void act_print(const char *what, const struct session_act *act)
{
	time_t seconds = (time_t)(act->realtime_ns / 1000000000);
	const struct passwd *user = getpwuid(act->uid);
	char when[32] = "";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%F %T", &tm);
	if (user)
		printf("%s by %s", what, user->pw_name);
	else
		printf("%s by uid %u", what, act->uid);
	if (act->pid)
		printf(", process %u", act->pid);
	printf(", %s", when);
}

/* Returns the word for a session's state: active in one process is active;
 * ended is a session of dead processes alone. */
static const char *state_word(const struct session *session)
{
	return session->active ? "active" : session->stopped ? "stopped" :
	       "ended";
}

/* Prints an act, unless it is not known. */
static void json_act(struct json *json, const char *key,
		     const struct session_act *act)
{
	if (!act->realtime_ns)
		return;
	json_open(json, key, '{');
	json_number(json, "uid", act->uid);
	json_number(json, "pid", act->pid);
	json_number(json, "time_ns", act->realtime_ns);
	json_close(json, '}');
}

static const char *mode_word(const struct session *session)
{
	return session->overwrite ? "overwrite" : "discard";
}

/* A walk over the facts of a process: as keys of JSON, as the heading of the
 * table, or as a row there. */
struct walk {
	struct json *json;		/* or NULL */
	bool heading;
};

/* Prints a number; `width` is that of the column, 0: it has none. */
static void walk_number(const struct walk *w, const char *key, int width,
			uint64_t number)
{
	char heading[16] = "";

	for (size_t i = 0; key[i] && i < sizeof(heading) - 1; i++)
		heading[i] = (char)toupper((unsigned char)key[i]);
	if (w->json)
		json_number(w->json, key, number);
	else if (width && w->heading)
		printf(" %*s", width, heading);
	else if (width)
		printf(" %*" PRIu64, width, number);
}

static void walk_truth(const struct walk *w, const char *key, bool truth)
{
	if (w->json)
		json_bool(w->json, key, truth);
}

/* Each fact once: scripts read the keys, so a key is added, never renamed, and
 * stands also where the value is 0. */
static void walk_member(const struct walk *w, const struct member *m)
{
	walk_number(w, "pid", 8, (uint64_t)m->pid);
	if (w->json)
		json_string(w->json, "name", m->name);
	else
		printable_print(" %-16s", w->heading ? "NAME" : m->name);
	walk_truth(w, "alive", m->alive);
	walk_number(w, "written", 12, m->written);
	walk_number(w, "lost", 10, m->lost);
	walk_number(w, "lost_shared", 0, m->lost_shared);
	walk_number(w, "overwritten", 12, m->overwritten);
	walk_number(w, "bytes", 14, m->bytes);
	walk_number(w, "left_off", 0, m->left_off);
	if (m->on_told)
		walk_number(w, "events_on", 0, m->on);
	walk_number(w, "call_threads", 0, m->call_threads);
	walk_number(w, "call_depth", 0, m->call_depth);
	walk_number(w, "lost_calls", 0, m->lost_calls);
	walk_number(w, "undecided", 0, m->undecided);
	walk_number(w, "buffer", 0, m->buffer);
	walk_number(w, "asked", 0, m->asked);
	walk_truth(w, "roomless", m->roomless);
}

/* Prints all of it as JSON. */
static void status_print_json(const struct status *s)
{
	struct json json = { .file = stdout };
	const struct walk walk = { .json = &json };

	json_open(&json, NULL, '{');
	json_open(&json, "sessions", '[');
	for (size_t i = 0; i < s->count; i++) {
		const struct session *session = &s->sessions[i];

		json_open(&json, NULL, '{');
		json_string(&json, "name", session->name);
		json_string(&json, "state", state_word(session));
		json_string(&json, "mode", mode_word(session));
		for (int off = 0; off < 2; off++) {
			json_open(&json, off ? "rules_off" : "rules", '[');
			for (size_t k = 0; k < session->nrules; k++)
				if (session->rules[k].off == off)
					json_string(&json, NULL,
						    session->rules[k].text);
			json_close(&json, ']');
		}
		json_open(&json, "processes", '[');
		for (size_t k = 0; k < session->nmembers; k++) {
			const struct member *m = &session->members[k];

			json_open(&json, NULL, '{');
			walk_member(&walk, m);
			places_json(&m->places, &json);
			json_act(&json, "started", &m->started);
			json_act(&json, "changed", &m->changed);
			reach_json(&m->reach, &json);
			json_close(&json, '}');
		}
		json_close(&json, ']');
		json_number(&json, "removed_processes",
			    session->removed_processes);
		json_number(&json, "removed_events", session->removed_events);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	shown_json(&s->shown, &json);
	places_json(&s->places, &json);
	json_close(&json, '}');
	json_end(&json);
}

/* Prints how many events are on, where rules are off, or a process has none:
 * the rules do not tell that, for a later one decides. */
static void on_print(const struct session *session, bool off)
{
	uint32_t told = 0, some = 0;
	uint64_t events = 0;

	for (size_t i = 0; i < session->nmembers; i++) {
		told += session->members[i].on_told;
		some += session->members[i].on > 0;
		events += session->members[i].on;
	}
	if (!session->active || !told || (some == told && !off))
		return;
	printf("; on: %s", events ? counted(events, "event") : "nothing");
	if (events && told > 1)
		printf(" in %u of %s", some, counted(told, "process"));
}

/* Prints the state and the rules, and the first start and the last change in
 * any of the processes. */
static void head_print(const struct session *session)
{
	const struct session_act *first = NULL, *last = NULL;
	const struct session_rule *rule;
	uint32_t living = 0;
	bool any_off = false;

	printf("%s: %s, %s", session->name, state_word(session),
	       mode_word(session));
	for (size_t i = 0; i < session->nmembers; i++) {
		const struct member *m = &session->members[i];

		living += m->alive && !m->shared;
		if (m->started.realtime_ns &&
		    (!first || m->started.realtime_ns < first->realtime_ns))
			first = &m->started;
		if (m->changed.realtime_ns &&
		    (!last || m->changed.realtime_ns > last->realtime_ns))
			last = &m->changed;
	}
	for (int off = 0, n = 0; off < 2; off++, n = 0)
		for (size_t i = 0; i < session->nrules; i++) {
			rule = &session->rules[i];
			if (rule->off != off)
				continue;
			any_off |= off;
			printable_print("%s%s", n++ ? ", " : off ? "; off " :
					"; rules ", rule->text);
			if (off && rule->processes < living)
				printf(" (in %u of %s)", rule->processes,
				       counted(living, "process"));
		}
	on_print(session, any_off);
	printf("\n");
	/* both in one line; a page of an old release has neither */
	if (first)
		act_print("  started", first);
	if (last)
		act_print(first ? "; changed" : "  changed", last);
	if (first || last)
		printf("\n");
}

/* Prints why events or buffers of a process are missing. */
static void member_print_notes(const struct member *m)
{
	char reach[REACH_TEXT_BYTES];

	if (m->lost_shared)
		printf("%9s lost %s in the shared buffers\n", "",
		       counted(m->lost_shared, "event"));
	reach_text(&m->reach, reach);
	if (*reach)
		printf("%9s reaches back %s\n", "", reach);
	if (m->left_off)
		printf("%9s %s %s not enabled: no room for %s\n", "",
		       counted(m->left_off, "marker"),
		       agreed(m->left_off, "is", "are"),
		       agreed(m->left_off, "its description",
			      "their descriptions"));
	if (m->call_threads)
		printf("%9s room for %u open calls of each of %u threads; %s "
		       "lost\n", "", m->call_depth, m->call_threads,
		       counted(m->lost_calls, "call"));
	if (m->undecided)
		printf("%9s %s left out: a value of the condition could not be "
		       "read, or it divided by 0\n", "",
		       counted(m->undecided, "hit"));
	if (m->roomless)
		printf("%9s no room for some buffers (%s): their events are "
		       "lost\n", "", strerror(m->roomless));
	else if (m->buffer < m->asked)
		printf("%9s no room for buffers of %uK: it has %uK\n", "",
		       m->asked / 1024, m->buffer / 1024);
}

/* Prints one session: the head, then a row a process, with the notes below. */
static void session_print(const struct session *session)
{
	const struct walk heading = { .heading = true }, row = { .json = NULL };
	bool lost = false;

	head_print(session);
	for (size_t i = 0; i < session->nmembers; i++) {
		const struct member *m = &session->members[i];

		if (!i) {
			walk_member(&heading, m);
			putchar('\n');
		}
		lost = lost || (m->lost > m->lost_calls && !m->roomless);
		walk_member(&row, m);
		puts(m->alive ? "" : "  dead");
		member_print_notes(m);
	}
	if (lost && !session->overwrite)
		puts("  " COMMAND_FULL_REMEDY);
	if (session->removed_processes)
		printf("  %s with %s %s removed: ended processes' buffers had "
		       "more than %lluM\n",
		       counted(session->removed_processes, "ended process"),
		       counted(session->removed_events, "event"),
		       agreed(session->removed_processes, "was", "were"),
		       KEEP_BYTES >> 20);
}

/*
 * Finds and prints all that was asked for; returns the exit status. Warnings of
 * processes come before the table, and those of places behind it, because the
 * table shows the counts that they explain. A process that did not answer may
 * have the session, so the command does not say then that there is none.
 */
static int status_show(struct status *s)
{
	char nearest[TARGETS_NEAREST_BYTES] = "";
	pid_t pid = s->pid;
	struct places all = { 0 };
	struct targets targets;

	if (targets_open(&targets, pid)) {
		targets_close(&targets);
		return COMMAND_FAILED;
	}
	s->dir = &targets.dir;
	/* files of another program may be cut short while they are read */
	map_guard();
	for (size_t i = 0; i < targets.count; i++)
		count_process(s, &targets.targets[i]);
	if (layouts_tell(&targets.list, s->only, "not counted") +
	    (!pid && layouts_tell_shared(s->dir, s->only, "not counted")))
		s->result = COMMAND_FAILED;
	if (!pid && targets.dir.fd >= 0) {
		count_shared(s);
		rundir_each_rules(&targets.dir, take_rules, s);
		rundir_each_removed(&targets.dir, NULL, take_removed, s);
		faults_tell_last(&targets.dir, false);
	}
	if (s->only && !pid &&
	    later_tell_elsewhere(&targets.dir, &targets.list, s->only))
		s->result = COMMAND_FAILED;
	/* before the list goes */
	if (s->only)
		targets_nearest(&targets.list, s->only, nearest,
				sizeof(nearest));
	targets_close(&targets);
	if (s->only && !s->count && s->result)
		return s->result;
	/* "callbacks" is no session, but stands where one would */
	if (s->only && !strcmp(s->only, LOAD_SESSION) && !s->shown.count)
		return command_failed("no callback is connected: see taffrail "
				      "connect");
	if (s->only && !s->count && strcmp(s->only, LOAD_SESSION)) {
		command_failed("no session '%s'%s", s->only,
			       command_parse_pid(&pid, s->only) ? nearest :
			       "; for a process, put -p before its number");
		if (!s->pid)
			others_tell(s->only);
		return COMMAND_FAILED;
	}
	if (agentless_tell(&s->agentless))
		s->result = COMMAND_FAILED;
	if (command_json()) {
		status_print_json(s);
	} else {
		if (!s->count && !s->shown.count)
			printf("No sessions.\n");
		for (size_t i = 0; i < s->count; i++) {
			fputs(i ? "\n" : "", stdout);
			session_print(&s->sessions[i]);
		}
		shown_print(&s->shown, s->count ? "\n" : "");
	}
	/* once, if several sessions lack a place */
	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; k < s->sessions[i].nmembers; k++)
			places_join(&all, &s->sessions[i].members[k].places);
	places_join(&all, &s->places);
	if (places_tell(&all))
		s->result = COMMAND_FAILED;
	return command_finish() ? COMMAND_FAILED : s->result;
}

int status_main(int argc, char **argv)
{
	static const struct option_row rows[] = {
		{ OPTION_PID(struct status, pid),
		  "pid", "PID", "of this process only" },
		{ OPTION_JSON, "json", NULL, "print JSON" },
		{ 0 }
	};
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows, .shape = "[NAME]",
		.about = "Show sessions (or session NAME), their processes, "
			 "and how many events\nwere written, lost and "
			 "overwritten.",
	};
	struct status s = { 0 };
	int status;

	if (!options_take(&options, &s, NULL))
		return options.status;
	if (argc - options.index > 1)
		return command_misused("give at most one session's name");
	s.only = argv[options.index];
	if (s.only && targets_check_name(s.only))
		return COMMAND_USAGE;
	status = status_show(&s);
	for (size_t i = 0; i < s.count; i++) {
		for (size_t k = 0; k < s.sessions[i].nrules; k++)
			free(s.sessions[i].rules[k].text);
		for (size_t k = 0; k < s.sessions[i].nmembers; k++) {
			places_free(&s.sessions[i].members[k].places);
			reach_free(&s.sessions[i].members[k].reach);
		}
		free(s.sessions[i].rules);
		free(s.sessions[i].members);
	}
	free(s.sessions);
	shown_free(&s.shown);
	places_free(&s.places);
	return status;
}
