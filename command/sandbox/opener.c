/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens files that other processes name, in a child. See opener.h.
 *
 *	command                           child
 *	   | what, path, inode ------------> |  open (O_PATH), fstat, fstatfs,
 *	   |                                 |  open, read: may wait for ever
 *	   |<-- errno, stat, descriptors --- |
 *	   | no answer in time: SIGKILL, another child for the next file
 *
 * Invariant: a path that gave no answer is not asked for again, so a command
 * waits for it once; after SILENT_MAX such paths the waits are short.
 */
#include "command/sandbox/opener.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/base.h"
#include "command/common/command.h"
#include "command/sandbox/child.h"

#define WAIT_MS		3000	/* for an answer */
#define WAIT_LESS_MS	200	/* once SILENT_MAX files gave none */
#define SILENT_MAX	3
#define PATH_BYTES	(PATH_MAX + 128)
#define COPY_MAX	(1ull << 30)
#define CPU_SECONDS	120	/* of a child, for all files */

enum { ASK_STAT, ASK_OPEN };

struct question {
	uint32_t what;
	uint64_t inode;
	char path[PATH_BYTES];
};

struct answer {
	int32_t error;			/* 0 or a negative errno */
	uint32_t major, minor;
	int64_t system;
	struct stat st;
	bool copied;
};

static struct child child;

static struct {
	unsigned int count;		/* files that gave no answer; */
	char *paths[SILENT_MAX];	/* the first of them */
} silent;

/* Where the kernel reads a file system without another program or machine. An
 * overlay is not here: the file systems below may be any. */
static const uint32_t local_systems[] = {
	0xef53,			/* ext2, ext3, ext4 */
	0x01021994, 0x858458f6,	/* tmpfs, ramfs */
	0x58465342, 0x9123683e,	/* xfs, btrfs */
	0xf2f52010, 0x2fc12fc1,	/* f2fs, zfs */
	0xca451a4e, 0x3153464a,	/* bcachefs, jfs */
	0x73717368, 0xe0f5e1e2,	/* squashfs, erofs */
	0x9660, 0x15013346,	/* iso9660, udf */
	0x4d44, 0x2011bab0,	/* vfat, exfat */
	0x958458f6,		/* hugetlbfs */
};

/* In the child: returns a descriptor for the command, or a negative errno. It
 * is the file itself, or a copy in memory of one state of the file. */
static int offer_file(struct answer *answer, int fd, ino_t number)
{
	struct stat *st = &answer->st;
	struct statfs system;
	struct stat after;
	ssize_t n = 1;
	off_t left;
	int copy;
	void *page;
	FILE *maps;
	unsigned int major, minor;
	unsigned long start;
	char *line = NULL;
	size_t room = 0;

	if (fstat(fd, st) || fstatfs(fd, &system))
		return -errno;
	if (!S_ISREG(st->st_mode) || st->st_ino != number)
		return -ESTALE;
	answer->system = system.f_type;
	/* The device, where other processes' maps have it, too; 0:0 where
	 * that fails. */
	page = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE, fd, 0);
	maps = page != MAP_FAILED ? fopen("/proc/self/maps", "re") : NULL;
	while (maps && getline(&line, &room, maps) > 0)
		if (sscanf(line, "%lx-%*x %*s %*x %x:%x", &start, &major,
			   &minor) == 3 &&
		    start == (unsigned long)page) {
			answer->major = major;
			answer->minor = minor;
		}
	free(line);
	if (maps)
		fclose(maps);
	if (page != MAP_FAILED)
		munmap(page, 1);
	for (size_t i = 0; i < ARRAY_SIZE(local_systems); i++)
		if (local_systems[i] == (uint32_t)system.f_type)
			return dup(fd);
	if ((uint64_t)st->st_size > COPY_MAX)
		return -EFBIG;
	answer->copied = true;
	copy = memfd_create("taffrail opener", MFD_CLOEXEC);
	if (copy < 0)
		return -errno;
	for (left = st->st_size; left > 0 && n > 0; left -= n > 0 ? n : 0)
		n = sendfile(copy, fd, NULL, left < 1 << 20 ? (size_t)left :
							      1u << 20);
	if (n >= 0 && !left && !fstat(fd, &after) &&
	    opener_same_state(st, &after))
		return copy;
	left = n < 0 ? -errno : -ESTALE;
	close(copy);
	return (int)left;
}

/* In the child: opens the file of a question, which O_PATH has opened as
 * `place`: no other file can take its place. Returns as offer_file(). */
