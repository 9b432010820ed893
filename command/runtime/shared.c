/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The directories sessions/.shared.NAME, with rings that the processes of a
 * session share (docs/shared.md).
 *
 * Invariant: the session's rules are written after the directory is complete,
 * so an agent that finds no directory is one that does not see it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/text.h"
#include "base/tunables.h"
#include "buffers/clock.h"
#include "buffers/reader/reader.h"
#include "buffers/rings/channel.h"
#include "command/runtime/private.h"
#include "control/protocol.h"
#include "tracepoints/sites/registry.h"

/* How often, with 1 ms between, files are looked at that another command
 * changes, or locks. */
#define SHARED_TRIES	200

/* The directory that this command has made last; "": none. */
static char made[PATH_MAX];

static void shared_name(char file[NAME_MAX + 1], const char *name)
{
	snprintf(file, NAME_MAX + 1, PROTOCOL_SHARED_PREFIX "%s", name);
}

bool rundir_parse_shared(const char *path, char session[SESSION_NAME_BYTES],
			 char name[NAME_MAX + 1])
{
	static const char above[] =
		"/" PROTOCOL_SESSIONS_DIR "/" PROTOCOL_SHARED_PREFIX;
	const char *at = NULL, *p = path;
	size_t n;

	while ((p = strstr(p, above)))
		at = p += strlen(above);
	n = at ? strcspn(at, "/") : 0;
	p = at ? text_after(at + n, "/0/") : NULL;
	if (!p || n >= SESSION_NAME_BYTES || strlen(p) > NAME_MAX)
		return false;
	snprintf(session, SESSION_NAME_BYTES, "%.*s", (int)n, at);
	strcpy(name, p);
	p = text_after(name, "ring.0.");
	return rundir_valid_name(session) &&
	       (p ? !p[strspn(p, "0123456789")] :
		!strcmp(name, "process") || !strcmp(name, "session.0") ||
		!strcmp(name, "members"));
}

/* Describes this host and the clock. Returns 0 or a negative errno. */
static int page_describe(struct process_page *page)
{
	struct utsname host;

	/* members take the same clock, or have rings of their own */
	clock_select(NULL);
	if (clock_kind() != CLOCK_KIND_TSC)
		return -ENOTSUP;
	*page = (struct process_page){
		.version = LAYOUT_VERSION,
		.pid = (uint32_t)getpid(),
		.state = PROCESS_RUNNING,
		.clock_kind = CLOCK_KIND_TSC,
		.clock_hz = clock_hz(),
		.sessions = 1,
	};
	clock_anchor_take(&page->start);
	if (getrandom(page->uuid, sizeof(page->uuid), 0) < 0)
		return -errno;
	page->uuid[6] = (page->uuid[6] & 0x0f) | 0x40;
	page->uuid[8] = (page->uuid[8] & 0x3f) | 0x80;
	if (!uname(&host))
		snprintf(page->hostname, sizeof(page->hostname), "%.*s",
			 (int)sizeof(page->hostname) - 1, host.nodename);
	snprintf(page->procname, sizeof(page->procname), "(shared)");
	snprintf(page->agent_version, sizeof(page->agent_version), "%s",
		 PACKAGE_VERSION);
	boot_id_read(page->boot_id);
	page->magic = PROCESS_MAGIC;
	return 0;
}

/* Opens sessions/.shared.NAME/. Returns a descriptor or a negative errno. */
static int shared_open(const struct rundir *dir, const char *name)
{
	int below = rundir_open_rules(dir, false), fd;
	char file[NAME_MAX + 1];

	if (below < 0)
		return below;
	shared_name(file, name);
	fd = rundir_open_owned(below, file, dir->uid);
	if (fd < 0)
		fd = -errno;
	close(below);
	return fd;
}

/* Fills a process that stands for the open directory, and has `fd`. */
static void shared_name_fill(const struct rundir *dir, const char *name, int fd,
			     struct rundir_process *as)
{
	*as = (struct rundir_process){ .uid = dir->uid, .fd = fd };
	snprintf(as->name, sizeof(as->name), PROTOCOL_SHARED_PREFIX "%.*s",
		 (int)(sizeof(as->name) - sizeof(PROTOCOL_SHARED_PREFIX)),
		 name);
	snprintf(as->path, sizeof(as->path), "%.*s/" PROTOCOL_SESSIONS_DIR
		 "/" PROTOCOL_SHARED_PREFIX "%s", PATH_MAX / 2, dir->path,
		 name);
}

