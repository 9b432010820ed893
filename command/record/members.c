/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the processes of a recording, and knows when they have ended. See
 * members-private.h.
 *
 * Invariants: the recorder never sleeps longer than a burst may take to fill a
 * ring, and spends a fifth of the time in scans at most.
 */
#include "command/record/members-private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.h"
#include "buffers/words.h"
#include "command/agents/layouts.h"
#include "command/common/monotonic.h"
#include "command/record/probes-private.h"
#include "traces/array.h"

#define NS_PER_MS	1000000ull
#define POLL_IDLE_MS	20
#define POLL_QUIET_MS	100	/* while no event can come */
#define SCAN_IDLE_MS	250	/* without word from inotify */
#define SCAN_SOON_MS	5	/* after that, or while a ring is being made */
#define SCAN_SHARED_MS	10	/* after word of a process that shares rings:
				 * few make rings, which hold longer */
#define SCAN_SHARE	5	/* a scan may take a fifth of our time */
#define JOINERS_MS	50
#define STOP_ROUNDS	3

void members_init(struct members *members, struct claim *claim,
		  struct drain *drain, struct probes *probes,
		  struct outcome *outcome)
{
	members->claim = claim;
	members->dir = claim_dir(claim);
	members->session = claim_name(claim);
	members->drain = drain;
	members->probes = probes;
	members->outcome = outcome;
	members->inotify = -1;
	members->unfilled = -1;
}

/* Returns the newest member with a directory of this name and owner, or
 * NULL. */
static struct member *member_find(const struct members *members,
				  const char *name, uid_t uid)
{
	const struct member *first = members_named(members, name);
	struct member *member = first ? first->latest : NULL;

	while (member && member->uid != uid)
		member = member->older;
	return member;
}

static struct member *member_named(const struct members *members,
				   const struct rundir_process *process)
{
	return member_find(members, process->name, process->uid);
}

/* Adds a member, with descriptors that belong to it. Returns NULL without
 * memory or descriptors. */
static struct member *member_add(struct members *members,
				 const struct rundir_process *process)
{
	struct member *member = calloc(1, sizeof(*member));
	struct member *other;

	if (member)
		member->process = malloc(sizeof(*process));
	if (!member || !member->process)
		goto free;
	*member->process = *process;
	member->process->fd = fcntl(process->fd, F_DUPFD_CLOEXEC, 3);
	if (member->process->fd < 0)
		goto free;
	memcpy(member->name, process->name, sizeof(member->name));
	member->uid = process->uid;
	member->pid = process->pid;
	member->pidfd = process->alive && !process->unseen ?
			(int)syscall(SYS_pidfd_open, process->pid, 0) : -1;
	/* another process may have the pid by now */
	member->alive = process->alive && rundir_lives(process);
	if (!member_list(members, member))
		goto close;
	/* the same process, as another user: it has executed another program
	 * since, so that image writes no more, and answers no more */
	for (other = member->older; other; other = other->older) {
		if (other->uid == member->uid)
			continue;
		if (!member->before)
			member->before = other;
		if (!other->done)
			other->alive = false;
	}
	return member;
close:
	close(member->process->fd);
	if (member->pidfd >= 0)
		close(member->pidfd);
free:
	if (member)
		free(member->process);
	free(member);
	return NULL;
}

/* Adds an image if it has our session, to the member or to a new one. Returns 0
 * or a negative errno: -EAGAIN, it is being made; -EPROTO, of another
 * version. */
static int image_take(struct members *members,
		      const struct rundir_process *process, uint32_t number)
{
	struct member *member = member_named(members, process);
	struct consumer *image;
	int ret;

	for (size_t i = 0; member && i < member->nimages; i++)
		if (consume_number(member->images[i]) == number &&
		    (!member->done || member->alive ||
		     consume_same_page(member->images[i], process, true)))
			return 0;
	if (member && member->done && member->alive)
		return 0;
	/* another process has a directory of this name now */
	if (member && member->done)
		member = NULL;
	ret = drain_add(members->drain, &image, process, number,
			members->session);
	if (ret)
		return ret;
	if (!member)
		member = member_add(members, process);
	if (!member || !array_grow(&member->images, member->nimages,
				   sizeof(image))) {
		drain_drop(members->drain, image);
		return member ? -ENOMEM : -EMFILE;
	}
	member->images[member->nimages++] = image;
	/* requests go to this image's agent from now on */
	if (number > member->process->image)
		member->process->image = number;
	probes_image(members->probes, process);
	return 0;
}

