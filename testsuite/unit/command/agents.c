/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the command knows of processes (command/agents/): lines of requests
 * and answers, places that are not switched, faults that agents note, rules of
 * the programs that a process executes.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>

#include "command/agents/client.h"
#include "command/agents/elsewhere.h"
#include "command/agents/faults.h"
#include "command/agents/handed.h"
#include "command/agents/places.h"
#include "command/agents/rule.h"
#include "command/agents/targets.h"
#include "command/common/command.h"
#include "testsuite/unit/command/made.h"
#include "testsuite/unit/command/said.h"
#include "testsuite/unit/rings.h"
#include "tracepoints/usdt/plan/plan.h"

static void check_requests(void)
{
	struct client_request request = { 0 };

	client_request_add(&request, "name", "%s", "rec");
	client_request_add(&request, "size", "%llu", 1ull << 40);
	client_request_add(&request, "empty", "%s", "");
	client_request_add(&request, "equal", "a=b");
	unit_equal_string(request.text,
			  "name=rec\nsize=1099511627776\nempty=\nequal=a=b\n",
			  "request");
	unit_equal((long long)request.bytes, 45, "request: bytes");
	client_request_add(&request, "rule", "%s", "a\nall=1");
	unit_equal(request.failed, -EINVAL, "a value of two lines");
	client_request_add(&request, "more", "1");
	unit_equal((long long)request.bytes, 45, "nothing follows it");
	client_request_release(&request);
	unit_check(!request.text && !request.failed, "released");
}

static void check_answers(void)
{
	static const char text[] =
		"lost=7\nno equals\nrule=a=b\nempty=\n\nhex=0x10\nlost=8\n"
		"big=18446744073709551615\nlast=end";
	struct client_answer answer = { strdup(text), sizeof(text) - 1 };
	char told[256] = "";
	const char *key, *value;
	size_t position = 0;

	unit_equal((long long)client_answer_number(&answer, "lost"), 7,
		   "first number");
	unit_equal((long long)client_answer_number(&answer, "hex"), 16,
		   "number of base 16");
	unit_check(client_answer_number(&answer, "big") == UINT64_MAX,
		   "largest number");
	unit_equal((long long)client_answer_number(&answer, "los"), 0,
		   "number of the beginning of a key");
	unit_equal((long long)client_answer_number(&answer, "none"), 0,
		   "number of no key");
	while (client_answer_next(&answer, &position, &key, &value))
		sprintf(told + strlen(told), "%s:%s ", key, value);
	unit_equal_string(told, "lost:7 rule:a=b empty: hex:0x10 lost:8 "
			  "big:18446744073709551615 last:end ", "answer");
	unit_check(!client_answer_next(&answer, &position, &key, &value),
		   "behind the end");
	client_answer_release(&answer);
	unit_equal((long long)client_answer_number(&answer, "lost"), 0,
		   "number of no answer");
}

