/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Talking to an agent, and the text of requests and answers: lines "key=value".
 * See client.h.
 *
 * Invariant: the socket is non-blocking and each wait counts against one
 * deadline a call, so a peer that trickles bytes gains no time.
 */
#include "command/agents/client.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "command/agents/client-private.h"
#include "command/common/command.h"
#include "command/common/limits.h"
#include "command/common/monotonic.h"
#include "command/procfs/process.h"
#include "command/procfs/rlimits.h"

/* Sends the bytes (POLLOUT), or receives them (POLLIN), until the deadline.
 * Returns 0 or a negative errno: -ECONNRESET when the agent has hung up,
 * -ETIMEDOUT. */
static int socket_move(int fd, short way, void *data, size_t bytes,
		       int64_t deadline)
{
	struct pollfd pfd = { .fd = fd, .events = way };
	char *p = data;
	int64_t left;
	ssize_t n;

	while (bytes) {
		n = way == POLLOUT ? send(fd, p, bytes, MSG_NOSIGNAL) :
				     recv(fd, p, bytes, 0);
		if (n > 0) {
			p += n;
			bytes -= n;
			continue;
		}
		if (!n && way == POLLIN)
			return -ECONNRESET;
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return errno == EPIPE ? -ECONNRESET : -errno;
		if (!n || errno == EINTR)
			continue;
		do {
			left = deadline - monotonic_ms();
			if (left <= 0)
				return -ETIMEDOUT;
			n = poll(&pfd, 1, (int)left);
		} while (!n || (n < 0 && errno == EINTR));
		if (n < 0)
			return -errno;
	}
	return 0;
}

/* Says why a process without a socket, or with one that does not listen, cannot
 * be reached: the facts of the page come first. */
static int client_deaf(struct client *client,
		       const struct rundir_process *process, int64_t served)
{
	bool lives = rundir_lives(process);
	pid_t pid = process->pid;

	if (limits_blind())
		return cause_set(&client->cause, -ESRCH, NO_PROC);
	if (!lives)
		return cause_set(&client->cause, -ESRCH, PROCESS_ENDED,
				 .pid = pid);
	if (activation_refused(process) == ENOTSUP)
		return cause_set(&client->cause, -ESRCH, AGENT_SERVICE_OFF,
				 .pid = pid);
	if (activation_refused(process) == ENOSYS)
		return cause_set(&client->cause, -ESRCH, THREAD_DISPATCHED,
				 .pid = pid);
	if (served > CLIENT_AGAIN_MS)
		return cause_set(&client->cause, -ETIMEDOUT, AGENT_THREAD_ENDED,
				 .pid = pid);
	/* the service thread may have ended a moment before */
	if (process_stopped_why(pid, &client->cause))
		return -ETIMEDOUT;
	return cause_set(&client->cause, -ESRCH, AGENT_DEAF, .pid = pid);
}

/* Says why connect(2) failed with this errno. */
static int client_unconnected(struct client *client,
			      const struct rundir_process *process, int error,
			      int64_t served)
{
	int failed = error == -ENOENT && rundir_lives(process) ?
			     activation_failed(process) : 0;
	const char *why = failed ? activation_given_up(process) : NULL;
	pid_t pid = process->pid;

	/* the service thread could make no socket */
	if (why)
		return cause_set(&client->cause, -failed,
				 AGENT_SOCKET_UNREACHED, .pid = pid,
				 .error = failed, .path = rundir_shown(process),
				 .text = why);
	if (failed > 0)
		return cause_set(&client->cause, -failed, AGENT_SOCKET_UNMADE,
				 .pid = pid, .error = failed,
				 .path = rundir_shown(process));
	switch (error) {
	case -ENOENT:
	case -ECONNREFUSED:
		return client_deaf(client, process, served);
	case -ESTALE:
		return cause_set(&client->cause, error, PROCESS_EXECUTES,
				 .pid = pid);
	case -EPERM:
		return cause_set(&client->cause, error, SOCKET_STRANGE,
				 .pid = pid, .path = process->path);
	case -EACCES:
		return cause_set(&client->cause, error, CONTROL_DENIED,
				 .pid = pid);
	case -EAGAIN:
		if (process_stopped_why(pid, &client->cause))
			return -ETIMEDOUT;
		return cause_set(&client->cause, -ETIMEDOUT, AGENT_BUSY,
				 .pid = pid);
	default:
		return cause_set(&client->cause, error, AGENT_CONNECT_FAILED,
				 .pid = pid, .error = error);
	}
}

/* Returns true where the agent began a moment ago: on a busy machine, its
 * service thread may need longer than CLIENT_START_MS to listen. */
