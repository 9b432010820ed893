/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions as text: in messages, files and the environment.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>

#include "base/base.h"
#include "base/file.h"
#include "base/host.h"
#include "base/lines.h"
#include "base/sys.h"
#include "buffers/clock.h"
#include "control/causes.h"
#include "control/protocol.h"
#include "control/sessions/budget.h"
#include "control/sessions/inheritance.h"
#include "control/sessions/place.h"
#include "control/sessions/private.h"
#include "control/threads/log.h"
#include "control/threads/settings.h"
#include "tracepoints/frames/frames-ring.h"
#include "tracepoints/usdt/usdt.h"

#define SESSION_FILE_BYTES	65536
#define OBEYED_MAX		256	/* files in sessions/ */
#define WHY_BYTES		400
#define MACHINE_BYTES		160	/* its line is the first one */

static bool name_valid(const char *name)
{
	const char *p = name;

	if (!*name || *name == '.' || text_length(name) >= SESSION_NAME_BYTES)
		return false;
	for (; *p; p++)
		if (*p == '/' || (unsigned char)*p < 0x21 || *p == 0x7f)
			return false;
	return true;
}

/* Takes a line of a session's text. Returns 0, also for an unknown key, which
 * is for later agents; or a negative errno, and perhaps the reason. */
static int key_take(struct session *session, const char *key,
		    const char *value, struct text *why)
{
	const char *p = value;
	int64_t number = text_number(&p);

	if (text_equal(key, "name")) {
		if (!name_valid(value))
			return -EINVAL;
		text_copy(session->name, sizeof(session->name), value);
	} else if (text_equal(key, "mode")) {
		if (text_equal(value, "overwrite"))
			session->flags |= SESSION_OVERWRITE;
		else if (!text_equal(value, "discard"))
			return -EINVAL;
	} else if (text_equal(key, "buffer")) {
		if (number < 0 || *p || number > RING_MAX_BYTES)
			return -EINVAL;
		session->buffer = (uint64_t)number;
	} else if (text_equal(key, "quota")) {
		if (number < 0 || *p)
			return -EINVAL;
		session->quota = (uint64_t)number;
	} else if (text_equal(key, "keep")) {
		number = text_time(value);
		if (!KEEP_MS_VALID(number))
			return -EINVAL;
		session->keep_ms = (uint32_t)number;
	} else if (text_equal(key, "group")) {
		if (number <= 0 || *p || number >= UINT32_MAX)
			return -EINVAL;
		session->group = (uint32_t)number;
	} else if (text_equal(key, "context")) {
		return session_contexts_parse(&session->contexts, value);
	} else if (text_equal(key, "consumed")) {
		session->flags |= *value == '1' ? SESSION_CONSUMED : 0;
	} else if (text_equal(key, "buffers")) {
		session->flags |= text_equal(value, "shared") ? SESSION_SHARED :
								0;
	} else if (text_equal(key, "int3")) {
		session->int3 = *value == '1' ? USDT_WANTED_INT3 : 0;
	} else if (text_equal(key, "rule")) {
		return session_rule_add(session, value, why);
	} else if (text_equal(key, "unrule")) {
		if (session_rule_add(session, value, why))
			return -EINVAL;
		session->rules[session->nrules - 1].wanted = 0;
	}
	return 0;
}

int session_parse(struct session *session, const char *text,
		  struct text *fault)
{
	uint64_t lines = session_lines_set(text);
	struct line line;

	session_lines_take(text);
	/* a rule is written when it is added: the rest is left untouched */
	__builtin_memset(session, 0, offsetof(struct session, rules));
	session->contexts = SESSION_CONTEXTS_DEFAULT;
	while (line_next(&text, &line)) {
		if (line.cut ||
		    key_take(session, line.key, line.value, fault)) {
			if (!fault->used)
				text_add(fault, line.cut ?
					 "a line is too long" :
					 "a value is not understood");
			return -EINVAL;
		}
		if (text_equal(line.key, "rule")) {
			session->rules[session->nrules - 1].lines = lines;
			lines = session_lines_set(text);
		}
	}
	if (!session->name[0]) {
		text_add(fault, "the session has no name");
		return -EINVAL;
	}
	if (session->keep_ms && !(session->flags & SESSION_OVERWRITE)) {
		text_add(fault, "keep is for mode=overwrite");
		return -EINVAL;
	}
	if (session->flags & SESSION_SHARED)
		session->contexts = CONTEXT_WRITER;
	if (!session->nrules)
		session_rule_add(session, "*", fault);
	return 0;
}

