/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a program under the agent.
 *
 * What must stay true here: the program gets descriptors 0 to 2, signal
 * dispositions, mask and limits as this command got them; only its environment
 * differs, by LD_PRELOAD, TAFFRAIL_DIR, TAFFRAIL_JOIN, TAFFRAIL_SECCOMP and
 * TAFFRAIL_PROBES. So the child is made before this command changes any of its
 * own.
 */
#include "command/processes/client.h"
#include "command/record/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/preload.h"
#include "command/common/command.h"
#include "command/common/limits.h"
#include "command/common/installed.h"
#include "command/common/reason.h"
#include "command/processes/vouch.h"
#include "control/request.h"
#include "tracepoints/program/executable.h"

#define EXIT_NOT_FOUND		127
#define EXIT_NOT_EXECUTABLE	126
#define TICK_ROUNDS		50

volatile sig_atomic_t record_signal;
volatile sig_atomic_t record_signal_sent;
volatile sig_atomic_t record_signals;

SIGSAFE static void on_signal(int number, siginfo_t *info, void *context)
{
	record_signal = number;
	record_signal_sent = info->si_code <= 0;
	record_signals++;
}

/* Installs the handlers. An ignored signal (nohup) stays ignored. */
static void catch_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO };
	struct sigaction old;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!sigaction(numbers[i], NULL, &old) &&
		    old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	map_guard();
}

void record_prepare(void)
{
	catch_signals();
	limits_raise_files();
}

/* Adds a library to the list. Returns 0 or COMMAND_FAILED. */
static int add_library(char *list, size_t room, const char *name)
{
	char path[PATH_MAX];
	size_t used = strlen(list);
	int ret = installed_find(path, sizeof(path), INSTALLED_LIB, name);

	if (ret)
		return command_failed("cannot find %s (%s) where this command "
				      "is installed%s", name, strerror(-ret),
				      used ? ": there is no such provider; "
				      "taffrail-pthread(7) describes one" : "");
	if (strpbrk(path, ": "))
		return command_failed("cannot preload %s: its path has a colon "
				      "or a space", path);
	if (snprintf(list + used, room - used, "%s%s", used ? ":" : "", path) >=
	    (int)(room - used))
		return command_failed("too many providers to preload");
	return 0;
}

static int preload_list(const struct record_options *options, char *list,
			size_t room)
{
	const char *old = getenv("LD_PRELOAD");
	char name[128];
	size_t used;
	int i;

	list[0] = '\0';
	if (add_library(list, room, "libtaffrail.so"))
		return COMMAND_FAILED;
	for (i = 0; i < options->nproviders; i++) {
		snprintf(name, sizeof(name), "libtaffrail-%s.so",
			 options->providers[i]);
		if (add_library(list, room, name))
			return COMMAND_FAILED;
	}
	/* handlers of signals that the program installs are then known */
	if (options->nprobes && add_library(list, room, "libtaffrail-probe.so"))
		return COMMAND_FAILED;
	used = strlen(list);
	if (old && *old &&
	    snprintf(list + used, room - used, ":%s", old) >=
		    (int)(room - used))
		return command_failed("LD_PRELOAD is too long");
	return 0;
}

/* Finds out whether LD_PRELOAD can bring the agent. */
static void look(struct record *record, const char *preload,
		 struct image *image)
{
	char variable[4 * PATH_MAX + 16];
	char *environment[] = { variable, NULL };

	image->fd = AT_FDCWD;
	image->path = record->options.program[0];
	image->search = environ;
	image->flags = 0;
	snprintf(variable, sizeof(variable), "LD_PRELOAD=%s", preload);
	image_look(image, environment);
	record->first_lacks = image->why;
}

/* Waits until the kernel's clock of files is beyond the time of the program's
 * file, which a compiler may just have written: files that changed in the tick
 * in which they are mapped give no names to addresses. Ticks are some
 * milliseconds apart. */
static void await_tick(const char *path)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };
	struct timespec now;
	struct stat st;

	for (int i = 0; i < TICK_ROUNDS && *path && !stat(path, &st); i++) {
		if (clock_gettime(CLOCK_REALTIME_COARSE, &now) ||
		    now.tv_sec > st.st_ctim.tv_sec ||
		    (now.tv_sec == st.st_ctim.tv_sec &&
		     now.tv_nsec > st.st_ctim.tv_nsec))
			return;
		nanosleep(&pause, NULL);
	}
}

static char **environment_without(char **environment)
{
	size_t bytes = preload_room(environment);
	void *room = bytes ? malloc(bytes) : NULL;

	return room ? preload_without(environment, room) : environment;
}

