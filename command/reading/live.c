/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens the rings of sessions, of living and ended processes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "command/agents/elsewhere.h"
#include "command/agents/layouts.h"
#include "command/agents/targets.h"
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

static bool is_starved(int ret)
{
	return ret == -EMFILE || ret == -ENFILE;
}

/* Calls `call` for each image of each process, until a call returns non-zero;
 * then returns that, or -EMFILE or -ENFILE. */
static int each_image(const struct rundir_list *list,
		      int (*call)(const struct rundir_process *process,
				  uint32_t image, void *priv), void *priv)
{
	uint32_t images[RUNDIR_IMAGES_MAX];
	int ret = 0;

	for (size_t i = 0; i < list->count && !ret; i++) {
		int n = rundir_images(&list->processes[i], images,
				      RUNDIR_IMAGES_MAX);

		if (is_starved(n))
			ret = n;
		for (int k = 0; k < n && !ret; k++)
			ret = call(&list->processes[i], images[k], priv);
	}
	return ret;
}

static int take_anchors(const struct rundir_process *process, uint32_t image,
			void *priv)
{
	struct look_rings *live = priv;
	struct process_page page;

	if (!rundir_read_process(process, image, &page))
		trace_set_anchors(&live->set, &page);
	return 0;
}

static struct known *find_known(struct look_rings *live, const char *key)
{
	for (size_t i = live->n; i-- > 0;)
		if (!strcmp(live->known[i].key, key))
			return &live->known[i];
	return NULL;
}

/* Looks whether a session whose rings were closed when it was stopped was
 * destroyed since. Returns true when the image has another one of that name. */
static bool is_replaced(const struct look_rings *live, struct known *known,
			const struct rundir_process *process)
{
	struct session_page page;
	int ret;

	if (known->rings || !(known->stopped || known->destroyed))
		return false;
	ret = rundir_find_session(process, known->image, live->name, &page);
	known->destroyed |= ret == -ENOENT;
	return !ret && page.serial != known->serial;
}

static void image_know(struct look_rings *live, const char *key,
		       const struct rundir_process *process, uint32_t image,
		       struct ring_image *rings)
{
	struct known *known = &live->known[live->n++];

	memset(known, 0, sizeof(*known));
	memcpy(known->process, process->name, sizeof(known->process));
	known->image = image;
	snprintf(known->key, sizeof(known->key), "%s", key);
	known->serial = ring_image_serial(rings);
	known->rings = rings;
	known->seen = true;
	known->pid = process->pid;
	known->starttime = process->starttime;
	known->alive = process->alive;
	ring_image_count(rings, &known->totals);
}

/* Says that the files of a process cannot be read: they are of another version,
 * or damaged. */
static void unread_tell(const struct rundir_process *process, int error)
{
	struct cause cause;

	if (error == -EPROTO) {
		layouts_say(process, "not read");
		return;
	}
	cause_set(&cause, 0, FILES_DAMAGED, .pid = process->pid,
		  .text = "not read");
	cause_tell(&cause);
}

/* Opens the session's rings in an image. */
static int add_rings(struct look_rings *live,
		     const struct rundir_process *process, uint32_t image,
		     int fd, const char *key)
{
	struct look *look = live->look;
	struct ring_image *rings;
	struct stat st;
	char shown[128];
	int ret = live_grow(live);

	if (ret)
		return ret;
	snprintf(shown, sizeof(shown), "session '%s' of process %d",
		 live->name, process->pid);
	/* names for later addresses would be missing: no address gets a name */
	rings_name = look->keep ? NULL : addresses_name;
	ret = reader_add_rings(&rings, look->reader, &live->set, fd,
			       live->name, shown,
			       look->again ? RINGS_LATER :
			       look->peek ? RINGS_PEEK : RINGS_NEW);
	if (!ret)
		image_know(live, key, process, image, rings);
	/* the files may still be in the making */
	if (ret == -EBADMSG && look->keep && !fstat(fd, &st) &&
	    time(NULL) - st.st_mtime < YOUNG_SECONDS)
		return 0;
	if (ret == -EPROTO || ret == -EBADMSG) {
		if (!look->quiet_problems)
			unread_tell(process, ret);
		look->unread = look->quiet_problems = true;
	}
	return ret == -ENOMEM || is_starved(ret) ? ret : 0;
}

