/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where a process keeps files (buffers/layout.h), and the page that identifies
 * it.
 *
 * Invariant: the runtime directory and those below belong to the
 * user, are private, and are no symlinks. A runtime directory that was there
 * before is used as it is, or not at all: it may be /dev/shm itself. No thread
 * of the host opens a file.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/prctl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/base.h"
#include "base/file.h"
#include "base/host.h"
#include "base/sys.h"
#include "base/text.h"
#include "buffers/clock.h"
#include "buffers/layout.h"
#include "buffers/rings/anchor.h"
#include "buffers/rings/channel.h"
#include "control/causes.h"
#include "control/sessions/place.h"
#include "control/threads/settings.h"
#include "control/threads/thread.h"
#include "tracepoints/sites/lock.h"

#define IMAGES_MAX	10000
#define LOCK_TRIES	20	/* one a millisecond */
#define NUMBERS_MAX	10000
#define OPEN_TRIES	100

/* Fields of /proc/PID/stat (proc(5)). */
#define STAT_PARENT	4
#define STAT_STARTTIME	22

/* Rights of others, where a group was let in (share.c): all users may search
 * the runtime directory, and the group may list and search PID.STARTTIME/. */
#define RUNTIME_OPEN	011
#define PROCESS_OPEN	050

const char *place_failure;
uint64_t place_id;

/* The process, or the parent, when it made files; root 0: it made none. See
 * place_denial(). */
static struct {
	uint64_t root, device;	/* the inode of the root directory */
	uint32_t uid;
} place_maker EARLY;

static bool runtime_is_tmpfs(const char *path)
{
	struct {
		long type;
		long rest[15];
	} fs;

	return !sys2(SYS_statfs, path, &fs) && fs.type == TMPFS_MAGIC;
}

SIGSAFE void place_default(struct text *text, uint32_t uid)
{
	text_add(text, runtime_is_tmpfs("/dev/shm") ? PLACE_DEFAULT_SHM :
						      PLACE_DEFAULT_TMP);
	text_add_unsigned(text, uid);
}

/* Notes why a directory is not used, and how to make one that can be. */
static int directory_refuse(const char *path, const char *why)
{
	static char failure[2 * sizeof(place_process) + 100];
	struct text text;

	text_open(&text, failure, sizeof(failure));
	text_add(&text, path);
	text_add(&text, why);
	text_add(&text, ": make a private one (mkdir -m 700 ");
	text_add(&text, path);
	text_add(&text, "/taffrail) and set TAFFRAIL_DIR to it");
	place_failure = failure;
	return -EPERM;
}

/* Makes a directory, or accepts a private one of this user. Others may have the
 * rights `open` in it. Returns the rights that they have, or a negative
 * errno. */
static int directory_make(const char *path, uint32_t open)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	struct timespec pause = { .tv_nsec = 1000000 };
	int tries = LOCK_TRIES;
	struct stat st;
	int ret = 0;
	int fd;

	/* Another process that has a umask of 0400 or the like may have made it
	 * an instant ago, and give the owner the rights next. */
	while ((fd = (int)sys_open(path, flags, 0)) < 0 && tries--) {
		if (fd == -ENOENT)
			ret = file_make_directory(AT_FDCWD, path);
		else if (fd == -EACCES)
			sys2(SYS_nanosleep, &pause, NULL);
		else
			return fd;
		if (ret && ret != -EEXIST)
			return ret;
	}
	if (fd < 0)
		return fd;
	ret = (int)sys2(SYS_fstat, fd, &st);
	sys_close(fd);
	if (ret)
		return ret;
	if (st.st_uid != (uid_t)sys0(SYS_geteuid))
		return directory_refuse(path, " belongs to another user");
	if (st.st_mode & 077 & ~open)
		return directory_refuse(path, " is open to others");
	ret = (int)(st.st_mode & 077);
	if (path != place_runtime)
		return ret;
	place_id = PROTOCOL_PLACE_ID(&st);
	place_maker.uid = st.st_uid;
	if (!sys4(SYS_newfstatat, AT_FDCWD, "/", &st, 0)) {
		place_maker.root = st.st_ino;
		place_maker.device = st.st_dev;
	}
	return ret;
}