static void check_rules(void)
{
	static const char forms[] = "; a line is FILE.c:LINE or FUNCTION:+LINES, "
				    "a function fn:NAME";
	static const struct {
		const char *rule, *nearest, *hint;
	} hints[] = {
		{ "a/b", "", "" }, { "a*", "", "" }, { "a", "a/b", "" },
		{ "a/b2", "", "" }, { "a", "", forms },
		{ "sell/36", "a/b", forms }, { "sell:2(n)", "a/b", forms },
		{ "shop.c/sell", "a/b", forms }, { "shop.c", "a/b", forms },
		{ "fn/sell", "a/b", forms },
	};
	static const struct {
		const char *rule, *id;
		bool matches;
		const char *file;
	} rows[] = {
		{ "app/*", "app/request", true },
		{ "app/*", "apps/request", false },
		{ "app/x if n > 3", "app/x", true },
		{ "app/x if n > 3", "app/x if n > 3", false },
		{ "libc/malloc(str)", "libc/malloc", true },
		{ "*", "", true },
		{ "", "a", false },
		{ "fn:f", "fn/f", true, "prog/a.c" },
		{ "fn:prog/f", "fn/f", true, "prog/a.c" },
		{ "fn:prog/f", "fn/f", true, "prog" },
		{ "fn:prg/f", "fn/f", false, "prog/a.c" },
		{ "fn:prg/f", "fn/f", true, "" },
		{ "fn:prg/f", "fn/f", true },
		{ "fn:f", "fn/f", false, "libc.so.6" },
		{ "fn:libc/f", "fn/f", true, "libc.so.6" },
		{ "fn:prog/f if x", "fn/f%return", true, "prog" },
		{ "prog/f", "fn/f", false, "prog" },
	};
	char rule[RULE_BYTES_MAX + RULE_CONDITION_MAX + 16];
	const char *why;
	size_t n;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		unit_equal(rule_matches(rows[i].rule, rows[i].id,
					rows[i].file),
			   rows[i].matches, "rule '%s' and '%s' of %s",
			   rows[i].rule, rows[i].id, rows[i].file ?: "any");
	memset(rule, 'a', sizeof(rule));
	rule[RULE_BYTES_MAX] = '\0';
	unit_equal(rule_check(rule, &why), 0, "the longest glob");
	unit_check(rule_matches(rule, rule, NULL), "the longest glob matches");
	rule[RULE_BYTES_MAX] = 'a';
	rule[RULE_BYTES_MAX + 1] = '\0';
	unit_equal(rule_check(rule, &why), -EINVAL, "a longer glob");
	unit_equal_string(why, "it is too long", "a longer glob: why");
	unit_check(!rule_matches(rule, rule, NULL),
		   "a longer glob matches nothing");
	n = (size_t)sprintf(rule, "a if s == \"");
	memset(rule + n, 'x', RULE_CONDITION_MAX - 7);
	strcpy(rule + n + RULE_CONDITION_MAX - 7, "\"");
	rule_check(rule, &why);
	unit_check(!why || strcmp(why, "its condition is too long"),
		   "the longest condition");
	strcpy(rule + n + RULE_CONDITION_MAX - 7, "x\"");
	unit_equal(rule_check(rule, &why), -EINVAL, "a longer condition");
	unit_equal_string(why, "its condition is too long",
			  "a longer condition: why");
	unit_equal_string(rule_hint("a,b", ""), "; rules in a list: give each its "
			  "own -e", "a list of rules");
	unit_equal_string(rule_hint("a if f(1,2)", "a"), "", "a comma behind 'if'");
	for (size_t i = 0; i < ARRAY_SIZE(hints); i++)
		unit_equal_string(rule_hint(hints[i].rule, hints[i].nearest),
				  hints[i].hint, hints[i].rule);
}

static void check_names(void)
{
	int status;

	command_name("start");
	said_begin(STDERR_FILENO);
	status = targets_check_name("a b");
	unit_equal_string(said_end(), "taffrail: start: 'a b' is not a "
			  "session's name: give up to 63 letters, digits, "
			  "'.', '_', '-'\nTry 'taffrail start --help'.\n",
			  "no session's name");
	unit_equal(status, COMMAND_USAGE, "no session's name: status");
	unit_equal(targets_check_name("a-b"), COMMAND_DONE,
		   "a session's name");
}

static void set_untaken(struct session_page *page, const char *text,
			uint32_t more)
{
	page->untaken_bytes = (uint32_t)strlen(text);
	page->untaken_more = more;
	strcpy(page->untaken, text);
}

/* Writes the list: "id@address/in_file:why of pid; ...". */
static const char *listed(const struct places *places)
{
	static char text[1024];
	size_t n = 0;

	*text = '\0';
	for (size_t i = 0; i < places->count; i++) {
		const struct place *p = &places->places[i];

		n += (size_t)sprintf(text + n, "%s@%llx/%llx:%d of %d; ",
				     p->id, (unsigned long long)p->address,
				     (unsigned long long)p->in_file, p->why,
				     p->pid);
	}
	return text;
}

