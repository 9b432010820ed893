/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The agent's end of the control protocol (control/protocol.h).
 *
 * A request is checked here and trusted afterwards. The agent hangs up on a
 * peer that does not send a whole request within CONTROL_TIMEOUT_MS, and does
 * not obey a peer that has hung up.
 */
#include "agent/control-private.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "agent/attached-private.h"
#include "agent/callbacks.h"
#include "base/base.h"
#include "base/lines.h"
#include "base/sys.h"
#include "control/causes.h"
#include "control/protocol.h"
#include "control/service/service.h"
#include "control/sessions/inheritance.h"
#include "control/sessions/place.h"
#include "control/sessions/session.h"
#include "control/threads/settings.h"
#include "gdbstub/ipa/ipa.h"
#include "gdbstub/stub/open.h"
#include "tracepoints/fields/shown.h"
#include "tracepoints/sites/lock.h"
#include "tracepoints/usdt/usdt.h"

#define CONTROL_TIMEOUT_MS	1000	/* for a request to arrive */
#define ANSWER_TIMEOUT_MS	5000	/* for an answer to be taken */
#define FAULT_BYTES		864

/* One request and the answer to it. */
struct exchange {
	uint32_t type;			/* MESSAGE_ */
	const char *request;
	struct text answer;
	struct ucred peer;
};

static int64_t clock_ms(void)
{
	return sys_clock_ns(CLOCK_MONOTONIC) / 1000000;
}

/* Records for later questions that the peer did it, and when. */
static void act_note(struct session_act *act, const struct exchange *exchange)
{
	act->uid = exchange->peer.uid;
	act->pid = (uint32_t)exchange->peer.pid;
	act->realtime_ns = (uint64_t)sys_clock_ns(CLOCK_REALTIME);
}

/* Waits for a peer until `deadline`. The deadline holds for a whole message,
 * also when the peer sends single bytes: other peers wait, too. */
static int peer_wait(int fd, short events, int64_t deadline)
{
	int64_t left = deadline - clock_ms();

	return left > 0 ? service_wait(fd, events, left) : -ETIMEDOUT;
}

static int bytes_receive(int fd, void *to, uint32_t n)
{
	int64_t deadline = clock_ms() + CONTROL_TIMEOUT_MS;
	char *p = to;
	int ret;

	while (n) {
		long got = sys6(SYS_recvfrom, fd, p, n, MSG_DONTWAIT, NULL,
				NULL);

		if (got == -EAGAIN || got == -EINTR) {
			ret = peer_wait(fd, POLLIN, deadline);
			if (ret)
				return ret;
			continue;
		}
		if (got <= 0)
			return got ? (int)got : -EPIPE;
		p += got;
		n -= (uint32_t)got;
	}
	return 0;
}

static int bytes_send(int fd, const void *from, uint32_t n)
{
	int64_t deadline = clock_ms() + ANSWER_TIMEOUT_MS;
	const char *p = from;
	int ret;

	while (n) {
		long sent = sys6(SYS_sendto, fd, p, n,
				 MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0);

		if (sent == -EAGAIN || sent == -EINTR) {
			ret = peer_wait(fd, POLLOUT, deadline);
			if (ret)
				return ret;
			continue;
		}
		if (sent <= 0)
			return sent ? (int)sent : -EPIPE;
		p += sent;
		n -= (uint32_t)sent;
	}
	return 0;
}

/* Answers with a cause. Returns `status`. */
static int exchange_fail(struct exchange *exchange, int status,
			 enum cause_id cause)
{
	line_add_unsigned(&exchange->answer, "cause", cause);
	return status;
}

/* Answers that a rule has this fault. Returns `status`. */
static int rule_fail(struct exchange *exchange, int status, const char *fault)
{
	line_add(&exchange->answer, "text", fault);
	return exchange_fail(exchange, status, CAUSE_RULE_FAULT);
}

static int handle_hello(struct exchange *exchange)
{
	struct text *out = &exchange->answer;

	line_add_unsigned(out, "pid", process.page->pid);
	line_add_unsigned(out, "image", process.page->image);
	line_add(out, "dir", place_process);
	line_add(out, "agent", AGENT_VERSION);
	return 0;
}

static void string_add(struct text *out, const char *string)
{
	text_add(out, string);
	text_add_bytes(out, "", 1);
}