/* Writes /proc/PID/FILE, for pid 0 that of this process. */
static void proc_path(char *path, size_t size, int64_t pid, const char *file)
{
	struct text text;

	text_open(&text, path, size);
	text_add(&text, "/proc/");
	if (pid)
		text_add_number(&text, pid);
	else
		text_add(&text, "self");
	text_add(&text, file);
}

const char *place_stat(int64_t pid, int field, char buffer[PLACE_STAT_BYTES])
{
	const char *close = NULL;
	const char *p;
	long n;
	int fd;

	proc_path(buffer, PLACE_STAT_BYTES, pid, "/stat");
	fd = (int)sys_open(buffer, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return NULL;
	n = sys_read(fd, buffer, PLACE_STAT_BYTES - 1);
	sys_close(fd);
	if (n <= 0)
		return NULL;
	buffer[n] = 0;
	for (p = buffer; *p; p++)
		if (*p == ')')
			close = p;
	p = close ? close + 1 : buffer;
	for (int at = 2; at < field && *p; p++)
		at += *p == ' ';
	return p;
}

/* Reads a number of /proc/PID/stat, or 0. */
static uint64_t stat_field(int64_t pid, int field)
{
	char buffer[PLACE_STAT_BYTES];
	const char *p = place_stat(pid, field, buffer);
	int64_t number = p ? text_number(&p) : -1;

	return number < 0 ? 0 : (uint64_t)number;
}

static uint64_t own_namespace;		/* of this process, by place_open() */

/* Returns the upper bits of the number of a process's directory: 0 in the first
 * PID namespace, and where /proc cannot be read. */
static uint64_t namespace_read(int64_t pid)
{
	char path[48], link[48] = "";
	const char *number;

	/* the kernel makes an inode for a look at the target of the link */
	proc_path(path, sizeof(path), pid, "/ns/pid");
	sys3(SYS_readlink, path, link, sizeof(link) - 1);
	number = text_after(link, "pid:[");
	return number ? place_namespace((uint64_t)text_number(&number)) : 0;
}

uint64_t place_namespace_own(void)
{
	return namespace_read(0);
}

uint64_t place_number(int64_t pid)
{
	return stat_field(pid, STAT_STARTTIME) | namespace_read(pid);
}

int64_t place_parent(int64_t pid)
{
	return (int64_t)stat_field(pid, STAT_PARENT);
}

bool place_alive(int64_t pid, uint64_t number)
{
	return PLACE_NAMESPACE(number) == own_namespace &&
	       stat_field(pid, STAT_STARTTIME) == PLACE_STARTTIME(number);
}

/*
 * Tells this process from others that have the same pid and start time: pids
 * are used again, and the clock of start times has 100 ticks a second.
 */

/* Opens the page of an image's directory. Returns the descriptor, or a negative
 * errno. */
static int page_open(int at, const char *image, int flags)
{
	int directory = file_open_directory(at, image);
	int fd;

	if (directory < 0)
		return directory;
	fd = file_open(directory, "process", flags, PROCESS_BYTES,
		       PROCESS_BYTES);
	sys_close(directory);
	return fd;
}

/* A look at the directory PID.NUMBER/. */
struct look {
	uint64_t own;		/* inode of this process's pidfd */
	int fresh;		/* it was forked and has not executed anything:
				 * it cannot have made any file yet */
	int foreign;		/* files of another process are there */
};

/* Returns the inode of the process's pidfd (buffers/layout.h), or 0 when the
 * kernel does not tell. */
static uint64_t identity_read(void)
{
	struct {
		long type;
		long rest[15];
	} fs = { 0 };
	struct stat st = { 0 };
	/* valgrind 3.19 does not know the call, and says so */
	int fd = thread_translated() ?
			 -1 : (int)sys2(SYS_pidfd_open, sys_getpid(), 0);

	if (fd < 0)
		return 0;
	/* on older kernels all pidfds have one inode */
	if (sys2(SYS_fstatfs, fd, &fs) || fs.type != IDENTITY_FS_MAGIC ||
	    sys2(SYS_fstat, fd, &st))
		st.st_ino = 0;
	sys_close(fd);
	return st.st_ino;
}

static void look_image(int at, const char *name, void *arg)
{
	struct look *look = arg;
	uint64_t identity = 0;
	int fd;

	if (*name < '0' || *name > '9')
		return;
	look->foreign |= look->fresh;
	fd = page_open(at, name, O_RDONLY);
	if (fd < 0)
		return;
	sys4(SYS_pread64, fd, &identity, sizeof(identity),
	     offsetof(struct process_page, identity));
	sys_close(fd);
	look->foreign |= identity && look->own && identity != look->own;
}

static uint8_t boot_id[16];
static bool boot_known, namespace_known;

void place_told(const uint8_t boot[static 16], uint64_t number)
{
	__builtin_memcpy(boot_id, boot, sizeof(boot_id));
	own_namespace = number;
	boot_known = namespace_known = true;
}

const uint8_t *place_boot_id(void)
{
	char buffer[64] = "";
	uint32_t nibbles = 0;
	const char *p;
	int fd;

	if (boot_known)
		return boot_id;
	boot_known = true;
	fd = (int)sys_open("/proc/sys/kernel/random/boot_id",
			   O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return boot_id;
	sys_read(fd, buffer, sizeof(buffer) - 1);
	sys_close(fd);
	for (p = buffer; *p && nibbles < 32; p++) {
		int v = *p >= '0' && *p <= '9' ? *p - '0' :
			*p >= 'a' && *p <= 'f' ? *p - 'a' + 10 : -1;

		if (v < 0)
			continue;
		boot_id[nibbles / 2] |= (uint8_t)(nibbles & 1 ? v : v << 4);
		nibbles++;
	}
	return boot_id;
}

static void page_fill(struct process_page *page, uint32_t image,
		      uint64_t starttime, uint64_t identity)
{
	struct utsname name;
	uint64_t mix[2];
	long n;
	int fd;

	page->version = LAYOUT_VERSION;
	page->pid = (uint32_t)sys_getpid();
	page->ppid = (uint32_t)sys0(SYS_getppid);
	page->starttime = starttime;
	page->identity = identity;
	page->image = image;
	page->state = PROCESS_RUNNING;
	page->clock_kind = (uint32_t)clock_kind();
	/* 0: place_clock_settle() learns it for the first session */
	page->clock_hz = clock_hz_known();
	clock_anchor_take(&page->start);
	__builtin_memcpy(page->boot_id, place_boot_id(), sizeof(page->boot_id));
	/* a UUID of version 4, or a mix without random bytes */
	if (sys3(SYS_getrandom, page->uuid, 16, 1 /* GRND_NONBLOCK */) != 16) {
		mix[0] = page->start.clock ^ page->starttime;
		mix[1] = page->start.realtime_ns ^ page->pid;
		__builtin_memcpy(page->uuid, mix, 16);
	}
	page->uuid[6] = (page->uuid[6] & 0x0f) | 0x40;
	page->uuid[8] = (page->uuid[8] & 0x3f) | 0x80;
	page->marker_generation = 1;
	page->words_unknown = settings.words_unknown;
	page->landlock = host_landlock;
	place_faults_publish(page);
	/* the first thread's name; the calling thread's may be another */
	fd = sys_gettid() == sys_getpid() ? -1 :
	     (int)sys_open("/proc/self/comm", O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0) {
		sys5(SYS_prctl, PR_GET_NAME, page->procname, 0, 0, 0);
	} else {
		n = sys_read(fd, page->procname, 15);
		sys_close(fd);
		while (n > 0 && page->procname[n - 1] == '\n')
			page->procname[--n] = 0;
	}
	__builtin_memcpy(host_program, page->procname,
			 sizeof(host_program) - 1);
	if (!sys1(SYS_uname, &name))
		text_copy(page->hostname, sizeof(page->hostname),
			  name.nodename);
	text_copy(page->agent_version, sizeof(page->agent_version),
		  AGENT_VERSION);
	text_copy(page->runtime, sizeof(page->runtime), place_runtime);
	page->protocol = PROTOCOL_VERSION;
}

static void image_path(char *path, size_t size, uint32_t image,
		       const char *file)
{
	struct text text;

	text_open(&text, path, size);
	text_add(&text, place_process);
	text_add_char(&text, '/');
	text_add_unsigned(&text, image);
	text_add(&text, file);
}

/* Makes PID.STARTTIME/N for the first N that is free, and marks the images
 * before it, which execve(2) replaced: they could not do so themselves. Returns
 * 0 or a negative errno. */
static int image_make(uint32_t *image, char *path, size_t size)
{
	uint32_t state = PROCESS_EXECED;
	int ret = -EEXIST;
	int fd;

	for (uint32_t i = 0; i < IMAGES_MAX && ret == -EEXIST; i++) {
		image_path(path, size, i, "");
		ret = file_make_directory(AT_FDCWD, path);
		*image = i;
		fd = ret == -EEXIST ? page_open(AT_FDCWD, path, O_WRONLY) : -1;
		if (fd < 0)
			continue;
		sys_pwrite(fd, &state, sizeof(state),
			   offsetof(struct process_page, state));
		sys_close(fd);
	}
	return ret;
}

/*
 * Keeps the lock on the file by a mapping, which holds the open file. The
 * thread's descriptors go when it ends; the mapping stays.
 *
 * A child that is forked between mmap and madvise would hold the lock as well,
 * so forks wait for the registry's lock. A child's first event does not take
 * that lock, because the child may hold it at that moment. If another thread of
 * the child forks just then, both have the lock: commands take the process for
 * alive until both have gone.
 */
static int lock_keep(int fd)
{
	static long kept;	/* after a detach: the old page's mapping */
	bool reviving = !load_relaxed(fork_mark);
	long p;

	if (!reviving)
		registry_lock_look();
	/* A child does not have the parent's mapping, and something else may be
	 * at that address. */
	if (kept && !reviving)
		sys_munmap(kept, PROCESS_BYTES);
	kept = 0;
	p = sys_mmap(0, PROCESS_BYTES, PROT_NONE, MAP_SHARED, fd, 0);
	if (p > 0 || p < -4095) {
		sys_madvise(p, PROCESS_BYTES, MADV_DONTFORK);
		kept = p;
	}
	if (!reviving)
		registry_unlock();
	return p < 0 && p > -4096 ? (int)p : 0;
}

/* Opens the page again: a forked child has the mapping of the page, and would
 * hold a lock of that open file. */
int place_lock(void)
{
	static const struct process_page *locked;
	struct timespec pause = { .tv_nsec = 1000000 };
	int tries = LOCK_TRIES;
	char path[280];
	int fd, ret;

	if (locked == process.page)
		return 0;
	image_path(path, sizeof(path), process.page->image, "/process");
	fd = file_open(AT_FDCWD, path, O_RDWR, PROCESS_BYTES, PROCESS_BYTES);
	if (fd < 0)
		return fd;
	/* another process may hold a lock for an instant, to see whether this
	 * one lives (budget.c) */
	while ((ret = (int)sys2(SYS_flock, fd, LOCK_EX | LOCK_NB)) == -EAGAIN &&
	       --tries)
		sys2(SYS_nanosleep, &pause, NULL);
	if (!ret)
		ret = lock_keep(fd);
	sys_close(fd);
	if (!ret) {
		locked = process.page;
		process.page->locked = 1;
	}
	return ret;
}

static int page_make(const char *directory, uint32_t image, uint64_t starttime,
		     uint64_t identity)
{
	char path[280];
	long p;
	int fd, ret;

	image_path(path, sizeof(path), image, "/process");
	fd = file_make(AT_FDCWD, path, O_RDWR);
	if (fd < 0)
		return fd;
	ret = (int)sys_fallocate(fd, 0, 0, PROCESS_BYTES);
	p = ret ? ret : sys_mmap(0, PROCESS_BYTES, PROT_READ | PROT_WRITE,
				 MAP_SHARED, fd, 0);
	sys_close(fd);
	if (p < 0 && p > -4096) {
		sys_unlink(path);
		return (int)p;
	}
	text_copy(process.directory, sizeof(process.directory), directory);
	page_fill((struct process_page *)p, image, starttime, identity);
	process.page = (struct process_page *)p;
	process.pid = process.page->pid;
	/* before a command can see the page, and take the process for dead */
	place_lock();
	store_release(&process.page->magic, PROCESS_MAGIC, PROCESS_PAGE);
	return 0;
}

/* Makes PID.NUMBER/, or accepts this process's from before an execve(2), whose
 * image may have let a group in; the group is not let into this image. A number
 * under which another process of this pid has left files is counted up. */
static int process_directory_choose(uint64_t number, uint64_t identity)
{
	struct look look = { .own = identity,
			     .fresh = !load_relaxed(fork_mark) &&
				      start_deferred !=
					      (uint32_t)sys_getpid() };
	struct text text;
	int ret, fd;

	for (int i = 0; i < NUMBERS_MAX; i++) {
		text_open(&text, place_process, sizeof(place_process));
		text_add(&text, place_runtime);
		text_add_char(&text, '/');
		text_add_number(&text, sys_getpid());
		text_add_char(&text, '.');
		text_add_unsigned(&text, number + (uint64_t)i);
		ret = file_make_directory(AT_FDCWD, place_process);
		if (ret != -EEXIST)
			return ret;
		fd = file_open_directory(AT_FDCWD, place_process);
		look.foreign = 0;
		if (fd >= 0) {
			entries_each(fd, look_image, &look);
			sys_close(fd);
		}
		if (look.foreign)
			continue;
		ret = directory_make(place_process, PROCESS_OPEN);
		if (ret <= 0)
			return ret;
		fd = file_open_directory(AT_FDCWD, place_process);
		if (fd < 0)
			return fd;
		ret = (int)sys2(SYS_fchmod, fd, 0700);
		sys_close(fd);
		return ret;
	}
	return -EEXIST;
}

/* Makes PID.NUMBER/, PID.NUMBER/N/ and the page in it. */
static int files_make(uint64_t starttime, uint64_t identity)
{
	char path[256];
	uint32_t image;
	int ret = process_directory_choose(starttime | own_namespace, identity);

	if (ret)
		return ret;
	ret = image_make(&image, path, sizeof(path));
	if (ret)
		goto remove;
	ret = page_make(path, image, starttime, identity);
	if (!ret)
		return 0;
	sys_rmdir(path);
remove:
	/* fails, as wanted, where an earlier image has left files */
	sys_rmdir(place_process);
	return ret;
}

SIGSAFE static int directory_stat(const char *path, struct stat *st)
{
	int fd = (int)sys_open(path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	int ret;

	if (fd < 0)
		return fd;
	ret = (int)sys2(SYS_fstat, fd, st);
	sys_close(fd);
	return ret;
}

SIGSAFE bool place_forbidden(int error)
{
	char image[280] = "";
	const char *const paths[] = { place_runtime, place_process, image };
	struct stat st;
	int ret;

	if (error != -EACCES)
		return false;
	if (process.page)
		image_path(image, sizeof(image), process.page->image, "");
	for (uint32_t i = 0; i < ARRAY_SIZE(paths); i++) {
		ret = directory_stat(paths[i], &st);
		/* those of the process may not be made yet */
		if (ret == -ENOENT && i)
			continue;
		if (ret || st.st_uid != (uid_t)sys0(SYS_geteuid) ||
		    (st.st_mode & 0700) != 0700)
			return false;
	}
	return true;
}

SIGSAFE uint32_t place_denial(int error)
{
	uint32_t uid = (uint32_t)sys0(SYS_geteuid);
	struct stat st;

	if (error == -ENOENT || error == -ESRCH)
		return place_maker.root &&
				       (directory_stat("/", &st) ||
					st.st_ino != place_maker.root ||
					st.st_dev != place_maker.device) ?
			       CAUSE_SESSION_ROOT_CHANGED :
			       0;
	/* -EPERM: a forked child sees a directory of another user */
	if (error != -EACCES && error != -EPERM)
		return 0;
	if (place_maker.root && uid != place_maker.uid &&
	    (directory_stat(place_runtime, &st) || st.st_uid != uid))
		return CAUSE_SESSION_USER_CHANGED;
	if (!place_forbidden(error))
		return 0;
	return host_landlock ? CAUSE_SESSION_LANDLOCKED :
			       CAUSE_SESSION_RESTRICTED;
}

/* place_sessions_keep(). Other threads have other tables of descriptors. */
static struct {
	int fd;
	uint32_t tid;		/* 0: none */
} sessions;

void place_sessions_keep(int fd)
{
	sessions.tid = fd < 0 ? 0 : (uint32_t)sys_gettid();
	sessions.fd = fd;
}

int place_sessions_open(void)
{
	char path[256];
	struct text text;

	if (sessions.tid && sessions.tid == (uint32_t)sys_gettid())
		return (int)sys3(SYS_fcntl, sessions.fd, F_DUPFD_CLOEXEC, 0);
	text_open(&text, path, sizeof(path));
	text_add(&text, place_runtime);
	text_add(&text, "/" PROTOCOL_SESSIONS_DIR);
	return file_open_directory(AT_FDCWD, path);
}

SIGSAFE bool place_shut(void)
{
	char path[280];
	int fd;

	image_path(path, sizeof(path), process.page->image, "/process");
	fd = (int)sys_open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (fd >= 0)
		sys_close(fd);
	return place_forbidden(fd);
}

void place_clock_settle(uint64_t told)
{
	struct process_page *page = process.page;

	if (page->clock_hz)
		return;
	if (clock_settle(told) != (int)page->clock_kind) {
		page->clock_kind = (uint32_t)clock_kind();
		clock_anchor_take(&page->start);
		/* without the TSC, CPUs have no rings */
		agent_cpus = 0;
	}
	page->clock_hz = clock_hz();
}

int place_choose(void)
{
	const char *home = settings.runtime;
	struct text text;

	text_open(&text, place_runtime, sizeof(place_runtime));
	if (settings.directory && *settings.directory) {
		text_add(&text, settings.directory);
	} else if (home && *home && runtime_is_tmpfs(home)) {
		text_add(&text, home);
		text_add(&text, "/taffrail");
	} else {
		place_default(&text, (uint32_t)sys0(SYS_geteuid));
	}
	place_failure = text.cut ? "the path of the runtime directory (see "
				   "TAFFRAIL_DIR) has 200 bytes or more: use "
				   "a shorter one" :
			place_runtime[0] != '/' ?
				   "TAFFRAIL_DIR is not an absolute path" :
				   NULL;
	return place_failure ? -ENAMETOOLONG : 0;
}

int place_open(void)
{
	uint64_t starttime = stat_field(0, STAT_STARTTIME);
	uint64_t identity = identity_read();
	int tries = OPEN_TRIES;
	int ret = place_choose();

	if (ret)
		return ret;
	file_owner = (uint32_t)sys0(SYS_geteuid);
	/* a forked child may be in another one */
	if (!namespace_known || !load_relaxed(fork_mark))
		own_namespace = namespace_read(0);
	namespace_known = false;
	/* A command that has collected the last files of a dead process removes
	 * the empty directory. This process may have found that directory a
	 * moment before, if it has the same number. */
	do {
		ret = directory_make(place_runtime, RUNTIME_OPEN);
		if (ret < 0)
			return ret;
		ret = files_make(starttime, identity);
	} while (ret == -ENOENT && --tries);
	if (!ret)
		place_share_directories();
	return ret;
}

void place_close(int keep)
{
	char path[280];

	if (keep)
		anchor_keep_last();
	process.page->state = PROCESS_EXITED;
	if (!keep) {
		image_path(path, sizeof(path), process.page->image, "/process");
		sys_unlink(path);
		image_path(path, sizeof(path), process.page->image, "");
		sys_rmdir(path);
	}
	/* the service thread makes these */
	if (process.page->wake.came || thread_service()) {
		place_socket_path(path, sizeof(path), "control.sock");
		sys_unlink(path);
		place_socket_path(path, sizeof(path), "gdb.sock");
		sys_unlink(path);
	}
	/* a command that detaches waits for the answer there */
	if (agent_signal && !agent_off) {
		place_socket_path(path, sizeof(path), CALL_FILE);
		sys_unlink(path);
	}
	/* fails, as wanted, where files are left */
	sys_rmdir(place_process);
}

void place_markers_changed(void)
{
	if (load_relaxed(fork_mark))
		__atomic_fetch_add(&process.page->marker_generation, 1,
				   __ATOMIC_RELAXED);
}
