/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lacking HOW FILE...: executes each FILE in a child, in the way HOW says, and
 * ends with 7 if each child did. "say" prints its LD_PRELOAD without the
 * directories of paths, and ends with 7.
 *
 *	exec, execvp, fexecve, execveat		by that function
 *	vfork		by execve() in a child of vfork()
 *	spawn, spawnp	by posix_spawn() and posix_spawnp()
 *	spawn:thin	by posix_spawn() in a thread with the smallest stack,
 *			with 2,000 variables
 *	away:DIR	by posix_spawn() with a file action that goes to DIR
 *	spawn:wrong	by posix_spawn(), after arguments that it refuses
 *	clear		with an empty environment
 *	twice:first, twice:last		with another LD_PRELOAD, which is empty,
 *			before or behind its own
 *	root:DIR	after chroot(DIR)
 *	full		with no descriptor left
 *	wrong		after arguments that execve() refuses (EFAULT, ENOENT)
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

static int say(void)
{
	char *list = getenv("LD_PRELOAD");
	char *word;

	printf("preload:");
	for (word = list ? strtok(list, ":") : NULL; word;
	     word = strtok(NULL, ":"))
		printf(" %s", strrchr(word, '/') ? strrchr(word, '/') + 1 :
						   word);
	printf("\n");
	return 7;
}

static void use_descriptors(void)
{
	struct rlimit limit = { 16, 16 };

	setrlimit(RLIMIT_NOFILE, &limit);
	while (dup(0) >= 0)
		;
}

static int refused(char **argv)
{
	char *volatile bad = (char *)(-1L);
	char *volatile none = NULL;

	return execve(none, argv, environ) == -1 && errno == EFAULT &&
	       execve(bad, argv, environ) == -1 && errno == EFAULT &&
	       execve(argv[0], argv, (char **)bad) == -1 && errno == EFAULT &&
	       execveat(AT_FDCWD, bad, argv, environ, 0) == -1 &&
	       errno == EFAULT &&
	       execveat(-1, "", argv, environ, AT_EMPTY_PATH) == -1 &&
	       errno == EBADF && fexecve(-1, argv, environ) == -1 &&
	       execv("/nonexistent", argv) == -1 && errno == ENOENT &&
	       execvp("no-such-program", argv) == -1 && errno == ENOENT &&
	       execv("/", argv) == -1 && errno == EACCES;
}

/* Executes the program with an empty LD_PRELOAD beside its own. */
static void become_twice(int first, char **argv)
{
	static char *variables[1024];
	int n = 0;

	if (first)
		variables[n++] = "LD_PRELOAD=";
	for (char **p = environ; *p && n < 1022; p++)
		variables[n++] = *p;
	if (!first)
		variables[n++] = "LD_PRELOAD=";
	execve(argv[0], argv, variables);
}

static void become(const char *how, char **argv)
{
	static char *none[] = { NULL };
	int fd;

	if (!strcmp(how, "clear")) {
		execve(argv[0], argv, none);
	} else if (!strncmp(how, "twice:", 6)) {
		become_twice(!strcmp(how, "twice:first"), argv);
	} else if (!strcmp(how, "execvp")) {
		execvp(argv[0], argv);
	} else if (!strcmp(how, "fexecve")) {
		fd = open(argv[0], O_RDONLY);
		if (lseek(fd, 1, SEEK_SET) == 1)
			fexecve(fd, argv, environ);
	} else if (!strcmp(how, "execveat")) {
		execveat(open(argv[0], O_PATH), "", argv, environ,
			 AT_EMPTY_PATH);
	} else {
		if (!strncmp(how, "root:", 5) &&
		    (chroot(how + 5) || chdir("/")))
			_exit(3);
		if (!strcmp(how, "full"))
			use_descriptors();
		if (!strcmp(how, "wrong") && !refused(argv))
			_exit(4);
		execve(argv[0], argv, environ);
	}
	_exit(127);
}

static int spawn_refused(char **argv)
{
	posix_spawn_file_actions_t actions;
	char *volatile bad = (char *)(-1L);
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	return posix_spawn(&pid, bad, NULL, NULL, argv, environ) == EFAULT &&
	       posix_spawn(&pid, bad, &actions, NULL, argv, environ) ==
		       EFAULT &&
	       posix_spawn(&pid, argv[0], &actions, NULL, argv,
			   (char **)bad) == EFAULT;
}

/* Returns the child or -1. If posix_spawn() fails, the child ends with 127. */
static pid_t spawned(const char *how, char **argv)
{
	posix_spawn_file_actions_t actions;
	pid_t pid = -1;
	int error;

	if (!strcmp(how, "spawn:wrong") && !spawn_refused(argv))
		_exit(4);
	posix_spawn_file_actions_init(&actions);
	if (!strncmp(how, "away:", 5)) {
		posix_spawn_file_actions_addchdir_np(&actions, how + 5);
		error = posix_spawn(&pid, argv[0], &actions, NULL, argv,
				    environ);
	} else if (!strcmp(how, "spawnp")) {
		error = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
	} else {
		error = posix_spawn(&pid, argv[0], NULL, NULL, argv, environ);
	}
	posix_spawn_file_actions_destroy(&actions);
	if (error)
		_exit(127);
	return pid;
}

static void *spawn_thin(void *argv)
{
	return (void *)(long)spawned("spawn", argv);
}

static pid_t spawned_thin(char **argv)
{
	pthread_attr_t attr;
	pthread_t thread;
	char name[16];
	void *pid;
	int i;

	for (i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "THIN%d", i);
		setenv(name, "", 1);
	}
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN);
	if (pthread_create(&thread, &attr, spawn_thin, argv) ||
	    pthread_join(thread, &pid))
		return -1;
	return (pid_t)(long)pid;
}

static pid_t child(const char *how, char **argv)
{
	pid_t pid;

	if (!strcmp(how, "spawn:thin"))
		return spawned_thin(argv);
	if (!strncmp(how, "spawn", 5) || !strncmp(how, "away:", 5))
		return spawned(how, argv);
	pid = strcmp(how, "vfork") ? fork() : vfork();
	if (!pid)
		become(how, argv);
	return pid;
}

int main(int argc, char **argv)
{
	int status = 7 << 8;
	int i;

	TAFFRAIL_EVENT(app, hit, argc);
	if (argc < 3 || !strcmp(argv[argc - 1], "say"))
		return say();
	for (i = 2; i < argc && status == 7 << 8; i++) {
		char *words[] = { argv[i], "say", NULL };
		pid_t pid = child(argv[1], words);

		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