static void check_places(void)
{
	static struct session_page page;
	struct places places = { 0 }, ended = { .ended = true };

	set_untaken(&page, "app/a\t7f001000\t1000\t6\n"
		    "app/b\t7f002000\t2000\t-116\n", 2);
	places_take(&places, 7, &page, NULL);
	unit_equal_string(listed(&places), "app/a@7f001000/1000:6 of 7; "
			  "app/b@7f002000/2000:-116 of 7; ", "places");
	unit_equal((long long)places.more, 2, "places: more");
	places_take(&places, 8, &page, "app/a");
	unit_equal_string(listed(&places), "app/a@7f001000/1000:6 of 7; "
			  "app/b@7f002000/2000:-116 of 7; "
			  "app/a@7f001000/1000:6 of 8; ",
			  "places of another process, by a rule");
	unit_check(places_named(&places, "app/b if n"), "a rule names one");
	unit_check(!places_named(&places, "app/c*"), "a rule names none");
	places_free(&places);
	places_take(&ended, 7, &page, NULL);
	places_take(&ended, 8, &page, NULL);
	unit_equal_string(listed(&ended), "app/a@7f001000/1000:6 of 7; "
			  "app/b@7f002000/2000:-116 of 7; ",
			  "one place of two ended processes");
	places_free(&ended);
	set_untaken(&page, "app/a\t1000\t1000\t6\napp/a\t1000\t1000\t0\n", 0);
	places_take(&places, 7, &page, NULL);
	unit_equal_string(listed(&places), "", "a place switched later");
	places_take(&ended, 7, &page, NULL);
	unit_equal_string(listed(&ended), "app/a@1000/1000:6 of 7; ",
			  "a place switched later, in an ended process");
	places_free(&ended);
	places_free(&places);
}

/* Lines that make no sense are left out. */
static void check_damaged(void)
{
	static const char *const lines[] = {
		"app/a\t1000\t1000\n", "app/a 1000 1000 6\n", "\t1\t1\t6\n",
		"app/a\t1000\t1000\t6x\n", "app/a\tx\t1000\t6\n",
		"app/a\t1000\t1000\t6", "\n\n", "app/a\n",
	};
	static struct session_page page;
	struct places places = { 0 };
	char line[sizeof(places.places->id) + 32];

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		set_untaken(&page, lines[i], 0);
		places_take(&places, 7, &page, NULL);
		unit_equal_string(listed(&places), "", "damaged line %zu", i);
	}
	memset(line, 'a', sizeof(line));
	strcpy(line + sizeof(places.places->id) - 1, "\t1\t1\t6\n");
	set_untaken(&page, line, 0);
	places_take(&places, 7, &page, NULL);
	unit_equal((long long)places.count, 1, "the longest id");
	places_free(&places);
	strcpy(line + sizeof(places.places->id) - 1, "a\t1\t1\t6\n");
	set_untaken(&page, line, 0);
	places_take(&places, 7, &page, NULL);
	unit_equal((long long)places.count, 0, "a longer id");
	set_untaken(&page, "fn/a\t1\t1\t6\tlibone.so.1|one\n", 0);
	places_take(&places, 7, &page, NULL);
	unit_equal(places_named(&places, "fn:libone/a"), true, "its module");
	unit_equal(places_named(&places, "fn:libtwo/a"), false, "another one");
	places_free(&places);
	set_untaken(&page, "app/a\t1\t1\t6\n", 0);
	page.untaken_bytes = sizeof(page.untaken);
	places_take(&places, 7, &page, NULL);
	unit_equal_string(listed(&places), "", "too many bytes");
	places_free(&places);
}

static void tell_places(const char *lines, bool ended, const char *want,
			const char *name)
{
	static struct session_page page;
	struct places places = { .ended = ended };
	int status;

	set_untaken(&page, lines, 0);
	places_take(&places, 7, &page, NULL);
	command_name("start");
	said_begin(STDERR_FILENO);
	status = places_tell(&places);
	unit_equal_string(said_end(), want, "%s: told", name);
	unit_equal(status, *want ? COMMAND_FAILED : COMMAND_DONE,
		   "%s: status", name);
}

