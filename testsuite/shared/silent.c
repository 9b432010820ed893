/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * silent DIRECTORY FILE PROGRAM ARGS...: executes a program in a mount
 * namespace of its own, where DIRECTORY/file has the bytes of FILE. A server of
 * that file system (FUSE, the kernel's protocol 7.31) answers until it gets
 * SIGUSR1, and nothing from then on. Prints "server PID". The server ends with
 * its input's end, or by a signal.
 *
 * What must stay true: the kernel asks the server at each use of the path, as
 * no attribute and no name is valid for any time; it keeps the file's bytes, so
 * what is mapped stays readable.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME		"file"
#define NUMBER		2		/* of its inode */
#define REQUEST_BYTES	(1 << 18)

static volatile sig_atomic_t is_silent;
static const char *bytes;
static size_t size;

static void silence(int number)
{
	(void)number;
	is_silent = 1;
}

static void answer(int fd, const struct fuse_in_header *in, int error,
		   const void *data, size_t n)
{
	struct fuse_out_header out = {
		.len = (uint32_t)(sizeof(out) + n),
		.error = error,
		.unique = in->unique,
	};
	struct iovec parts[2] = { { &out, sizeof(out) }, { (void *)data, n } };

	if (writev(fd, parts, n ? 2 : 1) < 0 && errno != ENOENT)
		_exit(1);
}

static struct fuse_attr attributes(uint64_t number)
{
	struct fuse_attr attr = { .ino = number, .nlink = 1, .blksize = 4096 };

	attr.mode = number == NUMBER ? S_IFREG | 0755 : S_IFDIR | 0755;
	attr.size = number == NUMBER ? size : 0;
	return attr;
}

static void serve(int fd, const struct fuse_in_header *in, const void *arg)
{
	struct fuse_init_out init = { .major = 7, .minor = 31,
				      .max_write = 65536,
				      .max_readahead = 1 << 20 };
	struct fuse_entry_out entry = { .nodeid = NUMBER };
	struct fuse_attr_out attr = { .attr = attributes(in->nodeid) };
	struct fuse_open_out opened = { .open_flags = FOPEN_KEEP_CACHE };
	const struct fuse_read_in *read = arg;
	size_t n;

	switch (in->opcode) {
	case FUSE_INIT:
		answer(fd, in, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		entry.attr = attributes(NUMBER);
		if (strcmp(arg, NAME))
			answer(fd, in, -ENOENT, NULL, 0);
		else
			answer(fd, in, 0, &entry, sizeof(entry));
		break;
	case FUSE_GETATTR:
		answer(fd, in, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		answer(fd, in, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		n = read->offset < size ? size - read->offset : 0;
		answer(fd, in, 0, bytes + (n ? read->offset : 0),
		       n < read->size ? n : read->size);
		break;
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
	case FUSE_FLUSH:
		answer(fd, in, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		answer(fd, in, -ENOSYS, NULL, 0);
	}
}

static void serve_all(int fd)
{
	static char request[REQUEST_BYTES];
	const struct fuse_in_header *in = (void *)request;
	ssize_t n;

	for (;;) {
		n = read(fd, request, sizeof(request));
		if (n < 0 && errno == ENODEV)
			_exit(0);
		/* a request is taken, which the kernel cannot withdraw then */
		if (n >= (ssize_t)sizeof(*in) && !is_silent)
			serve(fd, in, in + 1);
	}
}

/* The caller goes on when the file can be used. */
static int begin(const char *directory)
{
	struct sigaction action = { .sa_handler = silence };
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	pid_t parent = getpid();
	char options[100];
	pid_t pid;

	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,"
		 "group_id=0,allow_other", fd);
	if (fd < 0 || unshare(CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("silent", directory, "fuse", MS_NOSUID | MS_NODEV, options))
		return -1;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent || sigaction(SIGUSR1, &action, NULL))
			_exit(1);
		serve_all(fd);
	}
	close(fd);
	printf("server %d\n", (int)pid);
	fflush(stdout);
	return pid < 0 ? -1 : 0;
}

/* Has the kernel read all of the file. */
static int fill(const char *path)
{
	static char block[65536];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t all = 0;
	ssize_t n;

	while (fd >= 0 && (n = read(fd, block, sizeof(block))) > 0)
		all += (size_t)n;
	if (fd >= 0)
		close(fd);
	return all == size ? 0 : -1;
}

int main(int argc, char **argv)
{
	char path[4096];
	struct stat st;
	int fd;

	if (argc < 4)
		return 2;
	fd = open(argv[2], O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return 2;
	size = (size_t)st.st_size;
	bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	close(fd);
	snprintf(path, sizeof(path), "%s/" NAME, argv[1]);
	if (bytes == MAP_FAILED || begin(argv[1]) || fill(path)) {
		perror("silent");
		return 77;
	}
	execv(argv[3], argv + 3);
	return 127;
}
