/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dead processes' files are kept up to a limit, and so are rings that processes
 * have shared of which none lives. Each process that makes files removes the
 * oldest of them first, those without rings before others, so the limit holds
 * without any command.
 *
 * Invariant: a living process loses nothing. The page is locked as long as the
 * process's memory lives (place_lock), in any PID namespace; while it executes
 * another program, pid and start time say that it lives. Events that a recorder
 * at work will collect are left to the recorder. Each event that is removed is
 * counted in the file KEEP_LEDGER, which commands show.
 */
#include "control/sessions/budget.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/file.h"
#include "base/sys.h"
#include "base/text.h"
#include "base/tunables.h"
#include "buffers/layout.h"
#include "control/protocol.h"
#include "control/sessions/place.h"
#include "control/sessions/quota.h"

#define REMOVALS_MAX	1000
#define EMPTYING_PASSES	3
#define SHARED_AGE_SECONDS	10
#define TICKS_PER_SECOND	100	/* USER_HZ, of start times */

/* One look at the files of a process. */
struct look {
	int runtime;
	int alive;
	int collected;		/* a recorder at work will take the events */
	bool rings;
	uint64_t bytes;		/* of the files */
};

struct candidate {
	const char *own;
	int runtime;
	char name[128];		/* of the oldest directory; "": none */
	bool shared;		/* it has rings that processes shared */
	uint64_t starttime;
	uint64_t bytes;
	bool rings;		/* it has some; else it goes before others */
	uint64_t total;		/* bytes of all dead processes */
};

/* Reads a number of 64 bits to the end of the text; returns 0 if it is one. */
static int whole_number(const char *text, uint64_t *number)
{
	*number = 0;
	if (!*text)
		return -EINVAL;
	for (; *text >= '0' && *text <= '9'; text++)
		*number = *number * 10 + (uint64_t)(*text - '0');
	return *text ? -EINVAL : 0;
}

static bool is_number(const char *name)
{
	uint64_t number;

	return !whole_number(name, &number);
}

/* Returns true when a process, or a recorder, holds a lock on the file; also
 * when that cannot be known. */
static bool lock_held(int fd, int kind)
{
	if (fd < 0)
		return fd != -ENOENT && fd != -ENODATA;
	return sys2(SYS_flock, fd, kind | LOCK_NB) < 0;
}

/* Opens the file that a recorder makes, and removes at the end. */
static int collector_open(int runtime, const char *session)
{
	char path[SESSION_NAME_BYTES + 32];
	struct text text;

	text_open(&text, path, sizeof(path));
	text_add(&text, PROTOCOL_SESSIONS_DIR "/" PROTOCOL_OFF_PREFIX);
	text_add(&text, session);
	return file_open(runtime, path, O_RDONLY, 0, UINT64_MAX);
}

/* A recorder holds a lock on that file. */
static bool collector_lives(int runtime, const char *session)
{
	int fd = collector_open(runtime, session);
	bool lives = lock_held(fd, LOCK_EX);

	if (fd >= 0)
		sys_close(fd);
	return lives;
}

bool budget_collected(const char *session)
{
	int runtime = file_open_directory(AT_FDCWD, place_runtime);
	bool lives;

	if (runtime < 0)
		return false;
	lives = collector_lives(runtime, session);
	sys_close(runtime);
	return lives;
}

bool budget_ended(const char *session)
{
	int runtime = file_open_directory(AT_FDCWD, place_runtime);
	int fd;

	if (runtime < 0)
		return false;
	fd = collector_open(runtime, session);
	sys_close(runtime);
	if (fd >= 0)
		sys_close(fd);
	return fd == -ENOENT;
}

static void look_file(int image, const char *name, void *arg)
{
	char session[SESSION_NAME_BYTES];
	struct look *look = arg;
	struct stat st;
	int fd;

	if (!sys4(SYS_newfstatat, image, name, &st, AT_SYMLINK_NOFOLLOW) &&
	    S_ISREG(st.st_mode))
		look->bytes += (uint64_t)st.st_blocks * 512;
	look->rings |= !!text_after(name, "ring.");
	if (text_equal(name, "process")) {
		fd = file_open(image, name, O_RDONLY, 0, UINT64_MAX);
		look->alive |= lock_held(fd, LOCK_SH);
		if (fd >= 0)
			sys_close(fd);
	} else if (text_after(name, "session.") &&
		   !quota_session_name(image, name, session) &&
		   file_name_plain(session)) {
		look->collected |= collector_lives(look->runtime, session);
	}
}

static void look_image(int process, const char *name, void *arg)
{
	int image = is_number(name) ? file_open_directory(process, name) : -1;

	if (image < 0)
		return;
	entries_each(image, look_file, arg);
	sys_close(image);
}

