/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail doctor: says which features work on this machine, with a process or
 * with a program, which do not, and the remedy. Each subject is a row with a
 * function.
 *
 * Invariant: the exit status is 1 exactly if a state is "no". The runtime
 * directory is afterwards as it was before.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/common/command.h"
#include "command/common/json.h"
#include "command/common/wrapped.h"
#include "command/doctor/private.h"
#include "control/protocol.h"

#define FOUND_COLUMN	23

/* --trial is for the trial alone, so it has no help (trial.c). */
static const struct option_row rows[] = {
	{ OPTION_PID(struct doctor, pid), "pid", "PID", "check this process" },
	{ OPTION_JSON, "json", NULL, "print JSON" },
	{ OPTION_FLAG(0, struct doctor, trial), "trial", NULL, NULL },
	{ 0 }
};

/* In the order in which they are made and printed: a check may use facts of
 * those above it. */
const struct check doctor_checks[] = {
	{ "kernel", look_kernel, ABOUT_MACHINE },
	{ "rseq", look_rseq, ABOUT_HERE },
	{ "membarrier", look_membarrier, ABOUT_HERE },
	{ "madvise", look_call, ABOUT_HERE },
	{ "close_range", look_call, ABOUT_HERE },
	{ "pidfd", look_call, ABOUT_MACHINE },
	{ "memfd", look_call, ABOUT_HERE },
	{ "memory", look_call, ABOUT_MACHINE },
	{ "proc", look_proc, ABOUT_MACHINE },
	{ "clock", look_clock, ABOUT_HERE },
	{ "library", look_library, ABOUT_HERE },
	{ "directory", look_directory, ABOUT_HERE },
	{ "room", look_room, ABOUT_HERE },
	{ "descriptors", look_descriptors, ABOUT_MACHINE },
	{ "processes", look_processes, ABOUT_HERE },
	{ "files", look_files, ABOUT_HERE },
	{ "memory-size", look_memory_size, ABOUT_HERE },
	{ "seccomp", look_seccomp, ABOUT_HERE },
	{ "namespaces", look_namespaces, ABOUT_HERE },
	{ "ptrace", look_ptrace, ABOUT_MACHINE },
	{ "core", look_core, ABOUT_HERE },
	{ "gdb", look_gdb, ABOUT_MACHINE },
	{ "gdbserver", look_gdbserver, ABOUT_MACHINE },
	{ "trial", look_trial, ABOUT_HERE },
	{ "process", look_process, ABOUT_PROCESS },
	{ "agent", look_agent, ABOUT_PROCESS },
	{ "attach", look_attach, ABOUT_PROCESS },
	{ "directory", look_place, ABOUT_PROCESS },
	{ "sessions", look_sessions, ABOUT_PROCESS },
	{ "clock", look_its_clock, ABOUT_PROCESS },
	{ "seccomp", look_its_seccomp, ABOUT_PROCESS },
	{ "namespaces", look_its_namespaces, ABOUT_PROCESS },
	{ "limits", look_its_limits, ABOUT_PROCESS },
	{ "markers", look_its_markers, ABOUT_PROCESS },
	{ "probes", look_its_probes, ABOUT_PROCESS },
	{ "functions", look_functions, ABOUT_PROCESS },
	{ "program", look_program, ABOUT_PROGRAM },
	{ "agent", look_how, ABOUT_PROGRAM },
	{ "markers", look_markers, ABOUT_PROGRAM },
	{ "probes", look_probes, ABOUT_PROGRAM },
	{ "functions", look_functions, ABOUT_PROGRAM },
	{ 0 }
};

/* The answer so far: a line is printed when it is found. */
struct output {
	struct json json;
	enum doctor_state worst;
	char names[3][256];		/* of the subjects with a state */
};

/* Returns the word for a state that is printed. Scripts read these words, so
 * they stay as they are. */
static const char *state_word(enum doctor_state state)
{
	return state == DOCTOR_NO ? "no" :
	       state == DOCTOR_LIMITED ? "limited" : "ok";
}

/* Prints one finding, and notes the state of the subject: the last line names
 * the subjects that are "limited", or "no". */