/* A list, or a piece of one. */
struct listing {
	struct text *out;
	int64_t skip;			/* records before the piece */
};

/* Adds a record for each piece of a marker's code. Returns 1, and leaves the
 * record out, when the next one has no room. */
static int list_one(struct object *object, void *arg)
{
	static const char placed[][16] = {
		[USDT_BYTE] = "usdt",
		[USDT_JUMP] = "usdt-jump",
		[USDT_MERGED] = "usdt-merged",
		[USDT_INT3] = "usdt-int3",
		[USDT_FUNCTION] = "function",
		[USDT_ENTRY_ONLY] = "function-1",
		[USDT_PUNNED] = "function-pun",
	};
	static const char line_kinds[2][3][16] = {
		{ "line", "line-3", "line-pun" },
		{ "line-mark", "line-mark-3", "line-mark-pun" },
	};
	const struct usdt_adopted *adopted = object->adopted;
	struct listing *listing = arg;
	struct text *out = listing->out;
	uint64_t begin;
	char number[24];
	struct text text;
	struct shown_bytes shown;
	struct code *code;
	int refused;

	if (object->site->kind_ == TAFFRAIL_KIND_GUARD ||
	    (usdt_is_point(adopted) && !object->on))
		return 0;
	for (code = object->codes; code; code = code->next) {
		if (listing->skip-- > 0)
			continue;
		begin = out->used;
		text_open(&text, number, sizeof(number));
		text_add(&text, "0x");
		text_add_hex(&text, (uint64_t)code->address, 1);
		string_add(out, number);
		string_add(out, adopted && adopted->function == USDT_LINE ?
				line_kinds[object->site->kind_ ==
					   TAFFRAIL_KIND_MARK]
					  [adopted->placed == USDT_INT3 ? 1 :
					   adopted->placed == USDT_PUNNED ?
						   2 : 0] :
				adopted && adopted->function &&
						adopted->placed == USDT_INT3 ?
					"function-3" :
				adopted ? placed[adopted->placed] :
				object->site->kind_ == TAFFRAIL_KIND_MARK ?
					"mark" : "event");
		text_open(&text, number, sizeof(number));
		refused = adopted ? usdt_refused(adopted) : code->refused;
		/* of a marker without code, it never changes */
		if (refused && (object->on || !code->stub))
			text_add_number(&text, refused);
		else
			text_add(&text, object->on ? "1" : "0");
		string_add(out, number);
		text_open(&text, number, sizeof(number));
		/* of a function, it is the address in the file */
		text_add_unsigned(&text, object->adopted ? 0 :
						object->site->line_);
		string_add(out, number);
		for (uint32_t i = 0; i < object->site->nfields_; i++)
			text_add_hex(out, object->types[i], 2);
		shown = shown_of_site(object->site);
		if (shown.p < shown.end)
			text_add_char(out, ':');
		while (shown.p < shown.end)
			text_add_hex(out, (uint8_t)*shown.p++, 2);
		text_add_bytes(out, "", 1);
		string_add(out, object->channel);
		string_add(out, object->name);
		string_add(out, object->format);
		string_add(out, object->file);
		if (out->cut) {
			out->used = begin;
			return 1;
		}
	}
	return 0;
}

static int handle_list(struct exchange *exchange)
{
	struct listing listing = { &exchange->answer, -1 };
	const char *p;
	char from[24];
	int cut;

	if (line_find(exchange->request, "from", from, sizeof(from))) {
		p = from;
		listing.skip = text_number(&p);
	}
	cut = listing.skip < 0;
	session_sites_look();
	registry_lock_look();
	cut &= registry_each(list_one, &listing);
	registry_unlock();
	return cut ? -E2BIG : 0;
}

/* Says why session_start() has failed with this errno. */
static int start_fail(struct exchange *exchange, int error)
{
	char holders[FAULT_BYTES];
	struct text text;

	if (error == -EUSERS) {
		text_open(&text, holders, sizeof(holders));
		session_holders(&text);
		line_add(&exchange->answer, "text", holders);
		line_add_unsigned(&exchange->answer, "number", SESSIONS_MAX);
	}
	return exchange_fail(exchange, error, session_failure(error));
}

