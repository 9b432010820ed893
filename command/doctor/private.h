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

/* In the order of badness: the worst one decides the exit status. */
enum doctor_state {
	DOCTOR_APART,		/* does not apply: is not printed */
	DOCTOR_OK, DOCTOR_LIMITED, DOCTOR_NO,
};

/* The finding of a check; all zeros: the check does not apply. */
struct finding {
	enum doctor_state state;
	enum cause_id id;			/* or CAUSE_NONE */
	char found[DOCTOR_TEXT_BYTES];
	char remedy[DOCTOR_TEXT_BYTES];		/* or "" */
};

/*
 * The question, and facts of earlier checks.
 *
 * Invariant: a check reads only facts that checks above it in the table of
 * doctor.c have set: a fact that is not set yet is 0, which means "none".
 */
struct doctor {
	pid_t pid;			/* of -p, or 0 */
	bool trial;			/* --trial */
	char **program;			/* behind --, or NULL */
	const char *subject;		/* of the check that looks now */
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

/*
 * A check: looks at one subject, and fills the finding, which is all zeros
 * before. It prints nothing, and does not fail: what it cannot see is a
 * finding, too.
 */
typedef void doctor_look(struct doctor *d, struct finding *f);

/* The question that a check belongs to. */
enum about {
	ABOUT_MACHINE,
	ABOUT_HERE,		/* of the machine; left out with a process */
	ABOUT_PROCESS,
	ABOUT_PROGRAM,
};

/* doctor.c: all checks; the last row has a NULL subject. */
extern const struct check {
	const char *subject;
	doctor_look *look;
	enum about about;
} doctor_checks[];

/* Of the machine: calls.c, directory.c, limits.c, rights.c, debuggers.c,
 * trial.c. */
doctor_look look_kernel, look_rseq, look_membarrier, look_call, look_proc;
doctor_look look_clock, look_library, look_directory, look_room;
doctor_look look_descriptors, look_processes, look_files, look_memory_size;
doctor_look look_seccomp, look_namespaces, look_ptrace, look_core;
doctor_look look_gdb, look_gdbserver, look_trial;

/* Of a process: process.c, place.c, process-limits.c. */
doctor_look look_process, look_agent, look_attach, look_place, look_sessions;
doctor_look look_its_clock, look_its_seccomp, look_its_namespaces;
doctor_look look_its_limits, look_its_markers, look_its_probes;

/* Of a program: program.c. */
doctor_look look_program, look_how, look_markers, look_probes;

/* Of either: functions.c. */
doctor_look look_functions;

/* finding.c: sets the state and the text, without words that point to this
 * command and bytes that a terminal obeys. A text that is too long is cut. */
void found_as(struct finding *f, enum doctor_state state, const char *format,
	      ...) __attribute__((format(printf, 3, 4)));
/* Adds to the text, as far as there is room. */
void found_more(struct finding *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Sets the state, and the cause's fact and remedy. */
void found_cause(struct finding *f, enum doctor_state state,
		 const struct cause *cause);
/*
 * Does so for a cause that is filled here: "no" if a command would fail for it,
 * else "limited".
 *
 *	found(f, RSEQ_NONE);
 */
void found_fill(struct finding *f, enum cause_id id,
		const struct cause_slots *slots);
#define found(f, name, ...)              \
	found_fill((f), CAUSE_##name, \
		   &(struct cause_slots){ __VA_ARGS__ })
/* Sets the remedy, in place of an earlier one. */
void found_remedy(struct finding *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* finding.c: reads the first line of a file, without the newline; "" if it
 * cannot be read. Returns `line`. */
const char *first_line(char *line, size_t room, const char *path);

/* finding.c: says how many markers, or USDT probes, a list has, and how many of
 * them cannot be traced. */
void found_markers(struct finding *f, const struct marker_list *list);
void found_probes(const struct doctor *d, struct finding *f,
		  const struct marker_list *list);

/* The system calls that calls.c can make. */
enum aside_call {
	CALL_RSEQ,
	CALL_MEMBARRIER,
	CALL_SYNC,		/* membarrier for code */
	CALL_MADVISE, CALL_CLOSE_RANGE, CALL_PIDFD, CALL_MEMFD,
	CALL_MEMORY,		/* process_vm_readv */
	CALL_MKDIR,
};

/*
 * calls.c: makes a call in a child, because a filter may kill for it. Returns
 * 0, the errno of the call, -N when signal N killed the child, or ASIDE_NOT
 * when no child can be made.
 */
#define ASIDE_NOT	1000
int aside(enum aside_call call);

/* A program to run. */
struct run {
	char *const *argv;
	char *const *environment;
	int seconds;			/* then the program is ended */
	bool errors;			/* standard error, else output */
	pid_t *pid;			/* gets the pid, or 0; or NULL */
	int output;			/* of aside_run() */
};

/*
 * aside.c: runs a program, without input, and gives the beginning of one
 * output, at most `room` - 1 bytes and a NUL. Returns the exit status, 128 + N
 * after signal N, or a negative errno: it could not be started, or (-ETIMEDOUT)
 * was ended after `seconds`.
 */
int aside_run(struct run *run, char *text, size_t room);

/* directory.c: returns the bytes of one CPU's buffer of the default size. */
uint64_t default_ring(void);

/* directory.c: says how much room there is for the buffers of processes, by an
 * open directory. `path` is the directory's name in the finding. */
void found_room(struct finding *f, int fd, const char *path);

/* limits.c: judges a limit of a file's size, in bytes; UINT64_MAX: none. */
void judge_file_size(struct finding *f, uint64_t limit);

/* trial.c: the program that record records in the trial. Returns the exit
 * status. */
int doctor_trial_main(void);

/* build.c: adds to the finding about an agent that it is of another build than
 * this command, if it is. d->page must be read. */
void found_build(struct doctor *d, struct finding *f);

/* rights.c: returns the name of a clock_kind. */
const char *clock_words(uint32_t kind);

/* rights.c: returns true in a user namespace below the first one; false also
 * where /proc does not tell. */
bool own_user_namespace(void);

#endif
