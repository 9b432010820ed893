/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a program under the agent. See program-private.h.
 */
#include "command/record/program-private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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
#include "command/common/installed.h"
#include "command/common/limits.h"
#include "command/common/reason.h"
#include "command/processes/client.h"
#include "command/processes/vouch.h"
#include "command/record/probes-private.h"
#include "command/record/shortage.h"
#include "control/request.h"
#include "tracepoints/program/executable.h"

#define EXIT_NOT_FOUND		127
#define EXIT_NOT_EXECUTABLE	126
#define TICK_ROUNDS		50

/* The signal that asked to stop, or 0; whether a process sent it; how many. */
static volatile sig_atomic_t signal_number;
static volatile sig_atomic_t signal_sent;
static volatile sig_atomic_t signal_count;

SIGSAFE static void on_signal(int number, siginfo_t *info, void *context)
{
	signal_number = number;
	signal_sent = info->si_code <= 0;
	signal_count++;
}

void program_prepare(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO };
	struct sigaction old;

	/* an ignored signal (nohup) stays ignored */
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!sigaction(numbers[i], NULL, &old) &&
		    old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	map_guard();
	limits_raise_files();
}

bool program_interrupted(void)
{
	return signal_number;
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

static int preload_list(const struct record_options *o, char *list, size_t room)
{
	const char *old = getenv("LD_PRELOAD");
	char name[128];
	size_t used;

	list[0] = '\0';
	if (add_library(list, room, "libtaffrail.so"))
		return COMMAND_FAILED;
	for (int i = 0; i < o->nproviders; i++) {
		snprintf(name, sizeof(name), "libtaffrail-%s.so",
			 o->providers[i]);
		if (add_library(list, room, name))
			return COMMAND_FAILED;
	}
	/* handlers of signals that the program installs are then known */
	if (o->nprobes && add_library(list, room, "libtaffrail-probe.so"))
		return COMMAND_FAILED;
	used = strlen(list);
	if (old && *old &&
	    snprintf(list + used, room - used, ":%s", old) >=
		    (int)(room - used))
		return command_failed("LD_PRELOAD is too long");
	return 0;
}

/* Finds out whether LD_PRELOAD can bring the agent. */
static void file_look(const char *program, const char *preload,
		      struct image *image)
{
	char variable[4 * PATH_MAX + 16];
	char *environment[] = { variable, NULL };

	image->fd = AT_FDCWD;
	image->path = program;
	image->search = environ;
	image->flags = 0;
	snprintf(variable, sizeof(variable), "LD_PRELOAD=%s", preload);
	image_look(image, environment);
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
static int environ_join(const char *session)
{
	const char *outer = getenv(PROTOCOL_JOIN_ENV);
	char list[PROTOCOL_JOIN_BYTES];

	if (!outer || !*outer)
		return setenv(PROTOCOL_JOIN_ENV, session, 1);
	if (snprintf(list, sizeof(list), "%s%c%s", outer,
		     PROTOCOL_JOIN_SEPARATOR, session) >=
	    (int)sizeof(list)) {
		errno = E2BIG;
		return -1;
	}
	return setenv(PROTOCOL_JOIN_ENV, list, 1);
}

/* In the child: executes the program, or reports the errno through `pipe`. */
static void program_become(char **program, const struct claim *claim,
			   const char *requests, const char *preload,
			   bool withhold, int pipe)
{
	int error;

	if (!setenv("LD_PRELOAD", preload, 1) &&
	    !setenv("TAFFRAIL_DIR", claim->dir.path, 1) &&
	    (!requests || !setenv(REQUEST_ENV, requests, 1)) &&
	    !environ_join(claim->name))
		execvpe(program[0], program,
			withhold ? environment_without(environ) : environ);
	error = errno;
	if (write(pipe, &error, sizeof(error)) < 0)
		_exit(EXIT_NOT_EXECUTABLE);
	_exit(error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

/* Takes the recording's name, and leaves the request for later processes, in a
 * directory whose path is absolute, as the agent needs it. */
static int write_request(const struct record_options *o, struct claim *claim,
			 struct outcome *outcome)
{
	struct client_request request = { 0 };
	struct shortage shortage = { .pageless = 1, .asked = o->buffer };
	char *path = realpath(claim->dir.path, NULL);
	int ret;

	if (!path)
		return command_failed("%s: %s", claim->dir.path,
				      strerror(errno));
	snprintf(claim->dir.path, sizeof(claim->dir.path), "%s", path);
	free(path);
	ret = claim_take(claim);
	/* without this file, some reasons are not known at the end */
	if (ret != -EBUSY && ret != -ENOSPC && ret != -EDQUOT)
		ret = 0;
	record_request(o, claim->name, &request);
	if (!ret)
		ret = request.failed ? request.failed :
		      rundir_write_rules(&claim->dir, claim->name,
					 request.text);
	client_request_release(&request);
	if (ret == -ENOSPC || ret == -EDQUOT) {
		shortage.error = -ret;
		shortage_look(&shortage, claim->dir.fd);
		shortage_note(&shortage, claim->dir.path, 0, outcome);
		outcome_print(outcome, OUTCOME_ALL);
		return COMMAND_FAILED;
	}
	if (ret)
		return command_failed("cannot write %s/%s/%s: %s",
				      claim->dir.path, PROTOCOL_SESSIONS_DIR,
				      claim->name, limits_raise(-ret));
	return COMMAND_DONE;
}

int program_run(struct program *program, const struct record_options *o,
		struct claim *claim, struct probes *probes,
		const struct trace_set *set, struct outcome *outcome)
{
	char preload[4 * PATH_MAX];
	struct image image;
	int pipes[2];
	int error = 0;

	if (preload_list(o, preload, sizeof(preload)) ||
	    write_request(o, claim, outcome))
		return COMMAND_FAILED;
	filtered_vouch(preload, claim->dir.path);
	file_look(o->program[0], preload, &image);
	program->lacks = image.why;
	await_tick(image.found);
	if (probes_run(probes, claim, set, image.why))
		return COMMAND_FAILED;
	if (pipe2(pipes, O_CLOEXEC))
		return command_failed("cannot make a pipe: %s",
				      strerror(errno));
	fflush(NULL);
	program->child = fork();
	if (!program->child)
		program_become(o->program, claim, probes->requests, preload,
			       image.withhold, pipes[1]);
	close(pipes[1]);
	if (program->child < 0) {
		close(pipes[0]);
		program->child = 0;
		return command_failed("cannot fork: %s", strerror(errno));
	}
	program_prepare();
	while (read(pipes[0], &error, sizeof(error)) < 0 && errno == EINTR)
		;
	close(pipes[0]);
	if (error) {
		waitpid(program->child, NULL, 0);
		program->child = 0;
		command_warn("%s: %s", o->program[0],
			     reason_of_program(o->program[0], error));
		return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	}
	program->pid = program->child;
	program->pidfd = (int)syscall(SYS_pidfd_open, program->pid, 0);
	return 0;
}

bool program_reap(struct program *program)
{
	int status;

	if (!program->child || waitpid(program->child, &status, WNOHANG) <= 0)
		return false;
	program->child = 0;
	program->status = status;
	return true;
}

int program_wait(struct program *program)
{
	int seen = signal_count;
	int status;

	if (program->child && signal_number && signal_sent)
		kill(program->child, signal_number);
	while (program->child) {
		pid_t pid = waitpid(program->child, &status, 0);

		if (pid == program->child) {
			program->status = status;
			program->child = 0;
		} else if (errno != EINTR) {
			return COMMAND_FAILED;
		} else if (signal_count != seen) {
			return 128 + signal_number;
		}
	}
	status = program->status;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}