static bool agent_young(const struct rundir_process *process, int64_t now)
{
	struct process_page page;
	int64_t age;

	if (rundir_read_process(process, process->image, &page))
		return false;
	age = now - (int64_t)(page.start.monotonic_ns / 1000000);
	return age >= 0 && age < CLIENT_YOUNG_MS;
}

/*
 * Returns true when a connection that failed may still succeed. -EAGAIN: the
 * backlog is full, and poll() does not report that. No socket, or no listener:
 * the process is just starting, or just ending; or it has ended the service
 * thread that came last (control/service/demand.c).
 */
static bool connect_later(int error, const struct rundir_process *process,
			  int64_t begin, int64_t came)
{
	int64_t now = monotonic_ms();
	uint32_t image;

	if (now - begin >= CLIENT_TIMEOUT_MS)
		return false;
	if (error == -EAGAIN)
		return !process_stopped(process->pid);
	if (rundir_executed(process, &image))
		return false;
	return (error == -ENOENT || error == -ECONNREFUSED) &&
	       (now - came < CLIENT_START_MS || process_killed(process->pid) ||
		agent_young(process, now)) &&
	       rundir_lives(process);
}

static const struct timespec while_waiting = { .tv_nsec = 1000000 };

/* Waits for the end of a process that seems to end: the threads are gone, or
 * the connection broke. The kernel closes the descriptors of an ending process
 * first; the caller must find it dead. Returns true when it has ended. */
static bool end_await(const struct rundir_process *process)
{
	int64_t begin = monotonic_ms();
	bool lives;

	while ((lives = rundir_lives(process)) &&
	       (monotonic_ms() - begin < CLIENT_START_MS ||
		(process_killed(process->pid) &&
		 monotonic_ms() - begin < CLIENT_TIMEOUT_MS)))
		nanosleep(&while_waiting, NULL);
	return !lives;
}

/* Opens a socket, or the file of a process that a signal calls. */
static int client_reach(struct client *client)
{
	int socket = rundir_connect(client->process, "control.sock");
	int file;

	if (socket != -ENOENT && socket != -ECONNREFUSED)
		return socket;
	file = called_open(client->process);
	client->called = file >= 0;
	return file == -ENOENT ? socket : file;
}

int client_connect(struct client *client, const struct rundir_process *process)
{
	int64_t begin = monotonic_ms(), came = begin;
	struct ucred cred;
	socklen_t bytes = sizeof(cred);
	int ret = 0;

	client->cause.id = CAUSE_NONE;
	client->answered = false;
	client->last = false;
	client->called = false;
	client->process = process;
	client->timeout_ms = CLIENT_TIMEOUT_MS;
	while ((client->fd = client_reach(client)) < 0 &&
	       connect_later(client->fd, process, begin, came)) {
		/* it came, and went */
		if (ret > 0 && activation_failed(process) > 0)
			break;
		ret = 0;
		if (client->fd != -EAGAIN)
			ret = activation_run(process, &client->cause);
		if (ret < 0)
			break;
		/* the program may end the thread that has come soon */
		if (ret > 0)
			came = monotonic_ms();
		else
			nanosleep(&while_waiting, NULL);
	}
	if (client->fd < 0) {
		ret = client->cause.id ? ret : client->fd;
		client->fd = -1;
		if (ret == -ESRCH)
			end_await(process);
		return client->cause.id ? ret :
					  client_unconnected(client, process,
							     ret, came - begin);
	}
	if (client->called)
		return 0;
	/* a listener of another user could deceive the command */
	ret = 0;
	if (getsockopt(client->fd, SOL_SOCKET, SO_PEERCRED, &cred, &bytes))
		ret = cause_set(&client->cause, -EPERM, SOCKET_OWNER_UNKNOWN,
				.pid = process->pid);
	else if (cred.uid != geteuid() && cred.uid &&
		 cred.uid != process->uid && geteuid())
		ret = cause_set(&client->cause, -EPERM, SOCKET_OWNER,
				.pid = process->pid, .n = cred.uid);
	if (ret)
		client_close(client);
	return ret;
}

void client_close(struct client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	client->fd = -1;
}

/* Returns the process of a connection, or 0. */
static pid_t client_pid(const struct client *client)
{
	return client->process ? client->process->pid : 0;
}

static int version_refuse(struct client *client, unsigned int version)
{
	return cause_set(&client->cause, -EPROTO, AGENT_VERSION,
			 .pid = client_pid(client), .n = version);
}

/* Checks an answer's header before memory is allocated for the payload. Returns
 * 0, or a negative errno and the cause. */