void members_watch(struct members *members, pid_t program)
{
	const struct rundir *dir = members->dir;
	const struct consumer *shared = drain_shared(members->drain);

	members->program = program;
	members->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (dir->fd >= 0)
		members_watch_at(members, dir->fd, dir->path, ".");
	if (shared)
		members->unfilled = consume_watch(shared, members->inotify);
}

/* Notes that a scan ran out of descriptors. They come back when processes end,
 * so a later scan may succeed; files that the last scan could not open are
 * missing in the trace. */
static void note_crowded(struct members *members, int ret)
{
	if (ret == -EMFILE || ret == -ENFILE || ret == -ENOMEM ||
	    ret == -ENOLCK)
		members->crowded = ret;
}

/* The `priv` of scan_process() and scan_known(). */
struct scanning {
	struct members *members;
	uid_t uid;		/* of the directory */
	bool soon;		/* something in a process is being made */
};

/* Returns true when the member has the image of this number. */
static bool has_image(const struct member *member, uint32_t number)
{
	size_t i = 0;

	while (i < member->nimages &&
	       consume_number(member->images[i]) != number)
		i++;
	return i < member->nimages;
}

/* Of rundir_each_but(), which closes the process afterwards: scans a process.
 * Tells, once, of a process of this recording if pages there have another
 * version. */
static int scan_process(struct rundir_process *process, void *priv)
{
	struct scanning *scanning = priv;
	struct members *members = scanning->members;
	const char *session = members->session;
	struct member *member = member_named(members, process);
	const bool known = member && member->process == process;
	uint32_t images[RUNDIR_IMAGES_MAX];
	char number[16];
	int n;

	/* the watch comes before the look, so no new file is missed */
	if (process->alive && !known)
		members_watch_at(members, process->fd, process->path, ".");
	n = rundir_images(process, images, RUNDIR_IMAGES_MAX);
	note_crowded(members, n);
	for (int i = 0; i < n; i++) {
		int ret;

		if (known && has_image(member, images[i]))
			continue;
		snprintf(number, sizeof(number), "%u", images[i]);
		if (process->alive)
			members_watch_at(members, process->fd, process->path,
					 number);
		ret = image_take(members, process, images[i]);
		scanning->soon |= ret == -EAGAIN;
		note_crowded(members, ret);
		if (ret != -EPROTO)
			continue;
		member = member_named(members, process);
		/* a process of another recording is nothing to tell of */
		if (member ? member->foreign :
		    process->pid != members->program &&
		    !(process->alive && joiner_named(process->pid, session)) &&
		    !rundir_foreign(process, session))
			continue;
		if (!member)
			member = member_add(members, process);
		if (member)
			member->foreign = true;
		layouts_say(process, "not recorded");
		outcome_take(members->outcome, COMMAND_FAILED);
	}
	member = member_named(members, process);
	if (member)
		member->scanned = members->scans;
	return 0;
}

/* Of rundir_each_but(): scans a living member by the directory that is open.
 * Another directory of the name is another process's, or the same one's after a
 * detach. */
static bool scan_known(const char *name, void *priv)
{
	struct scanning *scanning = priv;
	struct member *member = member_find(scanning->members, name,
					    scanning->uid);
	struct stat st;

	if (!member || member->done || !member->alive || member->pidfd < 0 ||
	    fstat(member->process->fd, &st) || !st.st_nlink)
		return false;
	scan_process(member->process, scanning);
	return true;
}