/* Sums over the rings of a channel. */
struct sums {
	uint64_t written;
	uint64_t lost;
	uint64_t overwritten;
	uint64_t bytes;
	uint64_t held;
};

static void channel_sum(const struct channel *channel, struct sums *sums)
{
	struct replaced_sums replaced;
	struct frame_ring ring;
	uint32_t i;

	channel_replaced_count(channel, &replaced);
	sums->written = replaced.written;
	sums->lost = replaced.lost;
	sums->held = replaced.held;
	sums->bytes = replaced.bytes;
	sums->overwritten = replaced.written - replaced.held;
	/* those of CPUs are counted once, where they are shared */
	i = channel->flags & SESSION_SHARED ? CHANNEL_CPUS_MAX : 0;
	for (; i < FRAME_RINGS_MAX; i++) {
		/* a ring that makes no sense counts nothing */
		if (frame_ring_open(&ring, channel, i) ||
		    frame_ring_look(&ring))
			continue;
		sums->written += ring.written;
		sums->lost += ring.lost;
		sums->held += ring.held;
		sums->bytes += ring.current * ring.view.sub_bytes + ring.used;
		if (ring.overwrite)
			sums->overwritten += ring.written - ring.held;
	}
	if (channel->page)
		sums->lost += channel->page->lost_unplaced;
}

uint64_t session_unsaved(struct session *session)
{
	const struct session_page *page = session->channel->page;
	struct sums sums;

	channel_sum(session->channel, &sums);
	if (session->flags & SESSION_CONSUMED)
		return budget_collected(session->name) ? 0 : sums.held;
	return page && page->saved < sums.written ?
		       sums.written - page->saved : 0;
}

/* Writes argument types as rule_types() reads them. */
static void types_add(struct text *out, const struct rule_types *types)
{
	uint32_t left = types->strings;

	if (!left)
		return;
	text_add_char(out, '(');
	for (uint32_t i = 0; left; left >>= 1, i++) {
		if (left & 1)
			text_add(out, "str");
		if (types->lengths[i]) {
			text_add_char(out, ':');
			text_add_unsigned(out, types->lengths[i]);
		}
		if (left >> 1)
			text_add_char(out, ',');
	}
	text_add_char(out, ')');
}

/* Adds the rules, with `lines` with the descriptions of source lines. */
static void rules_add(const struct session *session, struct text *out,
		      bool lines)
{
	for (uint32_t i = 0; i < session->nrules; i++) {
		if (lines)
			session_lines_write(&session->rules[i], out);
		text_add(out, session->rules[i].wanted ? "rule=" : "unrule=");
		text_add(out, session->rules[i].glob);
		types_add(out, &session->rules[i].types);
		if (session->rules[i].condition[0]) {
			text_add(out, " if ");
			text_add(out, session->rules[i].condition);
		}
		text_add_char(out, '\n');
	}
}

SIGSAFE void session_write(const struct session *session, struct text *out)
{
	line_add(out, "name", session->name);
	line_add(out, "mode", session->flags & SESSION_OVERWRITE ? "overwrite" :
								   "discard");
	line_add_unsigned(out, "buffer", session->buffer);
	line_add_unsigned(out, "quota", session->quota);
	if (session->keep_ms) {
		text_add(out, "keep=");
		text_add_unsigned(out, session->keep_ms);
		text_add(out, "ms\n");
	}
	text_add(out, "context=");
	session_contexts_add(out, session->contexts);
	text_add_char(out, '\n');
	if (session->flags & SESSION_CONSUMED)
		line_add(out, "consumed", "1");
	if (session->flags & SESSION_SHARED)
		line_add(out, "buffers", "shared");
	if (session->int3)
		line_add(out, "int3", "1");
	rules_add(session, out, true);
}

