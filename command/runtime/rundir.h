/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The runtime directory as a command sees it: where it is, which processes
 * have left something in it, which of them live, and the pages they publish.
 *
 * Invariants:
 *  - no symlink is followed below the runtime directory, and nothing is used
 *    unless it belongs to the user or to the traced process;
 *  - a page is a checked copy: strings end in NUL, sizes are in range;
 *  - a process is named by its identity (buffers/layout.h), or by pid and start
 *    time, never by pid alone;
 *  - a process is dead only if none of these says that it lives: its identity,
 *    its number, its mappings, its socket, the lock on its page.
 */
#ifndef COMMAND_RUNTIME_RUNDIR_H
#define COMMAND_RUNTIME_RUNDIR_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>

#include "buffers/layout.h"
#include "command/causes/cause.h"

struct stat;

#define RUNDIR_IMAGES_MAX	10000	/* control/sessions/place.c */

/* A runtime directory: the calling user's, or that of a followed process. */
struct rundir {
	int fd;				/* O_RDONLY | O_DIRECTORY */
	uid_t uid;			/* only this user's directories count */
	char path[PATH_MAX];
	struct cause cause;		/* of a failed call */
};

/* PID.STARTTIME/ of one process. */
struct rundir_process {
	int fd;				/* O_RDONLY | O_DIRECTORY, or -1 */
	pid_t pid;			/* as we see it (dead: as it was) */
	uint64_t starttime;
	uint64_t namespace;		/* PID namespace: PLACE_NAMESPACE */
	uint64_t identity;		/* inode of the pidfd; 0: not known */
	bool alive;			/* at the moment of the scan */
	bool replaced;			/* by another program, see
					 * rundir_end_replaced() */
	bool unseen;			/* alive, in a PID namespace that this
					 * one does not see: pid is of there */
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
 * Opens the runtime directory: $TAFFRAIL_DIR, else $XDG_RUNTIME_DIR/taffrail
 * when on tmpfs, else /dev/shm/taffrail-UID, else /tmp/taffrail-UID. With
 * `create` makes it, mode 0700; never changes an existing one. Returns 0, or a
 * negative errno and dir->cause: -ENOENT when there is none, -EPERM when it is
 * another user's or open to others, -ELOOP for a symlink.
 */
int rundir_open(struct rundir *dir, bool create);

/* Closes the directory, if it is open; dir->fd is -1 then. */
void rundir_close(struct rundir *dir);

/*
 * Finds the process directory of a living process, through the process itself
 * (/proc/PID/maps names it, seen through /proc/PID/root). Returns 0, or a
 * negative errno and the cause: -ESRCH no such process, -ENXIO it has
 * no agent, -ECHILD it is a forked child without an event, -ENOTCONN the files
 * were removed, -EACCES it belongs to another user.
 */
int rundir_find(struct rundir_process *process, pid_t pid, struct cause *cause);

/*
 * Lists every process directory, the living first, then by age; the caller
 * releases the list with rundir_list_free(). Removes directories of dead
 * processes in which nothing is left to collect (sweep). Returns as
 * rundir_collect().
 */
int rundir_scan(struct rundir *dir, struct rundir_list *list);

/* Closes the processes of a list, and empties it. A process that was taken out
 * of the list has fd -1 there. */
void rundir_list_free(struct rundir_list *list);

/*
 * Calls `call` for each process directory, in no order, until a call returns
 * non-zero; then returns that. Closes the process after the call. Returns
 * -EMFILE or -ENFILE when a directory could not be opened.
 */
int rundir_each(struct rundir *dir,
		int (*call)(struct rundir_process *process, void *priv),
		void *priv);

/* Does the same for entries for which `known` returns false; NULL: for all. */
int rundir_each_but(struct rundir *dir,
		    bool (*known)(const char *name, void *priv),
		    int (*call)(struct rundir_process *process, void *priv),
		    void *priv);

/*
 * Does as rundir_scan(), and adds the user's processes whose agent chose
 * another default place because of another environment. A directory that
 * TAFFRAIL_DIR names stands alone: with TAFFRAIL_DIR set, a command sees
 * nothing else; without it, a command sees that directory's processes by pid
 * only. `dir` need not be open.
 */
int rundir_scan_user(struct rundir *dir, struct rundir_list *list);

/*
 * Removes a session that was being started in a process which has ended, and
 * all of the process's files if no other session needs them. Changes nothing,
 * and returns false, if the session has counted an event; else returns true.
 */
bool rundir_drop_begun(const struct rundir_process *process, const char *name);

/*
 * Removes files that dead processes have left of destroyed sessions.
 * rundir_scan() does this; `destroy` does it again.
 */
void rundir_sweep(struct rundir *dir);

/* Returns true when the process's files are in a file system that is mounted in
 * a mount namespace that is not ours: they go with that namespace. */
bool rundir_away(const struct rundir_process *process);

/* Gives the runtime directory that an agent of the process chooses, by a path
 * in the process's root. Returns 0 or a negative errno. */
int rundir_chosen(char path[PATH_MAX], pid_t pid);

/* Opens the directory in which such an agent would make its first file: that
 * one, or the one above it. Returns a descriptor or a negative errno; `why`
 * says why the agent would stay off, or is NULL: that cannot be known. */
int rundir_chosen_open(pid_t pid, char path[PATH_MAX], const char **why);

/* Opens that directory, and makes it where it is missing, as the agent would;
 * and gives the name that the agent's directory there will have, unless that is
 * of an earlier process. Returns 0 or a negative errno. */
int rundir_open_chosen(struct rundir *dir, pid_t pid, char name[48]);

/* Returns false when the process may not make files in a directory, which this
 * command reaches by the path. */
bool rundir_may_write(pid_t pid, const char *path, const struct stat *st);

/* away.c: returns the directory's path for messages: without the way through
 * /proc, where the process and this command see the same directory. */
const char *rundir_shown(const struct rundir_process *process);

/* Notes in sessions/ that a process has such files of a session. Returns 0 or a
 * negative errno. */
int rundir_note_away(struct rundir *dir, const char *session,
		     const struct rundir_process *process);

/* Removes the notes of a session whose processes have ended, with `all` also
 * those of living ones, and calls `call` (may be NULL) for each process that
 * has ended. Returns how many have ended. */
size_t rundir_forget_away(struct rundir *dir, const char *session, bool all,
			  void (*call)(pid_t pid));

/*
 * Calls `call` for each session of which the limit of dead processes' rings has
 * removed events. With `clear` naming a session, forgets that row afterwards.
 */
void rundir_each_removed(struct rundir *dir, const char *clear,
			 void (*call)(const struct keep_row *row, void *priv),
			 void *priv);

/* An image whose rings of a session a command removes. */
struct rundir_removed_row {
	char process[40];		/* "PID.STARTTIME", or one of these: */
#define RUNDIR_ROW_MORE		""	/* of images that have no row */
#define RUNDIR_ROW_LIMIT	"*"	/* that rundir_each_removed() clears */
	uint64_t serial;		/* of the session in the process */
	uint32_t image;
	uint32_t images;		/* how many */
	uint64_t events;		/* that their rings ever got, or that
					 * were lost */
};

struct rundir_follower {
	int fd;				/* sessions/.followed.NAME, or -1 */
	int below;
	char session[SESSION_NAME_BYTES];
	uint64_t begun;			/* how often the rows began again */
	int64_t at;			/* the next row */
	uint64_t images;		/* of the rows that were read */
	uint64_t events;
};

/*
 * followers.c: says that this command reads the rings of a session as they
 * fill, in the runtime directory `top` of user `uid`, until rundir_unfollow().
 * Returns 0 or a negative errno.
 */
int rundir_follow(struct rundir_follower *follower, int top, uid_t uid,
		  const char *session);

/*
 * Calls `call` for each row that has come since the last call, and at the end,
 * where the file had no room, for one row RUNDIR_ROW_MORE. A row comes before
 * the rings go.
 */
void rundir_removed_rows(struct rundir_follower *follower,
			 void (*call)(const struct rundir_removed_row *row,
				      void *priv),
			 void *priv);

/* Ends that; removes the file, unless there is another follower. */
void rundir_unfollow(struct rundir_follower *follower);

/* Returns true when a command follows the session, in the runtime directory of
 * the process. */
bool rundir_followed(const struct rundir_process *process, const char *session);

/* Adds a row for the followers of the session, if there is one. Call it before
 * the rings go; rundir_destroy_session() does. */
void rundir_tell_followers(const struct rundir_process *process, uint32_t image,
			   const struct session_page *page);

/* Opens the runtime directory that the directory of a process is in, if it is
 * of the process's user. Returns 0, and rundir_close() must be called, or a
 * negative errno. */
int rundir_open_around(struct rundir *dir,
		       const struct rundir_process *process);

/*
 * visits.c: locks the file of the commands that have sessions of their own in a
 * process, whose directory has this name; makes the file when `create`. Waits
 * `wait_ms` for another command at most. Returns a descriptor, whose close(2)
 * ends the lock, or a negative errno: -EBUSY, -ENOENT.
 */
int rundir_visit_lock(const struct rundir *dir, const char *process,
		      bool create, int wait_ms);

/* Returns whether one of them has loaded the agent. */
bool rundir_visit_loaded(int fd);

/* Notes so, or that the agent stays. Returns 0 or a negative errno. */
int rundir_visit_note(int fd, bool loaded);

/* Notes so before one of them loads the agent into the process, for the case
 * that this command is killed. Returns 0 or a negative errno. */
int rundir_visit_begin(int fd, pid_t pid);

/* Returns the process of such a note, if that is alive and rundir_visit_note()
 * was not called; else 0. */
pid_t rundir_visit_begun(int fd);

/* Calls `call` for each of these files that no command has locked; it is locked
 * for the call. */
void rundir_visits_each(const struct rundir *dir,
			void (*call)(const struct rundir *dir,
				     const char *process, int fd));

/* Removes the file. The caller has locked it. */
void rundir_visit_remove(const struct rundir *dir, const char *process);

/* Returns true when the runtime directory has such a file. */
bool rundir_visited(const struct rundir *dir);

/* Removes the files of processes that have no directory. */
void rundir_visit_sweep(const struct rundir *dir);

/*
 * Returns true when agents do not find, by its path, the runtime directory that
 * is open here, or refuse it: it was removed, renamed, or opened to others.
 * Then dir->cause says so.
 */
bool rundir_displaced(struct rundir *dir);

/* Looks also at sessions/, in which the recorder `name` has the file `off` open
 * (-1: none). */
bool rundir_displaced_off(struct rundir *dir, const char *name, int off);

/* Closes a process that came from rundir_find(). */
void rundir_process_close(struct rundir_process *process);

/*
 * Connects to a socket of the process ("control.sock"), whatever the length of
 * its path. Returns a non-blocking descriptor or a negative errno: -ENOENT and
 * -ECONNREFUSED when no process listens, -EPERM when the socket is not the
 * process's own. The caller must check the listener.
 */
int rundir_connect(const struct rundir_process *process, const char *name);

/*
 * Counts a process as ended when the program that has its files has ended by an
 * execve(2), and the process executes one whose agent does not use this
 * directory: it has none, or another user's. Such a process can be asked
 * nothing. Between two programs with agents this is so for some milliseconds,
 * for which `looks` tells how often to look again, 5 ms each.
 */
#define RUNDIR_REPLACED_LOOKS	100
void rundir_end_replaced(struct rundir_process *process, int *looks);

/* Returns true when the program that made the newest files of the process has
 * ended, as far as its lock tells. */
bool rundir_unlocked(const struct rundir_process *process);

/* Returns true when the process lives. */
bool rundir_lives(const struct rundir_process *process);

/* Returns true when pid is alive and still has that start time. */
bool rundir_alive(pid_t pid, uint64_t starttime);

/* Returns 1 when the process with this pid lives and has this identity, 0 when
 * it does not, -1 when that cannot be known. */
int rundir_is(pid_t pid, uint64_t identity);

/* Returns true when a living process holds the lock on the page of the newest
 * image. */
bool rundir_locked(const struct rundir_process *process);

/*
 * Looks for a process that does not live here by its number and start time: it
 * may be in a PID namespace below ours, or in another time namespace. If found,
 * sets the number and the start time that it has here, and returns true.
 */
bool rundir_nested(struct rundir_process *process);

/* Returns the PID namespace of a process, as in the name of its directory; 0
 * for the first namespace, or when it is not known. */
uint64_t rundir_namespace(pid_t pid);

/* Reads the start time (field 22 of /proc/PID/stat) of a process. Returns 0,
 * -ESRCH if there is no such process, or -EMFILE or -ENFILE. */
int rundir_starttime(uint64_t *starttime, pid_t pid);

/* Gives the last image of the process, if it is later than its `image`. */
bool rundir_executed(const struct rundir_process *process, uint32_t *image);

/*
 * Lists the numbers of the images in a process directory, ascending; of more
 * than `room`, the last ones. Returns how many, or a negative errno. There is
 * the first image, and one for each successful execve.
 */
int rundir_images(const struct rundir_process *process, uint32_t *images,
		  int room);

/*
 * Makes a checked copy of a published page. Returns 0, or -ENOENT: not there
 * (yet); -EPROTO: another version; -EBADMSG: not such a page; or another
 * negative errno. The page is worth nothing then.
 */
int rundir_read_process(const struct rundir_process *process, uint32_t image,
			struct process_page *page);

/* Does so for a session's page: `index` goes from 0 to process_page.sessions -
 * 1, and a hole gives -ENOENT. */
int rundir_read_session(const struct rundir_process *process, uint32_t image,
			uint32_t index, struct session_page *page);

/*
 * Finds the newest session of that name in the image that is not destroyed.
 * Returns 0, or -ENOENT if there is none.
 */
int rundir_find_session(const struct rundir_process *process, uint32_t image,
			const char *name, struct session_page *page);

/*
 * Returns the layout version of the files of a process that has one of another
 * version than this command, and in it a session of that name (NULL: or none);
 * else 0. A name of one letter may be found where there is none.
 */
uint32_t rundir_foreign(const struct rundir_process *process, const char *name);

/*
 * Opens the directory of an image; it must belong to the process directory's
 * owner and not be a symlink. Returns a descriptor, or a negative errno.
 */
int rundir_open_image(const struct rundir_process *process, uint32_t image);

/*
 * Opens a file in the directory of an image ("ring.0.1"), as rundir_open_own(),
 * of the process directory's owner; the image's directory is no symlink either.
 */
int rundir_open_file(const struct rundir_process *process, uint32_t image,
		     int flags, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Reads the head of a ring's file ("ring.0.1"). Returns false when there is no
 * complete one. */
bool rundir_read_ring(const struct rundir_process *process, uint32_t image,
		      const char *file, struct ring *ring);

/*
 * Marks a dead process's session destroyed and removes its files (rings first,
 * the page last). Returns 0 or the first negative errno.
 */
int rundir_destroy_session(const struct rundir_process *process,
			   uint32_t image, uint32_t index);

/* Notes in the page of a session how many events of its rings are in a
 * snapshot, and how many lost ones it has told. Returns 0 or a negative errno;
 * then `detach` takes them for unsaved. */
int rundir_note_saved(const struct rundir_process *process, uint32_t image,
		      uint32_t index, uint64_t events, uint64_t lost);

/*
 * Writes sessions/NAME, the rules that later processes obey, as a whole or not
 * at all. Returns 0 or a negative errno: -EINVAL for a name that no session can
 * have.
 */
int rundir_write_rules(struct rundir *dir, const char *name, const char *text);

/* Reads that file. Returns 0, and text that the caller frees, or a negative
 * errno: -EBADMSG for a file that commands do not write. */
int rundir_read_rules(struct rundir *dir, const char *name, char **text);

/* Removes that file, those of the session for one process each, and that of a
 * recorder that has gone. Returns 0 or a negative errno: -ENOENT without
 * rules. */
int rundir_remove_rules(struct rundir *dir, const char *name);

/*
 * Writes sessions/NAME@PID.STARTTIME (control/protocol.h): the session that
 * programs obey which this process and its descendants execute. `name` gets the
 * file's name. Returns 0 or a negative errno.
 */
int rundir_inheritance_write(const struct rundir_process *process,
			     const char *session, const char *text,
			     char name[NAME_MAX + 1]);

/* Reads that file, as rundir_read_rules(). */
int rundir_inheritance_read(const struct rundir_process *process,
			    const char *session, char **text);

/* Removes that file, or with NULL the process's files of all sessions. */
void rundir_inheritance_remove(const struct rundir_process *process,
			       const char *session);

/* Removes those that no process needs any more, in the runtime directory `fd`
 * of user `uid`. */
void rundir_inheritance_sweep(int fd, uid_t uid);

/*
 * Makes sessions/.off.NAME (control/protocol.h), empty, in place of an earlier
 * one, and locks it: as long as the descriptor is open, agents leave the events
 * of this session to the caller. Returns a descriptor or a negative errno:
 * -EBUSY if a recorder has this name.
 * rundir_remove_rules() removes the file when it is not locked.
 */
int rundir_create_off(struct rundir *dir, const char *name);

/* Makes sessions/.deferred.NAME (control/protocol.h), without a row. Returns a
 * descriptor or a negative errno. rundir_remove_rules() removes the file. */
int rundir_create_deferred(struct rundir *dir, const char *name);

/* Calls `call` with each such file, to be read; it closes the descriptor. */
void rundir_each_deferred(struct rundir *dir, void (*call)(int fd));

/* Opens that file of an agent's, which no recorder made, to read it. Returns a
 * descriptor or a negative errno. */
int rundir_open_off(struct rundir *dir, const char *name);

/* Returns 1 when a recorder at work has this name, 0 when it has gone, or a
 * negative errno: it has left no file that tells. */
int rundir_recorder(struct rundir *dir, const char *name);

/* Returns true for a session of `taffrail record` whose recorder does not run
 * any more. Without a file that tells, the pid in the name decides. */
bool rundir_recorder_gone(struct rundir *dir, const char *name);

/*
 * Finds sessions of this user whose recorder has gone, and whose buffers are
 * still there. Returns their number; `first` is the name of one, and `text` has
 * them all, as far as there is room: "session 'A'", "sessions 'A', 'B'".
 */
size_t rundir_abandoned(char first[SESSION_NAME_BYTES], char *text,
			size_t room);

/* Rings that the processes of a session share, as a command asks for them. */
struct rundir_rings {
	uint32_t flags;			/* enum session_flags */
	uint64_t bytes;			/* of one, as for --buffer-size; 0: the
					 * default */
	uint64_t quota;			/* the most that all may take; 0: no
					 * limit */
};

/*
 * shared.c: makes sessions/.shared.NAME/, with rings that all processes of a
 * session share (docs/shared.md); smaller ones where there is little room.
 * Returns a descriptor, which keeps other commands from removing them before
 * the caller has written rules for later processes; or a negative errno, and
 * then made nothing: -ENOTSUP where each process makes rings itself, for want
 * of room or of the time stamp counter; -EEXIST where rundir_drop_shared()
 * leaves rings of that name, or another command makes them. The caller tells
 * dir->cause, if there is one.
 */
int rundir_make_shared(struct rundir *dir, const char *name,
		       const struct rundir_rings *rings);

/*
 * Finds the shared rings of a session, as if they were of a process with the
 * session in image 0: `pid` is of the command that made them, `alive` says that
 * later processes join, or one that has joined lives. Returns 0, and
 * rundir_process_close() must be called, or a negative errno: -ENOENT.
 */
int rundir_find_shared(struct rundir *dir, const char *name,
		       struct rundir_process *process);

/* Returns true when a process that has joined lives, or a child of one; also
 * where that is not known. */
bool rundir_shared_held(struct rundir *dir, const char *name);

/* Adds all that are there to the list. Returns 0 or -ENOMEM. */
int rundir_append_shared(struct rundir *dir, struct rundir_list *list);

/*
 * Calls `call` for shared rings of a session of that name (NULL: any) whose
 * files cannot be read, with a negative errno: -EPROTO if they are of another
 * version. Those that are just being made or removed are not. Takes up to 200
 * ms where there are some. Returns how many.
 */
int rundir_each_unread(struct rundir *dir, const char *only,
		       void (*call)(const char *name, int error, void *priv),
		       void *priv);

/* Returns true for a process that rundir_find_shared() has made up. */
bool rundir_is_shared(const struct rundir_process *process);

/* Removes the rings that this command has made last: in the handler of a signal
 * that ends it before a process could join. */
void rundir_abandon_shared(void);

/* Notes that the session has stopped, for their readers. Does nothing where
 * there are none. */
void rundir_stop_shared(struct rundir *dir, const char *name);

/* Removes them. Returns true if they were there. */
bool rundir_remove_shared(struct rundir *dir, const char *name);

/*
 * Removes them if no process has joined that lives, nor will join, and they
 * have `saved` events, no more; UINT64_MAX: if a recorder or the last snapshot
 * has taken all and told the losses, and they are not just being made. Returns
 * true if none of that name are left.
 */
bool rundir_drop_shared(struct rundir *dir, const char *name, uint64_t saved);

/*
 * Calls `call` for each session's name in sessions/ until a call returns
 * non-zero, and returns that.
 */
int rundir_each_rules(struct rundir *dir,
		      int (*call)(const char *name, void *priv), void *priv);

/* Returns true for a session's name: 1..63 of A-Z a-z 0-9 . _ - and no dot in
 * front. */
bool rundir_valid_name(const char *name);

/* Opens a stream over directory `name` below fd, which must be no symlink, and
 * the directory of the same user: one who has a mount namespace of his own may
 * mount another directory there, and root would read or empty that. Returns
 * NULL and errno on failure. */
DIR *rundir_opendir(int fd, const char *name);

/*
 * Opens a file below directory `at`. It must be a regular file of the user, not
 * a symlink; to open it has no effect on a FIFO or a terminal, and does not
 * wait. `flags` is O_RDONLY or O_RDWR. Returns a descriptor or a negative
 * errno: -EPERM for any other file.
 */
int rundir_open_own(int at, const char *name, int flags, uid_t uid);

/* Gives a process to the list. Returns 0 or -ENOMEM. */
int rundir_append(struct rundir_list *list, const struct rundir_process *p);

/* Does as rundir_open(), for this path, and makes nothing. */
int rundir_open_at(struct rundir *dir, const char *path);

/* Does so for the directory of another user. */
int rundir_open_user(struct rundir *dir, const char *path, uid_t uid);

/* Lists every process directory, and removes nothing. Returns 0, or a negative
 * errno and dir->cause: -EMFILE when one could not be opened. */
int rundir_collect(struct rundir *dir, struct rundir_list *list);

#endif