static int handle_start(struct exchange *exchange)
{
	struct session *session = sys_map_anonymous(sizeof(*session));
	struct text *out = &exchange->answer;
	struct session_page *page;
	struct session *started;
	char fault[FAULT_BYTES], all[4];
	struct text why;
	uint32_t matched = 0;
	bool faulty = false;
	int ret;

	if (!session)
		return exchange_fail(exchange, -ENOMEM, CAUSE_SESSION_MEMORY);
	text_open(&why, fault, sizeof(fault));
	ret = session_parse(session, exchange->request, &why);
	if (ret) {
		rule_fail(exchange, ret, fault);
		goto unmap;
	}
	ret = session_start(session, &matched);
	started = ret < 0 ? NULL : session_at((uint32_t)ret);
	page = started ? started->channel->page : NULL;
	/* rings that the request's own quota forbids are not put off */
	if (started && session->quota)
		channel_rings_make(started->channel);
	/* the first rule whose condition can hold for no marker; with "some",
	 * it holds for one of another process */
	for (uint32_t i = 0; started && !faulty && i < started->nrules; i++)
		faulty = !line_find(exchange->request, "some", all,
				    sizeof(all)) &&
			 session_rule_fault(page, &started->rules[i], &why);
	if (!started) {
		ret = start_fail(exchange, ret);
	} else if (faulty && !(matched && line_find(exchange->request, "all",
						    all, sizeof(all)))) {
		session_destroy(started);
		ret = rule_fail(exchange, -EINVAL, fault);
	} else if (session->quota && page->roomless == EDQUOT) {
		/* the request itself leaves no room */
		session_destroy(started);
		ret = start_fail(exchange, -EDQUOT);
	} else {
		act_note(&page->started, exchange);
		line_add_unsigned(out, "session", (uint64_t)ret);
		line_add_unsigned(out, "matched", matched);
		line_add_unsigned(out, "buffer", page->ring_bytes);
		line_add_unsigned(out, "asked", page->asked_bytes);
		line_add_unsigned(out, "roomless", page->roomless);
		inheritance_begin(exchange->request);
		if (why.used)
			line_add(out, "fault", fault);
		ret = 0;
	}
unmap:
	sys_munmap(session, sizeof(*session));
	return ret;
}

/* Returns the session that the request names, or NULL and an answer that says
 * why. */
static struct session *session_named(struct exchange *exchange, int *ret)
{
	struct session *session = NULL;
	char name[SESSION_NAME_BYTES];

	if (line_find(exchange->request, "name", name, sizeof(name)))
		session = session_find(name);
	if (!session)
		*ret = exchange_fail(exchange, -ENOENT, CAUSE_SESSION_NONE);
	else if (session->owned)
		*ret = exchange_fail(exchange, -EPERM, CAUSE_SESSION_OF_GDB);
	else
		return session;
	return NULL;
}

/* Enables or disables the markers of a rule. */
static int handle_rule(struct exchange *exchange)
{
	bool wanted = exchange->type == MESSAGE_ENABLE;
	char string[LINE_VALUE_BYTES], fault[FAULT_BYTES];
	struct session_rule rule;
	uint32_t matched = 0;
	struct session *session;
	struct text why;
	int ret;

	session = session_named(exchange, &ret);
	if (!session)
		return ret;
	if (!line_find(exchange->request, "rule", string, sizeof(string)))
		return exchange_fail(exchange, -EINVAL, CAUSE_RULE_NONE);
	text_open(&why, fault, sizeof(fault));
	ret = session_rule_parse(&rule, string, &why);
	if (ret)
		return rule_fail(exchange, ret, fault);
	session_lines_take(exchange->request);
	rule.lines = session_lines_set(exchange->request);
	/* one that enable has brought, which selects nothing */
	if (!wanted && line_find(exchange->request, "back", string,
				 sizeof(string))) {
		ret = session_rule_withdraw(session, rule.glob);
		return ret ? exchange_fail(exchange, ret, CAUSE_THREAD_WRITES) :
			     0;
	}
	if (!wanted && rule.condition[0])
		return exchange_fail(exchange, -EINVAL,
				     CAUSE_RULE_CONDITION_OFF);
	if (wanted && session->phase != SESSION_RUNS)
		return exchange_fail(exchange, -ECANCELED,
				     CAUSE_SESSION_STOPPED);
	rule.wanted = wanted;
	ret = session_rule(session, &rule, &matched, &why);
	if (!ret)
		act_note(&session->channel->page->changed, exchange);
	if (ret == -ETIMEDOUT)
		return exchange_fail(exchange, ret, CAUSE_THREAD_WRITES);
	if (ret)
		return rule_fail(exchange, ret, fault);
	line_add_unsigned(&exchange->answer, "matched", matched);
	return 0;
}

