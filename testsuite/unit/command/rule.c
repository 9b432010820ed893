/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules as users type them, the nearest ids, and the arguments that several
 * sub-commands parse (command/agents/rule.h, nearest.h, command.h).
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <stdlib.h>

#include "buffers/layout.h"
#include "command/agents/rule.h"
#include "command/common/command.h"
#include "command/common/nearest.h"
#include "command/elf/line-rules.h"
#include "command/runtime/rundir.h"

#define TYPES                                                                  \
	"types must be like (str,,str:4), without blanks: for each argument "   \
	"str, str:N (argument N has its length), int or nothing"
#define CHARACTER "it has a character that no marker's id has"

static void check_rules(void)
{
	static const struct {
		const char *rule;
		const char *why;	/* NULL: accepted */
	} rows[] = {
		{ "app/*", NULL },
		{ "*", NULL },
		{ "app/[a-z]?", NULL },
		{ "", "it is empty" },
		{ "app/x if id > 10", NULL },
		{ "app/x  if\tid", NULL },
		{ "app/x if(id)", NULL },
		{ "app/x if", "column 9: a value is missing here" },
		{ "app/x if url == \"(\"", NULL },
		{ "app/x if id >", "column 14: a value is missing here" },
		{ "app/x if 1 < id < 3", "column 17: comparisons do not chain: "
		  "use && or parentheses" },
		{ "libc/m(u64) if id", TYPES },
		{ "libc/m(str)", NULL },
		{ "sell:2(n)", "a line is FILE.c:LINE or FUNCTION:+LINES, a "
		  "function fn:NAME" },
		{ "libc/m(str,,str) if id", NULL },
		{ "libc/m(str:2,,str:16) if id", NULL },
		{ "libc/m(,str:1)", NULL },
		{ "libc/m(str:0)", TYPES },
		{ "libc/m(str:01)", TYPES },
		{ "libc/m(str:)", TYPES },
		{ "libc/m(str:17)", TYPES },
		{ "libc/m(str:-1)", TYPES },
		{ "libc/m(str:1)", TYPES },
		{ "libc/m(str:2,str)", TYPES },
		{ "libc/m(str:2,str:3)", TYPES },
		{ "libc/m(str:99999999999999999999)", TYPES },
		{ "libc/m(,str)x", CHARACTER },
		{ "libc/m(str", TYPES },
		{ "app/iffy", NULL },
		{ "app/x iffy", "behind a blank only 'if' and a condition may "
		  "follow, as in '* if n > 3'" },
		{ "libc/m(u64)", TYPES },
		{ "a\nrule=*", CHARACTER },
		{ "a;b", CHARACTER },
		{ "app:x", NULL },
		{ "fn:x", NULL },
		{ "fn:libc/open*(str,int)%entry",
		  "types stand last: fn:NAME%entry(str)" },
		{ "fn:libc/open*%entry(str,int)", NULL },
		{ "a.c:1 if n", NULL },
	};
	char *bulk = malloc(RULE_BYTES_MAX + 2);
	const char *why;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int ret = rule_check(rows[i].rule, &why);

		unit_equal(ret, rows[i].why ? -EINVAL : 0, "rule %zu", i);
		unit_equal_string(why, rows[i].why, "rule %zu: why", i);
	}
	memset(bulk, 'a', RULE_BYTES_MAX + 1);
	bulk[RULE_BYTES_MAX + 1] = '\0';
	unit_equal(rule_check(bulk, &why), -EINVAL, "too long a rule");
	free(bulk);
	unit_check(rule_matches("app/*", "app/request", NULL), "rule selects id");
	unit_check(rule_matches("app/* if x == 3", "app/request", NULL),
		   "rule with a condition selects id");
	unit_check(rule_matches("app:* if x == 3", "app/request", NULL),
		   "a rule as traces write it selects id");
}

