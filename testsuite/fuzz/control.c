/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: requests to the agent's control socket.
 *
 * Messages of all types with lines of all keys, and then some bytes changed, go
 * through a socket into control_serve(), which is given sessions that do
 * nothing. Whatever comes: the agent hangs up, or answers in the form of the
 * protocol, a failure with its reason; what it makes of a session or a rule is
 * in the bounds that all others rely on; and it never waits.
 */
#include "testsuite/fuzz/fuzz.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/attached-private.h"
#include "agent/control-private.h"
#include "agent/callbacks.h"
#include "base/file.h"
#include "control/protocol.h"
#include "control/service/service.h"
#include "control/sessions/budget.h"
#include "control/sessions/place.h"
#include "control/sessions/session.h"
#include "control/threads/log.h"
#include "gdbstub/ipa/ipa.h"
#include "gdbstub/stub/open.h"
#include "tracepoints/frames/frames-ring.h"
#include "tracepoints/sites/lock.h"

#define TEXT_MAX	2000

/* What a request did that it must not; the sessions that it finds. */
static const char *wrong;
static struct session sessions[SESSIONS_MAX];
static struct channel fake_channels[SESSIONS_MAX];
static struct session_page pages[SESSIONS_MAX];
static struct process_page page = { .pid = 1 };

struct process process = { .page = &page };
char place_runtime[PROTOCOL_DIR_BYTES] = "/nonexistent";
char place_process[240] = "/nonexistent/1.1";

int attach_undo(int force, struct text *drops, struct text *stopped)
{
	(void)stopped;
	text_add(drops, "1 event of session 's'");
	return force ? 0 : -ENOTEMPTY;
}

void callback_describe(struct text *out)
{
	(void)out;
}

bool budget_collected(const char *session)
{
	(void)session;
	return false;
}

bool budget_ended(const char *session)
{
	(void)session;
	return false;
}

void session_obey_environment(struct session *session)
{
	(void)session;
}

int place_sessions_open(void)
{
	return -ENOENT;
}

const uint8_t *place_boot_id(void)
{
	static const uint8_t id[16];

	return id;
}

int place_choose(void)
{
	return -ENAMETOOLONG;
}

void known_settle(bool all)
{
}

bool quiet_settled(int at)
{
	return false;
}

void quiet_settle(int at)
{
}

void place_sessions_keep(int fd)
{
	(void)fd;
}

int gdb_open(enum cause_id *cause)
{
	*cause = CAUSE_GDB_OFF;
	return -EPERM;
}

void gdb_keep(void)
{
}

int ipa_serve(int on)
{
	return on ? -EPERM : 0;
}

void log_fact(enum log_level level, const char *module, const char *fact,
	      int64_t number)
{
	(void)level;
	(void)module;
	(void)fact;
	(void)number;
}

int peer_learn(int fd, struct ucred *peer)
{
	socklen_t bytes = sizeof(*peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, peer, &bytes) ? -errno :
								       0;
}

void entries_each(int fd, void (*call)(int fd, const char *name, void *arg),
		  void *arg)
{
	(void)fd;
	(void)call;
	(void)arg;
}

int frame_ring_open(struct frame_ring *r, const struct channel *channel,
		    uint32_t i)
{
	(void)r;
	(void)channel;
	(void)i;
	return -ENOENT;
}

int frame_ring_look(struct frame_ring *r)
{
	(void)r;
	return -ENOENT;
}

void place_socket_path(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s", name);
}

uint64_t place_number(int64_t pid)
{
	return (uint64_t)pid;
}

int64_t place_parent(int64_t pid)
{
	(void)pid;
	return 0;
}

uint32_t place_denial(int error)
{
	(void)error;
	return 0;
}

int registry_each(int (*fn)(struct object *object, void *arg), void *arg)
{
	(void)fn;
	(void)arg;
	return 0;
}

void registry_lock_look(void)
{
}

void registry_unlock(void)
{
}