/* Closes sub-buffers. Of rings that processes share, one of them does so: each
 * would give up the rest of another sub-buffer. */
static int handle_flush(struct exchange *exchange)
{
	char own[LINE_VALUE_BYTES];
	int ret;
	struct session *session = session_named(exchange, &ret);

	if (!session)
		return ret;
	if (session_flush(session, line_find(exchange->request, "own", own,
					     sizeof(own))))
		line_add_unsigned(&exchange->answer, "shared", 1);
	return 0;
}

/* Stops or destroys a session. */
static int handle_change(struct exchange *exchange)
{
	static int (*const changes[])(struct session *session) = {
		[MESSAGE_STOP] = session_stop,
		[MESSAGE_DESTROY] = session_destroy,
	};
	int ret;
	struct session *session = session_named(exchange, &ret);

	if (!session)
		return ret;
	if (exchange->type == MESSAGE_STOP && session->phase == SESSION_RUNS)
		act_note(&session->channel->page->changed, exchange);
	channel_page_end(session->channel);
	ret = changes[exchange->type](session);
	if (ret)
		exchange_fail(exchange, ret, CAUSE_THREAD_WRITES);
	return ret;
}

static int handle_status(struct exchange *exchange)
{
	struct session *session;

	for (uint32_t i = 0; i < SESSIONS_MAX; i++) {
		session = session_at(i);
		if (session)
			session_describe(session, &exchange->answer);
	}
	callback_describe(&exchange->answer);
	session_untaken_tell(&exchange->answer);
	return 0;
}

static int handle_gdb(struct exchange *exchange)
{
	char path[PLACE_SOCKET_BYTES], keep[LINE_VALUE_BYTES];
	enum cause_id cause;
	int ret = gdb_open(&cause);

	if (ret)
		return exchange_fail(exchange, ret, cause);
	if (line_find(exchange->request, "keep", keep, sizeof(keep)) &&
	    text_equal(keep, "1"))
		gdb_keep();
	place_socket_path(path, sizeof(path), GDB_SOCKET);
	line_add(&exchange->answer, "path", path);
	return 0;
}

static int handle_gdbserver(struct exchange *exchange)
{
	char on[LINE_VALUE_BYTES];
	int ret;

	if (!line_find(exchange->request, "on", on, sizeof(on)))
		return exchange_fail(exchange, -EINVAL,
				     CAUSE_REQUEST_SWITCH_NONE);
	ret = ipa_serve(text_equal(on, "1"));
	if (!ret)
		return 0;
	return exchange_fail(exchange, ret, ret == -EPERM ?
			     CAUSE_GDBSERVER_OFF : ret == -ENOTSUP ?
			     CAUSE_GDBSERVER_FORKED : CAUSE_GDBSERVER_NO_ROOM);
}

static int handle_detach(struct exchange *exchange)
{
	char force[LINE_VALUE_BYTES] = "", list[FAULT_BYTES];
	char names[CHANNELS_MAX * SESSION_NAME_BYTES];
	struct text drops, stopped;
	int ret;

	line_find(exchange->request, "force", force, sizeof(force));
	text_open(&drops, list, sizeof(list));
	text_open(&stopped, names, sizeof(names));
	ret = attach_undo(text_equal(force, "1"), &drops, &stopped);
	if (!ret || ret == -ENOTEMPTY)
		line_add(&exchange->answer, "drops", list);
	if (!ret && unload_offered && unload_offered())
		line_add(&exchange->answer, "unload", "1");
	if (ret && stopped.used)
		line_add(&exchange->answer, "stopped", names);
	if (!ret)
		return 0;
	return exchange_fail(exchange, ret, ret == -ENOTEMPTY ?
			     CAUSE_DETACH_LOSES : ret == -EBUSY ?
			     CAUSE_GDBSERVER_ATTACHED : CAUSE_THREAD_WRITES);
}