/* Reads whose it is. Returns 0, or a negative errno: -ENOENT where the page is
 * not written yet, -EPROTO where it is of another version. */
static int shared_check(const struct rundir *dir, struct rundir_process *as)
{
	struct process_page page;
	struct stat st;
	int ret = -EPERM;

	if (!fstat(as->fd, &st) && st.st_uid == dir->uid)
		ret = rundir_read_process(as, 0, &page);
	if (!ret)
		as->pid = (pid_t)page.pid;
	return ret;
}

/* Fills a process that stands for the open directory. Returns 0 or a negative
 * errno, and `fd` is closed. */
static int shared_fill(struct rundir *dir, const char *name, int fd,
		       struct rundir_process *as)
{
	int ret;

	shared_name_fill(dir, name, fd, as);
	ret = shared_check(dir, as);
	if (ret)
		rundir_process_close(as);
	return ret;
}

/*
 * Returns how large a ring may be: half as large as asked for, and so on, until
 * the rings take no more than the quotas, and the file system keeps the reserve
 * for files of members. *error says why they are smaller. *late says that there
 * is room enough not to allocate them at once. Returns less than
 * RING_LEAST_BYTES where there is no room.
 */
static uint64_t rings_fit(const struct rundir *dir,
			  const struct rundir_rings *rings, uint32_t cpus,
			  uint64_t bytes, bool *late, int *error)
{
	const char *text = getenv("TAFFRAIL_QUOTA");
	const int64_t all = text ? text_bytes(text) : 0;
	const uint64_t quota = min_u64(rings->quota ?: UINT64_MAX,
				       all > 0 ? (uint64_t)all : UINT64_MAX);
	struct statvfs fs = { 0 };
	uint64_t need = 0, reserve, room = UINT64_MAX;

	if (!fstatvfs(dir->fd, &fs) && fs.f_blocks) {
		room = fs.f_bavail * (uint64_t)fs.f_frsize;
		reserve = min_u64(fs.f_blocks * (uint64_t)fs.f_frsize /
				  RESERVE_PART, RESERVE_BYTES) +
			  SHARED_BESIDE_BYTES;
		room = room > reserve ? room - reserve : 0;
	}
	for (; bytes >= RING_LEAST_BYTES; bytes /= 2) {
		need = cpus * (bytes + RING_DATA_OFFSET);
		if (need <= room && need <= quota)
			break;
		*error = need > room ? ENOSPC : EDQUOT;
	}
	*late = quota == UINT64_MAX && need < room / LATE_PART;
	return bytes;
}

/* Makes the files once. Returns 0 or a negative errno; *begun says that some
 * are there then, -EEXIST without it that another command makes them. */
static int files_make(struct rundir *dir, const char *name,
		      const struct process_page *page,
		      const struct rundir_rings *rings, uint32_t cpus,
		      uint64_t bytes, bool late, int error, bool *begun)
{
	char file[NAME_MAX + 1], image[NAME_MAX + 3], path[PATH_MAX];
	char above[PATH_MAX];
	struct shared shared = { .cpus = 0 };
	sigset_t all, former;
	int below = rundir_open_rules(dir, true), ret = 0;

	*begun = false;
	if (below < 0)
		return below;
	shared_name(file, name);
	snprintf(image, sizeof(image), "%s/0", file);
	if (!realpath(dir->path, above))
		ret = -errno;
	if (!ret && snprintf(path, sizeof(path), "%s/" PROTOCOL_SESSIONS_DIR
			     "/%s", above, image) >= (int)sizeof(path))
		ret = -ENAMETOOLONG;
	/* a signal that ends this command finds both, or none */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &former);
	*begun = !ret && rundir_make_directory(below, file, dir->uid);
	if (!ret && (!*begun || !rundir_make_directory(below, image, dir->uid)))
		ret = -errno;
	if (!ret)
		strcpy(made, path);
	sigprocmask(SIG_SETMASK, &former, NULL);
	close(below);
	if (!ret)
		ret = shared_make(&shared, path, page, name, rings->flags,
				  (uint32_t)bytes, cpus, late);
	if (ret)
		return ret;
	shared.types->asked_bytes = channel_ring_bytes(rings->bytes, cpus);
	shared.types->small_error = error;
	ret = record_share_writer(&shared);
	shared_leave(&shared);
	return ret;
}

