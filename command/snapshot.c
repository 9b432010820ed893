/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail snapshot NAME -o DIR: copies the rings of a session. Does not stop
 * living processes; removes the rings of dead ones after the copy.
 *
 * Invariant: no ring is removed before the trace is whole on disk, nor if a
 * part of a ring could not be read. Events that the trace lacks are told with
 * the reason.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/tunables.h"
#include "command/agents/elsewhere.h"
#include "command/agents/faults.h"
#include "command/agents/layouts.h"
#include "command/agents/places.h"
#include "command/agents/targets.h"
#include "command/causes/cause.h"
#include "command/common/command.h"
#include "command/common/counted.h"
#include "command/common/former.h"
#include "command/common/limits.h"
#include "command/reading/look.h"
#include "command/record/agentless.h"
#include "command/record/drain.h"
#include "command/runtime/core.h"
#include "command/runtime/rundir.h"
#include "command/sandbox/user-rights.h"

/*
 * The question, the processes, and the copy.
 *
 * Invariant: list and dir are of the user's runtime directory, of one process
 * (dir.fd is -1), or of the directory into which a core dump was extracted;
 * taken[] has a consumer for each image whose rings were copied.
 */
struct snapshot {
	const char *name;
	pid_t pid;			/* 0: every process of the user */
	const char *core;		/* a core dump, or NULL */
	const char *output;		/* the directory to write */
	bool force;			/* keep a former one */
	struct core_directory extracted;
	struct trace_set set;
	struct rundir dir;
	struct rundir_list list;
	struct consumer **taken;
	size_t ntaken;
	size_t processes;
	uint64_t unreadable;
	struct shortage shortage;	/* of room for buffers */
	bool fail_on_loss;
	bool shares;			/* the process of -p shares buffers */
	int foreign;			/* sessions of another version */
	struct keep_row removed;	/* of this session */
	int faulty;			/* exit status: tell_faults() */
	struct agentless agentless;		/* programs without an agent */
	struct reach reach;		/* of the newest images' buffers */
};

static const struct option_row rows[] = {
	{ OPTION_TEXT('o', struct snapshot, output), "output", "DIR",
	  "write the trace there" },
	{ OPTION_FLAG(0, struct snapshot, force), "force", NULL,
	  "if DIR is there, keep it as DIR.old" },
	{ OPTION_PID(struct snapshot, pid), "pid", "PID",
	  "copy those of this living process only" },
	{ OPTION_TEXT(0, struct snapshot, core), "core", "FILE",
	  "copy those in a core dump" },
	{ OPTION_FLAG(0, struct snapshot, fail_on_loss), "fail-on-loss", NULL,
	  "exit with 1 if events were lost" },
	{ 0 }
};

/*
 * Adds the rings that the process of -p shares, with all events that are there:
 * a packet has those of several processes. Returns 0 or -ENOMEM.
 */
static int append_shared(struct snapshot *s)
{
	struct rundir_process *process = &s->list.processes[0], shared;
	struct session_page session;
	struct rundir around;
	int ret;

	s->shares = !rundir_find_session(process, process->image, s->name,
					 &session) &&
		    session.flags & SESSION_SHARED;
	if (!s->shares || rundir_open_around(&around, process))
		return 0;
	ret = rundir_find_shared(&around, s->name, &shared);
	rundir_close(&around);
	if (ret)
		return 0;
	/* others may still join */
	shared.alive = true;
	ret = rundir_append(&s->list, &shared);
	if (ret)
		rundir_process_close(&shared);
	return ret;
}

/*
 * Copies the rings of the session in all images of a process, and keeps each
 * consumer in s->taken. An image without the session is passed over. Returns 0;
 * or a negative errno that ends the snapshot: the trace cannot be written, or a
 * limit of this command is reached.
 */
static int take_process(struct snapshot *s,
			const struct rundir_process *process)
{
	uint32_t images[RUNDIR_IMAGES_MAX];
	int n = rundir_images(process, images, RUNDIR_IMAGES_MAX);
	size_t before = s->ntaken;
	struct consumer *consumer, **more;
	struct process_page page;
	bool shares = false;
	int ret = 0;

	for (int i = 0; i < n && !ret; i++) {
		more = reallocarray(s->taken, s->ntaken + 1, sizeof(*more));
		if (!more) {
			ret = -ENOMEM;
			break;
		}
		s->taken = more;
		ret = consume_open(&consumer, &s->set, process, images[i],
				   s->name, false);
		/* most errors say that the image has no such session */
		if (ret) {
			s->foreign += ret == -EPROTO;
			if (ret != -EMFILE && ret != -ENFILE &&
			    ret != -ENOMEM && ret != -ENOLCK)
				ret = 0;
			continue;
		}
		more[s->ntaken++] = consumer;
		s->processes += consume_sharers(consumer);
		shares |= consume_shares(consumer);
		ret = consume_finish(consumer);
		s->unreadable += consume_unreadable(consumer);
		/* if it has executed another program since, that program's
		 * buffers tell more */
		if (images[i] == process->image)
			consume_reach(consumer, process, &s->reach);
		if (!rundir_read_process(process, images[i], &page))
			agentless_take(&s->agentless, &page,
				       consume_page(consumer));
		if (!s->core && !rundir_is_shared(process))
			shortage_take(&s->shortage, consume_page(consumer),
				      process->fd);
	}
	/* those that share the buffers count with these */
	s->processes += s->ntaken != before && !shares;
	return ret;
}

