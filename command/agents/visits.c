/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Begins visits, ends them, and ends those of commands that were killed.
 *
 * Invariants:
 *  - a visit holds the file of its session's followers from before the session
 *    begins until it has ended: a session of a visit without a follower was
 *    left by a command that was killed;
 *  - the agent of a process is detached by the visit that leaves it last, if a
 *    visit has loaded it, and if nothing else uses it.
 */
#include "command/agents/visits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/agents/forked.h"
#include "command/agents/rule.h"
#include "command/agents/targets.h"
#include "command/attach/attach.h"
#include "command/common/inode.h"
#include "command/elf/named-functions.h"

#define VISIT_PREFIX	"look-"
#define LOCK_MS		5000	/* for another command's start or end */
#define ENTER_MS	30000	/* for several, which may load the agent */
#define ENTER_TRIES	8
#define NAMES_MAX	1000
#define LEFT_MAX	64	/* sessions that one command cleans up */

bool visit_named(const char *session)
{
	const char *number = session + strlen(VISIT_PREFIX);

	return !strncmp(session, VISIT_PREFIX, strlen(VISIT_PREFIX)) &&
	       *number && !number[strspn(number, "0123456789.")];
}

/* Returns true when an image of the process has the session. */
static bool has_session(const struct rundir_process *process, const char *name)
{
	uint32_t images[RUNDIR_IMAGES_MAX];
	struct session_page page;
	int n = rundir_images(process, images, RUNDIR_IMAGES_MAX);

	while (n-- > 0)
		if (!rundir_find_session(process, images[n], name, &page))
			return true;
	return false;
}

/* Destroys the session in all images of a process. Returns 0; or a negative
 * errno and the client's cause: its agent does not answer. */
static int session_leave(struct target *target, const char *name)
{
	struct rundir_process *process = target->process;
	struct client_request request = { 0 };
	uint32_t images[RUNDIR_IMAGES_MAX];
	struct session_page page;
	int n, ret = 0;

	rundir_inheritance_remove(process, name);
	if (process->alive && target_has(target, name)) {
		client_request_add(&request, "name", "%s", name);
		ret = target_connect(target);
		if (!ret)
			ret = client_call(&target->client, MESSAGE_DESTROY,
					  &request, NULL);
		client_request_release(&request);
		process->alive = rundir_lives(process);
		if (ret == -ENOENT || !process->alive)
			ret = 0;
	}
	n = rundir_images(process, images, RUNDIR_IMAGES_MAX);
	while (n-- > 0)
		while ((!process->alive || images[n] != process->image) &&
		       !rundir_find_session(process, images[n], name, &page) &&
		       !rundir_destroy_session(process, images[n], page.index))
			;
	if (!process->alive)
		rundir_drop_begun(process, name);
	return ret;
}

/* Says whether the process's program has sessions. */
enum sessions_left {
	LEFT_NONE,
	LEFT_VISITS,		/* at least one of a visit */
	LEFT_OTHERS,		/* and none of a visit */
};

static enum sessions_left sessions_left(const struct rundir_process *process)
{
	enum sessions_left left = LEFT_NONE;
	struct process_page page;
	struct session_page session;

	if (rundir_read_process(process, process->image, &page))
		return LEFT_OTHERS;
	for (uint32_t i = 0; i < page.sessions; i++) {
		if (rundir_read_session(process, process->image, i, &session) ||
		    session.state == SESSION_DESTROYED)
			continue;
		if (visit_named(session.name))
			return LEFT_VISITS;
		left = LEFT_OTHERS;
	}
	return left;
}

/*
 * Detaches the agent if a visit has loaded it and nothing else uses it, and
 * removes the file of the visits, unless another visit is there. The caller
 * holds the lock on that, if there is one. Returns COMMAND_FAILED after
 * printing that the agent could not be detached: the next command tries again.
 */
