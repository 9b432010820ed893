/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens the rings of sessions, of living and ended processes.
 *
 * Invariant: an image of a process has one row in `known` as long as anything
 * of it may still be read or counted, so none is opened or counted twice.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/sys.h"
#include "command/agents/elsewhere.h"
#include "command/agents/layouts.h"
#include "command/agents/targets.h"
#include "command/agents/visits.h"
#include "command/causes/cause.h"
#include "command/common/limits.h"
#include "command/elf/addresses.h"
#include "command/reading/private.h"
#include "command/runtime/rundir.h"
#include "traces/read/rings.h"

#define NAMES_BYTES	512

/* An event is in the ring within this time, unless its thread is stopped
 * between the two. */
#define LATE_NS		20000000

/* The row of an image that a command has removed is there before the files go:
 * the look after the one that does not see them has read it. */
#define LOOKS_GONE	2

#define YOUNG_SECONDS	2

/* Returns whether files could not be opened because too many are open. A look
 * that goes on would miss processes, so it ends. */
static bool is_starved(int ret)
{
	return ret == -EMFILE || ret == -ENFILE;
}

/* A place among the images of the processes of a list; `list` is set, and the
 * rest zero: before the first. */
struct image_walk {
	const struct rundir_list *list;
	size_t processes;		/* that were begun */
	int n, next;			/* images of the last of them */
	int ret;			/* -EMFILE or -ENFILE: the end came
					 * too early */
	const struct rundir_process *process;
	uint32_t image;
	uint32_t images[RUNDIR_IMAGES_MAX];
};

/* Goes to the next image of the next process. Returns false at the end. */
static bool image_next(struct image_walk *walk)
{
	while (walk->next >= walk->n) {
		if (walk->processes == walk->list->count)
			return false;
		walk->process = &walk->list->processes[walk->processes++];
		walk->next = 0;
		walk->n = rundir_images(walk->process, walk->images,
					RUNDIR_IMAGES_MAX);
		if (!is_starved(walk->n))
			continue;
		walk->ret = walk->n;
		return false;
	}
	walk->image = walk->images[walk->next++];
	return true;
}

/* Returns whether a process was killed while it made an image, or is making it:
 * it had no room for the page yet, so no session has begun there. */