/*
 * The events are on disk now: removes the files of a dead process, and tells a
 * living one how many are saved. Removes also rules for programs that a process
 * would execute, where no process needs them any more.
 */
static void snapshot_settle(struct snapshot *s,
			    const struct rundir_process *process)
{
	int fd = openat(process->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool shared = rundir_is_shared(process);

	for (size_t i = 0; i < s->ntaken; i++) {
		struct consumer *c = s->taken[i];

		/* two processes may have the same pid and start time */
		if (!consume_same_page(c, process, false))
			continue;
		if (shared || (process->alive &&
			       consume_number(c) == process->image))
			consume_note_saved(c, process);
		else if (!process->alive)
			consume_remove(c, process, fd);
		/* a process may have joined since */
		if (shared && !process->alive)
			rundir_drop_shared(&s->dir, s->name,
					   consume_copied(c));
	}
	if (fd >= 0 && !process->alive && !shared)
		rundir_inheritance_sweep(fd, process->uid);
	if (fd >= 0)
		close(fd);
}

/* Takes the row of this session; a session has one. */
static void note_removed(const struct keep_row *row, void *priv)
{
	struct snapshot *s = priv;

	if (!strcmp(row->session, s->name))
		s->removed = *row;
}

/* Tells of a process whose buffers cannot be copied any more. */
static void tell_gone(pid_t pid)
{
	command_warn("process %d has ended, and its buffers with its mount "
		     "namespace: what it wrote since the last snapshot is lost",
		     pid);
}

/*
 * Tells which places are not switched, and for the session of the environment
 * which rules processes have not obeyed. Call it before dead processes' pages
 * are removed. Returns an exit status.
 */
static int tell_faults(struct snapshot *s)
{
	uint32_t images[RUNDIR_IMAGES_MAX];
	struct places places = { 0 };
	struct process_page page;
	bool told, enabled = !strcmp(s->name, FAULTS_SESSION);

	for (size_t i = 0; i < s->ntaken; i++) {
		consume_places(s->taken[i], &places);
		enabled |= consume_page(s->taken[i])->flags & SESSION_ENABLED;
	}
	told = places_tell(&places);
	if (!enabled)
		return told ? COMMAND_FAILED : COMMAND_DONE;
	for (size_t i = 0; i < s->list.count; i++) {
		const struct rundir_process *process = &s->list.processes[i];
		int n = rundir_images(process, images, RUNDIR_IMAGES_MAX);

		while (n-- > 0)
			if (!rundir_read_process(process, images[n], &page))
				told |= faults_tell(process->pid, &page);
	}
	if (!s->core && !s->pid)
		told |= faults_tell_last(&s->dir, true);
	return told ? COMMAND_FAILED : COMMAND_DONE;
}

/*
 * Tells which events this snapshot lacks, once each: the notes of removed and
 * lost processes are dropped with that. A core dump has no such notes, nor has
 * one process. Returns an exit status.
 */
static int tell_missing(struct snapshot *s)
{
	int status = s->faulty;

	if (s->core)
		return status;
	if (s->shares && s->list.count < 2)
		status |= command_failed("the buffers that process %d shares "
			"cannot be read: their events are not in this "
			"snapshot; 'taffrail status %s' may tell why", s->pid,
			s->name);
	/* by the limit of dead processes' rings */
	if (!s->pid)
		rundir_each_removed(&s->dir, s->name, note_removed, s);
	if (s->removed.processes)
		status |= command_failed("%s of %s %s missing: the buffers of "
			"ended processes had more than %lluM, and the oldest "
			"were removed; take snapshots earlier, or use a "
			"smaller --buffer-size",
			counted(s->removed.events, "event"),
			counted(s->removed.processes, "ended process"),
			agreed(s->removed.events, "is", "are"),
			KEEP_BYTES >> 20);
	if (layouts_tell(&s->list, s->name, "its events are not in this "
					    "snapshot"))
		status = COMMAND_FAILED;
	if (!s->pid &&
	    layouts_tell_shared(&s->dir, s->name, "their events are not in "
						  "this snapshot"))
		status = COMMAND_FAILED;
	if (!s->pid && later_tell_elsewhere(&s->dir, &s->list, s->name))
		status = COMMAND_FAILED;
	if (!s->pid && rundir_forget_away(&s->dir, s->name, false, tell_gone))
		status = COMMAND_FAILED;
	return status;
}

/* Tells why there is no trace. Of processes that have ended, the files are
 * removed now, and no other command knows more. Returns COMMAND_FAILED. */
static int tell_empty(struct snapshot *s)
{
	bool living = s->core != NULL;

	for (size_t i = 0; i < s->list.count; i++)
		for (size_t k = 0; k < s->ntaken && !living; k++)
			living = s->list.processes[i].alive &&
				 consume_same_page(s->taken[k],
						   &s->list.processes[i],
						   false);
	if (living)
		command_failed("session '%s' of %s has no event, so no trace "
			       "is written; 'taffrail status %s' counts its "
			       "events, 'taffrail list' says which markers are "
			       "on", s->name, counted(s->processes, "process"),
			       s->name);
	else
		command_failed("session '%s' of %s had no event, so no trace "
			       "is written; 'taffrail list PROG' shows the "
			       "markers, and 'taffrail record -e RULE -- PROG' "
			       "says if a rule matches none", s->name,
			       counted(s->processes, "ended process"));
	tell_missing(s);
	return COMMAND_FAILED;
}

/* Tells that no process has the session; and which snapshot, beside the
 * directory that was wanted, may have taken it from processes that have ended.
 * Returns COMMAND_FAILED. */
static int tell_none(struct snapshot *s)
{
	const char *path = s->set.path, *why;
	char nearest[TARGETS_NEAREST_BYTES], who[32] = "no process has a";
	char above[PATH_MAX] = "./";
	size_t n = strlen(path);
	char *taken;

	while (n > 1 && path[n - 1] == '/')
		n--;
	while (n && path[n - 1] != '/')
		n--;
	if (n)
		snprintf(above, sizeof(above), "%.*s", (int)n, path);
	targets_nearest(&s->list, s->name, nearest, sizeof(nearest));
	if (s->pid)
		snprintf(who, sizeof(who), "process %d has no", s->pid);
	command_failed("%s session '%s'%s%s", who, s->name,
		       s->core && s->foreign ? " of this version" : "",
		       nearest);
	taken = s->core || s->pid ? NULL : look_newest_in(above, s->name, &why);
	if (taken)
		command_warn("%s%s has events of a session '%s': a snapshot "
			     "takes the buffers of ended processes with it",
			     n ? above : "", taken, s->name);
	free(taken);
	if (!s->core && !s->pid)
		others_tell(s->name);
	return COMMAND_FAILED;
}

/*
 * Copies, tells, and settles: everything from the list of processes to the exit
 * status, which it returns. The order keeps events: the trace is finished
 * before a ring is removed, and facts of dead processes are read before their
 * pages go.
 */
static int take_all(struct snapshot *s)
{
	struct outcome outcome = { 0 }, losses = { 0 };
	char reach[REACH_TEXT_BYTES];
	struct rights rights;
	int ret = 0;
	int error;

	for (size_t i = 0; i < s->list.count && !ret; i++)
		ret = take_process(s, &s->list.processes[i]);
	/* gives names to addresses; the extracted files of a core dump are this
	 * command's, but who owns the dump may have written them */
	if (rights_take(&rights, s->core ? s->extracted.owner : 0))
		for (size_t i = 0; i < s->ntaken; i++)
			consume_names(s->taken[i], s->taken, s->ntaken);
	rights_give_back(&rights);
	error = trace_set_finish(&s->set);
	ret = ret ? ret : error;
	/* the buffers of dead processes were not removed */
	if (ret)
		return cause_report(SNAPSHOT_UNFINISHED, .path = s->set.path,
				    .error = ret, .n = (int64_t)s->set.kept);
	s->faulty = tell_faults(s);
	if (!s->ntaken && tell_missing(s))
		return COMMAND_FAILED;
	if (!s->ntaken)
		return tell_none(s);
	drain_note_set(&s->set, s->unreadable, s->fail_on_loss, &outcome);
	/* above the line of the counts; the losses stand below it */
	outcome_print(&outcome, CAUSE_MARKERS_LEFT_OFF);
	outcome_print(&outcome, CAUSE_CALLS_LOST);
	for (size_t i = 0; i < s->list.count && !s->unreadable; i++)
		snapshot_settle(s, &s->list.processes[i]);
	if (!s->set.ntraces && !s->set.taken)
		return tell_empty(s);
	command_warn("%s (%s%llu lost, %llu overwritten) of %s in %s",
		     counted(s->set.kept, "event"), trace_lost_least(&s->set),
		     (unsigned long long)s->set.lost,
		     (unsigned long long)s->set.overwritten,
		     counted(s->processes, "process"), s->set.path);
	if (s->shares && s->processes > 1)
		command_warn("process %d shares the buffers of session '%s': "
			     "the trace has the events of all its processes; "
			     "--where '* if vpid == %d' shows those of this "
			     "one", s->pid, s->name, s->pid);
	if (reach_text(&s->reach, reach))
		command_warn("the buffers reach back %s", reach);
	/* shortage_note() has the remedy for buffers that found no room, and
	 * for children without files */
	if (!s->set.overwritten && !s->fail_on_loss &&
	    shortage_spares(&s->shortage, s->set.lost -
			    min_u64(s->set.lost_calls, s->set.lost)))
		command_warn(COMMAND_FULL_REMEDY);
	if (s->set.taken)
		command_warn("%s before %s recorded already: see the "
			     "directory of that recording",
			     counted(s->set.taken, "event"),
			     agreed(s->set.taken, "was", "were"));
	outcome_print(&outcome, CAUSE_EVENTS_LOST);
	/* the processes' loss is no failure of this command */
	shortage_note(&s->shortage, s->dir.fd >= 0 ? s->dir.path :
		      "the runtime directory", s->set.lost, &losses);
	outcome_end(&losses, COMMAND_DONE);
	ret = tell_missing(s) | agentless_tell(&s->agentless);
	return outcome_end(&outcome, ret);
}

/* Finds the processes: all of the user, that of -p, or that of the core dump; a
 * process that has the dump's pid now is another one. Returns COMMAND_DONE, or
 * an exit status after printing why. */
static int find_processes(struct snapshot *s)
{
	struct rundir_process process;
	struct cause cause;

	if (s->core) {
		if (core_extract(&s->extracted, s->core))
			return cause_tell(&s->extracted.cause);
		if (rundir_open_at(&s->dir, s->extracted.path) ||
		    rundir_collect(&s->dir, &s->list))
			return cause_tell(&s->dir.cause);
		if (rundir_append_shared(&s->dir, &s->list))
			return cause_report(OUT_OF_MEMORY);
		for (size_t i = 0; i < s->list.count; i++)
			s->list.processes[i].alive = false;
		return COMMAND_DONE;
	}
	if (cause_check_proc())
		return COMMAND_FAILED;
	if (s->pid) {
		if (rundir_find(&process, s->pid, &cause))
			return cause_tell(&cause);
		if (!rundir_append(&s->list, &process))
			return append_shared(s) ? cause_report(OUT_OF_MEMORY) :
						  COMMAND_DONE;
		rundir_process_close(&process);
		return cause_report(OUT_OF_MEMORY);
	}
	/* no directory: processes elsewhere may have the session */
	if (rundir_open(&s->dir, false) == -ENOENT)
		s->dir.cause.id = CAUSE_NONE;
	if (s->dir.fd < 0 && s->dir.cause.id)
		return cause_tell(&s->dir.cause);
	if (rundir_scan_user(&s->dir, &s->list))
		return cause_tell(&s->dir.cause);
	/* the processes first: they name those that share */
	if (s->dir.fd >= 0 && rundir_append_shared(&s->dir, &s->list))
		return cause_report(OUT_OF_MEMORY);
	return COMMAND_DONE;
}

int snapshot_main(int argc, char **argv)
{
	static struct snapshot s;
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows,
		.shape = "NAME -o DIR",
		.about = "Copy the buffers of session NAME, of living and dead "
			 "processes, to a CTF trace.\nTracing continues.",
	};
	int ret, status;

	if (!options_take(&options, &s, NULL))
		return options.status;
	if (argc - options.index != 1)
		return command_misused("give one session's name, and -o DIR");
	if (!s.output || !*s.output)
		return command_misused("no directory given: add -o DIR");
	if (former_check_directory(s.output))
		return COMMAND_USAGE;
	if (s.core && s.pid)
		return command_misused("--core and --pid exclude each other");
	s.name = argv[options.index];
	status = targets_check_name(s.name);
	if (status)
		return status;
	/* files of another program may be cut short while they are read */
	map_guard();
	s.dir.fd = -1;
	s.set.fd = -1;
	status = cause_check_files(LIMITS_FILES);
	if (!status)
		status = find_processes(&s);
	if (!status && s.force)
		status = former_keep_tree(s.output);
	if (!status) {
		/* not before there is something to copy: it makes the
		 * directory */
		ret = trace_set_open(&s.set, s.output);
		if (ret)
			status = drain_tell_unopened(s.output, ret);
	}
	if (!status) {
		status = take_all(&s);
		trace_set_close(&s.set);
		for (size_t i = 0; i < s.ntaken; i++)
			consume_close(s.taken[i]);
		free(s.taken);
		reach_free(&s.reach);
	}
	rundir_list_free(&s.list);
	rundir_close(&s.dir);
	core_remove(&s.extracted);
	return status;
}
