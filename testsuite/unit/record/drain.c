/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From rings in files to a directory of traces, and the causes of what is not
 * there (command/record/drain.c); which rules have met a marker (rules.c).
 */
#include "testsuite/unit/unit.h"

#include <errno.h>

#include "command/record/drain.h"
#include "testsuite/unit/command/made.h"
#include "testsuite/unit/command/said.h"
#include "testsuite/unit/rings.h"

#define SUB	4096u
#define NSUB	8u

static const char number_text[] = "app\0number\0n\0app.c";
static const char text_text[] = "app\0text\0s\0app.c";
static const uint8_t number_types[] = { TAFFRAIL_T_U64, 0 };
static const uint8_t text_types[] = { TAFFRAIL_T_STRING, 0 };

/* A process with two markers and a ring, and the drain of its recording. */
struct bed {
	struct fake fake;
	struct fake_ring ring;
	struct rundir_process process;
	struct outcome outcome;
	struct drain drain;
	struct consumer *image;
};

/* `faults` is what the agent says of rules. */
static void bed_open(struct bed *bed, const char *name, const char *faults)
{
	memset(bed, 0, sizeof(*bed));
	fake_open(&bed->fake, SESSION_CONSUMED, 0);
	strcpy(bed->fake.session->faults, faults);
	bed->fake.session->fault_bytes = (uint32_t)strlen(faults);
	fake_event(&bed->fake, 1, TAFFRAIL_KIND_EVENT, number_text,
		   sizeof(number_text), number_types);
	fake_event(&bed->fake, 2, TAFFRAIL_KIND_EVENT, text_text,
		   sizeof(text_text), text_types);
	fake_ring_open(&bed->ring, &bed->fake, "0", 0, SUB, NSUB, 0);
	bed->process = (struct rundir_process){
		.fd = bed->fake.fd, .pid = 4242, .alive = true,
	};
	unit_equal(drain_open(&bed->drain, &bed->outcome, made_path(name), 0),
		   COMMAND_DONE, "%s: directory", name);
	unit_equal(drain_add(&bed->drain, &bed->image, &bed->process, 0,
			     "none"), -ENOENT, "%s: no such session", name);
	unit_equal(drain_add(&bed->drain, &bed->image, &bed->process, 0,
			     "test"), 0, "%s: session", name);
	unit_equal(bed->drain.nopen, 1, "%s: one image", name);
	unit_equal(drain_scan(&bed->drain), 0, "%s: rings", name);
}

static void numbers_write(struct bed *bed, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		fake_write(&bed->ring, 1, 100, &i, sizeof(i));
}

/* Ends the recording. Returns the exit status, and what is told. */
static int bed_end(struct bed *bed, const char **said)
{
	int status;

	said_begin(STDERR_FILENO);
	drain_finish(&bed->drain, bed->image, bed->fake.fd);
	drain_end(&bed->drain);
	drain_note(&bed->drain, "record-1", "/run/x", 0, false);
	status = outcome_end(&bed->outcome, COMMAND_DONE);
	*said = said_end();
	return status;
}

static void bed_close(struct bed *bed)
{
	drain_close(&bed->drain);
	fake_ring_close(&bed->ring);
	fake_close(&bed->fake);
}

static void check_whole(void)
{
	static struct bed bed;
	const char *said;

	bed_open(&bed, "whole", "");
	unit_check(!drain_poll(&bed.drain, UINT64_MAX), "nothing yet");
	numbers_write(&bed, 1000);
	unit_check(!drain_poll(&bed.drain, 1), "not after its end");
	unit_check(drain_poll(&bed.drain, UINT64_MAX), "events");
	numbers_write(&bed, 10);
	unit_equal(bed_end(&bed, &said), COMMAND_DONE, "whole: status");
	unit_equal_string(said, "", "whole: nothing to tell");
	unit_equal((long long)bed.drain.set.kept, 1010, "whole: kept");
	unit_equal((long long)bed.drain.set.lost, 0, "whole: lost");
	unit_equal(bed.drain.nopen, 0, "whole: no image is left");
	unit_check(drain_collected(&bed.drain, bed.image), "whole: collected");
	said_begin(STDERR_FILENO);
	drain_summary(&bed.drain, 1, 0, false);
	unit_check(strstr(said_end(), "1010 events (0 lost, "),
		   "whole: summary");
	bed_close(&bed);
}

/* A ring overflows; a second one makes no sense; children lose events when the
 * image is finished already. */