void session_sites_look(void)
{
}

/* All has come before it is asked for, or never will. */
int service_wait(int fd, short events, int64_t ms)
{
	struct pollfd pollfd = { .fd = fd, .events = events };

	(void)ms;
	return poll(&pollfd, 1, 0) == 1 ? 0 : -ETIMEDOUT;
}

static void rule_judge(const struct session_rule *rule)
{
	struct expr_error error;

	if (!memchr(rule->glob, 0, sizeof(rule->glob)) || !rule->glob[0])
		wrong = "a bad glob";
	else if (!memchr(rule->condition, 0, sizeof(rule->condition)))
		wrong = "a condition without an end";
	else if (rule->condition[0] && expr_check(rule->condition, &error))
		wrong = "a condition that is none";
}

uint32_t session_events_on(const struct session *session)
{
	return session->nrules;
}

int session_start(const struct session *model, uint32_t *matched)
{
	uint32_t i;

	if (!memchr(model->name, 0, sizeof(model->name)) || !model->name[0] ||
	    strchr(model->name, '/') || model->name[0] == '.')
		wrong = "a bad name";
	if ((model->contexts > 31 && model->contexts != CONTEXT_WRITER) ||
	    model->buffer > RING_MAX_BYTES || model->flags > 7 ||
	    !model->nrules ||
	    model->nrules > SESSION_RULES_MAX)
		wrong = "a bad session";
	for (i = 0; i < model->nrules && !wrong; i++)
		rule_judge(&model->rules[i]);
	if (session_find(model->name))
		return -EEXIST;
	for (i = 0; i < SESSIONS_MAX && sessions[i].phase; i++)
		;
	if (i == SESSIONS_MAX)
		return -ENOSPC;
	sessions[i] = *model;
	sessions[i].phase = SESSION_RUNS;
	sessions[i].channel = &fake_channels[i];
	fake_channels[i].page = &pages[i];
	*matched = 1;
	return (int)i;
}

void session_untaken_tell(struct text *out)
{
	(void)out;
}

struct session *session_find(const char *name)
{
	uint32_t i;

	for (i = 0; i < SESSIONS_MAX; i++)
		if (sessions[i].phase && !strcmp(sessions[i].name, name))
			return &sessions[i];
	return NULL;
}

struct session *session_at(uint32_t number)
{
	return sessions[number].phase ? &sessions[number] : NULL;
}

bool session_keeps(void)
{
	return false;
}

int64_t session_keep_look(void)
{
	return -1;
}

void session_keep_end(void)
{
}

void place_clock_settle(uint64_t told)
{
	(void)told;
}

void channel_rings_make(struct channel *channel)
{
	(void)channel;
}

void channel_replaced_count(const struct channel *channel,
			    struct replaced_sums *sums)
{
	(void)channel;
	memset(sums, 0, sizeof(*sums));
}

int session_rule(struct session *session, const struct session_rule *rule,
		 uint32_t *matched, struct text *why)
{
	(void)session;
	(void)why;
	rule_judge(rule);
	*matched = 0;
	return 0;
}

int session_rule_withdraw(struct session *session, const char *glob)
{
	(void)session;
	if (!memchr(glob, 0, SESSION_RULE_BYTES) || !*glob)
		wrong = "a bad glob";
	return 0;
}

int session_stop(struct session *session)
{
	session->phase = SESSION_HALTED;
	return 0;
}

bool session_flush(struct session *session, bool own)
{
	(void)session;
	return own;
}

int session_destroy(struct session *session)
{
	session->phase = SESSION_FREE;
	return 0;
}