static void scan_directory(struct rundir *dir, struct scanning *scanning)
{
	if (dir->fd < 0)
		return;
	scanning->uid = dir->uid;
	note_crowded(scanning->members,
		     rundir_each_but(dir, scan_known, scan_process, scanning));
}

/* Looks for processes, images and rings now. Sets the time of the next scan, so
 * that scans take a fifth of the time at most, however many files there are. */
static void scan_all(struct members *members)
{
	struct rundir *dir = members->dir;
	struct scanning scanning = { .members = members };
	uint64_t begin = monotonic_ns(), took;
	uint64_t pause = SCAN_IDLE_MS * NS_PER_MS;

	members->scans++;
	members->crowded = 0;
	/* processes which begin now may not be seen */
	if (!members->displaced &&
	    rundir_displaced_off(dir, members->session,
				 claim_off(members->claim))) {
		members->displaced = true;
		outcome_say(members->outcome, &dir->cause);
	}
	scan_directory(dir, &scanning);
	handover_look(members);
	for (struct handover *h = members->handovers; h; h = h->next)
		scan_directory(&h->dir, &scanning);
	if (scanning.soon)
		pause = SCAN_SOON_MS * NS_PER_MS;
	/* members that came by pid, from another directory */
	for (size_t i = 0; i < members->nopen; i++)
		if (!members->open[i]->done &&
		    members->open[i]->scanned != members->scans)
			scan_process(members->open[i]->process, &scanning);
	note_crowded(members, drain_scan(members->drain));
	took = monotonic_ns() - begin;
	if (pause < took * SCAN_SHARE)
		pause = took * SCAN_SHARE;
	members->next_scan_ns = max_u64(monotonic_ns() + pause,
					members->scan_again_ns);
	members->scan_again_ns = monotonic_ns() + took * SCAN_SHARE;
}

void members_scan(struct members *members, uint64_t now_ns)
{
	if (now_ns >= members->next_scan_ns)
		scan_all(members);
}

int members_join(struct members *members,
		 const struct rundir_process *process)
{
	int ret = image_take(members, process, process->image);
	struct member *member = member_named(members, process);

	if (member)
		member->asked = true;
	scan_all(members);
	return ret;
}

/* Returns true when the program that a living member executes now has no part
 * in the session any more. Tells where another command has ended it. */
static bool was_cut_off(struct members *members, struct member *member)
{
	struct consumer *newest = member_newest(member);
	struct process_page page;

	if (!newest || !consume_stopped(newest) || member_ended(member, 0))
		return false;
	if (!rundir_read_process(member->process, consume_number(newest),
				 &page) &&
	    page.clockless)
		return true;
	if (!consume_ran(newest))	/* it has not begun yet */
		return false;
	outcome_tell(members->outcome, MEMBER_CUT_OFF, .pid = member->pid);
	return true;
}

/* Marks dead members. Returns true when one of them was not collected yet. */
static bool mark_dead(struct members *members)
{
	struct pollfd *fds = calloc(members->nopen + 1, sizeof(*fds));
	bool dead = false;

	for (size_t i = 0; fds && i < members->nopen; i++)
		fds[i] = (struct pollfd){ .fd = members->open[i]->pidfd,
					  .events = POLLIN };
	if (fds && members->nopen && poll(fds, members->nopen, 0) < 0) {
		/* more than RLIMIT_NOFILE */
		free(fds);
		fds = NULL;
	}
	for (size_t i = 0; i < members->nopen; i++) {
		struct member *member = members->open[i];

		if (member->done)
			continue;
		member->alive = member->alive &&
				(fds && fds[i].fd >= 0 ? !fds[i].revents :
				 !member_ended(member, 0));
		dead |= !member->alive;
	}
	free(fds);
	return dead;
}

