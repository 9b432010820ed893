/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions that LTTng saved (command/saved/saved.h): filters and patterns as
 * conditions and globs, files, and what hostile files do.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "command/agents/rule.h"
#include "command/saved/saved.h"

#define RULES	8

static void check_filters(void)
{
	static const struct {
		const char *filter, *condition;
		const char *fault;		/* or NULL */
	} rows[] = {
		{ "id > 10 && url == \"/x*\"", "id > 10 && url ~ \"/x*\"", NULL },
		{ "\"a*b\"!=name||n==3", "name !~ \"a*b\" || n == 3", NULL },
		{ "name == \"a\\*\"", "name == \"a*\"", NULL },
		{ "name == \"[a?]*\\*\"", "name ~ \"[[]a[?]]*[*]\"", NULL },
		{ "name == \"q\\\"*\"", "name ~ \"q\\\"*\"", NULL },
		{ "$ctx.vpid == 1 && $ctx.cpu_id<2", "$vpid == 1 && $cpu_id < 2",
		  NULL },
		{ "$ctx.procname == \"work*\"", "$procname ~ \"work*\"", NULL },
		{ "!(a.b[2] >= 0x1f) && ~c", "! ( a.b[2] >= 0x1f ) && ~ c",
		  NULL },
		{ "1<<3 == n >> 2", "1 << 3 == n >> 2", NULL },
		{ "c == 'x'", "c == 'x'", NULL },
		{ "$app.prov:ctx == 1", "", "a condition cannot use $app.prov" },
		{ "$ctx.ip == 1", "$ip == 1", NULL },
		{ "$ctx.uid == 1", "", "a condition cannot use $ctx.uid" },
		{ "name == \"a", "", "a quotation mark is missing" },
	};
	char out[256];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *fault = saved_condition(rows[i].filter, out,
						    sizeof(out));

		unit_equal_string(fault ?: "", rows[i].fault ?: "", "filter");
		if (!fault)
			unit_equal_string(out, rows[i].condition, "condition");
	}
	unit_check(saved_condition("abc == 1", out, 5), "no room");
	unit_check(saved_glob("app:a?[*\\*", out, sizeof(out)), "glob");
	unit_equal_string(out, "app:a[?][[]*[*]", "glob");
	unit_check(!saved_glob("abcdef", out, 5), "no room for a glob");
}

/* Writes a file and reads it. Returns as saved_read(). */
static int file_read(struct saved *saved, const char *text, size_t bytes,
		     struct cause *cause)
{
	char path[] = "/tmp/saved-XXXXXX";
	int fd = mkstemp(path), ret;

	if (fd < 0 || write(fd, text, bytes) != (ssize_t)bytes)
		abort();
	close(fd);
	ret = saved_read(saved, path, cause);
	unlink(path);
	return ret;
}

#define CHANNEL(name, events)						\
	"<channel><name>" name "</name><overwrite_mode>OVERWRITE"	\
	"</overwrite_mode><subbuffer_size>4096</subbuffer_size>"	\
	"<subbuffer_count>4</subbuffer_count><events>" events		\
	"</events></channel>"
#define DOMAIN(type, channels)						\
	"<domain><type>" type "</type><channels>" channels		\
	"</channels></domain>"
#define SESSION(name, domains)						\
	"<session><name>" name "</name><domains>" domains		\
	"</domains></session>"
#define EVENT(name, more)						\
	"<event><name>" name "</name><enabled>true</enabled>"		\
	"<type>TRACEPOINT</type>" more "</event>"

