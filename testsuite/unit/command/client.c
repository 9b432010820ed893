/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The runtime directory and the control protocol as the command sees them
 * (command/runtime/rundir.h, client.h): this program plays a traced process,
 * with an agent that answers well, badly, or not at all.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/agents/client.h"
#include "command/agents/targets.h"
#include "command/elf/markers.h"
#include "command/runtime/rundir.h"

#define LATER_US	50000

static char top[] = "/tmp/taffrail-unit-XXXXXX";
static char deep[300];			/* longer than sun_path */

/* What the agent does with a request, by the request's "name=". */
static void serve(int fd, const struct message *request, const char *payload)
{
	static const char list[] = "0x1000\0mark\0001\0" "7\0" "0510\0"
				   "app\0request\0id %d url %s\0a.c";
	struct message answer = *request;
	const char *text = "written=5\nname=x\nnonsense\nlost=7";
	size_t bytes = strlen(text);

	if (request->type == MESSAGE_LIST) {
		text = list;
		bytes = sizeof(list);
	}
	answer.bytes = bytes;
	if (strstr(payload, "name=refuse")) {
		answer.status = -EEXIST;
		text = "cause=196\ntext=there is one\x1b[m";
		answer.bytes = bytes = strlen(text);
	} else if (strstr(payload, "name=version")) {
		answer.version = 7;
	} else if (strstr(payload, "name=status-version")) {
		answer.status = -EPROTO;
		text = "version=9";
		answer.bytes = bytes = strlen(text);
	} else if (strstr(payload, "name=magic")) {
		answer.magic = 0;
	} else if (strstr(payload, "name=huge")) {
		answer.bytes = PROTOCOL_PAYLOAD_MAX + 1;
	} else if (strstr(payload, "name=positive")) {
		answer.status = 3;
	} else if (strstr(payload, "name=cut")) {
		answer.bytes = 1000;
	} else if (strstr(payload, "name=silent")) {
		pause();
	}
	if (write(fd, &answer, sizeof(answer)) < 0 ||
	    write(fd, text, bytes) < 0 || strstr(payload, "name=cut"))
		shutdown(fd, SHUT_RDWR);
}

static void serve_all(int listener)
{
	/* a client may hang up before this agent has sent its whole answer */
	signal(SIGPIPE, SIG_IGN);
	for (;;) {
		int fd = accept(listener, NULL, NULL);
		struct message request;
		char payload[4096];

		while (recv(fd, &request, sizeof(request), MSG_WAITALL) ==
		       (ssize_t)sizeof(request)) {
			memset(payload, 0, sizeof(payload));
			if (request.bytes)
				recv(fd, payload, request.bytes, MSG_WAITALL);
			serve(fd, &request, payload);
		}
		close(fd);
	}
}

/* A process directory with one image; its path relative to `deep`. */
static void make_process(const char *name, pid_t pid, uint64_t starttime)
{
	struct process_page page = {
		.magic = PROCESS_MAGIC, .version = LAYOUT_VERSION,
		.pid = pid, .starttime = starttime, .sessions = 1,
		.procname = "unit",
	};
	struct session_page session = {
		.magic = SESSION_MAGIC, .version = LAYOUT_VERSION,
		.state = SESSION_ACTIVE, .sub_bytes = 4096,
		.ring_bytes = 32768, .name = "rec", .lost_unplaced = 1,
	};
	char path[600];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", deep, name);
	mkdir(path, 0700);
	strcat(path, "/0");
	mkdir(path, 0700);
	strcat(path, "/process");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (write(fd, &page, sizeof(page)) < 0 || ftruncate(fd, 4096))
		perror(path);
	if (pid == getpid())
		mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	snprintf(path, sizeof(path), "%s/%s/0/session.0", deep, name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (write(fd, &session, sizeof(session)) < 0)
		perror(path);
	close(fd);
}

/* Listens on DIRECTORY/control.sock, whose path is too long for a socket. */
static pid_t start_agent(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char path[600];
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pid_t pid;

	snprintf(path, sizeof(path), "%s/%s", deep, name);
	if (chdir(path))
		perror(path);
	strcpy(address.sun_path, "control.sock");
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(listener, 5))
		perror("listen");
	if (chdir("/"))
		perror("/");
	pid = fork();
	if (!pid)
		serve_all(listener);
	close(listener);
	return pid;
}

