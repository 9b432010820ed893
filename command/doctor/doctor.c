/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail doctor: says which features work on this machine, with a process or
 * with a program, which do not, and the remedy. Each subject is a row with a
 * function (doctor_machine[], process.c, program.c).
 *
 * Invariant: the exit status is 1 exactly if a state is "no".
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/common/command.h"
#include "command/common/json.h"
#include "command/common/printable.h"
#include "command/doctor/private.h"

enum { KEY_TRIAL = 256 };

static const struct option_row rows[] = {
	{ 'p', "pid", "PID", "check this process" },
	{ 'j', "json", NULL, "print JSON" },
	{ KEY_TRIAL, "trial", NULL, NULL },	/* trial.c */
	{ 0 }
};

struct output {
	struct json json;
	bool as_json;
	enum doctor_state worst;
	char names[3][256];		/* of the subjects with a state */
};

static const char *state_word(enum doctor_state state)
{
	return state == DOCTOR_NO ? "no" :
	       state == DOCTOR_LIMITED ? "limited" : "ok";
}

static void put_json(struct json *json, const char *about, const char *subject,
		     const struct finding *f)
{
	json_open(json, NULL, '{');
	json_string(json, "about", about);
	json_string(json, "subject", subject);
	json_string(json, "state", state_word(f->state));
	json_string(json, "found", f->found);
	json_string(json, "remedy", f->remedy);
	json_close(json, '}');
}

static void put_text(const char *subject, const struct finding *f)
{
	printable_print("%-12s  %-7s  %s\n", subject, state_word(f->state),
			f->found);
	if (f->remedy[0])
		printable_print("%23sremedy: %s\n", "", f->remedy);
	fflush(stdout);
}

static void note_state(struct output *out, const char *subject,
		       enum doctor_state state)
{
	char *names = out->names[state - DOCTOR_OK];
	size_t used = strlen(names);

	snprintf(names + used, sizeof(out->names[0]) - used, "%s%s",
		 used ? ", " : "", subject);
	if (out->worst < state)
		out->worst = state;
}

static void put_checks(struct output *out, struct doctor *d, const char *about,
		       const struct check *check)
{
	for (; check->subject; check++) {
		struct finding f = { .state = DOCTOR_APART };

		if (check->here && d->pid)
			continue;
		check->look(d, &f);
		if (f.state == DOCTOR_APART)
			continue;
		note_state(out, check->subject, f.state);
		if (out->as_json)
			put_json(&out->json, about, check->subject, &f);
		else
			put_text(check->subject, &f);
	}
}

/* Sums up. Returns the exit status. */
static int sum_up(struct output *out, const struct doctor *d)
{
	const char *limited = out->names[DOCTOR_LIMITED - DOCTOR_OK];
	char asked[64] = "tracing here";

	if (d->pid)
		snprintf(asked, sizeof(asked), "tracing process %d", d->pid);
	else if (d->program)
		snprintf(asked, sizeof(asked), "tracing this program here");
	if (out->as_json) {
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

/* Removes the runtime directory again if it was not there before; one that a
 * process uses meanwhile stays. */
static void remove_made(struct doctor *d)
{
	if (d->made) {
		unlinkat(d->dir.fd, "sessions", AT_REMOVEDIR);
		rmdir(d->dir.path);
	}
	rundir_close(&d->dir);
	rundir_process_close(&d->process);
}

static int examine_all(struct doctor *d, bool as_json)
{
	struct output out = { .json = { .file = stdout }, .as_json = as_json,
			      .worst = DOCTOR_OK };
	int status;

	d->dir.fd = d->process.fd = -1;
	if (as_json) {
		json_open(&out.json, NULL, '{');
		json_open(&out.json, "checks", '[');
	}
	put_checks(&out, d, "machine", doctor_machine);
	if (d->pid)
		put_checks(&out, d, "process", doctor_process);
	if (d->program)
		put_checks(&out, d, "program", doctor_program);
	status = sum_up(&out, d);
	remove_made(d);
	return status;
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
	bool as_json = false;
	int key;

	while ((key = options_next(&options)) != OPTIONS_END) {
		if (key == OPTIONS_STOP)
			return options.status;
		if (key == KEY_TRIAL)
			return doctor_trial_main();
		if (key == 'j')
			as_json = true;
		else if (command_take_pid(&doctor.pid, options.value))
			return COMMAND_USAGE;
	}
	if (options.index < argc)
		doctor.program = argv + options.index;
	if (doctor.pid && doctor.program)
		return command_misused("give either -p PID or a program");
	return examine_all(&doctor, as_json);
}

/* In the order in which they are printed. */
const struct check doctor_machine[] = {
	{ "kernel", look_kernel, false },
	{ "rseq", look_rseq, true },
	{ "membarrier", look_membarrier, true },
	{ "madvise", look_madvise, true },
	{ "close_range", look_close_range, true },
	{ "pidfd", look_pidfd, false },
	{ "memfd", look_memfd, true },
	{ "memory", look_memory, false },
	{ "proc", look_proc, false },
	{ "clock", look_clock, true },
	{ "library", look_library, true },
	{ "directory", look_directory, true },
	{ "room", look_room, true },
	{ "descriptors", look_descriptors, false },
	{ "processes", look_processes, true },
	{ "files", look_files, true },
	{ "memory-size", look_memory_size, true },
	{ "seccomp", look_seccomp, true },
	{ "namespaces", look_namespaces, true },
	{ "ptrace", look_ptrace, false },
	{ "core", look_core, true },
	{ "gdb", look_gdb, false },
	{ "gdbserver", look_gdbserver, false },
	{ "trial", look_trial, true },
	{ NULL, NULL, false }
};