static void check_sessions(void)
{
	static const char file[] =
		"<sessions>"
		SESSION("a", DOMAIN("KERNEL", CHANNEL("k", EVENT("sched*", "")))
		DOMAIN("UST", CHANNEL("one", EVENT("p:x", "<filter>n &gt; 1"
		"</filter>") EVENT("p:x", "<loglevel_type>RANGE</loglevel_type>"
		"<loglevel>4</loglevel>") EVENT("q:y", "<filter>m</filter>")
		EVENT("q:*", "<exclusions><exclusion>q:z</exclusion>"
		"</exclusions>"))))
		SESSION("b", DOMAIN("UST", CHANNEL("one", EVENT("*", "")
		"<event><name>off</name><enabled>false</enabled></event>")
		CHANNEL("two", EVENT("p:f", "<filter>f</filter>"))))
		SESSION("c", DOMAIN("JUL", CHANNEL("j", EVENT("*", ""))))
		SESSION("d", DOMAIN("UST", CHANNEL("one",
			EVENT("p:*", "<filter>f</filter>")
			EVENT("p:*", "<filter>g</filter>")
			EVENT("*", "<filter>h</filter>"))))
		SESSION("e", DOMAIN("UST", CHANNEL("one", EVENT("fn:run", "")
			EVENT("p:n if id", "") EVENT("p:f", ""))))
		"</sessions>";
	static const char *const first[] = {
		"p:x if ((n > 1)) || ($level <= 4)", "q:y if (m)",
		"q:* if $id !~ \"q:z\"",
		"q:* if ($id !~ \"q:z\") || ($id ~ \"q:y\" && ((m)))",
	};
	/* an event may lack fields of any: the last that it has all fields of
	 * decides */
	static const char *const sets[] = {
		"p:* if (f)", "p:* if (g)",
		"p:* if ((g)) || ($id ~ \"p:*\" && ((f)))",
		"* if (h)", "* if ((h)) || ($id ~ \"p:*\" && ((f)))",
		"* if ((h)) || ($id ~ \"p:*\" && ((g)))",
		"* if ((h)) || ($id ~ \"p:*\" && ((f))) || "
		"($id ~ \"p:*\" && ((g)))",
	};
	struct saved saved;
	struct cause cause;
	char *rules[RULES];
	bool failed = false;

	unit_equal(file_read(&saved, file, sizeof(file) - 1, &cause), 0,
		   "read");
	unit_equal(saved.nsessions, 5, "sessions");
	unit_equal(saved_rules(&saved.sessions[0], rules, RULES, &failed), 4,
		   "rules");
	unit_check(failed, "without the kernel");
	for (size_t i = 0; i < ARRAY_SIZE(first); i++) {
		unit_equal_string(rules[i], first[i], "rule");
		free(rules[i]);
	}
	failed = false;
	unit_equal(saved_rules(&saved.sessions[1], rules, RULES, &failed), 2,
		   "rules");
	unit_check(!failed, "all that LTTng records");
	unit_equal_string(rules[0], "p:f if (f)", "conditions first");
	unit_equal_string(rules[1], "*", "then others");
	free(rules[0]);
	free(rules[1]);
	unit_equal(saved.sessions[1].buffer, 16384, "buffer");
	unit_equal(saved.sessions[1].channels, 2, "channels");
	unit_check(saved.sessions[1].overwrite, "overwrite");
	unit_equal(saved_rules(&saved.sessions[2], rules, RULES, &failed),
		   -ENOENT, "no rules");
	unit_equal(saved_rules(&saved.sessions[3], rules, RULES, &failed),
		   ARRAY_SIZE(sets), "a rule for each set");
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
		unit_equal_string(rules[i], sets[i], "a set's rule");
		free(rules[i]);
	}
	failed = false;
	unit_equal(saved_rules(&saved.sessions[4], rules, RULES, &failed), 1,
		   "names that no rule can have");
	unit_check(failed, "they are told");
	unit_equal_string(rules[0], "p:f", "the other one");
	free(rules[0]);
	saved_release(&saved);
}

/* Several channels become one, which is told only if they differ. */
static void check_channels(void)
{
	static const char file[] =
		"<sessions>"
		SESSION("alike", DOMAIN("UST", CHANNEL("one", EVENT("p:f", ""))
			CHANNEL("two", EVENT("p:g", ""))))
		SESSION("other", DOMAIN("UST", CHANNEL("one", EVENT("p:f", ""))
			"<channel><name>two</name><overwrite_mode>DISCARD"
			"</overwrite_mode><subbuffer_size>4096"
			"</subbuffer_size><subbuffer_count>4"
			"</subbuffer_count><events>" EVENT("p:g", "")
			"</events></channel>"))
		"</sessions>";
	struct saved saved;
	struct cause cause;

	unit_equal(file_read(&saved, file, sizeof(file) - 1, &cause), 0,
		   "read");
	unit_check(!(saved.sessions[0].left & SAVED_CHANNELS), "alike");
	unit_check(saved.sessions[0].overwrite, "overwrite");
	unit_check(saved.sessions[1].left & SAVED_CHANNELS, "others");
	unit_check(!saved.sessions[1].overwrite, "discard, if one does");
	saved_release(&saved);
}

