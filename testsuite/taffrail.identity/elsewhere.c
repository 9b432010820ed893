/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * elsewhere fork|kill: hits app:hit; then mounts another file system over the
 * runtime directory, in a mount namespace of its own, and forks a child, which
 * hits app:hit there. With "kill" the child kills itself.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <taffrail/marker.h>

static void hit(int n)
{
	TAFFRAIL_EVENT(app, hit, n);
}

int main(int argc, char **argv)
{
	pid_t pid;

	hit(1);
	if (unshare(CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", getenv("TAFFRAIL_DIR"), "tmpfs", 0, "mode=700"))
		return 77;
	pid = fork();
	if (!pid) {
		hit(2);
		if (argc > 1 && !strcmp(argv[1], "kill"))
			kill(getpid(), SIGKILL);
		_exit(0);
	}
	return waitpid(pid, NULL, 0) != pid;
}