static void check_lacks(void)
{
	static struct bed bed;
	struct fake_ring other;
	const char *said;
	uint64_t lost;

	bed_open(&bed, "lacks", "");
	numbers_write(&bed, 10000);
	lost = bed.ring.ring->lost;
	unit_check(lost, "lacks: an overflow");
	fake_ring_open(&other, &bed.fake, "1", 1, SUB, NSUB, 0);
	other.ring->sub_bytes = 3;
	said_begin(STDERR_FILENO);
	drain_finish(&bed.drain, bed.image, bed.fake.fd);
	said_end();
	unit_check(!drain_collected(&bed.drain, bed.image),
		   "lacks: files must stay");
	bed.fake.session->lost_unplaced = 5;
	bed.fake.session->orphans = 2;
	bed.fake.session->orphan_error = ENOSYS;
	unit_equal(bed_end(&bed, &said), COMMAND_FAILED, "lacks: status");
	unit_equal_string(said,
		"taffrail: record: 2 forked processes could not make files, "
		"and counted their events as lost: a seccomp filter of its "
		"parent forbids it to make a thread: fork before the filter "
		"is installed\n"
		"taffrail: record: 1 buffer held invalid data and was left "
		"out\n", "lacks: causes");
	unit_equal((long long)bed.drain.set.lost, (long long)lost + 5,
		   "lacks: lost");
	fake_ring_close(&other);
	bed_close(&bed);
}

/* The disk fails: it is told once, and is no failure of the recorder's. */
static void check_unwritten(void)
{
	static struct bed bed;
	const char *said;

	bed_open(&bed, "unwritten", "");
	said_begin(STDERR_FILENO);
	drain_tell_unwritten(&bed.drain);
	unit_equal_string(said_end(), "", "unwritten: not yet");
	bed.drain.set.error = -ENOSPC;
	said_begin(STDERR_FILENO);
	drain_tell_unwritten(&bed.drain);
	drain_tell_unwritten(&bed.drain);
	said = said_end();
	unit_check(strstr(said, "events are lost until there is room") &&
		   strchr(said, '\n')[1] == '\0', "unwritten: told once");
	unit_equal(bed_end(&bed, &said), COMMAND_FAILED, "unwritten: status");
	unit_equal_string(said, "", "unwritten: not told again");
	bed_close(&bed);
}

static void check_missed(void)
{
	static struct bed bed;
	const char *said;

	bed_open(&bed, "missed", "");
	bed.drain.missed = -EMFILE;
	unit_equal(bed_end(&bed, &said), COMMAND_FAILED, "missed: status");
	unit_check(strstr(said, "the trace is incomplete: ") &&
		   strstr(said, "taffrail snapshot record-1 -o DIR"),
		   "missed: the way to the rest");
	bed_close(&bed);
}

static void check_rules(void)
{
	static struct bed bed;
	struct record_options o = {
		.rules = { "app/number", "app/numbers", "app/text if n > 1" },
		.nrules = 3,
	};
	const struct rules *rules = &bed.drain.rules;
	struct outcome outcome = { 0 };
	const char *said;
	int status;

	bed_open(&bed, "rules", "app/text\tcondition 'n > 1', column 1: there "
		 "is no field 'n'\n");
	bed_end(&bed, &said);
	unit_check(rules_met(rules, "app/number") && rules_met(rules, "*/text"),
		   "rules that select");
	unit_check(!rules_met(rules, "app/numbers") && !rules_met(rules, "x"),
		   "rules that do not");
	unit_check(rules_met(rules, "app/number if n > 1") &&
		   !rules_met(rules, "app/text if n > 1"),
		   "rules with a condition");
	said_begin(STDERR_FILENO);
	rules_note(rules, &o, &bed.drain.places, false, &outcome);
	status = outcome_end(&outcome, COMMAND_DONE);
	unit_equal_string(said_end(),
		"taffrail: record: process 4242: condition 'n > 1', column 1: "
		"there is no field 'n'\n"
		"taffrail: record: no process has a marker that 'app/numbers' "
		"names: 'taffrail list FILE' shows a program's\n",
		"what is told of rules");
	unit_equal(status, COMMAND_FAILED, "a rule that selects nothing");
	o.nrules = 1;
	rules_note(rules, &o, &bed.drain.places, false, &outcome);
	unit_equal(outcome_end(&outcome, COMMAND_DONE), COMMAND_DONE,
		   "a rule that selects");
	bed_close(&bed);
}

