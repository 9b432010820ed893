/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The runtime directory of this user, the room in it, and the agent's library.
 *
 * Invariant: look_directory() makes the directory, as record would; doctor.c
 * removes it again if it was not there (d->made).
 */
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/base.h"
#include "base/tunables.h"
#include "buffers/rings/channel.h"
#include "command/common/command.h"
#include "command/common/installed.h"
#include "command/doctor/private.h"
#include "command/record/shortage.h"

#define FOLDERS_OPEN	16
#define RECORD_FILES	3	/* of record, in sessions/ */

/* "no" without a library that can be preloaded: record could bring the agent
 * into no program. LD_PRELOAD splits at colons and blanks. */
void look_library(struct doctor *d, struct finding *f)
{
	char path[PATH_MAX];
	int ret = installed_find(path, sizeof(path), INSTALLED_LIB,
				 "libtaffrail.so");

	if (ret) {
		found(f, LIBRARY_APART, .error = ret);
	} else if (access(path, R_OK)) {
		found(f, LIBRARY_UNREAD, .path = path, .error = errno);
	} else if (strpbrk(path, ": ")) {
		found(f, START_LIBRARY_PATH, .path = path);
	} else {
		found_as(f, DOCTOR_OK, "%s", path);
	}
}

/* Returns the name of the variable that gives the directory, or "the
 * default". */
static const char *chosen_by(const struct rundir *dir)
{
	const char *own = getenv("TAFFRAIL_DIR");
	const char *xdg = getenv("XDG_RUNTIME_DIR");

	if (own && *own)
		return "TAFFRAIL_DIR";
	return xdg && *xdg && !strncmp(dir->path, xdg, strlen(xdg)) ?
		       "XDG_RUNTIME_DIR" : "the default";
}

/*
 * Makes the directory, as the first agent would, after a try whether a filter
 * kills for that. "limited" on a disk: events would still be recorded. Leaves
 * d->dir open for later checks.
 */
void look_directory(struct doctor *d, struct finding *f)
{
	char line[CAUSE_LINE_BYTES];
	struct stat st;
	struct statfs fs;
	bool tmpfs;

	rundir_open(&d->dir, false);
	rundir_close(&d->dir);
	d->made = lstat(d->dir.path, &st) && errno == ENOENT;
	if (aside(CALL_MKDIR) < 0) {
		found(f, DIRECTORY_FILTERED);
		return;
	}
	if (rundir_open(&d->dir, true)) {
		d->made = false;
		found_as(f, DOCTOR_NO, "%s: %s", chosen_by(&d->dir),
			 cause_fact(&d->dir.cause, line));
		f->id = d->dir.cause.id;
		found_remedy(f, "%s", cause_remedy(&d->dir.cause, line));
		return;
	}
	tmpfs = !fstatfs(d->dir.fd, &fs) && fs.f_type == TMPFS_MAGIC;
	found_as(f, DOCTOR_OK, "%s (from %s), on %s, mode %04o%s", d->dir.path,
		 chosen_by(&d->dir), tmpfs ? "tmpfs" : "a disk",
		 fstat(d->dir.fd, &st) ? 0 : (unsigned int)st.st_mode & 07777,
		 d->made ? ", made when it is needed" : "");
	if (!tmpfs)
		found(f, DIRECTORY_ON_DISK, .path = d->dir.path,
		      .text = d->made ? "made when it is needed" : "");
}

/* Returns the number of CPUs that may come, each with a buffer; at least 1. */
static uint32_t cpu_count(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	return cpus > 0 ? (uint32_t)cpus : 1;
}

uint64_t default_ring(void)
{
	return channel_ring_bytes(0, cpu_count());
}

/*
 * Returns how many processes of so many bytes and files have room, beside the
 * reserve that rings leave free. A file system that counts no files (f_files is
 * 0) limits the bytes alone.
 */