bool members_over(struct members *members, bool runs)
{
	size_t known = members->n, seen = members->nopen, alive = 0, before;
	uint64_t begin;
	size_t n = 0;

	/* Only a scan that begins after the end of a process sees the last
	 * files: the process may have executed another program after the
	 * previous scan, while others were collected. */
	if (mark_dead(members))
		scan_all(members);
	for (size_t i = 0; i < seen; i++) {
		struct member *member = members->open[i];

		if (member->done)
			continue;
		if (member->alive && !was_cut_off(members, member)) {
			member_finish_replaced(members, member);
			alive++;
		} else {
			member_finish(members, member);
		}
	}
	for (size_t i = 0; i < members->nopen; i++)
		if (!members->open[i]->done)
			members->open[n++] = members->open[i];
	members->nopen = n;
	begin = monotonic_ns();
	before = members->n;
	if (runs || alive || before > known || begin < members->next_joiners_ns)
		return false;
	if (members->dir->fd >= 0 && joiners_exist(members)) {
		/* it reads files of every process */
		members->next_joiners_ns =
			monotonic_ns() + JOINERS_MS * NS_PER_MS +
			(monotonic_ns() - begin) * SCAN_SHARE;
		return false;
	}
	scan_all(members);
	return members->n == before;
}

/* Returns true when no event is in any ring, and word of inotify comes before
 * that may change. */
static bool is_quiet(const struct members *members)
{
	return members->unfilled >= 0 && drain_idle(members->drain);
}

int members_rest(const struct members *members, int child, bool followed,
		 uint64_t end)
{
	uint64_t now = monotonic_ns(), ms = POLL_IDLE_MS;

	if (!followed && child >= 0 && is_quiet(members))
		ms = POLL_QUIET_MS;
	return (int)min_u64(ms, 1 + (end - min_u64(end, now)) / NS_PER_MS);
}

/* Takes the events of inotify. Returns true when a process may have made a
 * file or a directory. */
static bool events_take(struct members *members)
{
	_Alignas(struct inotify_event) char events[4096];
	const size_t head = sizeof(struct inotify_event);
	const struct inotify_event *event;
	bool made = false;
	ssize_t n;

	while ((n = read(members->inotify, events, sizeof(events))) > 0)
		for (ssize_t at = 0; at < n; at += head + event->len) {
			event = (const void *)&events[at];
			made |= event->wd < 0 || event->wd != members->unfilled;
			/* -1: some were left out */
			if (event->wd < 0 || event->wd == members->unfilled)
				members->unfilled = -1;
		}
	return made;
}

void members_pause(struct members *members, int child, int ms)
{
	struct pollfd fds[2] = {
		{ .fd = members->inotify, .events = POLLIN },
		{ .fd = child, .events = POLLIN },
	};
	const bool shared = drain_shared(members->drain);
	const int pause = shared ? SCAN_SHARED_MS : SCAN_SOON_MS / 5;
	/* A program that makes a directory pays 8 us for the wakeup of this
	 * process. Where processes share rings, their word waits for the next
	 * round, which is soon while the rings have memory. */
	const bool waits = shared && !is_quiet(members);
	const uint64_t next = members->next_scan_ns;
	const uint64_t left = next - min_u64(monotonic_ns(), next);
	/* several changes get one scan */
	const bool soon = left <= max_u64(pause, SCAN_SOON_MS) * NS_PER_MS;

	if (soon)
		ms = (int)min_u64((uint64_t)ms, 1 + left / NS_PER_MS);
	if (soon || waits)
		fds[0].fd = -1;
	if (poll(fds, ARRAY_SIZE(fds), ms) < 0 || soon ||
	    !(waits || fds[0].revents & POLLIN) || !events_take(members))
		return;
	/* soon if the last scan is old */
	members->next_scan_ns = monotonic_ns();
	if (!waits || ms < pause)
		members->next_scan_ns += pause * NS_PER_MS;
}

bool members_flush(struct members *members, size_t *next, size_t most)
{
	if (!*next)
		members->flushed = false;
	for (size_t asked = 0; *next < members->n && asked < most;) {
		struct member *member = members->list[(*next)++];

		if (member->done || !member->alive)
			continue;
		member_ask(members, member, MESSAGE_FLUSH);
		asked++;
	}
	if (*next < members->n)
		return false;
	*next = 0;
	return true;
}

