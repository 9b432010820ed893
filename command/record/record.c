/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail record: runs or follows a program, and writes the events of it and
 * of its children.
 *
 * What must stay true here: no program starts before the output directory
 * exists and is empty; the exit status is the program's unless recording
 * failed.
 */
#include "command/common/limits.h"
#include "command/processes/client.h"
#include "command/record/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/words.h"
#include "command/attach/attach.h"
#include "command/common/command.h"
#include "command/common/counted.h"
#include "command/common/nearest.h"
#include "command/common/reason.h"
#include "command/processes/handed.h"
#include "command/processes/places.h"
#include "command/processes/targets.h"
#include "command/record/handed-private.h"
#include "command/record/report.h"

#define OUTPUTS_MAX	1000

/* Makes a directory named by the time. Another recording may have begun in the
 * same second: then a number is added. Returns as trace_set_open(). */
static int open_default(struct record *record, char *name, size_t room)
{
	time_t now = time(NULL);
	struct tm tm;
	size_t used;
	int ret;

	localtime_r(&now, &tm);
	used = strftime(name, room, "taffrail-%Y%m%d-%H%M%S", &tm);
	for (int n = 2; n < OUTPUTS_MAX; n++) {
		ret = trace_set_open(&record->set, name);
		if (ret ? ret != -ENOTEMPTY && ret != -ENOTDIR :
			  record->set.made)
			break;
		if (!ret)
			trace_set_close(&record->set);
		snprintf(name + used, room - used, "-%d", n);
	}
	return ret;
}

static int open_output(struct record *record)
{
	char name[64];
	const char *path = record->options.output ?: name;
	int ret = record->options.output ?
		  trace_set_open(&record->set, path) :
		  open_default(record, name, sizeof(name));

	if (ret == -ENOTEMPTY)
		return command_failed("%s exists and is not empty", path);
	if (ret)
		return command_failed("%s: %s", path, reason_of_output(ret));
	record->set.limit = record->options.max_size;
	return COMMAND_DONE;
}