/* Notes a directory if it goes before the one that was noted. */
static void candidate_note(struct candidate *best, const struct look *look,
			   uint64_t start, const char *below, const char *name)
{
	struct text text;

	best->total += look->bytes;
	if (best->name[0] && (best->rings == look->rings ?
			      best->starttime <= start : look->rings))
		return;
	text_open(&text, best->name, sizeof(best->name));
	text_add(&text, below);
	text_add(&text, name);
	best->bytes = look->bytes;
	best->rings = look->rings;
	best->shared = *below;
	best->starttime = start;
}

/* Locks the members of shared rings. Returns a descriptor, with which no
 * process joins; or a negative errno: one has. */
static int members_lock(int directory)
{
	int fd = file_open(directory, "0/members", O_RDONLY, 0, UINT64_MAX);

	if (fd >= 0 && sys2(SYS_flock, fd, LOCK_EX | LOCK_NB) < 0) {
		sys_close(fd);
		return -EWOULDBLOCK;
	}
	return fd;
}

/* Looks at rings that processes shared: of a session that no later process
 * joins by rules, and no recorder reads. */
static void shared_look(int sessions, const char *name, void *arg)
{
	const char *session = text_after(name, PROTOCOL_SHARED_PREFIX);
	struct candidate *best = arg;
	struct look look = { .runtime = best->runtime, .rings = true };
	struct timespec now[2];
	struct stat st;
	int64_t start;
	int directory, lock;

	if (!session || !file_name_plain(session) ||
	    !sys4(SYS_newfstatat, sessions, session, &st,
		  AT_SYMLINK_NOFOLLOW) ||
	    collector_lives(best->runtime, session))
		return;
	directory = file_open_directory(sessions, name);
	if (directory < 0)
		return;
	lock = members_lock(directory);
	if (lock >= 0 && !sys2(SYS_fstat, lock, &st)) {
		entries_each(directory, look_image, &look);
		sys2(SYS_clock_gettime, CLOCK_REALTIME, &now[0]);
		sys2(SYS_clock_gettime, CLOCK_BOOTTIME, &now[1]);
		start = now[1].tv_sec - (now[0].tv_sec - st.st_mtime);
		/* it may just be made: rules follow */
		if (now[0].tv_sec - st.st_mtime > SHARED_AGE_SECONDS)
			candidate_note(best, &look, start < 0 ? 0 :
				       (uint64_t)start * TICKS_PER_SECOND,
				       PROTOCOL_SESSIONS_DIR "/", name);
	}
	if (lock >= 0)
		sys_close(lock);
	sys_close(directory);
}

static void candidate_look(int runtime, const char *name, void *arg)
{
	struct candidate *best = arg;
	struct look look = { .runtime = runtime };
	const char *rest = name;
	int64_t pid = text_number(&rest);
	uint64_t start;
	int process;

	if (pid <= 0 || *rest++ != '.' || text_equal(name, best->own))
		return;
	if (whole_number(rest, &start) || place_alive(pid, start))
		return;
	process = file_open_directory(runtime, name);
	if (process < 0)
		return;
	entries_each(process, look_image, &look);
	sys_close(process);
	if (look.alive || look.collected || !look.bytes)
		return;
	if (!look.rings)
		look.bytes = max_u64(look.bytes, KEEP_BARE_BYTES);
	candidate_note(best, &look, PLACE_STARTTIME(start), "", name);
}

/* Finds the directory that goes first, and counts the bytes of all. */
static void candidate_find(struct candidate *best, const char *own, int runtime)
{
	int sessions = file_open_directory(runtime, PROTOCOL_SESSIONS_DIR);

	*best = (struct candidate){ .own = own, .runtime = runtime };
	sys3(SYS_lseek, runtime, 0, 0);
	entries_each(runtime, candidate_look, best);
	if (sessions < 0)
		return;
	entries_each_dotted(sessions, shared_look, best);
	sys_close(sessions);
}

/* The file may be there already, and be anything. */
static int ledger_open(int runtime)
{
	int fd = file_open(runtime, KEEP_LEDGER, O_RDWR, 0, UINT64_MAX);

	if (fd != -ENOENT)
		return fd;
	return file_make(runtime, KEEP_LEDGER, O_RDWR);
}

/* Adds to the row of the session; the last row has all sessions that have no
 * row of their own. */
static void ledger_add(int runtime, const char *session, uint64_t events)
{
	struct keep_row row;
	int fd = ledger_open(runtime);
	int i;

	if (fd < 0)
		return;
	for (i = 0; i < KEEP_ROWS; i++) {
		__builtin_memset(&row, 0, sizeof(row));
		sys4(SYS_pread64, fd, &row, sizeof(row), i * sizeof(row));
		row.session[SESSION_NAME_BYTES - 1] = 0;
		if (!row.processes || text_equal(row.session, session) ||
		    i == KEEP_ROWS - 1)
			break;
	}
	text_copy(row.session, sizeof(row.session),
		  i == KEEP_ROWS - 1 ? KEEP_OTHERS : session);
	row.processes++;
	row.events += events;
	sys_pwrite(fd, &row, sizeof(row), i * sizeof(row));
	sys_close(fd);
}

struct counting {
	int runtime;
	int64_t index;		/* of the session that is counted */
	uint64_t events;
};

