/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Quiet programs: those that the session of a recorder wants nothing of, and
 * that are over soon. Their processes may put off files (agent/deferred.c).
 *
 * The recorder's file sessions/.deferred.NAME has a table of them, as known.c
 * has one of modules. A process that was quiet adds the program when it ends.
 *
 * Invariant: the hash of a program has those of all its modules, and the times
 * of the directory sessions/: a session that comes, goes or changes its rules
 * changes these. So an answer of the first process holds for the next. Of
 * libraries it has what is loaded, their build ID too, and not the file's
 * times: a look at a path takes 2 us.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

#include "base/base.h"
#include "base/file.h"
#include "base/index.h"
#include "base/sys.h"
#include "base/text.h"
#include "control/protocol.h"
#include "control/sessions/place.h"
#include "control/sessions/private.h"
#include "control/threads/filtered.h"
#include "control/threads/thread.h"
#include "tracepoints/program/modules.h"
#include "tracepoints/sites/lock.h"
#include "tracepoints/sites/notes.h"

#define QUIET		(KNOWN_UNASKED + 1)	/* a question, as others */
#define SETTLED		2	/* added to the hash: quiet_settled() */
#define QUIET_NS	200000000ll	/* longer ones gain nothing */

/* Adds the hash of a module of the dynamic linker's list; or makes it 0. The
 * linker tells where the headers are: they do not lie at the base of a module
 * whose file has other addresses than from 0 on. */
static int module_hash(struct dl_phdr_info *info, size_t size, void *added)
{
	struct module module = {
		.base = info->dlpi_addr, .start = ~0ull,
		.headers = info->dlpi_phdr, .nheaders = info->dlpi_phnum,
	};
	const ElfW(Phdr) *ph = info->dlpi_phdr;
	uint64_t one, *hash = added;
	struct text path;

	for (uint32_t i = 0; i < module.nheaders; i++)
		if (ph[i].p_type == PT_LOAD)
			module.start = min_u64(module.start,
					       module.base + ph[i].p_vaddr);
	text_open(&path, module.path, sizeof(module.path));
	/* a look at /proc/self/exe takes twice as long */
	if ((uint64_t)ph == getauxval(AT_PHDR)) {
		text_add(&path, (const char *)getauxval(AT_EXECFN) ?: "");
		one = path.cut ? 0 : known_hash(&module, QUIET);
	} else {
		one = known_hash_loaded(&module, QUIET);
	}
	*hash = one ? index_hash(*hash, &one, sizeof(one)) : 0;
	return !one;
}

static int directory = -1;	/* sessions/, from quiet_open() on */
static struct deferred_row head;	/* of the recorder's file */

/* When sessions/ had changed at the last look. */
static struct timespec sessions_changed;

/* Returns the hash of the program, as the dynamic linker has loaded it, and of
 * the sessions that there are; or 0. A change of sessions/ in the current tick
 * of the clock of files may leave the times as they are. */
static uint64_t program_hash(void)
{
	uint64_t hash = QUIET;
	struct timespec now;
	struct stat st;

	if (sys2(SYS_fstat, directory, &st) ||
	    sys2(SYS_clock_gettime, CLOCK_REALTIME_COARSE, &now) ||
	    now.tv_sec < st.st_ctim.tv_sec ||
	    (now.tv_sec == st.st_ctim.tv_sec &&
	     now.tv_nsec <= st.st_ctim.tv_nsec))
		return 0;
	sessions_changed = st.st_ctim;
	hash = index_hash(hash, &st.st_ino, sizeof(st.st_ino));
	hash = index_hash(hash, &st.st_mtim, sizeof(st.st_mtim));
	hash = index_hash(hash, &st.st_ctim, sizeof(st.st_ctim));
	modules_each(module_hash, &hash);
	return hash ? hash | 1 : 0;
}

/* Of this start: the program's hash, or 0, and the time. */
static uint64_t own_hash;
static int64_t own_start_ns;
static bool own_starts, own_settled;	/* until quiet_settle() */