/* Opens the directory in which the children of a process will have theirs. */
static void find_children(struct record *record,
			  const struct rundir_process *process)
{
	int fd = openat(process->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat first, other;

	/* a member of a group that was let in cannot search it */
	if (fd < 0) {
		outcome_tell(&record->outcome, CHILDREN_UNREACHED,
			     .pid = process->pid, .path = process->path,
			     .text = reason_of_files(-errno));
		return;
	}
	if (record->dir.fd >= 0 &&
		 (fstat(record->dir.fd, &first) || fstat(fd, &other) ||
		  first.st_dev != other.st_dev ||
		  first.st_ino != other.st_ino))
		outcome_tell(&record->outcome, CHILDREN_ELSEWHERE,
			     .pid = process->pid, .path = process->path);
	if (record->dir.fd >= 0) {
		close(fd);
		return;
	}
	record->dir.fd = fd;
	/* root's recording of another user's process: its children's files
	 * are that user's */
	record->dir.uid = process->uid;
	snprintf(record->dir.path, sizeof(record->dir.path), "%.*s/..",
		 PATH_MAX - 4, rundir_shown(process));
}

/* Starts the session in one process, and joins it. */
static int follow_one(struct record *record, struct target *target,
		      const struct client_request *request)
{
	struct rundir_process *process = target->process;
	int unhanded = COMMAND_DONE;
	int ret = heirs_start(&target->client, request, record->name, NULL,
			      &unhanded);

	outcome_take(&record->outcome, unhanded);
	/* a process that has ended meanwhile may have written events */
	if (ret && !rundir_lives(process) &&
	    rundir_drop_begun(process, record->name))
		return command_failed("process %d has ended", process->pid);
	if (ret && rundir_lives(process))
		return cause_tell(&target->client.cause);
	ret = record_join(record, process);
	if (ret)
		return command_failed("process %d: cannot read its session: %s",
				      process->pid, reason_of_files(ret));
	return COMMAND_DONE;
}

/* Looks at each process before a session is started in any. */
static int check_targets(const struct record *record, struct targets *targets)
{
	const struct record_options *o = &record->options;

	for (size_t i = 0; i < targets->count; i++)
		if (target_list(&targets->targets[i]))
			return cause_tell(&targets->targets[i].client.cause);
	for (int i = 0; i < o->nrules; i++)
		if (targets_check_rule(targets, o->rules[i]))
			return COMMAND_FAILED;
	for (size_t i = 0; i < targets->count; i++)
		if (command_check_reach(targets->targets[i].process->path,
					o->group))
			return COMMAND_FAILED;
	return COMMAND_DONE;
}

/* Records running processes; their children have directories beside their
 * own. */
static int follow(struct record *record)
{
	const struct command_pids *pids = &record->options.pids;
	struct client_request request = { 0 };
	struct targets targets;
	int status = COMMAND_DONE;
	size_t i;

	for (int k = 0; k < pids->count; k++)
		if (attach_provide(pids->pids[k]))
			return COMMAND_FAILED;
	record_prepare();
	if (record_probes_load(record))
		return COMMAND_FAILED;
	if (targets_open_each(&targets, pids->pids, (size_t)pids->count) ||
	    check_targets(record, &targets)) {
		targets_close(&targets);
		record_probes_unload(record);
		return COMMAND_FAILED;
	}
	for (i = 0; i < targets.count; i++)
		find_children(record, targets.targets[i].process);
	record_claim(record);
	record_request(record, &request);
	for (i = 0; !status && i < targets.count; i++)
		status = follow_one(record, &targets.targets[i], &request);
	client_request_release(&request);
	if (!status)
		outcome_take(&record->outcome,
			     targets_check_files(&targets,
						 record->options.rules,
						 record->options.nrules));
	targets_close(&targets);
	/* the processes before have the session */
	if (status) {
		record_stop(record);
		record_probes_unload(record);
	}
	return status;
}

/* Removes rules that killed recorders of this user have left. */
static int drop_stale(const char *name, void *priv)
{
	struct record *record = priv;
	int pid, held;

	if (sscanf(name, "record-%d", &pid) != 1 || pid <= 0)
		return 0;
	held = rundir_recorder(&record->dir, name);
	if (!held || (held < 0 && kill(pid, 0) && errno == ESRCH))
		rundir_remove_rules(&record->dir, name);
	return 0;
}

static int begin(struct record *record)
{
	int ret;

	if (record->options.pids.count)
		return follow(record);
	if (rundir_open(&record->dir, true))
		return command_failed("%s", record->dir.error);
	if (command_check_reach(record->dir.path, record->options.group))
		return COMMAND_FAILED;
	rundir_each_rules(&record->dir, drop_stale, record);
	ret = record_run(record);
	if (ret)
		rundir_remove_rules(&record->dir, record->name);
	return ret;
}

static bool has_trace(const struct record_member *member)
{
	for (size_t j = 0; j < member->nimages; j++)
		if (member->images[j]->trace)
			return true;
	return false;
}

static size_t processes(const struct record *record)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < record->nmembers; i++) {
		const struct record_member *member = record->members[i];

		/* a process that changed its user is one */
		n += has_trace(member) &&
		     !(member->before && has_trace(member->before));
	}
	return n;
}

/* Counts the program itself if it had no agent, as a static program; a program
 * that it executes may have one. */
static void count_first(struct record *record)
{
	if (!record->nmembers || !record->first_lacks)
		return;
	lacking_count(&record->lacking, record->options.program[0],
		      record->first_lacks);
}

/* Prints the summary, or that there is no trace. Returns true for a trace. */
static bool tell_result(const struct record *record)
{
	const struct trace_set *set = &record->set;
	size_t n = processes(record);
	char missed[64] = "";

	/* this command's own variables were reported at the start */
	command_warn_words(record->words_unknown & ~words_unknown(environ),
			   "a process: ");
	if (record_probes_missed(record))
		snprintf(missed, sizeof(missed), "%s missed by callbacks",
			 counted(record_probes_missed(record), "hit"));
	if (!n && set->lost) {
		command_warn("0 events (%llu lost, all%s%s), so there is no "
			     "trace", (unsigned long long)set->lost,
			     *missed ? ", " : "", missed);
		return false;
	}
	if (!n) {
		command_warn("0 events%s%s%s, so there is no trace",
			     *missed ? " (" : "", missed, *missed ? ")" : "");
		return false;
	}
	command_warn("%s (%s%llu lost, %s%s%.1f bytes per event) of %s in %s",
		     counted(set->kept, "event"), trace_lost_least(set),
		     (unsigned long long)set->lost, missed,
		     *missed ? ", " : "",
		     set->kept ? (double)set->bytes / (double)set->kept : 0.0,
		     counted(n, "process"), set->path);
	if (set->overwritten)
		command_warn("%s %s %s",
			     counted(set->overwritten, "older event"),
			     agreed(set->overwritten, "was", "were"),
			     set->limit ? "dropped" : "overwritten");
	return true;
}