/* Rules for lines, as agents get them. */
static void check_lines(void)
{
	static const struct {
		const char *typed;
		const char *made;	/* NULL: refused */
	} rows[] = {
		{ "a.c:1", "a.c:1" },
		{ "a.c:2(x, y->z) if y -> z > 3 && k == 2",
		  "a.c:2 if z > 3 && k == 2" },
		{ "a.c:3 \"n %d\", m if m > 1", "a.c:3 if n > 1" },
		{ "a.c:4 \"%s\", s if s == \"x if y\"",
		  "a.c:4 if arg1 == \"x if y\"" },
		{ "f:+5 if v[2] > 5ms && $vtid == 0x1f",
		  "f:+5 if v > 5ms && $vtid == 0x1f" },
		{ "a.c:6(a.x, b.x) if b.x", "a.c:6 if x_2" },
		{ "a.c:2(x, y->z) if y -> z > 3 && k == 2",
		  "a.c:2 if z > 3 && k == 2" },
		{ "a.c:1(x)", NULL },
		{ "a.c:7(x", NULL },
		{ "a.c:7(x,)", NULL },
		{ "a.c:7 \"%d\"", NULL },
		{ "a.c:7 \"%d", NULL },
		{ "a.c:7 \"%d\", x if y->z", NULL },
		{ "a.c:7 y", NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *rule = rows[i].typed;
		const char *why = line_rule_take(&rule);

		unit_equal(!why, !!rows[i].made, "line rule %zu", i);
		unit_equal_string(why ? rows[i].typed : rule,
				  rows[i].made ? rows[i].made : rows[i].typed,
				  "line rule %zu: made", i);
	}
	unit_check(rule_matches("a.c:1 if n", "line/a.c:1", NULL),
		   "a rule selects a line");
	unit_check(!rule_matches("a.c:1", "line/a.c:12", NULL), "and no other one");
}

static void check_distances(void)
{
	static const struct {
		const char *glob;
		const char *id;
		unsigned int distance;
	} rows[] = {
		{ "", "", 0 },
		{ "abc", "", 3 },
		{ "", "abc", 3 },
		{ "abc", "abc", 0 },
		{ "kitten", "sitting", 3 },
		{ "app/reqeust", "app/request", 1 },
		{ "ab", "ba", 1 },
		{ "app/*", "app/request", 0 },
		{ "apq/*", "app/request", 1 },
		{ "*", "anything", 0 },
		{ "a?c", "abc", 0 },
	};
	char bulk[4 * NEAREST_LENGTH_MAX];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		unit_equal(nearest_distance(rows[i].glob, rows[i].id),
			   rows[i].distance, "distance of '%s' and '%s'",
			   rows[i].glob, rows[i].id);
	memset(bulk, 'x', sizeof(bulk) - 1);
	bulk[sizeof(bulk) - 1] = '\0';
	unit_equal(nearest_distance(bulk, ""), NEAREST_LENGTH_MAX,
		   "distance looks at a bounded part");
}

static void check_nearest(void)
{
	struct nearest nearest = { .rule = "app/reqest" };
	char text[256];

	nearest_text(&nearest, text, sizeof(text));
	unit_equal_string(text, "", "nearest of none");
	nearest_add(&nearest, "zzz/unrelated");
	nearest_add(&nearest, "app/reply");
	nearest_text(&nearest, text, sizeof(text));
	unit_equal_string(text, "app/reply or zzz/unrelated", "nearest of two");
	nearest_add(&nearest, "app/request");
	nearest_add(&nearest, "app/request");
	nearest_add(&nearest, "app/requests");
	nearest_text(&nearest, text, sizeof(text));
	unit_equal_string(text, "app/request, app/requests or app/reply",
			  "nearest of many");
	nearest_text(&nearest, text, 8);
	unit_equal_string(text, "app/req", "nearest in little room");
	nearest = (struct nearest){ .rule = "plug/*" };
	nearest_add(&nearest, "lttng_ust_lib/load");
	nearest_add(&nearest, "mine/paint");
	nearest_text(&nearest, text, sizeof(text));
	unit_equal_string(text, "mine/paint or lttng_ust_lib/load",
			  "LTTng's own events come last");
	nearest = (struct nearest){ .rule = "lttng_lib/load" };
	nearest_add(&nearest, "lib/load");
	nearest_add(&nearest, "lttng_ust_lib/load");
	nearest_text(&nearest, text, sizeof(text));
	unit_equal_string(text, "lttng_ust_lib/load or lib/load",
			  "a rule of LTTng's own events");
}

static void check_sizes(void)
{
	static const struct {
		const char *text;
		int ret;
		uint64_t bytes;
	} rows[] = {
		{ "256K", 0, 256 << 10 },
		{ "262144", 0, 256 << 10 },
		{ "262145", 0, 512 << 10 },
		{ "1M", 0, 1 << 20 },
		{ "3M", 0, 4 << 20 },
		{ "1G", 0, 1 << 30 },
		{ "255K", -ERANGE, 0 },
		{ "0", -ERANGE, 0 },
		{ "2G", -ERANGE, 0 },
		{ "1073741825", -ERANGE, 0 },
		{ "99999999999999999999999", -ERANGE, 0 },
		{ "18446744073709551615G", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "-1M", -EINVAL, 0 },
		{ " 1M", -EINVAL, 0 },
		{ "1MB", -EINVAL, 0 },
		{ "1T", -EINVAL, 0 },
		{ "0x100000", -EINVAL, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t bytes = 0;

		unit_equal(command_parse_size(&bytes, rows[i].text),
			   rows[i].ret, "size '%s'", rows[i].text);
		unit_equal(bytes, rows[i].bytes, "size '%s': bytes",
			   rows[i].text);
	}
}

static void check_words(void)
{
	const char *bad;
	uint32_t mask;
	pid_t pid;

	unit_equal(command_parse_contexts(&mask, "vtid,ip", &bad), 0,
		   "contexts");
	unit_equal(mask, CONTEXT_VTID | CONTEXT_IP, "contexts: mask");
	unit_equal(command_parse_contexts(&mask, "none", &bad), 0,
		   "no contexts");
	unit_equal(mask, 0, "no contexts: mask");
	unit_equal(command_parse_contexts(&mask, "writer", &bad), 0,
		   "writer");
	unit_equal(mask, CONTEXT_WRITER, "writer: mask");
	unit_equal(command_parse_contexts(&mask, "writer,ip", &bad), -EMLINK,
		   "writer and a context");
	unit_equal(command_parse_contexts(&mask, "none,ip", &bad), -EINVAL,
		   "none and a context");
	unit_equal(command_parse_contexts(&mask, "vtid,cpux", &bad), -EINVAL,
		   "unknown context");
	unit_equal_string(bad, "cpux", "unknown context: which");
	unit_equal(command_parse_contexts(&mask, "", &bad), -EINVAL,
		   "no context");
	unit_equal(command_parse_contexts(&mask, "ip,", &bad), -EINVAL,
		   "context missing");
	unit_equal(command_parse_pid(&pid, "42"), 0, "pid");
	unit_equal(pid, 42, "pid: value");
	unit_equal(command_parse_pid(&pid, "0"), -EINVAL, "pid 0");
	unit_equal(command_parse_pid(&pid, "-1"), -EINVAL, "pid -1");
	unit_equal(command_parse_pid(&pid, "4x"), -EINVAL, "pid 4x");
	unit_equal(command_parse_pid(&pid, "99999999999"), -EINVAL, "huge pid");
	unit_check(rundir_valid_name("my-session_1.a"), "name");
	unit_check(!rundir_valid_name(""), "no name");
	unit_check(!rundir_valid_name(".hidden"), "name with a dot in front");
	unit_check(!rundir_valid_name("../x"), "name with a slash");
	unit_check(!rundir_valid_name("0123456789012345678901234567890123456789"
				      "012345678901234567890123"),
		   "name too long");
}

int main(void)
{
	check_rules();
	check_lines();
	check_distances();
	check_nearest();
	check_sizes();
	check_words();
	return unit_end();
}