static const char *const lines[] = {
	"name=a\n", "name=b\n", "name=long-long-long-name\n", "name=.x\n",
	"name=\n", "mode=discard\n", "mode=overwrite\n", "mode=other\n",
	"buffer=262144\n", "buffer=99999999999999999999\n", "buffer=-1\n",
	"quota=1000000\n", "group=5\n", "group=0\n", "context=vtid,ip\n",
	"heirs=s@1.2\n", "heirs=\n", "unrule=app/*\n",
	"context=vtid,,x\n", "consumed=1\n", "rule=*\n", "rule=app/*\n",
	"rule=app/x if id > 1\n", "rule=app/x if s == \"a\" && b < 2.5\n",
	"rule=app/x(str,,str)\n", "rule=app/x if (\n", "rule= if 1\n",
	"on=1\n", "on=0\n", "junk\n", "=\n", "unknown=1\n",
};

static size_t text_make(struct fuzz *fuzz, char *text)
{
	uint64_t n = fuzz_less(fuzz, fuzz_less(fuzz, 32) ? 5 : 90);
	size_t bytes = 0;

	while (n-- && bytes < TEXT_MAX - 700) {
		const char *line = lines[fuzz_less(
			fuzz, sizeof(lines) / sizeof(*lines))];

		memcpy(text + bytes, line, strlen(line));
		bytes += strlen(line);
		if (!fuzz_less(fuzz, 100)) {
			memset(text + bytes - 1, 'y', 600);
			bytes += 600;
			text[bytes - 1] = '\n';
		}
	}
	if (!fuzz_less(fuzz, 3))
		fuzz_mutate(fuzz, (uint8_t *)text, bytes);
	return bytes;
}

static int ends[2] = { -1, -1 };

static void connect_anew(void)
{
	close(ends[0]);
	close(ends[1]);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		abort();
}

/* The answer, if there is one, and nothing behind it. */
static const char *answer_judge(const struct message *asked, int served)
{
	static char bytes[1u << 20];
	ssize_t n = recv(ends[1], bytes, sizeof(bytes), MSG_DONTWAIT);
	struct message got;

	if (n < 0)
		return served ? NULL : "no answer";
	memcpy(&got, bytes, sizeof(got));
	if ((size_t)n < sizeof(got) || got.magic != PROTOCOL_MAGIC ||
	    got.version != PROTOCOL_VERSION || got.type != asked->type ||
	    got.status > 0 || got.bytes != (size_t)n - sizeof(got))
		return "an answer of another form";
	if (got.status && got.status != -EPROTO &&
	    !memmem(bytes + sizeof(got), got.bytes, "cause=", 6))
		return "a failure without a reason";
	return NULL;
}

static void try(struct fuzz *fuzz)
{
	struct {
		struct message head;
		char text[TEXT_MAX];
	} request = { .head = { PROTOCOL_MAGIC, PROTOCOL_VERSION, 0, 0, 0 } };
	size_t bytes = text_make(fuzz, request.text);
	const char *what;
	int served;

	request.head.type = (uint16_t)fuzz_less(fuzz, MESSAGE_DETACH + 2);
	if (!fuzz_less(fuzz, 4))
		request.head.type = MESSAGE_START;
	request.head.bytes = (uint32_t)bytes;
	if (!fuzz_less(fuzz, 32))
		fuzz_mutate(fuzz, (uint8_t *)&request.head,
			    sizeof(request.head));
	wrong = NULL;
	if (send(ends[1], &request, sizeof(request.head) + bytes, 0) < 0)
		abort();
	served = control_serve(ends[0]);
	what = answer_judge(&request.head, served);
	if (what || wrong)
		fuzz_fail(fuzz, what ? what : wrong, &request,
			  sizeof(request.head) + bytes);
	fuzz->accepted += !served;
	if (served || request.head.bytes != bytes)
		connect_anew();
}

int main(int argc, char **argv)
{
	struct fuzz fuzz;

	fuzz_open(&fuzz, "control", argc, argv);
	connect_anew();
	for (; fuzz.done < fuzz.inputs; fuzz.done++) {
		try(&fuzz);
		if (!fuzz_less(&fuzz, 64))
			memset(sessions, 0, sizeof(sessions));
	}
	return fuzz_end(&fuzz, 500);
}
