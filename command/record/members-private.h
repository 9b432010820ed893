/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The processes that take part in a recording: they are found, join, are asked
 * to end the session, and end; then their files are removed. This is members.c;
 * member.c is about one process; joiners.c looks for processes that may still
 * join; handover.c follows programs that are executed as another user;
 * running.c starts the session in processes that run already; removal.c removes
 * files.
 *
 * The recorder holds a pidfd of each process, which names that process alone,
 * until it has collected the process's last events.
 *
 * Invariants: a directory is removed only when the events there are on disk. A
 * name does not identify a directory: when a process has ended and the
 * directory is gone, another process may make one of the same name.
 */
#ifndef COMMAND_RECORD_MEMBERS_PRIVATE_H
#define COMMAND_RECORD_MEMBERS_PRIVATE_H

#include "base/index.h"
#include "command/record/claim-private.h"
#include "command/record/drain.h"
#include "command/record/agentless.h"
#include "control/protocol.h"

#define MEMBERS_LEFT_MAX	512
#define MEMBERS_USERS_MAX	256

struct probes;
struct record_options;

/* A process, of one user. What must stay true: `process` is NULL only once the
 * member is done; `alive` never becomes true again. */
struct member {
	struct rundir_process *process;	/* NULL once it was collected */
	char name[48];			/* of the process's directory */
	uid_t uid;			/* the owner */
	struct member *older;		/* the latest one before it of the same
					 * name; or NULL */
	struct member *latest;		/* of this name; valid in the first */
	const struct member *before;	/* the same process, as it had another
					 * user and program; or NULL */
	pid_t pid;
	int pidfd;			/* -1: watched by pid */
	bool alive;
	bool done;
	bool asked;			/* the user named the process */
	bool foreign;			/* an image is of another version */
	uint32_t scanned;		/* the last scan that saw it */
	struct consumer **images;
	size_t nimages;
};

/* Files that stay for a moment, for followers. */
struct member_left {
	char process[48];		/* the name of the directory */
	uid_t uid;			/* the owner */
	struct consumer *image;
	uint64_t due_ns;
};

/* The directory of another user, to which a process has handed the recording
 * on. */
struct handover {
	struct handover *next;
	char path[LACKING_PATH_BYTES + 1];
	struct rundir dir;		/* fd -1: it was refused */
	int off;			/* sessions/.off.NAME in it, or -1 */
};

/* All of a recording. The claim, the drain, the probes and the outcome belong
 * to the caller. */
struct members {
	struct claim *claim;
	struct rundir *dir;		/* these two are the claim's */
	const char *session;
	struct drain *drain;
	struct probes *probes;
	struct outcome *outcome;
	bool flushed;			/* the rings that processes share, in
					 * this round */
	struct member **list;
	size_t n;
	struct member **open;		/* those that are not done, and a few
					 * that have become so since the last
					 * members_over() */
	size_t nopen;
	struct index names;		/* the first member of each name */
	struct agentless agentless;		/* programs without an agent */
	uint32_t words_unknown;		/* of the processes' environments */
	pid_t program;			/* that the recorder runs, or 0 */
	int inotify;
	int unfilled;			/* there: shared rings without memory,
					 * -1 once they may have some */
	uint64_t next_scan_ns;		/* 0: at once */
	uint64_t scan_again_ns;		/* earlier ones take too much time */
	uint32_t scans;			/* that have begun */
	uint64_t next_joiners_ns;	/* looks for processes to come */
	bool displaced;			/* its directory is another one, as
					 * was told */
	int crowded;			/* -EMFILE: the last scan did not see
					 * every process */
	struct member_left left[MEMBERS_LEFT_MAX];
	size_t nleft;
	struct handover *handovers;	/* by age */
	uid_t users[MEMBERS_USERS_MAX];	/* that processes became */
	size_t nusers;
};

/* members.c. Begins without any process. The others must live as long. */
void members_init(struct members *members, struct claim *claim,
		  struct drain *drain, struct probes *probes,
		  struct outcome *outcome);

/* Watches the runtime directory from now on. `program` is the process that the
 * recorder runs, or 0. */
void members_watch(struct members *members, pid_t program);

/* Adds a process in which the session has been started. Returns 0 or a negative
 * errno. */
int members_join(struct members *members, const struct rundir_process *process);

/* Looks for processes, images and rings, if it is time. */
void members_scan(struct members *members, uint64_t now_ns);

/* Has the next members_scan() look at once; or soon, but so that scans take a
 * part of the time only. */
static inline void members_hurry(struct members *members, bool at_once)
{
	members->next_scan_ns = at_once ? 0 : min_u64(members->next_scan_ns,
						      members->scan_again_ns);
}

/* Returns how many such looks have begun. */
static inline uint32_t members_scans(const struct members *members)
{
	return members->scans;
}

/* Returns -errno when the last look did not see every process, else 0. */
static inline int members_crowded(const struct members *members)
{
	return members->crowded;
}

/*
 * Collects processes that have ended. Returns true unless the program that the
 * recorder runs still does (`runs`), when no process that takes part lives, and
 * none will: a child that has written nothing yet may still join.
 */
bool members_over(struct members *members, bool runs);

/* Returns the longest sleep, in ms, before `end`, an instant of CLOCK_MONOTONIC
 * in ns; `child` is as for members_pause(), and ends the sleep. It is longer
 * when no event is in any ring, and members_pause() ends as soon as that may
 * change; not where a follower waits for events (`followed`). */
