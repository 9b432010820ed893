/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Talking to an agent. See client.h; messages.c has the text of messages.
 *
 * What must stay true here: the socket is non-blocking and each wait counts
 * against one deadline a call, so a peer that trickles bytes gains no time.
 */
#include "command/processes/client.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "command/attach/steps.h"
#include "command/common/command.h"
#include "command/common/limits.h"
#include "command/process/rlimits.h"
#include "command/process/process.h"
#include "command/processes/called-private.h"
#include "command/processes/summon-private.h"

static int fact(struct client *client, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int fact(struct client *client, int error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(client->error, sizeof(client->error), format, ap);
	va_end(ap);
	return error;
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ll + ts.tv_nsec / 1000000;
}

static int wait_for(int fd, short events, int64_t deadline)
{
	struct pollfd pfd = { .fd = fd, .events = events };

	for (;;) {
		int64_t left = deadline - now_ms();
		int n;

		if (left <= 0)
			return -ETIMEDOUT;
		n = poll(&pfd, 1, left);
		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
	}
}

static int send_all(int fd, const void *data, size_t bytes, int64_t deadline)
{
	const char *p = data;
	int ret;

	while (bytes) {
		ssize_t n = send(fd, p, bytes, MSG_NOSIGNAL);

		if (n >= 0) {
			p += n;
			bytes -= n;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return errno == EPIPE ? -ECONNRESET : -errno;
		ret = wait_for(fd, POLLOUT, deadline);
		if (ret)
			return ret;
	}
	return 0;
}

static int receive_all(int fd, void *data, size_t bytes, int64_t deadline)
{
	char *p = data;
	int ret;

	while (bytes) {
		ssize_t n = recv(fd, p, bytes, 0);

		if (!n)
			return -ECONNRESET;
		if (n > 0) {
			p += n;
			bytes -= n;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return -errno;
		ret = wait_for(fd, POLLIN, deadline);
		if (ret)
			return ret;
	}
	return 0;
}

/* Refuses a listener of another user: it could deceive the command. */
static int check_peer(struct client *client,
		      const struct rundir_process *process)
{
	struct ucred cred;
	socklen_t bytes = sizeof(cred);

	if (getsockopt(client->fd, SOL_SOCKET, SO_PEERCRED, &cred, &bytes))
		return fact(client, -EPERM, "process %d: the owner of its "
			    "control socket is not known", process->pid);
	if (cred.uid != geteuid() && cred.uid && cred.uid != process->uid &&
	    geteuid())
		return fact(client, -EPERM, "process %d: its control socket "
			    "belongs to uid %u", process->pid,
			    (unsigned int)cred.uid);
	return 0;
}

/* Tells why there is no answer. */
static int silent(struct client *client, pid_t pid, int64_t ms)
{
	if (!process_stopped(pid))
		return fact(client, -ETIMEDOUT, "no answer within %d ms: its "
			    "threads may leave it no CPU; try again", (int)ms);
	process_say_stopped(pid, client->error, sizeof(client->error));
	return -ETIMEDOUT;
}

/* Tells why the service thread could make no socket. */
static int socketless(struct client *client,
		      const struct rundir_process *process, int error)
{
	bool lost = error == EACCES || error == EPERM || error == ENOENT;

	return fact(client, -error, "process %d cannot make its control socket "
		    "in %s: %s%s%s%s", process->pid, rundir_shown(process),
		    strerror(error), lost ? ": " : "",
		    lost ? summon_given_up(process) : "",
		    lost ? "; record it from its start (taffrail record -- "
			   "PROGRAM)" : "");
}

static int explain_connect(struct client *client,
			   const struct rundir_process *process, int error,
			   int64_t served)
{
	int failed = error == -ENOENT && rundir_lives(process) ?
			     summon_failed(process) : 0;

	if (failed > 0)
		return socketless(client, process, failed);
	switch (error) {
	case -ENOENT:
	case -ECONNREFUSED:
		if (limits_blind()) {
			process_missing(process->pid, client->error,
					sizeof(client->error));
			return -ESRCH;
		}
		if (rundir_lives(process) &&
		    summon_refused(process) == ENOTSUP)
			return fact(client, -ESRCH, "process %d serves no "
				    "command: it has TAFFRAIL_SERVICE=off",
				    process->pid);
		if (rundir_lives(process) && summon_refused(process) == ENOSYS)
			return fact(client, -ESRCH, "process %d "
				    ATTACH_DISPATCHED, process->pid);
		if (rundir_lives(process) && served > CLIENT_AGAIN_MS)
			return fact(client, -ETIMEDOUT, "process %d ends its "
				    "service thread before a command reaches "
				    "it: try again", process->pid);
		return fact(client, -ESRCH, rundir_lives(process) ?
			    "the agent of process %1$d does not listen"
			    COMMAND_SEE_DOCTOR " -p %1$d" :
			    "process %d has ended", process->pid);
	case -ESTALE:
		return fact(client, error, "process %d is executing another "
			    "program: try again", process->pid);
	case -EPERM:
		return fact(client, error, "%s/control.sock is not a socket "
			    "of process %d, or %s is not its user's file",
			    process->path, process->pid, CALL_FILE);
	case -EACCES:
		return fact(client, error, "no permission to control process "
			    "%d", process->pid);
	case -EAGAIN:
		if (process_stopped(process->pid))
			return silent(client, process->pid, 0);
		return fact(client, -ETIMEDOUT, "the agent of process %d is "
			    "busy: try again", process->pid);
	default:
		return fact(client, error, "cannot connect to process %d: %s",
			    process->pid, strerror(-error));
	}
}

/*
 * Returns true when a connection that failed may still succeed. -EAGAIN: the
 * backlog is full, and poll() does not report that. No socket, or no listener:
 * the process is just starting, or just ending; or it has ended the service
 * thread that came last (control/service/demand.c).
 */
static bool worth_waiting(int error, const struct rundir_process *process,
			  int64_t begin, int64_t came)
{
	int64_t now = now_ms();

	if (now - begin >= CLIENT_TIMEOUT_MS)
		return false;
	if (error == -EAGAIN)
		return !process_stopped(process->pid);
	return (error == -ENOENT || error == -ECONNREFUSED) &&
	       (now - came < CLIENT_START_MS || process_killed(process->pid)) &&
	       rundir_lives(process);
}

static const struct timespec while_waiting = { .tv_nsec = 1000000 };

/* Waits for the end of a process that seems to end: its threads are gone, or
 * its connection broke. The kernel closes the descriptors of an ending process
 * first; the caller must find it dead. Returns true when it has ended. */
static bool await_end(const struct rundir_process *process)
{
	int64_t begin = now_ms();
	bool lives;

	while ((lives = rundir_lives(process)) &&
	       (now_ms() - begin < CLIENT_START_MS ||
		(process_killed(process->pid) &&
		 now_ms() - begin < CLIENT_TIMEOUT_MS)))
		nanosleep(&while_waiting, NULL);
	return !lives;
}

/* Opens a socket, or the file of a process that a signal calls. */
static int reach(struct client *client)
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
	int64_t begin = now_ms(), came = begin;
	int ret = 0;

	client->error[0] = '\0';
	client->answered = false;
	client->last = false;
	client->called = false;
	client->process = process;
	client->timeout_ms = CLIENT_TIMEOUT_MS;
	while ((client->fd = reach(client)) < 0 &&
	       worth_waiting(client->fd, process, begin, came)) {
		/* it came, and went */
		if (ret > 0 && summon_failed(process) > 0)
			break;
		ret = client->fd == -EAGAIN ? 0 :
		      summon(process, client->error, sizeof(client->error));
		if (ret < 0)
			break;
		/* the program may end the thread that has come soon */
		if (ret > 0)
			came = now_ms();
		else
			nanosleep(&while_waiting, NULL);
	}
	if (client->fd < 0) {
		ret = client->error[0] ? ret : client->fd;
		client->fd = -1;
		if (ret == -ESRCH)
			await_end(process);
		return client->error[0] ? ret :
		       explain_connect(client, process, ret, came - begin);
	}
	ret = client->called ? 0 : check_peer(client, process);
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

static int refuse_version(struct client *client, unsigned int version)
{
	return fact(client, -EPROTO, "the agent speaks version %u of the "
		    "control protocol, this command version %d: use the "
		    "taffrail that belongs to the program's libtaffrail",
		    version, PROTOCOL_VERSION);
}

static int check_header(struct client *client, const struct message *head,
			enum message_type type)
{
	if (head->magic != PROTOCOL_MAGIC)
		return fact(client, -EBADMSG, "the answer is not an agent's "
			    "message");
	if (head->version != PROTOCOL_VERSION)
		return refuse_version(client, head->version);
	if (head->bytes > PROTOCOL_PAYLOAD_MAX || head->status > 0 ||
	    head->status < -4095 ||
	    (head->type != type && head->status != -EPROTO))
		return fact(client, -EBADMSG, "the agent's answer is malformed");
	return 0;
}

static int receive_answer(struct client *client, enum message_type type,
			  struct client_answer *answer, int32_t *status,
			  int64_t deadline)
{
	struct message head;
	int ret;

	ret = receive_all(client->fd, &head, sizeof(head), deadline);
	if (ret)
		return ret;
	ret = check_header(client, &head, type);
	if (ret)
		return ret;
	answer->payload = malloc((size_t)head.bytes + 1);
	if (!answer->payload)
		return fact(client, -ENOMEM, "out of memory");
	answer->payload[head.bytes] = '\0';
	answer->bytes = head.bytes;
	*status = head.status;
	return receive_all(client->fd, answer->payload, head.bytes, deadline);
}

/* Returns true when the request may be sent again: the agent has not seen all
 * of it, or it changes nothing. */
static bool repeatable(const struct client *client, enum message_type type,
		       bool sent)
{
	return !client->last && (!sent || !client->answered ||
				 type == MESSAGE_LIST ||
				 type == MESSAGE_STATUS);
}

static int exchange(struct client *client, enum message_type type,
		    const struct client_request *request,
		    struct client_answer *answer, int32_t *status)
{
	pid_t pid = client->process ? client->process->pid : 0;
	bool stopped = process_stopped(pid);
	int64_t ms = stopped && client->timeout_ms > CLIENT_STOPPED_MS ?
		     CLIENT_STOPPED_MS : client->timeout_ms;
	int64_t deadline = now_ms() + ms;
	struct message head = {
		.magic = PROTOCOL_MAGIC,
		.version = PROTOCOL_VERSION,
		.type = type,
		.bytes = request ? request->bytes : 0,
	};
	bool sent;
	int ret;

	/* the agent would do later what the command says has failed. A tracer
	 * may stop the process for an instant only. */
	if (stopped && process_status(pid, "TracerPid") <= 0)
		return silent(client, pid, ms);
	if (client->called) {
		ret = called_exchange(client, &head, request, answer, ms);
		*status = head.status;
		return ret ? ret : check_header(client, &head, type);
	}
	ret = send_all(client->fd, &head, sizeof(head), deadline);
	if (!ret && head.bytes)
		ret = send_all(client->fd, request->text, head.bytes, deadline);
	/* the agent hangs up when a part of a request is late */
	sent = !ret;
	if (sent)
		ret = receive_answer(client, type, answer, status, deadline);
	if (ret == -ECONNRESET && repeatable(client, type, sent) &&
	    rundir_lives(client->process))
		return -EAGAIN;
	if (ret == -ECONNRESET && await_end(client->process))
		ret = fact(client, -ESRCH, "process %d has ended", pid);
	client->answered |= !ret;
	if (ret == -ETIMEDOUT)
		silent(client, pid, ms);
	else if (ret && !client->error[0])
		fact(client, ret, "the connection broke: %s", strerror(-ret));
	return ret;
}

/* Sends the request again after the agent hung up: the service thread was just
 * leaving, or had no room for one more connection. */
static int exchange_again(struct client *client, enum message_type type,
			  const struct client_request *request,
			  struct client_answer *answer, int32_t *status)
{
	int timeout_ms = client->timeout_ms;
	int64_t begin = now_ms();
	int ret;

	do {
		nanosleep(&while_waiting, NULL);
		client_close(client);
		client_answer_release(answer);
		ret = client_connect(client, client->process);
		if (ret)
			return ret;
		client->timeout_ms = timeout_ms;
		client->last = now_ms() - begin > CLIENT_AGAIN_MS;
		ret = exchange(client, type, request, answer, status);
	} while (ret == -EAGAIN);
	return ret;
}

/* Copies "error=TEXT" out of a failure; replaces control characters. */
static void take_error(struct client *client, struct client_answer *answer,
		       int status)
{
	const char *text = strstr(answer->payload, "error=");
	size_t n;

	if (!text || (text != answer->payload && text[-1] != '\n')) {
		fact(client, status, "the agent refuses: %s", status == -E2BIG ?
		     "it has too many markers for a list (4 MiB)" :
		     strerror(-status));
		return;
	}
	text += strlen("error=");
	n = strcspn(text, "\n");
	fact(client, status, "%.*s", (int)n, text);
	for (char *p = client->error; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
}

/* Puts the process before an error that does not name it. */
static void name_process(struct client *client)
{
	char text[RUNDIR_ERROR_BYTES], name[32];

	if (!client->process)
		return;
	snprintf(name, sizeof(name), "process %d", client->process->pid);
	if (strstr(client->error, name))
		return;
	snprintf(text, sizeof(text), "%s", client->error);
	fact(client, 0, "%s: %s", name, text);
}

/* Adds the limits of the process that may be why the agent has failed. */
static int name_limits(struct client *client, int error)
{
	size_t n = strlen(client->error);
	char limits[160];

	if (!client->process || error == -ESRCH)
		return error;
	process_limits(client->process->pid, -error, limits, sizeof(limits));
	if (*limits)
		snprintf(client->error + n, sizeof(client->error) - n, "; %s",
			 limits);
	return error;
}

static int call(struct client *client, enum message_type type,
		const struct client_request *request,
		struct client_answer *answer)
{
	int32_t status = 0;
	int ret;

	if (request && request->failed)
		return fact(client, request->failed, "cannot make the request: "
			    "%s", strerror(-request->failed));
	if (request && request->bytes > PROTOCOL_PAYLOAD_MAX)
		return fact(client, -EMSGSIZE, "the request is too long");
	if (client->fd < 0)
		return fact(client, -ENOTCONN, "not connected");
	ret = exchange(client, type, request, answer, &status);
	if (ret == -EAGAIN)
		ret = exchange_again(client, type, request, answer, &status);
	if (ret) {
		client_close(client);
	} else if (status == -EPROTO) {
		ret = refuse_version(client,
				     client_answer_number(answer, "version"));
		client_close(client);
	} else if (status) {
		ret = status;
		take_error(client, answer, status);
	}
	return ret;
}

int client_call(struct client *client, enum message_type type,
		const struct client_request *request,
		struct client_answer *answer)
{
	struct client_answer ours = { 0 };
	int ret;

	if (!answer)
		answer = &ours;
	*answer = (struct client_answer){ 0 };
	client->error[0] = '\0';
	ret = call(client, type, request, answer);
	if (ret)
		name_process(client);
	if (ret == -ECONNRESET || ret == -EMFILE || ret == -ENOMEM ||
	    ret == -EFBIG || ret == -EAGAIN ||
	    (ret == -ETIMEDOUT && client->process &&
	     !process_stopped(client->process->pid)))
		name_limits(client, ret);
	client_answer_release(&ours);
	return ret;
}