/* While the recording runs: rules that nothing has met so far. */
static void check_early(void)
{
	static struct bed bed;
	struct record_options o = {
		.rules = { "app/number", "app/text if n > 1", "app/numbers" },
		.nrules = 1,
	};
	const char *said;

	bed_open(&bed, "early", "app/text\tcondition 'n > 1', column 1: there "
		 "is no field 'n'\n");
	said_begin(STDERR_FILENO);
	unit_check(!drain_tell_early(&bed.drain, &o, 0, 1) &&
		   !drain_tell_early(&bed.drain, &o, 0, DRAIN_EARLY_NS + 1),
		   "early: a rule that selects");
	unit_equal_string(said_end(), "", "early: nothing to tell");
	o.nrules = 3;
	bed.drain.early_ns = 0;
	said_begin(STDERR_FILENO);
	unit_check(!drain_tell_early(&bed.drain, &o, 0, 1) &&
		   !drain_tell_early(&bed.drain, &o, 0, DRAIN_EARLY_NS),
		   "early: an agent may not have begun");
	unit_equal_string(said_end(), "", "early: so nothing is told");
	said_begin(STDERR_FILENO);
	unit_check(drain_tell_early(&bed.drain, &o, 0, DRAIN_EARLY_NS + 1) &&
		   !drain_tell_early(&bed.drain, &o, 0, DRAIN_EARLY_NS + 2),
		   "early: rules that do not are told, a single time");
	said = said_end();
	unit_check(strstr(said, "process 4242, so far: condition 'n > 1', "
			  "column 1: ") &&
		   strstr(said, "no marker of the modules so far matches "
			  "'app/numbers'") && !strstr(said, "app/number'"),
		   "early: each once, with the reason");
	bed.drain.early_ns = 0;
	said_begin(STDERR_FILENO);
	unit_check(!drain_tell_early(&bed.drain, &o, -EMFILE, 1) &&
		   !drain_tell_early(&bed.drain, &o, -EMFILE,
				     DRAIN_EARLY_NS + 1),
		   "early: a process that was not read may have the marker");
	unit_equal_string(said_end(), "", "early: nothing of it is told");
	unit_check(drain_whole(&bed.drain), "early: nothing is missing");
	bed_end(&bed, &said);
	bed_close(&bed);
}

static void check_reports(void)
{
	static struct trace_set set;
	struct outcome outcome = { 0 };
	int status;

	said_begin(STDERR_FILENO);
	set.lost = 2;
	drain_note_set(&set, 0, false, &outcome);
	set.lost = 0;
	drain_note_set(&set, 0, true, &outcome);
	status = outcome_end(&outcome, COMMAND_DONE);
	unit_equal_string(said_end(), "", "nothing to tell");
	unit_equal(status, COMMAND_DONE, "nothing to tell: status");
	set.left_off = 1;
	said_begin(STDERR_FILENO);
	drain_note_set(&set, 0, false, &outcome);
	status = outcome_end(&outcome, COMMAND_DONE);
	unit_equal_string(said_end(),
		"taffrail: record: 1 marker was not enabled: no room for its "
		"description: name fewer in a session\n", "one left off");
	unit_equal(status, COMMAND_FAILED, "one left off: status");
	set.lost = 2;
	set.spoilt = 1;
	strcpy(set.path, "out");
	strcpy(set.spoilt_name, "x/stream_0");
	set.cut = 1;
	set.gone_rings = 2;
	set.gone_pid = 7;
	said_begin(STDERR_FILENO);
	drain_note_set(&set, 4, true, &outcome);
	status = outcome_end(&outcome, COMMAND_DONE);
	unit_equal_string(said_end(),
		"taffrail: record: 1 buffer was cut short by another program: "
		"the events there are missing, and not counted as lost\n"
		"taffrail: record: the files of 2 buffers are missing or cut "
		"short (process 7): their events are missing, and not counted "
		"as lost; the other files were kept\n"
		"taffrail: record: 1 buffer held invalid data and was left "
		"out\n"
		"taffrail: record: out/x/stream_0: another program removed or "
		"cut this file meanwhile; what was in it is lost (1 such "
		"file)\n"
		"taffrail: record: 1 marker was not enabled: no room for its "
		"description: name fewer in a session\n"
		"taffrail: record: 2 events were lost (--fail-on-loss): trace "
		"fewer markers, give a larger --buffer-size, or give "
		"--overwrite, which keeps the newest\n",
		"all lacks");
	unit_equal(status, COMMAND_FAILED, "losses are a failure");
}

int main(void)
{
	made_open();
	command_name("record");
	check_whole();
	check_lacks();
	check_unwritten();
	check_missed();
	check_rules();
	check_early();
	check_reports();
	made_close();
	return unit_end();
}