/* Returns a text of `n` copies between two others; the caller frees it. */
static char *repeated(const char *before, const char *copy, size_t n,
		      const char *behind)
{
	size_t bytes = strlen(copy);
	char *text = malloc(strlen(before) + n * bytes + strlen(behind) + 1);
	char *p = stpcpy(text, before);

	while (n--)
		p = stpcpy(p, copy);
	strcpy(p, behind);
	return text;
}

static void check_hostile(void)
{
	static const struct {
		const char *before, *copy;
		size_t n;
		const char *behind;
		int error;
		const char *text;
	} rows[] = {
		{ "", "", 0, "", -EINVAL, "no element found" },
		{ "<sessions/>", "", 0, "", -EINVAL,
		  "there is no session in it" },
		{ "<session/>", "", 0, "", -EINVAL,
		  "it is no file of lttng save" },
		{ "<sessions><session/></sessions>", "", 0, "", -EINVAL,
		  "a session has no name" },
		{ "<!DOCTYPE a [<!ENTITY b \"cc\">]><sessions>", "&b;", 9,
		  "</sessions>", -EINVAL, "it declares a document type, which "
		  "no file of lttng save does" },
		{ "<sessions>", "<a>", 40, "", -EINVAL,
		  "its elements nest too deeply" },
		{ "<sessions>", "<session>x</session>", 65, "</sessions>",
		  -E2BIG, "there are more sessions, or events of a session, "
		  "than Taffrail reads" },
		{ "<sessions><session><domains><domain><channels><channel>"
		  "<events>", "<event/>", 1025, "", -E2BIG,
		  "there are more sessions, or events of a session, than "
		  "Taffrail reads" },
		{ "<sessions><session><name>", "abcdefgh", 4096, "", -EINVAL,
		  "a text in it is too long" },
		{ "<sessions a='", "x", 2u << 20, "'/>", -EFBIG, "" },
	};
	struct saved saved;
	struct cause cause;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text = repeated(rows[i].before, rows[i].copy, rows[i].n,
				      rows[i].behind);

		cause = (struct cause){ 0 };
		unit_equal(file_read(&saved, text, strlen(text), &cause),
			   rows[i].error, "file %zu", i);
		unit_equal_string(cause.text, rows[i].text, "told");
		saved_release(&saved);
		free(text);
	}
	unit_equal(saved_read(&saved, "/", &cause), -EISDIR, "a directory");
	saved_release(&saved);
}

/* Sizes of buffers that none can have are left out, and told. */
static void check_sizes(void)
{
	static const struct {
		const char *size, *count;
		uint64_t buffer;
	} rows[] = {
		{ "1048576", "2", 2097152 },
		{ "1048576", "1024", 1u << 30 },
		{ "1048576", "1025", 0 },
		{ "-4096", "4", 0 },
		{ "4096", "-4", 0 },
		{ "4096", "0", 0 },
		{ "4096k", "4", 0 },
		{ "", "4", 0 },
		{ "4294967296", "4294967296", 0 },
		{ "99999999999999999999999", "1", 0 },
	};
	struct saved saved;
	struct cause cause;
	char text[1024];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(text, sizeof(text), "<sessions>"
			 SESSION("a", DOMAIN("UST", "<channel><name>c</name>"
			 "<subbuffer_size>%s</subbuffer_size>"
			 "<subbuffer_count>%s</subbuffer_count><events>"
			 EVENT("*", "") "</events></channel>"))
			 "</sessions>", rows[i].size, rows[i].count);
		unit_equal(file_read(&saved, text, strlen(text), &cause), 0,
			   "sizes %zu", i);
		unit_equal((long long)saved.sessions[0].buffer,
			   (long long)rows[i].buffer, "sizes %zu: buffer", i);
		unit_equal(!(saved.sessions[0].left & SAVED_SIZES),
			   !!rows[i].buffer, "sizes %zu: told", i);
		saved_release(&saved);
	}
}

int main(void)
{
	/* what is left out is told there */
	if (!freopen("/dev/null", "w", stderr))
		return 1;
	check_filters();
	check_sessions();
	check_channels();
	check_hostile();
	check_sizes();
	return unit_end();
}