/* Locks `members`, exclusively only if no process has joined. Returns a
 * descriptor, which holds the lock; or a negative errno: -EWOULDBLOCK if one
 * has, -ENOENT where the files are not complete. */
static int members_lock(struct rundir *dir, const char *name, int kind)
{
	int fd = shared_open(dir, name);
	struct rundir_process as;
	int lock = fd < 0 ? fd : shared_fill(dir, name, fd, &as);

	if (lock)
		return lock;
	lock = rundir_open_file(&as, 0, O_RDONLY, "members");
	if (lock >= 0 && flock(lock, kind | LOCK_NB)) {
		close(lock);
		lock = -EWOULDBLOCK;
	}
	rundir_process_close(&as);
	return lock;
}

int rundir_make_shared(struct rundir *dir, const char *name,
		       const struct rundir_rings *rings)
{
	uint32_t cpus = (uint32_t)min_u64((uint64_t)sysconf(
				_SC_NPROCESSORS_CONF), CHANNEL_CPUS_MAX);
	const uint64_t asked = channel_ring_bytes(rings->bytes, cpus);
	uint64_t bytes = asked * 2;
	struct process_page page;
	int error = 0, ret = -EINVAL, lock;
	bool begun = false, late = false;
	char text[64];

	dir->cause.id = CAUSE_NONE;
	if (rundir_valid_name(name))
		ret = page_describe(&page);
	if (ret == -ENOTSUP)
		return cause_set(&dir->cause, ret, SHARED_CLOCKLESS);
	if (!ret && !rundir_drop_shared(dir, name, UINT64_MAX))
		ret = cause_set(&dir->cause, -EEXIST, SHARED_LEFT,
				.subject = name);
	if (ret)
		return ret;
	do {
		bytes = rings_fit(dir, rings, cpus, bytes / 2, &late, &error);
		ret = bytes < RING_LEAST_BYTES ? -error :
		      files_make(dir, name, &page, rings, cpus, bytes, late,
				 error, &begun);
		if (ret && begun)
			rundir_remove_shared(dir, name);
		if (ret == -EEXIST && !begun)
			return cause_set(&dir->cause, ret, SESSION_EXISTS,
					 .subject = name);
		error = ret ? -ret : error;
	} while ((ret == -ENOSPC || ret == -EDQUOT || ret == -EFBIG) &&
		 bytes > RING_LEAST_BYTES);
	snprintf(text, sizeof(text), "%lluK instead of %lluK",
		 (unsigned long long)bytes / 1024,
		 (unsigned long long)asked / 1024);
	if (!ret && bytes < asked)
		cause_set(&dir->cause, 0, SHARED_SMALLER, .path = dir->path,
			  .text = text, .error = error);
	if (!ret) {
		lock = members_lock(dir, name, LOCK_SH);
		/* a command that looks has it for a moment */
		for (int i = 0; lock == -EWOULDBLOCK && i < SHARED_TRIES; i++) {
			poll(NULL, 0, 1);
			lock = members_lock(dir, name, LOCK_SH);
		}
		if (lock < 0)
			rundir_remove_shared(dir, name);
		return lock;
	}
	/* locked memory is limited */
	if (ret == -EAGAIN)
		ret = -ENOMEM;
	return ret == -ENOSPC || ret == -EDQUOT || ret == -EFBIG ||
			       ret == -ENOMEM ?
		       cause_set(&dir->cause, -ENOTSUP, SHARED_ROOMLESS,
				 .path = dir->path, .error = ret) : ret;
}

/* Returns true where later processes join. */
static bool shared_awaits(struct rundir *dir, const char *name)
{
	char *text;

	if (rundir_recorder(dir, name) > 0)
		return true;
	if (rundir_recorder_gone(dir, name) ||
	    rundir_read_rules(dir, name, &text))
		return false;
	free(text);
	return true;
}

bool rundir_shared_held(struct rundir *dir, const char *name)
{
	int lock = members_lock(dir, name, LOCK_EX);

	if (lock >= 0)
		close(lock);
	return lock < 0;
}

int rundir_find_shared(struct rundir *dir, const char *name,
		       struct rundir_process *as)
{
	int fd = shared_open(dir, name);
	int ret = fd < 0 ? fd : shared_fill(dir, name, fd, as);

	if (!ret)
		as->alive = shared_awaits(dir, name) ||
			    rundir_shared_held(dir, name);
	return ret;
}

