/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail record: runs or follows a program, and writes the events of it and
 * of its children.
 *
 * What must stay true here: no program starts before the output directory
 * exists and is empty; the recorder never spins on a ring (that costs the
 * writer 40 ns an event); the exit status is the program's unless recording
 * failed.
 */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "buffers/words.h"
#include "command/agents/rule.h"
#include "command/common/command.h"
#include "command/common/former.h"
#include "command/common/limits.h"
#include "command/common/monotonic.h"
#include "command/common/shell.h"
#include "command/elf/named-functions.h"
#include "command/record/members-private.h"
#include "command/record/probes-private.h"
#include "command/record/program-private.h"
#include "traces/follow.h"

#define POLL_BUSY_MS	1
#define POLL_IDLE_MS	20
#define POLL_QUIET_MS	100		/* while no event can come */
#define TURN_NS		200000000ull	/* of followers_serve() */
#define EARLY_NS	800000000ull	/* until rules are told of; an agent
					 * has begun by then */
#define ASKED_MAX	64		/* processes in a turn */

/* The modules of the one recording of a process. Only the main thread uses
 * them, and no signal handler. */
static struct record_options options;
static struct outcome outcome;
static struct claim claim = { .dir.fd = -1, .off = -1,
			      .deferred.fd = -1 };
static struct drain drain;
static struct probes probes = { .options = &options, .outcome = &outcome };
static struct members members;
static struct program program = { .pidfd = -1 };

/*
 * Serves commands that follow the directory of the recording (traces/follow.h):
 * a few times a second, at most, it has the buffers of all processes closed,
 * and tells the readers up to which time the traces are complete. `now_ns` is
 * of CLOCK_MONOTONIC. With --overwrite, readers find the events at the end
 * only.
 *
 * Invariant: a time is told only when all processes that wrote before it are
 * known, each was asked after it, and their rings were emptied since.
 *
 * Returns true while such a command is there.
 */
static bool followers_serve(uint64_t now_ns)
{
	static uint64_t next_ns;	/* the next turn */
	static size_t next;		/* the next member to ask */
	static int64_t begin, told;	/* in ns of CLOCK_REALTIME, as events
					 * have them, or 0: when this round
					 * began; the time to tell next */
	static uint32_t scans;		/* how many there were then */
	struct follow_news news = { .ns = told, .removed = drain.set.removed };
	struct timespec now;

	if (now_ns < next_ns)
		return begin || told;
	next_ns = now_ns + TURN_NS;
	/* the rings were emptied since the last process was asked */
	if (told)
		follow_tell(drain.set.fd, &news);
	told = 0;
	if (!follow_held(drain.set.fd, FOLLOW_READER)) {
		begin = 0;
		return false;
	}
	if (options.overwrite) {
		news.ns = FOLLOW_AT_END;
		follow_tell(drain.set.fd, &news);
		return true;
	}
	if (!begin) {
		clock_gettime(CLOCK_REALTIME, &now);
		begin = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
		scans = members.scans;
		members.next_scan_ns = min_u64(members.next_scan_ns,
					       members.scan_again_ns);
	}
	/* once all processes that wrote before are known */
	if (members.scans == scans) {
		next_ns = now_ns;
	} else if (members_flush(&members, &next, ASKED_MAX)) {
		told = begin;
		begin = 0;
	}
	return true;
}

/*
 * Tells, once, EARLY_NS after the first process has begun, which rules match no
 * marker so far, or why their conditions fit none: most likely a typing error.
 * Returns true when the recording must end for that.
 */
static bool record_early(uint64_t now_ns)
{
	static uint64_t due_ns;
	struct places places = { 0 };
	bool unmet = false;
	char text[CAUSE_TEXT_BYTES], glob[RULE_BYTES_MAX + 1];
	pid_t pid;

	if (!due_ns && members_any(&members))
		due_ns = now_ns + EARLY_NS;
	if (!due_ns || now_ns < due_ns)
		return false;
	due_ns = UINT64_MAX;
	/* a process that is not read may have the marker */
	if (members.crowded)
		return false;
	drain_look(&drain, &places);
	for (int i = 0; i < options.nrules; i++) {
		const char *rule = options.rules[i];

		if (!drain_rule_unmet(&drain, &places, rule))
			continue;
		unmet = true;
		if (drain_rule_fault(&drain, rule, &pid, text, sizeof(text))) {
			outcome_tell(&outcome, RULE_IMPOSSIBLE_YET, .pid = pid,
				     .text = text);
			continue;
		}
		if (rules_never(&options, rule, glob, text)) {
			outcome_tell(&outcome, RULE_NEVER_YET, .subject = glob,
				     .text = text);
			continue;
		}
		rules_nearest(&options, rule, text, sizeof(text));
		outcome_tell(&outcome, RULE_UNMET_YET, .subject = rule,
			     .text = text);
	}
	places_free(&places);
	if (unmet && options.strict)
		outcome_tell(&outcome, STRICT_ENDED);
	return unmet && options.strict;
}