void session_describe(struct session *session, struct text *out)
{
	struct sums sums;

	channel_sum(session->channel, &sums);
	line_add(out, "session", session->name);
	line_add_unsigned(out, "index", session->channel->index);
	line_add(out, "state",
		 session->phase == SESSION_RUNS ? "active" : "stopped");
	line_add(out, "mode",
		 session->flags & SESSION_OVERWRITE ? "overwrite" : "discard");
	rules_add(session, out, false);
	line_add_unsigned(out, "on", session_events_on(session));
	line_add_unsigned(out, "written", sums.written);
	line_add_unsigned(out, "lost", sums.lost);
	line_add_unsigned(out, "overwritten", sums.overwritten);
	line_add_unsigned(out, "bytes", sums.bytes);
	line_add_unsigned(out, "left_off", session->channel->page->left_off);
}

void session_holders(struct text *out)
{
	uint32_t ours = 0;

	for (uint32_t i = 0; i < SESSIONS_MAX; i++) {
		const struct session *session = session_at(i);

		if (!session)
			continue;
		text_add(out, ours++ ? ", " : "");
		text_add(out, session->name);
	}
	/* session_hold() */
	if (ours < SESSIONS_MAX)
		text_add(out, ours ? ", and gdb's or callbacks" :
				     "gdb's or callbacks");
}

int session_failure(int error)
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
	};
	uint32_t denial;

	for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].error == error)
			return rows[i].cause;
	denial = place_denial(error);
	return denial ? (int)denial : CAUSE_SESSION_FILES;
}

/* Returns true where *text goes on with the words of this boot, and moves it
 * behind them. A command may have written them before the machine began
 * again. */
static bool boot_take(const char **text)
{
	const uint8_t *id = place_boot_id();
	const char *rest;
	char boot[40];
	struct text words;

	text_open(&words, boot, sizeof(boot));
	for (int i = 0; i < 16; i++)
		text_add_hex(&words, id[i], 2);
	rest = text_after(*text, boot);
	*text = rest ? rest : *text;
	return rest;
}

uint32_t session_machine_learn(void)
{
	const char *join = settings.join, *p = "";
	char lines[MACHINE_BYTES], value[MACHINE_BYTES];
	char name[PROTOCOL_JOIN_NAME_BYTES], path[256];
	struct text text;
	int64_t cpus;
	int fd;
	long n;

	if (!settings_join_next(&join, name, sizeof(name)) || place_choose())
		return 0;
	file_owner = (uint32_t)sys0(SYS_geteuid);
	text_open(&text, path, sizeof(path));
	text_add(&text, place_runtime);
	text_add(&text, "/" PROTOCOL_SESSIONS_DIR "/");
	text_add(&text, name);
	fd = text.cut ? -1 : file_open(AT_FDCWD, path, O_RDONLY, 0,
				       SESSION_FILE_BYTES - 1);
	if (fd < 0)
		return 0;
	n = sys_read(fd, lines, sizeof(lines) - 1);
	sys_close(fd);
	lines[n > 0 ? n : 0] = '\0';
	if (line_find(lines, "machine", value, sizeof(value)))
		p = value;
	cpus = text_number(&p);
	if (cpus <= 0 || cpus > UINT16_MAX || *p++ != ' ' || !boot_take(&p) ||
	    *p++ != ' ')
		return 0;
	clock_source_tell(p);
	return (uint32_t)cpus;
}

/* Adds the rules of a command's session to that of TAFFRAIL_SESSION with the
 * same name. */
static void rules_reach(const struct session *more)
{
	struct session *session = session_find(more->name);
	char buffer[WHY_BYTES];
	uint32_t matched;
	struct text why;

	if (!session || !(session->flags & SESSION_ENABLED))
		return;
	for (uint32_t i = 0; i < more->nrules; i++) {
		text_open(&why, buffer, sizeof(buffer));
		if (session_rule(session, &more->rules[i], &matched, &why) < 0)
			log_fact(LOG_WARNING, "sessions", why.used ? buffer :
				 more->rules[i].glob, 0);
	}
}

/* Returns a negative errno where the session could not be started, 1 where the
 * file is not there, else 0. */
static int obey_file(int directory, const char *name, int asked,
		     struct session *session, char *buffer)
{
	char why[WHY_BYTES];
	struct text fault;
	uint32_t matched;
	char all[4] = "";
	int fd = file_open(directory, name, O_RDONLY, 0,
			   SESSION_FILE_BYTES - 1);
	long n = fd;
	int ret;

