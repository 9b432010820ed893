/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * vFile: gdb reads the program's files through the program. So gdb sees the
 * files that the program runs, whatever the program's root directory is.
 *
 * Invariant: the program may have more rights than the user wants to lend to
 * gdb. So only regular files that are mapped into the process, and some files
 * of its /proc, are opened, and only for reading.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "gdbstub/wire/connection.h"

/* Files of /proc/PID that gdb may read. No pointers: each would take a
 * relocation. */
static const char proc_words[][16] = {
	"maps", "smaps", "cmdline", "status", "stat", "coredump_filter",
};

/* Answers with an error of the protocol, not of Linux. */
static void answer_error(struct connection *c, uint64_t error)
{
	packet_add(&c->out, "F-1,");
	packet_add_number(&c->out, error);
}

/* Begins a good answer; the attachment follows. */
static void answer_result(struct connection *c, uint64_t result)
{
	packet_add(&c->out, "F");
	packet_add_number(&c->out, result);
}

/* Answers with the `got` bytes of c->chunk, or with an error for a negative
 * errno. */
static void answer_chunk(struct connection *c, long got, uint64_t error)
{
	if (got < 0) {
		answer_error(c, error);
		return;
	}
	answer_result(c, (uint64_t)got);
	packet_add(&c->out, ";");
	packet_add_bytes(&c->out, c->chunk, (size_t)got);
}

/* Returns the path behind "/proc/PID/" of this process, or NULL. */
static const char *proc_path(const char *path)
{
	const char *p = text_after(path, "/proc/");

	return p && text_number(&p) == sys_getpid() && *p == '/' ? p + 1 : NULL;
}

/* Returns true when the file of that path is mapped into this process: the path
 * is the end of a line of maps, from the first '/' on. */
static bool is_mapped(struct connection *c, const char *path)
{
	int fd = (int)sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	uint64_t at = 0;		/* characters of the path seen */
	bool wrong = false;
	bool found = false;
	long got;

	if (fd < 0)
		return false;
	while (!found && (got = sys_read(fd, c->chunk, sizeof(c->chunk))) > 0) {
		for (long i = 0; i < got && !found; i++) {
			if (c->chunk[i] == '\n') {
				found = at && !wrong && !path[at];
				at = 0;
				wrong = false;
			} else if (!at && c->chunk[i] != '/') {
				continue;
			} else if (path[at] == c->chunk[i]) {
				at++;
			} else {
				wrong = true;
				at = 1;
			}
		}
	}
	sys_close(fd);
	return found;
}

/*
 * Opens a mapped regular file, or one of the few files in /proc: the word of
 * "/proc/PID/WORD" or "/proc/PID/task/TID/WORD". TID does not matter: all
 * threads share these files. Opening a device has effects, so the first
 * sys_open() of another path has O_PATH. Returns the descriptor, which the
 * caller closes, or a negative errno.
 */
static int file_open(struct connection *c, const char *path)
{
	const char *word = proc_path(path);
	const char *task = word ? text_after(word, "task/") : NULL;
	char real[PATH_MAX], own[64];
	struct text text;
	struct stat st;
	long got;
	int fd;

	if (*path != '/')
		return -ENOENT;
	if (task)
		word = text_number(&task) < 0 || *task != '/' ? NULL : task + 1;
	text_open(&text, own, sizeof(own));
	for (uint32_t i = 0; word && i < ARRAY_SIZE(proc_words); i++) {
		if (!text_equal(word, proc_words[i]))
			continue;
		text_add(&text, "/proc/self/");
		text_add(&text, word);
		return (int)sys_open(own, O_RDONLY | O_CLOEXEC, 0);
	}
	fd = (int)sys_open(path, O_PATH | O_CLOEXEC, 0);
	if (fd < 0)
		return fd;
	text_add(&text, "/proc/thread-self/fd/");
	text_add_number(&text, fd);
	got = -EACCES;
	if (!sys2(SYS_fstat, fd, &st) && S_ISREG(st.st_mode))
		got = sys4(SYS_readlinkat, -100, own, real, sizeof(real) - 1);
	if (got > 0) {
		real[got] = 0;
		got = is_mapped(c, real) ? sys_open(own, O_RDONLY | O_CLOEXEC,
						    0) :
					   -EACCES;
	}
	sys_close(fd);
	return (int)got;
}

/* vFile:open. Each gdb has CONNECTION_FILES descriptors. */
static void call_open(struct connection *c, const char *p)
{
	char path[PATH_MAX];
	uint64_t flags;
	int slot, fd;

	for (slot = 0; slot < CONNECTION_FILES && c->files[slot] >= 0; slot++)
		;
	if (!packet_read_text(&p, path, sizeof(path)) ||
	    !packet_read_char(&p, ',') || !packet_read_number(&p, &flags)) {
		answer_error(c, RSP_ENOENT);
	} else if (flags & RSP_OPEN_WRITE_MASK) {
		answer_error(c, RSP_EACCES);
	} else if (slot == CONNECTION_FILES) {
		answer_error(c, RSP_EMFILE);
	} else {
		fd = file_open(c, path);
		if (fd < 0) {
			answer_error(c,
				     fd == -ENOENT ? RSP_ENOENT : RSP_EACCES);
			return;
		}
		c->files[slot] = fd;
		answer_result(c, (uint64_t)slot);
	}
}