/* Of deferred_each(): has a process that is no member end as members do. */
static void signal_deferred(pid_t pid, void *number)
{
	if (pid != program.child)
		kill(pid, *(const int *)number);
}

/* Sends a signal to the processes of the recording, but not to the program. */
static void record_signal(int number)
{
	members_signal(&members, program.child, number);
	deferred_each(&claim.deferred, signal_deferred, &number);
}

/* Returns the longest time until the next round, before `end`. The end of the
 * program ends it. */
static int rest_most(bool followed, uint64_t end)
{
	uint64_t now = monotonic_ns();
	uint64_t ms = !followed && program.child && program.pidfd >= 0 &&
		      members_quiet(&members) ? POLL_QUIET_MS : POLL_IDLE_MS;

	return (int)min_u64(ms, 1 + (end - min_u64(end, now)) / 1000000);
}

/* Tells failures, then the summary, then losses that are failures only with
 * --fail-on-loss. */
static void record_tell(void)
{
	char word[PATH_MAX], listed[CAUSE_TEXT_BYTES] = "";
	size_t traced;
	bool some;

	members_note(&members, options.program ? options.program[0] : NULL,
		     program.lacks);
	some = members.agentless.others || members.agentless.filtered;
	if (!members.crowded && (members_any(&members) || !options.program))
		rules_note(&drain.rules, &options, &drain.places, some,
			   &outcome);
	outcome_print(&outcome, CAUSE_PROBE_FAILED);
	/* each rule has other markers, which are recorded */
	drain.places.lenient = rules_all_served(&drain.rules, &options,
						&drain.places);
	outcome_take(&outcome, places_tell(&drain.places));
	outcome_take(&outcome, options.less ? COMMAND_FAILED : COMMAND_DONE);
	if (members_any(&members))
		probes_note(&probes, &claim, &drain.rules, some);
	drain_tell_unwritten(&drain);
	drain_note(&drain, claim.name, claim.dir.path, members.crowded,
		   options.fail_on_loss);
	probes_note_missed(&probes);
	outcome_print(&outcome, CAUSE_MARKERS_LEFT_OFF);
	outcome_print(&outcome, CAUSE_CALLS_LOST);
	/* this command's own variables were reported at the start */
	command_warn_words(members.words_unknown & ~words_unknown(environ),
			   "a process: ");
	traced = members_traced(&members) + drain_sharers(&drain);
	/* as for a trace without an event */
	if (!traced && drain_joined(&drain))
		traced = 1;
	drain_summary(&drain, traced, probes_missed(&probes));
	for (int i = 0; i < options.nrules; i++)
		rule_list(listed, sizeof(listed), options.rules[i]);
	if (options.fail_if_none && !drain.set.kept)
		outcome_note(&outcome, EVENTS_NONE, .text = listed);
	/* the outcome has the remedy for buffers that found no room, for
	 * children without files, and for a trace that is not written */
	if (drain.set.lost > drain.set.lost_calls +
			     drain.shortage.orphan_lost &&
	    !drain.shortage.error &&
	    !drain.told && !options.overwrite && !options.fail_on_loss)
		command_warn(COMMAND_FULL_REMEDY);
	outcome_print(&outcome, CAUSE_EVENTS_LOST);
	if (traced && isatty(STDERR_FILENO) &&
	    shell_word(word, sizeof(word), drain.set.path))
		command_warn("taffrail view %s prints them", word);
	record_tell_stray(&options);
	/* members that joiners.c cannot see */
	if (options.program && limits_blind())
		outcome_note(&outcome, RECORD_BLIND);
	outcome_print(&outcome, OUTCOME_ALL);
	program_reap(&program);
	if (program.child && options.seconds > 0 && !program_interrupted())
		command_warn("the time of --for has passed; %s goes on, and "
			     "this command waits for it: Ctrl-C reaches both",
			     options.program[0]);
}