static int agent_leave(const struct rundir *dir, struct target *target,
		       bool loaded)
{
	struct rundir_process *process = target->process;
	enum sessions_left left = sessions_left(process);
	struct client_answer answer = { 0 };
	char line[CAUSE_LINE_BYTES];
	int ret = 0;

	if (process->alive && left == LEFT_VISITS)
		return COMMAND_DONE;
	/* -ENOTEMPTY: gdb or callbacks use it, so it stays */
	if (process->alive && left == LEFT_NONE && loaded)
		ret = target_detach(target, false, &answer);
	client_answer_release(&answer);
	if (ret && ret != -ENOTEMPTY && rundir_lives(process))
		return command_failed("process %d: its agent is not detached "
				      "yet: %s", process->pid,
				      cause_line(&target->client.cause, line));
	rundir_visit_remove(dir, process->name);
	return COMMAND_DONE;
}

/* Ends the visit in a process, and detaches the agent: also that of a child to
 * which only processes with such agents can have given it. */
static int process_leave(struct visit *v, struct rundir_process *process,
			 bool all_loaded)
{
	struct target target = { .process = process, .client.fd = -1 };
	int number = v->pids.count - 1, status = COMMAND_DONE;
	char line[CAUSE_LINE_BYTES];
	int looks = RUNDIR_REPLACED_LOOKS;
	bool loaded;
	int fd;

	/* -1: it is a child */
	while (number >= 0 && strcmp(v->names[number], process->name))
		number--;
	if (number < 0 && !has_session(process, v->session))
		return COMMAND_DONE;
	rundir_end_replaced(process, &looks);
	loaded = number < 0 ? all_loaded : v->loaded[number];
	fd = number < 0 ? rundir_visit_lock(&v->dir, process->name, false,
					    LOCK_MS) : v->locks[number];
	if (session_leave(&target, v->session))
		status = command_failed("session '%s' is not ended yet: %s",
					v->session,
					cause_line(&target.client.cause, line));
	else
		status = agent_leave(&v->dir, &target, loaded);
	client_close(&target.client);
	if (fd >= 0)
		close(fd);
	if (number >= 0)
		v->locks[number] = -1;
	return status;
}

int visit_end(struct visit *v)
{
	struct rundir_list list = { 0 };
	int status = v->lacks ? COMMAND_FAILED : COMMAND_DONE;
	bool all_loaded = true;

	if (!v->begun)
		return COMMAND_DONE;
	v->begun = false;
	for (int i = 0; v->dir.fd >= 0 && i < v->pids.count; i++) {
		if (v->locks[i] < 0 && *v->names[i])
			v->locks[i] = rundir_visit_lock(&v->dir, v->names[i],
							false, LOCK_MS);
		/* an earlier visit may have, or attach_keep() was called */
		if (v->locks[i] >= 0)
			v->loaded[i] = rundir_visit_loaded(v->locks[i]);
		all_loaded = all_loaded && v->loaded[i];
	}
	if (v->dir.fd >= 0 && rundir_collect(&v->dir, &list))
		status = cause_tell(&v->dir.cause);
	for (size_t i = 0; i < list.count; i++)
		if (process_leave(v, &list.processes[i], all_loaded))
			status = COMMAND_FAILED;
	rundir_list_free(&list);
	for (int i = 0; i < v->pids.count; i++)
		if (v->locks[i] >= 0)
			close(v->locks[i]);
	if (v->dir.fd >= 0)
		rundir_visit_sweep(&v->dir);
	rundir_unfollow(&v->follower);
	rundir_close(&v->dir);
	return status;
}

/* Returns true when the process's directory is in the visit's, which is that of
 * the first process. */