/* Reads a descriptor's number and moves *p behind it. Returns the descriptor;
 * or NULL, and answers the error. */
static int *file_find(struct connection *c, const char **p)
{
	uint64_t number;

	if (!packet_read_number(p, &number) || number >= CONNECTION_FILES ||
	    c->files[number] < 0) {
		answer_error(c, RSP_EBADF);
		return NULL;
	}
	return &c->files[number];
}

/* vFile:pread. gdb asks again for the rest when the answer is shorter than it
 * wanted. */
static void call_pread(struct connection *c, const char *p)
{
	int *file = file_find(c, &p);
	uint64_t offset, n;
	long got;

	if (!file)
		return;
	if (!packet_read_char(&p, ',') || !packet_read_number(&p, &n) ||
	    !packet_read_char(&p, ',') || !packet_read_number(&p, &offset)) {
		answer_error(c, RSP_EIO);
		return;
	}
	got = sys4(SYS_pread64, *file, c->chunk,
		   min_u64(n, CONNECTION_CHUNK_BYTES), offset);
	answer_chunk(c, got, RSP_EIO);
}

/* Adds a number in big-endian order, as the protocol has all numbers in a
 * struct stat. */
static void put_big(struct packet *out, uint64_t value, int bytes)
{
	while (bytes--)
		packet_add_byte(out, (uint8_t)(value >> bytes * 8));
}

/* vFile:fstat. */
static void call_fstat(struct connection *c, const char *p)
{
	int *file = file_find(c, &p);
	struct stat st;

	if (!file)
		return;
	if (sys2(SYS_fstat, *file, &st)) {
		answer_error(c, RSP_EIO);
		return;
	}
	answer_result(c, RSP_STAT_BYTES);
	packet_add(&c->out, ";");
	put_big(&c->out, st.st_dev, 4);
	put_big(&c->out, st.st_ino, 4);
	put_big(&c->out, st.st_mode, 4);
	put_big(&c->out, st.st_nlink, 4);
	put_big(&c->out, st.st_uid, 4);
	put_big(&c->out, st.st_gid, 4);
	put_big(&c->out, st.st_rdev, 4);
	put_big(&c->out, (uint64_t)st.st_size, 8);
	put_big(&c->out, (uint64_t)st.st_blksize, 8);
	put_big(&c->out, (uint64_t)st.st_blocks, 8);
	put_big(&c->out, (uint64_t)st.st_atime, 4);
	put_big(&c->out, (uint64_t)st.st_mtime, 4);
	put_big(&c->out, (uint64_t)st.st_ctime, 4);
}

/* Serves the links that `info proc` shows; gdb can learn them from memory
 * too. */
static void call_readlink(struct connection *c, const char *p)
{
	char path[PATH_MAX], own[32];
	const char *word = NULL;
	struct text text;
	long got;

	if (packet_read_text(&p, path, sizeof(path)) && !*p)
		word = proc_path(path);
	if (!word || (!text_equal(word, "exe") && !text_equal(word, "cwd"))) {
		answer_error(c, RSP_EACCES);
		return;
	}
	text_open(&text, own, sizeof(own));
	text_add(&text, "/proc/self/");
	text_add(&text, word);
	got = sys4(SYS_readlinkat, -100, own, c->chunk, PATH_MAX);
	answer_chunk(c, got, RSP_EACCES);
}

int serve_file(struct connection *c, const char *p)
{
	const char *rest;
	int *file;

	if (text_after(p, "setfs:")) {
		/* gdb can see only one file system: the program's */
		answer_result(c, 0);
	} else if ((rest = text_after(p, "open:"))) {
		call_open(c, rest);
	} else if ((rest = text_after(p, "close:"))) {
		file = file_find(c, &rest);
		if (!file)
			return 0;
		sys_close(*file);
		*file = -1;
		answer_result(c, 0);
	} else if ((rest = text_after(p, "pread:"))) {
		call_pread(c, rest);
	} else if ((rest = text_after(p, "fstat:"))) {
		call_fstat(c, rest);
	} else if ((rest = text_after(p, "readlink:"))) {
		call_readlink(c, rest);
	}
	return 0;
}

void files_close(struct connection *c)
{
	for (int i = 0; i < CONNECTION_FILES; i++) {
		if (c->files[i] >= 0)
			sys_close(c->files[i]);
		c->files[i] = -1;
	}
}
