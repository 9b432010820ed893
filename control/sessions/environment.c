/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The session of TAFFRAIL_ENABLE="RULE;RULE", with TAFFRAIL_CONTEXT and
 * TAFFRAIL_BUFFER_SIZE, and the faults in them.
 *
 * Invariant: the program gets no message, so a command tells the faults. A
 * living process has them in the process page. One file of the runtime
 * directory has those of the last process, also when it has ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>

#include "base/file.h"
#include "base/lines.h"
#include "base/sys.h"
#include "control/protocol.h"
#include "control/sessions/place.h"
#include "control/sessions/private.h"
#include "control/threads/log.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/usdt/usdt.h"

#define COMM_BYTES	16	/* of a process's name, with the NUL */
#define WHY_BYTES	640	/* a rule's condition, and the fault in it */
#define LINE_UNDESCRIBED \
	"a command reads debug information for it: " \
	"TAFFRAIL_ENABLE=\"$(taffrail env -e RULE PROGRAM)\""
#define VALUE_CUT \
	"the value was cut off: it needs all lines that taffrail env prints"
#define OTHER_BUILD	"the value is for another build of "
#define OTHER_REMEDY	": taffrail env makes one for this"
#define LIBRARY_BYTES	64	/* of a name */

/* Adds a line, in which each control character becomes '?'. A line for which
 * there is no room is left out. */
static void fault_add(const char *rule, const char *fact)
{
	struct text line;

	text_open(&line, place_faults + place_fault_bytes,
		  sizeof(place_faults) - place_fault_bytes);
	if (rule) {
		text_add(&line, "rule '");
		text_add(&line, rule);
		text_add(&line, "': ");
	}
	text_add(&line, fact);
	for (size_t i = 0; i < line.used; i++)
		if ((unsigned char)line.start[i] < ' ' || line.start[i] == 127)
			line.start[i] = '?';
	text_add_char(&line, '\n');
	log_fact(LOG_ERROR, "TAFFRAIL_ENABLE", fact, 0);
	if (line.cut)
		*line.start = 0;
	else
		place_fault_bytes += (uint32_t)line.used;
}

/* The name of the program for which a value was made, as the kernel cuts it; or
 * "". Programs that it executes have the variable, too. */
static char described[COMM_BYTES];

static void note_path(char *path, size_t size, const char *file)
{
	struct text text;

	text_open(&text, path, size);
	text_add(&text, place_runtime);
	text_add(&text, "/" PROTOCOL_SESSIONS_DIR);
	text_add(&text, file);
}

/* Writes the file of faults in sessions/, and makes both if need be. Replaces
 * the note of another process. */
static void note_write(uint32_t pid, const char *procname)
{
	char note[sizeof(place_faults) + PROCESS_NAME_BYTES + 32];
	char path[256];
	struct text text;
	int fd, directory;

	note_path(path, sizeof(path), "");
	file_make_directory(AT_FDCWD, path);
	fd = directory = file_open_directory(AT_FDCWD, path);
	if (directory >= 0) {
		fd = file_make(directory, PROTOCOL_FAULT_FILE, O_WRONLY);
		if (fd == -EEXIST)
			fd = file_open(directory, PROTOCOL_FAULT_FILE, O_WRONLY,
				       0, PROTOCOL_FAULT_BYTES_MAX);
		sys_close(directory);
	}
	if (fd < 0) {
		log_fact(LOG_ERROR, "TAFFRAIL_ENABLE", "cannot note this", fd);
		return;
	}
	text_open(&text, note, sizeof(note));
	text_add_unsigned(&text, pid);
	text_add_char(&text, ' ');
	text_add(&text, procname);
	text_add_char(&text, '\n');
	text_add_bytes(&text, place_faults, place_fault_bytes);
	sys_pwrite(fd, note, text.used, 0);
	sys2(SYS_ftruncate, fd, text.used);
	sys_close(fd);
}