int members_rest(const struct members *members, int child, bool followed,
		 uint64_t end);

/* Sleeps until something may have happened, at most `ms`; `child` is a pidfd
 * or -1. */
void members_pause(struct members *members, int child, int ms);

/* Has the buffers of living processes closed, of `most` a call, from number
 * *next on. Returns true when all have been asked; then *next is 0. */
bool members_flush(struct members *members, size_t *next, size_t most);

/* Ends the session in living processes, and collects the rest of each. */
void members_stop(struct members *members);

/* Call this when descriptors were closed since members_stop(): collects
 * processes that it could not open without these. */
void members_finish_crowded(struct members *members);

/* Reads which programs had no agent, when the traces are complete, and adds
 * them to the outcome; `program` and the reason why it has no agent, or
 * LACKING_NOT, are those of the program that the recorder runs (NULL: none).
 * `early`: see agentless_note_program(). Returns true if there were some. */
bool members_note(struct members *members, const char *program,
		  enum lacking_why why, bool early);

/* Tells which variables in processes' environments are misspelt; those of this
 * command were told. */
void members_tell_words(const struct members *members);

/* Returns true when a process has taken part. One that shared rings, and had
 * nothing of its own to tell, may be no member: it took the files along. */
bool members_any(const struct members *members);

/* Returns how many processes have a trace of their own; one that changed the
 * user is one. */
size_t members_traced(const struct members *members);

/* Sends a signal to the living members, and to processes that have put off
 * their files, but not to `except`: a second SIGINT is another wish than
 * one. */
void members_signal(const struct members *members, pid_t except, int number);

/* Calls `call` for each process that lives, or was alive when the recording
 * ended. */
void members_each_living(const struct members *members,
			 void (*call)(pid_t pid, void *priv), void *priv);

/* Removes the files of processes that ended after members_stop(). */
void members_tidy(struct members *members);

/* Frees the members, and removes the rules in directories of other users. Call
 * it before drain_close(). */
void members_close(struct members *members);

/* running.c: records the running processes of -p; their children have
 * directories beside their own. Those that have ended are taken out of the
 * options, unless all have. Returns COMMAND_DONE, or COMMAND_FAILED after
 * printing why. */
int members_follow(struct members *members, struct record_options *o);

/*
 * followers.c: a few times a second, at most, has the buffers of all processes
 * closed, and tells commands that follow the directory up to which time the
 * traces are complete. `now_ns` is of CLOCK_MONOTONIC. With `overwrite`,
 * readers find the events at the end only. Returns true while such a command is
 * there.
 */
bool followers_serve(struct members *members, const struct drain *drain,
		     bool overwrite, uint64_t now_ns);

/* joiners.c. Returns true when a living process may still join the recording:
 * the environment names the recording and the process has the agent, or a
 * process of the recording has forked it. Such processes have no files before
 * their first event. */
bool joiners_exist(const struct members *members);

/* Returns true when the environment of this living process names `session`. */
bool joiner_named(pid_t pid, const char *session);

/* The rest is for this module. */

/* Returns the first member that had a directory of this name, or NULL. */
struct member *members_named(const struct members *members, const char *name);

/* Puts a member into the list, and makes it the latest of that name. Returns
 * false without memory. */
bool member_list(struct members *members, struct member *member);

/* Returns the image of the program that the process executes now, as far as it
 * was seen; NULL: none yet. */
struct consumer *member_newest(const struct member *member);

/* Waits at most so long. Returns true when the process has ended. */
bool member_ended(const struct member *member, int wait_ms);

/* Closes the member's descriptors; member->process is NULL then. */
void member_release(struct member *member);

/* Sends one request to a living member. Tells when a stop fails. Returns 0 or a
 * negative errno. */
int member_ask(struct members *members, struct member *member,
	       enum message_type type);

/* Watches a directory below the one that is open on `fd`; without /proc by
 * `at`, the path of that one. */
void members_watch_at(struct members *members, int fd, const char *at,
		      const char *below);

/*
 * removal.c: member_finish_image() collects the rest of an image, and removes
 * the files if nothing failed; it keeps those of a living process, as the next
 * image would take the number again. member_finish() does so for all images,
 * and releases the process. member_finish_replaced() does so for the images
 * that a later one of the same process has replaced: they write no more; it
 * removes their buffers, and leaves their directories. members_finish() ends a
 * recording whose processes were stopped.
 */
void member_finish_image(struct members *members, struct member *member,
			 struct consumer *image);
void member_finish(struct members *members, struct member *member);
void member_finish_replaced(struct members *members, struct member *member);
void members_finish(struct members *members);

/* Removes files that stayed for followers until a time of CLOCK_MONOTONIC. */
void members_remove_left(struct members *members, uint64_t until_ns);

/* handover.c: opens the directories that pages of living members name, and
 * watches each. Tells why one is not used. */
void handover_look(struct members *members);

/* Returns the descriptor of the runtime directory that a member is in. */
int handover_top(const struct members *members, const struct member *member);

/* Removes the session's rules there, so that no program joins any more. */
void handover_stop(struct members *members);

/* Reads which programs had no agent, and why, when the recording has ended:
 * also in default directories of users that no page names. */
void handover_read(struct members *members);

/* Closes all, and removes the rules again: a process may have left some
 * since. */
void handover_close(struct members *members);

#endif