/* Adds the recording's name to those of recorders that this one runs under.
 * Returns 0, or -1 and errno. */
static int join(const struct record *record)
{
	const char *outer = getenv(PROTOCOL_JOIN_ENV);
	char list[PROTOCOL_JOIN_BYTES];

	if (!outer || !*outer)
		return setenv(PROTOCOL_JOIN_ENV, record->name, 1);
	if (snprintf(list, sizeof(list), "%s%c%s", outer,
		     PROTOCOL_JOIN_SEPARATOR, record->name) >=
	    (int)sizeof(list)) {
		errno = E2BIG;
		return -1;
	}
	return setenv(PROTOCOL_JOIN_ENV, list, 1);
}

/* In the child: executes the program, or reports the errno through `pipe`. */
static void become(const struct record *record, const char *preload,
		   int withhold, int pipe)
{
	char **program = record->options.program;
	int error;

	if (setenv("LD_PRELOAD", preload, 1) ||
	    setenv("TAFFRAIL_DIR", record->dir.path, 1) ||
	    (record->requests && setenv(REQUEST_ENV, record->requests, 1)) ||
	    join(record))
		error = errno;
	else {
		execvpe(program[0], program,
			withhold ? environment_without(environ) : environ);
		error = errno;
	}
	if (write(pipe, &error, sizeof(error)) < 0)
		_exit(EXIT_NOT_EXECUTABLE);
	_exit(error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

/* Makes the runtime directory's path absolute, as the agent needs it. */
static int absolute_directory(struct record *record)
{
	char *path = realpath(record->dir.path, NULL);

	if (!path)
		return command_failed("%s: %s", record->dir.path,
				      strerror(errno));
	snprintf(record->dir.path, sizeof(record->dir.path), "%s", path);
	free(path);
	return 0;
}

static int write_request(struct record *record)
{
	struct client_request request = { 0 };
	int ret = record_claim(record);

	/* without this file, some reasons are not known at the end */
	if (ret != -EBUSY && ret != -ENOSPC && ret != -EDQUOT)
		ret = 0;
	record_request(record, &request);
	if (!ret)
		ret = request.failed ? request.failed :
		      rundir_write_rules(&record->dir, record->name,
					 request.text);
	client_request_release(&request);
	if (ret == -ENOSPC || ret == -EDQUOT) {
		record->shortage.error = -ret;
		record->shortage.pageless = 1;
		record->shortage.asked = record->options.buffer;
		shortage_look(&record->shortage, record->dir.fd);
		shortage_note(&record->shortage, record->dir.path, 0,
			      &record->outcome);
		return outcome_end(&record->outcome, COMMAND_FAILED);
	}
	if (ret)
		return command_failed("cannot write %s/%s/%s: %s",
				      record->dir.path, PROTOCOL_SESSIONS_DIR,
				      record->name, limits_raise(-ret));
	return 0;
}

int record_run(struct record *record)
{
	char preload[4 * PATH_MAX];
	const char *program = record->options.program[0];
	struct image image;
	int pipes[2];
	int error = 0;

	if (preload_list(&record->options, preload, sizeof(preload)) ||
	    absolute_directory(record) || write_request(record))
		return COMMAND_FAILED;
	filtered_vouch(preload, record->dir.path);
	look(record, preload, &image);
	await_tick(image.found);
	if (record_probes_run(record))
		return COMMAND_FAILED;
	if (pipe2(pipes, O_CLOEXEC))
		return command_failed("cannot make a pipe: %s",
				      strerror(errno));
	fflush(NULL);
	record->child = fork();
	if (!record->child)
		become(record, preload, image.withhold, pipes[1]);
	close(pipes[1]);
	if (record->child < 0) {
		close(pipes[0]);
		record->child = 0;
		return command_failed("cannot fork: %s", strerror(errno));
	}
	record_prepare();
	while (read(pipes[0], &error, sizeof(error)) < 0 && errno == EINTR)
		;
	close(pipes[0]);
	if (error) {
		waitpid(record->child, NULL, 0);
		record->child = 0;
		command_warn("%s: %s", program,
			     reason_of_program(program, error));
		return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	}
	record->child_pidfd = (int)syscall(SYS_pidfd_open, record->child, 0);
	record->program = record->child;
	return 0;
}

int record_wait(struct record *record)
{
	int seen = record_signals;
	int status;

	while (record->child) {
		pid_t pid = waitpid(record->child, &status, 0);

		if (pid == record->child) {
			record->child_status = status;
			record->child = 0;
		} else if (errno != EINTR) {
			return COMMAND_FAILED;
		} else if (record_signals != seen) {
			return 128 + record_signal;
		}
	}
	status = record->child_status;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}