bool quiet_allowed(void)
{
	return settings.join && !settings.enable && !settings.session &&
	       !settings.keep && !settings.clock && !settings.service &&
	       !settings.idle && !settings.log && !settings.gdb &&
	       !settings.ipa && !settings.core && !settings.quota &&
	       !settings.int3 && !settings.load && !settings.words_unknown &&
	       !filtered_tracer() && !thread_translated() &&
	       sys1(SYS_prctl, PR_GET_DUMPABLE) == 1;
}

/* Returns true where the recorder lets programs put off files, is there, and
 * is in the PID namespace of this process: the kernel tells the holder of a
 * lock by the number that the process would see, or 0. A look at a link in
 * /proc/self/ns takes longer. */
static bool is_near(int fd)
{
	struct flock lock = { .l_type = F_WRLCK };

	return head.page != PROTOCOL_DEFERRED_NEVER &&
	       !sys3(SYS_fcntl, fd, F_GETLK, &lock) &&
	       lock.l_type != F_UNLCK &&
	       (lock.l_pid == (pid_t)head.pid ||
		head.page == place_namespace_own());
}

int quiet_open(int flags)
{
	char name[SESSION_NAME_BYTES + sizeof(PROTOCOL_DEFERRED_PREFIX)];
	struct text text;
	int fd;

	directory = place_sessions_open();
	if (directory < 0)
		return directory;
	text_open(&text, name, sizeof(name));
	text_add(&text, PROTOCOL_DEFERRED_PREFIX);
	text_add(&text, settings.join);
	fd = text.cut ? -ENOENT :
			file_open(directory, name, O_RDWR | flags,
				  PROTOCOL_DEFERRED_ROWS,
				  PROTOCOL_DEFERRED_BYTES_MAX);
	if (fd >= 0 &&
	    sys4(SYS_pread64, fd, &head, sizeof(head), 0) == sizeof(head) &&
	    is_near(fd))
		return fd;
	quiet_close(fd);
	return fd < 0 ? fd : -EXDEV;
}

void quiet_close(int fd)
{
	if (fd >= 0)
		sys_close(fd);
	sys_close(directory);
	directory = -1;
}

bool quiet_known(int fd)
{
	place_told(head.uuid, head.page);
	/* the file is in the directory that has this number */
	place_id = head.entry;
	own_hash = program_hash();
	if (known_has(fd, PROTOCOL_DEFERRED_TABLE, own_hash))
		return true;
	/* before the rules are read: quiet_end() adds it for these, or older
	 * ones */
	own_start_ns = sys_clock_ns(CLOCK_MONOTONIC);
	own_starts = own_hash;
	own_settled = own_hash && known_has(fd, PROTOCOL_DEFERRED_TABLE,
					    own_hash + SETTLED);
	return false;
}

bool quiet_stays(int at)
{
	struct stat st;

	return !sys2(SYS_fstat, at < 0 ? directory : at, &st) &&
	       !__builtin_memcmp(&st.st_ctim, &sessions_changed,
				 sizeof(sessions_changed));
}

bool quiet_settled(int at)
{
	return own_settled && quiet_stays(at);
}

void quiet_settle(int at)
{
	int fd = own_starts && !own_settled && session_settled() &&
				 at >= 0 && quiet_stays(at) ?
			 quiet_open(0) : -1;

	own_starts = own_settled = false;
	if (fd < 0)
		return;
	known_put(fd, PROTOCOL_DEFERRED_TABLE, own_hash + SETTLED);
	quiet_close(fd);
}

static int quiet_add(void *unused)
{
	int fd = quiet_open(0);

	if (fd < 0)
		return fd;
	known_put(fd, PROTOCOL_DEFERRED_TABLE, own_hash);
	quiet_close(fd);
	return 0;
}

SIGSAFE void quiet_end(void)
{
	if (own_hash && own_start_ns && session_quiet() &&
	    sys_clock_ns(CLOCK_MONOTONIC) - own_start_ns < QUIET_NS)
		thread_run(quiet_add, NULL);
}

SIGSAFE void quiet_exec(void)
{
	/* not in a child, which may share the memory */
	if (!own_hash || !own_start_ns || thread_forbidden() ||
	    !load_relaxed(fork_mark) || load_relaxed(fork_guests) ||
	    !registry_lock_try())
		return;
	quiet_end();
	own_start_ns = 0;
	registry_unlock();
}