static int header_check(struct client *client, const struct message *head,
			enum message_type type)
{
	if (head->magic != PROTOCOL_MAGIC)
		return cause_set(&client->cause, -EBADMSG, AGENT_ANSWER_STRANGE,
				 .pid = client_pid(client));
	if (head->version != PROTOCOL_VERSION)
		return version_refuse(client, head->version);
	if (head->bytes > PROTOCOL_PAYLOAD_MAX || head->status > 0 ||
	    head->status < -4095 ||
	    (head->type != type && head->status != -EPROTO))
		return cause_set(&client->cause, -EBADMSG,
				 AGENT_ANSWER_MALFORMED,
				 .pid = client_pid(client));
	return 0;
}

/* Receives an answer; the caller releases it, whatever the result. Returns 0 or
 * a negative errno, which client->cause may explain. */
static int answer_receive(struct client *client, enum message_type type,
			  struct client_answer *answer, int32_t *status,
			  int64_t deadline)
{
	struct message head;
	int ret;

	ret = socket_move(client->fd, POLLIN, &head, sizeof(head), deadline);
	if (ret)
		return ret;
	ret = header_check(client, &head, type);
	if (ret)
		return ret;
	answer->payload = malloc((size_t)head.bytes + 1);
	if (!answer->payload)
		return cause_set(&client->cause, -ENOMEM, OUT_OF_MEMORY);
	answer->payload[head.bytes] = '\0';
	answer->bytes = head.bytes;
	*status = head.status;
	return socket_move(client->fd, POLLIN, answer->payload, head.bytes,
			   deadline);
}

/* Sends a request and receives the answer, once. Returns 0 and the agent's
 * status; -EAGAIN: the agent hung up, and the request may be sent again; or
 * another negative errno and the cause. */
static int request_exchange(struct client *client, enum message_type type,
			    const struct client_request *request,
			    struct client_answer *answer, int32_t *status)
{
	pid_t pid = client_pid(client);
	enum process_stop stop = process_stopped_by(pid, NULL);
	int64_t ms = stop == PROCESS_RUNS ||
				     client->timeout_ms < CLIENT_STOPPED_MS ?
			     client->timeout_ms : CLIENT_STOPPED_MS;
	int64_t deadline = monotonic_ms() + ms;
	struct message head = {
		.magic = PROTOCOL_MAGIC,
		.version = PROTOCOL_VERSION,
		.type = type,
		.bytes = request ? request->bytes : 0,
	};
	bool sent, repeatable;
	int ret;

	/* the agent would obey later a request that the command calls failed. A
	 * tracer may stop the process for an instant only. */
	if (stop == STOPPED_BY_SIGNAL)
		return cause_set(&client->cause, -ETIMEDOUT, PROCESS_STOPPED,
				 .pid = pid);
	if (client->called) {
		ret = called_exchange(client, &head, request, answer, ms);
		*status = head.status;
		return ret ? ret : header_check(client, &head, type);
	}
	ret = socket_move(client->fd, POLLOUT, &head, sizeof(head), deadline);
	if (!ret && head.bytes)
		ret = socket_move(client->fd, POLLOUT, request->text,
				  head.bytes, deadline);
	/* the agent hangs up when a part of a request is late */
	sent = !ret;
	if (sent)
		ret = answer_receive(client, type, answer, status, deadline);
	/* it may be sent again if the agent has not seen all of it, or if it
	 * changes nothing */
	repeatable = !client->last && (!sent || !client->answered ||
				       type == MESSAGE_LIST ||
				       type == MESSAGE_STATUS);
	if (ret == -ECONNRESET && repeatable && rundir_lives(client->process))
		return -EAGAIN;
	if (ret == -ECONNRESET && end_await(client->process))
		ret = cause_set(&client->cause, -ESRCH, PROCESS_ENDED,
				.pid = pid);
	client->answered |= !ret;
	if (ret == -ETIMEDOUT && !process_stopped_why(pid, &client->cause))
		cause_set(&client->cause, 0, AGENT_SILENT, .pid = pid, .n = ms);
	else if (ret && !client->cause.id)
		cause_set(&client->cause, ret, AGENT_HUNG_UP, .pid = pid,
			  .error = ret);
	return ret;
}

