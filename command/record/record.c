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
#include <unistd.h>

#include "base/base.h"
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

#define POLL_BUSY_MS	1

/* The modules of the one recording of a process. Only the main thread uses
 * them, and no signal handler. */
static struct record_options options;
static struct outcome outcome;
static struct claim claim = CLAIM_NONE;
static struct drain drain;
static struct probes probes = PROBES_NONE(&options, &outcome);
static struct members members;
static struct program program = PROGRAM_NONE;

/* Returns true when the recording must end, as --strict is given, and a rule is
 * told to match nothing. */
static bool record_strict(void)
{
	if (!members_any(&members) ||
	    !drain_tell_early(&drain, &options, members_crowded(&members),
			      monotonic_ns()) || !options.strict)
		return false;
	outcome_tell(&outcome, STRICT_ENDED);
	return true;
}

/* Ends the program and the other processes as Ctrl-C does, which reaches all of
 * them. */
static void record_interrupt(void)
{
	const pid_t child = program_child(&program);

	members_signal(&members, child, SIGINT);
	program_end(&program);
	members_signal(&members, child, SIGTERM);
}

/* Tells failures, then the summary, then losses that are failures only with
 * --fail-on-loss. `early`: see members_note(). */
static void record_tell(bool early)
{
	const struct trace_set *set = drain_set(&drain);
	char word[PATH_MAX], listed[CAUSE_TEXT_BYTES] = "";
	const bool any = members_any(&members);
	const int crowded = members_crowded(&members);
	size_t traced;
	bool some;

	some = members_note(&members,
			    options.program ? options.program[0] : NULL,
			    program_lacks(&program), early);
	drain_tell_rules(&drain, &options,
			 !crowded && (any || !options.program), some);
	outcome_take(&outcome, options.less ? COMMAND_FAILED : COMMAND_DONE);
	if (any)
		probes_note(&probes, &claim, drain_rules(&drain), some);
	drain_tell_unwritten(&drain);
	drain_note(&drain, claim_name(&claim), claim_dir(&claim)->path, crowded,
		   options.fail_on_loss);
	probes_note_missed(&probes);
	outcome_print(&outcome, CAUSE_MARKERS_LEFT_OFF);
	outcome_print(&outcome, CAUSE_CALLS_LOST);
	members_tell_words(&members);
	traced = drain_processes(&drain, members_traced(&members));
	drain_summary(&drain, traced, probes_missed(&probes),
		      !options.overwrite && !options.fail_on_loss);
	for (int i = 0; i < options.nrules; i++)
		rule_list(listed, sizeof(listed), options.rules[i]);
	if (options.fail_if_none && !set->kept)
		outcome_note(&outcome, EVENTS_NONE, .text = listed);
	outcome_print(&outcome, CAUSE_EVENTS_LOST);
	if (traced && isatty(STDERR_FILENO) &&
	    shell_word(word, sizeof(word), set->path))
		command_warn("taffrail view %s prints them", word);
	record_tell_stray(&options);
	/* members that joiners.c cannot see */
	if (options.program && limits_blind())
		outcome_note(&outcome, RECORD_BLIND);
	outcome_print(&outcome, OUTCOME_ALL);
	program_reap(&program);
	program_tell_left(&program, &options);
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
	program_guard(drain_set(&drain));
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
		 command_check_reach(claim_dir(&claim)->path, options.group))
		status = COMMAND_FAILED;
	else
		status = program_run(&program, &options, &claim, &probes,
				     drain_set(&drain), &outcome);
	if (!status && claim_shares(&claim))
		drain_add_shared(&drain, claim_dir(&claim), claim_name(&claim));
	return status;
}

/* Records until the program or all processes have ended, Ctrl-C, or --for.
 * Returns true if the program still runs, but not long enough for rules to be
 * told of. */
static bool record_loop(void)
{
	uint64_t begun_ns = monotonic_ns(), end = UINT64_MAX;
	int ms = POLL_BUSY_MS, most;

	if (options.seconds > 0)
		end = begun_ns + (uint64_t)(options.seconds * 1e9);
	members_watch(&members, program_child(&program));
	while (!program_interrupted() && monotonic_ns() < end) {
		claim_files(&claim, false);
		members_scan(&members, monotonic_ns());
		ms = drain_poll(&drain, end) ? POLL_BUSY_MS : ms * 2;
		drain_tell_unwritten(&drain);
		if (program_reap(&program))
			members_hurry(&members, true);
		if (members_over(&members, program_child(&program)))
			break;
		if (record_strict()) {
			if (options.program)
				record_interrupt();
			break;
		}
		most = members_rest(&members, program_pidfd(&program),
				    followers_serve(&members, &drain,
						    options.overwrite,
						    monotonic_ns()), end);
		if (ms > most)
			ms = most;
		members_remove_left(&members, monotonic_ns());
		members_pause(&members, program_pidfd(&program), ms);
	}
	return program_child(&program) &&
	       monotonic_ns() - begun_ns < DRAIN_EARLY_NS;
}

/* Collects the rest, and tells how it went; `early` is of record_loop().
 * Returns the exit status. */
static int record_end(bool early)
{
	struct consumer *shared = drain_shared(&drain);
	int status;

	members_stop(&members);
	/* last, as members write there until they have stopped; events that
	 * must stay there keep the files */
	if (shared) {
		drain_finish(&drain, shared, claim_dir(&claim)->fd);
		members_finish_crowded(&members);
	}
	if (claim_shares(&claim) &&
	    !(shared && drain_collected(&drain, shared)))
		claim_keep(&claim);
	/* the libraries are asked before they are unloaded */
	members_each_living(&members, probes_ask, &probes);
	members_each_living(&members, probes_leave, &probes);
	probes_unload(&probes);
	/* names of addresses are read when no process waits any more */
	drain_end(&drain);
	record_tell(early);
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
			.pids = options.pids.pids,
			.npids = (size_t)options.pids.count,
			.program = options.program ? options.program[0] : NULL,
			.arguments = options.program ? options.program + 1 :
						       NULL,
			.given = true }, options.yes) ||
	    record_check_probes(&options) || record_make_output())
		return COMMAND_FAILED;
	status = record_begin();
	begun = !status;
	if (begun)
		status = record_end(record_loop());
	probes_close(&probes, drain_set(&drain)->fd);
	members_close(&members);
	drain_close(&drain);
	claim_close(&claim);
	/* nothing was recorded, so there is no directory */
	if (!begun)
		former_return();
	return status;
}
