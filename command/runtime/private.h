/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files of this room only.
 */
#ifndef COMMAND_RUNTIME_PRIVATE_H
#define COMMAND_RUNTIME_PRIVATE_H

#include "command/runtime/rundir.h"

/*
 * Reads the state (a letter, as in /proc/PID/stat) and the start time of a
 * process. Returns 0, or -ESRCH if there is none. A zombie leader with running
 * threads is a living process.
 */
int rundir_stat_living(pid_t pid, char *state, uint64_t *starttime);

/* Returns a thread of the process that has not exited. */
pid_t rundir_living_thread(pid_t pid);

/* Gives the process the pid that it has here, and the start time that belongs
 * to that; drops an identity that is not the pid's. Returns false, and changes
 * nothing, when there is no such process. */
bool rundir_take_numbers(struct rundir_process *process, pid_t pid);

/* Parses "PID.STARTTIME"; false for any other text. */
bool rundir_parse_name(const char *name, pid_t *pid, uint64_t *starttime);

/*
 * Parses ".../PID.STARTTIME/IMAGE/NAME", a file that an agent shares, and cuts
 * the path behind STARTTIME; false for any other path.
 */
bool rundir_parse_file(char *path, pid_t *pid, uint64_t *starttime,
		       uint32_t *image, char name[NAME_MAX + 1]);

/* Parses ".../sessions/.shared.SESSION/0/NAME", a file of shared rings; false
 * for any other path. */
bool rundir_parse_shared(const char *path, char session[SESSION_NAME_BYTES],
			 char name[NAME_MAX + 1]);

/* Opens a stream over the files of an image; NULL and errno on failure. */
DIR *rundir_open_rings(const struct rundir_process *process, uint32_t image);

/* Returns whether a file's name is that of a ring of session `index`. */
bool rundir_names_ring(const char *file, uint32_t index);

/* Returns how many events the rings of a session have ever got, or lost; 0 for
 * a ring that cannot be read. */
uint64_t rundir_count_events(const struct rundir_process *process,
			     uint32_t image, uint32_t index);

/* Returns true when a ring of the session has unread events, or with `ever` has
 * ever had an event or lost one. */
bool rundir_any_ring(const struct rundir_process *process, uint32_t image,
		     const struct session_page *page, bool ever);

/* Tells followers which rings the limit of dead processes' rings had removed,
 * as long as the row of the limit is there. */
void rundir_tell_followers_limit(const struct rundir *dir,
				 const struct keep_row *limit);

/* Locks a directory (flock), so commands take turns. Waits for 2 s at most, and
 * then goes on without the lock: the command that holds it may be stopped. */
void rundir_take_turn(int fd);

/* A process may still be making a directory that is younger than this. */
#define SWEEP_AGE_SECONDS	2

/* Removes shared rings that no process needs (rundir_drop_shared()). */
void rundir_sweep_shared(struct rundir *dir);

/* Removes the files of followers that were killed. */
void rundir_followers_sweep(const struct rundir *dir);

/* Opens directory `name` below `at`, if it is that user's, and no symlink.
 * Returns a descriptor; or -1 and errno. */
int rundir_open_owned(int at, const char *name, uid_t uid);

/* Makes a directory with the rights of that user, who has all rights in it,
 * under any umask: the user may put something else at the path meanwhile.
 * Returns false and errno if that fails. */
bool rundir_make_directory(int at, const char *path, uid_t uid);

/* Opens sessions/; makes it when `create`. Returns a descriptor or a negative
 * errno. */
int rundir_open_rules(const struct rundir *dir, bool create);

/* A list of the files in sessions/; zeros at first. */
struct rules_list {
	DIR *stream;		/* NULL: not opened, or at the end */
};

/* Returns the name, behind the prefix, of the next file whose name begins with
 * it; NULL: there is no more. A caller that stops before calls
 * rundir_rules_end(). */
const char *rundir_rules_next(struct rules_list *list, const struct rundir *dir,
			      const char *prefix);
void rundir_rules_end(struct rules_list *list);

/* Writes the ID of this boot over zeros. */
void boot_id_read(uint8_t id[static 16]);

#endif
