/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For LD_PRELOAD, in a command: when the process $ENDING_PID has answered the
 * request for a session, or with $ENDING_ANY any request, kills it and breaks
 * the connection. With
 * $ENDING_RINGS, waits before until a file that this pattern names, a ring, has
 * an event. With $ENDING_PAGE, its page, shows it as it is when it has removed
 * that, and has no memory any more, but is not dead. With $ENDING_WAITED, kills
 * it when the command has waited for a second.
 *
 * In a process, with $ENDING_EXIT: exit(3) says "exits", and does not return.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int armed = -1;		/* the connection */

static pid_t victim(void)
{
	return atoi(getenv("ENDING_PID"));
}

static int has_event(const char *file)
{
	int fd = open(file, O_RDONLY);
	uint64_t head = 0;

	if (fd < 0)
		return 0;
	if (read(fd, &head, sizeof(head)) != sizeof(head))
		head = 0;
	close(fd);
	return head >> 32 != 0;
}

static int any_event(const char *pattern)
{
	glob_t found;
	int yes = 0;
	size_t i;

	if (glob(pattern, 0, NULL, &found))
		return 0;
	for (i = 0; i < found.gl_pathc; i++)
		yes |= has_event(found.gl_pathv[i]);
	globfree(&found);
	return yes;
}

static FILE *open_real(const char *path, const char *mode)
{
	FILE *(*real)(const char *, const char *);

	*(void **)&real = dlsym(RTLD_NEXT, "fopen");
	return real(path, mode);
}

/* Returns a copy of a thread's stat, whose flags have PF_EXITING. */
static FILE *exiting_stat(const char *path)
{
	FILE *from = open_real(path, "re"), *to = tmpfile();
	char text[1024] = "", *flags;
	int blanks = 7;

	if (!from || !to || !fgets(text, sizeof(text), from))
		abort();
	fclose(from);
	flags = strrchr(text, ')');
	while (blanks--)
		flags = strchr(flags, ' ') + 1;
	fprintf(to, "%.*s%lu%s", (int)(flags - text), text,
		strtoul(flags, NULL, 10) | 4, strchr(flags, ' '));
	rewind(to);
	return to;
}

FILE *fopen(const char *path, const char *mode)
{
	const char *page = getenv("ENDING_PAGE");
	static int maps;
	char name[64];
	int n;

	n = snprintf(name, sizeof(name), "/proc/%d/", victim());
	if (!page || strncmp(path, name, (size_t)n))
		return open_real(path, mode);
	/* first, whose page it is */
	if (!strcmp(path + n, "maps") && maps++) {
		unlink(page);
		return open_real("/dev/null", mode);
	}
	if (!strncmp(path + n, "task/", 5) &&
	    !strcmp(strrchr(path, '/'), "/stat"))
		return exiting_stat(path);
	return open_real(path, mode);
}

int nanosleep(const struct timespec *request, struct timespec *remain)
{
	static struct timespec first;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!first.tv_sec)
		first = now;
	if (getenv("ENDING_WAITED") &&
	    (now.tv_sec - first.tv_sec) * 1000000000 + now.tv_nsec -
			    first.tv_nsec > 1000000000)
		kill(victim(), SIGKILL);
	return (int)syscall(SYS_nanosleep, request, remain);
}

__attribute__((destructor)) static void exit_hang(void)
{
	if (!getenv("ENDING_EXIT"))
		return;
	if (write(1, "exits\n", 6) != 6)
		abort();
	for (;;)
		pause();
}

ssize_t send(int fd, const void *data, size_t bytes, int flags)
{
	ssize_t (*real)(int, const void *, size_t, int);
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);

	*(void **)&real = dlsym(RTLD_NEXT, "send");
	getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size);
	if (peer.pid == victim() && (getenv("ENDING_ANY") ||
	    (bytes > 5 && !memcmp(data, "name=", 5))))
		armed = fd;
	return real(fd, data, bytes, flags);
}

ssize_t recv(int fd, void *data, size_t bytes, int flags)
{
	ssize_t (*real)(int, void *, size_t, int);
	const char *rings = getenv("ENDING_RINGS");

	*(void **)&real = dlsym(RTLD_NEXT, "recv");
	if (fd != armed)
		return real(fd, data, bytes, flags);
	while (real(fd, data, 1, MSG_PEEK) < 0 && errno == EAGAIN)
		usleep(1000);
	while (rings && !any_event(rings))
		usleep(1000);
	kill(victim(), SIGKILL);
	armed = -1;
	errno = ECONNRESET;
	return -1;
}