/* Makes DIR, in place of a former one. Signals wait until DIR is made, and is
 * known to be. Returns COMMAND_DONE, or COMMAND_FAILED after printing why. */
static int record_make_output(void)
{
	program_hold();
	if ((options.force && options.output &&
	     former_keep_tree(options.output)) ||
	    drain_open(&drain, &outcome, options.output, options.max_size)) {
		former_return();
		return COMMAND_FAILED;
	}
	program_guard(&drain.set);
	return COMMAND_DONE;
}

/* Begins the recording: in processes, or with a program. Returns COMMAND_DONE,
 * or another exit status after printing why. */
static int record_begin(void)
{
	int status;

	if (options.pids.count)
		status = members_follow(&members, &options);
	else if (claim_open(&claim) ||
		 command_check_reach(claim.dir.path, options.group))
		status = COMMAND_FAILED;
	else
		status = program_run(&program, &options, &claim, &probes,
				     &drain.set, &outcome);
	/* the reason why the trace is incomplete, which is told at the end */
	if (!status && claim.shares)
		drain.missed = drain_add_shared(&drain, &claim.dir, claim.name);
	return status;
}

/* Records until the program or all processes have ended, Ctrl-C, or --for. */
static void record_loop(void)
{
	uint64_t begun_ns = monotonic_ns(), end = UINT64_MAX;
	int ms = POLL_BUSY_MS, most;

	if (options.seconds > 0)
		end = begun_ns + (uint64_t)(options.seconds * 1e9);
	members_watch(&members, program.pid);
	while (!program_interrupted() && monotonic_ns() < end) {
		claim_files(&claim, false);
		members_scan(&members, monotonic_ns());
		ms = drain_poll(&drain, end) ? POLL_BUSY_MS : ms * 2;
		drain_tell_unwritten(&drain);
		if (program_reap(&program))
			members.next_scan_ns = 0;
		if (members_over(&members, program.child))
			break;
		if (record_early(monotonic_ns())) {
			/* as Ctrl-C does, which reaches all of them */
			if (options.program) {
				record_signal(SIGINT);
				program_end(&program);
				record_signal(SIGTERM);
			}
			break;
		}
		most = rest_most(followers_serve(monotonic_ns()), end);
		if (ms > most)
			ms = most;
		members_remove_left(&members, monotonic_ns());
		members_pause(&members, program.child ? program.pidfd : -1, ms);
	}
	members.agentless.early = program.child &&
				  monotonic_ns() - begun_ns < EARLY_NS;
}

/* Collects the rest, and tells how it went. Returns the exit status. */
static int record_end(void)
{
	int status;

	members_stop(&members);
	/* last, as members write there until they have stopped; events that
	 * must stay there keep the files */
	if (drain.shared) {
		drain_finish(&drain, drain.shared, claim.dir.fd);
		members_finish_crowded(&members);
	}
	claim.keeps = claim.shares &&
		      !(drain.shared && drain_collected(&drain, drain.shared));
	/* the libraries are asked before they are unloaded */
	members_each_living(&members, probes_ask, &probes);
	members_each_living(&members, probes_leave, &probes);
	probes_unload(&probes);
	/* names of addresses are read when no process waits any more */
	drain_end(&drain);
	record_tell();
	status = outcome_end(&outcome, program_wait(&program));
	program_tell_killed(&program);
	members_tidy(&members);
	return status;
}

/* The order at the end: the probes need the directory of the drain, the members
 * the name of the claim. */
int record_main(int argc, char **argv)
{
	int status = record_take_arguments(&options, argc, argv);
	bool begun;

	if (status)
		return status < 0 ? COMMAND_DONE : status;
	members_init(&members, &claim, &drain, &probes, &outcome);
	if (functions_consent(options.rules, options.nrules, &(struct named_in){
			options.pids.pids, (size_t)options.pids.count,
			options.program ? options.program[0] : NULL, true },
			      options.yes) ||
	    record_check_probes(&options) || record_make_output())
		return COMMAND_FAILED;
	status = record_begin();
	begun = !status;
	if (begun) {
		record_loop();
		status = record_end();
	}
	probes_close(&probes, drain.set.fd);
	members_close(&members);
	drain_close(&drain);
	claim_close(&claim);
	/* nothing was recorded, so there is no directory */
	if (!begun)
		former_return();
	return status;
}
