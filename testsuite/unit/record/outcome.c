/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The outcome of a recording: which causes are printed when, in which order,
 * and the exit status; lacks of room as causes; how far back buffers reach
 * (command/causes/outcome.c, shortage.c, reach.c).
 */
#include "testsuite/unit/unit.h"

#include <errno.h>

#include "base/tunables.h"
#include "command/common/command.h"
#include "command/record/reach.h"
#include "command/record/shortage.h"
#include "testsuite/unit/command/said.h"

static void check_order(void)
{
	struct outcome outcome = { 0 };
	int status;

	outcome_note(&outcome, EVENTS_LOST, .n = 2);
	outcome_note(&outcome, RULE_UNMET, .subject = "b", .text = "c/d");
	outcome_note(&outcome, BUFFERS_MISSING, .n = 1);
	outcome_note(&outcome, RULE_UNMET, .subject = "a", .text = "c/d");
	said_begin(STDERR_FILENO);
	outcome_print(&outcome, CAUSE_EVENTS_LOST);
	unit_equal_string(said_end(),
		"taffrail: record: no marker matched 'b'; nearest: c/d\n"
		"taffrail: record: no marker matched 'a'; nearest: c/d\n"
		"taffrail: record: 1 process had no room for some buffers; no "
		"event was lost\n", "by number, then as they were noted");
	said_begin(STDERR_FILENO);
	status = outcome_end(&outcome, 7);
	unit_equal_string(said_end(),
		"taffrail: record: 2 events were lost (--fail-on-loss): trace "
		"fewer markers, give a larger --buffer-size, or give "
		"--overwrite, which keeps the newest\n",
		"the rest, each once");
	unit_equal(status, COMMAND_FAILED, "a failure");
}

static void check_status(void)
{
	struct outcome outcome = { 0 };
	const char *said;
	int status;

	unit_equal(outcome_end(&outcome, 7), 7, "nothing went wrong");
	outcome_note(&outcome, BUFFERS_MISSING, .n = 1);
	said_begin(STDERR_FILENO);
	status = outcome_end(&outcome, 7);
	said_end();
	unit_equal(status, 7, "a warning is no failure");
	outcome_take(&outcome, COMMAND_DONE);
	unit_equal(outcome_end(&outcome, 7), 7, "a function that succeeded");
	outcome_take(&outcome, COMMAND_FAILED);
	unit_equal(outcome_end(&outcome, 7), COMMAND_FAILED,
		   "a function that has printed why");
	said_begin(STDERR_FILENO);
	outcome_tell(&outcome, MEMBER_CUT_OFF, .pid = 5);
	said = said_end();
	unit_check(strstr(said, "process 5: another command"), "told at once");
	unit_check(outcome_told(&outcome, CAUSE_MEMBER_CUT_OFF) &&
		   !outcome_told(&outcome, CAUSE_USERS_MANY), "remembered");
	said_begin(STDERR_FILENO);
	status = outcome_end(&outcome, 0);
	unit_equal_string(said_end(), "", "not told again");
	unit_equal(status, COMMAND_FAILED, "and a failure");
}

static void check_sizes(void)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} rows[] = {
		{ 0, "0K" }, { 1, "1K" }, { 1024, "1K" }, { 1025, "2K" },
		{ 260 << 10, "260K" }, { 10239 << 10, "10239K" },
		{ (10239 << 10) + 1, "10M" }, { 10 << 20, "10M" },
		{ (10 << 20) + 1, "11M" }, { 4ull << 40, "4194304M" },
	};
	char text[SHORTAGE_SIZE_BYTES];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		unit_equal_string(shortage_size(text, rows[i].bytes),
				  rows[i].text, "size of %llu bytes",
				  (unsigned long long)rows[i].bytes);
	/* a ring for each CPU, and two spare ones, which are smaller */
	unit_equal((long long)(shortage_needed(2 << 20) -
			       shortage_needed(1 << 20)),
		   (long long)sysconf(_SC_NPROCESSORS_CONF) << 20,
		   "what larger buffers need");
	unit_equal((long long)(shortage_needed(512 << 10) -
			       shortage_needed(256 << 10)),
		   ((long long)sysconf(_SC_NPROCESSORS_CONF) + 2) << 18,
		   "what small ones need");
	unit_equal((long long)shortage_needed(0),
		   (long long)shortage_needed(RING_DEFAULT_MAX_BYTES),
		   "what the default needs");
}