/* Returns the text of the first line KEY=TEXT of an answer, or NULL. */
static const char *answer_line(const struct client_answer *answer,
			       const char *key)
{
	size_t n = strlen(key);
	const char *line = answer->payload;

	while (line && *line) {
		if (!strncmp(line, key, n) && line[n] == '=')
			return line + n + 1;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return NULL;
}

/* Takes the cause out of a failure. A text that is too long is cut, and control
 * characters become "?". */
static void client_refused(struct client *client,
			   const struct client_answer *answer, int status)
{
	uint64_t id = client_answer_number(answer, "cause");
	const char *line = answer_line(answer, "text");
	char text[CAUSE_TEXT_BYTES] = "";
	struct cause_slots slots = {
		.pid = client_pid(client),
		.error = status,
		.n = (int64_t)client_answer_number(answer, "number"),
		.text = text,
		.path = client->process ? rundir_shown(client->process) : "",
	};

	if (line)
		snprintf(text, sizeof(text), "%.*s",
			 (int)strcspn(line, "\n"), line);
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	if (status == -E2BIG)
		id = CAUSE_AGENT_LIST_LONG;
	cause_fill(&client->cause, 0,
		   cause_known(id) ? (enum cause_id)id : CAUSE_AGENT_REFUSES,
		   &slots);
}

/* Makes a request. Returns as client_call(), without the limits of the
 * process. */
static int request_make(struct client *client, enum message_type type,
			const struct client_request *request,
			struct client_answer *answer)
{
	int timeout_ms = client->timeout_ms;
	int32_t status = 0;
	int ret;

	if (request && request->failed)
		return cause_set(&client->cause, request->failed,
				 REQUEST_UNMADE, .error = request->failed);
	if (request && request->bytes > PROTOCOL_PAYLOAD_MAX)
		return cause_set(&client->cause, -EMSGSIZE, REQUEST_LONG);
	if (client->fd < 0)
		return cause_set(&client->cause, -ENOTCONN, NOT_CONNECTED);
	ret = request_exchange(client, type, request, answer, &status);
	/* the service thread was just leaving, or had no room for one more
	 * connection */
	for (int64_t begin = monotonic_ms(); ret == -EAGAIN;) {
		nanosleep(&while_waiting, NULL);
		client_close(client);
		client_answer_release(answer);
		ret = client_connect(client, client->process);
		if (ret)
			break;
		client->timeout_ms = timeout_ms;
		client->last = monotonic_ms() - begin > CLIENT_AGAIN_MS;
		ret = request_exchange(client, type, request, answer, &status);
	}
	if (ret) {
		client_close(client);
	} else if (status == -EPROTO) {
		ret = version_refuse(client,
				     client_answer_number(answer, "version"));
		client_close(client);
	} else if (status) {
		ret = status;
		client_refused(client, answer, status);
	}
	return ret;
}

int client_call(struct client *client, enum message_type type,
		const struct client_request *request,
		struct client_answer *answer)
{
	struct client_answer ours = { 0 };
	pid_t pid = client_pid(client);
	int error, ret;

	if (!answer)
		answer = &ours;
	*answer = (struct client_answer){ 0 };
	client->cause.id = CAUSE_NONE;
	ret = request_make(client, type, request, answer);
	/* the limits that the kernel reports by this errno: of an agent that is
	 * silent, by the one that it notes while it can do nothing */
	error = ret == -EMFILE || ret == -ENOMEM || ret == -EFBIG ||
				ret == -EAGAIN ?
			-ret :
		client->cause.id == CAUSE_AGENT_SILENT && client->process ?
			activation_error(client->process) : 0;
	if (pid && error)
		process_limits(pid, error, client->cause.limits,
			       sizeof(client->cause.limits));
	client_answer_release(&ours);
	return ret;
}

void client_answer_release(struct client_answer *answer)
{
	free(answer->payload);
	*answer = (struct client_answer){ 0 };
}

void client_request_add(struct client_request *request, const char *key,
			const char *format, ...)
{
	char *value = NULL, *text;
	size_t line;
	va_list ap;
	int n;

	if (request->failed)
		return;
	va_start(ap, format);
	n = vasprintf(&value, format, ap);
	va_end(ap);
	if (n < 0) {
		request->failed = -ENOMEM;
		return;
	}
	line = strlen(key) + 1 + n + 1;
	text = realloc(request->text, request->bytes + line + 1);
	if (strchr(value, '\n')) {
		request->failed = -EINVAL;
	} else if (!text) {
		request->failed = -ENOMEM;
	} else {
		snprintf(text + request->bytes, line + 1, "%s=%s\n", key,
			 value);
		request->bytes += line;
	}
	if (text)
		request->text = text;
	free(value);
}

void client_request_release(struct client_request *request)
{
	free(request->text);
	*request = (struct client_request){ 0 };
}

bool client_answer_next(struct client_answer *answer, size_t *position,
			const char **key, const char **value)
{
	while (*position < answer->bytes) {
		char *line = answer->payload + *position;
		char *end = memchr(line, '\n', answer->bytes - *position);
		char *equals;

		if (!end)
			end = answer->payload + answer->bytes;
		*end = '\0';
		*position = end - answer->payload + 1;
		equals = strchr(line, '=');
		if (!equals)
			continue;
		*equals = '\0';
		*key = line;
		*value = equals + 1;
		return true;
	}
	return false;
}

uint64_t client_answer_number(const struct client_answer *answer,
			      const char *key)
{
	const char *text = answer_line(answer, key);

	return text ? strtoull(text, NULL, 0) : 0;
}
