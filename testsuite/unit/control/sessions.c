/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions as text (control/sessions/): what requests, files and the
 * environment ask for, how a session is written back, and the faults of rules.
 * No session is started.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/host.h"
#include "buffers/rings/channel.h"
#include "control/causes.h"
#include "control/sessions/place.h"
#include "control/sessions/private.h"
#include "control/threads/settings.h"
#include "testsuite/unit/command/made.h"
#include "tracepoints/usdt/usdt.h"

static struct session session;
static char bytes[4096];

/* Returns the session that the lines make, as text; or "FAULT: ...". */
static const char *do_parse(const char *lines)
{
	char fact[640];
	struct text out, fault;

	text_open(&out, bytes, sizeof(bytes));
	text_open(&fault, fact, sizeof(fact));
	if (session_parse(&session, lines, &fault)) {
		text_add(&out, "FAULT: ");
		text_add(&out, fact);
	} else {
		session_write(&session, &out);
	}
	return bytes;
}

#define HEAD		"name=s\nmode=discard\nbuffer=0\nquota=0\n"
#define TAIL		"context=writer\nrule=*\n"
#define BAD		"FAULT: a value is not understood"
#define NINES		"99999999999999999999"

static void check_lines(void)
{
	static const struct {
		const char *lines, *want;
	} rows[] = {
		{ "name=s\n", HEAD TAIL },
		{ "name=s\nlater=7\nno key\n", HEAD TAIL },
		{ "name=s\nmode=overwrite\n",
		  "name=s\nmode=overwrite\nbuffer=0\nquota=0\n" TAIL },
		{ "name=s\nmode=discard\n", HEAD TAIL },
		{ "name=s\nmode=Discard\n", BAD },
		{ "name=s\nbuffer=1073741824\n",
		  "name=s\nmode=discard\nbuffer=1073741824\nquota=0\n" TAIL },
		{ "name=s\nbuffer=1073741825\n", BAD },
		{ "name=s\nbuffer=4K\n", BAD },
		{ "name=s\nbuffer=-1\n", BAD },
		{ "name=s\nbuffer=\n", BAD },
		{ "name=s\nquota=1073741825\n",
		  "name=s\nmode=discard\nbuffer=0\nquota=1073741825\n" TAIL },
		{ "name=s\nquota=5x\n", BAD },
		{ "name=s\nquota=-5\n", BAD },
		{ "name=s\nmode=overwrite\nkeep=1s\n",
		  "name=s\nmode=overwrite\nbuffer=0\nquota=0\nkeep=1000ms\n"
		  TAIL },
		{ "name=s\nmode=overwrite\nkeep=24h\n",
		  "name=s\nmode=overwrite\nbuffer=0\nquota=0\n"
		  "keep=86400000ms\n" TAIL },
		{ "name=s\nmode=overwrite\nkeep=999ms\n", BAD },
		{ "name=s\nmode=overwrite\nkeep=86400001ms\n", BAD },
		{ "name=s\nkeep=1s\n", "FAULT: keep is for mode=overwrite" },
		{ "name=s\ngroup=0\n", BAD },
		{ "name=s\ngroup=4294967295\n", BAD },
		{ "name=s\ngroup=4294967294\n", HEAD TAIL },
		{ "name=s\ncontext=vpid,ip\n",
		  HEAD "context=vpid,ip\nrule=*\n" },
		{ "name=s\ncontext=tid\n", BAD },
		{ "name=s\nconsumed=1\nint3=1\n",
		  HEAD "context=writer\nconsumed=1\nint3=1\nrule=*\n" },
		{ "name=s\nconsumed=0\nint3=0\n", HEAD TAIL },
		{ "name=s\nrule=a/*\nunrule=a/b\n",
		  HEAD "context=writer\nrule=a/*\nunrule=a/b\n" },
		{ "name=s\nrule=a:b if x > 1\n",
		  HEAD "context=writer\nrule=a/b if x > 1\n" },
		{ "name=s\nrule=a/b(,str:1,str)\n",
		  HEAD "context=writer\nrule=a/b(,str:1,str)\n" },
		{ "name=s\nrule=a/b(str) if a1 == \"x\"\n",
		  HEAD "context=writer\nrule=a/b(str) if a1 == \"x\"\n" },
		{ "name=s\nrule=a/b if x >\n",
		  "FAULT: condition 'x >', column 4: a value is missing "
		  "here" },
		{ "name=s\nrule=\n",
		  "FAULT: a rule is GLOB or GLOB if EXPR" },
		{ "name=s\nunrule=a/b(str\n",
		  "FAULT: a rule is GLOB or GLOB if EXPR" },
		{ "rule=*\n", "FAULT: the session has no name" },
		{ "", "FAULT: the session has no name" },
		{ "name=\n", BAD },
		{ "name=.s\n", BAD },
		{ "name=a/b\n", BAD },
		{ "name=a b\n", BAD },
		{ "name=a\177\n", BAD },
		{ "name=a\1\n", BAD },
		{ "name=s.\303\244\nrule=x/y\n",
		  "name=s.\303\244\nmode=discard\nbuffer=0\nquota=0\n"
		  "context=writer\nrule=x/y\n" },
		{ "name=s\nkey_of_more_bytes_than_a_key_may_have=1\n",
		  "FAULT: a line is too long" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		unit_equal_string(do_parse(rows[i].lines), rows[i].want,
				  "lines %zu", i);
	do_parse("name=s\ngroup=7\n");
	unit_equal(session.group, 7, "the group");
}

/* Names, rules and conditions that are as long as may be, and longer. */
static void check_long(void)
{
	char lines[2048], want[64];
	struct text text;

	for (int n = SESSION_NAME_BYTES - 1; n <= SESSION_NAME_BYTES; n++) {
		sprintf(lines, "name=%.*s\n", n,
			"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
			"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
			"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn");
		sprintf(want, n < SESSION_NAME_BYTES ? "name=nnnn" : BAD);
		unit_check(text_after(do_parse(lines), want), "name of %d", n);
	}
	for (int n = SESSION_RULE_BYTES - 1; n <= SESSION_RULE_BYTES; n++) {
		sprintf(lines, "name=s\nrule=%0*d\n", n, 0);
		unit_equal(!strcmp(do_parse(lines),
				   "FAULT: a rule is too long"),
			   n == SESSION_RULE_BYTES, "rule of %d", n);
	}
	for (int n = SESSION_CONDITION_BYTES - 1; n <= SESSION_CONDITION_BYTES;
	     n++) {
		sprintf(lines, "name=s\nrule=g if x == %*d\n", n - 5, 1);
		unit_equal(!strcmp(do_parse(lines),
				   "FAULT: a rule is too long"),
			   n == SESSION_CONDITION_BYTES, "condition of %d", n);
	}
	for (int n = SESSION_RULES_MAX; n <= SESSION_RULES_MAX + 1; n++) {
		text_open(&text, lines, sizeof(lines));
		text_add(&text, "name=s\n");
		for (int i = 0; i < n; i++)
			text_add(&text, "rule=r\n");
		unit_equal(!strcmp(do_parse(lines), "FAULT: too many rules"),
			   n > SESSION_RULES_MAX, "%d rules", n);
		unit_equal(session.nrules, SESSION_RULES_MAX, "%d are kept", n);
	}
}

static void check_contexts(void)
{
	static const struct {
		const char *list;
		int ret;
		uint32_t bits;
		const char *again;	/* NULL: the same list */
	} rows[] = {
		{ "none", 0, 0, NULL },
		{ "vtid", 0, CONTEXT_VTID, NULL },
		{ "vpid", 0, CONTEXT_VPID, NULL },
		{ "procname", 0, CONTEXT_PROCNAME, NULL },
		{ "cpu", 0, CONTEXT_CPU, NULL },
		{ "ip", 0, CONTEXT_IP, NULL },
		{ "writer", 0, CONTEXT_WRITER, NULL },
		{ "ip,vtid,ip", 0, CONTEXT_IP | CONTEXT_VTID, "vtid,ip" },
		{ "vtid,", 0, CONTEXT_VTID, "vtid" },
		{ "", -EINVAL, 77, NULL },
		{ "vtid,,ip", -EINVAL, 77, NULL },
		{ "vtid,none", -EINVAL, 77, NULL },
		{ "vtid,writer", -EINVAL, 77, NULL },
		{ "vti", -EINVAL, 77, NULL },
		{ "vtidprocnamecpuip", -EINVAL, 77, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint32_t chosen = 77;
		struct text out;

		unit_equal(session_contexts_parse(&chosen, rows[i].list),
			   rows[i].ret, "contexts '%s'", rows[i].list);
		unit_equal(chosen, rows[i].bits, "contexts '%s': bits",
			   rows[i].list);
		if (rows[i].ret)
			continue;
		text_open(&out, bytes, sizeof(bytes));
		session_contexts_add(&out, chosen);
		unit_equal_string(bytes, rows[i].again ? rows[i].again :
				  rows[i].list, "contexts '%s' again",
				  rows[i].list);
	}
}

static const char *rule_fault(const struct session_page *page,
			      const struct session_rule *rule)
{
	struct text why;

	text_open(&why, bytes, sizeof(bytes));
	return session_rule_fault(page, rule, &why) ? bytes : NULL;
}

#define FIRST	"a/*\tcondition 'x > 1', column 1: no field x\n"
#define BEFORE	"; an earlier rule, 'a/b', decided that until the process ends"
#define SECOND	"a/*\tcondition 'x > 12', column 5: it is text" BEFORE "\n"

static void check_faults(void)
{
	static struct session_page page;
	struct session_rule one = { .glob = "a/*", .condition = "x > 1" };
	struct session_rule two = { .glob = "a/*", .condition = "x > 12" };
	struct session_rule long_one = { .glob = "b" };
	struct expr_error no_field = { .column = 1, .fact = "no field x" };
	struct expr_error is_text = { .column = 5, .fact = "it is text" };

	unit_equal_string(rule_fault(&page, &one), NULL, "no marker yet");
	one.misfits = two.misfits = 1;
	unit_equal_string(rule_fault(&page, &one), "a condition fits no marker",
			  "the page has no line");
	session_fault_note(&page, &one, &no_field, NULL);
	unit_equal_string(page.faults, FIRST, "a line");
	session_fault_note(&page, &one, &is_text, NULL);
	unit_equal_string(page.faults, FIRST, "one line a rule");
	session_fault_note(&page, &two, &is_text, "a/b");
	unit_equal_string(page.faults, FIRST SECOND, "two rules");
	unit_equal(page.fault_bytes, strlen(FIRST SECOND), "bytes");
	unit_equal_string(rule_fault(&page, &two),
			  "condition 'x > 12', column 5: it is text" BEFORE,
			  "the second rule's line, without its end");
	one.fits = 1;
	unit_equal_string(rule_fault(&page, &one), NULL, "it fits a marker");
	memset(long_one.condition, 'c', sizeof(long_one.condition) - 1);
	for (int i = 0; i < 100; i++) {
		sprintf(long_one.glob, "b%d", i);
		session_fault_note(&page, &long_one, &no_field, NULL);
	}
	unit_check(page.fault_bytes < sizeof(page.faults) &&
		   page.fault_bytes + 400 > sizeof(page.faults) &&
		   page.faults[page.fault_bytes - 1] == '\n',
		   "a line without room is left out");
}

static void check_failures(void)
{
	static const struct {
		int error;
		enum cause_id cause;
	} rows[] = {
		{ -EEXIST, CAUSE_SESSION_EXISTS },
		{ -EUSERS, CAUSE_SESSIONS_MANY },
		{ -EPERM, CAUSE_SESSION_GROUP_DENIED },
		{ -ENOTSUP, CAUSE_SESSION_GROUP_SERVICE },
		{ -EBUSY, CAUSE_SESSION_GROUP_OTHER },
		{ -EDQUOT, CAUSE_SESSION_QUOTA },
		{ -ENOSPC, CAUSE_SESSION_NO_ROOM },
		{ -ENOMSG, CAUSE_SESSION_KEEP_SERVICE },
		{ -EMFILE, CAUSE_SESSION_FILES },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		unit_equal(session_failure(rows[i].error), rows[i].cause,
			   "cause of error %d", -rows[i].error);
	host_landlock = 0;
	unit_equal(session_failure(-EACCES), CAUSE_SESSION_RESTRICTED,
		   "EACCES in a directory of the user's");
	host_landlock = 1;
	unit_equal(session_failure(-EACCES), CAUSE_SESSION_LANDLOCKED,
		   "EACCES, under Landlock");
	chmod(place_runtime, 0500);
	unit_equal(session_failure(-EACCES), CAUSE_SESSION_FILES,
		   "EACCES, without the right to write");
	chmod(place_runtime, 0700);
	text_copy(place_runtime, sizeof(place_runtime), "/nowhere");
	unit_equal(session_failure(-EACCES), CAUSE_SESSION_FILES,
		   "EACCES, without a directory");
	unit_equal(session_failure(-ENOENT), CAUSE_SESSION_FILES,
		   "ENOENT, with the root directory that was there");
	text_copy(place_runtime, sizeof(place_runtime), made_root);
}

/* Returns the faults of TAFFRAIL_ENABLE, when no rule is valid. */
static const char *environment_faults(const char *enable)
{
	settings.enable = enable;
	session_obey_environment(&session);
	process.page->faults[process.page->fault_bytes] = '\0';
	return process.page->faults;
}

static const char *note_read(void)
{
	FILE *file = fopen(made_path("sessions/.fault.env"), "r");
	size_t n = file ? fread(bytes, 1, sizeof(bytes) - 1, file) : 0;

	bytes[n] = '\0';
	if (!file)
		return NULL;
	fclose(file);
	return bytes;
}

#define CONDITION	"rule 'a if 1 +': condition '1 +', column 4: " \
			"a value is missing here\n"

static void check_environment(void)
{
	static struct process_page page;
	char many[2048];
	struct text text;

	page.pid = 77;
	strcpy(page.procname, "prog");
	process.page = &page;
	settings = (struct settings){ 0 };
	unit_equal_string(environment_faults("a if 1 +"), CONDITION,
			  "a condition");
	unit_equal_string(note_read(), "77 prog\n" CONDITION, "the note");
	unit_equal(session.contexts, CONTEXT_WRITER, "the usual context");
	unit_equal(session.keep_ms, 0, "kept for any time");
	unit_equal(session.flags, SESSION_OVERWRITE | SESSION_ENABLED,
		   "it overwrites");
	unit_equal_string(session.name, "env", "its name");
	settings.session = "fly.2";
	unit_equal_string(environment_faults(";"), "", "TAFFRAIL_SESSION");
	unit_equal_string(session.name, "fly.2", "its name is that");
	unit_check(session.makes && session.flags & SESSION_SHARED,
		   "processes share its buffers");
	settings.session = "fly 2";
	unit_equal_string(environment_faults(";"), "TAFFRAIL_SESSION is "
			  "'fly 2': give a name as for taffrail start; the "
			  "session is 'env'\n", "no name");
	unit_check(!session.makes && !(session.flags & SESSION_SHARED),
		   "each process has buffers");
	settings.session = NULL;
	unit_equal_string(environment_faults(" \n;\t;"), "", "no rule");
	unit_equal_string(note_read(), NULL, "the note goes");
	settings.context = "cpu";
	settings.keep = "2s";
	settings.buffer = "1M";
	settings.int3 = "on";
	unit_equal_string(environment_faults("\ta\1(;\r\n; b if \";\" ;"),
			  "rule 'a?(': a rule is GLOB or GLOB if EXPR\n"
			  "rule 'b if \";\"': condition '\";\"', column 1: "
			  "a string is not a truth value: compare it, "
			  "NULL is \"(null)\"\n",
			  "two rules, without blanks around");
	unit_equal(session.contexts, CONTEXT_CPU, "TAFFRAIL_CONTEXT");
	unit_equal(session.keep_ms, 2000, "TAFFRAIL_KEEP");
	unit_equal(session.buffer, 1 << 20, "TAFFRAIL_BUFFER_SIZE");
	unit_equal(session.int3, USDT_WANTED_INT3, "TAFFRAIL_INT3");
	settings.service = "off";
	settings.buffer = settings.context = "";
	unit_equal_string(environment_faults(";"), "TAFFRAIL_KEEP is '2s': "
			  "TAFFRAIL_SERVICE forbids the thread for it; "
			  "buffers keep their size\n", "no thread for it");
	settings.keep = "25h";
	settings.buffer = "255K";
	settings.context = "x";
	unit_equal_string(environment_faults(";"),
			  "TAFFRAIL_CONTEXT is 'x': give none, or vtid, vpid, "
			  "procname, cpu, ip, pthread_id; or writer, as "
			  "without it\n"
			  "TAFFRAIL_KEEP is '25h': give 1s to 24h, as in 10s "
			  "or 5min; buffers keep their size\n"
			  "TAFFRAIL_BUFFER_SIZE is '255K': give 256K to 1G; "
			  "buffers have the default size\n", "other values");
	settings = (struct settings){ .buffer = "2G" };
	unit_check(*environment_faults(";"), "a buffer above the largest");
	settings.buffer = "1G";
	unit_equal_string(environment_faults(";"), "", "the largest");
	settings.buffer = NULL;
	text_open(&text, many, sizeof(many));
	for (int i = 0; i < 600; i++)
		text_add_char(&text, 'r');
	unit_check(strstr(environment_faults(many), "': a rule is too long\n"),
		   "a long rule");
	text_open(&text, many, sizeof(many));
	for (int i = 0; i < 100; i++)
		text_add(&text, "a if 1 +;");
	environment_faults(many);
	unit_equal(page.fault_bytes, PROCESS_FAULT_BYTES /
		   strlen(CONDITION) * strlen(CONDITION),
		   "as many as there is room for");
	unit_equal(strlen(page.faults), page.fault_bytes, "none is cut");
}

int main(void)
{
	made_open();
	text_copy(place_runtime, sizeof(place_runtime), made_root);
	check_lines();
	check_long();
	check_contexts();
	check_faults();
	check_failures();
	check_environment();
	made_close();
	return unit_end();
}
