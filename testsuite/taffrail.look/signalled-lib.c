/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library that is preloaded into a command: SIGTERM comes when the command
 * has just made the directory that SIGNAL_AT names, or when it is to execute
 * the program that it names.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void signal_at(const char *what, pid_t pid)
{
	const char *at = getenv("SIGNAL_AT");

	if (at && !strcmp(at, what))
		kill(pid, SIGTERM);
}

int mkdir(const char *path, mode_t mode)
{
	int (*real)(const char *, mode_t);
	int ret;

	*(void **)&real = dlsym(RTLD_NEXT, "mkdir");
	ret = real(path, mode);
	if (!ret)
		signal_at(path, getpid());
	return ret;
}

int execvpe(const char *file, char *const argv[], char *const envp[])
{
	int (*real)(const char *, char *const[], char *const[]);

	*(void **)&real = dlsym(RTLD_NEXT, "execvpe");
	signal_at(file, getppid());
	return real(file, argv, envp);
}