static void check_told(void)
{
	char lines[256], want[512];

	tell_places("", false, "", "no place");
	tell_places("app/a\t10\t20\t-16\n", false,
		    "taffrail: start: process 7: app/a at 0x10 is not traced: "
		    "another program's code is there\n"
		    "taffrail: start: when the breakpoint or uprobe there is "
		    "gone, give the rule again (taffrail enable)\n",
		    "a place with other code");
	tell_places("app/a\t10\t20\t-16\n", true,
		    "taffrail: start: app/a at 0x20 is not traced: another "
		    "program's code is there\n"
		    "taffrail: start: when the breakpoint or uprobe there is "
		    "gone, give the rule again (taffrail enable)\n",
		    "a place of an ended process");
	tell_places("app/a\t10\t20\t-116\napp/a\t11\t21\t-116\n"
		    "app/b\t12\t22\t-116\n", false,
		    "taffrail: start: process 7: 2 markers have no events, or "
		    "not all: " MARKER_MOVED ": app/a, app/b: " MARKER_REMEDY
		    "\n", "moved markers");
	sprintf(lines, "a/b\t1\t1\t%d\n", USDT_NO_NOP);
	snprintf(want, sizeof(want), "taffrail: start: process 7: a/b at 0x1 "
		 "is not traced: it needs a trap for each hit: %s\n"
		 "taffrail: start: places that need a trap are traced with "
		 "--int3 (record, start) or TAFFRAIL_INT3=on "
		 "(TAFFRAIL_ENABLE): each hit is a signal then, and a "
		 "thread that blocks SIGTRAP ends the program there\n",
		 usdt_reason_text(USDT_NO_NOP));
	tell_places(lines, false, want, "a place that needs a trap");
}

static void tell_faults(const char *text, const char *want, bool told,
			const char *name)
{
	static struct process_page page;

	strcpy(page.procname, "prog");
	page.fault_bytes = (uint32_t)strlen(text);
	memcpy(page.faults, text, strlen(text));
	command_name("list");
	said_begin(STDERR_FILENO);
	told ^= faults_tell(7, &page);
	unit_equal_string(said_end(), want, "%s", name);
	unit_check(!told, "%s: result", name);
}

static void check_faults(void)
{
	struct rundir dir = { .uid = geteuid() };
	bool told;

	tell_faults("", "", false, "no fault");
	tell_faults("one\ntwo\n", "taffrail: list: process 7 (prog): "
		    "TAFFRAIL_ENABLE: one\ntaffrail: list: process 7 (prog): "
		    "TAFFRAIL_ENABLE: two\n", true, "two faults");
	tell_faults("one\ntwo\n", "", true, "the same faults again");
	tell_faults("three", "taffrail: list: process 7 (prog): "
		    "TAFFRAIL_ENABLE: three\n", true, "a fault without a line "
		    "end");
	made_file("sessions/.fault.env", "42 na\nme\nlast fault\n");
	dir.fd = open(made_root, O_RDONLY | O_DIRECTORY);
	said_begin(STDERR_FILENO);
	told = faults_tell_last(&dir, false);
	unit_check(strstr(said_end(), "): TAFFRAIL_ENABLE: last fault\n"),
		   "the last fault");
	unit_check(told, "the last fault is told");
	made_file("sessions/.fault.env", "x name\nfault\n");
	unit_check(!faults_tell_last(&dir, true), "a damaged file");
	unit_check(access(made_path("sessions/.fault.env"), F_OK),
		   "it is forgotten");
	unit_check(!faults_tell_last(&dir, true), "no file");
	close(dir.fd);
}

/* Rules of the programs that a process executes, before and after a change. */
static void check_heirs(void)
{
	static const struct {
		const char *before, *rule;
		enum rule_change change;
		const char *after;
	} rows[] = {
		{ "name=s\n", "a/b", RULE_ON, "name=s\nrule=*\nrule=a/b\n" },
		{ "name=s\n", "a/b", RULE_OFF, "name=s\nrule=*\nunrule=a/b\n" },
		{ "name=s\nrule=a/b\n", "a/b", RULE_OFF,
		  "name=s\nunrule=a/b\n" },
		{ "name=s\nrule=a/b\nrule=c\n", "a/b", RULE_ON,
		  "name=s\nrule=c\nrule=a/b\n" },
		{ "rule=a/b*\nunrule=a/b\n", "a/b", RULE_ON,
		  "rule=a/b*\nrule=a/b\n" },
		/* another rule with the glob is replaced */
		{ "rule=fn:f\nrule=fn:f*\nrule=fn:f(str)\n", "fn:f if n > 5",
		  RULE_ON, "rule=fn:f*\nrule=fn:f if n > 5\n" },
		{ "spot=a\nfield=b\nrule=fn:f\nspot=c\nrule=fn:g\n", "fn:f",
		  RULE_BACK, "spot=c\nrule=fn:g\n" },
		{ "rule=fn:f if n > 5\nunrule=c\n", "fn:f", RULE_OFF,
		  "unrule=c\nunrule=fn:f\n" },
		/* enable takes it back */
		{ "name=s\nrule=c\nrule=a/b if n > 1\n", "a/b if n > 1",
		  RULE_BACK, "name=s\nrule=c\n" },
	};
	struct rundir_process process = {
		.pid = 7, .uid = geteuid(), .name = "7.8",
	};
	char *text;

	made_above("7.8/0");
	process.fd = open(made_path("7.8"), O_RDONLY | O_DIRECTORY);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int result = COMMAND_DONE;
		const char *rest;

		text = NULL;
		made_file("sessions/s@7.8", rows[i].before);
		inheritance_change(&process, "s", rows[i].rule, rows[i].change,
				   &result);
		unit_equal(result, COMMAND_DONE, "heirs %zu", i);
		rundir_inheritance_read(&process, "s", &text);
		/* the lines of the machine stand before them */
		rest = text;
		while (!strncmp(rest, "machine=", 8) ||
		       !strncmp(rest, "clock=", 6))
			rest += strcspn(rest, "\n") + 1;
		unit_equal_string(rest, rows[i].after, "heirs %zu: rules", i);
		free(text);
	}
	close(process.fd);
}