static int take_rings(const struct rundir_process *process, uint32_t image,
		      void *priv)
{
	struct look_rings *live = priv;
	char key[RUNDIR_KEY_BYTES];
	struct known *known;
	struct stat st;
	int fd, ret;

	/* not by its number: of another PID namespace, it has another one when
	 * it has ended */
	if (fstat(process->fd, &st))
		return 0;
	snprintf(key, sizeof(key), "%s %llx.%llx %u", process->name,
		 (unsigned long long)st.st_dev, (unsigned long long)st.st_ino,
		 image);
	known = find_known(live, key);
	if (known) {
		known->seen = true;
		known->alive = process->alive;
		if (!is_replaced(live, known, process))
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

/* Sessions by name, each once. */
struct names {
	pid_t only;			/* of this process, or 0: of all */
	int n;
	char first[SESSION_NAME_BYTES];
	char text[NAMES_BYTES];		/* "a, b" */
};

static void add_name(struct names *names, const char *name)
{
	size_t bytes = strlen(name);
	const char *at = names->text;

	while ((at = strstr(at, name))) {
		if ((at == names->text || at[-1] == ' ') &&
		    (!at[bytes] || at[bytes] == ','))
			return;
		at += bytes;
	}
	if (!names->n++)
		snprintf(names->first, sizeof(names->first), "%s", name);
	snprintf(names->text + strlen(names->text),
		 sizeof(names->text) - strlen(names->text), "%s%s",
		 names->n > 1 ? ", " : "", name);
}

static int take_names(const struct rundir_process *process, uint32_t image,
		      void *priv)
{
	struct process_page page;
	struct session_page session;

	struct names *names = priv;

	if ((names->only && process->pid != names->only) ||
	    rundir_read_process(process, image, &page))
		return 0;
	for (uint32_t i = 0; i < page.sessions; i++)
		if (!rundir_read_session(process, image, i, &session) &&
		    session.state != SESSION_DESTROYED)
			add_name(names, session.name);
	return 0;
}

/* Takes the name of the only session. */
static int session_choose(struct look *look, const struct rundir_list *list)
{
	static struct names names;
	char who[32] = "no process";

	memset(&names, 0, sizeof(names));
	each_image(list, take_names, &names);
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
	return command_failed("%s has %s session; 'taffrail start NAME -p PID' "
			      "starts one", who, look->pid ? "no" : "a");
}

/* Says that a process cannot be looked at; and, if it has ended, which sessions
 * still have its events. */
static int no_process(struct look *look, int why, const struct cause *cause)
{
	struct names names = { .only = look->pid };
	struct rundir dir = { .fd = -1 };
	struct rundir_list list = { 0 };

	/* the process that was there has ended */
	if (look->again && !is_starved(why))
		return COMMAND_FAILED;
	look->rings->unlisted = true;
	if (why == -ESRCH && rundir_open(&dir, false) != -ENOENT &&
	    !rundir_scan_user(&dir, &list))
		each_image(&list, take_names, &names);
	rundir_list_free(&list);
	rundir_close(&dir);
	cause_tell(cause);
	if (names.n)
		command_warn("the events of process %d are still in the "
			     "buffers of %s: give -s NAME without -p",
			     look->pid, names.text);
	return COMMAND_FAILED;
}

static int open_process(struct rundir_list *list, struct look *look)
{
	struct cause cause;
	struct rundir_process process;
	int ret = rundir_find(&process, look->pid, &cause);

	if ((ret == -ENXIO || ret == -ESRCH) && look->again &&
	    !executing_open(look->rings, &process))
		ret = 0;
	if (ret)
		return no_process(look, ret, &cause);
	if (rundir_append(list, &process)) {
		rundir_process_close(&process);
		return command_failed("out of memory");
	}
	return COMMAND_DONE;
}

static int open_processes(struct rundir *dir, struct rundir_list *list,
			  struct look *look)
{
	int ret;

	if (look->session && (ret = targets_check_name(look->session)))
		return ret;
	if (look->pid)
		return open_process(list, look);
	if (rundir_open(dir, false) == -ENOENT)
		dir->cause.id = CAUSE_NONE;
	/* before the processes are listed */
	missing_read_limit(look->rings, dir);
	if ((dir->fd >= 0 || !dir->cause.id) && !rundir_scan_user(dir, list))
		return COMMAND_DONE;
	look->rings->unlisted = true;
	return cause_tell(&dir->cause);
}

/* Looks at the rings of an image, and closes them if nothing more comes. */
static int image_refresh(struct known *known)
{
	bool last = !known->alive || !known->seen;
	int ret = ring_image_refresh(known->rings, last);

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
	return ret;
}

/* Tells of a process whose agent goes on without its files: no command finds
 * later events of it. */
static void tell_removed(struct look *look, const struct known *known)
{
	command_failed("process %d: its files in the runtime directory were "
		       "removed: its later events are missing", known->pid);
	look->unread = true;
}

static int image_look(struct look *look, struct known *known)
{
	int ret = image_refresh(known);
	struct cause cause;

	if (!executing_one(known, &cause) &&
	    cause.id == CAUSE_AGENT_FILES_REMOVED)
		tell_removed(look, known);
	if (!known->seen)
		known->alive = rundir_alive(known->pid, known->starttime);
	return ret;
}

/* Forgets processes that have ended and left nothing, once the row of what was
 * removed must have come. */
static void forget_ended(struct look_rings *live)
{
	size_t kept = 0;

	for (size_t i = 0; i < live->n; i++) {
		struct known *known = &live->known[i];

		if (known->rings || known->seen || known->alive ||
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
}

/* Counts the images that the last look has met. */
static void images_count(struct look *look)
{
	const struct look_rings *live = look->rings;

	look->totals = live->gone;
	look->processes = look->ended = look->stopped = 0;
	for (size_t i = 0; i < live->n; i++) {
		const struct known *known = &live->known[i];

		look->totals.written += known->totals.written;
		look->totals.lost += known->totals.lost;
		look->totals.unplaced += known->totals.unplaced;
		if (!known->seen || known->destroyed)
			continue;
		look->processes++;
		look->ended += !known->alive;
		look->stopped += known->alive && known->stopped;
	}
}

/* Finds the processes, and opens the rings of each new one. */
static int rings_find(struct look *look, struct rundir_list *list, bool first)
{
	struct rundir dir = { .fd = -1 };
	struct look_rings *live = look->rings;
	char *rules = NULL;
	int ret = open_processes(&dir, list, look);

	if (ret == COMMAND_DONE && !look->session)
		ret = session_choose(look, list);
	if (ret == COMMAND_DONE) {
		live->name = look->session;
		if (first) {
			trace_set_anchor_now(&live->set);
			each_image(list, take_anchors, live);
			missing_begin(live, &dir, list);
		}
		live->ret = each_image(list, take_rings, live);
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

static int64_t rings_now(const struct look_rings *live)
{
	int64_t now = TIME_MAX;
	struct timespec real;

	for (size_t i = 0; i < live->n; i++) {
		int64_t ns = live->known[i].rings ?
			     ring_image_now(live->known[i].rings) : TIME_MAX;

		now = ns < now ? ns : now;
	}
	/* without any, later events are of other processes */
	if (now == TIME_MAX) {
		clock_gettime(CLOCK_REALTIME, &real);
		now = (int64_t)real.tv_sec * 1000000000 + real.tv_nsec;
	}
	return now - LATE_NS;
}

bool look_rings_news(struct look *look, int64_t *until)
{
	struct look_rings *live = look->rings;
	struct rundir_list list = { 0 };
	bool on = false, executing;
	int ret = 0;

	*until = rings_now(live);
	look->again = true;
	look->gone = false;
	for (size_t i = 0; i < live->n; i++)
		live->known[i].seen = false;
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
		if (live->known[i].rings)
			ret = image_look(look, &live->known[i]);
		on = on || live->known[i].rings;
	}
	rundir_list_free(&list);
	executing = !live->unlisted && executing_any(live);
	missing_count(live);
	forget_ended(live);
	images_count(look);
	on = on || executing;
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
	char nearest[TARGETS_NEAREST_BYTES];
	int ret = cause_check_files(LIMITS_FILES);

	look->rings = calloc(1, sizeof(*look->rings));
	if (!look->rings)
		return command_failed("out of memory");
	look->rings->look = look;
	look->rings->follower.fd = -1;
	look->rings->top = -1;
	if (ret == COMMAND_DONE)
		ret = rings_find(look, &list, true);
	if (ret == COMMAND_DONE && look->rings->ret) {
		ret = command_failed("%s", limits_raise(-look->rings->ret));
	} else if (ret == COMMAND_DONE && !look->rings->n) {
		targets_nearest(&list, look->session, nearest,
				sizeof(nearest));
		ret = command_failed("no process has a session '%s'%s",
				     look->session, nearest);
		if (look->session && !look->pid)
			others_tell(look->session);
	}
	images_count(look);
	rundir_list_free(&list);
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