static void put_finding(struct output *out, const struct check *check,
			const struct finding *f)
{
	static const char *const about[] = {
		[ABOUT_MACHINE] = "machine", [ABOUT_HERE] = "machine",
		[ABOUT_PROCESS] = "process", [ABOUT_PROGRAM] = "program",
	};
	/* many subjects: the last names are cut off */
	char *names = out->names[f->state - DOCTOR_OK];
	size_t used = strlen(names);
	char word[CAUSE_WORD_BYTES];
	int n;

	snprintf(names + used, sizeof(out->names[0]) - used, "%s%s",
		 used ? ", " : "", check->subject);
	if (out->worst < f->state)
		out->worst = f->state;
	if (command_json()) {
		json_open(&out->json, NULL, '{');
		json_string(&out->json, "about", about[check->about]);
		json_string(&out->json, "subject", check->subject);
		json_string(&out->json, "state", state_word(f->state));
		if (f->id)
			json_string(&out->json, "cause",
				    cause_word(f->id, word));
		json_string(&out->json, "found", f->found);
		json_string(&out->json, "remedy", f->remedy);
		json_close(&out->json, '}');
		return;
	}
	printf("%-12s  %-7s  ", check->subject, state_word(f->state));
	wrapped_text(FOUND_COLUMN, FOUND_COLUMN, f->found);
	if (f->remedy[0]) {
		n = printf("%*sremedy: ", FOUND_COLUMN, "");
		wrapped_text(n, FOUND_COLUMN + 2, f->remedy);
	}
	/* the next check may take a while */
	fflush(stdout);
}

/* Ends the output, and says whether tracing works. Returns the exit status: an
 * error of standard output is a failure of this command, too. */
static int tell_summary(struct output *out, const struct doctor *d)
{
	/* without a subject that is "limited" the line ends after "works" */
	const char *limited = out->names[DOCTOR_LIMITED - DOCTOR_OK];
	char asked[64] = "tracing here";

	if (d->pid)
		snprintf(asked, sizeof(asked), "tracing process %d", d->pid);
	else if (d->program)
		snprintf(asked, sizeof(asked), "tracing this program here");
	if (command_json()) {
		json_close(&out->json, ']');
		json_string(&out->json, "state", state_word(out->worst));
		json_close(&out->json, '}');
		json_end(&out->json);
	} else if (out->worst != DOCTOR_NO) {
		printf("%s works%s%s\n", asked, *limited ? "; limited: " : "",
		       limited);
	}
	if (command_finish())
		return COMMAND_FAILED;
	if (out->worst != DOCTOR_NO)
		return COMMAND_DONE;
	return command_failed("%s will not work: %s", asked,
			      out->names[DOCTOR_NO - DOCTOR_OK]);
}

int doctor_main(int argc, char **argv)
{
	static struct doctor doctor;
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows, .stop_early = 1,
		.shape = "[-p PID | -- PROG [ARGS...]]",
		.about = "Say what will work on this machine, with a process "
			 "or with a program, what not,\nand the remedy.",
	};
	struct output out = { .json = { .file = stdout }, .worst = DOCTOR_OK };
	struct finding f;
	int status;

	if (!options_take(&options, &doctor, NULL))
		return options.status;
	if (doctor.trial)
		return doctor_trial_main();
	if (options.index < argc)
		doctor.program = argv + options.index;
	if (doctor.pid && doctor.program)
		return command_misused("give either -p PID or a program");
	/* no directory was opened, no agent was found */
	doctor.dir.fd = doctor.process.fd = -1;
	if (command_json()) {
		json_open(&out.json, NULL, '{');
		json_open(&out.json, "checks", '[');
	}
	for (const struct check *check = doctor_checks; check->subject;
	     check++) {
		if ((check->about == ABOUT_HERE && doctor.pid) ||
		    (check->about == ABOUT_PROCESS && !doctor.pid) ||
		    (check->about == ABOUT_PROGRAM && !doctor.program))
			continue;
		/* look_call() finds its call by the subject */
		doctor.subject = check->subject;
		f = (struct finding){ .state = DOCTOR_APART };
		check->look(&doctor, &f);
		if (f.state != DOCTOR_APART)
			put_finding(&out, check, &f);
	}
	status = tell_summary(&out, &doctor);
	/* a directory that a process uses meanwhile is not empty, and stays */
	if (doctor.made) {
		unlinkat(doctor.dir.fd,
			 PROTOCOL_SESSIONS_DIR "/" PROTOCOL_KNOWN_FILE, 0);
		unlinkat(doctor.dir.fd, PROTOCOL_SESSIONS_DIR, AT_REMOVEDIR);
		rmdir(doctor.dir.path);
	}
	rundir_close(&doctor.dir);
	rundir_process_close(&doctor.process);
	return status;
}