static int open_there(struct answer *answer, const struct question *question,
		      int place)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	ino_t number = answer->st.st_ino;
	char again[32];
	int fd, ret;

	if (!S_ISREG(answer->st.st_mode))
		return -EINVAL;
	if (question->inode && number != question->inode)
		return -ESTALE;
	snprintf(again, sizeof(again), "/proc/self/fd/%d", place);
	fd = open(again, flags);
	/* where there is no /proc, the path is followed again */
	if (fd < 0 && errno == ENOENT)
		fd = open(question->path, flags);
	if (fd < 0)
		return -errno;
	ret = offer_file(answer, fd, number);
	close(fd);
	return ret;
}

/* In the child: serves questions until the command is gone. */
static void serve_all(void)
{
	struct question question;
	struct answer answer;
	bool sent = true;
	int fd, place;

	while (sent &&
	       child_receive(CHILD_SOCKET, &question, sizeof(question), &fd,
			     -1) == sizeof(question)) {
		answer = (struct answer){ 0 };
		fd = -1;
		place = open(question.path, O_PATH | O_CLOEXEC);
		if (place < 0 || fstat(place, &answer.st)) {
			answer.error = -errno;
		} else if (question.what == ASK_OPEN) {
			fd = open_there(&answer, &question, place);
			answer.error = fd < 0 ? fd : 0;
		}
		/* the answer comes last: to close a file, too, may take for
		 * ever */
		if (place >= 0)
			close(place);
		sent = child_send(CHILD_SOCKET, &answer, sizeof(answer), fd);
		if (fd >= 0)
			close(fd);
	}
}

static const struct child_spec spec = {
	.serve = serve_all,
	.cpu_seconds = CPU_SECONDS,
	.file_bytes = COPY_MAX,
};

void opener_end(void)
{
	child_end(&child);
}

/* Asks the child. Returns the errno of the answer, or -ETIMEDOUT without one,
 * which it prints for the first files. */
static int ask_opener(const struct question *question, struct answer *answer,
		      int *fd)
{
	ssize_t n = -EPIPE;

	/* a child is gone with the thread of this command that made it */
	for (int i = 0; i < 2 && n != sizeof(*answer) && n != -ETIMEDOUT;
	     i++) {
		if (!child_begin(&child, &spec)) {
			if (!silent.count++)
				command_warn("cannot open %s: no process can "
					     "be made for it",
					     question->path);
			return -ETIMEDOUT;
		}
		n = -EPIPE;
		if (child_send(child.socket, question, sizeof(*question), -1))
			n = child_receive(child.socket, answer,
					  sizeof(*answer), fd,
					  silent.count < SILENT_MAX ?
						  WAIT_MS : WAIT_LESS_MS);
		if (n != sizeof(*answer))
			child_end(&child);
	}
	if (n == -ETIMEDOUT && silent.count++ < SILENT_MAX) {
		silent.paths[silent.count - 1] = strdup(question->path);
		command_warn("%s does not answer: what it would tell is "
			     "missing", question->path);
	}
	return n == sizeof(*answer) ? answer->error :
	       n == -ETIMEDOUT ? -ETIMEDOUT : -EPIPE;
}

/* Fills a question. Returns 0, -ENAMETOOLONG, or -ETIMEDOUT for a path that
 * gave no answer before. */
static int question_make(struct question *question, uint32_t what,
			 const char *path, uint64_t inode)
{
	memset(question, 0, sizeof(*question));
	question->what = what;
	question->inode = inode;
	if (snprintf(question->path, sizeof(question->path), "%s", path) >=
	    (int)sizeof(question->path))
		return -ENAMETOOLONG;
	for (size_t i = 0; i < SILENT_MAX; i++)
		if (silent.paths[i] && !strcmp(silent.paths[i], path))
			return -ETIMEDOUT;
	return 0;
}

int opener_open(struct opener_file *file, const char *path, uint64_t inode)
{
	struct question question;
	struct answer answer = { 0 };
	int fd = -1;
	int ret = question_make(&question, ASK_OPEN, path, inode);

	if (!ret)
		ret = ask_opener(&question, &answer, &fd);
	/* this command has no descriptor left */
	if (!ret && fd < 0)
		ret = -EMFILE;
	if (ret)
		return ret;
	*file = (struct opener_file){ .fd = fd, .copied = answer.copied,
				      .st = answer.st,
				      .system = answer.system,
				      .major = answer.major,
				      .minor = answer.minor };
	return 0;
}

bool opener_same_state(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev &&
	       a->st_size == b->st_size &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

void opener_close(struct opener_file *file)
{
	close(file->fd);
}

int opener_stat(const char *path, struct stat *st)
{
	struct question question;
	struct answer answer = { 0 };
	int fd = -1;
	int ret = question_make(&question, ASK_STAT, path, 0);

	if (!ret)
		ret = ask_opener(&question, &answer, &fd);
	if (!ret)
		*st = answer.st;
	return ret;
}
