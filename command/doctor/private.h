/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the parts of `taffrail doctor`: checks and findings.
 *
 * Invariant: a check changes nothing outside of this command and its children,
 * and says only facts that were seen: no property is taken from a release.
 */
#ifndef COMMAND_DOCTOR_PRIVATE_H
#define COMMAND_DOCTOR_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "command/causes/cause.h"
#include "command/elf/markers.h"
#include "command/runtime/rundir.h"

#define DOCTOR_TEXT_BYTES	1024

enum doctor_state {
	DOCTOR_APART,		/* does not apply: is not printed */
	DOCTOR_OK,
	DOCTOR_LIMITED,
	DOCTOR_NO,
};

/* The finding of a check. */
struct finding {
	enum doctor_state state;
	char found[DOCTOR_TEXT_BYTES];
	char remedy[DOCTOR_TEXT_BYTES];		/* or "" */
};

/* The question, and facts of earlier checks. */
struct doctor {
	pid_t pid;			/* of -p, or 0 */
	char **program;			/* behind --, or NULL */
	struct rundir dir;		/* this user's; fd -1: not usable */
	bool made;			/* it was not there before */
	/* of a process */
	bool gone;		       /* there is no such process */
	struct rundir_process process; /* fd -1: no agent was found */
	int found;		       /* the result of rundir_find() */
	struct cause cause;	       /* of either */
	int attach;		       /* the result of attach_check() */
	bool deaf;		       /* no command can call the agent */
	struct process_page page;      /* magic 0: not read */
	/* of a program */
	char file[PATH_MAX];		/* the executed file, or "" */
	char image[PATH_MAX];		/* the ELF file of it, or "" */
	bool library;			/* `file` is a shared library */
};

struct check {
	const char *subject;
	void (*look)(struct doctor *doctor, struct finding *finding);
	bool here;		/* left out when a process is asked for */
};

/* The rows end with a NULL subject. */
extern const struct check doctor_machine[];	/* doctor.c */
extern const struct check doctor_process[];	/* process.c */
extern const struct check doctor_program[];	/* program.c */

/* finding.c: set the state and the text; add to the text; set the remedy. */
void found_as(struct finding *f, enum doctor_state state, const char *format,
	      ...) __attribute__((format(printf, 3, 4)));
void found_more(struct finding *f, const char *text);
/* Sets the state, and the cause's fact and remedy. */
void found_cause(struct finding *f, enum doctor_state state,
		 const struct cause *cause);
void found_remedy(struct finding *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* finding.c: reads the first line of a file, without the newline; "" if it
 * cannot be read. Returns `line`. */
const char *first_line(char *line, size_t room, const char *path);

/* finding.c: says how many markers, or USDT probes, a list has. */
void found_markers(struct finding *f, const struct marker_list *list);
void found_probes(struct finding *f, const struct marker_list *list);

/*
 * aside.c: calls `call` in a child, because a filter may kill for a system
 * call. Returns 0, the errno that it returned, -N when signal N killed it, or
 * ASIDE_NOT when no child can be made.
 */
#define ASIDE_NOT	1000
int aside(int (*call)(void));

/*
 * aside.c: runs a program, without input, and gives the beginning of one
 * output. Returns the exit status, 128 + N after signal N, or a negative errno:
 * it could not be started, or (-ETIMEDOUT) was ended after `seconds`.
 */
struct run {
	char *const *argv;
	char *const *environment;
	int seconds;
	bool errors;			/* standard error, else output */
	pid_t *pid;			/* gets the pid, or 0; or NULL */
};
int aside_run(const struct run *run, char *text, size_t room);

/* calls.c, directory.c, limits.c, rights.c, debuggers.c, trial.c: the checks of
 * the machine. */
void look_kernel(struct doctor *d, struct finding *f);
void look_rseq(struct doctor *d, struct finding *f);
void look_membarrier(struct doctor *d, struct finding *f);
void look_madvise(struct doctor *d, struct finding *f);
void look_close_range(struct doctor *d, struct finding *f);
void look_pidfd(struct doctor *d, struct finding *f);
void look_memfd(struct doctor *d, struct finding *f);
void look_memory(struct doctor *d, struct finding *f);
void look_proc(struct doctor *d, struct finding *f);
void look_clock(struct doctor *d, struct finding *f);
void look_library(struct doctor *d, struct finding *f);
void look_directory(struct doctor *d, struct finding *f);
void look_room(struct doctor *d, struct finding *f);
void look_descriptors(struct doctor *d, struct finding *f);
void look_processes(struct doctor *d, struct finding *f);
void look_files(struct doctor *d, struct finding *f);
void look_memory_size(struct doctor *d, struct finding *f);
void look_seccomp(struct doctor *d, struct finding *f);
void look_namespaces(struct doctor *d, struct finding *f);
void look_ptrace(struct doctor *d, struct finding *f);
void look_core(struct doctor *d, struct finding *f);
void look_gdb(struct doctor *d, struct finding *f);
void look_gdbserver(struct doctor *d, struct finding *f);
void look_trial(struct doctor *d, struct finding *f);

/* directory.c: returns the bytes of one CPU's buffer of the default size. */
uint64_t default_ring(void);

/* directory.c: says how much room there is for the buffers of processes, by an
 * open directory. */
void found_room(struct finding *f, int fd, const char *path);

/* limits.c: judges a limit of a file's size. */
void judge_file_size(struct finding *f, uint64_t limit);

/* trial.c: the program that record records in the trial. */
int doctor_trial_main(void);

/* limits.c: counts the threads of a user. */
uint64_t threads_of(uid_t uid);

/* process-limits.c: the limits of a process. */
void look_its_limits(struct doctor *d, struct finding *f);

/* place.c: the runtime directory of a process. */
void look_place(struct doctor *d, struct finding *f);

/* build.c: adds to a finding that the agent is of another build. */
void found_build(struct doctor *d, struct finding *f);

/* rights.c: the name of a clock_kind; true in a user namespace below the first
 * one. */
const char *clock_words(uint32_t kind);
bool own_user_namespace(void);

#endif
