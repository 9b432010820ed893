/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The runtime directory as a command sees it: where it is, which processes
 * have left something in it, which of them live, and the pages they publish.
 *
 * What must stay true here:
 *  - no symlink is followed below the runtime directory, and nothing is used
 *    that belongs to somebody else than the user or the traced process;
 *  - a page is a checked copy: strings end in NUL, sizes are in range;
 *  - a process is named by pid and start time, never by pid alone.
 */
#ifndef COMMAND_RUNDIR_RUNDIR_H
#define COMMAND_RUNDIR_RUNDIR_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "buffers/layout.h"

#define RUNDIR_ERROR_BYTES	512
#define RUNDIR_KEEP_BYTES	(256ull << 20)

/* The runtime directory of the calling user. */
struct rundir {
	int fd;				/* O_RDONLY | O_DIRECTORY */
	char path[PATH_MAX];
	char error[RUNDIR_ERROR_BYTES];	/* the fact, when a call failed */
};

/* PID.STARTTIME/ of one process. */
struct rundir_process {
	int fd;				/* O_RDONLY | O_DIRECTORY, or -1 */
	pid_t pid;			/* as we see it (dead: as it was) */
	uint64_t starttime;
	uint64_t namespace;		/* its PID namespace: PLACE_NAMESPACE */
	bool alive;			/* when it was looked at */
	uid_t uid;			/* owner of the directory */
	uint32_t image;			/* newest IMAGE/ that has a page */
	char name[48];			/* "PID.STARTTIME" as it stands there */
	char path[PATH_MAX];		/* from here, for messages */
};

struct rundir_list {
	struct rundir_process *processes;
	size_t count;
};

/*
 * Open the runtime directory: $TAFFRAIL_DIR, else $XDG_RUNTIME_DIR/taffrail
 * when on tmpfs, else /dev/shm/taffrail-UID, else /tmp/taffrail-UID. With
 * `create` it is made, mode 0700. Negative errno and dir->error: -ENOENT when
 * there is none, -EPERM when it is not the user's own or open to others,
 * -ELOOP for a symlink. One that was there before is not changed.
 */
int rundir_open(struct rundir *dir, bool create);
void rundir_close(struct rundir *dir);

/*
 * The process directory of a living process, from the process itself
 * (/proc/PID/maps names it, seen through /proc/PID/root). Negative errno and
 * the fact in `error`: -ESRCH no such process, -ENXIO it has no agent,
 * -EACCES it belongs to somebody else.
 */
int rundir_find(struct rundir_process *process, pid_t pid,
		char error[RUNDIR_ERROR_BYTES]);

/*
 * Every process directory, the living first, then by age. Result to be
 * released with rundir_list_free(). Directories of dead processes in which
 * nothing is left to collect are removed on the way (sweep).
 */
int rundir_scan(struct rundir *dir, struct rundir_list *list);
void rundir_list_free(struct rundir_list *list);

/*
 * Calls `call` for each process directory in turn, in no order, until it
 * returns non-zero; then returns that. The process is closed behind the call.
 * -EMFILE or -ENFILE when one could not be opened.
 */
int rundir_each(struct rundir *dir,
		int (*call)(struct rundir_process *process, void *priv),
		void *priv);

/*
 * The same as rundir_scan(), and the user's processes whose agent chose another
 * of the default places, since their environment differs. A directory that
 * TAFFRAIL_DIR names is a world of its own: from inside nothing else is seen,
 * from outside it is seen by pid only. `dir` may be one that is not open.
 */
int rundir_scan_user(struct rundir *dir, struct rundir_list *list);

/*
 * Remove what dead processes have left of destroyed sessions, and beyond
 * RUNDIR_KEEP_BYTES the directories of the longest dead. rundir_scan() calls
 * it; a snapshot that has collected everything calls it again.
 */
void rundir_sweep(struct rundir *dir);

/* Close a process that came from rundir_find(). */
void rundir_process_close(struct rundir_process *process);

/*
 * Connect to a socket of the process ("control.sock"), whatever the length of
 * its path. A non-blocking descriptor or a negative errno: -ENOENT and
 * -ECONNREFUSED mean that nobody listens, -EPERM that it is not the
 * process's own socket. Who listens is for the caller to check.
 */
int rundir_connect(const struct rundir_process *process, const char *name);

/* Is pid alive and does it still have that start time? */
bool rundir_alive(pid_t pid, uint64_t starttime);

/*
 * Is a process that is not here by its number and its start time one of a PID
 * namespace below ours, or of another time namespace? Then it gets the number
 * and the start time that it has here.
 */
bool rundir_nested(struct rundir_process *process);

/* The PID namespace of a process, as in the name of its directory; 0: of the
 * first one, or not known. */
uint64_t rundir_namespace(pid_t pid);

/* Start time (field 22 of /proc/PID/stat) of a process; -ESRCH if none. */
int rundir_starttime(uint64_t *starttime, pid_t pid);

/*
 * Numbers of the program images in a process directory, ascending, at most
 * `room`; returns how many. One a successful execve plus the first.
 */
int rundir_images(const struct rundir_process *process, uint32_t *images,
		  int room);

/*
 * A checked copy of a published page. -ENOENT: not there (yet); -EPROTO:
 * another version; -EBADMSG: not such a page. `index` goes from 0 to
 * process_page.sessions - 1; a hole gives -ENOENT.
 */
int rundir_read_process(const struct rundir_process *process, uint32_t image,
			struct process_page *page);
int rundir_read_session(const struct rundir_process *process, uint32_t image,
			uint32_t index, struct session_page *page);

/*
 * The session of that name in the image, the newest that is not destroyed;
 * -ENOENT if there is none.
 */
int rundir_find_session(const struct rundir_process *process, uint32_t image,
			const char *name, struct session_page *page);

/*
 * Opens the directory of an image, of the process directory's owner, and no
 * symlink. Returns a descriptor, or a negative errno.
 */
int rundir_open_image(const struct rundir_process *process, uint32_t image);

/*
 * Open a file below the process directory ("0/ring.0.1"): no symlink, a
 * regular file of the directory's owner. Descriptor or negative errno.
 * `flags` O_RDONLY or O_RDWR; O_CLOEXEC is added.
 */
int rundir_open_file(const struct rundir_process *process, const char *name,
		     int flags);

/*
 * Mark a dead process's session destroyed and remove its files (rings first,
 * the page last); 0 or the first negative errno.
 */
int rundir_destroy_session(const struct rundir_process *process,
			   uint32_t image, uint32_t index);

/*
 * sessions/NAME: what later processes obey. Written as a whole or not at all.
 * Reading gives NUL-terminated text to be freed.
 */
int rundir_write_rules(struct rundir *dir, const char *name, const char *text);
int rundir_read_rules(struct rundir *dir, const char *name, char **text);
int rundir_remove_rules(struct rundir *dir, const char *name);

/*
 * Makes sessions/.off.NAME (control/protocol.h), empty; what was there goes.
 * Returns a descriptor or a negative errno. rundir_remove_rules() removes it.
 */
int rundir_create_off(struct rundir *dir, const char *name);

/*
 * Names in sessions/, `call` once a name; stops when it returns non-zero, and
 * returns that.
 */
int rundir_each_rules(struct rundir *dir,
		      int (*call)(const char *name, void *priv), void *priv);

/* A session's name: 1..63 of A-Z a-z 0-9 . _ - and no dot in front. */
bool rundir_valid_name(const char *name);

#endif