static bool is_unmade(int fd)
{
	struct stat st;

	return !fstatat(fd, "process", &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISREG(st.st_mode) && !st.st_size &&
	       faccessat(fd, "session.0", F_OK, AT_SYMLINK_NOFOLLOW) &&
	       errno == ENOENT;
}

/* Opens the session's rings in an image, whose file is open, and makes the
 * image known. Returns 0, or a negative errno for which the look ends; what is
 * wrong with the files of one process is told, and is no reason to end. */
static int add_rings(struct look_rings *live,
		     const struct rundir_process *process, uint32_t image,
		     int fd, const char *key)
{
	struct look *look = live->look;
	struct ring_image *rings;
	struct known *known;
	struct cause cause;
	struct stat st;
	char shown[128];
	int ret = live_grow(live);

	if (ret)
		return ret;
	snprintf(shown, sizeof(shown), rundir_is_shared(process) ?
		 "session '%s'" : "session '%s' of process %d", live->name,
		 process->pid);
	/* names for later addresses would be missing: no address gets a name */
	rings_name = look->keep ? NULL : addresses_name;
	ret = reader_add_rings(&rings, look->reader, &live->set, fd,
			       live->name, shown,
			       look->again ? RINGS_LATER :
			       look->peek ? RINGS_PEEK : RINGS_NEW);
	if (!ret) {
		known = &live->known[live->n++];
		*known = (struct known){
			.image = image, .serial = ring_image_serial(rings),
			.rings = rings, .seen = true, .pid = process->pid,
			.starttime = process->starttime,
			.alive = process->alive,
			.member = ring_image_member(rings),
			.shared = ring_image_shared(rings),
		};
		memcpy(known->process, process->name, sizeof(known->process));
		snprintf(known->key, sizeof(known->key), "%s", key);
		ring_image_count(rings, &known->totals);
	}
	/* the files may still be in the making */
	if (ret == -EBADMSG && look->keep && !fstat(fd, &st) &&
	    time(NULL) - st.st_mtime < YOUNG_SECONDS)
		return 0;
	if (ret == -EBADMSG && is_unmade(fd))
		return 0;
	if ((ret == -EPROTO || ret == -EBADMSG) && !look->quiet_problems) {
		/* of another version, or damaged */
		cause_set(&cause, 0, FILES_DAMAGED, .pid = process->pid,
			  .text = "not read");
		if (ret == -EPROTO)
			layouts_say(process, "not read");
		else
			cause_tell(&cause);
	}
	if (ret == -EPROTO || ret == -EBADMSG)
		look->unread = look->quiet_problems = true;
	return ret == -ENOMEM || is_starved(ret) ? ret : 0;
}

/* Notes that an image is there, and opens the rings of one that is new. Returns
 * as add_rings() does. An image is known by the directory's device and inode,
 * as a directory of the same name may be made anew. */
static int take_rings(struct look_rings *live,
		      const struct rundir_process *process, uint32_t image)
{
	char key[RUNDIR_KEY_BYTES];
	struct session_page page;
	struct known *known = NULL;
	struct stat st;
	int fd, ret;

	/* not by its number: of another PID namespace, it has another one when
	 * it has ended */
	if (fstat(process->fd, &st))
		return 0;
	snprintf(key, sizeof(key), "%s %llx.%llx %u", process->name,
		 (unsigned long long)st.st_dev, (unsigned long long)st.st_ino,
		 image);
	for (size_t i = live->n; i-- > 0 && !known;)
		if (!strcmp(live->known[i].key, key))
			known = &live->known[i];
	/* another program was executed: this one writes no more */
	if (known && process->alive && image == process->image &&
	    rundir_unlocked(process))
		return 0;
	if (known) {
		known->seen = true;
		known->alive = process->alive;
		if (known->rings || !(known->stopped || known->destroyed))
			return 0;
		/* the rings were closed when the session was stopped: perhaps
		 * it was destroyed since, and there is another of that name */
		ret = rundir_find_session(process, known->image, live->name,
					  &page);
		known->destroyed |= ret == -ENOENT;
		if (ret || page.serial == known->serial)
			return 0;
		known->seen = known->alive = false;
		known->destroyed = true;
	}
	fd = rundir_open_image(process, image);
	if (fd < 0)
		return is_starved(fd) ? fd : 0;
	ret = add_rings(live, process, image, fd, key);
	close(fd);
	return ret;
}

/* Sessions by name, each once. A text that is full does not say that there are
 * more, but `n` counts them. */
struct names {
	pid_t only;			/* of this process, or 0: of all */
	int n;
	char first[SESSION_NAME_BYTES];
	char text[NAMES_BYTES];		/* "a, b" */
};

/* Adds the names of sessions that the images have, of which none is destroyed.
 * A name that has no room is cut. An image that cannot be read has none. */
static void names_collect(struct names *names, const struct rundir_list *list)
{
	struct image_walk walk = { .list = list };
	struct process_page page;
	struct session_page session;

	while (image_next(&walk)) {
		if ((names->only && walk.process->pid != names->only) ||
		    rundir_read_process(walk.process, walk.image, &page))
			continue;
		for (uint32_t i = 0; i < page.sessions; i++) {
			const char *name = session.name, *at = names->text;
			size_t bytes;

			if (rundir_read_session(walk.process, walk.image, i,
						&session) ||
			    session.state == SESSION_DESTROYED)
				continue;
			bytes = strlen(name);
			while ((at = strstr(at, name)) &&
			       ((at != names->text && at[-1] != ' ') ||
				(at[bytes] && at[bytes] != ',')))
				at += bytes;
			if (at)
				continue;
			if (!names->n++)
				snprintf(names->first, sizeof(names->first),
					 "%s", name);
			bytes = strlen(names->text);
			snprintf(names->text + bytes,
				 sizeof(names->text) - bytes, "%s%s",
				 names->n > 1 ? ", " : "", name);
		}
	}
}

/* Takes the name of the only session. Returns COMMAND_DONE, or COMMAND_FAILED
 * after printing which there are, or how to start one. The name is valid until
 * the next call. */
static int session_choose(struct look *look, const struct rundir_list *list)
{
	static struct names names;
	char who[32] = "no process";

	memset(&names, 0, sizeof(names));
	names_collect(&names, list);
	look->session = names.first;
	if (names.n == 1)
		return COMMAND_DONE;
	if (names.n)
		return command_failed("there are %d sessions, %s: say which "
				      "with -s", names.n, names.text);
	if (layouts_tell(list, NULL, "not read"))
		return COMMAND_FAILED;
	if (look->pid)
		snprintf(who, sizeof(who), "process %d", look->pid);
	return command_failed("%s has %s session; %s-e RULE makes one for "
			      "this command, 'taffrail start NAME -p PID' one "
			      "that stays", who, look->pid ? "no" : "a",
			      look->pid ? "" : "-p PID ");
}

/*
 * Adds the rings that the process of -p shares to the list behind it; the
 * reader leaves out events of other processes. A later look finds them by the
 * session, also while the process executes another program. Returns 0 or
 * -ENOMEM.
 */
static int append_shared(struct look *look, struct rundir_list *list)
{
	struct rundir_process process = list->processes[0], shared;
	struct session_page session;
	struct process_page page = { .sessions = 1 };
	struct rundir around;
	int ret = 0;

	if ((!look->again &&
	     rundir_read_process(&process, process.image, &page)) ||
	    rundir_open_around(&around, &process))
		return 0;
	if (!look->again)
		reader_only(look->reader, page.pid, page.starttime);
	for (uint32_t i = 0; i < page.sessions && !ret; i++) {
		if (!look->again &&
		    (rundir_read_session(&process, process.image, i,
					 &session) ||
		     session.state == SESSION_DESTROYED ||
		     !(session.flags & SESSION_SHARED)))
			continue;
		if (rundir_find_shared(&around, look->again ? look->session :
							      session.name,
				       &shared)) {
			if (!look->again &&
			    layouts_tell_shared(&around, session.name,
						"not read"))
				look->unread = true;
			continue;
		}
		/* later events are of others */
		shared.alive = process.alive;
		look->shares = true;
		ret = rundir_append(list, &shared);
		if (ret)
			rundir_process_close(&shared);
	}
	rundir_close(&around);
	return ret;
}

/* Lists the processes that a look may read: that of -p, or all. Returns
 * COMMAND_DONE, or another status after printing why. If the process has ended,
 * it says which sessions still have the events. */
static int open_processes(struct rundir *dir, struct rundir_list *list,
			  struct look *look)
{
	struct names names = { .only = look->pid };
	struct rundir_list ended = { 0 };
	struct rundir_process process;
	struct cause cause;
	int ret;

	if (look->session && (ret = targets_check_name(look->session)))
		return ret;
	if (look->within) {
		*dir = *look->within;
		dir->fd = fcntl(dir->fd, F_DUPFD_CLOEXEC, 3);
		if (dir->fd >= 0)
			missing_read_limit(look->rings, dir);
		if (dir->fd >= 0 && !rundir_collect(dir, list))
			return COMMAND_DONE;
		look->rings->unlisted = true;
		return dir->fd < 0 ? command_failed("%s", limits_raise(errno)) :
				     cause_tell(&dir->cause);
	}
	if (!look->pid) {
		if (rundir_open(dir, false) == -ENOENT)
			dir->cause.id = CAUSE_NONE;
		/* before the processes are listed */
		missing_read_limit(look->rings, dir);
		if ((dir->fd >= 0 || !dir->cause.id) &&
		    !rundir_scan_user(dir, list) &&
		    (dir->fd < 0 || !rundir_append_shared(dir, list)))
			return COMMAND_DONE;
		look->rings->unlisted = true;
		return cause_tell(&dir->cause);
	}
	ret = rundir_find(&process, look->pid, &cause);
	if (!ret && !look->again && visits_clean_around(&process)) {
		rundir_process_close(&process);
		ret = rundir_find(&process, look->pid, &cause);
	}
	if ((ret == -ENXIO || ret == -ESRCH) && look->again &&
	    !executing_open(look->rings, &process))
		ret = 0;
	if (!ret && !rundir_append(list, &process))
		return append_shared(look, list) ?
			       command_failed("out of memory") : COMMAND_DONE;
	if (!ret) {
		rundir_process_close(&process);
		return command_failed("out of memory");
	}
	/* the process that was there has ended */
	if (look->again && !is_starved(ret))
		return COMMAND_FAILED;
	look->rings->unlisted = true;
	if (ret == -ESRCH && rundir_open(dir, false) != -ENOENT &&
	    !rundir_scan_user(dir, &ended))
		names_collect(&names, &ended);
	rundir_list_free(&ended);
	cause_tell(&cause);
	if (ret == -ENXIO && look->visit)
		command_warn("-e RULE loads it for this command, and takes it "
			     "back; -e '*' means every marker");
	if (names.n)
		command_warn("the events of process %d are still in the "
			     "buffers of %s: give -s NAME without -p",
			     look->pid, names.text);
	return COMMAND_FAILED;
}

/* Looks at the rings of an image, and closes them if nothing more comes. Tells
 * of a process whose agent goes on without its files: no command finds later
 * events of it. Returns 0 or a negative errno. */
static int image_look(struct look *look, struct known *known)
{
	bool last = !known->alive || !known->seen;
	int ret = ring_image_refresh(known->rings, last);
	struct cause cause;

	if (!ret && !last && ring_image_stopped(known->rings)) {
		last = true;
		ret = ring_image_refresh(known->rings, last);
	}
	memset(&known->totals, 0, sizeof(known->totals));
	ring_image_count(known->rings, &known->totals);
	known->stopped = ring_image_stopped(known->rings);
	known->destroyed = ring_image_destroyed(known->rings);
	if (last) {
		ring_image_close(known->rings);
		known->rings = NULL;
	}
	if (!executing_one(known, &cause) &&
	    cause.id == CAUSE_AGENT_FILES_REMOVED) {
		command_failed("process %d: its files in the runtime directory "
			       "were removed: its later events are missing",
			       known->pid);
		look->unread = true;
	}
	if (!known->seen)
		known->alive = rundir_alive(known->pid, known->starttime);
	return ret;
}

/* Counts, for shared rings, the processes that have written and ended, and of
 * which there is no image any more. */
static void members_count(struct look_rings *live, struct known *shared)
{
	if (!shared->rings)
		return;
	shared->away = ring_image_writers(shared->rings);
	for (size_t i = 0; i < live->n; i++)
		if (live->known[i].seen &&
		    ring_image_wrote(shared->rings, live->known[i].member))
			shared->away--;
}

/* Counts the images that the last look has met, and the events of all images
 * that were ever met. */
static void images_count(struct look *look)
{
	struct look_rings *live = look->rings;

	look->totals = live->gone;
	look->processes = look->ended = look->stopped = 0;
	for (size_t i = 0; i < live->n; i++) {
		struct known *known = &live->known[i];

		/* others have written, too */
		if (!known->shared || !look->pid)
			look->totals.written += known->totals.written;
		look->totals.lost += known->totals.lost;
		look->totals.unplaced += known->totals.unplaced;
		/* one that executes a program may come back */
		if ((!known->seen && !known->executes) || known->destroyed)
			continue;
		if (known->shared && look->pid)
			continue;
		if (known->shared) {
			members_count(live, known);
			look->processes += known->away;
			look->ended += known->away;
			continue;
		}
		look->processes++;
		look->ended += !known->alive;
		look->stopped += known->alive && known->stopped;
	}
}

/* Finds the processes, and opens the rings of each new one. Returns a status
 * after printing why the processes could not be listed; live->ret says why
 * rings could not be opened. */
static int rings_find(struct look *look, struct rundir_list *list, bool first)
{
	struct image_walk walk = { .list = list };
	struct rundir dir = { .fd = -1 };
	struct look_rings *live = look->rings;
	struct process_page page;
	char *rules = NULL;
	int ret = open_processes(&dir, list, look);

	if (ret == COMMAND_DONE && !look->session)
		ret = session_choose(look, list);
	if (ret == COMMAND_DONE) {
		live->name = look->session;
		if (first) {
			trace_set_anchor_now(&live->set);
			while (image_next(&walk))
				if (!rundir_read_process(walk.process,
							 walk.image, &page))
					trace_set_anchors(&live->set, &page);
			missing_begin(live, &dir, list);
			if (!look->pid &&
			    layouts_tell_shared(&dir, live->name, "not read"))
				look->unread = true;
		}
		walk = (struct image_walk){ .list = list };
		live->ret = 0;
		while (!live->ret && image_next(&walk))
			live->ret = take_rings(live, walk.process, walk.image);
		live->ret = live->ret ? live->ret : walk.ret;
		ret = look->pid || dir.fd < 0 ? -ENOENT :
		      rundir_read_rules(&dir, live->name, &rules);
		live->later = !ret;
		if (is_starved(ret) && !live->ret)
			live->ret = ret;
		ret = COMMAND_DONE;
		free(rules);
	}
	rundir_close(&dir);
	return ret;
}

/* Returns a time before which all events are in the rings: the earliest clock
 * of the rings that are open, less the time that a thread may need to write
 * one. */
static int64_t rings_now(const struct look_rings *live)
{
	int64_t now = TIME_MAX;

	for (size_t i = 0; i < live->n; i++) {
		int64_t ns = live->known[i].rings ?
			     ring_image_now(live->known[i].rings) : TIME_MAX;

		now = ns < now ? ns : now;
	}
	/* without any, later events are of other processes */
	if (now == TIME_MAX)
		now = sys_clock_ns(CLOCK_REALTIME);
	return now - LATE_NS;
}

bool look_rings_news(struct look *look, int64_t *until)
{
	struct look_rings *live = look->rings;
	struct rundir_list list = { 0 };
	bool on = false, executing;
	size_t kept = 0;
	int ret = 0;

	*until = rings_now(live);
	look->again = true;
	look->gone = false;
	/* images that this look does not meet have gone */
	for (size_t i = 0; i < live->n; i++)
		live->known[i].seen = false;
	/* before the processes are listed */
	missing_read(live);
	if (rings_find(look, &list, false) != COMMAND_DONE && live->unlisted) {
		/* they may live: nothing more is said of them, and this look is
		 * the last one */
		for (size_t i = 0; i < live->n; i++)
			live->known[i].alive = false;
		live->later = false;
		look->unread = true;
	}
	ret = live->ret;
	for (size_t i = 0; i < live->n && !ret; i++) {
		if (look->pid && live->known[i].shared)
			continue;
		if (live->known[i].rings)
			ret = image_look(look, &live->known[i]);
		on = on || live->known[i].rings;
	}
	rundir_list_free(&list);
	executing = !live->unlisted && executing_any(live);
	if (on || executing)
		live->alone = 0;
	else
		executing = !live->unlisted && executing_shared(live);
	on = on || executing;
	/* rings that the process of -p shares, until it has ended: also while
	 * it executes another program */
	for (size_t i = 0; i < live->n && !ret && look->pid; i++) {
		if (!live->known[i].shared || !live->known[i].rings)
			continue;
		live->known[i].seen = live->known[i].alive = on;
		ret = image_look(look, &live->known[i]);
	}
	missing_count(live);
	/* processes that have ended and left nothing are forgotten, once the
	 * row of what was removed must have come */
	for (size_t i = 0; i < live->n; i++) {
		struct known *known = &live->known[i];

		/* one that executes programs seems to have ended meanwhile, and
		 * an earlier image may then be met again */
		if (look->pid || known->rings || known->seen || known->alive ||
		    known->looks_gone++ < LOOKS_GONE) {
			live->known[kept++] = *known;
			continue;
		}
		live->gone.written += known->totals.written;
		live->gone.lost += known->totals.lost;
		live->gone.unplaced += known->totals.unplaced;
		missing_forget(live, known);
	}
	live->n = kept;
	images_count(look);
	if (ret && !live->unlisted)
		command_failed("%s", limits_raise(-ret));
	look->failed = ret || live->unlisted;
	look->unread = look->unread || look->failed;
	if (ret || !(on || live->later))
		*until = TIME_MAX;
	look->gone = !look->failed && !look->processes && !live->later &&
		     !executing;
	return !ret && (on || live->later);
}

int look_open_rings(struct look *look)
{
	struct rundir_list list = { 0 };
	char nearest[TARGETS_NEAREST_BYTES], who[32] = "no process has a";
	int ret = cause_check_files(LIMITS_FILES);

	look->rings = command_need(calloc(1, sizeof(*look->rings)));
	look->rings->look = look;
	look->rings->follower.fd = -1;
	look->rings->top = -1;
	if (ret == COMMAND_DONE)
		ret = rings_find(look, &list, true);
	if (!look->quiet_losses)
		missing_limit_tell(look->rings);
	if (ret == COMMAND_DONE && look->rings->ret) {
		ret = command_failed("%s", limits_raise(-look->rings->ret));
	} else if (ret == COMMAND_DONE && !look->rings->n) {
		targets_nearest(&list, look->session, nearest, sizeof(nearest));
		if (look->pid)
			snprintf(who, sizeof(who), "process %d has no",
				 look->pid);
		ret = command_failed("%s session '%s'%s", who, look->session,
				     nearest);
		if (look->session && !look->pid)
			others_tell(look->session);
	}
	images_count(look);
	rundir_list_free(&list);
	/* nothing is looked at again */
	if (!look->keep)
		look_rings_close(look);
	return ret;
}

void look_rings_close(struct look *look)
{
	struct look_rings *live = look->rings;

	if (!live)
		return;
	missing_end(live);
	if (live->top >= 0)
		close(live->top);
	for (size_t i = 0; i < live->n; i++)
		if (live->known[i].rings)
			ring_image_close(live->known[i].rings);
	free(live->known);
	free(live->rows);
	free(live);
	look->rings = NULL;
}