/* Makes one call; `name` tells the agent how to behave. */
static int call(struct client *client, const char *name,
		struct client_answer *answer)
{
	struct client_request request = { 0 };
	int ret;

	client_request_add(&request, "name", "%s", name);
	ret = client_call(client, MESSAGE_STATUS, &request, answer);
	client_request_release(&request);
	return ret;
}

static void check_answers(const struct rundir_process *process)
{
	char line[CAUSE_LINE_BYTES];
	struct client client;
	struct client_answer answer;
	const char *key, *value;
	size_t position = 0;
	char wanted[64];

	unit_equal(client_connect(&client, process), 0, "connect");
	unit_equal(call(&client, "fine", &answer), 0, "call");
	unit_equal(client_answer_number(&answer, "lost"), 7, "number");
	unit_equal(client_answer_number(&answer, "ost"), 0, "no such number");
	unit_check(client_answer_next(&answer, &position, &key, &value) &&
		   !strcmp(key, "written") && !strcmp(value, "5"), "line 1");
	unit_check(client_answer_next(&answer, &position, &key, &value) &&
		   !strcmp(key, "name") && !strcmp(value, "x"), "line 2");
	unit_check(client_answer_next(&answer, &position, &key, &value) &&
		   !strcmp(key, "lost") && !strcmp(value, "7"),
		   "line 4, without an end");
	unit_check(!client_answer_next(&answer, &position, &key, &value),
		   "no line 5");
	client_answer_release(&answer);
	unit_equal(call(&client, "refuse", NULL), -EEXIST, "refused");
	snprintf(wanted, sizeof(wanted), "process %d: there is one?[m",
		 process->pid);
	unit_equal_string(cause_line(&client.cause, line), wanted,
			  "refused: what the agent says, fit to print");
	unit_equal(call(&client, "fine", NULL), 0, "call after a refusal");
	unit_equal(call(&client, "new\nline", NULL), -EINVAL,
		   "request with a newline");
	client_close(&client);
	unit_equal(call(&client, "fine", NULL), -ENOTCONN, "call when closed");
}

static void check_bad_answers(const struct rundir_process *process)
{
	static const struct {
		const char *name;
		int ret;
	} rows[] = {
		{ "version", -EPROTO },
		{ "status-version", -EPROTO },
		{ "magic", -EBADMSG },
		{ "huge", -EBADMSG },
		{ "positive", -EBADMSG },
		{ "cut", -ECONNRESET },
	};
	struct client client;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		client_connect(&client, process);
		unit_equal(call(&client, rows[i].name, NULL), rows[i].ret,
			   "answer: %s", rows[i].name);
		unit_equal(client.fd, -1, "answer: %s: closed", rows[i].name);
		unit_check(client.cause.id, "answer: %s: told", rows[i].name);
		client_close(&client);
	}
	client_connect(&client, process);
	client.timeout_ms = 50;
	unit_equal(call(&client, "silent", NULL), -ETIMEDOUT, "no answer");
	client_close(&client);
}

