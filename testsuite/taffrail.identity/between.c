/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * between PROGRAM...: mounts another file system over the runtime directory, in
 * a mount namespace of its own, and executes the program there.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2 || unshare(CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", getenv("TAFFRAIL_DIR"), "tmpfs", 0, "mode=700"))
		return 77;
	execv(argv[1], argv + 1);
	return 78;
}