static void check_groups(void)
{
	uint32_t group = 77;
	int status;

	unit_equal(command_take_group(&group, "4294967294"), COMMAND_DONE,
		   "the largest group");
	unit_check(group == 4294967294u, "the largest group: number");
	command_name("start");
	said_begin(STDERR_FILENO);
	status = command_take_group(&group, "4294967295");
	status |= command_take_group(&group, "no-such-group");
	status |= command_take_group(&group, "");
	status |= command_take_group(&group, "12x");
	status |= command_take_group(&group, "0");
	unit_equal_string(said_end(),
			  "taffrail: start: no such group: 4294967295\n"
			  "Try 'taffrail start --help'.\n"
			  "taffrail: start: no such group: no-such-group\n"
			  "Try 'taffrail start --help'.\n"
			  "taffrail: start: no such group: \n"
			  "Try 'taffrail start --help'.\n"
			  "taffrail: start: no such group: 12x\n"
			  "Try 'taffrail start --help'.\n"
			  "taffrail: start: group 0 always has access: give "
			  "another group\n"
			  "Try 'taffrail start --help'.\n", "no groups");
	unit_equal(status, COMMAND_USAGE, "no groups: status");
}

/* A process whose files are in another directory takes part in a session of
 * `start --all` only if it has the session. */
static void check_elsewhere(void)
{
	struct rundir dir = { .uid = geteuid() };
	struct rundir_process process = { .pid = 4242, .alive = true };
	struct rundir_list list = { &process, 1 };
	struct fake fake;

	made_file("here/sessions/test", "rule=app/*\nall=1\n");
	made_file("here/sessions/each", "all=1\n");
	made_file("here/sessions/one", "rule=app/*\n");
	dir.fd = open(made_path("here"), O_RDONLY | O_DIRECTORY);
	fake_open(&fake, 0, 0);
	fake.session->sub_bytes = 4096;
	fake.session->ring_bytes = 8192;
	process.fd = fake.fd;
	said_begin(STDERR_FILENO);
	unit_equal((long long)later_tell_elsewhere(&dir, &list, "test"), 0,
		   "elsewhere: the process has the session");
	unit_equal((long long)later_tell_elsewhere(&dir, &list, "one"), 0,
		   "elsewhere: not of every process");
	unit_equal_string(said_end(), "", "elsewhere: nothing to tell");
	said_begin(STDERR_FILENO);
	unit_equal((long long)later_tell_elsewhere(&dir, &list, "each"), 1,
		   "elsewhere: the process does not take part");
	unit_check(strstr(said_end(), "process 4242 (fake) does not take part "
			  "in 'each'"), "elsewhere: it is told");
	process.alive = false;
	unit_equal((long long)later_tell_elsewhere(&dir, &list, "each"), 0,
		   "elsewhere: the process has ended");
	close(dir.fd);
	fake_close(&fake);
}

int main(void)
{
	made_open();
	check_requests();
	check_answers();
	check_rules();
	check_names();
	check_places();
	check_damaged();
	check_told();
	check_faults();
	check_heirs();
	check_groups();
	check_elsewhere();
	made_close();
	return unit_end();
}
