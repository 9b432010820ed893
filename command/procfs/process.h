/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Facts of a process in /proc: status and mappings. A pid of none gives the
 * answer that says so; nothing here prints, and nothing waits.
 */
#ifndef COMMAND_PROCFS_PROCESS_H
#define COMMAND_PROCFS_PROCESS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct cause;

/* A line of /proc/PID/maps. */
struct process_mapping {
	uint64_t start, end;
	uint64_t offset;
	unsigned int major, minor;
	uint64_t inode;
	bool executable;
	char path[PATH_MAX];
};

/* Returns the id under which /proc shows the memory, the root directory and the
 * program of the process: the first thread's, or if that has exited, that of
 * one that has not. */
pid_t process_shown(pid_t pid);

/* Returns true while each thread of a process is at its end: the process has no
 * memory any more, and its parent may not know yet that it has ended. */
bool process_ending(pid_t pid);

/* Calls `call` for each mapping of a file until a call returns other than 0.
 * Returns that, 0, or a negative errno: the process cannot be read. */
int process_each_mapping(pid_t pid,
			 int (*call)(const struct process_mapping *m,
				     void *arg), void *arg);

/* Opens /proc/PID/NAME ("maps"), or with `tid` /proc/PID/task/TID/NAME. Returns
 * a stream, which the caller closes, or NULL and errno. */
FILE *process_stream(pid_t pid, pid_t tid, const char *name);

/*
 * Reads the beginning of /proc/PID/NAME ("stat"), less than `room` bytes, and a
 * NUL; with `tid`, of /proc/PID/task/TID/NAME. Returns the bytes, 0 if none can
 * be read, or a negative errno, also in errno: there is no such file.
 */
ssize_t process_text(pid_t pid, pid_t tid, const char *name, char *text,
		     size_t room);

/* Returns the text of /proc/PID/stat from a field on (proc(5)), the third or a
 * later one; "": there is none. */
const char *process_stat_field(const char *text, int field);

/* Returns the signal that has ended a process, by the pidfd that the caller has
 * of it; 0: none has, or the kernel does not tell. Linux tells all who hold a
 * pidfd from 6.15 on, once the parent knows; /proc tells before, until then. */
int process_end_signal(pid_t pid, int pidfd);

/* Returns whether a thread has this name; tid 0: the first one. */
bool process_named(pid_t pid, pid_t tid, const char *name);

/* Returns a set of /proc/PID/status ("SigPnd"), empty where there is none.
 * `tid`: as above. */
uint64_t process_set(pid_t pid, pid_t tid, const char *word);

/* Returns a number of /proc/PID/status ("Tgid", "TracerPid"), or -1 when it is
 * not there. */
long process_status(pid_t pid, const char *word);

/* Returns true when the line `word` ("State") of /proc/PID/status has the text.
 */
bool process_status_has(pid_t pid, const char *word, const char *text);

/* Returns the effective user id, or -1. */
long process_euid(pid_t pid);

/* Returns true where /proc shows the PID namespace that the process is in, not
 * one around it. */
bool process_in_view(pid_t pid);

/* Returns the pid that the process has in its own PID namespace; `pid` where
 * that is this command's, or cannot be known. */
pid_t process_inner_pid(pid_t pid);

/* Returns true when the real, the effective and the saved user id of a thread
 * are this one. */
bool process_is_of(pid_t tid, uid_t uid);

/* Returns true when the process has the capability (CAP_...), in whatever user
 * namespace it is. */
bool process_capable(pid_t pid, unsigned int capability);

/* Returns true when the process and this command are in different namespaces of
 * a kind ("pid", "user"); false when that cannot be seen. */
bool process_namespace_differs(pid_t pid, const char *kind);

/* Returns true when a user's or group's id, of this command's user namespace,
 * has one in that of the process. `map` is "uid_map" or "gid_map". */
bool process_has_id(pid_t pid, const char *map, uint32_t id);

/* Returns true when children of each thread of the process would begin in
 * another PID namespace, or "time" namespace, than the process's (unshare(2),
 * setns(2)). The kernel lets such a process make no thread: since Linux 6.1
 * only if the kind is "pid". */
bool process_children_away(pid_t pid, const char *kind);

/* Returns true when the process has a handler of SIGSEGV or SIGBUS. */
bool process_handles_faults(pid_t pid);

/* Returns true when SIGKILL is pending: the process will end, which may take
 * until it gets a CPU. */
bool process_killed(pid_t pid);

/* What has stopped a process. */
enum process_stop {
	PROCESS_RUNS, STOPPED_BY_SIGNAL, STOPPED_BY_TRACER,
};

/*
 * Returns what has stopped the process, and its tracer, or 0 for a tracer in a
 * PID namespace that this command does not see. `tracer` may be NULL.
 *
 * Both are of one look at the process: a tracer that stops it for an instant,
 * as other commands do, would else be taken for a signal.
 */
enum process_stop process_stopped_by(pid_t pid, pid_t *tracer);

/* Returns true when a signal or a tracer has stopped the process. */
bool process_stopped(pid_t pid);

/* Returns true, and the cause, when a signal or a tracer has stopped the
 * process. */
bool process_stopped_why(pid_t pid, struct cause *cause);

/* Returns why this command may not look into a process that it sees. */
const char *process_closed(pid_t pid);

/* Fills the cause with why /proc/PID could not be opened, as errno still tells:
 * there is no such process, or this command cannot see it. */
void process_missing(pid_t pid, struct cause *cause);

/* Returns true when the process maps a file of this name (without the folder).
 */
bool process_maps_file(pid_t pid, const char *name);

/* The same for a file with a name that begins so. */
bool process_maps_beginning(pid_t pid, const char *name);

/* Copies memory of a process. Returns 0, a negative errno, or -EFAULT: not all
 * of it is there. */
int process_memory(pid_t pid, uint64_t from, void *to, size_t bytes);

/* Returns true when the process maps a file, executable, at the address. */
bool process_executes(pid_t pid, uint64_t address);

#endif