void members_stop(struct members *members)
{
	size_t asked = 0;

	if (members->dir->fd >= 0)
		rundir_remove_rules(members->dir, members->session);
	/* they are seen by commands from now on */
	claim_files(members->claim, true);
	handover_stop(members);
	/* the agent that is asked is that of the program it executes now */
	scan_all(members);
	/* a process may have joined while the others were asked */
	for (int round = 0; round < STOP_ROUNDS; round++) {
		size_t before = members->n;

		/* in another directory than the first process's */
		for (size_t i = asked; i < before; i++)
			if (!members->list[i]->done)
				rundir_inheritance_remove(
					members->list[i]->process,
					members->session);
		for (; asked < before; asked++)
			if (!members->list[asked]->done &&
			    members->list[asked]->alive)
				member_ask(members, members->list[asked],
					   MESSAGE_STOP);
		scan_all(members);
		if (members->n == before)
			break;
	}
	mark_dead(members);
	members_finish(members);
	if (members->inotify >= 0)
		close(members->inotify);
	members->inotify = -1;
}

void members_finish_crowded(struct members *members)
{
	size_t before = SIZE_MAX;

	/* those that are finished make room for the next */
	while (members->crowded && members->n != before) {
		before = members->n;
		scan_all(members);
		mark_dead(members);
		members_finish(members);
	}
}

bool members_note(struct members *members, const char *program,
		  enum lacking_why why, bool early)
{
	const struct consumer *shared = drain_shared(members->drain);
	struct agentless *agentless = &members->agentless;
	struct member_view joined = { .number = 0 };
	bool any = members_any(members), uncounted;
	uint64_t roomless;
	int error;

	while (drain_joined(members->drain) && consume_joined(shared, &joined))
		agentless_join(agentless, joined.name);
	if (claim_off(members->claim) >= 0)
		agentless_read(agentless, claim_off(members->claim));
	handover_read(members);
	agentless_settle(agentless);
	roomless = agentless_roomless(agentless, &uncounted, &error);
	drain_lack(members->drain, roomless, uncounted, error,
		   members->dir->fd);
	if (program && (any || !members->crowded))
		agentless_note_program(agentless, program, why, any, early,
				       members->outcome);
	/* the one program without an agent is named already */
	if (any || agentless_count(agentless) > 1)
		agentless_note(agentless, members->outcome);
	return agentless_any(agentless);
}

void members_tell_words(const struct members *members)
{
	command_warn_words(members->words_unknown & ~words_unknown(environ),
			   "a process: ");
}

bool members_any(const struct members *members)
{
	return members->n || drain_joined(members->drain);
}

/* Returns true when an image of the member has written events. Those that share
 * rings count there (drain_processes()). */
static bool has_trace(const struct member *member)
{
	for (size_t i = 0; i < member->nimages; i++)
		if (consume_traced(member->images[i]))
			return true;
	return false;
}

size_t members_traced(const struct members *members)
{
	size_t n = 0;

	for (size_t i = 0; i < members->n; i++) {
		const struct member *member = members->list[i];

		/* a process that changed the user is two members */
		n += has_trace(member) &&
		     !(member->before && has_trace(member->before));
	}
	return n;
}

void members_signal(const struct members *members, pid_t except, int number)
{
	for (size_t i = 0; i < members->n; i++)
		if (members->list[i]->alive && members->list[i]->pidfd >= 0 &&
		    members->list[i]->pid != except)
			syscall(SYS_pidfd_send_signal, members->list[i]->pidfd,
				number, NULL, 0);
	claim_signal(members->claim, except, number);
}

void members_each_living(const struct members *members,
			 void (*call)(pid_t pid, void *priv), void *priv)
{
	for (size_t i = 0; i < members->n; i++)
		if (members->list[i]->alive)
			call(members->list[i]->pid, priv);
}

void members_close(struct members *members)
{
	for (size_t i = 0; i < members->n; i++) {
		member_release(members->list[i]);
		free(members->list[i]->images);
		free(members->list[i]);
	}
	free(members->list);
	free(members->open);
	index_clear(&members->names);
	handover_close(members);
}