static void shortage_check(const struct shortage *s, uint64_t lost, int want,
			   const char *part, const char *name)
{
	struct outcome outcome = { 0 };
	const char *said;
	int status;

	said_begin(STDERR_FILENO);
	shortage_note(s, "/run/x", lost, &outcome);
	status = outcome_end(&outcome, COMMAND_DONE);
	said = said_end();
	unit_equal(status, want, "%s", name);
	unit_check(*part ? !!strstr(said, part) : !*said, "%s: told", name);
}

static void check_shortage(void)
{
	struct shortage s = { .asked = 1 << 20, .least = 1 << 16 };

	shortage_check(&s, 9, COMMAND_DONE, "", "no shortage");
	s.smaller = 1;
	s.error = ENOSPC;
	s.free = 5000;
	s.files = 1;
	shortage_check(&s, 0, COMMAND_DONE,
		       "1 process had smaller buffers: 64K instead of "
		       "1024K\n",
		       "smaller buffers");
	shortage_check(&s, 0, COMMAND_DONE,
		       "/run/x has 5K and 1 file free now",
		       "a full disk");
	s.smaller = 2;
	shortage_check(&s, 0, COMMAND_DONE,
		       "2 processes had smaller buffers: 64K instead of "
		       "1024K in the worst case\n",
		       "two of them");
	s.roomless = 1;
	shortage_check(&s, 0, COMMAND_DONE,
		       "1 process had no room for some buffers; no event "
		       "was lost\n",
		       "no buffer");
	shortage_check(&s, 1, COMMAND_FAILED,
		       "1 process had no room for some buffers, and "
		       "counted the events as lost\n",
		       "no buffer for events");
	s = (struct shortage){ .pageless = 3, .error = EMFILE };
	shortage_check(&s, 0, COMMAND_FAILED,
		       "3 programs had no room for any file",
		       "no file at all");
	s = (struct shortage){ .orphans = 1, .orphan_error = ENOSYS };
	shortage_check(&s, 0, COMMAND_FAILED,
		       "1 forked process could not make files, and "
		       "counted its events as lost: a seccomp filter",
		       "an orphan");
	s = (struct shortage){ .orphans = 1, .orphan_error = EIO };
	shortage_check(&s, 0, COMMAND_FAILED,
		       "1 forked process could not make files, and "
		       "counted its events as lost: files could not be made "
		       "in ",
		       "an orphan of another errno");
	s = (struct shortage){ .orphans = 1,
			       .orphan_error = CAUSE_SESSION_USER_CHANGED };
	shortage_check(&s, 0, COMMAND_FAILED,
		       "1 forked process could not make files, and "
		       "counted its events as lost: it may make no files in ",
		       "an orphan of another user");
	s.orphan_error = EACCES;
	shortage_check(&s, 0, COMMAND_FAILED,
		       "1 forked process could not make files, and "
		       "counted its events as lost: files could not be made "
		       "in ",
		       "an orphan in a directory that takes no files");
	/* is there a remedy for the other losses? */
	s = (struct shortage){ .orphan_lost = 4 };
	unit_check(shortage_spares(&s, 5) && !shortage_spares(&s, 4),
		   "losses beside those of orphans");
	shortage_programs(&s, 0, true, EFBIG, -1);
	unit_check(s.error == EFBIG && s.uncounted && !s.pageless &&
		   !shortage_spares(&s, 5), "a limit of files");
}

static void check_taken_pages(void)
{
	static struct session_page page;
	struct shortage s = { 0 };

	page.ring_bytes = page.asked_bytes = 1 << 20;
	shortage_take(&s, &page, -1);
	unit_check(!s.smaller && !s.roomless && !s.asked, "a page with all");
	page.ring_bytes = 1 << 18;
	page.small_error = ENOSPC;
	shortage_take(&s, &page, -1);
	page.ring_bytes = 1 << 19;
	shortage_take(&s, &page, -1);
	unit_check(s.smaller == 2 && s.least == 1 << 18 &&
		   s.asked == 1 << 20 && s.error == ENOSPC,
		   "two pages with less");
	page.roomless = EDQUOT;
	page.orphans = 2;
	page.orphan_error = EACCES;
	page.orphan_cause = CAUSE_SESSION_ROOT_CHANGED;
	shortage_take(&s, &page, -1);
	unit_check(s.roomless == 1 && s.smaller == 2 && s.error == EDQUOT &&
		   s.orphans == 2 &&
		   s.orphan_error == CAUSE_SESSION_ROOT_CHANGED,
		   "a page without room");
}

/* Rings of CPU 3: the first was replaced by a larger one, 1027, and this by
 * 2051, which has no event yet. */