	if (fd == -ENOENT)
		return 1;
	if (fd >= 0) {
		n = sys_read(fd, buffer, SESSION_FILE_BYTES - 1);
		sys_close(fd);
	}
	buffer[n > 0 ? n : 0] = 0;
	if (n < 0) {
		log_fact(LOG_ERROR, "cannot read this file of sessions/", name,
			 n);
		return (int)n;
	}
	text_open(&fault, why, sizeof(why));
	ret = session_parse(session, buffer, &fault);
	line_find(buffer, "all", all, sizeof(all));
	if (!ret && (asked || all[0] == '1')) {
		char value[LINE_VALUE_BYTES] = "";
		const char *p = value;
		int64_t hz;

		/* the clock's rate, by the command that has written the
		 * file: "clock=HZ BOOT-ID" */
		line_find(buffer, "clock", value, sizeof(value));
		hz = text_number(&p);
		if (hz > 0 && *p++ == ' ' && boot_take(&p) && !*p)
			place_clock_settle((uint64_t)hz);
		/* the rules that were read are those of the answers */
		known_settle(quiet_settled(directory));
		ret = session_start(session, &matched);
		known_settle(false);
		if (ret == -EEXIST)
			rules_reach(session);
		/* A command that removed the rules after they were read may
		 * have listed the processes before this one had the session. A
		 * recorder at work looks again. */
		if (ret >= 0 && !quiet_settled(directory) &&
		    sys3(SYS_faccessat, directory, name, F_OK) == -ENOENT &&
		    !budget_collected(session->name))
			session_destroy(session_find(session->name));
	}
	if ((ret < 0 || fault.used) && ret != -EEXIST)
		log_fact(LOG_ERROR, "sessions", fault.used ? why : name, ret);
	return ret < 0 && ret != -EEXIST ? ret : 0;
}

/* The state of a pass over the files in sessions/. */
struct obeying {
	struct session *session;
	char *buffer;
	uint32_t files;
	int ret;		/* of a session that this process joins */
};

static void obey_entry(int fd, const char *name, void *arg)
{
	struct obeying *o = arg;
	int ret;

	start_others |= !settings_joins(settings.join, name);

	if (o->files++ >= OBEYED_MAX)
		return;
	if (!settings_inheritance(name)) {
		/* session_obey() has read those that it joins */
		if (!settings_joins(settings.join, name))
			obey_file(fd, name, 0, o->session, o->buffer);
	} else if (inheritance_claim(name)) {
		ret = obey_file(fd, name, 1, o->session, o->buffer);
		o->ret = ret < 0 ? ret : o->ret;
	}
}

static int directory_open(void)
{
	int fd = place_sessions_open();

	if (fd < 0 && fd != -ENOENT)
		log_fact(LOG_ERROR, "sessions", "cannot open the directory",
			 fd);
	place_sessions_keep(fd);
	return fd;
}

static void directory_close(int fd)
{
	place_sessions_keep(-1);
	sys_close(fd);
}

bool session_obey(void (*failed)(const char *recording, int error))
{
	/* one thread starts the agent; to map and unmap them takes 7 us */
	static struct session session TABLE;
	static char buffer[SESSION_FILE_BYTES] TABLE;
	struct obeying obeying = { .session = &session, .buffer = buffer };
	char name[PROTOCOL_JOIN_NAME_BYTES];
	const char *join = settings.join;
	bool there = true;
	int fd, ret;

	session_obey_environment(&session);
	/* The sessions that the process was started for. The directory is
	 * closed before failed() opens a file: with TAFFRAIL_SERVICE=signal,
	 * the program may have one free descriptor. */
	fd = directory_open();
	while (fd >= 0 && settings_join_next(&join, name, sizeof(name))) {
		ret = obey_file(fd, name, 1, &session, buffer);
		there &= ret <= 0;
		if (ret >= 0)
			continue;
		directory_close(fd);
		failed(name, ret);
		fd = directory_open();
	}
	if (fd >= 0 && !quiet_settled(fd))
		entries_each(fd, obey_entry, &obeying);
	quiet_settle(fd);
	if (fd < 0)
		return false;
	if (obeying.files > OBEYED_MAX)
		log_fact(LOG_ERROR, "sessions", "too many files",
			 obeying.files);
	directory_close(fd);
	if (obeying.ret)
		failed(NULL, obeying.ret);
	return there;
}