static void check_markers(const struct rundir_process *process)
{
	struct client client;
	struct client_answer answer;
	struct marker_list list = { 0 };
	size_t bytes;

	client_connect(&client, process);
	client_call(&client, MESSAGE_LIST, NULL, &answer);
	unit_equal(marker_list_parse(&list, answer.payload, answer.bytes), 0, "markers");
	if (unit_equal(list.count, 1, "markers: how many")) {
		unit_equal_string(list.markers[0].id, "app/request", "id");
		unit_equal(list.markers[0].address, 0x1000, "address");
		unit_equal(list.markers[0].nfields, 2, "fields");
		unit_check(list.markers[0].enabled, "enabled");
	}
	marker_list_free(&list);
	bytes = answer.bytes;
	for (answer.bytes = 1; answer.bytes < bytes; answer.bytes++) {
		char kept = answer.payload[answer.bytes];
		int ret;

		answer.payload[answer.bytes] = '\0';
		ret = marker_list_parse(&list, answer.payload, answer.bytes);
		/* without its last NUL only, it is complete */
		if ((ret != 0) != (answer.bytes < bytes - 4))
			unit_equal(ret, -EBADMSG, "markers cut at %zu",
				   answer.bytes);
		answer.payload[answer.bytes] = kept;
		marker_list_free(&list);
	}
	client_answer_release(&answer);
	client_close(&client);
}

static void check_find(void)
{
	struct cause cause;
	struct rundir_process process;
	struct session_page page;
	pid_t child;

	unit_equal(rundir_find(&process, getpid(), &cause), 0,
		   "find a process by its map");
	unit_check(process.alive && process.pid == getpid() &&
		   process.uid == geteuid(), "found: who it is");
	unit_equal(rundir_find_session(&process, 0, "rec", &page), 0,
		   "session by name");
	unit_equal(rundir_find_session(&process, 0, "other", &page), -ENOENT,
		   "no such session");
	check_answers(&process);
	check_markers(&process);
	rundir_process_close(&process);
	child = fork();		/* maps our page, which is not its own */
	if (!child) {
		pause();
		_exit(0);
	}
	unit_equal(rundir_find(&process, child, &cause), -ECHILD,
		   "a child is not its parent");
	unit_check(cause.id == CAUSE_AGENT_FORKED, "a child: cause");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	unit_equal(rundir_find(&process, child, &cause), -ESRCH,
		   "no such process");
}

static void check_scan(struct rundir *dir)
{
	struct rundir_list list;
	char path[700];
	struct stat st;

	unit_equal(rundir_scan(dir, &list), 0, "scan");
	if (unit_equal(list.count, 2, "scan: processes")) {
		unit_check(list.processes[0].alive, "the living first");
		unit_check(!list.processes[1].alive, "then the dead");
		unit_equal(rundir_destroy_session(&list.processes[1], 0, 0), 0,
			   "destroy what a dead one left");
	}
	rundir_list_free(&list);
	snprintf(path, sizeof(path), "%s/999999999.1/0", deep);
	unit_check(!stat(path, &st), "a fresh directory is not swept");
	/* as if it had been there for a while */
	snprintf(path, sizeof(path), "%s/999999999.1", deep);
	utimensat(AT_FDCWD, path, (struct timespec[2]){ { 1, 0 }, { 1, 0 } },
		  0);
	rundir_sweep(dir);
	unit_check(stat(path, &st) && errno == ENOENT,
		   "an old one with nothing in it is");
	snprintf(path, sizeof(path), "%s/1.5", deep);
	unit_check(!symlink("/", path), "plant a symlink");
	unit_equal(rundir_scan(dir, &list), 0, "scan with a symlink");
	unit_equal(list.count, 1, "a symlink is no process");
	rundir_list_free(&list);
	unlink(path);
}

static int count_name(const char *name, void *priv)
{
	(void)name;
	++*(int *)priv;
	return 0;
}

static void check_rules(struct rundir *dir)
{
	char *text = NULL;
	int names = 0;

	unit_equal(rundir_write_rules(dir, "rec", "name=rec\nall=1\n"), 0,
		   "write rules");
	unit_equal(rundir_read_rules(dir, "rec", &text), 0, "read rules");
	/* the lines of the machine stand before them */
	unit_equal_string(strstr(text, "name="), "name=rec\nall=1\n", "rules");
	free(text);
	rundir_each_rules(dir, count_name, &names);
	unit_equal(names, 1, "one file of rules");
	unit_equal(rundir_write_rules(dir, "../rec", ""), -EINVAL,
		   "rules outside");
	unit_equal(rundir_remove_rules(dir, "rec"), 0, "remove rules");
	unit_equal(rundir_remove_rules(dir, "rec"), -ENOENT, "no rules");
}