static void check_replaced(const struct process_page *page)
{
	struct session_page session = { .keep_ns = 10000000000,
					.removals = 1 };
	struct ring_reach none = { .whole = true, .none = true,
				   .begin = 8000001000 };
	struct ring_reach second = { .begin = 6000001000, .end = 7000001000,
				     .whole = true };
	struct ring_reach first = { .begin = 2000001000, .end = 5000001000 };
	struct reach reach = { 0 }, removed = { 0 }, unmade = { 0 };
	char text[REACH_TEXT_BYTES];

	reach_add(&reach, 7, "2051", &none);
	reach_add(&reach, 7, "3", &first);
	reach_add(&reach, 7, "1027", &second);
	reach_settle(&reach, 0, page, &session, false);
	unit_equal(reach.count, 1, "replaced rings are one buffer");
	reach_text(&reach, text);
	unit_equal_string(text, "5.00 s (CPU 3), from the last event, less than "
			  "the 10.0 s of --keep: events came faster than the "
			  "buffers could be enlarged: give a larger "
			  "--buffer-size to begin with", "replaced rings: text");
	session.keep_error = EDQUOT;
	session.removed[1].end = 1;
	reach_add(&removed, 7, "2051", &none);
	reach_add(&removed, 7, "3", &first);
	reach_add(&removed, 7, "1027", &second);
	reach_settle(&removed, 0, page, &session, false);
	unit_check(!removed.rows[0].clock.whole, "a ring was removed");
	unit_equal(removed.rows[0].ns, 1000000000, "a removed ring: time");
	reach_text(&removed, text);
	unit_check(strstr(text, "--keep: a quota ("), "a quota: text");
	session.removals = 2;
	session.keep_ns = 1000000000;
	reach_add(&unmade, 7, "2051", &none);
	reach_add(&unmade, 7, "1027", &second);
	reach_add(&unmade, 7, "99999999", &first);
	reach_settle(&unmade, 0, page, &session, false);
	unit_check(unmade.rows[0].clock.whole, "a ring that was never made");
	reach_text(&unmade, text);
	unit_check(!strstr(text, "--keep"), "enough: text");
	reach_free(&reach);
	reach_free(&removed);
	reach_free(&unmade);
}

/* Buffers of one process whose clock counts nanoseconds, and of a second one.
 */
static void check_reach(void)
{
	struct process_page page = { .clock_kind = CLOCK_KIND_MONOTONIC,
				     .clock_hz = 1000000000,
				     .start = { 1000, 1000, 5000000, 1 } };
	struct session_page session = { 0 };
	struct ring_reach busy = { .begin = 4000001000, .end = 9000001000 };
	struct ring_reach idle = { .begin = 1000, .end = 7000001000,
				   .whole = true };
	struct ring_reach odd = { .begin = 9000002000, .end = 4 };
	struct reach reach = { 0 }, other = { 0 };
	char text[REACH_TEXT_BYTES];

	unit_check(!reach_text(&reach, text) && !*text, "no buffer");
	check_replaced(&page);
	reach_add(&reach, 7, "3", &idle);
	reach_settle(&reach, 0, &page, &session, false);
	unit_check(!reach_text(&reach, text), "a whole buffer");
	unit_equal_string(text, "7.00 s, to the start, from the last event",
			  "a whole buffer: text");
	reach_add(&reach, 7, "0", &busy);
	reach_settle(&reach, 0, &page, &session, false);
	unit_check(reach_text(&reach, text), "a busy one, too");
	unit_equal_string(text, "5.00 s (CPU 0) to 9.00 s (CPU 3), from the "
			  "last event", "a busy one: text");
	unit_check(reach.rows[1].since_ns == 4005000000, "since");
	reach_add(&other, 8, "L1", &odd);
	reach_settle(&other, 0, &page, &session, false);
	reach_join(&reach, &other);
	reach_text(&reach, text);
	unit_equal_string(text, "0 ns (buffer L1 of process 8) to 9.00 s (CPU "
			  "3 of process 7), from the last event",
			  "two processes, one with impossible times");
	page.clock_hz = 1;
	busy.begin = 0;
	busy.end = UINT64_MAX;
	reach_add(&reach, 9, "1", &busy);
	reach_settle(&reach, 3, &page, &session, false);
	unit_check(reach.rows[3].ns == INT64_MAX, "times are bounded");
	page.clock_kind = CLOCK_KIND_ATOMIC;
	reach_settle(&reach, 1, &page, &session, false);
	unit_equal(reach.count, 1, "a counter is no time");
	reach_free(&reach);
	reach_free(&other);
}

int main(void)
{
	command_name("record");
	check_reach();
	check_order();
	check_status();
	check_sizes();
	check_shortage();
	check_taken_pages();
	return unit_end();
}
