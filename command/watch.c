/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail watch: prints a line whenever a process with an agent starts or
 * ends, its markers come or go, a session changes state, or a full buffer loses
 * events.
 *
 * Invariant: watching costs the processes nothing. The command reads the pages
 * that they publish; it asks an agent for its markers only when the page says
 * that they changed.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "buffers/reader/reader.h"
#include "command/agents/layouts.h"
#include "command/agents/targets.h"
#include "command/causes/cause.h"
#include "command/common/command.h"
#include "command/common/counted.h"
#include "command/common/limits.h"
#include "command/common/printable.h"

#define POLL_MS		100
#define SESSIONS_SEEN	64

/* A session as it was at the last look, by the name and the index: a session
 * that is destroyed and started again is another one. */
struct seen_session {
	char name[SESSION_NAME_BYTES];
	uint32_t index;
	uint32_t state;
	uint64_t lost;
	bool present;			/* in this round */
};

/* A process as it was at the last look. */
struct seen {
	struct rundir_process process;	/* we own the descriptor */
	bool listed;			/* `markers` were read at least once */
	bool foreign;			/* the agent is of another version */
	char procname[PROCESS_NAME_BYTES];
	uint32_t image;
	uint64_t generation;
	struct marker_list markers;	/* sorted */
	struct seen_session sessions[SESSIONS_SEEN];
	size_t nsessions;
};

/*
 * The processes that are watched, in any order.
 *
 * Invariant: an entry owns its process's descriptor and markers until
 * seen_forget(). inotify is -1 where new processes cannot be seen.
 */
struct watch {
	struct rundir dir;
	pid_t pid;			/* only this one, or 0 */
	struct seen *seen;
	size_t count;
	int inotify;
	bool started;			/* the first look is over */
	bool again;			/* a process was not ready: rescan */
	bool missed;			/* a process was left out */
};

/* Prints a line about a process, with the time of day: the change was between
 * the last round and this one. */