/* The process executes another program, whose agent begins later. */
static void check_executed(const char *name, struct rundir_process *process)
{
	struct target target = { .process = process, .client.fd = -1 };
	struct process_page page;
	char path[600], next[600], made[600], place[600];
	pid_t child, agent;
	int fd;

	snprintf(path, sizeof(path), "%s/%s/0/process", deep, name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (pread(fd, &page, sizeof(page), 0) != sizeof(page))
		perror(path);
	page.locked = 1;		/* by no process any more */
	page.state = PROCESS_EXECED;
	page.wake.signal = WAKE_SIGNAL + 1;
	if (pwrite(fd, &page, sizeof(page), 0) < 0)
		perror(path);
	close(fd);
	snprintf(made, sizeof(made), "%s/next", deep);
	mkdir(made, 0700);
	agent = start_agent("next");
	strcat(made, "/control.sock");
	snprintf(place, sizeof(place), "%s/%s/control.sock", deep, name);
	unlink(place);
	snprintf(path, sizeof(path), "%s/%s/0", deep, name);
	snprintf(next, sizeof(next), "%s/%s/1", deep, name);
	child = fork();
	if (!child) {
		usleep(LATER_US);
		_exit(rename(made, place) || rename(path, next));
	}
	unit_equal(target_connect(&target), 0,
		   "the program that a process executes begins later");
	unit_equal(process->image, 1, "it is the program");
	client_close(&target.client);
	waitpid(child, NULL, 0);
	kill(agent, SIGKILL);
	waitpid(agent, NULL, 0);
}

static void check_directory(void)
{
	struct rundir dir;
	char path[700];
	struct stat st;

	snprintf(path, sizeof(path), "%s/new", top);
	setenv("TAFFRAIL_DIR", path, 1);
	unit_equal(rundir_open(&dir, false), -ENOENT, "no directory");
	unit_equal(rundir_open(&dir, true), 0, "directory made");
	unit_check(!stat(path, &st) && (st.st_mode & 07777) == 0700,
		   "for the user alone");
	rundir_close(&dir);
	rmdir(path);
	unit_check(!symlink("/tmp", path), "a symlink in its place");
	unit_equal(rundir_open(&dir, true), -ELOOP, "symlink refused");
	unlink(path);
	if (geteuid())
		setenv("TAFFRAIL_DIR", "/", 1);
	else if (mkdir(path, 0700) || chown(path, 12345, 12345))
		perror(path);
	unit_equal(rundir_open(&dir, true), -EPERM, "not the user's own");
	rmdir(path);
}

int main(void)
{
	struct rundir_process process;
	char text[CAUSE_LINE_BYTES], name[64];
	struct cause cause;
	struct rundir dir;
	uint64_t starttime;
	pid_t agent;

	if (!mkdtemp(top))
		return 1;
	check_directory();
	snprintf(deep, sizeof(deep), "%s/%0120d", top, 0);
	setenv("TAFFRAIL_DIR", deep, 1);
	unit_equal(rundir_open(&dir, true), 0, "a long path");
	rundir_starttime(&starttime, getpid());
	snprintf(name, sizeof(name), "%d.%" PRIu64, getpid(), starttime);
	make_process(name, getpid(), starttime);
	make_process("999999999.1", 999999999, 1);
	agent = start_agent(name);
	check_find();
	check_scan(&dir);
	check_rules(&dir);
	if (!rundir_find(&process, getpid(), &cause))
		check_bad_answers(&process);
	kill(agent, SIGKILL);
	waitpid(agent, NULL, 0);
	check_executed(name, &process);
	rundir_process_close(&process);
	rundir_close(&dir);
	snprintf(text, sizeof(text), "rm -rf %s", top);
	return system(text) ? 1 : unit_end();
}