static bool is_beside(struct visit *v, const struct rundir_process *process)
{
	struct stat here, there;

	if (v->dir.fd < 0)
		return !rundir_open_around(&v->dir, process);
	return !fstat(process->fd, &here) &&
	       !fstatat(v->dir.fd, process->name, &there,
			AT_SYMLINK_NOFOLLOW) &&
	       here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

/* A file of visits that this command has locked. */
struct note {
	struct rundir dir;
	char name[48];			/* of the process's directory there */
	int fd;				/* or -1 */
	bool begun;			/* by this command */
};

/* Removes the file if other visits have not noted anything there. */
static void note_drop(struct note *note)
{
	if (note->fd >= 0 && note->begun)
		rundir_visit_remove(&note->dir, note->name);
	if (note->fd >= 0)
		close(note->fd);
	note->fd = -1;
	rundir_close(&note->dir);
}

static int visit_busy(pid_t pid)
{
	return command_failed("process %d: another command that looks has not "
			      "begun or ended there for %d s: is it stopped?",
			      pid, ENTER_MS / 1000);
}

/*
 * Gives the process an agent if it has none at work. Locks the file of the
 * visits, and notes there that the agent must not stay, before the agent comes:
 * this command may be killed at any moment. Takes no lock where the file cannot
 * be made beforehand. Returns COMMAND_DONE, or another status after printing
 * why.
 */
static int agent_provide(pid_t pid, struct note *note, bool *loaded)
{
	struct rundir_process process;
	struct cause cause;
	int status, ret = rundir_find(&process, pid, &cause);
	/* the agent of such a child is its parent's */
	bool forked = ret == -ECHILD;

	*loaded = false;
	note->fd = note->dir.fd = -1;
	note->begun = false;
	rundir_process_close(&process);
	if (!ret)
		return COMMAND_DONE;
	/* a process that is refused gets no file */
	if (ret == -ENXIO && !attach_check(pid, &cause) &&
	    !rundir_open_chosen(&note->dir, pid, note->name))
		note->fd = rundir_visit_lock(&note->dir, note->name, true,
					     ENTER_MS);
	if (note->fd == -EBUSY)
		return visit_busy(pid);
	note->begun = note->fd >= 0 && !rundir_visit_loaded(note->fd);
	if (note->begun)
		rundir_visit_begin(note->fd, pid);
	status = attach_provide(pid, loaded);
	*loaded = *loaded && !forked;
	if (status != COMMAND_DONE)
		note_drop(note);
	return status;
}

/* Locks the process's file, and notes there whether this visit has loaded the
 * agent. That is the file of the note, unless the process keeps its files
 * elsewhere. Returns a descriptor or a negative errno. */
static int file_lock(struct visit *v, int i, struct note *note, bool loaded)
{
	struct stat here, there;
	bool same = note->fd >= 0 && !strcmp(note->name, v->names[i]) &&
		    !fstat(v->dir.fd, &here) && !fstat(note->dir.fd, &there) &&
		    inode_same(&here, &there);
	int fd = same ? note->fd : rundir_visit_lock(&v->dir, v->names[i], true,
						     ENTER_MS);
	int ret = 0;

	/* one that was killed may have loaded it */
	if (fd >= 0 && (loaded || rundir_visit_begun(fd)))
		ret = rundir_visit_note(fd, loaded || !same || !note->begun);
	if (same)
		note->fd = -1;
	note_drop(note);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

/* Gives process number `i` an agent, and locks its file, so no visit that ends
 * takes the agent away. Returns COMMAND_DONE, or another status after printing
 * why. */
static int process_enter(struct visit *v, int i)
{
	struct rundir_process process;
	pid_t pid = v->pids.pids[i];
	struct target target = { .process = &process, .client.fd = -1 };
	struct cause cause;
	struct note note;
	bool loaded;
	int ret, fd;

	for (int tries = 0; tries < ENTER_TRIES; tries++) {
		ret = agent_provide(pid, &note, &loaded);
		if (ret != COMMAND_DONE)
			return ret;
		ret = rundir_find(&process, pid, &cause);
		if (ret || !is_beside(v, &process))
			note_drop(&note);
		if (ret == -ENXIO)
			continue;
		if (ret)
			return cause_tell(&cause);
		if (!is_beside(v, &process)) {
			if (loaded)
				agent_leave(&v->dir, &target, true);
			client_close(&target.client);
			rundir_process_close(&process);
			return command_failed("process %d keeps its files in "
					      "another directory than process "
					      "%d: give one -p", pid,
					      v->pids.pids[0]);
		}
		v->loaded[i] = v->loaded[i] || loaded;
		snprintf(v->names[i], sizeof(v->names[i]), "%s", process.name);
		rundir_process_close(&process);
		fd = file_lock(v, i, &note, loaded);
		if (fd == -EBUSY)
			return visit_busy(pid);
		if (fd < 0)
			return command_failed("process %d: cannot write "
					      "%s/sessions/.visit.%s: %s", pid,
					      v->dir.path, v->names[i],
					      strerror(-fd));
		v->locks[i] = fd;
		/* a visit that has just ended may have detached it */
		ret = rundir_find(&process, pid, &cause);
		if (!ret && is_beside(v, &process)) {
			rundir_process_close(&process);
			return COMMAND_DONE;
		}
		rundir_process_close(&process);
		v->locks[i] = -1;
		close(fd);
	}
	return command_failed("process %d: its agent comes and goes", pid);
}

/* Takes a name that no session has, and says that it is followed. */
static int name_take(struct visit *v)
{
	struct rundir_list list = { 0 };
	bool taken = true;
	int ret = rundir_collect(&v->dir, &list);

	if (ret)
		return cause_tell(&v->dir.cause);
	for (int n = 1; taken && n < NAMES_MAX; n++) {
		snprintf(v->session, sizeof(v->session), n > 1 ?
			 VISIT_PREFIX "%d.%d" : VISIT_PREFIX "%d", getpid(), n);
		taken = false;
		for (size_t i = 0; i < list.count && !taken; i++)
			taken = has_session(&list.processes[i], v->session);
	}
	rundir_list_free(&list);
	ret = rundir_follow(&v->follower, v->dir.fd, v->dir.uid, v->session);
	if (ret)
		return command_failed("cannot write %s/sessions/.followed.%s: "
				      "%s", v->dir.path, v->session,
				      strerror(-ret));
	return COMMAND_DONE;
}

/* Takes processes that have ended out of the visit, and says so of each; unless
 * all have. Returns true if there was one. visit_end() removes their files. */
static bool visit_leave_ended(struct visit *v)
{
	struct command_pids before = v->pids;
	int kept = 0;

	if (!targets_leave_ended(&v->pids))
		return false;
	for (int i = 0; i < before.count; i++) {
		if (kept == v->pids.count ||
		    v->pids.pids[kept] != before.pids[i]) {
			if (v->locks[i] >= 0)
				close(v->locks[i]);
			continue;
		}
		memmove(v->names[kept], v->names[i], sizeof(v->names[i]));
		v->loaded[kept] = v->loaded[i];
		v->locks[kept++] = v->locks[i];
	}
	for (; kept < before.count; kept++) {
		*v->names[kept] = '\0';
		v->loaded[kept] = false;
		v->locks[kept] = -1;
	}
	return true;
}

/* Opens the processes and asks for their markers. Returns COMMAND_DONE, or
 * COMMAND_FAILED after printing why. The caller closes the targets. */
static int targets_take(struct visit *v, struct targets *targets)
{
	struct cause cause = { 0 };
	int ret;

	for (;;) {
		ret = targets_open_each(targets, v->pids.pids,
					(size_t)v->pids.count, &cause);
		for (size_t i = 0; i < targets->count && !ret; i++) {
			ret = target_list(&targets->targets[i]);
			if (ret)
				cause = targets->targets[i].client.cause;
		}
		if (!ret)
			return COMMAND_DONE;
		if (!visit_leave_ended(v))
			break;
		targets_close(targets);
		cause.id = CAUSE_NONE;
	}
	if (cause.id)
		cause_tell(&cause);
	return COMMAND_FAILED;
}

/* Starts the session in all processes, if each rule selects something; those
 * that end meanwhile are left out. Returns COMMAND_DONE, or COMMAND_FAILED
 * after printing why. */
static int session_begin(struct visit *v, struct targets *targets)
{
	struct client_request request = { 0 };
	struct places places = { 0 };
	int result = COMMAND_DONE, ret = 0;
	size_t ended = 0;

	for (int i = 0; i < v->nrules; i++)
		if (targets_check_rule(targets, v->rules[i]))
			return COMMAND_FAILED;
	client_request_add(&request, "name", "%s", v->session);
	client_request_add(&request, "mode", "overwrite");
	if (v->buffer)
		client_request_add(&request, "buffer", "%llu",
				   (unsigned long long)v->buffer);
	rule_request(&request, v->rules, v->nrules);
	targets_allow_some(targets, v->rules, v->nrules, &request);
	for (size_t i = 0; i < targets->count && !ret; i++) {
		struct target *target = &targets->targets[i];

		ret = target_start(target, v->session, &request, &places,
				   &result);
		/* the last one tells why there is no session */
		if (ret && !rundir_lives(target->process) &&
		    ++ended < targets->count) {
			command_warn("process %d is left out: it has ended",
				     target->process->pid);
			rundir_drop_begun(target->process, v->session);
			ret = 0;
		}
		if (ret)
			result = cause_tell(&target->client.cause);
	}
	client_request_release(&request);
	if (!ret && targets_check_begun(targets, v->rules, v->nrules, &places))
		result = COMMAND_FAILED;
	v->lacks = places_tell(&places);
	if (!ret && targets_check_files(targets, v->rules, v->nrules))
		v->lacks = true;
	return result;
}

int visit_begin(struct visit *v)
{
	int status = COMMAND_DONE;
	struct forked forked;
	struct targets targets;

	v->begun = true;
	v->dir.fd = v->follower.fd = -1;
	/* in order, visits that hold one file and wait for the next never
	 * wait for each other */
	for (int i = 1; i < v->pids.count; i++) {
		pid_t pid = v->pids.pids[i];
		int k = i;

		for (; k && v->pids.pids[k - 1] > pid; k--)
			v->pids.pids[k] = v->pids.pids[k - 1];
		v->pids.pids[k] = pid;
	}
	for (int i = 0; i < v->pids.count; i++)
		v->locks[i] = -1;
	visit_leave_ended(v);
	status = functions_consent(v->rules, v->nrules, &(struct named_in){
			.pids = v->pids.pids, .npids = (size_t)v->pids.count,
			.given = true }, v->yes);
	for (int i = 0; i < v->pids.count && status == COMMAND_DONE; i++) {
		if (v->locks[i] >= 0)
			continue;
		status = process_enter(v, i);
		/* those that it has entered keep their locks */
		if (status != COMMAND_DONE && visit_leave_ended(v)) {
			status = COMMAND_DONE;
			i = -1;
		}
	}
	if (status == COMMAND_DONE)
		status = name_take(v);
	if (status != COMMAND_DONE)
		return status;
	forked_count(&forked, &v->pids);
	status = targets_take(v, &targets);
	if (status == COMMAND_DONE)
		status = session_begin(v, &targets);
	targets_close(&targets);
	for (int i = 0; i < v->pids.count && status == COMMAND_DONE; i++) {
		close(v->locks[i]);
		v->locks[i] = -1;
	}
	if (status == COMMAND_DONE)
		forked_tell(&forked, &v->pids);
	return status;
}

/* A session of a visit that was killed, and whether all processes in which it
 * was begun had got the agent by visits. */
struct left {
	char name[SESSION_NAME_BYTES];
	bool loaded, met;
};

/* Adds the sessions of killed visits that the process has. Returns their
 * number so far. */
static size_t left_add(struct left *left, size_t n,
		       const struct rundir_process *process)
{
	uint32_t images[RUNDIR_IMAGES_MAX];
	struct session_page session;
	struct process_page page;
	int count = rundir_images(process, images, RUNDIR_IMAGES_MAX);
	size_t k;

	while (count-- > 0) {
		if (rundir_read_process(process, images[count], &page))
			continue;
		for (uint32_t i = 0; i < page.sessions && n < LEFT_MAX; i++) {
			if (rundir_read_session(process, images[count], i,
						&session) ||
			    session.state == SESSION_DESTROYED ||
			    !visit_named(session.name) ||
			    rundir_followed(process, session.name))
				continue;
			for (k = 0; k < n; k++)
				if (!strcmp(left[k].name, session.name))
					break;
			if (k < n)
				continue;
			left[n] = (struct left){ .loaded = true };
			memcpy(left[n++].name, session.name,
			       sizeof(session.name));
		}
	}
	return n;
}

/* Ends the sessions of killed visits in a process, and detaches the agent;
 * `children` tells which turn it is: processes that visits entered come
 * first. */
static void process_clean(const struct rundir *dir, struct left *left, size_t n,
			  struct rundir_process *process, bool children)
{
	struct target target = { .process = process, .client.fd = -1 };
	int fd = rundir_visit_lock(dir, process->name, false, 0), ret = 0;
	bool ended = false, loaded = fd >= 0 && rundir_visit_loaded(fd);
	int looks = RUNDIR_REPLACED_LOOKS;
	bool sure = true;

	if (fd == -EBUSY || (fd >= 0) == children)
		goto close;
	rundir_end_replaced(process, &looks);
	for (size_t i = 0; i < n && !ret; i++) {
		if (!has_session(process, left[i].name))
			continue;
		ended = true;
		if (!children) {
			left[i].loaded = left[i].loaded && loaded;
			left[i].met = true;
		}
		sure = sure && left[i].loaded && left[i].met;
		ret = session_leave(&target, left[i].name);
	}
	if (children)
		loaded = ended && sure;
	/* an agent without a session may be left, too */
	if (!ret && (ended || fd >= 0))
		ret = agent_leave(dir, &target, loaded);
	if (!ret && process->alive && (ended || loaded) &&
	    sessions_left(process) != LEFT_VISITS)
		command_warn("process %d: ended what a command that was killed "
			     "had left there", process->pid);
close:
	client_close(&target.client);
	if (fd >= 0)
		close(fd);
}

/* Ends what the load of a command that was killed still does in the process of
 * the file, and notes that the agent is to be detached if it has come. */
static void begun_finish(const struct rundir *dir, const char *name, int fd)
{
	struct rundir_process process;
	pid_t pid = rundir_visit_begun(fd);
	struct cause cause;
	int real = -1;

	/* after a failure, the next command tries again */
	if (!pid || attach_finish(pid))
		return;
	if (!rundir_find(&process, pid, &cause) &&
	    strcmp(process.name, name))
		real = rundir_visit_lock(dir, process.name, true, 0);
	if (real >= 0) {
		rundir_visit_note(real, true);
		close(real);
	}
	if (real < 0 && process.fd >= 0)
		rundir_visit_note(fd, true);
	else
		rundir_visit_remove(dir, name);
	rundir_process_close(&process);
}

/* Unloads the agent that a killed command had detached, and not unloaded yet:
 * its process has no directory any more. */
static void left_unload(const struct rundir *dir, const char *name, int fd)
{
	unsigned long long start = 0;
	uint64_t starttime;
	struct stat st;
	int pid = 0;

	if (!rundir_visit_loaded(fd) || rundir_visit_begun(fd) ||
	    !fstatat(dir->fd, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    sscanf(name, "%d.%llu", &pid, &start) != 2 ||
	    rundir_starttime(&starttime, pid) ||
	    (starttime | rundir_namespace(pid)) != start)
		return;
	attach_unload(pid);
}

/*
 * Ends visits of commands that were killed, in a runtime directory, and says
 * so. A process that does not answer is left to the next command.
 */
static void visits_clean(struct rundir *dir)
{
	static struct left left[LEFT_MAX];
	struct rundir_list list = { 0 };
	size_t n = 0;

	if (!rundir_visited(dir))
		return;
	rundir_visits_each(dir, begun_finish);
	if (rundir_collect(dir, &list))
		return;
	for (size_t i = 0; i < list.count; i++)
		n = left_add(left, n, &list.processes[i]);
	for (size_t i = 0; i < list.count; i++)
		process_clean(dir, left, n, &list.processes[i], false);
	for (size_t i = 0; i < list.count && n; i++)
		process_clean(dir, left, n, &list.processes[i], true);
	rundir_list_free(&list);
	rundir_visits_each(dir, left_unload);
	rundir_visit_sweep(dir);
}

void visits_clean_user(void)
{
	struct rundir dir;

	if (!rundir_open(&dir, false))
		visits_clean(&dir);
	rundir_close(&dir);
}

bool visits_clean_around(const struct rundir_process *process)
{
	struct rundir dir;
	bool visited = false;

	if (!rundir_open_around(&dir, process)) {
		visited = rundir_visited(&dir);
		if (visited)
			visits_clean(&dir);
	}
	rundir_close(&dir);
	return visited;
}