void rundir_stop_shared(struct rundir *dir, const char *name)
{
	const uint32_t state = SESSION_STOPPED;
	struct rundir_process as;
	int fd = shared_open(dir, name);

	if (fd < 0 || shared_fill(dir, name, fd, &as))
		return;
	fd = rundir_open_file(&as, 0, O_RDWR, "session.0");
	if (fd >= 0) {
		/* a page that cannot be written is of no session */
		(void)!pwrite(fd, &state, sizeof(state),
			      offsetof(struct session_page, state));
		close(fd);
	}
	rundir_process_close(&as);
}

/* Returns how many events the rings have had, and adds those that they lost. */
static uint32_t events_written(const struct rundir_process *as, uint64_t *lost)
{
	DIR *stream = rundir_open_rings(as, 0);
	struct dirent *entry;
	struct ring ring;
	uint32_t events = 0;

	while (stream && (entry = readdir(stream)))
		if (rundir_names_ring(entry->d_name, 0) &&
		    rundir_read_ring(as, 0, entry->d_name, &ring)) {
			events += RING_EVENTS(ring.head);
			*lost += ring.lost;
		}
	if (stream)
		closedir(stream);
	return events;
}

/* Returns true when the rings have events that no recorder has taken, or other
 * ones than a snapshot has: `saved` of them, UINT64_MAX: as the page says; then
 * also, if they have lost more than a snapshot has told. Also where another
 * version's page, or a damaged one, does not tell. */
static bool events_left(const struct rundir_process *as, uint64_t saved)
{
	struct session_page page;
	int ret = rundir_read_session(as, 0, 0, &page);
	uint64_t lost = 0;
	uint32_t events = events_written(as, &lost);

	if (ret)
		return ret != -ENOENT || events;
	if (saved == UINT64_MAX && page.flags & SESSION_CONSUMED)
		return rundir_any_ring(as, 0, &page, false);
	if (saved != UINT64_MAX)
		return events != (uint32_t)saved;
	return events != (uint32_t)page.saved ||
	       lost + page.lost_unplaced > page.saved_lost;
}

bool rundir_drop_shared(struct rundir *dir, const char *name, uint64_t saved)
{
	int fd = shared_open(dir, name), lock, ret;
	struct rundir_process as;
	uint64_t lost = 0;
	struct stat st;
	bool stays;

	if (fd < 0)
		return fd == -ENOENT;
	/* another command may be making it */
	stays = shared_awaits(dir, name) || fstat(fd, &st) ||
		(saved == UINT64_MAX &&
		 time(NULL) - st.st_mtime < SWEEP_AGE_SECONDS);
	if (stays) {
		close(fd);
		return false;
	}
	shared_name_fill(dir, name, fd, &as);
	ret = shared_check(dir, &as);
	if (ret) {
		/* incomplete: the command that made it was killed */
		stays = ret != -ENOENT || events_written(&as, &lost);
		if (!stays)
			rundir_remove_shared(dir, name);
		rundir_process_close(&as);
		return !stays;
	}
	lock = members_lock(dir, name, LOCK_EX);
	stays = lock == -EWOULDBLOCK || events_left(&as, saved);
	if (!stays)
		rundir_remove_shared(dir, name);
	if (lock >= 0)
		close(lock);
	rundir_process_close(&as);
	return !stays;
}

void rundir_sweep_shared(struct rundir *dir)
{
	struct rules_list list = { 0 };
	const char *name;

	while ((name = rundir_rules_next(&list, dir, PROTOCOL_SHARED_PREFIX)))
		if (rundir_valid_name(name))
			rundir_drop_shared(dir, name, UINT64_MAX);
}

int rundir_append_shared(struct rundir *dir, struct rundir_list *list)
{
	struct rundir_process shared;
	struct rules_list files = { 0 };
	const char *name;
	int ret = 0;

	while (!ret && (name = rundir_rules_next(&files, dir,
						 PROTOCOL_SHARED_PREFIX))) {
		if (rundir_find_shared(dir, name, &shared))
			continue;
		ret = rundir_append(list, &shared);
		if (ret)
			rundir_process_close(&shared);
	}
	rundir_rules_end(&files);
	return ret;
}

/* Reads the files once, as readers of the rings will. Returns 0, also where
 * there are none; or a negative errno. */