/* Names addresses, which reads the programs' files: now nothing waits for this
 * command. */
static void name_addresses(struct record *record)
{
	for (size_t i = 0; i < record->nmembers; i++)
		for (size_t j = 0; j < record->members[i]->nimages; j++)
			consume_names(record->members[i]->images[j]);
}

/* Adds what is not in the trace, of what it should have. */
static void note_missing(struct record *record)
{
	struct outcome *outcome = &record->outcome;
	int error = -(record->crowded ? record->crowded : record->missed);

	record_tell_unwritten(record);
	if (!record->set.error && record->failed)
		outcome_note(outcome, OUTPUT_FAILED, .path = record->set.path,
			     .text = reason_of_output(record->failed));
	if (error)
		outcome_note(outcome, TRACE_INCOMPLETE,
			     .subject = record->name,
			     .text = limits_error(error));
	record->shortage.pageless = record->lacking.roomless;
	record->shortage.uncounted = record->lacking.uncounted;
	shortage_note(&record->shortage, record->dir.path, record->set.lost,
		      outcome);
	report_unreadable(&record->set, record->unreadable, outcome);
	report_spoilt(&record->set, outcome);
	record_probes_missed_tell(record);
	/* the one program without an agent was named already */
	if (record->nmembers ||
	    record->lacking.others + record->lacking.full > 1)
		lacking_note(&record->lacking, outcome);
	outcome_print(outcome, CAUSE_MARKERS_LEFT_OFF);
}

/* Completes the trace, and tells the outcome. */
static void end(struct record *record)
{
	struct outcome *outcome = &record->outcome;
	bool traced;

	record_stop(record);
	for (size_t i = 0; i < record->nmembers; i++)
		if (record->members[i]->alive)
			record_printed_ask(record,
					   record->members[i]->pid);
	outcome_take(outcome, record_probes_unload(record));
	record_late_end(record);
	name_addresses(record);
	trace_set_finish(&record->set);
	if (record->off >= 0)
		lacking_read(&record->lacking, record->off);
	record_handed_read(record);
	lacking_settle(&record->lacking);
	if (record->lacking.limited)
		record->shortage.error = EFBIG;
	if (record->lacking.roomless)
		shortage_look(&record->shortage, record->dir.fd);
	record_tell_unmet(record);
	outcome_print(outcome, CAUSE_PROBE_FAILED);
	outcome_take(outcome, places_tell(record->places));
	record_probes_tell(record);
	count_first(record);
	note_missing(record);
	traced = tell_result(record);
	report_left_off(&record->set, outcome);
	outcome_print(outcome, CAUSE_EVENTS_LOST);
	if (traced)
		report_next(&record->set);
	record_tell_stray(&record->options);
	if (record->options.fail_on_loss)
		report_losses(&record->set, outcome);
	/* joiners.c cannot see them */
	if (record->options.program && limits_blind())
		outcome_note(outcome, RECORD_BLIND);
	outcome_print(outcome, OUTCOME_ALL);
}

int record_main(int argc, char **argv)
{
	static struct places places = { .ended = true };
	static struct record record = { .places = &places };
	int status = record_take_arguments(&record.options, argc, argv);

	if (status)
		return status < 0 ? COMMAND_DONE : status;
	record.dir.fd = -1;
	record.inotify = -1;
	record.off = -1;
	record.child_pidfd = -1;
	if (record_check_probes(&record.options) || open_output(&record))
		return COMMAND_FAILED;
	status = begin(&record);
	if (!status) {
		record_loop(&record);
		end(&record);
		/* a signal from a process, not the terminal, is for the program
		 * too */
		if (record.child && record_signal && record_signal_sent)
			kill(record.child, record_signal);
		status = outcome_end(&record.outcome, record_wait(&record));
		record_tidy(&record);
	}
	record_printed_tell(&record);
	trace_set_close(&record.set);
	record_release(&record);
	record_handed_close(&record);
	free(record.requests);
	free(record.before);
	if (record.off >= 0) {
		close(record.off);
		rundir_remove_rules(&record.dir, record.name);
	}
	rundir_close(&record.dir);
	return status;
}