static int (*const handlers[])(struct exchange *exchange) = {
	[MESSAGE_HELLO] = handle_hello,
	[MESSAGE_LIST] = handle_list,
	[MESSAGE_START] = handle_start,
	[MESSAGE_ENABLE] = handle_rule,
	[MESSAGE_DISABLE] = handle_rule,
	[MESSAGE_STOP] = handle_change,
	[MESSAGE_FLUSH] = handle_flush,
	[MESSAGE_DESTROY] = handle_change,
	[MESSAGE_STATUS] = handle_status,
	[MESSAGE_GDB] = handle_gdb,
	[MESSAGE_GDBSERVER] = handle_gdbserver,
	[MESSAGE_DETACH] = handle_detach,
};

void control_obey(struct message *message, const struct ucred *peer,
		  const char *payload, char *answer)
{
	struct exchange exchange = { .type = message->type,
				     .request = payload, .peer = *peer };

	text_open(&exchange.answer, answer, PROTOCOL_PAYLOAD_MAX);
	if (message->version != PROTOCOL_VERSION) {
		line_add_unsigned(&exchange.answer, "version",
				  PROTOCOL_VERSION);
		message->status = -EPROTO;
	} else if (message->type >= ARRAY_SIZE(handlers) ||
		   !handlers[message->type]) {
		message->status = exchange_fail(&exchange, -ENOSYS,
						CAUSE_REQUEST_UNKNOWN);
	} else {
		message->status = handlers[message->type](&exchange);
	}
	message->version = PROTOCOL_VERSION;
	message->bytes = (uint32_t)exchange.answer.used;
}

/* Tells whether the command at the other end has given up: the user has read
 * that the request failed. */
static bool has_left(int fd)
{
	struct pollfd look = { .fd = fd, .events = POLLRDHUP };

	return sys3(SYS_poll, &look, 1, 0) == 1;
}

int control_serve(int fd)
{
	struct message message;
	uint64_t room, bytes;	/* of the request, and of both */
	struct ucred peer;
	char *memory, *answer;	/* the request, and behind it the answer */
	char line[24];		/* the answer without memory */
	struct text text;
	bool known;
	int ret = bytes_receive(fd, &message, sizeof(message));

	if (ret)
		return ret;
	if (message.magic != PROTOCOL_MAGIC ||
	    message.bytes > PROTOCOL_PAYLOAD_MAX)
		return -EPROTO;
	room = (message.bytes | (CONTROL_REQUEST_BYTES - 1)) + 1ull;
	bytes = room + PROTOCOL_PAYLOAD_MAX;
	memory = sys_map_anonymous(bytes);
	if (!memory) {
		text_open(&text, line, sizeof(line));
		line_add_unsigned(&text, "cause", CAUSE_SESSION_MEMORY);
		message.version = PROTOCOL_VERSION;
		message.status = -ENOMEM;
		message.bytes = (uint32_t)text.used;
		if (!bytes_send(fd, &message, sizeof(message)))
			bytes_send(fd, line, message.bytes);
		return -ENOMEM;
	}
	answer = memory + room;
	/* A request of another version is not read: the answer says which
	 * version this is, and the connection is closed. */
	known = message.version == PROTOCOL_VERSION;
	ret = peer_learn(fd, &peer);
	if (!ret && known) {
		ret = bytes_receive(fd, memory, message.bytes);
		/* it must not be obeyed later */
		if (!ret && has_left(fd))
			ret = -EPIPE;
		memory[message.bytes] = 0;
	}
	if (ret)
		goto unmap;
	control_obey(&message, &peer, memory, answer);
	/* nobody knows of a session that has begun meanwhile */
	if (message.type == MESSAGE_START && !message.status && has_left(fd)) {
		message.type = MESSAGE_DESTROY;
		control_obey(&message, &peer, memory, answer);
		ret = -EPIPE;
		goto unmap;
	}
	ret = bytes_send(fd, &message, sizeof(message));
	if (!ret)
		ret = bytes_send(fd, answer, message.bytes);
	if (!ret && !known)
		ret = -EPROTO;
unmap:
	sys_munmap(memory, bytes);
	return ret;
}
