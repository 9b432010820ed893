/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The trial: `taffrail record` records this command, which passes a marker. So
 * whatever keeps agents, files or threads from working here is met as a user's
 * program would meet it.
 *
 * Invariant: the trial leaves nothing behind that record does not leave, too.
 * The user's rules and logs do not take part: another trial might pass.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "command/common/command.h"
#include "command/common/remove-tree.h"
#include "command/doctor/private.h"
#include "taffrail/marker.h"

/* Far more than record takes on a machine that is busy. */
#define SECONDS		30
#define RECORD_PREFIX	"taffrail: record: "
#define OUTPUT_BYTES	8192
/* The words before the place of files that record leaves. */
#define REST		"; the rest is "	/* of record's errors */

int doctor_trial_main(void)
{
	TAFFRAIL_MARK(taffrail, trial, "pid %d", (int)getpid());
	return COMMAND_DONE;
}

/* Removes the files of a trial that failed from the runtime directory: the
 * session is the recorder's, which has ended. */
static void remove_left(struct doctor *d, pid_t recorder)
{
	uint32_t images[RUNDIR_IMAGES_MAX];
	struct rundir_list list = { 0 };
	struct session_page page;
	char name[32];

	snprintf(name, sizeof(name), "record-%d", recorder);
	if (recorder && !rundir_collect(&d->dir, &list)) {
		for (size_t i = 0; i < list.count; i++) {
			struct rundir_process *p = &list.processes[i];
			int n = p->alive ? 0 : rundir_images(p, images,
							    RUNDIR_IMAGES_MAX);

			while (n-- > 0)
				if (!rundir_find_session(p, images[n], name,
							 &page)) {
					remove_tree(p->path);
					break;
				}
		}
		rundir_remove_rules(&d->dir, name);
	}
	rundir_list_free(&list);
}

/*
 * Judges how record ended: `status` as of aside_run(), `text` the messages,
 * which this changes. "ok" only if the one event was recorded and record had
 * nothing more to say; messages are passed on as record words them.
 */
static void judge_trial(struct finding *f, int status, char *text)
{
	bool one = strstr(text, "record: 1 events (0 lost") ||
		   strstr(text, "record: 1 event (0 lost");
	char said[DOCTOR_TEXT_BYTES / 2] = "";
	char *line, *rest;
	size_t more = 0;

	/* makes one line of the messages, without the count of events */
	while ((line = strsep(&text, "\n")) && more < sizeof(said)) {
		if (!strncmp(line, RECORD_PREFIX, strlen(RECORD_PREFIX)))
			line += strlen(RECORD_PREFIX);
		if (*line && !strstr(line, " lost, ") &&
		    !strstr(line, "so there is no trace"))
			more += (size_t)snprintf(said + more,
						 sizeof(said) - more, "%s%s",
						 more ? "; " : "", line);
	}
	/* record names the files that are left; remove_left() has removed
	 * them */
	rest = strstr(said, REST);
	if (rest)
		*rest = '\0';
	if (status == -ETIMEDOUT)
		found(f, TRIAL_LATE, .n = SECONDS);
	else if (status < 0)
		found(f, TRIAL_UNSTARTED, .error = status);
	else if (status > 128 && !more)
		found(f, TRIAL_KILLED, .text = strsignal(status - 128));
	else if (strstr(said, "(ulimit -v)"))
		found(f, TRIAL_WITHIN_LIMIT, .text = said);
	else if (status || !one)
		found(f, TRIAL_FAILED, .n = status, .text = said);
	else if (strstr(said, "no room for"))
		/* the one event was on a CPU that has a buffer */
		found(f, TRIAL_LOSES, .text = said);
	else if (more)
		found(f, TRIAL_SAYS, .text = said);
	else
		found_as(f, DOCTOR_OK, "record has recorded this command");
}

/* Runs the trial, where there is a runtime directory. The trace goes to the
 * first directory that can be made, and is removed. */
void look_trial(struct doctor *d, struct finding *f)
{
	/* variables that would make the trial another one: rules of the user's,
	 * or a log */
	static const char *const without[] = {
		"TAFFRAIL_ENABLE=", "TAFFRAIL_LOG=", "TAFFRAIL_JOIN=",
		"TAFFRAIL_GDB=",
	};
	const char *const places[] = {
		getenv("TMPDIR"), "/tmp", d->dir.path, "."
	};
	char output[PATH_MAX + 32], self[PATH_MAX], text[OUTPUT_BYTES];
	pid_t recorder = 0;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *argv[] = {
		self, (char[]){ "record" }, (char[]){ "-e" },
		(char[]){ "taffrail/trial" }, (char[]){ "-o" }, output,
		(char[]){ "--" }, self, (char[]){ "doctor" },
		(char[]){ "--trial" }, NULL
	};
	struct run run = { .argv = argv, .seconds = SECONDS,
			   .errors = true, .pid = &recorder };
	size_t count = 0, kept = 0, k;
	char **environment;
	bool made = false;
	int status;

	if (d->dir.fd < 0)
		return;
	if (n > 0)
		self[n] = '\0';
	else
		snprintf(self, sizeof(self), "%s", program_invocation_name);
	/* a directory for the trace: the first that can be made, because /tmp
	 * may be full, or closed to this user */
	for (size_t i = 0; i < ARRAY_SIZE(places) && !made; i++) {
		if (!places[i] || !*places[i])
			continue;
		snprintf(output, sizeof(output), "%s/taffrail-trial.XXXXXX",
			 places[i]);
		made = mkdtemp(output) != NULL;
	}
	if (!made) {
		found(f, TRIAL_PLACELESS, .error = errno);
		return;
	}
	while (environ[count])
		count++;
	environment = calloc(count + 1, sizeof(*environment));
	for (size_t i = 0; environment && i < count; i++) {
		for (k = 0; k < ARRAY_SIZE(without); k++)
			if (!strncmp(environ[i], without[k],
				     strlen(without[k])))
				break;
		if (k == ARRAY_SIZE(without))
			environment[kept++] = environ[i];
	}
	run.environment = environment;
	status = environment ? aside_run(&run, text, sizeof(text)) : -ENOMEM;
	free(environment);
	remove_tree(output);
	if (status)
		remove_left(d, recorder);
	judge_trial(f, status, text);
}
