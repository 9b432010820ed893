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
#include <unistd.h>

#include "base/words.h"
#include "command/common/command.h"
#include "command/common/limits.h"
#include "command/common/monotonic.h"
#include "command/common/shell.h"
#include "command/record/followers-private.h"
#include "command/record/members-private.h"
#include "command/record/probes-private.h"
#include "command/record/program-private.h"

#define POLL_BUSY_MS	1
#define POLL_IDLE_MS	20

/* The modules of the one recording of a process. */
static struct record_options options;
static struct outcome outcome;
static struct claim claim;
static struct drain drain;
static struct probes probes;
static struct members members;
static struct followers followers;
static struct program program = { .pidfd = -1 };

/* Starts the session in the processes of -p, or runs the program. Returns 0, or
 * an exit status after printing why. */
static int record_begin(void)
{
	if (options.pids.count)
		return members_follow(&members, &options);
	if (claim_open(&claim) ||
	    command_check_reach(claim.dir.path, options.group))
		return COMMAND_FAILED;
	return program_run(&program, &options, &claim, &probes, &drain.set,
			   &outcome);
}

/* Follows the processes until each has ended, or until a signal or --for stops
 * the recording. */
static void record_loop(void)
{
	uint64_t end = options.seconds > 0 ?
		       monotonic_ns() + (uint64_t)(options.seconds * 1e9) :
		       UINT64_MAX;
	int ms = POLL_BUSY_MS;

	members_watch(&members, program.pid);
	while (!program_interrupted() && monotonic_ns() < end) {
		members_scan(&members, monotonic_ns());
		ms = drain_poll(&drain, end) ? POLL_BUSY_MS : ms * 2;
		if (ms > POLL_IDLE_MS)
			ms = POLL_IDLE_MS;
		drain_tell_unwritten(&drain);
		if (program_reap(&program))
			members_scan_now(&members);
		if (members_over(&members, program.child))
			break;
		followers_serve(&followers, &members, options.overwrite,
				monotonic_ns());
		members_remove_left(&members, monotonic_ns());
		members_pause(&members, program.child ? program.pidfd : -1, ms);
	}
}

/* Tells failures, then the summary, then losses that are failures only with
 * --fail-on-loss. */
static void record_tell(void)
{
	char word[PATH_MAX];
	bool some;

	members_note(&members, options.program ? options.program[0] : NULL,
		     program.lacks);
	some = members.agentless.others || members.agentless.filtered;
	if (!members.crowded && (members.n || !options.program))
		rules_note(&drain.rules, &options, &drain.places, some,
			   &outcome);
	outcome_print(&outcome, CAUSE_PROBE_FAILED);
	outcome_take(&outcome, places_tell(&drain.places));
	if (members.n)
		probes_note(&probes, &claim, &drain.rules, some);
	drain_tell_unwritten(&drain);
	drain_note(&drain, claim.name, claim.dir.path, members.crowded,
		   options.fail_on_loss);
	probes_note_missed(&probes);
	outcome_print(&outcome, CAUSE_MARKERS_LEFT_OFF);
	/* this command's own variables were reported at the start */
	command_warn_words(members.words_unknown & ~words_unknown(environ),
			   "a process: ");
	drain_summary(&drain, members_traced(&members),
		      probes_missed(&probes));
	outcome_print(&outcome, CAUSE_EVENTS_LOST);
	if (members_traced(&members) && isatty(STDERR_FILENO) &&
	    shell_word(word, sizeof(word), drain.set.path))
		command_warn("taffrail view %s prints them", word);
	record_tell_stray(&options);
	/* members that joiners.c cannot see */
	if (options.program && limits_blind())
		outcome_note(&outcome, RECORD_BLIND);
	outcome_print(&outcome, OUTCOME_ALL);
}

/* Ends the session everywhere, and completes the traces. The libraries are
 * asked before they are unloaded, and names of addresses are read when no
 * process waits for the recorder any more. */
static void record_end(void)
{
	members_stop(&members);
	members_each_living(&members, probes_ask, &probes);
	members_each_living(&members, probes_leave, &probes);
	probes_unload(&probes);
	drain_end(&drain);
	record_tell();
}

int record_main(int argc, char **argv)
{
	int status = record_take_arguments(&options, argc, argv);

	if (status)
		return status < 0 ? COMMAND_DONE : status;
	claim_init(&claim);
	probes_init(&probes, &options, &outcome);
	members_init(&members, &claim, &drain, &probes, &outcome);
	if (record_check_probes(&options) ||
	    drain_open(&drain, &outcome, options.output, options.max_size))
		return COMMAND_FAILED;
	status = record_begin();
	if (!status) {
		record_loop();
		record_end();
		status = outcome_end(&outcome, program_wait(&program));
		members_tidy(&members);
	}
	probes_close(&probes, drain.set.fd);
	members_close(&members);
	drain_close(&drain);
	claim_close(&claim);
	return status;
}