static uint64_t fitting_processes(const struct statvfs *fs, uint64_t bytes,
				  uint64_t files)
{
	uint64_t free = fs->f_bavail * (uint64_t)fs->f_frsize;
	uint64_t keep = min_u64(fs->f_blocks * (uint64_t)fs->f_frsize /
				RESERVE_PART, RESERVE_BYTES);
	uint64_t fit = free > keep ? (free - keep) / bytes : 0;

	keep = min_u64(fs->f_files / RESERVE_PART, RESERVE_FILES);
	keep += RECORD_FILES;
	free = fs->f_favail > keep ? fs->f_favail - keep : 0;
	return fs->f_files ? min_u64(fit, free / files) : fit;
}

/*
 * "limited" where the rings would be smaller than the default, "no" where not
 * even the smallest ones fit: then events are lost.
 */
void found_room(struct finding *f, int fd, const char *path)
{
	uint64_t wanted = shortage_needed(default_ring());
	uint64_t files = (uint64_t)shortage_files();
	char is[SHORTAGE_SIZE_BYTES], each[SHORTAGE_SIZE_BYTES], text[160];
	struct statvfs fs;
	uint64_t fit, least;

	if (fstatvfs(fd, &fs)) {
		found(f, ROOM_UNKNOWN, .path = path, .error = errno);
		return;
	}
	fit = fitting_processes(&fs, wanted, files);
	snprintf(text, sizeof(text), "%s and %" PRIu64 " files free: room for "
		 "%" PRIu64 " process%s at once, of %s each",
		 shortage_size(is, fs.f_bavail * (uint64_t)fs.f_frsize),
		 (uint64_t)fs.f_favail, fit, fit == 1 ? "" : "es",
		 shortage_size(each, wanted));
	/* without the smallest buffers of all CPUs, events are lost */
	least = cpu_count() * (uint64_t)(RING_LEAST_BYTES + RING_DATA_OFFSET);
	if (fit)
		found_as(f, DOCTOR_OK, "%s has %s", path, text);
	else if (fitting_processes(&fs, least, files - LOCKED_AHEAD))
		found(f, ROOM_SMALL, .path = path, .text = text);
	else
		found(f, ROOM_LACKING, .path = path, .text = text);
}

/* The bytes on disk of all buffers, for look_room(): nftw(3) gives the function
 * no argument. */
static uint64_t ring_bytes;

static int add_ring(const char *path, const struct stat *st, int type,
		    struct FTW *at)
{
	if (type == FTW_F && !strncmp(path + at->base, "ring.", 5))
		ring_bytes += (uint64_t)st->st_blocks * 512;
	return 0;
}

/* Judges the room in the file system, then that below TAFFRAIL_QUOTA. Without a
 * directory there is nothing to say: look_directory() has said why. */
void look_room(struct doctor *d, struct finding *f)
{
	const char *quota = getenv("TAFFRAIL_QUOTA");
	char used[SHORTAGE_SIZE_BYTES], each[SHORTAGE_SIZE_BYTES], text[96];
	uint64_t bytes, wanted = shortage_needed(default_ring());

	if (d->dir.fd < 0)
		return;
	found_room(f, d->dir.fd, d->dir.path);
	if (!quota || !*quota)
		return;
	if (command_parse_bytes(&bytes, quota)) {
		found(f, QUOTA_UNREAD, .text = quota);
		return;
	}
	ring_bytes = 0;
	nftw(d->dir.path, add_ring, FOLDERS_OPEN, FTW_PHYS);
	if (ring_bytes + wanted <= bytes)
		return;
	snprintf(text, sizeof(text), "take %s of it, and a process needs %s",
		 shortage_size(used, ring_bytes),
		 shortage_size(each, wanted));
	found(f, QUOTA_SMALL, .subject = quota, .path = d->dir.path,
	      .text = text);
	if (ring_bytes + RING_LEAST_BYTES + RING_DATA_OFFSET > bytes)
		f->state = DOCTOR_NO;
}