static void event_say(const struct seen *seen, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void event_say(const struct seen *seen, const char *format, ...)
{
	struct timespec ts;
	struct tm tm;
	va_list ap;

	char who[32] = "shared buffers";

	if (!rundir_is_shared(&seen->process))
		snprintf(who, sizeof(who), "%d %.15s", seen->process.pid,
			 seen->procname);
	clock_gettime(CLOCK_REALTIME, &ts);
	localtime_r(&ts.tv_sec, &tm);
	printable_print("%02d:%02d:%02d.%03ld %s: ", tm.tm_hour, tm.tm_min,
			tm.tm_sec, ts.tv_nsec / 1000000, who);
	va_start(ap, format);
	printable_vprint(format, ap);
	va_end(ap);
	putchar('\n');
}

/* Says each id that is in `from` and not in `to`, once; both are sorted. `what`
 * is the word for it. */
static void say_difference(const struct seen *seen,
			  const struct marker_list *from,
			  const struct marker_list *to, const char *what)
{
	size_t k = 0;

	for (size_t i = 0; i < from->count; i++) {
		const char *id = from->markers[i].id;

		if (i && !strcmp(id, from->markers[i - 1].id))
			continue;
		while (k < to->count && strcmp(to->markers[k].id, id) < 0)
			k++;
		if (k < to->count && !strcmp(to->markers[k].id, id))
			continue;
		event_say(seen, "marker %s %s", id, what);
	}
}

/* A sum over the rings of one session; it begins with the events that found no
 * ring. */
struct adding {
	const struct rundir_process *process;
	uint32_t image;
	uint32_t index;
	struct rings_removed removed;
	uint64_t lost;
};

/* Adds the lost events of a ring; one that is gone counts for nothing. Returns
 * 0: the search goes on. */
static int add_lost(const char *name, void *priv)
{
	struct adding *a = priv;
	struct ring ring;
	char file[64];

	snprintf(file, sizeof(file), "ring.%u.%s", a->index, name);
	if (!rings_removed_has(&a->removed, name) &&
	    rundir_read_ring(a->process, a->image, file, &ring))
		a->lost += ring.lost;
	return 0;
}

/*
 * Says changes of a session's state, and losses since the last look; the first
 * look says all losses so far. A session for which there is no room is left
 * out.
 */
static void look_at_session(struct seen *seen, int imagefd,
			    const struct session_page *page)
{
	static const char *const states[] = {
		[SESSION_ACTIVE] = "active",
		[SESSION_STOPPED] = "stopped",
		[SESSION_DESTROYED] = "destroyed",
	};
	struct seen_session *s = seen->sessions;
	struct adding adding = { .process = &seen->process,
				 .image = seen->image,
				 .index = page->index,
				 .lost = page->lost_unplaced };

	while (s < seen->sessions + seen->nsessions &&
	       (s->index != page->index || strcmp(s->name, page->name)))
		s++;
	if (s == seen->sessions + SESSIONS_SEEN)
		return;
	if (s == seen->sessions + seen->nsessions) {
		memset(s, 0, sizeof(*s));
		memcpy(s->name, page->name, sizeof(s->name));
		s->index = page->index;
		seen->nsessions++;
	}
	s->present = true;
	/* a state that a later release has is not said */
	if (s->state != page->state && page->state <= SESSION_DESTROYED &&
	    states[page->state])
		event_say(seen, "session %s %s", s->name, states[page->state]);
	s->state = page->state;
	if (page->state == SESSION_DESTROYED)
		return;
	rings_removed_read(page, &adding.removed);
	adding.lost += adding.removed.lost;
	rings_each(imagefd, page->index, add_lost, &adding);
	if (adding.lost > s->lost)
		event_say(seen, "session %s: buffers full, %s lost (%" PRIu64
			  " in all)", s->name,
			  counted(adding.lost - s->lost, "event"), adding.lost);
	s->lost = adding.lost;
}

/*
 * Looks at one process: an execve(2), the markers, the sessions. One whose page
 * cannot be read now is looked at in the next round, and so are markers of an
 * agent that does not answer. The first list of markers is said only of a
 * process that began under the watch.
 */
static void look_at_process(struct watch *w, struct seen *seen)
{
	struct rundir_process *process = &seen->process;
	struct target target = { .process = process, .client = { .fd = -1 } };
	struct process_page page;
	struct session_page session;
	size_t before;
	int fd;

	if (rundir_read_process(process, seen->image, &page))
		return;
	if (rundir_is_shared(process))
		goto sessions;
	/* the image says that it was replaced; the next one may not be there */
	if (page.state == PROCESS_EXECED &&
	    !rundir_read_process(process, seen->image + 1, &page)) {
		seen->image++;
		process->image = seen->image;
		seen->nsessions = 0;
		seen->listed = false;
		event_say(seen, "executes %s", page.procname);
	}
	if (strcmp(seen->procname, page.procname))
		memcpy(seen->procname, page.procname, sizeof(page.procname));
	if (seen->listed && seen->generation == page.marker_generation)
		goto sessions;
	if (target_list(&target)) {
		client_close(&target.client);
		marker_list_free(&target.markers);
		goto sessions;
	}
	client_close(&target.client);
	marker_list_sort(&target.markers);
	if (w->started) {
		say_difference(seen, &seen->markers, &target.markers, "gone");
		say_difference(seen, &target.markers, &seen->markers,
			       "appeared");
	}
	marker_list_free(&seen->markers);
	seen->markers = target.markers;
	seen->generation = page.marker_generation;
	seen->listed = true;
sessions:
	fd = rundir_open_image(process, seen->image);
	if (fd < 0)
		return;
	/* those that are not found now are gone */
	for (size_t i = 0; i < seen->nsessions; i++)
		seen->sessions[i].present = false;
	for (uint32_t i = 0; i < page.sessions; i++) {
		if (rundir_read_session(process, seen->image, i, &session))
			continue;
		before = seen->nsessions;
		look_at_session(seen, fd, &session);
		/* the buffers that it shares are to be watched, too */
		w->again |= seen->nsessions != before &&
			    session.flags & SESSION_SHARED;
	}
	close(fd);
	/* the agent removes the files when a session is destroyed */
	for (size_t i = 0; i < seen->nsessions;) {
		struct seen_session *s = &seen->sessions[i];

		if (s->present) {
			i++;
			continue;
		}
		if (s->state != SESSION_DESTROYED)
			event_say(seen, "session %s destroyed", s->name);
		*s = seen->sessions[--seen->nsessions];
	}
}

/* Drops entry I, with the memory and the descriptor; the last one takes the
 * place. */
static void seen_forget(struct watch *w, size_t i)
{
	rundir_process_close(&w->seen[i].process);
	marker_list_free(&w->seen[i].markers);
	w->seen[i] = w->seen[--w->count];
}

/*
 * Adds a process, and takes over the descriptor: process->fd is -1 then. One of
 * another version is left out, which is said once. Returns 0, also for one that
 * is not ready yet; or a negative errno: with -p also -EPROTO, and nothing is
 * added.
 */
static int add_seen(struct watch *w, struct rundir_process *process)
{
	struct seen *more = reallocarray(w->seen, w->count + 1, sizeof(*more));
	struct process_page page;
	struct seen *seen;
	int ret;

	if (!more)
		return -ENOMEM;
	w->seen = more;
	ret = rundir_read_process(process, process->image, &page);
	if (ret && (w->pid || ret != -EPROTO)) {
		w->again = true;		/* not published yet */
		return w->pid ? ret : 0;
	}
	seen = &more[w->count++];
	memset(seen, 0, sizeof(*seen));
	seen->process = *process;
	seen->image = process->image;
	process->fd = -1;
	if (ret) {
		seen->foreign = true;
		w->missed = true;
		layouts_say(&seen->process, "not watched");
		return 0;
	}
	memcpy(seen->procname, page.procname, sizeof(page.procname));
	if (!rundir_is_shared(&seen->process))
		event_say(seen, w->started ? "started" : "is running");
	return 0;
}

/* Lists the processes, and adds new ones; look_at_all() drops old ones. Returns
 * 0, or a negative errno after printing the error. */
static int watch_rescan(struct watch *w)
{
	struct rundir_list list = { 0 };
	size_t k;
	int ret;

	if (w->pid)
		return 0;
	w->again = false;
	ret = rundir_scan_user(&w->dir, &list) ?:
	      rundir_append_shared(&w->dir, &list);
	for (size_t i = 0; !ret && i < list.count; i++) {
		if (!list.processes[i].alive)
			continue;
		for (k = 0; k < w->count; k++)
			/* the name may be cut */
			if (!strcmp(w->seen[k].process.path,
				    list.processes[i].path))
				break;
		if (k == w->count)
			ret = add_seen(w, &list.processes[i]);
	}
	rundir_list_free(&list);
	if (ret)
		cause_report(DIRECTORY_UNREAD, .path = w->dir.path,
			     .error = ret);
	return ret;
}

/*
 * Looks at all processes, and drops those that have ended. Whether one lives is
 * asked before the look, so the look after the end finds the last losses.
 */
static void look_at_all(struct watch *w)
{
	struct process_page page;

	for (size_t i = 0; i < w->count;) {
		struct seen *seen = &w->seen[i];
		bool shared = rundir_is_shared(&seen->process);
		bool alive = shared ? !rundir_read_process(&seen->process, 0,
							   &page) :
				      rundir_lives(&seen->process);

		look_at_process(w, seen);
		if (alive) {
			i++;
			continue;
		}
		if (!seen->foreign && !shared)
			event_say(seen, "ended");
		for (size_t k = 0; shared && k < seen->nsessions; k++)
			event_say(seen, "session %s destroyed",
				  seen->sessions[k].name);
		seen_forget(w, i);
	}
}

/*
 * Looks again and again, until SIGINT or SIGTERM, the end of the process of -p,
 * an error of standard output, or another directory in the place of the watched
 * one. Returns 0, or a negative errno after printing it.
 */
static int watch_run(struct watch *w)
{
	struct signalfd_siginfo info;
	struct pollfd pfd = { .events = POLLIN };
	char events[4096];
	sigset_t stop;
	bool again;
	int ret = 0;

	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	pfd.fd = signalfd(-1, &stop, SFD_CLOEXEC);
	if (pfd.fd < 0)
		return -errno;
	while (!ret) {
		/* the first look finds everything; later ones find news */
		look_at_all(w);
		w->started = true;
		if (fflush(stdout) || (w->pid && !w->count))
			break;
		if (poll(&pfd, 1, POLL_MS) > 0 &&
		    read(pfd.fd, &info, sizeof(info)) > 0)
			break;
		/* have entries of the runtime directory come or gone? */
		again = w->again;
		while (read(w->inotify, events, sizeof(events)) > 0)
			again = true;
		if (again)
			ret = watch_rescan(w);
		if (!w->pid && !ret && rundir_displaced(&w->dir)) {
			look_at_all(w);
			fflush(stdout);
			ret = -EPERM;
			cause_tell(&w->dir.cause);
		}
	}
	close(pfd.fd);
	return ret;
}

int watch_main(int argc, char **argv)
{
	static const struct option_row rows[] = {
		{ 'p', "pid", "PID", "this process only, until it ends" },
		{ 0 }
	};
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows, .shape = "",
		.about = "Print a line when a process starts or ends, its "
			 "markers appear or go, a session\nchanges, or a full "
			 "buffer loses events; until interrupted.",
	};
	struct watch w = { 0 };
	struct rundir_process process;
	struct cause cause;
	int ret;

	if (!options_pid(&options, &w.pid))
		return options.status;
	if (options.index < argc)
		return command_misused("unexpected argument '%s'",
				       argv[options.index]);
	if (cause_check_files(LIMITS_FILES) || cause_check_proc())
		return COMMAND_FAILED;
	ret = rundir_open(&w.dir, !w.pid);
	if (ret && !w.pid)
		return cause_tell(&w.dir.cause);
	w.inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	/* the watch comes before the read, so a process may be seen twice, but
	 * none is missed */
	if (!w.pid && (w.inotify < 0 ||
		       inotify_add_watch(w.inotify, w.dir.path, IN_CREATE |
					 IN_DELETE | IN_MOVED_TO) < 0))
		cause_report(DIRECTORY_UNWATCHED, .path = w.dir.path,
			     .error = errno);
	if (!w.pid) {
		ret = watch_rescan(&w);
		w.missed |= !ret && layouts_tell_shared(&w.dir, NULL,
							"not watched");
	} else if ((ret = rundir_find(&process, w.pid, &cause))) {
		cause_tell(&cause);
	} else {
		ret = add_seen(&w, &process);
		if (ret == -EPROTO)
			layouts_say(&process, NULL);
		else if (ret)
			cause_report(PAGE_UNREAD, .pid = w.pid, .error = ret);
	}
	if (!ret)
		ret = watch_run(&w);
	while (w.count)
		seen_forget(&w, 0);
	free(w.seen);
	if (w.inotify >= 0)
		close(w.inotify);
	rundir_close(&w.dir);
	return command_finish() || ret || w.missed ? COMMAND_FAILED :
						     COMMAND_DONE;
}