/* Between rules, also the line ends of a list that has a rule a line. */
static bool is_between(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Adds the rules of lines "key=value", as `taffrail env` prints them: each
 * behind the descriptions of the places that it names. */
static void lines_parse(struct session *session, const char *lines)
{
	const uint64_t nothing = session_lines_set("");
	uint64_t set = session_lines_set(lines);
	char buffer[WHY_BYTES];
	bool ends = true;
	struct text why;
	struct line line;

	session_lines_take(lines);
	while (line_next(&lines, &line)) {
		if (text_equal(line.key, "file")) {
			text_copy(described, sizeof(described), line.value);
			ends = false;
		}
		ends |= text_equal(line.key, "end");
		if (!text_equal(line.key, "rule"))
			continue;
		text_open(&why, buffer, sizeof(buffer));
		if (line.cut)
			text_add(&why, "a rule is too long");
		else if (rule_kind(line.value) == RULE_LINE && set == nothing)
			text_add(&why, LINE_UNDESCRIBED);
		else if (!session_rule_add(session, line.value, &why))
			session->rules[session->nrules - 1].lines = set;
		if (why.used)
			fault_add(line.value, buffer);
		set = session_lines_set(lines);
	}
	if (!ends)
		fault_add(NULL, VALUE_CUT);
}

/* Adds the rules of TAFFRAIL_ENABLE to the session. */
static void rules_parse(struct session *session, const char *p)
{
	char buffer[WHY_BYTES], rule[LINE_VALUE_BYTES];
	struct text text, why;
	const char *end, *last;

	if (text_after(p, "file=") || text_after(p, "spot=") ||
	    text_after(p, "rule=")) {
		lines_parse(session, p);
		return;
	}
	for (; *p; p = *end ? end + 1 : end) {
		text_open(&why, buffer, sizeof(buffer));
		text_open(&text, rule, sizeof(rule));
		while (is_between(*p))
			p++;
		for (end = p; *end && *end != ';'; end = rule_step(end))
			;
		for (last = end; last > p && is_between(last[-1]); last--)
			;
		text_add_bytes(&text, p, (uint64_t)(last - p));
		if (text.cut)
			text_add(&why, "a rule is too long");
		else if (rule_kind(rule) == RULE_LINE)
			text_add(&why, LINE_UNDESCRIBED);
		else if (*rule)
			session_rule_add(session, rule, &why);
		if (why.used)
			fault_add(rule, buffer);
	}
}

/* Adds the fault in the value of another variable. */
static void value_fault(const char *name, const char *value, const char *wanted)
{
	char fact[WHY_BYTES];
	struct text text;

	text_open(&text, fact, sizeof(fact));
	text_add(&text, name);
	text_add(&text, " is '");
	text_add(&text, value);
	text_add(&text, "': ");
	text_add(&text, wanted);
	fault_add(NULL, fact);
}

/* Returns true when commands take it as a session's name, and make none
 * themselves that could be called so. */
static bool name_valid(const char *name)
{
	static const char letters[] = PROTOCOL_NAME_LETTERS;
	const char *p = name;
	uint32_t i;

	for (; *p; p++) {
		for (i = 0; letters[i] && letters[i] != *p; i++)
			;
		if (!letters[i])
			return false;
	}
	return *name != '.' && p - name < SESSION_NAME_BYTES &&
	       !text_equal(name, "gdb") && !text_equal(name, "gdbserver") &&
	       !text_after(name, PROTOCOL_RECORDER);
}

/* Names the session by TAFFRAIL_SESSION. A name is that of all processes, which
 * share buffers, unless each needs its own. */
static void name_parse(struct session *session)
{
	const char *name = settings.session;

	text_copy(session->name, sizeof(session->name),
		  PROTOCOL_ENABLE_SESSION);
	if (!name || !*name)
		return;
	if (!name_valid(name)) {
		value_fault("TAFFRAIL_SESSION", name, "give a name as for "
			    "taffrail start; the session is '"
			    PROTOCOL_ENABLE_SESSION "'");
		return;
	}
	text_copy(session->name, sizeof(session->name), name);
	session->makes = session->contexts == CONTEXT_WRITER &&
			 !session->keep_ms;
	session->flags |= session->makes ? SESSION_SHARED : 0;
}

/* Sets contexts, time and buffer size of the session from TAFFRAIL_CONTEXT,
 * TAFFRAIL_KEEP and TAFFRAIL_BUFFER_SIZE. A value that is not understood leaves
 * the default. */
static void options_parse(struct session *session)
{
	const char *context = settings.context, *buffer = settings.buffer;
	const char *keep = settings.keep;
	int64_t bytes, ms;

	session->contexts = SESSION_CONTEXTS_DEFAULT;
	if (context && *context &&
	    session_contexts_parse(&session->contexts, context))
		value_fault("TAFFRAIL_CONTEXT", context,
			    "give none, or vtid, vpid, procname, cpu, ip, "
			    "pthread_id; or writer, as without it");
	ms = keep && *keep ? text_time(keep) : KEEP_MS_LEAST;
	if (!KEEP_MS_VALID(ms))
		value_fault("TAFFRAIL_KEEP", keep, "give 1s to 24h, as in 10s "
			    "or 5min; buffers keep their size");
	else if (keep && *keep && session_keep_forbidden())
		value_fault("TAFFRAIL_KEEP", keep, "TAFFRAIL_SERVICE forbids "
			    "the thread for it; buffers keep their size");
	else if (keep && *keep)
		session->keep_ms = (uint32_t)ms;
	if (!buffer || !*buffer)
		return;
	bytes = text_bytes(buffer);
	if (bytes < RING_MIN_BYTES || bytes > RING_MAX_BYTES)
		value_fault("TAFFRAIL_BUFFER_SIZE", buffer,
			    "give 256K to 1G; buffers have the default size");
	else
		session->buffer = (uint64_t)bytes;
}

/* Adds that the value was made for another file than the process has: for the
 * library that the line "of=" before the rule names, or for the program. */
static void build_fault(const char *glob)
{
	const char *lines = settings.enable;
	char library[LIBRARY_BYTES] = "", fact[WHY_BYTES];
	const char *rest;
	struct line line;
	struct text text;

	while (line_next(&lines, &line)) {
		if (text_equal(line.key, "of"))
			text_copy(library, sizeof(library), line.value);
		if (!text_equal(line.key, "rule"))
			continue;
		rest = text_after(line.value, glob);
		if (rest && (!*rest || *rest == ' '))
			break;
		library[0] = '\0';
	}
	text_open(&text, fact, sizeof(fact));
	text_add(&text, OTHER_BUILD);
	text_add(&text, library[0] ? library : "the program");
	text_add(&text, OTHER_REMEDY);
	fault_add(glob, fact);
}

void session_environment_off(const char *why)
{
	char procname[PROCESS_NAME_BYTES] = "";

	if (!settings.enable || !*settings.enable || place_choose())
		return;
	sys5(SYS_prctl, PR_GET_NAME, (long)procname, 0, 0, 0);
	place_fault_bytes = 0;
	fault_add(NULL, why);
	note_write((uint32_t)sys_getpid(), procname);
}

void session_obey_environment(struct session *session)
{
	const char *p = settings.enable;
	struct session *started = NULL;
	char path[256], buffer[WHY_BYTES];
	uint32_t matched;
	struct text why;
	int ret;

	if (!p || !*p)
		return;
	/* a rule is written when it is added: the rest is left untouched */
	__builtin_memset(session, 0, offsetof(struct session, rules));
	session->flags = SESSION_OVERWRITE | SESSION_ENABLED;
	if (setting_is(settings.int3, "on"))
		session->int3 = USDT_WANTED_INT3;
	place_fault_bytes = 0;
	options_parse(session);
	name_parse(session);
	rules_parse(session, p);
	if (session->nrules) {
		ret = session_start(session, &matched);
		started = ret < 0 ? NULL : session_at((uint32_t)ret);
		/* the first session of the process: all else would be a fault
		 * here */
		if (ret < 0)
			fault_add(NULL, "there is no room for the session's "
				  "files");
	}
	for (uint32_t i = 0; started && i < started->nrules; i++) {
		text_open(&why, buffer, sizeof(buffer));
		if (session_rule_fault(started->channel->page,
				       &started->rules[i], &why))
			fault_add(NULL, buffer);
		if (rule_kind(started->rules[i].glob) == RULE_LINE &&
		    !started->rules[i].found &&
		    text_equal(described, process.page->procname))
			build_fault(started->rules[i].glob);
	}
	place_faults_publish(process.page);
	/* commands do not look at the pages of ended processes, and the page
	 * of a process without a session goes with it */
	if (place_fault_bytes) {
		note_write(process.page->pid, process.page->procname);
		return;
	}
	note_path(path, sizeof(path), "/" PROTOCOL_FAULT_FILE);
	sys_unlink(path);
}
