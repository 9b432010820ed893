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
#include "command/agents/vouch.h"
#include "command/common/former.h"
#include "command/common/installed.h"
#include "command/common/limits.h"
#include "command/common/monotonic.h"
#include "command/record/probes-private.h"
#include "command/sandbox/child.h"
#include "control/protocol.h"
#include "control/request.h"
#include "tracepoints/program/executable.h"
#include "traces/trace.h"

#define TICK_ROUNDS		50
#define END_NS			5000000000ull
#define END_PAUSE_NS		10000000

/* The signal that asked to stop, or 0; whether a process sent it; how many. */
static volatile sig_atomic_t signal_number;
static volatile sig_atomic_t signal_sent;
static volatile sig_atomic_t signal_count;

/* The signals that end a command. */
static const int ends[] = { SIGINT, SIGTERM, SIGHUP };

/* The directory of a recording that has not begun; see program_guard(). */
static const struct trace_set *guarded;

/* The mask of signals that this command got. */
static sigset_t mask_before;

void program_hold(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		sigaddset(&set, ends[i]);
	sigprocmask(SIG_BLOCK, &set, &mask_before);
}

/* Lets the signals come again. */
static void program_release(void)
{
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

/* Sets the action of these signals. An ignored one (nohup) stays ignored. */
static void ends_act(const struct sigaction *action)
{
	struct sigaction old;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (!sigaction(ends[i], NULL, &old) &&
		    old.sa_handler != SIG_IGN)
			sigaction(ends[i], action, NULL);
}

/* Nothing is recorded yet: takes back what was made, and ends this command as
 * the signal does. */
SIGSAFE static void on_early(int number)
{
	if (guarded->made)
		rmdir(guarded->path);
	rundir_abandon_shared();
	former_restore();
	raise(number);
}

void program_guard(const struct trace_set *set)
{
	guarded = set;
	ends_act(&(struct sigaction){ .sa_handler = on_early,
				      .sa_flags = (int)SA_RESETHAND });
	program_release();
}

/* A signal is only noted: the recorder's loop and program_wait() look at it. */
SIGSAFE static void on_signal(int number, siginfo_t *info, void *context)
{
	signal_number = number;
	signal_sent = info->si_code <= 0;
	signal_count++;
}

void program_prepare(void)
{
	ends_act(&(struct sigaction){ .sa_sigaction = on_signal,
				      .sa_flags = SA_SIGINFO });
	signal(SIGPIPE, SIG_IGN);
	map_guard();
	limits_raise_files();
}

bool program_interrupted(void)
{
	return signal_number;
}

/* Makes the program's LD_PRELOAD: the agent, the providers, the probe library,
 * and the libraries that were there. Returns COMMAND_DONE, or COMMAND_FAILED
 * after printing why. */
static int preload_list(const struct record_options *o, char *list, size_t room)
{
	const char *old = getenv("LD_PRELOAD");
	char name[128], path[PATH_MAX];
	size_t used = 0;
	int ret;

	/* with the last one, handlers of signals that the program installs are
	 * known */
	for (int i = -1; i < o->nproviders + (o->nprobes > 0); i++) {
		snprintf(name, sizeof(name), "libtaffrail%s%s.so",
			 i < 0 ? "" : "-", i < 0 ? "" :
			 i < o->nproviders ? o->providers[i] : "probe");
		ret = installed_find(path, sizeof(path), INSTALLED_LIB, name);
		if (ret)
			return cause_report(START_LIBRARY, .subject = name,
					    .error = ret, .text = used ?
					    "there is no such provider; "
					    "taffrail-pthread(7) describes one"
					    : "");
		if (strpbrk(path, ": "))
			return cause_report(START_LIBRARY_PATH, .path = path);
		if (snprintf(list + used, room - used, "%s%s", used ? ":" : "",
			     path) >= (int)(room - used))
			return cause_report(START_PROVIDERS_MANY);
		used = strlen(list);
	}
	if (old && *old && snprintf(list + used, room - used, ":%s", old) >=
			   (int)(room - used))
		return cause_report(START_PRELOAD_LONG);
	return COMMAND_DONE;
}

/* What the program is executed with. */
struct becoming {
	char **program;
	const char *preload, *requests;
	const char *name, *directory;	/* of the recording */
	bool withhold;
};

/* In the child: executes the program; returns if that failed. Nothing but the
 * environment may differ from this command's. */
static void program_become(void *arg)
{
	const struct becoming *to = arg;
	const char *outer = getenv(PROTOCOL_JOIN_ENV);
	char separator[] = { PROTOCOL_JOIN_SEPARATOR, '\0' };
	char list[PROTOCOL_JOIN_BYTES];
	void *room = NULL;

	ends_act(&(struct sigaction){ .sa_handler = SIG_DFL });
	program_release();
	/* recorders that this one runs under record the program, too */
	outer = outer ? outer : "";
	if (snprintf(list, sizeof(list), "%s%s%s", outer,
		     *outer ? separator : "", to->name) >=
	    (int)sizeof(list)) {
		errno = E2BIG;
	} else if (!setenv("LD_PRELOAD", to->preload, 1) &&
		   !setenv("TAFFRAIL_DIR", to->directory, 1) &&
		   (!to->requests || !setenv(REQUEST_ENV, to->requests, 1)) &&
		   !setenv(PROTOCOL_JOIN_ENV, list, 1)) {
		/* for the new variables, too */
		if (to->withhold)
			room = malloc(preload_room(environ));
		execvpe(to->program[0], to->program,
			room ? preload_without(environ, room) : environ);
	}
}

int program_run(struct program *program, const struct record_options *o,
		struct claim *claim, struct probes *probes,
		const struct trace_set *set, struct outcome *outcome)
{
	char variable[4 * PATH_MAX] = "LD_PRELOAD=";
	char *preload = variable + strlen(variable);
	char *environment[] = { variable, NULL };
	struct image image = {
		.fd = AT_FDCWD, .path = o->program[0], .search = environ,
	};
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct timespec now = { 0 };
	struct becoming becoming = { .program = o->program,
				     .name = claim_name(claim),
				     .directory = claim_dir(claim)->path,
				     .preload = preload };
	struct stat st;
	int error;

	if (preload_list(o, preload, sizeof(variable) - strlen(variable)) ||
	    claim_request(claim, o, outcome))
		return COMMAND_FAILED;
	filtered_vouch(preload, claim_dir(claim)->path);
	/* whether LD_PRELOAD can bring the agent */
	image_look(&image, environment);
	program->lacks = image.why;
	/* Until the kernel's clock of files is beyond the time of the program's
	 * file, which a compiler may just have written: files that changed in
	 * the tick in which they are mapped give no names to addresses. Ticks
	 * are some milliseconds apart. */
	for (int i = 0; i < TICK_ROUNDS && *image.found &&
	     !stat(image.found, &st); i++) {
		if (clock_gettime(CLOCK_REALTIME_COARSE, &now) ||
		    now.tv_sec > st.st_ctim.tv_sec ||
		    (now.tv_sec == st.st_ctim.tv_sec &&
		     now.tv_nsec > st.st_ctim.tv_nsec))
			break;
		nanosleep(&pause, NULL);
	}
	if (probes_run(probes, claim, set, image.why, &becoming.requests))
		return COMMAND_FAILED;
	becoming.withhold = image.withhold;
	/* a signal from now on ends the recording, not this command alone */
	program_hold();
	program->child = child_execute(program_become, &becoming, false,
				       &error);
	if (!program->child)
		return cause_fill_tell(cause_execute(o->program[0], error),
				       &(struct cause_slots){
					       .path = o->program[0],
					       .error = error });
	if (program->child < 0) {
		program->child = 0;
		return cause_report(START_FORK, .error = error);
	}
	/* not before: the program would inherit handlers and limits */
	program_prepare();
	program_release();
	program->pidfd = (int)syscall(SYS_pidfd_open, program->child, 0);
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

void program_end(struct program *program)
{
	const struct timespec pause = { .tv_nsec = END_PAUSE_NS };
	uint64_t end = monotonic_ns() + END_NS;

	if (program->child)
		kill(program->child, SIGINT);
	while (program->child && !program_reap(program) &&
	       monotonic_ns() < end && !program_interrupted())
		nanosleep(&pause, NULL);
	if (program->child)
		kill(program->child, SIGTERM);
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

void program_tell_left(const struct program *program,
		       const struct record_options *o)
{
	if (program->child && o->seconds > 0 && !program_interrupted())
		command_warn("the time of --for has passed; %s goes on, and "
			     "this command waits for it: Ctrl-C reaches both",
			     o->program[0]);
}

void program_tell_killed(const struct program *program)
{
	int number = WTERMSIG(program->status);

	if (WIFSIGNALED(program->status) && !program_interrupted())
		command_failed("signal %d killed the program: %s", number,
			       strsignal(number));
}