static int shared_probe(struct rundir *dir, const char *name)
{
	int fd = shared_open(dir, name), ret;
	struct rundir_process as;
	struct session_page page;
	struct stat st = { 0 };

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	shared_name_fill(dir, name, fd, &as);
	ret = shared_check(dir, &as) ?: rundir_read_session(&as, 0, 0, &page);
	fd = ret ? ret : rundir_open_image(&as, 0);
	if (fd >= 0 && fstatat(fd, "session.0", &st, 0))
		ret = -errno;
	if (fd >= 0)
		close(fd);
	else
		ret = fd;
	if (!ret && (uint64_t)st.st_size <
			    EVENT_RECORDS_OFFSET + page.record_bytes)
		ret = -EBADMSG;
	/* no rules yet, and young: they are being made */
	if (ret == -ENOENT && !fstat(as.fd, &st) && !shared_awaits(dir, name) &&
	    time(NULL) - st.st_mtime < SWEEP_AGE_SECONDS)
		ret = 0;
	rundir_process_close(&as);
	return ret;
}

/* Looks again for a while: another command may be removing them, or a recorder
 * be making them. */
static int shared_unread(struct rundir *dir, const char *name)
{
	int ret = shared_probe(dir, name);

	for (int i = 0; ret && i < SHARED_TRIES; i++) {
		poll(NULL, 0, 1);
		ret = shared_probe(dir, name);
	}
	/* limits of this command are told elsewhere */
	return ret == -EMFILE || ret == -ENFILE || ret == -ENOMEM ? 0 : ret;
}

int rundir_each_unread(struct rundir *dir, const char *only,
		       void (*call)(const char *name, int error, void *priv),
		       void *priv)
{
	struct rules_list list = { 0 };
	const char *name;
	int found = 0, ret;

	while ((name = rundir_rules_next(&list, dir,
					 PROTOCOL_SHARED_PREFIX))) {
		if (!rundir_valid_name(name) || (only && strcmp(only, name)))
			continue;
		ret = shared_unread(dir, name);
		if (ret)
			call(name, ret, priv);
		found += ret != 0;
	}
	return found;
}

SIGSAFE void rundir_abandon_shared(void)
{
	static const char *const names[] = { "members", "process",
					     "session.0" };
	char path[PATH_MAX + 32];
	struct text text;

	/* rings first: the last one made may be missing */
	for (uint32_t i = 0; *made && i < CHANNEL_CPUS_MAX; i++) {
		text_open(&text, path, sizeof(path));
		text_add(&text, made);
		text_add(&text, "/ring.0.");
		text_add_unsigned(&text, i);
		if (unlink(path))
			break;
	}
	for (size_t i = 0; *made && i < ARRAY_SIZE(names); i++) {
		text_open(&text, path, sizeof(path));
		text_add(&text, made);
		text_add_char(&text, '/');
		text_add(&text, names[i]);
		unlink(path);
	}
	if (*made) {
		rmdir(made);
		/* "/0" */
		made[text_length(made) - 2] = '\0';
		rmdir(made);
	}
}

/* Removes a directory of files. */
static void image_remove(int fd, const char *name)
{
	DIR *stream = rundir_opendir(fd, name);
	struct dirent *entry;

	while (stream && (entry = readdir(stream)))
		unlinkat(dirfd(stream), entry->d_name, 0);
	if (stream)
		closedir(stream);
	unlinkat(fd, name, AT_REMOVEDIR);
}

bool rundir_remove_shared(struct rundir *dir, const char *name)
{
	int fd = shared_open(dir, name), below;
	char file[NAME_MAX + 1];
	struct session_page page;
	struct rundir_process as;
	struct dirent *entry;
	DIR *stream;

	if (fd < 0)
		return false;
	if (!shared_fill(dir, name, fd, &as)) {
		if (!rundir_read_session(&as, 0, 0, &page))
			rundir_tell_followers(&as, 0, &page);
		rundir_process_close(&as);
	}
	fd = shared_open(dir, name);
	if (fd < 0)
		return true;
	/* two descriptors at once, no more: they may be why a recording ends */
	image_remove(fd, "0");
	/* those that processes were about to make */
	stream = rundir_opendir(fd, ".");
	while (stream && (entry = readdir(stream)))
		if (*entry->d_name != '.')
			image_remove(fd, entry->d_name);
	if (stream)
		closedir(stream);
	close(fd);
	shared_name(file, name);
	below = rundir_open_rules(dir, false);
	if (below >= 0) {
		unlinkat(below, file, AT_REMOVEDIR);
		close(below);
	}
	return true;
}