/* Counts the unread events of a ring. The bytes are checked, because another
 * process wrote them. */
static void count_ring(int image, const char *name, void *arg)
{
	struct counting *counting = arg;
	const char *number = text_after(name, "ring.");
	struct ring ring = { 0 };
	struct packet_head head = { 0 };
	uint32_t position;
	uint32_t from = 0;
	int fd;

	if (!number || text_number(&number) != counting->index)
		return;
	fd = file_open(image, name, O_RDONLY, sizeof(ring), UINT64_MAX);
	if (fd < 0)
		return;
	sys4(SYS_pread64, fd, &ring, sizeof(ring), 0);
	position = RING_POSITION(ring.head);
	if (ring.magic != RING_MAGIC || !ring.sub_bytes || !ring.ring_bytes ||
	    (ring.ring_bytes & (ring.ring_bytes - 1)) ||
	    (ring.sub_bytes & (ring.sub_bytes - 1)))
		position = 0;
	else if (ring.flags & SESSION_CONSUMED)
		from = (uint32_t)ring.tail;
	else if (position >= ring.ring_bytes)
		from = (position & ~(ring.sub_bytes - 1)) + ring.sub_bytes -
		       ring.ring_bytes;
	if (position != from) {
		sys4(SYS_pread64, fd, &head, sizeof(head),
		     RING_DATA_OFFSET + (from & (ring.ring_bytes - 1)));
		counting->events += (uint64_t)(RING_EVENTS(ring.head) -
					       (uint32_t)head.events_before);
	}
	sys_close(fd);
}

static void count_session(int image, const char *name, void *arg)
{
	struct counting *counting = arg;
	const char *number = text_after(name, "session.");
	char session[SESSION_NAME_BYTES];
	uint32_t flags = 0;
	int again, fd;

	if (!number || quota_session_name(image, name, session) ||
	    !file_name_plain(session))
		return;
	counting->index = text_number(&number);
	counting->events = 0;
	/* the page counts the events that had no ring */
	fd = file_open(image, name, O_RDONLY, sizeof(struct session_page),
		       UINT64_MAX);
	if (fd >= 0) {
		sys4(SYS_pread64, fd, &counting->events,
		     sizeof(counting->events),
		     offsetof(struct session_page, lost_unplaced));
		sys4(SYS_pread64, fd, &flags, sizeof(flags),
		     offsetof(struct session_page, flags));
		sys_close(fd);
	}
	/* with a separate offset in the directory */
	again = file_open_directory(image, ".");
	if (again < 0)
		return;
	entries_each(again, count_ring, counting);
	sys_close(again);
	/* the events of a member are in rings that stay */
	if (counting->events || !(flags & SESSION_SHARED))
		ledger_add(counting->runtime, session, counting->events);
}

static void unlink_file(int fd, const char *name, void *arg)
{
	sys3(SYS_unlinkat, fd, name, 0);
}

static void remove_image(int process, const char *name, void *arg)
{
	struct counting *counting = arg;
	int image = is_number(name) ? file_open_directory(process, name) : -1;

	if (image < 0) {
		sys3(SYS_unlinkat, process, name, 0);
		return;
	}
	entries_each(image, count_session, counting);
	/* names that move while others go are met in the next pass */
	for (int i = 0; i < EMPTYING_PASSES; i++) {
		sys3(SYS_lseek, image, 0, 0);
		entries_each(image, unlink_file, NULL);
	}
	sys_close(image);
	sys3(SYS_unlinkat, process, name, AT_REMOVEDIR);
}

void budget_keep(void)
{
	const char *own = place_process + text_length(place_runtime) + 1;
	struct {
		long type, bsize, blocks, bfree;
		long rest[12];
	} fs;
	struct counting counting = { 0 };
	struct candidate best;
	int ledger, directory, lock, fd;

	/* all files of the file system together may be below the limit */
	if (!sys2(SYS_statfs, place_runtime, &fs) &&
	    (uint64_t)(fs.blocks - fs.bfree) * (uint64_t)fs.bsize < KEEP_BYTES)
		return;
	fd = quota_lock();
	if (fd < 0)
		return;
	for (int i = 0; i < REMOVALS_MAX; i++) {
		candidate_find(&best, own, fd);
		if (best.total <= KEEP_BYTES || !best.name[0])
			break;
		/* files that cannot be counted stay */
		ledger = ledger_open(fd);
		if (ledger < 0)
			break;
		sys_close(ledger);
		directory = file_open_directory(fd, best.name);
		if (directory < 0)
			continue;
		lock = best.shared ? members_lock(directory) : -1;
		if (best.shared && lock < 0)
			break;
		counting.runtime = fd;
		entries_each(directory, remove_image, &counting);
		sys_close(directory);
		if (lock >= 0)
			sys_close(lock);
		sys3(SYS_unlinkat, fd, best.name, AT_REMOVEDIR);
		if (best.total - best.bytes <= KEEP_BYTES)
			break;
	}
	sys_close(fd);
}
